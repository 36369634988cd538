// What tools that watch block I/O print, a line for each request as it completes, its columns as
// the header names them: biosnoop of the BPF Compiler Collection, of its libbpf tools and of
// bpftrace; iosnoop of perf-tools and of DTrace.
#include <algorithm>
#include <array>
#include <utility>

#include "trace/clock_times.h"
#include "trace/device_names.h"
#include "trace/formats.h"
#include "trace/line_reader.h"
#include "trace/operation.h"

namespace platter::trace {
namespace {

enum class Snooped : std::uint8_t {
  end,
  start,
  operation,
  device,
  sector,
  bytes,
  latency,
  queued,
  pattern,
};
constexpr std::size_t kSnooped = 9;

struct SnoopedColumn {
  std::string_view header;
  Snooped what;
  Nanoseconds unit_ns = 0;
};
constexpr SnoopedColumn kSnoopedColumns[] = {
    {"TIME(s)", Snooped::end, kSecond},
    {"TIME(ms)", Snooped::end, kMillisecond},
    {"TIME(us)", Snooped::end, kMicrosecond},
    {"ENDs", Snooped::end, kSecond},
    {"STARTs", Snooped::start, kSecond},
    {"STIME(us)", Snooped::start, kMicrosecond},
    {"T", Snooped::operation},
    {"TYPE", Snooped::operation},
    {"D", Snooped::operation},
    {"DISK", Snooped::device},
    {"DEV", Snooped::device},
    {"DEVICE", Snooped::device},
    {"SECTOR", Snooped::sector},
    {"BLOCK", Snooped::sector},
    {"BYTES", Snooped::bytes},
    {"SIZE", Snooped::bytes},
    {"LAT(ms)", Snooped::latency, kMillisecond},
    {"LATms", Snooped::latency, kMillisecond},
    {"LAT(us)", Snooped::latency, kMicrosecond},
    {"DELTA(us)", Snooped::latency, kMicrosecond},
    {"QUE(ms)", Snooped::queued, kMillisecond},
    {"P", Snooped::pattern},
};
// Their texts may have blanks, or be empty.
constexpr std::string_view kTexts[] = {"COMM", "PATHNAME", "FILE", "MOUNT"};
constexpr std::string_view kWrittenTime = "STRTIME";  // "2005 Jul 16 00:31:34", four words

// Where a column stands: counted from the left up to the first text, from the right behind the
// last.
struct Standing {
  bool there = false, from_left = false;
  std::size_t at = 0;  // from the right: 1 is the last
  Nanoseconds unit_ns = 0;
};

class SnoopReader final : public LineReader {
 public:
  SnoopReader(Input input, bool queued)
      : LineReader(std::move(input), Separator::blanks), queued_(queued) {}

  bool from_clock() const override { return true; }
  bool has_devices() const override { return true; }
  std::uint32_t disorder() const override { return 4096; }  // completions; arrivals were earlier
  std::string device_text(std::uint32_t device) const override { return names_.text_of(device); }

  Place place(Part part) const override {
    switch (part) {
      case Part::device:
        return line().place(field(line(), Snooped::device));
      case Part::operation:
        return line().place(field(line(), Snooped::operation));
      case Part::lbn:
        return line().place(field(line(), Snooped::sector));
      case Part::blocks:
        return line().place(field(line(), Snooped::bytes));
      case Part::service:
        return line().place(field(line(), Snooped::latency));
      default:
        return line().place(0);
    }
  }

 private:
  bool parse(const Line& line, Record& record) override {
    if (line.count() > Line::kMost)
      line.fail(Line::kMost - 1, "more columns than these tools have");
    if (is_header(line)) return read_header(line);
    if (in_front_or_behind(line)) return false;
    if (columns_ == 0)
      line.fail(std::size_t{0}, "a line before the header, which names the columns");
    line.require_at_least(least_, "as many as the header names");
    const char operation = operation_of(line[field(line, Snooped::operation)]);
    if (operation != 'R' && operation != 'W') {
      skips_.add("operations that neither read nor write",
                 line.place(field(line, Snooped::operation)));
      return false;
    }
    const std::string_view sector = line[field(line, Snooped::sector)];
    record.count = bytes_of(line);
    if (record.count == 0 || sector == "-1") {
      skips_.add("requests of no bytes or no sector", line.place(field(line, Snooped::bytes)));
      return false;
    }
    set_times(line, record.request);
    record.request.write = operation == 'W';
    record.request.device = device_of(line);
    record.first = sectors_to_bytes(
        line, field(line, Snooped::sector),
        line.integer<std::uint64_t>(field(line, Snooped::sector), "the sector"));
    return true;
  }

