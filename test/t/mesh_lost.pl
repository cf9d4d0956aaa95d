# One of three servers that replicate to each other is lost, and the steps of docs/guides/many-servers.md are run. The
# others have received different parts of what it wrote. Both get the same rows, no duplicate stops replication, and
# consumers of each miss none. A row that was inserted by hand on both servers stops replication, until its transaction
# is skipped.
# Versions: subscriptions with origin = none, from 16 on
use strict;
use warnings;
use utf8;
use Mesh;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'subscriptions with origin = none need PostgreSQL 16'
  if PostgreSQL::Test::Cluster->new('version')->pg_version < 16;

my $page = slurp_file('docs/guides/many-servers.md');
my ($first_two) = $page =~ /^```sql\n(-- a:\n.*?)^```\n/ms;
my $further = slurp_file('docs/guides/further_server.sql') =~ s/\A.*?^(?=-- c, )//msr;
my ($lost) = $page =~ /^### A server is lost\n(.*?)^### /ms or die;
my ($skip) = $page =~ /^(ALTER SUBSCRIPTION a_from_b SKIP .*?;)\n/m or die;

foreach my $number (0 .. 2)
{
	my $name = ('a', 'b', 'c')[$number];
	my $node = $node{$name} = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	# The page sets the lane of a.
	$node->append_conf('postgresql.conf', "kid.lanes = 16\nkid.node = $number") if $number > 0;
	$node->start;
	$node->safe_psql('postgres', q{CREATE EXTENSION kid;
		CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text, lines json);
		CREATE TABLE horizons (server text PRIMARY KEY, beat kid64 NOT NULL, id kid64 NOT NULL);
		CREATE TABLE seen (id kid64 PRIMARY KEY)});
}
my ($a, $b, $c) = @node{qw(a b c)};
$a->safe_psql('postgres', q{INSERT INTO orders (item) SELECT 'of a' FROM generate_series(1, 20000)});
$_ =~ s/FOR TABLE orders/$&, horizons/g foreach $first_two, $further;
run_block($first_two);
run_block($further);

# Each server writes its horizon.
sub beat
{
	foreach my $node (@_)
	{
		my $name = $node->name;
		$node->safe_psql('postgres', "INSERT INTO horizons VALUES ('$name', kid_next(), '...........')
			ON CONFLICT (server) DO UPDATE SET beat = kid_next(), id = kid_horizon()");
	}
	return;
}

# A consumer on each server reads what is below the lowest horizon, and after its last row.
sub consume
{
	foreach my $node (@_)
	{
		$node->safe_psql('postgres', q{INSERT INTO seen SELECT id FROM orders
			WHERE id > coalesce((SELECT max(id) FROM seen), '...........')
			  AND id < (SELECT min(id) FROM horizons)});
	}
	return;
}

# Returns all rows but the first ones of a.
sub contents
{
	my ($node) = @_;
	return $node->safe_psql('postgres', q{SELECT item FROM orders WHERE item <> 'of a' ORDER BY id});
}

sub insert
{
	my ($node, $item) = @_;
	$node->safe_psql('postgres', "INSERT INTO orders (item, lines) VALUES ('$item', '[]')");
	return;
}

beat($a, $b, $c);
insert($c, 'changed on c');
insert($c, 'deleted on c');
insert($c, 'kept');
catch_up($a, $b, $c);
beat($a, $b, $c);
catch_up($a, $b, $c);
consume($a, $b);

# b gets nothing from c any more. a does, and nobody gets the last row.
$b->safe_psql('postgres', 'ALTER SUBSCRIPTION b_from_c DISABLE');
wait_until($c, q{SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'b_from_c'}, 'b has lost c');
insert($c, 'only on a');
$c->safe_psql('postgres', q{UPDATE orders SET item = 'changed' WHERE item = 'changed on c';
	DELETE FROM orders WHERE item = 'deleted on c'});
beat($c);
$c->wait_for_catchup('a_from_c');
$c->stop('immediate');
foreach my $node ($a, $b)
{
	wait_until($node, q{SELECT count(*) = 0 FROM pg_replication_slots WHERE slot_name LIKE 'c%' AND active},
		$node->name . ' has lost c');
}
insert($_, 'later') foreach $a, $b;
beat($a, $b);
catch_up($a, $b);
consume($a, $b);
is(contents($b), "changed on c\ndeleted on c\nkept\nlater\nlater", 'b lacks changes of c');

run_section($lost);
insert($_, 'afterwards') foreach $a, $b;
beat($a, $b);
catch_up($a, $b);
is(contents($_), "changed\nkept\nonly on a\nlater\nlater\nafterwards\nafterwards",
	$_->name . ' has all rows of c that are left') foreach $a, $b;
my $of_a = q{SELECT count(*) FROM orders WHERE item = 'of a'};
is($b->safe_psql('postgres', $of_a), 20000, 'and the first rows of a');
is($_->safe_psql('postgres', q{SELECT string_agg(server, ' ' ORDER BY server) FROM horizons}), 'a b',
	$_->name . ' has two horizons') foreach $a, $b;
my $errors = 'SELECT sum(apply_error_count) FROM pg_stat_subscription_stats';
is($_->safe_psql('postgres', $errors), 0, $_->name . ': replication had no error') foreach $a, $b;
beat($a, $b);
catch_up($a, $b);
consume($a, $b);
my $missed = 'SELECT string_agg(item, $$, $$) FROM orders WHERE id NOT IN (SELECT id FROM seen)';
is($_->safe_psql('postgres', $missed), '', 'a consumer of ' . $_->name . ' misses none') foreach $a, $b;

# A repair by hand, which both servers publish.
my $id = $a->safe_psql('postgres', 'SELECT kid_next()');
$a->safe_psql('postgres', 'ALTER SUBSCRIPTION a_from_b DISABLE');
$b->safe_psql('postgres', 'ALTER SUBSCRIPTION b_from_a DISABLE');
$_->safe_psql('postgres', "INSERT INTO orders (id, item) VALUES ('$id', 'by hand')") foreach $a, $b;
my %offset = map { $_->name => -s $_->logfile } $a, $b;
$a->safe_psql('postgres', 'ALTER SUBSCRIPTION a_from_b ENABLE');
$b->safe_psql('postgres', 'ALTER SUBSCRIPTION b_from_a ENABLE');
foreach ([ $a, 'a_from_b' ], [ $b, 'b_from_a' ])
{
	my ($node, $subscription) = @$_;
	$node->wait_for_log(qr/finished at \S+/, $offset{ $node->name });
	my ($position) = slurp_file($node->logfile, $offset{ $node->name }) =~ /finished at (\S+)/;
	$node->safe_psql('postgres', $skip =~ s/a_from_b/$subscription/r =~ s/'0\/14C0378'/'$position'/r);
}
insert($_, 'last') foreach $a, $b;
catch_up($a, $b);
like(contents($_), qr/^by hand\nlast\nlast$/m, $_->name . ': after a transaction is skipped, replication goes on')
  foreach $a, $b;

$_->stop('immediate') foreach $a, $b;
done_testing();
