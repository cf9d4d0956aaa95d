# The page of the bounds. A new bound is written to the page before IDs pass the old one, and it is found again after a
# shutdown and after a crash. The page is damaged in every way, with and without checksums, and written anew. One
# session renews the lease while others continue.
# Promise: After any kind of stop
use strict;
use warnings;
use Dialogue;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::HiRes qw(usleep);

my $node = FakeClock->new('main');
# The test enables checksums later. From 18 on they are the default.
$node->init(extra => [ $node->pg_version >= 18 ? '--no-data-checksums' : () ]);
$node->start;
use_database($node);
sql('CREATE EXTENSION kid');
my $path = $node->data_dir . '/global/9764';

# Returns the fields of the page, as src/pg/clocks/bound_page.hpp describes them.
sub read_bounds
{
	sql('CHECKPOINT');
	my $bytes = slurp_file($path);
	my ($lsn_and_flags, $lower) = unpack('a12 S', $bytes);
	my %page = (bytes => length $bytes, lower => $lower);
	@page{qw(magic version timeline kid flake sno uuidv7 kid53)} = unpack('Q L L Q Q Q Q Q', substr($bytes, 24));
	return \%page;
}

# CRC-32C by its definition: the reflected polynomial 0x82f63b78.
sub crc32c
{
	my $crc = 0xffffffff;
	foreach my $byte (unpack 'C*', $_[0])
	{
		$crc ^= $byte;
		$crc = $crc >> 1 ^ ($crc & 1 ? 0x82f63b78 : 0) foreach 1 .. 8;
	}
	return $crc ^ 0xffffffff;
}

sub write_file
{
	my ($bytes) = @_;
	open my $file, '>:raw', $path or die $!;
	print $file $bytes;
	close $file;
	return;
}

ok(!-e $path, 'before the first ID there is no page of the bounds');
is(sql('BEGIN READ ONLY; SELECT count(DISTINCT kid_next()) FROM generate_series(1, 10); COMMIT'), 10,
	'a read-only transaction makes the first IDs');
my $id = sql('SELECT kid_next()::bigint');
my $page = read_bounds();
my $block_size = sql('SHOW block_size');
is("@$page{qw(bytes magic version timeline lower)}", "$block_size " . unpack('Q>', 'kidbound') . ' 4 1 200',
	'the page has the right size, magic, version, timeline and length');
