# kidctl partition: a run that is broken off at each of its statements, and tables of one kind each. Those
# of kidctl_partition_random.pl are of all kinds. It also runs the commands of docs/guides/partitions.md.
# In the extension and in plain SQL.
# Versions: the catalogs; NOT NULL constraints have rows from 18 on
use strict;
use warnings;
use utf8;
use Dialogue;
use Encode;
use Kidctl;
use Pages qw(folded);
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::HiRes qw(sleep);

my $node = kidctl_server("max_connections = 40\ndefault_transaction_isolation = 'repeatable read'\n",
	allows_streaming => 'logical');
$node->safe_psql('postgres', 'CREATE ROLE shop LOGIN BYPASSRLS CREATEDB; CREATE ROLE reader; CREATE ROLE viewer;
	CREATE ROLE client LOGIN BYPASSRLS; GRANT viewer TO shop');
use_database($node, 'postgres', role => 'shop');

# Runs kidctl partition in a database, as the owner of the tables. Returns what it prints, and its exit status.
sub kidctl
{
	my ($database, $action, @arguments) = @_;
	return run_kidctl(connection_as($node, $database, 'shop'), 'partition', $action, @arguments);
}

# Does the same, and has to succeed.
sub kidctl_ok
{
	my ($database, $action, @arguments) = @_;
	return must_run_kidctl(connection_as($node, $database, 'shop'), 'partition', $action, @arguments);
}

# Runs kidctl until it has executed some statements, and then cuts its connection. Returns whether it was cut.
sub kidctl_cut
{
	my ($database, $count, $action, @arguments) = @_;
	return (cut_kidctl(connection_as($node, $database, 'shop'), $count, 'partition', $action, @arguments,
			'--no-rehearsal'))[1];
}

sub dump_of { return dump_schema($node->connstr($_[0]), '--exclude-schema=kid*') }

# Creates a database that belongs to shop, with kid as the extension or in plain SQL.
sub create
{
	my ($database, $is_plain) = @_;
	create_database($database, 'shop', $is_plain);
	$node->safe_psql($database, q{
		GRANT USAGE ON SCHEMA public TO client;
		DO $$ BEGIN EXECUTE (
			SELECT string_agg(format('GRANT EXECUTE ON FUNCTION %s TO shop, client', oid::regprocedure), '; ')
				FROM pg_proc WHERE proname ~ '^(kid64|kid_uuidv7|flax)_at$'); END $$});
	return;
}

# Broken off before each statement, a run goes on where it was, and the way back ends where it began.
create('broken', 0);
sql_in('broken', q{CREATE TABLE users (id int PRIMARY KEY);
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(),
		n int GENERATED ALWAYS AS IDENTITY, user_id int REFERENCES users, parent kid64 REFERENCES events);
	CREATE INDEX by_user ON events (user_id); CREATE VIEW shown AS SELECT id FROM events;
	CREATE TABLE lines (event kid64 REFERENCES events); INSERT INTO events DEFAULT VALUES;
	GRANT SELECT ON events TO reader});
my $whole = dump_of('broken');
my ($cuts, $backs) = (0, 0);
for (my $count = 0; kidctl_cut('broken', $count, 'run', 'events', '--width', '1 day'); $count += 5)
{
	$cuts++;
	kidctl_ok('broken', 'run', 'events', '--width', '1 day', '--no-rehearsal');
	$backs++ while kidctl_cut('broken', $backs * 5, 'back', 'events');
	kidctl_ok('broken', 'back', 'events') if dump_of('broken') ne $whole;
	same_text(dump_of('broken'), $whole, "a run that was broken off before statement $count goes on, and back") or last;
}
cmp_ok($cuts, '>', 5, "$cuts runs were broken off");
cmp_ok($backs, '>', 3, "and the way back $backs times");
kidctl_ok('broken', 'back', 'events') if sql_in('broken',
	q{SELECT relkind FROM pg_class WHERE relname = 'events'}) eq 'p';

