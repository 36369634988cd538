#include "mtbrc/shingles.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "statistics/distribution.h"

namespace platter::mtbrc {
namespace {

constexpr std::uint64_t kMib = 1 << 20, kSharp_bytes = 128 << 10, kLeastBand_bytes = 12 * kMib,
                        kMostBand_bytes = 256 * kMib;
// Physical blocks that vote. At home so far apart, and written backwards: away they lie side by
// side, and one that looks at home by chance says nothing of the others.
constexpr std::uint32_t kGroup = 3, kApart = 16;

constexpr Nanoseconds kShows = 20 * kMillisecond;  // a wait, by what a look takes more than usually

double uniform_error(double width) { return width / std::sqrt(12.0); }

statistics::Estimate between(double low, double high) {
  return {(low + high) / 2, uniform_error(high - low)};
}

double median_of(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

}  // namespace

Shingles::Shingles(Context& context, const std::vector<LbnRange>& permitted,
                   const std::vector<LbnRange>& guessed)
    : context_(context),
      permitted_(permitted),
      home_(context, guessed),
      accesses_(context),
      random_(context.seed ^ 0x736d72) {}

// Of a range of so many blocks in the permission: the first LBN, of a physical block.
std::uint64_t Shingles::place(std::uint64_t blocks) {
  constexpr int kTries = 200;
  std::uint64_t best = permitted_.front().first;
  for (int i = 0; i < kTries; ++i) {
    const LbnRange& range = permitted_[random_() % permitted_.size()];
    const std::uint64_t end = std::min(range.last + 1, context_.map->blocks());
    if (end < range.first + blocks) continue;
    const std::uint64_t lbn = context_.drive.physical_blocks()
                                  .covering(range.first + random_() % (end - range.first), 1)
                                  .first;
    if (lbn < range.first || lbn + blocks > end) continue;
    best = lbn;
    if (context_.drive.may_write(lbn, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                          blocks, context_.write_unit()))) &&
        !context_.drive.leaves_out(
            lbn, static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, 0xffffffff))))
      return lbn;
  }
  return best;
}

bool Shingles::rewrite(std::uint64_t lbn, std::uint32_t blocks) {
  if (!context_.drive.may_write(lbn, blocks)) return false;
  if (home_.is_guessed(lbn)) home_.remember(lbn);
  try {
    context_.drive.learn_contents(lbn, blocks);
  } catch (const scsi::DriveError& error) {
    if (!error.may_do_elsewhere()) throw;
    return false;
  }
  if (!accesses_.write(estimate::Experiment::other, lbn, 0, blocks)) return false;
  stretches_.insert(bytes_of(lbn) / kLeastBand_bytes);
  if (home_.remembers(lbn)) watched_.push_back(lbn);
  return true;
}

bool Shingles::rewrite_group(std::uint64_t lbn) {
  bool all = true;
  for (std::uint32_t i = kGroup; i-- > 0;)
    all &= rewrite(lbn + std::uint64_t{i} * kApart * context_.write_unit(), context_.write_unit());
  return all;
}

Displaced Shingles::displaced() {
  constexpr std::uint32_t kBlocks = 24, kTries = 4 * kBlocks;
  Displaced found;
  for (std::uint32_t i = 0; i < kTries && found.looked_at < kBlocks; ++i) {
    const std::uint64_t lbn = place(context_.write_unit());
    if (!home_.remember(lbn) || !rewrite(lbn, context_.write_unit())) continue;
    context_.drive.flush();
    const auto home = home_.at_home(lbn);
    if (!home) continue;
    ++found.looked_at;
    found.away += *home ? 0 : 1;
  }
  return found;
}

std::uint32_t Shingles::groups_home(Pause& pause) {
  context_.drive.rest_ns(pause.time_ns);
  // A read that comes in the midst of a step of the cleaning waits for its end.
  const Nanoseconds waited_ns = home_.look() - usual_look_ns_;
  pause.waited = waited_ns > kShows;
  if (pause.waited) pause.time_ns += waited_ns;
  std::uint32_t home = 0;
  for (const std::uint64_t group : pause.groups)
    home += home_.most_at_home(group, kGroup, kApart).value_or(false) ? 1 : 0;
  return home;
}

