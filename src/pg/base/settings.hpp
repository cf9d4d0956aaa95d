// Settings, all named kid.*, that concern more than one type. A setting of one type is in the file of that type. What
// each setting means is in its description, where it is defined: in define_settings.cpp, in node/settings.cpp, or in
// the file of its type.
#pragma once

#include "compat.hpp"

namespace kid::pg {

constexpr int default_lease_length = 1000; ///< milliseconds

inline int lease_length = default_lease_length; ///< milliseconds; 0 turns the lease off
inline int max_observe = 3600 * 1000;           ///< milliseconds
inline int max_wait = 1000;                     ///< milliseconds; -1 sets no limit

/// What a clock without sides does if the system clock goes back: keep the highest time and continue, "hold" in SQL, or
/// wait until the system clock has reached that time again.
enum backward { backward_keep, backward_wait };
inline int clock_backward = backward_keep;

inline bool keeps_highest_time() {
  return clock_backward == backward_keep;
}

/// "auto" or a number.
struct automatic_or_number {
  bool automatic;
  std::uint32_t number;
};

/// Parses `text` into `result`. Returns false unless it is "auto" or a number from 0 to `max`, decimal or hexadecimal
/// after 0x.
inline bool parse_choice(char const *text, std::uint64_t max, automatic_or_number &result) {
  std::uint64_t number = 0;

  result.automatic = pg_strcasecmp(text, "auto") == 0;
  bool const is_valid = result.automatic || decimal_text::decode(text, strlen(text), number).error == text_error::none;
  result.number = static_cast<std::uint32_t>(number);
  return is_valid && number <= max;
}

/// Defines a setting from `least` to `greatest`, with the value of its variable as default.
inline void define_number(char const *name, char const *what, char const *more, int *variable, int least, int greatest,
                          int flags, GucContext context = PGC_SUSET, GucIntAssignHook assign = nullptr) {
  DefineCustomIntVariable(name, what, more, variable, *variable, least, greatest, context, flags, nullptr, assign,
                          nullptr);
}

} // namespace kid::pg
