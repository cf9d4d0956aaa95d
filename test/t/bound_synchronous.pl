# With synchronous replication the bound is on the standby before an ID is returned, even if that ID is never
# committed. So no ID repeats after a failover. Without a standby a call waits as a commit does. A waiting call can
# be stopped, and then it returns no ID.
# Promise: A server that stopped and started
use strict;
use warnings;
use Dialogue;
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
$primary->safe_psql('postgres', $Ledger::schema);
$primary->backup('base');
my $ledger = Ledger->new;

# The standby's clock is ten seconds behind. Its WAL receiver is stopped while it receives, and the
# primary is killed two seconds later.
my $standby = FakeClock->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->set_clock('-10s');
$standby->start;
$primary->append_conf('postgresql.conf', "synchronous_standby_names = 'standby'\n");
$primary->reload;
$primary->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
  or die;
$ledger->goes_on('a synchronous standby', $primary);
my $receiver = $standby->safe_psql('postgres', q{SELECT pid FROM pg_stat_wal_receiver});
# These IDs are not committed: a commit would wait for the standby by itself.
my @sessions = map { start_script($primary,
		"BEGIN;\n"
		  . "SELECT kid_next()::bigint, kid53_next(), flake_next()::bigint, sno_next(),
			kid_uuidv7();\n" x 200000) } 1 .. 2;
wait_for_output($_, qr/\n/) foreach @sessions;
kill 'STOP', $receiver;
pump_for(2.5, @sessions);
is($primary->safe_psql('postgres', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'}), 't',
	'calls that reach the bound wait for the synchronous standby');
kill_server($primary);
foreach (@sessions)
{
	eval { $_->{handle}->finish; };
}
$ledger->add('before the standby was stopped', join("\n", map { ${ $_->{stdout} } } @sessions), '');
# The WAL receiver must not continue with what was sent: it is killed while it is stopped.
kill_server($standby);
$standby->start;
$standby->promote;
$ledger->goes_on('promoted', $standby);
$ledger->is_right('a synchronous standby that was promoted');
$standby->stop('immediate');

# This server is without libfaketime, because of the timeouts.
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
wait_for_end_of_lease($real);

my %waiting;
sub start_waiting_for_standby
{
	my ($name, $settings) = @_;
	$waiting{$name} = start_script($real, "${settings}SET application_name = '$name';\nSELECT kid_next()::bigint;\n");
	$real->poll_query_until('postgres',
		"SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = '$name' AND wait_event = 'SyncRep'") or die;
	return;
}
start_waiting_for_standby('canceled', "SET kid.max_wait = -1;\n");
is($real->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
		WHERE application_name = 'canceled'}), 't', 'a session that waits for the standby can be cancelled');
start_waiting_for_standby('timeout', "SET kid.max_wait = -1; SET statement_timeout = '1s';\n");
eval { $waiting{$_}{handle}->finish } foreach 'canceled', 'timeout';
like(${ $waiting{$_}{stderr} }, qr/ERROR:  57014: /, "without the standby, a call fails: $_")
  foreach 'canceled', 'timeout';
is(${ $waiting{canceled}{stdout} } . ${ $waiting{timeout}{stdout} }, '', 'the stopped calls returned no ID');

# All calls wait, but no longer than kid.max_wait.
start_waiting_for_standby('first', "SET kid.max_wait = -1;\n");
my ($status, $stdout, $stderr) = $real->psql('postgres',
	"\\set VERBOSITY verbose\nSET kid.max_wait = '500ms'; SELECT kid_next()");
my $not_renewed = qr/ERROR:  53400: bound of IDs of kid was not renewed in time/;
like($stdout . $stderr,
	qr/^psql\S* $not_renewed\nDETAIL:  Synchronous standbys .* 500 ms\.\nHINT:  .*synchronous_standby_names/,
	'without the standby, a call fails after kid.max_wait');
start_waiting_for_standby('second', "SET kid.max_wait = -1;\n");
is($real->safe_psql('postgres', 'SELECT count(*) > 0 FROM pg_class, kid_stats()'), 't',
	'without the standby, sessions that need no ID continue');
is($real->safe_psql('postgres', q{SELECT waiting, waiting_for BETWEEN interval '0.4 s' AND '5 min' FROM kid_stats()
		WHERE clock = 'kid'}), '2|t', 'kid_stats() counts two waiting sessions');
$real->safe_psql('postgres',
	q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'second'});
