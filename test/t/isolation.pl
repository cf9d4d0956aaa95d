# In a database whose default is REPEATABLE READ or SERIALIZABLE, documented calls of functions that need READ COMMITTED
# raise an error. Each way out that its hint and docs/reference/functions.md show works, in both editions.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlc_messages = 'C'\n");
$node->start;

# Calls as the pages write them, where to look for them, and the editions that have the function.
my @calls = (
	[ 'guides/partitions.md', q{SELECT kid_create_partitions('events', '1 day', now() + interval '7 days')},
		'extension plain' ],
	[ 'guides/partitions.md',
		q{SELECT kid_drop_partitions('events', older_than => now() - interval '90 days', dry_run => false)},
		'extension plain' ],
	[ 'guides/partitions.md', q{SELECT * FROM kid_check('events')}, 'extension plain' ],
	[ 'guides/consumers.md', q{CALL kid_horizon('events', NULL)}, 'extension plain' ],
	[ 'guides/consumers.md', q{SELECT * FROM kid_track_holders('events')}, 'extension plain' ],
	[ 'operate/upgrading.md', q{SELECT * FROM public.kid_observe_all() WHERE problem IS NOT NULL}, 'extension' ],
	[ 'start/from-plain-sql.md', q{SELECT * FROM kid.kid_observe_all()}, 'plain' ],
	[ 'operate/when-something-is-wrong.md', q{SELECT kid_reset_clock(now())}, 'extension' ],
	[ 'guides/public-ids.md', q{SELECT kid_seal_new_key()}, 'extension' ]);

my $plain = assemble('kid-all');
my $reference = slurp_file('docs/reference/functions.md');
my ($listed) = $reference =~ /^Some functions raise error 55000 (.*?)\n\n/ms
  or die 'functions.md: no list of functions';
my ($job) = $reference =~ /^(ALTER ROLE (\w+) IN DATABASE \w+\s+SET default_transaction_isolation = .*;)$/m
  or die 'functions.md: no ALTER ROLE';
my ($owner, $database) = $job =~ /ROLE (\w+) IN DATABASE (\w+)/;
use_database($node, $database);
$node->safe_psql('postgres', "CREATE ROLE $owner LOGIN");

foreach my $function (map { $_->[1] =~ /(kid_\w+)\(/ } @calls)
{
	like($listed, $function =~ /^kid_seal/ ? qr/change sealing\s+keys/ : qr/`$function`/,
		"functions.md lists $function");
}

foreach my $edition ('extension', 'plain')
{
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	if ($edition eq 'extension')
	{
		$node->safe_psql($database, 'CREATE EXTENSION kid; CREATE EXTENSION kid_seal CASCADE');
	}
	else
	{
		$node->safe_psql('postgres', "ALTER DATABASE $database SET search_path = '\$user', public, kid");
		$node->command_ok([ 'psql', '-Xq', '-d', $node->connstr($database), '-f', $plain ],
			'the edition in plain SQL is installed');
	}
	$node->safe_psql($database, qq{GRANT CREATE ON SCHEMA public TO $owner; SET ROLE $owner;
		CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id);
		CREATE TABLE tracked (id bigserial PRIMARY KEY, n int); SELECT kid_track('tracked')});
	foreach my $level ('repeatable read', 'serializable')
	{
		$node->safe_psql('postgres', "ALTER DATABASE $database SET default_transaction_isolation = '$level'");
		foreach (grep { $_->[2] =~ /$edition/ } @calls)
		{
			my ($page, $call) = @$_;
			my $where = "$edition, $level: $call";
			like(slurp_file("docs/$page") =~ s/\s+/ /gr, qr/\Q$call\E/, "$call is on $page");
			$call =~ s/events/tracked/ if $call =~ /kid_horizon|kid_track/;
			my $owners = $call =~ /'(?:events|tracked)'/ ? "SET ROLE $owner; " : '';
			my $output = output_of("$owners$call");
			like($output, qr/ERROR:  55000: .* at READ COMMITTED$/m, "$where is an error");
			my ($begin, $set) = $output
			  =~ /^HINT:  .*(BEGIN ISOLATION LEVEL READ COMMITTED).*(SET default_transaction_isolation = '[a-z ]*')/m;
			ok(defined $set, "$where has two hints") or diag $output;
			unlike(output_of("$owners$begin; $call; COMMIT"), qr/ERROR|WARNING/,
				"$where works after $begin");
			unlike(output_of("$owners$set; $call"), qr/ERROR|WARNING/, "$where works after $set");
			# PostgreSQL treats it as READ COMMITTED.
			unlike(output_of("${owners}BEGIN ISOLATION LEVEL READ UNCOMMITTED; $call"), qr/ERROR|WARNING/,
				"$where works at READ UNCOMMITTED");
		}
		if ($edition eq 'extension')
		{
			like(output_of('SELECT * FROM kid_stored_ids(now())'), qr/ERROR:  55000: .* at READ COMMITTED$/m,
				"$level: kid_stored_ids() is an error");
			like($listed, qr/`kid_stored_ids`/, 'functions.md lists kid_stored_ids()');
			# "A clock that was wrong": steps 3 and 5.
			my ($hold, $reset) = slurp_file('docs/operate/when-something-is-wrong.md')
			  =~ /`(BEGIN[^`]*kid_hold_clocks[^`]*;)`.*`(SELECT kid_reset_clock[^`]*COMMIT;)`/s;
			unlike(output_of("$hold $reset"), qr/ERROR|WARNING/,
				"$level: clocks are reset as the page says");
		}
		$node->safe_psql('postgres', $job);
		foreach (@calls[ 0 .. 2 ])
		{
			unlike(output_of($_->[1], role => $owner), qr/ERROR|WARNING/,
				"$edition, $level: a job works after ALTER ROLE: $_->[1]");
		}
		$node->safe_psql('postgres', "ALTER ROLE $owner IN DATABASE $database RESET default_transaction_isolation");
	}
	$node->safe_psql('postgres', "DROP DATABASE $database");
}

done_testing();
