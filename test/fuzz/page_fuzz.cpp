// libFuzzer: the page of the bounds. An input is what the file contains, after two bytes that say what the server is
// like. Whatever the file contains, it is accepted or refused as the head of src/pg/clocks/bound_page.hpp says, and
// page_seems_damaged() says the same. Bounds that were written are read again, and a page that was refused can be
// mended. No error is raised while a buffer is locked.
#include <algorithm>
#include <cerrno>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "server.hpp"

extern "C" {
#include "storage/checksum_impl.h"
}

namespace {

/// CRC-32C, bit by bit, in place of PostgreSQL's.
pg_crc32c crc_of(pg_crc32c crc, void const *data, std::size_t size) {
  auto const *byte = static_cast<unsigned char const *>(data);
  for (; size > 0; size--) {
    crc ^= *byte++;
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
  }
  return crc;
}

} // namespace

#undef COMP_CRC32C
#define COMP_CRC32C(crc, data, size) ((crc) = crc_of((crc), (data), (size)))
#undef FIN_CRC32C
#define FIN_CRC32C(crc) ((crc) ^= 0xffffffff)

#include "../../src/pg/clocks/bound_page.cpp"

namespace {

using fuzz::require;
using namespace kid::pg;

// Where the fields of the page are, as bound_page.hpp draws them, and what they contain.
constexpr std::size_t header_end = 24;
constexpr std::size_t bounds_begin = header_end + 16;
constexpr std::size_t crc_begin = bounds_begin + sizeof(page_bounds);
constexpr std::size_t content_end = crc_begin + 8;
constexpr std::uint64_t magic = 0x6b6964626f756e64; // "kidbound"
constexpr std::uint32_t version = 4;

/// The server: its settings, the file, and the one shared buffer, which only the page of the bounds uses.
struct server_state {
  bool checksums;
  bool recovering;
  bool zero_damaged_pages;
  XLogRecPtr inserted; ///< the end of WAL
  bool exists;
  std::vector<char> file;
  bool is_buffered;
  bool is_dirty;
  int pins;
  int lock;
} server;
PGIOAlignedBlock buffer;

template <class Value> Value field(char const *page, std::size_t begin) {
  Value value;
  std::memcpy(&value, page + begin, sizeof value);
  return value;
}

uint16 checksum_of(char const *page) {
  PGIOAlignedBlock copy;
  std::memcpy(copy.data, page, BLCKSZ);
  return pg_checksum_page(copy.data, 0);
}

bool is_zero(char const *bytes, std::size_t size) {
  return std::all_of(bytes, bytes + size, [](char byte) { return byte == 0; });
}

/// Returns whether PostgreSQL reads a page into a buffer.
bool is_readable(char const *page) {
  auto const &header = *reinterpret_cast<PageHeaderData const *>(page);
  if (header.pd_upper == 0)
    return is_zero(page, BLCKSZ);
  bool const sound = (header.pd_flags & ~PD_VALID_FLAG_BITS) == 0 && header.pd_lower <= header.pd_upper &&
                     header.pd_upper <= header.pd_special && header.pd_special <= BLCKSZ &&
                     header.pd_special == MAXALIGN(header.pd_special);
  return is_zero(page, BLCKSZ) || (sound && (!server.checksums || header.pd_checksum == checksum_of(page)));
}

void write_buffer() {
  if (server.is_dirty) {
    if (server.checksums)
      reinterpret_cast<PageHeader>(buffer.data)->pd_checksum = checksum_of(buffer.data);
    server.file.resize(std::max<std::size_t>(server.file.size(), BLCKSZ));
    std::memcpy(server.file.data(), buffer.data, BLCKSZ);
  }
  server.is_dirty = false;
}

void evict_buffer() {
  write_buffer();
  server.is_buffered = false;
}

} // namespace

extern "C" {

char *BufferBlocks = buffer.data;
Block *LocalBufferBlockPointers = nullptr;
int NLocBuffer = 0;
int NBuffers = 1;
volatile uint32 CritSectionCount = 0;
char *DataDir = const_cast<char *>("data");

bool DataChecksumsEnabled() {
  return server.checksums;
}

bool RecoveryInProgress() {
  return server.recovering;
}

XLogRecPtr GetXLogInsertRecPtr() {
  return server.inserted;
}

TimeLineID GetWALInsertionTimeLine() {
  return 1;
}

void XLogFlush(XLogRecPtr lsn) {
  if (!server.recovering && lsn > server.inserted)
    ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED), errmsg("flush request not satisfied"));
}

void PreventCommandDuringRecovery(char const *command) {
  if (server.recovering)
    ereport(ERROR, errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION), errmsg("cannot execute %s during recovery", command));
}

