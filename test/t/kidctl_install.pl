# kidctl as its users install it: pip, which finds the libraries of the extra `ctl`, puts the program
# where it runs by its name.
use strict;
use warnings;
use File::Basename;
use Kidctl ();    # lets kidctl accept a development version of PostgreSQL
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my ($python) = grep { system("$_ -c 'import ensurepip, psycopg, rich, setuptools, wheel' >/dev/null 2>&1")
	  == 0 } '/usr/bin/python3', 'python3';
plan skip_all => 'needs psycopg 3, rich, venv, setuptools and wheel for Python' unless $python;

# pip must not look for packages elsewhere, and builds what it installs beside a copy of the sources.
my $folder = PostgreSQL::Test::Utils::tempdir;
local %ENV = (%ENV, HOME => $folder, PIP_NO_INDEX => 1, PIP_CONFIG_FILE => '/dev/null',
	PIP_DISABLE_PIP_VERSION_CHECK => 1);
system_or_bail('cp', '-R', 'python', "$folder/source");
system_or_bail($python, '-m', 'venv', '--system-site-packages', "$folder/venv");
command_ok([ "$folder/venv/bin/pip", 'install', '--quiet', '--no-build-isolation', "$folder/source[ctl]" ],
	'pip installs it');
my ($version) = slurp_file('kid.control') =~ /^default_version = '(.*)'/m;
# Nothing of the source tree is found from here.
chdir $folder or die "$folder: $!";

my $kidctl = "$folder/venv/bin/kidctl";
command_like([ $kidctl, '--version' ], qr/^kidctl \Q$version\E$/, 'its version is that of kid');
my ($known) = run_command([ "$folder/venv/bin/pip", 'show', 'pgkid' ]);
like($known, qr/^Version: \Q$version\E$/m, 'and pip knows it, too');
command_like([ $kidctl, '--help' ], qr/^usage: kidctl .*rekey.*partition.*leave/s, 'kidctl --help');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION kid; CREATE ROLE shop LOGIN CREATEDB; GRANT CREATE ON DATABASE postgres TO shop;
	GRANT USAGE, CREATE ON SCHEMA public TO shop;
	GRANT SET ON PARAMETER session_replication_role TO shop; SET ROLE shop;
	CREATE TABLE orders (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now());
	INSERT INTO orders DEFAULT VALUES});
my ($report) = run_command([ $kidctl, qw(rekey check orders --time created_at),
		'-d', connection_as($node, 'postgres', 'shop') ]);
like($report, qr/ 0 of which stop the move\.$/, 'kidctl rekey check');

# Without a library kidctl says in one line which package contains it. Python finds no installed package with -S.
my $code = 'import os, sys, psycopg, rich, typing_extensions as t;
print(*(os.path.dirname(m.__file__) for m in (psycopg, rich)), t.__file__)';
my ($psycopg, $rich, $extensions) = split / /, (run_command([ $python, '-c', $code ]))[0];
my $libraries = "$folder/libraries";
mkdir $libraries;
local $ENV{PYTHONPATH} = $libraries;
foreach my $start ([ $python, '-S', "$folder/source/kidctl" ],
	[ 'env', '-C', "$folder/source", $python, '-S', '-m', 'pgkid.ctl' ])
{
	unlink glob "$libraries/*";
	foreach ([ 'psycopg', 'python3-psycopg', $psycopg ],
		[ 'typing_extensions', 'python3-typing-extensions', $extensions ], [ 'rich', 'python3-rich', $rich ])
	{
		my ($module, $package, $path) = @$_;
		command_exit_is([ @$start, '--version' ], 2, "without $module: exit status 2");
		my (undef, $errors) = run_command([ @$start, '--version' ]);
		like($errors,
			qr/^kidctl: error: \S+ has no module $module: run apt install $package .* -m pip install '$module\S*'$/,
			'and which package contains it');
		unlike($errors, qr/\n/, 'in one line');
		symlink $path, "$libraries/" . basename($path) or die "$path: $!";
	}
	command_like([ @$start, '--version' ], qr/^kidctl /, 'with all of them it starts');
}
{
	local $ENV{PSYCOPG_IMPL} = 'none';
	my (undef, $errors) = run_command([ $python, "$folder/source/kidctl", '--version' ]);
	like($errors, qr/^kidctl: error: [^\n]*psycopg implementation 'none' unknown[^\n]*$/,
		'if psycopg finds no libpq it says so in one line');
}

done_testing();
