# The hostile owner of kid's schema renames it, and gives its name to a schema with planted code: before a superuser
# calls kid, while the script of kid runs, and while a function of kid waits for a lock. No superuser runs the code.
use strict;
use warnings;
use Dialogue;
use Hostile;
use Sql;
use Test::More;

use_hostile_server();

# The owner of kid's schema renames it, and puts functions of kid's names and arguments into a schema of
# the former name.
sql_in('postgres', 'CREATE ROLE holder LOGIN; CREATE ROLE tenant LOGIN; CREATE DATABASE renamed OWNER holder');
plant('renamed', 'holder', 'home', 'CREATE SCHEMA planted; ' . planted('planted') . "CREATE SCHEMA home;
	CREATE EXTENSION kid SCHEMA home; GRANT USAGE ON SCHEMA home TO PUBLIC; SET search_path = planted, home;
	$tables" . join('', map { "$_;\n" } @traps) . q{
	ALTER SCHEMA home RENAME TO away;
	CREATE SCHEMA home;
	GRANT USAGE ON SCHEMA home TO PUBLIC;
	CREATE TABLE planted.overloads (n int);
	SET search_path = '';
	DO $$
	DECLARE
		f record;
		body text;
		made int := 0;
	BEGIN
		FOR f IN SELECT p.proname AS name, pg_get_function_arguments(p.oid) AS arguments,
			pg_get_function_result(p.oid) AS result
				   FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid JOIN pg_proc p ON p.oid = d.objid
				  WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass
					AND e.extname = 'kid' AND p.prokind = 'f' LOOP
			FOREACH body IN ARRAY '{RETURN NULL,RETURN}'::text[] LOOP
				BEGIN
					EXECUTE format('CREATE FUNCTION home.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.name, f.arguments,
						f.result, format('BEGIN PERFORM planted.note(); %s; END', body));
					made := made + 1;
				EXCEPTION WHEN OTHERS THEN NULL;
				END;
			END LOOP;
		END LOOP;
		INSERT INTO planted.overloads VALUES (made);
	END $$;
});
cmp_ok(sql_in('renamed', 'SELECT n FROM planted.overloads'), '>', 200,
	'the owner of the database made functions with the names of kid');
sql_in('renamed', 'TRUNCATE planted.log');
look_after('renamed', 'holder', 'away', 'public', 'planted, away', 'home, planted');

# While the script of kid waits for a function of the same name, which is not committed, the owner of the schema gives
# its name to a schema with functions like those of kid.
sql_in('postgres', 'CREATE DATABASE raced OWNER holder');
my %called = ('kid64_floor(timestamptz)' => 'bigint',
	(map { ("kid_check_$_(regclass)" =>
				  'TABLE (relation_name regclass, column_name text, problem text, remedy text)') }
		  qw(defaults foreign_keys partitions)),
	'kid_stored_ids(timestamptz, text, regclass)' =>
	  'TABLE (clock text, past text, prefix text, relation regclass, column_name text, id text, issued timestamptz,
		latest timestamptz, later text, later_issued timestamptz, problem text, passing boolean)');