# Time passes between the steps: a restored copy, partitions of a table that refers, rows in later partitions.
sql_in('broken', q{CREATE TABLE parted (event kid64 REFERENCES events, d int) PARTITION BY LIST (d);
	CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
	CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
	INSERT INTO parted SELECT id, 1 FROM events});
$whole = dump_of('broken');
kidctl_cut('broken', 4, 'run', 'events', '--width', '1 day');
sql_in('broken', 'DROP TABLE parted_2; CREATE TABLE parted_3 PARTITION OF parted FOR VALUES IN (3);
	CREATE VIEW made_since AS SELECT * FROM events');
$node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE broken OWNER shop');
like((kidctl('restored', 'run', 'events', '--width', '1 day', '--no-rehearsal'))[0],
	qr/begun in another database.*kidctl partition back/s, 'a restored copy is an error that says how to go on');
kidctl_ok('restored', 'back', 'events');
is(sql_in('restored', q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'}), 0,
	'and back removes there what the copy has of the move');
kidctl_ok('broken', 'run', 'events', '--width', '1 day', '--no-rehearsal');
is(sql_in('broken', q{SELECT string_agg(conrelid::regclass::text, ' ' ORDER BY conrelid) FROM pg_constraint
		WHERE contype = 'f' AND conrelid::regclass::text LIKE 'parted%' AND confrelid = 'events'::regclass
		AND convalidated}), 'parted parted_1 parted_3', 'partitions made meanwhile have the foreign key');
is(sql_in('broken', 'SELECT count(*) FROM made_since'), 1, 'and views show the new table');
sql_in('broken',
	q{DO $$ BEGIN EXECUTE format('INSERT INTO events (id) VALUES (%L)', kid64_at(now() + '3 days')); END $$});
my ($said, $status) = kidctl('broken', 'back', 'events');
like($said, qr/partition public\.events_p\w+ has rows/, 'the way back loses no rows');
sql_in('broken', q{DELETE FROM events WHERE id > now() + '1 day'});
kidctl_ok('broken', 'back', 'events');

# What is in the way is named before anything is locked.
create('small', 0);
sql_in('small', q{CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(),
	email text UNIQUE, a text CHECK (a <> '') NO INHERIT, EXCLUDE (a WITH =));
	CREATE FUNCTION of_row(events) RETURNS int LANGUAGE sql AS 'SELECT 1';
	CREATE TABLE visits (id uuid PRIMARY KEY DEFAULT gen_random_uuid());
	INSERT INTO visits SELECT FROM generate_series(1, 100); CREATE TABLE clients (id uuid PRIMARY KEY);
	INSERT INTO clients SELECT gen_random_uuid() FROM generate_series(1, 10);
	INSERT INTO clients SELECT kid_uuidv7() FROM generate_series(1, 90);
	CREATE TABLE numbers (id bigserial PRIMARY KEY); CREATE TABLE later (id kid64 PRIMARY KEY DEFAULT kid_next());
	INSERT INTO later VALUES (kid64_at(now() + '1 year')); CREATE UNLOGGED TABLE unsafe (id kid64 PRIMARY KEY)});

# Tests that the check refuses a table, and names why.
sub refused_for
{
	my ($table, @patterns) = @_;
	my ($said, $status) = kidctl('small', 'check', $table, '--width', '1 day');
	is($status >= 1, 1, "$table cannot be partitioned");
	like($said, $_, "and check says why: $_") foreach @patterns;
	return;
}
refused_for('events', qr/events_email_key: is unique without the column id/,
	qr/events_a_excl: is an exclusion constraint/, qr/is NO INHERIT/,
	qr/cannot be made again: function public\.of_row/);
refused_for('visits', qr/default gen_random_uuid\(\), whose values do not contain the time/);
refused_for('clients', qr/keys looked at contain no time, such as [0-9a-f]{8}-/);
refused_for('numbers', qr/no primary key with IDs of kid/,
	qr/If column id contains IDs of kid, say which: --ids kid53, --ids kid64, --ids flake\. Otherwise: `kidctl rekey`/);
refused_for('later', qr/1 of 1 keys looked at are of .* or later/);
refused_for('unsafe', qr/unlogged/);
is($node->safe_psql('small', q{SELECT count(*) FROM pg_constraint WHERE conname = 'kid_until'}), 0,
	'and nothing was changed');

sql_in('small', 'DROP FUNCTION of_row; DROP TABLE events;
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), a text)');
sql_in('small',
	q{CREATE FUNCTION by_name() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.a := TG_TABLE_NAME; RETURN NEW; END';
	CREATE TRIGGER by_name BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION by_name()});
