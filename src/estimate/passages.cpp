#include "estimate/passages.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimate/rotation.h"
#include "model/interruption.h"
#include "statistics/circular.h"
#include "statistics/robust.h"

namespace platter::estimate {
namespace {

// Completions further than this from a passage are of another kind.
constexpr double kStranger_rev = 0.05;
// Nothing makes a completion earlier than its passage by more: the host's delay only scatters.
constexpr double kEarly_rev = 0.004;
// So many strangers in a row: the constant itself was wrong.
constexpr int kRelearn = 8;
// The constant follows the spindle's wander over about so many accesses, or fewer where much time
// is between them.
constexpr double kMemory = 12;
// And what kinds differ by over so many.
constexpr double kLongMemory = 100;
// What a trial may be off, and what spindles are known to wander within seconds, of the period: so
// a constant is good for 4 s of 7200 rpm.
constexpr double kMayBeOff_rev = 0.001, kWander = 2e-6;
// No host times completions better: 2 us of 7200 rpm.
constexpr double kLeastScatter_rev = 3e-4;

// How much of what one observation says is taken, where the constant may have moved by `moved`
// between two and one is off by `scatter`: the gain of a Kalman filter of a random walk.
double gain_of(double moved_rev, double scatter_rev) {
  const double ratio = moved_rev / std::clamp(scatter_rev, kLeastScatter_rev, kMayBeOff_rev);
  const double square = ratio * ratio;
  return 0.5 * (std::sqrt(square * (square + 4)) - square);
}

}  // namespace

std::optional<std::uint64_t> run_at(const engine::LayoutMap& map, std::uint64_t slot,
                                    std::uint32_t blocks) {
  if (slot + blocks > map.slots()) return std::nullopt;
  const auto lbn = map.lbn_of_slot(slot);
  if (!lbn || *lbn + blocks > map.blocks()) return std::nullopt;
  for (std::uint32_t i = 0; i < blocks; ++i)
    if (map.is_remapped(*lbn + i) || map.lbn_of_slot(slot + i) != std::optional(*lbn + i))
      return std::nullopt;
  return lbn;
}

double Passages::begin_rev(std::uint64_t lbn) const {
  return engine::rev_from_angle(map_.angle_of_lbn(lbn));
}

std::optional<double> Passages::width_rev(std::uint64_t lbn, std::uint32_t blocks) const {
  if (lbn + blocks > map_.blocks()) return std::nullopt;
  const std::uint64_t slot = map_.slot_of_lbn(lbn);
  const engine::Track track = map_.track_of_slot(slot);
  const bool in_a_row = blocks == 1 || (slot + blocks <= track.first_slot + track.sectors &&
                                        run_at(map_, slot, blocks) == std::optional(lbn));
  if (!in_a_row) return std::nullopt;
  return static_cast<double>(blocks) / track.sectors;
}

void Passages::forget() {
  forget_constant();
  first_.reset();
  offset_rev_ = {};
  count_ = {};
  strangers_ = {};
}

// What kinds differ by stays.
void Passages::forget_constant() {
  learned_from_rev_.clear();
  constant_known_ = false;
  scatter_rev_ = 0;
  followed_ = 0;
}

// By the error of the period, or by what spindles wander, since it was told last.
double Passages::may_have_moved_rev(Nanoseconds time_ns) const {
  const model::Parameter& period = rotation_.period;
  const double unsure = period.value && period.error ? *period.error / *period.value : 0.0;
  return static_cast<double>(time_ns - told_ns_) / period_ns() * std::max(unsure, kWander);
}

// The constant, by the middle of the first ones, for one of them may be late; or what a kind
// differs from it by.
void Passages::learn(std::size_t kind, double seen_rev) {
  const bool offset_known = kind == *first_ || count_[kind] >= kLearn;
  if (!constant_known_ && !offset_known) {  // neither can be told from the other
    forget();
    first_ = kind;
  }
  if (constant_known_ && kind != *first_) {
    offset_rev_[kind] = statistics::wrap_rev(seen_rev - constant_rev_);
    count_[kind] = 1;
    return;
  }
  learned_from_rev_.push_back(seen_rev - offset_rev_[kind]);
  if (learned_from_rev_.size() < kLearn) return;
  std::vector<double> apart;
  for (const double rev : learned_from_rev_)
    apart.push_back(statistics::wrap_rev(rev - learned_from_rev_.front()));
  const double middle = statistics::median(apart);
  const auto far = std::ranges::count_if(
      apart, [&](double rev) { return std::abs(rev - middle) > kStranger_rev; });
  if (far > 1) {  // no bunch: by those that come
    learned_from_rev_.erase(learned_from_rev_.begin());
    return;
  }
  constant_rev_ = learned_from_rev_.front() + middle;
  constant_known_ = true;
  followed_ = kLearn;
  count_[*first_] = std::max(count_[*first_], kLearn);
}

void Passages::follow(std::size_t kind, bool after_write, double residual_rev, double moved_rev) {
  ++count_[kind];
  const bool learning = count_[kind] <= kLearn;
  const double pull = learning ? residual_rev
                               : std::clamp(residual_rev, -kMostPull_rev, kMostPull_rev);
  // Where another kind came first, the wander is in its constant, and what differs is learned
  // slowly. The read in front of a write has just told the wander; between writes these must.
  const bool alone = kind == *first_ || (after_write && !learning);
  if (alone) {
    const double usual = 1 / std::min<double>(++followed_, kMemory);
    constant_rev_ += pull * std::max(usual, gain_of(moved_rev, scatter_rev_));
    scatter_rev_ += (std::abs(pull) - scatter_rev_) / std::min<double>(followed_, kLongMemory);
  }
  if (kind != *first_) offset_rev_[kind] += pull / std::min<double>(count_[kind], kLongMemory);
}

std::optional<statistics::CensoredTrial> Passages::observe(const Sample& sample) {
  stop_if_asked();
  if (std::exchange(session_, sample.session) != sample.session) forget();
  if (sample.experiment == Experiment::disturbed) return std::nullopt;
  if (sample.blocks != (sample.write ? write_unit_ : 1)) return std::nullopt;
  const auto width = width_rev(sample.lbn, sample.blocks);
  if (!width) return std::nullopt;
  const std::size_t kind = sample.verify ? kVerifies : kind_of(sample.write, sample.after_write);
  const double moved = may_have_moved_rev(sample.completed_ns);
  if (constant_known_ && moved > std::max(kMayBeOff_rev, scatter_rev_)) forget_constant();
  // What begins in the middle takes a turn from there: such a completion teaches no constant.
  const bool perhaps_in_the_middle = sample.blocks > 1 &&
                                     static_cast<double>(sample.completed_ns - sample.issued_ns) >
                                         period_ns();
  const bool known = is_known(kind) && strangers_[kind] < kRelearn;
  if (perhaps_in_the_middle && !known) return std::nullopt;
  const double seen = statistics::turn_rev(phase_rev(rotation_, sample.completed_ns) - *width -
                                           begin_rev(sample.lbn));
  if (!first_) first_ = kind;
  if (strangers_[kind] >= kRelearn && kind == *first_) forget_constant();
  if (!constant_known_ || count_[kind] == 0 || strangers_[kind] >= kRelearn) {
    strangers_[kind] = 0;
    told_ns_ = sample.completed_ns;
    learn(kind, seen);
    return std::nullopt;
  }
  const double residual = statistics::wrap_rev(seen - constant_of(kind));
  // A drive may begin in the middle (zero latency): it was not ready for the first block.
  const bool in_the_middle = perhaps_in_the_middle && residual < -kEarly_rev &&
                             residual > -*width - kEarly_rev;
  if (in_the_middle) return trial_of(sample, residual, *width);
  if (std::abs(residual) > kStranger_rev) {
    ++strangers_[kind];
    return std::nullopt;
  }
  strangers_[kind] = 0;
  told_ns_ = sample.completed_ns;
  follow(kind, sample.after_write, residual, moved);
  if (count_[kind] <= kLearn) return std::nullopt;
  return trial_of(sample, statistics::wrap_rev(seen - constant_of(kind)), *width);
}

statistics::CensoredTrial Passages::trial_of(const Sample& sample, double late_rev,
                                             double width_rev) const {
  const double period = period_ns();
  const double high = static_cast<double>(sample.completed_ns - sample.issued_ns) -
                      (late_rev + width_rev) * period;
  return {high - period, high};
}

std::optional<std::size_t> Passages::known_kind(bool write, bool after_write) const {
  if (!write && is_known(kVerifies)) return kVerifies;
  for (const bool after : {after_write, !after_write})
    if (const std::size_t kind = kind_of(write, after); is_known(kind)) return kind;
  return std::nullopt;
}

std::optional<statistics::CensoredTrial> Passages::observe_run(const Sample& sample) const {
  if (sample.session != session_) return std::nullopt;
  const auto kind = known_kind(sample.write, sample.after_write);
  if (!kind) return std::nullopt;
  const auto width = width_rev(sample.lbn, sample.blocks);
  if (!width || *width > 0.5) return std::nullopt;
  // How much of a turn behind the passage of all of them; what began in their middle less than
  // none.
  const double seen = phase_rev(rotation_, sample.completed_ns) - *width - begin_rev(sample.lbn) -
                      constant_of(*kind);
  double late = statistics::turn_rev(seen);
  if (late > kStranger_rev) late -= 1;
  if (late < -*width - kStranger_rev) return std::nullopt;
  return trial_of(sample, late, *width);
}

std::optional<Passages::Target> Passages::aim(const engine::Track& track, Nanoseconds time_ns,
                                              bool write, std::uint32_t blocks, bool after_write,
                                              const Usable& usable) const {
  const auto kind = known_kind(write, after_write);
  return kind ? aim_kind(*kind, track, time_ns, blocks, usable) : std::nullopt;
}

std::optional<Passages::Target> Passages::aim_read(const engine::Track& track, Nanoseconds time_ns,
                                                   const Usable& usable) const {
  const auto kind = is_known(kReads) ? kReads : known_kind(false, false);
  return kind ? aim_kind(*kind, track, time_ns, 1, usable) : std::nullopt;
}

std::optional<Passages::Target> Passages::aim_kind(std::size_t kind, const engine::Track& track,
                                                   Nanoseconds time_ns, std::uint32_t blocks,
                                                   const Usable& usable) const {
  if (blocks > track.sectors) return std::nullopt;
  const double wanted = phase_rev(rotation_, time_ns) - constant_of(kind);
  const double sectors = track.sectors;
  const double place = statistics::turn_rev(wanted - engine::rev_from_angle(track.angle)) * sectors;
  const double first = std::ceil(place);
  for (std::uint32_t i = 0; i < track.sectors; ++i) {
    const double index = first + i;
    const auto slot = static_cast<std::uint64_t>(index) % track.sectors;
    if (slot + blocks > track.sectors) continue;
    const auto lbn = run_at(map_, track.first_slot + slot, blocks);
    if (!lbn || (usable && !usable(*lbn))) continue;
    const double late = (index - place) / sectors * period_ns();
    return Target{*lbn, static_cast<Nanoseconds>(late)};
  }
  return std::nullopt;
}

}  // namespace platter::estimate
