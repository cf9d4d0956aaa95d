# kidctl rekey check: small schemas, as in kidctl_cases.pl. These are about what is refused, and how one goes on:
# privileges, names, options, and what a user can get wrong.
# Versions: the catalogs, and what pg_dump prints
use strict;
use warnings;
use utf8;
use Dialogue;
use Kidctl;
use KidctlCases;
use Sql;
use Test::More;

my $node = start_cases;
my @during = ('--during', '[2024-01-01, 2025-01-01)');

# New rows only
fresh(q{CREATE TABLE articles (id bigserial PRIMARY KEY, title text);
	CREATE TABLE comments (id serial PRIMARY KEY, article_id integer REFERENCES articles);
	CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY
		(SEQUENCE NAME order_numbers INCREMENT BY 2 START 101 CACHE 20) PRIMARY KEY, item text);
	GRANT USAGE ON SEQUENCE order_numbers TO g1; COMMENT ON SEQUENCE order_numbers IS 'odd';
	INSERT INTO orders (item) VALUES ('tea'); CREATE VIEW shown AS SELECT id FROM orders});
stops('an integer column that refers to the key', [qw(articles --new-rows-only)],
	qr/column article_id of public\.comments: .*integer/);
stops('an integer key', [qw(comments --new-rows-only)], qr/column id of public\.comments: is of type integer/);
my $options = q{SELECT seqrelid::regclass, seqstart, seqincrement, seqcache, relacl, obj_description(seqrelid)
	FROM pg_sequence JOIN pg_class AS c ON c.oid = seqrelid WHERE relname = 'order_numbers'};
my $before = sql($options);
ok_kidctl($_, 'orders', '--new-rows-only') foreach qw(run swap);
is(sql(q{WITH n AS (INSERT INTO orders (item) VALUES ('milk') RETURNING id)
		SELECT kid53_timestamp(id) > now() - interval '1 minute' FROM n}), 't',
	'new rows have keys that tell their time');
ok_kidctl('back', 'orders');
is(sql($options), $before =~ s/\{g1=U\/app\}|NULL/$&/r, 'an identity has its options again');
is(sql(q{INSERT INTO orders (item) VALUES ('newer'); SELECT item FROM orders ORDER BY id DESC LIMIT 1}), 'newer',
	'numbers go on above');

