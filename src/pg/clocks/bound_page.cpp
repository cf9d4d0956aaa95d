#include "bound_page.hpp"

#include <algorithm>

namespace kid::pg {

namespace {

/// No file of PostgreSQL has this number: those that are counted begin at 10000, and those of the catalog end at 8000.
constexpr unsigned file_number = 9764;

constexpr RelFileLocator file = {GLOBALTABLESPACE_OID, InvalidOid, file_number};

constexpr std::uint64_t page_magic = UINT64CONST(0x6b6964626f756e64); // "kidbound"
constexpr std::uint32_t page_version = 4;

struct page_content {
  std::uint64_t magic;
  std::uint32_t version;
  TimeLineID timeline; ///< the timeline of WAL on which it was written
  page_bounds bounds;
  std::uint64_t crc; ///< of the fields before it

  std::uint64_t computed_crc() const {
    pg_crc32c crc32 = 0;
    INIT_CRC32C(crc32);
    COMP_CRC32C(crc32, this, offsetof(page_content, crc));
    FIN_CRC32C(crc32);
    return crc32;
  }
};

// If one of these fails, kid would misread pages that it has written. For another clock, append it to KID_CLOCKS and to
// the first assertion. For any other change, increase `page_version`.
static_assert(clock_kid == 0 && clock_flake == 1 && clock_sno == 2 && clock_uuidv7 == 3 && clock_kid53 == 4 &&
              clock_count == 5);
static_assert(page_version == 4 && page_bounds::room == 8 && sizeof(page_content) == 176);
static_assert(offsetof(page_content, bounds) == 16 && offsetof(page_bounds, safe) == 64);
static_assert(offsetof(page_bounds, draw) == 128 && offsetof(page_bounds, system) == 144);

constexpr auto lower_end = static_cast<LocationIndex>(MAXALIGN(SizeOfPageHeaderData) + sizeof(page_content));

page_content &content_of(Page page) {
  return *reinterpret_cast<page_content *>(PageGetContents(page));
}

bool is_unwritten(page_state state) {
  return state < page_state::good;
}

page_state look_at(Page page) {
  if (PageIsNew(page))
    return page_state::zeroes;
  page_content const &content = content_of(page);
  if (content.magic != page_magic)
    return page_state::damaged;
  if (content.version != page_version)
    return page_state::other_version;
  if (content.crc != content.computed_crc())
    return page_state::damaged;
  // The header is as fill() has left it. With some others, PostgreSQL would not read the page into a buffer.
  auto const &header = *reinterpret_cast<PageHeader>(page);
  bool const sound =
      header.pd_flags == 0 && header.pd_lower == lower_end && header.pd_upper == BLCKSZ && header.pd_special == BLCKSZ;
  // A page LSN beyond the end of WAL is damage, and XLogFlush() would fail on it. During recovery XLogFlush() flushes
  // nothing, and only moves the point up to which recovery has to go, with a warning if the LSN is not that of WAL.
  return sound && (RecoveryInProgress() || PageGetLSN(page) <= GetXLogInsertRecPtr()) ? page_state::good
                                                                                      : page_state::damaged;
}

/// Returns `state` if the page is good, or if none was written yet. Raises an error if the page is damaged.
page_state check(page_state state) {
  if (state == page_state::good || is_unwritten(state))
    return state;
  ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED), errmsg("page of the bounds of IDs is damaged"),
          state == page_state::damaged
              ? errdetail("File \"global/%u\" does not contain what kid has written.", file_number)
              : errdetail("File \"global/%u\" is of a version that this kid does not know.", file_number),
          state == page_state::damaged
              ? errhint("As a superuser, call kid_reset_clock() with a time above which no ID is in use, at most "
                        "\"kid.max_observe\" ahead. The page is written anew then, and IDs continue from that time.")
              : errhint("Install the version of kid again that the server had before, or a later one."));
}

/// Returns whether the file has its block.
bool has_block() {
  auto *const relation = smgropen(file, INVALID_PROC_NUMBER);
  return smgrexists(relation, MAIN_FORKNUM) && smgrnblocks(relation, MAIN_FORKNUM) > 0;
}