// Between a pause behind which they are away and one behind which all are at home. To less than a
// step of the cleaning, if that is long: then one of the looks waits for the end of the last step.
statistics::Estimate Shingles::until_home(const std::vector<std::uint64_t>& groups, double low_ns,
                                          double high_ns, double settle_ns) {
  constexpr int kSteps = 14;
  constexpr double kSharp = 0.001, kSharp_ns = 16e6, kOfAWait_ns = 8e6;
  for (int i = 0; i < kSteps && high_ns - low_ns > std::max(kSharp_ns, kSharp * high_ns); ++i) {
    for (const std::uint64_t group : groups) rewrite_group(group);
    Pause pause{groups, static_cast<Nanoseconds>((low_ns + high_ns) / 2)};
    const bool all = groups_home(pause) == groups.size();
    const auto time_ns = static_cast<double>(pause.time_ns);
    context_.drive.rest_ns(static_cast<Nanoseconds>(settle_ns));
    // Nothing else is dirty: what it waited for was the end of their cleaning.
    if (all && pause.waited) return {time_ns, kOfAWait_ns};
    if (all)
      high_ns = std::min(high_ns, time_ns);
    else
      low_ns = std::max(low_ns, std::min(time_ns, high_ns));
  }
  const statistics::Estimate found = between(low_ns, high_ns);
  return {found.value, std::hypot(found.error, kOfAWait_ns)};
}

// Bands that became dirty before are cleaned first: until several looks in a row wait for none.
void Shingles::settle() {
  constexpr int kMostSlices = 60, kQuiet = 3;
  constexpr Nanoseconds kSlice = 20 * kSecond;
  std::vector<double> looks;
  for (int i = 0; i < 5; ++i) looks.push_back(static_cast<double>(home_.look()));
  usual_look_ns_ = static_cast<Nanoseconds>(median_of(looks));
  for (int i = 0, quiet = 0; i < kMostSlices && quiet < kQuiet; ++i) {
    context_.drive.rest_ns(kSlice);
    quiet = home_.look() > usual_look_ns_ + kShows ? 0 : quiet + 1;
  }
}

IdleCleaning Shingles::idle_cleaning() {
  constexpr double kPauses_s[] = {0.25, 0.35, 0.5, 0.7, 1,   1.2, 1.4, 1.7, 2,  2.4,
                                  2.9,  3.4,  4,   5,   6.5, 8,   11,  15,  20, 40};
  context_.report("cleaning of bands", 0);
  settle();
  IdleCleaning found;
  const std::uint64_t span = kGroup * kApart * context_.write_unit();
  const auto mapped = [&] {
    constexpr int kPlaces = 20;
    for (int i = 0; i < kPlaces; ++i)
      if (const auto at = home_from(place(2 * span))) return *at;
    return place(2 * span);
  };
  const std::uint64_t one = mapped();
  double low_ns = 0, high_ns = 0;
  for (const double pause_s : kPauses_s) {
    rewrite_group(one);
    Pause pause{{one}, static_cast<Nanoseconds>(pause_s * 1e9)};
    found.seen = groups_home(pause) == 1;
    high_ns = static_cast<double>(pause.time_ns);
    if (found.seen) break;
    low_ns = high_ns;
  }
  if (!found.seen) return found;
  const double settle_ns = 3 * high_ns;
  context_.drive.rest_ns(static_cast<Nanoseconds>(settle_ns));
  found.at = one;
  found.one_band = until_home({one}, low_ns, high_ns, settle_ns);
  // Another band of about the same tracks.
  const std::uint64_t away = 80 * kMib / context_.drive.block_bytes();
  std::uint64_t other = one;
  for (const std::uint64_t near : {one + away, one > away ? one - away : one})
    if (const auto at = home_from(near);
        other == one && at && context_.drive.may_write(*at, context_.write_unit()))
      other = *at;
  if (other == one) other = mapped();
  const double longest_ns = 3 * found.one_band.value;
  found.two_bands = until_home({one, other}, found.one_band.value, longest_ns, settle_ns);
  found.of_band = {found.two_bands.value - found.one_band.value,
                   std::hypot(found.two_bands.error, found.one_band.error)};
  for (const std::uint32_t bands : {9U, 33U}) many_bands(one, bands, found);
  return found;
}

