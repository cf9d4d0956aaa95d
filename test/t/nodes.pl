# What distinguishes servers. With kid.node = auto two promoted clones of one primary differ, and each keeps its number
# through restarts. With kid.node = citus a server has the number that Citus gives it, and its workers reject unsafe
# calls. Citus is not needed: kid reads its table.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->start;
use_database($primary);
$primary->safe_psql('postgres', 'CREATE EXTENSION kid');

# Returns the node number of a server.
sub node_of { return output_of('SELECT node FROM kid_identity()', node => $_[0]) }

# The node number in every type that has it.
my $everywhere = 'SELECT DISTINCT node
	FROM (VALUES (kid_node(kid96_next())), (kid_node(kid96_at(now()))), (kid_node(kid_global(kid_next())))) v (node)';

# kid64 and flake need no node number, so none is drawn. A copy made now draws a number of its own later.
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
is(output_of('SELECT * FROM kid_identity()', node => $east), '||0|0|1',
	'before a number is drawn, kid_identity() on a standby shows none');
my $unknown = 'ERROR:  55000: node number of this server is not known';
my $not_drawn = 'It is drawn when the first ID that contains it is made, and the server is in recovery';
like(output_of("SELECT kid_global('.6.nef3Mk..')", node => $east), qr/$unknown\nDETAIL:  $not_drawn/,
	'before a number is drawn, a standby gives an error if it needs one');

my $number = node_of($primary);
is(output_of($everywhere), $number, 'all types have the same node number');
$wait->($east, $west);
is(node_of($east), $number, 'a standby has the node number of its primary');
is(output_of(q{SELECT kid_node(kid_global('.6.nef3Mk..'))}, node => $east), $number,
	'on a standby kid_global() uses the number of the primary');
$primary->restart;
is(node_of($primary), $number, 'the node number stays after a restart');
$primary->stop('immediate');
$primary->start;
is(node_of($primary), $number, 'the node number stays after a crash');

# Both are promoted from the same state, and both to timeline 2.
$_->promote foreach $east, $west;
my %is = (primary => $number, east => output_of($everywhere, node => $east),
	west => output_of($everywhere, node => $west));
foreach ($east, $west)
{
	$_->safe_psql('postgres', 'CHECKPOINT');
	is($_->safe_psql('postgres', 'SELECT timeline_id FROM pg_control_checkpoint()'), '2',
		'a promoted clone is on timeline 2');
}
isnt($is{east}, $is{west}, 'two promoted clones of one primary have different numbers');
isnt($_, $number, 'a promoted clone has another number than its primary') foreach @is{qw(east west)};
is(node_of($east), $is{east}, 'kid_identity() shows the number of a promoted clone');
is(output_of('SELECT kid_partition(sno_next())', node => $east), $is{east} & 0xffff,
	'sno has the last 16 bits of the number');
$east->restart;
is(node_of($east), $is{east}, 'the number of a promoted clone stays after a restart');
# A standby of the promoted clone is promoted too.
$east->backup('base');
my $third = PostgreSQL::Test::Cluster->new('third');
$third->init_from_backup($east, 'base', has_streaming => 1);
$third->start;
$third->promote;
my $of_third = output_of($everywhere, node => $third);
ok($of_third != $_, 'a server promoted from a promoted one has a new number') foreach $number, @is{qw(east west)};
# Servers without a lease have a number, too.
$third->append_conf('postgresql.conf', "kid.lease = 0\n");
$third->restart;
is(output_of($everywhere, node => $third), $of_third, 'the number stays when the lease is turned off');
$third->stop;
my $unleased = PostgreSQL::Test::Cluster->new('unleased');
$unleased->init_from_backup($primary, 'undrawn');
$unleased->append_conf('postgresql.conf', "kid.lease = 0\n");
$unleased->start;
my $of_unleased = output_of($everywhere, node => $unleased);
isnt($of_unleased, $number, 'a server without a lease draws a number');
$unleased->restart;
is(output_of($everywhere, node => $unleased), $of_unleased,
	'a server without a lease keeps its number after a restart');
