#include "model/say.h"

#include <cstdio>

namespace platter::model {

void say_text(std::string_view text) noexcept {
  std::fflush(stdout);  // what was said before stands before, where both go to one place
  if (std::fwrite(text.data(), 1, text.size(), stderr) != text.size()) std::clearerr(stderr);
}

}  // namespace platter::model
