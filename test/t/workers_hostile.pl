# Roles that would lease worker numbers without the right to, or hide from a process or from PostgreSQL that a number is
# not safe: by code that others' sessions run, and by settings of a role.
# Promise: Worker numbers that PostgreSQL leases
# Versions: what runs with whose rights, settings of roles, and waits for a standby
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Workers;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "lc_messages = 'C'\ntimezone = 'UTC'\n");
$node->start;
my $script = PostgreSQL::Test::Utils::tempdir . '/kid-workers.sql';
system("src/sql/assemble kid-workers > $script") == 0 or die 'src/sql/assemble failed';
sql_on($node, 'CREATE ROLE app LOGIN; CREATE ROLE stranger LOGIN');
my %install = (extension => 'CREATE SCHEMA kid; CREATE EXTENSION kid SCHEMA kid; GRANT USAGE ON SCHEMA kid TO PUBLIC',
	plain => "\\i $script");
foreach my $edition (qw(extension plain))
{
	sql_on($node, "CREATE DATABASE $edition");
	use_database($node, $edition);
	is(output_of($install{$edition}), '', "$edition is installed");
	sql(q{GRANT EXECUTE ON PROCEDURE kid.kid_lease_worker TO app;
		SELECT kid.kid_add_workers('orders', 1, 20, 'flake', max_ttl => 600, fresh => true)});
	code_in_an_index($edition);
	hidden_warnings($edition);
}
settings_of_roles();
done_testing();

# ANALYZE runs a function in an index with the rights of the table's owner, in the session of another role.
sub code_in_an_index
{
	my ($edition) = @_;
	sql('CREATE SCHEMA strange AUTHORIZATION stranger; GRANT USAGE ON SCHEMA strange TO app');
	is(output_as('stranger', q{
		CREATE TABLE strange.taken (error text);
		CREATE FUNCTION strange.take() RETURNS void LANGUAGE plpgsql AS $$
		BEGIN
			PERFORM kid_workers.grant_window('orders', NULL, NULL, 600, NULL);
			INSERT INTO strange.taken VALUES ('none');
		EXCEPTION WHEN OTHERS THEN
			INSERT INTO strange.taken VALUES (SQLSTATE);
		END $$;
		CREATE FUNCTION strange.indexed(i integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
		BEGIN
			PERFORM strange.take();
			RETURN i;
		END $$;
		CREATE TABLE strange.trap (i integer);
		INSERT INTO strange.trap VALUES (1);
		CREATE INDEX ON strange.trap (strange.indexed(i));
		CREATE MATERIALIZED VIEW strange.view AS SELECT strange.indexed(1) WITH NO DATA;
		TRUNCATE strange.taken}), '', "$edition: a role without a right makes an index and a view");
	foreach my $statement ('ANALYZE strange.trap', 'REINDEX TABLE strange.trap',
		'REFRESH MATERIALIZED VIEW strange.view')
	{
		sql($statement);
		is(sql('SELECT string_agg(DISTINCT error, $$ $$) FROM strange.taken'), '42501',
			"its function leases nothing when a superuser calls $statement");
		sql('TRUNCATE strange.taken');
	}
	is(sql(q{SELECT count(*) FROM kid.kid_workers() WHERE state <> 'free'}), 0, 'all numbers are free');
	return;
}

# A client has to see the warning that a wait for a standby was canceled, whatever its settings are.
sub hidden_warnings
{
	my ($edition) = @_;
	is(output_as('app', q{SET client_min_messages = error; SET synchronous_commit = off; BEGIN;
			SELECT pg_sleep(0) FROM kid_workers.grant_window('orders', NULL, NULL, 5, NULL);
			SELECT current_setting('client_min_messages'), current_setting('synchronous_commit'); COMMIT;
			SELECT current_setting('client_min_messages'), current_setting('synchronous_commit')}),
		"\nwarning|on\nerror|off", "$edition: the commit of a grant can warn, and waits");
	return;
}

# Sessions of a role can have another generator or partition.
sub settings_of_roles
{
	use_database($node, 'extension');
	$node->append_conf('postgresql.conf', "kid.node = 900\n");
	$node->restart;
	sql(q{SELECT kid.kid_add_workers('sno', 1, 20, 'sno', max_ttl => 600, fresh => true);
		CREATE DATABASE elsewhere; LOAD 'kid'});
	my %setting = (orders => 'kid.flake_worker', sno => 'kid.sno_partition');
	foreach my $pool (sort keys %setting)
	{
		my $refused =
		  qr/^55000: this server makes IDs with numbers of pool "$pool"\nDETAIL:  .* more than one number of /;
		foreach my $for ('ROLE stranger', 'ROLE stranger IN DATABASE extension', 'ROLE app')
		{
			sql("LOAD 'kid'; ALTER $for SET $setting{$pool} = 7");
			like(lease_error("'$pool'"), $refused, "$setting{$pool} for $for");
			sql("ALTER $for RESET $setting{$pool}");
		}
		sql("LOAD 'kid'; ALTER ROLE stranger IN DATABASE elsewhere SET $setting{$pool} = 7");
		cmp_ok(lease("'$pool'")->{number}, '<=', 20, 'not for a role in another database');
		sql("ALTER ROLE stranger IN DATABASE elsewhere RESET $setting{$pool}");
	}
	return;
}
