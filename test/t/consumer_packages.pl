# Consumers of pgkid for Python and for Node, if npm is here, beside faults: their processes are killed, the server is
# stopped as by a crash and starts again, and so does pgbouncer between them, if it is installed. Writers go on
# meanwhile. Consumers that handle an event in the database handle each once and in order, of a table with kid64 and of
# a tracked one with a bigserial; two processes have the same name, one in each language. One that works outside sends
# each event at least once, and in order if the receiver ignores those that it has. KID_SECONDS says how long the faults
# last.
# Promise: No row can still appear
use strict;
use warnings;
use Cwd;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my ($python) = grep { system("$_ -c 'import psycopg' >/dev/null 2>&1") == 0 } '/usr/bin/python3', 'python3';
plan skip_all => 'psycopg 3 for Python is not installed' unless $python;

my $folder = PostgreSQL::Test::Utils::tempdir;
local %ENV = (%ENV, PYTHONPATH => getcwd . '/python', PYTHONDONTWRITEBYTECODE => 1);
srand($ENV{KID_SEED} // 60);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\nlog_statement = none\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION kid;
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), payload text);
	CREATE TABLE tracked (id bigserial PRIMARY KEY, payload text);
	SELECT kid_track('tracked');
	CREATE TABLE handled_events (nr bigserial, id kid64);
	CREATE TABLE handled_tracked (nr bigserial, id bigint);
	CREATE TABLE consumers_events (name text PRIMARY KEY, last kid64 NOT NULL);
	CREATE TABLE consumers_tracked (name text PRIMARY KEY, last bigint NOT NULL);
	INSERT INTO consumers_events VALUES ('exactly-once events', '...........');
	INSERT INTO consumers_tracked VALUES ('exactly-once tracked', 0)});

# pgbouncer gives a session to each transaction, so a consumer has none of its own.
my $direct = $node->connstr('postgres');
my $through = $direct;
my ($pgbouncer) = grep { -x } '/usr/sbin/pgbouncer', map { "$_/pgbouncer" } split /:/, $ENV{PATH};
my $bouncer;
if ($pgbouncer && $> != 0)
{
	my $user = $node->safe_psql('postgres', 'SELECT current_user');
	append_to_file("$folder/users", qq{"$user" ""\n});
	append_to_file("$folder/pgbouncer.ini", "[databases]\npostgres = host=" . $node->host . " port=" . $node->port
		  . "\n[pgbouncer]\nunix_socket_dir = $folder\nlisten_port = 6432\nauth_type = trust\n"
		  . "auth_file = $folder/users\n"
		  . "pool_mode = transaction\nlogfile = $folder/pgbouncer.log\nserver_login_retry = 1\n");
	start_bouncer();
	$through = "host=$folder port=6432 dbname=postgres user=$user";
}

sub start_bouncer
{
	my @command = ($pgbouncer, '-q', "$folder/pgbouncer.ini");
	$bouncer = IPC::Run::start(\@command, '<', '/dev/null', '>&', "$folder/bouncer.out");
	return;
}

# Returns the command of the consumers for Node, with the package and pg in a folder, or nothing.
sub command_for_node
{
	my ($pg) = slurp_file('node/package.json') =~ /"pg": "([^"]+)"/;
	my $application = "$folder/application";
	mkdir $application;
	my @install = (
		qw(npm install --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --prefix),
		$application, '--cache', "$folder/npm", "pg\@$pg");
	IPC::Run::run(\@install, '<', '/dev/null', '>&', "$folder/npm.log") or return;
	my $package = "$application/node_modules/pgkid";
	mkdir $package;
	system_or_bail('cp', '-R', 'node/package.json', 'node/src', $package);
	system_or_bail('cp', 'node/test/events.mjs', $application);
	return ('node', "$application/events.mjs");
}

my @python = ($python, getcwd . '/python/tests/package/events.py');
my @node = command_for_node();
note('without Node') unless @node;
my $other = @node ? \@node : \@python;
sub start_process { return IPC::Run::start([@_], '<', '/dev/null', '>&', "$folder/output") }
my @tables = ([ 'events', 'kid64' ], [ 'tracked', 'tracked' ]);
my @files = @node ? ("$folder/sent.python", "$folder/sent.node") : "$folder/sent.python";
my @commands = map { my $command = $_; map { [ @$command, 'exactly-once', $through, @$_ ] } @tables } \@python, $other;
push @commands, [ @python, 'at-least-once', $through, @{ $tables[0] }, $files[0] ];
push @commands, [ @node, 'at-least-once', $through, @{ $tables[0] }, $files[1] ] if @node;
$node->safe_psql('postgres', "INSERT INTO consumers_events VALUES ('at-least-once $_', '...........')") foreach @files;
my @processes = map { start_process(@$_) } @commands;
my @writers = map { start_process(@python, 'write', $direct) } 1 .. 2;

my %faults;
my $end = time + ($ENV{KID_SECONDS} // 15);
while (time < $end)
{
	sleep(0.5 + rand);
	my $fault = int rand 4;
	if ($fault == 0)
	{
		$node->stop('immediate');
		$node->start;
		$faults{'the server crashed'}++;
	}
	elsif ($fault == 1 && $bouncer)
	{
		$bouncer->kill_kill(grace => 0);
		start_bouncer();
		$faults{'pgbouncer was killed'}++;
	}
	else
	{
		my $victim = int rand @processes;
		$processes[$victim]->kill_kill(grace => 0);
		$processes[$victim] = start_process(@{ $commands[$victim] });
		$faults{'a consumer was killed'}++;
	}
}
note("$_ $faults{$_} times") foreach sort keys %faults;
$_->signal('TERM') foreach @writers;
$_->finish foreach @writers;

sub sent
{
	my ($file) = @_;
	return -e $file ? grep { length == 11 } split /\n/, slurp_file($file) : ();
}
my %written = map { $_ => $node->safe_psql('postgres', qq{SELECT string_agg(id::text, ' ' ORDER BY id) FROM $_}) }
  qw(events tracked);
my ($last) = $written{events} =~ /(\S+)$/;
my $count = $node->safe_psql('postgres', 'SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM tracked)');
$node->poll_query_until('postgres',
	'SELECT (SELECT count(*) FROM handled_events) + (SELECT count(*) FROM handled_tracked)', $count)
  or diag slurp_file("$folder/output");
foreach my $file (@files)
{
	for (1 .. 300) { last if ((sent($file))[-1] // '') eq $last; sleep 0.1 }
}
$_->signal('TERM') foreach @processes;
ok($_->finish, 'a consumer ends in order') foreach @processes;
$bouncer->kill_kill if $bouncer;

cmp_ok($count, '>', 2000, "$count events were written");
foreach my $table (sort keys %written)
{
	my $handled = $node->safe_psql('postgres', qq{SELECT string_agg(id::text, ' ' ORDER BY nr) FROM handled_$table});
	ok($handled eq $written{$table}, "each event in $table was handled once and in order")
	  or diag(scalar(split / /, $handled) . ' handled, ' . scalar(split / /, $written{$table}) . ' written');
}
foreach my $file (@files)
{
	my ($newest, @received) = '';
	foreach my $id (sent($file)) { push @received, $newest = $id if $id gt $newest }
	ok("@received" eq $written{events},
		'each event was sent, and in order to one that ignores those that it has: ' . $file =~ s/.*\.//r);
}

done_testing();
