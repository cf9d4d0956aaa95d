# With synchronous replication the bound is on the standby before an ID is handed out: after a failover none comes again, although it was
# never committed. Without a standby an ID waits as a commit does, and whoever waits can be stopped, and has no ID.
use strict;
use warnings;
use FakeClock;
use Failure;
use Ledger;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $primary = FakeClock->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', $Ledger::settings);
$primary->start;
$primary->sql($Ledger::schema);
$primary->backup('base');
my $ledger = Ledger->new;

# The standby, whose clock is ten seconds behind, is stopped in the midst of receiving, the primary killed two seconds later.
my $standby = FakeClock->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->set_clock('-10s');
$standby->start;
$primary->append_conf('postgresql.conf', "synchronous_standby_names = 'standby'\n");
$primary->reload;
$primary->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'}) or die;
$ledger->goes_on('a synchronous standby', $primary);
my $receiver = $standby->sql(q{SELECT pid FROM pg_stat_wal_receiver});
# IDs that nobody commits: a commit would wait for the standby, whatever IDs do.
my @sessions = map { start_session($primary, "BEGIN;\n" . "SELECT kid_next()::bigint, flake_next()::bigint, sno_next(), kid_uuidv7();\n" x 200000) } 1 .. 2;
wait_for_output($_, qr/\n/) foreach @sessions;
kill 'STOP', $receiver;
run_for(2.5, @sessions);
is($primary->sql(q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'}), 't', 'at the bound, IDs wait for the standby');
kill_server($primary);
foreach (@sessions)
{
	eval { $_->{handle}->finish; };
}
$ledger->add('before the standby was stopped', join("\n", map { ${ $_->{stdout} } } @sessions), '');
# It may not go on with what has been sent: the receiver is killed as it stands.
kill_server($standby);
$standby->start;
$standby->promote;
$ledger->goes_on('promoted', $standby);
$ledger->is_right('a synchronous standby that was promoted');
$standby->stop('immediate');

# Timeouts are not for libfaketime.
my $real = PostgreSQL::Test::Cluster->new('real');
$real->init(allows_streaming => 1);
$real->append_conf('postgresql.conf', "kid.max_wait = '700ms'\n");
$real->start;
$real->safe_psql('postgres', 'CREATE EXTENSION kid');
$real->backup('base');
my $other = PostgreSQL::Test::Cluster->new('other');
$other->init_from_backup($real, 'base', has_streaming => 1);
$other->start;
$real->append_conf('postgresql.conf', "synchronous_standby_names = 'other'\n");
$real->reload;
$real->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'}) or die;
my $last = $real->safe_psql('postgres', 'SELECT kid_next()::bigint');
$other->stop;
usleep(1_500_000);

my %waiting;
sub start_waiting_for_standby
{
	my ($name, $settings) = @_;
	$waiting{$name} = start_session($real, "${settings}SET application_name = '$name';\nSELECT kid_next()::bigint;\n");
	$real->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = '$name' AND wait_event = 'SyncRep'") or die;
	return;
}
start_waiting_for_standby('canceled', '');
is($real->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'canceled'}), 't', 'one that waits is cancelled');
start_waiting_for_standby('timeout', "SET kid.max_wait = -1; SET statement_timeout = '1s';\n");
eval { $waiting{$_}{handle}->finish } foreach 'canceled', 'timeout';
like(${ $waiting{$_}{stderr} }, qr/ERROR:  57014: /, "an ID without a standby, $_: an error") foreach 'canceled', 'timeout';
is(${ $waiting{canceled}{stdout} } . ${ $waiting{timeout}{stdout} }, '', 'and no ID');

# All wait, no longer than they may.
start_waiting_for_standby('first', "SET kid.max_wait = -1;\n");
my ($status, $stdout, $stderr) = $real->psql('postgres', "\\set VERBOSITY verbose\nSET kid.max_wait = '500ms'; SELECT kid_next()");
like($stdout . $stderr, qr/^psql\S* ERROR:  53400: bound of IDs of kid was not renewed in time\nDETAIL:  Synchronous standbys .* 500 ms\.\nHINT:  .*synchronous_standby_names/,
	'another one stops at kid.max_wait, and has no ID');
