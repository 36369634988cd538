// The Reader of a file: what one format's records mean, selected, in whole blocks, in order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/record.h"
#include "trace/stream.h"

namespace platter::trace {

// The reader of the format of `reading`, or of the one that the first input's beginning tells,
// which is then set. More than one input: of a blktrace, each processor's.
std::unique_ptr<RecordReader> record_reader(std::vector<Input> inputs, Reading& reading);

// Can be asked on after a BadRecord, which is then left out; what was read in the same call is
// lost.
class CheckedReader : public Reader {
 public:
  virtual Place place(Part part) const = 0;  // in the last request; with `reorder`, of its time
                                             // only
  virtual bool grew() const = 0;             // the last request, to whole blocks
};

// What TimeDoubt (time_doubt.h) is to doubt: the unit that the format has its times in, where
// neither the file nor the reader of it says one; else 0.
Nanoseconds doubted_unit_ns(const Reading& reading);
// A median above it is doubted in its unit.
Nanoseconds slow_ns_of(const Reading& reading);

// `all` is no error, and the unit of times is not doubted: lint.h does so.
enum class Devices : std::uint8_t { one, all };

std::unique_ptr<CheckedReader> checked_reader(std::unique_ptr<RecordReader> records,
                                              const std::string& name, const Reading& reading,
                                              Devices devices = Devices::one);

}  // namespace platter::trace
