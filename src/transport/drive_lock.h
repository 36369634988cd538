// One run a drive, whichever of its nodes is named (/dev/sdX, /dev/sgN, /dev/bsg/...): a lock
// (flock) on one of its character devices, which needs no block device, no folder, and no right
// that sending commands does not need. The kernel takes it away when the process ends, however it
// does.
#pragma once

#include <string>

#include "model/descriptor.h"
#include "transport/host_drives.h"

namespace platter::transport {

class DriveLock {
 public:
  DriveLock() = default;
  // Throws Error(refused) where another process has the lock; the sentence has its number. A drive
  // with no character device that may be opened is not locked: it is opened exclusively instead.
  DriveLock(const HostDrive& drive, const std::string& path);

  // The same on any file that is open; `path` is the device, for sentences.
  DriveLock(model::Descriptor node, const std::string& path);

 private:
  model::Descriptor held_;
};

}  // namespace platter::transport
