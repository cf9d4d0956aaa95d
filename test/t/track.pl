# kid_track(): consumers that read a table up to kid_horizon(table) miss no row, whichever statement inserts it, and
# each change to the functions that would make them miss one is found here. The one exception is in plain SQL: a row is
# missed whose ID was drawn in a savepoint that was rolled back. Each case is played in a fixed order, in both editions:
# test/t/track_stress.pl leaves the order to chance.
# Versions: the locks and triggers of PostgreSQL
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Tracked;

use_tracked_server();
append_to_file("$folder/rows", "copied\n");

# What each writer does before it ends its transaction: a name, a table, and statements that insert a row.
my @writers = (
	[ 'a row', 'identity', q{INSERT INTO identity (what) VALUES ('a')} ],
	[ 'rows of a query', 'identity', q{INSERT INTO identity (what) SELECT generate_series(1, 3)} ],
	[ 'a row of a serial', 'serial', q{INSERT INTO serial (what) VALUES ('a')} ],
	[ 'a row of a shared sequence', 'shared1', q{INSERT INTO shared1 (what) VALUES ('a')} ],
	[ 'a row of a partitioned table', 'parts', q{INSERT INTO parts (what) VALUES ('a'), ('b'), ('c')} ],
	[ 'a row of a former serial', 'former', q{INSERT INTO former (what) VALUES ('a')} ],
	[ 'a row with a kid64', 'k', q{INSERT INTO k (what) VALUES ('a')} ],
	[ 'a row with a uuid', 'u', q{INSERT INTO u (what) VALUES ('a')} ],
	[ 'COPY', 'identity', "COPY identity (what) FROM '$folder/rows'" ],
	[ 'a CTE', 'identity',
		q{WITH x AS (INSERT INTO identity (what) VALUES ('a') RETURNING id) SELECT count(*) FROM x} ],
	[ 'MERGE', 'identity', q{MERGE INTO identity USING (SELECT 1) AS x ON false WHEN NOT MATCHED THEN INSERT (what)
		VALUES ('merged')} ],
	[ 'ON CONFLICT DO NOTHING', 'identity',
		q{INSERT INTO identity (what, n) VALUES ('a', 1), ('b', NULL) ON CONFLICT DO NOTHING} ],
	[ 'ON CONFLICT DO UPDATE', 'identity',
		q{INSERT INTO identity (what, n) VALUES ('a', 1), ('b', NULL) ON CONFLICT (n) DO UPDATE SET what = 'u'} ],
	[ 'an update of the ID', 'identity', q{INSERT INTO identity (what) VALUES ('a'); SAVEPOINT a; ROLLBACK TO a;
		UPDATE identity SET id = DEFAULT WHERE n = 1} ],
	[ 'an update alone', 'identity', q{UPDATE identity SET id = DEFAULT WHERE n = 1} ],
	[ 'a view', 'identity', q{INSERT INTO a_view VALUES ('view')} ],
	[ 'a rule', 'identity', q{INSERT INTO a_rule VALUES ('rule')} ],
	[ 'a function', 'identity', 'SELECT write()' ],
	[ 'a trigger of another table', 'identity', q{INSERT INTO other VALUES (1, 'a')} ],
	[ 'an exception', 'identity', q{DO $$BEGIN INSERT INTO identity (what) VALUES ('never'); PERFORM 1 / 0;
			EXCEPTION WHEN division_by_zero THEN INSERT INTO identity (what) VALUES ('handled'); END$$} ],
	[ 'a statement that waits after its first ID', 'identity',
		q{INSERT INTO identity (what) VALUES (pg_advisory_xact_lock_shared(1, 1)::text)} ],
	[ 'a procedure that commits', 'identity', 'COMMIT; CALL write_on()', undef, 'SELECT 1' ],
	[ 'a savepoint', 'identity', q{SAVEPOINT a; INSERT INTO identity (what) VALUES ('a'); RELEASE a} ],
	[ 'a savepoint that is rolled back', 'identity', q{SAVEPOINT a; INSERT INTO identity (what) VALUES ('a');
		ROLLBACK TO a; INSERT INTO identity (what) VALUES ('b')} ],
	[ 'a savepoint that is rolled back after an insert', 'identity', q{INSERT INTO identity (what) VALUES ('a');
		SAVEPOINT a; INSERT INTO identity (what) VALUES ('b'); ROLLBACK TO a} ],
	[ 'an ID that is used again', 'serial', q{SAVEPOINT a; INSERT INTO serial (what) VALUES ('a') RETURNING id \gset
		ROLLBACK TO a}, q{INSERT INTO serial VALUES (:id, 'a')} ],
	[ 'an ID that is used again after a row', 'serial', q{INSERT INTO serial (what) SELECT 'a' WHERE false; SAVEPOINT a;
		INSERT INTO serial (what) VALUES ('a') RETURNING id \gset
		ROLLBACK TO a}, q{INSERT INTO serial VALUES (:id, 'a')} ],
	[ 'a restart that is rolled back', 'serial', q{SAVEPOINT a; ALTER SEQUENCE serial_id_seq RESTART 1000000;
		SELECT nextval('serial_id_seq'); INSERT INTO serial (what) VALUES ('a'); ROLLBACK TO a;
		INSERT INTO serial (what) VALUES ('b')} ],
	[ 'an ID drawn after the first row', 'serial',
		q{INSERT INTO serial (what) VALUES ('a'); SELECT nextval('serial_id_seq') AS id \gset
		INSERT INTO serial VALUES (:id, 'drawn')} ],
	[ 'two tables', 'identity', q{INSERT INTO serial (what) VALUES ('a'); INSERT INTO identity (what) VALUES ('a')} ],
	[ 'a prepared statement', 'identity',
		q{PREPARE p AS INSERT INTO identity (what) VALUES ($1); EXECUTE p ('a'); DEALLOCATE p} ],
	[ 'a replica', 'identity',
		q{SET LOCAL session_replication_role = replica; INSERT INTO identity (what) VALUES ('a')} ],
	[ 'SERIALIZABLE', 'identity',
		q{SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; INSERT INTO identity (what) VALUES ('a')} ],
	[ 'another role', 'identity', q{SET LOCAL ROLE writer; INSERT INTO identity (what) VALUES ('a'); RESET ROLE} ],
	[ 'settings that are reset', 'identity',
		q{INSERT INTO identity (what) VALUES ('a'); RESET ALL; INSERT INTO identity (what) VALUES ('b')} ],
	[ 'a setting by hand', 'identity',
		q{SELECT set_config('kid_track.f' || 'identity'::regclass::oid, '1000000', true), pg_current_xact_id();
		INSERT INTO identity (what) VALUES ('a')} ],
	# Its key would be that of a floor above the sequence.
	[ 'a setting by hand that is low', 'identity', q{SELECT set_config('kid_track.f' || 'identity'::regclass::oid,
		(last_value + 5 - (1::bigint << 40))::text, true), pg_current_xact_id() FROM identity_id_seq;
		INSERT INTO identity (what) VALUES ('a')} ],
	[ 'a transaction that is prepared', 'identity', q{INSERT INTO identity (what) VALUES ('a')},
		q{PREPARE TRANSACTION 'w'}, q{COMMIT PREPARED 'w'} ],
	[ 'a transaction that is prepared in vain', 'identity', q{INSERT INTO identity (what) VALUES ('a')},
		q{PREPARE TRANSACTION 'w'}, q{ROLLBACK PREPARED 'w'} ],
	[ 'a transaction that is rolled back', 'identity', q{INSERT INTO identity (what) VALUES ('a')}, 'SELECT 1',
		'ROLLBACK' ]);

