// Settings, all named kid.*, that are not of one type alone: those are on its page. What each means: their descriptions
// in settings.cpp.
#pragma once

#include "compat.hpp"

namespace kid::pg {

extern int lease_length; ///< milliseconds; 0 is off
extern int max_observe;  ///< milliseconds
extern int max_wait;     ///< milliseconds; -1 is for ever

/// What clocks that only rise do when the system clock goes back: keep the highest time and count on, or wait for it.
enum backward { backward_hold, backward_wait };
extern int clock_backward;

inline bool keeps_highest_time() {
  return clock_backward == backward_hold;
}

/// "auto" or a number.
struct automatic_or_number {
  bool automatic;
  std::uint32_t number;
};

/// False unless `text` is "auto" or a number from 0 to `max`, decimal, or hexadecimal after 0x.
bool parse_choice(char const *text, std::uint64_t max, automatic_or_number &result);

/// Hands `value` of a check hook to the assign hook. False when out of memory, which PostgreSQL reports.
bool keep_choice(automatic_or_number value, void **extra);

void define_settings();

} // namespace kid::pg
