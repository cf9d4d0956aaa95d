# What the tests of small schemas share: a server, and moves of a table in the database one, which has one schema after
# another. The functions of Sql.pm work there as the owner of the tables, whose role is app.
package KidctlCases;
use strict;
use warnings;
use Exporter 'import';
use Kidctl;
use Sql;
use Test::More;

our @EXPORT = qw(start_cases kidctl ok_kidctl fresh stops passes);

my $node;

# Starts the server, and returns it. Without the libraries of kidctl it skips the test.
sub start_cases
{
	$node = kidctl_server("autovacuum = off\nwal_level = logical\nmax_wal_senders = 2\n");
	$node->safe_psql('postgres', 'CREATE ROLE app LOGIN CREATEDB;
		GRANT SET ON PARAMETER session_replication_role TO app; CREATE ROLE g1; CREATE ROLE g2');
	# To copy a database takes less time than to create the extension again for each schema.
	$node->safe_psql('postgres', 'CREATE DATABASE with_kid');
	$node->safe_psql('with_kid', 'CREATE EXTENSION kid; ALTER SCHEMA public OWNER TO app');
	use_database($node, 'one', role => 'app');
	return $node;
}

# Runs kidctl rekey as the owner of the tables. Returns what it prints, and its exit status.
sub kidctl
{
	return run_kidctl(connection_as($node, 'one', 'app'), 'rekey', @_);
}

# Does the same, and tests that it succeeds. Returns what it prints.
sub ok_kidctl
{
	my (@arguments) = @_;
	my ($output, $status) = kidctl(@arguments);
	is($status, 0, "kidctl rekey @arguments[0, 1]") or diag($output);
	return $output;
}

# Makes the database one anew. A superuser runs the statements that prepare it, if there are any, and the owner those
# that make the schema.
sub fresh
{
	my ($schema, $prepared) = @_;
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS one');
	$node->safe_psql('postgres', 'CREATE DATABASE one OWNER app TEMPLATE with_kid');
	$node->safe_psql('one', $prepared) if $prepared;
	sql($schema);
	return;
}

# Tests that the check of a table stops the move, and names what is in the way. Returns what it prints.
sub stops
{
	my ($what, $arguments, @named) = @_;
	my ($output, $status) = kidctl('check', @$arguments);
	is($status, 1, "$what stops the move") or diag($output);
	# Perl 5.42 dies if a name of a test is not in ASCII.
	like($output, $_, "the check says so: $_" =~ s/[^ -~]/./gr) foreach @named;
	return $output;
}

# Tests that the check of a table finds nothing that stops the move. Returns what it prints.
sub passes
{
	my ($what, @arguments) = @_;
	my ($output, $status) = kidctl('check', @arguments);
	is($status, 0, "$what does not stop the move") or diag($output);
	return $output;
}

1;
