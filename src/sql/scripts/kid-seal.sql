-- The module kid-seal of plain SQL: sealed IDs
--
-- kid-ids.sql explains the parts that all modules have, and kid_seal.sql what each type sets.

\set about kid_seal, which seals IDs, in plain SQL, beside kid-ids and pgcrypto
\set schemas kid,kid_seal,kid_seal_internal
\set extschema kid_seal

\i plain/begin.sql.in
\i plain/schemas.sql.in
\i plain/needs.sql.in
\i plain/search_path.sql
\i plain/seal/head.sql
\i plain/uuid/base32_uuid.sql
-- The parts whose functions everybody may call come before rights.sql.
\i plain/rights.sql
\i plain/seal/table.sql
\i seal/replication.sql
\i seal/cipher.sql
\i plain/seal/path.sql
\i seal/text.sql
\i seal/keys.sql

\set type kid64
\set prefix kid64
\set seal kid_seal
\set to_bytes int8send(id)
\set from_bytes ('x'::text || encode(id, 'hex'::text))::bit(64)::bigint
\set zeros 0000000000000000
\i seal/type.sql.in
\i seal/uuid.sql.in

\i seal/kid53.sql

\i plain/seal/foot.sql
\i plain/end.sql
