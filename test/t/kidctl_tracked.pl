# kidctl rekey of a table that kid_track() tracks: the swap ends the tracking, so consumers stop. check says so, and how
# they go on. In the extension and in plain SQL.
use strict;
use warnings;
use Kidctl;
use Sql;
use Test::More;

my $node = kidctl_server();
$node->safe_psql('postgres', 'CREATE ROLE shop LOGIN');

# Runs kidctl without a rehearsal, as the owner of a database.
sub kidctl
{
	my ($database, $action, @options) = @_;
	return must_run_kidctl(connection_as($node, $database, 'shop'), 'rekey', $action, 'messages', '--no-rehearsal',
		@options) =~ s/\s+/ /gr;
}

# Returns what a statement of the owner prints, or its error.
sub ask
{
	my ($database, $statement) = @_;
	my ($stdout, $stderr);
	my $status = $node->psql($database, "SET ROLE shop; $statement", stdout => \$stdout, stderr => \$stderr);
	return $status ? $stderr =~ s/^psql:\S* //r : $stdout;
}

my $horizon = q{CALL kid_horizon('messages', NULL)};
my $insert = q{INSERT INTO messages (item) VALUES ('new') RETURNING id};
my $is_next = q{SELECT max(id) + 1 FROM messages};

foreach my $is_plain (0, 1)
{
	my ($database, $edition) = $is_plain ? ('plain', 'plain SQL') : ('extension', 'the extension');
	create_database($database, 'shop', $is_plain);
	$node->safe_psql($database, "GRANT CREATE ON DATABASE $database TO shop;"
		  . ($is_plain ? 'GRANT EXECUTE ON FUNCTION kid.kid64_at(timestamptz), kid.kid53_at(timestamptz) TO shop' : '')
	);
	is(ask($database, q{CREATE TABLE messages (id bigserial PRIMARY KEY, item text);
		INSERT INTO messages (item) VALUES ('old')}), '', "there is a table in $edition");
	unlike(kidctl($database, qw(check --new-rows-only)), qr/kid_track|kid_untrack/,
		'check says nothing of consumers, as the table is not tracked');
	ask($database, q{SELECT kid_track('messages', reject => true)});
	is(ask($database, $horizon), 2, 'consumers read it');

	foreach my $to ('kid53', 'bigint')
	{
		my @options = ('--new-rows-only', '--to', $to);
		my $told = kidctl($database, 'check', @options);
		like($told, qr/ clients: .* public\.messages: is tracked by kid_track\(\), which the swap ends: /,
			"a swap to $to: check says that consumers stop");
		unlike($told, qr/function kid\.|functions: /, 'and of no function of kid');
		kidctl($database, 'run', @options);
		kidctl($database, 'swap');
		like(ask($database, $insert), qr/^\d{15,17}$/, 'inserts go on');
		like(ask($database, $horizon), qr/^ERROR:  table public\.messages is not tracked/, 'and consumers stop');
		if ($is_plain)
		{
			my ($statements) = $told =~ / run (SET lock_timeout .*?;) Try again until/;
			is($statements, q{SET lock_timeout = '2s'; SELECT kid.kid_track('public.messages', reject => true);},
				'check has printed the statements');
			is(ask($database, $statements), '', 'which the owner runs');
			is(ask($database, $horizon), ask($database, $is_next), 'and consumers go on');
			kidctl($database, 'back');
			like(ask($database, $horizon), qr/^ERROR:  table public\.messages is not tracked/,
				'they stop after a way back');
			is(ask($database, $statements), '', 'after which the owner runs the same');
		}
		else
		{
			my $untrack = quotemeta(q{SELECT public.kid_untrack('public.messages');});
			my ($function) = $told =~ / let consumers read up to (\S+)\. After `finish`, run $untrack/;
			is($function, $to eq 'kid53' ? 'kid53_horizon()' : 'kid_horizon()::bigint',
				'check has printed up to what consumers read');
			is(ask($database, "SELECT count(*) FROM messages WHERE id >= $function"), 0, 'and then they see all rows');
			kidctl($database, 'back');
		}
		ask($database, $insert);
		is(ask($database, $horizon), ask($database, $is_next), 'after a way back consumers go on');
	}
	is(ask($database, q{ALTER TABLE messages ADD made timestamptz NOT NULL DEFAULT now()}), '', 'there is a time');
	my $told = kidctl($database, qw(check --time made --triggers run));
	like($told, qr/ is tracked by kid_track\(\).* The cursors of consumers then contain old keys\./,
		'a move of all rows: check tells of consumers and of their cursors');
	unlike($told, qr/function kid\./, 'and of no function of kid');
	ask($database, q{ALTER TABLE messages ALTER id SET DEFAULT kid_next()::bigint});
	unlike(kidctl($database, qw(check --new-rows-only --to bigint)), qr/is tracked by/,
		'nor of consumers if the default stays as it is');
}

done_testing();
