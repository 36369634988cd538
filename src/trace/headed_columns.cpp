// Tables whose header names their columns, in the words of one program: Windows Performance
// Analyzer's disk I/O as wpaexporter writes it, and NetApp's traces as hfplayer (Haghdoost et al.,
// FAST 2017) takes them.
#include <algorithm>
#include <optional>
#include <utility>

#include "trace/columns.h"
#include "trace/formats.h"
#include "trace/made_here.h"

namespace platter::trace {
namespace {

// A column by the words in its header, up to its unit.
struct Named {
  std::string_view header, column;
  bool needed = true;
};

// A header and what lies in front of it.
struct Header {
  std::uint64_t line = 0;  // from 1
  char separator = ',';
};

constexpr std::size_t kEnoughOfTable = 16 * 1024;

// Where a line of the head has this field.
std::optional<Header> header_in(std::string_view head, Line& line, std::string_view field) {
  Header header;
  while (!head.empty()) {
    const std::string_view text = head.substr(0, head.find('\n'));
    ++header.line;
    for (const char separator : {',', ';', '\t'}) {
      header.separator = separator;
      line.cut_quoted(separator, text);
      for (std::size_t i = 0; i < std::min<std::size_t>(line.count(), Line::kMost); ++i) {
        const bool marked = i == 0 && line[i].starts_with('#');
        if (line[i].substr(marked ? 1 : 0) == field && line.count() > 4) return header;
      }
    }
    head.remove_prefix(std::min(text.size() + 1, head.size()));
  }
  return std::nullopt;
}

bool has_header(const Beginning& beginning, std::string_view field) {
  if (beginning.head.find(field) == std::string_view::npos) return false;
  Line line = beginning.commas;
  return header_in(beginning.head, line, field).has_value();
}

// "(s)", "(\xb5s)" in Latin-1 or UTF-8, "(B)": the unit as --csv-columns has it.
std::string unit_in_parentheses(std::string_view header) {
  const std::size_t open = header.rfind('('), close = header.rfind(')');
  if (open == header.npos || close == header.npos || close < open) return {};
  const std::string_view unit = header.substr(open + 1, close - open - 1);
  if (unit == "s" || unit == "ms" || unit == "ns") return ":" + std::string(unit);
  if (unit.size() > 1 && unit.ends_with('s')) return ":us";
  if (unit == "B") return ":bytes";
  if (unit == "KB") return ":kb";
  return {};
}

// The columns of a header, as --csv-columns would name them; `cut`: from which characters on a
// header's words do not count.
std::string columns_text(const Line& header, std::span<const Named> names, std::string_view cut) {
  std::string text;
  std::vector<bool> seen(names.size(), false);
  for (std::size_t i = 0; i < std::min<std::size_t>(header.count(), Line::kMost); ++i) {
    std::string_view field = header[i];
    if (field.starts_with('#')) field.remove_prefix(1);
    std::string_view words = field.substr(0, field.find_first_of(cut));
    while (words.ends_with(' ')) words.remove_suffix(1);
    text += i > 0 ? "," : "";
    const auto named = std::ranges::find(names, words, &Named::header);
    const auto at = static_cast<std::size_t>(named - names.begin());
    if (named == names.end() || seen[at]) {
      text += '-';
      continue;
    }
    seen[at] = true;
    text += named->column;
    if (named->column.find(':') == std::string_view::npos) text += unit_in_parentheses(field);
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].needed && !seen[i])
      header.fail(header.end(), fmt::format("the header names no column {}; without it the lines "
                                            "are no requests",
                                            names[i].header));
  return text;
}

// The sign of decimals in a time of the first line below the header.
char decimal_in(std::string_view head, Line& line, const Header& header, const Columns& columns) {
  for (std::uint64_t i = 0; i < header.line; ++i)
    head.remove_prefix(std::min(head.find('\n'), head.size() - 1) + 1);
  line.cut_quoted(header.separator, head.substr(0, head.find('\n')));
  const auto time = std::ranges::find(columns.list, Column::Role::time, &Column::role);
  const auto at = static_cast<std::size_t>(time - columns.list.begin());
  if (at >= line.count()) return '.';
  const std::size_t sign = line[at].find_last_of(".,");
  return sign == std::string_view::npos ? '.' : line[at][sign];
}

constexpr std::string_view kWpaFirst = "IO Type", kWpaUnits = "(-";
constexpr Named kWpaNames[] = {
    {"IO Type", "op"}, {"Init Time", "time"},          {"IO Time", "response", false},
    {"Size", "size"},  {"Min Offset", "offset:bytes"}, {"Disk", "device", false},
};

std::unique_ptr<RecordReader> wpa_reader(std::vector<Input> inputs, const Reading&) {
  Input& input = inputs.front();
  Line line(input);
  const std::string_view head = input.peek(kEnoughOfTable);
  const std::optional<Header> header = header_in(head, line, kWpaFirst);
  if (!header)
    throw BadRecord(input.name(), {1, 1, false},
                    "no header of wpaexporter, which names a column \"IO Type\", is near the "
                    "beginning");
  Columns columns = columns_of(columns_text(line, kWpaNames, kWpaUnits));
  columns.separator = header->separator;
  columns.from = header->line + 1;
  columns.style = {.decimal = decimal_in(head, line, *header, columns), .thousands = true};
  return columns_reader(std::move(input), columns);
}

constexpr std::string_view kHfplayerFirst = "ELAPSED_USECS.D", kHfplayerTypes = ".";
constexpr Named kHfplayerNames[] = {
    {"ELAPSED_USECS", "time:us"},  {"CMD", "op"},
    {"LUN_SSID", "device", false}, {"LBA", "offset:sectors"},
    {"NBLKS", "size:sectors"},     {"LATENCY_USECS", "response:us", false},
};
// Replies are lines of their own in some.
constexpr const char* kHfplayerWords = ",RD=R,RD_IN=R,WR=W,WR_IN=W,RD_OUT=-,WR_OUT=-";

std::unique_ptr<RecordReader> hfplayer_reader(std::vector<Input> inputs, const Reading&) {
  Input& input = inputs.front();
  Line line(input);
  const std::optional<Header> header = header_in(input.peek(kEnoughOfTable), line, kHfplayerFirst);
  if (!header)
    throw BadRecord(input.name(), {1, 1, false},
                    "no header of hfplayer's, which names a column ELAPSED_USECS.D, is near the "
                    "beginning");
  Columns columns = columns_of(columns_text(line, kHfplayerNames, kHfplayerTypes) + kHfplayerWords);
  columns.separator = ',';
  columns.from = header->line + 1;
  return columns_reader(std::move(input), columns);
}

class HfplayerWriter final : public RecordWriter {
 public:
  explicit HfplayerWriter(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

  void begin(std::string& out) override {
    out +=
        "#DUMP_OFFSET.I,ELAPSED_USECS.D,ELAPSED_TICKS.I,CMD.S,INFLIGHT_IOS.I,TS.I,SEQID.I,"
        "LUN_SSID.I,OP.I,PHASE.I,LBA.I,NBLKS.I,LATENCY_TICKS.I,HOST_ID.I,HOST_LUN.I,"
        "LATENCY_USECS.D\n";
    out += kRemarkOfPlatter;
  }

  // Ticks are nanoseconds; hfplayer goes by the microseconds.
  void append(std::string& out, const Request& request) override {
    const Nanoseconds service_ns = request.service_ns.value_or(0);
    fmt::format_to(
        std::back_inserter(out), "{},{}.{:03},{},{},0,{},{},{},{},0,{},{},{},0,{},{}.{:03}\n",
        28 * number_, request.arrival_ns / kMicrosecond, request.arrival_ns % kMicrosecond,
        request.arrival_ns, request.write ? "WR_IN" : "RD_IN", request.arrival_ns, number_ + 1,
        request.device, request.write ? 1 : 0, first_sector(request, block_bytes_),
        byte_count(request, block_bytes_) / 512, service_ns, request.device,
        service_ns / kMicrosecond, service_ns % kMicrosecond);
    ++number_;
  }

 private:
  std::uint32_t block_bytes_;
  std::uint64_t number_ = 0;
};

}  // namespace

const FormatRow kWpa = {
    .format = Format::wpa,
    .name = "wpa",
    .reader = wpa_reader,
    .begins = [](const Beginning& beginning) { return has_header(beginning, kWpaFirst); },
};

const FormatRow kHfplayer = {
    .format = Format::hfplayer,
    .name = "hfplayer",
    .reader = hfplayer_reader,
    .writer = [](std::uint32_t block_bytes) -> std::unique_ptr<RecordWriter> {
      return std::make_unique<HfplayerWriter>(block_bytes);
    },
    .begins = [](const Beginning& beginning) { return has_header(beginning, kHfplayerFirst); },
    .names_platter = true,
    .writes_csv = true,
};

}  // namespace platter::trace
