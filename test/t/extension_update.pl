# Updates of the extension: from each released version, ALTER EXTENSION UPDATE ends with the same catalog as a fresh
# installation.
use strict;
use warnings;
use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my $directory = $node->config_data('--sharedir') . '/extension';
my ($current) = slurp_file("$directory/kid.control") =~ /default_version = '(.*)'/;

# All objects of an extension, each with its definition. It contains no OIDs, because they differ between databases.
my $catalogue = q{
	SELECT i.type, i.identity, obj_description(d.objid, c.relname) AS comment,
	       CASE c.relname
	            WHEN 'pg_proc' THEN (SELECT CASE prokind WHEN 'a'
	                THEN (SELECT concat_ws(' ', aggtransfn, aggcombinefn, aggsortop::regoperator, aggtranstype::regtype)
	                                                               FROM pg_aggregate WHERE aggfnoid = p.oid)
	                                        ELSE concat_ws(' ', pg_get_functiondef(p.oid), p.proacl::text) END
	                                   FROM pg_proc p WHERE p.oid = d.objid)
	            WHEN 'pg_type' THEN (SELECT concat_ws(' ', typlen, typbyval, typalign, typstorage, typinput, typoutput,
	                typreceive, typsend, typanalyze, NULLIF(typbasetype, 0)::regtype)
	                                   FROM pg_type t WHERE t.oid = d.objid)
	            WHEN 'pg_operator' THEN (SELECT concat_ws(' ', oprcode, oprcom::regoperator, oprnegate::regoperator,
	                oprrest, oprjoin, oprcanmerge, oprcanhash)
	                                       FROM pg_operator o WHERE o.oid = d.objid)
	            WHEN 'pg_cast' THEN (SELECT concat_ws(' ', castfunc::regprocedure, castcontext, castmethod)
	                FROM pg_cast t WHERE t.oid = d.objid)
	            WHEN 'pg_opfamily' THEN (SELECT concat_ws(' ',
	                 (SELECT string_agg(concat_ws(' ', amopstrategy, amopopr::regoperator), ', '
	                     ORDER BY amopopr::regoperator::text) FROM pg_amop WHERE amopfamily = d.objid),
	                 (SELECT string_agg(concat_ws(' ', amprocnum, amproc::regprocedure, amproclefttype::regtype,
	                     amprocrighttype::regtype), ', '
	                                    ORDER BY amprocnum, amproc::regprocedure::text) FROM pg_amproc
	                                        WHERE amprocfamily = d.objid)))
	            WHEN 'pg_opclass' THEN (SELECT concat_ws(' ', opcintype::regtype, opckeytype::regtype, opcdefault)
	                FROM pg_opclass o WHERE o.oid = d.objid)
	            WHEN 'pg_class' THEN (SELECT concat_ws(' ', pg_get_viewdef(v.oid), v.relacl::text) FROM pg_class v
	                WHERE v.oid = d.objid)
	       END AS definition
	  FROM pg_depend d JOIN pg_class c ON c.oid = d.classid, pg_identify_object(d.classid, d.objid, d.objsubid) AS i
	 WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
		AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'EXTENSION')
	 ORDER BY i.type COLLATE "C", i.identity COLLATE "C"
};

# The dump of pg_upgrade contains the objects of extensions, and what belongs to them: columns, triggers,
# indexes, rights to schemas. Returns it without what differs between databases with the same objects, and
# without the versions of the extensions.
sub dump_of
{
	my ($database) = @_;
	my ($dump) = run_command([ 'pg_dump', '--binary-upgrade', '--schema-only', '-d', $node->connstr($database) ]);
	die 'pg_dump failed' if $dump eq '';
	$dump
	  =~ s/^(?:SELECT pg_catalog\.binary_upgrade_set_next_|SET relfrozenxid = |WHERE oid = |\\(?:un)?restrict ).*\n//mg;
	$dump =~ s{^(SELECT pg_catalog\.binary_upgrade_create_empty_extension\('\w+', '\w+', \w+, ).*ARRAY\[(.*?)\]}
		{$1 . join ',', sort split /,/, $2}mge;
	return join "\n\n\n", sort split /\n\n\n/, $dump;
}

# Runs statements in a new database. Returns what the catalogs and pg_dump say of an extension then.
sub catalogue_of
{
	my ($extension, $database, @commands) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, $_) foreach @commands;
	return join "\n", $node->safe_psql($database, $catalogue =~ s/EXTENSION/$extension/r),
	  $node->safe_psql($database,
		"SELECT extconfig::regclass[], extcondition FROM pg_extension WHERE extname = '$extension'"),
	  dump_of($database);
}

