-- Any role may call kid_forget_worker() and the functions that kid_lease_worker() calls, because each of them checks
-- that its caller may lease.
GRANT USAGE ON SCHEMA kid_workers TO PUBLIC;
GRANT EXECUTE ON FUNCTION kid_workers.notice_failover, kid_workers.grant_window, kid_workers.wait_again,
    kid_workers.tell_window, @extschema@.kid_forget_worker TO PUBLIC;
