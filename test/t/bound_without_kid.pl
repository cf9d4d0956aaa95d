# A standby on a machine without kid replays the bound too. When it is promoted and kid is installed, its
# IDs are above the bound.
# Promise: A promoted standby
use strict;
use warnings;
use FakeClock;
use Failure;
use File::Basename;
use Ledger;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = FakeClock->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', $Ledger::settings);
$primary->start;
$primary->safe_psql('postgres', $Ledger::schema);
$primary->safe_psql('postgres', 'CREATE TABLE of_core (n int)');
$primary->backup('base');

# A copy of PostgreSQL without kid, with the same paths below another root. A server finds its files by
# means of its executable.
my $root = PostgreSQL::Test::Utils::tempdir;
my %from = map { $_ => $primary->config_data("--$_") } qw(bindir pkglibdir sharedir);
my $common = $from{bindir};
$common = dirname($common) while grep { index("$_/", "$common/") != 0 } values %from;
my %to = map { $_ => $root . substr($from{$_}, length $common) } keys %from;
foreach (keys %from)
{
	system_or_bail('mkdir', '-p', $to{$_});
	system_or_bail('cp', '-RP', "$from{$_}/.", $to{$_});
}
system_or_bail('find', $root, '-depth', '(', '-name', 'kid', '-o', '-name', 'kid[.-]*', ')', '-exec', 'rm',
	'-r', '{}', '+');

my $standby = FakeClock->new('standby', install_path => dirname($to{bindir}));
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->set_clock('-10s');
$standby->start;
is($standby->config_data('--pkglibdir'), $to{pkglibdir}, 'the standby has an installation of its own');
ok(!-e "$to{pkglibdir}/kid.so" && -e "$from{pkglibdir}/kid.so", 'the installation of the standby has no kid');
my $ledger = Ledger->new;
$ledger->goes_on('with such a standby', $primary);
$primary->safe_psql('postgres', 'INSERT INTO of_core VALUES (1)');
$primary->wait_for_catchup($standby, 'flush', $primary->lsn('flush'));
$standby->poll_query_until('postgres', 'SELECT count(*) = 1 FROM of_core') or die;
pass('a standby without kid replays WAL with bounds');
kill_server($primary);
$standby->restart;
$standby->promote;
my ($status, $stdout, $stderr) = $standby->psql('postgres', 'SELECT kid_next()');
like($stderr, qr/could not access file "(\$libdir\/)?kid"/, 'promoted without kid, the server makes no IDs');
is($standby->safe_psql('postgres', 'INSERT INTO of_core VALUES (2) RETURNING n'), 2,
	'promoted without kid, the server does everything else');
system_or_bail('cp', "$from{pkglibdir}/kid.so", $to{pkglibdir});
$ledger->goes_on('promoted, after kid is installed', $standby);
$ledger->is_right('a standby that had no kid');
$standby->stop;

done_testing();
