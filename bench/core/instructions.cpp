// For bench/core/instructions: calls the generator of a logical clock a given number of times, under callgrind.
#include "clocks.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

/// callgrind counts only this function: counting is toggled at its entry and exit.
template <class Clock> [[gnu::noinline]] std::uint64_t counted(kid::shared_cell &cell, unsigned long calls) {
  Clock const clock;
  kid::counter read;
  std::uint64_t sum = 0;
  for (unsigned long i = 0; i < calls; i++)
    sum += kid::issue(clock, cell, read).state;
  return sum;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  kid::shared_cell cell;
  auto const calls = std::strtoul(argv[2], nullptr, 10);
  auto const is = [&](char const *name) { return std::strcmp(argv[1], name) == 0; };
  std::uint64_t const sum = is("kid")      ? counted<kid::kid_clock>(cell, calls)
                            : is("kid53")  ? counted<kid::kid53_clock>(cell, calls)
                            : is("sno")    ? counted<kid::sno_clock>(cell, calls)
                            : is("flake")  ? counted<kid::flake_clock>(cell, calls)
                            : is("uuidv7") ? counted<kid::uuidv7_clock>(cell, calls)
                                           : 0;
  // The sum keeps the calls from being optimized away.
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
  return sum == 0;
}
