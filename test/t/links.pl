# Every relative link of a page leads to an existing file, and every anchor to a heading of that file. The page of
# the tests is as test/docs/report prints it.
use strict;
use warnings;
use utf8;
use File::Basename;
use PostgreSQL::Test::Utils;
use Test::More;

sub text_of
{
	my $text = slurp_file($_[0]);
	utf8::decode($text);
	return $text =~ s/^```.*?^```$//msgr;
}

# Returns whether a page has an anchor, made from a heading as GitHub does: it keeps letters, digits, "-" and "_".
my %anchors;

sub has_anchor
{
	my ($page, $anchor) = @_;
	$anchors{$page} //= { map { lc =~ s/[^\w\- ]//gr =~ tr/ /-/r => 1 } text_of($page) =~ /^#+ (.*?)\s*$/mg };
	return $anchors{$page}{$anchor};
}

foreach my $page (glob '*.md {released,src,test}/*.md docs/*/*.md')
{
	# The tests run in a copy without the results of benchmarks.
	my @links = grep { !m{bench/results} } text_of($page) =~ /\]\((?!\w+:)([^)\s]*)\)/g;
	my @broken;
	foreach my $link (@links)
	{
		my ($path, $anchor) = $link =~ /([^#]*)#?(.*)/;
		my $file = $path eq '' ? $page : dirname($page) . "/$path";
		push @broken, $link unless -e $file && ($anchor eq '' || $file =~ /\.md$/ && has_anchor($file, $anchor));
	}
	is("@broken", '', "$page: " . 'all ' . @links . ' links lead somewhere');
}

is(scalar qx(test/docs/report), slurp_file('docs/why/tested.md'),
	'docs/why/tested.md is as "make report" prints it');

done_testing();
