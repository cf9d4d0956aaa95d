# The edition in plain SQL, installed by an ordinary role: it does what the extension does, can be installed again
# without moving its clock, gives other roles no way to move it, and its tables can be moved to the extension.
# Versions: the rights and catalogs of PostgreSQL
use strict;
use warnings;
use Dialogue;
use IO::Socket::UNIX;
use Plain;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $temporary = PostgreSQL::Test::Utils::tempdir;
my $node = use_plain_server();
sql("CREATE DATABASE plain OWNER app; ALTER DATABASE plain SET search_path = '\$user', public, kid");
use_database($node, 'plain', role => 'app');

# Sends a text as drivers do that prepare each statement, which the server refuses if there are several.
# Returns the error, if any.
sub prepare_and_run
{
	my ($role, $database, $text) = @_;
	my $socket = IO::Socket::UNIX->new(Peer => $node->host . '/.s.PGSQL.' . $node->port) or die "no connection: $!";
	$socket->autoflush(1);
	my $error = '';
	my $read_until_ready = sub {
		while (read $socket, my $head, 5)
		{
			my ($type, $length) = unpack 'aN', $head;
			read $socket, my $body, $length - 4 if $length > 4;
			return if $type eq 'Z';
			$error .= $1 if $type eq 'E' && $body =~ /\0M([^\0]*)/;
		}
		die 'the server closed the connection';
	};
	my $startup = pack('N', 196608) . "user\0$role\0database\0$database\0\0";
	print $socket pack('N', 4 + length $startup), $startup;
	$read_until_ready->();
	# Parse, Bind, Execute, Sync
	foreach ([ P => "\0$text\0" . pack 'n', 0 ], [ B => "\0\0" . pack 'n3', 0, 0, 0 ], [ E => "\0" . pack 'N', 0 ],
		[ S => '' ])
	{
		my ($type, $body) = @$_;
		print $socket $type, pack('N', 4 + length $body), $body;
	}
	$read_until_ready->();
	return $error;
}

# docs/start/to_the_extension.sql, and the commands of docs/start/from-plain-sql.md that restore partitions beside the
# extension.
my %block = to_the_extension();
my $change = slurp_file('docs/start/from-plain-sql.md');
my ($commands) = $change =~ m{^<!-- test/t/plain\.pl runs this block -->\n```\n(.*?)^```$}ms
  or die 'docs/start/from-plain-sql.md has changed';

# Runs these commands as the owner of the tables.
sub restore_beside_the_extension
{
	my ($database) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir;
	append_to_file("$folder/attach.sql", $block{attach});
	my ($from, $to) = map { connection_as($node, $_, 'app') } 'plain', $database;
	my $run = $commands =~ s/\bmydatabase\b/'$from'/gr =~ s/\bnewdatabase\b/'$to'/gr
	  =~ s/^pg_dump /pg_dump --exclude-schema=trap /mr;
	$node->command_ok([ 'bash', '-ec', "cd $folder\nset -o pipefail\n$run" ],
		"the tables are restored beside the extension: $database");
	return;
}

# Each module is one statement: in a transaction that is rolled back it leaves nothing, it runs again, and after kid-ids
# in any order. kid-track needs no other. Tools take a "?" and a name after a colon for parameters.
$node->safe_psql('postgres', 'CREATE DATABASE modules OWNER app');
like(error_of(slurp_file("released/kid-$_--1.0.0.sql"), database => 'modules'), qr/kid in plain SQL is not installed/,
	"kid-$_ needs kid-ids") foreach qw(uuid tables);
foreach my $module (qw(track workers ids tables uuid track workers ids tables uuid all))
{
	my $text = slurp_file("released/kid-$module--1.0.0.sql");
	my $objects = q{SELECT (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_class),
		(SELECT count(*) FROM pg_namespace), (SELECT count(*) FROM pg_depend)};
	my $before = sql_in('modules', $objects);
	is(sql_in('modules', "SET search_path = public, pg_catalog; BEGIN;\n$text\nROLLBACK; SHOW search_path"),
		'public, pg_catalog', "kid-$module runs in a transaction");
	is(sql_in('modules', $objects), $before, 'which leaves nothing when it is rolled back');
	is(sql_in('modules', "SET search_path = public, pg_catalog;\n$text\nSHOW search_path"), 'public, pg_catalog',
		"kid-$module runs without one");
	is(prepare_and_run('app', 'modules', $text), '', "kid-$module can be prepared");
	unlike($text, qr/[?]|(?<![:\w]):\w/, "kid-$module has nothing that looks like a parameter");
	like(error_of('SELECT 5 < now()', database => 'modules'), qr/operator does not exist/,
		'an integer is not compared with a time');
}
is(sql_in('modules', 'SELECT count(*) FROM kid.kid_stats()'), '3', 'all clocks are there');

# kid-all takes effect as a whole or not at all.
$node->safe_psql('postgres', 'CREATE DATABASE whole OWNER app');
sql_in('whole',
	'CREATE SCHEMA kid; CREATE FUNCTION kid.kid_untrack(tab regclass) RETURNS integer LANGUAGE sql RETURN 1');
like(install('app', 'whole'), qr/ERROR:  \w{5}: cannot change return type of existing function/,
	'kid-all fails in its last module');
is(sql_in('whole', q{SELECT to_regnamespace('kid_clocks'), string_agg(proname, ' ') FROM pg_proc
		WHERE pronamespace = 'kid'::regnamespace}), '|kid_untrack', 'and leaves nothing behind');
sql_in('whole', 'DROP SCHEMA kid CASCADE');
is(prepare_and_run('app', 'whole', slurp_file(assemble('kid-all'))), '', 'drivers that prepare statements run kid-all');
is(sql_in('whole', 'SELECT kid.kid_next() < kid.kid_next(), kid.kid_uuidv7() < kid.kid_uuidv7(),
		kid.kid53_next() < kid.kid53_next()'), 't|t|t',
	'after which it makes IDs');

# The command and the statements of docs/start/managed-servers.md, "Install".
my $managed = slurp_file('docs/start/managed-servers.md');

# Runs a command as a role, as the page shows it, and tests that it succeeds.
sub run_shell
{
	my ($role, $command) = @_;
	local @ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, $role);
	return $node->command_ok([ 'bash', '-c', "set -eo pipefail; $command" ], "as $role: $command");
}
my ($psql, $create, $queries) = $managed =~ /^## Install\n.*?^```\n(.*?)^```.*?^```sql\n(.*?;)\n(.*?)^```/ms;
$node->safe_psql('postgres', 'CREATE DATABASE mydatabase OWNER app');
run_shell('app', "cd released && $psql");
is(sql_in('mydatabase', "$create INSERT INTO orders (item) VALUES ('tea') RETURNING item"), 'tea',
	'a table of the page');
