# Clones of a Citus worker, all promoted. With kid.node = auto their IDs differ at once. With kid.node = citus they
# differ once Citus has given each clone its own number, also in older sessions.
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

# Standbys of the worker. Citus knows one of them.
$worker->backup('base');
my ($known, @clones) = map {
	my $clone = PostgreSQL::Test::Cluster->new($_);
	$clone->init_from_backup($worker, 'base');
	$clone->append_conf('postgresql.conf', sprintf "primary_conninfo = 'host=127.0.0.1 port=%d application_name=%s'\n",
		$worker->port, $_);
	$clone->set_standby_mode;
	$clone->start;
	$clone
} 'known', 'clone1', 'clone2';
$coordinator->safe_psql('postgres', sprintf "SELECT citus_add_clone_node('127.0.0.1', %d, '127.0.0.1', %d)",
	$known->port, $worker->port);

# Two clones are promoted while their primary runs.
$worker->wait_for_catchup($_->name) foreach @clones;
$_->promote foreach @clones;
my $three = 'SELECT kid96_next(), sno_next(), kid_node(kid96_next()), kid_partition(sno_next())
	FROM generate_series(1, 10000)';
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
is(scalar(keys %seen), 3 * 2 * 10000, 'auto: no ID repeats that a worker and two promoted clones make at once');
is(scalar(keys %nodes), 3, 'auto: the worker and the clones have different node numbers');
foreach my $session (@sessions)
{
	like(answer($session, 'SELECT kid_next();'), qr{55000}, 'auto: kid_next() fails on the worker and its clones');
}

# With citus the worker and its clones have one number until Citus knows the clones.
my @all = ($coordinator, @workers, @clones);
set_on([ "ALTER SYSTEM SET kid.node = 'citus'", 'ALTER SYSTEM SET kid.lanes = 16', 'SELECT pg_reload_conf()' ], @all);
my $number = 'SELECT node, kid_sequence(kid_next()) / 1024, kid_node(kid96_next()), kid_partition(sno_next()),
	kid_generator(flake_next()) FROM kid_identity();';
is(answer($_, $number), "1|8|1|1|1", 'citus: an unknown clone has the number of its worker') foreach @sessions;
add_node($coordinator, $_) foreach @clones;
is($clones[0]->safe_psql('postgres', 'SELECT groupid FROM pg_dist_local_group') + 1,
	$clones[1]->safe_psql('postgres', 'SELECT groupid FROM pg_dist_local_group'),
	'citus: Citus gives each clone a number');
my @groups = map { $_->safe_psql('postgres', 'SELECT groupid FROM pg_dist_local_group') } @clones;
# The lanes of 3, 4 and 5 among 16 are those with index 12, 2 and 10.
my %lane = (3 => 12, 4 => 2, 5 => 10);
is(answer($sessions[ $_ + 1 ], $number), "$groups[$_]|$lane{$groups[$_]}|$groups[$_]|$groups[$_]|$groups[$_]",
	'citus: an older session of a clone uses the new number and lane')
  foreach 0, 1;
close_session($_) foreach @sessions;

# A clone that Citus promotes itself. Its settings come from files copied from the worker.
my $session = open_session($known);
$known->append_conf('postgresql.conf', "kid.node = 'citus'\nkid.lanes = 16\n");
$known->reload;
my ($id) = $coordinator->safe_psql('postgres', sprintf 'SELECT nodeid FROM pg_dist_node WHERE nodeport = %d',
	$known->port);
$coordinator->safe_psql('postgres', "SELECT citus_promote_clone_and_rebalance($id)");
my $group = $known->safe_psql('postgres', 'SELECT groupid FROM pg_dist_local_group');
is(answer($session, $number), "$group|$lane{$group}|$group|$group|$group",
	'a clone promoted by Citus has its own number and lane');
close_session($session);

# All servers write.
push @all, $known;
is(join(' ', sort { $a <=> $b } map { $_->safe_psql('postgres', 'SELECT node FROM kid_identity()') } @all),
	'0 1 2 3 4 5', 'all six servers have different numbers');
my $insert = 'INSERT INTO ids (tenant, v) SELECT i, i FROM generate_series(1, 200) AS i;';
end_load(map { start_load($_, 2, 20, $insert) } @all);
has_ids($coordinator, 'ids', 1000 + 6 * 8000, 'all nodes at once');
is($coordinator->safe_psql('postgres', 'SELECT count(DISTINCT kid_node(kid96)) FROM ids WHERE kid_node(kid96) < 16'),
	'6', 'the table has IDs of all six servers');

$_->stop('immediate') foreach @all;
done_testing();
