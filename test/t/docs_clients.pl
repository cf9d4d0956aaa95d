# docs/clients.md, docs/consumers.md, docs/public-ids.md and docs/sealed-ids.md show programs that make test-clients runs. The
# code of each section is in the program that the section names, line by line except for the indentation; an empty line stands
# for any lines. Every client has a section. SQL of the last three pages is not of a program: docs.pl runs it.
use strict;
use warnings;
use PostgreSQL::Test::Utils;
use Test::More;

my ($before, @sections) = split /^## /m, slurp_file('docs/clients.md');
my @others = map { sections_of($_) } 'docs/consumers.md', 'docs/public-ids.md', 'docs/sealed-ids.md';
my %shown;

sub sections_of
{
	my ($page) = @_;
	my (undef, @sections_of_page) = split /^## /m, slurp_file($page) =~ s/^```sql\n.*?^```$//msgr;
	return @sections_of_page;
}

for my $section (@sections, @others)
{
	my ($title) = $section =~ /(.*)/;
	my $programs = '';
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

my @titles = map { /(.*)/ } grep { /test\/clients\// } @sections;
my @table = $before =~ /^\| \[(.*?)\]\(#/mg;
is_deeply(\@table, [ grep { $_ ne 'What holds for all' && $_ ne 'uuid, version 7' } @titles ], 'the table at the top lists all sections');

done_testing();
