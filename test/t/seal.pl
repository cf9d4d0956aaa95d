# kid_seal: the owner of the database, who plants code and moves schemas, gets no superuser's rights, and no key
# but by kid_seal_export_keys(). Exported keys survive what drops them. Standbys have the keys.
# Versions: pgcrypto, and the rights of PostgreSQL
use strict;
use warnings;
use Dialogue;
use Digest::SHA 'hmac_sha256';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nautovacuum = off\nlog_min_messages = debug5\n");
$node->start;
plan skip_all => 'no pgcrypto'
  if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pgcrypto'}) eq 0;
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
$node->safe_psql('postgres',
	'CREATE ROLE holder LOGIN; CREATE ROLE app LOGIN; CREATE ROLE tenant LOGIN; CREATE DATABASE held OWNER holder');
use_database($node, 'held');

# Code of the owner under every name that the script of the extension uses, with arguments that suit better than the
# right ones if those are not given exactly, and operators and types. All of it notes who ran it.
my $of_bytea = qr/^(?:hmac|encrypt|decrypt|gen_random_bytes|uuid_send|sha256|substr|decode|convert_to)$/;
my $plants = join '', map { my $schema = $_; qq{
	CREATE SCHEMA IF NOT EXISTS $schema;
	GRANT USAGE, CREATE ON SCHEMA $schema TO PUBLIC;
	} . join '', map { my $name = $_; map { qq{
		DO \$\$ BEGIN
			CREATE FUNCTION $schema.$name($_) RETURNS %s
				LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN NULL; END';
		EXCEPTION WHEN duplicate_function OR invalid_function_definition THEN NULL;
		END \$\$;
	} =~ s/%s/$name =~ $of_bytea ? 'bytea' : 'text'/er }
		  'text', 'text, text', 'bytea, text', 'text, text, text', 'bytea, text, text', 'bytea, bytea, varchar',
		  'bytea, bytea, name', 'bytea, integer, integer', 'bytea, bigint, bigint', 'smallint', 'bigint',
		  'uuid, varchar', 'varchar, varchar', 'text, varchar',
		  'anyelement', 'anyelement, anyelement', 'anyelement, anyelement, anyelement', 'VARIADIC text[]',
		  'VARIADIC "any"', 'regclass, varchar', 'name, text', 'text, text, boolean' }
	  qw(hmac encrypt decrypt gen_random_bytes kid_encode kid_uuid_decode kid_timestamp uuid_send substr
	  decode encode convert_to octet_length set_config format pg_extension_config_dump now repeat length coalesce_ max
	  pg_describe_object) } qw(of_kid of_pgcrypto of_seal);
output_of(q{
	CREATE FUNCTION public.note() RETURNS void
		LANGUAGE plpgsql AS 'BEGIN RAISE LOG ''planted code ran as %'', current_user; END';
} . $plants . q{
	CREATE FUNCTION of_pgcrypto.op(varchar, varchar) RETURNS text
		LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN NULL; END';
	CREATE OPERATOR of_pgcrypto.|| (FUNCTION = of_pgcrypto.op, LEFTARG = varchar, RIGHTARG = varchar);
	CREATE OPERATOR of_kid.|| (FUNCTION = of_pgcrypto.op, LEFTARG = varchar, RIGHTARG = varchar);
	CREATE FUNCTION of_seal.check_of(bytea) RETURNS boolean
		LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN true; END';
	CREATE DOMAIN of_seal.kid64 AS bytea CHECK (of_seal.check_of(value));
	CREATE DOMAIN of_pgcrypto.kid64 AS bytea CHECK (of_seal.check_of(value));
	CREATE DOMAIN of_pgcrypto.text AS pg_catalog.text;
}, role => 'holder');
is(output_of('SELECT public.note()', role => 'tenant'), '', 'planted code can be called');
like(slurp_file($node->logfile), qr/planted code ran as tenant/, 'and notes who did');
truncate $node->logfile, 0;
cmp_ok(sql(q{SELECT count(*) FROM pg_proc WHERE pronamespace IN ('of_kid'::regnamespace, 'of_pgcrypto'::regnamespace,
		'of_seal'::regnamespace)}), '>', 500, 'much is planted');
