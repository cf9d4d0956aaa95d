# Worker numbers, in the extension and in plain SQL: the windows of a number never overlap, and are told once, to one
# process, after they were granted. A role that may lease does nothing else, and another role does nothing.
# test/t/workers_history.pl has what takes several servers and clocks.
# Promise: Worker numbers that PostgreSQL leases
# Versions: transactions in procedures, and the rights and catalogs of PostgreSQL
use strict;
use warnings;
use Dialogue;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;
use Workers;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "lc_messages = 'C'\ntimezone = 'UTC'\n");
$node->start;
my %script = map { $_ => assemble($_) } qw(kid-workers kid-ids kid-all);
$node->safe_psql('postgres', "CREATE ROLE $_ LOGIN") foreach qw(app other stranger);
$node->safe_psql('postgres', 'CREATE ROLE watcher LOGIN IN ROLE pg_monitor');

my %install = (extension => $install,
	plain => "ALTER DEFAULT PRIVILEGES GRANT ALL ON ROUTINES TO stranger; \\i $script{'kid-workers'}\n
		ALTER DEFAULT PRIVILEGES REVOKE ALL ON ROUTINES FROM stranger");
foreach my $edition (qw(extension plain))
{
	$node->safe_psql('postgres', "CREATE DATABASE $edition");
	use_database($node, $edition);
	is(output_of($install{$edition}), '', "$edition is installed");
	sql('GRANT EXECUTE ON PROCEDURE kid.kid_lease_worker TO app, other');
	windows($edition);
	transactions($edition);
	pools($edition);
	rights($edition);
	watched($edition);
	names_of_a_caller($edition);
	kept($edition);
}
numbers_of_a_server();
installed_again();
done_testing();

# A window begins now, or where the last one of the number ended, and both are whole seconds.
sub windows
{
	my ($edition) = @_;
	sql(q{SELECT kid.kid_add_workers('orders', 1, 3, 'flake', max_ttl => 600, per_role => 3, fresh => true)});
	my $clock = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)';
	my $before = sql($clock);
	my $first = lease(q{'orders', ttl => 301, holder => 'pod-1'});
	my $after = sql($clock);
	cmp_ok($first->{number}, '>=', 1, "$edition: a number of the pool");
	cmp_ok($first->{number}, '<=', 3, "$edition: a number of the pool");
	is($first->{until} - $first->{since}, 301_000, 'a window has the length that was asked for');
	is($first->{since} % 1000, 0, 'it begins with a second');
	cmp_ok($first->{since} + 1000, '>', $before, 'not an earlier one than that of the call');
	cmp_ok($first->{since}, '<=', $first->{now}, 'nor a later one');
	cmp_ok($before, '<=', $first->{now}, 'the reply has the time of the server');
	cmp_ok($first->{now}, '<=', $after, 'during the call');
	is("$first->{type} $first->{lanes} $first->{epoch}", 'flake  0', 'the reply has type, lanes and epoch of the pool');

	# A renewal is the next window, which is told once.
	my $second = renew('orders', $first, 'app', 302);
	is($second->{number}, $first->{number}, 'a renewal keeps the number');
	is($second->{since}, $first->{until}, 'and begins where the last window ended');
	is($second->{until} - $second->{since}, 302_000, 'each window has the length that was asked for');
	isnt($second->{token}, $first->{token}, 'each window has a token of its own');
	like(lease_error("'orders', $second->{number}, '$second->{token}'"),
		qr/^55000: it is too early to renew worker number $second->{number}\nDETAIL:  Its last window ends at /,
		'a window that begins later than ttl from now is not granted');

	# Of two copies of a process, one keeps the number. Windows are disjoint.
	my $copy = renew('orders', $first, 'app', 300);
	isnt($copy->{number}, $first->{number}, 'a token that was used gives another number');
	my $lost = lease(q{'orders', ttl => 300});
	isnt($lost->{number}, $_, 'a process that lost the reply gets another number') foreach $first->{number},
	  $copy->{number};
	is_deeply([ sort { $a <=> $b } map { $_->{number} } $first, $copy, $lost ], [ 1, 2, 3 ], 'all numbers are leased');
	ok(!overlapping(map { { %$_, pool => 'orders' } } $first, $second, $copy, $lost), 'no windows overlap');
	like(lease_error(q{'orders'}), qr/^53400: role "app" has too many worker numbers .*\nDETAIL:  .* at most 3 at/,
		'a role has so many numbers at most');
	like(lease_error(q{'orders'}, 'other'), qr/^53400: no worker number of pool "orders" is free\nDETAIL:  .* 20\d\d-/,
		'another role gets none that is leased');

	# A number that was given up is free when its window has ended.
	is(sql("SELECT kid.kid_forget_worker('orders', $copy->{number}, '$first->{token}')", role => 'app'), 'f',
		'a number is not given up by an old token');
	is(sql("SELECT kid.kid_forget_worker('orders', $copy->{number}, '$copy->{token}')", role => 'other'), 'f',
		'nor by another role');
	is(sql("SELECT kid.kid_forget_worker('orders', $copy->{number}, '$copy->{token}')", role => 'app'), 't',
		'a number is given up');
	like(lease_error("'orders', $copy->{number}, '$copy->{token}'"),
		qr/^53400: role "app"/, 'its token is worth nothing');
	is(sql("SELECT state, role, holder IS NULL, extract(epoch FROM until) * 1000 = $copy->{until}
		FROM kid.kid_workers() WHERE number = $copy->{number}"), 'leased|app|t|t', 'but its window stays');

	# A window ends, and the number is another role's.
	sql(q{SELECT kid.kid_add_workers('short', 5, 5, 'flake', max_ttl => 1, margin => 0, per_role => 1, fresh => true)});
	my $short = lease(q{'short', ttl => 1});
	my $next = eventually('short', 'other');
	is($next->{number}, 5, 'a number is leased again when its window has ended');
	cmp_ok($next->{since}, '>=', $short->{until}, 'from where it ended');
	is(sql(q{SELECT role, holder FROM kid.kid_workers() WHERE pool = 'short'}), 'other|', 'kid_workers() has the role');
	my $late = eventually('short', 'app', $short);
	cmp_ok($late->{since}, '>=', $next->{until}, 'an old token gives no window that another process has');
	sql(q{SELECT kid.kid_add_workers('usual', 1, 1, 'flake', fresh => true)});
	my $usual = lease(q{'usual'});
	is($usual->{until} - $usual->{since}, 10_000, 'by default a window has ten seconds');
	return;
}

# A window is told after its grant was committed, so within a transaction it is not leased.
sub transactions
{
	my ($edition) = @_;
	sql(q{SELECT kid.kid_add_workers('atomic', 10, 19, 'flake', fresh => true)});
	my $granted = q{SELECT count(*) FROM kid.kid_workers() WHERE pool = 'atomic' AND state <> 'free'};
	my $call = q{CALL kid.kid_lease_worker('atomic')};
	my $variables = 'n bigint; t uuid; s bigint; u bigint; w bigint; l integer; e bigint; y text;';
	my $into = q{CALL kid.kid_lease_worker('atomic', n, t, s, u, w, l, e, y)};
	foreach my $within (
		"BEGIN; $call; COMMIT",
		"BEGIN; SAVEPOINT s; $call; RELEASE s; COMMIT",
		"BEGIN ISOLATION LEVEL SERIALIZABLE; $call; COMMIT",
		"DO \$\$ DECLARE $variables BEGIN BEGIN $into; EXCEPTION WHEN no_data_found THEN END; END \$\$",
		"CREATE FUNCTION pg_temp.f() RETURNS void LANGUAGE plpgsql AS \$\$ DECLARE $variables BEGIN $into; END \$\$;
			SELECT pg_temp.f()")
	{
		like(output_of($within, role => 'app'), qr/ERROR:  2D000: /, "$edition: an error: $within");
		is(sql($granted), 0, 'and nothing is granted');
	}
	$node->psql($edition, '', extra_params => [ '-U', 'app', '-c', "SELECT 1; $call" ], stderr => \my $stderr);
	like($stderr, qr/invalid transaction termination/, 'an error beside another statement in one string');
	is(sql($granted), 0, 'and nothing is granted');

	foreach my $level ('serializable', 'repeatable read')
	{
		like(output_of("SET default_transaction_isolation = '$level'; SET synchronous_commit = off; $call",
				role => 'app'),
			qr/^\d+\|\S{36}\|\d+000\|/, "leases where transactions are $level");
	}
	like(output_of("SET default_transaction_read_only = on; $call", role => 'app'), qr/ERROR:  25006: /,
		'an error where transactions only read');

	# The steps of the procedure, called by hand.
	my $grant = q{SELECT number AS n, token AS t FROM kid_workers.grant_window('atomic', NULL, NULL, 5, NULL) \gset};
	my $tell = q{SELECT until - since FROM kid_workers.tell_window('atomic', :n, :'t');};
	my $not_told = qr/ERROR:  55000: this window of worker number \d+ is not committed/;
	like(output_of("BEGIN; $grant\n $tell ROLLBACK;", role => 'app'), $not_told,
		'a window is not told where it is granted');
	like(output_of("BEGIN; SAVEPOINT s; $grant\n RELEASE s; $tell ROLLBACK;", role => 'app'), $not_told,
		'nor after a savepoint');
	like(output_of("BEGIN; SAVEPOINT s; $grant\n ROLLBACK TO s; $tell ROLLBACK;", role => 'app'), $not_told,
		'nor after it was rolled back');
	like(output_of("BEGIN; $grant\n ROLLBACK; $tell", role => 'app'), $not_told, 'nor after the transaction was');
	is(output_of("BEGIN; $grant\n COMMIT; $tell", role => 'app'), '5000', 'it is told after the commit');
	like(output_of("BEGIN ISOLATION LEVEL REPEATABLE READ; $grant\n COMMIT;", role => 'app'),
		qr/ERROR:  55000: worker numbers can only be leased at READ COMMITTED/, 'and granted at READ COMMITTED');

	# A session that is about to commit holds its number, not the pool.
	my $open = open_session($node, $edition);
	answer($open, 'SET ROLE app; BEGIN;');
	my $held = answer($open, q{SELECT number FROM kid_workers.grant_window('atomic', NULL, NULL, 5, NULL);});
	my $other = lease(q{'atomic'}, 'other');
	isnt($other->{number}, $held, 'another role does not wait for it');
	sql(q{SELECT kid.kid_close_workers('atomic', number, number) FROM kid.kid_workers()
		WHERE pool = 'atomic' AND state = 'free' AND number <> } . $held);
	like(lease_error(q{'atomic'}, 'other'), qr/^53400: .*\nDETAIL:  Transactions that have not ended hold /,
		'if no other number is free, the error says so');
	answer($open, 'ROLLBACK; RESET ROLE; BEGIN;');
	answer($open, q{SELECT kid.kid_add_workers('atomic', 10, 29, per_role => 30);});
	my $renewal = "CALL kid.kid_lease_worker('atomic', $other->{number}, '$other->{token}')";
	like(output_of("SET lock_timeout = '1s'; $renewal", role => 'other'),
		qr/^$other->{number}\|/, 'nor for a migration that adds numbers');
	close_session($open);
	return;
}

# What a pool is, and errors.
sub pools
{
	my ($edition) = @_;
	sql(q{SELECT kid.kid_add_workers('late', 1, 2, 'flake', epoch => 1288834974657, max_ttl => 20, margin => 7)});
	is(sql(q{SELECT string_agg(state, ' '), bool_and(until - clock_timestamp() BETWEEN '40 s' AND '47 s')
		FROM kid.kid_workers() WHERE pool = 'late'}), 'postponed postponed|t',
		"$edition: numbers that are not fresh can be leased when earlier windows have ended");
	like(lease_error(q{'late'}), qr/^53400: no worker number of pool "late" is free/, 'and not before');
	sql(q{SELECT kid.kid_add_workers('late', 2, 3, fresh => true)});
	is(lease(q{'late', ttl => 20})->{number}, 3, 'a number that is there stays as it is, a fresh one is free');
	is(lease_error(q{'late', ttl => 20}) =~ /53400/ ? 1 : 0, 1, 'and was the only one');
	sql(q{SELECT kid.kid_close_workers('late', 3, 5); SELECT kid.kid_add_workers('late', 4, 4, fresh => true)});
	is(lease(q{'late'})->{epoch}, 1288834974657, 'the reply has the epoch of the pool');
	sql(q{SELECT kid.kid_add_workers('since_1970', 1, 1, 'flake', epoch => 0, fresh => true)});
	is(lease(q{'since_1970'})->{epoch}, 0, 'also if that is 1970');
	sql(q{SELECT kid.kid_add_workers('unused', 1, 1, 'flake', fresh => true)});
	is(sql(q{UPDATE kid_workers.numbers SET until = kid_workers.this_second() WHERE pool = 'unused';
		SELECT state FROM kid.kid_workers() WHERE pool = 'unused'}), 'free',
		'a window has ended in the second of its end');

	sql(q{SELECT kid.kid_add_workers('closed', 1, 1, 'flake', fresh => true)});
	my $holder = lease(q{'closed', ttl => 1});
	sql(q{SELECT kid.kid_close_workers('closed', 1, 1)});
	like(lease_error("'closed', 1, '$holder->{token}', ttl => 1"), qr/^53400: no worker number/,
		'a closed number is not renewed');
	is(sql(q{SELECT state FROM kid.kid_workers() WHERE pool = 'closed'}), 'closed', 'kid_workers() has the closed one');
	sql("SELECT pg_sleep_until(to_timestamp($holder->{until} / 1000.0))");
	like(lease_error(q{'closed', ttl => 1}), qr/^53400: no worker .*\nDETAIL:  All .* are closed, .*\nHINT:  Ask the/,
		'nor leased when its window has ended: the owner has to add numbers');
	sql(q{SELECT kid.kid_add_workers('closed', 1, 1, fresh => true)});
	my $again = eventually('closed', 'app');
	cmp_ok($again->{since}, '>=', $holder->{until}, 'one that is opened again keeps its windows');

	# A server, or another pool, may have had the number while it was closed.
	sql(q{SELECT kid.kid_close_workers('closed', 1, 1); SELECT kid.kid_add_workers('closed', 1, 1)});
	is(sql(q{SELECT state, until - clock_timestamp() BETWEEN '20 s' AND '25 s' FROM kid.kid_workers()
		WHERE pool = 'closed'}), 'postponed|t', 'one that is opened again, and is not fresh, is postponed');
	like(lease_error("'closed', 1, '$again->{token}', ttl => 1"), qr/^53400: no worker number/,
		'and its last holder has to wait, too');

	# The windows of another pool can be longer.
	sql(q{SELECT kid.kid_add_workers('long', 900, 900, 'flake', max_ttl => 600, fresh => true)});
	my $long = lease(q{'long', ttl => 600});
	sql(q{SELECT kid.kid_close_workers('long', 900, 900); SELECT kid.kid_add_workers('closed', 899, 901)});
	is(sql(q{SELECT extract(epoch FROM until)::bigint * 1000 FROM kid.kid_workers()
		WHERE pool = 'closed' AND number = 900}), $long->{until},
		'a number that was closed in another pool is free when its window there has ended');

	sql(q{SELECT kid.kid_add_workers('many', 1, 64, 'flake', max_ttl => 600, per_role => 2, fresh => true)});
	my %number = map { lease(q{'many', ttl => 600})->{number} => 1 } 1, 2;
	sql(q{SELECT kid.kid_add_workers('many', 1, 64, per_role => 60)});
	$number{ lease(q{'many', ttl => 600})->{number} } = 1 foreach 1 .. 58;
	is(keys %number, 60, 'the owner can raise the limit of a role, and 60 leases are 60 numbers');
	like(lease_error(q{'many', ttl => 600}), qr/^53400: role/, 'the limit of a role holds');

	# Pools of one type with common numbers.
	my $add = "SELECT kid.kid_add_workers('%s', %s, 'flake', fresh => true)";
	sql(sprintf $add, 'first', '900, 909');
	is(output_of(sprintf $add, 'second', '910, 919'), '', 'pools of one type whose numbers differ');
	like(output_of(sprintf $add, 'second', '908, 919'),
		qr/NOTICE:  00000: pools "second" and "first" have worker numbers .*\nDETAIL:  .* pool "first" is 908\. An ID/,
		'a notice if another pool of the type has one of the numbers');
	sql(q{SELECT kid.kid_close_workers('first', 908, 909)});
	is(output_of(sprintf $add, 'second', '908, 919'), '', 'but not if it is closed there');

	# What roles call with NULL, and other values out of range.
	foreach (
		[ q{NULL} => '22004' ],
		[ q{'nothing'} => '42704' ],
		[ q{'many', ttl => NULL} => '22004' ],
		[ q{'many', ttl => 0} => '22003' ],
		[ q{'many', ttl => -1} => '22003' ],
		[ q{'many', ttl => 601} => '22003' ],
		[ q{'many', ttl => 2147483647} => '22003' ])
	{
		my ($arguments, $state) = @$_;
		like(lease_error($arguments), qr/^$state: /, "kid_lease_worker($arguments)");
	}
	like(lease_error(q{'many', ttl => 601}), qr/\nDETAIL:  Windows of pool "many" have 1 to 600 .*\nHINT:  Ask for/,
		'the error says which windows can be leased');
	foreach (
		[ q{'many', -1, 5} => '22003' ],
		[ q{'many', 5, 1024} => '22003' ],
		[ q{'many', 6, 5} => '22003' ],
		[ q{'many', NULL, 5} => '22004' ],
		[ q{NULL, 1, 5} => '22004' ],
		[ q{'many', 1, 5, 'sno'} => '55000' ],
		[ q{'many', 1, 5, max_ttl => 11} => '55000' ],
		[ q{'many', 1, 5, margin => 6} => '55000' ],
		[ q{'many', 1, 5, epoch => 1} => '55000' ],
		[ q{'many', 1, 5, per_role => 0} => '22003' ],
		[ q{'new', 1, 5} => '22023' ],
		[ q{'new', 1, 5, 'kid95'} => '22023' ],
		[ q{'new', 1, 5, 'flake', lanes => 2} => '22023' ],
		[ q{'new', 1, 5, 'sno', epoch => 2} => '22023' ],
		[ q{'new', 1, 5, 'flake', epoch => -1} => '22003' ],
		[ q{'new', 1, 5, 'flake', epoch => 1288834974657000} => '22003' ],
		[ q{'new', 1, 5, 'kid64'} => '22023' ],
		[ q{'new', 1, 5, 'kid64', lanes => 12} => '22023' ],
		[ q{'new', 1, 5, 'kid64', lanes => 2048} => '22023' ],
		[ q{'new', 1, 5, 'kid53', lanes => 128} => '22023' ],
		[ q{'new', 1, 5, 'flake', max_ttl => 0} => '22003' ],
		[ q{'new', 1, 5, 'flake', max_ttl => 3601} => '22003' ],
		[ q{'new', 1, 5, 'flake', margin => -1} => '22003' ],
		[ q{'', 1, 5, 'flake'} => '23514' ])
	{
		my ($arguments, $state) = @$_;
		like(error_of("SELECT kid.kid_add_workers($arguments)"), qr/^$state: /, "kid_add_workers($arguments)");
	}
	like(error_of(q{SELECT kid.kid_close_workers('many', 65, 70)}), qr/^42704: /, 'there are no such numbers to close');
	like(error_of(q{SELECT kid.kid_adopt_workers('nothing')}), qr/^42704: /, 'nor such a pool to adopt');
	return;
}

# Who may do what.
sub rights
{
	my ($edition) = @_;
	sql(q{SELECT kid.kid_add_workers('rights', 100, 199, 'flake', max_ttl => 600, fresh => true)});
	my $mine = lease(q{'rights', ttl => 600});
	foreach my $query (
		q{SELECT * FROM kid_workers.numbers},
		q{SELECT token FROM kid_workers.numbers},
		q{SELECT * FROM kid_workers.pools},
		q{SELECT * FROM kid_workers.roles},
		q{UPDATE kid_workers.numbers SET holder = NULL},
		q{INSERT INTO kid_workers.roles VALUES ('rights', 'app')},
		q{BEGIN; LOCK TABLE kid_workers.pools},
		q{SELECT * FROM kid.kid_workers()},
		q{SELECT kid.kid_add_workers('rights', 200, 201)},
		q{SELECT kid.kid_close_workers('rights', 100, 199)},
		q{SELECT kid.kid_adopt_workers('rights')},
		q{SELECT kid_workers.lock_own(NULL, 1, NULL, 'app', 1)},
		q{SELECT kid_workers.lock_free(NULL, 1, 1)},
		q{SELECT kid_workers.postpone('rights', NULL)},
		q{SELECT kid_workers.notice_overlap(NULL, 1, 1)},
		q{SELECT kid_workers.caller()},
		q{SELECT kid_workers.keep()},
		q{CREATE TABLE kid_workers.t ()})
	{
		is(sqlstates_of($query, role => 'app'), '42501', "$edition: a role that leases may not: $query");
		is(sqlstates_of($query, role => 'stranger'), '42501', "$edition: nor may another: $query");
	}
	foreach my $query (
		q{CALL kid.kid_lease_worker('rights')},
		"SELECT kid.kid_forget_worker('rights', $mine->{number}, '$mine->{token}')",
		q{SELECT kid_workers.notice_failover('rights')},
		q{SELECT kid_workers.grant_window('rights', NULL, NULL, 5, NULL)},
		q{SELECT kid_workers.wait_again('rights', 1)},
		"SELECT kid_workers.tell_window('rights', $mine->{number}, '$mine->{token}')")
	{
		is(sqlstates_of($query, role => 'stranger'), '42501', "$edition: without the right to lease, an error: $query");
	}
	my $statistics = q{SELECT count(*) FROM pg_stats WHERE schemaname = 'kid_workers'};
	sql('ANALYZE kid_workers.numbers');
	cmp_ok(sql($statistics), '>', 0, 'there are statistics');
	is(sql($statistics, role => 'app'), 0, 'which no role sees');

	# SET ROLE decides, as it does for other rights.
	my $superuser = sql('SELECT current_user');
	is(sqlstates_of(q{SET ROLE stranger; CALL kid.kid_lease_worker('rights')}, role => $superuser), '42501',
		'a superuser who has become another role may do what that role may');
	is(sqlstates_of(q{SET ROLE stranger; SELECT kid_workers.grant_window('rights', NULL, NULL, 5, NULL)},
			role => $superuser),
		'42501', 'in the steps, too');
	sql('GRANT app TO stranger');
	my $leased = output_of(q{SET ROLE app; CALL kid.kid_lease_worker('rights')}, role => 'stranger');
	like($leased, qr/^1\d\d\|/, 'a member of a role leases as that role');
	my ($number) = $leased =~ /^(\d+)/;
	is(sql("SELECT role FROM kid.kid_workers() WHERE pool = 'rights' AND number = $number"), 'app', 'in its name');
	sql('REVOKE app FROM stranger');
	my $others = renew('rights', $mine, 'other');
	isnt($others->{number}, $mine->{number}, 'another role cannot use a token');
	is(renew('rights', $mine, 'app', 600)->{since}, $mine->{until}, 'and its owner still can');
	return;
}

# The queries of the page, as a role that may only watch: they return a row for each pool and role that is not well.
sub watched
{
	my ($edition) = @_;
	my ($section) = slurp_file('docs/guides/worker-numbers.md') =~ /^## Watch the pools\n(.*?)^## /ms;
	my ($pools, $roles) = $section =~ /^```sql\n(.*?;)$/msg;
	sql(qq{SELECT kid.kid_add_workers('w_$_', 1, 3, 'flake', max_ttl => 600, per_role => 3, fresh => true)})
	  foreach qw(well few ahead unadopted closed retired);
	sql(q{SET client_min_messages = error; SELECT kid.kid_close_workers('w_retired', 1, 3);
		UPDATE kid_workers.numbers SET until = (extract(epoch FROM now())::bigint + 9999) * 1000
		WHERE pool = 'w_ahead' AND number = 2;
		UPDATE kid_workers.pools SET history = 'another/1' WHERE pool = 'w_unadopted'});
	my @leased = map { lease(q{'w_few', ttl => 600}) } 1 .. 3;
	lease(q{'w_closed', ttl => 1});
	sql(q{SELECT kid.kid_close_workers('w_closed', 1, 3)});

	my $alerts_of = sub {
		my ($query) = @_;
		return join ' ', sort grep { !/^(?!w_)\w+[|]/ } split /\n/,
		  output_of("SET search_path = kid; $query", role => 'watcher');
	};
	is($alerts_of->($pools),
		'w_ahead|3|2|1|0|0 w_closed|0|0|0|0|0 w_few|3|0|0|0|0 w_unadopted|3|0|0|0|3',
		"$edition: a role of pg_monitor sees the pools that are not well");
	is($alerts_of->($roles), 'w_few|app|3|3', 'and the roles that have nearly as many numbers as they may have');
	sql(q{SELECT kid.kid_add_workers('w_closed', 1, 3, fresh => true);
		SELECT kid.kid_add_workers('w_few', 4, 4, per_role => 4, fresh => true);
		UPDATE kid_workers.pools SET history = kid_workers.history() WHERE pool = 'w_unadopted';
		SELECT kid.kid_close_workers('w_ahead', 2, 2)});
	is($alerts_of->($pools), 'w_few|4|1|0|0|0', 'one free number of four is too few');
	sql(q{SELECT kid.kid_add_workers('w_few', 5, 5, fresh => true)});
	is($alerts_of->($pools) . $alerts_of->($roles), '', 'the alerts end when somebody has done what the page says');
	is(sqlstates_of($_, role => 'watcher'), '42501', "it may not: $_")
	  foreach 'SELECT * FROM kid_workers.pools', 'SELECT * FROM kid_workers.numbers';
	is(sql(q{SELECT array_to_string(proargnames, ' ') FROM pg_proc WHERE proname = 'kid_workers'}),
		'pool number state role holder since until per_role', 'no token is shown');
	return;
}

# Functions, operators and types of the caller with names that the procedure could use.
sub names_of_a_caller
{
	my ($edition) = @_;
	sql('CREATE SCHEMA trap; GRANT ALL ON SCHEMA trap TO app');
	my $planted = output_of(q{
		CREATE TYPE trap.record AS (n int); CREATE TYPE trap.text AS ENUM ('a'); CREATE TYPE trap.uuid AS ENUM ('a');
		CREATE FUNCTION trap.notice_failover(text) RETURNS boolean LANGUAGE sql AS 'SELECT 1 / 0 = 1';
		CREATE FUNCTION trap.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$SELECT '2001-01-01'::timestamptz$$;
		CREATE FUNCTION trap.greatest(bigint, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 1';
		DO $$
		DECLARE
			o record;
		BEGIN
			CREATE FUNCTION trap.planted(name, text) RETURNS boolean LANGUAGE plpgsql
				AS 'BEGIN RAISE EXCEPTION ''planted''; END';
			FOR o IN SELECT format('CREATE FUNCTION trap.%1$I(a %2$s, b %3$s) RETURNS %4$s LANGUAGE plpgsql
					AS ''BEGIN RAISE EXCEPTION ''''planted''''; END'';
					CREATE OPERATOR trap.%5$s (LEFTARG = %2$s, RIGHTARG = %3$s, FUNCTION = trap.%1$I)',
					'op' || oid, format_type(oprleft, NULL), format_type(oprright, NULL), format_type(oprresult, NULL),
					oprname) AS ddl
				FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace
				AND oprname IN ('<', '<=', '>', '>=', '=', '<>', '+', '-', '*', '/', '%', '||')
				AND oprleft IN ('int8'::regtype, 'int4'::regtype, 'pg_catalog.text'::regtype,
					'pg_catalog.uuid'::regtype, 'bool'::regtype, 'name'::regtype)
				AND oprright = oprleft
			LOOP
				EXECUTE o.ddl;
			END LOOP;
		END $$;
		SET search_path = trap, pg_catalog, kid; SET plpgsql.extra_errors = 'all'; SET quote_all_identifiers = on;
		CALL kid.kid_lease_worker('rights', ttl => 5)}, role => 'app');
	like($planted, qr/^1\d\d\|\S{36}\|\d+000\|\d+000\|\d{13}\|\|0\|flake$/, "$edition: no name of a caller is trusted");
	is(sqlstates_of(q{SET search_path = trap, pg_catalog; SELECT 1::bigint = 1::bigint}, role => 'app'),
		'P0001', 'the trap works');
	my ($token) = $planted =~ /\|(\S{36})\|/;
	my ($number) = $planted =~ /^(\d+)/;
	like(output_of("SET search_path = trap, pg_catalog; CALL kid.kid_lease_worker('rights', $number, '$token')",
			role => 'app'),
		qr/^$number\|/, 'nor when it renews');
	return;
}

# The tables change in no way after which a window could be granted again.
sub kept
{
	my ($edition) = @_;
	foreach my $change (
		'DELETE FROM kid_workers.numbers',
		'TRUNCATE kid_workers.numbers',
		'TRUNCATE kid_workers.pools, kid_workers.numbers',
		'UPDATE kid_workers.numbers SET until = until - 1000',
		'UPDATE kid_workers.numbers SET number = number + 1000',
		q{UPDATE kid_workers.numbers SET pool = 'orders'},
		'DELETE FROM kid_workers.pools',
		'UPDATE kid_workers.pools SET max_ttl = max_ttl - 1',
		'UPDATE kid_workers.pools SET epoch = epoch + 1')
	{
		like(error_of($change), qr/^55000: worker numbers are closed, not deleted/, "$edition: an error: $change");
	}
	my $state = q{SELECT md5(string_agg(n::text, ' ' ORDER BY n.pool, n.number)) FROM kid_workers.numbers AS n};
	my $before = sql($state);
	sql(q{SET session_replication_role = replica; UPDATE kid_workers.numbers SET until = 0;
		DELETE FROM kid_workers.numbers;
		INSERT INTO kid_workers.numbers (pool, number, until) VALUES ('orders', 7, 0);
		INSERT INTO kid_workers.pools SELECT 'x' AS pool, type, lanes, epoch, max_ttl, margin, per_role, history
			FROM kid_workers.pools LIMIT 1; UPDATE kid_workers.pools SET history = ''});
	is(sql($state), $before, 'changes that come by replication are ignored');
	is(sql(q{SELECT count(*) FROM kid_workers.pools WHERE pool = 'x' OR history = ''}), 0, 'those of pools, too');
	return;
}

# No number of this server is leased, whatever is set later.
sub numbers_of_a_server
{
	use_database($node, 'extension');
	my $set = sub {
		my ($settings) = @_;
		$node->append_conf('postgresql.conf', "$settings\n");
		$node->restart;
	};
	my %hash =
	  map { $_ => qr/^55000: this server makes IDs with numbers of pool "$_"\nDETAIL:  .* is auto\.\nHINT:  S/ }
	  qw(sno kid96);
	my $lanes = qr/^55000: .*\nDETAIL:  The server makes kid\d\d with all lanes, because kid.lanes is 1\.\nHINT:  Set/;
	like(error_of(qq{SELECT kid.kid_add_workers('$_', 1, 9, '$_', fresh => true)}), $hash{$_}, "$_ and kid.node = auto")
	  foreach qw(sno kid96);
	like(error_of(qq{SELECT kid.kid_add_workers('$_', 1, 3, '$_', lanes => 16)}), $lanes, "$_ and kid.lanes = 1")
	  foreach qw(kid64 kid53);
	like(error_of(q{SELECT kid.kid_add_workers('zero', 0, 5, 'flake')}),
		qr/^55000: this server makes IDs with number 0 of pool "zero"/, 'the generator of flake is 0');

	$set->("kid.node = 3\nkid.lanes = 16\nkid.flake_epoch = 1288834974657");
	foreach (
		[ flake => 1000, '' ],
		[ sno => 60000, '' ],
		[ kid96 => 4294967295, '' ],
		[ kid64 => 15, ', lanes => 16' ],
		[ kid53 => 15, ', lanes => 16' ])
	{
		my ($type, $to, $lanes_of) = @$_;
		my $from = $to - 10;
		like(error_of("SELECT kid.kid_add_workers('$type', 0, 4, '$type'$lanes_of, fresh => true)"),
			qr/^55000: this server makes IDs with number 3 of pool/, "$type: the number of the server");
		my $numbers = "'$type', $from, $to, '$type'$lanes_of";
		is(output_of("SELECT kid.kid_add_workers($numbers, max_ttl => 600, fresh => true)"),
			'', "$type: only pools of other types have the same numbers");
	}
	like(error_of(q{SELECT kid.kid_add_workers('x', 16, 19, 'kid64', lanes => 32)}), qr/^55000: .* number 19 of pool/,
		'a lane of 32 is part of one of 16');
	like(output_of(q{SELECT kid.kid_add_workers('x', 20, 21, 'kid64', lanes => 32)}),
		qr/NOTICE:  00000: pools "x" and "kid64" have .*\nDETAIL:  .* pool "kid64" is 5\./, 'of another pool, too');
	my %lease = map { $_ => lease("'$_', ttl => 1") } qw(flake sno kid96 kid64 kid53);
	is("$lease{kid64}{lanes} $lease{kid53}{lanes}", '16 16', 'the reply has the lanes');
	is($lease{$_}{type}, $_, "and the type $_") foreach keys %lease;
	is($lease{flake}{epoch}, 1288834974657, 'the epoch of flake is that of the server');

	# The number of the server becomes one that was leased. Its role, which may have one number, gets another one when
	# its window has ended.
	sql(q{SELECT kid.kid_add_workers('kid64', 5, 15, per_role => 1)});
	$set->("kid.node = $lease{kid64}{number}");
	sql("SELECT pg_sleep_until(to_timestamp($lease{kid64}{until} / 1000.0))");
	my $renewed = renew('kid64', $lease{kid64}, 'app', 600);
	isnt($renewed->{number}, $lease{kid64}{number}, 'a number that has become the server\'s is not renewed');
	sql("SELECT kid.kid_add_workers('kid64', $renewed->{number}, $renewed->{number}, per_role => 1024)");
	is(sql("SELECT state FROM kid.kid_workers() WHERE pool = 'kid64' AND number = $lease{kid64}{number}"), 'server',
		'kid_workers() shows it');
	sql("SELECT kid.kid_close_workers('kid64', $lease{kid64}{number}, $lease{kid64}{number})");
	is(sql("SELECT state FROM kid.kid_workers() WHERE pool = 'kid64' AND number = $lease{kid64}{number}"), 'closed',
		'and that the owner has closed it');
	lease(q{'kid64', ttl => 600}) foreach 1 .. 9;
	like(lease_error(q{'kid64'}), qr/^53400: no worker number/, 'nor is it leased again');
	$set->("kid.node = auto\nkid.lanes = 1");
	like(lease_error("'$_'"), $hash{$_}, "$_: kid.node = auto again") foreach qw(sno kid96);
	like(lease_error("'$_'"), $lanes, "$_: kid.lanes = 1 again") foreach qw(kid64 kid53);
	like(lease_error("'$_', $lease{$_}{number}, '$lease{$_}{token}'"), $lanes, "$_: not even a renewal")
	  foreach qw(kid64 kid53);
	$set->('kid.sno_partition = 7');
	is(lease(q{'sno'})->{number} > 7, 1, 'sno needs its partition alone');

	use_database($node, 'plain');
	sql(q{SELECT kid.kid_add_workers('kid53', 0, 15, 'kid53', lanes => 16, fresh => true)});
	is(lease(q{'kid53'})->{lanes}, 16, 'in a database that makes no IDs, every lane can be leased');
	return;
}

# The scripts in plain SQL keep numbers, and the rights that were given, when they run again, in any order.
sub installed_again
{
	use_database($node, 'plain');
	my $mine = lease(q{'rights', ttl => 600});
	foreach my $script (qw(kid-workers kid-ids kid-all kid-ids))
	{
		is(output_of("\\i $script{$script}"), '', "$script runs again");
		is(sqlstates_of(q{CALL kid.kid_lease_worker('rights')}, role => 'stranger'), '42501', 'no role got the right');
		is(sqlstates_of(q{SELECT * FROM kid.kid_workers()}, role => 'stranger'), '42501', 'nor any other');
	}
	is(renew('rights', $mine, 'app', 600)->{number},
		$mine->{number}, 'a role keeps its right, and a number its window');
	like(lease_error(q{'kid53'}), qr/^55000: this server .*\nDETAIL:  This database makes kid53 with all lanes/,
		'a database that makes IDs itself leases none of its lanes');
	return;
}
