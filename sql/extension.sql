-- Who may install kid, and in which schema.
SELECT kid_version() = extversion AS same FROM pg_extension WHERE extname = 'kid';

-- The extension stays in the schema in which it was created.
CREATE SCHEMA elsewhere;
ALTER EXTENSION kid SET SCHEMA elsewhere;

-- It works in any schema, and after that was renamed. PostgreSQL does not create it in a schema whose name needs more than quotes.
DROP EXTENSION kid;
CREATE SCHEMA "it's";
CREATE EXTENSION kid SCHEMA "it's";
CREATE SCHEMA "a $x$ b";
CREATE EXTENSION kid SCHEMA "a $x$ b";
DROP SCHEMA "it's", "a $x$ b";
CREATE SCHEMA "Kid, ({x}) @type@";
CREATE EXTENSION kid SCHEMA "Kid, ({x}) @type@";
ALTER SCHEMA elsewhere RENAME TO nowhere;
ALTER SCHEMA "Kid, ({x}) @type@" RENAME TO elsewhere;
DROP SCHEMA nowhere;
SELECT elsewhere.kid_next() OPERATOR(elsewhere.<) elsewhere.kid_next() AS rising;
SELECT count(*) FROM elsewhere.kid_inspect(elsewhere.kid_next());
SELECT elsewhere.kid64_make('2026-11-21', 0) OPERATOR(elsewhere.-) elsewhere.kid64_make('2026-11-20', 0) AS difference;
CREATE TABLE elsewhere.t (id elsewhere.kid64 PRIMARY KEY DEFAULT elsewhere.kid_next());
INSERT INTO elsewhere.t DEFAULT VALUES RETURNING elsewhere.kid_timestamp(id) <= clock_timestamp() AS past;

-- A role without USAGE on that schema can use tables, indexes and views that others defined with kid.
CREATE TABLE public.events (id elsewhere.kid64 DEFAULT elsewhere.kid_next() CHECK (id OPERATOR(elsewhere.<@) tstzrange('2020-01-01', NULL)), n int);
CREATE INDEX ON public.events (n) WHERE id OPERATOR(elsewhere.>) timestamptz '2026-01-01';
CREATE VIEW public.recent AS SELECT * FROM public.events WHERE id OPERATOR(elsewhere.>) timestamptz '2026-01-01';
CREATE ROLE regress_kid_user;
GRANT SELECT, INSERT ON public.events, public.recent TO regress_kid_user;
SET ROLE regress_kid_user;
INSERT INTO public.events DEFAULT VALUES;
SELECT count(*) FROM public.recent;
SELECT elsewhere.kid_next();
RESET ROLE;
DROP TABLE public.events CASCADE;
DROP ROLE regress_kid_user;

-- The extension cannot be dropped while objects depend on it; CASCADE drops those objects too.
DROP EXTENSION kid;
DROP EXTENSION kid CASCADE;
DROP SCHEMA elsewhere CASCADE;

-- Any role that may create objects in the database may install the extension.
CREATE ROLE regress_kid_owner;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_kid_owner', current_database()) \gexec
SET ROLE regress_kid_owner;
CREATE SCHEMA kid_schema;
CREATE EXTENSION kid SCHEMA kid_schema;
SELECT kid_schema.kid_next() IS NOT NULL AS works;
DROP EXTENSION kid;
DROP SCHEMA kid_schema;
RESET ROLE;
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_kid_owner', current_database()) \gexec
DROP ROLE regress_kid_owner;
CREATE EXTENSION kid;

-- The install script has a DO block in plpgsql, and a database may have dropped that language.
DROP EXTENSION kid;
DROP EXTENSION plpgsql;
CREATE EXTENSION kid;
CREATE EXTENSION kid CASCADE;
