# A psql session that answers one query after another. PostgreSQL's own modules have such sessions too,
# but they differ between versions.
package Dialogue;
use strict;
use warnings;
use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Utils;

our @EXPORT = qw(open_session ask answer close_session);

# Opens a session in `database`. The field `pid` is the process ID of its backend.
sub open_session
{
	my ($node, $database) = @_;
	my %session = (stdin => '', output => '');
	$session{handle} = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-v', 'SHOW_CONTEXT=never',
			'-d', $node->connstr($database // 'postgres'), '-f', '-' ],
		'<', \$session{stdin}, '>', \$session{output}, '2>&1',
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	$session{pid} = answer(\%session, 'SELECT pg_backend_pid();');
	return \%session;
}

# Sends a query without waiting for its results.
sub ask
{
	my ($session, $query) = @_;
	$session->{output} = '';
	$session->{stdin} .= "$query\n\\echo that is all\n";
	$session->{handle}->pump_nb;
	return;
}

# Returns the results, errors and notices of `query`, or without `query` those of the last ask().
sub answer
{
	my ($session, $query) = @_;
	ask($session, $query) if defined $query;
	$session->{handle}->pump until $session->{output} =~ /^that is all\n/m;
	return $session->{output} =~ s/\n?that is all\n//r;
}

sub close_session
{
	my ($session) = @_;
	$session->{stdin} .= "\\q\n";
	$session->{handle}->finish;
	return;
}

1;
