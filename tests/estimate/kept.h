// Samples written to a file and read from it.
#pragma once

#include <sstream>

#include "estimate/samples.h"
#include "samples/file.h"

namespace platter::estimate {

inline Samples kept_and_read(const Samples& samples) {
  std::stringstream text;
  samples::Writer file(text, {});
  for (const Sample& sample : samples) write_sample(file, sample);
  Samples again;
  samples::Reader(text, "kept").each([&](const samples::Line& line) {
    again.push_back(sample_of(line).value());
  });
  return again;
}

}  // namespace platter::estimate
