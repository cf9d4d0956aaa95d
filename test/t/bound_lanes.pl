# The lanes change before the first ID after a crash, when the clocks are at the bound that is on the page. They stay
# there: a consumer that read a horizon above the bound would miss the IDs that are made after another crash.
# Promise: No row can still appear
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "kid.lease = '1min'\nkid.node = 1\nkid.lanes = 2\n");
$node->start;
use_database($node);

# Ends the server at once, and starts it.
sub crash
{
	$node->stop('immediate');
	$node->start;
	return;
}

sql('CREATE EXTENSION kid; SELECT kid_next(), kid53_next()');
crash();
my $horizons = 'SELECT kid_horizon()::bigint, kid53_horizon()';
my $at_start = sql($horizons);
$node->adjust_conf('postgresql.conf', 'kid.lanes', 1);
$node->reload;
$node->poll_query_until('postgres', 'SELECT lanes = 1 FROM kid_identity()') or die;
my $of_lane = sql($horizons);
is($of_lane, $at_start, 'the horizon stays at the bound when the lanes change');
crash();
my ($kid, $kid53) = split /[|]/, $of_lane;
is(sql("SELECT kid_next()::bigint >= $kid, kid53_next() >= $kid53"), 't|t',
	'after another crash, no ID is below that horizon');
$node->stop;

done_testing();
