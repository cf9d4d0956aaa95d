# A session in a database without Citus asks no catalog and takes no lock because other tables change: it keeps what it
# found with its first ID. If Citus comes later, in whatever session, the session notices it, and again when Citus is
# dropped. Citus is not needed: kid reads its table.
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nwal_level = logical\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION kid; CREATE TABLE others (n int); SELECT kid_next()');

# A session publishes its identity under a lock of the whole cluster when it looks for Citus. The test
# holds that lock meanwhile.
my $directory = PostgreSQL::Test::Utils::tempdir();
append_to_file("$directory/hold.cpp", <<'SOURCE');
#include "src/pg/clocks/shmem.hpp"

extern "C" {
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(hold_identity);
PGDLLEXPORT Datum hold_identity(PG_FUNCTION_ARGS);
}

/// Holds the lock of the identity, whose memory `kid` has made, until the query is canceled.
Datum hold_identity(PG_FUNCTION_ARGS) {
  bool found = false;
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  auto *const shared = static_cast<kid::pg::shared_state *>(ShmemInitStruct("kid", 2048, &found));
  LWLockRelease(AddinShmemInitLock);
  LWLockAcquire(&shared->identity.lock, LW_EXCLUSIVE);
  while (found && !QueryCancelPending)
    pg_usleep(1000);
  LWLockRelease(&shared->identity.lock);
  PG_RETURN_BOOL(found);
}
SOURCE
my ($headers) = split /\n/, qx("$ENV{PG_CONFIG}" --includedir-server);
my $compiled =
  system("c++ -shared -fPIC -O1 -std=c++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics -I . -isystem '$headers' "
	  . "-o '$directory/hold.so' '$directory/hold.cpp' >'$directory/cc.log' 2>&1") == 0;

# Waits until a session waits for a lock in shared memory, or for its client, and returns which of the two.
sub waits_for
{
	my ($session) = @_;
	my $query = "FROM pg_stat_activity WHERE pid = $session->{pid} AND wait_event_type IN ('Client', 'LWLock')";
	$node->poll_query_until('postgres', "SELECT count(*) = 1 $query") or die;
	return $node->safe_psql('postgres', "SELECT wait_event_type $query");
}

# Returns what $session waits for when it makes its next ID while the lock is held.
my $holder;

sub next_id_waits_for
{
	my ($session) = @_;
	ask($holder, 'SELECT hold_identity();');
	wait_for_state($holder, q{state = 'active'});
	usleep(100_000);
	ask($session, 'SELECT kid_next();');
	my $event = waits_for($session);
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($holder->{pid})");
	like(answer($holder), qr/57014/, 'the lock was held meanwhile');
	like(answer($session), qr/^[.\w]{11}$/, 'and the session made its ID');
	return $event;
}

