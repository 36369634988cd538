// The angles of a whole layout: which tracks to read next, and what they say.
#include "estimate/layout_angles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "estimate/phase_drift.h"
#include "estimate/rotation.h"
#include "estimate/samples.h"
#include "estimate/sector_end.h"
#include "estimate/zone_fit.h"
#include "estimate/zone_shape.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/validate.h"
#include "mtbrc/angle.h"
#include "mtbrc/angle_check.h"
#include "mtbrc/rotation.h"
#include "mtbrc/track_reads.h"
#include "statistics/circular.h"

namespace platter::mtbrc {
namespace {

// Where it begins, a step for what repeats, and where each further child begins: at most.
std::size_t unknowns_of(const model::LayoutNode& node) {
  std::size_t count = 1 + (node.count > 1 ? 1 : 0);
  for (const model::LayoutNode& child : node.children) count += unknowns_of(child);
  return count;
}

std::size_t first_about_angles(const estimate::Samples& samples) {
  const auto first = std::find_if(samples.begin(), samples.end(), [](const estimate::Sample& s) {
    return s.experiment == estimate::Experiment::angle;
  });
  return static_cast<std::size_t>(first - samples.begin());
}

// Chooses tracks, reads them, and splits zones that do not follow one rule.
class Survey {
 public:
  Survey(Context& context, const model::Layout& layout, const AngleOptions& options)
      : context_(context),
        options_(options),
        layout_(layout),
        map_(layout),
        accesses_(context),
        reference_(accesses_, context, map_, options.anchor_every_ns, options.anchor_reads),
        left_(options.left_zones),
        first_sample_(first_about_angles(context.samples)),
        meter_(context, context.budget.commands > 0 || context.budget.drive_time_ns > 0
                            ? context.budget
                            : options.budget),
        session_(context.session) {
    leave_what_has_no_rule();
  }

  estimate::LayoutAngles run();

 private:
  bool is_left(std::size_t zone) const { return zone < left_.size() && left_[zone]; }
  void leave_what_has_no_rule();
  void recall();
  double share_until(std::size_t zone) const;
  // What became of one zone.
  enum class Fate { done, split, given_up };
  struct Work {
    const estimate::ZoneShape& shape;
    std::vector<estimate::TrackAngle> observations;
    std::uint32_t random = 0;
    double deadline_share = 1;
    bool renewed = false;
    std::set<std::uint64_t> disturbed = {};  // tracks whose first look was
    std::set<std::uint32_t> between = {};    // nodes with a look between their ends
    std::set<std::uint32_t> within = {};     // and with one within a repetition
  };

  void note(model::Noted noted);
  std::optional<estimate::TrackAngle> visit(const estimate::ZoneShape& shape,
                                            const estimate::TrackPath& path, std::uint32_t reads);
  Fate survey_zone(std::size_t zone, double deadline_share);
  void survey_zones(bool least);
  void survey_whole();
  estimate::LayoutAngles estimated() const;
  bool survey_again_what_is_lost(const estimate::LayoutAngles& found);
  bool introduce(Work& work, const estimate::ZoneFit& fit);
  bool grow(Work& work, const estimate::ZoneFit& fit);
  bool look_between(Work& work, const estimate::ZoneFit& fit);
  bool look_within(Work& work, const estimate::ZoneFit& fit);
  bool look_if_sure(Work& work, const estimate::ZoneFit& fit, const estimate::TrackPath& path);
  bool refine(Work& work, const estimate::ZoneFit& fit);
  bool look(Work& work, const estimate::TrackPath& path, std::uint32_t reads);
  void begin_anew_where_time_jumped(Work& work);
  bool agrees(const estimate::ZoneShape& shape, const estimate::ZoneFit& fit,
              const estimate::TrackAngle& angle) const;
  bool split_at_break(std::size_t zone, Work& work, const estimate::ZoneFit& fit,
                      const estimate::TrackPath& odd);
  std::optional<estimate::TrackPath> confirmed_odd(Work& work, const estimate::ZoneFit& fit);
  void renew_grounds(Work& work, const estimate::ZoneFit& fit, const estimate::TrackPath& odd);

