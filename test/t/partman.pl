# pg_partman makes and drops the partitions of a table whose key is a bigint with kid53_next(), by number, as
# docs/guides/partitions.md shows. From version 5.2 on it does so for a uuid of version 7, by time, with an encoder and
# a decoder of that page; before that, and for a kid64 in any version, it refuses the table.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\n");
$node->start;
use_database($node);
my $version = sql("SELECT default_version FROM pg_available_extensions WHERE name = 'pg_partman'");
plan skip_all => 'there is no pg_partman' if $version eq '';
note "pg_partman $version";
my $has_encoders = $version =~ /^(\d+)\.(\d+)/ && ($1 > 5 || $1 == 5 && $2 >= 2);
my $native = $version =~ /^4\./ ? "p_type => 'native'," : '';

sql('CREATE EXTENSION kid; CREATE SCHEMA partman; CREATE EXTENSION pg_partman SCHEMA partman');
my $page = slurp_file('docs/guides/partitions.md');
my ($by_number, $by_time) = ($page =~ /^## pg_partman\n(.*?)^## /ms)[0] =~ /^```sql\n(.*?)^```$/msg;

# Returns the bounds of the partitions of a table as times, and those that days from an instant on have.
sub bounds
{
	my ($table, $decode) = @_;
	return sql(qq{
		SELECT string_agg(concat_ws(' ', $decode((bounds)[1]), $decode((bounds)[2])), ', ' ORDER BY (bounds)[1])
		  FROM pg_inherits, pg_class,
		       regexp_match(pg_get_expr(relpartbound, oid), \$\$FROM \\('([^']+)'\\) TO \\('([^']+)'\\)\$\$) AS bounds
		 WHERE inhparent = '$table'::regclass AND inhrelid = oid AND bounds IS NOT NULL});
}

# Returns so many days from one on, as the bounds of partitions are printed.
sub days
{
	my ($from, $count) = @_;
	return sql(qq{SELECT string_agg(concat_ws(' ', day, day + interval '1 day'), ', ' ORDER BY day)
		FROM generate_series(0, $count - 1) AS n,
		     LATERAL (SELECT '$from'::timestamptz + n * interval '1 day') AS d (day)});
}

sql("CREATE FUNCTION time_of_number(text) RETURNS timestamptz RETURN kid53_timestamp(\$1::bigint)");
sql('CREATE TABLE events (id bigint PRIMARY KEY DEFAULT kid53_next(), payload text) PARTITION BY RANGE (id)');
sql($by_number =~ s/'public.events', 'id',\K/ $native/r);
my $today = sql("SELECT date_trunc('day', now())");
my $number_of_days = sql("SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass") - 1;
is(bounds('events', 'time_of_number'), days($today, $number_of_days),
	"kid53: there are $number_of_days partitions, one for each day from today on");
sql("INSERT INTO events (payload) SELECT 'x' FROM generate_series(1, 100)");
is(sql('SELECT count(*) FROM events_default'), 0, 'kid53: new rows are in the partition of today');
is(sql("SELECT count(*) FROM events WHERE kid53_within(id, '$today', '$today'::timestamptz + interval '1 day')"), 100,
	'kid53: and kid53_within() finds them');
sql("INSERT INTO events VALUES (kid53_at(now() + interval '3 days'))");
sql("CALL partman.run_maintenance_proc()");
cmp_ok(sql("SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass") - 1, '>', $number_of_days,
	'kid53: its maintenance makes more when there are later rows');
my $daily = '86400000::bigint * 4096';
is(sql("SELECT kid53_floor('$today'::timestamptz + interval '1 day') - kid53_floor('$today')"), sql("SELECT $daily"),
	'kid53: a day has this number of IDs');

like(error_of("CREATE TABLE a (id kid64 PRIMARY KEY) PARTITION BY RANGE (id);
		SELECT partman.create_parent('public.a', 'id', $native p_interval => '1 day')"),
	qr/only supports partitioning|Only date\/time/, 'kid64: it refuses the table');
sql('CREATE TABLE visits (id uuid PRIMARY KEY DEFAULT kid_uuidv7(), payload text) PARTITION BY RANGE (id)');
if ($has_encoders)
{
	sql($by_time);
	my $days = sql("SELECT count(*) FROM pg_inherits WHERE inhparent = 'visits'::regclass") - 1;
	my $first = sql("SELECT date_trunc('day', now() - interval '4 days')");
	is(bounds('visits', 'partman_time'), days($first, $days),
		"uuid: there are $days partitions, one for each day from four days ago on");
	sql("INSERT INTO visits (payload) SELECT 'x' FROM generate_series(1, 100)");
	is(sql('SELECT count(*) FROM visits_default'), 0, 'uuid: new rows are in the partition of today');
	sql(q{UPDATE partman.part_config SET retention = '2 days', retention_keep_table = false
		WHERE parent_table = 'public.visits'});
	sql("INSERT INTO visits SELECT kid_uuidv7_at(now() - n * interval '1 day') FROM generate_series(1, 4) AS n");
	sql("CALL partman.run_maintenance_proc()");
	is(sql("SELECT min(kid_timestamp(id)) >= '$today'::timestamptz - interval '2 days' FROM visits"), 't',
		'uuid: its retention drops old partitions');
}
else
{
	like(error_of("SELECT partman.create_parent('public.visits', 'id', $native p_interval => 'daily')"),
		qr/only supports partitioning|Only date\/time/, 'uuid: a version before 5.2 refuses the table');
}

$node->stop;
done_testing();
