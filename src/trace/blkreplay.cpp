// blkreplay's loads (Schoebel-Theuer): prose, then a header, then a request a line between
// semicolons. What a replay of blkreplay's measured stands in the last column.
#include <optional>

#include "trace/columns.h"
#include "trace/formats.h"

namespace platter::trace {
namespace {

// The line of "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0" that requests
// follow, from 1: a load that was made of another one has its prose and its header, too.
std::optional<std::uint64_t> blkreplay_header(std::string_view head, Line line) {
  std::optional<std::uint64_t> header;
  for (std::uint64_t number = 1; !head.empty(); ++number) {
    const std::string_view text = head.substr(0, head.find('\n'));
    line.cut_at(';', text);
    if (line.count() >= 4 && line[0] == "start" && line[1] == "sector" && line[2] == "length" &&
        line[3] == "op")
      header = number;
    else if (header && line.count() >= 4)
      return header;
    head.remove_prefix(std::min(text.size() + 1, head.size()));
  }
  return header;
}

std::unique_ptr<RecordReader> blkreplay_reader(std::vector<Input> inputs, const Reading&) {
  constexpr std::size_t kProse = 16 * 1024;
  Input& input = inputs.front();
  const auto header = blkreplay_header(input.peek(kProse), Line(input));
  if (!header)
    throw BadRecord(input.name(), {1, 1, false},
                    "no header of blkreplay's, \"start ; sector; length ; op\", is near the "
                    "beginning");
  Columns columns = columns_of("time:s,offset:sectors,size:sectors,op,-,response:s");
  columns.separator = ';';
  columns.from = *header + 1;
  return columns_reader(std::move(input), columns);
}

}  // namespace

const FormatRow kBlkreplay = {
    .format = Format::blkreplay,
    .name = "blkreplay",
    .reader = blkreplay_reader,
    .begins =
        [](const Beginning& beginning) {
          return beginning.head.find(';') != std::string_view::npos &&
                 blkreplay_header(beginning.head, beginning.commas).has_value();
        },
};

}  // namespace platter::trace
