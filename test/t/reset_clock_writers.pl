# The steps of docs/operate/when-something-is-wrong.md, "A clock that was wrong", while eight writers in two databases
# run on, and long transactions are open. No client is given an ID twice, no key is lost, and afterwards all clocks are
# right. KID_ROUNDS multiplies the rounds.
use strict;
use warnings;
use Dialogue;
use FakeClock;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = FakeClock->new('main');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'kid'\nlog_min_messages = error\nfsync = off\n");
$node->start;
my %tables = (orders => 'kid64', items => 'kid64', visits => 'uuid', events => 'flake', snos => 'sno');
my $schema = q{
	CREATE EXTENSION kid;
	CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), updated timestamptz, n int NOT NULL DEFAULT 0);
	CREATE TABLE items (id kid64 PRIMARY KEY DEFAULT kid_next(), order_id kid64 NOT NULL REFERENCES orders);
	CREATE INDEX ON items (order_id);
	CREATE TABLE visits (id uuid PRIMARY KEY DEFAULT kid_uuidv7(),
		order_id kid64 NOT NULL REFERENCES orders ON UPDATE CASCADE);
	CREATE INDEX ON visits (order_id);
	CREATE TABLE events (id flake PRIMARY KEY DEFAULT flake_next());
	CREATE TABLE snos (id sno PRIMARY KEY DEFAULT sno_next());
	CREATE FUNCTION touch() RETURNS trigger
		LANGUAGE plpgsql AS 'BEGIN NEW.updated := clock_timestamp(); NEW.n := NEW.n + 1; RETURN NEW; END';
	CREATE TRIGGER touch BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch();
};
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql($_, $schema) foreach 'postgres', 'other';

# A writer prints each ID that it is given.
my $script = $node->basedir . '/script.sql';
my $one = q{
	BEGIN;
	INSERT INTO orders DEFAULT VALUES RETURNING id AS o \gset
	SELECT 'kid64', :'o';
	INSERT INTO items (order_id) VALUES (:'o') RETURNING 'kid64', id;
	INSERT INTO events DEFAULT VALUES RETURNING 'flake', id;
	INSERT INTO items (order_id) SELECT :'o' FROM generate_series(1, 3) RETURNING 'kid64', id;
	INSERT INTO visits (order_id) VALUES (:'o') RETURNING 'uuid', id;
	COMMIT;
	\unset o
	INSERT INTO snos DEFAULT VALUES RETURNING 'sno', id;
	SELECT pg_sleep(0.01) \g /dev/null
};
open my $file, '>', $script or die $!;
print $file $one foreach 1 .. 50_000;
close $file;
my @logs;
my @writers = map {
	my $name = $node->basedir . "/writer$_";
	push @logs, $name;
	IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=sqlstate', '-d', $node->connstr($_ < 5 ? 'postgres' : 'other')
			  . ' application_name=writer', '-f', $script ], '<', \undef, '>', "$name.out", '2>', "$name.err")
} 1 .. 8;

my @given;
my @long = map { open_session($node, $_) } 'postgres', 'other';
my %admin = map { $_ => open_session($node, $_) } 'postgres', 'other';
my $holder = open_session($node);
my $new_keys = q{
	BEGIN;
	ALTER TABLE orders DISABLE TRIGGER USER;
	WITH new_keys AS MATERIALIZED (
	    SELECT id AS old, kid64_at(now()) AS new FROM (SELECT id FROM orders WHERE id > now() ORDER BY id) AS future
	),
	in_orders AS (UPDATE orders SET id = new FROM new_keys WHERE id = old RETURNING 'kid64', new),
	in_items AS (UPDATE items SET order_id = new FROM new_keys WHERE order_id = old),
	in_visits AS (UPDATE visits SET order_id = new FROM new_keys WHERE order_id = old)
	SELECT * FROM in_orders;
	UPDATE items SET id = kid64_at(now()) WHERE id > now() RETURNING 'kid64', id;
	UPDATE visits SET id = kid_uuidv7_at(now()) WHERE id > now() RETURNING 'uuid', id;
	UPDATE events SET id = flake_at(now()) WHERE id > now() RETURNING 'flake', id;
	UPDATE snos SET id = sno_at(now()) WHERE id > now() RETURNING 'sno', id;
	ALTER TABLE orders ENABLE TRIGGER USER;
	COMMIT;
};

