# kidctl partition: a table and one that refers to it by a foreign key are both partitioned, in either order.
use strict;
use warnings;
use Kidctl;
use Sql;
use Test::More;

my $node = kidctl_server();
$node->safe_psql('postgres', 'CREATE ROLE shop LOGIN CREATEDB');
my @width = ('--width', '1 month');

# Runs kidctl partition in a database, as the owner of the tables. Returns what it prints, and its exit status.
sub kidctl
{
	my ($action, @arguments) = @_;
	return run_kidctl(connection_as($node, 'shop', 'shop'), 'partition', $action, @arguments);
}

# Does the same, and has to succeed.
sub kidctl_ok { return must_run_kidctl(connection_as($node, 'shop', 'shop'), 'partition', @_) }

# Creates the database with both tables, of 100 days.
sub create
{
	create_database('shop', 'shop');
	use_database($node, 'shop', role => 'shop');
	sql(q{CREATE TABLE events (id uuid PRIMARY KEY DEFAULT kid_uuidv7());
		CREATE TABLE event_tags (event_id uuid REFERENCES events, tag text, PRIMARY KEY (event_id, tag));
		INSERT INTO events SELECT kid_uuidv7_at(now() - n * interval '1 day') FROM generate_series(0, 100, 2) AS n;
		INSERT INTO event_tags SELECT id, 'tag' FROM events});
	return;
}

# Tests that every tag refers to an event, that the foreign key is there, and that it is valid.
sub still_refers
{
	my ($when) = @_;
	is(sql('SELECT count(*) FROM event_tags JOIN events ON id = event_id'), 51, "$when: all tags have their events");
	like(error_of("INSERT INTO event_tags VALUES (kid_uuidv7(), 'tag')"), qr/violates foreign key constraint/,
		"$when: no tag can be of another event");
	is(sql(q{SELECT convalidated FROM pg_constraint WHERE conname = 'event_tags_event_id_fkey'
			AND conrelid = 'event_tags'::regclass}), 't', "$when: the foreign key is valid");
	return;
}

# First the table that others refer to. PostgreSQL before version 18 then leaves the constraint for each of its
# partitions marked as not valid, which it has made itself.
create();
kidctl_ok('run', 'events', @width, '--no-rehearsal');
kidctl_ok('finish', 'events');
kidctl_ok('move', 'events', @width, '--no-rehearsal');
still_refers('partitioned');
my $before = dump_schema($node->connstr('shop'), '--exclude-schema=kid*');
kidctl_ok('run', 'event_tags', @width);
still_refers('both partitioned');
kidctl_ok('back', 'event_tags');
same_text(dump_schema($node->connstr('shop'), '--exclude-schema=kid*'), $before, 'the way back leads to what was');
$node->safe_psql('postgres', 'DROP DATABASE shop');

# First the table that refers. Then its partitions take no other key than that of an event.
create();
kidctl_ok('run', 'event_tags', @width, '--no-rehearsal');
kidctl_ok('finish', 'event_tags');
my ($said, $status) = kidctl('check', 'events', @width);
is($status, 0, 'then the table that others refer to can be partitioned');
like($said,
	qr/constraint event_tags_event_id_fkey on public\.event_tags: keeps an old partition of public\.events from/,
	'and the check warns that the foreign key will stop the drop of partitions');
like($said, qr/first delete the rows of public\.event_tags that refer to old rows\. If public\.event_tags is/,
	'and what helps');

sql('CREATE TABLE answers (id uuid PRIMARY KEY DEFAULT kid_uuidv7(), answered uuid REFERENCES answers)');
($said) = kidctl('check', 'answers', @width);
like($said, qr/first set the references to old rows to NULL, also in old rows\./, 'a table that refers to itself');
unlike($said, qr/delete the rows of public\.answers|drop its old/, 'keeps its rows');
done_testing();
