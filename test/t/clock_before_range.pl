# A server whose system clock is before the range of a type, as with a dead battery, after a start with a bound: each
# generator goes on or raises its error, and a session that waits can be cancelled.
# Promise: When the system clock goes back
use strict;
use warnings;
use Dialogue;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = FakeClock->new('main');
$node->init;
$node->start;
use_database($node);

sql('CREATE EXTENSION kid');
sql("SET kid.flake_epoch = 1300000000000; SELECT kid_next(), sno_next(), flake_next(), kid_uuidv7(),
	kid53_next()");
my $end = sql('SELECT now()');

foreach my $clock ('1970-01-01 00:00:05', '2000-01-01 00:00:00', '2009-12-31 23:00:00')
{
	# libfaketime would not stop the server while its clock stands still.
	$node->stop('immediate');
	$node->set_clock("\@$clock");
	$node->start;

	# A busy loop would not end: statement_timeout needs the clock, so the test cancels the session itself.
	my ($stdout, $stderr) = ('', '');
	my $session = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres'),
			'-c', 'SELECT sno_next()' ],
		'>', \$stdout, '2>', \$stderr, IPC::Run::timeout(20));
	ok(eval { $session->finish; 1 }, "$clock: sno_next() ends by itself");
	$session->kill_kill unless $session->pumpable == 0;
	like($stderr, qr{22008: timestamp out of range for type sno}, "$clock: sno_next() raises its error");

	is(sql("SET kid.flake_epoch = 1300000000000;
			SELECT bool_and(t > '$end'::timestamptz - interval '10 s' AND t < '$end'::timestamptz + interval '20 s')
			  FROM (VALUES (kid_timestamp(kid_next())), (kid_timestamp(flake_next())),
				(kid_timestamp(kid_uuidv7())), (kid53_timestamp(kid53_next()))) v(t)"),
		't', "$clock: the other clocks continue from their bounds");
	is(sql('SELECT count(DISTINCT kid53_next()) FROM generate_series(1, 20000)'), '20000',
		"$clock: kid53 uses up one millisecond after the other");
	like(error_of("SET kid.clock_backward = 'wait'; SET kid.max_wait = '100ms'; SELECT kid_next()"),
		qr{53400: system clock is behind the last ID of kid}, "$clock: a wait ends after kid.max_wait");
	my $waiting = $node->start_waiting("SET kid.clock_backward = 'wait'; SET kid.max_wait = -1; SELECT kid_next()");
	is(sql("SELECT pg_cancel_backend($waiting->{pid})"), 't',
		"$clock: a session that waits is cancelled");
	like(answer($waiting), qr{57014: canceling statement due to user request}, "$clock: and ends");
	close_session($waiting);
}

$node->stop('immediate');
done_testing();
