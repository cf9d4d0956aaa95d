# docs/guides/many-servers.md, step by step, on servers whose clocks differ by seconds, while clients write: a server
# joins, goes, its number is used again, and a copy of a server joins. No ID is made twice.
use strict;
use warnings;
use FakeClock;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $temporary = PostgreSQL::Test::Utils::tempdir;
my $page = slurp_file('docs/guides/many-servers.md');

# Returns the statements of the numbered steps after a sentence of the page: an array for each step.
sub steps_after
{
	my ($sentence) = @_;
	my ($steps) = $page =~ /\Q$sentence\E.*?\n\n(1\. .*?)\n\n/s or die "the page has no $sentence";
	return map { [ map { s/\s+/ /gr } /`((?:SELECT|ALTER|LOAD) [^`]*)`/g ] } split /^(?=\d\. )/m, $steps;
}
my @grow = steps_after('before the change:');
my @shrink = steps_after('**Lanes that shrink**');
my @join = (@{ $grow[0] }, @{ $grow[2] });
my ($again) = map { s/\s+/ /gr } $page =~ /\*\*If the new server gets a number.*?`(SELECT\s+kid_observe[^`]*)`/s or die;

# Starts a server with a clock, anew or as a copy of another one.
sub start_server
{
	my ($name, $clock, $origin) = @_;
	my $node = FakeClock->new($name);
	if ($origin)
	{
		$origin->backup($name);
		$node->init_from_backup($origin, $name);
	}
	else
	{
		$node->init(allows_streaming => 1);
	}
	$node->set_clock($clock);
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION kid') if !$origin;
	return $node;
}

# Runs statements in one session. Each "…" is replaced by the next of the values.
sub run
{
	my ($node, $statements, %with) = @_;
	my @values = @{ $with{values} // [] };
	my $sql = join '', map { "$_;\n" } @$statements;
	$sql =~ s/kid\.lanes = \d+/kid.lanes = $with{lanes}/;
	$sql =~ s/kid\.node = \d+/kid.node = $with{number}/;
	$sql =~ s/'…'/"'" . shift(@values) . "'"/ge;
	my $result = $node->safe_psql('postgres', $sql);
	ok($node->poll_query_until('postgres', "SELECT lanes = $with{lanes} AND node = $with{number} FROM kid_identity()"),
		'the lanes are in force: ' . $node->name) if $sql =~ /kid\.lanes/;
	return [ split /[|\n]/, $result ];
}

# What clients run, who write down the IDs they get
my (@clients, @ledgers);
my $script = "$temporary/script";
append_to_file($script, 'SELECT kid_next()::bigint, kid96_next(), flake_next()::bigint, sno_next(), kid53_next()
		FROM generate_series(1, 3), pg_sleep(0.01);' . "\n") for 1 .. 5_000;

# Starts clients of a server, and returns when each has an ID.
sub start_clients
{
	foreach my $node (@_)
	{
		foreach (1 .. 4)
		{
			my $ledger = "$temporary/ledger" . @ledgers;
			push @ledgers, $ledger;
			push @clients, [ $node, IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'),
						'-f', $script ], '>', $ledger, '2>', "$ledger.errors") ];
		}
	}
	# Until each has IDs.
	foreach my $ledger (@ledgers) { usleep(10_000) until -s $ledger }
	return;
}

# Ends the clients of a server.
sub end_clients
{
	my ($node) = @_;
	foreach (grep { $_->[0] == $node } @clients)
	{
		$_->[1]->kill_kill(grace => 2);
	}
	@clients = grep { $_->[0] != $node } @clients;
	$node->poll_query_until('postgres',
		q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'}) or die;
	return;
}

# Tests that no two clients got the same ID.
sub repeated
{
	my ($name) = @_;
	my (%seen, %repeated, $count);
	foreach my $ledger (@ledgers)
	{
		foreach (split /\n/, slurp_file($ledger) =~ s/[^\n]*\z//r)
		{
			my @ids = split /\|/;
			# The last line may be cut.
			next if @ids != 5;
			$count++;
			foreach (0 .. 4) { $repeated{ (qw(kid64 kid96 flake sno kid53))[$_] }++ if $seen{"$_ $ids[$_]"}++ }
		}
	}
	is(join(', ', map { "$repeated{$_} $_" } sort keys %repeated), '',
		"$name: none of $count IDs of each type is made twice");
	return;
}

my $first = start_server('first', '+0');
start_clients($first);
my $second = start_server('second', '-5');
run($first, $grow[0], lanes => 2, number => 0);
my $time = run($first, $grow[1]);
run($second, \@join, lanes => 2, number => 1, values => [ (@$time) x 2 ]);
start_clients($second);
repeated('a second server, whose clock is behind');

# The second server goes. Its clock is ahead, and has gone back.
$second->set_clock('+8');
usleep(1_000_000);
$second->set_clock('+3');
usleep(500_000);
end_clients($second);
my ($gone, @last) = @{ run($second, $shrink[0]) }[ 1 .. 3 ];
$second->stop;
run($first, $shrink[1], values => [ ($gone) x 2 ]);
run($first, $shrink[2], lanes => 1, number => 0);
usleep(1_000_000);
repeated('a server goes, whose clock is ahead');

# Another server gets its number.
my $third = start_server('third', '+0');
run($first, $grow[0], lanes => 2, number => 0);
$time = run($first, $grow[1]);
run($third, [ @join, $again ], lanes => 2, number => 1, values => [ (@$time) x 2, @last ]);
start_clients($third);
usleep(5_000_000);
repeated('its number is used again');

# A copy of a server has the settings of ALTER SYSTEM.
run($first, $grow[0], lanes => 4, number => 0);
run($third, $grow[0], lanes => 4, number => 1);
$time = run($first, $grow[1]);
my $copy = start_server('copy', '+0', $first);
run($copy, \@join, lanes => 4, number => 2, values => [ (@$time) x 2 ]);
start_clients($copy);
repeated('a copy of a server');
foreach (@ledgers) { unlike(slurp_file("$_.errors"), qr{ERROR}, 'clients have no errors') }
end_clients($_) foreach $first, $third, $copy;
$_->stop foreach $first, $third, $copy;
done_testing();
