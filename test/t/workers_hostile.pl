# Roles that would lease worker numbers without the right to, or hide from a process or from PostgreSQL that a number is
# not safe: by code that others' sessions run, and by settings of a role.
# Promise: Worker numbers that PostgreSQL leases
# Versions: what runs with whose rights, settings of roles, and waits for a standby
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Workers;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "lc_messages = 'C'\ntimezone = 'UTC'\n");
# As in a server that is old. A MultiXactId is then above the IDs of all transactions.
system_or_bail('pg_resetwal', '-m', '65536,1', '-D', $node->data_dir);
$node->start;
my $script = assemble('kid-workers');
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN; CREATE ROLE stranger LOGIN');
my %install = (extension => $install, plain => "\\i $script");
foreach my $edition (qw(extension plain))
{
	$node->safe_psql('postgres', "CREATE DATABASE $edition");
	use_database($node, $edition);
	is(output_of($install{$edition}), '', "$edition is installed");
	sql(q{GRANT EXECUTE ON PROCEDURE kid.kid_lease_worker TO app;
		SELECT kid.kid_add_workers('orders', 1, 20, 'flake', max_ttl => 600, fresh => true)});
	code_in_an_index($edition);
	hidden_warnings($edition);
	open_transactions($edition);
	locks_of_others($edition);
}
settings_of_roles();
another_identity();
who_creates_it();
done_testing();

# ANALYZE runs a function in an index with the rights of the table's owner, in the session of another role.
sub code_in_an_index
{
	my ($edition) = @_;
	sql('CREATE SCHEMA strange AUTHORIZATION stranger; GRANT USAGE ON SCHEMA strange TO app');
	is(output_of(q{
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
		TRUNCATE strange.taken}, role => 'stranger'), '', "$edition: a role without a right makes an index and a view");
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
	is(output_of(q{SET client_min_messages = error; SET synchronous_commit = off; BEGIN;
			SELECT pg_sleep(0) FROM kid_workers.grant_window('orders', NULL, NULL, 5, NULL);
			SELECT current_setting('client_min_messages'), current_setting('synchronous_commit'); COMMIT;
			SELECT current_setting('client_min_messages'), current_setting('synchronous_commit')}, role => 'app'),
		"\nwarning|on\nerror|off", "$edition: the commit of a grant can warn, and waits");
	return;
}

