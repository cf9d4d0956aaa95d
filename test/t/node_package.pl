# The package pgkid for Node as its users get it: test/release/packages packs it, npm installs it into a fresh folder,
# and the tests in node/test run there. They read test/vectors, as the tests of the core do, and some use the server.
# They run each line and each branch of the codecs. A benchmark compares these with the package uuid, and a program in
# TypeScript is checked against the declarations.
# Versions: Node, which is newer in the Debian that has 18
use strict;
use warnings;
use Cwd;
use File::Copy qw(copy);
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs Node and npm' if system('node --version && npm --version >/dev/null 2>&1') != 0;

my $tree = getcwd;
my $folder = PostgreSQL::Test::Utils::tempdir;
my ($version) = slurp_file('kid.control') =~ /^default_version = '(.*)'/m;
my ($libraries) = slurp_file('node/package.json') =~ /"devDependencies": \{(.*?)\}/s;
my @libraries = map { s/": "/@/r } $libraries =~ /"([^"]+": "[^"]+)"/g;
local %ENV = (%ENV, HOME => $folder, KID_VECTORS => "$tree/test/vectors", npm_config_cache => "$folder/npm");

# Runs a command and returns its output, which is noted.
sub output_of
{
	my $status = IPC::Run::run([@_], '<', \'', '>&', \my $output);
	note($output);
	return ($status, $output);
}

my ($packed, $why) = output_of("$tree/test/release/packages", $folder, 'node');
plan skip_all => 'npm does not reach its registry' if !$packed && $why =~ /E(?:NOTFOUND|AI_AGAIN|CONNREFUSED|TIMEDOUT)/;
ok($packed, 'npm packs the package');

# Nothing of the source tree is found from here.
mkdir "$folder/application" and chdir "$folder/application" or die "$folder: $!";
append_to_file('package.json', '{ "type": "module" }');
my @install = qw(npm install --no-package-lock --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel error);
my ($installed) = output_of(@install, "$folder/pgkid-$version.tgz", @libraries);
ok($installed, 'npm installs it');
my @files = glob "$tree/node/test/*.[jt]s";
copy($_, '.') or die "$_: $!" foreach @files;

my $server = PostgreSQL::Test::Cluster->new('main');
$server->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
# Worker numbers are those of other servers, of which a pool of kid64 needs lanes.
$server->append_conf('postgresql.conf', "kid.node = 3\nkid.lanes = 16\n");
$server->start;
local %ENV = (%ENV, PGHOST => $server->host, PGPORT => $server->port, PGDATABASE => 'postgres',
	PGUSER => $server->safe_psql('postgres', 'SELECT current_user'));

# Reports each test of Node's as one of this file.
sub run_tests
{
	my ($name, @command) = @_;
	my ($succeeds, $tap) = output_of('node', '--test', '--test-reporter=tap', @command);
	my @results = $tap =~ /^((?:not )?ok) \d+ - (.*)$/mg;
	ok(@results > 0, "$name has tests");
	is($results[ 2 * $_ ], 'ok', "$name: $results[2 * $_ + 1]") for 0 .. $#results / 2;
	my @failures = $tap =~ /^( *)(not ok .*\n(?:\1  .*\n)*)/mg;
	ok($succeeds, "$name succeeds") or diag(@failures ? map { $failures[ 2 * $_ + 1 ] } 0 .. $#failures / 2 : $tap);
	return $tap;
}

run_tests($_, "$_.test.js") foreach map { /(\w+)\.test\.js$/ } @files;

my ($checked) = output_of(qw(node_modules/.bin/tsc --noEmit --strict --target es2022 --module nodenext --skipLibCheck),
	glob '*.ts');
ok($checked, 'a program in TypeScript agrees with the declarations');

copy("$tree/node/bench/ids.js", '.') or die $!;
my ($measured, $speed) = output_of('node', 'ids.js');
my %ratios = $speed =~ /^\| (kid(?:64|53): \w+ to (?:text|number|BigInt|bytes)) \| \d+ \| ([\d.]+) \|$/mg;
cmp_ok(scalar(keys %ratios), '==', 8, 'the benchmark measures how kid64 and kid53 are read and written');
note("$_: $ratios{$_} of the time that the package uuid takes") foreach sort keys %ratios;

# The installed package is in node_modules, whose files are not measured. A package can also import itself.
mkdir "$folder/measured" and chdir "$folder/measured" or die "$folder: $!";
system_or_bail('cp', '-R', map({ "$tree/node/$_" } qw(package.json src test)), '.');
my $report = run_tests('ids once more', '--experimental-test-coverage', 'test/ids.test.js');
my %coverage = $report =~ m{^#\ *(?:\S*/)?(\w+\.js) *\| *(\d.*?) *\| *$}mg;
delete $coverage{'vectors.js'};
cmp_ok(scalar(keys %coverage), '==', scalar(my @sources = glob "$tree/node/src/ids.js $tree/node/src/ids/*"),
	'all files of the codecs are measured');
foreach my $file (sort keys %coverage)
{
	like($coverage{$file}, qr/^100\.00 \| +100\.00 \| +100\.00/, "the tests run all of $file");
}

done_testing();
