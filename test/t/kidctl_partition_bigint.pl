# kidctl partition: tables whose key is a bigint that contains IDs, in the extension and in plain SQL. Its default tells
# which, or --ids does. Numbers that came from a sequence before are less than all IDs. Another role has created
# functions in the schema of kid, which nobody calls.
use strict;
use warnings;
use utf8;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = kidctl_server();
$node->safe_psql('postgres', 'CREATE ROLE shop LOGIN BYPASSRLS CREATEDB; CREATE ROLE other LOGIN');
use_database($node, 'postgres', role => 'shop');

# Runs kidctl partition in a database, as the owner of the tables. Returns what it prints, and its exit status.
sub kidctl
{
	my ($database, $action, @arguments) = @_;
	return run_kidctl(connection_as($node, $database, 'shop'), 'partition', $action, @arguments);
}

# Does the same, and has to succeed.
sub kidctl_ok
{
	my ($database, $action, @arguments) = @_;
	return must_run_kidctl(connection_as($node, $database, 'shop'), 'partition', $action, @arguments);
}

sub dump_of { return dump_schema($node->connstr($_[0]), '--exclude-schema=kid*') }

# Creates a database that belongs to shop, with kid as the extension or in plain SQL.
sub create
{
	my ($database, $is_plain) = @_;
	create_database($database, 'shop', $is_plain);
	$node->safe_psql($database, 'GRANT CREATE ON SCHEMA public TO other');
	# Functions that another role has created in the schema of kid, and that fit less exact calls better
	foreach ('kid64_timestamp(bigint) RETURNS timestamptz IMMUTABLE', 'kid_bound_at(regtype, text) RETURNS name',
		'kid_create_partitions(regclass, interval, timestamptz) RETURNS SETOF text',
		'kid_partitions(integer) RETURNS TABLE (partition regclass, begins timestamptz)')
	{
		sql_in($database, "CREATE FUNCTION public.$_ LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END'",
			role => 'other');
	}
	return;
}

