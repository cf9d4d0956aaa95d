# The commands of docs/guides/moving-in.md for new keys of all rows, on tables with other names than the page's,
# as a role that owns them and has the privileges that the page lists. Writers are at work, and a transaction
# holds a lock. docs.pl runs the page itself.
use strict;
use warnings;
use Dialogue;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server("autovacuum = off\n");

my $page = slurp_file('docs/guides/moving-in.md');
my ($rights) = $page =~ /^### What the role needs\n.*?^```sql\n(.*?)^```$/ms or die 'no privileges on the page';
my ($section) = $page =~ /^## 3\. New keys for all rows\n(.*?)^## /ms or die 'no section';
my @commands = map { split /\n/ } $section =~ /^```sh\n(.*?)^```$/msg;
is("@{[ map { (split)[2] } @commands ]}", 'check run swap back run swap finish check run swap finish',
	'the page has these commands, for two tables');

$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE client LOGIN; CREATE DATABASE "a shop"');
$node->safe_psql('a shop', 'CREATE EXTENSION kid; CREATE SCHEMA sales AUTHORIZATION owner');
$node->safe_psql('a shop', $rights =~ s/\bshop\b/owner/gr =~ s/:"DBNAME"/"a shop"/r);

use_database($node, 'a shop', role => 'owner');
sql(q{SET search_path = sales;
	CREATE TABLE "Order" ("Id" bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT clock_timestamp(), tag text);
	CREATE TABLE "Line" ("No" bigserial PRIMARY KEY, tag text, "orderId" bigint NOT NULL REFERENCES "Order");
	CREATE INDEX ON "Line" ("orderId");
	CREATE VIEW both_tags AS SELECT o.tag AS one, l.tag AS other FROM "Order" AS o
		JOIN "Line" AS l ON l."orderId" = o."Id";
	INSERT INTO "Order" (made, tag) SELECT timestamptz '2025-01-01' + n * interval '1 hour', n
		FROM generate_series(1, 3000) AS n;
	INSERT INTO "Line" (tag, "orderId") SELECT tag, "Id" FROM "Order";
	GRANT USAGE ON SCHEMA sales TO client; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA sales TO client;
	GRANT USAGE ON ALL SEQUENCES IN SCHEMA sales TO client});

# Starts a command of the page, for these tables.
sub start
{
	my ($command) = @_;
	my %mine = (orders => q{sales."Order"}, created_at => 'made', order_lines => q{sales."Line"},
		order_id => 'orderId');
	my ($program, @words) = map { $mine{$_} // $_ } split ' ', $command;
	return start_kidctl(connection_as($node, 'a shop', 'owner'), @words);
}

my $writers = start_writers(connection_as($node, 'a shop', 'client'), q{\set n random(1, 1000000000)
BEGIN;
WITH o AS (INSERT INTO sales."Order" (tag) VALUES ('w' || :n) RETURNING "Id") INSERT INTO sales."Line" (tag, "orderId")
	SELECT 'w' || :n, "Id" FROM o;
UPDATE sales."Line" SET "orderId" = "orderId" WHERE tag = (:n % 3000)::text;
COMMIT;
}, sessions => 4, seconds => 3600, rate => 40);

my $reader = open_session($node, 'a shop');
foreach my $command (@commands)
{
	# Steps that lock the tables wait for a transaction that reads them, and writers do not wait behind them.
	my $waits = $command =~ / (?:swap|finish|back)\b/;
	answer($reader, q{BEGIN; SELECT count(*) FROM sales."Line";}) if $waits;
	my $run = start($command);
	if ($waits)
	{
		ok(wait_for_lock($run), "$command waits for a transaction");
		my $written = sql(q{SELECT count(*) FROM sales."Order"});
		$node->poll_query_until('a shop', qq{SELECT count(*) > $written FROM sales."Order"}) or die 'writers wait';
		answer($reader, 'COMMIT;');
	}
	my ($output, $status) = finish_kidctl($run);
	is($status, 0, $command) or diag($output);
}
close_session($reader);
$writers->{handle}->signal('INT');
unlike((finish_writers($writers))[1], qr/ERROR|aborted/, 'no writer saw an error');

is(sql('SELECT count(*) FROM sales.both_tags WHERE one <> other'), 0, 'all rows refer to what they did');
is(sql('SELECT count(*) FROM sales.both_tags'), sql('SELECT count(*) FROM sales."Line"'), 'and none is lost');
cmp_ok(sql(q{SELECT count(*) FROM sales.both_tags WHERE one ^@ 'w'}), '>', 20, 'nor is what was written meanwhile');
is(sql(q{SELECT format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = 'sales."Line"'::regclass AND attname IN ('orderId', 'No')}), "kid64\nkid64",
	'the keys are of the new type');
is(sql(q{SELECT count(*) FROM sales."Order" WHERE abs(extract(epoch FROM kid_timestamp("Id") - made)) > 1}), 0,
	'and tell the time');
# A line that came during its own move has a key with its own time.
is(sql(q{SELECT count(*) FROM sales."Line" AS l JOIN sales."Order" AS o ON o."Id" = l."orderId"
		WHERE abs(extract(epoch FROM kid_timestamp("No") - made)) > 1}), 0, 'also those of lines, by their orders');
is(sql(q{SELECT count(*) FROM pg_namespace WHERE nspname ~ '^kidctl'}) . $node->safe_psql('postgres',
		q{SELECT count(*) FROM pg_database WHERE datname ~ '^kidctl'}), '00', 'nothing is left of the move');
done_testing();
