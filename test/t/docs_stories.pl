# Runs the stories of docs/stories as they stand, each from its first block to its last, in a database shop, as the role
# shop that owns it. A block with a language runs, and its output is compared with what the page shows.
#
# A block of ```sql is a part of a session of psql, and Pages.pm says how its output is shown. Its first line can be a
# comment that says where it runs: "-- as a superuser:", "-- in another session:", "-- on berlin:" or
# "-- on berlin, as a superuser:".
#
# A block of ```sh has commands. The lines after a command that begin with "# " are its output, in lines of at most 76
# columns; without such lines it only has to succeed. A block whose first line is a comment with the name of a file is
# that file, in any language.
#
# A page that needs packages of npm, or modules of Python that kidctl does not need, runs in make test-clients, which
# sets KID_CLIENTS.
#
# These comments are invisible to a reader of the rendered page:
#
#   <!-- sql: SQL -->                   runs before the next block, as the role shop
#   <!-- superuser: SQL -->             the same, as a superuser
#   <!-- sh: COMMANDS -->               run before the next block
#   <!-- file NAME: TEXT -->            is a file
#   <!-- until: SQL -->                 the next block's last command gets SIGTERM when the query yields true
#   <!-- repeat: SQL -->                the query is repeated until it yields true, also as in "repeat: on berlin: SQL"
#   <!-- background: -->                the command of the next block runs until the end of the page
#   <!-- clock: +2 days -->             sets the clock of the server, in the syntax of libfaketime
#   <!-- not run: why -->               the next block does not run
#   <!-- servers: paris berlin -->      the story is about these servers, and not about one
#   <!-- needs: django -->              the page needs these modules of Python
#   <!-- npm: express@5.2.1 pgkid -->   the page needs these packages
use strict;
use warnings;
use utf8;
use Cwd;
use Dialogue;
use Encode;
use FakeClock;
use File::Basename;
use IPC::Run ();
use Kidctl;
use Pages;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = getcwd;
my $temporary = PostgreSQL::Test::Utils::tempdir;
my ($rights) = slurp_file('docs/guides/moving-in.md') =~ /^### What the role needs\n.*?^```sql\n(.*?)^```$/ms
  or die 'no privileges on the page';
my $port = PostgreSQL::Test::Cluster::get_free_port();
my (%server, $page, $folder, %sessions, @names, @background);

# Starts a server, unless an earlier page has done so.
sub start_server
{
	my ($name, $class) = @_;
	return if $server{$name};
	my $node = $server{$name} = $class->new($name);
	$node->init(allows_streaming => 'logical', extra => [ '--encoding=UTF8', '--locale=C' ]);
	$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlc_messages = 'C'\nfsync = off\nmax_connections = 50\n");
	$node->start;
	$node->safe_psql('postgres', 'CREATE ROLE shop LOGIN');
	return;
}

