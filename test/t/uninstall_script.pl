# kid_uninstall_script(): its statements for a table with a name that needs quotes, in a database in ICU's order, run while four
# sessions insert: no row gets lost or stays without a key, and policies, triggers, NOT NULL and the order are as before.
use strict;
use warnings;
use utf8;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\n");
$node->start;
plan skip_all => 'PostgreSQL has no ICU' if !$node->safe_psql('postgres', "SELECT count(*) FROM pg_collation WHERE collprovider = 'i'");
$node->safe_psql('postgres', q{
	CREATE ROLE shop LOGIN; CREATE ROLE reader LOGIN; CREATE ROLE client LOGIN BYPASSRLS;
	ALTER ROLE shop SET default_transaction_isolation = 'repeatable read';
	ALTER ROLE client SET default_transaction_isolation = 'repeatable read'});
$node->safe_psql('postgres', q{CREATE DATABASE shop OWNER shop TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'});

sub superuser { return $node->safe_psql('shop', $_[0]) }

sub owner
{
	my ($sql) = @_;
	my ($status, $stdout, $stderr) = $node->psql('shop', "SET client_min_messages = error;\n$sql", connstr => $node->connstr('shop') . ' user=shop', on_error_stop => 0);
	return ($stdout, $stderr);
}

superuser('GRANT ALL ON SCHEMA public TO shop');
is((owner(q{
	CREATE EXTENSION kid;
	CREATE DOMAIN some_id AS sno NOT NULL;
	CREATE DOMAIN line_id AS some_id;
	CREATE TABLE "o.r""ders" (id kid64 DEFAULT kid_next(), line line_id DEFAULT sno_next(), x flax DEFAULT flax_next(), parts kid64[], item text, by text);
	CREATE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''must not run''; END';
	CREATE TRIGGER "follow ""it" BEFORE INSERT OR UPDATE OF line ON "o.r""ders" FOR EACH ROW EXECUTE FUNCTION follow();
	ALTER TABLE "o.r""ders" DISABLE TRIGGER "follow ""it";
	CREATE TRIGGER always AFTER UPDATE OF id ON "o.r""ders" FOR EACH ROW EXECUTE FUNCTION follow();
	ALTER TABLE "o.r""ders" ENABLE ALWAYS TRIGGER always;
	CREATE POLICY everyone ON "o.r""ders" USING (true) WITH CHECK (true);
	CREATE POLICY "no 2" ON "o.r""ders" AS RESTRICTIVE FOR SELECT TO reader, shop USING (item !~ '^2');
	ALTER TABLE "o.r""ders" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	GRANT SELECT, INSERT ON "o.r""ders" TO client, reader;
	INSERT INTO "o.r""ders" (item) SELECT 'old-' || n FROM generate_series(1, 300) AS n}))[1], '', 'there is a table');

my $state = q{
	SELECT policyname, permissive, roles, cmd, qual, with_check FROM pg_policies ORDER BY 1;
	SELECT tgname, tgenabled FROM pg_trigger ORDER BY 1;
	SELECT attname, attnotnull OR typnotnull FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid WHERE attrelid = '"o.r""ders"'::regclass AND attnum > 0 ORDER BY 1;
	SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname = 'o.r"ders'};
# line is NOT NULL by the domain below its own.
my $state_before = superuser($state) =~ s/^line\|f$/line|t/mr;
my @orders = map { superuser(qq{SELECT string_agg(item, ' ' ORDER BY $_) FROM "o.r""ders"}) } qw(id line x);

my @writers;
foreach my $writer (1 .. 4)
{
	my %writer = (out => '', err => '');
	my $file = "$PostgreSQL::Test::Utils::tmp_check/uninstall_$writer.sql";
	append_to_file($file, join '',
		map { qq{INSERT INTO "o.r""ders" (item) VALUES ('$writer-$_') RETURNING item;\nSELECT pg_sleep(0.002) \\g /dev/null\n} }
		  1 .. 50_000);
	$writer{handle} = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('shop') . ' user=client', '-f', $file ], '>', \$writer{out}, '2>', \$writer{err});
	push @writers, \%writer;
}