// What one more takes shows in many of them; where they are not each of a band of their own, fewer
// tell it.
void Shingles::many_bands(std::uint64_t one, std::uint32_t bands, IdleCleaning& found) {
  constexpr double kSigmas = 3;
  const double more = bands - 1;
  const std::uint64_t away = 80 * kMib / context_.drive.block_bytes();
  std::vector<std::uint64_t> groups{one};
  for (std::uint64_t i = 1; groups.size() < bands && i < 4 * bands; ++i) {
    const std::uint64_t near = one + i * away;
    if (near + away >= context_.map->blocks() || !context_.drive.may_write(near, 1)) continue;
    const auto at = home_from(near);
    if (at && context_.drive.may_write(*at, kGroup * kApart * context_.write_unit()))
      groups.push_back(*at);
  }
  if (groups.size() < bands) return;
  const double all_ns = found.one_band.value + more * found.of_band.value;
  const double off_ns = kSigmas * more * found.of_band.error;
  const double low_ns = std::max(found.two_bands.value, all_ns - off_ns), high_ns = all_ns + off_ns;
  const statistics::Estimate all = until_home(groups, low_ns, high_ns, all_ns);
  if (all.value - low_ns < 2 * all.error || high_ns - all.value < 2 * all.error) return;
  found.of_band = {(all.value - found.one_band.value) / more,
                   std::hypot(all.error, found.one_band.error) / more};
  found.two_bands = {found.one_band.value + found.of_band.value,
                     std::hypot(found.one_band.error, found.of_band.error)};
}

// The first group from there on that is at home, if one is near.
std::optional<std::uint64_t> Shingles::home_from(std::uint64_t lbn) {
  constexpr int kTries = 8;
  const std::uint64_t step = 2ULL * context_.write_unit();
  const auto all_home = [&](std::uint64_t first) {
    for (std::uint32_t k = 0; k < kGroup; ++k) {
      const std::uint64_t block = first + std::uint64_t{k} * kApart * context_.write_unit();
      if (!home_.is_guessed(block) && !home_.at_home(block).value_or(false)) return false;
      if (!home_.remember(block)) return false;
    }
    return true;
  };
  for (int i = 0; i < kTries; ++i, lbn += step)
    if (all_home(lbn)) return lbn;
  return std::nullopt;
}

// Both at home: they were cleaned as one. One alone: there was no time for another band. Neither,
// but each time some of b's blocks: the others are of the band that comes later.
std::optional<Shingles::BandOf> Shingles::band_of(std::uint64_t a, std::uint64_t b,
                                                  const IdleCleaning& cleaning) {
  const double of_band_ns = cleaning.two_bands.value - cleaning.one_band.value;
  constexpr int kTries = 3;
  int in_part = 0;
  for (int i = 0; i < kTries; ++i) {
    if (!rewrite_group(a) || !rewrite_group(b)) return std::nullopt;
    Pause pause{{a, b}, static_cast<Nanoseconds>(cleaning.one_band.value + of_band_ns / 2)};
    const std::uint32_t home = groups_home(pause);
    if (home == 0) in_part += is_in_part_home(b) ? 1 : 0;
    context_.drive.rest_ns(static_cast<Nanoseconds>(1.2 * cleaning.two_bands.value + of_band_ns));
    if (home > 0) return home == 2 ? BandOf::same : BandOf::other;
  }
  return in_part == kTries ? std::optional(BandOf::both) : std::nullopt;
}

bool Shingles::is_in_part_home(std::uint64_t group) {
  for (std::uint32_t i = 0; i < kGroup; ++i)
    if (home_.at_home(group + std::uint64_t{i} * kApart * context_.write_unit()).value_or(false))
      return true;
  return false;
}