# Returns the session of psql for what a comment says, such as "on berlin, as a superuser", and opens it if need be.
sub session_for
{
	my ($where) = @_;
	return $sessions{$where} if $sessions{$where};
	my ($name) = $where =~ /\bon (\w+)/;
	my $role = $where =~ /superuser/ ? undef : 'shop';
	$sessions{$where} = open_session($server{ $name // $names[0] }, 'shop', role => $role);
	prepare_session($sessions{$where});
	return $sessions{$where};
}

# Names the servers of a page as the machine knows them.
sub addressed
{
	my ($text) = @_;
	return $text =~ s/host=(\w+)/$server{$1} ? 'host=' . $server{$1}->host . ' port=' . $server{$1}->port : $&/ger;
}

# Runs a block of SQL in the session that its first line names, or in that of the role shop.
sub run_sql_block
{
	my ($name, $block) = @_;
	my $where = $block =~ s/\A-- ((?:on|as|in) [\w, ]+):\n// ? $1 : '';
	run_block(session_for($where), $name, parts_of(addressed($block)));
	return;
}

# The environment of the commands of a page.
sub environment
{
	my $node = $server{ $names[0] };
	my $path = "$folder/bin:$temporary/bin:" . path_to_kidctl();
	return (%ENV, PATH => $path, PORT => $port, PGHOST => $node->host, PGPORT => $node->port, PGUSER => 'shop',
		PGDATABASE => 'shop', PYTHONPATH => "$tree/python", PYTHONDONTWRITEBYTECODE => 1);
}

# Starts a script of the shell. Returns the process, and where its output will be.
sub start_shell
{
	my ($script) = @_;
	local %ENV = environment();
	my $output = '';
	$script = "cd '$folder' || exit\n" . encode('UTF-8', $script);
	my $handle = IPC::Run::start([ 'sh', '-c', $script ], '<', \'', '>&', \$output,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return ($handle, \$output);
}

# Runs the commands of a block in one shell, and compares what each prints with what is shown. With `until`, there is
# one command, and a signal ends it as soon as the query yields true.
sub run_shell_block
{
	my ($name, $block, $until) = @_;
	my @commands = $block =~ /^((?!# )(?:.*\\\n)*.*)\n((?:#(?: .*)?\n)*)/mg;
	# After each command the script prints the status.
	my @scripts = map { "$commands[2 * $_]\nprintf '\\n=== %d\\n' \$?\n" } 0 .. $#commands / 2;
	my $script = $until ? "exec $commands[0]" : join '', @scripts;
	my ($handle, $output) = start_shell($script);
	if ($until)
	{
		$server{ $names[0] }->poll_query_until('shop', $until) or diag "$page: never true: $until";
		$handle->signal('TERM');
	}
	$handle->finish;
	$$output .= "\n=== " . $handle->result(0) . "\n" if $until;
	my @printed = split /\n=== (\d+)\n/, decode('UTF-8', $$output);
	while (my ($command, $shown) = splice @commands, 0, 2)
	{
		my ($printed, $status) = splice @printed, 0, 2;
		# A check that finds what stops the move ends with 1.
		my $wanted = $printed =~ /[1-9]\d* of which stop the move/ && $command =~ / check / ? 1 : 0;
		is($status, $wanted, "$name: $command") or diag $printed;
		is_output(folded($printed, 74), $shown =~ s/^# ?//mgr, "$name: it prints what is shown") if $shown ne '';
	}
	return;
}

# Starts a command that runs until the end of the page, and waits for a line of its output.
sub run_in_background
{
	my ($name, $command) = @_;
	my ($handle, $output) = start_shell("exec $command");
	push @background, $handle;
	$handle->pump until $$output =~ /\n/ || !$handle->pumpable;
	like($$output, qr/\n/, "$name: $command");
	return;
}

# Writes a file in the folder of the page.
sub write_file
{
	my ($name, $text) = @_;
	my $file = "$folder/$name";
	system_or_bail('mkdir', '-p', dirname($file));
	unlink $file;
	append_to_file($file, encode('UTF-8', $text));
	return;
}

# Returns whether Python has these modules.
sub has_modules
{
	my ($modules) = @_;
	return !grep { !find_python() || system(find_python() . " -c 'import $_' >/dev/null 2>&1") } split ' ', $modules;
}

# Repeats a query until it yields true, on the server that it names, or else on the first one.
sub wait_until
{
	my ($query) = @_;
	my $name = $query =~ s/\Aon (\w+): // ? $1 : $names[0];
	ok($server{$name}->poll_query_until('shop', $query), "$page: $query");
	return;
}

# Installs packages of npm into the folder of the page, and pgkid as its users get it. Returns whether that succeeds.
sub install_packages
{
	my ($packages) = @_;
	my ($version) = slurp_file('kid.control') =~ /^default_version = '(.*)'/m;
	my $npm = "npm install --no-package-lock --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel error";
	$packages =~ s{(?<!\S)pgkid(?!\S)}{$temporary/pgkid-$version.tgz};
	my $script = "'$tree/test/release/packages' '$temporary' node; cd '$folder'; $npm $packages";
	my $is_done = IPC::Run::run([ 'sh', '-ec', $script ], '>&', \my $output);
	diag $output unless $is_done;
	return $is_done;
}

# Runs the blocks of a page, and what its comments say. Returns the number of blocks.
sub run_page
{
	my ($text) = @_;
	my ($blocks, $skip, $until, $is_background) = (0);
	my $directive = qr/sql|superuser|sh|file [\w.\/]+|until|repeat|background|clock|not run/;
	while ($text =~ /<!-- ($directive):\s*(.*?)\s*-->|^```(\w+)\n(.*?)^```$/msg)
	{
		my ($what, $value, $language, $block) = ($1, $2, $3, $4);
		if (defined $what)
		{
			my $before = "$page, before block " . ($blocks + 1);
			$skip = 1 if $what eq 'not run';
			$until = $value if $what eq 'until';
			$is_background = 1 if $what eq 'background';
			run_sql_block($before, "$value\n") if $what eq 'sql';
			run_sql_block($before, "-- as a superuser:\n$value\n") if $what eq 'superuser';
			run_shell_block($before, "$value\n") if $what eq 'sh';
			write_file($1, "$value\n") if $what =~ /^file (.*)/;
			wait_until($value) if $what eq 'repeat';
			$server{ $names[0] }->set_clock($value) if $what eq 'clock';
			next;
		}
		next if $language eq 'text';
		my $name = "$page, block " . ++$blocks;
		if (!$skip)
		{
			if ($block =~ m{\A(?:#|//|--) ([\w./]+\.\w+)\n}) { write_file($1, $block) }
			elsif ($language eq 'sql') { run_sql_block($name, $block) }
			elsif ($language ne 'sh') { fail("$name has the name of a file") }
			elsif ($is_background) { run_in_background($name, $block) }
			else { run_shell_block($name, $block, $until) }
		}
		($skip, $until, $is_background) = ();
	}
	return $blocks;
}

# Python, as the pages call it.
mkdir "$temporary/bin";
append_to_file("$temporary/bin/python3", '#!/bin/sh' . "\nexec " . (find_python() // 'python3') . qq{ "\$@"\n});
chmod 0755, "$temporary/bin/python3";
my $has_clock = grep { -e } glob '/usr/lib{/*,64,}/faketime/libfaketime.so.1';

foreach my $file (sort glob 'docs/stories/*.md')
{
	$page = basename($file);
	my $text = decode('UTF-8', slurp_file($file));
	next unless $text =~ /<!-- run by test\/t\/docs_stories\.pl -->/;
	next if $ENV{KID_STORY} && $page ne "$ENV{KID_STORY}.md";
	my ($further) = $text =~ /<!-- needs: (.*?) -->/;
	my ($packages) = $text =~ /<!-- npm: (.*?) -->/;
	next if ($further || $packages ? 1 : 0) != ($ENV{KID_CLIENTS} ? 1 : 0);
	my ($modules) = ($text =~ /^(?:kidctl|python3) /m ? 'psycopg rich ' : '') . ($further // '');
	my $is_clock = $text =~ /<!-- clock: /;
  SKIP: {
		skip "$page: Python needs $modules", 1 unless has_modules($modules);
		skip "$page: there is no libfaketime", 1 if $is_clock && !$has_clock;
		$folder = "$temporary/" . $page =~ s/\.md$//r;
		mkdir $folder;
		symlink "$tree/$_", "$folder/$_" foreach qw(released docs);
		skip "$page: npm does not install $packages", 1 if $packages && !install_packages($packages);
		@names = $text =~ /<!-- servers: (.*?) -->/ ? split(' ', $1) : $is_clock ? 'clock' : 'main';
		start_server($_, $is_clock ? 'FakeClock' : 'PostgreSQL::Test::Cluster') foreach @names;
		foreach my $node (@server{@names})
		{
			$node->safe_psql('postgres', 'CREATE DATABASE shop OWNER shop');
			$node->safe_psql('shop', 'ALTER SCHEMA public OWNER TO shop');
			$node->safe_psql('shop', $rights =~ s/:"DBNAME"/shop/r);
		}
		my $blocks = run_page($text);
		cmp_ok($blocks, '>', 1, "$page has blocks");
		$_->kill_kill(grace => 5) foreach splice @background;
		close_session($_) foreach values %sessions;
		%sessions = ();
		if (@names > 1) { (delete $server{$_})->stop('immediate') foreach @names }
		else { $server{ $names[0] }->safe_psql('postgres', 'DROP DATABASE shop WITH (FORCE)') }
	}
}
done_testing();
