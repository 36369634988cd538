// From a device name on the command line to a Device.
#pragma once

#include <memory>
#include <string>

#include "scsi/device.h"

namespace platter::cli {

// Whether it is the name of a device; else it is one of a file.
bool names_device(const std::string& name);

// `name` is /dev/sgN, /dev/sdX, /dev/bsg/..., virtual:NAME, virtual:FILE.json or exec:COMMAND.
// Throws Error with a sentence of its own for everything that can't be opened.
std::unique_ptr<scsi::Device> open_device(const std::string& name);

}  // namespace platter::cli
