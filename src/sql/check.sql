-- kid_check(): finds problems with the IDs of a table, most of them in the catalogs, the others in indexes.

CREATE FUNCTION kid_odd_ids(
    relation regclass,
    OUT leaf regclass, OUT column_name text, OUT prefix text, OUT which text, OUT id text, OUT issued timestamptz,
    OUT problem text)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000 ROWS 1 AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_odd_ids(regclass) IS
    'returns IDs of a table whose times are implausible, early or late, and columns whose IDs cannot be examined';

CREATE FUNCTION kid_text_length(type regtype) RETURNS integer
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_text_length(regtype) IS
    'returns the greatest length of an ID of a type as text, or NULL if kid makes no IDs of the type';

-- Runs no code of an owner of the schema or of a table. The functions and operators in its body are resolved when it is
-- created. Even then PostgreSQL prefers an owner's function or operator to its own if it fits the arguments better. So
-- each function of PostgreSQL is named with its schema, and operands have exactly the types of an operator: an oid is
-- compared with an oid, not with a regclass or an integer. With this search_path, texts name objects with their schema.
CREATE FUNCTION kid_check(
    relation regclass,
    OUT relation_name regclass, OUT column_name text, OUT problem text, OUT remedy text)
    RETURNS SETOF record
    LANGUAGE SQL VOLATILE STRICT SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