cmp_ok($page->{kid}, '>', $id, 'the bound of kid is above the first ID');
is(sql("SELECT kid_timestamp($page->{kid}::bigint::kid64) - kid_timestamp(${id}::bigint::kid64)
				BETWEEN interval '0.3 s' AND interval '1.005 s'"), 't',
	'the bound of kid is above the first ID by a lease');
my $content = substr(slurp_file($path), 24, 176);
is(unpack('Q', substr($content, 168)), crc32c(substr($content, 0, 168)),
	'the page ends with the CRC-32C of its content');
is("@$page{qw(flake sno uuidv7 kid53)}", '0 0 0 0', 'the clocks without IDs have no bound');

# A start begins at the bound, with kid preloaded or not. The clock is an hour behind.
$node->set_clock('-1h');
$node->restart;
cmp_ok(sql('SELECT kid_next()::bigint'), '>', $page->{kid}, 'a start begins at the bound');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'kid'\n");
$node->restart;
($id, my $flake, my $sno, my $uuid, my $kid53) = split /[|]/,
  sql('SELECT kid_next()::bigint, flake_next()::bigint, sno_next(), kid_uuidv7(), kid53_next()');
$page = read_bounds();
is(sql("SELECT kid53_timestamp($page->{kid53}) - kid53_timestamp($kid53) BETWEEN interval '0.3 s'
		AND interval '1.005 s'"), 't', 'the bound of kid53 is above the first ID by a lease');
$node->restart;
is(sql("SELECT kid_next()::bigint > $page->{kid}, flake_next() > '$flake',
		kid_timestamp(sno_next()) >= kid_timestamp('$sno'::sno), kid_uuidv7() > '$uuid',
		kid53_next() > $page->{kid53}"),
	't|t|t|t|t', 'preloaded: a start begins at the bounds of all clocks');
($id, $kid53) = split /[|]/, sql('SELECT kid_next()::bigint, kid53_next()');
$node->stop('immediate');
$node->set_clock('-3h');
$node->start;
is(sql("SELECT kid_next()::bigint > $id, kid53_next() > $kid53"), 't|t',
	'after an immediate shutdown, IDs continue above the bound');
is(sql(q{SELECT count(*) FROM kid_stats() WHERE clock IN ('kid', 'kid53')
		AND last_issued - clock_timestamp() > interval '1 h 59 min'}), 2,
	'with the clock two hours back, IDs are ahead of it');
$node->set_clock('+0');

# Damage is found at the first ID after a start, and remains until the page is written anew. `change` changes the
# file of the page while the server is down.
sub error_of_start
{
	my ($change, $query) = @_;
	$node->stop;
	$change->();
	$node->start;
	my ($status, $stdout, $stderr) = $node->psql('postgres',
		"\\set VERBOSITY verbose\n" . ($query // 'SELECT kid_next()'));
	return $stderr;
}

# Returns a function that changes some bits of a byte of the page.
sub flip
{
	my ($byte) = @_;
	return sub {
		my $bytes = slurp_file($path);
		substr($bytes, $byte, 1) ^= "\x81";
		write_file($bytes);
	};
}
my $damaged = qr{XX001: page of the bounds of IDs is damaged\nDETAIL:  .*\nHINT:  .*kid_reset_clock\(\)};

# Resets the clocks, which writes the page anew, and tests what IDs follow.
sub mend
{
	my ($name, $notice) = @_;
	my $time = sql(q{SELECT clock_timestamp() + '10 s'});
	my ($status, $stdout, $stderr) = $node->psql('postgres', "SELECT kid_reset_clock('$time')");
	like($stderr, $notice
		  // qr{NOTICE:  page of the bounds of IDs was written anew\s*(?:psql\S+ NOTICE:  IDs in other databases.*)?\z},
		"$name: kid_reset_clock() says what it did");
	# Clocks that need not be lowered stay where they are, ahead or not.
	my $least = $notice ? '10 s' : '0';
	is(sql(join(' UNION ALL ', map { "SELECT $_ BETWEEN timestamptz '$time' - interval '$least'
				AND greatest('$time', clock_timestamp()) + '1 s'" }
				  (map { "kid_timestamp($_)" } qw(kid_next() flake_next() sno_next())),
				'kid53_timestamp(kid53_next())')),
		"t\nt\nt\nt", "$name: a superuser writes the page anew, and IDs have the given time");
	return;
}
sql('CREATE ROLE merger LOGIN;
	GRANT EXECUTE ON FUNCTION kid_reset_clock, kid_hold_clocks, kid_lower_clocks TO merger');
my %place = (LSN => 0, magic => 24, 'the end of the magic' => 31, version => 32, 'the bound of kid' => 40,
	'the bound of sno' => 63, 'the bound of kid53' => 76, pd_lower => 12);
foreach my $name (sort keys %place)
{
	my $good = slurp_file($path);
	my $stderr = error_of_start(flip($place{$name}));
	if ($name eq 'version')
	{
		my $detail = 'DETAIL:  File "global/9764" is of a version that this kid does not know';
		like($stderr, qr{XX001: page of the bounds of IDs is damaged\n$detail\.\nHINT:  Install the version of kid},
			"changed: $name");
	}
	else { like($stderr, $name eq 'pd_lower' ? qr{ERROR:  XX001: } : $damaged, "changed: $name"); }
	next if $name ne 'magic';
	like(error_of("SELECT $_()"), $damaged, "with a damaged page no clock starts: $_()")
	  foreach 'flake_next', 'kid53_next';
	like(error_of('SELECT kid_observe(kid64_floor(now()))'), qr{XX001},
		'with a damaged page no clock can be moved');
	is(sql(q{SELECT kid_timestamp(kid64_make('2026-11-21', 0)) = '2026-11-21', kid64_at(now()) IS NOT NULL,
			kid53_at(now()) IS NOT NULL, flax_next() IS NOT NULL}),
		't|t|t|t', 'with a damaged page, functions that need no clock work');
	is(sql(q{SELECT count(*), count(last_issued), count(lease_until) FROM kid_stats()}), '5|0|0',
		'with a damaged page, kid_stats() works');
	my ($status, $stdout, $refused) = $node->psql('postgres', "SELECT kid_reset_clock(now() + '10 s')",
		extra_params => [ '-U', 'merger' ]);
	like($refused, qr{must be superuser}, 'only a superuser can write the page anew');
	like(error_of(q{SELECT kid_reset_clock(now() + interval '1 day')}), $damaged,
		'a superuser cannot write the page anew for a time that is far ahead');
	like(error_of('SELECT kid_next()'), $damaged, 'after a rejected reset the page is still damaged');
}
continue
{
	mend($name);
}

# One flipped bit makes pd_upper 0, as in a page of zeroes.
like(error_of_start(sub { my $bytes = slurp_file($path); substr($bytes, 15, 1) = "\0"; write_file($bytes) }),
	qr{ERROR:  XX001: }, 'changed: pd_upper');
like(error_of('SET zero_damaged_pages = on; SELECT kid_next()'), $damaged,
	'changed: pd_upper, with zero_damaged_pages');
mend('pd_upper');

# The page was written by a server with another system identifier, as after pg_createsubscriber. Its bounds
# apply, and the server logs a message once.
my $as_other =
  qr{LOG:  IDs start from the bound of a server with another system identifier\n.*HINT:  .*call kid_observe_all\(\)};
$node->set_clock('+1h');
$id = sql('SELECT kid_next()::bigint');
$node->set_clock('+0');
my $before = -s $node->logfile;
my $of_other = sub {
	my $bytes = slurp_file($path);
	substr($bytes, 184, 1) ^= "\x81";
	substr($bytes, 192, 8) = pack('Q', crc32c(substr($bytes, 24, 168)));
	write_file($bytes);
};
is(error_of_start($of_other, 'SELECT flake_next()'), '', 'another system identifier: IDs are made');
cmp_ok(sql('SELECT kid_next()::bigint'), '>', $id, 'another system identifier: IDs continue above the bound');
like(substr(slurp_file($node->logfile), $before), $as_other, 'another system identifier: a message at the first start');
$before = -s $node->logfile;
$node->restart;
sql('SELECT kid_next()');
unlike(substr(slurp_file($node->logfile), $before), qr{system identifier},
	'another system identifier: no message at the next start');
mend('another system identifier',
	qr{NOTICE:  logical clock of kid was lowered by 00:5\d:\d\d\.\d{3}\nDETAIL:.*\nHINT:.*\n.*NOTICE:  IDs in other});

# Without data checksums every single bit of the content is checked, and of the header all from pd_flags to
# pd_special. kid_stats() reads the file each time.
sql('CHECKPOINT');
my $good = slurp_file($path);
is(sql(q{
	SET client_min_messages = error;
	CREATE TABLE flips (bit int, problem text);
	DO $$
	DECLARE
		good CONSTANT bytea := pg_read_binary_file('global/9764');
		object oid;
	BEGIN
		FOR bit IN 8 * 10 .. 8 * 200 - 1 LOOP
			CONTINUE WHEN bit BETWEEN 8 * 18 AND 8 * 24 - 1;
			object := lo_from_bytea(0, set_bit(good, bit, 1 - get_bit(good, bit)));
			PERFORM lo_export(object, 'global/9764'), lo_unlink(object);
			INSERT INTO flips SELECT bit, problem FROM kid_stats() LIMIT 1;
		END LOOP;
	END $$;
	SELECT count(*), count(*) FILTER (WHERE problem = 'page of the bounds of IDs is damaged') FROM flips}),
	'1472|1472', 'without data checksums, each flipped bit of the content is found');
write_file($good);

# The page is not written anew below the ID of a row, neither if kid nor if PostgreSQL rejects it.
sql(q{CREATE TABLE ids (id kid64 PRIMARY KEY); INSERT INTO ids VALUES (kid64_floor(now() + interval '30 min'))});
foreach my $byte (24, 10)
{
	like(error_of_start(flip($byte), 'SELECT kid_reset_clock(now())'),
		qr{ERROR:  55000: rows have IDs after .*\nDETAIL:  public\.ids\.id: .*\nHINT:  .* with a later time},
		"byte $byte changed: a row with a later ID is found");
	$node->stop;
	write_file($good);
	$node->start;
}
sql('DROP TABLE ids');

# Sizes of the file, and a first start, which begins with the clock and logs a message.
sub starts_anew
{
	my ($name, $change, $what) = @_;
	my $message = 'LOG:  IDs start from the system clock, as no bound of earlier IDs was found';
	my $as_first = qr{$message\n.*DETAIL:  File "\Q$path\E" $what\.\n.*HINT:  .*call kid_observe_all\(\)};
	$node->set_clock('+1h');
	sql('SELECT kid_next()');
	$node->set_clock('+0');
	my $before = -s $node->logfile;
	is(error_of_start($change), '', "$name: IDs are made");
	is(sql(q{SELECT kid_timestamp(kid_next()) < clock_timestamp() + '2 s'}), 't',
		"$name: IDs start from the clock, as in a first start");
	like(substr(slurp_file($node->logfile), $before), $as_first,
		"$name: a message in the log says that IDs start from the clock");
	return;
}
starts_anew('truncated to nothing', sub { write_file('') }, 'is empty');
starts_anew('zeroes', sub { write_file("\0" x $block_size) }, 'contains only zeroes');
starts_anew('the file is deleted', sub { unlink $path or die $! }, 'does not exist');
my $half = $block_size / 2;
starts_anew('half of a page of zeroes, as on a full disk', sub { write_file("\0" x $half) }, 'contains only zeroes');
like(error_of_start(sub { write_file(substr(slurp_file($path), 0, $half)) }), $damaged, 'half a page');
mend('half a page');

# Data checksums also detect a change outside of the content.
$node->stop;
unlink $path;
system_or_bail('pg_checksums', '--enable', '--no-sync', '-D', $node->data_dir);
$node->start;
sql('SELECT kid_next(), flake_next(), sno_next()');
foreach my $byte (8, 12, 24, 40, 47, 104, 167, 168, $block_size - 1)
{
	like(error_of_start(flip($byte)), qr{ERROR:  XX001: }, "with checksums, byte $byte changed: an error");
	like(error_of('SELECT flake_next()'), qr{XX001},
		"with checksums, byte $byte changed: an error in the next session, too");
	like(error_of(q{SELECT kid_reset_clock(now() + interval '1 day')}), qr{XX001: },
		"with checksums, byte $byte changed: the page is not written anew for a time that is far ahead");
	like(error_of('SELECT flake_next()'), qr{XX001: },
		"with checksums, byte $byte changed: after a rejected reset the page is still damaged");
	mend('with checksums');
}

# The page is damaged while the server runs, and read again because it was evicted from shared buffers.
# The server still knows the last IDs then.
$node->append_conf('postgresql.conf', "shared_buffers = 16\n");
$node->restart;
sql(q{SELECT kid_observe(kid64_floor(now() + interval '30 min'))});
$id = sql('SELECT kid_next()::bigint');
sql('CHECKPOINT; CREATE TABLE pages AS SELECT repeat(n::text, 500) FROM generate_series(1, 2000) n');
flip(40)->();
like(error_of(q{SELECT count(*) FROM pages; SELECT kid_observe(kid64_floor(now() + interval '40 min'))}),
	qr{XX001: invalid page},
	'a page damaged while the server runs gives an error');
sql('SELECT kid_reset_clock(now() + interval \'1 day\')');
is(sql(qq{SELECT kid_next()::bigint > $id, kid_timestamp(kid_next()) < clock_timestamp() + '31 min'}), 't|t',
	'after the page was damaged and repaired in a running server, IDs continue as before');
$node->stop('immediate');
$node->start;
is(sql(qq{SELECT kid_next()::bigint > $id, kid_timestamp(kid_next()) < clock_timestamp() + '31 min'}), 't|t',
	'after the repair and a crash, IDs continue as before');
$node->append_conf('postgresql.conf', "shared_buffers = '16MB'\n");
sql('SELECT kid_reset_clock(now())');

# A single-user server continues from the bound, and so does the server after it.
$id = sql('SELECT kid_next()::bigint');
$node->stop;
my ($stdout, $stderr) = ('', '');
IPC::Run::run([ 'postgres', '--single', '-D', $node->data_dir, 'postgres' ],
	'<', \"SELECT kid_next()::bigint AS id\n", '>', \$stdout, '2>', \$stderr);
my ($single) = $stdout =~ /id = "(\d+)"/;
cmp_ok($single, '>', $id, 'a single-user server continues above the bound');
$node->start;
cmp_ok(sql('SELECT kid_next()::bigint'), '>', $single,
	'the next server continues above the IDs of the single-user server');

# Only the file is damaged, and shared buffers still have the page: a reset writes this page once more.
$id = sql('SELECT kid_next()::bigint');
sql('CHECKPOINT');
$page = read_bounds();
flip(40)->();
my $problem = 'SELECT DISTINCT problem FROM kid_stats()';
is(sql($problem), 'page of the bounds of IDs is damaged', 'damage of the file is seen while a buffer has the page');
like(($node->psql('postgres', q{SELECT kid_reset_clock(now() + interval '1 day')}))[2],
	qr{page of the bounds of IDs was written anew}, 'a reset writes the page');
sql('CHECKPOINT');
is(sql($problem), '', 'and a checkpoint repairs the file');
is(read_bounds()->{kid}, $page->{kid}, 'with the bound that it had');
cmp_ok(sql('SELECT kid_next()::bigint'), '>', $id, 'IDs continue');

# Many sessions with a short lease: one session renews it in time while the others continue.
$node->append_conf('postgresql.conf', "kid.lease = '100ms'\n");
$node->stop;
unlink $path;
$node->set_clock('+1m');
$node->start;
sql('CREATE UNLOGGED TABLE ids (id kid64)');
$node->pgbench('-n -c 8 -j 2 -T 4', 0, [qr{processed}], [qr{^$}], 'eight sessions with a short lease',
	{ 'renew' => q{INSERT INTO ids SELECT kid_next() FROM generate_series(1, 1000)} });
my ($count, $distinct, $renewals) = split /[|]/,
  sql(q{SELECT count(*), count(DISTINCT id), (SELECT renewals FROM kid_stats() WHERE clock = 'kid') FROM ids});
is($distinct, $count, "a short lease: no duplicate among $count IDs");
cmp_ok($renewals, '>=', 5, "a short lease was renewed often enough: $renewals times");
cmp_ok($renewals, '<=', 200, 'a short lease was not renewed by each session');

# A server without a lease.
$node->stop;
unlink $path or die $!;
$node->append_conf('postgresql.conf', "kid.lease = 0\nwal_level = replica\nmax_wal_senders = 1\n");
$node->start;
is(sql('SELECT count(DISTINCT kid_next()) FROM generate_series(1, 100)'), 100, 'kid.lease = 0: IDs are made');
is(sql(q{SELECT count(lease_until), sum(renewals) FROM kid_stats()}), '0|0', 'kid.lease = 0: there is no bound');

# Each session that ends writes the bound, so it holds after a planned stop. So does a walsender that runs SQL.
my $made = q{SELECT kid_next()::bigint, flake_next()::bigint, sno_next(), kid_uuidv7(), kid53_next()};
my $above = sub {
	my ($last, $flake, $sno, $uuid, $kid53) = split /[|]/, $_[0];
	return sql("SELECT kid_next()::bigint > $last, flake_next()::bigint > $flake, sno_next() > '$sno',
		kid_uuidv7() > '$uuid', kid53_next() > $kid53");
};
foreach my $lease ('0', "'1s'")
{
	my $last = $node->safe_psql('postgres', $made, $lease eq '0' ? () : (replication => 'database'));
	$node->append_conf('postgresql.conf', "kid.lease = $lease\n");
	$node->stop;
	$node->set_clock($lease eq '0' ? '+57s' : '+67s');    # 3 s back
	$node->start;
	is($above->($last), 't|t|t|t|t',
		"from kid.lease = 0 to $lease: after a planned stop and a step back, IDs continue");
	next if $lease ne '0';
	# The lease was on, as the clock was behind.
	$node->set_clock('+70s');
	$node->restart;
	is(sql('SELECT count(kid_next()), (SELECT count(lease_until) FROM kid_stats()) FROM generate_series(1, 10)'),
		'10|0', 'the lease is off again');
}
$node->set_clock('+0');
sql('SELECT kid_reset_clock(now())');

# A change of the lease takes effect at a restart. A change of the lease never lowers the bounds in the page.
sub restart_with_lease
{
	my ($lease) = @_;
	$node->append_conf('postgresql.conf', "kid.lease = $lease\n");
	$node->restart;
	return;
}
restart_with_lease("'1s'");
$node->set_clock('+30m');
my $bounded = sql('SELECT kid_next()::bigint, flake_next()::bigint, kid53_next()');
$node->set_clock('+0');
sql('SELECT sno_next()');
restart_with_lease(0);
my ($kid, $other, $number) = split /[|]/, $bounded;
my $without = sql('SELECT kid_next()::bigint, flake_next()::bigint, kid53_next(), kid_uuidv7() IS NOT NULL,
	sno_next() IS NOT NULL');
is(sql("SELECT kid_next()::bigint > $kid, flake_next()::bigint > $other, kid53_next() > $number,
		(SELECT count(lease_until) FROM kid_stats())"), 't|t|t|5',
	'kid.lease = 0, but the bounds are ahead of the system clock: IDs start above them, with a lease');
my @ids = map { $node->restart; sql('SELECT kid_next()::bigint') } 1 .. 3;
ok($ids[0] < $ids[1] && $ids[1] < $ids[2], 'kid.lease = 0, bounds ahead: three starts in a row have rising IDs');
$node->set_clock('+40m');
$node->restart;
is(sql("SELECT kid_next()::bigint > $kid, flake_next()::bigint > $other, kid53_next() > $number,
		(SELECT count(lease_until) FROM kid_stats())"), 't|t|t|0',
	'kid.lease = 0, and the bounds are not ahead any more: IDs have no lease');
$page = read_bounds();
cmp_ok($page->{kid}, '>', $kid, 'kid.lease = 0: the page stays as it is');
$node->append_conf('postgresql.conf', "kid.lease = '5s'\n");
$node->reload;
$node->poll_query_until('postgres', "SELECT kid_next() IS NOT NULL AND current_setting('kid.lease') = '5s'") or die;
is(sql('SELECT count(lease_until) FROM kid_stats()'), '0',
	'after kid.lease = 0 a reload does not begin a lease');
cmp_ok(read_bounds()->{kid}, '>=', $page->{kid}, 'after kid.lease = 0 a reload does not lower a bound');
$node->stop('immediate');
$node->start;
is(sql("SELECT kid_next()::bigint > $kid, flake_next()::bigint > $other, kid53_next() > $number,
		(SELECT count(lease_until) FROM kid_stats())"), 't|t|t|3', 'after kid.lease = 0 a restart begins the lease');
# Half of it has passed, but not all: a call renews it early.
my $until = sql(q{SELECT lease_until FROM kid_stats() WHERE clock = 'kid'});
usleep(3_000_000);
is(sql(qq{SELECT kid_next() IS NOT NULL; SELECT lease_until > '$until' FROM kid_stats() WHERE clock = 'kid'}),
	"t\nt", 'half-way, the lease is renewed');
$node->append_conf('postgresql.conf', "kid.lease = '1h'\n");
$node->reload;
$node->poll_query_until('postgres', "SELECT current_setting('kid.lease') = '1h' FROM kid_stats() LIMIT 1") or die;
sql('SELECT kid_uuidv7()');
is(sql(q{SELECT lease_until - clock_timestamp() < interval '1 min' FROM kid_stats() WHERE clock = 'uuidv7'}),
	't', 'a reload does not make the lease longer');
$node->set_clock('+50m');
restart_with_lease(0);
$node->set_clock('+0');
sql('SELECT kid_reset_clock(now())');
$page = read_bounds();
cmp_ok($page->{kid}, '<', $kid, 'a reset lowers the bounds, even without a lease');
cmp_ok($page->{kid53}, '<', $number, 'that of kid53, too');
restart_with_lease("'1s'");

# A write of the page logs only the 200 bytes in use, not all 8 kB.
is(sql(q{
	SELECT min(bytes) BETWEEN 176 AND 1000 FROM (SELECT lsn - lag(lsn) OVER (ORDER BY n) AS bytes FROM (
		SELECT n, kid_observe(kid64_floor(now() + n * interval '1 min')), pg_current_wal_insert_lsn() AS lsn
			FROM generate_series(1, 5) n OFFSET 0) one) each}),
	't', 'a new bound takes at most 1 kB of WAL');

# kid_stats() shows damage before any call fails.
is(sql('SELECT DISTINCT problem IS NULL FROM kid_stats()'), 't', 'kid_stats() shows no problem');
$node->stop;
foreach my $change (flip(40), sub { write_file("\1" x 100) }, flip(8191))
{
	my $content = slurp_file($path);
	$change->();
	$node->start;
	is(sql(q{SELECT string_agg(DISTINCT problem, '') FROM kid_stats()}), 'page of the bounds of IDs is damaged',
		'kid_stats() shows a damaged page');
	$node->stop;
	write_file($content);
}
$node->start;
is(sql('SELECT kid_next() IS NOT NULL, (SELECT count(problem) FROM kid_stats())'), 't|0',
	'calling kid_stats() does not change the page: restored, it works again');

# The page cannot be written: a call that needs it fails, and kid_stats() shows a problem, until the page
# can be written.
$node->stop;
unlink $path or die $!;
$node->start;
my $directory = $node->data_dir . '/global';
chmod 0555, $directory or die $!;
like(error_of('SELECT kid_next()'), qr{42501: could not create file "global/9764"},
	'kid_next() fails if the page cannot be created');
is(sql(q{SELECT string_agg(DISTINCT problem, '') FROM kid_stats()}),
	'page of the bounds of IDs could not be written, see the server log',
	'kid_stats() shows that the page could not be written');
chmod 0700, $directory or die $!;
is(sql('SELECT kid_next() IS NOT NULL, (SELECT count(problem) FROM kid_stats())'), 't|0',
	'kid_stats() shows no problem after the page could be written');
$node->stop;

done_testing();
