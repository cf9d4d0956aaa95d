-- kid_encode() and T_decode(): IDs in base32, with a prefix.
SET TimeZone = 'UTC';

-- What the library crockford-base32 made of numbers of 64, 80, 96 and 128 bits.
\set vectors `grep -v '^#' "$PG_ABS_SRCDIR/test/vectors/base32.tsv" | tail -n +2`
CREATE TABLE vectors AS
SELECT f[1]::int AS bits, decode(f[2], 'hex') AS bytes, f[3] AS text
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f;

-- Each type encodes as the library does, and decodes both cases to the same ID. The four numbers of a row are equal.
SELECT 'kid64' AS type, count(*), count(*) FILTER (WHERE kid_encode(bytes::kid64) = text) AS encoded,
       count(*) FILTER (WHERE kid64_decode(text) = bytes::kid64) AS lower,
       count(*) FILTER (WHERE kid64_decode(upper(text)) = bytes::kid64) AS upper FROM vectors WHERE bits = 64
UNION ALL
SELECT 'flake', count(*), count(*) FILTER (WHERE kid_encode(bytes::flake) = text),
       count(*) FILTER (WHERE flake_decode(text) = bytes::flake),
       count(*) FILTER (WHERE flake_decode(upper(text)) = bytes::flake) FROM vectors WHERE bits = 64
UNION ALL
SELECT 'sno', count(*), count(*) FILTER (WHERE kid_encode(bytes::sno) = text),
       count(*) FILTER (WHERE sno_decode(text) = bytes::sno),
       count(*) FILTER (WHERE sno_decode(upper(text)) = bytes::sno) FROM vectors WHERE bits = 80
UNION ALL
SELECT 'kid96', count(*), count(*) FILTER (WHERE kid_encode(bytes::kid96) = text),
       count(*) FILTER (WHERE kid96_decode(text) = bytes::kid96),
       count(*) FILTER (WHERE kid96_decode(upper(text)) = bytes::kid96) FROM vectors WHERE bits = 96
UNION ALL
SELECT 'flax', count(*), count(*) FILTER (WHERE kid_encode(bytes::flax) = text),
       count(*) FILTER (WHERE flax_decode(text) = bytes::flax),
       count(*) FILTER (WHERE flax_decode(upper(text)) = bytes::flax) FROM vectors WHERE bits = 96
UNION ALL
SELECT 'uuid', count(*), count(*) FILTER (WHERE kid_encode(id) = text),
       count(*) FILTER (WHERE kid_uuid_decode(text) = id),
       count(*) FILTER (WHERE kid_uuid_decode(upper(text)) = id)
  FROM (SELECT text, encode(bytes, 'hex')::uuid AS id FROM vectors WHERE bits = 128) AS uuids;

-- Order: the IDs of each type and their base32 in collation "C" order alike, with a prefix, too.
SELECT bits, count(*) FILTER (WHERE by_id <> by_text) AS id_text, count(*) FILTER (WHERE by_id <> by_type) AS id_type
  FROM (SELECT bits, rank() OVER (PARTITION BY bits ORDER BY bytes) AS by_id,
               rank() OVER (PARTITION BY bits ORDER BY 'ord_' || text COLLATE "C") AS by_text,
               rank() OVER (PARTITION BY bits ORDER BY CASE bits WHEN 64 THEN bytes::kid64 END,
                            CASE bits WHEN 80 THEN bytes::sno END, CASE bits WHEN 96 THEN bytes::kid96 END,
                            CASE bits WHEN 128 THEN encode(bytes, 'hex')::uuid END) AS by_type
          FROM vectors) AS ranks GROUP BY bits ORDER BY bits;

-- A uuid with a prefix is a TypeID, as the library typeid-js makes it.
\set vectors `grep -v '^#' "$PG_ABS_SRCDIR/test/vectors/typeid.tsv" | tail -n +2`
SELECT count(*), count(*) FILTER (WHERE kid_encode(uuid, prefix) = typeid) AS encoded,
       count(*) FILTER (WHERE kid_uuid_decode(typeid, prefix) = uuid) AS decoded
  FROM (SELECT f[1] AS prefix, f[2]::uuid AS uuid, f[3] AS typeid
          FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f) AS typeids;

