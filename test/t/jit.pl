# Queries compiled by JIT, with the bitcode of kid's functions. PostgreSQL imports it, and LLVM decides whether to
# inline it: that of Debian's PostgreSQL 15 and 18 inlines functions of no extension.
# Versions: the bitcode and the LLVM of each version
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Types;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf',
	"jit = on\njit_above_cost = 0\njit_inline_above_cost = 0\njit_optimize_above_cost = 0\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION kid');
plan skip_all => 'this PostgreSQL has no JIT' if $node->safe_psql('postgres', 'SELECT pg_jit_available()') ne 't';

like($node->safe_psql('postgres', 'EXPLAIN (ANALYZE) SELECT kid_next() FROM generate_series(1, 3)'), qr/Inlining true/,
	'a query with kid_next() is compiled, with inlining');

foreach my $type (own_types())
{
	my ($name, $next) = ($type->{type}, "$type->{next}()");
	my $query = qq{
		CREATE TEMPORARY TABLE t (id $name, old $name);
		INSERT INTO t SELECT $next, ${name}_at('2020-02-02') FROM generate_series(1, 1000);
		SELECT count(DISTINCT id), count(DISTINCT old), bool_and(id > old), bool_and(id <> old),
			bool_and(id <= ${name}_ceil(now())),
			   bool_and(kid_timestamp(old) BETWEEN '2020-02-02'::timestamptz - interval '2 ms' AND '2020-02-02'),
				bool_and(id::text::$name = id),
			   bool_and(id::bytea::$name = id), min(id) < max(id), min(id - old) > interval '6 years'
		  FROM t};
	is($node->safe_psql('postgres', $query), '1000|1000' . '|t' x 8,
		"$name: a compiled query returns the right values");
}

is($node->safe_psql('postgres', q{
	CREATE TEMPORARY TABLE t (id bigint, old bigint);
	INSERT INTO t SELECT kid53_next(), kid53_at('2022-02-02') FROM generate_series(1, 1000);
	SELECT count(DISTINCT id), count(DISTINCT old), bool_and(id > old), bool_and(id <= kid53_ceil(now())),
		bool_and(kid53_timestamp(old) = '2022-02-02'), bool_and(kid53_within(old, '2022-02-02', '2022-02-03')),
		bool_and(kid53_decode(kid53_encode(id)) = id),
		bool_and(kid53_make(kid53_timestamp(id), kid53_sequence(id)) = id) FROM t}), '1000|1000' . '|t' x 6,
	'kid53: a compiled query returns the right values');

is($node->safe_psql('postgres', q{
	CREATE TEMPORARY TABLE t (id uuid, old uuid);
	INSERT INTO t SELECT kid_uuidv7(), kid_uuidv7_at('2020-02-02') FROM generate_series(1, 1000);
	SELECT count(DISTINCT id), count(DISTINCT old), bool_and(id > old), bool_and(id <= now()),
		bool_and(kid_timestamp(old) = '2020-02-02'),
		   bool_and(kid_within(old, tstzrange('2020-02-02', '2020-02-03'))) FROM t}), '1000|1000|t|t|t|t',
	'uuid version 7: a compiled query returns the right values');

$node->stop;
done_testing();
