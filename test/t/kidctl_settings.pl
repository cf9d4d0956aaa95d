# What a role or a database sets for its sessions changes nothing of what kidctl does: each command ends as it does
# without these settings, says the same, and leaves the same.
use strict;
use warnings;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server;
$node->safe_psql('postgres', q{
	CREATE ROLE app LOGIN CREATEDB; GRANT SET ON PARAMETER session_replication_role TO app;
	CREATE ACCESS METHOD other TYPE TABLE HANDLER heap_tableam_handler;
	SET allow_in_place_tablespaces = on; CREATE TABLESPACE elsewhere LOCATION '';
	GRANT CREATE ON TABLESPACE elsewhere TO app});

# The view takes longer than the timeouts that are set below. A CHECK and an index can be written in several ways.
$node->safe_psql('template1', 'CREATE ACCESS METHOD other TYPE TABLE HANDLER heap_tableam_handler');
my $schema = q{
	SET ROLE app;
	CREATE TABLE orders (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT now(),
		tags text[] DEFAULT '{a,NULL}', price money DEFAULT '1.5', raw bytea DEFAULT '\x00',
		span interval DEFAULT '1 day 02:00', part float8 DEFAULT 0.1);
	CREATE TABLE lines (order_id bigint NOT NULL REFERENCES orders, other bigint REFERENCES orders, n int,
		CHECK (other <> order_id), CHECK (n = ANY ('{1,2}'::int[])));
	CREATE INDEX recent ON orders (id) WHERE made > '2020-02-01 00:00+00' AND span <> '1 mon 3 days' AND price > '0';
	CREATE INDEX words ON orders USING gin (tags);
	CREATE VIEW shown AS SELECT id, made FROM orders WHERE tags <> '{x,NULL}' AND raw <> '\x01' AND part <> 0.3;
	CREATE MATERIALIZED VIEW report AS SELECT id, pg_sleep(0.6) IS NULL AS slow FROM orders LIMIT 1;
	CREATE FUNCTION count_lines() RETURNS trigger
		LANGUAGE plpgsql AS 'BEGIN NEW.n = coalesce(NEW.n, 1); RETURN NEW; END';
	CREATE TRIGGER counts BEFORE INSERT ON lines FOR EACH ROW EXECUTE FUNCTION count_lines();
	CREATE TABLE "Events" (id kid64 PRIMARY KEY DEFAULT kid_next(), about text);
	INSERT INTO orders (made) SELECT '2026-01-01'::timestamptz + n * interval '1 hour'
		FROM generate_series(1, 500) AS n;
	INSERT INTO lines (order_id) SELECT id FROM orders; INSERT INTO "Events" (about) VALUES ('x');
	ANALYZE};

my @commands = (
	[qw(rekey check orders --time made)],
	[qw(rekey run orders --time made)],
	[qw(rekey swap orders)],
	[qw(rekey back orders)],
	[qw(rekey run orders --time made --max-lag 10s)],
	[qw(rekey swap orders)],
	[qw(rekey finish orders)],
	[ qw(partition check "Events" --width), '1 month' ],
	[ qw(partition run "Events" --width), '1 month', '--until', '2100-01-01 00:00+00' ],
	[qw(partition finish "Events")],
	[qw(leave check --all)],
	[qw(leave run orders)]);