// The first LBN behind the band of `lbn`, to 128 KiB.
std::optional<std::uint64_t> Shingles::edge_above(std::uint64_t lbn, const IdleCleaning& cleaning) {
  const std::uint32_t block_bytes = context_.drive.block_bytes(), unit = context_.write_unit();
  const auto blocks = [&](std::uint64_t bytes) {
    return context_.drive.physical_blocks().rounded_up(
        static_cast<std::uint32_t>(bytes / block_bytes));
  };
  const std::uint64_t most = blocks(kMostBand_bytes);
  const std::uint64_t sharp = std::max<std::uint64_t>(blocks(kSharp_bytes), kGroup * kApart * unit);
  std::uint64_t low = lbn, high = lbn + blocks(kMib);
  bool bounded = false;
  while (!bounded || high - low > sharp) {
    if (high - lbn > most) return std::nullopt;
    const auto at = home_from(bounded ? low + (high - low) / 2 / unit * unit : high);
    if (!at || (bounded && *at >= high)) return std::nullopt;
    const auto band = band_of(lbn, *at, cleaning);
    if (!band) return std::nullopt;
    if (band == BandOf::both) return *at + kGroup * kApart * unit / 2;
    bounded |= band == BandOf::other;
    (band == BandOf::same ? low : high) = *at;
    if (!bounded) high = lbn + 2 * (low - lbn);
  }
  return low + (high - low) / 2;
}

std::optional<double> Shingles::band_at(std::uint64_t begin, const IdleCleaning& cleaning) {
  const auto from = home_from(begin);
  const auto first = from ? edge_above(*from, cleaning) : std::nullopt;
  if (!first) return std::nullopt;
  const auto behind = home_from(context_.drive.physical_blocks().covering(*first, 1).first +
                                256 * 1024 / context_.drive.block_bytes());
  const auto second = behind ? edge_above(*behind, cleaning) : std::nullopt;
  if (!second) return std::nullopt;
  return static_cast<double>(*second - *first);
}

// Of some places anywhere the one nearest to that of the cleaning: elsewhere it takes another time.
std::uint64_t Shingles::place_near(std::uint64_t lbn, std::uint64_t blocks) {
  constexpr int kPlaces = 64;
  const auto away = [lbn](std::uint64_t other) {
    return std::max(lbn, other) - std::min(lbn, other);
  };
  std::uint64_t nearest = place(blocks);
  for (int i = 1; i < kPlaces; ++i)
    if (const std::uint64_t other = place(blocks); away(other) < away(nearest)) nearest = other;
  return nearest;
}

// At several places, until two of them tell the same.
statistics::Estimate Shingles::band_blocks(const IdleCleaning& cleaning) {
  constexpr int kPlaces = 6;
  constexpr double kSame = 0.01;
  const double width = static_cast<double>(kSharp_bytes) / context_.drive.block_bytes();
  std::vector<double> found;
  for (int i = 0; i < kPlaces; ++i) {
    context_.report("size of bands", static_cast<double>(i) / kPlaces);
    const auto band = band_at(place_near(cleaning.at, 600 * kMib / context_.drive.block_bytes()),
                              cleaning);
    if (!band) continue;
    for (const double other : found)
      if (std::abs(*band - other) <= kSame * other)
        return {(*band + other) / 2, uniform_error(width)};
    found.push_back(*band);
  }
  return {};
}

// Each place of so many blocks in the permission once.
std::vector<std::uint64_t> Shingles::places_for(std::uint32_t length) {
  constexpr std::uint64_t kMostPlaces = 400'000, kMostBytes = 64'000 * kMib;
  const std::uint64_t most = std::min(kMostPlaces, kMostBytes / bytes_of(length));
  const std::uint64_t step = std::max<std::uint64_t>(length, 8 * context_.write_unit());
  std::vector<std::uint64_t> places;
  for (const LbnRange& range : permitted_) {
    const std::uint64_t end = std::min(range.last + 1, context_.map->blocks());
    std::uint64_t lbn = context_.drive.physical_blocks().covering(range.first, 1).last + 1;
    for (; lbn + length <= end && places.size() < most; lbn += step) places.push_back(lbn);
  }
  return places;
}

// Side by side from one on whose home the map tells; each hundred in random order, for no stream.
void Shingles::in_stretches(std::vector<std::uint64_t>& places) {
  constexpr std::size_t kStretch = 100;
  constexpr int kTries = 20;
  if (places.empty()) return;
  std::size_t from = 0;
  for (int i = 0; i == 0 || (i < kTries && home_.is_guessed(places[from])); ++i)
    from = random_() % places.size();
  std::ranges::rotate(places, places.begin() + static_cast<std::ptrdiff_t>(from));
  for (std::size_t i = 0; i < places.size(); i += kStretch)
    std::shuffle(
        places.begin() + static_cast<std::ptrdiff_t>(i),
        places.begin() + static_cast<std::ptrdiff_t>(std::min(i + kStretch, places.size())),
        random_);
}

