# The package pgkid for Python as its users get it: test/release/packages builds the wheel and the sources, pip installs
# them into fresh environments, and the tests in python/tests/package run there. They read test/vectors, as the tests of
# the core do, and compare with the functions of the server. They run each line and each branch of the codecs. A
# benchmark compares these with uuid.UUID.
# Versions: Python and psycopg, which are newer in the Debian that has 18
use strict;
use warnings;
use Cwd;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($python) = grep { system("$_ -c 'import ensurepip, psycopg, setuptools, wheel' >/dev/null 2>&1") == 0 }
  '/usr/bin/python3', 'python3';
plan skip_all => 'needs psycopg 3, venv, setuptools and wheel for Python' unless $python;

my $tree = getcwd;
my $folder = PostgreSQL::Test::Utils::tempdir;
my ($version) = slurp_file('kid.control') =~ /^default_version = '(.*)'/m;
local %ENV = (%ENV, HOME => $folder, PIP_NO_INDEX => 1, PIP_CONFIG_FILE => '/dev/null',
	PIP_DISABLE_PIP_VERSION_CHECK => 1, PYTHON => $python, PYTHONDONTWRITEBYTECODE => 1,
	KID_VECTORS => "$tree/test/vectors");
delete $ENV{PYTHONPATH};

system_or_bail('test/release/packages', "$folder/packages", 'python');
my @packages = ("pgkid-$version-py3-none-any.whl", "pgkid-$version.tar.gz");
is_deeply(
	[ sort map { s{.*/}{}r } glob "$folder/packages/pgkid-*.{whl,tar.gz}" ],
	\@packages, 'the wheel and the sources are built');

# Nothing of the source tree is found from here.
chdir $folder or die "$folder: $!";
my @environments;
foreach my $package (@packages)
{
	my $environment = "$folder/environment" . @environments;
	push @environments, "$environment/bin/python";
	system_or_bail($python, '-m', 'venv', '--system-site-packages', $environment);
	command_ok([ "$environment/bin/pip", qw(install --quiet --no-build-isolation), "$folder/packages/$package" ],
		"pip installs $package");
	my ($found) = run_command([ $environments[-1], '-c', 'import pgkid; print(pgkid.__version__, pgkid.__file__)' ]);
	like($found, qr/^\Q$version $environment\E/, 'Python imports it from there');
	my ($files) = run_command([ "$environment/bin/pip", qw(show --files pgkid) ]);
	like($files, qr{pgkid/py\.typed}, 'it says that it has types');
}

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION kid');
local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres',
	PGUSER => $node->safe_psql('postgres', 'SELECT current_user'));

# Libraries that tests need beside psycopg.
my %needed = (test_seal => 'cryptography', test_pandas => 'pandas');
foreach my $file (sort glob "$tree/python/tests/package/test_*.py")
{
	my ($name) = $file =~ m{(\w+)\.py$};
  SKIP: {
		my $library = $needed{$name};
		skip "$name: Python has no module $library", 1
		  if $library && system("$environments[0] -c 'import $library' >/dev/null 2>&1") != 0;
		my $output;
		my $status = IPC::Run::run([ $environments[0], $file, '--verbose' ], '>&', \$output);
		note($output);
		# The line of a test ends with its result. Its name and the first line of its docstring precede that.
		my @results = $output =~ /^(test_\w+).*?\.\.\. (\w+)$/msg;
		ok(@results > 0, "$name has tests");
		is($results[ 2 * $_ + 1 ], 'ok', "$name $results[2 * $_]") for 0 .. $#results / 2;
		ok($status, "$name succeeds") or diag($output);
	}
}

SKIP: {
	skip 'Python has no module coverage', 1 if system("$environments[0] -c 'import coverage' >/dev/null 2>&1") != 0;
	my @coverage = ($environments[0], '-m', 'coverage');
	command_ok([ @coverage, qw(run --branch --include=*/pgkid/ids/*), "$tree/python/tests/package/test_ids.py" ],
		'the tests of the codecs pass once more');
	my ($report) = run_command([ @coverage, qw(report --show-missing) ]);
	like($report, qr/^TOTAL.* 100%$/m, 'they run each line and each branch') or diag($report);
}

my ($speed) = run_command([ $environments[0], "$tree/python/bench/ids.py" ]);
my %ratios = $speed =~ /^\| (\w+ \| kid\d+) \|.* \| ([\d.]+) \|$/mg;
cmp_ok(scalar(keys %ratios), '==', 4, 'the benchmark measures how kid64 and kid53 are read and written');
note("$_: $ratios{$_} of the time that uuid.UUID takes") foreach sort keys %ratios;

done_testing();