# Runs all commands in a new database. Returns what they print, and what they leave.
sub run_all
{
	my ($what) = @_;
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS one');
	create_database('one', 'app');
	$node->safe_psql('one', $schema);
	my $said = '';
	foreach my $command (@commands)
	{
		my ($output, $status) = run_kidctl(connection_as($node, 'one', 'app'), @$command);
		$said .= "@$command: $status\n$output\n";
		is($status, 0, "$what: kidctl @$command") or diag($output);
	}
	# What is measured, or made by chance
	$said =~ s/\d+\.\d+ s\b|\d+ [kM]B\b|\d:\d\d:\d\d|\(id\)=\([-._\w]+\)/…/g;
	my $rows = $node->safe_psql('one', 'SELECT o.made, tags, price, raw, span, part, n,
		kid_timestamp(o.id::kid64) - made FROM orders AS o JOIN lines ON order_id = o.id ORDER BY made');
	my $left = $node->safe_psql('one', q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'});
	return ($said, dump_schema($node->connstr('one')), $rows, $left);
}

my @wanted = run_all('without settings');
is((split /\n/, $wanted[2]) + 0, 500, 'each row has its line');

# Every setting that an ordinary role can give itself has another value: what is least or greatest, or
# shorter than what kidctl does. TimeZone and search_path say what users mean. VACUUM would sleep at each
# page, and the last ones are of one transaction.
my $others = q{
	SELECT format('ALTER ROLE app SET %I = %L;', name, CASE
	           WHEN name = 'DateStyle' THEN 'SQL, DMY' WHEN name = 'client_encoding' THEN 'LATIN1'
	               WHEN name LIKE 'lc\_%' THEN 'C.UTF-8'
	           WHEN name = 'default_table_access_method' THEN 'other' WHEN name LIKE '%tablespace%' THEN 'elsewhere'
	           WHEN name = 'restrict_nonsystem_relation_kind' THEN 'view' WHEN name = 'gin_fuzzy_search_limit' THEN '1'
	           WHEN name = 'default_transaction_isolation' THEN 'serializable'
	               WHEN name = 'plpgsql.extra_errors' THEN 'all'
	           WHEN name = 'createrole_self_grant' THEN 'set' WHEN name LIKE '%timeout' THEN '500ms'
	           WHEN vartype = 'bool' THEN CASE setting WHEN 'on' THEN 'off' ELSE 'on' END
	           WHEN vartype = 'enum' THEN (SELECT e FROM unnest(enumvals) WITH ORDINALITY AS u (e, n) WHERE e <> setting
	               ORDER BY n DESC LIMIT 1)
	           WHEN vartype IN ('integer', 'real') THEN CASE setting WHEN min_val THEN max_val ELSE min_val END
	           ELSE 'simple' END)
	  FROM pg_settings
	 WHERE context = 'user' AND name NOT IN ('TimeZone', 'timezone_abbreviations', 'search_path',
		'local_preload_libraries', 'application_name')
	       AND cardinality(enumvals) IS DISTINCT FROM 1
	       -- PostgreSQL 20 reads all strings in one way.
	       AND NOT (name = 'standard_conforming_strings' AND current_setting('server_version_num')::int >= 200000)
	       AND name !~ '^(vacuum_|tcp_|wal_sender_|transaction_(isolation|read_only|deferrable)$)' ORDER BY name};
my $statements = $node->safe_psql('postgres', "DO 'BEGIN END'; $others");
cmp_ok(() = $statements =~ /^ALTER/mg, '>', 90, 'there are many settings');
$node->safe_psql('postgres', $statements);
my @found = run_all('with all settings');
same_text($found[$_], $wanted[$_], 'the same ' . ('output', 'definitions', 'rows', 'number of schemas')[$_])
  foreach 0 .. 3;
$node->safe_psql('postgres', 'ALTER ROLE app RESET ALL');

# A superuser can keep triggers and foreign keys from working in all sessions of a role.
$node->safe_psql('postgres', 'ALTER ROLE app SET session_replication_role = replica');
$node->safe_psql('one', q{
	SET ROLE app; CREATE TABLE fresh (id bigserial PRIMARY KEY, n int); INSERT INTO fresh (n) VALUES (1);
	CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''the trigger runs''; END';
	CREATE TRIGGER refuses BEFORE UPDATE ON fresh FOR EACH ROW EXECUTE FUNCTION refuse()});
my ($output, $status) = run_kidctl(connection_as($node, 'one', 'app'), qw(rekey check fresh --during),
	'[2024-01-01, 2025-01-01)');
like($output, qr/UPDATE on public\.fresh: the trigger runs/, 'kidctl fires triggers all the same');
$node->safe_psql('postgres', 'REVOKE SET ON PARAMETER session_replication_role FROM app');
($output, $status) = run_kidctl(connection_as($node, 'one', 'app'), qw(leave check --all));
is($status, 2, 'if the role cannot change that, nothing is done');
my $error = 'triggers and foreign keys do not work in sessions of app, which may not change that';
like($output, qr/^error: $error\nhint: As a superuser run ALTER ROLE app RESET session_replication_role/,
	'and kidctl says what to do');

done_testing();
