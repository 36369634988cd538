// A trace in memory: the requests of a workload, with arrival times (open) or think times (closed).
// What is longer than memory is read as a stream (trace/stream.h).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "trace/stream.h"

namespace platter::trace {

struct Trace {
  Kind kind = Kind::open;
  std::string name{};  // file or workload
  std::vector<Request> requests{};
};

// All that the reader gives; throws what it throws.
Trace read_trace(Reader& reader);
Trace read_trace(std::istream& in, const std::string& name, const Reading& reading = {});
Trace read_trace_file(const std::string& path, const Reading& reading = {});

// The trace as a stream; it must outlive the reader.
std::unique_ptr<Reader> reader_of(const Trace& trace);

// Throws Error(bad_input) if a request lies past the end of a drive of so many blocks.
void require_within(const Trace& trace, std::uint64_t blocks);

// A trace of the other kind, as as_kind() makes it.
Trace converted(const Trace& trace, Kind kind);

// A trace of the other kind than the format's is converted first.
void write_trace(std::ostream& out, const Trace& trace, Format format);

}  // namespace platter::trace
