# Installing kid changes nothing for databases that do not use it. The test tries every operator, function name and
# conversion that kid has, for all pairs of PostgreSQL's types, literals and parameters. If an expression has a meaning
# without kid, its parse tree is the same with kid.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# Errors are results here, and there are tens of thousands of them.
$node->append_conf('postgresql.conf',
	"autovacuum = off\nfsync = off\nlog_min_messages = fatal\nlog_min_error_statement = fatal\n");
$node->start;

# The names that kid defines, as installed.
$node->safe_psql('postgres', 'CREATE EXTENSION kid; CREATE DATABASE other');
my $of_kid = q{pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
	AND e.extname = 'kid' AND d.deptype = 'e'};
my @operators = split /\n/, $node->safe_psql('postgres', qq{
	SELECT DISTINCT oprname FROM pg_operator o JOIN $of_kid ON d.objid = o.oid
		AND d.classid = 'pg_operator'::regclass});
my @functions = split /\n/, $node->safe_psql('postgres', qq{
	SELECT DISTINCT quote_ident(proname) FROM pg_proc p JOIN $of_kid ON d.objid = p.oid
		AND d.classid = 'pg_proc'::regclass});
# The names that PostgreSQL has too, with their numbers of arguments. For all other names no call can have had a meaning
# before, except f(row), which means row.f.
my @shared = split /\n/, $node->safe_psql('postgres', qq{
	SELECT DISTINCT quote_ident(proname), n FROM pg_proc p JOIN $of_kid ON d.objid = p.oid
		AND d.classid = 'pg_proc'::regclass,
	                generate_series(greatest(pronargs - pronargdefaults, 1), pronargs) AS n
	 WHERE EXISTS (SELECT FROM pg_proc other WHERE other.proname = p.proname
		AND other.pronamespace = 'pg_catalog'::regnamespace)});
my %arity = map { $_ => [1] } @functions;
foreach (@shared)
{
	my ($name, $arguments) = split /\|/;
	push @{ $arity{$name} }, $arguments if $arguments > 1;
}
note "operators: @operators; functions: ", scalar(@functions), ', of which others have: ', join ' ', @shared;
ok((grep { $_ eq '<@' } @operators) && (grep { $_ eq 'kid_next' } @functions) && (grep { $_ eq 'min|1' } @shared),
	'the names to try are those of kid');
is(join(' ', grep { grep { $_ > 2 } @{ $arity{$_} } } @functions), '',
	'no function with three arguments shares its name with PostgreSQL, so it is enough to try pairs');

