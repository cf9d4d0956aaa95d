# The lease file: written before IDs go past it, found again after a shutdown and a crash, damaged, not writable.
use strict;
use warnings;
use FakeClock;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = FakeClock->new('main');
$node->init;
$node->start;
$node->sql('CREATE EXTENSION kid');
my $path = $node->data_dir . '/kid.lease';

# What src/pg/lease.cpp says is in it.
sub read_lease
{
	my @names = qw(magic version reserved system kid flake sno safe);
	my %lease;
	@lease{@names} = unpack('a8 L L Q Q Q Q Q', slurp_file($path));
	return \%lease;
}

sub write_file
{
	my ($bytes) = @_;
	open my $file, '>:raw', $path or die $!;
	print $file $bytes;
	close $file;
	return;
}

ok(!-e $path, 'no ID, no lease');
my $id = $node->sql('SELECT kid_next()::bigint');
is(-s $path, 64, 'the lease file');
my $lease = read_lease();
is($lease->{system}, $node->sql('SELECT system_identifier FROM pg_control_system()'), 'of this cluster');
cmp_ok($lease->{kid}, '>', $id, 'it is past the first ID');
is($node->sql("SELECT kid_timestamp($lease->{kid}::bigint::kid64) - kid_timestamp(${id}::bigint::kid64)
				BETWEEN interval '0.8 s' AND interval '1.005 s'"), 't', 'by the length of the lease');
is("$lease->{flake} $lease->{sno}", '0 0', 'and of no other clock');

# A start begins at the bound, preloaded or not. The clock is an hour behind.
$node->set_clock('-1h');
$node->restart;
cmp_ok($node->sql('SELECT kid_next()::bigint'), '>', $lease->{kid}, 'a start begins at the bound');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'kid'\n");
$node->restart;
($id, my $flake, my $sno) = split /[|]/, $node->sql('SELECT kid_next()::bigint, flake_next()::bigint, sno_next()');
$node->restart;
is($node->sql("SELECT kid_next()::bigint > $id, flake_next() > '$flake', kid_timestamp(sno_next()) >= kid_timestamp('$sno'::sno)"),
	't|t|t', 'preloaded, too');
$id = $node->sql('SELECT kid_next()::bigint');
$node->stop('immediate');
$node->set_clock('-3h');
$node->start;
cmp_ok($node->sql('SELECT kid_next()::bigint'), '>', $id, 'after an immediate shutdown, too');
is($node->sql(q{SELECT last_issued - clock_timestamp() > interval '1 h 59 min' FROM kid_stats WHERE clock = 'kid'}), 't',
	'IDs are ahead of the clock then');
$node->set_clock('+0');

# One byte that is not as it was, in any place; and other sizes.
$node->restart;
my $good = slurp_file($path);
sub damaged
{
	my ($bytes, $detail) = @_;
	write_file($bytes);
	my ($status, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT kid_next()");
	return $stderr =~ qr{ERROR:  XX001: lease file "kid.lease" of kid is damaged\nDETAIL:  $detail\nHINT:  .*remove the file}
	  && $stdout eq '';
}
my @missed = grep { my $byte = $_; grep { !damaged($good ^ ("\0" x $byte . chr($_) . "\0" x (63 - $byte)), '.*') } (1, 0x80, 0xff) } 0 .. 63;
is("@missed", '', 'each of 64 bytes with one, another and all bits flipped is detected');
ok(damaged('', 'It has fewer bytes than 64.'), 'empty');
ok(damaged(substr($good, 0, 63), 'It has fewer bytes than 64.'), 'short');
ok(damaged("$good\0", 'It has more bytes than 64.'), 'long');
ok(damaged("\0" x 64, 'It does not begin as a lease file does.'), 'zeroes');
my $other = FakeClock->new('other');
$other->init;
$other->start;
$other->sql('CREATE EXTENSION kid; SELECT kid_next()');
ok(damaged(slurp_file($other->data_dir . '/kid.lease'), 'It is of the cluster \d+, and this is \d+\.'), 'of another cluster');
$other->stop;
like($node->error_of('SELECT flake_next()'), qr{XX001}, 'no clock starts');
like($node->error_of('SELECT kid_observe(kid64_floor(now()))'), qr{XX001}, 'or can be moved');
is($node->sql(q{SELECT kid_timestamp(kid64_make('2026-11-21', 0)) = '2026-11-21', kid64_at(now()) IS NOT NULL, flax_next() IS NOT NULL}),
	't|t|t', 'what needs no clock works');
is($node->sql(q{SELECT count(*), count(last_issued), count(lease_until) FROM kid_stats}), '3|0|0', 'as does kid_stats');
write_file($good);
cmp_ok($node->sql('SELECT kid_next()::bigint'), '>', $id, 'with the file of before it goes on');

# The lease cannot be renewed. A file that may not be written, then a disk that is full; the clock is the real one.
$node->append_conf('postgresql.conf', "kid.lease = '2s'\n");
$node->restart;
sub last_before_failure
{
	my ($state) = @_;
	my ($last, $stderr) = (0, '');
	for (1 .. 400)
	{
		(my $status, my $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT kid_next()::bigint");
		last if $stderr =~ /ERROR/;
		$last = $stdout;
		usleep(10_000);
	}
	like($stderr, qr{ERROR:  $state: could not (open|write) file "kid.lease": }, "an error that says what failed, $state");
	return $last;
}
$node->sql('SELECT kid_next()');
chmod 0400, $path or die $!;
my $bound = read_lease()->{kid};
my $last = last_before_failure('42501');
cmp_ok($last, '>', 0, 'IDs are issued up to the bound');
cmp_ok($last, '<=', $bound, 'none is beyond it');
is($node->sql("SELECT kid_timestamp(${bound}::bigint::kid64) - kid_timestamp(${last}::bigint::kid64) < interval '500 ms'"), 't',
	'which the first failures, in good time, did not prevent');
like(slurp_file($node->logfile), qr{LOG:  could not open file "kid.lease"}, 'but reported');
chmod 0600, $path or die $!;
cmp_ok($node->sql('SELECT kid_next()::bigint'), '>', $bound, 'goes on without a restart');
$bound = read_lease()->{kid};
rename $path, "$path.aside" or die $!;
symlink '/dev/full', $path or die $!;
cmp_ok(last_before_failure('53100'), '<=', $bound, 'no ID is beyond the bound');
like($node->error_of('SELECT sno_next()'), qr{53100}, 'of a clock that had no lease, none at all');
rename "$path.aside", $path or die $!;
cmp_ok($node->sql('SELECT kid_next()::bigint'), '>', $bound, 'goes on without a restart');

# Many sessions, a short lease: it is renewed in good time, by one while the others go on.
$node->append_conf('postgresql.conf', "kid.lease = '100ms'\n");
$node->stop;
usleep(2_000_000);
$node->start;
$node->sql('CREATE UNLOGGED TABLE ids (id kid64)');
$node->pgbench('-n -c 8 -j 2 -T 4', 0, [qr{processed}], [qr{^$}], 'eight sessions with a short lease',
	{ 'renew' => q{INSERT INTO ids SELECT kid_next() FROM generate_series(1, 1000)} });
my ($count, $distinct, $renewals) = split /[|]/,
  $node->sql(q{SELECT count(*), count(DISTINCT id), (SELECT renewals FROM kid_stats WHERE clock = 'kid') FROM ids});
is($distinct, $count, "no duplicate among $count");
cmp_ok($renewals, '>=', 40, 'renewed');
cmp_ok($renewals, '<=', 200, 'and not by each session');

# No lease.
$node->stop;
unlink $path or die $!;
$node->append_conf('postgresql.conf', "kid.lease = 0\n");
$node->start;
is($node->sql('SELECT count(DISTINCT kid_next()) FROM generate_series(1, 100)'), 100, 'kid.lease = 0: IDs');
is($node->sql(q{SELECT count(lease_until), sum(renewals) FROM kid_stats}), '0|0', 'without a bound');
$node->stop;
ok(!-e $path, 'and a file');

done_testing();
