# Consumers on servers with faults. Those that share the work (docs/guides/consumers.md) take turns although the clock goes back. One
# that replays from a time misses no row of a transaction that is open. One that reads by transaction ID (docs/operate/run-and-watch.md) misses no row after a failover that lost rows, if its cursor is set back.
use strict;
use warnings;
use Dialogue;
use FakeClock;
use PostgreSQL::Test::Utils;
use Test::More;

my $a = FakeClock->new('a');
$a->init(allows_streaming => 1);
$a->start;
$a->sql('CREATE EXTENSION kid');

my $page = slurp_file('docs/guides/consumers.md');
my ($table) = $page =~ /^(CREATE TABLE consumers .*)$/m or die;
my ($parts, $choose, $done) = $page =~ /\*\*Share the work\*\*.*?\n(INSERT INTO consumers .*?;\n).*?\n(SELECT name.*?;\n).*?\n(UPDATE consumers .*?;\n)/s or die;
$a->sql($table . $parts);

# Returns the part that a worker takes in one turn.
sub turn
{
	my ($part) = $a->sql("$choose") =~ /^(mail \d)\|/;
	$a->sql($done =~ s/\$3/NULL/r =~ s/\$4/'$part'/r);
	return $part;
}
my @all = map { "mail $_" } 0 .. 3;
is(join(',', sort map { turn() } @all), join(',', @all), 'workers take turns');
$a->set_clock('-1h');
is(join(',', sort map { turn() } @all), join(',', @all), 'also after the clock went back');
$a->set_clock('+0');

# A transaction that began before the time to replay from commits afterwards.
my ($create, $batch) = $page =~ /^(INSERT INTO consumers \(name\) VALUES.*?;\nCREATE TABLE invoices.*?;\n)\n(BEGIN;\n.*?COMMIT;\n)/ms or die;
my ($replay) = $page =~ /\*\*Replay from a time\*\*.*?\n(UPDATE consumers .*?;\n)/s or die;
sub invoices { return $a->sql("$batch; SELECT string_agg(text, ' ' ORDER BY event_id) FROM invoices") =~ s/.*\n//sr }
sub replay { return $a->sql($replay =~ s/timestamptz '.*?'/$_[0]/r) }
$a->sql("CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), payload text); INSERT INTO events (payload) VALUES ('first'); $create");
is(invoices(), 'first', 'a consumer reads a row');
my $open = open_session($a);
answer($open, "BEGIN; INSERT INTO events (payload) VALUES ('early');");
$a->sql("INSERT INTO events (payload) VALUES ('late')");
replay('clock_timestamp()');
answer($open, 'COMMIT;');
close_session($open);
is(invoices(), 'first early late', 'one that replays from a time misses no row of a transaction that was open then');
replay("(SELECT kid_timestamp(id) FROM events WHERE payload = 'late')");
is(invoices(), 'first early late late', 'and reads the rows again from that time on');

# The standby is away while the primary commits the last rows, and takes its place afterwards.
my ($outbox, $poll, $set_back) = slurp_file('docs/operate/run-and-watch.md') =~ /^```sql\n(CREATE TABLE outbox .*?)^```.*?^```sql\n(SELECT tx.*?)^```.*?`(SELECT tx[^`]*)`/ms or die;
$a->sql($outbox);
$a->backup('b');
my $b = PostgreSQL::Test::Cluster->new('b');
$b->init_from_backup($a, 'b', has_streaming => 1);
$b->start;

sub insert_rows
{
	my ($node, $payload) = @_;
	$node->safe_psql('postgres', "INSERT INTO outbox (payload) VALUES ('$payload')") foreach 1 .. 20;
	return;
}
my %cursor = (tx => 0, id => '2222222222222222');
my @read;

sub read_all
{
	my ($node) = @_;
	my $sql = $poll =~ s/\$1/'$cursor{tx}'/r =~ s/\$2/'$cursor{id}'/r;
	foreach (split /\n/, $node->safe_psql('postgres', $sql))
	{
		@cursor{qw(tx id)} = split /\|/;
		push @read, {%cursor};
	}
	return;
}

sub missed
{
	my %ids = map { $_->{id} => 1 } @read;
	return scalar grep { !$ids{$_} } split /\n/, $b->safe_psql('postgres', 'SELECT id FROM outbox');
}
insert_rows($a, 'early');
read_all($a);
$a->wait_for_catchup($b, 'replay', $a->lsn('insert'));
$b->stop;
insert_rows($a, 'lost');
read_all($a);
is(scalar @read, 40, 'a consumer reads what the primary commits');
my $time = $a->sql('SELECT clock_timestamp()');
$a->stop('immediate');
$b->start;
$b->promote;
insert_rows($b, 'late');
read_all($b);
cmp_ok(missed(), '>', 0, 'with its cursor it misses rows of the promoted standby');
@cursor{qw(tx id)} = split /\|/, $b->safe_psql('postgres', $set_back =~ s/…/$time/r);
read_all($b);
is(missed(), 0, 'set back to the last row from before, it misses none');
$b->stop;
done_testing();