# Operands of each type that a query may have: PostgreSQL's own types, and types that users create.
$node->safe_psql('other', q{
	CREATE TYPE mood AS ENUM ('sad', 'ok');
	CREATE TYPE pair AS (kid_timestamp bigint, b text);
	CREATE TYPE uuid_range AS RANGE (subtype = uuid);
	CREATE DOMAIN whole AS bigint;
	CREATE DOMAIN words AS text;
	CREATE DOMAIN word AS varchar(20);
	CREATE DOMAIN span AS tstzrange;
	CREATE DOMAIN moment AS timestamptz;
	CREATE TABLE operands (written text, type regtype);
	INSERT INTO operands (type)
	SELECT oid FROM pg_type
	 WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r', 'm') AND typcategory NOT IN ('A', 'Z')
	UNION ALL SELECT unnest('{int2vector, oidvector, int4[], int8[], numeric[], text[], varchar[], uuid[],
		timestamptz[], tstzrange[], mood, pair, pair[], uuid_range, uuid_multirange, whole, words, word, span,
		moment}'::regtype[]);
	UPDATE operands SET written = format('NULL::%s', type);
	-- The target of assignments.
	SELECT format('CREATE TABLE o (%s)', string_agg(format('%I %s', type, type), ', ')) FROM operands \gexec
	-- To the parser NULL is a literal like any other, and no input function rejects it. $ is a parameter.
	INSERT INTO operands VALUES ('ROW(1, NULL)', NULL), ('NULL', NULL), ('$', NULL);

	-- The expressions to try, and the outcomes: the parse tree, or the SQLSTATE of the error.
	CREATE TABLE expressions (n int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text, written text);
	CREATE UNLOGGED TABLE outcomes (with_kid boolean, n int, tree text, error text, PRIMARY KEY (n, with_kid));

	CREATE PROCEDURE resolve(with_kid boolean, first int, last int) LANGUAGE plpgsql AS $$
	DECLARE
		e record;
		batch record;
		trees text;
		types text;
		failure text;
	BEGIN
		-- Try each expression by itself to see whether it has a meaning.
		FOR e IN SELECT * FROM expressions WHERE n BETWEEN first AND last ORDER BY n LOOP
			types := NULL;
			failure := NULL;
			BEGIN
				EXECUTE 'PREPARE probe AS ' || CASE e.kind WHEN 'assignment' THEN e.written
					ELSE format('SELECT pg_typeof(%s)', e.written) END;
				-- An expression with parameters cannot be stored. The types of its parameters identify the operator.
				IF e.kind = 'assignment' OR e.written ~ '[$]' THEN
					SELECT parameter_types::text INTO types FROM pg_prepared_statements WHERE name = 'probe';
				END IF;
				DEALLOCATE probe;
			EXCEPTION WHEN OTHERS THEN
				failure := SQLSTATE;
			END;
			INSERT INTO outcomes VALUES (with_kid, e.n, types, failure);
		END LOOP;
		-- The meanings: columns of views, as they are stored.
		FOR batch IN
			SELECT array_agg(n ORDER BY n) AS numbers,
				string_agg(format('pg_typeof(%s) AS e%s', written, n), ', ' ORDER BY n) AS columns
			  FROM (SELECT n, written, row_number() OVER (ORDER BY n) AS row FROM expressions JOIN outcomes USING (n)
			         WHERE n BETWEEN first AND last AND outcomes.with_kid = resolve.with_kid AND tree IS NULL
			             AND error IS NULL) AS s GROUP BY row / 400
		LOOP
			EXECUTE format('CREATE TEMPORARY VIEW batch AS SELECT %s', batch.columns);
			SELECT ev_action INTO trees FROM pg_rewrite WHERE ev_class = 'batch'::regclass;
			UPDATE outcomes SET tree = substr(part, strpos(part, 'TARGETENTRY'))
			  FROM string_to_table(regexp_replace(trees, ':(location|resno) -?\d+', '', 'g'),
				' :resname e') WITH ORDINALITY AS parts (part, i)
			 WHERE outcomes.with_kid = resolve.with_kid AND n = batch.numbers[i];
			DROP VIEW batch;
		END LOOP;
	END $$;
});

# All expressions to try. UNION, VALUES and COALESCE find their common type as CASE does.
my $names = 'unnest(ARRAY[' . join(', ', map { "'$_'" } @operators) . ']) AS name';
$node->safe_psql('other', qq{
	CREATE VIEW pairs AS
	SELECT replace(a.written, '\$', '\$1') AS a, replace(b.written, '\$', CASE a.written WHEN '\$' THEN '\$2'
		ELSE '\$1' END) AS b, b.type
	  FROM operands a, operands b;
	INSERT INTO expressions (kind, written)
	SELECT 'operator', format('%s %s %s', a, name, b) FROM pairs, $names;
	INSERT INTO expressions (kind, written)
	SELECT 'operator', format('%s %s %s (%s)', a, name, quantifier, b)
		FROM pairs, $names, unnest('{ANY, ALL}'::text[]) AS quantifier
	 WHERE type IS NULL OR type::text ~ '\\[]\$|vector\$';
	INSERT INTO expressions (kind, written)
	SELECT 'operator', format('%s %s', name, a) FROM pairs, $names WHERE b = 'NULL';
	INSERT INTO expressions (kind, written)
	SELECT 'conversion', format('CASE WHEN true THEN %s ELSE %s END', a, b) FROM pairs;
	INSERT INTO expressions (kind, written)
	SELECT 'conversion', format('CAST(%s AS %s)', a, type) FROM pairs WHERE type IS NOT NULL;
	INSERT INTO expressions (kind, written)
	SELECT 'assignment', format('UPDATE o SET %I = %s', type, a) FROM pairs WHERE type IS NOT NULL;
});
foreach my $name (sort keys %arity)
{
	foreach my $arguments (@{ $arity{$name} })
	{
		# Each call is in a sub-query, because min() and max() allow no other columns beside them.
		my $call = $arguments == 1 ? "$name(%s)" : "$name(%s, %s)";
		my $other = $arguments == 1 ? q{WHERE b = 'NULL'} : '';
		$node->safe_psql('other', qq{
			INSERT INTO expressions (kind, written)
			SELECT 'function', format('(SELECT $call)', a, b) FROM pairs $other});
	}
}
note 'expressions: ', join ', ', split /\n/,
  $node->safe_psql('other', q{SELECT kind, count(*) FROM expressions GROUP BY kind ORDER BY kind});

