# Runs the SQL of README.md and docs. The blocks of each page run in order, in a database of their own, and
# their output is compared with what the page shows, except for times, IDs and sizes. At the end README.md and
# the quickstart are pasted into one psql.
#
# A block is one of ```sql, or one whose first word is EXPLAIN, which runs with COSTS OFF. Pages.pm says how
# its output is shown.
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
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlc_messages = 'C'\nmax_prepared_transactions = 2\n");
$node->start;

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
	return folded($output =~ s/^\n+//r);
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
	prepare_session($session);
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
		# From version 16 on, PostgreSQL omits the table's name in the definition of a view of one table.
		$block =~ s/\borders[.](?=id|item)//g if $language eq 'text' && $node->pg_version >= 16;
		is_output($printed, $block, "$page: kidctl prints what is shown") if $language eq 'text' && defined $printed;
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
