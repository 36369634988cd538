// What may fail where nobody can be told: in destructors, and in the threads of which nobody asks
// how they ended. Whoever must know has asked before.
#pragma once

namespace platter::model {

template <class Body>
void quietly(const Body& body) noexcept {
  try {
    body();
  } catch (...) {  // there is nobody to tell
  }
}

}  // namespace platter::model
