# Partitions while others change them: a detach that was broken off, and transactions that see an older state of the
# catalogue; and what replicas see of it.
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', "timezone = 'UTC'\n");
$node->start;

sub sql { return $node->safe_psql('postgres', $_[0]) }

# All that psql prints, errors and notices included, with their SQLSTATE, detail and hint.
sub output_of
{
	my ($query) = @_;
	my ($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\n\\set SHOW_CONTEXT never\n$query");
	return $stdout . $stderr;
}

# Breaks off the detaching of a partition, which waits for a transaction that has read the parent.
sub break_off
{
	my ($parent, $partition) = @_;
	my ($reader, $detacher) = (open_session($node), open_session($node));
	answer($reader, "BEGIN; SELECT count(*) FROM $parent;");
	ask($detacher, "ALTER TABLE $parent DETACH PARTITION $partition CONCURRENTLY;");
	$node->poll_query_until('postgres', "SELECT inhdetachpending FROM pg_inherits WHERE inhrelid = '$partition'::regclass") or die;
	sql("SELECT pg_cancel_backend($detacher->{pid})");
	like(answer($detacher), qr{57014: canceling statement due to user request}, "detaching $partition is broken off");
	close_session($_) foreach $detacher, $reader;
	return;
}

# A table with a partition for each day, named for it.
sub create_days
{
	my ($table, $from, $to) = @_;
	sql(qq{CREATE TABLE $table (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id);
		CREATE TABLE ${table}_p$from PARTITION OF $table FOR VALUES FROM (kid64_floor('$from')) TO (kid64_floor(timestamptz '$from' + '1 day'));
		SELECT count(*) FROM kid_create_partitions('$table', '1 day', timestamptz '$to' + '1 day')});
	return;
}

sql('CREATE EXTENSION kid');

#
# A detach that was broken off: the partition takes no rows, and its place is not free.
#

# It has the rows that are inserted now.
sql('CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id)');
my $create = q{SELECT kid_create_partitions('events', '100 years', now())};
my $first = sql($create);
sql('INSERT INTO events VALUES (DEFAULT, 1)');
break_off('events', $first);
like(output_of('INSERT INTO events VALUES (DEFAULT, 2)'), qr{23514: no partition of relation "events" found for row}, 'it takes no rows');
my $output = output_of($create);
like($output, qr{ERROR:  55000: detaching partition \Q$first\E from public\.events is not complete\nDETAIL:  .*\nHINT:  .*\bALTER TABLE }, 'new rows have no place: an error');
my ($hint) = $output =~ /^HINT:  .*(ALTER TABLE .* FINALIZE)/m;
is($hint, "ALTER TABLE public.events DETACH PARTITION $first FINALIZE", 'that says what to do');
sql($hint // "ALTER TABLE events DETACH PARTITION $first FINALIZE");
is(sql($create), "${first}_1", 'a partition in its place');
sql('INSERT INTO events VALUES (DEFAULT, 3)');
is(sql('SELECT sum(n) FROM events'), 3, 'and rows go there');
is(sql("SELECT sum(n) FROM $first"), 1, 'those of before are where they were');

# It is to have them later.
$first = sql(q{CREATE TABLE later (id kid64) PARTITION BY RANGE (id); SELECT kid_create_partitions('later', '1 day', now() + interval '2 days') ORDER BY 1 DESC LIMIT 1});
break_off('later', $first);
like(output_of(q{SELECT kid_create_partitions('later', '1 day', now() + interval '4 days')}), qr{^psql\S* ERROR:  55000: detaching partition}m, 'later rows have no place: an error');
is(output_of(q{SELECT kid_create_partitions('later', '1 day', now() + interval '1 second')}), '', 'they are not asked for: none');

# It had rows of the past, between other partitions.
create_days('past', 20200101, 20200105);
break_off('past', 'past_p20200103');
$output = output_of(q{SELECT kid_create_partitions('past', '12 hours', '2020-01-07')});
like($output, qr{WARNING:  55000: detaching partition public\.past_p20200103 from public\.past is not complete\nDETAIL:  .*\nHINT:  .* FINALIZE}, 'only old rows have no place: a warning');
is(() = $output =~ /WARNING/g, 1, 'one');
like($output, qr{\Apublic.past_p20200106_0000\npublic.past_p20200106_1200\n?psql}, 'and what else is missing is made');
sql('ALTER TABLE past DETACH PARTITION past_p20200103 FINALIZE; DROP TABLE past_p20200103');
is(output_of(q{SELECT kid_create_partitions('past', '12 hours', '2020-01-07')}), "public.past_p20200103_0000\npublic.past_p20200103_1200", 'its place, once it is free');

# The oldest: the rest begins after it.
break_off('past', 'past_p20200101');
is(output_of(q{SELECT kid_create_partitions('past', '12 hours', '2020-01-08')}), "public.past_p20200107_0000\npublic.past_p20200107_1200", 'before all others: nothing to say');

# The only one: the rest begins now.
create_days('alone', 20200101, 20200101);
break_off('alone', 'alone_p20200101');
is(output_of(q{SELECT count(*), min(name) = 'public.alone_p' || to_char(now(), 'YYYYMMDD') FROM kid_create_partitions('alone', '1 day', now() + interval '1 second') AS name}) =~ s/^2/1/r,
	'1|t', 'and no other: nothing to say');

# Nothing is dropped that somebody wants to keep aside.
like(output_of("SELECT kid_drop_partitions('past', '2020-01-03')"),
	qr{\Apublic.past_p20200102\n?psql\S* WARNING:  55000: detaching partition public\.past_p20200101 .*\nDETAIL:  .*\nHINT:  .* FINALIZE}, 'not named by a dry run, but warned of');
is(output_of("SELECT kid_drop_partitions('past', '2020-01-01')"), '', 'it is not as old');
like(output_of("SELECT kid_drop_partitions('past', '2020-01-03', false)"),
	qr{\Apublic.past_p20200102\n?psql\S* WARNING:  55000: }, 'not dropped, but others are');
is(sql("SELECT to_regclass('past_p20200101'), to_regclass('past_p20200102')"), 'past_p20200101|', 'so it is');
sql('ALTER TABLE past DETACH PARTITION past_p20200101 FINALIZE');
is(output_of("SELECT kid_drop_partitions('past', '2020-01-03', false)"), '', 'detached, it is no partition any more');

#
# Partitions exchange their names while they are dropped: it is the old one that goes.
#
create_days('renamed', 20200101, 20200103);
sql("INSERT INTO renamed (id, n) VALUES (kid64_floor('2020-01-03 12:00'), 3)");
my ($owner, $job) = (open_session($node), open_session($node));
answer($owner, 'BEGIN; ALTER TABLE renamed_p20200101 RENAME TO aside; ALTER TABLE renamed_p20200103 RENAME TO renamed_p20200101;');
ask($job, "SELECT kid_drop_partitions('renamed', '2020-01-02', false);");
$node->poll_query_until('postgres', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $job->{pid}") or die;
answer($owner, 'COMMIT;');
is(answer($job), 'public.aside', 'the partition that was renamed is dropped');
is(sql('SELECT n FROM renamed'), 3, 'and the one that has its name now is not');
close_session($_) foreach $owner, $job;

#
# A snapshot that is older than the lock.
#

my ($one, $other) = (open_session($node), open_session($node));

# Runs `change` in one session, while another, at a level of isolation, has begun and is about to call `query`, and returns what that says.
sub meanwhile
{
	my ($level, $change, $query) = @_;
	answer($other, "BEGIN ISOLATION LEVEL $level; SELECT FROM pg_class LIMIT 0;");
	answer($one, "BEGIN; $change;");
	ask($other, "$query;");
	$node->poll_query_until('postgres', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $other->{pid}") or die;
	answer($one, 'COMMIT;');
	my $result = answer($other);
	answer($other, 'ROLLBACK;');
	return $result;
}

my $too_old = qr{\Apsql\S* ERROR:  40001: could not serialize access due to concurrent change of the partitions of table "\w+"\nHINT:  };

create_days('days', 20210101, 20210103);
sub create_until { return "SELECT kid_create_partitions('days', '1 day', '$_[0]')" }
is(meanwhile('READ COMMITTED', create_until('2021-01-06'), create_until('2021-01-06')), '', 'two at once: the second has nothing to do');
like(meanwhile('REPEATABLE READ', create_until('2021-01-08'), create_until('2021-01-08')), $too_old, 'or is to try again');
like(meanwhile('SERIALIZABLE', create_until('2021-01-09'), create_until('2021-01-09')), $too_old, 'or is to try again');
is(sql(create_until('2021-01-09')), '', 'and then has nothing to do');
is(sql("SELECT to_regclass('days_p20210107_1')"), '', 'without a trace');

# What is not there any more.
my $drop = "SELECT kid_drop_partitions('days', '2021-01-02', false)";
like(meanwhile('REPEATABLE READ', $drop, $drop), $too_old, 'a partition that was dropped');
is(sql($drop), '', 'once');
like(meanwhile('REPEATABLE READ', 'ALTER TABLE days DETACH PARTITION days_p20210105', create_until('2021-01-09')), $too_old, 'one that was detached');
is(sql(create_until('2021-01-09')), 'public.days_p20210105_1', 'is made again');
like(meanwhile('REPEATABLE READ', 'CREATE ROLE somebody; GRANT CREATE ON SCHEMA public TO somebody; ALTER TABLE days OWNER TO somebody', create_until('2021-01-10')), $too_old, 'another owner of the parent');

# The parent itself.
create_days($_, 20210101, 20210103) foreach 'made', 'dropped';
like(meanwhile('READ COMMITTED', 'DROP TABLE made', q{SELECT kid_create_partitions('made', '1 day', '2021-01-05')}), qr{ERROR:  42P01: relation with OID \d+ does not exist}, 'the parent was dropped meanwhile: creating is an error');
like(meanwhile('READ COMMITTED', 'DROP TABLE dropped', q{SELECT kid_drop_partitions('dropped', '2021-01-02', false)}), qr{ERROR:  42P01: relation with OID \d+ does not exist}, 'and so is dropping');

# Without waiting for anyone.
answer($other, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM pg_class LIMIT 0;');
break_off('days', 'days_p20210106');
like(answer($other, create_until('2021-01-09') . ';'), $too_old, 'one that is being detached');
answer($other, 'ROLLBACK;');
sql('ALTER TABLE days DETACH PARTITION days_p20210106 FINALIZE');
is(sql(create_until('2021-01-09')), 'public.days_p20210106_1', 'and has been');

# No change, one of one's own, and a lock from the start.
create_days('quiet', 20210101, 20210103);
is(answer($other, q{BEGIN ISOLATION LEVEL REPEATABLE READ;
	SELECT kid_create_partitions('quiet', '1 day', '2021-01-05');
	SELECT kid_create_partitions('quiet', '1 day', '2021-01-06');
	SELECT kid_drop_partitions('quiet', '2021-01-02', false);
	SELECT kid_create_partitions('quiet', '1 day', '2021-01-06');
	SELECT kid_drop_partitions('quiet', '2021-01-03', false);
	COMMIT;}), "public.quiet_p20210104\npublic.quiet_p20210105\npublic.quiet_p20210101\npublic.quiet_p20210102", 'alone, all of it in one transaction');
answer($other, 'BEGIN ISOLATION LEVEL REPEATABLE READ;');
answer($one, create_until('2021-01-10') . ';');
is(answer($other, 'LOCK TABLE ONLY days IN SHARE UPDATE EXCLUSIVE MODE; ' . create_until('2021-01-11') . '; COMMIT;'), 'public.days_p20210110', 'whoever locks first sees all');

#
# The default partition takes a row of a partition that is being created.
#

create_days('late', 20210101, 20210102);
sql(q{SELECT kid_create_partitions('late', '1 day', '2021-01-05')});
sql('CREATE TABLE late_rest PARTITION OF late DEFAULT');
like(meanwhile('READ COMMITTED', q{INSERT INTO late VALUES (kid64_make('2021-01-05 02:00', 0), 5)}, q{SELECT kid_create_partitions('late', '1 day', '2021-01-06')}),
	qr{ERROR:  23514: }, 'a row that is committed after all have been looked for is an error');
is(sql(q{SET client_min_messages = error; SELECT kid_create_partitions('late', '1 day', '2021-01-06')}), '', 'the next call leaves out its partition');

#
# With what a default server's lock table holds, a job that is late by any number of partitions catches up.
#

cmp_ok($node->safe_psql('postgres', 'SHOW max_locks_per_transaction'), '>=', 64, 'a server has so many locks by default');
sql(q{CREATE TABLE hours (id kid64 PRIMARY KEY, a text, b text, c text, d text) PARTITION BY RANGE (id);
	CREATE INDEX ON hours (a); CREATE INDEX ON hours (b); CREATE INDEX ON hours (c); CREATE INDEX ON hours (d)});
my $hours = q{SELECT count(*) FROM kid_create_partitions('hours', '1 hour', '2021-01-11', since => '2021-01-01')};
my $locks = 'SELECT count(*) <= 64 * 100 / 4 FROM pg_locks WHERE pid = pg_backend_pid()';
is(sql("BEGIN; $hours; $locks; COMMIT; $hours; $hours; $hours"), "100\nt\n100\n40\n0", 'creating: a hundred at once take a quarter of them');
my $dropped = q{SELECT count(*) FROM kid_drop_partitions('hours', '2021-01-11', false)};
is(sql("BEGIN; $dropped; $locks; COMMIT; $dropped; $dropped; $dropped"), "100\nt\n100\n40\n0", 'dropping, too');

# What is left out does not count.
sql(q{DROP TABLE hours; CREATE TABLE hours (id kid64 PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE hours_rest PARTITION OF hours DEFAULT;
	INSERT INTO hours SELECT kid64_floor(t) FROM generate_series(timestamptz '2021-01-01', '2021-01-18', '1 hour') AS t;
	CREATE TABLE referring (id kid64 REFERENCES hours); INSERT INTO referring SELECT id FROM hours});
my $left_out = q{SELECT count(*) FROM kid_create_partitions('hours', '1 hour', '2021-01-19', since => '2021-01-01')};
is(sql("BEGIN; SET client_min_messages = error; $left_out; $locks; ROLLBACK"), "23\nt", 'leaving out hundreds takes no locks');
close_session($_) foreach $one, $other;
$node->stop;
done_testing();
