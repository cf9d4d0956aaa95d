# The horizon: below it a consumer sees all rows that will ever be there. Which transactions hold it back, and which do
# not; what an older snapshot gets; prepared transactions, also across restarts and a promotion.
# Promise: No row can still appear
# Versions: the IDs of transactions in shared memory, which 17 moved
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "max_prepared_transactions = 3\nmax_parallel_workers_per_gather = 2\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION kid;
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), what text);
	CREATE TABLE numbers (id bigint PRIMARY KEY DEFAULT kid53_next(), what text);
	CREATE TABLE others (n int);
	CREATE DATABASE elsewhere;
});
$node->safe_psql('elsewhere', 'CREATE EXTENSION kid');
use_database($node);

sub add { return sql("INSERT INTO events (what) VALUES ('" . shift . "') RETURNING id") }

# What a consumer sees.
my $poll = "SELECT string_agg(what, ' ' ORDER BY id) FROM events WHERE id < kid_horizon();";
sub seen { return sql($poll) }

# The same of kid53.
my $poll53 = "SELECT string_agg(what, ' ' ORDER BY id) FROM numbers WHERE id < kid53_horizon();";
sub seen53 { return sql($poll53) }

sub add53 { return sql("INSERT INTO numbers (what) VALUES ('" . shift . "') RETURNING id") }

# Returns whether the horizon is at $id: above all rows with lower IDs.
sub holds
{
	my ($id, $server) = @_;
	return ($server // $node)->safe_psql('postgres',
		"SELECT kid_horizon() <= '$id' AND kid_horizon() > (SELECT max(id) FROM events WHERE id < '$id')");
}

