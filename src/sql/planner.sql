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
CREATE FUNCTION kid_support_rows(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_support_within(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_lt(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_le(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_ge(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_gt(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_recheck(internal) IS 'planner support';
COMMENT ON FUNCTION kid_support_setting(internal) IS
    'planner support for functions that depend on a setting: replaces a call in a query by one with the setting as '
    'its last argument';
COMMENT ON FUNCTION kid_support_rows(internal) IS 'planner support for generators of sets of IDs';

CREATE FUNCTION kid_typanalyze(internal) RETURNS boolean
    LANGUAGE C STABLE STRICT AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_typanalyze(internal) IS
    'collects statistics on a column of IDs, with ten times as many bins as default_statistics_target if the IDs are '
    'unique';
