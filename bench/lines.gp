# A line for each key over the number of rows. The lines are in the order of their names, which begin each block.
set terminal svg noenhanced size 760, 420 font "Helvetica,13"
set datafile separator "\t"
set title heading
set xlabel "rows in the table, millions"
set ylabel unit
set logscale x
set border 3 lc rgb "#888888"
set xtics nomirror textcolor rgb "#333333" (1, 2, 5, 10, 20, 50)
set ytics nomirror textcolor rgb "#333333"
set grid ytics lc rgb "#e4e4e4"
set key top left Left reverse
set yrange [0:*]
array colour[3] = [0x888888, 0x2f66af, 0xd08a2e]
plot for [i = 0:2] data index i using ($1 / 1e6):2:3:4 with yerrorlines pt 7 ps 0.5 lw 1.6 lc rgb colour[i + 1] title columnheader(1)
