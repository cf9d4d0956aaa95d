# kidctl leave run, while other people change tables, views, domains and roles beside it. What is left to do after an
# interruption is done whatever has another name by then, and also without kid. What others grant, revoke or change is
# neither lost nor undone, and tablespaces stay.
# Versions: the catalogs, and the locks of ALTER DOMAIN and GRANT
use strict;
use warnings;
use utf8;
use Kidctl;
use KidctlCases;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = start_cases;
my @run = qw(leave --no-rehearsal run);

# Runs kidctl leave as a role. Returns what it prints, and its exit status.
sub leave_as { my ($role, @words) = @_; return run_kidctl(connection_as($node, 'one', $role), @words) }

# Runs kidctl, and SQL of another session of the owner before the first statement that matches a pattern.
sub meddle
{
	my $connection = connection_as($node, 'one', 'app');
	return meddle_with_kidctl($connection, $connection, @_);
}

# Makes the tables anew, and ends a run after their types have changed.
sub interrupt
{
	fresh(q{CREATE TABLE p (id kid64 PRIMARY KEY DEFAULT kid_next(), n int,
			CONSTRAINT "c'" CHECK (id > '...........'));
		CREATE TABLE l (p kid64 CONSTRAINT f REFERENCES p);
		CREATE MATERIALIZED VIEW m AS SELECT id FROM p; CREATE MATERIALIZED VIEW m2 AS SELECT id FROM m;
		INSERT INTO p (n) VALUES (1); INSERT INTO l SELECT id FROM p; REFRESH MATERIALIZED VIEW m;
		REFRESH MATERIALIZED VIEW m2});
	is((cut_kidctl(connection_as($node, 'one', 'app'), 'ALTER TABLE .* VALIDATE', @run, 'p'))[1], 1,
		'a run ends before it validates');
	return;
}

