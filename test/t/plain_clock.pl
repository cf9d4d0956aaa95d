# The logical clocks of the edition in plain SQL: nothing twice, none falling, while the system clock is moved, and
# sessions are stalled, cancelled, terminated and killed with the server. KID_ROUNDS multiplies the rounds, and
# KID_SEED repeats the random choices of a run.
use strict;
use warnings;
use Dialogue;
use FakeClock;
use Failure;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::HiRes qw(usleep);

my $temporary = PostgreSQL::Test::Utils::tempdir;
my $rounds = 6 * ($ENV{KID_ROUNDS} // 1);
my $seed = $ENV{KID_SEED} // time;
srand $seed;
note "KID_SEED=$seed";

my $node = FakeClock->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nfsync = on\nrestart_after_crash = on\n");
$node->start;
use_database($node);

my $script = assemble('kid-all');
sql("CREATE ROLE app LOGIN; ALTER DATABASE postgres OWNER TO app;
	ALTER DATABASE postgres SET search_path = public, kid; GRANT CREATE ON SCHEMA public TO app");
$node->command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', connection_as($node, 'postgres', 'app'),
		'-f', $script ], 'the script is installed');
sql('CREATE SEQUENCE ticket;
	CREATE TABLE ids (id kid64 PRIMARY KEY DEFAULT kid_next(), uuid uuid UNIQUE DEFAULT kid_uuidv7(),
		number bigint UNIQUE DEFAULT kid53_next());
	GRANT ALL ON ids, ticket TO app');

#
# Before the first ID, a system clock outside of the range of a type gives an error.
#

foreach ([ '1969-06-01 00:00:00', 'kid_next()', 'kid64_next(2)', 'kid_uuidv7()', 'kid53_next()' ],
	[ '2019-12-31 23:00:00', 'kid53_next()', 'kid53_next(2)' ], [ '2090-01-01 00:00:00', 'kid53_next()' ])
{
	my ($clock, @calls) = @$_;
	$node->set_clock($clock);
	like(error_of("SELECT $_"), qr/22008: timestamp out of range for /,
		"the first ID with a clock of $clock: $_")
	  foreach @calls;
}
$node->set_clock('+0');

#
# One session, the clock step by step.
#

my $count = 'SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= before) FROM
	(SELECT id, lag(id) OVER (ORDER BY n) AS before
		FROM (SELECT n, kid_next() AS id FROM generate_series(1, 20000) AS n) AS made) AS ids';
my $highest = 'SELECT kid_next(), kid_uuidv7(), kid53_next()';
my ($last_id, $last_uuid, $last_number) = (0, '', 0);

# Tests that IDs rise, and are above all earlier ones.
sub rises
{
	my ($name) = @_;
	my ($id, $uuid, $number) = split /\|/, sql($highest);
	ok($id > $last_id && $uuid gt $last_uuid && $number > $last_number, "$name: IDs rise")
	  or diag "$id after $last_id, $uuid after $last_uuid, $number after $last_number";
	is(sql($count), '20000|20000|0', "$name: 20000 IDs rise");
	is(sql($count =~ s/kid_next/kid53_next/r), '20000|20000|0', "$name: 20000 kid53 rise");
	($last_id, $last_uuid, $last_number) = split /\|/, sql($highest);
	return;
}

rises('at first');
my $time = sql('SELECT kid_timestamp(kid_next())');
$node->set_clock('-1h');
rises('the clock goes back by an hour');
is(sql("SELECT kid_timestamp(kid_next()) - timestamptz '$time' BETWEEN '0' AND '10 s',
		kid_timestamp(kid_uuidv7()) - timestamptz '$time' BETWEEN '-10 s' AND '10 s',
		kid53_timestamp(kid53_next()) - timestamptz '$time' BETWEEN '-10 s' AND '10 s'"),
	't|t|t', 'IDs keep the highest time');
is(sql(q{SELECT count(*) FROM kid_stats() WHERE ahead BETWEEN '59 min' AND '61 min'}), '3',
	'kid_stats() tells how far they are ahead');
like(error_of(q{SELECT kid_observe(kid64_floor(now() + interval '61 min'))}), qr{22023: ID is too far ahead},
	'an ID more than an hour ahead is not observed');
like(error_of(q{SELECT kid53_observe(kid53_floor(now() + interval '61 min'))}), qr{22023: ID is too far ahead},
	'a kid53 more than an hour ahead neither');
$node->set_clock('+1h');
rises('the clock goes ahead by an hour');
is(sql(q{SELECT kid_timestamp(id) BETWEEN began - interval '1.024 ms' AND ended,
		kid_timestamp(uuid) BETWEEN began - interval '1 ms' AND ended,
		kid53_timestamp(number) BETWEEN began - interval '1 ms' AND ended
	FROM (SELECT clock_timestamp() AS began, kid_next() AS id, kid_uuidv7() AS uuid, kid53_next() AS number,
		clock_timestamp() AS ended OFFSET 0) AS made}),
	't|t|t', 'IDs have the time of the clock');
$node->set_clock('2027-06-01 00:00:00');
rises('the clock stands still');
is(sql(q{SELECT kid_timestamp(kid_next()) >= '2027-06-01'
		AND kid_timestamp(kid_next()) < '2027-06-01 00:00:01'}), 't', 'IDs go on with later units');

# A session draws only if it saw its unit less than so far used. So if each of the sessions that may be stalled between
# the look and the draw draws later, no state leaves the unit. The clock still stands still.
foreach ([ kid64 => 'kid_next()', 'kid_sequence', 8191, 16384 ],
	[ kid53 => 'kid53_next()', 'kid53_sequence', 1023, 4096 ])
{
	my ($clock, $call, $sequence_of, $last_to_draw, $states) = @$_;
	my $unit = "(SELECT (last_value / $states + 5) * $states FROM kid_clocks.${clock}_clock)";
	is(sql("SELECT FROM setval('kid_clocks.${clock}_clock', $unit + $last_to_draw - 1);
			SELECT $sequence_of(kid.$call) FROM generate_series(1, 3)"),
		join("\n", $last_to_draw, $last_to_draw + 1, 0), "$clock: a unit that is used so far is left");
	is(sql("SELECT setval('kid_clocks.${clock}_clock', $unit + $last_to_draw) AS seen \\gset
			SELECT count(*) < $states, max(drawn) / $states = :seen / $states, max(drawn) % $states
			  FROM (SELECT kid.${clock}_draw() AS drawn
				FROM generate_series(1, $states - 1 - $last_to_draw)) AS stalled;
			SELECT $sequence_of(kid.$call), kid.${clock}_state() / $states = :seen / $states + 1"),
		't|t|' . ($states - 1) . "\n0|t", "$clock: as many stalled sessions as can be do not leave the unit");
}
$node->set_clock('1969-06-01 00:00:00');
rises('the clock is before 1970');
$node->set_clock('2019-12-31 23:00:00');
rises('the clock is before 2020');
$node->set_clock('+0');
rises('the clock is right again');

# A session that holds the lock and does not go on: others wait, and end when they are cancelled. That of
# a session that ends is free at once.
my ($holder, $canceled, $waiting) = map { open_session($node) } 1 .. 3;
answer($holder, q{SELECT pg_advisory_lock(kid_clocks.kid64_key(pg_sequence_last_value('kid_clocks.kid64_secret'),
	kid.kid64_state() >> 14));});
# The system clock passes all IDs, so that the next ID needs the lock.
$node->set_clock('+40000000s');
# A timeout would be late: PostgreSQL measures it by the clock that has just been set.
ask($canceled, 'SELECT kid_next();');
wait_for_state($canceled, q{wait_event = 'PgSleep'});
is(sql("SELECT pg_cancel_backend($canceled->{pid})"), 't', 'a session that waits for the lock is cancelled');
like(answer($canceled), qr{57014}, 'that ends it');
ask($waiting, 'SELECT kid_next();');
wait_for_state($waiting, q{wait_event = 'PgSleep'});
is($waiting->{output}, '', 'a session waits for the lock');
sql("SELECT pg_terminate_backend($holder->{pid})");
ok(answer($waiting) > $last_id, 'it goes on when the session with the lock ends');
close_session($_) foreach $holder, $canceled, $waiting;
is(sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'}), '0', 'the lock is not kept');
is(sql(q{BEGIN; SELECT count(kid_next()) FROM generate_series(1, 50000);
		SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'; COMMIT}),
	"50000\n0", 'not in a transaction either');
($last_id, $last_uuid, $last_number) = split /\|/, sql($highest);

#
# Many sessions. Each line has a ticket, a kid64, a uuid, a kid53, and another ticket. The tickets are of a sequence of
# its own, which knows nothing of the clock: they tell which call returned before which other one began.
#

my $lines = q{COPY (SELECT nextval('ticket'), kid_next(), kid_uuidv7(), kid53_next(), nextval('ticket')
	FROM generate_series(1, 1000)) TO STDOUT};
my $insert = 'INSERT INTO ids DEFAULT VALUES RETURNING id, uuid, number';
my $job = $node->basedir . '/job.sql';
append_to_file($job, join ";\n", map({ $lines, ($insert) x 20 } 1 .. 100), '');
my $secrets = $node->basedir . '/secrets.sql';
append_to_file($secrets, "SELECT kid_clocks.kid_new_secrets();\n" x 5000);
my (%seen, @wrong);
my ($made, $committed, $disturbed) = (0, 0, 0);
my $present = 60_000_000;    # seconds from now, after all times above

# Checks what sessions printed since they began, which is after all earlier IDs were returned.
sub check
{
	my ($name, $kill, @outputs) = @_;
	my @events;
	my %last = (id => $last_id, uuid => $last_uuid, number => $last_number);
	my %top = %last;
	foreach my $output (@outputs)
	{
		# The last line of a killed session may be cut.
		foreach my $line (split /\n/, $output =~ s/[^\n]*\z//r)
		{
			# Padded so that all sort as text.
			if ($line =~ /^(\d+)\t(\d+)\t([-0-9a-f]{36})\t(\d+)\t(\d+)$/)
			{
				# After a kill, IDs in no committed row can be made again.
				next if $kill;
				my %ids = (id => sprintf('%020d', $2), uuid => $3, number => sprintf('%020d', $4));
				push @events, [ $1, 'begin', \%ids ], [ $5, 'end', \%ids ];
				push @wrong, "$name: $line is repeated" if grep { $seen{"$_ $ids{$_}"}++ } keys %ids;
				$made++;
			}
			elsif ($line =~ /^(\d+)\|([-0-9a-f]{36})\|(\d+)$/)
			{
				my %ids = (id => sprintf('%020d', $1), uuid => $2, number => sprintf('%020d', $3));
				foreach (keys %ids)
				{
					push @wrong, "$name: $_ of $line is repeated" if $seen{"$_ $ids{$_}"}++;
					push @wrong, "$name: $_ of $line is below $last{$_}" if $ids{$_} le $last{$_};
					$top{$_} = $ids{$_} if $ids{$_} gt $top{$_};
				}
				$committed++;
			}
		}
	}
	foreach my $event (sort { $a->[0] <=> $b->[0] } @events)
	{
		my (undef, $what, $ids) = @$event;
		foreach (keys %last)
		{
			if ($what eq 'end') { $last{$_} = $ids->{$_} if $ids->{$_} gt $last{$_} }
			elsif ($ids->{$_} le $last{$_}) { push @wrong, "$name: $_ $ids->{$_} is not above $last{$_}" }
		}
	}
	($last_id, $last_uuid, $last_number) = map { $top{$_} gt $last{$_} ? $top{$_} : $last{$_} } qw(id uuid number);
	return;
}

($last_id, $last_number) = map { sprintf '%020d', $_ } $last_id, $last_number;
foreach my $round (1 .. $rounds)
{
	my $kill = $round % 6 == 0;
	my @sessions;
	# Meanwhile two sessions change the secrets.
	foreach my $file (($job) x 6, ($secrets) x 2)
	{
		my ($stdout, $stderr) = ('', '');
		my $handle = IPC::Run::start([ 'psql', '-XAtq', '-d', connection_as($node, 'postgres', 'app'), '-f', $file ],
			'>', \$stdout, '2>', \$stderr, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
		push @sessions, { handle => $handle, stdout => \$stdout, stderr => \$stderr };
	}
	my @backends;
	my $until = Time::HiRes::time + 0.7 + rand 0.5;
	while (Time::HiRes::time < $until)
	{
		@backends = grep { $_ } split /\n/,
		  sql(q{SELECT pid FROM pg_stat_activity WHERE usename = 'app' AND backend_type = 'client backend'})
		  if !@backends;
		$_->{handle}->pumpable and $_->{handle}->pump_nb foreach @sessions;
		my ($choice, $pid) = (int rand 10, $backends[ int rand(@backends || 1) ]);
		if ($choice < 3)
		{
			$node->set_clock(sprintf '%+.3fs', $present + (rand() < 0.5 ? 0.02 : 7200) * (rand() - 0.5));
		}
		elsif (!defined $pid) { }
		elsif ($choice < 6)
		{
			kill 'STOP', $pid;
			usleep(rand() < 0.3 ? 50_000 : 3_000);
			kill 'CONT', $pid;
		}
		elsif ($choice < 8) { kill 'INT', $pid; }
		elsif ($choice == 8 && rand() < 0.1) { kill 'TERM', $pid; @backends = grep { $_ != $pid } @backends; }
		$disturbed++;
		usleep(int rand 20_000);
	}
	if ($kill)
	{
		kill_server($node);
	}
	else
	{
		# If the clock went back, a session that sleeps would do so until the clock is there again.
		$node->poll_query_until('postgres',
			q{SELECT count(pg_terminate_backend(pid)) = 0 FROM pg_stat_activity
				WHERE usename = 'app' AND backend_type = 'client backend'});
	}
	foreach my $session (@sessions)
	{
		eval { $session->{handle}->finish; };
		push @wrong, "round $round: $1"
		  if (${ $session->{stderr} } // '') =~ /(duplicate key.*|PANIC.*|cannot be read.*)/;
	}
	check("round $round", $kill, map { ${ $_->{stdout} } // '' } @sessions);
	if ($kill)
	{
		$node->set_clock(sprintf '%+ds', $present - 7200 + int rand 14400);
		$node->start;
		# The last ID of a session that was killed may be committed and not printed.
		push @wrong, "round $round: not above committed IDs"
		  if sql('SELECT kid_next() > max(id) AND kid_uuidv7() > max(uuid::text)::uuid
				AND kid53_next() > max(number) FROM ids') ne 't';
	}
	last if @wrong;
}

note sprintf '%d IDs, and %d in committed rows; %d disturbances', $made, $committed, $disturbed;
is("@wrong", '', 'nothing twice, none falling');
cmp_ok($made, '>', 1000 * $rounds, 'IDs were made');
cmp_ok($committed, '>', $rounds, 'IDs were committed');
$node->set_clock('+0');
is(sql(q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'}), '0', 'no lock is left');
is(sql(q{SELECT count(*) FROM ids WHERE kid_sequence(id) > 9000 OR kid53_sequence(number) > 1100}), '0',
	'no ID is near the end of its unit');

$node->stop;
done_testing();
