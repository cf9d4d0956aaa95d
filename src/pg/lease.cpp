#include "lease.hpp"

#include "datum.hpp"
#include "settings.hpp"

namespace kid::pg {

namespace {

// In the data directory, which is where a server runs.
constexpr char lease_path[] = "kid.lease";
constexpr char new_lease_path[] = "kid.lease.tmp";

/// The file, in the byte order of the machine, as pg_control. It is smaller than the sector of any disk, and written in
/// place.
struct lease_file {
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved; ///< 0
  std::uint64_t system;   ///< identifier of the cluster
  std::uint64_t last[clock_count];
  std::uint64_t safe;
  std::uint32_t reserved_2; ///< 0
  pg_crc32c crc;            ///< CRC-32C of all before it
};
static_assert(sizeof(lease_file) == 64);

constexpr char lease_magic[8] = {'k', 'i', 'd', 'l', 'e', 'a', 's', 'e'};
constexpr std::uint32_t lease_version = 1;

/// The greatest state of the unit of `state`, on the side of `side_of`.
std::uint64_t end_of_unit(clock_id id, std::uint64_t state, std::uint64_t side_of) {
  clock_rules const &rules = rules_of(id);
  return rules.unit(state) | rules.sequence | (side_of & rules.sides);
}

/// The greatest state that can have been issued before `bound` is raised.
std::uint64_t last_before(clock_id id, std::uint64_t state, std::uint64_t bound) {
  clock_rules const &rules = rules_of(id);

  // By way of the time, as not every number is a state.
  return bound > rules.unit(state) ? end_of_unit(id, rules.at(rules.time(bound) - 1), state) : state;
}

std::uint64_t bound_at(clock_id id, unix_micros time) {
  return rules_of(id).next_unit(state_at(id, time));
}

pg_crc32c checksum(lease_file const &file) {
  pg_crc32c crc = 0;

  INIT_CRC32C(crc);
  COMP_CRC32C(crc, &file, offsetof(lease_file, crc));
  FIN_CRC32C(crc);
  return crc;
}

/// The file as things stand.
lease_file describe(shared_state &shared) {
  lease_file file = {};

  memcpy(file.magic, lease_magic, sizeof file.magic);
  file.version = lease_version;
  file.system = GetSystemIdentifier();
  for (clock_cell &cell : shared.cells) {
    clock_id const id = id_of(cell);
    std::uint64_t const state = cell.load();
    file.last[id] = last_before(id, state, pg_atomic_read_u64(&cell.bound));
  }
  file.safe = shared.lease.safe;
  return file;
}

/// Writes `file` and flushes it. False where that failed, which is reported at `level`.
bool write_file(lease_file file, int level) {
  static std::uint32_t event = 0;
  if (event == 0)
    event = wait_event("KidLeaseWrite");
  file.crc = checksum(file);

  // The first is written aside: it must not be found empty.
  bool const first = access(lease_path, F_OK) != 0 && errno == ENOENT;
  char const *const path = first ? new_lease_path : lease_path;
  int const fd = OpenTransientFile(path, O_RDWR | PG_BINARY | (first ? O_CREAT : 0));
  if (fd < 0) {
    ereport(level, errcode_for_file_access(), errmsg("could not open file \"%s\": %m", path));
    return false;
  }

  char const *failure = nullptr;
  errno = 0;
  pgstat_report_wait_start(event);
  if (pg_pwrite(fd, &file, sizeof file, 0) != static_cast<ssize_t>(sizeof file)) {
    if (errno == 0)
      errno = ENOSPC;
    failure = "write";
  } else if (pg_fsync(fd) != 0) {
    failure = "fsync";
    level = data_sync_elevel(level);
  }
  pgstat_report_wait_end();
  if (failure != nullptr) {
    int const saved = errno;
    CloseTransientFile(fd);
    errno = saved;
    ereport(level, errcode_for_file_access(), errmsg("could not %s file \"%s\": %m", failure, path),
            errhint("No ID beyond the bound in this file is issued before it can be written."));
    return false;
  }
  if (CloseTransientFile(fd) != 0) {
    ereport(level, errcode_for_file_access(), errmsg("could not close file \"%s\": %m", path));
    return false;
  }
  return !first || durable_rename(new_lease_path, lease_path, level) == 0;
}

[[noreturn]] void damaged_error(char const *detail) {
  ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED), errmsg("lease file \"%s\" of kid is damaged", lease_path),
          errdetail_internal("%s", detail),
          errhint("It holds the bound of the IDs issued before. If the clock is past all of them, remove the file, "
                  "and IDs start from the clock. Otherwise call kid_observe(max(id)) after that."));
}

