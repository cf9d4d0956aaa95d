# The very first IDs of a cluster, made at the same moment by two sessions. The server is killed right
# after them, and its clock is behind when it starts again. There are twenty rounds, each without a page
# at the beginning. No ID must repeat.
# Promise: A server that stopped and started
use strict;
use warnings;
use Dialogue;
use FakeClock;
use Failure;
use Ledger;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::HiRes qw(usleep);

my $node = FakeClock->new('main');
$node->init;
$node->append_conf('postgresql.conf',
	"restart_after_crash = on\nkid.lease = '100ms'\nmax_connections = 20\n$Ledger::settings");
$node->start;
use_database($node);
sql($Ledger::schema);
$node->stop;
my $page = $node->data_dir . '/global/9764';
ok(!-e $page, 'before the first ID there is no page of the bounds');

my $count = 0;
my ($repeated, $below, $failures) = ('', 0, '');
my %seen;
foreach my $round (1 .. 20)
{
	# Without the page, the cluster is like one that never had an ID. So the clock moves past the IDs of
	# the previous round.
	unlink $page;
	$node->set_clock('+' . 60 * $round . 's');
	$node->start;
	my $query = "SELECT kid_next()::bigint FROM generate_series(1, 20);\n";
	# The sessions begin to make IDs when the first session ends.
	my $first = start_script($node, "SELECT pg_advisory_lock(1);\nSELECT pg_sleep(0.15);\n");
	wait_for_output($first, qr/\n/);
	my @sessions = map { start_script($node, "SELECT pg_advisory_lock_shared(1);\n$query") } 1 .. 2;
	$first->{handle}->finish;
	# In half of the rounds the kill comes while they run.
	if ($round % 4 < 2) { foreach (@sessions) { eval { $_->{handle}->finish; }; } }
	else { usleep(rand 20_000) }
	kill_server($node);
	my $highest = 0;
	foreach (@sessions)
	{
		eval { $_->{handle}->finish; };
		foreach my $id (${ $_->{stdout} } =~ /^(\d+)$/mg)
		{
			$repeated .= " round $round: $id" if $seen{$id}++;
			$highest = $id if $id > $highest;
			$count++;
		}
		# The loss of the server is a FATAL error.
		$failures .= $_ foreach ${ $_->{stderr} } =~ /^.*(?:ERROR|PANIC): .+$/mg;
	}
	$node->set_clock('+' . (60 * $round - 20) . 's');
	$node->start;
	foreach my $id (split /\n/, sql('SELECT kid_next()::bigint FROM generate_series(1, 20)'))
	{
		$repeated .= " round $round, after the crash: $id" if $seen{$id}++;
		$below++ if $id <= $highest;
	}
	$node->stop;
}
cmp_ok($count, '>', 100, 'more than 100 IDs were made before the kills');
is($repeated, '', 'no ID was given twice');
is($below, 0, 'after each crash, IDs are above all earlier ones');
is($failures, '', 'no call of a generator failed');

done_testing();
