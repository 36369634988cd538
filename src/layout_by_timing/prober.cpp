#include "layout_by_timing/prober.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::layout_by_timing {

std::optional<double> Prober::angle(std::uint64_t block) {
  if (block >= drive_.blocks()) return std::nullopt;
  if (const auto before = read_.find(block); before != read_.end()) {
    took_ns_ = before->second.took_ns;
    return before->second.rev;
  }
  frame_.keep();
  if (deadline_ns_ > 0 && drive_.now_ns() > deadline_ns_) throw OutOfTime{};
  const auto done = drive_.access(block);
  std::optional<double> rev;
  if (done) {
    took_ns_ = done->completed_ns - done->issued_ns;
    arm_block_ = block;
    rev = frame_.angle_rev(done->completed_ns);
  }
  if (!drive_.may_repeat()) read_[block] = {rev, took_ns_};
  return rev;
}

Prober::Lead& Prober::lead_to(const Run& run, std::uint32_t track) {
  const std::uint64_t to = run.first + std::uint64_t{track} * run.slots;
  const std::uint64_t apart = (to > arm_block_ ? to - arm_block_ : arm_block_ - to) / run.slots;
  const bool other_run = run.first != arm_run_;
  Lead& lead = leads_[std::min<std::size_t>(19, std::bit_width(apart)) + (other_run ? 20 : 0)];
  if (lead.ns <= 0) lead.ns = 0.35 * frame_.period_ns();  // Chosen: soon learnt
  return lead;
}

Reading Prober::reading(const Run& run, std::uint64_t block, double angle_rev,
                        double unsure_rev) const {
  const double off = statistics::wrap_rev(angle_rev - run.end_of_block_rev(block));
  return {block, angle_rev, off, frame_.jitter().evidence(off, unsure_rev)};
}

std::optional<Reading> Prober::look_at(const Run& run, std::uint32_t track, std::uint32_t slot,
                                       double unsure_rev) {
  for (std::uint32_t i = 0; i < run.slots; ++i) {
    const auto block = run.block_at(std::uint64_t{track} * run.slots + (slot + i) % run.slots);
    if (!block || *block >= drive_.blocks() || (i > 0 && !fresh(*block))) continue;
    const auto angle_rev = angle(*block);
    if (!angle_rev && !fresh(*block)) continue;
    if (!angle_rev) return std::nullopt;
    arm_run_ = run.first;
    return reading(run, *block, *angle_rev, unsure_rev);
  }
  return std::nullopt;
}

double Prober::rev_now() {
  frame_.keep();
  return frame_.angle_rev(drive_.now_ns());
}

double Prober::rev_after_lead(const Run& run, std::uint32_t track) {
  frame_.keep();
  return frame_.angle_rev(drive_.now_ns() + static_cast<Nanoseconds>(lead_to(run, track).ns));
}

std::optional<Reading> Prober::look(const Run& run, std::uint32_t track, double unsure_rev) {
  const double under_head = rev_after_lead(run, track);
  Lead& lead = lead_to(run, track);
  const double from_start = statistics::turn_rev(under_head - run.track_start_rev(track));
  const auto slot = static_cast<std::uint32_t>(from_start * run.around()) + 1;
  const auto seen = look_at(run, track, slot >= run.slots ? 0 : slot, unsure_rev);
  if (!seen) return seen;
  // Learnt so that about one in fifty comes too late, which costs a revolution.
  const double late_ns = static_cast<double>(took_ns_) - lead.ns;
  if (late_ns > 0.6 * frame_.period_ns() && slot < run.slots)
    lead.ns = std::min(1.15 * lead.ns + 0.002 * frame_.period_ns(), 0.95 * frame_.period_ns());
  else
    lead.ns *= lead.hits++ < 25 ? 0.94 : 0.997;
  return seen;
}

void Prober::keep_frame_by(const Run& run) {
  // Chosen: what its skew is wrong by stays small on them, and they last for a thousand seconds.
  constexpr std::uint32_t kTracks = 32;
  constexpr std::size_t kMost = 16'384, kFewest = 200;
  if (!frame_.wants_references()) return;
  const std::uint32_t from = run.tracks > kTracks ? (run.tracks - kTracks) / 2 : 0;
  std::vector<Reference> kept;
  for (std::uint32_t track = from; track < std::min(run.tracks, from + kTracks); ++track)
    for (std::uint32_t slot = 0; slot < run.slots; ++slot)
      if (const auto block = run.block_at(std::uint64_t{track} * run.slots + slot))
        if (*block < std::min(run.end(), drive_.blocks()) && fresh(*block))
          kept.push_back({*block, run.end_of_block_rev(*block)});
  std::ranges::shuffle(kept, random_);
  if (kept.size() > kMost) kept.resize(kMost);
  if (kept.size() < kFewest) return;
  for (const Reference& reference : kept) read_[reference.block] = {};
  frame_.refer_to(std::move(kept));
}

Verdict Prober::check(const Run& run, std::uint32_t track, double unsure_rev, int least) {
  constexpr double kEnough = 3.5, kAgainst = -5;  // log-odds
  constexpr int kMost = 6;
  Verdict verdict;
  double odds = 0;
  std::vector<double> fitting;
  for (int tries = 0; tries < kMost + 2 && verdict.readings < kMost; ++tries) {
    const auto seen = look(run, track, unsure_rev);
    if (!seen) continue;
    ++verdict.readings;
    odds += seen->evidence;
    if (seen->evidence > 0) fitting.push_back(seen->off_rev);
    if (odds < kAgainst || (odds > kEnough && verdict.readings >= least)) break;
  }
  verdict.holds = odds > 0 && !fitting.empty();
  if (!fitting.empty()) verdict.off_rev = statistics::median(fitting);
  return verdict;
}

bool Prober::begins_here(const Run& run) {
  double odds = 0;
  for (std::uint32_t slot = 1; slot < 6; ++slot) {
    if (const auto seen = look_at(run, 0, slot)) odds += seen->evidence;
    if (odds > 3) return true;
    if (odds < -7) return false;
  }
  return odds > 0;
}

}  // namespace platter::layout_by_timing
