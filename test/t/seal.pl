# kid_seal: the owner of the database, who plants code and moves schemas, does not come by a key or by a superuser's rights. Keys
# survive dumps, and are on standbys.
use strict;
use warnings;
use Digest::SHA 'hmac_sha256';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nautovacuum = off\nlog_min_messages = debug5\n");
$node->start;
plan skip_all => 'no pgcrypto' if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pgcrypto'}) eq 0;
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
$node->safe_psql('postgres', 'CREATE ROLE holder LOGIN; CREATE ROLE app LOGIN; CREATE ROLE tenant LOGIN; CREATE DATABASE held OWNER holder');

sub sql { return $node->safe_psql('held', $_[0]) }

# Returns all that psql prints, errors with their SQLSTATE.
sub output_of
{
	my ($role, $query, $server) = @_;
	my (undef, $stdout, $stderr) = ($server // $node)->psql('held', "\\set VERBOSITY verbose\n$query", extra_params => [ '-U', $role ], on_error_stop => 0);
	return join "\n", grep { length } $stdout, $stderr;
}

sub sqlstates_of { return join ' ', output_of(@_) =~ /(?:ERROR|FATAL):  (\w{5})/g }

# Code of the owner under every name that the script of the extension uses, with arguments that suit better than the right ones
# if those are not given exactly, and operators and types. All of it notes who ran it.
my $plants = join '', map { my $schema = $_; qq{
	CREATE SCHEMA IF NOT EXISTS $schema;
	GRANT USAGE, CREATE ON SCHEMA $schema TO PUBLIC;
	} . join '', map { my $name = $_; map { qq{
		DO \$\$ BEGIN
			CREATE FUNCTION $schema.$name($_) RETURNS %s LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN NULL; END';
		EXCEPTION WHEN duplicate_function OR invalid_function_definition THEN NULL;
		END \$\$;
	} =~ s/%s/$name =~ m{^(?:hmac|encrypt|decrypt|gen_random_bytes|uuid_send|sha256|substr|decode|convert_to)$} ? 'bytea' : 'text'/er }
		'text', 'text, text', 'bytea, text', 'text, text, text', 'bytea, text, text', 'bytea, bytea, varchar', 'bytea, bytea, name', 'bytea, integer, integer', 'bytea, bigint, bigint', 'smallint', 'bigint', 'uuid, varchar', 'varchar, varchar', 'text, varchar',
		'anyelement', 'anyelement, anyelement', 'anyelement, anyelement, anyelement', 'VARIADIC text[]', 'VARIADIC "any"', 'regclass, varchar', 'name, text', 'text, text, boolean' }
		qw(hmac encrypt decrypt gen_random_bytes kid_encode kid_uuid_decode kid_timestamp uuid_send substr decode encode convert_to octet_length set_config format pg_extension_config_dump now repeat length coalesce_ max pg_describe_object) } qw(of_kid of_pgcrypto of_seal);
output_of('holder', q{
	CREATE FUNCTION public.note() RETURNS void LANGUAGE plpgsql AS 'BEGIN RAISE LOG ''planted code ran as %'', current_user; END';
} . $plants . q{
	CREATE FUNCTION of_pgcrypto.op(varchar, varchar) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN NULL; END';
	CREATE OPERATOR of_pgcrypto.|| (FUNCTION = of_pgcrypto.op, LEFTARG = varchar, RIGHTARG = varchar);
	CREATE OPERATOR of_kid.|| (FUNCTION = of_pgcrypto.op, LEFTARG = varchar, RIGHTARG = varchar);
	CREATE FUNCTION of_seal.check_of(bytea) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN true; END';
	CREATE DOMAIN of_seal.kid64 AS bytea CHECK (of_seal.check_of(value));
	CREATE DOMAIN of_pgcrypto.kid64 AS bytea CHECK (of_seal.check_of(value));
	CREATE DOMAIN of_pgcrypto.text AS pg_catalog.text;
});
is(output_of('tenant', 'SELECT public.note()'), '', 'planted code can be called');
like(slurp_file($node->logfile), qr/planted code ran as tenant/, 'and notes who did');
truncate $node->logfile, 0;
cmp_ok(sql(q{SELECT count(*) FROM pg_proc WHERE pronamespace IN ('of_kid'::regnamespace, 'of_pgcrypto'::regnamespace, 'of_seal'::regnamespace)}), '>', 500, 'much is planted');
is(output_of('holder', q{
	SET client_min_messages = error;
	DO $$ DECLARE f regprocedure; BEGIN FOR f IN SELECT oid FROM pg_proc WHERE pronamespace IN ('of_kid'::regnamespace, 'of_pgcrypto'::regnamespace) LOOP EXECUTE 'DROP ROUTINE ' || f || ' CASCADE'; END LOOP; END $$;
	CREATE EXTENSION pgcrypto SCHEMA of_pgcrypto;
	CREATE EXTENSION kid SCHEMA of_kid;
}) =~ s/.*NOTICE.*\n?//gr, '', 'the owner of the database creates kid and pgcrypto');
output_of('holder', $plants);
# Rights in all that is a superuser's, as for a role that may read everything.
sql("ALTER DEFAULT PRIVILEGES FOR ROLE \"$superuser\" GRANT ALL ON $_ TO tenant, PUBLIC") foreach qw(TABLES SCHEMAS FUNCTIONS);
sql('GRANT CREATE ON DATABASE held TO app');
is(sqlstates_of('app', 'CREATE EXTENSION kid_seal SCHEMA of_seal'), 42501, 'who only may create in the database cannot create kid_seal');
is(output_of('holder', q{CREATE TYPE pg_temp.kid64 AS (n int); SET search_path = pg_temp, of_seal, of_pgcrypto, of_kid, pg_catalog; SET check_function_bodies = off; CREATE EXTENSION kid_seal SCHEMA of_seal}) =~ s/.*NOTICE.*\n?//gr, '',
	'and kid_seal, in a schema full of traps');
unlike(slurp_file($node->logfile), qr/planted code ran as (?!holder)/, 'none of which ran');

# Who has which rights.
is(sqlstates_of('holder', q{SELECT of_seal.kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'ord')}), '55000', 'without a key nothing is sealed');
is(output_of('holder', 'SELECT of_seal.kid_seal_new_key()'), 1, 'the owner of the database makes a key');
is(sqlstates_of('tenant', 'SELECT key FROM kid_seal_internal.keys; SELECT kid_seal_internal.new_key()'), '42501 42501', 'the keys are for nobody');
foreach my $call (q{kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'ord')}, q{kid64_unseal('', '')}, 'kid_seal_new_key()', 'kid_seal_forget_key(1)', 'kid_seal_keys()')
{
	is(sqlstates_of('tenant', "SELECT of_seal.$call"), 42501, "$call is not for everybody");
}
is(output_of('holder', 'GRANT EXECUTE ON FUNCTION of_seal.kid_seal(of_kid.kid64, text), of_seal.kid64_unseal(text, text, boolean) TO app'), '', 'the owner grants sealing and unsealing');
my $sealed = output_of('app', q{SELECT of_seal.kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'ord')});
like($sealed, qr/^ord_[0-7][0-9a-z]{25}$/, 'a sealed ID is a TypeID');
my $unseal = "SELECT of_seal.kid64_unseal('$sealed', 'ord')";
is(output_of('app', $unseal), '.6.nef3Mk.3', 'and opens');
my @forbidden = (
	'SELECT * FROM kid_seal_internal.keys', 'TABLE kid_seal_internal.keys FOR UPDATE', 'COPY kid_seal_internal.keys TO STDOUT', 'BEGIN; LOCK TABLE kid_seal_internal.keys IN ACCESS SHARE MODE; ROLLBACK', q{INSERT INTO kid_seal_internal.keys VALUES (2, '')},
	'CREATE TABLE kid_seal_internal.t ()', 'ALTER SCHEMA kid_seal_internal RENAME TO mine', 'ALTER SCHEMA kid_seal_internal OWNER TO holder', 'GRANT USAGE ON SCHEMA kid_seal_internal TO holder',
	'ALTER TABLE kid_seal_internal.keys OWNER TO holder', 'ALTER EXTENSION kid_seal DROP TABLE kid_seal_internal.keys', 'ALTER EXTENSION kid_seal DROP SCHEMA kid_seal_internal', 'CREATE TRIGGER t AFTER INSERT ON kid_seal_internal.keys EXECUTE FUNCTION public.note()',
	q{SELECT kid_seal_internal.unseal('', 'kid64', 8, '')}, 'SELECT kid_seal_internal.new_key()', 'ALTER FUNCTION of_seal.kid_seal_keys() RESET search_path', 'ALTER FUNCTION of_seal.kid_seal_keys() OWNER TO holder', 'ALTER FUNCTION of_seal.kid_seal_keys() RENAME TO other',
	'CREATE OR REPLACE FUNCTION of_seal.kid_seal_new_key() RETURNS integer LANGUAGE sql RETURN 1', 'DROP FUNCTION of_seal.kid_seal_keys()', 'CREATE VIEW public.v AS SELECT * FROM kid_seal_internal.keys',
	'CREATE RULE r AS ON INSERT TO kid_seal_internal.keys DO ALSO SELECT public.note()', 'CREATE PUBLICATION p FOR TABLE kid_seal_internal.keys', 'CREATE STATISTICS public.s ON n, made FROM kid_seal_internal.keys',
	q{SELECT pg_relation_filepath('kid_seal_internal.keys'), pg_read_binary_file('base')}, 'CREATE TABLE public.child () INHERITS (kid_seal_internal.keys)', 'CREATE TABLE public.part (n integer REFERENCES kid_seal_internal.keys)',
	'ALTER EXTENSION kid_seal SET SCHEMA public');
