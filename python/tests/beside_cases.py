"""Definitions for test_constants.py: each with the object that it makes, and with the kinds that must be found in it"""

from __future__ import annotations

# users.id is the key; users.parent and posts.user_id refer to it. notes.user_id and notes.writers contain keys, and no
# foreign key says so.
TABLES = """
CREATE TABLE users (id bigint PRIMARY KEY, parent bigint REFERENCES users, name text, n int, made timestamptz);
CREATE TABLE posts (id bigint PRIMARY KEY, user_id bigint REFERENCES users, n int, body text);
CREATE TABLE notes (id bigint, user_id bigint, writers bigint[], n int, about text);
CREATE TABLE owners (id int PRIMARY KEY, user_id bigint REFERENCES users);
CREATE TABLE log (user_id bigint REFERENCES users, n int, about text);
CREATE FUNCTION is_staff(bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false';
CREATE FUNCTION level(bigint, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE FUNCTION everybody() RETURNS SETOF users LANGUAGE sql STABLE AS 'SELECT * FROM users';
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE EXTENSION btree_gist;
"""

COLUMNS = [("users", "id"), ("users", "parent"), ("posts", "user_id"), ("log", "user_id")]


def view(name: str, query: str) -> tuple[str, str]:
    """Returns the object and the statement of a view."""
    return f"view public.{name}", f"CREATE VIEW {name} AS {query}"


PLAIN_VIEW = view("v_plain", "SELECT id AS uid, name FROM users")

