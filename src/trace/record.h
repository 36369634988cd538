// What the reader and the writer of one format do; all that formats have in common (selection,
// units, order, capacity) is on top of it (checked_reader.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/error.h"
#include "trace/input.h"
#include "trace/request.h"
#include "trace/stream.h"

namespace platter::trace {

// A record that cannot be read; what follows it can.
class BadRecord : public Error {
 public:
  BadRecord(const std::string& name, const Place& where, const std::string& what);
  const Place& place() const { return place_; }
  const std::string& finding() const { return finding_; }  // without the place

 private:
  Place place_;
  std::string finding_;
};

// A record as the file has it: lbn and blocks of the request are not set; `first` and `count` are,
// in bytes if in_bytes(), otherwise in blocks.
struct Record {
  Request request{};
  std::uint64_t first = 0, count = 0;
};

enum class Part : std::uint8_t { time, device, lbn, blocks, operation, service };

class RecordReader {
 public:
  virtual ~RecordReader() = default;

  // The next record; false at the end. Throws BadRecord and can be asked on, or an Error that is
  // final.
  virtual bool next(Record& record) = 0;

  // Where this part of the last record stands.
  virtual Place place(Part part) const = 0;

  virtual Kind kind() const { return Kind::open; }
  virtual bool in_bytes() const { return true; }  // false: in blocks, of whatever size
  virtual bool ascending() const { return kind() == Kind::open; }  // the arrival times
  virtual bool from_clock() const { return false; }  // the first request's time is that of a clock
  // So many places may a record lie from the order of its time, as the format's own tool writes it.
  virtual std::uint32_t disorder() const { return 0; }
  virtual bool has_devices() const { return true; }
  virtual std::string device_text(std::uint32_t device) const { return std::to_string(device); }
  virtual std::vector<Skipped> skipped() const { return {}; }
};

class RecordWriter {
 public:
  virtual ~RecordWriter() = default;
  virtual Kind kind() const { return Kind::open; }
  virtual void begin(std::string&) {}
  virtual void append(std::string& out, const Request& request) = 0;
  virtual void end(std::string&) {}
};

// Where a request lies in bytes; Error(output) where the format cannot say it.
std::uint64_t first_byte(const Request& request, std::uint32_t block_bytes);
std::uint64_t byte_count(const Request& request, std::uint32_t block_bytes);
std::uint64_t first_sector(const Request& request, std::uint32_t block_bytes);  // of 512 bytes

}  // namespace platter::trace
