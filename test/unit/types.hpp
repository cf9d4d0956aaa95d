// The types in src/types.def. A test for all types takes the types from that file, and their headers from this
// one.
#pragma once

#include "../../src/core/types/flake.hpp"
#include "../../src/core/types/flax.hpp"
#include "../../src/core/types/kid53.hpp"
#include "../../src/core/types/kid64.hpp"
#include "../../src/core/types/kid96.hpp"
#include "../../src/core/types/sno.hpp"
#include "../../src/core/types/uuidv7.hpp"

#include <tuple>
#include <type_traits>

namespace kid {

/// Whether an `Id` has a text form of its own. A core type has that of PostgreSQL.
template <class Id, class = void> inline constexpr bool has_text = false;
template <class Id> inline constexpr bool has_text<Id, std::void_t<typename Id::text>> = true;

/// Whether its text form is one of the ordered alphabets.
template <class Id, class = void> inline constexpr bool has_ordered_text = false;
template <class Id>
inline constexpr bool has_ordered_text<Id, std::void_t<typename Id::text>> =
    !std::is_same_v<typename Id::text, decimal_text>;

/// All types, as a tuple.
using every_type = decltype(std::tuple_cat(
#define X(T) std::tuple<T>{},
#include "../../src/types.def"
    std::tuple<>{}));

template <class Id> using if_ordered_text = std::conditional_t<has_ordered_text<Id>, std::tuple<Id>, std::tuple<>>;

/// The types with an ordered alphabet, as a tuple.
using types_with_ordered_text = decltype(std::tuple_cat(
#define X(T) if_ordered_text<T>{},
#include "../../src/types.def"
    std::tuple<>{}));

} // namespace kid
