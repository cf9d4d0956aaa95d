# Four servers share a table by postgres_fdw: each has a partition and a lane. All of them insert at once, into foreign
# partitions and into their own, and no ID repeats. Conditions on ranges of IDs are sent to the other servers.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @nodes;
foreach my $number (0 .. 3)
{
	my $node = PostgreSQL::Test::Cluster->new("shard$number");
	$node->init;
	$node->append_conf('postgresql.conf', "kid.lanes = 4\nkid.node = $number\nkid.max_wait = '20s'\nmax_connections = 60\n");
	$node->start;
	$node->safe_psql('postgres', "CREATE EXTENSION kid;
		CREATE EXTENSION postgres_fdw;
		CREATE TABLE events (id kid64 NOT NULL DEFAULT kid_next(), kid96 kid96 DEFAULT kid96_next(), flake flake DEFAULT flake_next(),
			sno sno DEFAULT sno_next(), maker int DEFAULT $number) PARTITION BY HASH (id);
		CREATE TABLE events_$number PARTITION OF events (PRIMARY KEY (id)) FOR VALUES WITH (MODULUS 4, REMAINDER $number)");
	push @nodes, $node;
}
foreach my $number (0 .. 3)
{
	foreach my $other (grep { $_ != $number } 0 .. 3)
	{
		my ($host, $port) = ($nodes[$other]->host, $nodes[$other]->port);
		$nodes[$number]->safe_psql('postgres', "
			CREATE SERVER shard$other FOREIGN DATA WRAPPER postgres_fdw
				OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'kid', batch_size '100');
			CREATE USER MAPPING FOR CURRENT_USER SERVER shard$other;
			CREATE FOREIGN TABLE events_$other PARTITION OF events FOR VALUES WITH (MODULUS 4, REMAINDER $other) SERVER shard$other");
	}
}

my @load = map {
	my $script = $_->basedir . '/load.sql';
	append_to_file($script, "INSERT INTO events (maker) SELECT " . ($_->name =~ s/shard//r) . " FROM generate_series(1, 500);\n");
	IPC::Run::start([ 'pgbench', '-n', '-c', '2', '-t', '25', '-f', $script, '-d', $_->connstr('postgres') ], '>', \my $stdout, '2>', \my $stderr);
} @nodes;
ok($_->finish, 'two clients of each server insert without an error') foreach @load;
foreach my $node (@nodes)
{
	is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id), count(DISTINCT kid96), count(DISTINCT flake), count(DISTINCT sno) FROM events'),
		'100000|100000|100000|100000|100000', $node->name . ': no ID repeats');
}
is($nodes[0]->safe_psql('postgres', 'SELECT maker, min(kid_sequence(id)) >= first, max(kid_sequence(id)) < first + 4096
		FROM events JOIN (VALUES (0, 0), (1, 8192), (2, 4096), (3, 12288)) AS lanes (node, first) ON node = maker GROUP BY maker, first ORDER BY maker'),
	join("\n", map { "$_|t|t" } 0 .. 3), 'the sequences of each server are in its lane');
is($nodes[0]->safe_psql('postgres', 'SELECT count(DISTINCT tableoid) FROM events WHERE maker = 2'), '4', 'rows inserted on one server are on all four');

# A bound is an ID itself, so it is sent to the other servers, as they are declared to have the extension.
my $plan = $nodes[0]->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM events WHERE id > timestamptz '2026-11-21 12:00+00'");
my @remote = $plan =~ /Remote SQL: .*WHERE \(\(id OPERATOR\(public\.>=\) '\.6\.o\.F\.\.F\.\.'\)\)/g;
is(scalar @remote, 3, 'a range of time is sent to the other three servers as bounds of IDs') or diag $plan;
is($nodes[0]->safe_psql('postgres', "SELECT count(*), count(DISTINCT tableoid) FROM events WHERE id > now() - interval '1 hour'"),
	'100000|4', 'a range of time finds the rows on all servers');

$_->stop foreach @nodes;
done_testing();
