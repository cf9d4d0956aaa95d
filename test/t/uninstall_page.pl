# The statements that docs/operate/uninstall.md prints for a table with a name that needs quotes, in a database in ICU's order, run while
# four sessions insert: no row gets lost or stays without a key, and policies, triggers, NOT NULL and the order are as before.
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

# The queries of the page, each with what it prints: statements before the change, and after it.
my $page = slurp_file('docs/operate/uninstall.md');
utf8::decode($page);
my @blocks = $page =~ /^```sql\n(.*?)^```$/msg;
my @queries = map { s/^--.*\n//mgr =~ /(.*?;\n)/sg } @blocks[0, 1];
is(scalar @queries, 3, 'the page has queries for columns, triggers and policies');
my @columns = split /\n/, (owner($queries[0]))[0];
my @before_and_after = map { [ split /\|/, $_, 2 ] } map { split /\n/, (owner($_))[0] } @queries[1, 2];

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

# The transaction of the page, with the statements for this table.
my ($first, $setval) = $blocks[2] =~ /\A(.*?)^DROP.*?^(CREATE SEQUENCE .*?)^ALTER TABLE lines ADD/ms;
$setval =~ s/\borders\b(?!_)/"o.r""ders"/g;
$first =~ s/(?<=^LOCK TABLE )orders, lines/"o.r""ders"/m or fail('the page locks the tables');
my $statements = join "\n", $first, 'ALTER TABLE "o.r""ders" NO FORCE ROW LEVEL SECURITY;', (map { $_->[0] } @before_and_after), @columns,
  q{ALTER TABLE "o.r""ders" ALTER line SET DEFAULT gen_random_uuid()::text, ALTER x SET DEFAULT gen_random_uuid()::text; DROP DOMAIN line_id; DROP DOMAIN some_id;},
  $setval, 'GRANT USAGE ON SEQUENCE orders_id_seq TO client;', (map { $_->[1] // '' } @before_and_after),
  'ALTER TABLE "o.r""ders" FORCE ROW LEVEL SECURITY;', "COMMIT;\n";
is((owner($statements))[1], '', 'the statements run') or diag $statements;
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
is((owner('DROP EXTENSION kid;'))[1], '', 'nothing depends on kid');

$node->stop;
done_testing();
