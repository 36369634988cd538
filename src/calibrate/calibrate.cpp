#include "calibrate/calibrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibrate/accesses.h"
#include "calibrate/blind_spindle.h"
#include "calibrate/coherence.h"
#include "calibrate/completions.h"
#include "calibrate/gain.h"
#include "calibrate/hit_overheads.h"
#include "calibrate/phase.h"
#include "calibrate/policy_search.h"
#include "calibrate/positioning.h"
#include "calibrate/trials.h"
#include "calibrate/write_settle.h"
#include "calibrate/zone_angles.h"
#include "model/stand_ins.h"
#include "model/validate.h"
#include "statistics/circular.h"

namespace platter::calibrate {
namespace {

constexpr double kSignificant = 4;  // standard errors that a change must exceed
constexpr int kRounds = 3;
constexpr double kPhaseWidth_ns = 5e9;  // over which accesses tell where the platter is
constexpr double kOutlier = 0.1;  // of a revolution: an access that says nothing of positioning
constexpr std::size_t kFewestTrials = 50;
constexpr double kLeastSpread = 0.002;     // rev, of one access about the angles
constexpr std::size_t kFewestOfZone = 20;  // accesses: fewer may not tell a zone that is there
constexpr double kShuffled = 0.5;          // shuffled angles must keep step far less well
constexpr std::size_t kFolds = 10;         // each of them every tenth stretch
constexpr int kMostSteps = 20;
constexpr double kAsGood = 0.03;  // of the figures of the model that came in: a few revolutions

model::Parameter calibrated(const model::Parameter& before, double value, double error,
                            std::size_t samples, const char* unit) {
  model::Parameter parameter;
  parameter.value = value;
  parameter.unit = before.unit.empty() ? unit : before.unit;
  parameter.error = error;
  parameter.method = kMethod;
  parameter.samples = samples;
  return parameter;
}

std::vector<Access> learned_accesses(const model::DriveModel& model, const Measurement& measured,
                                     const replay::Result& result) {
  std::vector<Access> accesses = media_accesses(model, measured, result);
  std::erase_if(accesses, [&](const Access& access) {
    return !access.one_track || !measured.learn().contains(access.request);
  });
  return accesses;
}

double period_of(const model::DriveModel& model) { return model::revolution_ns(model.rotation); }

// Whether the accesses keep step only with each think time in front of its request.
bool think_times_in_front(const model::DriveModel& model, const Measurement& measured) {
  if (measured.drive().kind != trace::Kind::closed) return false;
  const auto spindle_of = [&](const Measurement& as) {
    const replay::Result result = as.replay_in_drives_time(model);
    const std::vector<Access> accesses = learned_accesses(model, as, result);
    std::optional<Spindle> found;
    if (!accesses.empty()) found = find_spindle(accesses, *result.period_ns);
    if (found && shuffled_share(accesses, *found) > kShuffled) found.reset();
    return found;
  };
  if (spindle_of(measured)) return false;
  return spindle_of(measured.with_think_times_in_front()).has_value();
}

std::string paths_of(const std::vector<Change>& changes) {
  std::string text;
  for (const Change& change : changes) text += (text.empty() ? "" : ", ") + change.path;
  return text;
}

// A model that differs from the present one in one respect, and by how much it is nearer.
struct Step {
  model::DriveModel model{};
  std::vector<Change> changes{};
  std::string group{};
  Gain gain{};
};

class Calibration {
 public:
  Calibration(const model::DriveModel& model, const Measurement& measured, const Options& options)
      : original_(model), model_(model), measured_(measured), options_(options) {
    first_ = score(model);
    best_ = model;
  }

  void run(Outcome& outcome) {
    for (round_ = 0; round_ < kRounds; ++round_) {
      round_changed_ = false;
      if (options_.groups.rotation || options_.groups.angles) turn();
      if (options_.groups.hits) hits();
      improve();
      if (!round_changed_) break;
    }
    settle_for_best();
    if (options_.groups.hits && options_.groups.positioning)
      for (const bool write : {false, true}) share(write);
    outcome.cut = cut_;
    if (cut_)
      leave(
          fmt::format("write_settle, cache: the search ended at {} replayed requests, its bound "
                      "(--most-replayed)",
                      options_.most_replayed));
    outcome.changes = changes_;
    outcome.left = left_;
    outcome.left.insert(outcome.left.end(), of_angles_.begin(), of_angles_.end());
    outcome.left.insert(outcome.left.end(), of_commands_.begin(), of_commands_.end());
    outcome.zones_not_found = zones_not_found_;
    outcome.phase_known = phase_known_;
    outcome.spread_rev = spread_rev_;
    outcome.model = std::move(model_);
  }

 private:
  struct Score {
    double difference_ms = 0, demerit_ms = 0;
  };

