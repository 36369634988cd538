#include "transport/asynchronous_sg.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "transport/measuring_thread.h"
#include "transport/waiting.h"

namespace platter::transport {
namespace {

void require(bool done) {
  if (!done) throw std::system_error(errno, std::generic_category());
}

// Told once for each answer, and once more where the drive vanishes: a descriptor that has hung up
// would else be told of without end while its command is still under way.
constexpr std::uint32_t kAnswers = EPOLLIN | EPOLLET;

}  // namespace

AsynchronousSg::AsynchronousSg(Open open, std::size_t most, Arrivals& arrivals)
    : open_(std::move(open)),
      nodes_(most),
      flights_(most),
      arrivals_(arrivals),
      end_(::eventfd(0, EFD_CLOEXEC)),
      watched_(::epoll_create1(EPOLL_CLOEXEC)) {
  require(end_.get() >= 0 && watched_.get() >= 0);
  watch_for(end_.get(), EPOLLIN, most);
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { watch(); });
}

AsynchronousSg::~AsynchronousSg() {
  ::eventfd_write(end_.get(), 1);
  thread_.join();
}

void AsynchronousSg::watch_for(int fd, std::uint32_t events, std::size_t number) {
  epoll_event event{.events = events, .data = {.u64 = number}};
  require(::epoll_ctl(watched_.get(), EPOLL_CTL_ADD, fd, &event) == 0);
}

// 0, or errno.
int AsynchronousSg::require_node(std::size_t number) {
  if (nodes_[number].get() >= 0) return 0;
  try {
    model::Descriptor opened = open_();
    watch_for(opened.get(), kAnswers, number);
    nodes_[number] = std::move(opened);
    return 0;
  } catch (const std::system_error& error) {
    return error.code().value();
  }
}

void AsynchronousSg::prepare(std::size_t flights) {
  for (std::size_t i = 0; i < flights && require_node(i) == 0; ++i) {
  }
}

int AsynchronousSg::send(Flight& flight) {
  if (const int error = require_node(flight.number); error != 0) return error;
  std::atomic<Flight*>& under_way = flights_[flight.number];
  under_way = &flight;
  flight.issued_ns = clock_.now_ns();
  const int error = begin_pass_through(nodes_[flight.number].get(), flight.command,
                                       flight.buffer.data(), flight.sense);
  if (error != 0) under_way = nullptr;
  return error;
}

void AsynchronousSg::watch() {
  join_measuring();
  std::array<epoll_event, 64> events{};
  for (;;) {
    const int count = ::epoll_wait(watched_.get(), events.data(), events.size(), -1);
    const Nanoseconds time_ns = clock_.now_ns();
    for (int i = 0; i < count; ++i) {  // in the order in which they came, and so are their times
      const std::size_t number = events[static_cast<std::size_t>(i)].data.u64;
      if (number == nodes_.size()) return;
      take(number, time_ns + i);
    }
  }
}

void AsynchronousSg::take(std::size_t number, Nanoseconds time_ns) {
  Flight* const flight = flights_[number];
  if (!flight) return;
  const int error = end_pass_through(nodes_[number].get(), flight->answer);
  if (error == EAGAIN) return;  // the drive vanishes, and this one is still under way
  flight->error = error;
  flight->completed_ns = time_ns;
  flights_[number] = nullptr;
  arrivals_.back(*flight);
}

}  // namespace platter::transport
