// The drives of an emulation as all their guests have them: commands in, and what is due of them
// out, whoever sent it. It has no clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/scsi/scsi_drive.h"
#include "emulator/vhost_user/keeper.h"

namespace platter::emulator {

class SharedDrives {
 public:
  // What the commands of all guests move that are outstanding, in bytes: a drive holds the data of
  // a read from the moment on at which it takes the command up. `own` is each guest's beyond it,
  // whatever others do.
  struct Room {
    std::uint64_t most = 256U << 20, own = 2U << 20;
  };

  // Later than anything is due.
  static constexpr Nanoseconds kWhenever = std::numeric_limits<Nanoseconds>::max() / 4;

  // Both outlive it; at least one drive. `keeper` may be null: nothing has to outlive the host.
  SharedDrives(std::span<const std::unique_ptr<ScsiDrive>> drives, Keeper* keeper)
      : SharedDrives(drives, keeper, Room()) {}
  SharedDrives(std::span<const std::unique_ptr<ScsiDrive>> drives, Keeper* keeper, Room room)
      : drives_(drives), keeper_(keeper), room_(room) {}

  std::size_t size() const { return drives_.size(); }
  void submit(unsigned drive, const scsi::Command& command, std::uint32_t tag, Nanoseconds now_ns);
  void abort(unsigned drive, std::uint32_t tag, Nanoseconds now_ns);
  // Nobody waits for that one any more, if its answer never comes. Whether that was so.
  bool forget_stuck(unsigned drive, std::uint32_t tag) { return drives_[drive]->forget_stuck(tag); }
  // Nobody waits for that one any more.
  void forget(std::uint32_t tag);
  // A drive forgets the commands of all guests. Each of those is told by what set_on_reset() gave.
  void reset(unsigned drive, Nanoseconds now_ns);
  void set_on_reset(std::function<void(unsigned drive)> told) { on_reset_ = std::move(told); }
  // All guests abort what they have in a drive's task set: each is told by what set_on_clear()
  // gave.
  void clear(unsigned drive, Nanoseconds now_ns) {
    if (on_clear_) on_clear_(drive, now_ns);
  }
  void set_on_clear(std::function<void(unsigned drive, Nanoseconds now_ns)> told) {
    on_clear_ = std::move(told);
  }
  // The power of all drives goes and comes back: nobody has answers.
  void power_cycle(Nanoseconds now_ns);

  // When to ask next() again, at the latest: nothing is due before, but for what the keeper has not
  // done yet. nullopt: nothing is outstanding.
  std::optional<Nanoseconds> next_due() const;
  // The next answer that is due by then, if there is one.
  std::optional<scsi::Completion> next(Nanoseconds until_ns);
  // As Target's.
  std::span<const std::uint8_t> data_of(unsigned drive, std::uint32_t tag) const {
    return drives_[drive]->data_of(tag);
  }
  // The answer's data, which nobody needs any more.
  void reuse(unsigned drive, std::vector<std::uint8_t> data) {
    drives_[drive]->reuse(std::move(data));
  }

  // So many guests share the room.
  void set_guests(std::size_t guests) { guests_ = std::max<std::size_t>(guests, 1); }
  // Of each drive's task set a guest has its equal part, so that one that keeps it full leaves some
  // to others; alone it has what the drive takes.
  std::size_t most_commands() const {
    constexpr std::size_t kTaskSet = 64, kAny = std::numeric_limits<std::size_t>::max();
    return guests_ == 1 ? kAny : std::max<std::size_t>(kTaskSet / guests_, 1);
  }
  // Whether there is some for a command that moves `more`, of a guest whose others move `moved`.
  bool has_room(std::uint64_t moved, std::uint64_t more) const {
    if (moved + more <= room_.own) return true;
    return (moved == 0 || moved + more <= room_.most / guests_) && bytes_ + more <= room_.most;
  }
  void add_bytes(std::uint64_t bytes) { bytes_ += bytes; }
  void take_bytes_off(std::uint64_t bytes) { bytes_ -= bytes; }
  // Where a command is read to: a drive has done with it when submit() returns.
  scsi::Command& command() { return command_; }

 private:
  struct KeptBack {
    scsi::Completion completion;
    Keeper::Ticket kept_by;
  };
  void keep(unsigned drive);
  std::optional<scsi::Completion> due(Nanoseconds until_ns);
  std::optional<scsi::Completion> kept();

  std::span<const std::unique_ptr<ScsiDrive>> drives_;
  Keeper* keeper_;
  std::function<void(unsigned)> on_reset_{};
  std::function<void(unsigned, Nanoseconds)> on_clear_{};
  std::unordered_map<std::uint32_t, Keeper::Ticket> kept_by_{};  // by tag: not answered before
  std::vector<KeptBack> kept_back_{};                            // due, but for the keeper
  const Room room_;
  std::size_t guests_ = 1;
  std::uint64_t bytes_ = 0;
  scsi::Command command_{};
};

}  // namespace platter::emulator
