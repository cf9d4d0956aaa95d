# What tells servers apart: kid.node = auto differs between two clones of one primary that are both promoted, and stays through
# restarts; the number that Citus gives its nodes, and what refuses on its workers. Citus itself is not needed: kid reads its table.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION kid');

# A session of `node`, with all that it says.
sub session
{
	my ($node, $sql, $database) = @_;
	my ($status, $stdout, $stderr) = $node->psql($database // 'postgres', $sql);
	return $stdout . $stderr;
}

sub node_of { return session($_[0], 'SELECT node FROM kid_identity()') }

# The number in all that has it.
my $everywhere = 'SELECT DISTINCT node FROM (VALUES (kid_node(kid96_next())), (kid_node(kid96_at(now()))), (kid_node(kid_global(kid_next())))) v (node)';

# kid64 and flake ask for no number, so none is drawn. A copy from before that is another server then.
$primary->safe_psql('postgres', 'SELECT kid_next(), flake_next()');
$primary->backup('undrawn');
$primary->backup('base');
my ($east, $west) = map { PostgreSQL::Test::Cluster->new($_) } qw(east west);
foreach ($east, $west)
{
	$_->init_from_backup($primary, 'base', has_streaming => 1);
	$_->start;
}
my $wait = sub { $primary->wait_for_catchup($_, 'replay', $primary->lsn('flush')) foreach @_ };
$wait->($east, $west);
is(session($east, 'SELECT * FROM kid_identity()'), '||0|0|1', 'before a number is drawn a standby knows none');
like(session($east, "\\set VERBOSITY verbose\nSELECT kid_global('.6.nef3Mk..')"),
	qr/ERROR:  55000: node number of this server is not known\nDETAIL:  It is drawn when the first ID is made that has it, and the server is in recovery/, 'and says so where it is asked for it');

my $number = node_of($primary);
is(session($primary, $everywhere), $number, 'one number in all');
$wait->($east, $west);
is(node_of($east), $number, 'a standby has that of its primary');
is(session($east, q{SELECT kid_node(kid_global('.6.nef3Mk..'))}), $number, 'also to read IDs with');
$primary->restart;
is(node_of($primary), $number, 'it stays');
$primary->stop('immediate');
$primary->start;
is(node_of($primary), $number, 'after a crash, too');

# Both are promoted, to the same timeline of WAL, from the same page.
$_->promote foreach $east, $west;
my %is = (primary => $number, east => session($east, $everywhere), west => session($west, $everywhere));
foreach ($east, $west)
{
	$_->safe_psql('postgres', 'CHECKPOINT');
	is($_->safe_psql('postgres', 'SELECT timeline_id FROM pg_control_checkpoint()'), '2', 'a clone is on timeline 2, promoted');
}
isnt($is{east}, $is{west}, 'two clones of one primary differ');
isnt($_, $number, 'and from it') foreach @is{qw(east west)};
is(node_of($east), $is{east}, 'the identity has it');
is(session($east, 'SELECT kid_partition(sno_next())'), $is{east} & 0xffff, 'sno has its last 16 bits');
$east->restart;
is(node_of($east), $is{east}, 'it stays');
# A standby of the promoted one, promoted in its turn.
$east->backup('base');
my $third = PostgreSQL::Test::Cluster->new('third');
$third->init_from_backup($east, 'base', has_streaming => 1);
$third->start;
$third->promote;
my $of_third = session($third, $everywhere);
ok($of_third != $_, 'another promotion, another number') foreach $number, @is{qw(east west)};
# Without a lease there is a number all the same.
$third->append_conf('postgresql.conf', "kid.lease = 0\n");
$third->restart;
is(session($third, $everywhere), $of_third, 'without a lease it stays');
$third->stop;
my $unleased = PostgreSQL::Test::Cluster->new('unleased');
$unleased->init_from_backup($primary, 'undrawn');
$unleased->append_conf('postgresql.conf', "kid.lease = 0\n");
$unleased->start;
my $of_unleased = session($unleased, $everywhere);
isnt($of_unleased, $number, 'and is drawn');
$unleased->restart;
is(session($unleased, $everywhere), $of_unleased, 'once');
$unleased->stop;
$west->stop;

# Lanes of a server that is promoted are those of its own configuration.
$east->append_conf('postgresql.conf', "kid.node = 3\nkid.lanes = 8\n");
$east->restart;
is(session($east, 'SELECT kid_sequence(kid_next()) BETWEEN 12288 AND 14335'), 't', 'a lane');
$east->backup('lanes');
my $fourth = PostgreSQL::Test::Cluster->new('fourth');
$fourth->init_from_backup($east, 'lanes', has_streaming => 1);
$fourth->start;
is(session($fourth, 'SELECT * FROM kid_identity()'), '3|3|3|3|8', 'a standby shows what it will have');
like(session($fourth, 'SELECT kid_next()'), qr/ERROR:  cannot execute kid_next\(\) during recovery/, 'and makes no ID');
$east->stop;
$fourth->promote;
is(session($fourth, 'SELECT kid_sequence(kid_next()) BETWEEN 12288 AND 14335, lane FROM kid_identity()'), 't|3', 'promoted it has the lane');
$fourth->stop;

# Citus. Its table, as Citus 13.2 makes it.
sub citus_group
{
	my ($group, $database) = @_;
	$primary->safe_psql($database // 'postgres', qq{
		SET allow_system_table_mods = on;
		CREATE TABLE IF NOT EXISTS pg_catalog.pg_dist_local_group (groupid int NOT NULL PRIMARY KEY);
		DELETE FROM pg_catalog.pg_dist_local_group;
		INSERT INTO pg_catalog.pg_dist_local_group VALUES ($group)});
	return;
}