  Context& context_;
  AngleOptions options_;
  model::Layout layout_;
  engine::LayoutMap map_;  // places only: cutting a zone in two does not move a slot
  Accesses accesses_;
  ReferenceReads reference_;
  std::vector<bool> left_;  // by zone
  std::size_t first_sample_;
  Meter meter_;
  double noise_rev_ = 0.002;
  double hop_rev_ = 0.3;  // from the end of one sector to the next that can be read after it
  std::vector<estimate::TrackAngle> all_;
  std::set<std::uint64_t> done_;  // zones, by their first slots
  std::uint32_t splits_ = 0;
  std::uint32_t session_;  // of all_
  model::Notes notes_;
};

// Reads would not make the angles of such a zone known.
void Survey::leave_what_has_no_rule() {
  const std::vector<std::uint64_t> starts = model::zone_starts(layout_);
  left_.resize(layout_.zones.size(), false);
  for (std::size_t zone = 0; zone < layout_.zones.size(); ++zone) {
    const estimate::ZoneShape shape(layout_.zones[zone], starts[zone], map_,
                                    context_.drive.left_out());
    if (is_left(zone) || shape.solvable()) continue;
    left_[zone] = true;
    note({model::Code::angles_incomplete,
          fmt::format(
              "angles: zone {} has {} unknown angles in its map, more than the {} that are solved "
              "together; none of its tracks was measured",
              zone, shape.unknowns(), estimate::kMostUnknowns)});
  }
}

// The part of the budget that zones up to this one may use: each by what is unknown in it.
double Survey::share_until(std::size_t zone) const {
  double before = 0, all = 0;
  for (std::size_t i = 0; i < layout_.zones.size(); ++i) {
    if (!is_left(i)) all += static_cast<double>(unknowns_of(layout_.zones[i]));
    if (i == zone) before = all;
  }
  return before / all;
}

// What earlier reads of this run say: they need not be made again.
void Survey::recall() {
  all_.clear();
  const estimate::Samples earlier(
      context_.samples.begin() + static_cast<std::ptrdiff_t>(first_sample_),
      context_.samples.end());
  const estimate::PhaseDrift drift(estimate::anchors_about_angles(earlier), context_.rotation);
  if (!drift.known()) return;
  all_ = estimate::observe_tracks(earlier, context_.rotation, map_, drift);
  const double width_rev = estimate::on_track(map_, reference_.lbn()).width_rev;
  for (estimate::TrackAngle& angle : all_)
    angle.angle_rev = statistics::turn_rev(angle.angle_rev - width_rev);
}

std::optional<estimate::TrackAngle> Survey::visit(const estimate::ZoneShape& shape,
                                                  const estimate::TrackPath& path,
                                                  std::uint32_t reads) {
  reference_.refresh();
  const std::uint32_t session = context_.session;
  const std::uint64_t first = shape.first_slot_of(path);
  const std::uint32_t sectors = shape.sectors_of(path);
  std::uint64_t at = std::uniform_int_distribution<std::uint32_t>(0, sectors - 1)(context_.random);
  std::vector<double> angles;
  std::optional<estimate::Sample> before;
  for (std::uint32_t i = 0; i < reads; ++i) {
    const auto lbn = accessible_near(context_, map_, first, sectors, at);
    if (!lbn) return std::nullopt;
    const auto sample = accesses_.probe(estimate::Experiment::angle, *lbn);
    if (!sample) {
      at = std::uniform_int_distribution<std::uint32_t>(0, sectors - 1)(context_.random);
      before.reset();
      continue;
    }
    const estimate::OnTrack place = estimate::on_track(map_, *lbn);
    angles.push_back(
        statistics::turn_rev(estimate::phase_rev(context_.rotation, sample->completed_ns) -
                             reference_.phase_rev() - place.end_rev));
    if (before) {
      // As Wong does: widen the hop at once when it cost a turn, narrow it slowly.
      const double took = static_cast<double>(sample->completed_ns - before->completed_ns) /
                          context_.period_ns();
      hop_rev_ = took > 0.98 ? std::min(hop_rev_ * 1.15, 0.9) : std::max(hop_rev_ * 0.995, 0.02);
    }
    before = sample;
    const auto hop = static_cast<std::uint64_t>(hop_rev_ * sectors) + 2;
    at = (map_.slot_of_lbn(*lbn) - first + hop) % sectors;
  }
  if (angles.empty() || context_.session != session) return std::nullopt;
  return estimate::angle_of_reads(first, angles, noise_rev_);
}

// Time has jumped, and what was read shortly before may lie on either side of it: what is still
// good of all reads is in the samples.
void Survey::begin_anew_where_time_jumped(Work& work) {
  if (std::exchange(session_, context_.session) == context_.session) return;
  recall();
  work.observations = estimate::within(all_, work.shape);
  work.random = std::min(work.random, static_cast<std::uint32_t>(work.observations.size()));
}

bool Survey::look(Work& work, const estimate::TrackPath& path, std::uint32_t reads) {
  const auto angle = visit(work.shape, path, reads);
  if (!angle) return false;
  work.observations.push_back(*angle);
  all_.push_back(*angle);
  return true;
}

bool Survey::agrees(const estimate::ZoneShape& shape, const estimate::ZoneFit& fit,
                    const estimate::TrackAngle& angle) const {
  const auto row = shape.row(shape.path_of_slot(angle.track_slot));
  const double miss = statistics::wrap_rev(angle.angle_rev - fit.predict_rev(row));
  return std::abs(miss) < 0.0005 + 6 * std::hypot(fit.error_rev(row), angle.sigma_rev);
}

// Reads the first track that brings in an unknown angle. False: nothing to bring in.
bool Survey::introduce(Work& work, const estimate::ZoneFit& fit) {
  constexpr int kMostLooks = 3;
  const auto introductions = work.shape.introductions();
  for (std::size_t u = 0; u < introductions.size(); ++u) {
    if (fit.introduced[u] || !introductions[u]) continue;
    // Where that has not brought it in, what it stands beside is too unsure, and more of it will
    // not.
    const std::uint64_t track = work.shape.first_slot_of(*introductions[u]);
    if (std::ranges::count(work.observations, track, &estimate::TrackAngle::track_slot) >=
        kMostLooks)
      continue;
    if (look(work, *introductions[u], 2 * options_.reads_per_track)) return true;
  }
  return false;
}

// Reads the furthest track in each direction that is still predicted within a small part of a turn;
// the next one can then lie many times further. False: every direction is known to its end, or more
// looks at its furthest sure track make nothing further sure, as where the drive's reads scatter
// more than its reference reads did.
bool Survey::grow(Work& work, const estimate::ZoneFit& fit) {
  constexpr int kMostLooks = 6;
  const estimate::ZoneShape& shape = work.shape;
  for (std::uint32_t node = 0; node < shape.nodes(); ++node) {
    const std::int64_t base = shape.base(node);
    const std::int64_t last = std::int64_t{shape.count(node)} - 1;
    for (const std::int64_t end : {last, std::int64_t{0}}) {
      const std::int64_t distance = end - base;
      if (std::abs(distance) < 2) continue;
      const auto error_at = [&](std::int64_t instance) {
        return fit.error_rev(
            shape.row(shape.base_path(node, static_cast<std::uint32_t>(instance))));
      };
      if (error_at(end) <= estimate::kSureUnwrap_rev) continue;
      // The error grows with the distance: bisect for the furthest sure one.
      std::int64_t sure = 0, unsure = std::abs(distance);
      const std::int64_t sign = distance > 0 ? 1 : -1;
      while (unsure - sure > 1) {
        const std::int64_t middle = (sure + unsure) / 2;
        (error_at(base + sign * middle) <= 0.7 * estimate::kSureUnwrap_rev ? sure
                                                                           : unsure) = middle;
      }
      // Back from there to one that holds LBNs (spare cylinders, reserved areas).
      for (std::int64_t step = sure; step >= 1; step -= 1 + step / 16) {
        const estimate::TrackPath path = shape.base_path(
            node, static_cast<std::uint32_t>(base + sign * step));
        if (!shape.usable(path)) continue;
        const std::uint64_t track = shape.first_slot_of(path);
        if (std::ranges::count(work.observations, track, &estimate::TrackAngle::track_slot) >=
            kMostLooks)
          break;
        if (look(work, path, options_.reads_per_track)) return true;
      }
    }
  }
  return false;
}

// Of each node that repeats one track between its ends: what is wrong at one of these (a sector
// more or less in front of a track's first block) turns the line through both, and only a third
// track shows it. False: every node has one.
bool Survey::look_between(Work& work, const estimate::ZoneFit& fit) {
  constexpr std::uint32_t kFewest = 5;  // Chosen: of fewer the third lies beside an end
  const estimate::ZoneShape& shape = work.shape;
  for (const estimate::TrackAngle& angle : work.observations)
    for (const auto& [node, instance] : shape.path_of_slot(angle.track_slot).steps)
      if (instance > 0 && instance + 1 < shape.count(node) &&
          std::max(instance, shape.base(node)) - std::min(instance, shape.base(node)) > 1)
        work.between.insert(node);
  for (std::uint32_t node = 0; node < shape.nodes(); ++node) {
    if (shape.count(node) < kFewest || !work.between.insert(node).second) continue;
    const std::uint32_t base = shape.base(node), last = shape.count(node) - 1;
    if (look_if_sure(work, fit, shape.base_path(node, (base + (base > last / 2 ? 0 : last)) / 2)))
      return true;
  }
  return false;
}

// Of each node that repeats one track within its repetition that is furthest from the base, away
// from that one's own base: that all repetitions are alike within is seen only there. False: every
// node has one.
bool Survey::look_within(Work& work, const estimate::ZoneFit& fit) {
  const estimate::ZoneShape& shape = work.shape;
  for (const estimate::TrackAngle& angle : work.observations) {
    std::vector<std::uint32_t> repeated;  // nodes away from their base on the way to the track
    for (const auto& [node, instance] : shape.path_of_slot(angle.track_slot).steps) {
      if (instance == shape.base(node)) continue;
      work.within.insert(repeated.begin(), repeated.end());
      repeated.push_back(node);
    }
  }
  constexpr int kTries = 8;
  std::uniform_real_distribution<double> anywhere(0, 1);
  for (std::uint32_t node = 0; node < shape.nodes(); ++node) {
    if (shape.count(node) == 1 || !shape.has_parts(node) || !work.within.insert(node).second)
      continue;
    const std::uint32_t base = shape.base(node), last = shape.count(node) - 1;
    for (int i = 0; i < kTries; ++i)
      if (look_if_sure(
              work, fit,
              shape.path_within(node, base > last / 2 ? 0 : last, anywhere(context_.random))))
        return true;
  }
  return false;
}

// Where it is predicted well enough for its whole turns to be counted.
bool Survey::look_if_sure(Work& work, const estimate::ZoneFit& fit,
                          const estimate::TrackPath& path) {
  return work.shape.usable(path) &&
         fit.error_rev(work.shape.row(path)) <= estimate::kSureUnwrap_rev &&
         look(work, path, options_.reads_per_track);
}

// Reads random tracks, and the one among several that is predicted worst. False: good enough.
bool Survey::refine(Work& work, const estimate::ZoneFit& fit) {
  const estimate::ZoneShape& shape = work.shape;
  std::uniform_int_distribution<std::uint64_t> anywhere(shape.first_slot(),
                                                        shape.first_slot() + shape.slots() - 1);
  const bool random_wanted = work.random < options_.random_tracks;
  const bool sharper_wanted = estimate::zone_error_rev(shape, fit) > options_.target_error_rev;
  const auto most = static_cast<std::uint32_t>(4 * (options_.random_tracks + shape.unknowns()));
  if (!random_wanted && !(sharper_wanted && work.random < most)) return false;
  std::optional<estimate::TrackPath> chosen;
  double worst = -1;
  const auto consider = [&](const estimate::TrackPath& path) {
    const double error = fit.error_rev(shape.row(path));
    if (error <= worst || error > estimate::kSureUnwrap_rev) return;
    worst = error;
    chosen = path;
  };
  const bool random_turn = random_wanted && (work.random % 2 == 0 || !sharper_wanted);
  const int candidates = random_turn ? 1 : 24;
  for (int i = 0; i < candidates; ++i) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const estimate::TrackPath path = shape.path_of_slot(anywhere(context_.random));
      if (!shape.usable(path)) continue;
      consider(path);
      break;
    }
  }
  if (!random_turn)
    for (const estimate::TrackPath& path : shape.corners()) consider(path);
  ++work.random;
  if (chosen) look(work, *chosen, options_.reads_per_track);
  return true;
}

