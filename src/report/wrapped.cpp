#include "report/wrapped.h"

namespace platter::report {

std::string wrapped(const std::string& line, std::size_t indent, std::size_t columns) {
  std::string text, head;
  std::size_t from = 0;
  while (head.size() + line.size() - from > columns) {
    const std::string first = head + line.substr(from, columns + 1);
    std::size_t at = first.rfind(' ', columns);
    // Not within the indentation: there would be no progress.
    if (at == std::string::npos || first.find_first_not_of(' ') >= at) {
      const std::size_t there = line.find(' ', from + columns - head.size());
      if (there == std::string::npos) break;
      at = head.size() + there - from;
    }
    const std::size_t length = at - head.size();
    text += head;
    text.append(line, from, length) += '\n';
    from += length + 1;
    head.assign(indent, ' ');
  }
  text += head;
  return text.append(line, from) + "\n";
}

}  // namespace platter::report