refused_for('events',
	qr/function public\.by_name\(\): as trigger by_name on public\.events it is told the name of the partition/);
sql_in('small', 'DROP FUNCTION by_name CASCADE');
$node->safe_psql('small', 'CREATE PUBLICATION all_tables FOR ALL TABLES');
refused_for('events', qr/publication all_tables: would publish each partition under its own name/);
$node->safe_psql('small', 'ALTER PUBLICATION all_tables SET (publish_via_partition_root)');
kidctl_ok('small', 'check', 'events', '--width', '1 day');
like((kidctl('small', 'plan', 'events', '--width', '1 month'))[0],
	qr/-- swap: .*RENAME TO "events_old";.*PARTITION BY RANGE \("id"\);.*ATTACH PARTITION/s,
	'plan prints the statements');
like((kidctl('small', 'check', 'events', '--width', '1 month 3 days'))[0], qr/width of a partition cannot be/,
	'a width that kid does not take is found in the rehearsal');
is(sql_in('small', q{SELECT count(*) FROM pg_database WHERE datname LIKE 'kidctl%'}), 0, 'no copy is left');

# A table that is partitioned by another column becomes a partition itself, whose partitions are dropped
# when their time comes.
sql_in('small', q{CREATE TABLE logs (id kid64 DEFAULT kid_next(),
	created_at timestamptz DEFAULT now(), PRIMARY KEY (id, created_at)) PARTITION BY RANGE (created_at);
	CREATE TABLE logs_1 PARTITION OF logs FOR VALUES FROM ('2026-01-01') TO ('2026-11-01');
	CREATE TABLE logs_2 PARTITION OF logs DEFAULT;
	INSERT INTO logs SELECT kid64_at(t), t FROM generate_series(now() - interval '90 days', now(), '1 day') AS t});
$whole = dump_of('small');
my $sum = 'SELECT count(*), md5(string_agg(l::text, chr(10) ORDER BY id)) FROM logs AS l';
my $rows = sql_in('small', $sum);
kidctl_ok('small', 'run', 'logs', '--width', '1 day');
is(sql_in('small', $sum), $rows, 'a table that is partitioned by another column keeps its rows');
is(sql_in('small', q{SELECT pg_get_partkeydef('logs'::regclass), pg_get_partkeydef('logs_old'::regclass),
		(SELECT count(*) > 5 FROM kid_partitions('logs'))}), 'RANGE (id)|RANGE (created_at)|t',
	'and is a partition itself');
kidctl_ok('small', 'back', 'logs');
same_text(dump_of('small'), $whole, 'the way back leads from there, too');

