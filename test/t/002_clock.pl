# A clock that goes back, leaps ahead and stands still: libfaketime moves it under a running server. (No timeouts here:
# PostgreSQL reads the clock in their signal handler, for which libfaketime is not safe.)
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my ($libfaketime) = glob('/usr/lib/*/faketime/libfaketime.so.1');
die 'libfaketime is not installed' unless defined $libfaketime;

my $node = PostgreSQL::Test::Cluster->new('main');
my $clock_file = $node->basedir . '/clock';

# In libfaketime's words: an offset (-1h), or a moment at which the clock stands (2030-01-01 00:00:00).
sub set_clock
{
	my ($clock) = @_;
	open my $file, '>', "$clock_file.new" or die $!;
	print $file "$clock\n";
	close $file;
	rename "$clock_file.new", $clock_file or die $!;
	return;
}

set_clock('+0');
$node->init;
{
	local $ENV{LD_PRELOAD} = $libfaketime;
	local $ENV{FAKETIME_TIMESTAMP_FILE} = $clock_file;
	local $ENV{FAKETIME_NO_CACHE} = 1;
	local $ENV{FAKETIME_DONT_FAKE_MONOTONIC} = 1;
	$node->start;
}

sub sql { return $node->safe_psql('postgres', $_[0]) }

# The error of a query, with its SQLSTATE, detail and hint.
sub error_of
{
	my ($query) = @_;
	my ($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\n$query");
	isnt($status, 0, 'an error');
	return $stderr;
}

# Starts a query that will wait, and returns once it does.
sub start_waiting
{
	my ($query) = @_;
	my ($stdout, $stderr) = ('', '');
	my $session = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres'), '-c', $query ],
		'>', \$stdout, '2>', \$stderr, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	$node->poll_query_until('postgres',
		q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event IN ('Extension', 'KidSequence')})
	  or die 'the query did not wait';
	return { session => $session, stdout => \$stdout, stderr => \$stderr };
}

sub finish
{
	my ($waiting) = @_;
	$waiting->{session}->finish;
	return;
}

sql('CREATE EXTENSION kid; CREATE TABLE ids (n bigserial, id kid64 DEFAULT kid_next(), at timestamptz DEFAULT clock_timestamp())');
my $insert = 'INSERT INTO ids SELECT FROM generate_series(1, 40000)';
my $all_rise = 'SELECT count(*) FROM (SELECT id > lag(id) OVER (ORDER BY n) AS rises FROM ids) s WHERE NOT rises';

# Back by an hour: IDs go on rising from the highest time. 40000 of them take three time units, two carries.
sql($insert);
my $held = sql('SELECT kid_timestamp(max(id)) FROM ids');
set_clock('-1h');
sql($insert);
is(sql("SELECT clock_timestamp() < timestamptz '$held' - interval '59 min'"), 't', 'the clock went back');
is(sql($all_rise), '0', 'IDs go on rising');
is(sql('SELECT count(DISTINCT id) FROM ids'), '80000', 'no ID is repeated');
is( sql(qq{SELECT (count(DISTINCT kid_timestamp(id)) BETWEEN 3 AND 4) AND max(id) - '$held'::timestamptz::kid64 <= interval '4 ms'
			 FROM ids WHERE n > 40000}),
	't', 'they are of the held time, and two carries after it');

# How far the timeline is ahead of the clock does not grow, however many IDs are made: compare it before and after.
my $ahead = q{SELECT extract(epoch FROM kid_timestamp(id) - at) * 1000000 FROM ids ORDER BY n DESC LIMIT 1};
my $before = sql($ahead);
sql("$insert; $insert; $insert");
cmp_ok(sql($ahead), '<=', $before + 1024, 'carries are no faster than time passes');

# Forward again, past the held time: the clock is followed.
set_clock('+1h');
sql($insert);
is(sql($all_rise), '0', 'IDs rise when the clock is right again');
is(sql(q{SELECT max(at) - kid_timestamp(max(id)) < interval '10 ms' FROM ids}), 't', 'and tell its time');

# A clock that stands: one time unit, all of its 16384 IDs, then none.
set_clock('2030-01-01 00:00:00');
is(sql('SELECT count(DISTINCT id), count(DISTINCT kid_timestamp(id)) FROM (SELECT kid_next() AS id FROM generate_series(1, 16384)) s'),
	'16384|1', 'a time unit has 16384 IDs');
like(error_of('SET kid.max_wait = 0; SELECT kid_next()'),
	qr{ERROR:  53400: .*DETAIL:  .*"kid.max_wait".*HINT:  }s, 'kid.max_wait = 0: an error at once');

my $start = time;
like(error_of(q{SET kid.max_wait = '300ms'; SELECT kid_next()}), qr{53400: .*300 ms}s, 'kid.max_wait = 300ms: an error');
my $waited = time - $start;
cmp_ok($waited, '>=', 0.3, 'after 300 ms');
cmp_ok($waited, '<', 5, 'and not much more');

my $waiting = start_waiting('SET kid.max_wait = -1; SELECT kid_next()');
sql(q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%-1; SELECT kid_next()' AND pid <> pg_backend_pid()});
finish($waiting);
like(${ $waiting->{stderr} }, qr{57014}, 'a wait can be cancelled');

$waiting = start_waiting('SET kid.max_wait = -1; SELECT kid_timestamp(kid_next())');
set_clock('2030-01-01 00:00:01');
finish($waiting);
is(${ $waiting->{stdout} }, "2030-01-01 00:00:01+00\n", 'a wait ends when the clock moves on');

set_clock('+0');
is(sql('SELECT kid_timestamp(kid_next()) > clock_timestamp()'), 't', 'the server is well after all this');

$node->stop;
done_testing();
