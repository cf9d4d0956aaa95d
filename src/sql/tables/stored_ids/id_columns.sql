-- The columns that contain IDs which move a logical clock

-- Returns those of `parent` and of its partitions, or of the whole database if `parent` is null; with `only_clock`,
-- those of that clock alone. A column is in several rows if it can contain IDs of several types. The first five columns
-- of the result are those of kid_stored_forms(); `problem` says why the IDs cannot be read, or is null.
--
-- In the whole database every column counts that may contain IDs, so that the clocks move past them. In one table a
-- column of a core type counts only if the default that is in force for it makes IDs and nothing else. Otherwise
-- kid_check() could report other numbers as wrong IDs. The default of a domain is in force only for columns of exactly
-- this domain that have no default of their own. PostgreSQL copies it to a domain that is created over this one.
CREATE FUNCTION @extschema@.kid_id_columns(only_clock text, parent regclass)
    RETURNS TABLE (clock text, type regtype, prefix text, past text, stored_as regtype, relation regclass,
                   attname name, attnum smallint, atttypid oid, problem text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    forms AS MATERIALIZED (SELECT * FROM @extschema@.kid_stored_forms() WHERE clock IS NOT NULL),
    -- Each type that a column can have, with those that it is a domain over, and itself
    layers (type, below) AS (
        SELECT f.type::oid, f.type::oid FROM forms AS f
        UNION SELECT f.stored_as::oid, f.stored_as::oid FROM forms AS f
        UNION
        SELECT t.oid, b.below
          FROM layers AS l JOIN pg_type AS t ON t.typbasetype = l.type AND t.typtype = 'd',
               LATERAL (VALUES (t.oid), (l.below)) AS b (below)
    ),
    -- `parent`, its partitions, and theirs
    family (oid) AS (
        SELECT parent::oid UNION SELECT i.inhrelid FROM family AS f JOIN pg_inherits AS i ON i.inhparent = f.oid
    ),
    defaults AS MATERIALIZED (SELECT * FROM @extschema@.kid_default_ids())
    SELECT DISTINCT f.clock, f.type, f.prefix, f.past, f.stored_as, c.oid::regclass, a.attname, a.attnum, a.atttypid,
           CASE WHEN c.relkind = 'f' THEN 'its rows are on another server'
                WHEN c.relkind = 'm' THEN 'it is in a materialized view'
                WHEN pg_is_other_temp_schema(c.relnamespace) THEN 'it is in a temporary table of another session'
                WHEN NOT pg_has_role(c.relowner, 'USAGE') THEN 'its table belongs to another role'
           END
      FROM forms AS f
           JOIN layers AS s ON s.below = f.stored_as
           JOIN pg_attribute AS a ON a.atttypid = s.type AND a.attnum > 0 AND NOT a.attisdropped
           JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'm', 'f')
     WHERE (f.clock = only_clock) IS NOT FALSE AND (parent IS NULL OR c.oid IN (SELECT oid FROM family))
       AND (NOT f.is_core AND (a.atttypid, f.type::oid) IN (SELECT l.type, l.below FROM layers AS l)
            OR (c.oid, a.attname, f.type) IN (SELECT d.relid, d.attname, d.type FROM defaults AS d
                                                    WHERE d.relid IS NOT NULL AND (d.is_whole OR parent IS NULL))
            OR (a.atttypid, f.type) IN (
                SELECT l.type, d.type FROM defaults AS d JOIN layers AS l ON l.below = d.domain
                 WHERE parent IS NULL OR d.is_whole AND d.domain = a.atttypid AND NOT a.atthasdef));
END;
COMMENT ON FUNCTION @extschema@.kid_id_columns(text, regclass) IS
    'returns the columns that contain IDs, and why one cannot be read';