eval { $waiting{second}{handle}->finish };
is($real->safe_psql('postgres', q{SELECT waiting FROM kid_stats() WHERE clock = 'kid'}), '1',
	'kid_stats() does not count a terminated session');
start_waiting_for_standby('third', "SET kid.max_wait = -1;\n");
$other->start;
foreach my $name ('first', 'third')
{
	$waiting{$name}{handle}->finish;
	cmp_ok(${ $waiting{$name}{stdout} }, '>', $last, "the standby is back: the $name session gets an ID");
}
isnt(${ $waiting{first}{stdout} }, ${ $waiting{third}{stdout} }, 'two sessions that waited get different IDs');
is($real->safe_psql('postgres', q{SELECT waiting, waiting_for FROM kid_stats() WHERE clock = 'kid'}), '0|',
	'kid_stats() counts no waiting session any more');
cmp_ok($real->safe_psql('postgres', 'SELECT kid_next()::bigint'), '>', $last, 'after the wait, new IDs are greater');

# If a standby confirms late, the next bounds are further ahead, so that there is time to renew them.
wait_for_end_of_lease($real);
my $late = $other->safe_psql('postgres', 'SELECT pid FROM pg_stat_wal_receiver');
kill 'STOP', $late;
start_waiting_for_standby('late', "SET kid.max_wait = -1;\n");
usleep(1_500_000);
kill 'CONT', $late;
$waiting{late}{handle}->finish;
is($real->safe_psql('postgres', q{SELECT lease_until - now() > interval '3 s' FROM kid_stats() WHERE clock = 'kid'}),
	't', 'after a standby took 1.5 s, the lease is long enough for four such writes');

# A session whose client does not read gets stuck in sending its error. It must not hold up other sessions.
$other->stop;
wait_for_end_of_lease($real);
my $deaf = start_deaf($real, 'SELECT kid_next()');
is(deaf_waits_for($real, q{'SyncRep', 'ClientWrite'}), 'SyncRep',
	'a session whose client does not read waits for the standby');
start_waiting_for_standby('fourth', "SET kid.max_wait = -1;\n");
$real->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'deaf'});
is(deaf_waits_for($real, q{'ClientWrite'}), 'ClientWrite',
	'when it is cancelled, that session is stuck in sending its error');
$real->append_conf('postgresql.conf', "synchronous_standby_names = ''\n");
$real->reload;
$waiting{fourth}{handle}->finish;
cmp_ok(${ $waiting{fourth}{stdout} }, '>', $last,
	'when no standby is synchronous any more, the waiting session gets an ID');
cmp_ok($real->safe_psql('postgres', 'SELECT kid_next()::bigint'), '>', $last,
	'when no standby is synchronous any more, new sessions get IDs');
close $deaf;
$real->append_conf('postgresql.conf', "synchronous_standby_names = 'other'\n");
$real->reload;

# A standby that has received a bound and takes its time to flush it. That will do for a session whose
# commits do not wait for more.
SKIP:
{
	my $library = slow_flush_library();
	skip 'there is no C compiler (cc)', 4 unless defined $library;
	my $flag = PostgreSQL::Test::Utils::tempdir() . '/ms';
	$other->append_conf('postgresql.conf', "fsync = on\n");
	{
		local $ENV{LD_PRELOAD} = $library;
		local $ENV{KID_SLOW_FLUSH} = $flag;
		$other->start;
	}
	$real->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
	  or die;
	$real->safe_psql('postgres', 'SET kid.max_wait = -1; SELECT kid_next(), flake_next()');
	wait_for_end_of_lease($real);
	append_to_file($flag, '4000');
	($status, $stdout, $stderr) = $real->psql('postgres', "SET kid.max_wait = '300ms'; SELECT flake_next()");
	like($stdout . $stderr, qr/^psql\S* ERROR: .* was not renewed in time\nDETAIL:  Synchronous standbys /,
		'received, not flushed: no ID');
	unlink $flag;
	is($real->safe_psql('postgres', 'SET kid.max_wait = -1; SELECT flake_next() IS NOT NULL'), 't', 'flushed: an ID');
	append_to_file($flag, '4000');
	$last = $real->safe_psql('postgres',
		'SET kid.max_wait = -1; SET synchronous_commit = remote_write; SELECT kid_next()::bigint');
	# The standby can have flushed WAL of other processes, but not yet the page.
	is($real->safe_psql('postgres', 'SELECT flush_lsn < pg_current_wal_lsn() FROM pg_stat_replication'), 't',
		'received, not flushed: an ID for a session with remote_write');
	unlink $flag;
	cmp_ok($real->safe_psql('postgres', 'SET kid.max_wait = -1; SELECT kid_next()::bigint'), '>', $last,
		'and all go on');
	$other->stop;
}
$real->stop;

