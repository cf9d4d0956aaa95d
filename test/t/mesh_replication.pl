# Servers that replicate to each other, by the statements of docs/guides/many-servers.md: two, then a third
# and a fourth, under writes on all of them. Each server has all rows once. Without a step rows are lost,
# or replication stops, as the page says.
# Versions: subscriptions with origin = none, from 16 on
use strict;
use warnings;
use utf8;
use Dialogue;
use IPC::Run ();
use Mesh;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

# From 16 on a subscription can skip changes that came from another server, so that a row does not return.
plan skip_all => 'subscriptions with origin = none need PostgreSQL 16'
  if PostgreSQL::Test::Cluster->new('version')->pg_version < 16;

my $schema = q{
	CREATE EXTENSION kid;
	CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), server text NOT NULL, changes int NOT NULL DEFAULT 0,
		n int GENERATED ALWAYS AS IDENTITY);
	CREATE TABLE stop ();
};

# Starts a server with the tables, and with further lines in postgresql.conf.
sub start_server
{
	my ($name, @conf) = @_;
	my $node = $node{$name} = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', join "\n", 'max_logical_replication_workers = 8', 'max_worker_processes = 16',
		@conf, '');
	$node->start;
	$node->safe_psql('postgres', $schema);
	return $node;
}

my $page = slurp_file('docs/guides/many-servers.md');
my ($first_two) = $page =~ /^```sql\n(-- a:.*?)^```$/ms;
my $further = slurp_file('docs/guides/further_server.sql') =~ s/\A.*?^(?=-- c, )//msr;
like($first_two, qr/^-- a:\n.*^-- b, .*^-- a:\n/ms, 'the page has a block for the first two servers');
like($further, qr/^-- c, .*^-- b:\n.*^-- a:\n.*pg_replication_slot_advance/ms,
	'further_server.sql has statements for three servers');

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
	push @writers, { node => $node, handle => IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1',
				'-d', $node->connstr('postgres'), '-f', $script ], '>', \my $stdout, '2>', \my $stderr) };
	$node->poll_query_until('postgres', "SELECT count(*) > 50 FROM orders WHERE server = '$name'")
	  or die "$name does not write";
	return;
}

sub stop_writers
{
	foreach (@writers)
	{
		$_->{node}->safe_psql('postgres', 'ALTER TABLE stop ADD stopped bool; INSERT INTO stop DEFAULT VALUES');
		ok($_->{handle}->finish, 'a client wrote on ' . $_->{node}->name . ' without an error');
	}
	return;
}

# Returns the number of rows that each server made, and a digest of all rows.
sub contents
{
	my ($node, $database) = @_;
	return $node->safe_psql($database, q{SELECT string_agg(server || ' ' || count, ', ' ORDER BY server)
		FROM (SELECT server, count(*) FROM orders GROUP BY server) AS s
						UNION ALL SELECT md5(string_agg(o::text, '' ORDER BY id)) FROM orders AS o});
}

# The first two servers. Clients write on a from the beginning, on b from the moment that the page gives.
my $a = start_server('a');
$a->safe_psql('postgres', q{INSERT INTO orders (server) SELECT 'a' FROM generate_series(1, 1000)});
start_writer($a);
my $b = start_server('b', 'kid.lanes = 16', 'kid.node = 1');
run_block($first_two);
start_writer($b);

# A third server, while clients write on both.
my $c = start_server('c', 'kid.lanes = 16', 'kid.node = 2');
my $seen = '';
run_block($further, undef, sub { $seen .= "$_[0] "; usleep(100_000) });
is($seen =~ s/(\w )\1*/$1/gr, 'c b a b c a b ', 'the steps of the page ran on the servers that it names');
start_writer($c);

# A fourth.
my $d = start_server('d', 'kid.lanes = 16', 'kid.node = 3');
my %fourth = (c => 'd', b => [ 'b', 'c' ]);
is(scalar(grep { $_->[1] =~ /CREATE SUBSCRIPTION/ } statements_of($further, \%fourth)), 6,
	'the fourth server subscribes to three, and they to it');
