# kidctl ends in order when a signal arrives, leaves no copy of the rehearsal behind, and a copy that a killed kidctl
# has left is dropped by the next rehearsal. Another server is taken for the copy only if it does what this one does.
use strict;
use warnings;
use Kidctl;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::HiRes qw(sleep);

plan skip_all => 'psycopg 3 and rich for Python are not installed' unless find_python();

my ($node, $other) = map {
	my $one = PostgreSQL::Test::Cluster->new($_);
	$one->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
	$one->append_conf('postgresql.conf', "timezone = 'UTC'\nfsync = off\n");
	$one->start;
	$one
} 'main', 'other';
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN CREATEDB; GRANT SET ON PARAMETER session_replication_role TO app;
	CREATE DATABASE one OWNER app');
$node->safe_psql('one', 'CREATE EXTENSION kid; ALTER SCHEMA public OWNER TO app');
use_database($node, 'one', role => 'app');
sql(q{CREATE TABLE orders (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	INSERT INTO orders DEFAULT VALUES});

my @check = (find_python(), qw(python/kidctl rekey check orders --time made -d), connection_as($node, 'one', 'app'));
my $copies = q{SELECT count(*) FROM pg_database WHERE datname ~ '^kidctl_[0-9a-f]{16}'};

sub check
{
	my (@more) = @_;
	IPC::Run::run([ @check, @more ], '>&', \my $output);
	return $output;
}

# Sends a signal to a check that has a copy. Returns what the check prints, and its status as wait() has it.
sub interrupted
{
	my ($signal) = @_;
	# A program that nohup has started ignores this signal.
	local $SIG{HUP} = 'DEFAULT';
	my $program = IPC::Run::start([@check], '>&', \my $output);
	$node->poll_query_until('postgres', $copies, '1') or die 'no copy';
	sleep rand 0.4;
	$program->signal($signal);
	eval { $program->finish };
	return ($output, $program->full_result);
}

# kidctl leaves no copy behind when Ctrl-C, a closed terminal or a shutdown ends it.
foreach ([ INT => 2 ], [ TERM => 15 ], [ HUP => 1 ])
{
	my ($signal, $number) = @$_;
	my ($output, $status) = interrupted($signal);
	is($status >> 8, 128 + $number, "SIG$signal ends it with status 128 + $number") or diag($output);
	like($output, qr/^error: interrupted\nhint: Run the same command again to go on\.\n\z/m, '... in its own words');
	is($node->safe_psql('postgres', $copies), 0, '... and no copy is left');
}
# Nor does it if the signal arrives while a session of the copy begins: that session would keep the copy
# from being dropped.
{
	my $code = q{
import os, signal, sys
from pgkid.ctl import cli, connection
settle = connection.settle
def interrupted(conn):
    settle(conn)
    if conn.info.dbname.startswith('kidctl_'):
        os.kill(os.getpid(), signal.SIGTERM)
connection.settle = interrupted
sys.exit(cli.main(sys.argv[1:]))
};
	local $ENV{PYTHONPATH} = 'python';
	IPC::Run::run([ find_python(), '-c', $code, @check[ 2 .. $#check ] ], '>&', \my $output, IPC::Run::timeout(60));
	is($? >> 8, 128 + 15, 'a signal while a session of the copy begins') or diag($output);
	is($node->safe_psql('postgres', $copies), 0, '... and no copy is left');
}
interrupted('KILL');
$node->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname ~ '^kidctl_')});
cmp_ok($node->safe_psql('postgres', $copies), '>', 0, 'a kidctl that is killed leaves a copy, or two');
$node->safe_psql('postgres', 'CREATE DATABASE kidctl_0123456789abcdef OWNER app');
like(check(), qr/dropped database kidctl_[0-9a-f]{16}, which a kidctl that was killed has left/,
	'which the next one drops');
is($node->safe_psql('postgres', $copies), 1, 'but not a database of the user whose name only looks so');
$node->safe_psql('postgres', 'DROP DATABASE kidctl_0123456789abcdef');
my $first = IPC::Run::start([@check], '>&', \my $output);
$node->poll_query_until('postgres', $copies, '1') or die 'no copy';
unlike(check(), qr/dropped database/, 'nor the copy of a kidctl that runs');
$first->finish;
like($output, qr/ 0 of which stop the move/, 'which comes to its end') or diag($output);

# Another server
sub elsewhere { return check('--rehearse-on', $_[0]) }
my $there = $other->connstr('postgres');
like(elsewhere('host=/nowhere'), qr/^error: --rehearse-on: /m, 'a server that cannot be reached');
like(elsewhere("$there user=app"), qr/^error: --rehearse-on: .*role "app" does not exist/ms,
	'a role that cannot connect');
$other->safe_psql('postgres', 'CREATE ROLE app LOGIN SUPERUSER');
like(elsewhere("$there user=app"),
	qr/^error: --rehearse-on: on that server the tables would belong to app, a superuser$/m,
	'a role that is a superuser there');
$other->safe_psql('postgres', 'ALTER ROLE app NOSUPERUSER; CREATE ROLE dba LOGIN SUPERUSER');
like(elsewhere("$there user=dba"),
	qr/^error: --rehearse-on: role dba has rights on that server that app does not have: superuser/m,
	'another role that is one');
my $error = 'app may not set session_replication_role on that server';
like(elsewhere("$there user=app"), qr/^error: --rehearse-on: $error.*\nhint: .*GRANT SET ON PARAMETER/m,
	'a role that may not do there what it may do here');
$other->safe_psql('postgres', 'GRANT SET ON PARAMETER session_replication_role TO app');
$error = 'role app may not create the database for the rehearsal';
like(elsewhere("$there user=app"), qr/^error: $error\nhint: As a superuser run ALTER ROLE app CREATEDB\.$/m,
	'a role that may not create databases there');
$other->safe_psql('postgres', 'ALTER ROLE app CREATEDB');
my $found = elsewhere("$there user=app");
like($found, qr/ 0 of which stop the move/, 'a server that can do the same') or diag($found);
is($other->safe_psql('postgres', $copies) + $node->safe_psql('postgres', $copies), 0, 'no copy is left on either');
$_->stop foreach $node, $other;
done_testing();
