# What somebody has built on what kidctl made for a while is not dropped with it: the command ends, names
# it, and changes nothing.
use strict;
use warnings;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server();
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN CREATEDB; GRANT SET ON PARAMETER session_replication_role TO app');
create_database('one', 'app');
use_database($node, 'one', role => 'app');

# Runs kidctl without a rehearsal. Returns what it prints, and its exit status.
sub kidctl { return run_kidctl(connection_as($node, 'one', 'app'), @_) }

# Tests that kidctl succeeds.
sub ok_kidctl
{
	my (@arguments) = @_;
	my ($output, $status) = kidctl(@arguments);
	is($status, 0, "kidctl @arguments[0 .. 2]") or diag($output);
	return;
}

# A command names an object that is in its way, and leaves it. Without the object it succeeds.
sub refuses
{
	my ($command, $create, $name, $drop) = @_;
	sql($create);
	my ($output, $status) = kidctl(@$command);
	is($status, 2, "kidctl @$command ends at $name") or diag($output);
	like($output, qr/^error: cannot drop [^\n]*\b\Q$name\E[^\n]* depends on /m, '... and says so');
	unlike($output, qr/CASCADE/, '... without the advice to drop it at once');
	sql($drop);
	return;
}

# What others build on the columns and tables that kidctl makes for a while is never dropped silently.
sql(q{CREATE TABLE orders (id bigserial PRIMARY KEY, parent bigint REFERENCES orders,
	made timestamptz NOT NULL DEFAULT '2026-01-01');
	CREATE TABLE lines (order_id bigint PRIMARY KEY REFERENCES orders);
	CREATE TABLE notes (line_id bigint REFERENCES lines, n int) PARTITION BY RANGE (n);
	CREATE TABLE notes_1 PARTITION OF notes DEFAULT; INSERT INTO orders (parent) VALUES (NULL), (1);
	INSERT INTO lines VALUES (2); INSERT INTO notes VALUES (2, 1)});
my $columns = q{SELECT string_agg(attrelid::regclass || '.' || attname, ' ' ORDER BY 1) FROM pg_attribute
	WHERE attname LIKE 'kid\_%' AND attrelid::regclass::text !~ '\.|_pkey|_key|_idx'};
my @run = (qw(rekey run orders --no-rehearsal --time made));
ok_kidctl(@run);
my $before = sql($columns);
like($before, qr/kid_new_/, 'a move has columns of its own');
refuses([qw(rekey cancel orders)], 'CREATE VIEW of_new AS SELECT kid_new_order_id FROM lines', 'view public.of_new',
	'DROP VIEW of_new');
refuses([qw(rekey cancel orders)], 'CREATE VIEW of_state AS SELECT * FROM '
	  . sql(q{SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kidctl%'}) . '.state', 'view public.of_state',
	'DROP VIEW of_state');
is(sql($columns), $before, 'nothing was taken back');
ok_kidctl(qw(rekey cancel orders));
is(sql($columns), '', 'without them all is');
ok_kidctl(@run);
ok_kidctl(qw(rekey swap orders));
refuses([qw(rekey finish orders)], 'CREATE VIEW of_old AS SELECT kid_old_id FROM orders', 'view public.of_old',
	'DROP VIEW of_old');
ok_kidctl(qw(rekey back orders));
is(sql($columns), '', 'the way back leaves nothing');
is(sql(q{SELECT string_agg(conname, ' ' ORDER BY conname) FROM pg_constraint
		WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace}),
	'lines_order_id_fkey notes_line_id_fkey orders_parent_fkey', 'all foreign keys are there');

# A key without a default gets old keys from a sequence of the move, which goes in the end.
sql(q{CREATE TABLE bare (id bigint PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	INSERT INTO bare VALUES (1)});
ok_kidctl(qw(rekey run bare --no-rehearsal --time made --old-name old_id));
ok_kidctl(qw(rekey swap bare));
sql('INSERT INTO bare DEFAULT VALUES');
ok_kidctl(qw(rekey finish bare));
is(sql('SELECT string_agg(old_id::text, $$ $$ ORDER BY id) FROM bare'), '1 2', 'and the old keys stay');

# New rows only
ok_kidctl(qw(rekey run orders --new-rows-only --no-rehearsal));
ok_kidctl(qw(rekey swap orders));
ok_kidctl(qw(rekey finish orders));

# Partitions: the first partition, those of the move of rows
sql(q{CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int);
	INSERT INTO events (n) SELECT generate_series(1, 10)});
my @partition = (qw(partition run events --no-rehearsal --width), '1 month');
ok_kidctl(@partition);
my $state = sql(q{SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kidctl\_partition%'});
refuses([qw(partition back events)], "CREATE VIEW of_state AS TABLE $state.state", 'view public.of_state',
	'DROP VIEW of_state');
ok_kidctl(qw(partition back events));
ok_kidctl(@partition);
refuses([qw(partition finish events)], "CREATE VIEW of_state AS TABLE $state.state", 'view public.of_state',
	'DROP VIEW of_state');
ok_kidctl(qw(partition finish events));
is(sql(q{SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kidctl%'}), 0, 'no schema of a move is left');
$node->stop;
done_testing();