# A number that an open transaction holds counts, though its window has ended: nobody else can lease it.
sub open_transactions
{
	my ($edition) = @_;
	sql(q{SELECT kid.kid_add_workers('few', 1, 20, 'flake', per_role => 2, fresh => true)});
	my $take = q{SELECT number FROM kid_workers.grant_window('few', NULL, NULL, 1, NULL);};
	like(output_of("BEGIN; $take SELECT pg_sleep(1.1); $take ROLLBACK;", role => 'app'),
		qr/ERROR:  55000: this transaction has taken a worker number already/,
		"$edition: a transaction takes one number, also when its window has ended");

	# In one session, so that it has renewed the one and given up the other long before their windows end.
	my $session = open_session($node, $edition);
	answer($session, 'SET ROLE app;');
	my ($renewed, $forgotten) = map {
		my %reply;
		my $told = answer($session, q{CALL kid.kid_lease_worker('few', ttl => 4);});
		@reply{qw(number token since until)} = split /[|]/, $told;
		\%reply
	} 1, 2;
	answer($session, "BEGIN;
		SELECT kid_workers.grant_window('few', $renewed->{number}, '$renewed->{token}', 4, NULL);
		SELECT kid.kid_forget_worker('few', $forgotten->{number}, '$forgotten->{token}');");
	sql("SELECT pg_sleep_until(to_timestamp($forgotten->{until} / 1000.0))");
	like(lease_error(q{'few'}), qr/^53400: role "app" has too many worker numbers/,
		'numbers that a transaction has renewed and given up count until it ends');
	answer($session, 'ROLLBACK;');
	close_session($session);
	is(sql("SELECT kid.kid_forget_worker('few', $forgotten->{number}, '$forgotten->{token}')", role => 'app'),
		'f', 'a number whose window has ended is not held');

	# The number that a process wants to renew is locked by its own transaction.
	sql(q{SELECT kid.kid_add_workers('one', 1, 5, 'flake', per_role => 1, fresh => true)});
	my ($number, $token, undef, $until) =
	  split /[|]/, sql(q{CALL kid.kid_lease_worker('one', ttl => 1)}, role => 'app');
	sql("SELECT pg_sleep_until(to_timestamp($until / 1000.0))");
	like(sql("CALL kid.kid_lease_worker('one', $number, '$token', ttl => 1)", role => 'app'),
		qr/^$number[|]/, 'a role that has as many numbers as it may have renews one whose window has ended');
	return;
}

# Others have locked a number, too, so that its row does not have the ID of a transaction in xmax, but a MultiXactId.
sub locks_of_others
{
	my ($edition) = @_;
	sql(q{SELECT kid.kid_add_workers('locked', 1, 9, 'flake', per_role => 1, fresh => true)});
	my $reply = lease(q{'locked', ttl => 2});
	my $row = "FROM kid_workers.numbers WHERE pool = 'locked' AND number = $reply->{number}";
	my $is_multi = "SELECT xmax::text::bigint >= 65536 $row";
	my ($first, $second) = map { open_session($node, $edition) } 1, 2;
	answer($first, "BEGIN; SELECT 1 $row FOR KEY SHARE;");
	answer($second, 'SET ROLE app; BEGIN;');
	is(answer($second, "SELECT kid.kid_forget_worker('locked', $reply->{number}, '$reply->{token}');"),
		't', "$edition: a transaction gives up a number whose row another one has locked");
	sql("SELECT pg_sleep_until(to_timestamp($reply->{until} / 1000.0))");
	is(sql($is_multi), 't', 'so the row has a MultiXactId');
	like(lease_error(q{'locked'}), qr/^53400: role "app" has too many worker numbers/,
		'the number counts until the transaction ends, also when its window has ended');
	answer($_, 'ROLLBACK; RESET ROLE;') foreach $first, $second;

	answer($_, "BEGIN; SELECT 1 $row FOR SHARE;") foreach $first, $second;
	answer($_, 'ROLLBACK;') foreach $first, $second;
	is(sql($is_multi), 't', 'after locks by two sessions the row has a MultiXactId');
	is(lease_error(q{'locked', ttl => 1}), '', 'and the role can lease');
	close_session($_) foreach $first, $second;
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
		my $lent = qr/^55000: this server makes IDs with numbers of pool "$pool"/;
		my $refused = qr/$lent\nDETAIL:  .* more than one number of .*\nHINT:  .* by ALTER SYSTEM/;
		# A session does not see what is set for a database after it began.
		my $session = open_session($node, 'extension');
		answer($session, 'SET ROLE app;');
		foreach my $for ('ROLE stranger', 'ROLE stranger IN DATABASE extension', 'ROLE app', 'ROLE ALL',
			'DATABASE extension')
		{
			sql("LOAD 'kid'; ALTER $for SET $setting{$pool} = 7");
			like(lease_error("'$pool'"), $refused, "$setting{$pool} for $for");
			like(answer($session, "CALL kid.kid_lease_worker('$pool');"),
				qr/^psql:.*ERROR:  55000: this server makes IDs with numbers of pool/, 'in an old session, too');
			sql("ALTER $for RESET $setting{$pool}");
		}
		close_session($session);
		sql("LOAD 'kid'; ALTER ROLE stranger IN DATABASE elsewhere SET $setting{$pool} = 7");
		cmp_ok(lease("'$pool'")->{number}, '<=', 20, 'not for a role in another database');
		sql("ALTER ROLE stranger IN DATABASE elsewhere RESET $setting{$pool}");
	}
	return;
}

