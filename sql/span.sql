-- All ways to write a range of time beside an ID, for every type: they mean the same, and use the index of the key.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';

CREATE TABLE types (name text, makes text);
INSERT INTO types VALUES ('kid64', 'kid64_make(t, 0)'), ('kid96', 'kid96_make(t, 1, 0)'), ('sno', 'sno_make(t, 0, 0, 0)'),
    ('flake', 'flake_make(t, 0, 0, 0)'), ('flax', 'flax_make(t, ''\x00000000000000'')');
-- The table lists every type that kid defines.
SELECT typname FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
 WHERE typtype = 'b' AND typelem = 0 AND typname <> 'kid_ambiguous' AND typname NOT IN (SELECT name FROM types);
CREATE DOMAIN own_range AS tstzrange CHECK (NOT isempty(VALUE));
CREATE TABLE days (during tstzrange, checked own_range, many tstzrange[]);
INSERT INTO days VALUES ('[2026-11-02,2026-11-03)', '[2026-11-02,2026-11-03)', '{"[2026-11-02,2026-11-03)"}');
ANALYZE days;

-- The condition as written, with the types and values of its parameters if it has any.
CREATE TABLE spellings (n int GENERATED ALWAYS AS IDENTITY, condition text, declared text, given text, source text DEFAULT '');
INSERT INTO spellings (condition, declared, given) VALUES
    ('id <@ ''[2026-11-02,2026-11-03)''', NULL, NULL),
    ('''[2026-11-02,2026-11-03)'' @> id', NULL, NULL),
    ('id <@ ''[2026-11-02,2026-11-03)''::tstzrange', NULL, NULL),
    ('''[2026-11-02,2026-11-03)''::tstzrange @> id', NULL, NULL),
    ('id <@ ''[2026-11-02,2026-11-03)''::kid_span', NULL, NULL),
    ('''[2026-11-02,2026-11-03)''::kid_span @> id', NULL, NULL),
    ('id <@ ''[2026-11-02,2026-11-03)''::own_range', NULL, NULL),
    ('id <@ tstzrange(''2026-11-02'', ''2026-11-03'')', NULL, NULL),
    ('tstzrange(''2026-11-02'', ''2026-11-03'') @> id', NULL, NULL),
    ('id <@ tstzrange(''2026-11-01'', ''2026-11-03'') * ''[2026-11-02,)''', NULL, NULL),
    ('NOT id <@ ''[2026-11-02,2026-11-03)''', NULL, NULL),
    ('NOT (NOT ''[2026-11-02,2026-11-03)'' @> id)', NULL, NULL),
    ('id <@ NULL', NULL, NULL),
    ('id <@ NULL::tstzrange', NULL, NULL),
    ('NULL @> id', NULL, NULL),
    ('id <@ ''empty''', NULL, NULL),
    ('id <@ $1', '', '''[2026-11-02,2026-11-03)'''),
    ('$1 @> id', '', '''[2026-11-02,2026-11-03)'''),
    ('id <@ $1', '(tstzrange)', '''[2026-11-02,2026-11-03)'''),
    ('$1 @> id', '(tstzrange)', '''[2026-11-02,2026-11-03)'''),
    ('id <@ $1', '(own_range)', '''[2026-11-02,2026-11-03)'''),
    ('id <@ $1', '(kid_span)', '''[2026-11-02,2026-11-03)'''),
    ('id <@ $1::tstzrange', '', '''[2026-11-02,2026-11-03)'''),
    ('id <@ $1::tstzrange', '(text)', '''[2026-11-02,2026-11-03)'''),
    ('id <@ tstzrange($1, $2)', '', '''2026-11-02'', ''2026-11-03'''),
    ('NOT id <@ $1', '', '''[2026-11-02,2026-11-03)'''),
    ('id <@ $1', '', 'NULL'),
    ('id <@ ANY (ARRAY[tstzrange(''2026-11-02'', ''2026-11-03'')])', NULL, NULL),
    ('id <@ ANY (''{"[2026-11-02,2026-11-03)"}'')', NULL, NULL),
    ('id <@ ANY ($1)', '', '''{"[2026-11-02,2026-11-03)"}'''),
    ('id <@ ANY ($1)', '(tstzrange[])', '''{"[2026-11-02,2026-11-03)"}'''),
    ('id <@ ALL (''{"[2026-11-01,2026-11-03)","[2026-11-02,2026-11-04)"}'')', NULL, NULL),
    ('tstzrange(''2026-11-02'', ''2026-11-03'') @> ANY (ARRAY[id])', NULL, NULL),
    ('id <@ (SELECT during FROM days)', NULL, NULL),
    ('(SELECT during FROM days) @> id', NULL, NULL),
    ('id <@ ANY (SELECT during FROM days)', NULL, NULL),
    ('EXISTS (SELECT FROM (VALUES (''[2026-11-02,2026-11-03)''::tstzrange)) AS v (r) WHERE id <@ r)', NULL, NULL),
    ('EXISTS (SELECT FROM days WHERE id <@ during)', NULL, NULL);
-- Ranges from columns, in a join.
INSERT INTO spellings (source, condition)
SELECT 'days, ', unnest('{id <@ during, during @> id, id <@ checked, checked @> id, id <@ many[1], id <@ (days).during, id <@ ANY (many), NOT id <@ during}'::text[]);

-- For a condition: how many rows it finds, of 1440 a day; how many rows it finds by means of the key's index; whether a plan with that index exists; and which
-- of four partitions of a day each the plan scans.
CREATE FUNCTION asked(source text, condition text, declared text, given text, OUT rows bigint, OUT in_index bigint, OUT index boolean, OUT partitions text) LANGUAGE plpgsql AS $$
DECLARE
    ask text := format('SELECT count(*) FROM %st WHERE %s', source, condition);
    ask_p text := format('SELECT count(*) FROM %sp WHERE %s', source, condition);
    plan json;
    setting text;
BEGIN
    IF declared IS NOT NULL THEN
        EXECUTE format('PREPARE ask %s AS %s', declared, ask);
        EXECUTE format('PREPARE ask_p %s AS %s', declared, ask_p);
        ask := format('EXECUTE ask (%s)', given);
        ask_p := format('EXECUTE ask_p (%s)', given);
        PERFORM set_config('plan_cache_mode', 'force_generic_plan', true);
    END IF;
    EXECUTE ask INTO rows;
    PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_material', 'off', true);
    IF declared IS NOT NULL THEN
        EXECUTE 'DISCARD PLANS';
    END IF;
    EXECUTE ask INTO in_index;
    EXECUTE 'EXPLAIN (FORMAT json) ' || ask INTO plan;
    index := plan::text ~ '"Index Cond": "\(*\(id [<>]=? ';
    PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_material', 'on', true);
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json, COSTS off, TIMING off, SUMMARY off) ' || ask_p INTO plan;
    SELECT string_agg(DISTINCT m[1], ' ') INTO partitions FROM regexp_matches(plan::text, '"Relation Name": "p_(\d)"[^{]*"Actual Loops": [1-9]', 'g') AS m;
    DEALLOCATE ALL;
