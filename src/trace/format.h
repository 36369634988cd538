// The trace formats by name: the one list that command lines, messages and the detection share.
// docs/traces.md says what a line or record of each holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace platter::trace {

enum class Format : std::uint8_t {
  detect,     // from the beginning of the content
  ascii,      // DiskSim: time_ms device lbn blocks flags(hex), ascending; flag 1 is a read
  validate,   // DiskSim: R|W tag lbn blocks service_us think_us
  hpl,        // HP Laboratories' SRT: binary records behind a header
  blktrace,   // Linux: struct blk_io_trace, one file for each processor
  blkparse,   // what blkparse prints of them
  iolog2,     // fio, version 2: waits and requests
  iolog3,     // fio, version 3: each request with its time
  spc,        // Storage Performance Council, UMass: asu,lba,bytes,opcode,seconds
  msr,        // Microsoft Research Cambridge: filetime,host,disk,type,offset,size,response
  xperf,      // Windows' event traces as xperf prints them (SNIA's of Microsoft's servers)
  wpa,        // Windows Performance Analyzer's table of disk I/O, as wpaexporter writes it
  hfplayer,   // NetApp's, as hfplayer takes them
  blkreplay,  // blkreplay's loads
  fiolat,     // fio's latency logs with offsets: measured
  fiobw,      // fio's bandwidth logs with offsets: measured
  ftrace,     // Linux' block events as ftrace, trace-cmd and perf print them
  biosnoop,   // what biosnoop prints, of bcc or bpftrace
  iosnoop,    // what iosnoop prints, of perf-tools or DTrace
  vscsi,      // CloudPhysics: binary records of VMware's virtual SCSI
  // Columns of text (trace/columns.h): whichever are named, and those of published collections.
  csv,
  systor17,      // Fujitsu's virtual desktops (SYSTOR 2017)
  alibaba,       // Alibaba's block storage (2020)
  tencent,       // Tencent's cloud block storage
  k5,            // Fujitsu's K5 cloud
  cloudphysics,  // CloudPhysics as CSV
  fiu,           // Florida International University
  mqsim,         // MQSim: DiskSim's ascii in whole nanoseconds
};

// Every format but `detect`, by the names that --format and --from take.
std::vector<std::string> format_names();
// Those of them that are written: what --to takes.
std::vector<std::string> written_format_names();
std::string_view name_of(Format format);

// An empty name: detect. Throws Error(usage) for one that no format has.
Format format_of(std::string_view name);

// A device as a command line names it: a number, or MAJOR:MINOR of Linux. nullopt: it is a name.
std::optional<std::uint32_t> number_of_device(std::string_view text);

}  // namespace platter::trace
