# kid in its own schema: what works for a role without that schema in its search_path, and what fails with which error.
# It also runs the statements of docs/operate/run-and-watch.md about this.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE shop');
use_database($node, 'shop');

# Returns the results of a query, and the first line of each error and warning, without its position in the query.
sub outcome_of
{
	my ($results, $messages) = output_of($_[0]) =~ /\A(.*?)(^psql:.*)?\z/ms;
	return ($results =~ s/\n\z//r) . join '', ($messages // '') =~ /(?:ERROR|WARNING): .*/g;
}

# The statements of the page, in order.
my $page = slurp_file('docs/operate/run-and-watch.md');
my ($section) = $page =~ /^## In a schema of its own\n(.*?)^## /ms;
my @blocks = $section =~ /^```sql\n(.*?)^```/msg;
is(scalar @blocks, 2, 'docs/operate/run-and-watch.md has two blocks of statements');
sql($blocks[0]);
sql(q{
	CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text);
	CREATE TABLE lines (order_id kid64 REFERENCES orders ON UPDATE CASCADE ON DELETE CASCADE, n int);
	CREATE INDEX ON lines (order_id);
	CREATE TABLE fixed (order_id kid64 REFERENCES orders);
	CREATE VIEW recent AS SELECT * FROM orders WHERE id > now() - interval '1 hour';
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(),
		at_most kid64 CHECK (at_most < kid64_floor('2100-01-01'))) PARTITION BY RANGE (id);
	CREATE TABLE by_uuid (id uuid PRIMARY KEY DEFAULT kid_uuidv7()) PARTITION BY RANGE (id);
	CREATE TABLE by_sno (id sno DEFAULT sno_next()) PARTITION BY RANGE (id);
	INSERT INTO orders (id, item) VALUES ('.6.nef3Mk.3', 'tea'), (DEFAULT, 'milk'), (DEFAULT, 'rice');
	INSERT INTO lines SELECT id, 1 FROM orders;
});
is(output_of($blocks[1]), 'tea', 'the statements of docs/operate/run-and-watch.md work');
is(output_of("SET search_path = ''; SELECT public.item_of('.6.nef3Mk.3')"), 'tea',
	'a function with the schema in its own search_path works with an empty one');

