#include "report/wrapped.h"

namespace platter::report {

std::string wrapped(const std::string& line, std::size_t indent, std::size_t columns) {
  std::string text, rest = line;
  while (rest.size() > columns) {
    std::size_t at = rest.rfind(' ', columns);
    // Not within the indentation: there would be no progress.
    if (at == std::string::npos || rest.find_first_not_of(' ') >= at) at = rest.find(' ', columns);
    if (at == std::string::npos) break;
    text += rest.substr(0, at) + "\n";
    rest = std::string(indent, ' ') + rest.substr(at + 1);
  }
  return text + rest + "\n";
}

}  // namespace platter::report