my $left = q{SELECT (SELECT count(*) FROM pg_constraint WHERE NOT convalidated),
	(SELECT count(*) FROM pg_class WHERE relkind = 'm' AND NOT relispopulated),
	(SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%')};

# Tests that a run of a role does the rest.
sub goes_on
{
	my ($what, $role, @tables) = @_;
	is($node->safe_psql('one', $left), '2|2|1', "$what: something is left to do");
	my ($said, $status) = leave_as($role, @run, @tables);
	is($status, 0, 'the next run goes on') or diag($said);
	is($node->safe_psql('one', $left), '0|0|0', 'and does all of it');
	return $said;
}

interrupt();
sql(q{ALTER TABLE p RENAME TO "P'"; ALTER TABLE "P'" RENAME CONSTRAINT "c'" TO c; CREATE SCHEMA "s\";
	ALTER TABLE l SET SCHEMA "s\"; ALTER MATERIALIZED VIEW m RENAME TO "M'"});
my ($said, $status) = leave_as('app', @run, 'p');
is($status, 2, 'a name that a table does not have any more is an error');
like($said, qr/^error: table p does not exist, and an earlier run has left.*\nhint: Run `kidctl leave run` for any/m,
	'which says what to do');
like((leave_as('app', qw(leave check), q{"P'"}))[0], qr/^  an earlier run has left constraints to validate/m,
	'check says that something is left');
goes_on('other names', 'app', q{"P'"});

interrupt();
$node->safe_psql('one', 'DROP EXTENSION kid');
like((leave_as('app', qw(leave check p)))[0], qr/^error: kid is not in this database any more.*\nhint: Run `kidctl le/m,
	'without kid, check says so');
like(goes_on('without kid', 'app', 'p'), qr/^Nothing is left to do, and kid is not in this database/m, 'and says so');
like((leave_as('app', @run, 'p'))[0], qr/^error: kid is not installed in this database$/m, 'then kid is missed');

interrupt();
$node->safe_psql('postgres', 'ALTER ROLE app RENAME TO app2');
goes_on('another name of the role', 'app2', 'p');
$node->safe_psql('postgres', 'ALTER ROLE app2 RENAME TO app');

interrupt();
sql('ALTER TABLE l ALTER p TYPE bigint, ADD n int; DROP MATERIALIZED VIEW m2; CREATE VIEW m2 AS SELECT 1');
is((leave_as('app', @run, 'p'))[1], 0, 'what was made again or is gone is no obstacle');
is(sql($left), '0|0|0', 'and nothing is left');

interrupt();
$node->safe_psql('one', 'ALTER TABLE l OWNER TO g1; ALTER MATERIALIZED VIEW m OWNER TO g1');
foreach my $done ('ALTER TABLE l VALIDATE CONSTRAINT f', 'REFRESH MATERIALIZED VIEW m')
{
	($said, $status) = leave_as('app', @run, 'p');
	is($status, 2, 'what belongs to another role is an error');
	like($said, qr/^error: public\.[lm] belongs to g1 now, .*\nhint: Let g1 do that by ALTER TABLE/m, 'with a way out');
	$node->safe_psql('one', "GRANT SELECT ON p, m TO g1; $done");
}
$node->safe_psql('one', 'ALTER MATERIALIZED VIEW m OWNER TO app');
is((leave_as('app', @run, 'p'))[1], 0, 'which then is none');
is(sql($left), '0|0|0', 'and nothing is left');

# A role can have got what a run of another role has left, beside what its own has left.
interrupt();
sql(q{CREATE SCHEMA kidctl_leave_other; CREATE TABLE kidctl_leave_other.running ();
	CREATE TABLE kidctl_leave_other.state (one boolean PRIMARY KEY, state jsonb);
	CREATE TABLE q (id kid64 PRIMARY KEY CHECK (id > '...........'))});
($said, $status) = leave_as('app', qw(leave check q));
is($status, 0, 'a rehearsal removes both') or diag($said);

# Each of them is done.
interrupt();
my $own = $node->safe_psql('one', q{SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kidctl%'});
sql(qq{ALTER SCHEMA $own RENAME TO kidctl_leave_other; CREATE SCHEMA $own; CREATE TABLE $own.running ();
	CREATE TABLE $own.state (one boolean PRIMARY KEY, state jsonb);
	INSERT INTO $own.state SELECT one, state || '{"late": [], "to_fill": [], "views": {}}'
		FROM kidctl_leave_other.state});
is((leave_as('app', @run, 'p'))[1], 0, 'what two runs have left');
is(sql($left), '0|0|0', 'is done by one');

# What a run of another role has left is in the copy, too, without the tables that this role may not read.
fresh("CREATE TABLE p (id kid64 PRIMARY KEY CHECK (id > '...........'))");
$node->safe_psql('one', 'CREATE SCHEMA kidctl_leave_g1 AUTHORIZATION g1; SET ROLE g1;
	CREATE TABLE kidctl_leave_g1.running ()');
($said, $status) = leave_as('app', qw(leave run p));
is($status, 0, 'an interrupted run of another role is not in the way') or diag($said);
is($node->safe_psql('one', $left), '0|0|1', 'and its state stays');

# A dump that is made between is restored elsewhere, where the objects have other OIDs.
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump';

sub restore
{
	system_or_bail('pg_dump', @_, '-Fc', '-f', $dump, '-d', connection_as($node, 'one', 'app'));
	$node->safe_psql('postgres', $_) foreach 'DROP DATABASE one', 'CREATE DATABASE one OWNER app';
	$node->safe_psql('one', 'ALTER SCHEMA public OWNER TO app');
	run_log([ 'pg_restore', '-d', connection_as($node, 'one', undef), $dump ]);
	return;
}
interrupt();
restore();
goes_on('a restored dump', 'app', 'p');

# A copy of the schema alone has no state.
interrupt();
restore('-s');
is((leave_as('app', @run, 'p'))[1], 0, 'a run in a copy of the schema alone');
is($node->safe_psql('one', $left), '2|2|0', 'drops the schema of the state');

# In a restored dump, another constraint can have such an OID, which a run that changes other tables does not mistake.
interrupt();
restore();
sql(q{CREATE TABLE q (id kid64 PRIMARY KEY CHECK (id > '...........'));
	CREATE TABLE z (n int); ALTER TABLE z ADD CONSTRAINT other CHECK (n > 0) NOT VALID});
$node->safe_psql('one', q{SELECT format($q$ UPDATE %I.state SET state = state || jsonb_build_object('late', (
		SELECT jsonb_agg(l || jsonb_build_object('oid', k.oid::bigint))
			FROM jsonb_array_elements(state -> 'late') AS l, pg_constraint AS k
				WHERE k.conname = 'other')) $q$, nspname)
	FROM pg_namespace WHERE nspname LIKE 'kidctl%' \gexec});
is((leave_as('app', @run, 'q'))[1], 0, 'other tables leave in a restored dump');
is($node->safe_psql('one', "SELECT string_agg(conname, ' ') FROM pg_constraint WHERE NOT convalidated"),
	'other', 'and what was left in it is done');

# Before PostgreSQL 18, GRANT and REVOKE wait for no lock of a table or view.
my $waits = $node->safe_psql('postgres', 'SHOW server_version_num') >= 180000;
my $parted = q{CREATE TABLE p (id kid64 PRIMARY KEY DEFAULT kid_next(), n int, t text) PARTITION BY RANGE (id);
	CREATE TABLE p1 PARTITION OF p DEFAULT; INSERT INTO p (n) VALUES (1)};
SKIP:
{
	skip('GRANT waits for the lock', 3) if $waits;
	fresh(qq{$parted; GRANT SELECT ON p TO g1, g2; GRANT SELECT (n) ON p TO g2});
	($said, $status) = meddle('ALTER TABLE .* DETACH', 'REVOKE ALL ON p FROM g2; REVOKE SELECT (n) ON p FROM g2;
		GRANT INSERT ON p TO g1; GRANT UPDATE (t) ON p TO g1', @run, 'p');
	is($status, 0, 'a run, while others grant and revoke') or diag($said);
	is(sql(q{SELECT relacl FROM pg_class WHERE relname = 'p'; SELECT attname, attacl FROM pg_attribute
		WHERE attrelid = 'p'::regclass AND attacl IS NOT NULL;
		SELECT relacl FROM pg_class WHERE relkind = 'S'}) =~ s/tm/t/r,
		"{app=arwdDxt/app,g1=ar/app}\nt|{g1=w/app}\n{app=rwU/app,g1=U/app}", 'undoes nothing of that');
	is(sql('INSERT INTO p (n) VALUES (2); SELECT count(DISTINCT id) FROM p'), 2, 'and keeps the rows');
}

# ALTER DOMAIN waits for no lock, either.
my @domains = ([ q{ALTER DOMAIN d ADD CONSTRAINT c CHECK (VALUE IS NOT NULL) NOT VALID}, 'a CHECK' ],
	[ 'REVOKE ALL ON DOMAIN d FROM PUBLIC', 'a right' ], [ q{COMMENT ON DOMAIN d IS 'its'}, 'a comment' ],
	[ q{ALTER DOMAIN d SET DEFAULT '.6.nef3Mk.3'}, 'a default' ], [ 'ALTER DOMAIN d RENAME TO e', 'a name' ]);
foreach (@domains)
{
	my ($sql, $what) = @$_;
	fresh('CREATE DOMAIN d AS kid64; CREATE TABLE p (id d PRIMARY KEY DEFAULT kid_next());
		INSERT INTO p DEFAULT VALUES');
	($said, $status) = meddle('ALTER TABLE .* TYPE ', $sql, @run, 'p');
	is($status, 2, "$what of a domain that others change is an error");
	like($said, qr/^error: domain public\.d was changed meanwhile\nhint: .* Run the same command again\.$/m,
		'it says so');
	is((leave_as('app', @run, 'p'))[1], 0, 'the next run succeeds');
	is(sql(q{SELECT coalesce(obj_description(t.oid), t.typacl::text, t.typdefault, k.conname, t.typname)
		FROM pg_type AS t LEFT JOIN pg_constraint AS k ON k.contypid = t.oid WHERE t.typtype = 'd'
			AND t.typname IN ('d', 'e')}) =~ s/\d{17}/number/r, { 'a CHECK' => 'c', 'a right' => '{app=U/app}',
			'a comment' => 'its', 'a default' => q{'number'::bigint}, 'a name' => 'e' }->{$what}, 'and keeps it');
}

# A view
SKIP:
{
	skip('GRANT waits for the lock', 4) if $waits;
	fresh('CREATE TABLE p (id kid64 PRIMARY KEY, o kid64 REFERENCES p); CREATE VIEW v AS SELECT id FROM p');
	($said, $status) = meddle('ALTER TABLE .* DROP CONSTRAINT', 'GRANT SELECT ON v TO g1', @run, 'p');
	is($status, 2, 'a view that others change is an error');
	like($said, qr/^error: view public\.v was changed meanwhile\nhint: .* Run the same command again\.$/m,
		'it says so');
	is((leave_as('app', @run, 'p'))[1], 0, 'the next run succeeds');
	is(sql(q{SELECT relacl FROM pg_class WHERE relname = 'v'}) =~ s/tm/t/r,
		'{app=arwdDxt/app,g1=r/app}', 'and keeps the right');
}

# A domain that others change before it is read again
fresh('CREATE DOMAIN d AS kid64; CREATE TABLE p (id d PRIMARY KEY); CREATE VIEW v AS SELECT id FROM p');
($said, $status) = meddle('DROP VIEW', q{ALTER DOMAIN d SET DEFAULT '.6.nef3Mk.3'}, @run, 'p');
is($status, 2, 'a default that others give a domain before the new one is made is an error');
like($said, qr/^error: domain public\.d was changed meanwhile$/m, 'it says so');
is((leave_as('app', @run, 'p'))[1], 0, 'the next run succeeds');
like(sql(q{SELECT typdefault FROM pg_type WHERE typname = 'd'}), qr/^'\d+'::bigint$/, 'and keeps the default');

# A domain that stays loses its default before it takes long to find where the sequence begins.
fresh('CREATE DOMAIN d AS bigint DEFAULT kid53_next(); CREATE TABLE p (id d PRIMARY KEY)');
($said, $status) = meddle('SELECT pg_catalog.setval', q{DO $$ BEGIN SET LOCAL lock_timeout = '100ms';
	ALTER DOMAIN d SET DEFAULT 7; CREATE TABLE late (); EXCEPTION WHEN lock_not_available THEN END $$}, @run, 'p');
is($status, 0, 'a run, while others give a domain another default') or diag($said);
is(sql(q{SELECT to_regclass('late')}), '', 'which waits, so that it does not get lost');

# A table that a subscription writes would be another one, whose changes PostgreSQL leaves out without an error.
fresh("$parted; CREATE TABLE q (id kid64 PRIMARY KEY, u uuid); CREATE TABLE r (id sno PRIMARY KEY)");
$node->safe_psql('one', q{CREATE SUBSCRIPTION "S'" CONNECTION 'dbname=x' PUBLICATION x WITH (connect = false);
	INSERT INTO pg_subscription_rel SELECT s.oid, c.oid, 'r', '0/1' FROM pg_subscription AS s, pg_class AS c
		WHERE c.relname IN ('p', 'q', 'r')});
sql('CREATE PUBLICATION few FOR TABLE p1, q, r');
($said, $status) = leave_as('app', qw(leave check p --no-rehearsal));
is($status, 1, 'a subscription to a table that is created again stops the move');
like($said, qr/^  subscription "S'": writes public\.p, which is created again, .*\(stops\)\n    hint: .*copy_data/m,
	'and says what to do');
($said, $status) = leave_as('app', qw(leave check q r --no-rehearsal));
is($status, 0, 'one to another table does not');
like($said, qr/^  publication few: sends public\.q; .*\n    hint: Run it here first\./m, 'publications are named');
like($said, qr/^  subscription "S'": writes public\.q; .*\n    hint: Run it on the other/m, 'and subscriptions');
$node->safe_psql('one', q{ALTER SUBSCRIPTION "S'" SET (slot_name = NONE); DROP SUBSCRIPTION "S'"});

# Tablespaces
my $space = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', "CREATE TABLESPACE \"t'\" LOCATION '$space'");
$node->safe_psql('postgres', q{GRANT CREATE ON TABLESPACE "t'" TO app});
fresh(q{CREATE TABLE p (id kid64, n int, PRIMARY KEY (id) USING INDEX TABLESPACE "t'") PARTITION BY RANGE (id)
		TABLESPACE "t'";
	CREATE TABLE p1 PARTITION OF p DEFAULT; CREATE INDEX pn ON p (n) TABLESPACE "t'";
	CREATE TABLE q (id kid64, n int, PRIMARY KEY (id) USING INDEX TABLESPACE "t'") TABLESPACE "t'";
	ALTER TABLE q ADD EXCLUDE USING btree (id WITH =) USING INDEX TABLESPACE "t'";
	CREATE INDEX q1 ON q USING brin (id) TABLESPACE "t'"; CREATE INDEX q2 ON q (id) TABLESPACE "t'";
	CREATE MATERIALIZED VIEW m AS SELECT id FROM q; CREATE INDEX m1 ON m (id) TABLESPACE "t'";
	CREATE INDEX m2 ON m (id);
	CREATE TABLE b (id bigint PRIMARY KEY USING INDEX TABLESPACE "t'", made timestamptz NOT NULL);
	CREATE TABLE k (id kid64 PRIMARY KEY DEFAULT kid_next()) TABLESPACE "t'"});
my $spaces = q{SELECT relname, spcname FROM pg_class AS c LEFT JOIN pg_tablespace AS s ON s.oid = c.reltablespace
	WHERE relnamespace = 'public'::regnamespace ORDER BY 1};
my $before = sql($spaces);
$node->safe_psql('postgres', q{REVOKE CREATE ON TABLESPACE "t'" FROM app});
my $no_space = qr/: must be made again in tablespace "t'", for which app has no privilege CREATE  \(stops\)/;
($said, $status) = leave_as('app', qw(leave check p q --no-rehearsal));
is($status, 1, 'without the right to a tablespace, tables do not leave');
my ($first, $others) =
  $said =~ /^  (\S+)$no_space\n    the same: (.*)\n    hint: GRANT CREATE ON TABLESPACE "t'" TO app\.$/m;
is(join(' ', sort $first // '', split /, /, $others // ''),
	'public.m1 public.p public.p1_n_idx public.p_pkey public.pn public.q1 public.q_id_excl', 'and check says why');
foreach ([ 'b_pkey', qw(rekey check b --time made) ], [ 'k', qw(partition check k --width 1d) ])
{
	my ($what, @words) = @$_;
	like((leave_as('app', @words, '--no-rehearsal'))[0], qr/^  public\.$what$no_space/m, "so does $words[0]");
}
$node->safe_psql('postgres', q{GRANT CREATE ON TABLESPACE "t'" TO app});
is((leave_as('app', qw(leave run p q)))[1], 0, 'tables with tablespaces leave');
is(sql($spaces), $before, 'and keep them');

# A sequence of several tables begins above the IDs of all of them, also of one whose IDs are not of this server.
fresh(q{CREATE TABLE top (id kid64, n int); CREATE TABLE c1 () INHERITS (top); CREATE TABLE c2 () INHERITS (top);
	ALTER TABLE c1 ALTER id SET DEFAULT kid_next(); ALTER TABLE c2 ALTER id SET DEFAULT kid_next();
	INSERT INTO c2 VALUES (kid64_at(now() + interval '1 h'));
	CREATE TABLE pt (id bigint, n int) PARTITION BY LIST (n);
	CREATE TABLE pt1 PARTITION OF pt (id DEFAULT kid53_next()) FOR VALUES IN (1);
	CREATE TABLE pt2 PARTITION OF pt FOR VALUES IN (2);
	INSERT INTO pt VALUES (kid53_at(now() + interval '1 h'), 2)});
is((leave_as('app', @run, qw(top pt)))[1], 0, 'tables with one sequence leave');
is(sql('INSERT INTO c1 VALUES (DEFAULT, 3) RETURNING id > ALL (SELECT id FROM c2)'), 't', 'numbers go on above those');
is(sql('INSERT INTO pt1 VALUES (DEFAULT, 1) RETURNING id > ALL (SELECT id FROM pt2)'), 't', 'also of other partitions');

# A partition that has partitions of its own is created again, too, with what its constraints are called there.
fresh(q{CREATE TABLE u (n int PRIMARY KEY);
	CREATE TABLE p (id kid64 PRIMARY KEY, n int CONSTRAINT f REFERENCES u CONSTRAINT c CHECK (n < 9))
		PARTITION BY RANGE (id);
	CREATE TABLE "p'2" PARTITION OF p DEFAULT PARTITION BY RANGE (id); CREATE TABLE p3 PARTITION OF "p'2" DEFAULT;
	ALTER TABLE "p'2" RENAME CONSTRAINT f TO "f'2"; COMMENT ON CONSTRAINT "f'2" ON "p'2" IS 'key';
	COMMENT ON CONSTRAINT c ON "p'2" IS 'check'; INSERT INTO p VALUES (kid_next())});
my $inherited = q{SELECT conrelid::regclass, conname, conislocal, coninhcount, obj_description(oid, 'pg_constraint')
	FROM pg_constraint WHERE contype IN ('c', 'f') AND conrelid::regclass::text ~ 'p'
	ORDER BY conrelid::regclass::text, 2};
$before = sql($inherited);
is((leave_as('app', qw(leave run p)))[1], 0, 'partitions of partitions leave');
is(sql($inherited), $before, 'and keep the names and comments of what they inherit');

$node->stop;
done_testing();
