-- What is wrong with a table, for people: from the catalog, and of the IDs what an index tells. Nothing runs that an owner of a table
-- has written.

CREATE FUNCTION kid_odd_ids(relation regclass, OUT leaf regclass, OUT column_name text, OUT prefix text, OUT which text,
                            OUT id text, OUT issued timestamptz, OUT problem text) RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000 ROWS 1 AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_odd_ids(regclass) IS
    'the latest ID of the first year of a type, early, and the latest one that is further ahead of the system clock than kid.max_observe, late, in the columns of IDs of a table and its partitions; or why a column was not looked at, unknown';

CREATE FUNCTION kid_text_length(type regtype) RETURNS integer
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_text_length(regtype) IS 'how long the texts of a type of IDs are at most; NULL of any other type';

-- All names in here are PostgreSQL's. What kid's functions know comes as arguments: the lengths of texts by the OID of their type, and
-- the rows of kid_odd_ids().
CREATE FUNCTION kid_findings(relation regclass, lengths jsonb, odd jsonb, OUT relation_name regclass, OUT column_name text, OUT problem text, OUT remedy text)
    RETURNS SETOF record
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH RECURSIVE
             members AS (SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid
                          WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'kid'),
             ids AS (SELECT key::oid AS type FROM jsonb_object_keys($2) AS key WHERE key::oid <> 'uuid'::regtype),
             -- A function of a user's own that returns an ID is taken for one, too, but none of those that an owner of the extension has added is proposed:
             -- in C are functions of superusers only.
             generators AS (SELECT p.oid, p.prorettype AS type, m.objid IS NOT NULL AND l.lanname = 'c' AND p.pronargs = p.pronargdefaults AND NOT p.proretset AS needs_nothing
                              FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang LEFT JOIN members m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
                             WHERE p.provolatile = 'v' AND $2 ? p.prorettype::text AND (m.objid IS NOT NULL OR p.prorettype <> 'uuid'::regtype)),
             -- The columns of the table, and those that foreign keys lead to, each with the type that a domain is of.
             domains AS (SELECT a.attrelid, a.attnum, a.atttypid AS type, a.atttypmod AS modifier
                           FROM pg_attribute a
                          WHERE a.attnum > 0 AND NOT a.attisdropped
                            AND (a.attrelid = $1 OR a.attrelid IN (SELECT conrelid FROM pg_constraint WHERE contype = 'f' AND confrelid = $1
                                                                    UNION ALL SELECT confrelid FROM pg_constraint WHERE contype = 'f' AND conrelid = $1))
                         UNION ALL
                         SELECT d.attrelid, d.attnum, t.typbasetype, t.typtypmod FROM domains d JOIN pg_type t ON t.oid = d.type WHERE t.typtype = 'd'),
             columns AS (SELECT a.attrelid::regclass AS relation, a.attnum, a.attname AS name, d.type::regtype AS type, d.modifier, a.attgenerated,
                                ad.oid AS default_oid, pg_get_expr(ad.adbin, ad.adrelid) AS default_text, g.type::regtype AS made
                           FROM domains d JOIN pg_attribute a ON a.attrelid = d.attrelid AND a.attnum = d.attnum
                                JOIN pg_type t ON t.oid = d.type AND t.typtype <> 'd'
                                LEFT JOIN pg_attrdef ad ON ad.adrelid = a.attrelid AND ad.adnum = a.attnum AND a.attgenerated = ''
                                LEFT JOIN LATERAL (SELECT g.type FROM pg_depend f JOIN generators g ON f.refobjid = g.oid
                                                    WHERE f.classid = 'pg_attrdef'::regclass AND f.objid = ad.oid AND f.refclassid = 'pg_proc'::regclass
                                                    ORDER BY g.type <> d.type LIMIT 1) g ON true),
             keys AS (SELECT c.conname, child.relation AS child, child.name AS child_column, child.type AS child_type,
                             parent.relation AS parent, parent.name AS parent_column, parent.type AS parent_type, place
                        FROM pg_constraint c, generate_subscripts(c.conkey, 1) AS place
                             JOIN columns child ON true JOIN columns parent ON true
                       WHERE c.contype = 'f' AND c.conparentid = 0 AND (c.conrelid = $1 OR c.confrelid = $1)
                         AND child.relation = c.conrelid AND child.attnum = c.conkey[place] AND parent.relation = c.confrelid AND parent.attnum = c.confkey[place]),
             findings (kind, relation, column_name, problem, remedy) AS (
        SELECT 1, relation, name::text, format('its default, %s, makes no %s: new rows tell a wrong time, and may not be unique', default_text, type),
               format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s();', relation, name,
                      (SELECT g.oid::regproc FROM generators g WHERE g.type = c.type AND g.needs_nothing ORDER BY length(g.oid::regproc::text) LIMIT 1))
          FROM columns c WHERE relation = $1 AND type IN (SELECT type FROM ids) AND default_oid IS NOT NULL AND made IS DISTINCT FROM type
                           AND NOT EXISTS (SELECT FROM keys WHERE child = relation AND child_column = name) -- it need not make IDs
        UNION ALL
        SELECT 2, relation, name::text, format('it is %s, too narrow for the %s that its default makes', format_type(type, modifier), made),
               CASE WHEN type IN ('varchar'::regtype, 'bpchar'::regtype)
                    THEN format('ALTER TABLE %s ALTER COLUMN %I TYPE text COLLATE "C";', relation, name)
                    ELSE format('ALTER TABLE %1$s ALTER COLUMN %2$I DROP DEFAULT; ALTER TABLE %1$s ALTER COLUMN %2$I TYPE bigint, ALTER COLUMN %2$I SET DEFAULT %3$s;',
                                relation, name, default_text) END
          FROM columns c
         WHERE relation = $1 AND made IS NOT NULL
           AND CASE type WHEN 'smallint'::regtype THEN true WHEN 'integer'::regtype THEN true WHEN 'real'::regtype THEN true WHEN 'double precision'::regtype THEN true
                         WHEN 'numeric'::regtype THEN modifier >= 0 AND ((modifier - 4) >> 16) - ((modifier - 4) & 2047) < 20
                         WHEN 'varchar'::regtype THEN modifier >= 0 AND modifier - 4 < ($2 ->> made::oid::text)::int
                         WHEN 'bpchar'::regtype THEN modifier - 4 < ($2 ->> made::oid::text)::int ELSE false END
        UNION ALL
        SELECT 3, child, child_column::text,
               format('foreign key "%s" compares it, of type %s, with column "%s" of %s, of type %s: %s',
                      conname, child_type, parent_column, parent, parent_type,
                      -- PostgreSQL then looks for a collation of the parent's column, which has none.
                      CASE WHEN is_text THEN format('every DELETE and key UPDATE of %s fails', parent) ELSE 'no index serves to look up the rows of a key' END),
               CASE WHEN is_text THEN format('ALTER TABLE %1$s ALTER COLUMN %2$I TYPE %3$s USING %2$I::%3$s;', child, child_column, parent_type)
                    WHEN parent_type IN (SELECT type FROM ids) THEN format('ALTER TABLE %s ALTER COLUMN %I TYPE %s;', child, child_column, parent_type)
                    ELSE format('ALTER TABLE %s ALTER COLUMN %I TYPE %s;', parent, parent_column, child_type) END
          FROM keys, LATERAL (SELECT parent_type IN (SELECT type FROM ids) AND typcollation <> 0 AS is_text FROM pg_type WHERE oid = child_type) AS t
         WHERE child_type <> parent_type AND (child_type IN (SELECT type FROM ids) OR parent_type IN (SELECT type FROM ids))
        UNION ALL
        SELECT 4, leaf, column_name,
               CASE which WHEN 'early' THEN format('IDs up to %s tell a time up to %s: they were numbers before', id, issued)
                          WHEN 'late' THEN format('IDs up to %s tell a time up to %s, further ahead of the system clock than kid.max_observe', id, issued)
                          ELSE format('its IDs were not looked at: %s', problem) END,
               CASE which WHEN 'early' THEN format('Do not ask for the time of these rows, or give them, and what refers to them, IDs of their time with %s_at().', prefix)
                          WHEN 'late' THEN 'Delete or correct these rows; if new IDs are as late, see kid_reset_clock().'
                          -- Before 18 there is no max(uuid). Of its text it is the same.
                          ELSE format('SELECT min(%1$I%3$s), max(%1$I%3$s) FROM %2$s;', column_name, leaf,
                                      (SELECT '::text' FROM pg_attribute WHERE attrelid = leaf AND attname = column_name AND atttypid = 'uuid'::regtype)) END
          FROM jsonb_to_recordset($3) AS odd (leaf regclass, column_name text, prefix text, which text, id text, issued timestamptz, problem text))
        SELECT relation, column_name, problem, remedy FROM findings ORDER BY kind, relation::text, column_name, problem;
