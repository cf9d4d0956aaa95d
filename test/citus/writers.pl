# All ways to write on a Citus cluster: INSERT ... SELECT with defaults computed on the workers, both workers directly,
# COPY, and the coordinator. Without settings a call that could repeat an ID fails. With settings no ID repeats.
use strict;
use warnings;
use CitusNodes;
use PostgreSQL::Test::Utils;
use Test::More;

my ($coordinator, @workers) = start_cluster('worker1', 'worker2');
my @nodes = ($coordinator, @workers);
$coordinator->safe_psql('postgres', q{
	CREATE TABLE source (tenant int, v int);
	SELECT create_distributed_table('source', 'tenant');
	INSERT INTO source SELECT i, i FROM generate_series(1, 20000) AS i;
	CREATE TABLE rows_of_all (tenant int, v int, kid64 kid64 DEFAULT kid_next(), kid96 kid96 DEFAULT kid96_next(),
		sno sno DEFAULT sno_next(), flake flake DEFAULT flake_next());
	SELECT create_distributed_table('rows_of_all', 'tenant', colocate_with => 'source');
	CREATE TABLE rows_of_node (tenant int, v int, kid96 kid96 DEFAULT kid96_next(), sno sno DEFAULT sno_next());
	SELECT create_distributed_table('rows_of_node', 'tenant', colocate_with => 'source')});

# Without settings, calls fail on the workers, in any session. IDs that contain the node number are distinct.
my @commands;
foreach my $generator ('kid_next()', 'kid64_at(now())', 'kid53_next()', 'kid53_at(now())', 'flake_next()',
	'flake_at(now())')
{
	foreach my $node (@workers)
	{
		my $error = error_of($node, "SELECT $generator");
		like($error, qr{55000: IDs that this Citus worker makes would repeat},
			"without settings, $generator fails on a worker");
		my @hint = $error =~ /(ALTER SYSTEM [^;]*)/g;
		@commands = @hint if @hint > @commands;
	}
}
like(error_of($coordinator, 'INSERT INTO rows_of_all (tenant, v) SELECT tenant, v FROM source'), qr{55000},
	'without settings, INSERT ... SELECT fails');
is($coordinator->safe_psql('postgres', 'SELECT count(*) FROM rows_of_all'), '0',
	'without settings, INSERT ... SELECT inserts no row');
$coordinator->safe_psql('postgres', 'INSERT INTO rows_of_node (tenant, v) SELECT tenant, v FROM source');
is($coordinator->safe_psql('postgres',
		'SELECT count(DISTINCT kid96), count(DISTINCT sno), count(DISTINCT kid_node(kid96)) FROM rows_of_node'),
	'20000|20000|2', 'without settings, both workers make distinct kid96 and sno');
has_ids_of_coordinator('without settings');

# The coordinator itself makes the IDs for rows that a client sends it.
sub has_ids_of_coordinator
{
	my ($name) = @_;
	$coordinator->safe_psql('postgres', 'TRUNCATE rows_of_all');
	$coordinator->safe_psql('postgres',
		'INSERT INTO rows_of_all (tenant, v) SELECT i, i FROM generate_series(1, 20000) AS i');
	$coordinator->safe_psql('postgres',
		"COPY rows_of_all (tenant, v) FROM PROGRAM 'seq -f %.0f,1 20000' WITH (FORMAT csv)");
	return has_ids($coordinator, 'rows_of_all', 40000, "$name, COPY and INSERT on the coordinator");
}

# With the settings of the hint: the coordinator first, as the workers make no IDs before.
is("@commands", "ALTER SYSTEM SET kid.node = 'citus' ALTER SYSTEM SET kid.lanes = 16", 'the hint has two commands');
set_on([ @commands, 'SELECT pg_reload_conf()' ], @nodes);
is(join(' ', map { $_->safe_psql('postgres', 'SELECT * FROM kid_identity()') } @nodes),
	'0|0|0|0|16 1|1|1|1|16 2|2|2|2|16', 'with the settings of the hint, each node has its number');
$coordinator->safe_psql('postgres', 'TRUNCATE rows_of_all');
$coordinator->safe_psql('postgres', 'INSERT INTO rows_of_all (tenant, v) SELECT tenant, v FROM source') foreach 1 .. 3;
has_ids($coordinator, 'rows_of_all', 60000, 'with the settings of the hint, INSERT ... SELECT');
is($coordinator->safe_psql('postgres', 'SELECT DISTINCT kid_node(kid96), kid_partition(sno), kid_generator(flake),
		kid_sequence(kid64) / 1024 FROM rows_of_all ORDER BY 1'),
	"1|1|1|8\n2|2|2|4", 'with the settings of the hint, each worker makes IDs with its number');
has_ids_of_coordinator('with settings');

# All ways at once.
$coordinator->safe_psql('postgres', 'TRUNCATE rows_of_all');
my $insert = 'INSERT INTO rows_of_all (tenant, v) SELECT i, i FROM generate_series(1, 200) AS i;';
end_load(
	(map { start_load($_, 2, 50, $insert) } @workers),
	start_load($coordinator, 1, 50, $insert),
	start_load($coordinator, 1, 5, 'INSERT INTO rows_of_all (tenant, v) SELECT tenant, v FROM source LIMIT 10000;'),
	start_load($coordinator, 1, 3, 'INSERT INTO rows_of_all (tenant, v) SELECT tenant, v FROM source;'),
	start_load($coordinator, 1, 20,
		"COPY rows_of_all (tenant, v) FROM PROGRAM 'seq -f %.0f,1 500' WITH (FORMAT csv);"));
has_ids($coordinator, 'rows_of_all', 4 * 10000 + 10000 + 50000 + 60000 + 10000, 'all ways to write at once');
is($coordinator->safe_psql('postgres', 'SELECT string_agg(DISTINCT kid_node(kid96)::text, $$ $$) FROM rows_of_all'),
	'0 1 2', 'the table has IDs of all nodes');

# Statements that Citus rejects, and a number without a lane.
like(error_of($coordinator, 'UPDATE rows_of_all SET kid64 = kid_next()'),
	qr{functions used in UPDATE queries on distributed tables must not be VOLATILE},
	'Citus rejects UPDATE with kid_next()');
set_on([ 'ALTER SYSTEM SET kid.lanes = 2', 'SELECT pg_reload_conf()' ], @nodes);
like(error_of($coordinator, 'INSERT INTO rows_of_all (tenant, v) SELECT tenant, v FROM source'),
	qr{F0000: node number of this server does not fit "kid.lanes"\nDETAIL:  It is 2, and the range is 0 to 1},
	'with two lanes a third node fails');

# Transactions on other nodes are not known here, so there is no horizon.
foreach my $horizon ('kid_horizon()', 'flake_horizon()', 'kid_uuidv7_horizon()')
{
	like(($coordinator->psql('postgres', "SELECT $horizon"))[2],
		qr/ERROR:  \Q$horizon\E is not available in a database that has Citus\n/, "$horizon is an error");
}

$_->stop foreach @nodes;

done_testing();
