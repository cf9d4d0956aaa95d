# Windows of a worker number do not overlap when the clock of the server goes back, when a standby is promoted that
# lacks windows, with a wait for a synchronous standby that is canceled, and in a copy of the database.
# Promise: Worker numbers that PostgreSQL leases
# Versions: timelines, and waits for a standby
use strict;
use warnings;
use Dialogue;
use Failure;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Workers;

my @windows;

# Leases a number, and remembers its window.
sub leased
{
	my ($pool, $of, $ttl) = @_;
	my $reply = $of ? renew($pool, $of, 'app', $ttl) : lease("'$pool'" . ($ttl ? ", ttl => $ttl" : ''));
	push @windows, { %$reply, pool => $pool };
	return $reply;
}

# Adds a pool with the numbers from 1 on.
sub add
{
	my ($pool, $last) = @_;
	sql("SELECT kid.kid_add_workers('$pool', 1, $last, 'flake', fresh => true)");
	return;
}

my $primary = FakeClock->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "lc_messages = 'C'\ntimezone = 'UTC'\n");
$primary->start;
use_database($primary);
sql("CREATE ROLE app LOGIN; CREATE ROLE holder LOGIN; $install;
	GRANT EXECUTE ON PROCEDURE kid.kid_lease_worker TO app");

# The clock goes back by two seconds: the next window still begins where the last one ended.
add('back', 1);
my $first = leased('back', undef, 8);
$primary->set_clock('-2s');
my $second = leased('back', $first);
is($second->{since}, $first->{until}, 'two seconds back: the next window begins where the last one ended');
cmp_ok($second->{now}, '<', $first->{now}, 'though the clock is behind');
$primary->set_clock('-1h');
like(lease_error("'back', 1, '$second->{token}'"), qr/^55000: it is too early to renew worker number 1\n/,
	'an hour back: a number is not renewed');
like(lease_error(q{'back'}), qr/^53400: no worker number/, 'nor leased by another process');
$primary->set_clock('+40s');
my $third = leased('back', $second);
cmp_ok($third->{since}, '>=', $second->{until}, 'the clock is right again: the number is leased again');
cmp_ok($third->{since}, '>', $second->{until} + 1000, 'from now on');

# A clock that was ahead takes numbers away, until it gets there.
add('ahead', 2);
$primary->set_clock('+5d');
my $ahead = leased('ahead');
$primary->set_clock('+41s');
is(sql("SELECT state FROM kid.kid_workers() WHERE pool = 'ahead' AND number = $ahead->{number}"), 'ahead',
	'kid_workers() shows a number that was leased by a clock that was ahead');
isnt(leased('ahead')->{number}, $ahead->{number}, 'another number is leased');
like(lease_error(q{'ahead'}), qr/^53400: no worker number/, 'and not the one that is ahead');

# A copy of the database, and a restored dump.
my $offset = 50;
my $state =
  q{SELECT string_agg(concat(pool, number, until, closed), ' ' ORDER BY pool, number) FROM kid_workers.numbers};

# Checks that a copy of the database leases nothing until its owner adopts it, and then begins after all windows.
sub check_copy
{
	my ($database, $owner, $number_of_windows) = @_;
	my $in = { database => $database };
	my $refused = qr/^55000: pool "copied" comes from another database, .*\nHINT:  If no .*kid_adopt_workers\(\)/;
	like(lease_error(q{'copied'}, 'app', %$in), $refused, "$database: leases nothing");
	like(lease_error(q{'copied'}, 'app', %$in), $refused, "$database: nor later");
	my $states = q{SELECT string_agg(DISTINCT state, ' ') FROM kid.kid_workers() WHERE pool = 'copied'};
	is(sql_in($database, $states), 'closed unadopted', "$database: as kid_workers() shows");
	is(sqlstates_of(q{SELECT kid.kid_adopt_workers('copied')}, role => 'app', %$in),
		'42501', "$database: app may not adopt it");
	my $latest = sql_in($database, q{SELECT max(until) FROM kid_workers.numbers WHERE pool = 'copied'});
	is(sql(q{SELECT kid.kid_adopt_workers('copied')}, role => $owner, %$in), '', "$database: its owner may");
	like(lease_error(q{'copied'}, 'app', %$in), qr/^53400: no worker number/, "$database: then all numbers wait");
	is(sql_in($database, $states), 'closed postponed', "$database: as kid_workers() shows");
	$primary->set_clock('+' . ($offset += 60) . 's');
	my $reply = lease(q{'copied'}, 'app', %$in);
	cmp_ok($reply->{since}, '>=', $latest + 25_000, "$database: it leases when earlier windows have ended");
	return;
}
add('copied', 3);
sql(q{SELECT kid.kid_close_workers('copied', 3, 3)});
leased('copied') foreach 1, 2;
sql('CREATE DATABASE copy TEMPLATE postgres');
check_copy('copy', 'holder') if sql('ALTER DATABASE copy OWNER TO holder') eq '';

sql("CREATE DATABASE $_ OWNER holder") foreach qw(shop restored);
sql($install . q{; GRANT EXECUTE ON PROCEDURE kid.kid_lease_worker TO app;
	SELECT kid.kid_add_workers('copied', 1, 3, 'flake', fresh => true, max_ttl => 10);
	SELECT kid.kid_close_workers('copied', 3, 3)}, role => 'holder', database => 'shop');
lease(q{'copied'}, 'app', database => 'shop') foreach 1, 2;
my $dump = $primary->basedir . '/shop.dump';
$primary->command_ok(
	[ 'pg_dump', '-U', 'holder', '-Fc', '-f', $dump, '-d', $primary->connstr('shop') ],
	'the owner of the database can dump it');
$primary->command_ok(
	[ 'pg_restore', '-U', 'holder', '--exit-on-error', '--no-acl', '-d', $primary->connstr('restored'), $dump ],
	'and restore the dump, without rights');
sql('GRANT USAGE ON SCHEMA kid TO PUBLIC; GRANT EXECUTE ON PROCEDURE kid.kid_lease_worker TO app', role => 'holder',
	database => 'restored');
is(sql_in('restored', $state), sql_in('shop', $state), 'with all numbers');
check_copy('restored', 'holder');

# In the original nothing has changed.
my $again = leased('copied');
cmp_ok($again->{number}, '<', 3, 'the original leases');

# A standby that lacks windows is promoted. Its clock is four seconds behind, less than the margin of five.
add('failover', 6);
leased('failover') foreach 1 .. 3;
$primary->backup('base');
my $standby = FakeClock->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->set_clock('+' . ($offset - 4) . 's');
$standby->start;
my $known = leased('failover');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('insert'));
like(lease_error(q{'failover'}, 'app', node => $standby), qr/^25006: cannot lease .*\nHINT:  Connect to the primary/,
	'a standby leases nothing');
