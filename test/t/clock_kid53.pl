# The logical clock of kid53: a system clock that goes back, jumps ahead or stands still, one before 2020 and one after
# 2089, with and without earlier IDs, and the end of the range.
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
$node->set_clock('@2019-12-31 23:00:00');
$node->start;
use_database($node);
sql('CREATE EXTENSION kid;
	CREATE TABLE ids (n bigserial, id bigint PRIMARY KEY DEFAULT kid53_next(),
		at timestamptz DEFAULT clock_timestamp())');

# Sets the clock while the server is down: a session that sleeps while the clock goes back would do so for long.
sub restart_at
{
	my ($clock) = @_;
	$node->stop('immediate');
	$node->set_clock($clock);
	$node->start;
	return;
}
my $out_of_range = qr{22008: timestamp out of range for kid53.*2020-01-01 .* 2089-09-06 }s;
my $behind = '53400: system clock is behind the last ID of kid53';
my $wait = q{SET kid.clock_backward = 'wait'};

# Before the first ID, a system clock outside of the range gives an error.
like(error_of("SELECT $_"), $out_of_range, "the first ID with a clock in 2019: $_")
  foreach 'kid53_next()', 'kid53_next(3)', 'FROM kid53_next() AS id';
restart_at('@2090-01-01 00:00:00');
like(error_of('SELECT kid53_next()'), $out_of_range, 'the first ID with a clock in 2090');
is(sql(q{SELECT kid53_floor(now()) = 9007199254740991, last_issued IS NULL FROM kid_stats() WHERE clock = 'kid53'}),
	't|t', 'neither moves the logical clock');

# The clock is right, then goes back. 12000 IDs take three milliseconds.
restart_at('+0');
my $insert = 'INSERT INTO ids SELECT FROM generate_series(1, 12000)';
my $all_rise = 'SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE NOT rises)
	FROM (SELECT id, id > lag(id) OVER (ORDER BY n) AS rises FROM ids) s';
sql($insert);
is(sql(q{SELECT bool_and(at - kid53_timestamp(id) BETWEEN interval '-2 ms' AND interval '1 min'),
		max(id) < 9007199254740992 FROM ids}), 't|t', 'IDs have the time of the clock');
my $held = sql('SELECT kid53_timestamp(max(id)) FROM ids');
my $before = sql('SELECT max(id) FROM ids');
$node->set_clock('-1h');
my ($status, $stdout, $stderr) = $node->psql('postgres', "$insert; $insert");
like($stderr,
	qr{WARNING:  IDs of kid53 are 0[01]:\d\d:\d\d\.\d{3} ahead of the system clock\n.*\n.*kid_reset_clock\(\)},
	'IDs an hour ahead of the clock: a warning');
is(() = $stderr =~ /WARNING/g, 1, 'the warning comes once in a session');
is(sql($all_rise), '36000|36000|0', 'after a step back, IDs continue to rise');
is(sql("SELECT min(kid53_timestamp(id)) >= '$held', count(DISTINCT kid53_timestamp(id)) BETWEEN 6 AND 8
		FROM ids WHERE id > $before"), 't|t',
	'after a step back, IDs have the highest time and the milliseconds after it');
is(sql(q{SELECT backward_steps, ahead BETWEEN interval '50 min' AND interval '70 min', ticks IS NULL
		FROM kid_stats() WHERE clock = 'kid53'}), '1|t|t', 'kid_stats() shows the step back');
is(sql(q{SELECT last_issued IS NULL FROM kid_stats() WHERE clock = 'kid'}), 't', 'the clock of kid64 is another one');
my $ahead = 'SELECT extract(epoch FROM kid53_timestamp(id) - at) * 1000000 FROM ids ORDER BY n DESC LIMIT 1';
my $earlier = sql($ahead);
sql("$insert; $insert; $insert");
cmp_ok(sql($ahead), '<=', $earlier + 1000, 'while the clock is behind, carries are no faster than time passes');

# kid.clock_backward = wait
like(error_of("$wait; SET kid.max_wait = 0; SELECT kid53_next()"),
	qr{$behind\n.*DETAIL:  It must advance by 0[01]:\d\d:\d\d\.\d{3} before .*HINT:  }s,
	'kid.clock_backward = wait: an error with the missing time');
my $waiting = $node->start_waiting("$wait; SET kid.max_wait = -1; SELECT kid53_timestamp(kid53_next()) > '$held'");
$node->set_clock('+1h');
is(answer($waiting), 't', 'kid.clock_backward = wait: the wait ends when the clock has caught up');
close_session($waiting);
sql($insert);
is(sql($all_rise), '84000|84000|0', 'IDs rise when the clock is right again');
is(sql(q{SELECT max(at) - kid53_timestamp(max(id)) < interval '10 ms' FROM ids}), 't',
	'IDs have the time of the clock when it is right again');

# A clock that stands still: all 4096 IDs of a millisecond, and then none. A call for many leaves a sixteenth to others.
$node->set_clock('2040-01-01 00:00:00');
is(sql('SELECT count(DISTINCT id), count(DISTINCT kid53_timestamp(id)), min(kid53_sequence(id)), max(kid53_sequence(id))
		FROM (SELECT kid53_next() AS id FROM generate_series(1, 4096)) s'),
	'4096|1|0|4095', 'a millisecond has 4096 IDs');
like(error_of("SET kid.max_wait = 0; SELECT $_"),
	qr{53400: all IDs of kid53 .*DETAIL:  .* begins in 1\.000 ms}s, "after 4096 IDs of a millisecond, an error: $_")
  foreach 'kid53_next()', 'kid53_next(2)';
$node->set_clock('2040-01-01 00:00:01');
is(sql('SELECT count(DISTINCT id), max(kid53_sequence(id)) FROM kid53_next(3840) AS id'), '3840|3839',
	'a call for many makes 3840 IDs of a millisecond');
like(error_of('SET kid.max_wait = 0; SELECT kid53_next(1)'), qr{53400: all IDs of kid53},
	'the last 256 are not for calls for many');
is(sql('SELECT kid53_sequence(kid53_next())'), 3840, 'but for single calls');

# After earlier IDs: a clock in 2019 or 1969 is one that went back.
my $last = sql('SELECT kid53_next()');
foreach my $clock ('1969-06-01 00:00:00', '2019-12-31 23:00:00')
{
	restart_at("\@$clock");
	is(sql("SELECT id > $last, kid53_timestamp(id) BETWEEN '2040-01-01' AND '2040-01-01 00:00:10',
			id = kid53_floor(kid53_timestamp(id)) + kid53_sequence(id) FROM kid53_next() AS id"), 't|t|t',
		"with a clock in $clock, IDs continue from the bound");
	$last = sql('SELECT max(id) FROM kid53_next(5000) AS id');
	like(error_of("$wait; SET kid.max_wait = '100ms'; SELECT kid53_next()"), $out_of_range,
		"with a clock in $clock and kid.clock_backward = wait, an error");
}
restart_at('@2090-01-01 00:00:00');
like(error_of("$_; SELECT kid53_next()"), $out_of_range, "with a clock in 2090 an error: $_")
  foreach $wait, q{SET kid.clock_backward = 'keep'};
like(error_of('SELECT kid53_at(now())'), $out_of_range, 'no old row has a time after 2089');
is(sql('SELECT kid_next() IS NOT NULL'), 't', 'with a clock in 2090, kid64 goes on');
restart_at('@2040-02-01 00:00:00');
is(sql("SELECT id > $last, kid53_timestamp(id) < '2040-02-01 00:01' FROM kid53_next() AS id"), 't|t',
	'a clock out of range for a while has no effect afterwards');

# After a crash, IDs are above all earlier ones, whatever the clock says.
restart_at('+0');
sql(q{SET client_min_messages = error; SELECT kid_reset_clock(now(), force => true); TRUNCATE ids});
foreach my $offset ('+2h', '-3h', '+1h', '+0')
{
	$last = sql('SELECT max(id) FROM kid53_next(1000) AS id');
	restart_at($offset);
	is(sql("SELECT kid53_next() > $last"), 't', "after a crash, IDs are above all earlier ones: $offset");
}

# The end of the range: the last millisecond but one has its 4096 IDs, and no ID is above 2^53 - 1. The last millisecond
# is left to the bound.
sql(q{SELECT kid53_observe(kid53_ceil('2089-09-06 15:47:35.549+00'))});
is(sql('SELECT count(DISTINCT id), min(id), max(id), min(kid53_timestamp(id))::timestamptz(3)
		FROM (SELECT kid53_next() AS id FROM generate_series(1, 4096)) s'),
	join('|', 4096, 9007199254740992 - 8192, 9007199254740991 - 4096, '2089-09-06 15:47:35.55+00'),
	'the last millisecond but one has 4096 IDs');
my $ended = qr{2200H: the range of IDs is used up};
like(error_of("SELECT $_"), $ended, "then an error: $_") foreach 'kid53_next()', 'kid53_next(2)';
like(error_of('SELECT kid53_observe(9007199254740991)'), $ended, 'no clock moves past the last ID');
is(sql(q{SELECT last_issued FROM kid_stats() WHERE clock = 'kid53'}), '2089-09-06 15:47:35.55+00',
	'kid_stats() shows the end of the range');
restart_at('+0');
like(error_of('SELECT kid53_next()'), $ended, 'after a crash, too');
sql('SET client_min_messages = error; SELECT kid_reset_clock(now(), force => true)');
is(sql(q{SELECT kid53_timestamp(kid53_next()) < clock_timestamp() + interval '1 ms'}), 't',
	'after a reset, IDs have the current time again');

$node->stop;
done_testing();