/// Returns whether `page` was never written with a checksum. PostgreSQL never computes 0, and fill() leaves 0, which
/// stays if the cluster has no checksums.
bool has_no_checksum(Page page) {
  return reinterpret_cast<PageHeader>(page)->pd_checksum == 0;
}

/// Returns the state of the page on disk, and reads it into `block`. Less than a block of zeroes is left if the disk
/// was full when the file was created, and counts as zeroes.
page_state look_at_file(PGIOAlignedBlock &block) {
  char path[32];
  snprintf(path, sizeof path, "global/%u", file_number);
  int const descriptor = OpenTransientFile(path, O_RDONLY | PG_BINARY);

  if (descriptor < 0 && errno == ENOENT)
    return page_state::missing;
  if (descriptor < 0)
    ereport(ERROR, errcode_for_file_access(), errmsg("could not open file \"global/%u\": %m", file_number));
  auto const size = pg_pread(descriptor, block.data, BLCKSZ, 0);
  if (size < 0)
    ereport(ERROR, errcode_for_file_access(), errmsg("could not read file \"global/%u\": %m", file_number));
  CloseTransientFile(descriptor);
  // Not PageIsNew(), which a flipped bit of pd_upper makes true.
  if (std::all_of(block.data, block.data + size, [](char byte) { return byte == 0; }))
    return size == 0 ? page_state::empty : page_state::zeroes;
  bool const sound = size == BLCKSZ && !PageIsNew(block.data) &&
                     (!DataChecksumsEnabled() || has_no_checksum(block.data) ||
                      reinterpret_cast<PageHeader>(block.data)->pd_checksum == pg_checksum_page(block.data, 0));
  return sound ? look_at(block.data) : page_state::damaged;
}

page_state look_at_file() {
  PGIOAlignedBlock block;
  return look_at_file(block);
}

/// Creates what is missing of the file with a block of zeroes. P_NEW would need a relation of the catalog.
void create() {
  auto *const relation = smgropen(file, INVALID_PROC_NUMBER);
  PGIOAlignedBlock zeroes;

  if (!smgrexists(relation, MAIN_FORKNUM)) {
    // As recovery does, because the file may exist already.
    smgrcreate(relation, MAIN_FORKNUM, true);
    log_smgrcreate(&file, MAIN_FORKNUM);
  }
  memset(zeroes.data, 0, sizeof zeroes.data);
  if (smgrnblocks(relation, MAIN_FORKNUM) == 0)
    smgrextend(relation, MAIN_FORKNUM, 0, zeroes.data, false);
}

Buffer read_buffer(ReadBufferMode how, BufferLockMode lock) {
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
  page_content &content = content_of(page);
  content = {page_magic, page_version, timeline, bounds, 0};
  content.crc = content.computed_crc();
  reinterpret_cast<PageHeader>(page)->pd_lower = lower_end;
  reinterpret_cast<PageHeader>(page)->pd_checksum = 0; // PostgreSQL computes it, if at all, when it writes the buffer
  MarkBufferDirty(buffer);
  XLogRecPtr const lsn = log_newpage_buffer(buffer, true);
  END_CRIT_SECTION();
  return lsn;
}

/// Returns whether a shared buffer has the page. The buffer can be newer than the file.
bool is_in_buffer() {
  auto *const relation = smgropen(file, INVALID_PROC_NUMBER);
  Buffer const buffer = PrefetchSharedBuffer(relation, MAIN_FORKNUM, 0).recent_buffer;
  if (buffer == InvalidBuffer || !ReadRecentBuffer(file, MAIN_FORKNUM, 0, buffer))
    return false;
  ReleaseBuffer(buffer);
  return true;
}

/// Returns whether the page is good, but has no checksum, although the cluster has checksums now. Then reads it into
/// `block`, because PostgreSQL would reject it. This happens if checksums are turned on while the server runs:
/// PostgreSQL rewrites the relations that pg_class lists, and the page of the bounds is not one of them.
bool lacks_checksum(PGIOAlignedBlock &block) {
  return DataChecksumsEnabled() && !is_in_buffer() && look_at_file(block) == page_state::good &&
         has_no_checksum(block.data);
}

