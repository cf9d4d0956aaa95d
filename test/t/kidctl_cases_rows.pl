# kidctl rekey check: small schemas, as in kidctl_cases.pl. These are about rows: publications, domains,
# times, constants, partitions, and triggers.
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

# Tables that nobody can update, because a publication does not know the row
fresh(q{CREATE TABLE p (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, b text);
	CREATE TABLE c (p_id bigint REFERENCES p, b text);
	CREATE TABLE f (id bigserial PRIMARY KEY, p_id bigint REFERENCES p, b text);
	INSERT INTO p DEFAULT VALUES; INSERT INTO c VALUES (1); INSERT INTO f (p_id) VALUES (1);
	CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'must not run'; END $$;
	CREATE TRIGGER t BEFORE UPDATE ON c FOR EACH STATEMENT EXECUTE FUNCTION fails();
	CREATE PUBLICATION filtered FOR TABLE f WHERE (b <> 'x')}, 'CREATE PUBLICATION everything FOR ALL TABLES');
my $has_none = 'it does not have a replica identity and publishes updates  \(stops\)';
my $filters = 'Column used in the publication WHERE expression is not part of the replica identity';
stops('a publication', [ 'p', @during ],
	qr/^  public\.c: cannot update table "c" because $has_none\n    hint: ALTER TABLE public\.c REPLICA IDENTITY FULL/m,
	qr/^  public\.f: cannot update table "f": $filters\.  \(stops\)$/m);
sql('ALTER TABLE c REPLICA IDENTITY FULL; ALTER TABLE f REPLICA IDENTITY FULL; DROP TRIGGER t ON c');
ok_kidctl($_, 'p', @during) foreach qw(check run cancel);

# Rules of domains, and references to rows that are not there
fresh(q{CREATE FUNCTION fits(bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 % 7 <> 6';
	CREATE DOMAIN fitting AS bigint CHECK (public.fits(VALUE)); CREATE DOMAIN "Of it" AS fitting NOT NULL;
	CREATE DOMAIN bare AS int;
	CREATE TABLE p (id bigserial PRIMARY KEY); INSERT INTO p DEFAULT VALUES;
	CREATE TABLE c (a "Of it" REFERENCES p, b bare REFERENCES p, n int); INSERT INTO c VALUES (1, 1);
	CREATE TABLE lost (a int, b int, n int); INSERT INTO lost VALUES (1, 1), (NULL, 1), (999, 1), (1000, 1);
	ALTER TABLE lost ADD CONSTRAINT a_key FOREIGN KEY (a) REFERENCES p NOT VALID,
		ADD CONSTRAINT b_key FOREIGN KEY (b) REFERENCES p NOT VALID});
my $of_it = 'new keys are not of domain public\."Of it", whose rules then do not hold  \(stops\)';
my $not_valid = 'is not validated, and 2 rows refer to no row.*\n +hint: Delete these rows.*\n +to go on all the same:';
my $rules = stops('a domain with rules', [ 'p', @during ],
	qr/^  column a of public\.c: $of_it\n +NOT NULL\n +hint: ALTER TABLE public\.c ALTER "a" TYPE bigint, /m,
	qr/^  column a of public\.c: new keys are not of domain public\.fitting, .*\n +CHECK \(public\.fits\(VALUE\)\)$/m,
	qr/^  constraint a_key on public\.lost: $not_valid --accept 'constraint a_key on public\.lost'$/m);
unlike($rules, qr/domain public\.bare|constraint b_key/, 'one without rules does not, nor a constraint that holds');
sql('ALTER TABLE c ALTER a TYPE bigint');
ok_kidctl($_, 'p', @during, '--accept', 'constraint a_key on public.lost') foreach qw(run cancel);

# A move goes on with its options, also where something was made meanwhile
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	INSERT INTO p DEFAULT VALUES});
ok_kidctl(qw(run p --time made --old-name old));
sql('CREATE VIEW late AS SELECT id FROM p');
ok_kidctl($_, 'p') foreach qw(check run swap finish);
is(sql('SELECT kid_timestamp(id)::timestamptz(0), old FROM p JOIN late USING (id)'), '2026-01-01 00:00:00+00|1',
	'which are those of the beginning');

