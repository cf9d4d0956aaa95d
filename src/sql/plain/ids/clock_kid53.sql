-- kid53: the logical clock and the generator

\set type bigint
\set prefix kid53
\set label kid53
\set greatest 9007199254740991
\set sequence_bits 12
\set last_to_draw 1023
\set most_sessions 3072
\set observe kid53_observe
\set state kid53_checked(id)
\set generator kid53_next
\set id state
\i plain/ids/clock.sql.in
\i plain/ids/generator.sql.in