// A track that does not fit, seen twice.
std::optional<estimate::TrackPath> Survey::confirmed_odd(Work& work, const estimate::ZoneFit& fit) {
  for (std::size_t i = 0; i < work.observations.size(); ++i) {
    if (!fit.odd[i]) continue;
    const estimate::TrackPath path = work.shape.path_of_slot(work.observations[i].track_slot);
    const auto again = visit(work.shape, path, 2 * options_.reads_per_track);
    if (again && agrees(work.shape, fit, *again)) {
      // The first look was disturbed. What agrees with all others and still looks odd from the
      // first of them, again and again, is not needed.
      if (work.disturbed.insert(again->track_slot).second)
        work.observations[i] = *again;
      else
        work.observations.erase(work.observations.begin() + static_cast<std::ptrdiff_t>(i));
      return std::nullopt;
    }
    if (again) {
      work.observations[i] = *again;
      return path;
    }
  }
  return std::nullopt;
}

// What a track is called odd by rests on few others, most of all far away from them, and one of
// these may have been disturbed: those that the prediction hangs on most are read once more. Or the
// rule breaks between two of them: an unknown that one far away brought in is read where it begins.
void Survey::renew_grounds(Work& work, const estimate::ZoneFit& fit,
                           const estimate::TrackPath& odd) {
  constexpr std::size_t kMost = 4;
  const std::vector<double> there = work.shape.row(odd);
  const auto introductions = work.shape.introductions();
  bool any = false;
  for (std::size_t u = 0; u < there.size(); ++u)
    if (there[u] != 0 && introductions[u] &&
        std::ranges::count(work.observations, work.shape.first_slot_of(*introductions[u]),
                           &estimate::TrackAngle::track_slot) == 0)
      any |= look(work, *introductions[u], 2 * options_.reads_per_track);
  if (any) return;
  work.renewed = true;
  std::vector<std::pair<double, std::size_t>> pulls;
  for (std::size_t i = 0; i < work.observations.size(); ++i) {
    if (fit.odd[i] || fit.residuals_rev[i] == 1.0) continue;
    const std::vector<double> row =
        work.shape.row(work.shape.path_of_slot(work.observations[i].track_slot));
    double pull = 0;
    for (std::size_t a = 0; a < row.size(); ++a)
      for (std::size_t b = 0; b < row.size(); ++b)
        pull += row[a] * fit.covariance.at(a, b) * there[b];
    pulls.emplace_back(std::abs(pull) / std::pow(work.observations[i].sigma_rev, 2), i);
  }
  std::ranges::sort(pulls, std::greater<>());
  for (std::size_t k = 0; k < std::min(kMost, pulls.size()); ++k) {
    estimate::TrackAngle& before = work.observations[pulls[k].second];
    const auto again = visit(work.shape, work.shape.path_of_slot(before.track_slot),
                             2 * options_.reads_per_track);
    if (!again) continue;
    all_.push_back(*again);
    before = *again;
  }
}

