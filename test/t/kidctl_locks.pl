# kidctl makes nobody wait for longer than a moment, whatever keeps it from its locks: a VACUUM, which it
# waits for without blocking readers; an autovacuum, which gives way to it; and a query that reads a
# materialized view, which the swap makes again. Beside transactions that overlap all the time it succeeds if the user
# lets others wait for longer.
use strict;
use warnings;
use Dialogue;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server("autovacuum_naptime = 1\n");
$node->safe_psql('postgres',
	'CREATE ROLE shop LOGIN CREATEDB; GRANT SET ON PARAMETER session_replication_role TO shop');

# Makes a database with tables of `shop`, whose autovacuum is off.
sub database
{
	my ($name) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name OWNER shop");
	$node->safe_psql($name, q{
		CREATE EXTENSION kid; SET ROLE shop;
		CREATE TABLE orders (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), item text)
			WITH (autovacuum_enabled = off);
		CREATE TABLE lines (order_id bigint NOT NULL REFERENCES orders) WITH (autovacuum_enabled = off);
		CREATE MATERIALIZED VIEW report AS SELECT id, item FROM orders;
		INSERT INTO orders (item) SELECT 'tea' FROM generate_series(1, 1000);
		INSERT INTO lines SELECT id FROM orders});
	return $name;
}

# Starts kidctl as the owner of the tables of a database. Adds its command to what start_kidctl() returns.
sub start
{
	my ($database, $command, @arguments) = @_;
	my $run = start_kidctl(connection_as($node, $database, 'shop'), split(/ /, $command), @arguments);
	return { %$run, command => "kidctl $command" };
}

# Tests that kidctl succeeds.
sub ends_well
{
	my ($run) = @_;
	my ($output, $status) = finish_kidctl($run);
	is($status, 0, "$run->{command} succeeds") or diag $output;
	return;
}

# Reads and writes for three seconds. A statement that waits for a lock for longer than a limit is an error.
sub nobody_waits
{
	my ($database, $name, $limit) = @_;
	$limit //= '150ms';
	my $script = PostgreSQL::Test::Utils::tempdir . '/script';
	PostgreSQL::Test::Utils::append_to_file($script, "SET lock_timeout = '$limit';\n"
		  . "SELECT FROM orders LIMIT 1;\nINSERT INTO orders (item) VALUES ('milk');\n\\sleep 2 ms\n");
	$node->command_like([ 'pgbench', '-n', '-T', 3, '-f', $script, $node->connstr($database) ],
		qr/number of failed transactions: 0|tps/, $name);
	return;
}

# What VACUUM locks a table with
foreach my $case (
	[ 'rekey run', '--time', 'created_at' ],
	['rekey swap'], ['rekey back'],
	[ 'rekey run', '--time', 'created_at' ],
	['rekey swap'], ['rekey finish'],
	[ 'partition run', '--width', '1 day' ],
	['partition back'],
	['leave run'])
{
	my ($command, @options) = @$case;
	my $database = $node->safe_psql('postgres',
		q{SELECT EXISTS (SELECT FROM pg_database WHERE datname = 'vacuum')}) eq 't' ? 'vacuum' : database('vacuum');
	my $vacuum = open_session($node, $database);
	answer($vacuum, 'BEGIN; LOCK TABLE ONLY orders IN SHARE UPDATE EXCLUSIVE MODE;');
	my $run = start($database, "$command orders", @options);
	ok(wait_for_lock($run), "$run->{command} waits for a VACUUM");
	nobody_waits($database, 'and nobody waits behind it');
	answer($vacuum, 'COMMIT;');
	close_session($vacuum);
	ends_well($run);
}

