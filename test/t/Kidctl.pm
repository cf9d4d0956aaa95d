# What the tests of kidctl share: a server, runs of the program, sessions that write meanwhile, and texts that are
# compared. A connection is a string as psql takes it, which names the role.
package Kidctl;
use strict;
use warnings;
use Cwd 'getcwd';
use Encode;
use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(find_python kidctl_server as_role start_kidctl finish_kidctl kill_kidctl run_kidctl
  must_run_kidctl cut_kidctl path_to_kidctl start_writers finish_writers
  run_sql dump_schema same_text pick quoted);

my $temporary = PostgreSQL::Test::Utils::tempdir;
my $files = 0;

my ($python) = grep { system("$_ -c 'import psycopg, rich' >/dev/null 2>&1") == 0 } '/usr/bin/python3', 'python3';

# Returns a Python that has the libraries of kidctl, or undef.
sub find_python { return $python }

# Starts the server of a test, with further settings. Without the libraries of kidctl it skips the test.
sub kidctl_server
{
	my ($settings, %options) = @_;
	plan skip_all => 'psycopg 3 and rich for Python are not installed' unless $python;
	my $node = PostgreSQL::Test::Cluster->new('main');
	$node->init(extra => [ '--encoding=UTF8', '--locale=C' ], %options);
	$node->append_conf('postgresql.conf', "timezone = 'UTC'\nfsync = off\n" . ($settings // ''));
	$node->start;
	return $node;
}

# Runs kidctl, and ends it after so many statements, or before the first one that matches a pattern. Returns what it
# has printed, and whether it was ended.
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

sub cut_kidctl
{
	my ($connection, $where, @words) = @_;
	local $ENV{PYTHONPATH} = 'python';
	IPC::Run::run([ $python, '-c', $cut, $where, @words, '-d', $connection ], '>&', \my $output);
	return ($output, $? >> 8 == 9);
}

sub as_role
{
	my ($node, $database, $role) = @_;
	return $node->connstr($database) . " user=$role";
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

sub kill_kidctl
{
	my ($run) = @_;
	$run->{handle}->kill_kill(grace => 0);
	return;
}

sub run_kidctl { return finish_kidctl(start_kidctl(@_)) }

# Runs kidctl, which has to succeed, and returns what it has printed.
sub must_run_kidctl
{
	my ($connection, @words) = @_;
	my ($output, $status) = run_kidctl($connection, @words);
	die("kidctl @words: status $status\n$output") if $status;
	return $output;
}

# Returns a path of commands with kidctl, as pages call it.
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

# Starts sessions that run a script of pgbench again and again, for some seconds.
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

# Waits until they end. Returns the number of their transactions, and what they saw of errors.
sub finish_writers
{
	my ($writers) = @_;
	$writers->{handle}->finish;
	my ($count) = ${ $writers->{output} } =~ /number of transactions actually processed: (\d+)/;
	return ($count, ${ $writers->{errors} });
}

# Runs SQL as a role, and returns what it prints; with may_fail its errors.
sub run_sql
{
	my ($node, $database, $role, $sql, %options) = @_;
	my ($stdout, $stderr) = ('', '');
	$node->psql($database, encode('UTF-8', $sql), stdout => \$stdout, stderr => \$stderr,
		connstr => as_role($node, $database, $role), on_error_stop => 1);
	return $stderr if $options{may_fail};
	die("$database: $stderr\n" . substr($sql, 0, 1000)) if $stderr =~ /ERROR/;
	return decode('UTF-8', $stdout);
}

# Returns the schema of a database as pg_dump prints it, without what is different in each dump.
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
