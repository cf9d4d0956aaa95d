# Every relative link of a page leads to a file that is there, and every anchor to a heading of that page.
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

# The anchors of a page, as GitHub makes them of its headings: letters, digits, "-" and "_" are kept.
my %anchors;

sub has_anchor
{
	my ($page, $anchor) = @_;
	$anchors{$page} //= { map { lc =~ s/[^\w\- ]//gr =~ tr/ /-/r => 1 } text_of($page) =~ /^#+ (.*?)\s*$/mg };
	return $anchors{$page}{$anchor};
}

foreach my $page (glob '*.md docs/*.md')
{
	# Results of measurements are no part of the copy that tests run in.
	my @links = grep { !m{bench/results} } text_of($page) =~ /\]\((?!\w+:)([^)\s]*)\)/g;
	my @broken;
	foreach my $link (@links)
	{
		my ($path, $anchor) = $link =~ /([^#]*)#?(.*)/;
		my $file = $path eq '' ? $page : dirname($page) . "/$path";
		push @broken, $link unless -e $file && ($anchor eq '' || $file =~ /\.md$/ && has_anchor($file, $anchor));
	}
	is("@broken", '', "$page: " . @links . ' links');
}

done_testing();
