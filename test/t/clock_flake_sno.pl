# sno and flake with a clock that goes back, and with a clock outside of their range.
# Promise: When the system clock goes back
use strict;
use warnings;
use Dialogue;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = FakeClock->new('main');
$node->init;
$node->start;
use_database($node);

sql('CREATE EXTENSION kid;
	CREATE TABLE ids (n bigserial, id sno DEFAULT sno_next(), at timestamptz DEFAULT clock_timestamp())');

# Returns the ticks of a thousand new snos whose times are those of the clock.
sub ticks
{
	my ($first) = sql('SELECT coalesce(max(n), 0) + 1 FROM ids');
	sql('INSERT INTO ids SELECT FROM generate_series(1, 1000)');
	return sql(qq{SELECT string_agg(DISTINCT kid_tick(id)::text, ',') FROM ids
				   WHERE n >= $first AND at - kid_timestamp(id) BETWEEN interval '0' AND interval '8 ms'});
}

# Tick-tock, as sno's documentation describes it.
is(ticks(), 'false', 'sno: the tick before any step back');
$node->set_clock('-1h');
is(ticks(), 'true', 'sno: the first step back toggles the tick, and no call waits');
is(ticks(), 'true', 'sno: the tick stays toggled');
$node->set_clock('-30m');
is(ticks(), 'true', 'sno: the tick stays while the clock is still before the first step back');
$node->set_clock('-50m');
my $behind = '53400: system clock is behind the last ID of';
like(error_of('SET kid.max_wait = 0; SELECT sno_next()'),
	qr{$behind sno\n.*DETAIL:  It must advance by 00:(19:5\d|20:00)\.\d{3} before .*HINT:  }s,
	'sno: a second step back, below the safe mark, gives an error with the missing time');
like(error_of(q{SET kid.max_wait = '200ms'; SELECT sno_next()}), qr{53400: .* 200 ms}s,
	'sno: kid.max_wait ends the wait with an error');
my $waiting = $node->start_waiting('SET kid.max_wait = -1; SELECT kid_tick(sno_next())');
$node->set_clock('-20m');
is(answer($waiting), 't', 'sno: without a limit the call waits until the used time has passed');
close_session($waiting);
$node->set_clock('+1h');
is(ticks(), 'true', 'sno: the tick stays past the safe mark');
$node->set_clock('+30m');
is(ticks(), 'false', 'sno: a step back that stays above the safe mark toggles the tick again');
$node->set_clock('+2h');
is(ticks(), 'false', 'sno: the tick stays when the clock moves on');
is(sql('SELECT count(*), count(DISTINCT id) FROM ids'), '7000|7000', 'sno: no ID repeats after all steps');

# The clock goes back while eight sessions make snos: one of them toggles the tick for all, and no session has to wait.
my $ticked = sql(q{SELECT ticks FROM kid_stats() WHERE clock = 'sno'});
sql('CREATE UNLOGGED TABLE many (id sno)');
my $script = $node->basedir . '/many.sql';
append_to_file($script, "INSERT INTO many SELECT sno_next() FROM generate_series(1, 500);\n");
my ($output, $errors) = ('', '');
my $sessions = IPC::Run::start([ 'pgbench', '-n', '-c', 8, '-j', 2, '-T', 4, '-f', $script,
		$node->connstr('postgres') ],
	'>', \$output, '2>', \$errors, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
$node->poll_query_until('postgres', 'SELECT count(*) > 10000 FROM many') or die;
$node->set_clock('+1h');
$sessions->finish;
my $warning = qr/WARNING:  system clock is 0[01]:\d\d:\d\d\.\d{3} behind the last ID of sno/;
is($errors =~ s/\A$warning\nDETAIL:  .*\nHINT:  .*safe_mark.*\n\z//r, '',
	'eight sessions while the clock goes back by an hour: at most one warning');
isnt($errors, '', 'eight sessions while the clock goes back by an hour: one warning');
is(sql('SELECT count(*) = count(DISTINCT id), count(DISTINCT kid_tick(id)) FROM many'), 't|2',
	'eight sessions while the clock goes back by an hour: no duplicate');
is(sql(q{SELECT ticks FROM kid_stats() WHERE clock = 'sno'}), $ticked + 1,
	'eight sessions while the clock goes back by an hour: the tick is toggled once');

# Out of range: an error, and no ID wraps. A clock that is wrong for a moment does no harm afterwards.
$node->set_clock('2080-01-01 00:00:00');
like(error_of('SELECT sno_next()'), qr{22008: timestamp out of range for type sno.*2010-01-01 .* 2079-09-07 }s,
	'sno fails after 2079');
like(error_of('SELECT flax_next()'), qr{22008: timestamp out of range for type flax.*2015-01-01 .* 2049-11-03 }s,
	'flax fails after 2049');
$node->set_clock('2009-06-01 00:00:00');
like(error_of('SELECT sno_next()'), qr{22008: timestamp out of range for type sno}, 'sno fails before 2010');
like(error_of('SELECT flax_next()'), qr{22008: timestamp out of range for type flax}, 'flax fails before 2015');
my $epoch = 'SET kid.flake_epoch = 1300000000000';
like(error_of("$epoch; SELECT flake_next()"),
	qr{22008: timestamp out of range for type flake.*2011-03-13 .* 2150-07-25 }s,
	'flake fails before its epoch');
$node->set_clock('+2h');
is(ticks(), 'true', 'sno works after clocks out of range');

# If the clock goes back, flake continues from its highest time, or fails. All databases share one clock,
# whatever their epochs.
my $told = q{SELECT kid_timestamp(flake_next())};
my $ahead = sql("$epoch; $told");
$node->set_clock('-1h');
my ($count, $distinct, $low, $high) = split /[|]/, sql(qq{
	SELECT count(id), count(DISTINCT id), min(kid_timestamp(id)), max(kid_timestamp(id))
	  FROM (SELECT flake_next() AS id FROM generate_series(1, 10000)) s});
is("$count|$distinct", '10000|10000', 'flake: ten thousand distinct IDs while the clock is behind');
is(sql("SELECT '$low' >= timestamptz '$ahead',
		timestamptz '$high' - '$ahead' BETWEEN interval '1 ms' AND interval '4 ms'"), 't|t',
	'flake: while the clock is behind, IDs continue from the highest time');
my $missing = qr{It must advance by (02:5[89]|03:0[01]):\d\d\.\d{3} before };
like(error_of(q{SET kid.clock_backward = 'wait'; SET kid.max_wait = 0; SELECT flake_next()}),
	qr{$behind flake\n.*DETAIL:  $missing.*"kid.max_wait" is 0 ms.*HINT:  }s,
	'flake, kid.clock_backward = wait: an error after kid.max_wait');
$waiting = $node->start_waiting(q{SET kid.clock_backward = 'wait'; SET kid.max_wait = -1;
	SELECT kid_timestamp(flake_next()) > now()});
$node->set_clock('+3h');
is(answer($waiting), 't', 'flake, kid.clock_backward = wait: the call waits until the clock is right');
close_session($waiting);
$node->set_clock('2009-06-01 00:00:00');
is(sql("$epoch; $told > '$ahead'"), 't', 'flake: with a clock before the epoch, IDs continue from the highest time');

# A clock that stands still: all IDs of a time unit, and then an error that says how long to wait.
$node->set_clock('2040-01-01 00:00:00');
is(sql(q{SELECT count(DISTINCT id), count(DISTINCT kid_timestamp(id))
		FROM (SELECT flake_next() AS id FROM generate_series(1, 4096)) s}),
	'4096|1', 'flake: a millisecond has 4096 IDs');
like(error_of('SET kid.max_wait = 0; SELECT flake_next()'),
	qr{53400: all IDs of flake .*DETAIL:  .* begins in 1\.000 ms}s, 'flake: after 4096 IDs of a millisecond, an error');
is(sql(q{SELECT count(DISTINCT id), count(DISTINCT kid_timestamp(id))
		FROM (SELECT sno_next() AS id FROM generate_series(1, 65536)) s}),
	'65536|1', 'sno: a unit of 4 ms has 65536 IDs');
like(error_of('SET kid.max_wait = 0; SELECT sno_next()'),
	qr{53400: all IDs of sno .*DETAIL:  .* begins in 4\.000 ms}s, 'sno: after 65536 IDs of a unit, an error');
$node->set_clock('2040-01-01 00:00:01');
is(sql(q{SET kid.sno_sequence_min = 1000; SET kid.sno_sequence_max = 1003;
		 SELECT array_agg(kid_sequence(id)) FROM (SELECT sno_next() AS id FROM generate_series(1, 4)) s}),
	'{1000,1001,1002,1003}', 'sno: the smallest range of sequences has four IDs');
like(error_of(q{SET kid.sno_sequence_min = 1000; SET kid.sno_sequence_max = 1003; SET kid.max_wait = 0;
		SELECT sno_next()}),
	qr{53400: all IDs}, 'sno: after these four IDs, an error');
is(sql(q{SELECT kid_sequence(sno_next())}), '1004', 'sno: with another range, the same unit has more IDs');

# Several crashes within a lease: each start continues above the bound, in order, with the same tick. A small range of
# sequences continues in the next units.
$node->set_clock('+0');
# With kid.sno_partition no number is drawn, so the first sno after a start has to find the bound.
$node->append_conf('postgresql.conf', "kid.lease = '30s'\nkid.sno_partition = 7\n");
$node->stop;
unlink $node->data_dir . '/global/9764' or die $!;
$node->start;
my $last = sql('SELECT sno_next()');
foreach my $crash (1 .. 3)
{
	$node->stop('immediate');
	$node->start;
	is(sql("SELECT kid_tick(sno_next()), sno_next() > '$last'"), 'f|t',
		"crash $crash: the next sno comes at once, and is above all earlier ones");
	$last = sql('SELECT sno_next()');
}
is(sql(q{SET kid.sno_sequence_min = 0; SET kid.sno_sequence_max = 3;
		 SELECT count(DISTINCT id), bool_or(kid_tick(id)),
			max(kid_timestamp(id)) - min(kid_timestamp(id)) >= interval '396 ms'
			FROM (SELECT sno_next() AS id FROM generate_series(1, 400)) s}),
	'400|f|t', 'sno: with four sequences a unit, 400 IDs are distinct and take 100 units');
is(sql(q{SELECT ahead < interval '32 s' FROM kid_stats() WHERE clock = 'sno'}), 't',
	'sno: after three crashes IDs are ahead by a lease at most');
$node->set_clock('-1h');
is(sql('SELECT kid_tick(sno_next())'), 't', 'a clock that goes back meanwhile is another matter: the tick is toggled');

# A start far below the bound, in time that both ticks may have used.
$node->set_clock('+2h');
my $used = sql('SELECT kid_tick(sno_next())');
$node->set_clock('+1h');
$last = sql('SELECT sno_next()');
is(sql("SELECT kid_tick('$last'::sno) <> '$used'"), 't',
	'two hours with one tick, the first of them with the other, too');
$node->stop('immediate');
$node->set_clock('+10m');
$node->start;
is(sql("SELECT kid_tick(sno_next()) <> '$used', sno_next() > '$last'"), 't|t',
	'then a crash, and a clock below both: the next sno comes at once, after all before');
# Nothing is held once the clock is lowered.
sql('SELECT kid_reset_clock(now()); SELECT sno_next()');
$node->set_clock('+590s');
like(error_of('SET kid.max_wait = 0; SELECT sno_next()'), qr{53400: system clock is behind the last ID of sno},
	'after a reset a clock that goes back is waited for, as neither tick is free');

$node->stop;
done_testing();
