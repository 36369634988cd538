#include "emulator/vhost_user/shared_drives.h"

#include <algorithm>

namespace platter::emulator {

void SharedDrives::submit(unsigned drive, const scsi::Command& command, std::uint32_t tag,
                          Nanoseconds now_ns) {
  drives_[drive]->submit(command, tag, now_ns);
  keep(drive);
}

// What was taken up since: some of it is not answered before it is kept.
void SharedDrives::keep(unsigned drive) {
  drives_[drive]->take_has_to_last([&](std::uint32_t tag) {
    if (keeper_ != nullptr && !kept_by_.contains(tag))
      kept_by_[tag] = keeper_->begin(drives_[drive]->contents());
  });
}

void SharedDrives::forget(std::uint32_t tag) {
  if (kept_by_.erase(tag) > 0)
    std::erase_if(kept_back_, [&](const KeptBack& each) { return each.completion.tag == tag; });
}

void SharedDrives::abort(unsigned drive, std::uint32_t tag, Nanoseconds now_ns) {
  drives_[drive]->abort(tag, now_ns);
  keep(drive);
}

void SharedDrives::reset(unsigned drive, Nanoseconds now_ns) {
  drives_[drive]->reset(now_ns);
  if (on_reset_) on_reset_(drive);
}

void SharedDrives::power_cycle(Nanoseconds now_ns) {
  kept_back_.clear();
  kept_by_.clear();
  for (const auto& drive : drives_) drive->power_cycle(now_ns);
}

std::optional<Nanoseconds> SharedDrives::next_due() const {
  std::optional<Nanoseconds> first;
  for (const auto& drive : drives_)
    if (const auto due_ns = drive->next_due(); due_ns && (!first || *due_ns < *first))
      first = due_ns;
  return first;
}

std::optional<scsi::Completion> SharedDrives::next(Nanoseconds until_ns) {
  if (!kept_back_.empty())
    if (auto completion = kept()) return completion;
  return due(until_ns);
}

std::optional<scsi::Completion> SharedDrives::due(Nanoseconds until_ns) {
  for (;;) {
    const auto first = std::ranges::min_element(
        drives_, {}, [](const auto& drive) { return drive->next_due().value_or(kWhenever); });
    const auto due_ns = (*first)->next_due();
    if (!due_ns || *due_ns > until_ns) return std::nullopt;
    auto completion = (*first)->take(*due_ns);
    keep(static_cast<unsigned>(first - drives_.begin()));
    if (!completion) continue;
    const auto kept_by = kept_by_.find(completion->tag);
    if (kept_by == kept_by_.end()) return completion;
    kept_back_.push_back({*std::move(completion), kept_by->second});
    if (auto done = kept()) return done;
  }
}

// What the host did not keep is no success.
std::optional<scsi::Completion> SharedDrives::kept() {
  for (auto each = kept_back_.begin(); each != kept_back_.end(); ++each) {
    const auto error = keeper_->result(each->kept_by);
    if (!error) continue;
    scsi::Completion completion = std::move(each->completion);
    kept_back_.erase(each);
    kept_by_.erase(completion.tag);
    if (*error != 0) ScsiDrive::fail(completion);
    return completion;
  }
  return std::nullopt;
}

}  // namespace platter::emulator
