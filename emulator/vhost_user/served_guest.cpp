#include "emulator/vhost_user/served_guest.h"

#include <utility>

namespace platter::emulator {
namespace {

constexpr int kMostMessagesAtOnce = 32;

}  // namespace

ServedGuest::ServedGuest(model::Descriptor socket, std::uint32_t number, SharedDrives& drives,
                         Doorbells& doorbells, Patience& patience)
    : number_(number),
      doorbells_(doorbells),
      patience_(patience),
      socket_(std::move(socket)),
      host_(drives, queues_, number),
      device_(host_, queues_, static_cast<unsigned>(drives.size()), Notification::descriptors,
              {&doorbells, first()}) {
  doorbells_.add(socket_.get(), first() + kSocket, events_);
}

ServedGuest::~ServedGuest() { doorbells_.remove(socket_.get()); }

void ServedGuest::rung(const Doorbells::Rung& rung) {
  const std::uint64_t what = rung.number % kNumbers;
  if (what != kSocket) return device_.drain_kick(static_cast<unsigned>(what), patience_);
  says_something_ = true;
  if (waits_ && (rung.events & (EPOLLHUP | EPOLLERR)) != 0) is_gone_ = true;
}

// A reply that it does not take, or a queue that is still to be answered, holds up what it says
// next, and nobody else.
bool ServedGuest::converse() {
  if (is_torn()) throw BrokenGuest{kTorn};
  if (!says_something_ && !waits_) return true;
  if (const auto reply = device_.stopped()) outbox_.put(*reply);
  for (int i = 0; i < kMostMessagesAtOnce && !is_gone_; ++i) {
    if (!outbox_.send(socket_.get())) return false;
    if (!outbox_.is_empty() || device_.stopping() || !says_something_) break;
    switch (inbox_.look(socket_.get())) {
      case Inbox::Found::end:
        return false;
      case Inbox::Found::not_yet:
        says_something_ = false;
        break;
      case Inbox::Found::message:
        if (const auto reply = device_.handle(inbox_.take())) outbox_.put(*reply);
    }
  }
  watch_socket();
  return !is_gone_;
}

void ServedGuest::watch_socket() {
  waits_ = !outbox_.is_empty() || device_.stopping();
  const std::uint32_t events = !outbox_.is_empty() ? EPOLLOUT : waits_ ? 0u : EPOLLIN;
  if (events != std::exchange(events_, events))
    doorbells_.change(socket_.get(), first() + kSocket, events);
}

bool ServedGuest::has_begun() const {
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
    if (device_.is_served(queue)) return true;
  return false;
}

bool ServedGuest::has_request() const {
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
    if (queue != virtio::kEventQueue && device_.is_served(queue) && queues_[queue].has_request())
      return true;
  return false;
}

std::uint64_t ServedGuest::serve(Nanoseconds now_ns) {
  std::uint64_t moved = 0;
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
    if (device_.is_served(queue)) moved += host_.serve(queue, now_ns);
  return moved;
}

void ServedGuest::call() {
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
    if (host_.take_answered(queue) && queues_[queue].wants_call())
      if (const int descriptor = device_.call_descriptor(queue);
          descriptor >= 0 && !ring(descriptor, patience_))
        throw BrokenGuest{"it fills the descriptor by which it is called"};
}

}  // namespace platter::emulator
