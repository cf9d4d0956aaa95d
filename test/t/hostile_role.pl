# A hostile role without rights calls every function of kid with all arguments it can make.
use strict;
use warnings;
use Hostile;
use Sql;
use Test::More;
use Types;

use_hostile_server();

my $started = sql_in('postgres', 'SELECT pg_postmaster_start_time()');

# Data of another role: its first and last ID have times that no other data here has.
sql_in('postgres', q{
	CREATE DATABASE shared;
	CREATE ROLE tenant LOGIN;
	REVOKE ALL ON DATABASE shared FROM PUBLIC;
	GRANT CONNECT, TEMP ON DATABASE shared TO tenant;
});
sql_in('shared', q{
	CREATE EXTENSION kid_workers CASCADE;
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
my @secrets = split /\n/, sql_in('shared', q{
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
sql_in('shared', q{
	CREATE TABLE argument (type text, value text);
	CREATE TABLE member (id serial, name text, types text[], signature text, is_internal boolean);
	INSERT INTO member (name, types, signature, is_internal)
	SELECT p.oid::regproc::text, ARRAY(SELECT t::regtype::text FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, n)
		ORDER BY n), p.oid::regprocedure::text,
	       'internal'::regtype = ANY (p.proargtypes::oid[])
	  FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid JOIN pg_proc p ON p.oid = d.objid
	 WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
		AND e.extname IN ('kid', 'kid_workers') AND p.prokind = 'f'
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
sql_in('shared',
	"CREATE FUNCTION secrets() RETURNS text IMMUTABLE LANGUAGE SQL AS \$\$ SELECT \$q\$$pattern\$q\$ \$\$");
sql_in('shared', 'GRANT ALL ON SCHEMA tenant TO tenant');
is(output_of("SET search_path = tenant, public; $objects $attack", database => 'shared', role => 'tenant'), '',
	'the tenant creates tables and the function that attacks') or BAIL_OUT('no objects');
isnt(output_of('SELECT count(*) FROM secret', database => 'shared', role => 'tenant'), '2',
	'the tenant cannot read the tables of others');

# Each type name is looked up in the temporary schema first.
my @members = map { [ split /[|]/ ] } split /\n/,
  sql_in('shared', 'SELECT id, signature, is_internal FROM member ORDER BY id');
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
		my $output = output_of($query, database => 'shared', role => 'tenant');
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
my $refused = output_of(join('',
		map {
			my ($name, $types) = $_->[1] =~ /(.*)\((.*)\)/;
			my @types = split /,/, $types;
			map { my $value = $_; sprintf "SELECT public.%s(%s);\n", $name, join ', ', map { $value } @types }
			  'NULL', "''", '0', "'\\x00'::bytea"
		} @internal), database => 'shared', role => 'tenant');
is(() = $refused =~ /ERROR:  (?:42883|0A000)/g, 4 * @internal,
	'no function with internal arguments can be called from SQL') or diag $refused;

# Functions and settings that are not for everybody.
my @reserved = sort split /\n/,
  sql_in('shared', q{SELECT signature FROM member WHERE NOT has_function_privilege('tenant', signature, 'EXECUTE')
		AND signature NOT LIKE 'kid_workers.%'});
is(join(' ', @reserved), join(' ', sort 'kid_stats()', 'kid_observe_all()',
		'kid_reset_clock(timestamp with time zone,boolean)', 'kid_hold_clocks(timestamp with time zone)',
		'kid_lower_clocks(timestamp with time zone,boolean,text,text,text)', 'kid_workers()',
		'kid_add_workers(text,bigint,bigint,text,integer,bigint,integer,integer,integer,boolean)',
		'kid_adopt_workers(text)', 'kid_close_workers(text,bigint,bigint)',
		map { "$_->{observe}($_->{type})" } grep { $_->{observe} } all_types()),
	'PUBLIC may not call exactly the reserved functions');
my $settings = sql_in('shared',
	q{LOAD 'kid'; SELECT string_agg(name, ' ') FROM pg_settings WHERE name LIKE 'kid.%' AND context IN ('user')});
is($settings, '', 'there is no setting that everybody may set');

unlike(new_log(), qr/terminated by signal|TRAP:|PANIC:/, 'no server process crashed during the calls of the tenant');
is(sql_in('postgres', 'SELECT pg_postmaster_start_time()'), $started,
	'the server did not restart during the calls of the tenant');

$node->stop;
done_testing();
