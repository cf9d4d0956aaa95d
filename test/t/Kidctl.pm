# What the tests of kidctl share: a server, runs of the program, sessions that write meanwhile, and texts that are
# compared. kidctl is run with the connection string of a role, see connection_as() in Sql.pm:
#
#     my $node = kidctl_server();
#     my $owner = connection_as($node, 'shop', 'app');
#     my ($output, $status) = run_kidctl($owner, qw(rekey check orders));
#
# Arguments and what kidctl prints are text.
package Kidctl;
use strict;
use warnings;
use Cwd 'getcwd';
use Encode;
use Exporter 'import';
use File::Spec::Functions 'rel2abs';
use IPC::Open2;
use IPC::Run ();
use JSON::PP;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::HiRes qw(usleep);

our @EXPORT = qw(find_python kidctl_server create_database start_kidctl finish_kidctl kill_kidctl wait_for_lock
  run_forked run_kidctl must_run_kidctl run_in_place_of_kidctl cut_kidctl overtake_kidctl meddle_with_kidctl
  path_to_kidctl start_writers finish_writers dump_schema same_text pick quoted);

# The modules of PostgreSQL know the folder for temporary files only after this line has run.
my $temporary = rel2abs(PostgreSQL::Test::Utils::tempdir);
my $files = 0;
my $server;

# Python keeps what it has compiled, or each run of kidctl would compile all of it.
delete $ENV{PYTHONDONTWRITEBYTECODE};

# kidctl refuses major versions that it was not tested with. This tests it with the development version.
$ENV{KIDCTL_NEWEST} = $1 if `postgres --version` =~ / (\d+)devel/;

my ($python) = grep { system("$_ -c 'import psycopg, rich' >/dev/null 2>&1") == 0 } '/usr/bin/python3', 'python3';

# Returns a Python that has the libraries of kidctl, or undef.
sub find_python { return $python }

