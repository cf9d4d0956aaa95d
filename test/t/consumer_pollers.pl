# Tools that poll a table by `id > last` miss rows of the table, and none of a view that ends at the horizon. Pollers do
# it as Kafka Connect's JDBC source, Airbyte and dbt do, beside 16 writers, and transactions that stay open for seconds.
# They do the same with a bigserial that is tracked, whose horizon a job stores. The views and the job are those of
# docs/clients/tools.md.
#
# With KID_ROUNDS=4 they write a million rows, and the transactions stay open for 20 seconds.
# Promise: No row can still appear
use strict;
use warnings;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

plan skip_all => 'there is no psycopg 3' if system("/usr/bin/python3 -c 'import psycopg' >/dev/null 2>&1") != 0;
my $rounds = $ENV{KID_ROUNDS} // 1;
my ($seconds, $open, $batch) = $rounds > 1 ? (40 * $rounds, 20, 100) : (8, 2, 5);
my $temporary = PostgreSQL::Test::Utils::tempdir;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_connections = 100\nlisten_addresses = '127.0.0.1'\n");
$node->start;
use_database($node);

sql('CREATE EXTENSION kid; CREATE TABLE writers (ended boolean); INSERT INTO writers VALUES (false);
	CREATE TABLE pollers (relation text)');
sql('CREATE TABLE orders (id bigserial PRIMARY KEY, item text)');
my @blocks = slurp_file('docs/clients/tools.md') =~ /^```sql\n(CREATE .*?)^```$/msg;
is(scalar(@blocks), 3, 'the page has a table, a view, and a job with a view');
sql($_) foreach @blocks;

# Each transaction writes to both tables.
my $events = "INSERT INTO events (payload) SELECT 'x' FROM generate_series(1, RANDOM) AS n;";
my $orders = "INSERT INTO orders (item) SELECT 'x' FROM generate_series(1, RANDOM) AS n;";
my $insert = "\\set n random(1, $batch)\n" . join "\n", map { s/RANDOM/:n/r } $events, $orders;
my %scripts = (
	'short@6' => $insert,
	'slow@3' => "BEGIN;\n$insert\n\\set ms random(0, 30)\n\\sleep :ms ms\n$insert\nCOMMIT;",
	'rolled_back@1' => "BEGIN;\n$insert\n\\sleep 5 ms\nROLLBACK;",
	'open@1' => "BEGIN;\n$insert\n\\sleep $open s\n$insert\nCOMMIT;");

sub pgbench
{
	my ($output, $clients, @names) = @_;
	my @files;
	foreach my $name (@names)
	{
		my $file = "$temporary/" . $name =~ s/@.*//r;
		append_to_file($file, $scripts{$name});
		push @files, '-f', "$temporary/$name";
	}
	my @connection = ('-h', $node->host, '-p', $node->port);
	my @load = ('-c', $clients, '-j', 2, '-R', $clients * 14, '-T', $seconds);
	return IPC::Run::start([ 'pgbench', '-n', @connection, @load, @files, 'postgres' ], '>', $output, '2>&1');
}

my $job = IPC::Run::start([ 'psql', '-Xq', '-d', $node->connstr('postgres'), '-c', 'CALL settle()' ],
	'>', \my $of_job, '2>&1');

# Without Java, a program in Python polls as Kafka Connect does.
my $jar = '/usr/share/java/postgresql.jar';
my $has_java = -e $jar && system('java -version >/dev/null 2>&1') == 0;
my $url = 'jdbc:postgresql://127.0.0.1:' . $node->port . '/postgres?user=' . sql('SELECT current_user');
local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres');
my @pollers;
foreach my $kind ([ 'events', 'events_settled' ], [ 'orders', 'orders_settled' ])
{
	foreach my $relation (@$kind)
	{
		foreach my $tool ('airbyte', 'dbt', $has_java ? 'kafka by JDBC' : 'kafka')
		{
			my $poller = { tool => $tool, relation => $relation, output => '' };
			my @program = $tool =~ /JDBC/ ? ('java', '-cp', $jar, 'test/pollers/Incrementing.java', $url)
			  : ('/usr/bin/python3', 'test/pollers/pollers.py', $tool);
			$poller->{handle} = IPC::Run::start([ @program, $relation, $kind->[0] ], '>', \$poller->{output}, '2>&1');
			push @pollers, $poller;
		}
	}
}
$node->poll_query_until('postgres', 'SELECT count(*) = ' . @pollers . ' FROM pollers');
my ($short, $long) = ('', '');
my @writers = (pgbench(\$short, 16, grep { !/^open/ } sort keys %scripts), pgbench(\$long, 2, 'open@1'));
$_->finish foreach @writers;
is(join(' ', map { /number of failed transactions: (\d+)/ } $short, $long), '0 0', 'the writers end without an error')
  or diag $short . $long;

# The last rows are above the horizon until the job has stored it again.
$node->poll_query_until('postgres', 'SELECT (SELECT max(id) FROM orders) = (SELECT max(id) FROM orders_settled)');
sql('UPDATE writers SET ended = true');
my $least = $rounds > 3 ? 1_000_000 : 1000;
foreach my $poller (@pollers)
{
	$poller->{handle}->finish;
	my ($all, $missed, $twice) = $poller->{output} =~ /^(\d+) (\d+) (\d+)$/ or diag $poller->{output};
	my $name = "$poller->{tool}, $poller->{relation}";
	cmp_ok($all // 0, '>', $least, "$name: there are $all rows");
	if ($poller->{relation} =~ /_settled$/)
	{
		is("$missed $twice", '0 0', "$name: each of them is read once");
	}
	else
	{
		cmp_ok($missed, '>', 0, "$name: $missed of them are missed");
	}
}
sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CALL settle%'");
$job->finish;
$node->stop;
done_testing();
