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
