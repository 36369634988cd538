// Hewlett-Packard Laboratories' SRT traces: a header in words, ended by a form feed, then
// big-endian records. Facts from DiskSim 4.0 (disksim_hptrace.h, disksim_iotrace.c); that sectors
// are those of the header's `sectorsize` is seen in its sections and in the largest sector numbers
// of ajw.1week.srt.
#include <cctype>
#include <map>
#include <utility>

#include "trace/byte_order.h"
#include "trace/formats.h"
#include "trace/line_reader.h"

namespace platter::trace {
namespace {

constexpr std::size_t kLongestHeader = 1024 * 1024;
constexpr char kHeaderEnd = '\f';
constexpr std::uint32_t kShortIo = 1, kSuspectIo = 4;
constexpr std::uint32_t kReadFlagOfHpl = 1;

// Offsets of a short I/O record's 32-bit words.
enum : std::size_t {
  kSizeWord = 0,
  kIdWord = 4,
  kSecondsWord = 8,
  kMicrosecondsWord = 12,
  kStartWord = 16,
  kStopWord = 20,
  kBytesWord = 24,
  kSectorNumberWord = 28,
  kDeviceWord = 32,
  kFlagsWord = 44,
  kShortest = 52,
};
constexpr std::size_t kLongest = 4096;  // no record is longer

// The sector sizes of the header's `disks = { 0 -> { ... sectorsize = 256 ... }, 1 -> ... }`.
std::map<std::uint32_t, std::uint32_t> sector_sizes(std::string_view header) {
  std::map<std::uint32_t, std::uint32_t> sizes;
  std::uint32_t disk = 0;
  int depth = 0;
  std::string_view before, last;  // words
  for (std::size_t at = 0; at < header.size();) {
    const char c = header[at];
    if (c == '"') {
      at = std::min(header.find('"', at + 1), header.size() - 1) + 1;
    } else if (std::isalnum(static_cast<unsigned char>(c))) {
      std::size_t end = at;
      while (end < header.size() && std::isalnum(static_cast<unsigned char>(header[end]))) ++end;
      before = last;
      last = header.substr(at, end - at);
      at = end;
      std::uint32_t value = 0;
      const bool number = std::from_chars(last.data(), last.data() + last.size(), value).ec ==
                          std::errc();
      if (number && depth == 1) disk = value;
      if (number && depth == 2 && before == "sectorsize" && value > 0) sizes[disk] = value;
    } else {
      depth += (c == '{') - (c == '}');
      ++at;
    }
  }
  return sizes;
}

class HplReader final : public RecordReader {
 public:
  explicit HplReader(Input input) : input_(std::move(input)) {
    std::size_t length = 0;
    for (std::size_t most = 4096; length == 0; most *= 2) {
      const std::string_view head = input_.peek(most);
      length = head.find(kHeaderEnd) + 1;  // npos + 1: 0
      if (length == 0 && (head.size() < most || most >= kLongestHeader))
        throw Error(ExitStatus::bad_input,
                    fmt::format("{}: the header does not end; this is no SRT trace of HPL's or one "
                                "without its header",
                                input_.name()));
    }
    sector_bytes_ = sector_sizes(input_.take(length));
  }

  bool next(Record& record) override {
    for (;;) {
      begin_ = input_.offset();
      const std::string_view head = input_.peek(8);
      if (head.empty() || lost_) return false;
      ++number_;
      const auto size = word(head, kSizeWord);
      if (head.size() < 8 || size < 8 || size > kLongest)
        lost("its size is none that a record has");
      const std::string_view bytes = input_.take(size);
      if (bytes.size() < size) lost("the trace ends within it");
      const std::uint32_t id = word(bytes, kIdWord);
      if ((id & 0xffff) == kSuspectIo)
        skips_.add("suspect I/O records", at(0));
      else if ((id & 0xffff) != kShortIo)
        skips_.add("records of other kinds", at(0));
      else
        return parse(bytes, record), true;
    }
  }

  Place place(Part part) const override {
    switch (part) {
      case Part::time:
        return at(kSecondsWord);
      case Part::device:
        return at(kDeviceWord);
      case Part::lbn:
        return at(kSectorNumberWord);
      case Part::blocks:
        return at(kBytesWord);
      case Part::service:
        return at(kStopWord);
      default:
        return at(kFlagsWord);
    }
  }

  std::vector<Skipped> skipped() const override { return skips_.list(); }

