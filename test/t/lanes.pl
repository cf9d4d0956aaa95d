# The sequences of kid64, kid96 and kid53 in lanes. A reload changes the lane of all sessions at once, also during
# statements, for single and for bulk calls. IDs continue to rise, and none repeats. No session has a lane
# of its own, or restores an older one.
# Promise: While the server runs, no two sessions get the same state
# Versions: the integers and atomics of PostgreSQL, which differ before 18
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf',
	"max_prepared_transactions = 2\nmax_parallel_workers_per_gather = 2\nkid.node = auto\nkid.lanes = 1\n");
$node->start;
use_database($node);
$node->safe_psql('postgres', q{
	CREATE EXTENSION kid;
	CREATE TABLE made (writer int, n bigserial, id kid64, id96 kid96);
	CREATE TABLE made53 (n bigserial, id bigint);
	CREATE TABLE writing AS SELECT true;
});

# Changes settings of the server, for sessions that start afterwards. Returns the identity in force once
# such a session has started.
sub configure
{
	my %settings = @_;
	$node->adjust_conf('postgresql.conf', "kid.$_", $settings{$_}) foreach sort keys %settings;
	$node->reload;
	return $node->safe_psql('postgres', 'SELECT node, lane, lanes FROM kid_identity()');
}

# Columns for the least and the greatest of the 16384 sequences that IDs use.
sub sequences { return 'min(kid_sequence(id)), max(kid_sequence(id))' }

