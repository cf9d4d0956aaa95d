# kidctl rekey, with small schemas of one kind each. Those of kidctl_rekey_random.pl are of all kinds.
# Versions: the catalogs; NOT NULL constraints have rows from 18 on
use strict;
use warnings;
use utf8;
use Dialogue;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::HiRes qw(sleep);

my $temporary = PostgreSQL::Test::Utils::tempdir;
my $node = kidctl_server("max_connections = 40\n");
$node->safe_psql('postgres', q{
	CREATE ROLE shop LOGIN BYPASSRLS CREATEDB; CREATE ROLE reader; CREATE ROLE viewer;
	CREATE ROLE client LOGIN BYPASSRLS; GRANT viewer TO shop;
	GRANT SET ON PARAMETER session_replication_role TO shop});
use_database($node, 'postgres', role => 'shop');

# Runs kidctl in a database, as the owner of the tables. Returns what it prints, and its exit status.
sub kidctl
{
	return kidctl_as('shop', @_);
}

# Runs kidctl as another role.
sub kidctl_as
{
	my ($role, $database, $command, @arguments) = @_;
	return run_kidctl(connection_as($node, $database, $role), split(/ /, $command), @arguments);
}

# Runs kidctl, which has to succeed.
sub kidctl_ok
{
	my ($output, $status) = kidctl(@_);
	die("kidctl $_[1] in $_[0]: status $status\n$output") if $status;
	return $output;
}

# Runs kidctl, and kills it when a function returns.
sub break_kidctl
{
	my ($database, $wait, $action, @arguments) = @_;
	my $program = start_kidctl(connection_as($node, $database, 'shop'), 'rekey', $action, @arguments);
	$wait->($program->{handle});
	kill_kidctl($program);
	$node->poll_query_until('postgres',
		"SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = '$database' AND application_name = 'kidctl')");
	return;
}

sub dump_of
{
	my ($database) = @_;
	# From 18 on NOT NULL constraints have names, and those of keys change, as docs/guides/moving-in.md says.
	return dump_schema($node->connstr($database)) =~ s/pg_attver=\d+//gr
	  =~ s/ CONSTRAINT (?:"(?:[^"]|"")+"|\w+) NOT NULL/ NOT NULL/gr;
}

# Keys that a transaction refers to before it inserts the row; a trigger that must not run; the old key
# under another name.
create_database('small', 'shop');
my $two = q{
	CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		made timestamptz NOT NULL DEFAULT '2026-01-01', item text);
	CREATE TABLE lines (order_id bigint NOT NULL REFERENCES orders DEFERRABLE INITIALLY DEFERRED, note text);
	CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'must not run'; END $$;
	CREATE TRIGGER fails BEFORE UPDATE ON lines FOR EACH ROW WHEN (OLD.note = 'old') EXECUTE FUNCTION fails();
	INSERT INTO orders (item) VALUES ('old'); INSERT INTO lines VALUES (1, 'old')};
