// The node number: 32 bits that differ between servers. A type of IDs that differ between servers uses a part of it.
#pragma once

#include "no_postgres.hpp"

#include <cstddef>
#include <cstdint>

namespace kid {

constexpr std::uint64_t node_max = 0xffff'ffff;

/// Returns the node number of a name such as uid@127.0.0.1: the PJW hash of its bytes, as Erlang's phash2 computes it.
constexpr std::uint32_t node_hash(char const *name, std::size_t length) noexcept {
  std::uint32_t hash = 0;
  for (std::size_t i = 0; i < length; i++) {
    hash = (hash << 4) + static_cast<unsigned char>(name[i]);
    std::uint32_t const top = hash & 0xf0000000;
    hash ^= (top >> 24) | top;
  }
  return hash;
}

} // namespace kid
