#include "settings.hpp"

namespace kid::pg {

int lease_length = 1000;
int max_observe = 3600 * 1000;
int max_wait = 1000;
int clock_backward = backward_hold;

bool parse_choice(char const *text, std::uint64_t max, automatic_or_number &result) {
  std::uint64_t number = 0;

  if (pg_strcasecmp(text, "auto") == 0) {
    result = {true, 0};
    return true;
  }
  text_status const status = decimal_text::decode(text, strlen(text), number);
  result = {false, static_cast<std::uint32_t>(number)};
  return status.error == text_error::none && number <= max;
}

} // namespace kid::pg
