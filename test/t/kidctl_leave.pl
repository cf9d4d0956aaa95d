# kidctl leave: takes kid's types away from tables while four sessions insert and one transaction stays open: no row
# gets lost or stays without a key, and policies, triggers, NOT NULL and the order are as before. Then DROP EXTENSION
# kid needs no CASCADE. The schemas of kidctl_leave_random.pl are of all kinds.
# Versions: the catalogs; NOT NULL constraints have rows from 18 on
use strict;
use warnings;
use utf8;
use Dialogue;
use Encode;
use Kidctl;
use Pages qw(folded);
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $temporary = PostgreSQL::Test::Utils::tempdir;
my $node = kidctl_server();
$node->safe_psql('postgres', q{
	CREATE ROLE shop LOGIN BYPASSRLS CREATEDB; CREATE ROLE reader LOGIN; CREATE ROLE client LOGIN BYPASSRLS;
	ALTER ROLE client SET default_transaction_isolation = 'repeatable read'});
my $icu = $node->safe_psql('postgres', "SELECT count(*) FROM pg_collation WHERE collprovider = 'i'");
my $locale = $icu ? "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'" : '';

# Makes a database of the role shop with kid.
sub database
{
	my ($name, $sql) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name OWNER shop $locale");
	$node->safe_psql($name, 'GRANT ALL ON SCHEMA public TO shop');
	is(error_of("CREATE EXTENSION kid;\n$sql", database => $name, role => 'shop'), '', "there is $name");
	return;
}

# Runs kidctl leave. Returns what it prints, and its exit status.
sub leave
{
	my ($database, @arguments) = @_;
	return run_kidctl(connection_as($node, $database, 'shop'), 'leave', @arguments);
}

# Runs kidctl leave, which has to succeed.
sub leaves
{
	my ($database, @arguments) = @_;
	my ($out, $status) = leave($database, @arguments);
	is($status, 0, "kidctl leave @arguments in $database") or diag($out);
	return $out;
}

