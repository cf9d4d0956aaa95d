# A standby that is promoted while its clock is behind, an old primary that returns by pg_rewind, and a server restored
# to a moment in the past: new IDs of each are above all IDs that it has.
# Promise: A server never again issues an ID
# Promise: A promoted standby
use strict;
use warnings;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $primary = FakeClock->new('primary');
$primary->init(allows_streaming => 1, has_archiving => 1);
$primary->append_conf('postgresql.conf',
	"wal_log_hints = on\nmax_wal_size = 4GB\nwal_keep_size = 1GB\nkid.sno_partition = 7\nkid.max_wait = '20s'\n");
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION kid;
			   CREATE TABLE ids (n bigserial, kid kid64 UNIQUE DEFAULT kid_next(),
				flake flake UNIQUE DEFAULT flake_next(), kid53 bigint UNIQUE DEFAULT kid53_next(),
				sno sno UNIQUE DEFAULT sno_next(),
							uuid uuid UNIQUE DEFAULT kid_uuidv7())');
$primary->backup('base');

my $insert = 'INSERT INTO ids SELECT FROM generate_series(1, 10)';

# Checks that new IDs of a server are above all IDs that it has.
sub check_new_ids
{
	my ($server, $name, $insert_100) = @_;
	my ($count, @highest) = split /[|]/,
	  $server->safe_psql('postgres', 'SELECT count(*), max(kid)::bigint, max(flake)::bigint, max(uuid::text), max(kid53)
		FROM ids');
	note "$name: checked with $count rows";
	is($server->safe_psql('postgres', "SELECT kid_next()::bigint > $highest[0], flake_next()::bigint > $highest[1],
			kid_uuidv7() > '$highest[2]', kid53_next() > $highest[3]"), 't|t|t|t',
		"$name: kid64, kid53, flake and uuid are above all earlier ones");
	my ($status, $stdout, $stderr) = $server->psql('postgres',
		$insert_100 // 'INSERT INTO ids SELECT FROM generate_series(1, 100)');
	unlike($stderr, qr{ERROR}, "$name: no unique key rejects a new ID");
	is($server->safe_psql('postgres',
			"SELECT count(*) FROM ids WHERE kid::bigint > $highest[0] AND flake::bigint > $highest[1]
			AND uuid > '$highest[2]' AND kid53 > $highest[3]"), 100, "$name: all rows are inserted");
	return;
}

# A promotion under load. The standby's clock is nine seconds behind, and it has never made an ID.
my $standby = FakeClock->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->set_clock('-9s');
$standby->start;
my ($stdout, $stderr) = ('', '');
my $load = $primary->basedir . '/load.sql';
append_to_file($load, "$insert;\n" x 20000);
my $session = IPC::Run::start([ 'psql', '-XAtq', '-d', $primary->connstr('postgres'), '-f', $load ],
	'>', \$stdout, '2>', \$stderr, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
$standby->poll_query_until('postgres', 'SELECT count(*) > 1000 FROM ids') or die;
foreach my $call ('kid_next()', 'flake_next()', 'sno_next()', 'kid_uuidv7()', 'kid53_next()',
	'kid_observe(kid64_floor(now()))', 'kid53_observe(5)', 'kid_reset_clock(now())')
{
	my ($function) = $call =~ /^(\w+)/;
	like(error_of("SELECT $call", node => $standby), qr{25006: cannot execute $function\(\) during recovery},
		"$function() fails during recovery");
}
is($standby->safe_psql('postgres', 'SELECT count(*), count(last_issued) FROM kid_stats()'), '5|0',
	'kid_stats() works during recovery');
$standby->promote;
is($standby->safe_psql('postgres',
		"SELECT max(kid_timestamp(kid)) > clock_timestamp(), kid53_timestamp(max(kid53)) > clock_timestamp()
		FROM ids"), 't|t',
	'promoted: the IDs of its rows are ahead of its clock');
my ($latest_kid, $latest_sno) = split /[|]/,
  $standby->safe_psql('postgres', 'SELECT max(kid_timestamp(kid)), max(kid_timestamp(sno)) FROM ids');
check_new_ids($standby, 'promoted');
is($standby->safe_psql('postgres',
		"SELECT ahead > interval '0', last_issued - timestamptz '$latest_kid' BETWEEN interval '0'
		AND interval '2 s' FROM kid_stats() WHERE clock = 'kid'"), 't|t',
	'promoted: IDs are ahead of the clock, and at most a lease after the rows');
is($standby->safe_psql('postgres',
		'SELECT count(*) FROM ids JOIN (SELECT sno_next() AS sno FROM generate_series(1, 1000)) AS new
		USING (sno)'), 0,
	'promoted: no sno repeats');
is($standby->safe_psql('postgres', "SELECT ticks, ahead > interval '0',
		last_issued - timestamptz '$latest_sno' BETWEEN interval '0' AND interval '2 s' FROM kid_stats()
		WHERE clock = 'sno'"), '0|t|t', 'promoted: sno keeps its tick, and continues above the bound');
$session->kill_kill;

# The old primary becomes the standby of the new one, with its bound, and then the primary again.
$primary->stop('fast');
$standby->safe_psql('postgres', 'CHECKPOINT');
my $target = $primary->data_dir;
my $conf = slurp_file("$target/postgresql.conf");
command_ok([ 'pg_rewind', '--debug', '--source-server', $standby->connstr('postgres'), '--target-pgdata', $target,
		'--no-sync',
		'--config-file', "$target/postgresql.conf" ], 'pg_rewind');
unlink "$target/postgresql.conf";
append_to_file("$target/postgresql.conf", $conf);
$primary->set_standby_mode;
$primary->enable_streaming($standby);
$primary->set_clock('-10s');
$primary->start;
$standby->safe_psql('postgres', $insert);
$standby->wait_for_catchup($primary, 'replay');
$standby->stop('immediate');
$primary->promote;
check_new_ids($primary, 'rewound and promoted');

# Recovery to a moment in the past, on a machine whose clock is an hour behind.
$primary->set_clock('+0');
$primary->restart;
$primary->backup('later');
$primary->safe_psql('postgres', $insert);
my $moment = $primary->safe_psql('postgres', 'SELECT pg_current_wal_lsn()');
my $rows = $primary->safe_psql('postgres', 'SELECT count(*) FROM ids');
$primary->safe_psql('postgres', "$insert; SELECT pg_switch_wal()");
my $segment = $primary->safe_psql('postgres', 'SELECT pg_walfile_name(pg_current_wal_lsn())');
$primary->safe_psql('postgres', 'CREATE TABLE more AS SELECT 1; SELECT pg_switch_wal()');
$primary->poll_query_until('postgres', "SELECT last_archived_wal >= '$segment' FROM pg_stat_archiver") or die;
my $restored = FakeClock->new('restored');
$restored->init_from_backup($primary, 'later', has_restoring => 1);
$restored->append_conf('postgresql.conf', "recovery_target_lsn = '$moment'\nrecovery_target_action = promote\n");
$restored->set_clock('-1h');
$restored->start;
$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die;
is($restored->safe_psql('postgres', 'SELECT count(*) FROM ids'), $rows, 'restored to a moment in the past');
check_new_ids($restored, 'restored', 'INSERT INTO ids (sno) SELECT NULL FROM generate_series(1, 100)');
# An hour is too much for a usual start: it is treated as a system clock that went back.
my ($restored_status, $sno, $restored_stderr) = $restored->psql('postgres',
	'SELECT count(*) FROM ids JOIN (SELECT sno_next() AS sno FROM generate_series(1, 1000)) AS new USING (sno)');
like($restored_stderr, qr{WARNING:  system clock is (00:5[89]|01:00):\d\d\.\d{3} behind the last ID of sno\n},
	'restored: sno takes the other tick');
is($sno, 0, 'restored: no sno repeats');

$restored->stop;
$primary->stop;
done_testing();
