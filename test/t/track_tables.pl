# kid_track(): which tables it tracks, and what makes a horizon fail afterwards; who may ask for one; tables that are
# renamed, restored, detached or no longer tracked; IDs that are rejected; and a full lock table. track.pl shows that
# consumers miss no row.
# Versions: the locks and triggers of PostgreSQL
use strict;
use warnings;
use Dialogue;
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Tracked;

use_tracked_server();
my ($writer, $second);
foreach my $name (@databases)
{
	use_edition($name);
	install($name);
	create_tables();
}

# What cannot be tracked, and what makes a horizon fail afterwards, in all editions
foreach my $name (@databases)
{
	use_edition($name);
	sql(q{
		CREATE SEQUENCE cached CACHE 10; CREATE SEQUENCE cycling CYCLE; CREATE SEQUENCE falling INCREMENT -1;
		CREATE TEMP SEQUENCE x; CREATE SEQUENCE s; GRANT SELECT ON SEQUENCE s TO PUBLIC;
		CREATE TABLE r_cached (id bigint PRIMARY KEY DEFAULT nextval('cached'));
		CREATE TABLE r_cycling (id bigint PRIMARY KEY DEFAULT nextval('cycling'));
		CREATE TABLE r_falling (id bigint PRIMARY KEY DEFAULT nextval('falling'));
		CREATE UNLOGGED TABLE r_unlogged (id serial PRIMARY KEY);
		CREATE UNLOGGED SEQUENCE unlogged; CREATE TABLE r_sequence (id bigint PRIMARY KEY DEFAULT nextval('unlogged'));
		CREATE TABLE r_none (id bigint PRIMARY KEY);
		CREATE SEQUENCE private; CREATE TABLE r_private (id bigint PRIMARY KEY DEFAULT nextval('private'));
		ALTER TABLE r_private OWNER TO writer;
		CREATE SEQUENCE semipublic; CREATE TABLE r_semipublic (id bigint PRIMARY KEY DEFAULT nextval('semipublic'));
		ALTER TABLE r_semipublic OWNER TO writer; GRANT USAGE ON SEQUENCE semipublic TO writer;
		CREATE TABLE r_by_name (id bigint PRIMARY KEY DEFAULT nextval('s'::text));
		CREATE TABLE r_expression (id bigint PRIMARY KEY DEFAULT nextval('s') * 2);
		CREATE TABLE r_text (id text PRIMARY KEY DEFAULT nextval('s'));
		CREATE TABLE r_keyless (id bigserial);
		CREATE TABLE r_two (id bigserial, b int, PRIMARY KEY (id, b));
		CREATE TABLE r_inherited (id bigserial PRIMARY KEY); CREATE TABLE child () INHERITS (r_inherited);
		CREATE TABLE r_foreign (id bigserial PRIMARY KEY) PARTITION BY RANGE (id);
		CREATE FOREIGN DATA WRAPPER w; CREATE SERVER w FOREIGN DATA WRAPPER w;
		ALTER TABLE r_foreign DROP CONSTRAINT r_foreign_pkey;
		CREATE FOREIGN TABLE r_table (id bigint DEFAULT nextval('s')) SERVER w;
		CREATE FOREIGN TABLE r_part PARTITION OF r_foreign DEFAULT SERVER w});
	my %wrong = (
		cached => qr/CACHE 10, not 1/, cycling => qr/not ascending/, falling => qr/not ascending/,
		unlogged => qr/does not outlast a crash/, sequence => qr/does not outlast/,
		none => qr/"id" is not the next value/, expression => qr/"id" is not the next value/,
		text => qr/"id" is of type text/, keyless => qr/no primary key of one column/,
		two => qr/no primary key of one column/, private => qr/its owner may not read sequence public[.]private/,
		semipublic => qr/not everybody may read sequence public[.]semipublic/,
		by_name => qr/"id" casts the name of its sequence to text/, inherited => qr/other tables inherit it/);
	delete $wrong{semipublic} if $name eq 'extension';
	$wrong{none} =
	  qr/"id" is not the next value of a sequence; IDs that kid makes need no tracking, see kid_horizon\(\)$/m
	  if $name eq 'extension';
	like(error_of("SELECT kid.kid_track('r_$_')"), qr/^55000: table public[.]r_$_ cannot be tracked: .*$wrong{$_}/,
		"$name: not tracked: $_") foreach sort keys %wrong;
	like(error_of("SELECT kid.kid_track('r_foreign', 'id')"), qr/it has foreign partitions/,
		'nor with foreign partitions');
	like(error_of("SELECT kid.kid_track('r_table', 'id')"), qr/it is no table/, 'nor a foreign table');
	like(error_of("SELECT kid.kid_track('parts1')"), qr/track its parent/, 'nor a partition');
	foreach my $call ('CALL kid.kid_horizon(%s)', 'SELECT kid.kid_track(%s)', 'SELECT kid.kid_untrack(%s)',
		'SELECT kid.kid_track_holders(%s)')
	{
		like(error_of(sprintf $call, '4000000000::oid::regclass'),
			qr/^42P01: relation with OID 4000000000 does not exist$/m,
			sprintf "$call of what does not exist", '');
	}
	like(error_of("SELECT kid.kid_track('r_keyless', 'none')"), qr/no such column/, 'nor another column');
	is(error_of("SELECT kid.kid_track('r_keyless', 'id')"), '', 'a column can be named');

	# What the hint for CACHE says is enough: a session then draws no value that it has cached.
	my $caches = open_session($node, $database);
	answer($caches, 'INSERT INTO r_cached VALUES (DEFAULT);');
	my ($uncache) = error_of(q{SELECT kid.kid_track('r_cached')})
	  =~ /^HINT: +Run (.*), then call kid_track[(][)] again[.]$/m;
	is($uncache, 'ALTER SEQUENCE public.cached CACHE 1', "$name: the hint for CACHE");
	sql("$uncache; SELECT kid.kid_track('r_cached')");
	is(answer($caches, 'INSERT INTO r_cached VALUES (DEFAULT) RETURNING id;'), 11, 'and what it does');
	close_session($caches);

	sql(q{CREATE TABLE t (id bigserial PRIMARY KEY, what text); SELECT kid.kid_track('t')});
	is(sql(q{CALL kid.kid_horizon('t')}), 0, 'the horizon of a table without rows');
	foreach my $change (
		[ 'ALTER TABLE t DISABLE TRIGGER kid_track', 'ALTER TABLE t ENABLE ALWAYS TRIGGER kid_track',
			qr/no trigger of kid_track\(\) that is enabled always\nHINT: +Call kid_track\(\) for the table[.]$/m ],
		[ 'ALTER TABLE t ENABLE TRIGGER kid_track', 'ALTER TABLE t ENABLE ALWAYS TRIGGER kid_track',
			qr/no trigger of kid_track\(\) that is enabled always/ ],
		[ q{ALTER TABLE t ALTER id SET DEFAULT nextval('s')}, q{ALTER TABLE t ALTER id SET DEFAULT nextval('t_id_seq')},
			qr/drew from another sequence/ ],
		[ 'ALTER TABLE t ALTER id DROP DEFAULT', q{ALTER TABLE t ALTER id SET DEFAULT nextval('t_id_seq')},
			qr/"id" is not the next value/ ],
		[ 'ALTER SEQUENCE t_id_seq CACHE 5', 'ALTER SEQUENCE t_id_seq CACHE 1',
			qr/CACHE 5, not 1\nHINT: +Run ALTER SEQUENCE public[.]t_id_seq CACHE 1[.]$/m ],
		[ 'ALTER SEQUENCE t_id_seq CYCLE', 'ALTER SEQUENCE t_id_seq NO CYCLE',
			qr/not ascending.*\nHINT: +Undo what was changed after kid_track\(\) was called for the table[.]$/m ],
		($name eq 'extension' ? () : [ 'REVOKE SELECT ON SEQUENCE t_id_seq FROM PUBLIC',
				'GRANT SELECT ON SEQUENCE t_id_seq TO PUBLIC', qr/not everybody may read sequence public[.]t_id_seq/ ]),
		[ 'CREATE TABLE heir () INHERITS (t)', 'DROP TABLE heir', qr/other tables inherit it/ ],
		[ 'ALTER TABLE t SET UNLOGGED', 'ALTER TABLE t SET LOGGED', qr/does not outlast a crash/ ])
	{
		my ($do, $undo, $message) = @$change;
		sql($do);
		like(error_of(q{CALL kid.kid_horizon('t')}), qr/^55000: table public[.]t is not tracked: .*$message/,
			"$name: no horizon after $do");
		like(error_of(q{INSERT INTO t (id) VALUES (DEFAULT) ON CONFLICT DO NOTHING}), qr/^$|null value/,
			'while writers go on');
		sql($undo);
		is(error_of(q{CALL kid.kid_horizon('t')}), '', "but after $undo");
	}
	like(error_of(q{BEGIN ISOLATION LEVEL REPEATABLE READ; CALL kid.kid_horizon('t')}),
		qr/can only be read at READ COMMITTED/, 'nor in REPEATABLE READ');
	like(error_of(q{SELECT * FROM t WHERE id < kid.kid_horizon('t')}), qr/is a procedure/, 'nor in the query itself');

	# Renamed, dumped and restored
	sql(q{CREATE SCHEMA moved; ALTER TABLE t RENAME TO "A t"; ALTER SEQUENCE t_id_seq RENAME TO "The 's'";
		ALTER TABLE "A t" RENAME id TO "An id"; ALTER TABLE "A t" SET SCHEMA moved});
	my $row = q{BEGIN; INSERT INTO moved."A t" (what) VALUES ('a') RETURNING "An id";
		CALL kid.kid_horizon('moved."A t"'); COMMIT; CALL kid.kid_horizon('moved."A t"')};
	my @ids = split /\n/, sql($row);
	is_deeply([ @ids[ 1, 2 ] ], [ $ids[0], $ids[0] + 1 ], 'a table can be renamed, and its column and sequence');
	$node->safe_psql('postgres', "CREATE DATABASE restored_$name");
	$node->command_ok([ 'pg_dump', '-f', "$folder/$name.sql", '-n', 'moved', $node->connstr($name) ], 'pg_dump');
	use_edition("restored_$name");
	install($name);
	$node->command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database),
			'-f', "$folder/$name.sql" ], 'a restore');
	# The sequence has another OID now. A function of others that fits integers and untyped NULLs better does not run.
	sql(q{CREATE FUNCTION kid.kid_track_source(integer, text, OUT attname name, OUT seq oid, OUT shift integer)
		LANGUAGE plpgsql AS $$ BEGIN RAISE 'code of others'; END $$});
	@ids = split /\n/, sql($row);
	is_deeply([ @ids[ 1, 2 ] ], [ $ids[0], $ids[0] + 1 ], 'which has a horizon');
	is((split /\n/, sql("SET quote_all_identifiers = on; $row"))[-1], $ids[0] + 2, 'whatever the settings are');
	use_edition($name);

	# IDs that were drawn before
	sql(q{ALTER TABLE moved."A t" SET SCHEMA public; ALTER TABLE "A t" RENAME TO t; ALTER TABLE t RENAME "An id" TO id;
		SELECT kid.kid_track('t', reject => true), kid.kid_track('parts', reject => true)});
	my $early = sql(q{SELECT nextval(pg_get_serial_sequence('t', 'id'))});
	my $rejected = qr/^23514: ID \d+ was not made in this transaction/;
	my ($empty) = error_of("INSERT INTO t VALUES ($early)")
	  =~ /^HINT: .*If the transaction takes the ID from the sequence first, begin it with (.*)[.]$/m;
	is($empty, 'INSERT INTO t SELECT FROM t WHERE false', "$name: the hint for an early ID");
	is(error_of(qq{BEGIN; $empty; SELECT nextval(pg_get_serial_sequence('t', 'id')) AS id \\gset
		INSERT INTO t VALUES (:id); ROLLBACK}), '', 'and what it does');
	like(error_of('INSERT INTO parts1 VALUES (1)'), qr/begin it with INSERT INTO parts SELECT FROM parts WHERE false/,
		'it names the table that is tracked');
	# In plain SQL the lock ends with its subtransaction.
	my $lockless = $name eq 'extension' ? qr/^$/ : $rejected;
	like(error_of("INSERT INTO t VALUES ($early)"), $rejected, "$name: an early ID is rejected");
	like(error_of("INSERT INTO t VALUES (DEFAULT, 'a'); INSERT INTO t VALUES ($early)"), $rejected, 'also after a row');
	is(error_of(q{BEGIN; INSERT INTO t (what) VALUES ('a');
			INSERT INTO t SELECT nextval(pg_get_serial_sequence('t', 'id')); COMMIT}), '',
		'not one of the transaction');
	like(error_of(q{BEGIN; SAVEPOINT a; INSERT INTO t (what) VALUES ('a'); ROLLBACK TO a;
			SELECT nextval(pg_get_serial_sequence('t', 'id')) AS id \gset
		INSERT INTO t VALUES (:id); COMMIT}), $lockless, 'but one that was drawn without the lock');
	like(error_of(q{BEGIN; SAVEPOINT a; INSERT INTO t (what) VALUES ('a') RETURNING id \gset
		ROLLBACK TO a; INSERT INTO t VALUES (:id); COMMIT}), $lockless, 'and one that is used again without it');
	is(error_of(q{BEGIN; SAVEPOINT a; ALTER SEQUENCE "The 's'" RESTART 1000000; SELECT nextval('"The ''s''"');
		INSERT INTO t (what) VALUES ('a'); ROLLBACK TO a; INSERT INTO t (what) VALUES ('b'); COMMIT}), '',
		'nor one after a restart that was rolled back');
	is(error_of(q{UPDATE t SET id = id, what = 'b'}), '', 'an update may write the same ID');
	like(error_of('UPDATE t SET id = 0'), $rejected, 'but no other');
	is(error_of(q{INSERT INTO parts (what)
			VALUES ('a'), ('b'), ('c'), ('d'), ('e'), ('f'), ('g'), ('h'), ('i'), ('j')}),
		'', 'a row of a parent is not rejected');
	like(error_of(q{INSERT INTO parts1 SELECT id, 'a' FROM parts1 LIMIT 1}), $rejected, 'one of its partition is');
	like(error_of(q{BEGIN; SAVEPOINT a; INSERT INTO parts (what) VALUES ('a'); ROLLBACK TO a;
			SELECT nextval(pg_get_serial_sequence('parts', 'id')) AS id \gset
		INSERT INTO parts1 VALUES (:id)}), $lockless, 'also without the lock of its parent');
	my ($reads, $detaches) = map { open_session($node, $database) } 1 .. 2;
	answer($reads, 'BEGIN; SELECT FROM parts;');
	ask($detaches, 'ALTER TABLE parts DETACH PARTITION parts1 CONCURRENTLY;');
	wait_for_state($detaches, q{wait_event_type = 'Lock'});
	like(error_of('INSERT INTO parts1 VALUES (1)'), $rejected, 'nor one of a partition that is being detached');
	answer($reads, 'COMMIT;');
	answer($detaches);
	close_session($_) foreach $reads, $detaches;
	sql(q{CREATE TABLE optional (n int, id bigserial); ALTER TABLE optional ALTER id DROP NOT NULL;
		INSERT INTO optional VALUES (1, NULL); SELECT kid.kid_track('optional', 'id', reject => true)});
	is(error_of('UPDATE optional SET id = NULL, n = 2'), '', 'an update may leave a NULL');
	like(error_of('INSERT INTO optional VALUES (1, NULL)'), qr/^23514: ID NULL was not made/,
		'an insert may not make one');
	like(error_of('INSERT INTO optional VALUES (3); UPDATE optional SET id = NULL WHERE n = 3'),
		qr/^23514: ID NULL was not made/, 'nor an update');
	is(error_of(q{CREATE TABLE later (id bigserial PRIMARY KEY, what text); SELECT kid.kid_track('later'); BEGIN;
			INSERT INTO later (what) VALUES ('a'); SELECT kid.kid_track('later', reject => true);
		INSERT INTO later (what) VALUES ('b'); COMMIT}), '', 'rows can be rejected from any statement on');
	like(error_of(q{BEGIN; SELECT kid.kid_track('later'); INSERT INTO later (what) VALUES ('a');
			SELECT nextval('later_id_seq') AS id \gset
		SELECT kid.kid_track('later', reject => true); INSERT INTO later VALUES (:id)}), $rejected,
		'whose ID is from before');

	# An ID above the last value is accepted: its lock keeps the horizon below it, so that nothing is missed.
	sql(q{CREATE TABLE above (id bigserial PRIMARY KEY); SELECT kid.kid_track('above', reject => true);
		INSERT INTO above VALUES (7); SELECT setval('above_id_seq', 7)});
	my $by_hand = open_session($node, $database);
	answer($by_hand, 'BEGIN; INSERT INTO above VALUES (10);');
	sql('INSERT INTO above DEFAULT VALUES; INSERT INTO above DEFAULT VALUES');
	is(sql(q{CALL kid.kid_horizon('above')}), 8, "$name: an ID above the last value holds the horizon back");
	answer($by_hand, 'COMMIT;');
	is(sql(q{CALL kid.kid_horizon('above')}), 10, 'and is not below it when its transaction ends');
	close_session($by_hand);
	like(error_of('INSERT INTO above VALUES (9)'), $rejected, 'the last value itself is rejected');

	sql(q{SELECT kid.kid_untrack('t')});
	is(sql(q{SELECT count(*) FROM pg_trigger WHERE tgrelid = 't'::regclass}), 0, 'kid_untrack() leaves no trigger');
	like(error_of(q{CALL kid.kid_horizon('t')}), qr/is not tracked/, 'and no horizon');

	# While kid_untrack() waits for a writer, another schema gets the name of the table's.
	sql(join '', map { "CREATE SCHEMA $_; CREATE TABLE $_.given (id bigserial PRIMARY KEY);
			SELECT kid.kid_track('$_.given', reject => true);" } qw(true_home false_home));
	my ($writes, $untracks) = map { open_session($node, $database) } 1 .. 2;
	answer($writes, 'BEGIN; INSERT INTO true_home.given DEFAULT VALUES;');
	ask($untracks, q{SELECT kid.kid_untrack('true_home.given');});
	wait_for_state($untracks, q{wait_event_type = 'Lock'});
	sql('ALTER SCHEMA true_home RENAME TO away; ALTER SCHEMA false_home RENAME TO true_home');
	answer($writes, 'COMMIT;');
	like(answer($untracks), qr/ERROR:  55000: table away[.]given was renamed while/,
		"$name: kid_untrack() of a table whose schema is renamed meanwhile is an error");
	is(sql(q{SELECT count(*) FROM pg_trigger WHERE tgname LIKE '%kid_track'
			AND tgrelid IN ('away.given'::regclass, 'true_home.given'::regclass)}), 4,
		'and leaves all triggers');
	sql(q{SELECT kid.kid_untrack('away.given'), kid.kid_untrack('true_home.given')});
	close_session($_) foreach $writes, $untracks;

	# A sequence that is set back, and gets where it was when the session asked before
	my @sessions = map { open_session($node, $database) } 1 .. 2;
	foreach my $back ('', ' RESTART IDENTITY')
	{
		answer($sessions[0], q{INSERT INTO serial (what) VALUES ('a'), ('b'), ('c'); CALL kid.kid_horizon('serial');});
		my $before = sql('SELECT last_value FROM serial_id_seq');
		answer($sessions[0], "TRUNCATE serial$back; SELECT setval('serial_id_seq', $before - 2);");
		answer($sessions[1], q{BEGIN; INSERT INTO serial (what) VALUES ('open');});
		answer($sessions[0], q{INSERT INTO serial (what) VALUES ('a');});
		is(answer($sessions[0], q{CALL kid.kid_horizon('serial');}), $before - 1,
			"$name: after TRUNCATE$back an open transaction holds the horizon back");
		answer($sessions[1], 'ROLLBACK;');
	}
	close_session($_) foreach @sessions;

	# Who holds it back: a transaction, a prepared one, and another role by a lock; one that holds locks
	# exclusively does not.
	my @holders = map { open_session($node, $database) } 1 .. 3;
	my ($table, $last) = split /\|/, sql(q{SELECT 'serial'::regclass::oid::bigint, last_value FROM serial_id_seq});
	answer($holders[0], q{SET application_name = 'shop'; BEGIN; INSERT INTO serial (what) VALUES ('a');});
	answer($holders[1], q{BEGIN; INSERT INTO serial (what) VALUES ('a'); PREPARE TRANSACTION 'holder';});
	is(sql(q{SELECT horizon - } . $last
			  . q{, pid, gid, application_name FROM kid.kid_track_holders('serial') ORDER BY 1}),
		"1|$holders[0]{pid}||shop\n2||holder|", "$name: holders are listed");
	my $key = sub { return "($table\::bigint & 8388607) << 40 | $_[0]" };
	answer($holders[2], 'SELECT pg_advisory_lock(' . $key->($_) . ');') foreach $last + 2 .. $last + 10;
	answer($holders[0],
		q{INSERT INTO serial (what) VALUES ('b'); COMMIT; BEGIN; INSERT INTO serial (what) VALUES ('c');});
	is(sql(q{SELECT count(*) FROM kid.kid_track_holders('serial') WHERE horizon BETWEEN } . ($last - 10) . ' AND '
			  . ($last + 2)), 2, 'the lock of a lower floor is taken if others hold that of the true one');
	answer($holders[0], 'COMMIT;');
	sql(q{COMMIT PREPARED 'holder'});
	is(sql(q{CALL kid.kid_horizon('serial')}) - $last, 5, 'and given up');
	is(sql(q{SELECT count(*) FROM kid.kid_track_holders('serial')}), 0, 'nobody is left');
	# A search that goes one by one would try 5000 times.
	$last = sql('SELECT last_value FROM serial_id_seq');
	answer($holders[2], "SELECT pg_advisory_unlock_all();
		SELECT count(pg_advisory_lock(($table\::bigint & 8388607) << 40 | (i & (1::bigint << 40) - 1)))
			FROM generate_series($last - 5000, $last) AS i;");
	cmp_ok(sql(q{BEGIN; INSERT INTO serial (what) VALUES ('a');
			SELECT min(horizon) FROM kid.kid_track_holders('serial')}), '<', $last - 5000,
		'however many there are, a few tries are enough');
	close_session($_) foreach @holders;

	# What every role may read
	my $is_public = sub { return sql("SELECT has_sequence_privilege('public', '$_[0]', 'SELECT')") };
	my $grants = $name eq 'extension' ? 'f' : 't';
	sql('CREATE TABLE late_granted (id bigserial PRIMARY KEY)');
	my ($notice) = output_of(q{SELECT kid.kid_track('late_granted')}) =~ /NOTICE:  \w{5}: (.*)/;
	is($notice // '', $grants eq 't' ? 'every role may now read sequence public.late_granted_id_seq' : '',
		"$name: a grant is announced");
	is($is_public->('late_granted_id_seq'), $grants, 'or not needed');
	sql(q{SELECT kid.kid_track('late_granted', reject => true), kid.kid_untrack('late_granted')});
	is($is_public->('late_granted_id_seq'), 'f', 'kid_untrack() takes it back');
	sql(q{GRANT SELECT ON SEQUENCE late_granted_id_seq TO PUBLIC; SELECT kid.kid_track('late_granted');
		CREATE TABLE bait (id bigint DEFAULT nextval('late_granted_id_seq')); ALTER TABLE bait OWNER TO writer;
		CREATE TRIGGER kid_track BEFORE INSERT OR UPDATE OF id ON bait
			FOR EACH STATEMENT EXECUTE FUNCTION kid.kid_track_enter(0, 0, 0, t);
		SELECT kid.kid_track('late_granted'), kid.kid_untrack('late_granted')});
	is($is_public->('late_granted_id_seq'), 't', 'but no right from before, whatever triggers of others say');
	sql(q{SELECT kid.kid_untrack('bait')});
	is($is_public->('late_granted_id_seq'), 't', 'not even when their table is untracked');
	sql(q{DROP TABLE bait; SELECT kid.kid_untrack('shared1')});
	is($is_public->('shared'), $grants, 'nor the right to what another table draws from');
	is(error_of(q{CALL kid.kid_horizon('shared2')}), '', 'which has its horizon');
	sql(q{SELECT kid.kid_untrack('shared2')});
	is($is_public->('shared'), 'f', 'until nothing draws from it');
	sql(q{SELECT kid.kid_track('shared1'), kid.kid_track('shared2')});
	sql('CREATE ROLE stranger') if $name eq 'extension';
	like(error_of(q{SET ROLE stranger; CALL kid.kid_horizon('identity')}),
		qr/^42501: permission denied for table public[.]identity/, 'who may not read a table has no horizon');
	like(error_of(q{SET ROLE stranger; SELECT * FROM kid.kid_track_holders('identity')}),
		qr/^42501: permission denied for table public[.]identity/, 'and no list of transactions');
	is(sql(q{SET ROLE stranger; SELECT kid.kid_track_last('identity'::regclass, 'id', 0)}), '',
		'nor the last value of its sequence') if $name eq 'extension';
	is(sql(q{CREATE TABLE untracked (id bigserial, n int); INSERT INTO untracked (n) VALUES (1);
			GRANT SELECT (n) ON untracked TO stranger;
		SET ROLE stranger; SELECT kid.kid_track_last('untracked'::regclass, 'id', 'untracked_id_seq'::regclass)}), '',
		'and nobody has that of a table that is not tracked');
	is(sql(q{GRANT TRIGGER ON untracked TO stranger; SET ROLE stranger;
		CREATE TRIGGER kid_track BEFORE UPDATE OF id ON untracked FOR EACH ROW
			EXECUTE FUNCTION suppress_redundant_updates_trigger();
		SELECT kid.kid_track_last('untracked'::regclass, 'id', 'untracked_id_seq'::regclass)}), '',
		'also if a role creates a trigger of the same name');

	# A setting that a caller sets
	my ($caller, $late) = map { open_session($node, $database) } 1 .. 2;
	answer($late, q{BEGIN; INSERT INTO identity (what) VALUES ('open');});
	my $held = sql(q{CALL kid.kid_horizon('identity')});
	answer($second = open_session($node, $database), q{INSERT INTO identity (what) VALUES ('second');});
	is(answer($caller, q{SELECT FROM set_config('kid_track.h' || 'identity'::regclass::oid,
			(SELECT concat(last_value, ' ', pg_current_snapshot()) FROM identity_id_seq), false);
		CALL kid.kid_horizon('identity');}) =~ s/^\n//r, $held, 'no setting moves a horizon');
	close_session($_) foreach $caller, $late, $second;

	# A role with nothing but the right to insert and to read
	is(sql(q{SET ROLE writer; INSERT INTO identity (what) VALUES ('a');
			CALL kid.kid_horizon('identity')}) > 0, 1, 'writers need no other right');
	like(error_of(q{SET ROLE writer; SELECT kid.kid_track('identity')}), qr/must be owner|permission denied/,
		'but only the owner tracks');
	if ($name eq 'modules')
	{
		sql(q{CREATE SCHEMA AUTHORIZATION writer});
		foreach my $clock (
			[ 'bigint', 'kid.kid_next()', 'kid_horizon', 'id + 1' ],
			[ 'bigint', 'kid.kid53_next()', 'kid_horizon', 'id + 1' ],
			[ 'uuid', 'kid.kid_uuidv7()', 'kid_uuidv7_horizon',
				'kid.kid_uuidv7_of(kid.kid_uuidv7_state_of(id) + 1, 0)' ])
		{
			my ($type, $next, $horizon, $after) = @$clock;
			is(sql(qq{SET ROLE writer; CREATE TABLE writer.own (id $type PRIMARY KEY DEFAULT $next);
					SELECT kid.kid_track('writer.own', reject => true); INSERT INTO writer.own DEFAULT VALUES;
				CALL kid.$horizon('writer.own'); SELECT $after FROM writer.own;
				DROP TABLE writer.own}) =~ /^\n?(\S+)\n\1\z/, 1,
				"the owner of a table needs no right to the clock of $next");
		}
		sql(q{CREATE TABLE mixed (id uuid PRIMARY KEY DEFAULT kid.kid_uuidv7(), n int);
			INSERT INTO mixed VALUES (gen_random_uuid(), 1); SELECT kid.kid_track('mixed', reject => true)});
		is(error_of('UPDATE mixed SET id = id'), '', 'an update may leave a uuid of another version');
		like(error_of('INSERT INTO mixed VALUES (gen_random_uuid())'), qr/^23514: ID \S+ was not made in this/,
			'an insert may not make one');
		like(error_of(q{SET ROLE writer; SELECT last_value FROM kid_clocks.kid64_clock}),
			qr/permission denied for schema/, 'and cannot name it');
	}
}

# A transaction whose snapshot is older than the trigger, as while a dump is restored: the trigger has no OID of a
# sequence, and the snapshot sees neither the table nor its default.
foreach my $name (@databases)
{
	use_edition($name);
	($writer, $second) = map { open_session($node, $database) } 1 .. 2;
	foreach my $level ('REPEATABLE READ', 'SERIALIZABLE')
	{
		answer($writer, "BEGIN ISOLATION LEVEL $level; SELECT 1;");
		sql(q{DROP TABLE IF EXISTS younger; CREATE TABLE younger (id bigserial PRIMARY KEY, what text);
			SELECT setval('younger_id_seq', 1 << 30);
			CREATE TRIGGER kid_track BEFORE INSERT OR UPDATE OF id ON younger FOR EACH STATEMENT
				EXECUTE FUNCTION kid.kid_track_enter(0, 0, 0); ALTER TABLE younger ENABLE ALWAYS TRIGGER kid_track;
			GRANT SELECT ON SEQUENCE younger_id_seq TO PUBLIC});
		my $answer = answer($writer, q{INSERT INTO younger (what) VALUES ('first') RETURNING id - (1 << 30);});
		sql(q{INSERT INTO younger (what) VALUES ('second')});
		if ($name eq 'extension')
		{
			is($answer, 1, "$name: $level: a transaction may be older than the trigger");
			is(sql(q{CALL kid.kid_horizon('younger')}) - 2**30, 1, 'and holds the horizon back');
		}
		else
		{
			like($answer, qr/ERROR:  40001: .* was tracked after this transaction began\nHINT:/,
				"$name: $level: a transaction that is older than the trigger has to be tried again");
		}
		answer($writer, 'COMMIT;');
		is(sql(q{CALL kid.kid_horizon('younger')}) - 2**30, $name eq 'extension' ? 3 : 2, 'until it ends');
		sql('CREATE TABLE keyless (id bigint); CREATE TRIGGER kid_track BEFORE INSERT OR UPDATE OF id ON keyless
				FOR EACH STATEMENT EXECUTE FUNCTION kid.kid_track_enter()');
		answer($writer, "BEGIN ISOLATION LEVEL $level; SELECT 1;");
		sql('DROP TABLE keyless; CREATE TABLE keyless (id bigint);
			CREATE TRIGGER kid_track BEFORE INSERT OR UPDATE OF id ON keyless FOR EACH STATEMENT
				EXECUTE FUNCTION kid.kid_track_enter()');
		like(answer($writer, 'INSERT INTO keyless VALUES (1);'), qr/^(|.*ERROR:  40001: .*)$/m,
			'also one that draws from no sequence');
		answer($writer, 'ROLLBACK;');
		sql('DROP TABLE keyless');
	}
	close_session($_) foreach $writer, $second;
}

# An extension that is elsewhere does not take a schema kid of others for that of the edition in plain SQL.
use_edition('elsewhere');
$node->safe_psql('postgres', "CREATE DATABASE $database");
sql(q{CREATE EXTENSION kid; CREATE SCHEMA kid; CREATE SCHEMA kid_clocks; CREATE SEQUENCE kid_clocks.kid64_clock;
	CREATE FUNCTION kid.kid_next() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
	CREATE FUNCTION kid.kid_track_clock(oid) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
	CREATE TABLE bait (id bigint PRIMARY KEY DEFAULT kid.kid_next())});
like(error_of(q{SELECT kid_track('bait')}), qr/"id" is not the next value/, 'a clock of others is not tracked');

# A full lock table: writers fail, and nothing is missed. kid_track() waits for writers that have begun.
use_edition('extension');
sql(q{REVOKE USAGE ON SCHEMA kid FROM PUBLIC; DO $$BEGIN EXECUTE
		format('CREATE OR REPLACE TRIGGER kid_track BEFORE INSERT OR UPDATE OF id ON identity FOR EACH STATEMENT
	EXECUTE FUNCTION kid.kid_track_enter(%s, %s)', 'identity'::regclass::oid, 'pg_class'::regclass::oid); END$$});
is(error_of(q{SET ROLE writer; INSERT INTO identity (what) VALUES ('a')}), '',
	'after a restore writers need no right to the schema of kid, whatever has the OID of the sequence');
sql(q{GRANT USAGE ON SCHEMA kid TO PUBLIC; SELECT kid.kid_track('identity')});
my $many = open_session($node, $database);
answer($many, 'BEGIN; SELECT count(pg_try_advisory_xact_lock(i)) FROM generate_series(1, 1000000) AS i;')
  =~ /out of shared memory/ or die 'no full lock table';
answer($many, 'ROLLBACK; SELECT count(pg_advisory_lock(7, 7)); ROLLBACK;');
answer($many,
	q{DO $$BEGIN FOR i IN 1..1000000 LOOP PERFORM pg_advisory_lock(i); END LOOP; EXCEPTION WHEN OTHERS THEN END$$;});
error_of(q{INSERT INTO identity (what) SELECT 'full' FROM generate_series(1, 3)});
# The server process may still have its locks when psql has ended.
answer($many, 'SELECT pg_advisory_unlock_all();');
close_session($many);
like(sql(q{SELECT count(*) FROM identity WHERE what = 'full'}), qr/^[03]$/,
	'with a full lock table a row is inserted or an error');
is(error_of(q{CALL kid.kid_horizon('identity')}), '', 'leaves nothing behind');

my $open = open_session($node, $database);
my $tracks = open_session($node, $database);
sql('CREATE TABLE late (id bigserial PRIMARY KEY, what text)');
answer($open, q{BEGIN; INSERT INTO late (what) VALUES ('before');});
ask($tracks, q{SET lock_timeout = '10ms'; SELECT kid.kid_track('late');});
like(answer($tracks), qr/lock timeout/, 'kid_track() waits for writers, up to lock_timeout');
my ($loop) = slurp_file('docs/guides/consumers.md') =~ /^(until psql .*?done)$/ms or die 'no loop on the page';
my $psql = "PGOPTIONS='-c search_path=public,kid' psql -XAtq -d '" . $node->connstr($database) . q{'};
$loop = $loop =~ s/psql/$psql/r =~ s/events/late/r =~ s/2s/10ms/r =~ s/sleep 10/sleep 0.1/r;
my $repeats = IPC::Run::start([ 'sh', '-c', $loop ], '>&', \my $tries,
	IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
$repeats->pump until $tries =~ /lock timeout.*lock timeout/s;
ask($tracks, q{SET lock_timeout = 0; SELECT kid.kid_track('late');});
wait_for_state($tracks, q{wait_event_type = 'Lock'});
answer($open, 'COMMIT;');
answer($tracks);
ok($repeats->finish, 'which the loop on the page repeats until it succeeds');
is(sql(q{CALL kid.kid_horizon('late')}), 2, 'and a consumer that begins then has a horizon');
close_session($_) foreach $open, $tracks;

done_testing();