# A constant stands beside a key in each of these.
CONSTANTS = [
    # comparisons
    view("c_equals", "SELECT name FROM users WHERE id = 1"),
    view("c_mirrored", "SELECT name FROM users WHERE 1 = id"),
    view("c_negative", "SELECT name FROM users WHERE id = -1"),
    view("c_in", "SELECT name FROM users WHERE id IN (1, 2, 3)"),
    view("c_not_in", "SELECT name FROM users WHERE id NOT IN (1, 2)"),
    view("c_any", "SELECT name FROM users WHERE id = ANY ('{1,2}')"),
    view("c_between", "SELECT name FROM users WHERE id BETWEEN 5 AND 9"),
    view("c_distinct", "SELECT name FROM users WHERE id IS DISTINCT FROM 1"),
    view("c_row", "SELECT name FROM users WHERE (id, n) = (1, 2)"),
    view("c_row_less", "SELECT name FROM users WHERE (id, n) < (1, 2)"),
    view("c_row_in", "SELECT name FROM users WHERE (n, id) IN ((1, 5), (2, 6))"),
    view("c_in_values", "SELECT name FROM users WHERE id IN (VALUES (1), (2))"),
    view("c_row_in_values", "SELECT name FROM users WHERE (n, id) IN (VALUES (1, 5::bigint), (2, 6))"),
    view("c_sub_select", "SELECT name FROM users WHERE id = (SELECT 5)"),
    view("c_array_of_select", "SELECT name FROM users WHERE id = ANY (ARRAY(SELECT 5::bigint UNION SELECT 6))"),
    view("c_row_of_select", "SELECT name FROM users WHERE (n, id) = (SELECT 1, 5::bigint)"),
    view("c_select_list", "SELECT id = 1 AS is_root FROM users"),
    view("c_order_by", "SELECT name FROM users ORDER BY id = 1"),
    view("c_reference", "SELECT body FROM posts WHERE user_id = 1"),
    view("c_having", "SELECT name, min(id) AS first FROM users GROUP BY name HAVING min(id) > 5"),
    view("c_group", "SELECT id > 100 AS is_new, count(*) AS n FROM users GROUP BY id > 100"),
    view("c_group_column", "SELECT user_id, count(*) AS n FROM posts GROUP BY user_id HAVING user_id > 7"),
    view("c_filter", "SELECT count(*) FILTER (WHERE id > 10) AS n FROM users"),
    view("c_join", "SELECT u.name FROM users AS u JOIN posts AS p ON p.user_id = u.id AND u.id <> 1"),
    view("c_join_using", "SELECT name FROM users JOIN (SELECT user_id AS id, body FROM posts) AS p USING (id) "
         "WHERE id = 1"),
    view("c_full_join", "SELECT name FROM users FULL JOIN (SELECT user_id AS id FROM posts) AS p USING (id) "
         "WHERE id = 3"),
    view("c_lateral", "SELECT u.name, p.n FROM users AS u, LATERAL (SELECT p.n FROM posts AS p WHERE u.id = 4) AS p"),
    view("c_exists", "SELECT n FROM notes "
         "WHERE EXISTS (SELECT FROM users AS u WHERE u.name = notes.about AND u.id = 1)"),
    view("c_window", "SELECT name FROM (SELECT name, lag(id) OVER (ORDER BY made) AS before FROM users) AS w "
         "WHERE before = 4"),
    view("c_window_range", "SELECT sum(n) OVER (ORDER BY id RANGE BETWEEN 10 PRECEDING AND CURRENT ROW) AS s "
         "FROM users"),
    view("c_hypothetical", "SELECT rank(5::bigint) WITHIN GROUP (ORDER BY id) AS r FROM users"),
    view("c_natural_join", "SELECT name FROM users NATURAL JOIN (VALUES (1::bigint), (2)) AS v (id)"),
    view("c_join_select", "SELECT name FROM users AS u, (SELECT 5 AS x) AS c WHERE u.id = c.x"),
    view("c_join_series", "SELECT name FROM users JOIN generate_series(1, 10) AS g ON id = g"),
    view("c_join_unnest", "SELECT name FROM users JOIN unnest('{1,2}'::bigint[], '{a,b}'::text[]) AS g (x, y) "
         "ON id = x"),
    view("c_join_json", """SELECT name FROM users AS u JOIN jsonb_to_recordset('[{"id": 1}]') AS j (id bigint, n int)
         ON u.id = j.id"""),
    view("c_join_xml", "SELECT name FROM users AS u JOIN XMLTABLE('/a/b' PASSING ('<a><b>1</b></a>'::xml) "
         "COLUMNS x bigint PATH '.') AS t ON u.id = t.x"),
    view("c_case_value", "SELECT name FROM users WHERE id = CASE WHEN n = 1 THEN 5 ELSE 6 END"),
    view("c_setting_or", "SELECT name FROM users WHERE id = coalesce(current_setting('app.user', true)::bigint, 0)"),
    view("c_greatest_of", "SELECT name FROM users WHERE id = (SELECT max(n) FROM (VALUES (1), (2)) AS v (n))"),
    view("c_row_any", "SELECT name FROM users WHERE (id, n) = ANY (ARRAY[(1::bigint, 2), (3, 4)])"),
    view("c_row_select", "SELECT name FROM users WHERE (SELECT ROW(1, 2::bigint)) = ROW(n, id)"),
    # casts, arithmetic and functions of the key
    view("c_text", "SELECT name FROM users WHERE id::text = '5'"),
    view("c_like", "SELECT name FROM users WHERE id::text LIKE '5%'"),
    view("c_regexp", "SELECT name FROM users WHERE id::text ~ '^5'"),
    view("c_numeric", "SELECT name FROM users WHERE id > 5.5"),
    view("c_modulo", "SELECT name FROM users WHERE id % 10 = 3"),
    view("c_plus", "SELECT id + 1000000 AS public_id FROM users"),
    view("c_shift", "SELECT name FROM users WHERE id >> 2 > n"),
    view("c_function_of_operator", "SELECT int8eq(id, 5) AS e FROM users"),
    view("c_mod", "SELECT name FROM users WHERE mod(id, 2) = 0"),
    view("c_md5", "SELECT name FROM users WHERE md5(id::text) = 'cfcd208495d565ef66e7dff9f98764da'"),
    view("c_format", "SELECT name FROM users WHERE format('user-%s', id) = 'user-5'"),
    view("c_concatenated", "SELECT name FROM users WHERE 'user-' || id = 'user-5'"),
    view("c_constant_call", "SELECT name FROM users WHERE id = length('abcde')"),
    view("c_range", "SELECT name FROM users WHERE id <@ int8range(1, 1000)"),
    view("c_array_position", "SELECT array_position(array_agg(id), 5) AS a FROM users"),
    view("c_array_append", "SELECT array_append(array_agg(id), 5) AS a FROM users"),
    view("c_array_element", "SELECT (array_agg(id))[1] = 5 AS a FROM users"),
    view("c_array_contains", "SELECT array_agg(id) @> ARRAY[5::bigint] AS a FROM users"),
    view("c_unnest", "SELECT u FROM (SELECT array_agg(id) AS a FROM users) AS x, unnest(x.a) AS u WHERE u = 5"),
    view("c_lag_default", "SELECT lag(id, 1, 0::bigint) OVER (ORDER BY made) AS before FROM users"),
    # one of several values
    view("c_coalesce", "SELECT coalesce(user_id, 0) AS u FROM posts"),
    view("c_nullif", "SELECT nullif(user_id, 0) AS u FROM posts"),
    view("c_greatest", "SELECT greatest(user_id, 100) AS u FROM posts"),
    view("c_case", "SELECT CASE id WHEN 1 THEN 'root' ELSE name END AS name FROM users"),
    view("c_case_when", "SELECT CASE WHEN id = 1 THEN 'root' ELSE name END AS name FROM users"),
    view("c_case_result", "SELECT CASE WHEN n > 1 THEN user_id ELSE 0 END AS u FROM posts"),
    view("c_array", "SELECT ARRAY[id, 0] AS a FROM users"),
    view("c_values", "SELECT v.x FROM users AS u, LATERAL (VALUES (u.id), (0)) AS v (x)"),
    view("c_union", "SELECT id FROM users UNION ALL SELECT 0"),
    view("c_except", "SELECT id FROM users EXCEPT SELECT 1"),
    view("c_recursive", "WITH RECURSIVE t (id) AS (SELECT id FROM users WHERE parent IS NULL UNION ALL "
         "SELECT u.id FROM t JOIN users AS u ON u.parent = t.id) SELECT id FROM t WHERE id <> 9"),
    # through other names
    view("c_cte", "WITH t AS (SELECT id AS x FROM users) SELECT x FROM t WHERE x = 5"),
    ("function public.c_returned()",
     "CREATE FUNCTION c_returned() RETURNS bigint LANGUAGE sql BEGIN ATOMIC "
     "WITH x AS (UPDATE owners SET user_id = user_id RETURNING user_id AS u) SELECT u FROM x WHERE u = 1; END"),
    view("c_nested", "SELECT y FROM (SELECT x AS y FROM (SELECT id AS x FROM users) AS a) AS b WHERE y = 5"),
    view("c_of_union", "SELECT x FROM (SELECT id AS x FROM users UNION SELECT user_id FROM posts) AS a WHERE x = 5"),
    view("c_of_second", "SELECT x FROM (SELECT user_id AS x FROM notes UNION SELECT id FROM users) AS a WHERE x = 5"),
    view("c_of_view", "SELECT name FROM v_plain WHERE uid = 5"),
    view("c_of_function", "SELECT name FROM everybody() WHERE id = 5"),
    view("c_field", "SELECT (u).id = 5 AS is_five FROM users AS u"),
    view("c_field_of_select", "SELECT ((SELECT u FROM users AS u LIMIT 1)).id = 5 AS is_five"),
    view("c_row_of_table", "SELECT n FROM users AS u WHERE u = ROW(1, 2, 'x', 3, now())::users"),
    view("c_json_field", "SELECT name FROM users AS u WHERE to_jsonb(u) ->> 'id' = '5'"),
    view("c_json_contains", """SELECT name FROM users AS u WHERE to_jsonb(u) @> '{"id": 5}'"""),
    # other kinds of definitions
    ("materialized view public.c_materialized",
     "CREATE MATERIALIZED VIEW c_materialized AS SELECT name FROM users WHERE id < 5"),
    ("index public.c_partial", "CREATE INDEX c_partial ON users (name) WHERE id > 5000"),
    ("index public.c_expression", "CREATE INDEX c_expression ON users ((id % 10))"),
    ("index public.c_of_reference", "CREATE INDEX c_of_reference ON posts (coalesce(user_id, 0))"),
    ("table constraint c_check on public.posts", "ALTER TABLE posts ADD CONSTRAINT c_check CHECK (user_id <> 0)"),
    ("table constraint c_exclude on public.posts",
     "ALTER TABLE posts ADD CONSTRAINT c_exclude EXCLUDE USING gist (n WITH =) WHERE (user_id = 1)"),
    ("policy c_using on public.users", "CREATE POLICY c_using ON users USING (id <> 1 OR current_user = 'root')"),
    ("policy c_with_check on public.posts", "CREATE POLICY c_with_check ON posts WITH CHECK (user_id > 0)"),
    ("policy c_elsewhere on public.notes",
     "CREATE POLICY c_elsewhere ON notes "
     "USING (EXISTS (SELECT FROM users AS u WHERE u.id = 1 AND u.name = current_user))"),
    ("trigger c_trigger on public.users",
     "CREATE TRIGGER c_trigger AFTER UPDATE ON users FOR EACH ROW WHEN (NEW.id = 1) EXECUTE FUNCTION see()"),
    ("trigger c_trigger_old on public.posts",
     "CREATE TRIGGER c_trigger_old AFTER UPDATE ON posts FOR EACH ROW WHEN (OLD.user_id > 9) EXECUTE FUNCTION see()"),
    ("rule c_rule on public.posts",
     "CREATE RULE c_rule AS ON DELETE TO posts WHERE OLD.user_id = 1 DO INSTEAD NOTHING"),
    ("rule c_rule_writes on public.notes",
     "CREATE RULE c_rule_writes AS ON INSERT TO notes DO ALSO INSERT INTO log (user_id) VALUES (1)"),
    ("rule c_rule_selects on public.codes",
     "CREATE TABLE codes (n int); CREATE RULE c_rule_selects AS ON INSERT TO codes DO ALSO "
     "INSERT INTO log (user_id, n) SELECT 7, n FROM notes"),
    ("rule c_rule_updates on public.codes",
     "CREATE RULE c_rule_updates AS ON UPDATE TO codes DO ALSO UPDATE log SET user_id = 1 WHERE n = NEW.n"),
    ("rule c_rule_several on public.codes",
     "CREATE RULE c_rule_several AS ON DELETE TO codes DO ALSO UPDATE log SET (n, user_id) = (SELECT 1, 7)"),
    ("statistics object public.c_statistics", "CREATE STATISTICS c_statistics ON (id % 10), name FROM users"),
    ("default value for public.posts.user_id", "ALTER TABLE posts ALTER user_id SET DEFAULT 1"),
    ("default value for public.log.odd",
     "ALTER TABLE log ADD odd boolean GENERATED ALWAYS AS (user_id % 2 = 1) STORED"),
    ("function public.c_atomic()",
     "CREATE FUNCTION c_atomic() RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT name FROM users WHERE id = 1; END"),
    ("function public.c_return(public.users)",
     "CREATE FUNCTION c_return(u users) RETURNS boolean LANGUAGE sql RETURN u.id = 1"),
    ("procedure public.c_procedure()",
     "CREATE PROCEDURE c_procedure() LANGUAGE sql BEGIN ATOMIC UPDATE posts SET user_id = 1 WHERE n = 2; "
     "INSERT INTO log (n, user_id) VALUES (1, 3), (2, 4); END"),
    ("function public.c_returning()",
     "CREATE FUNCTION c_returning() RETURNS bigint LANGUAGE sql BEGIN ATOMIC "
     "INSERT INTO owners (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET user_id = 5 RETURNING user_id; END"),
    ("procedure public.c_merge()",
     "CREATE TABLE merged (user_id bigint REFERENCES users, n int); "
     "CREATE PROCEDURE c_merge() LANGUAGE sql BEGIN ATOMIC MERGE INTO merged AS p USING notes AS s ON s.n = p.n "
     "WHEN MATCHED THEN UPDATE SET user_id = 1; END"),
    ("publication relation public.users in publication c_publication",
     "CREATE PUBLICATION c_publication FOR TABLE users WHERE (id > 100)"),
    ("table public.parts_1",
     "CREATE TABLE parts (user_id bigint REFERENCES users, n int) PARTITION BY RANGE (user_id, n); "
     "CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (1, 1) TO (1000, 1)"),
    ("table public.lists_1",
     "CREATE TABLE lists (user_id bigint REFERENCES users) PARTITION BY LIST ((user_id % 4)); "
     "CREATE TABLE lists_1 PARTITION OF lists FOR VALUES IN (1, 2)"),
    ("domain constraint c_positive on public.positive",
     "CREATE DOMAIN positive AS bigint CONSTRAINT c_positive CHECK (VALUE > 0); CREATE TABLE strict (user_id positive "
     "REFERENCES users)"),
    ("type public.zero",
     "CREATE DOMAIN zero AS bigint DEFAULT 0; CREATE TABLE zeroes (user_id zero REFERENCES users)"),
    ("default value for public.v_settable.user_id",
     "CREATE VIEW v_settable AS SELECT user_id, n FROM posts; ALTER VIEW v_settable ALTER user_id SET DEFAULT 5"),
    ("index public.c_of_materialized",
     "CREATE MATERIALIZED VIEW m_plain AS SELECT id AS uid FROM users; CREATE INDEX c_of_materialized ON m_plain (uid) "
     "WHERE uid > 9"),
    ("index public.c_of_generated",
     "ALTER TABLE log ADD copied bigint GENERATED ALWAYS AS (user_id) STORED; "
     "CREATE INDEX c_of_generated ON log (n) WHERE copied = 4"),
]  # fmt: skip

