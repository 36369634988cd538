// DiskSim's two text formats, `ascii` and `validate`.
#include <algorithm>
#include <utility>

#include "trace/formats.h"
#include "trace/line_reader.h"
#include "trace/scan.h"

namespace platter::trace {
namespace {

// Every flag that DiskSim defines for a request; bit 0 is "read".
constexpr std::uint32_t kReadFlag = 0x1;
constexpr std::uint32_t kKnownFlags = 0xE00001C7;

class AsciiReader final : public LineReader {
 public:
  AsciiReader(Input input, Nanoseconds unit_ns)
      : LineReader(std::move(input), Separator::blanks), unit_ns_(unit_ns) {}

  bool in_bytes() const override { return false; }

  Place place(Part part) const override {
    return place_among({{Part::time, 0}, {Part::device, 1}, {Part::lbn, 2}, {Part::blocks, 3}},
                       part, 4);
  }

 private:
  std::size_t scan(Scan line, Record& record) override {
    Nanoseconds arrival_ns = 0;
    std::uint32_t device = 0, blocks = 0, flags = 0;
    if (!line.time(arrival_ns, unit_ns_) || !line.take(' ') || !line.number(device) ||
        !line.take(' ') || !line.number(record.first) || !line.take(' ') || !line.number(blocks) ||
        !line.take(' ') || !line.number(flags) || !line.take_end() || flags > kReadFlag)
      return 0;
    record.request.arrival_ns = arrival_ns;  // nothing else is ever set
    record.request.device = device;
    record.request.write = !(flags & kReadFlag);
    record.count = blocks;
    return line.taken();
  }

  bool parse(const Line& line, Record& record) override {
    line.require_fields(5, "time in ms, device, LBN, blocks, flags");
    record.request = {.arrival_ns = line.time(0, "the arrival time", unit_ns_),
                      .device = line.integer<std::uint32_t>(1, "the device number")};
    record.first = line.integer<std::uint64_t>(2, "the LBN");
    record.count = line.integer<std::uint32_t>(3, "the number of blocks");
    const auto flags = line.integer<std::uint32_t>(4, "the flags", 16);
    if (flags & ~kKnownFlags)
      line.fail(4, fmt::format("the flags {} hold bits that no request has", shown(line[4])));
    record.request.write = !(flags & kReadFlag);
    return true;
  }

  Nanoseconds unit_ns_;
};

class ValidateReader final : public LineReader {
 public:
  ValidateReader(Input input, Nanoseconds unit_ns)
      : LineReader(std::move(input), Separator::blanks), unit_ns_(unit_ns) {}

  bool in_bytes() const override { return false; }
  Kind kind() const override { return Kind::closed; }
  bool has_devices() const override { return false; }

  bool parse(const Line& line, Record& record) override {
    line.require_fields(6, "R or W, tag, LBN, blocks, service time in us, think time in us");
    if (line[0] != "R" && line[0] != "W")
      line.fail(0, fmt::format("\"{}\" is neither R nor W", shown(line[0])));
    if (line[1].size() > Tag::kMost)
      line.fail(1,
                fmt::format("the tag \"{}\" has more than {} letters", shown(line[1]), Tag::kMost));
    record.request = {.write = line[0] == "W", .tag = Tag(line[1])};
    record.first = line.integer<std::uint64_t>(2, "the LBN");
    record.count = line.integer<std::uint32_t>(3, "the number of blocks");
    if (const Nanoseconds service_ns = line.time(4, "the service time", unit_ns_); service_ns > 0)
      record.request.service_ns = service_ns;
    record.request.think_ns = line.time(5, "the time to the next issue", unit_ns_);
    return true;
  }

  Place place(Part part) const override {
    return place_among({{Part::lbn, 2}, {Part::blocks, 3}, {Part::service, 4}, {Part::time, 5}},
                       part, 0);
  }

 private:
  Nanoseconds unit_ns_;
};

class AsciiWriter final : public RecordWriter {
 public:
  void append(std::string& out, const Request& request) override {
    fmt::format_to(std::back_inserter(out), "{}.{:06} {} {} {} {:x}\n",
                   request.arrival_ns / kMillisecond, request.arrival_ns % kMillisecond,
                   request.device, request.lbn, request.blocks, request.write ? 0u : kReadFlag);
  }
};

class ValidateWriter final : public RecordWriter {
 public:
  Kind kind() const override { return Kind::closed; }

  void append(std::string& out, const Request& request) override {
    const Nanoseconds service_ns = request.service_ns.value_or(0);
    const std::string_view tag = request.tag.text();
    fmt::format_to(std::back_inserter(out), "{} {} {} {} {}.{:03} {}.{:03}\n",
                   request.write ? 'W' : 'R', tag.empty() ? "Hit" : tag, request.lbn,
                   request.blocks, service_ns / kMicrosecond, service_ns % kMicrosecond,
                   request.think_ns / kMicrosecond, request.think_ns % kMicrosecond);
  }
};

}  // namespace

const FormatRow kAscii = {
    .format = Format::ascii,
    .name = "ascii",
    .reader = [](std::vector<Input> inputs,
                 const Reading& reading) -> std::unique_ptr<RecordReader> {
      return std::make_unique<AsciiReader>(std::move(inputs.front()), reading.time_unit_ns);
    },
    .writer = [](std::uint32_t) -> std::unique_ptr<RecordWriter> {
      return std::make_unique<AsciiWriter>();
    },
    .begins =
        [](const Beginning& beginning) {
          const Line& line = beginning.blanks;
          if (line[0].empty()) return false;
          const char first = line[0].front();
          for (std::size_t i = 0; i < std::min<std::size_t>(line.count(), Line::kMost); ++i)
            if (line[i].find_first_not_of("0123456789abcdefABCDEF.xX+-") != std::string_view::npos)
              return false;
          return (first >= '0' && first <= '9') || first == '.';
        },
    .unit_ns = kMillisecond,
};

const FormatRow kMqsim = {
    .format = Format::mqsim,
    .name = "mqsim",
    .reader = kAscii.reader,
    .unit_ns = 1,
    .doubted = false,
};

const FormatRow kValidate = {
    .format = Format::validate,
    .name = "validate",
    .reader = [](std::vector<Input> inputs,
                 const Reading& reading) -> std::unique_ptr<RecordReader> {
      return std::make_unique<ValidateReader>(std::move(inputs.front()), reading.time_unit_ns);
    },
    .writer = [](std::uint32_t) -> std::unique_ptr<RecordWriter> {
      return std::make_unique<ValidateWriter>();
    },
    .begins =
        [](const Beginning& beginning) {
          return beginning.blanks[0] == "R" || beginning.blanks[0] == "W";
        },
    .unit_ns = kMicrosecond,
    .each_measured = true,
};

}  // namespace platter::trace
