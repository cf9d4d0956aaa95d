# kidctl rekey: others drop foreign keys, tables or the triggers of the move in the middle of it. Either the move goes
# on and each row keeps what it refers to, or it says what to do, and that works.
use strict;
use warnings;
use Kidctl;
use Sql;
use Test::More;

my $node = kidctl_server();
$node->safe_psql('postgres',
	'CREATE ROLE shop LOGIN CREATEDB; GRANT SET ON PARAMETER session_replication_role TO shop');
create_database('shop', 'shop');
use_database($node, 'shop', role => 'shop');
my $owner = connection_as($node, 'shop', 'shop');
my @run = qw(rekey run orders --time made --no-rehearsal --pause 0);

# Makes three tables anew, and moves the first one up to a command.
sub moved
{
	my ($last) = @_;
	sql(q{DROP TABLE IF EXISTS orders, lines, refunds CASCADE;
		CREATE TABLE orders (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT now(), item text);
		CREATE TABLE lines (order_id bigint REFERENCES orders ON DELETE CASCADE, note text);
		CREATE TABLE refunds (order_id bigint REFERENCES orders, note text);
		INSERT INTO orders (item) VALUES ('tea'), ('milk');
		INSERT INTO lines SELECT id, item FROM orders; INSERT INTO refunds SELECT id, item FROM orders});
	must_run_kidctl($owner, @run);
	must_run_kidctl($owner, qw(rekey swap orders)) if $last eq 'swap';
	return;
}

# Returns the item of each line and refund, with that of its order.
sub rows
{
	return sql(q{SELECT string_agg(concat_ws(' ', note, item), ', ' ORDER BY note, item)
		FROM (SELECT order_id, note FROM lines UNION ALL SELECT order_id, note FROM refunds) AS r
			LEFT JOIN orders AS o ON o.id = r.order_id});
}

# Returns what is left of a move.
sub left
{
	return sql(q{SELECT (SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%')
		+ (SELECT count(*) FROM pg_attribute WHERE attname LIKE 'kid\_%' AND attrelid = ANY (ARRAY['orders', 'lines',
			'refunds']::regclass[])) + (SELECT count(*) FROM pg_trigger WHERE tgname = '~kid_rekey')});
}

# Runs kidctl, which is refused. Returns the statements of its hint.
sub refused
{
	my ($error, @words) = @_;
	my ($said, $status) = run_kidctl($owner, @words);
	isnt($status, 0, "@words is refused");
	like($said, $error, 'and says why');
	return join(' ', $said =~ /^hint: .*?((?:ALTER|BEGIN).*;)/m);
}

my $new = q{INSERT INTO orders (item) VALUES ('new');
	INSERT INTO lines (order_id, note) SELECT id, item FROM orders WHERE item = 'new';
	INSERT INTO refunds (order_id, note) SELECT id, item FROM orders WHERE item = 'new'};
my $all = 'milk milk, milk milk, new new, new new, tea tea, tea tea';
my $drop = 'ALTER TABLE lines DROP CONSTRAINT lines_order_id_fkey';
my $lost = qr/column order_id of public\.lines:\s+is\s+a\s+part\s+of\s+the\s+move,\s+but\s+does\s+not\s+refer/;
my $add = 'ALTER TABLE public.lines ADD FOREIGN KEY (order_id) REFERENCES public.orders NOT VALID';

# A foreign key is dropped: the rows would keep old keys, and their table the trigger.
moved('run');
sql($drop);
refused($lost, qw(rekey swap orders));
refused($lost, @run);
must_run_kidctl($owner, qw(rekey cancel orders));
is(left(), 0, 'cancel takes the move from a table that has lost its foreign key');
sql($new);
is(rows(), $all, 'where all is as before');
moved('run');
sql($drop);
sql($add);
must_run_kidctl($owner, @run);
must_run_kidctl($owner, qw(rekey swap orders));
sql($new);
is(rows(), $all, 'with the foreign key again its rows get new keys');
must_run_kidctl($owner, qw(rekey finish orders));
foreach my $end (qw(back finish))
{
	moved('swap');
	sql("$drop; $new");
	my ($said, $status) = run_kidctl($owner, 'rekey', $end, 'orders');
	is($status, 2, "$end is refused after the swap");
	like($said, qr/^hint: Add its foreign key again, also as NOT VALID/m, 'and says what to do');
	sql($add);
	must_run_kidctl($owner, 'rekey', $end, 'orders');
	is(rows(), $all, 'which works');
	is(left(), 0, 'and nothing of the move is left');
}

# A table is dropped. The functions of the triggers have numbers, in the order of the tables.
foreach my $last (qw(run swap))
{
	foreach my $end (qw(back finish))
	{
		moved($last);
		sql('DROP TABLE lines; CREATE TABLE lines (order_id text, note text)');
		must_run_kidctl($owner, qw(rekey swap orders)) if $last eq 'run';
		sql(q{INSERT INTO orders (item) VALUES ('new');
			INSERT INTO refunds (order_id, note) SELECT id, item FROM orders WHERE item = 'new'});
		must_run_kidctl($owner, 'rekey', $end, 'orders');
		is(sql(q{SELECT string_agg(concat_ws(' ', note, item), ', ' ORDER BY note)
				FROM refunds LEFT JOIN orders ON id = order_id}),
			'milk milk, new new, tea tea', "a table is dropped after $last: $end keeps the others");
		is(left(), 0, 'and nothing of the move is left');
	}
}

# The triggers do not fire for a while after the swap: rows have the old keys of before.
moved('swap');
sql(q{ALTER TABLE lines DISABLE TRIGGER USER;
	UPDATE lines SET order_id = (SELECT id FROM orders WHERE item = 'milk');
	INSERT INTO lines (order_id, note) SELECT id, 'more' FROM orders WHERE item = 'tea';
	ALTER TABLE lines ENABLE TRIGGER USER;
	ALTER TABLE orders DISABLE TRIGGER USER; INSERT INTO orders (item) VALUES ('new')});
my $rows = rows();
my $off = qr/trigger ~kid_rekey of public\.\w+: was disabled or dropped/;
sql(refused($off, qw(rekey back orders))) foreach 1 .. 2;
must_run_kidctl($owner, qw(rekey back orders));
is(rows(), $rows, 'the way back keeps what was written while triggers were disabled');
moved('swap');
sql('DROP TRIGGER "~kid_rekey" ON lines');
my ($said) = run_kidctl($owner, qw(rekey back orders));
like($said, qr/$off.*\nhint: Without it there is no way back: run `finish`/, 'without a trigger there is no way back');
must_run_kidctl($owner, qw(rekey finish orders));
is(left(), 0, 'but the end of the move');

# The table itself is another one.
moved('swap');
sql('DROP TABLE orders CASCADE; CREATE TABLE orders (id bigserial PRIMARY KEY, made timestamptz)');
($said) = run_kidctl($owner, @run);
my ($drop_schema) = $said =~ /^hint: That one was dropped\. .* (DROP SCHEMA "?\w+"? CASCADE)\.$/m;
ok($drop_schema, 'a table of the same name') or diag($said);
sql($drop_schema);
must_run_kidctl($owner, @run);

done_testing();