# The owner of kid's schema gives it another name, and puts functions into it that could be taken for one of kid.
sub another_identity
{
	my $outs = 'OUT node bigint, OUT partition bigint, OUT generator bigint, OUT lane bigint, OUT lanes bigint';
	my $schema = q{"x'y ""z$ \\\\"};
	use_database($node, 'elsewhere');
	sql("CREATE SCHEMA kid; CREATE EXTENSION kid SCHEMA kid; ALTER SCHEMA kid RENAME TO $schema;
		CREATE FUNCTION $schema.kid_identity(VARIADIC text[], $outs) LANGUAGE sql AS 'SELECT 1, 1, 1, 1, 1';
		CREATE FUNCTION $schema.more() RETURNS bigint LANGUAGE sql AS 'SELECT 7';
		CREATE FUNCTION $schema.mod(bigint, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 7';
		CREATE OPERATOR $schema.% (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = $schema.mod)");
	like(error_of("CREATE EXTENSION kid_workers SCHEMA $schema"), qr/^\w+: invalid character in extension /,
		'functions of worker numbers cannot be in a schema with such a name');
	sql("ALTER FUNCTION $schema.kid_identity() RENAME TO away;
		CREATE FUNCTION $schema.kid_identity($outs) LANGUAGE sql AS 'SELECT 1, 1, 1, 1, 1'");
	like(error_of('CREATE EXTENSION kid_workers'), qr/^42P17: function kid_workers\.identity\(\) would depend on /,
		'what is not a function of kid is refused');
	sql("DROP FUNCTION $schema.kid_identity(); ALTER FUNCTION $schema.away() RENAME TO kid_identity");
	sql(q{CREATE EXTENSION kid_workers; GRANT EXECUTE ON PROCEDURE kid_lease_worker TO app;
		SELECT kid_add_workers('orders', 5, 5, 'flake', fresh => true)});
	like(output_of(q{CALL kid_lease_worker('orders')}, role => 'app'), qr/^5\|/,
		'kid is found whatever its schema is called');
	like(error_of('ALTER EXTENSION kid_workers SET SCHEMA pg_temp'), qr/^0A000: /, 'the extension keeps its schema');
	like(error_of('DROP EXTENSION kid'), qr/^2BP01: /, 'kid is kept while worker numbers need it');
	sql('SET client_min_messages = error; DROP EXTENSION kid CASCADE');
	is(sql(q{SELECT count(*) FROM pg_namespace WHERE nspname = 'kid_workers'}), 0, 'or is dropped with them');
	return;
}

# The owner of the database creates the extension. Every object has a comment.
sub who_creates_it
{
	sql(q{CREATE EXTENSION kid;
		GRANT CREATE ON DATABASE elsewhere TO stranger; GRANT CREATE ON SCHEMA public TO stranger});
	like(error_of('CREATE EXTENSION kid_workers', role => 'stranger'), qr/^42501: must be owner of database elsewhere/,
		'a role that may create in the database cannot create the extension');
	sql('CREATE SCHEMA kid_workers', role => 'stranger');
	like(error_of('CREATE EXTENSION kid_workers'), qr/^42P06: /, 'nor does the extension use a schema that is there');
	sql('DROP SCHEMA kid_workers; CREATE ROLE holder LOGIN; ALTER DATABASE elsewhere OWNER TO holder');
	is(sqlstates_of('CREATE EXTENSION kid_workers', role => 'holder'), '', 'the owner of the database can');
	is(sql(q{SELECT string_agg(pg_describe_object(d.classid, d.objid, 0), ', ')
		FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
		WHERE e.extname = 'kid_workers' AND d.deptype = 'e' AND d.classid <> 'pg_type'::regclass
			AND obj_description(d.objid, d.classid::regclass::name) IS NULL}), '', 'each object has a comment');
	return;
}
