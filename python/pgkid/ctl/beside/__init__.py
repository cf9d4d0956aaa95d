"""Finds what stands beside a key in definitions, by the trees in which PostgreSQL stores them.

search.py        looks at all definitions in which a key can stand, and makes the findings
definitions.py   reads these definitions
facts.py         reads what trees refer to by number: functions, operators, types, columns
nodetree.py      parses a tree
walk.py          walks a tree, and finds what stands beside a key
holds.py         tells what a value is made of: a key, a constant, another column
aliases.py       finds definitions that rename the columns of a table by position
printer.py       prints a piece of a tree as SQL
"""
