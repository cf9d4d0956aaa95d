# Shards move to another worker and back while all nodes write to them. No ID repeats, and no row is missing.
use strict;
use warnings;
use CitusNodes;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = start_cluster('worker1', 'worker2');
my @nodes = ($coordinator, @workers);
set_on([ "ALTER SYSTEM SET kid.node = 'citus'", 'ALTER SYSTEM SET kid.lanes = 16', 'SELECT pg_reload_conf()' ], @nodes);
$coordinator->safe_psql('postgres', q{
	CREATE TABLE ids (tenant int, v int, kid64 kid64 DEFAULT kid_next(), kid96 kid96 DEFAULT kid96_next(),
		sno sno DEFAULT sno_next(), flake flake DEFAULT flake_next(), PRIMARY KEY (tenant, kid64));
	SELECT create_distributed_table('ids', 'tenant')});

my $insert = 'INSERT INTO ids (tenant, v) SELECT i, i FROM generate_series(1, 50) AS i;';
my @loads = map { start_load($_, 2, 400, $insert) } @nodes;
my $moves = 0;
foreach my $round ('there', 'back')
{
	foreach my $line (split /\n/, $coordinator->safe_psql('postgres',
			'SELECT shardid, nodeport FROM citus_shards ORDER BY shardid LIMIT 4'))
	{
		my ($shard, $port) = split /[|]/, $line;
		my ($to) = grep { $_->port != $port } @workers;
		$coordinator->safe_psql('postgres',
			sprintf "SELECT citus_move_shard_placement(%d, '127.0.0.1', %d, '127.0.0.1', %d,
				shard_transfer_mode => 'force_logical')",
			$shard, $port, $to->port);
		$moves++;
	}
}
is($moves, 8, 'eight shards moved while all nodes write');
note 'rows after the last shard had moved: ' . $coordinator->safe_psql('postgres', 'SELECT count(*) FROM ids');
end_load(@loads);
has_ids($coordinator, 'ids', 3 * 2 * 400 * 50, 'after shards moved');

$_->stop foreach @nodes;
done_testing();
