#include "emulator/vhost_user/server.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "model/printable.h"

namespace platter::emulator {
namespace {

// However busy guests keep it, so often it looks who else wants something.
constexpr Nanoseconds kLook = kMillisecond;
// Where no descriptor is left for one more guest.
constexpr Nanoseconds kConnectsAgain = 100 * kMillisecond;
// Answers in a row, and bytes of requests and of answers, before it looks what else there is.
constexpr int kMostDelivered = 256;
constexpr std::size_t kMostBytesMoved = 16U << 20;

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
      shared_(drives_, around_.keeper),
      guests_(kMostGuests),
      came_(kMostGuests),
      had_(kMostGuests),
      lateness_(drives.size()) {
  shared_.set_on_reset([this](unsigned drive) {
    for (const auto& guest : guests_)
      if (guest) guest->host().was_reset(drive);
  });
  shared_.set_on_clear([this](unsigned drive, Nanoseconds now_ns) {
    for (const auto& guest : guests_)
      if (guest) guest->host().was_cleared(drive, now_ns);
  });
}

Server::~Server() = default;

Nanoseconds Server::leaves_host_ns(Nanoseconds completion_ns) const {
  return clock_.host_ns(completion_ns) - delay_.outbound_ns();
}

std::optional<Nanoseconds> Server::next_host_ns() const {
  std::optional<Nanoseconds> next;
  if (const auto due_ns = shared_.next_due()) next = leaves_host_ns(*due_ns);
  if (around_.probe != nullptr)
    if (const auto answer_ns = around_.probe->answer_at())
      next = std::min(*answer_ns, next.value_or(*answer_ns));
  return next;
}

void Server::run() {
  patience_.emplace();
  while (!ends_) {
    const bool woken = wait();
    // Seen by a look, a request came just now; what wakes us came earlier.
    serve_rings(host_now_ns() - (woken ? delay_.inbound_ns() : 0));
    deliver_what_is_due();
    for_each_guest([](ServedGuest& guest) {
      guest.call();
      return guest.converse();
    });
  }
  hang_up_all();
  patience_.reset();
}

// What goes wrong with one guest ends that one, also where memory is short. false: it is gone.
template <typename Action>
bool Server::serves(std::size_t guest, Action action) {
  std::string why;
  try {
    if (action(*guests_[guest])) return true;
  } catch (const BrokenGuest& broken) {
    why = guests_[guest]->is_torn() ? kTorn : broken.what;  // zeros look like many a mistake
  } catch (const std::exception& error) {
    why = error.what();
  }
  hang_up(guest, why);
  return false;
}

template <typename Action>
void Server::for_each_guest(Action action) {
  for (std::size_t i = 0; i < guests_.size(); ++i)
    if (guests_[i]) serves(i, action);
}

// Until something came, or is due. Whether it slept.
bool Server::wait() {
  if (has_request()) {
    if (host_now_ns() - looked_ns_ > kLook) sleep(host_now_ns());
    return false;
  }
  const auto next_ns = next_host_ns();
  if (next_ns && *next_ns - host_now_ns() <= kSpin) {
    if (host_now_ns() - looked_ns_ > kLook) sleep(host_now_ns());
    return spin(*next_ns);
  }
  return sleep(next_ns ? std::optional(*next_ns - kSpin) : std::nullopt);
}

bool Server::spin(Nanoseconds until_host_ns) {
  while (host_now_ns() < until_host_ns && !has_request()) {
  }
  return false;
}

bool Server::has_request() const {
  return std::ranges::any_of(guests_,
                             [](const auto& guest) { return guest && guest->has_request(); });
}

bool Server::sleep(std::optional<Nanoseconds> until_host_ns) {
  enum { kAsked, kNewGuest, kKept, kProbe, kGuests, kWatched };
  std::array<pollfd, kWatched> watched{};
  for (pollfd& each : watched) each = {-1, POLLIN, 0};
  watched[kAsked].fd = around_.wake;
  if (can_connect()) watched[kNewGuest].fd = around_.listening;
  if (around_.keeper != nullptr) watched[kKept].fd = around_.keeper->descriptor();
  if (around_.probe != nullptr) watched[kProbe].fd = around_.probe->kick_descriptor();
  watched[kGuests].fd = doorbells_.descriptor();

  looked_ns_ = host_now_ns();
  if (looked_ns_ < connects_again_ns_)
    until_host_ns = std::min(until_host_ns.value_or(connects_again_ns_), connects_again_ns_);
  timespec length{};
  if (until_host_ns) {
    const Nanoseconds left_ns = std::max<Nanoseconds>(*until_host_ns - looked_ns_, 0);
    length = {left_ns / kSecond, left_ns % kSecond};
  }
  if (ppoll(watched.data(), watched.size(), until_host_ns ? &length : nullptr, nullptr) <= 0)
    return false;
  const Nanoseconds woke_ns = host_now_ns();
  if (watched[kGuests].revents != 0) hear();
  if (watched[kProbe].revents != 0) around_.probe->seen(woke_ns);
  if (watched[kKept].revents != 0) read_event(watched[kKept].fd);
  if (watched[kAsked].revents != 0) do_what_is_asked();
  if (watched[kNewGuest].revents != 0 && !ends_) connect_all();
  return true;
}

void Server::hear() {
  for (const Doorbells::Rung& rung : doorbells_.rung())
    if (const auto& guest = guests_.at(ServedGuest::guest_of(rung.number))) guest->rung(rung);
}

bool Server::can_connect() const {
  return looked_ns_ >= connects_again_ns_ && idle_guest() < guests_.size();
}

// A place for one more guest: nobody's, or that of whom it takes the place of.
std::size_t Server::idle_guest() const {
  std::size_t found = guests_.size();
  for (std::size_t i = 0; i < guests_.size(); ++i) {
    if (!guests_[i]) return i;
    if (guests_[i]->has_begun()) continue;
    if (found == guests_.size() || came_[i] < came_[found]) found = i;
  }
  return found;
}

void Server::connect_all() {
  pollfd waits{around_.listening, POLLIN, 0};
  for (std::size_t i = 0; i < kMostGuests && can_connect() && poll(&waits, 1, 0) > 0; ++i)
    if (!connect()) return;
}

// false: it could not be taken.
bool Server::connect() {
  const std::size_t place = idle_guest();
  model::Descriptor socket(accept4(around_.listening, nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.get() < 0) {
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
      connects_again_ns_ = host_now_ns() + kConnectsAgain;
    return false;
  }
  if (guests_[place]) hang_up(place, "it has not begun, and another one comes");
  try {
    guests_[place] = std::make_unique<ServedGuest>(
        std::move(socket), static_cast<std::uint32_t>(place), shared_, doorbells_, *patience_);
  } catch (const std::bad_alloc&) {
    connects_again_ns_ = host_now_ns() + kConnectsAgain;
    return false;
  }
  came_[place] = ++connected_;
  had_[place] = turn_;
  share_room();
  return true;
}

// `why` is "" where it has gone by itself.
void Server::hang_up(std::size_t guest, const std::string& why) {
  if (!why.empty()) tell(why);
  guests_[guest]->host().forget(clock_.now_ns());
  guests_[guest].reset();
  share_room();
}

void Server::share_room() {
  shared_.set_guests(static_cast<std::size_t>(
      std::ranges::count_if(guests_, [](const auto& guest) { return guest != nullptr; })));
}

// Nobody may read what is said: a guest that comes again and again must not fill a pipe, which
// would make us wait. A hundred in a row, and from then on one a minute.
void Server::tell(const std::string& why) {
  constexpr Nanoseconds kEach = 60 * kSecond;
  constexpr int kInARow = 100;
  const Nanoseconds now_ns = host_now_ns();
  if (told_until_ns_ > now_ns + (kInARow - 1) * kEach) return;
  told_until_ns_ = std::max(told_until_ns_, now_ns) + kEach;
  around_.notice(fmt::format("the guest is not served any more: {}", model::printable(why)));
}

void Server::hang_up_all() {
  for (std::size_t i = 0; i < guests_.size(); ++i)
    if (guests_[i]) hang_up(i, "");
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
        shared_.power_cycle(clock_.now_ns());
        for (const auto& guest : guests_)
          if (guest) guest->host().lost_power();
        hang_up_all();
        break;
      case Asked::end:
        ends_ = true;
        return;
    }
}

// Start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996) by the bytes that requests move, so
// that who asks for little does not wait until all the others were served that ask for much.
void Server::serve_rings(Nanoseconds came_host_ns) {
  std::array<std::size_t, kMostGuests> waiting{};
  const auto start_of = [&](std::size_t guest) { return std::max(turn_, had_[guest]); };
  auto end = waiting.begin();
  for (std::size_t i = 0; i < guests_.size(); ++i)
    if (guests_[i] && guests_[i]->has_request()) *end++ = i;
  std::ranges::sort(waiting.begin(), end, {}, start_of);
  const Nanoseconds came_ns = clock_.drive_ns(came_host_ns);
  std::uint64_t moved = 0;
  for (auto each = waiting.begin(); each != end && moved < kMostBytesMoved; ++each)
    serves(*each, [&](ServedGuest& guest) {
      const std::uint64_t its = guest.serve(came_ns);
      guest.call();
      turn_ = start_of(*each);
      had_[*each] = turn_ + its;
      moved += its;
      return true;
    });
}

void Server::deliver_what_is_due() {
  if (around_.probe != nullptr && around_.probe->answer_at() &&
      *around_.probe->answer_at() <= host_now_ns())
    around_.probe->answer(*patience_);
  const Nanoseconds until_ns = clock_.drive_ns(host_now_ns() + delay_.outbound_ns());
  try {
    std::size_t bytes = 0;
    for (int i = 0; i < kMostDelivered && bytes < kMostBytesMoved; ++i) {
      auto completion = shared_.next(until_ns);
      if (!completion) return;
      bytes += completion->data.size();
      deliver(*std::move(completion));
    }
  } catch (const std::bad_alloc&) {
    let_the_largest_go();
  }
}

void Server::deliver(scsi::Completion completion) {
  const std::size_t number = completion.tag / ScsiHost::kMostOutstanding;
  if (!guests_.at(number)) return;
  Answered answered;
  Nanoseconds now = 0;
  const bool served = serves(number, [&](ServedGuest& guest) {
    answered = guest.host().deliver(std::move(completion));
    now = host_now_ns();  // what a call takes is the way back's
    guest.call();
    return true;
  });
  if (!served) return;
  lateness_[answered.drive].add((answered.completed_ns - answered.issued_ns) / clock_.speed(),
                                now - leaves_host_ns(answered.completed_ns));
  drives_[answered.drive]->delivered(answered.tag, clock_.drive_ns(now + delay_.outbound_ns()));
}

// Memory is short, and no guest has asked for it just now.
void Server::let_the_largest_go() {
  std::optional<std::size_t> largest;
  for (std::size_t i = 0; i < guests_.size(); ++i)
    if (guests_[i] && (!largest || guests_[i]->host().bytes() > guests_[*largest]->host().bytes()))
      largest = i;
  if (largest) hang_up(*largest, "the host's memory is short, and it moves most");
}

}  // namespace platter::emulator
