-- kid-ids: IDs of 8 bytes, in plain SQL
--
-- A module of the edition in plain SQL is one DO statement. begin.sql.in opens its body in PL/pgSQL, and end.sql closes
-- it, so the parts between can have IF and PERFORM besides CREATE. What makes up a module is in a file parts.sql, so
-- that kid-all has the same.

\set about kid in plain SQL, for a server where no extension in C can be installed: IDs of 8 bytes
\set schemas kid,kid_clocks
\set extschema kid

\i plain/begin.sql.in
\i plain/no_extension.sql
\i plain/schemas.sql.in
\i plain/search_path.sql
\i plain/version.sql.in
\i plain/ids/parts.sql
\i plain/rights.sql
\i plain/end.sql
