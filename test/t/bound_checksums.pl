# Data checksums are turned on for a cluster that has IDs. pg_checksums gives the page of the bounds a checksum, as it
# gives one to every file. pg_enable_data_checksums(), which development versions of PostgreSQL have, rewrites only
# relations of pg_class, so the page stays without one. kid accepts the page then, and writes it again. Every other
# wrong checksum is still an error. In most cases the clock goes back, so only the bound keeps IDs from repeating.
# Promise: After any kind of stop
# Versions: data checksums, which are the default from 18 on
use strict;
use warnings;
use Dialogue;
use FakeClock;
use Ledger;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = FakeClock->new('main');
# From 18 on checksums are the default.
$node->init(allows_streaming => 1, extra => [ $node->pg_version >= 18 ? '--no-data-checksums' : () ]);
$node->append_conf('postgresql.conf', "autovacuum = off\nshared_buffers = 16\n$Ledger::settings");
$node->start;
use_database($node);
sql($Ledger::schema);
my $ledger = Ledger->new;
my $file = $node->data_dir . '/global/9764';
my $minutes = 0;

# Returns the checksum of the page on disk. It is the field at byte 8 of the header.
sub checksum { return unpack 'x8 S', slurp_file($_[0] // $file) }

# Replaces bytes of the page on disk.
sub overwrite
{
	my ($offset, $bytes, $path) = @_;
	open my $handle, '+<:raw', $path // $file or die $!;
	seek $handle, $offset, 0 or die $!;
	print $handle $bytes;
	close $handle or die $!;
	return;
}

# A page that was written without checksums, and that no tool has given one.
my $none = "\0\0";

# Makes IDs with the clock ten minutes further on, and then sets it back by one.
sub take_and_go_back
{
	my ($name) = @_;
	$minutes += 10;
	$node->set_clock("+${minutes}m");
	$ledger->take("$name, before", $node);
	$node->set_clock('+' . ($minutes - 1) . 'm');
	return;
}

# Runs pg_checksums on the stopped server, and returns how many checksums it finds wrong.
sub wrong_checksums
{
	my ($stdout, $stderr) = run_command([ 'pg_checksums', '--check', '-D', $node->data_dir ]);
	my ($count) = $stdout =~ /^Bad checksums:\s+(\d+)$/m;
	return $count;
}

# Checksums are turned on while the server is down, for all files.
take_and_go_back('pg_checksums');
$node->stop;
is(checksum(), 0, 'without checksums, the page has none');
system_or_bail('pg_checksums', '--enable', '--no-sync', '-D', $node->data_dir);
isnt(checksum(), 0, 'pg_checksums --enable gives the page a checksum');
$node->start;
$ledger->goes_on('pg_checksums --enable', $node);
$node->stop;
is(wrong_checksums(), 0, 'pg_checksums --enable: all checksums are right after IDs were made');

# Checksums were turned on for all files but this one, before a start.
overwrite(8, $none);
is(wrong_checksums(), 1, 'without a checksum, the page is one that pg_checksums reports');
$node->start;
take_and_go_back('before the start without a checksum');
$node->stop('immediate');
overwrite(8, $none);
$node->start;
$ledger->goes_on('no checksum, crash', $node);
take_and_go_back('no checksum, start');
$node->stop;
overwrite(8, $none);
$node->start;
is(sql('SELECT count(problem) FROM kid_stats()'), 0, 'without a checksum, the page does not count as damaged');
$ledger->goes_on('no checksum, start', $node);
$node->stop;
isnt(checksum(), 0, 'after the first ID the page has a checksum');
is(wrong_checksums(), 0, 'after the first ID all checksums are right');
$node->start;

# The same while the server runs: the page is read from disk because it has left shared buffers.
take_and_go_back('evicted');
sql('CHECKPOINT; CREATE TABLE pages AS SELECT repeat(n::text, 500) FROM generate_series(1, 2000) n');
overwrite(8, $none);
$minutes += 10;
$node->set_clock("+${minutes}m");
is($ledger->take('evicted', $node), 300, 'no checksum, evicted while the server runs: IDs are made');
sql('CHECKPOINT');
isnt(checksum(), 0, 'no checksum, evicted: the page gets a checksum');
is(sql('SELECT sum(checksum_failures) FROM pg_stat_database'), 0, 'the server has found no wrong checksum');

# Another damage is an error, whether the page has a checksum or not, and nothing is written.
$node->stop;
my $good = slurp_file($file);
foreach my $case ([ 'with a wrong checksum', sub { overwrite(8, pack 'S', checksum() ^ 0x8181) } ],
	[ 'with another byte beyond the content', sub { overwrite(8191, "\1") } ],
	[ 'without a checksum, and with another bound', sub { overwrite(8, $none); overwrite(40, "\x81") } ],
	[ 'without a checksum, and with another pd_lower', sub { overwrite(8, $none); overwrite(12, "\x81") } ],
	[ 'without a checksum, and with another version', sub { overwrite(8, $none); overwrite(32, "\x81") } ])
{
	my ($name, $change) = @$case;
	$change->();
	my $damaged = slurp_file($file);
	$node->start;
	like(error_of('SELECT kid_next()'), qr{XX001: }, "$name: an error");
	is(sql('SELECT count(problem) > 0 FROM kid_stats()'), 't', "$name: kid_stats() shows a problem");
	$node->stop;
	ok(slurp_file($file) eq $damaged, "$name: the file stays as it is");
	overwrite(0, $good);
}

# A standby whose page has no checksum reads it, and writes it when it is promoted.
$node->start;
$node->backup('base');
my $number = sql('SELECT node FROM kid_identity()');
take_and_go_back('before the failover');
# The standby replays the page before it starts, and not again.
sql('CHECKPOINT');
my $standby = FakeClock->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->set_clock('+' . ($minutes - 1) . 'm');
$standby->start;
$node->wait_for_catchup($standby, 'replay', $node->lsn('flush'));
$standby->safe_psql('postgres', 'CHECKPOINT');
$standby->stop;
my $page_of_standby = $standby->data_dir . '/global/9764';
overwrite(8, $none, $page_of_standby);
$standby->start;
is($standby->safe_psql('postgres', 'SELECT node FROM kid_identity()'), $number,
	'a standby reads the page without a checksum');
is(checksum($page_of_standby), 0, 'a standby does not write the page');
$node->stop('immediate');
$standby->promote;
$ledger->goes_on('promoted, no checksum', $standby);
$standby->safe_psql('postgres', 'CHECKPOINT');
isnt(checksum($page_of_standby), 0, 'after the promotion the page gets a checksum');
$standby->stop;

# With the function itself, if this PostgreSQL has it.
$node->start;
SKIP:
{
	skip 'this PostgreSQL has no pg_enable_data_checksums()', 18
	  if sql(q{SELECT count(*) FROM pg_proc WHERE proname = 'pg_enable_data_checksums'}) eq '0';
	my $is = sub { $_[0]->poll_query_until('postgres', "SELECT current_setting('data_checksums') = '$_[1]'") or die };

	sql('SELECT pg_disable_data_checksums()');
	$is->($node, 'off');
	take_and_go_back('pg_enable_data_checksums()');
	sql('CHECKPOINT');
	is(checksum(), 0, 'pg_disable_data_checksums(): the page is written without a checksum');
	$node->backup('off');
	my $follower = FakeClock->new('follower');
	$follower->init_from_backup($node, 'off', has_streaming => 1);
	$follower->set_clock('+' . ($minutes - 1) . 'm');
	$follower->start;
	my $page_of_follower = $follower->data_dir . '/global/9764';
	sql('SELECT pg_enable_data_checksums()');
	$is->($node, 'on');
	$node->wait_for_catchup($follower, 'replay', $node->lsn('flush'));
	$follower->stop('immediate');
	$node->stop;
	is(checksum(), 0, 'pg_enable_data_checksums() does not rewrite the page');
	$node->start;
	$ledger->goes_on('pg_enable_data_checksums()', $node);
	$node->stop;
	isnt(checksum(), 0, 'pg_enable_data_checksums(): after the first ID the page has a checksum');
	is(wrong_checksums(), 0, 'pg_enable_data_checksums(): all checksums are right');

	# The state came to a standby by WAL, and it is promoted without the page that the primary wrote afterwards.
	$node->start;
	is(checksum($page_of_follower), 0, 'a standby of a server that turned checksums on: the page has none');
	$follower->append_conf('postgresql.conf', "primary_conninfo = ''");
	$follower->start;
	is($follower->safe_psql('postgres', q{SELECT current_setting('data_checksums'), node FROM kid_identity()}),
		"on|$number", 'this standby reads the page');
	$follower->promote;
	is($follower->safe_psql('postgres', 'SELECT max(kid) < kid_next() AND max(flake) < flake_next() FROM ids'),
		't', 'this standby is promoted: IDs go on');
	$follower->stop;
	isnt(checksum($page_of_follower), 0, 'this standby is promoted: the page has a checksum');

	# Turned off and on again: the page has one that was right before.
	sql('SELECT pg_disable_data_checksums()');
	$is->($node, 'off');
	sql('SELECT pg_enable_data_checksums()');
	$is->($node, 'on');
	$node->stop;
	isnt(checksum(), 0, 'off and on again: the page keeps its checksum');
	$node->start;
	$ledger->goes_on('off and on again', $node);

	# The page is written while checksums are being turned on, and the server crashes. Then they are off. A temporary
	# table of another session keeps the worker waiting.
	sql('SELECT pg_disable_data_checksums()');
	$is->($node, 'off');
	my $session = open_session($node);
	answer($session, 'CREATE TEMPORARY TABLE kept (n int);');
	sql('SELECT pg_enable_data_checksums()');
	$is->($node, 'inprogress-on');
	take_and_go_back('being turned on');
	sql('CHECKPOINT');
	isnt(checksum(), 0, 'being turned on: the page is written with a checksum');
	$node->stop('immediate');
	eval { close_session($session) };
	$node->start;
	# Without autovacuum, the table is still there, and keeps the worker waiting.
	sql(q{DO $$ BEGIN
			EXECUTE 'DROP TABLE ' || (SELECT oid::regclass FROM pg_class WHERE relpersistence = 't');
		END $$});
	is(sql('SHOW data_checksums'), 'off', 'a crash meanwhile: checksums are off');
	$ledger->goes_on('a crash meanwhile', $node);
	sql('CHECKPOINT');
	is(checksum(), 0, 'a crash meanwhile: the page is written without a checksum');
	sql('SELECT pg_enable_data_checksums()');
	$is->($node, 'on');
	$node->stop('immediate');
	$node->start;
	$ledger->goes_on('turned on at last, crash', $node);
	$node->stop;
	isnt(checksum(), 0, 'turned on at last: the page has a checksum');
	is(wrong_checksums(), 0, 'turned on at last: all checksums are right');
	$node->start;
}
$ledger->is_right('checksums');
$node->stop;

done_testing();
