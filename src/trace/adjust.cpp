#include "trace/adjust.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "trace/refuse.h"

namespace platter::trace {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint32_t kMostStreams = 65536;
constexpr double kLargestBurst_kib = 1e12;
constexpr double kLongest_ms = 1e9;  // 11 days

std::uint64_t millionths(double share, const char* option) {
  if (!(share >= 0 && share <= 1)) refuse("{} {} is no share; name one from 0 to 1", option, share);
  return static_cast<std::uint64_t>(std::llround(share * kMillion));
}

std::uint64_t bytes_of(double kib, const char* option) {
  const double bytes = kib * 1024;
  if (!(bytes >= 1 && bytes <= std::numeric_limits<std::uint32_t>::max()))
    refuse("{} {} is no size of a request; name one from 0.5 to 4194303", option, kib);
  return static_cast<std::uint64_t>(std::llround(bytes));
}

std::uint64_t stride_bytes_of(double kib) {
  constexpr double kLongest_kib = 1e12;  // beyond any drive; the drive itself is asked later
  const double bytes = kib * 1024;
  if (!(bytes >= 1 && kib <= kLongest_kib) || bytes != std::trunc(bytes))
    refuse(
        "--stride-kb {} is no distance between requests; name a whole number of bytes, in KiB, "
        "up to {:.0f}",
        kib, kLongest_kib);
  return static_cast<std::uint64_t>(bytes);
}

Nanoseconds time_of(double ms, const char* option) {
  if (!(ms >= 0 && ms <= kLongest_ms))
    refuse("{} {} is out of range; name a time from 0 to {:.0f} ms", option, ms, kLongest_ms);
  return from_ms(ms);
}

// One number of "LEAST-MOST:STEP", up to `end` or, without one, all of the text.
std::uint32_t taken(std::string_view& text, const std::string& all) {
  double kib = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), kib,
                                             std::chars_format::fixed);
  if (error != std::errc())
    refuse("--request-kb \"{}\" is no size; write N, LEAST-MOST or LEAST-MOST:STEP, as 4-128:4",
           all);
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return static_cast<std::uint32_t>(bytes_of(kib, "--request-kb"));
}

bool took(std::string_view& text, char sign) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(1);
  return true;
}

Sizes sizes_of(const std::string& all) {
  constexpr std::uint32_t kSector_bytes = 512;
  std::string_view text = all;
  Sizes sizes{.least_bytes = taken(text, all), .step_bytes = 0, .weights = {1}};
  if (took(text, '-')) {
    const std::uint32_t most = taken(text, all);
    sizes.step_bytes = took(text, ':') ? taken(text, all) : sizes.least_bytes;
    const bool in_steps = most >= sizes.least_bytes &&
                          (most - sizes.least_bytes) % sizes.step_bytes == 0;
    const std::size_t count = in_steps ? (most - sizes.least_bytes) / sizes.step_bytes + 1 : 0;
    if (count == 0 || count > 65536)
      refuse(
          "--request-kb \"{}\" leads in no whole number of steps, at most 65535, from the least to "
          "the most",
          all);
    sizes.weights.assign(count, 1);
  }
  if (sizes.least_bytes % kSector_bytes != 0 || sizes.step_bytes % kSector_bytes != 0)
    refuse("--request-kb \"{}\" is no whole number of sectors; write multiples of 0.5", all);
  if (!text.empty())
    refuse("--request-kb \"{}\" is no size; write N, LEAST-MOST or LEAST-MOST:STEP, as 4-128:4",
           all);
  return sizes;
}

// The place of the profile as what an option speaks of.
template <class Wanted>
Wanted& place_of(Profile& profile, const char* option, const char* workloads) {
  if (auto* place = std::get_if<Wanted>(&profile.place)) return *place;
  refuse("{} does not go with the workload {}; it goes with {}", option, profile.name, workloads);
}

void adjust_nearby(Profile& profile, const Adjustment& adjustment) {
  const auto nearby = [&](const char* option) -> Nearby& {
    auto& place = place_of<Nearby>(profile, option,
                                   "random, mixed, those of Wu 2016, local and write-burst");
    if (place.of != kMillion) {
      place.sequential = place.sequential * kMillion / place.of;
      place.local = place.local * kMillion / place.of;
      place.of = kMillion;
    }
    return place;
  };
  if (adjustment.sequential_share)
    nearby("--sequential-share").sequential = millionths(*adjustment.sequential_share,
                                                         "--sequential-share");
  if (adjustment.local_share)
    nearby("--local-share").local = millionths(*adjustment.local_share, "--local-share");
  if (adjustment.local_blocks) nearby("--local-blocks").local_blocks = *adjustment.local_blocks;
}

