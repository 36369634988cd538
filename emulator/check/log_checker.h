// What both checks of a log are made of: line after line, and the first that differs.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/check/check_log.h"
#include "emulator/check/log_reader.h"

namespace platter::emulator {

class LogChecker {
 public:
  explicit LogChecker(LogReader& log) : log_(log) {}
  virtual ~LogChecker() = default;
  LogChecker(const LogChecker&) = delete;
  LogChecker& operator=(const LogChecker&) = delete;

  // Throws Error(bad_input).
  CheckedLog check() {
    while (log_.next_line()) check_line();
    return found_;
  }

 protected:
  virtual void check_line() = 0;

  std::uint32_t read_tag() {
    return static_cast<std::uint32_t>(log_.number(0, kMost32, "no tag is so large"));
  }
  void differs(const std::string& what) {
    if (found_.differ++ == 0) found_.first_difference = log_.place() + what;
  }

  LogReader& log_;
  CheckedLog found_{};
};

}  // namespace platter::emulator
