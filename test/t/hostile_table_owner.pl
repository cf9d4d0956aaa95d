# A hostile owner of tables plants code in them, and in a schema that is first in the search_path of a superuser who
# maintains them. The superuser runs none of the code, which is in Hostile.pm.
use strict;
use warnings;
use Dialogue;
use Hostile;
use Sql;
use Test::More;

use_hostile_server();

sql_in('postgres', 'CREATE ROLE tenant LOGIN; CREATE DATABASE tables');
sql_in('tables',
	'CREATE EXTENSION kid; CREATE SCHEMA planted AUTHORIZATION tenant; GRANT USAGE ON SCHEMA planted TO PUBLIC');
plant('tables', 'tenant', 'public', planted('planted') . "SET search_path = planted, public; $tables" . join('',
		map { "$_;\n" } @traps) . lookalikes('planted', 1));
sql_in('tables', 'TRUNCATE planted.log');
look_after('tables', 'tenant', 'public', 'public', 'planted, public', 'planted, pg_catalog, public');

# While kid_observe_all() waits for a table, the owner of its schema gives the name of the schema to another one; while
# kid_observe_all() waits again, he takes the name back, and adds a trap to the table.
sql_in('tables', join '', 'GRANT CREATE ON DATABASE tables TO tenant;',
	map { "CREATE SCHEMA $_ AUTHORIZATION tenant; CREATE TABLE $_.swapped (id kid64 PRIMARY KEY DEFAULT kid_next());
		INSERT INTO $_.swapped DEFAULT VALUES; ALTER TABLE $_.swapped OWNER TO tenant;" } qw(genuine fake));
my $target = sql_in('tables', q{SELECT 'genuine.swapped'::regclass::oid});
my ($keeper, $locker, $renamer) = map { open_session($node, 'tables') } 1 .. 3;
answer($_, 'SET ROLE tenant;') foreach $locker, $renamer;

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
is(sql_in('tables', q{SELECT relation FROM kid_observe_all() WHERE problem = 'the table is locked'}), 'genuine.swapped',
	'tables: while a schema is being renamed, the tables of others are read');
close_session($_) foreach $keeper, $locker, $renamer;

unlike(new_log(), qr/terminated by signal|TRAP:|PANIC:/, 'no server process crashed during the calls of the superuser');

$node->stop;
done_testing();