# Sizes and positions of lanes, also for back-filled IDs, for kid96 and for bulk calls. kid53 has a quarter of the
# sequences, so a lane of it is a quarter as long, and it has no lanes that are shorter than 64.
foreach my $case ([ 2, 0, 0, 8191 ], [ 2, 1, 8192, 16383 ], [ 4, 2, 4096, 8191 ], [ 64, 63, 16128, 16383 ],
	[ 128, 5, 10240, 10367 ], [ 1024, 1023, 16368, 16383 ],
	[ 1, 7, 0, 16383 ])
{
	my ($lanes, $number, $first, $last) = @$case;
	my $lane = $lanes > 1 ? $number : 0;
	is(configure(node => $number, lanes => $lanes), "$number|$lane|$lanes",
		"node $number of $lanes lanes: the identity");
	is($node->safe_psql('postgres', 'SELECT ' . sequences()
			  . q{, count(DISTINCT id) FROM (SELECT kid64_at('2020-01-01') AS id FROM generate_series(1, 20000)) s}),
		"$first|$last|20000", "node $number of $lanes lanes: back-filled kid64");
	is($node->safe_psql('postgres',
			'SELECT ' . sequences() . q{ FROM (SELECT kid96_at('2020-01-01') AS id FROM generate_series(1, 20000)) s}),
		"$first|$last", "node $number of $lanes lanes: back-filled kid96");
	foreach my $made ('kid_next(5000) AS id', '(SELECT kid_next() AS id FROM generate_series(1, 5000)) s',
		'kid96_next(5000) AS id', '(SELECT kid96_next() AS id FROM generate_series(1, 5000)) s')
	{
		is($node->safe_psql('postgres', "SELECT min(kid_sequence(id)) >= $first, max(kid_sequence(id)) <= $last,
				count(DISTINCT id) FROM $made"), 't|t|5000', "node $number of $lanes lanes: $made");
	}
	my ($first53, $last53) = ($first / 4, ($last + 1) / 4 - 1);
	foreach my $made ('kid53_next(5000) AS id', '(SELECT kid53_next() AS id FROM generate_series(1, 5000)) s',
		q{(SELECT kid53_at('2021-01-01') AS id FROM generate_series(1, 5000)) s})
	{
		if ($lanes <= 64)
		{
			is($node->safe_psql('postgres', "SELECT min(kid53_sequence(id)) >= $first53,
					max(kid53_sequence(id)) <= $last53, count(DISTINCT id) FROM $made"), 't|t|5000',
				"node $number of $lanes lanes: $made");
			next;
		}
		my ($function) = $made =~ /(kid53_\w+)/;
		my $each = 4096 / $lanes;
		like(output_of("SELECT count(id) FROM $made"),
			qr/ERROR:  F0000: $function\(\) cannot be called with more than 64 lanes
DETAIL:  "kid.lanes" is $lanes, and a lane would have only $each IDs of each time unit\.
HINT:  Decrease "kid.lanes", or make IDs of type kid64\./,
			"node $number of $lanes lanes: $made");
	}
}

# kid53 in a session that made IDs in a lane before: while there are too many lanes, each call is an error.
{
	configure(node => 1, lanes => 64);
	my $session = open_session($node);
	is(answer($session, 'SELECT kid53_sequence(kid53_next()) BETWEEN 2048 AND 2111;'), 't', 'kid53 in the lane');
	configure(lanes => 128);
	like(answer($session, 'SELECT kid53_next();'), qr/more than 64 lanes/, 'an error as soon as there are 128 lanes')
	  foreach 1, 2;
	is(answer($session, 'SELECT kid_sequence(kid_next()) BETWEEN 8192 AND 8319;'), 't', 'kid64 goes on');
	configure(lanes => 2);
	is(answer($session, 'SELECT kid53_sequence(kid53_next()) >= 2048;'), 't', 'kid53 goes on with fewer lanes');
	close_session($session);
}

# An observed ID may be of any lane: below, inside or above the server's own. The clock may also be reset.
configure(node => 1, lanes => 4);
foreach my $sequence (0, 8191, 8192, 10000, 12287, 12288, 16383)
{
	my $result = $node->safe_psql('postgres', qq{
			SELECT kid_observe(kid64_make(now() + interval '10 s', $sequence)) IS NOT NULL;
			SELECT id > kid64_make(now() + interval '9 s', 0), kid_sequence(id) BETWEEN 8192 AND 12287
				FROM kid_next() AS id;
			SELECT kid_reset_clock(now()) IS NULL;
			SELECT id < kid64_make(now() + interval '9 s', 0), kid_sequence(id) BETWEEN 8192 AND 12287
				FROM kid_next() AS id});
	is($result, "t\nt|t\nt\nt|t",
		"IDs are in the lane after observing an ID with sequence $sequence, and after a reset");
	my $quarter = int($sequence / 4);
	is($node->safe_psql('postgres', qq{
			SELECT kid53_observe(kid53_make(now() + interval '10 s', $quarter)) IS NOT NULL;
			SELECT id > kid53_make(now() + interval '9 s', 0), kid53_sequence(id) BETWEEN 2048 AND 3071
				FROM kid53_next() AS id;
			SELECT kid_reset_clock(now()) IS NULL;
			SELECT id < kid53_make(now() + interval '9 s', 0), kid53_sequence(id) BETWEEN 2048 AND 3071
				FROM kid53_next() AS id}), "t\nt|t\nt\nt|t",
		"kid53 after observing sequence $quarter, and after a reset");
}

# Sessions that run while lanes change: a DO block with one transaction after the other, bulk calls, and single calls.
# After another session has seen the new identity, all new IDs are in the new lane.
configure(node => 1, lanes => 1);
my @writers = map { open_session($node) } 1 .. 5;
ask($writers[0], q{DO $$ BEGIN
	WHILE EXISTS (SELECT FROM writing) LOOP
		INSERT INTO made (writer, id) SELECT 1, kid_next() FROM generate_series(1, 20); COMMIT; PERFORM pg_sleep(0.01);
	END LOOP; END $$;});
ask($writers[1], q{DO $$ BEGIN
	WHILE EXISTS (SELECT FROM writing) LOOP
		INSERT INTO made (writer, id) SELECT 2, id FROM kid_next(300) AS id; COMMIT; PERFORM pg_sleep(0.01);
	END LOOP; END $$;});
ask($writers[2], q{DO $$ BEGIN
	WHILE EXISTS (SELECT FROM writing) LOOP
		INSERT INTO made (writer, id96) SELECT 3, kid96_next() FROM generate_series(1, 20); COMMIT;
		PERFORM pg_sleep(0.01);
	END LOOP; END $$;});
# A set whose rows are fetched a few at a time, all in one transaction.
ask($writers[3], q{DO $$ DECLARE one kid64; BEGIN
	FOR one IN SELECT kid_next(10000000) LOOP
		INSERT INTO made (writer, id) VALUES (4, one);
		EXIT WHEN NOT EXISTS (SELECT FROM writing);
		PERFORM pg_sleep(0.01);
	END LOOP; END $$;});
# The lanes are too many for kid53 for a while.
ask($writers[4], q{DO $$ BEGIN
	WHILE EXISTS (SELECT FROM writing) LOOP
		BEGIN
			INSERT INTO made53 (id) SELECT kid53_next() FROM generate_series(1, 20);
			INSERT INTO made53 (id) SELECT id FROM kid53_next(100) AS id;
		EXCEPTION WHEN config_file_error THEN
			IF SQLERRM NOT LIKE '%more than 64 lanes' THEN RAISE; END IF;
		END;
		COMMIT; PERFORM pg_sleep(0.01);
	END LOOP; END $$;});
my $one = 'SELECT kid_next()::bigint';
my @spans;
foreach my $lanes (2, 16, 4, 1, 1024, 2, 1)
{
	is(configure(lanes => $lanes), '1|' . ($lanes > 1 ? 1 : 0) . "|$lanes",
		"the identity changes to $lanes lanes while others write");
	my $from = $node->safe_psql('postgres', $one);
	my $from53 = $lanes > 64 ? undef : $node->safe_psql('postgres', 'SELECT kid53_next()');
	$node->poll_query_until('postgres',
		"SELECT count(DISTINCT writer) = 3 FROM made WHERE coalesce(id, kid_local(id96)) > '$from'::bigint")
	  or die 'nothing is made';
	if ($lanes <= 64)
	{
		$node->poll_query_until('postgres', "SELECT count(*) > 200 FROM made53 WHERE id > $from53")
		  or die 'no kid53 is made';
	}
	push @spans, [ $lanes, $from, $node->safe_psql('postgres', $one), $from53,
		$lanes > 64 ? undef : $node->safe_psql('postgres', 'SELECT kid53_next()') ];
}
$node->safe_psql('postgres', 'DELETE FROM writing');
is(answer($_), '', 'a writer ends without an error') foreach @writers;
close_session($_) foreach @writers;
my $all = '(SELECT writer, n, coalesce(id, kid_local(id96)) AS id FROM made) s';
foreach (@spans)
{
	my ($lanes, $from, $to, $from53, $to53) = @$_;
	# The lanes of node 1 begin in the middle of the sequence.
	my ($first, $last) = $lanes > 1 ? (8192, 8192 + 16384 / $lanes - 1) : (0, 16383);
	is($node->safe_psql('postgres', qq{
			SELECT count(*) > 100, count(*) FILTER (WHERE kid_sequence(id) NOT BETWEEN $first AND $last)
			  FROM $all WHERE id > '$from'::bigint AND id < '$to'::bigint}), 't|0',
		"all IDs of that time are in lane 1 of $lanes");
	next if $lanes > 64;
	($first, $last) = ($first / 4, ($last + 1) / 4 - 1);
	is($node->safe_psql('postgres', qq{
			SELECT count(*) > 100, count(*) FILTER (WHERE kid53_sequence(id) NOT BETWEEN $first AND $last)
			  FROM made53 WHERE id > $from53 AND id < $to53}), 't|0', "all kid53 of that time are in lane 1 of $lanes");
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS falls FROM made53) s
		WHERE falls'), '0', 'kid53 rises while lanes change');
is($node->safe_psql('postgres', "SELECT count(*) - count(DISTINCT id) FROM $all"), '0',
	'no ID repeats while lanes change');
is($node->safe_psql('postgres', "SELECT count(*)
		FROM (SELECT id <= lag(id) OVER (PARTITION BY writer ORDER BY n) AS falls FROM $all) t WHERE falls"),
	'0', 'the IDs of each writer rise while lanes change');

# One statement back-fills in two lanes, of which one is a part of the other. Its IDs are distinct: the sequences of a
# time unit that it used in the first lane are not free in the second.
foreach my $case ([ 1, 12000, 2 ], [ 2, 8000, 1 ])
{
	my ($before, $made, $after) = @$case;
	configure(node => 0, lanes => $before);
	my ($holder, $filler) = map { open_session($node) } 1 .. 2;
	answer($holder, 'SELECT pg_advisory_lock(1);');
	ask($filler, qq{WITH given AS MATERIALIZED (
			SELECT CASE WHEN n > $made THEN pg_advisory_xact_lock(1) END, kid64_at('2020-01-01') AS id
				FROM generate_series(1, 20000) AS n)
		SELECT count(*), count(DISTINCT id) FROM given;});
	$node->poll_query_until('postgres',
		q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) or die 'it does not wait';
	is(configure(lanes => $after), "0|0|$after",
		"the identity changes from $before to $after lanes during a back-fill");
	answer($holder, 'SELECT pg_advisory_unlock(1);');
	is(answer($filler), '20000|20000', "a back-fill during the change from $before to $after lanes repeats no ID");
	close_session($_) foreach $holder, $filler;
}

# A session that read its settings before a reload does not restore them, whenever it makes its first ID.
my ($old, $older) = map { open_session($node) } 1 .. 2;
answer($older, "LOAD 'kid'; SHOW kid.lanes;");
ask($old, 'SELECT pg_sleep(1), kid_sequence(kid_next()) < 16;');
ask($older, 'SELECT pg_sleep(1), kid_sequence(kid_next()) < 16;');
is(configure(node => 0, lanes => 1024), '0|0|1024', 'the identity changes while sessions sleep');
is(answer($old), '|t', 'a session that began before the reload uses the new lane');
is(answer($older), '|t', 'a session that loaded kid before the reload uses the new lane');
is($node->safe_psql('postgres', 'SELECT lanes FROM kid_identity()'), '1024',
	'these sessions do not restore the old identity');
is(answer($old, 'SELECT lanes, current_setting(\'kid.lanes\') FROM kid_identity();'), '1024|1024',
	'such a session has the new settings in its next statement');
close_session($_) foreach $old, $older;

# Parallel workers have the settings of their leader. They call no generator, but kid_observe().
$node->safe_psql('postgres', q{
	CREATE TABLE numbers AS SELECT kid_next() AS id FROM generate_series(1, 20000) AS n; ANALYZE numbers;
	ALTER TABLE numbers SET (parallel_workers = 2)});
my $leader = open_session($node);
answer($leader,
	"LOAD 'kid'; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;");
like(answer($leader, 'EXPLAIN (VERBOSE, COSTS OFF) SELECT kid_observe(id) FROM numbers;'),
	qr/Gather.*Parallel Seq Scan on public.numbers\n +Output: kid_observe/s, 'parallel workers call kid_observe()');
ask($leader, 'DO $$ BEGIN PERFORM pg_sleep(1);
		CREATE TABLE by_workers AS SELECT kid_observe(id)::text AS id FROM numbers; END $$;');
is(configure(lanes => 1), '0|0|1', 'the identity changes while a leader has the old settings');
# Workers start with the configuration that the server read last, but with the settings of their leader.
$node->reload;
is(answer($leader), '', 'the leader of parallel workers continues without an error');
is($node->safe_psql('postgres', 'SELECT lanes FROM kid_identity()'), '1', 'workers do not restore the old identity');
close_session($leader);

# No session has a lane of its own.
configure(node => 3, lanes => 4);
my $lane_3 = 'SELECT kid_sequence(kid_next()) >= 12288, kid_node(kid96_next()), kid_partition(sno_next()),
	kid_generator(flake_next())';
is(output_of($lane_3), 't|3|3|3', 'kid.node is the number of all types');
like(output_of("LOAD 'kid'; SET kid.$_ = 2"), qr/ERROR:  \w{5}: parameter "kid.$_" cannot be changed now/,
	"SET kid.$_ is rejected") foreach qw(node lanes);
foreach my $who ('DATABASE postgres', 'ROLE CURRENT_USER')
{
	like(output_of("LOAD 'kid'; ALTER $who SET kid.lanes = 2"),
		qr/ERROR:  \w{5}: parameter "kid.lanes" cannot be changed now/,
		"ALTER $who SET kid.lanes is rejected when kid is loaded");
	# Without the library PostgreSQL does not know that the setting may not be changed this way.
	is(output_of("ALTER $who SET kid.lanes = 2"), '', "ALTER $who SET kid.lanes is accepted when kid is not loaded");
	my $error = 'ERROR:  \w{5}: parameter "kid.lanes" could not be set';
	like(output_of($lane_3), qr/^psql.*WARNING.*\n.*$error\nDETAIL:  The value given when the session started/s,
		"after ALTER $who SET kid.lanes, sessions make no ID");
	$node->safe_psql('postgres', "ALTER $who RESET kid.lanes");
}
{
	local $ENV{PGOPTIONS} = '-c kid.lanes=1';
	like(output_of($lane_3), qr/ERROR:  \w{5}: parameter "kid.lanes" could not be set/,
		'a session with kid.lanes in PGOPTIONS makes no ID');
}
is(output_of("SET kid.sno_partition = 9; SET kid.flake_id = 10; $lane_3"), 't|3|9|10',
	'the settings of single types override kid.node');
is(output_of('SET kid.sno_partition = 9; SET kid.flake_worker = 10; SELECT * FROM kid_identity()'), '3|9|10|3|4',
	'kid_identity() shows the settings of single types');

# Node numbers that do not fit a type.
foreach my $case (
	[ 4, 4, 'kid_next()', '"kid.lanes"', 'It is 4, and the range is 0 to 3.' ],
	[ 4, 4, 'kid96_next()', '"kid.lanes"', 'It is 4, and the range is 0 to 3.' ],
	[ 4, 4, 'kid64_at(now())', '"kid.lanes"', 'It is 4, and the range is 0 to 3.' ],
	[ 4, 4, 'kid_next(2)', '"kid.lanes"', 'It is 4, and the range is 0 to 3.' ],
	[ 4, 4, 'kid53_next()', '"kid.lanes"', 'It is 4, and the range is 0 to 3.' ],
	[ 4, 4, 'kid53_next(2)', '"kid.lanes"', 'It is 4, and the range is 0 to 3.' ],
	[ 4, 4, 'kid53_at(now())', '"kid.lanes"', 'It is 4, and the range is 0 to 3.' ],
	[ q{'auto'}, 2, 'kid53_next()', '"kid.lanes"',
		'"kid.node" is "auto", which is not a number, and the range is 0 to 1.' ],
	[ q{'auto'}, 2, 'kid_next()', '"kid.lanes"',
		'"kid.node" is "auto", which is not a number, and the range is 0 to 1.' ],
	[ q{'uid@127.0.0.1'}, 2, 'kid96_at(now())', '"kid.lanes"',
		'"kid.node" is "uid@127.0.0.1", which is not a number, and the range is 0 to 1.' ],
	[ q{'auto'}, 2, 'flake_next()', 'the generator of flake',
		'"kid.node" is "auto", which is not a number, and the range is 0 to 1023.' ],
	[ 1024, 1, 'flake_next()', 'the generator of flake', 'It is 1024, and the range is 0 to 1023.' ],
	[ 65536, 1, 'sno_next()', 'the partition of sno', 'It is 65536, and the range is 0 to 65535.' ],
	[ 65536, 1, 'sno_at(now())', 'the partition of sno', 'It is 65536, and the range is 0 to 65535.' ])
{
	my ($number, $lanes, $call, $what, $detail) = @$case;
	configure(node => $number, lanes => $lanes);
	like(output_of("SELECT $call"),
		qr/ERROR:  F0000: node number of this server does not fit \Q$what\E\nDETAIL:  \Q$detail\E\nHINT:  Set/,
		"$call on node $number, $lanes lanes");
}
is($node->safe_psql('postgres', 'SELECT * FROM kid_identity()'), '65536|||0|1',
	'kid_identity() shows NULL for types that the node number does not fit');
is(output_of('SET kid.sno_partition = 1; SET kid.flake_id = 2;
		SELECT kid_node(kid96_next()), kid_partition(sno_next()), kid_generator(flake_next())'), '65536|1|2',
	'settings of single types replace a node number that does not fit');
configure(node => q{'uid@127.0.0.1'}, lanes => 1);
is(output_of('SELECT to_hex(kid_node(kid96_next())), to_hex(kid_partition(sno_next())), kid_generator(flake_next())'),
	'3eb2731|2731|0', 'with an Erlang name as node, sno uses a part of its hash, and flake 0');

# An invalid value in the file is not taken for the default, 1. Without the library PostgreSQL does not
# notice it when it reads the file.
foreach my $lanes (3, 2048, 0, 'many')
{
	$node->adjust_conf('postgresql.conf', 'kid.lanes', $lanes);
	$node->reload;
	my $detail = 'The configuration file has an invalid value for this parameter';
	like(output_of('SELECT kid_next()'), qr/ERROR:  \w{5}: parameter "kid.lanes" could not be set\nDETAIL:  $detail/,
		"kid.lanes = $lanes in the file: sessions make no ID");
}
configure(node => 1, lanes => 2);
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'kid'\n");
$node->restart;
is($node->safe_psql('postgres', 'SELECT kid_sequence(kid_next()) >= 8192'), 't', 'preloaded: IDs are in the lane');
is(configure(lanes => 1), '1|0|1', 'preloaded: a reload changes the lanes');
is(configure(lanes => 3), '1|0|1', 'preloaded: a reload with an invalid value changes nothing');
like(slurp_file($node->logfile), qr/invalid value for parameter "kid.lanes": 3/,
	'preloaded: the invalid value is in the log');
$node->stop;
ok(!$node->start(fail_ok => 1), 'preloaded: a server does not start with an invalid value');
like(slurp_file($node->logfile), qr/FATAL:  parameter "kid.lanes" could not be set/,
	'preloaded: the reason is in the log');
$node->adjust_conf('postgresql.conf', 'kid.lanes', 2);
$node->start;
is($node->safe_psql('postgres', 'SELECT node, lane, lanes FROM kid_identity()'), '1|1|2',
	'preloaded: the server starts with the corrected value');
is(configure(lanes => 4), '1|1|4', 'a reload changes the lanes before the first ID after a start');
is($node->safe_psql('postgres', 'SELECT max(id) < kid_horizon() FROM made'), 't',
	'the horizon is above all rows, although there was no ID since the start');

# The case of a setting's name does not matter. The first session after a start applies the settings.
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', undef);
$node->adjust_conf('postgresql.conf', 'kid.lanes', undef);
$node->append_conf('postgresql.conf', "KID.lanes = 2\n");
$node->restart;
{
	local $ENV{PGOPTIONS} = '-c KID.lanes=1';
	like(output_of('SELECT kid_next()'), qr/ERROR:  \w{5}: parameter "\w+.lanes" could not be set/i,
		'a session with KID.lanes in PGOPTIONS makes no ID');
}
is($node->safe_psql('postgres', 'SELECT lanes FROM kid_identity()'), '2',
	'KID.lanes in the file of the server is in force');
$node->stop;
done_testing();
