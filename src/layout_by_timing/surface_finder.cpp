#include "layout_by_timing/surface_finder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "statistics/robust.h"

namespace platter::layout_by_timing {
namespace {

// The number nearest to one, modulo so many.
std::uint64_t congruent(std::uint64_t to, std::uint64_t modulo, double near) {
  const double off = static_cast<double>(modulo);
  const double rounds = std::round((near - static_cast<double>(to)) / off);
  return to + static_cast<std::uint64_t>(std::max(0.0, rounds)) * modulo;
}

// Whether bands lie on the same surfaces in both, whatever their directions.
bool is_same(const BandOrder& a, const BandOrder& b) {
  return a.heads == b.heads && a.there_and_back == b.there_and_back;
}

}  // namespace

SurfaceFinder::SurfaceFinder(Prober& prober, std::span<const Run> runs, SurfaceOptions options)
    : prober_(prober), runs_(runs), options_(std::move(options)) {
  CountedBands counted = count_bands(runs_, options_.tracks, options_.ring);
  bands_ = std::move(counted.all);
  usual_tracks_ = counted.usual_tracks;
}

// All surfaces there and back: of the most that may be, or of those that there are.
std::uint32_t SurfaceFinder::bands_of_group() const {
  const std::uint32_t wanted = groups_.empty() ? 2 * kMostSurfaces + 2
                                               : 2 * beliefs_->best().order.period() + 2;
  return std::min({wanted, 2 * kMostSurfaces + 2, static_cast<std::uint32_t>(bands_.size())});
}

std::optional<std::size_t> SurfaceFinder::sure_bands_near(std::size_t band) const {
  const std::size_t needed = bands_of_group();
  if (needed < 2) return std::nullopt;
  const auto unsure_in = [&](std::size_t first) {
    return std::count_if(bands_.begin() + static_cast<std::ptrdiff_t>(first),
                         bands_.begin() + static_cast<std::ptrdiff_t>(first + needed),
                         [](const CountedBand& b) { return !b.sure; });
  };
  // The nearest where all are, else where most are.
  const std::size_t last = bands_.size() - needed;
  std::optional<std::size_t> best;
  auto fewest = static_cast<std::ptrdiff_t>(needed / 2);
  for (std::size_t away = 0; away < 4 * needed; away += 1 + away / 8)
    for (const bool behind : {true, false}) {
      if (!behind && (away == 0 || away > band)) continue;
      const std::size_t first = std::min(behind ? band + away : band - away, last);
      if (!bands_[first].sure || !bands_[std::min(first + 1, bands_.size() - 1)].sure) continue;
      const std::ptrdiff_t unsure = unsure_in(first);
      if (unsure == 0) return first;
      if (unsure < fewest) fewest = unsure, best = first;
    }
  return best;
}

Spot SurfaceFinder::spot(std::size_t group, const BandEnd& end) const {
  const CountedBand& band = bands_[group + end.band];
  if (options_.tracks) return {&runs_[band.first_run], band.first_track};
  if (!end.last) return {&runs_[band.first_run], 0};
  const Run& run = runs_[band.last_run];
  return {&run, run.tracks - 1};
}

// Counted from the group's first band, as the order does.
BandEnd SurfaceFinder::in_order(std::size_t group, const BandEnd& end) const {
  return {bands_[group + end.band].count - bands_[group].count, end.last};
}

bool SurfaceFinder::ask(std::size_t group, const BandEnd& a, const BandEnd& b) {
  const Spot from = spot(group, a), to = spot(group, b);
  Seen seen{in_order(group, a), in_order(group, b), {}, {}};
  ++moves_;
  if (options_.told) {
    const auto block = [](const Spot& spot) {
      std::uint64_t slot = std::uint64_t{spot.track} * spot.run->slots + spot.run->slots / 2;
      auto found = spot.run->block_at(slot);
      while (!found) found = spot.run->block_at(++slot);
      return *found;
    };
    const auto x = options_.told(block(from)), y = options_.told(block(to));
    if (!x || !y) return false;
    const double apart =
        std::abs(static_cast<double>(x->cylinder) - static_cast<double>(y->cylinder));
    seen.told = Apart{x->head == y->head, apart};
  } else {
    seen.took = MoveTimes(prober_).between(from, to);
    if (!seen.took) return false;
  }
  beliefs_->take(seen);
  return true;
}

// Moves within a band, which are on one surface, and the longer ones of some from a band to the
// next: three in a row are not all on one surface, unless there is only one.
std::optional<MoveScale> SurfaceFinder::scale_of(std::size_t group) {
  MoveScale scale;
  scale.tracks_a_band = usual_tracks_;
  if (options_.told) return scale;
  MoveTimes times(prober_);
  const auto rev = [&](const Spot& a, const Spot& b) -> std::optional<double> {
    const auto took = times.between(a, b);
    ++moves_;
    return took ? std::optional(took->rev) : std::nullopt;
  };
  std::vector<double> to_next;
  for (std::uint64_t i = 0; i < 3 && group + i + 1 < bands_.size(); ++i) {
    const auto to_first = rev(spot(group, {i, true}), spot(group, {i + 1, false}));
    if (!to_first) continue;
    const auto to_last = usual_tracks_ > 1 ? rev(spot(group, {i, true}), spot(group, {i + 1, true}))
                                           : to_first;
    to_next.push_back(std::min(*to_first, to_last.value_or(*to_first)));
  }
  if (to_next.empty()) return std::nullopt;
  scale.switch_rev = *std::ranges::max_element(to_next);
  const Run& run = runs_[bands_[group].first_run];
  if (options_.tracks || run.tracks < 3) {
    // The shortest move to any of the others is one beside it, or a switch.
    double least = scale.switch_rev;
    for (std::uint64_t i = 1; i + 1 < bands_of_group(); ++i)
      if (const auto took = rev(spot(group, {0, true}), spot(group, {i, false})))
        least = std::min(least, *took);
    scale.step_rev = least;
    return scale;
  }
  std::vector<double> steps, fars;
  for (const std::uint32_t track : {0U, run.tracks / 2, run.tracks - 2})
    if (const auto step = rev({&run, track}, {&run, track + 1})) steps.push_back(*step);
  for (const std::uint32_t off : {0U, 1U, 2U})
    if (const auto far = rev({&run, off / 2}, {&run, run.tracks - 1 - (off + 1) / 2}))
      fars.push_back(*far);
  if (steps.empty() || fars.empty()) return std::nullopt;
  scale.step_rev = statistics::median(steps);
  scale.root_rev = std::max(
      0.0, (statistics::median(fars) - scale.step_rev) / (std::sqrt(run.tracks - 1.0) - 1));
  return scale;
}

// Always the pair of ends of which the likely orders foretell the most different things.
void SurfaceFinder::ask_where_disputed(std::size_t group, std::size_t most) {
  constexpr double kAgreed_rev = 0.001, kToldAgreed = 0.02;
  const double sure = groups_.empty() ? 0.9999 : 0.999;  // of the order; then of a place in it
  constexpr std::size_t kFewest = 6;
  // As many as were found sure: what the answers make of the order changes how many a group has.
  const std::uint64_t count = std::min<std::uint64_t>(bands_of_group(), bands_.size() - group);
  std::set<std::tuple<std::uint64_t, std::uint64_t, bool>> asked;
  for (std::size_t n = 0; n < most && !out_of_time(); ++n) {
    if (n >= kFewest && beliefs_->best().chance > sure) return;
    double best = options_.told ? kToldAgreed : kAgreed_rev;
    std::optional<std::pair<BandEnd, BandEnd>> next;
    for (const std::uint64_t from : {0, 1})
      for (std::uint64_t to = from + 1; to < count; ++to)
        for (const bool last : {false, true}) {
          if (!bands_[group + to].sure || asked.contains({from, to, last})) continue;
          if (last && usual_tracks_ == 1) continue;
          const BandEnd a{from, true}, b{to, last};
          const double dispute = beliefs_->dispute(in_order(group, a), in_order(group, b),
                                                   static_cast<bool>(options_.told));
          if (dispute > best) best = dispute, next = {a, b};
        }
    if (!next) return;
    asked.insert({next->first.band, next->second.band, next->second.last});
    ask(group, next->first, next->second);
  }
}

std::uint64_t SurfaceFinder::shift_of(const Group& group) const {
  const std::uint64_t places = beliefs_->best().order.places();
  return (group.number + places - bands_[group.first].count % places) % places;
}

// What fits no order says nothing of the others; of one that is known already it may tell the
// place. The likeliest order is none where it explains less than that there is no order.
std::optional<SurfaceFinder::Group> SurfaceFinder::look_at(std::size_t near, std::uint64_t shift,
                                                           std::size_t most) {
  const auto first = sure_bands_near(near);
  if (!first) return std::nullopt;
  const std::size_t apart = groups_.empty()                 ? bands_.size()
                            : *first > groups_.back().first ? *first - groups_.back().first
                                                            : groups_.back().first - *first;
  // Of bands of a track or two the shortest of many moves is a step: that is not looked for again.
  const bool is_known = beliefs_ && usual_tracks_ < 3;
  if (!scale_ || (!is_known && apart > bands_.size() / 8)) {
    const auto scale = scale_of(*first);
    if (!scale) return std::nullopt;
    scale_ = scale;
    contrasts_.push_back(scale->switch_rev - scale->step_rev);
  }
  const auto before = beliefs_;
  const std::uint64_t number = bands_[*first].count + shift;
  if (!beliefs_) beliefs_.emplace(number);
  beliefs_->begin_group(number, *scale_);
  ask_where_disputed(*first, most);
  const OrderBeliefs::Best best = beliefs_->best();
  constexpr double kLikely = 0.99;
  const bool is_likely = best.chance > kLikely;
  const bool bears_out = before && is_likely && is_same(best.order, before->best().order);
  if (best.fit < kExplains && !bears_out) {
    if (!before && is_likely && best.fit > 0)
      likely_.push_back({{*first, best.first_band, best.fit, best.chance}, *beliefs_, best});
    beliefs_ = before;
    return std::nullopt;
  }
  return Group{*first, best.first_band, best.fit, best.chance};
}

// Bands before which one may have been taken for two, or two for one.
std::vector<std::size_t> SurfaceFinder::suspects(std::size_t from, std::size_t to) const {
  std::vector<std::size_t> found;
  for (std::size_t i = from + 1; i <= to; ++i) {
    const std::int32_t before = runs_[bands_[i - 1].last_run].ring_place;
    const std::int32_t place = runs_[bands_[i].first_run].ring_place;
    const bool in_order = options_.tracks || place <= 0 || before < 0 || place == before + 1;
    if (!in_order || !bands_[i].sure || !bands_[i - 1].sure) found.push_back(i);
  }
  return found;
}

// Where to look next for what has moved all bands behind it: by halving the suspects, then on both
// sides of the last of them, then by halving the bands. Where questions cost little, only so.
// nullopt: no bands between can be read.
std::optional<std::size_t> SurfaceFinder::next_look(const Group& low, const Group& high) const {
  const std::vector<std::size_t> left = suspects(low.first, high.first);
  const std::size_t all = high.first - low.first, group = bands_of_group();
  std::vector<std::size_t> places;
  if (!options_.told && left.size() > 1) places.push_back(left[left.size() / 2]);
  if (!options_.told && left.size() == 1)
    places.push_back(left[0] > low.first + group ? left[0] - group : left[0]);
  for (const std::size_t eighths : {4, 2, 6, 1, 7}) places.push_back(low.first + all * eighths / 8);
  for (const std::size_t place : places)
    if (const auto first = sure_bands_near(place); first && *first > low.first)
      if (*first < high.first) return first;
  return std::nullopt;
}

void SurfaceFinder::look_between(const Group& low, const Group& high) {
  constexpr std::size_t kMoves = 16;
  if (shift_of(low) == shift_of(high) || high.first - low.first <= bands_of_group()) return;
  const auto next = next_look(low, high);
  if (!next || out_of_time()) return;
  const auto middle = look_at(*next, shift_of(low), kMoves);
  if (!middle || middle->first <= low.first || middle->first >= high.first) return;
  groups_.push_back(*middle);
  look_between(low, *middle);
  look_between(*middle, high);
}

// The nearest groups on both sides agree, or the bands between them change over at the first
// suspect, or in the middle.
void SurfaceFinder::number_runs(FoundSurfaces& found) const {
  found.bands.assign(runs_.size(), 0);
  const std::uint64_t places = found.best.order.places();
  std::size_t group = 0, until = 0;
  std::uint64_t number = 0;
  const auto changes_at = [&](const Group& a, const Group& b) {
    if (shift_of(a) == shift_of(b)) return b.first;
    const auto between = suspects(a.first, b.first);
    return between.empty() ? a.first + (b.first - a.first + 1) / 2 : between.front();
  };
  for (std::size_t i = 0; i < bands_.size(); ++i) {
    if (i > 0) number += bands_[i].count - bands_[i - 1].count;
    if (i == until) {
      if (i > 0) ++group;
      const bool is_last = group + 1 == groups_.size();
      until = is_last ? bands_.size() : changes_at(groups_[group], groups_[group + 1]);
      number = congruent((bands_[i].count + shift_of(groups_[group])) % places, places,
                         static_cast<double>(number));
    }
    for (std::size_t run = bands_[i].first_run; run <= bands_[i].last_run; ++run)
      if (!options_.tracks || bands_[i].first_track == 0) found.bands[run] = number;
  }
}

double SurfaceFinder::contrast_rev() const {
  return contrasts_.empty() ? 0 : std::abs(statistics::median(contrasts_));
}

FoundSurfaces SurfaceFinder::found() const {
  FoundSurfaces found;
  found.best = beliefs_->best();
  found.chances_of_heads = beliefs_->chances_of_heads();
  std::vector<double> fits, chances;
  for (const Group& group : groups_) {
    chances.push_back(group.chance);
    if (agreed_ || group.fit >= kExplains) fits.push_back(group.fit);  // others tell their place
  }
  found.best.fit = fits.empty() ? 0 : statistics::median(fits);
  found.best.chance = statistics::median(chances);
  found.tracks_a_band = usual_tracks_;
  found.contrast_rev = contrast_rev();
  found.tracks = options_.tracks, found.told = static_cast<bool>(options_.told),
  found.agreed = agreed_;
  found.moves = moves_, found.groups = groups_.size();
  for (std::size_t i = 1; i < groups_.size(); ++i)
    found.shifts += shift_of(groups_[i - 1]) != shift_of(groups_[i]);
  number_runs(found);
  return found;
}

// Where a switch takes not much longer than a step the times scatter about as much as they differ,
// and no order explains much of them. But one that several groups find, each without the others, is
// hardly found by chance.
void SurfaceFinder::take_what_most_say(std::size_t looks) {
  constexpr std::size_t kFewest = 3;
  const Likely* best = nullptr;
  std::size_t most = 0;
  for (const Likely& one : likely_) {
    const auto others = static_cast<std::size_t>(std::ranges::count_if(
        likely_, [&](const Likely& other) { return is_same(one.best.order, other.best.order); }));
    if (others > most || (others == most && one.group.fit > best->group.fit))
      best = &one, most = others;
  }
  if (most < kFewest || 2 * most <= looks) return;
  agreed_ = true;
  beliefs_ = best->beliefs;
}

// Those that found the order before it was known.
void SurfaceFinder::add_likely() {
  if (!beliefs_) return;
  for (const Likely& one : likely_)
    if (is_same(one.best.order, beliefs_->best().order)) groups_.push_back(one.group);
}

// Groups at these shares of the drive, in turn. Returns the last that is not sure of its place.
std::optional<SurfaceFinder::Group> SurfaceFinder::look_at_all(std::span<const double> shares) {
  constexpr std::size_t kMostMoves = 120, kMovesLater = 24;
  constexpr double kPlaced = 0.9;
  std::optional<Group> unsure;
  for (const double share : shares) {
    if (out_of_time()) break;
    const double at = share * static_cast<double>(bands_.size());
    const auto away = [at](const Group& group) {
      return std::abs(static_cast<double>(group.first) - at);
    };
    const std::uint64_t shift = groups_.empty()
                                    ? 0
                                    : shift_of(*std::ranges::min_element(groups_, {}, away));
    const auto group = look_at(static_cast<std::size_t>(at), shift,
                               groups_.empty() ? kMostMoves : kMovesLater);
    if (group && group->chance > kPlaced)
      groups_.push_back(*group);
    else if (group)
      unsure = group;
  }
  return unsure;
}

void SurfaceFinder::sort_groups() {
  std::ranges::sort(groups_, {}, &Group::first);
  const auto same = [](const Group& a, const Group& b) { return a.first == b.first; };
  groups_.erase(std::unique(groups_.begin(), groups_.end(), same), groups_.end());
}

std::optional<FoundSurfaces> SurfaceFinder::find() {
  deadline_ns_ = prober_.now_ns() + options_.most_ns;
  constexpr std::array kFirst{0.03, 0.5, 0.97, 0.25, 0.75};
  const auto unsure = look_at_all(kFirst);
  if (!beliefs_) take_what_most_say(kFirst.size());
  add_likely();
  if (groups_.empty() && unsure) groups_.push_back(*unsure);
  if (groups_.empty()) return std::nullopt;
  const int more = options_.told ? 400 : 8;  // questions cost little
  std::vector<double> between;
  for (int i = 1; i < more; i += options_.told ? 1 : 2) between.push_back(1.0 * i / more);
  look_at_all(between);
  sort_groups();
  const std::vector<Group> looked_at = groups_;
  for (std::size_t i = 1; i < looked_at.size(); ++i) look_between(looked_at[i - 1], looked_at[i]);
  sort_groups();
  return found();
}

std::optional<FoundSurfaces> find_surfaces(Prober& prober, std::span<const Run> runs,
                                           SurfaceOptions options, bool may_be_cylinders) {
  if (may_be_cylinders) options.most_ns /= 2;
  auto found = SurfaceFinder(prober, runs, options).find();
  if (!may_be_cylinders) return found;
  options.tracks = true;
  auto other = SurfaceFinder(prober, runs, options).find();
  return other && (!found || other->best.fit > found->best.fit) ? other : found;
}

}  // namespace platter::layout_by_timing
