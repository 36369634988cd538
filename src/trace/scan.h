// A line of a text trace read field by field in one go, as far as it is as the format's own tools
// write it. Whatever else a format allows, and what is wrong with a line, class Line tells: who
// reads by a Scan reads anew by a Line where it says no.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "trace/request.h"

namespace platter::trace {

class Scan {
 public:
  // More may lie behind the line.
  explicit Scan(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // This character is next.
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (static_cast<std::size_t>(end_ - at_) < word.size() ||
        std::memcmp(at_, word.data(), word.size()) != 0)
      return false;
    at_ += word.size();
    return true;
  }
  // The line's end, which a carriage return may come before.
  bool take_end() {
    const char* const line_feed = at_ != end_ && *at_ == '\r' ? at_ + 1 : at_;
    if (line_feed == end_ || *line_feed != '\n') return false;
    at_ = line_feed + 1;
    return true;
  }
  // Characters so far.
  std::size_t taken() const { return static_cast<std::size_t>(at_ - begin_); }

  // A whole number of at most 18 digits.
  template <class Integer>
  bool number(Integer& value) {
    std::uint64_t wide = 0;
    const auto digits = take_digits(wide);
    value = static_cast<Integer>(wide);
    return digits > 0 && digits <= kMostDigits && wide <= std::numeric_limits<Integer>::max();
  }

  // In units of unit_ns, a power of ten: digits with or without a point, not finer than 1 ns.
  bool time(Nanoseconds& time_ns, Nanoseconds unit_ns) {
    std::uint64_t value = 0;
    auto digits = take_digits(value);
    Nanoseconds place_ns = unit_ns;  // of the last digit
    if (take('.')) {
      const auto behind = take_digits(value);
      if (behind >= static_cast<std::ptrdiff_t>(kPowers.size())) return false;
      digits += behind;
      place_ns = behind == 0 ? unit_ns : unit_ns / kPowers[static_cast<std::size_t>(behind)];
    }
    if (digits == 0 || digits > kMostDigits || place_ns == 0) return false;
    return !__builtin_mul_overflow(static_cast<Nanoseconds>(value), place_ns, &time_ns) &&
           time_ns <= kLongestTime_ns;
  }

 private:
  static constexpr std::ptrdiff_t kMostDigits = 18;  // that 64 bits hold
  static constexpr std::array<Nanoseconds, 10> kPowers = {
      1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

  // Puts them behind those of `value`; how many there were.
  std::ptrdiff_t take_digits(std::uint64_t& value) {
    const char* const begin = at_;
    for (; at_ != end_; ++at_) {
      const auto digit = static_cast<unsigned char>(*at_ - '0');
      if (digit > 9) break;
      value = 10 * value + digit;
    }
    return at_ - begin;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
};

}  // namespace platter::trace
