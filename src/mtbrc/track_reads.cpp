#include "mtbrc/track_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "estimate/phase_drift.h"
#include "estimate/rotation.h"
#include "estimate/samples.h"
#include "model/error.h"
#include "mtbrc/rotation.h"
#include "statistics/circular.h"

namespace platter::mtbrc {

std::optional<std::uint64_t> readable_near(const engine::LayoutMap& map, std::uint64_t track_slot,
                                           std::uint32_t sectors, std::uint64_t from) {
  for (std::uint32_t i = 0; i < sectors; ++i) {
    const auto lbn = map.lbn_of_slot(track_slot + (from + i) % sectors);
    if (lbn && !map.is_remapped(*lbn)) return lbn;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> accessible_near(const Context& context, const engine::LayoutMap& map,
                                             std::uint64_t track_slot, std::uint32_t sectors,
                                             std::uint64_t from) {
  if (!context.reads_once) return readable_near(map, track_slot, sectors, from);
  for (std::uint32_t i = 0; i < sectors; ++i) {
    const auto lbn = map.lbn_of_slot(track_slot + (from + i) % sectors);
    if (lbn && !map.is_remapped(*lbn) && is_fresh(context, *lbn)) return lbn;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> last_readable(const engine::LayoutMap& map, std::uint64_t track_slot,
                                           std::uint32_t sectors) {
  for (std::uint32_t i = sectors; i-- > 0;) {
    const auto lbn = map.lbn_of_slot(track_slot + i);
    if (lbn && !map.is_remapped(*lbn)) return lbn;
  }
  return std::nullopt;
}

ReferenceReads::ReferenceReads(Accesses& accesses, Context& context, const engine::LayoutMap& map,
                               Nanoseconds every_ns, std::uint32_t reads)
    : accesses_(accesses),
      context_(context),
      reference_(estimate::reference_lbn(context.samples).value_or(map.lbn_at_or_after_slot(0))),
      map_(map),
      every_ns_(every_ns),
      reads_(reads),
      track_(map.track_of_slot(map.slot_of_lbn(reference_))) {
  behind_rev_ = -angle_on_track_rev(reference_);
}

// Of the sector's end, from where the track's first slot begins.
double ReferenceReads::angle_on_track_rev(std::uint64_t lbn) const {
  return static_cast<double>(map_.slot_of_lbn(lbn) - track_.first_slot + 1) / track_.sectors;
}

// Downwards, since what the drive reads ahead lies above.
std::optional<std::uint64_t> ReferenceReads::fresh_on_track() {
  for (std::uint32_t i = track_.sectors; i-- > 0;) {
    const auto lbn = map_.lbn_of_slot(track_.first_slot + i);
    if (lbn && !map_.is_remapped(*lbn) && is_fresh(context_, *lbn) &&
        !context_.drive.leaves_out(*lbn, 1))
      return lbn;
  }
  return std::nullopt;
}

// How far it lies behind the one so far, some of its sectors tell.
bool ReferenceReads::go_to_track_before() {
  constexpr int kTracks = 64, kReads = 8;
  for (int i = 0; i < kTracks; ++i) {
    if (track_.first_slot == 0) return false;
    track_ = map_.track_of_slot(track_.first_slot - 1);
    std::vector<double> behind;
    for (int read = 0; read < kReads; ++read) {
      const auto lbn = fresh_on_track();
      if (!lbn) break;
      if (const auto s = accesses_.probe(estimate::Experiment::other, *lbn))
        behind.push_back(
            statistics::turn_rev(estimate::phase_rev(context_.rotation, s->completed_ns) -
                                 phase_rev_ - angle_on_track_rev(*lbn)));
    }
    const auto mean = statistics::robust_angle_rev(behind);
    if (!mean || behind.size() < kReads || !fresh_on_track()) continue;
    behind_rev_ = mean->value;
    return true;
  }
  return false;
}

std::optional<estimate::Sample> ReferenceReads::look() {
  if (!context_.reads_once) return accesses_.probe(estimate::Experiment::anchor, reference_);
  auto lbn = fresh_on_track();
  if (!lbn && go_to_track_before()) lbn = fresh_on_track();
  if (!lbn) return std::nullopt;
  return accesses_.probe(estimate::Experiment::anchor, *lbn,
                         estimate::billionths(behind_rev_ + angle_on_track_rev(*lbn)));
}

// A first read to get there, and a few that follow it. Where time jumped the phase is another.
void ReferenceReads::refresh() {
  if (context_.drive.now_ns() - last_ns_ < every_ns_ && session_ == context_.session) return;
  std::vector<double> phases;
  bool jumped = false;
  for (std::uint32_t i = 0; i < reads_; ++i) {
    const auto s = look();
    if (std::exchange(session_, context_.session) != context_.session) {
      phases.clear();
      jumped = i > 0;
    }
    if (s && s->session == session_)
      phases.push_back(estimate::anchor_phase_rev(context_.rotation, *s));
  }
  if (!jumped) last_ns_ = context_.drive.now_ns();  // else it is looked for again
  if (phases.size() < 2) return;
  if (const auto mean = statistics::robust_angle_rev(phases)) phase_rev_ = mean->value;
}

void ReferenceReads::refresh_now() {
  last_ns_ = std::numeric_limits<Nanoseconds>::min() / 2;
  refresh();
}

double ReferenceReads::begin() {
  constexpr int kReads = 32;
  constexpr std::size_t kEnough = 8;
  estimate::Samples first;
  for (int i = 0; i < kReads; ++i)
    if (const auto s = look()) first.push_back(*s);
  if (first.size() < kEnough)
    throw Error(ExitStatus::drive_error,
                fmt::format("LBN {} cannot be read, and angles are measured relative to it; check "
                            "the drive's health.",
                            reference_));
  const estimate::PhaseDrift drift(first, context_.rotation);
  phase_rev_ = statistics::turn_rev(drift.at_rev(first.back().completed_ns, first.back().session));
  session_ = first.back().session;
  last_ns_ = context_.drive.now_ns();
  return std::max(drift.noise_rev(), 1e-5);
}

}  // namespace platter::mtbrc
