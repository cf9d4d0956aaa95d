# kid_partition_script() and kid_uninstall_script() where others mean harm: functions that another role planted in a schema of
# search_path, names that end a quotation, a superuser who does not stop at an error.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nfsync = off\n");
$node->start;
$node->safe_psql('postgres', q{CREATE ROLE root LOGIN SUPERUSER; CREATE ROLE shop LOGIN; CREATE ROLE evil LOGIN;
	GRANT SET ON PARAMETER session_replication_role TO shop});

# Runs statements without stopping at errors. Returns what psql prints, with errors and warnings.
sub run
{
	my ($role, $sql) = @_;
	my ($status, $stdout, $stderr) = $node->psql('shop', $sql, connstr => $node->connstr('shop') . " user=$role", on_error_stop => 0);
	return $stdout . $stderr =~ s/^psql:<stdin>:\d+: //mgr =~ s/^NOTICE:.*\n?//mgr;
}

# Begins with an empty database.
sub begin
{
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS shop (FORCE)');
	$node->safe_psql('postgres', 'CREATE DATABASE shop OWNER shop');
	$node->safe_psql('shop', 'CREATE EXTENSION kid; ALTER SCHEMA public OWNER TO shop; GRANT EXECUTE ON FUNCTION kid64_at(timestamptz) TO shop; GRANT ALL ON SCHEMA public TO evil');
	is(run('shop', $_[0]), '', 'there are tables');
	return;
}

my $events = q{CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), item text); INSERT INTO events (item) VALUES ('one');};
my $partition = q{kid_partition_script('events', '1 day', now() + interval '1 hour')};
sub steps { my ($script, @steps) = @_; return join "\n", "CREATE TABLE IF NOT EXISTS script AS SELECT * FROM $script WITH ORDINALITY;", map { "SELECT statement FROM script WHERE step = '$_' ORDER BY ordinality \\gexec" } @steps }

# A check names whom to connect as, even to a superuser, without calling what another role planted.
begin($events);
my $planted = q{LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'planted, as %', current_user; RETURN NULL; END $$};
is(run('evil', "SET client_min_messages = error; CREATE FUNCTION public.format(text, text) RETURNS text $planted; CREATE FUNCTION public.format(text, name) RETURNS text $planted; CREATE FUNCTION public.unnest(name[]) RETURNS name $planted"), '', 'functions are planted');
foreach my $script ($partition, q{kid_uninstall_script('events')})
{
	like(run('root', "SELECT statement FROM $script WHERE step = 'check' \\gexec"), qr/^ERROR:  must be owner of table public.\w+\nHINT:  Connect as shop\./, "the check of $script tells a superuser");
	unlike(run('shop', "SELECT statement FROM $script WHERE step = 'check' \\gexec"), qr/planted/, 'and calls no planted function');
}

# A name must not end a quotation.
my $name = q{"a$kid_lock$;COMMIT;CREATE TABLE pwned(); --"};
begin("CREATE TABLE $name (id kid64 PRIMARY KEY DEFAULT kid_next())");
foreach my $call ("kid_uninstall_script('$name')", "kid_partition_script('$name', '1 day', now() + interval '1 hour')")
{
	like(run('shop', "SELECT statement FROM $call"), qr/^ERROR:  cannot print a script for .*: a name or default contains "\$kid_"/, "such a name is an error: $call");
}

# A superuser who does not stop at the error of the check changes nothing.
begin($events);
like(run('root', steps($partition, qw(check prepare swap))), qr/must be owner/, 'a superuser goes on after the check');
is(run('shop', q{SELECT relkind FROM pg_class WHERE relname = 'events'}), 'r', 'and changes nothing');

