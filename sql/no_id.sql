-- An operator of IDs is for IDs only. Numbers and texts are converted to IDs implicitly, because drivers send parameters as such. An expression without an ID
-- must not get a meaning from that, whatever types kid has: if "expires < now()" took the number for an ID, this DELETE would take every row.
CREATE TABLE sessions (expires bigint);
INSERT INTO sessions SELECT extract(epoch FROM now() + interval '1 day') FROM generate_series(1, 10);
\set VERBOSITY terse
DELETE FROM sessions WHERE expires < now();
\set VERBOSITY default

-- What prevents it is kid_ambiguous. All that is converted to an ID is converted to it, too, and it has each operator of each type of IDs.
CREATE VIEW members AS
    SELECT classid, objid FROM pg_depend JOIN pg_extension e ON e.oid = refobjid
     WHERE refclassid = 'pg_extension'::regclass AND e.extname = 'kid' AND deptype = 'e';
CREATE VIEW implicit AS
    SELECT castsource::regtype AS source, casttarget::regtype AS target
      FROM pg_cast c JOIN members m ON m.classid = 'pg_cast'::regclass AND m.objid = c.oid WHERE castcontext = 'i';
SELECT target, string_agg(source::text, ', ' ORDER BY source::text) AS sources FROM implicit GROUP BY target ORDER BY target::text;
SELECT source AS only_converted_to_ids FROM implicit WHERE source NOT IN (SELECT source FROM implicit WHERE target = 'kid_ambiguous'::regtype);
CREATE FUNCTION rival(type oid) RETURNS oid LANGUAGE sql RETURN
    CASE WHEN EXISTS (SELECT FROM implicit WHERE target = type) THEN 'kid_ambiguous'::regtype ELSE type END;
SELECT o.oid::regoperator AS without_rival FROM pg_operator o JOIN members m ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid
 WHERE NOT EXISTS (SELECT FROM pg_operator r WHERE r.oprname = o.oprname AND r.oprleft = rival(o.oprleft) AND r.oprright = rival(o.oprright));

-- All expressions with an operator of kid and operands that are not IDs: those that kid converts to IDs, others, and times. In place of "span" is kid_span, or
-- its base type without kid.
CREATE TABLE operands (written text, is_time boolean);
INSERT INTO operands
    SELECT format('%L::%s', 5, type), false FROM unnest(ARRAY['smallint', 'integer', 'bigint', 'numeric', 'text', 'varchar']) AS type
    UNION ALL SELECT '''5''', false
    UNION ALL SELECT format('%L::%s', '2026-11-21', type), true FROM unnest(ARRAY['timestamptz', 'timestamp', 'date']) AS type
    UNION ALL SELECT format('%L::%s', '[2026-11-21,2026-11-22)', type), true FROM unnest(ARRAY['tstzrange', 'span']) AS type;
CREATE TABLE expressions AS
    SELECT row_number() OVER () AS n, format('%s %s %s', a.written, operator, b.written) AS written
      FROM operands AS a, operands AS b,
           (SELECT DISTINCT oprname FROM pg_operator o JOIN members m ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid) AS o (operator)
     WHERE NOT (a.is_time AND b.is_time);
SELECT count(*) AS expressions FROM expressions;

-- Runs expressions, or all of them. Returns the type of each result, or the SQLSTATE of the error.
CREATE FUNCTION outcomes(span text, numbers bigint[] DEFAULT NULL) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    expression text;
    outcome text;
    results text[];
BEGIN
    FOR expression IN SELECT replace(written, 'span', span) FROM expressions WHERE numbers IS NULL OR n = ANY (numbers) ORDER BY n LOOP
        BEGIN
            EXECUTE format('SELECT pg_typeof(%s)', expression) INTO outcome;
        EXCEPTION WHEN OTHERS THEN
            outcome := SQLSTATE;
        END;
        results := results || outcome;
    END LOOP;
    RETURN results;
END $$;

-- Without kid.
BEGIN;
SET LOCAL client_min_messages = warning;
DROP EXTENSION kid CASCADE;
SELECT outcomes('tstzrange') AS without_kid \gset
ROLLBACK;
CREATE TABLE results AS
    SELECT n, written, outcome AS without_kid FROM unnest(:'without_kid'::text[]) WITH ORDINALITY AS r (outcome, n) JOIN expressions USING (n);
SELECT without_kid IN ('42883', '42725') AS is_no_operator, count(*) > 250 AS many FROM results GROUP BY 1;

-- With kid: the same, except that an operator that does not exist may be one that is not unique.
SELECT written, without_kid, with_kid FROM results JOIN unnest(outcomes('kid_span')) WITH ORDINALITY AS r (with_kid, n) USING (n)
 WHERE without_kid <> with_kid AND (without_kid, with_kid) <> ('42883', '42725');

-- With each set of types of IDs. A type is taken away by dropping the casts to it. If that leaves only kid_ambiguous for an operand, the outcome is its error.
CREATE FUNCTION outcomes_with(types regtype[], numbers bigint[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    results text[];
    source regtype;
    target regtype;
BEGIN
    FOR source, target IN SELECT * FROM implicit WHERE implicit.target <> ALL (types) LOOP
        EXECUTE format('ALTER EXTENSION kid DROP CAST (%s AS %s); DROP CAST (%1$s AS %2$s)', source, target);
    END LOOP;
    results := outcomes('kid_span', numbers);
    RAISE 'rollback';
EXCEPTION WHEN raise_exception THEN
    RETURN results;
END $$;
CREATE TABLE ids AS SELECT target AS type, row_number() OVER (ORDER BY target::text) - 1 AS i FROM implicit WHERE target <> 'kid_ambiguous'::regtype GROUP BY target;
CREATE VIEW sets AS
    SELECT ARRAY(SELECT type FROM ids WHERE s >> i::int & 1 = 1) AS types FROM generate_series(0, (1 << (SELECT count(*) FROM ids)::int) - 1) AS s;
SELECT count(*) AS sets FROM sets;
SELECT array_agg(n ORDER BY n) AS errors FROM results WHERE without_kid IN ('42883', '42725') \gset
SELECT types, written, outcome
  FROM (SELECT types, outcomes_with(types || 'kid_ambiguous'::regtype, :'errors') AS outcomes FROM sets OFFSET 0) AS t,
       unnest(:'errors'::bigint[], outcomes) AS r (n, outcome) JOIN expressions USING (n)
 WHERE outcome NOT IN ('42883', '42725', '0A000');

-- The danger is real: without kid_ambiguous, and with one type that takes numbers, many expressions are no errors, and those with flake are true or false.
SELECT types, count(*) > 100 AS many, bool_or(outcome = 'boolean') AS run
  FROM (SELECT types, outcomes_with(types, :'errors') AS outcomes FROM unnest(ARRAY['kid64', 'flake']) AS name, LATERAL (SELECT ARRAY[name::regtype]) AS a (types) OFFSET 0) AS t,
       unnest(outcomes) AS outcome
 WHERE outcome NOT IN ('42883', '42725') GROUP BY types ORDER BY types::text;

DROP VIEW sets;
DROP TABLE sessions, operands, expressions, results, ids;
DROP FUNCTION outcomes, outcomes_with, rival;
DROP VIEW implicit, members;