# Resolves everything, without or with kid, in sessions of some thousand expressions each: a session keeps a list of
# operators in its cache, which is searched linearly until 17.
my $count = $node->safe_psql('other', 'SELECT max(n) FROM expressions');

# Resolves all calls, with kid or without, some thousand in a transaction.
sub resolve_all
{
	my ($with_kid) = @_;
	for (my $first = 1; $first <= $count; $first += 5000)
	{
		$node->safe_psql('other', "CALL resolve($with_kid, $first, $first + 4999)");
	}
	return;
}
resolve_all('false');
$node->safe_psql('other', 'CREATE EXTENSION kid');
resolve_all('true');
$node->safe_psql('other', q{
	ANALYZE outcomes;
	CREATE VIEW changes AS
	SELECT kind, written, before.error AS error_before, after.error AS error_after, before.tree AS tree_before,
		after.tree AS tree_after
	  FROM expressions JOIN outcomes before USING (n) JOIN outcomes after USING (n)
	 WHERE NOT before.with_kid AND after.with_kid
		AND (before.error IS DISTINCT FROM after.error OR before.tree IS DISTINCT FROM after.tree);
	-- The operators and functions that a tree calls.
	CREATE FUNCTION meaning(tree text) RETURNS text LANGUAGE sql RETURN
		(SELECT string_agg(CASE m[1] WHEN 'opno' THEN m[2]::oid::regoperator::text
			ELSE m[2]::oid::regprocedure::text END, ' ')
		   FROM regexp_matches(tree, ':(opno|funcid|aggfnoid|winfnoid) (\d+)', 'g') AS m);
});
my $resolved = $node->safe_psql('other', 'SELECT count(*) FROM outcomes WHERE NOT with_kid AND error IS NULL');
cmp_ok($resolved, '>', 6000, "$resolved expressions have a meaning without kid");
is($node->safe_psql('other', q{SELECT count(*) FROM expressions e
		WHERE (SELECT count(*) FROM outcomes o WHERE o.n = e.n AND (error IS NOT NULL OR tree <> '')) <> 2}),
	0, 'every expression has been tried twice');
my @changed = split /\n/, $node->safe_psql('other', q{
	SELECT concat_ws(' ', written, '   was:', coalesce(meaning(tree_before), tree_before), '   is:', error_after,
		coalesce(meaning(tree_after), tree_after))
	  FROM changes WHERE error_before IS NULL ORDER BY kind, written COLLATE "C"});