# Columns that tell a time, or seem to
fresh(q{CREATE DOMAIN moment AS timestamptz(3) NOT NULL; CREATE DOMAIN day AS date; CREATE DOMAIN birth AS day;
	CREATE TABLE p (id bigserial PRIMARY KEY, made moment DEFAULT '2026-01-01', born birth DEFAULT '2026-01-01',
		during daterange, times timestamptz[], said text); INSERT INTO p DEFAULT VALUES});
stops("a column $_", [ qw(p --time-zone UTC --time), $_ ],
	qr/^  column $_ of public\.p: does not contain a time  \(stops\)\n    hint: Name a column of type/m)
  foreach qw(during times said);
stops('a column that does not exist', [qw(p --time made_at)],
	qr/^  column made_at of public\.p: does not exist  \(stops\)\n    hint: Name a column of this table with --time/m);
stops('a zone that nobody knows, also if no time needs it', [qw(p --time made --time-zone Nowhere)],
	qr/^  --time-zone: time zone "Nowhere" not recognized  \(stops\)$/m);
like(passes('a domain of times', qw(p --time made --time-zone UTC)),
	qr/^  --time-zone: has no effect, because the times of column made have a time zone$/m,
	'nor a zone without effect');
is((kidctl('check', qw(p --time made), @during))[1], 2, 'a column and a range at once are an error');
stops('a domain of dates', [qw(p --time born)], qr/column born of public\.p: is of type date, which has no time zone/);
ok_kidctl($_, qw(p --time born --time-zone UTC)) foreach qw(run swap);
is(sql(q{SELECT kid_timestamp(id)::timestamptz(0) FROM p}), '2026-01-01 00:00:00+00',
	'a domain tells the times of new keys');

# IDs that tell the time of rows without one, many of which have the same. Rows of one time keep the order of their old
# keys, whatever the functions return that make keys of a given time: the sequences of kid64_at() wrap around, and
# kid_uuidv7_at() draws random bits.
my $lines = q{
	CREATE TABLE orders (id ID PRIMARY KEY, n int);
	CREATE TABLE lines (id bigserial PRIMARY KEY, order_id ID REFERENCES orders, of_uuid uuid);
	INSERT INTO orders SELECT AT(timestamptz '2025-01-01' + n * interval '1 day'), n FROM generate_series(0, 2) AS n;
	INSERT INTO lines (order_id, of_uuid)
		SELECT id, kid_uuidv7_at('2025-01-01') FROM generate_series(1, 20000) AS g JOIN orders ON n = g % 3};
my $in_order = q{SELECT count(*) = count(*) FILTER (WHERE l.kid_new_id > l.before) + 1,
		bool_and(kid_timestamp(l.kid_new_id) - l.time BETWEEN '0 s' AND '10 ms')
	FROM (SELECT lines.*, TIME AS time, lag(kid_new_id) OVER (ORDER BY TIME, lines.id) AS before FROM lines) AS l};
