-- The extension kid_seal: sealed IDs
--
-- own_schema.sql.in creates the schema for keys. The types differ by what seal/type.sql.in gets from \set:
--
--     type         the type of IDs
--     prefix       what the names of its functions begin with
--     seal         the name of the function that seals
--     to_bytes     the binary form of the ID `id`, as an expression
--     from_bytes   the ID whose binary form is `id`
--     zeros        as many zeros, in hexadecimal, as make 16 bytes of the binary form

\set extension kid_seal
\set schema kid_seal_internal
\set comment keys of sealed IDs, and functions that nobody else calls
\set owner can export the keys, and drop them

\i extension/own_schema.sql.in
\i seal/table.sql
\i seal/replication.sql
\i seal/cipher.sql
\i extension/kid_path.sql
\i seal/text.sql
\i seal/keys.sql

-- A name keeps its value to the end of this file or until it is set again: these two are for all types but kid53.
\set seal kid_seal
\set to_bytes id::bytea

\set type kid64
\set prefix kid64
\set from_bytes id::kid64
\set zeros 0000000000000000
\i seal/type.sql.in

\set type kid96
\set prefix kid96
\set from_bytes id::kid96
\set zeros 00000000
\i seal/type.sql.in

\set type sno
\set prefix sno
\set from_bytes id::sno
\set zeros 000000000000
\i seal/type.sql.in

\set type flake
\set prefix flake
\set from_bytes id::flake
\set zeros 0000000000000000
\i seal/type.sql.in

\set type flax
\set prefix flax
\set from_bytes id::flax
\set zeros 00000000
\i seal/type.sql.in

\i seal/kid53.sql

-- uuid.sql.in needs no other name. It comes after seal/type.sql.in for kid64, whose functions it calls.
\set type kid64
\set prefix kid64
\i seal/uuid.sql.in

\i seal/foot.sql
