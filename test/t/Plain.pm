# What tests of the edition in plain SQL share: a server, its script, and the statements that lead to the extension.
package Plain;
use strict;
use warnings;
use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(start_server script_of_all as install to_the_extension);
my ($node, $script);

# Starts a server whose ordinary roles are app and other, and writes the script.
sub start_server
{
	$node = PostgreSQL::Test::Cluster->new('main');
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlc_messages = 'C'\n");
	$node->start;
	$node->safe_psql('postgres', 'CREATE ROLE app LOGIN; CREATE ROLE other LOGIN');
	$script = PostgreSQL::Test::Utils::tempdir . '/plain.sql';
	system("src/sql/assemble kid-all > $script") == 0 or die 'src/sql/assemble failed';
	return $node;
}

sub script_of_all { return slurp_file($script) }

# Returns what a role gets in a database: an error, or otherwise the results.
sub as
{
	my ($role, $database, $sql) = @_;
	my ($stdout, $stderr) = ('', '');
	$node->psql($database, $sql, stdout => \$stdout, stderr => \$stderr,
		connstr => $node->connstr($database) . " user=$role");
	return $stderr =~ /ERROR:/ ? $stderr =~ s/.*?(ERROR:)/$1/sr : $stdout;
}

# Runs the script as a role, and returns what psql prints.
sub install
{
	my ($role, $database) = @_;
	my ($stdout, $stderr) = ('', '');
	IPC::Run::run([ 'psql', '-XAtq', '-d', $node->connstr($database) . " user=$role", '-f', $script ], '>', \$stdout,
		'2>', \$stderr);
	return $stdout . ($stderr =~ s/^psql:\S+ //mgr);
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
