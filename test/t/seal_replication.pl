# kid_seal beside logical replication of all tables, in both directions: each server keeps its own keys,
# and no log shows one.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @names = qw(left right);
my @nodes = map { PostgreSQL::Test::Cluster->new($_) } @names;
foreach my $node (@nodes)
{
	$node->init(allows_streaming => 'logical');
	# Versions that log conflicts between servers log rows only with track_commit_timestamp.
	$node->append_conf('postgresql.conf',
		"autovacuum = off\nlog_min_messages = debug1\ntrack_commit_timestamp = on\n"
		  . "wal_retrieve_retry_interval = 100ms\n");
	$node->start;
}
plan skip_all => 'no pgcrypto'
  if $nodes[0]->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pgcrypto'}) eq 0;

# Every key that a server ever had.
my %secret;

# Returns the keys of a database, and notes them as secrets.
sub keys_of
{
	my $keys = $_[0]->safe_psql($_[1],
		q{SELECT string_agg(n || encode(key, 'hex') || seals, ' ' ORDER BY n) FROM kid_seal_internal.keys});
	$secret{$_} = 1 foreach map { substr $_, -64 } $keys =~ /(\d[0-9a-f]{64})/g;
	return $keys;
}

# Waits until a row that is inserted on each publisher has arrived: what came before it has been applied.
my $marks = 0;
sub wait_for_marks
{
	my ($database, @directions) = @_;
	$marks++;
	foreach (@directions)
	{
		my ($from, $to) = @$_;
		$nodes[$from]->safe_psql($database, "INSERT INTO marks VALUES ($marks, $from)");
		$nodes[$to]->poll_query_until($database, "SELECT count(*) = 1 FROM marks WHERE n = $marks AND place = $from")
		  or return 0;
	}
	return 1;
}

foreach my $copy (qw(true false))
{
	foreach my $mutual (0, 1)
	{
		my $case = "copy_data = $copy, " . ($mutual ? 'both directions' : 'one direction');
		my $database = "copy_$copy" . '_' . $mutual;
		my @directions = ([ 0, 1 ], $mutual ? [ 1, 0 ] : ());
		foreach my $node (@nodes)
		{
			$node->safe_psql('postgres', "CREATE DATABASE $database");
			$node->safe_psql($database, q{
				SET client_min_messages = error;
				CREATE EXTENSION kid_seal CASCADE;
				SELECT kid_seal_new_key(); SELECT kid_seal_new_key(); SELECT kid_seal_use_key(1);
				CREATE TABLE marks (n integer, place integer);
				-- PostgreSQL 15 would send a row to and fro.
				CREATE FUNCTION drop_known() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
					IF EXISTS (SELECT FROM public.marks AS m WHERE m.n = NEW.n AND m.place = NEW.place)
						THEN RETURN NULL; END IF;
					RETURN NEW; END';
				CREATE TRIGGER drop_known BEFORE INSERT ON marks FOR EACH ROW EXECUTE FUNCTION drop_known();
				ALTER TABLE marks ENABLE REPLICA TRIGGER drop_known});
		}
		# A key that both have, as after an import.
		$_->safe_psql($database, "SELECT kid_seal_import_key(3, encode(sha256('$database'), 'hex'))") foreach @nodes;
		my @sealed = map { $_->safe_psql($database, q{SELECT kid_seal('.6.nef3Mk.3'::kid64, 'ord')}) } @nodes;
		my @keys = map { keys_of($_, $database) } @nodes;
		my $subscribe = sub {
			my ($from, $to, $copy) = @_;
			$nodes[$from]->safe_psql($database, 'CREATE PUBLICATION p FOR ALL TABLES');
			$nodes[$to]->safe_psql($database,
				"CREATE SUBSCRIPTION ${database}_$to CONNECTION 'host=" . $nodes[$from]->host . ' port='
				  . $nodes[$from]->port . " dbname=$database' PUBLICATION p WITH (copy_data = $copy)");
		};
		$subscribe->(@$_, $copy) foreach @directions;
		foreach (@directions)
		{
			my $tables = $nodes[ $_->[0] ]->safe_psql($database, 'SELECT count(*) FROM pg_publication_tables');
			ok($nodes[ $_->[1] ]->poll_query_until($database,
					"SELECT count(*) = $tables AND bool_and(srsubstate IN ('r', 's')) FROM pg_subscription_rel"),
				"$case: all tables are in step");
		}
		ok(wait_for_marks($database, @directions), "$case: rows arrive");
		is(keys_of($nodes[$_], $database), $keys[$_], "$case: keys of $names[$_] are its own") foreach 0, 1;

		# Every change of keys, on each server.
		$_->safe_psql($database, 'SELECT kid_seal_new_key(); SELECT kid_seal_use_key(4); SELECT kid_seal_forget_key(2);
			SELECT kid_seal_forget_key(3)') foreach @nodes;
		@keys = map { keys_of($_, $database) } @nodes;
		like($keys[$_], qr/^1\w{64}f\w* 4\w{64}t\w*$/, "$case: $names[$_] rotates") foreach 0, 1;
		ok(wait_for_marks($database, @directions), "$case: rows arrive after rotations on both servers");
		is(keys_of($nodes[$_], $database), $keys[$_], "$case: keys of $names[$_] are its own after rotations")
		  foreach 0, 1;
		is($nodes[$_]->safe_psql($database, q{SELECT string_agg(n::text, ' ' ORDER BY n)
				FROM kid_seal_internal.forgotten}), '2 3', "$case: so are the keys that $names[$_] has forgotten")
		  foreach 0, 1;
		is($nodes[$_]->safe_psql($database, "SELECT kid64_unseal('$sealed[$_]', 'ord')"), '.6.nef3Mk.3',
			"$case: $names[$_] opens its texts") foreach 0, 1;
		foreach my $change ('TRUNCATE kid_seal_internal.keys, marks', 'TRUNCATE kid_seal_internal.forgotten, marks',
			'UPDATE kid_seal_internal.keys SET made = now()')
		{
			my ($result, undef, $stderr) = $nodes[0]->psql($database, $change);
			like($stderr, qr/keys cannot be changed by/, "$case: $change is refused");
		}
		$nodes[$_]->safe_psql($database, 'DROP SUBSCRIPTION ' . $database . "_$_") foreach map { $_->[1] } @directions;
	}
}
foreach my $node (@nodes)
{
	my $log = slurp_file($node->logfile);
	is(scalar(grep { $log =~ /${\ substr $_, 0, 16}/i } keys %secret), 0, 'no key is in the log of ' . $node->name);
}
cmp_ok(scalar(keys %secret), '>=', 16, 'of many keys');

done_testing();
