// A format that nobody has: "own 12.5ms W 2048+16", behind a line "own format".
#include "trace/formats.h"
#include "trace/line_reader.h"
#include "trace/operation.h"

namespace platter::trace {
namespace {

constexpr std::string_view kFirst = "own format";

class OwnReader final : public LineReader {
 public:
  explicit OwnReader(Input input) : LineReader(std::move(input), Separator::blanks) {}
  bool has_devices() const override { return false; }
  Place place(Part) const override { return line().place(0); }

 private:
  bool parse(const Line& line, Record& record) override {
    if (line.whole() == kFirst) {
      skips_.add_form("headers", line.place(0));
      return false;
    }
    line.require_at_least(5, "own, time, operation, sector, sectors");
    const char operation = operation_of(line[2]);
    if (operation != 'R' && operation != 'W') {
      skips_.add("operations that neither read nor write", line.place(2));
      return false;
    }
    record.request = {.arrival_ns = line.time(1, "the time", kMillisecond),
                      .write = operation == 'W'};
    record.first = sectors_to_bytes(line, 3, line.integer<std::uint64_t>(3, "the sector"));
    record.count = std::uint64_t{line.integer<std::uint32_t>(4, "the sectors")} * kSector;
    return true;
  }
};

class OwnWriter final : public RecordWriter {
 public:
  explicit OwnWriter(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}
  void begin(std::string& out) override { out += std::string(kFirst) + "\n"; }
  void append(std::string& out, const Request& request) override {
    out += fmt::format("own {}.{:06} {} {} {}\n", request.arrival_ns / kMillisecond,
                       request.arrival_ns % kMillisecond, request.write ? 'W' : 'R',
                       first_sector(request, block_bytes_),
                       byte_count(request, block_bytes_) / kSector);
  }

 private:
  std::uint32_t block_bytes_;
};

}  // namespace

const FormatRow kOwn = {
    .format = Format::own,
    .name = "own",
    .reader = [](std::vector<Input> inputs, const Reading&) -> std::unique_ptr<RecordReader> {
      return std::make_unique<OwnReader>(std::move(inputs.front()));
    },
    .writer = [](std::uint32_t block_bytes) -> std::unique_ptr<RecordWriter> {
      return std::make_unique<OwnWriter>(block_bytes);
    },
    .begins = [](const Beginning& beginning) { return beginning.head.starts_with(kFirst); },
};

}  // namespace platter::trace
