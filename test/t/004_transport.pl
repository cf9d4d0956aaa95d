# IDs on their way: COPY, dump and restore, logical replication, each in text and binary form where it has both.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('publisher');
$node->init(allows_streaming => 'logical');
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION kid;
	CREATE TABLE t (id kid64 PRIMARY KEY DEFAULT kid_next(), n int);
	INSERT INTO t (n) SELECT generate_series(1, 1000);
	INSERT INTO t VALUES ('...........', 0), ('zzzzzzzzzzw', -1);
});
my $content = 'SELECT count(*), md5(string_agg(id::text || n, \',\' ORDER BY id)) FROM t';
my $expected = $node->safe_psql('postgres', $content);
like($expected, qr/^1002\|/, 'a table with IDs');

# COPY
my $dir = $node->basedir;
foreach my $format ('text', 'csv', 'binary')
{
	$node->safe_psql('postgres', qq{
		\\copy t TO '$dir/copy.$format' WITH (FORMAT $format)
		CREATE TABLE copied (LIKE t);
		\\copy copied FROM '$dir/copy.$format' WITH (FORMAT $format)
	});
	is($node->safe_psql('postgres', $content =~ s/ t$/ copied/r), $expected, "COPY, $format");
	$node->safe_psql('postgres', 'DROP TABLE copied');
}

# In the binary form the 8 bytes are those of uid, most significant first.
$node->safe_psql('postgres', qq{\\copy (SELECT '........Ezw'::kid64) TO '$dir/one' WITH (FORMAT binary)});
like(unpack('H*', slurp_file("$dir/one")), qr/0001000000080000000000003fffffff$/, 'the binary form');

# Binary data of another length.
foreach my $length (0, 7, 9, 16)
{
	open my $file, '>:raw', "$dir/bad" or die $!;
	print $file "PGCOPY\n\xff\r\n\0", pack('NNnNa*n', 0, 0, 1, $length, "\0" x $length, 0xffff);
	close $file;
	my ($status, $stdout, $stderr) = $node->psql('postgres',
		"\\set VERBOSITY verbose\n\\copy t (id) FROM '$dir/bad' WITH (FORMAT binary)");
	like($stderr, qr/ERROR:  22P03: incorrect binary data format for type kid64\nDETAIL:  .* has 8 bytes, not $length\./,
		"$length bytes are not an ID");
}

# Dump and restore, of the whole table and with its default.
$node->safe_psql('postgres', 'CREATE DATABASE restored');
foreach my $format ('plain', 'custom')
{
	$node->command_ok([ 'pg_dump', '-F', $format, '-f', "$dir/dump", '-d', $node->connstr('postgres') ], "pg_dump, $format");
	$node->safe_psql('restored', 'DROP TABLE IF EXISTS t; DROP EXTENSION IF EXISTS kid');
	$node->command_ok(
		$format eq 'plain'
		? [ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/dump", '-d', $node->connstr('restored') ]
		: [ 'pg_restore', '-e', '-d', $node->connstr('restored'), "$dir/dump" ],
		"restore, $format");
	is($node->safe_psql('restored', $content), $expected, "the restored table, $format");
	is( $node->safe_psql('restored', q{SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 't'::regclass}),
		'kid_next()', "its default, $format");
}

# Logical replication. The initial copy, then changes.
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init;
$subscriber->start;
$node->safe_psql('postgres', 'CREATE PUBLICATION p FOR TABLE t');
my $connection = $node->connstr . ' dbname=postgres';
foreach my $binary ('false', 'true')
{
	$subscriber->safe_psql('postgres', "CREATE DATABASE binary_$binary");
	$subscriber->safe_psql("binary_$binary", qq{
		CREATE EXTENSION kid;
		CREATE TABLE t (id kid64 PRIMARY KEY, n int);
		CREATE SUBSCRIPTION binary_$binary CONNECTION '$connection' PUBLICATION p WITH (binary = $binary);
	});
	$subscriber->wait_for_subscription_sync($node, "binary_$binary", "binary_$binary");
}
$node->safe_psql('postgres', q{
	INSERT INTO t (n) SELECT generate_series(1, 1000);
	UPDATE t SET n = n + 1 WHERE id = (SELECT max(id) FROM t WHERE n = 500);
	DELETE FROM t WHERE id = (SELECT min(id) FROM t WHERE n > 0);
});
$expected = $node->safe_psql('postgres', $content);
like($expected, qr/^2001\|/, 'changes to replicate');
foreach my $binary ('false', 'true')
{
	$node->wait_for_catchup("binary_$binary");
	is($subscriber->safe_psql("binary_$binary", $content), $expected, "logical replication, binary = $binary");
}

$subscriber->stop;
$node->stop;
done_testing();
