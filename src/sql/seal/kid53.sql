-- Seals of kid53, for both editions

\set type bigint
\set prefix kid53
\set seal kid53_seal
\set to_bytes int8send(id)
\set from_bytes ('x'::text || encode(id, 'hex'::text))::bit(64)::bigint
\set zeros 0000000000000000
\i seal/type.sql.in
