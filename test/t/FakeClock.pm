# A PostgreSQL server whose clock a test sets: libfaketime moves the clock while the server runs. Timeouts are turned
# off as far as possible: PostgreSQL reads the clock in their signal handler, and libfaketime is not safe there.
package FakeClock;
use strict;
use warnings;
use parent -norequire, 'PostgreSQL::Test::Cluster';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils ();    # a method of the parent must not find a function here
use Sql ();
use Test::More ();

# $node->{preload} names another library for LD_PRELOAD.

# Sets the clock, in libfaketime's syntax: an offset (-1h), or a time at which the clock stands still
# (2030-01-01 00:00:00).
sub set_clock
{
	my ($self, $clock) = @_;
	my $file = $self->basedir . '/clock';
	open my $handle, '>', "$file.new" or die $!;
	print $handle "$clock\n";
	close $handle;
	rename "$file.new", $file or die $!;
	return;
}

sub init
{
	my ($self, @arguments) = @_;
	$self->SUPER::init(@arguments);
	$self->append_conf('postgresql.conf',
		"deadlock_timeout = '1h'\nlog_startup_progress_interval = 0\nautovacuum = off\n");
	return;
}

my ($library) = grep { -e } glob('/usr/lib{/*,64,}/faketime/libfaketime.so.1');

sub new
{
	my ($class, @arguments) = @_;
	Test::More::plan(skip_all => 'libfaketime is not installed') unless defined $library;
	return $class->SUPER::new(@arguments);
}

sub start
{
	my ($self, @arguments) = @_;
	$self->set_clock('+0') unless -e $self->basedir . '/clock';
	local $ENV{LD_PRELOAD} = join ':', grep { defined } $self->{preload}, $library;
	local $ENV{FAKETIME_TIMESTAMP_FILE} = $self->basedir . '/clock';
	local $ENV{FAKETIME_NO_CACHE} = 1;
	local $ENV{FAKETIME_DONT_FAKE_MONOTONIC} = 1;
	return $self->SUPER::start(@arguments);
}

# Not pg_ctl restart, which would start the server with another environment.
sub restart
{
	my ($self) = @_;
	$self->stop('fast');
	$self->start;
	return;
}

sub sql { return Sql::sql_on(@_) }

# Returns the error of a query that must fail, as Sql.pm does.
sub error_of
{
	my ($self, $query) = @_;
	my $error = Sql::error_of($query, node => $self, database => 'postgres');
	Test::More::isnt($error, '', 'the query fails');
	return $error;
}

# Starts a query that must wait for the clock or a sequence, and returns when it waits.
sub start_waiting
{
	my ($self, $query) = @_;
	my ($stdout, $stderr) = ('', '');
	my $session = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $self->connstr('postgres'), '-c', $query ],
		'>', \$stdout, '2>', \$stderr, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	$self->poll_query_until('postgres',
		q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event IN ('Extension', 'KidSequence', 'KidClock')})
	  or die 'the query did not wait';
	return { session => $session, stdout => \$stdout, stderr => \$stderr };
}

1;