# No constant stands beside a key in these, although both occur.
CONTROLS = [
    view("k_other_column", "SELECT id FROM users WHERE n = 1"),
    view("k_name", "SELECT id, name FROM users WHERE name = 'ann' AND made > '2020-01-01'"),
    view("k_key_and_reference", "SELECT u.name FROM users AS u JOIN posts AS p ON p.user_id = u.id WHERE p.n = 5"),
    view("k_own_key", "SELECT body FROM posts WHERE id = 5"),
    view("k_null", "SELECT name FROM users WHERE parent IS NULL OR parent = NULL"),
    view("k_limit", "SELECT id FROM users ORDER BY id LIMIT 10 OFFSET 5"),
    view("k_count", "SELECT user_id, count(user_id) AS n FROM posts GROUP BY user_id HAVING count(user_id) > 5"),
    view("k_count_distinct", "SELECT count(DISTINCT user_id) > 3 AS many FROM posts"),
    view("k_array_length", "SELECT array_length(array_agg(id), 1) > 5 AS many FROM users"),
    view("k_row_number", "SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY name ORDER BY id) AS r "
         "FROM users) AS w WHERE r = 1"),
    view("k_rows_frame", "SELECT sum(n) OVER (ORDER BY id ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS s FROM users"),
    view("k_coalesce_null", "SELECT coalesce(user_id, NULL) AS u FROM posts"),
    view("k_coalesce_keys", "SELECT coalesce(parent, id) AS u FROM users"),
    view("k_case_null", "SELECT CASE WHEN n > 5 THEN user_id END AS u FROM posts"),
    view("k_union_keys", "SELECT id, 1 AS kind FROM users UNION ALL SELECT user_id, 2 FROM posts"),
    view("k_union_null", "SELECT id FROM users UNION ALL SELECT NULL"),
    view("k_values", "SELECT v.x FROM users AS u, LATERAL (VALUES (u.id, 1), (u.parent, 2)) AS v (x, y) WHERE v.y = 1"),
    view("k_row_in", "SELECT name FROM users WHERE (n, id) IN (SELECT 1, user_id FROM posts)"),
    view("k_json_field", "SELECT name FROM users AS u WHERE to_jsonb(u) ->> 'name' = 'ann'"),
    view("k_field", "SELECT (u).n = 5 AS is_five FROM users AS u"),
    view("k_outer_join", "SELECT about FROM notes LEFT JOIN users AS u ON u.name = about WHERE u IS NULL"),
    view("k_function_of_row", "SELECT name FROM everybody() WHERE n = 5"),
    view("k_boolean_function", "SELECT name FROM users WHERE is_staff(id) = true"),
    view("k_other_of_view", "SELECT uid FROM v_plain WHERE name = '5'"),
    view("k_cte", "WITH t AS (SELECT id AS x, n FROM users) SELECT x FROM t WHERE n = 5"),
    view("k_recursive", "WITH RECURSIVE t (id, level) AS (SELECT id, 1 FROM users UNION ALL "
         "SELECT u.id, t.level + 1 FROM t JOIN users AS u ON u.parent = t.id WHERE t.level < 9) SELECT id FROM t"),
    view("k_search", "WITH RECURSIVE t (id) AS (SELECT id FROM users UNION ALL SELECT u.id FROM t JOIN users AS u ON "
         "u.parent = t.id) SEARCH DEPTH FIRST BY id SET place CYCLE id SET again TO 'Y' DEFAULT 'N' USING way "
         "SELECT id FROM t WHERE again = 'N'"),
    view("k_sample", "SELECT id FROM users TABLESAMPLE system (10) REPEATABLE (1)"),
    view("k_grouping", "SELECT id, name, grouping(id) = 1 AS whole FROM users GROUP BY ROLLUP (id, name)"),
    view("k_setting_null", "SELECT name FROM users WHERE id = nullif(current_setting('app.user', true), '')::bigint"),
    view("k_computed", "SELECT u.name FROM users AS u JOIN notes AS n ON u.id = n.user_id * 1000 + 1"),
    view("k_epoch", "SELECT name FROM users WHERE id > extract(epoch FROM now()) * 1000"),
    view("k_lag", "SELECT lag(id, 1) OVER (ORDER BY made) AS before FROM users"),
    view("k_percentile", "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) AS middle FROM users"),
    view("k_not_dependent", "SELECT n FROM notes WHERE user_id = 5"),
    ("index public.k_partial", "CREATE INDEX k_partial ON users (id) WHERE n > 5"),
    ("index public.k_lower", "CREATE INDEX k_lower ON posts (user_id, (n + 1))"),
    ("policy k_policy on public.posts",
     "CREATE POLICY k_policy ON posts USING (EXISTS (SELECT FROM users AS u WHERE u.id = posts.user_id AND u.n = 1))"),
    ("table constraint k_check on public.posts",
     "ALTER TABLE posts ADD CONSTRAINT k_check CHECK (user_id IS NULL OR n > 1)"),
    ("trigger k_trigger on public.posts",
     "CREATE TRIGGER k_trigger AFTER UPDATE ON posts FOR EACH ROW WHEN (OLD.user_id <> NEW.user_id AND NEW.n = 1) "
     "EXECUTE FUNCTION see('1')"),
    ("rule k_rule on public.posts",
     "CREATE RULE k_rule AS ON INSERT TO posts DO ALSO INSERT INTO log (user_id, n) VALUES (NEW.user_id, 1)"),
    ("default value for public.log.n", "ALTER TABLE log ALTER n SET DEFAULT 1"),
    ("default value for public.log.user_id", "ALTER TABLE log ALTER user_id SET DEFAULT NULL"),
    ("function public.k_atomic()",
     "CREATE FUNCTION k_atomic() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT id FROM users WHERE n = 1; END"),
    ("table public.k_parts_1",
     "CREATE TABLE k_parts (user_id bigint REFERENCES users, n int) PARTITION BY RANGE (n); "
     "CREATE TABLE k_parts_1 PARTITION OF k_parts FOR VALUES FROM (1) TO (1000)"),
]  # fmt: skip

