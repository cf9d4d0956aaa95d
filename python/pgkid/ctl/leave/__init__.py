"""kidctl leave: columns of kid's types get core types, so that kid can be dropped.

The modules, in the order in which a reader meets them:

session.py       has the actions that the user can call
uses.py          finds the objects of kid, and what depends on them
columns.py       reads the columns, domains and composite types that change
links.py         joins the tables that have to change together
plan.py          has the groups of such tables, and what hangs on them; has the state
checks.py        finds what is in the way
needs.py         finds what uses kid otherwise than by its types
move.py          has the steps
change.py        changes one group of tables, in one transaction, by means of

triggers.py      drops the triggers of kid's own
indexes.py       makes indexes again, and gives all of them their details
domains.py       replaces domains over kid's types
defaults.py      replaces defaults that call kid
partitions.py    makes tables again that are partitioned by a column of kid's types
rewriter.py      puts core types in the place of kid's in definitions
expected.py      says what may differ in a dump

The steps, all of which `run` takes. Each line is one transaction with the locks that it takes. After `kill -9` a line
is done or it is not: the server ends the session and rolls back. The next `run` reads what still uses kid, and what
the state lists, and so does what is not done:

change      for each group: gives all columns their new types, makes again what hangs on them, adds constraints NOT
            VALID, leaves materialized views empty, and adds both to the state: locks all tables of the group and the
            views on them until it ends, from everybody
types       with --all, changes an attribute of a composite type of the role: locks the type
validate    validates each constraint: blocks neither readers nor writers
            fills each materialized view: locks the view
            drops the state

There is no way back: that would be a rekey. Others see only names of before and after a change. Within its transaction,
these have names of their own, in the schema of the object:

kidctl_leave_OID     the new domain in the place of the one with this OID, until that is dropped
kidctl_old_OID       a table partitioned by a column of kid's types, until it is dropped
kidctl_leave_OID     a table between this one and the new one, in which the columns get their new types

What stays is a sequence for each column whose default has made IDs that become numbers: the one that the column owns,
or a new one, TABLE_COLUMN_seq. In the schema of the move there is nothing beside its state (state.py), which has what
is left to do after the transactions: constraints to validate, and materialized views to fill. It is only there while
something of that is left.
"""
