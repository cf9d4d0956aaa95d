# Recovery restores a bound above all restored IDs, whatever the clock says: on a restarted standby, from a base backup
# without a signal file, with prepared transactions, after two failovers in a row, and after pg_rewind in both
# directions. bound_point_in_time.pl and bound_without_kid.pl test other ways of recovery.
# Promise: A server never again issues an ID
# Promise: A promoted standby
use strict;
use warnings;
use Dialogue;
use FakeClock;
use Failure;
use Ledger;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = FakeClock->new('primary');
$primary->init(allows_streaming => 1, has_archiving => 1);
$primary->append_conf('postgresql.conf',
	"restart_after_crash = on\nmax_prepared_transactions = 5\nwal_log_hints = on\nwal_keep_size = 1GB\n"
	  . $Ledger::settings);
$primary->start;
$primary->safe_psql('postgres', $Ledger::schema);
$primary->backup('base');
my $ledger = Ledger->new;

# Starts a server from a backup of another one, with a clock. The options are those of init_from_backup(), `backup` and
# `settings`.
sub new_server
{
	my ($name, $from, $clock, %how) = @_;
	my $server = FakeClock->new($name);
	$server->init_from_backup($from, $how{backup} // 'base', %how);
	$server->append_conf('postgresql.conf', $how{settings}) if defined $how{settings};
	$server->set_clock($clock);
	$server->start;
	return $server;
}

# The primary ends at once, after the standby has its WAL.
sub fail_over
{
	my ($from, $to) = @_;
	$from->wait_for_catchup($to, 'flush', $from->lsn('flush'));
	kill_server($from);
	$to->promote;
	return;
}

# A base backup that is started as it is, by crash recovery, with a clock that is twenty seconds behind. IDs are made
# while the backup is taken. None are made after it, because the backup could not know them.
my $session = start_script($primary, $ledger->statements(20) x 2000);
wait_for_output($session, qr/\n/);
$primary->backup('running');
$session->{handle}->kill_kill;
my $there = $ledger->copy;
$ledger->add('while the base backup is taken', ${ $session->{stdout} }, ${ $session->{stderr} });
my $copy = new_server('copy', $primary, '-20s', backup => 'running');
like(slurp_file($copy->logfile), qr/redo starts/, 'a base backup without a signal file starts with crash recovery');
$there->add('in the base backup',
	$copy->safe_psql('postgres', 'SELECT kid::bigint, kid53, flake::bigint, sno, uuid FROM ids ORDER BY kid'), '');
$there->goes_on('a base backup without a signal file', $copy);
$there->is_right('a base backup without a signal file');
$copy->stop('immediate');

# A standby has no new WAL since its last checkpoint when it is restarted, and its clock is nine seconds behind.
my $standby = new_server('restarted', $primary, '-9s', has_streaming => 1);
$ledger->take('before the checkpoint', $primary);
$primary->safe_psql('postgres', 'CHECKPOINT');
$primary->wait_for_catchup($standby, 'flush', $primary->lsn('insert'));
$standby->poll_query_until('postgres', "SELECT pg_last_wal_replay_lsn() >= '" . $primary->lsn('insert') . "'") or die;
$standby->safe_psql('postgres', 'CHECKPOINT');
kill_server($primary);
$standby->restart;
$standby->promote;
my $of_restarted = $ledger->copy;
$of_restarted->goes_on('a restarted standby', $standby);
$of_restarted->is_right('a restarted standby');
$standby->stop('immediate');

# On a promoted server whose clock is five minutes behind, generators work at once. A prepared transaction is committed
# there, and IDs before and after the commit are in order with the IDs in it.
$primary->start;
$standby = new_server('far_behind', $primary, '-5m', has_streaming => 1, settings => "kid.max_wait = '500ms'\n");
$ledger->take('before the prepared transaction', $primary);
my ($prepared) = $primary->safe_psql('postgres', q{BEGIN;
	INSERT INTO ids SELECT FROM generate_series(1, 100) RETURNING kid::bigint, kid53, flake::bigint, sno, uuid;
	PREPARE TRANSACTION 'held'});
$ledger->add('in the prepared transaction', $prepared, '');
fail_over($primary, $standby);
# They would fail if they had to wait for longer than kid.max_wait.
is($standby->safe_psql('postgres',
		'SELECT count(*) FROM (SELECT kid_next(), kid53_next(), flake_next(), sno_next(), kid_uuidv7()) s'), 1,
	'five minutes behind, all generators work at once');
my $of_far = $ledger->copy;
$of_far->goes_on('five minutes behind', $standby);
$standby->safe_psql('postgres', q{COMMIT PREPARED 'held'});
is($standby->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT (kid, kid53, flake, sno, uuid)) FROM ids'), 0,
	'the prepared transaction is committed, and no ID repeats');
