# kidctl rekey check: small schemas, each of a kind that was once moved wrongly, or stopped a move in its midst. The
# check names what is in the way before anything is changed, or there is nothing in the way, and the move keeps
# everything. These are about types, views, and what the copy of a rehearsal lacks.
# Versions: the catalogs, and what pg_dump prints
use strict;
use warnings;
use utf8;
use Kidctl;
use KidctlCases;
use Sql;
use Test::More;

my $node = start_cases;
my @during = ('--during', '[2024-01-01, 2025-01-01)');

# Columns of the table's row type
fresh('CREATE TABLE p (id bigserial PRIMARY KEY, b text); CREATE TABLE snap (at timestamptz, r p)');
stops('a column of the row type', [ 'p', @during ], qr/column r of public\.snap: has values of type public\.p/);

# Keys without a default
fresh(q{CREATE TABLE n (id numeric(20) PRIMARY KEY, b text); INSERT INTO n VALUES (1, 'x');
	CREATE TABLE zero (id bigint PRIMARY KEY, b text); INSERT INTO zero VALUES (0, 'x');
	CREATE TABLE d (id date PRIMARY KEY); CREATE TABLE c (id char(2) PRIMARY KEY)});
passes('a numeric key without a default', 'n', @during);
passes('a key of 0 without a default', 'zero', @during);
like((kidctl('check', $_, @during))[0], qr/without a default cannot be moved/,
	"keys of another type without a default: $_") foreach qw(d c);
ok_kidctl('run', 'zero', @during);
ok_kidctl('swap', 'zero');
sql(q{INSERT INTO zero (b) VALUES ('y')});
is(sql('SELECT string_agg(kid_old_id::text, $$ $$ ORDER BY id) FROM zero'), '0 1',
	'new rows have old keys for the way back');
ok_kidctl('back', 'zero');
is(sql('SELECT string_agg(id::text, $$ $$ ORDER BY id) FROM zero'), '0 1', 'which they have after it');

# What the new type cannot do
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); CREATE TABLE c (p bigint REFERENCES p, words tsvector);
	CREATE INDEX e_expr ON c (coalesce(p, 0)); CREATE INDEX g ON c USING gin (p, words);
	CREATE STATISTICS s ON (id % 10), b FROM p; CREATE VIEW plus AS SELECT id + 1 AS next FROM p;
	CREATE VIEW pair AS SELECT id FROM p UNION SELECT length(b) FROM p; CREATE VIEW on_pair AS TABLE pair;
	INSERT INTO p (b) VALUES ('x'); INSERT INTO c VALUES (1)}, 'CREATE EXTENSION btree_gin');
stops('what the new type cannot do',
	[ 'p', @during ],
	qr/index public\.e_expr: in index: COALESCE types/,
	qr/index public\.g: in index: data type .* has no default operator class for access method "gin"/,
	qr/statistics public\.s: in swap: operator does not exist/,
	qr/view public\.plus: in swap: operator does not exist/,
	qr/view public\.pair: in swap: UNION types/);

