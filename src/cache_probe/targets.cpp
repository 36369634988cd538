#include "cache_probe/targets.h"

#include <algorithm>
#include <random>

#include "cache_probe/facts.h"
#include "cache_probe/read_setups.h"
#include "estimate/passages.h"
#include "model/error.h"

namespace platter::cache_probe {

namespace {

// Chosen: how long a place is looked for; rests as kDestage_rev.
constexpr std::uint32_t kLeastTargetBlocks = 8;
constexpr std::size_t kLeastTargets = 4;
constexpr double kDestageAll_rev = 15;   // for many, where SYNCHRONIZE CACHE does not wait
constexpr double kDestageLarge_rev = 3;  // each, of those that fill a segment
constexpr int kWriteTries = 2000;

}  // namespace

bool writes_cached(const Record& record) {
  return judge(record, Question::write_isolated, 0).verdict == Verdict::hit;
}

bool synchronize(Prober& prober, std::optional<std::pair<Question, std::int64_t>> as,
                 std::uint64_t lbn) {
  try {
    const scsi::Completion done = prober.context().drive.synchronize_cache();
    if (as) prober.keep(as->first, as->second, done, lbn, 0, true);
    return true;
  } catch (const scsi::WriteFailed&) {
    throw;
  } catch (const Error& error) {
    if (error.status() != ExitStatus::drive_error && error.status() != ExitStatus::unsupported)
      throw;
    return false;
  }
}

void settle(Prober& prober, std::size_t large) {
  const double rest_rev = kDestageLarge_rev * static_cast<double>(large);
  if (!synchronize(prober))
    prober.rest_rev(std::max(kDestage_rev, rest_rev));
  else if (synchronize_lies(prober.record()))
    prober.rest_rev(std::max(kDestageAll_rev, rest_rev));
}

Targets::Targets(Prober& prober, const std::vector<LbnRange>& writable)
    : prober_(prober), writable_(writable) {
  if (writable_.empty()) return;
  if (distinct(kUsualTargets).size() < kLeastTargets) lbns_.clear();
}

std::uint32_t Targets::blocks() const {
  return std::max(kLeastTargetBlocks, 2 * prober_.write_unit());
}

// The first at or behind it at which a physical block begins.
std::uint64_t Targets::aligned(std::uint64_t lbn) const {
  const scsi::PhysicalBlocks& physical = prober_.context().drive.physical_blocks();
  const auto whole = physical.whole_within({lbn, ~std::uint64_t{0} - 1});
  return whole ? whole->first : lbn;
}

std::uint64_t Targets::random_lbn() {
  std::uint64_t total = 0;
  for (const auto& range : writable_) total += range.last - range.first + 1;
  std::uint64_t at = std::uniform_int_distribution<std::uint64_t>(
      0, total - 1)(prober_.context().random);
  for (const auto& range : writable_) {
    const std::uint64_t length = range.last - range.first + 1;
    if (at < length) return range.first + at;
    at -= length;
  }
  return writable_.back().last;
}

// Single writes lie on one track; those of several blocks in a row there, as one block always does.
bool Targets::is_for_timing(std::uint64_t lbn, std::uint32_t blocks) const {
  const engine::LayoutMap& map = *prober_.context().map;
  const std::uint64_t slot = map.slot_of_lbn(lbn);
  const engine::Track track = map.track_of_slot(slot);
  if (blocks <= this->blocks() && slot + blocks > track.first_slot + track.sectors) return false;
  const std::uint32_t unit = prober_.write_unit();
  return unit == 1 || estimate::run_at(map, slot, unit) == std::optional(lbn);
}

// Near the last one if there is room, behind what is read ahead of it.
std::optional<std::uint64_t> Targets::place(std::uint32_t blocks, Lies lies) {
  const engine::LayoutMap& map = *prober_.context().map;
  scsi::Drive& drive = prober_.context().drive;
  const std::uint64_t step = 2 * std::uint64_t{prober_.places().track_blocks()} +
                             static_cast<std::uint64_t>(reach_blocks(prober_.record())) + blocks;
  for (int i = 0; i < kWriteTries; ++i) {
    std::uint64_t lbn = random_lbn();
    if (i == 0 && !lbns_.empty()) lbn = last_ + step + random_lbn() % step;
    lbn = aligned(lbn);
    if (lbn + blocks > map.blocks() || !drive.may_write(lbn, blocks)) continue;
    if (!is_for_timing(lbn, blocks)) continue;
    const auto near = [&](std::uint64_t other) { return lbn < other + step && other < lbn + step; };
    if (lies == Lies::apart && std::ranges::any_of(lbns_, near)) continue;
    drive.learn_contents(lbn, blocks);
    last_ = lbn;
    return lbn;
  }
  return std::nullopt;
}

std::vector<std::uint64_t> Targets::distinct(std::size_t count) {
  while (lbns_.size() < count) {
    const auto lbn = place(blocks(), Lies::apart);
    if (!lbn) break;
    lbns_.push_back(*lbn);
  }
  return {lbns_.begin(),
          lbns_.begin() + static_cast<std::ptrdiff_t>(std::min(count, lbns_.size()))};
}

std::optional<std::uint64_t> Targets::run_of(std::uint32_t blocks) {
  return place(blocks, Lies::apart);
}

std::optional<std::uint64_t> Targets::run_anywhere(std::uint32_t blocks) {
  const auto apart = place(blocks, Lies::apart);
  return apart ? apart : place(blocks, Lies::anywhere);
}

std::optional<Place> track_to_write(Prober& prober, const std::vector<LbnRange>& writable) {
  auto& random = prober.context().random;
  std::uniform_int_distribution<std::size_t> any_range(0, writable.size() - 1);
  for (int i = 0; i < kWriteTries; ++i) {
    const LbnRange& range = writable[any_range(random)];
    std::uniform_int_distribution<std::uint64_t> any(range.first, range.last);
    auto found = prober.places().place_of_lbn(any(random));
    if (!found || found->first < found->blocks() || !prober.places().clean(*found)) continue;
    const scsi::Drive& drive = prober.context().drive;
    const auto whole = drive.physical_blocks().whole_within({found->first, found->last});
    if (!whole) continue;
    found->first = whole->first;
    found->last = whole->last;
    if (drive.may_write(found->first, found->blocks())) return found;
  }
  return std::nullopt;
}

namespace {

// FUA or VERIFY, as far as the drive takes them; else any read.
void come_to_block(Prober& prober, std::uint64_t lbn) {
  scsi::Drive& drive = prober.context().drive;
  if (prober.context().probe == mtbrc::Probe::verify) {
    drive.verify(lbn);
    return;
  }
  try {
    drive.read(lbn, 1, true);
  } catch (const scsi::DriveError& error) {
    if (!error.refused()) throw;
    drive.read(lbn);
  }
}

}  // namespace

void come_to(Prober& prober, const Place& track, double ahead_rev) {
  prober.refresh_angle();
  std::uniform_int_distribution<std::uint64_t> back(1, track.blocks());
  come_to_block(prober, track.first - back(prober.context().random));
  prober.rest_until(track.first, until_free_rev(prober), ahead_rev, ahead_rev);
}

}  // namespace platter::cache_probe
