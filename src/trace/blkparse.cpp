// blkparse's output in its default format (blkparse(1), "DEFAULT OUTPUT"): the events of blktrace
// as text, a summary behind them.
#include <utility>

#include "trace/block_event_lines.h"
#include "trace/formats.h"

namespace platter::trace {
namespace {

// device processor sequence time process action operation sector + sectors [...]
enum : std::size_t {
  kDeviceColumn,
  kProcessorColumn,
  kSequenceColumn,
  kTimeColumn,
  kProcessColumn,
  kActionColumn,
  kOperationColumn,
  kSectorNumberColumn,
  kPlusColumn,
  kSectorsColumn
};

class BlkparseReader final : public BlockEventLines {
 public:
  using BlockEventLines::BlockEventLines;

 private:
  // True: there was an event.
  bool parse(const Line& line, Record&) override {
    in_summary_ = in_summary_ || line[0].starts_with("CPU") || line[0] == "Total";
    if (in_summary_) return false;
    const std::uint32_t device = device_of_linux(line, kDeviceColumn);
    line.require_at_least(kActionColumn + 1,
                          "device, processor, sequence, time in s, process, action");
    BlockEvent event;
    if (line[kActionColumn] == "Q")
      event.action = BlockEvent::Action::queue;
    else if (line[kActionColumn] == "D")
      event.action = BlockEvent::Action::issue;
    else if (line[kActionColumn] == "R")
      event.action = BlockEvent::Action::requeue;
    else if (line[kActionColumn] == "C")
      event.action = BlockEvent::Action::complete;
    else
      return false;
    line.require_at_least(kOperationColumn + 1,
                          "device, processor, sequence, time in s, process, action, "
                          "operation");
    if (const char* what = other_than_data(line)) {
      if (event.action == BlockEvent::Action::issue) skips_.add(what);
      return false;
    }
    event.time_ns = line.time(kTimeColumn, "the time", kSecond);
    event.device = device;
    event.write = line[kOperationColumn].find('W') != std::string_view::npos;
    return add(line, event, {kTimeColumn, kSectorNumberColumn, kSectorsColumn});
  }

  // What an event is of that reads or writes nothing; nullptr if it does.
  static const char* other_than_data(const Line& line) {
    const std::string_view operation = line[kOperationColumn];
    if (operation.find('D') != std::string_view::npos) return "discards";
    const bool data = operation.find_first_of("RW") != std::string_view::npos;
    if (data && line.count() > kSectorsColumn && line[kPlusColumn] != "+")
      return "commands past the block layer";
    if (!data || line.count() <= kSectorsColumn || line[kSectorsColumn] == "0") return "flushes";
    return nullptr;
  }

  bool in_summary_ = false;
};

class BlkparseWriter final : public BlockEventWriter {
 public:
  explicit BlkparseWriter(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

 private:
  void put(std::string& out, BlockEvent::Action action, Nanoseconds time_ns,
           const Request& request) override {
    const bool complete = action == BlockEvent::Action::complete;
    const char letter = complete ? 'C' : action == BlockEvent::Action::issue ? 'D' : 'Q';
    fmt::format_to(std::back_inserter(out),
                   "{:3},{:<3} {:2} {:8} {:5}.{:09} {:5} {:>2} {:>3} {} + {} [{}]\n",
                   request.device >> 20, request.device & 0xfffff, 0, ++sequence_,
                   time_ns / kSecond, time_ns % kSecond, 0, letter, request.write ? 'W' : 'R',
                   first_sector(request, block_bytes_), byte_count(request, block_bytes_) / kSector,
                   complete ? "0" : "platter");
  }

  std::uint32_t block_bytes_;
  std::uint64_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<RecordReader> blkparse_reader(Input input, bool queued) {
  return std::make_unique<BlkparseReader>(std::move(input), queued);
}
std::unique_ptr<RecordWriter> blkparse_writer(std::uint32_t block_bytes) {
  return std::make_unique<BlkparseWriter>(block_bytes);
}

}  // namespace platter::trace
