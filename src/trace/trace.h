// A trace: the requests of a workload, with arrival times (open) or think times (closed), and its
// two file formats, those of DiskSim that are called `ascii` and `validate`. docs/metrics.md tells
// the formats.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "model/units.h"
#include "trace/format.h"

namespace platter::trace {

enum class Kind : std::uint8_t {
  open,    // a request arrives at its time, whatever the drive does
  closed,  // a request is issued a think time after the completion of the one before
};

struct Request {
  Nanoseconds arrival_ns = 0;  // open: from the start of the trace
  Nanoseconds think_ns = 0;    // closed: from this request's completion to the issue of the next
  std::uint32_t device = 0;
  std::uint64_t lbn = 0;
  std::uint32_t blocks = 1;
  bool write = false;
  std::string tag{};                        // validate: "Hit", "Miss", "Doub", "Trip"
  std::optional<Nanoseconds> service_ns{};  // as measured on the drive that the trace comes from
};

struct Trace {
  Kind kind = Kind::open;
  std::string name{};  // file or workload
  std::vector<Request> requests{};
};

struct Reading {
  Format format = Format::detect;
  std::optional<std::uint32_t> device{};   // ascii: only this device's requests
  std::optional<std::uint64_t> blocks{};   // capacity: a request beyond it is an error
};

// Throws Error(bad_input) that names the file, the line and the column of what is wrong, and for a
// trace of several devices of which none was chosen, the devices.
Trace read_trace(std::istream& in, const std::string& name, const Reading& reading = {});
Trace read_trace_file(const std::string& path, const Reading& reading = {});

// Throws Error(bad_input) if a request lies past the end of a drive of so many blocks.
void require_within(const Trace& trace, std::uint64_t blocks);

// A trace of the other kind. open -> closed: the gaps between arrivals become think times.
// closed -> open: arrivals follow the measured service times; throws Error(bad_input) without them.
Trace converted(const Trace& trace, Kind kind);

// ascii holds open traces, validate closed ones (a service time that was not measured is written
// as 0); another kind is converted first.
void write_trace(std::ostream& out, const Trace& trace, Format format);

}  // namespace platter::trace
