#include "known_functions.hpp"

#include "../traits/time.hpp"
#include "expressions.hpp"

namespace kid::pg {

namespace {

struct time_operator {
  comparison how;
  StrategyNumber strategy;
  std::string_view symbol;
};
constexpr time_operator operators[] = {{comparison::less, BTLessStrategyNumber, "<"},
                                       {comparison::less_equal, BTLessEqualStrategyNumber, "<="},
                                       {comparison::greater_equal, BTGreaterEqualStrategyNumber, ">="},
                                       {comparison::greater, BTGreaterStrategyNumber, ">"}};

/// The functions in C that compare an ID with an instant: what their symbols end with, and how they compare.
struct time_function {
  std::string_view end;
  comparison how;
};
constexpr time_function functions[] = {
#define X(T, name, how, place) {"_" #name, comparison::how},
    KID_TIME_COMPARISONS(X, )
#undef X
};

/// Returns the strategy of the operator that a function in C implements, for an ID on its left, and 0 for <@ and @>.
StrategyNumber strategy_of_symbol(std::string_view symbol) {
  // Not substr(), which can raise an exception, and so needs C++'s library at run time.
  auto const ends_with = [&](std::string_view end) {
    return symbol.size() > end.size() &&
           std::string_view{symbol.data() + (symbol.size() - end.size()), end.size()} == end;
  };

  for (time_function const &one : functions)
    if (ends_with(one.end))
      for (time_operator const &its : operators)
        if (its.how == one.how)
          return its.strategy;
  return 0;
}

/// Describes a function, which may be of any kind: a superuser can give planner support to any. Those of kid are in C,
/// with the arguments ([operator text,] id, time [, setting]) or ([operator text,] time, id [, setting]). The result
/// for another function has no type.
comparison_function look_up(Oid function) {
  comparison_function result = {};
  Oid *arguments = nullptr;
  int count = 0;

  result.function = function;
  // The function may have been dropped since the query was parsed.
  char const *const symbol = symbol_of(function);
  if (symbol == nullptr)
    return result;
  static_cast<void>(get_func_signature(function, &arguments, &count));
  result.by_name = count > 0 && arguments[0] == TEXTOID;
  int const first = result.by_name ? 1 : 0;
  // Fewer than an ID and a time
  if (count < first + 2)
    return result;
  result.strategy = result.by_name ? 0 : strategy_of_symbol(symbol);
  // Without an operator it is <@ or @>. The time can also be a domain over the range, as kid_span is.
  Oid const time = result.by_name || result.strategy != 0 ? TIMESTAMPTZOID : TSTZRANGEOID;
  result.id_first = getBaseType(arguments[first + 1]) == time;
  result.id = arguments[result.id_first ? first : first + 1];
  id_type const *const type = id_type_of(result.id);
  // Not an ID of kid's, or no time beside it
  if (type == nullptr || getBaseType(arguments[result.id_first ? first + 1 : first]) != time)
    return result;
  Oid const setting = type->setting != nullptr ? type->setting->type : InvalidOid;
  // After them is something other than the one setting of the type
  if (count > first + 2 && (count > first + 3 || arguments[first + 2] != setting))
    return result;

  result.type = type;
  Oid const schema = get_func_namespace(function);
  auto const find = [&](char const *name, auto... types) {
    Oid const all[] = {static_cast<Oid>(types)..., setting};
    return function_of(schema, name, all, static_cast<int>(sizeof...(types)) + (OidIsValid(setting) ? 1 : 0));
  };
  auto const name = [&](char const *suffix) { return psprintf("%s_%s", type->prefix, suffix); };
  result.edge = find(name("edge"), TEXTOID, TEXTOID, TIMESTAMPTZOID);
  result.edge_of_range = find(name("edge"), TEXTOID, TSTZRANGEOID);
  result.recheck = find(name("recheck"), TEXTOID, result.id, TIMESTAMPTZOID);
  result.recheck_of_range = find(name("recheck"), result.id, TSTZRANGEOID);
  result.compare = find(name("compare"), TEXTOID, result.id, TIMESTAMPTZOID);
  result.within = find("kid_within", result.id, TSTZRANGEOID);
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

comparison_function comparison_of(Oid function) {
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
    control.entrysize = sizeof(comparison_function);
    known = hash_create("kid: comparisons with time", 32, &control, HASH_ELEM | HASH_BLOBS);
  }
  if (auto const *const found = static_cast<comparison_function *>(hash_search(known, &function, HASH_FIND, nullptr)))
    return *found;
  is_current = true;
  comparison_function const result = look_up(function);
  if (is_current)
    *static_cast<comparison_function *>(hash_search(known, &function, HASH_ENTER, nullptr)) = result;
  return result;
}

char const *operator_of(StrategyNumber strategy) {
  for (time_operator const &one : operators)
    if (one.strategy == strategy)
      return one.symbol.data();
  elog(ERROR, "unknown strategy of a comparison with time: %d", strategy);
}

StrategyNumber strategy_of(std::string_view symbol) {
  for (time_operator const &one : operators)
    if (one.symbol == symbol)
      return one.strategy;
  return 0;
}

} // namespace kid::pg
