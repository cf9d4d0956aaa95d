/* Lanes that grow: servers that fill one table divide the states of each unit, and change from 1 lane to 2 and to 4
 * while they make IDs, one server after the other (docs/guides/many-servers.md). No state is issued twice, on whichever
 * server: each has a bit in `used`.
 *
 * A unit has four states. Of the bound it matters here only that a session goes by it and that others raise it, because
 * bound.pml is about what is durable. Each reading of the system clock can be any unit. bound.pml says what comments
 * with @ and + mean.
 */
#ifndef UNITS
#define UNITS 3
#endif
#ifndef SERVERS
#define SERVERS 3     /* two or three */
#endif
#define UNIT(state) ((state) / 4)
#define FIRST(unit) (4 * (unit))
#define SEQUENCE(state) ((state) & 3)
#define MAX(a, b) ((a) > (b) -> (a) : (b))

/* lane_of() of lane.hpp, for 4 sequences: the first of the lane of `node`, and how many it has */
#ifdef M_BLOCKS
#define lane_first(node, lanes) ((node) * (4 / (lanes)))
#else
#define lane_first(node, lanes) (((node) & 1) * 2 * ((lanes) > 1) + (((node) / 2) & 1) * ((lanes) > 2)) /* @ reversed */
#endif
#define lane_last(node, lanes) (lane_first(node, lanes) + 4 / (lanes) - 1)

byte state[SERVERS];
byte bound[SERVERS];     /* the first state of a unit */
byte lanes[SERVERS];     /* the identity in force; 0 before the server has started */
short used;

proctype session(byte server) {
  byte last, next, mine, now;

end:
  atomic { lanes[server] > 0 && UNIT(state[server]) < UNITS -> mine = lanes[server] };    /* @ choose lane */
again:
#ifdef M_IDENTITY_FIRST
  if
  :: mine != lanes[server] -> goto stale
  :: else
  fi;
#endif
  atomic {
    last = state[server];                                                                 /* @ load */
    if :: now = 0 :: now = 1 :: now = 2 fi;
    if
    :: now > UNIT(last) -> next = FIRST(now) + lane_first(server, mine)                   /* @ time went on */
    :: else ->
       if
       :: SEQUENCE(last) >= lane_last(server, mine) ->                                    /* @ used up */
          next = FIRST(UNIT(last) + 1) + lane_first(server, mine)
       :: SEQUENCE(last) < lane_first(server, mine) ->                                    /* @ below lane */
          next = FIRST(UNIT(last)) + lane_first(server, mine)
       :: else -> next = last + 1                                                         /* @ count on */
       fi
    fi;
    now = 0
  };
#ifdef M_IDENTITY_BEFORE_LIMIT
  if
  :: mine != lanes[server] -> goto stale
  :: else
  fi;
#endif
  if
  :: next >= bound[server] -> goto stale                                                  /* @ limit */
  :: else
  fi;
#if !defined(M_IDENTITY_FIRST) && !defined(M_IDENTITY_BEFORE_LIMIT)
  if
  :: mine != lanes[server] -> goto stale                                                  /* @ stale */
  :: else
  fi;
#endif
  atomic {
    if
    :: UNIT(next) >= UNITS -> skip
    :: UNIT(next) < UNITS && state[server] == last ->                                     /* @ swap */
       now = next;
       /* one state, or what the lane has left */
       if
       :: next = FIRST(UNIT(next)) + lane_last(server, mine)                              /* @ in bulk */
       :: skip
       fi;
       state[server] = next;
       do
       :: now <= next -> assert((used & (1 << now)) == 0); used = used | (1 << now); now++
       :: else -> break
       od
    :: else -> goto again                                                                 /* + another was first */
    fi
  };
stale:
  atomic { last = 0; next = 0; mine = 0; now = 0; goto end }
}

/* leave_unit(), under the lock: the bound does not change */
inline leave_unit(server) {
  d_step {
    if
    :: SEQUENCE(state[server]) != 3 -> state[server] = state[server] | 3                  /* @ end of unit */
    :: SEQUENCE(state[server]) == 3 && state[server] + 1 < bound[server] -> state[server] = state[server] + 4
    :: else                                                                               /* @ stay */
    fi
  }
}

/* Changes the lanes of a server, as publish() in identity.cpp does. The administrator goes on when it is done. */
inline change(server, to) {
#ifdef M_LEAVE_FIRST
  leave_unit(server);
#endif
  lanes[server] = to;                                                                     /* @ new identity */
#if !defined(M_LEAVE_FIRST) && !defined(M_NO_LEAVE)
  leave_unit(server);                                                                     /* @ leave unit */
#endif
}

/* Starts a server. It first observes the last ID of each old server, which has changed its lanes before. */
inline start(server, to) {
#ifndef X_NOT_OBSERVED
  atomic { state[server] = MAX(state[0], state[1]) | 3; bound[server] = FIRST(UNITS) };           /* @ observe */
#endif
  lanes[server] = to
}

/* A renewal on the first server, by any session of it */
#if SERVERS == 2
proctype renewal() {
end:
  do
  :: UNIT(bound[0]) < UNITS -> bound[0] = bound[0] + 4                                    /* @ raise */
  od
}
#endif

proctype administrator() {
#if defined(X_NO_LANES)
  start(1, 1);
#elif defined(X_START_TOO_EARLY)
  start(1, 2);
  change(0, 2);
#else
  change(0, 2);
  start(1, 2);                                                                            /* @ grow to two */
#endif
#if SERVERS > 2
  /* From 2 lanes to 4, in either order. */
  if
  :: change(0, 4); change(1, 4)                                                           /* @ one after another */
  :: change(1, 4); change(0, 4)
  fi;
  start(2, 4);                                                                            /* + third server */
#endif
  skip
}

init {
  atomic {
    lanes[0] = 1;
    bound[0] = FIRST(UNITS);
    bound[1] = FIRST(UNITS);
#if SERVERS > 2
    bound[2] = FIRST(UNITS);
#else
    bound[0] = FIRST(1);
    run renewal();
#endif
    run session(0);
    run session(1);
#if SERVERS > 2
    run session(2);
#endif
    run administrator()
  }
}
