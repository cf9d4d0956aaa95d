# The IDs that clients were given, kept outside the servers, so that the ledger keeps what a server forgets.
# Three counts must be 0: IDs that were given twice; IDs of kid64, kid53, flake and uuid at or below an
# earlier one; and rows that a unique key rejected.
#
#     $node->safe_psql('postgres', $Ledger::schema);    # in postgresql.conf: $Ledger::settings
#     my $ledger = Ledger->new;
#     $ledger->take('before', $node);
#     kill_server($node);
#     $node->start;
#     $ledger->goes_on('after a crash', $node);
#     $ledger->is_right('after a crash');
#
# Sessions in the background run $ledger->statements(), and their output is added with add().
package Ledger;
use strict;
use warnings;
use Test::More ();

# A partition number for each timeline would keep their snos apart, whatever the clock does. So all have
# the same number.
our $settings = "kid.sno_partition = 7\nkid.max_wait = '20s'\n";
our $schema = 'CREATE EXTENSION IF NOT EXISTS kid;
	CREATE TABLE ids (kid kid64 UNIQUE DEFAULT kid_next(), kid53 bigint UNIQUE DEFAULT kid53_next(),
		flake flake UNIQUE DEFAULT flake_next(),
		sno sno UNIQUE DEFAULT sno_next(), uuid uuid UNIQUE DEFAULT kid_uuidv7())';

# Returns an empty ledger.
sub new
{
	my ($class) = @_;
	return bless { seen => {}, highest => {}, count => 0, repeated => 0, below => 0, refused => 0, first => '' },
	  $class;
}

# Copies the ledger for two servers that continue from the same moment without knowing each other.
sub copy
{
	my ($self) = @_;
	return bless { %$self, seen => { %{ $self->{seen} } }, highest => { %{ $self->{highest} } } }, ref $self;
}

# Returns statements that print IDs of each kind: of committed rows, of rolled back rows, and of no row.
sub statements
{
	my ($self, $count) = @_;
	my $insert = "INSERT INTO ids SELECT FROM generate_series(1, $count)
		RETURNING kid::bigint, kid53, flake::bigint, sno, uuid;\n";
	return "${insert}BEGIN;\n${insert}ROLLBACK;\nSELECT kid_next()::bigint, kid53_next(), flake_next()::bigint,
		sno_next(), kid_uuidv7() FROM generate_series(1, $count);\n";
}

# Adds the output of sessions. They must have begun after everything in the ledger was added.
sub add
{
	my ($self, $name, $stdout, $stderr) = @_;
	my %highest = %{ $self->{highest} };
	# If a session was killed, its last line may be cut. Numbers are padded so that they sort as text.
	while ($stdout =~ /^(\d+)\|(\d+)\|(\d+)\|(\w{16})(?:\|([-0-9a-f]{36}))?$/mg)
	{
		my %id = (sno => $4);
		@id{qw(kid kid53 flake)} = map { sprintf('%020d', $_) } $1, $2, $3;
		$id{uuid} = $5 if defined $5;
		foreach my $type (keys %id)
		{
			$self->wrong("$name: $type $id{$type}", 'repeated') if $self->{seen}{"$type $id{$type}"}++;
			next if $type eq 'sno';
			$self->wrong("$name: $type $id{$type}", 'below') if $id{$type} le($self->{highest}{$type} // '');
			$highest{$type} = $id{$type} if $id{$type} gt($highest{$type} // '');
		}
		$self->{count}++;
	}
	$self->{highest} = \%highest;
	$self->wrong("$name: $_", 'refused') foreach $stderr =~ /(duplicate key.*)/g;
	return;
}

# Counts what is wrong, and keeps the first of it for the name of a test.
sub wrong
{
	my ($self, $what, $kind) = @_;
	$self->{first} ||= ", first $kind: $what";
	$self->{$kind}++;
	return;
}

# Makes IDs in one session, three times `count` of each type, by default 100, and adds them. Returns how many there are
# of each type. If there is an error they are fewer, and it is printed.
sub take
{
	my ($self, $name, $node, $count, $database) = @_;
	my $before = $self->{count};
	my ($status, $stdout, $stderr) = $node->psql($database // 'postgres', $self->statements($count // 100));
	$self->add($name, $stdout, $stderr);
	Test::More::diag("$name: $stderr") if $stderr =~ /ERROR|FATAL|PANIC/;
	return $self->{count} - $before;
}

# Does the same, and tests that all IDs were made.
sub goes_on
{
	my ($self, $name, $node, $count, $database) = @_;
	$count //= 100;
	return Test::More::is($self->take($name, $node, $count, $database), 3 * $count, "$name: IDs are made");
}

# Tests that all counts are 0.
sub is_right
{
	my ($self, $name) = @_;
	return Test::More::is("$self->{repeated} repeated, $self->{below} below, $self->{refused} refused$self->{first}",
		'0 repeated, 0 below, 0 refused', "$name: $self->{count} IDs of each kind");
}

1;
