-- Compares rows of the table in docs/clients/tools.md with what a program of borders.sql printed, read from psql's
-- input. A line has the name of the row and the cells after it, between tabs. The last line is `ok:` and the names, or
-- `not so:`; before that come the rows that the page lacks.
CREATE TEMPORARY TABLE printed (line text);
\copy printed FROM pstdin (FORMAT csv, DELIMITER E'\001', QUOTE E'\002')
\set page `cat ../../docs/clients/tools.md`
CREATE TEMPORARY TABLE compared AS
SELECT split_part(line, E'\t', 1) AS name, row, strpos(E'\n' || :'page', E'\n' || row || E'\n') > 0 AS shown
  FROM printed, LATERAL (SELECT '| ' || replace(line, E'\t', ' | ') || ' |') AS r (row)
 WHERE array_length(string_to_array(line, E'\t'), 1) = 7;

SELECT 'docs/clients/tools.md lacks this row: ' || row FROM compared WHERE NOT shown;
SELECT line FROM printed WHERE array_length(string_to_array(line, E'\t'), 1) <> 7;
SELECT CASE WHEN bool_and(shown) AND count(*) = (SELECT count(*) FROM printed) THEN 'ok: ' ELSE 'not so: ' END
       || coalesce(string_agg(name, ', '), 'nothing')
  FROM compared;
