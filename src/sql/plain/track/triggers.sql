-- The triggers of kid_track() in PL/pgSQL, see tables/track/source.sql.in for their locks and for their arguments. Of
-- kid_track_enter(), TG_ARGV[0] is the OID of the table when it was tracked, [1] that of the sequence, [2] by how many
-- bits its value is shifted, [3] whether kid_track() granted the right to read it, and [4] whether rows are rejected.
--
-- They set no search_path, which would double their time, so they use no operator of the caller's. They assign results
-- that they need not keep, because PERFORM would be a query.

CREATE OR REPLACE FUNCTION kid_track_key(tab oid, floor bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (tab::bigint & bigint '8388607') << 40 | (floor & bigint '1099511627775');
COMMENT ON FUNCTION kid_track_key(tab oid, floor bigint) IS
    'returns the key of the advisory lock of a table and a floor';

-- Searches the catalogs, as after a restore. Null if there is no sequence that this role may read: kid_horizon() fails.
-- Queries read the catalogs with the snapshot of the transaction. One that is older than the trigger cannot know the
-- sequence.
CREATE OR REPLACE FUNCTION kid_track_find(tab oid) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    seq oid;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = tab AND t.tgname = 'kid_track') THEN
        RAISE 'could not serialize access because table % was tracked after this transaction began', tab::regclass
            USING ERRCODE = 'serialization_failure', HINT = 'Try the transaction again.';
    END IF;
    SELECT s.seq INTO seq
      FROM kid.kid_track_column(tab) AS c, LATERAL kid.kid_track_source(tab, c.attname) AS s;
    RETURN CASE WHEN has_sequence_privilege(seq, 'SELECT') THEN pg_sequence_last_value(seq) END;
END $$;
COMMENT ON FUNCTION kid_track_find(tab oid) IS 'returns the last value of what a table draws from';

-- Takes the first two arguments of the trigger. Returns -1 if the sequence was never called.
CREATE OR REPLACE FUNCTION kid_track_reached(tab oid, tracked oid, seq oid) RETURNS bigint
    LANGUAGE SQL VOLATILE
RETURN coalesce(CASE WHEN tab = tracked AND has_sequence_privilege(seq, text 'SELECT')
                     THEN pg_sequence_last_value(seq::regclass) ELSE kid_track_find(tab) END, bigint '-1');
COMMENT ON FUNCTION kid_track_reached(tab oid, tracked oid, seq oid) IS
    'returns for the triggers the last value of what a table draws from; '
    'faster if the table still has the OID with which its sequence was found';

-- The setting kid_track.fOID has the floor whose lock this transaction or subtransaction holds. No row is missed if it
-- was set by hand: the trigger takes the lock of the lesser of that floor and the true one, within half of the range of
-- keys, which is 2^39 or 549755813888. If others hold that lock exclusively, one that is not far below does as well:
-- each try doubles the range of the next one, to at most 2^37 or 137438953472. To take a lock again costs little.
--
-- The first statement of a transaction assigns the transaction ID instead of the setting, which would take a third of
-- its time. The second one sets the setting. Each expression takes time in each transaction, so the first has only one.
CREATE OR REPLACE FUNCTION kid_track_enter() RETURNS trigger
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    setting pg_catalog.text;
    held bigint;
    last bigint;
    floor bigint;
    range bigint := 1;
BEGIN
    IF TG_ARGV[4] IS NULL AND pg_catalog.pg_current_xact_id_if_assigned() IS NULL
       AND pg_catalog.pg_try_advisory_xact_lock_shared(kid.kid_track_key(TG_RELID,
               kid.kid_track_reached(TG_RELID, TG_ARGV[0]::pg_catalog.oid, TG_ARGV[1]::pg_catalog.oid)
                   OPERATOR(pg_catalog.>>) TG_ARGV[2]::integer))
       AND pg_catalog.pg_current_xact_id() IS NOT NULL THEN
        RETURN NEW;
    END IF;
    setting := pg_catalog.concat('kid_track.f', TG_RELID);
    held := CASE WHEN pg_catalog.current_setting(setting, true) OPERATOR(pg_catalog.<>) ''
                 THEN pg_catalog.current_setting(setting, true)::bigint END;
    last := kid.kid_track_reached(TG_RELID, TG_ARGV[0]::pg_catalog.oid, TG_ARGV[1]::pg_catalog.oid)
            OPERATOR(pg_catalog.>>) TG_ARGV[2]::integer;
    floor := greatest(least(held, last), last OPERATOR(pg_catalog.-) 549755813888);
    WHILE NOT pg_catalog.pg_try_advisory_xact_lock_shared(kid.kid_track_key(TG_RELID, floor)) LOOP
        IF range OPERATOR(pg_catalog.>) 137438953472 THEN
            RAISE 'could not lock a floor of table %', TG_RELID::pg_catalog.regclass
                USING ERRCODE = 'lock_not_available',
                      DETAIL = 'Other sessions hold advisory locks with the keys of its floors exclusively.',
                      HINT = 'End these sessions; pg_locks lists them.';
        END IF;
        floor := floor OPERATOR(pg_catalog.-) 1
                 OPERATOR(pg_catalog.-) pg_catalog.trunc(pg_catalog.random() OPERATOR(pg_catalog.*) range)::bigint;
        range := range OPERATOR(pg_catalog.*) 2;
    END LOOP;
    IF (held OPERATOR(pg_catalog.=) floor) IS NOT TRUE THEN
        setting := pg_catalog.set_config(setting, floor::pg_catalog.text, true);
        IF TG_ARGV[4] IS NOT NULL THEN
            -- Read after the lock was taken: what kid_track_check() accepts is above it.
            floor := kid.kid_track_reached(TG_RELID, TG_ARGV[0]::pg_catalog.oid, TG_ARGV[1]::pg_catalog.oid);
            setting := pg_catalog.set_config(pg_catalog.concat('kid_track.e', TG_RELID), floor::pg_catalog.text, true);
        END IF;
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION kid_track_enter() IS 'takes the lock of a transaction for `kid_horizon(table)`';

