# kidctl rekey check: small schemas, each of a kind that was once moved wrongly, or stopped a move in its midst. The check names
# what is in the way before anything is changed, or there is nothing in the way, and the move keeps everything.
use strict;
use warnings;
use utf8;
use Dialogue;
use Kidctl;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = kidctl_server("autovacuum = off\nwal_level = logical\n");
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN CREATEDB; GRANT SET ON PARAMETER session_replication_role TO app; CREATE ROLE g1; CREATE ROLE g2');

# Runs kidctl rekey as the owner of the tables. Returns what it prints, and its exit status.
sub kidctl
{
	return run_kidctl(as_role($node, 'one', 'app'), 'rekey', @_);
}

sub ok_kidctl
{
	my (@arguments) = @_;
	my ($output, $status) = kidctl(@arguments);
	is($status, 0, "kidctl rekey @arguments[0, 1]") or diag($output);
	return $output;
}

# Makes a database with a schema of the owner's, after a superuser has prepared it.
sub fresh
{
	my ($schema, $prepared) = @_;
	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS one');
	$node->safe_psql('postgres', 'CREATE DATABASE one OWNER app');
	$node->safe_psql('one', 'CREATE EXTENSION kid; ALTER SCHEMA public OWNER TO app;' . ($prepared // ''));
	query($schema);
	return;
}

sub query
{
	my ($sql, $role) = @_;
	return $node->safe_psql('one', $sql, connstr => as_role($node, 'one', $role // 'app'));
}

# The check of a table stops the move, and names what is in the way.
sub stops
{
	my ($what, $arguments, @named) = @_;
	my ($output, $status) = kidctl('check', @$arguments);
	is($status, 1, "$what stops the move") or diag($output);
	like($output, $_, "the check says so: $_") foreach @named;
	return $output;
}

# The check of a table finds nothing that stops the move.
sub passes
{
	my ($what, @arguments) = @_;
	my ($output, $status) = kidctl('check', @arguments);
	is($status, 0, "$what does not stop the move") or diag($output);
	return $output;
}

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
like((kidctl('check', $_, @during))[0], qr/without a default cannot be moved/, "keys of another type without a default: $_") foreach qw(d c);
ok_kidctl('run', 'zero', @during);
ok_kidctl('swap', 'zero');
query(q{INSERT INTO zero (b) VALUES ('y')});
is(query('SELECT string_agg(kid_old_id::text, $$ $$ ORDER BY id) FROM zero'), '0 1', 'new rows have old keys for the way back');
ok_kidctl('back', 'zero');
is(query('SELECT string_agg(id::text, $$ $$ ORDER BY id) FROM zero'), '0 1', 'which they have after it');

# What the new type cannot do
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); CREATE TABLE c (p bigint REFERENCES p, words tsvector);
	CREATE INDEX e_expr ON c (coalesce(p, 0)); CREATE INDEX g ON c USING gin (p, words); CREATE STATISTICS s ON (id % 10), b FROM p; CREATE VIEW plus AS SELECT id + 1 AS next FROM p;
	CREATE VIEW pair AS SELECT id FROM p UNION SELECT length(b) FROM p; CREATE VIEW on_pair AS TABLE pair; INSERT INTO p (b) VALUES ('x'); INSERT INTO c VALUES (1)}, 'CREATE EXTENSION btree_gin');
stops('what the new type cannot do',
	[ 'p', @during ],
	qr/index public\.e_expr: in index: COALESCE types/,
	qr/index public\.g: in index: data type .* has no default operator class for access method "gin"/,
	qr/statistics public\.s: in swap: operator does not exist/,
	qr/view public\.plus: in swap: operator does not exist/,
	qr/view public\.pair: in swap: UNION types/);

# Views that put the key beside columns of other tables: a type that fits them, and what clients of the views get
fresh(q{CREATE TABLE posts (id serial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01'); CREATE TABLE notes (id serial PRIMARY KEY); INSERT INTO posts DEFAULT VALUES;
	CREATE VIEW actions AS SELECT 'post' AS kind, id AS model_id FROM posts UNION ALL SELECT 'note', id FROM notes; CREATE MATERIALIZED VIEW "All" AS SELECT id, made FROM posts;
	CREATE TABLE invoices (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), made timestamptz NOT NULL DEFAULT '2026-01-01'); INSERT INTO invoices DEFAULT VALUES;
	CREATE TABLE failures (owner_type text, owner_id uuid); CREATE VIEW report AS SELECT i.id, (SELECT count(*) FROM failures AS f WHERE f.owner_id = i.id) FROM invoices AS i});
foreach (qw(kid64 uuid))
{
	stops("a union of keys to $_", [ qw(posts --time made --to), $_ ], qr/^  view public\.actions: in swap: UNION types $_ and integer cannot be matched  \(stops\)\n(?: {6}.*\n)+    hint: Pass --to bigint, a type that fits the other side,/m);
}
my $widened = passes('a union of keys to bigint', qw(posts --time made --to bigint));
like($widened, qr/^clients:.*\n(?: .*\n)*  materialized view public\."All": columns change their types: id from integer to bigint\n/m, 'which changes the type of a column');
like($widened, qr/^  view public\.actions: columns change their types: model_id from integer to bigint\n/m, 'also of a union');
stops('a view that compares the key', [qw(invoices --time made)], qr/^  view public\.report: in swap: operator does not exist: .*  \(stops\)\n(?: {6}.*\n)+    hint: Pass --to uuid, /m);
unlike(passes('the same with uuid', qw(invoices --time made --to uuid)), qr/columns change their types/, 'which changes no type');

# An index whose access method does not know kid64
fresh('CREATE TABLE words (id serial PRIMARY KEY, made timestamptz NOT NULL DEFAULT now(), w tsvector); CREATE INDEX found ON words USING gin (id, w)', 'CREATE EXTENSION btree_gin;');
stops('an index of another access method', [qw(words --time made)], qr/^  index public\.found: in index: data type kid64 has no default operator class for access method "gin"  \(stops\)\n(?: {6}.*\n)+    hint: Pass --to bigint, which has one,/m);
passes('the same index with bigint', qw(words --time made --to bigint));

# Views that rename columns by their position
fresh(q{CREATE TABLE orders (id bigserial PRIMARY KEY, note text); CREATE TABLE lines (id bigint REFERENCES orders, n int); INSERT INTO orders DEFAULT VALUES; INSERT INTO lines VALUES (1, 1);
	CREATE VIEW of_table AS SELECT o.a FROM orders AS o (a, b); CREATE VIEW in_join AS SELECT count(*) AS c FROM (orders AS o (a, b) JOIN lines AS l ON o.a = l.id);
	CREATE VIEW of_join AS SELECT j.q, j.n FROM (orders JOIN lines USING (id)) AS j (q, w, n); CREATE VIEW below AS SELECT 1 AS one WHERE EXISTS (SELECT FROM lines AS x (y, z) WHERE y > z);
	CREATE VIEW named AS SELECT u.id, n FROM orders AS o JOIN lines AS l USING (id) AS u; CREATE VIEW elsewhere AS SELECT v.a FROM named AS v (a, b) JOIN generate_series(1, 2) AS g (n) ON true});
my @renamed = ([ 'of_table', 'o (a, b)' ], [ 'in_join', 'o (a, b)' ], [ 'of_join', 'j (q, w, n)' ], [ 'below', 'x (y, z)' ]);
stops('columns that are renamed by their position', [ 'orders', @during ], (map { qr/^  view public\.$_->[0]: renames columns by their position, and the key gets another position: AS \Q$_->[1]\E  \(stops\)$/m } @renamed), qr/^    hint: Rename columns in the select list/m, qr/ 4 of which stop/);
query('DROP VIEW ' . join(', ', map { $_->[0] } @renamed));
passes('an alias of a join, and names of other columns', 'orders', @during);
ok_kidctl($_, 'orders', @during) foreach qw(run swap);
is(query('SELECT count(*) FROM elsewhere JOIN orders ON id = a'), 2, 'after the swap these views are right');

# Columns that look like references: lists, camel case, and other schemas, but no types that cannot contain the key
fresh(q{CREATE TABLE posts (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01'); INSERT INTO posts DEFAULT VALUES;
	CREATE TABLE pools (post_ids bigint[], "postId" bigint, post bigint, stripe_id varchar, flag_id boolean); CREATE SCHEMA audit; CREATE TABLE audit.log (post_id bigint)});
my $lookalikes = passes('columns that look like references', qw(posts --time made));
like($lookalikes, qr/^references:.*\n(?: .*\n)*.*column $_\b/m, "among the references: $_") foreach 'post_ids of public\.pools', '"?postId"? of public\.pools', 'post of public\.pools', 'post_id of audit\.log';
unlike($lookalikes, qr/$_/, "not among them: $_") foreach qw(stripe_id flag_id);

# Statements and functions that see all columns, from prepare to finish
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); INSERT INTO p (b) VALUES ('x'); CREATE TABLE archive (LIKE p);
	CREATE FUNCTION all_p() RETURNS SETOF p LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT id, b FROM p; END';
	CREATE FUNCTION archive_p() RETURNS void LANGUAGE plpgsql AS 'BEGIN INSERT INTO archive SELECT * FROM p; END'});