-- What that library refuses is an error, whether the caller expects the prefix of the text, another one, or none.
CREATE FUNCTION attempt(encoded text, prefix text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    RETURN kid_uuid_decode(encoded, prefix);
EXCEPTION WHEN invalid_text_representation OR invalid_parameter_value THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN SQLSTATE || ' ' || detail;
END $$;
\set vectors `grep -v '^#' "$PG_ABS_SRCDIR/test/vectors/typeid_invalid.tsv" | tail -n +2`
CREATE TABLE invalid AS
SELECT f[1] AS what, f[2] AS typeid, coalesce(substring(f[2] FROM '^(.*)_[^_]*$'), '') AS prefix
  FROM regexp_split_to_table(:'vectors', E'\n') AS line, string_to_array(line, E'\t') AS f;
SELECT what, attempt(typeid, prefix) FROM invalid ORDER BY attempt(typeid, prefix) COLLATE "C", what COLLATE "C";
SELECT what, attempt(typeid, 'ord') FROM invalid WHERE prefix <> 'ord' ORDER BY what COLLATE "C";
SELECT count(*) FILTER (WHERE attempt(typeid, 'other') LIKE '22P02 %'), count(*) FILTER (WHERE attempt(typeid, '') LIKE '22P02 %') FROM invalid;

-- Every type says its own length.
SELECT kid64_decode('.6.nef3Mk.3');
SELECT kid64_decode('');
SELECT kid64_decode('00w1p4s37vg0');
SELECT flake_decode('00w1p4s37vg000');
SELECT sno_decode('ord_0', 'ord');
SELECT kid96_decode('ord_00000000000000000000ü', 'ord');
SELECT flax_decode('0');
SELECT kid_uuid_decode('018f3b5c7d4e7abc8def0123456789ab');

-- Too many bits. In 80 bits the first character is used up.
SELECT kid64_decode('fzzzzzzzzzzzz'), sno_decode('zzzzzzzzzzzzzzzz'), kid96_decode('1zzzzzzzzzzzzzzzzzzz');
SELECT kid64_decode('g000000000000');
SELECT flake_decode('ord_Z000000000000', 'ord');
SELECT kid96_decode('20000000000000000000');
SELECT flax_decode('2zzzzzzzzzzzzzzzzzzz');
SELECT kid_uuid_decode('80000000000000000000000000');

-- Characters. The prefix is never in upper case.
SELECT kid64_decode('00w1p4s37vg0ü');
SELECT kid64_decode('ord_00w1p4s3üvg01', 'ord');
SELECT kid64_decode(E'00w1p4s37vg0\n');
SELECT kid64_decode('Ord_00w1p4s37vg01', 'ord');
SELECT kid64_decode('ORD_00W1P4S37VG01', 'ord');
SELECT kid64_decode('ord_00W1P4s37vG01', 'ord') = kid64_decode('00w1p4s37vg01');
SELECT kid64_decode('ord00w1p4s37vg01', 'ord');
SELECT kid64_decode('00w1p4s37vg01', 'ord');
SELECT kid64_decode('ord_00w1p4s37vg01');
SELECT kid64_decode('or_00w1p4s37vg01', 'ord');
SELECT kid64_decode('ordo_00w1p4s37vg01', 'ord');
SELECT kid64_decode('ord_ord_00w1p4s37vg01', 'ord');
SELECT kid64_decode(repeat('x', 20) || '_00w1p4s37vg01', repeat('x', 21));

-- Prefixes that no ID has are errors of the caller, in both functions.
SELECT kid_encode(kid64 '...........', 'Ord');
SELECT kid_encode(kid64 '...........', 'örd');
SELECT kid_encode(kid64 '...........', 'ord1');
SELECT kid_encode(kid64 '...........', '_ord');
SELECT kid_encode(kid64 '...........', 'ord_');
SELECT kid_encode(kid64 '...........', '_');
SELECT kid_encode(kid64 '...........', ' ');
SELECT kid_encode(kid64 '...........', repeat('x', 64));
SELECT kid64_decode('Ord_00w1p4s37vg01', 'Ord');
SELECT kid_encode(kid64 '...........', repeat('x', 63)) = repeat('x', 63) || '_0000000000000';
\set VERBOSITY sqlstate
SELECT kid_encode(kid64 '...........', 'Ord');
SELECT kid64_decode('Ord_00w1p4s37vg01', 'Ord');
SELECT kid64_decode('x');
SELECT kid64_decode('g000000000000');
\set VERBOSITY default

-- NULL in, NULL out.
SELECT kid_encode(NULL::kid64), kid_encode(kid64 '...........', NULL), kid64_decode(NULL), kid64_decode('0000000000000', NULL);

-- Values that PostgreSQL compresses or moves out of line are read, too.
CREATE TABLE packed (encoded text);
INSERT INTO packed VALUES (repeat('ord_', 1000)), (repeat('x', 63) || '_' || kid_encode(kid64 '...........'));
SELECT length(attempt(encoded, 'ord')) FROM packed WHERE encoded LIKE 'ord%';
SELECT kid64_decode(encoded, repeat('x', 63)) FROM packed WHERE encoded LIKE 'x%';

-- A query by the text of an ID uses the key, also with a parameter, and a generated column may contain the text.
CREATE TABLE orders (id kid64 PRIMARY KEY, public text UNIQUE GENERATED ALWAYS AS (kid_encode(id, 'ord')) STORED);
INSERT INTO orders SELECT kid64_make('2026-11-21', n) FROM generate_series(0, 999) AS n;
ANALYZE orders;
SET plan_cache_mode = force_generic_plan;
PREPARE by_text AS SELECT id, public FROM orders WHERE id = kid64_decode($1, 'ord');
EXPLAIN (COSTS OFF) EXECUTE by_text('ord_00w1mxa70000z');
SELECT public AS some FROM orders ORDER BY id OFFSET 500 LIMIT 1 \gset
EXECUTE by_text(:'some');
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id = kid64_decode('ord_0000000000000', 'ord');
SELECT count(*) FROM orders WHERE id = kid64_decode(public, 'ord');
SELECT array_agg(id ORDER BY id) = array_agg(id ORDER BY public COLLATE "C") AS same_order FROM orders;
CREATE INDEX ON orders (kid_encode(id));

-- Without the type of the ID, the call is ambiguous.
\set VERBOSITY terse
SELECT kid_encode(1::bigint);
SELECT kid_encode('...........');
\set VERBOSITY default

DROP TABLE vectors, invalid, packed, orders;
DROP FUNCTION attempt;
-- A sealed ID.
SELECT kid64_decode('ord_0123456789abcdefghjkmnpqrs', 'ord');
