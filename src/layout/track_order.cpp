#include "layout/track_order.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "model/interruption.h"

namespace platter::layout {

namespace {

TrackPlace operator-(TrackPlace a, TrackPlace b) {
  return {a.cylinder - b.cylinder, a.head - b.head};
}
TrackPlace operator+(TrackPlace a, TrackPlace b) {
  return {a.cylinder + b.cylinder, a.head + b.head};
}
TrackPlace operator*(TrackPlace a, std::int64_t n) { return {a.cylinder * n, a.head * n}; }

// For each period, how many of the newest steps from track to track are as the step one period
// before, up to the first that is not (the Z algorithm: Gusfield 1997, section 1.4).
std::vector<std::size_t> repeated_steps(std::span<const TrackPlace> met) {
  const std::size_t steps = met.size() - 1;
  const auto newest = [met](std::size_t i) {
    return met[met.size() - 1 - i] - met[met.size() - 2 - i];
  };
  std::vector<std::size_t> repeated(met.size(), 0);
  std::size_t begin = 0, end = 0;  // the farthest known repetition: [begin, end) is as [0, ...)
  for (std::size_t period = 1; period < steps; ++period) {
    stop_if_asked();
    std::size_t same = period < end ? std::min(end - period, repeated[period - begin]) : 0;
    while (period + same < steps && newest(same) == newest(period + same)) ++same;
    repeated[period] = same;
    if (period + same > end) begin = period, end = period + same;
  }
  return repeated;
}

// A repetition seen only in part is believed when it moves along the cylinders or the heads alone.
bool plausible(TrackPlace step) {
  return (step.cylinder > 0 && step.head == 0) || (step.cylinder == 0 && step.head != 0);
}

model::LayoutNode leaf(TrackPlace first, TrackPlace step, std::uint64_t count,
                       std::uint32_t sectors) {
  model::LayoutNode node;
  node.count = static_cast<std::uint32_t>(count);
  node.cylinder = static_cast<std::int32_t>(first.cylinder);
  node.head = static_cast<std::int32_t>(first.head);
  node.cylinder_step = count > 1 ? static_cast<std::int32_t>(step.cylinder) : 0;
  node.head_step = count > 1 ? static_cast<std::int32_t>(step.head) : 0;
  node.sectors = sectors;
  return node;
}

// Tracks as runs of constant step, relative to `origin`; another begins where `begins` says so.
std::vector<model::LayoutNode> runs_of(std::span<const TrackPlace> tracks, TrackPlace origin,
                                       const std::function<std::uint32_t(TrackPlace)>& sectors_of,
                                       const std::function<bool(std::size_t)>& begins) {
  std::vector<model::LayoutNode> runs;
  for (std::size_t i = 0; i < tracks.size();) {
    std::size_t end = i + 1;
    TrackPlace step;
    const std::uint32_t sectors = sectors_of(tracks[i]);
    if (end < tracks.size() && sectors_of(tracks[end]) == sectors && !(begins && begins(end))) {
      step = tracks[end] - tracks[i];
      while (end < tracks.size() && tracks[end] - tracks[end - 1] == step &&
             sectors_of(tracks[end]) == sectors && !(begins && begins(end)))
        ++end;
      // Two tracks make no run where the next three go on more regularly.
      const bool longer_run_follows = end == i + 2 && end + 1 < tracks.size() &&
                                      tracks[end + 1] - tracks[end] ==
                                          tracks[end] - tracks[end - 1];
      if (longer_run_follows) end = i + 1;
    }
    runs.push_back(leaf(tracks[i] - origin, step, end - i, sectors));
    i = end;
  }
  return runs;
}

// So many tracks has a band of a surface: the length that most runs along the cylinders have. 0:
// none is of one surface.
std::uint32_t band_of(std::span<const model::LayoutNode> runs) {
  std::map<std::uint32_t, int> lengths;
  for (const model::LayoutNode& run : runs)
    if (run.count > 1 && run.head_step == 0) ++lengths[run.count];
  const auto most = std::ranges::max_element(
      lengths, {}, [](const std::pair<const std::uint32_t, int>& length) { return length.second; });
  return most == lengths.end() ? 0 : most->first;
}

bool same_shape(const model::LayoutNode& a, const model::LayoutNode& b) {
  return a.count == b.count && a.cylinder_step == b.cylinder_step && a.head_step == b.head_step &&
         a.sectors == b.sectors;
}

// So often does the group of runs that begins at `first` come, one after the other, each a constant
// step beyond the one before.
std::size_t repetitions_of(std::span<const model::LayoutNode> runs, std::size_t first,
                           std::size_t group) {
  if (first + 2 * group > runs.size()) return 1;
  const std::int32_t cylinders = runs[first + group].cylinder - runs[first].cylinder;
  const std::int32_t heads = runs[first + group].head - runs[first].head;
  std::size_t end = first + group;
  while (end < runs.size() && same_shape(runs[end], runs[end - group]) &&
         runs[end].cylinder - runs[end - group].cylinder == cylinders &&
         runs[end].head - runs[end - group].head == heads)
    ++end;
  return (end - first) / group;
}

// A group of runs, so many times.
model::LayoutNode repeated_group(std::span<const model::LayoutNode> runs, std::size_t group,
                                 std::size_t repetitions) {
  model::LayoutNode outer;
  outer.count = static_cast<std::uint32_t>(repetitions);
  outer.cylinder = runs[0].cylinder;
  outer.head = runs[0].head;
  outer.cylinder_step = runs[group].cylinder - runs[0].cylinder;
  outer.head_step = runs[group].head - runs[0].head;
  for (const model::LayoutNode& run : runs.first(group)) {
    model::LayoutNode& child = outer.children.emplace_back(run);
    child.cylinder -= outer.cylinder;
    child.head -= outer.head;
  }
  return outer;
}

// Folds groups of runs that repeat with a constant step: all runs (the bands of a surface
// serpentine), or cylinders side by side (between two that are left out), the most first.
std::vector<model::LayoutNode> folded(std::span<const model::LayoutNode> runs) {
  std::vector<model::LayoutNode> nodes;
  for (std::size_t first = 0; first < runs.size();) {
    stop_if_asked();
    std::size_t group = 1, repetitions = 1, most = 1;
    for (std::size_t other = 1; first + 2 * other <= runs.size(); ++other) {
      const std::size_t times = repetitions_of(runs, first, other);
      const bool is_all = times * other == runs.size();
      const bool on_cylinders = runs[first + other].head == runs[first].head;
      if (times == 1 || times * other <= most || (!is_all && !on_cylinders)) continue;
      most = times * other;
      group = other;
      repetitions = times;
    }
    nodes.push_back(repetitions > 1 ? repeated_group(runs.subspan(first), group, repetitions)
                                    : runs[first]);
    first += group * repetitions;
  }
  return nodes;
}

}  // namespace

TrackOrder::TrackOrder(std::vector<TrackPlace> met) : prefix_(std::move(met)) { guess(); }

TrackPlace TrackOrder::cyclic(std::int64_t index) const {
  const auto length = static_cast<std::int64_t>(cycle_.size());
  const std::int64_t instance = index >= 0 ? index / length : -((length - 1 - index) / length);
  return cycle_[static_cast<std::size_t>(index - instance * length)] +
         TrackPlace{cylinder_step_, head_step_} * instance;
}

TrackPlace TrackOrder::at(std::uint64_t track) const {
  stop_if_asked();
  if (track < prefix_.size()) return prefix_[track];
  return cyclic(static_cast<std::int64_t>(track - prefix_.size()));
}

namespace {

using Position = std::pair<TrackPlace, std::size_t>;

// The cylinder less whole steps of repetition: alike for all tracks that some repetition of one
// position of the cycle lies on.
std::int64_t within_step(std::int64_t cylinder, std::int64_t step) {
  const std::int64_t rest = cylinder % step;
  return rest < 0 ? rest + step : rest;
}

std::span<const Position> positions_of(const std::vector<Position>& sorted, TrackPlace place) {
  const auto first = std::ranges::lower_bound(sorted, place, {}, &Position::first);
  return {first, std::ranges::upper_bound(first, sorted.end(), place, {}, &Position::first)};
}

}  // namespace

struct TrackOrder::Index {
  std::vector<Position> listed, repeated;  // by place, then by position
};

// It is made once as many searches as it costs have been made.
bool TrackOrder::is_indexed() const {
  constexpr std::uint32_t kFew = 16;
  constexpr std::size_t kShort = 64;  // is searched as soon
  if (index_) return true;
  if (prefix_.size() + cycle_.size() < kShort || ++sought_ < kFew) return false;
  auto made = std::make_shared<Index>();
  for (std::size_t i = 0; i < prefix_.size(); ++i) made->listed.emplace_back(prefix_[i], i);
  if (cylinder_step_ > 0 && head_step_ == 0)
    for (std::size_t i = 0; i < cycle_.size(); ++i)
      made->repeated.emplace_back(
          TrackPlace{within_step(cycle_[i].cylinder, cylinder_step_), cycle_[i].head}, i);
  std::ranges::sort(made->listed);
  std::ranges::sort(made->repeated);
  index_ = std::move(made);
  return true;
}

std::optional<std::uint64_t> TrackOrder::find_listed(TrackPlace place, std::uint64_t from) const {
  if (from >= prefix_.size()) return std::nullopt;
  if (is_indexed()) {
    for (const auto& [at, position] : positions_of(index_->listed, place))
      if (position >= from) return position;
    return std::nullopt;
  }
  for (std::uint64_t i = from; i < prefix_.size(); ++i)
    if (prefix_[i] == place) return i;
  return std::nullopt;
}

std::optional<std::uint64_t> TrackOrder::track_of(TrackPlace place, std::size_t position) const {
  const TrackPlace distance = place - cycle_[position];
  if (head_step_ == 0 && distance.head != 0) return std::nullopt;  // most; divisions are slow
  const std::int64_t along = cylinder_step_ != 0 ? cylinder_step_ : head_step_;
  const std::int64_t way = cylinder_step_ != 0 ? distance.cylinder : distance.head;
  if (along == 0 || way % along != 0 || way / along < 0) return std::nullopt;
  const std::int64_t instance = way / along;
  if (TrackPlace{cylinder_step_, head_step_} * instance != distance) return std::nullopt;
  return prefix_.size() + static_cast<std::uint64_t>(instance) * cycle_.size() + position;
}

std::optional<std::uint64_t> TrackOrder::find_repeated(TrackPlace place, std::uint64_t from) const {
  std::optional<std::uint64_t> first;
  const auto consider = [&](std::size_t position) {
    const auto track = track_of(place, position);
    if (track && *track >= from && (!first || *track < *first)) first = track;
  };
  if (is_indexed() && index_->repeated.size() == cycle_.size()) {
    for (const auto& [at, position] :
         positions_of(index_->repeated, {within_step(place.cylinder, cylinder_step_), place.head}))
      consider(position);
    return first;
  }
  for (std::size_t i = 0; i < cycle_.size(); ++i) consider(i);
  return first;
}

std::optional<std::uint64_t> TrackOrder::find(TrackPlace place, std::uint64_t from) const {
  stop_if_asked();
  if (const auto listed = find_listed(place, from)) return listed;
  return find_repeated(place, from);
}

void TrackOrder::continue_with(std::uint64_t track, TrackPlace place) {
  std::vector<TrackPlace> met(track + 1);
  for (std::uint64_t i = 0; i < track; ++i) met[i] = at(i);
  met[track] = place;
  prefix_ = std::move(met);
  guess();
}

void TrackOrder::append(TrackPlace place) {
  changed();
  prefix_.push_back(place);
  cycle_.assign(1, place + TrackPlace{0, 1});
  cylinder_step_ = 0;
  head_step_ = 1;
  inherited_ = false;
}

std::vector<TrackOrder> TrackOrder::continued_at(std::uint64_t track, TrackPlace place,
                                                 std::size_t most) const {
  constexpr std::uint64_t kMostListed = 8192;  // Chosen: groups of 500 cylinders and 16 heads
  std::vector<TrackOrder> orders;
  if (track > kMostListed) return orders;
  std::vector<TrackPlace> met(track);
  for (std::uint64_t i = 0; i < track; ++i) met[i] = at(i);
  std::vector<std::uint64_t> begins{0};
  std::ranges::copy_if(breaks_, std::back_inserter(begins),
                       [track](std::uint64_t earlier) { return earlier < track; });
  for (auto begin = begins.rbegin(); begin != begins.rend(); ++begin) {
    const TrackPlace step = place - met[*begin];
    if (step.head != 0 || step.cylinder <= 0 || orders.size() == most) continue;
    const auto from = met.begin() + static_cast<std::ptrdiff_t>(*begin);
    TrackOrder& order = orders.emplace_back();
    order.prefix_.assign(met.begin(), from);
    order.cycle_.assign(from, met.end());
    order.cylinder_step_ = step.cylinder;
  }
  for (TrackOrder& order : restarts(std::span(&place, 1), most - orders.size())) {
    order.changed();
    order.prefix_ = met;
    orders.push_back(std::move(order));
  }
  begins.push_back(track);
  for (TrackOrder& order : orders) {
    order.breaks_.assign(begins.begin() + 1, begins.end());
    order.inherited_ = true;
  }
  return orders;
}

void TrackOrder::guess() {
  changed();
  inherited_ = false;
  breaks_.clear();
  const std::size_t met = prefix_.size(), period = guessed_period();
  const TrackPlace step = period < met ? prefix_[met - 1] - prefix_[met - 1 - period]
                                       : TrackPlace{0, 1};
  cylinder_step_ = step.cylinder;
  head_step_ = step.head;
  cycle_.clear();
  for (std::size_t i = met - period; i < met; ++i) cycle_.push_back(prefix_[i] + step);
  normalize();
}

// A repetition seen in full, else one that everything seen agrees with, else straight on.
std::size_t TrackOrder::guessed_period() const {
  const std::size_t met = prefix_.size();
  const std::vector<std::size_t> repeated = repeated_steps(prefix_);
  for (std::size_t period = 1; period < met; ++period) {
    const std::size_t pairs = std::max<std::size_t>(period, 2);
    if (met - period < pairs) break;
    if (repeated[period] + 1 >= pairs) return period;
  }
  std::vector<TrackPlace> places;  // sorted
  for (std::size_t period = 1; period < met; ++period) {
    stop_if_asked();
    const TrackPlace step = prefix_[met - 1] - prefix_[met - 1 - period];
    if (repeated[period] + 1 < met - period || !plausible(step)) continue;
    if (places.empty()) {
      places = prefix_;
      std::ranges::sort(places);
    }
    // No track comes twice.
    const auto comes_twice = [&](TrackPlace place) {
      stop_if_asked();
      return std::ranges::binary_search(places, place + step);
    };
    if (std::none_of(prefix_.end() - static_cast<std::ptrdiff_t>(period), prefix_.end(),
                     comes_twice))
      return period;
  }
  return 1;
}

// What the cycle, played backwards, says of the tracks before it need not be listed.
void TrackOrder::normalize() {
  std::int64_t told = 0;
  const auto listed = static_cast<std::int64_t>(prefix_.size());
  while (told < listed && cyclic(-1 - told) == prefix_[static_cast<std::size_t>(listed - 1 - told)])
    ++told;
  *this = extended_back(static_cast<std::uint64_t>(told));
  changed();
  prefix_.resize(static_cast<std::size_t>(listed - told));
}

bool TrackOrder::starts_run(std::size_t position) const {
  const auto i = static_cast<std::int64_t>(position);
  const TrackPlace into = cyclic(i) - cyclic(i - 1), onward = cyclic(i + 1) - cyclic(i);
  const TrackPlace before = cyclic(i - 1) - cyclic(i - 2);
  return into != onward && (into != before || cycle_.size() < 3);
}

// Where the cycle breaks, by its positions.
std::vector<bool> TrackOrder::breaks_of_cycle() const {
  std::vector<bool> breaks(cycle_.size(), false);
  for (const std::uint64_t track : breaks_)
    if (track > prefix_.size()) breaks[(track - prefix_.size()) % cycle_.size()] = true;
  return breaks;
}

std::optional<std::uint64_t> TrackOrder::break_behind(std::uint64_t track) const {
  if (breaks_.empty()) return std::nullopt;
  const std::uint64_t met = prefix_.size(), cycle = cycle_.size();
  const std::uint64_t before = track < met ? 0 : (track - met) / cycle * cycle;
  std::optional<std::uint64_t> next;
  for (const std::uint64_t first : breaks_) {
    if (first <= met) continue;
    const std::uint64_t here = before + first + (before + first > track ? 0 : cycle);
    if (!next || here < *next) next = here;
  }
  return next;
}

// Where the arm turns back at the last of an odd number of surfaces two bands lie one behind the
// other, by their places one run: but it waits there for another skew.
std::vector<bool> TrackOrder::bands_of_cycle(std::size_t phase) const {
  std::vector<bool> begins(cycle_.size(), false);
  std::vector<TrackPlace> one;
  for (std::size_t i = 0; i < cycle_.size(); ++i)
    one.push_back(cyclic(static_cast<std::int64_t>(phase + i)));
  const auto alike = [](TrackPlace) { return 1U; };
  const std::vector<model::LayoutNode> runs = runs_of(one, one[0], alike, {});
  const std::uint32_t band = band_of(runs);
  std::size_t at = phase;
  for (const model::LayoutNode& run : runs) {
    const bool is_bands = band > 0 && run.head_step == 0 && run.count % band == 0;
    for (std::uint32_t track = is_bands ? band : run.count; track < run.count; track += band)
      begins[(at + track) % cycle_.size()] = true;
    at += run.count;
  }
  return begins;
}

std::vector<TrackOrder> TrackOrder::restarts(std::span<const TrackPlace> tracks,
                                             std::size_t most) const {
  enum class Begins : std::uint8_t { at_break, at_run, anywhere };
  const std::vector<bool> breaks = breaks_of_cycle();
  const auto begins = [&](std::size_t position) {
    return breaks[position]       ? Begins::at_break
           : starts_run(position) ? Begins::at_run
                                  : Begins::anywhere;
  };
  // The order that begins with track `index` of this one, moved.
  const auto place_from = [&](std::size_t index, std::size_t track) {
    return cyclic(static_cast<std::int64_t>(index + track)) - cycle_[index] + tracks[0];
  };
  std::vector<TrackOrder> orders;
  for (const Begins wanted : {Begins::at_break, Begins::at_run, Begins::anywhere}) {
    for (std::size_t i = 0; i < cycle_.size() && orders.size() < most; ++i) {
      stop_if_asked();
      if (cycle_[i].head != tracks[0].head || begins(i) != wanted) continue;
      std::size_t same = 0;
      while (same < tracks.size() && place_from(i, same) == tracks[same]) ++same;
      if (same < tracks.size()) continue;
      TrackOrder& order = orders.emplace_back();
      for (std::size_t k = 0; k < cycle_.size(); ++k) {
        order.cycle_.push_back(place_from(i, k));
        if (breaks[(i + k + 1) % cycle_.size()]) order.breaks_.push_back(k + 1);
      }
      order.cylinder_step_ = cylinder_step_;
      order.head_step_ = head_step_;
      order.inherited_ = true;
    }
  }
  return orders;
}

bool TrackOrder::repeated(std::uint64_t tracks) const {
  return cycle_.size() > 1 && cylinder_step_ > 0 && head_step_ == 0 &&
         tracks >= (inherited_ ? cycle_.size() : tracks_to_walk());
}

std::uint64_t TrackOrder::missing_before() const {
  if (!prefix_.empty()) return 0;
  std::uint64_t missing = 0;
  for (std::int64_t i = 0; missing + 1 < cycle_.size(); --i, ++missing) {
    if (cyclic(i - 1).cylinder != cyclic(i).cylinder) break;
  }
  return missing;
}

std::uint64_t TrackOrder::missing_after(std::uint64_t tracks) const {
  if (tracks <= prefix_.size()) return 0;
  std::uint64_t missing = 0;
  const auto end = static_cast<std::int64_t>(tracks - prefix_.size());
  while (missing + 1 < cycle_.size() &&
         cyclic(end + static_cast<std::int64_t>(missing)).cylinder == cyclic(end - 1).cylinder) {
    ++missing;
  }
  return missing;
}

TrackOrder TrackOrder::extended_back(std::uint64_t tracks) const {
  TrackOrder order = *this;
  order.changed();
  for (std::size_t i = 0; i < cycle_.size(); ++i)
    order.cycle_[i] = cyclic(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(tracks));
  return order;
}

model::LayoutNode TrackOrder::node(
    std::uint64_t tracks, const std::function<std::uint32_t(TrackPlace)>& sectors_of) const {
  const TrackPlace origin = at(0);
  std::vector<TrackPlace> listed;
  std::uint64_t next = std::min<std::uint64_t>(prefix_.size(), tracks);
  // The cycle is best told from where one of its runs begins.
  std::size_t phase = 0;
  while (phase < cycle_.size() && !starts_run(phase)) ++phase;
  const std::vector<bool> bands = bands_of_cycle(phase < cycle_.size() ? phase : 0);
  if (phase < cycle_.size() && next + phase < tracks) next += phase;
  for (std::uint64_t i = 0; i < next; ++i) listed.push_back(at(i));
  const auto bands_from = [&](std::uint64_t first) {
    return [&, first](std::size_t i) {
      const std::uint64_t track = first + i;
      return track >= prefix_.size() && bands[(track - prefix_.size()) % cycle_.size()];
    };
  };

  std::vector<model::LayoutNode> children =
      folded(runs_of(listed, origin, sectors_of, bands_from(0)));
  // From head to head the tracks may differ in length: those are listed.
  const bool repeats = !cycle_.empty() && head_step_ == 0;
  const std::uint64_t repetitions = repeats ? (tracks - next) / cycle_.size() : 0;
  if (repetitions > 0) {
    std::vector<TrackPlace> one;
    for (std::uint64_t i = 0; i < cycle_.size(); ++i) one.push_back(at(next + i));
    model::LayoutNode repeat;
    if (one.size() == 1) {
      repeat = leaf(one[0] - origin, {cylinder_step_, head_step_}, repetitions, sectors_of(one[0]));
    } else {
      repeat.count = static_cast<std::uint32_t>(repetitions);
      repeat.cylinder = static_cast<std::int32_t>(one[0].cylinder - origin.cylinder);
      repeat.head = static_cast<std::int32_t>(one[0].head - origin.head);
      repeat.cylinder_step = repetitions > 1 ? static_cast<std::int32_t>(cylinder_step_) : 0;
      repeat.head_step = repetitions > 1 ? static_cast<std::int32_t>(head_step_) : 0;
      repeat.children = folded(runs_of(one, one[0], sectors_of, bands_from(next)));
    }
    children.push_back(std::move(repeat));
    next += repetitions * cycle_.size();
  }
  std::vector<TrackPlace> rest;
  const std::uint64_t first_of_rest = next;
  for (; next < tracks; ++next) rest.push_back(at(next));
  for (model::LayoutNode& run :
       folded(runs_of(rest, origin, sectors_of, bands_from(first_of_rest))))
    children.push_back(std::move(run));

  model::LayoutNode zone;
  if (children.size() == 1) {
    zone = std::move(children[0]);
  } else {
    zone.children = std::move(children);
  }
  zone.cylinder += static_cast<std::int32_t>(origin.cylinder);
  zone.head += static_cast<std::int32_t>(origin.head);
  return zone;
}

}  // namespace platter::layout
