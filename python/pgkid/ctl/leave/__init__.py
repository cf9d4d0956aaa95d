"""kidctl leave: columns of kid's types get core types, so that kid can be dropped.

session.py       has the actions that the user can call
plan.py          reads the columns and domains that change, and joins the tables that have to change together
uses.py          finds the objects of kid, and what depends on them
checks.py        finds what is in the way
move.py          has the steps
change.py        changes one group of tables, in one transaction
domains.py       replaces domains over kid's types
defaults.py      replaces defaults that call kid
partitions.py    makes tables again that are partitioned by a column of kid's types
rewriter.py      puts core types in the place of kid's in definitions
expected.py      says what may differ in a dump
"""