like(sql_in('mydatabase', $queries), qr/\A1\n[01]\n20\d\d-[^|]*\|[-.\w]{11}\|ord_\w{13}\z/, 'queries of the page');

# "After a restore in another place": a dump without rights, then the command, then the statements.
my ($again, $afterwards) =
  $managed =~ /^### After a restore in another place\n.*?^```\n(.*?)^```.*?^```sql\n(.*?)^```/ms;
my $secrets = q{SELECT pg_sequence_last_value('kid_clocks.kid64_secret')};
run_shell('app', 'cd released && ' . $again =~ s/newdatabase/mydatabase/r);
sql_in('mydatabase', q{SET client_min_messages = warning; CREATE TABLE outbox (id bigserial PRIMARY KEY, n integer);
	SELECT kid.kid_track('outbox'); INSERT INTO outbox (n) VALUES (1), (2);
	CREATE TABLE consumers (name text PRIMARY KEY, last bigint)});
$node->safe_psql('postgres', 'CREATE ROLE relay LOGIN; CREATE DATABASE newdatabase OWNER app');
run_shell('app', 'pg_dump --no-acl mydatabase | psql -q -v ON_ERROR_STOP=1 newdatabase');
is(sqlstates_of(q{CALL kid.kid_horizon('outbox', NULL)}, database => 'newdatabase', role => 'relay'), '42501',
	'a copy that was restored without rights lets no consumer read');
run_shell('app', "cd released && $again");
my $old_secret = sql_in('newdatabase', $secrets);
is(sql_in('newdatabase', "SET client_min_messages = warning;\n$afterwards") =~ s/^\n+|\n+$//gr, 'outbox',
	'the statements of the page list the tracked table');
isnt(sql_in('newdatabase', $secrets), $old_secret, 'and change the secrets');
is(sql_in('newdatabase', q{CALL kid_horizon('outbox', NULL); UPDATE consumers SET last = last;
		SELECT count(*) FROM outbox WHERE id < 3}, role => 'relay'), "3\n2", 'after which a consumer reads');
$node->safe_psql('postgres', "DROP DATABASE $_") foreach qw(mydatabase newdatabase);

is(install('app', 'plain'), '', 'the owner of a database installs the script');

# pg_regress runs the same files with the extension. A superuser creates roles.
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
foreach ([ common => 'app' ], [ check => $superuser ], [ partitions => $superuser ])
{
	my ($file, $role) = @$_;
	my ($printed, $output) = ('', "$temporary/$file.out");
	local $ENV{PG_ABS_SRCDIR} = $ENV{PWD};
	IPC::Run::run([ 'psql', '-X', '-a', '-q', '-d', connection_as($node, 'plain', $role) ], '<', "sql/$file.sql",
		'>', \$printed, '2>&1');
	append_to_file($output, $printed);
	ok($printed eq slurp_file("expected/$file.out"), "sql/$file.sql prints what it prints with the extension")
	  or diag `diff -u expected/$file.out $output`;
}

# In the extension a negative bigint is a kid64 that is later than all others. In plain SQL it is no kid64.
is(sql(q{CREATE TABLE negative (id bigint PRIMARY KEY DEFAULT kid_next()); INSERT INTO negative VALUES (-5), (DEFAULT);
		SELECT problem, remedy FROM kid_check('negative'); DROP TABLE negative}),
	'it contains numbers that are no kid64 and have no time, such as -5|'
	  . 'Correct or delete the rows of SELECT * FROM public.negative WHERE id < 0;',
	'kid_check() names negative numbers, which are no kid64');

# With kid in the search_path, numbers and times compare as in a database without it: mostly not at all.
my $compared = q{CREATE FUNCTION pg_temp.compared() RETURNS SETOF text LANGUAGE plpgsql AS $$
	DECLARE
		expression text;
		result text;
	BEGIN
		FOR expression IN
			SELECT replace(replace(form, '$1', a), '$2', b)
			  FROM unnest(ARRAY['5', '5::smallint', '5::bigint', '5.0', '5::real', '5::oid', '''5''', 'NULL::bigint',
				'gen_random_uuid()']) AS a,
			       unnest(ARRAY['now()', 'current_date', 'localtimestamp', '''2026-11-21''', 'tstzrange(now(), NULL)',
			           '''[2026-11-21,)''', 'tsrange(NULL, NULL)', 'int8range(1, 9)']) AS b,
			       unnest(ARRAY['$1 < $2', '$2 <= $1', '$1 = $2', '$2 <> $1', '$1 >= $2', '$2 > $1',
			           '$1 BETWEEN $2 AND $2', '$1 IN ($2)', '$1 < ANY (ARRAY[$2])', '$1 <@ $2', '$2 @> $1']) AS form
		LOOP
			BEGIN
				EXECUTE 'SELECT (' || expression || ')::text' INTO result;
			EXCEPTION WHEN OTHERS THEN
				result := SQLSTATE;
			END;
			RETURN NEXT concat(expression, ': ', result);
		END LOOP;
	END $$;
	SELECT * FROM pg_temp.compared()};
my @compared = map { sql_in($_, $compared) } 'plain', 'postgres';
is($compared[0], $compared[1], 'with kid in the search_path numbers and times compare as without it');
like($compared[0], qr/^\Q$_\E: 42883$/m, "an error: $_") foreach '5 < now()', '5::bigint BETWEEN now() AND now()',
  'now() > 5.0', '5::smallint = now()', '5 <@ tstzrange(now(), NULL)', 'gen_random_uuid() < now()';
like($compared[0], qr/^\Qgen_random_uuid() < '2026-11-21'\E: 22P02$/m, 'a time beside a uuid is no uuid');

# docs/guides/consumers.md, "In plain SQL": a consumer reads no row before those that come late.
{
	my ($once, $poll) = slurp_file('docs/guides/consumers.md') =~ /^## In plain SQL\n.*?^```sql\n(.*?\n)\n(.*?)^```/ms;
	$poll =~ s/, NULL\);/, NULL) \\gset/;
	$poll =~ s/\$1/:last/;
	$poll =~ s/\$2/:horizon/g;
	sql($once);
	my ($late, $reader) = map { open_session($node, 'plain', role => 'app') } 1 .. 2;
	answer($late, q{BEGIN; INSERT INTO outbox (payload) VALUES ('late');});
	sql(q{INSERT INTO outbox (payload) VALUES ('early')});
	is(answer($reader, "\\set last 0\n$poll"), '', 'while a transaction with a lesser ID is open, nothing is read');
	answer($late, 'COMMIT;');
	like(answer($reader, $poll), qr/\A\d+\|late\n\d+\|early\z/, 'then both rows are, in the order of their IDs');
	close_session($_) foreach $late, $reader;
	sql('DROP TABLE outbox');
}

