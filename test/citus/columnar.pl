# Scans of columnar tables skip the row groups that a condition on time excludes, for each type.
use strict;
use warnings;
use CitusNodes;
use Test::More;
use Types;

my $node = new_node('columnar');
plan skip_all => 'citus_columnar is not installed'
  unless $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'citus_columnar'");
$node->safe_psql('postgres', 'CREATE EXTENSION citus_columnar; CREATE EXTENSION kid');
foreach (all_types())
{
	my ($type, $column) = @$_{qw(prefix type)};
	$node->safe_psql('postgres', qq{
		CREATE TABLE made_$type (id $column, n int) USING columnar;
		INSERT INTO made_$type
		SELECT ${type}_at(timestamptz '2026-01-01 00:00+00' + n * interval '1 second'), n
			FROM generate_series(0, 99999) AS n});
	# There are ten groups of 10,000 rows, and the hour is in the fourth and the fifth.
	my ($since, $until) = map { "'2026-01-01 $_:33:20+00'" } 10, 11;
	foreach my $condition (
		$type eq 'kid53'
		? ("kid53_within(id, $since, $until)", "id >= kid53_floor($since) AND id < kid53_floor($until)")
		: ("kid_within(id, tstzrange($since, $until))", "id >= $since\::timestamptz AND id < $until\::timestamptz"))
	{
		is($node->safe_psql('postgres', "SELECT count(*), min(n), max(n) FROM made_$type WHERE $condition"),
			'3600|38000|41599', "$type: $condition");
		like($node->safe_psql('postgres',
				"EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT n FROM made_$type WHERE $condition"),
			qr/Columnar Chunk Groups Removed by Filter: 8$/m, "$type: two groups are read");
	}
}
$node->stop;
done_testing();
