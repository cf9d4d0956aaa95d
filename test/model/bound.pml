/* The bound: sessions that issue states of a logical clock, the lease, the page of the bounds, and what WAL, disks and
 * standbys have of it. A crash can come between any two steps.
 *
 * A state is a number. A time unit has two states: those of unit u are 2u and 2u + 1. A bound is the first state of a
 * unit. Two things are more general here than in kid: the system clock has no time of its own, so each reading of it
 * can be any unit up to CLOCK_MAX; and a session may always go on in the next unit when one is used up.
 *
 * What is one step here is one access to shared memory, or is done under a lock while nobody else looks. `atomic` and
 * `d_step` say so.
 *
 * A comment that begins with @ names a line of kid's code, which test/model/code lists. A line with such a comment, or
 * with one that begins with +, must be reached in each exhaustive run, unless test/model/runs says otherwise.
 * A macro M_... makes one mutant of the model.
 *
 * What is promised, as assertions:
 *   next > top    each state that is issued is above all states that were issued, or are in rows that this server has,
 *                 and above each horizon that was told
 *   end states    nobody waits for ever: Spin reports a state in which a session waits and nothing can happen
 */
#ifndef SESSIONS
#define SESSIONS 2
#endif
#ifndef UNITS
#define UNITS 6      /* sessions stop issuing in this unit */
#endif
#ifndef CLOCK_MAX
#define CLOCK_MAX 3  /* the last unit that the system clock can show, at most 3 */
#endif
#ifndef LEASE
#define LEASE 1      /* units */
#endif
#ifndef NEAR
#define NEAR 1       /* units, `near_micros` */
#endif
#ifndef SLOW
#define SLOW 2       /* units, `slow_micros` */
#endif
#ifndef CRASHES
#define CRASHES 2    /* crashes, promotions, restores and planned stops together */
#endif
#ifndef ERRORS
#define ERRORS 0     /* errors of a session while it writes the page */
#endif
#ifndef RESETS
#define RESETS 0     /* calls of kid_reset_clock() */
#endif
#ifndef LOCAL
#define LOCAL 0      /* sessions with a lower number have synchronous_commit = local */
#endif
#ifndef ROOM
#define ROOM 4       /* records of WAL that are not on disk, or not on the standby */
#endif
/* STANDBY: none is 0, an asynchronous one 1, a synchronous one that confirms late 2. */
#ifndef STANDBY
#define STANDBY 0
#endif

#define ROW 128      /* a record of WAL is the image of the page, below ROW, or a row with a state, above */
#define NONE 255
#define UNIT(state) ((state) / 2)
#define FIRST(unit) (2 * (unit))
#define END(state) ((state) | 1)
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))

byte state, bound, renew_at; /* clock_cell */

/* lease_state, guarded by `lock` */
byte lock;         /* who has it: a session + 1 */
bool is_open;
bool failed;
byte lease_page;   /* lease.page.last */
byte unconfirmed;  /* 0 if standbys have confirmed the page; 1 if they have its WAL; 1 + n if they lack n records */
bool told;         /* they have said that they have it */

byte page;         /* in shared buffers */
byte page_lsn;     /* how many records of wal[] it needs */

/* WAL. wal[0] to wal[flushed - 1] are on the disk of the server, the rest up to `inserted` is not. What was before
 * wal[0] is on the standby, or on the disk if there is none. Of it only the last image and the greatest row count. */
byte wal[ROOM];
byte inserted, flushed;
byte image, row;

#ifdef CHECKPOINT
bool dirty, filling;    /* the buffer of the page; a session holds its content lock */
byte on_disk;           /* the page in the file */
byte checkpoint;        /* how far one is: 0 none, 1 has its redo point, 2 has noted which buffers are dirty */
bool noted;
byte before_redo;       /* records of wal[] before the new redo point */
byte image_after_redo;  /* NONE if there was none */
byte checkpoints;
byte backup;            /* a base backup: 0 none, 1 begun, 2 has copied the page, 3 ended */
byte backup_page, backup_image;
#endif

byte down;              /* a set of sessions that a crash has yet to reach */
byte crashes, errors;
bool rowed;             /* one row is enough: if a promise about rows is broken, one row shows it */
byte top;

byte calls, resets, late; /* sessions in a call; those that have been in one since a forced reset */
bool held;

#define is_confirmed(me) (STANDBY != 2 || me < LOCAL || unconfirmed == 0 || told)

/* Whether the WAL that is flushed now is replayed when the backup is restored. */
#ifdef X_ROWS_AFTER_RESTORE
#define is_archived (backup == 1 || backup == 2)
#else
#define is_archived (backup > 0)
#endif

