# IDs of a foreign server: postgres_fdw, told that the other server has kid, sends conditions on IDs and what builds on
# them. The other server is the same one.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Types;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nmax_parallel_workers_per_gather = 0\n"
	  # Joins are turned off here, so that the other server makes them.
	  . "enable_hashjoin = off\nenable_mergejoin = off\nenable_nestloop = off\n");
$node->start;
plan skip_all => 'postgres_fdw is not installed'
  unless $node->safe_psql('postgres', q(SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'));
my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('postgres', qq{
	CREATE EXTENSION kid;
	CREATE EXTENSION postgres_fdw;
	CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres',
		extensions 'kid', fdw_tuple_cost '10');
	CREATE USER MAPPING FOR CURRENT_USER SERVER loopback;
	CREATE TABLE days (day timestamptz PRIMARY KEY, ended timestamptz);
	INSERT INTO days VALUES ('2026-11-02', '2026-11-02 01:00'), ('2026-11-03', '2026-11-04');
	CREATE FOREIGN TABLE far_days (day timestamptz, ended timestamptz) SERVER loopback OPTIONS (table_name 'days');
	ANALYZE days});

my %makes = (
	kid64 => 'kid64_make(t, 0)',
	kid96 => 'kid96_make(t, 1, 0)',
	sno => 'sno_make(t, 0, 0, 0)',
	flake => 'flake_make(t, 0, 0, 0)',
	flax => q{flax_make(t, '\x00000000000000')});
is(join(' ', sort keys %makes), join(' ', sort(names_of())), 'the test has an ID of each type');

# Queries on TABLE, of type T: a pattern of the SQL sent, and the types and values of parameters.
my @shipped = (
	[ 'a constant range is sent', q{SELECT count(*) FROM TABLE WHERE id <@ tstzrange('2026-11-02', '2026-11-03')},
		qr/count\(\*\).*WHERE .*id OPERATOR\(public\.>=\) '/ ],
	[ 'constant instants are sent', q{SELECT count(*), min(id), max(id) FROM TABLE
		WHERE id >= timestamptz '2026-11-02' AND id < timestamptz '2026-11-03'},
		qr/count\(\*\), (?:public\.)?min\(id\).*WHERE .*id OPERATOR\(public\.>=\) '.*id OPERATOR\(public\.<=\) '/ ],
	[ 'a query for rows sends its condition', q{SELECT id FROM TABLE WHERE NOT id < timestamptz '2026-11-03 22:00'},
		qr/SELECT id FROM .*WHERE .*id OPERATOR\(public\.>=?\) '|NOT/ ],
	[ 'the first rows in order are asked for',
		q{SELECT id FROM TABLE WHERE id > timestamptz '2026-11-03' ORDER BY id LIMIT 3},
		qr/id OPERATOR\(public\.>=?\) '.*ORDER BY id ASC NULLS LAST LIMIT/ ],
	[ 'the last rows in order are asked for',
		q{SELECT id FROM TABLE WHERE id < timestamptz '2026-11-03' ORDER BY id DESC LIMIT 3},
		qr/id OPERATOR\(public\.<=?\) '.*ORDER BY id DESC NULLS FIRST LIMIT/ ],
	[ 'a range as parameter is sent', q{SELECT count(*) FROM TABLE WHERE id <@ $1},
		qr/WHERE .*T_edge\('lowest'::text, \$1.*T_edge\('highest'::text, \$1/, '(tstzrange)',
		q{'[2026-11-02,2026-11-03)'} ],
	[ 'instants as parameters are sent', q{SELECT count(*) FROM TABLE WHERE id >= $1::timestamptz AND id < $2},
		qr/WHERE .*T_edge\('lowest'::text, '>='::text, \$1.*T_edge\('highest'::text, '<'::text, \$2/,
		'(timestamptz, timestamptz)', q{'2026-11-02', '2026-11-03'} ],
	[ 'now() in a sub-select is sent', q{SELECT count(*) FROM TABLE WHERE id < (SELECT now() - interval '1 day')},
		qr/count\(\*\).*WHERE .*(?:id OPERATOR\(public\.<\) |T_compare\('<'::text, id, )\$1/ ],
	[ 'a range in a sub-select is sent',
		q{SELECT count(*) FROM TABLE WHERE id <@ (SELECT tstzrange('2026-11-02', max(day)) FROM days)},
		qr/count\(\*\).*WHERE .*(?:id OPERATOR\(public\.<@\) |public\.kid_within\(id, )\$1/ ],
	[ 'a join with a table of times is made there',
		q{SELECT count(*) FROM far_days JOIN TABLE ON id >= day AND id < ended WHERE day = '2026-11-02'},
		qr/count\(\*\).*JOIN.*T_edge\('lowest'.*T_edge\('highest'/ ],
	[ 'a join by ID is made there',
		q{SELECT count(*) FROM TABLE a JOIN TABLE b USING (id) WHERE id <@ tstzrange('2026-11-02', '2026-11-03')},
		qr/count\(\*\).*JOIN.*id OPERATOR\(public\.>=\) '/ ],
	[ 'kid_timestamp() is sent',
		q{SELECT count(DISTINCT kid_timestamp(id)) FROM TABLE WHERE kid_timestamp(id) < '2026-11-02'},
		qr/SELECT count\(DISTINCT public\.kid_timestamp\(id.*WHERE .*public\.kid_timestamp\(id/ ],
	[ 'a bound is sent', q{SELECT count(*) FROM TABLE WHERE id >= T_floor('2026-11-02') AND id <= T_ceil('2026-11-02')},
		qr/count\(\*\).*WHERE .*id OPERATOR\(public\.>=\) '/ ]);

foreach my $type (sort keys %makes)
{
	$node->safe_psql('postgres', qq{
		CREATE TABLE here_$type (id $type PRIMARY KEY);
		INSERT INTO here_$type SELECT $makes{$type}
			FROM generate_series(timestamptz '2026-11-01', '2026-11-04 23:59', '1 min') AS t;
		CREATE FOREIGN TABLE far_$type (id $type) SERVER loopback OPTIONS (table_name 'here_$type');
		ANALYZE here_$type, far_$type});
	foreach (@shipped)
	{
		my ($what, $query, $sent, $declared, $given) = @$_;
		my ($here, $far) = map { my $table = $_; $query =~ s/TABLE/$table/gr =~ s/\bT_/${type}_/gr } "here_$type",
		  "far_$type";
		my $ask = $declared ? sub { "SET plan_cache_mode = force_generic_plan; PREPARE ask $declared AS $_[1];
			$_[0] EXECUTE ask ($given)" } : sub { "$_[0] $_[1]" };
		my $plan = $node->safe_psql('postgres', $ask->('EXPLAIN (VERBOSE, COSTS off)', $far));
		my ($remote) = $plan =~ /Remote SQL: (.*)/;
		my $expected = qr/@{[ "$sent" =~ s{T_}{public.${type}_}gr ]}/;
		ok($remote =~ $expected && $plan !~ /Filter:/, "$type: $what") or diag $plan;
		is($node->safe_psql('postgres', $ask->('', $far)), $node->safe_psql('postgres', $ask->('', $here)),
			"$type: $what, with the same result as here");
	}
	# Expressions that are not sent for a timestamptz either.
	my $plan = $node->safe_psql('postgres',
		"EXPLAIN (VERBOSE, COSTS off) SELECT count(*) FROM far_$type WHERE id < now()");
	unlike($plan, qr/Remote SQL:.*WHERE/, "$type: now() itself is not sent");
}
# kid53 is a bigint, and a range of time is a range of numbers.
$node->safe_psql('postgres', q{
	CREATE TABLE here_kid53 (id bigint PRIMARY KEY);
	INSERT INTO here_kid53 SELECT kid53_make(t, 0)
		FROM generate_series(timestamptz '2026-11-01', '2026-11-04 23:59', '1 min') AS t;
	CREATE FOREIGN TABLE far_kid53 (id bigint) SERVER loopback OPTIONS (table_name 'here_kid53');
	ANALYZE here_kid53, far_kid53});
foreach (
	[ 'a constant range', q{kid53_within(id, '2026-11-02', '2026-11-03')}, qr/id >= '?\d+.*id < '?\d+/, '' ],
	[ 'constant bounds', q{id >= kid53_floor('2026-11-02')}, qr/id >= '?\d+/, '' ],
	[ 'bounds as parameters', q{id >= kid53_floor($1) AND id <= kid53_ceil($2)},
		qr/id >= public\.kid53_floor\(\$1.*id <= public\.kid53_ceil\(\$2/, q{('2026-11-02', '2026-11-03')} ],
	[ 'kid53_timestamp()', q{kid53_timestamp(id) < '2026-11-02'}, qr/public\.kid53_timestamp\(id\) </, '' ])
{
	my ($what, $condition, $sent, $given) = @$_;
	my $ask = sub {
		my ($explain, $table) = @_;
		my $query = "SELECT count(*) FROM ${table}_kid53 WHERE $condition";
		return $node->safe_psql('postgres', $given eq '' ? "$explain $query"
			: "SET plan_cache_mode = force_generic_plan; PREPARE ask (timestamptz, timestamptz) AS $query;
				$explain EXECUTE ask $given");
	};
	my $plan = $ask->('EXPLAIN (VERBOSE, COSTS off)', 'far');
	ok($plan =~ /Remote SQL: SELECT count\(\*\).*WHERE .*$sent/ && $plan !~ /Filter:/, "kid53: sent: $what")
	  or diag $plan;
	is($ask->('', 'far'), $ask->('', 'here'), "kid53: $what, with the same result as here");
}
unlike($node->safe_psql('postgres', 'EXPLAIN (VERBOSE, COSTS off) SELECT count(*) FROM far_days WHERE day < now()'),
	qr/Remote SQL:.*WHERE/, 'for a timestamptz, now() itself is not sent either');

# The setting of the session that asks applies, whatever the setting of the other server.
foreach ([ 'flake', 'kid.flake_epoch', "'1000 ms'" ], [ 'kid96', 'kid.neighborhood', 0 ])
{
	my ($type, $setting, $value) = @$_;
	my $count = "WHERE id <@ tstzrange('2026-11-02', '2026-11-03')";
	my ($far, $here) = split /\n/, $node->safe_psql('postgres',
		"SET $setting = $value; SELECT count(*) FROM far_$type $count; SELECT count(*) FROM here_$type $count");
	is($far, $here, "$type: with another $setting, the result is the same as here");
}

$node->stop;
done_testing();
