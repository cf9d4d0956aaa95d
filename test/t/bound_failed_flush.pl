# The page of the bounds is written with a lower bound, and the flush of its WAL raises an error. So nobody knows what a
# crash leaves on the page. No session goes on from the higher bound that was there before: after a crash, IDs would
# repeat.
# Promise: After any kind of stop
use strict;
use warnings;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

# The linkers of other systems cannot replace one function.
plan skip_all => 'XLogFlush() is replaced on Linux only' if $^O ne 'linux';
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};

# Links kid with another XLogFlush(), which raises an error once if there is the file `fail`. PostgreSQL's own raises
# one if it is asked to flush WAL that nobody has written.
my $tree = PostgreSQL::Test::Utils::tempdir;
system_or_bail('cp', '-Rp', 'Makefile', 'kid.control', 'src', $tree);
append_to_file("$tree/src/pg/failing_flush.cpp", <<'END_OF_SOURCE');
#include "base/compat.hpp"

extern "C" {

void __real_XLogFlush(XLogRecPtr lsn);
void __wrap_XLogFlush(XLogRecPtr lsn);

void __wrap_XLogFlush(XLogRecPtr lsn) {
  if (lsn != InvalidXLogRecPtr && unlink("fail") == 0)
    elog(ERROR, "flush failed, as the test wants it");
  __real_XLogFlush(lsn);
}

} // extern "C"
END_OF_SOURCE
system_or_bail('make', '-s', '-C', $tree, 'kid.so', 'LDFLAGS_SL=-Wl,--wrap=XLogFlush', "PG_CONFIG=$ENV{PG_CONFIG}");

my $node = FakeClock->new('main');
$node->init;
$node->append_conf('postgresql.conf', "kid.lease = '1min'\nallow_system_table_mods = on\n");
$node->start;
use_database($node);
sql(qq{CREATE EXTENSION kid; UPDATE pg_proc SET probin = '$tree/kid.so' WHERE probin = '\$libdir/kid'});

sql('SELECT kid_next()');
append_to_file($node->data_dir . '/fail', '');
like(error_of('SELECT kid_reset_clock(now(), true)'), qr/^XX000: flush failed/,
	'the bound is lowered, and the flush fails');
is(sql(q{SELECT string_agg(DISTINCT problem, '') FROM kid_stats()}),
	'page of the bounds of IDs could not be written, see the server log', 'kid_stats() shows that');

# This commit flushes the WAL of the lower bound, too.
sql('CREATE TABLE ids AS SELECT kid_next() AS id FROM pg_sleep(1)');
is(sql('SELECT count(problem) FROM kid_stats()'), 0, 'the next session has written the page');
$node->stop('immediate');
$node->set_clock('-1h');
$node->start;
is(sql('SELECT kid_next() > max(id) FROM ids'), 't', 'after a crash, IDs continue above those in rows');
$node->stop;

done_testing();
