// For bench/core/instructions: calls the generator of a timeline so many times that it is told, under callgrind.
#include "timelines.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

/// What callgrind counts, and nothing else: toggled at its entry and exit.
template <class Timeline> [[gnu::noinline]] std::uint64_t counted(kid::shared_cell &cell, unsigned long calls) {
  Timeline const line;
  kid::counter_clock<Timeline> clock;
  std::uint64_t sum = 0;
  for (unsigned long i = 0; i < calls; i++)
    sum += kid::issue(line, cell, clock).state;
  return sum;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  kid::shared_cell cell;
  auto const calls = std::strtoul(argv[2], nullptr, 10);
  auto const is = [&](char const *name) { return std::strcmp(argv[1], name) == 0; };
  std::uint64_t const sum = is("kid")     ? counted<kid::kid_timeline>(cell, calls)
                            : is("sno")   ? counted<kid::sno_timeline>(cell, calls)
                            : is("flake") ? counted<kid::flake_timeline>(cell, calls)
                                          : 0;
  // The sum keeps the calls from being optimized away.
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
  return sum == 0;
}
