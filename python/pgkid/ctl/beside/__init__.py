"""Finds what stands beside a key in definitions, by the trees in which PostgreSQL stores them.

search.py        looks at all definitions in which a key can stand, and makes the findings
definitions.py   reads these definitions
facts.py         reads what trees refer to by number: functions, operators, types, columns
nodetree.py      parses a tree
enums.py         has the values of PostgreSQL's enumerations in trees
walk.py          walks a tree, and finds what stands beside a key
holds.py         tells what a value is made of: a key, a constant, another column
aliases.py       finds definitions that rename the columns of a table by position
printer.py       prints a piece of a tree as SQL

It goes as follows. search.py reads the definitions, and adds to the keys all columns of views, and generated columns,
that hold a key, until there are no more. Then it walks each definition by means of walk.py: at each node that compares
or combines values, holds.py says what these are made of, and a piece is noted if a key stands beside something else. A
node that no module knows is told as unknown, and stops the move. Nothing is written, and only catalogs are read.
"""
