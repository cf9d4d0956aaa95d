# Runs the unit tests of kidctl, python/tests/test_*.py, with a server.
# Versions: the catalogs, and what pg_dump prints
use strict;
use warnings;
use IPC::Run ();
use Kidctl;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = kidctl_server('', allows_streaming => 'logical');
local %ENV = (%ENV, PYTHONPATH => 'python', PGHOST => $node->host, PGPORT => $node->port,
	PGUSER => $node->safe_psql('postgres', 'SELECT current_user'), PYTHONDONTWRITEBYTECODE => 1);

for my $file (sort glob 'python/tests/test_*.py')
{
	my $output;
	my $status = IPC::Run::run([ find_python(), $file, '--verbose' ], '>&', \$output);
	note($output);
	# The line of a test ends with its result. Its name and the first line of its docstring precede that.
	my @results = $output =~ /^(test_\w+).*?\.\.\. (\w+)$/msg;
	ok(@results > 0, "$file has tests");
	is($results[ 2 * $_ + 1 ], 'ok', "$file $results[2 * $_]") for 0 .. $#results / 2;
	ok($status, "$file succeeds") or diag($output);
}

done_testing();