plant('raced', 'holder', 'home', 'CREATE SCHEMA planted; ' . planted('planted')
	  . 'CREATE SCHEMA home; CREATE SCHEMA fake; GRANT USAGE ON SCHEMA home, fake, planted TO PUBLIC;'
	  . join '',
	map { "CREATE FUNCTION fake.$_ RETURNS $called{$_} LANGUAGE plpgsql AS \$\$ BEGIN PERFORM planted.note();
			RETURN" . ($called{$_} =~ /TABLE/ ? '' : ' NULL') . "; END \$\$;\n" } sort keys %called);
my ($creator, $waited_for, $giver) = map { open_session($node, 'raced') } 1 .. 3;
answer($_, 'SET ROLE holder;') foreach $creator, $waited_for, $giver;
answer($waited_for,
	'BEGIN; CREATE FUNCTION home.kid_check_partitions(regclass) RETURNS void LANGUAGE SQL RETURN NULL;');
ask($creator, 'CREATE EXTENSION kid SCHEMA home;');
until_blocked($creator, 'true');
ask($giver, 'BEGIN; ALTER SCHEMA home RENAME TO away; ALTER SCHEMA fake RENAME TO home; COMMIT;');
until_blocked($giver, 'true');
answer($waited_for, 'ROLLBACK;');
is(answer($creator), '', 'raced: CREATE EXTENSION waits for a function, and then succeeds');
unlike(answer($giver), qr/ERROR/, 'raced: the owner then renames the schema');
is(strangers('raced'), '', 'raced: no object of kid depends on a planted object');
new_log();
unlike(output_of(q{SELECT * FROM away.kid_check('pg_class'::regclass)}, database => 'raced', role => $superuser),
	qr/ERROR/, 'raced: functions of kid work');
is(others_who_ran('raced', 'holder'), '', 'raced: they run no planted code');

# The same with kid_workers, whose script takes rights from functions that it names.
answer($waited_for,
	'BEGIN; CREATE FUNCTION away.kid_close_workers(text, bigint, bigint) RETURNS void LANGUAGE SQL RETURN NULL;');
ask($creator, 'CREATE EXTENSION kid_workers SCHEMA away;');
until_blocked($creator, 'true');
ask($giver, 'BEGIN; ALTER SCHEMA away RENAME TO gone; ALTER SCHEMA home RENAME TO away; COMMIT;');
until_blocked($giver, 'true');
answer($waited_for, 'ROLLBACK;');
is(answer($creator), '', 'raced: CREATE EXTENSION kid_workers succeeds');
unlike(answer($giver), qr/ERROR/, 'raced: the owner then renames the schema');
is(sql_in('raced', q{SELECT string_agg(DISTINCT p.pronamespace::regnamespace::text, ' ') FROM pg_depend AS d
	JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid WHERE d.deptype = 'e' AND d.refobjid =
	(SELECT e.oid FROM pg_extension AS e WHERE e.extname = 'kid_workers')}), 'gone kid_workers',
	'raced: all its functions are in one schema, and in its own');
sql_in('raced', 'ALTER SCHEMA away RENAME TO home; ALTER SCHEMA gone RENAME TO away');
close_session($_) foreach $creator, $waited_for, $giver;

# While a function of kid waits for a lock, the owner of kid's schema renames it, and creates what the function is about
# to name in a schema of the former name.
my %former = (
	'creates partitions' => q{CREATE FUNCTION %1$s.compare(%2$s.kid64, %2$s.kid64) RETURNS boolean
		LANGUAGE plpgsql AS $$ BEGIN RETURN planted.note(); END $$;
		CREATE OPERATOR %1$s.>= (LEFTARG = %2$s.kid64, RIGHTARG = %2$s.kid64, FUNCTION = %1$s.compare);
		CREATE OPERATOR %1$s.< (LEFTARG = %2$s.kid64, RIGHTARG = %2$s.kid64, FUNCTION = %1$s.compare);
		CREATE DOMAIN %1$s.kid64 AS %2$s.kid64;},
	'tracks a table' => q{CREATE FUNCTION %1$s.kid_track_enter() RETURNS trigger
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); RETURN NEW; END $$;},
	'checks a table' => join('', map { "CREATE FUNCTION %1\$s.kid64_$_(timestamptz) RETURNS bigint
			LANGUAGE plpgsql AS \$\$ BEGIN PERFORM planted.note(); RETURN NULL; END \$\$;" } qw(ceil floor))
	  . q{CREATE FUNCTION %1$s.kid_timestamp(%2$s.kid64) RETURNS timestamptz
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); RETURN NULL; END $$;
		CREATE FUNCTION %1$s.kid_timestamp(bigint) RETURNS timestamptz
			LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); RETURN NULL; END $$;});
sql_in('raced', q{
	GRANT CREATE ON SCHEMA planted TO tenant;
	CREATE TABLE planted.parent (id away.kid64 NOT NULL) PARTITION BY RANGE (id);
	CREATE TABLE planted.rest PARTITION OF planted.parent DEFAULT;
	INSERT INTO planted.rest VALUES (away.kid64_make('2040-01-01', 1));
	SET ROLE tenant;
	CREATE TABLE planted.tracked (id bigserial PRIMARY KEY, n int);
	CREATE TABLE planted.made (id bigint PRIMARY KEY DEFAULT away.kid_next());
	INSERT INTO planted.made DEFAULT VALUES;
	GRANT ALL ON planted.tracked, planted.made TO holder;
});
my ($home, $number) = ('away', 0);
foreach ([ 'creates partitions', $superuser, 'CREATE TABLE planted.parent_p20300102 ()',
		creation('%s', '2030-01-01', '2030-01-04'), 'SELECT' ],
	[ 'tracks a table', 'tenant', 'LOCK TABLE planted.tracked IN ROW EXCLUSIVE MODE',
		q{SELECT %s.kid_track('planted.tracked'::regclass)}, 'INSERT INTO planted.tracked (n) VALUES (1)' ],
	[ 'checks a table', 'tenant', 'LOCK TABLE planted.made IN SHARE UPDATE EXCLUSIVE MODE',
		q{SELECT * FROM %s.kid_check('planted.made'::regclass)}, 'SELECT' ])
{
	my ($what, $caller, $lock, $call, $use) = @$_;
	my ($before, $after) = ($home, 'away' . ++$number);
	my ($called, $keeps, $renames) = map { open_session($node, 'raced') } 1 .. 3;
	answer($called, "SET ROLE $caller;");
	answer($_, 'SET ROLE holder;') foreach $keeps, $renames;
	answer($keeps, "BEGIN; $lock;");
	new_log();
	ask($called, sprintf "$call;", $before);
	until_blocked($called, 'true');
	ask($renames, "ALTER SCHEMA $before RENAME TO $after; CREATE SCHEMA $before;
		GRANT USAGE ON SCHEMA $before TO PUBLIC; " . sprintf $former{$what}, $before, $after);
	until_blocked($renames, 'true');
	answer($keeps, 'ROLLBACK;');
	my $said = answer($called);
	unlike(answer($renames), qr/ERROR/, "raced: while $caller $what, the owner renames the schema");
	answer($called, "$use;");
	is(others_who_ran('raced', 'holder'), '', "raced: $caller $what, and runs no planted code") or diag $said;
	close_session($_) foreach $called, $keeps, $renames;
	$home = $after;
}

unlike(new_log(), qr/terminated by signal|TRAP:|PANIC:/, 'no server process crashed during the calls of the superuser');

$node->stop;
done_testing();
