# How kid is initialized: with and without preloading, in several databases, after a crash, and on a standby.
# Promise: After any kind of stop
# Versions: how shared memory is requested
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use Failure;
use PostgreSQL::Test::Utils;
use Test::More;

# kid is preloaded together with another library that uses shared memory: both must call each other's hooks.
foreach my $preload ('', 'pg_stat_statements,kid')
{
	my $name = $preload ? 'preloaded' : 'on demand';
	my $node = PostgreSQL::Test::Cluster->new($preload ? 'preloaded' : 'on_demand');
	$node->init(allows_streaming => 1);
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$preload'\nrestart_after_crash = on\n");
	$node->start;
	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_shmem_allocations WHERE name = 'kid'}),
		$preload ? '1' : '0', "$name: shared memory of kid exists at start only if preloaded");

	is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_shmem_allocations WHERE name = 'pg_stat_statements'}),
		$preload ? '1' : '0', "$name: shared memory of the other library exists too");

	# All databases share one clock.
	$node->safe_psql('postgres', 'CREATE DATABASE other');
	my @ids;
	foreach my $database ('postgres', 'other')
	{
		$node->safe_psql($database, 'CREATE EXTENSION kid; CREATE TABLE t (id kid64 PRIMARY KEY DEFAULT kid_next())');
	}
	foreach my $round (1 .. 10)
	{
		push @ids, $node->safe_psql($_, 'SELECT kid_next()') foreach ('postgres', 'other');
	}
	is_deeply([ sort @ids ], \@ids, "$name: IDs rise across two databases");
	is($node->safe_psql('postgres',
			q{SELECT count(*) FROM pg_shmem_allocations WHERE name = 'kid' AND allocated_size <= 4096}),
		'1', "$name: shared memory is at most 4 kB");

	# A crash of one backend ends all sessions, and shared memory is initialized again.
	my $last = $node->safe_psql('postgres', 'INSERT INTO t DEFAULT VALUES RETURNING id');
	my ($session_out, $session_err) = ('', '');
	my $session = IPC::Run::start(
		[ 'psql', '-XAtq', '-d', $node->connstr('postgres') ],
		'<', \"SELECT kid_next(), pg_backend_pid();\nSELECT pg_sleep(600);\n", '>', \$session_out, '2>', \$session_err,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	$session->pump until $session_out =~ /\|(\d+)\n/;
	my $backend = $1;
	kill 'KILL', $backend;
	eval { $session->finish; };
	# Until the postmaster has reaped the backend, the server still seems to be up.
	wait_for_end($backend);
	wait_until_up($node);
	my $next = $node->safe_psql('postgres', 'INSERT INTO t DEFAULT VALUES RETURNING id');
	cmp_ok($next, 'gt', $last, "$name: IDs rise after the crash of a backend");
	like(slurp_file($node->logfile), qr/terminated by signal 9/, "$name: the log shows the crash");

	# A standby makes no IDs until it is promoted.
	$node->backup('base');
	# Locks can use up all spare shared memory, and do not return it.
	$node->restart;
	my ($locked, $out, $error) = $node->psql('postgres',
		'SELECT count(pg_advisory_lock(i)) FROM generate_series(1, 1000000) AS i');
	like($error, qr/out of shared memory/, "$name: no shared memory is left");
	# That session releases its locks after psql has ended. Until then others may not even connect.
	$node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory'}) or die;
	($locked, $out, $error) = $node->psql('postgres', 'SELECT kid_next()');
	like($preload ? $out : "$out$error", $preload ? qr/^\S{11}$/
		: qr/^\S{11}$|not enough shared memory.*\nHINT:  Add "kid" to "shared_preload_libraries"/s,
		"$name: IDs are made if shared memory is reserved, or else there is a hint");
	$node->restart;

	my $standby = PostgreSQL::Test::Cluster->new($preload ? 'preloaded_standby' : 'on_demand_standby');
	$standby->init_from_backup($node, 'base', has_streaming => 1);
	$standby->start;
	$last = $node->safe_psql('postgres', 'INSERT INTO t DEFAULT VALUES RETURNING id');
	$node->wait_for_catchup($standby, 'replay');
	foreach my $generator ('kid_next()', 'kid64_at(now())')
	{
		my ($status, $stdout, $stderr) = $standby->psql('postgres', "\\set VERBOSITY verbose\nSELECT $generator");
		my ($function) = $generator =~ /^(\w+)/;
		like($stderr, qr/ERROR:  25006: cannot execute $function\(\) during recovery/,
			"$name: $function() fails during recovery");
	}
	is($standby->safe_psql('postgres', "SELECT kid_timestamp('$last'::kid64) <= now() + interval '2 s'"), 't',
		"$name: IDs can be read during recovery");
	$standby->promote;
	$next = $standby->safe_psql('postgres', 'INSERT INTO t DEFAULT VALUES RETURNING id');
	cmp_ok($next, 'gt', $last, "$name: IDs rise after promotion");

	$standby->stop;
	$node->stop;
}

# A single-user server shares memory with no other process, and makes IDs too.
my $node = PostgreSQL::Test::Cluster->new('single');
$node->init;
my ($stdout, $stderr) = ('', '');
IPC::Run::run([ 'postgres', '--single', '-D', $node->data_dir, 'postgres' ],
	'<', \"CREATE EXTENSION kid\nSELECT kid_next() < kid_next() AS rising\n", '>', \$stdout, '2>', \$stderr);
like($stdout, qr/rising = "t"/, 'IDs rise in single-user mode');

done_testing();
