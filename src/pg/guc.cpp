#include "guc.hpp"

#include "pg.hpp"

namespace kid::pg {

int max_wait = 1000;

void define_settings() {
  DefineCustomIntVariable("kid.max_wait", "Longest time that a generator waits for the clock.",
                          "A generator waits when all sequence numbers of the current time unit are used up. "
                          "0 raises an error instead of waiting, -1 waits for ever.",
                          &max_wait, 1000, -1, INT_MAX, PGC_SUSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);

  MarkGUCPrefixReserved("kid");
}

} // namespace kid::pg