# Rows of a default partition, and then of the first partition, move into partitions by time while sessions insert,
# update and delete rows, at REPEATABLE READ. The table `mirror` has what they did.
foreach my $is_plain (0, 1)
{
	my $database = "rows$is_plain";
	create($database, $is_plain);
	sql_in($database, q{CREATE TABLE users (id int PRIMARY KEY); INSERT INTO users VALUES (1);
		CREATE TABLE events (gone int, id kid64 PRIMARY KEY DEFAULT kid_next(), payload text,
			parent kid64 CONSTRAINT self REFERENCES events ON DELETE SET NULL, user_id int DEFAULT 1 REFERENCES users,
			length int GENERATED ALWAYS AS (length(payload)) STORED, n bigint GENERATED ALWAYS AS IDENTITY)
			PARTITION BY RANGE (id);
		ALTER TABLE events DROP gone; CREATE INDEX by_payload ON events (left(payload, 10));
		CREATE UNIQUE INDEX whole ON events (id, n); ALTER TABLE events REPLICA IDENTITY USING INDEX whole;
		ALTER TABLE events ALTER n SET NOT NULL;
		CREATE TABLE rest (id kid64 NOT NULL, n bigint NOT NULL, payload text,
			parent kid64, user_id int, length int GENERATED ALWAYS AS (length(payload)) STORED) WITH (fillfactor=90);
		ALTER TABLE events ATTACH PARTITION rest DEFAULT;
		CREATE TABLE lines (event kid64 REFERENCES events ON DELETE CASCADE);
		GRANT ALL ON ALL TABLES IN SCHEMA public TO client; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO client;
		ALTER TABLE events ENABLE ROW LEVEL SECURITY;
		CREATE TABLE mirror (id kid64 PRIMARY KEY, payload text); GRANT ALL ON mirror TO client;
		SET default_transaction_isolation = 'read committed';
		SELECT kid_create_partitions('events', '1 day', now() + interval '5 days',
			since => now() + interval '3 days')});
	sql_in($database, q{INSERT INTO events (id, payload)
		SELECT kid64_at(now() - n * interval '20 s'), rpad(n::text, 300, 'x') FROM generate_series(1, 20000) AS n;
		INSERT INTO lines SELECT id FROM events ORDER BY id DESC LIMIT 1000;
		INSERT INTO mirror SELECT id, payload FROM events; ANALYZE}, role => 'client');
	my $writes = q{BEGIN;
WITH i AS (INSERT INTO events (payload) VALUES ('new') RETURNING id, payload) INSERT INTO mirror SELECT * FROM i;
COMMIT;
BEGIN;
WITH u AS (UPDATE events SET payload = payload || 'y'
	WHERE id = (SELECT id FROM events WHERE id > kid64_floor(now() - random() * interval '4 days') LIMIT 1)
	RETURNING id, payload) UPDATE mirror AS m SET payload = u.payload FROM u WHERE u.id = m.id;
COMMIT;
BEGIN;
WITH u AS (DELETE FROM events WHERE id = (SELECT id FROM events
	WHERE id > kid64_floor(now() - random() * interval '4 days') LIMIT 1) RETURNING id) DELETE FROM mirror AS m USING u
	WHERE u.id = m.id;
COMMIT;
};
	foreach my $partition ('', 'first')
	{
		if ($partition)
		{
			# A table with these rows becomes the first partition.
			sql_in($database, q{DROP TABLE lines; CREATE TABLE whole_table (LIKE events INCLUDING ALL);
				INSERT INTO whole_table (id, payload, n) OVERRIDING SYSTEM VALUE SELECT id, payload, n FROM events;
				DROP TABLE events; ALTER TABLE whole_table RENAME TO events;
				ALTER TABLE events ADD CONSTRAINT self FOREIGN KEY (parent) REFERENCES events ON DELETE SET NULL;
				CREATE TABLE lines (event kid64 REFERENCES events ON DELETE CASCADE);
				INSERT INTO lines SELECT id FROM events; GRANT ALL ON events, lines TO client;
				GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO client});
			kidctl_ok($database, 'run', 'events', '--width', '1 day');
			kidctl_ok($database, 'finish', 'events');
		}
		my $writers = start_writers(connection_as($node, $database, 'client'), $writes, seconds => 20, rate => 60);
		my $reader = open_session($node, $database);
		my $seen = answer($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM mirror;');
		my @move = (connection_as($node, $database, 'shop'), qw(partition move events --width), '1 day',
			'--no-rehearsal');
		my $program = start_kidctl(@move, qw(--pause 0.9));
		$node->poll_query_until($database, q{SELECT count(*) > 0 FROM pg_trigger WHERE tgname = '~kidctl'});
		sleep rand 1;
		kill_kidctl($program);
		$program = start_kidctl(@move);
		$node->poll_query_until($database, q{SELECT count(*) > 0 FROM pg_stat_activity
			WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event = 'virtualxid'});
		is(answer($reader, 'SELECT count(*) FROM events;'), $seen,
			'a transaction with an older snapshot sees all rows');
		answer($reader, 'COMMIT;');
		close_session($reader);
		my ($said, $status) = finish_kidctl($program);
		is($status, 0, 'and when it has ended the rows move') or diag($said);
		unlike((finish_writers($writers))[1], qr/ERROR|aborted/, "$database $partition: no writer saw an error");
		is(sql_in($database, q{SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM events AS e JOIN mirror AS m
				USING (id) WHERE e.payload = m.payload AND e.length = length(m.payload)), count(*) > 15000
				FROM mirror} =~ s/USING \(id\)/ON e.id = m.id/r) =~ s/^(\d+)\|\1\|t$/same/r, 'same',
			'rows are what writers made them');
		is(sql_in($database, 'SELECT count(*) FROM mirror'), sql_in($database, 'SELECT count(*) FROM events'),
			'and none is lost or comes again');
		is(sql_in($database, q{SELECT count(*) FROM kid_partitions('events') WHERE ends < now() AND rows > 1000}) >= 4,
			1, 'they are in partitions by time');
		is(sql_in($database, $partition ? q{SELECT to_regclass('events_old')} : 'SELECT count(*) FROM rest'),
			$partition ? '' : 0, 'and no longer where they were');
		is(sql_in($database, q{SELECT string_agg(DISTINCT concat(relreplident, reloptions, relrowsecurity), ' ')
				FROM pg_class WHERE relispartition AND relkind = 'r' AND relname LIKE 'events_p%'
				AND NOT relname = ANY (ARRAY(SELECT c.partition::text FROM kid_partitions('events') AS c
				WHERE c.begins > now() + interval '2 days'))}), $partition ? 'df' : 'i{fillfactor=90}t',
			'with the options');
		is(sql_in($database, q{SELECT count(*) FROM pg_constraint WHERE (NOT convalidated AND conparentid = 0)
				OR conname = 'kid_bounds'; SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%';
				SELECT count(*) FROM pg_trigger WHERE tgname LIKE '~%'}), "0\n0\n0", 'nothing is left of the move');
		like(error_of("INSERT INTO lines SELECT kid_next()", database => $database, role => 'client'),
			qr/violates foreign key constraint/, 'foreign keys are there');
	}
}
sql_in('rows0', q{INSERT INTO events (id, payload) VALUES (kid64_at(now() - interval '1 hour'), 'late')});
my @latest = ('events', '--width', '1 hour', '--partition',
	sql_in('rows0',
		q{SELECT partition FROM kid_partitions('events') WHERE begins < now() ORDER BY begins DESC LIMIT 1}));