$unleased->stop;
$west->stop;

# A promoted server has the lane of its own configuration.
$east->append_conf('postgresql.conf', "kid.node = 3\nkid.lanes = 8\n");
$east->restart;
is(output_of('SELECT kid_sequence(kid_next()) BETWEEN 12288 AND 14335', node => $east), 't',
	'IDs of the primary are in its lane');
$east->backup('lanes');
my $fourth = PostgreSQL::Test::Cluster->new('fourth');
$fourth->init_from_backup($east, 'lanes', has_streaming => 1);
$fourth->start;
is(output_of('SELECT * FROM kid_identity()', node => $fourth), '3|3|3|3|8',
	'kid_identity() on a standby shows the identity it will have');
like(output_of('SELECT kid_next()', node => $fourth), qr/ERROR:  \w{5}: cannot execute kid_next\(\) during recovery/,
	'a standby makes no ID');
$east->stop;
$fourth->promote;
is(output_of('SELECT kid_sequence(kid_next()) BETWEEN 12288 AND 14335, lane FROM kid_identity()', node => $fourth),
	't|3', 'a promoted server makes IDs in the configured lane');
$fourth->stop;

# Citus: creates the table as Citus 13.2 does.
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

# Changes settings of the server, and returns the identity in force afterwards.
sub configure
{
	my %settings = @_;
	$primary->safe_psql('postgres', "LOAD 'kid'; ALTER SYSTEM SET kid.$_ = $settings{$_}") foreach sort keys %settings;
	$primary->reload;
	return output_of('SELECT * FROM kid_identity()');
}
$primary->safe_psql('postgres', 'CREATE DATABASE plain');
$primary->safe_psql('plain', 'CREATE EXTENSION kid');
my $all = 'SELECT kid_sequence(kid_next()), kid_node(kid96_next()), kid_partition(sno_next()),
	kid_generator(flake_next())';
