# Sessions with prepared statements while the keys of a table are replaced: the statements of docs/guides/new-keys.md run beside them, with
# old keys of either type, and the sessions get the errors that docs/guides/new-keys-cases.md lists. A session that begins after the swap
# gets none, and those that the page's statement ends lose no transaction. Writers go on while old rows are filled: no trigger of
# the user's runs for the filling, and no row is missed. Then other statements of the
# pages run beside a transaction that they have to wait for, in databases whose default is repeatable read.
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
$node->safe_psql('postgres', 'CREATE ROLE shop SUPERUSER LOGIN; CREATE ROLE clerk LOGIN');

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
my %steps = steps_of('docs/guides/new-keys.md');

my ($ends_sessions) = slurp_file('docs/guides/new-keys-cases.md') =~ /^(SELECT count\(pg_terminate_backend.*?;)$/ms;
ok($ends_sessions, 'the page has a statement that ends sessions');

# Returns the block of a page that has `text`.
sub block_with
{
	my ($page, $text) = @_;
	my ($block) = grep { /\Q$text\E/ } slurp_file($page) =~ /^```sql\n(.*?)^```$/msg;
	ok(defined $block, "$page has a block with $text");
	return $block;
}

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
	$node->safe_psql($type, q{ALTER TABLE orders ADD updated_at timestamptz NOT NULL DEFAULT '2026-01-01';
		CREATE FUNCTION set_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.updated_at := now(); RETURN NEW; END $$;
		CREATE TRIGGER set_updated_at BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION set_updated_at()});

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
	$node->safe_psql($type, 'GRANT INSERT ON lines TO clerk; GRANT USAGE ON SEQUENCE lines_id_seq TO clerk');
	is($node->psql($type, "SET search_path = ''; BEGIN; INSERT INTO public.lines (order_id) VALUES ('$key')",
			connstr => $node->connstr($type) . ' user=clerk', on_error_stop => 1), 0,
		"$type: a role that can only insert, and has no search_path, still can");

	# Writers insert orders, and change a tenth of the old ones, while these are filled.
	my $script = "$PostgreSQL::Test::Utils::tmp_check/writer.sql";
	unlink $script;
	append_to_file($script, <<'END');
\set n random(1, 100) * 10
BEGIN;
INSERT INTO orders (item) VALUES ('by a writer') RETURNING id \gset
INSERT INTO lines (order_id) VALUES (':id');
END;
UPDATE orders SET item = item WHERE item = 'item ' || :n;
END
	my $writers = IPC::Run::start([ 'pgbench', '-n', '-c', '4', '-R', '200', '-T', '600', '-f', $script, $node->connstr($type) ], '>', \my $written, '2>&1');
	$node->poll_query_until($type, q{SELECT count(*) > 10 FROM orders WHERE item = 'by a writer'});
	run_step($type, $type, 2);
	$writers->signal('INT');
	eval { $writers->finish };
	unlike($written, qr/ERROR/, "$type: no writer has an error while old rows are filled");
	is($node->safe_psql($type, q{SELECT count(*) FROM orders WHERE updated_at <> '2026-01-01' AND item !~ '0$|writer'}), 0,
		"$type: filling does not run the triggers of the user");
	is($node->safe_psql($type, 'SELECT (SELECT count(*) FROM orders WHERE new_id IS NULL), (SELECT count(*) FROM lines WHERE new_order_id IS NULL)'), '0|0',
		"$type: no row is missed");
	is($node->safe_psql($type, 'SELECT count(*) FROM lines JOIN orders ON orders.id = order_id WHERE new_order_id IS DISTINCT FROM new_id'), 0,
		"$type: rows refer to the same rows by their new keys");
	run_step($type, $type, 3);

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

# A chain of tables, with the procedure of the page. The last one is partitioned, and has more blocks than one range.
my ($fill) = grep { defined } map { /(CREATE PROCEDURE fill\(.*?^END \$\$;)/ms } @{ $steps{2} };
$node->safe_psql('postgres', 'CREATE DATABASE chain');
$node->safe_psql('chain', q{CREATE EXTENSION kid;
CREATE TABLE orders (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL, new_id kid64 UNIQUE DEFAULT kid_next());
CREATE TABLE lines (id bigserial PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders, new_id kid64, new_order_id kid64);
CREATE TABLE taxes (id bigserial PRIMARY KEY, line_id bigint NOT NULL REFERENCES lines, new_id kid64, new_line_id kid64, more text DEFAULT repeat('x', 1500))
	PARTITION BY RANGE (id);
CREATE TABLE taxes_all PARTITION OF taxes DEFAULT;
INSERT INTO orders (created_at, new_id) SELECT t, kid64_at(t) FROM generate_series(timestamptz '2026-01-01', '2026-01-20', '1 hour') AS t;
INSERT INTO lines (order_id) SELECT id FROM orders, generate_series(1, 3);
INSERT INTO taxes (line_id) SELECT id FROM lines, generate_series(1, 2);});
my ($status, $stdout, $stderr) = $node->psql('chain', ($fill // '') . block_with('docs/guides/new-keys-cases.md', "CALL fill('taxes'"), on_error_stop => 1);
is($stderr, '', 'a chain of tables is filled');
is($node->safe_psql('chain', q{SELECT count(*) = (SELECT count(*) FROM taxes), count(DISTINCT taxes.new_id) = count(*) AND count(*) > 2000
  FROM taxes JOIN lines ON lines.new_id = new_line_id AND lines.id = line_id JOIN orders ON orders.new_id = new_order_id AND orders.id = order_id
 WHERE kid_timestamp(taxes.new_id) - created_at BETWEEN '-1.1 ms' AND '1 s' AND kid_timestamp(lines.new_id) - created_at BETWEEN '-1.1 ms' AND '1 s'}),
	't|t', 'the keys of the chain refer to each other, differ, and have the time of the order');

# Runs a block of a page beside a transaction with `change`, which commits when the block waits for it. Its session then runs
# `later`, unless the block has ended it.
sub run_beside
{
	my ($database, $setup, $change, $block, $later) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database; ALTER DATABASE $database SET default_transaction_isolation = 'repeatable read'");
	$node->safe_psql($database, "CREATE EXTENSION kid; $setup");
	my ($writer, $session) = map { open_session($node, $database) } 1, 2;
	answer($writer, "BEGIN; $change");
	ask($session, $block);
	$node->poll_query_until('postgres', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $session->{pid}");
	answer($writer, 'COMMIT;');
	my $output = answer($session);
	unlike($output, qr/ERROR/, "$database: the block has no error");
	eval { answer($writer, $later // '') };
	close_session($_) foreach $session, $writer;
	return;
}

# The way back of path 1: the sequence goes on above the last ID.
run_beside('way_back', 'CREATE TABLE orders (id bigserial PRIMARY KEY); ALTER TABLE orders ALTER id SET DEFAULT kid_next(); INSERT INTO orders DEFAULT VALUES',
	'CREATE TABLE last AS SELECT kid_next()::bigint AS id; INSERT INTO orders TABLE last; DELETE FROM orders WHERE id = (TABLE last);',
	block_with('docs/guides/migration.md', q{SELECT setval('orders_id_seq'}));
is($node->safe_psql('way_back', q{SELECT nextval('orders_id_seq') > id FROM last}), 't', 'the sequence follows an ID that was inserted and deleted meanwhile');
run_beside('identity', 'CREATE TABLE refunds (id bigint PRIMARY KEY DEFAULT kid_next()); INSERT INTO refunds DEFAULT VALUES',
	'INSERT INTO refunds DEFAULT VALUES;', block_with('docs/guides/migration.md', 'SELECT setval(pg_get_serial_sequence'));
is($node->safe_psql('identity', q{SELECT nextval(pg_get_serial_sequence('refunds', 'id')) > max(id) FROM refunds}), 't', 'so does that of an identity');

# Old keys that clients know.
run_beside('old_keys', q{CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), old_id bigserial, item text); ALTER TABLE orders ALTER old_id DROP NOT NULL;
	INSERT INTO orders (item) VALUES ('tea'), ('milk'); INSERT INTO orders (old_id) VALUES (NULL)},
	"INSERT INTO orders (item) VALUES ('meanwhile');", block_with('docs/guides/new-keys-cases.md', 'CREATE TABLE old_order_ids (old_id bigint') =~ s/^SELECT \* FROM.*//msr);
is($node->safe_psql('old_keys', 'SELECT string_agg(item, $$ $$ ORDER BY old_id) FROM old_order_ids JOIN orders USING (id)'), 'tea milk meanwhile', 'no old key is lost');

# Numbers as in Twitter's snowflake: a session that is open has another epoch.
$node->append_conf('postgresql.conf', "kid.flake_id = 32\n");
$node->reload;
run_beside('chat', q{CREATE TABLE messages (id bigint PRIMARY KEY, body text); INSERT INTO messages VALUES (175928847299117063, 'hello')},
	'SELECT flake_next(); SELECT FROM messages;', block_with('docs/guides/kept-keys.md', 'ALTER DATABASE chat'),
	'INSERT INTO messages DEFAULT VALUES;');
$node->safe_psql('chat', 'INSERT INTO messages DEFAULT VALUES');
is($node->safe_psql('chat', q{SELECT count(*) FROM messages WHERE kid_timestamp(id) > now() + interval '1 min'}), 0, 'no message has a time of the future');

$node->stop;
done_testing();