$of_far->goes_on('after a prepared transaction', $standby);
$of_far->is_right('five minutes behind, with a prepared transaction');
is($standby->safe_psql('postgres', q{SELECT ticks, safe_mark > clock_timestamp() + interval '4 min' FROM kid_stats()
		WHERE clock = 'sno'}), '1|t',
	'five minutes behind, sno continues with the other tick');
$standby->stop('immediate');

# The clock is twelve seconds ahead, then it is corrected, then there is a failover.
$primary->set_clock('+12s');
$primary->start;
$standby = new_server('right', $primary, '+0', has_streaming => 1);
$ledger->take('twelve seconds ahead', $primary);
my $last = $primary->safe_psql('postgres', 'SELECT kid_timestamp(sno_next())');
$primary->set_clock('+0');
$ledger->goes_on('set right', $primary);
fail_over($primary, $standby);
my $of_right = $ledger->copy;
$of_right->goes_on('set right, and promoted', $standby);
$of_right->is_right('a clock that was ahead');
is($standby->safe_psql('postgres',
		qq{SELECT safe_mark BETWEEN '$last' AND timestamptz '$last' + '10 s', ahead < '1 s' FROM kid_stats()
		WHERE clock = 'sno'}), 't|t',
	'after the clock was corrected, sno continues with the other tick, '
	  . 'and the safe mark is the end of the time used with the first tick');
$standby->stop('immediate');

# Two failovers in a row, each to a server whose clock is further behind.
$primary->start;
$standby = new_server('first', $primary, '-2s', has_streaming => 1);
my $second = FakeClock->new('second');
$second->init_from_backup($primary, 'base');
$second->enable_streaming($standby);
$second->set_standby_mode;
$second->set_clock('-4s');
$second->start;
$ledger->take('before two failovers', $primary);
fail_over($primary, $standby);
my $of_both = $ledger->copy;
$of_both->goes_on('the first failover', $standby);
fail_over($standby, $second);
$of_both->goes_on('the second failover', $second);
$of_both->is_right('two failovers in a row');
$second->stop('immediate');

# IDs are a day ahead, and then there is a failover to a server with the correct time.
$primary->set_clock('+1d');
$primary->start;
$standby = new_server('a_day_behind', $primary, '+0', has_streaming => 1);
my $of_day = $ledger->copy;
$of_day->take('a day ahead', $primary);
fail_over($primary, $standby);
$of_day->goes_on('a day behind', $standby);
$of_day->is_right('a day behind');
is_near($standby, 86400 + 1, 'a day behind');

# The old primary is rewound and promoted, and then the other server.
my ($old, $new) = ($primary, $standby);
foreach my $direction ('to the new timeline', 'and back')
{
	my $target = $old->data_dir;
	my $conf = slurp_file("$target/postgresql.conf");
	$new->safe_psql('postgres', 'CHECKPOINT');
	command_ok([ 'pg_rewind', '--source-server', $new->connstr('postgres'), '--target-pgdata', $target, '--no-sync',
			'--config-file', "$target/postgresql.conf" ], "pg_rewind $direction");
	unlink "$target/postgresql.conf";
	append_to_file("$target/postgresql.conf", $conf);
	$old->enable_streaming($new);
	$old->set_standby_mode;
	$old->set_clock('-3s');
	$old->start;
	$of_day->take("before the failover $direction", $new);
	fail_over($new, $old);
	$of_day->goes_on("promoted after pg_rewind $direction", $old);
	$of_day->is_right("pg_rewind $direction");
	($old, $new) = ($new, $old);
}
$new->stop('immediate');

done_testing();
