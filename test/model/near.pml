/* The bound stays near: bound.pml with a system clock that has a time, one session, and as many crashes as there is
 * time for. There is one process, because what matters here is how times add up, and not who is first.
 *
 * A state is a number, and a time unit has two states. Promises:
 *
 *   AHEAD   if the system clock was never wrong, no state is further ahead of it than the longer one of the lease and
 *           SLOW, and a little, however often the server crashes
 *   FAR     if the system clock was wrong, the bound in force after a renewal is near the system clock again, or just
 *           ahead of the state
 *
 * bound.pml says what the comments with @ and + mean.
 */
#ifndef LEASE
#define LEASE 3
#endif
#ifndef NEAR
#define NEAR 1
#endif
#ifndef SLOW
#define SLOW 4
#endif
#ifndef WRITE
#define WRITE 0      /* the longest time that a write can take; then the lease is longer */
#endif
#ifndef JUMPS
#define JUMPS 0      /* how often the system clock is set */
#endif
#ifndef LAST_UNIT
#define LAST_UNIT 20
#endif
#define RESTART NEAR        /* a restart takes at least so long */
#define NONE 255
#define UNIT(state) ((state) / 2)
#define FIRST(unit) (2 * (unit))
#define END(state) ((state) | 1)
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))

byte clock;
byte jumps;
byte state, bound, renew_at, lease_page;
byte written;          /* the page, as a crash leaves it */
byte write_time;       /* write_micros */
byte found = NONE;     /* when the unit was found used up */
bool is_open;

#ifdef M_NO_LIMIT_WHEN_AHEAD
#define when_ahead(four) (four)
#else
#define when_ahead(four) (UNIT(state) > now + SLOW -> 0 : MIN(four, now + SLOW - UNIT(state)))   /* @ ahead */
#endif
#ifdef M_KEEP_FAR_BOUND
#define is_too_far(b) false
#else
#define is_too_far(b) (bound > (b) && UNIT(bound) > until + length)                               /* @ too far */
#endif
#ifdef M_PUBLISH_ANY
#define is_near(unit) true
#else
#define is_near(unit) ((unit) <= until + MAX(length, SLOW))                                       /* @ near */
#endif
#ifdef M_CARRY_AT_ONCE
#define may_carry true
#else
#define may_carry (found != NONE && clock > found)                                                /* @ pace */
#endif

inline crash() {
  d_step { state = 0; bound = 0; renew_at = 0; lease_page = 0; write_time = 0; found = NONE; is_open = false }
  /* A restart takes time. */
  clock = (clock + RESTART < LAST_UNIT -> clock + RESTART : LAST_UNIT)
}

active proctype server() {
  byte next, now, until, length, four, b, took;

end:
  do
  :: clock < LAST_UNIT -> clock++                                                         /* + time passes */
  :: jumps < JUMPS -> atomic { jumps++;                                                   /* + clock is set */
       if :: clock = 0 :: clock = LAST_UNIT - 4 fi }
  :: clock < LAST_UNIT && is_open -> crash()                                              /* + crash */
  :: clock < LAST_UNIT && UNIT(state) + 8 < 100 ->
     /* step() */
     atomic {
       if
       :: clock > UNIT(state) -> next = FIRST(clock)                                      /* @ time went on */
       :: clock <= UNIT(state) && state != END(state) -> next = state + 1                 /* @ count on */
       :: clock <= UNIT(state) && state == END(state) && may_carry -> next = state + 1    /* @ carry */
       :: else ->                                                                         /* @ used up */
          found = (found == NONE || clock < found -> clock : found); next = 0
       fi
     };
     if
     :: next == 0 -> goto ended
     :: else
     fi;
     if
     :: next < bound -> atomic {
          found = (UNIT(next) != UNIT(state) -> NONE : found);
          state = next;
#if JUMPS == 0
          assert(UNIT(state) <= clock + MAX(LEASE, SLOW * (WRITE > 0)) + NEAR + 1)        /* @ AHEAD */
#endif
        }
     :: else
     fi;
     if
     :: next < renew_at -> goto ended
     :: else
     fi;
     atomic {
       if
       :: !is_open -> is_open = true; lease_page = written; state = written               /* @ start at page */
       :: else
       fi
     };
     if
     :: jumps < JUMPS -> atomic { jumps++; if :: clock = 0 :: clock = LAST_UNIT - 4 fi }  /* + set meanwhile */
     :: skip
     fi;
     /* extend() */
     atomic {
       now = clock;
       four = MIN(4 * write_time, SLOW);                                                  /* @ four writes */
       length = MAX(LEASE, four);
       until = MAX(now + length, UNIT(state) + MAX(NEAR, when_ahead(four)));              /* @ until */
#ifdef M_LEASE_ON_TOP
       until = MAX(until, UNIT(state) + LEASE);
#endif
       if
       :: FIRST(UNIT(lease_page) + 1) > bound && lease_page > state && is_near(UNIT(lease_page) + 1) ->
          b = FIRST(UNIT(lease_page) + 1)                                                 /* @ publish written */
       :: else ->
          b = FIRST(until + 1);
          if
          :: is_too_far(b) ->
             bound = 0;                                                                   /* @ bound back */
             state = (state != END(state) -> END(state) : state + 2);
             b = MAX(b, FIRST(UNIT(state) + NEAR + 1))
          :: else -> b = MAX(b, bound)                                                    /* + bound kept */
          fi;
          lease_page = MAX(b - 1, state);
          took = NONE
       fi
     };
     if
     :: took == NONE ->
        took = 0;
        do
        :: took < WRITE && clock < LAST_UNIT -> took++; clock++                           /* + write takes time */
        :: jumps < JUMPS -> atomic { jumps++; clock = 0 }
        :: break
        od;
        if
        :: crash(); goto ended                                                            /* + crash before flush */
        :: skip
        fi;
        atomic { written = lease_page; write_time = took; took = 0 };
        if
        :: crash(); goto ended                                                            /* + crash after flush */
        :: skip
        fi;
        if
        :: clock < now -> goto ended                                                      /* @ clock went back */
        :: else
        fi
     :: else
     fi;
     atomic {
       bound = b;
       renew_at = MIN(b, FIRST((MAX(now, UNIT(state)) + UNIT(b)) / 2 + 1));
       assert(UNIT(bound) <= MAX(now + length, UNIT(state) + MAX(NEAR, four)) + MAX(length, SLOW) + 1)  /* @ FAR */
     };
ended:
     atomic { next = 0; now = 0; until = 0; length = 0; four = 0; b = 0; took = 0 }
  od
}
