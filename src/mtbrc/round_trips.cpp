#include "mtbrc/round_trips.h"

#include <algorithm>

#include "estimate/samples.h"
#include "mtbrc/access.h"

namespace platter::mtbrc {

void measure_round_trips(Context& context, std::uint32_t count) {
  const Meter meter(context, Budget{});
  Accesses accesses(context);
  estimate::Samples round_trips;  // kept when they are stamped
  const auto stamping = context.drive.stamp();
  for (std::uint32_t i = 0; i < count && !meter.exhausted(); ++i)
    if (const auto sample = accesses.round_trip()) round_trips.push_back(*sample);
  if (stamping) take_stamps(round_trips, stamping->stamps());
  context.samples.insert(context.samples.end(), round_trips.begin(), round_trips.end());
}

void take_stamps(std::span<estimate::Sample> round_trips, std::span<const scsi::Stamp> stamps) {
  constexpr Nanoseconds kRounded = kMicrosecond;  // stamps are whole microseconds
  for (estimate::Sample& sample : round_trips) {
    const auto lies_in_it = [&sample](const scsi::Stamp& stamp) {
      return stamp.dispatched_ns >= sample.issued_ns - kRounded &&
             stamp.returned_ns >= stamp.dispatched_ns &&
             stamp.returned_ns <= sample.completed_ns + kRounded;
    };
    const auto own = std::ranges::find_if(stamps, lies_in_it);
    if (own == stamps.end() || std::any_of(own + 1, stamps.end(), lies_in_it)) continue;
    const auto within = [&sample](Nanoseconds ns) {
      return std::clamp(ns, sample.issued_ns, sample.completed_ns);
    };
    sample.dispatched_ns = within(own->dispatched_ns);
    sample.returned_ns = within(own->returned_ns);
  }
}

}  // namespace platter::mtbrc
