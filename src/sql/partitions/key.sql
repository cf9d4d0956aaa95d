-- Partitions by time
--
-- IDs order as their binary forms do, so bounds are compared as bytea: one query serves all types. What depends on the type is
-- in C, so that no function runs that somebody else put into the extension or its schema. An extension that can be moved to
-- another schema finds itself by the catalog. Nothing depends on a search_path that somebody chose.

CREATE FUNCTION kid_partition_key(parent regclass) RETURNS regtype
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_bound(type regtype, ts timestamptz) RETURNS bytea
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_bound_text(type regtype, bound bytea) RETURNS text
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_bound_time(type regtype, bound bytea) RETURNS timestamptz
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_bound_setting(type regtype) RETURNS text
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_partition_key(regclass) IS
    'type of the IDs that a table is partitioned by; error 42809 if it is not partitioned by range of one column of IDs';
COMMENT ON FUNCTION kid_bound(regtype, timestamptz) IS
    'binary form of the lowest ID of the time unit that holds an instant, saturated like T_floor()';
COMMENT ON FUNCTION kid_bound_text(regtype, bytea) IS 'text form of an ID, from its type and its binary form';
COMMENT ON FUNCTION kid_bound_time(regtype, bytea) IS
    'when the time unit of an ID begins, from its type and its binary form; also of a uuid that is not of version 7';
COMMENT ON FUNCTION kid_bound_setting(regtype) IS
    'the setting that the time of a type of IDs depends on, or NULL; error 55000 if roles of the database have different values of it';