# Views that put the key beside columns of other tables: a type that fits them, and what clients of the views get
fresh(q{CREATE TABLE posts (id serial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	CREATE TABLE notes (id serial PRIMARY KEY); INSERT INTO posts DEFAULT VALUES;
	CREATE VIEW actions AS SELECT 'post' AS kind, id AS model_id FROM posts UNION ALL SELECT 'note', id FROM notes;
	CREATE MATERIALIZED VIEW "All" AS SELECT id, made FROM posts;
	CREATE TABLE invoices (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
		made timestamptz NOT NULL DEFAULT '2026-01-01'); INSERT INTO invoices DEFAULT VALUES;
	CREATE TABLE failures (owner_type text, owner_id uuid); CREATE VIEW report AS
		SELECT i.id, (SELECT count(*) FROM failures AS f WHERE f.owner_id = i.id) FROM invoices AS i});
foreach (qw(kid64 uuid))
{
	my $error = "UNION types $_ and integer cannot be matched";
	my $hint = 'hint: Pass --to bigint, a type that fits the other side,';
	stops("a union of keys to $_", [ qw(posts --time made --to), $_ ],
		qr/^  view public\.actions: in swap: $error  \(stops\)\n(?: {6}.*\n)+    $hint/m);
}
my $widened = passes('a union of keys to bigint', qw(posts --time made --to bigint));
my $changed = 'columns change their types: id from integer to bigint';
like($widened, qr/^clients:.*\n(?: .*\n)*  materialized view public\."All": $changed\n/m,
	'which changes the type of a column');
like($widened, qr/^  view public\.actions: columns change their types: model_id from integer to bigint\n/m,
	'also of a union');
my $no_operator = 'operator does not exist: .*  \(stops\)';
stops('a view that compares the key', [qw(invoices --time made)],
	qr/^  view public\.report: in swap: $no_operator\n(?: {6}.*\n)+    hint: Pass --to uuid, /m);
unlike(passes('the same with uuid', qw(invoices --time made --to uuid)), qr/columns change their types/,
	'which changes no type');

# An index whose access method does not know kid64
fresh('CREATE TABLE words (id serial PRIMARY KEY, made timestamptz NOT NULL DEFAULT now(), w tsvector);
	CREATE INDEX found ON words USING gin (id, w)', 'CREATE EXTENSION btree_gin;');
my $no_class = 'data type kid64 has no default operator class for access method "gin"  \(stops\)';
stops('an index of another access method', [qw(words --time made)],
	qr/^  index public\.found: in index: $no_class\n(?: {6}.*\n)+    hint: Pass --to bigint, which has one,/m);
passes('the same index with bigint', qw(words --time made --to bigint));

# Views that rename columns by their position
fresh(q{CREATE TABLE orders (id bigserial PRIMARY KEY, note text);
	CREATE TABLE lines (id bigint REFERENCES orders, n int); INSERT INTO orders DEFAULT VALUES;
	INSERT INTO lines VALUES (1, 1);
	CREATE VIEW of_table AS SELECT o.a FROM orders AS o (a, b);
	CREATE VIEW in_join AS SELECT count(*) AS c FROM (orders AS o (a, b) JOIN lines AS l ON o.a = l.id);
	CREATE VIEW of_join AS SELECT j.q, j.n FROM (orders JOIN lines USING (id)) AS j (q, w, n);
	CREATE VIEW below AS SELECT 1 AS one WHERE EXISTS (SELECT FROM lines AS x (y, z) WHERE y > z);
	CREATE VIEW named AS SELECT u.id, n FROM orders AS o JOIN lines AS l USING (id) AS u;
	CREATE VIEW elsewhere AS SELECT v.a FROM named AS v (a, b) JOIN generate_series(1, 2) AS g (n) ON true});
my @renamed = ([ 'of_table', 'o (a, b)' ], [ 'in_join', 'o (a, b)' ], [ 'of_join', 'j (q, w, n)' ],
	[ 'below', 'x (y, z)' ]);
my $renames = 'renames columns by their position, and the key gets another position';
stops('columns that are renamed by their position', [ 'orders', @during ],
	(map { qr/^  view public\.$_->[0]: $renames: AS \Q$_->[1]\E  \(stops\)$/m } @renamed),
	qr/^    hint: Rename columns in the select list/m, qr/ 4 of which stop/);
sql('DROP VIEW ' . join(', ', map { $_->[0] } @renamed));
passes('an alias of a join, and names of other columns', 'orders', @during);
ok_kidctl($_, 'orders', @during) foreach qw(run swap);
is(sql('SELECT count(*) FROM elsewhere JOIN orders ON id = a'), 2, 'after the swap these views are right');

# Columns that look like references: lists, camel case, and other schemas, but no types that cannot contain the key
fresh(q{CREATE TABLE posts (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	INSERT INTO posts DEFAULT VALUES;
	CREATE TABLE pools (post_ids bigint[], "postId" bigint, post bigint, stripe_id varchar, flag_id boolean);
	CREATE SCHEMA audit; CREATE TABLE audit.log (post_id bigint)});
my $lookalikes = passes('columns that look like references', qw(posts --time made));
like($lookalikes, qr/^references:.*\n(?: .*\n)*.*column $_\b/m, "among the references: $_")
  foreach 'post_ids of public\.pools', '"?postId"? of public\.pools', 'post of public\.pools', 'post_id of audit\.log';
unlike($lookalikes, qr/$_/, "not among them: $_") foreach qw(stripe_id flag_id);

# Keys beside the kind of what they refer to: the way back stops while some of them are new ones, which it drops
fresh(q{CREATE TABLE django_content_type (id serial PRIMARY KEY);
	CREATE TABLE shop_order (id smallserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	CREATE TABLE "Uploads" (object_id varchar(40), content_type_id int REFERENCES django_content_type);
	CREATE TABLE notes (owner_type text, owner_id uuid, other_id uuid);
	INSERT INTO shop_order DEFAULT VALUES; INSERT INTO "Uploads" VALUES (1), (2)});
ok_kidctl($_, qw(shop_order --time made --to uuid)) foreach qw(run swap);
$node->safe_psql('one', q{
	CREATE TABLE secret (object_id text, content_type_id int REFERENCES django_content_type);
	CREATE POLICY hides ON secret USING (current_user = 'nobody'); ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
	CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
	CREATE FOREIGN TABLE elsewhere (owner_type text, owner_id uuid) SERVER files OPTIONS (filename '/nowhere');
	GRANT SELECT ON secret, elsewhere TO app});
sql(q{WITH o AS (INSERT INTO shop_order DEFAULT VALUES RETURNING id), n AS (INSERT INTO notes SELECT NULL, id FROM o)
	INSERT INTO "Uploads" SELECT id FROM o});
my ($refused, $stopped) = kidctl(qw(back shop_order));
is($stopped, 1, 'new keys without a foreign key stop the way back');
my $in_one = 'contains new keys of public\.shop_order in 1 row';
my $unread = 'may contain new keys of public\.shop_order, but this role cannot read it';
foreach ("object_id of public.\"Uploads\": $in_one", "owner_id of public.notes: $in_one",
	"object_id of public.secret: $unread", "owner_id of public.elsewhere: $unread")
{
	like($refused, qr/^  column $_; after the way back, no row of public\.shop_order has these keys  \(stops\)$/m,
		"also $_");
}
my ($update) = $refused =~ /\bold keys: (UPDATE public\."Uploads" .*)$/m;
sql($update);
is(sql(q{SELECT string_agg(object_id, ' ' ORDER BY object_id) FROM "Uploads"}), '1 2 2', 'the hint sets old keys');
($update) = $refused =~ /place of this one: (ALTER TABLE public\.notes .*)$/m;
sql($update);
is(sql('SELECT old_owner_id FROM notes'), 2, 'if the column cannot contain old keys, another one does');
my @columns = map { ('--accept', "column $_") } 'owner_id of public.notes', 'object_id of public.secret',
  'owner_id of public.elsewhere';
ok_kidctl(qw(back shop_order), @columns);

# Numbers and texts contain a kid64, too, whatever the common kinds are. Code of another owner does not run.
fresh(q{CREATE TABLE posts (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	INSERT INTO posts DEFAULT VALUES;
	CREATE TABLE "Notes" (owner_type text, owner_id bigint, as_type text, as_id text);
	CREATE TABLE likes (owner_type text, owner_id numeric(20), small_type text, small_id int);
	INSERT INTO likes SELECT 'b' FROM generate_series(1, 99); ANALYZE likes},
	q{CREATE ROLE stranger; GRANT CREATE ON SCHEMA public TO stranger;
	CREATE TABLE theirs (owner_type text, owner_id bigint); GRANT SELECT ON theirs TO app;
	CREATE FUNCTION code() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
		IF current_user <> 'stranger' THEN RAISE 'planted'; END IF; RETURN 1; END $$;
	ALTER TABLE theirs OWNER TO stranger; SET ROLE stranger; CREATE INDEX ON theirs (owner_id) WHERE code() = 1;
	RESET ROLE});
ok_kidctl($_, qw(posts --time made)) foreach qw(run swap);
sql(q{INSERT INTO "Notes" SELECT 'b', id::bigint, 'b', id FROM posts;
	INSERT INTO likes SELECT 'p', id::bigint FROM posts});
($refused) = kidctl(qw(back posts));
like($refused, qr/^  column $_: contains new keys of public\.posts in 1 row;/m, "$_ contains a kid64")
  foreach 'owner_id of public."Notes"', 'as_id of public."Notes"', 'owner_id of public.likes';
like($refused, qr/^  column owner_id of public\.theirs: may .* belongs to stranger, whose code would run/m,
	'a table of another role is not read');
sql($_) foreach $refused =~ /give these rows the old keys: (UPDATE public\.(?!theirs).*)$/mg;
is(sql(q{SELECT n.owner_id, as_id, l.owner_id FROM "Notes" AS n, likes AS l WHERE l.owner_id > 0}), '1|1|1',
	'the hints give them old keys');
ok_kidctl(qw(back posts), '--accept', 'column owner_id of public.theirs');

# Paths and lists of keys, which no foreign key can follow
fresh(q{CREATE TABLE nodes (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01', ancestry text,
	tree ltree, top ltree, words text, version text, amount text);
	CREATE TABLE new (id bigserial PRIMARY KEY, tree ltree); CREATE TABLE pools (node_ids text, other text);
	INSERT INTO nodes (ancestry, tree, top, words, version, amount) SELECT n || '/' || n + 1, text2ltree('0.' || n),
		text2ltree('top.n' || n), 'n ' || n, '1.' || n, n FROM generate_series(1, 20) AS n;
	INSERT INTO pools SELECT n || ', ' || n + 1, n || ', ' || n + 1 FROM generate_series(1, 20) AS n;
	ANALYZE nodes, pools;
	CREATE TABLE accounts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
		made timestamptz NOT NULL DEFAULT '2026-01-01', above text, numbers text);
	INSERT INTO accounts (above, numbers) SELECT '/' || gen_random_uuid() || '/' || gen_random_uuid(), n || '/' || n
		FROM generate_series(1, 20) AS n; ANALYZE accounts}, 'CREATE EXTENSION ltree');
my @several = (
	[ [qw(nodes --time made --to bigint)], 'ancestry of public.nodes', 'tree of public.nodes',
		'node_ids of public.pools' ],
	[ [ 'new', @during ], 'tree of public.new' ],
	[ [qw(accounts --time made)], 'above of public.accounts' ]);
foreach (@several)
{
	my ($arguments, @expected) = @$_;
	my ($told) = passes('several keys in a value', @$arguments)
	  =~ /^(  column .*: seems to contain several keys of $arguments->[0] in .*\n(?:    the same: .*\n)?)/m;
	is_deeply([ ($told // '') =~ /column (\S+ of [^\s:,]+)/g ], \@expected,
		"columns with several keys of $arguments->[0]");
}

# Statements and functions that see all columns, from prepare to finish
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); INSERT INTO p (b) VALUES ('x');
	CREATE TABLE archive (LIKE p);
	CREATE FUNCTION all_p() RETURNS SETOF p LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT id, b FROM p; END';
	CREATE FUNCTION archive_p() RETURNS void LANGUAGE plpgsql AS 'BEGIN INSERT INTO archive SELECT * FROM p; END'});
my $star = passes('functions with all columns', 'p', @during);
my $one_more = 'more columns of each table from prepare to finish';
my $hint = 'Name the columns in COPY … FROM, in INSERT without a list of columns, and where functions RETURN QUERY';
like($star, qr/^  SELECT \* and COPY: see $one_more\n +hint: $hint\.$/m,
	'what statements see is told');
my $all_columns = 'those with SELECT \* or RETURNING \*';
my $returns_key = "after prepare, finish and cancel $all_columns; after swap and back all that return a key, ";
like($star, qr/^  prepared statements: fail with error 0A000, .*: ${returns_key}also SELECT id and RETURNING id$/m,
	'and what prepared ones do');
my $whole_rows = 'it takes or returns whole rows, which have more columns from prepare to finish';
like($star, qr/^  (?:function )?public\.all_p\(\):.*$whole_rows/m,
	'a function that returns rows');
like($star, qr/^  (?:function )?public\.archive_p\(\):.*reads all columns of p/m, 'and one that reads all columns');
ok_kidctl('run', 'p', @during);
like(error_of($_->[0], database => 'one', role => 'app'), $_->[1], "which is so: $_->[0]")
  foreach [ 'SELECT all_p()', qr/structure of query does not match function result type/ ],
  [ 'SELECT archive_p()', qr/INSERT has more expressions than target columns/ ];

# What the copy lacks, because the role may not create it there: an index of an extension that is not trusted, a trigger
# whose function is in a language of the superuser. It stops what was not tried, and nothing else.
my $lacking = q{CREATE TABLE small (id serial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	CREATE INDEX small_bloom ON small USING bloom (id);
	CREATE TRIGGER counts BEFORE UPDATE ON small FOR EACH ROW EXECUTE FUNCTION suppress(); CREATE TABLE other (n int);
	CREATE INDEX other_bloom ON other USING bloom (n); INSERT INTO small DEFAULT VALUES};
my $prepare = q{CREATE EXTENSION bloom;
	CREATE FUNCTION suppress() RETURNS trigger LANGUAGE internal AS 'suppress_redundant_updates_trigger'};
fresh($lacking, $prepare);
my $no_bloom = 'access method "bloom" does not exist';
my $statement = 'CREATE INDEX small_bloom .*\n.*--template.*\n.*--accept';
stops('what is not in the copy', [qw(small --time made)],
	qr/^  index public\.small_bloom: $no_bloom  \(stops\)\n      $statement 'index public\.small_bloom'/m,
	qr/^  trigger public\.small counts: .*  \(stops\)/m,
	qr/^  extension bloom: permission denied to create extension "bloom"$/m,
	qr/^  index public\.other_bloom: $no_bloom$|^    the same: .*index public\.other_bloom\b/m,
	qr/ 2 of which stop/);
like((kidctl('run', qw(small --time made)))[0], qr/ 2 of which stop/, 'the move does not begin');
is(sql(q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'}), 0, 'at all');
my @accepted = map { ('--accept', $_) } 'index public.small_bloom', 'trigger public.small counts';
passes('what was accepted', qw(small --time made), @accepted);
$node->safe_psql('postgres', 'CREATE DATABASE prepared TEMPLATE template0');
$node->safe_psql('prepared', $prepare);
my $denied = 'permission denied to copy database "prepared"';
like((kidctl('check', qw(small --time made --template prepared)))[0],
	qr/^error: template prepared cannot be copied: $denied\nhint: Run ALTER DATABASE "prepared" IS_TEMPLATE true\.$/m,
	'a copy begins only as a database that the role may copy');
$node->safe_psql('postgres', 'ALTER DATABASE prepared IS_TEMPLATE true');
stops('what is in the copy, and cannot be moved', [qw(small --time made --template prepared)],
	qr/index public\.small_bloom: in index: data type kid64 has no default operator class for access method "bloom"/,
	qr/ 1 of which stop/);
sql('DROP INDEX small_bloom');
unlike(passes('a copy that begins as a prepared database', qw(small --time made --template prepared)), qr/^not copied/m,
	'which lacks nothing');
$node->safe_psql('postgres', 'ALTER DATABASE prepared OWNER TO g1');
like((kidctl('check', qw(small --time made --template prepared)))[0],
	qr/^error: template prepared belongs neither to a superuser nor to app$/m, 'no template of another role is taken');
my $schema = 'CREATE SCHEMA ext; CREATE EXTENSION citext SCHEMA ext';
$node->safe_psql('one', "$schema; GRANT USAGE ON SCHEMA ext TO app");
$node->safe_psql('postgres', 'CREATE DATABASE closed TEMPLATE template0');
$node->safe_psql('closed', $schema);
$node->safe_psql('postgres', 'ALTER DATABASE closed IS_TEMPLATE true');
my $grant = 'In the template run GRANT USAGE ON SCHEMA ext TO app';
like((kidctl('check', qw(small --time made --template closed)))[0],
	qr/^error: app may not use schema ext in the copy.*\nhint: $grant\.$/m,
	'a template must let the role use its schemas');
like((kidctl('check', qw(small --time made --template none)))[0], qr/^error: there is no database none on the server/m,
	'nor one that does not exist');
$node->safe_psql('postgres', q{ALTER DATABASE prepared IS_TEMPLATE false; DROP DATABASE prepared;
	CREATE DATABASE prepared TEMPLATE template0 ENCODING 'SQL_ASCII' OWNER app});
my $create = q{CREATE DATABASE "prepared" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'};
like((kidctl('check', qw(small --time made --template prepared)))[0],
	qr/^error: template prepared has another encoding or locale than database one\nhint: Create it by $create\.$/m,
	'nor one with another encoding');
$node->safe_psql('postgres', 'DROP DATABASE prepared');

# The other moves, too
fresh(q{CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int);
	CREATE INDEX events_bloom ON events USING bloom (n); INSERT INTO events DEFAULT VALUES;
	CREATE TABLE other (n int); CREATE INDEX other_bloom ON other USING bloom (n);
	CREATE TABLE parted (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id);
	CREATE TABLE parted_1 PARTITION OF parted DEFAULT; CREATE INDEX parted_bloom ON parted_1 USING bloom (n);
	INSERT INTO parted DEFAULT VALUES}, $prepare);
foreach ([ [qw(leave check events)], 'events_bloom' ], [ [qw(leave check parted)], 'parted_bloom' ],
	[ [ qw(partition check events --width), '1 month' ], 'events_bloom' ],
	[ [ qw(partition move parted --width), '1 month' ], 'parted_bloom' ])
{
	my ($arguments, $index) = @$_;
	my ($output, $status) = run_kidctl(connection_as($node, 'one', 'app'), @$arguments);
	is($status, 1, "an index that is not in the copy stops kidctl @$arguments[0, 1]") or diag($output);
	like($output, qr/^  index public\.$index: access method "bloom" does not exist  \(stops\)/m, 'by name');
	like($output, qr/^  index public\.other_bloom: $no_bloom$|^    the same: .*index public\.other_bloom\b/m,
		'and that of another table does not');
}

# What it can do, with operators that are in the schema of kid
fresh(q{CREATE TABLE parts (id bigserial PRIMARY KEY, b text); INSERT INTO parts (b) VALUES ('x'), ('y');
	CREATE TABLE uses (whole bigint REFERENCES parts, part bigint REFERENCES parts,
		CONSTRAINT no_circle CHECK (whole <> part)); INSERT INTO uses VALUES (1, 2);
	CREATE INDEX ascending ON uses ((whole < part)) WHERE whole <> part});
ok_kidctl($_, 'parts', @during) foreach qw(run swap);
like(error_of('INSERT INTO uses (whole, part) SELECT id, id FROM parts'),
	qr/violates check constraint "no_circle"/, 'a constraint that compares two columns holds for new keys');
is(sql(q{SELECT pg_get_indexdef('ascending'::regclass)}),
	'CREATE INDEX ascending ON public.uses USING btree (((whole < part))) WHERE (whole <> part)',
	'an index that compares them is as before');
ok_kidctl('back', 'parts');
is(sql('SELECT whole, part FROM uses'), '1|2', 'also on the way back');

# Clients that do not find the operators
fresh('CREATE TABLE p (id bigserial PRIMARY KEY, b text)',
	'DROP EXTENSION kid; CREATE SCHEMA kid; GRANT USAGE ON SCHEMA kid TO PUBLIC; CREATE EXTENSION kid SCHEMA kid');
stops('a search_path without kid', [ 'p', @during ], qr/search_path: of app is "\$user", public, without schema kid/,
	qr/ALTER DATABASE one SET search_path = "\$user", public, kid/);
passes('a type that is not of kid', 'p', @during, '--to', 'uuid');
$node->safe_psql('postgres', 'ALTER DATABASE one SET search_path = public, kid');
passes('a search_path with kid', 'p', @during);

done_testing();
