// The virtio SCSI host: requests out of a guest's queues to the drives, which are its targets 0, 1,
// ..., and answers back. It has no clock: who drives it says when requests came and until when
// answers are due.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/scsi/scsi_drive.h"
#include "emulator/vhost_user/broken_guest.h"
#include "emulator/vhost_user/keeper.h"
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

  // All outlive it; at least one drive. `keeper` may be null: nothing has to outlive the host.
  ScsiHost(std::span<const std::unique_ptr<ScsiDrive>> drives, Queues queues, Keeper* keeper);

  // Takes what is in that queue; it came at `now_ns`. Throws BrokenGuest.
  void serve(unsigned queue, Nanoseconds now_ns);
  // When to ask deliver() again, at the latest: nothing is due before, but for what the keeper has
  // not done yet. nullopt: nothing is outstanding.
  std::optional<Nanoseconds> next_due() const;
  // The next answer that is due by then, if there is one.
  std::optional<Answered> deliver(Nanoseconds until_ns);
  // Whether that queue got answers since the last question, of which the guest is to be told.
  bool take_answered(unsigned queue) { return std::exchange(answered_.at(queue), false); }
  // What has been taken of that queue is answered, as soon as it is due and whatever the time. The
  // queue may go then.
  void drain(unsigned queue);
  // The guest is gone with all that it asked.
  void forget(Nanoseconds now_ns);
  // The power of all drives goes and comes back; the guest has no answers.
  void power_cycle(Nanoseconds now_ns);

  std::size_t outstanding() const { return slots_.size() - free_.size(); }

 private:
  struct Slot {
    bool used = false;
    unsigned queue = 0, drive = 0;
    std::uint64_t guest_tag = 0;
    Chain chain{};
    scsi::Command command{};
    std::optional<Keeper::Ticket> kept_by{};  // it is not answered before
  };
  struct KeptBack {
    scsi::Completion completion;
    Keeper::Ticket kept_by;
  };

  void serve_command(Virtqueue& queue, unsigned number, Nanoseconds now_ns);
  void serve_control(Virtqueue& queue, Nanoseconds now_ns);
  virtio::Response manage(const virtio::ControlRequest& request, Nanoseconds now_ns);
  virtio::Response manage_one(ScsiDrive& drive, unsigned number,
                              const virtio::ControlRequest& request, Nanoseconds now_ns);
  void abort(unsigned drive, std::optional<std::uint64_t> guest_tag, Nanoseconds now_ns);
  void answer_all(unsigned drive, virtio::Response response);
  bool answer_without_drive(Slot& slot, const virtio::CommandRequest& request);
  void keep(unsigned drive);
  std::optional<scsi::Completion> due(Nanoseconds until_ns);
  std::optional<scsi::Completion> kept();
  void answer(unsigned queue, std::uint16_t head, std::uint32_t written);
  void refuse(Slot& slot, virtio::Response response);
  void give(Slot& slot, const scsi::Completion& completion);
  void free(Slot& slot);
  std::uint32_t number_of(const Slot& slot) const {
    return static_cast<std::uint32_t>(&slot - slots_.data());
  }

  std::span<const std::unique_ptr<ScsiDrive>> drives_;
  Queues queues_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  Chain control_{};
  std::array<bool, virtio::kQueues> answered_{};
  Keeper* keeper_;
  std::vector<KeptBack> kept_back_{};  // due, but for the keeper
};

}  // namespace platter::emulator
