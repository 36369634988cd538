// fio's logs of single I/Os with their offsets (fio(1), "LOG FILE FORMATS", with log_offset): what
// each took, or how fast it was.
#include <algorithm>
#include <utility>

#include "trace/formats.h"
#include "trace/line_reader.h"

namespace platter::trace {
namespace {

// time, value, direction, size[, offset[, priority]]
enum : std::size_t {
  kFioTime,  // ms, of the completion
  kFioValue,
  kFioDirection,  // 0: read, 1: write, 2: trim
  kFioSize,
  kFioOffset
};

enum class FioValue : std::uint8_t {
  latency,    // ns
  bandwidth,  // bytes a millisecond, as fio 3.33 writes it of a single I/O
};

template <FioValue kValue>
class FioLogReader final : public LineReader {
 public:
  explicit FioLogReader(Input input) : LineReader(std::move(input), Separator::commas) {}

  bool from_clock() const override { return true; }
  bool has_devices() const override { return false; }
  std::uint32_t disorder() const override { return 4096; }  // completions; arrivals were earlier

  Place place(Part part) const override {
    return place_among({{Part::time, kFioTime},
                        {Part::service, kFioValue},
                        {Part::blocks, kFioSize},
                        {Part::lbn, kFioOffset}},
                       part, kFioDirection);
  }

 private:
  bool parse(const Line& line, Record& record) override {
    line.require_at_least(kFioSize + 1, "time in ms, value, direction, size, offset");
    if (line.count() <= kFioOffset)
      line.fail(line.end(), "the line has no offset; fio logs it with log_offset=1");
    const auto direction = line.integer<unsigned>(kFioDirection, "the direction");
    if (direction > 1) {
      skips_.add(direction == 2 ? "trims" : "syncs", line.place(kFioDirection));
      return false;
    }
    const Nanoseconds end_ns = line.time(kFioTime, "the time", kMillisecond);
    record.first = line.integer<std::uint64_t>(kFioOffset, "the offset");
    record.count = line.integer<std::uint64_t>(kFioSize, "the size");
    if (record.count == 0) {
      skips_.add("requests of no bytes", line.place(kFioSize));
      return false;
    }
    const Nanoseconds service_ns = service(line, record.count);
    record.request = {.arrival_ns = end_ns - service_ns, .write = direction == 1};
    if (service_ns > 0) record.request.service_ns = service_ns;
    return true;
  }

  static Nanoseconds service(const Line& line, std::uint64_t bytes) {
    if (kValue == FioValue::latency) return line.time(kFioValue, "the latency", 1);
    const auto rate = line.integer<std::uint64_t>(kFioValue, "the bandwidth");
    if (rate == 0) return 0;
    const auto service_ns = static_cast<double>(bytes) * 1e6 / static_cast<double>(rate);
    return static_cast<Nanoseconds>(std::min<double>(service_ns, kLongestTime_ns));
  }
};

bool is_fio_log(const Line& line) {
  if (line.count() < 4 || line.count() > 9) return false;
  for (std::size_t i = 0; i <= std::min<std::size_t>(line.count() - 1, kFioOffset); ++i)
    if (line[i].empty() || line[i].find_first_not_of("0123456789") != std::string_view::npos)
      return false;
  return line.whole().find(", ") != std::string_view::npos && line[kFioDirection].size() == 1 &&
         line[kFioDirection].front() <= '2';
}

// fio names them NAME_lat.JOB.log, NAME_clat.JOB.log, NAME_bw.JOB.log, and so do people.
bool is_called(const std::string& path, std::string_view what) {
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  return name.find(what) != std::string_view::npos &&
         name.find("slat") == std::string_view::npos;  // submissions alone
}

template <FioValue kValue>
std::unique_ptr<RecordReader> fio_reader(std::vector<Input> inputs, const Reading&) {
  return std::make_unique<FioLogReader<kValue>>(std::move(inputs.front()));
}

}  // namespace

const FormatRow kFioLatency = {
    .format = Format::fiolat,
    .name = "fiolat",
    .reader = fio_reader<FioValue::latency>,
    .begins =
        [](const Beginning& beginning) {
          return is_fio_log(beginning.commas) && is_called(beginning.name, "lat");
        },
    .each_measured = true,
};

const FormatRow kFioBandwidth = {
    .format = Format::fiobw,
    .name = "fiobw",
    .reader = fio_reader<FioValue::bandwidth>,
    .begins =
        [](const Beginning& beginning) {
          return is_fio_log(beginning.commas) && is_called(beginning.name, "bw");
        },
    .each_measured = true,
};

}  // namespace platter::trace
