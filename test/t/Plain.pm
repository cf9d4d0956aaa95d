# What tests of the edition in plain SQL share: a server, its script, and the statements that lead to the extension.
package Plain;
use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Utils;
use Sql;

our @EXPORT = qw(use_plain_server install to_the_extension);

# Starts a server whose ordinary roles are app and other. Returns the server.
sub use_plain_server
{
	my $node = use_new_server("timezone = 'UTC'\nlc_messages = 'C'\n", allows_streaming => 'logical');
	sql('CREATE ROLE app LOGIN; CREATE ROLE other LOGIN');
	return $node;
}

# Runs the script of all modules as a role in a database. Returns what psql prints: nothing, unless there is an error.
sub install
{
	my ($role, $database) = @_;
	return output_of("\\i " . assemble('kid-all'), database => $database, role => $role);
}

# Returns the blocks of docs/start/to_the_extension.sql by their names, and as "orders in place" what changes a table
# orders without payments.
sub to_the_extension
{
	my %block = slurp_file('docs/start/to_the_extension.sql') =~ m{^---- ([\w ]+): .*?\n\n(.*?)(?=^---- |\z)}msg;
	$block{'orders in place'} = $block{'in place'} =~ s/LOCK TABLE orders, payments;/LOCK TABLE orders;/r
	  =~ s/^ALTER TABLE payments .*\n//mgr;
	return %block;
}

1;
