# What the tests that move random schemas have in common: a server, sessions that write, and kidctl, which is
# interrupted at random statements, as are its session and the server. The functions of Sql.pm work as the owner of the
# tables, whose role is shop.
#
#     KID_SEEDS      the schemas, such as "3 7 20-29", and nothing else; otherwise those that the test names
package RandomMove;
use strict;
use warnings;
use utf8;
use Encode;
use Exporter 'import';
use IPC::Run ();
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT = qw($node pick maybe quoted start_node each_seed create dump_of same_text kidctl moved check_clean
  begin_writing end_writing ledger left_of_kidctl tally);

our $node;
my $temporary = PostgreSQL::Test::Utils::tempdir;
my (%writers, %tally);

# Returns its arguments, or half of the time nothing.
sub maybe { return rand() < 0.5 ? @_ : () }

# Starts the server, and sets $node. The option `conf` has further settings. Roles: shop owns the tables, client writes,
# viewer owns some views.
sub start_node
{
	my (%options) = @_;
	$node = kidctl_server("max_connections = 60\n" . ($options{conf} // ''), allows_streaming => 'logical');
	$node->safe_psql('postgres', q{
		CREATE ROLE shop LOGIN BYPASSRLS CREATEDB; CREATE ROLE reader; CREATE ROLE viewer;
		CREATE ROLE client LOGIN BYPASSRLS; GRANT viewer TO shop;
		GRANT SET ON PARAMETER session_replication_role TO shop});
	use_database($node, 'postgres', role => 'shop');
	return;
}

# Calls a function for each seed: those of KID_SEEDS, or else the ones given.
sub each_seed
{
	my ($try, @usual) = @_;
	my @seeds = map { /^(\d+)-(\d+)$/ ? $1 .. $2 : $_ } defined $ENV{KID_SEEDS}
	  ? split(/[\s,]+/, $ENV{KID_SEEDS}) : @usual;
	foreach my $seed (@seeds)
	{
		srand $seed;
		my $begun = time;
		eval { $try->($seed); 1 } or do {
			die($@) if $@ =~ /Caught a SIG/;
			fail("schema $seed");
			diag(encode('UTF-8', $@));
		};
		end_writing("d$seed") if $writers{"d$seed"};
		printf STDOUT "# schema %d took %.1f s; %s\n", $seed, time - $begun, join ', ',
		  map { "$_ $tally{$_}" } sort keys %tally;
	}
	return;
}

# Counts what happened.
sub tally { $tally{$_}++ foreach @_; return; }

# Creates a database that belongs to shop, with kid as the extension or in plain SQL, or without kid. Each
# kind is made once, as a template.
sub create
{
	my ($database, $is_plain, $is_without_kid) = @_;
	my $template = $is_without_kid ? 'without' : $is_plain ? 'plain' : 'extension';
	if ($node->safe_psql('postgres', "SELECT count(*) FROM pg_database WHERE datname = '$template'") == 0)
	{
		$node->safe_psql('postgres', "CREATE DATABASE $template TEMPLATE template0");
		$node->safe_psql($template, '\i ' . assemble('kid-all')) if $template eq 'plain';
		$node->safe_psql($template, 'CREATE EXTENSION kid') if $template eq 'extension';
		$node->safe_psql($template, 'ALTER SCHEMA public OWNER TO shop; GRANT ALL ON SCHEMA public TO client, viewer;'
			  . q{ DO $$ BEGIN EXECUTE coalesce((
				SELECT string_agg(format('GRANT EXECUTE ON FUNCTION %s TO shop, client', oid::regprocedure), '; ')
					FROM pg_proc WHERE proname ~ '^(kid64|kid53|kid_uuidv7|flax)_at$'), 'SELECT 1'); END $$});
	}
	$node->safe_psql('postgres', "CREATE DATABASE $database OWNER shop TEMPLATE $template"
		  . ($is_plain ? "; ALTER DATABASE $database SET search_path = public, kid" : ''));
	return;
}

# Returns the schema of a database.
sub dump_of { return dump_schema($node->connstr($_[0])) }

# Runs kidctl in a database, as the owner of the tables. Returns what it prints, and its exit status.
sub kidctl
{
	my ($database, @arguments) = @_;
	return run_kidctl(connection_as($node, $database, 'shop'), @arguments);
}

# Returns whether kidctl's check finds nothing that stops the move. Otherwise it prints why.
sub check_clean
{
	my ($database, @arguments) = @_;
	my ($said, $status) = kidctl($database, @arguments);
	tally('schemas');
	return 1 if $status == 0;
	tally('refused');
	print STDOUT encode('UTF-8', "# $database: refused\n" . $said =~ s/^/#   /mgr . "\n");
	return 0;
}

# About how many statements a command has. Each run that ends by itself tells how many there were.
my %statements = ('rekey run' => 60, 'rekey swap' => 60, 'rekey back' => 60, 'rekey finish' => 20, 'rekey cancel' => 12,
	'partition run' => 60, 'partition back' => 40, 'partition finish' => 3, 'partition move' => 60, 'leave run' => 15);

# Runs kidctl until it is done, after it was interrupted some times, at least `least`. An error that matches `again` is
# none after an interruption, also after one of the command before, `was_cut`: that run had ended its work, or not
# begun. With `gives_up` kidctl is not run again after an interruption. An output that matches `refused` ends it without
# a failure. Returns how it was interrupted.
sub moved
{
	my ($database, $command, %options) = @_;
	my @cut;
	my $fails = sub {
		my ($said, $status) = @_;
		return $status && !($options{again} && (@cut || $options{was_cut}) && $said =~ $options{again});
	};
	foreach my $turn (1 .. ($options{least} // 0) + int(rand 2.7))
	{
		my $how = pick(qw(INT TERM KILL KILL session session server));
		my ($said, $status) = interrupted($database, $how, @$command);
		if ($said !~ /^interrupted (.*)/m)
		{
			return @cut if $options{refused} && $said =~ $options{refused};
			die("$database: kidctl @$command: status $status\n$said") if $fails->($said, $status);
			tally('without interruption');
			return @cut;
		}
		print STDOUT encode('UTF-8', "# $command->[0] $command->[1] interrupted $1\n");
		push @cut, $how;
		tally($how eq 'server' ? 'server kills' : $how eq 'session' ? 'sessions ended' : 'client kills');
		start_again() if $how eq 'server';
		# The program may also be run again while the server still executes its last statement.
		$node->poll_query_until('postgres', "SELECT NOT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = '$database' AND application_name = 'kidctl')") if rand() < 0.7;
	}
	return @cut if $options{gives_up} && @cut;
	my ($said, $status) = kidctl($database, @$command, rand() < 0.9 ? '--no-rehearsal' : ());
	if (!($options{refused} && $said =~ $options{refused}) && $fails->($said, $status))
	{
		tally('failed late');
		die("$database: kidctl @$command after (@cut): status $status\n$said");
	}
	return @cut;
}

# Runs kidctl, and interrupts it at a random statement. Returns what it prints, and its exit status.
sub interrupted
{
	my ($database, $how, @command) = @_;
	my $about = "$command[0] $command[1]";
	my $at = 1 + int(rand $statements{$about});
	my $delay = pick(0, 0, rand(0.01), rand(0.3));
	my $counted = "$temporary/counted";
	unlink $counted;
	my ($said, $status) = run_forked(q{import runpy; runpy.run_path('test/kidctl/interrupted.py', run_name='__main__')},
		$at, $how, $delay, $node->data_dir, $counted, map({ encode('UTF-8', $_) } @command), '--no-rehearsal',
		'-d', connection_as($node, $database, 'shop'));
	$statements{$about} = slurp_file($counted) if -s $counted && $said !~ /^interrupted/m;
	return (decode('UTF-8', $said), $status);
}

# Starts the server after it was killed.
sub start_again
{
	my ($pid) = split /\n/, slurp_file($node->data_dir . '/postmaster.pid');
	foreach my $attempt (1 .. 600)
	{
		last if !kill 0, $pid;
		sleep 0.1;
	}
	$node->{_pid} = undef;
	foreach my $attempt (1 .. 50)
	{
		return if $node->start(fail_ok => 1);
		sleep 0.2;
	}
	die('the server does not start again');
}

# Starts eight sessions that write in a database, as test/kidctl/writers.py says.
sub begin_writing
{
	my ($database, @kinds) = @_;
	my $folder = "$temporary/writers_$database";
	mkdir $folder;
	require JSON::PP;
	append_to_file("$folder/kinds.json", JSON::PP->new->utf8->encode(\@kinds));
	my $output = '';
	my $handle = IPC::Run::start([ find_python(), 'test/kidctl/writers.py', connection_as($node, $database, 'client'),
			$folder ], '>&', \$output);
	$writers{$database} = { handle => $handle, folder => $folder, output => \$output };
	return;
}

# Ends the sessions that write in a database. Returns their errors, what they have committed, and the number of
# transactions.
sub end_writing
{
	my ($database) = @_;
	my $writers = delete $writers{$database};
	$writers->{handle}->signal('TERM');
	$writers->{handle}->finish;
	my $read = sub { return split /\n/, decode('UTF-8', slurp_file("$writers->{folder}/$_[0]")) };
	my %rows = map { $_ => 1 } $read->('made');
	delete $rows{$_} foreach $read->('removed');
	my %count = map { split / / } $read->('count');
	$tally{'writers\' transactions'} += $count{done};
	$tally{deadlocks} += $count{'40P01'};
	return { errors => join("\n", $read->('errors')), rows => join("\n", sort keys %rows), %count };
}

# Tests that the table ledger has the rows that the writers have committed, and that a query of place, mark and parent
# returns what is in it.
sub ledger
{
	my ($database, $wrote, $query) = @_;
	same_text(join("\n", sort split /\n/, sql_in($database, 'SELECT DISTINCT mark FROM ledger')), $wrote->{rows},
		"the ledger has the $wrote->{done} transactions of the writers");
	my $order = 'ORDER BY 1, 2, 3';
	same_text(sql_in($database, "SELECT * FROM ($query) AS q (place, mark, parent) $order", role => 'client'),
		sql_in($database, "SELECT place, mark, parent FROM ledger $order"),
		'each row of the writers is there once, and refers to the same row');
	return;
}

# Returns what a move has left in a database, which must be nothing.
sub left_of_kidctl
{
	my ($database) = @_;
	return $node->safe_psql($database, q{
		SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname LIKE 'kidctl%'
		UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger WHERE tgname LIKE '~%'
		UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE proname LIKE 'kidctl%'
		UNION ALL SELECT 'column ' || attname FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
			WHERE attname ~ '^kid_(new|old|full|part)_' AND NOT attisdropped AND relkind NOT IN ('i', 'I')
		UNION ALL SELECT 'constraint ' || conname FROM pg_constraint WHERE conname ~ '^kid_(until|full|part|new|old)'
		UNION ALL SELECT 'database ' || datname FROM pg_database WHERE datname LIKE 'kidctl%'});
}

END
{
	foreach my $database (keys %writers)
	{
		my $status = $?;
		eval { $writers{$database}{handle}->kill_kill(grace => 0) };
		$? = $status;
	}
}

1;