my $refused = qr/ERROR:  55000: IDs that this Citus worker makes would repeat those of other nodes\n/;
like(output_of("SELECT 1 FROM flake_next();
	SET allow_system_table_mods = on;
	BEGIN;
	CREATE TABLE pg_catalog.pg_dist_local_group (groupid int NOT NULL PRIMARY KEY);
	INSERT INTO pg_catalog.pg_dist_local_group VALUES (5);
	SELECT flake_next()"), qr/^1.*$refused/s, 'a session from before Citus notices it');
citus_group(0);
like(output_of($all), qr/^\d+\|$number\|\d+\|0$/, 'a Citus coordinator makes IDs of all types');
citus_group(5);
my $changes = q{ALTER SYSTEM SET kid.node = 'citus'; ALTER SYSTEM SET kid.lanes = 16};
like(output_of("SELECT $_"), qr/${refused}DETAIL:  "kid.lanes" is 1.*\nHINT:  .*$changes/,
	"a Citus worker without lanes fails: $_")
  foreach 'kid_next()', 'kid64_next()', 'kid_next(3)', 'kid64_at(now())', 'kid53_next()', 'kid53_next(3)',
  'kid53_at(now())';
like(output_of("SELECT $_"),
	qr/${refused}DETAIL:  The generator of flake.*\nHINT:  .*ALTER SYSTEM SET kid.node = 'citus'/,
	"a Citus worker without a generator number fails: $_") foreach 'flake_next()', 'flake_next(3)', 'flake_at(now())';
is(output_of('SELECT kid_node(kid96_next()), kid_partition(sno_next()), length(flax_next()::text)'),
	"$number|" . ($number & 0xffff) . '|16', 'a Citus worker makes kid96, sno and flax, which have a random part');
is(output_of('SELECT * FROM kid_identity()'), "$number|" . ($number & 0xffff) . '|||1',
	'kid_identity() on a Citus worker shows no lane and no generator');
is(output_of('SELECT length(kid_next()::text), kid_generator(flake_next()), kid53_next() > 0',
		database => 'plain'),
	'11|0|t',
	'another database of the server, without Citus, makes all types');
is(output_of('SET kid.flake_id = 9; SELECT kid_generator(flake_next())'), '9',
	'a Citus worker makes flakes if kid.flake_id is set');
is(configure(node => q{'citus'}), '5|5|5||1', 'kid.node = citus: the number is that of Citus');
like(output_of("SELECT $_"), $refused, "kid.node = citus: without lanes it fails: $_")
  foreach 'kid_next()', 'kid53_next()';
is(output_of('SELECT kid_generator(flake_next())'), '5',
	'kid.node = citus: flake has the number of Citus');
is(configure(lanes => 16), '5|5|5|5|16', 'kid.node = citus, with lanes: the identity has a lane');
# Lane 5 = 0101 reversed is 1010 = 10. There are 16 lanes of 1024 sequences.
is(output_of('SELECT kid_sequence(id) BETWEEN 10240 AND 11263 FROM kid_next() AS id'), 't',
	'kid.node = citus, with lanes: kid64 is in its lane');
is(output_of('SELECT kid53_sequence(id) BETWEEN 2560 AND 2815 FROM kid53_next() AS id'), 't',
	'kid.node = citus, with lanes: kid53 is in its lane');
is(output_of($all, database => 'plain') =~ s/^\d+//r, '|5|5|5',
	'kid.node = citus: other databases of the server have the same number');
is(configure(lanes => 4), '5|5|5||4', 'kid.node = citus: a number beyond the lanes gives no lane');
like(output_of('SELECT kid_next()'),
	qr/ERROR:  F0000: node number of this server does not fit "kid.lanes"\nDETAIL:  It is 5, and the range is 0 to 3/,
	'kid.node = citus: kid_next() fails with a number beyond the lanes');
# The number of lanes becomes one again while a statement runs. From then on its IDs could repeat those of other nodes.
configure(lanes => 16);
my ($stdout, $stderr) = ('', '');
my $running = IPC::Run::start([ 'psql', '-XAtq', '-d', $primary->connstr('postgres'), '-c',
		'DO $$ BEGIN FOR i IN 1 .. 3000 LOOP PERFORM kid_next(); COMMIT; PERFORM pg_sleep(0.01); END LOOP; END $$' ],
	'>', \$stdout, '2>', \$stderr);
$primary->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'})
  or die;
is(configure(lanes => 1), '5|5|5||1', 'the identity changes to one lane while a statement runs');
$running->finish;
like($stderr, qr/ERROR:  IDs that this Citus worker makes would repeat/,
	'on a Citus worker that statement then ends with an error');

# Citus gives a server its number when the server is added.
configure(lanes => 16, node => 2);
citus_group(0);
is(configure(node => q{'citus'}), '0|0|0|0|16', 'kid.node = citus: a server that was not added yet has number 0');
citus_group(7);
is(output_of('SELECT * FROM kid_identity()'), '7|7|7|7|16',
	'kid.node = citus: an added server has its number');
# No session has read the number from Citus yet. Then two databases have different numbers.
$primary->restart;
like(output_of('SELECT kid_next()', database => 'plain'),
	qr/$unknown\nDETAIL:  "kid.node" is "citus", and this database does not have Citus/,
	'kid.node = citus: in a database without Citus the number is unknown at first');
is(output_of('SELECT node FROM kid_identity()', database => 'plain'), '',
	'kid.node = citus: kid_identity() shows an unknown number as NULL');
is(output_of($everywhere), '7', 'kid.node = citus: a database with Citus has the number');
is(output_of($everywhere, database => 'plain'), '7',
	'kid.node = citus: after that, a database without Citus has the number too');
citus_group(8, 'plain');
my $both = '"kid.node" is "citus", which is 8 in this database and 7 in another';
like(output_of("SELECT $_", database => 'plain'),
	qr/ERROR:  55000: this server has two node numbers\nDETAIL:  $both/,
	"kid.node = citus: with two different numbers a call fails: $_") foreach 'kid_next()', 'kid96_next()', 'sno_next()',
  'flake_next()';
is(output_of($everywhere), '7',
	'kid.node = citus: with two different numbers, the first database still makes IDs');
$primary->stop;
done_testing();