BEGIN ATOMIC
    WITH RECURSIVE
    -- The columns of the table, and of the tables that foreign keys connect with it, down to the base type of a domain.
    layers (relid, attnum, name, type, modifier) AS (
        SELECT a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod
          FROM pg_attribute a
         WHERE a.attnum > smallint '0' AND NOT a.attisdropped
           AND (a.attrelid = kid_check.relation::oid
                OR a.attrelid IN (SELECT k.conrelid FROM pg_constraint k
                                   WHERE k.contype = 'f' AND k.confrelid = kid_check.relation::oid
                                  UNION ALL
                                  SELECT k.confrelid FROM pg_constraint k
                                   WHERE k.contype = 'f' AND k.conrelid = kid_check.relation::oid))
        UNION ALL
        SELECT l.relid, l.attnum, l.name, t.typbasetype, t.typtypmod
          FROM layers l JOIN pg_type t ON t.oid = l.type
         WHERE t.typtype = 'd'
    ),
    -- A uuid need not be an ID.
    columns AS (
        SELECT l.relid, l.attnum, l.name, l.type, l.modifier,
               l.type <> 'uuid'::regtype::oid AND kid_text_length(l.type::regtype) IS NOT NULL AS is_id
          FROM layers l JOIN pg_type t ON t.oid = l.type
         WHERE t.typtype <> 'd'
    ),
    members AS (
        SELECT d.objid AS oid
          FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
         WHERE d.refclassid = 'pg_extension'::regclass::oid AND e.extname = 'kid'
           AND d.classid = 'pg_proc'::regclass::oid AND d.deptype = 'e'
    ),
    -- A function that a user wrote counts as a generator if it returns a type of kid's. But a remedy names only members
    -- in C: the owner of the extension can add members to it, and only superusers can create functions in C.
    generators AS (
        SELECT p.oid, p.prorettype AS type,
               m.oid IS NOT NULL AND l.lanname = 'c' AND p.pronargs = p.pronargdefaults AND NOT p.proretset AS is_remedy
          FROM pg_proc p
               JOIN pg_language l ON l.oid = p.prolang
               LEFT JOIN members m ON m.oid = p.oid
         WHERE p.provolatile = 'v' AND kid_text_length(p.prorettype::regtype) IS NOT NULL
           AND (m.oid IS NOT NULL OR p.prorettype <> 'uuid'::regtype::oid)
    ),
    -- The table's defaults. `made` is the type of the IDs that a default makes, if it calls a generator.
    defaults AS (
        SELECT c.name, c.type, c.modifier, c.is_id, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid) AS expression,
               (SELECT g.type
                  FROM pg_depend d JOIN generators g ON g.oid = d.refobjid
                 WHERE d.classid = 'pg_attrdef'::regclass::oid AND d.objid = ad.oid
                   AND d.refclassid = 'pg_proc'::regclass::oid
                 ORDER BY g.type <> c.type LIMIT 1) AS made
          FROM columns c
               JOIN pg_attribute a ON a.attrelid = c.relid AND a.attnum = c.attnum AND a.attgenerated = ''
               JOIN pg_attrdef ad ON ad.adrelid = c.relid AND ad.adnum = c.attnum
         WHERE c.relid = kid_check.relation::oid
    ),
    -- Each column of a foreign key, and the column that it refers to.
    keys AS (
        SELECT k.conname, child.relid::regclass AS child, child.name AS child_column, child.type AS child_type,
               child.is_id AS child_is_id, parent.relid::regclass AS parent, parent.name AS parent_column,
               parent.type AS parent_type, parent.is_id AS parent_is_id
          FROM pg_constraint k
               CROSS JOIN unnest(k.conkey, k.confkey) AS pair (child, parent)
               JOIN columns child ON child.relid = k.conrelid AND child.attnum = pair.child
               JOIN columns parent ON parent.relid = k.confrelid AND parent.attnum = pair.parent
         WHERE k.contype = 'f' AND k.conparentid = oid '0'
           AND (k.conrelid = kid_check.relation::oid OR k.confrelid = kid_check.relation::oid)
    ),

    -- Columns of IDs whose default does not make an ID. A column that refers to an ID need not make one.
    wrong_defaults AS (
        SELECT d.name,
               pg_catalog.format('its default, %s, does not make a %s: '
                                 'IDs of new rows have wrong times, and may not be unique',
                                 d.expression, d.type::regtype) AS problem,
               pg_catalog.format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s();', kid_check.relation, d.name,
                                 (SELECT g.oid::regproc FROM generators g WHERE g.type = d.type AND g.is_remedy
                                   ORDER BY pg_catalog.length(g.oid::regproc::text) LIMIT 1)) AS remedy
          FROM defaults d
         WHERE d.is_id AND d.made IS DISTINCT FROM d.type
           AND NOT EXISTS (SELECT FROM keys k
                            WHERE k.child::oid = kid_check.relation::oid AND k.child_column = d.name)
    ),
    -- Columns that are too narrow for the IDs of their default. The modifier of a varchar or bpchar is its length plus
    -- 4. The modifier of a numeric is its precision, shifted left by 16 bits, plus its scale, 11 bits, plus 4. Without
    -- a limit it is -1.
    narrow_columns AS (
        SELECT d.name,
               pg_catalog.format('it is %s, too narrow for the %s that its default makes',
                                 pg_catalog.format_type(d.type, d.modifier), d.made::regtype) AS problem,
               CASE WHEN d.type = ANY ('{varchar,bpchar}'::regtype[]::oid[])
                    THEN pg_catalog.format('ALTER TABLE %s ALTER COLUMN %I TYPE text COLLATE "C";',
                                           kid_check.relation, d.name)
                    ELSE pg_catalog.format('ALTER TABLE %1$s ALTER COLUMN %2$I DROP DEFAULT; '
                                           'ALTER TABLE %1$s ALTER COLUMN %2$I TYPE bigint, '
                                           'ALTER COLUMN %2$I SET DEFAULT %3$s;',
                                           kid_check.relation, d.name, d.expression)
               END AS remedy
          FROM defaults d
         WHERE d.made IS NOT NULL
           AND (d.type = ANY ('{smallint,integer,real,double precision}'::regtype[]::oid[])
                OR d.type = 'numeric'::regtype::oid AND d.modifier >= 4
                   AND ((d.modifier - 4) >> 16) - ((d.modifier - 4) & 2047) < 20
                OR d.type = ANY ('{varchar,bpchar}'::regtype[]::oid[]) AND d.modifier >= 4
                   AND d.modifier - 4 < kid_text_length(d.made::regtype))
    ),
    -- Foreign keys between a type of IDs and another type. To compare text with IDs, PostgreSQL needs the collation of
    -- the parent's column, but that column has none.
    mixed_keys AS (
        SELECT k.child AS relation_name, k.child_column AS name,
               pg_catalog.format('foreign key "%s" compares it, of type %s, with column "%s" of %s, of type %s: %s',
                                 k.conname, k.child_type::regtype, k.parent_column, k.parent, k.parent_type::regtype,
                                 CASE WHEN text_to_id
                                      THEN pg_catalog.format('every DELETE and key UPDATE of %s fails', k.parent)
                                      ELSE 'no index can be used to look up the rows of a key' END) AS problem,
               CASE WHEN text_to_id
                    THEN pg_catalog.format('ALTER TABLE %1$s ALTER COLUMN %2$I TYPE %3$s USING %2$I::%3$s;',
                                           k.child, k.child_column, k.parent_type::regtype)
                    WHEN k.parent_is_id
                    THEN pg_catalog.format('ALTER TABLE %s ALTER COLUMN %I TYPE %s;',
                                           k.child, k.child_column, k.parent_type::regtype)
                    ELSE pg_catalog.format('ALTER TABLE %s ALTER COLUMN %I TYPE %s;',
                                           k.parent, k.parent_column, k.child_type::regtype)
               END AS remedy
          FROM keys k
               JOIN pg_type t ON t.oid = k.child_type
               CROSS JOIN LATERAL (SELECT k.parent_is_id AND t.typcollation <> oid '0' AS text_to_id) AS l
         WHERE k.child_type <> k.parent_type AND (k.child_is_id OR k.parent_is_id)
    ),
    -- IDs that kid_odd_ids() returns. Before PostgreSQL 18 there is no max(uuid), but the greatest text is the same ID.
    odd_ids AS (
        SELECT o.leaf AS relation_name, o.column_name,
               CASE o.which
                    WHEN 'early' THEN pg_catalog.format(
                        'IDs up to %s have times up to %s: they were plain numbers before', o.id, o.issued)
                    WHEN 'late' THEN pg_catalog.format(
                        'IDs up to %s have times up to %s, further ahead of the system clock than kid.max_observe',
                        o.id, o.issued)
                    ELSE pg_catalog.format('its IDs were not examined: %s', o.problem)
               END AS problem,
               CASE o.which
                    WHEN 'early' THEN pg_catalog.format(
                        'Do not use the times of these IDs, '
                        'or give the rows, and the rows that refer to them, new IDs with %s_at().', o.prefix)
                    WHEN 'late' THEN 'Delete or correct these rows; if new IDs are as late, see kid_reset_clock().'
                    ELSE pg_catalog.format(
                        'SELECT min(%1$I%2$s), max(%1$I%2$s) FROM %3$s;', o.column_name,
                        (SELECT '::text' AS suffix FROM pg_attribute a
                          WHERE a.attrelid = o.leaf::oid AND a.attname = o.column_name
                            AND a.atttypid = 'uuid'::regtype::oid), o.leaf)
               END AS remedy
          FROM kid_odd_ids(kid_check.relation) AS o
    ),
    -- Columns whose default makes UUIDs of version 7, and whose statistics have UUIDs of another version. pg_stats
    -- shows them only to a caller who may read the column. CASE keeps other columns' statistics from being read as UUIDs.
    mixed_versions AS (
        SELECT d.name,
               'its statistics show UUIDs of other versions than 7: '
               'they have no time, but a comparison with a time may return them' AS problem,
               pg_catalog.format('In conditions on time, add "AND kid_timestamp(%1$I) IS NOT NULL". '
                                 'Or give the rows, and the rows that refer to them, new IDs with kid_uuidv7_at().',
                                 d.name) AS remedy
          FROM defaults d
               JOIN pg_class c ON c.oid = kid_check.relation::oid
               JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE d.type = 'uuid'::regtype::oid AND d.made = 'uuid'::regtype::oid
           AND EXISTS (SELECT
                         FROM pg_catalog.pg_stats s
                              CROSS JOIN LATERAL pg_catalog.unnest(
                                  CASE WHEN s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = d.name
                                       THEN s.histogram_bounds::text::uuid[] END) AS sample (id)
                        WHERE kid_timestamp(sample.id) IS NULL)
    ),
    findings (kind, relation_name, column_name, problem, remedy) AS (
        SELECT 1, kid_check.relation, name::text, problem, remedy FROM wrong_defaults
        UNION ALL
        SELECT 2, kid_check.relation, name::text, problem, remedy FROM narrow_columns
        UNION ALL
        SELECT 3, relation_name, name::text, problem, remedy FROM mixed_keys
        UNION ALL
        SELECT 4, relation_name, column_name, problem, remedy FROM odd_ids
        UNION ALL
        SELECT 5, kid_check.relation, name::text, problem, remedy FROM mixed_versions
    )
    SELECT f.relation_name, f.column_name, f.problem, f.remedy
      FROM findings f
     ORDER BY f.kind, f.relation_name::text, f.column_name, f.problem;
END;

COMMENT ON FUNCTION kid_check(regclass) IS
    'returns a row for each problem with the IDs of a table, with its remedy';