// What a full media cache let go: of pieces that were rewritten side by side, those that came home
// since the last look, if they begin and end among others that are away.
class Shingles::CameHome {
 public:
  CameHome(HomeReads& home, std::uint32_t piece, std::uint64_t sharp)
      : home_(home), piece_(piece), sharp_(sharp) {}

  void rewritten(std::uint64_t lbn) { pieces_.insert(lbn); }
  static std::uint64_t watched(std::uint64_t lbn, std::uint32_t piece) { return lbn + piece / 2; }

  statistics::Estimate look() {
    constexpr std::uint64_t kStep = 8, kRow = 4;  // pieces: the least band, so many are no chance
    for (auto at = pieces_.begin(); at != pieces_.end();) {
      bool all = true;
      for (std::uint64_t i = 0; all && i < kRow; ++i) all = is_home(*at + i * piece_) == true;
      if (all) {
        if (const auto band = run_around(*at); band.error > 0) return band;
      }
      at = pieces_.lower_bound(*at + kStep * piece_);
    }
    return {};
  }

 private:
  // Of a piece that was rewritten, and was not at home before. nullopt: nobody knows.
  std::optional<bool> is_home(std::uint64_t lbn) {
    if (!pieces_.contains(lbn)) return std::nullopt;
    if (std::ranges::any_of(known_, [lbn, this](const LbnRange& range) {
          return range.holds(watched(lbn, piece_), 1);
        }))
      return false;
    return home_.at_home(watched(lbn, piece_));
  }
  // A piece that is away may look at home by chance: two behind it do not.
  std::optional<bool> goes_on(std::uint64_t lbn, bool up) {
    const auto next = [&](std::uint64_t by) { return up ? lbn + by * piece_ : lbn - by * piece_; };
    const auto home = is_home(next(1));
    if (home != false) return home;
    return is_home(next(2)) == true && is_home(next(3)) == true;
  }
  // To both sides of the piece as far as it is at home, then within the piece where that ends.
  statistics::Estimate run_around(std::uint64_t lbn) {
    std::uint64_t ends[2] = {};
    bool whole = true;
    for (const bool up : {false, true}) {
      std::uint64_t at = lbn;
      auto more = goes_on(at, up);
      for (; more == true; more = goes_on(at, up)) at = up ? at + piece_ : at - piece_;
      whole &= more.has_value();
      const std::uint64_t in = watched(at, piece_);
      ends[up ? 1 : 0] = more ? edge(in, up ? in + piece_ : in - piece_) : in;
    }
    known_.push_back({ends[0], ends[1] - 1});
    if (!whole) return {};
    return {static_cast<double>(ends[1] - ends[0]),
            std::sqrt(2.0) * uniform_error(static_cast<double>(sharp_))};
  }
  std::uint64_t edge(std::uint64_t in, std::uint64_t out) {
    for (const LbnRange& range : known_)
      if (range.holds(out, 1)) return out > in ? range.first : range.last + 1;
    while (std::max(in, out) - std::min(in, out) > sharp_) {
      const std::uint64_t between = std::min(in, out) + (std::max(in, out) - std::min(in, out)) / 2;
      // Some in a row: one that is away looks at home by chance.
      (home_.most_at_home(between, kGroup, kNear).value_or(false) ? in : out) = between;
    }
    return std::min(in, out) + (std::max(in, out) - std::min(in, out)) / 2;
  }

  static constexpr std::uint32_t kNear = 5;  // physical blocks
  HomeReads& home_;
  std::uint32_t piece_;
  std::uint64_t sharp_;
  std::set<std::uint64_t> pieces_;  // first LBNs
  std::vector<LbnRange> known_{};   // at home since an earlier look
};

// Of a media cache that is full but for a band: one place is written so often that the band would
// be full again, and the drive pause.
std::optional<bool> Shingles::keeps_old(std::uint64_t lbn, std::uint32_t length, double pause_ns,
                                        const std::function<bool(std::uint64_t bytes)>& room) {
  const std::uint64_t times = kMostBand_bytes / bytes_of(length) + 1;
  if (!room(times * bytes_of(length))) return std::nullopt;
  for (std::uint64_t i = 0; i < times; ++i) {
    if (!rewrite(lbn, length)) return std::nullopt;
    const estimate::Sample& write = context_.samples.back();
    if (static_cast<double>(write.completed_ns - write.issued_ns) > pause_ns) return true;
  }
  return false;
}

