# What docs say about tools that are not started here: docs/guides/kid64.go and the files beside it give the numbers and
# times of the vectors, and the lines for pandas in docs/guides/exchanging-data.md read columns and a file. The formulas
# for a spreadsheet on that page give the times of the vectors, in Gnumeric, if its ssconvert is there. The query for
# Grafana uses the primary key. The queries of docs/operate/kid_exporter.yaml return what this file, kid_alerts.yaml and
# the table in docs/operate/run-and-watch.md name, and promtool, if it is there (Debian's package prometheus), accepts
# the alerts.
# Versions: Python, NumPy and pandas, which are newer in the Debian that has 18
use strict;
use warnings;
use utf8;
use Cwd;
use File::Basename;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $temporary = PostgreSQL::Test::Utils::tempdir;

sub text_of { my $text = slurp_file($_[0]); utf8::decode($text); return $text }
my ($page, $exchange, $metrics, $exporter, $rules) =
  map { text_of($_) } 'docs/guides/time-queries.md', 'docs/guides/exchanging-data.md', 'docs/operate/run-and-watch.md',
  'docs/operate/kid_exporter.yaml', 'docs/operate/kid_alerts.yaml';

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\n");
$node->start;
use_database($node);
sql('CREATE EXTENSION kid');

# The formulas: text, number as a signed integer, and microseconds of each vector.
my @vectors = map {
	my @v = split /\t/;
	[ $v[5], unpack('q', pack 'Q', hex $v[4]), ($v[0] * 1000000 + $v[1]) * 1000000 + $v[7] ]
} grep { /^\d/ } split /\n/, slurp_file('test/vectors/kid64.tsv');
my $rows = "$temporary/vectors.tsv";
append_to_file($rows, join '', map { join("\t", @$_) . "\n" } @vectors);
my @vectors53 = map { [ (split /\t/)[ 3, 1 ] ] } grep { /^\d/ } split /\n/, slurp_file('test/vectors/kid53.tsv');
my $rows53 = "$temporary/vectors53.tsv";
append_to_file($rows53, join '', map { join("\t", @$_) . "\n" } @vectors53);
my %formulas = (
	go => [ 'kid64.go', <<'END' ],
func main() {
	var t string
	var n int64
	var us uint64
	for file, _ := os.Open(os.Args[1]); ; {
		if _, err := fmt.Fscanln(file, &t, &n, &us); err != nil {
			break
		}
		isEqual := Number(t) == uint64(n) && Text(uint64(n)) == t && Micros(uint64(n)) == us &&
			Floor(us) == uint64(n)>>14<<14
		fmt.Println(map[bool]string{true: "True"}[isEqual])
	}
}
END
	duckdb => [ 'kid64_duckdb.sql', <<'END' ],
SELECT CASE WHEN kid64_number(t) = u AND kid64_text(n) = t AND kid64_micros(n) = us AND kid64_micros(u) = us
	AND kid64_floor(us) = u - u % 16384 THEN 'True' END
FROM (SELECT *, (n & 18446744073709551615::HUGEINT)::UBIGINT AS u
	FROM read_csv('ROWS', delim = '\t', header = false, quote = '',
		columns = {'t': 'VARCHAR', 'n': 'BIGINT', 'us': 'BIGINT'}));
SELECT CASE WHEN kid53_micros(id) = ms * 1000 AND kid53_floor(ms * 1000 + 999) = id - id % 4096 THEN 'True' END
FROM read_csv('KID53', delim = '\t', header = false, columns = {'id': 'BIGINT', 'ms': 'BIGINT'});
END
	sqlite3 => [ 'kid64_sqlite.sql', <<'END' ]);
INSERT OR IGNORE INTO times SELECT us FROM orders;
SELECT iif(timed.number = timed.n AND timed.micros = us AND lowest.number = timed.n >> 14 << 14 AND texts.id = timed.id
	AND ifnull(abs((julianday(created_at) - 2440587.5) * 86400000 - us / 1000.0) < 1, us > 253402300799999999),
	'True', 'False')
