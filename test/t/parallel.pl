# Parallel queries: settings reach the workers, in whatever order they were set, and a session that meets kid in the midst of
# a parallel operation takes the settings as they are.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
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
$node->safe_psql('postgres', q{
	CREATE EXTENSION kid;
	CREATE TABLE numbers AS SELECT n FROM generate_series(1, 100000) AS n;
	CREATE TABLE ids AS SELECT kid_next() AS kid, flake_next() AS flake FROM generate_series(1, 200000);
	CREATE INDEX ids_kid ON ids (kid);
	ANALYZE;
});

# What a client sees of a session: its rows, and its warnings.
sub session
{
	my ($sql) = @_;
	my ($status, $stdout, $stderr) = $node->psql('postgres', $sql);
	return $stdout . $stderr;
}

# Values that are legal together, but not with the default of the other.
my $parallel_count = 'SELECT count(*) FROM numbers WHERE n > 0';
like(session("EXPLAIN (COSTS OFF) $parallel_count"), qr/Workers Planned: 2/, 'a parallel query');
foreach my $settings (
	'SET kid.sno_sequence_min = 100; SET kid.sno_sequence_max = 0',
	'SET kid.sno_sequence_min = 65535; SET kid.sno_sequence_max = 65532',
	'SET kid.sno_sequence_max = 3',
	'SET kid.flake_datacenter = 3; SET kid.flake_worker = 4; SET kid.flake_id = 100',
	'SET kid.flake_id = 1023; SET kid.flake_worker = 31; SET kid.flake_datacenter = 31',
	q{SET kid.clock_backward = wait; SET kid.sno_partition = 7; SET kid.flake_epoch = 1700000000001; SET kid.neighborhood = 0})
{
	is(session("LOAD 'kid'; $settings; $parallel_count; SELECT sno_next() <> sno_next(), flake_next() <> flake_next()"),
		"100000\nt|t", "$settings: workers have them");
	is(session("$settings; $parallel_count; SELECT sno_next() <> sno_next(), flake_next() <> flake_next()"),
		"100000\nt|t", "$settings: before kid is loaded");
}

# Two calls are two IDs in a parallel plan, too: the leader makes them, above what workers do. Where somebody lets workers make
# them, they are two calls there, too.
my $twice = 'SELECT kid_next() AS id, kid_next() AS id2 FROM numbers WHERE n > 0';
my $count = "SELECT count(id), count(DISTINCT id) FROM (SELECT unnest(ARRAY[id, id2]) AS id FROM made) s";
like(session("EXPLAIN (VERBOSE, COSTS OFF) $twice"), qr/^Gather\n  Output: kid_next\(\), kid_next\(\)\n/, 'the leader makes IDs');
is(session("CREATE TEMP TABLE made AS $twice; $count"), '200000|200000', 'two calls, two IDs');
$node->safe_psql('postgres', 'ALTER FUNCTION kid_next() PARALLEL SAFE');
like(session("EXPLAIN (VERBOSE, COSTS OFF) $twice"), qr/Gather.*->  Parallel Seq Scan on public.numbers\n +Output: kid_next/s, 'workers make them');
is(session("CREATE TEMP TABLE made AS $twice; $count"), '200000|200000', 'two calls, two IDs, in workers');
$node->safe_psql('postgres', 'ALTER FUNCTION kid_next() PARALLEL RESTRICTED');

# A fresh session that loads kid while it builds an index has parallel mode around it.
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
my $settings = q{SELECT string_agg(name || '=' || setting || coalesce(unit, '') || ' ' || source, ', ' ORDER BY name) FROM pg_settings
				  WHERE name LIKE 'kid.%'};
my $configured = join ', ', map { "kid.$_ configuration file" } qw(clock_backward=wait flake_datacenter=0 flake_epoch=1700000000001ms flake_id=5
  flake_sequence_max=99 flake_worker=5 lanes=1024 lease=7000ms max_observe=8000ms max_wait=5000ms neighborhood=0 node=77 sno_partition=9 sno_sequence_max=19 sno_sequence_min=10);
