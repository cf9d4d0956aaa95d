# Four servers share a table by postgres_fdw: each has a partition and a lane. All of them insert at once, into foreign
# partitions and into their own, and no ID repeats. Conditions on ranges of IDs are sent to the other servers.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The statements of the page are for server 0 of 4. Those for a foreign partition repeat for each other server.
my ($block) = slurp_file('docs/guides/many-servers.md') =~ /^## Shards by postgres_fdw\n.*?^```sql\n(.*?)^```/ms;
my ($own, $foreign) = $block =~ /\A(.*?)(^CREATE SERVER .*)\z/ms;

my @nodes;
foreach my $number (0 .. 3)
{
	my $node = PostgreSQL::Test::Cluster->new("shard$number");
	$node->init;
	$node->append_conf('postgresql.conf',
		"kid.lanes = 4\nkid.node = $number\nkid.max_wait = '20s'\nmax_connections = 60\n");
	$node->start;
	$node->safe_psql('postgres', $own =~ s/events_0\b/events_$number/r =~ s/REMAINDER 0/REMAINDER $number/r);
	push @nodes, $node;
}
foreach my $number (0 .. 3)
{
	foreach my $other (grep { $_ != $number } 0 .. 3)
	{
		my ($host, $port) = ($nodes[$other]->host, $nodes[$other]->port);
		my $statements = $foreign =~ s/host 'shard1', dbname 'shop'/host '$host', port '$port', dbname 'postgres'/r;
		$statements =~ s/(shard|events_|REMAINDER )1\b/$1$other/g;
		$nodes[$number]->safe_psql('postgres', "$statements ALTER SERVER shard$other OPTIONS (ADD batch_size '100')");
	}
	# IDs of other types, and who made them
	$nodes[$number]->safe_psql('postgres',
		"ALTER TABLE events ADD kid96 kid96, ADD flake flake, ADD sno sno, ADD maker int;
		ALTER TABLE events ALTER kid96 SET DEFAULT kid96_next(), ALTER flake SET DEFAULT flake_next(),
			ALTER sno SET DEFAULT sno_next(),
			ALTER maker SET DEFAULT $number");
}

my @load = map {
	my $script = $_->basedir . '/load.sql';
	append_to_file($script, "INSERT INTO events (maker) SELECT " . ($_->name =~ s/shard//r)
		  . " FROM generate_series(1, 500);\n");
	IPC::Run::start([ 'pgbench', '-n', '-c', '2', '-t', '25', '-f', $script, '-d', $_->connstr('postgres') ],
		'>', \my $stdout, '2>', \my $stderr);
} @nodes;
ok($_->finish, 'two clients of each server insert without an error') foreach @load;
foreach my $node (@nodes)
{
	is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id), count(DISTINCT kid96), count(DISTINCT flake),
			count(DISTINCT sno) FROM events'),
		'100000|100000|100000|100000|100000', $node->name . ': no ID repeats');
}
is($nodes[0]->safe_psql('postgres', 'SELECT maker, min(kid_sequence(id)) >= first, max(kid_sequence(id)) < first + 4096
		FROM events JOIN (VALUES (0, 0), (1, 8192), (2, 4096), (3, 12288)) AS lanes (node, first) ON node = maker
			GROUP BY maker, first ORDER BY maker'),
	join("\n", map { "$_|t|t" } 0 .. 3), 'the sequences of each server are in its lane');
is($nodes[0]->safe_psql('postgres', 'SELECT count(DISTINCT tableoid) FROM events WHERE maker = 2'), '4',
	'rows inserted on one server are on all four');

# A bound is an ID itself, so it is sent to the other servers, as they are declared to have the extension.
my $plan = $nodes[0]->safe_psql('postgres',
	"EXPLAIN (VERBOSE, COSTS OFF) SELECT * FROM events WHERE id > timestamptz '2026-11-21 12:00+00'");
my @remote = $plan =~ /Remote SQL: .*WHERE \(\(id OPERATOR\(public\.>=\) '\.6\.o\.F\.\.F\.\.'\)\)/g;
is(scalar @remote, 3, 'a range of time is sent to the other three servers as bounds of IDs') or diag $plan;
is($nodes[0]->safe_psql('postgres',
		"SELECT count(*), count(DISTINCT tableoid) FROM events WHERE id > now() - interval '1 hour'"),
	'100000|4', 'a range of time finds the rows on all servers');

$_->stop foreach @nodes;
done_testing();
