# The types in src/types.def, for tests that run for all of them. The details come from src/sql/extension/types/T.sql.
# Each type is a hash:
#
#         name      as in src/types.def
#         type      the SQL type of its columns
#         prefix    the beginning of the names of its functions
#         next      the name of its generator
#         inspect   the name of the function that lists the components of an ID
#         timestamp the name of the function that returns the time of an ID
#         observe   the name of the function that moves the logical clock past an ID, if there is one
#         is_own    whether it is kid's own, not one of PostgreSQL's
#         bytes     the size of an ID
package Types;
use strict;
use warnings;
use parent 'Exporter';
use File::Basename;

our @EXPORT = qw(all_types own_types names_of);
my $src = dirname(__FILE__) . '/../../src';

# Returns a file below src, or dies.
sub read_file
{
	my ($name) = @_;
	open my $file, '<', "$src/$name" or die "$src/$name: $!\n";
	local $/;
	return <$file>;
}

# Returns the hash of a type. Dies if its files say less than that.
sub describe
{
	my ($name) = @_;
	my $sql = read_file("sql/extension/types/$name.sql");
	my %value = (type => 'bigint', prefix => $name, $sql =~ /^\\set (\w+) (.*)$/mg);
	($value{next}) = $sql =~ /^CREATE FUNCTION (\w+)\((?:meta integer DEFAULT 0)?\)/m or die "$name: no generator";
	# Those of a core type that has other values, too, are not overloaded.
	foreach my $verb (qw(inspect timestamp observe))
	{
		$value{$verb} = $sql =~ /FUNCTION ${name}_inspect/ ? "${name}_$verb" : "kid_$verb";
	}
	delete $value{observe} if $sql !~ /FUNCTION $value{observe}\(|traits\/observe/;
	my ($bytes) = read_file("core/types/$name.hpp") =~ /static constexpr unsigned size = (\d+);/
	  or die "src/core/types/$name.hpp: no size";
	return { name => $name, %value{qw(type prefix next inspect timestamp observe)}, bytes => $bytes,
		is_own => scalar $sql =~ m{traits/io\.} };
}

# Returns all types.
sub all_types
{
	my @names = read_file("types.def") =~ /^X\((\w+)\)$/mg or die 'src/types.def: no types';
	return map { describe($_) } @names;
}

# Returns the types that kid itself defines in SQL.
sub own_types { return grep { $_->{is_own} } all_types() }

# Returns the SQL names of the given types, by default of those that kid defines.
sub names_of
{
	my @types = @_;
	return map { $_->{type} } @types ? @types : own_types();
}

1;
