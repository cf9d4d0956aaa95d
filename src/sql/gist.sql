-- GiST support that does not depend on the type of the IDs

CREATE FUNCTION kid_gist_consistent(internal, "any", smallint, oid, internal) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_gist_union(internal, internal) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_gist_penalty(internal, internal, internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_gist_picksplit(internal, internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_gist_same(bytea, bytea, internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_gist_fetch(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_gist_sortsupport(internal) RETURNS void
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_gist_consistent(internal, "any", smallint, oid, internal) IS 'GiST support';
COMMENT ON FUNCTION kid_gist_union(internal, internal) IS 'GiST support';
COMMENT ON FUNCTION kid_gist_penalty(internal, internal, internal) IS 'GiST support';
COMMENT ON FUNCTION kid_gist_picksplit(internal, internal) IS 'GiST support';
COMMENT ON FUNCTION kid_gist_same(bytea, bytea, internal) IS 'GiST support';
COMMENT ON FUNCTION kid_gist_fetch(internal) IS 'GiST support';
COMMENT ON FUNCTION kid_gist_sortsupport(internal) IS 'GiST support';
