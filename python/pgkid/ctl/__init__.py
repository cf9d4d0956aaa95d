"""kidctl: moves tables that people already have to k-ordered IDs, to partitions, and away from kid.

Each command is a package. Beside its own modules it uses those of this folder and of two other packages, and of no other
command.

rekey/      new keys for all rows of a table and for the rows that refer to them, or for new rows only
partition/  a table becomes the first partition of a new one; the rows of a partition move into partitions by time
leave/      columns of kid's types get core types
rehearsal/  runs all steps of a move on a copy of the schema, and reports what PostgreSQL refuses or changes
beside/     finds constants, casts and other columns beside a key, in the trees by which PostgreSQL stores definitions

In the package of a command, session.py has what the user can call, checks.py what is in the way, plan.py what was read of
the tables, and move.py the steps. session.py beside them has what all commands do alike.
"""
