# kidctl while others change the tables of a move: drop, rename or make them again, drop foreign keys, or begin another
# move. What belongs to others stays, each refusal says what to do, and doing it works.
use strict;
use warnings;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server;
$node->safe_psql('postgres',
	'CREATE ROLE app LOGIN CREATEDB; GRANT SET ON PARAMETER session_replication_role TO app');
use_database($node, 'one', role => 'app');

my $tables = q{CREATE TABLE orders (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	INSERT INTO orders SELECT FROM generate_series(1, 3);
	CREATE TABLE lines (id kid64 PRIMARY KEY DEFAULT kid_next(), order_id bigint REFERENCES orders);
	INSERT INTO lines (order_id) SELECT id FROM orders};
my @run = qw(rekey run orders --time made --no-rehearsal);
my @width = ('--width', '1 day', '--no-rehearsal');
my $schemas = q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'};
my $columns = q{SELECT string_agg(format('%s.%s', attrelid::regclass, attname), ' ' ORDER BY attrelid, attnum)
	FROM pg_attribute WHERE attrelid IN (to_regclass('orders'), to_regclass('lines')) AND attnum > 0
	AND NOT attisdropped};

# Makes a database with some tables.
sub fresh
{
	my ($schema) = @_;
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS one');
	create_database('one', 'app');
	sql($schema // $tables);
	return;
}

# Runs kidctl as the owner of the tables.
sub kidctl { return run_kidctl(connection_as($node, 'one', 'app'), @_) }
sub kidctl_ok { return must_run_kidctl(connection_as($node, 'one', 'app'), @_) }

# Kidctl has to end with an error, and to tell what matches a pattern.
sub refuses
{
	my ($pattern, @words) = @_;
	my ($output, $status) = kidctl(@words);
	isnt($status, 0, "@words[0, 1] is refused");
	like($output, $pattern, 'and says why');
	return $output;
}

# Ends kidctl before the first statement that matches a pattern.
sub cut
{
	my ($pattern, @words) = @_;
	my ($output, $is_cut) = cut_kidctl(connection_as($node, 'one', 'app'), $pattern, @words);
	ok($is_cut, "kidctl @words[0, 1] is ended before $pattern") or diag($output);
	return;
}

# What is somebody's own, and only has such a name
fresh("$tables; ALTER TABLE orders ADD kid_new_id text; CREATE INDEX kid_old_made ON orders (made);
	ALTER TABLE lines ADD CONSTRAINT kid_full_order_id CHECK (order_id > 0)");
my $dump = dump_schema(connection_as($node, 'one', 'app'));
my $said = refuses(qr/^error: no move of public\.orders has begun\nhint: If a move has left these.* DROP kid_new_id;/m,
	qw(rekey cancel orders));
$said = refuses(qr/column kid_new_id of public\.orders: has a name that kidctl gives/, @run);
like($said, qr/(?:index|same:.*) \Q$_\E/, "so has $_")
  foreach 'public.kid_old_made', 'kid_full_order_id on public.lines';
same_text(dump_schema(connection_as($node, 'one', 'app')), $dump, 'and nothing of it is changed');

# A key that was renamed, tables that were renamed or made again, and a primary key that was dropped
fresh();
$dump = dump_schema(connection_as($node, 'one', 'app'));
foreach ([ 'ALTER TABLE orders RENAME id TO ident', 'ALTER TABLE orders RENAME ident TO id' ],
	[ 'ALTER TABLE lines RENAME TO items', 'ALTER TABLE items RENAME TO lines' ],
	[ 'ALTER TABLE orders RENAME kid_new_id TO new', '' ])
{
	my ($change, $undo) = @$_;
	kidctl_ok(@run);
	sql($change);
	kidctl_ok(qw(rekey cancel orders));
	sql($undo) if $undo;
	same_text(dump_schema(connection_as($node, 'one', 'app')), $dump, "cancel after $change");
}
kidctl_ok(@run);
sql('ALTER TABLE orders RENAME TO purchases');
refuses(qr/^error: a move of public\.orders has begun, and that table is called public\.purchases now\nhint: Give it/,
	'rekey', @$_)
  foreach [ 'cancel', 'purchases' ], [ 'status', 'purchases' ], [ 'run', 'purchases', @run[ 3 .. 5 ] ];
is(sql($schemas), 1, 'which leaves no schema');
sql('ALTER TABLE purchases RENAME TO orders');
kidctl_ok(qw(rekey cancel orders));
same_text(dump_schema(connection_as($node, 'one', 'app')), $dump, 'cancel under the name of before');
kidctl_ok(@run);
sql('DROP TABLE lines; CREATE TABLE lines (order_id bigint REFERENCES orders, kid_new_order_id text)');
kidctl_ok(qw(rekey cancel orders));
is(sql($columns), 'orders.id orders.made lines.order_id lines.kid_new_order_id', 'a new table keeps its own column');
fresh();
kidctl_ok(@run);
sql('DROP TABLE orders CASCADE; CREATE TABLE orders (id bigint PRIMARY KEY, kid_new_id text)');
refuses(qr/^hint: Run `kidctl rekey cancel`, which removes what is left of the move\.$/m, @run);
kidctl_ok(qw(rekey cancel orders));
is(sql($columns), 'lines.id lines.order_id orders.id orders.kid_new_id', 'so does one that the user named');
is(sql("$schemas; INSERT INTO lines (order_id) VALUES (1); SELECT count(*) FROM pg_trigger WHERE tgname ~ 'kid'"),
	"0\n0", 'and the move is gone from the others');
fresh();
kidctl_ok(@run);
sql('ALTER TABLE orders DROP CONSTRAINT orders_pkey CASCADE');
kidctl_ok(qw(rekey cancel orders));
is(sql($columns), 'orders.id orders.made lines.id lines.order_id', 'cancel needs no primary key');

# Without the schema of the move cancel only says what to drop.
fresh();
$dump = dump_schema(connection_as($node, 'one', 'app'));
kidctl_ok(@run);
sql('SET client_min_messages = warning; DROP SCHEMA ' . sql($schemas =~ s/count.*?FROM/nspname FROM/r) . ' CASCADE');
($said) = refuses(qr/^hint: If a move has left these/m, qw(rekey cancel orders)) =~ /drop them: (.*;)$/m;
sql($said);
same_text(dump_schema(connection_as($node, 'one', 'app')), $dump, 'with what it says, all is as before');

# A foreign key that was dropped. The swap would leave the column with old keys.
my $joined = 'SELECT count(*) FROM lines JOIN orders ON orders.id = order_id';
my $drop = 'ALTER TABLE lines DROP CONSTRAINT lines_order_id_fkey';
my $add = 'ALTER TABLE lines ADD FOREIGN KEY (order_id) REFERENCES orders NOT VALID';
my $lost = qr/column order_id of public\.lines:? is a part of the move, but does not refer to the key any more/;
foreach my $way (qw(finish back))
{
	fresh();
	kidctl_ok(@run);
	sql("$drop; ALTER TABLE lines DROP CONSTRAINT kid_new_lines_order_id_fkey");
	refuses($lost, @$_) foreach \@run, [qw(rekey swap orders)];
	like(kidctl_ok(qw(rekey status orders)), $lost, 'status tells it, too');
	sql($add);
	kidctl_ok(@$_) foreach \@run, [qw(rekey swap orders)];
	sql($drop);
	refuses($lost, 'rekey', $_, 'orders') foreach qw(finish back);
	sql($add);
	kidctl_ok('rekey', $way, 'orders');
	is(sql("$joined; $schemas"), "3\n0", "with the foreign key $way succeeds");

	# A table that was dropped after the swap
	fresh();
	kidctl_ok(@$_) foreach \@run, [qw(rekey swap orders)];
	sql('DROP TABLE lines');
	kidctl_ok('rekey', $way, 'orders');
	is(sql($schemas), 0, "without the table $way succeeds, too");
}

# A dump that is restored into the database that it is of, whose tables are others then, or one of its tables alone
sub restore
{
	my (@options) = @_;
	my ($file, $one) = (PostgreSQL::Test::Utils::tempdir . '/one.dump', $node->connstr('one'));
	$node->command_ok([ 'pg_dump', '-Fc', @options, '-f', $file, $one ], 'a dump');
	sql('DROP TABLE lines') if @options;
	$node->command_ok([ 'pg_restore', @options ? () : qw(--clean --if-exists), '-d', $one, $file ], 'and its restore');
	return;
}
fresh();
$dump = dump_schema(connection_as($node, 'one', 'app'));
foreach my $options ([], [qw(-t lines)])
{
	kidctl_ok(@run);
	restore(@$options);
	refuses(qr/^error: the move of \S+ was begun before a dump was restored.*\nhint: Run `kidctl rekey cancel`/m, @run)
	  if !@$options;
	kidctl_ok(qw(rekey cancel orders));
	same_text(dump_schema(connection_as($node, 'one', 'app')), $dump, "cancel after a restore of all @$options");
}
foreach my $way (qw(finish back))
{
	fresh();
	kidctl_ok(@$_) foreach \@run, [qw(rekey swap orders)];
	restore();
	kidctl_ok('rekey', $way, 'orders');
	is(sql("$joined; $schemas; $columns") =~ s/\b(orders|lines)\.//gr,
		"3\n0\n" . ($way eq 'back' ? 'id made id order_id' : 'made id id order_id'), "$way after a restore");
}
fresh();
kidctl_ok(@$_) foreach \@run, [qw(rekey swap orders)];
cut('ALTER TABLE .*lines.*VALIDATE CONSTRAINT "lines', qw(rekey back orders));
restore();
refuses(qr/^hint: Run `kidctl rekey back` again, to end it\.$/m, 'rekey', $_, 'orders') foreach qw(cancel finish);
kidctl_ok(qw(rekey back orders));
is(sql("SELECT bool_and(convalidated) FROM pg_constraint; $schemas"), "t\n0", 'back ends after a restore');
fresh('CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next())');
$dump = dump_schema(connection_as($node, 'one', 'app'));
cut('ALTER TABLE .*VALIDATE', qw(partition run events), @width);
restore();
kidctl_ok(qw(partition back events));
same_text(dump_schema(connection_as($node, 'one', 'app')), $dump, 'partition back after a restore');

# Partitions that were detached during the move, one of them made during it, too
fresh("$tables; CREATE TABLE notes (kind text, a bigint NOT NULL REFERENCES orders, b bigint REFERENCES orders)
	PARTITION BY LIST (kind); CREATE TABLE notes_1 PARTITION OF notes FOR VALUES IN ('1')");
kidctl_ok(@run);
sql(q{CREATE TABLE notes_2 PARTITION OF notes FOR VALUES IN ('2');
	ALTER TABLE notes DETACH PARTITION notes_1; ALTER TABLE notes DETACH PARTITION notes_2});
refuses(qr/^hint: Take the move back/m, qw(rekey swap orders));
kidctl_ok(qw(rekey cancel orders));
is(sql(q{INSERT INTO notes_1 VALUES ('1', 1, 2); INSERT INTO notes_2 VALUES ('2', 1, 2);
	SELECT count(*) FROM pg_attribute WHERE attname LIKE 'kid\_%' AND NOT attisdropped}), 0, 'cancel takes back both');

# Constraints that were made or renamed since the swap
fresh();
kidctl_ok(@$_) foreach \@run, [qw(rekey swap orders)];
sql(q{ALTER TABLE lines ADD CONSTRAINT mine CHECK (order_id::text <> ''),
	ADD CONSTRAINT second FOREIGN KEY (order_id) REFERENCES orders ON DELETE CASCADE;
	COMMENT ON CONSTRAINT second ON lines IS 'kept';
	ALTER TABLE lines RENAME CONSTRAINT lines_order_id_fkey TO first});
refuses(qr/^error: constraint mine on public\.lines was made since the swap.*\nhint: Drop it first\.$/m,
	qw(rekey back orders));
sql('ALTER TABLE lines DROP CONSTRAINT mine');
kidctl_ok(qw(rekey back orders));
is(sql(q{SELECT conrelid::regclass, conname, convalidated, obj_description(oid, 'pg_constraint') FROM pg_constraint
		WHERE confrelid = 'orders'::regclass ORDER BY 1, 2}),
	"lines|first|t|\nlines|second|t|kept",
	'back keeps foreign keys');

# Indexes and constraints that were replaced or dropped under the same name, before the swap and after it
my $twins = q{CREATE TABLE orders (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01', item text,
		CONSTRAINT held CHECK (id IS NOT NULL), CONSTRAINT other CHECK (id IS NOT NULL), UNIQUE (id, made));
	INSERT INTO orders SELECT FROM generate_series(1, 3);
	CREATE INDEX found ON orders (id, made); CREATE INDEX gone ON orders (id, item);
	CREATE TABLE lines (id kid64 PRIMARY KEY DEFAULT kid_next(), part integer DEFAULT 1,
		order_id bigint CONSTRAINT fk REFERENCES orders);
	INSERT INTO lines (order_id) SELECT id FROM orders};
my $replace = q{DROP INDEX found, gone; CREATE INDEX found ON orders (id, item);
	ALTER TABLE lines DROP CONSTRAINT fk,
		ADD CONSTRAINT fk FOREIGN KEY (order_id) REFERENCES orders ON DELETE CASCADE DEFERRABLE;
	ALTER TABLE orders DROP CONSTRAINT other, DROP CONSTRAINT held,
		ADD CONSTRAINT held CHECK (id IS NOT NULL AND item IS DISTINCT FROM ''),
		DROP CONSTRAINT orders_id_made_key, ADD CONSTRAINT orders_id_made_key UNIQUE (id, made) DEFERRABLE};
my $definitions = q{SELECT string_agg(d, E'\n' ORDER BY d COLLATE "C") FROM (
	SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'orders'::regclass
	UNION ALL SELECT concat_ws(' ', conname, convalidated, pg_get_constraintdef(oid)) FROM pg_constraint
		WHERE contype IN ('c', 'f', 'u', 'p') AND conrelid IN ('orders'::regclass, 'lines'::regclass)) AS d (d)};
fresh($twins);
sql($replace);
my $replaced = sql($definitions);
foreach my $is_cut (0, 1)
{
	fresh($twins);
	$is_cut ? cut('ALTER TABLE .* ADD CONSTRAINT "kid_new_fk', @run) : kidctl_ok(@run);
	sql($replace);
	refuses($is_cut
		? qr/is not ready for the swap/
		: qr/^error: .* was changed or dropped since the last run of kidctl\nhint: Run `kidctl rekey run` again/m,
		qw(rekey swap orders));
	kidctl_ok(@$_) foreach \@run, [qw(rekey swap orders)], [qw(rekey finish orders)];
	is(sql($definitions), $replaced, 'new keys have what was replaced before the swap');
}
fresh($twins);
my $definitions_before = sql($definitions);
kidctl_ok(@$_) foreach \@run, [qw(rekey swap orders)];
sql($replace);
foreach ([ 'index public.found', 'DROP INDEX found' ],
	[ 'key of index public.orders_id_made_key', 'ALTER TABLE orders DROP CONSTRAINT orders_id_made_key' ],
	[ 'constraint held on public.orders', 'ALTER TABLE orders DROP CONSTRAINT held' ])
{
	my ($what, $drop) = @$_;
	my $before = sql($definitions);
	refuses(qr/^error: \Q$what\E was changed since the swap.*\nhint: Drop it first, or make it again as it was: /m,
		qw(rekey back orders));
	is(sql($definitions), $before, 'before anything has changed');
	sql($drop);
}
kidctl_ok(qw(rekey back orders));
is(sql($definitions), join("\n", grep { !/ found |gone|_made_key|^other|^held/ } split /\n/, $replaced),
	'back leaves out what was dropped since the swap, and keeps foreign keys as they are');
fresh($twins);
kidctl_ok(@$_) foreach \@run, [qw(rekey swap orders)];
sql($replace);
sql(q{DROP INDEX found; CREATE INDEX found ON orders (id, made); CREATE INDEX gone ON orders (id, item);
	ALTER TABLE lines DROP CONSTRAINT fk, ADD CONSTRAINT fk FOREIGN KEY (order_id) REFERENCES orders;
	ALTER TABLE orders DROP CONSTRAINT held, ADD CONSTRAINT held CHECK (id IS NOT NULL),
		ADD CONSTRAINT other CHECK (id IS NOT NULL), DROP CONSTRAINT orders_id_made_key, ADD UNIQUE (id, made)});
kidctl_ok(qw(rekey back orders));
is(sql($definitions), $definitions_before, 'back takes what was made again as it was');

# A column of an index gets another name, which is no other index.
fresh($twins);
kidctl_ok(@run);
sql('ALTER TABLE orders RENAME item TO thing');
kidctl_ok(qw(rekey swap orders));
sql('ALTER TABLE orders RENAME thing TO label');
kidctl_ok(qw(rekey back orders));
is(sql($definitions), $definitions_before =~ s/\bitem\b/label/gr, 'a column of an index can get another name');

# A copy of the schema alone, after the swap
fresh();
kidctl_ok(@$_) foreach \@run, [qw(rekey swap orders)];
my $schema_file = PostgreSQL::Test::Utils::tempdir . '/schema.sql';
$node->command_ok([ 'pg_dump', '-s', '-f', $schema_file, $node->connstr('one') ], 'a dump of the schema');
$node->safe_psql('postgres', $_) foreach 'DROP DATABASE one', 'CREATE DATABASE one OWNER app';
$node->safe_psql('one', "\\i $schema_file");
my ($drops) = kidctl_ok(qw(rekey cancel orders)) =~ /drop them: (ALTER .*;)/;
sql($drops);
is(sql("$columns; $schemas"), "orders.made orders.id lines.id lines.order_id\n0", 'cancel says what is left');

# A copy without keys
fresh();
kidctl_ok(@$_) foreach \@run, [qw(rekey swap orders)];
$node->command_ok([ 'pg_dump', '-s', '--section=pre-data', '-f', $schema_file, $node->connstr('one') ],
	'a dump of the tables');
$node->safe_psql('postgres', $_) foreach 'DROP DATABASE one', 'CREATE DATABASE one OWNER app';
$node->safe_psql('one', "\\i $schema_file");
like(kidctl_ok(qw(rekey cancel orders)), qr/drop them: ALTER TABLE public\.orders DROP kid_old_id;$/m,
	'cancel says what is left there, too');

# A cancel that fails, of a move that has not begun
fresh();
my ($output, $status) = run_in_place_of_kidctl(<<'PYTHON', connection_as($node, 'one', 'app'), @run);
import sys
from pgkid.ctl import cli, state
from pgkid.ctl.findings import Refused
from pgkid.ctl.rekey.move import Rekey
def prepare(self, runner):
    state.remove(runner, self.plan().schema)
    raise Refused("fails")
def in_transaction(self, runner):
    runner.retried([], lambda: prepare(self, runner))
Rekey.prepare = in_transaction
sys.exit(cli.main(sys.argv[1:]))
PYTHON
like($output, qr/^error: fails$/m, 'a step fails after it has released its lock');
is(sql($schemas), 0, 'and no schema is left');

# Another kidctl that takes the lock when this one releases it to drop the schema
kidctl_ok(@run);
$dump = dump_schema(connection_as($node, 'one', 'app'));
($output, $status) = run_in_place_of_kidctl(<<'PYTHON', connection_as($node, 'one', 'app'), qw(rekey cancel orders));
import sys
from pgkid.ctl import cli, connection, hold
release, others = hold.Hold.release, []
def overtaken(self):
    release(self)
    if not others:
        others.append(connection.connect(sys.argv[-1]))
        others[0].execute("BEGIN")
        others[0].execute(f"LOCK TABLE {self.schema}.running IN EXCLUSIVE MODE")
hold.Hold.release = overtaken
sys.exit(cli.main(sys.argv[1:]))
PYTHON
like($output, qr/^error: another kidctl has just begun to work on this move\nhint: /m, 'only one kidctl has the lock');
same_text(dump_schema(connection_as($node, 'one', 'app')), $dump, 'and the other one changes nothing');

# A move to partitions of a table in a move to new keys, which would not know the new table
refuses(qr/public\.orders: is in a move that is not finished.*kidctl rekey cancel public\.orders/s,
	qw(partition run lines), @width);
kidctl_ok(qw(rekey cancel orders));
($output, $status)
  = overtake_kidctl(connection_as($node, 'one', 'app'), "@run", qw(partition run lines), @width);
like($output, qr/^error: public\.orders: is in a move that is not finished/m, 'also if that begins meanwhile');
kidctl_ok('rekey', $_, 'orders') foreach qw(swap finish);
kidctl_ok(qw(partition run lines), @width);
is(sql($joined), 3, 'and one after the other succeeds');
($output, $status) = overtake_kidctl(connection_as($node, 'one', 'app'), 'partition back lines',
	qw(partition finish lines));
isnt($status, 0, 'finish notices the way back');

# The first partition after the swap
my $events = 'CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next()); INSERT INTO events DEFAULT VALUES';
fresh($events);
kidctl_ok(qw(partition run events), @width);
sql('ALTER TABLE events_old RENAME TO past');
refuses(qr/^hint: Rename it back\.$/m, 'partition', $_, 'events') foreach qw(finish back);
sql('ALTER TABLE past RENAME TO events_old; ALTER TABLE events DETACH PARTITION events_old; DROP TABLE events_old');
refuses(qr/^error: public\.events_old is no partition of public\.events any more\nhint: .*partition finish/m,
	qw(partition back events));
kidctl_ok(qw(partition finish events));
is(sql($schemas), 0, 'finish needs no first partition');

# A table that was dropped before the swap, renamed, or dropped after the swap
fresh($events);
cut('ALTER TABLE .*VALIDATE', qw(partition run events), @width);
sql('ALTER TABLE events RENAME TO others');
refuses(qr/^error: a move of public\.events has begun, and that table is called public\.others now$/m, 'partition', @$_)
  foreach [ 'back', 'others' ], [ 'run', 'others', @width ];
sql("DROP TABLE others; $events");
refuses(qr/^hint: Run `kidctl partition back`, which removes what is left of the move\.$/m,
	qw(partition run events), @width);
kidctl_ok(qw(partition back events));
is(sql($schemas), 0, 'back forgets a table that is gone');
kidctl_ok(qw(partition run events), @width);
sql("DROP TABLE events; $events");
($said) = refuses(qr/^hint: That one was dropped\. To forget its move, run /m, qw(partition back events))
  =~ /run (DROP SCHEMA \S+ CASCADE)\.$/m;
sql($said);
kidctl_ok(qw(partition run events), @width);
done_testing();
