# Ways to break a server, and to observe it afterwards: kill its processes, measure how far its IDs are ahead of the
# clock, leave a session stuck in sending to a client that does not read, and hold up what it does by libraries for
# LD_PRELOAD.
package Failure;
use strict;
use warnings;
use Dialogue;
use Exporter 'import';
use IO::Socket::UNIX;
use PostgreSQL::Test::Utils;
use Test::More ();
use Time::HiRes qw(usleep);

our @EXPORT = qw(kill_server kill_backend wait_for_end wait_until_up wait_for_end_of_lease seconds_ahead is_at_most
  is_near start_deaf deaf_waits_for slow_flush_library late_checkpointer_library);

# Returns the processes that a process has started. Linux lists them in a file. macOS has no such file, but ps, which a
# small Linux lacks.
sub children_of
{
	my ($parent) = @_;
	my $list = "/proc/$parent/task/$parent/children";
	return split ' ', slurp_file($list) if -e $list;
	return map { /^\s*(\d+)\s+$parent\s*$/ ? $1 : () } `ps -A -o pid= -o ppid=`;
}

# Waits until a process of this user is gone. Dies if it is still there after the tests' time limit, because a process
# stays if its parent does not wait for it.
sub wait_for_end
{
	my ($pid) = @_;
	my $ends = time + $PostgreSQL::Test::Utils::timeout_default;
	while (kill 0, $pid)
	{
		die "process $pid does not end" if time > $ends;
		usleep(1000);
	}
	return;
}

# Kills all processes of a server. The postmaster is stopped first, so that it cannot start another process meanwhile.
sub kill_server
{
	my ($node) = @_;
	my ($postmaster) = split /\n/, slurp_file($node->data_dir . '/postmaster.pid');
	kill 'STOP', $postmaster;
	my @children = children_of($postmaster);
	kill 'KILL', $postmaster, @children;
	$node->{_pid} = undef;
	# Wait until the postmaster is gone: the next postmaster would take its process ID for a running server.
	wait_for_end($_) foreach @children, $postmaster;
	return;
}

# Waits for a server that restarts by itself. Dies if it does not. It uses no query: psql may end before the test has
# sent the query.
sub wait_until_up
{
	my ($node) = @_;
	foreach (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return if system('pg_isready', '-q', '-h', $node->host, '-p', $node->port) == 0;
		usleep(100_000);
	}
	die 'no restart after the crash';
}

# Kills one backend of a server with restart_after_crash, which restarts the whole server. Returns when it is up.
sub kill_backend
{
	my ($node) = @_;
	my $session = open_session($node);
	kill 'KILL', $session->{pid};
	eval { $session->{handle}->finish; };
	# Until the postmaster has reaped the backend, the server still seems to be up.
	wait_for_end($session->{pid});
	wait_until_up($node);
	return;
}

# Waits until all leases have ended, so that the next ID of each clock needs a new bound. After a start no clock has a
# lease before its first ID.
sub wait_for_end_of_lease
{
	my ($node) = @_;
	$node->poll_query_until('postgres',
		'SELECT coalesce(max(lease_until) < clock_timestamp(), true) FROM kid_stats()')
	  or die 'the lease does not end';
	return;
}

# Returns how many seconds IDs, issued or covered by the lease, are ahead of the clock.
sub seconds_ahead
{
	my ($node) = @_;
	return $node->safe_psql('postgres',
		'SELECT coalesce(round(max(extract(epoch FROM greatest(last_issued, lease_until) - clock_timestamp())), 3), 0)
			FROM kid_stats()');
}

# Tests that IDs are ahead of the clock by a lease at most. The tolerance is for a logical clock that is
# ahead by itself, and for a machine so busy that a flush takes long, as a lease is long enough for four.
# Leases that add up would exceed it.
sub is_at_most
{
	my ($ahead, $lease, $name) = @_;
	return Test::More::cmp_ok($ahead, '<=', $lease + 2, "$name: $ahead s ahead, the lease is $lease s");
}

# Makes IDs, and tests that they are ahead of the clock by a lease at most.
sub is_near
{
	my ($node, $lease, $name) = @_;
	# sno_next() is not called: it may have to wait first.
	$node->safe_psql('postgres', 'SELECT kid_next(), flake_next()');
	return is_at_most(seconds_ahead($node), $lease, $name);
}

# Opens a session whose client does not read. Its output fills the connection, and then it runs its last query.
sub connect_deaf
{
	my ($node, $rows, $query) = @_;
	my $socket = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $node->host . '/.s.PGSQL.' . $node->port) or die $!;
	my $startup = pack('N Z* Z* Z* Z* x', 196608, 'user', scalar getpwuid($<), 'database', 'postgres');
	my $message = '';
	# Each row is as long as PostgreSQL's send buffer. The output before the rows fills one buffer except for its end.
	foreach my $statements ("SET application_name = 'deaf'; SET kid.max_wait = -1",
		"SELECT repeat('y', 8000); SELECT repeat('x', 8181) FROM generate_series(1, $rows); $query")
	{
		$message .= 'Q' . pack('N', 5 + length $statements) . "$statements\0";
	}
	$socket->syswrite(pack('N', 4 + length $startup) . $startup . $message) or die $!;
	return $socket;
}