is(output_of(q{
	SET client_min_messages = error;
	DO $$ DECLARE f regprocedure; BEGIN FOR f IN SELECT oid FROM pg_proc WHERE pronamespace IN ('of_kid'::regnamespace,
		'of_pgcrypto'::regnamespace) LOOP EXECUTE 'DROP ROUTINE ' || f || ' CASCADE'; END LOOP; END $$;
	CREATE EXTENSION pgcrypto SCHEMA of_pgcrypto;
	CREATE EXTENSION kid SCHEMA of_kid;
}, role => 'holder') =~ s/.*NOTICE.*\n?//gr, '', 'the owner of the database creates kid and pgcrypto');
output_of($plants, role => 'holder');
# Rights in all that is a superuser's, as for a role that may read everything.
sql("ALTER DEFAULT PRIVILEGES FOR ROLE \"$superuser\" GRANT ALL ON $_ TO tenant, PUBLIC")
  foreach qw(TABLES SCHEMAS FUNCTIONS);
sql('GRANT CREATE ON DATABASE held TO app');
is(sqlstates_of('CREATE EXTENSION kid_seal SCHEMA of_seal', role => 'app'), 42501,
	'who only may create in the database cannot create kid_seal');
is(output_of(q{CREATE TYPE pg_temp.kid64 AS (n int);
		SET search_path = pg_temp, of_seal, of_pgcrypto, of_kid, pg_catalog; SET check_function_bodies = off;
		CREATE EXTENSION kid_seal SCHEMA of_seal}, role => 'holder') =~ s/.*NOTICE.*\n?//gr, '',
	'and kid_seal, in a schema full of traps');
unlike(slurp_file($node->logfile), qr/planted code ran as (?!holder)/, 'none of which ran');

# Who has which rights.
is(sqlstates_of(q{SELECT of_seal.kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'ord')}, role => 'holder'), '55000',
	'without a key nothing is sealed');
is(output_of('SELECT of_seal.kid_seal_new_key(); SELECT of_seal.kid_seal_use_key(1)', role => 'holder'), "1\n",
	'the owner of the database makes a key');
