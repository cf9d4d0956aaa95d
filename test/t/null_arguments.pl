# Which arguments may be NULL. A function that is called for what it does refuses a NULL that has no meaning, and names
# the argument. What computes something from its arguments returns NULL, mostly because it is STRICT. The functions that
# are not are called here with each argument NULL in turn, in both editions.
use strict;
use warnings;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = use_new_server("timezone = 'UTC'\nlc_messages = 'C'\nkid.lanes = 16\nkid.node = 9\n");
plan skip_all => 'no pgcrypto'
  if sql(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pgcrypto'}) eq 0;
my @plain = map { '\i ' . assemble($_) } qw(kid-all kid-seal);
my %install = (
	extension => 'CREATE SCHEMA kid; CREATE SCHEMA kid_seal; CREATE EXTENSION kid SCHEMA kid; CREATE EXTENSION pgcrypto;
		CREATE EXTENSION kid_seal SCHEMA kid_seal; CREATE EXTENSION kid_workers SCHEMA kid',
	plain => join "\n", 'CREATE EXTENSION pgcrypto;', @plain);

# A call of each function: its arguments, and values that they may have.
my $key = "'" . '5a' x 32 . "'";
my @day = (since => q{now() - interval '1 day'}, until => q{now() + interval '1 day'});
my %calls = (
	flake_make => [ ts => 'now()', datacenter => 1, worker => 1, sequence => 1, epoch => 'NULL' ],
	kid53_within => [ id => 'kid53_next()', @day ],
	kid64_within => [ id => 5, @day ],
	kid96_make => [ ts => 'now()', node => 1, sequence => 1, neighborhood => 1 ],
	kid_add_workers => [
		pool => q{'other'}, first => 1, last => 2, type => q{'flake'}, lanes => 'NULL', epoch => 'NULL', max_ttl => 60,
		margin => 'NULL', per_role => 9, fresh => 'true'
	],
	kid_adopt_workers => [ pool => q{'pods'} ],
	kid_close_workers => [ pool => q{'pods'}, first => 100, last => 100 ],
	kid_create_partitions => [
		parent => q{'parts'}, width => q{'1 day'}, until => 'now()', since => 'now()', at_most => 9,
		time_check => 'true', ids => 'NULL'
	],
	kid_drop_partitions =>
	  [ parent => q{'parts'}, older_than => 'now()', dry_run => 'true', at_most => 9, ids => 'NULL' ],
	kid_horizon => [ tab => q{'tracked'}, horizon => 5 ],
	kid_lease_worker => [
		pool => q{'pods'}, number => 'NULL', token => 'NULL', since => 'NULL', until => 'NULL', now => 'NULL',
		lanes => 'NULL', epoch => 'NULL', type => 'NULL', ttl => 5, holder => q{'pod'}
	],
	kid_partitions => [ parent => q{'parts'}, ids => 'NULL' ],
	kid_reset_clock => [ above => 'now()', force => 'true' ],
	kid_seal_forget_key => [ n => 2 ],
	kid_seal_import_key => [ n => 3, key => $key, forgotten_ok => 'false' ],
	kid_seal_use_key => [ n => 1 ],
	kid_stored_ids => [ after => 'now()', only_clock => q{'kid'}, parent => q{'parts'} ],
	kid_track => [ tab => q{'numbers'}, col => q{'id'}, reject => 'true' ],
	kid_track_holders => [ tab => q{'tracked'} ],
	kid_untrack => [ tab => q{'tracked'} ],
	kid_uuidv7_horizon => [ tab => q{'uuids'}, horizon => 'NULL' ],
	kid_within => [ id => 'kid_next()', @day ]);

# Those of %calls that refuse NULL, and those that return NULL, or no rows. For all others NULL has a meaning.
my %refuses = (
	kid_add_workers => 'first fresh last pool',
	kid_adopt_workers => 'pool',
	kid_close_workers => 'first last pool',
	kid_create_partitions => 'parent time_check until width',
	kid_drop_partitions => 'dry_run older_than parent',
	kid_horizon => 'tab',
	kid_lease_worker => 'pool ttl',
	kid_reset_clock => 'above force',
	kid_seal_forget_key => 'n',
	kid_seal_import_key => 'forgotten_ok key',
	kid_seal_use_key => 'n',
	kid_track => 'reject tab',
	kid_track_holders => 'tab',
	kid_untrack => 'tab',
	kid_uuidv7_horizon => 'tab');
my %nulls = (
	flake_make => 'datacenter sequence ts worker',
	kid53_within => 'id',
	kid64_within => 'id',
	kid96_make => 'node sequence ts',
	kid_partitions => 'parent',
	kid_within => 'id since until');

# Calls a function. Returns the name of an argument that it refuses, "null" for NULL or no rows, "" for another result,
# or an error.
sub result_of
{
	my ($name, @arguments) = @_;
	my @written;
	while (my ($argument, $value) = splice @arguments, 0, 2) { push @written, "$argument => $value" }
	my $call = "$name(" . join(', ', @written) . ')';
	return refused(error_of("CALL $call")) if $name eq 'kid_lease_worker';    # which commits
	return refused(error_of("BEGIN; CALL $call; ROLLBACK")) if $name =~ /horizon$/;
	my $output = output_of("BEGIN; SELECT count(*) > 0 FROM $call AS r WHERE r IS DISTINCT FROM NULL; ROLLBACK");
	return $output =~ /^f$/m ? 'null' : refused(($output =~ /ERROR:  (.*)/)[0] // '');
}
sub refused { return $_[0] =~ s/^22004: argument "(\w+)" must not be null$/$1/mr =~ s/\n.*//sr }

my $docs = join '', map { slurp_file($_) } glob 'docs/*/*.md';
foreach my $edition (sort keys %install)
{
	sql("CREATE DATABASE $edition; ALTER DATABASE $edition SET search_path = kid, kid_seal, public");
	use_database($node, $edition);
	is(output_of($install{$edition}) =~ s/^.*NOTICE.*\n?//mgr, '', "there is the $edition");
	sql(q{CREATE TABLE public.numbers (id bigserial PRIMARY KEY);
		CREATE TABLE public.tracked (id bigserial PRIMARY KEY);
		CREATE TABLE public.parts (id kid64 PRIMARY KEY DEFAULT kid_next()) PARTITION BY RANGE (id);
		SET client_min_messages = warning; SELECT kid_track('tracked');
		SELECT kid_add_workers('pods', 100, 199, 'flake', per_role => 100, fresh => true);
		SELECT kid_add_workers('other', 1, 2, 'flake', max_ttl => 60, per_role => 9, fresh => true);
		SELECT kid_create_partitions('parts', '1 day', now()); SELECT kid_seal_use_key(kid_seal_new_key());
		SELECT kid_seal_new_key()});
	sql(q{CREATE TABLE public.uuids (id uuid PRIMARY KEY DEFAULT kid_uuidv7()); SET client_min_messages = warning;
		SELECT kid_track('uuids')}) if $edition eq 'plain';
	my @names = grep { $docs =~ /\b\Q$_\E\(/ && !/^(?:kid_lower_clocks|kid64_number)$/ } split /\n/,
	  sql(q{SELECT DISTINCT proname FROM pg_proc WHERE pronamespace IN ('kid'::regnamespace, 'kid_seal'::regnamespace)
		AND NOT proisstrict AND prokind <> 'a' AND pronargs > 0 ORDER BY 1});
	cmp_ok(scalar @names, '>', 15, "$edition: functions that are not STRICT");
	foreach my $name (@names)
	{
		my @arguments = @{ $calls{$name} // die "$name is not among the calls of this test" };
		my $as_usual = result_of($name, @arguments);
		is($as_usual =~ s/^null$//r, '', "$edition: $name() is called");
		my %found = map { $_ => [] } qw(refuses null);
		foreach my $i (map { 2 * $_ } 0 .. $#arguments / 2)
		{
			my $argument = $arguments[$i];
			# kid_within() has several types of IDs.
			my $null = "$name $argument" eq 'kid_within id' ? 'NULL::kid64' : 'NULL';
			my $result = result_of($name, @arguments[ 0 .. $i ], $null, @arguments[ $i + 2 .. $#arguments ]);
			push @{ $found{ $result eq $argument ? 'refuses' : $result } }, $argument if $result ne $as_usual;
		}
		$_ = join ' ', sort @$_ foreach values %found;
		is_deeply(\%found, { refuses => $refuses{$name} // '', null => $nulls{$name} // '' },
			"$edition: which arguments $name() refuses, and for which it returns NULL");
	}
}
$node->stop;
done_testing();
