// `virtual:` device names: which drive, and how it is to behave.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "model/drive_model.h"
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
//   lun=N                       the Nth of its two logical units, an arm's each (split_units.h)
// That drive, powered on at time 0 of its clock.
std::unique_ptr<VirtualDevice> open_virtual(const std::string& name);
// The same, or one of its logical units (lun=N).
std::unique_ptr<scsi::Device> open_unit(const std::string& name);
// Both units of one drive; empty: the names are of something else.
std::array<std::unique_ptr<scsi::Device>, 2> open_units(const std::array<std::string, 2>& names);

// What a virtual drive really is, for those who may know it: `platter truth`.
// The model that virtual:NAME or virtual:FILE.json plays, imperfections included. Where a seed is
// given the power-on phase follows from it, and a note of the provenance tells it. Throws as
// open_virtual does, and Error(usage) for a name of another kind.
model::DriveModel truth_of(const std::string& device_name);

}  // namespace platter::virtual_drive
