// Structs in shared memory, in a server that has preloaded kid or has not. Most of this file is about what versions of
// PostgreSQL do differently.
#pragma once

#include "locked.hpp"

namespace kid::pg {

/// A struct in shared memory. The first process that needs it creates it, filled with zeroes; all others find it.
struct shared_struct {
  char const *name;
  std::size_t (*size)();
  void **place;   ///< the variable that holds its address in this process
  void (*fill)(); ///< called each time `place` is set, by one process at a time
};

// 19 has callbacks for shared memory. It also calls those registered after startup, except in a server without a
// postmaster. Before, there are hooks at startup, and a lock for structs that are created later.

inline void find_without_callbacks(shared_struct const &memory) {
  LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
  release_after(AddinShmemInitLock, [&] {
    bool found = false;
    PG_TRY();
    { *memory.place = ShmemInitStruct(memory.name, memory.size(), &found); }
    PG_CATCH();
    {
      // Other users of the spare shared memory, such as lock tables, have taken it. They never give it back. Here the
      // error is still the newest that PostgreSQL handles, so that errhint() adds to it.
      errhint("Add \"kid\" to \"shared_preload_libraries\", so that its memory is reserved, and restart the server.");
      PG_RE_THROW();
    }
    PG_END_TRY();
    if (!found)
      memset(*memory.place, 0, memory.size());
    memory.fill();
  });
}

#if PG_VERSION_NUM >= 190000

template <shared_struct const &memory> struct shared_callbacks {
  static void request(void *) {
    ShmemStructOpts options = {};
    options.name = memory.name;
    options.size = static_cast<ssize_t>(memory.size());
    options.ptr = memory.place;
    ShmemRequestStructWithOpts(&options);
  }
  static void fill(void *) { memory.fill(); }
  static constexpr ShmemCallbacks all = {SHMEM_CALLBACKS_ALLOW_AFTER_STARTUP, request, fill, fill, nullptr};
};

template <shared_struct const &memory> void reserve_at_startup() {
  RegisterShmemCallbacks(&shared_callbacks<memory>::all);
}

template <shared_struct const &memory> void find() {
  if (IsUnderPostmaster)
    RegisterShmemCallbacks(&shared_callbacks<memory>::all);
  else
    find_without_callbacks(memory);
}

#else

template <shared_struct const &memory> struct shared_hooks {
  static inline shmem_request_hook_type next_request = nullptr;
  static inline shmem_startup_hook_type next_startup = nullptr;

  static void request() {
    if (next_request != nullptr)
      next_request();
    RequestAddinShmemSpace(memory.size());
  }
  static void startup() {
    if (next_startup != nullptr)
      next_startup();
    find_without_callbacks(memory);
  }
};

template <shared_struct const &memory> void reserve_at_startup() {
  using hooks = shared_hooks<memory>;
  hooks::next_request = shmem_request_hook;
  shmem_request_hook = hooks::request;
  hooks::next_startup = shmem_startup_hook;
  shmem_startup_hook = hooks::startup;
}

template <shared_struct const &memory> void find() {
  find_without_callbacks(memory);
}

#endif

} // namespace kid::pg