// Finds out along which node the rule breaks between the base and the odd track, bisects for the
// instance, and cuts the node there.
bool Survey::split_at_break(std::size_t zone, Work& work, const estimate::ZoneFit& fit,
                            const estimate::TrackPath& odd) {
  const estimate::ZoneShape& shape = work.shape;
  if (splits_ >= options_.most_splits) return false;
  const auto fits = [&](const estimate::TrackPath& path) -> std::optional<bool> {
    if (!shape.usable(path) || fit.error_rev(shape.row(path)) > estimate::kSureUnwrap_rev)
      return std::nullopt;
    const auto angle = visit(shape, path, options_.reads_per_track);
    if (!angle) return std::nullopt;
    all_.push_back(*angle);
    return agrees(shape, fit, *angle);
  };
  // One node alone away from its base; the outermost that is away from it if none alone shows it.
  const auto away = [&](const estimate::TrackPath::Step& step) {
    return step.instance != shape.base(step.node);
  };
  const auto outermost = std::ranges::find_if(odd.steps, away);
  if (outermost == odd.steps.end()) return false;
  const auto alone = std::find_if(
      outermost, odd.steps.end(), [&](const estimate::TrackPath::Step& step) {
        if (!away(step)) return false;
        const auto good = fits(shape.base_path(step.node, step.instance));
        return good && !*good;
      });
  const bool is_alone = alone != odd.steps.end();
  const estimate::TrackPath::Step& divided = is_alone ? *alone : *outermost;
  const auto node = divided.node;
  const auto path_at = [&](std::int64_t instance) {
    if (is_alone) return shape.base_path(node, static_cast<std::uint32_t>(instance));
    estimate::TrackPath path = odd;
    path.steps[static_cast<std::size_t>(outermost - odd.steps.begin())].instance =
        static_cast<std::uint32_t>(instance);
    return path;
  };
  std::int64_t bad = divided.instance;
  std::int64_t good = shape.base(node);
  while (std::abs(bad - good) > 1) {
    std::int64_t middle = (bad + good) / 2;
    std::optional<bool> result = fits(path_at(middle));
    // Tracks without LBNs: look beside.
    for (std::int64_t by = 1; !result && by < std::abs(bad - good) / 2; ++by) {
      result = fits(path_at(middle + by));
      if (result) middle += by;
    }
    if (!result) break;
    (*result ? good : bad) = middle;
  }
  // What was read since time jumped shows breaks where there are none.
  reference_.refresh_now();
  if (session_ != context_.session) return false;
  const auto cut = static_cast<std::uint32_t>(std::max(good, bad));
  std::vector<model::LayoutNode> parts = estimate::split_zone(layout_.zones[zone], node, cut);
  layout_.zones[zone] = parts.front();
  if (parts.size() > 1) {
    layout_.zones.insert(layout_.zones.begin() + static_cast<std::ptrdiff_t>(zone) + 1, parts[1]);
    if (zone < left_.size()) left_.insert(left_.begin() + static_cast<std::ptrdiff_t>(zone), false);
  }
  ++splits_;
  const std::uint64_t first = shape.first_slot_of(shape.base_path(node, cut));
  note(fmt::format("angles follow another rule from LBN {} on: zone {} was divided there",
                   map_.lbn_at_or_after_slot(first), zone));
  return true;
}

