# Orders with kid64 keys, by DBI and DBD::Pg.
use strict;
use warnings;
use DBI;
use POSIX qw(strftime);

my $db = DBI->connect('dbi:Pg:', '', '', { RaiseError => 1, PrintError => 0 });
$db->do('CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)');
$db->do('CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)');

my ($order_id) = $db->selectrow_array('INSERT INTO orders (item) VALUES (?) RETURNING id', undef, 'tea');
print "inserted $order_id\n";

my $batch = $db->selectcol_arrayref(
    'INSERT INTO orders (item) SELECT unnest(?::text[]) RETURNING id', undef, [ ('batch') x 1000 ]);
print "batch $_\n" for @$batch;

my ($found) = $db->selectrow_array('SELECT id FROM orders WHERE id = ?', undef, $order_id);
print "found $found\n";

my @some = @$batch[ 5 .. 7 ];
my ($listed) = $db->selectrow_array('SELECT array_agg(id)::text[] FROM orders WHERE id = ANY (?)', undef, \@some);
print "listed $_\n" for @$listed;

my $since = strftime('%FT%TZ', gmtime(time - 3600));
my $recent = $db->selectall_arrayref(
    'SELECT id, item FROM orders WHERE id >= ?::timestamptz ORDER BY id LIMIT 10', undef, $since);
print "recent $_->[0]\n" for @$recent;

my $last = $recent->[-1][0];
my $page = $db->selectall_arrayref('SELECT id, item FROM orders WHERE id > ? ORDER BY id LIMIT 10', undef, $last);
print "page $_->[0]\n" for @$page;

my $ids = $db->selectcol_arrayref('SELECT kid_next(1000)');
$db->do('COPY orders (id, item) FROM STDIN');
$db->pg_putcopydata("$_\tbulk\n") for @$ids;
$db->pg_putcopyend;
print "bulk $_\n" for @$ids;

$db->do(q{INSERT INTO lines (order_id, note) VALUES (?, 'with milk')}, undef, $order_id);
my ($nested) = $db->selectrow_array(
    q{SELECT to_jsonb(l) ->> 'order_id' FROM lines l JOIN orders o ON l.order_id = o.id});
print "nested $nested\n";

eval { $db->selectrow_array('SELECT id FROM orders WHERE id = ?', undef, '12345') };
print 'wrong ', $db->state, "\n";
