// blktrace's binary events (Linux, include/uapi/linux/blktrace_api.h: struct blk_io_trace), in
// either byte order, one file for each processor.
#include <map>
#include <queue>
#include <utility>

#include "trace/block_events.h"
#include "trace/byte_order.h"
#include "trace/formats.h"
#include "trace/line_reader.h"
#include "trace/made_here.h"

namespace platter::trace {
namespace {

constexpr std::uint32_t kMagic = 0x65617400, kVersion = 7;
constexpr std::size_t kEventBytes = 48;

enum : std::size_t {
  kSequenceAt = 4,
  kTimeAt = 8,
  kSectorNumberAt = 16,
  kBytesAt = 24,
  kActionAt = 28,
  kDeviceAt = 36,
  kProcessorAt = 40,
  kErrorAt = 44,
  kDataBytesAt = 46,
};

// An action: what happened in the lower byte, categories in the upper half.
enum : std::uint32_t {
  kQueue = 1,
  kRequeue = 6,
  kIssue = 7,
  kComplete = 8,
  kPlug = 9,
  kActionMask = 0xff,
  kRead = 1u << 16,
  kWrite = 1u << 17,
  kQueueCategory = 1u << 20,
  kRequeueCategory = 1u << 21,
  kIssueCategory = 1u << 22,
  kCompleteCategory = 1u << 23,
  kFromCommand = 1u << 25,
  kNotify = 1u << 26,
  kDiscard = 1u << 29,
};

// The events of one file.
class EventFile {
 public:
  explicit EventFile(Input input) : input_(std::move(input)) {}

  // False: the end.
  bool next() {
    begin_ = input_.offset();
    const std::string_view bytes = input_.take(kEventBytes);
    if (bytes.empty()) return false;
    ++number_;
    if (bytes.size() < kEventBytes) lost("the trace ends within it");
    bytes.copy(event_.data(), kEventBytes);
    if (number_ == 1 && load<std::uint32_t>(event_.data(), std::endian::big) >> 8 == kMagic >> 8)
      order_ = std::endian::big;
    const auto magic = get<std::uint32_t>(0);
    if (magic >> 8 != kMagic >> 8) lost("it does not begin with blktrace's magic number");
    if ((magic & 0xff) != kVersion)
      lost(fmt::format("its version is {}, not {}", magic & 0xff, kVersion));
    const auto data_bytes = get<std::uint16_t>(kDataBytesAt);
    if (input_.take(data_bytes).size() < data_bytes) lost("the trace ends within its data");
    return true;
  }

  template <class Integer>
  Integer get(std::size_t at) const {
    return load<Integer>(event_.data() + at, order_);
  }
  std::uint64_t time_ns() const { return get<std::uint64_t>(kTimeAt); }
  Place at(std::size_t offset) const { return {number_, begin_ + offset, true}; }

  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    throw BadRecord(input_.name(), at(offset), what);
  }

 private:
  // Nothing marks where the next event begins.
  [[noreturn]] void lost(const std::string& what) const {
    fail(0, fmt::format("the event and all after it cannot be read: {}", what));
  }

  Input input_;
  std::array<char, kEventBytes> event_{};
  std::endian order_ = std::endian::little;
  std::uint64_t number_ = 0, begin_ = 0;
};

class BlktraceReader final : public RecordReader {
 public:
  BlktraceReader(std::vector<Input> inputs, bool queued) : events_(queued) {
    for (Input& input : inputs) files_.emplace_back(std::move(input));
  }

  bool next(Record& record) override {
    while (opened_ < files_.size()) push(opened_++);
    while (!events_.take(record)) {
      if (heads_.empty()) {
        if (ended_) return false;
        ended_ = true;
        events_.end();
        continue;
      }
      const std::size_t file = heads_.top().file;
      heads_.pop();
      add(files_[file]);
      push(file);
    }
    return true;
  }

  Place place(Part part) const override { return events_.place(part); }
  std::string device_text(std::uint32_t device) const override {
    return device_text_of_linux(device);
  }
  std::vector<Skipped> skipped() const override { return skips_.list(); }

 private:
  struct Head {
    std::uint64_t time_ns;
    std::size_t file;
    bool operator<(const Head& other) const {  // the earliest is on top
      return std::pair(other.time_ns, other.file) < std::pair(time_ns, file);
    }
  };

  void push(std::size_t file) {
    if (files_[file].next()) heads_.push({files_[file].time_ns(), file});
  }

  void add(const EventFile& file) {
    const auto action = file.get<std::uint32_t>(kActionAt);
    if (action & kNotify) return skips_.add("messages", file.at(0));
    see_sequence(file);
    // Time 0 is that of the first event, as blkparse has it.
    if (!first_ns_) first_ns_ = file.time_ns();
    BlockEvent event;
    switch (action & kActionMask) {
      case kQueue:
        event.action = BlockEvent::Action::queue;
        break;
      case kRequeue:
        event.action = BlockEvent::Action::requeue;
        break;
      case kIssue:
        event.action = BlockEvent::Action::issue;
        break;
      case kComplete:
        event.action = BlockEvent::Action::complete;
        break;
      default:
        return skips_.add_form("other events of the block layer", file.at(0));
    }
    const bool issued = event.action == BlockEvent::Action::issue;
    if (action & kDiscard) return pass_over(file, issued, "discards");
    if (action & kFromCommand) return pass_over(file, issued, "commands past the block layer");
    event.bytes = file.get<std::uint32_t>(kBytesAt);
    if (event.bytes == 0 || !(action & (kRead | kWrite))) return pass_over(file, issued, "flushes");
    event.time_ns = time_since_first(file);
    event.device = file.get<std::uint32_t>(kDeviceAt);
    event.sector = file.get<std::uint64_t>(kSectorNumberAt);
    if (event.sector > std::numeric_limits<std::uint64_t>::max() / kSector - event.bytes)
      file.fail(kSectorNumberAt,
                fmt::format("sector {} lies past the end of any drive", event.sector));
    event.write = action & kWrite;
    event.failed = file.get<std::uint16_t>(kErrorAt) != 0;
    event.time = file.at(kTimeAt);
    event.lbn = file.at(kSectorNumberAt);
    event.blocks = file.at(kBytesAt);
    count(skips_, events_.add(event), event.time);
  }

