#include "lib/handles.h"

namespace platter::lib {

platter_status Turn::refused(const char* function) const {
  if (is_closed()) return failed(PLATTER_BAD_ARGUMENT, "{}: the engine was destroyed", function);
  if (found_ != mark_of_process())
    return failed(PLATTER_BUSY,
                  "{}: another thread was in a call of this engine when the process forked, and is "
                  "not here to end it; make another engine",
                  function);
  return failed(PLATTER_BUSY,
                "{}: another thread is in a call of this engine; give each thread its own engine, "
                "or let one wait for the other",
                function);
}

}  // namespace platter::lib
