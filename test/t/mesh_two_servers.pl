# One server becomes two that replicate to each other and both make IDs, by the steps of
# docs/guides/many-servers.md. No ID repeats, and both have all rows. The test also shows that each step is needed:
# without it both servers make the same ID at the same instant.
# Versions: subscriptions with origin = none, from 16 on
use strict;
use warnings;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::Local qw(timegm);

# From 16 on a subscription can skip changes that came from another server, so that a row does not return.
plan skip_all => 'subscriptions with origin = none need PostgreSQL 16'
  if PostgreSQL::Test::Cluster->new('version')->pg_version < 16;

my $whole = 16384;    # sequences of a time unit
my $year = timegm(0, 0, 0, 1, 0, 2030);
my $schema = 'CREATE EXTENSION kid;
	CREATE TABLE ids (kid kid64 PRIMARY KEY DEFAULT kid_next(), kid96 kid96 UNIQUE DEFAULT kid96_next(),
		flake flake UNIQUE DEFAULT flake_next(), sno sno UNIQUE DEFAULT sno_next(), maker text NOT NULL)';

# Starts a server with a clock, and with further lines in postgresql.conf.
sub start_server
{
	my ($name, $clock, @conf) = @_;
	my $node = FakeClock->new($name);
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', join "\n", 'wal_sender_timeout = 0', 'wal_receiver_timeout = 0',
		'kid.max_wait = 0', @conf, '');
	$node->set_clock($clock);
	$node->start;
	return $node;
}

# Sets the lane. It is in force when a session has read it from the file.
sub set_lanes
{
	my ($node, $lanes, $number) = @_;
	$node->safe_psql('postgres', "LOAD 'kid'; ALTER SYSTEM SET kid.lanes = $lanes");
	$node->safe_psql('postgres', "LOAD 'kid'; ALTER SYSTEM SET kid.node = $number");
	$node->reload;
	$node->poll_query_until('postgres', "SELECT lanes = $lanes FROM kid_identity()") or die;
	return;
}

# Lets the clock run from so many seconds after the beginning of 2030.
sub run_from
{
	my ($node, $seconds) = @_;
	$node->set_clock(sprintf '+%.1fs', $year + $seconds - time);
	return;
}

# Returns IDs that a server makes.
sub take
{
	my ($node, $count) = @_;
	return split /\n/, $node->safe_psql('postgres', "SELECT kid_next()::bigint FROM generate_series(1, $count)");
}

# Returns how many IDs are in both lists.
sub common
{
	my ($some, $others) = @_;
	my %some = map { $_ => 1 } @$some;
	return scalar grep { $some{$_} } @$others;
}

# The clock of one server stands still, so that other servers can be at the same instant. Without the first two steps a
# second server repeats its earlier IDs, and those it makes now.
my $a = start_server('a', '2030-01-01 00:00:00');
$a->safe_psql('postgres', $schema);
my @alone = take($a, $whole - 1000);
my $hasty = start_server('hasty', '2030-01-01 00:00:00', 'kid.lanes = 2', 'kid.node = 1');
$hasty->safe_psql('postgres', $schema);
is(common(\@alone, [ take($hasty, 100) ]), 100,
	'a new server whose clock is behind repeats IDs that the old one made before it had a lane');
$_->set_clock('2030-01-01 00:00:01') foreach $a, $hasty;
is(common([ take($a, $whole - 1000) ], [ take($hasty, 100) ]), 100,
	'a new server repeats IDs of the old one while that has no lane');

# First the old server gets a lane. Then the new server begins above all IDs that the old one made before.
$_->set_clock('2030-01-01 00:00:02') foreach $a, $hasty;
set_lanes($a, 2, 0);
my ($last) = take($a, 1);
is(common([ take($a, 8000) ], [ take($hasty, 8000) ]), 0, 'two servers in two lanes make no common ID');
$hasty->stop('immediate');
my $b = start_server('b', '2030-01-01 00:00:00', 'kid.lanes = 2', 'kid.node = 1');
$b->safe_psql('postgres', $schema);
$b->safe_psql('postgres', "SELECT kid_observe(kid64_ceil(kid_timestamp(${last}::bigint::kid64)))");
like(error_of('SELECT kid_next()', node => $b), qr{53400},
	'the new server makes no ID up to the last time unit of the old one');

# Each server subscribes to the other. PostgreSQL needs a running clock to begin that.
run_from($_, 3) foreach $a, $b;
$a->safe_psql('postgres', "INSERT INTO ids (kid, maker) VALUES ('$alone[0]'::bigint, 'alone')");
$_->safe_psql('postgres', 'CREATE PUBLICATION everything FOR TABLE ids') foreach $a, $b;

