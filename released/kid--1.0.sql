\echo Use "CREATE EXTENSION kid" to load this file. \quit

-- Before anything that the library may not have.
CREATE FUNCTION kid_require_library(text) RETURNS void
    LANGUAGE C STRICT AS 'MODULE_PATHNAME';
SELECT kid_require_library('1.0'::pg_catalog.text);
DROP FUNCTION kid_require_library(text);

-- Planner support and statistics

CREATE FUNCTION kid_support_within(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_support_lt(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_support_le(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_support_ge(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_support_gt(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_support_recheck(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_support_next(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_support_within(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_lt(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_le(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_ge(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_gt(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_recheck(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_next(internal) IS
    'planner support of generators: each call in a query becomes one with a number of its own, so that PostgreSQL does not take two for one';

CREATE FUNCTION kid_typanalyze(internal) RETURNS boolean
    LANGUAGE C STABLE STRICT AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_typanalyze(internal) IS
    'statistics of a column of IDs; when they are unique, of ten times as many bins as default_statistics_target';

-- What an ID is compared with, beside an instant: a range of time
--
-- A domain, so that kid changes nothing for those who compare ranges with something else. An operator of tstzrange itself would
-- match one exactly, which PostgreSQL's own, of anyrange, never do: it would win, or tie, where the other side is a literal or a
-- parameter, and break `during @> '[…)'`. One of anyrange would bring in the casts of numbers to IDs, and break
-- `5 <@ int4range(1, 10)`. An exact match counts for the declared type only, and no expression is of this one.

CREATE DOMAIN kid_span AS tstzrange;
COMMENT ON DOMAIN kid_span IS
    'any tstzrange, as operand of the operators <@ and @> of IDs: with a type of their own they do not compete with those of ranges';

-- kid64: input, output and conversions

CREATE TYPE kid64;

CREATE FUNCTION kid64_in(cstring) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_out(kid64) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_recv(internal) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_send(kid64) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

CREATE TYPE kid64 (
    INPUT = kid64_in,
    OUTPUT = kid64_out,
    RECEIVE = kid64_recv,
    SEND = kid64_send,
    ANALYZE = kid_typanalyze,
    LIKE = bigint
);

COMMENT ON FUNCTION kid64_in(cstring) IS 'I/O';
COMMENT ON FUNCTION kid64_out(kid64) IS 'I/O';
COMMENT ON FUNCTION kid64_recv(internal) IS 'I/O';
COMMENT ON FUNCTION kid64_send(kid64) IS 'I/O; the binary form, most significant byte first';

-- Drivers send parameters as text or varchar. There is no implicit cast the other way, for any type: it would
-- have comparisons convert the column, and leave its index unused.
CREATE CAST (text AS kid64) WITH INOUT AS IMPLICIT;
CREATE CAST (varchar AS kid64) WITH INOUT AS IMPLICIT;

COMMENT ON CAST (text AS kid64) IS 'parses the text form';
COMMENT ON CAST (varchar AS kid64) IS 'parses the text form';

CREATE FUNCTION kid64_from_bytea(bytea) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_from_bytea(bytea) IS 'kid64 of its binary form; another length is an error';

CREATE CAST (kid64 AS bytea) WITH FUNCTION kid64_send(kid64);
CREATE CAST (bytea AS kid64) WITH FUNCTION kid64_from_bytea(bytea);

COMMENT ON CAST (kid64 AS bytea) IS 'the binary form, most significant byte first';
COMMENT ON CAST (bytea AS kid64) IS 'of the binary form; another length is an error';

-- kid96: input, output and conversions

CREATE TYPE kid96;

CREATE FUNCTION kid96_in(cstring) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_out(kid96) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_recv(internal) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_send(kid96) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

CREATE TYPE kid96 (
    INPUT = kid96_in,
    OUTPUT = kid96_out,
    RECEIVE = kid96_recv,
    SEND = kid96_send,
    ANALYZE = kid_typanalyze,
    INTERNALLENGTH = 12, ALIGNMENT = char
);

COMMENT ON FUNCTION kid96_in(cstring) IS 'I/O';
COMMENT ON FUNCTION kid96_out(kid96) IS 'I/O';
COMMENT ON FUNCTION kid96_recv(internal) IS 'I/O';
COMMENT ON FUNCTION kid96_send(kid96) IS 'I/O; the binary form, most significant byte first';

-- Drivers send parameters as text or varchar. There is no implicit cast the other way, for any type: it would
-- have comparisons convert the column, and leave its index unused.
CREATE CAST (text AS kid96) WITH INOUT AS IMPLICIT;
CREATE CAST (varchar AS kid96) WITH INOUT AS IMPLICIT;

COMMENT ON CAST (text AS kid96) IS 'parses the text form';
COMMENT ON CAST (varchar AS kid96) IS 'parses the text form';

CREATE FUNCTION kid96_from_bytea(bytea) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_from_bytea(bytea) IS 'kid96 of its binary form; another length is an error';

CREATE CAST (kid96 AS bytea) WITH FUNCTION kid96_send(kid96);
CREATE CAST (bytea AS kid96) WITH FUNCTION kid96_from_bytea(bytea);

COMMENT ON CAST (kid96 AS bytea) IS 'the binary form, most significant byte first';
COMMENT ON CAST (bytea AS kid96) IS 'of the binary form; another length is an error';

-- sno: input, output and conversions

CREATE TYPE sno;

CREATE FUNCTION sno_in(cstring) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_out(sno) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_recv(internal) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_send(sno) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

CREATE TYPE sno (
    INPUT = sno_in,
    OUTPUT = sno_out,
    RECEIVE = sno_recv,
    SEND = sno_send,
    ANALYZE = kid_typanalyze,
    INTERNALLENGTH = 10, ALIGNMENT = char
);

COMMENT ON FUNCTION sno_in(cstring) IS 'I/O';
COMMENT ON FUNCTION sno_out(sno) IS 'I/O';
COMMENT ON FUNCTION sno_recv(internal) IS 'I/O';
COMMENT ON FUNCTION sno_send(sno) IS 'I/O; the binary form, most significant byte first';

-- Drivers send parameters as text or varchar. There is no implicit cast the other way, for any type: it would
-- have comparisons convert the column, and leave its index unused.
CREATE CAST (text AS sno) WITH INOUT AS IMPLICIT;
CREATE CAST (varchar AS sno) WITH INOUT AS IMPLICIT;

COMMENT ON CAST (text AS sno) IS 'parses the text form';
COMMENT ON CAST (varchar AS sno) IS 'parses the text form';

CREATE FUNCTION sno_from_bytea(bytea) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_from_bytea(bytea) IS 'sno of its binary form; another length is an error';

CREATE CAST (sno AS bytea) WITH FUNCTION sno_send(sno);
CREATE CAST (bytea AS sno) WITH FUNCTION sno_from_bytea(bytea);

COMMENT ON CAST (sno AS bytea) IS 'the binary form, most significant byte first';
COMMENT ON CAST (bytea AS sno) IS 'of the binary form; another length is an error';

-- flake: input, output and conversions

CREATE TYPE flake;

CREATE FUNCTION flake_in(cstring) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_out(flake) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_recv(internal) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_send(flake) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

CREATE TYPE flake (
    INPUT = flake_in,
    OUTPUT = flake_out,
    RECEIVE = flake_recv,
    SEND = flake_send,
    ANALYZE = kid_typanalyze,
    LIKE = bigint
);

COMMENT ON FUNCTION flake_in(cstring) IS 'I/O';
COMMENT ON FUNCTION flake_out(flake) IS 'I/O';
COMMENT ON FUNCTION flake_recv(internal) IS 'I/O';
COMMENT ON FUNCTION flake_send(flake) IS 'I/O; the binary form, most significant byte first';

-- Drivers send parameters as text or varchar. There is no implicit cast the other way, for any type: it would
-- have comparisons convert the column, and leave its index unused.
CREATE CAST (text AS flake) WITH INOUT AS IMPLICIT;
CREATE CAST (varchar AS flake) WITH INOUT AS IMPLICIT;

COMMENT ON CAST (text AS flake) IS 'parses the text form';
COMMENT ON CAST (varchar AS flake) IS 'parses the text form';

CREATE FUNCTION flake_from_bytea(bytea) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_from_bytea(bytea) IS 'flake of its binary form; another length is an error';

CREATE CAST (flake AS bytea) WITH FUNCTION flake_send(flake);
CREATE CAST (bytea AS flake) WITH FUNCTION flake_from_bytea(bytea);

COMMENT ON CAST (flake AS bytea) IS 'the binary form, most significant byte first';
COMMENT ON CAST (bytea AS flake) IS 'of the binary form; another length is an error';

-- flax: input, output and conversions

CREATE TYPE flax;

CREATE FUNCTION flax_in(cstring) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_out(flax) RETURNS cstring
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_recv(internal) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_send(flax) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

CREATE TYPE flax (
    INPUT = flax_in,
    OUTPUT = flax_out,
    RECEIVE = flax_recv,
    SEND = flax_send,
    ANALYZE = kid_typanalyze,
    INTERNALLENGTH = 12, ALIGNMENT = char
);

COMMENT ON FUNCTION flax_in(cstring) IS 'I/O';
COMMENT ON FUNCTION flax_out(flax) IS 'I/O';
COMMENT ON FUNCTION flax_recv(internal) IS 'I/O';
COMMENT ON FUNCTION flax_send(flax) IS 'I/O; the binary form, most significant byte first';

-- Drivers send parameters as text or varchar. There is no implicit cast the other way, for any type: it would
-- have comparisons convert the column, and leave its index unused.
CREATE CAST (text AS flax) WITH INOUT AS IMPLICIT;
CREATE CAST (varchar AS flax) WITH INOUT AS IMPLICIT;

COMMENT ON CAST (text AS flax) IS 'parses the text form';
COMMENT ON CAST (varchar AS flax) IS 'parses the text form';

CREATE FUNCTION flax_from_bytea(bytea) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_from_bytea(bytea) IS 'flax of its binary form; another length is an error';

CREATE CAST (flax AS bytea) WITH FUNCTION flax_send(flax);
CREATE CAST (bytea AS flax) WITH FUNCTION flax_from_bytea(bytea);

COMMENT ON CAST (flax AS bytea) IS 'the binary form, most significant byte first';
COMMENT ON CAST (bytea AS flax) IS 'of the binary form; another length is an error';

-- kid64: order, hashing and index access methods

CREATE FUNCTION kid64_lt(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_le(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_eq(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_ne(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_ge(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_gt(kid64, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid64_lt(kid64, kid64) IS 'implementation of < operator';
COMMENT ON FUNCTION kid64_le(kid64, kid64) IS 'implementation of <= operator';
COMMENT ON FUNCTION kid64_eq(kid64, kid64) IS 'implementation of = operator';
COMMENT ON FUNCTION kid64_ne(kid64, kid64) IS 'implementation of <> operator';
COMMENT ON FUNCTION kid64_ge(kid64, kid64) IS 'implementation of >= operator';
COMMENT ON FUNCTION kid64_gt(kid64, kid64) IS 'implementation of > operator';

CREATE OPERATOR < (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR = (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel,
    HASHES, MERGES
);
CREATE OPERATOR <> (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR >= (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR < (kid64, kid64) IS 'less than';
COMMENT ON OPERATOR <= (kid64, kid64) IS 'less than or equal';
COMMENT ON OPERATOR = (kid64, kid64) IS 'equal';
COMMENT ON OPERATOR <> (kid64, kid64) IS 'not equal';
COMMENT ON OPERATOR >= (kid64, kid64) IS 'greater than or equal';
COMMENT ON OPERATOR > (kid64, kid64) IS 'greater than';

CREATE FUNCTION kid64_cmp(kid64, kid64) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_hash(kid64) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_hash_extended(kid64, bigint) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_brin_distance(internal, internal) RETURNS double precision
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid64_cmp(kid64, kid64) IS 'less-equal-greater';
COMMENT ON FUNCTION kid64_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION kid64_hash(kid64) IS 'hash';
COMMENT ON FUNCTION kid64_hash_extended(kid64, bigint) IS 'hash';
COMMENT ON FUNCTION kid64_brin_distance(internal, internal) IS 'BRIN multi minmax distance';

CREATE OPERATOR FAMILY kid64_ops USING btree;
CREATE OPERATOR CLASS kid64_ops DEFAULT FOR TYPE kid64 USING btree FAMILY kid64_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 kid64_cmp(kid64, kid64),
    FUNCTION 2 kid64_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);

COMMENT ON OPERATOR FAMILY kid64_ops USING btree IS 'order of kid64';
COMMENT ON OPERATOR CLASS kid64_ops USING btree IS 'order of kid64';

CREATE OPERATOR FAMILY kid64_ops USING hash;
CREATE OPERATOR CLASS kid64_ops DEFAULT FOR TYPE kid64 USING hash FAMILY kid64_ops AS
    OPERATOR 1 =,
    FUNCTION 1 kid64_hash(kid64),
    FUNCTION 2 kid64_hash_extended(kid64, bigint);

COMMENT ON OPERATOR FAMILY kid64_ops USING hash IS 'equality of kid64';
COMMENT ON OPERATOR CLASS kid64_ops USING hash IS 'equality of kid64';

CREATE OPERATOR FAMILY kid64_minmax_ops USING brin;
CREATE OPERATOR CLASS kid64_minmax_ops DEFAULT FOR TYPE kid64 USING brin FAMILY kid64_minmax_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);

COMMENT ON OPERATOR FAMILY kid64_minmax_ops USING brin IS 'the range of kid64 in a block range';
COMMENT ON OPERATOR CLASS kid64_minmax_ops USING brin IS 'the range of kid64 in a block range';

CREATE OPERATOR FAMILY kid64_minmax_multi_ops USING brin;
CREATE OPERATOR CLASS kid64_minmax_multi_ops FOR TYPE kid64 USING brin FAMILY kid64_minmax_multi_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 kid64_brin_distance(internal, internal);

COMMENT ON OPERATOR FAMILY kid64_minmax_multi_ops USING brin IS 'a few ranges of kid64 in a block range';
COMMENT ON OPERATOR CLASS kid64_minmax_multi_ops USING brin IS 'a few ranges of kid64 in a block range';

CREATE OPERATOR FAMILY kid64_bloom_ops USING brin;
CREATE OPERATOR CLASS kid64_bloom_ops FOR TYPE kid64 USING brin FAMILY kid64_bloom_ops AS
    OPERATOR 1 =,
    FUNCTION 1 brin_bloom_opcinfo(internal),
    FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_bloom_union(internal, internal, internal),
    FUNCTION 5 brin_bloom_options(internal),
    FUNCTION 11 kid64_hash(kid64);

COMMENT ON OPERATOR FAMILY kid64_bloom_ops USING brin IS 'a Bloom filter of kid64 for a block range';
COMMENT ON OPERATOR CLASS kid64_bloom_ops USING brin IS 'a Bloom filter of kid64 for a block range';

CREATE FUNCTION kid64_smaller(kid64, kid64) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_larger(kid64, kid64) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid64_smaller(kid64, kid64) IS 'smaller of two';
COMMENT ON FUNCTION kid64_larger(kid64, kid64) IS 'larger of two';

CREATE AGGREGATE min(kid64) (
    SFUNC = kid64_smaller, STYPE = kid64, COMBINEFUNC = kid64_smaller, SORTOP = <, PARALLEL = SAFE
);
CREATE AGGREGATE max(kid64) (
    SFUNC = kid64_larger, STYPE = kid64, COMBINEFUNC = kid64_larger, SORTOP = >, PARALLEL = SAFE
);

COMMENT ON AGGREGATE min(kid64) IS 'minimum value of all kid64 input values';
COMMENT ON AGGREGATE max(kid64) IS 'maximum value of all kid64 input values';

-- kid96: order, hashing and index access methods

CREATE FUNCTION kid96_lt(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_le(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_eq(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_ne(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_ge(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_gt(kid96, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid96_lt(kid96, kid96) IS 'implementation of < operator';
COMMENT ON FUNCTION kid96_le(kid96, kid96) IS 'implementation of <= operator';
COMMENT ON FUNCTION kid96_eq(kid96, kid96) IS 'implementation of = operator';
COMMENT ON FUNCTION kid96_ne(kid96, kid96) IS 'implementation of <> operator';
COMMENT ON FUNCTION kid96_ge(kid96, kid96) IS 'implementation of >= operator';
COMMENT ON FUNCTION kid96_gt(kid96, kid96) IS 'implementation of > operator';

CREATE OPERATOR < (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR = (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel,
    HASHES, MERGES
);
CREATE OPERATOR <> (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR >= (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR < (kid96, kid96) IS 'less than';
COMMENT ON OPERATOR <= (kid96, kid96) IS 'less than or equal';
COMMENT ON OPERATOR = (kid96, kid96) IS 'equal';
COMMENT ON OPERATOR <> (kid96, kid96) IS 'not equal';
COMMENT ON OPERATOR >= (kid96, kid96) IS 'greater than or equal';
COMMENT ON OPERATOR > (kid96, kid96) IS 'greater than';

CREATE FUNCTION kid96_cmp(kid96, kid96) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_hash(kid96) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_hash_extended(kid96, bigint) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_brin_distance(internal, internal) RETURNS double precision
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid96_cmp(kid96, kid96) IS 'less-equal-greater';
COMMENT ON FUNCTION kid96_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION kid96_hash(kid96) IS 'hash';
COMMENT ON FUNCTION kid96_hash_extended(kid96, bigint) IS 'hash';
COMMENT ON FUNCTION kid96_brin_distance(internal, internal) IS 'BRIN multi minmax distance';

CREATE OPERATOR FAMILY kid96_ops USING btree;
CREATE OPERATOR CLASS kid96_ops DEFAULT FOR TYPE kid96 USING btree FAMILY kid96_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 kid96_cmp(kid96, kid96),
    FUNCTION 2 kid96_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);

COMMENT ON OPERATOR FAMILY kid96_ops USING btree IS 'order of kid96';
COMMENT ON OPERATOR CLASS kid96_ops USING btree IS 'order of kid96';

CREATE OPERATOR FAMILY kid96_ops USING hash;
CREATE OPERATOR CLASS kid96_ops DEFAULT FOR TYPE kid96 USING hash FAMILY kid96_ops AS
    OPERATOR 1 =,
    FUNCTION 1 kid96_hash(kid96),
    FUNCTION 2 kid96_hash_extended(kid96, bigint);

COMMENT ON OPERATOR FAMILY kid96_ops USING hash IS 'equality of kid96';
COMMENT ON OPERATOR CLASS kid96_ops USING hash IS 'equality of kid96';

CREATE OPERATOR FAMILY kid96_minmax_ops USING brin;
CREATE OPERATOR CLASS kid96_minmax_ops DEFAULT FOR TYPE kid96 USING brin FAMILY kid96_minmax_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);

COMMENT ON OPERATOR FAMILY kid96_minmax_ops USING brin IS 'the range of kid96 in a block range';
COMMENT ON OPERATOR CLASS kid96_minmax_ops USING brin IS 'the range of kid96 in a block range';

CREATE OPERATOR FAMILY kid96_minmax_multi_ops USING brin;
CREATE OPERATOR CLASS kid96_minmax_multi_ops FOR TYPE kid96 USING brin FAMILY kid96_minmax_multi_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 kid96_brin_distance(internal, internal);

COMMENT ON OPERATOR FAMILY kid96_minmax_multi_ops USING brin IS 'a few ranges of kid96 in a block range';
COMMENT ON OPERATOR CLASS kid96_minmax_multi_ops USING brin IS 'a few ranges of kid96 in a block range';

CREATE OPERATOR FAMILY kid96_bloom_ops USING brin;
CREATE OPERATOR CLASS kid96_bloom_ops FOR TYPE kid96 USING brin FAMILY kid96_bloom_ops AS
    OPERATOR 1 =,
    FUNCTION 1 brin_bloom_opcinfo(internal),
    FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_bloom_union(internal, internal, internal),
    FUNCTION 5 brin_bloom_options(internal),
    FUNCTION 11 kid96_hash(kid96);

COMMENT ON OPERATOR FAMILY kid96_bloom_ops USING brin IS 'a Bloom filter of kid96 for a block range';
COMMENT ON OPERATOR CLASS kid96_bloom_ops USING brin IS 'a Bloom filter of kid96 for a block range';

CREATE FUNCTION kid96_smaller(kid96, kid96) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_larger(kid96, kid96) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid96_smaller(kid96, kid96) IS 'smaller of two';
COMMENT ON FUNCTION kid96_larger(kid96, kid96) IS 'larger of two';

CREATE AGGREGATE min(kid96) (
    SFUNC = kid96_smaller, STYPE = kid96, COMBINEFUNC = kid96_smaller, SORTOP = <, PARALLEL = SAFE
);
CREATE AGGREGATE max(kid96) (
    SFUNC = kid96_larger, STYPE = kid96, COMBINEFUNC = kid96_larger, SORTOP = >, PARALLEL = SAFE
);

COMMENT ON AGGREGATE min(kid96) IS 'minimum value of all kid96 input values';
COMMENT ON AGGREGATE max(kid96) IS 'maximum value of all kid96 input values';

-- sno: order, hashing and index access methods

CREATE FUNCTION sno_lt(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_le(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_eq(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_ne(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_ge(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_gt(sno, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION sno_lt(sno, sno) IS 'implementation of < operator';
COMMENT ON FUNCTION sno_le(sno, sno) IS 'implementation of <= operator';
COMMENT ON FUNCTION sno_eq(sno, sno) IS 'implementation of = operator';
COMMENT ON FUNCTION sno_ne(sno, sno) IS 'implementation of <> operator';
COMMENT ON FUNCTION sno_ge(sno, sno) IS 'implementation of >= operator';
COMMENT ON FUNCTION sno_gt(sno, sno) IS 'implementation of > operator';

CREATE OPERATOR < (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR = (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel,
    HASHES, MERGES
);
CREATE OPERATOR <> (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR >= (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR < (sno, sno) IS 'less than';
COMMENT ON OPERATOR <= (sno, sno) IS 'less than or equal';
COMMENT ON OPERATOR = (sno, sno) IS 'equal';
COMMENT ON OPERATOR <> (sno, sno) IS 'not equal';
COMMENT ON OPERATOR >= (sno, sno) IS 'greater than or equal';
COMMENT ON OPERATOR > (sno, sno) IS 'greater than';

CREATE FUNCTION sno_cmp(sno, sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_hash(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_hash_extended(sno, bigint) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_brin_distance(internal, internal) RETURNS double precision
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION sno_cmp(sno, sno) IS 'less-equal-greater';
COMMENT ON FUNCTION sno_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION sno_hash(sno) IS 'hash';
COMMENT ON FUNCTION sno_hash_extended(sno, bigint) IS 'hash';
COMMENT ON FUNCTION sno_brin_distance(internal, internal) IS 'BRIN multi minmax distance';

CREATE OPERATOR FAMILY sno_ops USING btree;
CREATE OPERATOR CLASS sno_ops DEFAULT FOR TYPE sno USING btree FAMILY sno_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 sno_cmp(sno, sno),
    FUNCTION 2 sno_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);

COMMENT ON OPERATOR FAMILY sno_ops USING btree IS 'order of sno';
COMMENT ON OPERATOR CLASS sno_ops USING btree IS 'order of sno';

CREATE OPERATOR FAMILY sno_ops USING hash;
CREATE OPERATOR CLASS sno_ops DEFAULT FOR TYPE sno USING hash FAMILY sno_ops AS
    OPERATOR 1 =,
    FUNCTION 1 sno_hash(sno),
    FUNCTION 2 sno_hash_extended(sno, bigint);

COMMENT ON OPERATOR FAMILY sno_ops USING hash IS 'equality of sno';
COMMENT ON OPERATOR CLASS sno_ops USING hash IS 'equality of sno';

CREATE OPERATOR FAMILY sno_minmax_ops USING brin;
CREATE OPERATOR CLASS sno_minmax_ops DEFAULT FOR TYPE sno USING brin FAMILY sno_minmax_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);

COMMENT ON OPERATOR FAMILY sno_minmax_ops USING brin IS 'the range of sno in a block range';
COMMENT ON OPERATOR CLASS sno_minmax_ops USING brin IS 'the range of sno in a block range';

CREATE OPERATOR FAMILY sno_minmax_multi_ops USING brin;
CREATE OPERATOR CLASS sno_minmax_multi_ops FOR TYPE sno USING brin FAMILY sno_minmax_multi_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 sno_brin_distance(internal, internal);

COMMENT ON OPERATOR FAMILY sno_minmax_multi_ops USING brin IS 'a few ranges of sno in a block range';
COMMENT ON OPERATOR CLASS sno_minmax_multi_ops USING brin IS 'a few ranges of sno in a block range';

CREATE OPERATOR FAMILY sno_bloom_ops USING brin;
CREATE OPERATOR CLASS sno_bloom_ops FOR TYPE sno USING brin FAMILY sno_bloom_ops AS
    OPERATOR 1 =,
    FUNCTION 1 brin_bloom_opcinfo(internal),
    FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_bloom_union(internal, internal, internal),
    FUNCTION 5 brin_bloom_options(internal),
    FUNCTION 11 sno_hash(sno);

COMMENT ON OPERATOR FAMILY sno_bloom_ops USING brin IS 'a Bloom filter of sno for a block range';
COMMENT ON OPERATOR CLASS sno_bloom_ops USING brin IS 'a Bloom filter of sno for a block range';

CREATE FUNCTION sno_smaller(sno, sno) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_larger(sno, sno) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION sno_smaller(sno, sno) IS 'smaller of two';
COMMENT ON FUNCTION sno_larger(sno, sno) IS 'larger of two';

CREATE AGGREGATE min(sno) (
    SFUNC = sno_smaller, STYPE = sno, COMBINEFUNC = sno_smaller, SORTOP = <, PARALLEL = SAFE
);
CREATE AGGREGATE max(sno) (
    SFUNC = sno_larger, STYPE = sno, COMBINEFUNC = sno_larger, SORTOP = >, PARALLEL = SAFE
);

COMMENT ON AGGREGATE min(sno) IS 'minimum value of all sno input values';
COMMENT ON AGGREGATE max(sno) IS 'maximum value of all sno input values';

-- flake: order, hashing and index access methods

CREATE FUNCTION flake_lt(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_le(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_eq(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_ne(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_ge(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_gt(flake, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION flake_lt(flake, flake) IS 'implementation of < operator';
COMMENT ON FUNCTION flake_le(flake, flake) IS 'implementation of <= operator';
COMMENT ON FUNCTION flake_eq(flake, flake) IS 'implementation of = operator';
COMMENT ON FUNCTION flake_ne(flake, flake) IS 'implementation of <> operator';
COMMENT ON FUNCTION flake_ge(flake, flake) IS 'implementation of >= operator';
COMMENT ON FUNCTION flake_gt(flake, flake) IS 'implementation of > operator';

CREATE OPERATOR < (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR = (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel,
    HASHES, MERGES
);
CREATE OPERATOR <> (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR >= (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR < (flake, flake) IS 'less than';
COMMENT ON OPERATOR <= (flake, flake) IS 'less than or equal';
COMMENT ON OPERATOR = (flake, flake) IS 'equal';
COMMENT ON OPERATOR <> (flake, flake) IS 'not equal';
COMMENT ON OPERATOR >= (flake, flake) IS 'greater than or equal';
COMMENT ON OPERATOR > (flake, flake) IS 'greater than';

CREATE FUNCTION flake_cmp(flake, flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_hash(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_hash_extended(flake, bigint) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_brin_distance(internal, internal) RETURNS double precision
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION flake_cmp(flake, flake) IS 'less-equal-greater';
COMMENT ON FUNCTION flake_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION flake_hash(flake) IS 'hash';
COMMENT ON FUNCTION flake_hash_extended(flake, bigint) IS 'hash';
COMMENT ON FUNCTION flake_brin_distance(internal, internal) IS 'BRIN multi minmax distance';

CREATE OPERATOR FAMILY flake_ops USING btree;
CREATE OPERATOR CLASS flake_ops DEFAULT FOR TYPE flake USING btree FAMILY flake_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 flake_cmp(flake, flake),
    FUNCTION 2 flake_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);

COMMENT ON OPERATOR FAMILY flake_ops USING btree IS 'order of flake';
COMMENT ON OPERATOR CLASS flake_ops USING btree IS 'order of flake';

CREATE OPERATOR FAMILY flake_ops USING hash;
CREATE OPERATOR CLASS flake_ops DEFAULT FOR TYPE flake USING hash FAMILY flake_ops AS
    OPERATOR 1 =,
    FUNCTION 1 flake_hash(flake),
    FUNCTION 2 flake_hash_extended(flake, bigint);

COMMENT ON OPERATOR FAMILY flake_ops USING hash IS 'equality of flake';
COMMENT ON OPERATOR CLASS flake_ops USING hash IS 'equality of flake';

CREATE OPERATOR FAMILY flake_minmax_ops USING brin;
CREATE OPERATOR CLASS flake_minmax_ops DEFAULT FOR TYPE flake USING brin FAMILY flake_minmax_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);

COMMENT ON OPERATOR FAMILY flake_minmax_ops USING brin IS 'the range of flake in a block range';
COMMENT ON OPERATOR CLASS flake_minmax_ops USING brin IS 'the range of flake in a block range';

CREATE OPERATOR FAMILY flake_minmax_multi_ops USING brin;
CREATE OPERATOR CLASS flake_minmax_multi_ops FOR TYPE flake USING brin FAMILY flake_minmax_multi_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 flake_brin_distance(internal, internal);

COMMENT ON OPERATOR FAMILY flake_minmax_multi_ops USING brin IS 'a few ranges of flake in a block range';
COMMENT ON OPERATOR CLASS flake_minmax_multi_ops USING brin IS 'a few ranges of flake in a block range';

CREATE OPERATOR FAMILY flake_bloom_ops USING brin;
CREATE OPERATOR CLASS flake_bloom_ops FOR TYPE flake USING brin FAMILY flake_bloom_ops AS
    OPERATOR 1 =,
    FUNCTION 1 brin_bloom_opcinfo(internal),
    FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_bloom_union(internal, internal, internal),
    FUNCTION 5 brin_bloom_options(internal),
    FUNCTION 11 flake_hash(flake);

COMMENT ON OPERATOR FAMILY flake_bloom_ops USING brin IS 'a Bloom filter of flake for a block range';
COMMENT ON OPERATOR CLASS flake_bloom_ops USING brin IS 'a Bloom filter of flake for a block range';

CREATE FUNCTION flake_smaller(flake, flake) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_larger(flake, flake) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION flake_smaller(flake, flake) IS 'smaller of two';
COMMENT ON FUNCTION flake_larger(flake, flake) IS 'larger of two';

CREATE AGGREGATE min(flake) (
    SFUNC = flake_smaller, STYPE = flake, COMBINEFUNC = flake_smaller, SORTOP = <, PARALLEL = SAFE
);
CREATE AGGREGATE max(flake) (
    SFUNC = flake_larger, STYPE = flake, COMBINEFUNC = flake_larger, SORTOP = >, PARALLEL = SAFE
);

COMMENT ON AGGREGATE min(flake) IS 'minimum value of all flake input values';
COMMENT ON AGGREGATE max(flake) IS 'maximum value of all flake input values';

-- flax: order, hashing and index access methods

CREATE FUNCTION flax_lt(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_le(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_eq(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_ne(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_ge(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_gt(flax, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION flax_lt(flax, flax) IS 'implementation of < operator';
COMMENT ON FUNCTION flax_le(flax, flax) IS 'implementation of <= operator';
COMMENT ON FUNCTION flax_eq(flax, flax) IS 'implementation of = operator';
COMMENT ON FUNCTION flax_ne(flax, flax) IS 'implementation of <> operator';
COMMENT ON FUNCTION flax_ge(flax, flax) IS 'implementation of >= operator';
COMMENT ON FUNCTION flax_gt(flax, flax) IS 'implementation of > operator';

CREATE OPERATOR < (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR = (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel,
    HASHES, MERGES
);
CREATE OPERATOR <> (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR >= (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR < (flax, flax) IS 'less than';
COMMENT ON OPERATOR <= (flax, flax) IS 'less than or equal';
COMMENT ON OPERATOR = (flax, flax) IS 'equal';
COMMENT ON OPERATOR <> (flax, flax) IS 'not equal';
COMMENT ON OPERATOR >= (flax, flax) IS 'greater than or equal';
COMMENT ON OPERATOR > (flax, flax) IS 'greater than';

CREATE FUNCTION flax_cmp(flax, flax) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_hash(flax) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_hash_extended(flax, bigint) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_brin_distance(internal, internal) RETURNS double precision
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION flax_cmp(flax, flax) IS 'less-equal-greater';
COMMENT ON FUNCTION flax_sortsupport(internal) IS 'sort support';
COMMENT ON FUNCTION flax_hash(flax) IS 'hash';
COMMENT ON FUNCTION flax_hash_extended(flax, bigint) IS 'hash';
COMMENT ON FUNCTION flax_brin_distance(internal, internal) IS 'BRIN multi minmax distance';

CREATE OPERATOR FAMILY flax_ops USING btree;
CREATE OPERATOR CLASS flax_ops DEFAULT FOR TYPE flax USING btree FAMILY flax_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 flax_cmp(flax, flax),
    FUNCTION 2 flax_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);

COMMENT ON OPERATOR FAMILY flax_ops USING btree IS 'order of flax';
COMMENT ON OPERATOR CLASS flax_ops USING btree IS 'order of flax';

CREATE OPERATOR FAMILY flax_ops USING hash;
CREATE OPERATOR CLASS flax_ops DEFAULT FOR TYPE flax USING hash FAMILY flax_ops AS
    OPERATOR 1 =,
    FUNCTION 1 flax_hash(flax),
    FUNCTION 2 flax_hash_extended(flax, bigint);

COMMENT ON OPERATOR FAMILY flax_ops USING hash IS 'equality of flax';
COMMENT ON OPERATOR CLASS flax_ops USING hash IS 'equality of flax';

CREATE OPERATOR FAMILY flax_minmax_ops USING brin;
CREATE OPERATOR CLASS flax_minmax_ops DEFAULT FOR TYPE flax USING brin FAMILY flax_minmax_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);

COMMENT ON OPERATOR FAMILY flax_minmax_ops USING brin IS 'the range of flax in a block range';
COMMENT ON OPERATOR CLASS flax_minmax_ops USING brin IS 'the range of flax in a block range';

CREATE OPERATOR FAMILY flax_minmax_multi_ops USING brin;
CREATE OPERATOR CLASS flax_minmax_multi_ops FOR TYPE flax USING brin FAMILY flax_minmax_multi_ops AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 flax_brin_distance(internal, internal);

COMMENT ON OPERATOR FAMILY flax_minmax_multi_ops USING brin IS 'a few ranges of flax in a block range';
COMMENT ON OPERATOR CLASS flax_minmax_multi_ops USING brin IS 'a few ranges of flax in a block range';

CREATE OPERATOR FAMILY flax_bloom_ops USING brin;
CREATE OPERATOR CLASS flax_bloom_ops FOR TYPE flax USING brin FAMILY flax_bloom_ops AS
    OPERATOR 1 =,
    FUNCTION 1 brin_bloom_opcinfo(internal),
    FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_bloom_union(internal, internal, internal),
    FUNCTION 5 brin_bloom_options(internal),
    FUNCTION 11 flax_hash(flax);

COMMENT ON OPERATOR FAMILY flax_bloom_ops USING brin IS 'a Bloom filter of flax for a block range';
COMMENT ON OPERATOR CLASS flax_bloom_ops USING brin IS 'a Bloom filter of flax for a block range';

CREATE FUNCTION flax_smaller(flax, flax) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_larger(flax, flax) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION flax_smaller(flax, flax) IS 'smaller of two';
COMMENT ON FUNCTION flax_larger(flax, flax) IS 'larger of two';

CREATE AGGREGATE min(flax) (
    SFUNC = flax_smaller, STYPE = flax, COMBINEFUNC = flax_smaller, SORTOP = <, PARALLEL = SAFE
);
CREATE AGGREGATE max(flax) (
    SFUNC = flax_larger, STYPE = flax, COMBINEFUNC = flax_larger, SORTOP = >, PARALLEL = SAFE
);

COMMENT ON AGGREGATE min(flax) IS 'minimum value of all flax input values';
COMMENT ON AGGREGATE max(flax) IS 'maximum value of all flax input values';

-- kid64: the time in an ID

CREATE FUNCTION kid_timestamp(kid64) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_timestamp';
CREATE FUNCTION kid64_floor(timestamptz) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_ceil(timestamptz) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_timestamp(kid64) IS
    'when the time unit of an ID begins';
COMMENT ON FUNCTION kid64_floor(timestamptz) IS
    'lowest kid64 of the time unit that holds an instant; the smallest of all before the range of the type, the greatest after it';
COMMENT ON FUNCTION kid64_ceil(timestamptz) IS
    'highest kid64 of the time unit that holds an instant; the smallest of all before the range of the type, the greatest after it';

CREATE CAST (timestamptz AS kid64) WITH FUNCTION kid64_floor(timestamptz);
CREATE CAST (kid64 AS timestamptz) WITH FUNCTION kid_timestamp(kid64);

COMMENT ON CAST (timestamptz AS kid64) IS 'same as kid64_floor';
COMMENT ON CAST (kid64 AS timestamptz) IS 'same as kid_timestamp';

CREATE FUNCTION kid64_mi(kid64, kid64) RETURNS interval
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid_timestamp($1) - kid_timestamp($2);
COMMENT ON FUNCTION kid64_mi(kid64, kid64) IS 'implementation of - operator';

CREATE OPERATOR - (LEFTARG = kid64, RIGHTARG = kid64, FUNCTION = kid64_mi);
COMMENT ON OPERATOR - (kid64, kid64) IS 'time from the second ID to the first';

-- kid96: the time in an ID

CREATE FUNCTION kid_timestamp(kid96) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_timestamp';
CREATE FUNCTION kid96_floor(timestamptz) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_ceil(timestamptz) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_timestamp(kid96) IS
    'when the time unit of an ID begins';
COMMENT ON FUNCTION kid96_floor(timestamptz) IS
    'lowest kid96 of the time unit that holds an instant; the smallest of all before the range of the type, the greatest after it';
COMMENT ON FUNCTION kid96_ceil(timestamptz) IS
    'highest kid96 of the time unit that holds an instant; the smallest of all before the range of the type, the greatest after it';

CREATE CAST (timestamptz AS kid96) WITH FUNCTION kid96_floor(timestamptz);
CREATE CAST (kid96 AS timestamptz) WITH FUNCTION kid_timestamp(kid96);

COMMENT ON CAST (timestamptz AS kid96) IS 'same as kid96_floor';
COMMENT ON CAST (kid96 AS timestamptz) IS 'same as kid_timestamp';

CREATE FUNCTION kid96_mi(kid96, kid96) RETURNS interval
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid_timestamp($1) - kid_timestamp($2);
COMMENT ON FUNCTION kid96_mi(kid96, kid96) IS 'implementation of - operator';

CREATE OPERATOR - (LEFTARG = kid96, RIGHTARG = kid96, FUNCTION = kid96_mi);
COMMENT ON OPERATOR - (kid96, kid96) IS 'time from the second ID to the first';

-- sno: the time in an ID

CREATE FUNCTION kid_timestamp(sno) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_timestamp';
CREATE FUNCTION sno_floor(timestamptz) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_ceil(timestamptz) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_timestamp(sno) IS
    'when the time unit of an ID begins';
COMMENT ON FUNCTION sno_floor(timestamptz) IS
    'lowest sno of the time unit that holds an instant; the smallest of all before the range of the type, the greatest after it';
COMMENT ON FUNCTION sno_ceil(timestamptz) IS
    'highest sno of the time unit that holds an instant; the smallest of all before the range of the type, the greatest after it';

CREATE CAST (timestamptz AS sno) WITH FUNCTION sno_floor(timestamptz);
CREATE CAST (sno AS timestamptz) WITH FUNCTION kid_timestamp(sno);

COMMENT ON CAST (timestamptz AS sno) IS 'same as sno_floor';
COMMENT ON CAST (sno AS timestamptz) IS 'same as kid_timestamp';

CREATE FUNCTION sno_mi(sno, sno) RETURNS interval
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid_timestamp($1) - kid_timestamp($2);
COMMENT ON FUNCTION sno_mi(sno, sno) IS 'implementation of - operator';

CREATE OPERATOR - (LEFTARG = sno, RIGHTARG = sno, FUNCTION = sno_mi);
COMMENT ON OPERATOR - (sno, sno) IS 'time from the second ID to the first';

-- flake: the time in an ID

CREATE FUNCTION kid_timestamp(flake) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_timestamp';
CREATE FUNCTION flake_floor(timestamptz) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_ceil(timestamptz) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_timestamp(flake) IS
    'when the time unit of an ID begins';
COMMENT ON FUNCTION flake_floor(timestamptz) IS
    'lowest flake of the time unit that holds an instant; the smallest of all before the range of the type, the greatest after it';
COMMENT ON FUNCTION flake_ceil(timestamptz) IS
    'highest flake of the time unit that holds an instant; the smallest of all before the range of the type, the greatest after it';

CREATE CAST (timestamptz AS flake) WITH FUNCTION flake_floor(timestamptz);
CREATE CAST (flake AS timestamptz) WITH FUNCTION kid_timestamp(flake);

COMMENT ON CAST (timestamptz AS flake) IS 'same as flake_floor';
COMMENT ON CAST (flake AS timestamptz) IS 'same as kid_timestamp';

CREATE FUNCTION flake_mi(flake, flake) RETURNS interval
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid_timestamp($1) - kid_timestamp($2);
COMMENT ON FUNCTION flake_mi(flake, flake) IS 'implementation of - operator';

CREATE OPERATOR - (LEFTARG = flake, RIGHTARG = flake, FUNCTION = flake_mi);
COMMENT ON OPERATOR - (flake, flake) IS 'time from the second ID to the first';

-- flax: the time in an ID

CREATE FUNCTION kid_timestamp(flax) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_timestamp';
CREATE FUNCTION flax_floor(timestamptz) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_ceil(timestamptz) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_timestamp(flax) IS
    'when the time unit of an ID begins';
COMMENT ON FUNCTION flax_floor(timestamptz) IS
    'lowest flax of the time unit that holds an instant; the smallest of all before the range of the type, the greatest after it';
COMMENT ON FUNCTION flax_ceil(timestamptz) IS
    'highest flax of the time unit that holds an instant; the smallest of all before the range of the type, the greatest after it';

CREATE CAST (timestamptz AS flax) WITH FUNCTION flax_floor(timestamptz);
CREATE CAST (flax AS timestamptz) WITH FUNCTION kid_timestamp(flax);

COMMENT ON CAST (timestamptz AS flax) IS 'same as flax_floor';
COMMENT ON CAST (flax AS timestamptz) IS 'same as kid_timestamp';

CREATE FUNCTION flax_mi(flax, flax) RETURNS interval
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid_timestamp($1) - kid_timestamp($2);
COMMENT ON FUNCTION flax_mi(flax, flax) IS 'implementation of - operator';

CREATE OPERATOR - (LEFTARG = flax, RIGHTARG = flax, FUNCTION = flax_mi);
COMMENT ON OPERATOR - (flax, flax) IS 'time from the second ID to the first';

-- kid64: comparison with time
--
-- At the time unit of the type: an ID is as late as any instant of its unit, so ranges that touch have no ID in common, and
-- miss none. Planner support makes all of it comparisons of the ID with IDs.

CREATE FUNCTION kid64_lowest(tstzrange) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_highest(tstzrange) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_lowest(operator text, ts timestamptz) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_lowest_that_is';
CREATE FUNCTION kid64_highest(operator text, ts timestamptz) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_highest_that_is';

COMMENT ON FUNCTION kid64_lowest(tstzrange) IS
    'lowest kid64 within a range of time; the greatest of all, above kid64_highest, where there is none';
COMMENT ON FUNCTION kid64_highest(tstzrange) IS
    'highest kid64 within a range of time; the smallest of all, below kid64_lowest, where there is none';
COMMENT ON FUNCTION kid64_lowest(text, timestamptz) IS
    'lowest kid64 that is <, <=, >= or > an instant; the greatest of all, above kid64_highest, where there is none';
COMMENT ON FUNCTION kid64_highest(text, timestamptz) IS
    'highest kid64 that is <, <=, >= or > an instant; the smallest of all, below kid64_lowest, where there is none';

CREATE FUNCTION kid64_within(kid64, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_within AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_range_contains(kid_span, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_within AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_lt_time(kid64, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_lt AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_le_time(kid64, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_le AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_ge_time(kid64, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_ge AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_gt_time(kid64, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_gt AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_time_lt(timestamptz, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_gt AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_time_le(timestamptz, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_ge AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_time_ge(timestamptz, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_le AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_time_gt(timestamptz, kid64) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_lt AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid64_within(kid64, kid_span) IS 'implementation of <@ operator';
COMMENT ON FUNCTION kid64_range_contains(kid_span, kid64) IS 'implementation of @> operator';
COMMENT ON FUNCTION kid64_lt_time(kid64, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION kid64_le_time(kid64, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION kid64_ge_time(kid64, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION kid64_gt_time(kid64, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION kid64_time_lt(timestamptz, kid64) IS 'implementation of < operator';
COMMENT ON FUNCTION kid64_time_le(timestamptz, kid64) IS 'implementation of <= operator';
COMMENT ON FUNCTION kid64_time_ge(timestamptz, kid64) IS 'implementation of >= operator';
COMMENT ON FUNCTION kid64_time_gt(timestamptz, kid64) IS 'implementation of > operator';

CREATE OPERATOR <@ (
    LEFTARG = kid64, RIGHTARG = kid_span, FUNCTION = kid64_within,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
CREATE OPERATOR @> (
    LEFTARG = kid_span, RIGHTARG = kid64, FUNCTION = kid64_range_contains,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
CREATE OPERATOR < (
    LEFTARG = kid64, RIGHTARG = timestamptz, FUNCTION = kid64_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = kid64, RIGHTARG = timestamptz, FUNCTION = kid64_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR >= (
    LEFTARG = kid64, RIGHTARG = timestamptz, FUNCTION = kid64_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = kid64, RIGHTARG = timestamptz, FUNCTION = kid64_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = kid64, FUNCTION = kid64_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = kid64, FUNCTION = kid64_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = kid64, FUNCTION = kid64_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = kid64, FUNCTION = kid64_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR <@ (kid64, kid_span) IS 'is in the range of time';
COMMENT ON OPERATOR @> (kid_span, kid64) IS 'range of time contains';
COMMENT ON OPERATOR < (kid64, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR <= (kid64, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR >= (kid64, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR > (kid64, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR < (timestamptz, kid64) IS 'earlier than, in time units';
COMMENT ON OPERATOR <= (timestamptz, kid64) IS 'not later than, in time units';
COMMENT ON OPERATOR >= (timestamptz, kid64) IS 'not earlier than, in time units';
COMMENT ON OPERATOR > (timestamptz, kid64) IS 'later than, in time units';

-- kid96: comparison with time
--
-- At the time unit of the type: an ID is as late as any instant of its unit, so ranges that touch have no ID in common, and
-- miss none. Planner support makes all of it comparisons of the ID with IDs.

CREATE FUNCTION kid96_lowest(tstzrange) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_highest(tstzrange) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_lowest(operator text, ts timestamptz) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_lowest_that_is';
CREATE FUNCTION kid96_highest(operator text, ts timestamptz) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_highest_that_is';

COMMENT ON FUNCTION kid96_lowest(tstzrange) IS
    'lowest kid96 within a range of time; the greatest of all, above kid96_highest, where there is none';
COMMENT ON FUNCTION kid96_highest(tstzrange) IS
    'highest kid96 within a range of time; the smallest of all, below kid96_lowest, where there is none';
COMMENT ON FUNCTION kid96_lowest(text, timestamptz) IS
    'lowest kid96 that is <, <=, >= or > an instant; the greatest of all, above kid96_highest, where there is none';
COMMENT ON FUNCTION kid96_highest(text, timestamptz) IS
    'highest kid96 that is <, <=, >= or > an instant; the smallest of all, below kid96_lowest, where there is none';

CREATE FUNCTION kid96_within(kid96, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_within AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_range_contains(kid_span, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_within AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_lt_time(kid96, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_lt AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_le_time(kid96, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_le AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_ge_time(kid96, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_ge AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_gt_time(kid96, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_gt AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_time_lt(timestamptz, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_gt AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_time_le(timestamptz, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_ge AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_time_ge(timestamptz, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_le AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_time_gt(timestamptz, kid96) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_lt AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid96_within(kid96, kid_span) IS 'implementation of <@ operator';
COMMENT ON FUNCTION kid96_range_contains(kid_span, kid96) IS 'implementation of @> operator';
COMMENT ON FUNCTION kid96_lt_time(kid96, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION kid96_le_time(kid96, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION kid96_ge_time(kid96, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION kid96_gt_time(kid96, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION kid96_time_lt(timestamptz, kid96) IS 'implementation of < operator';
COMMENT ON FUNCTION kid96_time_le(timestamptz, kid96) IS 'implementation of <= operator';
COMMENT ON FUNCTION kid96_time_ge(timestamptz, kid96) IS 'implementation of >= operator';
COMMENT ON FUNCTION kid96_time_gt(timestamptz, kid96) IS 'implementation of > operator';

CREATE OPERATOR <@ (
    LEFTARG = kid96, RIGHTARG = kid_span, FUNCTION = kid96_within,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
CREATE OPERATOR @> (
    LEFTARG = kid_span, RIGHTARG = kid96, FUNCTION = kid96_range_contains,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
CREATE OPERATOR < (
    LEFTARG = kid96, RIGHTARG = timestamptz, FUNCTION = kid96_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = kid96, RIGHTARG = timestamptz, FUNCTION = kid96_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR >= (
    LEFTARG = kid96, RIGHTARG = timestamptz, FUNCTION = kid96_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = kid96, RIGHTARG = timestamptz, FUNCTION = kid96_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = kid96, FUNCTION = kid96_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = kid96, FUNCTION = kid96_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = kid96, FUNCTION = kid96_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = kid96, FUNCTION = kid96_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR <@ (kid96, kid_span) IS 'is in the range of time';
COMMENT ON OPERATOR @> (kid_span, kid96) IS 'range of time contains';
COMMENT ON OPERATOR < (kid96, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR <= (kid96, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR >= (kid96, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR > (kid96, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR < (timestamptz, kid96) IS 'earlier than, in time units';
COMMENT ON OPERATOR <= (timestamptz, kid96) IS 'not later than, in time units';
COMMENT ON OPERATOR >= (timestamptz, kid96) IS 'not earlier than, in time units';
COMMENT ON OPERATOR > (timestamptz, kid96) IS 'later than, in time units';

-- sno: comparison with time
--
-- At the time unit of the type: an ID is as late as any instant of its unit, so ranges that touch have no ID in common, and
-- miss none. Planner support makes all of it comparisons of the ID with IDs.

CREATE FUNCTION sno_lowest(tstzrange) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_highest(tstzrange) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_lowest(operator text, ts timestamptz) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_lowest_that_is';
CREATE FUNCTION sno_highest(operator text, ts timestamptz) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_highest_that_is';

COMMENT ON FUNCTION sno_lowest(tstzrange) IS
    'lowest sno within a range of time; the greatest of all, above sno_highest, where there is none';
COMMENT ON FUNCTION sno_highest(tstzrange) IS
    'highest sno within a range of time; the smallest of all, below sno_lowest, where there is none';
COMMENT ON FUNCTION sno_lowest(text, timestamptz) IS
    'lowest sno that is <, <=, >= or > an instant; the greatest of all, above sno_highest, where there is none';
COMMENT ON FUNCTION sno_highest(text, timestamptz) IS
    'highest sno that is <, <=, >= or > an instant; the smallest of all, below sno_lowest, where there is none';

CREATE FUNCTION sno_within(sno, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_within AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_range_contains(kid_span, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_within AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_lt_time(sno, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_lt AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_le_time(sno, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_le AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_ge_time(sno, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_ge AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_gt_time(sno, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_gt AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_time_lt(timestamptz, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_gt AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_time_le(timestamptz, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_ge AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_time_ge(timestamptz, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_le AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_time_gt(timestamptz, sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_lt AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION sno_within(sno, kid_span) IS 'implementation of <@ operator';
COMMENT ON FUNCTION sno_range_contains(kid_span, sno) IS 'implementation of @> operator';
COMMENT ON FUNCTION sno_lt_time(sno, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION sno_le_time(sno, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION sno_ge_time(sno, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION sno_gt_time(sno, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION sno_time_lt(timestamptz, sno) IS 'implementation of < operator';
COMMENT ON FUNCTION sno_time_le(timestamptz, sno) IS 'implementation of <= operator';
COMMENT ON FUNCTION sno_time_ge(timestamptz, sno) IS 'implementation of >= operator';
COMMENT ON FUNCTION sno_time_gt(timestamptz, sno) IS 'implementation of > operator';

CREATE OPERATOR <@ (
    LEFTARG = sno, RIGHTARG = kid_span, FUNCTION = sno_within,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
CREATE OPERATOR @> (
    LEFTARG = kid_span, RIGHTARG = sno, FUNCTION = sno_range_contains,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
CREATE OPERATOR < (
    LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR >= (
    LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = sno, RIGHTARG = timestamptz, FUNCTION = sno_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = sno, FUNCTION = sno_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR <@ (sno, kid_span) IS 'is in the range of time';
COMMENT ON OPERATOR @> (kid_span, sno) IS 'range of time contains';
COMMENT ON OPERATOR < (sno, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR <= (sno, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR >= (sno, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR > (sno, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR < (timestamptz, sno) IS 'earlier than, in time units';
COMMENT ON OPERATOR <= (timestamptz, sno) IS 'not later than, in time units';
COMMENT ON OPERATOR >= (timestamptz, sno) IS 'not earlier than, in time units';
COMMENT ON OPERATOR > (timestamptz, sno) IS 'later than, in time units';

-- flake: comparison with time
--
-- At the time unit of the type: an ID is as late as any instant of its unit, so ranges that touch have no ID in common, and
-- miss none. Planner support makes all of it comparisons of the ID with IDs.

CREATE FUNCTION flake_lowest(tstzrange) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_highest(tstzrange) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_lowest(operator text, ts timestamptz) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_lowest_that_is';
CREATE FUNCTION flake_highest(operator text, ts timestamptz) RETURNS flake
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_highest_that_is';

COMMENT ON FUNCTION flake_lowest(tstzrange) IS
    'lowest flake within a range of time; the greatest of all, above flake_highest, where there is none';
COMMENT ON FUNCTION flake_highest(tstzrange) IS
    'highest flake within a range of time; the smallest of all, below flake_lowest, where there is none';
COMMENT ON FUNCTION flake_lowest(text, timestamptz) IS
    'lowest flake that is <, <=, >= or > an instant; the greatest of all, above flake_highest, where there is none';
COMMENT ON FUNCTION flake_highest(text, timestamptz) IS
    'highest flake that is <, <=, >= or > an instant; the smallest of all, below flake_lowest, where there is none';

CREATE FUNCTION flake_within(flake, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_within AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_range_contains(kid_span, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_within AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_lt_time(flake, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_lt AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_le_time(flake, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_le AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_ge_time(flake, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_ge AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_gt_time(flake, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_gt AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_time_lt(timestamptz, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_gt AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_time_le(timestamptz, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_ge AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_time_ge(timestamptz, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_le AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_time_gt(timestamptz, flake) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_lt AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION flake_within(flake, kid_span) IS 'implementation of <@ operator';
COMMENT ON FUNCTION flake_range_contains(kid_span, flake) IS 'implementation of @> operator';
COMMENT ON FUNCTION flake_lt_time(flake, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION flake_le_time(flake, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION flake_ge_time(flake, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION flake_gt_time(flake, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION flake_time_lt(timestamptz, flake) IS 'implementation of < operator';
COMMENT ON FUNCTION flake_time_le(timestamptz, flake) IS 'implementation of <= operator';
COMMENT ON FUNCTION flake_time_ge(timestamptz, flake) IS 'implementation of >= operator';
COMMENT ON FUNCTION flake_time_gt(timestamptz, flake) IS 'implementation of > operator';

CREATE OPERATOR <@ (
    LEFTARG = flake, RIGHTARG = kid_span, FUNCTION = flake_within,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
CREATE OPERATOR @> (
    LEFTARG = kid_span, RIGHTARG = flake, FUNCTION = flake_range_contains,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
CREATE OPERATOR < (
    LEFTARG = flake, RIGHTARG = timestamptz, FUNCTION = flake_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = flake, RIGHTARG = timestamptz, FUNCTION = flake_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR >= (
    LEFTARG = flake, RIGHTARG = timestamptz, FUNCTION = flake_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = flake, RIGHTARG = timestamptz, FUNCTION = flake_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = flake, FUNCTION = flake_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = flake, FUNCTION = flake_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = flake, FUNCTION = flake_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = flake, FUNCTION = flake_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR <@ (flake, kid_span) IS 'is in the range of time';
COMMENT ON OPERATOR @> (kid_span, flake) IS 'range of time contains';
COMMENT ON OPERATOR < (flake, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR <= (flake, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR >= (flake, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR > (flake, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR < (timestamptz, flake) IS 'earlier than, in time units';
COMMENT ON OPERATOR <= (timestamptz, flake) IS 'not later than, in time units';
COMMENT ON OPERATOR >= (timestamptz, flake) IS 'not earlier than, in time units';
COMMENT ON OPERATOR > (timestamptz, flake) IS 'later than, in time units';

-- flax: comparison with time
--
-- At the time unit of the type: an ID is as late as any instant of its unit, so ranges that touch have no ID in common, and
-- miss none. Planner support makes all of it comparisons of the ID with IDs.

CREATE FUNCTION flax_lowest(tstzrange) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_highest(tstzrange) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_lowest(operator text, ts timestamptz) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_lowest_that_is';
CREATE FUNCTION flax_highest(operator text, ts timestamptz) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_highest_that_is';

COMMENT ON FUNCTION flax_lowest(tstzrange) IS
    'lowest flax within a range of time; the greatest of all, above flax_highest, where there is none';
COMMENT ON FUNCTION flax_highest(tstzrange) IS
    'highest flax within a range of time; the smallest of all, below flax_lowest, where there is none';
COMMENT ON FUNCTION flax_lowest(text, timestamptz) IS
    'lowest flax that is <, <=, >= or > an instant; the greatest of all, above flax_highest, where there is none';
COMMENT ON FUNCTION flax_highest(text, timestamptz) IS
    'highest flax that is <, <=, >= or > an instant; the smallest of all, below flax_lowest, where there is none';

CREATE FUNCTION flax_within(flax, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_within AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_range_contains(kid_span, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_within AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_lt_time(flax, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_lt AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_le_time(flax, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_le AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_ge_time(flax, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_ge AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_gt_time(flax, timestamptz) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_gt AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_time_lt(timestamptz, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_gt AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_time_le(timestamptz, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_ge AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_time_ge(timestamptz, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_le AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_time_gt(timestamptz, flax) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_lt AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION flax_within(flax, kid_span) IS 'implementation of <@ operator';
COMMENT ON FUNCTION flax_range_contains(kid_span, flax) IS 'implementation of @> operator';
COMMENT ON FUNCTION flax_lt_time(flax, timestamptz) IS 'implementation of < operator';
COMMENT ON FUNCTION flax_le_time(flax, timestamptz) IS 'implementation of <= operator';
COMMENT ON FUNCTION flax_ge_time(flax, timestamptz) IS 'implementation of >= operator';
COMMENT ON FUNCTION flax_gt_time(flax, timestamptz) IS 'implementation of > operator';
COMMENT ON FUNCTION flax_time_lt(timestamptz, flax) IS 'implementation of < operator';
COMMENT ON FUNCTION flax_time_le(timestamptz, flax) IS 'implementation of <= operator';
COMMENT ON FUNCTION flax_time_ge(timestamptz, flax) IS 'implementation of >= operator';
COMMENT ON FUNCTION flax_time_gt(timestamptz, flax) IS 'implementation of > operator';

CREATE OPERATOR <@ (
    LEFTARG = flax, RIGHTARG = kid_span, FUNCTION = flax_within,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
CREATE OPERATOR @> (
    LEFTARG = kid_span, RIGHTARG = flax, FUNCTION = flax_range_contains,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
CREATE OPERATOR < (
    LEFTARG = flax, RIGHTARG = timestamptz, FUNCTION = flax_lt_time,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = flax, RIGHTARG = timestamptz, FUNCTION = flax_le_time,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR >= (
    LEFTARG = flax, RIGHTARG = timestamptz, FUNCTION = flax_ge_time,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = flax, RIGHTARG = timestamptz, FUNCTION = flax_gt_time,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR < (
    LEFTARG = timestamptz, RIGHTARG = flax, FUNCTION = flax_time_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
    LEFTARG = timestamptz, RIGHTARG = flax, FUNCTION = flax_time_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR >= (
    LEFTARG = timestamptz, RIGHTARG = flax, FUNCTION = flax_time_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
CREATE OPERATOR > (
    LEFTARG = timestamptz, RIGHTARG = flax, FUNCTION = flax_time_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

COMMENT ON OPERATOR <@ (flax, kid_span) IS 'is in the range of time';
COMMENT ON OPERATOR @> (kid_span, flax) IS 'range of time contains';
COMMENT ON OPERATOR < (flax, timestamptz) IS 'earlier than, in time units';
COMMENT ON OPERATOR <= (flax, timestamptz) IS 'not later than, in time units';
COMMENT ON OPERATOR >= (flax, timestamptz) IS 'not earlier than, in time units';
COMMENT ON OPERATOR > (flax, timestamptz) IS 'later than, in time units';
COMMENT ON OPERATOR < (timestamptz, flax) IS 'earlier than, in time units';
COMMENT ON OPERATOR <= (timestamptz, flax) IS 'not later than, in time units';
COMMENT ON OPERATOR >= (timestamptz, flax) IS 'not earlier than, in time units';
COMMENT ON OPERATOR > (timestamptz, flax) IS 'later than, in time units';

-- kid64: the same 64 bits as a bigint
--
-- The casts only reinterpret, so a bigint column takes IDs as they are and ALTER TABLE ... TYPE kid64 rewrites no row.
-- A bigint at or above zero is the same number; below zero it is the ID with the highest bit set, for kid64 has no sign.

CREATE CAST (bigint AS kid64) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (kid64 AS bigint) WITHOUT FUNCTION AS ASSIGNMENT;
-- Not with PostgreSQL's int8(integer): that would need the cast from bigint to be there before, and pg_upgrade, which makes
-- the casts one by one, does not know.
CREATE FUNCTION kid64_from_integer(integer) RETURNS kid64
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int48';
COMMENT ON FUNCTION kid64_from_integer(integer) IS 'implementation of a cast';
CREATE CAST (integer AS kid64) WITH FUNCTION kid64_from_integer(integer) AS IMPLICIT;

COMMENT ON CAST (bigint AS kid64) IS 'the same 64 bits';
COMMENT ON CAST (kid64 AS bigint) IS 'the same 64 bits';
COMMENT ON CAST (integer AS kid64) IS 'the same as by way of bigint';

-- flake: the same 64 bits as a bigint
--
-- The casts only reinterpret, so a bigint column takes IDs as they are and ALTER TABLE ... TYPE flake rewrites no row.
-- A bigint at or above zero is the same number; below zero it is the ID with the highest bit set, for flake has no sign.

CREATE CAST (bigint AS flake) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (flake AS bigint) WITHOUT FUNCTION AS ASSIGNMENT;
-- Not with PostgreSQL's int8(integer): that would need the cast from bigint to be there before, and pg_upgrade, which makes
-- the casts one by one, does not know.
CREATE FUNCTION flake_from_integer(integer) RETURNS flake
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'int48';
COMMENT ON FUNCTION flake_from_integer(integer) IS 'implementation of a cast';
CREATE CAST (integer AS flake) WITH FUNCTION flake_from_integer(integer) AS IMPLICIT;

COMMENT ON CAST (bigint AS flake) IS 'the same 64 bits';
COMMENT ON CAST (flake AS bigint) IS 'the same 64 bits';
COMMENT ON CAST (integer AS flake) IS 'the same as by way of bigint';

-- kid96: its text form, 16 characters, as the 16 bytes of a uuid

CREATE FUNCTION kid96_to_uuid(kid96) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_from_uuid(uuid) RETURNS kid96
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid96_to_uuid(kid96) IS 'uuid whose 16 bytes are the text form of an ID';
COMMENT ON FUNCTION kid96_from_uuid(uuid) IS 'ID whose text form is the 16 bytes of a uuid; an error where they are not one';

CREATE CAST (kid96 AS uuid) WITH FUNCTION kid96_to_uuid(kid96);
CREATE CAST (uuid AS kid96) WITH FUNCTION kid96_from_uuid(uuid);

COMMENT ON CAST (kid96 AS uuid) IS 'the 16 characters of the text form as bytes';
COMMENT ON CAST (uuid AS kid96) IS 'of the 16 characters of the text form as bytes';

-- sno: its text form, 16 characters, as the 16 bytes of a uuid

CREATE FUNCTION sno_to_uuid(sno) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_from_uuid(uuid) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION sno_to_uuid(sno) IS 'uuid whose 16 bytes are the text form of an ID';
COMMENT ON FUNCTION sno_from_uuid(uuid) IS 'ID whose text form is the 16 bytes of a uuid; an error where they are not one';

CREATE CAST (sno AS uuid) WITH FUNCTION sno_to_uuid(sno);
CREATE CAST (uuid AS sno) WITH FUNCTION sno_from_uuid(uuid);

COMMENT ON CAST (sno AS uuid) IS 'the 16 characters of the text form as bytes';
COMMENT ON CAST (uuid AS sno) IS 'of the 16 characters of the text form as bytes';

-- flax: its text form, 16 characters, as the 16 bytes of a uuid

CREATE FUNCTION flax_to_uuid(flax) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_from_uuid(uuid) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION flax_to_uuid(flax) IS 'uuid whose 16 bytes are the text form of an ID';
COMMENT ON FUNCTION flax_from_uuid(uuid) IS 'ID whose text form is the 16 bytes of a uuid; an error where they are not one';

CREATE CAST (flax AS uuid) WITH FUNCTION flax_to_uuid(flax);
CREATE CAST (uuid AS flax) WITH FUNCTION flax_from_uuid(uuid);

COMMENT ON CAST (flax AS uuid) IS 'the 16 characters of the text form as bytes';
COMMENT ON CAST (uuid AS flax) IS 'of the 16 characters of the text form as bytes';

-- kid64: generators. The functions named _call are what planner support makes of the others, see kid_support_next.

CREATE FUNCTION kid64_next() RETURNS kid64
    LANGUAGE C VOLATILE PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_next_call(call integer) RETURNS kid64
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kid64_next';
CREATE FUNCTION kid64_next(n bigint) RETURNS SETOF kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'kid64_next_many';
CREATE FUNCTION kid64_next_many_call(n bigint, call integer) RETURNS SETOF kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'kid64_next_many';
CREATE FUNCTION kid64_at(ts timestamptz) RETURNS kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION kid64_at_call(ts timestamptz, call integer) RETURNS kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kid64_at';

COMMENT ON FUNCTION kid64_next_call(integer) IS 'kid64_next() as a plan has it: with the number of the call';
COMMENT ON FUNCTION kid64_next_many_call(bigint, integer) IS 'kid64_next(n) as a plan has it: with the number of the call';
COMMENT ON FUNCTION kid64_at_call(timestamptz, integer) IS 'kid64_at() as a plan has it: with the number of the call';

-- kid96: generators. The functions named _call are what planner support makes of the others, see kid_support_next.

CREATE FUNCTION kid96_next() RETURNS kid96
    LANGUAGE C VOLATILE PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_next_call(call integer) RETURNS kid96
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kid96_next';
CREATE FUNCTION kid96_next(n bigint) RETURNS SETOF kid96
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'kid96_next_many';
CREATE FUNCTION kid96_next_many_call(n bigint, call integer) RETURNS SETOF kid96
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'kid96_next_many';
CREATE FUNCTION kid96_at(ts timestamptz) RETURNS kid96
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION kid96_at_call(ts timestamptz, call integer) RETURNS kid96
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kid96_at';

COMMENT ON FUNCTION kid96_next_call(integer) IS 'kid96_next() as a plan has it: with the number of the call';
COMMENT ON FUNCTION kid96_next_many_call(bigint, integer) IS 'kid96_next(n) as a plan has it: with the number of the call';
COMMENT ON FUNCTION kid96_at_call(timestamptz, integer) IS 'kid96_at() as a plan has it: with the number of the call';

-- flake: generators. The functions named _call are what planner support makes of the others, see kid_support_next.

CREATE FUNCTION flake_next() RETURNS flake
    LANGUAGE C VOLATILE PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_next_call(call integer) RETURNS flake
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'flake_next';
CREATE FUNCTION flake_next(n bigint) RETURNS SETOF flake
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'flake_next_many';
CREATE FUNCTION flake_next_many_call(n bigint, call integer) RETURNS SETOF flake
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'flake_next_many';
CREATE FUNCTION flake_at(ts timestamptz) RETURNS flake
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION flake_at_call(ts timestamptz, call integer) RETURNS flake
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'flake_at';

COMMENT ON FUNCTION flake_next_call(integer) IS 'flake_next() as a plan has it: with the number of the call';
COMMENT ON FUNCTION flake_next_many_call(bigint, integer) IS 'flake_next(n) as a plan has it: with the number of the call';
COMMENT ON FUNCTION flake_at_call(timestamptz, integer) IS 'flake_at() as a plan has it: with the number of the call';

-- flax: generators. The functions named _call are what planner support makes of the others, see kid_support_next.

CREATE FUNCTION flax_next() RETURNS flax
    LANGUAGE C VOLATILE PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_next_call(call integer) RETURNS flax
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'flax_next';
CREATE FUNCTION flax_next(n bigint) RETURNS SETOF flax
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'flax_next_many';
CREATE FUNCTION flax_next_many_call(n bigint, call integer) RETURNS SETOF flax
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'flax_next_many';
CREATE FUNCTION flax_at(ts timestamptz) RETURNS flax
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION flax_at_call(ts timestamptz, call integer) RETURNS flax
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'flax_at';

COMMENT ON FUNCTION flax_next_call(integer) IS 'flax_next() as a plan has it: with the number of the call';
COMMENT ON FUNCTION flax_next_many_call(bigint, integer) IS 'flax_next(n) as a plan has it: with the number of the call';
COMMENT ON FUNCTION flax_at_call(timestamptz, integer) IS 'flax_at() as a plan has it: with the number of the call';

-- kid64: its time in columns of type text, which in collation "C" order as the type does

CREATE FUNCTION kid64_text_encoder(timestamptz) RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid64_floor($1)::text;
CREATE FUNCTION kid64_text_decoder(text) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid_timestamp($1::kid64);

COMMENT ON FUNCTION kid64_text_encoder(timestamptz) IS
    'lowest kid64 of the time unit that holds an instant, as text; a time encoder for pg_partman';
COMMENT ON FUNCTION kid64_text_decoder(text) IS
    'time in a kid64 that is text; a time decoder for pg_partman';

-- sno: its time in columns of type text, which in collation "C" order as the type does

CREATE FUNCTION sno_text_encoder(timestamptz) RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN sno_floor($1)::text;
CREATE FUNCTION sno_text_decoder(text) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid_timestamp($1::sno);

COMMENT ON FUNCTION sno_text_encoder(timestamptz) IS
    'lowest sno of the time unit that holds an instant, as text; a time encoder for pg_partman';
COMMENT ON FUNCTION sno_text_decoder(text) IS
    'time in a sno that is text; a time decoder for pg_partman';

-- flax: its time in columns of type text, which in collation "C" order as the type does

CREATE FUNCTION flax_text_encoder(timestamptz) RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN flax_floor($1)::text;
CREATE FUNCTION flax_text_decoder(text) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid_timestamp($1::flax);

COMMENT ON FUNCTION flax_text_encoder(timestamptz) IS
    'lowest flax of the time unit that holds an instant, as text; a time encoder for pg_partman';
COMMENT ON FUNCTION flax_text_decoder(text) IS
    'time in a flax that is text; a time decoder for pg_partman';

-- sno: its time in columns of type uuid

CREATE FUNCTION sno_uuid_encoder(timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN sno_floor($1)::uuid;
CREATE FUNCTION sno_uuid_decoder(text) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid_timestamp($1::uuid::sno);

COMMENT ON FUNCTION sno_uuid_encoder(timestamptz) IS
    'lowest sno of the time unit that holds an instant, as a uuid; a time encoder for pg_partman';
COMMENT ON FUNCTION sno_uuid_decoder(text) IS
    'time in a sno that is the text of a uuid; a time decoder for pg_partman';

-- flax: its time in columns of type uuid

CREATE FUNCTION flax_uuid_encoder(timestamptz) RETURNS uuid
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN flax_floor($1)::uuid;
CREATE FUNCTION flax_uuid_decoder(text) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
    RETURN kid_timestamp($1::uuid::flax);

COMMENT ON FUNCTION flax_uuid_encoder(timestamptz) IS
    'lowest flax of the time unit that holds an instant, as a uuid; a time encoder for pg_partman';
COMMENT ON FUNCTION flax_uuid_decoder(text) IS
    'time in a flax that is the text of a uuid; a time decoder for pg_partman';

-- flake: what only this type has

COMMENT ON TYPE flake IS
    'k-ordered ID in 8 bytes: 42 bits of time in ms from kid.flake_epoch for 139 years, datacenter and worker of 5 bits each, 12 bits of sequence; as of the Node library flake-idgen';

-- What the milliseconds count from is up to kid.flake_epoch.
ALTER FUNCTION kid_timestamp(flake) STABLE;
ALTER FUNCTION flake_floor(timestamptz) STABLE;
ALTER FUNCTION flake_ceil(timestamptz) STABLE;
ALTER FUNCTION flake_mi(flake, flake) STABLE;
ALTER FUNCTION flake_lowest(tstzrange) STABLE;
ALTER FUNCTION flake_highest(tstzrange) STABLE;
ALTER FUNCTION flake_lowest(text, timestamptz) STABLE;
ALTER FUNCTION flake_highest(text, timestamptz) STABLE;
ALTER FUNCTION flake_within(flake, kid_span) STABLE;
ALTER FUNCTION flake_range_contains(kid_span, flake) STABLE;
ALTER FUNCTION flake_lt_time(flake, timestamptz) STABLE;
ALTER FUNCTION flake_le_time(flake, timestamptz) STABLE;
ALTER FUNCTION flake_ge_time(flake, timestamptz) STABLE;
ALTER FUNCTION flake_gt_time(flake, timestamptz) STABLE;
ALTER FUNCTION flake_time_lt(timestamptz, flake) STABLE;
ALTER FUNCTION flake_time_le(timestamptz, flake) STABLE;
ALTER FUNCTION flake_time_ge(timestamptz, flake) STABLE;
ALTER FUNCTION flake_time_gt(timestamptz, flake) STABLE;

CREATE FUNCTION flake_make(ts timestamptz, datacenter integer, worker integer, sequence integer, epoch timestamptz DEFAULT NULL) RETURNS flake
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_timestamp(flake, epoch timestamptz) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_timestamp_from';
CREATE FUNCTION kid_datacenter(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_datacenter';
CREATE FUNCTION kid_worker(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_worker';
CREATE FUNCTION kid_generator(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_generator';
CREATE FUNCTION kid_sequence(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_sequence';

COMMENT ON FUNCTION flake_next() IS
    'a new flake of the server''s generator (kid.flake_id, or kid.flake_datacenter and kid.flake_worker), greater than every one issued before in the cluster with the same generator and epoch, also after a crash or a promotion; waits, at most kid.max_wait, when the sequences of a millisecond to kid.flake_sequence_max are used up; an error when the clock is not in the 139 years from kid.flake_epoch, and during recovery';
COMMENT ON FUNCTION flake_next(bigint) IS
    'n new flake, each greater than the one before it; see kid_next(bigint)';
COMMENT ON FUNCTION flake_at(timestamptz) IS
    'flake for a row from the past: stamped with the given time, in the 139 years from kid.flake_epoch, its sequence counting round from one call to the next in all sessions; unique as those of kid64_at are, and within as many calls as there are sequences; an error during recovery';
COMMENT ON FUNCTION flake_make(timestamptz, integer, integer, integer, timestamptz) IS
    'flake of the millisecond that holds an instant, in the 139 years from the epoch, with a datacenter and a worker, each 0 to 31, and a sequence, 0 to 4095; epoch a whole millisecond from 1970 to 2109-05-15, NULL for kid.flake_epoch';
COMMENT ON FUNCTION kid_timestamp(flake, timestamptz) IS
    'when the millisecond of an ID begins that counts from the given epoch, a whole millisecond from 1970 to 2109-05-15';
COMMENT ON FUNCTION kid_datacenter(flake) IS 'datacenter, 0 to 31: the upper half of the generator';
COMMENT ON FUNCTION kid_worker(flake) IS 'worker, 0 to 31: the lower half of the generator';
COMMENT ON FUNCTION kid_generator(flake) IS 'which generator made the ID, 0 to 1023: 32 times the datacenter plus the worker';
COMMENT ON FUNCTION kid_sequence(flake) IS 'sequence within the millisecond, 0 to 4095';

CREATE FUNCTION kid_inspect(id flake, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 4
BEGIN ATOMIC
    VALUES ('timestamp', 42, kid_timestamp(id)::text),
           ('datacenter', 5, kid_datacenter(id)::text),
           ('worker', 5, kid_worker(id)::text),
           ('sequence', 12, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(flake) IS 'components of an ID, most significant first, with their widths in bits';

-- flax: what only this type has

COMMENT ON TYPE flax IS
    'k-ordered ID in 12 bytes: 40 bits of time in ms from 2015 to 2049, 56 random bits; as of the Python library Flax ID';

CREATE FUNCTION flax_make(ts timestamptz, random bytea) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_random(flax) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_random';

COMMENT ON FUNCTION flax_next() IS
    'a new flax: the time of the clock and 56 bits of PostgreSQL''s strong random generator; not ordered within a millisecond, and unique by chance; an error when the clock is not in 2015 to 2049-11-03';
COMMENT ON FUNCTION flax_next(bigint) IS
    'n new flax, each as flax_next() gives one; an error when n is negative';
COMMENT ON FUNCTION flax_at(timestamptz) IS
    'flax for a row from the past: the given time, 2015 to 2049-11-03, and 56 random bits';
COMMENT ON FUNCTION flax_make(timestamptz, bytea) IS
    'flax of the millisecond that holds an instant, 2015 to 2049-11-03, with 7 bytes as its random part';
COMMENT ON FUNCTION kid_random(flax) IS 'random part, 7 bytes';

CREATE FUNCTION kid_inspect(id flax, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    VALUES ('timestamp', 40, kid_timestamp(id)::text),
           ('random', 56, encode(kid_random(id), 'hex'));
END;
COMMENT ON FUNCTION kid_inspect(flax) IS 'components of an ID, most significant first, with their widths in bits';

-- kid64: what only this type has

COMMENT ON TYPE kid64 IS
    'k-ordered ID in 8 bytes: 50 bits of time in units of 1.024 ms from 1970 to 35198, 14 bits of sequence; the local identity of the Erlang library uid';

CREATE FUNCTION kid_next() RETURNS kid64
    LANGUAGE C VOLATILE PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'kid64_next';
CREATE FUNCTION kid_next(n bigint) RETURNS SETOF kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'kid64_next_many';
CREATE FUNCTION kid64_make(ts timestamptz, sequence integer) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_sequence(kid64) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_sequence';

COMMENT ON FUNCTION kid_next() IS
    'a new kid64, greater than every one issued before in the cluster, also after a crash or a promotion; waits, at most kid.max_wait, when all 16384 of a time unit are used up; an error during recovery';
COMMENT ON FUNCTION kid_next(bigint) IS
    'n new kid64, each greater than the one before it, as kid_next() gives one; up to 1024 at a time, a sixteenth of a time unit, so that another session''s IDs of that unit may be greater than those that are still to come; the last sixteenth of each unit is left to calls for single IDs; an error when n is negative';
COMMENT ON FUNCTION kid64_next() IS 'same as kid_next()';
COMMENT ON FUNCTION kid64_next(bigint) IS 'same as kid_next(n)';
COMMENT ON FUNCTION kid64_at(timestamptz) IS
    'kid64 for a row from the past: stamped with the given time, 1970 to 35198, its sequence counting round from one call to the next in all sessions, so that of 16384 calls in a row no two give the same; they may equal IDs that kid_next() made in that time unit; an error during recovery';
COMMENT ON FUNCTION kid64_make(timestamptz, integer) IS
    'kid64 of the time unit that holds an instant, 1970 to 35198, with a sequence, 0 to 16383';
COMMENT ON FUNCTION kid_sequence(kid64) IS
    'sequence within the time unit, 0 to 16383';

CREATE FUNCTION kid_inspect(id kid64, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    VALUES ('timestamp', 50, kid_timestamp(id)::text),
           ('sequence', 14, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(kid64) IS 'components of an ID, most significant first, with their widths in bits';

-- kid96: what only this type has

COMMENT ON TYPE kid96 IS
    'k-ordered ID in 12 bytes: a kid64 with a node of 32 bits, which sorts before the time within 2^kid.neighborhood seconds; the global identity of the Erlang library uid';

-- How many bits of the seconds are below the node is up to kid.neighborhood.
ALTER FUNCTION kid_timestamp(kid96) STABLE;
ALTER FUNCTION kid96_floor(timestamptz) STABLE;
ALTER FUNCTION kid96_ceil(timestamptz) STABLE;
ALTER FUNCTION kid96_mi(kid96, kid96) STABLE;
ALTER FUNCTION kid96_lowest(tstzrange) STABLE;
ALTER FUNCTION kid96_highest(tstzrange) STABLE;
ALTER FUNCTION kid96_lowest(text, timestamptz) STABLE;
ALTER FUNCTION kid96_highest(text, timestamptz) STABLE;
ALTER FUNCTION kid96_within(kid96, kid_span) STABLE;
ALTER FUNCTION kid96_range_contains(kid_span, kid96) STABLE;
ALTER FUNCTION kid96_lt_time(kid96, timestamptz) STABLE;
ALTER FUNCTION kid96_le_time(kid96, timestamptz) STABLE;
ALTER FUNCTION kid96_ge_time(kid96, timestamptz) STABLE;
ALTER FUNCTION kid96_gt_time(kid96, timestamptz) STABLE;
ALTER FUNCTION kid96_time_lt(timestamptz, kid96) STABLE;
ALTER FUNCTION kid96_time_le(timestamptz, kid96) STABLE;
ALTER FUNCTION kid96_time_ge(timestamptz, kid96) STABLE;
ALTER FUNCTION kid96_time_gt(timestamptz, kid96) STABLE;

COMMENT ON FUNCTION kid96_floor(timestamptz) IS
    'lowest kid96 of the 2^kid.neighborhood seconds that hold an instant; the smallest of all before the range of the type, the greatest after it';
COMMENT ON FUNCTION kid96_ceil(timestamptz) IS
    'highest kid96 of the 2^kid.neighborhood seconds that hold an instant; the smallest of all before the range of the type, the greatest after it';

-- Its order is coarser than its time, so planner support adds bounds to a comparison with time, and keeps the comparison.
CREATE FUNCTION kid96_recheck(kid96, tstzrange) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support_recheck AS 'MODULE_PATHNAME', 'kid96_within';
CREATE FUNCTION kid96_recheck(operator text, kid96, timestamptz) RETURNS boolean
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support_recheck AS 'MODULE_PATHNAME', 'kid96_recheck_time';

COMMENT ON FUNCTION kid96_recheck(kid96, tstzrange) IS 'whether an ID is in a range of time, exactly';
COMMENT ON FUNCTION kid96_recheck(text, kid96, timestamptz) IS 'whether an ID is <, <=, >= or > an instant, exactly';

CREATE FUNCTION kid96_make(ts timestamptz, node bigint, sequence integer, neighborhood integer DEFAULT NULL) RETURNS kid96
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_timestamp(kid96, neighborhood integer) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_timestamp_in';
CREATE FUNCTION kid_node(kid96) RETURNS bigint
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_node';
CREATE FUNCTION kid_node(kid96, neighborhood integer) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_node';
CREATE FUNCTION kid_sequence(kid96) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_sequence';

COMMENT ON FUNCTION kid96_next() IS
    'a new kid96: the ID that kid_next() would give, with kid.node; waits and fails as kid_next() does';
COMMENT ON FUNCTION kid96_next(bigint) IS
    'n new kid96, each greater than the one before it; see kid_next(bigint)';
COMMENT ON FUNCTION kid96_at(timestamptz) IS
    'kid96 for a row from the past, as kid64_at, with kid.node';
COMMENT ON FUNCTION kid96_make(timestamptz, bigint, integer, integer) IS
    'kid96 of the time unit that holds an instant, 1970 to 35198, with a node, 0 to 4294967295, and a sequence, 0 to 16383; neighborhood, 0 to 10, NULL for kid.neighborhood';
COMMENT ON FUNCTION kid_timestamp(kid96, integer) IS
    'when the time unit of an ID begins that was made with the given neighborhood, 0 to 10';
COMMENT ON FUNCTION kid_node(kid96) IS 'node that made an ID, 0 to 4294967295';
COMMENT ON FUNCTION kid_node(kid96, integer) IS 'node that made an ID with the given neighborhood, 0 to 10';
COMMENT ON FUNCTION kid_sequence(kid96) IS 'sequence within the time unit, 0 to 16383';

CREATE FUNCTION kid_inspect(id kid96, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 3
BEGIN ATOMIC
    VALUES ('timestamp', 50, kid_timestamp(id)::text),
           ('node', 32, kid_node(id)::text),
           ('sequence', 14, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(kid96) IS
    'components of an ID with their widths in bits; the last kid.neighborhood bits of the seconds stand between node and sequence';

CREATE FUNCTION kid_global(kid64) RETURNS kid96
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_global';
CREATE FUNCTION kid_local(kid96, force boolean DEFAULT false) RETURNS kid64
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_local';
CREATE FUNCTION kid96_to_kid64(kid96) RETURNS kid64
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_local';

COMMENT ON FUNCTION kid_global(kid64) IS 'the ID with kid.node';
COMMENT ON FUNCTION kid_local(kid96, boolean) IS 'the ID without its node; an error where that is not kid.node, unless forced';
COMMENT ON FUNCTION kid96_to_kid64(kid96) IS 'the ID without its node; an error where that is not kid.node';

CREATE CAST (kid64 AS kid96) WITH FUNCTION kid_global(kid64) AS ASSIGNMENT;
CREATE CAST (kid96 AS kid64) WITH FUNCTION kid96_to_kid64(kid96);

COMMENT ON CAST (kid64 AS kid96) IS 'same as kid_global';
COMMENT ON CAST (kid96 AS kid64) IS 'same as kid_local';

COMMENT ON FUNCTION kid96_lowest(tstzrange) IS
    'lowest kid96 of the 2^kid.neighborhood seconds in which a range of time begins; the greatest of all where there is none';
COMMENT ON FUNCTION kid96_highest(tstzrange) IS
    'highest kid96 of the 2^kid.neighborhood seconds in which a range of time ends; the smallest of all where there is none';
COMMENT ON FUNCTION kid96_lowest(text, timestamptz) IS
    'lowest kid96 of the 2^kid.neighborhood seconds that hold one that is <, <=, >= or > an instant; the greatest of all where there is none';
COMMENT ON FUNCTION kid96_highest(text, timestamptz) IS
    'highest kid96 of the 2^kid.neighborhood seconds that hold one that is <, <=, >= or > an instant; the smallest of all where there is none';

-- sno: what only this type has

COMMENT ON TYPE sno IS
    'k-ordered ID in 10 bytes: 39 bits of time in units of 4 ms from 2010 to 2079, tick bit, metabyte, 16 bits of partition, 16 bits of sequence; as of the Go library sno';

CREATE FUNCTION sno_next(meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_next_call(meta integer, call integer) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sno_next';
CREATE FUNCTION sno_next(meta integer, n bigint) RETURNS SETOF sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'sno_next_many';
CREATE FUNCTION sno_next_many_call(meta integer, n bigint, call integer) RETURNS SETOF sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME', 'sno_next_many';
CREATE FUNCTION sno_at(ts timestamptz, meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support_next AS 'MODULE_PATHNAME';
CREATE FUNCTION sno_at_call(ts timestamptz, meta integer, call integer) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'sno_at';
CREATE FUNCTION sno_make(ts timestamptz, meta integer, partition integer, sequence integer, tick boolean DEFAULT false) RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_tick(sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_tick';
CREATE FUNCTION kid_meta(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_meta';
CREATE FUNCTION kid_partition(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_partition';
CREATE FUNCTION kid_sequence(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_sequence';

COMMENT ON FUNCTION sno_next(integer) IS
    'a new sno with a metabyte, 0 to 255, kid.sno_partition and a sequence from kid.sno_sequence_min to kid.sno_sequence_max; when the clock goes back the tick is toggled; waits, at most kid.max_wait, when all sequences of a time unit are used up, and when the clock goes back again into time that was used with the other tick; an error when the clock is not in 2010 to 2079-09-07, and during recovery';
COMMENT ON FUNCTION sno_next(integer, bigint) IS
    'n new sno with a metabyte, 0 to 255, each of the same tick greater than the one before it; see kid_next(bigint)';
COMMENT ON FUNCTION sno_at(timestamptz, integer) IS
    'sno for a row from the past: stamped with the given time, 2010 to 2079-09-07, a metabyte, 0 to 255, and kid.sno_partition, its tick false, its sequence counting round from one call to the next in all sessions; unique as those of kid64_at are, and within as many calls as there are sequences; an error during recovery';
COMMENT ON FUNCTION sno_next_call(integer, integer) IS 'sno_next() as a plan has it: with the number of the call';
COMMENT ON FUNCTION sno_next_many_call(integer, bigint, integer) IS 'sno_next(meta, n) as a plan has it: with the number of the call';
COMMENT ON FUNCTION sno_at_call(timestamptz, integer, integer) IS 'sno_at() as a plan has it: with the number of the call';
COMMENT ON FUNCTION sno_make(timestamptz, integer, integer, integer, boolean) IS
    'sno of the time unit that holds an instant, 2010 to 2079-09-07, with a metabyte, 0 to 255, a partition and a sequence, each 0 to 65535, and a tick';
COMMENT ON FUNCTION kid_tick(sno) IS 'tick-tock bit, toggled whenever the clock of the generator went back';
COMMENT ON FUNCTION kid_meta(sno) IS 'metabyte, 0 to 255: what whoever made the ID put into it';
COMMENT ON FUNCTION kid_partition(sno) IS 'partition, 0 to 65535: which generator made the ID';
COMMENT ON FUNCTION kid_sequence(sno) IS 'sequence within the time unit, 0 to 65535';

CREATE FUNCTION kid_inspect(id sno, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 39, kid_timestamp(id)::text),
           ('tick', 1, kid_tick(id)::text),
           ('meta', 8, kid_meta(id)::text),
           ('partition', 16, kid_partition(id)::text),
           ('sequence', 16, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(sno) IS 'components of an ID, most significant first, with their widths in bits';

-- The timelines: what has become of them, and moving them

CREATE FUNCTION kid_clocks(
    OUT clock text, OUT last_issued timestamptz, OUT lease_until timestamptz, OUT renewals bigint,
    OUT waits bigint, OUT backward_steps bigint, OUT ticks bigint)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 3 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_clocks() IS 'what kid_stats shows';

CREATE VIEW kid_stats AS
    SELECT clock, last_issued,
           CASE WHEN last_issued IS NOT NULL THEN greatest(last_issued - clock_timestamp(), interval '0') END AS ahead,
           waits, backward_steps, ticks, lease_until, renewals
      FROM kid_clocks();

COMMENT ON VIEW kid_stats IS
    'one row for each clock of IDs in this cluster, counted since the server started';
COMMENT ON COLUMN kid_stats.clock IS 'kid (of kid64 and kid96), flake or sno';
COMMENT ON COLUMN kid_stats.last_issued IS
    'time in the last ID issued, or where IDs go on after a start; null before the first call of a generator';
COMMENT ON COLUMN kid_stats.ahead IS 'how far that is ahead of the clock';
COMMENT ON COLUMN kid_stats.waits IS 'calls that had to wait for the clock, or failed because they may not';
COMMENT ON COLUMN kid_stats.backward_steps IS 'how often the clock was found to have gone back';
COMMENT ON COLUMN kid_stats.ticks IS 'how often sno changed its tick; null for the others';
COMMENT ON COLUMN kid_stats.lease_until IS
    'time that no ID reaches before the lease file is written again; null when there is no lease';
COMMENT ON COLUMN kid_stats.renewals IS 'how often the lease file was written for this clock';

REVOKE ALL ON FUNCTION kid_clocks() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid_clocks() TO pg_read_all_stats;
GRANT SELECT ON kid_stats TO pg_read_all_stats;

CREATE FUNCTION kid_observe(kid64) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_observe';
CREATE FUNCTION kid_observe(kid96) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_observe';
CREATE FUNCTION kid_observe(sno) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_observe';
CREATE FUNCTION kid_observe(flake) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_observe';

COMMENT ON FUNCTION kid_observe(kid64) IS
    'moves the clock of kid64 and kid96 past an ID from elsewhere, so that new ones are greater; an error when it is further ahead of the clock than kid.max_observe, except for superusers';
COMMENT ON FUNCTION kid_observe(kid96) IS
    'moves the clock of kid64 and kid96 past an ID from elsewhere, whatever its node, so that new ones are later; an error when it is further ahead of the clock than kid.max_observe, except for superusers';
COMMENT ON FUNCTION kid_observe(sno) IS
    'moves the clock of sno past an ID from elsewhere, on the side of its tick, so that it is not made again; an error when it is further ahead of the clock than kid.max_observe, except for superusers';
COMMENT ON FUNCTION kid_observe(flake) IS
    'moves the clock of flake past an ID from elsewhere, so that new ones are later; an error when it is further ahead of the clock than kid.max_observe, except for superusers';

REVOKE ALL ON FUNCTION kid_observe(kid64) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_observe(kid96) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_observe(sno) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_observe(flake) FROM PUBLIC;

CREATE FUNCTION kid_reset_clock(above timestamptz) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_reset_clock_to_time';
CREATE FUNCTION kid_reset_clock(above kid64) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_reset_clock';
CREATE FUNCTION kid_reset_clock(above sno) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_reset_clock';
CREATE FUNCTION kid_reset_clock(above flake) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_reset_clock';

COMMENT ON FUNCTION kid_reset_clock(timestamptz) IS
    'lowers all timelines that are ahead of a time, above which no ID is in use: IDs above it may be issued again; superuser only';
COMMENT ON FUNCTION kid_reset_clock(kid64) IS
    'lowers the clock of kid64 and kid96 to an ID, above which none is in use: those above it may be issued again; superuser only';
COMMENT ON FUNCTION kid_reset_clock(sno) IS
    'lowers the clock of sno to an ID, above which none is in use: those above it may be issued again; superuser only';
COMMENT ON FUNCTION kid_reset_clock(flake) IS
    'lowers the clock of flake to an ID, above which none is in use: those above it may be issued again; superuser only';

REVOKE ALL ON FUNCTION kid_reset_clock(timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_reset_clock(kid64) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_reset_clock(sno) FROM PUBLIC;
REVOKE ALL ON FUNCTION kid_reset_clock(flake) FROM PUBLIC;

-- Partitions by time
--
-- An ID orders as its binary form does, so bounds are compared as bytea: one query serves all types. An extension that can be
-- moved to another schema finds its own by the catalog, and nothing else by a search_path that somebody chose.

CREATE FUNCTION kid_partition_key(parent regclass) RETURNS regtype
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    key record;
BEGIN
    SELECT p.partstrat = 'r' AND p.partnatts = 1 AND a.attnum IS NOT NULL AS is_range_of_column, a.attname AS name, a.atttypid AS type
      INTO key
      FROM pg_partitioned_table p LEFT JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
     WHERE p.partrelid = parent;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% is not a partitioned table', parent USING ERRCODE = 'wrong_object_type';
    ELSIF NOT key.is_range_of_column THEN
        RAISE EXCEPTION '% is not partitioned by range of one column', parent USING ERRCODE = 'wrong_object_type';
    ELSIF NOT EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
                       WHERE d.classid = 'pg_type'::regclass AND d.objid = key.type AND d.deptype = 'e' AND e.extname = 'kid') THEN
        RAISE EXCEPTION '% is partitioned by column "%" of type %', parent, key.name, key.type::regtype
            USING ERRCODE = 'wrong_object_type', DETAIL = 'The column must be of a type of the extension kid.';
    END IF;
    RETURN key.type;
END $$;

-- Lower is the empty string, below all IDs, for MINVALUE; upper is null for MAXVALUE. The default partition is left out.
-- One that DETACH ... CONCURRENTLY is at, or was broken off at, is detaching: no row goes to it, but its bounds are taken.
CREATE FUNCTION kid_partitions(parent regclass, OUT partition regclass, OUT lower bytea, OUT upper bytea, OUT detaching boolean)
    RETURNS SETOF record
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    kid text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'kid');
    id_type regtype;
BEGIN
    EXECUTE format('SELECT %s.kid_partition_key($1)', kid) INTO id_type USING parent;
    RETURN QUERY EXECUTE format(
        $query$
        SELECT c.oid::regclass,
               CASE WHEN b.bounds[1] = 'MINVALUE' THEN '' ELSE b.bounds[1]::%1$s::bytea END,
               CASE WHEN b.bounds[2] <> 'MAXVALUE' THEN b.bounds[2]::%1$s::bytea END,
               i.inhdetachpending
          FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
               regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM [(]''?([^'')]+)''?[)] TO [(]''?([^'')]+)''?[)]') AS b (bounds)
         WHERE i.inhparent = $1 AND b.bounds IS NOT NULL
        $query$, id_type) USING parent;
END $$;

-- PostgreSQL cannot tell a detach that was broken off from one that goes on, so it is not for us to complete it, and less to
-- drop what somebody detaches to keep.
CREATE FUNCTION kid_report_detaching(parent regclass, partition regclass, fails boolean) RETURNS void
    LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    message text := format('detaching partition %s from %s is not complete', partition, parent);
    detail text := 'It takes no more rows, but until then no other partition can take its place.';
    hint text := format('Unless that is still going on, complete it with ALTER TABLE %s DETACH PARTITION %s FINALIZE.', parent, partition);
BEGIN
    IF fails THEN
        RAISE EXCEPTION '%', message USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
    END IF;
    RAISE WARNING '%', message USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
END $$;

-- DDL works on the newest state of the catalog, and SQL sees that of the snapshot. Under a lock on the parent they differ where a
-- transaction at REPEATABLE READ or above began before others changed its partitions, or itself: error 40001.
CREATE FUNCTION kid_check_snapshot(parent regclass) RETURNS void
    LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME';

CREATE FUNCTION kid_create_partitions(parent regclass, width interval, until timestamptz) RETURNS SETOF text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' AS $$
DECLARE
    kid text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'kid');
    months int := extract(year FROM width) * 12 + extract(month FROM width);
    rest interval := width - make_interval(months => months);
    id_type regtype;
    present bytea;
    reach bytea;
    first bytea;    -- where the first hole may be
    reported regclass;
    start timestamptz;
    piece record;
    base text;
    schema name;
    owner regrole;
    suffix text;
    again int;
    name text;
    partition text;
BEGIN
    IF num_nulls(parent, width, until) > 0 THEN
        RAISE EXCEPTION 'arguments of kid_create_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF NOT coalesce(CASE WHEN months = 0 THEN extract(epoch FROM rest) >= 1 AND mod(extract(epoch FROM rest), 1) = 0
                            ELSE months > 0 AND extract(day FROM rest) = 0 AND extract(epoch FROM rest) = 0 END, false) THEN
        RAISE EXCEPTION 'width of a partition cannot be "%"', width
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = 'A width is a number of months or years, or of seconds to weeks; at least 1 second, and whole seconds.';
    ELSIF NOT isfinite(until) THEN
        RAISE EXCEPTION 'partitions cannot be created until %', until USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- That never changes. All else is read under a lock: who else adds partitions waits; readers and writers do not.
    EXECUTE format('SELECT %s.kid_partition_key($1)', kid) INTO id_type USING parent;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    EXECUTE format('SELECT %s.kid_check_snapshot($1)', kid) USING parent;

    -- From the first partition on, where that has begun, all holes are filled; otherwise from the period that is now.
    EXECUTE format('SELECT %s_floor(now())::bytea', id_type) INTO present;
    reach := present;
    FOR piece IN EXECUTE format('SELECT lower, upper FROM %s.kid_partitions($1) WHERE NOT detaching ORDER BY lower', kid) USING parent LOOP
        EXIT WHEN piece.lower > reach;
        IF piece.upper IS NULL THEN
            RETURN;
        END IF;
        first := piece.upper;
        reach := piece.upper;
    END LOOP;
    EXECUTE format('SELECT coalesce(%s.kid_timestamp($1::%s), now())', kid, id_type) INTO start USING first;

    -- Periods are counted from a month of January, or from the Monday that began the millennium.
    IF months > 0 THEN
        start := date_trunc('month', start);
        start := start - make_interval(months => mod((extract(year FROM start) * 12 + extract(month FROM start) - 1)::int, months));
    ELSE
        start := date_bin(width, start, '2001-01-01');
    END IF;
    IF first IS NULL THEN
        EXECUTE format('SELECT %s_floor($1)::bytea', id_type) INTO first USING start;
    END IF;
    IF extract(epoch FROM until - start) / extract(epoch FROM width) > 10000 THEN
        RAISE EXCEPTION 'more than 10000 partitions of % would be created', parent
            USING ERRCODE = 'program_limit_exceeded',
                  DETAIL = format('That is from %s until %s, each of "%s".', start, until, width);
    END IF;

    -- Where a period begins and where a partition begins or ends: between two such points either a partition is, or it is missing,
    -- or its place is taken by one that is detaching.
    -- Bounds of a kid96 are no closer than its neighborhood, at most 1024 s.
    FOR piece IN EXECUTE format(
        $query$
        WITH partitions AS (SELECT * FROM %1$s.kid_partitions($1)),
             points AS (SELECT %2$s_floor(begins)::bytea AS id, begins
                          FROM generate_series($2, $3 + $4 + interval '1024 seconds', $4) AS begins
                        UNION ALL SELECT lower, NULL FROM partitions
                        UNION ALL SELECT upper, NULL FROM partitions WHERE upper IS NOT NULL),
             pieces AS (SELECT id AS lower, lead(id) OVER (ORDER BY id) AS upper, min(begins) AS begins FROM points GROUP BY id)
        SELECT coalesce(begins, %1$s.kid_timestamp(pieces.lower::%2$s)) AS begins, pieces.lower::%2$s::text, pieces.upper::%2$s::text,
               pieces.upper IS NULL OR pieces.upper = %2$s_floor('infinity')::bytea AS is_beyond_range,
               p.partition AS detaching, bool_or(coalesce(pieces.upper > $6, true)) OVER (PARTITION BY p.partition) AS is_for_new_rows
          FROM pieces LEFT JOIN partitions p ON p.lower <= pieces.lower AND (p.upper > pieces.lower OR p.upper IS NULL)
         WHERE pieces.lower >= $5 AND pieces.lower <= %2$s_ceil($3 - interval '1 microsecond')::bytea
           AND (p.partition IS NULL OR p.detaching)
         ORDER BY pieces.lower
        $query$, kid, id_type) USING parent, start, until, width, first, present
    LOOP
        IF piece.detaching IS NOT NULL THEN
            -- An error where new rows would find no partition. Where only old ones would, the new ones shall have theirs.
            IF piece.detaching IS DISTINCT FROM reported THEN
                EXECUTE format('SELECT %s.kid_report_detaching($1, $2, $3)', kid) USING parent, piece.detaching, piece.is_for_new_rows;
                reported := piece.detaching;
            END IF;
            CONTINUE;
        ELSIF piece.is_beyond_range THEN
            RAISE EXCEPTION 'timestamp out of range for type %', id_type
                USING ERRCODE = 'datetime_field_overflow',
                      DETAIL = format('A partition from %s on cannot be as wide as "%s".', piece.begins, width);
        END IF;
        SELECT c.relname, n.nspname, c.relowner::regrole INTO base, schema, owner
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent;
        suffix := to_char(piece.begins, CASE piece.begins
                                        WHEN date_trunc('day', piece.begins) THEN '"_p"YYYYMMDD'
                                        WHEN date_trunc('minute', piece.begins) THEN '"_p"YYYYMMDD_HH24MI'
                                        WHEN date_trunc('second', piece.begins) THEN '"_p"YYYYMMDD_HH24MISS'
                                        ELSE '"_p"YYYYMMDD_HH24MISSUS' END);
        -- A partition that was detached keeps its name.
        again := 0;
        LOOP
            name := base || suffix || CASE WHEN again > 0 THEN '_' || again ELSE '' END;
            EXIT WHEN octet_length(name) <= current_setting('max_identifier_length')::int
                  AND to_regclass(format('%I.%I', schema, name)) IS NULL;
            IF octet_length(name) > current_setting('max_identifier_length')::int THEN
                base := left(base, -1);
            ELSE
                again := again + 1;
            END IF;
        END LOOP;
        partition := format('%I.%I', schema, name);
        -- CREATE TABLE ... PARTITION OF would lock out readers and writers of the parent, ATTACH does not.
        EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING STORAGE INCLUDING COMPRESSION)',
                       partition, parent);
        IF owner <> quote_ident(current_user)::regrole THEN
            EXECUTE format('ALTER TABLE %s OWNER TO %s', partition, owner);
        END IF;
        EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, partition, piece.lower, piece.upper);
        RETURN NEXT partition;
    END LOOP;
END $$;

CREATE FUNCTION kid_drop_partitions(parent regclass, older_than timestamptz, dry_run boolean DEFAULT true) RETURNS SETOF text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' AS $$
DECLARE
    kid text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'kid');
    id_type regtype;
    dropped record;
BEGIN
    IF num_nulls(parent, older_than, dry_run) > 0 THEN
        RAISE EXCEPTION 'arguments of kid_drop_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF NOT isfinite(older_than) THEN
        RAISE EXCEPTION 'partitions older than % cannot be dropped', older_than USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('SELECT %s.kid_partition_key($1)', kid) INTO id_type USING parent;
    IF NOT dry_run THEN
        EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
        EXECUTE format('SELECT %s.kid_check_snapshot($1)', kid) USING parent;
    END IF;
    FOR dropped IN EXECUTE format(
        $query$
        SELECT p.partition, p.partition::text AS name, p.detaching, CASE c.relkind WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END AS kind
          FROM %s.kid_partitions($1) AS p JOIN pg_class c ON c.oid = p.partition
         WHERE p.upper <= %s_floor($2)::bytea
         ORDER BY p.lower
        $query$, kid, id_type) USING parent, older_than
    LOOP
        IF dropped.detaching THEN
            EXECUTE format('SELECT %s.kid_report_detaching($1, $2, false)', kid) USING parent, dropped.partition;
            CONTINUE;
        ELSIF NOT dry_run THEN
            -- Foreign keys that refer to the parent let no partition be dropped. Detaching it checks that no row is referred to.
            EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', parent, dropped.name);
            EXECUTE format('DROP %s %s', dropped.kind, dropped.name);
        END IF;
        RETURN NEXT dropped.name;
    END LOOP;
END $$;

COMMENT ON FUNCTION kid_partition_key(regclass) IS
    'type of the ID that a table is partitioned by; an error where it is not by range of one';
COMMENT ON FUNCTION kid_partitions(regclass) IS
    'partitions with their bounds, as binary forms of IDs, and whether they take no more rows as they are being detached; lower is empty for MINVALUE, upper null for MAXVALUE; without the default partition';
COMMENT ON FUNCTION kid_report_detaching(regclass, regclass, boolean) IS
    'warns, or fails, because a partition is neither attached nor detached';
COMMENT ON FUNCTION kid_check_snapshot(regclass) IS
    'an error where the transaction sees an older state of a table or its partitions than DDL works on';
COMMENT ON FUNCTION kid_create_partitions(regclass, interval, timestamptz) IS
    'creates the partitions, named for the UTC time they begin, that are missing until a time, from the first existing one or from now; returns their names; width: months or years, or seconds to weeks';
COMMENT ON FUNCTION kid_drop_partitions(regclass, timestamptz, boolean) IS
    'drops the partitions all of whose IDs are older than a time, unless dry_run; returns their names';
