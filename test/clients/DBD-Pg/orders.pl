# Orders with kid64 keys, by DBI and DBD::Pg.
use strict;
use warnings;
use DBI;
use POSIX qw(strftime);

my $db = DBI->connect('dbi:Pg:', '', '', { RaiseError => 1, PrintError => 0 });

# Prints the IDs that a query returns, and returns them.
sub show
{
	my ($word, $query, @parameters) = @_;
	my $ids = $db->selectcol_arrayref($query, undef, @parameters);
	print "$word $_\n" for @$ids;
	return @$ids;
}

my ($order_id) = show('inserted', 'INSERT INTO orders (item) VALUES (?) RETURNING id', 'tea');
my @batch = show('batch', 'INSERT INTO orders (item) SELECT unnest(?::text[]) RETURNING id', [ ('batch') x 1000 ]);
show('found', 'SELECT id FROM orders WHERE id = ?', $order_id);

my @some = @batch[ 5 .. 7 ];
my ($listed) = $db->selectrow_array('SELECT array_agg(id)::text[] FROM orders WHERE id = ANY (?)', undef, \@some);
print "listed $_\n" for @$listed;

my $since = strftime('%FT%TZ', gmtime(time - 3600));
my $recent = q{SELECT id, item FROM orders
	WHERE id >= ?::timestamptz ORDER BY id LIMIT 10};
show('recent', $recent, $since);

my @ids = show('bulk', 'SELECT kid_next(1000)');
$db->do('COPY orders (id, item) FROM STDIN');
$db->pg_putcopydata("$_\tbulk\n") for @ids;
$db->pg_putcopyend;

show('nested', q{INSERT INTO lines (order_id, note) VALUES (?, 'with milk') RETURNING order_id}, $order_id);

eval { $db->selectrow_array('SELECT id FROM orders WHERE id = ?', undef, '12345') };
print 'wrong ', $db->state, "\n";
