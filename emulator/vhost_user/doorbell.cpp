#include "emulator/vhost_user/doorbell.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "emulator/vhost_user/foreign_file.h"

namespace platter::emulator {
namespace {

bool is_ready(int descriptor, short events) {
  pollfd look{descriptor, events, 0};
  return poll(&look, 1, 0) > 0 &&
         (look.revents & (events | POLLERR | POLLHUP | POLLNVAL)) == events;
}

}  // namespace

bool ring(int descriptor, Patience& patience) {
  if (!is_ready(descriptor, POLLOUT)) return true;
  const std::uint64_t once = 1;
  return patience.within([&] { return write(descriptor, &once, sizeof once); }) >= 0 ||
         errno != EINTR;
}

Doorbells::Doorbells() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

std::span<const Doorbells::Rung> Doorbells::rung() {
  std::array<epoll_event, std::tuple_size_v<decltype(rung_)>> events{};
  const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  const auto found = static_cast<std::size_t>(std::max(count, 0));
  for (std::size_t i = 0; i < found; ++i) rung_[i] = {events[i].data.u64, events[i].events};
  return std::span(rung_).first(found);
}

bool Doorbells::add(int descriptor, std::uint64_t number, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Doorbells::change(int descriptor, std::uint64_t number, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

void Doorbells::remove(int descriptor) noexcept {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

Kick::Kick(OwnedDescriptor descriptor, Doorbells* doorbells, std::uint64_t number)
    : descriptor_(std::move(descriptor)),
      holds_bytes_(!name_of(descriptor_.get()).starts_with("anon_inode:")) {
  if (doorbells != nullptr && doorbells->add(descriptor_.get(), number, EPOLLIN | EPOLLET))
    doorbells_ = doorbells;
}

Kick::Kick(Kick&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      doorbells_(std::exchange(other.doorbells_, nullptr)),
      holds_bytes_(other.holds_bytes_) {}

Kick& Kick::operator=(Kick&& other) noexcept {
  if (doorbells_ != nullptr) doorbells_->remove(descriptor_.get());
  descriptor_ = std::move(other.descriptor_);
  doorbells_ = std::exchange(other.doorbells_, nullptr);
  holds_bytes_ = other.holds_bytes_;
  return *this;
}

Kick::~Kick() {
  if (doorbells_ != nullptr) doorbells_->remove(descriptor_.get());
}

// A pipe holds no more than a guest keeps writing.
void Kick::drain(Patience& patience) const {
  constexpr int kMostReads = 16;
  std::array<char, 4096> bytes;
  for (int i = 0; i < kMostReads && holds_bytes_ && is_ready(descriptor_.get(), POLLIN); ++i)
    if (patience.within([&] { return read(descriptor_.get(), bytes.data(), bytes.size()); }) <
        static_cast<ssize_t>(bytes.size()))
      return;
}

}  // namespace platter::emulator