# It is cut later and later, until the first step has been committed.
for (my $count = 20; kidctl_cut('rows0', $count, 'move', @latest); $count += 5)
{
	last if sql_in('rows0', q{SELECT count(*) FROM pg_class WHERE relname = 'state'}) > 0;
}
$whole = sql_in('rows0', 'SELECT count(*) FROM events');
my $copied = qr/  copied: \d+ of \d+ blocks; to copy again: 0 changed rows/;
like((kidctl('rows0', 'status', 'events'))[0],
	qr/^move of rows of public\.events_p\w+ to partitions of .*: prepare is done\n$copied$/m,
	'status shows how far the move of rows is');
kidctl_ok('rows0', 'cancel', 'events');
like((kidctl('rows0', 'status', 'events'))[0], qr/no move of rows of public\.events has begun/,
	'or that there is none');
like((kidctl('rows0', 'run', 'events', '--width', '1 hour'))[0],
	qr/is partitioned by its IDs already.*\n.*kidctl partition move/, 'run does not begin again');
my @of_old = ('events', '--width', '1 hour', '--partition',
	sql_in('rows0',
		q{SELECT partition FROM kid_partitions('events') WHERE begins < now() ORDER BY begins DESC LIMIT 1}));
like((kidctl('rows0', 'plan', @of_old))[0], qr/-- copy: .*-- exchange: .*DETACH PARTITION.*ATTACH PARTITION/s,
	'plan prints the statements of the move');
