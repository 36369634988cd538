// One line of a text trace cut into its fields, with all that an error has to name.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/record.h"

namespace platter::trace {

// What a person is shown of a field: a file that is no trace may hold anything.
std::string shown(std::string_view text);

// A time in units of `unit_ns` nanoseconds, a power of ten, exact to the nanosecond where it is
// written with digits and a point; nullopt: no number, negative, or longer than a trace may last.
std::optional<Nanoseconds> time_in(std::string_view text, Nanoseconds unit_ns);

class Line {
 public:
  explicit Line(const Input& input) : input_(input) {}

  void cut_at_blanks(std::string_view text);
  // Fields without the blanks around them.
  void cut_at(char separator, std::string_view text);
  // The same where a field in quotes may hold the separator; the quotes are no part of the field.
  void cut_quoted(char separator, std::string_view text);
  // Fields that were found otherwise, all within `text`.
  void set(std::string_view text, const std::vector<std::string_view>& fields);

  std::size_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  std::string_view operator[](std::size_t index) const { return fields_[index]; }
  std::string_view last() const { return fields_[std::min(count_, fields_.size()) - 1]; }
  std::string_view whole() const { return text_; }

  Place place(std::size_t field) const { return place_of(fields_[field].data()); }
  Place end() const { return place_of(text_.data() + text_.size()); }

  [[noreturn]] void fail(const Place& place, const std::string& what) const {
    throw BadRecord(input_.name(), place, what);
  }
  [[noreturn]] void fail(std::size_t field, const std::string& what) const {
    fail(place(field), what);
  }

  void require_fields(std::size_t wanted, const char* names) const {
    if (count_ != wanted) [[unlikely]]
      wrong_count(wanted, names);
  }
  void require_at_least(std::size_t wanted, const char* names) const {
    if (count_ < wanted) [[unlikely]]
      wrong_count(wanted, names);
  }

  template <class Integer>
  Integer integer(std::size_t index, const char* what, int base = 10) const {
    std::string_view digits = fields_[index];
    if (base == 16 && (digits.starts_with("0x") || digits.starts_with("0X")))
      digits.remove_prefix(2);
    Integer value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                              base);
    if (error == std::errc() && end == digits.data() + digits.size()) [[likely]]
      return value;
    if (error == std::errc::result_out_of_range)
      fail(index,
           fmt::format("{} {} is out of range ({} to {})", what, shown(fields_[index]),
                       std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max()));
    fail(index, fmt::format("{} \"{}\" is no {} number", what, shown(fields_[index]),
                            base == 16 ? "hexadecimal" : "whole"));
  }

  // A time in units of `unit_ns` nanoseconds, a power of ten; exact to the nanosecond.
  Nanoseconds time(std::size_t index, const char* what, Nanoseconds unit_ns) const;

  static constexpr std::size_t kMost = 64;  // fields that are kept

 private:
  Place place_of(const char* at) const {
    return {input_.line_number(), static_cast<std::uint64_t>(at - text_.data()) + 1, false};
  }
  [[noreturn]] void wrong_count(std::size_t wanted, const char* names) const;

  const Input& input_;
  std::string_view text_;
  std::array<std::string_view, kMost> fields_{};
  std::size_t count_ = 0;
};

}  // namespace platter::trace