# New keys are to be greater than all old ones, and are below 2^53 unless the user chooses otherwise.
fresh(q{CREATE TABLE numbers (id bigint PRIMARY KEY, item text); INSERT INTO numbers VALUES (-9223372036854775808)});
my @new = qw(numbers --new-rows-only --no-rehearsal);
like(passes('a negative key', @new),
	qr/new keys are below 2\^53, so JavaScript's numbers represent them exactly/, 'and says what JavaScript sees');
like(passes('another target', @new, qw(--to bigint)),
	qr/new keys are above 2\^53, .*\n.*Send them as text to JavaScript/, 'and that keys of kid64 are too great for it');
sql(q{INSERT INTO numbers VALUES (kid53_floor(now() - interval '1 s'))});
passes('a key of the last second', @new);
foreach ([ q{kid53_floor(now() + interval '1 h')}, '' ], [ '9007199254740991', '' ],
	[ '9007199254740992', ': those of kid53 are below 2\^53' ])
{
	my ($key, $why) = @$_;
	sql("INSERT INTO numbers VALUES ($key)");
	stops("the key $key", \@new, qr/contains \d{15,16}, and a new key would not be greater$why  \(stops\)/,
		qr/hint: Pass --to bigint, which makes greater ones, above 2\^53, or give all rows new keys\./);
	passes("the key $key", @new, qw(--to bigint));
	sql('DELETE FROM numbers WHERE id > 0');
}
sql('INSERT INTO numbers VALUES (9223372036854775807)');
stops('the greatest key', [ @new, qw(--to bigint) ], qr/contains 9223372036854775807, and a new key would not/,
	qr/hint: Give all rows new keys, without --new-rows-only\./);
sql('DELETE FROM numbers WHERE id > 0');
ok_kidctl('run', @new);
sql('INSERT INTO numbers VALUES (9007199254740991)');
like((kidctl('swap', 'numbers'))[0], qr/contains 9007199254740991, and a new key would not be greater/,
	'a key that came since the check ends the swap');
sql('DELETE FROM numbers WHERE id > 0');
ok_kidctl('swap', 'numbers');
is(sql(q{WITH n AS (INSERT INTO numbers (item) VALUES ('new') RETURNING id)
		SELECT id < 2^53 AND kid53_timestamp(id) > now() - interval '1 minute' FROM n}), 't', 'and it goes on');

# Rows before 2020 have no time that a kid53 could have.
fresh(q{CREATE TABLE visits (id bigserial PRIMARY KEY, made timestamptz, label text);
	INSERT INTO visits (made) VALUES ('2019-12-31 23:59:59.999999+00'), ('2021-01-01')});
stops('a row of 2019', [qw(visits --time made --to kid53 --no-rehearsal)],
	qr/keys cannot have the time 2019-12-31 23:59:59\.999999\+00: timestamp out of range for kid53/,
	qr/hint: Pass --to bigint or --to kid64, whose times begin in 1970, or --new-rows-only, which leaves old keys/);
sql(q{UPDATE visits SET made = '2020-01-01 00:00:00+00' WHERE made < '2020-01-01'});
passes('the first instant', qw(visits --time made --to kid53 --no-rehearsal));

# After new rows have got new keys, a move of all rows would change these keys again, and a new key can be one that
# another row had. So check counts them, and stops. It does not ignore the options while the first move is not finished.
fresh(q{CREATE TABLE orders (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), item text);
	INSERT INTO orders (created_at, item) VALUES ('2020-01-01', 'old'), ('2026-01-01', 'old'), ('2026-01-02', 'old')});
my @all = qw(orders --time created_at --no-rehearsal --to);
sub refused_check
{
	my ($what, $why) = @_;
	my ($said, $status) = kidctl('check', @all, 'kid53');
	is($status, 2, "check refuses a move of all rows $what");
	like($said, $why, 'and says why');
	return;
}
ok_kidctl(qw(run orders --new-rows-only --no-rehearsal));
like(ok_kidctl(qw(status orders)), qr/^move of new rows of public\.orders to kid53: prepare is done$/m,
	'status names the step');
refused_check('before the swap', qr/^error: a move of the new rows of public\.orders has begun\nhint: .*`finish`/m);
ok_kidctl(qw(swap orders));
refused_check('after the swap', qr/^error: public\.orders has its new keys already\nhint: .*`kidctl rekey finish`/m);
ok_kidctl(qw(finish orders));
passes('a table without new rows', @all, 'kid53');
sql(q{INSERT INTO orders (item) VALUES ('new'), ('newer'); UPDATE orders SET created_at = '2026-01-03'
	WHERE item = 'newer'});
my $already = 'of 5 are of the new kind already \(kid53\): these rows get other keys, too, and the new key of one row';
stops('a table with new rows', [ @all, 'kid53' ], qr/^  keys of public\.orders: 2 $already can be the old key of/m,
	qr/^    hint: Pass --to kid64 or --to bigint, whose keys are no old ones/m);
passes('another kind of keys', @all, 'bigint');
passes('what was accepted', @all, 'kid53', '--accept', 'keys of public.orders');
sql('ALTER TABLE orders ALTER id DROP DEFAULT');
stops('a table without the default', [ @all, 'kid53' ], qr/^  keys of public\.orders: 1 $already can be the old key/m);

# Privileges on views, and views of other roles
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); INSERT INTO p (b) VALUES ('x');
	CREATE VIEW readonly AS SELECT id, b FROM p; REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON readonly FROM app;
	GRANT SELECT ON readonly TO g1 WITH GRANT OPTION});
