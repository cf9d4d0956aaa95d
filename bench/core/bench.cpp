// The core alone: the generator's step, text forms beside their plain form, comparison, packing and unpacking.
//
// Every benchmark goes through a batch of random inputs, and measures one call.
#include "../../src/core/step.hpp"
#include "../../src/core/types/flake.hpp"
#include "../../src/core/types/flax.hpp"
#include "../../src/core/types/kid53.hpp"
#include "../../src/core/types/kid64.hpp"
#include "../../src/core/types/kid96.hpp"
#include "../../src/core/types/sno.hpp"
#include "../../test/unit/plain_text.hpp"

#include "clocks.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <random>

namespace kid {
namespace {

using benchmark::DoNotOptimize;
using benchmark::State;

constexpr std::size_t batch = 1024;

template <class Id> std::array<typename Id::word, batch> random_ids() {
  std::mt19937_64 engine(20260101);
  std::array<typename Id::word, batch> ids;
  for (auto &id : ids) {
    unsigned char bytes[Id::size];
    for (auto &byte : bytes)
      byte = static_cast<unsigned char>(engine());
    id = load_big<Id::size, typename Id::word>(bytes);
  }
  return ids;
}

std::array<unix_micros, batch> random_times() {
  std::mt19937_64 engine(20260101);
  std::array<unix_micros, batch> times;
  for (auto &time : times)
    time = start + static_cast<unix_micros>(engine() % 500'000'000'000'000);
  return times;
}

/// Runs `call` over the batch repeatedly.
template <class Inputs, class Call> void each(State &state, Inputs const &inputs, Call call) {
  std::size_t i = 0;
  for (auto _ : state)
    call(inputs[i++ % batch]);
}

template <class Id, class Text> void encode(State &state) {
  each(state, random_ids<Id>(), [](auto id) {
    char text[20];
    Text::encode(id, text);
    DoNotOptimize(text);
  });
}

template <class Id, class Text> void decode(State &state) {
  struct form {
    char text[20];
    unsigned length;
  };
  auto const ids = random_ids<Id>();
  std::array<form, batch> forms;
  for (std::size_t i = 0; i < batch; i++)
    forms[i].length = Text::encode(ids[i], forms[i].text);
  each(state, forms, [](form const &from) {
    typename Id::word id = 0;
    auto const status = Text::decode(from.text, from.length, id);
    DoNotOptimize(status.error);
    DoNotOptimize(id);
  });
}

/// As PostgreSQL stores them.
template <class Id> void compare(State &state) {
  auto const ids = random_ids<Id>();
  if constexpr (Id::size == 8) {
    each(state, ids, [&](auto id) { DoNotOptimize(id < ids[0]); });
  } else {
    struct stored {
      unsigned char bytes[Id::size];
    };
    std::array<stored, batch> all;
    for (std::size_t i = 0; i < batch; i++)
      store_big<Id::size>(ids[i], all[i].bytes);
    each(state, all,
         [&](stored const &one) { DoNotOptimize(compare_big<Id::size>(one.bytes, all[0].bytes, std::less<>())); });
  }
}

template <class Id, Id const &layout> void pack(State &state) {
  each(state, random_times(), [](unix_micros time) {
    auto id = layout.lowest(time);
    DoNotOptimize(id);
  });
}

template <class Id, Id const &layout> void unpack(State &state) {
  each(state, random_ids<Id>(), [](auto id) { DoNotOptimize(layout.time(id)); });
}

constexpr kid53 kid53_layout;
constexpr kid64 kid64_layout;
constexpr kid96 kid96_layout{8};
constexpr sno sno_layout;
constexpr flake flake_layout;
constexpr flax flax_layout;

auto const origin = std::chrono::system_clock::now();

/// Real time, 40 times as fast: otherwise a thread would use up its units, and the benchmark would measure
/// waiting. A call includes reading the system clock, as in the module.
struct real_clock {
  unix_micros operator()() const noexcept {
    auto const passed = std::chrono::system_clock::now() - origin;
    return start + std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count() / 25;
  }
};

/// Shared by the threads of a benchmark.
template <class Clock> shared_cell &cell_of() {
  static shared_cell cell;
  return cell;
}

template <class Clock, class Read> void next(State &state) {
  Clock const clock;
  Read read;
  counting_cell cell = {cell_of<Clock>()};
  std::int64_t not_issued = 0;
  if (state.thread_index() == 0)
    cell.cell.word = 0;
  for (auto _ : state) {
    step_result const result = issue(clock, cell, read);
    not_issued += result.kind != step_kind::issued;
    DoNotOptimize(result.state);
  }
  // Only if this is about 0, the measured calls got IDs.
  state.counters["not_issued"] =
      benchmark::Counter(static_cast<double>(not_issued), benchmark::Counter::kAvgIterations);
  state.counters["retries"] = benchmark::Counter(static_cast<double>(cell.retries), benchmark::Counter::kAvgIterations);
}

BENCHMARK_TEMPLATE(next, kid_clock, counter);
BENCHMARK_TEMPLATE(next, kid53_clock, counter);
BENCHMARK_TEMPLATE(next, flake_clock, counter);
BENCHMARK_TEMPLATE(next, sno_clock, counter);
BENCHMARK_TEMPLATE(next, uuidv7_clock, counter);
BENCHMARK_TEMPLATE(next, kid_clock, real_clock)->ThreadRange(1, 8)->UseRealTime();
BENCHMARK_TEMPLATE(next, kid53_clock, real_clock)->ThreadRange(1, 8)->UseRealTime();
BENCHMARK_TEMPLATE(next, flake_clock, real_clock)->ThreadRange(1, 8)->UseRealTime();
BENCHMARK_TEMPLATE(next, sno_clock, real_clock)->ThreadRange(1, 8)->UseRealTime();
BENCHMARK_TEMPLATE(next, uuidv7_clock, real_clock)->ThreadRange(1, 8)->UseRealTime();

#define EVERY(type)                                                                                                    \
  BENCHMARK_TEMPLATE(encode, type, type::text);                                                                        \
  BENCHMARK_TEMPLATE(decode, type, type::text);                                                                        \
  BENCHMARK_TEMPLATE(compare, type);                                                                                   \
  BENCHMARK_TEMPLATE(pack, type, type##_layout);                                                                       \
  BENCHMARK_TEMPLATE(unpack, type, type##_layout)
#define PLAIN(type)                                                                                                    \
  BENCHMARK_TEMPLATE(encode, type, plain<type>);                                                                       \
  BENCHMARK_TEMPLATE(decode, type, plain<type>)

EVERY(kid64);
PLAIN(kid64);
EVERY(kid96);
PLAIN(kid96);
EVERY(sno);
PLAIN(sno);
EVERY(flax);
PLAIN(flax);
EVERY(flake);
// Its text is that of bigint.
BENCHMARK_TEMPLATE(pack, kid53, kid53_layout);
BENCHMARK_TEMPLATE(unpack, kid53, kid53_layout);

} // namespace
} // namespace kid

BENCHMARK_MAIN();