my %column = (shared1 => 'pos', shared2 => 'pos');
my ($writer, $second, $consumer);
my %last;

# A poll: returns the IDs that are new to the consumer.
sub poll
{
	my ($table) = @_;
	my $id = $column{$table} // 'id';
	my $procedure = $table eq 'u' ? 'kid_uuidv7_horizon' : 'kid_horizon';
	my ($horizon) = answer($consumer, "CALL kid.$procedure('$table', NULL);") =~ /^([-\da-f]+)$/
	  or die "no horizon: $consumer->{output}";
	my @ids = split /\n/, answer($consumer,
		"SELECT $id FROM $table WHERE $id > '$last{$table}' AND $id < '$horizon' ORDER BY $id;");
	$last{$table} = $ids[-1] if @ids;
	return @ids;
}
# Lets a writer draw an ID, another one commit a later ID, and the consumer poll before, between and after the ends of
# both. Returns what the consumer missed, and whether one that reads without a horizon would have missed something.
sub play
{
	my ($name, $table, $statements, $prepare, $end) = @_;
	my $id = $column{$table} // 'id';
	poll($table);
	my $ids = "SELECT $id FROM $table;";
	my %before = map { $_ => 1 } split /\n/, answer($second, $ids);
	my $waits = $statements =~ /1, 1|write_on/;
	answer($second, 'SELECT pg_advisory_lock(1, 1);') if $waits;
	ask($writer, "BEGIN; $statements;");
	$waits ? wait_for_state($writer, q{wait_event_type = 'Lock'}) : answer($writer);
	my @seen = poll($table);
	answer($second, "INSERT INTO $table (what) VALUES ('second');");
	my @naive = split /\n/, answer($second, $ids);
	push @seen, poll($table);
	answer($second, 'SELECT pg_advisory_unlock(1, 1);'), answer($writer) if $waits;
	push @seen, poll($table);
	answer($writer, $prepare . ';') if $prepare;
	push @seen, poll($table);
	answer($writer, ($end // 'COMMIT') . ';');
	push @seen, poll($table);
	my @rows = grep { !$before{$_} } split /\n/, answer($second, $ids);
	my %seen = map { $_ => 1 } @seen;
	my %naive = map { $_ => 1 } @naive;
	return ((scalar grep { !$seen{$_} } @rows), scalar grep { !$naive{$_} } @rows);
}

# Plays all cases, or those that are named, in the edition in use. Returns what each misses, with a horizon and without.
sub play_all
{
	my (@which) = @_;
	my %missed;
	($writer, $second, $consumer) = map { open_session($node, $database) } 1 .. 3;
	%last = (u => '00000000-0000-0000-0000-000000000000', map { $_ => -1 } qw(identity serial shared1 parts former k));
	foreach my $case (@writers)
	{
		next if @which ? !grep { $case->[0] eq $_ } @which : $case->[1] =~ /^[ku]$/ && $database ne 'modules';
		my ($missed, $naive) = play(@$case);
		$missed{ $case->[0] } = [ $missed, $naive ];
	}
	close_session($_) foreach $writer, $second, $consumer;
	return %missed;
}

foreach my $name (@databases)
{
	use_edition($name);
	install($name);
	create_tables();
	my %missed = play_all();
	foreach my $case (grep { $missed{$_} } map { $_->[0] } @writers)
	{
		# The exception: in plain SQL a lock cannot outlast its subtransaction.
		my $expected = $name ne 'extension' && $case eq 'an ID that is used again' ? 1 : 0;
		is($missed{$case}[0], $expected, "$name: $expected rows are missed of $case");
		ok($missed{$case}[1] || $case =~ /in vain|is rolled back$/, 'while without a horizon something is');
	}
}

# Returns how many locks a transaction has that inserts nothing in one statement after the other, while IDs are drawn.
sub many_locks
{
	return sql(q{BEGIN; DO $$BEGIN FOR i IN 1..100 LOOP PERFORM nextval('serial_id_seq');
			INSERT INTO serial (what) SELECT 'a' WHERE false; END LOOP; END$$;
		SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid(); COMMIT});
}
foreach my $name (@databases)
{
	use_edition($name);
	cmp_ok(many_locks(), '<=', 2, "$name: a transaction takes two locks of a table at most");
}

# Mutants: functions with a part replaced, each of which makes consumers miss rows.
use_edition('plain');

# Replaces a part of a function. Returns the definition that it had.
sub mutate
{
	my ($function, $old, $new) = @_;
	my $definition = sql("SELECT pg_get_functiondef('kid.$function'::regproc)");
	my $pattern = ref $old ? $old : qr/\Q$old\E/;
	(my $mutant = $definition) =~ s/$pattern/$new/ or die "$function has no $old";
	sql($mutant);
	return $definition;
}
# The trigger in C takes the same locks, so it may replace the one in PL/pgSQL while transactions are open.
my $in_c = q{CREATE OR REPLACE FUNCTION kid.kid_track_enter() RETURNS trigger LANGUAGE c AS '$libdir/kid'};
my @first = ('a row', 'rows of a query', 'a setting by hand', 'a setting by hand that is low',
	'a transaction that is prepared', 'two tables');
push @writers, [ 'both triggers', 'identity',
	"INSERT INTO identity (what) VALUES ('a'); $in_c; INSERT INTO identity (what) VALUES ('b')" ],
  [ 'an open transaction', 'identity', q{SAVEPOINT a; INSERT INTO identity (what) VALUES ('a'); SAVEPOINT b;
	INSERT INTO identity (what) VALUES ('b'); ROLLBACK TO b} ];
my $in_sql = sql(q{SELECT pg_get_functiondef('kid.kid_track_enter'::regproc)});
foreach my $language ($in_sql, $in_c)
{
	sql($language);
	my %missed = play_all(@first, 'both triggers', 'an open transaction');
	is($missed{$_}[0], 0, "nothing is missed of $_ with triggers of both editions") foreach sort keys %missed;
}
sql($in_sql);

my $no_id = 'a first statement that assigns no transaction ID';
foreach my $mutant (
	[ 'no lock in the first statement', 'kid_track_enter', 'WHEN pg_catalog.pg_try_advisory_xact_lock_shared(',
		'WHEN 0 <> (' ],
	[ $no_id, 'kid_track_enter', 'THEN pg_catalog.pg_current_xact_id() IS NOT NULL', 'THEN true' ],
	[ 'no lock', 'kid_track_enter', 'NOT pg_catalog.pg_try_advisory_xact_lock_shared',
		'false AND pg_catalog.pg_try_advisory_xact_lock_shared' ],
	[ 'a lock of the session that is given up', 'kid_track_enter', "RETURN NEW;\nEND \$",
		"PERFORM pg_advisory_unlock_shared(kid.kid_track_key(TG_RELID, floor)); RETURN NEW;\nEND \$",
		'NOT pg_catalog.pg_try_advisory_xact_lock_shared', 'NOT pg_try_advisory_lock_shared' ],
	[ 'a floor that is above the sequence', 'kid_track_enter', 'WHILE', 'floor := floor + 100; WHILE' ],
	[ 'a setting that is believed', 'kid_track_enter', 'last :=',
		'IF held IS NOT NULL THEN RETURN NULL; END IF; last :=' ],
	[ 'a setting of the session that is believed', 'kid_track_enter',
		'last :=', "IF held IS NOT NULL THEN RETURN NULL; END IF; last :=", 'floor::pg_catalog.text, true',
		'floor::pg_catalog.text, false' ],
	[ 'a floor of a setting that is believed', 'kid_track_enter', 'least(held, last)', 'coalesce(held, last)' ],
	[ 'any floor of a setting', 'kid_track_enter',
		'greatest(least(held, last), last OPERATOR(pg_catalog.-) 549755813888)', 'least(held, last)' ],
	[ 'locks that are compared with nothing below', 'kid_track_locks', '- most_above AS behind',
		"- (bigint '1' << floor_bits) AS behind" ],
	[ 'locks of another table', 'kid_track_locks', 'tab::oid::bigint &', '0 &' ],
	[ 'a sequence with CACHE', 'kid_track_problem', 'setup.seqcache <> 1', 'false' ])
{
	my ($what, $function, @replace) = @$mutant;
	my $definition = mutate($function, @replace[ 0, 1 ]);
	mutate($function, @replace[ 2, 3 ]) if @replace > 2;
	sql('ALTER SEQUENCE identity_id_seq CACHE 10') if $what =~ /CACHE/;
	my %missed = $what eq $no_id ? ('locks in a loop' => [ many_locks() - 2 ]) : play_all(@first);
	sql('ALTER SEQUENCE identity_id_seq CACHE 1') if $what =~ /CACHE/;
	my @found = grep { $missed{$_}[0] } sort keys %missed;
	ok(scalar @found, "mutant found: $what") and note scalar @found, " cases, the first is ", $found[0];
	sql($definition);
}

# The lock after the draw
sql('DROP TRIGGER kid_track ON identity; CREATE TRIGGER kid_track AFTER INSERT OR UPDATE OF id ON identity
		FOR EACH STATEMENT EXECUTE FUNCTION kid.kid_track_enter(0, 0, 0);
	ALTER TABLE identity ENABLE ALWAYS TRIGGER kid_track');
my $slow = 'a statement that waits after its first ID';
my %missed = play_all($slow);
ok($missed{$slow}[0], 'mutant found: the lock after the draw');
sql(q{SELECT kid.kid_track('identity')});
%missed = play_all($slow);
is($missed{$slow}[0], 0, 'kid_track() replaces the trigger');

# kid_horizon() waits between its steps, as they are and in the other order, while a row is inserted and a
# later one committed.
my $gate = 'PERFORM pg_advisory_xact_lock_shared(1, 1);';
foreach my $mutant (
	[ 0, 'the sequence, then the locks', 'kid_track_locks', 'RETURN QUERY', "$gate RETURN QUERY" ],
	[ 1, 'mutant found: the locks, then the sequence', 'kid_horizon', qr/LANGUAGE sql.*/s,
		"LANGUAGE plpgsql AS \$\$ BEGIN
			horizon := (SELECT min(l.horizon) FROM kid.kid_track_locks(tab, 0, NULL, NULL, 1000000) AS l);
			$gate horizon := least(horizon, pg_sequence_last_value('identity_id_seq') + 1); END \$\$" ])
{
	my ($missed, $what, $function, @replace) = @$mutant;
	my $definition = mutate($function, @replace);
	($writer, $second, $consumer) = map { open_session($node, $database) } 1 .. 3;
	$last{identity} = sql('SELECT max(id) FROM identity');
	answer($second, 'SELECT pg_advisory_lock(1, 1);');
	ask($consumer, "CALL kid.kid_horizon('identity', NULL);");
	wait_for_state($consumer, q{wait_event_type = 'Lock'});
	answer($writer, q{BEGIN; INSERT INTO identity (what) VALUES ('first');});
	answer($second, q{INSERT INTO identity (what) VALUES ('second'); SELECT pg_advisory_unlock(1, 1);});
	my $horizon = answer($consumer);
	my @seen = split /\n/, answer($consumer, "SELECT id FROM identity WHERE id > $last{identity} AND id < $horizon;");
	answer($writer, 'COMMIT;');
	is(scalar @seen, $missed, $what);
	close_session($_) foreach $writer, $second, $consumer;
	sql($definition);
}

done_testing();
