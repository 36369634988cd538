#include "emulator/vhost_user/server.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "emulator/vhost_user/channel.h"
#include "model/printable.h"

namespace platter::emulator {
namespace {

void read_event(int descriptor) {
  eventfd_t times = 0;
  if (descriptor >= 0) eventfd_read(descriptor, &times);
}

}  // namespace

Server::Server(const DriveSet::Drives& drives, const DriveClock& clock, const TransportDelay& delay,
               Surroundings surroundings)
    : drives_(drives),
      clock_(clock),
      delay_(delay),
      around_(std::move(surroundings)),
      host_(drives_, queues_, around_.keeper),
      lateness_(drives.size()) {}

Server::~Server() = default;

Nanoseconds Server::leaves_host_ns(Nanoseconds completion_ns) const {
  return clock_.host_ns(completion_ns) - delay_.outbound_ns();
}

std::optional<Nanoseconds> Server::next_host_ns() const {
  std::optional<Nanoseconds> next;
  if (const auto due_ns = host_.next_due()) next = leaves_host_ns(*due_ns);
  if (around_.probe != nullptr)
    if (const auto answer_ns = around_.probe->answer_at())
      next = std::min(*answer_ns, next.value_or(*answer_ns));
  return next;
}

void Server::run() {
  while (!ends_) {
    const bool woken = wait();
    try {
      // Seen by a look, a request came just now; what wakes us came earlier.
      serve_rings(host_now_ns() - (woken ? delay_.inbound_ns() : 0));
      deliver_what_is_due();
    } catch (const BrokenGuest& guest) {
      around_.notice(
          fmt::format("the guest is not served any more: {}", model::printable(guest.what)));
      hang_up();
    }
  }
  hang_up();
}

// Until something came, or is due. Whether it slept.
bool Server::wait() {
  if (has_request()) return false;
  const auto next_ns = next_host_ns();
  if (next_ns && *next_ns - host_now_ns() <= kSpin) return spin(*next_ns);
  return sleep(next_ns ? std::optional(*next_ns - kSpin) : std::nullopt);
}

bool Server::spin(Nanoseconds until_host_ns) {
  while (host_now_ns() < until_host_ns && !has_request()) {
  }
  return false;
}

bool Server::has_request() const {
  if (!connection_) return false;
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
    if (connection_->device->is_served(queue) && queue != virtio::kEventQueue &&
        queues_[queue].has_request())
      return true;
  return false;
}

bool Server::sleep(std::optional<Nanoseconds> until_host_ns) {
  enum { kAsked, kPeer, kKept, kProbe, kFirstRing };
  std::array<pollfd, kFirstRing + virtio::kQueues> watched{};
  for (pollfd& each : watched) each = {-1, POLLIN, 0};
  watched[kAsked].fd = around_.wake;
  watched[kPeer].fd = connection_ ? connection_->socket.get() : around_.listening;
  if (around_.keeper != nullptr) watched[kKept].fd = around_.keeper->descriptor();
  if (around_.probe != nullptr) watched[kProbe].fd = around_.probe->kick_descriptor();
  for (unsigned queue = 0; connection_ && queue < virtio::kQueues; ++queue)
    if (connection_->device->is_served(queue))
      watched[kFirstRing + queue].fd = connection_->device->kick_descriptor(queue);

  timespec length{};
  if (until_host_ns) {
    const Nanoseconds left_ns = std::max<Nanoseconds>(*until_host_ns - host_now_ns(), 0);
    length = {left_ns / kSecond, left_ns % kSecond};
  }
  if (ppoll(watched.data(), watched.size(), until_host_ns ? &length : nullptr, nullptr) <= 0)
    return false;
  const Nanoseconds woke_ns = host_now_ns();
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
    if (watched[kFirstRing + queue].revents != 0) read_event(watched[kFirstRing + queue].fd);
  if (watched[kProbe].revents != 0) around_.probe->seen(woke_ns);
  if (watched[kKept].revents != 0) read_event(watched[kKept].fd);
  if (watched[kAsked].revents != 0) do_what_is_asked();
  if (watched[kPeer].revents != 0 && !ends_) {
    if (connection_)
      converse();
    else
      connect();
  }
  return true;
}

void Server::connect() {
  const int socket = accept4(around_.listening, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return;
  connection_ = Connection{
      OwnedDescriptor(socket),
      std::make_unique<Device>(host_, queues_, static_cast<unsigned>(drives_.size()),
                               Notification::descriptors)};
}

void Server::hang_up() {
  if (!connection_) return;
  host_.forget(clock_.now_ns());
  for (Virtqueue& queue : queues_) queue.remove();
  connection_.reset();
}

void Server::converse() {
  try {
    auto message = receive(connection_->socket.get());
    if (!message) return hang_up();
    const auto reply = connection_->device->handle(*std::move(message));
    call();
    if (reply && !send(connection_->socket.get(), *reply)) hang_up();
  } catch (const BrokenGuest& guest) {
    around_.notice(
        fmt::format("the guest is not served any more: {}", model::printable(guest.what)));
    hang_up();
  }
}

void Server::do_what_is_asked() {
  for (;;) switch (around_.asked()) {
      case Asked::nothing:
        return;
      case Asked::report:
        around_.report();
        break;
      case Asked::power_cut:
        ++power_cuts_;
        host_.power_cycle(clock_.now_ns());
        hang_up();
        break;
      case Asked::end:
        ends_ = true;
        return;
    }
}

void Server::serve_rings(Nanoseconds came_host_ns) {
  if (!connection_) return;
  const Nanoseconds came_ns = clock_.drive_ns(came_host_ns);
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue)
    if (connection_->device->is_served(queue)) host_.serve(queue, came_ns);
  call();
}

void Server::deliver_what_is_due() {
  if (around_.probe != nullptr && around_.probe->answer_at() &&
      *around_.probe->answer_at() <= host_now_ns())
    around_.probe->answer();
  const Nanoseconds until_ns = clock_.drive_ns(host_now_ns() + delay_.outbound_ns());
  while (const auto answered = host_.deliver(until_ns)) {
    const Nanoseconds now = host_now_ns();  // what a call takes is the way back's
    call();
    lateness_[answered->drive].add((answered->completed_ns - answered->issued_ns) / clock_.speed(),
                                   now - leaves_host_ns(answered->completed_ns));
    drives_[answered->drive]->delivered(answered->tag, clock_.drive_ns(now + delay_.outbound_ns()));
  }
}

void Server::call() {
  for (unsigned queue = 0; queue < virtio::kQueues; ++queue) {
    if (!host_.take_answered(queue) || !connection_ || !queues_[queue].wants_call()) continue;
    if (const int descriptor = connection_->device->call_descriptor(queue); descriptor >= 0)
      eventfd_write(descriptor, 1);
  }
}

}  // namespace platter::emulator