# Starts the server of a test, with further settings and options as use_new_server() of Sql.pm takes them. Returns the
# server. Without the libraries of kidctl it skips the test.
sub kidctl_server
{
	my ($settings, %options) = @_;
	plan skip_all => 'psycopg 3 and rich for Python are not installed' unless $python;
	$server = use_new_server("timezone = 'UTC'\nfsync = off\nlog_statement = mod\n" . ($settings // ''),
		extra => [ '--encoding=UTF8', '--locale=C' ], %options);
	return $server;
}

# Creates a database of a role, with kid as the extension, or in plain SQL if `is_plain` is true. The role owns the
# schema public, in which the extension is; the other edition is in the schema kid.
sub create_database
{
	my ($database, $owner, $is_plain) = @_;
	$server->safe_psql('postgres', "CREATE DATABASE $database OWNER $owner"
		  . ($is_plain ? "; ALTER DATABASE $database SET search_path = public, kid" : ''));
	$server->safe_psql($database, ($is_plain ? '\i ' . assemble('kid-all') : 'CREATE EXTENSION kid;')
		  . "\nALTER SCHEMA public OWNER TO $owner");
	return;
}

# A program in place of kidctl, for cut_kidctl().
my $cut = <<'PYTHON';
import re, sys
from pgkid.ctl import cli, steps
where, executed, execute = sys.argv[1], 0, steps.Runner.execute
def cut(self, what):
    global executed
    executed += 1
    if executed > int(where) if where.isdigit() else re.match(where, what.text.as_string(self.conn)):
        self.conn.close()
        sys.exit(9)
    return execute(self, what)
steps.Runner.execute = cut
sys.exit(cli.main(sys.argv[2:]))
PYTHON

my %forks;

# Runs a program in Python with words, which are bytes. Returns what it has printed, and its exit status. It runs in a
# child of a process that has imported kidctl: test/kidctl/forks.py, one for each environment.
sub run_forked
{
	my ($program, @words) = @_;
	my $environment = join "\0", map { "$_=$ENV{$_}" } sort keys %ENV;
	if (!$forks{$environment})
	{
		open2(my $answers, my $requests, $python, 'test/kidctl/forks.py');
		$forks{$environment} = { answers => $answers, requests => $requests };
	}
	my ($answers, $requests) = @{ $forks{$environment} }{qw(answers requests)};
	my $output = "$temporary/output";
	print $requests encode_json([ $program, $output, [ map { decode('UTF-8', "$_") } @words ] ]) . "\n";
	$requests->flush;
	chomp(my $status = <$answers> // die('test/kidctl/forks.py has ended'));
	return (slurp_file($output), $status);
}

# Runs such a program with a connection and words. Returns what it has printed, and its exit status.
sub run_in_place_of_kidctl
{
	my ($program, $connection, @words) = @_;
	return run_forked($program, @words, '-d', $connection);
}

# Runs kidctl, and ends it after so many statements, or before the first one that matches a pattern. Returns what it
# has printed, and whether it was ended.
sub cut_kidctl
{
	my ($connection, $where, @words) = @_;
	my ($output, $status) = run_in_place_of_kidctl($cut, $connection, $where, @words);
	return ($output, $status == 9);
}

# A program in place of kidctl, for overtake_kidctl()
my $overtaken = <<'PYTHON';
import sys
from pgkid.ctl import cli, session
others, connection, run_steps = sys.argv[1], sys.argv[-1], session.Session.run_steps
def overtaken(self, *rest):
    session.Session.run_steps = run_steps
    for other in others.split(";"):
        if cli.main([*other.split(), "-d", connection]):
            sys.exit(9)
    run_steps(self, *rest)
session.Session.run_steps = overtaken
sys.exit(cli.main(sys.argv[2:]))
PYTHON

# Runs kidctl, and before its first step other commands of kidctl, in one text with semicolons. Returns what they have
# printed, and the exit status, which is 9 if one of the others fails.
sub overtake_kidctl
{
	my ($connection, $others, @words) = @_;
	my ($output, $status) = run_in_place_of_kidctl($overtaken, $connection, $others, @words);
	return (decode('UTF-8', $output), $status);
}

# Starts kidctl with some words as arguments. The field `handle` of what it returns is of IPC::Run.
sub start_kidctl
{
	my ($connection, @words) = @_;
	my $output = '';
	my $handle = IPC::Run::start([ $python, 'python/kidctl', map({ encode('UTF-8', $_) } @words), '-d', $connection ],
		'>&', \$output);
	return { handle => $handle, output => \$output };
}

# Waits until kidctl ends. Returns what it has printed, and its exit status.
sub finish_kidctl
{
	my ($run) = @_;
	$run->{handle}->finish;
	return (decode('UTF-8', ${ $run->{output} }), $run->{handle}->result(0));
}

# Kills a kidctl that was started. Its session may go on with its last statement.
sub kill_kidctl
{
	my ($run) = @_;
	$run->{handle}->signal('KILL');
	$run->{handle}->finish;
	return;
}

# Waits until a kidctl that was started waits for a lock of a table. Returns whether it does: not if it ends before.
sub wait_for_lock
{
	my ($run) = @_;
	my $waits = q{SELECT EXISTS (SELECT FROM pg_stat_activity
		WHERE application_name = 'kidctl' AND wait_event_type = 'Lock')};
	my $end = time + $PostgreSQL::Test::Utils::timeout_default;
	while ($run->{handle}->pumpable && time < $end)
	{
		$run->{handle}->pump_nb;
		return 1 if $server->safe_psql('postgres', $waits) eq 't';
		usleep(20_000);
	}
	return 0;
}

# Runs kidctl until it ends. Returns what it has printed, and its exit status.
sub run_kidctl
{
	my ($connection, @words) = @_;
	my ($output, $status) = run_forked('import sys; from pgkid.ctl.start import main; sys.exit(main())',
		map({ encode('UTF-8', $_) } @words), '-d', $connection);
	return (decode('UTF-8', $output), $status);
}

# Runs kidctl, and returns what it has printed. Dies if it fails.
sub must_run_kidctl
{
	my ($connection, @words) = @_;
	my ($output, $status) = run_kidctl($connection, @words);
	die("kidctl @words: status $status\n$output") if $status;
	return $output;
}

# A program in place of kidctl, for meddle_with_kidctl()
my $meddled = <<'PYTHON';
import re, sys, psycopg
from pgkid.ctl import cli, steps
others_connection, where, others, execute = *sys.argv[1:4], steps.Runner.execute
def meddled(self, what):
    if re.match(where, what.text.as_string(self.conn)):
        steps.Runner.execute = execute
        with psycopg.connect(others_connection, options="-c lock_timeout=5s") as other:
            other.execute(others)
    return execute(self, what)
steps.Runner.execute = meddled
sys.exit(cli.main(sys.argv[4:]))
PYTHON

# Runs kidctl, and lets a session with another connection string run SQL before the first statement that matches a
# pattern. Returns what kidctl has printed, and its exit status.
sub meddle_with_kidctl
{
	my ($connection, $others_connection, $where, $sql, @words) = @_;
	return run_in_place_of_kidctl($meddled, $connection, $others_connection, $where, $sql, @words);
}

# Returns a value for PATH in which the command kidctl is this one, as pages call it.
sub path_to_kidctl
{
	my $program = "$temporary/kidctl";
	if (!-e $program)
	{
		append_to_file($program, "#!/bin/sh\nexec $python '" . getcwd() . qq{/python/kidctl' "\$@"\n});
		chmod 0755, $program;
	}
	return "$temporary:$ENV{PATH}";
}

# Starts sessions that run a script of pgbench again and again. The option `seconds` says for how long, `rate` how often
# in a second, and `sessions` how many there are, by default 8.
sub start_writers
{
	my ($connection, $script, %options) = @_;
	my $file = "$temporary/writers_" . ++$files . '.sql';
	append_to_file($file, encode('UTF-8', $script));
	my ($output, $errors) = ('', '');
	my @options = ('-c', $options{sessions} // 8, '-T', $options{seconds}, '--rate', $options{rate},
		'--max-tries', 1000);
	my $handle = IPC::Run::start([ 'pgbench', '-n', @options, '-f', $file, $connection ], '>', \$output, '2>',
		\$errors);
	return { handle => $handle, output => \$output, errors => \$errors };
}

# Waits until writers end. Returns the number of their transactions, and what they saw of errors.
sub finish_writers
{
	my ($writers) = @_;
	$writers->{handle}->finish;
	my ($count) = ${ $writers->{output} } =~ /number of transactions actually processed: (\d+)/;
	return ($count, ${ $writers->{errors} });
}

# Returns the schema of a database as pg_dump prints it, without what is different in each dump. Dies if pg_dump fails.
sub dump_schema
{
	my ($connection, @options) = @_;
	my ($stdout, $stderr);
	IPC::Run::run([ 'pg_dump', '--schema-only', @options, '-d', $connection ], '>', \$stdout, '2>', \$stderr)
	  or die("pg_dump: $stderr");
	return decode('UTF-8', $stdout) =~ s/^\\(un)?restrict .*\n//mgr;
}

# Passes if two texts are equal. Otherwise it prints in which lines they differ.
sub same_text
{
	my ($got, $wanted, $what) = @_;
	return pass($what) if $got eq $wanted;
	my @files = map {
		my $file = "$temporary/$_->[0]";
		unlink $file;
		append_to_file($file, encode('UTF-8', "$_->[1]\n"));
		$file
	} [ wanted => $wanted ], [ got => $got ];
	fail($what);
	diag(scalar `diff -U2 @files | head -60`);
	return;
}

# Returns one of some values by chance.
sub pick { return $_[ rand @_ ] }

# Returns a name as part of a statement.
sub quoted { return '"' . $_[0] =~ s/"/""/gr . '"' }

1;
