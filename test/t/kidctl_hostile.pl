# What other roles do to a database while kidctl works in it: the owner of a schema exchanges names, the
# owner of the database creates functions that fit a definition better than PostgreSQL's own, tenants
# create some that fit better than the owner's, and those who may create triggers on a table do so.
use strict;
use warnings;
use Dialogue;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server();
$node->safe_psql('postgres', q{
	CREATE ROLE shop LOGIN BYPASSRLS CREATEDB; CREATE ROLE tenant LOGIN; CREATE ROLE dba LOGIN;
	CREATE ROLE viewer LOGIN; GRANT viewer TO shop;
	GRANT SET ON PARAMETER session_replication_role TO shop});

# Creates a database with a table of shop's, kid in a schema of the database's owner, and two schemas of a
# role of which shop is a member.
sub create_shop
{
	my ($database) = @_;
	$node->safe_psql('postgres',
		"CREATE DATABASE $database OWNER dba; GRANT CREATE ON DATABASE $database TO shop, viewer");
	sql_in($database, 'CREATE SCHEMA kid; CREATE EXTENSION kid SCHEMA kid; GRANT USAGE ON SCHEMA kid TO PUBLIC',
		role => 'dba');
	sql_in($database, 'CREATE SCHEMA one; CREATE SCHEMA two; GRANT ALL ON SCHEMA two TO shop', role => 'viewer');
	sql_in($database, q{CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO PUBLIC;
		CREATE TABLE app.users (id bigserial PRIMARY KEY, email text,
			made timestamptz NOT NULL DEFAULT '2024-01-01 UTC');
		INSERT INTO app.users (email) VALUES ('a'); GRANT SELECT ON app.users TO viewer}, role => 'shop');
	return connection_as($node, $database, 'shop');
}

my @run = (qw(rekey run app.users --time made --no-rehearsal --accept search_path));
my $owners = q{SELECT string_agg(concat_ws(' ', oid::regclass, relowner::regrole), ', ' ORDER BY oid::regclass::text)
	FROM pg_class WHERE relname = 'v'};

# While a swap waits for its locks, the owner of two schemas exchanges their names, so that a view of
# shop's has the name of one of its own.
my $owner = create_shop('exchanged');
sql_in('exchanged', 'CREATE VIEW two.v AS SELECT 1 AS one', role => 'shop');
sql_in('exchanged', 'CREATE VIEW one.v AS SELECT id FROM app.users', role => 'viewer');
like((run_kidctl($owner, @run))[0], qr/is ready for/, 'a move is ready for its swap');
my $reader = open_session($node, 'exchanged');
answer($reader, 'BEGIN; LOCK TABLE app.users IN ACCESS SHARE MODE;');
my $swap = start_kidctl($owner, qw(rekey swap app.users));
wait_for_lock($swap) or die 'the swap does not wait';
sql_in('exchanged', 'BEGIN; ALTER SCHEMA one RENAME TO three; ALTER SCHEMA two RENAME TO one; COMMIT',
	role => 'viewer');