  Score score(const model::DriveModel& model) const {
    const replay::Result result = measured_.replay_learned(model);
    const Range learn = measured_.learn();
    Score score;
    for (std::size_t i = learn.begin; i < learn.end; ++i)
      score.difference_ms += std::abs(
          to_ms(result.requests[i].response_ns - measured_.drive().requests[i].response_ns));
    score.difference_ms /= static_cast<double>(learn.size());
    score.demerit_ms = demerit_ms(measured_.drive(), result, learn);
    return score;
  }

  // Both against the model as it came: the distribution, and each request.
  double relative(const Score& s) const {
    return s.difference_ms / std::max(1e-9, first_.difference_ms) +
           s.demerit_ms / std::max(1e-9, first_.demerit_ms);
  }

  bool work_is_left() {
    const bool left = measured_.replayed() < options_.most_replayed;
    cut_ = cut_ || !left;
    return left;
  }
  void report(const std::string& stage) const {
    if (options_.progress)
      options_.progress(stage, (round_ + (stage == "cache" ? 0.3 : 0.0)) / kRounds);
  }
  void leave(const std::string& why) {
    if (std::ranges::find(left_, why) == left_.end()) left_.push_back(why);
  }

  // A change of the same parameter in an earlier round is carried on.
  void note(Change change) {
    round_changed_ = true;
    for (Change& before : changes_)
      if (before.path == change.path) {
        change.from = before.from;
        before = std::move(change);
        return;
      }
    changes_.push_back(std::move(change));
  }

  // Keeps the next model if each request is nearer to the drive's, in what may be learned from.
  bool keep(model::DriveModel next, std::vector<Change> changes, const std::string& group) {
    if (changes.empty()) return false;
    const Amend amend = nearer_amend(next);
    for (const bool write : {false, true}) none_negative(next, write, amend, group, changes);
    const Score now = score(model_), then = score(next);
    if (then.difference_ms > now.difference_ms) {
      leave(fmt::format(
          "{}: would take the mean absolute difference from {:.4f} to {:.4f} ms in what "
          "is learned from",
          group == "positioning" ? paths_of(changes) : group, now.difference_ms,
          then.difference_ms));
      return false;
    }
    model_ = std::move(next);
    for (Change& change : changes) note(std::move(change));
    remember();
    return true;
  }

  // One group may move the distribution away that the next brings back: what is taken in the end is
  // the best on the way.
  void remember() {
    const double now = relative(score(model_));
    if (now > best_relative_) return;
    best_relative_ = now;
    best_ = model_;
    best_changes_ = changes_;
  }

  // The last model, unless its distribution is worse, beyond noise, than that of the best on the
  // way.
  void settle_for_best() {
    const double now = relative(score(model_));
    const Gain gain = verdict_of(measured_.drive(), measured_.replay_learned(best_),
                                 measured_.replay_learned(model_), measured_.learn())
                          .demerit;
    if (now > best_relative_ && gain.mean < -kHeldOut * gain.error) {
      leave(
          "what came after the best model on the way is taken back: it made the distribution "
          "worse");
      model_ = best_;
      changes_ = best_changes_;
    } else {
      best_ = model_;
      best_changes_ = changes_;
      best_relative_ = now;
    }
  }

  // How overheads that are less than nothing are made to make sense.
  using Amend = void (*)(model::Overheads& overheads, bool write);
  Amend nearer_amend(const model::DriveModel& model) const;
  void none_negative(model::DriveModel& next, bool write, Amend amend, const std::string& group,
                     std::vector<Change>& changes) const;
  void share(bool write);
  void turn();
  void correct_angles(const AngleFit& fit, model::DriveModel& next, std::vector<Change>& changes);
  void say_of_angles(const AngleFit& fit);
  void hits();
  void improve();
  std::optional<Step> completed(const Differences& now) const;
  std::optional<Step> positioned(const Differences& now);
  std::optional<Step> settled(const Differences& now);
  std::optional<Step> with_policy(const Differences& now);
  std::optional<Differences> held_out(const Candidate& candidate) const;
  std::optional<std::vector<Change>> apply(const Positioning& found, const std::string& why,
                                           model::DriveModel& next) const;
  Phase phase() const;
  // To what acts in the model before.
  void add(const model::DriveModel& to, model::Parameter& parameter,
           const std::optional<statistics::Estimate>& by, const char* group,
           const std::string& path, const std::string& why, std::vector<Change>& changes) const;