  static bool is_header(const Line& line) {
    const std::size_t count = std::min<std::size_t>(line.count(), Line::kMost);
    std::size_t known = 0;
    bool text = false;
    for (std::size_t i = 0; i < count; ++i) {
      known += std::ranges::count(kSnoopedColumns, line[i], &SnoopedColumn::header) > 0 ? 1 : 0;
      text = text || std::ranges::find(kTexts, line[i]) != std::end(kTexts);
    }
    return text && known >= 2;
  }

  // "Tracing block I/O... Hit Ctrl-C to end.", "Ending tracing...", what was lost.
  bool in_front_or_behind(const Line& line) {
    const auto count = is_request(line) ? std::nullopt : told_loss(line.whole());
    if (count) {
      skips_.lose(*count, line.place(0));
      skips_.add_form("lines of lost events", line.place(0));
      return true;
    }
    if (line[0] != "Tracing" && line[0] != "Ending" && line[0] != "^C" && line[0] != "Attaching")
      return false;
    skips_.add_form("lines in front and behind", line.place(0));
    return true;
  }

  // A process may be called as a line that tells of losses.
  bool is_request(const Line& line) const {
    if (columns_ == 0 || line.count() < least_) return false;
    const std::string_view sector = line[field(line, Snooped::sector)];
    return sector.find_first_not_of("0123456789") == sector.npos;
  }

  bool read_header(const Line& line) {
    columns_ = line.count();
    least_ = columns_;
    at_ = {};
    std::size_t wide = 0;
    bool texts = false;
    for (std::size_t i = 0; i < columns_; ++i) {
      if (std::ranges::find(kTexts, line[i]) != std::end(kTexts)) {
        texts = true;
        --least_;
        continue;
      }
      if (line[i] == kWrittenTime) wide += 3;
      const auto* const column = std::ranges::find(kSnoopedColumns, line[i],
                                                   &SnoopedColumn::header);
      if (column == std::end(kSnoopedColumns)) continue;
      Standing& standing = at_[static_cast<std::size_t>(column->what)];
      if (standing.there) continue;
      standing = {true, !texts, texts ? columns_ - i : i + wide, column->unit_ns};
    }
    least_ += wide;
    if (has(Snooped::pattern) && !standing(Snooped::pattern).from_left) --least_;
    const std::size_t named = std::exchange(columns_, 0);  // none, where it is refused
    require_columns(line);
    columns_ = named;
    skips_.add_form("headers", line.place(0));
    return false;
  }

  void require_columns(const Line& line) const {
    constexpr std::pair<Snooped, const char*> kNeeded[] = {
        {Snooped::operation, "of reading and writing (T, TYPE, D)"},
        {Snooped::sector, "of sectors (SECTOR, BLOCK)"},
        {Snooped::bytes, "of sizes (BYTES, SIZE)"}};
    for (const auto& [what, name] : kNeeded)
      if (!has(what))
        line.fail(line.end(), fmt::format("the header names no column {}; without it the lines "
                                          "are no requests",
                                          name));
    if (!has(Snooped::start) && !has(Snooped::end))
      line.fail(line.end(), "the header names no column of times; record with iosnoop -s or -t");
    if (!has(Snooped::start) && !has(Snooped::latency))
      line.fail(line.end(),
                "the header names neither when requests began nor how long they took; "
                "record with iosnoop -s or -D");
  }

  bool has(Snooped what) const { return at_[static_cast<std::size_t>(what)].there; }
  const Standing& standing(Snooped what) const { return at_[static_cast<std::size_t>(what)]; }

  std::size_t field(const Line& line, Snooped what) const {
    const Standing& where = standing(what);
    if (!where.there) return 0;
    if (where.from_left) return where.at;
    std::size_t from_end = where.at;
    if (glued(line) && from_end > standing(Snooped::pattern).at) --from_end;
    return from_end <= line.count() ? line.count() - from_end : 0;
  }

