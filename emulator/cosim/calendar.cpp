#include "emulator/cosim/calendar.h"

#include <linux/um_timetravel.h>
#include <sys/socket.h>

#include <cerrno>
#include <cmath>
#include <limits>

#include "emulator/vhost_user/message.h"

namespace platter::emulator {
namespace {

constexpr Nanoseconds kForEver = std::numeric_limits<Nanoseconds>::max();

}  // namespace

Calendar::Calendar(SimulatedDrives& drives, platter_cosim_page& page, int socket, double cpu_factor)
    : drives_(drives), page_(page), socket_(socket), cpu_factor_(cpu_factor) {
  tell_when_due();
}

void Calendar::tell_when_due() {
  const Nanoseconds due_ns = drives_.due().value_or(kForEver);
  page_.due_ns = static_cast<std::uint64_t>(std::min(due_ns, end_ns_.value_or(kForEver)));
}

void Calendar::end_at(Nanoseconds end_ns) {
  end_ns_ = end_ns;
  tell_when_due();
}

// Whether the end comes first. The clock then stands there.
bool Calendar::ends_before(Nanoseconds next_ns) {
  if (!end_ns_ || next_ns < *end_ns_) return false;
  now_ns_ = std::max(now_ns_, *end_ns_);
  is_at_end_ = true;
  return true;
}

// What was computed since the last request delays this one: the guest's own clock did not show it.
Nanoseconds Calendar::arrival_ns() {
  const auto computed_ns = static_cast<double>(page_.cpu_ns - charged_cpu_ns_);
  charged_cpu_ns_ = page_.cpu_ns;
  busy_until_ns_ = std::max(busy_until_ns_, now_ns_) + std::llround(cpu_factor_ * computed_ns);
  return busy_until_ns_;
}

bool Calendar::serve_drives() {
  now_ns_ = now_ns();
  if (ends_before(now_ns_)) return false;
  if (!drives_.take(arrival_ns())) return false;
  tell_when_due();  // before the answer, with which the guest runs on
  drives_.answer();
  ++counts_.kicks;
  return true;
}

// At what it asked for, or where a drive interrupts it before; what a drive does at the very time
// comes first. nullopt: the end comes before.
std::optional<Nanoseconds> Calendar::goes_on_at(Nanoseconds asked_ns) {
  for (;;) {
    const auto due_ns = drives_.due();
    if (ends_before(std::min(due_ns.value_or(kForEver), asked_ns))) return std::nullopt;
    if (!due_ns || *due_ns > asked_ns) break;
    if (drives_.deliver(*due_ns)) return std::max(*due_ns, now_ns_);
  }
  if (asked_ns == kForEver)
    throw BrokenGuest{
        "it waits for something that never comes: no drive is busy, and no timer runs"};
  return asked_ns;
}

bool Calendar::serve_kernel() {
  um_timetravel_msg message{};
  const ssize_t got = recv(socket_, &message, sizeof message, MSG_WAITALL);
  if (got < 0 && errno == EINTR) return true;
  if (got != sizeof message) return false;
  ++counts_.messages;
  if (message.op != UM_TIMETRAVEL_WAIT) throw BrokenGuest{"its kernel does not say that it waits"};
  const auto goes_on_ns =
      goes_on_at(static_cast<Nanoseconds>(std::min<std::uint64_t>(message.time, kForEver)));
  if (!goes_on_ns) return false;
  now_ns_ = *goes_on_ns;
  tell_when_due();
  message = {UM_TIMETRAVEL_RUN, 0, static_cast<std::uint64_t>(now_ns_)};
  ++counts_.messages;
  return send(socket_, &message, sizeof message, MSG_NOSIGNAL) == sizeof message;
}

}  // namespace platter::emulator