my $child_first = sub { return "BEGIN; INSERT INTO lines (order_id, note) VALUES ($_[0], '$_[1]');
	INSERT INTO orders (id, item) OVERRIDING SYSTEM VALUE VALUES ($_[0], '$_[1]'); COMMIT" };
my $joined = q{SELECT string_agg(item, ' ' ORDER BY item) FROM orders JOIN lines ON order_id = id AND item = note};
sql_in('small', $two);
kidctl_ok('small', 'rekey run', 'orders', '--time', 'made', '--old-name', 'old id', '--no-rehearsal');
sql_in('small', $child_first->(50, 'before'));
sql_in('small', q{BEGIN; DELETE FROM orders WHERE id = 1;
	INSERT INTO orders (id, item) OVERRIDING SYSTEM VALUE VALUES (1, 'old'); COMMIT});
kidctl_ok('small', 'rekey swap', 'orders');
is((kidctl('small', 'rekey swap', 'orders'))[1], 0,
	'after an interruption nobody needs to know whether the swap was done');
my ($said, $status) = kidctl('small', 'rekey cancel', 'orders');
like($said, qr/public\.orders has its new keys already/, 'cancel changes nothing after the swap');
is($status, 2, 'and is an error');
is(sql_in('small', $joined), 'before old', 'a row may refer to one that its transaction inserts later, or again');
sql_in('small', $child_first->(q{'.6.nef3Mk.3'}, 'after'));
is(sql_in('small', q{SELECT count(*) FROM orders AS o JOIN lines AS l ON o.kid_old_id = l.kid_old_order_id
		AND item = note}), '3', 'also after the swap');
kidctl_ok('small', 'rekey finish', 'orders');
is(sql_in('small', qq{$joined; SELECT "old id" FROM orders WHERE item = 'before'}), "after before old\n50",
	'the old key stays under the name given');
like(error_of("UPDATE lines SET note = 'old' WHERE note = 'old'", database => 'small'), qr/must not run/,
	'a trigger is as before');
is($node->safe_psql('small', q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'}), 0,
	'nothing is left of the move');
is($node->safe_psql('small', q{SELECT count(*) FROM pg_attribute
		WHERE attname ~ '^kid_(new|old)_' AND NOT attisdropped}), 0, 'also no name of a column of an index');

# Without the privilege the program stops and says so. If triggers run, they do not change rows.
$node->safe_psql('small', 'REVOKE SET ON PARAMETER session_replication_role FROM shop');
sql_in('small', "DROP TABLE orders, lines; DROP FUNCTION fails; $two; DROP TRIGGER fails ON lines;
	ALTER TABLE lines ADD touched int; UPDATE lines SET touched = 1;"
	  . q{CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.touched := 2; RETURN NEW; END';
		CREATE TRIGGER touch BEFORE UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION touch()});
my $dump = dump_of('small');
($said, $status) = kidctl('small', 'rekey check', 'orders', '--time', 'made');
like($said, qr/GRANT SET ON PARAMETER session_replication_role TO shop/, 'the program asks for the privilege');
is($status, 1, 'which stops the move');
my @run = ('rekey run', 'orders', qw(--time made --triggers run --accept), 'trigger touch on public.lines');
kidctl_ok('small', @run);
is(sql_in('small', 'SELECT touched FROM lines'), 1, 'what triggers do to rows that are filled is undone');

# What was made between the run and the swap ends the swap, and changes nothing.
sql_in('small', 'CREATE VIEW names AS SELECT id FROM orders');
like((kidctl('small', 'rekey swap', 'orders'))[0], qr/changed since the last run of kidctl: view public\.names/,
	'a new view ends the swap');
sql_in('small', 'DROP VIEW names; CREATE INDEX late ON lines (order_id)');
like((kidctl('small', 'rekey swap', 'orders'))[0], qr/index public\.late is not ready/, 'so does a new index');
sql_in('small', 'ALTER TABLE lines DISABLE TRIGGER USER');
like((kidctl('small', 'rekey swap', 'orders'))[0], qr/was disabled or dropped/, 'and a trigger that was disabled');
sql_in('small', 'ALTER TABLE lines ENABLE TRIGGER USER; DROP INDEX late');
kidctl_ok('small', 'rekey cancel', 'orders');
same_text(dump_of('small'), $dump, 'after cancel all is as before');

# A dump that is restored in the midst of a move is another database.
kidctl_ok('small', @run);
my $archive = "$temporary/small.dump";
$node->command_ok([ 'pg_dump', '-Fc', '-f', $archive, $node->connstr('small') ], 'a dump in the midst of a move');
$node->safe_psql('postgres', 'CREATE DATABASE restored OWNER shop');
$node->command_ok([ 'pg_restore', '-d', $node->connstr('restored'), $archive ], 'and its restore');
like((kidctl('restored', 'rekey swap', 'orders'))[0], qr/was begun in another database/,
	'the move does not go on there');
like((kidctl('restored', @run))[0], qr/was begun in another database/, 'nor is it begun again');
kidctl_ok('restored', 'rekey cancel', 'orders');
same_text(dump_of('restored'), $dump, 'but it can be taken back there');
$node->safe_psql('postgres', 'DROP DATABASE restored');

# After the swap, a copy has both ways that the original has.
kidctl_ok('small', 'rekey swap', 'orders');
$node->command_ok([ 'pg_dump', '-Fc', '-f', $archive, $node->connstr('small') ], 'a dump after the swap');
foreach my $way ('back', 'finish')
{
	$node->safe_psql('postgres', 'CREATE DATABASE restored OWNER shop');
	$node->command_ok([ 'pg_restore', '-d', $node->connstr('restored'), $archive ], 'and its restore');
	kidctl_ok('restored', "rekey $way", 'orders');
	kidctl_ok('small', "rekey $way", 'orders') if $way eq 'back';
	same_text(dump_of('restored'), dump_of('small'), 'back is the same in a copy') if $way eq 'back';
	is(sql_in('restored', 'SELECT pg_typeof(id) FROM orders LIMIT 1'), $way eq 'back' ? 'bigint' : 'kid64',
		"the keys of the copy after $way");
	$node->safe_psql('postgres', 'DROP DATABASE restored');
}

# Two moves do not change one table at once.
sql_in('small', q{CREATE TABLE other (id bigserial PRIMARY KEY); ALTER TABLE lines ADD other bigint REFERENCES other});
kidctl_ok('small', @run);
($said, $status) = kidctl('small', 'rekey check', 'other', '--during', '[2024-01-01, 2025-01-01)', @run[ 4 .. $#run ]);
like($said, qr/public\.lines: another move has begun/, 'a second move on a shared child is refused');
like((kidctl('small', 'rekey cancel', 'other'))[0], qr/^error: no move of public\.other has begun/,
	'cancel of the second one says that there is none');
is($node->safe_psql('small', q{SELECT count(*) FROM pg_trigger
		WHERE tgname = '~kid_rekey' AND tgrelid = 'lines'::regclass}), 1, 'and cannot take back the first one');
kidctl_ok('small', 'rekey cancel', 'orders');

# Nobody can create the names of a move first, or connect with more rights than the owner has.
my $schema = (grep { /^kidctl_rekey/ } split /\n/,
	sql_in('small', q{SELECT 'kidctl_rekey_orders_' || left(md5('public.orders'), 8)}))[0];
$node->safe_psql('small', qq{CREATE SCHEMA $schema AUTHORIZATION client});
like((kidctl('small', @run))[0], qr/schema $schema, or something in it, belongs to another role/,
	'a schema of another role with the name of the state is refused');
$node->safe_psql('small', qq{DROP SCHEMA $schema});
$node->safe_psql('postgres', 'CREATE ROLE dba LOGIN SUPERUSER; CREATE ROLE deploy LOGIN CREATEDB; GRANT shop TO deploy;
	CREATE ROLE more LOGIN; GRANT shop, client TO more');
like((kidctl_as('dba', 'small', @run))[0], qr/role dba has rights that the owner shop .* does not have: superuser/,
	'a superuser is refused');
$node->safe_psql('postgres', 'GRANT dba TO shop');
like((kidctl('small', @run))[0], qr/belongs to shop, who can become a superuser: dba$/m,
	'so is an owner who can become one');
$node->safe_psql('postgres', 'REVOKE dba FROM shop');
like((kidctl_as('more', 'small', @run))[0], qr/more rights to role client/, 'so is a member of another role');
my ($output, $code) = kidctl_as('deploy', 'small', @run);
is($code, 0, 'a role that only is a member of the owner may move its tables') or diag($output);
kidctl_ok('small', 'rekey cancel', 'orders');

# A partition that is new since the fill gets its index, and a dropped one is no matter. One has a CHECK of its own.
sql_in('small', q{CREATE TABLE e (p bigint REFERENCES orders, d int NOT NULL) PARTITION BY RANGE (d);
	CREATE INDEX ei ON e (p);
	CREATE TABLE e1 PARTITION OF e FOR VALUES FROM (0) TO (10); ALTER TABLE e1 ADD CHECK (p IS NOT NULL);
	CREATE TABLE e0 PARTITION OF e FOR VALUES FROM (-10) TO (0); INSERT INTO e VALUES (1, 1), (1, -1)});
kidctl_ok('small', @run);
error_of(q{DROP TABLE e0; CREATE TABLE e2 PARTITION OF e FOR VALUES FROM (10) TO (20); INSERT INTO e VALUES (1, 11);
	CREATE TABLE e3 (p bigint, d int NOT NULL, kid_new_p kid64); INSERT INTO e3 VALUES (1, 21);
	ALTER TABLE e ATTACH PARTITION e3 FOR VALUES FROM (20) TO (30)}, database => 'small');
kidctl_ok('small', @run);
kidctl_ok('small', 'rekey swap', 'orders');
kidctl_ok('small', 'rekey finish', 'orders');
is(sql_in('small', q{SELECT count(*), count(*) FILTER (WHERE indisvalid) FROM pg_index WHERE indrelid IN ('e'::regclass,
		'e1'::regclass, 'e2'::regclass)}), '3|3', 'all partitions have a valid index');
is(sql_in('small', 'SELECT count(*) FROM e JOIN orders ON id = p'), sql_in('small', 'SELECT count(*) FROM e'),
	'and refer to what they did');
# What kidctl cannot change it names: functions and generated columns on the key, a trigger that runs
# after its own, an operator class.
sql_in('small', "DROP TABLE e, lines, orders, other; DROP FUNCTION IF EXISTS fails; $two");
sql_in('small', q{CREATE VIEW names AS SELECT id FROM orders;
	CREATE FUNCTION first() RETURNS names LANGUAGE sql AS 'SELECT * FROM names LIMIT 1';
	ALTER TABLE lines ADD double bigint GENERATED ALWAYS AS (order_id * 2) STORED;
	ALTER TRIGGER fails ON lines RENAME TO "ändert";
	CREATE TABLE sessions (session_key varchar(40) PRIMARY KEY DEFAULT gen_random_uuid());
	CREATE INDEX by_start ON sessions (session_key varchar_pattern_ops)});
($said) = kidctl('small', 'rekey check', 'orders', @run[ 2 .. $#run ]);
like($said, qr/$_/, "the check names what is in the way: $_")
  foreach 'function (?:public\.)?first\(\)', 'default value for column double of table (?:public\.)?lines';
sql_in('small', 'DROP FUNCTION first; DROP VIEW names; ALTER TABLE lines DROP double');
($said) = kidctl('small', 'rekey check', 'orders', @run[ 2 .. $#run ]);
like($said, qr/trigger ändert on public\.lines: runs after kidctl's own/, 'a trigger that runs later is an error');
sql_in('small', 'ALTER TRIGGER "ändert" ON lines RENAME TO fails');
($said) = kidctl('small', 'rekey check', 'sessions', '--during', '[2026-01-01, 2026-02-01)', '--triggers', 'run');
like($said, qr/index public\.by_start: has an operator class/, 'so is an operator class, as Django has it');
sql_in('small', 'DROP TABLE sessions');

# A time after the beginning of the check is past, too; one to come is an error.
sql_in('small', q{INSERT INTO orders (item, made) VALUES ('now', clock_timestamp())});
unlike((kidctl('small', 'rekey check', 'orders', '--time', 'made'))[0], qr/^times/m, 'the present is past');
sql_in('small', q{UPDATE orders SET made = clock_timestamp() + interval '1 hour' WHERE item = 'now'});
like((kidctl('small', 'rekey check', 'orders', '--time', 'made'))[0], qr/^times.*\n  column made of public\.orders: /m,
	'a time to come is an error');
sql_in('small', q{DELETE FROM orders WHERE item = 'now'});

# A transaction that saw no row filled refers to one when all are, and a replica changes the reference after that.
my @condition = ('orders', '--time', 'made', '--triggers', 'run', '--accept', 'trigger fails on public.lines',
	'--no-rehearsal');
sql_in('small', 'DROP TRIGGER fails ON lines');
my $early = open_session($node, 'small');
break_kidctl('small', sub { sleep 0.1 while !$node->safe_psql('small',
			q{SELECT count(*) FROM pg_attribute WHERE attname = 'kid_new_id'}) }, 'run', @condition);
answer($early, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
answer($early, q{INSERT INTO lines VALUES (1, 'early'); COMMIT;});
close_session($early);
kidctl_ok('small', 'rekey run', @condition);
$node->safe_psql('small', q{INSERT INTO orders (item) VALUES ('other'); SET session_replication_role = replica;
	UPDATE lines SET order_id = (SELECT id FROM orders WHERE item = 'other') WHERE note = 'early'});
kidctl_ok('small', 'rekey swap', 'orders');
is(sql_in('small', q{SELECT item FROM lines JOIN orders ON id = order_id WHERE note = 'early'}), 'other',
	'its reference is filled, too, and follows a change by a replica');
kidctl_ok('small', 'rekey finish', 'orders');

# The sequence of a serial that was an integer has no room for new keys, nor has one that goes down: the
# way back leaves them alone.
sql_in('small', q{CREATE TABLE narrow (id serial PRIMARY KEY, item text); ALTER TABLE narrow ALTER id TYPE bigint;
	INSERT INTO narrow (item) VALUES ('old');
	CREATE TABLE falling (id bigint GENERATED ALWAYS AS IDENTITY
		(INCREMENT -5 START 100 MAXVALUE 200 MINVALUE 0 CACHE 1 CYCLE) PRIMARY KEY, item text);
	INSERT INTO falling (item) VALUES ('old')});
my $options = sql_in('small', q{SELECT seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle FROM pg_sequence
	WHERE seqrelid = 'falling_id_seq'::regclass});
foreach ([ narrow => 2 ], [ falling => 95 ])
{
	my ($table, $next) = @$_;
	kidctl_ok('small', "rekey $_->[0]", $table, @$_[ 1 .. $#$_ ])
	  foreach [qw(run --new-rows-only --no-rehearsal)], ['swap'];
	is(sql_in('small',
			"INSERT INTO $table (item) VALUES ('new') RETURNING kid53_timestamp(id) > now() - '1 min'::interval"),
		't', "$table: a new row has a new key");
	kidctl_ok('small', 'rekey back', $table);
	is(sql_in('small', "INSERT INTO $table (item) VALUES ('newer') RETURNING id"), $next,
		"$table: after the way back numbers go on where they were");
}
is(sql_in('small', q{SELECT seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle FROM pg_sequence
		WHERE seqrelid = 'falling_id_seq'::regclass}), $options, 'an identity has its options again');

# Functions and operators that another role planted, and that fit better than PostgreSQL's own, are not called. Other
# roles cannot use what kidctl has created.
$node->safe_psql('small', 'GRANT USAGE, CREATE ON SCHEMA public TO client');
my $planted = q{LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$};
sql_in('small', "CREATE FUNCTION setval(text, bigint) RETURNS bigint $planted;
	CREATE FUNCTION nextval(text) RETURNS bigint $planted;
	CREATE FUNCTION is_like(name, name) RETURNS bool $planted;
	CREATE OPERATOR ~~ (LEFTARG = name, RIGHTARG = name, FUNCTION = is_like);
	CREATE FUNCTION equal(oid, regclass) RETURNS bool $planted;
	CREATE OPERATOR = (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = equal)", role => 'client');

# If the key had no default, a sequence makes old keys after the swap, for each role that may insert.
sql_in('small', q{CREATE TABLE bare (id bigint PRIMARY KEY, made timestamptz NOT NULL);
	INSERT INTO bare VALUES (1, '2026-01-01'); GRANT INSERT ON bare TO client; GRANT USAGE ON SCHEMA public TO client});
kidctl_ok('small', 'rekey run', 'bare', '--time', 'made', '--triggers', 'run');
my $follow = sql_in('small', q{SELECT 'kidctl_rekey_bare_' || left(md5('public.bare'), 8) || '.follow_0()'});
like(error_of("CREATE TEMP TABLE t (id bigint);
		CREATE TRIGGER t BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION $follow", database => 'small',
		role => 'client'),
	qr/permission denied for schema/, 'no trigger of another role runs the function of a move');
$node->safe_psql('small', 'GRANT pg_read_all_data TO client');
like(error_of("CREATE TEMP TABLE t (id bigint);
		CREATE TRIGGER t BEFORE DELETE ON t FOR EACH ROW EXECUTE FUNCTION $follow", database => 'small',
		role => 'client'),
	qr/permission denied for function/, 'also of a role that can use every schema');
$node->safe_psql('small', 'REVOKE pg_read_all_data FROM client');
kidctl_ok('small', 'rekey swap', 'bare');
sql_in('small', 'INSERT INTO bare (made) VALUES (now())', role => 'client');
is(sql_in('small', q{SELECT string_agg(kid_old_id::text, ' ' ORDER BY id) FROM bare}), '1 2',
	'also for roles that only insert');

# The planner has figures of all that the swap and the way back have made.
sql_in('small', q{CREATE TABLE figures (id bigint PRIMARY KEY, made timestamptz NOT NULL, n int);
	CREATE INDEX figures_even ON figures ((n % 2), id); CREATE INDEX figures_text ON figures ((id::text));
	CREATE STATISTICS figures_both (dependencies) ON id, n FROM figures;
	INSERT INTO figures SELECT n, now(), n FROM generate_series(1, 1000) AS n; ANALYZE figures});
my $figures = q{SELECT count(DISTINCT tablename) FROM pg_stats
	WHERE tablename IN ('figures_even', 'figures_text') OR tablename = 'figures' AND attname = 'id'
	UNION ALL SELECT count(*) FROM pg_stats_ext WHERE dependencies IS NOT NULL AND tablename = 'figures'};
foreach my $action ('run', 'swap', 'back')
{
	kidctl_ok('small', "rekey $action", 'figures', $action eq 'run' ? qw(--time made --triggers run) : ());
	is(sql_in('small', $figures), "3\n1", "the planner has all figures after $action");
}

# The estimate, of sizes as PostgreSQL counts them, and of what the steps then take
$node->safe_psql('postgres', 'CREATE DATABASE sized OWNER shop');
$node->safe_psql('sized', 'CREATE EXTENSION kid; ALTER SCHEMA public OWNER TO shop; ALTER SYSTEM SET autovacuum = off;
	SELECT pg_reload_conf()');
sql_in('sized', q{
	CREATE TABLE orders (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01', item text);
	CREATE TABLE lines (order_id bigint NOT NULL REFERENCES orders, n int, PRIMARY KEY (order_id, n))
		PARTITION BY HASH (n);
	CREATE TABLE lines_0 PARTITION OF lines FOR VALUES WITH (MODULUS 2, REMAINDER 0);
	CREATE TABLE lines_1 PARTITION OF lines FOR VALUES WITH (MODULUS 2, REMAINDER 1);
	CREATE INDEX ON orders (made);
	INSERT INTO orders (item) SELECT repeat('x', 50) FROM generate_series(1, 20000);
	INSERT INTO lines SELECT n / 2 + 1, n FROM generate_series(0, 39999) AS n});
my @sized = ('orders', '--time', 'made', '--triggers', 'run');
like((kidctl('sized', 'rekey check', @sized, '--no-rehearsal'))[0],
	qr/hint: ANALYZE public\.orders, public\.lines_0, public\.lines_1;/, 'an estimate needs ANALYZE');
sql_in('sized', 'VACUUM ANALYZE orders, lines');
($said) = kidctl('sized', 'rekey check', @sized, '--no-rehearsal');
my $size = sql_in('sized', q{SELECT pg_size_pretty(sum(pg_relation_size(oid))) FROM pg_class
	WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace});
like($said, qr/^  rows: 60,000 in \d+ tables, \Q$size\E with indexes$/m,
	'rows and bytes are as PostgreSQL counts them');
like($said, qr/^  duration: 0:00:02 to fill/m, 'and the duration follows from the rows');
my %estimate = map { my ($item, $amount) = @$_; $item => sql_in('sized', "SELECT pg_size_bytes('$amount')") }
  map { [ $_ => $said =~ /^  $_: (\d+ \w+)/m ] } qw(disk WAL);
my $used = sub { return map { split /\|/ } $node->safe_psql('sized',
		"CHECKPOINT; SELECT pg_database_size('sized'), pg_current_wal_lsn() - '0/0'") };
my @before = $used->();
kidctl_ok('sized', 'rekey run', @sized, '--no-rehearsal');
my @after = $used->();
foreach ([ disk => 0 ], [ WAL => 1 ])
{
	my ($item, $n) = @$_;
	my $ratio = $estimate{$item} / ($after[$n] - $before[$n]);
	ok($ratio > 0.8 && $ratio < 1.25, sprintf 'the estimate of %s is %.2f of what the steps take', $item, $ratio);
}

# The edition in plain SQL
$node->safe_psql('postgres', 'CREATE DATABASE plain OWNER shop');
$node->safe_psql('plain', 'CREATE ROLE keeper LOGIN; GRANT CREATE ON DATABASE plain TO keeper');
sql_in('plain', scalar slurp_file('released/kid-track--1.0.0.sql'), role => 'keeper');
sql_in('plain', 'CREATE TABLE counted (id bigserial PRIMARY KEY)');
like((kidctl('plain', 'rekey check', qw(counted --new-rows-only --accept), 'schema kid'))[0],
	qr/^error: .* makes no keys of type kid53\nhint: Install kid-ids, or /m, 'which script of plain SQL makes keys');
sql_in('plain', 'DROP TABLE counted');
sql_in('plain', scalar slurp_file('released/kid-all--1.0.0.sql'), role => 'keeper');
sql_in('plain', $two);
my @plain = (qw(orders --time made --triggers run --accept), 'trigger fails on public.lines', '--accept', 'schema kid');
like((kidctl('plain', 'rekey check', @plain))[0],
	qr/shop may not call this function.*\n.*GRANT EXECUTE ON FUNCTION kid\.kid64_at\(.*\) TO shop\./,
	'the edition in plain SQL asks for a privilege');
sql_in('plain', 'GRANT EXECUTE ON FUNCTION kid.kid64_at(timestamptz) TO shop', role => 'keeper');
sql_in('plain', 'DROP TRIGGER fails ON lines;
	CREATE VIEW "(named)" AS SELECT l.note FROM orders AS "(o)" JOIN lines AS l ON l.order_id = "(o)".id');
my ($rehearsed) = kidctl('plain', 'rekey check', @plain);
like($rehearsed, qr/\d findings?, 0 of which stop the move/, 'the functions of its owner are in the copy');
unlike($rehearsed, qr/^not copied/m, 'where they need not belong to their owner');
kidctl_ok('plain', 'rekey run', @plain);
kidctl_ok('plain', "rekey $_", 'orders') foreach qw(swap back);
kidctl_ok('plain', 'rekey run', @plain);
kidctl_ok('plain', "rekey $_", 'orders') foreach qw(swap finish);
is(sql_in('plain', qq{$joined; SELECT kid.kid_timestamp(id::kid.kid64) FROM orders}), "old\n2026-01-01 00:00:00+00",
	'and has the same');

# More rows of one time than a time unit has sequences, 200 microseconds before as many of another one
foreach my $to ('kid64', 'kid53')
{
	sql_in('plain', q{CREATE TABLE loaded (id bigserial PRIMARY KEY, made timestamptz);
		INSERT INTO loaded (made) SELECT '2026-01-01 00:00:00.0009+00'::timestamptz + n / 20000 * interval '200 us'
			FROM generate_series(0, 39999) AS n});
	sql_in('plain', "GRANT EXECUTE ON FUNCTION kid.${to}_at(timestamptz) TO shop", role => 'keeper');
	kidctl_ok('plain', 'rekey run', 'loaded', @plain[ 1 .. 4 ], '--accept', 'schema kid', '--to', $to);
	kidctl_ok('plain', 'rekey swap', 'loaded');
	is(sql_in('plain', qq{SELECT count(DISTINCT id), bool_and(time >= last), max(time - made) < interval '11 ms'
		FROM (SELECT *, lag(time) OVER (ORDER BY made, kid_old_id) AS last FROM loaded,
			kid.${to}_timestamp(id) AS time) AS l}), '40000|t|t',
		"rows of one time get keys of $to of the time units that follow");
	kidctl_ok('plain', 'rekey back', 'loaded');
	sql_in('plain', 'DROP TABLE loaded');
}
done_testing();
