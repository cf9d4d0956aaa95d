# kidctl gives no right away: code of other roles in the database, which PostgreSQL runs while a dump is restored, while
# rows are copied or while a view is created, does not run with the rights of the role that kidctl connects as.
use strict;
use warnings;
use Dialogue;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server();
$node->safe_psql('postgres', q{
	CREATE ROLE shop LOGIN BYPASSRLS CREATEDB; CREATE ROLE tenant LOGIN; CREATE ROLE viewer LOGIN;
	CREATE ROLE dba LOGIN CREATEDB; GRANT viewer TO shop;
	GRANT SET ON PARAMETER session_replication_role TO shop});

# With the rights of the owner, this function gives it another password. As other roles it does nothing.
my $code = q{
	CREATE FUNCTION f(int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
		BEGIN ALTER ROLE shop PASSWORD 'known'; EXCEPTION WHEN insufficient_privilege THEN END;
		RETURN true;
	END $$;
	CREATE FUNCTION i(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM theirs.f($1); RETURN 1; END $$;
	CREATE DOMAIN d AS int CHECK (f(value));
	CREATE TYPE c AS (a d);
};
my @cases = (
	[ 'the first value of an aggregate', 'tenant', q{
		CREATE FUNCTION s(d, int) RETURNS d LANGUAGE sql AS 'SELECT $1';
		CREATE AGGREGATE a(int) (SFUNC = s, STYPE = d, INITCOND = '1')} ],
	[ 'a literal in a view', 'tenant', q{CREATE VIEW v AS SELECT '(1)'::c} ],
	[ 'a literal in a default', 'tenant', q{CREATE TABLE t (x d[] DEFAULT '{1}'); GRANT SELECT ON t TO PUBLIC} ],
	[ 'the condition of an index', 'tenant',
		q{CREATE TABLE t (x int); CREATE INDEX ON t (x) WHERE i(1) = 1; GRANT SELECT ON t TO PUBLIC} ],
	[ 'the key of a partitioned table', 'tenant',
		q{CREATE TABLE t (x int) PARTITION BY RANGE ((x + i(1))); GRANT SELECT ON t TO PUBLIC} ],
	[ 'a CHECK of a table that is referred to', 'tenant', q{
		CREATE TABLE t (id int PRIMARY KEY CHECK (f(id))); INSERT INTO t VALUES (1); GRANT ALL ON t TO PUBLIC},
		'ALTER TABLE app.users ADD t int DEFAULT 1 REFERENCES theirs.t',
		qr/fk constraint app\.users users_t_fkey: relation "theirs\.t" does not exist  \(stops\)/ ],
	[ 'a literal in a view of the keys', 'viewer', q{CREATE VIEW v AS SELECT id, '{1}'::d[] AS d FROM app.users}, '',
		qr/view theirs\.v: must be made again, and has a literal of domain theirs\.d/ ],
	[ 'a function in a view of the keys', 'viewer',
		q{CREATE MATERIALIZED VIEW v AS SELECT id, i(1) FROM app.users; CREATE INDEX v_sum ON v ((i(1) + 1))},
		'', qr/materialized view theirs\.v: is not in the copy  \(stops\).*^swap: giving/ms,
		'--accept', 'materialized view theirs.v', '--accept', 'index theirs.v_sum' ],
	[ 'a literal in the default of a view', 'viewer', q{CREATE VIEW v AS SELECT id, 't'::text AS t FROM app.users;
		ALTER VIEW v ALTER t SET DEFAULT ('{1}'::d[])::text},
		'', qr/default of column t of view theirs\.v: must be made again, and has a literal of domain theirs\.d/,
		'--accept', 'view theirs.v', '--accept', 'default theirs.v t' ],
	[ 'a literal in a rule', 'viewer',
		q{CREATE TABLE t (x int); CREATE RULE r AS ON INSERT TO t DO ALSO SELECT id, '{1}'::d[] FROM app.users},
		'', qr/rule r on theirs\.t: must be made again, and has a literal of domain theirs\.d/,
		'--accept', 'rule theirs.t r' ],
	# A setting of the session under which what is restored afterwards means something else
	[ 'a CHECK without a function', 'tenant',
		q{CREATE DOMAIN s AS text CHECK (set_config('standard_conforming_strings', value, false) = value);
		CREATE VIEW v AS SELECT '{off}'::s[] AS s; CREATE VIEW w AS SELECT * FROM v;
		SET standard_conforming_strings = on;
		COMMENT ON VIEW w IS '\''; ALTER ROLE shop PASSWORD $$known$$; --'} ],
	[ 'the search_path of the database', 'dba', q{
		SELECT set_config('search_path', 'x;ALTER/**/ROLE/**/shop/**/PASSWORD/**/$$known$$', false);
		ALTER DATABASE d8 SET search_path FROM CURRENT} ],
);

my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
foreach my $number (0 .. $#cases)
{
	my ($name, $role, $sql, $own, $expected, @accepted) = @{ $cases[$number] };
	# PostgreSQL 20 reads all strings in one way.
	next if $sql =~ /standard_conforming_strings/ && $version >= 200_000;
	my $database = "d$number";
	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER dba; GRANT CREATE ON DATABASE $database TO shop;
		ALTER ROLE shop PASSWORD NULL");
	$node->safe_psql($database, "CREATE SCHEMA kid; CREATE EXTENSION kid SCHEMA kid;
		GRANT USAGE ON SCHEMA kid TO PUBLIC;
		CREATE SCHEMA app AUTHORIZATION shop; CREATE SCHEMA theirs AUTHORIZATION $role;
		GRANT USAGE ON SCHEMA app, theirs TO PUBLIC");
	sql_in($database, q{
		CREATE TABLE app.users (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT '2024-01-01 UTC');
		INSERT INTO app.users DEFAULT VALUES; GRANT SELECT ON app.users TO viewer}, role => 'shop');
	sql_in($database, "SET search_path = theirs; SET client_min_messages = error; $code; $sql", role => $role);
	sql_in($database, $own, role => 'shop') if $own;
	my $output = '';
	my $run = sub {
		$output .= (run_kidctl(connection_as($node, $database, 'shop'), 'rekey', '--accept', 'search_path', @_))[0];
	};
	$run->(qw(check app.users --time created_at));
	if ($role eq 'viewer')
	{
		$run->(qw(run app.users --time created_at), @accepted);
		$run->(qw(swap app.users));
	}
	is($node->safe_psql('postgres', "SELECT count(rolpassword) FROM pg_authid WHERE rolname = 'shop'"), 0,
		"$name does not run as the owner");
	like($output, $expected // ($role eq 'viewer' ? qr/swap: giving/ : qr/ 0 of which stop the move/),
		"... and kidctl says what it does about it") or diag $output;
	unlike($output, qr/Traceback/, '... in its own words');
}

# kidctl leave makes views again, too.
$node->safe_psql('postgres',
	'CREATE DATABASE leaving OWNER dba; GRANT CREATE ON DATABASE leaving TO shop; ALTER ROLE shop PASSWORD NULL');
$node->safe_psql('leaving', 'CREATE EXTENSION kid; CREATE SCHEMA app AUTHORIZATION shop;
	CREATE SCHEMA theirs AUTHORIZATION viewer; GRANT USAGE ON SCHEMA app, theirs TO PUBLIC');
sql_in('leaving', 'CREATE TABLE app.users (id kid64 PRIMARY KEY DEFAULT kid_next());
	GRANT SELECT ON app.users TO viewer', role => 'shop');
sql_in('leaving', "SET search_path = theirs, public; $code;
	CREATE VIEW v AS SELECT id, '{1}'::d[] AS d FROM app.users", role => 'viewer');
foreach my $action ('check', 'run')
{
	like((run_kidctl(connection_as($node, 'leaving', 'shop'), 'leave', $action, 'app.users'))[0],
		qr/view theirs\.v: must be made again, and has a literal of domain theirs\.d/,
		"leave $action names a view whose literal would run code");
}
is($node->safe_psql('postgres', "SELECT count(rolpassword) FROM pg_authid WHERE rolname = 'shop'"), 0,
	'which does not run as the owner');

# Returns what kidctl prints.
sub kidctl
{
	my ($role, $database, @arguments) = @_;
	return (run_kidctl(connection_as($node, $database, $role), @arguments))[0];
}

# A view that somebody makes while a move goes on is no better than one before.
$node->safe_psql('leaving', 'CREATE TABLE app.more (id kid64 PRIMARY KEY DEFAULT kid_next());
	GRANT SELECT ON app.more TO viewer; GRANT SET ON PARAMETER session_replication_role TO shop;
	CREATE TABLE app.old (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT now());
	GRANT SELECT ON app.old TO viewer; ALTER TABLE app.more OWNER TO shop; ALTER TABLE app.old OWNER TO shop');
my $planted = q{SET search_path = theirs, public; CREATE VIEW planted AS SELECT id, '{1}'::d[] AS d FROM app.};
kidctl('shop', 'leaving', qw(rekey run app.old --time made --no-rehearsal));
kidctl('shop', 'leaving', qw(rekey swap app.old));
sql_in('leaving', "${planted}old", role => 'viewer');
like(kidctl('shop', 'leaving', qw(rekey back app.old)),
	qr/^error: view theirs\.planted: must be made again, and has a literal of domain/m,
	'the way back of a rekey refuses a view that came meanwhile');
sql_in('leaving', "DROP VIEW theirs.planted; ${planted}more", role => 'viewer');
{
	# The check, which sees the view, is not made again after the first step.
	my $code = q{import sys; from pgkid.ctl.partition import checks; checks.look = lambda plan: []
from pgkid.ctl.cli import main; sys.exit(main(sys.argv[1:]))};
	local $ENV{PYTHONPATH} = 'python';
	IPC::Run::run([ find_python(), '-c', $code, qw(partition run app.more --no-rehearsal --width), '1 month',
			'-d', connection_as($node, 'leaving', 'shop') ], '>&', \my $printed);
	like($printed, qr/view theirs\.planted: must be made again, and has a literal of domain/,
		'and so does that of partitions');
}
is($node->safe_psql('postgres', "SELECT count(rolpassword) FROM pg_authid WHERE rolname = 'shop'"), 0,
	'neither runs as the owner');

# Everything in a template must be a superuser's, and not just the template.
$node->safe_psql('leaving', 'DROP VIEW theirs.v, theirs.planted');
my @template = (qw(leave check app.users --template prepared));
$node->safe_psql('postgres', 'CREATE DATABASE prepared TEMPLATE template0 IS_TEMPLATE true');
$node->safe_psql('prepared', 'CREATE EXTENSION kid; CREATE SCHEMA theirs AUTHORIZATION tenant;
	CREATE FUNCTION theirs.f() RETURNS int LANGUAGE sql RETURN 1; ALTER FUNCTION theirs.f() OWNER TO tenant');
like(kidctl('shop', 'leaving', @template),
	qr/^error: template prepared contains objects of tenant, whose code would run with the rights of shop/m,
	'a template with objects of others is refused');
$node->safe_psql('prepared', 'REASSIGN OWNED BY tenant TO CURRENT_USER; GRANT USAGE ON SCHEMA theirs TO shop');
unlike(kidctl('shop', 'leaving', @template), qr/^error/m, '... and accepted without them');

# Nobody can make others keep a copy that was left.
$node->safe_psql('postgres', "CREATE DATABASE kidctl_0123456789abcdef OWNER shop;
	COMMENT ON DATABASE kidctl_0123456789abcdef IS 'Scratch copy of kidctl, which drops it'");
my $holder = open_session($node, 'leaving', role => 'tenant');
answer($holder, q{SELECT pg_advisory_lock(x'0123456789abcdef'::bigint);});
like(kidctl('shop', 'leaving', qw(leave check app.users)), qr/dropped database kidctl_0123456789abcdef/,
	'the lock of a stranger keeps no copy');
close_session($holder);

# A member of the owner has more rights if policies are for it, or if it may grant a role of which both are members.
$node->safe_psql('postgres', 'CREATE ROLE helper LOGIN CREATEDB IN ROLE shop; CREATE ROLE crew; GRANT crew TO shop;
	GRANT crew TO helper WITH ADMIN OPTION');
like(kidctl('helper', 'leaving', qw(leave check app.users)),
	qr/^error: role helper has rights that the owner shop of app\.users does not have: more rights to role crew$/m,
	'a role that may grant another one is refused');
$node->safe_psql('leaving', 'REVOKE crew FROM helper; CREATE POLICY p ON app.more TO helper USING (true)');
like(kidctl('helper', 'leaving', qw(leave check app.users)),
	qr/^error: role helper has rights .*: owner of objects, or named in privileges or policies$/m,
	'and so is one for which policies are');
$node->safe_psql('leaving', 'DROP POLICY p ON app.more');
unlike(kidctl('helper', 'leaving', qw(leave check app.users)), qr/^error/m, 'without that it may');
# Without the extension, anybody who may create schemas can have been the first to create one named kid.
$node->safe_psql('postgres',
	'CREATE DATABASE home OWNER dba; GRANT CREATE ON DATABASE home TO shop, tenant; ALTER ROLE shop PASSWORD NULL');
sql_in('home', q{CREATE SCHEMA kid; GRANT USAGE ON SCHEMA kid TO PUBLIC;
	CREATE FUNCTION kid.kid_create_partitions() RETURNS void LANGUAGE sql AS '';
	CREATE FUNCTION kid.kid_bound_at(regtype, timestamptz) RETURNS text
		LANGUAGE plpgsql AS $$ BEGIN ALTER ROLE shop PASSWORD 'known';
		RETURN NULL; EXCEPTION WHEN insufficient_privilege THEN RETURN NULL; END $$}, role => 'tenant');
$node->safe_psql('home', 'GRANT CREATE ON SCHEMA public TO shop');
sql_in('home', 'CREATE TABLE t (id uuid PRIMARY KEY)', role => 'shop');
foreach ([qw(partition check t --width 1day)], [qw(partition status t)], [qw(leave check t)], [qw(leave check --all)])
{
	my $hint = q{Accept it if this is the role that installed kid: --accept 'schema kid'};
	like(kidctl('shop', 'home', @$_), qr/^error: schema kid belongs to tenant, .*\nhint: $hint$/m,
		"kidctl @$_ asks whose schema kid is");
}
is($node->safe_psql('postgres', "SELECT count(rolpassword) FROM pg_authid WHERE rolname = 'shop'"), 0,
	'and no function of that schema runs');

# The statements that hints give have quoted names.
$node->safe_psql('postgres', q{CREATE ROLE "o'neil.x y" LOGIN BYPASSRLS;
	GRANT SET ON PARAMETER session_replication_role TO "o'neil.x y"; GRANT CREATE ON DATABASE leaving TO "o'neil.x y"});
$node->safe_psql('leaving', q{CREATE SCHEMA odd AUTHORIZATION "o'neil.x y"});
my $odd = $node->connstr('leaving') . q{ user='o\\'neil.x y'};
$node->safe_psql('leaving', q{CREATE TABLE odd.t (id bigserial PRIMARY KEY,
	made timestamptz NOT NULL DEFAULT '2024-01-01 UTC'); INSERT INTO odd.t DEFAULT VALUES}, connstr => $odd);
like((run_kidctl($odd, qw(rekey check odd.t --time made --accept search_path)))[0],
	qr/^hint: As a superuser run ALTER ROLE "o'neil\.x y" CREATEDB/m, 'hints quote the name of a role');
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_database WHERE datname LIKE 'kidctl%'"), 0, 'no copy is left');
$node->stop;
done_testing();