# From PostgreSQL 18 on
CONSTANTS_18 = [
    ("default value for public.log.virtual",
     "ALTER TABLE log ADD virtual bigint GENERATED ALWAYS AS (user_id % 10) VIRTUAL"),
    ("function public.c_new_row()",
     "CREATE FUNCTION c_new_row() RETURNS boolean LANGUAGE sql BEGIN ATOMIC UPDATE owners SET user_id = user_id "
     "RETURNING old.user_id = 5; END"),
    ("function public.c_merge_returning()",
     "CREATE FUNCTION c_merge_returning() RETURNS TABLE (a text, b boolean) LANGUAGE sql BEGIN ATOMIC "
     "MERGE INTO owners AS o USING notes AS n ON n.n = o.id WHEN MATCHED THEN UPDATE SET user_id = NULL "
     "RETURNING merge_action(), o.user_id = 5; END"),
    view("c_json_table", "SELECT name FROM users AS u "
         "JOIN JSON_TABLE(jsonb '[1, 2]', '$[*]' COLUMNS (x bigint PATH '$')) AS t ON u.id = t.x"),
    view("c_json_value", "SELECT name FROM users "
         "WHERE JSON_VALUE(JSON_OBJECT('id': id RETURNING jsonb), '$.id') = '5'"),
    view("c_json_list", "SELECT JSON_ARRAYAGG(id RETURNING text) = '[5]' AS five FROM users"),
    view("c_rollup", "SELECT id, n, count(*) AS c FROM users GROUP BY ROLLUP (id, n) HAVING id = 5"),
]  # fmt: skip

