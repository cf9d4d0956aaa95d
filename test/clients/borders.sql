-- Tables for programs that read from PostgreSQL without knowing kid: a table for each kind of key, each with two rows
-- whose IDs are neighbors, so that they are equal if a program rounds them. `kinds` has the texts of these IDs, in the
-- order of the columns of the table in docs/clients/tools.md.
CREATE DOMAIN kid64_domain AS kid64;
CREATE DOMAIN bigint_domain AS bigint;

CREATE TABLE of_kid64 (id kid64 PRIMARY KEY, item text);
CREATE TABLE of_kid64_domain (id kid64_domain PRIMARY KEY, item text);
CREATE TABLE of_kid64_as_bigint (id bigint PRIMARY KEY, item text);
CREATE TABLE of_kid53 (id bigint PRIMARY KEY, item text);
CREATE TABLE of_kid53_domain (id bigint_domain PRIMARY KEY, item text);
CREATE TABLE of_uuid (id uuid PRIMARY KEY, item text);

CREATE TABLE kinds (nr int PRIMARY KEY, name regclass, ids text[]);
INSERT INTO kinds VALUES
    (1, 'of_kid64', '{.6.nef3Mk.3,.6.nef3Mk.7}'),
    (2, 'of_kid64_domain', '{.6.nef3Mk.3,.6.nef3Mk.7}'),
    (3, 'of_kid64_as_bigint', '{31582005600174081,31582005600174082}'),
    (4, 'of_kid53', '{9007199254740990,9007199254740991}'),
    (5, 'of_kid53_domain', '{9007199254740990,9007199254740991}'),
    (6, 'of_uuid', '{019aa4f5-2ee9-7000-8000-000000000001,019aa4f5-2ee9-7000-8000-000000000002}');

-- Programs call this once they listen, or at once if they read what is there.
CREATE PROCEDURE insert_rows() LANGUAGE plpgsql AS $$
DECLARE
    kind kinds;
BEGIN
    FOR kind IN SELECT * FROM kinds ORDER BY nr LOOP
        EXECUTE format('INSERT INTO %s (id, item) SELECT unnest(%L::text[])::%s, ''tea''', kind.name, kind.ids,
                       (SELECT format_type(atttypid, NULL) FROM pg_attribute
                         WHERE (attrelid, attname) = (kind.name, 'id')));
    END LOOP;
END $$;
