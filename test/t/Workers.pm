# Leases worker numbers, for tests. The test names its server by use_database() of Sql.pm. The functions with %options
# take another `node` or `database`, as those of Sql.pm do.
package Workers;
use strict;
use warnings;
use Exporter 'import';
use Sql;
use Time::HiRes qw(usleep);

our @EXPORT = qw($install lease renew lease_error eventually overlapping);
# Creates the extensions in the schema that the edition in plain SQL has.
our $install = 'CREATE SCHEMA kid; CREATE EXTENSION kid SCHEMA kid; CREATE EXTENSION kid_workers SCHEMA kid;
	GRANT USAGE ON SCHEMA kid TO PUBLIC';
my @columns = qw(number token since until now lanes epoch type);

# Leases a number with these arguments, as a role, by default app. Returns the reply by the names of its columns. Dies
# with the error or warning if there is one, which has its SQLSTATE.
sub lease
{
	my ($arguments, $role, %options) = @_;
	my $output = output_of("CALL kid.kid_lease_worker($arguments)", %options, role => $role // 'app');
	die $output if $output =~ /(?:ERROR|FATAL|WARNING):  /;
	my %reply;
	@reply{@columns} = split /[|]/, $output, -1;
	return \%reply;
}

# Leases the window after the one of a reply, as lease() does.
sub renew
{
	my ($pool, $reply, $role, $ttl) = @_;
	return lease("'$pool', $reply->{number}, '$reply->{token}', ttl => " . ($ttl // 10), $role);
}

# Returns the error of a call, beginning with its SQLSTATE, or '' if there is none.
sub lease_error
{
	my ($arguments, $role, %options) = @_;
	return error_of("CALL kid.kid_lease_worker($arguments)", %options, role => $role // 'app');
}

# Leases a number of one second, with the token of a reply, and tries again for ten seconds while there is none.
# Dies if there is none then, or after another error.
sub eventually
{
	my ($pool, $role, $reply) = @_;
	my $arguments = join ', ', "'$pool'", $reply ? ($reply->{number}, "'$reply->{token}'") : (), 'ttl => 1';
	foreach (1 .. 100)
	{
		my $leased = eval { lease($arguments, $role) };
		return $leased if $leased;
		die $@ if $@ !~ /ERROR:  (?:53400|55000): /;
		usleep(100_000);
	}
	die "no number of pool $pool became free";
}

# Returns the first two of these replies that have a time of one number of one pool in common, or nothing.
sub overlapping
{
	my @replies = sort { $a->{since} <=> $b->{since} } @_;
	while (my $reply = shift @replies)
	{
		my ($other) = grep {
			$_->{pool} eq $reply->{pool}
			  && $_->{number} == $reply->{number}
			  && $_->{since} < $reply->{until}
		} @replies;
		return $reply, $other if $other;
	}
	return;
}

1;