sql_in('rows0', "CREATE INDEX its_own ON $of_old[-1] (payload)");
my ($named, $stopped) = kidctl('rows0', 'move', @of_old);
like($named, qr/index public\.its_own: is of this partition alone, and is dropped with it/,
	'what the partition has of its own is named');
is($stopped, 1, 'and stops the move');
sql_in('rows0', 'DROP INDEX its_own');
is(sql_in('rows0', q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%';
		SELECT count(*) FROM pg_trigger WHERE tgname LIKE '~%'}), "0\n0", 'cancel takes back what was begun');
is(sql_in('rows0', 'SELECT count(*) FROM events'), $whole, 'and no row with it');

# Names that new partitions and their indexes would get are those of other relations.
create('names', 0);
foreach my $table ('x' x 60, 'short')
{
	sql_in('names', qq{CREATE TABLE $table (id kid64 PRIMARY KEY DEFAULT kid_next(), tag text) PARTITION BY RANGE (id);
		CREATE INDEX ON $table (tag, lower(tag)); CREATE TABLE ${table}_rest PARTITION OF $table DEFAULT;
		INSERT INTO $table SELECT kid64_at(now() - n * interval '1 hour'), n FROM generate_series(0, 60) AS n;
		SET default_transaction_isolation = 'read committed';
		SELECT kid_create_partitions('$table', '1 day', now() + interval '5 days',
			since => now() + interval '3 days')});
	sql_in('names', q{DO $$ BEGIN EXECUTE format('CREATE TABLE %I (i int)',
		'short_p' || to_char(now() - interval '1 day', 'YYYYMMDD')); END $$}) if $table eq 'short';
	kidctl_ok('names', 'move', $table, '--width', '1 day', '--no-rehearsal');
	is(sql_in('names', "SELECT (SELECT count(*) FROM $table), (SELECT count(*) FROM ${table}_rest)"), '61|0',
		"rows of $table move, also if names are taken");
}

# The commands of the page print what the page shows, except for times and sizes.
my $page = decode('UTF-8', slurp_file('docs/guides/partitions.md'));
my $blocks = 0;
while ($page =~ /<!-- kidctl: (.*?) -->\n```sh\n(.*?)```/sg)
{
	my ($sql, $block) = ($1, $2);
	$blocks++;
	create('shop', 0);
	sql_in('shop', $sql);
	while ($block =~ /^(kidctl .*)\n((?:#.*\n)*)/mg)
	{
		my ($command, $shown) = ($1, $2);
		$shown =~ s/^# ?//mg;
		local %ENV = (%ENV, PATH => path_to_kidctl(), PGHOST => $node->host, PGPORT => $node->port);
		my ($output, $failed) = ('', 0);
		IPC::Run::run([ 'sh', '-c', encode('UTF-8', $command) ], '>&', \$output) or $failed = 1;
		is($failed, 0, $command) or diag($output);
		# Standard error comes first on the page.
		my @got = map { join "\n", sort split /\n/, s/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00/TIME/gr
			  =~ s/\d+(\.\d+)? (s|kB|bytes)\b/SIZE/gr } folded(decode('UTF-8', $output), 74), $shown;
		same_text(@got, "and prints what the page shows") if $shown;
	}
	cmp_ok(sql_in('shop', q{SELECT count(*) FROM kid_partitions('events') WHERE partition::text LIKE 'events_p%'}), '>',
		2, 'there are partitions then');
	$node->safe_psql('postgres', 'DROP DATABASE shop');
}
is($blocks, 2, 'the page has commands');

done_testing();
