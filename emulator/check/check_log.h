// An emulation's log against the engine, without a clock: the engine over the same tables is asked
// again what the emulator asked its own, and has to give every time again, to the nanosecond.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "engine/tables.h"

namespace platter::emulator {

struct LoggedDrive {
  std::string model_sha256;  // of the table that `tables` are of
  std::uint64_t blocks;      // the drive's capacity
  std::shared_ptr<const engine::Tables> tables;
};

struct CheckedLog {
  std::uint64_t completions = 0, flushes = 0;
  std::uint64_t differ = 0;           // of both
  std::string first_difference = "";  // a sentence, if any differs
};

// A log of requests by block (docs/emulators.md), over as many drives as its head names, in that
// order. A last line without an end, of an emulator that was killed, is left out.
// Throws Error(bad_input): `name`, the line and what is wrong.
CheckedLog check_log(std::istream& log, const std::string& name,
                     const std::vector<LoggedDrive>& drives);

}  // namespace platter::emulator