-- Rejects rows whose ID may have been drawn before the transaction had its lock: consumers could miss them.
--
-- TG_ARGV[0] names the column. PL/pgSQL reads a field of NEW only by a name in its source, so the whole row becomes
-- jsonb. That takes 4 microseconds for six short columns. EXECUTE 'SELECT ($1).' || column would plan a query for each
-- row, which takes 8. If the row has a text of 10 kB, both take the same time.
--
-- kid_uuidv7_state_of() is in kid-uuid, which a server with kid-track alone lacks. There no column of type uuid can be
-- tracked: kid_track() accepts one only if its default is kid_uuidv7(), which is in kid-uuid, too.
CREATE OR REPLACE FUNCTION kid_track_check() RETURNS trigger
    LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    id pg_catalog.text := pg_catalog.to_jsonb(NEW) OPERATOR(pg_catalog.->>) TG_ARGV[0];
    id_before pg_catalog.text;
    entered pg_catalog.text := pg_catalog.current_setting(pg_catalog.concat('kid_track.e', coalesce(
        pg_catalog.pg_partition_root(TG_RELID)::pg_catalog.oid, TG_RELID)), true);
    drawn bigint;                       -- what the sequence returned for this ID
BEGIN
    IF pg_catalog.strpos(id, '-') OPERATOR(pg_catalog.>) 1 THEN
        drawn := kid.kid_uuidv7_state_of(id::pg_catalog.uuid);
    ELSE
        drawn := id;
    END IF;
    IF entered OPERATOR(pg_catalog.<>) '' AND drawn OPERATOR(pg_catalog.>) entered::bigint THEN
        RETURN NEW;
    END IF;
    -- An update may leave an ID as it was.
    IF TG_OP OPERATOR(pg_catalog.=) 'UPDATE' THEN
        id_before := pg_catalog.to_jsonb(OLD) OPERATOR(pg_catalog.->>) TG_ARGV[0];
        IF id_before OPERATOR(pg_catalog.=) id OR (id_before IS NULL AND id IS NULL) THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE 'ID % was not made in this transaction', coalesce(id, 'NULL')
        USING ERRCODE = 'check_violation', DETAIL = 'Consumers that read up to the horizon would miss the row.',
              HINT = 'Leave the column to its default, and insert through the table that is tracked.';
END $$;
COMMENT ON FUNCTION kid_track_check() IS 'rejects rows whose ID was not made in their transaction';

-- TG_ARGV[3], which is the fourth part of tgargs, says whether kid_track() granted the right to read the sequence.
-- Triggers of other owners do not count, because any role can create one with any arguments, on a table with any
-- default.
CREATE OR REPLACE FUNCTION kid_track_drawers(seq oid) RETURNS TABLE (tab oid, granted boolean)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT c.oid, split_part(encode(t.tgargs, 'escape'), chr(92) || '000', 4) = 't'
      FROM pg_class AS s
           JOIN pg_class AS c ON c.relowner = s.relowner
           JOIN pg_trigger AS t ON t.tgrelid = c.oid AND t.tgname = 'kid_track'
                                   AND t.tgfoid = 'kid.kid_track_enter()'::regprocedure
           JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = t.tgattr[0]
     WHERE s.oid = seq AND (kid.kid_track_source(c.oid, a.attname)).seq = kid_track_drawers.seq;
END $$;
COMMENT ON FUNCTION kid_track_drawers(seq oid) IS
    'lists the tables that draw from a sequence, and whether every role may read it because of them';

CREATE OR REPLACE FUNCTION kid_track_grant(seq oid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF has_sequence_privilege('public', seq, 'SELECT') THEN
        RETURN EXISTS (SELECT FROM kid.kid_track_drawers(seq) AS d WHERE d.granted);
    END IF;
    EXECUTE format('GRANT SELECT ON SEQUENCE %s TO PUBLIC', seq::regclass);
    RAISE NOTICE 'every role may now read sequence %', seq::regclass
        USING HINT = 'kid_untrack() takes this right back.';
    RETURN true;
END $$;
COMMENT ON FUNCTION kid_track_grant(seq oid) IS
    'lets every role read a sequence; returns whether kid_track() did that, now or before';

CREATE OR REPLACE FUNCTION kid_track_granted(tab oid) RETURNS oid
    LANGUAGE SQL VOLATILE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT s.seq
      FROM pg_trigger AS t
           JOIN pg_attribute AS a ON a.attrelid = t.tgrelid AND a.attnum = t.tgattr[0],
           LATERAL (SELECT (kid_track_source(tab, a.attname)).seq OFFSET 0) AS s
     WHERE t.tgrelid = tab AND t.tgname = name 'kid_track'
           AND (SELECT bool_and(d.tab = t.tgrelid AND d.granted) FROM kid_track_drawers(s.seq) AS d);
END;
COMMENT ON FUNCTION kid_track_granted(tab oid) IS
    'returns the sequence that no other tracked table draws from, if kid_track() let every role read it';
