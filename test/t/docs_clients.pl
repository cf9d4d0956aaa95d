# docs/clients/README.md and its subpages docs/clients/*.md, docs/guides/consumers.md, public-ids.md and
# worker-numbers.md show programs that make test-clients runs. The code of each section is in the program that the
# section names, line by line except for the indentation; an empty line stands for any lines. Code after "<!-- not
# run -->" is in none. Every client has a section. SQL of the last two pages and of docs/clients/tools.md is not of
# a program: docs.pl runs it. A snippet has no syntax error, if there is a parser for its language here; in any
# language it closes its brackets. Each row of the first table of docs/clients/tools.md is printed by a program.
use strict;
use warnings;
use File::Basename;
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Test::More;

my $temporary = PostgreSQL::Test::Utils::tempdir;
my ($before, @general) = split /^## /m, slurp_file('docs/clients/README.md');
my (@sections, @links);
for my $page (sort grep { !/README|tools/ } glob 'docs/clients/*.md')
{
	my (undef, @sections_of_page) = split /^## /m, slurp_file($page);
	push @sections, @sections_of_page;
	push @links, map { basename($page) . '#' . (/(.*)/ && lc($1) =~ s/[^\w\- ]//gr =~ tr/ /-/r) } @sections_of_page;
}
my @others =
  map { sections_of($_) } 'docs/clients/tools.md', 'docs/guides/consumers.md', 'docs/guides/public-ids.md',
  'docs/guides/worker-numbers.md';
my %shown;

# Returns the sections of a page, without its blocks of SQL.
sub sections_of
{
	my ($page) = @_;
	my (undef, @sections_of_page) = split /^## /m, slurp_file($page) =~ s/^```sql\n.*?^```$//msgr;
	return @sections_of_page;
}

# What parses a snippet in a file, by language. The libraries that a snippet uses need not be here.
my %parsers = (
	python => [ 'python3',
		'-c', 'import ast, sys; compile(open(sys.argv[1]).read(), "snippet", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)' ],
	js => [ 'node', '--check' ],
	perl => [ 'perl', '-c' ],
	# As a function's body, in which `auto` declares the functions.
	c => [ 'gcc', '-fsyntax-only', '-Dstatic=auto', '-x', 'c' ],
	go => [ 'gofmt', '-e' ],
	ruby => [ 'ruby', '-c' ],
	php => [ 'php', '-l' ]);

for my $section (@general, @sections, @others)
{
	my ($title) = $section =~ /(.*)/;
	my $programs = '';
	parses($title, $1, $2) while $section =~ /^```(\w+)\n(.*?)^```$/msg;
	$section =~ s/^<!-- not run -->\n+```\w+\n.*?^```$//msg;
	while ($section =~ /\]\(\.\.\/\.\.\/(test\/clients\/([^\/)]+)[^)]*)\)|^```\w+\n(.*?)^```$/msg)
	{
		my ($program, $client, $code) = ($1, $2, $3);
		if ($program)
		{
			$shown{$client} = 1;
			$programs .= slurp_file($program);
			next;
		}
		my $parts = join '\n(?:.*\n)*?', map { part($_) } split /\n{2,}/, $code;
		ok($programs =~ /^$parts$/m, "$title: the code shown is in its program") or diag $code;
	}
}

# Tests that a snippet closes its brackets, and that the parser of its language accepts it if there is one.
sub parses
{
	my ($title, $language, $code) = @_;
	my $rest = $code =~ s{[&<]'\w+|"""|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'}{}gr =~ s/[^()\[\]{}]//gr;
	1 while $rest =~ s/\(\)|\[\]|\{\}//g;
	is($rest, '', "$title: the code closes its brackets") or diag $code;

	my $parser = $parsers{$language};
	my ($program) = $parser ? grep { -x } map { "$_/$parser->[0]" } split /:/, $ENV{PATH} : ();
	return unless defined $program;
	my $file = sprintf '%s/snippet%d.%s', $temporary, ++our $snippets, $language eq 'js' ? 'mjs' : $language;
	$code = join '', map({ "#include <$_.h>\n" } qw(endian stdint string)),
	  "typedef struct PGresult PGresult;\nvoid f(void)\n{\n$code}\n" if $language eq 'c';
	$code = "package p\nfunc f() {\n$code}\n" if $language eq 'go';
	# Without the tag everything is text to PHP, and has no errors.
	$code = "<?php\n$code" if $language eq 'php';
	append_to_file($file, $code);
	my $parsed = IPC::Run::run([ $program, @$parser[ 1 .. $#$parser ], $file ], '>', \my $out, '2>', \my $err);
	# To gcc a name that the snippet does not declare is an error too.
	ok($parsed || $language eq 'c' && $err !~ /error: expected/, "$title: $parser->[0] parses the code")
	  or diag $code . $err;
	return;
}

# A pattern for consecutive lines that all have the same indentation.
sub part
{
	my @lines = split /\n/, shift;
	our $groups;
	my $group = 'indentation' . ++$groups;
	return "(?<$group>[ \\t]*)" . join "\\n\\k<$group>", map { quotemeta } @lines;
}

for my $client (slurp_file('test/clients/list') =~ m{^([^#/\n]+)/}mg)
{
	ok($shown{$client}, "$client has a section");
}

# A name in a program may be within either kind of quotes.
my ($table) = slurp_file('docs/clients/tools.md') =~ /^## Tested tools\n(.*?)^- /ms;
my @folders = slurp_file('test/clients/list') =~ m{^([^#/\n]+)/\S+ +borders}mg;
my $programs = join '', map { slurp_file($_) } map { glob "test/clients/$_/*.*" } @folders;
my @rows = map { /^\| ([^|-][^|]*?) \|/ ? $1 : () } split /\n/, $table;
foreach my $row (@rows)
{
	ok($programs =~ /(['"])\Q$row\E\g1/, "a program prints the row: $row");
}
cmp_ok(scalar(@rows), '>', 10, 'the page has rows that programs print');

my %listed = map { $_ => 1 } map { /\]\(([^)#]*#[^)]*)\)/g } grep { /^\|/ } split /\n/, $before;
is_deeply([ sort keys %listed ], [ sort @links ], 'the table at the top lists all sections');

done_testing();
