# kid outside PostgreSQL's own folders, as an image for Kubernetes that is mounted beside PostgreSQL's has it. Then the
# server finds it by extension_control_path and dynamic_library_path, from 18 on.
# Versions: extension_control_path, from 18 on
use strict;
use warnings;
use File::Copy;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
plan skip_all => 'extension_control_path needs PostgreSQL 18' if $node->pg_version < 18;
$node->init;

# The layout of docs/start/install.md. The version differs from that of the kid in PostgreSQL's own folders.
my $image = PostgreSQL::Test::Utils::tempdir . '/kid';
my ($from_share, $from_lib) = ($node->config_data('--sharedir') . '/extension', $node->config_data('--pkglibdir'));
my ($version) = slurp_file("$from_share/kid.control") =~ /default_version = '(.*)'/;
mkdir $_ or die "$_: $!" foreach $image, "$image/lib", "$image/share", "$image/share/extension";
copy("$from_lib/kid.so", "$image/lib/kid.so") or die $!;
chmod 0755, "$image/lib/kid.so";
foreach my $extension (qw(kid kid_seal kid_workers))
{
	append_to_file("$image/share/extension/$extension.control",
		slurp_file("$from_share/$extension.control") =~ s/\Q$version\E/999.0.0/r);
	copy("$from_share/$extension--$version.sql", "$image/share/extension/$extension--999.0.0.sql") or die $!;
}
like(slurp_file("$image/share/extension/kid.control"), qr/^module_pathname = '\$libdir\/kid'$/m,
	'the library is "$libdir/kid", by which JIT finds its bitcode; '
	  . 'PostgreSQL looks for it in dynamic_library_path, too');

$node->append_conf('postgresql.conf', <<"END");
extension_control_path = '$image/share:\$system'
dynamic_library_path = '$image/lib:\$libdir'
END
$node->start;

# The library that a session of this database has loaded.
sub library_in
{
	my ($database) = @_;
	my @maps = split /\n/, $node->safe_psql($database, q{SELECT kid_next(); SELECT pg_read_file('/proc/self/maps')});
	my %loaded = map { m{(/\S*/kid\.so)$} ? ($1 => 1) : () } @maps;
	return join ' ', sort keys %loaded;
}

# Tests that the script and the library are those of the image, also in parallel workers.
sub verify
{
	my ($how) = @_;
	is($node->safe_psql('postgres', q{SELECT extversion FROM pg_extension WHERE extname = 'kid'}), '999.0.0',
		"$how: the script comes from the image");
  SKIP:
	{
		skip 'no /proc', 1 if !-e '/proc/self/maps';
		is(library_in('postgres'), "$image/lib/kid.so", "$how: the library comes from the image");
	}
	# Parallel workers load the leader's libraries by their full names.
	my $plan = $node->safe_psql('postgres', q{
		SET debug_parallel_query = on;
		SET parallel_setup_cost = 0;
		SET parallel_tuple_cost = 0;
		SET min_parallel_table_scan_size = 0;
		EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(*), max(id), max(kid_timestamp(id)) FROM item
			WHERE id > now() - interval '1 day';
	});
	like($plan, qr/Workers Launched: [1-9]/, "$how: a parallel query");
	return;
}

$node->safe_psql('postgres', 'CREATE EXTENSION kid; CREATE EXTENSION pgcrypto; CREATE EXTENSION kid_seal;
	CREATE TABLE item (id kid64 PRIMARY KEY DEFAULT kid_next(), number int);
	INSERT INTO item (number) SELECT generate_series(1, 20000); ANALYZE item;');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT id) FROM item'), '20000', 'CREATE EXTENSION, and IDs');
verify('not preloaded');

$node->append_conf('postgresql.conf', "shared_preload_libraries = 'kid'");
$node->restart;
verify('preloaded');
is($node->safe_psql('postgres', 'SELECT kid_next() > max(id) FROM item'), 't', 'IDs rise after the restart');

my $dump = PostgreSQL::Test::Utils::tempdir . '/dump';
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', $node->connstr('postgres') ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('restored'), $dump ], 'pg_restore');
is($node->safe_psql('restored', 'SELECT count(*), min(number), max(number) FROM item'), '20000|1|20000',
	'the rows are there');
like($node->safe_psql('restored', 'INSERT INTO item DEFAULT VALUES RETURNING id'), qr/^\S{11}$/,
	'the restored table makes IDs');

$node->stop;
done_testing();
