// The virtio SCSI host of one guest: requests out of its queues to the drives, which are its
// targets 0, 1, ..., and answers back. It has no clock: who drives it says when requests came and
// until when answers are due.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "emulator/vhost_user/message.h"
#include "emulator/vhost_user/shared_drives.h"
#include "emulator/vhost_user/virtio_scsi.h"
#include "emulator/vhost_user/virtqueue.h"

namespace platter::emulator {

// An answer that is in its ring now.
struct Answered {
  unsigned queue = 0, drive = 0;
  std::uint32_t tag = 0;
  Nanoseconds issued_ns = 0, completed_ns = 0;  // the drive's
};

class ScsiHost {
 public:
  using Queues = std::span<Virtqueue, virtio::kQueues>;

  static constexpr std::uint32_t kMostOutstanding = Virtqueue::kMostEntries;

  // Both outlive it. Its commands have the tags from `number` times kMostOutstanding on, so that
  // each of the guests has its own.
  ScsiHost(SharedDrives& drives, Queues queues, std::uint32_t number = 0);

  // Takes what is in that queue, as much of it as has to be looked at before others have their
  // turn; it came at `now_ns`. Returns how many bytes it moves. Throws BrokenGuest.
  std::uint64_t serve(unsigned queue, Nanoseconds now_ns);
  // The answer to one of its commands.
  Answered deliver(scsi::Completion completion);
  // For the only guest: the next answer that is due by then, if there is one.
  std::optional<Answered> deliver(Nanoseconds until_ns);
  // Whether that queue got answers since the last question, of which the guest is to be told.
  bool take_answered(unsigned queue) { return std::exchange(answered_.at(queue), false); }
  // For the only guest: what has been taken of that queue is answered, as soon as it is due and
  // whatever the time.
  void drain(unsigned queue);
  // What is stuck of that queue is not waited for: it has no answer.
  void forget_stuck(unsigned queue);
  // The guest is gone with all that it asked.
  void forget(Nanoseconds now_ns);
  // The drives have forgotten its commands: to all of that drive that answer; or none, to any.
  void was_reset(unsigned drive) { answer_all(drive, virtio::Response::reset); }
  void was_cleared(unsigned drive, Nanoseconds now_ns) { abort(drive, std::nullopt, now_ns); }
  void lost_power();

  std::size_t outstanding() const { return slots_.size() - free_.size(); }
  bool is_outstanding(unsigned queue) const;
  // What its commands move that are outstanding.
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Slot {
    bool used = false, is_on_drive = false;
    unsigned queue = 0, drive = 0;
    std::uint64_t guest_tag = 0;
    std::uint32_t bytes = 0;
    std::size_t ahead = 0;  // bytes of its answer's data that are in the guest's memory
    Chain chain{};
  };

  std::uint32_t serve_command(Virtqueue& queue, unsigned number, Nanoseconds now_ns);
  void serve_control(Virtqueue& queue, Nanoseconds now_ns);
  virtio::Response manage(const virtio::ControlRequest& request, Nanoseconds now_ns);
  virtio::Response manage_one(unsigned number, const virtio::ControlRequest& request,
                              Nanoseconds now_ns);
  void abort(unsigned drive, std::optional<std::uint64_t> guest_tag, Nanoseconds now_ns);
  void answer_all(unsigned drive, virtio::Response response);
  bool answer_without_drive(Slot& slot, const virtio::CommandRequest& request);
  void answer(unsigned queue, std::uint16_t head, std::uint32_t written);
  void refuse(Slot& slot, virtio::Response response);
  void give(Slot& slot, const scsi::Completion& completion);
  void free(Slot& slot);
  std::uint32_t tag_of(const Slot& slot) const {
    return first_tag_ + static_cast<std::uint32_t>(&slot - slots_.data());
  }

  SharedDrives& drives_;
  Queues queues_;
  std::uint32_t first_tag_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> on_drives_;  // of each drive: how many of its commands it has
  std::vector<std::uint32_t> free_;
  Chain control_{};
  std::array<bool, virtio::kQueues> answered_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace platter::emulator
