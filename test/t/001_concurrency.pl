# Two million IDs from eight sessions at once, and as many from parallel workers: no two are the same, each process sees
# its own rise, and they tell the time at which they were made.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_parallel_workers_per_gather = 4\nmax_worker_processes = 8\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION kid');

# Rows are numbered by `n` within a process. The clock is read before and after each ID; two milliseconds are room for the
# time unit, 1.024 ms, and for the clocks of two processors that do not quite agree.
sub check_ids
{
	my ($table, $process) = @_;
	is($node->safe_psql('postgres', "SELECT count(*), count(DISTINCT id) FROM $table"),
		'2000000|2000000', "$table: no duplicate");
	is( $node->safe_psql('postgres', qq{
			SELECT count(*) FROM (
				SELECT id > lag(id) OVER (PARTITION BY $process ORDER BY n) AS rises FROM $table) s
			 WHERE NOT rises}),
		'0', "$table: rising within each process");
	is( $node->safe_psql('postgres', qq{
			SELECT n, before, kid_timestamp(id), after FROM $table
			 WHERE kid_timestamp(id) NOT BETWEEN before - interval '2 ms' AND after + interval '2 ms'
			 LIMIT 10}),
		'', "$table: the time is that of the clock");
	return;
}

$node->safe_psql('postgres',
	'CREATE UNLOGGED TABLE sessions (session int, n int, before timestamptz, id kid64, after timestamptz)');
$node->pgbench('-n -c 8 -j 2 -t 1', 0, [qr{processed: 8/8}], [qr{^$}], 'eight sessions',
	{ '001_sessions' => q{
		INSERT INTO sessions SELECT :client_id, n, clock_timestamp(), kid_next(), clock_timestamp()
		  FROM generate_series(1, 250000) AS n;
	} });
is($node->safe_psql('postgres', 'SELECT count(DISTINCT session) FROM sessions'), '8', 'all sessions inserted');
check_ids('sessions', 'session');

# The sequence of back-filled IDs is one for all sessions: 16000 of one instant, by eight of them.
$node->safe_psql('postgres', 'CREATE TABLE old (id kid64)');
$node->pgbench('-n -c 8 -j 2 -t 1', 0, [qr{processed: 8/8}], [qr{^$}], 'eight sessions back-fill',
	{ '001_backfill' => q{INSERT INTO old SELECT kid64_at('2020-01-01') FROM generate_series(1, 2000);} });
is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id) FROM old'), '16000|16000', 'back-filled IDs differ');

# PostgreSQL does not let parallel workers ask for their process ID; worker() does. And it makes one column of two equal ones
# that workers compute, so the second reading of the clock needs a name of its own.
$node->safe_psql('postgres', q{
	CREATE FUNCTION worker() RETURNS int LANGUAGE internal PARALLEL SAFE AS 'pg_backend_pid';
	CREATE FUNCTION clock_after() RETURNS timestamptz LANGUAGE internal PARALLEL SAFE AS 'clock_timestamp';
	CREATE TABLE source AS SELECT FROM generate_series(1, 2000000);
	ANALYZE source;
});
my $query = 'SELECT worker(), clock_timestamp() AS before, kid_next() AS id, clock_after() AS after FROM source';
my $settings = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;';
like($node->safe_psql('postgres', "$settings EXPLAIN (VERBOSE, COSTS OFF) $query"),
	qr{Gather\n.*->  Parallel Seq Scan on public.source\n\s+Output: worker\(\), .*kid_next\(\)}s,
	'workers call kid_next()');
# The leader writes the rows of each worker in the order in which that made them.
$node->safe_psql('postgres', "$settings CREATE TABLE workers AS SELECT row_number() OVER () AS n, * FROM ($query) q");
cmp_ok($node->safe_psql('postgres', 'SELECT count(DISTINCT worker) FROM workers'), '>', 1, 'several processes took part');
check_ids('workers', 'worker');

# Sixty IDs a row are made faster than a time unit has them, so generators wait. All of them rise, none is from the future,
# and they take the time that so many need.
my $rising = join(' AND ', ('kid_next() < kid_next()') x 30);
my ($first, $start, $count, $last, $now) = split /[|\n]/, $node->safe_psql('postgres', qq{
	SELECT kid_next()::bigint, clock_timestamp();
	SELECT count(*) FROM generate_series(1, 200000) WHERE $rising;
	SELECT kid_next()::bigint, clock_timestamp();
});
is($count, '200000', 'twelve million IDs in a row rise');
is( $node->safe_psql('postgres', qq{
		SELECT ${last}::kid64 - ${first}::kid64 >= interval '1.024 ms' * (12000000 / 16384 - 1),
		       kid_timestamp(${last}::kid64) - timestamptz '$now' < interval '2 ms'}),
	't|t', 'at most 16384 in a time unit');

my ($status, $stdout, $stderr) = $node->psql('postgres', qq{
	\\set VERBOSITY verbose
	SET kid.max_wait = -1;
	SET statement_timeout = '300ms';
	SELECT count(*) FROM generate_series(1, 100000000) WHERE $rising});
like($stderr, qr/57014: canceling statement due to statement timeout/, 'statement_timeout ends such a query');

$node->stop;
done_testing();