  void pass_over(const EventFile& file, bool issued, const char* what) {
    if (issued)
      skips_.add(what, file.at(0));
    else
      skips_.add_form("other events of what was passed over", file.at(0));
  }

  // A processor numbers a device's events, but not its messages: what is missing among the numbers
  // is lost.
  void see_sequence(const EventFile& file) {
    const auto number = file.get<std::uint32_t>(kSequenceAt);
    std::uint32_t& before =
        sequences_[{file.get<std::uint32_t>(kDeviceAt), file.get<std::uint32_t>(kProcessorAt)}];
    if (before != 0 && number > before + 1) skips_.lose(number - before - 1, file.at(kSequenceAt));
    before = std::max(before, number);
  }

  Nanoseconds time_since_first(const EventFile& file) const {
    const std::uint64_t time_ns = file.time_ns();
    const std::uint64_t apart = time_ns > *first_ns_ ? time_ns - *first_ns_ : *first_ns_ - time_ns;
    if (apart > static_cast<std::uint64_t>(kLongestTime_ns))
      file.fail(kTimeAt,
                fmt::format("the time {} ns is months from that of the first event", time_ns));
    const auto apart_ns = static_cast<Nanoseconds>(apart);
    return time_ns > *first_ns_ ? apart_ns : -apart_ns;
  }

  std::vector<EventFile> files_;
  std::priority_queue<Head> heads_;
  BlockEvents events_;
  Skips skips_;
  // The last of each device and processor.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> sequences_;
  std::optional<std::uint64_t> first_ns_;
  std::size_t opened_ = 0;
  bool ended_ = false;
};

class BlktraceWriter final : public BlockEventWriter {
 public:
  explicit BlktraceWriter(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

 private:
  void put(std::string& out, BlockEvent::Action action, Nanoseconds time_ns,
           const Request& request) override {
    // Time 0 is that of the first event.
    if (sequence_ == 0 && time_ns > 0) put(out, kPlug | kQueueCategory, 0, {.blocks = 0});
    put(out, code_of(action), time_ns, request);
  }

  static std::uint32_t code_of(BlockEvent::Action action) {
    switch (action) {
      case BlockEvent::Action::queue:
        return kQueue | kQueueCategory;
      case BlockEvent::Action::issue:
        return kIssue | kIssueCategory;
      case BlockEvent::Action::requeue:
        return kRequeue | kRequeueCategory;
      default:
        return kComplete | kCompleteCategory;
    }
  }

  void put(std::string& out, std::uint32_t action, Nanoseconds time_ns, const Request& request) {
    constexpr auto kOrder = std::endian::little;
    const std::uint64_t bytes = byte_count(request, block_bytes_);
    if (bytes > std::numeric_limits<std::uint32_t>::max())
      throw Error(
          ExitStatus::output,
          fmt::format("a request of {} bytes does not fit a blktrace; choose another format",
                      bytes));
    store<std::uint32_t>(out, kMagic | kVersion, kOrder);
    store<std::uint32_t>(out, ++sequence_, kOrder);
    store<std::uint64_t>(out, static_cast<std::uint64_t>(time_ns), kOrder);
    store<std::uint64_t>(out, first_sector(request, block_bytes_), kOrder);
    store<std::uint32_t>(out, static_cast<std::uint32_t>(bytes), kOrder);
    store<std::uint32_t>(out, action | (request.write ? kWrite : kRead), kOrder);
    store<std::uint32_t>(out, kBlktraceProcess, kOrder);
    store<std::uint32_t>(out, request.device, kOrder);
    store<std::uint32_t>(out, 0, kOrder);  // processor
    store<std::uint16_t>(out, 0, kOrder);  // error
    store<std::uint16_t>(out, 0, kOrder);  // no data
  }

  std::uint32_t block_bytes_;
  std::uint32_t sequence_ = 0;
};

}  // namespace

// The files of all processors are one trace.
const FormatRow kBlktrace = {
    .format = Format::blktrace,
    .name = "blktrace",
    .reader = [](std::vector<Input> inputs,
                 const Reading& reading) -> std::unique_ptr<RecordReader> {
      return std::make_unique<BlktraceReader>(std::move(inputs), reading.queued);
    },
    .writer = [](std::uint32_t block_bytes) -> std::unique_ptr<RecordWriter> {
      return std::make_unique<BlktraceWriter>(block_bytes);
    },
    .begins =
        [](const Beginning& beginning) {
          return beginning.head.starts_with("\7tae") || beginning.head.starts_with("eat\7");
        },
    .binary = true,
    .names_platter = true,
};

}  // namespace platter::trace