foreach my $statement (@forbidden)
{
	like(sqlstates_of('holder', $statement), qr/^(?:42501|2BP01|0A000)$/, "the owner of the database: $statement");
}
unlike(slurp_file($node->logfile), qr/planted code ran as (?!holder)/, 'and runs nothing as another');

# The schemas are his: he moves the extensions and plants his own functions under the old names.
is(sqlstates_of('holder', join '', map { "$_;\n" } 'CREATE SCHEMA away; ALTER EXTENSION pgcrypto SET SCHEMA away', 'ALTER SCHEMA of_kid RENAME TO was_kid', 'ALTER SCHEMA of_seal RENAME TO was_seal'), '42501', 'the owner renames schemas, but cannot move pgcrypto');
sql('CREATE SCHEMA IF NOT EXISTS away AUTHORIZATION holder; ALTER EXTENSION pgcrypto SET SCHEMA away');
output_of('holder', $plants);
output_of('holder', q{CREATE FUNCTION of_pgcrypto.hmac(bytea, bytea, text) RETURNS bytea LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN $2; END';
	CREATE FUNCTION of_pgcrypto.encrypt(bytea, bytea, text) RETURNS bytea LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN $2; END';
	CREATE FUNCTION of_pgcrypto.decrypt(bytea, bytea, text) RETURNS bytea LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN $2; END';
	CREATE FUNCTION of_kid.kid_encode(uuid, text) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN $2; END';
	CREATE FUNCTION of_kid.kid_uuid_decode(text, text) RETURNS uuid LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN NULL; END'});
is(output_of('holder', q{SET search_path = of_kid, of_pgcrypto, of_seal; SELECT was_seal.kid_seal('.6.nef3Mk.3'::was_kid.kid64, 'ord')}), $sealed, 'the functions still find their own');
is(output_of('holder', qq{SELECT was_seal.kid64_unseal('$sealed', 'ord')}), '.6.nef3Mk.3', 'in both directions');
is(output_of('holder', 'SELECT was_seal.kid_seal_new_key()'), 2, 'and for a new key');
unlike(slurp_file($node->logfile), qr/planted code ran as (?!holder)/, 'nothing planted ran as another');
output_of('holder', 'DROP SCHEMA of_kid, of_seal CASCADE; ALTER SCHEMA was_kid RENAME TO of_kid; ALTER SCHEMA was_seal RENAME TO of_seal');

# Debugging output shows constants of plans, and any role can ask for it. Keys are in hexadecimal, or in decimal with a sign.
my $key = sql('SELECT encode(key, \'hex\') FROM kid_seal_internal.keys WHERE n = 2');
my @subkeys = map { unpack 'H32', hmac_sha256("$_:ord", pack 'H*', $key) } 'kid64', 'kid64-uuid';
# After an error in an expression PL/pgSQL makes its variables constants of a plan, as long as the transaction lasts.
my @calls = (q{SELECT of_seal.kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'ord')}, q{SELECT of_seal.kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'Ord')}, $unseal,
	q{SELECT of_seal.kid64_unseal('ord_01hwxnrzaefay8vvr14d2pf2db', 'ord')}, q{SELECT of_seal.kid64_unseal('ord_01hwxnrzaefay8vvr14d2pf2db', 'Ord')});
