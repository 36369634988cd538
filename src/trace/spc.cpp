// The Storage Performance Council's trace files, revision 1.0.1, as UMass's repository has them.
#include <utility>

#include "trace/formats.h"
#include "trace/line_reader.h"
#include "trace/operation.h"

namespace platter::trace {
namespace {

class SpcReader final : public LineReader {
 public:
  SpcReader(Input input, Nanoseconds unit_ns)
      : LineReader(std::move(input), Separator::commas), unit_ns_(unit_ns) {}

  Place place(Part part) const override {
    return place_among({{Part::device, 0}, {Part::lbn, 1}, {Part::blocks, 2}, {Part::operation, 3}},
                       part, 4);
  }

 private:
  bool parse(const Line& line, Record& record) override {
    line.require_at_least(5, "ASU, LBA, size in bytes, R or W, time in s");
    record.request = {.arrival_ns = line.time(4, "the time", unit_ns_),
                      .device = line.integer<std::uint32_t>(0, "the ASU")};
    record.first = sectors_to_bytes(line, 1, line.integer<std::uint64_t>(1, "the LBA"));
    record.count = line.integer<std::uint64_t>(2, "the size");
    const std::string_view code = line[3];
    if (code != "R" && code != "r" && code != "W" && code != "w")
      line.fail(3, fmt::format("\"{}\" is neither R nor W", shown(code)));
    record.request.write = code == "W" || code == "w";
    return true;
  }

  Nanoseconds unit_ns_;
};

class SpcWriter final : public RecordWriter {
 public:
  explicit SpcWriter(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

  void append(std::string& out, const Request& request) override {
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{}.{:09}\n", request.device,
                   first_sector(request, block_bytes_), byte_count(request, block_bytes_),
                   request.write ? 'W' : 'R', request.arrival_ns / kSecond,
                   request.arrival_ns % kSecond);
  }

 private:
  std::uint32_t block_bytes_;
};

}  // namespace

const FormatRow kSpc = {
    .format = Format::spc,
    .name = "spc",
    .reader = [](std::vector<Input> inputs,
                 const Reading& reading) -> std::unique_ptr<RecordReader> {
      return std::make_unique<SpcReader>(std::move(inputs.front()), reading.time_unit_ns);
    },
    .writer = [](std::uint32_t block_bytes) -> std::unique_ptr<RecordWriter> {
      return std::make_unique<SpcWriter>(block_bytes);
    },
    .begins =
        [](const Beginning& beginning) {
          const Line& line = beginning.commas;
          return line.count() >= 5 && is_direction(line[3]);
        },
    .unit_ns = kSecond,
    .writes_csv = true,
};

}  // namespace platter::trace
