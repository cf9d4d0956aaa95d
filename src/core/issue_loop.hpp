// The loop that issues a state if the first step of a clock (step.hpp) issued none: what each result calls for, until a
// step issues one.
#pragma once

#include "no_postgres.hpp"
#include "step.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace kid {

/// A reading of the system clock, as a state for step() and awaited(), and as a number for `carry_pace`.
struct clock_reading {
  std::uint64_t state; ///< the first state of the unit that the system clock is in
  std::uint64_t tick;  ///< rises by units; also before the range of a type, where `state` may stay the same
};

/// Does not compile unless `Server` has the members that issue_after() lists, with these types.
template <class Clock, class Server> constexpr bool check_server() {
  using state = std::uint64_t;
  using server = Server &;

  static_assert(std::is_same_v<step_result, decltype(std::declval<server>().attempt(std::declval<carry_pace &>()))>);
  static_assert(std::is_same_v<clock_reading, decltype(std::declval<server>().read())>);
  static_assert(std::is_void_v<decltype(std::declval<server>().renew(state{}))>);
  if constexpr (Clock::changes_sides)
    static_assert(std::is_same_v<step_result, decltype(std::declval<server>().change_sides(state{}))>);
  static_assert(std::is_void_v<decltype(std::declval<server>().wait(step_kind{}, unix_micros{}))>);
  static_assert(std::is_void_v<decltype(std::declval<server>().end())>);
  static_assert(std::is_same_v<bool, decltype(std::declval<server>().may_try_again())>);
  return true;
}

/// Goes on after a step whose result was `result`, until a step has the result `issued` or `stale`, and returns that.
/// Returns the last result, too, if end() returns or if may_try_again() is false. `Server` has what the loop depends
/// on. Each function may raise an error instead of returning:
///
///     attempt(pace)        makes another step, which may carry from the unit that `pace` says
///     read()               reads the system clock
///     renew(state)         renews the limit at which a step stopped before `state`
///     change_sides(last)   tries to move the clock from `last` to the other side, and returns that step. Only a clock
///                          that changes sides needs it
///     wait(kind, until)    waits at most until the system clock is at `until`. `kind` is `used_up` or `behind`
///     end()                raises the error that there is no state left
///     may_try_again()      whether to make another step
template <class Clock, class Server>
[[gnu::cold]] step_result issue_after(Clock const &clock, Server &server, step_result result) {
  static_assert(check_server<Clock, Server>());
  carry_pace pace;

  for (;;) {
    switch (result.kind) {
    case step_kind::issued:
    case step_kind::stale:
      return result;
    case step_kind::ended:
      server.end();
      return result;
    case step_kind::beyond:
      server.renew(result.state);
      break;
    case step_kind::behind:
      if constexpr (Clock::changes_sides) {
        result = server.change_sides(result.state);
        if (result.kind == step_kind::issued)
          return result;
      }
      [[fallthrough]];
    case step_kind::used_up: {
      // Read the system clock after the state, as `carry_pace` requires. If the earlier reading was merely old, there
      // is nothing to wait for.
      clock_reading const now = server.read();
      if (result.kind == step_kind::used_up)
        pace.found_used_up(clock.unit(result.state), now.tick);
      if (std::uint64_t const next = awaited(clock, result, now.state); next > now.state)
        server.wait(result.kind, clock.time(next));
      break;
    }
    }
    if (!server.may_try_again())
      return result;
    result = server.attempt(pace);
  }
}

} // namespace kid
