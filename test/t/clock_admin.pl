# A clock that was wrong by a day: how to see it, and what to do about it.
use strict;
use warnings;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = FakeClock->new('main');
$node->init;
$node->start;
use_database($node);
sql(q{
	CREATE EXTENSION kid;
	CREATE TABLE ids (n bigserial, id kid64 PRIMARY KEY DEFAULT kid_next());
	CREATE ROLE watcher LOGIN; GRANT pg_read_all_stats TO watcher;
	CREATE ROLE merger LOGIN; GRANT EXECUTE ON FUNCTION kid_observe(kid64), kid_observe(sno) TO merger;
	CREATE ROLE nobody_special LOGIN;
});
is(sql(q{SELECT string_agg(concat_ws(' ', clock, last_issued, ahead, waits, backward_steps, ticks, lease_until,
		renewals), ', ' ORDER BY clock) FROM kid_stats()}),
	'flake 0 0 0, kid 0 0 0, kid53 0 0 0, sno 0 0 0 0, uuidv7 0 0 0', 'kid_stats before the first ID');

# The clock is two days ahead, and is set back.
my $insert = 'INSERT INTO ids SELECT FROM generate_series(1, 1000)';
sql($insert);
$node->set_clock('+2d');
sql($insert);
$node->set_clock('+0');
my ($status, $stdout, $stderr) = $node->psql('postgres', "$insert; $insert");
my $ahead = qr{WARNING:  IDs of kid are 1 day 23:5\d:\d\d\.\d{3} ahead of the system clock};
like($stderr, qr{^psql.*$ahead\nDETAIL:  .*\nHINT:  .*kid_reset_clock\(\)},
	'IDs two days ahead of the clock: a warning');
