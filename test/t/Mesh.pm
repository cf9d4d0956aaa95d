# Runs the statements of docs/guides/many-servers.md on the servers that they name. A test puts its servers into %node.
package Mesh;
use strict;
use warnings;
use Dialogue;
use Exporter 'import';
use IPC::Run ();
use Test::More;
use Time::HiRes qw(usleep);

our @EXPORT = qw(%node wait_until catch_up statements_of run_block run_section);
our %node;    # the servers, by their names on the pages

# Tests that a query becomes true on a server.
sub wait_until { my ($node, $query, $what) = @_; return ok($node->poll_query_until('postgres', $query), $what) }

# Waits until each server has what the others sent, by subscriptions such as a_from_b.
sub catch_up
{
	my @nodes = @_;
	foreach my $from (@nodes)
	{
		$from->wait_for_catchup($_->name . '_from_' . $from->name) foreach grep { $_ != $from } @nodes;
	}
	return;
}

# The beginning of a comment that names a server, such as "-- a:", "-- b, as a superuser:" or "-- on paris:"
my $server = qr/-- (?:on \w+|\w)(?=[:,])/;

# Returns the statements of a block of the page, each with the server to run it on, and with the number of its part. A
# comment before each part names the server. `$as` says which servers the names of the page stand for: {c => 'd', b =>
# ['b', 'c']}. A statement that names b runs for each of several.
sub statements_of
{
	my ($block, $as) = @_;
	my (@result, $count);
	foreach my $part (split /^(?=$server)/m, $block)
	{
		my ($first, $body) = $part =~ /\A-- (?:on )?(\w+)[^\n]*\n(.*)\z/s or die "no server: $part";
		$count++;
		foreach my $statement ($body =~ /^(\S.*?;[^\n]*)\n(?=\n|\S|\z)/msg)
		{
			my %name = map { $_ => 1 } $first, $statement =~ /\b(\w)_from_/g, $statement =~ /_from_(\w)\b/g,
			  $statement =~ /host=(\w)\b/g;
			foreach my $b ($name{b} ? @{ $as->{b} // ['b'] } : undef)
			{
				my %of = (%$as, defined $b ? (b => $b) : ());
				my $for = $statement =~ s/\b\w(?=_from_)|(?<=_from_)\w\b|(?<=host=)\w\b/$of{$&} \/\/ $&/ger;
				push @result, [ $of{$first} // $first, $for, $count ];
			}
		}
	}
	return @result;
}

my ($time, $greatest, %position);

# Replaces the servers and values of the page by those of the test. The database shop of the page is postgres here.
sub with_values
{
	my ($text) = @_;
	$text =~ s{host=(\w+) dbname=shop}{$node{$1}->connstr . ' dbname=postgres'}ge;
	$text =~ s/'2026-11-22 12:00:03[^']*'/'$time'/g;
	$text =~ s/'\.6\.nef3Mk\.3'/'$greatest'/g;
	return $text;
}

# Runs the statements of a block. The statements of a part share a session on each server. `before`, if given, is called
# before each statement. Dies after an error, or a warning that the page does not announce.
sub run_block
{
	my ($block, $as, $before) = @_;
	my %session;
	my @statements = statements_of($block, $as // {});
	cmp_ok(scalar @statements, '>', 0, 'statements of the page run');
	foreach (@statements)
	{
		my ($name, $statement, $part) = @$_;
		my $node = $node{$name} or die "no server $name";
		my $session = $session{"$part $name"} //= open_session($node);
		$statement = with_values($statement);
		my ($subscription) = $statement =~ /'(\w_from_\w)'/;
		($subscription) = $statement =~ /slot_name = '(\w_from_\w)'/ if $statement =~ /slot_advance/;
		$statement =~ s/'0\/1C6F2A8'/'$position{$subscription}'/;
		$before->($name, $statement) if $before;
		my $result;
		for my $attempt (1 .. 1800)
		{
			$result = answer($session, $statement);
			die "$name: $statement\n$result" if $result =~ /^(?:psql:\S+ )?ERROR/m;
			# The page announces each warning.
			die "$name: $statement\n$result" if ($result =~ /WARNING:/) != ($statement =~ /-- a WARNING:/);
			last if $result eq 't' || $statement !~ /repeat it until it is true/;
			die "not true: $statement" if $attempt == 1800;
			usleep(100_000);
		}
		$greatest = $result if $statement =~ /^SELECT max\(id\)/;
		$time = $result if $statement =~ /kid_timestamp\(kid_next/;
		$position{$subscription} = $result || '0/0' if $statement =~ /pg_replication_origin_progress/;
	}
	close_session($_) foreach values %session;
	return;
}

# Runs the blocks of SQL and of the shell in a part of the page, in their order.
sub run_section
{
	my ($text) = @_;
	while ($text =~ /^```(sql|sh)\n(.*?)^```$/msg)
	{
		my ($language, $block) = ($1, $2);
		run_block($block), next if $language eq 'sql';
		IPC::Run::run([ 'sh', '-ec', with_values($block) ], '>', \my $output, '2>', \my $errors);
		is("$?: $errors", '0: ', 'commands of the page run');
	}
	return;
}

1;
