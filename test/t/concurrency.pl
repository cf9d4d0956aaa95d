# Half a million IDs of each type from eight sessions at once. No two are equal, those of each session rise (except
# flax), and they have the time at which they were made. KID_ROUNDS=4 makes it two million.
# Promise: While the server runs, no two sessions get the same state
# Versions: the integers and atomics of PostgreSQL, which differ before 18
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Types;

my $rounds = $ENV{KID_ROUNDS} // 1;
my $each = 62_500 * $rounds;
my $all = 8 * $each;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# Preloaded, so that all sessions descend from a process that has the library.
$node->append_conf('postgresql.conf', q{
	shared_preload_libraries = 'kid'
	max_wal_size = 4GB
	work_mem = 64MB
});
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION kid');

my @generators = map { [ $_->{name} => "$_->{next}()" ] } all_types();
my $generated = join(', ', map { "$_->[1] AS $_->[0]" } @generators);
my $columns = join(', ', map { "$_->{name} $_->{type}" } all_types());

# Column `n` numbers the rows within a process. The clock is read before and after each row. The slack of two
# milliseconds covers the time unit, 1.024 ms (sno: 4 ms), and clocks of two processors that differ slightly.
sub check_ids
{
	my ($table, $process) = @_;
	foreach (all_types())
	{
		my ($type, $timestamp) = @$_{qw(name timestamp)};
		my $slack = $type eq 'sno' ? '5 ms' : '2 ms';
		is($node->safe_psql('postgres', "SELECT count(*), count(DISTINCT $type) FROM $table"),
			"$all|$all", "$table: no duplicate $type");
		is($node->safe_psql('postgres', qq{
				SELECT n, before, $timestamp($type), after FROM $table
				 WHERE $timestamp($type) NOT BETWEEN before - interval '$slack' AND after + interval '$slack'
				 LIMIT 10}),
			'', "$table: the time in $type is that of the clock");
		next if $type eq 'flax';
		is($node->safe_psql('postgres', qq{
				SELECT count(*) FROM (
					SELECT $type > lag($type) OVER (PARTITION BY $process ORDER BY n) AS rises FROM $table) s
				 WHERE NOT rises}),
			'0', "$table: $type rises within each process");
	}
	return;
}

$node->safe_psql('postgres',
	"CREATE UNLOGGED TABLE sessions (session int, n int, before timestamptz, $columns, after timestamptz)");
$node->pgbench('-n -c 8 -j 2 -t 1', 0, [qr{processed: 8/8}], [qr{^$}], 'eight sessions',
	{ 'sessions' => qq{
		INSERT INTO sessions SELECT :client_id, n, clock_timestamp(), $generated, clock_timestamp()
		  FROM generate_series(1, $each) AS n;
	} });
is($node->safe_psql('postgres', 'SELECT count(DISTINCT session) FROM sessions'), '8', 'all sessions inserted');
check_ids('sessions', 'session');
is($node->safe_psql('postgres', 'SELECT count(*) FROM sessions WHERE kid_tick(sno)'), '0',
	'without a step of the clock, sno never toggles its tick');

# If sessions take turns, the IDs of both clocks are in the order of the turns.
$node->safe_psql('postgres',
	'CREATE UNLOGGED TABLE log (session int, n kid64 DEFAULT kid_next(), id uuid DEFAULT kid_uuidv7())');
my $turns = 63 * $rounds;
$node->pgbench("-n -c 8 -j 2 -t $turns", 0, [qr{processed: }], [qr{^$}], 'eight sessions write a log', { 'log' => q{
		BEGIN;
		LOCK TABLE log IN SHARE ROW EXCLUSIVE MODE;
		INSERT INTO log (session) SELECT :client_id FROM generate_series(1, 1000);
		COMMIT;
	} });
is($node->safe_psql('postgres', q{
		SELECT count(*), count(DISTINCT id), count(DISTINCT session), count(*) FILTER (WHERE id <= previous)
		  FROM (SELECT *, lag(id) OVER (ORDER BY n) AS previous FROM log) s}),
	join('|', (8000 * $turns) x 2, 8, 0), 'all uuids rise in the order of the log');
$node->safe_psql('postgres', 'DROP TABLE log');