# Returns in which of some wait events the session is, or an empty string if it reaches none of them.
sub deaf_waits_for
{
	my ($node, $events) = @_;
	my $query = "SELECT wait_event FROM pg_stat_activity WHERE application_name = 'deaf' AND wait_event IN ($events)";
	my $event = '';
	for (my $i = 0; $i < 1000 && $event eq ''; $i++)
	{
		$event = $node->safe_psql('postgres', $query);
		usleep(10_000);
	}
	return $event;
}

my $rows_that_fit;

# Starts a session whose client does not read. It has as many rows as fit, so that it gets stuck in sending what the
# query returns. Returns its socket.
sub start_deaf
{
	my ($node, $query) = @_;
	for (my $rows = 1; !defined $rows_that_fit; $rows++)
	{
		my $socket = connect_deaf($node, $rows, 'SELECT pg_sleep(100)');
		$rows_that_fit = $rows - 1 if deaf_waits_for($node, q{'PgSleep', 'ClientWrite'}) ne 'PgSleep';
		close $socket;
		$node->safe_psql('postgres',
			q{SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'deaf'});
	}
	return connect_deaf($node, $rows_that_fit, $query);
}

# Compiles a library for LD_PRELOAD from the source `code`. Returns undef if there is no compiler.
sub compile_library
{
	my ($name, $code) = @_;
	my $directory = PostgreSQL::Test::Utils::tempdir();
	append_to_file("$directory/$name.c", $code);
	return undef
	  if system(
		"cc -shared -fPIC -O1 -o '$directory/$name.so' '$directory/$name.c' -ldl >'$directory/cc.log' 2>&1") != 0;
	return "$directory/$name.so";
}

# Returns a library that holds up the start of the checkpointer while the file KID_LATE_CHECKPOINTER exists.
sub late_checkpointer_library
{
	return compile_library('late_checkpointer', <<'END');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Letting signals in is the last thing the checkpointer does before it looks at its settings.
int sigprocmask(int how, sigset_t const *set, sigset_t *old)
{
	int (*original)(int, sigset_t const *, sigset_t *) =
		(int (*)(int, sigset_t const *, sigset_t *))dlsym(RTLD_NEXT, "sigprocmask");
	char title[256] = "";
	char const *flag = getenv("KID_LATE_CHECKPOINTER");
	int in = open("/proc/self/cmdline", O_RDONLY);
	if (in >= 0 && read(in, title, sizeof title - 1) > 0 && strstr(title, "checkpointer") != NULL)
		while (flag != NULL && access(flag, F_OK) == 0)
			usleep(10000);
	close(in);
	return original(how, set, old);
}
END
}

# Returns a library that makes each flush of WAL take as many milliseconds as the file KID_SLOW_FLUSH says. While
# process N is in a flush, there is a file with that name and the suffix .N. The flush ends when that file is removed.
sub slow_flush_library
{
	return compile_library('slow_flush', <<'END');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct duration { long seconds, nanoseconds; };

static void be_slow(int fd)
{
	char link[64], file[4096], mark[4200], text[32] = "";
	char const *flag = getenv("KID_SLOW_FLUSH");
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, file, sizeof file - 1);
	if (flag == NULL || length < 0)
		return;
	file[length] = 0;
	if (strstr(file, "/pg_wal/") == NULL)
		return;
	int in = open(flag, O_RDONLY);
	if (in < 0)
		return;
	length = read(in, text, sizeof text - 1);
	close(in);
	long ms = atol(text);
	if (ms <= 0)
		return;
	snprintf(mark, sizeof mark, "%s.%d", flag, (int)getpid());
	close(open(mark, O_CREAT | O_WRONLY, 0600));
	// A system call, because libfaketime replaces the function of libc.
	for (; ms > 0 && access(mark, F_OK) == 0; ms -= 10)
	{
		struct duration left = {0, 10 * 1000000};
		while (syscall(SYS_nanosleep, &left, &left) != 0 && errno == EINTR)
			;
	}
	unlink(mark);
}

#define SLOW(name)                                                                                                     \
	int name(int fd)                                                                                                   \
	{                                                                                                                  \
		int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name);                                                  \
		be_slow(fd);                                                                                                   \
		return original(fd);                                                                                           \
	}
SLOW(fsync)
SLOW(fdatasync)
END
}

1;
