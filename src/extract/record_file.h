// A run's record as the file of raw samples (docs/samples.md): everything in the order of the run,
// a line as each part and each stage ended.
#pragma once

#include <iosfwd>
#include <string>

#include "extract/record.h"

namespace platter::extract {

void write_record(std::ostream& out, const Record& record);

struct KeptRecord {
  Record record;
  std::string drive;   // model::drive_mark
  bool cut = false;    // the file ends in the middle of a line, which was left out
  bool ended = false;  // it has its last line; without, the run's figures as a whole are missing
};
// Throws Error(bad_input) that names file and line, for what is no such file and for what no drive
// can have shown: blocks that it does not have, completions before their commands.
KeptRecord read_record(std::istream& in, const std::string& name);

}  // namespace platter::extract