void pg_usleep(long) {}

SMgrRelation smgropen(RelFileLocator, int) {
  return nullptr;
}

bool smgrexists(SMgrRelation, ForkNumber) {
  return server.exists;
}

BlockNumber smgrnblocks(SMgrRelation, ForkNumber) {
  return static_cast<BlockNumber>(server.file.size() / BLCKSZ);
}

void smgrcreate(SMgrRelation, ForkNumber, bool) {
  server.exists = true;
}

#if PG_VERSION_NUM < 160000
void smgrextend(SMgrRelation, ForkNumber, BlockNumber block, char *page, bool) {
#else
void smgrextend(SMgrRelation, ForkNumber, BlockNumber block, void const *page, bool) {
#endif
  require(block == 0 && server.exists && server.file.size() < BLCKSZ);
  server.file.resize(BLCKSZ);
  std::memcpy(server.file.data(), page, BLCKSZ);
}

void log_smgrcreate(RelFileLocator const *, ForkNumber) {}

int OpenTransientFile(char const *name, int) {
  static int const descriptor = memfd_create("page", 0);
  require(std::strcmp(name, "global/9764") == 0 && descriptor >= 0);
  if (!server.exists) {
    errno = ENOENT;
    return -1;
  }
  auto const size = static_cast<ssize_t>(server.file.size());
  require(ftruncate(descriptor, size) == 0 && pwrite(descriptor, server.file.data(), server.file.size(), 0) == size);
  return descriptor;
}

int CloseTransientFile(int) {
  return 0;
}

PrefetchBufferResult PrefetchSharedBuffer(SMgrRelation, ForkNumber, BlockNumber) {
  return {server.is_buffered ? 1 : InvalidBuffer, false};
}

bool ReadRecentBuffer(RelFileLocator, ForkNumber, BlockNumber, Buffer) {
  server.pins += server.is_buffered;
  return server.is_buffered;
}

Buffer ReadBufferWithoutRelcache(RelFileLocator, ForkNumber, BlockNumber, ReadBufferMode mode, BufferAccessStrategy,
                                 bool) {
  require(server.pins == 0);
  if (!server.is_buffered) {
    bool const has_block = server.file.size() >= BLCKSZ;
    bool const zeroes = mode == RBM_ZERO_AND_LOCK || (has_block && !is_readable(server.file.data()) &&
                                                      (mode == RBM_ZERO_ON_ERROR || server.zero_damaged_pages));
    if (!zeroes && (!has_block || !is_readable(server.file.data())))
      ereport(ERROR, errcode(ERRCODE_DATA_CORRUPTED), errmsg("invalid page"));
    if (zeroes)
      std::memset(buffer.data, 0, BLCKSZ);
    else
      std::memcpy(buffer.data, server.file.data(), BLCKSZ);
    server.is_buffered = true;
  }
  server.pins = 1;
  if (mode == RBM_ZERO_AND_LOCK)
    server.lock = BUFFER_LOCK_EXCLUSIVE;
  return 1;
}

void LockBuffer(Buffer, BufferLockMode mode) {
  require(server.pins == 1 && server.lock == BUFFER_LOCK_UNLOCK);
  server.lock = mode;
}

void ReleaseBuffer(Buffer) {
  require(server.pins == 1 && server.lock == BUFFER_LOCK_UNLOCK);
  server.pins = 0;
}

void UnlockReleaseBuffer(Buffer released) {
  require(server.lock != BUFFER_LOCK_UNLOCK);
  server.lock = BUFFER_LOCK_UNLOCK;
  ReleaseBuffer(released);
}

void MarkBufferDirty(Buffer) {
  require(server.lock == BUFFER_LOCK_EXCLUSIVE);
  server.is_dirty = true;
}

void PageInit(Page page, Size size, Size special) {
  auto &header = *reinterpret_cast<PageHeader>(page);
  require(size == BLCKSZ && special == 0);
  std::memset(page, 0, size);
  header.pd_lower = SizeOfPageHeaderData;
  header.pd_upper = BLCKSZ;
  header.pd_special = BLCKSZ;
  PageSetPageSizeAndVersion(page, size, PG_PAGE_LAYOUT_VERSION);
}

XLogRecPtr log_newpage_buffer(Buffer, bool) {
  require(server.is_dirty && server.lock == BUFFER_LOCK_EXCLUSIVE && CritSectionCount == 1 && !server.recovering);
  server.inserted += 256;
  PageSetLSN(buffer.data, server.inserted);
  return server.inserted;
}

} // extern "C"

