# The sources fit together: files of types, names of types and clocks, folders, words, and released scripts.
use strict;
use warnings;
use File::Basename;
use PostgreSQL::Test::Utils;
use Test::More;

# No file has the text, or each has it.
sub none_has
{
	my ($pattern, $name, @files) = @_;
	is_deeply([ map { my $file = $_; map { "$file: $_" } slurp_file($file) =~ /.*(?:$pattern).*/g } @files ],
		[], $name);
}

sub each_has
{
	my ($pattern, $name, @files) = @_;
	is_deeply([ grep { !-e || slurp_file($_) !~ $pattern } @files ], [], $name);
}

my @types = sort(slurp_file('src/types.def') =~ /^X\((\w+)\)$/mg);
is_deeply([ map { basename($_, '.hpp') } sort glob 'src/core/types/*.hpp' ], \@types,
	'src/types.def lists the types of src/core/types');
foreach my $type (@types)
{
	each_has(
		qr/./,
		"$type has its sources, tests, vectors and document",
		glob "src/{pg/types/$type.cpp,sql/extension/types/$type.sql} {sql/$type.sql,expected/$type.out}"
		  . " test/{unit/${type}_test.cpp,vectors/$type.tsv} docs/reference/$type.md");
	each_has(qr/$type/, "the script of the extension has $type, and functions on tables know it",
		glob 'src/sql/{scripts/kid,extension/forms}.sql');
	each_has(qr/$type/, "the tests of generators and the benchmarks have $type",
		glob 'sql/generate.sql test/t/observe_all.pl bench/{generate,insert}.sql bench/core/bench.cpp');
	each_has(qr/$type/, "kidctl has $type", 'python/pgkid/ctl/kid.py');
}

my ($clocks) = slurp_file('src/pg/clocks/all_clocks.hpp') =~ /^#define KID_CLOCKS (.*)/m;
foreach my $clock ($clocks =~ /X\((\w+)\)/g)
{
	each_has(qr/$clock/, "the tests of crashes have clock $clock", glob 'test/t/{lease,crash}.pl test/t/Ledger.pm');
	ok((grep { slurp_file($_) =~ /$clock/ } glob 'test/t/clock_*.pl'), "a test of clocks has $clock");
}

# The folders of src/pg, from the bottom up, as src/README.md lists them. What is in src/pg itself may use all.
my @folders = qw(base clocks node horizon issue traits types planner index triggers admin);
while (my $folder = shift @folders)
{
	my $above = join '|', @folders, 'none';
	none_has(qr{^#include "\.\./(?:$above)/}m, "src/pg/$folder includes only what is below it",
		glob "src/pg/$folder/*.[ch]pp");
}

# The glossary at the head of src/pg/clocks/all_clocks.hpp gives each of these words one meaning. These were others.
none_has(
	join('|',
		'bound_at', 'hold_(?:from|until)', 'holder_of', '(?:hold|keep)s? back', 'clock (?:then |does not )?holds?\b',
		'holds? (?:its|the) (?:highest )?time', 'held_clock', '\bholds\(', 'first.start', '(?:upper|lower) limit',
		'limit of (?:the lease|IDs)', 'floor of (?:the|an) (?:ID|clock)', 'side is entered'),
	'words of the clocks have the meaning of the glossary',
	grep { -f } glob 'src/core/* src/core/*/* src/pg/{clocks,horizon,issue,node,types}/*.[ch]pp');

# A schema can be renamed, and another one can get its name. So a body that is looked up when it runs
# names no schema of kid.
my @with_schema = map {
	my $file = $_;
	map { /\@extschema\@/ ? $file : () } slurp_file($file) =~ /AS \$\$\n(.*?)^END \$\$;/msg
} glob 'src/sql/{tables,workers}/{*,*/*}.sql*';
is_deeply(\@with_schema, [], 'no function in PL/pgSQL of tables and workers calls a function of kid by name');

# Tests run side by side, and all of them have the same folder for their results.
none_has(qr/\btmp_chec[k]\b/, 'each test has its files in a folder of its own', glob 'test/t/*.p[lm]');

# What test/run and the Makefile need of a goal.
foreach my $file (glob 'test/goals/*')
{
	my $goal = basename($file);
	each_has(qr/^packages\(\) \{.*^run_goal\(\) \{|^\. "\$top\/test\/goals\//ms,
		"$file defines packages() and run_goal(), or includes a file that does", $file);
	each_has(qr/^#@ make \Q$goal\E /m, "make help has $goal", 'Makefile');
	# The zip for PGXN has no workflows. Benchmarks need a machine of their own, and test-citus needs Citus, of which
	# Debian has no package.
	ok((grep { slurp_file($_) =~ /\b\Q$goal\E\b/ } glob '.github/workflows/*.yml'), "a workflow runs $goal")
	  if -e '.github' && $goal !~ /^(?:bench|test-citus)$/;
}

# The map of the tests has each folder.
each_has(qr/^ +(?:\S+, )?$_\b/m, "test/README.md says what $_ has", 'test/README.md')
  foreach map { basename($_) } grep { -d } glob 'test/*';

# test/model/code says which lines of the code the marked lines of the models stand for, whatever their spaces are.
sub squeezed { return slurp_file($_[0]) =~ s/\s+/ /gr }
my %marks;
foreach my $file (glob 'test/model/*.pml')
{
	$marks{ basename($file, '.pml') . ": $_" } = 1 foreach slurp_file($file) =~ m{/\* @ (.+?) \*/}g;
}
my %named;
foreach my $line (grep { /^[^#\n]/ } split /^/, slurp_file('test/model/code'))
{
	my ($mark, $file, $text) = split / \| /, $line =~ s/\s+\z//r, 3;
	$named{$mark} = 1;
	ok(-e $file && index(squeezed($file), $text) >= 0, "$file has the line for \"$mark\" of the models")
	  or diag("test/model/code expects: $text");
}
is_deeply([ sort keys %named ], [ sort keys %marks ], 'test/model/code names the marks of the models, and no others');

# Until a version has its tag, a change of SQL changes its scripts in released. Afterwards it takes the next version.
my ($version) = slurp_file('kid.control') =~ /^default_version = '(.*)'/m;
my $made = PostgreSQL::Test::Utils::tempdir;
command_ok([ 'src/sql/assemble', '--to', $made ], 'the scripts are assembled');
is_deeply([ grep { slurp_file($_) ne slurp_file('released/' . basename($_)) } glob "$made/*" ],
	[], "released has the scripts of version $version; make released renews them");

# A script that updates to another minor version must fail with the library of an earlier one.
foreach my $file (glob 'released/kid--*--*.sql')
{
	my ($from, $to) = $file =~ /--(\d+\.\d+)\.\d+--(\d+\.\d+)\.\d+\.sql/;
	each_has("'kid_library_" . $to =~ tr/./_/r . "'", "$file names the library that it needs", $file) if $from ne $to;
}

# Every database encoding contains ASCII.
none_has(qr/[^[:print:][:space:]]/a, 'install scripts and control files are in ASCII',
	glob "released/*--$version.sql *.control");

done_testing();
