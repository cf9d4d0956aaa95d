# A flush of WAL takes seconds. A crash and a failover repeat no ID. Sessions that wait for the bound can be stopped,
# and sessions that need no IDs continue. The bound is not computed from a clock that is changed during the flush.
# Promise: A server that stopped and started
# Versions: how WAL is written and flushed
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

my $library = slow_flush_library();
plan skip_all => 'there is no C compiler (cc)' unless defined $library;
my $flag = PostgreSQL::Test::Utils::tempdir() . '/ms';
$ENV{KID_SLOW_FLUSH} = $flag;

# Sets how many milliseconds a flush takes; 0 means no delay.
sub set_flush
{
	my ($ms) = @_;
	open my $file, '>', "$flag.new" or die $!;
	print $file $ms;
	close $file;
	rename "$flag.new", $flag or die $!;
	return;
}
set_flush(0);

# Starts a session that makes an ID, and returns when the session is in a flush of WAL.
sub start_flushing
{
	my ($node, $statements) = @_;
	my $session = start_script($node, "SELECT 'pid', pg_backend_pid();\n$statements");
	wait_for_output($session, qr/^pid\|(\d+)\n/);
	my ($pid) = ${ $session->{stdout} } =~ /^pid\|(\d+)/;
	$session->{mark} = "$flag.$pid";
	foreach (1 .. 1000 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return $session if -e $session->{mark};
		usleep(1000);
	}
	die 'the session does not flush WAL';
}

# The clock is a day ahead, and is corrected while a bound is written.
my $node = FakeClock->new('main');
$node->{preload} = $library;
$node->init(allows_streaming => 1);
# The WAL writer must sleep: then every flush is that of the observed session.
$node->append_conf('postgresql.conf',
	"fsync = on\nrestart_after_crash = on\nwal_writer_delay = '10s'\ncheckpoint_timeout = '1h'\n$Ledger::settings");
$node->set_clock('+1d');
$node->start;
use_database($node);
sql("$Ledger::schema; CREATE TABLE other_work (n int)");
set_flush(400);
my $session = start_flushing($node,
	"SELECT kid_next()::bigint, kid53_next(), flake_next()::bigint, sno_next(), kid_uuidv7();\n");
$node->set_clock('+0');
$session->{handle}->finish;
set_flush(0);
like(${ $session->{stdout} },
	qr/^\d+\|\d+\|\d+\|\w{16}\|/m, 'the clock is corrected by a day during a flush: IDs are made');
sql('SELECT kid_next(), kid53_next(), flake_next(), sno_next()');
cmp_ok(seconds_ahead($node), '<', 86400 + 30, 'after that, IDs are one day ahead, not two');
sql('SELECT kid_reset_clock(now())');
# The clock of sno has changed sides, so it is not ahead, and keeps the lease that it got with the slow flush.
is_near($node, 1.6, 'after kid_reset_clock()');
set_flush(400);
$session = start_flushing($node, "SELECT pg_sleep(1.1), kid_next();\n");
$node->set_clock('+1d');
$session->{handle}->finish;
set_flush(0);
# A lease is long enough for four writes of a bound.
is_near($node, 1.6, 'the clock moves a day ahead during a flush');
sql('SELECT kid_next(), flake_next(), sno_next()');
$node->set_clock('+0');
sql('SELECT kid_reset_clock(now())');
sql('SELECT kid_next(), flake_next()');
is_near($node, 1, 'the clock is corrected again, and reset');

# Two sessions find the clock behind a sno. The second waits while the first toggles the tick, and goes on
# with that tick.
sql('SELECT sno_next()');
$node->set_clock('-1h');
set_flush(1500);
my $ticks = q{SELECT ticks FROM kid_stats() WHERE clock = 'sno'};
my $before = sql($ticks);
my @toggling = (start_flushing($node, "SELECT sno_next();\n"), start_script($node, "SELECT sno_next();\n"));
$_->{handle}->finish foreach @toggling;
set_flush(0);
is(scalar(grep { ${ $_->{stdout} } =~ /^\S{16}$/m } @toggling), 2,
	'two sessions find the clock behind during a flush: both make a sno');
is(sql($ticks), $before + 1, 'the tick is toggled once');
$node->set_clock('+0');

sql('TRUNCATE ids');

# A flush takes four seconds. There is a crash, and then a failover. All clocks are correct.
my $ledger = Ledger->new;
$node->backup('base');
my $standby = FakeClock->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "kid.lease = '1s'\n");
$standby->start;
$ledger->take('before', $node);
wait_for_end_of_lease($node);
set_flush(4000);
$session = start_flushing($node,
	"SELECT kid_next()::bigint, kid53_next(), flake_next()::bigint, '2222222222222222';\n" x 20000);
