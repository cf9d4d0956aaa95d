\echo Use "CREATE EXTENSION kid" to load this file. \quit

-- Before anything that the library may not have.
CREATE FUNCTION kid_require_library(text) RETURNS void
    LANGUAGE C STRICT AS 'MODULE_PATHNAME';
SELECT kid_require_library('@version@'::pg_catalog.text);
DROP FUNCTION kid_require_library(text);
