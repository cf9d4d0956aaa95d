#include "draw.hpp"

#include "../clocks/bounds.hpp"
#include "../clocks/lease_lock.hpp"

namespace kid::pg {

std::uint64_t drawn_number() {
  TimeLineID const timeline = GetWALInsertionTimeLine();
  std::uint64_t number = 0;

  with_open_lease(nullptr, [&](lease_state &lease) {
    page_bounds page = lease.page;
    if (page.draw.timeline != timeline) {
      page.draw = {0, timeline, 0};
      if (!pg_strong_random(&page.draw.number, sizeof page.draw.number))
        ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values"));
    }
    number = page.draw.number;
    return put_page(lease, page);
  });
  return number;
}

bool replayed_draw(page_draw &draw) {
  page_bounds page = {};
  XLogRecPtr lsn = InvalidXLogRecPtr;
  bool found = false;

  static_cast<void>(find_or_make());
  with_lock([&](lease_state &) { found = read_page(page, lsn) == page_state::good && page.draw.timeline != 0; });
  draw = page.draw;
  return found;
}

} // namespace kid::pg