is(() = $stderr =~ /WARNING/g, 1, 'the warning comes once in a session');
($status, $stdout, $stderr) = $node->psql('postgres', $insert);
is($stderr, '', 'the next session is not warned again');
is(sql('SELECT count(*), count(*) FILTER (WHERE NOT rises)
		FROM (SELECT id > lag(id) OVER (ORDER BY n) AS rises FROM ids) s'), '5000|0',
	'IDs stay unique and in order while the clock is behind');
is(sql(q{SELECT ahead BETWEEN interval '47 h 59 min' AND interval '2 days', backward_steps,
		lease_until > last_issued, renewals > 0, ticks
				FROM kid_stats() WHERE clock = 'kid'}), 't|1|t|t|',
	'kid_stats() shows how far IDs are ahead, and the step back');

# Who may see what, and do what.
is(output_of('SELECT count(*) FROM kid_stats()', role => 'watcher'), '5',
	'a member of pg_read_all_stats may call kid_stats()');
like(output_of($_, role => 'nobody_special'), qr{42501: permission denied}, "a role without rights may not: $_")
  foreach ('SELECT * FROM kid_stats()', 'SELECT * FROM kid_stats()', 'SELECT kid_observe(kid64_floor(now()))',
	'SELECT kid_reset_clock(now())');
sql('GRANT EXECUTE ON FUNCTION kid_reset_clock, kid_hold_clocks, kid_lower_clocks TO merger');
like(output_of('SELECT kid_reset_clock(now())', role => 'merger'), qr{42501: must be superuser},
	'kid_reset_clock() needs a superuser, even if EXECUTE is granted');

# The reset.
sql(q{DELETE FROM ids WHERE id > kid64_ceil(now()); SELECT kid_reset_clock(now())});
sql($insert);
is(sql(q{SELECT max(kid_timestamp(id)) <= clock_timestamp(), count(*) FROM ids}), 't|2000',
	'after a reset, IDs have the current time again');
is(sql(q{SELECT ahead FROM kid_stats() WHERE clock = 'kid'}), '00:00:00',
	'after a reset, kid_stats() shows that IDs are not ahead');
my $last = sql('SELECT kid_next()');
$node->stop('immediate');
$node->start;
is(sql(qq{SELECT kid_next() > '$last', kid_timestamp(kid_next()) < clock_timestamp() + interval '2 s'}), 't|t',
	'after a reset and a crash, IDs rise and have the current time');
$node->set_clock('+1d');
sql('SELECT kid_next(), flake_next(), sno_next(), kid_uuidv7(), kid53_next()');
$node->set_clock('+0');
sql('SELECT kid_reset_clock(now())');
is(sql(q{SELECT bool_and(ahead = '0') FROM kid_stats()}), 't', 'a reset to a time resets all clocks');
is(sql(q{SELECT kid_timestamp(kid_next()) <= clock_timestamp(), kid_timestamp(flake_next()) <= clock_timestamp(),
					   kid_timestamp(sno_next()) <= clock_timestamp(),
						kid_timestamp(kid_uuidv7()) <= clock_timestamp(),
						kid53_timestamp(kid53_next()) <= clock_timestamp()}), 't|t|t|t|t',
	'after a reset to a time, all generators have the current time');
my ($before) = sql(q{SELECT kid_next()});
foreach my $above (q{now() + interval '3 hours'}, q{now() + interval '1 year'}, q{'infinity'::timestamptz},
	q{'infinity', force => true})
{
	($status, $stdout, $stderr) = $node->psql('postgres', "SELECT kid_reset_clock($above)");
	like($stderr,
		qr{^psql.*NOTICE:  no logical clock was lowered\nDETAIL:  None is ahead of \S+.*\.\nHINT:  .*kid_observe\(\)},
		"a reset to $above says that it did nothing");
	is(() = $stderr =~ /NOTICE/g, 1, "a reset to $above says so once");
}
is(sql("SELECT kid_next() BETWEEN '$before' AND kid64_ceil(clock_timestamp())"), 't',
	'a reset to a time in the future changes nothing');
sql(q{SELECT kid_observe(kid64_floor(now() + interval '1 hour')),
	kid_observe(sno_make(now() + interval '2 hours', 0, 0, 0))});
($status, $stdout, $stderr) = $node->psql('postgres', 'SELECT kid_reset_clock(now())');
my $how_far = qr{DETAIL:  It has issued IDs with times up to .*\nHINT:  Shortly before .*};
my $of_kid = qr{NOTICE:  logical clock of kid was lowered by 0[01]:\d\d:\d\d\.\d{3}\n$how_far};
my $of_sno = qr{NOTICE:  logical clock of sno was lowered by 0[12]:\d\d:\d\d\.\d{3}\n$how_far};
my $elsewhere = 'NOTICE:  IDs in other databases, in arrays, composites and ranges, in columns of type bigint or uuid '
  . 'whose default makes no IDs, and IDs that clients keep,';
like($stderr, qr{\A.*$of_kid\n.*$of_sno\n.*$elsewhere were not looked at\s*\z},
	'a reset says which clocks it lowered, and by how much');

# A cursor holds IDs that it has not returned yet. After a reset it returns none of them.
$node->set_clock('+1d');
sql(q{
	BEGIN;
	DECLARE ids CURSOR FOR SELECT kid_next(1000);
	CREATE TABLE fetched (id kid64);
	CREATE FUNCTION fetch_id() RETURNS kid64 LANGUAGE plpgsql AS $$ DECLARE c refcursor := 'ids'; id kid64;
		BEGIN FETCH c INTO id; RETURN id; END $$;
	INSERT INTO fetched SELECT fetch_id();
	INSERT INTO fetched SELECT fetch_id();
	\! echo +0 >} . $node->basedir . q{/clock
	SELECT kid_reset_clock(now() - interval '1 day', force => true);
	INSERT INTO fetched SELECT fetch_id() FROM generate_series(1, 500);
	INSERT INTO fetched SELECT kid_next() FROM generate_series(1, 5000);
	COMMIT});
is(sql(q{SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id > now() + interval '1 hour')
		FROM fetched}), '5502|5502|2',
	'an open cursor makes its IDs anew after a reset');

# Observing.
is(sql(q{SELECT kid_observe(kid64_floor(now() + interval '10 min'));
				SELECT kid_next() > kid64_floor(now() + interval '9 min'),
					kid_next() < kid64_floor(now() + interval '11 min')}) =~ s/^\n//r,
	't|t', 'kid_observe(): new IDs are above the observed one');
like(output_of(q{SELECT kid_observe(kid64_floor(now() + interval '61 min'))}, role => 'merger'),
	qr{22023: ID is too far ahead of the system clock\nDETAIL:  It is 01:0\d:\d\d\.\d{3} ahead, and .*3600000 ms},
	'kid_observe() rejects an ID beyond kid.max_observe for a role that is no superuser');
is(output_of(q{SELECT kid_observe(kid64_floor(now() + interval '59 min'))}, role => 'merger'), '',
	'kid_observe() accepts an ID within kid.max_observe from a role that is no superuser');
my $observed = sql(q{SELECT kid64_floor(now() + interval '2 h') AS id \gset
	SELECT kid_observe(:'id'::kid64);
	SELECT :'id'}) =~ s/^\n//r;
$node->stop('immediate');
$node->start;
is(sql("SELECT kid_next() > '$observed'"), 't', 'after a crash, IDs are above an observed one');
is(sql(q{SELECT kid_observe(kid64_floor('2020-01-01')); SELECT kid_next() > kid64_floor(now() + interval '1 h')})
	  =~ s/^\n//r, 't',
	'kid_observe(): an old ID does not move the clock');