# Verifies that updates of an extension end with the catalog of a fresh installation of $to.
sub verify_updates
{
	my ($extension, $to, @from) = @_;
	(my $suffix = "${extension}_$to") =~ tr/./_/;
	my $fresh = catalogue_of($extension, "fresh_$suffix", "CREATE EXTENSION $extension VERSION '$to' CASCADE");
	foreach my $from (@from)
	{
		(my $database = "from_${from}_$suffix") =~ tr/./_/;
		my $updated = catalogue_of($extension, $database, "CREATE EXTENSION $extension VERSION '$from' CASCADE",
			"ALTER EXTENSION $extension UPDATE TO '$to'");
		is($node->safe_psql($database, "SELECT extversion FROM pg_extension WHERE extname = '$extension'"), $to,
			"$extension $from is updated to $to");
		ok($updated eq $fresh, "after the update of $extension from $from the catalog is that of a fresh $to");
	}
	return $fresh;
}

# An update script may be missing because nobody has thought of it, so each released version needs a way to this one.
my %released;
foreach (glob 'released/*.sql')
{
	push @{ $released{$1} }, $2 if basename($_) =~ /^(kid|kid_seal|kid_workers)--([0-9.]+)\.sql$/ && $2 ne $current;
}
ok(%released || $current eq '1.0.0', 'there are released versions, unless the current one is 1.0.0');
my %fresh = map { $_ => verify_updates($_, $current, @{ $released{$_} // [] }) } qw(kid kid_seal kid_workers);
cmp_ok(scalar(split /\n/, $fresh{kid}), '>', 500, 'the catalog of a fresh installation is not empty');

# A rehearsal of the next patch version, which changes a comment: how a fix reaches the databases that have kid.
(my $next = $current) =~ s/(\d+)$/$1 + 1/e;
my %change = (kid => "COMMENT ON FUNCTION \@extschema\@.kid_next() IS 'rehearsal';\n",
	kid_seal => "COMMENT ON SCHEMA kid_seal_internal IS 'rehearsal';\n",
	kid_workers => "COMMENT ON SCHEMA kid_workers IS 'rehearsal';\n");
my @rehearsal;
END { unlink @rehearsal }
foreach my $extension (sort keys %change)
{
	push @rehearsal, "$directory/$extension--$next.sql", "$directory/$extension--$current--$next.sql";
	append_to_file($rehearsal[-2], slurp_file("$directory/$extension--$current.sql") . $change{$extension});
	append_to_file($rehearsal[-1], $change{$extension});
	verify_updates($extension, $next, $current, @{ $released{$extension} // [] });
}

# Check the comparison itself: it must notice a missing object, a missing comment, another cost and
# another privilege, and another column.
my $number = 0;
foreach (
	[ kid => 'ALTER EXTENSION kid DROP FUNCTION kid_stats()' ],
	[ kid => 'COMMENT ON FUNCTION kid_next() IS NULL' ],
	[ kid => 'ALTER FUNCTION kid_next() COST 2' ],
	[ kid => 'GRANT EXECUTE ON FUNCTION kid_observe(sno) TO PUBLIC' ],
	[ kid => 'REVOKE USAGE ON TYPE kid64 FROM PUBLIC' ],
	[ kid_seal => 'ALTER TABLE kid_seal_internal.keys ALTER made DROP DEFAULT' ],
	[ kid_seal => 'ALTER TABLE kid_seal_internal.keys ADD n2 integer' ],
	[ kid_seal => 'GRANT USAGE ON SCHEMA kid_seal_internal TO PUBLIC' ],
	[ kid_seal => 'ALTER TABLE kid_seal_internal.keys ENABLE TRIGGER keep_keys' ])
{
	my ($extension, $change) = @$_;
	ok(catalogue_of($extension, 'changed_' . $number++, "CREATE EXTENSION $extension CASCADE",
			$change) ne $fresh{$extension},
		"the comparison notices: $change");
}

$node->stop;
done_testing();
