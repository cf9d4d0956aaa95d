# psql sessions that stay open, of two kinds. One answers query after query:
#
#     my ($writer, $reader) = map { open_session($node, 'shop', role => $_) } 'app', 'other';
#     answer($writer, 'BEGIN; LOCK TABLE orders;');
#     ask($reader, 'SELECT count(*) FROM orders;');
#     wait_for_state($reader, q{wait_event_type = 'Lock'});
#     answer($writer, 'COMMIT;');
#     is(answer($reader), 3, 'the reader goes on');
#     close_session($_) foreach $writer, $reader;
#
# The other kind runs a script in the background, while the test does something else. PostgreSQL's own modules have
# sessions in the background, too, which differ between its versions.
package Dialogue;
use strict;
use warnings;
use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Utils;
use Sql ();
use Time::HiRes qw(time usleep);

our @EXPORT = qw(open_session ask answer close_session wait_for_state start_script wait_for_output pump_for);

my @psql = ('psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-v', 'SHOW_CONTEXT=never');

# Opens a session in a database, by default postgres, and as the superuser or the option `role`. Returns a hash, whose
# field `pid` is the process ID of the backend. Each function below gives the session anew the time that it may wait.
sub open_session
{
	my ($node, $database, %options) = @_;
	my $timer = IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default);
	my %session = (node => $node, stdin => '', output => '', timer => $timer);
	$session{handle} = IPC::Run::start(
		[ @psql, '-d', Sql::connection_as($node, $database // 'postgres', $options{role}), '-f', '-' ],
		'<', \$session{stdin}, '>', \$session{output}, '2>&1', $timer);
	$session{pid} = answer(\%session, 'SELECT pg_backend_pid();');
	return \%session;
}

# Sends a query without waiting for its results.
sub ask
{
	my ($session, $query) = @_;
	$session->{output} = '';
	$session->{timer}->start;
	$session->{stdin} .= "$query\n\\echo that is all\n";
	$session->{handle}->pump_nb;
	return;
}

# Returns the results, errors and notices of a query, or without one those of the last ask(). Dies if the session ends,
# or if no answer comes within PG_TEST_TIMEOUT_DEFAULT.
sub answer
{
	my ($session, $query) = @_;
	ask($session, $query) if defined $query;
	$session->{timer}->start;
	$session->{handle}->pump until $session->{output} =~ /^that is all\n/m;
	return $session->{output} =~ s/\n?that is all\n//r;
}

# Waits until a condition is true of the session's row in pg_stat_activity, whose alias is a. Dies if it does not become
# true.
sub wait_for_state
{
	my ($session, $condition) = @_;
	$session->{timer}->start;
	$session->{handle}->pump_nb;
	$session->{node}->poll_query_until('postgres',
		"SELECT $condition FROM pg_stat_activity AS a WHERE pid = $session->{pid}")
	  or die "process $session->{pid} does not get to the state: $condition";
	return;
}

# Ends a session, whose transaction is rolled back.
sub close_session
{
	my ($session) = @_;
	$session->{timer}->start;
	$session->{stdin} .= "\\q\n";
	$session->{handle}->finish;
	return;
}

my $scripts = 0;

# Starts a psql that runs a script in the database postgres. Returns a hash: `handle` is that of IPC::Run, `stdout` and
# `stderr` refer to what psql has printed. The script is in a file, so that psql reads on while the test does not pump.
sub start_script
{
	my ($node, $statements) = @_;
	my ($stdout, $stderr) = ('', '');
	my $script = $node->basedir . '/session' . ++$scripts . '.sql';
	append_to_file($script, $statements);
	my $handle = IPC::Run::start([ @psql, '-d', $node->connstr('postgres'), '-f', $script ],
		'>', \$stdout, '2>', \$stderr, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return { handle => $handle, stdout => \$stdout, stderr => \$stderr };
}

# Waits until the output of a script matches. Dies if the script ends before.
sub wait_for_output
{
	my ($script, $pattern) = @_;
	until (${ $script->{stdout} } =~ $pattern)
	{
		die "it ended: ${ $script->{stderr} }" unless $script->{handle}->pumpable;
		$script->{handle}->pump;
	}
	return;
}

# Reads the output of scripts for some seconds, so that they do not wait until it is read. They may end earlier.
sub pump_for
{
	my ($seconds, @scripts) = @_;
	my $until = time + $seconds;
	while (time < $until)
	{
		foreach my $script (@scripts)
		{
			$script->{handle}->pump_nb if $script->{handle}->pumpable;
		}
		usleep(2000);
	}
	return;
}

1;
