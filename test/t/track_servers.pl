# kid_track() on several servers: a promoted standby, where prepared transactions still hold the horizon back, and
# logical replication from and to a tracked table, and crashes that lose rows and cursors.
use strict;
use warnings;
use Failure;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', "max_prepared_transactions = 10\nlc_messages = 'C'\n");
$node->start;
my $tables = q{CREATE SCHEMA kid; CREATE EXTENSION kid SCHEMA kid;
	CREATE TABLE events (id bigserial PRIMARY KEY, what text); SELECT kid.kid_track('events', reject => true)};
my $row = q{INSERT INTO events (what) VALUES ('a')};
my $horizon = q{CALL kid.kid_horizon('events')};
$node->safe_psql('postgres', $tables);

# Logical replication: rows go out as ever, and rows that come in are neither rejected nor covered.
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init(allows_streaming => 'logical');
$subscriber->start;
$subscriber->safe_psql('postgres', $tables);
$node->safe_psql('postgres', 'CREATE PUBLICATION p FOR TABLE events');
$subscriber->safe_psql('postgres',
	q{CREATE SUBSCRIPTION s CONNECTION $c$} . $node->connstr('postgres') . q{$c$ PUBLICATION p});
$subscriber->wait_for_subscription_sync($node, 's');
$node->safe_psql('postgres', "$row; $row");
$node->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', 'SELECT string_agg(id::text, \',\') FROM events'), '1,2',
	'a subscriber gets the rows');
is($subscriber->safe_psql('postgres', $horizon), 0, 'which its horizon does not cover');
is($node->safe_psql('postgres', $horizon), 3, 'that of the publisher does');
$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION s');
$subscriber->stop;

my $standby = PostgreSQL::Test::Cluster->new('standby');
$node->backup('base');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->safe_psql('postgres', "BEGIN; $row; PREPARE TRANSACTION 'p'; $row");
$node->wait_for_catchup($standby, 'replay', $node->lsn('flush'));
my ($code, $stdout, $stderr) = $standby->psql('postgres', $horizon, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
like($stderr, qr/ERROR:  25006: table public\.events has no horizon on a standby/, 'a standby has no horizon');
$node->stop('immediate');
$standby->promote;
is($standby->safe_psql('postgres', $horizon), 3, 'after a promotion a prepared transaction holds it back');
is($standby->safe_psql('postgres', "SELECT gid FROM kid.kid_track_holders('events')"), 'p', 'and is listed');
$standby->safe_psql('postgres', $row);
is($standby->safe_psql('postgres', $horizon), 3, 'also after a row');
$standby->safe_psql('postgres', q{COMMIT PREPARED 'p'});
is($standby->safe_psql('postgres', "$horizon;") > $standby->safe_psql('postgres', 'SELECT max(id) FROM events'), 1,
	'until it ends');

# A crash loses a row that a consumer has seen, and gives its ID to another. A cursor in the same database is
# lost with the row, or keeps the row, however it was committed: its commit is later in WAL. The walsender
# and the writer of WAL must not flush it.
my $primary = PostgreSQL::Test::Cluster->new('crashing');
$primary->init;
$primary->append_conf('postgresql.conf', "synchronous_commit = off\nwal_writer_delay = 10s\n");
foreach my $kept ('elsewhere', 'off', 'on')
{
	$primary->start;
	$primary->safe_psql('postgres', "DROP EXTENSION IF EXISTS kid CASCADE; DROP SCHEMA IF EXISTS kid;
		DROP TABLE IF EXISTS events; $tables; CREATE TABLE IF NOT EXISTS cursors (last bigint); TRUNCATE cursors;
		INSERT INTO cursors VALUES (0); $row; CHECKPOINT");
	my ($walwriter) = $primary->safe_psql('postgres',
		q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'});
	kill 'STOP', $walwriter;
	$primary->safe_psql('postgres', $row);
	is($primary->safe_psql('postgres', $horizon), 3, 'a consumer sees the second row');
	$primary->safe_psql('postgres', "SET synchronous_commit = $kept; UPDATE cursors SET last = 2")
	  if $kept ne 'elsewhere';
	kill_server($primary);
	$primary->start;
	my $last = $kept eq 'elsewhere' ? 2 : $primary->safe_psql('postgres', 'SELECT last FROM cursors');
	is($last, $kept eq 'off' ? 0 : 2, "its cursor, kept $kept, after a crash");
	$primary->safe_psql('postgres', "SET synchronous_commit = on; INSERT INTO events (what) VALUES ('new')");
	my $new = $primary->safe_psql('postgres', "SELECT count(*) FROM events WHERE what = 'new' AND id > $last");
	is($new, $kept eq 'elsewhere' ? 0 : 1, $kept eq 'elsewhere' ? 'misses a new row with the same ID'
		: 'misses no new row');
	$primary->stop;
}
done_testing();
