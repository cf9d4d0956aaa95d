-- kid64: the logical clock and the generator

\set type kid64
\set prefix kid64
\set label type kid64
\set greatest 9223372036854775807
\set sequence_bits 14
\set last_to_draw 8191
\set most_sessions 8192
\set observe kid_observe
\set state id
\set generator kid_next
\set id state
\i plain/ids/clock.sql.in
\i plain/ids/generator.sql.in
