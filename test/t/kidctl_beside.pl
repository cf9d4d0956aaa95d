# kidctl leave and partition: what stands beside the tables of a move, belongs to others, or is still to
# be done after an interruption.
use strict;
use warnings;
use utf8;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server("wal_level = logical\n");
$node->safe_psql('postgres',
	'CREATE ROLE shop LOGIN BYPASSRLS CREATEDB; CREATE ROLE other LOGIN; CREATE ROLE boss LOGIN SUPERUSER');
use_database($node, 'one', role => 'shop');

# Makes a database of the owner's.
sub fresh
{
	my ($schema, $prepared) = @_;
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS one');
	create_database('one', 'shop');
	$node->safe_psql('one', 'GRANT ALL ON SCHEMA public TO other;' . ($prepared // ''));
	sql($schema);
	return;
}

# Runs kidctl as the owner of the tables. Returns what it prints, and its exit status.
sub kidctl { return run_kidctl(connection_as($node, 'one', 'shop'), @_) }

# Does the same, and has to succeed.
sub kidctl_ok { return must_run_kidctl(connection_as($node, 'one', 'shop'), @_) }

# Runs kidctl, and ends it before the first statement that matches a pattern.
sub kidctl_cut
{
	my ($pattern, @words) = @_;
	my ($output, $is_cut) = cut_kidctl(connection_as($node, 'one', 'shop'), $pattern, @words);
	ok($is_cut, "kidctl @words[0, 1] is ended before $pattern") or diag($output);
	return;
}

my @width = ('--width', '1 day', '--no-rehearsal');
my $filled = q{SELECT string_agg(relname || CASE WHEN relispopulated THEN '' ELSE ' is empty' END, ', '
	ORDER BY relname) FROM pg_class WHERE relkind = 'm'};
my $views = q{CREATE MATERIALIZED VIEW first AS SELECT id FROM events;
	CREATE MATERIALIZED VIEW second AS SELECT count(*) FROM first;
	CREATE MATERIALIZED VIEW unused AS SELECT id FROM events WITH NO DATA};

# If kidctl is interrupted before it fills materialized views, the next command fills them, and status names them.
fresh("CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int);
	INSERT INTO events DEFAULT VALUES; $views");
sub still_empty
{
	my ($status) = @_;
	is(sql($filled), 'first is empty, second is empty, unused is empty', 'materialized views are empty');
	my ($command) = $status =~ /(\w+)/;
	like((kidctl($command, 'status', 'events'))[0],
		qr/to fill: materialized view public\.first, materialized view public\.second$/m, 'and status names them')
	  if $status;
	return;
}
my $all_filled = 'first, second, unused is empty';
kidctl_cut('REFRESH', qw(partition run events), @width);
still_empty('partition');
kidctl_ok(qw(partition run events), @width);
is(sql($filled), $all_filled, 'the same command fills them');
kidctl_cut('REFRESH', qw(partition back events));
still_empty('partition');
kidctl_ok(qw(partition back events));
is(sql($filled), $all_filled, 'back fills them');
is(sql(q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'}), 0, 'and nothing is left of the move');
kidctl_cut('REFRESH MATERIALIZED VIEW public\.second', qw(partition run events), @width);
is(sql($filled), 'first, second is empty, unused is empty', 'one is filled');
kidctl_ok(qw(partition finish events));
is(sql($filled), $all_filled, 'finish fills the other one');

# If it is interrupted before it validates foreign keys, the way back leaves them as they were, too.
fresh(q{CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next());
	CREATE TABLE tags (event_id kid64 REFERENCES events);
	CREATE TABLE parted (event_id kid64 REFERENCES events, n int) PARTITION BY RANGE (n);
	CREATE TABLE part PARTITION OF parted DEFAULT});
my $keys = q{SELECT string_agg(format('%s %s %s', conrelid::regclass, conname, convalidated), ', ' ORDER BY conrelid)
	FROM pg_constraint WHERE contype = 'f'};
my $valid = sql($keys);
foreach my $table ('tags', 'part')
{
	kidctl_cut(qq{ALTER TABLE "?(public"?\\."?)?$table"? VALIDATE}, qw(partition run events), @width);
	like(sql($keys), qr/\bf\b/, 'foreign keys are not valid') if $table eq 'tags';
	kidctl_ok(qw(partition back events));
	is(sql($keys), $valid, "back after a run that was ended at $table");
}

fresh("CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int);
	INSERT INTO events DEFAULT VALUES; $views");
kidctl_cut('REFRESH', qw(leave run events), '--no-rehearsal');
still_empty('');
kidctl_ok(qw(leave run events), '--no-rehearsal');
is(sql($filled), $all_filled, 'leave fills them when it runs again');

fresh("CREATE TABLE events (id bigserial PRIMARY KEY, made timestamptz DEFAULT '2026-01-01');
	INSERT INTO events DEFAULT VALUES; $views", 'GRANT SET ON PARAMETER session_replication_role TO shop;');
kidctl_ok(qw(rekey run events --time made --no-rehearsal));
kidctl_cut('REFRESH', qw(rekey swap events));
still_empty('rekey');
kidctl_ok(qw(rekey swap events));
is(sql($filled), $all_filled, 'rekey swap fills them');
kidctl_cut('REFRESH', qw(rekey back events));
still_empty('rekey');
kidctl_ok(qw(rekey back events));
is(sql($filled), $all_filled, 'rekey back fills them');
is(sql(q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'}), 0, 'and nothing is left of the move');

# A command refuses before it says what it does.
fresh(q{CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int); INSERT INTO events DEFAULT VALUES;
	CREATE TABLE numbers (id bigserial PRIMARY KEY, made timestamptz DEFAULT '2026-01-01');
	INSERT INTO numbers DEFAULT VALUES}, 'GRANT SET ON PARAMETER session_replication_role TO shop;');

# Tests that kidctl ends with an error before it does anything.
sub refuses
{
	my ($why, @words) = @_;
	my ($said, $status) = kidctl(@words);
	is($status, 2, "kidctl @words[0, 1] refuses");
	like($said, qr/\Aerror: $why/, 'and says nothing before');
	return;
}
refuses('no move of public\.events has begun', qw(partition back events));
kidctl_cut('ALTER TABLE "public"."events" RENAME', qw(partition run events), @width);
refuses('public\.events is not partitioned yet', qw(partition finish events));
refuses('the move of public\.events began with --width 1 day\nhint: Leave out --width',
	qw(partition run events --width), '2 days');
refuses('the move of public\.events began without --until', qw(partition run events), @width, qw(--until 2100-01-01));
refuses('--partition is an option of `kidctl partition move`', 'partition', $_, qw(events --partition events))
  foreach qw(run check plan);
kidctl_ok(qw(partition run events));    # with the width that the move began with, also in the rehearsal
sql(q{INSERT INTO events (id) SELECT kid64_at(now() + '3 days')}, role => 'boss');
refuses('partition public\.events_p\w+ has rows', qw(partition back events));
refuses('no move of public\.numbers has begun', qw(rekey back numbers));
kidctl_ok(qw(rekey run numbers --time made --no-rehearsal));
refuses('public\.numbers does not have its new keys yet', 'rekey', $_, 'numbers') foreach qw(back finish);
# Otherwise these options would be ignored, and `finish` would drop the old keys.
refuses('the move of public\.numbers began without --old-name\nhint: Leave out --old-name', 'rekey', $_,
	qw(numbers --old-name old))
  foreach qw(run swap finish);
refuses('the move of public\.numbers began with --to kid64', qw(rekey run numbers --to uuid));
refuses('the move of public\.numbers began without --new-rows-only', 'rekey', $_, qw(numbers --new-rows-only))
  foreach qw(run finish);
kidctl_ok(qw(rekey swap numbers));
refuses('public\.numbers has its new keys already', qw(rekey cancel numbers));

# If a command is repeated with the options with which it began, or with other words for the same, it goes on. What
# `check` and `plan` rehearse is the move that has begun, too.
fresh(q{CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int); INSERT INTO events DEFAULT VALUES;
	CREATE TABLE short (LIKE events INCLUDING ALL); INSERT INTO short DEFAULT VALUES;
	CREATE TABLE counted (id bigint PRIMARY KEY DEFAULT kid53_next()); INSERT INTO counted DEFAULT VALUES;
	CREATE TABLE late (LIKE counted INCLUDING ALL); INSERT INTO late DEFAULT VALUES;
	CREATE TABLE pairs (n bigint, id bigint DEFAULT kid53_next(), PRIMARY KEY (n, id)); INSERT INTO pairs VALUES (1);
	CREATE TABLE numbers (id bigserial PRIMARY KEY, made timestamptz DEFAULT '2026-01-01');
	INSERT INTO numbers DEFAULT VALUES}, 'GRANT SET ON PARAMETER session_replication_role TO shop;');
my @soon = ('--until', sql(q{SELECT now() + interval '15 s'}));
my $ends = time + 15;
kidctl_cut('ALTER TABLE .* VALIDATE', qw(partition run short), @width, @soon);
my @events = qw(events --ids kid64 --until);
kidctl_cut('ALTER TABLE "public"."events" RENAME', qw(partition run), @events, '2100-01-01', @width);
kidctl_ok(qw(partition check), @events, '2100-01-01 01:00+01', '--width', '1 days');
refuses('the move of public\.events began with --width 1 day', qw(partition check events --width), '24 days');
refuses('the move of public\.events began with --until 2100-01-01', qw(partition plan events --until 2100-01-02));
refuses('the move of public\.events began with --ids kid64', qw(partition check events --ids kid53));
my $second = start_kidctl(connection_as($node, 'one', 'shop'), qw(partition run events));
$node->poll_query_until('postgres', q{SELECT count(*) > 0 FROM pg_database WHERE datname ~ '^kidctl_'});
my ($state) = sql(q{SELECT format('%I.state', nspname) FROM pg_namespace WHERE nspname ~ '^kidctl_partition_events'});
sql(qq{UPDATE $state SET state = jsonb_set(state, '{options,width}', '"2 days"')});
my ($told, $ended) = finish_kidctl($second);
is($ended, 2, 'a move that others have begun again with other options does not go on');
like($told, qr/^error: another kidctl has worked on this move meanwhile$/m, 'and kidctl says why');
kidctl_ok(qw(partition back events));
kidctl_cut('SELECT .*kid_create_partitions', qw(partition run), @events, '2100-01-01', @width);
refuses('public\.events is partitioned already\nhint: Run `kidctl partition run` again', qw(partition check events));
like(kidctl_ok(qw(partition run), @events, '2100-01-01', @width), qr/must call kid_create_partitions\(\) regularly/,
	'the command says at its end which job is needed, also if it was interrupted');
refuses('public\.events is partitioned already\nhint: Run `kidctl partition finish` or `back`',
	'partition', $_, 'events')
  foreach qw(check plan);

# The time of --until has passed, and the default of a key has changed.
sleep $ends - time if $ends > time;
like(kidctl_ok(qw(partition check short)), qr/until 2\d\d\d-\d\d-\d\d 00:00:00\+00: rows stay/,
	'the first partition ends later if the time of --until has passed');
kidctl_ok(qw(partition run short --width), '1 day', @soon);
kidctl_cut('ALTER TABLE "public"."counted" RENAME', qw(partition run counted), @width);
sql('ALTER TABLE counted ALTER id SET DEFAULT kid_next()::bigint');
foreach ([], [ '--width', '1 day' ])
{
	my ($why, $stops) = kidctl(qw(partition run counted), @$_);
	is($stops, 1, 'a default that makes other IDs since stops the move');
	like($why, qr/INSERT on public\.counted: after prepare: new row .* check constraint "kid_until"/, 'as it fails');
}
sql('ALTER TABLE counted ALTER id DROP DEFAULT');
kidctl_ok(qw(partition run counted --width), '1 day');
kidctl_cut('ALTER TABLE "public"."pairs" RENAME', qw(partition run pairs), @width);
sql('ALTER TABLE pairs ALTER id DROP DEFAULT, ALTER n SET DEFAULT kid53_next()');
kidctl_ok(qw(partition run pairs));
is(sql(q{SELECT pg_get_partkeydef('pairs'::regclass)}), 'RANGE (id)', 'the column of the IDs is that of then');
kidctl_ok(qw(partition back pairs));

# A row that came before the constraint is not later than the end that the first partition gets now.
kidctl_cut('ALTER TABLE .* VALIDATE', qw(partition run late), @width);
($state) = sql(q{SELECT format('%I.state', nspname) FROM pg_namespace WHERE nspname ~ '^kidctl_partition_late'});
sql(qq{UPDATE $state SET state = state || jsonb_build_object('until', (now() - interval '1 day')::text,
		'bound', kid53_at(now() - interval '1 day')::text)});
like(kidctl_ok(qw(partition check late)), qr/, 0 of which stop the move\.$/m, 'check looks up to the later end');
kidctl_ok(qw(partition run late --no-rehearsal));
kidctl_ok(qw(partition finish late));

# A move of rows
kidctl_ok(qw(partition finish events));
kidctl_cut('INSERT', qw(partition move events --ids kid64 --width), '7 days', '--no-rehearsal');
like(kidctl_ok(qw(partition check events)), qr/, 0 of which stop the move\.$/m, 'check rehearses what has begun');
refuses('the move of public\.events began with --width 7 days', qw(partition check events), @width);
refuses('the move of public\.events began with --partition public\.events_old',
	qw(partition move events --partition), sql(q{SELECT partition FROM kid_partitions('events') OFFSET 1 LIMIT 1}));
kidctl_cut('ANALYZE', qw(partition move events --ids kid64 --partition events_old --width), '1 week');
refuses('--until is an option of `kidctl partition run`', 'partition', $_, qw(events --until 2100-01-01))
  foreach qw(move check plan);
refuses('rows of public\.events have moved\nhint: Run `kidctl partition move` again', qw(partition check events));
kidctl_ok(qw(partition move events --ids kid64));

# New keys: a range is kept as its beginning and its end.
my @numbers = ('numbers', '--during', '[2024-01-01, 2025-01-01]', qw(--time-zone utc --triggers off));
kidctl_cut('ALTER TABLE .*ADD CONSTRAINT', qw(rekey run), @numbers, '--no-rehearsal');
unlike(kidctl_ok(qw(rekey check), @numbers), qr/kid_new_id|\.known/, 'check names nothing that the move has added');
refuses('the move of public\.numbers began with --during', qw(rekey run numbers --during), '[2024-01-01, 2025-01-02)');
refuses('the move of public\.numbers began with --time-zone utc', qw(rekey run numbers --time-zone CET));
kidctl_ok(qw(rekey run), @numbers, '--no-rehearsal');
kidctl_ok(qw(rekey swap), @numbers);

# Between the rehearsal of a command and its steps, another kidctl can begin and finish a move, which leaves no state.
fresh(q{CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int); INSERT INTO events DEFAULT VALUES;
	CREATE TABLE numbers (id bigserial PRIMARY KEY, made timestamptz DEFAULT now());
	INSERT INTO numbers DEFAULT VALUES}, 'GRANT SET ON PARAMETER session_replication_role TO shop;');
foreach (
	[ events => 'partition run events --width 1day --no-rehearsal; partition finish events', 'partition', @width ],
	[
		numbers => 'rekey run numbers --time made --no-rehearsal; rekey swap numbers; rekey finish numbers',
		qw(rekey --time made --no-rehearsal)
	])
{
	my ($table, $others, $command, @options) = @$_;
	my ($said, $status) =
	  overtake_kidctl(connection_as($node, 'one', 'shop'), $others, $command, 'run', $table, @options);
	is($status, 2, "$command of a table that others have moved meanwhile does not begin");
	like($said, qr/^error: the key of public\.$table was changed meanwhile$/m, 'and kidctl says why');
}
is(sql(q{SELECT max(level) FROM pg_partition_tree('events')}), 1, 'the table is partitioned once');
is(sql(q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'}), 0, 'and nothing is left of a move');

# What others have built on a partition is found in the check, though the rehearsal has no copy of it.
my $built = q{CREATE SCHEMA theirs;
	CREATE VIEW theirs.v AS SELECT id FROM public.PART; CREATE VIEW theirs.of_v AS SELECT * FROM theirs.v;
	CREATE TABLE theirs.r (e public.kid64 REFERENCES public.PART (id));
	CREATE FUNCTION theirs.f(public.PART) RETURNS int LANGUAGE sql AS 'SELECT 1';
	CREATE TABLE theirs.whole (row public.PART); CREATE TABLE theirs.t (n int);
	CREATE POLICY p ON theirs.t USING (EXISTS (SELECT FROM public.PART))};

# Lets another role build views, a reference, a function, a table and a policy on a partition.
sub built_on
{
	my ($partition) = @_;
	$node->safe_psql('one', 'GRANT CREATE ON DATABASE one TO other');
	sql("GRANT SELECT, REFERENCES ON $partition TO other");
	sql($built =~ s/PART/$partition/gr, role => 'other');
	return;
}
my @built = map { quotemeta } 'view theirs.v', 'constraint r_e_fkey on table theirs.r', 'function theirs.f(',
  'column row of table theirs.whole', 'policy p on table theirs.t';
fresh('CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int); INSERT INTO events DEFAULT VALUES');
kidctl_ok(qw(partition run events), @width);
kidctl_ok(qw(partition finish events));
built_on('events_old');
$node->safe_psql('one', 'CREATE PUBLICATION named FOR TABLE events_old');
my ($said, $status) = kidctl(qw(partition check events --width), '1 day');
is($status, 1, 'what depends on the partition whose rows move stops the move');
like($said, qr/$_/, "and is named: $_")
  foreach @built, quotemeta 'publication named: names partition public.events_old';
unlike($said, qr/theirs\.of_v/, 'but not what depends only on that');
sql('DROP SCHEMA theirs CASCADE', role => 'other');
$node->safe_psql('one', 'DROP PUBLICATION named');
kidctl_ok(qw(partition move events), @width);

# A default partition stays, and so do views of it.
fresh('CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id);
	CREATE TABLE rest PARTITION OF events DEFAULT; INSERT INTO events DEFAULT VALUES');
built_on('rest');
($said, $status) = kidctl(qw(partition check events --width), '1 day');
is($status, 1, 'a foreign key that refers to the default partition stops the move');
is(join(' ', $said =~ /: depends on partition (public\.\w+)/g), 'public.rest', 'and nothing else does') or diag($said);
sql('DROP TABLE theirs.r', role => 'other');
kidctl_ok(qw(partition move events), @width);
is(sql('SELECT count(*) FROM theirs.v', role => 'other'), 0, 'views of it stay');

# A table that is partitioned already keeps what depends on its partitions, forth and back.
fresh(q{CREATE TABLE events (id kid64 DEFAULT kid_next(), d int DEFAULT 1, PRIMARY KEY (id, d)) PARTITION BY LIST (d);
	CREATE TABLE ones PARTITION OF events FOR VALUES IN (1); CREATE UNIQUE INDEX ON ones (id);
	INSERT INTO events DEFAULT VALUES});
built_on('ones');
kidctl_ok(qw(partition run events --width), '1 day', '--accept', 'function theirs.f(public.ones)');
my $later = sql(q{SELECT relid::text FROM pg_partition_tree('events') WHERE isleaf AND relid::text LIKE 'events_p%'
	ORDER BY 1 LIMIT 1});
sql("CREATE VIEW of_later AS SELECT * FROM $later");
refuses("view public\\.of_later depends on table public\\.$later, which the way back drops", qw(partition back events));
sql('DROP VIEW of_later');
kidctl_ok(qw(partition back events));
is(sql('SELECT count(*) FROM theirs.v', role => 'other'), 1, 'views of partitions stay');

# kidctl leave stops in its check, by name, at what depends on domains and composite types of kid's types,
# also if it is not copied.
my $types = q{CREATE DOMAIN d AS kid64; CREATE TABLE events (id d PRIMARY KEY, n int);
	INSERT INTO events VALUES (kid_next(), 1); GRANT USAGE ON SCHEMA public TO PUBLIC};
my $users = q{CREATE SCHEMA theirs; CREATE FUNCTION theirs.f(public.d) RETURNS int LANGUAGE sql AS 'SELECT 1';
	CREATE TABLE theirs.t (a public.d[]); CREATE VIEW theirs.v AS SELECT NULL::public.d AS x;
	CREATE DOMAIN theirs.over AS public.d; CREATE TYPE theirs.pair AS (x public.d, y int);
	CREATE TABLE theirs.c (n int CHECK (n::text <> coalesce(NULL::public.d::text, '')))};
fresh($types);
$node->safe_psql('one', 'GRANT CREATE ON DATABASE one TO other');
sql($users, role => 'other');
($said, $status) = kidctl(qw(leave check events));
is($status, 1, 'what uses a domain of the table stops leave');
like($said, qr/$_/, "and is named: $_")
  foreach map { quotemeta } 'function theirs.f(public.d)', 'theirs.t: belongs to other', 'view theirs.v',
  'type theirs.over', 'column x of composite type theirs.pair', 'constraint c_n_check on table theirs.c';
like($said, qr/depends on type public\.d, a domain/, 'with the domain');
sql('DROP SCHEMA theirs CASCADE', role => 'other');
sql('CREATE VIEW mine AS SELECT id FROM events WHERE id <> (NULL::d)');
kidctl_ok(qw(leave run events));
is(sql('SELECT count(*) FROM mine; DROP EXTENSION kid', role => 'boss'), 0,
	'without them it leaves, and DROP EXTENSION needs no CASCADE');

# Composite types, of which PostgreSQL changes none that is the type of a column, not even by way of other types
my $composite = q{CREATE TYPE pair AS (k kid64, s sno, n int); CREATE TYPE outer_pair AS (p pair[]);
	CREATE DOMAIN checked AS pair; CREATE TABLE events (id kid64 PRIMARY KEY)};
foreach my $use ('theirs.t (p public.pair)', 'theirs.t (p public.pair[])', 'theirs.t (p public.outer_pair)',
	'theirs.t (p public.checked)')
{
	fresh($composite);
	$node->safe_psql('one', 'GRANT CREATE ON DATABASE one TO other');
	sql("CREATE SCHEMA theirs; CREATE TABLE $use", role => 'other');
	($said, $status) = kidctl(qw(leave check --all));
	is($status, 1, "$use stops leave");
	like($said, qr/column p of theirs\.t: has values of type public\.pair/, 'and is named');
	sql('DROP TABLE theirs.t', role => 'other');
	kidctl_ok(qw(leave run --all));
	is(error_of('DROP EXTENSION kid', role => 'boss'), '',
		'without it composite types change, and DROP EXTENSION needs no CASCADE');
}

# What leave does not change it lists.
fresh(q{CREATE DOMAIN d AS kid64; CREATE TYPE of_domain AS (x d); CREATE TYPE pair AS (k kid64);
	CREATE TABLE events (id kid64 PRIMARY KEY)});
sql('CREATE TYPE theirs AS (k public.kid64)', role => 'other');
($said, $status) = kidctl(qw(leave check events));
like($said, qr/$_/, "check lists $_") foreach 'column k of composite type public\.pair',
  'column k of composite type public\.theirs', 'type public\.d';
($said, $status) = kidctl(qw(leave run --all));
my $left = error_of('DROP EXTENSION kid', role => 'boss');
like($said, qr/remains.*$_/s, "and leave --all says that it remains: $_")
  foreach 'column k of composite type public\.theirs', 'type public\.d';
like($left, qr/theirs/, 'and so it does');

# The hint for a table that is partitioned by another column, and has no IDs, consists of commands that
# run as they are printed.
fresh(q{CREATE TABLE "Visits" (id bigserial, created_at timestamptz NOT NULL DEFAULT now(),
	"a b" numeric(8, 2) DEFAULT 1, twice numeric GENERATED ALWAYS AS ("a b" * 2) STORED,
	n int GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (id, created_at)) PARTITION BY RANGE (created_at);
	CREATE TABLE visits_1 PARTITION OF "Visits" DEFAULT; INSERT INTO "Visits" DEFAULT VALUES});
($said, $status) = kidctl(qw(partition check "Visits" --width), '1 day');
is($status, 2, 'a table without IDs is refused');
my ($create, $drop) = $said
  =~ /^hint: .*Create a table for new rows: (.*;) Give it .* When the time of the old rows has come: (.*;)$/m
  or diag($said);
is(error_of("$create INSERT INTO \"Visits_new\" DEFAULT VALUES"), '',
	'the commands of its hint make a table for new rows');
is(sql(q{SELECT id > now() - interval '1 hour', created_at > now() - interval '1 hour', "a b", twice, n
		FROM "Visits_new"}), 't|t|1.00|2.00|1', 'which gets them');
is(error_of($drop), '', 'and the old table can be dropped');
is(sql(q{SELECT count(*) FROM "Visits_new"}), 1, 'without the new one');

# Publications keep their lists of columns, with a generated column where PostgreSQL publishes such, and
# their conditions.
my $is_18 = $node->safe_psql('postgres', q{SELECT current_setting('server_version_num')::int >= 180000}) eq 't';
my $listed = q{SELECT string_agg(format('%s: %s %s(%s) where %s', pubname, CASE
	WHEN pubinsert AND NOT pubupdate THEN 'inserts' END, tablename, attnames, rowfilter), '; ' ORDER BY pubname)
	FROM pg_publication_tables JOIN pg_publication USING (pubname)};
my $extra = $is_18 ? ', twice' : '';
fresh(q{CREATE TABLE events (gone int, id kid64 PRIMARY KEY DEFAULT kid_next(), n int, secret text,
	twice int GENERATED ALWAYS AS (n * 2) STORED); ALTER TABLE events DROP gone; INSERT INTO events (n) VALUES (1);
	CREATE TABLE numbers (id bigserial PRIMARY KEY, made timestamptz DEFAULT '2026-01-01', n int, secret text,
		twice int GENERATED ALWAYS AS (n * 2) STORED); INSERT INTO numbers (n) VALUES (1)},
	'GRANT SET ON PARAMETER session_replication_role TO shop; GRANT CREATE ON DATABASE one TO shop;');
sql("CREATE PUBLICATION listed FOR TABLE events (id, n$extra)
	WHERE (n > 0) WITH (publish = 'insert', publish_via_partition_root);
	CREATE PUBLICATION of_numbers FOR TABLE numbers (n$extra) WHERE (n > 0) WITH (publish = 'insert')");
sql('CREATE PUBLICATION generated FOR TABLE events WITH (publish = $$insert$$, publish_via_partition_root,
	publish_generated_columns = stored)') if $is_18;
my $before = sql($listed);
like($before, qr/events\(\{id,n\W.*numbers\(\{n\W/, 'publications list columns') or diag($before);
kidctl_ok(qw(partition run events --width), '1 day');
is(sql($listed), $before, 'partition run keeps the lists');
kidctl_ok(qw(partition back events));
is(sql($listed), $before, 'and so does the way back');
kidctl_ok(qw(rekey run numbers --time made));
kidctl_ok(qw(rekey swap numbers));
is(sql($listed), $before, 'rekey swap keeps the lists');
kidctl_ok(qw(rekey back numbers));
is(sql($listed), $before, 'and so does the way back');

done_testing();
