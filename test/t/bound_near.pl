# However often a server crashes, the bound stays near the clock: each start begins at the bound, and several starts do
# not add up. No ID must repeat. KID_ROUNDS=5 multiplies the crashes by five.
# Promise: However often the server crashes, the bound is at most `kid.lease` ahead
use strict;
use warnings;
use Dialogue;
use FakeClock;
use Failure;
use Ledger;
use PostgreSQL::Test::Utils;
use Test::More;

my $crashes = 10 * ($ENV{KID_ROUNDS} // 1);

my $primary = FakeClock->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "restart_after_crash = on\n$Ledger::settings");
$primary->start;
$primary->safe_psql('postgres', $Ledger::schema);
$primary->backup('base');

# Starts a standby of the primary, with further settings.
sub new_standby
{
	my ($name, $settings) = @_;
	my $standby = FakeClock->new($name);
	$standby->init_from_backup($primary, 'base', has_streaming => 1);
	$standby->append_conf('postgresql.conf', "restart_after_crash = on\n" . ($settings // ''));
	$standby->start;
	return $standby;
}

# The primary ends at once, after the standby has all of its WAL.
sub fail_over
{
	my ($standby) = @_;
	$primary->wait_for_catchup($standby, 'flush', $primary->lsn('insert'));
	kill_server($primary);
	$standby->promote;
	return;
}

# Eight crashes within seconds, and then a failover, with correct clocks.
my $standby = new_standby('after_eight');
my $ledger = Ledger->new;
my $far = 0;
$ledger->take('before', $primary);
foreach my $crash (1 .. 8)
{
	kill_backend($primary);
	$primary->safe_psql('postgres', 'SELECT kid_next(), flake_next()');
	my $ahead = seconds_ahead($primary);
	$far = $ahead if $ahead > $far;
	$ledger->take("crash $crash", $primary);
}
is_at_most($far, 1, 'after each of eight crashes');
fail_over($standby);
is_near($standby, 1, 'promoted');
$ledger->goes_on('promoted', $standby);
$ledger->is_right('eight crashes and a failover');
$standby->stop;

# A standby with a shorter lease.
$primary->append_conf('postgresql.conf', "kid.lease = '4s'\n");
$primary->start;
$primary->safe_psql('postgres', 'TRUNCATE ids');
$ledger = Ledger->new;    # the primary continues without the IDs of the promoted standby
$standby = new_standby('shorter', "kid.lease = '100ms'\n");
$ledger->take('long lease', $primary);
kill_backend($primary);
is_near($primary, 4, 'long lease, after a crash');
$ledger->goes_on('long lease, after a crash', $primary);
fail_over($standby);
is_near($standby, 4, 'promoted with a shorter lease');
$ledger->goes_on('short lease', $standby);
kill_backend($standby);
is_near($standby, 4, 'with a shorter lease, after a crash');
$ledger->goes_on('short lease, after a crash', $standby);
$ledger->is_right('a standby with a shorter lease');
$standby->stop;

# A primary with a long lease.
$primary->append_conf('postgresql.conf', "kid.lease = '30s'\nkid.max_wait = '100ms'\n");
$primary->start;
my $statements = 'INSERT INTO ids (kid, flake, sno) SELECT kid_next(), flake_next(), NULL FROM generate_series(1, 100)';
$primary->safe_psql('postgres', "TRUNCATE ids; $statements");
foreach my $crash (1 .. 3)
{
	kill_backend($primary);
	$primary->safe_psql('postgres', $statements);
	is_near($primary, 30, "a lease of 30 s, crash $crash");
}
$primary->stop;

# Crash after crash: one backend is killed while others make IDs.
$primary->append_conf('postgresql.conf', "kid.lease = '1s'\nkid.max_wait = '20s'\n");
$primary->set_clock('+10m');
$primary->start;
$primary->safe_psql('postgres', 'TRUNCATE ids');
$ledger = Ledger->new;
$far = 0;
foreach my $crash (1 .. $crashes)
{
	my @sessions = map { start_script($primary, $ledger->statements(20) x 2000) } 1 .. 2;
	wait_for_output($_, qr/(?:.*\n){500}/) foreach @sessions;
	my $ahead = seconds_ahead($primary);
	$far = $ahead if $ahead > $far;
	kill_backend($primary);
	foreach (@sessions)
	{
		eval { $_->{handle}->finish; };
	}
	$ledger->add("crash $crash", join("\n", map { ${ $_->{stdout} } } @sessions),
		join("\n", map { ${ $_->{stderr} } } @sessions));
}
is_at_most($far, 1, "in $crashes crashes in a row");
$ledger->goes_on('after crashes in a row', $primary);
$ledger->is_right("$crashes crashes");
$primary->stop;

done_testing();