/// False where there is no file.
bool read_file(lease_file &file) {
  int const fd = OpenTransientFile(lease_path, O_RDONLY | PG_BINARY);
  if (fd < 0) {
    if (errno == ENOENT)
      return false;
    ereport(ERROR, errcode_for_file_access(), errmsg("could not open file \"%s\": %m", lease_path));
  }
  char bytes[sizeof file + 1];
  auto const size = pg_pread(fd, bytes, sizeof bytes, 0);
  if (size < 0)
    ereport(ERROR, errcode_for_file_access(), errmsg("could not read file \"%s\": %m", lease_path));
  CloseTransientFile(fd);
  if (size != sizeof file)
    damaged_error(psprintf("It has %s bytes than %zu.", size < static_cast<ssize_t>(sizeof file) ? "fewer" : "more",
                           sizeof file));

  memcpy(&file, bytes, sizeof file);
  if (memcmp(file.magic, lease_magic, sizeof file.magic) != 0)
    damaged_error("It does not begin as a lease file does.");
  if (file.crc != checksum(file))
    damaged_error("Its checksum is wrong.");
  if (file.version != lease_version)
    ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
            errmsg("lease file \"%s\" of kid is of version %u", lease_path, file.version),
            errdetail("This kid knows version %u.", lease_version),
            errhint("Install the version of kid that wrote it."));
  if (file.system != GetSystemIdentifier())
    damaged_error(psprintf("It is of the cluster " UINT64_FORMAT ", and this is " UINT64_FORMAT ".", file.system,
                           GetSystemIdentifier()));
  return true;
}

/// Where the clocks start: above the file's bounds and, after archive recovery or a promotion, above the last commit
/// that was replayed, since an ID is older than the commit of its row.
void open_lease(shared_state &shared) {
  lease_file file = {};

  Assert(LWLockHeldByMeInMode(&shared.lease.lock, LW_EXCLUSIVE));
  if (lease_length > 0)
    read_file(file);
  TimestampTz const replayed = lease_length > 0 ? GetLatestXTime() : 0;
  unix_micros const now = to_unix(GetCurrentTimestamp());
  for (clock_cell &cell : shared.cells) {
    clock_id const id = id_of(cell);
    clock_rules const &rules = rules_of(id);
    std::uint64_t &last = file.last[id];
    if (replayed != 0) {
      std::uint64_t const floor = bound_at(id, to_unix(replayed) + lease_length * INT64CONST(1000));
      if (floor > last)
        last = floor | (last & rules.sides);
      // Which side those commits were on, nobody knows.
      if (rules.sides != 0 && floor > file.safe)
        file.safe = floor;
    }
    // To be ahead by no more than the lease is what a start after a crash is like, and no step of the system clock.
    if (rules.time(last) <= now + (lease_length + 1000) * INT64CONST(1000))
      pg_atomic_write_u64(&stats_of(cell).held_until, rules.next_unit(last));
    // A lease that is off never ends, one that is on has to be renewed first.
    std::uint64_t const bound = lease_length > 0 ? 0 : ~std::uint64_t{0};
    pg_atomic_write_u64(&cell.state, last);
    pg_write_barrier(); // pairs with those in limit()
    pg_atomic_write_u64(&cell.bound, bound);
    pg_atomic_write_u64(&cell.renew_at, bound);
  }
  shared.lease.safe = file.safe;
  shared.lease.length = lease_length;
  shared.lease.open = true;
}

