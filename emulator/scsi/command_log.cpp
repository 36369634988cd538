#include "emulator/scsi/command_log.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "emulator/scsi/block_request.h"

namespace platter::emulator {
namespace {

// Parameter lists are shorter.
constexpr std::size_t kMostData = 4096;

// Bytes in hexadecimal digits, in place; "-": none.
class Hex {
 public:
  explicit Hex(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (bytes.empty()) text_[size_++] = '-';
    for (const std::uint8_t byte : bytes.first(std::min(bytes.size(), kMostData))) {
      text_[size_++] = kDigits[byte >> 4];
      text_[size_++] = kDigits[byte & 15];
    }
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 2 * kMostData> text_;
  std::size_t size_ = 0;
};

}  // namespace

template <typename... Values>
void CommandLog::line(char kind, const Values&... values) {
  std::array<char, 256 + 2 * kMostData> text;
  char* end = fmt::format_to(text.data(), FMT_COMPILE("{} {}"), drive_, kind);
  ((end = fmt::format_to(end, FMT_COMPILE(" {}"), values)), ...);
  writer_.line({text.data(), static_cast<std::size_t>(end - text.data())});
}

// Blocks of the medium stay out of the log: when they come does not depend on what they hold.
void CommandLog::submitted(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns) {
  const Hex cdb(std::span(command.cdb).first(command.cdb_length));
  const bool has_list = command.direction == scsi::Direction::to_device &&
                        !moves_blocks(command.opcode());
  const Hex data(has_list ? std::span<const std::uint8_t>(command.data)
                          : std::span<const std::uint8_t>());
  line('c', tag, issued_ns, static_cast<int>(command.attribute),
       static_cast<int>(command.direction), command.transfer_length, cdb.text(), data.text());
}

void CommandLog::contents_failed(int error) { line('x', error); }

void CommandLog::taken(const scsi::Completion& completion) {
  line('t', completion.tag, completion.completed_ns, static_cast<int>(completion.status),
       completion.residual, sense_number(completion));
}

void CommandLog::acted(std::uint32_t tag, const episodes::Action& action) {
  const std::uint32_t place = action.episode + 1;
  const char* const what = episodes::word_of(action.what);
  if (action.due_ns == episodes::kNever)
    line('e', tag, place, what, '-');
  else
    line('e', tag, place, what, action.due_ns);
}

void CommandLog::had_nothing(Nanoseconds now_ns) { line('n', now_ns); }
void CommandLog::delivered(std::uint32_t tag, Nanoseconds at_ns) { line('d', tag, at_ns); }
void CommandLog::aborted(std::uint32_t tag, Nanoseconds now_ns) { line('a', tag, now_ns); }
void CommandLog::reset(Nanoseconds now_ns) { line('r', now_ns); }
void CommandLog::power_cycled(Nanoseconds now_ns) { line('p', now_ns); }

}  // namespace platter::emulator
