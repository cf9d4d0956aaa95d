# kid_observe_all(): which IDs it finds, which columns it reports, and that nothing blocks it or is blocked by it.
# Promise: `kid_observe_all()` moves each logical clock past the IDs
use strict;
use warnings;
use Dialogue;
use FakeClock;
use PostgreSQL::Test::Utils;
use Sql;
use Test::More;

my $node = FakeClock->new('main');
$node->init;
$node->append_conf('postgresql.conf',
	"timezone = 'UTC'\nmax_connections = 10\nwal_level = replica\nmax_wal_senders = 0\nautovacuum_max_workers = 1\n"
	  . "max_worker_processes = 1\nkid.max_wait = '5s'\n");
$node->start;

# Each part has its own database, and begins with correct clocks.
my $database;

sub in_new_database
{
	($database) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	use_database($node, $database);
	sql('CREATE EXTENSION kid');
	return reset_clocks();
}

sub reset_clocks { return sql('SELECT kid_reset_clock(now(), force => true)') }

# Returns the deciding IDs as "clock: relation.column id", for the clocks that found one.
my $decided = q{SELECT string_agg(format('%s: %s.%s %s', clock, relation, column_name, id), ', ' ORDER BY clock)
	FROM kid_observe_all() WHERE problem IS NULL AND id IS NOT NULL};
my $problems = q{SELECT string_agg(format('%s.%s: %s', relation, column_name, problem), E'\n'
	ORDER BY relation::text, problem) FROM kid_observe_all() WHERE problem IS NOT NULL};
my $later = 'it has IDs that are further ahead than kid_observe() accepts; this is the greatest';

# An empty database.
in_new_database('empty');
is(sql('SELECT * FROM kid_observe_all() ORDER BY clock'), "flake|||||\nkid|||||\nkid53|||||\nsno|||||\nuuidv7|||||",
	'an empty database: one row for each clock');
