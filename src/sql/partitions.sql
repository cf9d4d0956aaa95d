-- Partitions by time
--
-- These functions look up no name when they run, since the owner of a table or of the schema could put another function
-- there.

CREATE FUNCTION kid_create_partitions(
    parent regclass, width interval, until timestamptz, since timestamptz DEFAULT NULL, at_most integer DEFAULT 100)
    RETURNS SETOF text
    LANGUAGE C VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC'
    AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_drop_partitions(
    parent regclass, older_than timestamptz, dry_run boolean DEFAULT true, at_most integer DEFAULT 100)
    RETURNS SETOF text
    LANGUAGE C VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC'
    AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_partition_times(
    parent regclass, OUT partition regclass, OUT begins timestamptz, OUT ends timestamptz, OUT detaching boolean,
    OUT time_check text)
    RETURNS SETOF record
    LANGUAGE C STABLE STRICT AS 'MODULE_PATHNAME';
