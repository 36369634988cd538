// CloudPhysics' traces of VMware's virtual SCSI disks (Waldspurger et al. 2015) in their binary
// form: little-endian records of one of two layouts, which the version in a record tells.
#include <bit>
#include <utility>

#include "trace/byte_order.h"
#include "trace/clock_times.h"
#include "trace/formats.h"
#include "trace/line_reader.h"
#include "trace/operation.h"

namespace platter::trace {
namespace {

// Offsets within a record.
struct Layout {
  std::uint8_t version = 0;
  std::size_t size = 0, bytes = 0, command = 0, version_at = 0, sector = 0, time_us = 0;
};
constexpr Layout kFirst{1, 32, 4, 12, 14, 16, 24}, kSecond_{2, 40, 8, 0, 2, 16, 24};

template <class Integer>
Integer little(std::string_view record, std::size_t at) {
  return load<Integer>(record.data() + at, std::endian::little);
}

bool fits(std::string_view head, const Layout& layout) {
  constexpr std::size_t kRecords = 2;
  if (head.size() < layout.size) return false;
  for (std::size_t i = 0; i < kRecords && (i + 1) * layout.size <= head.size(); ++i) {
    const std::string_view record = head.substr(i * layout.size, layout.size);
    if (little<std::uint16_t>(record, layout.version_at) >> 8 != layout.version) return false;
    if (little<std::uint16_t>(record, layout.command) > 0xff) return false;
  }
  return true;
}

const Layout* layout_of(std::string_view head) {
  if (fits(head, kFirst)) return &kFirst;
  return fits(head, kSecond_) ? &kSecond_ : nullptr;
}

class VscsiReader final : public RecordReader {
 public:
  explicit VscsiReader(Input input) : input_(std::move(input)) {
    layout_ = layout_of(input_.peek(2 * kSecond_.size));
  }

  bool from_clock() const override { return true; }
  bool has_devices() const override { return false; }
  std::uint32_t disorder() const override { return 4096; }
  std::vector<Skipped> skipped() const override { return skips_.list(); }

  Place place(Part part) const override {
    const std::size_t within = part == Part::time     ? layout_->time_us
                               : part == Part::lbn    ? layout_->sector
                               : part == Part::blocks ? layout_->bytes
                                                      : layout_->command;
    return at(within);
  }

  bool next(Record& record) override {
    for (;;) {
      const std::uint64_t begin = input_.offset();
      if (!layout_ && input_.peek(1).empty()) return false;
      ++number_;
      begin_ = begin;
      if (!layout_)
        throw Error(ExitStatus::bad_input,
                    fmt::format("{} is no vscsi trace: neither of its two layouts of records fits "
                                "the first ones",
                                input_.name()));
      const std::string_view bytes = input_.take(layout_->size);
      if (bytes.empty()) return false;
      if (bytes.size() < layout_->size)
        throw BadRecord(input_.name(), at(bytes.size()),
                        fmt::format("the record ends after {} of its {} bytes; the trace is cut "
                                    "short",
                                    bytes.size(), layout_->size));
      if (parse(bytes, record)) return true;
    }
  }

 private:
  Place at(std::size_t within) const { return {number_, begin_ + within, true}; }

  bool parse(std::string_view bytes, Record& record) {
    if (little<std::uint16_t>(bytes, layout_->version_at) >> 8 != layout_->version)
      throw BadRecord(input_.name(), at(layout_->version_at),
                      "the record is of another version than the first");
    const char command = operation_of_opcode(little<std::uint16_t>(bytes, layout_->command));
    const auto length = little<std::uint32_t>(bytes, layout_->bytes);
    if (command == 'X' || length == 0) {
      skips_.add(command == 'X' ? "other SCSI commands" : "requests of no bytes", at(0));
      return false;
    }
    const auto time_us = little<std::uint64_t>(bytes, layout_->time_us);
    const std::optional<Nanoseconds> arrival_ns = times_.since_first(time_us, kMicrosecond);
    if (!arrival_ns)
      throw BadRecord(
          input_.name(), at(layout_->time_us),
          fmt::format("the time {} us is years from that of the first record", time_us));
    record.request = {.arrival_ns = *arrival_ns, .write = command == 'W'};
    const auto sector = little<std::uint64_t>(bytes, layout_->sector);
    if (sector > std::numeric_limits<std::uint64_t>::max() / kSector)
      throw BadRecord(input_.name(), at(layout_->sector),
                      fmt::format("sector {} lies past the end of any drive", sector));
    record.first = sector * kSector;
    record.count = length;
    return true;
  }

  Input input_;
  const Layout* layout_ = nullptr;  // none: it is empty, or another file
  ClockTimes times_;
  std::uint64_t number_ = 0, begin_ = 0;
  Skips skips_;
};

}  // namespace

const FormatRow kVscsi = {
    .format = Format::vscsi,
    .name = "vscsi",
    .reader = [](std::vector<Input> inputs, const Reading&) -> std::unique_ptr<RecordReader> {
      return std::make_unique<VscsiReader>(std::move(inputs.front()));
    },
    .begins =
        [](const Beginning& beginning) {
          return layout_of(beginning.head.substr(0, 2 * kSecond_.size)) != nullptr;
        },
    .binary = true,
};

}  // namespace platter::trace
