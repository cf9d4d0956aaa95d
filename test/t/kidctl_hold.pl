# Of two kidctl that would work on one move at the same time, the second ends with an error that names the first. Nobody
# but the owner can keep a move from going on, and the first keeps nothing from VACUUM.
use strict;
use warnings;
use Dialogue;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server;
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN CREATEDB; CREATE ROLE tenant LOGIN;
	GRANT SET ON PARAMETER session_replication_role TO app');
$node->safe_psql('postgres', 'CREATE DATABASE one OWNER app');
# What the owner gives others by default is not given to them here.
$node->safe_psql('one', q{
	CREATE EXTENSION kid; SET ROLE app; ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO tenant;
	ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO tenant;
	CREATE SCHEMA app;
	CREATE TABLE app.orders (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	INSERT INTO app.orders SELECT FROM generate_series(1, 100);
	CREATE TABLE app.events (id kid64 PRIMARY KEY DEFAULT kid_next());
	CREATE TABLE app.parted (id kid64 PRIMARY KEY DEFAULT kid_next()) PARTITION BY RANGE (id);
	CREATE TABLE app.rest PARTITION OF app.parted DEFAULT;
	INSERT INTO app.parted DEFAULT VALUES;
	CREATE TABLE app.leaving (id kid64 PRIMARY KEY DEFAULT kid_next())});
my $owner = connection_as($node, 'one', 'app');

my $holder = q{SELECT pid FROM pg_locks JOIN pg_class AS c ON c.oid = relation
	WHERE relname = 'running' AND mode = 'ExclusiveLock' AND granted};
my $schemas = q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'};
my $waiting = q{SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'kidctl'
	AND wait_event_type = 'Lock'};

# Starts a kidctl that has the lock of its move and waits for that of a table, which another session has.
sub start_waiting
{
	my ($reader, $table, @words) = @_;
	answer($reader, "BEGIN; LOCK TABLE $table IN SHARE UPDATE EXCLUSIVE MODE;");
	my $first = start_kidctl($owner, @words);
	$node->poll_query_until('one', "SELECT EXISTS ($holder) AND ($waiting)")
	  or die "kidctl does not wait: ${ $first->{output} }";
	return $first;
}

my $reader = open_session($node, 'one');
my @run = qw(rekey run app.orders --time made);
my $first = start_waiting($reader, 'app.orders', @run);
my $pid = $node->safe_psql('one', $holder);
foreach (\@run, map { [ 'rekey', $_, 'app.orders' ] } qw(cancel))
{
	my ($output, $status) = run_kidctl($owner, @$_);
	is($status, 2, "a second kidctl @$_[0, 1] ends with an error");
	my $other = qr/process $pid, application kidctl, role app, since 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\S*/;
	like($output, qr/^error: another kidctl works on this move: $other\nhint: Wait /m,
		'which tells who works on the move, and since when');
}
is($node->safe_psql('one', "SELECT concat(backend_xid, backend_xmin) FROM pg_stat_activity WHERE pid = $pid"), '',
	'the lock keeps no row from VACUUM');
my ($schema) = $node->safe_psql('one', q{SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kidctl%'});
foreach ('ACCESS SHARE', 'EXCLUSIVE')
{
	like(error_of("BEGIN; LOCK TABLE $schema.running IN $_ MODE", database => 'one', role => 'tenant'),
		qr/permission denied for schema $schema/, "another role cannot take a lock: $_");
}

# The session that has the lock is ended, as an administrator may do to one that is idle in a transaction.
$node->safe_psql('one', "SELECT pg_terminate_backend($pid)");
answer($reader, 'COMMIT;');
my ($output, $status) = finish_kidctl($first);
is($status, 2, 'without its lock kidctl goes not on to the next step') or diag($output);
like($output, qr/^hint: Run the same command again to go on\.$/m, 'and says what to do');
unlike($output, qr/^fill/m, 'which is to fill rows');
($output, $status) = run_kidctl($owner, qw(rekey cancel app.orders));
is($status, 0, 'and another kidctl can take that back') or diag($output);
is($node->safe_psql('one', $schemas), 0, 'all of it');

# A move that is interrupted before it has begun, while a dump reads all tables, also that of the lock
$first = start_waiting($reader, 'app.orders', @run);
my $dump = open_session($node, 'one');
answer($dump, "BEGIN; LOCK TABLE $schema.running IN ACCESS SHARE MODE;");
$first->{handle}->signal('INT');
ok($node->poll_query_until('one',
		q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'kidctl')}),
	'an interrupted kidctl waits for no dump');
close_session($dump);
answer($reader, 'COMMIT;');
finish_kidctl($first);

# A kidctl that is killed
$first = start_waiting($reader, 'app.orders', @run);
kill_kidctl($first);
$node->poll_query_until('one', "SELECT NOT EXISTS ($holder)") or die 'the lock remains';
answer($reader, 'COMMIT;');

# Two that begin at the same time
my @both = map { start_kidctl($owner, @run) } 1, 2;
my @ended = map { [ finish_kidctl($_) ] } @both;
my @good = grep { $_->[1] == 0 } @ended;
my ($bad) = grep { $_->[1] != 0 } @ended;
cmp_ok(scalar @good, '>=', 1, 'of two that begin at the same time one goes on') or diag(map { $_->[0] } @ended);
like($bad ? $bad->[0] : 'error: another kidctl', qr/^error: another kidctl /m,
	'and the other one does not, unless it is later');
($output, $status) = run_kidctl($owner, qw(rekey swap app.orders));
is($status, 0, 'the move is whole') or diag($output);
($output, $status) = run_kidctl($owner, qw(rekey finish app.orders));
is($node->safe_psql('one', q{SELECT count(*) FROM app.orders WHERE kid_timestamp(id) = made}), 100,
	'and no row is without its key');

# Kidctl that are killed before their moves begin, which only a way back can notice
foreach ([ 'app.events', [ qw(partition run app.events --width), '1 month' ], [qw(partition back app.events)] ],
	[ 'app.rest', [ qw(partition move app.parted --width), '1 month' ], [qw(partition cancel app.parted)] ])
{
	my ($table, $begin, $end) = @$_;
	$first = start_waiting($reader, $table, @$begin, '--no-rehearsal');
	my $began = $node->safe_psql('one', $holder);
	kill_kidctl($first);
	answer($reader, 'COMMIT;');
	$node->poll_query_until('one', "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $began)")
	  or die 'the session remains';
	is($node->safe_psql('one', $schemas), 1, "@$begin[0, 1] is killed: its schema is left");
	my ($left) = $node->safe_psql('one', q{SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kidctl%'});
	$dump = open_session($node, 'one');
	answer($dump, "BEGIN; LOCK TABLE $left.running IN ACCESS SHARE MODE;");
	($output, $status) = run_kidctl($owner, @$end);
	like($output, qr/^error: no move .*has begun/, "@$end[0, 1] says so while a dump is made, too");
	close_session($dump);
	($output, $status) = run_kidctl($owner, @$end);
	like($output, qr/^error: no move .*has begun/, "@$end[0, 1] says that the move has not begun");
	is($node->safe_psql('one', $schemas), 0, 'and drops what is left');
}

# A signal that comes between the creation of the schema and its lock
($output, $status) = run_in_place_of_kidctl(<<'PYTHON', $owner, qw(partition run app.events --width), '1 month');
import signal, sys
from pgkid.ctl import cli, hold
lock = hold.Hold.lock
def interrupted(self, session):
    hold.Hold.lock = lock
    signal.raise_signal(signal.SIGTERM)
hold.Hold.lock = interrupted
sys.exit(cli.main(sys.argv[1:]))
PYTHON
is($status, 128 + 15, 'a signal comes before kidctl has its lock') or diag($output);
is($node->safe_psql('one', $schemas), 0, 'and no schema is left');

# An administrator who ends the session with the lock before the move has begun
($output, $status) = run_in_place_of_kidctl(<<'PYTHON', $owner, qw(partition run app.events --width), '1 month');
import sys
from pgkid.ctl import cli, hold
check = hold.Hold.check
def ended(self):
    self.conn.execute("SELECT pg_terminate_backend(%s, 10000)", (self.session.info.backend_pid,))
    check(self)
hold.Hold.check = ended
sys.exit(cli.main(sys.argv[1:]))
PYTHON
is($status, 2, 'the session with the lock is ended') or diag($output);
is($node->safe_psql('one', $schemas), 0, 'and no schema is left');

# The other moves
foreach ([ 'app.events', [ qw(partition run app.events --width), '1 month' ] ],
	[ 'app.rest', [ qw(partition move app.parted --width), '1 month' ] ],
	[ 'app.leaving', [qw(leave run app.leaving)] ])
{
	my ($table, $begin) = @$_;
	$first = start_waiting($reader, $table, @$begin);
	($output, $status) = run_kidctl($owner, @$begin);
	like($output, qr/^error: another kidctl works on this move: process \d+/m, "a second kidctl @$begin[0, 1]");
	answer($reader, 'COMMIT;');
	($output, $status) = finish_kidctl($first);
	is($status, 0, 'and the first one ends well') or diag($output);
}
close_session($reader);
done_testing();
