# Runs the SQL of README.md and docs. The blocks of each page run in order, in a database of their own, and
# their output is compared with what the page shows, except for times, IDs and sizes. At the end README.md and
# the quickstart are pasted into one psql.
#
# A block is one of ```sql, or one whose first word is EXPLAIN, which runs with COSTS OFF. After a
# statement, a comment with two blanks, a line, or a message is its output. "…" stands for any text, and as
# a line by itself for any number of lines.
#
# A block of ```sh that begins with kidctl rekey runs as the role shop. The block of ```text after it is its
# output, in lines of at most 76 columns.
#
# These comments, invisible to a reader of the rendered page, prepare the next block or the whole page:
#
#   <!-- sql: SQL -->                  runs before the next block
#   <!-- $1 = '2026-11-01' -->         the value of a parameter in the next block
#   <!-- not run: why -->              the next block does not run
#   <!-- run by test/t/x.pl -->        another test runs the whole page
use strict;
use warnings;
use utf8;
use Dialogue;
use Kidctl;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlc_messages = 'C'\nmax_prepared_transactions = 2\n");
$node->start;

my ($id, $time) = (qr/[-.0-9A-Z_a-z]/, qr/\d{4,5}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[+-]\d\d)?)?/);

# Removes from an output what changes from run to run.
sub lasting
{
	my ($text) = @_;
	$text =~ s/\(\d+ rows?\)\n?//g;
	$text =~ s/_p\d{8}(?:_\d+)?/_p/g;
	$text =~ s/$time/TIME/g;
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
	my $pattern = join '', map { $_ eq '…' ? '.*?' : $_ eq "…\n" ? '(?:.*\n)*?' : quotemeta } split /((?<![^\n])…\n|…)/,
	  "$_[0]\n";
	return qr/\A$pattern\z/;
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
			my ($got, $want) = (lasting($output), lasting($expected));
			ok("$got\n" =~ pattern_of($want), "$name: $first") or diag "shown:\n$want\nprinted:\n$output";
		}
		else
		{
			unlike($output, qr/^(?:ERROR|FATAL|.*invalid command)/m, "$name: $first") or diag $sql;
		}
	}
	return;
}

# Runs the commands of a block. Returns what they print to standard output, in lines of at most 76 columns.
sub run_commands
{
	my ($name, $database, $block) = @_;
	local %ENV = (%ENV, PATH => path_to_kidctl(), PGHOST => $node->host, PGPORT => $node->port, PGUSER => 'shop',
		PGDATABASE => $database);
	my ($output, $errors) = ('', '');
	IPC::Run::run([ 'sh', '-ec', $block ], '>', \$output, '2>', \$errors);
	# A check that finds what stops the move ends with 1.
	my $wanted = $output =~ /[1-9]\d* of which stop the move/ && $block =~ /\A\S+ \S+ check .*\n\z/ ? 1 : 0;
	is($? >> 8, $wanted, "$name: " . ($block =~ /(.*)/)[0]) or diag "$output$errors";
	utf8::decode($output);
	return $output =~ s/^\n+//r =~ s/^(?=.{77})( *)(.*)$/folded($1, $2)/gemr;
}

# Breaks a line at blanks, so that its parts, with the same indentation, are shorter than 77 columns.
sub folded
{
	my ($indent, $line) = @_;
	my $width = 76 - length $indent;
	return join "\n", map { "$indent$_" } $line =~ /\G *(.{1,$width})(?= |$)/g;
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

foreach my $page ('README.md', sort glob 'docs/*/*.md')
{
	my $text = slurp_file($page);
	utf8::decode($text);
	if ($text =~ /<!-- run by (\S+)/)
	{
		ok(-e $1, "$page: the test that runs it exists: $1");
		next;
	}
	if ($text =~ /^kidctl rekey /m && !find_python())
	{
		note "$page: psycopg 3 and rich for Python are not installed";
		next;
	}
	my $database = $page =~ s/\W/_/gr;
	$node->safe_psql('postgres', "CREATE DATABASE \"$database\"");
	my $session = open_session($node, $database);
	answer($session, "\\pset format aligned\n\\pset tuples_only off\n\\pset footer off\n\\set VERBOSITY default");
	# Some pages show how to create the extension.
	answer($session, 'CREATE EXTENSION kid;') unless $text =~ /^CREATE EXTENSION IF NOT EXISTS kid;/m;

	my (%parameters, $skip, $printed);
	my $blocks = 0;
	while ($text =~ /<!-- (sql:|\$\d+ =|not run:)\s*(.*?)\s*-->|^```(\w*)[^\n]*\n(.*?)^```$/msg)
	{
		my ($what, $value, $language, $block) = ($1, $2, $3, $4);
		if (defined $what)
		{
			$parameters{$1} = $value if $what =~ /\A\$(\d+)/;
			$skip = 1 if $what eq 'not run:';
			run_block($session, "$page, before block " . ($blocks + 1), "$value\n", undef) if $what eq 'sql:';
			next;
		}
		$printed = run_commands($page, $database, $block) if $language eq 'sh' && $block =~ /\Akidctl rekey /;
		ok((lasting($printed) . "\n") =~ pattern_of(lasting($block)), "$page: kidctl prints what is shown")
		  or diag "shown:\n$block\nprinted:\n$printed"
		  if $language eq 'text' && defined $printed;
		next unless $language eq 'sql' || $language eq '' && $block =~ /\AEXPLAIN/;
		$blocks++;
		if (!$skip)
		{
			$block =~ s/\$(\d+)/$parameters{$1} \/\/ "\$$1"/ge unless $block =~ /^\s*PREPARE/m;
			run_block($session, "$page, block $blocks", parts_of($block));
		}
		(%parameters, $skip) = ();
	}
	close_session($session);
	note "$page: $blocks blocks";
}

# Pastes README.md and then the quickstart into one psql, as a reader does after the command for psql in "Install". All
# that counts is what is visible: no comment of the pages prepares anything.
my $readme = slurp_file('README.md');
my ($install, $database) = $readme =~ /^## Install\n.*?^(psql [^\n]* (\w+))$/ms or die 'README.md, Install: no psql';
$node->safe_psql('postgres', "CREATE DATABASE $database");
$node->command_ok([ 'sh', '-c', $install ], "README.md, Install: $install");
my $pasted = join '', map { /^```sql\n(.*?)^```$/msg } $readme, slurp_file('docs/start/quickstart.md');
my ($status, $printed, $errors) = $node->psql($database, $pasted, on_error_stop => 1);
is($status, 0, 'README.md and the quickstart run, pasted into one psql') or diag $errors;
like($printed, qr/^ord_\w{26}\ntea\n/m, 'the public ID that README.md makes finds the row again');
like($printed, qr/\|created\n.*\|paid\Z/, 'the quickstart ends with its consumer');

done_testing();
