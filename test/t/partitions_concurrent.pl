# Partitions while other sessions change them: a detach that was cancelled, concurrent calls, and a parent that is
# renamed or dropped. And programs that read each partition by its name.
# Versions: the locks of ATTACH and DETACH PARTITION
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', "timezone = 'UTC'\n");
$node->start;
use_database($node);

# Starts to detach a partition concurrently, and cancels it while it waits for a transaction that has read the parent.
sub break_off
{
	my ($parent, $partition) = @_;
	my ($reader, $detacher) = (open_session($node), open_session($node));
	answer($reader, "BEGIN; SELECT count(*) FROM $parent;");
	ask($detacher, "ALTER TABLE $parent DETACH PARTITION $partition CONCURRENTLY;");
	$node->poll_query_until('postgres',
		"SELECT inhdetachpending FROM pg_inherits WHERE inhrelid = '$partition'::regclass") or die;
	sql("SELECT pg_cancel_backend($detacher->{pid})");
	like(answer($detacher), qr{57014: canceling statement due to user request}, "detaching $partition is cancelled");
	close_session($_) foreach $detacher, $reader;
	return;
}

# Creates a table with a partition for each day, whose name has the date.
sub create_days
{
	my ($table, $from, $to) = @_;
	sql(qq{CREATE TABLE $table (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id);
		CREATE TABLE ${table}_p$from PARTITION OF $table FOR VALUES
			FROM (kid64_floor('$from')) TO (kid64_floor(timestamptz '$from' + '1 day'));
		SELECT count(*) FROM kid_create_partitions('$table', '1 day', timestamptz '$to' + '1 day')});
	return;
}

sql('CREATE EXTENSION kid');

#
# A cancelled detach: the partition takes no rows, and its range is not free.
#

# The partition for rows that are inserted now.
sql('CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id)');
my $create = q{SELECT kid_create_partitions('events', '100 years', now())};
my $first = sql($create);
sql('INSERT INTO events VALUES (DEFAULT, 1)');
break_off('events', $first);
like(output_of('INSERT INTO events VALUES (DEFAULT, 2)'), qr{23514: no partition of relation "events" found for row},
	'a partition whose detach was cancelled takes no rows');
my $output = output_of($create);
my $incomplete = qr{ERROR:  55000: detaching partition \Q$first\E from public\.events is not complete};
like($output, qr{$incomplete\nDETAIL:  .*\nHINT:  .*\bALTER TABLE },
	'kid_create_partitions() fails if new rows have no partition because of a cancelled detach');
my ($hint) = $output =~ /^HINT:  .*(ALTER TABLE .* FINALIZE)/m;
is($hint, "ALTER TABLE public.events DETACH PARTITION $first FINALIZE",
	'the hint of that error has the statement that completes the detach');