END $$;
CREATE TABLE answers (type text, n int, rows bigint, in_index bigint, index boolean, partitions text);
DO $$
DECLARE
    type record;
BEGIN
    FOR type IN SELECT * FROM types LOOP
        EXECUTE format('CREATE TEMPORARY TABLE t (id %s PRIMARY KEY)', type.name);
        EXECUTE format('CREATE TEMPORARY TABLE p (id %s) PARTITION BY RANGE (id)', type.name);
        FOR day IN 1 .. 4 LOOP
            EXECUTE format('CREATE TEMPORARY TABLE p_%s PARTITION OF p FOR VALUES FROM (%s) TO (%s)', day,
                           CASE day WHEN 1 THEN 'MINVALUE' ELSE format('%s_floor(%L)', type.name, date '2026-10-31' + day) END,
                           CASE day WHEN 4 THEN 'MAXVALUE' ELSE format('%s_floor(%L)', type.name, date '2026-11-01' + day) END);
        END LOOP;
        EXECUTE format('INSERT INTO t SELECT %s FROM generate_series(timestamptz ''2026-11-01'', ''2026-11-04 23:59'', ''1 min'') AS t', type.makes);
        INSERT INTO p SELECT id FROM t;
        ANALYZE t, p;
        INSERT INTO answers SELECT type.name, s.n, a.* FROM spellings s, asked(source, condition, declared, given) a;
        DROP TABLE t, p;
    END LOOP;
END $$;
SELECT condition, declared, rows, in_index = rows AS same, index, partitions, string_agg(type, ' ' ORDER BY type) AS types
  FROM answers JOIN spellings USING (n) GROUP BY n, condition, declared, rows, in_index, index, partitions ORDER BY n, types;