Survey::Fate Survey::survey_zone(std::size_t zone, double deadline_share) {
  const std::vector<std::uint64_t> starts = model::zone_starts(layout_);
  const model::LayoutNode node = layout_.zones[zone];
  const estimate::ZoneShape shape(node, starts[zone], map_, context_.drive.left_out());
  Work work{shape, estimate::within(all_, shape), 0, deadline_share};
  while (true) {
    begin_anew_where_time_jumped(work);
    estimate::ZoneFit fit = estimate::fit_zone(shape, work.observations);
    if (meter_.exhausted()) return Fate::given_up;
    if (introduce(work, fit)) continue;
    if (const auto odd = confirmed_odd(work, fit)) {
      if (!work.renewed) {
        renew_grounds(work, fit, *odd);
        continue;
      }
      all_.erase(std::remove_if(all_.begin(), all_.end(),
                                [&](const estimate::TrackAngle& a) {
                                  return a.track_slot == shape.first_slot_of(*odd);
                                }),
                 all_.end());
      reference_.refresh_now();
      if (session_ != context_.session) continue;
      fit = estimate::fit_zone(shape, work.observations);
      if (split_at_break(zone, work, fit, *odd)) return Fate::split;
      if (session_ != context_.session) continue;
      return Fate::given_up;
    }
    if (grow(work, fit)) continue;
    if (meter_.share() > work.deadline_share && work.random >= 4) return Fate::done;
    if (look_between(work, fit) || look_within(work, fit)) continue;
    if (!refine(work, fit)) return Fate::done;
  }
}