sql($hint // "ALTER TABLE events DETACH PARTITION $first FINALIZE");
is(sql($create), "${first}_1", 'after the detach is complete, a new partition takes its place');
sql('INSERT INTO events VALUES (DEFAULT, 3)');
is(sql('SELECT sum(n) FROM events'), 3, 'new rows go to the new partition');
is(sql("SELECT sum(n) FROM $first"), 1, 'old rows are still in the detached partition');

# The partition for later rows.
$first = sql(q{CREATE TABLE later (id kid64) PARTITION BY RANGE (id);
	SELECT kid_create_partitions('later', '1 day', now() + interval '2 days') ORDER BY 1 DESC LIMIT 1});
break_off('later', $first);
like(output_of(q{SELECT kid_create_partitions('later', '1 day', now() + interval '4 days')}),
	qr{^psql\S* ERROR:  55000: detaching partition}m,
	'kid_create_partitions() fails if later rows have no partition because of a cancelled detach');
is(output_of(q{SELECT kid_create_partitions('later', '1 day', now() + interval '1 second')}), '',
	'kid_create_partitions() works if later rows are not asked for');

# A partition for past rows, between other partitions.
create_days('past', 20200101, 20200105);
break_off('past', 'past_p20200103');
$output = output_of(q{SELECT kid_create_partitions('past', '12 hours', '2020-01-07')});
$incomplete = qr{WARNING:  55000: detaching partition public\.past_p20200103 from public\.past is not complete};
like($output, qr{$incomplete\nDETAIL:  .*\nHINT:  .* FINALIZE},
	'kid_create_partitions() warns if only old rows have no partition because of a cancelled detach');
is(() = $output =~ /WARNING/g, 1, 'there is one such warning');
like($output, qr{\Apublic.past_p20200106_0000\npublic.past_p20200106_1200\n?psql},
	'despite the warning, the other missing partitions are created');
sql('ALTER TABLE past DETACH PARTITION past_p20200103 FINALIZE; DROP TABLE past_p20200103');
is(output_of(q{SELECT kid_create_partitions('past', '12 hours', '2020-01-07')}),
	"public.past_p20200103_0000\npublic.past_p20200103_1200",
	'after the detach is complete, its range gets partitions');

# The oldest partition: the others begin after it.
break_off('past', 'past_p20200101');
is(output_of(q{SELECT kid_create_partitions('past', '12 hours', '2020-01-08')}),
	"public.past_p20200107_0000\npublic.past_p20200107_1200",
	'a cancelled detach of the oldest partition gives no warning');

# The only partition: the others begin now.
create_days('alone', 20200101, 20200101);
break_off('alone', 'alone_p20200101');
is(output_of(q{SELECT count(*), min(name) = 'public.alone_p' || to_char(now(), 'YYYYMMDD')
		FROM kid_create_partitions('alone', '1 day', now() + interval '1 second') AS name}) =~ s/^2/1/r,
	'1|t', 'a cancelled detach of the only partition gives no warning');

# A partition whose detach was cancelled is not dropped, because somebody wants to keep it.
$incomplete = qr{WARNING:  55000: detaching partition public\.past_p20200101 };
like(output_of("SELECT kid_drop_partitions('past', '2020-01-03')"),
	qr{\Apublic.past_p20200102\n?psql\S* $incomplete.*\nDETAIL:  .*\nHINT:  .* FINALIZE},
	'a dry run warns of a partition whose detach was cancelled, and does not list it');
is(output_of("SELECT kid_drop_partitions('past', '2020-01-01')"), '', 'a dry run for an earlier time gives no warning');
like(output_of("SELECT kid_drop_partitions('past', '2020-01-03', false)"),
	qr{\Apublic.past_p20200102\n?psql\S* WARNING:  55000: },
	'kid_drop_partitions() warns of such a partition, and drops others');
is(sql("SELECT to_regclass('past_p20200101'), to_regclass('past_p20200102')"), 'past_p20200101|',
	'the partition whose detach was cancelled still exists, and the other one does not');
sql('ALTER TABLE past DETACH PARTITION past_p20200101 FINALIZE');
is(output_of("SELECT kid_drop_partitions('past', '2020-01-03', false)"), '',
	'a detached partition is neither dropped nor reported');

#
# A transaction that has written stays open. The nightly drop of docs/guides/partitions.md fails after its timeout. The
# page's script with CONCURRENTLY drops the partitions, while others write, even if a later transaction is still open.
#
my ($nightly, $function, $careful, $script) =
  map { slurp_file('docs/guides/partitions.md') =~ /^```sql\n($_.*?)^```$/ms }
  'SET lock_timeout = \S+\nSELECT kid_create_partitions', 'CREATE FUNCTION keep_events_from',
  'SELECT kid_drop_partitions\(\S+\s+older_than => keep_events_from', q{\\\\set ON_ERROR_STOP};
# The function of the page that keeps what consumers have not read, with what the page writes for each kind of cursors.
# The cursor of a consumer that has read nothing is one that create() of pgkid makes.
my $dry_run = $careful =~ s/dry_run => false/dry_run => true/r;
my %kinds = (
	kid64 => [ 'kid64 PRIMARY KEY DEFAULT kid_next()', '...........', $function, 'kid64_floor' ],
	kid53 => [ 'bigint PRIMARY KEY DEFAULT kid53_next()', '-9223372036854775808',
		$function =~ s/kid_timestamp/kid53_timestamp/r =~ s/kid64_floor/kid53_floor/gr, 'kid53_floor' ],
	uuid => [ 'uuid PRIMARY KEY DEFAULT kid_uuidv7()', '00000000-0000-0000-0000-000000000000',
		$function =~ s/kid64_floor/kid_uuidv7_floor/gr, 'kid_uuidv7_floor' ]);
# The last one stays.
foreach my $kind ('kid53', 'uuid', 'kid64')
{
	my ($column, $unread, $keep_from, $floor) = @{ $kinds{$kind} };
	my ($type) = $column =~ /^(\w+)/;
	sql(qq{SET client_min_messages = error; DROP TABLE IF EXISTS events, consumers;
		DROP FUNCTION IF EXISTS keep_events_from;
		CREATE TABLE events (id $column, n int) PARTITION BY RANGE (id);
		SELECT count(*) FROM kid_create_partitions('events', '1 day', now() + interval '1 day',
			now() - interval '91 days');
		CREATE TABLE consumers (name text PRIMARY KEY, last $type NOT NULL); $keep_from});
	like(output_of($dry_run), qr{ERROR:  22004: argument "older_than" .*\n.*HINT:  .* whether that table has},
		"$kind: while there is no cursor, the call fails and says why");
	sql(qq{INSERT INTO consumers VALUES ('new', '$unread'), ('quick', $floor(now()))});
	is(output_of($dry_run), '', "$kind: a consumer that has read nothing keeps all partitions");
	sql(qq{UPDATE consumers SET last = $floor(now() - interval '100 days') WHERE name = 'new'});
	is(output_of($dry_run), '', "$kind: a partition that a consumer has not read is kept");
	sql(qq{UPDATE consumers SET last = $floor(now())});
	is(output_of($dry_run), sql(q{SELECT 'public.' || partition FROM kid_partitions('events') ORDER BY begins LIMIT 1}),
		"$kind: a partition is dropped when all consumers have read it");
}

my ($before, $after) = (open_session($node), open_session($node));
answer($before, 'BEGIN; INSERT INTO events VALUES (DEFAULT, 1);');
$output = output_of($nightly);
like($output, qr{ERROR:  55P03: canceling statement due to lock timeout},
	'the nightly drop fails while a transaction that has written is open');
is(sql(q{SELECT max(ends) > now() + interval '7 days' FROM kid_partitions('events')}),
	't', 'the nightly job has created partitions before');
my $dropper = start_script($node, $script);
$node->poll_query_until('postgres',
	q{SELECT count(*) = 1 FROM pg_inherits WHERE inhdetachpending AND inhparent = 'events'::regclass})
  or die;
answer($after, 'BEGIN; INSERT INTO events VALUES (DEFAULT, 2);');
is(answer($after, 'SELECT count(*) FROM events;'), 1, 'others read and write during the detach');
is(sql(q{SELECT count(*) FROM kid_partitions('events') WHERE detaching}), 1, 'kid_partitions() shows that partition');
is(sql(q{SELECT count(*) FROM kid_check('events')}), 0, 'kid_check() reports nothing');
answer($before, 'COMMIT;');
$dropper->{handle}->finish;
is(${ $dropper->{stderr} }, '', 'the script drops it, though a later transaction is open');
is(sql(q{SELECT min(begins) > now() - interval '91 days' FROM kid_partitions('events')}), 't', 'it is gone');
close_session($_) foreach $before, $after;

#
# A drop also locks tables that a foreign key links with the partitioned one, in either direction.
#
create_days('linked', 20200101, 20200103);
sql('CREATE TABLE users (id int PRIMARY KEY); ALTER TABLE linked ADD FOREIGN KEY (n) REFERENCES users;
	CREATE TABLE notes (linked kid64 REFERENCES linked)');
my $drop = q{SET lock_timeout = '300ms'; SELECT kid_drop_partitions('linked', '2020-01-02', false)};
my $reader = open_session($node);
foreach my $other ('users', 'notes')
{
	answer($reader, "BEGIN; SELECT count(*) FROM $other;");
	like(output_of($drop), qr{ERROR:  55P03: }, "a drop fails while a transaction that has read $other is open");
	is(sql(q{SELECT count(*) FROM kid_partitions('linked')}), 3, 'and drops nothing');
	answer($reader, 'COMMIT;');
}
is(output_of($drop), 'public.linked_p20200101', 'it drops the partition when both have ended');
close_session($reader);

#
# Partitions exchange their names while they are dropped: the old one must be dropped.
#
create_days('renamed', 20200101, 20200103);
sql("INSERT INTO renamed (id, n) VALUES (kid64_floor('2020-01-03 12:00'), 3)");
my ($owner, $job) = (open_session($node), open_session($node));
answer($owner, 'BEGIN; ALTER TABLE renamed_p20200101 RENAME TO aside;
	ALTER TABLE renamed_p20200103 RENAME TO renamed_p20200101;');
ask($job, "SELECT kid_drop_partitions('renamed', '2020-01-02', false);");
wait_for_state($job, q{wait_event_type = 'Lock'});
answer($owner, 'COMMIT;');
is(answer($job), 'public.aside', 'the old partition is dropped under its new name');
is(sql('SELECT n FROM renamed'), 3, 'the partition that now has its name is kept');

# The same while the call waits for a reader of the parent, and so after it has looked up the name.
create_days('swapped', 20200101, 20200103);
sql("INSERT INTO swapped (id, n) VALUES (kid64_floor('2020-01-03 12:00'), 3)");
my $reader = open_session($node);
answer($reader, 'BEGIN; LOCK TABLE ONLY swapped IN ACCESS SHARE MODE;');
ask($job, "SELECT kid_drop_partitions('swapped', '2020-01-02', false);");
wait_for_state($job, q{wait_event_type = 'Lock'});
answer($owner, 'BEGIN; ALTER TABLE swapped_p20200101 RENAME TO swapped_aside;
	ALTER TABLE swapped_p20200103 RENAME TO swapped_p20200101; COMMIT;');
answer($reader, 'COMMIT;');
like(answer($job),
	qr{ERROR:  55000: table public\.swapped_p20200101 was renamed while its partitions were to be changed},
	'an exchange of names after the look-up is an error');
is(sql('SELECT n FROM swapped'), 3, 'and no partition is dropped');
close_session($reader);
close_session($_) foreach $owner, $job;

#
# Concurrent calls.
#

my ($one, $other) = (open_session($node), open_session($node));

# One session runs `change`, while another one in a transaction of the given isolation level calls
# `query`. Returns the result of `query`.
sub meanwhile
{
	my ($level, $change, $query) = @_;
	answer($other, "BEGIN ISOLATION LEVEL $level; SELECT FROM pg_class LIMIT 0;");
	answer($one, "BEGIN; $change;");
	ask($other, "$query;");
	wait_for_state($other, q{wait_event_type = 'Lock'});
	answer($one, 'COMMIT;');
	my $result = answer($other);
	answer($other, 'ROLLBACK;');
	return $result;
}

create_days('days', 20210101, 20210103);
sub create_until { return "SELECT kid_create_partitions('days', '1 day', '$_[0]')" }
my $drop = "SELECT kid_drop_partitions('days', '2021-01-02', false)";
is(meanwhile('READ COMMITTED', create_until('2021-01-06'), create_until('2021-01-06')), '',
	'the second of two concurrent calls that create partitions has nothing to do');
is(meanwhile('READ COMMITTED', $drop, $drop), '',
	'the second of two concurrent calls that drop partitions has nothing to do');
foreach my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	foreach my $query (create_until('2021-01-08'), $drop)
	{
		like(answer($other, "BEGIN ISOLATION LEVEL $level; $query; ROLLBACK;"),
			qr{ERROR:  55000: partitions can only be changed at READ COMMITTED}, "$level: $query is an error");
		answer($other, 'ROLLBACK;');
	}
}
is(sql('SELECT count(*) FROM kid_partitions(\'days\')'), 4, 'the failed calls changed nothing');

# The parent is renamed or dropped.
like(meanwhile('READ COMMITTED', 'ALTER TABLE days RENAME TO aside;
		CREATE TABLE days (id kid64) PARTITION BY RANGE (id)', create_until('2021-01-10')),
	qr{ERROR:  55000: table public.days was renamed while its partitions were to be changed},
	'kid_create_partitions() fails if the parent is renamed meanwhile');
is(sql(q{SELECT count(*) FROM kid_partitions('days')}), 0, 'the table that has its name gets no partitions');
create_days($_, 20210101, 20210103) foreach 'made', 'dropped';
like(meanwhile('READ COMMITTED', 'DROP TABLE made', q{SELECT kid_create_partitions('made', '1 day', '2021-01-05')}),
	qr{ERROR:  42P01: relation "public.made" does not exist},
	'kid_create_partitions() fails if the parent is dropped meanwhile');
like(meanwhile('READ COMMITTED', 'DROP TABLE dropped', q{SELECT kid_drop_partitions('dropped', '2021-01-02', false)}),
	qr{ERROR:  42P01: relation "public.dropped" does not exist},
	'kid_drop_partitions() fails if the parent is dropped meanwhile');

#
# The default partition gets a row for a partition that is being created.
#

create_days('late', 20210101, 20210102);
sql(q{SELECT kid_create_partitions('late', '1 day', '2021-01-05')});
sql('CREATE TABLE late_rest PARTITION OF late DEFAULT');
like(meanwhile('READ COMMITTED', q{INSERT INTO late VALUES (kid64_make('2021-01-05 02:00', 0), 5)},
		q{SELECT kid_create_partitions('late', '1 day', '2021-01-06')}),
	qr{ERROR:  23514: }, 'a row committed to the default partition during the call is an error');
is(sql(q{SET client_min_messages = error; SELECT kid_create_partitions('late', '1 day', '2021-01-06')}), '',
	'the next call does not create the partition of that row');

#
# With the lock table of a default server, a job that is late by any number of partitions catches up.
#

cmp_ok($node->safe_psql('postgres', 'SHOW max_locks_per_transaction'), '>=', 64,
	'max_locks_per_transaction is at least 64 by default');
sql(q{CREATE TABLE hours (id kid64 PRIMARY KEY, a text, b text, c text, d text) PARTITION BY RANGE (id);
	CREATE INDEX ON hours (a); CREATE INDEX ON hours (b); CREATE INDEX ON hours (c); CREATE INDEX ON hours (d)});
my $hours = q{SELECT count(*) FROM kid_create_partitions('hours', '1 hour', '2021-01-11', since => '2021-01-01')};
my $locks = 'SELECT count(*) <= 64 * 100 / 4 FROM pg_locks WHERE pid = pg_backend_pid()';
is(sql("BEGIN; $hours; $locks; COMMIT; $hours; $hours; $hours"), "100\nt\n100\n40\n0",
	'creating a hundred partitions takes a quarter of the locks at most');
my $dropped = q{SELECT count(*) FROM kid_drop_partitions('hours', '2021-01-11', false)};
is(sql("BEGIN; $dropped; $locks; COMMIT; $dropped; $dropped; $dropped"), "100\nt\n100\n40\n0",
	'dropping a hundred partitions takes a quarter of the locks at most');

# Partitions that cannot be created take no locks.
sql(q{DROP TABLE hours; CREATE TABLE hours (id kid64 PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE hours_rest PARTITION OF hours DEFAULT;
	INSERT INTO hours SELECT kid64_floor(t) FROM generate_series(timestamptz '2021-01-01', '2021-01-18', '1 hour') AS t;
	CREATE TABLE referring (id kid64 REFERENCES hours); INSERT INTO referring SELECT id FROM hours});
my $left_out = q{SELECT count(*) FROM kid_create_partitions('hours', '1 hour', '2021-01-19', since => '2021-01-01')};
is(sql("BEGIN; SET client_min_messages = error; $left_out; $locks; ROLLBACK"), "23\nt",
	'hundreds of partitions that cannot be created take no locks');
close_session($_) foreach $one, $other;

#
# docs/guides/partitions.md, "Rights on a partition": pg_dump and logical replication.
#

sql(q{CREATE ROLE owner LOGIN; CREATE ROLE dumper LOGIN; CREATE ROLE replicator LOGIN REPLICATION;
	CREATE SCHEMA app AUTHORIZATION owner; GRANT USAGE ON SCHEMA app TO PUBLIC;
	SET ROLE owner; ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC;
	CREATE TABLE app.events (id kid64 PRIMARY KEY, n int) PARTITION BY RANGE (id);
	SELECT kid_create_partitions('app.events', '1 day', '2026-11-22', since => '2026-11-21');
	INSERT INTO app.events VALUES (kid64_floor('2026-11-21 12:00'), 4711)});

# Returns the error of pg_dump, or the row that is in its output.
sub dumped_by
{
	my ($role) = @_;
	my ($stdout, $stderr);
	IPC::Run::run([ 'pg_dump', '-n', 'app', '-d', connection_as($node, 'postgres', $role) ], '>', \$stdout, '2>',
		\$stderr);
	return $stderr =~ /ERROR:  (.*)/ ? $1 : $stdout =~ /\t(4711)$/m ? $1 : 'nothing';
}

# Creates a subscription as the role replicator, and returns how many rows arrive, or the error that the
# publisher reports.
sub copied_by
{
	my ($publication) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $publication");
	$node->safe_psql($publication, q{CREATE EXTENSION kid; CREATE SCHEMA app;
		CREATE TABLE app.events (id kid64 PRIMARY KEY, n int) PARTITION BY RANGE (id);
		SELECT kid_create_partitions('app.events', '1 day', '2026-11-22', since => '2026-11-21')});
	my $begin = -s $node->logfile;
	sql("SELECT pg_create_logical_replication_slot('$publication', 'pgoutput')");
	$node->safe_psql($publication, "CREATE SUBSCRIPTION $publication CONNECTION '" . $node->connstr
		  . " dbname=postgres user=replicator' PUBLICATION $publication WITH (create_slot = false)");
	my ($rows, $log) = (0, '');
	foreach (1 .. 1800)
	{
		$rows = $node->safe_psql($publication, 'SELECT count(*) FROM app.events');
		$log = substr slurp_file($node->logfile), $begin;
		last if $rows || $log =~ /could not start initial contents copy/;
		Time::HiRes::usleep(100_000);
	}
	$node->safe_psql($publication, "ALTER SUBSCRIPTION $publication DISABLE");
	return $rows || ($log =~ /could not start initial contents copy .*: ERROR:  (.*)/ ? $1 : 'nothing');
}

is(dumped_by('owner'), 4711, 'the owner can dump');
like(dumped_by('dumper'), qr/permission denied for table events/,
	'pg_dump reads partitions by name: a role without rights cannot dump');
sql('GRANT SELECT ON app.events TO dumper, replicator; CREATE PUBLICATION by_leaf FOR TABLE app.events;
	CREATE PUBLICATION by_root FOR TABLE app.events WITH (publish_via_partition_root = true)');
like(dumped_by('dumper'), qr/permission denied for table events_p20261121/,
	'nor can a role with rights on the parent alone');
like(copied_by('by_leaf'), qr/permission denied for table events_p20261121/,
	'nor can such a role copy partitions to a subscriber');
is(copied_by('by_root'), 1, 'with publish_via_partition_root it can');
sql('GRANT pg_read_all_data TO dumper, replicator; CREATE PUBLICATION by_all FOR TABLE app.events');
is(dumped_by('dumper'), 4711, 'a member of pg_read_all_data can dump');
is(copied_by('by_all'), 1, 'and copy partitions to a subscriber');
sql(q{SET ROLE owner; DELETE FROM app.events; SELECT kid_drop_partitions('app.events', '2026-11-22', false);
	ALTER TABLE app.events ENABLE ROW LEVEL SECURITY;
	SELECT kid_create_partitions('app.events', '1 day', '2026-11-22', since => '2026-11-21');
	INSERT INTO app.events VALUES (kid64_floor('2026-11-21 12:00'), 4711)});
is(dumped_by('owner'), 4711, 'with row-level security the owner can dump');
like(dumped_by('dumper'), qr/query would be affected by row-level security policy for table "events_p20261121"/,
	'other roles cannot');
sql('ALTER ROLE dumper BYPASSRLS');
is(dumped_by('dumper'), 4711, 'but for those with BYPASSRLS');
sql(q{SET ROLE owner; SELECT kid_drop_partitions('app.events', '2026-11-22', false);
	ALTER TABLE app.events FORCE ROW LEVEL SECURITY;
	SELECT kid_create_partitions('app.events', '1 day', '2026-11-22', since => '2026-11-21')});
like(dumped_by('owner'), qr/query would be affected by row-level security policy for table "events_p20261121"/,
	'if row-level security is forced, the owner cannot');
sql(q{SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
	WHERE slot_name LIKE 'by\_%' AND NOT active});
$node->stop;
done_testing();
