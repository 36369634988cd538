// `virtual:` device names: which drive, and how it is to behave.
#pragma once

#include <memory>
#include <string>

#include "virtual_drive/virtual_device.h"

namespace platter::virtual_drive {

// The model that `name` stands for, with its options applied: what follows "virtual:" is NAME (the
// catalogue), random-N (a drive drawn at random, the same for the same N) or FILE.json (any model
// file), then perhaps ?OPTION=VALUE&OPTION=VALUE...:
//   seed=N                      noise and power-on phase of that seed; 0: new ones in every run
//   imperfections=none|default  in place of those in the drive's file
// `name` may begin with "virtual:". Throws Error: no_device for a name that is not in the
// catalogue, usage for an unknown option, bad_input for a file that is no model.
model::DriveModel virtual_model(const std::string& name);

//   power=yes, power=fixed      power conditions are drawn for it; fixed: their timers cannot be
//   set
// That drive, powered on at time 0 of its clock.
std::unique_ptr<VirtualDevice> open_virtual(const std::string& name);

}  // namespace platter::virtual_drive
