// One request of a trace, plain data: files, generators, statistics and replays pass it on by the
// thousand.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "model/units.h"

namespace platter::trace {

// Of any time in a trace: 104 days. Doubles hold it exactly.
constexpr Nanoseconds kLongestTime_ns = 9'000'000'000'000'000;

enum class Kind : std::uint8_t {
  open,    // a request arrives at its time, whatever the drive does
  closed,  // a request is issued a think time after the completion of the one before
};

// What a validate trace says of a request ("Hit", "Miss", "Doub", "Trip"); other formats: nothing.
class Tag {
 public:
  static constexpr std::size_t kMost = 7;  // characters

  Tag() = default;
  explicit Tag(std::string_view text) { text.copy(characters_.data(), kMost); }

  std::string_view text() const {
    const std::string_view all(characters_.data(), characters_.size());
    return all.substr(0, all.find('\0'));
  }
  bool operator==(const Tag&) const = default;

 private:
  std::array<char, kMost> characters_{};
};

struct Request {
  Nanoseconds arrival_ns = 0;  // open: from the start of the trace
  Nanoseconds think_ns = 0;    // closed: from this request's completion to the issue of the next
  std::optional<Nanoseconds> service_ns{};  // as measured on the drive that the trace comes from
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 1;
  std::uint32_t device = 0;
  bool write = false;
  Tag tag{};

  bool operator==(const Request&) const = default;
};
static_assert(std::is_trivially_copyable_v<Request>);

// Where something stands in a trace: a line and a column, or a record and its first byte.
struct Place {
  std::uint64_t number = 0;  // both from 1
  std::uint64_t column = 0;  // of a record: the offset of the byte
  bool binary = false;
};
std::string to_text(const Place& place);

}  // namespace platter::trace
