#include <algorithm>

#include "trace/formats.h"
#include "trace/line.h"
#include "trace/vscsi.h"

namespace platter::trace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_direction(std::string_view text) {
  return text.size() == 1 && std::string_view("RrWw").find(text) != std::string_view::npos;
}

bool is_number(std::string_view text) {
  return !text.empty() && is_digit(text.front()) &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

// One of the published collections without a header, by the place of the operation among numbers.
Format of_collections(const Line& line) {
  const auto numbers_but = [&](std::size_t operation) {
    if (!is_direction(line[operation])) return false;
    for (std::size_t i = 0; i < line.count(); ++i)
      if (i != operation && !is_number(line[i])) return false;
    return true;
  };
  if (line.count() == 6 && numbers_but(2)) return Format::systor17;
  if (line.count() == 5 && numbers_but(1)) return Format::alibaba;
  if (line.count() == 5 && numbers_but(2)) return Format::k5;
  if (line.count() == 4 && numbers_but(2)) return Format::cloudphysics;
  return Format::detect;
}

// A format whose lines are fields between commas, from its first line; detect: none of them.
Format of_commas(const Line& line) {
  if (line[0] == "Timestamp" && line.count() > 1) {
    if (line[1] == "Hostname") return Format::msr;
    if (line[1] == "Response") return Format::systor17;
    if (line[1] == "Offset") return Format::tencent;
  }
  if (line[0].starts_with("Event Name") || line[0].starts_with("DiskIo")) return Format::etw;
  if (line.count() == 7 && (line[3] == "Read" || line[3] == "Write")) return Format::msr;
  if (line.count() >= 5 && line[3].size() == 1 &&
      std::string_view("RrWw").find(line[3]) != std::string_view::npos)
    return Format::spc;
  return of_collections(line);
}

// One whose fields have blanks between them.
Format of_blanks(const Line& line) {
  if (line[0] == "R" || line[0] == "W") return Format::validate;
  const std::size_t comma = line[0].find(',');
  if (is_digit(line[0].front()) && comma != std::string_view::npos && line.count() >= 6)
    return Format::blkparse;
  if (line[0] == "TIME(s)" || line[0] == "Tracing") return Format::biosnoop;
  if (line.count() == 9 && is_direction(line[5]) && is_number(line[0])) return Format::fiu;
  const bool number = is_digit(line[0].front()) || line[0].front() == '.';
  return number && comma == std::string_view::npos ? Format::ascii : Format::detect;
}

}  // namespace

Format detected(Input& input) {
  constexpr std::size_t kEnough = 4096;
  constexpr std::string_view kLittle = "\7tae", kBig = "eat\7";
  const std::string_view head = input.peek(kEnough);
  if (head.starts_with(kLittle) || head.starts_with(kBig)) return Format::blktrace;
  if (head.starts_with("$$TR_IOREC")) return Format::hpl;
  if (head.starts_with("fio version 2 iolog")) return Format::iolog2;
  if (head.starts_with("fio version 3 iolog")) return Format::iolog3;
  const std::size_t begin = std::min(head.find_first_not_of(" \t\r\n"), head.size());
  if (begin == head.size()) return Format::detect;  // nothing: any reader says so
  if (is_vscsi(input.peek(kVscsiHead))) return Format::vscsi;
  if (head.find('\0') != std::string_view::npos)
    throw BadRecord(input.name(), {1, 1, false},
                    "a binary file, and of no format that is known; traces are text, or what "
                    "blktrace and platter write");
  if (head.starts_with("# tracer:") || head.find(" block_rq_") != std::string_view::npos ||
      head.find("block:block_rq_") != std::string_view::npos)
    return Format::ftrace;
  const std::size_t line_begin = head.substr(0, begin).rfind('\n') + 1;  // npos + 1: 0
  const std::string_view text = head.substr(line_begin, head.find('\n', begin) - line_begin);
  Line line(input);
  line.cut_at(',', text);
  Format format = of_commas(line);
  if (format != Format::detect) return format;
  line.cut_at_blanks(text);
  format = of_blanks(line);
  if (format != Format::detect) return format;
  const auto number =
      static_cast<std::uint64_t>(std::count(head.begin(), head.begin() + line_begin, '\n')) + 1;
  throw BadRecord(
      input.name(), {number, begin - line_begin + 1, false},
      fmt::format("\"{}\" begins neither a trace of DiskSim's (a time; R or W) nor another that "
                  "is known; name its format with --format, or its columns with --csv-columns",
                  shown(line[0])));
}

}  // namespace platter::trace