sql('GRANT EXECUTE ON FUNCTION of_seal.kid_seal_uuid(of_kid.kid64, text), of_seal.kid64_unseal_uuid(uuid, text, boolean), of_seal.kid_seal_new_key() TO app');
my $sealed_uuid = sql(q{SELECT of_seal.kid_seal_uuid('.6.nef3Mk.3', 'ord')});
push @calls, map { s/(kid_seal|kid64_unseal)\(/$1_uuid(/gr =~ s/'ord_01hwx\w+'/'018f3b5c-7d4e-4abc-8def-0123456789ab'/r =~ s/'$sealed'/'$sealed_uuid'/r } @calls;
my $all = join '', map { "SAVEPOINT s;\n$_;\nROLLBACK TO s;\n" } @calls, 'SELECT of_seal.kid_seal_new_key()', 'SELECT of_seal.kid_seal_forget_key(1)', 'SELECT * FROM of_seal.kid_seal_keys()';
my $printed = output_of('app', "BEGIN;\n$all" . 'SET client_min_messages = debug5; SET debug_print_parse = on; SET debug_print_rewritten = on; SET debug_print_plan = on;' . $all x 8);
like($printed, qr/CONST/, 'debugging output is there');
# A role that makes a key does not see the key.
$printed .= output_of('app', 'SET client_min_messages = debug5; SET debug_print_parse = on; SET debug_print_rewritten = on; SET debug_print_plan = on; SELECT of_seal.kid_seal_new_key()');
like($printed, qr/^3$/m, 'another key is made');
my $made = sql('SELECT encode(key, \'hex\') FROM kid_seal_internal.keys WHERE n = 3');
# Nor does the owner of a schema in the path of a superuser who adds a key.
output_of('holder', q{CREATE SCHEMA trap;
	CREATE FUNCTION trap.eq(integer, integer) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN false; END';
	CREATE FUNCTION trap.eq(bytea, bytea) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN false; END';
	CREATE OPERATOR trap.= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = trap.eq); CREATE OPERATOR trap.= (LEFTARG = bytea, RIGHTARG = bytea, FUNCTION = trap.eq);
	CREATE OPERATOR trap.< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = trap.eq)});
