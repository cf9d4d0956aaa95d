#include "define_settings.hpp"

#include "base/settings.hpp"
#include "node/settings.hpp"
#include "types/all_types.hpp"

namespace kid::pg {

namespace {

constexpr config_enum_entry backward_options[] = {
    {"hold", backward_keep, false}, {"wait", backward_wait, false}, {nullptr, 0, false}};

/// A value that was given to a setting before kid defined it.
struct placeholder {
  char const *name;
  GucSource source;
};

/// Returns the placeholders for settings of kid that were given a value. Names of settings are compared without case; a
/// placeholder has the spelling with which it was first given a value.
List *placeholders() {
  List *found = NIL;

  for (config_generic *const setting : all_settings())
    if (is_placeholder(setting) && pg_strncasecmp(name_of(setting), "kid.", 4) == 0 &&
        reset_source(setting) >= PGC_S_FILE) {
      auto *const one = static_cast<placeholder *>(palloc(sizeof(placeholder)));
      *one = {pstrdup(name_of(setting)), reset_source(setting)};
      found = lappend(found, one);
    }
  return found;
}

/// Returns the first of `asked_for` whose value PostgreSQL rejected: it warned and fell back to the default.
/// PostgreSQL has already removed placeholders for names that kid does not define.
placeholder refused_setting(List *asked_for) {
  ListCell *cell = nullptr;

  foreach (cell, asked_for) {
    auto const *const asked = static_cast<placeholder *>(lfirst(cell));
    for (config_generic *const setting : all_settings())
      if (pg_strcasecmp(name_of(setting), asked->name) == 0 && reset_source(setting) != asked->source)
        return {name_of(setting), asked->source};
  }
  return {};
}

} // namespace

/// Defines all settings. If a setting is defined late, PostgreSQL gives it the value of its placeholder. In parallel
/// mode it rejects that value, with a warning, unless the setting may be changed in parallel mode. Therefore kid's
/// settings may be, but only until all are defined.
///
/// A contradiction between two settings is an error where they are used, not where one is set. Values arrive one at a
/// time and in any order: from a file, from SET, and from the leader of a parallel worker.
static void define_all() {
  int const flags = IsInParallelMode() ? GUC_ALLOW_IN_PARALLEL : 0;
  define_number(
      "kid.max_wait", "Longest time that a generator waits for the system clock or for the bound of IDs.",
      "A generator waits in five cases: the IDs of the current time unit are used up; another session is "
      "writing the bound, or standbys have not confirmed it; kid_hold_clocks() or kid_reset_clock() holds "
      "the clocks; the system clock went back, and \"kid.clock_backward\" is \"wait\"; or the system clock went "
      "back more than once, and sno_next() has to wait for it. With 0 a generator raises an error at once, or, "
      "if it would wait for the bound or for held clocks, after 10 ms. -1 sets no limit. The session that writes the "
      "bound waits for its flush without a limit.",
      &max_wait, -1, INT_MAX, GUC_UNIT_MS | flags);

  DefineCustomEnumVariable(
      "kid.clock_backward", "Behavior of generators when the system clock goes back.",
      "\"hold\" keeps the latest time and continues from there. \"wait\" waits, at most \"kid.max_wait\", until the "
      "system clock reaches that time again. The setting does not apply to sno and flax, whose IDs then contain the "
      "earlier time.",
      &clock_backward, backward_keep, backward_options, PGC_SUSET, flags, nullptr, nullptr, nullptr);

  define_number(
      "kid.lease", "Time for which IDs are reserved ahead in WAL.",
      "After a crash or a promotion, IDs start where the reserved time ends. The reservation is renewed about twice in "
      "this time, or more often while IDs are ahead of the system clock by more than this time. 0 reserves nothing and "
      "relies on the system clock. A change takes effect when the server starts.",
      &lease_length, 0, 3600 * 1000, GUC_UNIT_MS | flags, PGC_SIGHUP);

  define_number("kid.max_observe", "Longest time that an observed ID may be ahead of the system clock.",
                "kid_observe() rejects an ID that is further ahead, unless a superuser calls it. "
                "kid_observe_all() does not use such an ID, not even for a superuser.",
                &max_observe, 0, INT_MAX, GUC_UNIT_MS | flags);

  define_identity_settings(flags);
  for (id_type const *type : all_types)
    if (type->define_settings != nullptr)
      type->define_settings(flags);

  MarkGUCPrefixReserved("kid");
  // The placeholders are gone, and kid has defined all that is left in lower case.
  if (flags != 0)
    for (config_generic *const setting : all_settings())
      if (strncmp(name_of(setting), "kid.", 4) == 0)
        clear_flags(setting, flags);
}

void define_settings() {
  static bool defined = false;
  static placeholder refused = {};

  // After an error in here, the next call of any function of kid calls this again.
  if (!defined) {
    List *const asked_for = placeholders();
    define_all();
    refused = refused_setting(asked_for);
    defined = true;
  }
  if (refused.name == nullptr)
    return;
  bool const in_file = refused.source == PGC_S_FILE;
  ereport(ERROR, errcode(ERRCODE_CANT_CHANGE_RUNTIME_PARAM), errmsg("parameter \"%s\" could not be set", refused.name),
          in_file
              ? errdetail("The configuration file has an invalid value for this parameter.")
              : errdetail("The value given when the session started was rejected, and hides the value of the server."),
          in_file ? errhint("Correct it, reload the configuration, and start a new session.")
                  : errhint("Start a session without that value."));
}

} // namespace kid::pg
