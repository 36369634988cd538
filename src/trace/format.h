// The trace formats by name: the one list that command lines, messages and the detection share.
// docs/traces.md says what a line or record of each holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace platter::trace {

enum class Format : std::uint8_t {
  detect,    // from the beginning of the content
  ascii,     // DiskSim: time_ms device lbn blocks flags(hex), ascending; flag 1 is a read
  validate,  // DiskSim: R|W tag lbn blocks service_us think_us
  hpl,       // HP Laboratories' SRT: binary records behind a header
  blktrace,  // Linux: struct blk_io_trace, one file for each processor
  blkparse,  // what blkparse prints of them
  iolog2,    // fio, version 2: waits and requests
  iolog3,    // fio, version 3: each request with its time
  spc,       // Storage Performance Council, UMass: asu,lba,bytes,opcode,seconds
  msr,       // Microsoft Research Cambridge: filetime,host,disk,type,offset,size,response
  etw,       // Windows 2000's TraceDmp: events as CSV
};

// Every format but `detect`, by the names that --format, --from and --to take.
std::vector<std::string> format_names();
std::string_view name_of(Format format);

// An empty name: detect. Throws Error(usage) for one that no format has.
Format format_of(std::string_view name);

// A device as a command line names it: a number, or MAJOR:MINOR of Linux. Throws Error(usage).
std::uint32_t device_number(std::string_view text);

}  // namespace platter::trace
