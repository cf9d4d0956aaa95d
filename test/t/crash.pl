# In 25 rounds, four sessions make IDs, the server is killed at a random moment, and the clock is moved by up to two
# hours in either direction before the next start. No ID that a client was given repeats, committed or not. The IDs
# of kid64, kid53, flake and uuid are above all earlier ones. kid is preloaded in the second half. KID_ROUNDS=4 makes it
# 100 rounds, and KID_SEED repeats a run.
# Promise: A server never again issues an ID
# Promise: A server that stopped and started
use strict;
use warnings;
use FakeClock;
use Failure;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::HiRes qw(usleep);

my $rounds = 25 * ($ENV{KID_ROUNDS} // 1);
my $seed = $ENV{KID_SEED} // time;
srand $seed;
note "KID_SEED=$seed";

my $node = FakeClock->new('main');
$node->init;
$node->append_conf('postgresql.conf', "kid.max_wait = '20ms'\nmax_wal_size = 4GB\nrestart_after_crash = on\n");
$node->start;
use_database($node);
sql('CREATE EXTENSION kid;
			CREATE TABLE ids (kid kid64 UNIQUE DEFAULT kid_next(), kid53 bigint UNIQUE DEFAULT kid53_next(),
				flake flake UNIQUE DEFAULT flake_next(), uuid uuid UNIQUE DEFAULT kid_uuidv7());
			CREATE TABLE snos (sno sno UNIQUE DEFAULT sno_next())');

# Each line that a session prints is an ID it was given. sno_next() may have to wait for the clock, and then fails.
my $statements = join '', ("INSERT INTO ids DEFAULT VALUES RETURNING kid::bigint, kid53, flake::bigint, uuid;\n"
	  . "SELECT kid_next()::bigint, kid53_next(), flake_next()::bigint, kid_uuidv7();\n" .
	  "SELECT sno_next();\n" . "INSERT INTO snos DEFAULT VALUES RETURNING sno;\n") x 5000;
my $script = $node->basedir . '/statements.sql';
append_to_file($script, $statements);

my (%highest, %sno);
my %count = (kid => 0, kid53 => 0, flake => 0, sno => 0, uuid => 0);
my (@low, $repeated, $sno_failed);
foreach my $round (1 .. $rounds)
{
	my @sessions;
	foreach my $n (1 .. 4)
	{
		my ($stdout, $stderr) = ('', '');
		my $handle = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', $script ],
			'>', \$stdout, '2>', \$stderr, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
		push @sessions, { handle => $handle, stdout => \$stdout, stderr => \$stderr };
	}
	# Until they have printed so many bytes: from a hundred to a thousand lines.
	my $until = 10_000 + rand 80_000;
	while ($until > length join '', map { ${ $_->{stdout} } } @sessions)
	{
		$_->{handle}->pump_nb foreach @sessions;
		usleep(5000);
	}
	# In some rounds, instead of killing the server, kill one backend, after which the server restarts by
	# itself, or stop the server.
	if ($round % 6 == 3)
	{
		my ($backend) = split /\n/, sql(q{SELECT pid FROM pg_stat_activity
			WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()});
		kill 'KILL', $backend;
	}
	elsif ($round % 6 == 5) { $node->stop('immediate'); }
	elsif ($round % 6 == 0) { $node->stop('fast'); }
	else { kill_server($node); }
	my %lowest;
	my %round_highest = %highest;
	foreach my $session (@sessions)
	{
		eval { $session->{handle}->finish; };
		# The last line may be cut.
		my @lines = split /\n/, ${ $session->{stdout} } =~ s/[^\n]*\z//r;
		foreach (@lines)
		{
			if (/^(\d+)\|(\d+)\|(\d+)\|([-0-9a-f]{36})$/)
			{
				# Padded so that all types sort as text.
				my %id = (uuid => $4);
				@id{qw(kid kid53 flake)} = map { sprintf('%020d', $_) } $1, $2, $3;
				foreach my $type (keys %id)
				{
					$lowest{$type} = $id{$type} if !defined $lowest{$type} || $id{$type} lt $lowest{$type};
					$round_highest{$type} = $id{$type}
					  if !defined $round_highest{$type} || $id{$type} gt $round_highest{$type};
					$count{$type}++;
				}
			}
			else
			{
				$repeated .= "round $round: $_\n" if $sno{$_}++;
				$count{sno}++;
			}
		}
		$sno_failed += () = ${ $session->{stderr} } =~ /clock is behind|used up/g;
	}
	foreach my $type (keys %lowest)
	{
		push @low, "round $round: $type $lowest{$type}" if defined $highest{$type} && $lowest{$type} le $highest{$type};
	}
	%highest = %round_highest;
	if ($round % 6 == 3)
	{
		wait_until_up($node);
		$node->stop('fast');
	}
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'kid'\n") if $round == int($rounds / 2);
	$node->set_clock(sprintf('%+d', -7200 + int rand 14400) . 's');
	$node->start;
}

note "checked $count{kid} kid64, $count{kid53} kid53, $count{flake} flake, $count{uuid} uuid, $count{sno} sno; ",
  $sno_failed // 0,
  ' calls of sno_next() failed, as they would have had to wait longer';
cmp_ok($count{$_}, '>', 50 * $rounds, "IDs were made: $count{$_} $_") foreach sort keys %count;
is("@low", '', 'in each round, kid64, kid53, flake and uuid are above all of earlier rounds');
is($repeated // '', '', 'no sno was given twice');
is(sql('SELECT max(kid) < kid_next() AND max(kid53) < kid53_next() AND max(flake) < flake_next()
		AND max(uuid::text)::uuid < kid_uuidv7()
		FROM ids'), 't', 'the next IDs are above all committed ones');

$node->stop;
done_testing();