FilledCache Shingles::fill(std::uint32_t length, bool side_by_side,
                           const std::function<bool(std::uint64_t bytes)>& room) {
  constexpr std::size_t kUsual = 40, kPauses = 3, kMorePauses = 12, kSoon = 400, kWatched = 16;
  constexpr double kPause = 2, kLeastPause_ns = 60e6;
  FilledCache found;
  std::vector<std::uint64_t> places = places_for(length);
  if (side_by_side)
    in_stretches(places);
  else
    std::ranges::shuffle(places, random_);
  CameHome came_home(home_, length, kSharp_bytes / context_.drive.block_bytes());
  std::vector<double> usual, pauses;
  std::size_t since = 0;
  std::uint64_t blocks = 0, writes = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i % 64 == 0) {
      context_.report("media cache", static_cast<double>(i) / static_cast<double>(places.size()));
      if (!room(bytes_of(64 * std::uint64_t{length}))) {
        found.ended = "room";
        break;
      }
    }
    if (side_by_side)
      home_.remember(CameHome::watched(places[i], length));
    else if (i % kWatched == 0)
      home_.remember(places[i]);
    if (!rewrite(places[i], length)) continue;
    const estimate::Sample& write = context_.samples.back();
    const auto took_ns = static_cast<double>(write.completed_ns - write.issued_ns);
    if (usual.size() < kUsual) usual.push_back(took_ns);
    const double median_ns = median_of(usual);
    if (usual.size() == kUsual &&
        took_ns > std::max(kPause * median_ns, median_ns + kLeastPause_ns)) {
      if (pauses.empty()) {
        found.blocks = blocks;
        found.writes = writes;
        found.of_run = context_.drive.blocks_written() - length;
        since = i;
      }
      pauses.push_back(took_ns - median_ns);
      found.full |= pauses.size() == kPauses;
      if (side_by_side && found.band_blocks.error == 0) found.band_blocks = came_home.look();
      if (found.full && (!side_by_side || pauses.size() == kMorePauses)) break;
    }
    if (side_by_side) came_home.rewritten(places[i]);
    if (!found.full && !pauses.empty() && i - since > kSoon) pauses.clear();
    blocks += length;
    ++writes;
  }
  // The least is of one band: what lies in others may be less than a write needs.
  if (found.full) {
    found.pause_ns = *std::ranges::min_element(pauses);
    if (side_by_side)
      found.keeps_old = keeps_old(places.front(), length, median_of(usual) + found.pause_ns / 2,
                                  room);
    return found;
  }
  found.blocks = blocks;
  found.writes = writes;
  if (found.ended.empty()) found.ended = "the permission";
  return found;
}

bool Shingles::bring_home(const IdleCleaning& cleaning) {
  if (!cleaning.seen) return false;
  constexpr int kTurns = 12;
  constexpr std::size_t kLooks = 40;
  const double of_band_ns = std::max(1e8, cleaning.two_bands.value - cleaning.one_band.value);
  double rest_ns = cleaning.one_band.value +
                   of_band_ns * static_cast<double>(stretches_.size() + 1);
  for (int turn = 0; turn < kTurns; ++turn) {
    context_.report("bands are cleaned", turn / static_cast<double>(kTurns));
    context_.drive.rest_ns(static_cast<Nanoseconds>(rest_ns));
    std::uint32_t away = 0, home = 0;
    for (std::size_t i = 0; i < kLooks && i < watched_.size(); ++i) {
      const std::uint64_t lbn = i < kLooks / 2 ? watched_[watched_.size() - 1 - i]
                                               : watched_[random_() % watched_.size()];
      if (const auto is_home = home_.at_home(lbn)) ++(*is_home ? home : away);
    }
    // What nobody can tell is not known to be at home.
    if (away > 0 || (home == 0 && !watched_.empty())) continue;
    watched_.clear();
    stretches_.clear();
    return true;
  }
  return false;
}

}  // namespace platter::mtbrc
