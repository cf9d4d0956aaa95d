-- Returns no row while all is well.
SELECT clock, 'IDs are ahead: the clock was set back or was wrong, or they were observed' AS alert, ahead::text AS value
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
  FROM kid_stats() WHERE held_for > interval '1 min';
