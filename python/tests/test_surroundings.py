"""Tests what kidctl tells before a move"""

from __future__ import annotations

import unittest
from typing import Optional

from support import Database

from pgkid.ctl import catalog
from pgkid.ctl.findings import Finding
from pgkid.ctl.obstacles import of_row_types
from pgkid.ctl.rekey import costs, lookalikes, surroundings
from pgkid.ctl.rekey.plan import Options


class Surroundings(unittest.TestCase):
    """Each test makes a schema in a database of its own."""

    def setUp(self) -> None:
        self.database = Database()
        self.addCleanup(self.database.close)

    def look(
        self, table: str, new_rows_only: bool = False, new_type: str = "kid64", old_name: Optional[str] = None
    ) -> list[Finding]:
        """Returns what is told of a move of a table."""
        conn = self.database.conn
        oid = catalog.table(conn, f"public.{table}").oid
        options = Options(new_type, None, None, None, None, old_name, "off", new_rows_only)
        return list(surroundings.look(conn, catalog.related(conn, oid), options, new_type))

    def told(self, found: list[Finding], kind: str, name: str) -> str:
        """Returns the message about an object."""
        messages = [f.message for f in found if (f.kind, f.object) == (kind, name)]
        self.assertEqual(1, len(messages), f"{kind} {name} in {found}")
        return messages[0]

    def names(self, found: list[Finding], kind: str) -> set[str]:
        """Returns the objects of one kind."""
        return {f.object for f in found if f.kind == kind}

    def test_references(self) -> None:
        self.database.run(
            """
            CREATE TABLE posts (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
            CREATE TABLE flags (id int PRIMARY KEY);
            CREATE DOMAIN number AS bigint;
            CREATE TABLE pools (post_ids bigint[], "postId" int, post bigint, id_post number, fk_posts bigint,
                repost_id bigint, stripe_id varchar, flag_id boolean, flags_id bigint REFERENCES flags, flag_no bigint,
                owner_flag_id bigint, poster bigint, "authorPostID" numeric, created_by bigint, n bigint);
            CREATE TABLE linked (post_id bigint REFERENCES posts);
            CREATE SCHEMA audit; CREATE TABLE audit.log (post_id bigint);
            CREATE TABLE parts (post_id bigint) PARTITION BY RANGE (post_id);
            CREATE TABLE parts_1 PARTITION OF parts DEFAULT;
            CREATE TABLE comments (owner_type text, owner_id bigint, subject_type text, subject_id bigint);
            CREATE TABLE events (id bigint, type text);
            INSERT INTO comments SELECT 'Post', n, 'Flag', n FROM generate_series(1, 100) AS n;
            INSERT INTO pools (post) SELECT n FROM generate_series(5, 90) AS n;
            ANALYZE comments, pools;
            """
        )
        found = self.look("posts", new_type="bigint")
        named = {f.object for f in found if f.kind == "references" and "looks like" in f.message}
        self.assertEqual(
            named,
            {
                f"column {c} of public.pools"
                for c in ("post_ids", '"postId"', "post", "id_post", "fk_posts", '"authorPostID"')
            }
            | {"column post_id of audit.log", "column post_id of public.parts"},
        )
        self.assertIn("arrays cannot", self.told(found, "references", "column post_ids of public.pools"))
        self.assertIn("too narrow", self.told(found, "references", 'column "postId" of public.pools'))
        self.assertNotIn("too narrow", self.told(found, "references", "column post of public.pools"))
        self.assertIn("from 5 to 90", self.told(found, "references", "column post of public.pools"))
        self.assertIn("as owner_type tells", self.told(found, "references", "column owner_id of public.comments"))
        hints = {f.object: f.hint for f in found if f.kind == "references"}
        self.assertIn("give it one", hints["column post of public.pools"].lower())
        self.assertIn("between swap and finish", hints["column owner_id of public.comments"])
        self.assertNotIn("column subject_id of public.comments", self.names(found, "references"))
        self.assertNotIn("column id of public.events", self.names(found, "references"))
        unclear = self.told(found, "references", "")
        self.assertIn("repost_id", unclear)
        self.assertIn("created_by", unclear)
        for no in ("stripe_id", "flag", "column n of", "poster"):
            self.assertNotIn(no, unclear)

    def test_generic_references(self) -> None:
        """Beside a foreign key to django_content_type, keys are in texts, too. That stops no move."""
        self.database.run(
            """
            CREATE TABLE django_content_type (id serial PRIMARY KEY, app_label text, model text);
            CREATE TABLE shop_order (id bigserial PRIMARY KEY);
            CREATE TABLE django_admin_log (id serial PRIMARY KEY, object_id text, object_repr varchar,
                content_type_id int REFERENCES django_content_type, user_id int);
            CREATE TABLE actions (actor_object_id varchar, actor_content_type_id int REFERENCES django_content_type,
                assigned_object_id bigint, assigned_object_type_id int REFERENCES django_content_type, note_id text,
                tags_object_id text[]);
            CREATE TABLE tags (object_id int, object_pk text, content_type_id int REFERENCES django_content_type);
            CREATE TABLE without_key (object_id text, content_type_id int);
            """
        )
        generic = {
            "column object_id of public.django_admin_log",
            "column actor_object_id of public.actions",
            "column assigned_object_id of public.actions",
            "column object_id of public.tags",
            "column object_pk of public.tags",
        }
        found = [f for f in self.look("shop_order") if "refers to its model" in f.message]
        self.assertEqual(generic, {f.object for f in found})
        self.assertEqual({False}, {f.stops for f in found})
        self.assertEqual({True}, {"--old-name" in f.hint for f in found})
        log = self.told(found, "references", "column object_id of public.django_admin_log")
        self.assertIn("keys of shop_order in some rows, if content_type_id refers", log)
        self.assertNotIn("change its type", log)
        self.assertIn("change its type before", self.told(found, "references", "column object_id of public.tags"))
        # If only new rows get new keys, only a column that is too narrow for them is told.
        narrow = self.look("shop_order", new_rows_only=True, new_type="bigint")
        self.assertEqual({"column object_id of public.tags"}, self.names(narrow, "references"))
        self.assertIn("too narrow", self.told(narrow, "references", "column object_id of public.tags"))

    def test_short_names_of_tables(self) -> None:
        """A column that only ends with a letter is not called after a table with that name."""
        short, long = lookalikes.Names(["t"], ["id"], set()), lookalikes.Names(["tags"], ["id"], set())
        self.assertEqual([True] * 4, [short.fit(name) for name in ("t", "t_id", "tId", "id_t")])
        self.assertEqual([False] * 3, [short.fit(name) for name in ("last_t", "not_t_id", "wasT")])
        self.assertEqual([True] * 3, [long.fit(name) for name in ("tag_id", "last_tag_id", "lastTag")])

    def test_names_of_tables(self) -> None:
        self.database.run(
            """
            CREATE TABLE "auth_userCategories" (id uuid PRIMARY KEY);
            CREATE TABLE extra (user_category_id uuid PRIMARY KEY REFERENCES "auth_userCategories");
            CREATE TABLE other (category_id uuid, user_category_uuid uuid, "authUserCategoryId" uuid, extra_id uuid);
            """
        )
        found = self.look('"auth_userCategories"', new_type="uuid")
        self.assertEqual(
            {'column "authUserCategoryId" of public.other', "column category_id of public.other"}
            | {f"column {c} of public.other" for c in ("user_category_uuid", "extra_id")},
            {f.object for f in found if "looks like" in f.message},
        )

    def test_trigger_functions(self) -> None:
        self.database.run(
            """
            CREATE TABLE customers (id bigserial PRIMARY KEY, b text);
            CREATE TABLE invoices (customer_id bigint REFERENCES customers);
            CREATE TABLE audit (entity bigint);
            CREATE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN INSERT INTO audit VALUES ((to_jsonb(NEW) ->> TG_ARGV[0])::bigint); RETURN NULL; END $$;
            CREATE TRIGGER log AFTER INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION log_change('customer_id');
            CREATE FUNCTION unrelated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE TRIGGER log AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION unrelated();
            """
        )
        found = self.look("customers")
        message = self.told(found, "functions", "function public.log_change()")
        self.assertIn("runs as trigger log on public.invoices", message)
        self.assertIn("gets customer_id as an argument", message)
        self.assertIn("uses whole rows", message)
        self.assertEqual({"function public.log_change()"}, self.names(found, "functions"))

    def test_functions(self) -> None:
        self.database.run(
            """
            CREATE TABLE p (id bigserial PRIMARY KEY, b text);
            CREATE TABLE archive (LIKE p);
            CREATE FUNCTION all_p() RETURNS SETOF p LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT id, b FROM p; END';
            CREATE FUNCTION one(p_id int) RETURNS text LANGUAGE sql AS 'SELECT b FROM p WHERE id = $1';
            CREATE FUNCTION keep() RETURNS void LANGUAGE sql AS 'INSERT INTO archive SELECT * FROM p';
            CREATE FUNCTION add() RETURNS void LANGUAGE plpgsql
                AS $$ BEGIN INSERT INTO public."p" VALUES (1, 'x'); END $$;
            CREATE FUNCTION remark() RETURNS void LANGUAGE sql AS '/* p */ SELECT 1 -- p';
            CREATE SCHEMA kidctl_rekey_p_1;
            CREATE FUNCTION kidctl_rekey_p_1.follow() RETURNS void LANGUAGE sql AS 'SELECT count(*) FROM p';
            CREATE FUNCTION other() RETURNS void LANGUAGE sql AS 'SELECT 1 AS pp';
            CREATE FUNCTION root() RETURNS text LANGUAGE sql AS 'SELECT b FROM p WHERE id NOT IN (1, 2) OR b = $$x$$';
            """
        )
        found = self.look("p")
        self.assertIn("takes or returns whole rows", self.told(found, "functions", "function public.all_p()"))
        self.assertIn("has the parameters p_id integer", self.told(found, "functions", "function public.one(integer)"))
        self.assertIn("reads all columns of p", self.told(found, "functions", "function public.keep()"))
        self.assertIn("no list of columns for p", self.told(found, "functions", "function public.add()"))
        self.assertIn("compares it with a constant", self.told(found, "functions", "function public.root()"))
        self.assertNotIn("compares", self.told(found, "functions", "function public.one(integer)"))
        self.assertEqual(5, len(self.names(found, "functions")))

    def test_random_uuids(self) -> None:
        self.database.run(
            """
            CREATE TABLE by_default (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
            CREATE TABLE by_value (id uuid PRIMARY KEY);
            INSERT INTO by_value SELECT gen_random_uuid() FROM generate_series(1, 90);
            CREATE TABLE ordered (id uuid PRIMARY KEY);
            INSERT INTO ordered SELECT ('0190a000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid
                FROM generate_series(1, 90) AS n;
            ANALYZE by_value, ordered;
            """
        )
        self.assertIn("as its default", self.told(self.look("by_default"), "times", "column id"))
        self.assertIn("90 of 90", self.told(self.look("by_value"), "times", "column id"))
        self.assertEqual(set(), self.names(self.look("ordered"), "times"))
        self.assertEqual(set(), self.names(self.look("by_value", True, "uuid"), "times"))

    def test_queries_as_text(self) -> None:
        self.database.run(
            """
            CREATE TABLE sales (id bigserial PRIMARY KEY, n int);
            CREATE VIEW shown AS SELECT query_to_xml('SELECT id FROM public.sales', true, false, '') AS x;
            CREATE VIEW named AS SELECT id, 'sales' AS kind, 'from wholesales' AS origin FROM sales;
            CREATE MATERIALIZED VIEW renamed AS TABLE named;
            CREATE VIEW through AS SELECT query_to_xml('SELECT id FROM public.renamed', true, false, '') AS x;
            CREATE FUNCTION first_one() RETURNS bigint LANGUAGE sql AS 'SELECT min(id) FROM public.named';
            """
        )
        found = self.look("sales")
        self.assertIn("a query as text, which names sales", self.told(found, "functions", "view public.shown"))
        self.assertIn("a query as text, which names renamed", self.told(found, "functions", "view public.through"))
        self.assertIn("its text names named", self.told(found, "functions", "function public.first_one()"))
        self.assertEqual(3, len(self.names(found, "functions")))

    def test_shared_sequence(self) -> None:
        self.database.run(
            """
            CREATE SEQUENCE numbers;
            CREATE TABLE a (id bigint PRIMARY KEY DEFAULT nextval('numbers'));
            CREATE TABLE b (id bigint PRIMARY KEY DEFAULT nextval('numbers'));
            CREATE TABLE c (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, n bigserial);
            ALTER SEQUENCE numbers OWNED BY a.id;
            CREATE VIEW shown AS SELECT id FROM b;
            CREATE RULE makes AS ON INSERT TO shown
                DO INSTEAD INSERT INTO b VALUES (coalesce(NEW.id, nextval('numbers')));
            """
        )
        names = {"rule makes on public.shown", "default value for public.b.id"}
        found = self.look("a")
        self.assertEqual(names, self.names(found, "refused"))
        self.assertIn("public.numbers", self.told(found, "refused", "default value for public.b.id"))
        self.assertIn(
            "ALTER SEQUENCE public.numbers OWNED BY NONE.", "".join(f.hint for f in found if f.object in names)
        )
        self.assertEqual(names, self.names(self.look("a", old_name="old_id"), "note"))
        self.assertEqual(names, self.names(self.look("a", new_rows_only=True), "note"))
        self.assertEqual(set(), self.names(self.look("c"), "refused"))

    def test_row_types(self) -> None:
        self.database.run(
            """
            CREATE TABLE p (id bigserial PRIMARY KEY, b text);
            CREATE DOMAIN row_of_p AS p;
            CREATE TYPE pair AS (a int, r p[]);
            CREATE TABLE snap (d row_of_p, x pair, y pair[], r p);
            """
        )
        conn = self.database.conn
        found = list(of_row_types(conn, [catalog.table(conn, "public.p").oid], "whose key would be lost"))
        self.assertEqual({f"column {c} of public.snap" for c in "dxyr"}, self.names(found, "refused"))
        self.assertFalse(self.names(self.look("p"), "note"))

    def test_clients(self) -> None:
        self.database.run(
            """
            CREATE TABLE p (id bigserial PRIMARY KEY, b text);
            CREATE TABLE c (p bigint REFERENCES p);
            CREATE TABLE o (n int);
            CREATE PUBLICATION everything FOR ALL TABLES; CREATE PUBLICATION one FOR TABLE p (id), o;
            CREATE PUBLICATION schemas FOR TABLES IN SCHEMA public; CREATE PUBLICATION none FOR TABLE o;
            CREATE SUBSCRIPTION s CONNECTION 'dbname=none' PUBLICATION x WITH (connect = false);
            """
        )
        found = self.look("p")
        self.assertEqual("publishes public.p with a list of columns", self.told(found, "clients", "publication one"))
        self.assertEqual("publishes public.c, public.p", self.told(found, "clients", "publication everything"))
        self.assertEqual("publishes public.c, public.p", self.told(found, "clients", "publication schemas"))
        self.assertNotIn("publication none", self.names(found, "clients"))
        self.assertIn("SELECT id and RETURNING id", self.told(found, "clients", "prepared statements"))
        same_type = self.told(self.look("p", new_type="bigint"), "clients", "prepared statements")
        self.assertIn("RETURNING *", same_type)
        self.assertNotIn("RETURNING id", same_type)
        self.database.run("ALTER SUBSCRIPTION s SET (slot_name = NONE); DROP SUBSCRIPTION s")

    def test_times_and_costs(self) -> None:
        self.database.run(
            """
            CREATE DOMAIN kid64 AS bigint;
            CREATE FUNCTION kid_timestamp(kid64) RETURNS timestamptz LANGUAGE sql RETURN NULL::timestamptz;
            CREATE TABLE p (id bigserial PRIMARY KEY, seen timestamptz, created_at timestamp NOT NULL, day date, n int,
                order_id kid64, token uuid);
            CREATE TABLE c (p bigint REFERENCES p); CREATE INDEX ON c (p);
            INSERT INTO p (created_at) SELECT now() FROM generate_series(1, 40000); INSERT INTO c SELECT id FROM p;
            VACUUM p; VACUUM c;
            """.replace(
                "VACUUM p; VACUUM c;", ""
            )
        )
        self.assertIn("ANALYZE public.p, public.c;", [f.hint for f in self.look("p") if f.kind == "costs"])
        self.database.run("VACUUM ANALYZE p, c")
        found = self.look("p")
        times = [f.object for f in found if f.kind == "times"]
        self.assertEqual(["--time created_at", "--time seen", "--time day", "--time order_id"], times)
        self.assertIn("80,000 in 2 tables", self.told(found, "costs", "rows"))
        self.assertIn("0:00:03", self.told(found, "costs", "duration"))
        heap, key, reference = self.database.conn.execute(
            "SELECT pg_relation_size('public.p') + pg_relation_size('public.c'), pg_relation_size('public.p_pkey'),"
            " pg_relation_size('public.c_p_idx')"
        ).fetchall()[0]
        conn = self.database.conn
        size = costs.size(conn, catalog.related(conn, catalog.table(conn, "public.p").oid))
        self.assertEqual(heap + key + reference, size.bytes)
        # New versions of all rows and of all index entries, twins, of the key two, and 90 bytes for each key.
        self.assertEqual(size.bytes + 2 * key + reference + 90 * 40000, size.disk)
        self.assertEqual(2 * heap + 3 * key + 2 * reference + 300 * 80000 + 200 * 40000, size.wal)


if __name__ == "__main__":
    unittest.main()