$node->safe_psql('one', 'SET ROLE g1; GRANT SELECT ON readonly TO g2');
stops('a privilege that another role granted', [ 'p', @during ],
	qr/view public\.readonly: privileges that g1 granted will come from the owner/);
$node->safe_psql('one', 'GRANT g1 TO app');
my $acl = q{SELECT relacl FROM pg_class WHERE relname = 'readonly'};
$before = sql($acl);
ok_kidctl('run', 'p', @during);
ok_kidctl('swap', 'p', '--during', '[2024-01-01 00:00, 2025-01-01)');    # the same range
is(sql($acl), $before, 'the privileges on a view are as before');
ok_kidctl('back', 'p');
is(sql($acl), $before, 'also on the way back');
$node->safe_psql('one', 'REVOKE g1 FROM app; ALTER VIEW readonly OWNER TO g2');
stops('a view of another role', [ 'p', @during ], qr/view public\.readonly: must be made again, and belongs to g2/);

# Names that another role has taken, and what roles and schemas are given by default
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); INSERT INTO p (b) VALUES ('x');
	ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO g1;
	GRANT CREATE ON SCHEMA public TO g1});
$node->safe_psql('one',
	'ALTER ROLE app SET default_transaction_read_only = on; ALTER ROLE app SET role = g1; GRANT g1 TO app');
$node->safe_psql('one', 'SET ROLE g1; CREATE TABLE t (a int); CREATE UNIQUE INDEX kid_new_p_pkey ON t (a)');
stops('a name that is taken', [ 'p', @during ],
	qr/index public\.p_pkey: gets a counterpart whose name is taken by an index of g1: public\.kid_new_p_pkey/);
$node->safe_psql('one', 'DROP TABLE t');
ok_kidctl('run', 'p', @during);
$node->safe_psql('one',
	'DROP INDEX kid_new_p_pkey; SET ROLE g1; CREATE TABLE t (a int); CREATE UNIQUE INDEX kid_new_p_pkey ON t (a)');
my ($planted) = kidctl('swap', 'p');
like($planted, qr/^error: index public\.p_pkey is not ready$/m, 'an index of another table is no twin');
$node->safe_psql('one', 'DROP TABLE t; CREATE TABLE later (p_id bigint REFERENCES p); ALTER TABLE later OWNER TO app');
my ($later) = kidctl('run', 'p', @during);
like($later, qr/^  column p_id of public\.later: refers to the key since the move began/m,
	'a table that refers to the keys since the move began');
$node->safe_psql('one', 'DROP TABLE later');
ok_kidctl('run', 'p', @during);
ok_kidctl('swap', 'p');
ok_kidctl('finish', 'p');
$node->safe_psql('postgres', 'ALTER ROLE app RESET ALL; REVOKE g1 FROM app');

# A table that is called as the sequences with the secrets of kid in plain SQL are, in a database in which the planner
# looks at all tables before it looks at their schema
fresh('CREATE TABLE p (id bigserial PRIMARY KEY, b text); CREATE TABLE secret (a text)',
	'ALTER DATABASE one SET enable_indexscan = off; ALTER DATABASE one SET enable_bitmapscan = off');
passes('a table that is called secret', 'p', @during);

# An old key that is kept is not a difference that somebody must accept.
fresh(q{CREATE TABLE p (id serial PRIMARY KEY, b text);
	CREATE TABLE i (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY); CREATE TABLE "Q" (id uuid PRIMARY KEY);
	INSERT INTO p (b) VALUES ('x'); INSERT INTO i DEFAULT VALUES;
	INSERT INTO "Q" VALUES ('0190a000-0000-4000-8000-000000000001')});
foreach (qw(p i "Q"))
{
	my $output = passes("an old key that is kept, of $_", $_, @during, '--old-name', 'old "id"');
	unlike($output, qr/syntax error/, 'writers update no table that has only an identity');
}