wait_for_output($session, qr/\|2222/);
set_flush(0);
pump_for(0.25, $session);
kill_backend($node);
eval { $session->{handle}->finish };
my @lines = ${ $session->{stdout} } =~ /^(\d+\|\d+\|\d+)\|2222/mg;
$ledger->add('with a slow disk', join('', map { sprintf "%s|%016d\n", $lines[$_], $_ } 0 .. $#lines), '');
cmp_ok(scalar @lines, '>', 0, 'while a flush takes four seconds, IDs are made');
# Four flushes, but ten seconds at most, minus the time that has passed.
my $ahead = seconds_ahead($node);
sql('SELECT kid_next(), flake_next()');
$ahead = seconds_ahead($node);
cmp_ok($ahead, '<=', 10, "a flush takes four seconds: $ahead s ahead after a crash");
$ledger->goes_on('after a crash', $node);
$node->wait_for_catchup($standby, 'flush', $node->lsn('flush'));
kill_server($node);
$standby->promote;
$ledger->goes_on('promoted', $standby);
$ledger->is_right('a slow disk, a crash and a failover');
$standby->stop;

# A flush hangs. Waiting sessions are stopped in three ways, and sessions that need no ID continue. This server
# is without libfaketime, because of the timeouts.
my $real = PostgreSQL::Test::Cluster->new('real');
$real->init;
$real->append_conf('postgresql.conf',
	"fsync = on\nwal_writer_delay = '10s'\ncheckpoint_timeout = '1h'\nautovacuum = off\nkid.max_wait = '700ms'\n");
{
	local $ENV{LD_PRELOAD} = $library;
	$real->start;
}
$real->safe_psql('postgres', 'CREATE EXTENSION kid; CREATE TABLE other_work (n int); SELECT kid_next()');
wait_for_end_of_lease($real);
set_flush(1000 * $PostgreSQL::Test::Utils::timeout_default);
$session = start_flushing($real, "SELECT kid_next()::bigint;\n");
set_flush(0);
my %waiting = (
	'kid.max_wait' => start_script($real, "SELECT kid_next();\n"),
	'statement_timeout' => start_script($real,
		"SET kid.max_wait = -1; SET statement_timeout = '800ms'; SELECT kid_next();\n"),
	'pg_cancel_backend()' => start_script($real,
		"SET kid.max_wait = -1; SET application_name = 'canceled'; SELECT kid_next();\n"));
$real->poll_query_until('postgres',
	q{SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'canceled' AND wait_event_type = 'Extension'})
  or die;
is($real->safe_psql('postgres', 'SELECT count(*) FROM other_work, kid_stats()'), 0,
	'while a flush hangs, a session that needs no ID continues');
is($real->safe_psql('postgres', 'SELECT kid_uuidv7_horizon() IS NOT NULL'), 't',
	'so does one that asks for the horizon of a clock that has made no ID');
is($real->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
		WHERE application_name = 'canceled'}), 't', 'while a flush hangs, a waiting session can be cancelled');
eval { $_->{handle}->finish } foreach values %waiting;
ok(-e $session->{mark}, 'all are stopped before the flush is over');
like(${ $waiting{'kid.max_wait'}{stderr} }, qr/ERROR:  53400: bound of IDs of \w+ was not renewed in time/,
	'kid.max_wait ends a wait for the bound');
like(${ $waiting{'statement_timeout'}{stderr} }, qr/ERROR:  57014: canceling statement due to statement timeout/,
	'statement_timeout ends a wait for the bound');
like(${ $waiting{'pg_cancel_backend()'}{stderr} }, qr/ERROR:  57014: canceling statement due to user request/,
	'pg_cancel_backend() ends a wait for the bound');
is(join('', map { ${ $_->{stdout} } } values %waiting), '', 'the stopped sessions got no ID');
$session->{handle}->pump_nb;
unlike(${ $session->{stdout} }, qr/^\d/m, 'the session that flushes waits until the flush ends');
unlink $session->{mark};
$session->{handle}->finish;
my ($id) = ${ $session->{stdout} } =~ /^(\d+)\n\z/m;
cmp_ok($real->safe_psql('postgres', 'SELECT kid_next()::bigint'), '>', $id, 'after the flush, new IDs are greater');
is($real->safe_psql('postgres', 'INSERT INTO other_work VALUES (1) RETURNING n'), 1,
	'after the flush, other transactions commit');

# Crash after crash while a flush takes two seconds: the bound is never more than ten seconds ahead.
$real->append_conf('postgresql.conf', "restart_after_crash = on\n");
$real->reload;
my $furthest = 0;
foreach (1 .. 4)
{
	set_flush(2200);
	my $seconds = $real->safe_psql('postgres', q{
		SET kid.max_wait = -1;
		DO 'BEGIN PERFORM kid_next(); PERFORM count(kid_next()) FROM generate_series(1, 150000); END';
		SELECT extract(epoch FROM lease_until - clock_timestamp()) FROM kid_stats() WHERE clock = 'kid'});
	$furthest = $seconds if $seconds > $furthest;
	set_flush(0);
	kill_backend($real);
}
cmp_ok($furthest, '>', 5, 'with a slow disk the bound is seconds ahead');
cmp_ok($furthest, '<=', 10, "crash after crash, it is $furthest s ahead at most");
$real->stop;

done_testing();
