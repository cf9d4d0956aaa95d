# kidctl: a schema that has whatever PostgreSQL can attach to tables, columns, indexes, constraints, triggers,
# rules and views. Each of the three moves keeps all of it, and so do the ways back. On PostgreSQL 18 it has NOT
# NULL constraints with names and comments, NOT VALID and NO INHERIT, constraints that are NOT ENFORCED, temporal
# keys, and virtual generated columns, too.
# Versions: what can be attached to tables; 18 has more of it
use strict;
use warnings;
use Kidctl;
use Sql;
use Test::More;

my $node = kidctl_server();
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
$node->safe_psql('postgres', q{CREATE ROLE shop LOGIN BYPASSRLS CREATEDB; CREATE ROLE reader; CREATE ROLE client;
	GRANT SET ON PARAMETER session_replication_role TO shop});
use_database($node, 'postgres', role => 'shop');

# Runs kidctl as the owner of the tables. Returns what it prints, and its exit status.
sub kidctl
{
	my ($database, @arguments) = @_;
	return run_kidctl(connection_as($node, $database, 'shop'), @arguments);
}

# Does the same, and tests that it succeeds. Returns what it prints.
sub kidctl_ok
{
	my ($database, @arguments) = @_;
	my ($out, $status) = kidctl(@_);
	is($status, 0, "kidctl @arguments[0, 1] in $database") or diag($out);
	return $out;
}

