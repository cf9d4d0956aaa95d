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

\set size 8
\i extension/index_support_of_size.sql.in
\set size 10
\i extension/index_support_of_size.sql.in
\set size 12
\i extension/index_support_of_size.sql.in

CREATE FUNCTION kid_smaller(anyelement, anyelement) RETURNS anyelement
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_smaller(anyelement, anyelement) IS 'smaller of two IDs';
CREATE FUNCTION kid_larger(anyelement, anyelement) RETURNS anyelement
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_larger(anyelement, anyelement) IS 'larger of two IDs';
