-- IDs are strings in JSON. As numbers they would lose their last digits in JavaScript and in every JSON reader that uses doubles.
CREATE TABLE ids (id kid64, global kid96, own sno, number flake, secret flax);
INSERT INTO ids VALUES ('...F..Ao..B', '.5.tXbzzzzzvPN.0', '22222222222222a2', '157768171514757120', 'zzzzzzs--------0');
SELECT to_jsonb(ids), to_json(ids) FROM ids;
SELECT row_to_json(ids), json_build_array(id, number), jsonb_build_object(number, number), to_jsonb(ARRAY[number]) FROM ids;
SELECT jsonb_agg(number), json_object_agg(id, number) FROM ids;

-- From JSON back to IDs.
SELECT jsonb_populate_record(NULL::ids, to_jsonb(ids)) = ids AS same FROM ids;
SELECT r.* FROM ids, jsonb_to_recordset(jsonb_build_array(to_jsonb(ids))) AS r (id kid64, number flake, others sno[]);
SELECT (to_jsonb(ids) ->> 'id')::kid64 = id AS same, to_jsonb(ids) @> jsonb_build_object('number', number) AS contained FROM ids;

-- A JSON number is a valid ID only for a flake.
SELECT jsonb_populate_record(NULL::ids, '{"number": 157768171514757120}');
SELECT jsonb_populate_record(NULL::ids, '{"id": 157768171514757120}');
DROP TABLE ids;
