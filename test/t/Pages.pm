# Runs the blocks of SQL on a page, and compares their output with what the page shows, except for times, IDs and sizes.
#
# After a statement, a comment with two blanks, a line, or a message is its output. "…" stands for any text, and as a
# line by itself for any number of lines.
package Pages;
use strict;
use warnings;
use utf8;
use Dialogue;
use Exporter 'import';
use Test::More;

our @EXPORT = qw(prepare_session lasting is_output run_block parts_of folded);

my ($id, $time) = (qr/[-.0-9A-Z_a-z]/, qr/\d{4,5}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[+-]\d\d)?)?/);

# Lets a session print as pages show it.
sub prepare_session
{
	my ($session) = @_;
	answer($session, "\\pset format aligned\n\\pset tuples_only off\n\\pset footer off\n\\set VERBOSITY default");
	return;
}

# Removes from an output what changes from run to run.
sub lasting
{
	my ($text) = @_;
	$text =~ s/\(\d+ rows?\)\n?//g;
	$text =~ s/_p\d{8}(?:_\d+)?/_p/g;
	$text =~ s/$time/TIME/g;
	# The line below the names of columns, which can have 11 or 16 dashes in a row, as if they were an ID.
	$text =~ s/^[-+]{3,}$/---/mg;
	# IDs: texts of 11 and 16 characters, decimal numbers of 15 digits and more, uuids.
	$text
	  =~ s/(?<!$id)(?:$id{11}|$id{16}|\d{15,20}|[0-9a-f]{14}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?!$id)/ID/g;
	$text =~ s/_\K[0-7][0-9a-hjkmnp-tv-z]{25}\b/SEALED/g;
	$text =~ s/\d+ (?:bytes|kB|MB|GB)\b/SIZE/g;
	$text =~ s/[-+]{3,}/---/g;
	$text =~ s/[ \t]+/ /g;
	$text =~ s/^ | $//mg;
	$text =~ s/\n+\z//;
	return $text;
}

# Returns a pattern for what a page shows, in which "…" stands for anything.
sub pattern_of
{
	my %any = ('…' => '.*?', "…\n" => '(?:.*\n)*?');
	my $pattern = join '', map { $any{$_} // quotemeta } split /((?<![^\n])…\n|…)/, "$_[0]\n";
	return qr/\A$pattern\z/;
}

# Passes if an output is what a page shows, apart from what changes.
sub is_output
{
	my ($output, $shown, $name) = @_;
	my $both = "shown:\n$shown\nprinted:\n$output";
	utf8::encode($both);
	return ok((lasting($output) . "\n") =~ pattern_of(lasting($shown)), $name) || diag($both);
}

# Returns the output that comments show.
sub shown
{
	my ($comments) = @_;
	return $comments =~ s/^-- ?//mgr;
}

# Runs the statements of a block in turn, and compares each output with the one shown.
sub run_block
{
	my ($session, $name, @parts) = @_;
	while (my ($sql, $expected) = splice @parts, 0, 2)
	{
		my $output = answer($session, $sql) =~ s/^psql:<stdin>:\d+: //mgr;
		utf8::decode($output);
		my ($first) = $sql =~ /^\s*(.+)/;
		if (defined $expected)
		{
			is_output($output, $expected, "$name: $first");
		}
		else
		{
			unlike($output, qr/^(?:ERROR|FATAL|.*invalid command)/m, "$name: $first") or diag $sql;
		}
	}
	return;
}

# Returns the statements of a block, each with the output that is shown for it, or undef.
sub parts_of
{
	my ($block) = @_;
	if ($block =~ /\AEXPLAIN/)
	{
		# A statement, its plan, an empty line, and so on.
		return map { /\A(.*?;)[^\n]*\n(.*)\z/s ? ($1 =~ s/\AEXPLAIN (?!\()/EXPLAIN (COSTS OFF) /r, $2) : () }
		  split /\n\n/, $block;
	}
	my @parts;
	my ($sql, $output) = ('', '');
	foreach my $line (split /^/, $block)
	{
		if ($sql =~ /;[^\n]*\n\z/ && $line =~ /^-- (?: |-|…|ERROR|DETAIL|HINT|WARNING|NOTICE)/)
		{
			$output .= $line;
			next;
		}
		(push(@parts, $sql, shown($output)), $sql = $output = '') if $output ne '';
		$sql .= $line;
	}
	push @parts, $sql, $output eq '' ? undef : shown($output) if $sql =~ /\S/;
	return @parts;
}

# Breaks the lines of an output at blanks, so that they have at most `width` columns, by default 76. Their parts have
# the indentation of the line.
sub folded
{
	my ($output, $width) = @_;
	$width //= 76;
	return $output =~ s/^(?=.{$width}.)( *)(.*)$/parts_of_line($1, $2, $width)/gemr;
}

# Returns the lines into which folded() breaks one.
sub parts_of_line
{
	my ($indent, $line, $width) = @_;
	$width -= length $indent;
	return join "\n", map { "$indent$_" } $line =~ /\G *(.{1,$width})(?= |$)/g;
}

1;
