# The statements of docs/guides/partition-existing-table.md and docs/guides/partitions.md move the rows of a table with a name that needs quotes, an
# identity, a generated column, a trigger, a rule and row-level security, while four sessions insert at REPEATABLE READ. No row
# that a session was told of is lost or changed.
use strict;
use warnings;
use utf8;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlc_messages = 'C'\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE ROLE shop LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE client LOGIN BYPASSRLS;
	ALTER ROLE shop SET default_transaction_isolation = 'repeatable read';
	ALTER ROLE client SET default_transaction_isolation = 'repeatable read';
	GRANT SET ON PARAMETER session_replication_role TO shop});

my $database;

sub superuser { return $node->safe_psql($database, $_[0]) }

# Runs a block of a page as the owner, and returns the errors.
sub errors_of
{
	my ($sql) = @_;
	my ($status, $stdout, $stderr) = $node->psql($database, "SET client_min_messages = error;\n$sql", connstr => $node->connstr($database) . ' user=shop', on_error_stop => 0);
	return $stderr;
}

sub answer_of
{
	my ($role, $sql) = @_;
	return $node->safe_psql($database, "SET client_min_messages = error;\n$sql", connstr => $node->connstr($database) . " user=$role");
}

# Returns the blocks of a page, for the table "e.ven""ts", with times around the present.
my %times = ('2026-12-01' => 1, '2026-12-08' => 8);
foreach my $time (values %times) { $time = $node->safe_psql('postgres', "SELECT (now() AT TIME ZONE 'UTC')::date + $time") }

sub named
{
	my ($sql) = @_;
	$sql =~ s/(2026-12-0[18])/$times{$1}/g;
	return $sql =~ s{\bevents(_\w+)?\b}{q("e.ven""ts) . ($1 // "") . q(")}ger;
}

sub blocks_of
{
	my ($page) = @_;
	my $text = slurp_file($page);
	utf8::decode($text);
	return map { named($_) } $text =~ /^```sql\n(.*?)^```$/msg;
}

# Four sessions insert until stop_writers(), which returns what they were told of.
my @writers;

sub start_writers
{
	foreach my $writer (1 .. 4)
	{
		my %writer = (out => '', err => '');
		my $sql = join '', map { named("INSERT INTO events (payload) VALUES ('$writer-$_') RETURNING payload, nr;\nSELECT pg_sleep(0.002) \\g /dev/null\n") }
		  1 .. 50_000;
		my $file = "$PostgreSQL::Test::Utils::tmp_check/writer_${database}_$writer.sql";
		PostgreSQL::Test::Utils::append_to_file($file, $sql);
		$writer{handle} = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr($database) . ' user=client', '-f', $file ],
			'>', \$writer{out}, '2>', \$writer{err});
		push @writers, \%writer;
	}
	go_on();
	return;
}

# Lets each session insert some more rows.
sub go_on
{
	foreach my $writer (@writers)
	{
		my $wanted = length($writer->{out} . $writer->{err}) + 400;
		$writer->{handle}->pump while length($writer->{out} . $writer->{err}) < $wanted && $writer->{handle}->pumpable;
	}
	return;
}

sub stop_writers
{
	my ($told, $errors) = ('', '');
	go_on();
	foreach my $writer (@writers)
	{
		$writer->{handle}->kill_kill;
		$told .= $writer->{out} =~ s/[^\n]*\z//r;
		$errors .= $writer->{err};
	}
	@writers = ();
	return ([ split /\n/, $told ], $errors);
}