# docs/guides/partitions.md: the function that keeps what consumers have not read, with the cursors of pgkid.
{
	my ($keep_from) =
	  slurp_file('docs/guides/partitions.md') =~ /^```sql\n(CREATE FUNCTION keep_events_from\(\).*?)^```$/ms;
	my $drop = q{SELECT kid_drop_partitions('events', keep_events_from())};
	sql(qq{CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next()) PARTITION BY RANGE (id);
		SELECT count(*) FROM kid_create_partitions('events', '30 days', now(), now() - interval '150 days');
		CREATE TABLE consumers (name text PRIMARY KEY, last bigint NOT NULL);\n$keep_from});
	like(error_of($drop), qr/^22004: argument "older_than" must /, 'without cursors nothing is dropped');
	sql(q{INSERT INTO consumers VALUES ('new', -9223372036854775808), ('quick', kid_next())});
	is(output_of($drop), '', 'a consumer that has read nothing keeps all partitions');
	sql(q{UPDATE consumers SET last = kid64_floor(now() - interval '110 days') WHERE name = 'new'});
	my $of_cursor = sql($drop);
	sql('UPDATE consumers SET last = kid_next()');
	cmp_ok(length $of_cursor, '<', length sql($drop), 'a slow consumer keeps more than one that has read all');
	sql('DROP FUNCTION keep_events_from; DROP TABLE events, consumers');
}

# docs/start/managed-servers.md: a range of time is a range of the key.
{
	sql(q{CREATE TABLE timed (id kid64 PRIMARY KEY, number bigint UNIQUE, uuid uuid UNIQUE,
			number53 bigint UNIQUE);
		INSERT INTO timed SELECT kid64_make(t, 0), kid64_make(t, 0), kid_uuidv7_floor(t), kid53_make(t, 0)
			FROM generate_series(now() - interval '30 days', now(), '1 hour') AS t; ANALYZE timed});
	my ($since, $range) = (q{now() - interval '3 days'}, q{now() - interval '2 days', now() - interval '1 day'});
	foreach ([ id => 'kid64' ], [ number => 'kid64' ], [ uuid => 'kid_uuidv7' ], [ number53 => 'kid53' ])
	{
		my ($column, $prefix) = @$_;
		my $within = $prefix eq 'kid53' ? 'kid53_within' : 'kid_within';
		foreach ([ "$column >= ${prefix}_floor($since)", 72 ],
			[ "$column >= ${prefix}_floor((SELECT $since)) AND $column < ${prefix}_floor(now() - interval '1 day')",
				48 ], [ "$within($column, $range)", 24 ])
		{
			my ($condition, $rows) = @$_;
			like(sql("EXPLAIN (COSTS OFF) SELECT * FROM timed WHERE $condition"),
				qr/^ *Index Cond: (?!.*\n *Filter)/m, "uses the index: $condition");
			is(sql("SELECT count(*) FROM timed WHERE $condition"), $rows, 'and finds the rows');
		}
	}
	sql(q{CREATE TABLE parted (id kid64 PRIMARY KEY) PARTITION BY RANGE (id);
		SELECT kid_create_partitions('parted', '1 day', date_trunc('day', now()), since => now() - interval '5 days')});
	sql(q{CREATE TABLE parted53 (id bigint PRIMARY KEY DEFAULT kid53_next()) PARTITION BY RANGE (id);
		SELECT kid_create_partitions('parted53', '1 day', date_trunc('day', now()),
			since => now() - interval '5 days')});
	foreach ([ parted => q{kid_within(id, now() - interval '49 hours', now() - interval '48 hours')} => '[34]' ],
		[ parted => q{id >= kid64_floor(date_trunc('day', now()) - interval '1 day')} => 4 ],
		[ parted53 => q{kid53_within(id, now() - interval '49 hours', now() - interval '48 hours')} => '[34]' ],
		[ parted53 => q{id >= kid53_floor(date_trunc('day', now()) - interval '1 day')} => 4 ])
	{
		my ($table, $condition, $removed) = @$_;
		like(sql("EXPLAIN (COSTS OFF) SELECT * FROM $table WHERE $condition"),
			qr/Subplans Removed: $removed$/m, "prunes partitions: $condition");
	}
	sql('DROP TABLE timed, parted, parted53');
}

# Installed again, the script replaces functions and keeps the clock.
sql(q{CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), payment uuid DEFAULT kid_uuidv7(),
	bigint bigint DEFAULT kid_next(), number bigint UNIQUE DEFAULT kid53_next());
	CREATE VIEW recent AS SELECT * FROM orders WHERE kid_within(id, now() - interval '1 day', 'infinity');
	INSERT INTO orders SELECT FROM generate_series(1, 100);
	SELECT kid_observe(kid64_floor(now() + interval '50 minutes')),
		kid53_observe(kid53_floor(now() + interval '50 minutes'))});
my $state = 'SELECT c.last_value, u.last_value, n.last_value, (SELECT count(*) FROM pg_depend)
	FROM kid_clocks.kid64_clock AS c, kid_clocks.kid_uuidv7_clock AS u, kid_clocks.kid53_clock AS n';
my $before = sql($state);
sql(q{CREATE OR REPLACE FUNCTION kid.kid_sequence(id kid64) RETURNS integer LANGUAGE sql RETURN 5});
is(install('app', 'plain'), '', 'the script can be installed again');
is(sql($state), $before, 'the clocks stay as they are, and no object is created');
is(sql('SELECT kid_sequence(8::kid64)'), '8', 'functions are replaced');
is(sql(q{SELECT kid_timestamp(kid_next()) > now() + interval '45 minutes',
		kid53_timestamp(kid53_next()) > now() + interval '45 minutes'}), 't|t',
	'IDs continue from the clock');
is(sql(q{SELECT count(*) FROM pg_proc AS p WHERE pronamespace = 'kid'::regnamespace
		AND obj_description(oid, 'pg_proc') IS NULL}), '0',
	'every function has a comment');
is(sql(
		q{SELECT obj_description('kid'::regnamespace) = format('kid %s, in plain SQL', kid.kid_version())}), 't',
	'kid_version() tells the same');
is(sql(q{SELECT obj_description('kid'::regnamespace)}) =~ s/\d.*,/VERSION,/r,
	'kid VERSION, in plain SQL', 'the schema tells the version');

