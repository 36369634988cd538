// The errors that reach a person: one sentence that names the thing, what is wrong and what to do,
// and an exit status of its own. Thrown at the edges (files, command line, an experiment that
// cannot go on); results from devices are `tl::expected` and become an Error where a run must stop.
#pragma once

#include <stdexcept>
#include <string>

namespace platter {

// Exit statuses of the program; docs/exit-statuses.md is their reference.
enum class ExitStatus : int {
  ok = 0,
  internal = 1,          // a defect of platter itself
  usage = 2,             // the command line is wrong
  no_device = 3,         // the device does not exist or is no disk drive
  permission = 4,        // the device or file may not be opened
  refused = 5,           // mounted, held, in use, or the run was not allowed to do it
  bad_input = 6,         // a file is not what it should be
  protocol = 7,          // the drive answers what the protocol does not allow
  drive_error = 8,       // the drive reports an error that stops the run
  unsupported = 9,       // the drive lacks what the experiment needs
  output = 10,           // a result cannot be written
  missing_program = 11,  // a helper program (gnuplot) is not installed
  differs = 12,          // diff: two models, by more than their errors; a log, from the engine
  incomplete = 13,    // a run ended by itself without a map, or without a stage that it announced
  some_failed = 14,   // of several drives: not each has a whole model
  unwritten = 15,     // too little of a zoned drive was written: there is nothing to time
  interrupted = 130,  // stopped by a signal; settings were restored
};

class Error : public std::runtime_error {
 public:
  Error(ExitStatus status, const std::string& sentence)
      : std::runtime_error(sentence), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

}  // namespace platter
