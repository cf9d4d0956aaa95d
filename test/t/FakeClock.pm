# A PostgreSQL server whose clock a test sets: libfaketime moves the clock while the server runs.
#
#     my $node = FakeClock->new('main');
#     $node->init;
#     $node->start;
#     $node->set_clock('-1h');
#
# It is a PostgreSQL::Test::Cluster. Without libfaketime new() skips the test. The field `preload` names another library
# for LD_PRELOAD. Timeouts are turned off as far as possible: PostgreSQL reads the clock in their signal handler, and
# libfaketime is not safe there.
package FakeClock;
use strict;
use warnings;
use Dialogue ();
use parent -norequire, 'PostgreSQL::Test::Cluster';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils ();    # a method of the parent must not find a function here
use Test::More ();

# Sets the clock, before a start or while the server runs, in libfaketime's syntax: an offset (-1h), or a time at which
# the clock stands still (2030-01-01 00:00:00).
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

# Does what init() of the parent does, and turns off timeouts.
sub init
{
	my ($self, @arguments) = @_;
	$self->SUPER::init(@arguments);
	$self->append_conf('postgresql.conf',
		"deadlock_timeout = '1h'\nlog_startup_progress_interval = 0\nautovacuum = off\n");
	return;
}

my ($library) = grep { -e } glob('/usr/lib{/*,64,}/faketime/libfaketime.so.1');

# Does what new() of the parent does. Without libfaketime it skips the test.
sub new
{
	my ($class, @arguments) = @_;
	Test::More::plan(skip_all => 'libfaketime is not installed') unless defined $library;
	return $class->SUPER::new(@arguments);
}

# Starts the server with libfaketime. Its clock is what set_clock() has said, or the right one.
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

# Stops the server and starts it. pg_ctl restart would start it with another environment.
sub restart
{
	my ($self) = @_;
	$self->stop('fast');
	$self->start;
	return;
}

# Opens a session whose query must wait for the clock or a sequence. Returns the session, which is one of Dialogue.pm,
# when it waits. Dies if it does not wait.
sub start_waiting
{
	my ($self, $query) = @_;
	my $session = Dialogue::open_session($self);
	Dialogue::ask($session, "$query;");
	Dialogue::wait_for_state($session, q{wait_event IN ('Extension', 'KidSequence', 'KidClock')});
	return $session;
}

1;
