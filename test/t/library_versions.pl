# The library, the install script and the running server have different versions: an error says so, unless
# they are compatible.
use strict;
use warnings;
use File::Copy;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
use_database($node);
my $installed = $node->config_data('--pkglibdir') . '/kid.so';
my $directory = PostgreSQL::Test::Utils::tempdir;
# The function that the install script of this version needs.
my $library = join '_', 'kid_library', slurp_file('kid.control') =~ /default_version = '(\d+)\.(\d+)/;

# Builds the library as another version, with another struct in shared memory, from the objects beside this test.
sub build
{
	my ($version, @changes) = @_;
	my $tree = "$directory/$version";
	system_or_bail('cp', '-Rp', '.', $tree);
	foreach ([ 'kid.control', qr/default_version = '[^']*'/, "default_version = '$version'" ], @changes)
	{
		my ($file, $old, $new) = @$_;
		my $text = slurp_file("$tree/$file");
		$text =~ s/$old/$new/ or die "$file has changed";
		unlink "$tree/$file" or die $!;
		append_to_file("$tree/$file", $text);
	}
	system_or_bail('make', '-s', '-C', $tree, 'kid.so', "PG_CONFIG=$ENV{PG_CONFIG}");
	return "$tree/kid.so";
}

# Installs a library as a package does: sessions that have loaded the old library keep it.
sub install
{
	my ($library) = @_;
	copy($library, "$installed.new") or die $!;
	chmod 0755, "$installed.new";
	rename "$installed.new", $installed or die $!;
	return;
}

my @other_struct = ([ 'src/pg/clocks/shmem.cpp', qr/ struct_version = 1;/, ' struct_version = 2;' ],
	[ 'src/pg/clocks/shmem.cpp', qr/struct_version == 1 /, 'struct_version == 2 ' ]);
my ($older, $newer) = (build('0.9.0', @other_struct, [ 'src/pg/module.cpp', qr/\(\K$library\b/, 'kid_library_0_9' ]),
	build('999.0.0', @other_struct));
copy($installed, "$directory/kid.so") or die $!;
END { install("$directory/kid.so") if defined $directory && -e "$directory/kid.so" }

# The library is replaced while the server runs, and new sessions load it.
$node->safe_psql('postgres', 'CREATE EXTENSION kid; CREATE DATABASE other');
my $id = $node->safe_psql('postgres', 'SELECT kid_next()');
install($older);
foreach my $query ('SELECT kid_next()', q{SELECT kid64_at('2026-11-21')}, 'SELECT * FROM kid_stats()',
	'SELECT kid_observe(sno_floor(now()))')
{
	my $error = '^55000: shared memory of kid was set up by another version of its library';
	like(error_of($query),
		qr/$error\nDETAIL:  It is of version 1, .* version 2\.\nHINT:  Restart the server\./,
		"$query fails in a library with another struct in shared memory");
}
is($node->safe_psql('postgres', "SELECT kid_timestamp('$id'::kid64) < now() + interval '2 s', flax_next() IS NOT NULL"),
	't|t', 'functions that do not use shared memory work');

is($node->safe_psql('postgres', 'SELECT kid_version()'), '0.9.0',
	'kid_version() tells the version of the library, not that of the script');

# The install script may need functions that the library does not have.
like(error_of('CREATE EXTENSION kid', database => 'other'),
	qr/^42883: could not find function "$library" in file/,
	'CREATE EXTENSION fails with an older library');
is($node->safe_psql('other', q{SELECT count(*) FROM pg_proc WHERE proname LIKE 'kid%'}), '0',
	'a failed CREATE EXTENSION leaves no function behind');

# A newer library with an older script: every server is so between the installation of a new version and
# ALTER EXTENSION.
install($newer);
$node->safe_psql('other', 'CREATE EXTENSION kid');
pass('CREATE EXTENSION works with a newer library');
$node->restart;
cmp_ok($node->safe_psql('other', 'SELECT kid_next()'), 'gt', $id,
	'IDs rise with a newer library, after a restart of the server');
is($node->safe_psql('other', 'SELECT kid_version()'), '999.0.0', 'a newer library tells its version');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_proc WHERE proname LIKE 'kid_library%'}), '0',
	'the function that checks versions is not left in the catalog');

# A type of another extension, whose library has an input function of the same name.
append_to_file("$directory/same_symbol.c", <<'END');
#include "postgres.h"
#include "fmgr.h"
#include "utils/builtins.h"
PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(kid64_in);
Datum kid64_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(PG_GETARG_CSTRING(0)));
}
END
my ($headers) = split /\n/, qx("$ENV{PG_CONFIG}" --includedir-server);
system_or_bail('cc', '-shared', '-fPIC', '-I', $headers, '-o', "$directory/same_symbol.so", "$directory/same_symbol.c");
$node->safe_psql('other', qq{
	CREATE SCHEMA other;
	CREATE TYPE other.kid64;
	CREATE FUNCTION other.input(cstring) RETURNS other.kid64 LANGUAGE C IMMUTABLE STRICT AS '$directory/same_symbol',
		'kid64_in';
	CREATE FUNCTION other.output(other.kid64) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
	CREATE TYPE other.kid64 (INPUT = other.input, OUTPUT = other.output, LIKE = text);
});
$node->safe_psql('other', q{CREATE TABLE strange (id other.kid64);
	CREATE TRIGGER own BEFORE INSERT ON strange FOR EACH ROW EXECUTE FUNCTION kid_own_ids_trigger('id')});
like(error_of("$_ INSERT INTO strange VALUES ('1')", database => 'other'),
	qr/column "id" of relation "strange" is of type other\.kid64/,
	'a type of another library is not a type of IDs' . ($_ && ', even if that library is loaded first'))
  foreach '', "LOAD '$directory/same_symbol';";

# The least minor versions, which the documents know, too.
my ($least) = slurp_file('src/pg/base/compat.hpp') =~ /constexpr int least_version.*?return (.*?) : 180000;/s;
my @least = ($least // '') =~ /\? (\d+)/g;
is(scalar @least, 3, 'the least minor versions');
foreach my $number (@least)
{
	my $version = sprintf '%d.%d', $number / 10000, $number % 10000;
	like(slurp_file($_), qr/\b\Q$version\E\b/, "$_ has it") foreach grep { -e } 'docs/start/install.md', 'README.md',
	  'debian/rules';
}

# A server whose minor version is too old for the library. The test changes the library, so that this server is too old.
my $number = $node->safe_psql('postgres', 'SHOW server_version_num');
SKIP:
{
	skip 'from 18 on every minor version is supported', 2 if $number >= 180000;
	my $next = $number + 1;
	install(build('1.0.0', [ 'src/pg/module.cpp', qr/least_version\(version\)/, $next ]));
	like(error_of('SELECT kid_next()', database => 'other'),
		qr/^0A000: kid needs PostgreSQL \d+\.\d+ or later\nDETAIL:  .*\nHINT:  /,
		'kid_next() fails on a minor version that is too old');
	like(error_of(q{SELECT '...........'::kid64}, database => 'other'), qr/^0A000: /,
		'an input function fails on a minor version that is too old');
	install($newer);
}

SKIP:
{
	skip 'before 18 a module has no name', 1 if $node->safe_psql('postgres', 'SHOW server_version_num') < 180000;
	is($node->safe_psql('postgres',
			q{LOAD 'kid'; SELECT version FROM pg_get_loaded_modules() WHERE module_name = 'kid'}), '999.0.0',
		'the library has its version in pg_get_loaded_modules()');
}

$node->stop;
done_testing();
