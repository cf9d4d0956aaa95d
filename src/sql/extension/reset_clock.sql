-- Lowering the logical clocks, after the system clock was wrong

CREATE FUNCTION @extschema@.kid_hold_clocks(above timestamptz, OUT clock text, OUT until timestamptz)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 5 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION @extschema@.kid_hold_clocks(above timestamptz) IS
    'keeps transactions that have made no ID yet from making IDs of clocks that are ahead of a time, until '
    'kid_reset_clock() or the end of this transaction';

CREATE FUNCTION @extschema@.kid_lower_clocks(
    above timestamptz, force boolean, later text, unseen text, unknown text) RETURNS void
    LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION @extschema@.kid_lower_clocks(timestamptz, boolean, text, text, text) IS
    'lowers the clocks that are held; a part of kid_reset_clock()';

-- Runs no code of an owner of the schema or of a table, see kid_stored_ids().
--
-- Each statement has a snapshot of its own. So the second sees all rows of transactions that have ended when the first
-- returns, and from then on nobody makes IDs of these clocks. With `force` neither holds nor looks.
CREATE FUNCTION @extschema@.kid_reset_clock(above timestamptz, force boolean DEFAULT false) RETURNS void
    LANGUAGE SQL VOLATILE PARALLEL UNSAFE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('above') WHERE above IS NULL;
    SELECT @extschema@.kid_refuse_null('force') WHERE force IS NULL;
    SELECT count(*) FROM @extschema@.kid_hold_clocks(above) h WHERE NOT force;
    WITH columns AS MATERIALIZED (
        SELECT format('%s.%I', s.relation, s.column_name) AS name, s.later, s.later_issued, s.problem,
               s.passing
          FROM @extschema@.kid_hold_clocks(above) h, @extschema@.kid_stored_ids(h.until, h.clock, NULL::regclass) s
         WHERE NOT force
    )
    SELECT @extschema@.kid_lower_clocks(
        above, force,
        (SELECT string_agg(format('%s: %s of %s', t.name, t.later, t.later_issued), E'\n'::text)
           FROM (SELECT c.* FROM columns c WHERE c.later IS NOT NULL ORDER BY c.later_issued DESC LIMIT 5) t),
        string_agg(DISTINCT p.line, E'\n'::text) FILTER (WHERE p.passing),
        string_agg(DISTINCT p.line, E'\n'::text) FILTER (WHERE NOT p.passing))
      FROM (SELECT format('%s: %s', c.name, c.problem) AS line, c.passing
              FROM columns c WHERE c.later IS NULL AND c.problem IS NOT NULL) p;
END;
COMMENT ON FUNCTION @extschema@.kid_reset_clock(above timestamptz, force boolean) IS
    'lowers the logical clocks that are ahead of a time and of the system clock, unless a row has a later ID; with '
    'force it does not look at rows';

REVOKE ALL ON FUNCTION @extschema@.kid_hold_clocks(timestamptz),
    @extschema@.kid_lower_clocks(timestamptz, boolean, text, text, text),
    @extschema@.kid_reset_clock(timestamptz, boolean) FROM PUBLIC;
