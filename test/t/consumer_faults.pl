# Consumers on servers with faults. Those that share the work (docs/guides/consumers.md) take turns although the clock
# goes back. One that replays from a time misses no row of a transaction that is open.
# Promise: No row can still appear
use strict;
use warnings;
use Dialogue;
use FakeClock;
use PostgreSQL::Test::Utils;
use Test::More;

my $a = FakeClock->new('a');
$a->init;
$a->start;
$a->safe_psql('postgres', 'CREATE EXTENSION kid');

my $page = slurp_file('docs/guides/consumers.md');
my ($table) = $page =~ /^(CREATE TABLE consumers .*?;)$/ms or die;
my ($parts, $choose, $done) = $page
  =~ /\*\*Share the work\*\*.*?\n(INSERT INTO consumers .*?;\n).*?\n(SELECT name.*?;\n).*?\n(UPDATE consumers\s.*?;\n)/s
  or die;
$a->safe_psql('postgres', $table . $parts);

# Returns the part that a worker takes in one turn.
sub turn
{
	my ($part) = $a->safe_psql('postgres', "$choose") =~ /^(mail \d)\|/;
	$a->safe_psql('postgres', $done =~ s/\$3/NULL/r =~ s/\$4/'$part'/r);
	return $part;
}
my @all = map { "mail $_" } 0 .. 3;
is(join(',', sort map { turn() } @all), join(',', @all), 'workers take turns');
$a->set_clock('-1h');
is(join(',', sort map { turn() } @all), join(',', @all), 'also after the clock went back');
$a->set_clock('+0');

# A transaction that began before the time to replay from commits afterwards.
my ($create, $batch) = $page
  =~ /^(INSERT INTO consumers \(name\) VALUES.*?;\nCREATE TABLE invoices.*?;\n)\n(BEGIN;\n.*?COMMIT;\n)/ms or die;
my ($replay) = $page =~ /\*\*Replay from a time\*\*.*?\n(UPDATE consumers\s.*?;\n)/s or die;
sub invoices
{
	my $query = "$batch; SELECT string_agg(text, ' ' ORDER BY event_id) FROM invoices";
	return $a->safe_psql('postgres', $query) =~ s/.*\n//sr;
}
sub replay { return $a->safe_psql('postgres', $replay =~ s/timestamptz '.*?'/$_[0]/r) }
$a->safe_psql('postgres', "CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), payload text);
	INSERT INTO events (payload) VALUES ('first'); $create");
is(invoices(), 'first', 'a consumer reads a row');
my $open = open_session($a);
answer($open, "BEGIN; INSERT INTO events (payload) VALUES ('early');");
$a->safe_psql('postgres', "INSERT INTO events (payload) VALUES ('late')");
replay('clock_timestamp()');
answer($open, 'COMMIT;');
close_session($open);
is(invoices(), 'first early late', 'one that replays from a time misses no row of a transaction that was open then');
replay("(SELECT kid_timestamp(id) FROM events WHERE payload = 'late')");
is(invoices(), 'first early late late', 'and reads the rows again from that time on');
done_testing();
