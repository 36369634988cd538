// fio's I/O logs, versions 2 (fio 1.17) and 3 (fio 3.31).
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "trace/formats.h"
#include "trace/line_reader.h"
#include "trace/made_here.h"

namespace platter::trace {
namespace {

constexpr std::string_view kVersion2 = "fio version 2 iolog";
constexpr std::string_view kVersion3 = "fio version 3 iolog";

// Version 3 has a timestamp in front of what version 2 has, and no waits.
class IologReader final : public LineReader {
 public:
  IologReader(Input input, int version, Nanoseconds unit_ns)
      : LineReader(std::move(input), Separator::blanks),
        name_(version == 3 ? 1 : 0),
        unit_ns_(unit_ns) {}

  Place place(Part part) const override {
    return place_among(
        {{Part::time, 0}, {Part::device, name_}, {Part::lbn, name_ + 2}, {Part::blocks, name_ + 3}},
        part, name_ + 1);
  }

 private:
  bool timed() const { return name_ == 1; }

  bool parse(const Line& line, Record& record) override {
    if (!begun_) {
      begun_ = true;
      if (line.whole().starts_with(timed() ? kVersion3 : kVersion2)) return form("headers", line);
      line.fail(0, fmt::format("the first line is not \"{}\"", timed() ? kVersion3 : kVersion2));
    }
    line.require_at_least(name_ + 2, "file, action");
    const std::string_view action = line[name_ + 1];
    if (action == "add" || action == "open" || action == "close") {
      if (action == "add") files_.try_emplace(std::string(line[name_]), files_.size());
      return form("files added, opened and closed", line);
    }
    line.require_fields(name_ + 4, "file, action, offset, length");
    if (action == "wait" && !timed()) {
      now_ns_ += wait_ns(line);
      return form("waits", line);
    }
    if (action == "trim" || action == "sync" || action == "datasync") {
      skips_.add(action == "trim" ? "trims" : "syncs", line.place(name_ + 1));
      return false;
    }
    if (action != "read" && action != "write")
      line.fail(name_ + 1, fmt::format("\"{}\" is no action of this version", shown(action)));
    const auto file = files_.find(line[name_]);
    if (file == files_.end())
      line.fail(name_, fmt::format("the file {} was not added before", shown(line[name_])));
    record.request = {.arrival_ns = timed() ? line.time(0, "the timestamp", unit_ns_) : now_ns_,
                      .device = file->second,
                      .write = action == "write"};
    record.first = line.integer<std::uint64_t>(name_ + 2, "the offset");
    record.count = line.integer<std::uint64_t>(name_ + 3, "the length");
    return true;
  }

  bool form(const char* what, const Line& line) {
    skips_.add_form(what, line.place(0));
    return false;
  }

  Nanoseconds wait_ns(const Line& line) const {
    const Nanoseconds wait_ns = line.time(2, "the wait", unit_ns_);
    if (wait_ns > kLongestTime_ns - now_ns_) line.fail(2, "the waits up to here take years");
    return wait_ns;
  }

  std::size_t name_;  // the field of the file's name; the others follow
  Nanoseconds unit_ns_;
  std::map<std::string, std::uint32_t, std::less<>> files_;
  Nanoseconds now_ns_ = 0;
  bool begun_ = false;
};

class IologWriter final : public RecordWriter {
 public:
  IologWriter(int version, std::uint32_t block_bytes)
      : version_(version), block_bytes_(block_bytes) {}

  void begin(std::string& out) override {
    out += version_ == 3 ? kVersion3 : kVersion2;
    out += '\n';
  }

  void append(std::string& out, const Request& request) override {
    auto to = std::back_inserter(out);
    const Nanoseconds now_us = request.arrival_ns / kMicrosecond;
    if (!device_ || *device_ != request.device) {
      if (opened_.insert(request.device).second)
        for (const char* action : {"add", "open"}) {
          if (version_ == 3) fmt::format_to(to, "{} ", now_us);
          fmt::format_to(to, "disk{} {}\n", request.device, action);
        }
      device_ = request.device;
    }
    if (version_ == 3)
      fmt::format_to(to, "{} ", now_us);
    else if (now_us > waited_us_)
      fmt::format_to(to, "disk{} wait {} 0\n", request.device, now_us - waited_us_);
    waited_us_ = now_us;
    fmt::format_to(to, "disk{} {} {} {}\n", request.device, request.write ? "write" : "read",
                   first_byte(request, block_bytes_), byte_count(request, block_bytes_));
  }

  void end(std::string& out) override {
    for (const std::uint32_t device : opened_) {
      if (version_ == 3) fmt::format_to(std::back_inserter(out), "{} ", waited_us_);
      fmt::format_to(std::back_inserter(out), "disk{} close\n", device);
    }
  }

 private:
  int version_;
  std::uint32_t block_bytes_;
  std::optional<std::uint32_t> device_;
  std::set<std::uint32_t> opened_;
  Nanoseconds waited_us_ = 0;
};

// What platter wrote is in microseconds.
bool is_in_microseconds(Input& input) {
  const std::string_view head = input.peek(256);
  return is_marked(head.substr(0, head.find('\n')));
}
constexpr Nanoseconds kSlowIolog_ns = 100 * kMillisecond;  // nanoseconds are taken for microseconds

template <int kVersion>
std::unique_ptr<RecordReader> reader_of_version(std::vector<Input> inputs, const Reading& reading) {
  return std::make_unique<IologReader>(std::move(inputs.front()), kVersion, reading.time_unit_ns);
}

template <int kVersion>
std::unique_ptr<RecordWriter> writer_of_version(std::uint32_t block_bytes) {
  return std::make_unique<IologWriter>(kVersion, block_bytes);
}

}  // namespace

const FormatRow kIolog2 = {
    .format = Format::iolog2,
    .name = "iolog2",
    .reader = reader_of_version<2>,
    .writer = writer_of_version<2>,
    .begins = [](const Beginning& beginning) { return beginning.head.starts_with(kVersion2); },
    .unit_ns = kMicrosecond,
    .slow_ns = kSlowIolog_ns,
    .names_unit = is_in_microseconds,
};

const FormatRow kIolog3 = {
    .format = Format::iolog3,
    .name = "iolog3",
    .reader = reader_of_version<3>,
    .writer = writer_of_version<3>,
    .begins = [](const Beginning& beginning) { return beginning.head.starts_with(kVersion3); },
    .unit_ns = kMicrosecond,
    .slow_ns = kSlowIolog_ns,
    .names_unit = is_in_microseconds,
};

}  // namespace platter::trace
