// The files of a run.
#pragma once

#include <iosfwd>
#include <string>

#include "extract/characterize.h"

namespace platter::extract {

// The raw samples first: they cost the drive's time, and stay where the model cannot be written.
// Throws Error, which then says where they are.
void save(const Run& run, const std::string& model_path, const std::string& samples_path);

// What a run measured, without what it made of it.
struct RawSamples {
  std::string drive;  // model::drive_mark
  mtbrc::Samples samples;
  cache_probe::Record cache_record;
  bool cut = false;  // the file ends in the middle of a line, which was left out
};
// Throws Error(bad_input) that names file and line.
RawSamples read_samples(std::istream& in, const std::string& name);

}  // namespace platter::extract
