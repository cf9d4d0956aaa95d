# What hostile roles can try. A role without rights calls every function of kid with all arguments it can make. Owners
# of tables, and the owner of a database, plant code wherever kid could run it on behalf of a superuser.
use strict;
use warnings;
use Dialogue;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Types;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf',
	"timezone = 'UTC'\nrestart_after_crash = on\nautovacuum = off\n"
	  . "log_statement = none\nlog_error_verbosity = verbose\n");
$node->start;

sub sql { my ($database, $query) = @_; return $node->safe_psql($database, $query) }

# Returns all that psql prints, errors with their SQLSTATE. PostgreSQL's own modules die if the server ends a session.
sub output_of
{
	my ($database, $role, $query) = @_;
	my $output = '';
	IPC::Run::run([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-v', 'SHOW_CONTEXT=never', '-U', $role,
			'-d', $node->connstr($database), '-f', '-' ],
		'<', \$query, '>', \$output, '2>&1', IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return $output;
}

my $log_size = 0;

# Returns the log since the last call.
sub new_log
{
	my $log = slurp_file($node->logfile, $log_size);
	$log_size = -s $node->logfile;
	return $log;
}

my $started = sql('postgres', 'SELECT pg_postmaster_start_time()');
my $superuser = sql('postgres', 'SELECT current_user');

#
# A role without rights.
#

# Data of another role: its first and last ID have times that no other data here has.
sql('postgres', q{
	CREATE DATABASE shared;
	CREATE ROLE tenant LOGIN;
	REVOKE ALL ON DATABASE shared FROM PUBLIC;
	GRANT CONNECT, TEMP ON DATABASE shared TO tenant;
});
sql('shared', q{
	CREATE EXTENSION kid;
	CREATE SCHEMA tenant AUTHORIZATION tenant;
	CREATE SCHEMA shells;
	GRANT USAGE ON SCHEMA shells TO tenant;
} . join(' ', map { "CREATE TYPE shells.$_;" } names_of(all_types())) . q{
	CREATE TABLE secret (id kid64 PRIMARY KEY DEFAULT kid_next(), n bigint DEFAULT kid_next() UNIQUE);
	INSERT INTO secret VALUES (kid64_make('1970-02-03 04:05:06', 7), 1), (kid64_make('2345-06-07 08:09:10', 7), 2);
	CREATE TABLE secret_parts (id kid64 PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE secret_part PARTITION OF secret_parts DEFAULT;
	INSERT INTO secret_parts SELECT id FROM secret;
	CREATE VIEW secret_view AS SELECT * FROM secret;
});
my @secrets = split /\n/, sql('shared', q{
	SELECT unnest(ARRAY[id::text, id::bigint::text, encode(id::bytea, 'hex'), kid_encode(id), kid_timestamp(id)::text])
		FROM secret});

# The role's own objects, and SQL for arguments of each type. Arguments of pseudo-types are tried as they are.
my $objects = q{
	CREATE TABLE plain (id kid64 PRIMARY KEY DEFAULT kid_next(), n int);
	INSERT INTO plain SELECT kid64_make(now(), n), n FROM generate_series(1, 3) AS n;
	CREATE TABLE empty ();
	CREATE VIEW seen AS SELECT * FROM plain;
	CREATE MATERIALIZED VIEW kept AS SELECT * FROM plain;
	CREATE SEQUENCE counter;
	CREATE TABLE by_time (id kid64 PRIMARY KEY, n int) PARTITION BY RANGE (id);
	CREATE TABLE by_time_rest PARTITION OF by_time DEFAULT;
	INSERT INTO by_time VALUES (kid64_make(now(), 1), 1);
	CREATE TABLE by_uuid (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE by_sno (id sno PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE by_list (id kid64) PARTITION BY LIST (id);
	CREATE TABLE by_hash (id kid64) PARTITION BY HASH (id);
	CREATE TABLE by_expression (id kid64) PARTITION BY RANGE ((id::text));
	CREATE TABLE by_two (id kid64, n int) PARTITION BY RANGE (id, n);
	CREATE TABLE by_number (id bigint) PARTITION BY RANGE (id);
};
my %arguments = (
	boolean => [qw(true false)],
	bigint => [qw(0 1 -1 3 1024 16384 4294967295 9223372036854775807 -9223372036854775808)],
	integer => [qw(0 1 -1 8 10 11 255 16383 16384 2147483647 -2147483648)],
	text => [ q{''}, qw('<' '<=' '>' '>=' '=' 'false' 'x'), q{'.6.nef3Mk.3'}, q{'018f3b5c-7d4e-7abc-8def-0123456789ab'},
		q{'1 = 1/0'}, q{'%s%n%1$s'}, q{'a"''\b'}, q{repeat('z', 16)}, q{repeat('x', 100000)},
		q{'ord'}, q{'_'}, q{repeat('x', 63)},
		map { ("repeat('0', $_)", "repeat('Z', $_)", "'ord_' || repeat('0', $_)") } 13, 16, 20, 26 ],
	cstring => [ q{''}, q{'x'}, q{'.6.nef3Mk.3'}, q{'zzzzzzzzzzz'}, q{'18446744073709551616'}, q{'0x'},
		q{repeat('2', 16)::cstring} ],
	bytea => [ map { sprintf q{decode(repeat('%s', %d), 'hex')}, ($_ % 3 ? 'ff' : '00'), $_ } 0 .. 40 ],
	'timestamp with time zone' => [ map { "'$_'" } 'infinity', '-infinity',
		'4713-01-01 BC', '294276-12-31 23:59:59.999999', '1970-01-01', '1969-12-31 23:59:59.999999', '2026-11-21',
		'2079-09-07 15:47:35.551', '35198-01-01' ],
	interval => [ map { "'$_'" } '0', '1 s', '1 day', '1 month', '-1 day', '0.5 s', '1 month 1 day', '178000000 years',
		'-178000000 years', '2147483647 days', '2147483647 months' ],
	uuid => [ map { "'$_'" } '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
		'018f3b5c-7d4e-7abc-8def-0123456789ab', '018f3b5c-7d4e-4abc-8def-0123456789ab' ],
	tstzrange => [ map { "'$_'" } 'empty', '(,)', '[,]', '[-infinity,infinity]', '(infinity,)',
		'[2026-01-01,2026-01-01]', '[2026-01-01,2026-02-01)', '[4713-01-01 BC,294276-12-31)' ],
	tstzmultirange => [ map { "'$_'" } '{}', '{(,)}', '{[2026-01-01,2026-02-01),(2027-01-01,]}',
		'{[-infinity,infinity]}' ],
	regclass => [ (map { "'$_'" } qw(plain empty seen kept counter by_time by_time_rest by_uuid by_sno by_list by_hash
			  by_expression by_two by_number plain_pkey by_time_pkey pg_temp.plain
			  public.secret public.secret_parts public.secret_part public.secret_view public.secret_pkey pg_class
			  pg_toast.pg_toast_1255 pg_stats information_schema.tables 0)), 4294967295, 99999, 9764 ],
	regtype => [ (map { "'$_'" } names_of(all_types()), qw(kid_span _kid64 text bytea int8 record anyelement internal
			  cstring trigger pg_class 0)), 4294967295, 99999,
		map { ("'pg_temp.$_'", "'tenant.$_'", "'tenant._$_'", "'shells.$_'") } names_of(all_types()) ],
	(map {
			my ($type, $bytes) = @$_{qw(type bytes)};
			$type => [ map { "'\\x" . $_ x $bytes . "'::bytea::$type" } qw(00 ff 01 7f 80) ];
	} own_types()),
);
$arguments{kid_span} = $arguments{tstzrange};

# Types named like those of IDs, each kind in its own transaction. Only a superuser can make shell types.
my @names = names_of(all_types());
my %types = (
	'nothing' => '',
	(map { my $base = $_; "domains over $base" => "CREATE DOMAIN %s AS $base" } qw(text bigint bytea int2 kid64 kid96)),
	enums => q{CREATE TYPE %s AS ENUM ('a')},
	composites => 'CREATE TYPE %s AS (a bigint)',
	ranges => 'CREATE TYPE %s AS RANGE (SUBTYPE = bigint)',
);

# A function that calls one member of the extension with up to at_most combinations of arguments, each in
# a subtransaction, and counts the outcomes. They are drawn from some 100,000 combinations: all those of
# eight arguments could not be sorted.
sql('shared', q{
	CREATE TABLE argument (type text, value text);
	CREATE TABLE member (id serial, name text, types text[], signature text, is_internal boolean);
	INSERT INTO member (name, types, signature, is_internal)
	SELECT p.oid::regproc::text, ARRAY(SELECT t::regtype::text FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, n)
		ORDER BY n), p.oid::regprocedure::text,
	       'internal'::regtype = ANY (p.proargtypes::oid[])
	  FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid JOIN pg_proc p ON p.oid = d.objid
	 WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
		AND e.extname = 'kid' AND p.prokind = 'f'
	 ORDER BY p.oid::regprocedure::text;
	-- Overloaded names have no regproc that can be called.
	UPDATE member SET name = split_part(signature, '(', 1);
	GRANT SELECT ON argument, member TO tenant;
} . join '', map {
		my $type = $_;
		map { my $value = $_ =~ s/'/''/gr; "INSERT INTO argument VALUES ('$type', '$value');" }
		  'NULL', @{ $arguments{$type} }
} sort keys %arguments);

my $attack = q{
	CREATE FUNCTION attack(which int, at_most int) RETURNS TABLE (outcome text, calls bigint) LANGUAGE plpgsql AS $$
	DECLARE
		m public.member;
		call text;
		said text;
		detail text;
		said_where text;
		seen jsonb := '{}';
	BEGIN
		SELECT * INTO m FROM public.member WHERE id = which;
		FOR call IN EXECUTE (
			SELECT format('SELECT format(%L, concat_ws('', '', %s)) FROM (SELECT 1) AS one %s
					ORDER BY hashtext(concat(%s %L)) LIMIT %s',
				'SELECT ' || m.name || '(%s) LIMIT 3',
				coalesce(string_agg(format('a%s.value', n), ', ' ORDER BY n), ''''''),
				coalesce(string_agg(format('CROSS JOIN (SELECT format(''CAST(%%s AS %s)'', value) AS value
							FROM public.argument WHERE type = %L ORDER BY hashtext(%L || value) LIMIT %s) AS a%s',
					type, type, n, ceil(100000 ^ (1.0 / cardinality(m.types))), n), ' ' ORDER BY n), ''),
				coalesce(string_agg(format('a%s.value, ', n), '' ORDER BY n), ''), m.signature, at_most)
			  FROM unnest(m.types) WITH ORDINALITY AS t (type, n))
		LOOP
			BEGIN
				EXECUTE format('SELECT string_agg(r::text, chr(10)) FROM (%s) AS r', call) INTO said;
				seen := seen || jsonb_build_object('00000', coalesce((seen ->> '00000')::bigint, 0) + 1);
			EXCEPTION WHEN OTHERS THEN
				GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, said_where = PG_EXCEPTION_CONTEXT;
				seen := seen || jsonb_build_object(SQLSTATE, coalesce((seen ->> SQLSTATE)::bigint, 0) + 1);
				IF SQLSTATE LIKE 'XX%' THEN
					seen := seen || jsonb_build_object(format('%s: %s: %s', SQLSTATE, left(call, 300), SQLERRM), 1);
				END IF;
				said := concat_ws(' ', SQLERRM, detail, said_where);
			END;
			IF said ~ public.secrets() THEN
				seen := seen || jsonb_build_object(format('told: %s: %s', call, left(said, 500)), 1);
			END IF;
		END LOOP;
		RETURN QUERY SELECT key, value::bigint FROM jsonb_each_text(seen);
	END $$;
};
my $pattern = join '|', map { quotemeta } @secrets;
sql('shared', "CREATE FUNCTION secrets() RETURNS text IMMUTABLE LANGUAGE SQL AS \$\$ SELECT \$q\$$pattern\$q\$ \$\$");
sql('shared', 'GRANT ALL ON SCHEMA tenant TO tenant');
is(output_of('shared', 'tenant', "SET search_path = tenant, public; $objects $attack"), '',
	'the tenant creates tables and the function that attacks') or BAIL_OUT('no objects');
isnt(output_of('shared', 'tenant', 'SELECT count(*) FROM secret'), '2', 'the tenant cannot read the tables of others');

# Each type name is looked up in the temporary schema first.
my @members = map { [ split /[|]/ ] } split /\n/,
  sql('shared', 'SELECT id, signature, is_internal FROM member ORDER BY id');
cmp_ok(scalar @members, '>', 300, 'the attack covers all functions: ' . @members);
cmp_ok(scalar(grep { $_->[1] =~ /regtype/ } @members), '>=', 1, 'some function takes a regtype');
my ($calls, @killed, @unexpected, %states) = (0);

# Calls functions in one session. If a call ends the session, a new session starts with the next function.
sub attack
{
	my ($kind, $at_most, @functions) = @_;
	my $create = $types{$kind};
	my $prepare = "SET search_path = tenant, public; SET statement_timeout = '2min'; SET client_min_messages = error;
		CREATE TEMPORARY TABLE plain (id kid64 PRIMARY KEY);\n";
	$prepare .= join '', map { my $name = $_; map { sprintf("$create;\n", "$_.$name") } 'pg_temp', 'tenant' } @names
	  if $create ne '';
	while (@functions)
	{
		my $query = "BEGIN; $prepare" . join('',
			map { "SAVEPOINT s; \\echo function $_->[0]\nSELECT * FROM attack($_->[0], $at_most); ROLLBACK TO s;\n" }
			  @functions) . "ROLLBACK;\n\\echo done";
		my $output = output_of('shared', 'tenant', $query);
		push @unexpected, "$kind: $1" while $output =~ /^(psql.*ERROR: .*)$/mg;
		my %outcome;
		my $last;
		foreach (split /\n/, $output)
		{
			if (/^function (\d+)$/) { $last = $1 }
			elsif (/^(\w{5})[|](\d+)$/) { $states{$1} += $2; $calls += $2 }
			elsif (/^((?:XX|told:).*)[|]\d+$/) { push @unexpected, "$kind: $1" }
		}
		return if $output =~ /^done$/m;
		die $output unless defined $last;
		push @killed, "$kind: " . (grep { $_->[0] == $last } @functions)[0][1];
		$node->poll_query_until('shared', 'SELECT true') or die;
		shift @functions until $functions[0][0] == $last;
		shift @functions;
	}
	return;
}

attack('nothing', 80, grep { $_->[2] eq 'f' } @members);
foreach my $kind (sort grep { $types{$_} ne '' } keys %types)
{
	attack($kind, 3000, grep { $_->[2] eq 'f' && $_->[1] =~ /[(].*reg(?:type|class)/
			  && $_->[1] !~ /[(].*(?:interval|boolean|text)/ } @members);
}
is(join("\n", @killed), '', 'no call by the tenant ends a session');
is(join("\n", @unexpected), '', 'no call by the tenant gives an internal error, or shows data of others');
cmp_ok($calls, '>', 10000, "the attack made $calls calls");
note join ', ', map { "$_: $states{$_}" } sort keys %states;
cmp_ok($states{'00000'}, '>', $calls / 10, 'at least a tenth of the calls succeed');

# No user can call a function that takes internal arguments, as no such argument can be made.
my @internal = grep { $_->[2] eq 't' } @members;
cmp_ok(scalar @internal, '>', 20, 'functions with internal arguments, for the server only: ' . @internal);
my $refused = output_of('shared', 'tenant', join '',
	map {
		my ($name, $types) = $_->[1] =~ /(.*)\((.*)\)/;
		my @types = split /,/, $types;
		map { my $value = $_; sprintf "SELECT public.%s(%s);\n", $name, join ', ', map { $value } @types }
		  'NULL', "''", '0', "'\\x00'::bytea"
	} @internal);
is(() = $refused =~ /ERROR:  (?:42883|0A000)/g, 4 * @internal,
	'no function with internal arguments can be called from SQL') or diag $refused;

# Functions and settings that are not for everybody.
my @reserved = sort split /\n/,
  sql('shared', q{SELECT signature FROM member WHERE NOT has_function_privilege('tenant', signature, 'EXECUTE')});
is(join(' ', @reserved), join(' ', sort 'kid_stats()', 'kid_observe_all()',
		'kid_reset_clock(timestamp with time zone,boolean)', 'kid_hold_clocks(timestamp with time zone)',
		'kid_lower_clocks(timestamp with time zone,boolean,text,text,text)',
		map { my ($type, $traits) = @$_{qw(type traits)}; map { $traits->{$_} ? "kid_$_($type)" : () } qw(observe) }
		  all_types()),
	'PUBLIC may not call exactly the reserved functions');
my $settings = sql('shared',
	q{LOAD 'kid'; SELECT string_agg(name, ' ') FROM pg_settings WHERE name LIKE 'kid.%' AND context IN ('user')});
is($settings, '', 'there is no setting that everybody may set');

unlike(new_log(), qr/terminated by signal|TRAP:|PANIC:/, 'no server process crashed during the calls of the tenant');
is(sql('postgres', 'SELECT pg_postmaster_start_time()'), $started,
	'the server did not restart during the calls of the tenant');

#
# Owners of objects that kid reads when a superuser calls it.
#

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
my $tables = q{
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
};
my @traps = (
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
my @relations = qw(plain child parent rest old seen kept);

# Functions that kid, or code that it runs, could mistake for its own or for PostgreSQL's: those that
# kid's functions call, and PostgreSQL's.
my %lookalikes = (
	'kid_stored_ids(timestamptz, text, regclass, OUT clock text, OUT id text)' => 'SETOF record',
	'kid_stored_forms(OUT clock text, OUT type regtype)' => 'SETOF record',
	'kid_partition_bounds(regclass, OUT partition regclass, OUT detaching boolean)' => 'SETOF record',
	'kid_refuse(text, text)' => 'void', 'kid_partition_key(oid, OUT type regtype, OUT name name)' => 'record',
	'kid_check_isolation(varchar)' => 'void', 'kid_check_partition_setting(varchar)' => 'void',
	'kid_lock_partitions(oid)' => 'void', 'kid_lock_parent(oid, oid)' => 'void',
	'kid_report_detaching(oid, oid, boolean)' => 'void', 'kid_partition_name(oid, interval, timestamptz)' => 'text',
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

# Returns calls of kid's functions for maintaining tables that change no rows. The next function returns a
# call that creates partitions.
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
	$others{$_} = 1 foreach split /\n/, sql($database, 'SELECT DISTINCT who FROM planted.log');
	delete $others{$owner};
	sql($database, 'TRUNCATE planted.log');
	return join ' ', sort keys %others;
}

# Runs statements of an owner, none of which may fail.
sub plant
{
	my ($database, $role, $kid, $query) = @_;
	my $output = output_of($database, $role, $query =~ s/\bKID\b/$kid/gr);
	is(() = $output =~ /ERROR/g, 0, "$role plants code in $database without an error") or diag $output;
	return;
}

# Returns what objects of kid depend on, if it is neither of kid nor of PostgreSQL.
sub strangers
{
	my ($database) = @_;
	return sql($database, q{
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
	output_of($database, $superuser, 'SELECT id FROM planted.seen LIMIT 1');
	is(others_who_ran($database, $owner), $superuser, "$database: planted code that a superuser runs is detected");
	foreach my $path (@search_paths)
	{
		my $output = output_of($database, $superuser, join '', map { "$_;\n" } "SET search_path = $path",
			readings($kid, map { "planted.$_" } @relations));
		is(others_who_ran($database, $owner),
			'', "$database: a superuser with search_path = $path reads the tables, and runs no planted code")
		  or diag $output;
		like($output, qr/depend on code of another role.*(?<=[.\n])old\n\z/s,
			"$database: with search_path = $path all calls that read succeed");
	}
	sql($database, "CREATE SCHEMA lent; GRANT USAGE ON SCHEMA lent TO PUBLIC; CREATE FUNCTION lent.observe_all()
			RETURNS bigint SECURITY DEFINER LANGUAGE SQL AS 'SELECT count(*) FROM $kid.kid_observe_all()'");
	like(output_of($database, $owner, 'SELECT lent.observe_all()'), qr/^\d+$/,
		"$database: the owner calls a function of a superuser that calls kid_observe_all()");
	is(others_who_ran($database, $owner), '', "$database: it runs no planted code as a superuser");
	my $path = $search_paths[-1];
	foreach ([ 'creates partitions', creation($kid, '2019-12-30', '2020-01-01') ],
		[ 'finds rows in the default partition', creation($kid, '2020-01-01', '2020-01-05') ],
		[ 'drops partitions',
			"SELECT $kid.kid_drop_partitions('planted.parent'::regclass, timestamptz '2020-01-02', false, 100)" ])
	{
		my ($name, $query) = @$_;
		my $output = output_of($database, $superuser, "SET search_path = $path; $query");
		is(others_who_ran($database, $owner), '', "$database: before a superuser $name, no planted code runs")
		  or diag $output;
		like($output, qr/ERROR:  42501: must be owner of table planted\.parent/, "$database: only the owner $name");
		$output = output_of($database, $superuser, "SET search_path = $path; SET ROLE $owner; $query");
		unlike($output, qr/ERROR/, "$database: as the owner, a superuser $name without an error") or diag $output;
	}
	return;
}

sql('postgres', 'CREATE DATABASE tables');
sql('tables',
	'CREATE EXTENSION kid; CREATE SCHEMA planted AUTHORIZATION tenant; GRANT USAGE ON SCHEMA planted TO PUBLIC');
plant('tables', 'tenant', 'public', planted('planted') . "SET search_path = planted, public; $tables" . join('',
		map { "$_;\n" } @traps) . lookalikes('planted', 1));
sql('tables', 'TRUNCATE planted.log');
look_after('tables', 'tenant', 'public', 'public', 'planted, public', 'planted, pg_catalog, public');

# While kid_observe_all() waits for a table, the owner of its schema gives the name of the schema to another one; while
# kid_observe_all() waits again, he takes the name back, and adds a trap to the table.
sql('tables', join '', 'GRANT CREATE ON DATABASE tables TO tenant;',
	map { "CREATE SCHEMA $_ AUTHORIZATION tenant; CREATE TABLE $_.swapped (id kid64 PRIMARY KEY DEFAULT kid_next());
		INSERT INTO $_.swapped DEFAULT VALUES; ALTER TABLE $_.swapped OWNER TO tenant;" } qw(genuine fake));
my $target = sql('tables', q{SELECT 'genuine.swapped'::regclass::oid});
my ($keeper, $locker, $renamer) = map { open_session($node, 'tables') } 1 .. 3;
answer($_, 'SET ROLE tenant;') foreach $locker, $renamer;

# Waits until a session waits for such a lock, or has no query.
sub until_blocked
{
	my ($session, $lock) = @_;
	$session->{handle}->pump_nb;
	$node->poll_query_until('tables', "SELECT state <> 'active' OR EXISTS (SELECT FROM pg_locks AS l
		WHERE l.pid = a.pid AND NOT granted AND $lock) FROM pg_stat_activity AS a WHERE pid = $session->{pid}") or die;
	return;
}
answer($locker, 'BEGIN; LOCK TABLE genuine.swapped;');
ask($keeper, q{SELECT relation, problem FROM kid_observe_all() WHERE relation::text LIKE '%swapped';});
until_blocked($keeper, "relation = $target");
ask($renamer, 'BEGIN; ALTER SCHEMA genuine RENAME TO other; ALTER SCHEMA fake RENAME TO genuine; COMMIT; BEGIN;
	ALTER SCHEMA genuine RENAME TO fake; ALTER SCHEMA other RENAME TO genuine;');
until_blocked($renamer, 'true');
answer($locker, "COMMIT; BEGIN; DO \$\$ BEGIN EXECUTE 'LOCK TABLE ' || ${target}::regclass; END \$\$;");
until_blocked($keeper, "relation <> $target");
ask($renamer, 'COMMIT;');
until_blocked($keeper, "relation = $target");
answer($locker, 'CREATE INDEX ON genuine.swapped (id) WHERE planted.yes(1); COMMIT;');
unlike(answer($keeper), qr/ERROR/, 'tables: kid_observe_all() while a schema is renamed');
is(others_who_ran('tables', 'tenant'), '', 'tables: it runs no planted code');
answer($renamer, ';');
answer($renamer, 'DROP INDEX genuine.swapped_id_idx; BEGIN; ALTER SCHEMA genuine RENAME TO other;');
is(sql('tables', q{SELECT relation FROM kid_observe_all() WHERE problem = 'the table is locked'}), 'genuine.swapped',
	'tables: while a schema is being renamed, the tables of others are read');
close_session($_) foreach $keeper, $locker, $renamer;

#
# The owner of a database, who created the extension in it.
#

sql('postgres', 'CREATE ROLE holder LOGIN; CREATE DATABASE held OWNER holder');
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
like(output_of('held', 'holder', 'CREATE EXTENSION kid SCHEMA planted'),
	qr/ERROR:  42723: function "\w+" already exists|ERROR:  42725: /,
	'kid cannot be created in a schema that has functions with its names');
is(others_who_ran('held', 'holder'), '', 'a failed CREATE EXTENSION runs no planted function');
plant('held', 'holder', 'planted', q{DO $$ DECLARE f regprocedure; BEGIN
	FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'planted'::regnamespace AND proname ~ 'kid|flake|sno|flax'
		AND oid <> 'planted.kid_library(int)'::regprocedure LOOP EXECUTE 'DROP FUNCTION ' || f; END LOOP; END $$;
	CREATE EXTENSION kid SCHEMA planted});
is(others_who_ran('held', 'holder'), '', 'a successful CREATE EXTENSION runs no planted function');
is(strangers('held'), '', 'no object of kid depends on a planted object');
# Nor what is put there while it runs: it only locks the name of the schema, defines objects, and asks
# which PostgreSQL it is.
my ($version) = slurp_file('kid.control') =~ /^default_version = '(.*)'$/m;
my $script = slurp_file("kid--$version.sql") =~ s/^(?:--|\\echo).*\n//mgr;
my $from_version = qr/    IF current_setting\('server_version_num'\)::int >= \d+ THEN\n/;
$script =~ s/^DO \$\$\nBEGIN\n$from_version        ALTER [^;]+;\n    END IF;\nEND \$\$;\n//mg;
$script =~ s/^DO \$\$\nBEGIN\n    PERFORM FROM pg_catalog\.pg_extension .*?^END \$\$;\n//ms;
$script =~ s/^BEGIN ATOMIC\n.*?\nEND(?=;\n)|\$(\w*)\$.*?\$\1\$//msg;
my %verbs = map { /^\s*(\w+)/ ? ($1 => 1) : () } split /;\n/, $script;
is(join(' ', sort keys %verbs), 'COMMENT CREATE DROP GRANT REVOKE SET',
	'nor anything that could be put there meanwhile');
is(sql('held', q{SELECT string_agg(DISTINCT p.proowner::regrole::text, ' ') FROM pg_depend d
		JOIN pg_proc p ON p.oid = d.objid WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e'}),
	$superuser, 'the functions of kid belong to a superuser');

# What the owner of the database must not be able to do, although the extension and its schema are his.
my $refuses = output_of('held', 'holder', 'CREATE SCHEMA elsewhere;' . join '', map { "$_;\n" } my @forbidden = (
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
				END $$; CREATE EVENT TRIGGER e ON ddl_command_start EXECUTE FUNCTION planted.on_ddl()'));
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
			pg_get_function_identity_arguments(p.oid) AS identity
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
					EXECUTE format('CREATE FUNCTION planted.%I(%s) RETURNS boolean LANGUAGE plpgsql AS %L', f.name,
						arguments, 'BEGIN RETURN planted.note(); END');
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
cmp_ok(sql('held', 'SELECT n FROM planted.overloads'), '>', 500,
	'the owner of the database created overloads of the functions');
like(output_of('held', $superuser, q{CREATE TABLE own (id planted.kid64 PRIMARY KEY DEFAULT 1);
		SELECT remedy FROM planted.kid_check('own'::regclass)}), qr/SET DEFAULT planted\.kid_next\(\);/,
	'a remedy of kid_check() names no planted function');
look_after('held', 'holder', 'planted', 'public', 'planted', 'evil, planted');

# The owner of kid's schema renames it, and puts functions of kid's names and arguments into a schema of
# the former name.
sql('postgres', 'CREATE DATABASE renamed OWNER holder');
plant('renamed', 'holder', 'home', 'CREATE SCHEMA planted; ' . planted('planted') . "CREATE SCHEMA home;
	CREATE EXTENSION kid SCHEMA home; GRANT USAGE ON SCHEMA home TO PUBLIC; SET search_path = planted, home;
	$tables" . join('', map { "$_;\n" } @traps) . q{
	ALTER SCHEMA home RENAME TO away;
	CREATE SCHEMA home;
	GRANT USAGE ON SCHEMA home TO PUBLIC;
	CREATE TABLE planted.overloads (n int);
	SET search_path = '';
	DO $$
	DECLARE
		f record;
		body text;
		made int := 0;
	BEGIN
		FOR f IN SELECT p.proname AS name, pg_get_function_arguments(p.oid) AS arguments,
			pg_get_function_result(p.oid) AS result
				   FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid JOIN pg_proc p ON p.oid = d.objid
				  WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass
					AND e.extname = 'kid' AND p.prokind = 'f' LOOP
			FOREACH body IN ARRAY '{RETURN NULL,RETURN}'::text[] LOOP
				BEGIN
					EXECUTE format('CREATE FUNCTION home.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.name, f.arguments,
						f.result, format('BEGIN PERFORM planted.note(); %s; END', body));
					made := made + 1;
				EXCEPTION WHEN OTHERS THEN NULL;
				END;
			END LOOP;
		END LOOP;
		INSERT INTO planted.overloads VALUES (made);
	END $$;
});
cmp_ok(sql('renamed', 'SELECT n FROM planted.overloads'), '>', 200,
	'the owner of the database made functions with the names of kid');
sql('renamed', 'TRUNCATE planted.log');
look_after('renamed', 'holder', 'away', 'public', 'planted, away', 'home, planted');

# While the script of kid waits for a function of the same name, which is not committed, the owner of the schema gives
# its name to a schema with functions like those of kid.
sql('postgres', 'CREATE DATABASE raced OWNER holder');
my %called = ('kid64_floor(timestamptz)' => 'bigint',
	(map { ("kid_check_$_(regclass)" =>
				  'TABLE (relation_name regclass, column_name text, problem text, remedy text)') }
		  qw(defaults foreign_keys partitions)),
	'kid_stored_ids(timestamptz, text, regclass)' =>
	  'TABLE (clock text, past text, prefix text, relation regclass, column_name text, id text, issued timestamptz,
		latest timestamptz, later text, later_issued timestamptz, problem text, passing boolean)');
plant('raced', 'holder', 'home', 'CREATE SCHEMA planted; ' . planted('planted')
	  . 'CREATE SCHEMA home; CREATE SCHEMA fake; GRANT USAGE ON SCHEMA home, fake, planted TO PUBLIC;'
	  . join '',
	map { "CREATE FUNCTION fake.$_ RETURNS $called{$_} LANGUAGE plpgsql AS \$\$ BEGIN PERFORM planted.note();
			RETURN" . ($called{$_} =~ /TABLE/ ? '' : ' NULL') . "; END \$\$;\n" } sort keys %called);
my ($creator, $waited_for, $giver) = map { open_session($node, 'raced') } 1 .. 3;
answer($_, 'SET ROLE holder;') foreach $creator, $waited_for, $giver;
answer($waited_for,
	'BEGIN; CREATE FUNCTION home.kid_check_partitions(regclass) RETURNS void LANGUAGE SQL RETURN NULL;');
ask($creator, 'CREATE EXTENSION kid SCHEMA home;');
until_blocked($creator, 'true');
ask($giver, 'BEGIN; ALTER SCHEMA home RENAME TO away; ALTER SCHEMA fake RENAME TO home; COMMIT;');
until_blocked($giver, 'true');
answer($waited_for, 'ROLLBACK;');
is(answer($creator), '', 'raced: CREATE EXTENSION waits for a function, and then succeeds');
unlike(answer($giver), qr/ERROR/, 'raced: the owner then renames the schema');
is(strangers('raced'), '', 'raced: no object of kid depends on a planted object');
new_log();
unlike(output_of('raced', $superuser, q{SELECT * FROM away.kid_check('pg_class'::regclass)}), qr/ERROR/,
	'raced: functions of kid work');
is(others_who_ran('raced', 'holder'), '', 'raced: they run no planted code');
close_session($_) foreach $creator, $waited_for, $giver;

# While a function of kid waits for a lock, the owner of kid's schema renames it, and creates what the function is about
# to name in a schema of the former name.
my %former = (
	'creates partitions' => q{CREATE FUNCTION %1$s.compare(%2$s.kid64, %2$s.kid64) RETURNS boolean
		LANGUAGE plpgsql AS $$ BEGIN RETURN planted.note(); END $$;
		CREATE OPERATOR %1$s.>= (LEFTARG = %2$s.kid64, RIGHTARG = %2$s.kid64, FUNCTION = %1$s.compare);
		CREATE OPERATOR %1$s.< (LEFTARG = %2$s.kid64, RIGHTARG = %2$s.kid64, FUNCTION = %1$s.compare);
		CREATE DOMAIN %1$s.kid64 AS %2$s.kid64;},
	'tracks a table' => q{CREATE FUNCTION %1$s.kid_track_enter() RETURNS trigger
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); RETURN NEW; END $$;},
	'checks a table' => join('', map { "CREATE FUNCTION %1\$s.kid64_$_(timestamptz) RETURNS bigint
			LANGUAGE plpgsql AS \$\$ BEGIN PERFORM planted.note(); RETURN NULL; END \$\$;" } qw(ceil floor))
	  . q{CREATE FUNCTION %1$s.kid_timestamp(%2$s.kid64) RETURNS timestamptz
		LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); RETURN NULL; END $$;
		CREATE FUNCTION %1$s.kid_timestamp(bigint) RETURNS timestamptz
			LANGUAGE plpgsql AS $$ BEGIN PERFORM planted.note(); RETURN NULL; END $$;});
sql('raced', q{
	GRANT CREATE ON SCHEMA planted TO tenant;
	CREATE TABLE planted.parent (id away.kid64 NOT NULL) PARTITION BY RANGE (id);
	CREATE TABLE planted.rest PARTITION OF planted.parent DEFAULT;
	INSERT INTO planted.rest VALUES (away.kid64_make('2040-01-01', 1));
	SET ROLE tenant;
	CREATE TABLE planted.tracked (id bigserial PRIMARY KEY, n int);
	CREATE TABLE planted.made (id bigint PRIMARY KEY DEFAULT away.kid_next());
	INSERT INTO planted.made DEFAULT VALUES;
	GRANT ALL ON planted.tracked, planted.made TO holder;
});
my ($home, $number) = ('away', 0);
foreach ([ 'creates partitions', $superuser, 'CREATE TABLE planted.parent_p20300102 ()',
		creation('%s', '2030-01-01', '2030-01-04'), 'SELECT' ],
	[ 'tracks a table', 'tenant', 'LOCK TABLE planted.tracked IN ROW EXCLUSIVE MODE',
		q{SELECT %s.kid_track('planted.tracked'::regclass)}, 'INSERT INTO planted.tracked (n) VALUES (1)' ],
	[ 'checks a table', 'tenant', 'LOCK TABLE planted.made IN SHARE UPDATE EXCLUSIVE MODE',
		q{SELECT * FROM %s.kid_check('planted.made'::regclass)}, 'SELECT' ])
{
	my ($what, $caller, $lock, $call, $use) = @$_;
	my ($before, $after) = ($home, 'away' . ++$number);
	my ($called, $keeps, $renames) = map { open_session($node, 'raced') } 1 .. 3;
	answer($called, "SET ROLE $caller;");
	answer($_, 'SET ROLE holder;') foreach $keeps, $renames;
	answer($keeps, "BEGIN; $lock;");
	new_log();
	ask($called, sprintf "$call;", $before);
	until_blocked($called, 'true');
	ask($renames, "ALTER SCHEMA $before RENAME TO $after; CREATE SCHEMA $before;
		GRANT USAGE ON SCHEMA $before TO PUBLIC; " . sprintf $former{$what}, $before, $after);
	until_blocked($renames, 'true');
	answer($keeps, 'ROLLBACK;');
	my $said = answer($called);
	unlike(answer($renames), qr/ERROR/, "raced: while $caller $what, the owner renames the schema");
	answer($called, "$use;");
	is(others_who_ran('raced', 'holder'), '', "raced: $caller $what, and runs no planted code") or diag $said;
	close_session($_) foreach $called, $keeps, $renames;
	$home = $after;
}

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
output_of('held', $superuser, join '', map { "$_;\n" } readings('planted', map { "planted.$_" } @relations),
	creation('planted', '2019-12-20', '2020-01-10'));
is(others_who_ran('held', 'holder'), '', 'held: no planted code runs if calls are ambiguous');

unlike(new_log(), qr/terminated by signal|TRAP:|PANIC:/, 'no server process crashed during the calls of the superuser');

$node->stop;
done_testing();