  // With biosnoop -P a number of seven digits leaves no blank before the pattern: "1048576S".
  bool glued(const Line& line) const {
    const Standing& pattern = standing(Snooped::pattern);
    return pattern.there && !pattern.from_left && pattern.at <= line.count() &&
           line[line.count() - pattern.at].size() > 1;
  }

  std::uint64_t bytes_of(const Line& line) const {
    const std::size_t at = field(line, Snooped::bytes);
    if (!glued(line)) return line.integer<std::uint64_t>(at, "the number of bytes");
    const std::string_view text = line[at];
    std::uint64_t bytes = 0;
    const char* const end = text.data() + text.size() - 1;
    const auto [rest, error] = std::from_chars(text.data(), end, bytes);
    if (error != std::errc() || rest != end)
      line.fail(at, fmt::format("the number of bytes \"{}\" is no whole number", shown(text)));
    return bytes;
  }

  Nanoseconds length(const Line& line, Snooped what, const char* name) const {
    return line.time(field(line, what), name, standing(what).unit_ns);
  }

  Nanoseconds clock(const Line& line, Snooped what) {
    const std::size_t at = field(line, what);
    const auto time_ns = times_.since_first(line[at], standing(what).unit_ns);
    if (!time_ns)
      line.fail(at, fmt::format("the time \"{}\" is no number near that of the first request",
                                shown(line[at])));
    return *time_ns;
  }

  void set_times(const Line& line, Request& request) {
    request = {};
    Nanoseconds service_ns = 0;
    if (has(Snooped::latency)) {
      service_ns = length(line, Snooped::latency, "the latency");
    } else {
      const Nanoseconds start_ns = clock(line, Snooped::start);
      if (has(Snooped::end)) service_ns = clock(line, Snooped::end) - start_ns;
    }
    request.arrival_ns = has(Snooped::start) ? clock(line, Snooped::start)
                                             : clock(line, Snooped::end) - service_ns;
    if (queued_ && has(Snooped::queued))
      request.arrival_ns -= length(line, Snooped::queued, "the time in the queue");
    if (service_ns > 0) request.service_ns = service_ns;
  }

  // "202,1" is Linux' MAJOR,MINOR.
  std::uint32_t device_of(const Line& line) {
    if (!has(Snooped::device)) return 0;
    const std::size_t at = field(line, Snooped::device);
    if (!DeviceNames::is_plain(line[at]))
      line.fail(at, fmt::format("the disk \"{}\" is no name of at most 64 plain characters",
                                shown(line[at])));
    std::string name(line[at]);
    std::ranges::replace(name, ',', ':');
    return names_.number_of(name);
  }

  bool queued_;
  std::size_t columns_ = 0, least_ = 0;  // 0: no header yet; the fewest words of a line
  std::array<Standing, kSnooped> at_{};
  ClockTimes times_;
  DeviceNames names_;
};

std::unique_ptr<RecordReader> snoop_reader(std::vector<Input> inputs, const Reading& reading) {
  return std::make_unique<SnoopReader>(std::move(inputs.front()), reading.queued);
}

// The header stands first, or behind a line that says how to end it.
bool has_word(const Beginning& beginning, std::initializer_list<std::string_view> words) {
  const std::string_view few = beginning.head.substr(0, 512);
  return std::ranges::any_of(
      words, [&](std::string_view word) { return few.find(word) != std::string_view::npos; });
}

}  // namespace

const FormatRow kBiosnoop = {
    .format = Format::biosnoop,
    .name = "biosnoop",
    .reader = snoop_reader,
    .begins =
        [](const Beginning& beginning) {
          return has_word(beginning, {"TIME(s)", "TIME(ms)"}) &&
                 has_word(beginning, {" COMM", "\tCOMM"});
        },
};

const FormatRow kIosnoop = {
    .format = Format::iosnoop,
    .name = "iosnoop",
    .reader = snoop_reader,
    .begins =
        [](const Beginning& beginning) {
          return has_word(beginning, {" COMM", "COMM "}) && has_word(beginning, {" BLOCK"});
        },
};

}  // namespace platter::trace