start_waiting_for_standby('second', "SET kid.max_wait = -1;\n");
is($real->safe_psql('postgres', 'SELECT count(*) > 0 FROM pg_class, kid_stats()'), 't', 'sessions that want no ID go on');
is($real->safe_psql('postgres', q{SELECT waiting, waiting_for > interval '0.4 s' FROM kid_stats() WHERE clock = 'kid'}), '2|t', 'kid_stats() tells who waits');
$real->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'second'});
eval { $waiting{second}{handle}->finish };
is($real->safe_psql('postgres', q{SELECT waiting FROM kid_stats() WHERE clock = 'kid'}), '1', 'but not of one that was terminated');
start_waiting_for_standby('third', "SET kid.max_wait = -1;\n");
$other->start;
foreach my $name ('first', 'third')
{
	$waiting{$name}{handle}->finish;
	cmp_ok(${ $waiting{$name}{stdout} }, '>', $last, "the standby is back: $name goes on");
}
isnt(${ $waiting{first}{stdout} }, ${ $waiting{third}{stdout} }, 'with an ID of its own');
is($real->safe_psql('postgres', q{SELECT waiting, waiting_for FROM kid_stats() WHERE clock = 'kid'}), '0|', 'nobody waits');
cmp_ok($real->safe_psql('postgres', 'SELECT kid_next()::bigint'), '>', $last, 'all go on');

# A standby that confirms late: the next bounds are further ahead, so that there is time to renew them.
sub wait_for_end_of_lease
{
	$real->poll_query_until('postgres', q{SELECT max(lease_until) < now() FROM kid_stats()}) or die;
	return;
}
wait_for_end_of_lease();
my $late = $other->safe_psql('postgres', 'SELECT pid FROM pg_stat_wal_receiver');
kill 'STOP', $late;
start_waiting_for_standby('late', "SET kid.max_wait = -1;\n");
usleep(1_500_000);
kill 'CONT', $late;
$waiting{late}{handle}->finish;
is($real->safe_psql('postgres', q{SELECT lease_until - now() > interval '3 s' FROM kid_stats() WHERE clock = 'kid'}), 't', 'a standby that took 1.5 s: the lease has time for four such writes');

# A client that does not read. Its session is stuck in sending its error, and that holds up nobody else.
$other->stop;
wait_for_end_of_lease();
my $deaf = start_deaf($real, 'SELECT kid_next()');
is(deaf_waits_for($real, q{'SyncRep', 'ClientWrite'}), 'SyncRep', 'one whose client does not read waits for the standby');
start_waiting_for_standby('fourth', "SET kid.max_wait = -1;\n");
$real->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'deaf'});
is(deaf_waits_for($real, q{'ClientWrite'}), 'ClientWrite', 'canceled, it cannot say so');
$real->append_conf('postgresql.conf', "synchronous_standby_names = ''\n");
$real->reload;
$waiting{fourth}{handle}->finish;
cmp_ok(${ $waiting{fourth}{stdout} }, '>', $last, 'without synchronous standbys the others go on');
cmp_ok($real->safe_psql('postgres', 'SELECT kid_next()::bigint'), '>', $last, 'and new sessions');
close $deaf;
$real->append_conf('postgresql.conf', "synchronous_standby_names = 'other'\n");
$real->stop;

# Another standby becomes the synchronous one. It has all WAL, and has said so before: a commit would go on at once.
{
	my $next = PostgreSQL::Test::Cluster->new('next');
	$real->append_conf('postgresql.conf', "synchronous_standby_names = ''\n");
	$real->start;
	$next->init_from_backup($real, 'base', has_streaming => 1);
	$next->append_conf('postgresql.conf', "wal_receiver_status_interval = 0\n");
	$next->start;
	$real->wait_for_catchup('next', 'flush', $real->lsn('insert'));
	$real->append_conf('postgresql.conf', "synchronous_standby_names = 'other'\n");
	$real->reload;
	usleep(1_500_000);
	like(($real->psql('postgres', 'SELECT kid_next()'))[2], qr/was not renewed in time/, 'without the synchronous standby there is no ID');
	$real->wait_for_catchup('next', 'flush', $real->lsn('insert'));
	$real->append_conf('postgresql.conf', "synchronous_standby_names = 'next'\n");
	$real->reload;
	cmp_ok($real->safe_psql('postgres', "SET kid.max_wait = '10s'; SELECT kid_next()::bigint"), '>', $last, 'with another one there is, although that had nothing to say');
	$next->stop;
	$real->append_conf('postgresql.conf', "synchronous_standby_names = 'other'\n");
	$real->stop;
}

# At a start it is the checkpointer that says whether standbys are waited for. Until it does, the setting counts.
SKIP:
{
	skip 'from 19 on a start waits for the checkpointer', 1 if $real->pg_version->major >= 19;
	my $library = late_checkpointer_library();
	skip 'there is no C compiler (cc)', 1 unless defined $library;
	my $flag = $real->basedir . '/late';
	append_to_file($flag, '');
	{
		local $ENV{LD_PRELOAD} = $library;
		local $ENV{KID_LATE_CHECKPOINTER} = $flag;
		$real->start;
	}
	%waiting = ();
	start_waiting_for_standby('early', "SET statement_timeout = '2s';\n");
	eval { $waiting{early}{handle}->finish };
	is(${ $waiting{early}{stdout} }, '', 'before the checkpointer is there, there is no ID without a standby either');
	unlink $flag;
	$real->stop;
}

done_testing();
