# kidctl through a pooler that gives each transaction another session: settings and roles would get lost, and reach
# other clients of the pooler, so kidctl ends before it changes any.
use strict;
use warnings;
use Kidctl;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my ($pgbouncer) = grep { -x } '/usr/sbin/pgbouncer', map { "$_/pgbouncer" } split /:/, $ENV{PATH};
plan skip_all => 'pgbouncer is not installed' unless $pgbouncer;
plan skip_all => 'pgbouncer refuses to run as root' if $> == 0;
my $node = kidctl_server;
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN CREATEDB; GRANT SET ON PARAMETER session_replication_role TO app');
create_database('one', 'app');
$node->safe_psql('one', 'SET ROLE app; CREATE TABLE orders (id bigint PRIMARY KEY, created timestamptz);
	INSERT INTO orders VALUES (1, now())');

my $folder = PostgreSQL::Test::Utils::tempdir_short;
append_to_file("$folder/users", qq{"app" ""\n});
my $bouncer;

# Starts the pooler in a mode, and ends the one before.
sub start_bouncer
{
	my ($mode, $more) = (@_, '');
	stop_bouncer();
	my $settings = "[databases]\n* = host=" . $node->host . ' port=' . $node->port . "\n[pgbouncer]\n"
	  . "unix_socket_dir = $folder\nlisten_port = 6432\nauth_type = trust\nauth_file = $folder/users\n"
	  . "pool_mode = $mode\nlogfile = $folder/log\n$more";
	unlink "$folder/pgbouncer.ini";
	append_to_file("$folder/pgbouncer.ini", $settings);
	$bouncer = IPC::Run::start([ $pgbouncer, '-q', "$folder/pgbouncer.ini" ], '<', '/dev/null', '>&', "$folder/out");
	foreach (1 .. 300)
	{
		last if -S "$folder/.s.PGSQL.6432";
		select undef, undef, undef, 0.1;
	}
	return;
}
sub stop_bouncer { $bouncer->kill_kill(grace => 5) if $bouncer; undef $bouncer; return }
END { local $?; stop_bouncer() }

# A development version of libpq asks for a version of the protocol that no pooler knows.
$ENV{PGMAXPROTOCOLVERSION} = '3.0';
my $through = "host=$folder port=6432 dbname=one user=app";
foreach my $mode ('transaction', 'statement', 'session')
{
	start_bouncer($mode);
	my ($output) = run_kidctl($through, qw(rekey status orders));
	if ($mode eq 'session')
	{
		like($output, qr/^error: no move of public\.orders has begun/, 'a pooler that keeps sessions is used');
		# PgBouncer rejects options of a connection, as pg_dump needs them, unless it ignores them.
		($output) = run_kidctl($through, qw(rekey check orders --time created));
		like($output, qr/^error: pg_dump failed.*unsupported startup parameter.*\nhint: .* the server itself\.$/m,
			'for a rehearsal it has to ignore options');
		start_bouncer($mode, "ignore_startup_parameters = options\n");
		($output) = run_kidctl($through, qw(rekey check orders --time created));
		like($output, qr/, 0 of which stop the move\.$/m, 'then kidctl rehearses');
		is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_database WHERE datname ~ '^kidctl_'}), 0,
			'and drops its copies, although the pooler kept sessions in them');
		next;
	}
	like($output, qr/^error: .*(?:another session of the server|statement pooling)/m, "pool_mode = $mode is refused");
	my $setting = "SELECT concat_ws(' ', setting, source) FROM pg_settings WHERE name = 'search_path'";
	is(`psql -XAtc "$setting" '$through'`, qq{"\$user", public default\n}, 'and changes nothing for other clients');
}
stop_bouncer();
done_testing();