sql(q{SET search_path = trap, pg_catalog; INSERT INTO kid_seal_internal.keys VALUES (3, decode(repeat('77', 32), 'hex'), '2020-01-01')});
unlike(slurp_file($node->logfile), qr/planted code ran as (?!holder|tenant)/, 'a superuser who adds a key runs no planted code');
is(sql('SELECT n FROM kid_seal_internal.keys ORDER BY made DESC, n DESC LIMIT 1'), 3, 'an old key that is added is not the newest');
is(sql(q{ANALYZE kid_seal_internal.keys; SELECT string_agg(attname, ' ' ORDER BY attname) FROM pg_stats WHERE schemaname = 'kid_seal_internal'}), 'made n', 'ANALYZE copies no key');
is(sqlstates_of('holder', 'SELECT of_seal.kid_seal_forget_key(3)'), 55000, 'the newest key stays');
is(output_of('holder', 'SELECT of_seal.kid_seal_forget_key(4)'), '', 'any other can be forgotten');
foreach my $secret ($key, @subkeys, $made)
{
	my @bytes = unpack 'c4', pack 'H*', $secret;
	my $hexadecimal = substr $secret, 0, 8;
	unlike($printed, qr/@bytes|$hexadecimal/i, 'no key in what a client is shown');
	unlike(slurp_file($node->logfile), qr/@bytes|$hexadecimal/i, 'nor in the log');
}

# Sessions that make keys at the same time get different numbers.
my @sessions = map { IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('held'), '-c', 'SELECT of_seal.kid_seal_new_key(), pg_sleep(0.01)' ], '>', \my $output) } 1 .. 8;
$_->finish foreach @sessions;
is(sql(q{SELECT string_agg(n::text, ' ' ORDER BY n) FROM of_seal.kid_seal_keys()}), '1 2 3 4 5 6 7 8 9 10 11', 'keys made at the same time');

