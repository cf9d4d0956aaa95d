# Servers that replicate to each other, by the statements of docs/replication.md: two, then a third and a fourth, under writes on
# all of them. Each server has all rows once. Without a step rows are lost, or replication stops, as the page says.
use strict;
use warnings;
use utf8;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

# From 16 on a subscription can skip changes that came from another server, so that a row does not return.
plan skip_all => 'subscriptions with origin = none need PostgreSQL 16'
  if PostgreSQL::Test::Cluster->new('version')->pg_version < 16;

my $schema = q{
	CREATE EXTENSION kid;
	CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), server text NOT NULL, changes int NOT NULL DEFAULT 0);
	CREATE TABLE stop ();
};
my %node;

sub start_server
{
	my ($name, @conf) = @_;
	my $node = $node{$name} = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', join "\n", 'max_logical_replication_workers = 8', 'max_worker_processes = 16', @conf, '');
	$node->start;
	sql($node, $schema);
	return $node;
}

sub sql { my ($node, $query, $database) = @_; return $node->safe_psql($database // 'postgres', $query) }

# Runs the statements of a block of the page on the servers that its comments name. They are in the database shop there, and here
# in postgres. `before`, if given, is called before each statement.
my ($time, %position);

sub run_block
{
	my ($block, $before) = @_;
	my $node;
	foreach my $part (split /^(?=-- \w+[:,])/m, $block)
	{
		my ($name) = $part =~ /\A-- (\w+)/ or die "no server: $part";
		$node = $node{$name} or die "no server $name";
		$part =~ s/\A.*\n//;
		foreach my $statement ($part =~ /^(\S.*?;[^\n]*)\n/msg)
		{
			my $repeat = $statement =~ /-- repeat it until it is true/;
			$statement =~ s/'host=(\w+) dbname=shop'/"'" . $node{$1}->connstr . " dbname=postgres'"/e;
			$statement =~ s/'2026-11-22 12:00:03[^']*'/'$time'/;
			my ($subscription) = $statement =~ /'(a_from_\w)'/;
			$statement =~ s/'0\/1C6F2A8'/'$position{$subscription}'/;
			$before->($name, $statement) if $before;
			if ($repeat)
			{
				$node->poll_query_until('postgres', $statement) or die "not true: $statement";
				next;
			}
			my $result = sql($node, $statement);
			$time = $result if $statement =~ /kid_timestamp\(kid_next/;
			$position{$subscription} = $result if $statement =~ /pg_replication_origin_progress/;
		}
	}
	return;
}

my $page = slurp_file('docs/replication.md');
my ($first_two, $further) = $page =~ /^```sql\n(.*?)^```$/msg;
like($first_two, qr/^-- a:\n.*^-- b, .*^-- a:\n/ms, 'the page has a block for the first two servers');
like($further, qr/^-- c, .*^-- b:\n.*^-- a:\n.*pg_replication_slot_advance/ms, 'the page has a block for each further server');

# Returns a block for server d, which follows c: the server that joins is d, and what the page says of b is done for b and for c.
sub for_fourth
{
	my ($block) = @_;
	my $result = '';
	$block =~ s/^-- \Kc(?=,)|\bc(?=:|_from_)|(?<=_from_)c\b|(?<=host=)c\b/d/gm;
	$block =~ s/kid\.node = 2/kid.node = 3/;
	foreach my $part (split /^(?=-- \w+[:,])/m, $block)
	{
		my ($head, $body) = $part =~ /\A([^\n]*\n)(.*)\z/s;
		$body = join '', map { /_from_b\b|\bb_from_/ && $head !~ /^-- b:/ ? ($_, s/(?<=_from_)b\b|(?<=host=)b\b/c/gr) : $_ } $body =~ /^\S.*?;[^\n]*\n/msg;
		$result .= $head . $body;
		$result .= "-- c:\n" . ($body =~ s/\bb(?=_from_)|(?<=_from_)b\b|(?<=host=)b\b/c/gr) if $head =~ /^-- b:/;
	}
	return $result;
}

# Starts a client that inserts rows, and changes its own rows, until it is stopped.
my @writers;

sub start_writer
{
	my ($node) = @_;
	my $name = $node->name;
	my $script = $node->basedir . '/write.sql';
	append_to_file($script, "DO \$\$
		DECLARE made kid64;
		BEGIN
			WHILE NOT EXISTS (SELECT FROM stop) LOOP
				INSERT INTO orders (server) SELECT '$name' FROM generate_series(1, 5);
				INSERT INTO orders (server) VALUES ('$name') RETURNING id INTO made;
				COMMIT;
				UPDATE orders SET changes = changes + 1 WHERE id = made;
				COMMIT;
				PERFORM pg_sleep(0.005);
			END LOOP;
		END \$\$");
	push @writers, { node => $node, handle => IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-f', $script ], '>', \my $stdout, '2>', \my $stderr) };
	$node->poll_query_until('postgres', "SELECT count(*) > 50 FROM orders WHERE server = '$name'") or die "$name does not write";
	return;
}

sub stop_writers
{
	foreach (@writers)
	{
		sql($_->{node}, 'ALTER TABLE stop ADD stopped bool; INSERT INTO stop DEFAULT VALUES');
		ok($_->{handle}->finish, 'a client wrote on ' . $_->{node}->name . ' without an error');
	}
	return;
}

# Returns the number of rows that each server made, and a digest of all rows.
sub contents
{
	my ($node, $database) = @_;
	return sql($node, q{SELECT string_agg(server || ' ' || count, ', ' ORDER BY server) FROM (SELECT server, count(*) FROM orders GROUP BY server) AS s
						UNION ALL SELECT md5(string_agg(o::text, '' ORDER BY id)) FROM orders AS o}, $database);
}

# Waits until each server has what the others sent.
sub catch_up
{
	my @nodes = @_;
	foreach my $from (@nodes)
	{
		$from->wait_for_catchup($_->name . '_from_' . $from->name) foreach grep { $_ != $from } @nodes;
	}
	return;
}

# The first two servers. Clients write on a from the beginning, on b from the moment that the page gives.
my $a = start_server('a');
sql($a, q{INSERT INTO orders (server) SELECT 'a' FROM generate_series(1, 1000)});
start_writer($a);
my $b = start_server('b', 'kid.lanes = 16', 'kid.node = 1');
run_block($first_two);
start_writer($b);

# A third server, while clients write on both.
my $c = start_server('c', 'kid.lanes = 16', 'kid.node = 2');
my $seen = '';
run_block($further, sub { $seen .= "$_[0] "; usleep(100_000) });
is($seen =~ s/(\w )\1*/$1/gr, 'c b a b c a b ', 'the steps of the page ran on the servers that it names');
start_writer($c);

# A fourth.
my $d = start_server('d', 'kid.lanes = 16', 'kid.node = 3');
my $fourth = for_fourth($further);
is(() = $fourth =~ /CREATE SUBSCRIPTION/g, 6, 'the fourth server subscribes to three, and they to it');
run_block($fourth);
start_writer($d);
usleep(500_000);
stop_writers();
catch_up($a, $b, $c, $d);
my $contents = contents($a);
like($contents, qr/\Aa \d{4,}, b \d{3,}, c \d{3,}, d \d{2,}\n/, 'all servers made rows: ' . $contents =~ s/\n.*//sr);
is(contents($_), $contents, $_->name . ' has all rows') foreach $b, $c, $d;
is(sql($a, 'SELECT string_agg(DISTINCT server || (kid_sequence(id) >> 10), $$ $$) FROM orders WHERE server <> $$a$$'), 'b8 c4 d12', 'IDs of each server are in its lane');
is(sql($_, q{SELECT count(*) FROM pg_stat_subscription_stats WHERE apply_error_count + sync_error_count > 0}), 0, $_->name . ': replication had no error') foreach $a, $b, $c, $d;

# Mistakes. They are made with a further database of c, which is called `hasty`.
sql($c, 'CREATE DATABASE hasty');
sql($c, $schema, 'hasty');

sub subscribe
{
	my ($from, $options) = @_;
	sql($c, sprintf(q{CREATE SUBSCRIPTION hasty_from_%s CONNECTION '%s dbname=postgres' PUBLICATION everything
						WITH (origin = none, disable_on_error = true, %s)}, $from->name, $from->connstr, $options), 'hasty');
	return;
}

# Returns the error with which replication to hasty stops.
sub sync_error
{
	my ($offset) = @_;
	$c->poll_query_until('hasty', 'SELECT bool_or(NOT subenabled) FROM pg_subscription') or die 'replication goes on';
	return slurp_file($c->logfile, $offset) =~ /ERROR: .*?(duplicate key.*)/ ? $1 : undef;
}

sub begin_again
{
	foreach ($a, $b)
	{
		my $name = 'hasty_from_' . $_->name;
		sql($c, "ALTER SUBSCRIPTION $name DISABLE; ALTER SUBSCRIPTION $name SET (slot_name = NONE); DROP SUBSCRIPTION $name", 'hasty')
		  if sql($c, "SELECT count(*) FROM pg_subscription WHERE subname = '$name'", 'hasty') > 0;
		$_->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_replication_slots WHERE slot_name = '$name' AND active") or die 'the slot is in use';
		sql($_, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '$name'");
	}
	sql($c, 'TRUNCATE orders', 'hasty');
	return;
}

sub wait_until_copied { $c->poll_query_until('hasty', q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel}) or die 'not copied'; return }

# c copies from a while a takes rows from b.
my $offset = -s $c->logfile;
subscribe($b, 'copy_data = false');
sql($b, q{INSERT INTO orders (server) VALUES ('b')});
catch_up($a, $b, $c, $d);
$b->wait_for_catchup('hasty_from_b');
subscribe($a, 'copy_data = true');
like(sync_error($offset), qr/duplicate key value violates unique constraint "orders_pkey"/, 'a copy from a, while a takes rows from b: a row of b arrives twice');
begin_again();

# The subscription to b comes after the copy.
subscribe($a, 'copy_data = true');
wait_until_copied();
sql($b, q{INSERT INTO orders (server, changes) VALUES ('b', -1)});
subscribe($b, 'copy_data = false');
sql($b, q{INSERT INTO orders (server, changes) VALUES ('b', -2)});
catch_up($a, $b, $c, $d);
$_->wait_for_catchup('hasty_from_' . $_->name) foreach $a, $b;
is(sql($c, 'SELECT string_agg(changes::text, $$ $$) FROM orders WHERE changes < 0', 'hasty'), '-2', 'a subscription to b after the copy from a: a row of b is lost');
is(sql($c, 'SELECT count(*) FROM pg_stat_subscription_stats WHERE apply_error_count + sync_error_count > 0', 'hasty'), 0, 'nothing reports the lost row');
begin_again();

# a stops taking rows of b before it has all that b wrote before the new subscription.
sql($a, 'ALTER SUBSCRIPTION a_from_b DISABLE');
$a->poll_query_until('postgres', q{SELECT pid IS NULL FROM pg_stat_subscription WHERE subname = 'a_from_b'}) or die;
sql($b, q{INSERT INTO orders (server, changes) VALUES ('b', -3)});
subscribe($b, 'copy_data = false, enabled = false');
my $position = sql($a, q{SELECT pg_replication_origin_progress('pg_' || oid, true) FROM pg_subscription WHERE subname = 'a_from_b'});
my ($advance) = $further =~ /^(SELECT pg_replication_slot_advance.*?;)/ms;
$advance =~ s/c_from_b/hasty_from_b/;
$advance =~ s/'0\/1C6F2A8'/'$position'/;
my (undef, undef, $refused) = $b->psql('postgres', $advance);
like($refused, qr/cannot advance replication slot/, 'a is paused too early: the position of the copy is refused');
sql($a, 'ALTER SUBSCRIPTION a_from_b ENABLE');
catch_up($a, $b, $c, $d);
begin_again();

# Clients write on a new server before others subscribe to it, or before it has copied all.
sql($c, q{INSERT INTO orders (server) VALUES ('early')}, 'hasty');
sql($c, 'CREATE PUBLICATION everything FOR TABLE orders', 'hasty');
sql($a, sprintf q{CREATE SUBSCRIPTION a_from_hasty CONNECTION '%s dbname=hasty' PUBLICATION everything WITH (origin = none, copy_data = false)}, $c->connstr);
sql($c, q{INSERT INTO orders (server) VALUES ('late')}, 'hasty');
$c->wait_for_catchup('a_from_hasty');
is(sql($a, q{SELECT string_agg(server, ' ') FROM orders WHERE server IN ('early', 'late')}), 'late', 'a row that was written before the subscription is lost');
$offset = -s $c->logfile;
subscribe($a, 'copy_data = true');
like(sync_error($offset), qr/duplicate key value violates unique constraint "orders_pkey"/, 'a row that was written before the copy comes back with it');

$_->stop('immediate') foreach $a, $b, $c, $d;
done_testing();
