#include "cli/fitting_lines.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "model/number_in.h"

namespace platter::cli {
namespace {

constexpr std::size_t kUsual = 80, kFewest = 40;

// Where the second field begins, if that leaves room; else a little further in than the line.
std::size_t indentation_of(std::string_view line, std::size_t columns) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  constexpr std::size_t kIsIndented = 8, kFurther = 4;
  if (begin >= kIsIndented) return std::min(begin, columns / 2);
  const std::size_t gap = line.find("  ", begin);
  const std::size_t second = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  return second <= columns / 2 ? second : begin + kFurther;
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// "--json": a line does not begin with one that is only spoken of, if it can be helped.
bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' &&
         (word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])));
}

// How much of the line fits; at least one word.
std::size_t fitting(std::string_view line, std::size_t columns) {
  constexpr std::size_t kNone = std::string_view::npos;
  const std::size_t begin = line.find_first_not_of(' ');
  std::size_t width = 0, end = kNone, in_front_of_option = kNone;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == ' ' && at > begin && line[at - 1] != ' ') {
      const std::size_t next = line.find_first_not_of(' ', at);
      if (next == kNone) return width <= columns || end == kNone ? at : end;
      (is_option(line.substr(next)) ? in_front_of_option : end) = at;
    }
    width += begins_character(line[at]) ? 1 : 0;
    if (width <= columns) continue;
    if (end != kNone) return end;
    if (in_front_of_option != kNone) return in_front_of_option;
  }
  return line.size();
}

}  // namespace

std::size_t width_in_environment() {
  const char* const said = std::getenv("COLUMNS");
  return said == nullptr ? 0 : model::number_in<std::size_t>(said).value_or(0);
}

std::size_t columns_of(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return width_in_environment() > 0 ? std::max(width_in_environment(), kFewest) : kUsual;
  return std::max<std::size_t>(size.ws_col, kFewest);
}

std::string fitting_lines(std::string_view line, std::size_t columns) {
  const std::string indent(indentation_of(line, columns), ' ');
  std::size_t taken = line.size() <= columns ? line.size() : fitting(line, columns);
  std::string text = std::string(line.substr(0, taken)) + "\n";
  for (std::size_t next = line.find_first_not_of(' ', taken); next < line.size();
       next = line.find_first_not_of(' ', taken)) {
    line.remove_prefix(next);
    taken = fitting(line, columns - indent.size());
    text += indent + std::string(line.substr(0, taken)) + "\n";
  }
  return text;
}

}  // namespace platter::cli