# The settings of the server, and what is in force then.
sub configure
{
	my %settings = @_;
	$primary->safe_psql('postgres', "LOAD 'kid'; ALTER SYSTEM SET kid.$_ = $settings{$_}") foreach sort keys %settings;
	$primary->reload;
	return session($primary, 'SELECT * FROM kid_identity()');
}
$primary->safe_psql('postgres', 'CREATE DATABASE plain');
$primary->safe_psql('plain', 'CREATE EXTENSION kid');
my $all = 'SELECT kid_sequence(kid_next()), kid_node(kid96_next()), kid_partition(sno_next()), kid_generator(flake_next())';
my $next = "\\set VERBOSITY verbose\nSELECT";
my $refused = qr/ERROR:  55000: IDs that this Citus worker makes would repeat those of other nodes\n/;
citus_group(0);
like(session($primary, $all), qr/^\d+\|$number\|\d+\|0$/, 'a coordinator makes all');
citus_group(5);
like(session($primary, "$next $_"), qr/${refused}DETAIL:  "kid.lanes" is 1.*\nHINT:  .*ALTER SYSTEM SET kid.node = 'citus'; ALTER SYSTEM SET kid.lanes = 16/, "a worker does not: $_")
  foreach 'kid_next()', 'kid64_next()', 'kid_next(3)', 'kid64_at(now())';
like(session($primary, "$next $_"), qr/${refused}DETAIL:  The generator of flake.*\nHINT:  .*ALTER SYSTEM SET kid.node = 'citus'/, "nor $_") foreach 'flake_next()', 'flake_next(3)', 'flake_at(now())';
is(session($primary, 'SELECT kid_node(kid96_next()), kid_partition(sno_next()), length(flax_next()::text)'), "$number|" . ($number & 0xffff) . '|16', 'kid96, sno and flax differ by chance');
is(session($primary, 'SELECT * FROM kid_identity()'), "$number|" . ($number & 0xffff) . '|||1', 'as the identity shows');
is(session($primary, 'SELECT length(kid_next()::text), kid_generator(flake_next())', 'plain'), '11|0', 'another database of the server is none of Citus');
is(session($primary, 'SET kid.flake_id = 9; SELECT kid_generator(flake_next())'), '9', 'a generator that is set will do');
is(configure(node => q{'citus'}), '5|5|5||1', 'the number of Citus');
like(session($primary, "$next kid_next()"), $refused, 'is not enough for kid64');
is(session($primary, 'SELECT kid_generator(flake_next())'), '5', 'but for flake');
is(configure(lanes => 16), '5|5|5|5|16', 'with lanes');
# 5 = 0101, reversed 1010, of 16 lanes of 1024.
is(session($primary, 'SELECT kid_sequence(id) BETWEEN 10240 AND 11263 FROM kid_next() AS id'), 't', 'kid64, too');
is(session($primary, $all, 'plain') =~ s/^\d+//r, '|5|5|5', 'in other databases of the server as well');
is(configure(lanes => 4), '5|5|5||4', 'a group beyond the lanes');
like(session($primary, "$next kid_next()"), qr/ERROR:  F0000: node number of this server does not fit "kid.lanes"\nDETAIL:  It is 5, and the range is 0 to 3/, 'is an error');
# One lane again, while a statement runs that may make IDs in lanes only.
configure(lanes => 16);
my ($stdout, $stderr) = ('', '');
my $running = IPC::Run::start([ 'psql', '-XAtq', '-d', $primary->connstr('postgres'), '-c',
		'DO $$ BEGIN FOR i IN 1 .. 3000 LOOP PERFORM kid_next(); COMMIT; PERFORM pg_sleep(0.01); END LOOP; END $$' ],
	'>', \$stdout, '2>', \$stderr);
$primary->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'}) or die;
is(configure(lanes => 1), '5|5|5||1', 'one lane, while a statement runs');
$running->finish;
like($stderr, qr/ERROR:  IDs that this Citus worker makes would repeat/, 'which ends with the error');

# Citus gives a server its number when it is added.
configure(lanes => 16, node => 2);
citus_group(0);
is(configure(node => q{'citus'}), '0|0|0|0|16', 'a server that was not added yet');
citus_group(7);
is(session($primary, 'SELECT * FROM kid_identity()'), '7|7|7|7|16', 'and when it was');
# A number that no session has asked Citus for yet, and two of them.
$primary->restart;
like(session($primary, "$next kid_next()", 'plain'), qr/ERROR:  55000: node number of this server is not known\nDETAIL:  "kid.node" is "citus", and this database does not have Citus/, 'a database without Citus cannot tell');
is(session($primary, 'SELECT node FROM kid_identity()', 'plain'), '', 'and shows it');
is(session($primary, $everywhere), '7', 'one with Citus can');
is(session($primary, $everywhere, 'plain'), '7', 'then it does');
citus_group(8, 'plain');
like(session($primary, "$next $_", 'plain'), qr/ERROR:  55000: this server has two node numbers\nDETAIL:  "kid.node" is "citus", which is 8 in this database and 7 in another/, "not those of two: $_") foreach 'kid_next()', 'kid96_next()', 'sno_next()', 'flake_next()';
is(session($primary, $everywhere), '7', 'the other goes on');
$primary->stop;
done_testing();