is(sql('SELECT kid_horizon() = kid_horizon(), flake_horizon() = flake_horizon(),
		kid_uuidv7_horizon() = kid_uuidv7_horizon(), kid53_horizon() = kid53_horizon()'), 't|t|t|t',
	'before the first ID there is a horizon');
add('a');
is(seen(), 'a', 'the last committed row is below it');
my @session = map { open_session($node) } 0 .. 3;

# A transaction that made its ID early and commits late.
my $early = answer($session[0], q{BEGIN; INSERT INTO events (what) VALUES ('b') RETURNING id;});
add('c');
is(seen(), 'a', 'an open transaction holds it back');
is(sql("SELECT held_by, held_for BETWEEN '0' AND '1 minute' FROM kid_stats() WHERE clock = 'kid'"),
	"$session[0]{pid}|t", 'kid_stats() shows which and for how long');
is($node->safe_psql('elsewhere', "SELECT held_by IS NULL FROM kid_stats() WHERE clock = 'kid'"), 't',
	'kid_stats() in another database does not show it');
is(holds($early), 't', 'the horizon is at its ID');
answer($session[0], 'COMMIT;');
is(seen(), 'a b c', 'when it has committed, all rows are below');
answer($session[0], q{BEGIN; INSERT INTO events (what) VALUES ('x'); SAVEPOINT s; SELECT kid_next(); ROLLBACK TO s;});
add('d');
is(seen(), 'a b c', 'after a rollback to a savepoint, the transaction still holds it back');
answer($session[0], 'ROLLBACK;');
is(seen(), 'a b c d', 'when it has rolled back, it no longer holds it back');
answer($session[0], q{BEGIN; SELECT kid_next(); SELECT 1 / 0;});
is(seen(), 'a b c d', 'a transaction that failed does not hold it back');
answer($session[0], 'ROLLBACK;');
answer($session[0], 'SELECT kid_next();');
is(sql('SELECT kid_horizon() > max(id) FROM events'), 't', 'an ID without a row is below it');

# kid53 has a horizon of its own.
add53('a');
$early = answer($session[0], q{BEGIN; INSERT INTO numbers (what) VALUES ('b') RETURNING id;});
add53('c');
is(seen53(), 'a', 'kid53: an open transaction holds it back');
is(sql("SELECT kid53_horizon() <= $early, kid53_horizon() > max(id) FROM numbers WHERE id < $early"), 't|t',
	'kid53: the horizon is at its ID');
is(sql("SELECT clock FROM kid_stats() WHERE held_by = $session[0]{pid}"), 'kid53', 'kid53: kid_stats() shows which');
answer($session[0], 'COMMIT;');
is(seen53(), 'a b c', 'kid53: when it has committed, all rows are below');
answer($session[0], 'SELECT kid53_next(100);');
is(sql('SELECT kid53_horizon() > max(id) FROM numbers'), 't', 'kid53: IDs without rows are below it');

# Transactions that are not in the way.
answer($session[0], 'BEGIN; INSERT INTO others VALUES (1);');
answer($session[1], 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM events;');
answer($session[2], 'BEGIN; SELECT flake_next(), kid_uuidv7(), sno_next(0), flax_next(), kid53_next();');
my $stranger = open_session($node, 'elsewhere');
answer($stranger, 'BEGIN; SELECT kid_next();');
add('e');
is(seen(), 'a b c d e',
	'transactions without IDs, with IDs of other clocks, and in other databases do not hold it back');
is(sql('SELECT flake_horizon() > flake_next(), kid53_horizon() > kid53_next()'), 'f|f',
	'each clock has its own horizon');
answer($session[$_], 'ROLLBACK;') foreach 0 .. 2;
answer($stranger, 'ROLLBACK;');

# Snapshots that were taken before.
my $begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM others;';
answer($session[0], $begin);
answer($session[1], "BEGIN; DECLARE c CURSOR FOR $poll");
add('f');
is(answer($session[0], $poll), 'a b c d e', 'a snapshot gets the horizon of when it was taken');
is(answer($session[1], 'FETCH c;'), 'a b c d e', 'a cursor gets the horizon of when it was opened');
answer($session[2], $begin);
sql("DO 'BEGIN FOR i IN 1..200 LOOP INSERT INTO others VALUES (i); COMMIT; END LOOP; END'");
sql("DO 'BEGIN FOR i IN 1..2000 LOOP INSERT INTO events (what) VALUES (NULL); COMMIT; END LOOP; END'");
like(answer($session[2], $poll), qr/^a?( b)?( c)?( d)?( e)?( f)?$/, 'an old snapshot gets a horizon that is no higher');
is(answer($session[0], $poll), 'a b c d e', 'the same snapshot gets the same horizon again');
answer($session[$_], 'ROLLBACK;') foreach 0 .. 2;
# So many transactions that only merged entries are left of them.
foreach my $transactions (40, 600, 10000)
{
	answer($session[0], $begin);
	my $last = sql('SELECT max(id) FROM events');
	sql("DO 'BEGIN FOR i IN 1..$transactions LOOP INSERT INTO events (what) VALUES (NULL); COMMIT; END LOOP; END'");
	my ($missing, $more) = split /\|/, answer($session[0],
		"SELECT count(*) FILTER (WHERE id >= kid_horizon()), kid_horizon()::bigint <= '$last'::kid64::bigint + 1
			FROM events;");
	ok($missing <= $transactions && $more eq 't',
		"$transactions transactions later: the horizon is not above what the snapshot sees, "
		  . "and hides $missing rows that it sees");
	answer($session[0], 'ROLLBACK;');
}
sql('DELETE FROM events WHERE what IS NULL');

# A statement has one horizon, however often it asks.
answer($session[0], 'BEGIN; SELECT kid_next();');
answer($session[2], 'SELECT pg_advisory_lock(1);');
ask($session[1], 'SELECT early = kid_horizon()
	FROM (SELECT kid_horizon() AS early, pg_advisory_xact_lock_shared(1)::text OFFSET 0) AS s;');
wait_for_state($session[1], q{wait_event = 'advisory'});
answer($session[0], 'ROLLBACK;');
answer($session[2], 'SELECT pg_advisory_unlock(1);');
is(answer($session[1]), 't', 'a statement has one horizon, though a transaction that held it back ends meanwhile');
# Wrappers that are STABLE run with the snapshot of the statement. Only the first is inlined. A loop and a
# cursor have a portal of their own. The statement calls a wrapper, waits for a lock, and calls it again.
sql(q{
	CREATE FUNCTION inlined() RETURNS kid64 STABLE LANGUAGE sql AS 'SELECT kid_horizon()';
	CREATE FUNCTION configured() RETURNS kid64 STABLE LANGUAGE sql SET search_path
		FROM CURRENT AS 'SELECT kid_horizon()';
	CREATE FUNCTION procedural() RETURNS kid64 STABLE LANGUAGE plpgsql AS 'BEGIN RETURN kid_horizon(); END';
	CREATE FUNCTION looping() RETURNS kid64 STABLE LANGUAGE plpgsql AS $$
	DECLARE answer kid64; BEGIN FOR answer IN SELECT kid_horizon() LOOP RETURN answer; END LOOP; END $$;
	CREATE FUNCTION fetching() RETURNS kid64 STABLE LANGUAGE plpgsql AS $$
	DECLARE asks CURSOR FOR SELECT kid_horizon(); answer kid64; BEGIN OPEN asks; FETCH asks INTO answer; CLOSE asks;
		RETURN answer; END $$;
});
foreach my $wrapper ('inlined', 'configured', 'procedural', 'looping', 'fetching')
{
	answer($session[0], 'BEGIN; SELECT kid_next();');
	answer($session[2], 'SELECT pg_advisory_lock(1);');
	ask($session[1], "SELECT count(DISTINCT $wrapper()) FROM (
		SELECT CASE n WHEN 2 THEN pg_advisory_xact_lock_shared(1)::text END
			FROM generate_series(1, 3) AS n OFFSET 0) s;");
	wait_for_state($session[1], q{wait_event = 'advisory'});
	answer($session[0], 'ROLLBACK;');
	answer($session[2], 'SELECT pg_advisory_unlock(1);');
	is(answer($session[1]), 1, "a statement has one horizon, $wrapper");
}
# The polls of a procedure leave no memory behind, with and without a commit after each.
sql(q{
	CREATE PROCEDURE measure(times int, commits bool, OUT bytes bigint) LANGUAGE plpgsql AS $$
	BEGIN
		FOR i IN 1..times LOOP
			PERFORM FROM events WHERE id < configured() LIMIT 1;
			IF commits THEN COMMIT; END IF;
		END LOOP;
		SELECT sum(used_bytes) INTO bytes FROM pg_backend_memory_contexts
			WHERE name IN ('PortalContext', 'TopTransactionContext');
	END $$;
});
is(sql("CALL measure(2000, $_, NULL)"), sql("CALL measure(2, $_, NULL)"),
	"polls of a procedure leave no memory behind, commits $_") foreach 'true', 'false';

# Prepared transactions.
sub prepare
{
	my ($what) = @_;
	return sql("BEGIN; INSERT INTO events (what) VALUES ('$what') RETURNING id;
		INSERT INTO numbers (what) VALUES ('$what'); PREPARE TRANSACTION '$what'") =~ s/\n.*//sr;
}
my $bound = prepare('g');
add('h');
add53('h');
my $all = 'a b c d e f g h';
my $before = 'a b c d e f';
is(seen(), $before, 'a prepared transaction holds it back');
is(seen53(), 'a b c', 'kid53: a prepared transaction holds it back');
is(sql("SELECT string_agg(concat_ws(' ', clock, held_by), ', ' ORDER BY clock) FROM kid_stats()"),
	'flake, kid 0, kid53 0, sno, uuidv7', 'kid_stats() shows process 0');
foreach my $mode ('fast', 'immediate')
{
	close_session($_) foreach splice @session;
	$node->stop($mode);
	$node->start;
	is(seen(), $before, "after a restart, $mode, the prepared transaction holds it back");
	is(seen53(), 'a b c', "kid53: after a restart, $mode, the prepared transaction holds it back");
	is(holds($bound), 't', "after a restart, $mode, the horizon is at its ID");
}
@session = map { open_session($node) } 0 .. 1;
answer($session[0], $begin);
sql("COMMIT PREPARED 'g'");
unlike(answer($session[0], $poll), qr/h/, 'a snapshot from before COMMIT PREPARED gets a horizon below it');
is(seen(), $all, 'after COMMIT PREPARED it no longer holds it back');
is(seen53(), 'a b c g h', 'kid53: after COMMIT PREPARED it no longer holds it back');
prepare('y');
sql("ROLLBACK PREPARED 'y'");
is(seen(), $all, 'after ROLLBACK PREPARED, neither');
prepare("i$_") foreach 1 .. 3;
sql("ROLLBACK PREPARED 'i3'; ROLLBACK PREPARED 'i2'");
prepare("j$_") foreach 1 .. 2;
is(seen(), $all, 'as many prepared transactions as the server permits');
like(output_of("BEGIN; INSERT INTO events (what) VALUES ('one more'); PREPARE TRANSACTION 'one more'"),
	qr/ERROR:  53200: maximum number of prepared transactions reached/, 'one more is an error');
add('later');
foreach (qw(i1 j1 j2))
{
	is(seen(), $all, "which leaves the floors of the others, such as $_");
	sql("ROLLBACK PREPARED '$_'");
}
is(seen(), "$all later", 'and none any more');
sql("DELETE FROM events WHERE what = 'later'");

# Other prepared transactions take the place of one that an older snapshot does not see.
$bound = prepare('z');
answer($session[1], $begin);
sql("COMMIT PREPARED 'z'; DELETE FROM events WHERE what = 'z'; DELETE FROM numbers WHERE what = 'z'");
prepare("o$_") foreach 1 .. 3;
is(answer($session[1], "SELECT kid_horizon() <= '$bound';"), 't', 'a prepared transaction whose place was reused');
answer($session[1], 'ROLLBACK;');
sql("ROLLBACK PREPARED '$_'") foreach qw(o1 o2 o3);

# The first question after a start, with a snapshot from before the end of a transaction that was prepared
# before the start.
$bound = prepare('k');
close_session($_) foreach splice @session;
$node->restart;
@session = map { open_session($node) } 0 .. 1;
answer($session[0], $begin);
sql("COMMIT PREPARED 'k'");
is(answer($session[0], 'SELECT kid_horizon() <= ' . "'$bound';"), 't',
	'a snapshot that is older than the first question gets a low horizon');
answer($session[0], 'ROLLBACK;');
is(seen(), "$all k", 'the next snapshot gets a high one');

# A standby.
my $standby = PostgreSQL::Test::Cluster->new('standby');
$node->backup('base');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$bound = prepare('l');
add('m');
add53('m');
answer($session[0], q{BEGIN; INSERT INTO events (what) VALUES ('lost');});
sql('CHECKPOINT');
add('n');
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
my ($status, $stdout, $stderr) = $standby->psql('postgres', 'SELECT kid_horizon()');
like($stderr, qr/ERROR:  cannot execute kid_horizon\(\) during recovery\nHINT:  Call it on the primary/,
	'a standby has no horizon');
my $old = open_session($standby);
answer($old, $begin);
$standby->promote;
is($standby->safe_psql('postgres', $poll), "$all k", 'after a promotion the prepared transaction holds it back');
is($standby->safe_psql('postgres', $poll53), 'a b c g h k',
	'kid53: after a promotion the prepared transaction holds it back');
is(holds($bound, $standby), 't', 'after a promotion the horizon is at its ID');
$standby->safe_psql('postgres', "COMMIT PREPARED 'l'");
like(answer($old, 'SELECT kid_horizon() <= ' . "'$bound';"), qr/^t$/,
	'a snapshot from before the promotion gets a low horizon');
is($standby->safe_psql('postgres', $poll), "$all k l m n",
	'after COMMIT PREPARED on the promoted server all rows are below');
is($standby->safe_psql('postgres', $poll53), 'a b c g h k l m',
	'kid53: after COMMIT PREPARED on the promoted server all rows are below');

# Polls of one transaction. Between the first two, no transaction that has an ID ends, so both see the same rows.
close_session($_) foreach @session, $old, $stranger;
sql("ROLLBACK PREPARED 'l'");
@session = map { open_session($node) } 0 .. 2;
sql('TRUNCATE events');
foreach my $ask ($poll,
	"DO 'DECLARE h kid64; BEGIN h := kid_horizon();
		PERFORM set_config(''my.seen'', (SELECT string_agg(what, '' '' ORDER BY id) FROM events WHERE id < h), false);
		END';
	SHOW my.seen;")
{
	answer($session[0], 'BEGIN; SELECT kid_next();');
	add('a');
	answer($session[1], 'BEGIN;');
	is(answer($session[1], $ask), '', 'a poll while another transaction holds back the horizon');
	answer($session[0], 'ROLLBACK;');
	is(answer($session[1], $ask), '', 'the next poll of the same transaction gets the same horizon');
	sql('INSERT INTO others VALUES (1)');
	is(answer($session[1], $ask), 'a', 'when another transaction has ended, it gets a later one');
	answer($session[1], 'ROLLBACK;');
	sql('TRUNCATE events');
	# The next round is beside a transaction that snapshots list as running.
	answer($session[2], 'BEGIN; INSERT INTO others VALUES (2);');
}
answer($session[2], 'ROLLBACK;');
# Two cursors whose snapshots are alike but for the transaction that is open.
answer($session[0], q{BEGIN; INSERT INTO events (what) VALUES ('b');});
answer($session[1], "BEGIN; DECLARE c CURSOR FOR $poll");
answer($session[0], 'COMMIT;');
is(answer($session[1], "$poll FETCH c;"), "b\n",
	'a cursor that is read after a later statement does not get its horizon');
answer($session[1], 'ROLLBACK;');

# Transactions that end between the start and the first question, some of them prepared, so that places are reused.
close_session($_) foreach splice @session;
sql('TRUNCATE events');
$node->append_conf('postgresql.conf', "max_prepared_transactions = 1\n");
$node->restart;
@session = map { open_session($node) } 0 .. 2;
foreach (1 .. 2) { prepare('p'); sql("ROLLBACK PREPARED 'p'") }
$early = answer($session[0], q{BEGIN; INSERT INTO events (what) VALUES ('early') RETURNING id;});
add('late');
answer($session[1], $begin);
answer($session[0], 'COMMIT;');
is(answer($session[1], "SELECT kid_horizon() <= '$early';"), 't',
	'a transaction that committed after the snapshot and before the first question is not missed');
answer($session[1], 'ROLLBACK;');
is(seen(), 'early late', 'a later snapshot sees both rows');
prepare('q');
$node->restart;
is(sql("SELECT held_by FROM kid_stats() WHERE clock = 'kid'"), 0,
	'after a restart kid_stats() shows a prepared transaction at once');
like(($node->psql('postgres', 'BEGIN; SELECT kid_next(); PREPARE TRANSACTION $$r$$'))[2],
	qr/ERROR:  maximum number of prepared transactions reached\n/, 'no place for one more prepared transaction');
sql("ROLLBACK PREPARED 'q'");
$node->append_conf('postgresql.conf', "max_prepared_transactions = 0\n");
$node->restart;
like(($node->psql('postgres', 'BEGIN; SELECT kid_next(); PREPARE TRANSACTION $$r$$'))[2],
	qr/ERROR:  prepared transactions are disabled\n/, 'prepared transactions are disabled');

# flake: sessions with other generators, and a clock that is ahead.
sql(q{
	CREATE TABLE flakes (id flake PRIMARY KEY DEFAULT flake_next(), n int);
	ALTER SYSTEM SET kid.flake_id = 5;
	SELECT pg_reload_conf();
});
@session = map { open_session($node) } 0 .. 1;
my $flakes = 'SELECT count(*) FROM flakes WHERE id < flake_horizon();';
sub soon { my ($query, $expected) = @_; return $node->poll_query_until('postgres', $query, $expected) }
answer($session[0], 'SET kid.flake_id = 1; BEGIN; INSERT INTO flakes DEFAULT VALUES;');
sql('SET kid.flake_id = 1000; INSERT INTO flakes SELECT FROM generate_series(1, 10)');
is(sql("SET kid.flake_id = 7; $flakes"), 0, 'a flake of a lower generator is not missed');
answer($session[0], 'COMMIT;');
ok(soon($flakes, 11), 'after the millisecond, all flakes are below the horizon');
sql("SELECT kid_observe(flake_ceil(now() + interval '10 min'))");
sql('INSERT INTO flakes DEFAULT VALUES');
ok(soon($flakes, 12), 'flakes of a clock that is ahead are below the horizon');
is(sql("SELECT last_issued < now() + interval '601 s' FROM kid_stats() WHERE clock = 'flake'"), 't',
	'polls do not move a clock that is ahead any further');
is(sql("SET kid.flake_epoch = '1700000000001 ms'; SELECT kid_timestamp(flake_horizon()) > now()"), 't',
	'flake_horizon() has the epoch of the session');
close_session($_) foreach splice @session;
$node->stop('immediate');
$node->start;

# The trigger that keeps out what the horizon does not wait for.
sql(q{
	CREATE TABLE own (id kid64 PRIMARY KEY DEFAULT kid_next(), f flake DEFAULT flake_next(),
		u uuid DEFAULT kid_uuidv7(), j bigint DEFAULT kid53_next(), n int);
	CREATE TRIGGER own_id BEFORE INSERT OR UPDATE OF id ON own FOR EACH ROW EXECUTE FUNCTION kid_own_ids_trigger('id');
	CREATE TRIGGER own_f AFTER INSERT OR UPDATE ON own FOR EACH ROW EXECUTE FUNCTION kid_own_ids_trigger('f');
	CREATE TRIGGER own_u BEFORE INSERT OR UPDATE ON own FOR EACH ROW EXECUTE FUNCTION kid_own_ids_trigger('u');
	CREATE TRIGGER own_j BEFORE INSERT OR UPDATE ON own FOR EACH ROW EXECUTE FUNCTION kid_own_ids_trigger('j', 'kid53');
	INSERT INTO own (n) SELECT generate_series(1, 3);
	UPDATE own SET id = id, f = f, u = u, j = j, n = n + 1;
	UPDATE own SET id = kid_next() WHERE n = 4;
	INSERT INTO own (id, f, u, j) SELECT kid_next(), flake_next(), kid_uuidv7(), kid53_next();
	INSERT INTO own (f, u, j) VALUES (NULL, NULL, NULL);
});
my $id = sql('SELECT kid_next()');
like(error_of("INSERT INTO own (id) VALUES ('$id')"), qr/^23514: ID \Q$id\E was not made in this transaction/,
	'an ID of an earlier transaction is rejected');
like(error_of("BEGIN; SELECT kid_next(); INSERT INTO own (id) VALUES ('$id')"), qr/^23514/,
	'also by a transaction that has made another');
like(error_of("UPDATE own SET id = '$id' WHERE n = 2"), qr/^23514/, 'also in an update');
# PostgreSQL fires a trigger with OF only if the statement sets the column.
sql(q{CREATE FUNCTION old_ids() RETURNS trigger
	LANGUAGE plpgsql AS 'BEGIN NEW.id := kid64_at(now()); NEW.f := flake_at(now()); RETURN NEW; END';
	CREATE TRIGGER old_ids BEFORE UPDATE ON own FOR EACH ROW EXECUTE FUNCTION old_ids()});
like(error_of('UPDATE own SET n = 6 WHERE n = 2'), qr/^23514: ID \d+ was not/,
	'an ID that a trigger sets is rejected by a trigger without OF');
is(error_of('ALTER TABLE own DISABLE TRIGGER own_f; UPDATE own SET n = 2 WHERE n = 2;
		ALTER TABLE own ENABLE TRIGGER own_f'), '', 'and not by one with OF');
sql('DROP TRIGGER old_ids ON own');
like(error_of("BEGIN; SELECT kid_next(); INSERT INTO own (id) VALUES (kid64_at('9999-01-01'))"), qr/^23514/,
	'an ID of the future is rejected');
like(error_of('INSERT INTO own (id) VALUES (kid64_at(now()))'), qr/^23514/, 'an ID of kid64_at() is rejected');
like(error_of("INSERT INTO own (f) VALUES (flake_at(now()))"), qr/^23514/, 'a flake of flake_at() is rejected');
like(error_of("INSERT INTO own (u) VALUES (kid_uuidv7_at(now()))"), qr/^23514/,
	'a uuid of kid_uuidv7_at() is rejected');
my $number = sql('SELECT kid53_next()');
like(error_of("BEGIN; SELECT kid53_next(); INSERT INTO own (j) VALUES ($_)"), qr/^23514: ID \S+ was not made in this/,
	"kid53: an ID that was not made in this transaction is rejected: $_")
  foreach $number, "kid53_at('2080-01-01')", 0, -1, 9007199254740992, 9223372036854775807,
  'kid_next()';
like(error_of('INSERT INTO own (j) VALUES (kid53_at(now()))'), qr/^23514/, 'an ID of kid53_at() is rejected');
like(error_of("UPDATE own SET j = $number WHERE n = 2"), qr/^23514/, 'kid53: also in an update');
like(error_of('INSERT INTO own (u) VALUES (gen_random_uuid())'), qr/^22023: uuid "\S+" is not of version 7/,
	'a random uuid is rejected');
# Bits that no generator makes: C is 1023, so the state is one of the next second.
my $odd = sql("SELECT ((id::bigint & ~(1023 << 14)::bigint) | (1023 << 14))::kid64 FROM kid_next() AS id");
like(error_of("BEGIN; SELECT kid_next(); INSERT INTO own (id) VALUES ('$odd')"), qr/^23514/,
	'an ID of arbitrary bits is rejected, although its state is in the future');
my $call = sub { return "CREATE TRIGGER t $_[0] ON own $_[1] EXECUTE FUNCTION kid_own_ids_trigger($_[2]);
	INSERT INTO own DEFAULT VALUES; TRUNCATE own" };
like(error_of('SELECT kid_own_ids_trigger()'), qr/^0A000|^39P01/, 'the function is for triggers only');
like(error_of($call->('BEFORE INSERT', 'FOR EACH ROW', '')),
	qr/^39P01: kid_own_ids_trigger\(\) needs the name of a column/, 'a trigger without a column');
like(error_of("DROP TRIGGER t ON own; " . $call->('BEFORE INSERT', 'FOR EACH ROW', 'nosuch')),
	qr/^42703: column "nosuch" of relation "own" does not exist/, 'a trigger with a column that is not there');
like(error_of("DROP TRIGGER t ON own; " . $call->('BEFORE INSERT', 'FOR EACH ROW', 'n')),
	qr/^42804: column "n" of relation "own" is of type integer/, 'a trigger with a column without a horizon');
like(error_of("DROP TRIGGER t ON own; ALTER TABLE own ADD g kid64 GENERATED ALWAYS AS (id) STORED; "
		  . $call->('BEFORE INSERT', 'FOR EACH ROW', 'g')), qr/^42P17: cannot use generated column "g"/,
	'a trigger with a generated column');
like(error_of("DROP TRIGGER t ON own; " . $call->('BEFORE INSERT', 'FOR EACH STATEMENT', 'id')),
	qr/^39P01: .* must be fired FOR EACH ROW/, 'a trigger for a statement');

# kid_reset_clock() by force while a transaction has IDs: those that it makes afterwards are lower, and
# hold back the horizon.
@session = (open_session($node));
sql("SELECT kid_observe(kid64_ceil(now() + interval '10 min'))");
sql('TRUNCATE events');
answer($session[0], q{SET client_min_messages = error; BEGIN; SELECT kid_next();});
sql("SELECT kid_reset_clock(now() + interval '5 min', force => true)");
$early = answer($session[0], q{INSERT INTO events (what) VALUES ('early') RETURNING id;});
add('late');
is(sql("SELECT kid_horizon() <= '$early'"), 't',
	'after kid_reset_clock() the transaction still holds back the horizon');
answer($session[0], 'COMMIT;');
is(seen(), 'early late', 'after its commit all rows are below');
close_session($_) foreach splice @session;

# A clock that is ahead of the system clock is moved by polls only so often that it still catches up.
sql("SELECT kid_observe(flake_ceil(now() + interval '10 min'))");
is(sql(q{SELECT last_issued AS before, clock_timestamp() AS began FROM kid_stats() WHERE clock = 'flake' \gset
	} . "SELECT flake_next() \\g /dev/null\nSELECT flake_horizon() \\g /dev/null\n" x 1000
		  . q{SELECT last_issued - :'before' < interval '5 ms' + (clock_timestamp() - :'began') / 50 FROM kid_stats()
		WHERE clock = 'flake'}),
	't', 'a thousand IDs and polls hardly move a clock that is ahead');
sql('SELECT kid_reset_clock(now(), force => true)');

like(sql('SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT * FROM events WHERE id < kid_horizon()'),
	qr/Index Cond: \(id < kid_horizon\(\)\)/, 'the horizon is an index condition');
done_testing();
