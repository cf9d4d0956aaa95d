# The logical clock of uuid version 7, with the microsecond as unit: a clock that goes back, one that
# stands still, and the end of the range.
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
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'kid'\n");
$node->start;
use_database($node);
sql('CREATE EXTENSION kid; CREATE TABLE ids (n bigserial, id uuid PRIMARY KEY DEFAULT kid_uuidv7())');

# Returns the microsecond of an ID: its millisecond, and the fraction. It is exact, because the fraction is that of
# floor(time) up to the next microsecond.
sql(q{CREATE FUNCTION micros(id uuid) RETURNS bigint LANGUAGE SQL AS
	$$SELECT (extract(epoch FROM kid_timestamp(id)) * 1000000)::bigint + (1000 * (value::int + 1) - 1) / 4096
		FROM kid_inspect(id) WHERE component = 'fraction'$$});

# A clock that stands still, in the middle of a microsecond, as libfaketime does not hit its beginning exactly. 4096 is
# not a multiple of 1000, so a microsecond has 64 or 80 IDs.
foreach my $case ([ '2040-01-01 00:00:00', 0, 64 ], [ '2040-01-01 00:00:00.5000105', 500010, 80 ])
{
	my ($time, $micros, $count) = @$case;
	$node->set_clock($time);
	is(sql(qq{SELECT count(DISTINCT micros(id)), count(DISTINCT id),
			min(micros(id)) = trunc(extract(epoch FROM timestamptz '2040-01-01') * 1000000) + $micros
					   FROM (SELECT kid_uuidv7() AS id FROM generate_series(1, $count) OFFSET 0) s}), "1|$count|t",
		"a microsecond has $count IDs");
	like(error_of('SET kid.max_wait = 0; SELECT kid_uuidv7()'),
		qr{53400: all IDs .*DETAIL:  .* begins in 0\.001 ms}s, "after $count IDs of a microsecond, an error");
}
is(sql(q{SELECT waits > 0 FROM kid_stats() WHERE clock = 'uuidv7'}), 't', 'kid_stats() counts the waits');

# The clock moves to later microseconds: the ID has each of them exactly.
$node->set_clock('2040-01-01 00:00:01');
my $first = sql('SELECT kid_uuidv7()');
foreach my $micros (1, 7, 124, 125, 126, 499, 500, 501, 998, 999)
{
	$node->set_clock(sprintf '2040-01-01 00:00:02.%06d5', $micros);
	my ($told, $above) = split /[|]/,
	  sql(qq{SELECT micros(id) % 1000000, id > '$first' FROM kid_uuidv7() AS id});
	is("$told|$above", "$micros|t", "$micros us are in the ID");
}

# The clock goes back: IDs stay in order and have the highest time, or calls wait.
$node->set_clock('+0');
sql('SELECT kid_reset_clock(now(), force => true)');
my $insert = 'INSERT INTO ids SELECT FROM generate_series(1, 1000)';
sql($insert);
$node->set_clock('-1h');
my ($status, $stdout, $stderr) = $node->psql('postgres', "$insert; $insert");
my $ahead = qr{WARNING:  IDs of uuidv7 are 0[01]:\d\d:\d\d\.\d{3} ahead of the system clock};
like($stderr, qr{^psql.*$ahead\nDETAIL:  .*\nHINT:  .*kid_reset_clock\(\)},
	'uuid IDs an hour ahead of the clock: a warning');
is(() = $stderr =~ /WARNING/g, 1, 'the warning comes once in a session');
sql($insert);
is(sql(q{SELECT count(*), count(*) FILTER (WHERE id <= previous),
		max(kid_timestamp(id)) - min(kid_timestamp(id)) < interval '1 min'
				  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM ids) s}), '4000|0|t',
	'after a step back, uuids rise, and continue from the highest time');
is(sql(q{SELECT backward_steps, ahead BETWEEN interval '50 min' AND interval '70 min' FROM kid_stats()
		WHERE clock = 'uuidv7'}), '1|t', 'kid_stats() shows how far uuids are ahead, and the step back');
like(error_of(q{SET kid.clock_backward = 'wait'; SET kid.max_wait = 0; SELECT kid_uuidv7()}),
	qr{53400: system clock is behind }, 'kid.clock_backward = wait: an error after kid.max_wait');
my $waiting = $node->start_waiting(q{SET kid.clock_backward = 'wait'; SET kid.max_wait = -1;
	SELECT kid_uuidv7() > now() + interval '30 min'});
$node->set_clock('+1h');
is(answer($waiting), 't', 'kid.clock_backward = wait: the call waits until the clock has caught up');
close_session($waiting);

# After a crash uuids are above all earlier ones, whatever the clock says.
my $last = sql('SELECT kid_uuidv7()');
$node->stop('immediate');
$node->set_clock('-3h');
$node->start;
is(sql("SELECT kid_uuidv7() > '$last'"), 't', 'after a crash, uuids are above all earlier ones');

# The end of the range: the microsecond before the last can be used up, and no ID wraps.
sql("SELECT kid_observe('ffffffff-ffff-7ff9-bc00-000000000000'::uuid)");
is(sql(q{SELECT count(DISTINCT id), min(left(id::text, 18)), max(left(id::text, 18))
		FROM (SELECT kid_uuidv7() AS id FROM generate_series(1, 16)) s}),
	'16|ffffffff-ffff-7ffa|ffffffff-ffff-7ffa', 'the last usable fraction of the range has 16 uuids');
like(error_of('SELECT kid_uuidv7() FROM generate_series(1, 100)'), qr{2200H: the range of IDs is used up},
	'at the end of the range, an error');
like(error_of("SELECT kid_observe('$_'::uuid), kid_uuidv7()"), qr{2200H: the range of IDs is used up},
	"an error after observing $_")
  foreach ('ffffffff-ffff-7ffb-8000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff');
is(sql(q{SELECT last_issued FROM kid_stats() WHERE clock = 'uuidv7'}), '10889-08-02 05:31:50.655998+00',
	'kid_stats() shows the end of the range');
$node->stop('immediate');
$node->start;
like(error_of('SELECT kid_uuidv7()'), qr{2200H: the range of IDs is used up},
	'at the end of the range, an error after a crash, too');
sql(q{SELECT kid_reset_clock(now(), force => true)});
is(sql(q{SELECT kid_uuidv7() < clock_timestamp() + interval '1 ms'}), 't',
	'after a reset, uuids have the current time again');

$node->stop;
done_testing();