void adjust_streams(Profile& profile, const Adjustment& adjustment) {
  const auto streams = [&](const char* option) -> Streams& {
    return place_of<Streams>(profile, option, "sequential and streams");
  };
  if (adjustment.streams) {
    if (*adjustment.streams == 0 || *adjustment.streams > kMostStreams)
      refuse("--streams {} is out of range; name 1 to {}", *adjustment.streams, kMostStreams);
    streams("--streams").count = *adjustment.streams;
  }
  if (adjustment.any_stream) streams("--any-stream").in_turn = false;
  if (adjustment.stride_kb)
    streams("--stride-kb").stride_bytes = stride_bytes_of(*adjustment.stride_kb);
  if (adjustment.run_requests) streams("--run-requests").run_requests = *adjustment.run_requests;
}

void adjust_hot_spot(Profile& profile, const Adjustment& adjustment) {
  const auto spot = [&](const char* option) -> HotSpot& {
    return place_of<HotSpot>(profile, option, "hot-spot");
  };
  if (adjustment.hot_share)
    spot("--hot-share").hot = {millionths(*adjustment.hot_share, "--hot-share"), kMillion};
  if (adjustment.hot_span)
    spot("--hot-span").span = {millionths(*adjustment.hot_span, "--hot-span"), kMillion};
}

void adjust_times(Times& times, const Adjustment& adjustment) {
  if (adjustment.rate_hz && adjustment.think_ms)
    refuse("--rate makes an open workload and --think-ms a closed one; name one of them");
  if (adjustment.rate_hz) {
    if (!(*adjustment.rate_hz >= 0.001 && *adjustment.rate_hz <= 1e9))
      refuse("--rate {} is out of range; name 0.001 to 1e9 requests a second", *adjustment.rate_hz);
    if (times.kind == Kind::closed) times.gap = Gap::exponential;
    times.kind = Kind::open;
    times.mean_ns = std::llround(1e9 / *adjustment.rate_hz);
  }
  if (adjustment.think_ms) {
    times.kind = Kind::closed;
    times.mean_ns = time_of(*adjustment.think_ms, "--think-ms");
  }
  if (adjustment.gap) times.gap = *adjustment.gap;
  if (adjustment.burst_requests || adjustment.burst_kb) {
    const double kib = adjustment.burst_kb.value_or(0);
    if (!(kib >= 0 && kib <= kLargestBurst_kib))
      refuse("--burst-kb {} is out of range; name 1 to {:.0f}", kib, kLargestBurst_kib);
    times.burst_requests = adjustment.burst_requests.value_or(0);
    times.burst_bytes = static_cast<std::uint64_t>(std::llround(kib * 1024));
  }
  if (adjustment.idle_ms) times.idle_ns = time_of(*adjustment.idle_ms, "--idle-ms");
  const bool bursts = times.burst_requests > 0 || times.burst_bytes > 0;
  if (bursts != (times.idle_ns > 0))
    refuse(
        "bursts are named by their length (--burst-requests or --burst-kb) and by the idle time "
        "after them (--idle-ms); name both");
}

}  // namespace

Profile adjusted(Profile profile, const Adjustment& adjustment) {
  if (adjustment.read_share)
    profile.writes = {kMillion - millionths(*adjustment.read_share, "--read-share"), kMillion};
  if (std::holds_alternative<OnTracks>(profile.place) &&
      (adjustment.request_kb || adjustment.align_kb))
    refuse("--request-kb and --align-kb do not go with the workload {}: its requests are tracks",
           profile.name);
  if (adjustment.request_kb) profile.sizes = sizes_of(*adjustment.request_kb);
  if (adjustment.align_kb)
    profile.align_bytes = static_cast<std::uint32_t>(bytes_of(*adjustment.align_kb, "--align-kb"));
  adjust_nearby(profile, adjustment);
  adjust_streams(profile, adjustment);
  adjust_hot_spot(profile, adjustment);
  adjust_times(profile.times, adjustment);
  return profile;
}

}  // namespace platter::trace
