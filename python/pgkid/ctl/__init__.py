"""kidctl: moves tables that people already have to k-ordered IDs, to partitions, and away from kid.

Each command is a package. Beside its own modules it uses those of this folder and of the last two packages, and of no
other command. The head of each package says what each of its modules does:

rekey/      new keys for all rows of a table and for the rows that refer to them, or for new rows only
partition/  a table becomes the first partition of a new one; the rows of a partition move into partitions by time
leave/      columns of kid's types get core types
rehearsal/  runs all steps of a move on a copy of the schema, and reports what PostgreSQL refuses or changes
beside/     finds constants, casts and other columns beside a key, in the trees by which PostgreSQL stores definitions

The modules of this folder start and end the program,

__main__.py      runs it as `python -m pgkid.ctl`
start.py         starts it, or says which library it lacks
cli.py           parses the command line, prints errors, and returns the exit status
session.py       has what all commands do alike: connects, reports findings, rehearses, and runs the steps
terminal.py      prints findings, errors, progress and scripts
interruption.py  ends the program in order when a signal asks for it

connect, with no more rights than they need,

connection.py    opens sessions with settings under which names and definitions mean what they say
rights.py        makes a session act as the owner of a table, and refuses roles with more rights than the owner has
strangers.py     finds what would run code of other roles if it was copied or made again

read the database,

catalog.py       reads tables, columns, keys, indexes, constraints and triggers
objects.py       says how statements and findings name an object
names.py         finds names that are free in a schema
kid.py           finds the schema of kid, and has the functions that make keys of each type
hanging.py       finds what hangs on columns, drops it, and makes it again
made.py          prints the statements that drop objects such as views and make them again
details.py       prints the statements for what CREATE leaves out: owner, privileges, comments, options of columns
operators.py     lets PostgreSQL find the operators of new keys when it reads definitions
dependents.py    finds what keeps PostgreSQL from dropping an object
functions.py     finds functions that may use some tables
publications.py  finds the publications that name a table, and tables that nobody can update because of one

report,

findings.py      has the findings of a check, their kinds, and the error that ends a command
obstacles.py     finds what is in the way of any move, or raises it as an error

and change the tables:

steps.py         runs statements and the steps that consist of them, and takes locks
constraints.py   has the statements about constraints, and constraints as a state keeps them
throttle.py      lets a move of many rows hold back
filling.py       fills the materialized views that a move has made again
state.py         keeps the state of a move in the database
hold.py          locks a move, so that no other kidctl works on it

A command runs as follows. session.py connects and calls rights.become_owner(). checks.py and, for new keys, beside/
report findings. The rehearsal makes a copy of the schema (copy.py), puts a few rows in (rows.py), and runs every step
with a savepoint around each statement. After each step it tries what writers do (writers.py), and at the end it
compares dumps (dumps.py). A finding that stops the move has to be accepted by name. Only then do the same steps run on
the real tables:

rekey       prepare, fill, index, constrain, validate; then swap; then finish or back
partition   prepare, prove, swap, partitions, validate; then finish or back. Of rows: prepare, copy, exchange, validate
leave       change, for each group of linked tables; types; validate

Every step reads the catalog again, does what is still missing, and can be interrupted and repeated. The state of a move
is in a schema of the table's owner, with everything that the move adds beside the tables' own columns, indexes and
constraints. Its name is kidctl_rekey_TABLE_HASH, kidctl_partition_TABLE_HASH or, if rows of a partition move,
kidctl_rows_TABLE_HASH. Leave has one for all tables of a role, kidctl_leave_ROLE_HASH.

A state names the server and the database, so that rekey and partition do not go on in a restored copy. Leave goes on
there: its state keeps only what is left to do after the transactions, which is to validate constraints and to fill
materialized views. In a copy it finds these by their names, and otherwise by their OIDs, if they are still there.

These hold everywhere:

Rights      The session has no right that the owner of the tables does not have, since the owner's code runs in it.
            Code of other roles does not (strangers.py), and their schemas, whose names they can exchange, are refused
            unless the user trusts them. The state is refused if another role owns any of it.
Names       The search_path is pg_catalog, so PostgreSQL prints other names with their schema. Names are quoted by
            psycopg.sql; sql.SQL() gets only what PostgreSQL has printed, or text of this program.
Locks       What needs ACCESS EXCLUSIVE tries to take it for less than deadlock_timeout, and retries, so that writers do
            not wait long behind it. The user can allow more by --lock-timeout. Rekey and partition read no rows under
            such a lock; leave rewrites some types.
Definitions What hangs on a column is made again from PostgreSQL's own text of it; what kidctl cannot make again is an
            error before the first lock.
Rehearsal   It covers what the copy has: objects that were not copied, tables without rows, and statements that were not
            tried are listed as findings.
"""
