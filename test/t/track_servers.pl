# kid_track() on several servers: a promoted standby, where prepared transactions still hold the horizon back, and logical
# replication from and to a tracked table.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', "max_prepared_transactions = 10\nlc_messages = 'C'\n");
$node->start;
my $tables = q{CREATE SCHEMA kid; CREATE EXTENSION kid SCHEMA kid; CREATE TABLE events (id bigserial PRIMARY KEY, what text); SELECT kid.kid_track('events', reject => true)};
my $row = q{INSERT INTO events (what) VALUES ('a')};
my $horizon = q{CALL kid.kid_horizon('events')};
$node->safe_psql('postgres', $tables);

# Logical replication: rows go out as ever, and rows that come in are neither rejected nor covered.
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init(allows_streaming => 'logical');
$subscriber->start;
$subscriber->safe_psql('postgres', $tables);
$node->safe_psql('postgres', 'CREATE PUBLICATION p FOR TABLE events');
$subscriber->safe_psql('postgres', q{CREATE SUBSCRIPTION s CONNECTION $c$} . $node->connstr('postgres') . q{$c$ PUBLICATION p});
$subscriber->wait_for_subscription_sync($node, 's');
$node->safe_psql('postgres', "$row; $row");
$node->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', 'SELECT string_agg(id::text, \',\') FROM events'), '1,2', 'a subscriber gets the rows');
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
my ($code, $stdout, $stderr) = $standby->psql('postgres', $horizon);
like($stderr, qr/needs READ COMMITTED, and not a standby/, 'a standby has no horizon');
$node->stop('immediate');
$standby->promote;
is($standby->safe_psql('postgres', $horizon), 3, 'after a promotion a prepared transaction holds it back');
is($standby->safe_psql('postgres', "SELECT gid FROM kid.kid_track_holders('events')"), 'p', 'and is listed');
$standby->safe_psql('postgres', $row);
is($standby->safe_psql('postgres', $horizon), 3, 'also after a row');
$standby->safe_psql('postgres', q{COMMIT PREPARED 'p'});
is($standby->safe_psql('postgres', "$horizon;") > $standby->safe_psql('postgres', 'SELECT max(id) FROM events'), 1, 'until it ends');
done_testing();
