#include "bound_page.hpp"

namespace kid::pg {

namespace {

/// Never a file of PostgreSQL's: its OID counter, which file numbers come from, does not go below 10000, and its own
/// catalogue stays below 8000.
constexpr unsigned file_number = 9764;

constexpr file_locator file = {GLOBALTABLESPACE_OID, InvalidOid, file_number};

constexpr std::uint64_t page_magic = UINT64CONST(0x6b6964626f756e64); // "kidbound"
constexpr std::uint32_t page_version = 3;

struct page_content {
  std::uint64_t magic;
  std::uint32_t version;
  TimeLineID timeline; ///< of WAL, on which it was written
  page_bounds bounds;
};

constexpr auto lower_end = static_cast<LocationIndex>(MAXALIGN(SizeOfPageHeaderData) + sizeof(page_content));

page_content &content_of(Page page) {
  return *reinterpret_cast<page_content *>(PageGetContents(page));
}

enum class page_state : unsigned char { none, good, damaged, other_version };

page_state look_at(Page page) {
  if (PageIsNew(page))
    return page_state::none;
  page_content const &content = content_of(page);
  if (content.magic != page_magic)
    return page_state::damaged;
  if (content.version != page_version)
    return page_state::other_version;
  for (int id = 0; id < clock_count; id++)
    if (!rules_of(static_cast<clock_id>(id)).is_state(content.bounds.last[id]))
      return page_state::damaged;
  // WAL cannot be flushed to where it has not been. Recovery flushes none.
  return reinterpret_cast<PageHeader>(page)->pd_lower == lower_end &&
                 (RecoveryInProgress() || PageGetLSN(page) <= GetXLogInsertRecPtr())
             ? page_state::good
             : page_state::damaged;
}

/// Whether the page is good; an error where it is damaged.
bool check(page_state state) {
  if (state == page_state::good || state == page_state::none)
    return state == page_state::good;
  ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED), errmsg("page of the bounds of IDs is damaged"),
          state == page_state::damaged
              ? errdetail("File \"global/%u\" does not hold what kid has written.", file_number)
              : errdetail("File \"global/%u\" is of a version that this kid does not know.", file_number),
          errhint("As a superuser, call kid_reset_clock() with a time above which no ID is in use, at most "
                  "\"kid.max_observe\" ahead. The page is written anew then, and IDs go on from that time."));
}

/// Whether the file has its block. Once it has, it keeps it.
bool has_block() {
  static bool seen = false;

  if (!seen) {
    auto *const relation = smgropen(file, no_backend);
    seen = smgrexists(relation, MAIN_FORKNUM) && smgrnblocks(relation, MAIN_FORKNUM) > 0;
  }
  return seen;
}

/// What the disk has of the file. Less than a block of it is none, if it is of zeroes: a disk that was full when it was
/// made leaves that.
page_state look_at_file() {
  PGIOAlignedBlock block;
  int const part = OpenTransientFile("global/9764", O_RDONLY | PG_BINARY);

  if (part < 0 && errno == ENOENT)
    return page_state::none;
  if (part < 0)
    ereport(ERROR, errcode_for_file_access(), errmsg("could not open file \"global/%u\": %m", file_number));
  auto const size = pg_pread(part, block.data, BLCKSZ, 0);
  CloseTransientFile(part);
  if (size == BLCKSZ) {
    bool const sound = PageIsNew(block.data) || !DataChecksumsEnabled() ||
                       reinterpret_cast<PageHeader>(block.data)->pd_checksum == pg_checksum_page(block.data, 0);
    return sound ? look_at(block.data) : page_state::damaged;
  }
  for (ssize_t i = 0; i < size; i++)
    if (block.data[i] != 0)
      return page_state::damaged;
  return page_state::none;
}

/// Makes the file with a block of zeroes, or what is missing of it after a crash in here. Not with P_NEW, which wants a
/// relation that is in the catalogue.
void create() {
  auto *const relation = smgropen(file, no_backend);
  PGIOAlignedBlock zeroes;

  if (!smgrexists(relation, MAIN_FORKNUM)) {
    // As in recovery: it may be there in part.
    smgrcreate(relation, MAIN_FORKNUM, true);
    log_smgrcreate(&file, MAIN_FORKNUM);
  }
  memset(zeroes.data, 0, sizeof zeroes.data);
  if (smgrnblocks(relation, MAIN_FORKNUM) == 0)
    smgrextend(relation, MAIN_FORKNUM, 0, zeroes.data, false);
}