sub go_on
{
	foreach my $writer (@writers)
	{
		my $wanted = length($writer->{out} . $writer->{err}) + 400;
		$writer->{handle}->pump while length($writer->{out} . $writer->{err}) < $wanted && $writer->{handle}->pumpable;
	}
	return;
}
go_on();

like((owner(q{\set ON_ERROR_STOP on
	SELECT statement FROM kid_uninstall_script('"o.r""ders"') \gexec}))[1], qr/FORCE ROW LEVEL SECURITY/, 'hidden rows are an error');
superuser('ALTER ROLE shop BYPASSRLS');
is((owner(q{SELECT statement FROM kid_uninstall_script('"o.r""ders"') \gexec}))[1], '', 'the statements run');
go_on();

my ($told, $errors) = ('', '');
foreach my $writer (@writers)
{
	$writer->{handle}->kill_kill;
	$told .= $writer->{out} =~ s/[^\n]*\z//r;
	$errors .= $writer->{err};
}
unlike($errors, qr/ERROR:  (?!cached plan|cache lookup failed)/, 'no session saw another error than that of a plan made before');

my %rows = map { $_ => 1 } split /\n/, superuser('SELECT item FROM "o.r""ders"');
my @told = split /\n/, $told;
is(scalar(grep { !$rows{$_} } @told), 0, 'no row is lost of ' . @told);
is(superuser('SELECT count(*) - count(DISTINCT id) FROM "o.r""ders"'), 0, 'each row has a key of its own');
is(superuser('SELECT count(*) FROM "o.r""ders" WHERE line IS NULL OR x IS NULL'), 0, 'also in the other columns');
is(superuser($state), $state_before, 'policies, triggers, NOT NULL and row-level security are as before');
is(superuser(q{SELECT string_agg(item, ' ' ORDER BY id) FROM "o.r""ders" WHERE item LIKE 'old%'}), $orders[0], 'the order of id');
is(superuser(q{SELECT string_agg(item, ' ' ORDER BY line) FROM "o.r""ders" WHERE item LIKE 'old%'}), $orders[1], 'the order of line');
is(superuser(q{SELECT string_agg(item, ' ' ORDER BY x) FROM "o.r""ders" WHERE item LIKE 'old%'}), $orders[2], 'the order of x');
# What a script cannot handle it names. Foreign keys, a partition of uuids, a trigger of kid's, and defaults of bigint.
is((owner(q{CREATE TABLE events (id kid64 PRIMARY KEY) PARTITION BY RANGE (id); CREATE DOMAIN above AS kid64 CONSTRAINT is_above CHECK (VALUE IS NOT NULL); CREATE TABLE late (id above);
	CREATE TABLE old (id bigint PRIMARY KEY DEFAULT kid_next(), flake flake UNIQUE); CREATE TABLE lines (old bigint REFERENCES old, flake flake REFERENCES old (flake) ON DELETE SET NULL);
	COMMENT ON CONSTRAINT lines_flake_fkey ON lines IS '%s';
	INSERT INTO old VALUES (DEFAULT, flake_next()), (kid64_ceil(now() + interval '1 day'), NULL); INSERT INTO lines SELECT * FROM old;
	CREATE TABLE visits (id uuid PRIMARY KEY DEFAULT kid_uuidv7()) PARTITION BY RANGE (id);
	SET default_transaction_isolation = 'read committed'; SELECT FROM kid_create_partitions('visits', interval '1 day', now() + interval '1 day', time_check => true);
	CREATE TRIGGER own BEFORE INSERT ON old FOR EACH ROW EXECUTE FUNCTION kid_own_ids_trigger('id')}))[1], '', 'there are more tables');
