# Without a lease, the state of a clock on the page can be within a time unit. A start, a horizon that is read, and a
# crash before the first ID leave the page as it was. The next start must not make IDs below that horizon.
# Promise: No row can still appear
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "kid.lease = 0\nkid.node = 1\nkid.lanes = 2\n");
$node->start;
use_database($node);
sql('CREATE EXTENSION kid');

# The clocks are an hour ahead, within a unit, when the server stops.
sql(q{SELECT kid_observe(flake_make(now() + interval '1 hour', 0, 0, 5)),
	kid_observe(kid64_make(now() + interval '1 hour', 5)), kid53_observe(kid53_make(now() + interval '1 hour', 5))});
$node->restart;

# A horizon moves the clock of flake to the end of the unit, and the lanes those of kid64 and kid53.
sql('SELECT flake_horizon()');
$node->adjust_conf('postgresql.conf', 'kid.lanes', 1);
$node->reload;
$node->poll_query_until('postgres', 'SELECT lanes = 1 FROM kid_identity()') or die;
my ($flake, $kid, $kid53) = split /[|]/,
  sql('SELECT flake_horizon()::bigint, kid_horizon()::bigint, kid53_horizon()');
$node->stop('immediate');
$node->start;
is(sql("SELECT flake_next()::bigint >= $flake, kid_next()::bigint >= $kid, kid53_next() >= $kid53"),
	't|t|t',
	'no ID is below a horizon that was read after a start within a unit');
$node->stop;

done_testing();
