-- from src/sql/extension/head.sql.in

\echo Use "CREATE EXTENSION kid" to load this file. \quit

-- from src/sql/extension/lock_schema.sql.in

-- Locks the name of the schema until the script ends. Otherwise the owner of the schema could give the name to another
-- schema meanwhile, and the script would take functions there for its own.
DO $$
BEGIN
    PERFORM FROM pg_catalog.pg_extension AS e
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
      WHERE e.extname OPERATOR(pg_catalog.=) 'kid'
            AND n.nspname OPERATOR(pg_catalog.=) pg_catalog.current_schema()
        FOR KEY SHARE OF n;
    IF NOT FOUND THEN
        RAISE 'the schema was renamed while extension kid was created'
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;

-- from src/sql/extension/head.sql.in

-- Fails with an older library, before the script needs anything else that the library may not have. The script does not
-- call the function: while it waits, the owner of the schema could put another function under that name.
CREATE FUNCTION kid_library() RETURNS void
    LANGUAGE C AS 'MODULE_PATHNAME', 'kid_library_1_0';
DROP FUNCTION kid_library();

-- from src/sql/extension/planner.sql

-- Planner support and statistics

CREATE FUNCTION kid_support(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_support(internal) IS
    'planner support for comparisons with time, functions that depend on a setting, and generators of sets';
CREATE FUNCTION kid_support_recheck(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_support_recheck(internal) IS 'planner support for comparisons beside bounds';

CREATE FUNCTION kid_typanalyze(internal) RETURNS boolean
    LANGUAGE C STABLE STRICT AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_typanalyze(internal) IS
    'collects statistics on a column of IDs, with ten times as many bins as default_statistics_target if the IDs are '
    'unique';

-- from src/sql/extension/span.sql

-- kid_span: the type of a range of time that an ID is compared with
--
-- It is a domain, so that kid does not change other comparisons with ranges:
--
--   An operator declared on tstzrange would be an exact match, which PostgreSQL's own anyrange operators never are.
--   With a literal or a parameter on the other side it would win the resolution, or make it ambiguous, and break
--   `during @> '[a,b)'`.
--
--   An operator declared on anyrange would bring in the casts of numbers to IDs, and break `5 <@ int4range(1, 10)`.
--
--   An operator declared on kid_span is never an exact match, because no expression has that type in the resolution.

CREATE DOMAIN kid_span AS tstzrange;
COMMENT ON DOMAIN kid_span IS
    'any tstzrange, as the operand of <@ and @> beside an ID, so that these operators do not compete with those of '
    'ranges';

-- from src/sql/extension/ambiguous.sql

-- kid_ambiguous: the type that keeps operators of IDs away from operands that are not IDs
--
-- Numbers and texts are converted to IDs implicitly, because drivers send parameters as such: see docs/why/casts.md.
-- That alone would give a meaning to expressions that are errors without kid. With one type that takes numbers,
-- expires < now() compares an ID with a time, is true of every number of seconds, and a DELETE takes every row.
--
-- So each operator of IDs has a rival, which is the same with kid_ambiguous in place of the ID, and whatever is
-- converted to an ID implicitly is converted to kid_ambiguous, too:
--
--   An ID is an exact match for the operator of its type. It is not converted to kid_ambiguous.
--
--   An operand that is not an ID fits both operators equally well, so PostgreSQL raises the error that the operator is
--   not unique. This does not depend on how many types of IDs there are.
--
-- The type has no values. All its functions raise an error.

CREATE TYPE kid_ambiguous;

CREATE FUNCTION kid_ambiguous_in(cstring) RETURNS kid_ambiguous
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_ambiguous';
COMMENT ON FUNCTION kid_ambiguous_in(cstring) IS 'I/O';
CREATE FUNCTION kid_ambiguous_out(kid_ambiguous) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_ambiguous';
COMMENT ON FUNCTION kid_ambiguous_out(kid_ambiguous) IS 'I/O';

CREATE TYPE kid_ambiguous (INPUT = kid_ambiguous_in, OUTPUT = kid_ambiguous_out, LIKE = boolean);
COMMENT ON TYPE kid_ambiguous IS
    'has no values; makes an operator ambiguous if no operand is an ID, but one would be converted to an ID';

CREATE CAST (smallint AS kid_ambiguous) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (smallint AS kid_ambiguous) IS 'for resolution only';
CREATE CAST (integer AS kid_ambiguous) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (integer AS kid_ambiguous) IS 'for resolution only';
CREATE CAST (bigint AS kid_ambiguous) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (bigint AS kid_ambiguous) IS 'for resolution only';
CREATE CAST (text AS kid_ambiguous) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (text AS kid_ambiguous) IS 'for resolution only';
CREATE CAST (varchar AS kid_ambiguous) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (varchar AS kid_ambiguous) IS 'for resolution only';

CREATE FUNCTION kid_ambiguous(kid_ambiguous, kid_ambiguous) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_ambiguous(kid_ambiguous, kid_ambiguous) IS 'implementation of operators that are never called';
CREATE FUNCTION kid_ambiguous(kid_ambiguous, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_ambiguous(kid_ambiguous, timestamptz) IS 'implementation of operators that are never called';
CREATE FUNCTION kid_ambiguous(timestamptz, kid_ambiguous) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_ambiguous(timestamptz, kid_ambiguous) IS 'implementation of operators that are never called';
CREATE FUNCTION kid_ambiguous(kid_ambiguous, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_ambiguous(kid_ambiguous, kid_span) IS 'implementation of operators that are never called';
CREATE FUNCTION kid_ambiguous(kid_span, kid_ambiguous) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_ambiguous(kid_span, kid_ambiguous) IS 'implementation of operators that are never called';
CREATE FUNCTION kid_ambiguous_mi(kid_ambiguous, kid_ambiguous) RETURNS interval
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_ambiguous';
COMMENT ON FUNCTION kid_ambiguous_mi(kid_ambiguous, kid_ambiguous) IS
    'implementation of operators that are never called';

CREATE OPERATOR < (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR < (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR <= (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR <= (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR = (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR = (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR <> (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR <> (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR >= (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR >= (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR > (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR > (kid_ambiguous, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR < (LEFTARG = kid_ambiguous, RIGHTARG = timestamptz, FUNCTION = kid_ambiguous);
CREATE OPERATOR < (LEFTARG = timestamptz, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR < (kid_ambiguous, timestamptz) IS 'for resolution only';
COMMENT ON OPERATOR < (timestamptz, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR <= (LEFTARG = kid_ambiguous, RIGHTARG = timestamptz, FUNCTION = kid_ambiguous);
CREATE OPERATOR <= (LEFTARG = timestamptz, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR <= (kid_ambiguous, timestamptz) IS 'for resolution only';
COMMENT ON OPERATOR <= (timestamptz, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR >= (LEFTARG = kid_ambiguous, RIGHTARG = timestamptz, FUNCTION = kid_ambiguous);
CREATE OPERATOR >= (LEFTARG = timestamptz, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR >= (kid_ambiguous, timestamptz) IS 'for resolution only';
COMMENT ON OPERATOR >= (timestamptz, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR > (LEFTARG = kid_ambiguous, RIGHTARG = timestamptz, FUNCTION = kid_ambiguous);
CREATE OPERATOR > (LEFTARG = timestamptz, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR > (kid_ambiguous, timestamptz) IS 'for resolution only';
COMMENT ON OPERATOR > (timestamptz, kid_ambiguous) IS 'for resolution only';

CREATE OPERATOR - (LEFTARG = kid_ambiguous, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous_mi);
CREATE OPERATOR <@ (LEFTARG = kid_ambiguous, RIGHTARG = kid_span, FUNCTION = kid_ambiguous);
CREATE OPERATOR @> (LEFTARG = kid_span, RIGHTARG = kid_ambiguous, FUNCTION = kid_ambiguous);
COMMENT ON OPERATOR - (kid_ambiguous, kid_ambiguous) IS 'for resolution only';
COMMENT ON OPERATOR <@ (kid_ambiguous, kid_span) IS 'for resolution only';
COMMENT ON OPERATOR @> (kid_span, kid_ambiguous) IS 'for resolution only';

-- from src/sql/extension/index_support.sql

-- Support of GiST, BRIN, min and max: it depends on no more than the size of the IDs

CREATE FUNCTION kid_gist_consistent(internal, "any", smallint, oid, internal) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_gist_consistent(internal, "any", smallint, oid, internal) IS 'GiST support';
CREATE FUNCTION kid_gist_union(internal, internal) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_gist_union(internal, internal) IS 'GiST support';
CREATE FUNCTION kid_gist_penalty(internal, internal, internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_gist_penalty(internal, internal, internal) IS 'GiST support';
CREATE FUNCTION kid_gist_picksplit(internal, internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_gist_picksplit(internal, internal) IS 'GiST support';
CREATE FUNCTION kid_gist_same(bytea, bytea, internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_gist_same(bytea, bytea, internal) IS 'GiST support';
CREATE FUNCTION kid_gist_fetch(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_gist_fetch(internal) IS 'GiST support';
CREATE FUNCTION kid_gist_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_gist_sortsupport(internal) IS 'GiST support';

CREATE FUNCTION kid_brin_minmax_add_value(internal, internal, internal, internal) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_brin_minmax_add_value(internal, internal, internal, internal) IS 'BRIN support';
CREATE FUNCTION kid_brin_minmax_consistent(internal, internal, internal) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_brin_minmax_consistent(internal, internal, internal) IS 'BRIN support';
CREATE FUNCTION kid_brin_minmax_union(internal, internal, internal) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_brin_minmax_union(internal, internal, internal) IS 'BRIN support';
CREATE FUNCTION kid_brin_minmax_multi_add_value(internal, internal, internal, internal) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_brin_minmax_multi_add_value(internal, internal, internal, internal) IS 'BRIN support';
CREATE FUNCTION kid_brin_minmax_multi_consistent(internal, internal, internal, integer) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_brin_minmax_multi_consistent(internal, internal, internal, integer) IS 'BRIN support';
CREATE FUNCTION kid_brin_minmax_multi_union(internal, internal, internal) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_brin_minmax_multi_union(internal, internal, internal) IS 'BRIN support';

-- from src/sql/extension/index_support_of_size.sql.in

-- Support of GiST and BRIN for IDs of 8 bytes

CREATE FUNCTION kid_gist_compress_8(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_gist_compress_8(internal) IS 'GiST support';
CREATE FUNCTION kid_brin_distance_8(internal, internal) RETURNS double precision
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_brin_distance_8(internal, internal) IS 'BRIN multi minmax distance';

-- from src/sql/extension/index_support_of_size.sql.in

-- Support of GiST and BRIN for IDs of 10 bytes

CREATE FUNCTION kid_gist_compress_10(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_gist_compress_10(internal) IS 'GiST support';
CREATE FUNCTION kid_brin_distance_10(internal, internal) RETURNS double precision
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_brin_distance_10(internal, internal) IS 'BRIN multi minmax distance';

-- from src/sql/extension/index_support_of_size.sql.in

-- Support of GiST and BRIN for IDs of 12 bytes

CREATE FUNCTION kid_gist_compress_12(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_gist_compress_12(internal) IS 'GiST support';
CREATE FUNCTION kid_brin_distance_12(internal, internal) RETURNS double precision
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_brin_distance_12(internal, internal) IS 'BRIN multi minmax distance';

-- from src/sql/extension/index_support.sql

CREATE FUNCTION kid_smaller(anyelement, anyelement) RETURNS anyelement
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_smaller(anyelement, anyelement) IS 'smaller of two IDs';
CREATE FUNCTION kid_larger(anyelement, anyelement) RETURNS anyelement
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_larger(anyelement, anyelement) IS 'larger of two IDs';

-- from src/sql/extension/traits/io.sql.in

-- kid64: input, output and conversions (src/pg/traits/io.hpp)

CREATE TYPE kid64;

CREATE FUNCTION kid64_in(cstring) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_in(cstring) IS 'I/O';
CREATE FUNCTION kid64_out(kid64) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_out(kid64) IS 'I/O';
CREATE FUNCTION kid64_recv(internal) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_recv(internal) IS 'I/O';
CREATE FUNCTION kid64_send(kid64) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_send(kid64) IS 'binary form of an ID, most significant byte first';

CREATE TYPE kid64 (
    INPUT = kid64_in, OUTPUT = kid64_out, RECEIVE = kid64_recv, SEND = kid64_send, ANALYZE = kid_typanalyze,
    LIKE = bigint);

-- Some drivers send parameters as text or varchar, so these casts are implicit. They are also cast in ambiguous.sql,
-- which keeps them out of expressions without an ID. No type has an implicit cast the other way: comparisons would
-- convert the column, and not use its index. docs/why/casts.md says which drivers, and what was tried.
CREATE CAST (text AS kid64) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (text AS kid64) IS 'parses the text form';
CREATE CAST (varchar AS kid64) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (varchar AS kid64) IS 'parses the text form';

CREATE FUNCTION kid64_from_bytea(bytea) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_from_bytea(bytea) IS 'returns the kid64 with the given binary form';

CREATE CAST (kid64 AS bytea) WITH FUNCTION kid64_send(kid64);
COMMENT ON CAST (kid64 AS bytea) IS 'the binary form, most significant byte first';
CREATE CAST (bytea AS kid64) WITH FUNCTION kid64_from_bytea(bytea);
COMMENT ON CAST (bytea AS kid64) IS 'reads the binary form';

-- from src/sql/extension/types/kid64.sql

COMMENT ON TYPE kid64 IS
    'k-ordered ID in 8 bytes, with the time from 1970 to 35198 in units of 1.024 ms: the local ID of the Erlang '
    'library uid';

-- from src/sql/extension/traits/base32.sql.in

-- kid64: a text form for other systems and for people, with a prefix (src/pg/traits/base32.hpp)

CREATE FUNCTION kid_encode(id kid64, prefix text DEFAULT '') RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_encode';
COMMENT ON FUNCTION kid_encode(id kid64, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE FUNCTION kid64_decode(encoded text, prefix text DEFAULT '') RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';

-- from src/sql/extension/traits/order.sql.in

-- kid64: order, hashing and index access methods (src/pg/traits/order.hpp)
--
-- CREATE OPERATOR CLASS makes an operator family of the same name.

CREATE FUNCTION kid64_lt(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_lt(kid64, kid64) IS 'implementation of < operator';
CREATE OPERATOR < (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (kid64, kid64) IS 'less than';

CREATE FUNCTION kid64_le(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_le(kid64, kid64) IS 'implementation of <= operator';
CREATE OPERATOR <= (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (kid64, kid64) IS 'less than or equal';

CREATE FUNCTION kid64_eq(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_eq(kid64, kid64) IS 'implementation of = operator';
CREATE OPERATOR = (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
COMMENT ON OPERATOR = (kid64, kid64) IS 'equal';

CREATE FUNCTION kid64_ne(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_ne(kid64, kid64) IS 'implementation of <> operator';
CREATE OPERATOR <> (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR <> (kid64, kid64) IS 'not equal';

CREATE FUNCTION kid64_ge(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_ge(kid64, kid64) IS 'implementation of >= operator';
CREATE OPERATOR >= (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (kid64, kid64) IS 'greater than or equal';

CREATE FUNCTION kid64_gt(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_gt(kid64, kid64) IS 'implementation of > operator';
CREATE OPERATOR > (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (kid64, kid64) IS 'greater than';

CREATE FUNCTION kid64_cmp(kid64, kid64) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_cmp(kid64, kid64) IS 'less-equal-greater';
CREATE FUNCTION kid64_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_sortsupport(internal) IS 'sort support';
CREATE FUNCTION kid64_hash(kid64) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_hash(kid64) IS 'hash';
CREATE FUNCTION kid64_hash_extended(kid64, bigint) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_hash_extended(kid64, bigint) IS 'hash';

CREATE OPERATOR CLASS kid64_ops DEFAULT FOR TYPE kid64 USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 kid64_cmp(kid64, kid64),
    FUNCTION 2 kid64_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY kid64_ops USING btree IS 'order of kid64';
COMMENT ON OPERATOR CLASS kid64_ops USING btree IS 'order of kid64';

CREATE OPERATOR CLASS kid64_ops DEFAULT FOR TYPE kid64 USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 kid64_hash(kid64),
    FUNCTION 2 kid64_hash_extended(kid64, bigint);
COMMENT ON OPERATOR FAMILY kid64_ops USING hash IS 'equality of kid64';
COMMENT ON OPERATOR CLASS kid64_ops USING hash IS 'equality of kid64';

CREATE OPERATOR CLASS kid64_minmax_ops DEFAULT FOR TYPE kid64 USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 kid_brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 kid_brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 kid_brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR FAMILY kid64_minmax_ops USING brin IS 'the range of kid64 in a block range';
COMMENT ON OPERATOR CLASS kid64_minmax_ops USING brin IS 'the range of kid64 in a block range';

CREATE OPERATOR CLASS kid64_minmax_multi_ops FOR TYPE kid64 USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 kid_brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 kid_brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 kid_brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 kid_brin_distance_8(internal, internal);
COMMENT ON OPERATOR FAMILY kid64_minmax_multi_ops USING brin IS 'a few ranges of kid64 in a block range';
COMMENT ON OPERATOR CLASS kid64_minmax_multi_ops USING brin IS 'a few ranges of kid64 in a block range';

CREATE AGGREGATE min(kid64) (
    SFUNC = kid_smaller, STYPE = kid64, COMBINEFUNC = kid_smaller, SORTOP = <, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(kid64) IS 'minimum value of all kid64 input values';
CREATE AGGREGATE max(kid64) (
    SFUNC = kid_larger, STYPE = kid64, COMBINEFUNC = kid_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE max(kid64) IS 'maximum value of all kid64 input values';

-- from src/sql/extension/traits/gist.sql.in

-- kid64: GiST, for exclusion constraints and temporal keys (src/pg/index/gist.cpp)
--
-- The strategy numbers are those of stratnum.h, as gist_translate_cmptype_common() of PostgreSQL 18 expects them.

CREATE OPERATOR CLASS kid64_ops DEFAULT FOR TYPE kid64 USING gist AS
    OPERATOR 18 =, OPERATOR 20 <, OPERATOR 21 <=, OPERATOR 22 >, OPERATOR 23 >=,
    FUNCTION 1 kid_gist_consistent(internal, "any", smallint, oid, internal),
    FUNCTION 2 kid_gist_union(internal, internal),
    FUNCTION 3 kid_gist_compress_8(internal),
    FUNCTION 5 kid_gist_penalty(internal, internal, internal),
    FUNCTION 6 kid_gist_picksplit(internal, internal),
    FUNCTION 7 kid_gist_same(bytea, bytea, internal),
    FUNCTION 9 kid_gist_fetch(internal),
    FUNCTION 11 kid_gist_sortsupport(internal),
    STORAGE bytea;
COMMENT ON OPERATOR FAMILY kid64_ops USING gist IS 'order of kid64';
COMMENT ON OPERATOR CLASS kid64_ops USING gist IS 'order of kid64';

DO $$
BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN
        ALTER OPERATOR FAMILY kid64_ops USING gist ADD FUNCTION 12 ("any", "any") gist_translate_cmptype_common(int);
    END IF;
END $$;

-- from src/sql/extension/traits/time.sql.in

-- kid64: the time in an ID, and the IDs of a time (src/pg/traits/time.hpp)
--
-- This is for types whose time depends on no setting; time_with_setting.sql.in is for the others.

CREATE FUNCTION kid_timestamp(kid64) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'kid64_timestamp';
COMMENT ON FUNCTION kid_timestamp(kid64) IS 'returns the beginning of the time unit of an ID';
CREATE FUNCTION kid64_timestamp(kid64) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_timestamp(kid64) IS 'same as kid_timestamp(), under a name that is not overloaded';

CREATE FUNCTION kid64_floor(timestamptz) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_floor(timestamptz) IS
    'returns the lowest kid64 of the time unit that contains an instant';
CREATE FUNCTION kid64_ceil(timestamptz) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_ceil(timestamptz) IS
    'returns the highest kid64 of the time unit that contains an instant';

CREATE FUNCTION kid64_mi(kid64, kid64) RETURNS interval
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_timestamp($1) - kid_timestamp($2);
COMMENT ON FUNCTION kid64_mi(kid64, kid64) IS 'implementation of - operator';

CREATE FUNCTION kid_within(kid64, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid64_within';
COMMENT ON FUNCTION kid_within(kid64, kid_span) IS 'tells whether an ID is in a range of time';
CREATE FUNCTION kid64_range_contains(kid_span, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_range_contains(kid_span, kid64) IS 'implementation of @> operator';

-- from src/sql/extension/traits/time_comparison.sql.in

-- kid64: functions that compare IDs with time (src/pg/traits/time.hpp)
--
-- IDs are compared in time units: an ID is as late as any instant of its unit. So two adjacent ranges neither share an
-- ID nor miss one. Planner support turns these comparisons into comparisons of IDs.
--
-- This is for types whose time depends on no setting; time_comparison_with_setting.sql.in is for the others. For both,
-- time_operators.sql.in has the operators.

CREATE FUNCTION kid64_edge(which text, operator text, ts timestamptz) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_edge(which text, operator text, ts timestamptz) IS
    'planner support: returns the lowest or the highest kid64 that is <, <=, >= or > an instant';
CREATE FUNCTION kid64_edge(which text, range tstzrange) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_edge_of_range';
COMMENT ON FUNCTION kid64_edge(which text, range tstzrange) IS
    'planner support: returns the lowest or the highest kid64 in a range of time';

CREATE FUNCTION kid64_lt_time(kid64, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_lt_time(kid64, timestamptz) IS 'implementation of < operator';
CREATE FUNCTION kid64_time_lt(timestamptz, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_time_lt(timestamptz, kid64) IS 'implementation of < operator';
CREATE FUNCTION kid64_le_time(kid64, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_le_time(kid64, timestamptz) IS 'implementation of <= operator';
CREATE FUNCTION kid64_time_le(timestamptz, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_time_le(timestamptz, kid64) IS 'implementation of <= operator';
CREATE FUNCTION kid64_ge_time(kid64, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_ge_time(kid64, timestamptz) IS 'implementation of >= operator';
CREATE FUNCTION kid64_time_ge(timestamptz, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_time_ge(timestamptz, kid64) IS 'implementation of >= operator';
CREATE FUNCTION kid64_gt_time(kid64, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_gt_time(kid64, timestamptz) IS 'implementation of > operator';
CREATE FUNCTION kid64_time_gt(timestamptz, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_time_gt(timestamptz, kid64) IS 'implementation of > operator';

-- from src/sql/extension/traits/time_operators.sql.in

-- kid64: operators that compare IDs with time, in time units

CREATE OPERATOR < (
    LEFTARG = kid64, RIGHTARG = timestamptz, FUNCTION = kid64_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = kid64, FUNCTION = kid64_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (kid64, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR < (timestamptz, kid64) IS 'earlier than, in time units';

CREATE OPERATOR <= (
    LEFTARG = kid64, RIGHTARG = timestamptz, FUNCTION = kid64_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = kid64, FUNCTION = kid64_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (kid64, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR <= (timestamptz, kid64) IS 'not later than, in time units';

CREATE OPERATOR >= (
    LEFTARG = kid64, RIGHTARG = timestamptz, FUNCTION = kid64_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = kid64, FUNCTION = kid64_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (kid64, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR >= (timestamptz, kid64) IS 'not earlier than, in time units';

CREATE OPERATOR > (
    LEFTARG = kid64, RIGHTARG = timestamptz, FUNCTION = kid64_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = kid64, FUNCTION = kid64_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (kid64, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR > (timestamptz, kid64) IS 'later than, in time units';

-- from src/sql/extension/traits/time_casts.sql.in

-- kid64: casts from and to time, the time between two IDs, and operators for ranges of time

CREATE CAST (timestamptz AS kid64) WITH FUNCTION kid64_floor(timestamptz);
COMMENT ON CAST (timestamptz AS kid64) IS 'same as kid64_floor()';
CREATE CAST (kid64 AS timestamptz) WITH FUNCTION kid_timestamp(kid64);
COMMENT ON CAST (kid64 AS timestamptz) IS 'same as kid_timestamp()';

-- There is no date_trunc() of an ID, and no operator for now() - id: functions and operators of these names would also
-- be candidates in queries without IDs.
CREATE OPERATOR - (LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_mi);
COMMENT ON OPERATOR - (kid64, kid64) IS 'time from the second ID to the first';

CREATE OPERATOR <@ (
    LEFTARG = kid64, RIGHTARG = kid_span, FUNCTION = kid_within,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (
    LEFTARG = kid_span, RIGHTARG = kid64, FUNCTION = kid64_range_contains,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);
COMMENT ON OPERATOR <@ (kid64, kid_span) IS 'is in the range of time';
COMMENT ON OPERATOR @> (kid_span, kid64) IS 'range of time contains';

-- from src/sql/within.sql.in

-- kid64: a range of time for both editions
--
-- In plain SQL no operator compares an ID with a time: one for kid64, a domain over bigint, would compare every
-- integer. If this function were STRICT, PostgreSQL would not inline it, and a condition would not become a range of
-- the key.
--
-- An instant that is NULL is unknown, as in the comparisons of which this function consists. For columns of type
-- bigint, kid53_within() and kid64_within() take it for no limit instead, because tools leave a filter that is not set
-- NULL.

CREATE FUNCTION kid_within(id kid64, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN id >= kid64_floor(since) AND id < kid64_floor(until);
COMMENT ON FUNCTION kid_within(id kid64, since timestamptz, until timestamptz) IS
    'returns true if the time of an ID is at or after "since" and before "until"; '
    'infinity means no limit, NULL an unknown time';

-- from src/sql/extension/traits/bigint.sql.in

-- kid64: the same 64 bits as a bigint
--
-- The casts only reinterpret, so a bigint column takes IDs as they are and ALTER TABLE ... TYPE kid64 rewrites no row.
-- A kid64 has no sign. A negative bigint is the ID with the same bits, whose highest bit is set.
--
-- Casts from numbers are implicit, because some drivers send parameters as numbers: see docs/why/casts.md. What is cast
-- here is also cast in ambiguous.sql, which keeps it out of expressions without an ID.

CREATE CAST (bigint AS kid64) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (bigint AS kid64) IS 'the same 64 bits';
CREATE CAST (kid64 AS bigint) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (kid64 AS bigint) IS 'the same 64 bits';

-- A cast from integer with PostgreSQL's int8(integer) would depend on the cast from bigint. pg_upgrade does not know
-- that, and may create the casts in the wrong order. Some drivers send a small number as smallint.
CREATE FUNCTION kid64_from_integer(integer) RETURNS kid64
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int48';
COMMENT ON FUNCTION kid64_from_integer(integer) IS 'implementation of a cast';
CREATE FUNCTION kid64_from_smallint(smallint) RETURNS kid64
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int28';
COMMENT ON FUNCTION kid64_from_smallint(smallint) IS 'implementation of a cast';
CREATE CAST (integer AS kid64) WITH FUNCTION kid64_from_integer(integer) AS IMPLICIT;
COMMENT ON CAST (integer AS kid64) IS 'the same number, as a bigint';
CREATE CAST (smallint AS kid64) WITH FUNCTION kid64_from_smallint(smallint) AS IMPLICIT;
COMMENT ON CAST (smallint AS kid64) IS 'the same number, as a bigint';

-- from src/sql/extension/traits/observe.sql.in

-- kid64: moves the logical clock past an ID from elsewhere (src/pg/traits/clock.hpp)

CREATE FUNCTION kid_observe(kid64) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_observe';
COMMENT ON FUNCTION kid_observe(kid64) IS 'moves the logical clock past an ID from elsewhere';
REVOKE ALL ON FUNCTION kid_observe(kid64) FROM PUBLIC;

-- from src/sql/extension/types/kid64.sql

-- kid64: generators, and what else only this type has

CREATE FUNCTION kid_next() RETURNS kid64
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kid64_next';
COMMENT ON FUNCTION kid_next() IS 'makes a kid64 greater than all that the cluster issued before';
CREATE FUNCTION kid_next(n bigint) RETURNS SETOF kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid64_next_many';
COMMENT ON FUNCTION kid_next(n bigint) IS 'makes n kid64, each greater than the one before it';
CREATE FUNCTION kid64_next() RETURNS kid64
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_next() IS 'same as kid_next()';
CREATE FUNCTION kid64_next(n bigint) RETURNS SETOF kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid64_next_many';
COMMENT ON FUNCTION kid64_next(n bigint) IS 'same as kid_next(n)';
CREATE FUNCTION kid64_at(ts timestamptz) RETURNS kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_at(ts timestamptz) IS 'makes a kid64 for a given time in the past';
CREATE FUNCTION kid64_make(ts timestamptz, sequence integer) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_make(ts timestamptz, sequence integer) IS
    'assembles a kid64 from an instant and a sequence, 0 to 16383';

CREATE FUNCTION kid_sequence(kid64) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_sequence';
COMMENT ON FUNCTION kid_sequence(kid64) IS 'returns the sequence of an ID within its time unit, 0 to 16383';
CREATE FUNCTION kid_inspect(id kid64, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 50, kid_timestamp(id)::text), ('sequence', 14, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(id kid64) IS 'lists the components of an ID, most significant first';

CREATE FUNCTION kid_horizon() RETURNS kid64
    LANGUAGE C STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kid64_horizon';
COMMENT ON FUNCTION kid_horizon() IS
    'returns the horizon: no more rows with smaller IDs will appear, so consumers can read up to it';

-- The edition in plain SQL has these, too. There a kid64 is a bigint.
CREATE FUNCTION kid64_to_text(id kid64) RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN id::text;
COMMENT ON FUNCTION kid64_to_text(id kid64) IS 'returns an ID as text, as the cast does';
CREATE FUNCTION kid64_from_text(encoded text) RETURNS kid64
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN encoded::kid64;
COMMENT ON FUNCTION kid64_from_text(encoded text) IS 'reads an ID from text, as the cast does';

-- from src/sql/extension/traits/io.sql.in

-- kid96: input, output and conversions (src/pg/traits/io.hpp)

CREATE TYPE kid96;

CREATE FUNCTION kid96_in(cstring) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_in(cstring) IS 'I/O';
CREATE FUNCTION kid96_out(kid96) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_out(kid96) IS 'I/O';
CREATE FUNCTION kid96_recv(internal) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_recv(internal) IS 'I/O';
CREATE FUNCTION kid96_send(kid96) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_send(kid96) IS 'binary form of an ID, most significant byte first';

CREATE TYPE kid96 (
    INPUT = kid96_in, OUTPUT = kid96_out, RECEIVE = kid96_recv, SEND = kid96_send, ANALYZE = kid_typanalyze,
    INTERNALLENGTH = 12, ALIGNMENT = char);

-- Some drivers send parameters as text or varchar, so these casts are implicit. They are also cast in ambiguous.sql,
-- which keeps them out of expressions without an ID. No type has an implicit cast the other way: comparisons would
-- convert the column, and not use its index. docs/why/casts.md says which drivers, and what was tried.
CREATE CAST (text AS kid96) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (text AS kid96) IS 'parses the text form';
CREATE CAST (varchar AS kid96) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (varchar AS kid96) IS 'parses the text form';

CREATE FUNCTION kid96_from_bytea(bytea) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_from_bytea(bytea) IS 'returns the kid96 with the given binary form';

CREATE CAST (kid96 AS bytea) WITH FUNCTION kid96_send(kid96);
COMMENT ON CAST (kid96 AS bytea) IS 'the binary form, most significant byte first';
CREATE CAST (bytea AS kid96) WITH FUNCTION kid96_from_bytea(bytea);
COMMENT ON CAST (bytea AS kid96) IS 'reads the binary form';

-- from src/sql/extension/types/kid96.sql

COMMENT ON TYPE kid96 IS
    'k-ordered ID in 12 bytes, a kid64 with a node of 32 bits: the global ID of the Erlang library uid';

-- from src/sql/extension/traits/base32.sql.in

-- kid96: a text form for other systems and for people, with a prefix (src/pg/traits/base32.hpp)

CREATE FUNCTION kid_encode(id kid96, prefix text DEFAULT '') RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_encode';
COMMENT ON FUNCTION kid_encode(id kid96, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE FUNCTION kid96_decode(encoded text, prefix text DEFAULT '') RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';

-- from src/sql/extension/traits/order.sql.in

-- kid96: order, hashing and index access methods (src/pg/traits/order.hpp)
--
-- CREATE OPERATOR CLASS makes an operator family of the same name.

CREATE FUNCTION kid96_lt(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_lt(kid96, kid96) IS 'implementation of < operator';
CREATE OPERATOR < (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (kid96, kid96) IS 'less than';

CREATE FUNCTION kid96_le(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_le(kid96, kid96) IS 'implementation of <= operator';
CREATE OPERATOR <= (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (kid96, kid96) IS 'less than or equal';

CREATE FUNCTION kid96_eq(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_eq(kid96, kid96) IS 'implementation of = operator';
CREATE OPERATOR = (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
COMMENT ON OPERATOR = (kid96, kid96) IS 'equal';

CREATE FUNCTION kid96_ne(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_ne(kid96, kid96) IS 'implementation of <> operator';
CREATE OPERATOR <> (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR <> (kid96, kid96) IS 'not equal';

CREATE FUNCTION kid96_ge(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_ge(kid96, kid96) IS 'implementation of >= operator';
CREATE OPERATOR >= (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (kid96, kid96) IS 'greater than or equal';

CREATE FUNCTION kid96_gt(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_gt(kid96, kid96) IS 'implementation of > operator';
CREATE OPERATOR > (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (kid96, kid96) IS 'greater than';

CREATE FUNCTION kid96_cmp(kid96, kid96) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_cmp(kid96, kid96) IS 'less-equal-greater';
CREATE FUNCTION kid96_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_sortsupport(internal) IS 'sort support';
CREATE FUNCTION kid96_hash(kid96) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_hash(kid96) IS 'hash';
CREATE FUNCTION kid96_hash_extended(kid96, bigint) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_hash_extended(kid96, bigint) IS 'hash';

CREATE OPERATOR CLASS kid96_ops DEFAULT FOR TYPE kid96 USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 kid96_cmp(kid96, kid96),
    FUNCTION 2 kid96_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY kid96_ops USING btree IS 'order of kid96';
COMMENT ON OPERATOR CLASS kid96_ops USING btree IS 'order of kid96';

CREATE OPERATOR CLASS kid96_ops DEFAULT FOR TYPE kid96 USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 kid96_hash(kid96),
    FUNCTION 2 kid96_hash_extended(kid96, bigint);
COMMENT ON OPERATOR FAMILY kid96_ops USING hash IS 'equality of kid96';
COMMENT ON OPERATOR CLASS kid96_ops USING hash IS 'equality of kid96';

CREATE OPERATOR CLASS kid96_minmax_ops DEFAULT FOR TYPE kid96 USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 kid_brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 kid_brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 kid_brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR FAMILY kid96_minmax_ops USING brin IS 'the range of kid96 in a block range';
COMMENT ON OPERATOR CLASS kid96_minmax_ops USING brin IS 'the range of kid96 in a block range';

CREATE OPERATOR CLASS kid96_minmax_multi_ops FOR TYPE kid96 USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 kid_brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 kid_brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 kid_brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 kid_brin_distance_12(internal, internal);
COMMENT ON OPERATOR FAMILY kid96_minmax_multi_ops USING brin IS 'a few ranges of kid96 in a block range';
COMMENT ON OPERATOR CLASS kid96_minmax_multi_ops USING brin IS 'a few ranges of kid96 in a block range';

CREATE AGGREGATE min(kid96) (
    SFUNC = kid_smaller, STYPE = kid96, COMBINEFUNC = kid_smaller, SORTOP = <, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(kid96) IS 'minimum value of all kid96 input values';
CREATE AGGREGATE max(kid96) (
    SFUNC = kid_larger, STYPE = kid96, COMBINEFUNC = kid_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE max(kid96) IS 'maximum value of all kid96 input values';

-- from src/sql/extension/traits/gist.sql.in

-- kid96: GiST, for exclusion constraints and temporal keys (src/pg/index/gist.cpp)
--
-- The strategy numbers are those of stratnum.h, as gist_translate_cmptype_common() of PostgreSQL 18 expects them.

CREATE OPERATOR CLASS kid96_ops DEFAULT FOR TYPE kid96 USING gist AS
    OPERATOR 18 =, OPERATOR 20 <, OPERATOR 21 <=, OPERATOR 22 >, OPERATOR 23 >=,
    FUNCTION 1 kid_gist_consistent(internal, "any", smallint, oid, internal),
    FUNCTION 2 kid_gist_union(internal, internal),
    FUNCTION 3 kid_gist_compress_12(internal),
    FUNCTION 5 kid_gist_penalty(internal, internal, internal),
    FUNCTION 6 kid_gist_picksplit(internal, internal),
    FUNCTION 7 kid_gist_same(bytea, bytea, internal),
    FUNCTION 9 kid_gist_fetch(internal),
    FUNCTION 11 kid_gist_sortsupport(internal),
    STORAGE bytea;
COMMENT ON OPERATOR FAMILY kid96_ops USING gist IS 'order of kid96';
COMMENT ON OPERATOR CLASS kid96_ops USING gist IS 'order of kid96';

DO $$
BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN
        ALTER OPERATOR FAMILY kid96_ops USING gist ADD FUNCTION 12 ("any", "any") gist_translate_cmptype_common(int);
    END IF;
END $$;

-- from src/sql/extension/types/kid96.sql

CREATE FUNCTION kid96_floor(timestamptz) RETURNS kid96
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_floor(timestamptz) IS
    'returns the lowest kid96 of the 2^kid.neighborhood seconds that contain an instant';
CREATE FUNCTION kid96_ceil(timestamptz) RETURNS kid96
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_ceil(timestamptz) IS
    'returns the highest kid96 of the 2^kid.neighborhood seconds that contain an instant';

-- from src/sql/extension/traits/time_with_setting.sql.in

-- kid96: the time in an ID, and the IDs of a time, which depend on a setting (src/pg/traits/time.hpp)
--
-- Each function is there twice: STABLE, with the value of the setting that is in force, and IMMUTABLE, with that value
-- as the last argument. In a query, planner support adds the argument to calls and comparisons without it. The file of
-- the type has kid_timestamp() with that argument, and kid96_floor() and kid96_ceil() without it.

CREATE FUNCTION kid_timestamp(kid96) RETURNS timestamptz
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid96_timestamp';
COMMENT ON FUNCTION kid_timestamp(kid96) IS 'returns the beginning of the time unit of an ID';
CREATE FUNCTION kid96_timestamp(kid96) RETURNS timestamptz
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_timestamp(kid96) IS 'same as kid_timestamp(), under a name that is not overloaded';

CREATE FUNCTION kid96_floor(ts timestamptz, neighborhood integer) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_floor(ts timestamptz, neighborhood integer) IS
    'same as kid96_floor(ts), with the setting as an argument';
CREATE FUNCTION kid96_ceil(ts timestamptz, neighborhood integer) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_ceil(ts timestamptz, neighborhood integer) IS
    'same as kid96_ceil(ts), with the setting as an argument';

CREATE FUNCTION kid96_mi(kid96, kid96) RETURNS interval
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE RETURN kid_timestamp($1) - kid_timestamp($2);
COMMENT ON FUNCTION kid96_mi(kid96, kid96) IS 'implementation of - operator';

CREATE FUNCTION kid_within(kid96, kid_span) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid96_within';
COMMENT ON FUNCTION kid_within(kid96, kid_span) IS 'tells whether an ID is in a range of time';
CREATE FUNCTION kid_within(id kid96, range tstzrange, neighborhood integer) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid96_within';
COMMENT ON FUNCTION kid_within(id kid96, range tstzrange, neighborhood integer) IS
    'same as id <@ range, with the setting as an argument';
CREATE FUNCTION kid96_range_contains(kid_span, kid96) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_range_contains(kid_span, kid96) IS 'implementation of @> operator';

-- from src/sql/extension/types/kid96.sql

CREATE FUNCTION kid_timestamp(id kid96, neighborhood integer) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_timestamp';
COMMENT ON FUNCTION kid_timestamp(id kid96, neighborhood integer) IS
    'returns the beginning of the time unit of an ID that was made with the given neighborhood, 0 to 10';

-- from src/sql/extension/traits/time_comparison_with_setting.sql.in

-- kid96: functions that compare IDs with time, which depends on a setting: as in time_comparison.sql.in

CREATE FUNCTION kid96_edge(which text, operator text, ts timestamptz, neighborhood integer) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_edge(which text, operator text, ts timestamptz, neighborhood integer) IS
    'planner support: returns the lowest or the highest kid96 that is <, <=, >= or > an instant';
CREATE FUNCTION kid96_edge(which text, range tstzrange, neighborhood integer) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_edge_of_range';
COMMENT ON FUNCTION kid96_edge(which text, range tstzrange, neighborhood integer) IS
    'planner support: returns the lowest or the highest kid96 in a range of time';
CREATE FUNCTION kid96_compare(operator text, id kid96, ts timestamptz, neighborhood integer) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_compare(operator text, id kid96, ts timestamptz, neighborhood integer) IS
    'planner support: tells whether an ID is <, <=, >= or > an instant';

CREATE FUNCTION kid96_lt_time(kid96, timestamptz) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_lt_time(kid96, timestamptz) IS 'implementation of < operator';
CREATE FUNCTION kid96_time_lt(timestamptz, kid96) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_time_lt(timestamptz, kid96) IS 'implementation of < operator';
CREATE FUNCTION kid96_le_time(kid96, timestamptz) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_le_time(kid96, timestamptz) IS 'implementation of <= operator';
CREATE FUNCTION kid96_time_le(timestamptz, kid96) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_time_le(timestamptz, kid96) IS 'implementation of <= operator';
CREATE FUNCTION kid96_ge_time(kid96, timestamptz) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_ge_time(kid96, timestamptz) IS 'implementation of >= operator';
CREATE FUNCTION kid96_time_ge(timestamptz, kid96) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_time_ge(timestamptz, kid96) IS 'implementation of >= operator';
CREATE FUNCTION kid96_gt_time(kid96, timestamptz) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_gt_time(kid96, timestamptz) IS 'implementation of > operator';
CREATE FUNCTION kid96_time_gt(timestamptz, kid96) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_time_gt(timestamptz, kid96) IS 'implementation of > operator';

-- from src/sql/extension/traits/time_operators.sql.in

-- kid96: operators that compare IDs with time, in time units

CREATE OPERATOR < (
    LEFTARG = kid96, RIGHTARG = timestamptz, FUNCTION = kid96_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = kid96, FUNCTION = kid96_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (kid96, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR < (timestamptz, kid96) IS 'earlier than, in time units';

CREATE OPERATOR <= (
    LEFTARG = kid96, RIGHTARG = timestamptz, FUNCTION = kid96_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = kid96, FUNCTION = kid96_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (kid96, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR <= (timestamptz, kid96) IS 'not later than, in time units';

CREATE OPERATOR >= (
    LEFTARG = kid96, RIGHTARG = timestamptz, FUNCTION = kid96_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = kid96, FUNCTION = kid96_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (kid96, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR >= (timestamptz, kid96) IS 'not earlier than, in time units';

CREATE OPERATOR > (
    LEFTARG = kid96, RIGHTARG = timestamptz, FUNCTION = kid96_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = kid96, FUNCTION = kid96_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (kid96, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR > (timestamptz, kid96) IS 'later than, in time units';

-- from src/sql/extension/traits/time_casts.sql.in

-- kid96: casts from and to time, the time between two IDs, and operators for ranges of time

CREATE CAST (timestamptz AS kid96) WITH FUNCTION kid96_floor(timestamptz);
COMMENT ON CAST (timestamptz AS kid96) IS 'same as kid96_floor()';
CREATE CAST (kid96 AS timestamptz) WITH FUNCTION kid_timestamp(kid96);
COMMENT ON CAST (kid96 AS timestamptz) IS 'same as kid_timestamp()';

-- There is no date_trunc() of an ID, and no operator for now() - id: functions and operators of these names would also
-- be candidates in queries without IDs.
CREATE OPERATOR - (LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_mi);
COMMENT ON OPERATOR - (kid96, kid96) IS 'time from the second ID to the first';

CREATE OPERATOR <@ (
    LEFTARG = kid96, RIGHTARG = kid_span, FUNCTION = kid_within,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (
    LEFTARG = kid_span, RIGHTARG = kid96, FUNCTION = kid96_range_contains,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);
COMMENT ON OPERATOR <@ (kid96, kid_span) IS 'is in the range of time';
COMMENT ON OPERATOR @> (kid_span, kid96) IS 'range of time contains';

-- from src/sql/extension/traits/uuid.sql.in

-- kid96: its text form, 16 characters, as the 16 bytes of a uuid (src/pg/traits/uuid_casts.hpp)

CREATE FUNCTION kid96_to_uuid(kid96) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_to_uuid(kid96) IS 'returns the uuid whose 16 bytes are the text form of an ID';
CREATE FUNCTION kid96_from_uuid(uuid) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_from_uuid(uuid) IS 'returns the ID whose text form is the 16 bytes of a uuid';

CREATE CAST (kid96 AS uuid) WITH FUNCTION kid96_to_uuid(kid96);
COMMENT ON CAST (kid96 AS uuid) IS 'the 16 characters of the text form, as bytes';
CREATE CAST (uuid AS kid96) WITH FUNCTION kid96_from_uuid(uuid);
COMMENT ON CAST (uuid AS kid96) IS 'reads the 16 bytes as the text form';

-- from src/sql/extension/traits/observe.sql.in

-- kid96: moves the logical clock past an ID from elsewhere (src/pg/traits/clock.hpp)

CREATE FUNCTION kid_observe(kid96) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_observe';
COMMENT ON FUNCTION kid_observe(kid96) IS 'moves the logical clock past an ID from elsewhere';
REVOKE ALL ON FUNCTION kid_observe(kid96) FROM PUBLIC;

-- from src/sql/extension/types/kid96.sql

-- kid96: generators, and what else only this type has

CREATE FUNCTION kid96_next() RETURNS kid96
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_next() IS 'makes a kid96 with the node of this server';
CREATE FUNCTION kid96_next(n bigint) RETURNS SETOF kid96
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid96_next_many';
COMMENT ON FUNCTION kid96_next(n bigint) IS 'makes n kid96, each greater than the one before it';
CREATE FUNCTION kid96_at(ts timestamptz) RETURNS kid96
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_at(ts timestamptz) IS
    'makes a kid96 for a given time in the past, with the node of this server';

-- Its order is coarser than its time, so planner support adds bounds to a comparison with time and keeps a recheck.
CREATE FUNCTION kid96_recheck(id kid96, range tstzrange, neighborhood integer) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_recheck AS 'MODULE_PATHNAME', 'kid96_within';
COMMENT ON FUNCTION kid96_recheck(id kid96, range tstzrange, neighborhood integer) IS
    'planner support: tells exactly whether an ID is in a range of time';
CREATE FUNCTION kid96_recheck(operator text, id kid96, ts timestamptz, neighborhood integer) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_recheck AS 'MODULE_PATHNAME', 'kid96_compare';
COMMENT ON FUNCTION kid96_recheck(operator text, id kid96, ts timestamptz, neighborhood integer) IS
    'planner support: tells exactly whether an ID is <, <=, >= or > an instant';

CREATE FUNCTION kid96_make(ts timestamptz, node bigint, sequence integer, neighborhood integer DEFAULT NULL)
    RETURNS kid96
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_make(ts timestamptz, node bigint, sequence integer, neighborhood integer) IS
    'assembles a kid96 from an instant, a node, a sequence and a neighborhood';
CREATE FUNCTION kid_node(kid96) RETURNS bigint
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid96_node';
COMMENT ON FUNCTION kid_node(kid96) IS 'returns the node that made an ID, 0 to 4294967295';
CREATE FUNCTION kid_node(kid96, neighborhood integer) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_node';
COMMENT ON FUNCTION kid_node(kid96, neighborhood integer) IS
    'returns the node that made an ID with the given neighborhood, 0 to 10';

CREATE FUNCTION kid_global(kid64) RETURNS kid96
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_global';
COMMENT ON FUNCTION kid_global(kid64) IS 'returns an ID with the node of this server';
CREATE FUNCTION kid_local(kid96, force boolean DEFAULT false) RETURNS kid64
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_local';
COMMENT ON FUNCTION kid_local(kid96, force boolean) IS
    'returns an ID without its node, which must be that of this server unless force is true';
CREATE FUNCTION kid96_to_kid64(kid96) RETURNS kid64
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_local';
COMMENT ON FUNCTION kid96_to_kid64(kid96) IS 'implementation of a cast';

CREATE CAST (kid64 AS kid96) WITH FUNCTION kid_global(kid64) AS ASSIGNMENT;
COMMENT ON CAST (kid64 AS kid96) IS 'same as kid_global()';
CREATE CAST (kid96 AS kid64) WITH FUNCTION kid96_to_kid64(kid96);
COMMENT ON CAST (kid96 AS kid64) IS 'same as kid_local()';

CREATE FUNCTION kid_sequence(kid96) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_sequence';
COMMENT ON FUNCTION kid_sequence(kid96) IS 'returns the sequence of an ID within its time unit, 0 to 16383';
CREATE FUNCTION kid_inspect(id kid96, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 50, kid_timestamp(id)::text), ('node', 32, kid_node(id)::text),
           ('sequence', 14, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(id kid96) IS 'lists the components of an ID, most significant first';

-- from src/sql/extension/traits/io.sql.in

-- sno: input, output and conversions (src/pg/traits/io.hpp)

CREATE TYPE sno;

CREATE FUNCTION sno_in(cstring) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_in(cstring) IS 'I/O';
CREATE FUNCTION sno_out(sno) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_out(sno) IS 'I/O';
CREATE FUNCTION sno_recv(internal) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_recv(internal) IS 'I/O';
CREATE FUNCTION sno_send(sno) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_send(sno) IS 'binary form of an ID, most significant byte first';

CREATE TYPE sno (
    INPUT = sno_in, OUTPUT = sno_out, RECEIVE = sno_recv, SEND = sno_send, ANALYZE = kid_typanalyze,
    INTERNALLENGTH = 10, ALIGNMENT = char);

-- Some drivers send parameters as text or varchar, so these casts are implicit. They are also cast in ambiguous.sql,
-- which keeps them out of expressions without an ID. No type has an implicit cast the other way: comparisons would
-- convert the column, and not use its index. docs/why/casts.md says which drivers, and what was tried.
CREATE CAST (text AS sno) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (text AS sno) IS 'parses the text form';
CREATE CAST (varchar AS sno) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (varchar AS sno) IS 'parses the text form';

CREATE FUNCTION sno_from_bytea(bytea) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_from_bytea(bytea) IS 'returns the sno with the given binary form';

CREATE CAST (sno AS bytea) WITH FUNCTION sno_send(sno);
COMMENT ON CAST (sno AS bytea) IS 'the binary form, most significant byte first';
CREATE CAST (bytea AS sno) WITH FUNCTION sno_from_bytea(bytea);
COMMENT ON CAST (bytea AS sno) IS 'reads the binary form';

-- from src/sql/extension/types/sno.sql

COMMENT ON TYPE sno IS
    'k-ordered ID in 10 bytes, with the time from 2010 to 2079 in units of 4 ms, a metabyte and a partition, as the '
    'Go library sno makes it';

-- from src/sql/extension/traits/base32.sql.in

-- sno: a text form for other systems and for people, with a prefix (src/pg/traits/base32.hpp)

CREATE FUNCTION kid_encode(id sno, prefix text DEFAULT '') RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_encode';
COMMENT ON FUNCTION kid_encode(id sno, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE FUNCTION sno_decode(encoded text, prefix text DEFAULT '') RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';

-- from src/sql/extension/traits/order.sql.in

-- sno: order, hashing and index access methods (src/pg/traits/order.hpp)
--
-- CREATE OPERATOR CLASS makes an operator family of the same name.

CREATE FUNCTION sno_lt(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_lt(sno, sno) IS 'implementation of < operator';
CREATE OPERATOR < (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (sno, sno) IS 'less than';

CREATE FUNCTION sno_le(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_le(sno, sno) IS 'implementation of <= operator';
CREATE OPERATOR <= (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (sno, sno) IS 'less than or equal';

CREATE FUNCTION sno_eq(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_eq(sno, sno) IS 'implementation of = operator';
CREATE OPERATOR = (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
COMMENT ON OPERATOR = (sno, sno) IS 'equal';

CREATE FUNCTION sno_ne(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_ne(sno, sno) IS 'implementation of <> operator';
CREATE OPERATOR <> (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR <> (sno, sno) IS 'not equal';

CREATE FUNCTION sno_ge(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_ge(sno, sno) IS 'implementation of >= operator';
CREATE OPERATOR >= (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (sno, sno) IS 'greater than or equal';

CREATE FUNCTION sno_gt(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_gt(sno, sno) IS 'implementation of > operator';
CREATE OPERATOR > (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (sno, sno) IS 'greater than';

CREATE FUNCTION sno_cmp(sno, sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_cmp(sno, sno) IS 'less-equal-greater';
CREATE FUNCTION sno_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_sortsupport(internal) IS 'sort support';
CREATE FUNCTION sno_hash(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_hash(sno) IS 'hash';
CREATE FUNCTION sno_hash_extended(sno, bigint) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_hash_extended(sno, bigint) IS 'hash';

CREATE OPERATOR CLASS sno_ops DEFAULT FOR TYPE sno USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 sno_cmp(sno, sno),
    FUNCTION 2 sno_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY sno_ops USING btree IS 'order of sno';
COMMENT ON OPERATOR CLASS sno_ops USING btree IS 'order of sno';

CREATE OPERATOR CLASS sno_ops DEFAULT FOR TYPE sno USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 sno_hash(sno),
    FUNCTION 2 sno_hash_extended(sno, bigint);
COMMENT ON OPERATOR FAMILY sno_ops USING hash IS 'equality of sno';
COMMENT ON OPERATOR CLASS sno_ops USING hash IS 'equality of sno';

CREATE OPERATOR CLASS sno_minmax_ops DEFAULT FOR TYPE sno USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 kid_brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 kid_brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 kid_brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR FAMILY sno_minmax_ops USING brin IS 'the range of sno in a block range';
COMMENT ON OPERATOR CLASS sno_minmax_ops USING brin IS 'the range of sno in a block range';

CREATE OPERATOR CLASS sno_minmax_multi_ops FOR TYPE sno USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 kid_brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 kid_brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 kid_brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 kid_brin_distance_10(internal, internal);
COMMENT ON OPERATOR FAMILY sno_minmax_multi_ops USING brin IS 'a few ranges of sno in a block range';
COMMENT ON OPERATOR CLASS sno_minmax_multi_ops USING brin IS 'a few ranges of sno in a block range';

CREATE AGGREGATE min(sno) (
    SFUNC = kid_smaller, STYPE = sno, COMBINEFUNC = kid_smaller, SORTOP = <, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(sno) IS 'minimum value of all sno input values';
CREATE AGGREGATE max(sno) (
    SFUNC = kid_larger, STYPE = sno, COMBINEFUNC = kid_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE max(sno) IS 'maximum value of all sno input values';

-- from src/sql/extension/traits/gist.sql.in

-- sno: GiST, for exclusion constraints and temporal keys (src/pg/index/gist.cpp)
--
-- The strategy numbers are those of stratnum.h, as gist_translate_cmptype_common() of PostgreSQL 18 expects them.

CREATE OPERATOR CLASS sno_ops DEFAULT FOR TYPE sno USING gist AS
    OPERATOR 18 =, OPERATOR 20 <, OPERATOR 21 <=, OPERATOR 22 >, OPERATOR 23 >=,
    FUNCTION 1 kid_gist_consistent(internal, "any", smallint, oid, internal),
    FUNCTION 2 kid_gist_union(internal, internal),
    FUNCTION 3 kid_gist_compress_10(internal),
    FUNCTION 5 kid_gist_penalty(internal, internal, internal),
    FUNCTION 6 kid_gist_picksplit(internal, internal),
    FUNCTION 7 kid_gist_same(bytea, bytea, internal),
    FUNCTION 9 kid_gist_fetch(internal),
    FUNCTION 11 kid_gist_sortsupport(internal),
    STORAGE bytea;
COMMENT ON OPERATOR FAMILY sno_ops USING gist IS 'order of sno';
COMMENT ON OPERATOR CLASS sno_ops USING gist IS 'order of sno';

DO $$
BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN
        ALTER OPERATOR FAMILY sno_ops USING gist ADD FUNCTION 12 ("any", "any") gist_translate_cmptype_common(int);
    END IF;
END $$;

-- from src/sql/extension/traits/time.sql.in

-- sno: the time in an ID, and the IDs of a time (src/pg/traits/time.hpp)
--
-- This is for types whose time depends on no setting; time_with_setting.sql.in is for the others.

CREATE FUNCTION kid_timestamp(sno) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'sno_timestamp';
COMMENT ON FUNCTION kid_timestamp(sno) IS 'returns the beginning of the time unit of an ID';
CREATE FUNCTION sno_timestamp(sno) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_timestamp(sno) IS 'same as kid_timestamp(), under a name that is not overloaded';

CREATE FUNCTION sno_floor(timestamptz) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_floor(timestamptz) IS
    'returns the lowest sno of the time unit that contains an instant';
CREATE FUNCTION sno_ceil(timestamptz) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_ceil(timestamptz) IS
    'returns the highest sno of the time unit that contains an instant';

CREATE FUNCTION sno_mi(sno, sno) RETURNS interval
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_timestamp($1) - kid_timestamp($2);
COMMENT ON FUNCTION sno_mi(sno, sno) IS 'implementation of - operator';

CREATE FUNCTION kid_within(sno, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'sno_within';
COMMENT ON FUNCTION kid_within(sno, kid_span) IS 'tells whether an ID is in a range of time';
CREATE FUNCTION sno_range_contains(kid_span, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_range_contains(kid_span, sno) IS 'implementation of @> operator';

-- from src/sql/extension/traits/time_comparison.sql.in

-- sno: functions that compare IDs with time (src/pg/traits/time.hpp)
--
-- IDs are compared in time units: an ID is as late as any instant of its unit. So two adjacent ranges neither share an
-- ID nor miss one. Planner support turns these comparisons into comparisons of IDs.
--
-- This is for types whose time depends on no setting; time_comparison_with_setting.sql.in is for the others. For both,
-- time_operators.sql.in has the operators.

CREATE FUNCTION sno_edge(which text, operator text, ts timestamptz) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_edge(which text, operator text, ts timestamptz) IS
    'planner support: returns the lowest or the highest sno that is <, <=, >= or > an instant';
CREATE FUNCTION sno_edge(which text, range tstzrange) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_edge_of_range';
COMMENT ON FUNCTION sno_edge(which text, range tstzrange) IS
    'planner support: returns the lowest or the highest sno in a range of time';

CREATE FUNCTION sno_lt_time(sno, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_lt_time(sno, timestamptz) IS 'implementation of < operator';
CREATE FUNCTION sno_time_lt(timestamptz, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_time_lt(timestamptz, sno) IS 'implementation of < operator';
CREATE FUNCTION sno_le_time(sno, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_le_time(sno, timestamptz) IS 'implementation of <= operator';
CREATE FUNCTION sno_time_le(timestamptz, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_time_le(timestamptz, sno) IS 'implementation of <= operator';
CREATE FUNCTION sno_ge_time(sno, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_ge_time(sno, timestamptz) IS 'implementation of >= operator';
CREATE FUNCTION sno_time_ge(timestamptz, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_time_ge(timestamptz, sno) IS 'implementation of >= operator';
CREATE FUNCTION sno_gt_time(sno, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_gt_time(sno, timestamptz) IS 'implementation of > operator';
CREATE FUNCTION sno_time_gt(timestamptz, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_time_gt(timestamptz, sno) IS 'implementation of > operator';

-- from src/sql/extension/traits/time_operators.sql.in

-- sno: operators that compare IDs with time, in time units

CREATE OPERATOR < (
    LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (sno, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR < (timestamptz, sno) IS 'earlier than, in time units';

CREATE OPERATOR <= (
    LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (sno, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR <= (timestamptz, sno) IS 'not later than, in time units';

CREATE OPERATOR >= (
    LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (sno, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR >= (timestamptz, sno) IS 'not earlier than, in time units';

CREATE OPERATOR > (
    LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (sno, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR > (timestamptz, sno) IS 'later than, in time units';

-- from src/sql/extension/traits/time_casts.sql.in

-- sno: casts from and to time, the time between two IDs, and operators for ranges of time

CREATE CAST (timestamptz AS sno) WITH FUNCTION sno_floor(timestamptz);
COMMENT ON CAST (timestamptz AS sno) IS 'same as sno_floor()';
CREATE CAST (sno AS timestamptz) WITH FUNCTION kid_timestamp(sno);
COMMENT ON CAST (sno AS timestamptz) IS 'same as kid_timestamp()';

-- There is no date_trunc() of an ID, and no operator for now() - id: functions and operators of these names would also
-- be candidates in queries without IDs.
CREATE OPERATOR - (LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_mi);
COMMENT ON OPERATOR - (sno, sno) IS 'time from the second ID to the first';

CREATE OPERATOR <@ (
    LEFTARG = sno, RIGHTARG = kid_span, FUNCTION = kid_within,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (
    LEFTARG = kid_span, RIGHTARG = sno, FUNCTION = sno_range_contains,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);
COMMENT ON OPERATOR <@ (sno, kid_span) IS 'is in the range of time';
COMMENT ON OPERATOR @> (kid_span, sno) IS 'range of time contains';

-- from src/sql/extension/traits/uuid.sql.in

-- sno: its text form, 16 characters, as the 16 bytes of a uuid (src/pg/traits/uuid_casts.hpp)

CREATE FUNCTION sno_to_uuid(sno) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_to_uuid(sno) IS 'returns the uuid whose 16 bytes are the text form of an ID';
CREATE FUNCTION sno_from_uuid(uuid) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_from_uuid(uuid) IS 'returns the ID whose text form is the 16 bytes of a uuid';

CREATE CAST (sno AS uuid) WITH FUNCTION sno_to_uuid(sno);
COMMENT ON CAST (sno AS uuid) IS 'the 16 characters of the text form, as bytes';
CREATE CAST (uuid AS sno) WITH FUNCTION sno_from_uuid(uuid);
COMMENT ON CAST (uuid AS sno) IS 'reads the 16 bytes as the text form';

-- from src/sql/extension/traits/observe.sql.in

-- sno: moves the logical clock past an ID from elsewhere (src/pg/traits/clock.hpp)

CREATE FUNCTION kid_observe(sno) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_observe';
COMMENT ON FUNCTION kid_observe(sno) IS 'moves the logical clock past an ID from elsewhere';
REVOKE ALL ON FUNCTION kid_observe(sno) FROM PUBLIC;

-- from src/sql/extension/types/sno.sql

-- sno: generators, and what else only this type has

CREATE FUNCTION sno_next(meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_next(meta integer) IS 'makes a sno with a metabyte, 0 to 255, and the partition of this server';
CREATE FUNCTION sno_next(meta integer, n bigint) RETURNS SETOF sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'sno_next_many';
COMMENT ON FUNCTION sno_next(meta integer, n bigint) IS
    'makes n sno with a metabyte, 0 to 255, each greater than the one before it unless the tick toggles between them';
CREATE FUNCTION sno_at(ts timestamptz, meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_at(ts timestamptz, meta integer) IS
    'makes a sno for a given time in the past, with a metabyte, 0 to 255';
CREATE FUNCTION sno_make(ts timestamptz, meta integer, partition integer, sequence integer, tick boolean DEFAULT false)
    RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_make(ts timestamptz, meta integer, partition integer, sequence integer, tick boolean) IS
    'assembles a sno from an instant, a metabyte, a partition, a sequence and a tick';
CREATE FUNCTION kid_tick(sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_tick';
COMMENT ON FUNCTION kid_tick(sno) IS
    'returns the tick, by which IDs differ that were made before and after the system clock went back';
CREATE FUNCTION kid_meta(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_meta';
COMMENT ON FUNCTION kid_meta(sno) IS 'returns the metabyte, 0 to 255, that the caller of the generator gave';
CREATE FUNCTION kid_partition(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_partition';
COMMENT ON FUNCTION kid_partition(sno) IS 'returns the partition that made an ID, 0 to 65535';

CREATE FUNCTION kid_sequence(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_sequence';
COMMENT ON FUNCTION kid_sequence(sno) IS 'returns the sequence of an ID within its time unit, 0 to 65535';
CREATE FUNCTION kid_inspect(id sno, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 39, kid_timestamp(id)::text), ('tick', 1, kid_tick(id)::text),
           ('meta', 8, kid_meta(id)::text), ('partition', 16, kid_partition(id)::text),
           ('sequence', 16, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(id sno) IS 'lists the components of an ID, most significant first';

-- from src/sql/extension/traits/io.sql.in

-- flake: input, output and conversions (src/pg/traits/io.hpp)

CREATE TYPE flake;

CREATE FUNCTION flake_in(cstring) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_in(cstring) IS 'I/O';
CREATE FUNCTION flake_out(flake) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_out(flake) IS 'I/O';
CREATE FUNCTION flake_recv(internal) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_recv(internal) IS 'I/O';
CREATE FUNCTION flake_send(flake) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_send(flake) IS 'binary form of an ID, most significant byte first';

CREATE TYPE flake (
    INPUT = flake_in, OUTPUT = flake_out, RECEIVE = flake_recv, SEND = flake_send, ANALYZE = kid_typanalyze,
    LIKE = bigint);

-- Some drivers send parameters as text or varchar, so these casts are implicit. They are also cast in ambiguous.sql,
-- which keeps them out of expressions without an ID. No type has an implicit cast the other way: comparisons would
-- convert the column, and not use its index. docs/why/casts.md says which drivers, and what was tried.
CREATE CAST (text AS flake) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (text AS flake) IS 'parses the text form';
CREATE CAST (varchar AS flake) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (varchar AS flake) IS 'parses the text form';

CREATE FUNCTION flake_from_bytea(bytea) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_from_bytea(bytea) IS 'returns the flake with the given binary form';

CREATE CAST (flake AS bytea) WITH FUNCTION flake_send(flake);
COMMENT ON CAST (flake AS bytea) IS 'the binary form, most significant byte first';
CREATE CAST (bytea AS flake) WITH FUNCTION flake_from_bytea(bytea);
COMMENT ON CAST (bytea AS flake) IS 'reads the binary form';

-- from src/sql/extension/types/flake.sql

COMMENT ON TYPE flake IS
    'k-ordered ID in 8 bytes, with 139 years of milliseconds from kid.flake_epoch on, a datacenter and a worker, as '
    'the Node library flake-idgen makes it';

-- from src/sql/extension/traits/base32.sql.in

-- flake: a text form for other systems and for people, with a prefix (src/pg/traits/base32.hpp)

CREATE FUNCTION kid_encode(id flake, prefix text DEFAULT '') RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_encode';
COMMENT ON FUNCTION kid_encode(id flake, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE FUNCTION flake_decode(encoded text, prefix text DEFAULT '') RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';

-- from src/sql/extension/traits/order.sql.in

-- flake: order, hashing and index access methods (src/pg/traits/order.hpp)
--
-- CREATE OPERATOR CLASS makes an operator family of the same name.

CREATE FUNCTION flake_lt(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_lt(flake, flake) IS 'implementation of < operator';
CREATE OPERATOR < (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (flake, flake) IS 'less than';

CREATE FUNCTION flake_le(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_le(flake, flake) IS 'implementation of <= operator';
CREATE OPERATOR <= (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (flake, flake) IS 'less than or equal';

CREATE FUNCTION flake_eq(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_eq(flake, flake) IS 'implementation of = operator';
CREATE OPERATOR = (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
COMMENT ON OPERATOR = (flake, flake) IS 'equal';

CREATE FUNCTION flake_ne(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_ne(flake, flake) IS 'implementation of <> operator';
CREATE OPERATOR <> (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR <> (flake, flake) IS 'not equal';

CREATE FUNCTION flake_ge(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_ge(flake, flake) IS 'implementation of >= operator';
CREATE OPERATOR >= (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (flake, flake) IS 'greater than or equal';

CREATE FUNCTION flake_gt(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_gt(flake, flake) IS 'implementation of > operator';
CREATE OPERATOR > (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (flake, flake) IS 'greater than';

CREATE FUNCTION flake_cmp(flake, flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_cmp(flake, flake) IS 'less-equal-greater';
CREATE FUNCTION flake_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_sortsupport(internal) IS 'sort support';
CREATE FUNCTION flake_hash(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_hash(flake) IS 'hash';
CREATE FUNCTION flake_hash_extended(flake, bigint) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_hash_extended(flake, bigint) IS 'hash';

CREATE OPERATOR CLASS flake_ops DEFAULT FOR TYPE flake USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 flake_cmp(flake, flake),
    FUNCTION 2 flake_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY flake_ops USING btree IS 'order of flake';
COMMENT ON OPERATOR CLASS flake_ops USING btree IS 'order of flake';

CREATE OPERATOR CLASS flake_ops DEFAULT FOR TYPE flake USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 flake_hash(flake),
    FUNCTION 2 flake_hash_extended(flake, bigint);
COMMENT ON OPERATOR FAMILY flake_ops USING hash IS 'equality of flake';
COMMENT ON OPERATOR CLASS flake_ops USING hash IS 'equality of flake';

CREATE OPERATOR CLASS flake_minmax_ops DEFAULT FOR TYPE flake USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 kid_brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 kid_brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 kid_brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR FAMILY flake_minmax_ops USING brin IS 'the range of flake in a block range';
COMMENT ON OPERATOR CLASS flake_minmax_ops USING brin IS 'the range of flake in a block range';

CREATE OPERATOR CLASS flake_minmax_multi_ops FOR TYPE flake USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 kid_brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 kid_brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 kid_brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 kid_brin_distance_8(internal, internal);
COMMENT ON OPERATOR FAMILY flake_minmax_multi_ops USING brin IS 'a few ranges of flake in a block range';
COMMENT ON OPERATOR CLASS flake_minmax_multi_ops USING brin IS 'a few ranges of flake in a block range';

CREATE AGGREGATE min(flake) (
    SFUNC = kid_smaller, STYPE = flake, COMBINEFUNC = kid_smaller, SORTOP = <, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(flake) IS 'minimum value of all flake input values';
CREATE AGGREGATE max(flake) (
    SFUNC = kid_larger, STYPE = flake, COMBINEFUNC = kid_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE max(flake) IS 'maximum value of all flake input values';

-- from src/sql/extension/traits/gist.sql.in

-- flake: GiST, for exclusion constraints and temporal keys (src/pg/index/gist.cpp)
--
-- The strategy numbers are those of stratnum.h, as gist_translate_cmptype_common() of PostgreSQL 18 expects them.

CREATE OPERATOR CLASS flake_ops DEFAULT FOR TYPE flake USING gist AS
    OPERATOR 18 =, OPERATOR 20 <, OPERATOR 21 <=, OPERATOR 22 >, OPERATOR 23 >=,
    FUNCTION 1 kid_gist_consistent(internal, "any", smallint, oid, internal),
    FUNCTION 2 kid_gist_union(internal, internal),
    FUNCTION 3 kid_gist_compress_8(internal),
    FUNCTION 5 kid_gist_penalty(internal, internal, internal),
    FUNCTION 6 kid_gist_picksplit(internal, internal),
    FUNCTION 7 kid_gist_same(bytea, bytea, internal),
    FUNCTION 9 kid_gist_fetch(internal),
    FUNCTION 11 kid_gist_sortsupport(internal),
    STORAGE bytea;
COMMENT ON OPERATOR FAMILY flake_ops USING gist IS 'order of flake';
COMMENT ON OPERATOR CLASS flake_ops USING gist IS 'order of flake';

DO $$
BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN
        ALTER OPERATOR FAMILY flake_ops USING gist ADD FUNCTION 12 ("any", "any") gist_translate_cmptype_common(int);
    END IF;
END $$;

-- from src/sql/extension/types/flake.sql

CREATE FUNCTION flake_floor(timestamptz) RETURNS flake
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_floor(timestamptz) IS
    'returns the lowest flake of the time unit that contains an instant';
CREATE FUNCTION flake_ceil(timestamptz) RETURNS flake
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_ceil(timestamptz) IS
    'returns the highest flake of the time unit that contains an instant';

-- from src/sql/extension/traits/time_with_setting.sql.in

-- flake: the time in an ID, and the IDs of a time, which depend on a setting (src/pg/traits/time.hpp)
--
-- Each function is there twice: STABLE, with the value of the setting that is in force, and IMMUTABLE, with that value
-- as the last argument. In a query, planner support adds the argument to calls and comparisons without it. The file of
-- the type has kid_timestamp() with that argument, and flake_floor() and flake_ceil() without it.

CREATE FUNCTION kid_timestamp(flake) RETURNS timestamptz
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'flake_timestamp';
COMMENT ON FUNCTION kid_timestamp(flake) IS 'returns the beginning of the time unit of an ID';
CREATE FUNCTION flake_timestamp(flake) RETURNS timestamptz
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_timestamp(flake) IS 'same as kid_timestamp(), under a name that is not overloaded';

CREATE FUNCTION flake_floor(ts timestamptz, epoch timestamptz) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_floor(ts timestamptz, epoch timestamptz) IS
    'same as flake_floor(ts), with the setting as an argument';
CREATE FUNCTION flake_ceil(ts timestamptz, epoch timestamptz) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_ceil(ts timestamptz, epoch timestamptz) IS
    'same as flake_ceil(ts), with the setting as an argument';

CREATE FUNCTION flake_mi(flake, flake) RETURNS interval
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE RETURN kid_timestamp($1) - kid_timestamp($2);
COMMENT ON FUNCTION flake_mi(flake, flake) IS 'implementation of - operator';

CREATE FUNCTION kid_within(flake, kid_span) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'flake_within';
COMMENT ON FUNCTION kid_within(flake, kid_span) IS 'tells whether an ID is in a range of time';
CREATE FUNCTION kid_within(id flake, range tstzrange, epoch timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'flake_within';
COMMENT ON FUNCTION kid_within(id flake, range tstzrange, epoch timestamptz) IS
    'same as id <@ range, with the setting as an argument';
CREATE FUNCTION flake_range_contains(kid_span, flake) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_range_contains(kid_span, flake) IS 'implementation of @> operator';

-- from src/sql/extension/types/flake.sql

CREATE FUNCTION kid_timestamp(id flake, epoch timestamptz) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_timestamp';
COMMENT ON FUNCTION kid_timestamp(id flake, epoch timestamptz) IS
    'returns the beginning of the millisecond of an ID that counts from the given epoch';

-- from src/sql/extension/traits/time_comparison_with_setting.sql.in

-- flake: functions that compare IDs with time, which depends on a setting: as in time_comparison.sql.in

CREATE FUNCTION flake_edge(which text, operator text, ts timestamptz, epoch timestamptz) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_edge(which text, operator text, ts timestamptz, epoch timestamptz) IS
    'planner support: returns the lowest or the highest flake that is <, <=, >= or > an instant';
CREATE FUNCTION flake_edge(which text, range tstzrange, epoch timestamptz) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_edge_of_range';
COMMENT ON FUNCTION flake_edge(which text, range tstzrange, epoch timestamptz) IS
    'planner support: returns the lowest or the highest flake in a range of time';
CREATE FUNCTION flake_compare(operator text, id flake, ts timestamptz, epoch timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_compare(operator text, id flake, ts timestamptz, epoch timestamptz) IS
    'planner support: tells whether an ID is <, <=, >= or > an instant';

CREATE FUNCTION flake_lt_time(flake, timestamptz) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_lt_time(flake, timestamptz) IS 'implementation of < operator';
CREATE FUNCTION flake_time_lt(timestamptz, flake) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_time_lt(timestamptz, flake) IS 'implementation of < operator';
CREATE FUNCTION flake_le_time(flake, timestamptz) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_le_time(flake, timestamptz) IS 'implementation of <= operator';
CREATE FUNCTION flake_time_le(timestamptz, flake) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_time_le(timestamptz, flake) IS 'implementation of <= operator';
CREATE FUNCTION flake_ge_time(flake, timestamptz) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_ge_time(flake, timestamptz) IS 'implementation of >= operator';
CREATE FUNCTION flake_time_ge(timestamptz, flake) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_time_ge(timestamptz, flake) IS 'implementation of >= operator';
CREATE FUNCTION flake_gt_time(flake, timestamptz) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_gt_time(flake, timestamptz) IS 'implementation of > operator';
CREATE FUNCTION flake_time_gt(timestamptz, flake) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_time_gt(timestamptz, flake) IS 'implementation of > operator';

-- from src/sql/extension/traits/time_operators.sql.in

-- flake: operators that compare IDs with time, in time units

CREATE OPERATOR < (
    LEFTARG = flake, RIGHTARG = timestamptz, FUNCTION = flake_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = flake, FUNCTION = flake_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (flake, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR < (timestamptz, flake) IS 'earlier than, in time units';

CREATE OPERATOR <= (
    LEFTARG = flake, RIGHTARG = timestamptz, FUNCTION = flake_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = flake, FUNCTION = flake_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (flake, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR <= (timestamptz, flake) IS 'not later than, in time units';

CREATE OPERATOR >= (
    LEFTARG = flake, RIGHTARG = timestamptz, FUNCTION = flake_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = flake, FUNCTION = flake_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (flake, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR >= (timestamptz, flake) IS 'not earlier than, in time units';

CREATE OPERATOR > (
    LEFTARG = flake, RIGHTARG = timestamptz, FUNCTION = flake_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = flake, FUNCTION = flake_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (flake, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR > (timestamptz, flake) IS 'later than, in time units';

-- from src/sql/extension/traits/time_casts.sql.in

-- flake: casts from and to time, the time between two IDs, and operators for ranges of time

CREATE CAST (timestamptz AS flake) WITH FUNCTION flake_floor(timestamptz);
COMMENT ON CAST (timestamptz AS flake) IS 'same as flake_floor()';
CREATE CAST (flake AS timestamptz) WITH FUNCTION kid_timestamp(flake);
COMMENT ON CAST (flake AS timestamptz) IS 'same as kid_timestamp()';

-- There is no date_trunc() of an ID, and no operator for now() - id: functions and operators of these names would also
-- be candidates in queries without IDs.
CREATE OPERATOR - (LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_mi);
COMMENT ON OPERATOR - (flake, flake) IS 'time from the second ID to the first';

CREATE OPERATOR <@ (
    LEFTARG = flake, RIGHTARG = kid_span, FUNCTION = kid_within,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (
    LEFTARG = kid_span, RIGHTARG = flake, FUNCTION = flake_range_contains,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);
COMMENT ON OPERATOR <@ (flake, kid_span) IS 'is in the range of time';
COMMENT ON OPERATOR @> (kid_span, flake) IS 'range of time contains';

-- from src/sql/extension/traits/bigint.sql.in

-- flake: the same 64 bits as a bigint
--
-- The casts only reinterpret, so a bigint column takes IDs as they are and ALTER TABLE ... TYPE flake rewrites no row.
-- A flake has no sign. A negative bigint is the ID with the same bits, whose highest bit is set.
--
-- Casts from numbers are implicit, because some drivers send parameters as numbers: see docs/why/casts.md. What is cast
-- here is also cast in ambiguous.sql, which keeps it out of expressions without an ID.

CREATE CAST (bigint AS flake) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (bigint AS flake) IS 'the same 64 bits';
CREATE CAST (flake AS bigint) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (flake AS bigint) IS 'the same 64 bits';

-- A cast from integer with PostgreSQL's int8(integer) would depend on the cast from bigint. pg_upgrade does not know
-- that, and may create the casts in the wrong order. Some drivers send a small number as smallint.
CREATE FUNCTION flake_from_integer(integer) RETURNS flake
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int48';
COMMENT ON FUNCTION flake_from_integer(integer) IS 'implementation of a cast';
CREATE FUNCTION flake_from_smallint(smallint) RETURNS flake
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int28';
COMMENT ON FUNCTION flake_from_smallint(smallint) IS 'implementation of a cast';
CREATE CAST (integer AS flake) WITH FUNCTION flake_from_integer(integer) AS IMPLICIT;
COMMENT ON CAST (integer AS flake) IS 'the same number, as a bigint';
CREATE CAST (smallint AS flake) WITH FUNCTION flake_from_smallint(smallint) AS IMPLICIT;
COMMENT ON CAST (smallint AS flake) IS 'the same number, as a bigint';

-- from src/sql/extension/traits/observe.sql.in

-- flake: moves the logical clock past an ID from elsewhere (src/pg/traits/clock.hpp)

CREATE FUNCTION kid_observe(flake) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_observe';
COMMENT ON FUNCTION kid_observe(flake) IS 'moves the logical clock past an ID from elsewhere';
REVOKE ALL ON FUNCTION kid_observe(flake) FROM PUBLIC;

-- from src/sql/extension/types/flake.sql

-- flake: generators, and what else only this type has

CREATE FUNCTION flake_next() RETURNS flake
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_next() IS
    'makes a flake greater than all that the cluster issued with this generator and epoch';
CREATE FUNCTION flake_next(n bigint) RETURNS SETOF flake
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'flake_next_many';
COMMENT ON FUNCTION flake_next(n bigint) IS 'makes n flake, each greater than the one before it';
CREATE FUNCTION flake_at(ts timestamptz) RETURNS flake
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_at(ts timestamptz) IS 'makes a flake for a given time in the past';
CREATE FUNCTION flake_make(
    ts timestamptz, datacenter integer, worker integer, sequence integer, epoch timestamptz DEFAULT NULL) RETURNS flake
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_make(timestamptz, integer, integer, integer, timestamptz) IS
    'assembles a flake from an instant, a datacenter, a worker, a sequence and an epoch';
CREATE FUNCTION kid_datacenter(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_datacenter';
COMMENT ON FUNCTION kid_datacenter(flake) IS
    'returns the datacenter that made an ID, 0 to 31, the upper half of the generator';
CREATE FUNCTION kid_worker(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_worker';
COMMENT ON FUNCTION kid_worker(flake) IS 'returns the worker that made an ID, 0 to 31, the lower half of the generator';
CREATE FUNCTION kid_generator(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_generator';
COMMENT ON FUNCTION kid_generator(flake) IS
    'returns the generator that made an ID, 0 to 1023: 32 times the datacenter, plus the worker';

CREATE FUNCTION kid_sequence(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_sequence';
COMMENT ON FUNCTION kid_sequence(flake) IS 'returns the sequence of an ID within its time unit, 0 to 4095';
CREATE FUNCTION kid_inspect(id flake, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 42, kid_timestamp(id)::text), ('datacenter', 5, kid_datacenter(id)::text),
           ('worker', 5, kid_worker(id)::text), ('sequence', 12, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(id flake) IS 'lists the components of an ID, most significant first';

CREATE FUNCTION flake_horizon() RETURNS flake
    LANGUAGE C STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_horizon() IS
    'returns the horizon: no more rows with smaller IDs will appear, so consumers can read up to it';

-- from src/sql/extension/traits/io.sql.in

-- flax: input, output and conversions (src/pg/traits/io.hpp)

CREATE TYPE flax;

CREATE FUNCTION flax_in(cstring) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_in(cstring) IS 'I/O';
CREATE FUNCTION flax_out(flax) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_out(flax) IS 'I/O';
CREATE FUNCTION flax_recv(internal) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_recv(internal) IS 'I/O';
CREATE FUNCTION flax_send(flax) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_send(flax) IS 'binary form of an ID, most significant byte first';

CREATE TYPE flax (
    INPUT = flax_in, OUTPUT = flax_out, RECEIVE = flax_recv, SEND = flax_send, ANALYZE = kid_typanalyze,
    INTERNALLENGTH = 12, ALIGNMENT = char);

-- Some drivers send parameters as text or varchar, so these casts are implicit. They are also cast in ambiguous.sql,
-- which keeps them out of expressions without an ID. No type has an implicit cast the other way: comparisons would
-- convert the column, and not use its index. docs/why/casts.md says which drivers, and what was tried.
CREATE CAST (text AS flax) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (text AS flax) IS 'parses the text form';
CREATE CAST (varchar AS flax) WITH INOUT AS IMPLICIT;
COMMENT ON CAST (varchar AS flax) IS 'parses the text form';

CREATE FUNCTION flax_from_bytea(bytea) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_from_bytea(bytea) IS 'returns the flax with the given binary form';

CREATE CAST (flax AS bytea) WITH FUNCTION flax_send(flax);
COMMENT ON CAST (flax AS bytea) IS 'the binary form, most significant byte first';
CREATE CAST (bytea AS flax) WITH FUNCTION flax_from_bytea(bytea);
COMMENT ON CAST (bytea AS flax) IS 'reads the binary form';

-- from src/sql/extension/types/flax.sql

COMMENT ON TYPE flax IS
    'k-ordered ID in 12 bytes, with the time from 2015 to 2049 in milliseconds and 56 random bits, as the Python '
    'library Flax ID makes it';

-- from src/sql/extension/traits/base32.sql.in

-- flax: a text form for other systems and for people, with a prefix (src/pg/traits/base32.hpp)

CREATE FUNCTION kid_encode(id flax, prefix text DEFAULT '') RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_encode';
COMMENT ON FUNCTION kid_encode(id flax, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE FUNCTION flax_decode(encoded text, prefix text DEFAULT '') RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';

-- from src/sql/extension/traits/order.sql.in

-- flax: order, hashing and index access methods (src/pg/traits/order.hpp)
--
-- CREATE OPERATOR CLASS makes an operator family of the same name.

CREATE FUNCTION flax_lt(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_lt(flax, flax) IS 'implementation of < operator';
CREATE OPERATOR < (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (flax, flax) IS 'less than';

CREATE FUNCTION flax_le(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_le(flax, flax) IS 'implementation of <= operator';
CREATE OPERATOR <= (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (flax, flax) IS 'less than or equal';

CREATE FUNCTION flax_eq(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_eq(flax, flax) IS 'implementation of = operator';
CREATE OPERATOR = (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
COMMENT ON OPERATOR = (flax, flax) IS 'equal';

CREATE FUNCTION flax_ne(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_ne(flax, flax) IS 'implementation of <> operator';
CREATE OPERATOR <> (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR <> (flax, flax) IS 'not equal';

CREATE FUNCTION flax_ge(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_ge(flax, flax) IS 'implementation of >= operator';
CREATE OPERATOR >= (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (flax, flax) IS 'greater than or equal';

CREATE FUNCTION flax_gt(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_gt(flax, flax) IS 'implementation of > operator';
CREATE OPERATOR > (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (flax, flax) IS 'greater than';

CREATE FUNCTION flax_cmp(flax, flax) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_cmp(flax, flax) IS 'less-equal-greater';
CREATE FUNCTION flax_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_sortsupport(internal) IS 'sort support';
CREATE FUNCTION flax_hash(flax) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_hash(flax) IS 'hash';
CREATE FUNCTION flax_hash_extended(flax, bigint) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_hash_extended(flax, bigint) IS 'hash';

CREATE OPERATOR CLASS flax_ops DEFAULT FOR TYPE flax USING btree AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 flax_cmp(flax, flax),
    FUNCTION 2 flax_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR FAMILY flax_ops USING btree IS 'order of flax';
COMMENT ON OPERATOR CLASS flax_ops USING btree IS 'order of flax';

CREATE OPERATOR CLASS flax_ops DEFAULT FOR TYPE flax USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 flax_hash(flax),
    FUNCTION 2 flax_hash_extended(flax, bigint);
COMMENT ON OPERATOR FAMILY flax_ops USING hash IS 'equality of flax';
COMMENT ON OPERATOR CLASS flax_ops USING hash IS 'equality of flax';

CREATE OPERATOR CLASS flax_minmax_ops DEFAULT FOR TYPE flax USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 kid_brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 kid_brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 kid_brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR FAMILY flax_minmax_ops USING brin IS 'the range of flax in a block range';
COMMENT ON OPERATOR CLASS flax_minmax_ops USING brin IS 'the range of flax in a block range';

CREATE OPERATOR CLASS flax_minmax_multi_ops FOR TYPE flax USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 kid_brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 kid_brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 kid_brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 kid_brin_distance_12(internal, internal);
COMMENT ON OPERATOR FAMILY flax_minmax_multi_ops USING brin IS 'a few ranges of flax in a block range';
COMMENT ON OPERATOR CLASS flax_minmax_multi_ops USING brin IS 'a few ranges of flax in a block range';

CREATE AGGREGATE min(flax) (
    SFUNC = kid_smaller, STYPE = flax, COMBINEFUNC = kid_smaller, SORTOP = <, PARALLEL = SAFE);
COMMENT ON AGGREGATE min(flax) IS 'minimum value of all flax input values';
CREATE AGGREGATE max(flax) (
    SFUNC = kid_larger, STYPE = flax, COMBINEFUNC = kid_larger, SORTOP = >, PARALLEL = SAFE);
COMMENT ON AGGREGATE max(flax) IS 'maximum value of all flax input values';

-- from src/sql/extension/traits/gist.sql.in

-- flax: GiST, for exclusion constraints and temporal keys (src/pg/index/gist.cpp)
--
-- The strategy numbers are those of stratnum.h, as gist_translate_cmptype_common() of PostgreSQL 18 expects them.

CREATE OPERATOR CLASS flax_ops DEFAULT FOR TYPE flax USING gist AS
    OPERATOR 18 =, OPERATOR 20 <, OPERATOR 21 <=, OPERATOR 22 >, OPERATOR 23 >=,
    FUNCTION 1 kid_gist_consistent(internal, "any", smallint, oid, internal),
    FUNCTION 2 kid_gist_union(internal, internal),
    FUNCTION 3 kid_gist_compress_12(internal),
    FUNCTION 5 kid_gist_penalty(internal, internal, internal),
    FUNCTION 6 kid_gist_picksplit(internal, internal),
    FUNCTION 7 kid_gist_same(bytea, bytea, internal),
    FUNCTION 9 kid_gist_fetch(internal),
    FUNCTION 11 kid_gist_sortsupport(internal),
    STORAGE bytea;
COMMENT ON OPERATOR FAMILY flax_ops USING gist IS 'order of flax';
COMMENT ON OPERATOR CLASS flax_ops USING gist IS 'order of flax';

DO $$
BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN
        ALTER OPERATOR FAMILY flax_ops USING gist ADD FUNCTION 12 ("any", "any") gist_translate_cmptype_common(int);
    END IF;
END $$;

-- from src/sql/extension/traits/time.sql.in

-- flax: the time in an ID, and the IDs of a time (src/pg/traits/time.hpp)
--
-- This is for types whose time depends on no setting; time_with_setting.sql.in is for the others.

CREATE FUNCTION kid_timestamp(flax) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'flax_timestamp';
COMMENT ON FUNCTION kid_timestamp(flax) IS 'returns the beginning of the time unit of an ID';
CREATE FUNCTION flax_timestamp(flax) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_timestamp(flax) IS 'same as kid_timestamp(), under a name that is not overloaded';

CREATE FUNCTION flax_floor(timestamptz) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_floor(timestamptz) IS
    'returns the lowest flax of the time unit that contains an instant';
CREATE FUNCTION flax_ceil(timestamptz) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_ceil(timestamptz) IS
    'returns the highest flax of the time unit that contains an instant';

CREATE FUNCTION flax_mi(flax, flax) RETURNS interval
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_timestamp($1) - kid_timestamp($2);
COMMENT ON FUNCTION flax_mi(flax, flax) IS 'implementation of - operator';

CREATE FUNCTION kid_within(flax, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'flax_within';
COMMENT ON FUNCTION kid_within(flax, kid_span) IS 'tells whether an ID is in a range of time';
CREATE FUNCTION flax_range_contains(kid_span, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_range_contains(kid_span, flax) IS 'implementation of @> operator';

-- from src/sql/extension/traits/time_comparison.sql.in

-- flax: functions that compare IDs with time (src/pg/traits/time.hpp)
--
-- IDs are compared in time units: an ID is as late as any instant of its unit. So two adjacent ranges neither share an
-- ID nor miss one. Planner support turns these comparisons into comparisons of IDs.
--
-- This is for types whose time depends on no setting; time_comparison_with_setting.sql.in is for the others. For both,
-- time_operators.sql.in has the operators.

CREATE FUNCTION flax_edge(which text, operator text, ts timestamptz) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_edge(which text, operator text, ts timestamptz) IS
    'planner support: returns the lowest or the highest flax that is <, <=, >= or > an instant';
CREATE FUNCTION flax_edge(which text, range tstzrange) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_edge_of_range';
COMMENT ON FUNCTION flax_edge(which text, range tstzrange) IS
    'planner support: returns the lowest or the highest flax in a range of time';

CREATE FUNCTION flax_lt_time(flax, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_lt_time(flax, timestamptz) IS 'implementation of < operator';
CREATE FUNCTION flax_time_lt(timestamptz, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_time_lt(timestamptz, flax) IS 'implementation of < operator';
CREATE FUNCTION flax_le_time(flax, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_le_time(flax, timestamptz) IS 'implementation of <= operator';
CREATE FUNCTION flax_time_le(timestamptz, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_time_le(timestamptz, flax) IS 'implementation of <= operator';
CREATE FUNCTION flax_ge_time(flax, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_ge_time(flax, timestamptz) IS 'implementation of >= operator';
CREATE FUNCTION flax_time_ge(timestamptz, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_time_ge(timestamptz, flax) IS 'implementation of >= operator';
CREATE FUNCTION flax_gt_time(flax, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_gt_time(flax, timestamptz) IS 'implementation of > operator';
CREATE FUNCTION flax_time_gt(timestamptz, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_time_gt(timestamptz, flax) IS 'implementation of > operator';

-- from src/sql/extension/traits/time_operators.sql.in

-- flax: operators that compare IDs with time, in time units

CREATE OPERATOR < (
    LEFTARG = flax, RIGHTARG = timestamptz, FUNCTION = flax_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = flax, FUNCTION = flax_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (flax, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR < (timestamptz, flax) IS 'earlier than, in time units';

CREATE OPERATOR <= (
    LEFTARG = flax, RIGHTARG = timestamptz, FUNCTION = flax_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = flax, FUNCTION = flax_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (flax, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR <= (timestamptz, flax) IS 'not later than, in time units';

CREATE OPERATOR >= (
    LEFTARG = flax, RIGHTARG = timestamptz, FUNCTION = flax_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = flax, FUNCTION = flax_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (flax, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR >= (timestamptz, flax) IS 'not earlier than, in time units';

CREATE OPERATOR > (
    LEFTARG = flax, RIGHTARG = timestamptz, FUNCTION = flax_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = flax, FUNCTION = flax_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (flax, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR > (timestamptz, flax) IS 'later than, in time units';

-- from src/sql/extension/traits/time_casts.sql.in

-- flax: casts from and to time, the time between two IDs, and operators for ranges of time

CREATE CAST (timestamptz AS flax) WITH FUNCTION flax_floor(timestamptz);
COMMENT ON CAST (timestamptz AS flax) IS 'same as flax_floor()';
CREATE CAST (flax AS timestamptz) WITH FUNCTION kid_timestamp(flax);
COMMENT ON CAST (flax AS timestamptz) IS 'same as kid_timestamp()';

-- There is no date_trunc() of an ID, and no operator for now() - id: functions and operators of these names would also
-- be candidates in queries without IDs.
CREATE OPERATOR - (LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_mi);
COMMENT ON OPERATOR - (flax, flax) IS 'time from the second ID to the first';

CREATE OPERATOR <@ (
    LEFTARG = flax, RIGHTARG = kid_span, FUNCTION = kid_within,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (
    LEFTARG = kid_span, RIGHTARG = flax, FUNCTION = flax_range_contains,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);
COMMENT ON OPERATOR <@ (flax, kid_span) IS 'is in the range of time';
COMMENT ON OPERATOR @> (kid_span, flax) IS 'range of time contains';

-- from src/sql/extension/traits/uuid.sql.in

-- flax: its text form, 16 characters, as the 16 bytes of a uuid (src/pg/traits/uuid_casts.hpp)

CREATE FUNCTION flax_to_uuid(flax) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_to_uuid(flax) IS 'returns the uuid whose 16 bytes are the text form of an ID';
CREATE FUNCTION flax_from_uuid(uuid) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_from_uuid(uuid) IS 'returns the ID whose text form is the 16 bytes of a uuid';

CREATE CAST (flax AS uuid) WITH FUNCTION flax_to_uuid(flax);
COMMENT ON CAST (flax AS uuid) IS 'the 16 characters of the text form, as bytes';
CREATE CAST (uuid AS flax) WITH FUNCTION flax_from_uuid(uuid);
COMMENT ON CAST (uuid AS flax) IS 'reads the 16 bytes as the text form';

-- from src/sql/extension/types/flax.sql

-- flax: generators, and what else only this type has

CREATE FUNCTION flax_next() RETURNS flax
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_next() IS
    'makes a flax from the time of the system clock and 56 bits of PostgreSQL''s strong random generator';
CREATE FUNCTION flax_next(n bigint) RETURNS SETOF flax
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'flax_next_many';
COMMENT ON FUNCTION flax_next(n bigint) IS 'makes n flax, as flax_next() does';
CREATE FUNCTION flax_at(ts timestamptz) RETURNS flax
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_at(ts timestamptz) IS 'makes a flax for a given time in the past';
CREATE FUNCTION flax_make(ts timestamptz, random bytea) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_make(ts timestamptz, random bytea) IS
    'assembles a flax from an instant and a random part of 7 bytes';
CREATE FUNCTION kid_random(flax) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_random';
COMMENT ON FUNCTION kid_random(flax) IS 'returns the random part of an ID, 7 bytes';

CREATE FUNCTION kid_inspect(id flax, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 40, kid_timestamp(id)::text), ('random', 56, encode(kid_random(id), 'hex'));
END;
COMMENT ON FUNCTION kid_inspect(id flax) IS 'lists the components of an ID, most significant first';

-- from src/sql/extension/types/uuidv7.sql

-- uuid version 7
--
-- It has kid_within() instead of the operator <@, which would interfere with range types over uuid.

CREATE FUNCTION kid_uuidv7() RETURNS uuid
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kid_uuidv7_next';
COMMENT ON FUNCTION kid_uuidv7() IS 'makes a uuid of version 7 greater than all that the cluster issued before';
CREATE FUNCTION kid_uuidv7(n bigint) RETURNS SETOF uuid
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid_uuidv7_next_many';
COMMENT ON FUNCTION kid_uuidv7(n bigint) IS 'makes n uuids of version 7, each greater than the one before it';
CREATE FUNCTION kid_uuidv7_at(ts timestamptz) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_at(ts timestamptz) IS 'makes a uuid of version 7 for a given time in the past';

CREATE FUNCTION kid_timestamp(uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'kid_uuidv7_timestamp';
COMMENT ON FUNCTION kid_timestamp(uuid) IS
    'returns the beginning of the millisecond of a uuid of version 7, and NULL for other versions';
CREATE FUNCTION kid_uuidv7_timestamp(uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_timestamp(uuid) IS 'same as kid_timestamp(), under a name that is not overloaded';
CREATE FUNCTION kid_uuidv7_floor(timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_floor(timestamptz) IS
    'returns the lowest uuid of version 7 of the millisecond that contains an instant';
CREATE FUNCTION kid_uuidv7_ceil(timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_ceil(timestamptz) IS
    'returns the highest uuid of version 7 of the millisecond that contains an instant';
CREATE FUNCTION kid_within(uuid, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid_uuidv7_within';
COMMENT ON FUNCTION kid_within(uuid, kid_span) IS
    'tells whether a uuid is between the lowest and the highest UUID of version 7 of a range of time; one of another '
    'version can be, too';

CREATE FUNCTION kid_encode(id uuid, prefix text DEFAULT '') RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_uuid_encode';
COMMENT ON FUNCTION kid_encode(id uuid, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE FUNCTION kid_uuid_decode(encoded text, prefix text DEFAULT '') RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuid_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';

CREATE FUNCTION kid_uuidv7_horizon() RETURNS uuid
    LANGUAGE C STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_horizon() IS
    'returns the horizon: no more rows with smaller IDs will appear, so consumers can read up to it';
CREATE FUNCTION kid_observe(uuid) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_uuidv7_observe';
COMMENT ON FUNCTION kid_observe(uuid) IS 'moves the logical clock past an ID from elsewhere';
REVOKE ALL ON FUNCTION kid_observe(uuid) FROM PUBLIC;

-- from src/sql/extension/traits/time_comparison.sql.in

-- uuid: functions that compare IDs with time (src/pg/traits/time.hpp)
--
-- IDs are compared in time units: an ID is as late as any instant of its unit. So two adjacent ranges neither share an
-- ID nor miss one. Planner support turns these comparisons into comparisons of IDs.
--
-- This is for types whose time depends on no setting; time_comparison_with_setting.sql.in is for the others. For both,
-- time_operators.sql.in has the operators.

CREATE FUNCTION kid_uuidv7_edge(which text, operator text, ts timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_edge(which text, operator text, ts timestamptz) IS
    'planner support: returns the lowest or the highest uuid that is <, <=, >= or > an instant';
CREATE FUNCTION kid_uuidv7_edge(which text, range tstzrange) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_uuidv7_edge_of_range';
COMMENT ON FUNCTION kid_uuidv7_edge(which text, range tstzrange) IS
    'planner support: returns the lowest or the highest uuid in a range of time';

CREATE FUNCTION kid_uuidv7_lt_time(uuid, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_lt_time(uuid, timestamptz) IS 'implementation of < operator';
CREATE FUNCTION kid_uuidv7_time_lt(timestamptz, uuid) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_time_lt(timestamptz, uuid) IS 'implementation of < operator';
CREATE FUNCTION kid_uuidv7_le_time(uuid, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_le_time(uuid, timestamptz) IS 'implementation of <= operator';
CREATE FUNCTION kid_uuidv7_time_le(timestamptz, uuid) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_time_le(timestamptz, uuid) IS 'implementation of <= operator';
CREATE FUNCTION kid_uuidv7_ge_time(uuid, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_ge_time(uuid, timestamptz) IS 'implementation of >= operator';
CREATE FUNCTION kid_uuidv7_time_ge(timestamptz, uuid) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_time_ge(timestamptz, uuid) IS 'implementation of >= operator';
CREATE FUNCTION kid_uuidv7_gt_time(uuid, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_gt_time(uuid, timestamptz) IS 'implementation of > operator';
CREATE FUNCTION kid_uuidv7_time_gt(timestamptz, uuid) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_time_gt(timestamptz, uuid) IS 'implementation of > operator';

-- from src/sql/extension/traits/time_operators.sql.in

-- uuid: operators that compare IDs with time, in time units

CREATE OPERATOR < (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = kid_uuidv7_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = kid_uuidv7_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR < (uuid, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR < (timestamptz, uuid) IS 'earlier than, in time units';

CREATE OPERATOR <= (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = kid_uuidv7_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = kid_uuidv7_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <= (uuid, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR <= (timestamptz, uuid) IS 'not later than, in time units';

CREATE OPERATOR >= (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = kid_uuidv7_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = kid_uuidv7_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >= (uuid, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR >= (timestamptz, uuid) IS 'not earlier than, in time units';

CREATE OPERATOR > (
    LEFTARG = uuid, RIGHTARG = timestamptz, FUNCTION = kid_uuidv7_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = uuid, FUNCTION = kid_uuidv7_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR > (uuid, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR > (timestamptz, uuid) IS 'later than, in time units';

-- from src/sql/within.sql.in

-- uuid: a range of time for both editions
--
-- In plain SQL no operator compares an ID with a time: one for kid64, a domain over bigint, would compare every
-- integer. If this function were STRICT, PostgreSQL would not inline it, and a condition would not become a range of
-- the key.
--
-- An instant that is NULL is unknown, as in the comparisons of which this function consists. For columns of type
-- bigint, kid53_within() and kid64_within() take it for no limit instead, because tools leave a filter that is not set
-- NULL.

CREATE FUNCTION kid_within(id uuid, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN id >= kid_uuidv7_floor(since) AND id < kid_uuidv7_floor(until);
COMMENT ON FUNCTION kid_within(id uuid, since timestamptz, until timestamptz) IS
    'returns true if the time of an ID is at or after "since" and before "until"; '
    'infinity means no limit, NULL an unknown time';

-- from src/sql/inspect_uuid.sql

-- uuid version 7: its components

CREATE FUNCTION kid_inspect(id uuid, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 6
BEGIN ATOMIC
    WITH parts AS (SELECT get_byte(b, 6) >> 4 AS version, (get_byte(b, 6) & 15) << 8 | get_byte(b, 7) AS fraction,
                          get_byte(b, 8) >> 6 AS variant, get_byte(b, 8) >> 2 & 15 AS count,
                          encode(set_byte(substr(b, 9), 0, get_byte(b, 8) & 3), 'hex') AS random
                     FROM uuid_send(id) AS b)
    SELECT c.component, c.bits, CASE WHEN c.always OR kid_timestamp(id) IS NOT NULL THEN c.value END
      FROM parts, LATERAL (VALUES ('timestamp', 48, kid_timestamp(id)::text, false),
                                  ('version', 4, version::text, true),
                                  ('fraction', 12, fraction::text, false),
                                  ('variant', 2, variant::text, true),
                                  ('count', 4, count::text, false),
                                  ('random', 58, random, false)) AS c (component, bits, value, always);
END;
COMMENT ON FUNCTION kid_inspect(id uuid) IS 'lists the components of a uuid of version 7, most significant first';

-- from src/sql/extension/types/kid53.sql

-- kid53: a bigint that JavaScript's numbers represent exactly
--
-- Every function has kid53 in its name, and no operator compares a bigint with a time. So kid changes the meaning of no
-- query on numbers. That is also why this file uses no template of extension/traits.

CREATE FUNCTION kid53_next() RETURNS bigint
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_next() IS
    'makes a bigint from 0 to 2^53 - 1 that is greater than all that this function returned in the cluster before';
CREATE FUNCTION kid53_next(n bigint) RETURNS SETOF bigint
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid53_next_many';
COMMENT ON FUNCTION kid53_next(n bigint) IS 'makes n kid53, each greater than the one before it';
CREATE FUNCTION kid53_at(ts timestamptz) RETURNS bigint
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_at(ts timestamptz) IS 'makes a kid53 for a given time in the past';
CREATE FUNCTION kid53_make(ts timestamptz, sequence integer) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_make(ts timestamptz, sequence integer) IS
    'assembles a kid53 from an instant and a sequence, 0 to 4095';

CREATE FUNCTION kid53_timestamp(bigint) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_timestamp(bigint) IS
    'returns the beginning of the millisecond of a kid53, and NULL for other numbers';
CREATE FUNCTION kid53_floor(timestamptz) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_floor(timestamptz) IS 'returns the lowest kid53 of the millisecond that contains an instant';
CREATE FUNCTION kid53_ceil(timestamptz) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_ceil(timestamptz) IS 'returns the highest kid53 of the millisecond that contains an instant';

CREATE FUNCTION kid53_sequence(bigint) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_sequence(bigint) IS
    'returns the sequence of a kid53 within its millisecond, 0 to 4095, and NULL for other numbers';
CREATE FUNCTION kid53_inspect(id bigint, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 41, kid53_timestamp(id)::text), ('sequence', 12, kid53_sequence(id)::text);
END;
COMMENT ON FUNCTION kid53_inspect(id bigint) IS 'lists the components of an ID, most significant first';

CREATE FUNCTION kid53_encode(id bigint, prefix text DEFAULT '') RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_encode(id bigint, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE FUNCTION kid53_decode(encoded text, prefix text DEFAULT '') RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_decode(encoded text, prefix text) IS 'reads what kid53_encode() wrote with the same prefix';

CREATE FUNCTION kid53_horizon() RETURNS bigint
    LANGUAGE C STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_horizon() IS
    'returns the horizon: no more rows with smaller IDs will appear, so consumers can read up to it';
CREATE FUNCTION kid53_observe(bigint) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_observe(bigint) IS 'moves the logical clock past an ID from elsewhere';
REVOKE ALL ON FUNCTION kid53_observe(bigint) FROM PUBLIC;

-- from src/sql/of_bigint.sql

-- Functions for columns of type bigint, for both editions. A name that is overloaded over the types of IDs cannot tell
-- which IDs a bigint is, so the scheme stands in these names.
--
-- If a function for a range were STRICT, or named an argument twice, PostgreSQL would not inline it for every argument,
-- and a condition would not become a range of the key.
--
-- An instant after the range of kid53 has the greatest number as its floor, which no generator makes.
CREATE FUNCTION kid53_within(id bigint, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= coalesce(kid53_floor(since), 0)
       AND id < coalesce(nullif(kid53_floor(until), 9007199254740991), 9007199254740992);
COMMENT ON FUNCTION kid53_within(id bigint, since timestamptz, until timestamptz) IS
    'returns true if the time of a kid53 is at or after "since" and before "until"; NULL means no limit';

-- A kid64 with a time from 18584-01-10 03:33:20 on is negative as a bigint. For such a time the function returns the
-- greatest bigint.
CREATE FUNCTION kid64_number(ts timestamptz, is_end boolean) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ts IS NULL AND NOT is_end THEN 0
            WHEN kid64_floor(ts)::bigint BETWEEN 0 AND 9223372036854775806
            THEN kid64_floor(ts)::bigint - is_end::integer
            ELSE 9223372036854775807 END;
COMMENT ON FUNCTION kid64_number(ts timestamptz, is_end boolean) IS
    'returns the lowest kid64 of an instant, or the number before, as a bigint; a part of kid64_within()';
CREATE FUNCTION kid64_within(id bigint, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= kid64_number(since, false) AND id <= kid64_number(until, true);
COMMENT ON FUNCTION kid64_within(id bigint, since timestamptz, until timestamptz) IS
    'returns true if the time of the kid64 in a bigint is at or after "since" and before "until"; NULL means no limit';
CREATE FUNCTION kid64_sequence(id bigint) RETURNS integer
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_sequence(id::kid64);
COMMENT ON FUNCTION kid64_sequence(id bigint) IS 'same as kid_sequence(), for the kid64 in a bigint';
CREATE FUNCTION kid64_encode(id bigint, prefix text DEFAULT '') RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_encode(id::kid64, prefix);
COMMENT ON FUNCTION kid64_encode(id bigint, prefix text) IS 'same as kid_encode(), for the kid64 in a bigint';
CREATE FUNCTION kid64_inspect(id bigint, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    SELECT * FROM kid_inspect(id::kid64);
END;
COMMENT ON FUNCTION kid64_inspect(id bigint) IS 'same as kid_inspect(), for the kid64 in a bigint';

-- from src/sql/extension/status.sql

-- The version, functions that show the logical clocks and the server, and kid_own_ids_trigger()

CREATE FUNCTION kid_version() RETURNS text
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_version() IS 'returns the version of the library that the session has loaded';

CREATE FUNCTION kid_stats(
    OUT clock text, OUT last_issued timestamptz, OUT ahead interval, OUT waits bigint, OUT backward_steps bigint,
    OUT ticks bigint, OUT safe_mark timestamptz, OUT lease_until timestamptz, OUT renewals bigint, OUT waiting bigint,
    OUT waiting_for interval, OUT held_by integer, OUT held_for interval, OUT problem text)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 5 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_stats() IS
    'returns the state of each logical clock of the cluster, and its counters since the server started';

REVOKE ALL ON FUNCTION kid_stats() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid_stats() TO pg_read_all_stats;

CREATE FUNCTION kid_own_ids_trigger() RETURNS trigger
    LANGUAGE C AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_own_ids_trigger() IS
    'rejects a row whose ID, in the column that the trigger names, was not made in this transaction';

CREATE FUNCTION kid_identity(
    OUT node bigint, OUT partition bigint, OUT generator bigint, OUT lane bigint, OUT lanes bigint)
    RETURNS record
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_identity() IS
    'returns what this server puts into IDs: the node of kid96, the partition of sno, the generator of flake, and the '
    'lane of kid64, kid96 and kid53';

-- from src/sql/extension/track/triggers.sql

-- The triggers of kid_track() in C, and what kid_horizon(table) reads first

CREATE FUNCTION kid_track_enter() RETURNS trigger
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_track_enter() IS 'takes the lock of a transaction for `kid_horizon(table)`';

CREATE FUNCTION kid_track_check() RETURNS trigger
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_track_check() IS 'rejects rows whose ID was not made in their transaction';

-- Takes the sequence from the default of the column, not from the argument, which only the edition in plain SQL needs.
CREATE FUNCTION kid_track_last(tab oid, col text, seq oid) RETURNS bigint
    LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_track_last(tab oid, col text, seq oid) IS
    'returns the last value of what a tracked column draws from, to those who may read the table';

-- from src/sql/tables/common.sql

-- Functions on tables, for both editions
--
-- Other roles may be able to create functions and operators in the schema of kid, and the owner of the schema can
-- rename it. So nothing here depends on what a name means when a function runs:
--
--   PostgreSQL looks up the names in functions in SQL when it creates them. They name objects of pg_catalog, and
--   objects of kid with their schema and with arguments of exactly the types of the parameters. Only functions in SQL
--   call functions of kid.
--
--   Functions in PL/pgSQL look up names when they run, in pg_catalog alone. They call no function of kid, but get what
--   they need as arguments. Where the text of a query has to name kid's schema, they read its name from the catalog
--   just before, and a superuser first locks the name. Only a superuser can. Where a statement creates or drops
--   something that they name, and may wait before it looks for the name, they then check what it found.

-- From here to the end of tables/parts.sql, names without a schema are those of pg_catalog.
SET LOCAL search_path = pg_catalog, pg_temp;

-- Raises an error. A function in SQL, which has no IF, calls it for a condition under which it cannot go on:
--
--     SELECT kid_refuse('22023', 'at_most must be greater than 0') WHERE at_most < 1;
--
-- PostgreSQL calls it only if the condition is true, and not while it plans, because the function is VOLATILE.
CREATE FUNCTION @extschema@.kid_refuse(state text, message text, detail text DEFAULT '', hint text DEFAULT '')
    RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF detail <> '' AND hint <> '' THEN
        RAISE '%', message USING ERRCODE = state, DETAIL = detail, HINT = hint;
    ELSIF detail <> '' THEN
        RAISE '%', message USING ERRCODE = state, DETAIL = detail;
    ELSIF hint <> '' THEN
        RAISE '%', message USING ERRCODE = state, HINT = hint;
    END IF;
    RAISE '%', message USING ERRCODE = state;
END $$;
COMMENT ON FUNCTION @extschema@.kid_refuse(text, text, text, text) IS 'raises an error, for functions in SQL';

-- Raises the error for an argument that is null:
--
--     SELECT kid_refuse_null('parent') WHERE parent IS NULL;
--
-- A function that is called for what it does refuses null, unless that has a meaning of its own. Functions on worker
-- numbers and keys of kid_seal raise the same error themselves. What computes something from its arguments returns
-- null instead, as kid_timestamp() does. test/t/null_arguments.pl lists them.
CREATE FUNCTION @extschema@.kid_refuse_null(argument text, hint text DEFAULT '') RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF hint <> '' THEN
        RAISE 'argument "%" must not be null', argument USING ERRCODE = 'null_value_not_allowed', HINT = hint;
    END IF;
    RAISE 'argument "%" must not be null', argument USING ERRCODE = 'null_value_not_allowed';
END $$;
COMMENT ON FUNCTION @extschema@.kid_refuse_null(text, text) IS
    'raises an error for an argument that is null, for functions in SQL';

-- Raises an error at isolation levels at which later queries of a function would not see what others have committed
-- meanwhile. The function is in PL/pgSQL, which keeps the plan of its query for the next call.
CREATE FUNCTION @extschema@.kid_check_isolation(message text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') NOT LIKE 'read %committed' THEN
        RAISE '%', message
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'At other levels, later statements do not see what was committed after the first one.',
                  HINT = 'Begin the transaction with BEGIN ISOLATION LEVEL READ COMMITTED, or, before it, '
                           'SET default_transaction_isolation = ''read committed''.';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_check_isolation(text) IS
    'raises an error if all statements of this transaction have the same snapshot';

-- from src/sql/extension/forms.sql

-- The types of the extension, for functions on tables: bounds of partitions by time, and columns that contain IDs
--
-- A bound is the text of an ID, with spaces before it, as a value of type name: such values sort by their bytes, and so
-- as the IDs do. With the spaces it has 36 characters, as many as a uuid, whose text is the longest.

CREATE FUNCTION @extschema@.kid_bound_at(type regtype, ts timestamptz) RETURNS name
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN lpad(CASE type::oid
                WHEN '@extschema@.kid64'::regtype::oid THEN @extschema@.kid64_floor(ts)::text
                WHEN '@extschema@.kid96'::regtype::oid THEN @extschema@.kid96_floor(ts)::text
                WHEN '@extschema@.sno'::regtype::oid THEN @extschema@.sno_floor(ts)::text
                WHEN '@extschema@.flake'::regtype::oid THEN @extschema@.flake_floor(ts)::text
                WHEN '@extschema@.flax'::regtype::oid THEN @extschema@.flax_floor(ts)::text
                WHEN 'uuid'::regtype::oid THEN @extschema@.kid_uuidv7_floor(ts)::text
                WHEN 'bigint'::regtype::oid THEN @extschema@.kid53_floor(ts)::text
            END, 36)::name;
COMMENT ON FUNCTION @extschema@.kid_bound_at(regtype, timestamptz) IS
    'returns the lowest ID of the time unit that contains an instant, as a bound; NULL if kid makes no IDs of the type';

-- A bound of uuids need not be of version 7, so its first 48 bits, in 13 characters, become a uuid that is. A bound of
-- bigints can be above the greatest kid53, 9007199254740991.
CREATE FUNCTION @extschema@.kid_bound_time(type regtype, bound name) RETURNS timestamptz
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE type::oid
           WHEN '@extschema@.kid64'::regtype::oid
           THEN @extschema@.kid64_timestamp(ltrim(bound::text)::@extschema@.kid64)
           WHEN '@extschema@.kid96'::regtype::oid
           THEN @extschema@.kid96_timestamp(ltrim(bound::text)::@extschema@.kid96)
           WHEN '@extschema@.sno'::regtype::oid
           THEN @extschema@.sno_timestamp(ltrim(bound::text)::@extschema@.sno)
           WHEN '@extschema@.flake'::regtype::oid
           THEN @extschema@.flake_timestamp(ltrim(bound::text)::@extschema@.flake)
           WHEN '@extschema@.flax'::regtype::oid
           THEN @extschema@.flax_timestamp(ltrim(bound::text)::@extschema@.flax)
           WHEN 'uuid'::regtype::oid
           THEN @extschema@.kid_uuidv7_timestamp((left(bound::text, 13) || '-7000-8000-000000000000')::uuid)
           WHEN 'bigint'::regtype::oid
           THEN @extschema@.kid53_timestamp(CASE WHEN bound IS NOT NULL
                                                 THEN least(ltrim(bound::text)::bigint, 9007199254740991) END)
       END;
COMMENT ON FUNCTION @extschema@.kid_bound_time(regtype, name) IS 'returns when the time unit of a bound begins';

-- A column of bigints can contain IDs of another type with the same bits. Its bounds are numbers, which these functions
-- turn into bounds of that type, and back.
CREATE FUNCTION @extschema@.kid_bound_of(type regtype, stored_as regtype, stored text) RETURNS name
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN lpad(CASE WHEN type = stored_as THEN stored
                 ELSE CASE type::oid
                          WHEN '@extschema@.kid64'::regtype::oid THEN stored::bigint::@extschema@.kid64::text
                          WHEN '@extschema@.flake'::regtype::oid THEN stored::bigint::@extschema@.flake::text
                      END
            END, 36)::name;
COMMENT ON FUNCTION @extschema@.kid_bound_of(regtype, regtype, text) IS
    'returns a bound from the text that the catalog has for it';
CREATE FUNCTION @extschema@.kid_stored_bound(type regtype, stored_as regtype, bound name) RETURNS text
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE WHEN type = stored_as THEN ltrim(bound::text)
            ELSE CASE type::oid
                     WHEN '@extschema@.kid64'::regtype::oid THEN ltrim(bound::text)::@extschema@.kid64::bigint::text
                     WHEN '@extschema@.flake'::regtype::oid THEN ltrim(bound::text)::@extschema@.flake::bigint::text
                 END
       END;
COMMENT ON FUNCTION @extschema@.kid_stored_bound(regtype, regtype, name) IS
    'returns a bound as the text that a column takes';

-- Returns the types of IDs, in a row for each type that a column with such IDs can have:
--
--     clock       the logical clock from which the IDs are, or null
--     type        the type of the IDs
--     prefix      what the names of its functions begin with
--     past        the function that returns the last ID of a time
--     observe     the function that moves the clock past an ID, such as that one
--     time_of     the function that returns the time of an ID
--     next        the generator, or null
--     setting     the setting that the time in an ID depends on, or null
--     is_core     whether the type is one of PostgreSQL's, which has other values, too
--     stored_as   the type of the column
CREATE FUNCTION @extschema@.kid_stored_forms()
    RETURNS TABLE (clock text, type regtype, prefix text, past text, observe text, time_of text, next regprocedure,
                   setting text, is_core boolean, stored_as regtype)
    LANGUAGE SQL STABLE PARALLEL SAFE
BEGIN ATOMIC
    -- The OIDs of PostgreSQL's own objects are below 16384.
    SELECT v.clock, v.type, v.prefix, v.past, v.observe, v.time_of, v.next, v.setting, v.type::oid < 16384, s.stored_as
      FROM (VALUES
               ('kid', '@extschema@.kid64'::regtype, 'kid64', 'kid64_ceil', 'kid_observe', 'kid_timestamp',
                '@extschema@.kid_next()'::regprocedure, NULL, ARRAY['@extschema@.kid64', 'bigint']::regtype[]),
               ('kid', '@extschema@.kid96'::regtype, 'kid96', 'kid64_ceil', 'kid_observe', 'kid_timestamp',
                '@extschema@.kid96_next()'::regprocedure, 'kid.neighborhood',
                ARRAY['@extschema@.kid96', 'uuid']::regtype[]),
               ('sno', '@extschema@.sno'::regtype, 'sno', 'sno_ceil', 'kid_observe', 'kid_timestamp',
                '@extschema@.sno_next(integer)'::regprocedure, NULL, ARRAY['@extschema@.sno', 'uuid']::regtype[]),
               ('flake', '@extschema@.flake'::regtype, 'flake', 'flake_ceil', 'kid_observe', 'kid_timestamp',
                '@extschema@.flake_next()'::regprocedure, 'kid.flake_epoch',
                ARRAY['@extschema@.flake', 'bigint']::regtype[]),
               (NULL, '@extschema@.flax'::regtype, 'flax', 'flax_ceil', 'kid_observe', 'kid_timestamp',
                '@extschema@.flax_next()'::regprocedure, NULL, ARRAY['@extschema@.flax', 'uuid']::regtype[]),
               ('uuidv7', 'uuid'::regtype, 'kid_uuidv7', 'kid_uuidv7_ceil', 'kid_observe', 'kid_timestamp',
                '@extschema@.kid_uuidv7()'::regprocedure, NULL, ARRAY['uuid']::regtype[]),
               ('kid53', 'bigint'::regtype, 'kid53', 'kid53_ceil', 'kid53_observe', 'kid53_timestamp',
                '@extschema@.kid53_next()'::regprocedure, NULL, ARRAY['bigint']::regtype[])
           ) AS v (clock, type, prefix, past, observe, time_of, next, setting, stored_as),
           unnest(v.stored_as) AS s (stored_as);
END;
COMMENT ON FUNCTION @extschema@.kid_stored_forms() IS
    'returns the types of IDs, and the types of columns that they are stored in';

-- from src/sql/tables/stored_ids/default_ids.sql

-- Columns and domains whose default makes IDs. Only the default tells that a column of a core type contains IDs: values
-- of other columns of that type come from elsewhere. A default can do more than call a generator, such as
-- kid53_next() % 16, and then need not make IDs: `is_whole` is false. A clock moves past the values of such columns all
-- the same, to be safe.

-- Returns either `relid` and `attname` of a column, or `domain`, and null for the others. PostgreSQL creates partitions
-- with the defaults of their parent, but later defaults of the parent are also in force for them.
CREATE FUNCTION @extschema@.kid_default_ids()
    RETURNS TABLE (relid oid, attname name, domain oid, type regtype, is_whole boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    generators AS (
        -- Other roles can create functions in the schema of kid. The functions of kid are those of its owner.
        SELECT DISTINCT p.oid, f.type
          FROM @extschema@.kid_stored_forms() AS f
               JOIN pg_proc AS k ON k.oid = '@extschema@.kid_stored_forms()'::regprocedure
               JOIN pg_proc AS p ON p.pronamespace = k.pronamespace AND p.proowner = k.proowner
                                AND p.prorettype = f.type::oid AND p.provolatile = 'v'
                                AND (NOT f.is_core OR starts_with(p.proname::text, f.prefix))
    ),
    -- `is_whole` is true of calls such as kid_next(), kid.sno_next(0), "my kid".kid53_next() and
    -- (kid64_next())::bigint, and false of (kid53_next() % 16).
    defaults (relid, attname, domain, type, is_whole) AS (
        SELECT a.attrelid, a.attname, CASE WHEN d.classid = 'pg_type'::regclass THEN d.objid END, g.type,
               coalesce(pg_get_expr(ad.adbin, ad.adrelid), pg_get_expr(t.typdefaultbin, 0))
               ~ '^[(]*("([^"]|"")+"[.]|[^"().]+[.]|)[a-z0-9_]+[(][0-9]*[)][)]*(::bigint|::uuid|)$'
          FROM generators AS g
               JOIN pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = g.oid
               LEFT JOIN pg_attrdef AS ad ON d.classid = 'pg_attrdef'::regclass AND ad.oid = d.objid
               LEFT JOIN pg_attribute AS a ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
               LEFT JOIN pg_type AS t ON d.classid = 'pg_type'::regclass AND t.oid = d.objid
        UNION
        SELECT c.oid, d.attname, NULL, d.type, d.is_whole
          FROM defaults AS d JOIN pg_inherits AS i ON i.inhparent = d.relid
                             JOIN pg_class AS c ON c.oid = i.inhrelid AND c.relispartition
    )
    SELECT d.relid, d.attname, d.domain, d.type, d.is_whole FROM defaults AS d
     WHERE d.relid IS NOT NULL OR d.domain IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.kid_default_ids() IS 'returns the columns and domains whose default makes IDs';

-- from src/sql/tables/partitions/partition_key.sql

-- Tables that are partitioned by IDs: the column, and the IDs that it contains

-- Returns what a partition key can contain: the type of IDs, the column `name` and its type `stored_as`, the setting
-- that the time in IDs depends on, or null, and the call that returns the time, as SQL. A bigint contains the IDs that
-- its default makes, or, if that makes none, those that `ids` names by the prefix of their functions, such as kid53.
CREATE FUNCTION @extschema@.kid_key_ids(parent regclass, ids text)
    RETURNS TABLE (type regtype, name name, stored_as regtype, setting text, time_of text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- What the default of the column makes
    WITH told AS (
        SELECT d.type
          FROM pg_partitioned_table AS p
               JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
               JOIN @extschema@.kid_default_ids() AS d
                 ON d.relid = p.partrelid AND d.attname = a.attname AND d.is_whole
         WHERE p.partrelid = parent)
    -- k has the schema of kid.
    SELECT DISTINCT f.type, a.attname, a.atttypid::regtype, f.setting,
           -- With the cast no function that another role has created for a bigint fits better.
           format(CASE WHEN f.type::oid = a.atttypid THEN '%s.%I(%I)' ELSE '%s.%I((%I)::%s)' END,
                  k.pronamespace::regnamespace,
                  CASE WHEN f.type::oid = a.atttypid THEN f.time_of ELSE f.prefix || '_timestamp' END,
                  a.attname, f.type)
      FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
           JOIN @extschema@.kid_stored_forms() AS f
             ON f.type::oid = a.atttypid OR f.stored_as = 'bigint'::regtype AND a.atttypid = 'bigint'::regtype::oid,
           pg_proc AS k
     WHERE p.partrelid = parent AND k.oid = '@extschema@.kid_stored_forms()'::regprocedure
           AND (ids IS NULL OR f.prefix = ids)
           -- If the default tells, nothing else does.
           AND (a.atttypid <> 'bigint'::regtype::oid OR f.type IN (SELECT t.type FROM told AS t)
                OR ids IS NOT NULL AND NOT EXISTS (SELECT FROM told));
END;
COMMENT ON FUNCTION @extschema@.kid_key_ids(regclass, text) IS
    'returns the IDs that the partition key of a table contains; a part of kid_partition_key()';

-- Returns the row of kid_key_ids(). Raises an error if the table is not partitioned by range of one column, or if
-- kid_key_ids() does not return exactly one row, for example because kid makes no IDs of the column's type.
CREATE FUNCTION @extschema@.kid_partition_key(
    parent regclass, ids text, OUT type regtype, OUT name name, OUT stored_as regtype, OUT setting text,
    OUT time_of text)
    LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse('42809', format('table %s is not partitioned by range of one column', parent))
     WHERE parent IS NOT NULL
           AND NOT EXISTS (SELECT FROM pg_partitioned_table AS p
                            WHERE p.partrelid = parent AND p.partstrat = 'r' AND p.partnatts = 1
                              AND p.partattrs[0] <> 0);
    SELECT @extschema@.kid_refuse(
               '42809',
               format('table %s is partitioned by column "%s" of type %s', parent, a.attname, a.atttypid::regtype),
               CASE WHEN ids IS NOT NULL THEN format('The argument "ids" is "%s", which does not fit the column.', ids)
                    WHEN a.atttypid = 'bigint'::regtype::oid
                    THEN 'The default of the column does not make IDs of one type, and nothing else says what it '
                         'contains.'
                    ELSE 'The column must be of a type for which kid makes IDs, and not of a domain.' END,
               CASE WHEN a.atttypid = 'bigint'::regtype::oid
                    THEN 'Say what IDs the numbers are: ids => ''kid53'' or ids => ''kid64''.'
                    ELSE '' END)
      FROM pg_partitioned_table AS p JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
     WHERE p.partrelid = parent AND (SELECT count(*) FROM @extschema@.kid_key_ids(parent, ids)) <> 1;
    SELECT k.type, k.name, k.stored_as, k.setting, k.time_of FROM @extschema@.kid_key_ids(parent, ids) AS k;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_key(regclass, text) IS
    'returns the column that a table is partitioned by, and the IDs that it contains';

-- from src/sql/tables/partitions/partition_bounds.sql

-- The bounds of partitions, as times and as a condition on the time

-- Returns all partitions but the default one. A bound is as in forms.sql, but empty for what is below all IDs:
-- MINVALUE, or a negative number. `upper` is null for MAXVALUE.
CREATE FUNCTION @extschema@.kid_partition_bounds(parent regclass, ids text)
    RETURNS TABLE (partition regclass, lower name, upper name, begins timestamptz, ends timestamptz, detaching boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- pg_get_expr() returns a text such as FOR VALUES FROM ('-5') TO ('100') or FOR VALUES FROM (MINVALUE) TO ('100').
    -- The regular expression takes both bounds out of it, without quotes, and matches no default partition.
    SELECT i.inhrelid::regclass, b.lower, b.upper,
           CASE WHEN b.lower = '' THEN '-infinity' ELSE @extschema@.kid_bound_time(k.type, b.lower) END,
           CASE WHEN b.upper = '' THEN '-infinity'
                ELSE coalesce(@extschema@.kid_bound_time(k.type, b.upper), 'infinity') END, i.inhdetachpending
      FROM @extschema@.kid_partition_key(parent, ids) AS k,
           pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid,
           regexp_match(pg_get_expr(c.relpartbound, c.oid),
                        'FROM [(]''*([^'')]+)''*[)] TO [(]''*([^'')]+)''*[)]') AS t (text),
           LATERAL (SELECT CASE WHEN t.text[1] ~ '^(MINVALUE|-[0-9]+)$' THEN ''
                                ELSE @extschema@.kid_bound_of(k.type, k.stored_as, t.text[1]) END,
                           CASE WHEN t.text[2] ~ '^-[0-9]+$' THEN ''
                                WHEN t.text[2] <> 'MAXVALUE'
                                THEN @extschema@.kid_bound_of(k.type, k.stored_as, t.text[2]) END)
                   AS b (lower, upper)
     WHERE i.inhparent = parent AND t.text IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_bounds(regclass, text) IS
    'returns the partitions of a table with their bounds and times';

-- Returns for example kid.kid_timestamp(id) >= '2021-01-01 00:00:00+00'::timestamptz AND kid.kid_timestamp(id) < ...
--
-- `time_of` is the call that returns the time of an ID, as SQL. Returns null if the time depends on a setting. A lower
-- bound made by hand can have components that no ID has. Then IDs above the bound have earlier times than the bound,
-- and the result is null, too.
CREATE FUNCTION @extschema@.kid_time_check(type regtype, time_of text, setting text, lower name, upper name)
    RETURNS text
    LANGUAGE SQL STABLE SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT nullif(concat_ws(
               ' AND ',
               CASE WHEN t.begins IS NOT NULL THEN format('%s >= %L::timestamptz', time_of, t.begins) END,
               CASE WHEN t.ends IS NOT NULL
                    THEN format('%s %s %L::timestamptz', time_of,
                                CASE WHEN upper = @extschema@.kid_bound_at(type, t.ends) THEN '<' ELSE '<=' END,
                                t.ends) END), '')
      FROM (SELECT @extschema@.kid_bound_time(type, nullif(lower, '')),
                   @extschema@.kid_bound_time(type, nullif(upper, '')))
           AS t (begins, ends)
     WHERE setting IS NULL
           AND (lower = '' OR @extschema@.kid_bound_at(type, t.begins - interval '1 microsecond') <= lower);
END;
COMMENT ON FUNCTION @extschema@.kid_time_check(regtype, text, text, name, name) IS
    'returns the condition on the time of the IDs between two bounds, as SQL';

-- from src/sql/tables/partitions/partitions.sql

-- kid_partitions(): lists the partitions of a table, for both editions

-- For a partition that is itself partitioned, adds up its partitions. Keeps no lock, because there may be many of them.
CREATE FUNCTION @extschema@.kid_partitions(parent regclass, ids text DEFAULT NULL)
    RETURNS TABLE (partition regclass, begins timestamptz, ends timestamptz, rows bigint, bytes bigint,
                   detaching boolean, missing_check text)
    LANGUAGE SQL STABLE
    SET TimeZone = 'UTC' SET quote_all_identifiers = off SET jit = off
BEGIN ATOMIC
    -- An error even if there are no partitions
    SELECT @extschema@.kid_partition_key(parent, ids);
    WITH RECURSIVE
         below AS (SELECT i.inhrelid AS partition, i.inhrelid AS oid FROM pg_inherits AS i WHERE i.inhparent = parent
                   UNION ALL
                   SELECT b.partition, i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid),
         sums AS (SELECT b.partition, sum(pg_total_relation_size(c.oid)) AS bytes,
                         sum(CASE WHEN c.reltuples >= 0 THEN c.reltuples ELSE pg_stat_get_live_tuples(c.oid) END)
                             FILTER (WHERE c.relkind <> 'p') AS rows
                    FROM below AS b JOIN pg_class AS c ON c.oid = b.oid GROUP BY b.partition),
         listed AS (SELECT b.partition, b.begins, b.ends, b.detaching,
                           @extschema@.kid_time_check(k.type, k.time_of, k.setting, b.lower, b.upper) AS time_check
                      FROM @extschema@.kid_partition_key(parent, ids) AS k,
                           @extschema@.kid_partition_bounds(parent, ids) AS b
                    UNION ALL
                    SELECT p.partdefid::regclass, NULL, NULL, false, NULL
                      FROM pg_partitioned_table AS p WHERE p.partrelid = parent AND p.partdefid <> 0)
    SELECT t.partition, t.begins, t.ends, coalesce(s.rows, 0)::bigint, s.bytes::bigint, t.detaching,
           CASE WHEN NOT EXISTS (SELECT FROM pg_constraint AS c
                                  WHERE c.conrelid = t.partition AND c.contype = 'c' AND c.convalidated
                                    AND c.coninhcount = 0 AND c.conname ~ '^kid_time(_[0-9]+|)$')
                THEN t.time_check END
      FROM listed AS t LEFT JOIN sums AS s ON s.partition = t.partition
     ORDER BY t.begins;
END;
COMMENT ON FUNCTION @extschema@.kid_partitions(regclass, text) IS
    'lists the partitions of a table, the earliest first, with their times, estimated rows and bytes on disk';

-- from src/sql/tables/partitions/lock_partitions.sql

-- What comes before a change of partitions: locks, and what refuses it
--
-- A table, its constraints and its triggers can run code of the owner. So functions that change partitions work only
-- for the owner, who can do all of it without them.

-- Locks a table of the caller: other sessions wait to change its partitions, but not to read or write. `home` is the
-- OID of kid's schema. Later queries name this schema and that of the table, so a superuser locks both names until the
-- transaction ends. LOCK TABLE takes only a name, which another table can get while the command waits.
CREATE FUNCTION @extschema@.kid_lock_parent(home oid, parent regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    full_name text;
    owner name := (SELECT pg_get_userbyid(c.relowner) FROM pg_class AS c WHERE c.oid = parent);
BEGIN
    IF owner <> current_user THEN
        RAISE 'must be owner of table %', parent
            USING ERRCODE = 'insufficient_privilege',
                  HINT = format('Connect as %I. SET ROLE is enough if you trust all code of that role: the code can '
                                'reset the role.', owner);
    END IF;
    IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) THEN
        PERFORM FROM pg_namespace AS n
          WHERE n.oid IN (home, (SELECT c.relnamespace FROM pg_class AS c WHERE c.oid = parent)) FOR KEY SHARE;
    END IF;
    full_name := parent;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', full_name);
    IF to_regclass(full_name) IS DISTINCT FROM parent THEN
        RAISE 'table % was renamed while its partitions were to be changed', full_name
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_lock_parent(oid, regclass) IS
    'locks a table and its name; a part of kid_lock_partitions()';

-- The caller's next statement sees all changes of partitions that came before.
CREATE FUNCTION @extschema@.kid_lock_partitions(parent regclass, ids text) RETURNS void
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT @extschema@.kid_check_isolation('partitions can only be changed at READ COMMITTED');
    -- A table without a key is an error of kid_partition_key().
    SELECT @extschema@.kid_lock_parent(p.pronamespace, parent)
      FROM @extschema@.kid_partition_key(parent, ids) AS k, pg_proc AS p
     WHERE p.oid = '@extschema@.kid_stored_forms()'::regprocedure;
END;
COMMENT ON FUNCTION @extschema@.kid_lock_partitions(regclass, text) IS
    'locks a table whose partitions are to be changed';

-- With another value of the setting, old rows seem to be new, and new rows seem to be old.
CREATE FUNCTION @extschema@.kid_check_partition_setting(setting text) RETURNS void
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    -- In the extension this loads the library, which defines the setting. The edition in plain SQL has no library.
    SELECT @extschema@.kid64_floor(now());
    SELECT @extschema@.kid_refuse(
               '55000', format('roles of this database have different values of "%s"', setting),
               'The time of a partition depends on this setting, and kid cannot know which value the IDs of the table '
               'were made with.',
               'Give all roles the same value, written alike, or create and drop partitions by their bounds.')
     WHERE EXISTS (SELECT FROM pg_db_role_setting AS s CROSS JOIN unnest(s.setconfig) AS c (text)
                         LEFT JOIN pg_database AS d ON d.oid = s.setdatabase
                    WHERE coalesce(d.datname, current_database()) = current_database()
                      AND lower(split_part(c.text, '=', 1)) = setting
                      AND substr(c.text, length(setting) + 2) <> current_setting(setting));
END;
COMMENT ON FUNCTION @extschema@.kid_check_partition_setting(text) IS
    'raises an error if the times of partitions depend on a setting that differs between roles';

-- PostgreSQL cannot distinguish a detach that was interrupted from one that is running.
CREATE FUNCTION @extschema@.kid_report_detaching(parent regclass, partition regclass, is_for_new_rows boolean)
    RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    detail text := 'The partition accepts no more rows, and no other can take its place until it is detached.';
    hint text := format('If no session is still detaching it, run ALTER TABLE %s DETACH PARTITION %s FINALIZE.', parent,
                        partition);
BEGIN
    IF is_for_new_rows THEN
        RAISE 'detaching partition % from % is not complete', partition, parent
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
    END IF;
    RAISE WARNING 'detaching partition % from % is not complete', partition, parent
        USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
END $$;
COMMENT ON FUNCTION @extschema@.kid_report_detaching(regclass, regclass, boolean) IS
    'raises an error if a partition that is being detached is for new rows, and otherwise a warning';

-- from src/sql/tables/partitions/missing_partitions.sql

-- The partitions that a table lacks: the gaps between its partitions, cut where periods begin
--
--     partitions                 [ A )           [ B )
--     gaps          ------------)     [---------)     [-------------------- ...
--     gaps to fill                    [---------)     [-------------------- ...
--     pieces                          [--)[---)[)     [-)[---)[---)[---)
--                                                                 ^ until
--
-- If the first partition begins at or before the present, all gaps after it are filled. Otherwise, or with `since`, all
-- gaps are filled from the period of the present, or of `since`, on. Months are counted from a January, all other
-- widths from Monday 2001-01-01.
--
-- A partition of no IDs is one whose upper bound is below all IDs, for negative numbers: see partition_bounds.sql.
--
-- A gap is cut into pieces where a period begins: at the lowest ID of that instant, or at the bound of the gap if that
-- is in the same time unit. Periods that begin in one time unit, which has up to 1,024 seconds, make one piece. Pieces
-- for new rows come first, because at_most may end the call.

CREATE FUNCTION @extschema@.kid_period(width interval, OUT months integer, OUT seconds numeric)
    LANGUAGE SQL IMMUTABLE
BEGIN ATOMIC
    -- From 17 on a width can be infinite.
    SELECT m.months, extract(epoch FROM width - make_interval(months => m.months))
      FROM (SELECT CASE WHEN isfinite(width)
                        THEN (extract(year FROM width) * 12 + extract(month FROM width))::integer END) AS m (months);
END;
COMMENT ON FUNCTION @extschema@.kid_period(interval) IS
    'returns the months of a width, and its seconds without them, or NULL if it is infinite';

-- Returns the time from which on gaps are filled. `follows` is true if that is the end of a partition, the first one of
-- IDs, and only gaps that begin there or later are filled. Otherwise it is `since` or the present, also within a gap.
CREATE FUNCTION @extschema@.kid_partition_origin(
    parent regclass, ids text, type regtype, since timestamptz, OUT begins timestamptz, OUT follows boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT coalesce(max(p.ends), since, now()), max(p.ends) IS NOT NULL
      FROM (SELECT b.* FROM @extschema@.kid_partition_bounds(parent, ids) AS b
             WHERE NOT b.detaching AND b.upper IS DISTINCT FROM '' ORDER BY b.lower LIMIT 1) AS p
     WHERE since IS NULL AND p.lower <= @extschema@.kid_bound_at(type, now());
END;
COMMENT ON FUNCTION @extschema@.kid_partition_origin(regclass, text, regtype, timestamptz) IS
    'returns the time from which on partitions are wanted, and whether a partition ends there';

-- Returns the gaps to fill, as bounds and times, and when the first period in each begins. The last gap has no upper
-- bound. date_trunc() and extract() are those of UTC, because the caller sets the time zone.
CREATE FUNCTION @extschema@.kid_partition_gaps(
    parent regclass, ids text, type regtype, width interval, since timestamptz)
    RETURNS TABLE (lower name, begins timestamptz, upper name, ends timestamptz, first timestamptz)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- The line "gaps" of the diagram: from each partition to the next one, also if nothing is between them. A partition
    -- of no IDs comes first, so that there is a gap before the others.
    WITH gaps AS (SELECT p.upper AS lower, p.ends AS begins, lead(p.lower) OVER sorted AS upper,
                         coalesce(lead(p.begins) OVER sorted, 'infinity') AS ends
                    FROM (SELECT b.lower, b.upper, b.begins, b.ends
                            FROM @extschema@.kid_partition_bounds(parent, ids) AS b
                          UNION ALL SELECT '', '', '-infinity', '-infinity') AS p
                  WINDOW sorted AS (ORDER BY p.lower, p.ends))
    SELECT g.*, CASE WHEN w.months = 0 THEN date_bin(width, t, '2001-01-01 00:00:00+00')
                     ELSE date_trunc('month', t) - make_interval(months => mod(
                         (extract(year FROM t) * 12 + extract(month FROM t) - 1)::integer, w.months))
                END
      FROM @extschema@.kid_partition_origin(parent, ids, type, since) AS o, gaps AS g,
           @extschema@.kid_period(width) AS w,
           @extschema@.kid_bound_at(type, '-infinity'::timestamptz) AS least_id,
           greatest(g.begins, o.begins, @extschema@.kid_bound_time(type, least_id)) AS t
     -- Nothing comes after a partition to MAXVALUE.
     WHERE g.lower IS NOT NULL AND g.lower IS DISTINCT FROM g.upper AND (g.begins >= o.begins OR NOT o.follows);
END;
COMMENT ON FUNCTION @extschema@.kid_partition_gaps(regclass, text, regtype, interval, timestamptz) IS
    'returns the gaps between the partitions of a table that are to be filled';

-- Returns the partitions that are missing, those for new rows first. `lower` and `upper` are their bounds, `begins` is
-- when the period of a partition begins, or its gap if that is later, and `n` is their order.
--
-- If there would be more than about 10000 of them, returns only the first of each gap, with `are_too_many`, and
-- kid_make_partitions() raises an error for that: counting what would be made takes less time than making its bounds.
-- `is_beyond_range` is true of a partition that would end after the last time of the type, for which that function
-- raises an error as well. The time zone is that of kid_partition_gaps().
CREATE FUNCTION @extschema@.kid_missing_partitions(
    parent regclass, ids text, type regtype, width interval, until timestamptz, since timestamptz)
    RETURNS TABLE (n bigint, begins timestamptz, lower name, upper name, are_too_many boolean, is_beyond_range boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- The line "gaps to fill" of the diagram, without gaps whose first period begins after `until`. All of these rows
    -- have the same `are_too_many`: whether they have more than 10000 periods together.
    WITH counted AS (SELECT g.*, sum((extract(epoch FROM least(g.ends, until)) - extract(epoch FROM g.first))
                                     / extract(epoch FROM width)) OVER () > 10000 AS are_too_many
                       FROM @extschema@.kid_partition_gaps(parent, ids, type, width, since) AS g
                      WHERE g.first <= least(g.ends, until)),
         -- Where the pieces of the diagram begin: a row for each time unit in which a period begins. Beyond `until` one
         -- more unit ends the last piece. The longest unit is that of a kid96 with the greatest neighborhood, 1024 s.
         -- For months, and a gap that begins on January 10 and ends on February 20, the rows are:
         --
         --     t            unit         id                          lower               begins
         --     January 1    January 1    the lowest of January 1     that of the gap     January 10
         --     February 1   February 1   the lowest of February 1    the same as id      February 1
         cuts AS (SELECT CASE WHEN unit <= c.begins THEN c.lower ELSE id END AS lower, c.upper, c.are_too_many,
                         coalesce(min(t) FILTER (WHERE unit > c.begins OR id = c.lower), c.begins) AS begins
                    FROM counted AS c,
                         generate_series(c.first, CASE WHEN c.are_too_many THEN c.first
                                                       ELSE least(c.ends, until + width + interval '1024 s') END,
                                         width) AS t,
                         @extschema@.kid_bound_at(type, t) AS id, @extschema@.kid_bound_time(type, id) AS unit
                   WHERE unit < c.ends OR unit <= c.begins
                   GROUP BY 1, c.upper, c.begins, c.are_too_many),
         -- The line "pieces" of the diagram, and pieces that begin at `until` or later
         pieces AS (SELECT c.begins, c.lower, c.are_too_many,
                           coalesce(lead(c.lower) OVER (PARTITION BY c.upper ORDER BY c.lower), c.upper) AS upper
                      FROM cuts AS c)
    SELECT row_number() OVER (ORDER BY coalesce(p.upper > @extschema@.kid_bound_at(type, now()), true) DESC, p.lower),
           p.begins, p.lower, p.upper, p.are_too_many,
           p.upper IS NULL OR p.upper = @extschema@.kid_bound_at(type, 'infinity'::timestamptz)
      FROM pieces AS p
     WHERE p.lower <= @extschema@.kid_bound_at(type, until - interval '1 microsecond');
END;
COMMENT ON FUNCTION @extschema@.kid_missing_partitions(regclass, text, regtype, interval, timestamptz, timestamptz) IS
    'returns the partitions that a table lacks until a time, those for new rows first';

-- Returns an unused name, which says when the partition begins, after `skipped` other unused ones: several partitions
-- can begin in one time unit, but one call of kid_create_partitions() creates at most 10000. For example,
-- parts_p20240101 is a partition of parts; if that name is used, the next one is parts_p20240101_1.
--
-- The width decides which zeros at the end of the digits are omitted. If the name of the table is too long, it is cut,
-- by the cast to type name, which cuts where a character ends. One byte is left for the "_" that the name of the array
-- type begins with. The time zone is that of kid_partition_gaps().
CREATE FUNCTION @extschema@.kid_partition_name(
    parent regclass, width interval, begins timestamptz, skipped bigint) RETURNS text
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT n.partition
      FROM pg_class AS c, @extschema@.kid_period(width) AS w,
           regexp_replace(to_char(begins, 'YYYYMMDD_HH24MISSUS'),
                          CASE WHEN mod(w.seconds, 86400) = 0 THEN '(_0{12}|0{8}|0{6})$'
                               WHEN mod(w.seconds, 60) = 0 THEN '(0{8}|0{6})$' ELSE '0{6}$' END, '') AS digits,
           -- In FROM, PostgreSQL would store all rows of generate_series() before it reads the first. In the list of a
           -- SELECT it makes one row at a time, until the LIMIT is reached.
           (SELECT generate_series(0, 2147483647)) AS a (again),
           concat('_p', digits, '_' || nullif(a.again, 0)) AS suffix,
           concat(substr(('_' || suffix || c.relname)::name, length(suffix) + 2), suffix) AS n (partition),
           format('%s.%I', c.relnamespace::regnamespace, n.partition) AS full_name
     WHERE c.oid = parent AND to_regclass(full_name) IS NULL AND to_regtype(full_name) IS NULL
    OFFSET least(skipped, 10000) LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_name(regclass, interval, timestamptz, bigint) IS
    'returns an unused name for the partition of a table that begins at a time';

-- from src/sql/tables/partitions/make_partitions.sql

-- The tables of new partitions

-- Takes the rows of kid_missing_partitions(), with bounds as CREATE TABLE takes them, and with names. `label` is what
-- messages call the IDs. If the default partition has rows that belong to a new partition, warns, and does not make it.
--
-- A partitioned table has no storage parameters, so a partition is the pattern: the one with the greatest OID, which is
-- the one that was created last unless OIDs have begun anew. CREATE TABLE ... PARTITION OF would lock out readers and
-- writers of the parent.
--
-- These commands take only names, types and constants, so their text is put together. The query of the default
-- partition names the operators with their schema, which is that of kid if the type is.
CREATE FUNCTION @extschema@.kid_make_partitions(
    parent regclass, type regtype, key name, label text, width interval, at_most integer, pieces jsonb)
    RETURNS TABLE (n bigint, partition regclass)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    pattern record;                             -- what all new partitions have in common
    piece record;
    full_name text;
    has_rows boolean;
    left_out timestamptz[] := '{}';             -- when those begin that are not made
    made integer := 0;
BEGIN
    SELECT c.relnamespace::regnamespace AS schema, nullif(p.partdefid, 0)::regclass AS default_partition,
           concat(' USING ' || quote_ident(m.amname), ' WITH (' || l.options || ')',
                  ' TABLESPACE ' || quote_ident(s.spcname)) AS storage,
           -- The operators of a domain are those of its base type.
           b.oid::regtype AS base, b.typnamespace::regnamespace AS operators
      INTO pattern
      FROM pg_class AS c JOIN pg_partitioned_table AS p ON p.partrelid = c.oid
           JOIN pg_type AS t ON t.oid = kid_make_partitions.type
           JOIN pg_type AS b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
           LEFT JOIN pg_am AS m ON m.oid = c.relam LEFT JOIN pg_tablespace AS s ON s.oid = c.reltablespace
           LEFT JOIN LATERAL (
               SELECT (SELECT string_agg(o.option, ', ')
                         FROM (SELECT unnest(l.reloptions) UNION ALL SELECT 'toast.' || unnest(t.reloptions))
                              AS o (option))
                 FROM pg_inherits AS i JOIN pg_class AS l ON l.oid = i.inhrelid
                      LEFT JOIN pg_class AS t ON t.oid = l.reltoastrelid
                WHERE i.inhparent = c.oid AND l.relkind = 'r' AND l.oid <> p.partdefid ORDER BY l.oid DESC LIMIT 1)
               AS l (options) ON true
     WHERE c.oid = parent;
    FOR piece IN
        SELECT p.* FROM jsonb_to_recordset(pieces) AS p (
            n bigint, begins timestamptz, lower text, upper text, are_too_many boolean,
            is_beyond_range boolean, partition text)
         ORDER BY p.n
    LOOP
        IF piece.are_too_many THEN
            RAISE 'more than 10000 partitions of % would be created', parent USING ERRCODE = 'program_limit_exceeded';
        ELSIF piece.is_beyond_range THEN
            RAISE 'timestamp out of range for %', label
                USING ERRCODE = 'datetime_field_overflow',
                      DETAIL = format('A partition from %s on cannot be as wide as "%s".', piece.begins, width);
        ELSIF pattern.default_partition IS NOT NULL THEN
            EXECUTE format('SELECT EXISTS (SELECT FROM %1$s WHERE %2$I OPERATOR(%3$s.>=) $1::%4$s '
                           'AND %2$I OPERATOR(%3$s.<) $2::%4$s)',
                           pattern.default_partition, key, pattern.operators, pattern.base)
                INTO has_rows USING piece.lower, piece.upper;
            IF has_rows THEN
                left_out := left_out || piece.begins;
                CONTINUE;
            END IF;
        END IF;
        IF made = at_most THEN
            RAISE NOTICE 'more partitions of % are missing', parent USING HINT = 'The next call creates them.';
            EXIT;
        END IF;
        full_name := format('%s.%I', pattern.schema, piece.partition);
        EXECUTE format('CREATE TABLE %1$s (LIKE %2$s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED '
                       'INCLUDING STORAGE INCLUDING COMPRESSION)%3$s; '
                       'ALTER TABLE %2$s ATTACH PARTITION %1$s FOR VALUES FROM (%4$L) TO (%5$L)',
                       full_name, parent, pattern.storage, piece.lower, piece.upper);
        made := made + 1;
        SELECT piece.n, full_name INTO n, partition;
        RETURN NEXT;
    END LOOP;
    IF left_out <> '{}' THEN
        RAISE WARNING 'rows in default partition % keep partitions of % from being created',
            pattern.default_partition, parent
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('Partitions not created: %s, the first from %s on.', cardinality(left_out),
                                  (SELECT min(l.begins) FROM unnest(left_out) AS l (begins))),
                  HINT = 'Detach the default partition, create the partitions, insert its rows into the parent, and '
                         'attach it again when it is empty.';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_make_partitions(regclass, regtype, name, text, interval, integer, jsonb) IS
    'creates and attaches missing partitions, and returns their names';

-- from src/sql/tables/partitions/finish_partition.sql

-- What PostgreSQL does not pass on to a new partition: row-level security, replica identity, and what ANALYZE is told
-- of columns

-- A role that uses the parent needs no rights on partitions, and a REVOKE on the parent would not reach them. So this
-- takes away what default privileges grant. Row-level security without a policy hides all rows from a role that reads
-- the partition itself.
--
-- Minor releases of PostgreSQL mark columns by options whose names begin with pg_, which ALTER TABLE does not take.
--
-- The first command sets rights, the second all the rest. They take only names, so their text is put together; the
-- second is null if nothing is to be changed.
CREATE FUNCTION @extschema@.kid_finish_partition(
    parent regclass, partition regclass, type regtype, check_name name, time_check text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
BEGIN
    IF check_name IS NOT NULL AND time_check IS NULL THEN
        RAISE 'IDs of type % cannot have a constraint on their time', type USING ERRCODE = 'feature_not_supported';
    END IF;
    EXECUTE concat_ws('; ', (
        SELECT format('REVOKE ALL ON TABLE %s FROM %s CASCADE; GRANT ALL ON TABLE %1$s TO CURRENT_USER', partition,
                      concat_ws(', ', 'PUBLIC', string_agg(DISTINCT quote_ident(pg_get_userbyid(a.grantee)), ', ')
                                                    FILTER (WHERE a.grantee <> 0)))
          FROM pg_class AS c, aclexplode(c.relacl) AS a WHERE c.oid = partition), (
        SELECT format('ALTER TABLE %s %s', partition, string_agg(v.change, ', '))
          FROM (SELECT 'ENABLE ROW LEVEL SECURITY' FROM pg_class AS c WHERE c.oid = parent AND c.relrowsecurity
                UNION ALL
                SELECT 'FORCE ROW LEVEL SECURITY' FROM pg_class AS c WHERE c.oid = parent AND c.relforcerowsecurity
                UNION ALL
                SELECT format('REPLICA IDENTITY %s', CASE c.relreplident WHEN 'f' THEN 'FULL' ELSE 'NOTHING' END)
                  FROM pg_class AS c WHERE c.oid = parent AND c.relreplident IN ('f', 'n')
                UNION ALL
                SELECT format('REPLICA IDENTITY USING INDEX %I', c.relname)
                  FROM pg_index AS r JOIN pg_inherits AS h ON h.inhparent = r.indexrelid
                       JOIN pg_index AS x ON x.indexrelid = h.inhrelid JOIN pg_class AS c ON c.oid = x.indexrelid
                 WHERE r.indrelid = parent AND r.indisreplident AND x.indrelid = partition
                UNION ALL
                SELECT format('ALTER %I SET %s', a.attname, o.setting)
                  FROM pg_attribute AS a, LATERAL (
                      SELECT 'STATISTICS ' || a.attstattarget WHERE a.attstattarget >= 0
                      UNION ALL
                      SELECT format('(%s)', string_agg(u.option, ', ')) FROM unnest(a.attoptions) AS u (option)
                       WHERE u.option NOT LIKE 'pg\_%' HAVING count(*) > 0) AS o (setting)
                 WHERE a.attrelid = parent AND a.attnum > 0 AND NOT a.attisdropped
                UNION ALL
                SELECT format('ADD CONSTRAINT %I CHECK (%s)', check_name, time_check)
                 WHERE check_name IS NOT NULL)
               AS v (change)
        HAVING count(*) > 0));
END $$;
COMMENT ON FUNCTION @extschema@.kid_finish_partition(regclass, regclass, regtype, name, text) IS
    'gives a new partition the rights and properties of its parent, and a constraint on the time of its IDs';

-- from src/sql/tables/partitions/create_partitions.sql

-- kid_create_partitions(): creates the partitions that a table lacks, for both editions
--
--     kid_create_partitions()         checks its arguments
--       kid_period()                  missing_partitions.sql: the width as months and seconds
--       kid_lock_partitions()         lock_partitions.sql: refuses other tables, and a snapshot that may be old
--         kid_lock_parent()           lock_partitions.sql: refuses other roles, and locks the table
--       kid_partition_key()           partition_key.sql: returns the column
--         kid_key_ids()               partition_key.sql: and the IDs that it contains
--           kid_default_ids()         stored_ids/default_ids.sql: what the default of a bigint says
--       kid_check_partition_setting() lock_partitions.sql: refuses if the times of IDs are not known
--       kid_partition_origin()        missing_partitions.sql: from when on partitions are wanted
--       kid_partition_bounds()        partition_bounds.sql: what there is
--       kid_report_detaching()        lock_partitions.sql: refuses or warns if a partition is being detached
--       kid_missing_partitions()      missing_partitions.sql: what to create
--         kid_partition_gaps()        missing_partitions.sql: where nothing is; calls kid_partition_origin() and
--                                     kid_partition_bounds() again
--       kid_partition_name()          missing_partitions.sql
--       kid_make_partitions()         make_partitions.sql: creates and attaches the tables
--       kid_time_check()              partition_bounds.sql: the condition of the constraint
--       kid_finish_partition()        finish_partition.sql: rights, properties and constraint of each table
--
-- kid_bound_at() and kid_bound_time() of forms.sql turn times into bounds and back, for each type, kid_bound_of()
-- and kid_stored_bound() what the catalog has for a bound, and kid_stored_forms() lists the types. kid_refuse(),
-- kid_refuse_null() and kid_check_isolation() of common.sql raise errors. ATTACH PARTITION locks the default partition.

CREATE FUNCTION @extschema@.kid_create_partitions(
    parent regclass, width interval, until timestamptz, since timestamptz DEFAULT NULL, at_most integer DEFAULT 100,
    time_check boolean DEFAULT false, ids text DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE SQL VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' SET jit = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('parent') WHERE parent IS NULL;
    SELECT @extschema@.kid_refuse_null('width') WHERE width IS NULL;
    SELECT @extschema@.kid_refuse_null('until') WHERE until IS NULL;
    SELECT @extschema@.kid_refuse_null('time_check') WHERE time_check IS NULL;
    SELECT @extschema@.kid_refuse(
               '22023', format('width of a partition cannot be "%s"', width),
               'A width must be whole months or years, or whole seconds, minutes, hours, days or weeks: at least 1 '
               'second and at most 292,000 years.')
      FROM @extschema@.kid_period(width) AS w
     WHERE (w.months > 0 AND w.seconds = 0
            OR w.months = 0 AND w.seconds BETWEEN 1 AND 9223372036854 AND w.seconds = trunc(w.seconds)) IS NOT TRUE;
    SELECT @extschema@.kid_refuse('22023', 'partitions cannot be created until or since an infinite time')
     WHERE NOT (isfinite(until) AND isfinite(coalesce(since, until)));
    SELECT @extschema@.kid_refuse('22023', 'at_most must be greater than 0') WHERE at_most < 1;
    SELECT @extschema@.kid_lock_partitions(parent, ids);
    SELECT @extschema@.kid_check_partition_setting(k.setting) FROM @extschema@.kid_partition_key(parent, ids) AS k;
    SELECT @extschema@.kid_refuse('42501', format('must be owner of table %s', d.oid::regclass))
      FROM pg_partitioned_table AS p JOIN pg_class AS d ON d.oid = p.partdefid
     WHERE p.partrelid = parent AND pg_get_userbyid(d.relowner) <> current_user;
    -- First those for which there could be new rows.
    SELECT @extschema@.kid_report_detaching(parent, b.partition, b.ends > now())
      FROM @extschema@.kid_partition_key(parent, ids) AS k,
           @extschema@.kid_partition_origin(parent, ids, k.type, since) AS o,
           @extschema@.kid_partition_bounds(parent, ids) AS b
     WHERE b.detaching AND b.begins < until AND b.ends > o.begins
     ORDER BY b.ends > now() DESC, b.lower;
    -- Each of these queries reads what the one before it returns, which is what keeps them in this order: first the
    -- tables, then what completes them.
    WITH key AS MATERIALIZED (
        SELECT k.* FROM @extschema@.kid_partition_key(parent, ids) AS k
    ), pieces AS MATERIALIZED (
        SELECT m.*, @extschema@.kid_partition_name(
                   parent, width, m.begins, row_number() OVER (PARTITION BY m.begins ORDER BY m.n) - 1) AS partition
          FROM key AS k, @extschema@.kid_missing_partitions(parent, ids, k.type, width, until, since) AS m
    ), made AS MATERIALIZED (
        SELECT m.n, m.partition
          FROM key AS k JOIN pg_type AS t ON t.oid = k.type::oid, @extschema@.kid_make_partitions(
                   parent, k.stored_as, k.name,
                   CASE WHEN k.type = 'bigint'::regtype THEN 'kid53' ELSE concat('type ', t.typname) END,
                   width, at_most, (
                   SELECT jsonb_agg(to_jsonb(p) || jsonb_build_object(
                                        'lower', @extschema@.kid_stored_bound(k.type, k.stored_as, p.lower),
                                        'upper', @extschema@.kid_stored_bound(k.type, k.stored_as, p.upper)))
                     FROM pieces AS p)) AS m
    ), finished AS MATERIALIZED (
        SELECT p.n, m.partition, @extschema@.kid_finish_partition(
                   parent, m.partition, k.type, CASE WHEN time_check THEN c.name END,
                   @extschema@.kid_time_check(k.type, k.time_of, k.setting, p.lower, p.upper))
          FROM key AS k, made AS m JOIN pieces AS p ON p.n = m.n,
               -- A name that no constraint of the table has: kid_time, or kid_time_1 and so on. concat() skips a null.
               -- The + binds more tightly than the ||.
               (SELECT concat('kid_time', '_' || max(coalesce(substring(o.conname, '[0-9]+'), '0')::numeric) + 1)::name
                  FROM pg_constraint AS o WHERE o.conrelid = parent AND o.conname ~ '^kid_time(_[0-9]+|)$') AS c (name)
    )
    SELECT f.partition::text FROM finished AS f ORDER BY f.n;
END;
COMMENT ON FUNCTION
    @extschema@.kid_create_partitions(regclass, interval, timestamptz, timestamptz, integer, boolean, text) IS
    'creates the missing partitions of a table until a time, and returns their names';

-- from src/sql/tables/partitions/old_partitions.sql

-- Which partitions are old, and how they are dropped

-- Returns the partitions of a table, except the default partition. `is_old` is true if all of their IDs are older than
-- `older_than`, and `is_for_new_rows` if the partition ends after the present, and also after `older_than`.
--
-- A sequence makes numbers below 10^13, which as IDs are of the first 30 days of the type. A partition that begins
-- there, and ends in the first year, is for such numbers, however new its rows are: `has_numbers`.
CREATE FUNCTION @extschema@.kid_partition_ages(parent regclass, ids text, older_than timestamptz)
    RETURNS TABLE (partition oid, lower name, detaching boolean, is_foreign boolean, is_old boolean,
                   has_numbers boolean, is_for_new_rows boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT b.partition::oid, b.lower, b.detaching, c.relkind = 'f',
           b.upper > l.least_id AND b.upper <= @extschema@.kid_bound_at(k.type, older_than),
           b.lower < @extschema@.kid_bound_of(k.type, 'bigint'::regtype, '10000000000000'::text)
           AND b.ends <= @extschema@.kid_bound_time(k.type, l.least_id) + interval '1 year',
           b.ends > greatest(now(), older_than)
      FROM @extschema@.kid_partition_key(parent, ids) AS k,
           @extschema@.kid_bound_at(k.type, '-infinity'::timestamptz) AS l (least_id),
           @extschema@.kid_partition_bounds(parent, ids) AS b JOIN pg_class AS c ON c.oid = b.partition;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_ages(regclass, text, timestamptz) IS
    'returns the partitions of a table, and whether all of their IDs are older than a time';

CREATE FUNCTION @extschema@.kid_partition_doubt(parent regclass, ids text) RETURNS text
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT CASE WHEN k.setting IS NOT NULL
                THEN format('The value of "%s" may not be the one with which the IDs of the table were made.',
                            k.setting)
                WHEN k.stored_as = 'bigint'::regtype
                THEN format('The numbers of column "%s" may be other IDs than those of %s.', k.name,
                            CASE WHEN k.type = k.stored_as THEN 'kid53'
                                 ELSE (SELECT t.typname FROM pg_type AS t WHERE t.oid = k.type::oid) END) END
      FROM @extschema@.kid_partition_key(parent, ids) AS k;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_doubt(regclass, text) IS
    'returns why the times of the partitions of a table may be wrong, or NULL if they cannot be';

-- Each partition has a constraint of its own for a foreign key, so that of the parent tells whether there is one. A
-- table can refer to itself. So can one of which the parent is a partition.
CREATE FUNCTION @extschema@.kid_report_references(parent regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    referring text;
    others text;
    itself text;
BEGIN
    SELECT string_agg(DISTINCT k.conrelid::regclass::text, ', ' ORDER BY k.conrelid::regclass::text),
           string_agg(DISTINCT k.conrelid::regclass::text, ', ' ORDER BY k.conrelid::regclass::text)
               FILTER (WHERE k.conrelid NOT IN (SELECT a.relid::oid FROM pg_partition_ancestors(parent) AS a)),
           string_agg(DISTINCT k.conrelid::regclass::text, ', ' ORDER BY k.conrelid::regclass::text)
               FILTER (WHERE k.conrelid IN (SELECT a.relid::oid FROM pg_partition_ancestors(parent) AS a))
      INTO referring, others, itself
      FROM pg_constraint AS k LEFT JOIN pg_constraint AS above ON above.oid = k.conparentid
     WHERE k.contype = 'f' AND k.confrelid = parent
           -- Partitions of a table that refers have the foreign key from it.
           AND (above.oid IS NULL OR above.conrelid = k.conrelid)
           -- From PostgreSQL 18 on, a foreign key can be NOT ENFORCED.
           AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true);
    IF referring IS NOT NULL THEN
        RAISE NOTICE 'foreign keys of % refer to %', referring, parent
            USING DETAIL = 'A partition cannot be dropped while a row refers to one of its rows.',
                  HINT = concat_ws(' ',
                      'First delete the rows of ' || others || format(
                          ' that refer to old rows of %s. If a table that refers is partitioned by the same IDs, drop '
                          'its old partitions instead.', parent),
                      'First set the references of ' || itself || format(
                          ' to old rows of %s to NULL, also in its old rows.', parent));
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_report_references(regclass) IS
    'reports the tables whose foreign keys refer to a table whose partitions are to be dropped';

-- Takes rows of kid_partition_ages(), except those of partitions whose detaching has begun. Drops the partitions that
-- are old, at most so many, the oldest first, unless `dry_run`. The commands take only names, so their text is put
-- together. DETACH looks for rows that refer to those of a partition, with the rights of the caller. If row-level
-- security hid such rows, they would then refer to nothing, so it raises an error instead.
CREATE FUNCTION @extschema@.kid_drop_old_partitions(
    parent regclass, older_than timestamptz, dry_run boolean, at_most integer, partitions jsonb)
    RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET row_security = off AS $$
DECLARE
    dropped record;
    count integer := 0;
    message text;
    detail text;
    referring_schema text;
    referring text;
    key text;
    referring_table regclass;
BEGIN
    FOR dropped IN
        SELECT p.*, p.partition::regclass::text AS name
          FROM jsonb_to_recordset(partitions) AS p (
                   partition oid, lower text, is_foreign boolean, is_old boolean, has_numbers boolean)
         WHERE p.is_old
         ORDER BY p.lower COLLATE "C"
    LOOP
        IF dropped.has_numbers THEN
            RAISE WARNING 'partition % of % may have keys of a sequence, and is not dropped', dropped.name, parent
                USING DETAIL = 'Such keys are small numbers, which as IDs would be older than all others.',
                      HINT = format('If its rows are old, run ALTER TABLE %s DETACH PARTITION %s; DROP TABLE %2$s.',
                                    parent, dropped.name);
            CONTINUE;
        ELSIF count = at_most THEN
            RAISE NOTICE 'more partitions of % are older than %', parent, older_than
                USING HINT = 'The next call drops them.';
            EXIT;
        END IF;
        IF NOT dry_run THEN
            BEGIN
                -- A partition cannot be dropped if foreign keys refer to the parent. DETACH checks that they refer to
                -- no row of the partition.
                EXECUTE format('ALTER TABLE %s DETACH PARTITION %s; DROP %s %2$s', parent, dropped.name,
                               CASE WHEN dropped.is_foreign THEN 'FOREIGN TABLE' ELSE 'TABLE' END);
            EXCEPTION WHEN foreign_key_violation THEN
                GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
                    referring_schema = SCHEMA_NAME, referring = TABLE_NAME, key = CONSTRAINT_NAME;
                referring_table := (SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                                     WHERE c.relname = referring AND n.nspname = referring_schema);
                -- An event trigger can raise this error, too.
                IF referring_table IS NULL THEN
                    RAISE;
                END IF;
                RAISE '%', message
                    USING ERRCODE = 'foreign_key_violation', DETAIL = detail,
                          SCHEMA = referring_schema, TABLE = referring, CONSTRAINT = key,
                          HINT = format(
                              CASE WHEN referring_table IN (SELECT a.relid FROM pg_partition_ancestors(parent) AS a)
                                   THEN 'First set the references of %1$s to old rows of %2$s to NULL, also in its old '
                                        'rows.'
                                   ELSE 'First delete the rows of %1$s that refer to old rows of %2$s. If %1$s is '
                                        'partitioned by the same IDs, drop its old partitions instead.' END,
                              referring_table, parent);
            END;
            IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid = dropped.partition) THEN
                RAISE 'table % was renamed while its partitions were to be changed', dropped.name
                    USING ERRCODE = 'object_not_in_prerequisite_state';
            END IF;
        END IF;
        RETURN NEXT dropped.name;
        count := count + 1;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.kid_drop_old_partitions(regclass, timestamptz, boolean, integer, jsonb) IS
    'drops those of the given partitions that are old, and returns their names';

-- from src/sql/tables/partitions/drop_partitions.sql

-- kid_drop_partitions(): drops the partitions of a table that are old, for both editions

CREATE FUNCTION @extschema@.kid_drop_partitions(
    parent regclass, older_than timestamptz, dry_run boolean DEFAULT true, at_most integer DEFAULT 100,
    ids text DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE SQL VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' SET jit = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('parent') WHERE parent IS NULL;
    SELECT @extschema@.kid_refuse_null(
               'older_than', 'If older_than comes from a table of cursors, check whether that table has rows.')
     WHERE older_than IS NULL;
    SELECT @extschema@.kid_refuse_null('dry_run') WHERE dry_run IS NULL;
    SELECT @extschema@.kid_refuse(
               '22023', 'partitions older than an infinite time cannot be dropped', '',
               'If older_than comes from a table of cursors, check whether that table has rows.')
     WHERE NOT isfinite(older_than);
    SELECT @extschema@.kid_refuse('22023', 'at_most must be greater than 0') WHERE at_most < 1;
    SELECT @extschema@.kid_lock_partitions(parent, ids) WHERE NOT dry_run;
    SELECT @extschema@.kid_check_partition_setting(k.setting) FROM @extschema@.kid_partition_key(parent, ids) AS k;
    -- If the times are wrong, the partitions of today seem to be old. Then no partition is for new rows.
    SELECT @extschema@.kid_refuse(
               '55000', format('no partition of %s would remain for new rows', parent), d.doubt,
               'If the times are right, create partitions for new rows first, or drop the old ones by name.')
      FROM @extschema@.kid_partition_doubt(parent, ids) AS d (doubt)
     WHERE d.doubt IS NOT NULL
           AND (SELECT NOT bool_or(a.is_for_new_rows) AND NOT bool_and(a.detaching)
                  FROM @extschema@.kid_partition_ages(parent, ids, older_than) AS a);
    SELECT @extschema@.kid_report_detaching(parent, a.partition::regclass, false)
      FROM @extschema@.kid_partition_ages(parent, ids, older_than) AS a
     WHERE a.detaching AND a.is_old
     ORDER BY a.lower;
    SELECT @extschema@.kid_report_references(parent)
     WHERE dry_run AND EXISTS (SELECT FROM @extschema@.kid_partition_ages(parent, ids, older_than) AS a
                                WHERE a.is_old AND NOT a.detaching AND NOT a.has_numbers);
    SELECT d.name
      FROM @extschema@.kid_drop_old_partitions(
               parent, older_than, dry_run, at_most, (
               SELECT jsonb_agg(to_jsonb(a))
                 FROM @extschema@.kid_partition_ages(parent, ids, older_than) AS a WHERE NOT a.detaching)) AS d (name);
END;
COMMENT ON FUNCTION @extschema@.kid_drop_partitions(regclass, timestamptz, boolean, integer, text) IS
    'drops the partitions whose IDs are all older than a time, unless dry_run is true, and returns their names';

-- from src/sql/tables/stored_ids/farthest.sql.in

-- The latest time of an ID that kid_observe() accepts, for both editions
--
-- In the extension the call of kid64_floor() loads the library, which defines the setting. In plain SQL there is no
-- such setting, and kid_observe() accepts an hour.

CREATE FUNCTION @extschema@.kid_farthest() RETURNS timestamptz
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT @extschema@.kid64_floor(now());
    SELECT clock_timestamp()
           + CASE WHEN false THEN '1 hour' ELSE current_setting('kid.max_observe'::text) END::interval;
END;
COMMENT ON FUNCTION @extschema@.kid_farthest() IS 'returns the latest time of an ID that kid_observe() accepts';

-- from src/sql/tables/stored_ids/id_columns.sql

-- The columns that contain IDs which move a logical clock

-- Returns those of `parent` and of its partitions, or of the whole database if `parent` is null; with `only_clock`,
-- those of that clock alone. A column is in several rows if it can contain IDs of several types. The first five columns
-- of the result are those of kid_stored_forms(); `problem` says why the IDs cannot be read, or is null.
--
-- In the whole database every column counts that may contain IDs, so that the clocks move past them. In one table a
-- column of a core type counts only if the default that is in force for it makes IDs and nothing else. Otherwise
-- kid_check() could report other numbers as wrong IDs. The default of a domain is in force only for columns of exactly
-- this domain that have no default of their own. PostgreSQL copies it to a domain that is created over this one.
CREATE FUNCTION @extschema@.kid_id_columns(only_clock text, parent regclass)
    RETURNS TABLE (clock text, type regtype, prefix text, past text, stored_as regtype, relation regclass,
                   attname name, attnum smallint, atttypid oid, problem text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    forms AS MATERIALIZED (SELECT * FROM @extschema@.kid_stored_forms() WHERE clock IS NOT NULL),
    -- Each type that a column can have, with those that it is a domain over, and itself
    layers (type, below) AS (
        SELECT f.type::oid, f.type::oid FROM forms AS f
        UNION SELECT f.stored_as::oid, f.stored_as::oid FROM forms AS f
        UNION
        SELECT t.oid, b.below
          FROM layers AS l JOIN pg_type AS t ON t.typbasetype = l.type AND t.typtype = 'd',
               LATERAL (VALUES (t.oid), (l.below)) AS b (below)
    ),
    -- `parent`, its partitions, and theirs
    family (oid) AS (
        SELECT parent::oid UNION SELECT i.inhrelid FROM family AS f JOIN pg_inherits AS i ON i.inhparent = f.oid
    ),
    defaults AS MATERIALIZED (SELECT * FROM @extschema@.kid_default_ids())
    SELECT DISTINCT f.clock, f.type, f.prefix, f.past, f.stored_as, c.oid::regclass, a.attname, a.attnum, a.atttypid,
           CASE WHEN c.relkind = 'f' THEN 'its rows are on another server'
                WHEN c.relkind = 'm' THEN 'it is in a materialized view'
                WHEN pg_is_other_temp_schema(c.relnamespace) THEN 'it is in a temporary table of another session'
                WHEN NOT pg_has_role(c.relowner, 'USAGE') THEN 'its table belongs to another role'
           END
      FROM forms AS f
           JOIN layers AS s ON s.below = f.stored_as
           JOIN pg_attribute AS a ON a.atttypid = s.type AND a.attnum > 0 AND NOT a.attisdropped
           JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'm', 'f')
     WHERE (f.clock = only_clock) IS NOT FALSE AND (parent IS NULL OR c.oid IN (SELECT oid FROM family))
       AND (NOT f.is_core AND (a.atttypid, f.type::oid) IN (SELECT l.type, l.below FROM layers AS l)
            OR (c.oid, a.attname, f.type) IN (SELECT d.relid, d.attname, d.type FROM defaults AS d
                                                    WHERE d.relid IS NOT NULL AND (d.is_whole OR parent IS NULL))
            OR (a.atttypid, f.type) IN (
                SELECT l.type, d.type FROM defaults AS d JOIN layers AS l ON l.below = d.domain
                 WHERE parent IS NULL OR d.is_whole AND d.domain = a.atttypid AND NOT a.atthasdef));
END;
COMMENT ON FUNCTION @extschema@.kid_id_columns(text, regclass) IS
    'returns the columns that contain IDs, and why one cannot be read';

-- from src/sql/tables/stored_ids/lock_column.sql

-- Before the IDs of a column are read: locks its table, and decides whether and by which index they can be read
--
-- It is one function because what it decides holds only under the lock.

-- Takes a row of kid_id_columns(), and whether the current user is a superuser, who can lock rows of the catalog.
-- Returns:
--
--     option    the bits of pg_index.indoption of an index that begins with the column. Null if the IDs cannot be read,
--               or if the column contains none
--     problem   why the IDs cannot be read, or null
--     passing   whether the problem passes, so that a later call could succeed
--
-- The owner of a schema could rename it, give its name to another one, and later do the reverse. So a superuser locks
-- the row of the schema until the table is locked. From then on nobody else can take the name of the table.
--
-- LOCK TABLE takes only names, so its text is put together.
CREATE FUNCTION @extschema@.kid_lock_column(
    source jsonb, can_lock boolean, OUT option smallint, OUT problem text, OUT passing boolean)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    relation oid := source ->> 'relation';
    name text;
BEGIN
    -- 1. The lock. A table that was dropped has no IDs.
    IF can_lock THEN
        SELECT format('%I.%I', n.nspname, c.relname) INTO name
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation FOR KEY SHARE OF n;
    ELSE
        SELECT format('%I.%I', n.nspname, c.relname) INTO name
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = relation;
    END IF;
    IF name IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', name);
    -- 2. The index, and whether the column is still the one that was to be read. An index serves if its operators are
    -- the default ones of the type, and if it has all rows.
    option := (SELECT i.indoption[0]
                 FROM pg_index AS i
                      JOIN pg_opclass AS o ON o.oid = i.indclass[0]
                      JOIN pg_am AS m ON m.oid = o.opcmethod AND m.amname = 'btree'
                WHERE i.indrelid = relation AND i.indkey[0] = (source ->> 'attnum')::smallint AND i.indisvalid
                  AND i.indpred IS NULL AND o.opcdefault AND o.opcintype = (source ->> 'stored_as')::oid LIMIT 1);
    passing := to_regclass(name) IS DISTINCT FROM relation
               OR NOT EXISTS (SELECT FROM pg_attribute AS a
                               WHERE a.attrelid = relation AND a.attname = source ->> 'attname'
                                 AND a.attnum = (source ->> 'attnum')::smallint
                                 AND a.atttypid = (source ->> 'atttypid')::oid);
    IF passing THEN
        problem := 'it was changed meanwhile';
    ELSIF option IS NULL AND pg_relation_size(relation) > 0 THEN
        problem := 'no btree index begins with it';
    -- 3. Planning the query could run code of others.
    ELSIF EXISTS (
        SELECT FROM (SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index AS i WHERE i.indrelid = relation
                     UNION ALL
                     SELECT 'pg_statistic_ext'::regclass, e.oid FROM pg_statistic_ext AS e WHERE e.stxrelid = relation
                     UNION ALL
                     SELECT 'pg_attrdef'::regclass, ad.oid
                       FROM pg_attrdef AS ad JOIN pg_attribute AS a ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
                      WHERE ad.adrelid = relation AND a.attgenerated = 'v') AS x (class, oid)
               JOIN pg_depend AS d ON d.classid = x.class AND d.objid = x.oid
               LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
               LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
               LEFT JOIN pg_type AS t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
               JOIN pg_roles AS r ON r.oid = coalesce(p.proowner, o.oprowner, t.typowner)
         WHERE NOT r.rolsuper AND r.rolname <> current_user) THEN
        problem := 'indexes, statistics or virtual columns of its table depend on code of another role';
    END IF;
    IF problem IS NOT NULL THEN
        option := NULL;
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_lock_column(jsonb, boolean) IS
    'locks the table of a column, and returns why its IDs cannot be read; a part of kid_read_columns()';

-- from src/sql/tables/stored_ids/read_ids.sql

-- Reads the greatest IDs of one column
--
-- For a column `id` of type bigint with kid64 it runs these queries, the first of which returns the greatest ID up to
-- $1, the other two a later one. $2 is $1 in the second, and otherwise -infinity.
--
--     SELECT *
--       FROM (SELECT count(*) FROM (ROWS LIMIT 0) AS s) AS s (strangers)
--            LEFT JOIN (SELECT v::kid.kid64::text, t, kid.kid64_timestamp(kid.kid64_ceil(t)),
--                              t <= kid.kid64_timestamp(kid.kid64_ceil($1))
--                         FROM (ROWS LIMIT ALL) AS s, LATERAL kid.kid64_timestamp(v::kid.kid64) AS t
--                        WHERE t > $2 LIMIT 1) AS f (id, issued, latest, is_up_to) ON true
--
-- where ROWS is, with an index in ascending order, one after the other:
--
--     SELECT id::bigint AS v FROM ONLY public.t
--      WHERE id::bigint OPERATOR(pg_catalog.<=) kid.kid64_ceil($1)::bigint
--      ORDER BY id::bigint USING OPERATOR(pg_catalog.>) NULLS FIRST
--      WHERE id::bigint OPERATOR(pg_catalog.>=) kid.kid64_floor($1)::bigint ORDER BY ...
--      WHERE id::bigint OPERATOR(pg_catalog.<) 0 ORDER BY ...
--
-- Each begins at one end of a range of the index, and goes on only while values are no IDs.
--
-- For kid53 one more query returns a number that is no ID, because it is above all of them or negative. In plain SQL it
-- also does so for kid64, of which no negative number is an ID there.

-- Takes the OID of kid's schema, a row of kid_id_columns(), and the option of an index that kid_lock_column() returned
-- for it. If that is null, there are no IDs, or they cannot be read. Reads the name of the schema now, because it may
-- have changed while that function waited.
--
-- A stranger is a value that is no ID. A query passes over at most `most_strangers` of them.
--
-- The queries are text because they name a table and a column, and functions and operators of kid with their schema.
CREATE FUNCTION @extschema@.kid_read_ids(
    home oid, source jsonb, option smallint, OUT id text, OUT issued timestamptz, OUT latest timestamptz,
    OUT later text, OUT later_issued timestamptz, OUT stranger text, OUT problem text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    most_strangers CONSTANT integer := 1000;
    home_name name := (SELECT n.nspname FROM pg_namespace AS n WHERE n.oid = home);
    relation regclass := (source ->> 'relation')::oid;
    type regtype := (source ->> 'type')::oid;
    stored_as regtype := (source ->> 'stored_as')::oid;
    since timestamptz := source ->> 'since';
    -- A column of type uuid can have any uuids, and a bigint is a kid53 only if it is in the range of kid53. But every
    -- bigint has the bits of some kid64 or flake.
    may_have_strangers boolean := stored_as = 'uuid'::regtype OR type = 'bigint'::regtype;
    -- In plain SQL, kid64 is a domain.
    is_plain boolean := (SELECT t.typtype = 'd' FROM pg_type AS t WHERE t.oid = type);
    -- INDOPTION_DESC and INDOPTION_NULLS_FIRST of PostgreSQL's pg_index.h
    is_descending boolean := option & 1 <> 0;
    are_nulls_first boolean := option & 2 <> 0;
    -- Pieces of the queries: the value of a row, the schema of its operators, and functions of kid
    value text := format('%I::%s', source ->> 'attname', stored_as);
    operators name := CASE WHEN stored_as IN ('uuid'::regtype, 'bigint'::regtype) THEN 'pg_catalog'
                           ELSE home_name END;
    floor_of text := format('%I.%I', home_name, concat(source ->> 'prefix', '_floor'));
    ceil_of text := format('%I.%I', home_name, concat(source ->> 'prefix', '_ceil'));
    time_of text := format('%I.%I', home_name, concat(source ->> 'prefix', '_timestamp'));
    part text;                          -- which of the queries
    condition text;                     -- what stands in ROWS after WHERE
    rows text;                          -- ROWS
    first_id text;                      -- the subquery f
    found record;                       -- what the query returned
BEGIN
    IF option IS NULL THEN
        RETURN;
    END IF;
    FOREACH part IN ARRAY '{up to since,later,negative}'::text[] LOOP
        -- As an ID of a type in C, a negative bigint is later than all others.
        CONTINUE WHEN part = 'negative' AND (may_have_strangers OR is_plain OR stored_as <> 'bigint'::regtype
                                             OR later IS NOT NULL);
        condition := CASE part
            WHEN 'up to since' THEN format('%s OPERATOR(%I.<=) %s($1)::%s', value, operators, ceil_of, stored_as)
            WHEN 'later' THEN format('%s OPERATOR(%I.>=) %s($1)::%s', value, operators, floor_of, stored_as)
            ELSE format('%s OPERATOR(%I.<) 0', value, operators) END;
        IF part = 'up to since' AND is_plain THEN
            condition := condition || format(' AND %s OPERATOR(%I.>=) 0', value, operators);
        ELSIF part = 'later' AND may_have_strangers THEN
            -- Strangers above the greatest ID must not be in the way of IDs.
            condition := condition || format(' AND %s OPERATOR(%I.<=) %s(timestamptz ''infinity'')::%s', value,
                                             operators, ceil_of, stored_as);
        END IF;
        rows := concat(format('SELECT %s AS v FROM ONLY %s WHERE %s', value, relation, condition),
                       format(' ORDER BY %s USING OPERATOR(%I.>) NULLS %s', value, operators,
                              CASE WHEN is_descending = are_nulls_first THEN 'FIRST' ELSE 'LAST' END));
        first_id := format('SELECT v::%1$s::text, t, %2$s(%3$s(t)), t <= %2$s(%3$s($1)) '
                           'FROM (%4$s LIMIT %5$s) AS s, LATERAL %2$s(v::%1$s) AS t WHERE t > $2 LIMIT 1',
                           type, time_of, ceil_of, rows,
                           CASE WHEN may_have_strangers THEN most_strangers::text ELSE 'ALL' END);
        EXECUTE format('SELECT * FROM (SELECT count(*) FROM (%s LIMIT %s) AS s) AS s (strangers) '
                       'LEFT JOIN (%s) AS f (id, issued, latest, is_up_to) ON true',
                       rows, CASE WHEN may_have_strangers THEN most_strangers ELSE 0 END, first_id)
            INTO found USING since, CASE part WHEN 'later' THEN since ELSE '-infinity' END;
        IF part <> 'up to since' THEN
            later := found.id;
            later_issued := found.issued;
        ELSIF found.is_up_to THEN
            SELECT found.id, found.issued, found.latest INTO id, issued, latest;
        END IF;
        IF found.id IS NULL AND found.strangers >= (CASE part WHEN 'up to since' THEN 1 ELSE most_strangers END) THEN
            problem := 'it contains values that have no time';
        END IF;
    END LOOP;
    -- Numbers beyond the range of the type are strangers whatever else the column contains.
    IF type = 'bigint'::regtype OR is_plain THEN
        rows := format('SELECT %s AS v FROM ONLY %s WHERE %s', value, relation, value);
        EXECUTE format('SELECT v::text FROM (%1$s > %2$s(timestamptz ''infinity'') UNION ALL %1$s < 0) AS s LIMIT 1',
                       rows, ceil_of)
            INTO stranger;
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_read_ids(oid, jsonb, smallint) IS
    'returns the greatest ID up to a time in a column, and a later one; a part of kid_read_columns()';

-- from src/sql/tables/stored_ids/read_columns.sql

-- Reads the IDs of columns, one column after the other, each in a subtransaction that gives back its locks

-- Takes rows of kid_id_columns(), with two more columns: `n`, in the order of which they are read, and `since`, up to
-- which the greatest ID is sought. Returns what kid_stored_ids() returns.
--
-- `home` is the OID of kid's schema. A superuser locks the row of that schema, so that nobody can give its name to
-- another one while a query names it. The query is text because of that name, which can change between two columns.
--
-- The error KID00, which the function raises and catches, rolls back the subtransaction, and so gives back the locks.
-- The settings make each query read an index in its order, and keep constraints and policies from being evaluated.
CREATE FUNCTION @extschema@.kid_read_columns(home oid, columns jsonb)
    RETURNS TABLE (clock text, type regtype, prefix text, past text, relation regclass, column_name text, id text,
                   issued timestamptz, latest timestamptz, later text, later_issued timestamptz, stranger text,
                   problem text, passing boolean)
    LANGUAGE plpgsql VOLATILE COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET row_security = off
    SET constraint_exclusion = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
    SET jit = off
    -- Longer than deadlock_timeout by default, so that autovacuum gives way.
    SET lock_timeout = '1500ms' AS $$
DECLARE
    -- The setting is_superuser does not tell, because a SECURITY DEFINER function does not change it.
    can_lock boolean := (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user);
    locked regclass := 0;               -- the last table that was locked; a table can have 1600 columns
    source record;
BEGIN
    FOR source IN
        SELECT c.* FROM jsonb_to_recordset(columns) AS c (
            n bigint, clock text, type oid, prefix text, past text, stored_as oid, relation oid, attname text,
            attnum smallint, atttypid oid, since timestamptz, problem text)
         ORDER BY c.n
    LOOP
        SELECT source.clock, source.type, source.prefix, source.past, source.relation, source.attname,
               CASE WHEN source.relation = locked THEN 'the table is locked' ELSE source.problem END,
               source.relation = locked
          INTO clock, type, prefix, past, relation, column_name, problem, passing;
        id := NULL; issued := NULL; latest := NULL; later := NULL; later_issued := NULL;
        stranger := NULL;
        IF problem IS NOT NULL THEN
            RETURN NEXT;
            CONTINUE;
        END IF;
        BEGIN
            IF can_lock THEN
                PERFORM FROM pg_namespace AS n WHERE n.oid = home FOR KEY SHARE;
            END IF;
            EXECUTE format('SELECT r.id, r.issued, r.latest, r.later, r.later_issued, r.stranger, '
                           'coalesce(l.problem, r.problem), l.passing FROM %1$I.kid_lock_column($1, $2) AS l, '
                           'LATERAL %1$I.kid_read_ids($3, $1, l.option) AS r',
                           (SELECT n.nspname FROM pg_namespace AS n WHERE n.oid = home))
                INTO id, issued, latest, later, later_issued, stranger, problem, passing
                USING to_jsonb(source), can_lock, home;
            RAISE SQLSTATE 'KID00';
        EXCEPTION
            WHEN SQLSTATE 'KID00' THEN
                NULL;
            WHEN lock_not_available THEN
                problem := 'the table is locked';
                passing := true;
                locked := relation;
            WHEN OTHERS THEN
                problem := 'it cannot be read: ' || SQLERRM;
                -- Deadlocks and damage.
                passing := SQLSTATE ~ '^(40|XX|58)';
        END;
        IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation) THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.kid_read_columns(oid, jsonb) IS
    'returns the highest ID up to a time in each of the given columns, a later one, and a number that is no ID';

-- from src/sql/tables/stored_ids/stored_ids.sql

-- kid_stored_ids(): the greatest IDs that tables contain, for both editions
--
-- As a superuser these functions run no code that an owner of a table wrote. Even planning a query can run such code,
-- because PostgreSQL evaluates the constant parts of index expressions, of predicates, and of statistics. So
-- kid_lock_column() first takes locks that keep the table, its indexes, its statistics and its name from being changed.
-- Then it refuses tables with objects that depend on code of others. The settings of kid_read_columns() keep
-- constraints from being evaluated and policies from being applied. Functions of kid and operators on IDs are named
-- with their schema, and operands have exactly their types, so that nothing of others in that schema fits better: a
-- cast removes domains.

-- Returns a row for each column of IDs that move a clock, of `parent` and of its partitions, or of the whole database
-- if `parent` is null; with `only_clock`, of that clock alone. If `after` is null, the end of the first 30 days of the
-- type takes its place: keys of a sequence below 10^13 have such times.
--
--     clock, past, prefix   those of the type in kid_stored_forms()
--     relation, column_name
--     id, issued            the greatest ID up to the end of the time unit of `after`, and its time
--     latest                no ID up to `id` has a later time. Of most types it is the end of the time unit of `id`
--     later, later_issued   the greatest ID with a time after `after`, and its time
--     stranger              a number in a column of kid53 that is negative or above all of them
--     problem               why IDs of the column were not read, or null
--     passing               whether the problem passes, so that a later call could succeed
CREATE FUNCTION @extschema@.kid_stored_ids(
    after timestamptz, only_clock text DEFAULT NULL, parent regclass DEFAULT NULL)
    RETURNS TABLE (clock text, past text, prefix text, relation regclass, column_name text, id text, issued timestamptz,
                   latest timestamptz, later text, later_issued timestamptz, stranger text, problem text,
                   passing boolean)
    LANGUAGE SQL VOLATILE COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
BEGIN ATOMIC
    -- With the snapshot of an earlier statement, a query could see an index, or rows, as they were before the lock.
    SELECT @extschema@.kid_check_isolation('stored IDs can only be read at READ COMMITTED');
    SELECT r.clock, r.past, r.prefix, r.relation, r.column_name, r.id, r.issued, r.latest, r.later, r.later_issued,
           r.stranger, r.problem, r.passing
      -- p has the schema of kid.
      FROM pg_proc AS p,
           @extschema@.kid_read_columns(p.pronamespace, (
               SELECT jsonb_agg(to_jsonb(c))
                 FROM (SELECT row_number() OVER (ORDER BY c.relation, c.attnum) AS n, c.clock, c.type::oid, c.prefix,
                              c.past, c.stored_as::oid, c.relation::oid, c.attname, c.attnum, c.atttypid, c.problem,
                              coalesce(after, @extschema@.kid_bound_time(
                                  c.type, @extschema@.kid_bound_at(c.type, '-infinity'::timestamptz))
                                  + interval '30 days') AS since
                         FROM @extschema@.kid_id_columns(only_clock, parent) AS c) AS c)) AS r
     WHERE p.oid = '@extschema@.kid_stored_forms()'::regprocedure;
END;
COMMENT ON FUNCTION @extschema@.kid_stored_ids(timestamptz, text, regclass) IS
    'returns for each column of IDs the highest ID up to a time, the highest later ID, and a number that is no ID';

-- from src/sql/tables/stored_ids/observe_all.sql

-- kid_observe_all(): moves the logical clocks past the IDs that tables contain

-- `observe` and `past` are names of functions of kid, and `home` is the OID of its schema. The call is text, so that
-- PostgreSQL looks them up when it runs: a role needs EXECUTE on kid_observe() only if its columns have IDs.
--
-- A superuser locks the name of kid's schema. The error KID00, which the function raises and catches, rolls back the
-- subtransaction, and so gives back the lock. The clock stays where kid_observe() has moved it: neither shared memory
-- nor, in plain SQL, a sequence is rolled back.
CREATE FUNCTION @extschema@.kid_move_clock(home oid, observe text, past text, moved_to timestamptz) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) THEN
        PERFORM FROM pg_namespace AS n WHERE n.oid = home FOR KEY SHARE;
    END IF;
    EXECUTE format('SELECT %1$I.%2$I(%1$I.%3$I($1))', (SELECT n.nspname FROM pg_namespace AS n WHERE n.oid = home),
                   observe, past) USING moved_to;
    RAISE SQLSTATE 'KID00';
EXCEPTION WHEN SQLSTATE 'KID00' THEN
    NULL;
END $$;
COMMENT ON FUNCTION @extschema@.kid_move_clock(oid, text, text, timestamptz) IS
    'moves a logical clock past a time; a part of kid_observe_all()';

-- Moves a clock past the whole time unit of the greatest ID, because later IDs of the unit may have been issued. The
-- greatest kid96 of a neighborhood need not be the latest, so the clock moves past the neighborhood. That is the time
-- `latest` of kid_stored_ids(). IDs beyond the time `farthest` do not count, because kid_observe() rejects them, and so
-- they have rows of their own. Of all columns of a clock, the one with the latest IDs decides.
--
-- A column with IDs is not in the result for its problem, which then is only that it has strangers, too.
CREATE FUNCTION @extschema@.kid_observe_all()
    RETURNS TABLE (clock text, id text, issued timestamptz, relation regclass, column_name text, problem text)
    LANGUAGE SQL VOLATILE COST 10000 ROWS 10 SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse('25006', 'cannot execute kid_observe_all() during recovery')
     WHERE pg_is_in_recovery();
    WITH farthest AS MATERIALIZED (SELECT @extschema@.kid_farthest() AS time),
         stored AS MATERIALIZED (
             SELECT s.* FROM farthest AS t, @extschema@.kid_stored_ids(t.time, NULL::text, NULL::regclass) AS s),
         deciding AS (
             SELECT DISTINCT ON (s.clock) s.*, least(s.latest, t.time) AS moved_to
               FROM stored AS s, farthest AS t WHERE s.id IS NOT NULL ORDER BY s.clock, least(s.latest, t.time) DESC),
         moved AS MATERIALIZED (
             SELECT d.*, @extschema@.kid_move_clock(p.pronamespace, o.observe, d.past, d.moved_to)
               FROM deciding AS d
                    JOIN (SELECT DISTINCT f.past, f.observe FROM @extschema@.kid_stored_forms() AS f) AS o
                      ON o.past = d.past,
                    pg_proc AS p
              WHERE p.oid = '@extschema@.kid_stored_forms()'::regprocedure)
    SELECT o.clock, o.id, o.issued, o.relation, o.column_name, o.problem
      FROM (SELECT f.clock, m.id, m.issued, m.relation, m.column_name, NULL AS problem
              FROM (SELECT DISTINCT f.clock FROM @extschema@.kid_stored_forms() AS f WHERE f.clock IS NOT NULL) AS f
                   LEFT JOIN moved AS m ON m.clock = f.clock
            UNION ALL
            SELECT s.clock, NULL, NULL, s.relation, s.column_name, s.problem
              FROM stored AS s WHERE s.problem IS NOT NULL AND s.id IS NULL
            UNION ALL
            SELECT s.clock, s.later, s.later_issued, s.relation, s.column_name,
                   'it has IDs that are further ahead than kid_observe() accepts; this is the greatest'
              FROM stored AS s WHERE s.later IS NOT NULL) AS o
     ORDER BY o.problem IS NOT NULL, o.clock, o.relation::text, o.column_name;
END;
COMMENT ON FUNCTION @extschema@.kid_observe_all() IS
    'moves each logical clock past the IDs that are stored in this database, so that new IDs are later';
REVOKE ALL ON FUNCTION @extschema@.kid_observe_all() FROM PUBLIC;

-- from src/sql/tables/check/check_defaults.sql

-- Finds columns of IDs whose default does not make IDs, for kid_check()
--
-- A column with a foreign key need not make IDs.

CREATE FUNCTION @extschema@.kid_check_defaults(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    -- Each column with its type, and the types that this is a domain over
    layers (relid, attnum, attname, is_generated, type) AS (
        SELECT a.attrelid, a.attnum, a.attname, a.attgenerated <> '', a.atttypid FROM pg_attribute AS a
         WHERE a.attrelid = relation
        UNION
        SELECT l.relid, l.attnum, l.attname, l.is_generated, t.typbasetype
          FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype = 'd'
    )
    SELECT DISTINCT relation, l.attname::text,
           format('its default, %s, does not make a %s: IDs of new rows have wrong times, and may not be unique',
                  pg_get_expr(ad.adbin, ad.adrelid), f.type),
           format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s();', relation, l.attname, f.next::oid::regproc)
      FROM layers AS l
           JOIN @extschema@.kid_stored_forms() AS f ON f.type::oid = l.type AND NOT f.is_core
           JOIN pg_attrdef AS ad ON ad.adrelid = l.relid AND ad.adnum = l.attnum
     WHERE NOT l.is_generated
       AND NOT EXISTS (SELECT FROM pg_depend AS d
                              JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass::oid AND p.oid = d.refobjid
                        WHERE d.classid = 'pg_attrdef'::regclass::oid AND d.objid = ad.oid
                          AND p.prorettype = f.type::oid AND p.provolatile = 'v')
       AND NOT EXISTS (SELECT FROM pg_constraint AS k
                        WHERE k.contype = 'f' AND k.conrelid = relation::oid AND l.attnum = ANY (k.conkey));
END;
COMMENT ON FUNCTION @extschema@.kid_check_defaults(regclass) IS
    'returns the columns whose default does not make IDs; a part of kid_check()';

-- from src/sql/tables/check/check_foreign_keys.sql

-- Finds foreign keys between IDs and other types, for kid_check()
--
-- For a foreign key from text PostgreSQL needs the collation of the parent's column, and IDs have none.

CREATE FUNCTION @extschema@.kid_check_foreign_keys(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    keys AS (SELECT k.conname, k.conrelid, k.confrelid, p.child, p.parent
               FROM pg_constraint AS k, unnest(k.conkey, k.confkey) AS p (child, parent)
              WHERE k.contype = 'f' AND k.conparentid = '0'::oid AND relation::oid IN (k.conrelid, k.confrelid)),
    -- Each column with its type, and the types that this is a domain over
    layers (relid, attnum, attname, type) AS (
        SELECT a.attrelid, a.attnum, a.attname, a.atttypid FROM pg_attribute AS a
         WHERE a.attrelid IN (SELECT relation::oid
                              UNION SELECT k.conrelid FROM keys AS k UNION SELECT k.confrelid FROM keys AS k)
        UNION
        SELECT l.relid, l.attnum, l.attname, t.typbasetype
          FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype = 'd'
    ),
    sides AS (SELECT l.relid, l.attnum, l.relid::regclass AS name, l.attname, l.type, l.type::regtype AS type_name,
                     t.typcollation <> '0'::oid AS is_text,
                     l.type IN (SELECT s.type::oid FROM @extschema@.kid_stored_forms() AS s
                                 WHERE NOT s.is_core) AS is_id
                FROM layers AS l JOIN pg_type AS t ON t.oid = l.type AND t.typtype <> 'd')
    -- For example, of column order_id: foreign key "lines_order_id_fkey" compares it, of type text, with column "id" of
    -- shop.orders, of type kid64: every DELETE and key UPDATE of shop.orders fails
    SELECT c.name, c.attname::text,
           format(
               'foreign key "%s" compares it, of type %s, with column "%s" of %s, of type %s: %s',
               k.conname, c.type_name, p.attname, p.name, p.type_name,
               CASE WHEN p.is_id AND c.is_text
                    THEN format('every DELETE and key UPDATE of %s fails', p.name)
                    ELSE 'no index can be used to look up the rows of a key' END),
           CASE WHEN p.is_id THEN format(r.form, c.name, c.attname, p.type_name)
                ELSE format(r.form, p.name, p.attname, c.type_name) END
      FROM keys AS k
           JOIN sides AS c ON c.relid = k.conrelid AND c.attnum = k.child
           JOIN sides AS p ON p.relid = k.confrelid AND p.attnum = k.parent,
           (VALUES ('ALTER TABLE %1$s ALTER COLUMN %2$I TYPE %3$s USING %2$I::%3$s;')) AS r (form)
     WHERE c.type <> p.type AND (c.is_id OR p.is_id);
END;
COMMENT ON FUNCTION @extschema@.kid_check_foreign_keys(regclass) IS
    'returns the foreign keys between IDs and other types; a part of kid_check()';

-- from src/sql/tables/check/check_partitions.sql

-- Finds partitions that evade rights and policies of their parent, for kid_check()
--
-- PostgreSQL checks the rights and the policies of the table that a query names, and of no partition below it. Foreign
-- tables have no row-level security. On a default partition FORCE would hide rows from kid_create_partitions().

CREATE FUNCTION @extschema@.kid_check_partitions(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    below (oid) AS (
        SELECT i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = relation::oid
        UNION SELECT i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid
    ),
    partitions AS (SELECT c.oid, c.oid::regclass AS name, c.relowner, c.relacl, t.oid AS parent,
                          t.oid::regclass AS parent_name, t.relowner AS parent_owner,
                          t.relrowsecurity AND c.relkind = "char" 'f' AS evades_policies,
                          t.relrowsecurity AND c.relkind <> "char" 'f' AND NOT c.relrowsecurity AS lacks_policies,
                          t.relrowsecurity AND t.relforcerowsecurity AND c.relkind <> "char" 'f'
                          AND NOT c.relforcerowsecurity
                          AND NOT EXISTS (SELECT FROM pg_partitioned_table AS d WHERE d.partdefid = c.oid)
                          AS lacks_force
                     FROM below AS b JOIN pg_class AS c ON c.oid = b.oid AND c.relispartition
                          JOIN pg_class AS t ON t.oid = relation::oid),
    -- Rights on tables, and on columns: those have a number.
    grants AS (SELECT p.oid, p.relacl AS acl, NULL::smallint AS parent_num FROM partitions AS p
               UNION ALL
               SELECT p.oid, c.attacl, u.attnum
                 FROM partitions AS p JOIN pg_attribute AS c ON c.attrelid = p.oid AND c.attacl IS NOT NULL
                      JOIN pg_attribute AS u ON u.attrelid = p.parent AND u.attname = c.attname),
    -- To take back what another role than the owner granted, the owner takes the right from that role, with CASCADE.
    strangers AS (SELECT p.name, p.parent_name, bool_or(r.oid = a.grantee) AS has_more,
                         CASE r.oid WHEN '0'::oid THEN text 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r.oid)::text) END
                         AS role
                    FROM partitions AS p JOIN grants AS g ON g.oid = p.oid, aclexplode(g.acl) AS a,
                         LATERAL (VALUES (concat(a.privilege_type,
                                                 CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' END)))
                                 AS o (privilege),
                         LATERAL (VALUES (a.grantor), (a.grantee)) AS r (oid)
                   WHERE a.grantee <> p.relowner AND r.oid <> p.relowner
                     AND (p.evades_policies
                          OR NOT CASE WHEN g.parent_num IS NULL
                                      THEN has_table_privilege(a.grantee, p.parent, o.privilege)
                                      ELSE has_column_privilege(a.grantee, p.parent, g.parent_num, o.privilege) END)
                   GROUP BY p.name, p.parent_name, r.oid)
    SELECT p.name, NULL::text, f.problem, f.remedy
      FROM partitions AS p,
           LATERAL (VALUES
               (NOT pg_has_role(p.relowner, p.parent_owner, text 'USAGE'),
                format('it belongs to another role than %s', p.parent_name),
                format('ALTER TABLE %s OWNER TO %I;', p.name, pg_get_userbyid(p.parent_owner))),
               (p.lacks_policies,
                format('it lacks the row-level security of %s: roles with rights on it see all rows', p.parent_name),
                format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY;', p.name)),
               (p.lacks_force,
                format('it does not force row-level security as %s does: its owner sees all rows', p.parent_name),
                format('ALTER TABLE %s FORCE ROW LEVEL SECURITY;', p.name)))
               AS f (is_found, problem, remedy)
     WHERE f.is_found
    UNION ALL
    SELECT s.name, NULL::text,
           format('roles have rights on it that they do not have through %s: %s', s.parent_name,
                  string_agg(s.role, text ', ' ORDER BY s.role) FILTER (WHERE s.has_more)),
           format('REVOKE ALL ON TABLE %s FROM %s CASCADE;', s.name, string_agg(s.role, text ', ' ORDER BY s.role))
      FROM strangers AS s GROUP BY s.name, s.parent_name;
END;
COMMENT ON FUNCTION @extschema@.kid_check_partitions(regclass) IS
    'returns the partitions that evade rights and policies of their parent; a part of kid_check()';

-- from src/sql/tables/check/check.sql

-- kid_check(): finds what is wrong with the IDs of a table, and with the rights on its partitions, for both editions
--
-- Names in texts have their schema: the search_path has none.

CREATE FUNCTION @extschema@.kid_check(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL VOLATILE STRICT COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET jit = off
BEGIN ATOMIC
    WITH found (n, relation_name, column_name, problem, remedy) AS (
        SELECT 1, c.* FROM @extschema@.kid_check_defaults(relation) AS c
        UNION ALL
        SELECT 2, c.* FROM @extschema@.kid_check_foreign_keys(relation) AS c
        UNION ALL
        -- kid_stored_ids() runs twice: with null for IDs with times in the first 30 days of the type, and with the
        -- latest time that kid_observe() accepts for IDs that are later than that.
        SELECT 3, s.relation, s.column_name, f.problem, f.remedy
          FROM (VALUES (NULL), (@extschema@.kid_farthest())) AS a (after),
               LATERAL @extschema@.kid_stored_ids(a.after, NULL::text, relation) AS s,
               LATERAL (VALUES
                   (a.after IS NULL AND s.id IS NOT NULL,
                    format('IDs up to %s have times up to %s: they were plain numbers before', s.id, s.issued),
                    format('Do not use the times of these IDs, or give the rows, and the rows that refer to them, new '
                           'IDs with %s_at().', s.prefix)),
                   (a.after IS NOT NULL AND s.later IS NOT NULL,
                    format('IDs up to %s have times up to %s, further ahead of the system clock than '
                           'kid_observe() accepts', s.later, s.later_issued),
                    'Delete or correct these rows. If new IDs are as late, the clock was wrong: in the extension, see '
                    'kid_reset_clock().'),
                   (a.after IS NOT NULL AND s.stranger IS NOT NULL,
                    format('it contains numbers that are no %s and have no time, such as %s', s.prefix, s.stranger),
                    format('Correct or delete the rows of SELECT * FROM %s WHERE %I %s;', s.relation,
                           s.column_name, CASE s.prefix WHEN 'kid53' THEN 'NOT BETWEEN 0 AND 9007199254740991'
                                                        ELSE '< 0' END)),
                   (a.after IS NOT NULL AND s.problem IS NOT NULL AND s.id IS NULL AND s.stranger IS NULL,
                    format('its IDs were not examined: %s', s.problem),
                    format('As %s, look at the least and the greatest ID.',
                           CASE WHEN row_security_active(s.relation::oid)
                                THEN 'a superuser or a role with BYPASSRLS' ELSE 'the owner of the table' END)))
                   AS f (is_found, problem, remedy)
         WHERE f.is_found
        UNION ALL
        SELECT 4, c.* FROM @extschema@.kid_check_partitions(relation) AS c
    )
    SELECT f.relation_name, f.column_name, f.problem, f.remedy FROM found AS f
     ORDER BY f.n, f.relation_name::text, f.column_name, f.problem;
END;
COMMENT ON FUNCTION @extschema@.kid_check(regclass) IS
    'returns a row for each problem with the IDs and the partitions of a table, with its remedy';

-- from src/sql/tables/track/source.sql.in

-- A horizon for tables that draw their IDs from a sequence, for both editions
--
-- Before a statement inserts rows or updates the column of IDs, the trigger kid_track takes a shared advisory lock,
-- once in a transaction, for a floor. If the IDs are those of a sequence, the floor is its last value. If they are
-- those of a logical clock of the edition in plain SQL, it is the last value of the clock's sequence, shifted right by
-- the number of bits that count in a time unit. What the transaction draws afterwards is above its floor. PostgreSQL
-- releases the lock when others see the rows. So if kid_horizon() reads the sequence first, and then sees no lock,
-- later statements see all rows up to what it read.
--
-- The key of the lock has these bits. pg_locks shows the upper half as classid, the lower half as objid. If another
-- lock happens to have such a key, the horizon is lower until that lock ends.
--
--     62 to 40   the last 23 bits of the table's OID        & 8388607, which is 2^23 - 1
--     39 to 0    the last 40 bits of the floor              & 1099511627775, which is 2^40 - 1
--
-- The triggers make keys: in C lock_floor() in src/pg/triggers/track_triggers.cpp, in plain SQL kid_track_key().
-- kid_track_locks() in horizon.sql reads them. test/t/track.pl lets the triggers take each
-- other's place while transactions are open.
--
-- The trigger kid_track has the following arguments. TG_ARGV in PL/pgSQL and tgargs in C count from 0, as here. The
-- array that kid_track_column() returns counts from 1, and so does split_part() in kid_track_drawers().
--
--     0   the OID of the table: if it is another one, as after a restore, the next argument is of no use
--     1   the OID of the sequence
--     2   by how many bits its value is shifted
--     3   t if kid_track() let every role read the sequence, otherwise f
--     4   t if rows are rejected, otherwise missing
--
-- The trigger zz_kid_track, which rejects rows, has the name of the column as its only argument. PostgreSQL fires
-- triggers in the order of their names, so it sees an ID that another trigger has set.
--
-- A role that may read a table, or a column of it, may ask for its horizon. In C the sequence is read with the rights
-- of the owner of the table. In plain SQL everything runs with the rights of the caller, so every role has to be
-- allowed to read the sequence. Conditions that are only for one edition begin with the value of `plain`, which the
-- script sets.

-- Returns the column by which a table is tracked, and the arguments of the trigger, the first as args[1], or nulls if
-- the table is not tracked: if it has no trigger of kid_track() that fires whatever session_replication_role is, for
-- which tgenabled is A. Raises an error if there is no such table.
--
-- In tgargs a zero byte follows each argument. encode() prints that as a backslash and three digits.
CREATE FUNCTION @extschema@.kid_track_column(tab oid, OUT attname name, OUT args text[])
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = tab) THEN
        RAISE 'relation with OID % does not exist', tab USING ERRCODE = 'undefined_table';
    END IF;
    -- By name, because no body in PL/pgSQL can name the schema of kid, which may be renamed.
    SELECT a.attname, string_to_array(encode(t.tgargs, 'escape'), chr(92) || '000') INTO attname, args
      FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid AND p.proname = 'kid_track_enter'
           JOIN pg_attribute AS a ON a.attrelid = t.tgrelid AND a.attnum = t.tgattr[0]
     WHERE t.tgrelid = tab AND t.tgname = 'kid_track' AND t.tgenabled = 'A';
END $$;
COMMENT ON FUNCTION @extschema@.kid_track_column(tab oid) IS
    'returns the column by which a table is tracked, and the arguments of the trigger';

CREATE FUNCTION @extschema@.kid_track_primary_key(tab oid) RETURNS name
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT a.attname
      FROM pg_index AS x JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
     WHERE x.indrelid = tab AND x.indisprimary AND x.indnkeyatts = 1;
END;
COMMENT ON FUNCTION @extschema@.kid_track_primary_key(tab oid) IS
    'returns the primary key of a table if that is one column, otherwise NULL';

-- Returns the sequence that a column draws from, or null if there is none, and by how many bits its value is shifted.
-- `attname` is null if there is no such column. Raises an error if there is no such table.
CREATE FUNCTION @extschema@.kid_track_source(
    tab oid, col name, OUT attname name, OUT seq oid, OUT shift integer)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    num integer;                                -- the number of the column
    is_identity boolean;
    value text;                                 -- the default of the column, as SQL
    clock text;                                 -- the sequence of the logical clock that the default draws from
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = tab) THEN
        RAISE 'relation with OID % does not exist', tab USING ERRCODE = 'undefined_table';
    END IF;
    SELECT a.attname, a.attnum, a.attidentity <> '' INTO attname, num, is_identity
      FROM pg_attribute AS a WHERE a.attrelid = tab AND a.attname = col;

    -- If the default is a generator in plain SQL: the clock, and how many bits of its states count within a time unit.
    -- The files of the clocks in src/sql/plain set the same numbers as sequence_bits. They are here once more, because
    -- kid-track can be installed without these files, and test/t/plain.pl compares them with the clocks.
    SELECT pg_get_expr(e.adbin, e.adrelid) INTO value FROM pg_attrdef AS e WHERE e.adrelid = tab AND e.adnum = num;
    SELECT k.clock, k.bits INTO clock, shift
      FROM (VALUES ('kid64_clock', 14, '{kid.kid_next(),kid.kid64_next()}'::text[]),
                   ('kid53_clock', 12, '{kid.kid53_next()}'),
                   ('kid_uuidv7_clock', 14, '{kid.kid_uuidv7()}'))
           AS k (clock, bits, generators)
     WHERE false AND replace(value, '"', '') = ANY (k.generators);
    shift := coalesce(shift, 0);

    IF is_identity THEN
        -- pg_get_serial_sequence() may return the sequence of a former serial, which the column still owns.
        SELECT d.objid INTO seq
          FROM pg_depend AS d
         WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = tab AND d.refobjsubid = num
               AND d.classid = 'pg_class'::regclass AND d.deptype = 'i';
    ELSIF clock IS NULL THEN
        -- For example nextval('items_id_seq'::regclass); with quote_all_identifiers the names have quotation marks.
        seq := to_regclass(replace(substring(value FROM '^"*nextval"*[(]''(.*)''::"*regclass"*[)]$'), '''''', ''''));
    ELSE
        SELECT c.oid INTO seq
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE n.nspname = 'kid_clocks' AND c.relname = clock;
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_track_source(tab oid, col name) IS
    'returns what a column draws from: a sequence, and by how many bits its value is shifted';

-- from src/sql/tables/track/problem.sql.in

-- What keeps a column from being tracked, for both editions

-- Takes what kid_track_source() and, if the table is tracked, kid_track_column() returned. Otherwise `is_tracked` is
-- false and `args` null. Says first what is wrong with the table, then with the default, then with the sequence, in the
-- order in which a user would mend it. `hint` is what mends the problem, or empty if the problem says that itself.
--
-- A value is shifted only if it is a state of a clock, so a column of type uuid can be tracked only with a shift. With
-- quote_all_identifiers, which a user may have set, a default has quotation marks.
CREATE FUNCTION @extschema@.kid_track_problem(
    tab oid, is_tracked boolean, attname name, seq oid, shift integer, args text[], OUT problem text, OUT hint text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tracked pg_class;                           -- the table
    source pg_class;                            -- the sequence
    setup pg_sequence;                          -- and its properties
    value text;                                 -- the default of the column, as SQL
    type regtype;                               -- of the column
    base_type regtype;                          -- the same, or what this domain is over
    found text[];                               -- the problem, and what mends it
    again CONSTANT text := CASE WHEN is_tracked THEN 'Call kid_track() for the table again.' END;
    -- The arguments of the trigger that source.sql.in lists
    tab_then CONSTANT text := args[1];
    seq_then CONSTANT text := args[2];
    shift_then CONSTANT text := args[3];
BEGIN
    SELECT c.* INTO tracked FROM pg_class AS c WHERE c.oid = tab;
    SELECT c.* INTO source FROM pg_class AS c WHERE c.oid = seq;
    SELECT q.* INTO setup FROM pg_sequence AS q WHERE q.seqrelid = seq;
    SELECT pg_get_expr(e.adbin, e.adrelid), y.oid, coalesce(nullif(y.typbasetype, 0), y.oid)
      INTO value, type, base_type
      FROM pg_attribute AS a
           JOIN pg_type AS y ON y.oid = a.atttypid
           LEFT JOIN pg_attrdef AS e ON e.adrelid = a.attrelid AND e.adnum = a.attnum
     WHERE a.attrelid = tab AND a.attname = kid_track_problem.attname;

    found := CASE
        WHEN attname IS NULL AND is_tracked
        THEN ARRAY['it has no trigger of kid_track() that is enabled always', 'Call kid_track() for the table.']
        WHEN attname IS NULL
        THEN ARRAY['it has no such column, or no primary key of one column: name a column']
        WHEN tracked.relkind NOT IN ('r', 'p') OR tracked.relispartition
        THEN ARRAY['it is no table, or a partition: track its parent']
        WHEN tracked.relkind = 'r' AND tracked.relhassubclass
             AND EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhparent = tab)
        THEN ARRAY['other tables inherit it']
        WHEN tracked.relkind = 'p' AND EXISTS (SELECT FROM pg_partition_tree(tab) AS p
                                                           JOIN pg_foreign_table AS f ON f.ftrelid = p.relid)
        THEN ARRAY['it has foreign partitions']

        WHEN seq IS NULL AND value ~ '^"*nextval"*[(].*::"*text"*[)]::"*regclass"*[)]$'
        THEN ARRAY[format('the default of column "%s" casts the name of its sequence to text', attname)]
        WHEN seq IS NULL
        THEN ARRAY[format('the default of column "%s" is not the next value of a sequence', attname)
                   || CASE WHEN false THEN '' ELSE '; IDs that kid makes need no tracking, see kid_horizon()' END]

        WHEN tracked.relpersistence <> 'p' OR source.relpersistence <> 'p'
        THEN ARRAY['it, or its sequence, does not outlast a crash']
        WHEN NOT has_sequence_privilege(tracked.relowner, seq, 'SELECT, USAGE')
        THEN ARRAY[format('its owner may not read sequence %s', seq::regclass)]
        -- A default can name a sequence of another owner, which kid_track() must not make public.
        WHEN false AND (is_tracked OR tracked.relowner <> source.relowner)
             AND NOT has_sequence_privilege('public', seq, 'SELECT')
        THEN ARRAY[format('not everybody may read sequence %s', seq::regclass), again]
        WHEN (shift_then = '0') <> (shift = 0) OR tab_then = tab::text AND seq_then <> seq::text
        THEN ARRAY[format('column "%s" drew from another sequence when the table was tracked', attname), again]
        -- To set it to 1 also discards the values that sessions have cached.
        WHEN setup.seqcache <> 1
        THEN ARRAY[format('sequence %s has CACHE %s, not 1', seq::regclass, setup.seqcache),
                   format('Run ALTER SEQUENCE %s CACHE 1', seq::regclass)
                   || CASE WHEN is_tracked THEN '.' ELSE ', then call kid_track() again.' END]
        WHEN setup.seqincrement < 1 OR setup.seqmin < 0 OR setup.seqcycle
        THEN ARRAY[format('sequence %s is not ascending from 0 or above without CYCLE', seq::regclass)]
        WHEN base_type <> ALL ('{int2,int4,int8}'::regtype[]) AND shift = 0
        THEN ARRAY[format('column "%s" is of type %s', attname, type)] END;
    problem := found[1];
    hint := CASE WHEN found[2] IS NOT NULL THEN found[2]
                 WHEN is_tracked THEN 'Undo what was changed after kid_track() was called for the table.'
                 ELSE '' END;
END $$;
COMMENT ON FUNCTION @extschema@.kid_track_problem(
    tab oid, is_tracked boolean, attname name, seq oid, shift integer, args text[]) IS
    'returns why a column cannot be tracked, or NULL, and what mends that';

-- from src/sql/tables/track/triggers.sql

-- The triggers of kid_track(): creates and drops them, for both editions

-- Takes the arguments of the trigger kid_track as SQL, and the functions of both triggers. `check_row` is null if no
-- rows are rejected: then a trigger from an earlier call is dropped.
--
-- CREATE TRIGGER waits for the transactions that have inserted without it. A WHEN would be prepared in each statement,
-- which takes longer than the function. While CREATE TRIGGER waits, another function can get the name that it was
-- given.
--
-- These commands take only names, so their text is put together.
CREATE FUNCTION @extschema@.kid_track_create(
    tab regclass, col name, arguments text, enter regproc, check_row regproc) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE concat_ws(
        '; ',
        format('CREATE OR REPLACE TRIGGER kid_track BEFORE INSERT OR UPDATE OF %I ON %s FOR EACH STATEMENT '
               'EXECUTE FUNCTION %s(%s)', col, tab, enter, arguments),
        format('ALTER TABLE %s ENABLE ALWAYS TRIGGER kid_track', tab),
        CASE WHEN check_row IS NOT NULL
             THEN format('CREATE OR REPLACE TRIGGER zz_kid_track BEFORE INSERT OR UPDATE OF %1$I ON %2$s FOR EACH ROW '
                         'EXECUTE FUNCTION %3$s(%1$L)', col, tab, check_row)
             WHEN EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = tab AND t.tgname = 'zz_kid_track')
             THEN format('DROP TRIGGER zz_kid_track ON %s', tab) END);
    IF (SELECT count(*) FROM pg_trigger AS t
         WHERE t.tgrelid = tab AND (t.tgname, t.tgfoid) IN (('kid_track', enter), ('zz_kid_track', check_row)))
       <> num_nonnulls(enter, check_row) THEN
        RAISE 'table %, or function %, was renamed while the table was to be tracked', tab, enter
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_track_create(regclass, name, text, regproc, regproc) IS
    'creates the triggers of `kid_track()`';

-- Drops both triggers, and takes the right to read the sequence `granted` from PUBLIC if that is not null. While DROP
-- TRIGGER waits, another table can get the name that it was given. The commands are text for the same reason.
CREATE FUNCTION @extschema@.kid_track_drop(tab regclass, granted oid) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $$
BEGIN
    EXECUTE format('DROP TRIGGER IF EXISTS kid_track ON %1$s; DROP TRIGGER IF EXISTS zz_kid_track ON %1$s', tab);
    IF EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = tab AND t.tgname IN ('kid_track', 'zz_kid_track')) THEN
        RAISE 'table % was renamed while its triggers were to be dropped', tab
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF granted IS NOT NULL THEN
        EXECUTE format('REVOKE SELECT ON SEQUENCE %s FROM PUBLIC', granted::regclass);
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_track_drop(regclass, oid) IS
    'removes the triggers of `kid_track()` from a table, and a right that it granted';

-- from src/sql/tables/track/track.sql.in

-- kid_track() and kid_untrack(), for both editions
--
-- In plain SQL they also grant and revoke the right to read the sequence. An edition sets these two expressions:
--
--     grant       grants the right to read the sequence `s.seq`, and returns whether it did: the argument 3 that
--                 source.sql.in lists
--     granted     the sequence of the table `tab` to which this right was granted, or null

CREATE FUNCTION @extschema@.kid_track(tab regclass, col name DEFAULT NULL, reject boolean DEFAULT false)
    RETURNS void
    LANGUAGE SQL VOLATILE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('tab') WHERE tab IS NULL;
    SELECT @extschema@.kid_refuse_null('reject') WHERE reject IS NULL;
    -- One query either raises the error or creates the triggers, so that both see the same column and sequence.
    SELECT CASE WHEN p.problem IS NOT NULL
                THEN @extschema@.kid_refuse(
                         '55000', format('table %s cannot be tracked: %s', tab, p.problem), '', p.hint)
                ELSE @extschema@.kid_track_create(
                         tab, s.attname,
                         -- The arguments of the trigger, which source.sql.in lists
                         concat_ws(', ', tab::oid, s.seq, s.shift, false,
                                   CASE WHEN reject THEN true END),
                         '@extschema@.kid_track_enter()'::regprocedure::oid::regproc,
                         CASE WHEN reject THEN '@extschema@.kid_track_check()'::regprocedure::oid::regproc END) END
      FROM @extschema@.kid_track_source(tab::oid, coalesce(col, @extschema@.kid_track_primary_key(tab::oid))) AS s,
           LATERAL @extschema@.kid_track_problem(
               tab::oid, false, s.attname, s.seq, s.shift, NULL::text[]) AS p;
END;
COMMENT ON FUNCTION @extschema@.kid_track(regclass, name, boolean) IS
    'installs a trigger on a table, so that `kid_horizon(table)` knows which open transactions insert rows; with '
    '`reject`, a second trigger raises an error for a row whose ID was not made in its own transaction';

CREATE FUNCTION @extschema@.kid_untrack(tab regclass) RETURNS void
    LANGUAGE SQL VOLATILE SET search_path = pg_catalog, pg_temp SET client_min_messages = warning
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('tab') WHERE tab IS NULL;
    -- An error if there is no such table
    SELECT @extschema@.kid_track_column(tab::oid);
    SELECT @extschema@.kid_track_drop(tab, NULL::oid);
END;
COMMENT ON FUNCTION @extschema@.kid_untrack(regclass) IS
    'removes the triggers of `kid_track()` from a table';

-- from src/sql/tables/track/horizon.sql

-- kid_horizon(table) and kid_track_holders(), for both editions

-- Returns a row for each lock, and before them one without a transaction, for what the sequence allows.
--
-- `last` is the last value of the sequence, read before the locks are, or null if there is none. A key has only the
-- last bits of a floor, as source.sql.in says. They tell the floor, because it is near that of `last`: below it, or, if
-- the transaction has begun since, above it. `behind` says by how much it is below: of the 2^40 numbers from -2^32 on,
-- it is the one that fits these bits. A transaction that has begun since does not hold the horizon back.
--
-- pg_lock_status() shows the key of an advisory lock as classid, bits 63 to 32, and objid, bits 31 to 0. objsubid is 1
-- if the key is one bigint.
CREATE FUNCTION @extschema@.kid_track_locks(tab regclass, shift integer, problem text, hint text, last bigint)
    RETURNS TABLE (horizon bigint, pid integer, virtualtransaction text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- How many bits of a key are those of the floor, and how many above them are those of the table's OID
    floor_bits CONSTANT integer := 40;
    table_bits CONSTANT integer := 23;
    most_above CONSTANT bigint := bigint '1' << 32;
    last_floor bigint;
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE 'table % has no horizon on a standby', tab
            USING ERRCODE = 'read_only_sql_transaction',
                  DETAIL = 'A standby does not know which transactions are open.';
    ELSIF NOT has_any_column_privilege(tab, 'SELECT') THEN
        RAISE 'permission denied for table %', tab USING ERRCODE = 'insufficient_privilege';
    ELSIF problem IS NOT NULL THEN
        RAISE 'table % is not tracked: %', tab, problem
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = hint;
    END IF;
    last := coalesce(last, -1);
    last_floor := last >> shift;
    horizon := last + 1;
    RETURN NEXT;
    -- In FROM, as in the view pg_locks, PostgreSQL would store all rows of pg_lock_status() before it reads the first.
    -- In the list of a SELECT it reads one row at a time.
    RETURN QUERY
    SELECT ((last_floor - d.behind) << shift) + 1, d.pid, d.virtualtransaction
      FROM (SELECT ((last_floor - k.key + most_above) & ((bigint '1' << floor_bits) - 1)) - most_above AS behind,
                   (l).pid, (l).virtualtransaction
              FROM (SELECT pg_lock_status() AS l OFFSET 0) AS locks,
                   LATERAL (SELECT (l).classid::bigint << 32 | (l).objid::bigint) AS k (key)
             WHERE (l).objsubid = 1 AND k.key >> floor_bits = (tab::oid::bigint & ((bigint '1' << table_bits) - 1))
                   AND (l).locktype = 'advisory' AND (l).mode = 'ShareLock' AND (l).granted
                   AND (l).database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())) AS d;
END $$;
COMMENT ON FUNCTION @extschema@.kid_track_locks(regclass, integer, text, text, bigint) IS
    'returns the locks of open transactions on the floors of a table, and the horizon that each allows';

-- A procedure cannot stand in the query that reads the rows, whose snapshot would be older.
CREATE PROCEDURE @extschema@.kid_horizon(tab regclass, INOUT horizon bigint DEFAULT NULL)
    LANGUAGE SQL
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('tab') WHERE tab IS NULL;
    SELECT @extschema@.kid_check_isolation('a horizon of a table can only be read at READ COMMITTED');
    -- The last value is an argument, so it is read before the locks.
    SELECT min(l.horizon)
      FROM @extschema@.kid_track_column(tab::oid) AS c,
           LATERAL @extschema@.kid_track_source(tab::oid, c.attname) AS s,
           LATERAL @extschema@.kid_track_problem(tab::oid, true, s.attname, s.seq, s.shift, c.args) AS why,
           LATERAL @extschema@.kid_track_locks(
               tab, s.shift, why.problem, why.hint, @extschema@.kid_track_last(tab::oid, s.attname::text, s.seq)) AS l;
END;
COMMENT ON PROCEDURE @extschema@.kid_horizon(tab regclass, INOUT horizon bigint) IS
    'returns the horizon of a tracked table: later statements in `READ COMMITTED` see all rows with lower IDs';

CREATE FUNCTION @extschema@.kid_track_holders(
    tab regclass, OUT horizon bigint, OUT pid integer, OUT gid text, OUT usename name, OUT application_name text,
    OUT since timestamptz)
    RETURNS SETOF record
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('tab') WHERE tab IS NULL;
    SELECT @extschema@.kid_check_isolation('a horizon of a table can only be read at READ COMMITTED');
    SELECT l.horizon, l.pid, p.gid, coalesce(a.usename, p.owner), a.application_name, coalesce(a.xact_start, p.prepared)
      FROM @extschema@.kid_track_column(tab::oid) AS c,
           LATERAL @extschema@.kid_track_source(tab::oid, c.attname) AS s,
           LATERAL @extschema@.kid_track_problem(tab::oid, true, s.attname, s.seq, s.shift, c.args) AS why,
           LATERAL @extschema@.kid_track_locks(
               tab, s.shift, why.problem, why.hint, @extschema@.kid_track_last(tab::oid, s.attname::text, s.seq)) AS l
           LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
           LEFT JOIN pg_locks AS x ON l.pid IS NULL AND x.pid IS NULL AND x.virtualtransaction = l.virtualtransaction
                                      AND x.locktype = text 'transactionid' AND x.mode = text 'ExclusiveLock'
           LEFT JOIN pg_prepared_xacts AS p ON p.transaction = x.transactionid
     WHERE l.virtualtransaction IS NOT NULL
     ORDER BY 1;
END;
COMMENT ON FUNCTION @extschema@.kid_track_holders(tab regclass) IS
    'lists the running and prepared transactions that hold back `kid_horizon(table)`, and the horizon that each allows';

-- from src/sql/extension/reset_clock.sql

-- Lowering the logical clocks, after the system clock was wrong

CREATE FUNCTION @extschema@.kid_hold_clocks(above timestamptz, OUT clock text, OUT until timestamptz)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 5 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION @extschema@.kid_hold_clocks(above timestamptz) IS
    'keeps transactions that have made no ID yet from making IDs of clocks that are ahead of a time, until '
    'kid_reset_clock() or the end of this transaction';

CREATE FUNCTION @extschema@.kid_lower_clocks(
    above timestamptz, force boolean, later text, unseen text, unknown text) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION @extschema@.kid_lower_clocks(timestamptz, boolean, text, text, text) IS
    'lowers the clocks that are held; a part of kid_reset_clock()';

-- Runs no code of an owner of the schema or of a table, see kid_stored_ids().
--
-- Each statement has a snapshot of its own. So the second sees all rows of transactions that have ended when the first
-- returns, and from then on nobody makes IDs of these clocks. With `force` neither holds nor looks.
CREATE FUNCTION @extschema@.kid_reset_clock(above timestamptz, force boolean DEFAULT false) RETURNS void
    LANGUAGE SQL VOLATILE PARALLEL UNSAFE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('above') WHERE above IS NULL;
    SELECT @extschema@.kid_refuse_null('force') WHERE force IS NULL;
    SELECT count(*) FROM @extschema@.kid_hold_clocks(above) h WHERE NOT force;
    WITH columns AS MATERIALIZED (
        SELECT format('%s.%I', s.relation, s.column_name) AS name, s.later, s.later_issued, s.problem,
               s.passing
          FROM @extschema@.kid_hold_clocks(above) h, @extschema@.kid_stored_ids(h.until, h.clock, NULL::regclass) s
         WHERE NOT force
    )
    SELECT @extschema@.kid_lower_clocks(
        above, force,
        (SELECT string_agg(format('%s: %s of %s', t.name, t.later, t.later_issued), E'\n'::text)
           FROM (SELECT c.* FROM columns c WHERE c.later IS NOT NULL ORDER BY c.later_issued DESC LIMIT 5) t),
        string_agg(DISTINCT p.line, E'\n'::text) FILTER (WHERE p.passing),
        string_agg(DISTINCT p.line, E'\n'::text) FILTER (WHERE NOT p.passing))
      FROM (SELECT format('%s: %s', c.name, c.problem) AS line, c.passing
              FROM columns c WHERE c.later IS NULL AND c.problem IS NOT NULL) p;
END;
COMMENT ON FUNCTION @extschema@.kid_reset_clock(above timestamptz, force boolean) IS
    'lowers the logical clocks that are ahead of a time and of the system clock, unless a row has a later ID; with '
    'force it does not look at rows';

REVOKE ALL ON FUNCTION @extschema@.kid_hold_clocks(timestamptz),
    @extschema@.kid_lower_clocks(timestamptz, boolean, text, text, text),
    @extschema@.kid_reset_clock(timestamptz, boolean) FROM PUBLIC;
