"""kidctl partition: a table becomes the first partition of a new one, and its rows can move into partitions by time.

session.py       has the actions that the user can call
plan.py          reads what the move is about: the table, the column of its IDs, the end of the first partition
keys.py          finds the column of the primary key that contains IDs, and which IDs these are
names.py         finds names that are free in a schema
checks.py        finds what is in the way of either move
move.py          has the steps by which a table becomes a partition
swap.py          gives the new table the name, or the first partition its name again
numbers.py       gives the sequences of the columns to the table that takes the name
references.py    finds how to make the foreign keys again that refer to the table
late.py          adds foreign keys without looking at rows, and validates them later
rows.py          has the steps by which the rows of a partition move
exchange.py      puts the new partitions in the place of the one that had the rows
shadow.py        makes the tables into which rows are copied, and the trigger that follows their changes
expected.py      says what may differ in a dump
"""