database('shop', q{
	CREATE DOMAIN some_id AS sno NOT NULL;
	CREATE DOMAIN line_id AS some_id CONSTRAINT above CHECK (VALUE <> '2222222222222222');
	CREATE TABLE "o.r""ders" (id kid64 PRIMARY KEY DEFAULT kid_next(), line line_id DEFAULT sno_next(),
		x flax DEFAULT flax_next(), parts kid64[], item text, by text);
	CREATE FUNCTION kid_follow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''must not run''; END';
	CREATE TRIGGER "follow ""it" BEFORE INSERT OR UPDATE OF line ON "o.r""ders" FOR EACH ROW
		EXECUTE FUNCTION kid_follow();
	ALTER TABLE "o.r""ders" DISABLE TRIGGER "follow ""it";
	CREATE TRIGGER always AFTER UPDATE OF id ON "o.r""ders" FOR EACH ROW WHEN (OLD.id <> '.6.nef3Mk.3')
		EXECUTE FUNCTION kid_follow();
	ALTER TABLE "o.r""ders" ENABLE ALWAYS TRIGGER always;
	CREATE POLICY everyone ON "o.r""ders" USING (id <> '.6.nef3Mk.3' OR id = ANY ('{.6.nef3Mk.3}')) WITH CHECK (true);
	CREATE POLICY "no 2" ON "o.r""ders" AS RESTRICTIVE FOR SELECT TO reader, shop USING (item !~ '^2');
	ALTER TABLE "o.r""ders" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	CREATE TABLE lines ("order" kid64 NOT NULL REFERENCES "o.r""ders", number int) PARTITION BY LIST (number);
	CREATE TABLE lines_1 PARTITION OF lines DEFAULT;
	CREATE VIEW items AS SELECT id, item, '''.6.nef3Mk.3''::public.kid64' AS text FROM "o.r""ders"
		JOIN lines ON "order" = id;
	CREATE MATERIALIZED VIEW counts AS SELECT max(id) AS last, line, count(*) FROM "o.r""ders" GROUP BY line;
	CREATE INDEX ON counts (last);
	GRANT SELECT, INSERT ON "o.r""ders" TO client, reader; GRANT USAGE ON SCHEMA public TO client;
	INSERT INTO "o.r""ders" (item, parts) SELECT 'old-' || n, ARRAY[kid_next(), NULL] FROM generate_series(1, 300) AS n;
	INSERT INTO lines SELECT id, 1 FROM "o.r""ders"; REFRESH MATERIALIZED VIEW counts});

my $state = q{
	SELECT policyname, permissive, roles, cmd FROM pg_policies ORDER BY 1;
	SELECT tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1;
	SELECT attname, attnotnull OR typnotnull, typname FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
		WHERE attrelid = '"o.r""ders"'::regclass AND attnum > 0 AND attname NOT IN ('id', 'x', 'parts') ORDER BY 1;
	SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname = 'o.r"ders';
	SELECT conname, contype, convalidated FROM pg_constraint
		WHERE contype IN ('c', 'f') AND connamespace = 'public'::regnamespace ORDER BY 1, conrelid;
	SELECT count(*) > 0 FROM counts WHERE last IS NOT NULL};
my $state_before = sql_in('shop', $state);
my $constant = sql_in('shop', q{SELECT '.6.nef3Mk.3'::kid64::bigint});
my @orders = map { sql_in('shop', qq{SELECT string_agg(item, ' ' ORDER BY $_) FROM "o.r""ders"}) } qw(id line x);
my $parts = sql_in('shop', q{SELECT md5(string_agg(parts::bigint[]::text, ' ' ORDER BY id)) FROM "o.r""ders"});
my $values = sql_in('shop', q{SELECT md5(string_agg(concat(id::bigint, line::text, x::text), ' ' ORDER BY id))
	FROM "o.r""ders"});

my @writers;
foreach my $writer (1 .. 4)
{
	my %writer = (out => '', err => '');
	my $file = "$temporary/leave_$writer.sql";
	append_to_file($file, join '',
		map { qq{INSERT INTO "o.r""ders" (item) VALUES ('$writer-$_')
			RETURNING item;\nSELECT pg_sleep(0.002) \\g /dev/null\n} }
		  1 .. 50_000);
	$writer{handle} = IPC::Run::start([ 'psql', '-XAtq', '-d', connection_as($node, 'shop', 'client'), '-f', $file ],
		'>', \$writer{out}, '2>', \$writer{err});
	push @writers, \%writer;
}

sub go_on
{
	foreach my $writer (@writers)
	{
		my $wanted = length($writer->{out} . $writer->{err}) + 400;
		$writer->{handle}->pump while length($writer->{out} . $writer->{err}) < $wanted && $writer->{handle}->pumpable;
	}
	return;
}
go_on();

# A view in which PostgreSQL finds operators only by search_path is not restored, so it is not in the rehearsal.
my ($told, $status) = leave('shop', 'check', '"o.r""ders"');
is($status, 0, 'nothing stops the move') or diag($told);
sql_in('shop', 'ALTER ROLE shop NOBYPASSRLS');
($told, $status) = leave('shop', 'run', 'lines');
like($told, qr/would not see all rows of tables with FORCE ROW LEVEL SECURITY/, 'hidden rows are an error');
is($status, 1, 'which stops the move');
sql_in('shop', 'ALTER ROLE shop BYPASSRLS');

# A transaction that is open keeps the program waiting, and no writer.
my $open = open_session($node, 'shop');
answer($open, q{BEGIN; INSERT INTO "o.r""ders" (item) VALUES ('open');});
my $program = start_kidctl(connection_as($node, 'shop', 'shop'), qw(leave run lines --no-rehearsal));
$node->poll_query_until('shop', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE 'LOCK TABLE%'});
go_on();
kill_kidctl($program);
is(sql_in('shop', q{SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'lines'::regclass AND attnum = 1}),
	'kid64', 'the program was killed while it waited');
$program = start_kidctl(connection_as($node, 'shop', 'shop'), qw(leave run lines));
$node->poll_query_until('shop', q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE 'LOCK TABLE%'});
go_on();
answer($open, 'COMMIT;');
close_session($open);
like((finish_kidctl($program))[0], qr/Nothing depends on kid any more\. As its owner run: DROP EXTENSION kid;/,
	'the program tells the last step');
go_on();

my ($done, $errors) = ("open\n", '');
foreach my $writer (@writers)
{
	$writer->{handle}->kill_kill;
	$done .= $writer->{out} =~ s/[^\n]*\z//r;
	$errors .= $writer->{err};
}
unlike($errors, qr/ERROR:  (?!cached plan|cache lookup failed)/,
	'no session saw another error than that of a plan made before');
my %rows = map { $_ => 1 } split /\n/, sql_in('shop', 'SELECT item FROM "o.r""ders"');
my @done = split /\n/, $done;
is(scalar(grep { !$rows{$_} } @done), 0, 'no row is lost of ' . @done);
is(sql_in('shop', 'SELECT count(*) - count(DISTINCT id) FROM "o.r""ders"'), 0, 'each row has a key of its own');
is(sql_in('shop', 'SELECT count(*) FROM "o.r""ders" WHERE line IS NULL OR x IS NULL'), 0,
	'also in the other columns');
is(sql_in('shop', $state), $state_before,
	'policies, triggers, constraints, NOT NULL and row-level security are as before');
is(sql_in('shop', qq{SELECT string_agg(item, ' ' ORDER BY $_->[0]) FROM "o.r""ders" WHERE item LIKE 'old%'}),
	$orders[ $_->[1] ], "the order of $_->[0]")
  foreach [ id => 0 ], [ line => 1 ], [ x => 2 ];
is(sql_in('shop', q{SELECT md5(string_agg(parts::text, ' ' ORDER BY id)) FROM "o.r""ders" WHERE item LIKE 'old%'}),
	$parts, 'arrays have their values');
is(sql_in('shop', q{SELECT md5(string_agg(concat(id, line, x), ' ' ORDER BY id)) FROM "o.r""ders"
		WHERE item LIKE 'old%'}), $values, 'and columns');
like(sql_in('shop', q{SELECT qual FROM pg_policies WHERE policyname = 'everyone'}),
	qr/id <> '$constant'::bigint.*'\{$constant\}'::bigint\[\]/, 'a constant is the number of the same ID');
is(sql_in('shop', q{SELECT min(text) FROM items}), q{'.6.nef3Mk.3'::public.kid64},
	'a text that looks like one is left alone');
is(error_of('DROP EXTENSION kid', database => 'shop', role => 'shop'), '', 'DROP EXTENSION needs no CASCADE');
is(sql_in('shop', q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'}), 0,
	'nothing is left of the move');

# Operator classes that only kid's types have
database('classes', q{
	CREATE TABLE bookings (room kid64, during tstzrange, EXCLUDE USING gist (room WITH =, during WITH &&));
	CREATE TABLE events (id kid64, n int); CREATE INDEX events_brin ON events USING brin (id kid64_minmax_multi_ops);
	CREATE TABLE parted (id kid64, n int) PARTITION BY LIST (n); CREATE TABLE part_1 PARTITION OF parted DEFAULT;
	CREATE INDEX parted_brin ON parted USING brin (id kid64_minmax_multi_ops) WITH (pages_per_range = 7);
	ALTER INDEX part_1_id_idx RENAME TO of_part; COMMENT ON INDEX parted_brin IS 'its';
	CREATE TABLE texts (id kid96, s sno, f flax);
	CREATE INDEX texts_brin ON texts USING brin (id kid96_minmax_multi_ops);
	CREATE INDEX texts_gist ON texts USING gist (s, f);
	CREATE TABLE consumers (name text PRIMARY KEY, last kid64 NOT NULL);
	CREATE TABLE flakes (id flake); CREATE INDEX flakes_brin ON flakes USING brin (id flake_minmax_multi_ops)});
my ($got, $stops) = leave('classes', 'check', 'bookings');
like($got, qr/bookings_room_during_excl.*bigint has no default operator class for access method "gist"/,
	'a class that needs another extension is told, with its constraint');
is($stops, 1, 'and stops the move');
like($got, qr/public\.consumers: seems to contain the cursors of consumers.*and stop them.* Name this table, too/s,
	'a table of cursors that would stay is named');
like((leave('classes', 'check', 'texts'))[0],
	qr/index public\.texts_brin: .*operator class "text_minmax_multi_ops" does not exist.*index public\.texts_gist: /s,
	'so are indexes, all of them at once');
sql_in('classes', 'CREATE EXTENSION btree_gist');
is(error_of('DROP INDEX texts_brin', database => 'classes', role => 'shop'), '', 'what text has not is dropped');
leaves('classes', 'run', '--all');
my $definitions = sql_in('classes', q{
	SELECT string_agg(pg_get_indexdef(indexrelid), E'\n' ORDER BY indexrelid::regclass::text) FROM pg_index
		WHERE indrelid::regclass::text IN ('bookings', 'events', 'parted', 'part_1', 'texts', 'flakes')});
is($definitions, <<'END' =~ s/\n\z//r, 'indexes have the classes of core types');
CREATE INDEX bookings_room_during_excl ON public.bookings USING gist (room, during)
CREATE INDEX events_brin ON public.events USING brin (id int8_minmax_multi_ops)
CREATE INDEX flakes_brin ON public.flakes USING brin (id int8_minmax_multi_ops)
CREATE INDEX of_part ON public.part_1 USING brin (id int8_minmax_multi_ops) WITH (pages_per_range='7')
CREATE INDEX parted_brin ON ONLY public.parted USING brin (id int8_minmax_multi_ops) WITH (pages_per_range='7')
CREATE INDEX texts_gist ON public.texts USING gist (s, f)
END
is(sql_in('classes', q{SELECT obj_description('parted_brin'::regclass)}), 'its', 'and their comments');
is(error_of('DROP EXTENSION kid', database => 'classes', role => 'shop'), '', 'and nothing depends on kid');

# An interruption while a constraint is validated, which takes long
database('slow', q{
	CREATE TABLE few (id kid64 PRIMARY KEY DEFAULT kid_next(), item text,
		CONSTRAINT slow CHECK (id > '...........' AND pg_sleep(0.02) IS NOT NULL));
	CREATE MATERIALIZED VIEW many AS SELECT id FROM few;
	INSERT INTO few (item) SELECT 'few' FROM generate_series(1, 250); REFRESH MATERIALIZED VIEW many});
$program = start_kidctl(connection_as($node, 'slow', 'shop'), qw(leave run few --no-rehearsal));
$node->poll_query_until('slow',
	q{SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE '%VALIDATE CONSTRAINT%' AND pid <> pg_backend_pid()});
kill_kidctl($program);
$node->poll_query_until('slow', q{SELECT pg_terminate_backend(pid) IS NULL FROM pg_stat_activity
	WHERE application_name = 'kidctl' UNION ALL SELECT true LIMIT 1});
$node->poll_query_until('slow', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'kidctl'});
my $left = q{SELECT convalidated FROM pg_constraint WHERE conname = 'slow';
	SELECT relispopulated FROM pg_class WHERE relname = 'many';
	SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'};
is(sql_in('slow', $left), "f\nf\n1", 'the program was killed while it validated');
leaves('slow', 'run', 'few');
is(sql_in('slow', $left), "t\nt\n0", 'the next run does the rest');
is(error_of('DROP EXTENSION kid', database => 'slow', role => 'shop'), '', 'and nothing depends on kid');

# What kid alone can do is told, with what it is about. Some of it can be given up.
database('needs', q{
	CREATE TABLE e (id kid64 PRIMARY KEY DEFAULT kid_next(), item text,
		made timestamptz GENERATED ALWAYS AS (kid_timestamp(id)) STORED);
	CREATE INDEX "by time" ON e USING brin (kid_timestamp(id));
	CREATE STATISTICS day ON date_trunc('day', kid_timestamp(id), 'UTC') FROM e;
	CREATE VIEW report AS SELECT kid_timestamp(id) AS at, item FROM e;
	CREATE POLICY p ON e USING (id > now() - interval '1 day');
	CREATE VIEW as_text AS SELECT * FROM e WHERE id = item;
	CREATE FUNCTION f(kid64) RETURNS int LANGUAGE sql AS 'SELECT 1';
	CREATE FUNCTION g() RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN kid_next(); END';
	CREATE TYPE pair AS (a kid64, b sno);
	CREATE TABLE hashed (id kid64) PARTITION BY HASH (id); CREATE TABLE defaults (id kid64 DEFAULT kid64_floor(now()));
	CREATE TABLE numbers (id bigserial PRIMARY KEY); SELECT kid_track('numbers'); INSERT INTO e (item) VALUES ('one');
	CREATE TABLE late (id flake); INSERT INTO late VALUES ('18446744073709551615'); CREATE TABLE told (id sno);
	CREATE TABLE "of kid53" (name text UNIQUE, last bigint); CREATE TABLE people (name text PRIMARY KEY, last text);
	CREATE TABLE cursors (name text PRIMARY KEY, last kid64 NOT NULL, turn int);
	CREATE PUBLICATION few FOR TABLE told (id)});
$node->safe_psql('needs', q{
	CREATE FOREIGN DATA WRAPPER w; CREATE SERVER elsewhere FOREIGN DATA WRAPPER w;
	GRANT USAGE ON FOREIGN SERVER elsewhere TO shop;
	CREATE FOREIGN TABLE remote (id kid64, others sno[], n bigint DEFAULT kid_next()) SERVER elsewhere;
	ALTER FOREIGN TABLE remote OWNER TO shop});
my ($needs) = leave('needs', 'check', '--all');
like($needs, qr/$_/, "it names $_")
  foreach 'index public\."by time": uses function public\.kid_timestamp', 'policy p on public\.e: uses operator',
  'view public\.report: uses function', 'statistics public\.day: uses', 'column made of public\.e: is generated',
  'view public\.as_text: reads text', 'public\.hashed: is partitioned by the hash',
  'column id of public\.defaults: has a default that kidctl cannot replace', 'public\.g\(\): names kid_next',
  'function public\.f\(public\.kid64\): uses type', 'trigger kid_track on public\.numbers: is dropped',
  'column id of public\.late: has IDs that are negative', 'public\.told: publication few names',
  'public\."of kid53": seems to contain the cursors of consumers\n +the same: public\.cursors\n';
unlike($needs, qr/public\.people|Name this table/, 'it names no other table, and only what is left to do');
is(error_of('DROP VIEW report, as_text; DROP POLICY p ON e; DROP FUNCTION f;
		DROP TABLE hashed, defaults, late, told', database => 'needs', role => 'shop'), '', 'some of it is dropped');
# PostgreSQL locks no foreign tables.
my ($foreign, $failed) = leave('needs', 'run', '--all', '--no-rehearsal');
my ($way_out) = $foreign =~ /public\.remote: is a foreign table .*\n.*Once its server has .*?, (.*); or drop it/;
isnt($failed, 0, 'a foreign table stops a run');
is($way_out, 'ALTER FOREIGN TABLE public.remote ALTER id TYPE bigint, '
	  . 'ALTER others TYPE text[] COLLATE pg_catalog."C", ALTER n DROP DEFAULT', 'which says what to do');
is(error_of($way_out, database => 'needs', role => 'shop'), '', 'and the user does');
my $made = sql_in('needs', 'SELECT made FROM e');
leaves('needs', 'run', '--all', map { ('--accept', $_) } 'index public."by time"', 'statistics public.day',
	'column made of public.e');
is(sql_in('needs', q{SELECT string_agg(atttypid::regtype || coalesce(' ' || collname, ''), ', ' ORDER BY attnum)
		FROM pg_attribute LEFT JOIN pg_collation AS c ON c.oid = attcollation WHERE attrelid = 'pair'::regclass}),
	'bigint, text C', 'composite types change');
is(sql_in('needs', 'SELECT made FROM e'), $made, 'a generated column keeps its values');
is(error_of('DROP EXTENSION kid', database => 'needs', role => 'shop'), '', 'and nothing depends on kid');

# Plain SQL
my $crypto = $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pgcrypto'});
my $script = join "\n", map { slurp_file(assemble($_)) } 'kid-all', ('kid-seal') x $crypto;
$node->safe_psql('postgres', 'CREATE DATABASE plain OWNER shop');
sql_in('plain', 'GRANT ALL ON SCHEMA public TO shop' . '; CREATE EXTENSION pgcrypto' x $crypto);
is(error_of($script . q{
	CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT kid.kid_next(), u uuid DEFAULT kid.kid_uuidv7(),
		d kid.kid64 CHECK (d > 5));
	CREATE TABLE lines (id bigserial PRIMARY KEY, o bigint REFERENCES orders, d kid.kid64 DEFAULT kid.kid_next());
	CREATE DOMAIN number AS bigint DEFAULT kid.kid53_next(); CREATE TABLE numbers (id number PRIMARY KEY, n int);
	CREATE DOMAIN any_uuid AS uuid CHECK (VALUE <> gen_random_uuid()); CREATE DOMAIN visit AS any_uuid;
	CREATE TABLE visits (id visit PRIMARY KEY DEFAULT kid.kid_uuidv7(), n bigint);
	CREATE VIEW w AS SELECT id, d FROM orders WHERE d = 5; SELECT kid.kid_track('lines');
	SELECT kid.kid_track('orders');
	CREATE POLICY p ON orders USING (d <> '7'::kid.kid64 OR d = ANY ('{7}'::kid.kid64[]));
	INSERT INTO orders DEFAULT VALUES; INSERT INTO lines (o) SELECT id FROM orders}, database => 'plain',
		role => 'shop'), '', 'there is plain');
my $told_of_plain = leaves('plain', 'run', '--all');
unlike($told_of_plain, qr/kid_seal\.|kid_workers\./, 'what belongs to kid in plain SQL is not told');
my ($drop) = $told_of_plain =~ /No table depends on kid any more\. As its owner run: (.*;)/;
is(error_of("$drop INSERT INTO orders DEFAULT VALUES;
		INSERT INTO lines (o) SELECT max(id) FROM orders; INSERT INTO visits (n) VALUES (1);
		INSERT INTO numbers (n) VALUES (1)", database => 'plain', role => 'shop'), '',
	'and work without it');
is(sql_in('plain', 'SELECT count(*) FROM orders JOIN lines ON o = orders.id; SELECT count(*) FROM w'), "2\n0",
	'with all rows');

# The page's own text
my ($sql, $block) = decode('UTF-8', slurp_file('docs/operate/uninstall.md'))
  =~ /<!-- kidctl: (.*?) -->\n```sh\n(.*?)```/s or die 'the page has no commands';
$node->safe_psql('postgres', 'DROP DATABASE shop');
database('shop', $sql);
foreach ([ check => 1 ], [ run => 0 ])
{
	my ($command, $shown) = $block =~ /^(kidctl leave $_->[0] (?:.*\\\n)*.*)\n((?:#.*\n)*)/m
	  or die "the page has no $_->[0]";
	local %ENV = (%ENV, PATH => path_to_kidctl(), PGHOST => $node->host, PGPORT => $node->port);
	my $output = '';
	IPC::Run::run([ 'sh', '-c', encode('UTF-8', $command) ], '>&', \$output);
	is($? >> 8, $_->[1], $command);
	$output = folded(decode('UTF-8', $output) =~ s/Key \(id\)=\(\K[^)]*/…/gr, 74);
	my @lines = map { join "\n", sort split /\n/, s/^# ?//mgr =~ s/\d+\.\d s\b/TIME/gr } $output, $shown;
	is($lines[0], $lines[1], 'prints what the page shows');
}
is(error_of(q{DROP EXTENSION kid; INSERT INTO orders (item) VALUES ('new')}, database => 'shop', role => 'shop'), '',
	'the last statement of the page runs');
is(sql_in('shop', 'SELECT count(*) FROM items JOIN lines ON order_id <= id'), 2, 'and rows are there');

# A foreign key to a partitioned table has one more constraint for each partition. Those of the partitions
# keep their names.
database('referenced', q{
	CREATE TABLE events (id kid64 PRIMARY KEY, previous kid64 CONSTRAINT itself REFERENCES events)
		PARTITION BY RANGE (id);
	CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM (MINVALUE) TO ('2..........');
	CREATE TABLE events_2 PARTITION OF events DEFAULT;
	ALTER TABLE events_2 RENAME CONSTRAINT itself TO "of 2"; COMMENT ON CONSTRAINT "of 2" ON events_2 IS 'its';
	CREATE TABLE uses (event kid64 CONSTRAINT "to events" REFERENCES events);
	INSERT INTO events VALUES (kid_next(), NULL); UPDATE events SET previous = id;
	INSERT INTO uses SELECT id FROM events;
	CREATE TABLE copies (event kid64 CONSTRAINT copies_key PRIMARY KEY);
	CREATE INDEX copies_time ON copies (kid_timestamp(event), event)});
my ($found) = leave('referenced', 'check', 'events', '--no-rehearsal');
like($found, $_, 'check says what to do with a table that stays, and with its indexes')
  foreach map { qr/  \Q$_->[0]\E: uses .*\n    hint: \Q$_->[1]\E$/m }
  [ 'column event of table public.copies' => 'Run `kidctl leave` for its table, too.' ],
  [ 'index public.copies_key' => 'Run `kidctl leave` for its table, too.' ],
  [ 'index public.copies_time' => 'Rewrite or drop it, and run `kidctl leave` again.' ];
leaves('referenced', 'run', 'events');
is(sql_in('referenced', q{SELECT conrelid::regclass::text, conname, obj_description(oid, 'pg_constraint')
		FROM pg_constraint AS k WHERE contype = 'f' AND NOT EXISTS
	(SELECT FROM pg_constraint AS p WHERE p.oid = k.conparentid AND p.conrelid = k.conrelid) ORDER BY 1, 2}),
	qq{events|itself|\nevents_1|itself|\nevents_2|of 2|its\nuses|to events|},
	'foreign keys to a partitioned table, and from it, keep their names');

# A bigint with kid53: all that calls its functions is named, or goes.
database('numbers', q{
	CREATE TABLE events (id bigint PRIMARY KEY DEFAULT kid53_next(), item text,
		made timestamptz GENERATED ALWAYS AS (kid53_timestamp(id)) STORED,
		CONSTRAINT of_kid CHECK (kid53_timestamp(id) IS NOT NULL));
	CREATE INDEX by_time ON events (kid53_timestamp(id));
	CREATE STATISTICS of_time ON (kid53_timestamp(id)) FROM events;
	CREATE POLICY late ON events USING (kid53_within(id, '2026-01-01', NULL));
	CREATE RULE kept AS ON DELETE TO events WHERE kid53_timestamp(OLD.id) < '2026-01-01' DO INSTEAD NOTHING;
	CREATE FUNCTION makes_one() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN kid53_next(); END';
	CREATE TABLE parts (id bigint PRIMARY KEY DEFAULT kid53_next(), item text) PARTITION BY RANGE (id);
	CREATE TABLE of_kid64 (id bigint PRIMARY KEY DEFAULT kid_next()) PARTITION BY RANGE (id);
	CREATE VIEW late_parts AS SELECT id, kid53_timestamp(id) AS made FROM parts WHERE kid53_within(id, now(), NULL);
	SELECT kid_create_partitions(t::regclass, '1 month', now() + interval '1 month', time_check => true)
		FROM unnest('{parts,of_kid64}'::text[]) AS t;
	INSERT INTO events (item) VALUES ('old'); INSERT INTO parts (item) VALUES ('old')});
($got, $stops) = leave('numbers', 'check', '--all', '--no-rehearsal');
is($stops, 1, 'what calls functions of kid53 stops the move');
like($got, $_, 'and check says what happens to it')
  foreach qr/^needs kid:.*\n(?: .*\n)*  constraint of_kid on public\.events: uses function public\.kid53_timestamp/m,
  qr/  index public\.by_time: uses .*; it is dropped/, qr/  column made of public\.events: is generated; it would be/,
  qr/^remains:.*\n(?: .*\n)*  policy late on table public\.events: uses function public\.kid53_within/m,
  qr/rule kept on table public\.events/,
  qr/^  view public\.late_parts: uses .*\n    hint: Rewrite or drop it, and run `kidctl leave` again\.$/m,
  qr/statistics object public\.of_time/, qr/  public\.makes_one\(\): names kid53_next/,
  qr/column id of public\.parts: new numbers are of a sequence, so all new rows go to the partition of the last ID/;
my $greatest = sql_in('numbers', 'SELECT max(id) FROM events');
sql_in('numbers', 'DROP POLICY late ON events; DROP RULE kept ON events; DROP STATISTICS of_time; DROP VIEW late_parts;
	CREATE EXTENSION kid_workers', role => 'shop');
like(leaves('numbers', qw(run --all --accept), 'constraint of_kid on public.events', '--accept', 'index public.by_time',
		'--accept', 'column made of public.events'),
	qr/^Only these extensions still depend on kid\. Drop them before it: kid_workers\.$/m, 'worker numbers are named');
is(error_of('DROP EXTENSION kid_workers; DROP EXTENSION kid', database => 'numbers', role => 'shop'), '',
	'then DROP EXTENSION needs no CASCADE');
is(sql_in('numbers', "WITH n AS (INSERT INTO events (item) VALUES ('new') RETURNING id)
	SELECT id > $greatest FROM n"), 't', 'numbers go on above all IDs');
is(sql_in('numbers', q{SELECT count(*) FROM pg_constraint WHERE conname LIKE 'kid_time%';
	SELECT count(made), count(*) FROM events}), "0\n1|2", 'constraints kid_time are gone, and values are kept');

# A column that owns the sequence of its old keys gets no second one, and its numbers go on above all keys, also in a
# session that has numbers in its cache. Who may insert, also by a view, may use it. A sequence that other columns use,
# or that has a maximum, is left alone. A move that is not finished is refused, because its way back needs kid.
database('owned', q{
	CREATE TABLE orders (id bigserial PRIMARY KEY, item text); ALTER SEQUENCE orders_id_seq CACHE 20;
	CREATE TABLE shared (id bigserial PRIMARY KEY, item text);
	CREATE TABLE narrow (id bigserial PRIMARY KEY, item text); ALTER SEQUENCE narrow_id_seq MAXVALUE 2147483647;
	CREATE TABLE other (n bigint DEFAULT nextval('shared_id_seq'));
	CREATE VIEW shown AS SELECT * FROM orders; CREATE VIEW counted AS SELECT id, kid53_timestamp(id) FROM shared;
	GRANT INSERT (item) ON orders TO client; GRANT INSERT ON shown TO reader; GRANT SELECT ON shown TO PUBLIC;
	GRANT USAGE ON SCHEMA public TO client, reader;
	INSERT INTO orders (item) VALUES ('old'); INSERT INTO shared (item) VALUES ('old');
	INSERT INTO narrow (item) VALUES ('old');
	ALTER TABLE shared ALTER id SET DEFAULT kid53_next(); ALTER TABLE narrow ALTER id SET DEFAULT kid53_next()});
sub owned { return run_kidctl(connection_as($node, 'owned', 'shop'), @_) }
my $cached = open_session($node, 'owned', role => 'shop');
answer($cached, q{SELECT nextval('orders_id_seq');});
is((owned(qw(rekey run orders --new-rows-only --no-rehearsal)))[1], 0, 'a table prepares new keys for new rows');
($got, $stops) = owned(qw(leave check orders --no-rehearsal));
is($stops, 0, 'which uses nothing of kid yet');
is((owned(qw(rekey swap orders)))[1], 0, 'and gets them');
foreach ([qw(leave check orders --no-rehearsal)], [qw(leave run --all --no-rehearsal)])
{
	($got, $stops) = owned(@$_);
	is($stops, 1, "@$_ stops before the move is finished");
	like($got,
		qr/^  public\.orders: is in a move that is not finished, .*\n    hint: First run `kidctl rekey finish /m,
		'and says what to do');
}
is((owned(qw(rekey finish orders)))[1], 0, 'the move is finished');
my $above = sql_in('owned', q{INSERT INTO orders (item) VALUES ('new') RETURNING id});
like(leaves('owned', qw(run --all)), qr/^  view public\.counted: uses .*^1 object still depends on kid\.$/ms,
	'run ends with the number of objects that still depend on kid');
is(answer($cached, "INSERT INTO orders (item) VALUES ('cached') RETURNING id > $above;"), 't',
	'numbers go on above all keys');
close_session($cached);
is(error_of(q{INSERT INTO orders (item) VALUES ('c')}, database => 'owned', role => 'client'), '',
	'a role that may insert can');
is(error_of(q{INSERT INTO shown (item) VALUES ('r')}, database => 'owned', role => 'reader'), '', 'also by a view');
is(sql_in('owned', q{SELECT string_agg(relname || coalesce(relacl::text, ''), ' '
	ORDER BY relname COLLATE "C") FROM pg_class
	WHERE relkind = 'S' AND relname ~ '^(orders|shared|narrow)' AND relname !~ '_seq_'}), 'narrow_id_seq '
	  . 'orders_id_seq{shop=rwU/shop,client=U/shop,reader=U/shop} shared_id_seq', 'by the rights to the sequence');
is(sql_in('owned', q{SELECT string_agg(left(relname, 14), ' ' ORDER BY relname COLLATE "C") FROM pg_class
	WHERE relkind = 'S' AND relname ~ '_seq_'}), 'narrow_id_seq_ shared_id_seq_',
	'only a column whose own sequence is not fit gets another one');

# The default of a domain is in force for columns without one of their own. DROP EXTENSION kid CASCADE would drop the
# domain, and these columns with it.
database('makers', q{
	CREATE DOMAIN order_id AS bigint DEFAULT kid53_next(); CREATE DOMAIN line_id AS order_id CHECK (VALUE > 0);
	CREATE DOMAIN visit AS uuid DEFAULT kid_uuidv7(); CREATE DOMAIN item_id AS kid64 DEFAULT kid_next() NOT NULL;
	CREATE DOMAIN odd AS bigint DEFAULT kid53_next() + 1; CREATE TABLE odds (id odd PRIMARY KEY);
	CREATE TABLE orders (id order_id PRIMARY KEY, item text);
	CREATE TABLE refunds (o order_id DEFAULT 5 REFERENCES orders);
	CREATE TABLE lines (id line_id PRIMARY KEY, item text) PARTITION BY RANGE (id);
	CREATE TABLE lines_1 PARTITION OF lines DEFAULT;
	CREATE TABLE visits (id visit PRIMARY KEY, item text); CREATE TABLE items (id item_id PRIMARY KEY, item text);
	INSERT INTO orders VALUES (DEFAULT, 'old'), (kid53_ceil(now() + interval '1 min'), 'ahead');
	INSERT INTO lines (item) VALUES ('old'); INSERT INTO visits (item) VALUES ('old');
	INSERT INTO items (item) VALUES ('old')});
($got, $stops) = leave('makers', 'check', '--all', '--no-rehearsal');
is($stops, 1, 'a default of a domain that computes stops the move');
like($got,
	qr/  column id of public\.odds: has a default that kidctl cannot replace: \(public\.kid53_next\(\) \+ 1\)  \(st/,
	'which check says');
sql_in('makers', 'DROP TABLE odds; DROP DOMAIN odd', role => 'shop');
like(leaves('makers', 'check', 'orders'), qr/  domain public\.order_id: has no default afterwards/,
	'check says that the domain loses its default');
leaves('makers', 'run', '--all');
is(error_of('DROP EXTENSION kid', database => 'makers', role => 'shop'), '', 'then DROP EXTENSION needs no CASCADE');
is(sql_in('makers', q{SELECT string_agg(typname || ' ' || typbasetype::regtype || coalesce(typdefault, ''), ', '
		ORDER BY typname COLLATE "C") FROM pg_type WHERE typtype = 'd' AND typnamespace = 'public'::regnamespace}),
	'item_id bigint, line_id order_id, order_id bigint, visit uuid', 'the domains are there, without defaults');
is(sql_in('makers', "INSERT INTO $_ (item) VALUES ('new'), ('new');
		SELECT bool_and(new.id > old.id), count(DISTINCT new.id) FROM $_ AS new JOIN $_ AS old
			ON new.item = 'new' AND old.item <> 'new'"), 't|2', "new $_ have greater numbers")
  foreach qw(orders lines items);
is(sql_in('makers', "INSERT INTO visits (item) VALUES ('new'); SELECT count(DISTINCT id) FROM visits;
	SELECT column_default FROM information_schema.columns WHERE table_name = 'refunds'"), "2\n5",
	'uuids are made, and a default of a column is as before');

# Tables that are linked with another one can be named in any order.
database('linked', join '', map { qq{
	CREATE TABLE lines_$_ (id kid64 PRIMARY KEY DEFAULT kid_next());
	CREATE TABLE orders_$_ (id kid64 PRIMARY KEY REFERENCES lines_$_);
	CREATE TABLE refunds_$_ (id kid64 REFERENCES orders_$_);} } 1, 2);
leaves('linked', qw(run), @$_, '--no-rehearsal') foreach [qw(orders_1 refunds_1)], [qw(refunds_2 orders_2)];
is(error_of('DROP EXTENSION kid', database => 'linked', role => 'shop'), '', 'and nothing depends on kid');

# In a template, kid belongs to the superuser who has created it.
$node->safe_psql('postgres', "CREATE DATABASE prepared IS_TEMPLATE true $locale");
$node->safe_psql('prepared', 'GRANT ALL ON SCHEMA public TO shop; CREATE EXTENSION kid');
database('templated', 'CREATE TABLE t (id kid64 PRIMARY KEY DEFAULT kid_next()); INSERT INTO t DEFAULT VALUES');
like(leaves('templated', qw(check --all --template prepared)),
	qr/^not tried:.*\n(?: .*\n)*  extension kid: is not dropped, as it belongs to \S+ in the template$/m,
	'which nobody else can drop');
leaves('templated', qw(run --all --template prepared));
is(error_of('DROP EXTENSION kid', database => 'templated', role => 'shop'), '',
	'but its owner can drop kid where the tables are');

$node->stop;
done_testing();
