# Consumers that read up to the horizon miss no row, while sixteen sessions write in all ways in which a transaction may
# commit after one with a later ID. Half of the rows have kid64, and half of them kid53. A consumer that does not use
# the horizon misses rows meanwhile, so the test can find such rows. A race of a few instructions is too seldom for this
# test: test/unit/horizon_test.cpp explores those.
#
# KID_SECONDS is how long the sessions write.
# Promise: No row can still appear
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{KID_SECONDS} || 12;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "max_prepared_transactions = 20\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION kid;
	CREATE TABLE seen (consumer text, id bigint);
	CREATE TABLE writers (ended boolean);
	INSERT INTO writers VALUES (false);
});
my $procedures = q{
	CREATE PROCEDURE write_in_parts() LANGUAGE plpgsql AS $$
	BEGIN
		FOR i IN 1..3 LOOP
			INSERT INTO events (what) VALUES ('part');
			PERFORM pg_sleep(random() * 0.005);
			COMMIT;
		END LOOP;
	END $$;

	CREATE PROCEDURE write_fast() LANGUAGE plpgsql AS $$
	BEGIN
		FOR i IN 1..200 LOOP
			INSERT INTO events (what) VALUES ('fast');
			COMMIT;
		END LOOP;
	END $$;

	CREATE PROCEDURE write_and_fail() LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO events (what) VALUES ('before');
		BEGIN
			INSERT INTO events (what) VALUES ('never');
			PERFORM pg_sleep(random() * 0.005);
			PERFORM 1 / 0;
		EXCEPTION WHEN division_by_zero THEN
			INSERT INTO events (what) VALUES ('after');
		END;
	END $$;
};

# Returns SQL that does the same with kid53.
sub with_kid53
{
	my ($sql) = @_;
	return $sql =~ s/\bevents\b/numbers/gr =~ s/\bkid_(next|horizon)\b/kid53_$1/gr =~ s/::bigint::kid64//gr
	  =~ s/\bkid64\b/bigint/gr =~ s/\bwrite_/write53_/gr =~ s/'writer :/'writer53 :/gr;
}
my $table = 'CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), what text);';
$node->safe_psql('postgres', join '', map { ($_, with_kid53($_)) } $table, $procedures);

# pgbench's scripts, each with its weight.
my $insert = 'INSERT INTO events DEFAULT VALUES;';
my $wait = "\\set ms random(0, 5)\n\\sleep :ms ms\n";
my %writers = (
	'short@60' => $insert,
	'many@5' => 'INSERT INTO events (what) SELECT i FROM generate_series(1, 20) AS i;',
	'slow@5' => "BEGIN;\n$insert\n${wait}COMMIT;",
	'long@1' => "BEGIN;\n$insert\nSELECT pg_sleep(0.1);\n$insert\nCOMMIT;",
	'early_id@5' => "BEGIN;\nSELECT kid_next()::bigint AS id \\gset\n"
	  . "${wait}INSERT INTO events VALUES ((:id)::bigint::kid64);\nCOMMIT;",
	'rolled_back@5' => "BEGIN;\n$insert\n${wait}ROLLBACK;",
	'savepoints@5' =>
	  "BEGIN;\nSAVEPOINT a;\n$insert\nROLLBACK TO a;\nSAVEPOINT b;\n$insert\n${wait}RELEASE b;\n$insert\nCOMMIT;",
	'prepared@5' =>
	  "BEGIN;\n$insert\nPREPARE TRANSACTION 'writer :client_id';\n${wait}COMMIT PREPARED 'writer :client_id';",
	'prepared_in_vain@2' =>
	  "BEGIN;\n$insert\nPREPARE TRANSACTION 'writer :client_id';\n${wait}ROLLBACK PREPARED 'writer :client_id';",
	'fast@3' => 'CALL write_fast();',
	'in_parts@5' => 'CALL write_in_parts();',
	'failing@5' => 'CALL write_and_fail();');
my %all_writers = (%writers, map { ("kid53_$_" => with_kid53($writers{$_})) } keys %writers);

# Name, isolation level, and what the consumer does between its snapshot and its query. The last column is
# the condition.
my $horizon = 'AND id < kid_horizon()';
my @consumers = (
	[ 'naive', 'read committed', 'NULL', '' ],
	[ 'busy', 'read committed', 'NULL', $horizon ],
	[ 'cursor', 'read committed', 'PERFORM pg_sleep(random() * 0.02)', $horizon ],
	[ 'repeatable', 'repeatable read', 'PERFORM pg_sleep(random() * 0.005)', $horizon ],
	[ 'old', 'repeatable read', 'PERFORM pg_sleep(random() * 0.5)', $horizon ],
	[ 'serializable', 'serializable', 'PERFORM pg_sleep(random() * 0.005)', $horizon ]);
my @consumers53 = map { [ "$_->[0]53", @$_[ 1, 2 ], with_kid53($_->[3]), 'numbers' ] }
  grep { $_->[0] =~ /naive|busy|repeatable|old/ } @consumers;
my @sessions;

foreach my $consumer (@consumers, @consumers53)
{
	my ($name, $isolation, $delay, $condition, $numbers) = @$consumer;
	my $sql = qq{
		\\set ON_ERROR_STOP 1
		CREATE PROCEDURE $name() LANGUAGE plpgsql AS \$\$
		DECLARE
			last kid64 := 0::bigint::kid64;
			ids kid64[];
			over boolean;
			rows refcursor;
		BEGIN
			LOOP
				SELECT ended INTO over FROM writers;
				OPEN rows FOR SELECT array_agg(id ORDER BY id) FROM events WHERE id > last $condition;
				$delay;
				FETCH rows INTO ids;
				CLOSE rows;
				INSERT INTO seen SELECT '$name', unnest(ids)::bigint;
				EXIT WHEN over AND ids IS NULL;
				last := coalesce(ids[cardinality(ids)], last);
				COMMIT;
			END LOOP;
		END \$\$;
		SET default_transaction_isolation = '$isolation';
		CALL $name();
		SELECT 'done';
	};
	push @sessions, start_script($node, $numbers ? with_kid53($sql) : $sql);
}
$node->pgbench("-n -c 16 -j 2 -T $seconds", 0, [qr{processed}], [qr{^$}], 'sixteen sessions write', \%all_writers);
$node->safe_psql('postgres', 'UPDATE writers SET ended = true');
wait_for_output($_, qr/^done$/m) foreach @sessions;
$_->{handle}->finish foreach @sessions;

my $rows = $node->safe_psql('postgres', 'SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM numbers)');
note "rows of kid64 and of kid53: $rows";
foreach (@consumers, @consumers53)
{
	my ($name, $of) = @$_[ 0, 4 ];
	$of //= 'events';
	my ($missed, $polled) = split /\|/, $node->safe_psql('postgres', qq{
		SELECT count(*) FILTER (WHERE s.id IS NULL), count(DISTINCT s.xmin::text)
		  FROM $of e LEFT JOIN seen s ON s.id = e.id::bigint AND s.consumer = '$name'});
	if ($name =~ /^naive/)
	{
		cmp_ok($missed, '>', 0, "without the horizon a consumer missed $missed rows");
		next;
	}
	is($missed, 0, "consumer '$name' missed no row, and found rows $polled times");
	cmp_ok($polled, '>', $seconds, "consumer '$name' found rows many times");
}
done_testing();