run_block($further, \%fourth);
start_writer($d);
usleep(500_000);
stop_writers();
catch_up($a, $b, $c, $d);
my $contents = contents($a);
like($contents, qr/\Aa \d{4,}, b \d{3,}, c \d{3,}, d \d{2,}\n/, 'all servers made rows: ' . $contents =~ s/\n.*//sr);
is(contents($_), $contents, $_->name . ' has all rows') foreach $b, $c, $d;
is($a->safe_psql('postgres', 'SELECT string_agg(DISTINCT server || (kid_sequence(id) >> 10), $$ $$)
		FROM orders WHERE server <> $$a$$'),
	'b8 c4 d12', 'IDs of each server are in its lane');
# 19 counts the errors of more kinds of synchronization.
my $errors = q{SELECT count(*) FROM pg_stat_subscription_stats s, jsonb_each_text(to_jsonb(s)) e
	WHERE e.key LIKE '%\_error_count' AND e.value <> '0'};
is($_->safe_psql('postgres', $errors), 0, $_->name . ': replication had no error') foreach $a, $b, $c, $d;

# The lanes of recent rows. A publisher that is restarted goes on with its subscribers, but not with `disable_on_error`.
my ($lanes) = $page =~ /^(SELECT kid_sequence.*?;)/ms;
is($a->safe_psql('postgres', $lanes) =~ s/\|\d+$//gmr, "0\n4\n8\n12", 'the page shows the lanes of recent rows');

# Inserts a row on a server, and returns where it arrives.
sub arrives
{
	my ($from, @nodes) = @_;
	my $id = $from->safe_psql('postgres', "INSERT INTO orders (server) VALUES ('" . $from->name . "') RETURNING id");
	return join ' ', map { $_->poll_query_until('postgres', "SELECT count(*) = 1 FROM orders WHERE id = '$id'")
		  ? $_->name : () } @nodes;
}

$b->stop;
wait_until($a, q{SELECT pid IS NULL FROM pg_stat_subscription WHERE subname = 'a_from_b'}, 'a_from_b does not run');
$b->start;
is(arrives($b, $a, $c, $d), 'a c d', 'a publisher was restarted: its rows arrive');
is($_->safe_psql('postgres', 'SELECT count(*) FROM pg_subscription WHERE NOT subenabled'), 0,
	$_->name . ': subscriptions are enabled')
  foreach $a, $c, $d;
$a->safe_psql('postgres', 'ALTER SUBSCRIPTION a_from_b SET (disable_on_error = true)');
$b->restart;
wait_until($a, q{SELECT NOT subenabled FROM pg_subscription WHERE subname = 'a_from_b'},
	'with disable_on_error it would disable the subscription');
$a->safe_psql('postgres',
	'ALTER SUBSCRIPTION a_from_b SET (disable_on_error = false); ALTER SUBSCRIPTION a_from_b ENABLE');

my @nodes = ($a, $b, $c, $d);

# Tests that all servers have the rows of the first one.
sub equal
{
	my ($what) = @_;
	catch_up(@nodes);
	my $expected = contents($nodes[0]);
	is(contents($_), $expected, "$what: " . $_->name . ' has the rows of a') foreach @nodes;
	return;
}
equal('after restarts');

# d is emptied, and begins again.
my $before = contents($a);
$d->safe_psql('postgres', 'TRUNCATE orders');
catch_up(@nodes);
is(contents($_), $before, $_->name . ' keeps its rows when those of d are truncated') foreach $a, $b, $c;
$_->safe_psql('postgres', 'DROP SUBSCRIPTION ' . $_->name . '_from_d') foreach $a, $b, $c;
$d->safe_psql('postgres', 'DROP SUBSCRIPTION d_from_' . $_->name) foreach $a, $b, $c;
run_block($further =~ s/^CREATE PUBLICATION.*?;\n//mr, \%fourth);
equal('d began again');
is(contents($d), $before, 'and has all rows');

# The same ID on two servers.
$a->safe_psql('postgres', 'ALTER SUBSCRIPTION a_from_b DISABLE');
$b->safe_psql('postgres', 'ALTER SUBSCRIPTION b_from_a DISABLE');
my $id = $a->safe_psql('postgres', q{INSERT INTO orders (server) VALUES ('a') RETURNING id});
$b->safe_psql('postgres', "INSERT INTO orders (id, server) VALUES ('$id', 'b')");
$a->safe_psql('postgres', 'ALTER SUBSCRIPTION a_from_b ENABLE');
$b->safe_psql('postgres', 'ALTER SUBSCRIPTION b_from_a ENABLE');
wait_until($_, 'SELECT sum(apply_error_count) > 0 FROM pg_stat_subscription_stats',
	$_->name . ' stops at a duplicate key') foreach @nodes;

# Deletes a row on one server. A session with a replication origin counts as another server, whose changes
# no subscription brings.
sub delete_here
{
	my ($node, $condition) = @_;
	$node->safe_psql('postgres', "SELECT pg_replication_origin_create('by_hand')
		WHERE NOT EXISTS (SELECT FROM pg_replication_origin WHERE roname = 'by_hand');
		SELECT pg_replication_origin_session_setup('by_hand'); DELETE FROM orders WHERE $condition");
	return;
}
delete_here($_, "id = '$id'") foreach @nodes;
catch_up(@nodes);
delete_here($_, "id = '$id'") foreach @nodes;
equal('without the duplicate key');

# Another table.
my ($add, $refresh) = $page =~ /`(ALTER PUBLICATION everything ADD\s+TABLE)`.*?`ALTER SUBSCRIPTION \S+ (REFRESH[^`]*)`/s
  or die;
$_->safe_psql('postgres', "CREATE TABLE customers (id kid64 PRIMARY KEY DEFAULT kid_next(), name text); $add customers")
  foreach @nodes;
foreach my $here (@nodes)
{
	$here->safe_psql('postgres', 'ALTER SUBSCRIPTION ' . $here->name . '_from_' . $_->name . " $refresh")
	  foreach grep { $_ != $here } @nodes;
}
$_->safe_psql('postgres', 'INSERT INTO customers (name) VALUES ($$' . $_->name . '$$)') foreach @nodes;
catch_up(@nodes);
is($_->safe_psql('postgres', 'SELECT string_agg(name, $$ $$ ORDER BY name) FROM customers'), 'a b c d',
	$_->name . ' has all rows of another table') foreach @nodes;
$_->safe_psql('postgres', 'DROP TABLE customers') foreach @nodes;

# The page's statements for a subscription that must not touch its publisher, for the slots on a copy of the files, and
# for the slot of a server that is gone. A statement that waits for the publisher is an error.
my ($untouched) = $page =~ /^### A subscription that must not touch its publisher\n(.*?)^### /ms;
my ($drop_subscription, $drop_slots, $drop_slot) = $untouched =~ /^```sql\n(.*?)^```/msg;

# Drops a subscription without touching its publisher, as the page says.
sub drop_untouched
{
	my ($node, $subscription, $database) = @_;
	$node->safe_psql($database,
		"SET statement_timeout = '30 s';\n" . $drop_subscription =~ s/a_from_b/$subscription/gr);
	return;
}

# A copy of a takes its slots, unless it is started without logical replication.
my ($option) = $page =~ /pg_ctl start -o '-c (\S+=0)'/;
$a->backup('copy');
my $thief = PostgreSQL::Test::Cluster->new('thief');
$thief->init_from_backup($a, 'copy');
$thief->start;
$a->stop;
$a->backup_fs_cold('files');
wait_until($thief, 'SELECT count(pid) = 3 FROM pg_stat_subscription', 'a copy takes the slots of its original');
$a->start;
$id = $b->safe_psql('postgres', q{INSERT INTO orders (server) VALUES ('b') RETURNING id});
wait_until($thief, "SELECT count(*) = 1 FROM orders WHERE id = '$id'", 'and its rows');
$b->wait_for_catchup('a_from_b', 'flush');
$thief->stop;
is(arrives($b, $a), 'a', 'when the copy has ended, the original goes on');
is($a->safe_psql('postgres', "SELECT count(*) FROM orders WHERE id = '$id'"), 0, 'but the row is lost');
delete_here($_, "id = '$id'") foreach $b, $c, $d;
equal('without the lost row');

my $slots = q{SELECT string_agg(slot_name, ' ' ORDER BY slot_name) FROM pg_replication_slots};
foreach my $backup ('copy', 'files')
{
	my $copy = PostgreSQL::Test::Cluster->new($backup);
	$copy->init_from_backup($a, $backup);
	$copy->append_conf('postgresql.conf', $option);
	$copy->start;
	is($copy->safe_psql('postgres', $slots), $backup eq 'copy' ? '' : 'b_from_a c_from_a d_from_a',
		"slots of a on a copy: $backup");
	drop_untouched($copy, "a_from_$_") foreach 'b', 'c', 'd';
	$copy->safe_psql('postgres', $drop_slots);
	is($copy->safe_psql('postgres',
			"SELECT count(*) FROM pg_subscription UNION ALL SELECT count(*) FROM pg_replication_slots"),
		"0\n0", 'the copy has no subscriptions and slots any more');
	is($_->safe_psql('postgres',
			"SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'a_from_" . $_->name . q{'}), 1,
		'the slot of a is still there: ' . $_->name) foreach $b, $c, $d;
	$copy->adjust_conf('postgresql.conf', 'max_logical_replication_workers', undef);
	$copy->restart;
	is(arrives($b, $a, $c, $d), 'a c d', 'beside a copy, rows arrive');
	$a->restart;
	is(arrives($b, $a, $c, $d), 'a c d', 'and after a restart of the original');
	is(arrives($a, $b, $c, $d), 'b c d', 'in both directions');
	equal('beside a copy');
	$copy->stop('immediate');
}

# d is lost. A new server gets its number.
$d->safe_psql('postgres', q{SELECT kid_observe(kid64_ceil(now() + interval '30 min'));
	INSERT INTO orders (server) SELECT 'd' FROM generate_series(1, 5)});
catch_up(@nodes);
$d->stop('immediate');
@nodes = ($a, $b, $c);
foreach my $node (@nodes)
{
	my $name = $node->name . '_from_d';
	wait_until($node, q{SELECT count(*) = 0 FROM pg_replication_slots WHERE slot_name LIKE 'd%' AND active},
		$node->name . ' has lost d');
	drop_untouched($node, $name);
	$node->safe_psql('postgres', $drop_slot =~ s/b_from_a/'d_from_' . $node->name/er);
}
equal('without d');

my $e = start_server('e', 'kid.lanes = 16', 'kid.node = 3');
run_block($further, { c => 'e', b => [ 'b', 'c' ] });
my $above = 'SELECT kid_next() > max(id) FROM orders';
is($e->safe_psql('postgres', $above), 'f', 'a new server with the number of d could repeat its IDs');
$e->safe_psql('postgres', 'SELECT * FROM kid_observe_all()');
is($e->safe_psql('postgres', $above), 't', 'after kid_observe_all() it does not');
push @nodes, $e;
is(arrives($e, $a, $b, $c), 'a b c', 'a new server in the place of d');
equal('with a new server');

# Mistakes. They are made with a further database of c, which is called `hasty`.
$c->safe_psql('postgres', 'CREATE DATABASE hasty');
$c->safe_psql('hasty', $schema);

# Subscribes the database hasty of c to a server.
sub subscribe
{
	my ($from, $options) = @_;
	$c->safe_psql(
		'hasty', sprintf(q{CREATE SUBSCRIPTION hasty_from_%s CONNECTION '%s dbname=postgres' PUBLICATION everything
						WITH (origin = none, disable_on_error = true, %s)}, $from->name, $from->connstr, $options));
	return;
}

# Returns the error with which replication to hasty stops.
sub sync_error
{
	my ($offset) = @_;
	$c->poll_query_until('hasty', 'SELECT bool_or(NOT subenabled) FROM pg_subscription') or die 'replication goes on';
	return slurp_file($c->logfile, $offset) =~ /ERROR: .*?(duplicate key.*)/ ? $1 : undef;
}

# Drops the subscriptions of the database hasty, their slots, and its rows.
sub begin_again
{
	foreach ($a, $b)
	{
		my $name = 'hasty_from_' . $_->name;
		drop_untouched($c, $name, 'hasty')
		  if $c->safe_psql('hasty', "SELECT count(*) FROM pg_subscription WHERE subname = '$name'") > 0;
		$_->poll_query_until('postgres',
			"SELECT count(*) = 0 FROM pg_replication_slots WHERE slot_name = '$name' AND active")
		  or die 'the slot is in use';
		$_->safe_psql('postgres',
			"SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '$name'");
	}
	$c->safe_psql('hasty', 'TRUNCATE orders');
	return;
}

# Waits until the first copy of the tables to the database hasty has ended.
sub wait_until_copied
{
	$c->poll_query_until('hasty', q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel}) or die 'not copied';
	return;
}

# c copies from a while a takes rows from b.
my $offset = -s $c->logfile;
subscribe($b, 'copy_data = false');
$b->safe_psql('postgres', q{INSERT INTO orders (server) VALUES ('b')});
catch_up($a, $b, $c, $e);
$b->wait_for_catchup('hasty_from_b');
subscribe($a, 'copy_data = true');
like(sync_error($offset), qr/duplicate key value violates unique constraint "orders_pkey"/,
	'a copy from a, while a takes rows from b: a row of b arrives twice');
begin_again();

# The subscription to b comes after the copy.
subscribe($a, 'copy_data = true');
wait_until_copied();
$b->safe_psql('postgres', q{INSERT INTO orders (server, changes) VALUES ('b', -1)});
subscribe($b, 'copy_data = false');
$b->safe_psql('postgres', q{INSERT INTO orders (server, changes) VALUES ('b', -2)});
catch_up($a, $b, $c, $e);
$_->wait_for_catchup('hasty_from_' . $_->name) foreach $a, $b;
is($c->safe_psql('hasty', 'SELECT string_agg(changes::text, $$ $$) FROM orders WHERE changes BETWEEN -9 AND -1'), '-2',
	'a subscription to b after the copy from a: a row of b is lost');
is($c->safe_psql('hasty', "$errors AND subname LIKE 'hasty%'"), 0, 'nothing reports the lost row');
begin_again();

# a stops taking rows of b before it has all that b wrote before the new subscription.
$a->safe_psql('postgres', 'ALTER SUBSCRIPTION a_from_b DISABLE');
$a->poll_query_until('postgres', q{SELECT pid IS NULL FROM pg_stat_subscription WHERE subname = 'a_from_b'}) or die;
$b->safe_psql('postgres', q{INSERT INTO orders (server, changes) VALUES ('b', -3)});
subscribe($b, 'copy_data = false, enabled = false');
my $position = $a->safe_psql('postgres',
	q{SELECT pg_replication_origin_progress('pg_' || oid, true) FROM pg_subscription
	WHERE subname = 'a_from_b'});
my ($advance) = $further =~ /^(SELECT pg_replication_slot_advance.*?;)/ms;
$advance =~ s/c_from_b/hasty_from_b/;
$advance =~ s/'0\/1C6F2A8'/'$position'/;
my (undef, undef, $refused) = $b->psql('postgres', $advance);
like($refused, qr/cannot advance replication slot/, 'a is paused too early: the position of the copy is refused');
$a->safe_psql('postgres', 'ALTER SUBSCRIPTION a_from_b ENABLE');
catch_up($a, $b, $c, $e);
begin_again();

# Clients write on a new server before others subscribe to it, or before it has copied all.
$c->safe_psql('hasty', q{INSERT INTO orders (server) VALUES ('early')});
$c->safe_psql('hasty', 'CREATE PUBLICATION everything FOR TABLE orders');
$a->safe_psql('postgres', sprintf(q{CREATE SUBSCRIPTION a_from_hasty CONNECTION '%s dbname=hasty'
	PUBLICATION everything WITH (origin = none, copy_data = false)}, $c->connstr));
$c->safe_psql('hasty', q{INSERT INTO orders (server) VALUES ('late')});
$c->wait_for_catchup('a_from_hasty');
is($a->safe_psql('postgres', q{SELECT string_agg(server, ' ') FROM orders WHERE server IN ('early', 'late')}), 'late',
	'a row that was written before the subscription is lost');
$offset = -s $c->logfile;
subscribe($a, 'copy_data = true');
like(sync_error($offset), qr/duplicate key value violates unique constraint "orders_pkey"/,
	'a row that was written before the copy comes back with it');

$_->stop('immediate') foreach $a, $b, $c, $e;
# While a subscriber copies the first rows of a table, here again and again because one of them is there already, it has
# a slot for that table. A copy of the subscriber must not drop it.
my ($publisher, $subscriber, $copied) = map { PostgreSQL::Test::Cluster->new($_) } 'publisher', 'subscriber', 'copied';
foreach my $node ($publisher, $subscriber)
{
	$node->init(allows_streaming => 'logical');
	$node->start;
	$node->safe_psql('postgres', 'CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)');
}
$publisher->safe_psql('postgres', 'CREATE PUBLICATION everything FOR TABLE t');
$subscriber->safe_psql('postgres',
	q{CREATE SUBSCRIPTION a_from_b CONNECTION '} . $publisher->connstr . q{ dbname=postgres' PUBLICATION everything});
$publisher->poll_query_until('postgres', 'SELECT count(*) = 2 FROM pg_replication_slots') or die;
$subscriber->backup('copied');
$copied->init_from_backup($subscriber, 'copied');
$copied->append_conf('postgresql.conf', $option);
$copied->start;
$subscriber->stop;
my $made = $publisher->safe_psql('postgres', $slots);
like($made, qr/sync/, 'the subscriber has a slot for a table');
drop_untouched($copied, 'a_from_b', 'postgres');
is($publisher->safe_psql('postgres', $slots), $made, 'which its copy leaves there');

done_testing();
