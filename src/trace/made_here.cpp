#include "trace/made_here.h"

#include <algorithm>

#include "model/file.h"
#include "trace/compression.h"
#include "trace/formats.h"

namespace platter::trace {
namespace {

constexpr std::string_view kMark = " \t \t ";

bool names_platter(Format format) {
  const FormatRow* const row = row_of(format);
  return row && row->names_platter;
}

}  // namespace

void mark_first_line(std::string& text, Format format) {
  const std::size_t end = text.find('\n');
  if (end != std::string::npos && !names_platter(format)) text.insert(end, kMark);
}

bool is_marked(std::string_view first_line) { return first_line.ends_with(kMark); }

bool is_made_here(const std::string& path) {
  constexpr std::size_t kOfFile = 65536, kEnough = 512;
  const std::string beginning = expanded_beginning(model::beginning_of(path, kOfFile), kEnough);
  if (beginning.starts_with("$$TR_IOREC"))
    return beginning.find("\nsystem       = \"platter\";\n") != std::string_view::npos;
  if (has_blktrace_process(beginning)) return true;
  const std::string_view line = std::string_view(beginning).substr(0, beginning.find('\n'));
  const std::string_view second =
      std::string_view(beginning).substr(std::min(line.size() + 1, beginning.size()));
  return is_marked(line) || second.starts_with(kRemarkOfPlatter) || line.ends_with(" [platter]") ||
         line.find(",platter,") != std::string_view::npos;
}

}  // namespace platter::trace