begin(q{CREATE FUNCTION who(text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'as %', current_user; RETURN true; END $$;
	SET client_min_messages = error; CREATE TABLE names (id sno PRIMARY KEY, item text, CHECK (who(id::text))); INSERT INTO names VALUES (sno_next())});
run('root', 'CREATE TABLE script AS SELECT statement FROM kid_uninstall_script(\'names\')');
unlike(run('root', 'SELECT statement FROM script \gexec'), qr/as root/, 'nor does he call what the owner wrote');

# Nor a trigger that the owner made since, when he moves rows. A name must not end a quotation there either.
begin(q{SET client_min_messages = error; CREATE FUNCTION who() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'as %', current_user; RETURN OLD; END $$;
	CREATE TABLE late (id kid64 PRIMARY KEY DEFAULT kid_next()) PARTITION BY RANGE (id); CREATE TABLE rest PARTITION OF late DEFAULT; INSERT INTO late DEFAULT VALUES;
	CREATE TABLE "a$kid_lock$;ROLLBACK;CREATE TABLE pwned(); --" (id kid64) PARTITION BY RANGE (id); CREATE TABLE other PARTITION OF "a$kid_lock$;ROLLBACK;CREATE TABLE pwned(); --" DEFAULT});
run('root', q{CREATE TABLE script AS SELECT statement FROM kid_partition_script('late', '1 day', now())});
is(run('shop', 'CREATE TRIGGER who BEFORE DELETE ON rest FOR EACH ROW EXECUTE FUNCTION who(); ALTER TABLE rest ENABLE ALWAYS TRIGGER who'), '', 'the owner makes a trigger');
unlike(run('root', 'SELECT statement FROM script \gexec'), qr/as root/, 'it does not run as a superuser');
like(run('root', q{SELECT statement FROM kid_partition_script('"a$kid_lock$;ROLLBACK;CREATE TABLE pwned(); --"', '1 day', now())}), qr/^ERROR:  cannot print a script for .*: a name or default contains "\$kid_"/, 'such a name is an error when rows move');

# kid in a schema that is not in search_path, and a role that may create functions in another one that is.
begin('SELECT');
$node->safe_psql('shop', 'DROP EXTENSION kid; CREATE SCHEMA extensions; CREATE EXTENSION kid SCHEMA extensions; GRANT USAGE ON SCHEMA extensions TO PUBLIC');
is(run('evil', 'CREATE FUNCTION public.array_length(text[], integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT 666 $$'), '', 'a function is planted');
is(run('shop', q{CREATE TABLE events (id extensions.kid64 PRIMARY KEY DEFAULT extensions.kid_next(), tags text[]); INSERT INTO events (tags) VALUES ('{a}');
	CREATE VIEW counts AS SELECT id, pg_catalog.array_length(tags, 1) AS n FROM events; CREATE MATERIALIZED VIEW kept AS TABLE counts;
	SET search_path = public, extensions; CREATE VIEW same AS SELECT NULLIF(id, id) AS id FROM events; RESET search_path;}
		  . steps($partition =~ s/kid_/extensions.kid_/r, qw(check prepare swap partitions)) . qq{\n} . q{SELECT n FROM counts; SELECT n FROM kept}) =~ s/.*events_p.*\n//gr, "1\n1", 'views call what they called');

# A role that may create functions and operators in the schema of kid: none fits better than those of kid and pg_catalog.
begin('SELECT');
$node->safe_psql('shop', 'DROP EXTENSION kid; CREATE SCHEMA extensions; CREATE EXTENSION kid SCHEMA extensions; GRANT USAGE ON SCHEMA extensions TO PUBLIC; GRANT CREATE ON SCHEMA extensions TO evil');
my $rows = q{LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'planted, as %', current_user; END $$};
my @fitting = (
	map({ "kid_script_parts(text, oid[], oid[], smallint[], oid[], $_) RETURNS TABLE (part text, statement text) $rows" } 'regclass', 'integer'),
	"kid_remade(text, text) RETURNS TABLE (label text, owner oid, remove text, make text) $rows",
	"kid_create_partitions(parent text, width text, until timestamptz) RETURNS SETOF text $rows",
	"kid_create_partitions(parent text, width text, until text, at_most integer, since timestamptz) RETURNS SETOF text $rows",
	"kid_bound_time(text, name) RETURNS timestamptz $planted",
	"times(integer, interval) RETURNS interval $planted", "overlap(text[], text[]) RETURNS bool $planted", "array_length(text[], integer) RETURNS integer $planted");
is(run('evil', join '', map({ "CREATE FUNCTION extensions.$_;" } @fitting), 'CREATE OPERATOR extensions.* (LEFTARG = integer, RIGHTARG = interval, FUNCTION = extensions.times);
	CREATE OPERATOR extensions.&& (LEFTARG = text[], RIGHTARG = text[], FUNCTION = extensions.overlap)'), '', 'functions and operators are planted beside those of kid');
is(run('shop', "SET client_min_messages = warning; SET search_path = public, extensions; $events"
		  . q{CREATE TABLE late (id kid64 PRIMARY KEY DEFAULT kid_next()) PARTITION BY RANGE (id); CREATE TABLE rest PARTITION OF late DEFAULT; INSERT INTO late DEFAULT VALUES;}
		  . join '', map { "CREATE VIEW v_$_ AS SELECT ARRAY[item] OPERATOR(pg_catalog.&&) '{b}' AS has, pg_catalog.array_length(ARRAY[item], 1) AS n, id FROM $_;" } qw(events)), '', 'there are tables');
unlike(run('root', "SELECT count(*) FROM extensions.$_"), qr/planted|ERROR/, "a superuser prints $_, and calls none of them")
  foreach $partition, q{kid_uninstall_script('events')}, q{kid_partition_script('late', '1 day', now())};
unlike(run('shop', join "\n", map { steps("extensions.$_->[0]", @{ $_->[1] }) . "\nDROP TABLE script;" }
		  [ $partition, [qw(check prepare swap partitions)] ], [ q{kid_partition_script('late', '1 day', now())}, ['move'] ]), qr/planted|ERROR/, 'nor does a step of a script');
is(run('shop', q{SELECT count(*) > 1 FROM pg_inherits WHERE inhparent = 'events'::regclass; SELECT count(*) FROM pg_inherits WHERE inhparent = 'late'::regclass;
	SELECT has, n FROM v_events}), "t\n2\nf|1", 'which all have an effect, and leave views as they were');

$node->stop;
done_testing();
