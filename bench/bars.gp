# A bar for each name: its median, with a whisker from the minimum to the maximum.
set terminal svg noenhanced size 760, 110 + 24 * bars font "Helvetica,13"
set datafile separator "\t"
set title heading
set xlabel unit
set style fill solid noborder
set border 1 lc rgb "#888888"
set xtics nomirror textcolor rgb "#444444"
set ytics scale 0 nomirror textcolor rgb "#333333"
set grid xtics lc rgb "#e4e4e4"
stats data using 4 nooutput
set xrange [0:STATS_max * 1.15]
set yrange [-bars + 0.4:0.6]
plot data using ($2 / 2):(-$0):($2 / 2):(0.36):5:ytic(1) with boxxyerror lc rgb variable notitle, \
     data using 2:(-$0):3:4 with xerrorbars pt -1 lw 1.2 lc rgb "#333333" notitle, \
     data using 4:(-$0):(sprintf($2 < 100 ? "%.1f" : "%.0f", $2)) with labels left offset 0.6, 0 textcolor rgb "#333333" notitle