// The survey's notes are about what became of zones; no more than a reader can take in.
void Survey::note(model::Noted noted) {
  constexpr std::size_t kMostNotes = 8;
  if (notes_.size() < kMostNotes) notes_.push_back(std::move(noted));
}

void Survey::survey_zones(bool least) {
  for (std::size_t zone = 0; zone < layout_.zones.size(); ++zone) {
    if (is_left(zone)) continue;
    const double share = least ? 0 : share_until(zone);
    Fate fate = survey_zone(zone, share);
    while (fate == Fate::split) fate = survey_zone(zone, share);
    if (fate == Fate::done) done_.insert(model::zone_starts(layout_)[zone]);
    if (fate == Fate::given_up && !meter_.exhausted() && !least)
      note({model::Code::angles_odd,
            fmt::format("zone {}: some tracks do not follow its rule", zone)});
    context_.report("angles", std::max(meter_.share(), share));
  }
}

// Where time jumped, zones that were done may have lost what was read shortly before.
void Survey::survey_whole() {
  constexpr int kMostTimes = 4;
  for (int times = 0; times < kMostTimes; ++times) {
    const std::uint32_t session = context_.session;
    survey_zones(false);
    reference_.refresh_now();
    if (context_.session == session) return;
    session_ = context_.session;
    recall();
    // Which may have been the jump.
    std::erase_if(notes_, [](const model::Noted& noted) {
      return noted.kind() != nullptr && noted.kind()->code == model::Code::angles_odd;
    });
  }
}

