#include "model/replaced.h"

namespace platter::model {

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(what, from)) != std::string_view::npos;
       from = at + what.size())
    out.append(text, from, at - from).append(with);
  return out.append(text, from);
}

}  // namespace platter::model
