# What the tests of hostile roles have in common: their server, code that owners of tables, schemas and databases plant
# wherever kid could run it on behalf of a superuser, and the calls by which a superuser maintains the tables.
package Hostile;
use strict;
use warnings;
use Dialogue;
use Exporter 'import';
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Types;

our @EXPORT = qw($node $superuser $tables @traps @relations use_hostile_server new_log planted lookalikes readings
  creation others_who_ran plant strangers look_after until_blocked);
our ($node, $superuser);

# Starts a server whose log shows who runs planted code, and sets $node and $superuser.
sub use_hostile_server
{
	$node = use_new_server("timezone = 'UTC'\nrestart_after_crash = on\nautovacuum = off\n"
		  . "log_statement = none\nlog_error_verbosity = verbose\n");
	$superuser = sql('SELECT current_user');
	return;
}

my $log_size = 0;

# Returns the log since the last call.
sub new_log
{
	my $log = slurp_file($node->logfile, $log_size);
	$log_size = -s $node->logfile;
	return $log;
}

# The planted code of an owner: wherever it runs, it inserts a row and writes a line to the log, which
# remains if the row is rolled back. An immutable function may not write, but it may call a function that
# does. KID stands for kid's schema.
sub planted
{
	my ($schema) = @_;
	return qq{
	CREATE TABLE $schema.log (who name);
	GRANT ALL ON $schema.log TO PUBLIC;
	CREATE FUNCTION $schema.note() RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN
		RAISE LOG 'planted code runs as %', current_user;
		INSERT INTO $schema.log SELECT current_user;
		RETURN true;
	END \$\$;
	CREATE FUNCTION $schema.yes(anyelement) RETURNS boolean IMMUTABLE
		LANGUAGE plpgsql AS \$\$ BEGIN RETURN $schema.note(); END \$\$;
	CREATE FUNCTION $schema.same(anyelement) RETURNS anyelement IMMUTABLE
		LANGUAGE plpgsql AS \$\$ BEGIN PERFORM $schema.note(); RETURN \$1; END \$\$;
	CREATE FUNCTION $schema.on_change() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN PERFORM $schema.note();
		RETURN coalesce(NEW, OLD); END \$\$;
};
}

