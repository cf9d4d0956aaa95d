# Consumers that read in the order of IDs miss no row, as docs/guides/consumers.md promises: on the server that makes
# the IDs, by kid_horizon(); on a physical standby, on a logical subscriber of two servers, and on servers that
# replicate to each other, by the table `horizons`; and on the subscriber by a column of its own. Those that read all
# rows above their last ID do miss rows. A server is added without a gap.
# Promise: No row can still appear
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $schema = q{
	CREATE EXTENSION kid;
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), server text NOT NULL, what text);
	CREATE TABLE horizons (server text PRIMARY KEY, beat kid64 NOT NULL, id kid64 NOT NULL);
};

# Starts a server with the tables, and with further lines in postgresql.conf.
sub start_server
{
	my ($name, @conf) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', join "\n", 'max_prepared_transactions = 2', @conf, '');
	$node->start;
	$node->safe_psql('postgres', $schema);
	return $node;
}

# Starts a server that makes IDs, in a lane. When others write, its clock seems to be $ahead.
my @origins;

sub start_writer
{
	my ($name, $number, $ahead) = @_;
	my $node = start_server($name, 'kid.lanes = 4', "kid.node = $number");
	$node->safe_psql('postgres', qq{
		CREATE PROCEDURE beat() BEGIN ATOMIC
			UPDATE horizons SET beat = kid_next(), id = kid_horizon() WHERE server = '$name';
		END;
		CREATE PROCEDURE write_events(times int) LANGUAGE plpgsql AS \$\$
		BEGIN
			FOR i IN 1..times LOOP
				PERFORM kid_observe(kid64_floor(clock_timestamp() + interval '$ahead')) WHERE interval '$ahead' > '0';
				INSERT INTO events (server) SELECT '$name' FROM generate_series(1, 1 + (random() * 3)::int);
				PERFORM pg_sleep(random() * 0.1);
				INSERT INTO events (server) VALUES ('$name');
				IF random() < 0.1 THEN ROLLBACK; ELSE COMMIT; END IF;
				PERFORM pg_sleep(random() * 0.02);
			END LOOP;
		END \$\$;
		CREATE PROCEDURE beat_often(times int) LANGUAGE plpgsql AS \$\$
		BEGIN
			FOR i IN 1..times LOOP
				CALL beat(); COMMIT; PERFORM pg_sleep(0.03);
			END LOOP;
		END \$\$;
		CREATE PUBLICATION everything FOR TABLE events, horizons});
	push @origins, $node;
	return $node;
}
my ($a, $b) = (start_writer('a', 0, '0.2 s'), start_writer('b', 1, '0'));

$a->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($a, 'base', has_streaming => 1);
$standby->start;

my $subscriber = start_server('subscriber');
$subscriber->safe_psql('postgres',
	'ALTER TABLE events ADD pos kid64 NOT NULL DEFAULT kid_next(); CREATE INDEX ON events (pos)');

# From 16 on a subscription can skip changes that came from another server, so that a row does not return.
my $mutual = $a->pg_version >= 16;
my @subscriptions;

# Subscribes one server to another one, and waits until the rows are copied.
sub subscribe
{
	my ($to, $from) = @_;
	my ($name, $connection) = ($to->name . '_from_' . $from->name, $from->connstr . ' dbname=postgres');
	$to->safe_psql('postgres', "CREATE SUBSCRIPTION $name CONNECTION '$connection' PUBLICATION everything"
		  . ($mutual ? ' WITH (origin = none)' : ''));
	$to->wait_for_subscription_sync($from, $name);
	push @subscriptions, [ $from, $name ];
	return;
}
if ($mutual)
{
	subscribe($a, $b);
	subscribe($b, $a);
}
subscribe($subscriber, $_) foreach $a, $b;

# Inserts the row in which a server publishes its horizon.
sub insert_horizon
{
	my ($server) = @_;
	return $server->safe_psql('postgres',
		"INSERT INTO horizons VALUES ('" . $server->name . "', kid_next(), '...........')");
}
insert_horizon($_) foreach $a, $b;

