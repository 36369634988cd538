#include "virtual_drive/truth.h"

#include <fmt/format.h>

#include "model/error.h"
#include "virtual_drive/open.h"

namespace platter::virtual_drive {
namespace {

std::string phase_note(const VirtualDevice& device, const model::DriveModel& asked) {
  if (!asked.imperfections || !asked.imperfections->random_phase)
    return "power-on phase: 0, the platter's angle is 0 at time 0";
  if (asked.imperfections->seed == 0)
    return "power-on phase: a new one in every run, for no seed is given";
  const double turns = static_cast<double>(device.power_on_phase_ns()) *
                       static_cast<double>(asked.rotation.denominator) /
                       static_cast<double>(asked.rotation.numerator_ns);
  return fmt::format("power-on phase: {:.6f} revolutions ahead, from seed {}", turns,
                     asked.imperfections->seed);
}

}  // namespace

model::DriveModel truth_of(const std::string& device_name) {
  if (!device_name.starts_with("virtual:"))
    throw Error(ExitStatus::usage, device_name +
                                       " is no virtual drive, and nobody knows the truth "
                                       "about others; name virtual:NAME or "
                                       "virtual:FILE.json");
  model::DriveModel truth = virtual_model(device_name);
  const VirtualDevice device(truth, device_name);
  truth.provenance.notes.push_back(phase_note(device, truth));
  return truth;
}

}  // namespace platter::virtual_drive
