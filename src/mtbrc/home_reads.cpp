#include "mtbrc/home_reads.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "estimate/rotation.h"
#include "estimate/sector_end.h"
#include "mtbrc/rotation.h"
#include "statistics/circular.h"

namespace platter::mtbrc {
namespace {

constexpr Nanoseconds kGoodFor = 700 * kMillisecond;
constexpr std::uint32_t kReads = 4;

}  // namespace

HomeReads::HomeReads(Context& context, std::vector<LbnRange> guessed)
    : context_(context),
      guessed_(std::move(guessed)),
      accesses_(context),
      reference_(accesses_, context, *context.map, kGoodFor, kReads),
      reference_width_rev_(estimate::on_track(*context.map, reference_.lbn()).width_rev) {}

// The last logical block: all of the physical one has passed when a read of it ends.
std::uint64_t HomeReads::last_of(std::uint64_t lbn) const {
  return context_.drive.physical_blocks().covering(lbn, 1).last;
}

// The angle of that block's end.
std::optional<double> HomeReads::end_rev(std::uint64_t last) {
  if (last >= context_.map->blocks() || context_.drive.leaves_out(last, 1)) return std::nullopt;
  reference_.refresh();
  const std::uint32_t session = context_.session;
  const auto sample = accesses_.probe(estimate::Experiment::other, last);
  if (!sample || context_.session != session) return std::nullopt;
  return angle_rev(sample->completed_ns);
}

std::optional<double> HomeReads::miss_rev(std::uint64_t lbn) {
  const std::uint64_t last = last_of(lbn);
  const auto end = end_rev(last);
  if (!end) return std::nullopt;
  return statistics::wrap_rev(*end - estimate::sector_end_rev(*context_.map, last));
}

bool HomeReads::remember(std::uint64_t lbn) {
  constexpr int kTries = 4;
  const std::uint64_t last = last_of(lbn);
  if (homes_rev_.contains(last)) return true;
  std::optional<double> before;
  for (int i = 0; i < kTries; ++i) {
    const auto now = end_rev(last);
    if (now && before) {
      const double apart_rev = statistics::wrap_rev(*now - *before);
      if (std::abs(apart_rev) <= kAtHome_rev / 2)
        return homes_rev_.emplace(last, *before + apart_rev / 2), true;
    }
    before = now;
  }
  return false;
}

// Nearby the map is off as it is there, or by more than a wrong home would be.
double HomeReads::map_off_rev(std::uint64_t last) const {
  constexpr std::uint64_t kNear_bytes = 1 << 20;
  const std::uint64_t near = kNear_bytes / context_.drive.block_bytes();
  const auto behind = homes_rev_.lower_bound(last);
  auto nearest = behind;
  if (behind == homes_rev_.end() ||
      (behind != homes_rev_.begin() && last - std::prev(behind)->first < behind->first - last)) {
    if (behind == homes_rev_.begin()) return 0;
    nearest = std::prev(behind);
  }
  const auto [other, home_rev] = *nearest;
  if (std::max(other, last) - std::min(other, last) > near || is_in_guessed(other)) return 0;
  const double off_rev =
      statistics::wrap_rev(home_rev - estimate::sector_end_rev(*context_.map, other));
  return std::abs(off_rev) <= 2 * kAtHome_rev ? off_rev : 0;
}

bool HomeReads::is_in_guessed(std::uint64_t lbn, std::uint64_t blocks) const {
  const auto range = std::ranges::lower_bound(guessed_, lbn, {}, &LbnRange::last);
  return range != guessed_.end() && range->first < lbn + blocks;
}

bool HomeReads::is_guessed(std::uint64_t lbn, std::uint64_t blocks) const {
  return is_in_guessed(lbn, blocks) && !(blocks == 1 && remembers(lbn));
}

std::optional<bool> HomeReads::at_home(std::uint64_t lbn) {
  if (is_guessed(lbn)) return std::nullopt;
  const std::uint64_t last = last_of(lbn);
  const auto end = end_rev(last);
  if (!end) return std::nullopt;
  const auto home = homes_rev_.find(last);
  const double home_rev = home != homes_rev_.end()
                              ? home->second
                              : estimate::sector_end_rev(*context_.map, last) + map_off_rev(last);
  return std::abs(statistics::wrap_rev(*end - home_rev)) <= kAtHome_rev;
}

std::optional<bool> HomeReads::most_at_home(std::uint64_t lbn, std::uint32_t count,
                                            std::uint32_t apart) {
  std::uint32_t home = 0, read = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    if (const auto is = at_home(lbn + std::uint64_t{i} * apart * context_.write_unit())) {
      ++read;
      home += *is ? 1 : 0;
    }
  if (read == 0) return std::nullopt;
  return 2 * home > read;
}

double HomeReads::angle_rev(Nanoseconds time_ns) const {
  return estimate::phase_rev(context_.rotation, time_ns) - reference_.phase_rev() +
         reference_width_rev_;
}

Nanoseconds HomeReads::refreshed_ns() {
  reference_.refresh();
  return context_.drive.now_ns();
}

Nanoseconds HomeReads::look() {
  const Nanoseconds before_ns = context_.drive.now_ns();
  accesses_.probe(estimate::Experiment::other, reference_.lbn());
  return context_.drive.now_ns() - before_ns;
}

}  // namespace platter::mtbrc
