# Runs SQL in a session of its own: on a server, in a database, as a role. Sessions that stay open are in Dialogue.pm.
#
# A test first names its server, and its database and role if these are not postgres and the superuser:
#
#     my $node = use_new_server("max_connections = 40\n");
#     use_database($node, 'shop', role => 'app');
#     is(sql('SELECT count(*) FROM orders'), 3, 'all orders are there');
#     is(sql('SELECT count(*) FROM orders', role => 'reader'), 0, 'of which another role sees none');
#     is(sql_in('archive', 'SELECT count(*) FROM orders'), 5, 'another database has more');
#     like(error_of('SELECT 1 / 0'), qr/^22012: division by zero/, 'an error');
#
# The functions with %options take another `node`, `database` or `role` for one call; the role undef is the superuser. A
# query may be several statements. Queries and what they print are text; psql gets them as UTF-8.
package Sql;
use strict;
use warnings;
use Encode qw(encode decode);
use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils ();

our @EXPORT = qw(use_new_server use_database connection_as sql sql_in output_of error_of sqlstates_of
  assemble);
my %used;

# Names the server, database and role that the other functions take.
sub use_database
{
	my ($node, $database, %options) = @_;
	%used = (node => $node, database => $database // 'postgres', role => $options{role});
	return;
}

# Creates a server with these lines in postgresql.conf, starts it, and takes its database postgres. Returns the server.
# The options are those of init() of PostgreSQL::Test::Cluster.
sub use_new_server
{
	my ($settings, %options) = @_;
	my $node = PostgreSQL::Test::Cluster->new('main');
	$node->init(%options);
	$node->append_conf('postgresql.conf', $settings);
	$node->start;
	use_database($node);
	return $node;
}

# Returns the connection string of a role, for programs.
sub connection_as
{
	my ($node, $database, $role) = @_;
	return $node->connstr($database) . (defined $role ? " user=$role" : '');
}

# Returns the results of a query. Dies with psql's message if it fails.
sub sql
{
	my ($query, %options) = @_;
	my %in = (%used, %options);
	return decode('UTF-8', $in{node}->safe_psql($in{database}, encode('UTF-8', $query),
			connstr => connection_as(@in{qw(node database role)})));
}

# Does the same in a database.
sub sql_in
{
	my ($database, $query, %options) = @_;
	return sql($query, %options, database => $database);
}

# Returns all that psql prints: results, and after them errors and notices with their SQLSTATE, detail and hint. After
# an error psql goes on with the next statement. The function does not die if the server ends the session, as those of
# PostgreSQL::Test::Cluster do.
sub output_of
{
	my ($query, %options) = @_;
	my %in = (%used, %options);
	my ($results, $messages) = ('', '');
	IPC::Run::run(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-v', 'SHOW_CONTEXT=never',
			'-d', connection_as(@in{qw(node database role)}), '-f', '-' ],
		'<', \encode('UTF-8', $query), '>', \$results, '2>', \$messages,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	chomp($results, $messages);
	return decode('UTF-8', join "\n", grep { length } $results, $messages);
}

# Returns the first error of a query, beginning with its SQLSTATE, and what psql prints after it, which begins with its
# detail and hint. Returns '' if there is no error.
sub error_of { return (output_of(@_) =~ /(?:ERROR|FATAL|error): +(.*)/s)[0] // '' }

# Returns the SQLSTATEs of the errors of a query, with spaces between them.
sub sqlstates_of { return join ' ', output_of(@_) =~ /(?:ERROR|FATAL):  (\w{5})/g }

my $folder;

# Returns the path of a script of the edition in plain SQL, such as kid-all. The first call assembles the script, and
# dies if that fails.
sub assemble
{
	my ($script) = @_;
	$folder //= PostgreSQL::Test::Utils::tempdir();
	my $path = "$folder/$script.sql";
	-e $path or system("src/sql/assemble $script > $path") == 0 or die "src/sql/assemble $script failed";
	return $path;
}

1;