  const model::DriveModel& original_;
  model::DriveModel model_;
  const Measurement& measured_;
  const Options& options_;
  Score first_{};
  std::vector<Change> changes_{};
  std::vector<std::string> left_{};
  std::vector<std::string> of_angles_{}, of_commands_{};  // the like, as the last round has it
  std::optional<std::size_t> few_{};  // zones of the layout that came in with too few accesses
  std::vector<ZoneNotFound> zones_not_found_{};
  model::DriveModel best_{};
  std::vector<Change> best_changes_{};
  double best_relative_ = 2;  // that of no change
  bool phase_known_ = false, round_changed_ = false;
  double spread_rev_ = 0;
  int round_ = 0;
  bool cut_ = false;
};

// The spindle with which accesses keep step; skews that some zone has, where they do only with
// these.
struct InStep {
  Spindle spindle{};
  std::vector<ZoneCorrection> likely{};
};

std::optional<InStep> in_step(const model::Layout& layout, const std::vector<Access>& accesses,
                              double nominal_ns, bool with_other_skews) {
  if (!accesses.empty())
    if (const auto spindle = find_spindle(accesses, nominal_ns)) return InStep{*spindle, {}};
  if (with_other_skews)
    if (const auto blind = find_spindle_blind(layout, accesses, nominal_ns))
      return InStep{blind->spindle, {blind->skews}};
  return std::nullopt;
}

// nullopt: it is as the model has it.
std::optional<Change> correct_period(model::Rotation& rotation, const Spindle& spindle,
                                     double period_ns) {
  const double before_ns = model::revolution_ns(rotation);
  if (std::abs(period_ns - before_ns) <= kSignificant * spindle.error_ns) return std::nullopt;
  constexpr std::uint64_t kParts = 1'000'000;
  rotation.numerator_ns = static_cast<std::uint64_t>(std::llround(period_ns * kParts));
  rotation.denominator = kParts;
  rotation.period = calibrated(rotation.period, period_ns, spindle.error_ns, spindle.pairs, "ns");
  return Change{
      "rotation",
      "rotation.period",
      before_ns,
      period_ns,
      spindle.error_ns,
      "ns",
      spindle.pairs,
      fmt::format("{:+.2f} ppm; of {} pairs of accesses, turns agree to {:.2f} %",
                  (period_ns / before_ns - 1) * 1e6, spindle.pairs, 100 * spindle.coherence.share)};
}

Change change_of_zone(const ZoneAngles& zone) {
  const ZoneCorrection& c = zone.correction;
  std::string why = fmt::format(
      "angle {:+.4f}, from head to head {:+.5f}, from cylinder to "
      "cylinder {:+.6f}",
      c.angle, c.per_head, c.per_cylinder);
  if (c.range > 0)
    why += fmt::format(", behind every {} cylinders {:+.5f} more, the first time behind {}",
                       c.range, c.per_range, c.first);
  return {"angles",
          fmt::format("layout.zones[{}]", zone.zone),
          zone.coherence_before,
          zone.coherence_after,
          c.angle_error,
          "rev",
          zone.accesses,
          why + " (from, to: how well its accesses keep step, 1 is perfect)"};
}

// `before`: the changes of earlier rounds, to which the offset is added.
Change change_of_head(const AngleFit& fit, std::size_t head, const std::vector<Change>& before) {
  const std::string path = fmt::format("layout, head {}", head);
  const auto known = std::ranges::find(before, path, &Change::path);
  const double was = known == before.end() ? 0 : known->to.value_or(0);
  return {"angles",
          path,
          was,
          was + fit.heads[head],
          fit.head_errors[head],
          "rev",
          fit.head_accesses[head],
          "the tracks of a head lie elsewhere by an offset, in all zones"};
}

// The spindle's period, and where tracks begin.
void Calibration::turn() {
  report("rotation and angles");
  const replay::Result result = measured_.replay_in_drives_time(model_);
  const std::vector<Access> accesses = learned_accesses(model_, measured_, result);
  const std::optional<InStep> found = in_step(model_.layout, accesses, *result.period_ns,
                                              options_.groups.angles);
  phase_known_ = found.has_value();
  if (!found) {
    leave(
        "rotation, angles, positioning: no period within 3 % of the model's at which media "
        "accesses "
        "keep step beyond chance");
    return;
  }
  const AngleFit fit = fit_zone_angles(model_.layout, accesses, found->spindle, found->likely);
  spread_rev_ = fit.spread_rev;
  model::DriveModel next = model_;
  std::vector<Change> changes;
  if (options_.groups.rotation)
    if (auto change = correct_period(next.rotation, found->spindle,
                                     found->spindle.period_ns * (1 + fit.drift)))
      changes.push_back(std::move(*change));
  if (options_.groups.angles) correct_angles(fit, next, changes);
  if (changes.empty()) return;
  model_ = std::move(next);
  for (Change& change : changes) note(std::move(change));
  // Where the platter is decides nothing about the distribution; what follows is built on it.
  best_relative_ = relative(score(model_));
  best_ = model_;
  best_changes_ = changes_;
}

void Calibration::correct_angles(const AngleFit& fit, model::DriveModel& next,
                                 std::vector<Change>& changes) {
  say_of_angles(fit);
  next.layout = corrected(model_.layout, fit);
  double worst = 0;
  for (const ZoneAngles& zone : fit.zones) {
    if (!zone.changed) continue;
    worst = std::max(worst, zone.correction.angle_error);
    changes.push_back(change_of_zone(zone));
  }
  for (std::size_t head = 0; head < fit.heads.size(); ++head) {
    if (fit.head_accesses[head] == 0) continue;
    worst = std::max(worst, fit.head_errors[head]);
    changes.push_back(change_of_head(fit, head, changes_));
  }
  if (fit.heads.empty() && std::ranges::none_of(fit.zones, &ZoneAngles::changed)) return;
  next.layout.angle = {};
  next.layout.angle.unit = "rev";
  next.layout.angle.error = worst;
  next.layout.angle.method = kMethod;
  next.layout.angle.samples = fit.accesses;
  next.layout.angle.reason = fmt::format("{}", fmt::join(of_angles_, "; "));
}

// Which zones are not found, and what no parameter has.
void Calibration::say_of_angles(const AngleFit& fit) {
  of_angles_.clear();
  of_commands_.clear();
  zones_not_found_.clear();
  std::size_t few = 0;
  for (const ZoneAngles& zone : fit.zones) {
    if (zone.accesses == 0 || (zone.identified && !zone.lags)) continue;
    if (!zone.identified && zone.accesses < kFewestOfZone) {
      ++few;
      continue;
    }
    const auto cylinder =
        static_cast<std::uint32_t>(std::max(0, model_.layout.zones[zone.zone].cylinder));
    const double coherence = zone.identified ? zone.coherence_after : zone.coherence_before;
    zones_not_found_.push_back({zone.zone, cylinder, zone.accesses, coherence});
    of_angles_.push_back(fmt::format(
        "angles: the zone from cylinder {} on is not found: the mean vector of its {} accesses is "
        "{:.2f} long, in the median zone {:.2f}",
        cylinder, zone.accesses, coherence, fit.coherence));
  }
  if (!few_) few_ = few;
  if (*few_ > 0)
    of_angles_.push_back(
        fmt::format("angles: of {} zones the accesses are too few to tell theirs", *few_));
  for (const bool write : {false, true})
    if (fit.after_other[write] != 0)
      of_commands_.push_back(
          fmt::format("angles: {0} behind {1} complete {2:+.4f} +- {3:.4f} revolutions from where "
                      "{0} behind {0} "
                      "do; no parameter has this",
                      write ? "writes" : "reads", write ? "reads" : "writes",
                      fit.after_other[write], fit.after_other_error[write]));
}

bool is_significant(const std::optional<statistics::Estimate>& estimate) {
  return estimate && std::abs(estimate->value) > kSignificant * estimate->error;
}

void Calibration::add(const model::DriveModel& to, model::Parameter& parameter,
                      const std::optional<statistics::Estimate>& by, const char* group,
                      const std::string& path, const std::string& why,
                      std::vector<Change>& changes) const {
  if (!by || by->value == 0) return;
  const model::Parameter before = parameter;
  parameter = calibrated(before, model::acting(to, path) + by->value, by->error, by->samples, "ms");
  changes.push_back(
      {group, path, before.value, parameter.value, by->error, parameter.unit, by->samples, why});
}

// Whichever of both leaves the responses nearer to the drive's.
Calibration::Amend Calibration::nearer_amend(const model::DriveModel& model) const {
  if (least_in_front(model.overheads, false) == 0 && least_in_front(model.overheads, true) == 0)
    return move_behind_media;
  model::DriveModel moved = model, raised = model;
  for (const bool write : {false, true}) {
    move_behind_media(moved.overheads, write);
    raise_to_nothing(raised.overheads, write);
  }
  return score(raised).difference_ms < score(moved).difference_ms ? raise_to_nothing
                                                                  : move_behind_media;
}

// What would be less than nothing in front of the media is so no more.
void Calibration::none_negative(model::DriveModel& next, bool write, Amend amend,
                                const std::string& group, std::vector<Change>& changes) const {
  const model::Overheads before = next.overheads;
  amend(next.overheads, write);
  std::vector<CommandOverhead> all = overheads_of(write);
  all.push_back(completion_of(write));
  for (const CommandOverhead& one : all) {
    const model::Parameter& now = next.overheads.*one.field;
    if (now.value == (before.*one.field).value) continue;
    const auto known = std::ranges::find(changes, one.name, &Change::path);
    if (known != changes.end())
      known->to = now.value;
    else
      changes.push_back({group, one.name, (model_.overheads.*one.field).value, now.value,
                         std::nullopt, now.unit, 0,
                         "so that no time before the media is below zero"});
  }
}

// Where all overheads of a side have changed by the same constant, it is one of the completion.
void Calibration::share(bool write) {
  const auto shared = shared_constant(original_.overheads, best_.overheads, write);
  if (!shared) return;
  model::DriveModel next = best_;
  std::vector<Change> changes = best_changes_;
  for (const CommandOverhead& one : overheads_of(write)) {
    next.overheads.*one.field = original_.overheads.*one.field;
    std::erase_if(changes, [&](const Change& change) { return change.path == one.name; });
  }
  const CommandOverhead completion = completion_of(write);
  std::erase_if(changes, [&](const Change& change) { return change.path == completion.name; });
  next.overheads.*completion.field = original_.overheads.*completion.field;
  add(original_, next.overheads.*completion.field, shared, "positioning", completion.name,
      fmt::format("shared by hits and misses, after reads and after writes, of all {}",
                  write ? "writes" : "reads"),
      changes);
  const Score then = score(next);
  if (then.difference_ms > score(best_).difference_ms && relative(then) > best_relative_ + kAsGood)
    return;
  best_ = next;
  best_changes_ = changes;
  best_relative_ = relative(then);
  model_ = std::move(next);
  changes_ = std::move(changes);
}

// Commands that the buffer serves.
void Calibration::hits() {
  report("overheads of hits");
  // Once hits that carry on have a delta, so has the time in which they do.
  std::optional<double> within_known;
  if (model::acting(model_, model_.overheads.sequential_read_hit_delta) != 0)
    if (const double within = model::acting(model_, model_.overheads.sequential_read_hit_within);
        within > 0)
      within_known = within;
  const HitOverheads found = fit_hit_overheads(measured_, measured_.replay_learned(model_),
                                               within_known);
  const auto significant = [&](std::size_t first, const std::optional<statistics::Estimate>& block,
                               const std::optional<statistics::Estimate>& sequential) {
    return is_significant(found.command[first]) || is_significant(found.command[first + 1]) ||
           is_significant(block) || is_significant(sequential);
  };
  model::DriveModel next = model_;
  std::vector<Change> changes;
  model::Overheads& o = next.overheads;
  // What changes for reads leaves writes as they were, and the other way round.
  const auto writes_have_their_own = [&] {
    if (!next.bus.write_block_transfer) next.bus.write_block_transfer = next.bus.block_transfer;
  };
  if (significant(0, found.read_block, found.read_sequential)) {
    add(model_, o.read_hit_after_read, found.command[0], "hits", "overheads.read_hit_after_read",
        "read hits after reads", changes);
    add(model_, o.read_hit_after_write, found.command[1], "hits", "overheads.read_hit_after_write",
        "read hits after writes", changes);
    add(model_, o.sequential_read_hit_delta, found.read_sequential, "hits",
        "overheads.sequential_read_hit_delta", "read hits that carry on from the read before",
        changes);
    add(model_, o.sequential_read_hit_within, found.read_within, "hits",
        "overheads.sequential_read_hit_within", "later ones are like others", changes);
    if (is_significant(found.read_block)) {
      writes_have_their_own();
      add(model_, next.bus.block_transfer, found.read_block, "hits", "bus.block_transfer",
          "read hits of several sizes", changes);
    }
  }
  if (significant(2, found.write_block, found.write_sequential)) {
    add(model_, o.write_hit_after_read, found.command[2], "hits", "overheads.write_hit_after_read",
        "write hits after reads", changes);
    add(model_, o.write_hit_after_write, found.command[3], "hits",
        "overheads.write_hit_after_write", "write hits after writes", changes);
    add(model_, o.sequential_write_hit_delta, found.write_sequential, "hits",
        "overheads.sequential_write_hit_delta", "write hits that carry on from the write before",
        changes);
    if (is_significant(found.write_block)) {
      writes_have_their_own();
      add(model_, next.bus.write_block_transfer, found.write_block, "hits",
          "bus.write_block_transfer", "write hits of several sizes", changes);
    }
  }
  keep(std::move(next), std::move(changes), "hits");
}

Phase Calibration::phase() const {
  const replay::Result result = measured_.replay_in_drives_time(model_);
  Phase phase(kPhaseWidth_ns);
  for (const Access& access : learned_accesses(model_, measured_, result))
    phase.add(access.completion_ns, command_of(access.write, access.after_write),
              access.completion_ns / *result.period_ns - access.turn);
  phase.sort();
  return phase;
}

// What is left once the angles are right: time from command to the first sector, how writes settle,
// policies of the cache. Whichever explains most comes first, and the others are looked at anew, so
// that none is bent to stand in for another.
void Calibration::improve() {
  if (options_.groups.positioning && phase_known_)
    if (const auto now = differences(model_, measured_))
      if (std::optional<Step> step = completed(*now))
        keep(std::move(step->model), std::move(step->changes), step->group);
  for (int count = 0; count < kMostSteps; ++count) {
    const std::optional<Differences> now = differences(model_, measured_);
    if (!now) return;
    std::optional<Step> best;
    const auto consider = [&](std::optional<Step> step) {
      if (step && (!best || step->gain.mean > best->gain.mean)) best = std::move(step);
    };
    if (options_.groups.positioning && phase_known_) {
      report("positioning");
      consider(positioned(*now));
      consider(settled(*now));
    }
    if (options_.groups.cache) {
      report("cache");
      consider(with_policy(*now));
    }
    if (!best || !keep(std::move(best->model), std::move(best->changes), best->group)) return;
  }
}

// What follows the media takes longer with writes than with reads, or shorter: the phase tells it,
// whatever precedes them. It is one of the writes' completion or of the reads', and hits share it
// or not: whichever brings the responses nearest to the drive's.
std::optional<Step> Calibration::completed(const Differences& now) const {
  const Phase known = phase();
  const std::size_t read = command_of(false, false), write = command_of(true, true);
  const std::size_t fewer = std::min(known.count(read), known.count(write));
  if (fewer < kFewestOfZone) return std::nullopt;
  const double later = statistics::wrap_rev(known.offset(write) - known.offset(read));
  const double error = std::max(spread_rev_, kLeastSpread) *
                       std::sqrt(2 / static_cast<double>(fewer));
  if (std::abs(later) <= kSignificant * error) return std::nullopt;
  std::optional<Step> best;
  for (const bool side : {false, true})
    for (const bool hits_too : {true, false}) {
      Step step{model_, {}, "positioning", {}};
      model::Overheads& o = step.model.overheads;
      statistics::Estimate by{(side ? later : -later) * period_of(model_) / 1e6,
                              error * period_of(model_) / 1e6, fewer};
      const std::string why = fmt::format(
          "behind the media writes take {:+.4f} revolutions longer than reads, beside the model",
          later);
      add(model_, o.*completion_of(side).field, by, "positioning", completion_of(side).name, why,
          step.changes);
      by.value = -by.value;
      for (std::size_t kind = 0; !hits_too && kind < 2; ++kind) {
        const CommandOverhead& hit = overheads_of(side)[kind];
        add(model_, o.*hit.field, by, "positioning", hit.name, "hits stay as they are",
            step.changes);
      }
      const std::optional<Differences> then = differences(step.model, measured_);
      if (!then) continue;
      step.gain = gain_of(now, *then);
      if (step.gain.mean > kHeldOut * step.gain.error &&
          (!best || step.gain.mean > best->gain.mean))
        best = std::move(step);
    }
  return best;
}

// Overheads of misses, seeks, head switches, by the passages that each access made.
std::optional<Step> Calibration::positioned(const Differences& now) {
  std::vector<Trial> trials = trials_of(model_, measured_, measured_.learn(), phase());
  const double outlier_ms = kOutlier * period_of(model_) / 1e6;
  std::erase_if(trials, [&](const Trial& trial) {
    return !trial.one_track || std::abs(trial.left_ms) > outlier_ms;
  });
  if (trials.size() < kFewestTrials) return std::nullopt;
  std::optional<Positioning> best;
  Gain best_gain;
  std::vector<std::string> no_better;
  for (Candidate& candidate : positioning_candidates(trials, kFolds, [&](std::size_t request) {
         return stretch_of(measured_.learn(), request) % kFolds;
       })) {
    const std::optional<Differences> then = held_out(candidate);
    if (!then) continue;
    const Gain gain = gain_of(now, *then);
    model::DriveModel next = model_;
    const auto changes = apply(candidate.all, "", next);
    if (!changes) continue;
    // The value of what is in already follows the fit as long as that does no harm.
    const bool known = std::ranges::all_of(*changes, [&](const Change& change) {
      return std::ranges::find(changes_, change.path, &Change::path) != changes_.end();
    });
    if (gain.mean <= (known ? 0 : kHeldOut * gain.error)) {
      no_better.push_back(
          fmt::format("{}: where the fit was not made, the mean absolute difference "
                      "would fall by only {:.4f} +- {:.4f} ms",
                      paths_of(*changes), gain.mean, gain.error));
      continue;
    }
    if (best && gain.mean <= best_gain.mean) continue;
    best = std::move(candidate.all);
    best_gain = gain;
  }
  if (!best) {
    for (const std::string& why : no_better) leave(why);
    return std::nullopt;
  }
  Step step{model_, {}, "positioning", best_gain};
  auto changes = apply(
      *best,
      fmt::format("{} accesses, each an interval of one revolution; where the fit was "
                  "not made, the mean absolute difference falls by {:.4f} +- {:.4f} ms",
                  best->trials, best_gain.mean, best_gain.error),
      step.model);
  if (!changes) return std::nullopt;
  step.changes = std::move(*changes);
  return step;
}

std::optional<Step> Calibration::settled(const Differences& now) {
  const std::optional<SettleStep> found = best_write_settle(model_, measured_, now,
                                                            [&] { return work_is_left(); });
  if (!found) return std::nullopt;
  Step step{model_, {}, "positioning", found->gain};
  add(model_, step.model.write_settle, found->more, "positioning", "write_settle",
      fmt::format("the mean absolute difference falls by {:.4f} +- {:.4f} ms", found->gain.mean,
                  found->gain.error),
      step.changes);
  return step;
}

std::optional<Step> Calibration::with_policy(const Differences& now) {
  std::optional<PolicyStep> found = best_policy(model_, measured_, now,
                                                [&] { return work_is_left(); });
  if (!found) return std::nullopt;
  Step step{std::move(found->model), {}, "cache", found->gain};
  step.changes.push_back({"cache", found->path, found->from, found->to, std::nullopt, "",
                          measured_.learn().size(),
                          fmt::format("the mean absolute difference falls by {:.4f} +- {:.4f} ms",
                                      found->gain.mean, found->gain.error)});
  return step;
}

// What the fit is worth on the trials of each fold, made without them.
std::optional<Differences> Calibration::held_out(const Candidate& candidate) const {
  Differences all{};
  model::DriveModel fitted = model_;
  if (!apply(candidate.all, "", fitted)) return std::nullopt;
  const Amend amend = nearer_amend(fitted);
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    model::DriveModel next = model_;
    if (!apply(candidate.without[fold], "", next)) return std::nullopt;
    for (const bool write : {false, true}) amend(next.overheads, write);
    const std::optional<Differences> there = differences(next, measured_);
    if (!there) return std::nullopt;
    for (std::size_t s = fold; s < kStretches; s += kFolds) all[s] = (*there)[s];
  }
  return all;
}

// Puts what was found into the model; nullopt: it would make no sense.
std::optional<std::vector<Change>> Calibration::apply(const Positioning& found,
                                                      const std::string& why,
                                                      model::DriveModel& next) const {
  std::vector<Change> changes;
  model::Overheads& o = next.overheads;
  const auto overhead = [&](model::Parameter& parameter, std::size_t kind, const char* name) {
    add(model_, parameter, found.overhead[kind], "positioning", std::string("overheads.") + name,
        why, changes);
  };
  overhead(o.read_miss_after_read, 0, "read_miss_after_read");
  overhead(o.read_miss_after_write, 1, "read_miss_after_write");
  overhead(o.write_miss_after_read, 2, "write_miss_after_read");
  overhead(o.write_miss_after_write, 3, "write_miss_after_write");
  overhead(o.extra_disconnect_seek_delta, 4, "extra_disconnect_seek_delta");
  const auto raise = [&](model::Parameter& least, const std::optional<statistics::Estimate>& by,
                         const std::string& path) {
    if (!by || model::acting(model_, path) + by->value < 0) return;
    add(model_, least, by, "positioning", path, why, changes);
  };
  raise(o.minimum_read_seek_delay, found.least_read, "overheads.minimum_read_seek_delay");
  raise(o.minimum_seek_delay, found.least_write, "overheads.minimum_seek_delay");
  add(model_, next.inward_seek_delta, found.inward, "positioning", "inward_seek_delta", why,
      changes);
  raise(next.head_switch, found.head_switch, "head_switch");
  if (!found.distances.empty()) {
    const auto correct = [&](model::Seek& seek) {
      seek.method = kMethod;
      for (model::SeekPoint& point : seek.points) {
        point.time_ms += found.seek_at(point.cylinders);
        point.error_ms.reset();
        if (point.time_ms < 0) return false;
      }
      return true;
    };
    if (!correct(next.seek) || (next.outward_seek && !correct(*next.outward_seek)) ||
        (next.write_seek && !correct(*next.write_seek)))
      return std::nullopt;
    for (std::size_t i = 0; i < found.distances.size(); ++i)
      changes.push_back({"positioning", fmt::format("seek[{:.0f}]", found.distances[i]),
                         std::nullopt, found.seek[i].value, found.seek[i].error, "ms",
                         found.seek[i].samples, "added to seeks of about that distance; " + why});
  }
  return changes;
}

// A model's answers to the whole trace.
struct Answers {
  replay::Result own_time{}, drives_time{};
};

Answers answers_of(const model::DriveModel& model, const Measurement& measured) {
  return {measured.replay_in_own_time(model), measured.replay_in_drives_time(model)};
}

Standing standing_of(const Answers& answers, const Measurement& measured, Range part) {
  return {measured.compare(answers.own_time, part), measured.compare(answers.drives_time, part)};
}

bool is_of_positions(const Change& change) {
  return change.group == "rotation" || change.group == "angles";
}

// The model that came in with nothing but the period and the layout that were found.
model::DriveModel with_positions_of(const model::DriveModel& model,
                                    const model::DriveModel& calibrated) {
  model::DriveModel next = model;
  next.rotation = calibrated.rotation;
  next.layout = calibrated.layout;
  return next;
}

// What the file says of how it came about.
void note_origin(Outcome& outcome, const Measurement& measured) {
  std::vector<std::string>& notes = outcome.model.provenance.notes;
  const auto changed = outcome.kept == Kept::all
                           ? std::ssize(outcome.changes)
                           : std::ranges::count_if(outcome.changes, is_of_positions);
  notes.push_back(
      fmt::format("calibrated with {}: learned from requests {} to {}, {} parameters changed",
                  measured.drive().trace.empty() ? measured.drive().name : measured.drive().trace,
                  measured.learn().begin + 1, measured.learn().end, changed));
  for (const ZoneNotFound& zone : outcome.zones_not_found)
    notes.push_back(fmt::format("the angles of the zone from cylinder {} on were not found",
                                zone.first_cylinder));
  if (outcome.cut) notes.push_back("the search ended at the bound of its work: it was not whole");
  if (outcome.think_times_in_front)
    notes.push_back("the trace's think times were taken as those before their requests");
}

// Of the two replays, the one by which single requests can be compared.
const replay::Result& judged(const Answers& answers, const Outcome& outcome) {
  return outcome.judged_in_drives_time ? answers.drives_time : answers.own_time;
}

const replay::Comparison& judged(const Standing& standing, const Outcome& outcome) {
  return outcome.judged_in_drives_time ? standing.drives_time : standing.own_time;
}

Verdict verdict_between(const Answers& before, const Answers& after, const Measurement& measured,
                        const Outcome& outcome) {
  return verdict_of(measured.drive(), judged(before, outcome), judged(after, outcome),
                    measured.judge());
}

// Where tracks lie is told by itself, whatever else was found: nothing but that is kept if it is
// better, or no worse and more positions are known. `after`: the answers of what `outcome` has.
void keep_positions_alone(const model::DriveModel& model, const Measurement& measured,
                          const Answers& before, Outcome& outcome, Answers& after) {
  model::DriveModel positions = with_positions_of(model, outcome.model);
  Answers of_positions = answers_of(positions, measured);
  const Verdict alone = verdict_between(before, of_positions, measured, outcome);
  const Standing there = standing_of(of_positions, measured, measured.judge());
  if (!alone.better &&
      !(alone.no_worse &&
        knows_more_positions(judged(outcome.judge_before, outcome), judged(there, outcome),
                             outcome.judged_in_drives_time)))
    return;
  outcome.kept = Kept::positions;
  if (!std::ranges::all_of(outcome.changes, is_of_positions))
    outcome.left.push_back(
        "hits, positioning, cache: what was found is no better in the half that judges; only "
        "where tracks lie and how fast they turn is kept");
  outcome.verdict = alone;
  outcome.model = std::move(positions);
  after = std::move(of_positions);
}

}  // namespace

