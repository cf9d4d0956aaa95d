# A clock that was wrong by a day, and what there is to see and to do about it.
use strict;
use warnings;
use FakeClock;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = FakeClock->new('main');
$node->init;
$node->start;
$node->sql(q{
	CREATE EXTENSION kid;
	CREATE TABLE ids (n bigserial, id kid64 PRIMARY KEY DEFAULT kid_next());
	CREATE ROLE watcher LOGIN; GRANT pg_read_all_stats TO watcher;
	CREATE ROLE merger LOGIN; GRANT EXECUTE ON FUNCTION kid_observe(kid64), kid_observe(sno) TO merger;
	CREATE ROLE nobody_special LOGIN;
});
is($node->sql(q{SELECT string_agg(concat_ws(' ', clock, last_issued, ahead, waits, backward_steps, ticks, lease_until, renewals), ', ' ORDER BY clock) FROM kid_stats()}),
	'flake 0 0 0, kid 0 0 0, sno 0 0 0 0, uuidv7 0 0 0', 'kid_stats before the first ID');

# A day ahead, and back.
my $insert = 'INSERT INTO ids SELECT FROM generate_series(1, 1000)';
$node->sql($insert);
$node->set_clock('+1d');
$node->sql($insert);
$node->set_clock('+0');
my ($status, $stdout, $stderr) = $node->psql('postgres', "$insert; $insert");
like($stderr, qr{^psql.*WARNING:  IDs of kid are 8[56]\d{3}\.\d{3} s ahead of the system clock\nDETAIL:  .*\nHINT:  .*kid_reset_clock\(\)}, 'a warning');
is(() = $stderr =~ /WARNING/g, 1, 'once');
($status, $stdout, $stderr) = $node->psql('postgres', $insert);
is($stderr, '', 'and not in the next session');
is($node->sql('SELECT count(*), count(*) FILTER (WHERE NOT rises) FROM (SELECT id > lag(id) OVER (ORDER BY n) AS rises FROM ids) s'), '5000|0',
	'IDs stay unique and ordered');
is($node->sql(q{SELECT ahead BETWEEN interval '23 h 59 min' AND interval '1 day', backward_steps, lease_until > last_issued, renewals > 0, ticks
				FROM kid_stats() WHERE clock = 'kid'}), 't|1|t|t|', 'kid_stats tells');

# Who may see and do what.
sub as_role
{
	my ($role, $query) = @_;
	my ($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\n$query", extra_params => [ '-U', $role ]);
	return $stdout . $stderr;
}
is(as_role('watcher', 'SELECT count(*) FROM kid_stats()'), '4', 'pg_read_all_stats sees kid_stats');
like(as_role('nobody_special', $_), qr{42501: permission denied}, "not everybody may: $_")
  foreach ('SELECT * FROM kid_stats()', 'SELECT * FROM kid_stats()', 'SELECT kid_observe(kid64_floor(now()))', 'SELECT kid_reset_clock(now())');
$node->sql('GRANT EXECUTE ON FUNCTION kid_reset_clock(timestamptz), kid_reset_clock(kid64) TO merger');
like(as_role('merger', 'SELECT kid_reset_clock(now())'), qr{42501: must be superuser}, 'the reset is for superusers, whatever is granted');

# The reset.
$node->sql(q{DELETE FROM ids WHERE id > kid64_ceil(now()); SELECT kid_reset_clock((SELECT max(id) FROM ids))});
$node->sql($insert);
is($node->sql(q{SELECT max(kid_timestamp(id)) <= clock_timestamp(), count(*) FROM ids}), 't|2000', 'IDs are of now again');
is($node->sql(q{SELECT ahead FROM kid_stats() WHERE clock = 'kid'}), '00:00:00', 'and kid_stats says so');
my $last = $node->sql('SELECT kid_next()');
$node->stop('immediate');
$node->start;
is($node->sql(qq{SELECT kid_next() > '$last', kid_timestamp(kid_next()) < clock_timestamp() + interval '2 s'}), 't|t', 'also after a crash');
$node->set_clock('+1d');
$node->sql('SELECT kid_next(), flake_next(), sno_next(), kid_uuidv7()');
$node->set_clock('+0');
$node->sql('SELECT kid_reset_clock(now())');
is($node->sql(q{SELECT bool_and(ahead = '0') FROM kid_stats()}), 't', 'all clocks at once');
is($node->sql(q{SELECT kid_timestamp(kid_next()) <= clock_timestamp(), kid_timestamp(flake_next()) <= clock_timestamp(),
					   kid_timestamp(sno_next()) <= clock_timestamp(), kid_timestamp(kid_uuidv7()) <= clock_timestamp()}), 't|t|t|t', 'and all go on from now');
my ($before) = $node->sql(q{SELECT kid_next()});
$node->sql(q{SELECT kid_reset_clock(now() + interval '1 year'), kid_reset_clock('infinity'::timestamptz)});
is($node->sql("SELECT kid_next() > '$before'"), 't', 'a time that is ahead lowers nothing');

# A cursor holds IDs that it has not returned yet. It returns none of those after a reset.
$node->set_clock('+1d');
$node->sql(q{
	BEGIN;
	DECLARE ids CURSOR FOR SELECT kid_next(1000);
	CREATE TABLE fetched (id kid64);
	CREATE FUNCTION fetch_id() RETURNS kid64 LANGUAGE plpgsql AS $$ DECLARE c refcursor := 'ids'; id kid64; BEGIN FETCH c INTO id; RETURN id; END $$;
	INSERT INTO fetched SELECT fetch_id();
	INSERT INTO fetched SELECT fetch_id();
	\! echo +0 >} . $node->basedir . q{/clock
	SELECT kid_reset_clock(now() - interval '1 day');
	INSERT INTO fetched SELECT fetch_id() FROM generate_series(1, 500);
	INSERT INTO fetched SELECT kid_next() FROM generate_series(1, 5000);
	COMMIT});
is($node->sql(q{SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id > now() + interval '1 hour') FROM fetched}), '5502|5502|2',
	'an open cursor makes its IDs anew after a reset');

