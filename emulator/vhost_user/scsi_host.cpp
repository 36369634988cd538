#include "emulator/vhost_user/scsi_host.h"

#include <algorithm>
#include <limits>
#include <thread>

#include "virtual_drive/sense_data.h"

namespace platter::emulator {
namespace {

using virtio::CommandRequest;
using virtio::ControlRequest;
using virtio::Response;
using virtio::Task;

constexpr Nanoseconds kWhenever = std::numeric_limits<Nanoseconds>::max() / 4;

// A LUN that the target does not have (SPC-4 clause 6.4.2 and 6.33): it may be asked what it is.
scsi::Completion answer_of_no_unit(const scsi::Command& command) {
  constexpr std::uint8_t kInquiry = 0x12, kNotConnected = 0x7f;
  scsi::Completion completion;
  completion.residual = command.transfer_length;
  if (command.opcode() == kInquiry && (command.cdb[1] & 0x01) == 0) {
    completion.data.assign(std::min<std::uint32_t>(command.transfer_length, 36), 0);
    if (!completion.data.empty()) completion.data[0] = kNotConnected;
    completion.residual -= static_cast<std::uint32_t>(completion.data.size());
    return completion;
  }
  completion.status = scsi::Status::check_condition;
  completion.sense = virtual_drive::fixed_sense(virtual_drive::kLogicalUnitNotSupported);
  return completion;
}

}  // namespace

ScsiHost::ScsiHost(std::span<const std::unique_ptr<ScsiDrive>> drives, Queues queues,
                   Keeper* keeper)
    : drives_(drives), queues_(queues), slots_(Virtqueue::kMostEntries), keeper_(keeper) {
  for (std::uint32_t i = Virtqueue::kMostEntries; i-- > 0;) free_.push_back(i);
}

void ScsiHost::serve(unsigned number, Nanoseconds now_ns) {
  Virtqueue& queue = queues_[number];
  while (number != virtio::kEventQueue && queue.has_request()) {
    if (number == virtio::kControlQueue)
      serve_control(queue, now_ns);
    else
      serve_command(queue, number, now_ns);
  }
}

void ScsiHost::serve_command(Virtqueue& queue, unsigned number, Nanoseconds now_ns) {
  if (free_.empty()) throw BrokenGuest{"more requests are outstanding than its queues hold"};
  Slot& slot = slots_[free_.back()];
  slot.queue = number;
  if (const std::string wrong = queue.take(slot.chain); !wrong.empty()) throw BrokenGuest{wrong};
  const auto request = virtio::read_command(slot.chain, slot.command);
  if (!request) throw BrokenGuest{"a request is too short"};
  free_.pop_back();
  slot.used = true;
  slot.guest_tag = request->guest_tag;
  slot.kept_by.reset();
  if (answer_without_drive(slot, *request)) return;
  slot.drive = request->address->target;
  drives_[slot.drive]->submit(slot.command, number_of(slot), now_ns);
  keep(slot.drive);
}

// What was taken up since: some of it is not answered before it is kept.
void ScsiHost::keep(unsigned drive) {
  drives_[drive]->take_has_to_last([&](std::uint32_t tag) {
    if (keeper_ != nullptr && !slots_[tag].kept_by)
      slots_[tag].kept_by = keeper_->begin(drives_[drive]->contents());
  });
}

bool ScsiHost::answer_without_drive(Slot& slot, const CommandRequest& request) {
  if (!request.address || request.address->target >= drives_.size())
    refuse(slot, Response::bad_target);
  else if (slot.command.cdb_length == 0)
    refuse(slot, Response::failure);
  else if (request.address->lun != 0)
    give(slot, answer_of_no_unit(slot.command));
  else
    return false;
  return true;
}

void ScsiHost::answer(unsigned queue, std::uint16_t head, std::uint32_t written) {
  queues_[queue].answer(head, written);
  answered_.at(queue) = true;
}

void ScsiHost::refuse(Slot& slot, Response response) {
  answer(slot.queue, slot.chain.head, virtio::write_refusal(slot.chain, response));
  free(slot);
}

void ScsiHost::give(Slot& slot, const scsi::Completion& completion) {
  answer(slot.queue, slot.chain.head, virtio::write_answer(slot.chain, completion));
  free(slot);
}

void ScsiHost::free(Slot& slot) {
  slot.used = false;
  std::erase_if(kept_back_,
                [&](const KeptBack& each) { return each.completion.tag == number_of(slot); });
  slot.chain.memory.reset();
  free_.push_back(number_of(slot));
}

std::optional<Nanoseconds> ScsiHost::next_due() const {
  std::optional<Nanoseconds> first;
  for (const auto& drive : drives_)
    if (const auto due_ns = drive->next_due(); due_ns && (!first || *due_ns < *first))
      first = due_ns;
  return first;
}

std::optional<scsi::Completion> ScsiHost::due(Nanoseconds until_ns) {
  for (;;) {
    const auto first = std::ranges::min_element(
        drives_, {}, [](const auto& drive) { return drive->next_due().value_or(kWhenever); });
    const auto due_ns = (*first)->next_due();
    if (!due_ns || *due_ns > until_ns) return std::nullopt;
    auto completion = (*first)->take(*due_ns);
    keep(static_cast<unsigned>(first - drives_.begin()));
    if (!completion) continue;
    const auto kept_by = slots_[completion->tag].kept_by;
    if (!kept_by) return completion;
    kept_back_.push_back({*std::move(completion), *kept_by});
    if (auto done = kept()) return done;
  }
}

// What the host did not keep is no success.
std::optional<scsi::Completion> ScsiHost::kept() {
  for (auto each = kept_back_.begin(); each != kept_back_.end(); ++each) {
    const auto error = keeper_->result(each->kept_by);
    if (!error) continue;
    scsi::Completion completion = std::move(each->completion);
    kept_back_.erase(each);
    if (*error != 0) ScsiDrive::fail(completion);
    return completion;
  }
  return std::nullopt;
}

std::optional<Answered> ScsiHost::deliver(Nanoseconds until_ns) {
  std::optional<scsi::Completion> completion;
  if (!kept_back_.empty()) completion = kept();
  if (!completion) completion = due(until_ns);
  if (!completion) return std::nullopt;
  Slot& slot = slots_[completion->tag];
  const Answered answered{slot.queue, slot.drive, completion->tag, completion->issued_ns,
                          completion->completed_ns};
  give(slot, *completion);
  drives_[answered.drive]->reuse(std::move(completion->data));
  return answered;
}

void ScsiHost::drain(unsigned queue) {
  const auto is_its = [&](const Slot& slot) { return slot.used && slot.queue == queue; };
  while (std::ranges::any_of(slots_, is_its))
    if (!deliver(kWhenever)) std::this_thread::yield();  // the keeper is not done yet
}

void ScsiHost::forget(Nanoseconds now_ns) {
  kept_back_.clear();
  for (Slot& slot : slots_)
    if (slot.used) {
      drives_[slot.drive]->abort(number_of(slot), now_ns);
      free(slot);
    }
}

void ScsiHost::power_cycle(Nanoseconds now_ns) {
  kept_back_.clear();
  for (const auto& drive : drives_) drive->power_cycle(now_ns);
  for (Slot& slot : slots_)
    if (slot.used) free(slot);
}

void ScsiHost::serve_control(Virtqueue& queue, Nanoseconds now_ns) {
  if (const std::string wrong = queue.take(control_); !wrong.empty()) throw BrokenGuest{wrong};
  const auto request = virtio::read_control(control_);
  if (!request) throw BrokenGuest{"a request to manage tasks is too short"};
  const Response response = request->manages_task ? manage(*request, now_ns) : Response::ok;
  answer(virtio::kControlQueue, control_.head,
         virtio::write_control_answer(control_, *request, response));
  control_.memory.reset();
}

// SAM-5 clause 7. A target reset and the loss of a nexus are for all that is behind the address.
Response ScsiHost::manage(const ControlRequest& request, Nanoseconds now_ns) {
  if (!request.address || request.address->target >= drives_.size()) return Response::bad_target;
  const unsigned number = request.address->target;
  ScsiDrive& drive = *drives_[number];
  if (request.task != Task::i_t_nexus_reset && request.address->lun != 0)
    return Response::incorrect_lun;
  return manage_one(drive, number, request, now_ns);
}

Response ScsiHost::manage_one(ScsiDrive& drive, unsigned number, const ControlRequest& request,
                              Nanoseconds now_ns) {
  const auto is_its = [&](const Slot& slot) {
    return slot.used && slot.drive == number &&
           (request.task == Task::query_task_set || slot.guest_tag == request.guest_tag);
  };
  switch (request.task) {
    case Task::abort_task:
      abort(number, request.guest_tag, now_ns);
      return Response::ok;
    case Task::abort_task_set:
    case Task::clear_task_set:  // there is one initiator
      abort(number, std::nullopt, now_ns);
      return Response::ok;
    case Task::i_t_nexus_reset:
    case Task::logical_unit_reset:
      drive.reset(now_ns);
      answer_all(number, Response::reset);
      return Response::ok;
    case Task::query_task:
    case Task::query_task_set:
      return std::ranges::any_of(slots_, is_its) ? Response::function_succeeded : Response::ok;
    default:
      return Response::function_rejected;
  }
}

// One of that tag, or all of them.
void ScsiHost::abort(unsigned drive, std::optional<std::uint64_t> guest_tag, Nanoseconds now_ns) {
  for (Slot& slot : slots_) {
    if (!slot.used || slot.drive != drive || (guest_tag && slot.guest_tag != *guest_tag)) continue;
    drives_[drive]->abort(number_of(slot), now_ns);
    refuse(slot, Response::aborted);
  }
}

void ScsiHost::answer_all(unsigned drive, Response response) {
  for (Slot& slot : slots_)
    if (slot.used && slot.drive == drive) refuse(slot, response);
}

}  // namespace platter::emulator