like((owner(q{SELECT * FROM kid_uninstall_script('events')}))[1], qr/public.events is partitioned by id/, 'a table partitioned by a type of kid is an error');
like((owner(q{SELECT * FROM kid_uninstall_script('late')}))[1], qr/public.late has a domain for id with constraints: is_above/, 'so is a domain with constraints');
is((owner(q{CREATE FUNCTION mine() RETURNS kid64 LANGUAGE sql AS 'SELECT public.kid_next()'; CREATE DOMAIN given AS kid64 DEFAULT kid_next();
	CREATE TABLE made (a kid64 DEFAULT mine(), b given, c varchar(11) DEFAULT kid_next())}))[1], '', 'there are defaults');
is(join(' ', sort((owner(q{SELECT * FROM kid_uninstall_script('made')}))[1] =~ /^(?:DETAIL:  )?public.made (.*)/mg)), 'has a default for a that cannot be made again has a default for c that cannot be made again has a domain for b with constraints: DEFAULT', 'so are defaults that would be lost');
is((owner(q{DROP TABLE made; DROP DOMAIN given; DROP FUNCTION mine; CREATE TABLE few (id kid64 PRIMARY KEY DEFAULT kid_next(), item text);
	CREATE VIEW watched AS SELECT item, 'CREATE TRIGGER x EXECUTE FUNCTION kid_own_ids_trigger(' AS trigger, id FROM few;
	CREATE VIEW pairs AS SELECT a.item FROM few AS a JOIN few AS b ON a.id = b.id AND a.id <= b.id;
	GRANT INSERT (item) ON few TO client; GRANT INSERT ON watched TO reader; GRANT USAGE ON SCHEMA public TO client, reader;
	SELECT statement FROM kid_uninstall_script('few') \gexec}))[1], '', 'a view that names the trigger stays');
superuser("SET ROLE $_->[0]; INSERT INTO $_->[1] (item) VALUES ('new')") foreach [ client => 'few' ], [ reader => 'watched' ];
is(superuser('SELECT count(*) FROM watched WHERE id > 1; SELECT count(*) FROM pairs'), "2\n2", 'roles that could insert still can, and a view compares keys');
is((owner('DROP TABLE few CASCADE'))[1], '', 'it goes');
is((owner(q{SELECT statement FROM kid_uninstall_script('lines') \gexec
	SELECT statement FROM kid_uninstall_script('old') \gexec
	SELECT statement FROM kid_uninstall_script('visits') \gexec
	INSERT INTO old DEFAULT VALUES; DROP TABLE events, late; DROP DOMAIN above}))[1], '', 'the others change');
is(superuser(q{SELECT count(*) FROM old AS o JOIN lines AS l ON l.flake = o.flake AND l.old = o.id; SELECT id > (SELECT max(old) FROM lines) FROM old ORDER BY id DESC LIMIT 1;
	SELECT string_agg(concat_ws(' ', conname, convalidated, obj_description(oid, 'pg_constraint')), ', ' ORDER BY conname) FROM pg_constraint WHERE conrelid = 'lines'::regclass}), "1\nt\nlines_flake_fkey t %s, lines_old_fkey t", 'with their rows and foreign keys, and go on above');
is((owner(q{CREATE TABLE users (id kid64 PRIMARY KEY); CREATE TABLE posts (id kid64);
	SELECT format('ALTER TABLE posts ADD CONSTRAINT %I FOREIGN KEY (id) REFERENCES users; COMMENT ON CONSTRAINT %1$I ON posts IS ''%s''', n * 7 % 17, n) FROM generate_series(1, 16) AS n \gexec
	SELECT statement FROM kid_uninstall_script('posts') \gexec}))[1], '', 'a table with many foreign keys changes');
is(superuser(q{SELECT count(obj_description(oid, 'pg_constraint')) FROM pg_constraint WHERE conrelid = 'posts'::regclass}), 16, 'each gets its comment when it is there');
is((owner('DROP DOMAIN line_id; DROP DOMAIN some_id; DROP EXTENSION kid;'))[1], '', 'nothing depends on kid');

$node->stop;
done_testing();
