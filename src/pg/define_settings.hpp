// Defines all settings when the library is loaded.
#pragma once

namespace kid::pg {

/// Defines all settings, once. Raises an error if PostgreSQL rejected a kid.* value given before the library was
/// loaded. Such a session must not use kid: it would run with the default, misread IDs, or issue those of another
/// server. With kid preloaded, PostgreSQL itself refuses the connection, or refuses to start if the value is in the
/// configuration file.
void define_settings();

} // namespace kid::pg
