// An emulation's log against the engine, without a clock: the engine over the same tables, or a
// target over the same model, is asked again what the emulator asked its own, and has to give every
// time again, to the nanosecond.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/tables.h"
#include "episodes/schedule.h"
#include "model/drive_model.h"

namespace platter::emulator {

struct LoggedDrive {
  std::string model_sha256;  // of the table that `tables` are of, and of `model`
  std::uint64_t blocks;      // the drive's capacity
  std::shared_ptr<const engine::Tables> tables;
  std::optional<model::DriveModel> model{};              // a log of commands needs it
  std::shared_ptr<const episodes::Schedule> episodes{};  // null: it had none
};

struct CheckedLog {
  std::uint64_t completions = 0, flushes = 0;
  std::uint64_t episodes = 0;         // how often one of them acted
  std::uint64_t differ = 0;           // of all
  std::uint64_t left_out = 0;         // completions behind a failure of the host's storage
  std::string first_difference = "";  // a sentence, if any differs
};

// Over as many drives as the log's head names, in that order (docs/emulators.md). A last line
// without an end, of an emulator that was killed, is left out.
// Throws Error(bad_input): `name`, the line and what is wrong.
CheckedLog check_log(std::istream& log, const std::string& name,
                     const std::vector<LoggedDrive>& drives);

}  // namespace platter::emulator