# What is not a constant, but must be told: the kind, the object, the statement.
OTHERS = [
    ("cast", *view("o_cast", "SELECT id::text AS id FROM users")),
    ("narrow cast", *view("o_cast_to_integer", "SELECT id::int AS id FROM users")),
    ("narrow cast", *view("o_cast_to_float", "SELECT id::float8 AS id FROM users")),
    ("narrow cast", *view("o_cast_to_integers", "SELECT array_agg(id)::int[] AS id FROM users")),
    ("narrow cast", "rule o_rule_narrow on public.log",
     "CREATE RULE o_rule_narrow AS ON UPDATE TO log DO ALSO INSERT INTO notes (n) VALUES (NEW.user_id)"),
    ("cast", *view("o_cast_implicit", "SELECT id FROM users WHERE id > made::date - current_date + n::numeric")),
    ("cast", *view("o_cast_array", "SELECT array_agg(id)::text[] AS a FROM users")),
    ("other column", *view("o_reference", "SELECT u.name FROM users AS u JOIN notes AS n ON n.user_id = u.id")),
    ("other column", *view("o_array", "SELECT u.name FROM users AS u JOIN notes AS n ON u.id = ANY (n.writers)")),
    ("other column", *view("o_union", "SELECT id FROM users UNION ALL SELECT id FROM notes")),
    ("other column", *view("o_coalesce", "SELECT coalesce(p.user_id, n.user_id) AS u FROM posts AS p JOIN notes AS n "
                           "ON n.n = p.n")),
    ("other column", "rule o_rule on public.posts",
     "CREATE RULE o_rule AS ON UPDATE TO posts DO ALSO INSERT INTO notes (user_id) VALUES (NEW.user_id)"),
    ("outside value", "policy o_setting on public.users",
     "CREATE POLICY o_setting ON users USING (id = current_setting('app.user')::bigint)"),
    ("outside value", "function public.o_parameter(bigint)",
     "CREATE FUNCTION o_parameter(bigint) RETURNS text LANGUAGE sql BEGIN ATOMIC "
     "SELECT name FROM users WHERE id = $1; END"),
    ("function", *view("o_call", "SELECT level(id, 5) AS l FROM users")),
    ("function", *view("o_called", "SELECT level(id, n) > 5 AS l FROM users")),
    ("function", *view("o_link", "SELECT '/users/' || id AS link FROM users")),
    ("function", *view("o_format", "SELECT format('user %s', id) AS text FROM users")),
    ("function", *view("o_list", "SELECT string_agg(id::text, ',') AS list FROM users")),
    ("function", *view("o_object", "SELECT jsonb_build_object('id', id) AS object FROM users")),
    ("whole row", *view("o_row", "SELECT to_jsonb(u) AS row FROM users AS u")),
    ("whole row", "trigger o_row_changed on public.posts",
     "CREATE TRIGGER o_row_changed AFTER UPDATE ON posts FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) "
     "EXECUTE FUNCTION see()"),
]  # fmt: skip

