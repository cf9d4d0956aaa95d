# Recovery to a moment before a bound was written, and to one after it. New IDs are above all IDs that the server has.
# The server is restarted before its first ID, and its clock is an hour behind.
# Promise: A server never again issues an ID
use strict;
use warnings;
use FakeClock;
use Ledger;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $primary = FakeClock->new('primary');
$primary->init(allows_streaming => 1, has_archiving => 1);
$primary->append_conf('postgresql.conf', $Ledger::settings);
$primary->start;
$primary->safe_psql('postgres', $Ledger::schema);
$primary->backup('base');

# In the second there are more IDs, and a later bound.
my $bound_of = q{SELECT string_agg(clock || lease_until, ' ') FROM kid_stats()};
my %ledgers = ('before a bound' => Ledger->new);
$ledgers{'before a bound'}->take('first', $primary, 20);
my %moments = ('before a bound' => $primary->lsn('insert'));
my $bound = $primary->safe_psql('postgres', $bound_of);
usleep(1_500_000);
$ledgers{'after a bound'} = $ledgers{'before a bound'}->copy;
$ledgers{'after a bound'}->take('second', $primary, 20);
$moments{'after a bound'} = $primary->lsn('insert');
isnt($primary->safe_psql('postgres', $bound_of), $bound, 'another bound was written between the two moments');
my $segment = $primary->safe_psql('postgres', 'SELECT pg_walfile_name(pg_current_wal_lsn())');
$primary->safe_psql('postgres', 'CREATE TABLE more (); SELECT pg_switch_wal()');
$primary->poll_query_until('postgres', "SELECT last_archived_wal >= '$segment' FROM pg_stat_archiver") or die;

foreach my $name (sort keys %moments)
{
	my $restored = FakeClock->new($name =~ s/ /_/gr);
	$restored->init_from_backup($primary, 'base', has_restoring => 1);
	$restored->append_conf('postgresql.conf',
		"recovery_target_lsn = '$moments{$name}'\nrecovery_target_action = promote\n");
	$restored->set_clock('-1h');
	$restored->start;
	$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die;
	is($restored->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname = 'more'}), 0,
		"$name: restored to that moment");
	$restored->restart;
	$ledgers{$name}->goes_on($name, $restored);
	$ledgers{$name}->is_right($name);
	is($restored->safe_psql('postgres', q{SELECT ahead BETWEEN interval '59 min' AND interval '61 min' FROM kid_stats()
			WHERE clock = 'kid'}), 't',
		"$name: new IDs continue above the restored ones");
	$restored->stop('immediate');
}

$primary->stop;
done_testing();
