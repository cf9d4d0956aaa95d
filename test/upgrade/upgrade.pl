# Upgrades a server by pg_upgrade and by pg_dump, from the PostgreSQL in $OLD to the one in $NEW, folders such as
# /usr/lib/postgresql/15, with kid in each. test/roots/matrix provides all that.
use strict;
use warnings;
use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($old, $new) = map { PostgreSQL::Test::Cluster->new($_, install_path => $ENV{$_}) } qw(OLD NEW);
# Both clusters must have checksums, or neither. From 18 on they are the default.
$_->init(extra => [ $_->pg_version >= 18 ? '--no-data-checksums' : () ]) foreach $old, $new;
my $here = dirname(__FILE__);
sub file
{
	my ($node, $name, $database) = @_;
	return $node->safe_psql($database // 'postgres', slurp_file("$here/$name.sql"));
}

$old->start;
file($old, 'create');
my $contents = file($old, 'contents');
cmp_ok(scalar split(/\n/, $contents), '>', 40, 'the old server has contents to compare');
my $dump = "$PostgreSQL::Test::Utils::tmp_check/dump.sql";
command_ok([ "$ENV{NEW}/bin/pg_dump", '-f', $dump, '-d', $old->connstr('postgres') ],
	'pg_dump of the new version dumps the old server');
$old->stop;

chdir $PostgreSQL::Test::Utils::tmp_check or die $!;
my @upgrade = ("$ENV{NEW}/bin/pg_upgrade", '-b', "$ENV{OLD}/bin", '-B', "$ENV{NEW}/bin", '-d', $old->data_dir,
	'-D', $new->data_dir, '-s', $new->host, '-p', $old->port, '-P', $new->port);
command_ok([ @upgrade, '--check' ], 'pg_upgrade --check');
command_ok(\@upgrade, 'pg_upgrade');
$new->start;
is(file($new, 'contents'), $contents, 'pg_upgrade: rows, indexes, partitions and defaults');
is(file($new, 'indexes'), "t\n0|25", 'pg_upgrade: each index finds its rows');
is($new->safe_psql('postgres',
		'SELECT clock, issued IS NOT NULL FROM kid_observe_all() WHERE problem IS NULL ORDER BY clock'),
	"flake|t\nkid|t\nkid53|t\nsno|t\nuuidv7|t", 'pg_upgrade: kid_observe_all() finds the IDs of each clock');
is(file($new, 'generators'), "t\nt|t|t|t\nt\nt\nparts_new\nt", 'pg_upgrade: generators and views work');

$new->safe_psql('postgres', 'CREATE DATABASE restored');
$new->command_ok([ "$ENV{NEW}/bin/psql", '-XAtq', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'restored' ],
	'pg_dump: the dump is restored without an error');
is(file($new, 'contents', 'restored'), $contents, 'pg_dump: rows, indexes, partitions and defaults');
is(file($new, 'indexes', 'restored'), "t\n0|25", 'pg_dump: each index finds its rows');
$new->stop;

done_testing();
