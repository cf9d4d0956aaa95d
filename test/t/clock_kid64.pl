# kid64 with a clock that goes back, jumps ahead, and stands still.
# Promise: When the system clock goes back
use strict;
use warnings;
use Dialogue;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::HiRes qw(time);

my $node = FakeClock->new('main');
$node->init;
$node->start;
use_database($node);

sql('CREATE EXTENSION kid;
	CREATE TABLE ids (n bigserial, id kid64 DEFAULT kid_next(), at timestamptz DEFAULT clock_timestamp())');
my $insert = 'INSERT INTO ids SELECT FROM generate_series(1, 40000)';
my $all_rise = 'SELECT count(*) FROM (SELECT id > lag(id) OVER (ORDER BY n) AS rises FROM ids) s WHERE NOT rises';

# The clock goes back by an hour: IDs continue to rise from the highest time. 40000 IDs take three time
# units, so there are two carries.
sql($insert);
my $held = sql('SELECT kid_timestamp(max(id)) FROM ids');
$node->set_clock('-1h');
sql($insert);
is(sql("SELECT clock_timestamp() < timestamptz '$held' - interval '59 min'"), 't', 'the clock went back by an hour');
is(sql($all_rise), '0', 'after a step back, IDs continue to rise');
is(sql('SELECT count(DISTINCT id) FROM ids'), '80000', 'after a step back, no ID repeats');
is(sql(qq{SELECT (count(DISTINCT kid_timestamp(id)) BETWEEN 3 AND 4)
		AND max(id) - '$held'::timestamptz::kid64 <= interval '4 ms'
			 FROM ids WHERE n > 40000}),
	't', 'after a step back, IDs have the highest time and the two units after it');

# While the clock is behind, IDs do not get further ahead of it, however many are made: compare before and after.
my $ahead = q{SELECT extract(epoch FROM kid_timestamp(id) - at) * 1000000 FROM ids ORDER BY n DESC LIMIT 1};
my $before = sql($ahead);
sql("$insert; $insert; $insert");
cmp_ok(sql($ahead), '<=', $before + 1024, 'while the clock is behind, carries are no faster than time passes');

# The clock moves forward again, past the highest time: IDs follow it.
$node->set_clock('+1h');
sql($insert);
is(sql($all_rise), '0', 'IDs rise when the clock is right again');
is(sql(q{SELECT max(at) - kid_timestamp(max(id)) < interval '10 ms' FROM ids}), 't',
	'IDs have the time of the clock when it is right again');

# A clock that stands still: all 16384 IDs of one time unit, and then none.
$node->set_clock('2030-01-01 00:00:00');
is(sql('SELECT count(DISTINCT id), count(DISTINCT kid_timestamp(id))
		FROM (SELECT kid_next() AS id FROM generate_series(1, 16384)) s'),
	'16384|1', 'a time unit has 16384 IDs');
like(error_of('SET kid.max_wait = 0; SELECT kid_next()'),
	qr{53400: .*DETAIL:  .*"kid.max_wait".*HINT:  }s, 'kid.max_wait = 0: an error at once');

my $start = time;
like(error_of(q{SET kid.max_wait = '300ms'; SELECT kid_next()}), qr{53400: .*300 ms}s,
	'kid.max_wait = 300ms: an error after a wait');
my $waited = time - $start;
cmp_ok($waited, '>=', 0.3, 'kid.max_wait = 300ms: the wait takes at least 300 ms');
cmp_ok($waited, '<', 5, 'kid.max_wait = 300ms: the wait takes less than 5 s');

my $waiting = $node->start_waiting('SET kid.max_wait = -1; SELECT kid_next()');
sql("SELECT pg_cancel_backend($waiting->{pid})");
like(answer($waiting), qr{57014}, 'a wait can be cancelled');
close_session($waiting);

$waiting = $node->start_waiting('SET kid.max_wait = -1; SELECT kid_timestamp(kid_next())');
$node->set_clock('2030-01-01 00:00:01');
is(answer($waiting), '2030-01-01 00:00:01+00', 'a wait ends when the clock moves on');
close_session($waiting);

# kid.clock_backward = wait. The last ID is in 2030, and the clock is an hour behind it.
my $refuse = q{SET kid.clock_backward = 'wait'};
$node->set_clock('2029-12-31 23:00:00');
is(sql('SELECT count(DISTINCT kid_next()) FROM generate_series(1, 100)'), '100',
	'by default, IDs continue from the highest time when the clock goes back');
my $behind = '53400: system clock is behind the last ID of kid';
like(error_of("$refuse; SET kid.max_wait = 0; SELECT kid_next()"),
	qr{$behind\n.*DETAIL:  It must advance by 01:00:01\.\d{3} before .*HINT:  }s,
	'kid.clock_backward = wait: an error with the missing time');
like(error_of("$refuse; SET kid.max_wait = '200ms'; SELECT kid96_next()"), qr{53400: .* 200 ms}s,
	'kid.clock_backward = wait: an error after kid.max_wait');
$waiting = $node->start_waiting("$refuse; SET kid.max_wait = -1; SELECT kid_timestamp(kid_next())");
$node->set_clock('2030-01-01 00:00:02');
is(answer($waiting), '2030-01-01 00:00:02+00',
	'kid.clock_backward = wait: the wait ends when the clock has caught up');
close_session($waiting);
is(sql("$refuse; SELECT count(DISTINCT id), count(DISTINCT kid_timestamp(id))
			FROM (SELECT kid_next() AS id FROM generate_series(1, 16383)) s"),
	'16383|1', 'kid.clock_backward = wait: with a clock that is not behind, all IDs of a unit are made');
like(error_of("$refuse; SET kid.max_wait = 0; SELECT kid_next()"),
	qr{53400: all IDs of kid in the current time unit are used up},
	'kid.clock_backward = wait: IDs are not taken from the next unit in advance');

$node->set_clock('2030-01-01 00:00:03');
sql('SELECT kid_next()');

# No ID can have a time before 1970, but IDs can continue from the highest time.
$node->set_clock('1969-06-01 00:00:00');
like(sql('SELECT kid_timestamp(kid_next())'), qr{^2030-01-01 00:00:03},
	'with a clock before 1970, IDs continue from the highest time');
# The clock runs there: one that stands still moves no unit.
$node->set_clock('-60y');
is(sql('SELECT count(DISTINCT kid_next()) FROM generate_series(1, 40000)'), '40000',
	'with a clock before 1970, IDs use up one time unit after the other');
like(error_of("$refuse; SELECT kid_next()"), qr{22008: timestamp out of range for type kid64},
	'with a clock before 1970 and kid.clock_backward = wait, an error: out of range');

$node->set_clock('+0');
is(sql('SELECT kid_timestamp(kid_next()) > clock_timestamp()'), 't', 'after all these clocks, the server makes IDs');

$node->stop;
done_testing();