# The script refuses a schema in which others can put something, and a database that has the extension.
my $foreign = qr/ERROR:  \w{5}: schema kid\w*, or something in it, belongs to another role/;
$node->safe_psql('postgres', "CREATE DATABASE $_ OWNER app") foreach 'taken', 'shared', 'planted', 'extended';
$node->safe_psql('taken', 'CREATE SCHEMA kid AUTHORIZATION other');
$node->safe_psql('shared', 'CREATE SCHEMA kid AUTHORIZATION app; GRANT CREATE ON SCHEMA kid TO other');
$node->safe_psql('planted', "CREATE SCHEMA kid AUTHORIZATION app; GRANT CREATE ON SCHEMA kid TO other; SET ROLE other;
	CREATE FUNCTION kid.kid64_state() RETURNS bigint LANGUAGE sql AS 'SELECT 1'; RESET ROLE;
	REVOKE CREATE ON SCHEMA kid FROM other");
$node->safe_psql('extended', 'CREATE EXTENSION kid');
like(install('app', $_), $foreign, "the script refuses a schema that is $_") foreach 'taken', 'shared', 'planted';
like(install('app', 'extended'), qr/ERROR:  \w{5}: this database has the extension kid/,
	'the script refuses a database with the extension');
is($node->safe_psql($_,
		q{SELECT count(*) FROM pg_proc WHERE pronamespace = to_regnamespace('kid') AND proowner = 'app'::regrole}), '0',
	"nothing is left of it: $_")
  foreach 'taken', 'shared', 'planted', 'extended';

# Another role makes IDs, and does nothing else with the clock.
sql('GRANT INSERT, SELECT ON orders TO other');
is(sql('INSERT INTO orders DEFAULT VALUES;
		SELECT kid_next() > max(id) AND kid_uuidv7() > max(payment::text)::uuid AND kid53_next() > max(number)
			FROM orders', role => 'other'), 't', 'another role makes IDs');
$before = sql('SELECT last_value FROM kid_clocks.kid64_clock');
foreach my $attack (
	q{SELECT nextval('kid_clocks.kid64_clock')}, q{SELECT setval('kid_clocks.kid64_clock', 1)},
	q{SELECT kid.kid64_draw()},
	q{SELECT last_value FROM kid_clocks.kid64_clock}, q{SELECT kid_clocks.kid64_open()},
	q{SELECT kid_clocks.kid_uuidv7_open(5)}, q{SELECT kid_observe(kid_next())},
	q{SELECT kid_observe(kid_uuidv7())}, q{SELECT kid64_at(now())}, q{SELECT kid_stats()},
	q{SELECT pg_sequence_last_value('kid_clocks.kid64_secret')}, q{SELECT * FROM kid_clocks.kid64_secret},
	q{SELECT kid_clocks.kid64_key(1, 1)},
	# These wait for a lock before PostgreSQL looks at rights, if they find the table.
	q{PREPARE p AS SELECT FROM kid_clocks.kid64_clock},
	q{CREATE RULE r AS ON INSERT TO kid_clocks.kid64_clock DO NOTHING},
	q{SELECT nextval('kid_clocks.kid64_at_sequence')}, q{SELECT nextval('kid_clocks.kid53_at_sequence')},
	q{SELECT setval('kid_clocks.kid53_clock', 1)}, q{SELECT kid.kid53_draw()}, q{SELECT kid_clocks.kid53_open()},
	q{SELECT kid53_observe(kid53_next())}, q{SELECT kid53_at(now())}, q{SELECT * FROM kid_clocks.kid53_secret},
	q{SELECT pg_sequence_last_value('kid_clocks.kid53_secret')}, q{SELECT kid_clocks.kid53_key(1, 1)},
	q{ALTER SEQUENCE kid_clocks.kid64_clock CACHE 10},
	q{CREATE FUNCTION kid.kid64_state() RETURNS bigint LANGUAGE sql AS 'SELECT 1'}, q{CREATE TABLE kid.t ()})
{
	like(error_of($attack, role => 'other'), qr/permission denied for|must be owner of/,
		"another role may not: $attack");
}
like(sql('SELECT kid.kid64_state(), kid.kid53_state()', role => 'other'), qr/\A\d+\|\d+\z/,
	'another role reads of the clock what kid_next() would tell it');
is(sql('SELECT last_value FROM kid_clocks.kid64_clock'), $before, 'and the clock has not moved');

# A client that does not read could hold the lock as long as something is sent to it.
my ($debugging, $messages) = ('', '');
$node->psql('plain', 'SET client_min_messages = debug5;
	SELECT count(kid_next()), count(kid_uuidv7()), count(kid53_next()) FROM generate_series(1, 20000)',
	stdout => \$debugging,
	stderr => \$messages,
	connstr => connection_as($node, 'plain', 'other'));
is($debugging, '20000|20000|20000', 'IDs are made with debugging messages');
unlike($messages, qr/SubTransaction/, 'and none of them is sent under the lock');

# No error leaves the lock behind: here PostgreSQL refuses setval() in a parallel operation.
like(sql(q{CREATE FUNCTION pg_temp.wrapped() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN
		FOR i IN 1..20 LOOP PERFORM kid.kid_next(), kid.kid53_next(), pg_sleep(0.002); END LOOP; RETURN 1; END $$;
	SET max_parallel_workers = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	DO $$ BEGIN PERFORM count(*) FROM pg_class WHERE pg_temp.wrapped() = 1;
		EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM; END $$;
	SELECT count(*) || ' locks' FROM pg_locks WHERE locktype = 'advisory'}, role => 'other'), qr/\A0 locks\z/,
	'an error in a parallel operation leaves no lock behind');

# Functions and operators of a caller with the names that kid uses, in a schema that precedes all others,
# are not called.
sql(
	'CREATE SCHEMA trap; GRANT ALL ON SCHEMA trap TO other; GRANT EXECUTE ON FUNCTION kid64_at, kid53_at TO other');
# PostgreSQL 19 has no other strings than the standard ones.
my $planted = output_of(($node->safe_psql('plain', 'SHOW server_version_num') < 190000
		? 'SET standard_conforming_strings = off; ' : '') . q{
	CREATE TEMP SEQUENCE kid64_secret; CREATE TEMP SEQUENCE kid64_clock; CREATE TEMP TABLE pg_class (oid oid);
	CREATE FUNCTION trap.trap() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''planted''; END';
	DO $$
	DECLARE
		f record;
	BEGIN
		-- Each function and operator of PostgreSQL with these names.
		FOR f IN
			SELECT format('CREATE FUNCTION trap.%I(%s) RETURNS %s
						LANGUAGE plpgsql AS ''BEGIN RAISE EXCEPTION ''''planted''''; END''',
					proname, pg_get_function_identity_arguments(oid), prorettype::regtype) AS ddl
				FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND NOT proretset
				AND provariadic = 0 AND NOT proargtypes::oid[] && ARRAY['internal'::regtype, '"any"'::regtype]::oid[]
				AND proname IN ('nextval', 'setval', 'clock_timestamp', 'date_part', 'pg_sleep', 'gen_random_uuid',
					'lpad', 'to_hex', 'substr', 'encode', 'decode', 'int8send', 'translate', 'now', 'date_bin',
					'date_trunc', 'length', 'format', 'set_byte', 'get_byte')
		LOOP
			EXECUTE f.ddl;
		END LOOP;
		FOR f IN
			SELECT format('CREATE FUNCTION trap.%I(a %s, b %s) RETURNS %s
						LANGUAGE plpgsql AS ''BEGIN RAISE EXCEPTION ''''planted''''; END'';
					CREATE OPERATOR trap.%s (LEFTARG = %2$s, RIGHTARG = %3$s, FUNCTION = trap.%1$I)',
					'op' || oid, oprleft::regtype, oprright::regtype, oprresult::regtype, oprname) AS ddl
				FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace
				AND oprname IN ('<', '<=', '>', '>=', '=', '+', '-', '*', '/', '%', '&', '|', '<<', '>>', '||')
				AND oprleft IN ('int8'::regtype, 'int4'::regtype, 'text'::regtype, 'uuid'::regtype,
					'timestamptz'::regtype, 'float8'::regtype)
				AND oprright IN ('int8'::regtype, 'int4'::regtype, 'text'::regtype, 'uuid'::regtype,
					'timestamptz'::regtype, 'interval'::regtype, 'float8'::regtype)
		LOOP
			EXECUTE f.ddl;
		END LOOP;
	END $$;
	SET search_path = trap, pg_catalog, kid, public;
	SET timezone = 'Asia/Kolkata'; SET datestyle = 'SQL, DMY'; SET intervalstyle = 'sql_standard';
	SET bytea_output = 'escape'; SET extra_float_digits = -15;
	SET quote_all_identifiers = on; SET plpgsql.extra_errors = 'all'; SET transform_null_equals = on;
	SET lock_timeout = '1ms';
	INSERT INTO public.orders SELECT FROM pg_catalog.generate_series(1, 3);
	SELECT kid64_to_text(kid_next()), kid_uuidv7(), kid64_next(), kid_encode(kid_next(), 'ord'),
		kid64_from_text('.6.qHchlk..'), kid64_at('2026-11-20 12:00:00+00'), kid_uuidv7_at('2026-11-20 12:00:00+00'),
	       kid64_floor('2026-11-20 12:00:00+00'), kid64_ceil('2026-11-20 12:00:00+00'),
	           kid_uuidv7_ceil('2026-11-20 12:00:00+00'), kid64_make('2026-11-20 12:00:00+00', 5),
	       kid64_decode('ord_00w1p4s37vg01', 'ord'), kid_uuid_decode(kid_encode(kid_uuidv7())),
	           kid_timestamp(kid_next()), kid_timestamp(kid_uuidv7());
	SELECT kid53_encode(kid53_next(), 'ord'), kid53_at('2026-11-20 12:00:00+00'),
		kid53_make('2026-11-20 12:00:00+00', 5), kid53_floor('2026-11-20 12:00:00+00'),
		kid53_ceil('2026-11-20 12:00:00+00'), kid53_decode('00000000005'),
		kid53_timestamp(kid53_next()), kid53_sequence(5), kid53_within(kid53_next(), '2026-11-20 12:00:00+00', NULL);
	SELECT * FROM kid53_inspect(kid53_next()); SELECT * FROM kid53_next(3);
	SELECT * FROM kid_inspect(kid_uuidv7()); SELECT * FROM kid_next(3);
	CREATE TABLE trap.p (id kid64) PARTITION BY RANGE (id);
	SELECT kid_create_partitions('trap.p', '1 day', '2026-11-21', since => '2026-11-20');
	SELECT * FROM kid_partitions('trap.p');
	SELECT kid_drop_partitions('trap.p', '2026-11-22', false);
}, role => 'other');
unlike($planted, qr/ERROR/, 'no name and no setting of a caller is trusted');
SKIP:
{
	skip('PostgreSQL has no ICU for this encoding', 1)
	  if $node->safe_psql('plain', "SELECT count(*) FROM pg_collation
		WHERE collprovider = 'i' AND current_setting('server_encoding') = 'UTF8'") == 0;
	is($node->safe_psql('plain', q{CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2',
			deterministic = false);
		SELECT kid.kid_uuid_decode('00000000000000000000000001' COLLATE any_case); DROP COLLATION any_case}),
		'00000000-0000-0000-0000-000000000001', 'nor is a collation');
}
like(error_of(q{SET search_path = trap, pg_catalog; SELECT 1::bigint + 1::bigint}, role => 'other'), qr/planted/,
	'the trap works');

# The owner of a table is the one whose code may run.
sql('CREATE TABLE parts (id kid64) PARTITION BY RANGE (id)');
like(error_of(q{SELECT kid_create_partitions('parts', '1 day', now())}, role => 'other'),
	qr/must be owner of table public.parts/, 'only the owner creates partitions');
like(error_of(q{SELECT kid.kid_drop_partitions('public.parts', now(), false)}, role => undef),
	qr/must be owner of table/, 'nor does a superuser run code of the owner');

# A dump of the database carries the clock. That of the tables alone can be restored where the extension is.
$node->safe_psql('postgres', "CREATE DATABASE restored OWNER app; CREATE DATABASE up OWNER app;
	ALTER DATABASE up SET search_path = '\$user', public, kid");
my $dump = "$temporary/plain.dump";
sql(q{DROP VIEW recent;
	CREATE VIEW recent AS SELECT * FROM orders WHERE kid_within(id, now() - interval '1 day', 'infinity');
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), order_id kid64 REFERENCES orders)
		PARTITION BY RANGE (id);
	SELECT kid_create_partitions('events', '1 day', now() + interval '1 day');
	INSERT INTO events SELECT kid_next(), id FROM orders});
my $content = q{SELECT (SELECT md5(string_agg(o::text, ',' ORDER BY o.id))
	FROM (SELECT id::bigint, payment, bigint, number FROM orders) AS o),
	(SELECT md5(string_agg(e::text, ',' ORDER BY e.id)) FROM (SELECT id::bigint, order_id::bigint FROM events) AS e),
		(SELECT count(*) FROM recent)};
my $rows = sql($content);
$node->command_ok([ 'pg_dump', '-U', 'app', '-f', $dump, '-N', 'trap', $node->connstr('plain') ], 'pg_dump of all');
$node->command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', connection_as($node, 'restored', 'app'),
		'-f', $dump ], 'its restore as an ordinary role');