# Another standby becomes the synchronous one. It has all WAL and has confirmed it already: a commit would
# continue at once.
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
	wait_for_end_of_lease($real);
	like(($real->psql('postgres', 'SELECT kid_next()'))[2], qr/was not renewed in time/,
		'without its synchronous standby the server makes no ID');
	$real->wait_for_catchup('next', 'flush', $real->lsn('insert'));
	$real->append_conf('postgresql.conf', "synchronous_standby_names = 'next'\n");
	$real->reload;
	cmp_ok($real->safe_psql('postgres', "SET kid.max_wait = '10s'; SELECT kid_next()::bigint"), '>', $last,
		'another standby that has confirmed all WAL before becomes synchronous: IDs are made');

	# The same with sessions that wait in turn: none of them waits from the beginning to the end.
	$real->append_conf('postgresql.conf', "synchronous_standby_names = 'other'\n");
	$real->reload;
	wait_for_end_of_lease($real);
	my $loop = q{SET kid.max_wait = '500ms'; DO $$ BEGIN FOR attempt IN 1 .. 16 LOOP
		BEGIN PERFORM kid_next(); RETURN; EXCEPTION WHEN configuration_limit_exceeded THEN RAISE WARNING 'waited'; END;
		END LOOP; RAISE 'no ID'; END $$};
	my @outputs = ('') x 4;
	my @sessions = map {
		usleep(120_000);
		IPC::Run::start([ 'psql', '-Xq', '-d', $real->connstr('postgres'), '-c', $loop ], '>&', \$outputs[$_])
	} 0 .. $#outputs;
	usleep(1_500_000);
	$real->append_conf('postgresql.conf', "synchronous_standby_names = 'next'\n");
	$real->reload;
	$_->finish foreach @sessions;
	is(scalar(grep { /waited/ } @outputs), scalar @outputs, 'sessions that wait in turn wait');
	is(scalar(grep { /no ID/ } @outputs), 0, 'and make IDs once another standby has become synchronous');
	$next->stop;
	$real->append_conf('postgresql.conf', "synchronous_standby_names = 'other'\n");
	$real->stop;
}

# After a start the horizon is the bound. The standby may not have it, and then it makes lower IDs if it is promoted.
{
	$real->start;
	my $ask = "SET kid.max_wait = '300ms'; SELECT kid_horizon()::bigint";
	like(join('', ($real->psql('postgres', $ask))[ 1, 2 ]),
		qr/^psql\S* ERROR: .* bound of IDs was not renewed in time\nDETAIL:  Synchronous standbys /,
		'after a start without the standby there is no horizon');
	like(join('', ($real->psql('postgres', $ask))[ 1, 2 ]), qr/^psql\S* ERROR: .* was not renewed in time/,
		'nor later');
	$other->start;
	cmp_ok($real->safe_psql('postgres', "SET kid.max_wait = '30s'; SELECT kid_horizon()::bigint"), '>', $last,
		'the standby is back: there is a horizon');
	$other->stop;
	is($real->safe_psql('postgres', 'SELECT kid_horizon() IS NOT NULL'), 't', 'and there is one from then on');
	$real->stop;
}

# After a start the checkpointer publishes whether standbys are waited for. Until then the setting itself decides.
SKIP:
{
	skip 'from 19 on the start of a server waits for the checkpointer', 1 if $real->pg_version->major >= 19;
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
	is(${ $waiting{early}{stdout} }, '',
		'before the checkpointer has started, there is no ID without the synchronous standby either');
	unlink $flag;
	$real->stop;
}

done_testing();
