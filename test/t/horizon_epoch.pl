# The horizon at the end of an epoch of transaction IDs. PostgreSQL skips the first three IDs of the next one.
# Promise: No row can still appear
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'autovacuum = off');
$node->start;
$node->safe_psql('postgres',
	'CREATE EXTENSION kid;
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), what text);
	CREATE TABLE numbers (id bigint PRIMARY KEY DEFAULT kid53_next())');
$node->command_ok([ 'vacuumdb', '-a', '-F', '-q', '-h', $node->host, '-p', $node->port ], 'freeze all rows');
$node->stop;

# The next transaction IDs are the last two of the epoch.
append_to_file($node->data_dir . '/pg_xact/0FFF', "\0" x 262144);
command_ok([ 'pg_resetwal', '-x', '4294967294', '-u', '4294000000', $node->data_dir ], 'go to the end of the epoch');
$node->start;
$node->safe_psql('postgres', 'SELECT kid_horizon(), kid53_horizon()');
my @session = map { open_session($node) } 0 .. 1;
my $early = answer($session[0], 'BEGIN; INSERT INTO events DEFAULT VALUES RETURNING id;');
my $number = answer($session[0], 'INSERT INTO numbers DEFAULT VALUES RETURNING id;');
$node->safe_psql('postgres', 'BEGIN; INSERT INTO events DEFAULT VALUES; INSERT INTO numbers DEFAULT VALUES; COMMIT');
is(answer($session[1],
		'BEGIN; DECLARE c CURSOR FOR SELECT kid_horizon(), kid53_horizon(); SELECT pg_current_snapshot();'),
	'4294967294:4294967299:4294967294', 'a snapshot at the end of the epoch');
answer($session[0], 'COMMIT;');
my ($horizon, $horizon53) = split /[|]/, answer($session[1], 'FETCH c;');
is($node->safe_psql('postgres', "SELECT '$horizon'::kid64 <= '$early', $horizon53 <= $number"), 't|t',
	'its horizons are not above rows that it does not see');
close_session($_) foreach @session;
done_testing();
