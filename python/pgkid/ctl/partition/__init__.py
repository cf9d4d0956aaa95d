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

What is called events and events_old, while a table events becomes a partition:

                     events                       events_old
before               the table                    -
from prepare to swap the table with kid_until     -
from swap to finish  a new partitioned table      the table with kid_until, as its first partition
after finish         the same                     the table, as the first partition

kid_until is a CHECK constraint: each ID is less than the lowest one at the time --until, with which the first partition
ends. It is validated without a lock that makes others wait, so that ATTACH need not look at rows in the swap. The index
events_pkey of the table becomes events_old_pkey, and the new table gets an index events_pkey.

In the state (state.py), `old_name` is the name of the partition that has the old rows: events_old or, if that name is
taken, a similar one. In a move of rows it is the partition whose rows move. `late` are the foreign keys that the swap
adds without looking at rows, and that `validate` validates. The schema of a move of a table contains nothing else. That
of a move of rows of events also contains:

events               a partitioned table like events. Rows are copied into its partitions, which `exchange` attaches to
                     the real one. The constraint kid_bounds of each lets ATTACH do that without looking at rows
other_0, …           partitions of it that stay empty: where the real table has other partitions
rest                 its default partition. If a row is there, the move is refused
noted                the keys of rows that have to be copied once more
follow()             the function of the triggers ~kidctl and ~kidctl_truncate on the partition whose rows move. It
                     makes the changes of writers in the copies, or notes them
moment               an index. Building it concurrently waits for all transactions with an older snapshot
"""
