# A Citus cluster with kid: a coordinator and workers, on ports of 127.0.0.1. Only clones need ports instead of sockets,
# because Citus looks for them by address.
package CitusNodes;
use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(start_cluster new_node add_node set_on has_ids error_of start_load end_load);

# kid is preloaded in case a server makes IDs from its first second. citus must be the first of the libraries.
sub configure
{
	my ($node) = @_;
	$node->append_conf('pg_hba.conf', "host all,replication all 127.0.0.1/32 trust\n");
	$node->append_conf('postgresql.conf', q{
		listen_addresses = '127.0.0.1'
		shared_preload_libraries = 'citus, kid'
		citus.node_conninfo = 'sslmode=prefer'
		citus.local_hostname = '127.0.0.1'
		citus.shard_count = 8
		max_prepared_transactions = 100
		max_connections = 100
		max_wal_size = 4GB
		kid.max_wait = '20s'
	});
	return;
}

sub new_node
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	configure($node);
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION citus');
	return $node;
}

sub add_node
{
	my ($coordinator, $node) = @_;
	$coordinator->safe_psql('postgres', sprintf "SELECT citus_add_node('127.0.0.1', %d)", $node->port);
	return;
}

# Starts a coordinator and workers.
sub start_cluster
{
	my ($coordinator, @workers) = map { new_node($_) } 'coordinator', @_;
	$coordinator->safe_psql('postgres', sprintf "SELECT citus_set_coordinator_host('127.0.0.1', %d)",
		$coordinator->port);
	add_node($coordinator, $_) foreach @workers;
	# Citus creates the extension on the workers, too.
	$coordinator->safe_psql('postgres', 'CREATE EXTENSION kid');
	return ($coordinator, @workers);
}

# Runs each statement on each node, and then waits until the reloaded configuration is in force.
sub set_on
{
	my ($statements, @nodes) = @_;
	foreach my $node (@nodes)
	{
		$node->safe_psql('postgres', $_) foreach @$statements;
		my ($lanes) = "@$statements" =~ /kid\.lanes = '?(\d+)/;
		$node->poll_query_until('postgres', "SELECT lanes = $lanes FROM kid_identity()") or die;
	}
	return;
}

# Tests that a table has at least so many rows, and that no ID repeats.
sub has_ids
{
	my ($node, $table, $count, $name) = @_;
	my ($rows, @distinct) = split /[|]/, $node->safe_psql('postgres',
		"SELECT count(*), count(DISTINCT kid64), count(DISTINCT kid96), count(DISTINCT sno), count(DISTINCT flake)
			FROM $table");
	is("@distinct", join(' ', ($rows) x 4), "$name: no ID repeats");
	return cmp_ok($rows, '>=', $count, "$name: at least $count rows, in fact $rows");
}

# Returns the error of a query, with its SQLSTATE, detail and hint.
sub error_of
{
	my ($node, $query) = @_;
	my ($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\n$query");
	isnt($status, 0, 'the query fails');
	return $stderr;
}

# Starts clients that repeat a statement.
my $scripts = 0;

sub start_load
{
	my ($node, $clients, $times, $statement) = @_;
	my $script = $node->basedir . '/load' . ++$scripts . '.sql';
	append_to_file($script, "$statement\n");
	my ($stdout, $stderr) = ('', '');
	my $handle = IPC::Run::start([ 'pgbench', '-n', '-c', $clients, '-t', $times, '-f', $script,
			'-d', $node->connstr('postgres') ],
		'>', \$stdout, '2>', \$stderr, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return { name => $node->name, handle => $handle, stderr => \$stderr };
}

sub end_load
{
	foreach my $load (@_)
	{
		ok($load->{handle}->finish, "the clients of $load->{name} end without an error") or diag ${ $load->{stderr} };
	}
	return;
}

1;
