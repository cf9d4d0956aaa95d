# A session reads the page of the bounds, but its client does not read messages. The session holds no lock when it
# reports an error or a warning about the page. So other sessions continue, or get their own error.
use strict;
use warnings;
use Failure;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
# The test enables checksums later. From 18 on they are the default.
$node->init(extra => [ $node->pg_version >= 18 ? '--no-data-checksums' : () ]);
$node->append_conf('postgresql.conf', "kid.max_wait = '2s'\nignore_checksum_failure = on\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION kid');
my $path = $node->data_dir . '/global/9764';

# Changes a byte of the page while the server is down, and starts a session that gets stuck in reporting it.
sub start_stuck
{
	my ($byte, @preparation) = @_;
	$node->stop;
	system_or_bail(@preparation) if @preparation;
	my $bytes = slurp_file($path);
	substr($bytes, $byte, 1) ^= "\x81";
	open my $file, '>:raw', $path or die $!;
	print $file $bytes;
	close $file;
	$node->start;
	my $session = start_deaf($node, 'SELECT kid_next()');
	is(deaf_waits_for($node, q{'ClientWrite'}), 'ClientWrite',
		'the session is stuck in sending to a client that does not read');
	return $session;
}

# Returns what a query prints in another session, or 'nothing' if the query does not end.
sub other_says
{
	my ($query) = @_;
	my $timed_out;
	my ($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\n$query", timeout => 30,
		timed_out => \$timed_out);
	return $timed_out ? 'nothing' : $stdout . $stderr;
}

# The page is damaged: an error.
my $id = $node->safe_psql('postgres', 'SELECT kid_next()::bigint');
my $stuck = start_stuck(24);
like(other_says('SELECT flake_next()'), qr{ERROR:  XX001: page of the bounds of IDs is damaged},
	'while a session is stuck in reporting that the page is damaged, another session gets the same error');
like(other_says("SELECT kid_reset_clock(now() + interval '10 s'); SELECT kid_next()::bigint > $id"),
	qr{\A\nt.*NOTICE: .*page of the bounds of IDs was written anew},
	'after the page is repaired, other sessions make IDs');
is(deaf_waits_for($node, q{'ClientWrite'}), 'ClientWrite', 'the session with the error is still stuck in sending');
close $stuck;

# The checksum is wrong: a warning.
$id = $node->safe_psql('postgres', 'SELECT kid_next()::bigint');
$stuck = start_stuck(8191, 'pg_checksums', '--enable', '--no-sync', '-D', $node->data_dir);
is(other_says("SELECT kid_next()::bigint > $id"), 't',
	'while a session is stuck in a warning of a wrong checksum, another session makes IDs');
like(slurp_file($node->logfile), qr{WARNING:  (?:page verification failed|ignoring checksum failure)},
	'the warning of a wrong checksum is in the log');
is(deaf_waits_for($node, q{'ClientWrite'}), 'ClientWrite', 'the session with the warning is still stuck in sending');
close $stuck;
$node->stop('immediate');

done_testing();