# The attempt that waits now has locked the view by its old name already.
my $renamed = $node->safe_psql('exchanged', 'SELECT clock_timestamp()');
$node->poll_query_until('exchanged', "SELECT count(*) = 0 FROM pg_stat_activity
	WHERE application_name = 'kidctl' AND query LIKE 'LOCK TABLE \"app%' AND xact_start < '$renamed'") or die;
answer($reader, 'COMMIT;');
my ($output, $status) = finish_kidctl($swap);
is($node->safe_psql('exchanged', $owners), 'one.v shop, three.v viewer',
	'a view that has got the name of another one keeps its owner') or diag($output);
like($output,
	qr/^error: view one\.v has been replaced or given to another role meanwhile\nhint: Run this step again\.$/m,
	'and kidctl says so');
like((run_kidctl($owner, qw(rekey swap app.users)))[0],
	qr/changed since the last run of kidctl|^hint: Run `kidctl rekey run`/m, 'again it looks at what is there now');

# A function of the database's owner would fit better than one of PostgreSQL's that takes any type.
$owner = create_shop('fitting');
sql_in('fitting', q{CREATE FUNCTION kid.concat(text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	BEGIN ALTER ROLE shop PASSWORD 'known'; EXCEPTION WHEN insufficient_privilege THEN END; RETURN 'theirs'; END $$},
	role => 'dba');
sql_in('fitting', q{CREATE MATERIALIZED VIEW app.v AS SELECT id, concat(email, 'x') FROM app.users}, role => 'shop');
$output = join('', map { (run_kidctl($owner, @$_))[0] } \@run, [qw(rekey swap app.users)]);
like($output, qr/^swap: /m, 'a view with such a function is made again');
is($node->safe_psql('fitting', 'SELECT concat FROM app.v'), 'ax', 'with the function that it had') or diag($output);
is($node->safe_psql('postgres', "SELECT count(rolpassword) FROM pg_authid WHERE rolname = 'shop'"), 0,
	'and the other one does not run as shop');

# The state of a move contains statements. Not even who may write to all tables can change them.
$node->safe_psql('postgres', 'CREATE ROLE loader LOGIN; GRANT pg_read_all_data, pg_write_all_data TO loader');
my $state = $node->safe_psql('fitting', q{SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kidctl%'}) . '.state';
is(sql_in('fitting', "WITH u AS (UPDATE $state SET state = NULL RETURNING 1) SELECT count(*) FROM u", role => 'loader'),
	0, 'a role that may write to all tables cannot change the state of a move');
like(error_of("INSERT INTO $state VALUES (false)", database => 'fitting', role => 'loader'),
	qr/violates row-level security policy/, 'nor add one');
is(sql_in('fitting', "SELECT count(state) FROM $state", role => 'shop'), 1, 'which the owner sees');

# Who may create triggers on a table may have created those that call its own functions.
$owner = create_shop('triggered');
$node->safe_psql('triggered', 'CREATE SCHEMA theirs AUTHORIZATION tenant; GRANT USAGE ON SCHEMA theirs TO PUBLIC;
	GRANT ALL ON app.users TO tenant');
sql_in('triggered', q{CREATE FUNCTION theirs.f() RETURNS trigger
	LANGUAGE plpgsql AS $$ BEGIN RAISE LOG 'the trigger of a tenant fires as %', current_user; RETURN NEW; END $$;
	CREATE TRIGGER t BEFORE INSERT OR UPDATE OR DELETE ON app.users FOR EACH ROW EXECUTE FUNCTION theirs.f()},
	role => 'tenant');
$output = (run_kidctl($owner, qw(rekey check app.users --time made --accept search_path)))[0];
unlike(slurp_file($node->logfile), qr/LOG:  the trigger of a tenant fires as/,
	'a rehearsal fires no trigger of a tenant');
like($output, qr/^  trigger app\.users t: is not in the copy  \(stops\)$/m, 'and says so') or diag($output);
$node->safe_psql('triggered', 'REVOKE ALL ON app.users FROM tenant');
$output = (run_kidctl($owner, qw(rekey check app.users --time made --accept search_path)))[0];
unlike($output, qr/trigger app\.users t: is not in the copy/, 'those that the owner must have created are tried')
  or diag($output);

# A tenant creates functions that fit better than those of the owner, who lets it create some in a schema.
$owner = create_shop('overloaded');
my $logs = q{LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE LOG 'code of a tenant runs as %', current_user;
	RETURN true; END $$};
sql_in('overloaded', q{SET search_path = kid; CREATE SCHEMA util; GRANT ALL ON SCHEMA util TO tenant;
	CREATE FUNCTION util.f(anyelement) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 IS NOT NULL';
	CREATE FUNCTION util.g(anyelement, anyelement) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
	CREATE OPERATOR util.=== (LEFTARG = anyelement, RIGHTARG = anyelement, FUNCTION = util.g);
	CREATE INDEX with_f ON app.users (util.f(id));
	CREATE DOMAIN app.d AS kid64 CHECK (util.f(VALUE));
	CREATE TABLE app.keys (id kid64 PRIMARY KEY DEFAULT kid_next(), n int CHECK (util.f(n)),
		CONSTRAINT c CHECK (util.f(id)));
	CREATE TABLE app.domains (id app.d PRIMARY KEY);
	CREATE TABLE app.compared (id kid64 PRIMARY KEY);
	CREATE VIEW app.v1 AS SELECT id FROM app.compared;
	CREATE VIEW app.v2 AS SELECT id OPERATOR(util.===) id AS same FROM app.v1;
	INSERT INTO app.keys VALUES (DEFAULT, 1)}, role => 'shop');
my @moves = ([ qw(rekey run app.users --time made --accept search_path), 'index app.with_f' ],
	[ qw(leave run app.keys), 'constraint c on table app.keys' ],
	[ qw(partition run app.keys --width), '1 month', 'constraint c on table app.keys' ],
	[ qw(leave run app.domains), 'constraint d_check' ],
	[ qw(leave run app.compared), 'rule _RETURN on view app.v2' ]);
foreach my $type (qw(bigint kid.kid64 text))
{
	sql_in('overloaded', "CREATE FUNCTION util.f($type) RETURNS boolean $logs;
		CREATE FUNCTION util.g($type, $type) RETURNS boolean $logs;
		CREATE OPERATOR util.=== (LEFTARG = $type, RIGHTARG = $type, FUNCTION = util.g)", role => 'tenant');
}
foreach (@moves)
{
	my ($what, @words) = (pop @$_, @$_);
	($output, $status) = run_kidctl($owner, @words);
	is($status, 1, "functions of a tenant that fit better stop @words[0 .. 2]") or diag($output);
	like($output, qr/^  \Q$what\E\b.*: is made again and calls .* could choose util\.\S+\(bigint.* of tenant  \(st/m,
		'which says why');
}
my $ran = qr/LOG:  code of a tenant runs as (?!tenant)/;
unlike(slurp_file($node->logfile), $ran, 'and they do not run');
sql_in('overloaded', 'DROP OWNED BY tenant', role => 'tenant');
# The first index can take hours, in which the tenant creates a function for the next one.
$node->safe_psql('overloaded', 'GRANT ALL ON SCHEMA util TO tenant');
($output, $status) = meddle_with_kidctl($owner, connection_as($node, 'overloaded', 'tenant'),
	'CREATE (UNIQUE )?INDEX', "CREATE FUNCTION util.f(kid.kid64) RETURNS boolean $logs", @{ $moves[0] });
is($status, 2, 'a function that a tenant creates in the middle stops rekey run') or diag($output);
like($output, qr/^error: index app\.with_f: is made again and calls/m, 'which says why');
sql_in('overloaded', 'DROP FUNCTION util.f(kid.kid64)', role => 'tenant');
unlike(slurp_file($node->logfile), $ran, 'and it does not run');
must_run_kidctl($owner, @$_) foreach @moves[ 0, 2 .. 4 ];

# The owner of a schema could exchange it while kidctl reads the tables in it.
$owner = create_shop('let');
$node->safe_psql('let', 'CREATE SCHEMA "their\'s" AUTHORIZATION tenant; GRANT ALL ON SCHEMA "their\'s" TO shop');
sql_in('let', q{SET search_path = kid, "their's"; CREATE TABLE "their's".users (id bigint PRIMARY KEY);
	CREATE TABLE app.keys (id kid64 PRIMARY KEY DEFAULT kid_next(), u bigint REFERENCES "their's".users);
	CREATE TABLE app.old (id bigint PRIMARY KEY, u bigint REFERENCES "their's".users, made timestamptz NOT NULL)},
	role => 'shop');
foreach ([qw(rekey check app.old --time made)], [qw(leave check app.keys)], [qw(partition check app.keys --width 1d)])
{
	($output, $status) = run_kidctl($owner, @$_);
	is($status, 2, "the schema of a stranger stops @$_[0, 1]") or diag($output);
	like($output, qr/^error: schema "their's" belongs to tenant, who could put views in the place of "th/m,
		'which says why');
	my ($accept) = $output =~ /^hint: Accept it if you trust tenant: --accept (.*)$/m;
	is($accept, q{'schema "their'\''s"'}, 'and how to accept it');
	($output, $status) = run_kidctl($owner, @$_, '--accept', q{schema "their's"}, qw(--accept search_path));
	is($status, 0, 'so it goes on') or diag($output);
}

# A superuser's session does nothing to tables of others.
sql_in('let', "CREATE FUNCTION \"their's\".f(anyelement) RETURNS boolean $logs;
	CREATE FUNCTION \"their's\".to_regclass(text) RETURNS boolean $logs;
	CREATE TABLE \"their's\".t (id kid.kid64 PRIMARY KEY CHECK (\"their's\".f(id)))", role => 'tenant');
$node->safe_psql('let', q{CREATE TABLE mine (id kid.kid64 PRIMARY KEY CHECK ("their's".f(id)))});
sql_in('let', q{ALTER DATABASE let SET search_path = "their's", pg_catalog, public}, role => 'dba');
foreach ([qw(run t)], [qw(run mine)], [qw(run --all)], [qw(check missing)])
{
	($output, $status) = run_kidctl(connection_as($node, 'let', undef), 'leave', @$_);
	is($status, 2, "a superuser cannot do leave @$_") or diag($output);
}
unlike(slurp_file($node->logfile), $ran, 'and runs nothing of a tenant');

$node->stop;
done_testing();