sub dump_of { return dump_schema($node->connstr($_[0])) =~ s/^--.*\n//mgr =~ s/\n\n+/\n/gr }

# Returns what pg_dump does not print of partitions: names and comments of their foreign keys, and comments of CHECKs.
sub of_partitions
{
	return sql_in($_[0], q{SELECT conrelid::regclass, conname, obj_description(oid, 'pg_constraint') FROM pg_constraint
		WHERE (conparentid <> 0 OR coninhcount > 0) AND obj_description(oid, 'pg_constraint') IS NOT NULL
			AND conrelid::regclass::text !~ '^base' AND conname !~ '^kid_' ORDER BY 1, 2});
}

# Returns the schema. Keys and references have these types; `data` are a column and a value for each row,
# if the key has no default.
sub schema
{
	my ($key, $ref, $names, $values) = @_;
	my $sql = q{
	CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
	CREATE TABLE users (id int PRIMARY KEY); INSERT INTO users VALUES (1);
	CREATE TABLE base (id KEY CONSTRAINT base_pkey PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01',
		item text COLLATE "C", n int, u int CONSTRAINT bu REFERENCES users DEFERRABLE INITIALLY DEFERRED,
		parent REF CONSTRAINT self REFERENCES base DEFERRABLE)
		WITH (fillfactor = 90, toast.autovacuum_enabled = off);
	COMMENT ON TABLE base IS 'table'; COMMENT ON COLUMN base.id IS 'id'; COMMENT ON COLUMN base.item IS 'item';
	COMMENT ON CONSTRAINT self ON base IS 'self'; COMMENT ON CONSTRAINT base_pkey ON base IS 'key';
	COMMENT ON CONSTRAINT bu ON base IS 'bu'; COMMENT ON INDEX base_pkey IS 'index of the key';
	ALTER TABLE base ALTER id SET (n_distinct = -0.5), ALTER item SET STORAGE EXTERNAL, ALTER item SET COMPRESSION pglz,
		ALTER id SET STATISTICS 44, ALTER item SET STATISTICS 0, ALTER n SET (n_distinct = 7, n_distinct_inherited = 8),
		ALTER parent SET STATISTICS 45, ALTER parent SET (n_distinct = 3), ALTER n SET NOT NULL;
	CREATE STATISTICS counted (ndistinct, dependencies, mcv) ON id, item, n FROM base;
	ALTER STATISTICS counted SET STATISTICS 55; COMMENT ON STATISTICS counted IS 'counted';
	CREATE STATISTICS of_expressions ON (n + 1), (lower(item)) FROM base;
	CREATE UNIQUE INDEX whole ON base (id, n) NULLS NOT DISTINCT WITH (fillfactor = 70);
	COMMENT ON INDEX whole IS 'whole'; CREATE UNIQUE INDEX identity ON base (id, n);
	ALTER TABLE base REPLICA IDENTITY USING INDEX identity; ALTER TABLE base CLUSTER ON identity;
	CREATE INDEX of_expressions_index ON base ((id::text || item), (n + 1));
	ALTER INDEX of_expressions_index ALTER COLUMN 1 SET STATISTICS 33;
	COMMENT ON INDEX of_expressions_index IS 'expressions';
	ALTER INDEX of_expressions_index DEPENDS ON EXTENSION plpgsql;
	CREATE INDEX on_n ON base USING brin (n) WITH (pages_per_range = 4); ALTER INDEX on_n DEPENDS ON EXTENSION plpgsql;
	ALTER TABLE base ADD CONSTRAINT two UNIQUE (id, made) DEFERRABLE INITIALLY DEFERRED;
	COMMENT ON CONSTRAINT two ON base IS 'two'; COMMENT ON INDEX two IS 'index of two';
	ALTER TABLE base ADD CONSTRAINT present CHECK (id IS NOT NULL); COMMENT ON CONSTRAINT present ON base IS 'present';

	CREATE TABLE lines (base REF NOT NULL CONSTRAINT lines_base REFERENCES base ON DELETE CASCADE
		DEFERRABLE INITIALLY DEFERRED, n int, t text, CONSTRAINT lines_check CHECK (base IS NOT NULL OR n > 1));
	ALTER TABLE lines ADD CONSTRAINT late CHECK (base IS NOT NULL) NOT VALID;
	COMMENT ON CONSTRAINT late ON lines IS 'late'; ALTER TABLE lines ADD r REF;
	ALTER TABLE lines ADD CONSTRAINT late_key FOREIGN KEY (r) REFERENCES base NOT VALID;
	COMMENT ON CONSTRAINT late_key ON lines IS 'late key'; COMMENT ON CONSTRAINT lines_base ON lines IS 'lines';
	COMMENT ON CONSTRAINT lines_check ON lines IS 'check';
	CREATE TABLE parts (base REF CONSTRAINT parts_base REFERENCES base,
		n int, t text, CONSTRAINT parts_check CHECK (base IS NOT NULL OR n > 1)) PARTITION BY LIST (n);
	CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
	CREATE TABLE parts_2 PARTITION OF parts DEFAULT PARTITION BY LIST (n);
	CREATE TABLE parts_3 PARTITION OF parts_2 DEFAULT;
	COMMENT ON CONSTRAINT parts_base ON parts IS 'parts'; COMMENT ON CONSTRAINT parts_base ON parts_1 IS 'part 1';
	COMMENT ON CONSTRAINT parts_base ON parts_3 IS 'part 3';
	COMMENT ON CONSTRAINT parts_check ON parts_1 IS 'check of part 1';
	ALTER TABLE parts_1 RENAME CONSTRAINT parts_base TO "key of 1";
	CREATE INDEX parts_index ON parts (base); COMMENT ON INDEX parts_1_base_idx IS 'index of part 1';
	COMMENT ON COLUMN parts_1.base IS 'column of part 1'; ALTER TABLE parts_1 ALTER base SET STATISTICS 12;
	ALTER TABLE parts_1 CLUSTER ON parts_1_base_idx; ALTER INDEX parts_1_base_idx RENAME TO "index of 1";
	CREATE TABLE excluding (base REF CONSTRAINT excluding_base REFERENCES base, n int, CONSTRAINT excluded EXCLUDE
		USING btree (base WITH =) DEFERRABLE); COMMENT ON CONSTRAINT excluded ON excluding IS 'excluded';
	COMMENT ON INDEX excluded IS 'index of excluded'; ALTER TABLE excluding CLUSTER ON excluded;
	CREATE TABLE keyed (id REF CONSTRAINT keyed_base REFERENCES base,
		n int NOT NULL, CONSTRAINT keyed_key UNIQUE (id, n) DEFERRABLE) PARTITION BY LIST (n);
	CREATE TABLE keyed_1 PARTITION OF keyed FOR VALUES IN (1); CREATE TABLE keyed_2 PARTITION OF keyed DEFAULT;
	COMMENT ON CONSTRAINT keyed_key ON keyed IS 'keyed'; COMMENT ON INDEX keyed_key IS 'index of keyed';
	ALTER TABLE keyed_1 RENAME CONSTRAINT keyed_1_id_n_key TO "unique 1";
	COMMENT ON CONSTRAINT "unique 1" ON keyed_1 IS 'unique 1'; COMMENT ON INDEX "unique 1" IS 'index of unique 1';
	ALTER TABLE keyed_1 CLUSTER ON "unique 1";

	CREATE TRIGGER always AFTER UPDATE OF id ON base FOR EACH ROW WHEN (OLD.n < NEW.n) EXECUTE FUNCTION nothing();
	ALTER TABLE base ENABLE ALWAYS TRIGGER always; COMMENT ON TRIGGER always ON base IS 'always';
	ALTER TRIGGER always ON base DEPENDS ON EXTENSION plpgsql;
	CREATE TRIGGER replica AFTER UPDATE OF id ON base FOR EACH ROW EXECUTE FUNCTION nothing();
	ALTER TABLE base ENABLE REPLICA TRIGGER replica;
	CREATE TRIGGER disabled BEFORE DELETE ON base FOR EACH ROW EXECUTE FUNCTION nothing();
	ALTER TABLE base DISABLE TRIGGER disabled;
	CREATE CONSTRAINT TRIGGER deferred AFTER INSERT OR UPDATE OF id ON base DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION nothing();
	COMMENT ON TRIGGER deferred ON base IS 'deferred'; ALTER TABLE base ENABLE REPLICA TRIGGER deferred;
	CREATE TRIGGER of_parts AFTER UPDATE OF base ON parts FOR EACH ROW EXECUTE FUNCTION nothing();
	ALTER TABLE parts_1 DISABLE TRIGGER of_parts;
	ALTER TABLE parts_3 ENABLE ALWAYS TRIGGER of_parts; COMMENT ON TRIGGER of_parts ON parts_1 IS 'of part 1';
	CREATE TRIGGER of_one AFTER UPDATE OF base ON parts_1 FOR EACH ROW EXECUTE FUNCTION nothing();
	ALTER TABLE parts_1 ENABLE ALWAYS TRIGGER of_one;
	CREATE CONSTRAINT TRIGGER from_base AFTER UPDATE OF base ON lines
		FROM base DEFERRABLE FOR EACH ROW EXECUTE FUNCTION nothing();
	CREATE RULE disabled AS ON DELETE TO base WHERE OLD.id IS NULL DO INSTEAD NOTHING;
	ALTER TABLE base DISABLE RULE disabled; COMMENT ON RULE disabled ON base IS 'rule';
	CREATE RULE replica AS ON DELETE TO lines WHERE OLD.base IS NULL DO INSTEAD NOTHING;
	ALTER TABLE lines ENABLE REPLICA RULE replica;
	CREATE RULE always AS ON DELETE TO parts WHERE OLD.base IS NULL DO ALSO NOTHING;
	ALTER TABLE parts ENABLE ALWAYS RULE always;

	CREATE VIEW shown WITH (security_barrier) AS SELECT id, item FROM base; COMMENT ON VIEW shown IS 'shown';
	ALTER VIEW shown ALTER item SET DEFAULT 'x'; COMMENT ON COLUMN shown.id IS 'shown id';
	CREATE TRIGGER instead INSTEAD OF UPDATE ON shown FOR EACH ROW EXECUTE FUNCTION nothing();
	CREATE RULE of_view AS ON DELETE TO shown DO INSTEAD NOTHING; COMMENT ON RULE of_view ON shown IS 'of view';
	CREATE MATERIALIZED VIEW kept WITH (fillfactor = 60, toast.autovacuum_enabled = off) AS
		SELECT id, count(*) AS c, max(item) AS t FROM base GROUP BY id; COMMENT ON MATERIALIZED VIEW kept IS 'kept';
	ALTER MATERIALIZED VIEW kept ALTER c SET STATISTICS 21, ALTER t SET STORAGE EXTERNAL, ALTER t SET COMPRESSION pglz,
		ALTER c SET (n_distinct = 3);
	CREATE UNIQUE INDEX kept_id ON kept (id); COMMENT ON INDEX kept_id IS 'kept id';
	ALTER INDEX kept_id SET (fillfactor = 50); ALTER MATERIALIZED VIEW kept DEPENDS ON EXTENSION plpgsql;
	ALTER INDEX kept_id DEPENDS ON EXTENSION plpgsql; CREATE INDEX kept_c ON kept ((c + 1));
	ALTER INDEX kept_c ALTER COLUMN 1 SET STATISTICS 31; ALTER MATERIALIZED VIEW kept CLUSTER ON kept_id;
	CREATE STATISTICS of_kept ON c, t FROM kept; COMMENT ON STATISTICS of_kept IS 'of kept';
	CREATE POLICY few ON base AS RESTRICTIVE FOR UPDATE TO reader, PUBLIC USING (id IS NOT NULL)
		WITH CHECK (id IS NOT NULL); COMMENT ON POLICY few ON base IS 'few'; ALTER TABLE base ENABLE ROW LEVEL SECURITY;
	GRANT SELECT (id, item), UPDATE (id) ON base TO reader WITH GRANT OPTION; GRANT SELECT ON base TO client;
	GRANT SELECT ON kept TO reader; GRANT INSERT (id) ON shown TO reader; REVOKE TRUNCATE ON base FROM shop;
	} . ($version < 180000 ? '' : q{
	ALTER TABLE base RENAME CONSTRAINT base_n_not_null TO n_is_there;
	COMMENT ON CONSTRAINT n_is_there ON base IS 'n is there';
	ALTER TABLE base RENAME CONSTRAINT base_id_not_null TO id_is_there;
	COMMENT ON CONSTRAINT id_is_there ON base IS 'id is there';
	ALTER TABLE base ADD twice bigint GENERATED ALWAYS AS (n * 2) VIRTUAL, ADD v int CONSTRAINT not_enforced_key
		REFERENCES users NOT ENFORCED, ADD CONSTRAINT not_enforced CHECK (id IS NOT NULL OR n > 0) NOT ENFORCED;
	COMMENT ON CONSTRAINT not_enforced_key ON base IS 'not enforced key';
	COMMENT ON CONSTRAINT not_enforced ON base IS 'not enforced';
	ALTER TABLE lines ALTER CONSTRAINT lines_base_not_null NO INHERIT;
	COMMENT ON CONSTRAINT lines_base_not_null ON lines IS 'no inherit';
	ALTER TABLE lines ADD a REF REFERENCES base, ADD b REF CONSTRAINT not_enforced_b REFERENCES base NOT ENFORCED;
	COMMENT ON CONSTRAINT not_enforced_b ON lines IS 'not enforced b';
	ALTER TABLE parts ADD CONSTRAINT base_is_there NOT NULL base;
	COMMENT ON CONSTRAINT base_is_there ON parts IS 'base is there';
	COMMENT ON CONSTRAINT base_is_there ON parts_1 IS 'in part 1';
	});
	return $sql =~ s/\bREF\b/$ref/gr =~ s/\(id KEY /(id $key /r . qq{
	INSERT INTO base (${names}item, n) SELECT ${values}'i' || g, g FROM generate_series(1, 20) AS g;
	INSERT INTO lines (base, n) SELECT id, n FROM base; INSERT INTO parts SELECT id, n FROM base;
	INSERT INTO keyed SELECT id, n FROM base; INSERT INTO excluding SELECT id, n FROM base;
	REFRESH MATERIALIZED VIEW kept;
	} . ($version < 180000 ? '' : q{UPDATE lines SET a = base;
		ALTER TABLE lines ADD CONSTRAINT a_is_there NOT NULL a NOT VALID;
		COMMENT ON CONSTRAINT a_is_there ON lines IS 'a is there'});
}

# Creates a database with a schema. Returns its dump, and what pg_dump does not print of partitions.
sub create
{
	my ($database, $sql) = @_;
	create_database($database, 'shop');
	$node->safe_psql($database, 'GRANT ALL ON FUNCTION kid64_at(timestamptz) TO shop');
	sql_in($database, $sql);
	return (dump_of($database), of_partitions($database));
}

my $now = q{kid64_at(now() - interval '1 day'), };
my ($dump, $parts) = create('keys',
	schema('bigint GENERATED BY DEFAULT AS IDENTITY (INCREMENT 3 CACHE 5)', 'bigint', '', ''));
like($parts, qr/key of 1\|part 1/, 'foreign keys of partitions have comments');
kidctl_ok('keys', qw(rekey run base --time made));
kidctl_ok('keys', qw(rekey swap base));
is(of_partitions('keys'), $parts, 'constraints of partitions have their names and comments after the swap');
kidctl_ok('keys', qw(rekey back base));
same_text(dump_of('keys'), $dump, 'the way back of rekey ends where it began');
is(of_partitions('keys'), $parts, 'also constraints of partitions');

($dump, $parts) = create('partitions', schema('kid64 DEFAULT kid_next()', 'kid64', 'id, ', $now));
kidctl_ok('partitions', qw(partition run base --width), '1 day');
is(of_partitions('partitions'), $parts, 'constraints of partitions have their names and comments after partitioning');
my %after = map { $_ => 1 } split /\n/,
  dump_of('partitions') =~ s/,$//mgr =~ s/ ON ONLY / ON /gr =~ s/TABLE ONLY/TABLE/gr;
is(join("\n", grep { !/^\s*(?:CREATE TABLE|WITH \(|\);)|base CLUSTER ON/
			  && !$after{ s/,$//r =~ s/TABLE ONLY/TABLE/r =~ s/ ON ONLY / ON /r } } split /\n/, $dump), '',
	'the new table has all that the old one had');
kidctl_ok('partitions', qw(partition back base));
same_text(dump_of('partitions'), $dump, 'the way back of partition ends where it began');
is(of_partitions('partitions'), $parts, 'also constraints of partitions');

($dump, $parts) = create('leaving', schema('kid64 DEFAULT kid_next()', 'kid64', 'id, ', $now));
kidctl_ok('leaving', qw(leave run --all));
is(of_partitions('leaving'), $parts, 'constraints of partitions have their names and comments after leaving');
my $sequence = qr/^(?:CREATE SEQUENCE public.base_id_seq\n(?:    .*\n)+|.*base_id_seq.*\n)/m;
same_text(dump_of('leaving') =~ s/$sequence//gr =~ s/OPERATOR\(pg_catalog\.(\W+)\)/$1/gr,
	$dump =~ s/ DEFAULT public.kid_next\(\)//gr =~ s/public\.kid64\b/bigint/gr =~ s/OPERATOR\(public\.(\W+)\)/$1/gr,
	'tables that leave kid keep all but the type');
is(sql_in('leaving', 'SELECT count(*) FROM kept'), 20, 'and the views are filled');
$node->safe_psql('leaving', 'DROP EXTENSION kid');

SKIP:
{
	skip 'NOT NULL constraints, temporal keys and virtual columns are of PostgreSQL 18', 12 if $version < 180000;
	$node->safe_psql('postgres', 'CREATE DATABASE temporal OWNER shop');
	$node->safe_psql('temporal',
		'CREATE EXTENSION kid; CREATE EXTENSION btree_gist; ALTER SCHEMA public OWNER TO shop');
	my $temporal = q{
		CREATE TABLE prices (base REF CONSTRAINT prices_base REFERENCES base,
			valid daterange, CONSTRAINT prices_key PRIMARY KEY (base, valid WITHOUT OVERLAPS));
		COMMENT ON CONSTRAINT prices_key ON prices IS 'key'; COMMENT ON INDEX prices_key IS 'index';
		CREATE TABLE uses (base REF, during daterange, CONSTRAINT uses_price FOREIGN KEY (base, PERIOD during)
			REFERENCES prices (base, PERIOD valid)); COMMENT ON CONSTRAINT uses_price ON uses IS 'price';
		INSERT INTO base DEFAULT VALUES; INSERT INTO prices SELECT id, '[2026-01-01,2027-01-01)' FROM base;
		INSERT INTO uses SELECT base, valid FROM prices};
	sql_in('temporal', q{CREATE TABLE base (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01',
		twice bigint GENERATED ALWAYS AS (id * 2) VIRTUAL);} . $temporal =~ s/\bREF\b/bigint/gr);
	my ($said) = kidctl('temporal', qw(rekey check base --time made));
	like($said, qr/constraint uses_price on public\.uses: refers by PERIOD to a key WITHOUT OVERLAPS/,
		'check of rekey names a foreign key with PERIOD');
	like($said, qr/default value for column twice of table (?:public\.)?base/, 'and a virtual column on the key');
	sql_in('temporal', 'ALTER TABLE uses DROP CONSTRAINT uses_price; ALTER TABLE base DROP twice');
	my $before = dump_of('temporal');
	kidctl_ok('temporal', qw(rekey run base --time made));
	kidctl_ok('temporal', qw(rekey swap base));
	is(sql_in('temporal',
			q{SELECT pg_get_constraintdef(oid), conindid::regclass, obj_description(oid) FROM pg_constraint
			WHERE conname = 'prices_key'; SELECT count(*) FROM prices JOIN base ON base = id}),
		"PRIMARY KEY (base, valid WITHOUT OVERLAPS)|prices_key|key\n1", 'a key WITHOUT OVERLAPS moves');
	kidctl_ok('temporal', qw(rekey back base));
	same_text(dump_of('temporal'), $before, 'and back');

	sql_in('temporal', q{DROP TABLE base, prices, uses; CREATE TABLE base (id kid64 DEFAULT kid_next() PRIMARY KEY);}
		  . $temporal =~ s/\bREF\b/kid64/gr);
	my $wanted = dump_of('temporal');
	kidctl_ok('temporal', qw(leave run --all));
	same_text(dump_of('temporal') =~ s/$sequence//gr, $wanted =~ s/ DEFAULT public.kid_next\(\)//gr
		  =~ s/public\.kid64\b/bigint/gr, 'temporal keys and foreign keys leave kid');

	# What a partitioned table could not do for its partitions is refused.
	sql_in('partitions', 'ALTER TABLE base ADD CONSTRAINT item_is_there NOT NULL item NOT VALID;
		ALTER TABLE base ALTER CONSTRAINT n_is_there NO INHERIT');
	($said) = kidctl('partitions', qw(partition check base --width), '1 day');
	like($said, qr/constraint item_is_there: is not valid/, 'partition refuses NOT NULL that is not valid');
	like($said, qr/constraint n_is_there: is NO INHERIT, so new partitions would accept NULL/, 'and NO INHERIT');
}

$node->stop;
done_testing();
