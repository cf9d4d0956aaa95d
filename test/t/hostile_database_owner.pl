# The hostile owner of a database creates the extension in it, in a schema with planted code. The owner cannot change
# what belongs to kid, and no superuser runs the code, which is in Hostile.pm.
use strict;
use warnings;
use Hostile;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

use_hostile_server();

sql_in('postgres', 'CREATE ROLE holder LOGIN; CREATE DATABASE held OWNER holder');
# Objects that are in the schema before kid is. The install script runs as a superuser.
plant('held', 'holder', 'planted', 'CREATE SCHEMA planted; ' . planted('planted') . lookalikes('planted', 0) . q{
	-- Later entries of the catalog take the places of these functions, and so come before the entries of kid in a scan.
	DO $$ BEGIN FOR n IN 1 .. 500 LOOP
		EXECUTE format('CREATE FUNCTION planted.filler_%s() RETURNS int LANGUAGE SQL RETURN 1', n); END LOOP; END $$;
	CREATE FUNCTION planted.kid_library(VARIADIC text[]) RETURNS void
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); END $$;
	CREATE FUNCTION planted.kid_library(text) RETURNS void
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); END $$;
	CREATE FUNCTION planted.kid_library(int DEFAULT 0) RETURNS void
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); END $$;
});
new_log();
like(output_of('CREATE EXTENSION kid SCHEMA planted', database => 'held', role => 'holder'),
	qr/ERROR:  42723: function "\w+" already exists|ERROR:  42725: /,
	'kid cannot be created in a schema that has functions with its names');
is(others_who_ran('held', 'holder'), '', 'a failed CREATE EXTENSION runs no planted function');
plant('held', 'holder', 'planted', q{DO $$ DECLARE f regprocedure; BEGIN
	FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'planted'::regnamespace AND proname ~ 'kid|flake|sno|flax'
		AND oid <> 'planted.kid_library(int)'::regprocedure LOOP EXECUTE 'DROP FUNCTION ' || f; END LOOP; END $$;
	CREATE EXTENSION kid SCHEMA planted;
	CREATE FUNCTION planted.kid_identity(VARIADIC text[], OUT node bigint, OUT partition bigint, OUT generator bigint,
		OUT lane bigint, OUT lanes bigint) LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); END $$;
	CREATE EXTENSION kid_workers SCHEMA planted});
is(others_who_ran('held', 'holder'), '', 'a successful CREATE EXTENSION runs no planted function');
is(strangers('held'), '', 'no object of kid depends on a planted object');
# Nor what is put there while it runs: it only locks the name of the schema, defines objects, asks
# which PostgreSQL it is, and takes rights that default privileges gave.
my ($version) = slurp_file('kid.control') =~ /^default_version = '(.*)'$/m;
my $script = slurp_file("kid--$version.sql") =~ s/^(?:--|\\echo).*\n//mgr;
my $from_version = qr/    IF current_setting\('server_version_num'\)::int >= \d+ THEN\n/;
$script =~ s/^DO \$\$\nBEGIN\n$from_version        ALTER [^;]+;\n    END IF;\nEND \$\$;\n//mg;
$script =~ s/^DO \$\$\nBEGIN\n    PERFORM FROM pg_catalog\.pg_extension .*?^END \$\$;\n//ms;
$script =~ s/^BEGIN ATOMIC\n.*?\nEND(?=;\n)|\$(\w*)\$.*?\$\1\$//msg;
my %verbs = map { /^\s*(\w+)/ ? ($1 => 1) : () } split /;\n/, $script;
is(join(' ', sort keys %verbs), 'COMMENT CREATE DROP GRANT REVOKE SET',
	'nor anything that could be put there meanwhile');