PARTITIONS = """
CREATE TABLE users (id bigint PRIMARY KEY);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TABLE visits (
    user_id bigint DEFAULT 1 REFERENCES users, n int, odd boolean GENERATED ALWAYS AS (user_id % 2 = 1) STORED,
    same bigint GENERATED ALWAYS AS (user_id) STORED, CONSTRAINT visits_check CHECK (user_id > 0))
    PARTITION BY RANGE (n);
CREATE INDEX visits_index ON visits (n) WHERE user_id = 5;
CREATE TRIGGER of_all AFTER UPDATE ON visits FOR EACH ROW WHEN (NEW.user_id = 1) EXECUTE FUNCTION see();
CREATE TABLE visits_1 PARTITION OF visits FOR VALUES FROM (1) TO (10);
CREATE TABLE visits_2 (LIKE visits INCLUDING ALL EXCLUDING INDEXES);
ALTER TABLE visits ATTACH PARTITION visits_2 FOR VALUES FROM (10) TO (20);
ALTER TABLE visits_1 ADD CONSTRAINT own_check CHECK (user_id < 1000);
CREATE INDEX visits_1_index ON visits_1 (n) WHERE same = 5;
ALTER TABLE visits_2 ALTER user_id SET DEFAULT 2;
CREATE TRIGGER of_one AFTER UPDATE ON visits_2 FOR EACH ROW WHEN (NEW.user_id = 1) EXECUTE FUNCTION see();
"""