END $$;

COMMENT ON FUNCTION kid_findings(regclass, jsonb, jsonb) IS 'what kid_check() returns';

-- Bound to the functions that it calls when it is created: a name could be taken by somebody else.
CREATE FUNCTION kid_check(relation regclass, OUT relation_name regclass, OUT column_name text, OUT problem text, OUT remedy text) RETURNS SETOF record
    LANGUAGE SQL VOLATILE STRICT
BEGIN ATOMIC
    SELECT f.relation_name, f.column_name, f.problem, f.remedy
      FROM kid_findings(relation,
               (SELECT pg_catalog.jsonb_object_agg(t.oid, kid_text_length(t.oid::regtype)) FROM pg_catalog.pg_type t WHERE kid_text_length(t.oid::regtype) IS NOT NULL),
               (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
                           'leaf', o.leaf::oid, 'column_name', o.column_name, 'prefix', o.prefix, 'which', o.which,
                           'id', o.id, 'issued', o.issued, 'problem', o.problem))
                  FROM kid_odd_ids(relation) AS o)) AS f;
END;


COMMENT ON FUNCTION kid_check(regclass) IS
    'what is wrong with the IDs of a table, one row for each finding, with its remedy: a column of IDs, unless it refers to another, with a DEFAULT that makes none; a DEFAULT that makes IDs for which the column is too narrow; foreign keys between a type of IDs and another type, in either direction; IDs of the first year that a type can tell; IDs further ahead of the system clock than kid.max_observe. IDs of deleted rows count while an index has them. It needs SELECT on the columns to look at IDs, and runs nothing that owners wrote';
