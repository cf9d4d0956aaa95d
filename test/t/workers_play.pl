# Processes that lease worker numbers never make an ID twice, though they are stopped, killed, forked and replaced,
# their clocks are wrong, and that of the server steps. Processes that break the rules for clients do make IDs twice.
# This is a small run of test/workers/play.py; make test-workers runs a longer one, with failovers.
# Promise: Worker numbers that PostgreSQL leases
use strict;
use warnings;
use IPC::Run ();
use Kidctl;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'psycopg 3 for Python is not installed' unless find_python();

my $folder = PostgreSQL::Test::Utils::tempdir_short() . '/play';
my $status = IPC::Run::run([ find_python(), '-B', 'test/workers/play.py', $folder ], '>&', \my $output);
note $output;
my @results = $output =~ /^(not ok|ok) \d+ - (.*)$/mg;
while (my ($result, $name) = splice @results, 0, 2)
{
	is($result, 'ok', $name);
}
ok($status, 'the play has no error') or diag $output;

done_testing();
