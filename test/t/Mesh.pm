# Runs the statements of docs/guides/replication.md and docs/guides/replication-incidents.md on the servers that they name.
package Mesh;
use strict;
use warnings;
use Dialogue;
use Exporter 'import';
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

our @EXPORT = qw(%node %value sql wait_until statements_of run_block blocks_of begin_session);
our %node;    # the servers, by their names on the pages

sub sql { my ($node, $query, $database) = @_; return $node->safe_psql($database // 'postgres', $query) }
sub wait_until { my ($node, $query, $what) = @_; return ok($node->poll_query_until('postgres', $query), $what) }

# Returns the statements of a block of a page, each with the server to run it on, and with the number of its part. A comment
# before each part names the server. `$as` says which servers the names of the page stand for: {c => 'd', b => ['b', 'c']}. A
# statement that names b runs for each of several. "every server" are those of `every`, "each other server" all of these but
# the one that c stands for.
sub statements_of
{
	my ($block, $as) = @_;
	my (@result, $count);
	foreach my $part (split /^(?=-- [\w ]+[:,])/m, $block)
	{
		my ($head, $body) = $part =~ /\A-- ([^\n]*)\n(.*)\z/s or die "no server: $part";
		$count++;
		my ($first) = $head =~ /^(?:the )?(\w+)/;
		my @every = @{ $as->{every} // [] };
		my @all = $first eq 'every' ? @every : $first eq 'each' ? grep { $_ ne $as->{c} } @every : ();
		foreach my $statement ($body =~ /^((?:\S.*?;|\\)[^\n]*)\n(?=\S|\s*\z)/msg)
		{
			my %name = map { $_ => 1 } $first, $statement =~ /\b(\w)_from_/g, $statement =~ /_from_(\w)\b/g, $statement =~ /host=(\w)\b/g;
			foreach my $here (@all ? @all : undef)
			{
				foreach my $b ($head =~ /for each of its subscriptions/ ? grep { $_ ne ($here // 'a') } @every : $name{b} ? @{ $as->{b} // ['b'] } : undef)
				{
					my %of = (%$as, defined $here ? (a => $here) : (), defined $b ? (b => $b) : ());
					my $for = $statement =~ s/\b(\w)(?=_from_)|(?<=_from_)(\w)\b|(?<=host=)(\w)\b/my $old = $1 \/\/ $2 \/\/ $3; $of{$old} \/\/ $old/ger;
					push @result, [ $here // $of{$first} // $first, $for, $count, $head =~ /by hand/ ];
				}
			}
		}
	}
	return @result;
}

# Runs the statements of a block. The statements of a part share a session on each server. They are in the database shop on the
# page, and here in postgres. `before`, if given, is called before each statement.
our %value;    # what to put in the place of an example, such as an ID
my ($time, %position);

sub run_block
{
	my ($block, $as, $before) = @_;
	my %session;
	my @statements = statements_of($block, $as // {});
	cmp_ok(scalar @statements, '>', 0, 'statements of the page run');
	foreach (@statements)
	{
		my ($name, $statement, $part, $by_hand) = @$_;
		my $node = $node{$name} or die "no server $name";
		my $session = $session{"$part $name"} //= begin_session($node, $by_hand);
		$statement =~ s/'host=(\w+) dbname=shop'/"'" . $node{$1}->connstr . " dbname=postgres'"/e;
		$statement =~ s/'2026-11-22 12:00:03[^']*'/'$time'/;
		my ($subscription) = $statement =~ /'(\w_from_\w)'/;
		($subscription) = $statement =~ /slot_name = '(\w_from_\w)'/ if $statement =~ /slot_advance/;
		$statement =~ s/'0\/1C6F2A8'/'$position{$subscription}'/;
		$statement =~ s/'0\/1D2E3F8'/'$position{$name}'/;
		$statement =~ s/\Q$_\E/$value{$_}/ foreach keys %value;
		$before->($name, $statement) if $before;
		my $result;
		for my $attempt (1 .. 1800)
		{
			$result = answer($session, $statement);
			die "$name: $statement\n$result" if $result =~ /^(?:psql:\S+ )?ERROR|invalid command/m;
			last if $result eq 't' || $statement !~ /repeat it until it is true/;
			die "not true: $statement" if $attempt == 1800;
			usleep(100_000);
		}
		$time = $result if $statement =~ /kid_timestamp\(kid_next/;
		$position{$subscription} = $result || '0/0' if $statement =~ /pg_replication_origin_progress/;
		$position{$name} = $result if $statement =~ /pg_current_wal_lsn/;
	}
	close_session($_) foreach values %session;
	return;
}

# Returns the blocks of a section of the page of incidents.
sub blocks_of
{
	my ($heading) = @_;
	my ($section) = slurp_file('docs/guides/replication-incidents.md') =~ /^## \Q$heading\E\n(.*?)(?=^## |\z)/ms or die "no section $heading";
	my @blocks = $section =~ /^```sql\n(.*?)^```$/msg;
	return wantarray ? @blocks : $blocks[0];
}

# Opens a session. If $by_hand, no subscription brings its changes to another server.
my %has_origin;

sub begin_session
{
	my ($node, $by_hand) = @_;
	my $session = open_session($node);
	answer($session, 'SET client_min_messages = error;');
	return $session unless $by_hand;
	foreach my $statement (map { $_->[1] } statements_of(scalar blocks_of('Changes that stay on one server'), {}))
	{
		next if $statement =~ /origin_create/ && $has_origin{ $node->name }++;
		my $result = answer($session, $statement);
		die $result if $result =~ /ERROR/;
	}
	return $session;
}

1;
