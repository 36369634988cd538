// The lines of one drive in an emulation's log of commands (docs/emulators.md): what its target was
// asked, in that order, and what it answered. The same questions to a target over the same model
// give the same answers.
#pragma once

#include <cstdint>

#include "emulator/pace/log_writer.h"
#include "episodes/outcome.h"
#include "model/units.h"
#include "scsi/device.h"
#include "scsi/sense.h"

namespace platter::emulator {

class CommandLog {
 public:
  // The writer outlives it; lines begin with the drive's number.
  CommandLog(LogWriter& writer, unsigned drive) : writer_(writer), drive_(drive) {}

  void submitted(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns);
  // The host's storage did not give or take some blocks: no other target can repeat that.
  void contents_failed(int error);
  void taken(const scsi::Completion& completion);
  // An episode acts on that answer.
  void acted(std::uint32_t tag, const episodes::Action& action);
  // Asked at that time for what is due, it had nothing: it was still on its way to the host.
  void had_nothing(Nanoseconds now_ns);
  void delivered(std::uint32_t tag, Nanoseconds at_ns);
  void aborted(std::uint32_t tag, Nanoseconds now_ns);
  void reset(Nanoseconds now_ns);
  void power_cycled(Nanoseconds now_ns);

 private:
  template <typename... Values>
  void line(char kind, const Values&... values);

  LogWriter& writer_;
  unsigned drive_;
};

// What a completion's sense data say, as one number.
// Sense key, code and qualifier: 0x052400 is 5/24/00. 0: there are none.
inline std::uint32_t sense_number(const scsi::Completion& completion) {
  const auto sense = scsi::decode_sense(completion.sense);
  if (!sense) return 0;
  return static_cast<std::uint32_t>(sense->key) << 16 | std::uint32_t{sense->asc} << 8 |
         sense->ascq;
}

}  // namespace platter::emulator
