# Runs SQL in a session of its own. Sessions that take one query after another are in Dialogue.pm.
#
# A test first names its server, and its database if that is not postgres:
#
#     use_database($node, 'shop');
#     is(sql('SELECT count(*) FROM orders'), 3, 'all orders are there');
#     like(error_of('SELECT 1 / 0'), qr/^22012: /, 'an error');
#
# The functions with %options take another `node`, `database` or `role` for one query.
package Sql;
use strict;
use warnings;
use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Utils ();

our @EXPORT = qw(use_database sql sql_in sql_on output_of output_as sqlstates_as error_of);
my ($node, $database);

sub use_database
{
	($node, $database) = ($_[0], $_[1] // 'postgres');
	return;
}

# Returns what a query prints, which must not fail. With sql_in() it runs in another database, with sql_on() on another
# server, there by default in postgres.
sub sql { my ($query) = @_; return $node->safe_psql($database, $query) }
sub sql_in { my ($in, $query) = @_; return $node->safe_psql($in, $query) }
sub sql_on { my ($on, $query, $in) = @_; return $on->safe_psql($in // 'postgres', $query) }

# Returns all that psql prints: results, and after them errors and notices with their SQLSTATE, detail and hint. psql
# stops at the first error, unless the option `goes_on` is true. PostgreSQL's own modules die if the server ends the
# session.
sub output_of
{
	my ($query, %options) = @_;
	my ($results, $messages) = ('', '');
	my @to = map { ('-v', $_) } 'VERBOSITY=verbose', 'SHOW_CONTEXT=never', $options{goes_on} ? () : 'ON_ERROR_STOP=1';
	push @to, '-U', $options{role} if defined $options{role};
	push @to, '-d', ($options{node} // $node)->connstr($options{database} // $database);
	IPC::Run::run([ 'psql', '-XAtq', @to, '-f', '-' ],
		'<', \$query, '>', \$results, '2>', \$messages, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	chomp($results, $messages);
	return join "\n", grep { length } $results, $messages;
}

# As output_of() by a role, and goes on after an error.
sub output_as { my ($role, $query, %options) = @_; return output_of($query, %options, role => $role, goes_on => 1) }

# Returns the SQLSTATEs of the errors that output_as() would print.
sub sqlstates_as { return join ' ', output_as(@_) =~ /(?:ERROR|FATAL):  (\w{5})/g }

# Returns the first error of a query, beginning with its SQLSTATE, with its detail and hint; or '' if there is none.
sub error_of { return (output_of(@_) =~ /(?:ERROR|FATAL|error): +(.*)/s)[0] // '' }

1;