# Subscribes a server to the other one, with or without a copy of the rows.
sub subscribe
{
	my ($node, $other, $copy) = @_;
	my ($name, $from) = ($node->name, $other->connstr . ' dbname=postgres');
	$node->safe_psql('postgres', "CREATE SUBSCRIPTION to_$name CONNECTION '$from' PUBLICATION everything
				WITH (origin = none, copy_data = $copy, disable_on_error = true)");
	return;
}
subscribe($b, $a, 'true');
subscribe($a, $b, 'false');

# Tests that both servers have all rows and the same ones, and that no ID repeats.
sub compare
{
	my ($name, $count) = @_;
	my $all = 'SELECT count(*), count(DISTINCT kid), count(DISTINCT kid96), count(DISTINCT flake), count(DISTINCT sno)
		FROM ids';
	my $digest = "SELECT md5(string_agg(ids::text, '' ORDER BY kid)) FROM ids";
	$a->wait_for_subscription_sync($b, 'to_a');
	$b->wait_for_subscription_sync($a, 'to_b');
	is($_->safe_psql('postgres', $all), join('|', ($count) x 5),
		"$name: " . $_->name . ' has all rows, and no ID repeats')
	  foreach $a, $b;
	is($a->safe_psql('postgres', $digest), $b->safe_psql('postgres', $digest),
		"$name: both servers have the same rows");
	return;
}

compare('the first row', 1);

# Both servers at one instant, in one time unit.
$_->set_clock('2030-01-01 01:00:00') foreach $a, $b;
$a->safe_psql('postgres', "INSERT INTO ids (maker) SELECT 'a' FROM generate_series(1, 4000)");
$b->safe_psql('postgres', "INSERT INTO ids (maker) SELECT 'b' FROM generate_series(1, 4000)");
run_from($_, 3601) foreach $a, $b;
compare('at one instant', 8001);

# Both servers at the same time, one of them half a second behind.
run_from($b, 3600.5);
$_->append_conf('postgresql.conf', "kid.max_wait = '20s'") foreach $a, $b;
$_->reload foreach $a, $b;
my @load = map {
	my $script = $_->basedir . '/load.sql';
	append_to_file($script, "INSERT INTO ids (maker) SELECT '" . $_->name . "' FROM generate_series(1, 10);\n");
	IPC::Run::start([ 'pgbench', '-n', '-c', '4', '-t', '200', '-f', $script, '-d', $_->connstr('postgres') ],
		'>', \my $stdout, '2>', \my $stderr);
} $a, $b;
ok($_->finish, 'clients insert on a server without an error') foreach @load;
compare('both servers with clients at the same time', 24001);

# Lanes are removed again: the server that stays uses the whole sequence again, and begins above the last IDs of the
# other. A server that does not do so repeats IDs of the same instant.
$_->set_clock('2030-01-01 01:30:00') foreach $a, $b;
my @last = take($b, 1000);
my $forgetful = start_server('forgetful', '2030-01-01 01:30:00');
$forgetful->safe_psql('postgres', $schema);
is(common(\@last, [ take($forgetful, $whole) ]), 1000,
	'a server with the whole sequence repeats what the other one made in its lane');
$forgetful->stop('immediate');
$a->safe_psql('postgres', "SELECT kid_observe(kid64_ceil(kid_timestamp(${\ $last[-1]}::bigint::kid64)))");
set_lanes($a, 1, 0);
like(error_of('SET kid.max_wait = 0; SELECT kid_next()', node => $a), qr{53400},
	'the server that stays makes no ID up to the last time unit of the other');

# Without lanes both servers make the same ID at one instant, and replication stops.
sub change_subscriptions
{
	my ($how) = @_;
	$_->safe_psql('postgres', 'ALTER SUBSCRIPTION to_' . $_->name . " $how") foreach $a, $b;
	return;
}
change_subscriptions('DISABLE');
foreach my $node ($a, $b)
{
	set_lanes($node, 1, $node->name eq 'a' ? 0 : 1);
	$node->set_clock('2030-01-01 02:00:00');
	$node->safe_psql('postgres', sprintf("INSERT INTO ids (maker) VALUES ('%s')", $node->name));
}
my $greatest = 'SELECT max(kid) FROM ids';
is($a->safe_psql('postgres', $greatest), $b->safe_psql('postgres', $greatest),
	'without lanes both servers make the same ID');
change_subscriptions('ENABLE');
run_from($_, 7201) foreach $a, $b;
foreach my $node ($a, $b)
{
	ok($node->poll_query_until('postgres', 'SELECT apply_error_count = 1 AND NOT subenabled FROM pg_subscription
			JOIN pg_stat_subscription_stats ON subid = oid'),
		'without lanes: replication to ' . $node->name . ' stops');
	# The first message is that of versions before 18.
	ok(slurp_file($node->logfile)
		  =~ qr{duplicate key value violates unique constraint "ids_pkey"|conflict=insert_exists},
		'without lanes: replication stopped because of the same ID');
}

$_->stop('immediate') foreach $a, $b;
done_testing();