# The vectors of the page.
my $page = slurp_file('docs/sealed-ids.md');
my ($key_of_page) = $page =~ /^key +(\w{64})$/m;
my @vectors = $page =~ /^(\w{16} +\w+ +\w+ +[-\w]{36})$/mg;
is(@vectors, 3, 'the page has three vectors');
$node->safe_psql('postgres', "CREATE DATABASE vectors");
$node->safe_psql('vectors', "CREATE EXTENSION kid_seal CASCADE; INSERT INTO kid_seal_internal.keys (n, key) VALUES (1, '\\x$key_of_page')");
foreach (map { [split] } @vectors)
{
	my ($bytes, $prefix, $text, $uuid) = @$_;
	is($node->safe_psql('vectors', "SELECT kid_seal(id, '$prefix'), kid_seal_uuid(id, '$prefix'), kid64_unseal('$text', '$prefix') = id, kid64_unseal_uuid('$uuid', '$prefix') = id
		FROM (SELECT '\\x$bytes'::bytea::kid64) AS v (id)"), "$text|$uuid|t|t", "$bytes $prefix");
}

# A standby.
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
is(output_of('app', $unseal, $standby), '.6.nef3Mk.3', 'a standby unseals');
is(output_of('app', q{SELECT of_seal.kid64_unseal(of_seal.kid_seal('.6.nef3Mk.7'::of_kid.kid64, 'ord'), 'ord')}, $standby), '.6.nef3Mk.7', 'and seals');
is(sqlstates_of('holder', 'SELECT of_seal.kid_seal_new_key(); SELECT of_seal.kid_seal_forget_key(1)', $standby), '25006 25006', 'keys are made on the primary');

# Dump and restore, with every extension in another schema.
my $dump = $node->basedir . '/held.sql';
$node->command_ok([ 'pg_dump', '-d', $node->connstr('held'), '-f', $dump ], 'a superuser dumps');
my $script = slurp_file($dump);
$script =~ s/\bof_(kid|pgcrypto|seal)\b/in_$1/g;
$script =~ s/\baway\b/in_pgcrypto/g;
append_to_file("$dump.moved", $script);
$node->safe_psql('postgres', 'ALTER DATABASE held RENAME TO held_before; CREATE DATABASE held OWNER holder');
$node->psql('held', "\\i $dump.moved", on_error_stop => 0);
is(output_of('app', $unseal =~ s/of_seal/in_seal/r), '.6.nef3Mk.3', 'what was sealed before the dump opens after it');
is(output_of('holder', 'SELECT in_seal.kid_seal_new_key()'), 12, 'and numbers go on');

# The data alone, into a database that has a key of its own.
$node->command_ok([ 'pg_dump', '--data-only', '-d', $node->connstr('held_before'), '-f', "$dump.data" ], 'a superuser dumps the data');
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION kid_seal CASCADE; SELECT kid_seal_new_key()');
my $new = $node->safe_psql('other', q{SELECT kid_seal('.6.nef3Mk.3'::kid64, 'ord')});
$node->psql('other', "\\i $dump.data", on_error_stop => 0) foreach 1 .. 2;
is($node->safe_psql('other', q{SELECT string_agg(n::text, ' ') FROM kid_seal_keys()}), '1 2 3 4 5 6 7 8 9 10 11 12', 'keys of a dump get free numbers, and once');
is($node->safe_psql('other', "SELECT kid64_unseal('$_', 'ord')"), '.6.nef3Mk.3', 'texts of both databases open') foreach $sealed, $new;

my ($stdout, $stderr) = run_command([ 'pg_dump', '-d', $node->connstr('held'), '-U', 'holder', '-f', "$dump.owner" ]);
like($stderr, qr/permission denied for \w+ (?:keys|kid_seal_internal)/, 'the owner of the database cannot dump the keys');
$node->command_ok([ 'pg_dump', '-d', $node->connstr('held'), '-U', 'holder', '--exclude-table-data=kid_seal_internal.keys', '-f', "$dump.owner" ], 'but the rest');

# pgcrypto and kid stay as long as kid_seal needs them.
is(sqlstates_of($superuser, 'DROP EXTENSION pgcrypto; DROP EXTENSION kid'), '2BP01 2BP01', 'kid_seal needs kid and pgcrypto');
is(output_of($superuser, 'DROP EXTENSION kid_seal; SELECT count(*) FROM pg_namespace WHERE nspname = $$kid_seal_internal$$'), 0, 'with kid_seal the keys are dropped');

done_testing();
