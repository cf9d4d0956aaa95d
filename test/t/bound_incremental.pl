# A full and an incremental backup are combined: the result has the bound of the incremental one. Tested
# with each I/O method of the server.
# Promise: A server never again issues an ID
# Versions: incremental backups, from 17 on
use strict;
use warnings;
use FakeClock;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = FakeClock->new('primary');
plan skip_all => 'incremental backups need PostgreSQL 17' if $primary->pg_version < 17;
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', "summarize_wal = on\n");

my @ways = $primary->pg_version < 18 ? ('') : map { "io_method = $_\n" } 'sync', 'worker';
foreach my $n (0 .. $#ways)
{
	my $way = $ways[$n] =~ s/\n//r || 'default I/O';
	$primary->append_conf('postgresql.conf', $ways[$n]);
	$primary->start;
	$primary->safe_psql('postgres', q{
		CREATE EXTENSION IF NOT EXISTS kid;
		CREATE TABLE IF NOT EXISTS ids (n int, kid kid64 UNIQUE DEFAULT kid_next(),
			flake flake UNIQUE DEFAULT flake_next(), sno sno UNIQUE DEFAULT sno_next(),
			uuid uuid UNIQUE DEFAULT kid_uuidv7(), kid53 bigint UNIQUE DEFAULT kid53_next());
		INSERT INTO ids SELECT generate_series(1, 1000)});
	$primary->backup("full$n");
	$primary->safe_psql('postgres', 'INSERT INTO ids SELECT generate_series(1, 1000); CHECKPOINT');
	$primary->backup("incremental$n",
		backup_options => [ '--incremental', $primary->backup_dir . "/full$n/backup_manifest" ]);
	my $rows = $primary->safe_psql('postgres', 'SELECT count(*) FROM ids');
	$primary->stop;

	my $restored = FakeClock->new("restored$n");
	$restored->init_from_backup($primary, "incremental$n", combine_with_prior => ["full$n"]);
	$restored->set_clock('-90s');
	$restored->start;
	is($restored->safe_psql('postgres', 'SELECT count(*), max(kid) < kid_next(), max(flake) < flake_next()
			AND max(kid53) < kid53_next() AND bool_and(uuid < kid_uuidv7()),
			max(kid_timestamp(kid)) > clock_timestamp() FROM ids'),
		"$rows|t|t|t", "$way: new IDs of the combined backup are above its own, although its clock is behind");
	$restored->safe_psql('postgres', 'INSERT INTO ids SELECT generate_series(1, 3000)');
	is($restored->safe_psql('postgres',
			'SELECT count(DISTINCT kid), count(DISTINCT flake), count(DISTINCT sno), count(DISTINCT uuid),
			count(DISTINCT kid53) FROM ids'),
		join('|', ($rows + 3000) x 5), "$way: no ID repeats");
	$restored->stop;
}

done_testing();
