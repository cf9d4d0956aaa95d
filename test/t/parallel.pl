# Parallel queries: workers get the settings, in whatever order they were set. A session that loads kid during a
# parallel operation uses the settings of that moment.
# Promise: While the server runs, no two sessions get the same state
# Versions: the state that parallel workers get from their leader
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', q{
	max_worker_processes = 8
	max_parallel_workers_per_gather = 2
	max_parallel_maintenance_workers = 2
	min_parallel_table_scan_size = 0
	parallel_setup_cost = 0
	parallel_tuple_cost = 0
	maintenance_work_mem = '256MB'
});
$node->start;
use_database($node);
$node->safe_psql('postgres', q{
	CREATE EXTENSION kid;
	CREATE TABLE numbers AS SELECT n FROM generate_series(1, 100000) AS n;
	CREATE TABLE ids AS SELECT kid_next() AS kid, flake_next() AS flake FROM generate_series(1, 200000);
	CREATE INDEX ids_kid ON ids (kid);
	ANALYZE;
});

# Values that are valid together, but not with the default of the other setting.
my $parallel_count = 'SELECT count(*) FROM numbers WHERE n > 0';
like(output_of("EXPLAIN (COSTS OFF) $parallel_count"), qr/Workers Planned: 2/, 'the query runs in parallel');
foreach my $settings (
	'SET kid.sno_sequence_min = 100; SET kid.sno_sequence_max = 0',
	'SET kid.sno_sequence_min = 65535; SET kid.sno_sequence_max = 65532',
	'SET kid.sno_sequence_max = 3',
	'SET kid.flake_datacenter = 3; SET kid.flake_worker = 4; SET kid.flake_id = 100',
	'SET kid.flake_id = 1023; SET kid.flake_worker = 31; SET kid.flake_datacenter = 31',
	'SET kid.clock_backward = wait; SET kid.sno_partition = 7; '
	. 'SET kid.flake_epoch = 1700000000001; SET kid.neighborhood = 0')
{
	is(output_of("LOAD 'kid'; $settings; $parallel_count;
			SELECT sno_next() <> sno_next(), flake_next() <> flake_next()"),
		"100000\nt|t", "$settings: a parallel query works after these settings");
	is(output_of("$settings; $parallel_count; SELECT sno_next() <> sno_next(), flake_next() <> flake_next()"),
		"100000\nt|t", "$settings: a parallel query works after these settings, made before kid is loaded");
}

# In a parallel plan the leader makes IDs, above the Gather node. A worker makes none, because its transaction ends
# before that of the leader, which the horizon waits for.
my $ids = 'SELECT kid_next() AS id FROM numbers WHERE n > 0';
like(output_of("EXPLAIN (VERBOSE, COSTS OFF) $ids"), qr/^Gather\n  Output: kid_next\(\)\n/,
	'by default the leader makes the IDs');
is(output_of("CREATE TEMP TABLE made AS $ids; SELECT count(id), count(DISTINCT id) FROM made"), '100000|100000',
	'each row has an ID of its own');
is(output_of('CREATE TEMP TABLE made AS ' . $ids =~ s/kid_next/kid53_next/r . '; SELECT count(id), count(DISTINCT id)
		FROM made'), '100000|100000', 'each row has a kid53 of its own');
# Otherwise the leader could read all rows before a worker starts.
my $in_workers = 'SET parallel_leader_participation = off;';
$node->safe_psql('postgres', 'ALTER FUNCTION kid_next() PARALLEL SAFE');
like(output_of("EXPLAIN (VERBOSE, COSTS OFF) $ids"),
	qr/Gather.*->  Parallel Seq Scan on public.numbers\n +Output: kid_next/s,
	'with kid_next() PARALLEL SAFE, workers would make the IDs');
like(output_of("$in_workers $ids"), qr/ERROR:  \w{5}: cannot execute kid_next\(\) during a parallel operation/,
	'a worker makes no ID');
$node->safe_psql('postgres', 'ALTER FUNCTION kid53_next() PARALLEL SAFE');
like(output_of("$in_workers SELECT kid53_next() AS id FROM numbers WHERE n > 0"),
	qr/ERROR:  \w{5}: cannot execute kid53_next\(\) during a parallel operation/, 'a worker makes no kid53');
$node->safe_psql('postgres', 'ALTER FUNCTION kid53_next() PARALLEL RESTRICTED');
$node->safe_psql('postgres',
	'ALTER FUNCTION kid_next() PARALLEL RESTRICTED; ALTER FUNCTION kid_horizon() PARALLEL SAFE');
like(output_of("$in_workers SELECT count(*) FROM numbers WHERE kid_horizon() IS NOT NULL"),
	qr/ERROR:  \w{5}: cannot execute kid_horizon\(\) during a parallel operation/, 'a worker does not get a horizon');
$node->safe_psql('postgres', 'ALTER FUNCTION kid_horizon() PARALLEL RESTRICTED');

# The hold of a worker would outlast it.
$node->safe_psql('postgres', q{
	CREATE FUNCTION hold(at timestamptz) RETURNS bigint
		LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN (SELECT count(*) FROM kid_hold_clocks(at)); END';
	SELECT kid_observe(kid64_ceil(now() + interval '1 minute'));
});
like(output_of("$in_workers SELECT count(*) FROM numbers WHERE n = 1 AND hold(now()) >= 0"),
	qr/ERROR:  \w{5}: cannot execute kid_reset_clock\(\) during a parallel operation/, 'a worker holds no clock');
is(output_of(q{SET kid.max_wait = '1s'; SELECT kid_next() IS NOT NULL}), 't', 'nor is one held afterwards');
$node->safe_psql('postgres', 'SELECT kid_reset_clock(now(), force => true)');

# A new session loads kid while it builds an index, so in parallel mode.
$node->append_conf('postgresql.conf', q{
	kid.flake_id = 5
	kid.node = '77'
	kid.lanes = 1024
	kid.sno_partition = 9
	kid.neighborhood = 0
	kid.flake_epoch = 1700000000001
	kid.max_wait = '5s'
	kid.clock_backward = 'wait'
	kid.lease = '7s'
	kid.max_observe = '8s'
	kid.sno_sequence_min = 10
	kid.sno_sequence_max = 19
	kid.flake_datacenter = 0
	kid.flake_worker = 5
	kid.flake_sequence_max = 99
});
$node->reload;
my $settings = q{SELECT string_agg(name || '=' || setting || coalesce(unit, '') || ' ' || source, ', ' ORDER BY name)
	FROM pg_settings
				  WHERE name LIKE 'kid.%'};
my $configured = join ', ', map { "kid.$_ configuration file" } qw(clock_backward=wait flake_datacenter=0
  flake_epoch=1700000000001ms flake_id=5
  flake_sequence_max=99 flake_worker=5 lanes=1024 lease=7000ms max_observe=8000ms max_wait=5000ms neighborhood=0 node=77
  sno_partition=9 sno_sequence_max=19 sno_sequence_min=10);
my $made = 'SELECT kid_generator(flake_next()), kid_node(kid96_next()), kid_partition(sno_next()),
	kid_timestamp(flake_next()) <= clock_timestamp()';
foreach my $first ('REINDEX TABLE ids', 'CREATE INDEX ids_more ON ids (kid, flake)',
	'ALTER TABLE ids ADD PRIMARY KEY (flake)')
{
	is(output_of("$first; $settings; $made"), "$configured\n5|77|9|t",
		"$first, then IDs: the configured settings apply");
	$node->safe_psql('postgres', 'DROP INDEX IF EXISTS ids_more; ALTER TABLE ids DROP CONSTRAINT IF EXISTS ids_pkey');
	is(output_of("BEGIN; $first; SET kid.flake_id = 6; SET kid.flake_worker = 6;
			SET LOCAL kid.sno_partition = '8'; $made;
			ROLLBACK; $made"), "6|77|8|t\n5|77|9|t",
		"$first, then SET in the same transaction: the new settings apply");
	is(output_of("SET kid.flake_id = 7; SET kid.flake_worker = 7;
			$first; RESET kid.flake_worker; SET kid.sno_partition = '8'; RESET kid.flake_id; $made"), "5|77|8|t",
		"SET, $first, SET and RESET: the last settings apply");
	$node->safe_psql('postgres', 'DROP INDEX IF EXISTS ids_more; ALTER TABLE ids DROP CONSTRAINT IF EXISTS ids_pkey');
}
$node->safe_psql('postgres', q{
	CREATE FUNCTION change(int) RETURNS text PARALLEL SAFE
		LANGUAGE plpgsql AS $$ BEGIN RETURN set_config('kid.sno_partition', '80', false); END $$});
like(output_of('REINDEX TABLE ids; SELECT count(change(n)) FROM numbers WHERE n < 9'),
	qr/(cannot set parameters|parameter "kid.sno_partition" cannot be set) during a parallel operation/,
	'settings cannot be changed in parallel mode');

# Workers call a function that loads kid before the leader does. Afterwards the leader uses kid too.
$node->safe_psql('postgres', q{
	CREATE TABLE events (id kid96);
	SET kid.neighborhood = 0;
	INSERT INTO events SELECT kid96_make(timestamptz '2026-11-21 10:00' + n * interval '1 s', n % 7, n)
		FROM generate_series(0, 9999) AS n;
	ANALYZE events;
	CREATE FUNCTION within(text) RETURNS bigint PARALLEL SAFE STABLE LANGUAGE plpgsql AS $$
		DECLARE found bigint;
		BEGIN
			EXECUTE $q$SELECT count(*) FROM events
				WHERE id <@ tstzrange('2026-11-21 11:00', '2026-11-21 12:00')$q$ INTO found;
			RETURN found;
		END $$;
});
my $range = q{SELECT count(*) FROM events WHERE id <@ tstzrange('2026-11-21 11:00', '2026-11-21 12:00')};
is(output_of($range), 3600, 'a range of kid96 without parallel workers');
is(output_of("SELECT DISTINCT within('x' || n) FROM numbers WHERE n < 40; SET max_parallel_workers_per_gather = 0;
		$range"), "3600\n3600",
	'a range of kid96, in workers first, and then in the leader');
is(output_of("SET parallel_leader_participation = off; SELECT DISTINCT within('x' || n) FROM numbers WHERE n < 40;
		SET kid.neighborhood = 0; $range"), "3600\n3600",
	'a range of kid96, in workers only, and then in the leader');

# If an ordinary user gives a value at the start of a session, it hides the configured one from a library that is loaded
# later. With such a value no ID is made.
$node->safe_psql('postgres', 'CREATE ROLE joe LOGIN');
{
	local $ENV{PGOPTIONS} = '-c kid.flake_id=3 -c kid.flake_worker=3 -c kid.no_such_setting=1';
	my $output = output_of('SELECT kid_generator(flake_next())', role => 'joe');
	like($output, qr/\Apsql:/, 'an ordinary user with another kid.flake_id in PGOPTIONS gets no ID');
	my $first_line = 'ERROR:  55P02: parameter "kid.flake_id" could not be set';
	my $detail = 'DETAIL:  The value given when the session started';
	my $error = qr/$first_line\n$detail .*\nHINT:  Start a session without that value/;
	like($output, $error, 'an ordinary user with another kid.flake_id in PGOPTIONS gets an error');
	$output = output_of("SELECT 1; SELECT kid_timestamp('1'::flake); SELECT kid_next()", role => 'joe');
	like($output, qr/\A1\npsql:/, 'an ordinary user with another kid.flake_id in PGOPTIONS cannot read an ID');
	is(() = $output =~ /ERROR:  55P02: parameter "kid.flake_id" could not be set/g, 2,
		'with that setting each statement that uses kid gives the error');
	is($node->safe_psql('postgres', 'SELECT kid_generator(flake_next())'), '3',
		'a superuser with another kid.flake_id in PGOPTIONS gets IDs of that generator');
}
is(error_of('SELECT kid_generator(flake_next())', role => 'joe'), '',
	'an ordinary user without the setting gets an ID');
foreach my $option ('kid.node=abc', 'kid.node=78', 'kid.lanes=1', 'kid.flake_epoch=0.5', 'kid.lease=0')
{
	local $ENV{PGOPTIONS} = "-c $option";
	like(output_of('SELECT kid_next()'), qr/ERROR:  \w{5}: parameter "kid.\w+" could not be set/,
		"PGOPTIONS with $option: no ID, even for a superuser");
}
{
	local $ENV{PGOPTIONS} = '-c kid.no_such_setting=1';
	is(error_of('SELECT kid_next()', role => 'joe'), '',
		'a setting that kid does not have in PGOPTIONS does no harm');
}

$node->stop;
done_testing();
