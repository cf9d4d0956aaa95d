# One session polls a table for all consumers and notifies them, by the procedure of docs/guides/consumers.md. It
# notifies when rows are below the horizon, not before and not again, and less often than transactions commit.
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my ($procedure, $call) = slurp_file('docs/guides/consumers.md')
  =~ /^(CREATE PROCEDURE notify_consumers.*?^END \$\$;\n).*?`(CALL notify_consumers\(\))`/ms or die;
$node->safe_psql('postgres',
	'CREATE EXTENSION kid; CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), payload text);' . $procedure);
my ($notifier, $listener, $open) = map { open_session($node) } 1 .. 3;
answer($listener, 'LISTEN events;');

my $seen = 'SELECT string_agg(payload, $$ $$ ORDER BY id) FROM events WHERE id < kid_horizon();';
sub add { return $node->safe_psql('postgres', "INSERT INTO events (payload) VALUES ('$_[0]')") }

# Returns how many notifications come within some seconds.
sub notifications
{
	my ($seconds) = @_;
	my ($count, $end) = (0, time + $seconds);
	while (time < $end)
	{
		usleep(20_000);
		$count += () = answer($listener, 'SELECT;') =~ /Asynchronous notification "events"/g;
	}
	return $count;
}

# Waits for a notification.
sub is_notified
{
	my $end = time + $PostgreSQL::Test::Utils::timeout_default;
	while (time < $end) { return 1 if notifications(0.1) > 0 }
	return 0;
}

add('a');
ask($notifier, "$call;");
ok(is_notified(), 'when the notifier starts, it notifies of rows from before');
is(notifications(1), 0, 'without new rows it does not notify');
add('b');
ok(is_notified(), 'it notifies of a new row');
is(notifications(0.5), 0, 'once');
answer($open, q{BEGIN; INSERT INTO events (payload) VALUES ('early');});
add('late');
is(notifications(1), 0, 'it does not notify of a row above the horizon');
answer($open, 'COMMIT;');
ok(is_notified(), 'but when the older transaction has ended');
is($node->safe_psql('postgres', $seen), 'a b early late', 'a consumer then sees all rows');
answer($open, q{BEGIN; INSERT INTO events (payload) VALUES ('never');});
add('later');
notifications(0.2);
answer($open, 'ROLLBACK;');
ok(is_notified(), 'also if that transaction was rolled back');

# A second of commits.
my $start = time;
ask($open, q{DO $$ DECLARE start timestamptz := clock_timestamp(); BEGIN
	WHILE clock_timestamp() < start + interval '1 s' LOOP INSERT INTO events (payload) VALUES ('many'); COMMIT;
		END LOOP; END $$;});
my $count = 0;
$count += notifications(0.1) while $open->{output} !~ /^that is all\n/m && do { $open->{handle}->pump_nb; 1 };
$count += notifications(0.5);
my $rows = $node->safe_psql('postgres', q{SELECT count(*) FROM events WHERE payload = 'many'});
my $most = 2 + 20 * (time - $start);
ok($count > 0 && $count <= $most && $rows > $most, "$rows commits in a row make $count notifications, at most $most");

# After a reset of the clock, new IDs are below the one that the session remembers, until it starts again,
# as the page says.
like(
	slurp_file('docs/guides/consumers.md'),
	qr/with\s+\[`kid_reset_clock\(x\)`\].*start\s+`notify_consumers\(\)` again/s,
	'the page says what to do after a reset');
$node->safe_psql('postgres', q{SELECT kid_observe(kid64_floor(now() + interval '1 hour'))});
add('future');
ok(is_notified(), 'it notifies of an ID of the future');
$node->safe_psql('postgres', q{DELETE FROM events WHERE payload = 'future'; SELECT kid_reset_clock(now())});
notifications(0.2);
add('after the reset');
is(notifications(1), 0, 'after a reset it does not notify of new rows');
foreach my $again (0, 1)
{
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($notifier->{pid})");
	$notifier->{handle}->finish;
	last if $again;
	$notifier = open_session($node);
	ask($notifier, "$call;");
	ok(is_notified(), 'but when it has started again');
}
close_session($_) foreach $listener, $open;
$node->stop;
done_testing();