# The tables, and then the traps on them: the owner fills the tables before adding the traps.
our $tables = q{
	CREATE FUNCTION own_next() RETURNS KID.kid64 LANGUAGE plpgsql AS $$ BEGIN PERFORM note();
		RETURN KID.kid_next(); END $$;
	CREATE DOMAIN key AS KID.kid64 DEFAULT own_next();
	CREATE TABLE plain (id KID.kid64 PRIMARY KEY, k key, n int DEFAULT 1, b bigint DEFAULT own_next()::bigint);
	INSERT INTO plain SELECT KID.kid64_make(t, 1), KID.kid64_make(t, 2)
		FROM unnest(ARRAY['1970-02-03', now(), '2300-01-01']::timestamptz[]) AS t;
	CREATE TABLE child (id KID.kid64 REFERENCES plain, r text);
	CREATE TABLE parent (id KID.kid64 NOT NULL, n int) PARTITION BY RANGE (id);
	CREATE TABLE rest PARTITION OF parent DEFAULT;
	CREATE TABLE old PARTITION OF parent FOR VALUES
		FROM (KID.kid64_floor('2020-01-01')) TO (KID.kid64_floor('2020-01-02'));
	INSERT INTO parent SELECT KID.kid64_make('2020-01-02 12:00', n), n FROM generate_series(1, 3) AS n;
	CREATE TABLE counted (id bigserial PRIMARY KEY, n int);
	INSERT INTO counted (n) VALUES (1);
	CREATE TABLE core (id bigint PRIMARY KEY DEFAULT KID.kid53_next(), u uuid UNIQUE DEFAULT KID.kid_uuidv7());
	INSERT INTO core DEFAULT VALUES;
};
our @traps = (
	'ALTER TABLE plain ALTER id SET DEFAULT own_next()', 'ALTER TABLE plain ADD CHECK (yes(id)) NOT VALID',
	'ALTER TABLE plain ADD g boolean GENERATED ALWAYS AS (yes(id)) STORED',
	'CREATE INDEX ON plain (same(id), id)', 'CREATE INDEX ON plain (id) WHERE yes(id)',
	'CREATE INDEX ON plain (id) WHERE yes(1)', 'CREATE STATISTICS planted ON (yes(id)), (same(n)) FROM plain',
	'ALTER TABLE plain ENABLE ROW LEVEL SECURITY', 'ALTER TABLE plain FORCE ROW LEVEL SECURITY',
	'CREATE POLICY p ON plain USING (yes(id))',
	(map { "CREATE TRIGGER row_change BEFORE INSERT OR UPDATE ON $_ FOR EACH ROW
			EXECUTE FUNCTION on_change()" } qw(plain parent counted)),
	(map { "CREATE TRIGGER change BEFORE INSERT OR UPDATE ON $_ FOR EACH STATEMENT
			EXECUTE FUNCTION on_change()" } qw(plain parent rest counted)),
	'ALTER TABLE counted ADD CHECK (yes(id)) NOT VALID', 'ALTER TABLE counted ALTER n SET DEFAULT same(1)',
	'CREATE INDEX ON counted (same(n)) WHERE yes(1)',
	'ALTER TABLE counted ENABLE ROW LEVEL SECURITY', 'ALTER TABLE counted FORCE ROW LEVEL SECURITY',
	'CREATE POLICY p ON counted USING (yes(id))',
	'CREATE VIEW seen AS SELECT same(id) AS id FROM plain WHERE yes(n)',
	'CREATE MATERIALIZED VIEW kept AS SELECT id FROM plain', 'CREATE UNIQUE INDEX ON kept (id) WHERE yes(id)',
	'ALTER TABLE parent ADD g int GENERATED ALWAYS AS (same(n)) STORED', 'ALTER TABLE parent ADD CHECK (yes(n))',
	'ALTER TABLE parent ALTER id SET DEFAULT own_next(), ALTER n SET DEFAULT same(1)',
	'CREATE INDEX ON parent (same(n))', 'CREATE INDEX ON parent (id) WHERE yes(1)',
	'CREATE INDEX ON rest (n) WHERE yes(1)', 'CREATE STATISTICS of_rest ON (yes(1)), n FROM rest',
	'CREATE TYPE pair AS (a int)', 'CREATE FUNCTION to_id(pair) RETURNS KID.kid64 IMMUTABLE
		LANGUAGE plpgsql AS $$ BEGIN PERFORM note(); RETURN 1; END $$',
	'CREATE CAST (pair AS KID.kid64) WITH FUNCTION to_id(pair) AS IMPLICIT',
);
our @relations = qw(plain child parent rest old seen kept core);

# Functions that kid, or code that it runs, could mistake for its own or for PostgreSQL's: those that
# kid's functions call, and PostgreSQL's.
my %lookalikes = (
	'kid_stored_ids(timestamptz, text, regclass, OUT clock text, OUT id text)' => 'SETOF record',
	'kid_stored_forms(OUT clock text, OUT type regtype)' => 'SETOF record',
	'kid_partition_bounds(regclass, OUT partition regclass, OUT detaching boolean)' => 'SETOF record',
	'kid_refuse(text, text)' => 'void', 'kid_partition_key(oid, OUT type regtype, OUT name name)' => 'record',
	'kid_check_isolation(varchar)' => 'void', 'kid_check_partition_setting(varchar)' => 'void',
	'kid_lock_partitions(oid)' => 'void', 'kid_lock_parent(oid, oid)' => 'void',
	'kid_report_detaching(oid, oid, boolean)' => 'void', 'kid_report_references(oid)' => 'void',
	'kid_partition_name(oid, interval, timestamptz, bigint)' => 'text',
	'kid_time_check(oid, name, text, name, name)' => 'text',
	'kid_id_columns(text, oid, OUT clock text, OUT type regtype)' => 'SETOF record',
	'kid_read_columns(oid, json, OUT clock text, OUT type regtype)' => 'SETOF record',
	'kid_read_ids(text, jsonb, int, OUT id text, OUT issued timestamptz)' => 'record',
	'kid_lock_column(json, boolean, OUT option int, OUT problem text)' => 'record',
	'kid_bound_at(oid, timestamptz)' => 'name', 'kid_bound_time(oid, text)' => 'timestamptz',
	'lpad(text, int)' => 'text', 'ltrim(text)' => 'text',
	'sum(bigint)' => 'bigint', 'pg_total_relation_size(oid)' => 'bigint', 'pg_stat_get_live_tuples(oid)' => 'bigint',
	'format(text, name)' => 'text', 'format(text, regclass, name)' => 'text',
	'format(text, regclass, name, regtype)' => 'text', 'format_type(oid, int)' => 'text',
	'unnest(smallint[])' => 'SETOF smallint',
	(map { ("${_}_floor(timestamptz)" => "KID.$_", "${_}_ceil(timestamptz)" => "KID.$_", "${_}_send(KID.$_)" => 'bytea',
				"kid_timestamp(KID.$_)" => 'timestamptz') } names_of()),
	'kid_uuidv7_floor(timestamptz)' => 'uuid', 'kid_timestamp(uuid)' => 'timestamptz', 'uuid_send(uuid)' => 'bytea',
	'format(text, text)' => 'text', 'format(text, text, text)' => 'text', 'quote_ident(name)' => 'text',
	'now()' => 'timestamptz', 'to_regclass(text)' => 'regclass', 'pg_get_expr(pg_node_tree, oid)' => 'text',
	'date_bin(interval, timestamptz, text)' => 'timestamptz', 'concat(text, text)' => 'text', 'length(text)' => 'int',
	'make_interval(int, int)' => 'interval',
);
my @types_of_catalogs = qw(oid regclass regtype regproc smallint int text name "char");
my @operands = (
	(map { my $name = $_; map { my $left = $_; map { [ $name, $left, $_ ] } @types_of_catalogs }
			  @types_of_catalogs } qw(= < <= > >= <>)),
	(map { my $name = $_; map { [ $name, $_, $_ ] } 'KID.kid64', 'bytea', 'timestamptz' } qw(= < <= > >= <>)),
	(map { [ $_, 'KID.kid64', 'timestamptz' ] } qw(= < <= > >= <>)),
	(map { ([ $_, 'int', 'smallint' ], [ $_, 'smallint', 'int' ], [ $_, 'int', 'bigint' ]) } qw(- & >>)),
	[ '||', 'text', 'text' ], [ '-', 'timestamptz', 'timestamptz' ], [ '>=', 'real', 'int' ]);

# Returns statements that create such functions and operators in a schema. Those that use kid's types come
# only if with_types is true.
sub lookalikes
{
	my ($schema, $with_types) = @_;
	my $body = "LANGUAGE plpgsql AS \$\$ BEGIN PERFORM $schema.note(); RETURN NULL; END \$\$";
	my $empty = $body =~ s/RETURN NULL/RETURN/r;
	my %pairs = map { ("$_->[1], $_->[2]" => 1) } @operands;
	my @statements = (
		(map { "CREATE FUNCTION $schema.$_ RETURNS $lookalikes{$_} "
				  . ($lookalikes{$_} =~ /SETOF|void|record/ ? $empty : $body) } sort keys %lookalikes),
		(map { "CREATE FUNCTION $schema.operate($_) RETURNS boolean $body" } sort keys %pairs),
		(map {
				my ($name, $left, $right) = @$_;
				"CREATE OPERATOR $schema.$name (LEFTARG = $left, RIGHTARG = $right, FUNCTION = $schema.operate)"
		} @operands));
	return join '', map { "$_;\n" } grep { $with_types || !/KID/ } @statements;
}

# Returns calls of kid's functions for maintaining tables that change no rows.
sub readings
{
	my ($kid, @relations) = @_;
	return ((map { ("SELECT * FROM $kid.kid_check('$_'::regclass)",
					"SELECT * FROM $kid.kid_stored_ids(timestamptz '2026-01-01', NULL::text, '$_'::regclass)",
					"SELECT * FROM $kid.kid_partitions('$_'::regclass)") } @relations),
		"SELECT $kid.kid_track('planted.counted'::regclass, NULL::name, true)",
		"CALL $kid.kid_horizon('planted.counted'::regclass, NULL::bigint)",
		"SELECT * FROM $kid.kid_track_holders('planted.counted'::regclass)",
		"SELECT $kid.kid_untrack('planted.counted'::regclass)",
		"SELECT * FROM $kid.kid_observe_all()", "SELECT * FROM $kid.kid_stats()", "SELECT * FROM $kid.kid_identity()",
		"SELECT $kid.kid_observe($kid.kid_next())",
		"SELECT $kid.kid_drop_partitions('planted.parent'::regclass, timestamptz '2020-01-02', true, 100)");
}

# Returns a call that creates partitions.
sub creation
{
	my ($kid, $since, $until) = @_;
	return "SELECT $kid.kid_create_partitions('planted.parent'::regclass, interval '1 day', timestamptz '$until',
		timestamptz '$since', 100)";
}

# Returns the roles that ran planted code, except its owner.
sub others_who_ran
{
	my ($database, $owner) = @_;
	my %others = map { $_ => 1 } new_log() =~ /planted code runs as (\S+)/g;
	$others{$_} = 1 foreach split /\n/, sql_in($database, 'SELECT DISTINCT who FROM planted.log');
	delete $others{$owner};
	sql_in($database, 'TRUNCATE planted.log');
	return join ' ', sort keys %others;
}

# Runs statements of an owner, none of which may fail.
sub plant
{
	my ($database, $role, $kid, $query) = @_;
	my $output = output_of($query =~ s/\bKID\b/$kid/gr, database => $database, role => $role);
	is(() = $output =~ /ERROR/g, 0, "$role plants code in $database without an error") or diag $output;
	return;
}

# Returns what objects of kid depend on, if it is neither of kid nor of PostgreSQL.
sub strangers
{
	my ($database) = @_;
	return sql_in($database, q{
		SELECT string_agg(pg_describe_object(d.classid, d.objid, 0) || ' on '
			|| pg_describe_object(d.refclassid, d.refobjid, 0), E'\n')
		FROM pg_depend d, pg_depend of_kid
		WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass) AND d.deptype = 'n'
		  AND of_kid.classid = d.classid AND of_kid.objid = d.objid AND of_kid.deptype = 'e'
		  AND NOT EXISTS (SELECT FROM pg_depend m WHERE m.classid = d.refclassid AND m.objid = d.refobjid
			AND m.deptype IN ('e', 'i'))});
}

# A superuser maintains the tables of `owner`, with each search_path.
sub look_after
{
	my ($database, $owner, $kid, @search_paths) = @_;
	new_log();
	output_of('SELECT id FROM planted.seen LIMIT 1', database => $database, role => $superuser);
	is(others_who_ran($database, $owner), $superuser, "$database: planted code that a superuser runs is detected");
	foreach my $path (@search_paths)
	{
		my $output = output_of(join('', map { "$_;\n" } "SET search_path = $path",
				readings($kid, map { "planted.$_" } @relations)), database => $database, role => $superuser);
		is(others_who_ran($database, $owner),
			'', "$database: a superuser with search_path = $path reads the tables, and runs no planted code")
		  or diag $output;
		# The errors are those of relations that are not partitioned.
		my $errors = qr/(?:\npsql:\S+ ERROR:  42809: [^\n]+\nLOCATION: [^\n]+)*/;
		like($output, qr/depend on code of another role.*(?<=[.\n])old$errors\z/s,
			"$database: with search_path = $path all calls that read succeed");
	}
	sql_in($database, "CREATE SCHEMA lent; GRANT USAGE ON SCHEMA lent TO PUBLIC; CREATE FUNCTION lent.observe_all()
			RETURNS bigint SECURITY DEFINER LANGUAGE SQL AS 'SELECT count(*) FROM $kid.kid_observe_all()'");
	like(output_of('SELECT lent.observe_all()', database => $database, role => $owner), qr/^\d+$/,
		"$database: the owner calls a function of a superuser that calls kid_observe_all()");
	is(others_who_ran($database, $owner), '', "$database: it runs no planted code as a superuser");
	my $path = $search_paths[-1];
	foreach ([ 'creates partitions', creation($kid, '2019-12-30', '2020-01-01') ],
		[ 'finds rows in the default partition', creation($kid, '2020-01-01', '2020-01-05') ],
		[ 'drops partitions',
			"SELECT $kid.kid_drop_partitions('planted.parent'::regclass, timestamptz '2020-01-02', false, 100)" ])
	{
		my ($name, $query) = @$_;
		my $output = output_of("SET search_path = $path; $query", database => $database, role => $superuser);
		is(others_who_ran($database, $owner), '', "$database: before a superuser $name, no planted code runs")
		  or diag $output;
		like($output, qr/ERROR:  42501: must be owner of table planted\.parent/, "$database: only the owner $name");
		$output = output_of("SET search_path = $path; SET ROLE $owner; $query", database => $database,
			role => $superuser);
		unlike($output, qr/ERROR/, "$database: as the owner, a superuser $name without an error") or diag $output;
	}
	return;
}

# Waits until a session waits for a lock that matches a condition on pg_locks, or has no query.
sub until_blocked
{
	my ($session, $lock) = @_;
	return wait_for_state($session, "state <> 'active' OR EXISTS (
		SELECT FROM pg_locks AS l WHERE l.pid = a.pid AND NOT granted AND $lock)");
}

1;
