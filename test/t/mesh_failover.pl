# A standby takes over for one of two servers that replicate to each other. With the settings of
# docs/guides/replication-incidents.md both then have all rows, and go on. Without them each server misses rows, and nothing reports it.
use strict;
use warnings;
use utf8;
use Mesh;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'slots that a standby synchronizes need PostgreSQL 17'
  if PostgreSQL::Test::Cluster->new('version')->pg_version < 17;

my $page = slurp_file('docs/guides/replication.md');
my ($first_two) = $page =~ /^```sql\n(.*?)^```\n/ms;
my ($before, $after) = scalar(blocks_of('A standby of one of these servers')) =~ /\A(.*?)^(-- the standby, before.*)\z/ms;
my ($conf) = slurp_file('docs/guides/replication-incidents.md') =~ /^```\n(primary_conninfo.*?)^```\n/ms;

# Starts two servers and a standby of the first one. `prepared`: with the settings of the page.
sub start_pair
{
	my ($round, $prepared) = @_;
	foreach my $name ('a', 'b')
	{
		my $node = $node{$name} = PostgreSQL::Test::Cluster->new("$name$round");
		$node->init(allows_streaming => 'logical');
		$node->append_conf('postgresql.conf', $name eq 'b' ? "kid.lanes = 16\nkid.node = 1\n" : "\n");
		$node->start;
		sql($node, 'CREATE EXTENSION kid; CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), server text NOT NULL)');
	}
	my ($a, $b) = @node{ 'a', 'b' };
	run_block($first_two);
	$a->backup('base');
	my $standby = $node{standby} = PostgreSQL::Test::Cluster->new("standby$round");
	$standby->init_from_backup($a, 'base', has_streaming => 1);
	if ($prepared)
	{
		my $address = $a->connstr('postgres') =~ s/'//gr;
		my ($slot) = slurp_file('docs/guides/replication-incidents.md') =~ /`(SELECT\s+pg_create_physical_replication_slot.*?)`/;
		sql($a, $slot);
		$standby->append_conf('postgresql.conf', $conf =~ s/host=a dbname=shop/$address/r);
	}
	$standby->start;
	if ($prepared)
	{
		wait_until($a, q{SELECT count(*) = 1 FROM pg_stat_replication WHERE application_name = 'a_standby'}, 'the standby is connected');
		run_block($before =~ s/-- each other server, here b:/-- b:/r, { every => [ 'a', 'b' ] });
	}
	sql($a, q{INSERT INTO orders (server) VALUES ('a')});
	sql($b, q{INSERT INTO orders (server) VALUES ('b')});
	$a->wait_for_catchup('b_from_a');
	$b->wait_for_catchup('a_from_b');
	return ($a, $b, $standby);
}

# Lets the standby lag, writes on both servers, and ends the first.
sub lose
{
	my ($a, $b, $standby) = @_;
	sql($standby, q{ALTER SYSTEM SET primary_conninfo = ''});
	$standby->reload;
	$standby->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pg_stat_wal_receiver') or die 'the standby is connected';
	sql($a, q{SET synchronous_commit = local; SELECT kid_observe(kid64_ceil(now() + interval '1 minute'));
		INSERT INTO orders (server) SELECT 'lost' FROM generate_series(1, 1000)});
	sql($b, q{INSERT INTO orders (server) SELECT 'late' FROM generate_series(1, 100)});
	sleep 5;
	my @seen = (sql($b, q{SELECT count(*) FROM orders WHERE server = 'lost'}), sql($a, q{SELECT count(*) FROM orders WHERE server = 'late'}));
	$a->stop('immediate');
	$standby->promote;
	return "@seen";
}

sub digest { return sql($_[0], q{SELECT count(*) || ' ' || md5(string_agg(o::text, '' ORDER BY id)) FROM orders AS o}) }

# Without the settings.
my ($a, $b, $standby) = start_pair(1, 0);
is(lose($a, $b, $standby), '1000 100', 'without the settings, each server gets the rows of the other that the standby lacks');
sql($b, sprintf q{ALTER SUBSCRIPTION b_from_a CONNECTION '%s'}, $standby->connstr('postgres') =~ s/'/''/gr);
is(sql($standby, 'SELECT count(*) FROM orders WHERE server IN ($$lost$$, $$late$$)'), '0', 'and the promoted server has none of them');
sql($b, q{INSERT INTO orders (server) VALUES ('next')});
wait_until($standby, q{SELECT count(*) = 1 FROM orders WHERE server = 'next'}, 'it gets new rows');
is(sql($standby, q{SELECT count(*) FROM orders WHERE server = 'late'}), '0', 'but not the earlier ones');
my $greatest = sql($b, q{SELECT max(id) FROM orders WHERE server = 'lost'});
is(sql($standby, "SELECT kid_next() > '$greatest'"), 'f', 'the promoted server can repeat IDs of the other');
sql($standby, "SELECT kid_observe('$greatest'::kid64)");
is(sql($standby, "SELECT kid_next() > '$greatest'"), 't', 'after kid_observe() it does not');
sql($standby, q{SELECT pg_create_logical_replication_slot('b_from_a', 'pgoutput')});
wait_until($standby, q{SELECT active FROM pg_replication_slots WHERE slot_name = 'b_from_a'}, 'the other server subscribes to it');
my $errors = 'SELECT sum(apply_error_count) FROM pg_stat_subscription_stats';
my $attempts = sql($b, $errors);
sql($standby, q{INSERT INTO orders (server) VALUES ('skipped')});
sql($standby, q{INSERT INTO orders (server) SELECT 'new' FROM generate_series(1, 3000)});
sql($standby, q{INSERT INTO orders (server) VALUES ('newest')});
wait_until($b, q{SELECT count(*) = 1 FROM orders WHERE server = 'newest'}, 'and gets new rows');
is(sql($b, q{SELECT count(*) FROM orders WHERE server = 'skipped'}), 0, 'but not the first');
is(sql($b, $errors), $attempts, 'nothing reports it');
$_->stop('immediate') foreach $b, $standby;

# With them.
($a, $b, $standby) = start_pair(2, 1);
my ($ready) = $after =~ /^(SELECT bool_and.*?;)/m;
wait_until($standby, $ready, 'the standby has the slot');
is(lose($a, $b, $standby), '0 0', 'with the settings, neither server shows rows that the standby lacks');
run_block($after =~ s/.*?(?=-- the standby, after)//sr);
sql($b, sprintf q{ALTER SUBSCRIPTION b_from_a CONNECTION '%s'}, $standby->connstr('postgres') =~ s/'/''/gr);
sql($standby, q{INSERT INTO orders (server) SELECT 'new' FROM generate_series(1, 10)});
sql($b, q{INSERT INTO orders (server) VALUES ('next')});
wait_until($b, q{SELECT count(*) = 10 FROM orders WHERE server = 'new'}, 'rows of the promoted server arrive');
wait_until($standby, q{SELECT count(*) = 1 FROM orders WHERE server = 'next'}, 'and those of the other');
is(digest($standby), digest($b), 'both have the same rows: ' . digest($b));
is(sql($standby, q{SELECT count(*) FROM orders WHERE server = 'late'}), 100, 'also those that were late');
$_->stop('immediate') foreach $b, $standby;
done_testing();