Outcome calibrate(const model::DriveModel& model, const Measurement& given,
                  const Options& options) {
  Outcome outcome;
  outcome.learn = given.learn();
  outcome.judge = given.judge();
  outcome.think_times_in_front = think_times_in_front(model, given);
  const Measurement measured = outcome.think_times_in_front ? given.with_think_times_in_front()
                                                            : given;
  Calibration(model, measured, options).run(outcome);
  outcome.judged_in_drives_time = measured.free_running();
  const Answers before = answers_of(model, measured);
  Answers after = answers_of(outcome.model, measured);
  outcome.judge_before = standing_of(before, measured, measured.judge());
  outcome.verdict = verdict_between(before, after, measured, outcome);
  if (outcome.verdict.better)
    outcome.kept = Kept::all;
  else if (std::ranges::any_of(outcome.changes, is_of_positions))
    keep_positions_alone(model, measured, before, outcome, after);
  outcome.learn_before = standing_of(before, measured, measured.learn());
  outcome.learn_after = standing_of(after, measured, measured.learn());
  outcome.judge_after = standing_of(after, measured, measured.judge());
  if (outcome.think_times_in_front) {
    outcome.judge_as_written_before = demerit_ms(given.drive(), given.replay_in_own_time(model),
                                                 given.judge());
    outcome.judge_as_written_after = demerit_ms(
        given.drive(), given.replay_in_own_time(outcome.model), given.judge());
  }
  if (outcome.kept == Kept::nothing) {
    outcome.model = model;
    return outcome;
  }
  outcome.warnings = negative_totals(outcome.model.overheads);
  note_origin(outcome, measured);
  model::validate(outcome.model, "the calibrated model");
  return outcome;
}

}  // namespace platter::calibrate
