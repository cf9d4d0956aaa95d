# kidctl partition move: writers in the moments that matter. Some have a snapshot from before the copies, some write
# between two statements of kidctl, and some write rows that have the same ID.
use strict;
use warnings;
use Dialogue;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server("max_prepared_transactions = 5\n");
$node->safe_psql('postgres', 'CREATE ROLE shop LOGIN CREATEDB');
create_database('shop', 'shop');
use_database($node, 'shop', role => 'shop');
my $owner = connection_as($node, 'shop', 'shop');
my @move = qw(partition move events --no-rehearsal --width);

# Makes a table anew that has ten rows in its default partition.
sub fresh
{
	sql('DROP TABLE IF EXISTS events; CREATE TABLE events (id kid64, line int, item text, PRIMARY KEY (line, id))
		PARTITION BY RANGE (id); CREATE TABLE rest PARTITION OF events DEFAULT;
		INSERT INTO events SELECT kid64_floor(now() - o * interval \'1 h\'), line, \'old\'
			FROM generate_series(0, 4) AS o, generate_series(1, 2) AS line');
	return;
}

# Returns the rows of the table, by the number of the ID and the line.
sub rows
{
	return sql('SELECT string_agg(concat(n, line, item), \' \' ORDER BY n, line)
		FROM (SELECT *, dense_rank() OVER (ORDER BY id DESC) AS n FROM events) AS e');
}

# Opens a session whose snapshot is from before the copies, copies all rows, and returns the session.
sub copied_later
{
	fresh();
	cut_kidctl($owner, 'LOCK TABLE ONLY', @move, '1 day');
	my $old = open_session($node, 'shop', role => 'shop');
	answer($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
	is((cut_kidctl($owner, 'CREATE INDEX CONCURRENTLY', @move, '1 day'))[1], 1, 'all rows are copied');
	return $old;
}

# A transaction that does not see the copies empties the table.
my $old = copied_later();
is(answer($old, "TRUNCATE events; INSERT INTO events VALUES (kid_next(), 1, 'new'); COMMIT;"), '',
	'a transaction with an older snapshot truncates the table');
close_session($old);
must_run_kidctl($owner, @move, '1 day');
is(rows(), '11new', 'rows that were truncated do not come back');

# At READ COMMITTED the table can be emptied with one that it refers to.
sql(q{DROP TABLE events; CREATE TABLE users (id int PRIMARY KEY); INSERT INTO users VALUES (1);
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), user_id int REFERENCES users)
		PARTITION BY RANGE (id); CREATE TABLE rest PARTITION OF events DEFAULT;
		INSERT INTO events (user_id) VALUES (1)});
cut_kidctl($owner, 'CREATE INDEX CONCURRENTLY', @move, '1 day');
is(error_of('TRUNCATE users CASCADE'), '', 'TRUNCATE CASCADE of a table to which it refers');
must_run_kidctl($owner, @move, '1 day');
is(sql('SELECT count(*) FROM events'), 0, 'empties the table, too');

# Each of several rows with the same ID is followed by itself.
fresh();
cut_kidctl($owner, 'CREATE INDEX CONCURRENTLY', @move, '1 day');
# A role that can use every schema cannot run the function of the triggers as the owner, who created it.
$node->safe_psql('postgres', 'CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader');
my $follow = sql("SELECT oid::regproc FROM pg_proc WHERE proname = 'follow' AND prosecdef");
like(error_of("CREATE TEMP TABLE mine (id kid64, line int, item text);
		CREATE TRIGGER mine AFTER DELETE ON mine FOR EACH ROW EXECUTE FUNCTION $follow()", role => 'reader'),
	qr/permission denied for function/, 'no trigger of another role runs the function of a move');
sql(q{UPDATE events SET item = 'new' WHERE line = 1;
	DELETE FROM events WHERE line = 2 AND id < now() - interval '150 min'});
must_run_kidctl($owner, @move, '1 day');
is(rows(), '11new 12old 21new 22old 31new 32old 41new 51new', 'rows with the same ID are changed one by one');

# A program in place of kidctl, which runs a statement in another session before the first one that matches a pattern.
my $beside = <<'PYTHON';
import re, sys
from pgkid.ctl import cli, connection, steps
pattern, query, dsn, execute = *sys.argv[1:3], sys.argv[-1], steps.Runner.execute
def execute_beside(self, what):
    global query
    if query and re.match(pattern, what.text.as_string(self.conn), re.S):
        other = connection.connect(dsn)
        other.execute("SET search_path = public")
        other.execute(query)
        other.close()
        query = ""
    return execute(self, what)
steps.Runner.execute = execute_beside
status = cli.main(sys.argv[3:])
sys.exit("kidctl did not come to the statement" if query else status)
PYTHON

# Runs kidctl and such a statement.
sub move_beside
{
	my ($pattern, $query) = @_;
	local $ENV{PYTHONPATH} = 'python';
	my $output = '';
	my $is_done = IPC::Run::run([ find_python(), '-c', $beside, $pattern, $query, @move, '1 day', '-d', $owner ],
		'>&', \$output);
	ok($is_done, 'kidctl moves the rows') or diag($output);
	return;
}

# Rows that were deleted before they were copied come back while kidctl copies noted rows once more.
fresh();
cut_kidctl($owner, 'LOCK TABLE ONLY', @move, '1 day');
sql('DELETE FROM events WHERE line = 2');
cut_kidctl($owner, 'CREATE INDEX CONCURRENTLY', @move, '1 day');
move_beside('INSERT INTO .* WHERE EXISTS', q{INSERT INTO events SELECT id, 2, 'new' FROM events});
is(rows(), '11old 12new 21old 22new 31old 32new 41old 42new 51old 52new',
	'rows that come back between two statements are there once');

# A note gets a lower number than others, and is committed later than these.
$old = copied_later();
my ($first, $second) = split /\n/, sql('SELECT DISTINCT id FROM events ORDER BY id LIMIT 2');
answer($old, "DELETE FROM events WHERE id = '$first'; COMMIT;");
close_session($old);
sql("BEGIN; INSERT INTO events VALUES ('$first', 1, 'new'); PREPARE TRANSACTION 'later'");
my ($schema) = sql(q{SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kidctl%'});
is(sql("INSERT INTO $schema.noted (id) VALUES ('$second') RETURNING n"), sql("SELECT count(*) + 1 FROM $schema.noted"),
	'a note has a lower number than another one, and is not committed');
move_beside(qq{DELETE FROM "$schema"."noted"}, "COMMIT PREPARED 'later'");
is(sql("SELECT string_agg(item, ' ') FROM events WHERE id = '$first'"), 'new', 'it is committed later, and not lost');

# VACUUM FULL moves rows that are not copied yet into blocks that are.
sql(q{DROP TABLE events; CREATE TABLE events (id kid64 PRIMARY KEY, n int, item text) PARTITION BY RANGE (id);
	CREATE TABLE rest PARTITION OF events DEFAULT; ALTER TABLE rest ALTER item SET STORAGE PLAIN;
	INSERT INTO events SELECT kid64_floor(now() - n * interval '1 s'), n, repeat('x', 7000)
		FROM generate_series(1, 600) AS n;
	DELETE FROM events WHERE n <= 300});
is((cut_kidctl($owner, q{(?s)INSERT.*ctid >= '\(256,0\)'}, @move, '1 day'))[1], 1, 'some blocks are copied');
sql('VACUUM FULL rest');
must_run_kidctl($owner, @move, '1 day');
is(sql('SELECT concat(count(DISTINCT n), \' \', min(n), \' \', max(n)) FROM events'), '300 301 600',
	'no row is lost if VACUUM FULL moves it');

# Columns that change during a move. The copies have the values of before.
foreach ([ 'ALTER TABLE events DROP COLUMN item; ALTER TABLE events ADD COLUMN item text', 'item', 'is another one' ],
	[ 'ALTER TABLE events RENAME item TO title', 'title', 'has another name' ],
	[ 'ALTER TABLE events RENAME line TO "Line"; ALTER TABLE events RENAME id TO line', 'item', 'of the key' ])
{
	my ($alter, $column, $what) = @$_;
	foreach my $step ('LOCK TABLE ONLY', 'CREATE INDEX CONCURRENTLY')
	{
		fresh();
		cut_kidctl($owner, $step, @move, '1 day');
		sql($alter);
		my $before = sql("SELECT string_agg(events::text, ' ' ORDER BY events::text) FROM events");
		my ($said, $status) = run_kidctl($owner, @move, '1 day');
		is($status, 2, "a column $what: the move stops");
		like($said, qr/^error: changed in public\.events since .*: column .*\nhint: Run `kidctl partition cancel`/m,
			'and says why');
		must_run_kidctl($owner, qw(partition cancel events));
		must_run_kidctl($owner, @move, '1 day');
		is(sql("SELECT string_agg(events::text, ' ' ORDER BY events::text) FROM events"), $before,
			'after cancel the rows can move');
	}
}

# Triggers of a default partition do not fire when it is emptied, and are there afterwards.
fresh();
sql(q{CREATE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''never''; END';
	CREATE TRIGGER usual BEFORE TRUNCATE ON rest EXECUTE FUNCTION never();
	CREATE TRIGGER "Always" AFTER TRUNCATE ON rest EXECUTE FUNCTION never();
	ALTER TABLE rest ENABLE ALWAYS TRIGGER "Always";
	CREATE TRIGGER off BEFORE TRUNCATE ON rest EXECUTE FUNCTION never(); ALTER TABLE rest DISABLE TRIGGER off});
must_run_kidctl($owner, qw(partition move events --width), '1 day');
is(sql(q{SELECT string_agg(concat(tgname, ' ', tgenabled), ', ' ORDER BY tgname) FROM pg_trigger
		WHERE tgrelid = 'rest'::regclass AND NOT tgisinternal}), 'Always A, off D, usual O',
	'triggers for TRUNCATE do not fire, and are enabled as before');
is(sql('SELECT count(*) FROM rest'), 0, 'rows have moved');

# What check finds
sql(q{CREATE TABLE users_of (id kid64 PRIMARY KEY DEFAULT kid_next(), email text);
	CREATE UNIQUE INDEX by_email ON users_of (email) INCLUDE (id);
	CREATE TABLE children (id kid64 PRIMARY KEY DEFAULT kid_next(), kid_name text NOT NULL);
	INSERT INTO children (kid_name) VALUES ('Ada');
	CREATE TABLE negative (id bigint PRIMARY KEY DEFAULT kid53_next()) PARTITION BY RANGE (id);
	CREATE TABLE negative_rest PARTITION OF negative DEFAULT; INSERT INTO negative VALUES (-5), (DEFAULT);
	CREATE TABLE mixed (id uuid PRIMARY KEY DEFAULT kid_uuidv7()) PARTITION BY RANGE (id);
	CREATE TABLE mixed_rest PARTITION OF mixed DEFAULT;
	INSERT INTO mixed VALUES (DEFAULT), ('f6ce8ea9-4b09-4c1a-8e3e-5f1a5b1b2c3d')});
foreach ([ check => 'users_of', qr/index public\.by_email: is unique without the column id/ ],
	[ check => 'negative', qr/negative_rest: has keys that contain no time, such as -5 / ],
	[ move => 'mixed', qr/mixed_rest: has keys that contain no time, such as f6ce8ea9-/ ])
{
	my ($action, $table, $why) = @$_;
	my ($said, $status) = run_kidctl($owner, 'partition', $action, $table, '--width', '1 day', '--no-rehearsal');
	is($status, 1, "$table cannot move");
	like($said, $why, "and $action says why");
}
my ($said, $status) = run_kidctl($owner, qw(partition check children --width), '1 day');
unlike($said, qr/not tried/, 'a rehearsal inserts into a table with a column kid_name') or diag($said);
($said, $status) = run_kidctl($owner, qw(partition plan children --no-rehearsal --width), '1 day');
is($status, 2, 'there is no plan without a rehearsal');
like($said, qr/^error: no rehearsal was made .*\nhint: Omit --no-rehearsal/m, 'and kidctl says why');

done_testing();
