# Comparisons with time on a distributed table. They reach the shards as ranges of their keys, prune partitions there,
# and find the same rows as in a table that is not distributed.
use strict;
use warnings;
use CitusNodes;
use PostgreSQL::Test::Utils;
use Test::More;
use Types;

my ($coordinator, @workers) = start_cluster('worker1', 'worker2');
my @ids = names_of();
my $columns = join ', ', map { "$_ $_" } @ids;
$coordinator->safe_psql('postgres', "
	CREATE TABLE here (tenant int, $columns);
	INSERT INTO here SELECT i, " . join(', ', map { "${_}_at(t)" } @ids)
	  . " FROM generate_series(1, 2000) AS i,
		LATERAL (SELECT timestamptz '2026-11-20' + i * interval '1 min' AS t) AS at;
	CREATE TABLE spread (LIKE here);
	SELECT create_distributed_table('spread', 'tenant');
	INSERT INTO spread SELECT * FROM here;
	" . join('', map { "CREATE INDEX ON spread ($_);" } @ids));

# Workers plan their queries themselves, so the setting must be on them.
$_->append_conf('postgresql.conf', 'enable_seqscan = off') foreach @workers;
$_->reload foreach @workers;
foreach my $id (@ids)
{
	foreach my $condition ("$id <@ tstzrange('2026-11-20 12:00+00', '2026-11-20 13:00+00')",
		"$id >= timestamptz '2026-11-21 06:00+00'",
		"$id < timestamptz '2026-11-20 00:30+00'", "$id > now()",
		"$id > (SELECT kid_timestamp(min(h.$id)) + interval '1 h' FROM here AS h)")
	{
		my $plan = $coordinator->safe_psql('postgres',
			"EXPLAIN (COSTS OFF) SELECT count(*) FROM spread WHERE $condition");
		like($plan, qr{Task Count: 8.*Index Cond: .*\($id [<>]=? }s, "index of a shard: $condition") or diag $plan;
		my @counts = map { $coordinator->safe_psql('postgres',
				"SELECT count(*), min($id), max($id) FROM $_ WHERE $condition") } 'here', 'spread';
		is($counts[1], $counts[0], "all shards find the same rows as a local table: $condition");
	}
}

# kid creates the partitions on all workers.
$coordinator->safe_psql('postgres', q{
	CREATE TABLE events (id kid64 NOT NULL, tenant int) PARTITION BY RANGE (id);
	SELECT create_distributed_table('events', 'tenant');
	SELECT kid_create_partitions('events', width => '1 day', until => now() + interval '3 days');
	INSERT INTO events SELECT kid64_at(now() + i * interval '1 h'), i FROM generate_series(1, 48) AS i});
my $recent = $coordinator->safe_psql('postgres',
	"EXPLAIN (COSTS OFF) SELECT count(*) FROM events WHERE id > timestamptz 'tomorrow' + interval '1 day'");
unlike($recent, qr{Append.*Append}s, 'the plan shows one task');
my ($first) = split /\n/, $coordinator->safe_psql('postgres',
	q{SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'events'::regclass ORDER BY 1::text});
unlike($recent, qr{$first}, 'older partitions are pruned on the workers') or diag $recent;
is($coordinator->safe_psql('postgres', "SELECT count(*) FROM events WHERE id > timestamptz 'tomorrow'"),
	$coordinator->safe_psql('postgres',
		"SELECT count(*) FROM events WHERE kid_timestamp(id) > timestamptz 'tomorrow' + interval '1 ms'"),
	'the remaining partitions have all rows');

$_->stop foreach $coordinator, @workers;
done_testing();