estimate::LayoutAngles Survey::estimated() const {
  const estimate::Samples mine(
      context_.samples.begin() + static_cast<std::ptrdiff_t>(first_sample_),
      context_.samples.end());
  return estimate::estimate_layout_angles(mine, context_.rotation, layout_,
                                          context_.drive.left_out());
}

// The reference as all its reads have it, before and behind a look, may lie elsewhere than it did
// at that look, and a zone that followed its rule then may not do so now. False: there is none.
bool Survey::survey_again_what_is_lost(const estimate::LayoutAngles& found) {
  const std::vector<std::uint64_t> starts = model::zone_starts(layout_);
  if (found.zone_error_rev.size() != starts.size()) return false;  // nothing was estimated
  bool any = false;
  for (std::size_t zone = starts.size(); zone-- > 0;) {  // dividing one does not move those before
    if (found.zone_error_rev[zone] < 1 || is_left(zone) || !done_.contains(starts[zone])) continue;
    if (!std::exchange(any, true)) recall();
    while (survey_zone(zone, 1) == Fate::split) {
    }
  }
  return any;
}

estimate::LayoutAngles Survey::run() {
  // Before anything else, because everything is weighed by it.
  noise_rev_ = reference_.begin();
  recall();
  // Where time is short, every zone has what it needs at least before any has more.
  if (context_.limited()) survey_zones(true);
  survey_whole();
  estimate::LayoutAngles result = estimated();
  if (survey_again_what_is_lost(result)) result = estimated();
  result.notes.insert(result.notes.begin(), notes_.begin(), notes_.end());
  check_angles(context_, accesses_, reference_, left_, noise_rev_, result);
  return result;
}

}  // namespace

estimate::LayoutAngles measure_layout_angles(Context& context, const model::Layout& layout,
                                             const AngleOptions& options) {
  constexpr double kButForTheCheck = 0.93;
  const PartOfTime most(context, kButForTheCheck);
  return Survey(context, layout, options).run();
}

}  // namespace platter::mtbrc
