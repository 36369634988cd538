#include "virtual_drive/truth.h"

#include <fmt/format.h>

#include "model/error.h"
#include "virtual_drive/open.h"

namespace platter::virtual_drive {
namespace {

const std::string kPhase = "power-on phase: ";

std::string phase_note(const VirtualDevice& device, const model::DriveModel& asked) {
  if (!asked.imperfections || !asked.imperfections->random_phase)
    return "0, the platter's angle is 0 at time 0";
  if (asked.imperfections->seed == 0) return "a new one in every run, for no seed is given";
  const double turns = static_cast<double>(device.power_on_phase_ns()) *
                       static_cast<double>(asked.rotation.denominator) /
                       static_cast<double>(asked.rotation.numerator_ns);
  return fmt::format("{:.6f} revolutions ahead, from seed {}", turns, asked.imperfections->seed);
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
  auto& notes = truth.provenance.notes;  // a truth may be played again: the phase is then another
  std::erase_if(notes, [](const std::string& note) { return note.starts_with(kPhase); });
  notes.push_back(kPhase + phase_note(device, truth));
  return truth;
}

}  // namespace platter::virtual_drive
