-- Planner support and statistics

--- planner support for comparisons with time, functions that depend on a setting, and generators of sets
CREATE FUNCTION kid_support(internal) RETURNS internal;
--- planner support for comparisons beside bounds
CREATE FUNCTION kid_support_recheck(internal) RETURNS internal;

--- collects statistics on a column of IDs, with ten times as many bins as default_statistics_target if the IDs are
--- unique
CREATE FUNCTION kid_typanalyze(internal) RETURNS boolean
    LANGUAGE C STABLE STRICT AS 'MODULE_PATHNAME';
