# A key of a GiST index whose length is damaged is an error, not a crash.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
# From 18 on initdb enables checksums.
$node->init($node->pg_version >= 18 ? (extra => ['--no-data-checksums']) : ());
$node->append_conf('postgresql.conf', "autovacuum = off\nrestart_after_crash = off\n");
$node->start;
my %ids = map { $_ => "${_}_floor('2026-11-24')" } qw(kid64 sno flax);
$node->safe_psql('postgres', 'CREATE EXTENSION kid');
my %file;
foreach my $type (sort keys %ids)
{
	$node->safe_psql('postgres', "CREATE TABLE of_$type (id $type); INSERT INTO of_$type VALUES ($ids{$type});
		CREATE INDEX gist_$type ON of_$type USING gist (id)");
	$file{$type} = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('gist_$type')");
}
my %bytes = map { $_ => pack 'H*', $node->safe_psql('postgres', "SELECT encode(id::bytea, 'hex') FROM of_$_") }
  keys %ids;
$node->stop;

# The header of a short value is twice its size with the header, and 1.
foreach my $type (sort keys %ids)
{
	my $key = $bytes{$type} x 2;
	foreach my $size (0, 4, 8, 10, 12, 40)
	{
		next if $size == length $bytes{$type};
		my $good = slurp_file($file{$type});
		my $bad = $good;
		is($bad =~ s/.\Q$key\E/chr(2 * (2 * $size + 1) + 1) . $key/se, 1, "$type: the key is found");
		open my $file, '>:raw', $file{$type} or die $!;
		print $file $bad;
		close $file;
		$node->start;
		my ($status, $stdout, $stderr) = $node->psql('postgres',
			"SET enable_seqscan = off; SELECT count(*) FROM of_$type WHERE id = $ids{$type}");
		like($stderr, qr/ERROR:  GiST index of IDs contains a key of the wrong size/,
			"$type: a key for IDs of $size bytes is an error");
		$node->stop;
		open $file, '>:raw', $file{$type} or die $!;
		print $file $good;
		close $file;
	}
}
done_testing();