# The swap makes the view again, which a query reads.
my $database = database('view');
ends_well(start($database, 'rekey run orders', '--time', 'created_at'));
my $reader = open_session($node, $database);
answer($reader, 'BEGIN; SELECT count(*) FROM report;');
my $run = start($database, 'rekey swap orders');
ok(wait_for_lock($run), 'rekey swap waits for a query of a view');
nobody_waits($database, 'and nobody waits behind it');
answer($reader, 'COMMIT;');
close_session($reader);
ends_well($run);

# At every moment there is a transaction that has used the table. None takes longer than two seconds. The environment
# lets kidctl give up after three attempts, and each attempt succeeds with a probability of 1 in some millions.
$database = database('overlap');
my $writers = start_writers(connection_as($node, $database, 'shop'), q{
	\set pause random(1000, 2000)
	BEGIN; INSERT INTO orders (item) VALUES ('milk');
	\sleep :pause ms
	COMMIT;}, seconds => 15, rate => 100);
$node->poll_query_until($database, q{SELECT count(*) >= 8 FROM pg_locks WHERE relation = 'orders'::regclass});
{
	local $ENV{KIDCTL_ATTEMPTS} = 3;
	my $no_lock = qr/^error: no lock after 3 attempts: each time, another .* used these tables\nhint: .* 10s:/m;
	ends_well(start($database, 'rekey run orders', qw(--new-rows-only --no-rehearsal)));
	my ($output, $status) = finish_kidctl(start($database, 'rekey swap orders'));
	is($status, 2, 'rekey swap fails beside transactions that overlap');
	like($output, $no_lock, 'and names the option');
	ends_well(start($database, 'rekey cancel orders'));
	ends_well(start($database, 'rekey run orders', qw(--new-rows-only --no-rehearsal)));
	ends_well(start($database, 'rekey swap orders', qw(--lock-timeout 5s)));
}
my ($count, $errors) = finish_writers($writers);
cmp_ok($count, '>', 8, 'there were writers') or diag $errors;
unlike($errors, qr/error|deadlock/i, 'none of which failed');

# An old snapshot keeps CREATE INDEX CONCURRENTLY waiting, and kidctl is killed. Its statement ends, and leaves an index
# that the next run makes again, although a query has locked the table.
$database = database('killed');
$reader = open_session($node, $database);
answer($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT;');
$run = start($database, 'rekey run orders', '--time', 'created_at');
ok(wait_for_lock($run), 'building an index waits for an old snapshot');
kill_kidctl($run);
my $gone =
  "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '$database' AND application_name = 'kidctl')";
ok($node->poll_query_until($database, $gone), 'its statement ends after kidctl was killed');
my $invalid = 'SELECT count(*) FROM pg_index WHERE NOT indisvalid';
is($node->safe_psql($database, $invalid), 1, 'and leaves an index');
answer($reader, 'SELECT FROM orders;');
$run = start($database, 'rekey run orders', '--time', 'created_at');
ok(wait_for_lock($run), 'the next run waits for the query');
nobody_waits($database, 'and nobody waits behind it for longer than for an attempt to lock the tables', '2s');
answer($reader, 'COMMIT;');
close_session($reader);
ends_well($run);
is($node->safe_psql($database, $invalid), 0, 'and all indexes are valid');

# The table is large for this autovacuum, which would take half an hour.
$database = database('autovacuum');
ends_well(start($database, 'rekey run orders', '--time', 'created_at'));
$node->safe_psql($database, q{
	INSERT INTO orders (item) SELECT 'milk' FROM generate_series(1, 20000); DELETE FROM lines;
	DELETE FROM orders WHERE item = 'milk';
	ALTER TABLE orders SET (autovacuum_enabled = on, autovacuum_vacuum_threshold = 1,
		autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)});
$node->poll_query_until($database,
	"SELECT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE 'autovacuum: VACUUM % public.orders')")
  or die 'no autovacuum';
my $begin = -s $node->logfile;
ends_well(start($database, 'rekey swap orders'));
like(slurp_file($node->logfile, $begin), qr/canceling autovacuum task/, 'autovacuum gives way to the swap');

done_testing();