/// Writes the page in `block`, which lacks_checksum() has read, once more as it is. The caller holds the lock of the
/// lease, so nobody else has read the file into a buffer meanwhile.
void add_checksum(PGIOAlignedBlock &block) {
  // This mode returns a buffer of zeroes, locked, and does not read the file.
  Buffer const buffer = ReadBufferWithoutRelcache(file, MAIN_FORKNUM, 0, RBM_ZERO_AND_LOCK, nullptr, true);
  Assert(PageIsNew(BufferGetPage(buffer)));
  fill(buffer, true, content_of(block.data).bounds);
  UnlockReleaseBuffer(buffer);
}

} // namespace

page_state read_page(page_bounds &bounds, XLogRecPtr &lsn) {
  PGIOAlignedBlock block;

  if (!has_block())
    return check(look_at_file());
  if (lacks_checksum(block)) {
    if (RecoveryInProgress()) {
      bounds = content_of(block.data).bounds;
      lsn = PageGetLSN(block.data);
      return page_state::good;
    }
    add_checksum(block);
  }
  Buffer const buffer = read_buffer(RBM_NORMAL, BUFFER_LOCK_SHARE);
  Page const page = BufferGetPage(buffer);
  page_state state = look_at(page);
  if (state == page_state::good)
    bounds = content_of(page).bounds;
  lsn = PageGetLSN(page);
  UnlockReleaseBuffer(buffer);
  // With zero_damaged_pages, a damaged page is read as zeroes.
  if (state == page_state::zeroes)
    state = look_at_file();
  // Raise errors only now: an error is sent to the client before buffers are unlocked.
  if (check(state) == page_state::good)
    XLogFlush(lsn);
  return state;
}

char const *describe_unwritten(page_state state) {
  char const *const what = state == page_state::missing ? "does not exist"
                           : state == page_state::empty ? "is empty"
                                                        : "contains only zeroes";
  return psprintf("File \"%s/global/%u\" %s.", DataDir, file_number, what);
}

XLogRecPtr write_page(page_bounds const &bounds) {
  PreventCommandDuringRecovery("a generator of IDs"); // on a standby, writing the page would cause a PANIC later
  PGIOAlignedBlock block;

  if (!has_block() && is_unwritten(check(look_at_file())))
    create();
  else if (lacks_checksum(block))
    add_checksum(block);
  Buffer const buffer = read_buffer(RBM_NORMAL, BUFFER_LOCK_EXCLUSIVE);
  page_state const state = look_at(BufferGetPage(buffer));
  bool const writable = state == page_state::good || is_unwritten(state);
  XLogRecPtr const lsn = writable ? fill(buffer, is_unwritten(state), bounds) : InvalidXLogRecPtr;
  UnlockReleaseBuffer(buffer);
  static_cast<void>(check(state));
  return lsn;
}

XLogRecPtr mend_page(page_bounds const &bounds) {
  Assert(!RecoveryInProgress());
  page_state const on_disk = look_at_file();
  if (!has_block()) {
    if (is_unwritten(on_disk))
      return InvalidXLogRecPtr;
    create();
  }
  // A page with a wrong checksum is read as zeroes, with a warning. Others would find these zeroes, so nothing may fail
  // before the page is filled.
  Buffer const buffer = read_buffer(RBM_ZERO_ON_ERROR, BUFFER_LOCK_EXCLUSIVE);
  Page const page = BufferGetPage(buffer);
  bool const good = look_at(page) == page_state::good;
  XLogRecPtr lsn = InvalidXLogRecPtr;
  // A good page whose file is damaged is written once more as it is, so that a checkpoint repairs the file.
  if (!good || on_disk == page_state::damaged)
    lsn = fill(buffer, !good, good ? page_bounds(content_of(page).bounds) : bounds);
  UnlockReleaseBuffer(buffer);
  return lsn;
}

bool page_seems_damaged() {
  // Try more than once, because another process may be writing the page right now.
  for (int tries = 0; tries < 3; tries++) {
    page_state const seen = look_at_file();
    if (seen == page_state::good || is_unwritten(seen))
      return false;
    pg_usleep(1000);
  }
  return true;
}

} // namespace kid::pg
