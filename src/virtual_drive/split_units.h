// A drive of two arms that is two logical units: each is a range of its blocks, all share one
// target, one spindle and one clock.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "model/drive_model.h"
#include "scsi/device.h"

namespace platter::virtual_drive {

class SplitUnits {
 public:
  // Throws Error(bad_input) for a model that has not one range for each of two arms.
  SplitUnits(const model::DriveModel& model, const std::string& name);
  // The unit of that number, from 0; each once.
  std::unique_ptr<scsi::Device> unit(std::size_t number, std::string name) const;

 private:
  struct Shared;
  class Unit;
  std::shared_ptr<Shared> shared_;
};

}  // namespace platter::virtual_drive