# A key that refers to another one
fresh('CREATE TABLE p (id bigserial PRIMARY KEY, b text);
	CREATE TABLE more (id bigint PRIMARY KEY CONSTRAINT more_p REFERENCES p, c text)');
my $refers = 'makes the column refer also to public\.p';
stops('a key that refers to another one', [ 'more', @during ],
	qr/constraint more_p on public\.more: $refers  \(stops\)\n +hint: Move public\.p instead/);

# A long view that puts the key beside other columns is not shown in full, also if a constant is in it.
fresh('CREATE TABLE p (id bigserial PRIMARY KEY, b text); CREATE TABLE q (id bigserial PRIMARY KEY, b text);
	CREATE VIEW long AS ' . join(' UNION ALL ', ('SELECT id, b FROM p WHERE id > 7', 'SELECT id, b FROM q') x 30));
my $constant = 'has a constant beside the key: id > 7  \(stops\)';
stops('a long view', [ 'p', '--no-rehearsal', @during ],
	qr/view public\.long: $constant\n(?: {6}.*\n){30} +\S+ and \d+ more lines\n/);

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

# Views that PostgreSQL does not see as depending on the key are read after each step: they fail although
# nothing refuses the swap. What takes long says nothing, and views of other roles are not read, whose code
# would run with the rights of this one.
fresh(q{CREATE TABLE r (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	INSERT INTO r DEFAULT VALUES;
	CREATE FUNCTION ids() RETURNS TABLE (id bigint)
		LANGUAGE plpgsql STABLE AS 'BEGIN RETURN QUERY SELECT r.id FROM r; END';
	CREATE VIEW listed AS SELECT * FROM ids();
	CREATE VIEW slow AS SELECT pg_sleep(8) IS NULL AS n; CREATE VIEW broken AS SELECT 1 / 0 AS n;
	GRANT USAGE, CREATE ON SCHEMA public TO g1; GRANT SELECT ON r TO g1});
$node->safe_psql('one', q{SET ROLE g1; CREATE VIEW of_g1 AS SELECT 1 / 0 AS n; GRANT SELECT ON of_g1 TO app});
sql('CREATE VIEW on_g1 AS TABLE of_g1');
stops('a view that fails after the swap', [qw(r --time made)],
	qr/^  SELECT on public\.listed: after swap: structure of query does not match function result type.*\(stops\)$/m,
	qr/^  SELECT on public\.slow: canceling statement/m, qr/^  SELECT on public\.broken: division by zero$/m,
	qr/ 1 of which stop/);
unlike(passes('a view that was accepted', qw(r --time made --accept), 'SELECT on public.listed'), qr/on_g1|of_g1/,
	'no view of another role is read');

# Where kidctl refuses, it says what to do, and that helps.
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	CREATE TABLE above (p bigint); CREATE TABLE c (p bigint DEFAULT 1 REFERENCES p) INHERITS (above);
	CREATE UNLOGGED TABLE u (p bigint REFERENCES p); CREATE TYPE row_of AS (p bigint); CREATE TABLE t OF row_of;
	ALTER TABLE t ADD FOREIGN KEY (p) REFERENCES p;
	CREATE TABLE other (id bigint PRIMARY KEY); ALTER TABLE t ADD CONSTRAINT t_other FOREIGN KEY (p) REFERENCES other;
	CREATE TABLE n (n bigint DEFAULT nextval('p_id_seq'));
	CREATE INDEX other_class ON t (p int8_ops) WITH (fillfactor = 70);
	CREATE RULE quiet AS ON UPDATE TO u DO ALSO NOTHING; ALTER TABLE u ENABLE ALWAYS RULE quiet});
my $detach = 'Detach the sequence from the key: ALTER SEQUENCE public\.p_id_seq OWNED BY NONE';
stops('what is refused', [qw(p --time made)],
	qr/^  public\.c: inherits.*\n    hint: Take it out of the inheritance: ALTER TABLE … NO INHERIT ….$/m,
	qr/^  public\.u: is temporary or unlogged .*\n    hint: ALTER TABLE … SET LOGGED\.$/m,
	qr/^  public\.t: is a typed table .*\n    hint: ALTER TABLE … NOT OF\.$/m,
	qr/^  constraint t_other on public\.t: .*\n    hint: Drop it\.$/m,
	qr/^  rule quiet on public\.u: .*\n    hint: Drop it before the move, or disable it/m,
	qr/^  default value for public\.n\.n: .*\n    hint: $detach\.$/m);
sql(q{ALTER TABLE c NO INHERIT above; ALTER TABLE c ALTER p DROP DEFAULT; ALTER TABLE u DISABLE RULE quiet;
	ALTER TABLE u SET LOGGED; ALTER TABLE t NOT OF; ALTER TABLE t DROP CONSTRAINT t_other;
	ALTER SEQUENCE p_id_seq OWNED BY NONE; INSERT INTO p DEFAULT VALUES});
ok_kidctl(@$_) foreach [qw(run p --time made)], [qw(swap p)], [qw(finish p)];
sql('INSERT INTO n DEFAULT VALUES');
is(sql('SELECT n > 1 FROM n'), 't', 'the sequence still gives numbers');

# What a user can get wrong is an error in one line.
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); CREATE TABLE k (id kid64 PRIMARY KEY DEFAULT kid_next());
	CREATE TABLE two (p bigint REFERENCES p, k kid64 REFERENCES k, n int, PRIMARY KEY (p, n));
	CREATE TABLE lone (a int UNIQUE REFERENCES lone (a)); CREATE VIEW v AS TABLE p;
	CREATE MATERIALIZED VIEW m AS TABLE p;
	CREATE TYPE c AS (a int); CREATE TABLE parted (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
	CREATE TABLE "Part" PARTITION OF parted DEFAULT},
	'CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw;
		CREATE FOREIGN TABLE public.f (id bigint) SERVER far; ALTER TABLE f OWNER TO app');
