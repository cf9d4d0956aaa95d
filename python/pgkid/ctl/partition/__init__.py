"""kidctl partition: a table becomes the first partition of a new one, and its rows can move into partitions by time.

These are two moves. Each has its steps, its plan and its state; the second one needs a table that is partitioned by its
IDs, and no way back that is open. The modules, in the order in which a reader meets them:

session.py       has the actions that the user can call

both moves read what they are about

plan.py          has the plans and the states: the table, the column of its IDs, the end of the first partition
keys.py          finds the column of the primary key that contains IDs, and which IDs these are
advice.py        says what to do about a table whose key contains none
checks.py        finds what is in the way of either move

the move of a table

move.py          has its steps
swap.py          gives the new table the name, or the first partition its name again
sequences.py     gives the sequences of the columns to the table that takes the name

the move of the rows of a partition

rows.py          has its steps
shadow.py        makes the tables into which rows are copied
follow.py        makes the triggers that follow the changes of writers; its head says why no change is lost
definitions.py   finds what others have changed in the table that the copies do not follow
copies.py        copies the rows, and once more those that the triggers have noted
exchange.py      puts the new partitions in the place of the one that had the rows

and both end alike

references.py    drops the foreign keys that refer to the table, and finds how to make them again
late.py          adds foreign keys without looking at rows, and validates them later
expected.py      says what may differ in a dump

The steps of the move of a table. Each line is one transaction with the locks that it takes. After `kill -9` a line is
done or it is not: the server ends the session and rolls back. The same command, run again, reads the catalog and the
state, and goes on with the first line that is not done. `run` takes all steps up to `validate`:

prepare     writes the state, and adds the CHECK kid_until NOT VALID: locks the table for a moment, from everybody
prove       validates kid_until: blocks neither readers nor writers
swap        creates the new table, attaches the old one, makes views again, adds foreign keys NOT VALID, and notes in
            the state that the swap is done: locks the table, those at the other end of its foreign keys, and views on
            it for a moment, from everybody
            fills each materialized view: locks the view. Until then it is empty, and the state lists it
partitions  calls kid_create_partitions(): locks tables to which the table refers for a moment, from writers
validate    validates each foreign key: blocks neither readers nor writers. Before PostgreSQL 18 a table that is
            partitioned itself gets its foreign key only now, under a lock of a moment
            notes in the state that all is done (is_run)
finish      fills and validates what an interrupted `run` has left
            drops kid_until and the state: locks the first partition for a moment, from everybody
back        before the swap, drops kid_until and the state: locks the table for a moment, from everybody
            after it, gives the table its name, indexes and views again, adds foreign keys NOT VALID, and notes in the
            state that it is back: locks what the swap locks. From here on only `back` goes on
            fills and validates as above, and then drops kid_until and the state

What is called events and events_old meanwhile:

                     events                       events_old
before               the table                    -
from prepare to swap the table with kid_until     -
from swap to finish  a new partitioned table      the table with kid_until, as its first partition
after finish         the same                     the table, as the first partition

kid_until is a CHECK constraint: each ID is less than the lowest one at the time --until, with which the first partition
ends. It is validated without a lock that makes others wait, so that ATTACH need not look at rows in the swap. The index
events_pkey of the table becomes events_old_pkey, and the new table gets an index events_pkey.

The steps of the move of rows, in the same form. `move` takes all of them, and `cancel` takes back the first two:

prepare     writes the state, creates the new partitions and the triggers: locks the partition and the tables to which
            it refers for a moment, from writers
copy        copies the rows of 256 blocks, and notes the next block in the state: locks these rows, from writers. The
            triggers follow writers, also while no kidctl runs
            empties the copies if the rows of the partition were written anew: locks it for a moment, from writers
exchange    waits until no transaction has a snapshot from before the copies: blocks nobody
            copies once more what the triggers have noted: locks these rows, from writers
            puts the new partitions in the place of the old one, and notes that in the state: locks the table, and those
            at the other end of its foreign keys for a moment, from everybody
validate    validates each foreign key: blocks neither readers nor writers
            drops the state

In the state (state.py), `old_name` is the name of the partition that has the old rows: events_old or, if that name is
taken, a similar one. In a move of rows it is the partition whose rows move, which modules call the source. `late` are
the foreign keys that the swap adds without looking at rows, and that `validate` validates. The schema of a move of a
table contains nothing else. That of a move of rows of events also contains:

events               a partitioned table like events. Rows are copied into its partitions, which `exchange` attaches to
                     the real one. The constraint kid_bounds of each lets ATTACH do that without looking at rows
other_0, …           partitions of it that stay empty: where the real table has other partitions
rest                 its default partition. If a row is there, the move is refused
noted                the IDs of rows that have to be copied once more
follow()             the function of the triggers ~kidctl and ~kidctl_truncate on the partition whose rows move. It
                     makes the changes of writers in the copies, or notes them
moment               an index. Building it concurrently waits for all transactions with an older snapshot
"""