FROM timed JOIN lowest ON lowest.micros = us JOIN texts ON texts.n = timed.n;
END
foreach my $tool (sort keys %formulas)
{
	my ($file, $rest) = @{ $formulas{$tool} };
  SKIP: {
		skip "there is no $tool", 1 unless grep { -x "$_/$tool" } split /:/, $ENV{PATH};
		my $code = slurp_file("docs/guides/$file") =~ s/^package kid64$/package main\nimport ("fmt"; "os")/mr;
		# A database file keeps the macros, and they are loaded again.
		$code .= $code if $tool eq 'duckdb';
		# The last view, for a table of numbers
		$code = ".mode tabs\nCREATE TABLE orders (id text, n integer, us integer);\n.import $rows orders\n$code"
		  . $code =~ s/.*(?=^CREATE VIEW lowest AS)//smr =~ s/VIEW lowest/VIEW texts/r
		  =~ s/lowest_numbers/(SELECT DISTINCT n, n AS number FROM orders)/r
		  if $tool eq 'sqlite3';
		my $program = "$temporary/$file";
		append_to_file($program, $code . $rest =~ s/ROWS/$rows/r =~ s/KID53/$rows53/r);
		local $ENV{GOCACHE} = "$temporary/go";
		my @arguments = $tool eq 'sqlite3' ? () : $tool eq 'duckdb' ? ('-noheader', '-list')
		  : ($tool eq 'go' ? 'run' : (), $program, $rows);
		IPC::Run::run([ $tool, @arguments ], '<', $file =~ /sql$/ ? $program : '/dev/null', '>', \my $out, '2>',
			\my $err);
		my $count = @vectors + ($tool eq 'duckdb' ? @vectors53 : 0);
		is($out . $err, "True\n" x $count, "the formulas for $tool give the texts, numbers and times of the vectors");
	}
}

