#include "emulator/scsi/drive_contents.h"

#include <algorithm>

namespace platter::emulator {

bool DriveContents::is_dropped() const {
  return std::ranges::find(dropped_, tag_) != dropped_.end();
}

bool DriveContents::write(std::uint64_t lbn, std::span<const std::uint8_t> from) {
  if (is_dropped()) return true;
  const std::uint64_t offset = lbn * block_bytes_;
  if (volatile_ == nullptr) return note(bytes_.write(offset, from));
  VolatileContents::Ticket ticket = 0;
  if (!note(volatile_->begin_write(volatile_->power(), offset, from, ticket))) return false;
  begun_.push_back({tag_, ticket, false, false});
  return true;
}

// A command that wrote passes the cache by; another one is SYNCHRONIZE CACHE.
void DriveContents::keep() {
  if (is_dropped()) return;
  if (volatile_ == nullptr) return has_to_last_.push_back(tag_);
  bool wrote = false;
  for (Begun& begun : begun_)
    if (begun.tag == tag_) begun.through = wrote = true;
  if (!wrote) begun_.push_back({tag_, volatile_->begin_flush(), true, false});
}

int DriveContents::end(const Begun& begun) {
  if (begun.flush) return volatile_->end_flush(begun.ticket);
  const int error = volatile_->end_write(begun.ticket, begun.through);
  if (error != 0 || !begun.through || !in_order_) return error;
  return volatile_->end_flush(volatile_->begin_flush());
}

int DriveContents::end_command(std::uint32_t tag) {
  int error = 0;
  bool lasts = false;
  for (const Begun& begun : begun_) {
    if (begun.tag != tag) continue;
    if (const int failed = end(begun); error == 0) error = failed;
    lasts = lasts || begun.flush || begun.through;
  }
  if (lasts) has_to_last_.push_back(tag);
  std::erase_if(begun_, [&](const Begun& begun) { return begun.tag == tag; });
  std::erase(dropped_, tag);
  return error;
}

void DriveContents::end_all() {
  for (const Begun& begun : begun_) note(end(begun));
  begun_.clear();
  dropped_.clear();
}

int DriveContents::cut_power() {
  begun_.clear();
  dropped_.clear();
  return volatile_ == nullptr ? 0 : volatile_->cut_power();
}

}  // namespace platter::emulator