my $session = open_session($node, 'one');
answer($session, 'CREATE TEMPORARY TABLE mine (id bigint PRIMARY KEY);');
my $temporary = $node->safe_psql('one', q{SELECT oid::regclass FROM pg_class WHERE relname = 'mine'});
my $no_table = 'is not a table: this operation is not supported for';
foreach (
	[ qr/^error: public\.two has no primary key of one column\nhint: Make one .*public\.p, public\.k get new .*\n\z/,
		qw(rekey check two), @during ],
	[ qr/^error: public\.lone has no primary key with IDs of kid\nhint: Give it one that contains [^\n]*\n\z/,
		qw(partition check lone --width), '1 day' ],
	[ qr/^error: public\.lone has no primary key of one column\nhint: Make one column its primary key first\.\n\z/,
		qw(rekey check lone), @during ],
	[ qr/^error: malformed range literal: "x"[^\n]*\n\z/, qw(rekey check p --during x) ],
	[ qr/^error: improper relation name[^\n]*\n\z/, qw(rekey check a.b.c.d --during x) ],
	[ qr/argument --old-name: must have from 1 to 63 bytes\n\z/, qw(rekey check p --old-name), 'a' x 64 ],
	[ qr/argument --old-name: must have from 1 to 63 bytes\n\z/, qw(rekey check p --old-name), '' ],
	(map { [ qr/^error: "public\.v" $no_table views\n\z/, @$_ ] } [ qw(rekey check v), @during ], [qw(rekey status v)],
		[qw(partition check v --width 1day)], [qw(leave check v)], [qw(leave check k v)]),
	(map {
			my ($name, $kind) = @$_;
			[ qr/^error: "public\.$name" $no_table $kind\n\z/, qw(rekey run), $name, @during ]
		} [ 'm', 'materialized views' ], [ 'f', 'foreign tables' ], [ 'p_id_seq', 'sequences' ],
		[ 'p_pkey', 'indexes' ], [ 'parted_pkey', 'partitioned indexes' ], [ 'c', 'composite types' ]),
	[ qr/^error: permission denied: "(pg_catalog\.)?pg_class" is a system catalog\n\z/, qw(rekey check pg_class),
		@during ],
	[ qr/^error: permission denied for schema pg_temp_\d+\n\z|^error: table \S+ does not exist\n\z/, qw(rekey check),
		$temporary, @during ],
	[ qr/^error: "public\."Part"" is a partition of "public\.parted"\nhint: /, qw(rekey check "Part"), @during ],
	[ qr/^error: table nix does not exist\n\z/, qw(rekey cancel nix) ],
	(map { [ qr/^error: no move of public\.p has begun\n/, 'rekey', $_, 'p' ] } qw(cancel swap finish back status)),
	[ qr/^error: no move of rows of public\.k has begun\n/, qw(partition cancel k) ],
	[ qr/^error: no move of public.k has begun\n/, qw(partition status k --width 1day) ],
	[ qr/column nix of public.p: does not exist/, qw(rekey check p --time nix) ])
{
	my ($expected, @arguments) = @$_;
	my ($output, $status) = run_kidctl(connection_as($node, 'one', 'app'), @arguments);
	like($output, $expected, "kidctl @arguments[0, 1, 2]");
	is($status, $output =~ /^error|argument/m ? 2 : 1, 'its exit status');
}
like((run_kidctl($node->connstr('one'), qw(rekey check), $temporary, @during))[0],
	qr/^error: "$temporary" is a temporary table\n/, 'a superuser sees temporary tables of others');
