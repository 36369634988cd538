#include "emulator/vhost_user/scsi_host.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "virtual_drive/sense_data.h"

namespace platter::emulator {
namespace {

using virtio::CommandRequest;
using virtio::ControlRequest;
using virtio::Response;
using virtio::Task;

constexpr std::uint32_t kMostAtOnce = 128;
constexpr std::uint64_t kMostMovedAtOnce = 16U << 20;

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

scsi::Completion answer_of_full_host(const scsi::Command& command) {
  scsi::Completion completion;
  completion.status = scsi::Status::task_set_full;
  completion.residual = command.transfer_length;
  return completion;
}

}  // namespace

ScsiHost::ScsiHost(SharedDrives& drives, Queues queues, std::uint32_t number)
    : drives_(drives),
      queues_(queues),
      first_tag_(number * kMostOutstanding),
      slots_(kMostOutstanding),
      on_drives_(drives.size()) {
  for (std::uint32_t i = kMostOutstanding; i-- > 0;) free_.push_back(i);
}

std::uint64_t ScsiHost::serve(unsigned number, Nanoseconds now_ns) {
  if (number == virtio::kEventQueue) return 0;
  Virtqueue& queue = queues_[number];
  std::uint64_t moved = 0;
  for (std::uint32_t i = 0; i < kMostAtOnce && moved < kMostMovedAtOnce && queue.has_request(); ++i)
    if (number == virtio::kControlQueue)
      serve_control(queue, now_ns);
    else
      moved += serve_command(queue, number, now_ns);
  return moved;
}

// How many bytes it moves.
std::uint32_t ScsiHost::serve_command(Virtqueue& queue, unsigned number, Nanoseconds now_ns) {
  if (free_.empty()) throw BrokenGuest{"more requests are outstanding than its queues hold"};
  Slot& slot = slots_[free_.back()];
  scsi::Command& command = drives_.command();
  slot.queue = number;
  slot.bytes = 0;
  slot.ahead = 0;
  if (const std::string wrong = queue.take(slot.chain); !wrong.empty()) throw BrokenGuest{wrong};
  const auto request = virtio::read_command(slot.chain, command);
  if (!request) throw BrokenGuest{"a request is too short"};
  free_.pop_back();
  slot.used = true;
  slot.guest_tag = request->guest_tag;
  if (answer_without_drive(slot, *request)) return 0;
  slot.drive = request->address->target;
  virtio::read_data(slot.chain, command);
  if (slot.chain.memory->is_torn()) throw BrokenGuest{kTorn};  // zeros are not what it wrote
  slot.bytes = command.transfer_length;
  slot.is_on_drive = true;
  ++on_drives_[slot.drive];
  bytes_ += slot.bytes;
  drives_.add_bytes(slot.bytes);
  drives_.submit(slot.drive, command, tag_of(slot), now_ns);
  // Copied when the answer is due they would make it late.
  slot.ahead = virtio::write_data(slot.chain, drives_.data_of(slot.drive, tag_of(slot)));
  return slot.bytes;
}

bool ScsiHost::answer_without_drive(Slot& slot, const CommandRequest& request) {
  const scsi::Command& command = drives_.command();
  if (!request.address || request.address->target >= drives_.size())
    refuse(slot, Response::bad_target);
  else if (command.cdb_length == 0)
    refuse(slot, Response::failure);
  else if (request.address->lun != 0)
    give(slot, answer_of_no_unit(command));
  else if (on_drives_[request.address->target] >= drives_.most_commands() ||
           !drives_.has_room(bytes_, command.transfer_length))
    give(slot, answer_of_full_host(command));
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
  answer(slot.queue, slot.chain.head, virtio::write_answer(slot.chain, completion, slot.ahead));
  free(slot);
}

void ScsiHost::free(Slot& slot) {
  slot.used = false;
  if (std::exchange(slot.is_on_drive, false)) --on_drives_[slot.drive];
  bytes_ -= slot.bytes;
  drives_.take_bytes_off(slot.bytes);
  drives_.forget(tag_of(slot));
  slot.chain.memory.reset();
  free_.push_back(tag_of(slot) - first_tag_);
}

Answered ScsiHost::deliver(scsi::Completion completion) {
  Slot& slot = slots_[completion.tag - first_tag_];
  const Answered answered{slot.queue, slot.drive, completion.tag, completion.issued_ns,
                          completion.completed_ns};
  give(slot, completion);
  drives_.reuse(answered.drive, std::move(completion.data));
  return answered;
}

std::optional<Answered> ScsiHost::deliver(Nanoseconds until_ns) {
  auto completion = drives_.next(until_ns);
  if (!completion) return std::nullopt;
  return deliver(*std::move(completion));
}

bool ScsiHost::is_outstanding(unsigned queue) const {
  return std::ranges::any_of(slots_,
                             [&](const Slot& slot) { return slot.used && slot.queue == queue; });
}

void ScsiHost::drain(unsigned queue) {
  for (forget_stuck(queue); is_outstanding(queue); forget_stuck(queue))
    if (!deliver(SharedDrives::kWhenever)) std::this_thread::yield();  // the keeper is not done yet
}

void ScsiHost::forget_stuck(unsigned queue) {
  for (Slot& slot : slots_)
    if (slot.used && slot.queue == queue && drives_.forget_stuck(slot.drive, tag_of(slot)))
      free(slot);
}

void ScsiHost::forget(Nanoseconds now_ns) {
  for (Slot& slot : slots_)
    if (slot.used) {
      drives_.abort(slot.drive, tag_of(slot), now_ns);
      free(slot);
    }
}

void ScsiHost::lost_power() {
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
  if (request.task != Task::i_t_nexus_reset && request.address->lun != 0)
    return Response::incorrect_lun;
  return manage_one(request.address->target, request, now_ns);
}

Response ScsiHost::manage_one(unsigned number, const ControlRequest& request, Nanoseconds now_ns) {
  const auto is_its = [&](const Slot& slot) {
    return slot.used && slot.drive == number &&
           (request.task == Task::query_task_set || slot.guest_tag == request.guest_tag);
  };
  switch (request.task) {
    case Task::abort_task:
      abort(number, request.guest_tag, now_ns);
      return Response::ok;
    case Task::abort_task_set:
      abort(number, std::nullopt, now_ns);
      return Response::ok;
    case Task::clear_task_set:
      drives_.clear(number, now_ns);
      return Response::ok;
    case Task::i_t_nexus_reset:
    case Task::logical_unit_reset:
      drives_.reset(number, now_ns);
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
    drives_.abort(drive, tag_of(slot), now_ns);
    refuse(slot, Response::aborted);
  }
}

void ScsiHost::answer_all(unsigned drive, Response response) {
  for (Slot& slot : slots_)
    if (slot.used && slot.drive == drive) refuse(slot, response);
}

}  // namespace platter::emulator
