# "A region fails over" in docs/guides/many-servers.md: a standby takes over for a server whose rows go to another one.
# By the statements and commands of the page both have all rows, no ID repeats, and new rows arrive.
use strict;
use warnings;
use utf8;
use Mesh;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($page) = slurp_file('docs/guides/many-servers.md') =~ /^## A region fails over\n(.*?)^## /ms or die;
my %section = $page =~ /^### ([^\n]*)\n(.*?)(?=^### |\z)/msg;

foreach my $name ('paris', 'berlin')
{
	my $node = $node{$name} = PostgreSQL::Test::Cluster->new($name);
	$node->init(allows_streaming => 'logical');
	my $number = $name eq 'berlin' ? 1 : 0;
	$node->append_conf('postgresql.conf', "kid.lanes = 16\nkid.node = $number");
	$node->start;
	$node->safe_psql('postgres', q{CREATE EXTENSION kid;
		CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text);
		CREATE TABLE items (id kid64 PRIMARY KEY DEFAULT kid_next());
		CREATE TABLE horizons (server text PRIMARY KEY, beat kid64 NOT NULL, id kid64 NOT NULL)});
}
my ($paris, $berlin) = @node{qw(paris berlin)};
sub insert { $_[0]->safe_psql('postgres', "INSERT INTO orders (item) VALUES ('$_[1]')"); return }
sub items { return $_[0]->safe_psql('postgres', q{SELECT string_agg(item, ', ' ORDER BY id) FROM orders}) }

insert($paris, 'of Paris');
insert($berlin, 'early');
$berlin->safe_psql('postgres', q{CREATE PUBLICATION orders FOR TABLE orders, items, horizons;
	CREATE ROLE copier LOGIN REPLICATION SUPERUSER});
$paris->safe_psql('postgres', sprintf(q{CREATE SUBSCRIPTION paris_from_berlin
	CONNECTION '%s dbname=postgres user=copier' PUBLICATION orders}, $berlin->connstr));
$paris->wait_for_subscription_sync($berlin, 'paris_from_berlin');
$berlin->backup('base');
my $berlin2 = $node{berlin2} = PostgreSQL::Test::Cluster->new('berlin2');
$berlin2->init_from_backup($berlin, 'base', has_streaming => 1);
$berlin2->start;
$berlin->wait_for_catchup($berlin2);

# The standby lags. The reports get a row whose ID is of a time to come, as if the clock of the standby were behind.
$berlin2->safe_psql('postgres', q{ALTER SYSTEM SET primary_conninfo = ''});
$berlin2->reload;
$berlin2->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pg_stat_wal_receiver') or die;
$berlin->safe_psql('postgres', q{SELECT kid_observe(kid64_ceil(now() + interval '10 min'))});
insert($berlin, 'only in the reports');
$berlin->safe_psql('postgres', q{INSERT INTO horizons VALUES ('berlin', kid_next(), kid_next())});
$berlin->wait_for_catchup('paris_from_berlin');
$berlin->stop('immediate');
is($berlin2->safe_psql('postgres', 'SELECT node, lane, lanes FROM kid_identity()'), '1|1|16',
	'the standby shows the number and lanes of its primary');
$berlin2->promote;
my $last = $paris->safe_psql('postgres', 'SELECT id FROM horizons');
my $is_above = "SELECT kid_next() > '$last'";
is($berlin2->safe_psql('postgres', $is_above), 'f', 'the promoted server could repeat IDs');

run_section($section{$_}) foreach 'Drop the subscription to the lost server', 'The greatest ID of a lane';
is($berlin2->safe_psql('postgres', $is_above), 't', 'after kid_observe() it does not');
run_section($section{'Rows that only the reports have'});
is(items($berlin2), 'early, only in the reports', 'the promoted server has all rows of its region');

# A row that the standby had received, and the subscription had not
insert($berlin2, 'only on the standby');
run_section($section{'The new subscription'});
insert($berlin2, 'new');
$berlin2->wait_for_catchup('paris_from_berlin');
is(items($paris), 'of Paris, early, only in the reports, only on the standby, new', 'the reports have all rows');
is(items($berlin2), 'early, only in the reports, only on the standby, new', 'and the region its own');
is($paris->safe_psql('postgres', 'SELECT sum(apply_error_count) FROM pg_stat_subscription_stats'), 0,
	'replication had no error');
$_->stop('immediate') foreach $paris, $berlin2;
done_testing();
