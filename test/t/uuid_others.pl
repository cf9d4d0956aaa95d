# The uuids of version 7 that PostgreSQL makes from 18 on, beside those of kid: each reads those of the other.
# Versions: uuidv7(), from 18 on
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
plan skip_all => 'uuidv7() needs PostgreSQL 18' if $node->pg_version < 18;
$node->start;
use_database($node);

sql(q{
	CREATE EXTENSION kid;
	CREATE TABLE ids (n bigserial, maker text, id uuid PRIMARY KEY, before timestamptz DEFAULT clock_timestamp());
	INSERT INTO ids (maker, id) SELECT 'kid', kid_uuidv7() FROM generate_series(1, 10000);
	INSERT INTO ids (maker, id) SELECT 'postgres', uuidv7() FROM generate_series(1, 10000);
	INSERT INTO ids (maker, id) SELECT CASE WHEN n % 2 = 0 THEN 'kid' ELSE 'postgres' END, CASE
		WHEN n % 2 = 0 THEN kid_uuidv7() ELSE uuidv7() END FROM generate_series(1, 10000) AS n;
	INSERT INTO ids (maker, id, before) SELECT 'postgres', uuidv7(i), clock_timestamp() + i
		FROM generate_series(1, 1000) AS n, make_interval(days => -n) AS i;
	INSERT INTO ids (maker, id, before) SELECT 'kid', kid_uuidv7_at(t), t
		FROM generate_series(1, 1000) AS n, LATERAL (SELECT clock_timestamp() - make_interval(days => n)) AS t (t);
	INSERT INTO ids (maker, id) SELECT 'random', uuidv4() FROM generate_series(1, 1000);
	ANALYZE ids});
is(sql(q{SELECT count(*) FROM ids WHERE kid_timestamp(id) IS DISTINCT FROM date_trunc('milliseconds',
		uuid_extract_timestamp(id))}), 0, 'kid and PostgreSQL read the same time from a uuid');
is(sql(q{SELECT count(*) FROM ids WHERE uuid_extract_version(id) IS DISTINCT FROM CASE maker WHEN 'random' THEN 4
		ELSE 7 END}), 0, 'PostgreSQL reads version 7 from the uuids of kid');
is(sql(q{SELECT count(*) FROM ids, kid_inspect(id) AS v WHERE v.component = 'version'
		AND v.value <> uuid_extract_version(id)::text}), 0, 'kid_inspect() reads the same version as PostgreSQL');
is(sql(q{SELECT count(*) FROM ids WHERE maker <> 'random'
		AND kid_timestamp(id) NOT BETWEEN before - interval '1 min' AND before + interval '1 min'}), 0,
	'uuids of kid and of PostgreSQL contain the time at which they were made');
# A range finds the uuids of that time, with an index and without.
foreach my $t (q{now() - interval '500 days'}, q{now() - interval '1 day'}, q{now()})
{
	is(sql(qq{SET enable_seqscan = off; SELECT count(*) FROM ids WHERE id < $t AND maker <> 'random'}),
		sql(qq{SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
			   SELECT count(*) FROM ids WHERE uuid_extract_timestamp(id) < date_trunc('milliseconds', $t)
				AND maker <> 'random'}), "before $t");
}
is(sql(q{SELECT count(*) FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS falls FROM ids WHERE maker = 'kid'
		AND before >= now() - interval '1 hour') s WHERE falls}), 0, 'the uuids of kid rise, with others between them');

# A new uuid of PostgreSQL is between the bounds of its millisecond.
is(sql(q{SELECT count(*) FROM (SELECT uuidv7() AS id FROM generate_series(1, 1000) OFFSET 0) s
		  WHERE id NOT BETWEEN kid_uuidv7_floor(kid_timestamp(id)) AND kid_uuidv7_ceil(kid_timestamp(id))}), 0,
	'uuids of PostgreSQL are between the bounds of their millisecond');
is(sql(q{SELECT kid_observe(uuidv7(interval '2 s')); SELECT kid_uuidv7() > uuidv7(interval '1 s')}), "\nt",
	'kid_observe() accepts a uuid of PostgreSQL');

$node->stop;
done_testing();
