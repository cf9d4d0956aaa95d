# IDs in COPY, dump and restore, and logical replication, each in text and in binary form if it has both.
# Versions: logical replication in binary form, which 16 extended
use strict;
use warnings;
use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Types;

my @types = names_of();
my $types = join ', ', @types;
my $columns = join ', ', map { "$_ $_" } @types;
my @next = map { "$_->{next}()" } own_types();

# An ID of each type in both forms, made by other programs. The last vector is random, so that an exchange
# of bytes is noticed.
my (%text, %bytes);
foreach my $type (@types)
{
	my ($header, @vectors) = map { [ split /\t/ ] } split /\n/, slurp_file(dirname(__FILE__) . "/../vectors/$type.tsv");
	my %vector;
	@vector{ map { s/^(text\d*|dec)$/text/r } @$header } = @{ $vectors[-1] };
	$text{$type} = $vector{text};
	$bytes{$type} = pack 'H*', $vector{hex};
}

# The table also holds the least and the greatest ID of each type. All columns are in its key, by which
# replication finds a row.
my $node = PostgreSQL::Test::Cluster->new('publisher');
$node->init(allows_streaming => 'logical');
$node->start;
my @bounds = map {
	my $byte = $_;
	join ', ', map { "'\\x" . $byte x length($bytes{$_}) . "'::bytea::$_" } @types
} qw(00 ff);
$node->safe_psql('postgres', qq{
	CREATE EXTENSION kid;
	CREATE TABLE t (n int, $columns, PRIMARY KEY ($types));
	@{[ map { "ALTER TABLE t ALTER $types[$_] SET DEFAULT $next[$_];" } 0 .. $#types ]}
	INSERT INTO t (n) SELECT generate_series(1, 1000);
	INSERT INTO t VALUES (0, $bounds[0]), (-1, $bounds[1]);
});

# Returns a query for the number and the digest of the rows of a table.
sub content { return "SELECT count(*), md5(string_agg(r::text, ',' ORDER BY r)) FROM $_[0] AS r" }

my $expected = $node->safe_psql('postgres', content('t'));
like($expected, qr/^1002\|/, 'the table has 1002 rows with IDs');

# COPY
my $dir = $node->basedir;
foreach my $format ('text', 'csv', 'binary')
{
	$node->safe_psql('postgres', qq{
		\\copy t TO '$dir/copy.$format' WITH (FORMAT $format)
		CREATE TABLE copied (LIKE t);
		\\copy copied FROM '$dir/copy.$format' WITH (FORMAT $format)
	});
	is($node->safe_psql('postgres', content('copied')), $expected, "COPY, $format: the rows are the same");
	$node->safe_psql('postgres', 'DROP TABLE copied');
}

sub write_file
{
	my ($name, $content) = @_;
	open my $file, '>:raw', $name or die $!;
	print $file $content;
	close $file or die $!;
	return;
}

# Returns rows of binary fields in the format of COPY.
sub binary
{
	return join '', "PGCOPY\n\xff\r\n\0", pack('NN', 0, 0), map({ pack 'n(N/a*)*', scalar @$_, @$_ } @_),
	  pack('n', 0xffff);
}

my $one = binary([ @bytes{@types} ]);
write_file("$dir/one", $one);
is($node->safe_psql('postgres', qq{
		CREATE TEMPORARY TABLE one ($columns);
		\\copy one FROM '$dir/one' WITH (FORMAT binary)
		TABLE one;
		\\copy one TO '$dir/one' WITH (FORMAT binary)
	}),
	join('|', @text{@types}), 'COPY reads the binary form of other programs');
is(unpack('H*', slurp_file("$dir/one")), unpack('H*', $one), 'COPY writes the same binary form');

# Invalid text by kind, and the detail of its error.
my %bad = (
	flake => [
		[ 'empty', '', 'has at least 1 character.' ],
		[ 'short', '0x', 'Character "x" at position 2 ' ],
		[ 'long', "0$text{flake}", 'does not begin with 0.' ],
		[ 'wrong character', '-1', 'Character "-" at position 1 ' ],
		[ 'trailing junk', "1\n", "Character \"\n\" at position 2 " ],
		[ 'of kid64', $text{kid64}, 'Character "." at position 1 ' ],
		[ 'overflow', '18446744073709551616', 'is 18446744073709551615.' ],
		[ 'hexadecimal overflow', '0x10000000000000000', 'is 18446744073709551615.' ],
	]);
foreach my $type (grep { $_ ne 'flake' } @types)
{
	my $text = $text{$type};
	my $length = length $text;
	my ($other, $character) = $type =~ /kid/ ? ('flax', '-') : ('kid96', '.');
	my $has = "A value of type $type has $length characters, not";
	$bad{$type} = [
		[ 'empty', '', "$has 0." ],
		[ 'short', substr($text, 1), "$has " . ($length - 1) . '.' ],
		[ 'long', "$text$text", "$has " . 2 * $length . '.' ],
		[ 'wrong character', substr($text, 1) . '!', "Character \"!\" at position $length " ],
		[ 'trailing junk', "$text\n", "$has " . ($length + 1) . '.' ],
		[ "of $other", $character x $length, "Character \"$character\" at position 1 " ],
	];
}
push @{ $bad{kid64} }, [ 'overflow', 'zzzzzzzzzzz', 'The last character, "z", has bits beyond the 64 ' ],
  [ 'number', '31584891186561024', 'has 11 characters, not 17.' ];

# Tests that COPY rejects a row. A good row comes before it, which must not be kept.
sub refuses
{
	my ($type, $format, $content, $error, $name) = @_;
	write_file("$dir/bad", $content);
	my ($status, $stdout, $stderr) =
	  $node->psql('postgres', "\\set VERBOSITY verbose\n\\copy t ($type) FROM '$dir/bad' WITH (FORMAT $format)");
	like($stderr, qr/ERROR:  $error.*CONTEXT:  COPY t, line [23], column $type/s, "$type, $format: $name");
	return;
}

foreach my $type (@types)
{
	my ($text, $bytes, $size) = ($text{$type}, $bytes{$type}, length $bytes{$type});
	foreach (@{ $bad{$type} })
	{
		my ($kind, $bad, $detail) = @$_;
		my $error = qr/22P02: invalid input syntax for type $type: "\Q$bad\E"\nDETAIL:  .*\Q$detail\E/;
		refuses($type, 'text', "$text\n" . $bad =~ s/\n/\\n/r . "\n", $error, $kind);
		refuses($type, 'csv', qq{$text\n"$bad"\n}, $error, $kind);
	}
	foreach my $length (0, $size - 1, $size + 1, 16)
	{
		my $error = "22P03: incorrect binary data format for type $type";
		refuses($type, 'binary', binary([$bytes], [ "\0" x $length ]),
			qr/$error\nDETAIL:  A value of type $type has $size bytes, not $length\.\n/, "$length bytes");
	}

	# Invalid text as a parameter of the extended protocol, which psql 15 does not use.
	my ($kind, $bad, $detail) = @{ $bad{$type}[-1] };
	write_file("$dir/query", "SELECT :bad::$type;");
	my $error = qr/ERROR:  invalid input syntax for type $type: "\Q$bad\E"\nDETAIL:  .*\Q$detail\E/;
	$node->command_fails_like([ qw(pgbench -n -t 1 -M extended -f), "$dir/query", '-D', "bad=$bad" ],
		qr/$error.*\nHINT:  .*\nCONTEXT:  unnamed portal parameter \$1/,
		"$type, parameter: $kind");
}
is($node->safe_psql('postgres', content('t')), $expected, 'a COPY that fails keeps no row');

# Dump and restore: the whole table with its defaults, and views, indexes and constraints that compare IDs with ranges.
my %compared = ("'[2020-01-01,)'" => 'literal', "tstzrange('2020-01-01', NULL)" => 'function', 'r' => 'of_column',
	'w' => 'of_domain');
my $compared = join ', ', map {
	my $type = $_;
	map { "$type <@ $_ AS ${type}_$compared{$_}, $_ @> $type AS $compared{$_}_$type" } sort keys %compared
} @types;
my $any = join ', ', map { "$_ <@ ANY (m) AS ${_}_any" } @types;
$node->safe_psql('postgres', qq{
	CREATE DATABASE restored;
	CREATE DOMAIN whole_range AS tstzrange CHECK (NOT isempty(VALUE));
	CREATE TABLE ranges (r tstzrange, w whole_range, m tstzrange[], $columns);
	INSERT INTO ranges SELECT '[2020-01-01,)', '(,2020-01-01)', ARRAY['[2020-01-01,)'::tstzrange], $types FROM t
		WHERE n > 0;
	CREATE VIEW compared AS SELECT $compared, $any FROM ranges;
	@{[ map { "ALTER TABLE ranges ADD CHECK ($_ <@ r);" } @types ]}
	@{[ map { "CREATE INDEX ON ranges ($_) WHERE $_ <@ '[2020-01-01,)';" } qw(kid64 sno flax) ]}
});
my $definitions = q{
	SELECT pg_get_viewdef('compared'), (SELECT string_agg(pg_get_indexdef(indexrelid), ';'
		ORDER BY indexrelid::regclass::text) FROM pg_index WHERE indrelid = 'ranges'::regclass),
	       (SELECT string_agg(pg_get_constraintdef(oid), ';' ORDER BY conname) FROM pg_constraint
	           WHERE conrelid = 'ranges'::regclass)};
my $defined = $node->safe_psql('postgres', $definitions);
my $answers = $node->safe_psql('postgres', content('compared'));
foreach my $format ('plain', 'custom')
{
	$node->command_ok([ 'pg_dump', '-F', $format, '-f', "$dir/dump", '-d', $node->connstr('postgres') ],
		"pg_dump, $format");
	$node->safe_psql('restored',
		'DROP TABLE IF EXISTS t, ranges CASCADE; DROP DOMAIN IF EXISTS whole_range; DROP EXTENSION IF EXISTS kid');
	$node->command_ok(
		$format eq 'plain'
		? [ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/dump", '-d', $node->connstr('restored') ]
		: [ 'pg_restore', '-e', '-d', $node->connstr('restored'), "$dir/dump" ],
		"restore, $format");
	is($node->safe_psql('restored', content('t')), $expected, "$format: the restored table has the same rows");
	is($node->safe_psql('restored', q{
			SELECT string_agg(pg_get_expr(adbin, adrelid), ' ' ORDER BY adnum) FROM pg_attrdef
				WHERE adrelid = 't'::regclass}),
		"@next", "$format: the restored table has the same defaults");
	is($node->safe_psql('restored', $definitions), $defined,
		"$format: comparisons with ranges have the same definitions");
	is($node->safe_psql('restored', content('compared')), $answers,
		"$format: comparisons with ranges have the same results");
}

# kid53 is a number already, and stays the same in each format.
$node->safe_psql('postgres', q{
	CREATE TABLE kid53s (id bigint PRIMARY KEY DEFAULT kid53_next(), n int);
	INSERT INTO kid53s (n) SELECT generate_series(1, 1000);
	INSERT INTO kid53s (id) VALUES (0), (9007199254740991);
});
my $kid53s = content('(SELECT id FROM kid53s)');
foreach my $format ('text', 'csv', 'binary')
{
	$node->safe_psql('postgres', qq{
		\\copy kid53s TO '$dir/kid53.$format' WITH (FORMAT $format)
		CREATE TABLE copied (LIKE kid53s);
		\\copy copied FROM '$dir/kid53.$format' WITH (FORMAT $format)
	});
	is($node->safe_psql('postgres', $kid53s =~ s/kid53s/copied/r), $node->safe_psql('postgres', $kid53s),
		"COPY of kid53, $format: the rows are the same");
	$node->safe_psql('postgres', 'DROP TABLE copied');
}
is($node->safe_psql('postgres', q{SELECT count(*) FROM kid53s
		WHERE (to_json(kid53s) ->> 'id')::float8::bigint <> id}), 0,
	'a double holds each kid53');

# IDs as numbers: a bigint column restores as one, and becomes a kid64 column. What writes no text goes
# into a kid64 column at once.
$node->safe_psql('postgres', q{
	CREATE TABLE numbers (id bigint PRIMARY KEY);
	INSERT INTO numbers SELECT kid64::bigint FROM t UNION VALUES (bigint '5'), (-5), (10000000003);
});
my $numbers = $node->safe_psql('postgres', content('(SELECT id FROM numbers)'));
like($numbers, qr/^1005\|/, 'the table of numbers has 1005 rows');
my $as_numbers = content('(SELECT id::bigint FROM numbers)');
my @dump = ('pg_dump', '-t', 'numbers', '-f', "$dir/dump", '-d', $node->connstr('postgres'));
my @restore = ('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/dump", '-d', $node->connstr('restored'));
$node->command_ok(\@dump, 'pg_dump of a bigint column');
$node->command_ok(\@restore, 'which restores');
$node->safe_psql('restored', 'ALTER TABLE numbers ALTER id TYPE kid64');
is($node->safe_psql('restored', $as_numbers), $numbers, 'and becomes a kid64 column with the same IDs');
$node->safe_psql('restored', 'TRUNCATE numbers');
$node->command_ok([ @dump, '-a' ], 'pg_dump of the numbers alone');
$node->command_fails_like(\@restore,
	qr/ERROR:  invalid input syntax for type kid64.*HINT:  To convert a number to an ID, cast it to bigint/s,
	'a kid64 column does not take them as text');
$node->command_ok([ @dump, '-a', '--rows-per-insert=100' ], 'pg_dump of the numbers as INSERT statements');
$node->command_ok(\@restore, 'which a kid64 column takes');
is($node->safe_psql('restored', $as_numbers), $numbers, 'as the same IDs');
$node->safe_psql('restored', 'TRUNCATE numbers');
$node->safe_psql('postgres', "\\copy numbers TO '$dir/numbers' WITH (FORMAT binary)");
$node->safe_psql('restored', "\\copy numbers FROM '$dir/numbers' WITH (FORMAT binary)");
is($node->safe_psql('restored', $as_numbers), $numbers, 'COPY, binary: a kid64 column takes the numbers');
$node->safe_psql('postgres', "\\copy numbers TO '$dir/numbers'");
$node->safe_psql('restored', "TRUNCATE numbers; CREATE TEMP TABLE loaded (id bigint); \\copy loaded FROM '$dir/numbers'
	INSERT INTO numbers SELECT id FROM loaded");
is($node->safe_psql('restored', $as_numbers), $numbers, 'COPY, text: by way of a bigint column');

# Databases with other encodings: the extension can be installed, and an error names the wrong character.
foreach ([ 'SQL_ASCII', qr/Byte 0xc3 at position 1/ ], [ 'EUC_JP', qr/Character ".+" at position 1/ ],
	[ 'LATIN1', qr/Character ".+" at position 1/ ])
{
	my ($encoding, $detail) = @$_;
	my $database = lc $encoding;
	$node->safe_psql('postgres', "CREATE DATABASE $database ENCODING '$encoding' LOCALE 'C' TEMPLATE template0");
	my ($status, $stdout, $stderr) = $node->psql($database,
		"CREATE EXTENSION kid;
			SET client_encoding = 'UTF8';\n\\set VERBOSITY verbose\nSELECT '\xc3\xa9234567890'::kid64");
	like($stderr, qr/ERROR:  22P02: invalid input syntax for type kid64: .*\nDETAIL:  $detail is not one of/s,
		"a database in $encoding: the error names the wrong character or byte");
}

# Logical replication: the initial copy, and then changes.
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init;
# Four subscriptions, and the copies that they begin with
$subscriber->append_conf('postgresql.conf', "max_logical_replication_workers = 6\n");
$subscriber->start;
$node->safe_psql('postgres', 'CREATE PUBLICATION p FOR TABLE t');
my $connection = $node->connstr . ' dbname=postgres';
foreach my $binary ('false', 'true')
{
	$subscriber->safe_psql('postgres', "CREATE DATABASE binary_$binary");
	$subscriber->safe_psql("binary_$binary", qq{
		CREATE EXTENSION kid;
		CREATE TABLE t (n int, $columns, PRIMARY KEY ($types));
		CREATE SUBSCRIPTION binary_$binary CONNECTION '$connection' PUBLICATION p WITH (binary = $binary);
	});
	$subscriber->wait_for_subscription_sync($node, "binary_$binary", "binary_$binary");
}
$node->safe_psql('postgres', q{
	INSERT INTO t (n) SELECT generate_series(1, 1000);
	UPDATE t SET n = n + 1 WHERE kid64 = (SELECT max(kid64) FROM t WHERE n = 500);
	UPDATE t SET kid96 = kid96_next(), sno = sno_next(), flake = flake_next(), flax = flax_next() WHERE n = 7;
	DELETE FROM t WHERE kid64 = (SELECT min(kid64) FROM t WHERE n > 0);
});
$expected = $node->safe_psql('postgres', content('t'));
like($expected, qr/^2001\|/, 'the table has 2001 rows after the changes to replicate');
foreach my $binary ('false', 'true')
{
	$node->wait_for_catchup("binary_$binary");
	is($subscriber->safe_psql("binary_$binary", content('t')), $expected,
		"logical replication, binary = $binary: the rows are the same");
}

# kid has no table of its own. So a publication of all tables arrives at a server without kid, and a role that may read
# the tables can dump the database.
$node->safe_psql('postgres', 'CREATE DATABASE everything; CREATE ROLE reader LOGIN');
$node->safe_psql('everything', 'CREATE EXTENSION kid; CREATE TABLE numbers (id bigint PRIMARY KEY DEFAULT kid_next());
	INSERT INTO numbers DEFAULT VALUES; GRANT SELECT ON numbers TO reader;
	CREATE PUBLICATION everything FOR ALL TABLES');
$subscriber->safe_psql('postgres', "CREATE TABLE numbers (id bigint PRIMARY KEY); CREATE SUBSCRIPTION everything
	CONNECTION '@{[ $node->connstr ]} dbname=everything' PUBLICATION everything");
$subscriber->wait_for_subscription_sync($node, 'everything', 'postgres');
is($subscriber->safe_psql('postgres', 'SELECT id FROM numbers'),
	$node->safe_psql('everything', 'SELECT id::bigint FROM numbers'),
	'a server without kid subscribes to all tables');
$node->command_ok([ 'pg_dump', '-U', 'reader', '-f', "$dir/everything", '-d', $node->connstr('everything') ],
	'a role that may read the tables dumps the database');

# What Debezium reads, see docs/clients/tools.md: the plugin pgoutput sends every column of a table with kid53, with a
# type of PostgreSQL's.

# Returns the columns that pgoutput describes, each with the OID of its type, and what it sends of the
# first row that is inserted.
sub published
{
	my (@columns, @values);
	$node->safe_psql('postgres', q{CREATE PUBLICATION events FOR TABLE orders;
		SELECT pg_create_logical_replication_slot('events', 'pgoutput')});
	$node->safe_psql('postgres', q{INSERT INTO orders (item) VALUES ('tea')});
	foreach (split /\n/, $node->safe_psql('postgres', q{SELECT encode(data, 'hex')
			FROM pg_logical_slot_get_binary_changes('events', NULL, NULL, 'proto_version', '1', 'publication_names',
			'events')}))
	{
		my $message = pack 'H*', $_;
		if ($message =~ /^R/)
		{
			# The names of the schema and of the table, then for each column its flags, name, type, and
			# the modifier of that.
			my (undef, undef, @column) = unpack 'x5 Z* Z* x3 (x Z* N x4)*', $message;
			push @columns, join ' ', splice @column, 0, 2 while @column;
		}
		elsif ($message =~ /^I/)
		{
			push @values, unpack 'x8 (x N/a)*', $message;
		}
	}
	$node->safe_psql('postgres', q{SELECT pg_drop_replication_slot('events'); DROP PUBLICATION events});
	return (join(', ', @columns), join '|', @values);
}

$node->safe_psql('postgres', 'CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT kid53_next(), item text)');
my ($described, $sent) = published();
is($described, 'id 20, item 25', 'pgoutput describes a bigint and a text');
is($sent, $node->safe_psql('postgres', 'SELECT id, item FROM orders'), 'and sends both');
like($node->safe_psql('postgres', 'SELECT kid53_timestamp(id) > now() - interval $$1 hour$$ FROM orders'), qr/^t$/,
	'the number is an ID');
$node->safe_psql('postgres', 'ALTER TABLE orders ADD id_text text GENERATED ALWAYS AS (id::text) STORED');
unlike((published())[0], qr/id_text/, 'it does not send generated columns');

# From a bigint column to a kid64 column in binary form, which the initial copy has from 16 on.
my $copy = $node->pg_version >= 16 ? 'true' : 'false';
$node->safe_psql('postgres', 'CREATE PUBLICATION numbers FOR TABLE numbers');
$subscriber->safe_psql('binary_true', qq{
	CREATE TABLE numbers (id kid64 PRIMARY KEY);
	CREATE SUBSCRIPTION numbers CONNECTION '$connection' PUBLICATION numbers WITH (binary = true, copy_data = $copy);
});
$subscriber->wait_for_subscription_sync($node, 'numbers', 'binary_true') if $copy eq 'true';
$node->safe_psql('postgres', 'DELETE FROM numbers') if $copy eq 'false';
$node->safe_psql('postgres', 'INSERT INTO numbers SELECT kid_next() FROM generate_series(1, 1000);
	UPDATE numbers SET id = -7 WHERE id = (SELECT max(id) FROM numbers)');
$node->wait_for_catchup('numbers');
is($subscriber->safe_psql('binary_true', $as_numbers), $node->safe_psql('postgres', $as_numbers),
	'logical replication in binary form from bigint to kid64: the IDs are the same');

$subscriber->stop;
$node->stop;
done_testing();
