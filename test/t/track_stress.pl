# Consumers that read a table up to kid_horizon(table) miss no row, while 16 sessions write in ways in which a
# transaction may commit after one with a later ID. kid_track() is called while they write, and consumers begin
# afterwards. A consumer that does not use the horizon misses rows meanwhile. In both editions.
#
# KID_SECONDS is how long the sessions write.
use strict;
use warnings;
use Dialogue;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $temporary = PostgreSQL::Test::Utils::tempdir;
my $seconds = int(($ENV{KID_SECONDS} || 60) / 2);
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_prepared_transactions = 10\n");
$node->start;
my $script = assemble('kid-track');

# pgbench's scripts, each with its weight.
my $insert = 'INSERT INTO events DEFAULT VALUES;';
my $wait = "\\set ms random(0, 5)\n\\sleep :ms ms\n";
my %writers = (
	'short@60' => $insert,
	'many@5' => 'INSERT INTO events (what) SELECT i FROM generate_series(1, 20) AS i;',
	'slow@5' => "BEGIN;\n$insert\n${wait}COMMIT;",
	'long@1' => "BEGIN;\n$insert\nSELECT pg_sleep(0.1);\n$insert\nCOMMIT;",
	'own_draw@5' => "BEGIN;\n$insert\n${wait}INSERT INTO events VALUES (nextval('events_id_seq'));\nCOMMIT;",
	'rolled_back@5' => "BEGIN;\n$insert\n${wait}ROLLBACK;",
	'savepoints@5' =>
	  "BEGIN;\nSAVEPOINT a;\n$insert\nROLLBACK TO a;\nSAVEPOINT b;\n$insert\n${wait}RELEASE b;\n$insert\nCOMMIT;",
	'prepared@5' =>
	  "BEGIN;\n$insert\nPREPARE TRANSACTION 'writer :client_id';\n${wait}COMMIT PREPARED 'writer :client_id';",
	'prepared_in_vain@2' =>
	  "BEGIN;\n$insert\nPREPARE TRANSACTION 'writer :client_id';\n${wait}ROLLBACK PREPARED 'writer :client_id';",
	'slow_statement@5' => 'INSERT INTO events (what) VALUES (pg_sleep(random() * 0.005)::text);',
	'two_tables@5' => "BEGIN;\nINSERT INTO others DEFAULT VALUES;\n$insert\n${wait}COMMIT;",
	'serializable@2' => "BEGIN ISOLATION LEVEL SERIALIZABLE;\n$insert\n${wait}COMMIT;");

foreach my $edition ('extension', 'plain SQL')
{
	my $database = $edition =~ s/ .*//r;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, $edition eq 'extension' ? 'CREATE SCHEMA kid; CREATE EXTENSION kid SCHEMA kid'
		: "\\i $script");
	$node->safe_psql($database, q{
		CREATE TABLE events (id bigserial PRIMARY KEY, what text);
		CREATE TABLE others (id bigserial PRIMARY KEY, what text);
		CREATE TABLE seen (consumer text, id bigint);
		CREATE TABLE writers (ended boolean);
		INSERT INTO writers VALUES (false);
		SELECT kid.kid_track('others')});
	my @write = ('pgbench', '-n', '-c', 16, '-j', 2, '-R', 400, '-h', $node->host, '-p', $node->port,
		map { append_to_file("$script.$database." . s/@.*//r, $writers{$_}); ('-f', "$script.$database.$_") }
		  sort keys %writers);
	my $output = '';
	my $pgbench = IPC::Run::start([ @write, '-T', int($seconds / 3), $database ], '>', \$output, '2>&1');
	# On a machine that stalls, pgbench may end before it has written as many rows.
	$pgbench->pump_nb until !$pgbench->pumpable
	  || $node->safe_psql($database, 'SELECT count(*) > 100 FROM events') eq 't';
	my $tries = 1;
	$tries++
	  while $tries < 1000 && $node->psql($database, q{SET lock_timeout = '50ms'; SELECT kid.kid_track('events')}) != 0;
	cmp_ok($tries, '<', 1000, "$edition: the table is tracked at try $tries");
	my %condition = (naive => '', busy => 'AND id < h', slow => 'AND id < h');
	my @sessions = map { start_script($node, qq{
		\\connect $database
		\\set ON_ERROR_STOP 1
		CREATE PROCEDURE $_() LANGUAGE plpgsql AS \$\$
		DECLARE
			last bigint := 0;
			h bigint;
			ids bigint[];
			over boolean;
		BEGIN
			LOOP
				PERFORM pg_sleep(0.002);
				SELECT ended INTO over FROM writers;
				CALL kid.kid_horizon('events', h);
				PERFORM pg_sleep(random() * 0.01) WHERE '$_' = 'slow';
				SELECT array_agg(id ORDER BY id) INTO ids FROM events WHERE id > last $condition{$_};
				INSERT INTO seen SELECT '$_', unnest(ids);
				EXIT WHEN over AND ids IS NULL;
				last := coalesce(ids[cardinality(ids)], last);
				COMMIT;
			END LOOP;
		END \$\$;
		CALL $_();
		SELECT 'done';
	}) } sort keys %condition;
	$pgbench->finish;
	$node->command_ok([ @write, '-T', int($seconds / 3 * 2), $database ], '16 sessions write');
	$node->safe_psql($database, 'UPDATE writers SET ended = true');
	wait_for_output($_, qr/^done$/m) foreach @sessions;
	$_->{handle}->finish foreach @sessions;
	my %missed = map { $_ => $node->safe_psql($database, "SELECT count(*) FROM events
			WHERE id NOT IN (SELECT id FROM seen WHERE consumer = '$_')") } sort keys %condition;
	note $node->safe_psql($database, 'SELECT count(*) FROM events'), ' rows';
	cmp_ok($missed{naive}, '>', 0, "without the horizon a consumer missed $missed{naive} rows");
	is($missed{$_}, 0, "consumer '$_' missed no row") foreach 'busy', 'slow';
}
done_testing();