# Keys of other types. Views called c_… have a constant beside a key, those called k_… have none.
TYPES = """
CREATE EXTENSION citext;
CREATE TYPE color AS ENUM ('red', 'green');
CREATE DOMAIN code AS text;
CREATE TABLE words (id varchar(10) PRIMARY KEY, n int, name text);
CREATE TABLE uses (word varchar(10) REFERENCES words, tags varchar[]);
CREATE TABLE uuids (id uuid PRIMARY KEY, n int);
CREATE TABLE caseless (id citext PRIMARY KEY, n int);
CREATE TABLE numerics (id numeric PRIMARY KEY, n int);
CREATE TABLE colors (id color PRIMARY KEY, n int);
CREATE TABLE codes (id code PRIMARY KEY, n int);
CREATE VIEW c_text AS SELECT n FROM words WHERE id = 'root';
CREATE VIEW c_lower AS SELECT n FROM words WHERE lower(id) = 'root';
CREATE VIEW c_like AS SELECT n FROM words WHERE id LIKE 'a%';
CREATE VIEW c_in AS SELECT n FROM words WHERE substr(id, 1, 2) IN ('a', 'b');
CREATE VIEW c_collate AS SELECT n FROM words WHERE id COLLATE "C" > 'x';
CREATE VIEW c_split AS SELECT n FROM words WHERE id = ANY (string_to_array('a,b', ','));
CREATE VIEW c_overlaps AS SELECT n FROM words WHERE ARRAY[id] && ARRAY['a']::varchar[];
CREATE VIEW c_reference AS SELECT word FROM uses WHERE word ~* 'x';
CREATE VIEW c_search AS SELECT to_tsvector('simple', id) @@ to_tsquery('simple', 'root') AS found FROM words;
CREATE VIEW c_json AS SELECT jsonb_build_object('id', id) ->> 'id' = 'root' AS found FROM words;
CREATE VIEW c_row AS SELECT r FROM (SELECT row_to_json(words.*) ->> 'id' AS r FROM words) AS x WHERE r = 'root';
CREATE VIEW c_select AS SELECT (SELECT u.word FROM uses AS u WHERE u.word = w.id LIMIT 1) = 'root' AS found
    FROM words AS w;
CREATE VIEW c_first AS SELECT first_value(id) OVER (ORDER BY n) = 'x' AS f FROM words;
CREATE VIEW c_mode AS SELECT mode() WITHIN GROUP (ORDER BY id) = 'x' AS f FROM words;
CREATE VIEW c_distinct AS SELECT DISTINCT ON (id = 'x') n FROM words ORDER BY id = 'x';
CREATE VIEW c_sets AS SELECT count(*) AS n FROM words GROUP BY GROUPING SETS ((id), (n)) HAVING id = 'x';
CREATE VIEW c_uuid AS SELECT n FROM uuids WHERE id = '00000000-0000-0000-0000-000000000001';
CREATE VIEW c_nil AS SELECT coalesce(id, '00000000-0000-0000-0000-000000000000') AS id FROM uuids;
CREATE VIEW c_citext AS SELECT n FROM caseless WHERE id = 'Root';
CREATE VIEW c_citext_min AS SELECT min(id) = 'Root' AS found FROM caseless;
CREATE VIEW c_numeric AS SELECT n FROM numerics WHERE id = 12.5;
CREATE VIEW c_bucket AS SELECT width_bucket(id, ARRAY[1, 5]::numeric[]) AS bucket FROM numerics;
CREATE VIEW c_range AS SELECT numrange(id, id, '[]') && '[1,5]' AS found FROM numerics;
CREATE VIEW c_enum AS SELECT n FROM colors WHERE id = 'red';
CREATE VIEW c_domain AS SELECT n FROM codes WHERE id = 'red';
CREATE VIEW k_other AS SELECT n FROM words WHERE name = 'x' AND id IS NOT NULL AND length(name) > 3;
CREATE VIEW k_array AS SELECT w.n FROM words AS w JOIN uses AS u ON u.word = w.id AND 'x' = ANY (u.tags);
CREATE VIEW k_label AS SELECT n, id || ' ' || name AS label FROM words;
CREATE VIEW k_list AS SELECT string_agg(id, ',' ORDER BY id) AS list FROM words WHERE n = 1;
CREATE VIEW k_lower AS SELECT lower(id) AS id FROM words WHERE lower(name) = 'x';
"""