/* wal[0] reaches the standby, or the disk if there is none. */
inline leave_tail() {
  if
  :: wal[0] < ROW -> image = wal[0];
#ifdef CHECKPOINT
     image_after_redo = (before_redo == 0 -> wal[0] : image_after_redo);
     backup_image = (is_archived -> wal[0] : backup_image)
#endif
  :: else -> row = MAX(row, wal[0] - ROW)
  fi;
  for (i : 0 .. ROOM - 2) { wal[i] = wal[i + 1] }
  wal[ROOM - 1] = 0;
  i = 0;
  inserted--;
  flushed = (flushed > 0 -> flushed - 1 : 0);
  page_lsn = (page_lsn > 0 -> page_lsn - 1 : 0);
#ifdef CHECKPOINT
  before_redo = (before_redo > 0 -> before_redo - 1 : 0);
#endif
  unconfirmed = (unconfirmed > 1 -> unconfirmed - 1 : unconfirmed)
}

/* XLogFlush(). One step: a crash leaves what a crash before it leaves, or one after it. */
inline flush(lsn) {
#if STANDBY == 0
  do :: page_lsn > 0 -> leave_tail() :: else -> break od
#else
  flushed = MAX(flushed, lsn)
#endif
}

/* A session finds out what is on the page, when it opens the lease. */
inline read_page() {
#ifndef M_NO_FLUSH_BEFORE_READ
  flush(page_lsn);                                                                        /* @ flush what was read */
#endif
#if STANDBY == 2 && !defined(M_OPEN_CONFIRMED)
  unconfirmed = page_lsn + 1; told = false;                                               /* @ page unconfirmed */
#endif
  lease_page = page
}

/* Shared memory is gone, and recovery replays WAL. */
inline start_again() {
#ifdef CHECKPOINT
  page = (image == NONE -> on_disk : image);
  dirty = true;
  filling = false;
  checkpoint = 0;
  noted = false;
  before_redo = 0;
  image_after_redo = 0;
#else
  page = image;
#endif
  page_lsn = 0;
  for (i : 0 .. ROOM - 1) {
    if
    :: i < flushed && wal[i] < ROW -> page = wal[i]; page_lsn = i + 1
    :: i >= flushed -> wal[i] = 0
    :: else
    fi
  }
  i = 0;
  inserted = flushed;
  state = 0; bound = 0; renew_at = 0;
  lock = 0; is_open = false; failed = false; lease_page = 0; unconfirmed = 0; told = false;
  calls = 0; late = 0; held = false;
  down = (1 << SESSIONS) - 1;
  crashes++
}

