# Servers that replicate to each other by row filters, as PostgreSQL 15 needs it, by the statements of
# docs/guides/many-servers.md. The clock of c is half an hour behind, and that of a is 20 minutes ahead. Consumers get
# rows of b and c in time only when the servers run the loop of docs/guides/consumers.md together with its statement
# that observes the median. They miss none, and no server follows the clock that is ahead. In the end c is lost.
# Promise: No row can still appear
use strict;
use warnings;
use utf8;
use Dialogue;
use FakeClock;
use IPC::Run ();
use Mesh;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $page = slurp_file('docs/guides/many-servers.md');
my ($filters) = $page =~ /^### Row filters on PostgreSQL 15\n(.*?)^### /ms or die;
my ($table, $replication, $trigger, $takes_over) = $filters =~ /^```sql\n(.*?)^```$/msg;
my ($of_kid53) = $filters =~ /`WHERE \((id % \d+ \/ \d+ = )8\)` on server 1 of 16/ or die;
my ($lost) = $page =~ /^### A server is lost\n(.*?)^### /ms or die;
my $consumers = slurp_file('docs/guides/consumers.md');
my ($horizons) = $consumers =~ /^(CREATE TABLE horizons .*?;)\n/ms or die;
my ($insert_horizon) = $consumers =~ /^(INSERT INTO horizons .*?;)\n/ms or die;
my ($loop) = $consumers =~ /^```sh\n(while .*?)^```$/ms or die;
my ($observe) = $consumers =~ /^(SELECT kid_observe\(.*?;)\n/ms or die;
my ($ages) = $consumers =~ /^(SELECT server, now\(\) - kid_timestamp\(id\).*?;)\n/ms or die;
my ($of_horizons) = $consumers =~ /`horizons` needs one as well:\s+`(WHERE \(server = 'a'\))`/ or die;

my %clock = (a => '+20m', b => '+0', c => '-30m');
foreach my $name ('a', 'b', 'c')
{
	my $number = ord($name) - ord 'a';
	my $node = $node{$name} = FakeClock->new($name);
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', "kid.lanes = 16\nkid.node = $number\n");
	$node->set_clock($clock{$name});
	$node->start;
	$node->safe_psql('postgres', "CREATE EXTENSION kid; $table $horizons
		CREATE TABLE items (id bigint PRIMARY KEY DEFAULT kid53_next());
		CREATE TABLE seen (id kid64 PRIMARY KEY); CREATE TABLE stop ();
		CREATE ROLE beater LOGIN; GRANT SELECT, UPDATE ON horizons TO beater;
		GRANT EXECUTE ON FUNCTION kid_observe(kid64) TO beater");
}
my ($a, $b, $c) = @node{qw(a b c)};
my @nodes = ($a, $b, $c);
$c->safe_psql('postgres', q{INSERT INTO orders (item) VALUES ('before the copy')});

# The publications of the page, with the filters of horizons and items
my %position = (a => 0, b => 8, c => 4);
foreach my $name (sort keys %position)
{
	my $filters_of_others = "horizons $of_horizons, items WHERE ($of_kid53$position{$name})," =~ s/'a'/'$name'/r;
	$replication =~ s/^-- $name:\nCREATE PUBLICATION everything FOR TABLE/$& $filters_of_others/m;
}
like($replication, qr/ items WHERE \(id % 4096 \/ 256 = 4\), orders WHERE \(server = 2\)/, 'the page has the filters');
run_block($replication);
foreach my $node (@nodes)
{
	my $name = $node->name;
	wait_until($node, q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel}, "$name has copied all");
	$node->safe_psql('postgres', "$insert_horizon $trigger INSERT INTO items DEFAULT VALUES" =~ s/'a'/'$name'/r);
}

# Starts the loop of the page on each server, as a role that is no superuser, and ten times as fast.
my @loops;

sub start_loops
{
	my ($with) = @_;
	foreach my $node (@nodes)
	{
		my ($name, $to) = ($node->name, $node->connstr . ' dbname=postgres user=beater application_name=loop');
		my $script = $loop =~ s/'a'/'$name'/r =~ s/sleep 1$/sleep 0.1/mr =~ s/-d shop/-d "$to"/r
		  =~ s/(?<=echo ")/$with\n/r;
		push @loops, IPC::Run::start([ 'sh', '-c', $script ], '>', \my $out, '2>', \my $errors);
	}
	return;
}

# Ends the sessions of the loops on a server.
sub end_loop
{
	return $_[0]->safe_psql('postgres', q{SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE application_name = 'loop'});
}

# Without the statement that observes, consumers are half an hour late.
start_loops('');
# The first UPDATE of a server can write a horizon of 1970, because the server has made no ID before it.
wait_until($b, q{SELECT bool_and(id > timestamptz '2020-01-01') FROM horizons}, 'the horizons of all servers arrive');
my @ages = map { "round(extract(epoch FROM age_of_$_) / 600)" } 'horizon', 'beat';
is($b->safe_psql('postgres', "SELECT server, $ages[0], $ages[1] FROM (" . ($ages =~ s/;//r) . ') AS ages'),
	"c|3|3\nb|0|0\na|-2|-2", 'the query shows whose clock is wrong');
end_loop($_) foreach @nodes;
$_->finish foreach splice @loops;
pass('a loop ends with its session');

# Clients write while the servers observe, and consumers read.
start_loops($observe);
my @writers = map {
	my $insert = q{INSERT INTO orders (item) SELECT 'new' FROM generate_series(1, 3)};
	IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $_->connstr('postgres'), '-c', "DO \$\$ BEGIN
		WHILE NOT EXISTS (SELECT FROM stop) LOOP
			$insert; PERFORM pg_sleep(random() * 0.05); $insert; COMMIT; PERFORM pg_sleep(0.01);
		END LOOP; END \$\$" ], '>', \my $out, '2>', \my $errors)
} @nodes;

my %session = map { $_->name => open_session($_) } @nodes;

sub consume
{
	answer($session{ $_->name }, q{INSERT INTO seen SELECT id FROM orders
		WHERE id > coalesce((SELECT max(id) FROM seen), '...........')
		  AND id < (SELECT min(id) FROM horizons);}) foreach @_;
	return;
}
for (1 .. 40) { consume(@nodes); usleep(30_000) }
$_->safe_psql('postgres', 'ALTER TABLE stop ADD s int; INSERT INTO stop VALUES (1)') foreach @nodes;
is(scalar(grep { $_->finish } @writers), 3, 'clients wrote without an error');
my %last = map { $_->name => $_->safe_psql('postgres', 'SELECT kid_next()') } @nodes;
foreach my $node (@nodes)
{
	my $name = $node->name;
	wait_until($node, "SELECT min(id) > greatest('$last{b}', '$last{c}'::kid64) FROM horizons",
		"$name: the lowest horizon passes the last IDs of b and c");
	consume($node);
	is($node->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE server > 0 OR id < (SELECT max(id) FROM seen))
		FROM orders WHERE id NOT IN (SELECT id FROM seen)}), 0, "and a consumer on $name misses none");
	is($node->safe_psql('postgres', q{SELECT string_agg(DISTINCT server::text, ' ') FROM orders JOIN seen USING (id)}),
		'1 2', 'which has rows of the servers that are not ahead');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM items'), 3, 'the filter of a kid53 works');
}
is($_->safe_psql('postgres', "SELECT kid_next() < clock_timestamp() + interval '1 min' + interval '$clock{b}'
	- CASE WHEN kid_sequence(kid_next()) / 1024 = 4 THEN interval '$clock{c}' ELSE '0' END"), 't',
	$_->name . ' does not follow the clock that is ahead') foreach $b, $c;
end_loop($_) foreach @nodes;
$_->finish foreach splice @loops;
close_session($_) foreach values %session;

# Changes of rows of other servers: what the page says of them, and the trigger.
sub insert { my ($node, $item) = @_; return $node->safe_psql('postgres',
		"INSERT INTO orders (item) VALUES ('$item') RETURNING id") }

sub items
{
	return $_[0]->safe_psql('postgres', q{SELECT string_agg(item, ', ' ORDER BY item) FROM orders WHERE item <> 'new'});
}
insert($c, 'of c');
insert($a, 'goes');
catch_up(@nodes);
like(($a->psql('postgres', $_))[2], qr/another server changes this row/, "the trigger rejects: $_")
  foreach q{UPDATE orders SET item = 'x' WHERE item = 'of c'}, q{DELETE FROM orders WHERE item = 'of c'},
  q{INSERT INTO orders (server) VALUES (1)}, q{UPDATE orders SET server = 1 WHERE server = 0};
$a->safe_psql('postgres', 'DROP TRIGGER only_own_rows ON orders');
$a->safe_psql('postgres', q{UPDATE orders SET item = 'only on a' WHERE item = 'of c';
	INSERT INTO orders (server, item) VALUES (1, 'nowhere'); UPDATE orders SET server = 1 WHERE item = 'goes'});
catch_up(@nodes);
is(items($a), 'before the copy, goes, nowhere, only on a', 'without it, changes of rows of others stay on a');
is(items($_), 'before the copy, of c', 'and a row whose number changes goes elsewhere') foreach $b, $c;
$a->safe_psql('postgres', q{DELETE FROM orders WHERE item IN ('goes', 'nowhere');
	UPDATE orders SET item = 'of c' WHERE item = 'only on a'});

# c is lost. Only a has its last row.
$b->safe_psql('postgres', 'ALTER SUBSCRIPTION b_from_c DISABLE');
wait_until($c, q{SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'b_from_c'}, 'b has lost c');
insert($c, 'last');
$c->wait_for_catchup('a_from_c');
$c->stop('immediate');
wait_until($_, q{SELECT count(*) = 0 FROM pg_replication_slots WHERE slot_name LIKE 'c%' AND active},
	$_->name . ' has lost c') foreach $a, $b;
run_section($lost =~ s/'2026-11-22 12:00:03[^']*'/'2026-01-01'/gr);
is($_->safe_psql('postgres', q{SELECT string_agg(server, ' ' ORDER BY server) FROM horizons}),
	$_ == $a ? 'a b' : 'a b c', 'step 5 deletes the row only on ' . $a->name) foreach $a, $b;
run_block($takes_over);
$a->safe_psql('postgres', q{UPDATE orders SET item = 'changed on a' WHERE item = 'last'});
$a->wait_for_catchup('b_from_a');
is(items($_), 'before the copy, changed on a, of c', $_->name . ' has the rows of c, which a changes') foreach $a, $b;
# 19 counts the errors of more kinds of synchronization.
my $errors = q{SELECT count(*) FROM pg_stat_subscription_stats s, jsonb_each_text(to_jsonb(s)) e
	WHERE e.key LIKE '%\_error_count' AND e.value <> '0'};
is($_->safe_psql('postgres', $errors), 0, $_->name . ': replication had no error') foreach $a, $b;

# A client gives a row of another server the number of its own.
$a->safe_psql('postgres', 'UPDATE orders SET server = 0 WHERE id = (SELECT min(id) FROM orders WHERE server = 1)');
wait_until($b, $errors =~ s/count\(\*\)/count(*) > 0/r, 'b cannot go on');
like(slurp_file($b->logfile), qr/duplicate key value violates unique constraint "orders_pkey"|conflict=insert_exists/,
	'because it has the row already');
$_->stop('immediate') foreach $a, $b;
done_testing();
