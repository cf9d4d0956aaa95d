# A client that does not read, while its session reads the page of the bounds: what the session has to say about the page, it says when
# it holds no lock any more. So others go on, or get an error of their own.
use strict;
use warnings;
use Failure;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
# Checksums come later; from 18 on they are the default.
$node->init(extra => [ $node->pg_version >= 18 ? '--no-data-checksums' : () ]);
$node->append_conf('postgresql.conf', "kid.max_wait = '2s'\nignore_checksum_failure = on\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION kid');
my $path = $node->data_dir . '/global/9764';

# Starts the server with another value of a byte of the page, and a session that is stuck after the first ID.
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
	is(deaf_waits_for($node, q{'ClientWrite'}), 'ClientWrite', 'a session is stuck in sending');
	return $session;
}

# What comes of a query in another session, or that nothing does.
sub other_says
{
	my ($query) = @_;
	my $timed_out;
	my ($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\n$query", timeout => 30, timed_out => \$timed_out);
	return $timed_out ? 'nothing' : $stdout . $stderr;
}

# An error.
my $id = $node->safe_psql('postgres', 'SELECT kid_next()::bigint');
my $stuck = start_stuck(24);
like(other_says('SELECT flake_next()'), qr{ERROR:  XX001: page of the bounds of IDs is damaged}, 'it cannot tell that the page is damaged: others are told');
is(other_says("SELECT kid_reset_clock(now() + interval '10 s'); SELECT kid_next()::bigint > $id"), "\nt", 'and make IDs when the page is mended');
is(deaf_waits_for($node, q{'ClientWrite'}), 'ClientWrite', 'all that time it is stuck');
close $stuck;

# A warning, of a checksum that is wrong.
$id = $node->safe_psql('postgres', 'SELECT kid_next()::bigint');
$stuck = start_stuck(8191, 'pg_checksums', '--enable', '--no-sync', '-D', $node->data_dir);
is(other_says("SELECT kid_next()::bigint > $id"), 't', 'it was warned of a checksum: others make IDs');
like(slurp_file($node->logfile), qr{WARNING:  (?:page verification failed|ignoring checksum failure)}, 'the warning is in the log');
is(deaf_waits_for($node, q{'ClientWrite'}), 'ClientWrite', 'all that time it is stuck');
close $stuck;
$node->stop('immediate');

done_testing();