foreach my $is_plain (0, 1)
{
	my $database = "bigint$is_plain";
	create($database, $is_plain);
	sql_in($database, q{CREATE TABLE by_default (id bigint PRIMARY KEY DEFAULT kid53_next(), item text);
		INSERT INTO by_default VALUES (1, 'of a sequence'), (2, 'of a sequence');
		INSERT INTO by_default SELECT kid53_floor(now() - n * interval '1 h'), 'old' FROM generate_series(1, 60) AS n;
		CREATE TABLE of_kid64 (id bigint PRIMARY KEY DEFAULT kid_next(), item text);
		INSERT INTO of_kid64 SELECT kid64_floor(now() - n * interval '1 h')::bigint FROM generate_series(1, 60) AS n;
		CREATE TABLE "by Clients" ("the Id" bigint PRIMARY KEY, tenant bigint, item text);
		INSERT INTO "by Clients" SELECT kid53_floor(now() - n * interval '1 h') FROM generate_series(1, 60) AS n;
		CREATE TABLE composite (tenant bigint, id bigint DEFAULT kid53_next(), PRIMARY KEY (tenant, id));
		CREATE TABLE serials (id bigserial PRIMARY KEY, item text); INSERT INTO serials (item) VALUES ('x');
		CREATE TABLE negative (id bigint PRIMARY KEY DEFAULT kid53_next()); INSERT INTO negative VALUES (-1), (DEFAULT);
		CREATE DOMAIN number AS bigint; CREATE TABLE of_domain (id number PRIMARY KEY DEFAULT kid53_next())});
	foreach (
		[ serials => 'kid53', qr/default nextval.*whose values do not contain the time/ ],
		[ negative => undef, qr/1 of 2 keys looked at contain no time, such as -1/ ],
		[ by_default => 'kid64', qr/has IDs kid53, as the default of its key says, and not kid64/ ],
		[ '"by Clients"' => undef, qr/say which: --ids kid53, --ids kid64, --ids flake\./ ],
		[ '"by Clients"' => 'flake', $is_plain ? qr/has no primary key with IDs of kid/ : qr/contain no time/ ],
		[ of_domain => undef, qr/give it their type, and not a domain/ ])
	{
		my ($table, $ids, $why) = @$_;
		my ($said, $status) = kidctl($database, 'check', $table, '--width', '1 day', $ids ? ('--ids', $ids) : ());
		cmp_ok($status, '>=', 1, "$database: $table cannot be partitioned");
		like($said, $why, 'and check says why');
	}
	foreach ([ 'by_default', 'id' ], [ 'of_kid64', 'id' ], [ 'composite', 'id' ],
		[ '"by Clients"', '"the Id"', '--ids', 'kid53' ])
	{
		my ($table, $key, @ids) = @$_;
		my $before = dump_of($database);
		my $sum = "SELECT count(*), sum($key) FROM $table";
		my $rows = sql_in($database, $sum);
		my ($said, $status) = kidctl($database, 'run', $table, '--width', '1 day', @ids);
		is($status, 0, "$database: kidctl partition run $table @ids") or diag($said);
		like($said, @ids ? qr/kid_create_partitions\(\) with ids => 'kid53' regularly/
			: qr/kid_create_partitions\(\) regularly/, 'and says how to create more partitions');
		my $contents = $table eq 'of_kid64' ? 'kid64' : 'kid53';
		my $floor = sub { return "${contents}_floor($_[0])::bigint" };
		is(sql_in($database, "SELECT count(*) FROM kid_partitions('$table', '$contents')
				WHERE begins IN ('-infinity', now()::date + 2, now()::date + 3)"), 3,
			'there are the first partition, and partitions of days');
		my ($name, $value) = $table eq 'composite' ? (', tenant', ', 1') : ('', '');
		is(sql_in($database, "INSERT INTO $table ($key$name) VALUES (" . $floor->("now()::date + interval '50 h'")
				  . qq{$value) RETURNING right(trim('"' FROM tableoid::regclass::text), 10)}),
			sql_in($database, q{SELECT to_char(now()::date + 2, '_pYYYYMMDD')}), 'which new rows are in by their time');
		sql_in($database, "DELETE FROM $table WHERE $key >= " . $floor->("now()::date + interval '50 h'"));
		kidctl_ok($database, 'back', $table);
		same_text(dump_of($database), $before, 'the way back ends where it began');
		kidctl_ok($database, 'run', $table, '--width', '1 day', @ids, '--no-rehearsal');
		kidctl_ok($database, 'finish', $table);
		next if $table eq 'composite';
		my @accepted = $table eq 'by_default' ? ('--accept', 'public.by_default_old') : ();
		like((kidctl($database, 'move', $table, '--width', '1 month', '--no-rehearsal'))[0],
			qr/such as 1; as an ID it is of 2020-01-01 .*, so partitions of 1 month are created from there on/,
			'numbers of a sequence would get partitions of their own') if @accepted;
		kidctl_ok($database, 'move', $table, '--width', '1 month', @ids, @accepted, '--no-rehearsal');
		is(sql_in($database, $sum), $rows, 'rows that move into partitions by time are as before');
		is(sql_in($database, "SELECT count(*) FROM $table WHERE $key >= "
				  . $floor->("date_trunc('month', now() - interval '1 h')")),
			sql_in($database,
				"SELECT format('SELECT count(*) FROM %s', partition) FROM kid_partitions('$table', '$contents')
				WHERE begins = date_trunc('month', now() - interval '1 h') \\gexec"),
			'and in that of their month');
		sql_in($database, "SELECT kid_create_partitions('$table'::regclass, '1 month'::interval,
			now() + interval '3 months', NULL, 100, true, '$contents')");
		is(sql_in($database, "SELECT count(*) > 0 FROM pg_constraint WHERE conname = 'kid_time'
			AND conrelid::regclass IN (SELECT partition FROM kid_partitions('$table', '$contents'))
			AND pg_get_constraintdef(oid) ~ '${contents}_timestamp'"), 't', 'new partitions can have a constraint');
	}
}

done_testing();
