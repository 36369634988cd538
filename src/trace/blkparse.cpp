// blkparse's output in its default format (blkparse(1), "DEFAULT OUTPUT"): the events of blktrace
// as text, a summary behind them.
#include <optional>
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
  bool parse(const Line& line, Record&) override {
    // A process may be called as a line that tells of losses.
    if (!is_device_of_linux(line[kDeviceColumn]) && lost(line)) return false;
    in_summary_ = in_summary_ || line[0].starts_with("CPU") || line[0] == "Total";
    if (in_summary_) return summary(line);
    const std::uint32_t device = device_of_linux(line, kDeviceColumn);
    line.require_at_least(kActionColumn + 1,
                          "device, processor, sequence, time in s, process, action");
    const std::optional<BlockEvent::Action> action = action_of(line[kActionColumn]);
    if (!action) return form(line, "other events of the block layer");
    line.require_at_least(kOperationColumn + 1,
                          "device, processor, sequence, time in s, process, action, "
                          "operation");
    const bool issued = *action == BlockEvent::Action::issue;
    if (const char* what = other_than_data(line, kOperationColumn))
      return pass_over(line, kOperationColumn, what, issued);
    if (line.count() <= kSectorsColumn || line[kPlusColumn] != "+" || line[kSectorsColumn] == "0") {
      const bool flush = line[kOperationColumn].find('F') != std::string_view::npos;
      return pass_over(line, kOperationColumn, flush ? "flushes" : "requests of no sectors",
                       issued);
    }
    BlockEvent event{.action = *action,
                     .time_ns = line.time(kTimeColumn, "the time", kSecond),
                     .device = device,
                     .write = line[kOperationColumn].find('W') != std::string_view::npos};
    return add(line, event, {kTimeColumn, kSectorNumberColumn, kSectorsColumn});
  }

  static std::optional<BlockEvent::Action> action_of(std::string_view action) {
    if (action == "Q") return BlockEvent::Action::queue;
    if (action == "D") return BlockEvent::Action::issue;
    if (action == "R") return BlockEvent::Action::requeue;
    if (action == "C") return BlockEvent::Action::complete;
    return std::nullopt;
  }

  // "Skips: 2 forward (1,234 -   0.5%)": sequence numbers that are missing.
  bool summary(const Line& line) {
    const std::string_view text = line.whole();
    const std::size_t at = std::min(text.find("Skips:"), text.size());
    const std::size_t from = std::min(text.find('(', at), text.size());
    std::uint64_t count = 0;
    for (const char c : text.substr(from, std::min(text.find('-', from), text.size()) - from))
      if (c >= '0' && c <= '9' && count < kMostLost)
        count = 10 * count + static_cast<std::uint64_t>(c - '0');
    if (count > 0) skips_.lose(count, line.place(0));
    return form(line, "lines of the summary");
  }

  static constexpr std::uint64_t kMostLost = std::uint64_t{1} << 60;

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

const FormatRow kBlkparse = {
    .format = Format::blkparse,
    .name = "blkparse",
    .reader = [](std::vector<Input> inputs,
                 const Reading& reading) -> std::unique_ptr<RecordReader> {
      return std::make_unique<BlkparseReader>(std::move(inputs.front()), reading.queued);
    },
    .writer = [](std::uint32_t block_bytes) -> std::unique_ptr<RecordWriter> {
      return std::make_unique<BlkparseWriter>(block_bytes);
    },
    .begins =
        [](const Beginning& beginning) {
          const Line& line = beginning.blanks;
          return line.count() > kActionColumn && is_device_of_linux(line[kDeviceColumn]) &&
                 line[kTimeColumn].find('.') != std::string_view::npos;
        },
    .names_platter = true,
};

}  // namespace platter::trace