namespace {

enum class verdict { unwritten, accepted, refused };

/// Returns what must become of the file.
verdict expected() {
  auto const size = std::min<std::size_t>(server.file.size(), BLCKSZ);
  char *const page = server.file.data();
  if (!server.exists || is_zero(page, size))
    return verdict::unwritten;
  if (size < BLCKSZ)
    return verdict::refused;
  auto const &header = *reinterpret_cast<PageHeaderData const *>(page);
  bool const sound = header.pd_flags == 0 && header.pd_lower == content_end && header.pd_upper == BLCKSZ &&
                     header.pd_special == BLCKSZ;
  bool const intact = field<std::uint64_t>(page, header_end) == magic &&
                      field<std::uint32_t>(page, header_end + 8) == version &&
                      field<std::uint64_t>(page, crc_begin) ==
                          (crc_of(0xffffffff, page + header_end, crc_begin - header_end) ^ 0xffffffff);
  bool const in_wal = server.recovering || PageGetLSN(page) <= server.inserted;
  bool const checked = !server.checksums || header.pd_checksum == 0 || header.pd_checksum == checksum_of(page);
  return sound && intact && in_wal && checked ? verdict::accepted : verdict::refused;
}

/// Requires that no buffer is locked and no critical section is open when an error is raised.
void require_unlocked() {
  require(server.lock == BUFFER_LOCK_UNLOCK && CritSectionCount == 0);
  server.pins = 0; // as at the end of a transaction that has failed
}

/// Writes bounds to disk, and reads them again.
void write_and_read(XLogRecPtr (*write)(page_bounds const &)) {
  page_bounds written;
  page_bounds read = {};
  XLogRecPtr lsn = InvalidXLogRecPtr;
  std::memset(&written, 0x5a, sizeof written);
  require(fuzz::succeeds([&] { lsn = write(written); }) && lsn == server.inserted);
  require(server.pins == 0 && server.is_dirty);
  evict_buffer();
  require(!page_seems_damaged());
  require(fuzz::succeeds([&] { require(read_page(read, lsn) == page_state::good); }));
  require(std::memcmp(&read, &written, sizeof read) == 0 && lsn == server.inserted);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const *data, std::size_t size) {
  if (size < 2)
    return 0;
  fuzz::run const run;
  unsigned const flags = data[0];
  server = {};
  server.checksums = (flags & 1) != 0;
  server.recovering = (flags & 2) != 0;
  server.zero_damaged_pages = (flags & 4) != 0;
  server.inserted = 0x1000000;
  server.exists = (flags & 8) == 0;
  if (server.exists)
    server.file.assign(data + 2, data + size);
  // A file is mostly one block. Otherwise its size is that of the input.
  if (server.exists && (flags & 16) == 0)
    server.file.resize(BLCKSZ);
  // No fuzzer finds a CRC or a checksum.
  if (server.file.size() >= BLCKSZ) {
    char *const page = server.file.data();
    if ((data[1] & 1) != 0) {
      std::uint64_t const crc = crc_of(0xffffffff, page + header_end, crc_begin - header_end) ^ 0xffffffff;
      std::memcpy(page + crc_begin, &crc, sizeof crc);
    }
    if ((data[1] & 2) != 0)
      reinterpret_cast<PageHeader>(page)->pd_checksum = checksum_of(page);
  }
  fuzz::before_error = require_unlocked;

  verdict const must_be = expected();
  std::vector<char> const before = server.file;
  page_bounds bounds = {};
  XLogRecPtr lsn = InvalidXLogRecPtr;
  auto state = page_state::missing;
  bool seems_damaged = false;
  require(fuzz::succeeds([&] { seems_damaged = page_seems_damaged(); }));
  require(seems_damaged == (must_be == verdict::refused));
  bool const accepted = fuzz::succeeds([&] { state = read_page(bounds, lsn); });
  require(accepted == (must_be != verdict::refused) && server.pins == 0);
  require(accepted || fuzz::error.sqlstate == ERRCODE_DATA_CORRUPTED);
  if (accepted) {
    require((state == page_state::good) == (must_be == verdict::accepted));
    if (state == page_state::good)
      require(std::memcmp(&bounds, &before[bounds_begin], sizeof bounds) == 0);
    else
      require(fuzz::succeeds([&] { describe_unwritten(state); }));
  }
  if (server.recovering) {
    require(server.file == before && !server.is_dirty);
    require(!fuzz::succeeds([&] { write_page(bounds); }));
  } else if (accepted) {
    write_and_read(write_page);
    lsn = 1;
    require(fuzz::succeeds([&] { lsn = mend_page(bounds); }) && lsn == InvalidXLogRecPtr);
  } else {
    write_and_read(mend_page);
  }
  return 0;
}
