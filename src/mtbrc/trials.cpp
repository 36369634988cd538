#include "mtbrc/trials.h"

#include <algorithm>

#include "estimate/passages.h"
#include "estimate/samples.h"
#include "estimate/trial_prior.h"
#include "mtbrc/writable.h"

namespace platter::mtbrc {

namespace {

statistics::ThresholdPrior guessed(double period_ns, std::optional<double> guess_ns,
                                   double guess_width_ns) {
  statistics::ThresholdPrior prior = estimate::trial_prior(period_ns);
  prior.guess = guess_ns;
  prior.guess_width = guess_width_ns;
  return prior;
}

}  // namespace

Threshold::Threshold(double period_ns, std::optional<double> guess_ns, double guess_width_ns)
    : Threshold(period_ns, guessed(period_ns, guess_ns, guess_width_ns)) {}

Nanoseconds Threshold::next_ns(std::mt19937_64& random) const {
  std::normal_distribution<double> gauss(0, 1);
  const auto found = estimate();
  double aim_ns = 0;
  if (!found) {
    aim_ns = guess_ns_ ? *guess_ns_ : std::uniform_real_distribution<double>(0, period_ns_)(random);
  } else if (found->error > found->spread) {
    aim_ns = found->value;  // bisect
  } else {
    aim_ns = found->value + 0.8 * found->spread * std::clamp(gauss(random), -2.0, 2.0);
  }
  return static_cast<Nanoseconds>(std::max(aim_ns, 0.0));
}

void Threshold::add(const statistics::CensoredTrial& trial) {
  posterior_.add(trial);
  trials_.push_back(trial);
}

double Threshold::error_ns() const {
  const auto found = estimate();
  return found ? found->error : period_ns_;
}

double Threshold::reported_error_ns() const {
  statistics::ThresholdPrior without = prior_;
  without.guess.reset();
  const auto found = statistics::fit_threshold(trials_, without);
  return found ? found->error : period_ns_;
}

Trials::Trials(Context& context)
    : context_(context),
      accesses_(context),
      passages_(*context.map, context.rotation, context.write_unit()) {}

// Of the track's sectors the first from `index` on that the experiment may access.
std::optional<estimate::Sample> Trials::access(const engine::Track& track, std::uint32_t index,
                                               bool write) {
  const std::uint32_t blocks = write ? context_.write_unit() : 1;
  std::optional<std::uint64_t> lbn;
  for (std::uint32_t i = 0; i < track.sectors && !lbn; ++i) {
    const std::uint64_t slot = track.first_slot + (index + i) % track.sectors;
    lbn = write ? writable_run(context_, track, slot, blocks)
                : estimate::run_at(*context_.map, slot);
    if (lbn && !write && !usable(*lbn)) lbn.reset();
  }
  if (!lbn) return std::nullopt;
  const auto sample = write ? accesses_.write(estimate::Experiment::other, *lbn, 0, blocks)
                            : accesses_.probe(estimate::Experiment::other, *lbn);
  if (sample) passages_.observe(*sample);
  return sample;
}

std::uint32_t Trials::random_index(const engine::Track& track) {
  return std::uniform_int_distribution<std::uint32_t>(0, track.sectors - 1)(context_.random);
}

bool Trials::go(const engine::Track& track, bool write) {
  constexpr int kTries = 40;
  std::uint32_t index = random_index(track);
  // Reads or writes sectors of the track, a third of a turn apart, until passages can be foretold.
  // A write that took more than a turn from there may have told nothing: the next lies farther.
  for (int tries = 0; tries < kTries; ++tries) {
    const auto sample = access(track, index, write);
    if (sample && passages_.ready(write)) return true;
    const bool too_late = write && sample &&
                          static_cast<double>(sample->completed_ns - sample->issued_ns) >
                              passages_.period_ns();
    index = (index + (too_late ? 2 : 1) * (track.sectors / 3) + 1) % track.sectors;
  }
  return false;
}

bool Trials::learn_writes_behind_reads(const engine::Track& track) {
  constexpr int kTries = 40;
  for (int tries = 0; tries < kTries && !passages_.knows_writes_behind_reads(); ++tries) {
    if (!access(track, random_index(track), false)) return false;
    if (!access(track, random_index(track), true)) return false;
  }
  return passages_.knows_writes_behind_reads();
}

bool Trials::trial(estimate::Experiment experiment, std::int64_t group, const engine::Track& track,
                   bool write, Threshold& threshold, std::optional<std::uint32_t> wanted_blocks) {
  if (!accesses_.last()) return false;
  const std::uint32_t fewest = write ? context_.write_unit() : 1;
  const std::uint32_t blocks = wanted_blocks.value_or(fewest);
  const Nanoseconds wanted = threshold.next_ns(context_.random);
  // Of writes whole physical blocks.
  const scsi::PhysicalBlocks& physical = context_.drive.physical_blocks();
  const auto target = passages_.aim(
      track, context_.drive.now_ns() + wanted, write, blocks, accesses_.last()->write,
      [&](std::uint64_t lbn) { return write ? physical.is_whole(lbn, blocks) : usable(lbn); });
  if (!target) return false;
  wait_for(*target, threshold);
  const auto sample = write ? accesses_.write(experiment, target->lbn, group, blocks)
                            : accesses_.probe(experiment, target->lbn, group);
  return tell(sample, blocks > fewest, threshold);
}

bool Trials::trial_of_read(estimate::Experiment experiment, const engine::Track& track,
                           Threshold& threshold) {
  const Nanoseconds wanted = threshold.next_ns(context_.random);
  const auto target = passages_.aim_read(
      track, context_.drive.now_ns() + wanted,
      [this](std::uint64_t lbn) { return is_fresh(context_, lbn); });
  if (!target) return false;
  wait_for(*target, threshold);
  return tell(accesses_.read(experiment, target->lbn), false, threshold);
}

bool Trials::trial_by(const std::function<std::optional<scsi::Completion>(std::uint64_t lbn)>& read,
                      const engine::Track& track, Threshold& threshold) {
  if (!accesses_.last()) return false;
  const estimate::Sample before = *accesses_.last();
  const Nanoseconds wanted = threshold.next_ns(context_.random);
  const auto target = passages_.aim(track, context_.drive.now_ns() + wanted, false, 1, before.write,
                                    [&](std::uint64_t lbn) { return usable(lbn); });
  if (!target) return false;
  wait_for(*target, threshold);
  const std::uint32_t session = context_.session;
  const auto done = read(target->lbn);
  if (!done || context_.session != session) return false;
  estimate::Sample sample;
  sample.lbn = target->lbn;
  sample.issued_ns = done->issued_ns;
  sample.completed_ns = done->completed_ns;
  sample.after_write = before.write;
  sample.after_lbn = before.lbn;
  sample.after_completed_ns = before.completed_ns;
  sample.session = session;
  return tell(sample, false, threshold);
}

// Sectors are coarser than the spread of what is measured: the rest is waited for here. Where an
// access to the same track hardly scatters, what is never waited for would never be tried; arms
// scatter more.
void Trials::wait_for(const estimate::Passages::Target& target, const Threshold& threshold) {
  constexpr double kFine_ns = 12e3, kOfSpread = 0.5;
  const auto found = threshold.is_of_same_track() ? threshold.estimate() : std::nullopt;
  const double fine_ns = found ? std::min(kFine_ns, kOfSpread * found->spread) : kFine_ns;
  if (static_cast<double>(target.late_ns) > fine_ns) context_.drive.rest_ns(target.late_ns);
}

bool Trials::tell(const std::optional<estimate::Sample>& sample, bool of_several,
                  Threshold& threshold) {
  if (!sample) return false;
  const auto told = of_several ? passages_.observe_run(*sample) : passages_.observe(*sample);
  if (!told) return false;
  threshold.add(*told);
  return true;
}

bool holds_lbns(const Context& context, const engine::Track& track) {
  const engine::LayoutMap& map = *context.map;
  const std::uint64_t lbn = map.lbn_at_or_after_slot(track.first_slot);
  const std::uint64_t end = track.first_slot + track.sectors;
  if (lbn >= map.blocks() || map.slot_of_lbn(lbn) >= end) return false;
  const std::uint64_t next = map.lbn_at_or_after_slot(end);
  return next <= lbn || !context.drive.leaves_out(lbn, static_cast<std::uint32_t>(next - lbn));
}

std::optional<engine::Track> random_track(Context& context) {
  std::uniform_int_distribution<std::uint64_t> anywhere(0, context.map->slots() - 1);
  for (int i = 0; i < 64; ++i) {
    const engine::Track track = context.map->track_of_slot(anywhere(context.random));
    if (holds_lbns(context, track)) return track;
  }
  return std::nullopt;
}

std::optional<engine::Track> neighbour(const Context& context, const engine::Track& from,
                                       std::int64_t distance) {
  const engine::LayoutMap& map = *context.map;
  const std::int64_t cylinder = std::int64_t{from.cylinder} + distance;
  if (cylinder < 0 || cylinder >= std::int64_t{map.cylinders()}) return std::nullopt;
  const auto track = map.track_at(static_cast<std::uint32_t>(cylinder), from.head);
  if (!track || !holds_lbns(context, *track)) return std::nullopt;
  return track;
}

std::vector<engine::Track> others_of_cylinder(const Context& context, const engine::Track& but) {
  const engine::LayoutMap& map = *context.map;
  std::vector<engine::Track> next, others;
  for (std::uint32_t head = 0; head < map.heads(); ++head) {
    if (head == but.head) continue;
    const auto track = map.track_at(but.cylinder, head);
    if (!track || !holds_lbns(context, *track)) continue;
    const bool beside = head + 1 == but.head || but.head + 1 == head;
    (beside ? next : others).push_back(*track);
  }
  return next.empty() ? others : next;
}

std::int64_t pair_of_heads(const engine::Track& from, const engine::Track& to) {
  return std::int64_t{from.head} * 65536 + to.head;
}

std::optional<engine::Track> seek_start(Context& context, std::uint32_t distance) {
  const engine::LayoutMap& map = *context.map;
  for (int attempt = 0; attempt < 200; ++attempt) {
    auto track = random_track(context);
    if (!track) return std::nullopt;
    if (neighbour(context, *track, distance) || neighbour(context, *track, -std::int64_t{distance}))
      return track;
    // Long seeks start near the edges: move there.
    const std::uint32_t room = map.cylinders() > distance ? map.cylinders() - distance : 0;
    if (room == 0) return std::nullopt;
    const std::uint32_t cylinder = std::uniform_int_distribution<std::uint32_t>(
        0, room - 1)(context.random);
    track = map.track_at(cylinder, track->head);
    if (track && holds_lbns(context, *track) && neighbour(context, *track, distance)) return track;
  }
  return std::nullopt;
}

}  // namespace platter::mtbrc