close_session($session);
{
	local $ENV{PATH} = '/nowhere';
	like((kidctl(qw(check p), @during))[0], qr/^error: pg_dump is not in PATH\n/m, 'without pg_dump');
}

# What has come in the way since the move began is told by each command, with the way on.
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text); INSERT INTO p (b) VALUES ('x');
	CREATE VIEW v AS SELECT id FROM p; GRANT CREATE ON SCHEMA public TO g1; GRANT SELECT ON p TO g1});
$node->safe_psql('postgres', 'GRANT g1 TO app');
sql('ALTER VIEW v OWNER TO g1');
ok_kidctl('run', 'p', @during);
sql('REVOKE CREATE ON SCHEMA public FROM g1');
like((kidctl('swap', 'p'))[0],
	qr/^error: view public\.v: must be made again in schema public, for which g1 has no privilege CREATE\nhint: GRANT/m,
	'a view whose owner may create none there any more');
$node->safe_psql('postgres', 'REVOKE g1 FROM app');
like((kidctl('swap', 'p'))[0],
	qr/^error: view public\.v: must be made again, and belongs to g1\nhint: Drop it before, or give it to app\./m,
	'a view that the role could make again when the move began');
sql('CREATE TABLE later (p_id bigint REFERENCES p); ALTER TABLE p ADD parent bigint REFERENCES p');
my $since = qr/refers to the key since the move began, so its rows have no new keys/;
like((kidctl($_, 'p', @during))[0],
	qr/column parent of public\.p:? $since.*column p_id of public\.later\b/s,
	"columns that refer to the key since then: $_")
  foreach qw(check run status);
sql('DROP TABLE later; ALTER TABLE p DROP parent');
unlike((kidctl('status', 'p'))[0], qr/in the way/, 'nothing is in the way without it');
$node->safe_psql('one', 'DROP VIEW v');
ok_kidctl('run', 'p', @during);
ok_kidctl('swap', 'p');
sql('CREATE TABLE later (p_id kid64 REFERENCES p); INSERT INTO later SELECT id FROM p');
my ($back) = kidctl('back', 'p');
like($back, qr/^error: column p_id of public\.later: refers to the key since the swap, so its rows .* old keys$/m,
	'or since the swap, which the way back tells');
