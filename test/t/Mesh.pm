# Runs the statements of docs/guides/many-servers.md on the servers that they name. A test puts its servers into %node.
package Mesh;
use strict;
use warnings;
use Dialogue;
use Exporter 'import';
use Test::More;
use Time::HiRes qw(usleep);

our @EXPORT = qw(%node wait_until statements_of run_block);
our %node;    # the servers, by their names on the pages

# Tests that a query becomes true on a server.
sub wait_until { my ($node, $query, $what) = @_; return ok($node->poll_query_until('postgres', $query), $what) }

# Returns the statements of a block of the page, each with the server to run it on, and with the number of its part. A
# comment before each part names the server. `$as` says which servers the names of the page stand for: {c => 'd', b =>
# ['b', 'c']}. A statement that names b runs for each of several.
sub statements_of
{
	my ($block, $as) = @_;
	my (@result, $count);
	foreach my $part (split /^(?=-- \w[:,])/m, $block)
	{
		my ($first, $body) = $part =~ /\A-- (\w)[^\n]*\n(.*)\z/s or die "no server: $part";
		$count++;
		foreach my $statement ($body =~ /^(\S.*?;[^\n]*)\n(?=\S|\s*\z)/msg)
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

my ($time, %position);

# Runs the statements of a block. The statements of a part share a session on each server. They are in the database shop
# on the page, and here in postgres. `before`, if given, is called before each statement. Dies after an error, or a
# warning that the page does not announce.
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
		$statement =~ s/'host=(\w+) dbname=shop'/"'" . $node{$1}->connstr . " dbname=postgres'"/e;
		$statement =~ s/'2026-11-22 12:00:03[^']*'/'$time'/;
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
		$time = $result if $statement =~ /kid_timestamp\(kid_next/;
		$position{$subscription} = $result || '0/0' if $statement =~ /pg_replication_origin_progress/;
	}
	close_session($_) foreach values %session;
	return;
}

1;
