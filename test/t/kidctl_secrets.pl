# Passwords with which kidctl connects are seen by nobody: not in the arguments of the programs that it
# runs, and not in what it prints or keeps.
use strict;
use warnings;
use Kidctl;
use PostgreSQL::Test::Utils;
use Test::More;

# The server asks for a certificate of the client, whose key has a password, and for the password of the role.
my $folder = PostgreSQL::Test::Utils::tempdir;
foreach ('server', 'client')
{
	my $subject = $_ eq 'server' ? '/CN=localhost' : '/CN=app';
	system_log('openssl', 'req', '-x509', '-new', '-newkey', 'rsa:2048', '-nodes', '-subj', $subject, '-days', 2,
		'-keyout', "$folder/$_.key", '-out', "$folder/$_.crt")
	  and plan skip_all => 'openssl is not installed';
}
system_or_bail('openssl', 'rsa', '-aes256', '-passout', 'pass:key0secret', '-in', "$folder/client.key",
	'-out', "$folder/client.locked");
chmod 0600, glob "$folder/*";

my $node = kidctl_server("ssl = on\nlisten_addresses = '127.0.0.1'\npassword_encryption = 'scram-sha-256'\n"
	  . "ssl_cert_file = '$folder/server.crt'\nssl_key_file = '$folder/server.key'\n"
	  . "ssl_ca_file = '$folder/client.crt'\n");
$node->safe_psql('postgres', q{CREATE ROLE app LOGIN CREATEDB PASSWORD 'role0secret';
	GRANT SET ON PARAMETER session_replication_role TO app});
$node->safe_psql('postgres', 'CREATE DATABASE one OWNER app');
$node->safe_psql('one', q{CREATE EXTENSION kid; SET ROLE app; CREATE SCHEMA app;
	CREATE TABLE app.orders (id bigserial PRIMARY KEY, made timestamptz NOT NULL DEFAULT '2026-01-01');
	INSERT INTO app.orders DEFAULT VALUES});
unlink $node->data_dir . '/pg_hba.conf';
$node->append_conf('pg_hba.conf',
	"local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\n");
$node->reload;

# Programs that note how they were called, and then do what they are called for
foreach my $program ('pg_dump', 'pg_restore')
{
	my ($path) = grep { -x $_ } map { "$_/$program" } split /:/, $ENV{PATH};
	append_to_file("$folder/$program",
		qq{#!/bin/sh\nfor a in "\$@"; do echo "$program \$a" >>$folder/arguments; done\nexec $path "\$@"\n});
	chmod 0755, "$folder/$program";
}
local $ENV{PATH} = "$folder:$ENV{PATH}";
local $ENV{TMPDIR} = "$folder/temporary";
mkdir $ENV{TMPDIR};

my $where = 'host=127.0.0.1 port=' . $node->port . " dbname=one user=app sslmode=require sslcert=$folder/client.crt";
my $connection = "$where sslkey=$folder/client.locked sslpassword=key0secret password=role0secret";
foreach (qw(check run swap finish))
{
	my ($output, $status) = run_kidctl($connection, 'rekey', $_, 'app.orders', '--time', 'made');
	is($status, 0, "kidctl rekey $_ with a password, and a key that has one") or diag($output);
	unlike($output, qr/0secret/, 'which it does not print');
	is($node->safe_psql('one', q{SELECT count(*) FROM pg_class WHERE relname = 'state'}) eq '1'
		  && $node->safe_psql('one', 'SELECT string_agg(s::text, $$ $$) FROM ' . $node->safe_psql('one',
				q{SELECT oid::regclass FROM pg_class WHERE relname = 'state'}) . ' AS s') =~ /0secret/, '',
		'and does not keep');
}
my $arguments = slurp_file("$folder/arguments");
like($arguments, qr/^pg_dump .*sslmode=require/m, 'the programs that it runs connect in the same way');
like($arguments, qr/^pg_restore /m, 'both of them');
unlike($arguments, qr/0secret/, 'without a password among their arguments');
is_deeply([ glob "$ENV{TMPDIR}/*" ], [], 'no file is left');

# What is wrong with a connection string is told without its passwords.
foreach (
	'postgresql://app:se%zz0secret@127.0.0.1/one', 'postgresql://app:0secret/x@127.0.0.1/one',
	'postgresql://app:a0secret:b0secret/x@127.0.0.1/one', 'postgresql://app:0secret@[::1/one',
	'postgresql://app@127.0.0.1/one?password=%zz0secret', 'postgresql://app@127.0.0.1/one?sslpassword=%zz0secret',
	"password = 'a 0secret' sslmode=0secret", "$where password=0secret", "sslpassword='0secret",
	"$where sslkey=$folder/client.locked sslpassword=0secret password=role0secret")
{
	my ($output, $status) = run_kidctl($_, qw(rekey check app.orders --time made));
	is($status, 2, 'a connection string that cannot be used is an error');
	like($output, qr/^error: ./m, 'which is told');
	unlike($output, qr/0secret/, 'without the password');
}
done_testing();
