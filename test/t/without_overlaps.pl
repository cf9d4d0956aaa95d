# Temporal keys of PostgreSQL 18 for each type: WITHOUT OVERLAPS and PERIOD.
# Versions: temporal keys, from 18 on
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Types;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlc_messages = 'C'\n");
$node->start;
plan skip_all => 'temporal keys need PostgreSQL 18' if $node->safe_psql('postgres', 'SHOW server_version_num') < 180000;
use_database($node);
sql('CREATE EXTENSION kid');

is($node->safe_psql('postgres', q{SELECT bool_and(amvalidate(c.oid)) FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
		JOIN pg_depend d ON d.classid = 'pg_opclass'::regclass AND d.objid = c.oid
	WHERE amname = 'gist' AND deptype = 'e'}), 't', 'the GiST operator classes are valid');

foreach my $type (names_of())
{
	my ($one, $two, $none) = map { "${type}_floor('2026-11-0$_')" } 1 .. 3;
	$node->safe_psql('postgres', qq{
		CREATE TABLE rooms_$type (id $type, valid daterange, rate int, PRIMARY KEY (id, valid WITHOUT OVERLAPS));
		CREATE TABLE stays_$type (n int, room $type, during daterange,
			FOREIGN KEY (room, PERIOD during) REFERENCES rooms_$type (id, PERIOD valid));
		INSERT INTO rooms_$type VALUES ($one, '[2026-01-01,2027-01-01)', 80), ($one, '[2027-01-01,2028-01-01)', 90),
			($two, '[2026-01-01,2027-01-01)', 70)});
	like(error_of("INSERT INTO rooms_$type VALUES ($one, '[2026-06-01,2026-07-01)', 85)"),
		qr/conflicting key value violates exclusion constraint "rooms_${type}_pkey"/,
		"$type: a period that overlaps another is rejected");
	like(error_of("INSERT INTO rooms_$type VALUES (NULL, '[2026-06-01,2026-07-01)', 85)"),
		qr/null value in column "id"/, "$type: a row without an ID is rejected");
	is(error_of("INSERT INTO stays_$type VALUES (1, $one, '[2026-12-24,2027-01-02)'),
			(2, $two, '[2026-12-24,2027-01-01)'), (3, NULL, '[2026-12-24,2027-01-02)')"),
		'', "$type: references within one period, and within two adjacent ones, are accepted");
	my $missing = qr/violates foreign key constraint "stays_${type}_room_during_fkey"/;
	like(error_of("INSERT INTO stays_$type VALUES (4, $two, '[2026-12-24,2027-01-02)')"), $missing,
		"$type: a reference beyond the period is rejected");
	like(error_of("INSERT INTO stays_$type VALUES (5, $none, '[2026-12-24,2026-12-26)')"), $missing,
		"$type: a reference to another ID is rejected");
	like(error_of("DELETE FROM rooms_$type WHERE rate = 90"), $missing, "$type: a referenced period cannot be deleted");
	is(error_of("UPDATE rooms_$type SET valid = '[2026-02-01,2027-01-01)' WHERE rate = 70"), '',
		"$type: an unreferenced part of a period can be removed");
	like($node->safe_psql('postgres', qq{SET enable_seqscan = off;
			EXPLAIN (COSTS OFF) SELECT rate FROM rooms_$type WHERE id = $one AND valid \@> date '2027-11-21'}),
		qr/Scan (using|on) rooms_${type}_pkey/, "$type: the primary key index is used");
	is($node->safe_psql('postgres', qq{SET enable_seqscan = off;
			SELECT rate FROM rooms_$type WHERE id = $one AND valid \@> date '2027-11-21'}), '90',
		"$type: the primary key index finds the row");
}

$node->stop;
done_testing();
