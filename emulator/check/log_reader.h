// An emulation's log, line by line, with what is wrong where.
#pragma once

#include <cstdint>
#include <istream>
#include <limits>
#include <string>
#include <string_view>

#include "model/units.h"

namespace platter::emulator {

// What has 32 bits in a request: a tag, a length.
inline constexpr auto kMost32 = std::int64_t{std::numeric_limits<std::uint32_t>::max()};

class LogReader {
 public:
  // Both outlive it.
  LogReader(std::istream& log, const std::string& name) : log_(log), name_(name) {}

  // Throws Error(bad_input): the log's name, the line and what is wrong.
  [[noreturn]] void bad(const std::string& what) const;
  // false: there is none, or only a last one without an end, of an emulator that was killed.
  bool next_line();
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  // "NAME:LINE: "
  std::string place() const;

  // The line begins with the number of a drive below `drives`, and the letter of a kind.
  struct Head {
    std::size_t drive;
    char kind;
  };
  Head read_head(std::size_t drives);
  // What follows, separated by single blanks.
  std::string_view word();
  std::int64_t number();
  // A number within these bounds, or bad(what).
  std::int64_t number(std::int64_t least, std::int64_t most, const char* what);
  Nanoseconds time();  // what the engine's arithmetic has room for
  void end() const;    // of the line

 private:
  std::istream& log_;
  const std::string& name_;
  std::string text_{};
  std::string_view rest_{};
  std::uint64_t line_number_ = 0;
};

}  // namespace platter::emulator
