// When Linux handed a TEST UNIT READY to the host adapter and had it back: its tracepoints
// scsi_dispatch_cmd_start and scsi_dispatch_cmd_done, by a tracing instance (tracefs) of our own.
// Nothing outside the instance is set.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/descriptor.h"
#include "scsi/device.h"

namespace platter::transport {

// Of the logical unit "host:channel:id:lun", from the two events as the kernel prints them. A start
// without its done, a done without its start, and a pair between which events were lost tell
// nothing. Pure.
std::vector<scsi::Stamp> stamps_in(std::string_view trace, const std::string& unit);

// In tracefs a folder is an instance, which the kernel fills when it is made.
struct InstanceFolders {
  bool (*make)(const std::filesystem::path& folder);
  bool (*remove)(const std::filesystem::path& folder);
};
extern const InstanceFolders kTracefs;

class KernelStamps {
 public:
  // nullptr: this host has no such events, or does not let us have an instance. Takes away the
  // instances of runs that were killed. `root` as in host_drives.h.
  static std::unique_ptr<KernelStamps> of(const std::string& unit, const std::string& root = "",
                                          const InstanceFolders& folders = kTracefs);
  ~KernelStamps();
  KernelStamps(const KernelStamps&) = delete;
  KernelStamps& operator=(const KernelStamps&) = delete;

  // nullptr: the events cannot be turned on.
  std::unique_ptr<scsi::Stamping> stamp();

 private:
  KernelStamps(std::filesystem::path instance, const std::string& unit,
               const InstanceFolders& folders)
      : instance_(std::move(instance)), unit_(unit), folders_(folders) {}
  bool prepare();

  std::filesystem::path instance_;
  std::string unit_;
  InstanceFolders folders_;
  model::Descriptor held_;  // as long as a file of it is open, the kernel lets nobody remove an
                            // instance
};

}  // namespace platter::transport
