"""kidctl rekey: new keys for the rows of a table, and for the rows that refer to them.

session.py       has the actions that the user can call
plan.py          reads what the move is about: the columns, and the names of what the move adds; has the state
keys.py          reads the types, operators and generators of both kinds of keys
checks.py        finds what cannot get new keys, and rows without a time that a key can have
already.py       finds rows whose keys are of the new kind already
surroundings.py  finds what somebody must know beside that, such as functions and clients
tracking.py      finds out whether consumers stop at the swap
lookalikes.py    finds columns that seem to contain a key, and have no foreign key
costs.py         estimates disk, WAL, time and locks
move.py          has the steps of a move of all rows
new_rows.py      has the steps of a move in which only new rows get new keys
follow.py        makes the triggers that give each row its other key
times.py         reads the time of each row, which its new key will have
fill.py          gives the rows that were there their new keys, block by block
twins.py         makes twins of indexes and constraints, on the new columns
full.py          has the CHECK constraints that prove that no row lacks its other key
swap.py          exchanges the columns, in both directions
not_nulls.py     gives the columns their NOT NULL in the swap
finish.py        drops the old keys, or keeps them as a column of another name
cancel.py        takes the move back before the swap
expected.py      says what may differ in a dump

The steps. Each line is one transaction with the locks that it takes, of all tables of the move. After `kill -9` a line
is done or it is not: the server ends the session and rolls back. The same command, run again, reads the catalog and
the state, and goes on with the first line that is not done. `run` takes all steps up to `validate`:

prepare     writes the state, and adds columns, functions and triggers: locks for a moment, from everybody
fill        fills the rows of 256 blocks, and notes the next block in `next_blocks`: locks these rows, from writers. It
            leaves out rows that others have locked, and comes back. The triggers fill what writers add, also while no
            kidctl runs
            VACUUM of each table, which blocks neither readers nor writers
index       prints the definitions of twins, and rolls back: locks for a moment, from everybody
            builds each index CONCURRENTLY. One that was left invalid is dropped, and built again
constrain   adds CHECKs and foreign keys NOT VALID: locks for a moment, from everybody
validate    validates each of them: blocks neither readers nor writers
            adds the foreign keys of partitioned tables, and notes in the state that all is ready: locks for a moment,
            from everybody
swap        exchanges columns, indexes and constraints, makes views again, and notes in the state that the swap is done:
            locks the tables and the views on them for a moment, from everybody
            fills each materialized view: locks the view. Until then it is empty, and the state lists it
finish      fills the materialized views that an interrupted `swap` has left empty
            drops the old columns and the state: locks for a moment, from everybody
back        adds CHECKs about old keys NOT VALID, and validates them, as `constrain` and `validate` do
            exchanges everything again, drops the new columns, and notes in the state that it is back: locks what the
            swap locks. From here on only `back` goes on
            validates and fills as above, and then drops the state
cancel      drops columns, triggers and the state: locks for a moment, from everybody

If only new rows get new keys, the steps are `prepare`, which writes the state alone, and `swap`, which sets the default
of the key. Then `finish` drops the state, and `back` sets the old default. `cancel` drops the state, and locks no
table.

The columns of a table orders, and of a table lines whose order_id refers to it. The columns that the programs of the
user see are called id and order_id all the time:

                     orders                    lines
before               id                        order_id
from prepare to swap id, kid_new_id            order_id, kid_new_order_id     kid_new_… are twins: the new keys
from swap to finish  id, kid_old_id            order_id, kid_old_order_id     kid_old_… are the keys of before
after finish         id                        order_id

So a column always has its other key beside it, which a trigger fills for rows that come or change. plan.py calls the
word in the name of the column beside, `new` or `old`, the direction. What hangs on the columns has twins of such names,
too: the index orders_pkey has kid_new_orders_pkey, which takes its name in the swap. kid_old_orders_pkey, on the old
keys, is then for the way back. Two kinds of CHECK constraints prove that no row lacks its other key, so that the swap
need not look at rows:

kid_full_id          of a table: each row has a key in the column beside id
kid_part_id          of a partition whose column is NOT NULL, while that of its parent is not: the same

The schema of the move contains, beside the table of its state (state.py):

keys                 pairs of an old and a new key: assigned by the fill, promised to rows that are still to come, or
                     remembered of rows that were deleted
known                a view: the pairs that rows of orders have
to_new(), to_old()   return the other key of a key: that of its row, or one from keys
promise_new(), …     put a pair into keys for a row that another row refers to already, and that is still to come
moved_new(), …       change a pair in keys when a row gets another key
follow_0(), …        the triggers' functions, one for each table
numbers              a sequence, for old keys after the swap if they had no default
next_blocks          the block of each table that is filled next
filling              the session that fills

`kidctl rekey plan` prints all of this for a table, with the statements of each step.
"""