is(sqlstates_of('SELECT key FROM kid_seal_internal.keys; SELECT kid_seal_internal.new_key();
		SELECT * FROM kid_seal_internal.forgotten', role => 'tenant'), '42501 42501 42501', 'the keys are for nobody');
foreach my $call (q{kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'ord')}, q{kid64_unseal('', '')},
	'kid_seal_new_key()', 'kid_seal_use_key(1)', 'kid_seal_forget_key(1)', 'kid_seal_keys()', 'kid_seal_export_keys()',
	q{kid_seal_import_key(1, '')})
{
	is(sqlstates_of("SELECT of_seal.$call", role => 'tenant'), 42501, "$call is not for everybody");
}
is(output_of('GRANT EXECUTE ON FUNCTION of_seal.kid_seal(of_kid.kid64, text),
		of_seal.kid64_unseal(text, text, boolean) TO app', role => 'holder'), '',
	'the owner grants sealing and unsealing');
my $sealed = output_of(q{SELECT of_seal.kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'ord')}, role => 'app');
like($sealed, qr/^ord_[0-7][0-9a-z]{25}$/, 'a sealed ID is a TypeID');
my $unseal = "SELECT of_seal.kid64_unseal('$sealed', 'ord')";
is(output_of($unseal, role => 'app'), '.6.nef3Mk.3', 'and opens');
my @forbidden = (
	'SELECT * FROM kid_seal_internal.keys', 'TABLE kid_seal_internal.keys FOR UPDATE',
	'COPY kid_seal_internal.keys TO STDOUT', 'BEGIN; LOCK TABLE kid_seal_internal.keys IN ACCESS SHARE MODE; ROLLBACK',
	q{INSERT INTO kid_seal_internal.keys (n, key) VALUES (2, '')},
	'CREATE TABLE kid_seal_internal.t ()', 'ALTER SCHEMA kid_seal_internal RENAME TO mine',
	'ALTER SCHEMA kid_seal_internal OWNER TO holder', 'DELETE FROM kid_seal_internal.forgotten',
	'UPDATE kid_seal_internal.forgotten SET n = 1', 'TRUNCATE kid_seal_internal.forgotten',
	'CREATE TRIGGER t AFTER INSERT ON kid_seal_internal.forgotten EXECUTE FUNCTION public.note()',
	'ALTER TABLE kid_seal_internal.forgotten OWNER TO holder',
	'ALTER TABLE kid_seal_internal.keys OWNER TO holder', 'ALTER EXTENSION kid_seal DROP TABLE kid_seal_internal.keys',
	'ALTER EXTENSION kid_seal DROP SCHEMA kid_seal_internal',
	'CREATE TRIGGER t AFTER INSERT ON kid_seal_internal.keys EXECUTE FUNCTION public.note()',
	q{SELECT kid_seal_internal.unseal('', '', 'kid64', '')},
	'SELECT kid_seal_internal.new_key()', 'ALTER FUNCTION of_seal.kid_seal_keys() RESET search_path',
	'ALTER FUNCTION of_seal.kid_seal_keys() OWNER TO holder', 'ALTER FUNCTION of_seal.kid_seal_keys() RENAME TO other',
	'CREATE OR REPLACE FUNCTION of_seal.kid_seal_new_key() RETURNS integer LANGUAGE sql RETURN 1',
	'DROP FUNCTION of_seal.kid_seal_keys()',
	'CREATE VIEW public.v AS SELECT * FROM kid_seal_internal.keys; SELECT * FROM public.v; DROP VIEW public.v',
	'CREATE RULE r AS ON INSERT TO kid_seal_internal.keys DO ALSO SELECT public.note()',
	'CREATE PUBLICATION p FOR TABLE kid_seal_internal.keys',
	'CREATE STATISTICS public.s ON n, made FROM kid_seal_internal.keys',
	q{SELECT pg_relation_filepath('kid_seal_internal.keys'), pg_read_binary_file('base')},
	'CREATE TABLE public.child () INHERITS (kid_seal_internal.keys)',
	'CREATE TABLE public.part (n integer REFERENCES kid_seal_internal.keys)',
	'ALTER EXTENSION kid_seal SET SCHEMA public');
foreach my $statement (@forbidden)
{
	like(sqlstates_of($statement, role => 'holder'), qr/^(?:42501|2BP01|0A000)$/,
		"the owner of the database: $statement");
}
unlike(slurp_file($node->logfile), qr/planted code ran as (?!holder)/, 'and runs nothing as another');

# The schemas are his: he moves the extensions and plants his own functions under the old names.
is(sqlstates_of(join('', map { "$_;\n" } 'CREATE SCHEMA away; ALTER EXTENSION pgcrypto SET SCHEMA away',
			'ALTER SCHEMA of_kid RENAME TO was_kid', 'ALTER SCHEMA of_seal RENAME TO was_seal'), role => 'holder'),
	'42501', 'the owner renames schemas, but cannot move pgcrypto');
sql('CREATE SCHEMA IF NOT EXISTS away AUTHORIZATION holder; ALTER EXTENSION pgcrypto SET SCHEMA away');
output_of($plants, role => 'holder');
output_of(q{CREATE FUNCTION of_pgcrypto.hmac(bytea, bytea, text) RETURNS bytea
	LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN $2; END';
	CREATE FUNCTION of_pgcrypto.encrypt(bytea, bytea, text) RETURNS bytea
		LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN $2; END';
	CREATE FUNCTION of_pgcrypto.decrypt(bytea, bytea, text) RETURNS bytea
		LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN $2; END';
	CREATE FUNCTION of_kid.kid_encode(uuid, text) RETURNS text
		LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN $2; END';
	CREATE FUNCTION of_kid.kid_uuid_decode(text, text) RETURNS uuid
		LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN NULL; END'}, role => 'holder');
is(output_of(q{SET search_path = of_kid, of_pgcrypto, of_seal;
		SELECT was_seal.kid_seal('.6.nef3Mk.3'::was_kid.kid64, 'ord')}, role => 'holder'), $sealed,
	'the functions still find their own');
is(output_of(qq{SELECT was_seal.kid64_unseal('$sealed', 'ord')}, role => 'holder'), '.6.nef3Mk.3',
	'in both directions');
is(output_of('SELECT was_seal.kid_seal_new_key(); SELECT was_seal.kid_seal_use_key(2)', role => 'holder'), "2\n",
	'and for a new key');
unlike(slurp_file($node->logfile), qr/planted code ran as (?!holder)/, 'nothing planted ran as another');
output_of('DROP SCHEMA of_kid, of_seal CASCADE; ALTER SCHEMA was_kid RENAME TO of_kid;
	ALTER SCHEMA was_seal RENAME TO of_seal', role => 'holder');

# Debugging output shows constants of plans, and any role can ask for it. Keys are in hexadecimal, or in
# decimal with a sign.
my $key = sql('SELECT encode(key, \'hex\') FROM kid_seal_internal.keys WHERE n = 2');
my @subkeys = map { unpack 'H32', hmac_sha256("$_:ord", pack 'H*', $key) } 'kid64', 'kid64-uuid';
# After an error in an expression PL/pgSQL makes its variables constants of a plan, as long as the transaction lasts.
my @calls = (q{SELECT of_seal.kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'ord')},
	q{SELECT of_seal.kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'Ord')}, $unseal,
	q{SELECT of_seal.kid64_unseal('ord_01hwxnrzaefay8vvr14d2pf2db', 'ord')},
	q{SELECT of_seal.kid64_unseal('ord_01hwxnrzaefay8vvr14d2pf2db', 'Ord')});
sql('GRANT EXECUTE ON FUNCTION of_seal.kid_seal_uuid(of_kid.kid64, text),
	of_seal.kid64_unseal_uuid(uuid, text, boolean), of_seal.kid_seal_new_key(),
	of_seal.kid_seal_use_key(integer), of_seal.kid_seal_import_key(integer, text, boolean) TO app;
	CREATE TABLE public.to_import AS SELECT * FROM of_seal.kid_seal_export_keys();
	GRANT SELECT ON public.to_import TO app');
my $sealed_uuid = sql(q{SELECT of_seal.kid_seal_uuid('.6.nef3Mk.3', 'ord')});
push @calls, map { s/(kid_seal|kid64_unseal)\(/$1_uuid(/gr =~ s/'ord_01hwx\w+'/'018f3b5c-7d4e-4abc-8def-0123456789ab'/r
	  =~ s/'$sealed'/'$sealed_uuid'/r } @calls;
my $all = join '', map { "SAVEPOINT s;\n$_;\nROLLBACK TO s;\n" } @calls, 'SELECT of_seal.kid_seal_new_key()',
  'SELECT of_seal.kid_seal_use_key(1)', 'SELECT of_seal.kid_seal_import_key(n, key, true) FROM public.to_import',
  'SELECT of_seal.kid_seal_forget_key(1)', 'SELECT * FROM of_seal.kid_seal_keys()';
my $printed = output_of("BEGIN;\n$all" . 'SET client_min_messages = debug5; SET debug_print_parse = on;
	SET debug_print_rewritten = on; SET debug_print_plan = on;' . $all x 8, role => 'app');
like($printed, qr/CONST/, 'debugging output is there');
# A role that makes a key does not see the key.
$printed .= output_of('SET client_min_messages = debug5; SET debug_print_parse = on;
	SET debug_print_rewritten = on; SET debug_print_plan = on; SELECT of_seal.kid_seal_new_key()', role => 'app');
like($printed, qr/^3$/m, 'another key is made');
my $made = sql('SELECT encode(key, \'hex\') FROM kid_seal_internal.keys WHERE n = 3');
# Nor does the owner of a schema in the path of a superuser who adds a key.
output_of(q{CREATE SCHEMA trap;
	CREATE FUNCTION trap.eq(integer, integer) RETURNS boolean
		LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN false; END';
	CREATE FUNCTION trap.eq(bytea, bytea) RETURNS boolean
		LANGUAGE plpgsql AS 'BEGIN PERFORM public.note(); RETURN false; END';
	CREATE OPERATOR trap.= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = trap.eq);
	CREATE OPERATOR trap.= (LEFTARG = bytea, RIGHTARG = bytea, FUNCTION = trap.eq);
	CREATE OPERATOR trap.< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = trap.eq)}, role => 'holder');
is(sql(q{SET search_path = trap, pg_catalog; SELECT of_seal.kid_seal_import_key(3, repeat('77', 32))}), 4,
	'an imported key gets a free number');
unlike(slurp_file($node->logfile), qr/planted code ran as (?!holder|tenant)/,
	'a superuser who adds a key runs no planted code');
is(sql('SELECT n FROM of_seal.kid_seal_keys() WHERE seals'), 2, 'and does not seal');
is(sql(q{ANALYZE kid_seal_internal.keys;
		SELECT string_agg(attname, ' ' ORDER BY attname) FROM pg_stats WHERE schemaname = 'kid_seal_internal'}),
	'made n row_id seals', 'ANALYZE copies no key');
is(sqlstates_of('SELECT of_seal.kid_seal_forget_key(2)', role => 'holder'), 55000, 'the key that seals stays');
is(output_of('SELECT of_seal.kid_seal_forget_key(4)', role => 'holder'), '', 'any other can be forgotten');
foreach my $secret ($key, @subkeys, $made)
{
	my @bytes = unpack 'c4', pack 'H*', $secret;
	my $hexadecimal = substr $secret, 0, 8;
	unlike($printed, qr/@bytes|$hexadecimal/i, 'no key in what a client is shown');
	unlike(slurp_file($node->logfile), qr/@bytes|$hexadecimal/i, 'nor in the log');
}

sql('DROP TABLE public.to_import');

# Sessions that make keys at the same time get different numbers.
my @sessions = map { IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('held'),
			'-c', 'SELECT of_seal.kid_seal_new_key(), pg_sleep(0.01)' ], '>', \my $output) } 1 .. 8;
$_->finish foreach @sessions;
is(sql(q{SELECT string_agg(n::text, ' ' ORDER BY n) FROM of_seal.kid_seal_keys()}), '1 2 3 5 6 7 8 9 10 11 12',
	'keys made at the same time');

my $page = slurp_file('docs/guides/seal_vectors.txt');
my ($key_of_page) = $page =~ /^key +(\w{64})$/m;
my @vectors = $page =~ /^(\w{16} +\w+ +\w+ +[-\w]{36})$/mg;
is(@vectors, 3, 'there are three vectors');
# ICU knows no texts of SQL_ASCII, which is the encoding of a server that was made without a locale.
$node->safe_psql('postgres', "CREATE DATABASE vectors ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0");
$node->safe_psql('vectors',
	"CREATE EXTENSION kid_seal CASCADE; SELECT kid_seal_import_key(1, '$key_of_page'); SELECT kid_seal_use_key(1)");
foreach (map { [split] } @vectors)
{
	my ($bytes, $prefix, $text, $uuid) = @$_;
	is($node->safe_psql('vectors', "SELECT kid_seal(id, '$prefix'), kid_seal_uuid(id, '$prefix'),
			kid64_unseal('$text', '$prefix') = id, kid64_unseal_uuid('$uuid', '$prefix') = id
		FROM (SELECT '\\x$bytes'::bytea::kid64) AS v (id)"), "$text|$uuid|t|t", "$bytes $prefix");
}

# Texts in upper case do not open, and a collation that ignores case does not change this.
SKIP:
{
	skip('PostgreSQL has no ICU', 1)
	  if $node->safe_psql('vectors', q{SELECT count(*) FROM pg_collation WHERE collprovider = 'i'}) == 0;
	$node->safe_psql('vectors',
		q{CREATE COLLATION ignores_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)});
	my (undef, $prefix, $text) = split ' ', $vectors[0];
	my $upper = uc($prefix);
	is($node->safe_psql('vectors', qq{SELECT kid64_unseal(t COLLATE ignores_case, '$prefix', true) IS NOT NULL
			FROM unnest(ARRAY['$text', upper('$text'), regexp_replace('$text', '^$prefix', '$upper'),
				regexp_replace(upper('$text'), '^$upper', '$prefix')]) AS t}),
		"t\nf\nf\nf", 'a collation that ignores case does not open texts in upper case');
}

# A standby.
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
is(output_of($unseal, role => 'app', node => $standby), '.6.nef3Mk.3', 'a standby unseals');
is(output_of(q{SELECT of_seal.kid64_unseal(of_seal.kid_seal('.6.nef3Mk.7'::of_kid.kid64, 'ord'), 'ord')}, role => 'app',
		node => $standby), '.6.nef3Mk.7', 'and seals');
is(sqlstates_of('SELECT of_seal.kid_seal_new_key(); SELECT of_seal.kid_seal_forget_key(1)', role => 'holder',
		node => $standby),
	'25006 25006', 'keys are made on the primary');

# The owner exports the keys. No dump contains keys, so a restore brings none back.
my $directory = $node->basedir;
sub psql_of
{
	my ($role, $database, @arguments) = @_;
	IPC::Run::run([ 'psql', '-XAtq', '-d', connection_as($node, $database, $role), @arguments ], '>', \my $stdout,
		'2>', \my $stderr);
	return $stdout . $stderr;
}
my ($export, $import, $use) = slurp_file('docs/guides/public-ids.md')
  =~ m{^ *<!-- not run: test/t/seal\.pl does -->\n *```sql\n(.*?)^ *```$}msg;
append_to_file("$directory/export", "SET search_path = of_seal;\n$export" =~ s/'keys'/'$directory\/keys'/r);
append_to_file("$directory/import", "SET search_path = of_seal;\n$import" =~ s/'keys'/'$directory\/keys'/r);
is(psql_of('holder', 'held', '-f', "$directory/export"), '', 'the owner of the database exports the keys');
my @keys = map { (split /\t/)[1] } split /\n/, slurp_file("$directory/keys");
is(@keys, 11, 'all of them');
my @dumps = ([ $superuser, 'plain' ], [ $superuser, 'clean', '--clean', '--if-exists' ],
	[ $superuser, 'data', '--data-only', '--disable-triggers' ], [ $superuser, 'custom', '-Fc', '-Z0' ],
	[ $superuser, 'schema', '-n', 'kid_seal_internal', '-n', 'of_seal' ], [ $superuser, 'inserts', '--inserts' ],
	[ 'holder', 'owner' ], [ 'holder', 'owner_clean', '--clean' ]);
foreach my $dump (@dumps)
{
	my ($role, $name, @options) = @$dump;
	$node->command_ok([ 'pg_dump', '-d', $node->connstr('held'), '-U', $role, '-f', "$directory/$name", @options ],
		"pg_dump by $role: $name");
	my $text = slurp_file("$directory/$name");
	is(scalar(grep { $text =~ /$_/i } map { substr $_, 0, 16 } @keys), 0, 'has no key');
}

# A restore by the owner over the database, and the loss of kid with its schema. Then the exported keys are imported.
like(psql_of('holder', 'held', '-f', "$directory/owner_clean"), qr/ERROR/, 'the owner restores with --clean');
is(output_of('SELECT count(*) FROM of_seal.kid_seal_keys()', role => 'holder'), 0, 'no key is left');
my $imported = join '', map { "$_\n" } 1 .. 3, 5 .. 12, 2;
is(psql_of('holder', 'held', '-f', "$directory/import"), $imported,
	'the owner imports the keys, and sees which sealed');
is(sqlstates_of(q{SELECT of_seal.kid_seal('.6.nef3Mk.3'::of_kid.kid64, 'ord')}, role => 'holder'), '55000',
	'none seals yet');
is(psql_of('holder', 'held', '-c', "SET search_path = of_seal; $use"), "\n", 'until one is named');
is(output_of($unseal, role => 'holder'), '.6.nef3Mk.3', 'texts open again');
is(psql_of('holder', 'held', '-f', "$directory/import", '-c', 'SELECT n FROM of_seal.kid_seal_keys() WHERE seals'),
	$imported . "2\n", 'a key is there once, and the same key seals');

# Beside other keys.
$node->safe_psql('postgres', 'CREATE DATABASE other OWNER holder');
$node->safe_psql('other', 'CREATE SCHEMA of_seal AUTHORIZATION holder; CREATE EXTENSION kid_seal SCHEMA of_seal CASCADE;
	SELECT of_seal.kid_seal_new_key(); SELECT of_seal.kid_seal_use_key(1)');
my $new = $node->safe_psql('other', q{SET search_path = of_seal; SELECT kid_seal('.6.nef3Mk.3'::kid64, 'ord')});
is(psql_of('holder', 'other', '-f', "$directory/import"), join('', map { "$_\n" } 2 .. 12, 2), 'keys get free numbers');
is($node->safe_psql('other', "SELECT of_seal.kid64_unseal('$_', 'ord')"), '.6.nef3Mk.3', 'texts of both databases open')
  foreach $sealed, $new;
is($node->safe_psql('other', q{SET search_path = of_seal; SELECT kid_seal('.6.nef3Mk.3'::kid64, 'ord')}), $new,
	'the key of this database still seals');
foreach my $secret (@keys)
{
	my $hexadecimal = substr $secret, 0, 16;
	unlike(slurp_file($node->logfile), qr/$hexadecimal/i, 'no key is in the log');
}

# An export that is older than the last changes. After a dump is restored, nothing seals until a role says with which
# key, and a forgotten key stays forgotten.
sub rotated
{
	my ($role, $query, $database) = @_;
	return output_of("SET search_path = of_seal;\n$query", role => $role, database => $database // 'rotated');
}

my $seal = q{SELECT kid_seal('.6.nef3Mk.3'::kid64, 'ord')};
sub sqlstates_of_rotated
{
	my ($query, $database) = @_;
	return sqlstates_of("SET search_path = of_seal;\n$query", role => $superuser, database => $database);
}

sub opened { return map { rotated($superuser, "SELECT kid64_unseal('$_', 'ord', true)", $_[0]) } @_[ 1 .. $#_ ] }
$node->safe_psql('postgres', 'CREATE DATABASE rotated OWNER holder');
rotated($superuser, 'CREATE SCHEMA of_seal AUTHORIZATION holder; CREATE EXTENSION kid_seal SCHEMA of_seal CASCADE');
rotated('holder', 'SELECT kid_seal_new_key(); SELECT kid_seal_use_key(1)');
my $of_1 = rotated($superuser, $seal);
rotated('holder', 'SELECT kid_seal_new_key()');
is(psql_of('holder', 'rotated', '-f', "$directory/export"), '', 'an export before key 2 seals');
rename "$directory/keys", "$directory/older" or die;
rotated('holder', 'SELECT kid_seal_use_key(2); SELECT kid_seal_forget_key(1); SELECT kid_seal_new_key();
	SELECT kid_seal_forget_key(3)');
my $of_2 = rotated($superuser, $seal);
is(psql_of('holder', 'rotated', '-f', "$directory/export"), '', 'and one after all changes');
append_to_file("$directory/import_older", slurp_file("$directory/import") =~ s/keys'/older'/r);
foreach my $database (qw(again moved))
{
	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER holder");
}
$node->command_ok([ 'pg_dump', '-d', $node->connstr('rotated'), '-U', 'holder', '-f', "$directory/rotated.sql" ],
	'the owner dumps the database');
is(psql_of('holder', 'again', '-v', 'ON_ERROR_STOP=1', '-f', "$directory/rotated.sql",
		'-c', 'SELECT') =~ s/^.*(?:NOTICE|DETAIL|set_config).*\n//mgr =~ s/\n//gr, '', 'and restores it');
psql_of('holder', 'again', '-f', "$directory/import_older");
is(sqlstates_of_rotated($seal, 'again'), '55000', 'no key of an older export seals by itself');
is(join('|', opened('again', $of_1, $of_2)), '|.6.nef3Mk.3',
	'a key that had been forgotten before the dump does not come back');
is(rotated('holder', $use, 'again') . rotated($superuser, $seal, 'again'), $of_2,
	'sealing goes on once a key is named');
psql_of('holder', 'rotated', '-f', "$directory/import_older");
is(rotated($superuser, $seal), $of_2, 'in the database itself an older export does not change which key seals');
is(join('|', opened('rotated', $of_1, $of_2)), '|.6.nef3Mk.3', 'and brings no forgotten key back');
rotated($superuser, 'CREATE SCHEMA of_seal AUTHORIZATION holder; CREATE EXTENSION kid_seal SCHEMA of_seal CASCADE',
	'moved');
psql_of('holder', 'moved', '-f', "$directory/import");
is(join('|', opened('moved', $of_1, $of_2)), '|.6.nef3Mk.3', 'an export after the last change has no forgotten key');
my ($key_1) = slurp_file("$directory/older") =~ /^1\t(\w+)/;
like(rotated('holder', "SELECT kid_seal_import_key(1, '$key_1')"),
	qr/WARNING:  01000: key 1 was forgotten, and is not imported/, 'a forgotten key is named');
is(rotated('holder', "SELECT kid_seal_import_key(1, '$key_1', forgotten_ok => true)") . ' ' . join('|',
		opened('rotated', $of_1)), '1 .6.nef3Mk.3', 'and comes back if that is asked for');
is(rotated($superuser, $seal), $of_2, 'without sealing');
is(rotated('holder', 'SELECT kid_seal_new_key()'), 4, 'the number of a forgotten key is not used again');
unlike(slurp_file("$directory/rotated.sql"), qr/$key_1/, 'the dump has no forgotten key');
foreach my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	is(join(' ', map { sqlstates_of_rotated("BEGIN ISOLATION LEVEL $level;
					SELECT $_", 'rotated') } 'kid_seal_new_key()', 'kid_seal_use_key(4)', 'kid_seal_forget_key(1)',
			"kid_seal_import_key(1, '$key_1')"), join(' ', ('55000') x 4),
		"no change of keys goes by an older snapshot: $level");
}

# docs/guides/public-ids.md, "With three roles".
my $public_ids = slurp_file('docs/guides/public-ids.md');
my ($by_superuser, $by_owner) = map { s/\bshop\b/three/gr }
  $public_ids =~ /^(-- as a superuser, in the database shop\n.*?)^```\n.*?^(-- as the owner of .*?)^```$/ms;
$node->safe_psql('postgres', 'CREATE DATABASE three OWNER holder');
unlike(output_of($by_superuser, database => 'three', role => $superuser), qr/ERROR/, 'a superuser creates kid_seal');
unlike(output_of($by_owner, database => 'three', role => 'holder'), qr/ERROR/, 'the owner makes a key and a table');
is(output_of(q{INSERT INTO orders (item) VALUES ('tea'); SELECT item FROM orders
		WHERE id = kid64_unseal(kid_seal(id, 'ord'), 'ord') AND id > now() - interval '1 day'},
		database => 'three', role => 'app'), 'tea', 'the application finds a row by its sealed ID');
is(sqlstates_of('SELECT kid_seal_new_key()', database => 'three', role => 'app'), '42501', 'but cannot change keys');
is(sqlstates_of('CREATE FUNCTION extensions.f() RETURNS integer LANGUAGE sql RETURN 1', database => 'three',
		role => 'holder'), '42501', 'not even the owner can create functions beside those of kid');
unlike(output_of('CREATE EXTENSION IF NOT EXISTS kid_seal CASCADE', database => 'three', role => 'holder'),
	qr/ERROR/, 'a migration finds the extension');

# The same page, "Wait for older snapshots", as the owner of the database. Its query lists a transaction of another role
# that cannot know the new key, and no transaction that began after the change.
my ($bound, $older_sessions) =
  $public_ids =~ /^### Wait for older snapshots\n.*?^```sql\n(.*?)^```\n.*?^```sql\n(.*?)^-- /ms;
my ($older, $newer) = map { open_session($node, 'three', role => 'app') } 1, 2;
my $owner = open_session($node, 'three', role => 'holder');
answer($older, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM orders;');
answer($owner, "SELECT kid_seal_use_key(kid_seal_new_key());\n$bound");
answer($newer, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM orders;');
like(answer($owner, $older_sessions), qr/\A$older->{pid}\|app\|.*\z/, 'a transaction that is older than the key');
like(answer($older, q{SELECT kid64_unseal('} . answer($newer, q{SELECT kid_seal(id, 'ord') FROM orders;})
		  . q{', 'ord');}), qr/ERROR:  22P02/, 'which cannot open texts of the new key');
answer($older, 'ROLLBACK;');
is(answer($owner, $older_sessions), '', 'has ended');
close_session($_) foreach $older, $newer, $owner;

# pgcrypto and kid stay as long as kid_seal needs them.
is(sqlstates_of('DROP EXTENSION pgcrypto; DROP EXTENSION kid', role => $superuser), '2BP01 2BP01',
	'kid_seal needs kid and pgcrypto');
is(output_of(
		'DROP EXTENSION kid_seal; SELECT count(*) FROM pg_namespace WHERE nspname = $$kid_seal_internal$$',
		role => $superuser), 0,
	'with kid_seal the keys are dropped');

done_testing();
