// What biosnoop of the BPF Compiler Collection prints (biosnoop(8)): a line for each request as it
// completes, its columns as the header names them.
#include <utility>

#include "trace/clock_times.h"
#include "trace/device_names.h"
#include "trace/formats.h"
#include "trace/line_reader.h"

namespace platter::trace {
namespace {

class BiosnoopReader final : public LineReader {
 public:
  BiosnoopReader(Input input, bool queued)
      : LineReader(std::move(input), Separator::blanks), queued_(queued) {}

  bool from_clock() const override { return true; }
  std::uint32_t disorder() const override { return 4096; }  // completions; arrivals were earlier
  std::string device_text(std::uint32_t device) const override { return names_.text_of(device); }

  Place place(Part part) const override {
    switch (part) {
      case Part::device:
        return line().place(field(line(), disk_));
      case Part::operation:
        return line().place(field(line(), type_));
      case Part::lbn:
        return line().place(field(line(), sector_));
      case Part::blocks:
        return line().place(field(line(), bytes_));
      case Part::service:
        return line().place(field(line(), latency_));
      default:
        return line().place(0);
    }
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  bool parse(const Line& line, Record& record) override {
    if (line.count() > Line::kMost) line.fail(Line::kMost - 1, "more columns than biosnoop prints");
    if (line[0].starts_with("TIME(s)")) return read_header(line);
    if (columns_ == 0) {
      if (line[0] == "Tracing") return false;
      line.fail(std::size_t{0},
                "a line before the header, which begins with TIME(s) and names the columns");
    }
    // The command's name may have blanks, or be empty: the columns behind it count from the end.
    line.require_at_least(columns_ - 1 - (pattern_ != kNone ? 1 : 0),
                          "as many as the header names");
    const std::string_view type = line[field(line, type_)];
    if (type != "R" && type != "W") {
      skips_.add("operations that neither read nor write");
      return false;
    }
    const std::string_view sector = line[field(line, sector_)];
    const std::uint64_t bytes = bytes_of(line);
    if (bytes == 0 || sector == "-1") {
      skips_.add("requests of no bytes or no sector");
      return false;
    }
    const std::optional<Nanoseconds> end_ns = times_.since_first(line[0], kSecond);
    if (!end_ns)
      line.fail(std::size_t{0},
                fmt::format("the time \"{}\" is no number of seconds", shown(line[0])));
    const Nanoseconds latency_ns = line.time(field(line, latency_), "the latency", kMillisecond);
    Nanoseconds arrival_ns = *end_ns - latency_ns;
    if (queued_ && queue_ != kNone)
      arrival_ns -= line.time(field(line, queue_), "the time in the queue", kMillisecond);
    const std::string_view disk = line[field(line, disk_)];
    if (!DeviceNames::is_plain(disk))
      line.fail(
          field(line, disk_),
          fmt::format("the disk \"{}\" is no name of at most 64 plain characters", shown(disk)));
    record.request = {
        .arrival_ns = arrival_ns, .device = names_.number_of(disk), .write = type == "W"};
    if (latency_ns > 0) record.request.service_ns = latency_ns;
    record.first = sectors_to_bytes(
        line, field(line, sector_),
        line.integer<std::uint64_t>(field(line, sector_), "the sector"));
    record.count = bytes;
    return true;
  }

  bool read_header(const Line& line) {
    columns_ = line.count();
    disk_ = named(line, "DISK");
    type_ = named(line, "T");
    sector_ = named(line, "SECTOR");
    bytes_ = named(line, "BYTES");
    latency_ = named(line, "LAT(ms)");
    queue_ = named(line, "QUE(ms)");
    pattern_ = named(line, "P");
    for (const auto& [at, name] :
         {std::pair{disk_, "DISK"}, std::pair{type_, "T"}, std::pair{sector_, "SECTOR"},
          std::pair{bytes_, "BYTES"}, std::pair{latency_, "LAT(ms)"}})
      if (at == kNone)
        line.fail(line.end(), fmt::format("the header names no column {}; without it the lines "
                                          "are no requests",
                                          name));
    return false;
  }

  // How many columns from the end; kNone: there is none of this name.
  static std::size_t named(const Line& line, std::string_view name) {
    for (std::size_t i = 0; i < line.count(); ++i)
      if (line[i] == name) return line.count() - i;
    return kNone;
  }

  // With -P a number of seven digits leaves no blank before the pattern: "1048576S".
  bool glued(const Line& line) const {
    return pattern_ <= line.count() && line[line.count() - pattern_].size() > 1;
  }

  std::size_t field(const Line& line, std::size_t from_end) const {
    if (from_end > pattern_ && glued(line)) --from_end;
    return from_end <= line.count() ? line.count() - from_end : 0;
  }

  std::uint64_t bytes_of(const Line& line) const {
    const std::size_t at = field(line, bytes_);
    if (!glued(line)) return line.integer<std::uint64_t>(at, "the number of bytes");
    const std::string_view text = line[at];
    std::uint64_t bytes = 0;
    const char* const end = text.data() + text.size() - 1;
    const auto [rest, error] = std::from_chars(text.data(), end, bytes);
    if (error != std::errc() || rest != end)
      line.fail(at, fmt::format("the number of bytes \"{}\" is no whole number", shown(text)));
    return bytes;
  }

  bool queued_;
  std::size_t columns_ = 0, disk_ = kNone, type_ = kNone, sector_ = kNone, bytes_ = kNone,
              latency_ = kNone, queue_ = kNone, pattern_ = kNone;
  ClockTimes times_;
  DeviceNames names_;
};

}  // namespace

std::unique_ptr<RecordReader> biosnoop_reader(Input input, bool queued) {
  return std::make_unique<BiosnoopReader>(std::move(input), queued);
}

}  // namespace platter::trace
