-- Returns no row while all is well. In a database with the extension kid_workers, it looks at the pools of worker
-- numbers, too. The query of query_to_xml() runs only there, so that a database without kid_workers gets no error.
WITH roles AS MATERIALIZED (
    SELECT r.*
      FROM pg_extension AS e,
           xmltable('/table/row' PASSING query_to_xml(format(
               'SELECT pool, role, per_role, bool_or(until > now() - interval ''1 h'') AS recent,
                       CASE WHEN role IS NOT NULL THEN count(*) FILTER (WHERE until > now()) END AS leased,
                       count(*) FILTER (WHERE state <> ''closed'') AS open,
                       count(*) FILTER (WHERE state = ''free'') AS free,
                       count(*) FILTER (WHERE state = ''ahead'') AS ahead,
                       count(*) FILTER (WHERE state = ''server'') AS server,
                       count(*) FILTER (WHERE state = ''unadopted'') AS unadopted
                  FROM %s.kid_workers() GROUP BY pool, role, per_role', e.extnamespace::regnamespace), false, false, '')
               COLUMNS pool text, role text, per_role bigint, recent boolean, leased bigint, open bigint, free bigint,
                       ahead bigint, server bigint, unadopted bigint) AS r
     WHERE e.extname = 'kid_workers'
), pools AS (
    SELECT pool, bool_or(recent) AS recent, sum(open) AS open, sum(free) AS free, sum(ahead) AS ahead,
           sum(server) AS server, sum(unadopted) AS unadopted
      FROM roles GROUP BY pool
)
SELECT clock AS subject, 'IDs are ahead: the clock was set back or was wrong, or they were observed' AS alert,
       ahead::text AS value
  FROM kid_stats() WHERE ahead > interval '10 s'
UNION ALL
SELECT clock, 'generators fail, or will after the next start', problem FROM kid_stats() WHERE problem IS NOT NULL
UNION ALL
SELECT clock, 'the bound is far ahead: after a crash IDs begin there', (lease_until - now())::text
  FROM kid_stats() WHERE lease_until > now() + interval '1 min'
UNION ALL
SELECT clock, 'the clock went back: sno waits if the clock goes back again', safe_mark::text
  FROM kid_stats() WHERE safe_mark > now()
UNION ALL
SELECT clock, 'sessions wait for the bound: slow WAL, or no synchronous standby', format('%s since %s', waiting, waiting_for)
  FROM kid_stats() WHERE waiting_for > interval '1 s'
UNION ALL
SELECT clock, 'a transaction that was left open holds back consumers', format('process %s for %s', held_by, held_for)
  FROM kid_stats() WHERE held_for > interval '1 min'
UNION ALL
SELECT pool, 'few worker numbers are free', format('%s of %s', free, open) FROM pools
 WHERE free < 0.1 * open OR free < 2 AND open > 2
UNION ALL
SELECT pool, 'all worker numbers are closed, and some were leased in the last hour', NULL
  FROM pools WHERE open = 0 AND recent
UNION ALL
SELECT pool, 'worker numbers are ahead: the clock was wrong when they were leased', ahead::text
  FROM pools WHERE ahead > 0
UNION ALL
SELECT pool, 'the server itself makes IDs with worker numbers', server::text FROM pools WHERE server > 0
UNION ALL
SELECT pool, 'the pool was restored or copied, and not adopted', unadopted::text FROM pools WHERE unadopted > 0
UNION ALL
SELECT pool, 'a role has nearly as many worker numbers as it may have', format('%s: %s of %s', role, leased, per_role)
  FROM roles WHERE leased > 0.9 * per_role;
