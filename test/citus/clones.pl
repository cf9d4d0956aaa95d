# Clones of a Citus worker, all promoted: with kid.node = auto they differ at once, and with citus from when Citus gives them
# a number of their own, also in sessions that began before.
use strict;
use warnings;
use CitusNodes;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = start_cluster('worker1', 'worker2');
my $worker = $workers[0];
$coordinator->safe_psql('postgres', q{
	CREATE TABLE ids (tenant int, v int, kid64 kid64 DEFAULT kid_next(), kid96 kid96 DEFAULT kid96_next(),
		sno sno DEFAULT sno_next(), flake flake DEFAULT flake_next());
	SELECT create_distributed_table('ids', 'tenant');
	INSERT INTO ids (tenant, v) SELECT i, i FROM generate_series(1, 1000) AS i});
$worker->safe_psql('postgres', 'SELECT kid96_next(), sno_next()');

# Standbys of the worker, one of which Citus knows of.
$worker->backup('base');
my ($known, @clones) = map {
	my $clone = PostgreSQL::Test::Cluster->new($_);
	$clone->init_from_backup($worker, 'base');
	$clone->append_conf('postgresql.conf', sprintf "primary_conninfo = 'host=127.0.0.1 port=%d application_name=%s'\n", $worker->port, $_);
	$clone->set_standby_mode;
	$clone->start;
	$clone
} 'known', 'clone1', 'clone2';
$coordinator->safe_psql('postgres', sprintf "SELECT citus_add_clone_node('127.0.0.1', %d, '127.0.0.1', %d)", $known->port, $worker->port);

# Two that are promoted beside their primary.
$worker->wait_for_catchup($_->name) foreach @clones;
$_->promote foreach @clones;
my $three = 'SELECT kid96_next(), sno_next(), kid_node(kid96_next()), kid_partition(sno_next()) FROM generate_series(1, 10000)';
my (%seen, %nodes, %partitions);
my @sessions = map { open_session($_) } $worker, @clones;
ask($_, "$three;") foreach @sessions;
foreach my $session (@sessions)
{
	foreach my $line (split /\n/, answer($session))
	{
		my ($kid96, $sno, $node, $partition) = split /[|]/, $line;
		$seen{$_}++ foreach $kid96, $sno;
		$nodes{$node} = $partitions{$partition} = 1;
	}
}
is(scalar(keys %seen), 3 * 2 * 10000, 'auto: what a worker and two promoted clones make at once is distinct');
is(scalar(keys %nodes), 3, 'auto: each has a node of its own');
foreach my $session (@sessions)
{
	like(answer($session, 'SELECT kid_next();'), qr{55000}, 'kid64: an error on each');
}

# With citus they are one node until Citus knows of them.
my @all = ($coordinator, @workers, @clones);
set_on([ "ALTER SYSTEM SET kid.node = 'citus'", 'ALTER SYSTEM SET kid.lanes = 16', 'SELECT pg_reload_conf()' ], @all);
my $number = 'SELECT node, kid_sequence(kid_next()) / 1024, kid_node(kid96_next()), kid_partition(sno_next()), kid_generator(flake_next()) FROM kid_identity();';
is(answer($_, $number), "1|8|1|1|1", 'citus: the number of the worker that it was cloned from') foreach @sessions;
add_node($coordinator, $_) foreach @clones;
is($clones[0]->safe_psql('postgres', 'SELECT groupid FROM pg_dist_local_group') + 1, $clones[1]->safe_psql('postgres', 'SELECT groupid FROM pg_dist_local_group'),
	'Citus gives each a number');
my @groups = map { $_->safe_psql('postgres', 'SELECT groupid FROM pg_dist_local_group') } @clones;
# Lanes of 3, 4 and 5 of 16 are the twelfth, the second and the tenth.
my %lane = (3 => 12, 4 => 2, 5 => 10);
is(answer($sessions[$_ + 1], $number), "$groups[$_]|$lane{$groups[$_]}|$groups[$_]|$groups[$_]|$groups[$_]", 'in a session that began before, too')
  foreach 0, 1;
close_session($_) foreach @sessions;

# One that Citus promotes itself. It has its settings from the files of the worker, whose place it took in them before.
my $session = open_session($known);
$known->append_conf('postgresql.conf', "kid.node = 'citus'\nkid.lanes = 16\n");
$known->reload;
my ($id) = $coordinator->safe_psql('postgres', sprintf 'SELECT nodeid FROM pg_dist_node WHERE nodeport = %d', $known->port);
$coordinator->safe_psql('postgres', "SELECT citus_promote_clone_and_rebalance($id)");
my $group = $known->safe_psql('postgres', 'SELECT groupid FROM pg_dist_local_group');
is(answer($session, $number), "$group|$lane{$group}|$group|$group|$group", 'promoted by Citus: with a number of its own');
close_session($session);

# All write.
push @all, $known;
is( join(' ', sort { $a <=> $b } map { $_->safe_psql('postgres', 'SELECT node FROM kid_identity()') } @all), '0 1 2 3 4 5', 'all have numbers of their own');
my $insert = 'INSERT INTO ids (tenant, v) SELECT i, i FROM generate_series(1, 200) AS i;';
end_load(map { start_load($_, 2, 20, $insert) } @all);
has_ids($coordinator, 'ids', 1000 + 6 * 8000, 'all nodes at once');
is($coordinator->safe_psql('postgres', 'SELECT count(DISTINCT kid_node(kid96)) FROM ids WHERE kid_node(kid96) < 16'), '6', 'of six nodes');

$_->stop('immediate') foreach @all;
done_testing();