void release_lock(lease_state &lease) {
  LWLockRelease(&lease.lock);
  ConditionVariableBroadcast(&lease.released);
}

/// Waits for the lock so that a cancel or a timeout ends it, and opens the lease if nobody did.
void take_lock(shared_state &shared) {
  static std::uint32_t event = 0;
  lease_state &lease = shared.lease;

  if (event == 0)
    event = wait_event("KidLease");
  if (!LWLockConditionalAcquire(&lease.lock, LW_EXCLUSIVE)) {
    ConditionVariablePrepareToSleep(&lease.released);
    // A holder that errors out releases the lock without a broadcast, so poll every 10 ms.
    while (!LWLockConditionalAcquire(&lease.lock, LW_EXCLUSIVE))
      ConditionVariableTimedSleep(&lease.released, 10, event);
    ConditionVariableCancelSleep();
  }
  if (!lease.open)
    open_lease(shared);
}

/// Moves the bound of a clock, and with it the point of renewal: up after the file is written, down before the state is
/// lowered.
void set_bound(clock_cell &cell, std::uint64_t bound, std::uint64_t renew_at) {
  Assert(LWLockHeldByMeInMode(&attached->lease.lock, LW_EXCLUSIVE));
  pg_atomic_write_u64(&cell.renew_at, Min(renew_at, bound));
  pg_atomic_write_u64(&cell.bound, bound);
  pg_write_barrier(); // pairs with those in limit()
}

/// Writes a lease for `cell` that goes on from `state`, or from the clock where that is later.
bool extend(clock_cell &cell, std::uint64_t state, int level) {
  clock_id const id = id_of(cell);
  lease_state &lease = attached->lease;
  TimestampTz const start = GetCurrentTimestamp();
  // On a disk that takes longer than the lease is long, it would be over before it is written.
  std::int64_t const length = Max(lease.length * INT64CONST(1000), 2 * lease.write_micros);
  unix_micros const from = Max(to_unix(start), rules_of(id).time(state));
  std::uint64_t const bound = Max(bound_at(id, from + length), pg_atomic_read_u64(&cell.bound));
  lease_file file = describe(*attached);

  // Others need not try meanwhile, nor, where it fails, before the bound.
  pg_atomic_write_u64(&cell.renew_at, pg_atomic_read_u64(&cell.bound));
  file.last[id] = last_before(id, cell.load(), bound);
  if (!write_file(file, level))
    return false;
  lease.write_micros = Max(GetCurrentTimestamp() - start, 0);
  set_bound(cell, bound, bound_at(id, from + length / 2));
  pg_atomic_fetch_add_u64(&attached->stats[id].renewals, 1);
  return true;
}

} // namespace

void clock_ended_error() {
  ereport(ERROR, errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED), errmsg("the range of IDs is used up"),
          errdetail("There is no time unit after that of the last ID issued."));
}

void renew_lease(clock_cell &cell, std::uint64_t next) {
  lease_state &lease = attached->lease;

  // It goes on from the state as it is now: `next` may be of a time that the clock, or a change of sides, has left
  // since.
  if (next < pg_atomic_read_u64(&cell.bound)) {
    // In good time: that it cannot be written is not yet this session's concern.
    if (!LWLockConditionalAcquire(&lease.lock, LW_EXCLUSIVE))
      return;
    if (next >= pg_atomic_read_u64(&cell.renew_at))
      static_cast<void>(extend(cell, cell.load(), LOG_SERVER_ONLY));
  } else {
    take_lock(*attached);
    std::uint64_t const bound = pg_atomic_read_u64(&cell.bound);
    if (next >= bound) {
      extend(cell, cell.load(), ERROR);
      if (pg_atomic_read_u64(&cell.bound) == bound && rules_of(id_of(cell)).next_unit(bound) == bound)
        clock_ended_error();
    }
  }
  release_lock(lease);
}

