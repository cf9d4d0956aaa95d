# How the postmaster itself exits. pg_ctl would hide a crash after its last message.
use strict;
use warnings;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION kid');
$node->stop;

# Starts the postmaster as a child of this process, so that its exit status can be read.
sub start_postmaster
{
	my ($preload) = @_;
	my $pid = fork() // die $!;
	if ($pid == 0)
	{
		open STDERR, '>>', $node->logfile or die $!;
		open STDOUT, '>&', \*STDERR or die $!;
		exec 'postgres', '-D', $node->data_dir, '-c', "shared_preload_libraries=$preload" or POSIX::_exit(1);
	}
	foreach (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return $pid if system("pg_isready -q -h '" . $node->host . "' -p " . $node->port) == 0;
		die 'the postmaster ended' if waitpid($pid, POSIX::WNOHANG()) == $pid;
		usleep(100_000);
	}
	die 'the postmaster does not start';
}

my $last = '';
foreach my $preload ('', 'kid')
{
	foreach my $ids (0, 1)
	{
		foreach my $shutdown ([ fast => 'INT' ], [ smart => 'TERM' ], [ immediate => 'QUIT' ])
		{
			my ($name, $signal) = @$shutdown;
			my $pid = start_postmaster($preload);
			if ($ids)
			{
				my $id = $node->safe_psql('postgres', 'SELECT kid_next(), flake_next(), sno_next()');
				cmp_ok($id, 'gt', $last, 'IDs rise from start to start');
				$last = $id;
			}
			kill $signal, $pid;
			waitpid($pid, 0);
			is($?, 0, "the postmaster exits with status 0: $name shutdown, "
				  . ($preload ? 'preloaded' : 'not preloaded') . ($ids ? ', IDs were made' : ', no ID was made'));
		}
	}
}

# A single-user server exits like a postmaster.
foreach my $query ('SELECT kid_next()', 'SELECT 1')
{
	foreach my $preload ('', 'kid')
	{
		my ($stdout, $stderr) = ('', '');
		ok(IPC::Run::run(
				[ 'postgres', '--single', '-D', $node->data_dir, '-c', "shared_preload_libraries=$preload",
					'postgres' ],
				'<', \"$query\n", '>', \$stdout, '2>', \$stderr),
			"a single-user server exits with status 0, preload '$preload': $query");
	}
}

done_testing();
