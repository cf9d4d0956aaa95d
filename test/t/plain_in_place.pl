# The edition in plain SQL changes to the extension in place, without a rewrite, as docs/start/to_the_extension.sql
# says. The way up from each of its modules, in place and by a dump.
# Versions: the catalogs of PostgreSQL
use strict;
use warnings;
use Dialogue;
use Plain;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = use_plain_server();
my $folder = PostgreSQL::Test::Utils::tempdir;
my %block = to_the_extension();

$node->safe_psql('postgres',
	q{CREATE DATABASE inplace OWNER app; ALTER DATABASE inplace SET search_path = public, kid});
use_database($node, 'inplace', role => 'app');
is(install('app', 'inplace'), '', 'the script is installed: inplace');
sql(q{CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text);
	CREATE TABLE payments (id uuid PRIMARY KEY DEFAULT kid_uuidv7(), order_id kid64 REFERENCES orders);
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), kind text) PARTITION BY RANGE (id);
	SELECT kid_create_partitions('events', '1 day', now() + interval '2 days');
	INSERT INTO orders SELECT FROM generate_series(1, 1000); INSERT INTO payments (order_id) SELECT id FROM orders;
	INSERT INTO events SELECT kid64_at(now() + n * interval '1 hour') FROM generate_series(0, 30) AS n;
	SELECT kid_observe(kid64_floor(now() + interval '50 minutes')); INSERT INTO orders DEFAULT VALUES});
my $in_place = $block{'in place'} =~ s/^(LOCK TABLE [^;]*)(;.*\n)/$1, events$2$block{'partitioned before'}/mr
  =~ s/(?<=^CREATE EXTENSION kid SCHEMA kid;\n)/$block{'partitioned after'}/mr;
$in_place =~ s/^SELECT \* FROM kid\.kid_observe_all\(\);.*\n//m or die;
my $files = q{SELECT string_agg(oid::regclass || ' ' || relfilenode, ',' ORDER BY oid) FROM pg_class
	WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace};
my $all = q{SELECT (SELECT md5(string_agg(id::bigint || ' ', '' ORDER BY id)) FROM orders),
	(SELECT md5(string_agg(id::text || order_id::bigint, '' ORDER BY id)) FROM payments),
	(SELECT md5(string_agg(tableoid::regclass || ' ' || id::bigint, '' ORDER BY id::bigint)) FROM events)};
my $before = sql("$files; $all");
my %rest = (
	'view recent' => [ 'CREATE VIEW recent AS SELECT FROM payments WHERE kid_timestamp(id) > now()',
		'DROP VIEW recent' ],
	'column kind of table events2' => [ 'CREATE TABLE events2 (kind kid64[])', 'DROP TABLE events2' ],
	'default value for column n of table other' => [ 'CREATE TABLE other (n bigint DEFAULT kid_next())',
		'DROP TABLE other' ],
	'index payments_by_time' => [ 'CREATE INDEX payments_by_time ON payments (kid_timestamp(id))',
		'DROP INDEX payments_by_time' ],
	'trigger kid_track on table counted' => [ q{CREATE TABLE counted (id bigserial PRIMARY KEY);
		SELECT kid_track('counted')}, q{SELECT kid_untrack('counted'); DROP TABLE counted} ],
	'table kept' => [ 'CREATE TABLE kid.kept ()', 'DROP TABLE kid.kept' ],
	'function f()' => [ 'CREATE FUNCTION f() RETURNS bigint RETURN kid.kid_next()', 'DROP FUNCTION f()' ]);
foreach my $name (sort keys %rest)
{
	sql($rest{$name}[0]);
	like(error_of($in_place), qr/\A\w{5}: cannot drop .*\Q$name\E/s,
		"the change fails if something depends on kid: $name");
	is(sql("$files; $all"), $before, 'and changes nothing') if $name =~ /view/;
	is(error_of($rest{$name}[1]), '', 'which is dropped');
}
# A transaction that has written to one of the tables can go on with the next.
my ($writer, $owner) = map { open_session($node, 'inplace') } 1 .. 2;
answer($writer, 'BEGIN; INSERT INTO orders DEFAULT VALUES;');
answer($owner, 'SET ROLE app; SET client_min_messages = warning;');
ask($owner, $in_place);
$node->poll_query_until('inplace', 'SELECT count(*) > 0 FROM pg_locks WHERE NOT granted') or die;
is(answer($writer, 'INSERT INTO payments (order_id) SELECT id FROM orders LIMIT 1; ROLLBACK;'), '',
	'a transaction that writes meanwhile does not fail');
is(answer($owner), '', 'the tables change to the extension in place');
close_session($_) foreach $writer, $owner;
is(sql("$files; $all"), $before, 'without a rewrite, in the same partitions');
is($node->safe_psql('inplace', 'SELECT count(*) > 0 FROM kid_observe_all(); SELECT kid_next() > max(id) FROM orders'),
	"t\nt", 'and IDs rise');

# The way up from each module, by a dump and in place.
foreach my $modules ('ids', 'ids uuid', 'ids tables')
{
	my $old = "only_$modules" =~ tr/ /_/r;
	$node->safe_psql('postgres', "CREATE DATABASE $old OWNER app; CREATE DATABASE new_$old");
	sql_in($old, slurp_file("released/kid-$_--1.0.0.sql")) foreach split ' ', $modules;
	sql_in($old, 'CREATE TABLE orders (id kid.kid64 PRIMARY KEY DEFAULT kid.kid_next(),
			number bigint UNIQUE DEFAULT kid.kid53_next());
		INSERT INTO orders SELECT FROM generate_series(1, 100)');
	my $ids = q{SELECT count(*), string_agg(kid.kid64_to_text(id) || number, ' ' ORDER BY id) FROM orders};
	my $rows = sql_in($old, $ids);
	like($rows, qr/\A100[|]/, "kid-$modules makes IDs");
	my $rise = "SET search_path = public, kid; SELECT count(*) > 0 FROM kid.kid_observe_all(); $ids;
		SELECT kid.kid_next() > max(id) AND kid.kid53_next() > max(number) FROM orders";
	$node->command_ok([ 'pg_dump', '-U', 'app', '-f', "$folder/$old.sql", '--rows-per-insert=1000', '-N', 'kid',
			'-N', 'kid_clocks', $node->connstr($old) ], 'pg_dump');
	$node->safe_psql("new_$old", 'CREATE SCHEMA kid; CREATE EXTENSION kid SCHEMA kid');
	$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$folder/$old.sql",
			'-d', $node->connstr("new_$old") ], 'into a database with the extension');
	is($node->safe_psql("new_$old", $rise), "t\n$rows\nt", 'IDs are the same, and rise');
	$node->safe_psql($old, "SET search_path = public, kid; SET client_min_messages = warning;
		ALTER TABLE orders ALTER number DROP DEFAULT;\n$block{'orders in place'}
		ALTER TABLE orders ALTER number SET DEFAULT kid53_next()");
	is($node->safe_psql($old, $rise), "t\n$rows\nt", 'and in place');
}

$node->stop;
done_testing();