is(sql('SELECT kid_timestamp(kid_next()) <= clock_timestamp(), kid_timestamp(flake_next()) <= clock_timestamp(),
		kid_timestamp(sno_next()) <= clock_timestamp(), kid53_timestamp(kid53_next()) <= clock_timestamp()'),
	't|t|t|t', 'an empty database: no clock moves');

# Each clock moves past the time unit of the greatest ID, because later IDs of that unit may have been issued.
in_new_database('clocks');
sql(q{
	CREATE TABLE k (id kid64 PRIMARY KEY);
	CREATE TABLE f (id flake PRIMARY KEY);
	CREATE TABLE b (id bigint PRIMARY KEY DEFAULT kid53_next());
	INSERT INTO k VALUES (kid64_make(now() + interval '20 min', 5)), (kid64_make(now(), 7));
	INSERT INTO b VALUES (kid53_make(now() + interval '20 min', 5)), (kid53_make(now(), 7));
	-- The generator sorts before the sequence.
	INSERT INTO f SELECT flake_make(now() + interval '20 min', d, d, s) FROM (VALUES (31, 7), (0, 4000)) AS v (d, s);
});
is(sql(q{SELECT clock, relation, column_name, issued = kid_timestamp((SELECT max(id) FROM k)),
		id = (SELECT max(id) FROM k)::text, problem FROM kid_observe_all() WHERE clock = 'kid'}),
	'kid|k|id|t|t|', 'kid64: the result has the deciding ID');
is(sql('SELECT kid_next() > kid64_ceil(kid_timestamp(max(id))), kid_timestamp(kid_next()) < now() + interval $$21 min$$
		FROM k'), 't|t', 'kid64: the clock moves past the time unit of the greatest ID');
is(sql(q{SELECT relation, column_name, issued = kid53_timestamp((SELECT max(id) FROM b)),
		id::bigint = (SELECT max(id) FROM b), problem FROM kid_observe_all() WHERE clock = 'kid53'}),
	'b|id|t|t|', 'kid53: the result has the deciding ID');
is(sql('SELECT kid53_next() > kid53_ceil(kid53_timestamp(max(id))),
		kid53_timestamp(kid53_next()) < now() + interval $$21 min$$ FROM b'), 't|t',
	'kid53: the clock moves past the millisecond of the greatest ID');
is(sql('SELECT flake_next() > flake_ceil(kid_timestamp(max(id))) FROM f'), 't',
	'flake: the clock moves past all sequences of the last millisecond');

# A uuid of version 7 has more than its millisecond.
sql(q{CREATE TABLE u (id uuid PRIMARY KEY DEFAULT kid_uuidv7());
	INSERT INTO u VALUES (kid_uuidv7_floor(now() + interval '20 min')), (kid_uuidv7_ceil(now() + interval '20 min'))});
is(sql(q{SELECT id = (SELECT max(id::text) FROM u), issued = kid_timestamp(id::uuid), problem FROM kid_observe_all()
		WHERE clock = 'uuidv7'}), 't|t|', 'uuid: the result has the deciding ID');
is(sql(q{SELECT id < kid_uuidv7(), kid_uuidv7() < now() + interval '21 min' FROM u ORDER BY id DESC LIMIT 1}), 't|t',
	'uuid: the clock moves past the greatest ID');

# Within a neighborhood the node sorts before the time.
in_new_database('neighborhood');
sql(q{
	CREATE TABLE g (id kid96 PRIMARY KEY);
	INSERT INTO g SELECT kid96_make(kid_timestamp(kid96_floor(now() + interval '20 min')) + t, n, 0)
	  FROM (VALUES (interval '60 s', 1), (interval '20 s', 2)) AS v (t, n);
	SELECT FROM kid_observe_all();
});
is(sql(q{SELECT kid_timestamp(max(id)) < max(kid_timestamp(id)) FROM g}), 't',
	'kid96: the greatest ID is not the latest one');
is(sql(q{SELECT kid_timestamp(kid96_next()) > max(kid_timestamp(id)), kid_timestamp(kid_next()) > max(kid_timestamp(id))
		FROM g}), 't|t', 'kid96: the clock moves past the neighborhood of the greatest ID');
is(sql(q{SELECT kid_timestamp(kid_next()) <= kid_timestamp(kid96_floor(max(kid_timestamp(id)))) + interval '257 s'
		FROM g}), 't', 'kid96: the clock moves no more than a second past the neighborhood');
# If kid.max_observe ends within the neighborhood, the clock moves to that limit.
reset_clocks();
sql(q{TRUNCATE g; INSERT INTO g VALUES (kid96_make(kid_timestamp(kid96_floor(now() + interval '1 h')), 0, 0))});
sql('SELECT FROM kid_observe_all()');
is(sql(q{SELECT kid_timestamp(kid_next()) BETWEEN (SELECT kid_timestamp(max(id))
		FROM g) AND clock_timestamp() + interval '1 h 1 s'}), 't',
	'kid96: the clock does not move beyond kid.max_observe');

# After a sno is observed, both ticks count as used, whichever tick the ID has.
in_new_database('ticks');
sql('CREATE TABLE s (id sno PRIMARY KEY)');
foreach my $tick ('false', 'true')
{
	# A call that the machine holds up for the rest of the time unit, at most 4 ms, gets an ID of the next one.
	my $output = '';
	foreach (1 .. 10)
	{
		sql("TRUNCATE s; INSERT INTO s VALUES (sno_make(now() + interval '20 min', 0, 0, 5, $tick));
			SELECT FROM kid_observe_all()");
		$output = output_of('SET kid.max_wait = 0; SELECT sno_next()');
		last if $output =~ /53400/;
	}
	like($output, qr{53400}, "sno, tick $tick: its time unit is used up");
	is(sql('SELECT sno_next() > max(id) FROM s'), 't',
		"sno, tick $tick: IDs go on after it, without waiting for the clock");
	$node->set_clock('-15s');
	like(output_of('SET kid.max_wait = 0; SELECT sno_next()'), qr{53400: system clock is behind the last ID of sno},
		"sno, tick $tick: if the clock goes back, neither tick is free");
	$node->set_clock('+21m');
	is(sql('SELECT sno_next() > max(id) FROM s'), 't',
		"sno, tick $tick: after the time of the ID, new IDs are above it");
	$node->set_clock('+0');
	sql('TRUNCATE s');
	reset_clocks();
}

# No clock moves beyond kid.max_observe, even for a superuser.
in_new_database('limits');
sql(q{
	CREATE TABLE future (id kid64 PRIMARY KEY);
	INSERT INTO future VALUES (kid64_make('2040-01-01', 0)), (kid64_make('2039-01-01', 0));
});
is(sql('SELECT * FROM kid_observe_all() WHERE clock = $$kid$$'),
	"kid|||||\nkid|" . sql('SELECT max(id) FROM future') . "|2040-01-01 00:00:00+00|future|id|$later",
	'an ID of 2040 is reported and not observed');
is(sql('SELECT kid_timestamp(kid_next()) <= clock_timestamp()'), 't', 'an ID of 2040 does not move the clock');
sql(q{INSERT INTO future VALUES (kid64_make(now() + interval '59 min', 0)), (kid64_make(now() + interval '61 min', 0)),
	('zzzzzzzzzzw')});
is(sql(q{SELECT issued BETWEEN now() + interval '58 min' AND now() + interval '1 h' FROM kid_observe_all()
		WHERE clock = 'kid' AND problem IS NULL}), 't', 'an ID within kid.max_observe is observed beside later ones');
is(sql(q{SELECT kid_timestamp(kid_next()) BETWEEN now() + interval '58 min' AND now() + interval '1 h'}), 't',
	'an ID within kid.max_observe moves the clock');
is(sql(q{SELECT id FROM kid_observe_all() WHERE problem IS NOT NULL}), 'zzzzzzzzzzw',
	'an ID at the end of the range is reported');
is(sql(q{SET kid.max_observe = '2h';
		SELECT issued > now() + interval '1 h' FROM kid_observe_all() WHERE clock = 'kid' AND problem IS NULL}), 't',
	'a greater kid.max_observe allows a later ID');
reset_clocks();

# The columns that are read.
in_new_database('columns');
sql(q{
	CREATE DOMAIN key AS kid64 CHECK (VALUE IS NOT NULL);
	CREATE DOMAIN order_key AS key;
	CREATE DOMAIN number AS bigint DEFAULT kid_next();
	CREATE DOMAIN big AS bigint;
	CREATE DOMAIN order_number AS number;
	CREATE DOMAIN web_number AS bigint DEFAULT kid53_next();
});
my $id = q{kid64_make(now() + interval '20 min', 5)};
my $bigint = "($id)::bigint";
my $number = q{kid53_make(now() + interval '20 min', 5)};
foreach my $case (
	[ 'kid', 'a domain', 'CREATE TABLE t (id key UNIQUE)', $id ],
	[ 'kid', 'a domain over a domain', 'CREATE TABLE t (id order_key UNIQUE)', $id ],
	[ 'kid', 'a bigint with a default', 'CREATE TABLE t (id bigint DEFAULT kid_next() PRIMARY KEY)', $bigint ],
	[ 'kid', 'a bigint with the other name of the generator',
		'CREATE TABLE t (id bigint DEFAULT 1 + kid64_next()::bigint PRIMARY KEY)', $bigint ],
	[ 'kid', 'a domain over bigint, and the default of the column',
		'CREATE TABLE t (id big DEFAULT kid_next() PRIMARY KEY)', $bigint ],
	[ 'kid', 'a domain with a default', 'CREATE TABLE t (id number PRIMARY KEY)', $bigint ],
	[ 'kid', 'a domain over a domain with a default', 'CREATE TABLE t (id order_number PRIMARY KEY)', $bigint ],
	[ 'kid', 'a DESC index', 'CREATE TABLE t (id kid64); CREATE INDEX ON t (id DESC)', $id ],
	[ 'kid', 'NULLs last, DESC',
		'CREATE TABLE t (id kid64); CREATE INDEX ON t (id DESC NULLS LAST); INSERT INTO t VALUES (NULL)', $id ],
	[ 'kid', 'NULLs first',
		'CREATE TABLE t (id kid64); CREATE INDEX ON t (id NULLS FIRST); INSERT INTO t VALUES (NULL), (NULL)', $id ],
	[ 'kid', 'more columns after it', 'CREATE TABLE t (n int DEFAULT 1, id kid64, UNIQUE (id, n))', $id ],
	[ 'kid', 'an index that includes others',
		'CREATE TABLE t (n int, id kid64 PRIMARY KEY); CREATE INDEX ON t (id) INCLUDE (n)', $id ],
	[ 'kid', 'an unlogged table', 'CREATE UNLOGGED TABLE t (id kid64 PRIMARY KEY)', $id ],
	[ 'kid', 'one index of many', q{CREATE TABLE t (id kid64); CREATE INDEX ON t (id) WHERE id > 1;
		CREATE INDEX ON t USING hash (id); CREATE INDEX ON t (id)}, $id ],
	[ 'kid', 'kid96', 'CREATE TABLE t (id kid96 PRIMARY KEY)', q{kid96_make(now() + interval '20 min', 1, 0)} ],
	[ 'kid', 'kid96 as uuid', 'CREATE TABLE t (id uuid DEFAULT kid96_next()::uuid PRIMARY KEY)',
		q{kid96_make(now() + interval '20 min', 1, 0)::uuid} ],
	[ 'kid53', 'kid53', 'CREATE TABLE t (id bigint DEFAULT kid53_next() PRIMARY KEY)', $number ],
	[ 'kid53', 'a domain with a default of kid53', 'CREATE TABLE t (id web_number PRIMARY KEY)', $number ],
	[ 'kid53', 'kid53, beside numbers that are not kid53',
		'CREATE TABLE t (id bigint DEFAULT kid53_next() PRIMARY KEY); INSERT INTO t VALUES (-9), (5), (0)', $number ],
	[ 'flake', 'flake', 'CREATE TABLE t (id flake PRIMARY KEY)', q{flake_make(now() + interval '20 min', 0, 0, 0)} ],
	[ 'flake', 'flake as bigint', 'CREATE TABLE t (id bigint DEFAULT flake_next() PRIMARY KEY)',
		q{flake_make(now() + interval '20 min', 0, 0, 0)::bigint} ],
	[ 'sno', 'sno', 'CREATE TABLE t (id sno PRIMARY KEY)', q{sno_make(now() + interval '20 min', 1, 1, 1)} ],
	[ 'sno', 'sno as uuid', 'CREATE TABLE t (id uuid DEFAULT sno_next()::uuid PRIMARY KEY)',
		q{sno_make(now() + interval '20 min', 1, 1, 1)::uuid} ],
	[ 'uuidv7', 'uuid of version 7', 'CREATE TABLE t (id uuid DEFAULT kid_uuidv7() PRIMARY KEY)',
		q{kid_uuidv7_ceil(now() + interval '20 min')} ],
	[ 'uuidv7', 'a domain over uuid',
		'CREATE DOMAIN uuid_key AS uuid DEFAULT kid_uuidv7(); CREATE TABLE t (id uuid_key PRIMARY KEY)',
		q{kid_uuidv7_at(now() + interval '20 min')} ],
	[ 'uuidv7', 'uuid of version 7 among others', 'CREATE TABLE t (id uuid DEFAULT kid_uuidv7() PRIMARY KEY);
		INSERT INTO t SELECT gen_random_uuid() FROM generate_series(1, 1000)',
		q{kid_uuidv7_at(now() + interval '20 min')} ])
{
	my ($clock, $name, $definition, $value) = @$case;
	reset_clocks();
	my $earlier = $value =~ s/20 min/10 min/r;
	is(sql("$definition; INSERT INTO t (id) VALUES ($earlier), ($value);
			SELECT o.clock, relation, o.column_name,
				o.issued BETWEEN now() + interval '19 min' AND now() + interval '21 min', problem
			  FROM kid_observe_all() o WHERE o.id IS NOT NULL OR problem IS NOT NULL"), "$clock|t|id|t|",
		"$name is used");
	is(sql("SELECT ahead > interval '18 min' FROM kid_stats() WHERE clock = '$clock'"), 't', "$name moves the clock");
	sql('DROP TABLE t');
}
foreach my $order ('ASC', 'ASC NULLS FIRST', 'DESC', 'DESC NULLS LAST')
{
	sql(qq{CREATE TABLE t (id kid64); CREATE INDEX ON t (id $order);
		INSERT INTO t SELECT kid64_at(now() - interval '1 day') FROM generate_series(1, 2000); ANALYZE t});
	is(sql(q{BEGIN; SELECT count(*) FROM kid_observe_all();
			SELECT sum(pg_stat_get_xact_tuples_returned(oid)) < 20 FROM pg_class WHERE relname IN ('t', 't_id_idx');
			COMMIT}), "5\nt", "an index with the order $order is read from its end, and not the whole table");
	sql('DROP TABLE t');
}
reset_clocks();
sql("CREATE TABLE t (id bigint PRIMARY KEY); INSERT INTO t VALUES ($bigint);
	CREATE TABLE u (id flax PRIMARY KEY, n bigint DEFAULT 5 UNIQUE); INSERT INTO u VALUES (flax_at(now()));
	CREATE VIEW v AS SELECT kid_next() AS id");
is(sql('SELECT count(id), count(problem) FROM kid_observe_all()'), '0|0',
	'a bigint without a generator, a flax and a view are not read');
sql('DROP TABLE t, u; DROP VIEW v');

sql(qq{
	CREATE TABLE p (id kid64, tenant int DEFAULT 1, PRIMARY KEY (id, tenant)) PARTITION BY LIST (tenant);
	CREATE TABLE p_1 PARTITION OF p FOR VALUES IN (1);
	CREATE TABLE p_2 PARTITION OF p FOR VALUES IN (2);
	INSERT INTO p VALUES ($id);
});
is(sql($decided), sql(q{SELECT 'kid: p_1.id ' || max(id) FROM p}), 'a partition is read');
is(sql($problems), '', 'the parent of a partition is not reported');
sql(qq{
	DROP TABLE p;
	CREATE TABLE p (n int, id bigint DEFAULT kid_next()) PARTITION BY LIST (n);
	CREATE TABLE half (id bigint PRIMARY KEY, n int) PARTITION BY RANGE (id);
	CREATE TABLE leaf (n int, id bigint PRIMARY KEY);
	ALTER TABLE half ATTACH PARTITION leaf DEFAULT;
	ALTER TABLE p ATTACH PARTITION half FOR VALUES IN (1);
	INSERT INTO p VALUES (1, $bigint);
});
is(sql($decided), sql(q{SELECT 'kid: leaf.id ' || max(id)::kid64 FROM leaf}),
	'a bigint column of a partition is read if only its parent has the default');
sql('DROP TABLE p');

# Only rows that others can see count. Their deletion does not, until it is committed.
reset_clocks();
sql("CREATE TABLE t (id kid64 PRIMARY KEY); BEGIN; INSERT INTO t VALUES ($id); ROLLBACK");
is(sql($decided), '', 'an ID of a rolled back transaction is not found');
sql("INSERT INTO t VALUES ($id)");
my $writer = open_session($node, $database);
answer($writer, 'BEGIN; DELETE FROM t;');
is(sql($decided) =~ s/ \S+$//r, 'kid: t.id', 'an ID that an open transaction has deleted is observed');
is(sql(q{BEGIN; SELECT count(*) FROM kid_observe_all(); SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()
			AND relation IN ('t'::regclass, 'pg_namespace'::regclass) AND mode <> 'AccessShareLock';
		COMMIT}), "5\n0", 'kid_observe_all() keeps no lock');
answer($writer, 'ROLLBACK;');
like(output_of("BEGIN ISOLATION LEVEL $_; SELECT * FROM kid_observe_all()"),
	qr{55000: stored IDs can only be read at READ COMMITTED}, "not at $_") foreach 'REPEATABLE READ', 'SERIALIZABLE';
sql('DROP TABLE t');

# From 2039 on the highest bit of a flake is set, so that the flake is negative as a bigint.
reset_clocks();
sql('CREATE TABLE t (id bigint DEFAULT flake_next() PRIMARY KEY)');
sql(q{INSERT INTO t VALUES (-1), (flake_make('2045-01-01', 0, 0, 0)),
	(flake_make(now() + interval '20 min', 0, 0, 0))});
is(sql(q{SELECT problem IS NULL, id = CASE WHEN problem IS NULL THEN max ELSE 18446744073709551615 END::text
		FROM kid_observe_all(), (SELECT max(id) FROM t) AS m WHERE id IS NOT NULL ORDER BY 1}),
	"f|t\nt|t", 'a negative bigint is a flake after 2039, which is reported');
sql(q{UPDATE t SET id = flake_make(now() + interval '2 h', 0, 0, 0) WHERE id > 0});
is(sql(q{SELECT count(*), count(problem) FROM kid_observe_all() WHERE id IS NOT NULL}), '1|1',
	'negative bigints without a flake of the present are reported');
is(sql(q{SELECT kid_timestamp(flake_next()) < now() + interval '30 min'}), 't', 'these negative bigints move no clock');
sql('DROP TABLE t');
reset_clocks();

# Columns that cannot be read, and the reasons. No code of their owners runs.
in_new_database('problems');
sql(qq{
	CREATE TABLE called (by text);
	CREATE FUNCTION hostile(kid64) RETURNS kid64 IMMUTABLE LANGUAGE plpgsql AS \$\$
		BEGIN IF current_setting('kid_test.armed', true) = 'yes' THEN RAISE 'called'; END IF; RETURN \$1; END \$\$;
	CREATE OPERATOR CLASS backward FOR TYPE kid64 USING btree AS OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =,
		OPERATOR 4 <=, OPERATOR 5 <, FUNCTION 1 kid64_cmp(kid64, kid64);
	CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
	CREATE TABLE bare (id kid64);
	CREATE TABLE blooming (id kid64); CREATE INDEX ON blooming USING brin (id);
	CREATE TABLE classy (id kid64); CREATE INDEX classy_id ON classy (id backward);
	CREATE TABLE empty (id kid64);
	CREATE TABLE expressive (id kid64); CREATE INDEX expressive_id ON expressive (hostile(id));
	CREATE INDEX expressive_both ON expressive (hostile(id), id);
	CREATE FOREIGN TABLE far (id kid64) SERVER nowhere;
	CREATE TABLE hashed (id kid64); CREATE INDEX ON hashed USING hash (id);
	CREATE TABLE invalid (id kid64);
	CREATE TABLE partial (id kid64); CREATE INDEX partial_id ON partial (id) WHERE hostile(id) > 1;
	CREATE TABLE strange (id uuid PRIMARY KEY DEFAULT sno_next()::uuid);
	CREATE TABLE tenants (tenant int, id kid64, PRIMARY KEY (tenant, id));
	CREATE MATERIALIZED VIEW saved AS SELECT $id AS id;
	CREATE TABLE fine (id kid64 PRIMARY KEY, also kid64); CREATE INDEX ON fine (hostile(also)) WHERE hostile(also) > 1;
	INSERT INTO fine SELECT kid64_make(now() + interval '25 min', i), kid64_make(now() + interval '30 min', i)
		FROM generate_series(1, 9) i;
	INSERT INTO invalid SELECT kid64_make(now(), 0) FROM generate_series(1, 2);
	INSERT INTO strange SELECT (sno_floor(now())::uuid::text::varchar(30) || lpad(i::text, 6, '0'))::uuid
		FROM generate_series(1, 5000) i;
	INSERT INTO tenants VALUES (1, $id);
} . join('', map { "INSERT INTO $_ VALUES ($id);" } qw(bare blooming classy expressive hashed partial)));
output_of('CREATE UNIQUE INDEX CONCURRENTLY invalid_id ON invalid (id)');
my $other = open_session($node, $database);
answer($other, qq{CREATE TEMPORARY TABLE theirs (id kid64 PRIMARY KEY); INSERT INTO theirs VALUES ($id);});
sql(qq{CREATE TABLE locked (id kid64 PRIMARY KEY); CREATE TABLE dropped (id kid64 PRIMARY KEY);
	CREATE TABLE rebuilt (id kid64 PRIMARY KEY); INSERT INTO rebuilt VALUES (kid_next())});
answer($other, 'BEGIN; ALTER TABLE locked ADD n kid64; DROP TABLE dropped;');
my $third = open_session($node, $database);
answer($third, 'BEGIN; REINDEX INDEX rebuilt_pkey;');
my $none = 'no btree index begins with it';
my $named = sql("SET kid_test.armed = 'yes'; $problems") =~ s/pg_temp_\d+/pg_temp/r =~ s/uuid "\K[^"]*/STRANGE/r;
is($named, <<"END" =~ s/\n$//r, 'each column that cannot be read is reported with its reason');
bare.id: $none
blooming.id: $none
classy.id: $none
dropped.id: the table is locked
expressive.id: $none
far.id: its rows are on another server
fine.also: $none
hashed.id: $none
invalid.id: $none
locked.id: the table is locked
partial.id: $none
pg_temp.theirs.id: it is in a temporary table of another session
rebuilt.id: the table is locked
saved.id: it is in a materialized view
strange.id: it cannot be read: uuid "STRANGE" does not hold a value of type sno
tenants.id: $none
END
is(sql($decided) =~ s/ \S*$//r, 'kid: fine.id', 'the other columns are observed');
is(sql(q{SELECT count(*) FROM kid_observe_all() WHERE problem IS NOT NULL AND (id IS NOT NULL OR clock IS NULL)}), 0,
	'a row with a problem has a clock and no ID');
answer($third, 'COMMIT;');
close_session($third);
answer($other, 'COMMIT; DROP TABLE theirs; BEGIN; CREATE UNIQUE INDEX ON locked (n);');
sql(q{SET log_lock_waits = on; SET deadlock_timeout = '1s'; } . $problems);
my $locked = sql(q{SELECT 'locked'::regclass::oid});
is(() = slurp_file($node->logfile) =~ /still waiting for ShareUpdateExclusiveLock on relation $locked /g, 1,
	'a locked table is waited for once');
answer($other, 'COMMIT;');
unlike(sql($problems), qr{locked|dropped|rebuilt|temp}, 'after the locks are released these columns are not reported');
sql("CREATE TEMPORARY TABLE ours (id kid64 PRIMARY KEY);
	INSERT INTO ours VALUES (kid64_make(now() + interval '45 min', 0)); $decided") =~ /kid: (\S+)/;
is($1, 'ours.id', 'a temporary table of this session is observed');
close_session($other);

# Who may call kid_observe_all().
sql('CREATE ROLE keeper LOGIN; CREATE ROLE nobody_special LOGIN;
	GRANT EXECUTE ON FUNCTION kid_observe_all(), kid_observe(kid64) TO keeper');
like(output_of('SELECT * FROM kid_observe_all()', role => 'nobody_special'),
	qr{42501: permission denied for function kid_observe_all}, 'a role without EXECUTE may not call kid_observe_all()');
sql('CREATE TABLE kept (id kid64 PRIMARY KEY); INSERT INTO kept SELECT kid64_make(now() + interval $$20 min$$, 0);
	ALTER TABLE kept OWNER TO keeper');
reset_clocks();
is(output_of($decided, role => 'keeper') =~ s/ \S*$//r, 'kid: kept.id',
	'the role with EXECUTE has its own table observed');
like(output_of($problems, role => 'keeper'), qr{^fine.id: its table belongs to another role$}m,
	'but not that of another role');
is(sql(q{SELECT kid_timestamp(kid_next()) > now() + interval '19 min'}), 't', 'the call by that role moves the clock');
sql('ALTER TABLE kept ENABLE ROW LEVEL SECURITY; ALTER TABLE kept FORCE ROW LEVEL SECURITY');
like(output_of($problems, role => 'keeper'),
	qr{^kept.id: it cannot be read: query would be affected by row-level security policy}m,
	'row-level security is not circumvented');
sql('DROP TABLE kept');

# Damaged indexes are reported, and the other columns are observed.
my $damaged = $node->data_dir . '/' . sql(q{CREATE TABLE damaged (id kid64 PRIMARY KEY);
	INSERT INTO damaged VALUES (kid_next()); CHECKPOINT; SELECT pg_relation_filepath('damaged_pkey')});
my $missing = $node->data_dir . '/' . sql(q{CREATE TABLE missing (id kid64 PRIMARY KEY);
	INSERT INTO missing VALUES (kid_next()); CHECKPOINT; SELECT pg_relation_filepath('missing_pkey')});
my $block_size = sql('SHOW block_size');
$node->stop;
open my $file, '+<', $damaged or die;
print $file "\0" x $block_size;
close $file;
unlink $missing or die;
$node->start;
like(sql($problems), qr{^damaged.id: it cannot be read: index "damaged_pkey" contains unexpected zero page}m,
	'a damaged index is reported');
like(sql($problems), qr{^missing.id: it cannot be read: could not open file}m, 'a missing file is reported');
like(sql($decided), qr{^kid: fine.id}, 'despite damaged indexes, the other columns are observed');
is(sql(q{BEGIN; SELECT count(*) > 3 FROM kid_observe_all();
		SELECT count(*) FROM pg_locks WHERE relation IN ('damaged'::regclass, 'fine'::regclass); COMMIT}), "t\n0",
	'kid_observe_all() keeps no lock on damaged tables');

# A cancel request is not reported as damage.
my $cancelled = open_session($node, $database);
ask($cancelled, 'SELECT count(o) FROM generate_series(1, 1000000), LATERAL kid_observe_all() AS o;');
wait_for_state($cancelled, q{query ~ 'LATERAL' AND state = 'active'});
sql("SELECT pg_cancel_backend($cancelled->{pid})");
like(answer($cancelled), qr{canceling statement due to user request}, 'kid_observe_all() can be cancelled');
close_session($cancelled);
reset_clocks();

# Tables are created, changed and dropped meanwhile.
in_new_database('churning');
sql('CREATE DOMAIN key AS kid64');
my $churn = $node->basedir . '/churn.sql';
append_to_file($churn, join '', map { "CREATE TABLE churn_$_ (id kid64 PRIMARY KEY, n bigint DEFAULT kid_next() UNIQUE);
	INSERT INTO churn_$_ VALUES (kid_next());
	ALTER TABLE churn_$_ ALTER id TYPE bigint;
	ALTER TABLE churn_$_ ADD other key, ADD UNIQUE (other), DROP COLUMN n;
	CREATE TABLE churn_part_$_ (LIKE churn_$_ INCLUDING ALL);
	CREATE INDEX churn_x ON churn_$_ (other); DROP INDEX churn_x;
	DROP TABLE churn_$_, churn_part_$_;\n" } 1 .. 400);
my ($stdout, $stderr) = ('', '');
my $churning = IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database),
		'-f', $churn ], '>', \$stdout, '2>', \$stderr,
	IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
my $churned = output_of(join '',
	map { "SELECT problem FROM kid_observe_all() WHERE problem LIKE '%cannot be read%';\n" } 1 .. 100);
ok($churning->pumpable, 'tables are still created and dropped during all calls') or diag $stderr;
$churning->kill_kill;
is($churned, '', 'no table that is dropped or changed meanwhile is reported as unreadable');

# More tables than the lock table can hold.
in_new_database('many');
my $tables = 3000;
my $definitions = join '', map { "CREATE TABLE t_$_ (id kid64 PRIMARY KEY);\n" } 1 .. $tables;
sql($definitions);
# kid is preloaded, because the lock table may grow into the spare shared memory that kid would otherwise use.
$node->append_conf('postgresql.conf', "max_locks_per_transaction = 10\nshared_preload_libraries = 'kid'\n");
$node->restart;
sql(q{INSERT INTO t_1500 VALUES (kid64_make(now() + interval '20 min', 0));
	INSERT INTO t_2999 VALUES (kid64_make(now() + interval '10 min', 0))});
like(output_of(q{DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT oid FROM pg_class WHERE relname ~ '^t_\d+$'
				LOOP EXECUTE 'LOCK TABLE ' || t || ' IN ACCESS SHARE MODE'; END LOOP; END $$}),
	qr{53200}, 'the lock table is too small to lock all tables at once');
is(sql(q{SELECT relation, issued > now() FROM kid_observe_all() WHERE clock = 'kid'}), 't_1500|t',
	"kid_observe_all() reads $tables tables");

# A server in recovery.
$node->append_conf('postgresql.conf', "max_locks_per_transaction = 64\n");
$node->stop;
append_to_file($node->data_dir . '/standby.signal', '');
$node->start;
like(output_of('SELECT * FROM kid_observe_all()'), qr{25006: cannot execute kid_observe_all\(\) during recovery},
	'kid_observe_all() fails during recovery');
$node->promote;

# A database whose IDs are ahead of the clock is dumped and restored.
in_new_database('travels');
sql('CREATE TABLE k (id kid64 PRIMARY KEY DEFAULT kid_next());
	CREATE TABLE g (id kid96 PRIMARY KEY DEFAULT kid96_next());
	 CREATE TABLE b (id bigint PRIMARY KEY DEFAULT kid_next());
	CREATE TABLE n (id bigint PRIMARY KEY DEFAULT kid53_next());
	CREATE TABLE f (id flake PRIMARY KEY DEFAULT flake_next())');
my $fill = join '', map { "INSERT INTO $_ SELECT FROM generate_series(1, 1000);" } qw(k g b f n);
$node->set_clock('+30m');
sql($fill);
$node->set_clock('+0');
sql($fill);
my $dump = $node->basedir . '/dump.sql';
$node->command_ok([ 'pg_dump', '-d', $node->connstr($database), '-f', $dump ], 'pg_dump');
my $last = q{SELECT (SELECT max(id) FROM k), (SELECT max(kid_timestamp(id)) FROM g), (SELECT max(id) FROM b),
	(SELECT max(id) FROM f), (SELECT max(id) FROM n)};
my ($k, $g, $b, $f, $n) = split /[|]/, sql($last);
$node->stop;
my $restored = FakeClock->new('restored');
$restored->init;
$restored->start;
$restored->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $restored->connstr('postgres'), '-f', $dump ],
	'the dump is restored');
my $above = "SELECT kid_next() > '$k', kid_timestamp(kid96_next()) > '$g', kid_next()::bigint > $b,
	flake_next() > '$f', kid53_next() > $n";
is($restored->safe_psql('postgres', $above), 'f|f|f|f|f', 'restored: new IDs would not be above the old ones');
is($restored->safe_psql('postgres', 'SELECT count(*) FROM kid_observe_all() WHERE problem IS NOT NULL'), 0,
	'restored: kid_observe_all() reports no problem');
is($restored->safe_psql('postgres', $above), 't|t|t|t|t',
	'restored: after kid_observe_all() new IDs are above the old ones');
$restored->safe_psql('postgres', $fill);
is($restored->safe_psql('postgres',
		"SELECT (SELECT count(*) FROM k WHERE id > '$k'), (SELECT count(*) FROM g WHERE kid_timestamp(id) >
		'$g'), (SELECT count(*) FROM b WHERE id > $b), (SELECT count(*) FROM f WHERE id > '$f'),
		(SELECT count(*) FROM n WHERE id > $n)"),
	'1000|1000|1000|1000|1000', 'restored: the IDs of new rows are above the old ones');

$restored->stop;
done_testing();
