// The Reader of a file: what one format's records mean, selected, in whole blocks, in order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/record.h"
#include "trace/stream.h"

namespace platter::trace {

// The reader of the format of `reading`, or of the one that the first input's beginning tells, which
// is then set. More than one input: of a blktrace, each processor's.
std::unique_ptr<RecordReader> record_reader(std::vector<Input> inputs, Reading& reading);

std::unique_ptr<Reader> checked_reader(std::unique_ptr<RecordReader> records, const std::string& name,
                                       const Reading& reading);

}  // namespace platter::trace