my $least = '(SELECT min(id) FROM horizons)';
my $of_a = "(SELECT id FROM horizons WHERE server = 'a')";
my @consumers = map { { column => 'id', where => 'true', %$_, session => open_session($_->{node}) } } (
	{ name => 'a server that makes IDs', node => $a, horizon => 'kid_horizon()', where => "server = 'a'" },
	{ name => 'a physical standby', node => $standby, horizon => $of_a, where => "server = 'a'" },
	{ name => 'a subscriber, for one publisher', node => $subscriber, horizon => $of_a, where => "server = 'a'" },
	{ name => 'a subscriber, for two publishers', node => $subscriber, horizon => $least },
	{ name => 'a subscriber, by a column of its own', node => $subscriber, horizon => 'kid_horizon()',
		column => 'pos' },
	$mutual ? map { { name => $_->name . ', with replication both ways', node => $_, horizon => $least } } $a, $b,
	$standby : ());

# Reads what is new, as a consumer that reads up to the horizon, and as one that does not.
sub poll
{
	my ($consumer) = @_;
	my ($column, $session) = ($consumer->{column}, $consumer->{session});
	foreach my $kind ('right', 'wrong')
	{
		my $last = $consumer->{"$kind last"} // '...........';
		my $upto = $kind eq 'right' ? "AND $column < $consumer->{horizon}" : '';
		my @rows = split /\n/, answer($session, "SELECT $column, id FROM events
			WHERE $column > '$last' $upto AND $consumer->{where} ORDER BY $column;");
		foreach (@rows)
		{
			my ($position, $id) = /^(.{11})\|(.{11})$/ or die $_;
			$consumer->{"$kind last"} = $position;
			$consumer->{$kind}{$id}++;
		}
	}
	return;
}

# Returns which of the committed rows a consumer has not read, and how many it has read twice.
sub missed
{
	my ($consumer, $kind) = @_;
	my @all = split /\n/, $consumer->{node}->safe_psql('postgres', "SELECT id FROM events WHERE $consumer->{where}");
	my $twice = grep { $_ > 1 } values %{ $consumer->{$kind} };
	return (scalar(grep { !$consumer->{$kind}{$_} } @all), $twice, scalar @all);
}

# Waits until all subscribers and the standby have what the others wrote.
sub catch_up
{
	$_->[0]->wait_for_catchup($_->[1]) foreach @subscriptions;
	$a->wait_for_catchup($standby, 'replay', $a->lsn('insert'));
	return;
}

# Writes the horizons: twice, because the first one can be below the last ID before it.
sub beat
{
	$_->safe_psql('postgres', 'CALL beat(); CALL beat()') foreach @origins;
	catch_up();
	return;
}

# Returns how many rows with `what` the first five consumers have read. Those that follow are like the fourth.
sub have_read
{
	my ($kind, $what) = @_;
	poll($_) foreach @consumers;
	my @ids = split /\n/, $subscriber->safe_psql('postgres', "SELECT id FROM events WHERE what = '$what'");
	my @read = map { my $consumer = $_; scalar grep { $consumer->{$kind}{$_} } @ids } @consumers;
	is($read[$_], $read[3], "$consumers[$_]{name}: as a subscriber of both") foreach 5 .. $#consumers;
	return "@read[0 .. 4]";
}

# On each server a transaction that makes its ID early and commits late.
beat();
my @early = map { open_session($_) } $a, $b;
answer($early[0], "BEGIN; INSERT INTO events (server, what) VALUES ('a', 'early');");
answer($early[1], "BEGIN; INSERT INTO events (server, what) VALUES ('b', 'early');");
$a->safe_psql('postgres', "INSERT INTO events (server, what) VALUES ('a', 'late')");
$b->safe_psql('postgres', "INSERT INTO events (server, what) VALUES ('b', 'late')");
beat();
is(have_read('wrong', 'late'), '1 1 1 2 2',
	'without the horizon consumers read rows that were made late, but committed early');
is(have_read('right', 'late'), '0 0 0 0 2',
	'up to the horizon they do not, unless the position is made by the subscriber');
answer($early[0], 'COMMIT;');
beat();
is(have_read('right', 'early'), '1 1 1 0 1',
	'when the first transaction has committed, consumers of its server alone go on');
answer($early[1], "PREPARE TRANSACTION 'early';");
beat();
is(have_read('right', 'late'), '1 1 1 0 2', 'when the second is prepared, the others do not');
$b->safe_psql('postgres', "COMMIT PREPARED 'early'");
beat();
is(have_read('right', 'early'), '1 1 1 2 2', 'all consumers have read the rows that were committed late');
is(have_read('right', 'late'), '1 1 1 2 2', 'and those after them');
is(have_read('wrong', 'early'), '0 0 0 0 2', 'without the horizon they miss them');
close_session($_) foreach @early;

# Many of them at the same time.
my @writers = map { open_session($_) } ($a, $b) x 4;
my @beats = map { open_session($_) } $a, $b;
ask($_, 'CALL write_events(60);') foreach @writers;
ask($_, 'CALL beat_often(1000000);') foreach @beats;
while (grep { $_->{output} !~ /that is all/ } @writers)
{
	poll($_) foreach @consumers;
	$_->{handle}->pump_nb foreach @writers;
}
is(answer($_), '', 'a writer ends without an error') foreach @writers;
$_->safe_psql('postgres',
	"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE query LIKE 'CALL beat_often%'")
  foreach $a, $b;
beat();
foreach my $consumer (@consumers)
{
	my $meanwhile = keys %{ $consumer->{right} };
	poll($consumer);
	my ($missing, $twice, $all) = missed($consumer, 'right');
	my ($without) = missed($consumer, 'wrong');
	cmp_ok($meanwhile, '>', 0, "$consumer->{name}: a consumer reads $meanwhile rows while others write");
	is("$missing $twice", '0 0', "$consumer->{name}: a consumer reads each of $all rows once");
	cmp_ok($without, '>', 0, "$consumer->{name}: without the horizon it misses $without")
	  unless $consumer->{column} eq 'pos';
}

# A change on a publisher moves the row to another position on the subscriber.
$subscriber->safe_psql('postgres', q{
	CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.pos := public.kid_next(); RETURN NEW; END';
	CREATE TRIGGER move BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION move();
	ALTER TABLE events ENABLE REPLICA TRIGGER move});
my $changed = $b->safe_psql('postgres',
	"UPDATE events SET what = 'changed' WHERE what = 'late' AND server = 'b' RETURNING id");
catch_up();
poll($consumers[4]);
is($consumers[4]{right}{$changed}, 2,
	'a consumer by a column of the subscriber sees a row again that the publisher changed');

# A server is added whose clock is a minute behind. A row that it writes before the steps in the page is missed.
sub advance
{
	return $a->safe_psql('postgres', "SELECT kid_observe(kid64_floor(clock_timestamp() + interval '1 min'));
		INSERT INTO events (server) VALUES ('a')");
}
advance();
beat();
my $joined = { %{ $consumers[2] }, horizon => "(SELECT min(id) FROM horizons WHERE server <> 'b')",
	where => "server <> 'b'" };
poll($joined);
my $d = start_writer('d', 2, '0');
$d->safe_psql('postgres', "INSERT INTO events (server, what) VALUES ('d', 'hasty')");
subscribe($subscriber, $d);
insert_horizon($d);
catch_up();
$d->safe_psql('postgres', "SELECT kid_observe('" . $a->safe_psql('postgres', 'SELECT kid_next()') . "'::kid64)");
$d->safe_psql('postgres', "INSERT INTO events (server, what) VALUES ('d', 'in time')");
advance();
beat();
poll($joined);
my %read = map { $_ => $joined->{right}{ $subscriber->safe_psql('postgres',
			"SELECT id FROM events WHERE what = '$_'") } // 0 }
  'hasty', 'in time';
is($read{hasty}, 0, 'a consumer misses a row that a new server writes at once');
is($read{'in time'}, 1, 'it reads a row that the new server writes after these steps');

# The standby takes over: its consumer goes on, by either horizon.
my $lost = open_session($a);
answer($lost, "BEGIN; INSERT INTO events (server, what) VALUES ('a', 'lost');");
$a->safe_psql('postgres', "INSERT INTO events (server, what) VALUES ('a', 'before')");
catch_up();
$a->stop('immediate');
$standby->promote;
$standby->safe_psql('postgres', "INSERT INTO events (server, what) VALUES ('a', 'after')");
$standby->safe_psql('postgres', 'CALL beat(); CALL beat()');
my $consumer = $consumers[1];
poll($consumer);
is(join(' ', (missed($consumer, 'right'))[ 0, 1 ]), '0 0', 'on a promoted standby a consumer goes on by the table');
$consumer->{horizon} = 'kid_horizon()';
$standby->safe_psql('postgres', "INSERT INTO events (server, what) VALUES ('a', 'at last')");
poll($consumer);
is(join(' ', (missed($consumer, 'right'))[ 0, 1 ]), '0 0', 'and by kid_horizon()');

$subscriber->stop('immediate');
done_testing();
