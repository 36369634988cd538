// What Windows 2000's TraceDmp makes of a kernel trace: a CSV of events, of which those of disks
// are read (Salam-Alada 2004, section 3.5.2.1 and appendices D.4 and G).
#include <algorithm>
#include <utility>

#include "trace/file_time.h"
#include "trace/formats.h"
#include "trace/line_reader.h"

namespace platter::trace {
namespace {

constexpr const char* kFields =
    "event, thread, clock, kernel ms, user ms, disk, IRP flags, size, a column without a name, "
    "offset, file object, IID, PIID";

class EtwReader final : public LineReader {
 public:
  explicit EtwReader(Input input) : LineReader(std::move(input), Separator::commas) {}

  bool from_clock() const override { return true; }

  Place place(Part part) const override {
    switch (part) {
      case Part::time:
        return line().place(2);
      case Part::device:
        return line().place(5);
      case Part::blocks:
        return line().place(7);
      case Part::lbn:
        return line().place(9);
      default:
        return line().place(0);
    }
  }

 private:
  bool parse(const Line& line, Record& record) override {
    std::string event(line[0]);
    std::erase(event, ' ');  // "DiskIo Read" and "DiskIoRead" are both to be met with
    if (event == "EventName") return false;
    if (event != "DiskIoRead" && event != "DiskIoWrite") {
      skips_.add("events that are no disk read or write");
      return false;
    }
    line.require_fields(13, kFields);
    record.request = {.arrival_ns = times_.since_first(line, 2, "the clock time"),
                      .device = line.integer<std::uint32_t>(5, "the disk number"),
                      .write = event == "DiskIoWrite"};
    record.count = line.integer<std::uint64_t>(7, "the size");
    if (line[9].find_first_of(".eE") != std::string_view::npos)
      line.fail(9, fmt::format("the offset {} is rounded; take the file as it was before a "
                               "spreadsheet saved it",
                               shown(line[9])));
    record.first = line.integer<std::uint64_t>(9, "the offset");
    return true;
  }

  FileTimes times_;
};

class EtwWriter final : public RecordWriter {
 public:
  explicit EtwWriter(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

  void begin(std::string& out) override {
    out += "Event Name,TID,Clock-Time,Kernel(ms),User(ms),User Data,,,,,,IID,PIID\n";
  }

  void append(std::string& out, const Request& request) override {
    fmt::format_to(
        std::back_inserter(out), "DiskIo {},0x0000,{},0,0,{},0x00000000,{},0,{},0x00000000,0,0\n",
        request.write ? "Write" : "Read",
        kFileTimeOf1970 + static_cast<std::uint64_t>(request.arrival_ns / kFileTimeUnit_ns),
        request.device, byte_count(request, block_bytes_), first_byte(request, block_bytes_));
  }

 private:
  std::uint32_t block_bytes_;
};

}  // namespace

std::unique_ptr<RecordReader> etw_reader(Input input) {
  return std::make_unique<EtwReader>(std::move(input));
}
std::unique_ptr<RecordWriter> etw_writer(std::uint32_t block_bytes) {
  return std::make_unique<EtwWriter>(block_bytes);
}

}  // namespace platter::trace
