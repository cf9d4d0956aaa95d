"""kidctl: moves tables that people already have to k-ordered IDs, to partitions, and away from kid.

Each command is a package. Beside its own modules it uses those of this folder and of the last two packages, and of no
other command:

rekey/      new keys for all rows of a table and for the rows that refer to them, or for new rows only
partition/  a table becomes the first partition of a new one; the rows of a partition move into partitions by time
leave/      columns of kid's types get core types
rehearsal/  runs all steps of a move on a copy of the schema, and reports what PostgreSQL refuses or changes
beside/     finds constants, casts and other columns beside a key, in the trees by which PostgreSQL stores definitions

In the package of a command, session.py has what the user can call, checks.py what is found before the rehearsal,
plan.py what was read of the tables, move.py the steps, and expected.py what may differ in a dump. In this folder cli.py
parses the command line, session.py has what all commands do alike, obstacles.py what is in the way of any of them,
catalog.py, hanging.py and dependents.py read the catalog, objects.py names what they find, kid.py finds kid itself,
steps.py runs statements, state.py keeps the state, filling.py fills materialized views.

A command runs as follows. session.py connects and calls rights.become_owner(). checks.py and, for new keys, beside/
report findings. The rehearsal makes a copy of the schema (copy.py), puts a few rows in (rows.py), and runs every step
with a savepoint around each statement. After each step it tries what writers do (writers.py), and at the end it
compares dumps (dumps.py). A finding that stops the move has to be accepted by name. Only then do the same steps run on
the real tables:

rekey       prepare, fill, index, constrain, validate; then swap; then finish or back
partition   prepare, prove, swap, partitions, validate; then finish or back. Of rows: prepare, copy, exchange, validate
leave       change, for each group of linked tables; types; validate

Every step reads the catalog again, does what is still missing, and can be interrupted and repeated. The state of a move
is in a schema kidctl_COMMAND_TABLE_HASH of the table's owner, with everything that the move adds beside the tables' own
columns, indexes and constraints. It names the server and the database, so that a restored copy does not go on.

These hold everywhere:

Rights      The session has no right that the owner of the tables does not have, since the owner's code runs in it.
            Code of other roles does not (strangers.py). The state is refused if another role owns any of it.
Names       The search_path is pg_catalog, so PostgreSQL prints other names with their schema. Names are quoted by
            psycopg.sql; sql.SQL() gets only what PostgreSQL has printed, or text of this program.
Locks       What needs ACCESS EXCLUSIVE tries to take it for less than deadlock_timeout, and retries, so that writers do
            not wait long behind it. Rekey and partition read no rows under such a lock; leave rewrites some types.
Definitions What hangs on a column is made again from PostgreSQL's own text of it; what kidctl cannot make again is an
            error before the first lock.
Rehearsal   It covers what the copy has: objects that were not copied, tables without rows, and statements that were not
            tried are listed as findings.
"""
