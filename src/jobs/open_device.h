// From a device name on the command line to a Device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scsi/device.h"

namespace platter::jobs {

// Whether it is the name of a device; else it is one of a file.
bool names_device(const std::string& name);

// What a command does with a drive. Where nobody can tell whether a drive is in use, a command that
// changes something needs the user's word that it is not.
struct Opening {
  bool changes = true;                       // writes, or settings
  std::vector<std::string> not_in_use = {};  // names of devices, as the user gave them
};

// `name` is /dev/sgN, /dev/sdX, /dev/bsg/..., virtual:NAME, virtual:FILE.json or exec:COMMAND.
// Throws Error with a sentence of its own for everything that can't be opened. A notice tells of a
// drive that may be in use, and is only read.
std::unique_ptr<scsi::Device> open_device(const std::string& name, const Opening& opening);

}  // namespace platter::jobs
