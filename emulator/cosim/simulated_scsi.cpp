#include "emulator/cosim/simulated_scsi.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "emulator/vhost_user/channel.h"

namespace platter::emulator {
namespace {

// The back end's message that answers are in a ring; without an acknowledgement, since the guest
// waits for the calendar.
bool tell_of_answers(int descriptor, std::uint32_t queue) {
  constexpr std::uint32_t kRingCall = 4, kPayloadBytes = 8;
  const std::array<std::uint32_t, 5> message{kRingCall, Message::kVersion, kPayloadBytes, queue, 0};
  return write(descriptor, message.data(), sizeof message) == sizeof message;
}

}  // namespace

SimulatedScsi::SimulatedScsi(std::span<const std::unique_ptr<ScsiDrive>> drives, int socket,
                             int speed)
    : drives_(drives),
      socket_(socket),
      speed_(speed),
      shared_(drives, nullptr),
      host_(shared_, queues_),
      device_(host_, queues_, static_cast<unsigned>(drives.size()), Notification::in_band) {}

bool SimulatedScsi::take(Nanoseconds now_ns) {
  auto message = receive(socket_);
  if (!message) return false;
  reply_ = device_.handle(*std::move(message));
  stop_queue();
  if (const auto queue = device_.take_kicked()) serve(*queue, drives_time(now_ns));
  note_answered(now_ns);
  return true;
}

// What the guest waits for takes none of its time.
void SimulatedScsi::stop_queue() {
  if (const auto queue = device_.stopping()) {
    host_.drain(*queue);
    reply_ = device_.stopped();
  }
}

void SimulatedScsi::serve(unsigned queue, Nanoseconds now_ns) {
  while (queue != virtio::kEventQueue && queues_[queue].has_request()) host_.serve(queue, now_ns);
}

void SimulatedScsi::answer() {
  if (const auto reply = std::exchange(reply_, std::nullopt)) send(socket_, *reply);
}

// What was answered at once, for want of a drive or as a matter of tasks, the guest is told when it
// waits.
void SimulatedScsi::note_answered(Nanoseconds at_ns) {
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
    if (host_.take_answered(queue)) {
      to_be_called_.at(queue) = true;
      answered_ns_ = at_ns;
    }
}

std::optional<Nanoseconds> SimulatedScsi::due() const {
  auto next_ns = shared_.next_due();
  if (next_ns) next_ns = guests_time(*next_ns);
  if (!answered_ns_ || (next_ns && *next_ns < *answered_ns_)) return next_ns;
  return answered_ns_;
}

bool SimulatedScsi::deliver(Nanoseconds until_ns) {
  while (const auto answered = host_.deliver(drives_time(until_ns))) {
    drives_[answered->drive]->delivered(answered->tag, drives_time(until_ns));
    ++commands_;
  }
  note_answered(until_ns);
  answered_ns_.reset();
  return call();
}

// Whether the guest wanted it.
bool SimulatedScsi::call() {
  bool called = false;
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
    if (std::exchange(to_be_called_.at(queue), false) && queues_[queue].wants_call())
      called = tell_of_answers(device_.request_socket(), queue) || called;
  return called;
}

}  // namespace platter::emulator
