# The printed sections of docs equal what test/docs/reference prints from the running extension.
# docs/operate/when-something-is-wrong.md explains only messages that kid has.
use strict;
use warnings;
use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlc_messages = 'C'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION kid_workers CASCADE');

my $printed = PostgreSQL::Test::Utils::tempdir;
$node->command_ok([ 'test/docs/reference', $printed ], 'test/docs/reference prints the sections');

foreach my $page (grep { slurp_file($_) =~ /^<!-- printed: /m } glob 'docs/*/*.md')
{
	my $copy = "$printed/" . basename($page);
	ok(-e $copy && slurp_file($page) eq slurp_file($copy), "$page is as printed")
	  or diag `diff -u $page $copy`, "To renew $page, read the difference, then:\n    cp $copy $page\n";
}

# In the table of errors "…" stands for a value that is filled in.
my @messages = map { join '.*', map { quotemeta } split /\xe2\x80\xa6/, $_,
	  -1 } slurp_file('docs/reference/settings-and-errors.md') =~ /^\| \S+ \| `(.*)` \|$/mg;
my ($explained) = slurp_file('docs/operate/when-something-is-wrong.md') =~ /^## Messages\n(.*?)^## /ms;
foreach my $message (map { s/\n/ /gr } $explained =~ /\*\*`(.*?)`\*\*/sg)
{
	ok(scalar(grep { $message =~ /^$_$/ } @messages),
		"docs/operate/when-something-is-wrong.md explains a message that kid has: $message");
}

done_testing();
