// The lines of one drive in an emulation's log (docs/emulators.md): what its engine was asked, in
// that order, and what it answered. The same questions to an engine over the same table give the
// same answers.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/pace/log_writer.h"
#include "lib/platter.h"
#include "model/units.h"

namespace platter::emulator {

class RequestLog {
 public:
  // The writer outlives it; lines begin with the drive's number.
  RequestLog(LogWriter& writer, unsigned drive) : writer_(writer), drive_(drive) {}

  void submitted(const platter_request& request, Nanoseconds arrival_ns);
  void taken(std::uint32_t tag, Nanoseconds completion_ns);
  // An episode acts on that answer; of a flush it has no tag.
  void acted(std::optional<std::uint32_t> tag, const platter_action& action);
  void delivered(std::uint32_t tag, Nanoseconds at_ns);
  void synchronized(Nanoseconds now_ns, Nanoseconds done_ns);
  // Nobody waits for that one any more.
  void withdrawn(std::uint32_t tag, Nanoseconds now_ns);
  void power_cut(Nanoseconds now_ns);

 private:
  template <typename... Values>
  void line(char kind, Values... values);

  LogWriter& writer_;
  unsigned drive_;
};

}  // namespace platter::emulator
