"""kidctl leave: columns of kid's types get core types, so that kid can be dropped.

session.py       has the actions that the user can call
uses.py          finds the objects of kid, and what depends on them
columns.py       reads the columns, domains and composite types that change
links.py         joins the tables that have to change together
plan.py          has the groups of such tables, and what hangs on them
checks.py        finds what is in the way
needs.py         finds what uses kid otherwise than by its types
move.py          has the steps
change.py        changes one group of tables, in one transaction
triggers.py      drops the triggers of kid's own
indexes.py       makes indexes again, and gives all of them their details
domains.py       replaces domains over kid's types
defaults.py      replaces defaults that call kid
partitions.py    makes tables again that are partitioned by a column of kid's types
rewriter.py      puts core types in the place of kid's in definitions
expected.py      says what may differ in a dump
"""