is(sql_in('restored', "SET search_path = public, kid; $content"), $rows, 'the same rows');
is(sql_in('restored', 'SET search_path = public, kid;
		SELECT kid_next() > max(greatest(id, bigint)), kid53_next() > max(number) FROM orders'),
	't|t', 'with the clocks');
is(install('app', 'restored'), '', 'where the script can be installed again');

# By as many bits as count within a time unit, kid_track() shifts the states of a clock.
foreach ([ 'kid64', 'kid64', 'kid_next' ], [ 'kid53', 'bigint', 'kid53_next' ], [ 'kid_uuidv7', 'uuid', 'kid_uuidv7' ])
{
	my ($clock, $type, $generator) = @$_;
	is(sql("CREATE TEMP TABLE drawing (id $type DEFAULT $generator());
		SELECT ${clock}_unit_end(0) = ${clock}_unit_end(s.states - 1),
			${clock}_unit_end(0) < ${clock}_unit_end(s.states)
			FROM (SELECT bigint '1' << shift AS states FROM kid_track_source('drawing'::regclass, 'id')) AS s"),
		't|t', "kid_track() knows how many states a time unit of $clock has");
}

sql(q{CREATE TABLE tracked (id bigserial PRIMARY KEY); SELECT kid_track('tracked');
	INSERT INTO tracked SELECT FROM generate_series(1, 5)});
$node->safe_psql('up', 'CREATE SCHEMA kid; GRANT USAGE ON SCHEMA kid TO app; CREATE EXTENSION kid SCHEMA kid');
restore_beside_the_extension('up');
is(sql_in('up', $content), $rows, 'the same rows with the extension');
is($node->safe_psql('up', q{SET search_path = public, kid; SELECT count(*) > 0 FROM kid_observe_all();
		SELECT kid_next() > greatest(max(id), max(bigint)::kid64) AND kid_uuidv7() > max(payment::text)::uuid
			AND kid53_next() > max(number) FROM orders}),
	"t\nt", 'and kid_observe_all() moves the clocks past them');
is(sql_in('up', q{SELECT count(*) FROM kid_partitions('events');
		SELECT kid_create_partitions('events', '1 day', now() + interval '1 day')}),
	sql(q{SELECT count(*) FROM kid_partitions('events')}), 'partitions continue');
is(sql_in('up', q{INSERT INTO tracked DEFAULT VALUES; CALL kid_horizon('tracked', NULL)}), '7',
	'so does the horizon of a table');

# The commands of from-plain-sql.md for tables that are not partitioned: a superuser creates the extension, the owner
# restores, a superuser moves the clocks.
my @commands = split /\n(?=\S)/, ($change =~ /^## Dump and restore\n.*?^```\n(.*?)^```/ms)[0];
is(scalar @commands, 3, 'the page has three commands to dump and restore');
$node->safe_psql('postgres',
	'CREATE DATABASE mydatabase TEMPLATE plain OWNER app; CREATE DATABASE newdatabase OWNER app');
$node->safe_psql('mydatabase', 'DROP SCHEMA trap CASCADE; DROP TABLE events');
sql_in('mydatabase', q{SELECT kid.kid_track('orders');
	CREATE TABLE outbox (id kid.kid64 PRIMARY KEY DEFAULT kid.kid_next(), n integer);
	SELECT kid.kid_track('outbox', reject => true);
	INSERT INTO outbox (n) VALUES (1), (2), (3);
	CREATE TABLE consumers (name text PRIMARY KEY, last bigint NOT NULL);
	INSERT INTO consumers VALUES ('new', -9223372036854775808), ('relay', (SELECT min(id) FROM outbox))});
my $orders = q{SELECT md5(string_agg(o::text, ',' ORDER BY o.id))
	FROM (SELECT id::bigint, payment, bigint, number FROM orders) AS o};
run_shell($superuser, $commands[0]);
run_shell('app', $commands[1]);
run_shell($superuser, $commands[2]);
is(sql_in('newdatabase', $orders), sql($orders), 'after them the rows are the same');
is($node->safe_psql('newdatabase', 'SELECT kid_next() > greatest(max(id), max(bigint)::kid64),
		kid53_next() > max(number) FROM orders'), 't|t',
	'and new IDs are above them');
like(error_of(q{CALL kid_horizon('orders', NULL)}, database => 'newdatabase'),
	qr/ is not the next value of a sequence/, 'a table with IDs of kid has no horizon of its own');
is(sql_in('newdatabase', q{SELECT kid_untrack('orders'); SELECT count(*) FROM orders WHERE id >= kid_horizon();
		SELECT count(*) FROM pg_trigger WHERE tgname = 'kid_track' AND tgrelid = 'orders'::regclass}), "\n0\n0",
	'the horizon of the type is for it, and the trigger goes');
# "Consumers": the statements of the page, first those for a table of cursors of both kinds. Writers can begin before.
my ($take_over, $both_kinds) = $change =~ /^## Consumers\n.*?^```sql\n(.*?)^```.*?^ *```sql\n(.*?)^ *```/ms;
my $left = q{SELECT name, count(o.id) FROM %s LEFT JOIN outbox AS o ON o.id > last AND o.id < kid_horizon()
	GROUP BY name ORDER BY name};
sql_in('newdatabase', "INSERT INTO outbox (n) VALUES (4); $both_kinds $take_over INSERT INTO outbox (n) VALUES (5)");
is(sql_in('newdatabase', sprintf $left, 'consumers64'), 'relay|4', 'a cursor of IDs of kid goes on in another table');
is(sql_in('newdatabase', sprintf $left, 'consumers'), "new|5\nrelay|4",
	'or in its own, and a consumer that has read nothing begins with the first row');
is(sql_in('newdatabase', q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 'outbox'::regclass}), '0',
	'the triggers are gone');

# Logical replication: to a subscriber with the extension in binary form, which the initial copy has from PostgreSQL 16
# on; and to one with kid in plain SQL, which changes in place. Both take over.
my $copied = q{SELECT count(*), md5(string_agg(o::text, ',' ORDER BY o.id))
	FROM (SELECT id::bigint, payment, bigint, number FROM orders) AS o};
foreach my $replica ($node->pg_version >= 16 ? 'bytes' : (), 'replica')
{
	my $binary = $replica eq 'bytes' ? 'true' : 'false';
	$node->safe_psql('postgres',
		"CREATE DATABASE $replica OWNER app; ALTER DATABASE $replica SET search_path = public, kid");
	if ($binary eq 'true')
	{
		$node->safe_psql($replica,
			'CREATE SCHEMA kid; GRANT USAGE ON SCHEMA kid TO PUBLIC; CREATE EXTENSION kid SCHEMA kid');
	}
	else { is(install('app', $replica), '', 'the script is installed: replica') }
	sql_in($replica, 'CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(),
		payment uuid DEFAULT kid_uuidv7(), bigint bigint DEFAULT kid_next()::bigint,
		number bigint UNIQUE DEFAULT kid53_next())');
	$node->safe_psql('plain', "CREATE PUBLICATION $replica FOR TABLE orders WITH (publish_via_partition_root = true);
		SELECT pg_create_logical_replication_slot('$replica', 'pgoutput')");
	$node->safe_psql($replica, "CREATE SUBSCRIPTION $replica CONNECTION \$c\$" . $node->connstr('plain')
		  . "\$c\$ PUBLICATION $replica WITH (create_slot = false, slot_name = '$replica', binary = $binary)");
	sql('INSERT INTO orders SELECT FROM generate_series(1, 100)');
	$node->wait_for_subscription_sync($node, $replica, $replica);
	is($node->safe_psql($replica, $copied), sql($copied),
		"a subscriber, binary = $binary, has the same rows");
	$node->safe_psql($replica, "DROP SUBSCRIPTION $replica");
	$node->safe_psql('plain', "DROP PUBLICATION $replica");
	if ($binary eq 'false')
	{
		sql_in($replica, 'ALTER TABLE orders ALTER payment DROP DEFAULT, ALTER bigint DROP DEFAULT,
			ALTER number DROP DEFAULT');
		$node->safe_psql($replica, "SET client_min_messages = warning;\n$block{'orders in place'}");
		sql_in($replica, 'ALTER TABLE orders ALTER number SET DEFAULT kid53_next()');
		is($node->safe_psql($replica, $copied), sql($copied), 'also after the change in place');
	}
	is($node->safe_psql($replica, q{SELECT count(*) > 0 FROM kid_observe_all();
			SELECT kid_next() > greatest(max(id), max(bigint)::kid64), kid53_next() > max(number) FROM orders}),
		"t\nt|t",
		'and goes on after kid_observe_all()');
}

# A dump without data has no last state of the clock, and one without rights lets everybody call everything.
$node->safe_psql('postgres', "CREATE DATABASE $_ OWNER app; ALTER DATABASE $_ SET search_path = public, kid")
  foreach 'empty', 'bare', 'defaults';
$node->command_ok([ 'pg_dump', '-U', 'app', '-s', '-f', "$dump.empty", '-N', 'trap', $node->connstr('plain') ],
	'pg_dump without data');
$node->command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', connection_as($node, 'empty', 'app'),
		'-f', "$dump.empty" ], 'its restore');
like(error_of('SELECT kid_next()', database => 'empty'), qr/the secret of the logical clocks is missing/,
	'without data there is no secret');
is(install('app', 'empty'), '', 'the script makes one');
is(sql_in('empty', q{SELECT count(DISTINCT id) FROM (SELECT kid_next() AS id FROM generate_series(1, 1000)) AS made;
	SELECT clock_timestamp() - kid_timestamp(kid_next()) < '1 s',
		clock_timestamp() - kid_timestamp(kid_uuidv7()) < '1 s',
		clock_timestamp() - kid53_timestamp(kid53_next()) < '1 s', kid_observe(kid64_floor(now())),
		kid53_observe(kid53_floor(now()))}), "1000\nt|t|t||",
	'IDs begin with the time of the clock');
$node->command_ok([ 'pg_dump', '-U', 'app', '-x', '-f', "$dump.bare", '-N', 'trap', $node->connstr('plain') ],
	'pg_dump without rights');
$node->command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', connection_as($node, 'bare', 'app'),
		'-f', "$dump.bare" ], 'its restore');
like(error_of($_, database => 'bare', role => 'other'), qr/permission denied for schema kid/,
	"without rights nobody may: $_")
  foreach 'SELECT kid.kid_next()', 'SELECT kid_clocks.kid64_open(5)', 'SELECT kid.kid53_next()',
  'SELECT kid_clocks.kid53_open(5)';
sql_in('defaults', 'ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO other, PUBLIC;
	ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO other; ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO other;
	ALTER DEFAULT PRIVILEGES REVOKE ALL ON FUNCTIONS FROM PUBLIC;
	ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO other;
	ALTER DEFAULT PRIVILEGES REVOKE ALL ON TYPES FROM PUBLIC');
foreach my $database ('bare', 'defaults')
{
	is(install('app', $database), '', "the script is installed: $database");
	is(sql_in($database, 'SELECT kid.kid_next() < kid.kid_next(), kid.kid_uuidv7() IS NOT NULL,
			kid.kid53_next() < kid.kid53_next(), NULL::kid.kid64', role => 'other'), 't|t|t|',
		"others make IDs: $database");
	like(error_of($_, database => $database, role => 'other'), qr/permission denied for/,
		"and may not, in $database: $_")
	  foreach q{SELECT setval('kid_clocks.kid64_clock', 1)}, 'SELECT kid_clocks.kid64_open(5)',
	  q{SELECT setval('kid_clocks.kid53_clock', 1)}, 'SELECT kid_clocks.kid53_open(5)',
	  'SELECT kid.kid53_observe(kid.kid53_next())',
	  'SELECT kid.kid_observe(kid.kid_next())', 'CREATE TABLE kid_clocks.t ()', 'CREATE TABLE kid.t ()';
}

# Functions that an upgrade creates get none of the default privileges. Others keep what the owner granted.
my $observers = q{SELECT string_agg(DISTINCT proname, ' ' ORDER BY proname) FROM pg_proc
	WHERE proname ~ 'observe' AND has_function_privilege('other', oid, 'EXECUTE')};
sql_in('defaults', 'DROP FUNCTION kid.kid53_observe(bigint); GRANT EXECUTE ON FUNCTION kid.kid_observe_all TO other;
	GRANT EXECUTE ON FUNCTION kid.kid_observe(kid.kid64) TO other');
is(install('app', 'defaults') . sql_in('defaults', $observers), 'kid_observe kid_observe_all',
	'roles keep the rights that the owner granted, and get no others');
sql_in('defaults', 'REVOKE ALL ON FUNCTION kid.kid_observe_all, kid.kid_observe(kid.kid64) FROM other');

# A role without rights cannot make kid64_at() repeat an ID of the owner. One to which the owner grants it
# can back-fill, also after an upgrade.
sql_in('bare', 'CREATE TABLE filled (id kid.kid64 PRIMARY KEY, number bigint UNIQUE)');
my $fill = q{INSERT INTO filled SELECT kid.kid64_at('2026-11-20'), kid.kid53_at('2026-11-20')};
sql_in('bare', $fill);
like(error_of(q{SELECT count(kid.kid64_at(now())) FROM generate_series(1, 16383)}, database => 'bare', role => 'other'),
	qr/permission denied for function kid64_at/, 'a role without rights may not draw the sequences');
like(error_of(q{SELECT count(kid.kid53_at(now())) FROM generate_series(1, 4095)}, database => 'bare', role => 'other'),
	qr/permission denied for function kid53_at/, 'those of kid53 neither');
is(sql_in('bare', $fill), '', 'and the next row has another ID');
sql_in('bare', 'GRANT EXECUTE ON FUNCTION kid.kid64_at TO other');
is(install('app', 'bare') . sql_in('bare', q{SELECT kid.kid_timestamp(kid.kid64_at('2026-11-20')) = '2026-11-20'},
		role => 'other'),
	't', 'the owner grants it');

# The owner changes the secrets. Who knows an old one can stop new IDs, and then cannot.
{
	my $known = sql_in('defaults', q{SELECT pg_sequence_last_value('kid_clocks.kid64_secret'),
		pg_sequence_last_value('kid_clocks.kid_uuidv7_secret'), pg_sequence_last_value('kid_clocks.kid53_secret')});
	sql_in('defaults', 'SELECT kid_clocks.kid_new_secrets()');
	my $changed = sql_in('defaults', q{SELECT pg_sequence_last_value('kid_clocks.kid64_secret'),
		pg_sequence_last_value('kid_clocks.kid_uuidv7_secret'), pg_sequence_last_value('kid_clocks.kid53_secret')});
	isnt((split /\|/, $changed)[$_], (split /\|/, $known)[$_], 'the owner changes a secret') foreach 0 .. 2;
	like(error_of($_, database => 'defaults', role => 'other'), qr/permission denied for/, "nobody else may: $_")
	  foreach 'SELECT kid_clocks.kid_new_secrets()', 'SELECT kid_clocks.kid64_open(new_secret => true)';
	foreach ([ $changed => 'ERROR:  57014: canceling statement due to statement timeout' ], [ $known => 't' ])
	{
		my ($secret, $result) = ($_->[0] =~ s/\|.*//r, $_->[1]);
		my $holder = open_session($node, 'defaults', role => 'other');
		my $key = sql_in('defaults', "SELECT kid_clocks.kid64_key($secret, kid.kid64_state() >> 14)");
		answer($holder, "SELECT pg_advisory_lock($key);");
		my $made = output_of(
			q{SET statement_timeout = '1 s'; SELECT max(kid.kid_next()) > 0 FROM generate_series(1, 20000)},
			database => 'defaults', role => 'other');
		like($made, qr/\A(?:psql:\S+ )?$result/, $secret eq $known ? 'with an old one nobody stops IDs'
			: "a role that holds the locks: $result");
		close_session($holder);
	}
}

# A read-only transaction cannot move the clock, so pg_locks must not show it with the key of the lock. A role that
# knows the key can take the lock and stop all other sessions.
{
	my $loop = IPC::Run::start([ 'psql', '-Xq', '-d', connection_as($node, 'defaults', 'other'),
			'-c', q{BEGIN READ ONLY; DO $$ BEGIN WHILE clock_timestamp() < statement_timestamp() + interval '4 s' LOOP
			BEGIN PERFORM kid_uuidv7(); EXCEPTION WHEN read_only_sql_transaction THEN END; END LOOP; END $$} ],
		'>', \my $out, '2>', \my $err);
	is(sql_in('defaults', q{DO $$ DECLARE seen bigint := 0;
				BEGIN WHILE clock_timestamp() < statement_timestamp() + interval '3 s' LOOP
			seen := seen + (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'); END LOOP;
				PERFORM set_config('test.seen', seen::text, false); END $$;
		SELECT current_setting('test.seen'), kid_uuidv7() < kid_uuidv7()}, role => 'other'), '0|t',
		'in a read-only transaction no key is shown');
	$loop->finish;
	is($err, '', 'which makes no ID');
}

foreach (qw(kid_next kid64_next kid53_next kid_uuidv7))
{
	like(error_of("SELECT kid.$_(-1)", database => 'bare'),
		qr/^22023: number of IDs must not be negative/, "$_(n) takes no negative number");
	is(sql_in('bare', "SELECT count(*) FROM kid.$_(NULL); SELECT count(*) FROM kid.$_(0)"), "0\n0", 'but 0 or NULL');
}

# At the end of their range, generators raise an error, and keep no lock.
foreach ([ kid64 => 'kid_next()', q{kid.kid64_floor('18584-01-10 03:33:19.9999+00')}, 9000 ],
	[ kid_uuidv7 => 'kid_uuidv7()', '4611686018427387904 - 16384', 9000 ],
	[ kid53 => 'kid53_next()', '9007199254740992 - 4096', 1024 ])
{
	my ($clock, $call, $last_unit, $closed) = @$_;
	is(sql_in('bare', "SELECT FROM setval('kid_clocks.${clock}_clock', $last_unit - 9);
			SELECT count(*) FROM (SELECT kid.$call OFFSET 0) AS made;
			SELECT last_value = $last_unit FROM kid_clocks.${clock}_clock"),
		"1\nt", "$call makes an ID in its last unit");
	like(error_of("SELECT setval('kid_clocks.${clock}_clock', $last_unit + $closed); SELECT kid.$call",
			database => 'bare'),
		qr/the range of IDs is used up/, 'then the range is used up');
	is($node->safe_psql('bare', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'}), '0',
		'and no lock is left');
}

# What to create again.
sql(q{CREATE VIEW ordered AS SELECT e.id FROM orders AS o JOIN events AS e ON e.order_id = o.id;
	CREATE INDEX large ON orders (payment) WHERE id > 5;
	CREATE POLICY own ON orders USING (id = 7); ALTER TABLE orders ADD CONSTRAINT known CHECK (id > 7) NOT VALID;
	CREATE FUNCTION item(i kid64) RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT 1 FROM orders WHERE id = i; END});
$node->safe_psql('postgres', q{CREATE DATABASE stored OWNER app; ALTER DATABASE stored SET search_path = public, kid});
$node->safe_psql('stored', 'CREATE SCHEMA kid; GRANT USAGE ON SCHEMA kid TO PUBLIC; CREATE EXTENSION kid SCHEMA kid');
restore_beside_the_extension('stored');
is(join(' ', sort split /\n/, $node->safe_psql('stored', $block{definitions})),
	'constraint of orders|known function|item(kid64) index|large policy on orders|own view|ordered',
	'the query finds them');

# What everybody may call of the functions that both editions have. src/sql/plain/rights.sql lists the others by hand.
my %public = map {
	$_ => {
		map { split /\|/ } split /\n/, $node->safe_psql($_, q{SET search_path = pg_catalog; SELECT p.oid::regprocedure,
			EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a WHERE a.grantee = 0)
			FROM pg_proc AS p WHERE p.pronamespace = 'kid'::regnamespace})
	}
} 'defaults', 'stored';
my @common = sort grep { $public{stored}{$_} } keys %{ $public{defaults} };
cmp_ok(scalar @common, '>', 60, 'the editions have functions in common');
is(join(' ', grep { $public{defaults}{$_} ne $public{stored}{$_} } @common),
	'kid.kid53_at(timestamp with time zone) kid.kid64_at(timestamp with time zone)',
	'everybody may call the same ones, but for two that could make IDs of others repeat');

$node->stop;
done_testing();
