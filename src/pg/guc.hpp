// Settings, all named kid.*; see their descriptions in guc.cpp.
#pragma once

namespace kid::pg {

extern int max_wait; ///< milliseconds; -1 is for ever

void define_settings();

} // namespace kid::pg
