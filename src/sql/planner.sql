-- Planner support and statistics

CREATE FUNCTION kid_support_time(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_support_recheck(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_support_setting(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_support_rows(internal) RETURNS internal
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_support_time(internal) IS 'planner support for comparisons of an ID with time';
COMMENT ON FUNCTION kid_support_recheck(internal) IS 'planner support for comparisons beside bounds';
COMMENT ON FUNCTION kid_support_setting(internal) IS
    'planner support for functions that depend on a setting: replaces a call in a query by one with the setting as '
    'its last argument';
COMMENT ON FUNCTION kid_support_rows(internal) IS 'planner support for generators of sets of IDs';

CREATE FUNCTION kid_typanalyze(internal) RETURNS boolean
    LANGUAGE C STABLE STRICT AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_typanalyze(internal) IS
    'collects statistics on a column of IDs, with ten times as many bins as default_statistics_target if the IDs are '
    'unique';
