// The readers and writers of the formats, each in a file of its own.
#pragma once

#include <memory>

#include "trace/record.h"

namespace platter::trace {

std::unique_ptr<RecordReader> ascii_reader(Input input);
std::unique_ptr<RecordReader> validate_reader(Input input);

std::unique_ptr<RecordWriter> ascii_writer();
std::unique_ptr<RecordWriter> validate_writer();

// The format that the first bytes tell. Throws Error(bad_input) where they do not.
Format detected(Input& input);

}  // namespace platter::trace