ok(!@changed, 'every expression with a meaning has the same meaning with kid')
  or diag scalar(@changed), " have not:\n", join "\n", @changed[ 0 .. ($#changed > 39 ? 39 : $#changed) ];
# The same for conversions, by the catalog.
is($node->safe_psql('other', qq{
	SELECT castsource::regtype, casttarget::regtype FROM pg_cast c
		JOIN $of_kid ON d.objid = c.oid AND d.classid = 'pg_cast'::regclass
	 WHERE NOT EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kid'
		AND d.deptype = 'e'
	                    WHERE d.classid = 'pg_type'::regclass AND d.objid IN (castsource, casttarget))}), '',
	'every cast has a type of kid');
# An expression that was an error must remain one. The exception is a comparison of a uuid with a time.
my $operands = '(uuid,timestamp with time zone|timestamp with time zone,uuid)';
my $uuid_and_time =
  qq{meaning(tree_after) ~ '^pg_typeof\\("any"\\) [<>]=?\\($operands\\)( timestamptz\\([a-z ]+\\))?\$'};
is($node->safe_psql('other', q{
	SELECT concat_ws(' ', written, '   was:', error_before, '   is:', coalesce(meaning(tree_after), tree_after))
	  FROM changes WHERE error_after IS NULL AND error_before IS NOT NULL
		AND NOT (kind = 'function' AND written ~ 'SELECT (kid|sno|flake|flax)')
	   AND NOT } . $uuid_and_time . q{
	 ORDER BY kind, written COLLATE "C"}), '', 'no other expression has a meaning with kid only');
is($node->safe_psql('other', qq{
	SELECT count(*), count(*) FILTER (WHERE written ~ 'uuid' AND written ~ 'timestamp|date|moment') FROM changes
		WHERE error_before = '42883' AND $uuid_and_time}),
	'72|72', 'uuid can be compared with timestamptz, and with what is implicitly converted to it');
diag "of errors, $_" foreach split /\n/, $node->safe_psql('other', q{
	SELECT error_before || ' became ' || error_after || ': ' || count(*) FROM changes
		WHERE error_before IS NOT NULL AND error_after IS NOT NULL
	 GROUP BY error_before, error_after ORDER BY error_before, error_after});

# What clients and ORMs write, with the operators called and the value: one line each, so that a failure
# shows what broke.
$node->safe_psql('other', q{
	CREATE TABLE bookings (id bigint, key uuid, during tstzrange, days daterange, at timestamptz, tags text[],
		numbers int[], doc jsonb, title varchar(20), place point);
	INSERT INTO bookings VALUES (5, '00000000-0000-7000-8000-000000000000', '[2026-01-10,2026-01-20)',
		'[2026-01-10,2026-01-20)', '2026-01-10 12:00', '{a,b}', '{1,2}', '{"a": 1}', 'x', '(0,0)');
	CREATE FUNCTION calls(expression text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		tree text;
	BEGIN
		EXECUTE format('CREATE TEMPORARY VIEW one AS SELECT %s AS e FROM bookings', expression);
		SELECT meaning(ev_action::text) INTO tree FROM pg_rewrite WHERE ev_class = 'one'::regclass;
		DROP VIEW one;
		RETURN tree;
	END $$;
});
foreach (
	[ q{during @> '[2026-01-10,2026-01-11)'}, '@>(anyrange,anyrange)', 't' ],
	[ q{'[2026-01-10,2026-01-11)' <@ during}, '<@(anyrange,anyrange)', 't' ],
	[ q{during <@ '[2026-01-10,2026-02-01)'}, '<@(anyrange,anyrange)', 't' ],
	[ q{'[2026-01-01,2026-02-01)' @> during}, '@>(anyrange,anyrange)', 't' ],
	[ q{during @> ANY ('{"[2026-01-10,2026-01-11)"}')}, '@>(anyrange,anyrange)', 't' ],
	[ q{during @> NULL}, '@>(anyrange,anyrange)', '' ],
	[ q{NULL <@ during}, '<@(anyrange,anyrange)', '' ],
	[ q{during @> at}, '@>(anyrange,anyelement)', 't' ],
	[ q{at <@ during}, '<@(anyelement,anyrange)', 't' ],
	[ q{during @> timestamptz '2026-01-10'}, '@>(anyrange,anyelement)', 't' ],
	[ q{during @> tstzrange('2026-01-10', '2026-01-11')},
		'@>(anyrange,anyrange) tstzrange(timestamp with time zone,timestamp with time zone)', 't' ],
	[ q{during <@ '{[2026-01-01,2026-02-01)}'::tstzmultirange}, '<@(anyrange,anymultirange)', 't' ],
	[ q{days @> '[2026-01-10,2026-01-11)'}, '@>(anyrange,anyrange)', 't' ],
	[ q{days @> date '2026-01-10'}, '@>(anyrange,anyelement)', 't' ],
	[ q{5 <@ int4range(1, 10)}, '<@(anyelement,anyrange) int4range(integer,integer)', 't' ],
	[ q{int4range(1, 10) @> 5}, '@>(anyrange,anyelement) int4range(integer,integer)', 't' ],
	[ q{id <@ int8range(1, 10)}, '<@(anyelement,anyrange) int8range(bigint,bigint) int8(integer) int8(integer)', 't' ],
	[ q{id <@ '[1,10)'::int8range}, '<@(anyelement,anyrange)', 't' ],
	[ q{1.5 <@ numrange(1, 2)},
		'<@(anyelement,anyrange) numrange(numeric,numeric) "numeric"(integer) "numeric"(integer)', 't' ],
	[ q{tags @> '{a}'}, '@>(anyarray,anyarray)', 't' ],
	[ q{'{a}' <@ tags}, '<@(anyarray,anyarray)', 't' ],
	[ q{tags @> ARRAY['a']}, '@>(anyarray,anyarray)', 't' ],
	[ q{numbers <@ '{1,2,3}'}, '<@(anyarray,anyarray)', 't' ],
	[ q{doc @> '{"a": 1}'}, '@>(jsonb,jsonb)', 't' ],
	[ q{'{"a": 1}' <@ doc}, '<@(jsonb,jsonb)', 't' ],
	[ q{doc - 'a'}, '-(jsonb,text)', '{}' ],
	[ q{place <@ box '((0,0),(1,1))'}, '<@(point,box)', 't' ],
	[ q{id = 5}, '=(bigint,integer)', 't' ],
	[ q{id = '5'}, '=(bigint,bigint)', 't' ],
	[ q{id = 5.0}, '=(numeric,numeric) "numeric"(bigint)', 't' ],
	[ q{id IN (5, 6)}, '=(bigint,bigint) int8(integer) int8(integer)', 't' ],
	[ q{id IN ('5', '6')}, '=(bigint,bigint)', 't' ],
	[ q{id = ANY ('{5,6}')}, '=(bigint,bigint)', 't' ],
	[ q{id BETWEEN 1 AND '9'}, '>=(bigint,integer) <=(bigint,bigint)', 't' ],
	[ q{id - 1}, '-(bigint,integer)', '4' ],
	[ q{id - '1'}, '-(bigint,bigint)', '4' ],
	[ q{- id}, '-(NONE,bigint)', '-5' ],
	[ q{key = '00000000-0000-7000-8000-000000000000'}, '=(uuid,uuid)', 't' ],
	[ q{key < 'ffffffff-ffff-ffff-ffff-ffffffffffff'}, '<(uuid,uuid)', 't' ],
	[ q{key > '00000000-0000-0000-0000-000000000000'}, '>(uuid,uuid)', 't' ],
	[ q{key BETWEEN '00000000-0000-0000-0000-000000000000' AND 'ffffffff-ffff-ffff-ffff-ffffffffffff'},
		'>=(uuid,uuid) <=(uuid,uuid)', 't' ],
	[ q{key < NULL}, '<(uuid,uuid)', '' ],
	[ q{NULL >= key}, '>=(uuid,uuid)', '' ],
	[ q{title = 'x'}, '=(text,text)', 't' ],
	[ q{title < 'y'::text}, '<(text,text)', 't' ],
	[ q{'a' < 'b'}, '<(text,text)', 't' ],
	[ q{at > '2026-01-10'}, '>(timestamp with time zone,timestamp with time zone)', 't' ],
	[ q{at < date '2026-02-01'}, '<(timestamp with time zone,date)', 't' ],
	[ q{at < now() - interval '0'},
		'<(timestamp with time zone,timestamp with time zone) -(timestamp with time zone,interval) now()', 't' ],
	[ q{at - '2026-01-10' = '12:00'}, '=(interval,interval) -(timestamp with time zone,timestamp with time zone)',
		't' ],
	[ q{max(title)}, 'max(text)', 'x' ],
	[ q{min('x')}, 'min(text)', 'x' ],
	[ q{max(id)}, 'max(bigint)', '5' ],
	[ q{NULLIF(id, '5')}, '=(bigint,bigint)', '' ],
	[ q{CASE WHEN true THEN id ELSE '7' END}, '', '5' ],
	[ q{(SELECT id UNION SELECT '5')}, '', '5' ])
{
	my ($expression, $calls, $value) = @$_;
	my ($status, $stdout, $stderr) = $node->psql('other',
		"SELECT calls(\$e\$$expression\$e\$); SELECT $expression FROM bookings");
	is($stderr || $stdout, "$calls\n$value", "$expression means the same with kid");
}
# With parameters, as drivers send them; some drivers declare their types.
foreach ([ 'during @> $1', '', 'tstzrange' ], [ '$1 <@ during', '', 'tstzrange' ],
	[ 'during @> $1', 'tstzrange', 'tstzrange' ], [ 'during @> $1', 'timestamptz', '"timestamp with time zone"' ],
	[ '$1 <@ int4range(1, 10)', 'int', 'integer' ], [ 'id <@ $1', 'int8range', 'int8range' ],
	[ 'id = $1', '', 'bigint' ], [ 'id < $1', 'int', 'integer' ], [ 'id = ANY ($1)', '', 'bigint[]' ],
	[ 'at >= $1', '', '"timestamp with time zone"' ], [ 'key = $1', '', 'uuid' ], [ 'key < $1', '', 'uuid' ],
	[ '$1 <= key', '', 'uuid' ], [ 'key > ANY ($1)', '', 'uuid[]' ], [ 'at < $1', 'date', 'date' ],
	[ 'title = $1', '', 'text' ], [ 'tags @> $1', '', 'text[]' ], [ 'doc @> $1', '', 'jsonb' ])
{
	my ($expression, $declared, $types) = @$_;
	my $prepare = $declared ? "p ($declared)" : 'p';
	my ($status, $stdout, $stderr) = $node->psql('other',
		"PREPARE $prepare AS SELECT $expression FROM bookings; SELECT parameter_types FROM pg_prepared_statements");
	is($stderr || $stdout, "{$types}",
		"$expression with a parameter " . ($declared || 'of no type') . ' means the same with kid');
}

$node->stop;
done_testing();