# The formulas for a spreadsheet, in a row for each vector, and what a spreadsheet makes of keys. Dates end with the
# year 9999. Column A has what the formulas read, and column D the result.
SKIP: {
	skip 'there is no ssconvert', 2 unless grep { -x "$_/ssconvert" } split /:/, $ENV{PATH};
	my ($digits, $first_nine, $time, $time53) = $exchange =~ /^```\n([.=]\S+)\n```$/mg;
	my ($copy) = $exchange =~ /^```sql\n(COPY \(SELECT kid_encode.*?;)$/ms;
	sql(q{CREATE TABLE orders (id kid64 PRIMARY KEY, item text);
		INSERT INTO orders VALUES ('.6.nef3MK.3', 'milk'), ('.6.nef3Mk.3', 'tea')});
	my (undef, @written) = map { [ split /,/ ] } split /\n/, sql($copy);
	sql('DROP TABLE orders');
	my @dated = grep { $$_[2] < 253402300800e6 } @vectors;
	my $millis = '=TEXT((C2-25569)*86400000,"0.000")';
	my $comparison = '=(A2=B2)&" "&COUNTIF(A2:B2,A2)&" "&EXACT(A2,B2)';
	my @rows = (
		(map { [ qq{="$$_[0]"}, $first_nine, $time, $millis ] } @dated),
		(map { [ $_, '', $time53, $millis ] } map { ($$_[0], qq{="$$_[0]"}) } @vectors53),
		[ '.6.nef3Mk.3', '.6.nef3MK.3', '', $comparison ],
		[ $written[0][0], $written[1][0], '', $comparison ],
		[ '.6012345677', '', '', '=ISTEXT(A2)' ],
		[ $written[0][0], '', $written[0][1], '=ISTEXT(A2)&" "&TEXT(C2,"yyyy-mm-dd hh:mm:ss")' ]);
	my ($sheet, $number) = (qq{,,,,"$digits"\n}, 1);
	foreach my $row (@rows)
	{
		$number++;
		# The formulas name the cells of the second row.
		my ($key, @others) = map { s/"/""/gr } @$row;
		$sheet .= join(',', map { qq{"$_"} } $key, map { s/\b([A-C])2\b/$1$number/gr } @others) . "\n";
	}
	append_to_file("$temporary/sheet.csv", $sheet);
	local $ENV{HOME} = $temporary;
	my $is_done = IPC::Run::run([ 'ssconvert', map { "$temporary/$_.csv" } 'sheet', 'computed' ], '>&', \my $messages);
	diag $messages unless $is_done;
	my (undef, @computed) = map { (split /,/)[3] } split /\n/, slurp_file("$temporary/computed.csv");
	my @expected = ((map { $$_[2] / 1000 } @dated), map { ($$_[1]) x 2 } @vectors53);
	my @wrong = grep { abs($computed[$_] - $expected[$_]) > 0.01 } 0 .. $#expected;
	is(join(' ', map { $rows[$_][0] } @wrong), '', 'the formulas for a spreadsheet give the times of the vectors');
	my @made_of_keys = @computed[ @expected .. $#computed ];
	is(join("\n", @made_of_keys) =~ tr/"//dr, <<'END' =~ s/\n\z//r, 'a spreadsheet mixes up keys, but not in base32');
TRUE 2 FALSE
FALSE 1 FALSE
FALSE
TRUE 2026-11-21 05:51:45
END
}

# pandas, with the lines of the page: a column of each kind, merged with times of a timestamptz, and a file with a
# missing number. python/tests/package/test_pandas.py has more.
SKIP: {
	my ($python) = grep { system("$_ -c 'import pandas' >/dev/null 2>&1") == 0 } 'python3', '/usr/bin/python3';
	skip 'there is no Python with pandas', 2 unless defined $python;
	# All but the block that reads and writes tables, which needs SQLAlchemy.
	my ($uses, $masking, $read) = grep { !/\bengine\b/ } $exchange =~ /^```python\n(.*?)^```$/msg;
	my $program = "$temporary/frames.py";
	my $rows = sql(q{
		SELECT id || ' ' || id::bigint || ' ' || kid_uuidv7_at(t) || ' ' || kid53_at(t) || ' ' ||
			to_char(t, 'YYYY-MM-DD"T"HH24:MI:SS.MS')
		FROM generate_series(timestamptz '2026-11-01', '2026-11-01 00:02', '1 min') AS t, kid64_at(t) AS id});
	my @uses = grep { /^frame/ } split /\n/, $uses;
	append_to_file($program, join '', map { "$_\n" } grep { /^from/ } split /\n/, $uses);
	append_to_file($program, "import pandas as pd\nrows = [row.split() for row in '''$rows'''.splitlines()]\n");
	append_to_file($program, "def use$_(frame):\n    $uses[$_]\n    return frame\n") foreach 0 .. 3;
	append_to_file($program, "def use_mask(frame):\n" . $masking =~ s/^(?=.)/    /gmr . "    return frame\n");
	append_to_file($program, <<'END' . "$read\nprint([str(n) for n in frame['id']] == [row[1] for row in rows])");
made = pd.DataFrame({"created_at": pd.to_datetime([row[4] for row in rows], utc=True)})
cases = (use0, "str", 0), (use0, "int64", 1), (use0, "Int64", 1), (use1, "int64", 3), (use2, "str", 2)
for use, kind, column in cases:
    ids = [row[column] if kind == "str" else int(row[column]) for row in rows]
    frame = use(pd.DataFrame({"id": pd.Series(ids, dtype=kind)}))
    as_made = made.astype({"created_at": frame["created_at"].dtype})
    merged = pd.merge_asof(as_made, frame, on="created_at", direction="nearest", tolerance=pd.Timedelta("2ms"))
    print(kind, merged["id"].tolist() == ids)
# The block that masks old keys of a sequence
both = pd.DataFrame({"id": [17] + [int(row[3]) for row in rows]})
both["created_at"] = pd.to_datetime(["2021-05-01T00:00:00.000"] + [row[4] for row in rows], utc=True)
masked = use_mask(both.copy())["created_at"] - both["created_at"]
print(both["id"].tolist()[0], masked.abs().max() < pd.Timedelta("2ms"))
frame = use3(pd.DataFrame({"id": [row[0] for row in rows]}))
print(frame["number"].tolist() == [int(row[1]) for row in rows])
with open("orders.csv", "w") as file:
    file.write("id,item\n,none\n" + "".join(f"{row[1]},tea\n" for row in rows))
END
	local $ENV{PYTHONPATH} = getcwd . '/python';
	IPC::Run::run([ $python, $program ], init => sub { chdir dirname($program) }, '>', \my $out, '2>', \my $err);
	is($err, '', 'pandas has no error');
	is(join(' ', split /\n/, $out), 'str True int64 True Int64 True int64 True str True 17 True True True',
		'the lines of the page read each kind of column');
}

# Grafana replaces macros and variables by text.
my ($panel) = $page =~ /^```sql\n(SELECT date_bin.*?;)\n```$/ms;
sql(q{CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next());
	INSERT INTO orders SELECT kid64_at(t) FROM generate_series(timestamptz '2026-11-01', '2026-11-03', '1 min') AS t;
	VACUUM ANALYZE orders});
my %replaced = ('$__timeFrom()' => q{'2026-11-02T00:00:00Z'}, '$__timeTo()' => q{'2026-11-02T00:30:00Z'},
	'$__interval' => '5m');
sub replaced { my ($text) = @_; $text =~ s/\Q$_\E/$replaced{$_}/g foreach keys %replaced; return $text }
is(sql(replaced($panel)), join("\n", map { sprintf '2026-11-02 00:%02d:00+00|5', 5 * $_ } 0 .. 5),
	'the query for Grafana returns a point for each interval');
like(sql('EXPLAIN ' . replaced($panel)), qr/Index (?:Only )?Scan using orders_pkey.*\n\s*Index Cond: /,
	'the query for Grafana uses the primary key');
my ($status, $stdout, $stderr) = $node->psql('postgres',
	q{SELECT count(*) FROM orders WHERE id BETWEEN '2026-11-02T00:00:00Z' AND '2026-11-02T00:30:00Z'});
like($stderr, qr/invalid input syntax for type kid64/, '$__timeFilter(id) does not work');

# Metrics: the queries return numbers only, before the first ID as well, and all that the page names.
my ($role) = $metrics =~ /^```sql\n(CREATE ROLE.*?)^```$/ms;
sql($role);
my (%query, %is_metric);
while ($exporter =~ /^(\w+):\n  query: \|\n(.*?;)\n  metrics:\n((?:    - [^\n]*\n)+)/msg)
{
	my ($name, $query, $labels) = ($1, $2, $3);
	$query{$name} = $query;
	my $types = sql("CREATE TEMP VIEW metrics AS $query; SELECT string_agg(attname || ' ' || atttypid::regtype, ', '
			ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'metrics'::regclass AND attnum > 0");
	my @others = grep { !/ (?:bigint|integer|double precision)$/ } split /, /, $types;
	is(join(' ', grep { !/^(?:datname name|(?:clock|pool) text)$/ } @others), '', "$name: the metrics are numbers");
	is(join(' ', $labels =~ /^    - (\w+): \{usage/mg), join(' ', map { (split / /)[0] } split /, /, $types),
		"$name: the file for postgres_exporter has the columns of the query");
	$is_metric{"${name}_$_"} = 1 foreach $labels =~ /^    - (\w+): \{usage: "(?:GAUGE|COUNTER)"/mg;
}
is(join(' ', sort keys %query), 'kid kid_workers', 'the file has two queries');

# Returns what a query prints as the role of the page, without the schema of kid in its search_path if that is not
# needed. Prints errors, too.
my $watched = sub {
	my ($query, $path) = @_;
	return output_of("SET search_path = prometheus, pg_catalog$path; $query", role => 'prometheus');
};
my $alerts = text_of('docs/operate/alerts.sql');
is($watched->($alerts, ', public'), '', 'no alert of alerts.sql fires');
is($watched->($query{kid_workers}, ''), '', 'there are no metrics of worker numbers without the extension');
foreach my $when ('before the first ID', 'after an ID of each clock')
{
	my $rows = $watched->($query{kid}, '');
	is(scalar(grep { /^postgres\|\w+(?:\|[\d.]+(?:e-?\d+)?){10}$/ } split /\n/, $rows), 5,
		"$when: the role of the page gets all metrics") or diag $rows;
	is(scalar(split /\n/, $rows), 5, "$when: and nothing else");
	sql('SELECT kid_next(), flake_next(), sno_next(), kid_uuidv7(), kid53_next()');
}

# Pools of worker numbers, in a schema whose name has to be quoted. The rows are those of the pools that are not well.
sql(q{SET client_min_messages = error; CREATE SCHEMA "a schema"; GRANT USAGE ON SCHEMA "a schema" TO PUBLIC;
	CREATE EXTENSION kid_workers SCHEMA "a schema"; SET search_path = "a schema", public; CREATE ROLE app LOGIN;
	GRANT EXECUTE ON PROCEDURE kid_lease_worker TO app;
	SELECT kid_add_workers(pool, 1, 20, 'flake', per_role => 20, max_ttl => 600, fresh => true)
	FROM unnest(ARRAY['ahead', 'closed', 'few & <more>', 'retired', 'unadopted', 'well']) AS pool;
	SELECT kid_add_workers('two', 1, 2, 'flake', per_role => 20, max_ttl => 600, fresh => true);
	SELECT kid_add_workers('six', 1, 6, 'flake', per_role => 20, max_ttl => 600, fresh => true)});
my @leases = map { output_of(qq{CALL "a schema".kid_lease_worker('$_', ttl => 600)}, role => 'app') } 'closed',
  'well', 'two', ('six') x 5, ('few & <more>') x 19;
is(scalar(grep { /^\d+\|\S{36}\|/ } @leases), 27, 'numbers are leased');
sql(q{SET search_path = "a schema";
	SELECT kid_close_workers(pool, 1, 20) FROM unnest(ARRAY['closed', 'retired']) AS pool;
	UPDATE kid_workers.numbers SET until = (extract(epoch FROM now())::bigint + 9999) * 1000
	WHERE pool = 'ahead' AND number = 2;
	UPDATE kid_workers.pools SET history = 'another/1' WHERE pool = 'unadopted'});
my @alerts_of_pools = sort split /\n/, $watched->($alerts, ', public');
is(join('', map { "$_\n" } @alerts_of_pools), <<'END', 'alerts.sql shows what is not well');
ahead|worker numbers are ahead: the clock was wrong when they were leased|1
closed|all worker numbers are closed, and some were leased in the last hour|
few & <more>|a role has nearly as many worker numbers as it may have|app: 19 of 20
few & <more>|few worker numbers are free|1 of 20
six|few worker numbers are free|1 of 6
unadopted|few worker numbers are free|0 of 20
unadopted|the pool was restored or copied, and not adopted|20
END
my @metrics_of_pools = sort split /\n/, $watched->($query{kid_workers}, '');
is(join('', map { "$_\n" } @metrics_of_pools), <<'END', 'so do the metrics');
postgres|ahead|20|19|1|0|0|0|0
postgres|closed|0|0|0|0|0|0.05|1
postgres|few & <more>|20|1|0|0|0|0.95|0
postgres|retired|0|0|0|0|0|0|0
postgres|six|6|1|0|0|0|0.25|0
postgres|two|2|1|0|0|0|0.05|0
postgres|unadopted|20|0|0|0|20|0|0
postgres|well|20|19|0|0|0|0.05|0
END
sql(q{LOAD 'kid'; ALTER SYSTEM SET kid.flake_id = 5; SELECT pg_reload_conf()});
$node->poll_query_until('postgres', q{SELECT 'few & <more>' = (SELECT min(pool) FROM "a schema".kid_workers()
	WHERE state = 'server' AND pool LIKE 'few%')}) or die;
like($watched->($alerts, ', public'), qr/^few & <more>\|the server itself makes IDs with worker numbers\|1$/m,
	'alerts.sql shows that the server uses a number');
like($watched->($query{kid_workers}, ''), qr/^postgres\|few & <more>\|20\|[01]\|0\|1\|0\|0.95\|0$/m,
	'so do the metrics');

# The rules for Prometheus, and the table that explains the metrics.
my @alerts = $rules =~ /^( {6}- alert: .*?)(?=^ {6}- alert: |\z)/msg;
is(scalar(grep { /\A {6}- alert: \w+\n {8}expr: .+\n {8}for: \w+\n {8}annotations: \{summary: ".+"\}\n\z/ } @alerts),
	scalar(@alerts), 'each alert has an expression, a time and a line of text') or diag $rules;
my %alerted = map { $_ => 1 } map { /\b(kid_\w+)/g } $rules =~ /expr: (.*)/g;
is(join(' ', grep { !$is_metric{$_} } sort keys %alerted), '', 'the alerts name metrics of the query');
is(join(' ', grep { !$alerted{$_} } sort keys %is_metric), '', 'each metric has an alert');
my %explained = map { $_ => 1 } map { /`(kid_\w+)`/g } $metrics =~ /^(\| .*)/mg;
is(join(' ', sort keys %explained), join(' ', sort keys %is_metric), 'the table explains the metrics of the query');
SKIP: {
	my ($promtool) = grep { -x } map { "$_/promtool" } split /:/, $ENV{PATH};
	skip 'there is no promtool', 1 unless defined $promtool;
	my $file = "$temporary/rules.yaml";
	append_to_file($file, $rules);
	my $passed = IPC::Run::run([ $promtool, 'check', 'rules', $file ], '>', \my $out, '2>', \my $err);
	ok($passed && $out =~ /SUCCESS: ${\ scalar(@alerts)} rules found/, 'promtool accepts the rules') or diag "$out$err";
}

$node->stop;
done_testing();