active proctype environment() {
  byte i;
end:
  do
#if STANDBY == 0
  :: d_step { down == 0 && inserted > 0 -> leave_tail() }                                /* + walwriter */
#else
  :: d_step { down == 0 && flushed < inserted -> flushed++ }                             /* + walwriter */
  :: d_step { down == 0 && flushed > 0 -> leave_tail() }                                 /* + standby receives */
#if STANDBY == 2
  :: d_step { down == 0 && unconfirmed == 1 && !told -> told = true }                    /* @ standbys confirm */
#endif
  /* A promotion. The old server comes back by pg_rewind as the standby of the new one: then both have the same WAL. */
  :: d_step { down == 0 && crashes < CRASHES ->                                          /* + promotion */
       for (i : 0 .. ROOM - 1) { wal[i] = 0 }
       i = 0;
       inserted = 0;
       flushed = 0;
#if STANDBY == 1 && !defined(X_ROWS_NOT_SENT)
       top = row;                                           /* the promise is about the rows that it has */
#endif
       start_again() }
#endif
#ifndef OFF
  :: d_step { down == 0 && crashes < CRASHES -> start_again() }                          /* + crash */
#ifdef X_OLD_FILES
  :: d_step { down == 0 && crashes < CRASHES -> image = 0; start_again() }
#endif
#else
  /* A planned stop: all sessions have ended, and each has written what was issued. */
  :: d_step { down == 0 && crashes < CRASHES && calls == 0 && lock == 0 ->               /* + planned stop */
       if :: is_open -> image = state :: else fi;                                        /* @ write at exit */
       start_again() }
#ifdef X_OFF_CRASH
  :: d_step { down == 0 && crashes < CRASHES -> start_again() }
#endif
#endif
#ifdef CHECKPOINT
  :: d_step { down == 0 && checkpoint == 0 && checkpoints < 1 ->                         /* + checkpoint begins */
       checkpoints++;
       checkpoint = 1;
       before_redo = inserted;
       image_after_redo = NONE }
  :: d_step { down == 0 && checkpoint == 1 -> checkpoint = 2; noted = dirty }
  :: d_step { down == 0 && checkpoint == 2 && !(noted && filling) ->                     /* + checkpoint ends */
       if
       :: noted -> flush(page_lsn); on_disk = page; dirty = false
       :: else
       fi;
       do :: before_redo > 0 -> leave_tail() :: else -> break od;
       image = image_after_redo;
       image_after_redo = 0;
       noted = false;
       checkpoint = 0;
       if :: backup == 0 -> backup = 1; backup_image = image :: else fi }
  :: d_step { down == 0 && backup == 1 -> backup = 2; backup_page = on_disk }            /* + backup copies */
  :: d_step { down == 0 && backup == 2 && inserted == 0 -> backup = 3 }                  /* + backup ends */
  /* The backup is restored, and replays WAL up to any place after its end: up to here. */
  :: d_step { down == 0 && crashes < CRASHES && backup == 3 ->                           /* + restore */
       on_disk = backup_page;
       image = backup_image;
       backup = 0; backup_page = 0; backup_image = 0;
       for (i : 0 .. ROOM - 1) { wal[i] = 0 }
       i = 0;
       inserted = 0;
       flushed = 0;
#ifndef X_ROWS_AFTER_RESTORE
       top = row;
#endif
       start_again() }
#endif
#ifdef HORIZON
  /* A consumer is told the state as its horizon, which is the highest that it can be told: floors and the list only
   * lower it. So no row may come at or below. */
#if STANDBY == 2 && !defined(M_NO_WAIT_FOR_STANDBYS)
#define CAN_TELL (bound != 0 || (lock == 0 && (unconfirmed == 0 || told)))               /* @ horizon waits */
#else
#define CAN_TELL true
#endif
  :: d_step { down == 0 && is_open && top < state && CAN_TELL -> top = state }           /* + horizon told */
  /* It may be the first to need the lease. */
  :: d_step { down == 0 && !is_open && lock == 0 && (unconfirmed == 0 || told) ->        /* @ consumer opens */
       read_page(); state = (lease_page == 0 -> 0 : END(lease_page)); is_open = true }
#endif
  od
}

#if RESETS > 0
/* kid_reset_clock(): holds the clock until nobody is in a transaction that has entered it, or with FORCED does not
 * wait, and lowers it to the unit 0. Rows above it may not exist: the ghost forgets them. */
proctype resetter() {
  byte i;
begin: {
  i = 0;
end_wait:
  atomic { down == 0 && resets < RESETS && is_open && UNIT(state) > 0 && !held -> resets++; held = true };
                                                                                          /* @ hold */
#ifndef FORCED
  atomic { calls == 0 -> skip };                                                          /* @ await transactions */
#endif
  atomic { lock == 0 && (unconfirmed == 0 || told) -> lock = SESSIONS + 1; unconfirmed = 0; told = false };
#ifdef M_RESET_STATE_FIRST
  d_step { state = END(0); top = state };
#endif
  renew_at = 0;
  bound = 0;                                                                              /* @ reset lowers bound */
#ifndef M_RESET_STATE_FIRST
  d_step { state = END(0); top = state; late = calls };                                   /* @ reset lowers state */
#endif
  atomic { inserted < ROOM -> page = END(0); wal[inserted] = page; inserted++; page_lsn = inserted;
           failed = true;
#if STANDBY == 2
           unconfirmed = page_lsn + 1; told = false
#endif
  };
  d_step { flush(page_lsn); lease_page = page; failed = false };                          /* @ reset writes page */
  d_step { lock = 0; held = false };                                                      /* + reset ends */
  goto end_wait
  } unless { atomic { (down & (1 << SESSIONS)) -> down = down & ~(1 << SESSIONS); i = 0; goto begin } }
}
#endif

/* step() of core/step.hpp, with any reading of the system clock. */
inline choose() {
  if
  :: next = last + 1
  :: FIRST(1) > last + 1 && CLOCK_MAX >= 1 -> next = FIRST(1)
  :: FIRST(2) > last + 1 && CLOCK_MAX >= 2 -> next = FIRST(2)
  :: FIRST(3) > last + 1 && CLOCK_MAX >= 3 -> next = FIRST(3)
  fi
}
inline read_clock(unit) {
  if :: unit = 0 :: CLOCK_MAX >= 1 -> unit = 1 :: CLOCK_MAX >= 2 -> unit = 2 :: CLOCK_MAX >= 3 -> unit = 3 fi
}
inline forget() {
  d_step {
    last = 0; next = 0; limit = 0; now = 0; to = 0; i = 0;
    whole = false; early = false; back = false
  }
}

