# Nothing of how a server is set up keeps the bound from being there after a crash: the least of WAL, no full-page images, checksums,
# kid in two databases, or dropped and installed again. Each time the clock is a minute behind.
use strict;
use warnings;
use FakeClock;
use Failure;
use Ledger;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = FakeClock->new('main');
# Checksums come later; from 18 on they are the default.
$node->init(extra => [ $node->pg_version >= 18 ? '--no-data-checksums' : () ]);
$node->append_conf('postgresql.conf', $Ledger::settings);
$node->start;
$node->sql($Ledger::schema);
$node->sql('CREATE DATABASE other');
$node->safe_psql('other', $Ledger::schema);
my $ledger = Ledger->new;
my $minutes = 0;

# IDs, a crash, and IDs again; each round is later than all before.
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

foreach my $settings ("wal_level = minimal\nmax_wal_senders = 0", 'full_page_writes = off', 'wal_log_hints = on', 'wal_compression = on',
	"shared_preload_libraries = 'kid'")
{
	$node->append_conf('postgresql.conf', $settings);
	$node->stop;
	# As when the first ID of the cluster is made so.
	unlink $node->data_dir . '/global/9764' or -e $node->data_dir . '/global/9764' and die $!;
	$minutes += 10;
	$node->set_clock("+${minutes}m");
	$node->start;
	crash_between($settings =~ s/\n/, /r);
	is($node->sql(q{SELECT ahead > '50 s' FROM kid_stats() WHERE clock = 'kid'}), 't', 'above what was before');
}
$node->stop;
system_or_bail('pg_checksums', '--enable', '--no-sync', '-D', $node->data_dir);
$node->start;
crash_between('checksums');
crash_between('in one database, and then in the other', 'postgres', 'other');
crash_between('and back', 'other', 'postgres');
is($node->sql('SELECT count(*) FROM pg_stat_database WHERE checksum_failures > 0'), 0, 'no checksum was wrong');

# Kid is dropped. The bound stays.
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
$ledger->is_right('however a server is set up');
# The catalogues are rewritten, each to a file with another number.
$node->sql('VACUUM FULL; CHECKPOINT');
$ledger->goes_on('after VACUUM FULL', $node);
is($node->sql('SELECT count(*) > 0 FROM pg_database'), 't', 'which have not come into its way');
$ledger->is_right('and afterwards');
$node->stop;

done_testing();
