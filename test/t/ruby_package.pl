# The gem pgkid as its users get it: test/release/packages builds it, gem installs it into a fresh folder, and the tests
# in ruby/test run there. They read test/vectors, as the tests of the core do; those of ActiveRecord use the server.
# They run each line and each branch of the codecs. test/clients/activerecord has more of ActiveRecord.
# Versions: Ruby and ActiveRecord, which are newer in the Debian that has 18
use strict;
use warnings;
use Cwd;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'needs Ruby with gem and minitest'
  if system("gem --version && ruby -e 'require \"minitest\"' >/dev/null 2>&1") != 0;

my $tree = getcwd;
my $folder = PostgreSQL::Test::Utils::tempdir;
my ($version) = slurp_file('kid.control') =~ /^default_version = '(.*)'/m;
local %ENV = (%ENV, HOME => $folder, GEM_HOME => "$folder/gems", KID_VECTORS => "$tree/test/vectors");
delete $ENV{RUBYLIB};
system_or_bail('test/release/packages', "$folder/packages", 'ruby');
command_ok([ qw(gem install --local --no-document), "$folder/packages/pgkid-$version.gem" ], 'gem installs the gem');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "kid.node = 3\n");
$node->start;
local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres',
	PGUSER => $node->safe_psql('postgres', 'SELECT current_user'));

# Nothing of the source tree is found from here. At the end the lines and branches that nothing has run are printed.
chdir $folder or die "$folder: $!";
append_to_file('coverage.rb', <<'END');
require 'coverage'
Coverage.start(lines: true, branches: true)
# Minitest runs the tests at the exit, before this.
at_exit do
  Coverage.result.each do |file, result|
    next unless file.include?('/pgkid/ids')
    lines = result[:lines].each_index.select { |line| result[:lines][line] == 0 }
    branches = result[:branches].values.flat_map(&:to_a).select { |_branch, times| times.zero? }
    puts "#{file}: lines #{lines.map(&:succ)}, branches at #{branches.map { |branch, _times| branch[2] }}"
  end
end
END
foreach my $test (glob "$tree/ruby/test/*_test.rb")
{
	my ($name) = $test =~ m{(\w+)\.rb$};
  SKIP: {
		skip 'Ruby has no ActiveRecord with pg', 1
		  if $name =~ /active_record/ && system('ruby -r active_record -r pg -e 0 >/dev/null 2>&1') != 0;
		my $status = IPC::Run::run([ 'ruby', '-w', '-r', './coverage', $test, '--verbose' ], '>&', \my $output);
		note($output);
		my @results = $output =~ /^(\w+#test_\w+) = \S+ s = (\S+)$/mg;
		ok(@results > 0, "$name has tests");
		is($results[ 2 * $_ + 1 ], '.', "$name: $results[2 * $_]") for 0 .. $#results / 2;
		ok($status, "$name succeeds") or diag($output);
		next if $name ne 'ids_test';
		my @measured = $output =~ m{^\S+/(ids\S*)\.rb: (lines.*)$}mg;
		cmp_ok(@measured / 2, '==', scalar(my @sources = glob "$tree/ruby/lib/pgkid/ids{.rb,/*}"), 'all are measured');
		is($measured[ 2 * $_ + 1 ], 'lines [], branches at []', "the tests run all of $measured[2 * $_]")
		  for 0 .. $#measured / 2;
	}
}

done_testing();