step_result change_sides(clock_cell &cell, std::uint64_t last, std::uint64_t now, toggle_rule toggle,
                         void const *clock) {
  lease_state &lease = attached->lease;
  clock_id const id = id_of(cell);
  clock_rules const &rules = rules_of(id);

  take_lock(*attached);
  step_result result = {step_kind::behind, now};
  if (cell.load() == last)
    result = toggle(clock, lease.safe, last, now);
  if (result.kind != step_kind::issued) {
    release_lock(lease);
    return result;
  }

  std::int64_t const length = lease.length * INT64CONST(1000);
  unix_micros const time = rules.time(now);
  std::uint64_t const bound = bound_at(id, time + length);
  if (length > 0) {
    // The other side's lease is written before it is entered, together with a mark that holds whatever this side can
    // issue until then. Should another session be first, this side goes on below the bound of before, which that mark
    // holds, and the next renewal writes how things are then.
    lease_file file = describe(*attached);
    file.safe = rules.unit(file.last[id]);
    file.last[id] = last_before(id, result.state, bound);
    write_file(file, ERROR);
    std::uint64_t const low = Min(bound, pg_atomic_read_u64(&cell.bound));
    set_bound(cell, low, low);
  }
  if (!cell.compare_exchange(last, result.state)) {
    release_lock(lease);
    return {step_kind::behind, now};
  }
  lease.safe = rules.unit(last);
  if (length > 0)
    set_bound(cell, bound, bound_at(id, time + length / 2));
  release_lock(lease);
  pg_atomic_fetch_add_u64(&stats_of(cell).ticks, 1);
  pg_atomic_fetch_add_u64(&stats_of(cell).backward_steps, 1);
  return result;
}

void raise_clock(clock_cell &cell, std::uint64_t state) {
  clock_id const id = id_of(cell);
  std::uint64_t const unit = rules_of(id).unit(state);

  take_lock(*attached);
  std::uint64_t last = cell.load();
  if (((last ^ state) & rules_of(id).sides) != 0) {
    // The other side, which is not issued from now: the mark is what tells how far it was used.
    if (unit > attached->lease.safe && attached->lease.length > 0) {
      lease_file file = describe(*attached);
      file.safe = unit;
      write_file(file, ERROR);
    }
    attached->lease.safe = Max(attached->lease.safe, unit);
  } else {
    if (state >= pg_atomic_read_u64(&cell.bound))
      extend(cell, state, ERROR);
    while (last < state && !cell.compare_exchange(last, state)) {
    }
    // That it is ahead now is no step of the system clock.
    pg_atomic_write_u64(&stats_of(cell).held_until, rules_of(id).next_unit(cell.load()));
  }
  release_lock(attached->lease);
}

void lower_clock(clock_cell &cell, std::uint64_t state) {
  clock_id const id = id_of(cell);
  lease_state &lease = attached->lease;

  take_lock(*attached);
  std::uint64_t last = cell.load();
  // To the end of the unit, on the side in use: of the unit itself either side may be in use.
  state = end_of_unit(id, state, last);
  if (state < last) {
    std::uint64_t const safe = rules_of(id).sides != 0 ? Min(lease.safe, rules_of(id).unit(state)) : lease.safe;
    if (lease.length > 0) {
      // First the bound: whatever becomes of the file, nothing is issued now before the next renewal writes it.
      std::uint64_t const bound = rules_of(id).next_unit(state);
      set_bound(cell, bound, bound);
      lease_file file = describe(*attached);
      file.last[id] = state;
      file.safe = safe;
      write_file(file, ERROR);
    }
    while (!cell.compare_exchange(last, state)) {
    }
    lease.safe = safe;
    pg_atomic_fetch_add_u64(&lease.resets, 1);
    pg_atomic_write_u64(&stats_of(cell).held_until, 0);
  }
  release_lock(lease);
}

} // namespace kid::pg