# Runs each statement in its own transaction, without kid's schema in search_path.
sub without { return outcome_of("BEGIN; SET LOCAL search_path = public; $_[0]; ROLLBACK") }
my ($works, $fails) = (0, 0);
my $right_types = qr/(?:extensions.kid64|text|timestamp with time zone)/;
foreach my $case (
	[ q{INSERT INTO orders DEFAULT VALUES RETURNING length(id::text)}, 11 ],
	[ q{SELECT item FROM orders ORDER BY id DESC LIMIT 1}, 'rice' ],
	[ q{SELECT count(*) FROM (SELECT id FROM orders GROUP BY id) g}, 3 ],
	[ q{SELECT count(DISTINCT id) FROM orders}, 3 ],
	[ q{SELECT count(*) FROM (SELECT id FROM orders UNION SELECT order_id FROM lines) u}, 3 ],
	[ q{INSERT INTO orders (id) SELECT id FROM orders ON CONFLICT (id) DO NOTHING RETURNING 1}, '' ],
	[ q{SELECT ARRAY[id] = ARRAY[id] FROM orders LIMIT 1}, 't' ], [ q{SELECT count(*) FROM recent}, 2 ],
	[ q{DELETE FROM orders WHERE item = 'tea'; SELECT count(*) FROM lines}, 2 ],
	[ q{UPDATE orders SET id = extensions.kid_next() WHERE item = 'tea'; SELECT count(*) FROM lines}, 3 ],
	[ q{INSERT INTO lines VALUES (1::bigint, 1)}, qr/23503/ ],
	[ q{INSERT INTO lines SELECT min(order_id::text)::extensions.kid64, 2 FROM lines RETURNING n}, 2 ],
	[ q{INSERT INTO fixed SELECT id FROM orders; DELETE FROM orders}, qr/23503/ ],
	[ q{SELECT item FROM orders WHERE id OPERATOR(extensions.=) '.6.nef3Mk.3'::extensions.kid64}, 'tea' ],
	[ q{SELECT count(*) FROM orders JOIN lines ON id OPERATOR(extensions.=) order_id}, 3 ],
	[ q{SELECT count(*) FROM orders WHERE id OPERATOR(extensions.>) (now() - interval '1 hour')}, 2 ],
	[ q{SELECT extensions.max(id) IS NULL FROM orders}, 'f' ],
	[ q{CREATE TABLE t (id extensions.kid64 PRIMARY KEY DEFAULT extensions.kid_next());
		CREATE INDEX ON t USING brin (id); INSERT INTO t DEFAULT VALUES RETURNING 1}, 1 ],
	[ q{ALTER TABLE lines VALIDATE CONSTRAINT lines_order_id_fkey; ANALYZE orders; REINDEX TABLE orders;
		CLUSTER orders USING orders_pkey; SELECT 1}, 1 ],
	[ q{SELECT count(*) FROM extensions.kid_check('orders')}, 0 ],
	[ q{SELECT clock FROM extensions.kid_observe_all() WHERE relation = 'orders'::regclass}, 'kid' ],
	[ q{SELECT count(*) FROM extensions.kid_stats()}, 5 ], [ q{SELECT lanes FROM extensions.kid_identity()}, 1 ],
	(map { my $table = $_; [ qq{SELECT count(*) FROM extensions.kid_create_partitions('$table', '1 day',
				now() + interval '2 days'); INSERT INTO $table DEFAULT VALUES; SELECT count(*) FROM $table;
			SELECT count(*), min(begins) <= now() FROM extensions.kid_partitions('$table');
			SELECT count(*) FROM extensions.kid_drop_partitions('$table', now() + interval '2 days', false)},
				"3\n1\n3|t\n2" ] }
		  qw(events by_uuid by_sno)),
	[ q{CREATE TABLE events_rest PARTITION OF events DEFAULT;
		SELECT count(*) FROM extensions.kid_create_partitions('events', '1 day', now() + interval '2 days');
		INSERT INTO events DEFAULT VALUES; SELECT count(*) FROM events_rest}, "3\n0" ],
	[ q{SELECT 1 FROM orders WHERE id = '.6.nef3Mk.3'},
		qr/42883: operator does not exist: extensions.kid64 = unknown/ ],
	(map { [ $_, qr/42883: operator does not exist: extensions.kid64 \S+ $right_types/ ] }
		  'SELECT 1 FROM orders JOIN lines ON id = order_id',
		'SELECT 1 FROM orders WHERE id IN (SELECT order_id FROM lines)',
		q{UPDATE orders SET item = 'x' WHERE id = (SELECT id FROM orders LIMIT 1)},
		'SELECT 1 FROM orders a JOIN orders b USING (id)', 'SELECT NULLIF(id, id) FROM orders',
		'SELECT id IS DISTINCT FROM id FROM orders',
		'SELECT CASE id WHEN id THEN 1 END FROM orders', 'SELECT 1 FROM orders WHERE id > now()',
		q{SELECT 1 FROM orders WHERE id = 'x'::text}, 'SELECT id BETWEEN id AND id FROM orders',
		'SELECT id = ANY (ARRAY[id]) FROM orders'),
	[ q{SELECT max(id) FROM orders}, qr/42883: function max\(extensions.kid64\) does not exist/ ],
	[ q{SELECT kid_next()}, qr/42883: function kid_next\(\) does not exist/ ],
	[ q{CREATE TABLE t (id kid64)}, qr/42704: type "kid64" does not exist/ ],
	[ q{CREATE FUNCTION f() RETURNS bigint LANGUAGE plpgsql SET search_path = '' AS $$ BEGIN RETURN (SELECT count(*)
			FROM public.orders JOIN public.lines ON id = order_id); END $$; SELECT f()}, qr/42883/ ],
	[ q{CREATE FUNCTION f() RETURNS bigint LANGUAGE plpgsql SET search_path = '' AS $$ BEGIN RETURN (SELECT count(*)
			FROM public.orders JOIN public.lines ON id OPERATOR(extensions.=) order_id); END $$; SELECT f()}, 3 ],
	[ q{CREATE FUNCTION f() RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, extensions AS $$ BEGIN
			RETURN (SELECT count(*) FROM public.orders JOIN public.lines ON id = order_id); END $$; SELECT f()}, 3 ])
{
	my ($query, $expected) = @$case;
	ref $expected ? like(without($query), $expected, $query =~ s/\s+/ /gr)
	  : is(without($query), $expected, $query =~ s/\s+/ /gr);
}

