-- Who may install kid, and where.

-- It can be moved, and goes on working.
CREATE SCHEMA elsewhere;
ALTER EXTENSION kid SET SCHEMA elsewhere;
SELECT elsewhere.kid_next() OPERATOR(elsewhere.<) elsewhere.kid_next() AS rising;
SELECT count(*) FROM elsewhere.kid_inspect(elsewhere.kid_next());
SELECT elsewhere.kid64_make('2026-11-21', 0) OPERATOR(elsewhere.-) elsewhere.kid64_make('2026-11-20', 0) AS difference;
CREATE TABLE elsewhere.t (id elsewhere.kid64 PRIMARY KEY DEFAULT elsewhere.kid_next());
INSERT INTO elsewhere.t DEFAULT VALUES RETURNING elsewhere.kid_timestamp(id) <= clock_timestamp() AS past;

-- It cannot go while it is in use, and goes with what uses it.
DROP EXTENSION kid;
DROP EXTENSION kid CASCADE;
DROP SCHEMA elsewhere CASCADE;

-- Whoever may create objects in the database may install it.
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
