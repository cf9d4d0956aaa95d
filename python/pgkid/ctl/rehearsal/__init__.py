"""The rehearsal of a move on a copy of the schema.

rehearsal.py     runs the steps on the copy, and reports what PostgreSQL refuses or changes
server.py        says on which server the copy is made, and what it begins as
copy.py          makes the copy by pg_dump and pg_restore, and drops it
copied.py        finds what the copy lacks
rows.py          puts a few rows into the copy
writers.py       tries what clients do, after each step
dumps.py         compares dumps, object by object

It goes as follows. copy.py creates a database kidctl_ and 16 hexadecimal digits, which is open to the owner of the
tables alone, and restores the tables into it. rows.py puts a few rows in, and copy.py restores indexes, constraints and
triggers. rehearsal.py runs the steps on the copy with a savepoint around each statement. For the way back it makes a
second copy of the copy as it is after the swap, whose name ends with _b. In the end both are dropped.

Of the real tables it reads a few rows, in one transaction, under no other locks than those of pg_dump and of SELECT.
After `kill -9` the copies stay. As long as kidctl lives, its session has an advisory lock with the number in the name.
The next rehearsal of the same role drops copies whose lock nobody has (server.py).
"""
