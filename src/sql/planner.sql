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
CREATE FUNCTION kid_support_setting(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_support_next(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_support_within(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_lt(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_le(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_ge(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_gt(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_recheck(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_setting(internal) IS
    'planner support of what depends on a setting: in a query it becomes the function with the setting as its last argument, which is immutable';
COMMENT ON FUNCTION kid_support_next(internal) IS
    'planner support of generators: each call in a query becomes one with a number of its own, so that PostgreSQL does not take two for one';

CREATE FUNCTION kid_typanalyze(internal) RETURNS boolean
    LANGUAGE C STABLE STRICT AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_typanalyze(internal) IS
    'statistics of a column of IDs; when they are unique, of ten times as many bins as default_statistics_target';