my $star = passes('functions with all columns', 'p', @during);
like($star, qr/^  SELECT \* and COPY: see one more column of each table from prepare to finish\n +hint: Name the columns in COPY … FROM, in INSERT without a list of columns, and where functions RETURN QUERY\.$/m, 'what statements see is told');
like($star, qr/^  prepared statements: with SELECT \* or RETURNING \* fail once in each session after prepare, swap and finish/m, 'and what prepared ones do');
like($star, qr/^  (?:function )?public\.all_p\(\):.*it takes or returns whole rows, which have one more column from prepare to finish/m, 'a function that returns rows');
like($star, qr/^  (?:function )?public\.archive_p\(\):.*reads all columns of p/m, 'and one that reads all columns');
ok_kidctl('run', 'p', @during);
like(run_sql($node, 'one', 'app', $_->[0], may_fail => 1), $_->[1], "which is so: $_->[0]")
  foreach [ 'SELECT all_p()', qr/structure of query does not match function result type/ ], [ 'SELECT archive_p()', qr/INSERT has more expressions than target columns/ ];

# What the copy lacks, because the role may not create it there: an index of an extension that is not trusted, a trigger whose
# function is in a language of the superuser. It stops what was not tried, and nothing else.
my $lacking = q{CREATE TABLE small (id serial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01'); CREATE INDEX small_bloom ON small USING bloom (id);
	CREATE TRIGGER counts BEFORE UPDATE ON small FOR EACH ROW EXECUTE FUNCTION suppress(); CREATE TABLE other (n int); CREATE INDEX other_bloom ON other USING bloom (n); INSERT INTO small DEFAULT VALUES};
my $prepare = q{CREATE EXTENSION bloom; CREATE FUNCTION suppress() RETURNS trigger LANGUAGE internal AS 'suppress_redundant_updates_trigger'};
fresh($lacking, $prepare);
stops('what is not in the copy', [qw(small --time made)],
	qr/^  index public\.small_bloom: access method "bloom" does not exist  \(stops\)\n      CREATE INDEX small_bloom .*\n.*--template.*\n.*--accept 'index public\.small_bloom'/m,
	qr/^  trigger public\.small counts: .*  \(stops\)/m,
	qr/^  extension bloom: permission denied to create extension "bloom"$/m,
	qr/^  index public\.other_bloom: access method "bloom" does not exist$|^    the same: .*index public\.other_bloom\b/m,
	qr/ 2 of which stop/);
like((kidctl('run', qw(small --time made)))[0], qr/ 2 of which stop/, 'the move does not begin');
is(query(q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'}), 0, 'at all');
my @accepted = map { ('--accept', $_) } 'index public.small_bloom', 'trigger public.small counts';
passes('what was accepted', qw(small --time made), @accepted);
$node->safe_psql('postgres', 'CREATE DATABASE prepared TEMPLATE template0');
$node->safe_psql('prepared', $prepare);
like((kidctl('check', qw(small --time made --template prepared)))[0], qr/^error: template prepared cannot be copied: permission denied to copy database "prepared"\nhint: Run ALTER DATABASE "prepared" IS_TEMPLATE true\.$/m, 'a copy begins only as a database that the role may copy');
$node->safe_psql('postgres', 'ALTER DATABASE prepared IS_TEMPLATE true');
stops('what is in the copy, and cannot be moved', [qw(small --time made --template prepared)], qr/index public\.small_bloom: in index: data type kid64 has no default operator class for access method "bloom"/, qr/ 1 of which stop/);
query('DROP INDEX small_bloom');
unlike(passes('a copy that begins as a prepared database', qw(small --time made --template prepared)), qr/^not copied/m, 'which lacks nothing');
$node->safe_psql('postgres', 'ALTER DATABASE prepared OWNER TO g1');
like((kidctl('check', qw(small --time made --template prepared)))[0], qr/^error: template prepared belongs neither to a superuser nor to app$/m, 'no template of another role is taken');
my $schema = 'CREATE SCHEMA ext; CREATE EXTENSION citext SCHEMA ext';
$node->safe_psql('one', "$schema; GRANT USAGE ON SCHEMA ext TO app");
$node->safe_psql('postgres', 'CREATE DATABASE closed TEMPLATE template0');
$node->safe_psql('closed', $schema);
$node->safe_psql('postgres', 'ALTER DATABASE closed IS_TEMPLATE true');
like((kidctl('check', qw(small --time made --template closed)))[0], qr/^error: app may not use schema ext in the copy.*\nhint: In the template run GRANT USAGE ON SCHEMA ext TO app\.$/m, 'a template must let the role use its schemas');
like((kidctl('check', qw(small --time made --template none)))[0], qr/^error: there is no database none on the server/m, 'nor one that does not exist');
$node->safe_psql('postgres', q{ALTER DATABASE prepared IS_TEMPLATE false; DROP DATABASE prepared; CREATE DATABASE prepared TEMPLATE template0 ENCODING 'SQL_ASCII' OWNER app});
like((kidctl('check', qw(small --time made --template prepared)))[0], qr/^error: template prepared has another encoding or locale than database one\nhint: Create it by CREATE DATABASE "prepared" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'\.$/m, 'nor one with another encoding');
$node->safe_psql('postgres', 'DROP DATABASE prepared');

# The other moves, too
fresh(q{CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int); CREATE INDEX events_bloom ON events USING bloom (n); INSERT INTO events DEFAULT VALUES;
	CREATE TABLE other (n int); CREATE INDEX other_bloom ON other USING bloom (n);
	CREATE TABLE parted (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id); CREATE TABLE parted_1 PARTITION OF parted DEFAULT; CREATE INDEX parted_bloom ON parted_1 USING bloom (n); INSERT INTO parted DEFAULT VALUES}, $prepare);
foreach ([ [qw(leave check events)], 'events_bloom' ], [ [qw(leave check parted)], 'parted_bloom' ], [ [ qw(partition check events --width), '1 month' ], 'events_bloom' ], [ [ qw(partition move parted --width), '1 month' ], 'parted_bloom' ])
{
	my ($arguments, $index) = @$_;
	my ($output, $status) = run_kidctl(as_role($node, 'one', 'app'), @$arguments);
	is($status, 1, "an index that is not in the copy stops kidctl @$arguments[0, 1]") or diag($output);
	like($output, qr/^  index public\.$index: access method "bloom" does not exist  \(stops\)/m, 'by name');
	like($output, qr/^  index public\.other_bloom: access method "bloom" does not exist$|^    the same: .*index public\.other_bloom\b/m, 'and that of another table does not');
}

# What it can do, with operators that are in the schema of kid
fresh(q{CREATE TABLE parts (id bigserial PRIMARY KEY, b text); INSERT INTO parts (b) VALUES ('x'), ('y');
	CREATE TABLE uses (whole bigint REFERENCES parts, part bigint REFERENCES parts, CONSTRAINT no_circle CHECK (whole <> part)); INSERT INTO uses VALUES (1, 2);
	CREATE INDEX ascending ON uses ((whole < part)) WHERE whole <> part});
ok_kidctl($_, 'parts', @during) foreach qw(run swap);
my (undef, undef, $stderr) = $node->psql('one', 'INSERT INTO uses (whole, part) SELECT id, id FROM parts', connstr => $node->connstr('one') . ' user=app');
like($stderr, qr/violates check constraint "no_circle"/, 'a constraint that compares two columns holds for new keys');
is(query(q{SELECT pg_get_indexdef('ascending'::regclass)}), 'CREATE INDEX ascending ON public.uses USING btree (((whole < part))) WHERE (whole <> part)', 'an index that compares them is as before');
ok_kidctl('back', 'parts');
is(query('SELECT whole, part FROM uses'), '1|2', 'also on the way back');

# Clients that do not find the operators
fresh('CREATE TABLE p (id bigserial PRIMARY KEY, b text)', 'DROP EXTENSION kid; CREATE SCHEMA kid; GRANT USAGE ON SCHEMA kid TO PUBLIC; CREATE EXTENSION kid SCHEMA kid');
stops('a search_path without kid', [ 'p', @during ], qr/search_path: of app is "\$user", public, without schema kid/, qr/ALTER DATABASE one SET search_path = "\$user", public, kid/);
passes('a type that is not of kid', 'p', @during, '--to', 'uuid');
$node->safe_psql('postgres', 'ALTER DATABASE one SET search_path = public, kid');
passes('a search_path with kid', 'p', @during);

# Tables that nobody can update, because a publication does not know the row
fresh(q{CREATE TABLE p (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, b text); CREATE TABLE c (p_id bigint REFERENCES p, b text); CREATE TABLE f (id bigserial PRIMARY KEY, p_id bigint REFERENCES p, b text);
	INSERT INTO p DEFAULT VALUES; INSERT INTO c VALUES (1); INSERT INTO f (p_id) VALUES (1); CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'must not run'; END $$;
	CREATE TRIGGER t BEFORE UPDATE ON c FOR EACH STATEMENT EXECUTE FUNCTION fails(); CREATE PUBLICATION filtered FOR TABLE f WHERE (b <> 'x')}, 'CREATE PUBLICATION everything FOR ALL TABLES');
stops('a publication', [ 'p', @during ], qr/^  public\.c: cannot update table "c" because it does not have a replica identity and publishes updates  \(stops\)\n    hint: ALTER TABLE public\.c REPLICA IDENTITY FULL/m,
	qr/^  public\.f: cannot update table "f": Column used in the publication WHERE expression is not part of the replica identity\.  \(stops\)$/m);
query('ALTER TABLE c REPLICA IDENTITY FULL; ALTER TABLE f REPLICA IDENTITY FULL; DROP TRIGGER t ON c');
ok_kidctl($_, 'p', @during) foreach qw(check run cancel);

# Rules of domains, and references to rows that are not there
fresh(q{CREATE FUNCTION fits(bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 7 <> 6'; CREATE DOMAIN fitting AS bigint CHECK (public.fits(VALUE)); CREATE DOMAIN "Of it" AS fitting NOT NULL; CREATE DOMAIN bare AS int;
	CREATE TABLE p (id bigserial PRIMARY KEY); INSERT INTO p DEFAULT VALUES; CREATE TABLE c (a "Of it" REFERENCES p, b bare REFERENCES p, n int); INSERT INTO c VALUES (1, 1);
	CREATE TABLE lost (a int, b int, n int); INSERT INTO lost VALUES (1, 1), (NULL, 1), (999, 1), (1000, 1);
	ALTER TABLE lost ADD CONSTRAINT a_key FOREIGN KEY (a) REFERENCES p NOT VALID, ADD CONSTRAINT b_key FOREIGN KEY (b) REFERENCES p NOT VALID});
my $rules = stops('a domain with rules', [ 'p', @during ],
	qr/^  column a of public\.c: new keys are not of domain public\."Of it", whose rules then do not hold  \(stops\)\n +NOT NULL\n +hint: ALTER TABLE public\.c ALTER "a" TYPE bigint, /m,
	qr/^  column a of public\.c: new keys are not of domain public\.fitting, .*\n +CHECK \(public\.fits\(VALUE\)\)$/m,
	qr/^  constraint a_key on public\.lost: is not validated, and 2 rows refer to no row.*\n +hint: Delete these rows.*\n +to go on all the same: --accept 'constraint a_key on public\.lost'$/m);
unlike($rules, qr/domain public\.bare|constraint b_key/, 'one without rules does not, nor a constraint that holds');
query('ALTER TABLE c ALTER a TYPE bigint');
ok_kidctl($_, 'p', @during, '--accept', 'constraint a_key on public.lost') foreach qw(run cancel);

# A move goes on with its options, also where something was made meanwhile
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01'); INSERT INTO p DEFAULT VALUES});
ok_kidctl(qw(run p --time made --old-name old));
query('CREATE VIEW late AS SELECT id FROM p');
ok_kidctl($_, 'p') foreach qw(check run swap finish);
is(query('SELECT kid_timestamp(id)::timestamptz(0), old FROM p JOIN late USING (id)'), '2026-01-01 00:00:00+00|1', 'which are those of the beginning');

# Columns that tell a time, or seem to
fresh(q{CREATE DOMAIN moment AS timestamptz(3) NOT NULL; CREATE DOMAIN day AS date; CREATE DOMAIN birth AS day;
	CREATE TABLE p (id bigserial PRIMARY KEY, made moment DEFAULT '2026-01-01', born birth DEFAULT '2026-01-01', during daterange, times timestamptz[], said text); INSERT INTO p DEFAULT VALUES});
stops("a column $_", [ qw(p --time-zone UTC --time), $_ ], qr/^  column $_ of public\.p: does not contain a time  \(stops\)\n    hint: Name a column of type/m) foreach qw(during times said);
passes('a domain of times', qw(p --time made));
stops('a domain of dates', [qw(p --time born)], qr/column born of public\.p: is of type date, which has no time zone/);
ok_kidctl($_, qw(p --time born --time-zone UTC)) foreach qw(run swap);
is(query(q{SELECT kid_timestamp(id)::timestamptz(0) FROM p}), '2026-01-01 00:00:00+00', 'a domain tells the times of new keys');

# References that are unique together, and defaults that are constants
fresh(q{CREATE TABLE people (id bigserial PRIMARY KEY, nick text NOT NULL UNIQUE DEFAULT ''); CREATE TABLE friends (a bigint REFERENCES people, b bigint REFERENCES people, PRIMARY KEY (a, b));
	INSERT INTO people DEFAULT VALUES; INSERT INTO friends VALUES (1, 1); CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS 'DECLARE n bigint = NEW.a; BEGIN RETURN NEW; END';
	CREATE TRIGGER t BEFORE INSERT ON friends FOR EACH ROW EXECUTE FUNCTION counts()});
stops('a trigger of a table with unique references', [ 'people', @during, '--to', 'uuid' ], qr/INSERT on public\.friends: after swap: .*bigint/);
unlike((kidctl('check', 'people', @during, '--to', 'uuid'))[0], qr/INSERT on public\.people: duplicate/, 'another value is tried where a default is a constant');

# Functions that a session has compiled for the old type, and that work in another session
fresh(q{CREATE TABLE users (id bigserial PRIMARY KEY); CREATE TABLE posts (user_id bigint REFERENCES users, changes int NOT NULL DEFAULT 0); INSERT INTO users DEFAULT VALUES;
	INSERT INTO posts VALUES (1); CREATE FUNCTION changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.user_id IS DISTINCT FROM OLD.user_id THEN NEW.changes = 1; END IF; RETURN NEW; END';
	CREATE TRIGGER t BEFORE UPDATE ON posts FOR EACH ROW EXECUTE FUNCTION changed()});
like(passes('a trigger function that suits any type', 'users', @during, '--to', 'uuid'), qr/^clients:.*\n(?: .*\n)*?  UPDATE on public\.posts: fails after swap in sessions that did it before: .*\n +PL\/pgSQL .*\n +hint: Let all sessions that write this table reconnect after swap\.$/m, 'in a session that begins after the swap');

# The same where the function casts the old key: what fails in old sessions alone does not stop the move, and what fails in all does.
fresh(q{CREATE TABLE users (id bigserial PRIMARY KEY, n int); CREATE TABLE log (t text, n bigint); INSERT INTO users DEFAULT VALUES;
	CREATE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.log VALUES (OLD.id::text); RETURN NEW; END'; CREATE TRIGGER t AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION logs()});
my $old_sessions = qr/  UPDATE on public\.users: fails after swap in sessions that did it before: type of parameter \d+ \(uuid\) does not match that when preparing the plan \(bigint\)\n/;
like(passes('a trigger function that casts the key', 'users', @during, '--to', 'uuid'), $old_sessions, 'but old sessions must reconnect');
query(q{CREATE OR REPLACE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.log (n) VALUES (OLD.id); RETURN NEW; END'});
my ($logged) = kidctl('check', 'users', @during, '--to', 'uuid');
like($logged, qr/^  UPDATE on public\.users: after swap: column "n" is of type bigint but expression is of type uuid  \(stops\)$/m, 'what fails in all sessions stops the move');
unlike($logged, qr/in sessions that did it before/, 'and is told once');

# Constants
fresh(q{CREATE TABLE users (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01', name text);
	CREATE TABLE posts (user_id bigint REFERENCES users, n int, CONSTRAINT known CHECK (user_id <> 0)); CREATE INDEX recent ON users (name) WHERE id > 5000;
	CREATE VIEW humans AS SELECT * FROM users WHERE id > 0; CREATE POLICY root ON users USING (id <> 1 OR current_user = 'root');
	INSERT INTO users (name) VALUES ('root'); INSERT INTO posts VALUES (1)});
stops("constants to $_", [ 'users', qw(--time made --to), $_ ], qr/index public\.recent: has a constant/, qr/constraint known .*: has a constant/, qr/view public\.humans: has a constant/, qr/policy root .*: has a constant/)
  foreach qw(kid64 bigint);

# Publications
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); INSERT INTO p (b) SELECT n FROM generate_series(1, 10) AS n});
$node->safe_psql('one', 'CREATE PUBLICATION everything FOR ALL TABLES');
ok_kidctl('run', 'p', @during);
ok_kidctl('swap', 'p');
ok_kidctl('finish', 'p');
is(query(q{SELECT count(*) FROM p WHERE kid_timestamp(id) >= '2024-01-01'}), 10, 'a publication of all tables is no obstacle');

# What partitions have of their own
fresh(q{CREATE TABLE a (id bigserial PRIMARY KEY); INSERT INTO a SELECT FROM generate_series(1, 10); CREATE TABLE e (p bigint, d int NOT NULL) PARTITION BY LIST (d);
	CREATE TABLE e1 PARTITION OF e FOR VALUES IN (1); CREATE TABLE e2 PARTITION OF e DEFAULT; ALTER TABLE e2 ALTER p SET NOT NULL; ALTER TABLE e1 ALTER p SET NOT NULL;
	ALTER TABLE e ADD CONSTRAINT e_unique UNIQUE (d, p); ALTER TABLE e ADD CONSTRAINT e_parent FOREIGN KEY (p) REFERENCES a; INSERT INTO e SELECT id, 1 FROM a;
	ALTER TABLE e1 REPLICA IDENTITY USING INDEX e1_d_p_key; ALTER TABLE e1 CLUSTER ON e1_d_p_key; ALTER INDEX e1_d_p_key SET (fillfactor = 50);
	ALTER INDEX e2_d_p_key RENAME TO "unique of e2"; GRANT SELECT (p) ON e2 TO PUBLIC; COMMENT ON COLUMN e2.p IS 'of e2'; COMMENT ON INDEX e1_d_p_key IS 'of e1'});
my $details = q{
	SELECT 'replica identity of e1: ' || relreplident::text FROM pg_class WHERE oid = 'e1'::regclass
	UNION ALL SELECT 'clustered index: ' || indexrelid::regclass FROM pg_index WHERE indisclustered
	UNION ALL SELECT format('index %s: %s, %s', i.indexrelid::regclass, c.reloptions, obj_description(c.oid)) FROM pg_index AS i JOIN pg_class AS c ON c.oid = indexrelid WHERE indrelid IN ('e1'::regclass, 'e2'::regclass) AND c.relname !~ '^kid_'
	UNION ALL SELECT format('e2.p: %s, %s, %s', attnotnull, attacl, col_description(attrelid, attnum)) FROM pg_attribute WHERE attrelid = 'e2'::regclass AND attname = 'p'
	UNION ALL SELECT conrelid::regclass || ': ' || conname FROM pg_constraint WHERE contype = 'f' ORDER BY 1};
my $before = query($details);
ok_kidctl('run', 'a', @during);
ok_kidctl('swap', 'a');
is(query($details), $before, 'partitions keep what they have of their own');
ok_kidctl('back', 'a');
is(query($details), $before, 'also on the way back');

# Times
fresh(q{CREATE TABLE local (id bigserial PRIMARY KEY, made timestamp NOT NULL, item text); INSERT INTO local (made) VALUES ('2026-01-01 12:00'), ('2026-07-01 12:00');
	CREATE TABLE early (id bigserial PRIMARY KEY, made timestamptz); INSERT INTO early (made) VALUES ('0001-01-01'), ('infinity'), ('2999-01-01'), (NULL), ('2014-12-31');
	CREATE TABLE flaxen (id bigserial PRIMARY KEY, made timestamptz); INSERT INTO flaxen (made) VALUES ('2014-12-31')});
stops('a column without a time zone', [qw(local --time made)], qr/has no time zone/, qr/--time-zone UTC/);
stops('an unknown zone', [qw(local --time made --time-zone Nowhere)], qr/time zone "Nowhere" not recognized/);
stops('times that no key can have', [qw(early --time made)], qr/2 rows have no time/, qr/1 rows have a time in the future/, qr/keys cannot have the time 0001-01-01/);
stops('times before flax began', [qw(flaxen --time made --to flax)], qr/keys cannot have the time 2014-12-31/);
stops('a range in the future', [ 'local', '--during', '[2024-01-01, 2999-01-01)' ], qr/ends in the future/);
like((kidctl('check', 'local', '--during', '[2024-01-01, infinity)'))[0], qr/must be a range with a beginning and an end/, 'a range has an end');
stops('no time', ['local'], qr/Name a column with --time/);
ok_kidctl('run', qw(local --time made --time-zone Europe/Berlin));
ok_kidctl('swap', 'local');
is(query('SELECT string_agg((made - kid_timestamp(id) AT TIME ZONE $$UTC$$)::text, $$ $$ ORDER BY id) FROM local'), '01:00:00 02:00:00', 'a time without a zone is read in the one that was given')
  or diag(query('SELECT made, kid_timestamp(id) FROM local'));

# All types
fresh(q{CREATE TABLE orders (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01'); INSERT INTO orders DEFAULT VALUES});
passes("a move to $_", qw(orders --time made --to), $_) foreach qw(kid96 sno flake flax uuid bigint);

# Sequences and trigger functions
fresh(q{CREATE SEQUENCE numbers; CREATE TABLE a (id bigint PRIMARY KEY DEFAULT nextval('numbers'), made timestamptz NOT NULL DEFAULT '2026-01-01');
	CREATE TABLE b (id bigint PRIMARY KEY DEFAULT nextval('numbers')); ALTER SEQUENCE numbers OWNED BY a.id; INSERT INTO a DEFAULT VALUES});
stops('a sequence that another default needs', [qw(a --time made)], qr/default value for public\.b\.id: takes numbers from sequence public\.numbers, .*\(stops\)\n    hint: Detach/);
fresh(q{CREATE TABLE customers (id bigserial PRIMARY KEY, b text); INSERT INTO customers (b) VALUES ('x'); CREATE TABLE invoices (customer_id bigint REFERENCES customers);
	CREATE TABLE audit (entity bigint); CREATE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO audit VALUES ((to_jsonb(NEW) ->> TG_ARGV[0])::bigint); RETURN NULL; END $$;
	CREATE TRIGGER log AFTER INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION log_change('customer_id'); INSERT INTO invoices SELECT id FROM customers});
stops('a trigger function that knows the type', [ 'customers', @during ], qr/INSERT on public\.invoices: after swap: invalid input syntax for type bigint/);
is(() = (kidctl('check', 'customers', @during))[0] =~ /INSERT on public\.invoices: after/g, 1, 'which is told once');

# New rows only
fresh(q{CREATE TABLE articles (id bigserial PRIMARY KEY, title text); CREATE TABLE comments (id serial PRIMARY KEY, article_id integer REFERENCES articles);
	CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME order_numbers INCREMENT BY 2 START 101 CACHE 20) PRIMARY KEY, item text);
	GRANT USAGE ON SEQUENCE order_numbers TO g1; COMMENT ON SEQUENCE order_numbers IS 'odd'; INSERT INTO orders (item) VALUES ('tea'); CREATE VIEW shown AS SELECT id FROM orders});
stops('an integer column that refers to the key', [qw(articles --new-rows-only)], qr/column article_id of public\.comments: .*integer/);
stops('an integer key', [qw(comments --new-rows-only)], qr/column id of public\.comments: is of type integer/);
my $options = q{SELECT seqrelid::regclass, seqstart, seqincrement, seqcache, relacl, obj_description(seqrelid) FROM pg_sequence JOIN pg_class AS c ON c.oid = seqrelid WHERE relname = 'order_numbers'};
$before = query($options);
ok_kidctl($_, 'orders', '--new-rows-only') foreach qw(run swap);
is(query(q{WITH n AS (INSERT INTO orders (item) VALUES ('milk') RETURNING id) SELECT kid_timestamp(id::kid64) > now() - interval '1 minute' FROM n}), 't', 'new rows have keys that tell their time');
ok_kidctl('back', 'orders');
is(query($options), $before =~ s/\{g1=U\/app\}|NULL/$&/r, 'an identity has its options again');
is(query(q{INSERT INTO orders (item) VALUES ('newer'); SELECT item FROM orders ORDER BY id DESC LIMIT 1}), 'newer', 'numbers go on above');

# Privileges on views, and views of other roles
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); INSERT INTO p (b) VALUES ('x'); CREATE VIEW readonly AS SELECT id, b FROM p; REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON readonly FROM app;
	GRANT SELECT ON readonly TO g1 WITH GRANT OPTION});
$node->safe_psql('one', 'SET ROLE g1; GRANT SELECT ON readonly TO g2');
stops('a privilege that another role granted', [ 'p', @during ], qr/view public\.readonly: privileges that g1 granted will come from the owner/);
$node->safe_psql('one', 'GRANT g1 TO app');
my $acl = q{SELECT relacl FROM pg_class WHERE relname = 'readonly'};
$before = query($acl);
ok_kidctl('run', 'p', @during);
ok_kidctl('swap', 'p');
is(query($acl), $before, 'the privileges on a view are as before');
ok_kidctl('back', 'p');
is(query($acl), $before, 'also on the way back');
$node->safe_psql('one', 'REVOKE g1 FROM app; ALTER VIEW readonly OWNER TO g2');
stops('a view of another role', [ 'p', @during ], qr/view public\.readonly: must be made again, and belongs to g2/);

# Names that another role has taken, and what roles and schemas are given by default
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); INSERT INTO p (b) VALUES ('x'); ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO g1;
	GRANT CREATE ON SCHEMA public TO g1});
$node->safe_psql('one', 'ALTER ROLE app SET default_transaction_read_only = on; ALTER ROLE app SET role = g1; GRANT g1 TO app');
$node->safe_psql('one', 'SET ROLE g1; CREATE TABLE t (a int); CREATE UNIQUE INDEX kid_new_p_pkey ON t (a)');
stops('a name that is taken', [ 'p', @during ], qr/index public\.p_pkey: gets a counterpart whose name is taken by an index of g1: public\.kid_new_p_pkey/);
$node->safe_psql('one', 'DROP TABLE t');
ok_kidctl('run', 'p', @during);
$node->safe_psql('one', 'DROP INDEX kid_new_p_pkey; SET ROLE g1; CREATE TABLE t (a int); CREATE UNIQUE INDEX kid_new_p_pkey ON t (a)');
my ($planted) = kidctl('swap', 'p');
like($planted, qr/^error: index public\.p_pkey is not ready$/m, 'an index of another table is no twin');
$node->safe_psql('one', 'DROP TABLE t; CREATE TABLE later (p_id bigint REFERENCES p); ALTER TABLE later OWNER TO app');
my ($later) = kidctl('run', 'p', @during);
like($later, qr/^error: public\.later refers to the keys since the move began/m, 'a table that refers to the keys since the move began');
$node->safe_psql('one', 'DROP TABLE later');
ok_kidctl('run', 'p', @during);
ok_kidctl('swap', 'p');
ok_kidctl('finish', 'p');
$node->safe_psql('postgres', 'ALTER ROLE app RESET ALL; REVOKE g1 FROM app');

# A table that is called as the sequences with the secrets of kid in plain SQL are, in a database in which the planner looks at
# all tables before it looks at their schema
fresh('CREATE TABLE p (id bigserial PRIMARY KEY, b text); CREATE TABLE secret (a text)', 'ALTER DATABASE one SET enable_indexscan = off; ALTER DATABASE one SET enable_bitmapscan = off');
passes('a table that is called secret', 'p', @during);

# An old key that is kept is not a difference that somebody must accept.
fresh(q{CREATE TABLE p (id serial PRIMARY KEY, b text); CREATE TABLE i (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY); CREATE TABLE "Q" (id uuid PRIMARY KEY);
	INSERT INTO p (b) VALUES ('x'); INSERT INTO i DEFAULT VALUES; INSERT INTO "Q" VALUES ('0190a000-0000-4000-8000-000000000001')});
foreach (qw(p i "Q"))
{
	my $output = passes("an old key that is kept, of $_", $_, @during, '--old-name', 'old "id"');
	unlike($output, qr/syntax error/, 'writers update no table that has only an identity');
}

# A key that refers to another one
fresh('CREATE TABLE p (id bigserial PRIMARY KEY, b text); CREATE TABLE more (id bigint PRIMARY KEY CONSTRAINT more_p REFERENCES p, c text)');
stops('a key that refers to another one', [ 'more', @during ], qr/constraint more_p on public\.more: makes the column refer also to public\.p  \(stops\)\n +hint: Move public\.p instead/);

# A long view that puts the key beside other columns is not shown in full, also if a constant is in it.
fresh('CREATE TABLE p (id bigserial PRIMARY KEY, b text); CREATE TABLE q (id bigserial PRIMARY KEY, b text);
	CREATE VIEW long AS ' . join(' UNION ALL ', ('SELECT id, b FROM p WHERE id > 7', 'SELECT id, b FROM q') x 30));
stops('a long view', [ 'p', '--no-rehearsal', @during ], qr/view public\.long: has a constant beside the key: id > 7  \(stops\)\n(?: {6}.*\n){30} +\S+ and \d+ more lines\n/);

# Triggers and CHECKs that name tables without their schema
fresh(q{CREATE TABLE words (w text);
	CREATE FUNCTION known(text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM FROM words; RETURN true; END';
	CREATE TABLE p (id bigserial PRIMARY KEY, b text CHECK (known(b))); INSERT INTO p (b) VALUES ('x');
	CREATE FUNCTION count_words() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM FROM words; RETURN NEW; END';
	CREATE TRIGGER count_words AFTER UPDATE ON p FOR EACH ROW EXECUTE FUNCTION count_words()});
foreach ([], [ '--triggers', 'run', '--accept', 'trigger count_words on public.p' ])
{
	unlike(passes('code that needs a search_path', 'p', @during, @$_), qr/no rows/, 'and the rehearsal has rows');
	ok_kidctl('run', 'p', @during, @$_);
	ok_kidctl('swap', 'p');
	ok_kidctl('back', 'p');
}

# Views that PostgreSQL does not see as depending on the key are read after each step: they fail although nothing refuses the
# swap. What takes long says nothing, and views of other roles are not read, whose code would run with the rights of this one.
fresh(q{CREATE TABLE r (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01'); INSERT INTO r DEFAULT VALUES;
	CREATE FUNCTION ids() RETURNS TABLE (id bigint) LANGUAGE plpgsql STABLE AS 'BEGIN RETURN QUERY SELECT r.id FROM r; END'; CREATE VIEW listed AS SELECT * FROM ids();
	CREATE VIEW slow AS SELECT pg_sleep(8) IS NULL AS n; CREATE VIEW broken AS SELECT 1 / 0 AS n; GRANT USAGE, CREATE ON SCHEMA public TO g1; GRANT SELECT ON r TO g1});
$node->safe_psql('one', q{SET ROLE g1; CREATE VIEW of_g1 AS SELECT 1 / 0 AS n; GRANT SELECT ON of_g1 TO app});
query('CREATE VIEW on_g1 AS TABLE of_g1');
stops('a view that fails after the swap', [qw(r --time made)], qr/^  SELECT on public\.listed: after swap: structure of query does not match function result type.*\(stops\)$/m,
	qr/^  SELECT on public\.slow: canceling statement/m, qr/^  SELECT on public\.broken: division by zero$/m, qr/ 1 of which stop/);
unlike(passes('a view that was accepted', qw(r --time made --accept), 'SELECT on public.listed'), qr/on_g1|of_g1/, 'no view of another role is read');

# Where kidctl refuses, it says what to do, and that helps.
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01'); CREATE TABLE above (p bigint); CREATE TABLE c (p bigint DEFAULT 1 REFERENCES p) INHERITS (above);
	CREATE UNLOGGED TABLE u (p bigint REFERENCES p); CREATE TYPE row_of AS (p bigint); CREATE TABLE t OF row_of; ALTER TABLE t ADD FOREIGN KEY (p) REFERENCES p;
	CREATE TABLE other (id bigint PRIMARY KEY); ALTER TABLE t ADD CONSTRAINT t_other FOREIGN KEY (p) REFERENCES other; CREATE TABLE n (n bigint DEFAULT nextval('p_id_seq'));
	CREATE INDEX other_class ON t (p int8_ops) WITH (fillfactor = 70); CREATE RULE quiet AS ON UPDATE TO u DO ALSO NOTHING; ALTER TABLE u ENABLE ALWAYS RULE quiet});
stops('what is refused', [qw(p --time made)],
	qr/^  public\.c: inherits.*\n    hint: Take it out of the inheritance: ALTER TABLE … NO INHERIT ….$/m,
	qr/^  public\.u: is temporary or unlogged .*\n    hint: ALTER TABLE … SET LOGGED\.$/m,
	qr/^  public\.t: is a typed table .*\n    hint: ALTER TABLE … NOT OF\.$/m,
	qr/^  constraint t_other on public\.t: .*\n    hint: Drop it\.$/m,
	qr/^  rule quiet on public\.u: .*\n    hint: Drop it before the move, or disable it/m,
	qr/^  default value for public\.n\.n: .*\n    hint: Detach the sequence from the key: ALTER SEQUENCE public\.p_id_seq OWNED BY NONE\.$/m);
query(q{ALTER TABLE c NO INHERIT above; ALTER TABLE c ALTER p DROP DEFAULT; ALTER TABLE u DISABLE RULE quiet; ALTER TABLE u SET LOGGED; ALTER TABLE t NOT OF; ALTER TABLE t DROP CONSTRAINT t_other;
	ALTER SEQUENCE p_id_seq OWNED BY NONE; INSERT INTO p DEFAULT VALUES});
ok_kidctl(@$_) foreach [qw(run p --time made)], [qw(swap p)], [qw(finish p)];
query('INSERT INTO n DEFAULT VALUES');
is(query('SELECT n > 1 FROM n'), 't', 'the sequence still gives numbers');

# What a user can get wrong is an error in one line.
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); CREATE TABLE k (id kid64 PRIMARY KEY DEFAULT kid_next()); CREATE TABLE two (p bigint REFERENCES p, k kid64 REFERENCES k, n int, PRIMARY KEY (p, n)); CREATE TABLE lone (a int UNIQUE REFERENCES lone (a)); CREATE VIEW v AS TABLE p; CREATE MATERIALIZED VIEW m AS TABLE p;
	CREATE TYPE c AS (a int); CREATE TABLE parted (id bigint PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE "Part" PARTITION OF parted DEFAULT},
	'CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw; CREATE FOREIGN TABLE public.f (id bigint) SERVER far; ALTER TABLE f OWNER TO app');
