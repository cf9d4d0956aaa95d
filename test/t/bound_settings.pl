# The bound survives a crash whatever the server's settings are: minimal WAL, no full-page images, checksums. So it does
# with kid in two databases, or dropped and installed again. Each time the clock is a minute behind.
# Promise: After any kind of stop
use strict;
use warnings;
use FakeClock;
use Failure;
use Ledger;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = FakeClock->new('main');
# The test enables checksums later. From 18 on they are the default.
$node->init(extra => [ $node->pg_version >= 18 ? '--no-data-checksums' : () ]);
$node->append_conf('postgresql.conf', $Ledger::settings);
$node->start;
use_database($node);
sql($Ledger::schema);
sql('CREATE DATABASE other');
$node->safe_psql('other', $Ledger::schema);
my $ledger = Ledger->new;
my $minutes = 0;

# Makes IDs, crashes, and makes IDs again. Each round is ten minutes later than the one before.
sub crash_between
{
	my ($name, $database, $other_database) = @_;
	$minutes += 10;
	$node->set_clock("+${minutes}m");
	$ledger->take("$name, before", $node, 100, $database);
	kill_server($node);
	$node->set_clock('+' . ($minutes - 1) . 'm');
	$node->start;
	$ledger->goes_on($name, $node, 100, $other_database // $database);
	return;
}

foreach my $settings ("wal_level = minimal\nmax_wal_senders = 0", 'full_page_writes = off', 'wal_log_hints = on',
	'wal_compression = on',
	"shared_preload_libraries = 'kid'")
{
	$node->append_conf('postgresql.conf', $settings);
	$node->stop;
	# Remove the page, so that these settings apply to the first ID of the cluster.
	unlink $node->data_dir . '/global/9764' or -e $node->data_dir . '/global/9764' and die $!;
	$minutes += 10;
	$node->set_clock("+${minutes}m");
	$node->start;
	crash_between($settings =~ s/\n/, /r);
	is(sql(q{SELECT ahead > '50 s' FROM kid_stats() WHERE clock = 'kid'}), 't',
		($settings =~ s/\n/, /r) . ': after the crash IDs are ahead of the clock, above the earlier ones');
}
$node->stop;
system_or_bail('pg_checksums', '--enable', '--no-sync', '-D', $node->data_dir);
$node->start;
crash_between('checksums');
crash_between('in one database, and then in the other', 'postgres', 'other');
crash_between('and back', 'other', 'postgres');
is(sql('SELECT count(*) FROM pg_stat_database WHERE checksum_failures > 0'), 0,
	'the server found no wrong checksum');

# The bound stays when kid is dropped.
$minutes += 10;
$node->set_clock("+${minutes}m");
$ledger->take('before kid is dropped', $node);
foreach my $database ('postgres', 'other')
{
	$node->safe_psql($database, 'DROP TABLE ids; DROP EXTENSION kid');
}
$node->set_clock('+' . ($minutes - 1) . 'm');
$node->restart;
$node->safe_psql('postgres', $Ledger::schema);
$ledger->goes_on('dropped, and installed again', $node);
$ledger->is_right('all settings');
# The catalogs are rewritten, each to a file with another number.
sql('VACUUM FULL; CHECKPOINT');
$ledger->goes_on('after VACUUM FULL', $node);
is(sql('SELECT count(*) > 0 FROM pg_database'), 't', 'after VACUUM FULL the catalogs can be read');
$ledger->is_right('all settings, and VACUUM FULL');
$node->stop;

done_testing();