is(sql_in('held', q{SELECT string_agg(DISTINCT p.proowner::regrole::text, ' ') FROM pg_depend d
		JOIN pg_proc p ON p.oid = d.objid WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e'}),
	$superuser, 'the functions of kid belong to a superuser');

# The functions of kid_workers run as their owner.
unlike(output_of(q{SET search_path = planted;
		SELECT kid_add_workers('p', 1, 3, 'flake', fresh => true); CALL kid_lease_worker('p');
		SELECT state FROM kid_workers()}, database => 'held', role => 'holder'), qr/ERROR/,
	'the owner of the database leases a worker number');
is(others_who_ran('held', 'holder'), '', 'which runs no planted code as a superuser');

# What the owner of the database must not be able to do, although the extension and its schema are his.
my @forbidden = (
	'CREATE OR REPLACE FUNCTION planted.kid_bound_time(type regtype, bound name) RETURNS timestamptz
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); END $$',
	'DROP FUNCTION planted.kid_bound_time(regtype, name)', 'DROP FUNCTION planted.kid_stats()',
	'ALTER FUNCTION planted.kid_bound_time(regtype, name) OWNER TO holder',
	'ALTER FUNCTION planted.kid_bound_time(regtype, name) RENAME TO other',
	'ALTER FUNCTION planted.kid_bound_time(regtype, name) SECURITY DEFINER',
	'ALTER EXTENSION kid DROP FUNCTION planted.kid_bound_time(regtype, name)',
	'ALTER EXTENSION kid DROP FUNCTION planted.kid_stats()', 'ALTER TYPE planted.kid64 RENAME TO other',
	'ALTER EXTENSION kid ADD FUNCTION pg_catalog.now()', 'SELECT planted.kid_observe_all()',
	q{SELECT planted.kid_reset_clock('infinity'::timestamptz)}, 'SELECT planted.kid_identity(); SET kid.node = 1',
	'ALTER EXTENSION kid SET SCHEMA elsewhere', 'ALTER DATABASE held SET kid.lease = 0',
	'GRANT EXECUTE ON FUNCTION planted.kid_observe_all() TO holder', 'SELECT planted.kid_observe_all()',
	'CREATE FUNCTION planted.on_ddl() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note();
			END $$; CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION planted.on_ddl()');
my $refuses = output_of(join('', map { "$_;\n" } 'CREATE SCHEMA elsewhere', @forbidden),
	database => 'held', role => 'holder');
is(() = $refuses =~ /ERROR:  (?:42501|2BP01|55P02|0A000)/g, scalar @forbidden,
	'the owner of the database cannot change the objects of kid') or diag $refuses;

# What he can do: create tables, traps, and overloads of each function with other arguments, and add his own
# objects with kid's names to the extension.
plant('held', 'holder', 'planted', "SET search_path = planted; $tables" . join('', map { "$_;\n" } @traps));
plant('held', 'holder', 'planted', q{
	CREATE TABLE planted.overloads (n int);
	DO $$
	DECLARE
		f record;
		arguments text;
		made int := 0;
	BEGIN
		FOR f IN SELECT p.proname AS name, p.proargtypes::oid[] AS types,
			pg_get_function_identity_arguments(p.oid) AS identity,
			CASE WHEN p.prorettype::regtype::text IN ('bigint', 'uuid') THEN p.prorettype::regtype ELSE 'boolean'
				END AS type
				   FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid JOIN pg_proc p ON p.oid = d.objid
				  WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND e.extname =
					'kid' AND NOT p.proargtypes::oid[] && ARRAY['internal'::regtype, 'cstring'::regtype]::oid[] LOOP
			FOREACH arguments IN ARRAY ARRAY(SELECT (SELECT string_agg(CASE n WHEN k THEN 'text'
				ELSE t::regtype::text END, ', ' ORDER BY n) FROM unnest(f.types) WITH ORDINALITY AS a (t, n))
											   FROM generate_series(1, cardinality(f.types)) AS k) || ARRAY[
				(SELECT string_agg('text', ', ') FROM unnest(f.types)), (SELECT string_agg('anyelement', ', ')
					FROM unnest(f.types)), (SELECT string_agg('varchar', ', ') FROM unnest(f.types)),
				(SELECT string_agg(CASE t WHEN 'timestamptz'::regtype THEN 'timestamp' WHEN 'regclass'::regtype
					THEN 'oid' WHEN 'integer'::regtype THEN 'smallint' WHEN 'regtype'::regtype THEN 'oid'
					WHEN 'bigint'::regtype THEN 'integer' WHEN 'planted.kid_span'::regtype THEN 'tstzrange'
						ELSE t::regtype::text END, ', ' ORDER BY n) FROM unnest(f.types) WITH ORDINALITY AS a (t, n)),
				(SELECT concat(string_agg(t::regtype::text || ', ', '' ORDER BY n), 'VARIADIC text[]')
					FROM unnest(f.types) WITH ORDINALITY AS a (t, n)), 'VARIADIC anyarray'] LOOP
				BEGIN
					CONTINUE WHEN arguments IS NULL;
					-- One that takes the place of a function in a query has its type.
					EXECUTE format('CREATE FUNCTION planted.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.name,
						arguments, f.type, 'BEGIN PERFORM planted.note(); RETURN NULL; END');
					made := made + 1;
				EXCEPTION WHEN duplicate_function THEN NULL;
				END;
			END LOOP;
		END LOOP;
		INSERT INTO planted.overloads VALUES (made);
	END $$;
	DO $$ BEGIN FOR n IN 1 .. 500 LOOP EXECUTE format('DROP FUNCTION planted.filler_%s()', n); END LOOP; END $$;
	VACUUM pg_catalog.pg_proc; VACUUM pg_catalog.pg_depend;
	CREATE SCHEMA evil;
	CREATE FUNCTION evil.aa_floor(timestamptz) RETURNS planted.kid64
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); RETURN 1; END $$;
	CREATE FUNCTION evil.zz_floor(timestamptz) RETURNS planted.kid64
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); RETURN 1; END $$;
	CREATE FUNCTION planted.zz_floor(timestamptz) RETURNS planted.kid64
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); RETURN 1; END $$;
	CREATE FUNCTION evil.n() RETURNS planted.kid64 LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note();
		RETURN 1; END $$;
	CREATE FUNCTION evil.a_next() RETURNS planted.kid64 LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note();
		RETURN 1; END $$;
	CREATE DOMAIN evil.kid64 AS text CHECK (planted.yes(VALUE));
	CREATE TYPE evil.kid96 AS ENUM ('a'); CREATE TYPE evil.sno AS (a int);
	CREATE TYPE evil.flake AS RANGE (SUBTYPE = text);
	CREATE VIEW evil.kid_stats AS SELECT planted.note();
	CREATE TABLE evil.t (id planted.kid64 DEFAULT evil.a_next(), odd evil.kid64); INSERT INTO evil.t VALUES (1, 'x');
	CREATE FUNCTION evil.kid_stored_ids(regclass) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN planted.note();
		END $$;
} . (lookalikes('evil', 1) =~ s/CREATE FUNCTION evil\.kid_stored_ids/CREATE FUNCTION evil.other_stored_ids/r) . join '',
	map { "ALTER EXTENSION kid ADD $_;\n" }
	  'FUNCTION evil.aa_floor(timestamptz)', 'FUNCTION evil.zz_floor(timestamptz)',
	'FUNCTION planted.zz_floor(timestamptz)', 'FUNCTION evil.a_next()', 'FUNCTION evil.n()', 'DOMAIN evil.kid64',
	'TYPE evil.kid96',
	'TYPE evil.sno', 'TYPE evil.flake', 'VIEW evil.kid_stats', 'TABLE evil.t', 'FUNCTION evil.kid_stored_ids(regclass)',
	'OPERATOR evil.>= (KID.kid64, KID.kid64)', 'CAST (planted.pair AS KID.kid64)',
	'FUNCTION evil.kid_bound_time(oid, text)', 'SCHEMA elsewhere');