my ($give) = $back =~ /^hint: Before `back`, give its rows the old keys: (.*;) then drop its foreign key\.$/m;
sql($give // '');
is(sql('SELECT count(*) FROM later JOIN p ON old = kid_old_id AND p_id = id'), 1, 'with the statements of the hint');
sql('ALTER TABLE p RENAME id TO number');
like((kidctl($_, 'p'))[0], qr/column kid_old_id of public\.p:? belongs to a column that was renamed since\b/,
	"a key that was renamed since: $_")
  foreach qw(status back finish);
sql('ALTER TABLE p RENAME number TO id');
ok_kidctl('finish', 'p');
is(sql('SELECT count(*) FROM later JOIN p ON p_id = id'), 1, 'and which is no obstacle to finish');

# A reader that has read enough
my $closed = path_to_kidctl;
my $arguments = "rekey check p --during '[2024-01-01, 2025-01-01)' --no-rehearsal -d \""
  . connection_as($node, 'one', 'app') . '"';
my $errors = `PATH=$closed; { kidctl $arguments | true; } 2>&1`;
unlike($errors, qr/Traceback|error|Exception/i, 'a closed pipe is no error');

# What a table that leaves kid can lose, if the user accepts that
fresh(q{CREATE TABLE f (id flake, "a b" boolean GENERATED ALWAYS AS (id IS NULL) STORED,
	CONSTRAINT "c of d" CHECK (kid_timestamp(id) > '2020-01-01')); INSERT INTO f VALUES ('18446744073709551615')});
my @given_up = map { ('--accept', "$_ public.f") } 'column id of', 'column a b of', 'constraint c of d on';
my ($left, $status) = run_kidctl(connection_as($node, 'one', 'app'), qw(leave run f), @given_up);
is($status, 0, 'a table leaves without what was given up') or diag($left);
is(sql('SELECT id FROM f'), -1, 'with the number of an ID that is negative');

# Subscriptions, which bring old keys, or name a partition
$node->safe_psql('postgres', 'CREATE DATABASE publishing');
$node->safe_psql('publishing', 'CREATE TABLE orders (id bigint PRIMARY KEY); CREATE TABLE rest (id bigint PRIMARY KEY);
	CREATE PUBLICATION all_tables FOR ALL TABLES');
fresh(q{CREATE TABLE orders (id bigint PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next()) PARTITION BY RANGE (id);
	CREATE TABLE rest PARTITION OF events DEFAULT; INSERT INTO events DEFAULT VALUES});
my $publishing = $node->connstr('publishing') =~ s/'/''/gr;
$node->safe_psql('one', "CREATE SUBSCRIPTION brings CONNECTION '$publishing' PUBLICATION all_tables
	WITH (enabled = false, create_slot = false, slot_name = NONE)");
my @to_bigint = qw(orders --time made --to bigint --no-rehearsal);
stops('a subscription', \@to_bigint, qr/subscription brings: writes public\.orders: after the swap .*\(stops\)/);
passes('a subscription that was accepted', @to_bigint, '--accept', 'subscription brings');
passes('a subscription', qw(orders --new-rows-only --no-rehearsal));
($left, $status) = run_kidctl(connection_as($node, 'one', 'app'), qw(partition move events --no-rehearsal --width),
	'1 day');
is($status, 1, 'a subscription stops the move of the rows of a partition');
like($left, qr/subscription brings: writes partition public\.rest, whose rows move/, 'and is named');
$node->safe_psql('one', 'DROP SUBSCRIPTION brings');

# PostgreSQL 18: a reference that is part of a key WITHOUT OVERLAPS
SKIP:
{
	skip 'WITHOUT OVERLAPS is of PostgreSQL 18', 4 if $node->pg_version < 18;
	fresh(q{CREATE TABLE o (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
		CREATE TABLE l (o_id bigint REFERENCES o, valid tstzrange,
			CONSTRAINT lpk PRIMARY KEY (o_id, valid WITHOUT OVERLAPS));
		INSERT INTO o DEFAULT VALUES; INSERT INTO l VALUES (1, '[2026-01-01,2026-02-01)')},
		'CREATE EXTENSION btree_gist');
	ok_kidctl($_, 'o', '--time', 'made') foreach qw(run swap finish);
	is(sql(q{SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'lpk'}),
		'PRIMARY KEY (o_id, valid WITHOUT OVERLAPS)', 'a key WITHOUT OVERLAPS is made again');
}

done_testing();