my $made = 'SELECT kid_generator(flake_next()), kid_node(kid96_next()), kid_partition(sno_next()), kid_timestamp(flake_next()) <= clock_timestamp()';
foreach my $first ('REINDEX TABLE ids', 'CREATE INDEX ids_more ON ids (kid, flake)', 'ALTER TABLE ids ADD PRIMARY KEY (flake)')
{
	is(session("$first; $settings; $made"), "$configured\n5|77|9|t", "$first, then IDs");
	$node->safe_psql('postgres', 'DROP INDEX IF EXISTS ids_more; ALTER TABLE ids DROP CONSTRAINT IF EXISTS ids_pkey');
	is(session("BEGIN; $first; SET kid.flake_id = 6; SET kid.flake_worker = 6; SET LOCAL kid.sno_partition = '8'; $made; ROLLBACK; $made"), "6|77|8|t\n5|77|9|t",
		"$first, then SET in the same transaction");
	is(session("SET kid.flake_id = 7; SET kid.flake_worker = 7; $first; RESET kid.flake_worker; SET kid.sno_partition = '8'; RESET kid.flake_id; $made"), "5|77|8|t", "SET, $first, SET and RESET");
	$node->safe_psql('postgres', 'DROP INDEX IF EXISTS ids_more; ALTER TABLE ids DROP CONSTRAINT IF EXISTS ids_pkey');
}
$node->safe_psql('postgres', q{
	CREATE FUNCTION change(int) RETURNS text PARALLEL SAFE LANGUAGE plpgsql AS $$ BEGIN RETURN set_config('kid.sno_partition', '80', false); END $$});
like(session('REINDEX TABLE ids; SELECT count(change(n)) FROM numbers WHERE n < 9'),
	qr/(cannot set parameters|parameter "kid.sno_partition" cannot be set) during a parallel operation/, 'settings are not changed in parallel mode');

# Kid first loaded in a function that workers, and not the leader, call first; the leader then uses it, too.
$node->safe_psql('postgres', q{
	CREATE TABLE events (id kid96);
	SET kid.neighborhood = 0;
	INSERT INTO events SELECT kid96_make(timestamptz '2026-11-21 10:00' + n * interval '1 s', n % 7, n) FROM generate_series(0, 9999) AS n;
	ANALYZE events;
	CREATE FUNCTION within(text) RETURNS bigint PARALLEL SAFE STABLE LANGUAGE plpgsql AS $$
		DECLARE found bigint;
		BEGIN
			EXECUTE $q$SELECT count(*) FROM events WHERE id <@ tstzrange('2026-11-21 11:00', '2026-11-21 12:00')$q$ INTO found;
			RETURN found;
		END $$;
});
my $range = q{SELECT count(*) FROM events WHERE id <@ tstzrange('2026-11-21 11:00', '2026-11-21 12:00')};
is(session($range), 3600, 'an hour of kid96, serially');
is(session("SELECT DISTINCT within('x' || n) FROM numbers WHERE n < 40; SET max_parallel_workers_per_gather = 0; $range"), "3600\n3600",
	'in workers first, and then serially');
is(session("SET parallel_leader_participation = off; SELECT DISTINCT within('x' || n) FROM numbers WHERE n < 40; SET kid.neighborhood = 0; $range"), "3600\n3600",
	'in workers only, and then serially');

# What an ordinary user asks for when a session starts hides the configured value from a library that is loaded later. With
# another value no ID is made.
$node->safe_psql('postgres', 'CREATE ROLE joe LOGIN');
{
	local $ENV{PGOPTIONS} = '-c kid.flake_id=3 -c kid.flake_worker=3 -c kid.no_such_setting=1';
	my ($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT kid_generator(flake_next())", extra_params => [ '-U', 'joe' ]);
	is($stdout, '', 'an ordinary user gets no ID of another generator');
	my $error = qr/ERROR:  55P02: parameter "kid.flake_id" could not be set\nDETAIL:  The value that it was given when the session started .*\nHINT:  Start a session without it/;
	like($stderr, $error, 'but an error');
	($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT 1;\nSELECT kid_timestamp('1'::flake);\nSELECT kid_next()", extra_params => [ '-U', 'joe' ], on_error_stop => 0);
	is($stdout, '1', 'nor is one read');
	is(() = $stderr =~ /ERROR:  55P02: parameter "kid.flake_id" could not be set/g, 2, 'again and again');
	is($node->safe_psql('postgres', 'SELECT kid_generator(flake_next())'), '3', 'a superuser does');
}
is($node->psql('postgres', 'SELECT kid_generator(flake_next())', extra_params => [ '-U', 'joe' ]), 0, 'without it an ordinary user does');
foreach my $option ('kid.node=abc', 'kid.node=78', 'kid.lanes=1', 'kid.flake_epoch=0.5', 'kid.lease=0')
{
	local $ENV{PGOPTIONS} = "-c $option";
	my ($status, $stdout, $stderr) = $node->psql('postgres', 'SELECT kid_next()');
	like($stdout . $stderr, qr/ERROR:  parameter "kid.\w+" could not be set/, "$option is no value that can be given so, also by a superuser");
}
{
	local $ENV{PGOPTIONS} = '-c kid.no_such_setting=1';
	is($node->psql('postgres', 'SELECT kid_next()', extra_params => [ '-U', 'joe' ]), 0, 'a name that kid does not have is no matter');
}

$node->stop;
done_testing();
