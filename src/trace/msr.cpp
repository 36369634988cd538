// The block traces of Microsoft Research Cambridge (Narayanan, Donnelly & Rowstron 2008).
#include <optional>
#include <utility>

#include "trace/formats.h"
#include "trace/line.h"
#include "trace/line_reader.h"
#include "trace/operation.h"

namespace platter::trace {
namespace {

// Windows' file times: 100 ns each, since the year 1601.
constexpr Nanoseconds kFileTimeUnit_ns = 100;
constexpr std::uint64_t kFileTimeOf1970 = 116'444'736'000'000'000;

// Times since the first one that was read, which may be before it.
class FileTimes {
 public:
  Nanoseconds since_first(const Line& line, std::size_t field, const char* what) {
    const std::string_view text = line[field];
    if (text.find_first_of(".eE") != text.npos)
      line.fail(field, fmt::format("{} {} is rounded; take the file as it was before a spreadsheet "
                                   "saved it",
                                   what, shown(text)));
    const auto time = line.integer<std::uint64_t>(field, what);
    const std::optional<Nanoseconds> since_ns = since_first(time);
    if (!since_ns)
      line.fail(field,
                fmt::format("{} {} is years from that of the first record", what, shown(text)));
    return *since_ns;
  }

  // Nothing of a time that is years from the first.
  std::optional<Nanoseconds> since_first(std::uint64_t time) {
    if (first_ == 0) first_ = time;
    const std::uint64_t apart = time > first_ ? time - first_ : first_ - time;
    if (apart > static_cast<std::uint64_t>(kLongestTime_ns) / kFileTimeUnit_ns) return std::nullopt;
    const Nanoseconds apart_ns = static_cast<Nanoseconds>(apart) * kFileTimeUnit_ns;
    return time > first_ ? apart_ns : -apart_ns;
  }

 private:
  std::uint64_t first_ = 0;
};

class MsrReader final : public LineReader {
 public:
  explicit MsrReader(Input input) : LineReader(std::move(input), Separator::commas) {}

  bool from_clock() const override { return true; }

  Place place(Part part) const override {
    return place_among({{Part::time, 0},
                        {Part::device, 2},
                        {Part::operation, 3},
                        {Part::lbn, 4},
                        {Part::blocks, 5}},
                       part, 6);
  }

 private:
  std::size_t scan(Scan line, Record& record) override {
    std::uint64_t time = 0;
    std::uint32_t device = 0;
    Nanoseconds service_ns = 0;
    if (host_.empty() || !line.number(time) || !line.take(',') || !line.take(host_) ||
        !line.take(',') || !line.number(device) || !line.take(','))
      return 0;
    const bool write = line.take("Write,");
    if ((!write && !line.take("Read,")) || !line.number(record.first) || !line.take(',') ||
        !line.number(record.count) || !line.take(',') || !line.time(service_ns, kFileTimeUnit_ns) ||
        !line.take_end())
      return 0;
    const std::optional<Nanoseconds> arrival_ns = times_.since_first(time);
    if (!arrival_ns) return 0;
    record.request.arrival_ns = *arrival_ns;  // nothing else is ever set
    record.request.device = device;
    record.request.write = write;
    record.request.service_ns = service_ns > 0 ? std::optional(service_ns) : std::nullopt;
    return line.taken();
  }

  bool parse(const Line& line, Record& record) override {
    if (line[0] == "Timestamp") {
      skips_.add_form("headers", line.place(0));
      return false;
    }
    line.require_fields(7, "timestamp, host, disk, Read or Write, offset, size, response time");
    if (host_.empty()) host_ = line[1];
    if (line[1] != host_)
      line.fail(1, fmt::format("the host is {} and was {}: one trace is of one host",
                               shown(line[1]), shown(host_)));
    const char operation = operation_of(line[3]);
    if (operation != 'R' && operation != 'W')
      line.fail(3, fmt::format("\"{}\" is neither Read nor Write", shown(line[3])));
    record.request = {.arrival_ns = times_.since_first(line, 0, "the timestamp"),
                      .device = line.integer<std::uint32_t>(2, "the disk number"),
                      .write = operation == 'W'};
    record.first = line.integer<std::uint64_t>(4, "the offset");
    record.count = line.integer<std::uint64_t>(5, "the size");
    const Nanoseconds service_ns = line.time(6, "the response time", kFileTimeUnit_ns);
    if (service_ns > 0) record.request.service_ns = service_ns;
    return true;
  }

  FileTimes times_;
  std::string host_;
};

class MsrWriter final : public RecordWriter {
 public:
  explicit MsrWriter(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

  void append(std::string& out, const Request& request) override {
    fmt::format_to(
        std::back_inserter(out), "{},platter,{},{},{},{},{}\n",
        kFileTimeOf1970 + static_cast<std::uint64_t>(request.arrival_ns / kFileTimeUnit_ns),
        request.device, request.write ? "Write" : "Read", first_byte(request, block_bytes_),
        byte_count(request, block_bytes_), request.service_ns.value_or(0) / kFileTimeUnit_ns);
  }

 private:
  std::uint32_t block_bytes_;
};

}  // namespace

const FormatRow kMsr = {
    .format = Format::msr,
    .name = "msr",
    .reader = [](std::vector<Input> inputs, const Reading&) -> std::unique_ptr<RecordReader> {
      return std::make_unique<MsrReader>(std::move(inputs.front()));
    },
    .writer = [](std::uint32_t block_bytes) -> std::unique_ptr<RecordWriter> {
      return std::make_unique<MsrWriter>(block_bytes);
    },
    .begins =
        [](const Beginning& beginning) {
          const Line& line = beginning.commas;
          if (line.count() > 1 && line[0] == "Timestamp" && line[1] == "Hostname") return true;
          if (line.count() != 7 || line[3].size() < 2) return false;
          const char operation = operation_of(line[3]);
          return operation == 'R' || operation == 'W';
        },
    .each_measured = true,
    .names_platter = true,
    .writes_csv = true,
};

}  // namespace platter::trace