# Compares the table with what sessions were told of.
sub check_rows
{
	my ($what, $told) = @_;
	my @rows = split /\n/, superuser(named("SELECT payload || '|' || nr FROM events"));
	my (%rows, %numbers);
	$rows{$_}++ foreach @rows;
	$numbers{s/.*\|//r}++ foreach @rows;
	cmp_ok(scalar @$told, '>', 100, "$what: sessions inserted");
	is(scalar(grep { !$rows{$_} } @$told), 0, "$what: no row is lost of " . @$told);
	is(scalar(grep { $_ > 1 } values %rows), 0, "$what: no row is there twice");
	is(scalar(grep { $_ > 1 } values %numbers), 0, "$what: no number of the identity is there twice");
	is(superuser(named('SELECT count(*) FROM events WHERE updated_at IS DISTINCT FROM touched OR double <> 2 * length(payload)')),
		0, "$what: triggers changed no row");
	is(superuser('SELECT count(*) - count(DISTINCT payload) FROM seen'), 0, "$what: the rule ran once for each row");
	is(superuser(named(q{SELECT count(*) FROM seen WHERE payload NOT IN (SELECT payload FROM events)})), 0, "$what: and for no other");
	return;
}

# What the pages tell to give the new table. The trigger notes the time at which it ran in both columns; the pages must not run it again.
my $extras = q{
	CREATE TRIGGER touch BEFORE INSERT OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION touch();
	CREATE RULE "see it" AS ON INSERT TO events DO ALSO INSERT INTO seen VALUES (NEW.payload);
	CREATE POLICY "own rows" ON events USING (payload !~ '^2' OR current_user = 'shop') WITH CHECK (true);
	ALTER TABLE events ENABLE ROW LEVEL SECURITY;
	GRANT SELECT, INSERT ON events TO reader, client;
};

sub new_database
{
	my ($name, $columns) = @_;
	$database = $name;
	$node->safe_psql('postgres', "CREATE DATABASE $name OWNER shop");
	superuser('CREATE EXTENSION kid; GRANT ALL ON SCHEMA public TO shop');
	answer_of('shop', named(qq{
		CREATE TABLE seen (payload text); GRANT ALL ON seen TO reader;
		CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN NEW.updated_at = clock_timestamp(); IF TG_OP = ''INSERT'' AND NEW.touched IS NULL THEN NEW.touched = NEW.updated_at; END IF; RETURN NEW; END';
		CREATE TABLE events (gone int, id kid64 PRIMARY KEY DEFAULT kid_next(), "pay.""load" text, payload text, updated_at timestamptz, touched timestamptz,
			nr bigint GENERATED ALWAYS AS IDENTITY, double int GENERATED ALWAYS AS (2 * length(payload)) STORED) $columns;
		ALTER TABLE events DROP COLUMN gone}));
	return;
}

#
# A table that becomes the first partition.
#

my @blocks = blocks_of('docs/guides/partition-existing-table.md');
my ($create, $swap, $divide) = @blocks == 3 ? @blocks : ('', @blocks);

new_database('existing', '');
answer_of('shop', named($extras . q{CREATE SEQUENCE own OWNED BY events."pay.""load"; CREATE TABLE lines (event_id kid64 REFERENCES events);}));
answer_of('shop', named(q{INSERT INTO events (id, payload) SELECT kid64_at(now() - n * interval '1 hour'), 'old-' || n FROM generate_series(1, 200) AS n}));
start_writers();
is(errors_of($create), '', 'the first block runs');
like(errors_of($swap), qr/INSERT for reader/, 'the swap names the privileges that are missing');
like(errors_of($swap), qr/policy own rows \* t \{-\}/, 'and the policy');
like(errors_of($swap), qr/row-level security t/, 'and that row-level security is enabled');
like(errors_of($swap), qr/rule see it/, 'and the rule');
like(errors_of($swap), qr/trigger touch/, 'and the trigger');
like(errors_of($swap), qr/refers to \S+: lines_event_id_fkey of lines/, 'and a foreign key that refers to the table');
is(errors_of(named($extras) =~ s/("e\.ven""ts)"/$1_new"/gr), '', 'the new table gets what LIKE does not copy');
go_on();
my $orphans_kept_out = $swap;
$orphans_kept_out =~ s/^LOCK TABLE (.*) IN/LOCK TABLE lines, $1 IN/m;
$orphans_kept_out =~ s/^(DO \$\$)$/ALTER TABLE lines DROP CONSTRAINT lines_event_id_fkey;\n$1/m;
$orphans_kept_out =~ s/^COMMIT;$/named("ALTER TABLE lines ADD CONSTRAINT lines_event_id_fkey FOREIGN KEY (event_id) REFERENCES events NOT VALID;\nCOMMIT;")/me;
is(errors_of($orphans_kept_out), '', 'the swap runs');
go_on();
is(answer_of('reader', named("SELECT count(*) FROM events WHERE payload LIKE '2-%'")), 0, 'the policy holds');
is(superuser(named('SELECT count(*) FROM pg_trigger WHERE tgrelid = \'events_old\'::regclass AND tgparentid = 0')), 0, 'the partition has no trigger of its own');
superuser(named('INSERT INTO lines SELECT min(id) FROM events'));
superuser('DELETE FROM lines');

# With FORCE ROW LEVEL SECURITY the block fails, and everything is as before.
answer_of('shop', named('ALTER POLICY "own rows" ON events USING (payload !~ \'^2\'); ALTER TABLE events FORCE ROW LEVEL SECURITY; ALTER TABLE events_old FORCE ROW LEVEL SECURITY'));
like(errors_of($divide), qr/would be affected by row-level security policy/, 'hidden rows are an error');
answer_of('shop', named('ALTER TABLE events NO FORCE ROW LEVEL SECURITY; ALTER TABLE events_old NO FORCE ROW LEVEL SECURITY'));
go_on();
is(errors_of($divide), '', 'the old rows are divided');
my ($told, $errors) = stop_writers();
is($errors, '', 'no session saw an error');
check_rows('a partitioned table', $told);
is(superuser(named("SELECT count(*) FROM events WHERE payload LIKE 'old-%'")), 200, 'the old rows are there');
is(superuser(named('SELECT count(*) FROM pg_class WHERE relname = \'e.ven"ts_old\'')), 0, 'the old table is not');

#
# Rows in the default partition. It has another order of columns.
#

my ($move) = grep { /DELETE FROM .*_rest/ } blocks_of('docs/guides/partitions.md');
new_database('defaults', 'PARTITION BY RANGE (id)');
answer_of('shop', named($extras . q{
	CREATE TABLE lines (event_id kid64 REFERENCES events);
	CREATE TABLE events_rest (payload text, "pay.""load" text, double int GENERATED ALWAYS AS (2 * length(payload)) STORED, nr bigint NOT NULL, touched timestamptz,
		id kid64 PRIMARY KEY DEFAULT kid_next(), updated_at timestamptz);
	ALTER TABLE events ATTACH PARTITION events_rest DEFAULT;
	INSERT INTO events (id, payload) VALUES (kid64_at('2020-01-01'), 'of 2020');
	INSERT INTO lines SELECT id FROM events}));
start_writers();
answer_of('shop', named('ALTER POLICY "own rows" ON events USING (payload !~ \'^2\'); CREATE POLICY own ON events_rest USING (payload !~ \'^2\');
	ALTER TABLE events_rest ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY'));
like(errors_of($move), qr/would be affected by row-level security policy/, 'rows that a policy hides are an error');
answer_of('shop', named('ALTER TABLE events_rest NO FORCE ROW LEVEL SECURITY'));
is(errors_of($move), '', 'the rows are moved');
($told, $errors) = stop_writers();
is($errors, '', 'no session saw an error');
check_rows('a default partition', $told);
is(superuser(named('SELECT payload FROM events_rest')), 'of 2020', 'the default partition has only the row for which there is no partition');
is(superuser(named('SELECT count(*) FROM events WHERE "pay.""load" IS NOT NULL')), 0, 'columns are not exchanged');

#
# The warnings about random uuids and about views.
#

superuser(q{CREATE TABLE visits (id uuid PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE visits_old PARTITION OF visits FOR VALUES FROM (MINVALUE) TO (MAXVALUE)});
my ($check) = slurp_file('docs/guides/partitions.md') =~ /`(ALTER TABLE visits ADD CHECK .*?)`/;
superuser("$check; INSERT INTO visits VALUES (kid_uuidv7())");
my ($status, $stdout, $stderr) = $node->psql($database, 'INSERT INTO visits VALUES (gen_random_uuid())');
like($stderr, qr/violates check constraint/, 'a random uuid is rejected');

my ($view) = slurp_file('docs/guides/time-queries.md') =~ /^(CREATE VIEW order_report .*)$/m;
superuser("CREATE TABLE orders (id kid64); INSERT INTO orders VALUES (kid_next()), (kid_next()); ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
	CREATE POLICY none ON orders TO reader USING (false); $view; GRANT SELECT ON orders, order_report TO reader");
is(answer_of('reader', 'SELECT count(*) FROM order_report'), 0, 'the view shows no row that a policy hides');

$node->stop;
done_testing();