is(sql(q{SELECT kid_global(kid64_floor(now() + interval '3 h')) AS id \gset
	SELECT kid_observe(:'id'::kid96);
	SELECT kid_next() > kid_local(:'id'::kid96, true)}) =~ s/^\n//r, 't', 'kid_observe() of a kid96');
is(sql(q{SELECT flake_floor(now() + interval '3 h') AS id \gset
	SELECT kid_observe(:'id'::flake);
	SELECT flake_next() > :'id'::flake}) =~ s/^\n//r, 't', 'kid_observe() of a flake');
is(sql(q{SELECT kid53_floor(now() + interval '3 h') AS id \gset
	SELECT kid53_observe(:'id');
	SELECT kid53_next() > :'id'}) =~ s/^\n//r, 't', 'kid53_observe()');
like(output_of(q{SELECT kid53_observe(kid53_floor(now() + interval '61 min'))}, role => 'merger'),
	qr{42501: permission denied}, 'the right to call kid_observe() of other types is none to call kid53_observe()');
sql('GRANT EXECUTE ON FUNCTION kid53_observe TO merger');
like(output_of(q{SELECT kid53_observe(kid53_floor(now() + interval '61 min'))}, role => 'merger'),
	qr{22023: ID is too far ahead of the system clock\nDETAIL:  It is 01:0\d:\d\d\.\d{3} ahead, and .*3600000 ms},
	'kid53_observe() rejects an ID beyond kid.max_observe for a role that is no superuser');
is(output_of(q{SELECT kid53_observe(kid53_floor(now() + interval '59 min'))}, role => 'merger'), '',
	'kid53_observe() accepts an ID within kid.max_observe from a role that is no superuser');
like(error_of(q{SELECT kid_observe('zzzzzzzzzzw'::kid64)}), qr{22008: timestamp out of range for type kid64},
	'kid_observe() rejects a kid64 without a valid time');
# After the last time unit nothing is left to issue. An ID of that unit is rejected, and leaves no trace.
like(error_of(q{SELECT kid_observe(kid64_ceil('35198-01-19 07:06:39.999999'))}),
	qr{2200H: the range of IDs is used up}, 'kid_observe() rejects an ID of the last time unit');
$node->stop('immediate');
$node->start;
is(sql(q{SELECT kid_next() < kid64_floor(now() + interval '4 h')}), 't',
	'after a crash, IDs do not continue from a rejected ID');
# An observed sno moves both ticks, so sno_ceil(), whose tick is set, is enough for IDs of either tick. The tick stays.
my $tick = sql('SELECT kid_tick(sno_next())');
foreach my $observed (q{sno_make(now() + interval '10 min', 0, 0, 7, false)},
	q{sno_make(now() + interval '20 min', 0, 0, 7, true)}, q{sno_ceil(now() + interval '30 min')})
{
	is(sql(qq{SELECT $observed AS id \\gset
		SELECT kid_observe(:'id'::sno);
		SELECT kid_tick(sno_next()) = '$tick', kid_timestamp(sno_next()) > kid_timestamp(:'id'::sno) - interval '1 ms'})
		  =~ s/^\n//r, 't|t',
		"kid_observe($observed): the next sno is later, with the same tick");
}
$node->set_clock('-1h');
like(error_of('SET kid.max_wait = 0; SELECT sno_next()'), qr{53400},
	'a further step back has to wait, as both ticks are used');

# A reset to an ID of the other tick must not free that side.
sql('CREATE TABLE snos (id sno)');
$node->set_clock('2026-12-01 00:00:00');
my $thousand = 'INSERT INTO snos SELECT sno_next() FROM generate_series(1, 1000)';
sql($thousand);
$node->set_clock('2026-12-02 00:00:00');
$tick = sql('SELECT kid_tick(sno_next())');
sql("SELECT kid_reset_clock('2026-12-01 00:00:01', force => true)");
$node->set_clock('2026-12-01 00:00:02');
sql($thousand);
$node->set_clock('2026-12-01 00:00:00');
sql($thousand);
is(sql('SELECT count(*), count(DISTINCT id), count(DISTINCT kid_tick(id)) FROM snos'), '3000|3000|2',
	'no sno is repeated after a reset');
$node->set_clock('+0');
sql('SELECT kid_reset_clock(now(), force => true)');

# There is no warning of a small adjustment.
# Within one session, because a new one could take that long to start.
$node->set_clock('+1d');
my $file = $node->basedir . '/clock';
($status, $stdout, $stderr) = $node->psql('postgres',
	"SELECT kid_next();\n\\! echo +86399.1s >$file.new && mv $file.new $file\nSELECT kid_next()");
is($stderr, '', 'a step back by less than a second gives no warning');
is(sql(q{SELECT backward_steps > 1 FROM kid_stats() WHERE clock = 'kid'}), 't',
	'kid_stats() counts a step back by less than a second');

$node->stop;
done_testing();