SKIP:
{
	skip 'there is no C++ compiler (c++)', 1 unless $compiled;
	$node->safe_psql('postgres', "CREATE FUNCTION hold_identity() RETURNS bool LANGUAGE C AS '$directory/hold'");
	$holder = open_session($node);
	my $session = open_session($node);
	is(next_id_waits_for($session), 'LWLock', 'the first ID of a session waits for the lock');
	is(next_id_waits_for($session), 'Client', 'the next one does not');
	my %change = (
		'ANALYZE' => 'ANALYZE others',
		'VACUUM' => 'VACUUM others',
		'a new table' => 'CREATE TABLE more (id kid64 PRIMARY KEY DEFAULT kid_next())',
		'a changed table' => 'ALTER TABLE others ADD t text',
		'a publication of all tables, which invalidates all' => 'SET client_min_messages = error;
			CREATE PUBLICATION everything FOR ALL TABLES',
		'a table of that name in another schema' => 'CREATE TABLE public.pg_dist_local_group (groupid int);
			INSERT INTO public.pg_dist_local_group VALUES (5)');
	foreach my $what (sort keys %change)
	{
		$node->safe_psql('postgres', $change{$what});
		is(next_id_waits_for($session), 'Client', "nor does an ID after $what");
	}
	answer($session, 'CREATE TEMP TABLE t (n int) ON COMMIT DROP; CREATE TEMP TABLE u (id kid64 DEFAULT kid_next());
		INSERT INTO u DEFAULT VALUES; DROP TABLE u;');
	is(next_id_waits_for($session), 'Client', 'nor does an ID after temporary tables of its own');
	close_session($_) foreach $holder, $session;
}

# Citus comes later. The sessions are idle meanwhile.
my ($reader, $writer) = map { open_session($node) } 1, 2;
my $made = qr/^[.\w]{11}$/;
my $refused = qr/ERROR:  55000: IDs that this Citus worker makes would repeat those of other nodes/;
my $table = 'pg_catalog.pg_dist_local_group';
answer($writer, 'SET allow_system_table_mods = on;');

# What both sessions get, at their first call and at the next one, also in one transaction.
sub both
{
	my ($expected, $name) = @_;
	foreach my $session ($reader, $writer)
	{
		like(answer($session, "SELECT $_;"), $expected, "$name: $_")
		  foreach 'kid_next()', 'kid64_at(now())', 'kid_next()';
		like(answer($session, 'BEGIN; SAVEPOINT s; SELECT kid_next(); ROLLBACK TO s;'), $expected,
			"$name: in a subtransaction");
		like(answer($session, 'SELECT kid_next(); COMMIT;'), $expected, "$name: and in its transaction");
	}
	return;
}
both($made, 'without Citus a session makes IDs');
my $create = "CREATE TABLE $table (groupid int NOT NULL PRIMARY KEY); INSERT INTO $table VALUES (5);";

answer($writer, "BEGIN; $create");
like(answer($reader, 'SELECT kid_next();'), $made, 'Citus that is not committed yet: another session makes IDs');
like(answer($writer, 'SAVEPOINT s; SELECT kid_next();'), $refused, 'its own session refuses');
answer($writer, 'ROLLBACK;');
both($made, 'Citus was rolled back');
answer($writer, "BEGIN; SAVEPOINT s; $create ROLLBACK TO s;");
like(answer($writer, 'SELECT kid_next();'), $made, 'Citus was rolled back to a savepoint');
answer($writer, "COMMIT; BEGIN; $create COMMIT;");
both($refused, 'Citus was created');
answer($writer, "DROP TABLE $table;");
both($made, 'Citus was dropped');
answer($writer, "BEGIN; CREATE TABLE public.node (groupid int); INSERT INTO public.node VALUES (5); COMMIT;");
both($made, 'a table of another name');
answer($writer, 'ALTER TABLE public.node SET SCHEMA pg_catalog;');
both($made, 'a table of another name in pg_catalog');
answer($writer, 'ALTER TABLE pg_catalog.node RENAME TO pg_dist_local_group;');
both($refused, 'a table was renamed');
answer($writer, "ALTER TABLE $table RENAME TO node;");
both($made, 'and renamed back');
answer($writer, "DROP TABLE IF EXISTS public.pg_dist_local_group;
	ALTER TABLE pg_catalog.node SET SCHEMA public; ALTER TABLE public.node RENAME TO pg_dist_local_group;
	ALTER TABLE public.pg_dist_local_group SET SCHEMA pg_catalog;");
both($refused, 'a table was moved to pg_catalog');
answer($writer, "DROP TABLE $table;");
both($made, 'and dropped');

# A transaction that runs notices it when it next locks a table, also if its snapshot is older.
answer($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM others;');
answer($writer, "BEGIN; $create COMMIT;");
like(answer($reader, 'SELECT kid_next() FROM pg_database LIMIT 1;'), $refused,
	'a transaction with an older snapshot notices Citus');
answer($reader, 'ROLLBACK;');
answer($writer, "DROP TABLE $table;");
ask($reader,
	q{DO $$ BEGIN FOR i IN 1 .. 6000 LOOP PERFORM kid_next(); COMMIT; PERFORM pg_sleep(0.01); END LOOP; END $$;});
wait_for_state($reader, q{wait_event = 'PgSleep'});
answer($writer, "BEGIN; $create COMMIT;");
like(answer($reader), $refused, 'a statement that runs notices Citus');
# So many changes that a session which was idle meanwhile has to forget all that it knows.
answer($writer, "DROP TABLE $table;");
both($made, 'Citus was dropped again');
answer($writer, "BEGIN; $create COMMIT; SET client_min_messages = error;");
answer($writer,
	q{DO $$ BEGIN FOR i IN 1 .. 3000 LOOP CREATE TEMP TABLE t (n int); DROP TABLE t; COMMIT; END LOOP; END $$;});
like(answer($reader, 'SELECT kid_next();'), $refused, 'a session that missed messages about changes notices Citus');
close_session($_) foreach $reader, $writer;
done_testing();
