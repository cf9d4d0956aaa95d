# kidctl as its users install it: pip, which finds the libraries of the extra `ctl`, puts the program where it runs by its name.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($python) = grep { system("$_ -c 'import ensurepip, psycopg, rich, setuptools, wheel' >/dev/null 2>&1") == 0 } '/usr/bin/python3', 'python3';
plan skip_all => 'needs psycopg 3, rich, venv, setuptools and wheel for Python' unless $python;

# pip must not look for packages elsewhere, and builds what it installs beside a copy of the sources.
my $folder = PostgreSQL::Test::Utils::tempdir;
local %ENV = (%ENV, HOME => $folder, PIP_NO_INDEX => 1, PIP_CONFIG_FILE => '/dev/null', PIP_DISABLE_PIP_VERSION_CHECK => 1);
system_or_bail('cp', '-R', 'python', "$folder/source");
system_or_bail($python, '-m', 'venv', '--system-site-packages', "$folder/venv");
command_ok([ "$folder/venv/bin/pip", 'install', '--quiet', '--no-build-isolation', "$folder/source[ctl]" ], 'pip installs it');
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
	CREATE EXTENSION kid; CREATE ROLE shop LOGIN CREATEDB; GRANT CREATE ON DATABASE postgres TO shop; GRANT USAGE, CREATE ON SCHEMA public TO shop;
	GRANT SET ON PARAMETER session_replication_role TO shop; SET ROLE shop;
	CREATE TABLE orders (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now()); INSERT INTO orders DEFAULT VALUES});
my ($report) = run_command([ $kidctl, qw(rekey check orders --time created_at -d), $node->connstr('postgres') . ' user=shop' ]);
like($report, qr/ 0 of which stop the move\.$/, 'kidctl rekey check');

done_testing();