 private:
  static std::uint32_t word(std::string_view bytes, std::size_t at) {
    return bytes.size() < at + 4 ? 0 : load<std::uint32_t>(bytes.data() + at, std::endian::big);
  }
  Place at(std::size_t offset) const { return {number_, begin_ + offset, true}; }
  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    throw BadRecord(input_.name(), at(offset), what);
  }
  // Without a record's size the next one is not to be found.
  [[noreturn]] void lost(const char* what) {
    lost_ = true;
    fail(kSizeWord, fmt::format("the record and all after it cannot be read: {}", what));
  }

  void parse(std::string_view bytes, Record& record) const {
    if (bytes.size() < kShortest) fail(kSizeWord, "a record of an I/O has at least 52 bytes");
    const std::uint32_t start_us = word(bytes, kStartWord), stop_us = word(bytes, kStopWord);
    if (word(bytes, kMicrosecondsWord) >= 1'000'000)
      fail(kMicrosecondsWord,
           fmt::format("{} microseconds are a second or more", word(bytes, kMicrosecondsWord)));
    if (stop_us < start_us)
      fail(kStopWord,
           fmt::format("the request stops {} us after it was queued and starts {} us after",
                       stop_us, start_us));
    const std::uint32_t disk = word(bytes, kDeviceWord) >> 8 & 0xff;
    record.request = {.arrival_ns = word(bytes, kSecondsWord) * kSecond +
                                    word(bytes, kMicrosecondsWord) * kMicrosecond,
                      .device = disk,
                      .write = !(word(bytes, kFlagsWord) & kReadFlagOfHpl)};
    if (stop_us > start_us) record.request.service_ns = (stop_us - start_us) * kMicrosecond;
    const auto sector_bytes = sector_bytes_.find(disk);
    record.first = std::uint64_t{word(bytes, kSectorNumberWord)} *
                   (sector_bytes == sector_bytes_.end() ? kSector : sector_bytes->second);
    record.count = word(bytes, kBytesWord);
  }

  Input input_;
  Skips skips_;
  std::map<std::uint32_t, std::uint32_t> sector_bytes_;  // by disk
  std::uint64_t number_ = 0, begin_ = 0;
  bool lost_ = false;
};

class HplWriter final : public RecordWriter {
 public:
  explicit HplWriter(std::uint32_t block_bytes) : block_bytes_(block_bytes) {}

  void begin(std::string& out) override {
    out += "$$TR_IOREC-1.3";
    out += '\0';
    out += "\nversion      = 1.3;\ntracedate    = \"Thu Jan  1 00:00:00 1970\";\n";
    out += "system       = \"platter\";\ndisks        = {\n";
    for (int disk = 0; disk <= 0xff; ++disk)
      fmt::format_to(std::back_inserter(out), "\t{} -> {{ sectorsize = {} }}{}\n", disk,
                     block_bytes_, disk < 0xff ? "," : "");
    out += "\t};\n";
    out += kHeaderEnd;
  }

  void append(std::string& out, const Request& request) override {
    const Nanoseconds service_us = request.service_ns.value_or(0) / kMicrosecond;
    if (request.device > 0xff || request.lbn > 0xffffffff ||
        byte_count(request, block_bytes_) > 0xffffffff ||
        request.arrival_ns / kSecond > 0xffffffff || service_us > 0xffffffff)
      throw Error(
          ExitStatus::output,
          fmt::format("the request at {} ms for device {}, LBN {}, {} blocks does not fit the "
                      "32-bit fields of an SRT trace; choose another format",
                      to_ms(request.arrival_ns), request.device, request.lbn, request.blocks));
    const auto put = [&](auto value) {
      store<std::uint32_t>(out, static_cast<std::uint32_t>(value), std::endian::big);
    };
    put(kShortest);
    put(1u << 16 | kShortIo);
    put(request.arrival_ns / kSecond);
    put(request.arrival_ns % kSecond / kMicrosecond);
    put(0);  // starts when queued
    put(service_us);
    put(byte_count(request, block_bytes_));
    put(request.lbn);
    put(request.device << 8);
    put(0);  // type of driver
    put(0);  // cylinder
    put(request.write ? 0u : kReadFlagOfHpl);
    put(0);  // where it came from
  }

 private:
  std::uint32_t block_bytes_;
};

}  // namespace

const FormatRow kHpl = {
    .format = Format::hpl,
    .name = "hpl",
    .reader = [](std::vector<Input> inputs, const Reading&) -> std::unique_ptr<RecordReader> {
      return std::make_unique<HplReader>(std::move(inputs.front()));
    },
    .writer = [](std::uint32_t block_bytes) -> std::unique_ptr<RecordWriter> {
      return std::make_unique<HplWriter>(block_bytes);
    },
    .begins = [](const Beginning& beginning) { return beginning.head.starts_with("$$TR_IOREC"); },
    .binary = true,
    .each_measured = true,
    .names_platter = true,
};

}  // namespace platter::trace
