"""The rehearsal of a move on a copy of the schema.

rehearsal.py     runs the steps on the copy, and reports what PostgreSQL refuses or changes
place.py         says on which server the copy is made, and what it begins as
copy.py          makes the copy by pg_dump and pg_restore, and drops it
copied.py        finds what the copy lacks
rows.py          puts a few rows into the copy
writers.py       tries what clients do, after each step
dumps.py         compares dumps, object by object
"""
