#include "virtual_drive/virtual_device.h"

#include <algorithm>
#include <utility>

namespace platter::virtual_drive {

void VirtualDevice::VirtualClock::sleep_until_ns(Nanoseconds deadline_ns) {
  if (deadline_ns > now_ns()) drive_ns_ = drive_ns_of(deadline_ns);
}

void VirtualDevice::VirtualClock::notice(Nanoseconds drive_ns) {
  drive_ns_ = std::max(drive_ns_, host_.noticed_ns(drive_ns));
}

VirtualDevice::VirtualDevice(const model::DriveModel& model, std::string name)
    : name_(std::move(name)),
      target_(model),
      clock_(HostTime(model.imperfections.value_or(model::Imperfections{}), target_.seed())) {}

const std::string& VirtualDevice::name() const { return name_; }

scsi::Clock& VirtualDevice::clock() { return clock_; }

std::uint32_t VirtualDevice::max_outstanding() const { return Target::kMostOutstanding; }

scsi::Expected<void> VirtualDevice::submit(const scsi::Command& command, std::uint32_t tag) {
  if (target_.holds(tag))
    return tl::unexpected(scsi::TransportError{
        scsi::TransportError::Kind::protocol,
        name_ + " was given tag " + std::to_string(tag) +
            " while a command of that tag is outstanding; give each command a tag of its own"});
  target_.submit(command, tag, clock_.drive_ns());
  return {};
}

// From look to look, not past the deadline.
std::optional<scsi::Completion> VirtualDevice::earliest(std::optional<Nanoseconds> deadline_ns) {
  for (auto due_ns = target_.next_due(); due_ns && (!deadline_ns || *due_ns <= *deadline_ns);
       due_ns = target_.next_due()) {
    auto completion = target_.take(*due_ns);
    if (!completion) continue;
    clock_.notice(completion->completed_ns);
    completion->issued_ns = clock_.shown_ns(completion->issued_ns);
    completion->completed_ns = clock_.now_ns();
    return completion;
  }
  return std::nullopt;
}

scsi::Expected<std::optional<scsi::Completion>> VirtualDevice::reap() {
  return earliest(std::nullopt);
}

scsi::Expected<std::optional<scsi::Completion>> VirtualDevice::reap_until(Nanoseconds deadline_ns) {
  auto completion = earliest(clock_.drive_ns_of(deadline_ns));
  if (!completion) clock_.sleep_until_ns(deadline_ns);
  return completion;
}

scsi::Expected<void> VirtualDevice::reset() {
  target_.reset(clock_.drive_ns());
  return {};
}

}  // namespace platter::virtual_drive
