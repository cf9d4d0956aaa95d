# A standby takes over for one of two servers that replicate to each other. Each server then misses rows, and nothing
# reports it. The promoted server does not repeat IDs of the other after kid_observe() of docs/guides/many-servers.md.
# Versions: subscriptions with origin = none, from 16 on
use strict;
use warnings;
use utf8;
use Mesh;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'subscriptions with origin = none need PostgreSQL 16'
  if PostgreSQL::Test::Cluster->new('version')->pg_version < 16;

my ($first_two) = slurp_file('docs/guides/many-servers.md') =~ /^```sql\n(-- a:\n.*?)^```\n/ms;

# Two servers, and a standby of the first one.
foreach my $name ('a', 'b')
{
	my $node = $node{$name} = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	$node->append_conf('postgresql.conf', $name eq 'b' ? "kid.lanes = 16\nkid.node = 1\n" : "\n");
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION kid;
		CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), server text NOT NULL)');
}
my ($a, $b) = @node{ 'a', 'b' };
run_block($first_two);
$a->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($a, 'base', has_streaming => 1);
$standby->start;
$a->safe_psql('postgres', q{INSERT INTO orders (server) VALUES ('a')});
$b->safe_psql('postgres', q{INSERT INTO orders (server) VALUES ('b')});
$a->wait_for_catchup('b_from_a');
$b->wait_for_catchup('a_from_b');

# The standby lags, both servers write, and the first ends.
$standby->safe_psql('postgres', q{ALTER SYSTEM SET primary_conninfo = ''});
$standby->reload;
$standby->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pg_stat_wal_receiver')
  or die 'the standby is connected';
$a->safe_psql('postgres', q{SELECT kid_observe(kid64_ceil(now() + interval '30 min'));
	INSERT INTO orders (server) SELECT 'lost' FROM generate_series(1, 1000)});
$b->safe_psql('postgres', q{INSERT INTO orders (server) SELECT 'late' FROM generate_series(1, 100)});
wait_until($b, q{SELECT count(*) = 1000 FROM orders WHERE server = 'lost'}, 'b gets rows that the standby lacks');
wait_until($a, q{SELECT count(*) = 100 FROM orders WHERE server = 'late'}, 'and a gets rows of b');
$b->wait_for_catchup('a_from_b', 'flush');
$a->stop('immediate');
$standby->promote;

$b->safe_psql('postgres', sprintf(q{ALTER SUBSCRIPTION b_from_a CONNECTION '%s'},
		$standby->connstr('postgres') =~ s/'/''/gr));
is($standby->safe_psql('postgres', 'SELECT count(*) FROM orders WHERE server IN ($$lost$$, $$late$$)'), '0',
	'and the promoted server has none of them');
$b->safe_psql('postgres', q{INSERT INTO orders (server) VALUES ('next')});
wait_until($standby, q{SELECT count(*) = 1 FROM orders WHERE server = 'next'}, 'it gets new rows');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM orders WHERE server = 'late'}), '0',
	'but not the earlier ones');
my $greatest = $b->safe_psql('postgres', q{SELECT max(id) FROM orders WHERE server = 'lost'});
is($standby->safe_psql('postgres', "SELECT kid_next() > '$greatest'"), 'f',
	'the promoted server can repeat IDs of the other');
$standby->safe_psql('postgres', "SELECT kid_observe('$greatest'::kid64)");
is($standby->safe_psql('postgres', "SELECT kid_next() > '$greatest'"), 't', 'after kid_observe() it does not');
$standby->safe_psql('postgres', q{SELECT pg_create_logical_replication_slot('b_from_a', 'pgoutput')});
wait_until($standby, q{SELECT active FROM pg_replication_slots WHERE slot_name = 'b_from_a'},
	'the other server subscribes to it');
my $errors = 'SELECT sum(apply_error_count) FROM pg_stat_subscription_stats';
my $attempts = $b->safe_psql('postgres', $errors);
$standby->safe_psql('postgres', q{INSERT INTO orders (server) VALUES ('skipped')});
$standby->safe_psql('postgres', q{INSERT INTO orders (server) SELECT 'new' FROM generate_series(1, 3000)});
$standby->safe_psql('postgres', q{INSERT INTO orders (server) VALUES ('newest')});
wait_until($b, q{SELECT count(*) = 1 FROM orders WHERE server = 'newest'}, 'and gets new rows');
is($b->safe_psql('postgres', q{SELECT count(*) FROM orders WHERE server = 'skipped'}), 0, 'but not the first');
is($b->safe_psql('postgres', $errors), $attempts, 'nothing reports it');
$_->stop('immediate') foreach $b, $standby;
done_testing();
