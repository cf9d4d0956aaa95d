/* Worker numbers: two processes lease windows of times of one number, and make IDs in them, as
 * docs/guides/worker-rules.md says. Two servers replicate asynchronously, and the standby takes over. Memory of a
 * process may be copied. No time is used by both processes, or twice by one: each has a bit in `used`.
 *
 * Here a time has one ID. A process makes it at any time, because the promise needs no clock of the process. The
 * clocks of the servers are ahead of the real time by at most MARGIN, at each reading by another span.
 *
 * bound.pml says what the comments with @ and + mean. A macro X_... drops a rule for clients, or a condition of
 * docs/why/guarantees.md.
 */
#ifndef MARGIN
#define MARGIN 1
#endif
#ifndef DIFFERENCE
#define DIFFERENCE MARGIN
#endif
#ifndef FAILOVERS
#define FAILOVERS 1
#endif
#define TTL 1        /* of each window, and max_ttl */
#ifndef GRANTS
#define GRANTS 4
#endif
#define LAST_TIME 3
#define LAST_ID 8
#ifdef M_SHORT_QUARANTINE
#define QUARANTINE (TTL + MARGIN)
#else
#define QUARANTINE (2 * TTL + MARGIN)                                                     /* @ quarantine */
#endif
#define MAX(a, b) ((a) > (b) -> (a) : (b))

#ifdef X_TWO_PRIMARIES
#define is_primary(at) true
#else
#define is_primary(at) (at == server)
#endif

byte time;
byte server;                          /* the primary, 0 or 1 */
byte until[2], token[2], history[2];  /* the row of the number, and that of its pool */
byte timeline[2];
byte timelines = 1, tokens, failovers;
int used;

/* What the processes know. */
byte its_token[2], its_since[2], its_until[2], its_last[2];

inline read_clock(now) {
  if :: now = time :: now = time + DIFFERENCE fi
#ifdef ANY_CLOCK
  ; if :: now = 0 :: now = LAST_TIME :: skip fi
#endif
}
inline forget(p) { its_token[p] = 0; its_since[p] = 0; its_until[p] = 0 }

proctype environment() {
end:
  do
  :: time < LAST_TIME -> time++                                                           /* + time passes */
  :: d_step { failovers < FAILOVERS ->                                                    /* + replication */
       until[1 - server] = until[server]; token[1 - server] = token[server];
       history[1 - server] = history[server] }
  :: d_step { failovers < FAILOVERS -> failovers++;                                       /* + failover */
       server = 1 - server; timelines++; timeline[server] = timelines }
#ifdef X_COPY
  :: d_step { its_token[1] == 0 && its_token[0] != 0 ->
       its_token[1] = its_token[0]; its_since[1] = its_since[0]; its_until[1] = its_until[0];
       its_last[1] = its_last[0] }
#else
  /* The memory of process 0 is copied, and replaces that of process 1, which forgets what it leased. */
  :: d_step { its_token[0] != 0 && its_token[1] != 0 -> forget(1) }  /* + copied */
#endif
  od
}

proctype process(byte me) {
  byte at, now, ended, starts, drawn, id;

end:
  do
  :: tokens < GRANTS ->
#ifdef X_TWO_PRIMARIES
     at = (me == 0 -> 0 : server);
#else
     at = server;
#endif
     /* notice_failover(), in a transaction of its own */
     atomic {
       if
       :: history[at] != timeline[at] ->
          read_clock(now);
#ifdef M_NO_POSTPONE
          skip;
#else
          until[at] = MAX(until[at], now) + QUARANTINE;                                   /* @ postpone */
#endif
          token[at] = 0;
          history[at] = timeline[at];
          now = 0
       :: else
       fi
     };
     /* grant_window() */
     atomic {
       if
       :: !is_primary(at) || history[at] != timeline[at] -> goto ended_call                  /* + primary is gone */
       :: else
       fi;
       read_clock(now);
       if
       :: its_token[me] != 0 && its_token[me] == token[at] ->                             /* @ own number */
#ifndef M_RENEW_EARLY
          if :: until[at] > now + TTL -> goto ended_call                                  /* @ too early */
          :: else fi;
#endif
          ended = until[at]
       :: else ->
          if :: until[at] > now -> goto ended_call                                        /* @ not free */
          :: else fi;
          ended = until[at]
       fi;
#ifdef M_START_AT_CLOCK
       starts = now;
#else
       starts = MAX(ended, now);                                                          /* @ starts */
#endif
       if :: starts + TTL > LAST_ID -> goto ended_call :: else fi;
       tokens++;
       drawn = tokens;
#ifdef X_UNCOMMITTED
       /* The process believes a reply from before the commit, which fails. */
       if
       :: its_token[me] = drawn; its_since[me] = starts; its_until[me] = starts + TTL; goto ended_call
       :: skip
       fi;
#endif
       until[at] = starts + TTL;                                                          /* @ granted */
       token[at] = drawn;
       starts = 0; ended = 0; now = 0
     };
     /* The commit, and then tell_window() */
     atomic {
       if
       :: is_primary(at) && token[at] == drawn ->                                            /* @ told */
          its_token[me] = drawn;
          its_since[me] = until[at] - TTL;
          its_until[me] = until[at];
          its_last[me] = 0      /* No matter where in the window the process begins, it uses no time of an earlier one. */
       :: skip                                                                            /* + reply is lost */
       fi
     };
ended_call:
     atomic { at = 0; now = 0; ended = 0; starts = 0; drawn = 0 }
  :: its_until[me] > 0 ->
     /* An ID of any time that the rules allow */
     atomic {
#ifdef X_OUTSIDE_WINDOW
       id = MAX(its_since[me], its_last[me]);
       do :: id < its_until[me] + 1 -> id++ :: break od;
       if
       :: id < LAST_ID && id >= its_last[me] ->
#else
       id = its_since[me];
       do :: id < its_until[me] -> id++ :: break od;                                      /* + any clock */
#ifdef X_NOT_RISING
       if
       :: id < its_until[me] ->
#else
       if
       :: id < its_until[me] && id >= its_last[me] ->                                     /* @ in window, rising */
#endif
#endif
          assert((used & (1 << id)) == 0);
          used = used | (1 << id);
          its_last[me] = id + 1
       :: else
       fi;
       id = 0
     }
  od
}

init {
  atomic {
    timeline[0] = 1; history[0] = 1; history[1] = 1;
    run environment(); run process(0); run process(1)
  }
}
