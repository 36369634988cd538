// Traces as streams: a Reader is asked for the next requests, a Writer is given them, so that a
// trace may be longer than memory. docs/traces.md tells the formats.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/bytes.h"
#include "trace/format.h"
#include "trace/request.h"

namespace platter::trace {

// What is known of a trace before its first request.
struct Source {
  std::string name{};  // file or workload
  Kind kind = Kind::open;
  Format format = Format::detect;   // detect: it comes from no file
  std::uint32_t block_bytes = 512;  // of the LBNs and blocks of the requests that are read
  bool says_block_bytes = false;    // false: the format counts blocks and does not say of what size
};

// Lines or records that are no request: each is counted under one reason.
struct Skipped {
  enum class Kind : std::uint8_t {
    passed_over,  // what is no read or write, or cannot be told: "discards"
    form,         // what the format has beside requests: "headers", "completions"
    lost,         // requests that the tracer itself says are missing, at one place
  };
  std::string what{};
  std::uint64_t count = 0;  // 0 of `lost`: the tracer does not say how many
  Place first{};            // where the first one stands
  Kind kind = Kind::passed_over;
};

class Reader {
 public:
  virtual ~Reader() = default;
  virtual const Source& source() const = 0;

  // Fills as much of `out` as there are requests; 0: the end. Throws Error(bad_input) that names
  // the file, the line and the column (of a binary format the record and the byte) of what is
  // wrong.
  virtual std::size_t read(std::span<Request> out) = 0;

  // What was passed over so far.
  virtual std::vector<Skipped> skipped() const { return {}; }

  // A device as its trace calls it: "8:16", "sda".
  virtual std::string device_text(std::uint32_t device) const { return std::to_string(device); }
};

struct Reading {
  Format format = Format::detect;
  std::string device{};                   // only this one's requests, by its number or its name
  bool all_devices = false;               // several are no error
  std::optional<std::uint64_t> blocks{};  // capacity: a request beyond it is an error
  std::uint32_t block_bytes = 512;        // formats in bytes or sectors: the block that LBNs count
  bool round = false;                     // outward to whole blocks, otherwise an error
  std::uint32_t reorder = 0;    // requests may lie so many places from the order of their times
  bool think_in_front = false;  // a closed trace's think times (think_times.h)
  // Formats of text that have times without their unit: in what they are; 0: as the format has it.
  Nanoseconds time_unit_ns = 0;
  bool queued = false;       // blktrace: a request arrives when it was queued (Q), not issued (D)
  std::string columns{};     // csv: which are there, in what units (columns.h)
  std::string line_regex{};  // csv: an expression whose named groups are the columns
};

// Read as front.h tells. "-" is the standard input; of a file X.blktrace.0 all X.blktrace.N are
// read. A trace of several devices of which none was chosen is an Error(bad_input) that names them,
// a trace without requests, too.
std::unique_ptr<Reader> open_trace(const std::string& path, const Reading& reading = {});
std::unique_ptr<Reader> open_trace(std::unique_ptr<ByteSource> bytes, const std::string& name,
                                   const Reading& reading = {});

class Writer {
 public:
  virtual ~Writer() = default;
  virtual Kind kind() const = 0;  // of the requests that it takes
  virtual void write(std::span<const Request> requests) = 0;

  // Without it nothing is left of what was written.
  virtual void finish() = 0;
};

struct Writing {
  std::uint32_t block_bytes = 512;  // formats in bytes or sectors: of the requests' blocks
};

// Throws Error(usage) for a name that promises what this format is not: .json, .zip, .csv of a
// format without commas.
void require_trace_name(const std::string& path, Format format);

// "-" is the standard output. Compressed as the name says (compression.h). Throws Error(output) for
// what cannot be written.
std::unique_ptr<Writer> create_trace(const std::string& path, Format format,
                                     const Writing& writing = {});
std::unique_ptr<Writer> create_trace(std::unique_ptr<ByteSink> bytes, const std::string& name,
                                     Format format, const Writing& writing = {});

// The requests of `reader` as ones of the other kind. open -> closed: the gaps between arrivals
// become think times. closed -> open: arrivals follow the measured service times; Error(bad_input)
// where there are none.
std::unique_ptr<Reader> as_kind(std::unique_ptr<Reader> reader, Kind kind);
std::unique_ptr<Reader> as_kind(Reader& reader, Kind kind);  // which must outlive it

// All of `reader` to `writer`, the kind converted where they differ; does not finish the writer.
void copy(Reader& reader, Writer& writer);

}  // namespace platter::trace