my $session = open_session($node, 'one', 'app');
answer($session, 'CREATE TEMPORARY TABLE mine (id bigint PRIMARY KEY);');
my $temporary = $node->safe_psql('one', q{SELECT oid::regclass FROM pg_class WHERE relname = 'mine'});
my $no_table = 'is not a table: this operation is not supported for';
foreach (
	[ qr/^error: public\.two has no primary key of one column\nhint: Move public\.p, public\.k: [^\n]*\n\z/, qw(rekey check two), @during ],
	[ qr/^error: public\.lone has no primary key of one column\nhint: Make one column its primary key first\.\n\z/, qw(rekey check lone), @during ],
	[ qr/^error: malformed range literal: "x"[^\n]*\n\z/, qw(rekey check p --during x) ],
	[ qr/^error: improper relation name[^\n]*\n\z/, qw(rekey check a.b.c.d --during x) ],
	[ qr/argument --old-name: must have from 1 to 63 bytes\n\z/, qw(rekey check p --old-name), 'a' x 64 ],
	[ qr/argument --old-name: must have from 1 to 63 bytes\n\z/, qw(rekey check p --old-name), '' ],
	(map { [ qr/^error: "public\.v" $no_table views\n\z/, @$_ ] } [ qw(rekey check v), @during ], [qw(rekey status v)], [qw(partition check v --width 1day)], [qw(leave check v)], [qw(leave check k v)]),
	(map { my ($name, $kind) = @$_; [ qr/^error: "public\.$name" $no_table $kind\n\z/, qw(rekey run), $name, @during ] } [ 'm', 'materialized views' ], [ 'f', 'foreign tables' ], [ 'p_id_seq', 'sequences' ], [ 'p_pkey', 'indexes' ], [ 'parted_pkey', 'partitioned indexes' ], [ 'c', 'composite types' ]),
	[ qr/^error: permission denied: "(pg_catalog\.)?pg_class" is a system catalog\n\z/, qw(rekey check pg_class), @during ],
	[ qr/^error: permission denied for schema pg_temp_\d+\n\z|^error: table \S+ does not exist\n\z/, qw(rekey check), $temporary, @during ],
	[ qr/^error: "public\."Part"" is a partition of "public\.parted"\nhint: /, qw(rekey check "Part"), @during ],
	[ qr/^error: table nix does not exist\n\z/, qw(rekey cancel nix) ],
	(map { [ qr/^error: no move of public\.p has begun\n/, 'rekey', $_, 'p' ] } qw(cancel swap finish back status)),
	[ qr/^error: no move of rows of public\.k has begun\n/, qw(partition cancel k) ],
	[ qr/^error: no move of public.k has begun\n/, qw(partition status k --width 1day) ],
	[ qr/column nix of public.p: does not contain a time/, qw(rekey check p --time nix) ])
{
	my ($expected, @arguments) = @$_;
	my ($output, $status) = run_kidctl(as_role($node, 'one', 'app'), @arguments);
	like($output, $expected, "kidctl @arguments[0, 1, 2]");
	is($status, $output =~ /^error|argument/m ? 2 : 1, 'its exit status');
}
like((run_kidctl($node->connstr('one'), qw(rekey check), $temporary, @during))[0], qr/^error: "$temporary" is a temporary table\n/, 'a superuser sees temporary tables of others');
close_session($session);
{
	local $ENV{PATH} = '/nowhere';
	like((kidctl(qw(check p), @during))[0], qr/^error: pg_dump is not in PATH\n/m, 'without pg_dump');
}

# PostgreSQL 18: a reference that is part of a key WITHOUT OVERLAPS
SKIP:
{
	skip 'WITHOUT OVERLAPS is of PostgreSQL 18', 4 if $node->pg_version < 18;
	fresh(q{CREATE TABLE o (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01'); CREATE TABLE l (o_id bigint REFERENCES o, valid tstzrange, CONSTRAINT lpk PRIMARY KEY (o_id, valid WITHOUT OVERLAPS));
		INSERT INTO o DEFAULT VALUES; INSERT INTO l VALUES (1, '[2026-01-01,2026-02-01)')}, 'CREATE EXTENSION btree_gist');
	ok_kidctl($_, 'o', '--time', 'made') foreach qw(run swap finish);
	is(query(q{SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'lpk'}), 'PRIMARY KEY (o_id, valid WITHOUT OVERLAPS)', 'a key WITHOUT OVERLAPS is made again');
}
done_testing();