-- In a select list, where NULL differs from false.
SELECT id <@ '[2026-11-01,2026-11-02)' AS literal, id <@ NULL AS nothing, '[2026-11-02,)' @> id AS other, NOT id <@ '(,)' AS negated, id <@ 'empty' AS empty,
       NULL::kid64 <@ '(,)' AS no_id, NULL::kid64 <@ NULL AS neither
  FROM kid64_make('2026-11-01 12:00', 0) AS id;
-- A parameter of unknown type gets the type of the operator.
CREATE TABLE t (id kid64 PRIMARY KEY);
PREPARE untyped AS SELECT FROM t WHERE id <@ $1 OR $2 @> id;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
DEALLOCATE untyped;

-- Operands of any other type are rejected when the query is parsed.
DO $$
DECLARE
    type text;
    other text;
    condition text;
BEGIN
    FOR type IN SELECT name FROM types LOOP
        FOR other IN SELECT format('NULL::%s', t) FROM unnest('{int4range, int8range, numrange, tsrange, daterange, tstzmultirange, tsmultirange, timestamptz, text, uuid, tstzrange[], kid_span[]}'::text[]) AS t
                     UNION ALL SELECT '5' LOOP
            FOREACH condition IN ARRAY ARRAY[format('NULL::%s <@ %s', type, other), format('%s @> NULL::%s', other, type), format('%s <@ NULL::%s', other, type)] LOOP
                BEGIN
                    EXECUTE 'PREPARE refused AS SELECT ' || condition;
                    RAISE WARNING '%', condition;
                EXCEPTION WHEN undefined_function THEN
                END;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
\set VERBOSITY terse
SELECT FROM t WHERE id <@ int4range(1, 10);
SELECT FROM t WHERE id <@ tsrange('2026-11-01', '2026-11-02');
\set VERBOSITY default
SELECT FROM t WHERE id <@ 'tomorrow';
PREPARE wrong AS SELECT FROM t WHERE id <@ $1;
EXECUTE wrong (int4range(1, 10));

-- kid_span is not meant for this, but it is possible: if it has a constraint, the range is checked, and the condition is still rewritten.
ALTER DOMAIN kid_span ADD CONSTRAINT bounded CHECK (NOT upper_inf(VALUE));
SET enable_seqscan = off;
SET enable_bitmapscan = off;
PREPARE of_kid_span AS SELECT count(*) FROM t WHERE id <@ $1;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE of_kid_span ('[2026-11-01,2026-11-02)');
EXECUTE of_kid_span ('[2026-11-01,2026-11-02)');
EXECUTE of_kid_span ('[2026-11-01,)');
EXPLAIN (COSTS OFF) SELECT count(*) FROM t, (VALUES (tstzrange('2026-11-01', '2026-11-02')), (NULL)) AS v (during) WHERE id <@ during;
SELECT count(*) FROM t WHERE id <@ tstzrange('2026-11-01', NULL);
RESET plan_cache_mode;
RESET enable_seqscan;
RESET enable_bitmapscan;
DEALLOCATE of_kid_span;
ALTER DOMAIN kid_span DROP CONSTRAINT bounded;

-- Stored expressions: the definition of a view makes the same view, the predicate of an index is recognized, and a constraint is enforced.
CREATE VIEW v AS SELECT id <@ '[2026-11-01,2026-11-02)' AS literal, '[2026-11-01,2026-11-02)' @> id AS other, id <@ tstzrange('2026-11-01', NULL) AS function,
       id <@ during AS of_column, checked @> id AS of_domain, id <@ ANY (many) AS of_any, id <@ '(,)'::kid_span AS named, id <@ NULL AS nothing
  FROM t, days;
SELECT pg_get_viewdef('v') AS definition \gset
SELECT :'definition';
CREATE VIEW again AS :definition;
SELECT pg_get_viewdef('again') = :'definition' AS same;
CREATE INDEX partial ON t (id) WHERE id <@ '[2026-11-01,2026-11-02)';
ALTER TABLE t DROP CONSTRAINT t_pkey, ADD CONSTRAINT november CHECK ('[2026-11-01,2026-12-01)' @> id);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM t WHERE id <@ tstzrange('2026-11-01', '2026-11-02') ORDER BY id;
RESET enable_seqscan;
RESET enable_bitmapscan;
INSERT INTO t VALUES (kid64_floor('2026-11-01'));
INSERT INTO t VALUES (kid64_floor('2026-12-01'));
SELECT pg_get_indexdef('partial'::regclass), pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'november';
DROP VIEW v, again;
DROP TABLE t, days, types, spellings, answers;
DROP DOMAIN own_range;
