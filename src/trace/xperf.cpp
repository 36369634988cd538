// Windows' event traces as xperf's dumper prints them (xperf -a dumper), among them the traces of
// Microsoft's production servers (SNIA 158): a header block that names each event's columns, then a
// line an event. A disk's events are logged when the request completes.
#include <algorithm>
#include <utility>

#include "model/number_in.h"
#include "trace/clock_times.h"
#include "trace/formats.h"
#include "trace/line_reader.h"
#include "trace/number_text.h"

namespace platter::trace {
namespace {

// Where the columns of DiskRead and DiskWrite stand; the header tells, and these where there is
// none.
struct XperfColumns {
  std::size_t time = 1, offset = 5, size = 6, elapsed = 7, disk = 8;
  std::size_t least() const { return std::max({time, offset, size, elapsed, disk}) + 1; }
};

class XperfReader final : public LineReader {
 public:
  explicit XperfReader(Input input) : LineReader(std::move(input), Separator::commas) {}

  bool from_clock() const override { return true; }
  std::uint32_t disorder() const override { return 4096; }  // completions; arrivals were earlier

  Place place(Part part) const override {
    switch (part) {
      case Part::time:
        return line().place(columns_.time);
      case Part::device:
        return line().place(columns_.disk);
      case Part::lbn:
        return line().place(columns_.offset);
      case Part::blocks:
        return line().place(columns_.size);
      case Part::service:
        return line().place(columns_.elapsed);
      default:
        return line().place(0);
    }
  }

 private:
  bool parse(const Line& line, Record& record) override {
    const std::string_view event = line[0];
    if (in_header_ || event == "BeginHeader") return header(line);
    if (event.starts_with("OS Version")) return losses(line);
    if (event != "DiskRead" && event != "DiskWrite") {
      skips_.add(event == "DiskFlush" ? "flushes" : "events that are no disk read or write",
                 line.place(0));
      return false;
    }
    line.require_at_least(columns_.least(),
                          "event, time in us, process, thread, IRP, offset, "
                          "size, elapsed time in us, disk");
    const Nanoseconds service_ns = elapsed(line);
    record.request = {.arrival_ns = end(line) - service_ns,
                      .device = static_cast<std::uint32_t>(number(line, columns_.disk, "the disk")),
                      .write = event == "DiskWrite"};
    if (service_ns > 0) record.request.service_ns = service_ns;
    record.first = number(line, columns_.offset, "the offset");
    record.count = number(line, columns_.size, "the size");
    if (record.count > 0) return true;
    skips_.add("requests of no bytes", line.place(columns_.size));
    return false;
  }

  bool header(const Line& line) {
    in_header_ = line[0] != "EndHeader";
    if (line[0] == "DiskRead") read_columns(line);
    skips_.add_form("lines of the header", line.place(0));
    return false;
  }

  void read_columns(const Line& line) {
    for (const auto& [name, at] :
         {std::pair{"TimeStamp", &columns_.time}, std::pair{"ByteOffset", &columns_.offset},
          std::pair{"IOSize", &columns_.size}, std::pair{"ElapsedTime", &columns_.elapsed},
          std::pair{"DiskNum", &columns_.disk}}) {
      std::size_t field = 0;
      while (field < std::min<std::size_t>(line.count(), Line::kMost) && line[field] != name)
        ++field;
      if (field == std::min<std::size_t>(line.count(), Line::kMost))
        line.fail(line.end(), fmt::format("the header names no column {} of DiskRead; without it "
                                          "the lines are no requests",
                                          name));
      *at = field;
    }
  }

  // "OS Version: 6.0.6001, Trace Size: 1024KB, Events Lost: 0, Buffers lost: 0"
  bool losses(const Line& line) {
    for (std::size_t i = 0; i < std::min<std::size_t>(line.count(), Line::kMost); ++i) {
      const std::size_t at = std::min({line[i].find("ost: "), line[i].size()});
      std::uint64_t count = 0;
      if (at < line[i].size() && Scan(line[i].substr(at + 5)).number(count) && count > 0)
        skips_.lose(count, line.place(i));
    }
    skips_.add_form("lines of the header", line.place(0));
    return false;
  }

  std::uint64_t number(const Line& line, std::size_t field, const char* what) {
    const std::string_view text = plain_number(line[field], {}, false, room_);
    const auto value = model::number_in<std::uint64_t>(text);
    if (!value)
      line.fail(field, fmt::format("{} \"{}\" is no whole number", what, shown(line[field])));
    return *value;
  }

  Nanoseconds elapsed(const Line& line) {
    return line.time(columns_.elapsed, "the elapsed time", kMicrosecond);
  }

  Nanoseconds end(const Line& line) {
    const auto end_ns = times_.since_first(line[columns_.time], kMicrosecond);
    if (!end_ns)
      line.fail(columns_.time, fmt::format("the time \"{}\" is no number of microseconds near that "
                                           "of the first event",
                                           shown(line[columns_.time])));
    return *end_ns;
  }

  XperfColumns columns_;
  ClockTimes times_;
  std::string room_;
  bool in_header_ = false;
};

}  // namespace

const FormatRow kXperf = {
    .format = Format::xperf,
    .name = "xperf",
    .reader = [](std::vector<Input> inputs, const Reading&) -> std::unique_ptr<RecordReader> {
      return std::make_unique<XperfReader>(std::move(inputs.front()));
    },
    .begins =
        [](const Beginning& beginning) {
          const Line& line = beginning.commas;
          return line[0] == "BeginHeader" || (line[0].starts_with("Disk") && line.count() >= 9);
        },
    .each_measured = true,
};

}  // namespace platter::trace