cmp_ok(sql_in('held', 'SELECT n FROM planted.overloads'), '>', 500,
	'the owner of the database created overloads of the functions');
like(output_of(q{CREATE TABLE own (id planted.kid64 PRIMARY KEY DEFAULT 1);
		SELECT remedy FROM planted.kid_check('own'::regclass)}, database => 'held', role => $superuser),
	qr/SET DEFAULT planted\.kid_next\(\);/, 'a remedy of kid_check() names no planted function');
look_after('held', 'holder', 'planted', 'public', 'planted', 'evil, planted');

# Overloads with one more argument that has a default make calls ambiguous, also inside kid. That harms
# only the owner himself.
plant('held', 'holder', 'planted', q{
	DO $$ DECLARE f record; BEGIN
		FOR f IN SELECT p.proname AS name, pg_get_function_arguments(p.oid) AS arguments FROM pg_proc p
				  WHERE p.pronamespace = 'planted'::regnamespace AND p.proname LIKE 'kid\_%'
					AND p.proowner <> 'holder'::regrole AND p.proargmodes IS NULL AND p.pronargs > 0 AND p.prokind = 'f'
				    AND NOT p.proargtypes::oid[] && ARRAY['internal'::regtype, 'cstring'::regtype]::oid[] LOOP
			BEGIN
				EXECUTE format('CREATE FUNCTION planted.%I(%s, more text DEFAULT NULL) RETURNS boolean
						LANGUAGE plpgsql AS %L',
					f.name, f.arguments, 'BEGIN RETURN planted.note(); END');
			EXCEPTION WHEN duplicate_function THEN NULL;
			END;
		END LOOP;
	END $$;
});
output_of(join('', map { "$_;\n" } readings('planted', map { "planted.$_" } @relations),
		creation('planted', '2019-12-20', '2020-01-10')), database => 'held', role => $superuser);
is(others_who_ran('held', 'holder'), '', 'held: no planted code runs if calls are ambiguous');

unlike(new_log(), qr/terminated by signal|TRAP:|PANIC:/, 'no server process crashed during the calls of the superuser');

$node->stop;
done_testing();
