// Settings, all named kid.*; see their descriptions in guc.cpp.
#pragma once

#include "pg.hpp"
#include "value.hpp"

namespace kid::pg {

/// What generators of kid and flake do when the clock goes back: keep the highest time, or refuse until it is reached.
enum backward { backward_hold, backward_refuse };

extern int lease_length;   ///< milliseconds; 0 is off
extern int max_observe;    ///< milliseconds
extern int max_wait;       ///< milliseconds; -1 is for ever
extern int clock_backward; ///< a `backward`
extern int neighborhood;   ///< bits
extern flake flake_layout; ///< with the epoch

/// The node of this server, for kid96.
std::uint32_t node();

// Settings that contradict each other are an error where they are used: a configuration file is read one by one.

/// Where a sno of this server comes from: its partition, and the part of the sequence that is its own.
std::uint64_t sno_partition();
sno_timeline sno_line();

/// Where a flake of this server comes from: datacenter and worker.
std::uint64_t flake_generator();
flake_timeline flake_line();

inline kid_timeline kid_line() {
  return {clock_backward == backward_hold};
}

template <> inline kid96 layout_of<kid96>() {
  return {static_cast<unsigned>(neighborhood)};
}

template <> inline flake layout_of<flake>() {
  return flake_layout;
}

void define_settings();

} // namespace kid::pg
