#include "mtbrc/track_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/error.h"
#include "mtbrc/phase_drift.h"
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
      reference_(reference_lbn(context.samples).value_or(map.lbn_at_or_after_slot(0))),
      every_ns_(every_ns),
      reads_(reads) {}

// A first read to get there, and a few that follow it.
void ReferenceReads::refresh() {
  if (context_.drive.now_ns() - last_ns_ < every_ns_) return;
  std::vector<double> phases;
  for (std::uint32_t i = 0; i < reads_; ++i)
    if (const auto s = accesses_.probe(Experiment::anchor, reference_))
      phases.push_back(mtbrc::phase_rev(context_.rotation, s->completed_ns));
  last_ns_ = context_.drive.now_ns();
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
  Samples first;
  for (int i = 0; i < kReads; ++i)
    if (const auto s = accesses_.probe(Experiment::anchor, reference_)) first.push_back(*s);
  if (first.size() < kEnough)
    throw Error(ExitStatus::drive_error,
                fmt::format("LBN {} cannot be read, and angles are measured relative to it; check "
                            "the drive's health.",
                            reference_));
  const PhaseDrift drift(first, context_.rotation);
  phase_rev_ = statistics::turn_rev(drift.at_rev(first.back().completed_ns));
  last_ns_ = context_.drive.now_ns();
  return std::max(drift.noise_rev(), 1e-5);
}

}  // namespace platter::mtbrc
