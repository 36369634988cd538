#include "virtual_drive/host_time.h"

#include <algorithm>
#include <random>

namespace platter::virtual_drive {

HostTime::HostTime(const model::Imperfections& imperfections, std::uint64_t seed)
    : sleeps_(seed ^ 1, imperfections.host_sleep_every_s * 1e9, imperfections.host_sleep_s * 1e9,
              true),
      steps_(seed ^ 2, imperfections.clock_step_every_s * 1e9, imperfections.clock_step_ms * 1e6,
             false),
      stops_(seed ^ 3, imperfections.host_stop_every_s * 1e9, imperfections.host_stop_s * 1e9,
             true) {}

void HostTime::Events::grow_to(Nanoseconds drive_ns) {
  if (every_ns_ <= 0 || length_ns_ <= 0) return;
  while (events_.empty() || events_.back().begin_ns <= drive_ns) {
    std::mt19937_64 chance(seed_ + events_.size() * 0x9e3779b97f4a7c15);
    chance.discard(8);
    const double gap = every_ns_ * std::uniform_real_distribution<double>(0.5, 1.5)(chance);
    const double length =
        length_ns_ * (take_time_ ? std::uniform_real_distribution<double>(0.4, 1.6)(chance) : 1);
    Nanoseconds after_ns = 0;
    if (!events_.empty())
      after_ns = events_.back().begin_ns + (take_time_ ? events_.back().length_ns : 0);
    events_.push_back({after_ns + static_cast<Nanoseconds>(gap), static_cast<Nanoseconds>(length)});
  }
}

Nanoseconds HostTime::Events::passed_ns(Nanoseconds drive_ns) {
  grow_to(drive_ns);
  Nanoseconds sum = 0;
  for (const Event& event : events_) {
    if (event.begin_ns > drive_ns) break;
    sum += take_time_ ? std::min(event.length_ns, drive_ns - event.begin_ns) : event.length_ns;
  }
  return sum;
}

Nanoseconds HostTime::Events::end_ns(Nanoseconds drive_ns) {
  grow_to(drive_ns);
  for (const Event& event : events_)
    if (event.begin_ns <= drive_ns) drive_ns = std::max(drive_ns, event.begin_ns + event.length_ns);
  return drive_ns;
}

Nanoseconds HostTime::shown_ns(Nanoseconds drive_ns) {
  return with_sleep_ns(drive_ns) - sleeps_.passed_ns(drive_ns);
}

Nanoseconds HostTime::with_sleep_ns(Nanoseconds drive_ns) {
  return drive_ns + steps_.passed_ns(drive_ns);
}

Nanoseconds HostTime::noticed_ns(Nanoseconds drive_ns) {
  while (true) {
    const Nanoseconds later_ns = stops_.end_ns(sleeps_.end_ns(drive_ns));
    if (later_ns == drive_ns) return drive_ns;
    drive_ns = later_ns;
  }
}

// Each round makes up for what it slept, or was stepped over, in the one before.
Nanoseconds HostTime::drive_ns(Nanoseconds shown_ns, Nanoseconds from_ns) {
  Nanoseconds drive_ns = from_ns;
  for (Nanoseconds left_ns = shown_ns - this->shown_ns(drive_ns); left_ns > 0;
       left_ns = shown_ns - this->shown_ns(drive_ns))
    drive_ns += left_ns;
  return noticed_ns(drive_ns);
}

}  // namespace platter::virtual_drive
