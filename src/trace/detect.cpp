#include <algorithm>

#include "trace/formats.h"
#include "trace/skips.h"
#include "trace/suggest.h"

namespace platter::trace {
namespace {

constexpr std::size_t kDetectedFrom = 16 * 1024;  // prose may stand in front

// The first line with something in it that is no remark, nor what a tracer says of lost events; at
// the end of the head where there is none.
std::string_view first_line(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin != line.npos && line[begin] != '#' && !told_loss(line)) return line;
    head.remove_prefix(std::min(line.size() + 1, head.size()));
  }
  return head;
}

// Traces as their recorders keep them, which other programs make text of.
void refuse_recordings(std::string_view head, const std::string& name) {
  struct Recording {
    std::string_view magic;
    const char *what, *command;
  };
  constexpr Recording kRecordings[] = {
      {"PERFILE2", "perf's own recording", "perf script -i {} > trace.txt"},
      {"PERFFILE", "perf's own recording", "perf script -i {} > trace.txt"},
      {"\x17\x08\x44tracing", "trace-cmd's own recording", "trace-cmd report -i {} > trace.txt"},
      {"PAR1", "a table of Parquet",
       "python3 -c \"import pandas, sys; "
       "pandas.read_parquet(sys.argv[1]).to_csv('trace.csv')\" {}"},
  };
  for (const Recording& each : kRecordings) {
    if (!head.starts_with(each.magic)) continue;
    std::string command = each.command;
    command.replace(command.find("{}"), 2, in_shell(name));
    throw BadRecord(name, {1, 0, true},
                    fmt::format("{}, of which text has to be made first: {}", each.what, command));
  }
}

}  // namespace

Beginning::Beginning(Input& input)
    : name(input.name()), head(input.peek(kDetectedFrom)), commas(input), blanks(input) {
  const std::string_view line = first_line(head);
  commas.cut_at(',', line);
  blanks.cut_at_blanks(line);
}

Format detected(Input& input) {
  const Beginning beginning(input);
  const bool binary = beginning.head.find('\0') != std::string_view::npos;
  if (beginning.blanks.empty() && !binary)
    return Format::detect;  // nothing, or remarks: any reader says so
  refuse_recordings(beginning.head, input.name());
  for (const FormatRow* const row : format_rows())
    if (row->begins && row->begins(beginning)) {
      if (binary && !row->binary) continue;
      return row->format;
    }
  if (binary)
    throw BadRecord(input.name(), {1, 1, false},
                    "a binary file, and of no format that is known; traces are text, or what "
                    "blktrace and platter write");
  const char* const first = beginning.blanks[0].data();
  const char* const begin = beginning.head.data();
  const auto number = static_cast<std::uint64_t>(std::count(begin, first, '\n')) + 1;
  throw BadRecord(
      input.name(),
      {number,
       static_cast<std::uint64_t>(first - begin) -
           beginning.head.substr(0, static_cast<std::size_t>(first - begin)).rfind('\n'),
       false},
      fmt::format("\"{}\" begins neither a trace of DiskSim's (a time; R or W) nor another that "
                  "is known; name its format with --format, or its columns with --csv-columns{}",
                  shown(beginning.commas[0]), suggestion(input)));
}

}  // namespace platter::trace
