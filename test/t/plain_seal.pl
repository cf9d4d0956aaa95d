# kid_seal for the edition in plain SQL: it seals as the extension does, and gives nobody a key or a right that the
# owner did not grant. Keys survive dumps, upgrades, and the change to the extension.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlc_messages = 'C'\n");
$node->start;
plan skip_all => 'no pgcrypto'
  if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pgcrypto'}) eq 0;
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN; CREATE ROLE other LOGIN; CREATE ROLE hostile LOGIN;
	CREATE DATABASE plain OWNER app; CREATE DATABASE restored OWNER app; CREATE DATABASE extended; CREATE DATABASE up');

my $directory = PostgreSQL::Test::Utils::tempdir;

use_database($node, 'plain');

# Runs a script as a role, and returns what psql prints.
sub install
{
	my ($script, $role) = @_;
	return output_of("\\set ON_ERROR_STOP on\n\\i " . assemble($script), role => $role);
}

# What must be there before.
like(install('kid-seal', 'app'), qr/ERROR:  \w{5}: kid in plain SQL is not installed/, 'kid comes first');
is(install('kid-all', 'app'), '', 'the owner of the database installs kid');
like(install('kid-seal', 'app'), qr/ERROR:  \w{5}: extension "pgcrypto" is not installed/, 'pgcrypto comes first');
output_of('CREATE SCHEMA crypto; GRANT USAGE, CREATE ON SCHEMA crypto TO hostile;
	CREATE EXTENSION pgcrypto SCHEMA crypto', role => 'app');
like(install('kid-seal', 'other'), qr/ERROR:  .*(?:permission denied|belongs to another role)/,
	'nobody but the owner installs kid_seal');

# A role that may create functions in the schema of pgcrypto gets no key.
output_of(join(';', map { "CREATE FUNCTION crypto.$_ RETURNS bytea
		LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''planted code ran as %'', current_user; RETURN NULL; END'" }
		  'hmac(bytea, bytea, varchar)', 'hmac(bytea, bytea, name)', 'encrypt(bytea, bytea, varchar)',
		'decrypt(bytea, bytea, name)', 'substr(bytea, integer, bigint)', 'gen_random_bytes(bigint)',
		'convert_to(text, text)', 'gen_random_bytes(VARIADIC integer[])'), role => 'hostile');
output_of('ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO other;
	ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO other, PUBLIC;
	ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO other', role => 'app');
is(install('kid-seal', 'app'), '', 'the owner of the database installs kid_seal, and no planted code runs');
is(sqlstates_of(q{SELECT kid_seal.kid_seal(1::kid.kid64, 'ord')}, role => 'app'), '55000',
	'without a key nothing is sealed');
my $sealed = 'ord_' . '1' x 26;
my $sealed_uuid = '123e4567-e89b-42d3-a456-426614174000';
is(sqlstates_of("SELECT kid_seal.kid64_unseal('$sealed', 'ord', true);
			SELECT kid_seal.kid64_unseal_uuid('$sealed_uuid', 'ord', true)", role => 'app'),
	'55000 55000', 'nor is a text or a uuid called invalid');

# What Node's crypto and typeid-js made with the key of the vectors.
output_of(q{SELECT FROM kid_seal.kid_seal_import_key(1, encode(sha256('kid_seal'), 'hex'));
	SELECT kid_seal.kid_seal_use_key(1); CREATE TABLE vectors (type text, bytes text, prefix text, sealed text)},
	role => 'app');
$node->safe_psql('plain', "\\copy vectors FROM PROGRAM 'grep -v ^# test/vectors/seal.tsv | tail -n +2'");
is(output_of(q{
	SELECT count(*) >= 8, count(*) = count(*) FILTER (WHERE kid_seal.kid_seal(id, prefix) = sealed),
		count(*) = count(*) FILTER (WHERE kid_seal.kid64_unseal(sealed, prefix) = id)
	  FROM (SELECT *, ('x' || bytes)::bit(64)::bigint::kid.kid64 AS id FROM vectors
		WHERE type = 'kid64' AND bytes < '8') AS v;
	SELECT count(*) >= 8, count(*) = count(*) FILTER (WHERE kid_seal.kid_seal_uuid(id, prefix)::text = sealed),
		count(*) = count(*) FILTER (WHERE kid_seal.kid64_unseal_uuid(sealed::uuid, prefix) = id)
	  FROM (SELECT *, ('x' || bytes)::bit(64)::bigint::kid.kid64 AS id FROM vectors
		WHERE type = 'kid64-uuid' AND bytes < '8') AS v;
	SELECT count(*), count(*) = count(*) FILTER (WHERE kid_seal.kid53_seal(id, prefix) = sealed),
		count(*) = count(*) FILTER (WHERE kid_seal.kid53_unseal(sealed, prefix) = id)
	  FROM (SELECT *, ('x' || bytes)::bit(64)::bigint AS id FROM vectors WHERE type = 'kid53') AS v}, role => 'app'),
	"t|t|t\nt|t|t\n16|t|t", 'the vectors seal and unseal');
my ($id, $sealed, $uuid) = split /\|/, output_of(q{SELECT id, kid_seal.kid_seal(id, 'ord'),
	kid_seal.kid_seal_uuid(id, 'ord') FROM (SELECT kid.kid_next() AS id OFFSET 0) AS made}, role => 'app');
is(sqlstates_of("SELECT kid_seal.kid64_unseal('$sealed', 'usr');
		SELECT kid_seal.kid64_unseal('" . ($sealed =~ tr/0-9a-z/1-9a-z0/r)
		  . "', 'ord'); SELECT kid_seal.kid64_unseal(kid.kid_encode(gen_random_uuid(), 'ord'), 'ord')", role => 'app'),
	'22P02 22P02 22P02', 'a text with another prefix, a changed one, and a random one are errors');
is(output_of("SELECT kid_seal.kid64_unseal(upper('$sealed'), 'ord', true),
		kid_seal.kid64_unseal_uuid(gen_random_uuid(), 'ord', true)", role => 'app'), '|',
	'or NULL, if that is asked for');

# Rights. Only what the owner grants from now on stays.
my $number = output_of(q{SELECT kid_seal.kid53_seal(5, 'ord')}, role => 'app');
my @calls = (q{kid_seal(1::kid.kid64, 'ord')}, "kid64_unseal('$sealed', 'ord')",
	q{kid53_seal(5, 'ord')}, "kid53_unseal('$number', 'ord')",
	'kid_seal_new_key()', 'kid_seal_use_key(1)', 'kid_seal_forget_key(1)', 'kid_seal_keys()', 'kid_seal_export_keys()',
	q{kid_seal_import_key(1, '')});
sub errors_of_other
{
	return join ' ', map { sqlstates_of("SELECT kid_seal.$_", role => 'other') || 'none' } @calls;
}

is(errors_of_other(), join(' ', ('42501') x @calls), 'nobody else may call anything');
is(sqlstates_of('SELECT * FROM kid_seal_internal.keys; SELECT kid_seal_internal.new_key()', role => 'other'),
	'42501 42501', 'or read the keys');
output_of('GRANT USAGE ON SCHEMA kid_seal TO other;
	GRANT EXECUTE ON FUNCTION kid_seal.kid_seal(kid.kid64, text), kid_seal.kid64_unseal(text, text, boolean),
	kid_seal.kid53_seal(bigint, text), kid_seal.kid53_unseal(text, text, boolean) TO other', role => 'app');
is(errors_of_other(), join(' ', ('none') x 4, ('42501') x 6), 'but what the owner grants');
is(install('kid-all', 'app') . install('kid-seal', 'app'), '', 'the scripts can be installed again');
is(errors_of_other(), join(' ', ('none') x 4, ('42501') x 6), 'that changes no rights');
is(sqlstates_of(q{SELECT kid_seal.kid_seal(1::kid.kid64, 'ord')}, role => 'hostile'), '42501', 'nor gives PUBLIC any');

# Keys do not get into what a session can have printed.
my $key = output_of(q{SELECT encode(key, 'hex') FROM kid_seal_internal.keys}, role => 'app');
my $printed = output_of('SET client_min_messages = debug5; SET debug_print_parse = on;
	SET debug_print_rewritten = on; SET debug_print_plan = on; SET plan_cache_mode = force_custom_plan;'
	  . qq{SELECT kid_seal.kid_seal(1::kid.kid64, 'ord'), kid_seal.kid64_unseal('$sealed', 'ord');} x 8,
	role => 'other');
like($printed, qr/CONST/, 'debugging output is there');
my $bytes = join ' ', map { my $byte = hex; $byte > 127 ? $byte - 256 : $byte } unpack '(A2)*', $key;
unlike($printed, qr/\Q$bytes\E|$key/, 'without the key');

# One key seals, all unseal.
is(output_of("SELECT kid_seal.kid_seal_new_key(); DO 'BEGIN PERFORM kid_seal.kid_seal_use_key(2); END';
		SELECT kid_seal.kid64_unseal('$sealed', 'ord') = $id, kid_seal.kid_seal($id\::kid.kid64, 'ord') <> '$sealed',
			kid_seal.kid53_unseal('$number', 'ord') = 5, kid_seal.kid53_seal(5, 'ord') <> '$number'", role => 'app'),
	"2\nt|t|t|t", 'a new key');
is(sqlstates_of('SELECT kid_seal.kid_seal_forget_key(2)', role => 'app'), '55000',
	'the key that seals cannot be forgotten');

# Statistics have no key: dumps of statistics would have it, too.
is(output_of(q{ANALYZE kid_seal_internal.keys;
		SELECT string_agg(attname, ' ' ORDER BY attname) FROM pg_stats WHERE schemaname = 'kid_seal_internal'},
		role => 'app'),
	'made n row_id seals', 'ANALYZE copies no key');

# The owner's dump has the keys.
my $dump = "$directory/dump.sql";
$node->command_ok([ 'pg_dump', '-U', 'app', '-f', $dump, 'plain' ], 'the owner dumps');
$node->safe_psql('restored', 'CREATE SCHEMA crypto; GRANT USAGE, CREATE ON SCHEMA crypto TO hostile');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-c', 'DROP SCHEMA crypto', '-f', $dump, 'restored' ],
	'the dump is restored');
is(output_of("SELECT kid_seal.kid64_unseal('$sealed', 'ord') = $id", role => 'other', database => 'restored'), 't',
	'its texts unseal, for those who might before');
my $errors = '';
foreach my $option ('--section=data', '--disable-triggers')
{
	system('pg_dump', '-U', 'app', '-d', $node->connstr('plain'), '--data-only', $option,
		'-t', 'kid_seal_internal.keys', '-f', $dump);
	IPC::Run::run([ 'psql', '-Xq', '-f', $dump, '-d', connection_as($node, 'restored', 'app') ], '2>', \my $stderr);
	$errors .= $stderr;
}
is(() = $errors =~ /CONTEXT:  COPY keys, line 1/g, 2, 'beside its own keys it is not');
unlike($errors . slurp_file($node->logfile), qr/\Q@{[ substr $key, 0, 8 ]}/, 'and no error shows one');

# The commands of docs/start/managed-servers.md, "Sealed IDs": two of a shell, then statements in psql.
my ($shell, $statements) = slurp_file('docs/start/managed-servers.md')
  =~ /^## Sealed IDs\n.*?^```\n(.*?)^psql mydatabase\n(.*?)^```/ms;
$node->safe_psql('postgres', 'CREATE DATABASE mydatabase OWNER app');
{
	local @ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, 'app');
	$node->command_ok([ 'bash', '-c', "cd released && psql -q -f kid-ids--1.0.0.sql mydatabase && set -e && $shell" ],
		'the commands of the page');
}
is(output_of("SET client_min_messages = error; $statements", role => 'app', database => 'mydatabase') =~ s/\s+\z//r,
	'1', 'its statements');
like(output_of(q{SELECT kid_seal.kid_seal(kid.kid_next(), 'ord')}, role => 'app', database => 'mydatabase'),
	qr/^ord_\w{26}$/,
	'after which IDs are sealed');
# docs/guides/public-ids.md: the search_path for names without the schema, and the form of a sealed text.
my $public_ids = slurp_file('docs/guides/public-ids.md');
my ($set_path) = $public_ids =~ /`ALTER DATABASE shop (SET search_path = [^`]*)`/ or die 'no search_path on the page';
my ($form) = $public_ids =~ /the\s+regular expression `(ord_[^`]*)`/ or die 'no regular expression on the page';
is(output_of("$set_path; SELECT kid64_unseal(kid_seal(5::kid64, 'ord'), 'ord')", role => 'app',
		database => 'mydatabase'), '5', 'with the search_path of the page, functions need no schema');
like(output_of("$set_path; SELECT kid_seal(kid_next(), 'ord'), kid53_seal(7, 'ord')", role => 'app',
		database => 'mydatabase'), qr/\A$form\|$form\z/, 'a sealed text has the form that the page shows');

# The change to the extension, with the keys in a file.
my ($export, $import, $use) = map { s/'keys'/'$directory\/keys'/r } slurp_file('docs/guides/public-ids.md')
  =~ m{^ *<!-- not run: test/t/seal\.pl does -->\n *```sql\n(.*?)^ *```$}msg;
$export =~ s/kid_seal_/kid_seal.kid_seal_/;
is(output_of($export, role => 'app'), '', 'the owner exports the keys');
$node->safe_psql('extended', "CREATE EXTENSION kid; CREATE EXTENSION pgcrypto; CREATE EXTENSION kid_seal;\n$import");
is($node->safe_psql('extended', "SELECT kid64_unseal('$sealed', 'ord') = $id\::bigint::kid64,
		kid64_unseal_uuid('$uuid', 'ord') = $id\::bigint::kid64, kid53_unseal('$number', 'ord')"), 't|t|5',
	'its texts unseal there');

# docs/start/from-plain-sql.md: a dump, restored beside the extension. A materialized view needs the keys before.
output_of("CREATE MATERIALIZED VIEW sealed AS SELECT kid_seal.kid_seal($id\::kid.kid64, 'ord') AS text", role => 'app');
$node->safe_psql('up', "CREATE SCHEMA kid; CREATE EXTENSION kid SCHEMA kid; CREATE EXTENSION pgcrypto;
	CREATE SCHEMA kid_seal; CREATE EXTENSION kid_seal SCHEMA kid_seal; SET search_path = kid_seal;
	GRANT USAGE ON SCHEMA kid_seal TO app; GRANT EXECUTE ON FUNCTION kid_seal(kid.kid64, text) TO app;\n$import$use");
$node->command_ok([ 'pg_dump', '-U', 'app', '-f', $dump,
		map({ ('-N', $_) } qw(kid kid_clocks kid_workers kid_seal kid_seal_internal)), 'plain' ],
	'the owner dumps the other schemas');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', $dump, 'up' ],
	'the dump is restored beside the extension');
is($node->safe_psql('up', "SET search_path = public, kid;
		SELECT text, kid_seal.kid64_unseal(text, 'ord') = $id\::bigint::kid64 FROM sealed"),
	output_of('SELECT text, true FROM sealed', role => 'app'), 'where the keys are the same');

# The change in place, as the owner of the database
my $parts = slurp_file('docs/start/to_the_extension.sql');
my %sealed = $parts =~ m{^---- sealed (\w+): .*?\n\n(.*?)(?=^---- |\z)}msg;
my ($drop) = $parts =~ /^(DROP SCHEMA IF EXISTS kid_workers CASCADE;\n.*?^DROP SCHEMA kid_clocks CASCADE;\n)/ms
  or die 'docs/start/to_the_extension.sql has changed';
my $in_place = "BEGIN;\n$sealed{before}$drop" . "CREATE SCHEMA kid;
	CREATE EXTENSION kid SCHEMA kid;\n$sealed{after}SET search_path = kid_seal;\n$import" . 'COMMIT';
$node->safe_psql('restored', "CREATE VIEW sealed AS SELECT kid_seal.kid_seal(1::kid.kid64, 'ord')");
my (undef, undef, $error) = $node->psql('restored', $in_place, on_error_stop => 0);
like($error, qr/ERROR:  cannot drop .*view sealed depends on function kid_seal/s, 'fails if a view has sealed IDs');
$node->safe_psql('restored', 'DROP VIEW sealed');
sql_in('restored', $in_place, role => 'app');
is($node->safe_psql('restored', "SET search_path = public, kid;
		SELECT kid_seal.kid64_unseal('$sealed', 'ord') = $id\::bigint::kid64,
			kid_seal.kid64_unseal_uuid('$uuid', 'ord') = $id\::bigint::kid64"), 't|t', 'and keeps the keys');

# A function in place of one of pgcrypto is found at the end of the script.
$node->safe_psql('plain', q{ALTER FUNCTION crypto.gen_random_bytes(integer) RENAME TO away;
	CREATE FUNCTION crypto.gen_random_bytes(integer) RETURNS bytea LANGUAGE sql AS $$SELECT ''::bytea$$});
like(install('kid-seal', 'app'),
	qr/42P17: function kid_seal_internal\.\w+\(\) would depend on function crypto\.gen_random_bytes\(integer\), which/,
	'a function that is not of pgcrypto is refused');

done_testing();
