#include "comparisons.hpp"

#include "expressions.hpp"

#include <initializer_list>

namespace kid::pg {

namespace {

/// A comparison with time: the operator, and what the symbols of its functions in C end with, for an ID on the left and
/// for one on the right.
struct time_operator {
  StrategyNumber strategy;
  std::string_view symbol;
  std::string_view id_first;
  std::string_view time_first;
};
constexpr time_operator operators[] = {{BTLessStrategyNumber, "<", "_lt_time", "_time_gt"},
                                       {BTLessEqualStrategyNumber, "<=", "_le_time", "_time_ge"},
                                       {BTGreaterEqualStrategyNumber, ">=", "_ge_time", "_time_le"},
                                       {BTGreaterStrategyNumber, ">", "_gt_time", "_time_lt"}};

/// Returns the strategy of the operator that a function implements, for an ID on its left. Returns 0 for <@ and @>.
StrategyNumber strategy_of_function(Oid function) {
  char const *const name = symbol_of(function);
  std::string_view const symbol = name != nullptr ? name : "";
  // Not substr(), which can raise an exception, and so needs C++'s library at run time.
  auto const ends_with = [&](std::string_view end) {
    return symbol.size() > end.size() &&
           std::string_view{symbol.data() + (symbol.size() - end.size()), end.size()} == end;
  };

  for (time_operator const &one : operators)
    if (ends_with(one.id_first) || ends_with(one.time_first))
      return one.strategy;
  return 0;
}

/// Describes a function whose first and second argument, but for an operator by name, are an ID and a time.
known_comparison look_up(Oid function) {
  known_comparison result = {};
  Oid *arguments = nullptr;
  int count = 0;

  result.function = function;
  // The function may have been dropped since the query was parsed.
  if (!SearchSysCacheExists1(PROCOID, ObjectIdGetDatum(function)))
    return result;
  static_cast<void>(get_func_signature(function, &arguments, &count));
  result.by_name = count > 0 && arguments[0] == TEXTOID;
  int const first = result.by_name ? 1 : 0;
  if (count < first + 2)
    return result;
  result.strategy = result.by_name ? 0 : strategy_of_function(function);
  Oid const time = result.by_name || result.strategy != 0 ? TIMESTAMPTZOID : TSTZRANGEOID;
  result.id_first = getBaseType(arguments[first + 1]) == time;
  result.id = arguments[result.id_first ? first : first + 1];
  result.type = id_type_of(result.id);
  if (result.type == nullptr)
    return result;

  Oid const schema = get_func_namespace(function);
  auto const find = [&](char const *name, std::initializer_list<Oid> types) {
    Oid all[4];
    int number = 0;
    for (Oid const type : types)
      all[number++] = type;
    if (result.type->setting != nullptr)
      all[number++] = result.type->setting->type;
    return function_of(schema, name, all, number);
  };
  auto const name = [&](char const *suffix) { return psprintf("%s_%s", result.type->prefix, suffix); };
  result.edge = find(name("edge"), {TEXTOID, TEXTOID, TIMESTAMPTZOID});
  result.edge_of_range = find(name("edge"), {TEXTOID, TSTZRANGEOID});
  result.recheck = find(name("recheck"), {TEXTOID, result.id, TIMESTAMPTZOID});
  result.recheck_of_range = find(name("recheck"), {result.id, TSTZRANGEOID});
  result.compare = find(name("compare"), {TEXTOID, result.id, TIMESTAMPTZOID});
  result.within = find("kid_within", {result.id, TSTZRANGEOID});
  return result;
}

/// What this session has looked up, by function; null if nothing.
HTAB *known = nullptr;
/// Whether no function was changed since. A change while a function is looked up is noticed, too.
bool is_current = false;

} // namespace

extern "C" {
static void forget(Datum, catalog_cache, uint32) {
  is_current = false;
}
} // extern "C"

known_comparison comparison_of(Oid function) {
  static bool registered = false;

  if (!registered)
    CacheRegisterSyscacheCallback(PROCOID, forget, 0);
  registered = true;
  if (!is_current && known != nullptr) {
    hash_destroy(known);
    known = nullptr;
  }
  if (known == nullptr) {
    HASHCTL control = {};
    control.keysize = sizeof(Oid);
    control.entrysize = sizeof(known_comparison);
    known = hash_create("kid: comparisons with time", 32, &control, HASH_ELEM | HASH_BLOBS);
  }
  if (auto const *const found = static_cast<known_comparison *>(hash_search(known, &function, HASH_FIND, nullptr)))
    return *found;
  is_current = true;
  known_comparison const result = look_up(function);
  if (is_current)
    *static_cast<known_comparison *>(hash_search(known, &function, HASH_ENTER, nullptr)) = result;
  return result;
}

char const *operator_of(StrategyNumber strategy) {
  for (time_operator const &one : operators)
    if (one.strategy == strategy)
      return one.symbol.data();
  return nullptr;
}

StrategyNumber strategy_of(std::string_view symbol) {
  for (time_operator const &one : operators)
    if (one.symbol == symbol)
      return one.strategy;
  return 0;
}

} // namespace kid::pg