my @quick = ('--no-rehearsal', '--pause', 0);
fresh('CREATE DOMAIN "order" AS kid64; ' . $lines =~ s/\bAT\(/kid64_at(/gr =~ s/\bID\b/"order"/gr);
foreach my $move ([qw(order_id kid64)], [qw(order_id uuid)], [qw(of_uuid sno)])
{
	my ($column, $to) = @$move;
	ok_kidctl('run', 'lines', '--time', $column, '--to', $to, @quick);
	is(sql($in_order =~ s/TIME/kid_timestamp($column)/gr), 't|t', "to $to, the order is that of $column and old keys");
	ok_kidctl('cancel', 'lines');
}
sql('UPDATE lines SET order_id = NULL, of_uuid = gen_random_uuid() WHERE id = 7');
stops('a row without an ID', [ qw(lines --time order_id), @quick ],
	qr/^  column order_id of public\.lines: 1 rows have no ID there  \(stops\)\n    hint: Name another column/m);
stops('a row with a random uuid', [ qw(lines --time of_uuid), @quick ],
	qr/^  column of_uuid of public\.lines: 1 rows have no uuid of version 7 there, .*  \(stops\)$/m);
stops('a number', [ qw(lines --time id), @quick ],
	qr/^  column id of public\.lines: does not contain a time  \(stops\)$/m);
create_database('plain', 'app', 1);
$node->safe_psql('plain', 'GRANT EXECUTE ON FUNCTION kid.kid64_at(timestamptz) TO app');
is(error_of($lines =~ s/\bAT\(/kid64_at(/gr =~ s/\bID\b/kid64/gr, database => 'plain', role => 'app'), '',
	'there are lines in plain SQL');
my @plain = ('rekey', 'run', 'lines', '--time', 'order_id', @quick);
is((run_kidctl(connection_as($node, 'plain', 'app'), @plain))[1], 0, 'which are moved');
is(sql_in('plain', $in_order =~ s/TIME/kid_timestamp(order_id)/gr), 't|t', 'in the same order');

# References that are unique together, and defaults that are constants
fresh(q{CREATE TABLE people (id bigserial PRIMARY KEY, nick text NOT NULL UNIQUE DEFAULT '');
	CREATE TABLE friends (a bigint REFERENCES people, b bigint REFERENCES people, PRIMARY KEY (a, b));
	INSERT INTO people DEFAULT VALUES; INSERT INTO friends VALUES (1, 1);
	CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS 'DECLARE n bigint = NEW.a; BEGIN RETURN NEW; END';
	CREATE TRIGGER t BEFORE INSERT ON friends FOR EACH ROW EXECUTE FUNCTION counts()});
stops('a trigger of a table with unique references', [ 'people', @during, '--to', 'uuid' ],
	qr/INSERT on public\.friends: after swap: .*bigint/);
unlike((kidctl('check', 'people', @during, '--to', 'uuid'))[0], qr/INSERT on public\.people: duplicate/,
	'another value is tried where a default is a constant');

# Functions that a session has compiled for the old type, and that work in another session
fresh(q{CREATE TABLE users (id bigserial PRIMARY KEY);
	CREATE TABLE posts (user_id bigint REFERENCES users, changes int NOT NULL DEFAULT 0);
	INSERT INTO users DEFAULT VALUES;
	INSERT INTO posts VALUES (1); CREATE FUNCTION changed() RETURNS trigger LANGUAGE plpgsql
		AS 'BEGIN IF NEW.user_id IS DISTINCT FROM OLD.user_id THEN NEW.changes = 1; END IF; RETURN NEW; END';
	CREATE TRIGGER t BEFORE UPDATE ON posts FOR EACH ROW EXECUTE FUNCTION changed()});
my $fails = 'fails after swap in sessions that did it before';
my $hint = 'hint: Let all sessions that write this table reconnect after swap';
like(passes('a trigger function that suits any type', 'users', @during, '--to', 'uuid'),
	qr/^clients:.*\n(?: .*\n)*?  UPDATE on public\.posts: $fails: .*\n +PL\/pgSQL .*\n +$hint\.$/m,
	'in a session that begins after the swap');

# The same where the function casts the old key: what fails in old sessions alone does not stop the move,
# and what fails in all does.
fresh(q{CREATE TABLE users (id bigserial PRIMARY KEY, n int); CREATE TABLE log (t text, n bigint);
	INSERT INTO users DEFAULT VALUES;
	CREATE FUNCTION logs() RETURNS trigger
		LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.log VALUES (OLD.id::text); RETURN NEW; END';
	CREATE TRIGGER t AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION logs()});
my $mismatch = 'type of parameter \d+ \(uuid\) does not match that when preparing the plan \(bigint\)';
my $old_sessions = qr/  UPDATE on public\.users: $fails: $mismatch\n/;
like(passes('a trigger function that casts the key', 'users', @during, '--to', 'uuid'), $old_sessions,
	'but old sessions must reconnect');
sql(q{CREATE OR REPLACE FUNCTION logs() RETURNS trigger
	LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.log (n) VALUES (OLD.id); RETURN NEW; END'});
my ($logged) = kidctl('check', 'users', @during, '--to', 'uuid');
my $wrong_type = 'column "n" is of type bigint but expression is of type uuid';
like($logged, qr/^  UPDATE on public\.users: after swap: $wrong_type  \(stops\)$/m,
	'what fails in all sessions stops the move');
unlike($logged, qr/in sessions that did it before/, 'and is told once');

# Constants
fresh(q{CREATE TABLE users (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01', name text);
	CREATE TABLE posts (user_id bigint REFERENCES users, n int, CONSTRAINT known CHECK (user_id <> 0));
	CREATE INDEX recent ON users (name) WHERE id > 5000;
	CREATE VIEW humans AS SELECT * FROM users WHERE id > 0;
	CREATE POLICY root ON users USING (id <> 1 OR current_user = 'root');
	INSERT INTO users (name) VALUES ('root'); INSERT INTO posts VALUES (1)});
stops("constants to $_", [ 'users', qw(--time made --to), $_ ], qr/index public\.recent: has a constant/,
	qr/constraint known .*: has a constant/, qr/view public\.humans: has a constant/,
	qr/policy root .*: has a constant/)
  foreach qw(kid64 bigint);

# Publications
fresh(q{CREATE TABLE p (id bigserial PRIMARY KEY, b text);
	INSERT INTO p (b) SELECT n FROM generate_series(1, 10) AS n});
$node->safe_psql('one', 'CREATE PUBLICATION everything FOR ALL TABLES');
ok_kidctl('run', 'p', @during);
ok_kidctl('swap', 'p');
ok_kidctl('finish', 'p');
is(sql(q{SELECT count(*) FROM p WHERE kid_timestamp(id) >= '2024-01-01'}), 10,
	'a publication of all tables is no obstacle');

# What partitions have of their own
fresh(q{CREATE TABLE a (id bigserial PRIMARY KEY); INSERT INTO a SELECT FROM generate_series(1, 10);
	CREATE TABLE e (p bigint, d int NOT NULL) PARTITION BY LIST (d);
	CREATE TABLE e1 PARTITION OF e FOR VALUES IN (1); CREATE TABLE e2 PARTITION OF e DEFAULT;
	ALTER TABLE e2 ALTER p SET NOT NULL; ALTER TABLE e1 ALTER p SET NOT NULL;
	ALTER TABLE e ADD CONSTRAINT e_unique UNIQUE (d, p);
	ALTER TABLE e ADD CONSTRAINT e_parent FOREIGN KEY (p) REFERENCES a; INSERT INTO e SELECT id, 1 FROM a;
	ALTER TABLE e1 REPLICA IDENTITY USING INDEX e1_d_p_key; ALTER TABLE e1 CLUSTER ON e1_d_p_key;
	ALTER INDEX e1_d_p_key SET (fillfactor = 50);
	ALTER INDEX e2_d_p_key RENAME TO "unique of e2"; GRANT SELECT (p) ON e2 TO PUBLIC;
	COMMENT ON COLUMN e2.p IS 'of e2'; COMMENT ON INDEX e1_d_p_key IS 'of e1'});
my $details = q{
	SELECT 'replica identity of e1: ' || relreplident::text FROM pg_class WHERE oid = 'e1'::regclass
	UNION ALL SELECT 'clustered index: ' || indexrelid::regclass FROM pg_index WHERE indisclustered
	UNION ALL SELECT format('index %s: %s, %s', i.indexrelid::regclass, c.reloptions, obj_description(c.oid))
		FROM pg_index AS i JOIN pg_class AS c ON c.oid = indexrelid
		WHERE indrelid IN ('e1'::regclass, 'e2'::regclass) AND c.relname !~ '^kid_'
	UNION ALL SELECT format('e2.p: %s, %s, %s', attnotnull, attacl, col_description(attrelid, attnum)) FROM pg_attribute
		WHERE attrelid = 'e2'::regclass AND attname = 'p'
	UNION ALL SELECT conrelid::regclass || ': ' || conname FROM pg_constraint WHERE contype = 'f' ORDER BY 1};
my $before = sql($details);
ok_kidctl('run', 'a', @during);
ok_kidctl('swap', 'a');
is(sql($details), $before, 'partitions keep what they have of their own');
ok_kidctl('back', 'a');
is(sql($details), $before, 'also on the way back');

# Times
fresh(q{CREATE TABLE local (id bigserial PRIMARY KEY, made timestamp NOT NULL, item text);
	INSERT INTO local (made) VALUES ('2026-01-01 12:00'), ('2026-07-01 12:00');
	CREATE TABLE early (id bigserial PRIMARY KEY, made timestamptz);
	INSERT INTO early (made) VALUES ('0001-01-01'), ('infinity'), ('2999-01-01'), (NULL), ('2014-12-31');
	CREATE TABLE flaxen (id bigserial PRIMARY KEY, made timestamptz); INSERT INTO flaxen (made) VALUES ('2014-12-31')});
stops('a column without a time zone', [qw(local --time made)], qr/has no time zone/, qr/--time-zone UTC/);
stops('an unknown zone', [qw(local --time made --time-zone Nowhere)], qr/time zone "Nowhere" not recognized/);
stops('times that no key can have', [qw(early --time made)], qr/2 rows have no time/,
	qr/1 rows have a time in the future/, qr/keys cannot have the time 0001-01-01/);
stops('times before flax began', [qw(flaxen --time made --to flax)], qr/keys cannot have the time 2014-12-31/);
stops('a range in the future', [ 'local', '--during', '[2024-01-01, 2999-01-01)' ], qr/ends in the future/);
like((kidctl('check', 'local', '--during', '[2024-01-01, infinity)'))[0],
	qr/must be a range with a beginning and an end/, 'a range has an end');
stops('no time', ['local'], qr/Name a column with --time/);
ok_kidctl('run', qw(local --time made --time-zone Europe/Berlin));
ok_kidctl('swap', 'local');
is(sql('SELECT string_agg((made - kid_timestamp(id) AT TIME ZONE $$UTC$$)::text, $$ $$ ORDER BY id) FROM local'),
	'01:00:00 02:00:00', 'a time without a zone is read in the one that was given')
  or diag(sql('SELECT made, kid_timestamp(id) FROM local'));

# All types
fresh(q{CREATE TABLE orders (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	INSERT INTO orders DEFAULT VALUES});
passes("a move to $_", qw(orders --time made --to), $_) foreach qw(kid96 sno flake flax uuid bigint);

# Sequences and trigger functions
fresh(q{CREATE SEQUENCE numbers;
	CREATE TABLE a (id bigint PRIMARY KEY DEFAULT nextval('numbers'), made timestamptz NOT NULL DEFAULT '2026-01-01');
	CREATE TABLE b (id bigint PRIMARY KEY DEFAULT nextval('numbers')); ALTER SEQUENCE numbers OWNED BY a.id;
	INSERT INTO a DEFAULT VALUES});
stops('a sequence that another default needs', [qw(a --time made)],
	qr/default value for public\.b\.id: takes numbers from sequence public\.numbers, .*\(stops\)\n    hint: Detach/);
fresh(q{CREATE TABLE customers (id bigserial PRIMARY KEY, b text); INSERT INTO customers (b) VALUES ('x');
	CREATE TABLE invoices (customer_id bigint REFERENCES customers);
	CREATE TABLE audit (entity bigint);
	CREATE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO audit
		VALUES ((to_jsonb(NEW) ->> TG_ARGV[0])::bigint); RETURN NULL; END $$;
	CREATE TRIGGER log AFTER INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION log_change('customer_id');
	INSERT INTO invoices SELECT id FROM customers});
stops('a trigger function that knows the type', [ 'customers', @during ],
	qr/INSERT on public\.invoices: after swap: invalid input syntax for type bigint/);
is(() = (kidctl('check', 'customers', @during))[0] =~ /INSERT on public\.invoices: after/g, 1, 'which is told once');

done_testing();