# Observing.
is($node->sql(q{SELECT kid_observe(kid64_floor(now() + interval '10 min'));
				SELECT kid_next() > kid64_floor(now() + interval '9 min'), kid_next() < kid64_floor(now() + interval '11 min')}) =~ s/^\n//r,
	't|t', 'past an ID that is ahead');
like(as_role('merger', q{SELECT kid_observe(kid64_floor(now() + interval '61 min'))}),
	qr{22023: ID is too far ahead of the system clock\nDETAIL:  It is 36\d\d\.\d{3} s ahead, and .*3600000 ms}, 'but only so far');
is(as_role('merger', q{SELECT kid_observe(kid64_floor(now() + interval '59 min'))}), '', 'by who is not a superuser');
my $observed = $node->sql(q{SELECT kid64_floor(now() + interval '2 h') AS id \gset
	SELECT kid_observe(:'id'::kid64);
	SELECT :'id'}) =~ s/^\n//r;
$node->stop('immediate');
$node->start;
is($node->sql("SELECT kid_next() > '$observed'"), 't', 'not forgotten in a crash');
is($node->sql(q{SELECT kid_observe(kid64_floor('2020-01-01')); SELECT kid_next() > kid64_floor(now() + interval '1 h')}) =~ s/^\n//r, 't',
	'an old ID moves nothing');
is( $node->sql(q{SELECT kid_global(kid64_floor(now() + interval '3 h')) AS id \gset
	SELECT kid_observe(:'id'::kid96);
	SELECT kid_next() > kid_local(:'id'::kid96, true)}) =~ s/^\n//r, 't', 'a kid96');
is( $node->sql(q{SELECT flake_floor(now() + interval '3 h') AS id \gset
	SELECT kid_observe(:'id'::flake);
	SELECT flake_next() > :'id'::flake}) =~ s/^\n//r, 't', 'a flake');
like($node->error_of(q{SELECT kid_observe('zzzzzzzzzzw'::kid64)}), qr{22008: timestamp out of range for type kid64}, 'bits that are no time of a kid64');
# After the last time unit nothing is left to issue. An ID of that is refused, and nothing remains of it.
like($node->error_of(q{SELECT kid_observe(kid64_ceil('35198-01-19 07:06:39.999999'))}), qr{2200H: the range of IDs is used up}, 'the end of all time');
$node->stop('immediate');
$node->start;
is($node->sql(q{SELECT kid_next() < kid64_floor(now() + interval '4 h')}), 't', 'is refused, and IDs do not go on from there after a crash');
# A sno of the tick in use is a step back when it is ahead, and one of the other tick is time that was used on that side.
my $tick = $node->sql('SELECT kid_tick(sno_next())');
is( $node->sql(qq{SELECT sno_make(now() + interval '10 min', 0, 0, 7, '$tick') AS id \\gset
	SELECT kid_observe(:'id'::sno);
	SELECT kid_tick(sno_next()) <> '$tick', kid_timestamp(sno_next()) <= clock_timestamp()}) =~ s/^\n//r, 't|t', 'a sno of this tick');
$node->set_clock('-1h');
like($node->error_of('SET kid.max_wait = 0; SELECT sno_next()'), qr{53400}, 'and then a step back has to wait');

# A reset to an ID of the tick that is not in use does not make the other side free again.
$node->sql('CREATE TABLE snos (id sno)');
$node->set_clock('2026-12-01 00:00:00');
my $thousand = 'INSERT INTO snos SELECT sno_next() FROM generate_series(1, 1000)';
$node->sql($thousand);
$node->set_clock('2026-12-02 00:00:00');
$tick = $node->sql('SELECT kid_tick(sno_next())');
$node->sql("SELECT kid_reset_clock(sno_make('2026-12-01 00:00:01', 0, 0, 0, NOT '$tick'))");
$node->set_clock('2026-12-01 00:00:02');
$node->sql($thousand);
$node->set_clock('2026-12-01 00:00:00');
$node->sql($thousand);
is($node->sql('SELECT count(*), count(DISTINCT id), count(DISTINCT kid_tick(id)) FROM snos'), '3000|3000|2', 'no sno is repeated after a reset');
$node->set_clock('+0');
$node->sql('SELECT kid_reset_clock(now())');

# Nobody is warned of a small adjustment.
$node->set_clock('+1d');
$node->sql('SELECT kid_next()');
$node->set_clock('+86399.1s');
($status, $stdout, $stderr) = $node->psql('postgres', 'SELECT kid_next()');
is($stderr, '', 'less than a second is no news');
is($node->sql(q{SELECT backward_steps > 1 FROM kid_stats() WHERE clock = 'kid'}), 't', 'but counted');

$node->stop;
done_testing();
