#pragma once

#include <string>

namespace platter::emulator {

// What a guest, or its front end, says cannot be: it is not served any more. A sentence's part.
struct BrokenGuest {
  std::string what;
};

}  // namespace platter::emulator