#if defined(FORCED) && !defined(X_CALL_DURING_RESET)
#define is_late(me) (late & (1 << me))
#else
#define is_late(me) false
#endif
inline enter() { calls = calls | (1 << me); late = late & ~(1 << me) }
inline leave() { calls = calls & ~(1 << me); late = late & ~(1 << me) }

#ifdef M_PUBLISH_AFTER_ERROR
#define MAY_GO_ON true
#else
#define MAY_GO_ON !failed
#endif
#ifdef M_SAME_AFTER_ERROR
#define IS_KNOWN true
#else
#define IS_KNOWN !failed
#endif

proctype session(byte me) {
  byte last, next, limit, now, to, i;
  bool whole, early, back;

begin: {
  i = 0;
end_idle:
  atomic { down == 0 && UNIT(state) < UNITS && (!held || RESETS == 0) -> enter() };       /* @ enter */
again:
#ifdef M_LIMIT_FIRST
  limit = (whole -> bound : renew_at);
#endif
  atomic { last = state; choose() };                                                      /* @ load */
permits:
  if
#ifdef M_LIMIT_FIRST
  :: next >= limit -> goto beyond
#else
  :: next >= (whole -> bound : renew_at) -> goto beyond                                   /* @ limit */
#endif
  :: else
  fi;
  atomic {
    if
    :: state == last && !is_late(me) ->                                                   /* @ swap */
       state = next;
       assert(next > top);
#ifdef X_CALL_DURING_RESET
       assert(next <= image);      /* otherwise a crash would find a lower page, and this state would come again */
#endif
       top = next;
#if STANDBY == 1 || LOCAL > 0 || defined(BACKUP)
       if
       :: !rowed && inserted < ROOM -> rowed = true; wal[inserted] = ROW + next; inserted++ /* + row */
       :: skip
       fi;
#endif
       leave(); forget(); goto end_idle
    :: else ->                                                                            /* + another was first */
#ifdef M_LIMIT_FIRST
       goto again
#else
       late = late & ~(1 << me); last = state; choose(); goto permits
#endif
    fi
  };

beyond: /* renew_lease() */
  atomic {
    if
    :: next < bound ->
       if
       :: lock == 0 -> early = true; lock = me + 1                                        /* @ lock early */
       :: else -> whole = true; goto again                                                /* + lock in use */
       fi
    :: else
    fi
  };
  if
  :: early ->
     if
     :: next < renew_at || next >= bound -> goto done                                     /* @ renewed meanwhile */
     :: !is_confirmed(me) -> goto later
     :: else -> d_step { if :: told -> unconfirmed = 0; told = false :: else fi }
     fi
  :: else ->
take:
     atomic { lock == 0 && is_confirmed(me) -> lock = me + 1;                             /* @ take lock */
              if :: told -> unconfirmed = 0; told = false :: else fi };
     /* open_lease() */
     if
#ifdef MENDING
     /* mend_bounds(): a page that cannot be read is written anew, above all that was issued, and before its WAL is
      * flushed the session ends. */
     :: atomic { !is_open && errors < ERRORS && inserted < ROOM ->                        /* + page mended */
          errors++; page = MAX(page, top) + 2; wal[inserted] = page; inserted++; page_lsn = inserted;
          lock = 0; leave(); forget(); goto end_idle }
#endif
     :: !is_open -> atomic {
          d_step { read_page() };
#ifdef M_START_AT_CLOCK
          read_clock(now); state = FIRST(now); now = 0;
#elif !defined(M_START_LIMIT_FIRST)
          state = (lease_page == 0 -> 0 : END(lease_page));                               /* @ start at page */
#endif
          skip };
#ifdef OFF
        renew_at = NONE;
        bound = NONE;
#ifdef M_START_LIMIT_FIRST
        state = (lease_page == 0 -> 0 : END(lease_page));
#endif
#endif
        is_open = true
     :: else
     fi;
     if
     :: next < bound -> goto done
     :: else
     fi
  fi;

  /* extend() */
  atomic {
    read_clock(now);
    i = state;
    to = MAX(now + LEASE, UNIT(i) + NEAR);
    now = MAX(now, UNIT(i));                                           /* from here on it is `from` */
    if
    /* publish_written() */
    :: FIRST(UNIT(lease_page) + 1) > bound && lease_page > i && UNIT(lease_page) + 1 <= to + SLOW && MAY_GO_ON ->
       to = FIRST(UNIT(lease_page) + 1); i = 0; goto publish                              /* @ publish written */
    :: else
    fi;
    i = 0;
    /* `bound` changes only under the lock, so what depends on it alone is decided here. */
    back = bound > FIRST(to + 1) && UNIT(bound) > to + LEASE;
    to = (back -> FIRST(to + 1) : MAX(FIRST(to + 1), bound))
  };
  renew_at = bound;                                                                       /* @ others go on */
  if
  :: back ->
     /* take_bound_back(); leave_unit() is a loop around a compare-and-swap, so it is one step */
     i = bound;
     renew_at = 0;
#ifndef M_LEAVE_FIRST
     d_step { bound = 0; back = false };                                                  /* @ bound back */
#endif
#ifndef M_NO_LEAVE
     d_step {
       if
       :: state != END(state) -> state = END(state)                                       /* @ end of unit */
#ifdef M_LEAVE_PAST_BOUND
       :: else -> state = state + 2
#else
       :: state == END(state) && state + 1 < i -> state = state + 2                       /* @ end of next unit */
       :: else                                                                            /* @ stay below bound */
#endif
       fi };
#endif
#ifdef M_LEAVE_FIRST
     d_step { bound = 0; back = false };
#endif
     d_step { i = 0; to = MAX(to, FIRST(UNIT(state) + NEAR + 1)) }
  :: else
  fi;
  /* put_page() */
  atomic {
    last = (to > FIRST(UNIT(state)) -> to - 1 : state);                                   /* @ last before */
    if
    :: last == lease_page && IS_KNOWN -> goto flushed_page                                /* @ same page */
    :: else
    fi
  };
#ifdef M_RAISE_UNWRITTEN
  bound = to;
#endif
#ifdef CHECKPOINT
#ifdef M_UNLOGGED
  d_step { page = last; on_disk = last; image = NONE; dirty = false };
#elif defined(M_DIRTY_LATE)
  filling = true;
  atomic { inserted < ROOM -> page = last; wal[inserted] = page; inserted++; page_lsn = inserted };
  d_step { dirty = true; filling = false };
#else
  d_step { filling = true; page = last; dirty = true };                                   /* @ mark dirty */
  atomic { inserted < ROOM -> wal[inserted] = page; inserted++; page_lsn = inserted; filling = false };
                                                                                          /* @ log page */
#endif
  failed = true;
#else
  atomic {
    inserted < ROOM -> page = last; wal[inserted] = page; inserted++; page_lsn = inserted; /* @ write page */
    failed = true;                                                                        /* @ failed before */
#if STANDBY == 2
    unconfirmed = page_lsn + 1; told = false;                                             /* @ page unconfirmed now */
#endif
#ifdef M_PAGE_KNOWN_BEFORE_FLUSH
    lease_page = page; failed = false
#endif
  };
#endif
#ifdef M_RAISE_UNFLUSHED
  bound = to;
#endif
  atomic {
    if
    :: d_step { flush(page_lsn); lease_page = page; failed = false }                      /* @ flush page */
    :: errors < ERRORS -> errors++; lock = 0; leave(); forget(); goto end_idle                /* + error in flush */
    fi
  };
#ifndef M_PUBLISH_UNCONFIRMED
  if
  :: !is_confirmed(me) ->                                                                 /* @ unconfirmed */
     if
     :: early -> goto later
     :: else -> lock = 0; goto take                                                       /* @ wait for standbys */
     fi
  :: else
  fi;
#endif
flushed_page:
  if
  :: goto done                                                                            /* @ clock went back */
  :: skip
  fi;
publish:
  renew_at = MIN(to, FIRST((now + UNIT(to)) / 2 + 1));                                    /* @ renew at */
  bound = to;                                                                             /* @ publish */
  goto done;
later:
  renew_at = MIN(bound, FIRST(UNIT(next) + 2));                                           /* @ look again */
done:
  atomic { lock = 0; limit = 0; now = 0; to = 0; early = false; last = 0; next = 0; whole = true; goto again }
  } unless {
    atomic { (down & (1 << me)) -> down = down & ~(1 << me); forget(); goto begin }
  }
}

init {
  atomic {
    byte k;
#ifdef CHECKPOINT
    dirty = false;
#endif
    for (k : 0 .. SESSIONS - 1) { run session(k) }
#if RESETS > 0
    run resetter()
#endif
  }
}