# The statements of the page's steps 3 and 5
my ($steps) = slurp_file('docs/operate/when-something-is-wrong.md') =~ /^## A clock that was wrong\n(.*?)^## /ms;
my ($hold, $reset) = map { $steps =~ /^$_\. .*?`((?:BEGIN|SELECT kid_reset)[^`]*;)`/ms } 3, 5;
my $rounds = 2 * ($ENV{KID_ROUNDS} // 1);
my %tries;
foreach my $round (1 .. $rounds)
{
	# Each round has a time of its own: a client may be given the IDs of replaced rows again, when their time comes.
	$node->set_clock('+' . $round . 'h');
	sleep 1;
	# The writers may all be waiting for sno's clock, which stays.
	push @given, $node->safe_psql('postgres', q{INSERT INTO events DEFAULT VALUES RETURNING 'flake', id});
	push @given, answer($_, q{BEGIN; INSERT INTO orders DEFAULT VALUES RETURNING 'kid64', id;}) foreach @long;
	$node->set_clock('+0');
	sleep 0.3;
	my $done = '';
	for my $try (1 .. 20)
	{
		if ($try == 2)
		{
			push @given, answer($_, q{INSERT INTO events DEFAULT VALUES RETURNING 'flake', id; COMMIT;})
			  foreach @long;
		}
		$done = answer($holder, "SET client_min_messages = error; $hold");
		last if $done !~ /ERROR/;
		$tries{ ($done =~ /ERROR:  (\w+)/)[0] }++;
		answer($holder, 'ROLLBACK;');
		sleep 0.2;
	}
	like($done, qr/^kid\b.*^flake\b/ms, "round $round: the clocks are held");
	push @given, answer($admin{$_}, $new_keys) foreach sort keys %admin;
	is(answer($admin{$_}, q{SELECT string_agg(format('%s: %s', relation, coalesce(k.problem, later)), ' ')
			FROM kid_stats() s, kid_stored_ids(now(), s.clock) k WHERE ahead > '1 min' AND (later IS NOT NULL
			OR k.problem IS NOT NULL);}), '', "round $round: no IDs of the future are left in $_")
	  foreach sort keys %admin;
	is(answer($holder, $reset), '', "round $round: the clocks are lowered");
	is($node->safe_psql('postgres', q{SELECT string_agg(clock, ' ') FROM kid_stats() WHERE ahead > '1 s'}), '',
		"round $round: all clocks are right");
	sleep 0.3;
}
close_session($_) foreach @long, values %admin, $holder;
# A session that ends has said what it was given.
$node->safe_psql('postgres',
	q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'writer'});
$_->finish foreach @writers;

my (%seen, %twice, $count);
foreach my $line ((map { split /\n/ } @given), map { split /\n/, slurp_file("$_.out") } @logs)
{
	next unless $line =~ /^(?:kid64|flake|uuid|sno)\|\S+$/;
	$count++;
	$twice{$line}++ if $seen{$line}++;
}
cmp_ok($count, '>', 1000 * $rounds, "clients were given IDs: $count");
is(join(' ', sort keys %twice), '', 'no ID was given twice');
my %errors;
$errors{$_}++ foreach map { slurp_file("$_.err") =~ /ERROR:  (\w+)/g } @logs;
delete @errors{qw(53400 25P02 42601 57P01)};    # a wait that was too long, and what follows from it
is(join(' ', %errors), '', 'writers had no other error than that of a wait');
is($node->safe_psql($_, q{SELECT count(*) FROM orders WHERE updated IS NOT NULL OR n <> 0}), '0',
	"the triggers of users did not run in $_") foreach 'postgres', 'other';
foreach my $database ('postgres', 'other')
{
	my $all = $node->safe_psql($database, join ' UNION ALL ',
		map { "SELECT '$tables{$_}|' || id FROM $_" } sort keys %tables);
	is(scalar(grep { !$seen{$_} } split /\n/, $all), 0, "each key in $database was given to a client");
	is($node->safe_psql($database, q{SELECT count(*) FROM items LEFT JOIN orders o ON o.id = order_id
			WHERE o.id IS NULL}), '0', "no reference is broken in $database");
}
note(join ' ', 'other tries:', %tries);
$node->stop;
done_testing();
