# kidctl with names that mean something to the languages in which it writes: Python's and PostgreSQL's format strings,
# placeholders, bodies of functions between dollars, regular expressions, and the markup of the terminal. One table goes
# through rekey, partition and leave, with all that hangs on it, and values that contain the same characters.
use strict;
use warnings;
use Kidctl;
use KidctlCases;
use Sql;
use Test::More;

my $node = start_cases;

# Puts names and texts in the places of [kind] and 'text' of a template.
sub named
{
	my ($special, $template) = @_;
	my $text = $special =~ s/'/''/gr;
	# PostgreSQL refuses these characters in the name of the schema of an extension.
	my $home = quoted('kid ' . $special =~ tr/"$'\\//dr);
	return $template =~ s/\[([\w ]+)\]/$1 eq 'kid' ? $home : quoted("$1 $special")/ger =~ s/'text'/'$text'/gr;
}

my $schema = q{
	CREATE SCHEMA [s];
	CREATE DOMAIN [s].[d] AS text CONSTRAINT [dc] CHECK (VALUE <> 'text');
	CREATE TABLE [s].[p] ([k] bigint CONSTRAINT [pk] PRIMARY KEY, [t] timestamptz NOT NULL DEFAULT '2026-01-01 UTC',
		b [s].[d] DEFAULT ('text' || 'text'), CONSTRAINT [c] CHECK ([k] IS NOT NULL OR b <> 'text'));
	CREATE SEQUENCE [s].[seq] OWNED BY [s].[p].[k];
	ALTER TABLE [s].[p] ALTER [k] SET DEFAULT nextval($seq$[s].[seq]$seq$);
	CREATE TABLE [s].[c] ([k] bigint CONSTRAINT [cp] PRIMARY KEY, [r] bigint CONSTRAINT [cf] REFERENCES [s].[p],
		b text, CONSTRAINT [cc] CHECK ([r] IS NOT NULL AND b <> 'text'), CONSTRAINT [cu] UNIQUE ([r], b),
		CONSTRAINT [cx] EXCLUDE ([r] WITH =));
	CREATE TABLE [s].[x] ([r] bigint CONSTRAINT [xf] REFERENCES [s].[p], n int) PARTITION BY RANGE (n);
	CREATE TABLE [s].[x one] PARTITION OF [s].[x] FOR VALUES FROM (0) TO (9); CREATE INDEX [xi] ON [s].[x] ([r]);
	CREATE TABLE [s].[u] ([k] uuid CONSTRAINT [uk] PRIMARY KEY);
	INSERT INTO [s].[u] SELECT gen_random_uuid() FROM generate_series(1, 3); ANALYZE [s].[u];
	CREATE INDEX [i] ON [s].[p] ([k], (b || 'text')) WHERE b <> 'text';
	CREATE STATISTICS [s].[st] ON [k], b FROM [s].[p];
	CREATE VIEW [s].[v] AS SELECT [k] AS [vk], b, 'text' AS t FROM [s].[p] WHERE b <> 'text';
	CREATE VIEW [s].[vv] AS SELECT count([vk]) FROM [s].[v];
	CREATE MATERIALIZED VIEW [s].[m] AS SELECT [k] AS [mk], b FROM [s].[p]; CREATE INDEX [mi] ON [s].[m] ([mk]);
	CREATE RULE [vr] AS ON DELETE TO [s].[v] DO INSTEAD UPDATE [s].[p] SET b = 'text' WHERE [k] = OLD.[vk];
	CREATE RULE [pr] AS ON DELETE TO [s].[c] WHERE OLD.[r] IS NULL AND OLD.b = 'text' DO INSTEAD NOTHING;
	CREATE POLICY [po] ON [s].[p] USING ([k] IS NOT NULL OR b = 'text');
	CREATE FUNCTION [s].[f]() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	CREATE TRIGGER [tr] AFTER UPDATE OF [k] ON [s].[p] FOR EACH ROW WHEN (NEW.[k] <> OLD.[k] AND NEW.b <> 'text')
		EXECUTE FUNCTION [s].[f]('text');
	GRANT SELECT ON [s].[v] TO [role]; GRANT SELECT ([k]), UPDATE (b) ON [s].[p] TO [role];
	COMMENT ON COLUMN [s].[p].[k] IS 'text'; COMMENT ON VIEW [s].[v] IS 'text';
	COMMENT ON CONSTRAINT [c] ON [s].[p] IS 'text'; COMMENT ON CONSTRAINT [cf] ON [s].[c] IS 'text';
	COMMENT ON INDEX [s].[i] IS 'text';
	INSERT INTO [s].[p] (b) VALUES ('one'), ('two'); INSERT INTO [s].[c] SELECT [k], [k], b FROM [s].[p];
	REFRESH MATERIALIZED VIEW [s].[m]};

# What the rows are, by the texts in them rather than by their keys
my $rows = q{SELECT (SELECT string_agg(concat_ws(' ', p.b, c.b), ', ' ORDER BY p.b)
		FROM [s].[p] AS p JOIN [s].[c] AS c ON c.[r] = p.[k]),
	(SELECT string_agg(b, ' ' ORDER BY b) FROM [s].[m]), (SELECT count FROM [s].[vv]),
	(SELECT string_agg(b, ' ' ORDER BY b) FROM [s].[v])};
my $all = 'one one, two two|one two|2|one two';

my @special = ('a{b} {{0}} } { 100% %s %(x)s', q{it's "so" $kidctl$ \1 [bold]x[/] [/] \\});

foreach my $special (@special)
{
	my $about = $special =~ s/[^ -~]/./gr;
	note("names with $about");
	my $sql = sub { return sql(named($special, $_[0])) };
	my $table = named($special, '[s].[p]');
	my $owner = connection_as($node, 'one', 'app');
	my $run = sub {
		my ($command, $action, @more) = @_;
		my ($output, $status) = run_kidctl($owner, $command, $action, $table, @more, '--accept', 'search_path');
		is($status, 0, "kidctl $command $action of $about") or diag($output);
		unlike($output, qr/Traceback/, 'without an error of Python');
		return $output;
	};
	my $dump = sub { return dump_schema($owner, '--exclude-schema=kid*') };

	$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS one');
	$node->safe_psql('postgres', named($special, 'CREATE DATABASE one OWNER app; CREATE ROLE [role]'));
	my $kid = 'CREATE SCHEMA [kid]; GRANT USAGE ON SCHEMA [kid] TO PUBLIC; CREATE EXTENSION kid SCHEMA [kid]';
	$node->safe_psql('one', named($special, $kid));
	$node->safe_psql('postgres', named($special, 'ALTER DATABASE one SET search_path = public, [kid]'));
	$sql->($schema);
	my $before = $dump->();

	my @time = ('--time', named($special, 't') . " $special", '--accept', "trigger tr $special on $table");
	my $found = $run->('rekey', 'check', @time);
	like($found, qr/\Qlooks like a reference to p $special, and\E/, 'a finding shows the name as it is');
	unlike($found, qr/SELECT on .* does not exist/, 'the rehearsal finds the views');
	my $uuids = join('', run_kidctl($owner, qw(rekey check), named($special, '[s].[u]'), '--no-rehearsal'));
	like($uuids, qr/random uuids: 3 of 3 keys that ANALYZE saw are/, 'statistics are found by the name of a schema');
	$node->safe_psql('one', named($special, 'REVOKE EXECUTE ON FUNCTION [kid].kid_next() FROM PUBLIC'));
	my ($refused) = run_kidctl($owner, qw(rekey check), $table, @time, '--no-rehearsal');
	like($refused, qr/may not call this function/, 'and functions');
	$node->safe_psql('one', named($special, 'GRANT EXECUTE ON FUNCTION [kid].kid_next() TO PUBLIC'));
	$run->('rekey', @$_) foreach [ 'plan', @time ], [ 'run', @time ];
	$sql->('CREATE TABLE [s].[x two] PARTITION OF [s].[x] FOR VALUES FROM (10) TO (19)');
	$run->('rekey', @$_) foreach [ 'run', @time ], ['swap'];
	is($sql->($rows), $all, "the rows after the swap of $about");
	$run->('rekey', 'status');
	$run->('rekey', 'back');
	$sql->('DROP TABLE [s].[x two]');
	same_text($dump->(), $before, "the schema after the way back of $about");
	is($sql->($rows), $all, 'and the rows');
	$run->('rekey', @$_) foreach [ 'run', @time ], ['cancel'];
	same_text($dump->(), $before, "the schema after the cancellation of $about");
	$run->('rekey', @$_) foreach [ 'run', @time ], ['swap'], ['finish'];
	is($sql->($rows), $all, "the rows after rekey of $about");

	$before = $dump->();
	$run->('partition', @$_) foreach [qw(check --width 1day)], [qw(run --width 1day)];
	is($sql->($rows), $all, "the rows after partition of $about");
	$run->('partition', 'back');
	same_text($dump->(), $before, "the schema after the way back of $about");
	$run->('partition', @$_) foreach [qw(run --width 1day)], ['status'], ['finish'], [qw(move --width 1year)];
	is($sql->($rows), $all, "the rows after the move of rows of $about");

	$run->('leave', 'run');
	is($sql->($rows), $all, "the rows after leave of $about");
}

done_testing();
