# Sessions with prepared statements while the keys of a table are replaced: the statements of docs/new-keys.md run beside them, with
# old keys of either type, and the sessions get the errors that docs/new-keys-cases.md lists. A session that begins after the swap
# gets none, and those that the page's statement ends lose no transaction.
use strict;
use warnings;
use utf8;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE shop SUPERUSER LOGIN');

# The statements of the page, by the headings of its steps. Those that prepare a block for test/t/docs.pl belong to the step before it.
sub steps_of
{
	my ($page) = @_;
	my (%steps, $step);
	my $text = slurp_file($page);
	utf8::decode($text);
	$step = 0;
	while ($text =~ /^## (?:(\d)\. )?|<!-- sql:\s*(.*?)\s*-->|^```sql\n(.*?)^```$/msg)
	{
		if (defined $2 || defined $3) { push @{ $steps{$step} }, $2 // $3; }
		else { $step = $1 // 'rest'; }
	}
	return %steps;
}
my %steps = steps_of('docs/new-keys.md');

my ($ends_sessions) = slurp_file('docs/new-keys-cases.md') =~ /^(SELECT count\(pg_terminate_backend.*?;)$/ms;
ok($ends_sessions, 'the page has a statement that ends sessions');

sub run_step
{
	my ($database, $type, $step, $change) = @_;
	foreach my $block (@{ $steps{$step} })
	{
		my $sql = $block;
		if ($type eq 'bigint')
		{
			$sql =~ s/uuid PRIMARY KEY DEFAULT gen_random_uuid\(\)/bigserial PRIMARY KEY/;
			$sql =~ s/\buuid\b/bigint/g;
		}
		$sql = $change->($sql) if $change;
		# CREATE INDEX CONCURRENTLY and CALL need a transaction of their own: psql sends each statement alone.
		my ($status, $stdout, $stderr) = $node->psql($database, $sql, on_error_stop => 1);
		is($status, 0, "$type: the statements of step $step run") or diag $stderr;
	}
	return;
}

# Each row: a prepared statement, and its SQLSTATE after ADD COLUMN and after the swap.
foreach my $type ('uuid', 'bigint')
{
	my $changed = '0A000: cached plan must not change result type';
	my @statements = (
		[ 'star', 'SELECT * FROM orders WHERE id = $1', $changed, $type eq 'uuid' ? "42883: operator does not exist: kid64 = uuid" : $changed ],
		[ 'changes', 'UPDATE orders SET item = item WHERE false RETURNING *', $changed, $changed ],
		[ 'columns', 'SELECT id, item FROM orders ORDER BY created_at LIMIT 1', 'none', $changed ],
		[ 'parameter', 'SELECT item FROM orders WHERE id = $1', 'none', $type eq 'uuid' ? '42883: operator does not exist: kid64 = uuid' : 'no row' ],
		[ 'others', 'SELECT item FROM orders ORDER BY created_at LIMIT 1', 'none', 'none' ]);
	$node->safe_psql('postgres', "CREATE DATABASE $type");
	$node->safe_psql($type, 'CREATE EXTENSION kid');
	run_step($type, $type, 0);
	my $key = $node->safe_psql($type, 'SELECT id FROM orders ORDER BY created_at LIMIT 1');

	my $session = open_session($node, $type);
	my $use = sub {
		my ($when, $column) = @_;
		foreach my $statement (@statements)
		{
			my ($name, $sql) = @$statement;
			my $call = "EXECUTE $name" . ($sql =~ /\$1/ ? "('$key')" : '') . ';';
			foreach my $time (1, 2)
			{
				my $answer = answer($session, $call);
				my $got = $answer =~ /ERROR:  (.*)/ ? $1 : $answer eq '' && $name ne 'changes' ? 'no row' : 'none';
				is($got, $statement->[$column], "$type: $sql, prepared before, $when, $time") if $column > 1;
			}
		}
		return;
	};
	answer($session, "PREPARE $_->[0] AS $_->[1];") foreach @statements;
	$use->('before', 0);
	run_step($type, $type, 1);
	$use->('after ADD COLUMN', 2);
	run_step($type, $type, $_) foreach 2, 3;

	# The swap. Before it, a session of the application is idle.
	my $idle = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr($type) . ' user=shop', '-f', '-' ], '<', \my $in, '>', \my $out, '2>', \my $err);
	$in = "SELECT 1;\n";
	$idle->pump until defined $out && $out =~ /1/;
	run_step($type, $type, 4, sub { $_[0] =~ s/^(LOCK TABLE .*?;)$/$1\n$ends_sessions/mr });
	$in = "SELECT 2;\n";
	eval { $idle->finish };
	like($err, qr/terminating connection due to administrator command/, "$type: the statement of the page ended the idle session of the application");
	$use->('after the swap', 3);
	answer($session, 'DEALLOCATE ALL;');
	answer($session, "PREPARE $_->[0] AS $_->[1];") foreach @statements;
	like(answer($session, 'EXECUTE columns;'), qr/^\S{11}\|\w/, "$type: a session that prepares anew gets new keys");
	close_session($session);
}

$node->stop;
done_testing();