Buffer read_buffer(ReadBufferMode how, buffer_lock lock) {
  Buffer const buffer = ReadBufferWithoutRelcache(file, MAIN_FORKNUM, 0, how, nullptr, true);
  LockBuffer(buffer, lock);
  return buffer;
}

/// Fills the page in `buffer`, which is locked exclusively. With `is_new` the page is initialized first; otherwise it
/// already is kid's.
XLogRecPtr fill(Buffer buffer, bool is_new, page_bounds const &bounds) {
  Page const page = BufferGetPage(buffer);
  TimeLineID const timeline = GetWALInsertionTimeLine();

  // Nothing in here may fail.
  START_CRIT_SECTION();
  if (is_new)
    PageInit(page, BufferGetPageSize(buffer), 0);
  content_of(page) = {page_magic, page_version, timeline, bounds};
  reinterpret_cast<PageHeader>(page)->pd_lower = lower_end;
  MarkBufferDirty(buffer);
  XLogRecPtr const lsn = log_newpage_buffer(buffer, true);
  END_CRIT_SECTION();
  return lsn;
}

/// On a standby a page that was written would be a PANIC later on.
void check_may_write() {
  PreventCommandDuringRecovery("a generator of IDs");
}

} // namespace

bool read_page(page_bounds &bounds) {
  if (!has_block())
    return check(look_at_file());
  Buffer const buffer = read_buffer(RBM_NORMAL, BUFFER_LOCK_SHARE);
  Page const page = BufferGetPage(buffer);
  page_state state = look_at(page);
  if (state == page_state::good)
    bounds = content_of(page).bounds;
  XLogRecPtr const lsn = PageGetLSN(page);
  UnlockReleaseBuffer(buffer);
  // With zero_damaged_pages, a damaged page comes as one of zeroes.
  if (state == page_state::none)
    state = look_at_file();
  // Only now an error, which is sent to the client before a buffer is unlocked.
  if (!check(state))
    return false;
  XLogFlush(lsn);
  return true;
}

XLogRecPtr write_page(page_bounds const &bounds) {
  check_may_write();
  if (!has_block() && !check(look_at_file()))
    create();
  Buffer const buffer = read_buffer(RBM_NORMAL, BUFFER_LOCK_EXCLUSIVE);
  page_state const state = look_at(BufferGetPage(buffer));
  bool const writable = state == page_state::good || state == page_state::none;
  XLogRecPtr const lsn = writable ? fill(buffer, state == page_state::none, bounds) : InvalidXLogRecPtr;
  UnlockReleaseBuffer(buffer);
  static_cast<void>(check(state));
  return lsn;
}

XLogRecPtr mend_page(page_bounds const &bounds) {
  check_may_write();
  if (!has_block()) {
    if (look_at_file() == page_state::none)
      return InvalidXLogRecPtr;
    create();
  }
  // One whose checksum is wrong comes as zeroes, with a warning. They are what others would find from here on, so
  // nothing may fail before it is filled.
  Buffer const buffer = read_buffer(RBM_ZERO_ON_ERROR, BUFFER_LOCK_EXCLUSIVE);
  bool const good = look_at(BufferGetPage(buffer)) == page_state::good;
  XLogRecPtr const lsn = good ? InvalidXLogRecPtr : fill(buffer, true, bounds);
  UnlockReleaseBuffer(buffer);
  return lsn;
}

bool page_seems_damaged() {
  // It may be written right now.
  for (int tries = 0; tries < 3; tries++) {
    page_state const seen = look_at_file();
    if (seen == page_state::good || seen == page_state::none)
      return false;
    pg_usleep(1000);
  }
  return true;
}

bool replicates_synchronously() {
  // What the server goes by, and not the session's own setting, which may be older or newer; but at a start the server
  // may not have come to it yet.
  auto const status = WalSndCtl->sync_standbys_status;
  bool const known = (status & SYNC_STANDBY_INIT) != 0;
  return SyncRepRequested() && (known ? (status & SYNC_STANDBY_DEFINED) != 0 : *SyncRepStandbyNames != '\0');
}

bool standbys_have(XLogRecPtr lsn, bool flushed) {
  LWLockAcquire(SyncRepLock, LW_SHARED);
  bool const confirmed = WalSndCtl->lsn[flushed ? SYNC_REP_WAIT_FLUSH : SYNC_REP_WAIT_WRITE] >= lsn;
  LWLockRelease(SyncRepLock);
  return confirmed;
}

} // namespace kid::pg
