-- The schema of worker numbers, in which no other role has a right to create anything

CREATE SCHEMA kid_workers;
COMMENT ON SCHEMA kid_workers IS 'worker numbers, and functions that kid_lease_worker() calls';
