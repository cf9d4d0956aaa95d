# kid_reset_clock() after the system clock was wrong: what it waits for, what it rejects, and that no ID
# comes twice while writers run on.
use strict;
use warnings;
use Dialogue;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = FakeClock->new('main');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'kid'\nmax_prepared_transactions = 2\n");
$node->start;
use_database($node);

# Returns the clocks that are ahead.
sub ahead { return sql(q{SELECT coalesce(string_agg(clock, ' '), '') FROM kid_stats() WHERE ahead > '5 min'}) }

# Makes IDs with a clock that is an hour ahead, and then right again.
sub make_ahead
{
	$node->set_clock('+1h');
	sql('SELECT kid_next(), flake_next(), sno_next(), kid_uuidv7(), kid53_next()');
	$node->set_clock('+0');
	return;
}

sql('CREATE EXTENSION kid; CREATE DATABASE elsewhere');
$node->safe_psql('elsewhere', 'CREATE EXTENSION kid');
my @session = map { open_session($node) } 0 .. 2;

# An ID of the future in a column of each kind. After it is deleted, without VACUUM, the clock is lowered.
foreach my $case (
	[ 'kid', 'kid64', 'kid_next()' ],
	[ 'kid', 'kid96', 'kid96_next()' ],
	[ 'kid', 'bigint', 'kid_next()::bigint' ],
	[ 'flake', 'flake', 'flake_next()' ],
	[ 'sno', 'sno', 'sno_next()' ],
	[ 'kid53', 'bigint', 'kid53_next()' ],
	[ 'uuidv7', 'uuid', 'kid_uuidv7()' ])
{
	my ($clock, $type, $next) = @$case;
	my $name = "$type, $next";
	sql("CREATE TABLE ids (id $type PRIMARY KEY DEFAULT $next); INSERT INTO ids SELECT FROM generate_series(1, 100)");
	$node->set_clock('+1h');
	sql("SELECT kid_next(), flake_next(), sno_next(), kid_uuidv7(), kid53_next();
		INSERT INTO ids SELECT FROM generate_series(1, 10)");
	$node->set_clock('+0');
	my $error = error_of('SELECT kid_reset_clock(now())');
	like($error,
		qr{^55000: rows have IDs after .*\nDETAIL:  public\.ids\.id: \S+ of .*\nHINT:  Give these rows new keys},
		"$name: IDs of the future are rejected");
	my ($time) = $error =~ /DETAIL:.* of (\d.*)$/m;
	is(sql("SELECT timestamptz '$time' BETWEEN now() + interval '59 min' AND now() + interval '61 min'"), 't',
		"$name: the detail has the time");
	like(ahead(), qr/\b$clock\b/, "$name: the clock was not lowered");
	answer($session[0], 'BEGIN; DELETE FROM ids WHERE ctid IN (SELECT ctid FROM ids ORDER BY ctid OFFSET 100);');
	like(error_of('SELECT kid_reset_clock(now())'), qr{^55000: rows have IDs after },
		"$name: so are IDs that an open transaction has deleted");
	answer($session[0], 'COMMIT;');
	sql('SELECT kid_reset_clock(now())');
	is(ahead(), '', "$name: after the rows are deleted, the clocks are lowered");
	sql("INSERT INTO ids DEFAULT VALUES; DROP TABLE ids");
}

# The order of kid96 is coarser than its time: a later ID of a lower node sorts before. Windows of 256 s
# begin with the megasecond.
make_ahead();
my $base = sql('SELECT n - n % 1000000 % 256 FROM (SELECT extract(epoch FROM now())::bigint + 1200 AS n) s');
my $above = "to_timestamp($base + 100)";
sql(qq{CREATE TABLE ids (id kid96 PRIMARY KEY);
	INSERT INTO ids SELECT kid96_make(to_timestamp($base + n), n % 4 + 1, 0) FROM generate_series(0, 99) AS n;
	INSERT INTO ids VALUES (kid96_make(to_timestamp($base + 101), 0, 7))});
like(error_of("SELECT kid_reset_clock($above)"), qr{^55000: rows have IDs after .*\nDETAIL:  public\.ids\.id: },
	'kid96: a later ID of a lower node is found');
sql("UPDATE ids SET id = kid96_make(to_timestamp($base + 99), 0, 7) WHERE kid_node(id) = 0");
is(sql("SELECT kid_reset_clock($above)"), '', 'kid96: without it the clock is lowered');
sql('DROP TABLE ids; SELECT kid_reset_clock(now())');

# The edge: an ID of the unit of the argument is accepted, and never issued again; one of the next unit is rejected.
foreach my $type (qw(kid64 flake uuid kid53))
{
	my ($prefix, $unit) = ($type eq 'uuid' ? 'kid_uuidv7' : $type, $type eq 'kid64' ? '1.024 ms' : '1 ms');
	make_ahead();
	my $next = { kid64 => 'kid_next()', uuid => 'kid_uuidv7()' }->{$type} // "${type}_next()";
	my $stored = $type eq 'kid53' ? 'bigint' : $type;
	sql("CREATE TABLE ids (id $stored PRIMARY KEY DEFAULT $next);
		CREATE TABLE edge AS SELECT date_trunc('second', now()) + interval '10 min' AS above;
		INSERT INTO ids SELECT ${prefix}_ceil(above) FROM edge");
	is(sql('SELECT kid_reset_clock(above) FROM edge'), '',
		"$type: the last ID of the unit of the argument is accepted");
	is(sql("SELECT $next > (SELECT id FROM ids)"), 't', "$type: the next ID is above");
	make_ahead();
	sql("UPDATE ids SET id = ${prefix}_floor(above + interval '$unit') FROM edge");
	like(error_of('SELECT kid_reset_clock(above) FROM edge'), qr{^55000: rows have IDs after},
		"$type: the first ID of the next unit is rejected");
	sql('DROP TABLE ids, edge; SELECT kid_reset_clock(now())');
}

# A transaction that has made IDs is named, wherever it is.
make_ahead();
answer($session[0], 'BEGIN; SELECT kid_next();');
my $still_open = '55006: a transaction that has made IDs is still open';
like(error_of('SELECT kid_reset_clock(now())'),
	qr{^$still_open\nDETAIL:  It is that of process $session[0]{pid} in database "postgres"\.},
	'an open transaction that has made IDs is named');
answer($session[0], 'ROLLBACK;');
my $other = open_session($node, 'elsewhere');
answer($other, 'BEGIN; SELECT flake_next();');
like(error_of('SELECT kid_reset_clock(now())'),
	qr{^55006: .*\nDETAIL:  It is that of process $other->{pid} in database "elsewhere"\.},
	'also one of another database');
answer($other, q{COMMIT;});
close_session($other);
sql(q{BEGIN; SELECT kid_next(); PREPARE TRANSACTION 'p'});
my $prepared = sql('SELECT transaction FROM pg_prepared_xacts');
my $detail = qr{Transaction $prepared is prepared in database "postgres"\.};
like(error_of('SELECT kid_reset_clock(now())'),
	qr{^55006: .*\nDETAIL:  $detail\nHINT:  Find it in pg_prepared_xacts},
	'also a prepared transaction');
$node->restart;
@session = map { open_session($node) } 0 .. 2;
like(error_of('SELECT kid_reset_clock(now())'), qr{^55006: .*\nDETAIL:  Transaction $prepared is prepared},
	'also after a restart');
sql(q{ROLLBACK PREPARED 'p'});
like(error_of('BEGIN; SELECT kid_next(); SELECT kid_reset_clock(now())'), qr{^55006: }, 'also its own');
like(error_of('BEGIN; CREATE TABLE t (); SELECT kid_reset_clock(now())'), qr{^25001: },
	'a transaction that has changed rows cannot lower a clock');
like(error_of('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT kid_reset_clock(now())'), qr{^55000: },
	'nor one that may not see all rows');
is(sql(q{BEGIN; SELECT now() IS NULL; SELECT kid_reset_clock(now(), force => true); COMMIT;
		SELECT count(*) FROM kid_stats() WHERE ahead > '5 min'}) =~ s/\s+//gr, 'f0', 'force neither waits nor looks');

# A table that is locked, and columns that cannot be examined.
make_ahead();
is(sql('SELECT kid_lower_clocks(NULL, true, NULL, NULL, NULL) IS NULL
		AND kid_lower_clocks(now(), NULL, NULL, NULL, NULL) IS NULL'), 't',
	'without a time, or without "force", nothing is lowered');
sql('CREATE TABLE ids (id kid64 PRIMARY KEY); CREATE TABLE bare (id kid64);
	INSERT INTO bare VALUES (kid64_ceil(now() + interval \'30 min\'))');
answer($session[0], 'BEGIN; LOCK TABLE ids;');
like(error_of('SELECT kid_reset_clock(now())'),
	qr{^55006: columns of IDs cannot be examined now\nDETAIL:  public\.ids\.id: the table is locked\n},
	'a table that is locked is an error');
answer($session[0], 'ROLLBACK;');
my ($status, $stdout, $stderr) = $node->psql('postgres', 'SELECT kid_reset_clock(now())');
like($stderr, qr{NOTICE:  logical clock of kid was lowered by 0[01]:\d\d:\d\d\.\d{3}\n}, 'it says what it lowered');
my $how_far = qr{DETAIL:  It has issued IDs with times up to (.+)\.\n};
my ($latest) = $stderr =~ /clock of kid was .*\n${how_far}HINT:  .*kid_observe\(\)/;
is(sql("SELECT timestamptz '$latest' BETWEEN now() + interval '59 min' AND now() + interval '61 min'"), 't',
	'and how far it had come');
like($stderr, qr{clock of uuidv7 was .*\n$how_far(?!HINT)}, 'a lowered uuidv7 repeats no ID');
my $not_seen = 'IDs in other databases, in arrays, composites and ranges, in columns of type bigint or uuid '
  . 'whose default makes no IDs, and IDs that clients keep,';
my $bare = qr{The IDs of these columns were not looked at either:\npublic\.bare\.id: no btree index begins with it};
like($stderr, qr{NOTICE:  $not_seen were not looked at\nDETAIL:  $bare$}, 'and what it did not look at');
sql('DROP TABLE ids, bare');

# The hold: who waits, and what ends it.
sub hold
{
	make_ahead();
	return answer($session[0], 'BEGIN; SELECT count(*) FROM kid_hold_clocks(now());');
}

# Tests that another session makes IDs without waiting.
sub goes_on
{
	my ($what) = @_;
	is(answer($session[1], 'SET client_min_messages = error; SET kid.max_wait = 0; SELECT kid_next() IS NOT NULL;'),
		't', "$what: others make IDs");
	return;
}
my $holder = qr{Process $session[0]{pid} holds their clock for kid_reset_clock\(\)};
my $held = qr{^53400: IDs of kid are held back\nDETAIL:  $holder, and the value of "kid.max_wait" is 0 ms\.};
cmp_ok(hold(), '>', 0, 'clocks are held');
like(error_of("SET kid.max_wait = 0; $_"), $held, "while the clock is held: $_")
  foreach 'SELECT kid_next()', 'SELECT kid96_next()', q{SELECT kid_observe(kid64_ceil(now() + interval '50 min'))};
is(sql('SELECT count(*) FROM kid_stats()'), 5, 'kid_stats() does not wait');
like(error_of('SET kid.max_wait = 0; SELECT kid_reset_clock(now())'), qr{^53400: },
	'a second kid_reset_clock() waits');
answer($session[0], 'COMMIT;');
goes_on('after a commit');
hold();
answer($session[0], 'ROLLBACK;');
goes_on('after a rollback');
hold();
answer($session[0],
	'ROLLBACK; BEGIN; SAVEPOINT s; SELECT count(*) FROM kid_hold_clocks(now()); RELEASE s; SAVEPOINT t;');
answer($session[0], 'ROLLBACK TO t;');
like(error_of('SET kid.max_wait = 0; SELECT kid_next()'), $held,
	'after the release of its savepoint the clock is still held');
answer($session[0], 'ROLLBACK; BEGIN; SAVEPOINT s; SELECT count(*) FROM kid_hold_clocks(now()); ROLLBACK TO s;');
goes_on('after a rollback to a savepoint');
answer($session[0], 'ROLLBACK;');

# A call that found nothing to hold does not make a later one outlive its savepoint.
sql('SELECT kid_reset_clock(now())');
answer($session[0], 'BEGIN; SELECT count(*) FROM kid_hold_clocks(now());');
make_ahead();
answer($session[1], 'BEGIN; SELECT kid_next();');
like(answer($session[0], 'SAVEPOINT s; SELECT kid_reset_clock(now());'), qr{55006: },
	'after a call that held nothing, an open transaction is an error');
answer($session[0], 'ROLLBACK TO s;');
like(answer($session[0], 'SELECT kid_reset_clock(now());'), qr{55006: }, 'also after a rollback to a savepoint');
answer($session[0], 'ROLLBACK;');
answer($session[1], 'ROLLBACK;');
make_ahead();
sql(q{CREATE TABLE ids (id kid64 PRIMARY KEY); INSERT INTO ids VALUES (kid64_ceil(now() + interval '30 min'))});
answer($session[0], q{BEGIN; DO $$ BEGIN PERFORM kid_reset_clock(now()); EXCEPTION WHEN OTHERS THEN NULL; END $$;});
goes_on('after an error that was caught');
answer($session[0], 'ROLLBACK;');
sql('DROP TABLE ids');
hold();
sql("SELECT pg_terminate_backend($session[0]{pid}, 60000)");
goes_on('after the holder was terminated');
$session[0] = open_session($node);

# A transaction that has begun to make IDs goes on, also with another clock, and the reset waits for it.
# It can be canceled.
my $waits = q{wait_event_type = 'Extension'};
make_ahead();
answer($session[1], 'BEGIN; SELECT kid_next();');
answer($session[0], 'SET kid.max_wait = 10000;');
ask($session[0], 'SELECT kid_reset_clock(now()) IS NULL;');
wait_for_state($session[0], $waits);
is(answer($session[1], 'SELECT kid_next() IS NOT NULL AND flake_next() IS NOT NULL;'), 't',
	'a transaction that has begun to make IDs goes on during the hold');
ask($session[2],
	'SET client_min_messages = error; SELECT kid_next() < kid64_floor(clock_timestamp() + interval \'1 min\');');
wait_for_state($session[2], $waits);
answer($session[1], 'COMMIT;');
like(answer($session[0]), qr/^[tf]$/m, 'when it has ended, the clocks are lowered');
is(answer($session[2]), 't', 'the transaction that waited gets an ID of the present');
make_ahead();
answer($session[1], 'BEGIN; SELECT kid_next();');
ask($session[0], 'SELECT kid_reset_clock(now()) IS NULL;');
wait_for_state($session[0], $waits);
sql("SELECT pg_cancel_backend($session[0]{pid})");
like(answer($session[0]), qr{canceling statement}, 'it can be canceled');
answer($session[1], 'COMMIT;');
goes_on('after it was canceled');

close_session($_) foreach @session;
done_testing();