is(sql(q{SELECT count(*) FROM kid.kid_workers() WHERE state = 'unadopted'}, node => $standby),
	0, 'but its pools do not have to be adopted');
$standby->stop;
my $lost = leased('failover', $known);    # the standby never gets this window, nor that of another number
my $other = leased('failover');
kill_server($primary);
$standby->append_conf('postgresql.conf', "primary_conninfo = ''");
$standby->start;
$standby->promote;
use_database($standby);
like(lease_error("'failover', $known->{number}, '$known->{token}'"), qr/^53400: no worker number/,
	'promoted: no number is renewed');
my $postponed = sql($state);
is(sql(q{SELECT string_agg(DISTINCT state, ' '), min(until - clock_timestamp()) > interval '10 s'
	FROM kid.kid_workers() WHERE pool = 'failover'}), 'postponed|t', 'all numbers are postponed');
like(lease_error(q{'failover'}), qr/^53400: no worker number/, 'nor is one leased') foreach 1 .. 3;
is(sql($state), $postponed, 'and postponed once: calls that fail do not begin anew');
$standby->set_clock('+' . ($offset + 5) . 's');
like(lease_error(q{'failover'}), qr/^53400: no worker number/, 'some seconds later, too');
$standby->set_clock('+' . ($offset + 40) . 's');
my @after = map { leased('failover') } 1 .. 6;
is_deeply([ sort map { $_->{number} } @after ], [ 1 .. 6 ], 'after that all numbers are leased');
my @overlapping = overlapping(@windows);
ok(!@overlapping, 'no window overlaps with another of its number') or diag explain \@overlapping;
$standby->stop('immediate');

# A commit that waits for a synchronous standby. If the wait is canceled, the procedure waits again.
$primary = FakeClock->new('synchronous');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "lc_messages = 'C'\n");
$primary->start;
use_database($primary);
sql("CREATE ROLE app LOGIN; $install; GRANT EXECUTE ON PROCEDURE kid.kid_lease_worker TO app");
add('waits', 5);
$primary->backup('base');
$standby = FakeClock->new('confirms');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->append_conf('postgresql.conf', "synchronous_standby_names = 'confirms'\n");
$primary->reload;
$primary->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
  or die;
like(leased('waits')->{number}, qr/^[1-5]$/, 'leases with a synchronous standby');
$standby->stop;

my $session = open_session($primary);
answer($session, 'SET ROLE app; SET synchronous_commit = off;');
ask($session, q{CALL kid.kid_lease_worker('waits');});

# Returns the transaction in which the session waits for the standby, other than that before.
sub waiting
{
	my ($before) = @_;
	my $xid = "SELECT backend_xid FROM pg_stat_activity WHERE pid = $session->{pid} AND wait_event = 'SyncRep'";
	$primary->poll_query_until('postgres', "SELECT count(*) = 1 FROM ($xid AND backend_xid <> '$before') AS x") or die;
	return sql($xid);
}
my $xid = waiting(0);
is(sql("SELECT pg_cancel_backend($session->{pid})"), 't', 'a wait for the standby is canceled');
isnt(waiting($xid), $xid, 'and the procedure waits again, in a transaction of its own');
$session->{handle}->pump_nb;
unlike($session->{output}, qr/[|]/, 'it has told nothing');
$standby->start;
my $told = answer($session);
like($told, qr/WARNING:  01000: canceling wait for synchronous replication/, 'there is a warning');
like($told, qr/^\d\|\S{36}\|\d+000\|/m, 'and a window, when the standby has it');
my ($number, $token) = $told =~ /^(\d)\|(\S{36})/m;
is($standby->safe_psql('postgres',
		"SELECT count(*) FROM kid_workers.numbers WHERE number = $number AND token = '$token'"),
	'1', 'which is on the standby');
close_session($session);

# The second commit writes to no number that anybody can lease, so that no transaction can lock such numbers.
my $short = lease(q{'waits', ttl => 1});
$primary->set_clock('+2s');
like(error_of("SELECT kid_workers.wait_again('waits', $short->{number})", role => 'app'),
	qr/^55000: the window of worker number $short->{number} has ended before standbys confirmed it/,
	'a number whose window has ended is not written to');
done_testing();