# Many IDs a call, from 1 to 40000, while other sessions make them one at a time.
my %in_batches = map { $_->{name} => "$_->{next}(" . ($_->{name} eq 'sno' ? '0, ' : '') . ':size)' } all_types();
$node->safe_psql('postgres', "CREATE UNLOGGED TABLE batches (session int, $columns)");
$node->pgbench('-n -c 8 -j 2 -t ' . 10 * $rounds, 0, [qr{processed: }], [qr{^$}],
	'sessions that make many IDs a call, beside sessions that make single ones', {
		'batches@1' => join('',
			map { "\\set size random_zipfian(1, 40000, 1.1)\n"
				  . "INSERT INTO batches (session, $_) SELECT :client_id, id FROM $in_batches{$_} AS id;\n" }
			  sort keys %in_batches),
		'single@1' => join('', map { "INSERT INTO batches (session, $_->[0]) SELECT :client_id, $_->[1]
				FROM generate_series(1, 2000) AS n;\n" } @generators) });
foreach my $type (sort keys %in_batches)
{
	is($node->safe_psql('postgres',
			"SELECT count($type) > 50000 * $rounds, count($type) - count(DISTINCT $type) FROM batches"),
		't|0', "no duplicate $type among batches and single IDs");
}

# Millions of snos in one run: the original library repeats some of twenty million.
$node->safe_psql('postgres', 'CREATE UNLOGGED TABLE many (id sno)');
$node->pgbench('-n -c 8 -j 2 -t 1', 0, [qr{processed: 8/8}], [qr{^$}], 'eight sessions make millions of sno',
	{ 'many' => qq{INSERT INTO many SELECT sno_next() FROM generate_series(1, 10 * $each);} });
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE kid_tick(id)) FROM many'),
	join('|', (10 * $all) x 2, 0), 'no duplicate among millions of sno');
$node->safe_psql('postgres', 'DROP TABLE many');

# All sessions share one sequence for back-filled IDs: eight sessions make 16000 of one instant.
$node->safe_psql('postgres', 'CREATE TABLE old (id kid64)');
$node->pgbench('-n -c 8 -j 2 -t 1', 0, [qr{processed: 8/8}], [qr{^$}], 'eight sessions back-fill',
	{ 'backfill' => q{INSERT INTO old SELECT kid64_at('2020-01-01') FROM generate_series(1, 2000);} });
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM old'), '16000|16000',
	'back-filled IDs of eight sessions are distinct');
$node->safe_psql('postgres', 'CREATE TABLE old_numbers (id bigint)');
$node->pgbench('-n -c 8 -j 2 -t 1', 0, [qr{processed: 8/8}], [qr{^$}], 'eight sessions back-fill kid53',
	{ 'backfill53' => q{INSERT INTO old_numbers SELECT kid53_at('2021-01-01') FROM generate_series(1, 500);} });
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM old_numbers'), '4000|4000',
	'back-filled kid53 of eight sessions are distinct');

# Sixty IDs a row use up time units faster than time passes, so generators wait. All IDs rise, none is in the future,
# and the query takes as long as so many time units.
foreach my $case ([ 'kid64', 'kid_next()', 200000, 16384, '1.024 ms' ],
	[ 'flake', 'flake_next()', 50000, 4096, '1 ms' ], [ 'kid53', 'kid53_next()', 50000, 4096, '1 ms' ])
{
	my ($type, $generator, $rows, $pool, $unit) = @$case;
	my $rising = join(' AND ', ("$generator < $generator") x 30);
	my $total = 60 * $rows;
	my ($first, $start, $count, $last, $now) = split /[|\n]/, $node->safe_psql('postgres', qq{
		SELECT ${generator}::bigint, clock_timestamp();
		SELECT count(*) FROM generate_series(1, $rows) WHERE $rising;
		SELECT ${generator}::bigint, clock_timestamp();
	});
	is($count, $rows, "$total $type in a row rise");
	my ($begin, $end) =
	  map { $type eq 'kid53' ? "kid53_timestamp($_)" : "kid_timestamp($_\::bigint::$type)" } $first, $last;
	is($node->safe_psql('postgres', qq{
			SELECT $end - $begin >= interval '$unit' * ($total / $pool - 1),
				$end - timestamptz '$now' < interval '2 ms'}),
		't|t', "at most $pool $type in a time unit");
}

# The same with eight sessions at once, and for sno with the smallest range of sequences.
my $rising = join(' AND ', ('flake_next() < flake_next()') x 30);
my $started = $node->safe_psql('postgres', 'SELECT clock_timestamp()');
$node->safe_psql('postgres', 'CREATE UNLOGGED TABLE counts (rows int)');
$node->pgbench('-n -c 8 -j 2 -t 1', 0, [qr{processed: 8/8}], [qr{^$}],
	'eight sessions use up all flakes of each millisecond',
	{ 'full' => "INSERT INTO counts SELECT count(*) FROM generate_series(1, 20000) WHERE $rising;" });
is($node->safe_psql('postgres',
		"SELECT sum(rows), clock_timestamp() - '$started' > interval '1 ms' * (20000 * 60 * 8 / 4096) FROM counts"),
	'160000|t', '9600000 flake rise, at most 4096 in a millisecond');
is($node->safe_psql('postgres', q{SELECT waits > 0 FROM kid_stats() WHERE clock = 'flake'}), 't',
	'kid_stats() counts waits of flake');
$node->safe_psql('postgres', 'CREATE UNLOGGED TABLE few (id sno)');
$node->pgbench('-n -c 8 -j 2 -t 1', 0, [qr{processed: 8/8}], [qr{^$}],
	'eight sessions make sno from a range of four sequences',
	{ 'few' => q{
		SET kid.sno_sequence_min = 40;
		SET kid.sno_sequence_max = 43;
		SET kid.max_wait = -1;
		INSERT INTO few SELECT sno_next() FROM generate_series(1, 300);} });
is($node->safe_psql('postgres', q{
		SELECT count(*), count(DISTINCT id), min(kid_sequence(id)), max(kid_sequence(id)),
			count(DISTINCT kid_timestamp(id)) >= 600 FROM few}),
	'2400|2400|40|43|t', 'sno: no duplicate from a range of four sequences');

my ($status, $stdout, $stderr) = $node->psql('postgres', qq{
	\\set VERBOSITY verbose
	SET kid.max_wait = -1;
	SET statement_timeout = '300ms';
	SELECT count(*) FROM generate_series(1, 100000000) WHERE $rising});
like($stderr, qr/57014: canceling statement due to statement timeout/,
	'statement_timeout ends a query that waits for flake');

$node->stop;
done_testing();
