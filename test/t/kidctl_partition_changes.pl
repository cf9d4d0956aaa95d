# kidctl partition move: others change the table or its partitions in the middle of the move, by ordinary statements.
# Either the move goes on and keeps all rows, or it says what to do, and that works.
use strict;
use warnings;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server();
my $space = PostgreSQL::Test::Utils::tempdir;
$node->safe_psql('postgres', 'CREATE ROLE shop LOGIN CREATEDB');
$node->safe_psql('postgres', "CREATE TABLESPACE space LOCATION '$space'");
$node->safe_psql('postgres', 'GRANT CREATE ON TABLESPACE space TO shop');
create_database('shop', 'shop');
use_database($node, 'shop', role => 'shop');
my $owner = connection_as($node, 'shop', 'shop');
my @move = qw(partition move events --no-rehearsal --width);
my ($copying, $copied) = ('LOCK TABLE ONLY', 'CREATE INDEX CONCURRENTLY');
my $again = 'Run `kidctl partition cancel`, and then `kidctl partition move` again';

# Makes the table anew, with some more statements before it has ten rows in its default partition.
sub fresh
{
	my ($more) = @_;
	sql('DROP TABLE IF EXISTS events, rest, moved, users CASCADE; CREATE TABLE users (id int PRIMARY KEY);
		INSERT INTO users VALUES (1);
		CREATE TABLE events (id kid64, line int, item text, user_id int, PRIMARY KEY (line, id))
			PARTITION BY RANGE (id);
		CREATE TABLE rest PARTITION OF events DEFAULT; ' . ($more // '') . ';
		INSERT INTO events SELECT kid64_floor(now() - o * interval \'1 h\'), line, \'old\', 1
			FROM generate_series(0, 4) AS o, generate_series(1, 2) AS line');
	return;
}

# Returns the rows of the table.
sub rows { return sql('SELECT string_agg(e::text, \' \' ORDER BY e::text) FROM events AS e') }

# Runs a statement in the middle of a move, and then the move again. It is refused if `wanted` is not empty.
sub change
{
	my ($what, $statements, $wanted, %options) = @_;
	foreach my $step (@{ $options{steps} // [ $copying, $copied ] })
	{
		fresh($options{before});
		is((cut_kidctl($owner, $step, @move, '1 day'))[1], 1, "$what, before $step");
		sql($statements);
		my $rows = rows();
		my ($said, $status) = run_kidctl($owner, @move, '1 day');
		if ($wanted)
		{
			is($status, 2, 'the move is refused');
			like($said, qr/^error: \Q$wanted\E/m, 'and says why');
			like($said, qr/^hint: .*\Q$again\E/m, 'and what to do') if !$options{hint};
			like($said, $options{hint}, 'and what to do') if $options{hint};
			must_run_kidctl($owner, qw(partition cancel events));
			is(rows(), $rows, 'cancel keeps the rows');
			next if $options{is_last};
			must_run_kidctl($owner, @move, '1 day');
		}
		else
		{
			is($status, 0, 'the move goes on') or diag($said);
		}
		is(rows(), $rows, 'no row and no value is lost');
		is(sql('SELECT count(*) FROM rest'), 0, 'and the rows have moved') if !$options{keeps};
	}
	return;
}

my $changed = 'changed in public.events since the move of rows began: ';

# Rows that ALTER TABLE writes anew, for which no trigger fires
change('values of the same type', q{ALTER TABLE events ALTER item TYPE text USING 'new'});

# What the copies have, and the rows have no more. By a foreign key of before, a copy could be deleted alone.
my $key = 'ALTER TABLE events ADD FOREIGN KEY (user_id) REFERENCES users ON DELETE ';
my $without = 'ALTER TABLE events DROP CONSTRAINT events_user_id_fkey; DELETE FROM users';
change("ON DELETE $_", $without, "${changed}constraint events_user_id_fkey\n", before => $key . $_)
  foreach 'CASCADE', 'SET NULL';
change('a foreign key that is there again', "$without; INSERT INTO users VALUES (1); $key CASCADE",
	"${changed}constraint events_user_id_fkey\n", before => "$key CASCADE");
change('a unique constraint', q{ALTER TABLE events DROP CONSTRAINT one;
	INSERT INTO events SELECT id, line + 2 FROM events},
	"${changed}constraint one\n", before => 'ALTER TABLE events ADD CONSTRAINT one UNIQUE (id, item, line)');
change('another primary key', 'ALTER TABLE events DROP CONSTRAINT events_pkey, ADD PRIMARY KEY (id, line, user_id);
	INSERT INTO events SELECT id, line, item, 2 FROM events',
	"${changed}column user_id, constraint events_pkey\n");
change('no primary key', 'ALTER TABLE events DROP CONSTRAINT events_pkey',
	'public.events has no primary key with IDs of kid', is_last => 1, steps => [$copied]);
change(@$_, steps => [$copied])
  foreach [ 'an index', 'CREATE INDEX ON events (item)', "${changed}index public.events_item_idx\n" ],
  [ 'a CHECK', 'ALTER TABLE events ADD CONSTRAINT few CHECK (line < 9)', "${changed}constraint few\n" ],
  [ 'NOT NULL', 'ALTER TABLE events ALTER item SET NOT NULL', "${changed}column item\n" ],
  [ 'a default', "ALTER TABLE events ALTER item SET DEFAULT 'tea'", "${changed}column item\n" ],
  [ 'policies', 'ALTER TABLE events ENABLE ROW LEVEL SECURITY', "${changed}row-level security\n" ],
  [ 'a replica identity', 'ALTER TABLE events REPLICA IDENTITY FULL', "${changed}replica identity\n" ];

# Triggers that did not fire for a while
my $missed = q{UPDATE events SET item = 'new' WHERE line = 1; DELETE FROM events WHERE line = 2};
my $lost = 'the triggers of kidctl on public.rest were disabled or dropped';
change('triggers are disabled', "ALTER TABLE rest DISABLE TRIGGER USER; $missed; ALTER TABLE rest ENABLE TRIGGER USER",
	$lost);
change('a trigger is dropped', qq{DROP TRIGGER "~kidctl" ON rest; $missed}, $lost, steps => [$copied]);

# The partition itself
change('another name', 'ALTER TABLE rest RENAME TO moved',
	'public.rest is not the table that it was when the move of public.events began',
	keeps => 1, hint => qr/^hint: Rename it back, or run `kidctl partition cancel`/m);
change('no partition', 'DROP TABLE rest', 'public.rest is not the table that it was',
	is_last => 1, hint => qr/^hint: .*`kidctl partition cancel`/m);
change('detached', 'ALTER TABLE events DETACH PARTITION rest', "${changed}partition public.rest\n", is_last => 1);

# Other partitions. Rows that one had that was dropped come into the default partition.
my $old = q{CREATE TABLE old PARTITION OF events
	FOR VALUES FROM (kid64_floor(now() - interval '50 d')) TO (kid64_floor(now() - interval '30 d'))};
change('a partition is dropped', q{DROP TABLE old; INSERT INTO events VALUES (kid64_floor(now() - interval '40 d'), 1)},
	'rows of public.rest belong to no new partition', before => $old);
change('the job creates partitions', q{SELECT kid_create_partitions('events', '1 day', now() + interval '7 d');
	INSERT INTO events VALUES (kid64_floor(now() + interval '1 d'), 1)}, '');
change('it creates others', q{SELECT kid_create_partitions('events', '1 hour', now() + interval '2 d',
		since => now() + interval '1 d')}, 'table kidctl_rows_events_', steps => [$copied]);

# What would lose rows elsewhere, or belongs to the partition alone
change('a foreign key to the partition',
	'CREATE TABLE of_rest (line int, id kid64, FOREIGN KEY (line, id) REFERENCES rest)',
	'constraint of_rest_line_id_fkey on table public.of_rest: depends on partition public.rest',
	is_last => 1, steps => [$copied], hint => qr/^hint: Let it depend on public\.events, or drop it first/m);
sql('DROP TABLE of_rest');
fresh();
cut_kidctl($owner, $copied, @move, '1 day');
sql('CREATE PUBLICATION changes FOR TABLE events WITH (publish_via_partition_root)');
my ($said, $status) = run_kidctl($owner, @move, '1 day');
is($status, 2, 'a publication would tell subscribers that the partition is emptied') or diag($said);
sql(q{ALTER PUBLICATION changes SET (publish = 'insert, update, delete')});
must_run_kidctl($owner, @move, '1 day');
sql('DROP PUBLICATION changes');
fresh('ALTER TABLE events DETACH PARTITION rest; DROP TABLE rest;
	CREATE TABLE first PARTITION OF events FOR VALUES FROM (MINVALUE) TO (kid64_floor(\'2100-01-01\'))');
cut_kidctl($owner, $copied, @move, '1 day');
sql('CREATE INDEX mine ON first (item)');
($said, $status) = run_kidctl($owner, @move, '1 day');
like($said, qr/^error: \Q${changed}\Eindex public\.mine$/m, 'an index of this partition alone is not dropped unasked');
must_run_kidctl($owner, qw(partition cancel events));
must_run_kidctl($owner, @move, '1 day', '--accept', 'index public.mine');

# While the move waits for older snapshots, another partition takes the place of the one whose rows move.
fresh();
{
	my $program = <<'PYTHON';
import sys
from pgkid.ctl import cli, connection, steps
dsn, execute = sys.argv[-1], steps.Runner.execute
def execute_beside(self, what):
    if what.outside:
        steps.Runner.execute = execute
        with connection.connect(dsn) as other:
            other.execute("SET search_path = public")
            other.execute("DROP TABLE rest; CREATE TABLE rest PARTITION OF events DEFAULT")
            other.execute("INSERT INTO events VALUES (kid_next(), 1, 'new')")
    return execute(self, what)
steps.Runner.execute = execute_beside
sys.exit(cli.main(sys.argv[1:]))
PYTHON
	($said, $status) = run_in_place_of_kidctl($program, $owner, @move, '1 day');
}
is($status, 2, 'a partition that takes the place of another one is not emptied') or diag($said);
is(sql('SELECT string_agg(item, \' \') FROM events'), 'new', 'its rows are there');
must_run_kidctl($owner, qw(partition cancel events));

# The table has another name.
fresh();
cut_kidctl($owner, $copied, @move, '1 day');
sql('ALTER TABLE events RENAME TO moved');
($said, $status) = run_kidctl($owner, qw(partition move moved --no-rehearsal --width), '1 day');
like($said, qr/^error: a move of public\.events has begun.*\nhint: Give it that name again/m,
	'a table with another name does not begin a second move');
sql('ALTER TABLE moved RENAME TO events');
must_run_kidctl($owner, @move, '1 day');

# What kid_create_partitions() gives partitions
fresh('ALTER TABLE events ALTER item SET STATISTICS 500, ALTER item SET (n_distinct = 5), SET TABLESPACE space');
must_run_kidctl($owner, @move, '1 day');
is(sql(q{SELECT string_agg(DISTINCT concat_ws(' ', a.attstattarget, s.spcname, o), ', ')
		FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid AND relname <> 'rest'
			JOIN pg_attribute AS a ON a.attrelid = c.oid AND attname = 'item' LEFT JOIN pg_tablespace AS s
			ON s.oid = c.reltablespace LEFT JOIN LATERAL unnest(a.attoptions) AS o ON o LIKE 'n%'
		WHERE inhparent = 'events'::regclass}),
	'500 space n_distinct=5', 'partitions have the options and the tablespace of the table');

# kidctl partition run. The job drops the first partition before the move was ended, or it is detached.
my @run = qw(partition run items --no-rehearsal --width);
foreach my $change ('DROP TABLE items_old', 'ALTER TABLE items DETACH PARTITION items_old')
{
	sql('DROP TABLE IF EXISTS items, items_old; CREATE TABLE items (id kid64 PRIMARY KEY DEFAULT kid_next());
		INSERT INTO items DEFAULT VALUES');
	must_run_kidctl($owner, @run, '1 day');
	sql($change);
	must_run_kidctl($owner, qw(partition status items));
	($said, $status) = run_kidctl($owner, qw(partition back items));
	like($said, qr/^hint: .*`kidctl partition finish`/m, "$change: there is no way back");
	must_run_kidctl($owner, qw(partition finish items));
	is(sql(q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'}), 0, 'but the end of the move');
}
sql('DROP TABLE items, items_old; CREATE TABLE items (id kid64 PRIMARY KEY DEFAULT kid_next())');
cut_kidctl($owner, 'ALTER TABLE .* RENAME', @run, '1 day');
sql('ALTER TABLE items DROP CONSTRAINT kid_until');
must_run_kidctl($owner, @run, '1 day');
sql('ALTER TABLE items REPLICA IDENTITY FULL');
must_run_kidctl($owner, qw(partition back items));
is(sql(q{SELECT relreplident FROM pg_class WHERE relname = 'items'}), 'f', 'the way back keeps the replica identity');

# What has come to the table since then has its name and its comment after the way back, too.
sql(q{DROP TABLE items; CREATE TABLE items (id kid64 PRIMARY KEY DEFAULT kid_next(), user_id int, item text,
		CONSTRAINT named CHECK (item <> ''));
	CREATE INDEX found ON items (item); COMMENT ON INDEX found IS 'before';
	COMMENT ON CONSTRAINT named ON items IS 'b'});
must_run_kidctl($owner, @run, '1 day');
sql(q{CREATE INDEX late ON items (user_id); ALTER TABLE items ADD CONSTRAINT late_key UNIQUE (id, item),
		ADD CONSTRAINT late_check CHECK (user_id > 0), ADD CONSTRAINT late_fk FOREIGN KEY (user_id) REFERENCES users;
	COMMENT ON INDEX late IS 'late'; COMMENT ON INDEX found IS NULL; COMMENT ON CONSTRAINT named ON items IS NULL;
	COMMENT ON INDEX items_pkey IS 'index'; COMMENT ON CONSTRAINT items_pkey ON items IS 'key';
	COMMENT ON CONSTRAINT late_key ON items IS 'key'; COMMENT ON CONSTRAINT late_check ON items IS 'check';
	COMMENT ON CONSTRAINT late_fk ON items IS 'other'; ALTER TABLE items RENAME CONSTRAINT late_fk TO fk;
	ALTER TABLE items ADD CONSTRAINT late_fk FOREIGN KEY (user_id) REFERENCES users ON DELETE CASCADE;
	CREATE INDEX half ON ONLY items (user_id); COMMENT ON INDEX half IS 'made';
	ALTER INDEX found RENAME TO other});
my $named = q{SELECT string_agg(concat_ws(' ', name, comment), E'\n' ORDER BY name COLLATE "C") FROM (
	SELECT indexrelid::regclass::text AS name, obj_description(indexrelid, 'pg_class') AS comment
		FROM pg_index WHERE indrelid = 'items'::regclass
	UNION ALL SELECT 'c ' || conname, obj_description(oid, 'pg_constraint')
		FROM pg_constraint WHERE contype <> 'n' AND conrelid = 'items'::regclass) AS d};
$node->safe_psql('shop', q{CREATE SUBSCRIPTION "S'" CONNECTION 'dbname=x' PUBLICATION x WITH (connect = false);
	INSERT INTO pg_subscription_rel SELECT s.oid, c.oid, 'r', '0/1' FROM pg_subscription AS s, pg_class AS c
		WHERE c.relname = 'items'});
($said, $status) = run_kidctl($owner, qw(partition back items));
is($status, 2, 'a subscription stops the way back');
like($said, qr/^error: subscription "S'": writes public\.items, which the way back drops/m, 'and is named');
$node->safe_psql('shop', q{ALTER SUBSCRIPTION "S'" SET (slot_name = NONE); DROP SUBSCRIPTION "S'"});
my $names = sql($named) =~ s/^half made\n//mr;    # no partition has it
must_run_kidctl($owner, qw(partition back items));
is(sql($named), $names, 'the way back keeps names and comments of indexes and constraints');

# A foreign key to the table that somebody has dropped since is not added again. That of a partitioned table was added
# last.
foreach my $end (qw(finish back))
{
	sql('DROP TABLE IF EXISTS items, parted; CREATE TABLE items (id kid64 PRIMARY KEY DEFAULT kid_next());
		CREATE TABLE parted (item kid64 REFERENCES items) PARTITION BY RANGE (item);
		CREATE TABLE part PARTITION OF parted DEFAULT');
	must_run_kidctl($owner, @run, '1 day');
	sql('ALTER TABLE parted DROP CONSTRAINT parted_item_fkey');
	must_run_kidctl($owner, 'partition', $end, 'items');
	is(sql(q{SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid = 'parted'::regclass}),
		0, "$end adds no foreign key that was dropped");
}
sql('DROP TABLE parted');

# A copy of the schema alone, in the middle of a move: the way back removes what is there of it.
my $copied_schema = PostgreSQL::Test::Utils::tempdir . '/schema.sql';
foreach (
	[ 'ALTER TABLE .* RENAME', [ @run, '1 day' ], 'back', 'items', q{has a constraint kid_until} ],
	[ 'SELECT .*kid_create', [ @run, '1 day' ], 'back', 'items', '' ],
	[ $copying, [ @move, '1 day' ], 'cancel', 'events', q{Run `kidctl partition cancel`, and then} ])
{
	my ($cut, $words, $way, $table, $said_before) = @$_;
	sql('DROP TABLE IF EXISTS items; CREATE TABLE items (id kid64 PRIMARY KEY DEFAULT kid_next());
		INSERT INTO items DEFAULT VALUES');
	fresh();
	cut_kidctl($owner, $cut, @$words);
	$node->command_ok([ 'pg_dump', '-s', '-f', $copied_schema, $node->connstr('shop') ], 'a dump of the schema');
	must_run_kidctl($owner, 'partition', $way, $table);
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS copied; CREATE DATABASE copied OWNER shop');
	$node->safe_psql('copied', "\\i $copied_schema");
	my $copied_owner = connection_as($node, 'copied', 'shop');
	($said, $status) = run_kidctl($copied_owner, @$words);
	like($said, qr/^(?:error|hint): .*\Q$said_before\E/m, 'in its copy the move cannot go on');
	must_run_kidctl($copied_owner, 'partition', $way, $table);
	is($node->safe_psql('copied', q{SELECT concat_ws(' ', (SELECT count(*) FROM pg_namespace WHERE nspname ~ '^kidctl'),
			(SELECT count(*) FROM pg_constraint WHERE conname LIKE 'kid\_%'),
			(SELECT count(*) FROM pg_trigger WHERE tgname LIKE '~%'))}), '0 0 0', "and $way leaves nothing of it");
}

done_testing();