# A dump names kid's objects with their schema, and its restore has an empty search_path.
sql(q{SELECT kid_create_partitions('events', '1 day', now() + interval '1 second'); INSERT INTO events DEFAULT VALUES});
my $dump = $node->basedir . '/dump.sql';
sub restore
{
	my ($database) = @_;
	$node->command_ok([ 'pg_dump', '-d', $node->connstr('shop'), '-f', $dump ], 'pg_dump');
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database), '-f', $dump ],
		"the dump is restored to $database");
	my $count = 'SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM lines), (SELECT count(*) FROM events),
		(SELECT count(*) FROM recent)';
	is($node->safe_psql($database, $count), sql($count), "$database has all rows");
	is($node->safe_psql($database, 'INSERT INTO orders DEFAULT VALUES RETURNING 1'), 1, "$database has the defaults");
	return;
}
restore('restored');

# Views and other objects whose definition names no operator: the restore by the command of docs/operate/upgrading.md
# finds the schema. Definitions that name it, as the page says, need no command.
my ($command) = slurp_file('docs/operate/upgrading.md') =~ /^```\n(pg_dump shop \| sed .*? \| psql newshop)\n```$/ms;
my ($same) = slurp_file('docs/operate/upgrading.md') =~ /If both IDs can be NULL, write\s+`([^`]*)`/;
is(sql(q{SELECT count(*), bool_and((old.id IS DISTINCT FROM new.id) = (} . ($same // 'NULL')
		  . q{)) FROM (VALUES (NULL), ('1'), ('2')) AS old (id), (VALUES (NULL), ('1'), ('2')) AS new (id)}),
	'9|t', 'a named operator stands for IS DISTINCT FROM');
my $id = q{'...........'::kid64};
my %implied = (using => 'VIEW implied AS SELECT id FROM orders JOIN (SELECT order_id AS id FROM lines) AS l USING (id)',
	natural => 'VIEW implied AS SELECT id FROM orders NATURAL JOIN (SELECT order_id AS id FROM lines) AS l',
	nullif => 'VIEW implied AS SELECT NULLIF(order_id, order_id) AS id FROM lines',
	distinct => 'VIEW implied AS SELECT order_id IS DISTINCT FROM order_id AS id FROM lines',
	case => 'VIEW implied AS SELECT CASE order_id WHEN order_id THEN 1 END AS id FROM lines',
	trigger => 'TRIGGER implied BEFORE UPDATE ON orders FOR EACH ROW WHEN (old.id IS DISTINCT FROM new.id)
		EXECUTE FUNCTION suppress_redundant_updates_trigger()',
	rule => 'RULE implied AS ON UPDATE TO orders WHERE old.id IS DISTINCT FROM new.id DO INSTEAD NOTHING',
	policy => "POLICY implied ON orders USING (id IS DISTINCT FROM $id)",
	partial => "INDEX implied ON orders (item) WHERE NULLIF(id, $id) IS NULL",
	column => "INDEX implied ON orders ((CASE id WHEN $id THEN 1 END))",
	check => "ALTER TABLE orders ADD CONSTRAINT implied CHECK (id IS DISTINCT FROM $id)",
	function => 'FUNCTION implied(id kid64) RETURNS boolean LANGUAGE sql RETURN id IS DISTINCT FROM id',
	rows => "VIEW implied AS SELECT (order_id, n) > ($id, 1) AS later FROM lines",
	columns => "VIEW implied AS SELECT order_id > $id OR order_id = $id AND n > 1 AS later FROM lines",
	named => "VIEW implied AS SELECT (id = $id) IS NOT TRUE AS changed FROM orders
		WHERE CASE WHEN id = $id THEN false ELSE true END");
my %drop = ((map { $_ => "DROP $_ implied ON orders" } qw(trigger rule policy)),
	(map { $_ => 'DROP INDEX implied' } qw(partial column)),
	check => 'ALTER TABLE orders DROP CONSTRAINT implied', function => 'DROP FUNCTION implied');
my $has_it = q{SELECT EXISTS (SELECT FROM (SELECT relname FROM pg_class UNION ALL SELECT tgname FROM pg_trigger
	UNION ALL SELECT rulename FROM pg_rewrite UNION ALL SELECT polname FROM pg_policy
	UNION ALL SELECT conname FROM pg_constraint UNION ALL SELECT proname FROM pg_proc) AS o (name)
	WHERE name = 'implied')};
foreach my $name (sort keys %implied)
{
	sql('SET search_path = public, extensions; ' . ($implied{$name} =~ /^ALTER/ ? $implied{$name}
			: "CREATE $implied{$name}"));
	foreach my $with (0, 1)
	{
		my $line = $with ? $command : 'pg_dump shop | psql newshop';
		my $works = $name =~ /^(?:named|columns)$/ || $with && $name ne 'rows';
		local @ENV{qw(PGHOST PGPORT)} = ($node->host, $node->port);
		$node->safe_psql('postgres', 'CREATE DATABASE newshop');
		IPC::Run::run([ 'bash', '-c', "set -o pipefail; $line" ], '>', \my $stdout, '2>', \my $stderr);
		like($stderr, $works ? qr/^$/ : $name eq 'rows' ? qr/operator is not unique: integer extensions\.> integer/
			: qr/operator does not exist: extensions\.kid64 = extensions\.kid64/,
			"$name: the dump " . ($works ? 'is restored' : 'cannot be restored')
			  . ($with ? ' with the schema in search_path' : ' as it is'));
		is($node->safe_psql('newshop', $has_it), $works ? 't' : 'f', $works ? 'with the object' : 'without the object');
		$node->safe_psql('postgres', 'DROP DATABASE newshop');
	}
	sql($drop{$name} // 'DROP VIEW implied');
}

# pg_repack finds the row of a key by this query, with this search_path. If kid is in public, it can.
my $repack = q{BEGIN; SET LOCAL search_path = pg_catalog, pg_temp, public;
	SELECT count(*) FROM public.orders AS o WHERE (id) = (o.id)};
like(output_of($repack), qr/42883: operator does not exist/, 'pg_repack cannot compare keys in the schema of kid');
$node->safe_psql('postgres', 'CREATE EXTENSION kid; CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next());
	INSERT INTO orders DEFAULT VALUES');
is($node->safe_psql('postgres', $repack), 1, 'it can in public');

# kid stays in its schema. The schema gets another name.
like(output_of('ALTER EXTENSION kid SET SCHEMA public'), qr/0A000: extension "kid" does not support SET SCHEMA/,
	'kid cannot be moved');
sql(q{CREATE FUNCTION joined() RETURNS bigint LANGUAGE plpgsql SET search_path = public,
	extensions AS $$ BEGIN RETURN (SELECT count(*) FROM orders JOIN lines ON id = order_id); END $$});
my ($former, $days) = ('extensions', 0);
foreach my $name ('other', 'The last')
{
	$days += 3;
	my $schema = qq{"$name"};
	sql(qq{ALTER SCHEMA "$former" RENAME TO $schema});
	$former = $name;
	is(sql("SET search_path = public; INSERT INTO orders DEFAULT VALUES; SELECT count(*) > 2 FROM recent"), 't',
		"in schema $schema: defaults and views follow");
	is(sql("SET search_path = public; SELECT count(*) FROM $schema.kid_check('orders');
			SELECT count(*) > 0 FROM $schema.kid_create_partitions('events', '1 day', now() + interval '$days days');
		SELECT count(*) > 3 FROM $schema.kid_partitions('events');
		SELECT count(*) FROM $schema.kid_observe_all() WHERE relation = 'orders'::regclass;
		DELETE FROM orders WHERE item = 'rice'"), "0\nt\nt\n1",
		"in schema $schema: functions that maintain tables work");
	is(sql("SET search_path = public, $schema; SELECT item_of('.6.nef3Mk.3')"), 'tea',
		"in schema $schema: a function whose body was parsed follows");
	like(output_of('SELECT joined()'), qr/42883/, "in schema $schema: a function whose body is text does not follow");
	is(sql("SET search_path = public, $schema; SELECT count(*) FROM orders JOIN lines ON id = order_id"),
		sql('SELECT count(*) FROM lines'), "in schema $schema: operators are found by search_path");
}

$node->stop;
done_testing();
