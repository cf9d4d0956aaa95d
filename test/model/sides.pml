/* A clock with sides, as sno has one: it changes sides if the system clock goes back. States are not in order then, so
 * the promise is that none is issued twice: each has a bit in `used`.
 *
 *   state = 4 * unit + 2 * side + sequence, as sno_clock has them; a unit has two states on each side
 *
 * The page and its WAL are one step here, and so is the flush: bound.pml shows that nothing goes by a page that is not
 * durable. As there, each reading of the system clock can be any unit, and a session may go on in the next unit, or
 * keep the time of the clock, whenever it likes: keeps() is true in some time after a start only. A crash can come
 * between any two steps. bound.pml says what the comments with @ and + mean.
 */
#ifndef SESSIONS
#define SESSIONS 2
#endif
#ifndef UNITS
#define UNITS 6     /* at most 7: `used` has 32 bits */
#endif
#ifndef CLOCK_MAX
#define CLOCK_MAX 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef CHANGES
#define CHANGES 2   /* of sides */
#endif
#ifndef NEAR
#define NEAR 1
#endif
#define LEASE 1
#define UNIT(state) ((state) / 4)
#define FIRST(unit) (4 * (unit))
#define SIDE(state) ((state) & 2)
#define END(state) ((state) | 1)
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))
/* last_before() of clock_rules.hpp: the greatest state below `start`, on the side of `s` */
#define last_before(s, start) ((start) > FIRST(UNIT(s)) -> (FIRST(UNIT((start) - 1)) + SIDE(s) + 1) : (s))

byte state, bound, safe;   /* clock_cell; one limit does for both */
byte lock;
bool is_open;
byte page_last, page_safe; /* lease.page, which is what is on the page */
byte down, crashes, changes;
int used;

inline read_clock(unit) {
  if :: unit = 0 :: CLOCK_MAX >= 1 -> unit = 1 :: CLOCK_MAX >= 2 -> unit = 2 :: CLOCK_MAX >= 3 -> unit = 3 fi
}
inline forget() { d_step { last = 0; next = 0; now = 0; to = 0; mark = 0; behind = false } }
inline issue(s) {
  state = s;
  assert((used & (1 << (s))) == 0);
  used = used | (1 << (s))
}
/* leave_unit(), a loop around a compare-and-swap */
inline leave_unit(limit) {
  d_step {
    if
    :: state != END(state) -> state = END(state)
    :: state == END(state) && FIRST(UNIT(state) + 1) < limit -> state = FIRST(UNIT(state) + 1) + SIDE(state) + 1
    :: else
    fi
  }
}

active proctype environment() {
end:
  do
  :: d_step { down == 0 && crashes < CRASHES -> crashes++;                                /* + crash */
       state = 0; bound = 0; safe = 0; lock = 0; is_open = false;
       down = (1 << SESSIONS) - 1 }
  od
}

proctype session(byte me) {
  byte last, next, now, to, mark;
  bool behind;

begin: {
  to = 0;
end_idle:
  atomic { down == 0 && UNIT(state) < UNITS - 3 -> skip };
again:
  /* advance_on_side() and step() */
  atomic {
    last = state;                                                                         /* @ load */
    if
    :: read_clock(now);
       if
       :: now > UNIT(last) -> next = FIRST(now) + SIDE(last)                              /* @ time went on */
       :: now < UNIT(last) -> behind = true; next = 0                                     /* @ behind */
       :: else -> next = last + 1;                                                        /* @ same unit */
          if :: UNIT(next) != UNIT(last) || SIDE(next) != SIDE(last) -> next = FIRST(UNIT(last) + 1) + SIDE(last)
          :: else fi
       fi;
       now = 0
    :: next = (last != END(last) -> last + 1 : FIRST(UNIT(last) + 1) + SIDE(last))        /* @ keep */
    fi
  };
  if
  :: behind -> goto change
  :: else
  fi;
  if
  :: next >= bound -> goto renew                                                          /* @ limit */
  :: else
  fi;
  atomic {
    if
    :: state == last -> issue(next); forget(); goto end_idle                              /* @ swap */
    :: else -> last = 0; next = 0; goto again                                             /* + another was first */
    fi
  };

change: /* change_sides() */
  atomic { lock == 0 -> lock = me + 1 };
  atomic {
    if
    :: !is_open -> goto open
    :: else
    fi;
    if
    :: state != last || changes == CHANGES -> goto done                                   /* @ side changed */
    :: else
    fi;
    /* step_to_other_side() */
    read_clock(now);
    if
    :: now >= UNIT(last) -> goto done
#ifndef M_IGNORE_SAFE_MARK
    :: now < UNIT(last) && FIRST(now) <= safe -> goto done                                /* @ at or below mark */
#endif
    :: else
    fi;
    next = FIRST(now) + (SIDE(last) ^ 2);                                                 /* @ other side */
    to = FIRST(now + LEASE + 1);
    now = 0;
    /* bound_other_side() */
    mark = FIRST(UNIT(last_before(last, bound)));                                         /* @ mark of this side */
    if
    :: SIDE(page_last) == SIDE(next) && page_last > next && page_safe >= mark ->
       to = FIRST(UNIT(page_last) + 1)                                                    /* @ written already */
    :: else ->
       page_last = last_before(next, to);                                                 /* @ bound of other side */
#ifndef M_MARK_NOT_ON_PAGE
       page_safe = mark
#endif
    fi;
    mark = 0
  };
#ifndef M_BOUND_NOT_LOWERED
  atomic { mark = bound; bound = MIN(to, bound) };                                        /* @ low bound */
#endif
  atomic {
    if
    :: state == last -> issue(next); changes++                                            /* @ swap sides */
    :: else ->                                                                            /* @ another was first */
#ifdef M_BOUND_LEFT
       goto done
#else
       goto back
#endif
    fi
  };
#ifndef M_NO_MARK
  safe = FIRST(UNIT(last));                                                               /* @ safe mark */
#endif
  bound = to;                                                                             /* @ bound in force */
  atomic { lock = 0; forget(); goto end_idle };
back:
  bound = 0;
  leave_unit(mark);                                                                       /* @ bound back */
  goto done;

renew: /* renew_lease() and extend() */
  atomic { lock == 0 -> lock = me + 1 };
  if
  :: !is_open ->
open: atomic {
       is_open = true;
#ifndef M_MARK_NOT_READ
       safe = page_safe;                                                                  /* @ mark on page */
#endif
       state = page_last                                                                  /* @ start at page */
     }
  :: else
  fi;
  atomic {
    if
    :: next < bound || behind -> goto done
    :: else
    fi;
    read_clock(now);
    to = MAX(now + LEASE, UNIT(state) + NEAR);
    now = 0;
    if
    :: FIRST(UNIT(page_last) + 1) > bound && page_last > state && SIDE(page_last) == SIDE(state) &&
       UNIT(page_last) <= to + 1 ->
       to = FIRST(UNIT(page_last) + 1); goto publish                                      /* @ publish written */
    :: else
    fi
  };
  d_step { to = MAX(FIRST(to + 1), bound) };
  atomic { page_last = last_before(state, to); page_safe = safe };                        /* @ page with mark */
  if
  :: goto done                                                                            /* @ clock went back */
  :: skip
  fi;
publish:
  bound = to;                                                                             /* @ publish */
done:
  atomic { lock = 0; forget(); goto again }
  } unless {
    atomic { (down & (1 << me)) -> down = down & ~(1 << me); forget(); goto begin }
  }
}

init { atomic { byte k; for (k : 0 .. SESSIONS - 1) { run session(k) } } }
