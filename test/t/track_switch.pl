# The switch from a program that reads `id > last` to a consumer that reads up to the horizon, by the steps of
# docs/stories/outbox.md: no message is lost or sent twice, neither one that the old program has passed long before, nor
# one of a transaction that is open when it stops. Without the step that waits, one is lost.
# Promise: No row can still appear
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Tracked;

my $page = slurp_file('docs/stories/outbox.md');
my ($outbox) = $page =~ /^(CREATE TABLE outbox .*?;)$/ms or die 'no outbox on the page';
my ($consumers) = $page =~ /^(CREATE TABLE consumers .*?;)$/ms or die 'no consumers on the page';
my ($record) = $page =~ /^\*\*1[.]\*\* .*?^```sql\n(.*?)^```/ms or die 'no first step on the page';
my ($wait) = $page =~ /^\*\*2[.]\*\* .*?^(CALL [^\n]*)/ms or die 'no second step on the page';
my ($move) = $page =~ /^\*\*3[.]\*\* .*?^```sql\n(.*?)^```/ms or die 'no third step on the page';

use_tracked_server();
my $last = 0;    # the cursor of the old program

# Inserts a message with this text, in a transaction that is left open if there is a session. The numbers begin with 1.
sub write_message
{
	my ($text, $session) = @_;
	my $insert = qq{INSERT INTO outbox (kind, payload) VALUES ('paid', '"$text"');};
	return $session ? answer($session, "BEGIN; $insert") : sql($insert);
}

# Returns the messages after a cursor that meet a condition, as "NUMBER TEXT".
sub messages_after
{
	my ($cursor, $condition) = @_;
	return split /\n/, sql(qq{SELECT concat_ws(' ', id, payload #>> '{}') FROM outbox
		WHERE id > $cursor AND $condition ORDER BY id});
}

# Returns what the old program sends in one poll.
sub sent_by_old_program
{
	my @sent = messages_after($last, 'true');
	($last) = $sent[-1] =~ /^(\d+)/ if @sent;
	return @sent;
}

# Switches while transactions are open. Returns what was sent, before and afterwards.
sub switch_programs
{
	my ($waits) = @_;
	my ($early, $open, $late) = map { open_session($node, $database) } 1 .. 3;
	sql("DROP TABLE IF EXISTS outbox, consumers; $outbox $consumers");
	$last = 0;
	write_message('lost long ago', $early);
	write_message('sent');
	my @sent = sent_by_old_program();
	answer($early, 'COMMIT;');
	sql(q{SELECT kid.kid_track('outbox')});
	write_message('open at the switch', $open);
	write_message('sent last');
	push @sent, sent_by_old_program();

	# It has stopped.
	write_message('open after it', $late);
	write_message('after it');
	my ($numbers) = join '), (', map { /^(\d+)/ } @sent;
	sql($record =~ s/VALUES \(2\)/VALUES ($numbers)/r);
	my $call = $wait =~ s/kid_horizon/kid.kid_horizon/r;
	cmp_ok(sql($call), '<=', $last, 'a transaction that was open when the old program stopped makes the switch wait');
	answer($open, 'COMMIT;') if $waits;
	cmp_ok(sql($call), '>', $last, 'until it ends, whatever began later') if $waits;
	sql($move);
	answer($open, 'COMMIT;') unless $waits;
	my $cursor = sql('SELECT last FROM consumers');
	foreach my $round (1, 2)
	{
		my @new = messages_after($cursor, 'id < ' . sql($call));
		($cursor) = $new[-1] =~ /^(\d+)/ if @new;
		push @sent, @new;
		answer($late, 'COMMIT;') if $round == 1;
	}
	close_session($_) foreach $early, $open, $late;
	return @sent;
}

my @all = ('2 sent', '4 sent last', '5 open after it', '6 after it', '7 lost long ago', '8 open at the switch');
foreach my $name (qw(extension plain))
{
	use_edition($name);
	install($name);
	is_deeply([ switch_programs(1) ], \@all, "$name: each message is sent once");
	is_deeply([ switch_programs(0) ], [ @all[ 0 .. 4 ] ], "$name: one is lost if the switch does not wait");
}
done_testing();
