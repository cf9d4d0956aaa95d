# docs/clients.md and its subpages docs/clients-*.md, docs/consumers.md, docs/public-ids.md and docs/sealed-ids.md show programs
# that make test-clients runs. The code of each section is in the program that the section names, line by line except for the
# indentation; an empty line stands for any lines. Code after "<!-- not run -->" is in none. Every client has a section. SQL of
# the last three pages is not of a program: docs.pl runs it.
use strict;
use warnings;
use File::Basename;
use PostgreSQL::Test::Utils;
use Test::More;

my ($before, @general) = split /^## /m, slurp_file('docs/clients.md');
my (@sections, @links);
for my $page (sort glob 'docs/clients-*.md')
{
	my (undef, @sections_of_page) = split /^## /m, slurp_file($page);
	push @sections, @sections_of_page;
	push @links, map { basename($page) . '#' . (/(.*)/ && lc($1) =~ s/[^\w\- ]//gr =~ tr/ /-/r) } @sections_of_page;
}
my @others = map { sections_of($_) } 'docs/consumers.md', 'docs/public-ids.md', 'docs/sealed-ids.md';
my %shown;

sub sections_of
{
	my ($page) = @_;
	my (undef, @sections_of_page) = split /^## /m, slurp_file($page) =~ s/^```sql\n.*?^```$//msgr;
	return @sections_of_page;
}

for my $section (@general, @sections, @others)
{
	my ($title) = $section =~ /(.*)/;
	my $programs = '';
	$section =~ s/^<!-- not run -->\n+```\w+\n.*?^```$//msg;
	while ($section =~ /\]\(\.\.\/(test\/clients\/([^\/)]+)[^)]*)\)|^```\w+\n(.*?)^```$/msg)
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

# A pattern for consecutive lines that all have the same indentation.
sub part
{
	my @lines = split /\n/, shift;
	our $groups;
	my $group = 'indentation' . ++$groups;
	return "(?<$group>[ \\t]*)" . join "\\n\\k<$group>", map { quotemeta } @lines;
}

for my $folder (glob 'test/clients/*/')
{
	my ($client) = $folder =~ /([^\/]+)\/$/;
	ok($shown{$client}, "$client has a section");
}

my @table = map { /\]\((.*?)\)/g } grep { /^\| \[/ } split /\n/, $before;
is_deeply([ sort @table ], [ sort @links ], 'the table at the top lists all sections');

done_testing();
