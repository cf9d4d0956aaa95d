"""kidctl rekey: new keys for the rows of a table, and for the rows that refer to them.

session.py       has the actions that the user can call
plan.py          reads what the move is about: the columns, both kinds of keys, and the names of what the move adds
checks.py        finds what cannot get new keys, and rows without a time that a key can have
surroundings.py  finds what somebody must know beside that, such as functions and clients
lookalikes.py    finds columns that seem to contain a key, and have no foreign key
costs.py         estimates disk, WAL, time and locks
move.py          has the steps of a move of all rows
new_rows.py      has the steps of a move in which only new rows get new keys
follow.py        makes the triggers that give each row its other key
fill.py          gives the rows that were there their new keys, block by block
twins.py         makes twins of indexes and constraints, on the new columns
swap.py          exchanges the columns, in both directions
not_nulls.py     gives the columns their NOT NULL in the swap
finish.py        drops the old keys, or keeps them as a column of another name
cancel.py        takes the move back before the swap
expected.py      says what may differ in a dump
"""
