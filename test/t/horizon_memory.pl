# How many sessions a horizon has memory for if kid is not preloaded, as docs/operate/run-and-watch.md
# says; with kid preloaded, any number.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION kid;
	CREATE TABLE orders (id kid64 DEFAULT kid_next());
	CREATE TRIGGER own_ids BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION kid_own_ids_trigger('id');
});
my $others = $node->safe_psql('postgres', q{SELECT sum(setting::int) + 2 FROM pg_settings
	WHERE name IN ('max_worker_processes', 'max_wal_senders',
	CASE WHEN current_setting('autovacuum_worker_slots', true) IS NULL THEN 'autovacuum_max_workers'
		ELSE 'autovacuum_worker_slots' END)});

# Restarts the server with these settings.
sub restart_with
{
	my ($connections, $prepared, $preload) = @_;
	$node->append_conf('postgresql.conf',
		"max_connections = $connections\nmax_prepared_transactions = $prepared\n"
		  . "shared_preload_libraries = '$preload'\n");
	$node->restart;
	return;
}
my @both = ('SELECT kid_horizon() IS NOT NULL', 'INSERT INTO orders DEFAULT VALUES RETURNING true');

foreach my $prepared (0, 400)
{
	my $connections = 900 - $others - 1.5 * $prepared;
	restart_with($connections, $prepared, '');
	is($node->safe_psql('postgres', $_), 't', "$connections connections and $prepared prepared transactions: $_")
	  foreach @both;
	restart_with($connections + 60, $prepared, '');
	is($node->safe_psql('postgres', 'SELECT kid_next() IS NOT NULL'), 't', 'with more, IDs are made');
	foreach my $query (@both)
	{
		my ($status, $stdout, $stderr) = $node->psql('postgres', $query);
		my $error = 'ERROR:  kid must be preloaded to know the transactions of so many sessions';
		like($stderr, qr{$error\nDETAIL:  .*\nHINT:  Add "kid" to "shared_preload_libraries"},
			"with more, an error that says what to do: $query");
	}
}
restart_with(1500, 500, 'kid');
is($node->safe_psql('postgres', $_), 't', "preloaded, with more: $_") foreach @both;

# If kid is preloaded, a session that has not used it knows the name of the lock of the horizon.
my $script = $node->basedir . '/orders.sql';
append_to_file($script, "INSERT INTO orders DEFAULT VALUES;\nSELECT kid_horizon();\n");
my ($output, $errors) = ('', '');
my $load = IPC::Run::start([ 'pgbench', '-n', '-c', 16, '-j', 2, '-T', 6, '-f', $script, $node->connstr('postgres') ],
	'>', \$output, '2>', \$errors);
my $seen = $node->safe_psql('postgres', q{
	CREATE TEMP TABLE seen (event text);
	DO $$
	BEGIN
		FOR i IN 1 .. 5000 LOOP
			INSERT INTO seen SELECT wait_event FROM pg_stat_activity
				WHERE wait_event_type = 'LWLock' AND lower(wait_event) IN ('extension', 'kidhorizon');
			PERFORM pg_stat_clear_snapshot(), pg_sleep(0.001);
		END LOOP;
	END $$;
	SELECT count(*) FILTER (WHERE event = 'KidHorizon'), count(*) FILTER (WHERE event <> 'KidHorizon') FROM seen});
$load->finish;
like($seen, qr{\|0\z}, "preloaded: waits for the horizon have a name in any session: $seen");

$node->stop;
done_testing();
