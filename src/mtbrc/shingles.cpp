#include "mtbrc/shingles.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "statistics/distribution.h"

namespace platter::mtbrc {
namespace {

constexpr std::uint64_t kMib = 1 << 20;
constexpr std::uint32_t kGroup = 3;  // physical blocks that vote

double uniform_error(double width) { return width / std::sqrt(12.0); }

statistics::Estimate between(double low, double high) {
  return {(low + high) / 2, uniform_error(high - low)};
}

double median_of(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

}  // namespace

Shingles::Shingles(Context& context, const std::vector<LbnRange>& permitted)
    : context_(context),
      permitted_(permitted),
      home_(context),
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
  try {
    context_.drive.learn_contents(lbn, blocks);
  } catch (const scsi::DriveError& error) {
    if (!error.may_do_elsewhere()) throw;
    return false;
  }
  if (!accesses_.write(estimate::Experiment::other, lbn, 0, blocks)) return false;
  written_.push_back(lbn);
  return true;
}

bool Shingles::rewrite_group(std::uint64_t lbn) {
  bool all = true;
  for (std::uint32_t i = 0; i < kGroup; ++i)
    all &= rewrite(lbn + std::uint64_t{i} * context_.write_unit(), context_.write_unit());
  return all;
}

Displaced Shingles::displaced() {
  constexpr std::uint32_t kBlocks = 24, kTries = 4 * kBlocks;
  Displaced found;
  for (std::uint32_t i = 0; i < kTries && found.looked_at < kBlocks; ++i) {
    const std::uint64_t lbn = place(context_.write_unit());
    // One that the map has elsewhere tells nothing.
    if (context_.map->is_remapped(lbn) || !home_.at_home(lbn).value_or(false)) continue;
    if (!rewrite(lbn, context_.write_unit())) continue;
    context_.drive.synchronize_cache();
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
  constexpr Nanoseconds kOfARead = 30 * kMillisecond;
  pause.time_ns += std::max<Nanoseconds>(0, home_.look() - kOfARead);
  std::uint32_t home = 0;
  for (const std::uint64_t group : pause.groups)
    home += home_.most_at_home(group, kGroup).value_or(false) ? 1 : 0;
  return home;
}

// Between a pause behind which they are away and one behind which all are at home, to 1 %.
statistics::Estimate Shingles::until_home(const std::vector<std::uint64_t>& groups, double low_ns,
                                          double high_ns, double settle_ns) {
  constexpr int kSteps = 11;
  constexpr double kSharp = 0.01;
  for (int i = 0; i < kSteps && high_ns - low_ns > kSharp * high_ns; ++i) {
    for (const std::uint64_t group : groups) rewrite_group(group);
    Pause pause{groups, static_cast<Nanoseconds>((low_ns + high_ns) / 2)};
    const bool all = groups_home(pause) == groups.size();
    const auto time_ns = static_cast<double>(pause.time_ns);
    if (all)
      high_ns = std::min(high_ns, time_ns);
    else
      low_ns = std::max(low_ns, std::min(time_ns, high_ns));
    context_.drive.rest_ns(static_cast<Nanoseconds>(settle_ns));
  }
  return between(low_ns, high_ns);
}

IdleCleaning Shingles::idle_cleaning() {
  constexpr Nanoseconds kSettle = 60 * kSecond;
  constexpr double kPauses_s[] = {0.25, 0.35, 0.5, 0.7, 1,   1.2, 1.4, 1.7, 2,  2.4,
                                  2.9,  3.4,  4,   5,   6.5, 8,   11,  15,  20, 40};
  context_.report("cleaning of bands", 0);
  context_.drive.rest_ns(kSettle);  // what became dirty before is cleaned first
  IdleCleaning found;
  const std::uint64_t span = kGroup * context_.write_unit();
  const std::uint64_t one = place(2 * span);
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
  found.one_band = until_home({one}, low_ns, high_ns, settle_ns);
  // Half of the permission away, if that is not another part of the same band.
  std::uint64_t other = one;
  constexpr int kTries = 50;
  for (int i = 0; i < kTries && std::max(other, one) - std::min(other, one) <
                                    512 * kMib / context_.drive.block_bytes();
       ++i)
    other = place(2 * span);
  const double longest_ns = 3 * found.one_band.value;
  found.two_bands = until_home({one, other}, found.one_band.value, longest_ns, settle_ns);
  return found;
}

// The first group from there on that is where the map has it, if one is near.
std::optional<std::uint64_t> Shingles::mapped_from(std::uint64_t lbn) {
  constexpr int kTries = 8;
  const std::uint64_t step = context_.drive.physical_blocks().rounded_up(
      static_cast<std::uint32_t>(8 * 1024 / context_.drive.block_bytes()) + kGroup);
  for (int i = 0; i < kTries; ++i, lbn += step)
    if (home_.most_at_home(lbn, kGroup).value_or(false)) return lbn;
  return std::nullopt;
}

// Both at home: they were cleaned as one. One alone: there was no time for another band.
std::optional<bool> Shingles::same_band(std::uint64_t a, std::uint64_t b,
                                        const IdleCleaning& cleaning) {
  const double of_band_ns = cleaning.two_bands.value - cleaning.one_band.value;
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    if (!rewrite_group(a) || !rewrite_group(b)) return std::nullopt;
    Pause pause{{a, b}, static_cast<Nanoseconds>(cleaning.one_band.value + of_band_ns / 2)};
    const std::uint32_t home = groups_home(pause);
    context_.drive.rest_ns(static_cast<Nanoseconds>(1.2 * cleaning.two_bands.value + of_band_ns));
    if (home > 0) return home == 2;
  }
  return std::nullopt;
}

// The first LBN behind the band of `lbn`, to 64 KiB.
std::optional<std::uint64_t> Shingles::edge_above(std::uint64_t lbn, const IdleCleaning& cleaning) {
  const std::uint32_t block_bytes = context_.drive.block_bytes(), unit = context_.write_unit();
  const auto blocks = [&](std::uint64_t bytes) {
    return context_.drive.physical_blocks().rounded_up(
        static_cast<std::uint32_t>(bytes / block_bytes));
  };
  const std::uint64_t most = blocks(256 * kMib);
  const std::uint64_t sharp = std::max<std::uint64_t>(blocks(64 * 1024), kGroup * unit);
  std::uint64_t low = lbn, high = lbn + blocks(kMib);
  bool bounded = false;
  while (!bounded || high - low > sharp) {
    if (high - lbn > most) return std::nullopt;
    const auto at = mapped_from(bounded ? low + (high - low) / 2 / unit * unit : high);
    if (!at || (bounded && *at >= high)) return std::nullopt;
    const auto same = same_band(lbn, *at, cleaning);
    if (!same) return std::nullopt;
    bounded |= !*same;
    (*same ? low : high) = *at;
    if (!bounded) high = lbn + 2 * (low - lbn);
  }
  return low + (high - low) / 2;
}

std::optional<double> Shingles::band_at(std::uint64_t begin, const IdleCleaning& cleaning) {
  const auto from = mapped_from(begin);
  const auto first = from ? edge_above(*from, cleaning) : std::nullopt;
  if (!first) return std::nullopt;
  const auto behind = mapped_from(context_.drive.physical_blocks().covering(*first, 1).first +
                                  256 * 1024 / context_.drive.block_bytes());
  const auto second = behind ? edge_above(*behind, cleaning) : std::nullopt;
  if (!second) return std::nullopt;
  return static_cast<double>(*second - *first);
}

// At places anywhere, until two of them tell the same.
statistics::Estimate Shingles::band_blocks(const IdleCleaning& cleaning) {
  constexpr int kPlaces = 6;
  constexpr double kSame = 0.01;
  const double width = 64.0 * 1024 / context_.drive.block_bytes();
  std::vector<double> found;
  for (int i = 0; i < kPlaces; ++i) {
    context_.report("size of bands", static_cast<double>(i) / kPlaces);
    const auto band = band_at(place(600 * kMib / context_.drive.block_bytes()), cleaning);
    if (!band) continue;
    for (const double other : found)
      if (std::abs(*band - other) <= kSame * other)
        return {(*band + other) / 2, uniform_error(width)};
    found.push_back(*band);
  }
  return {};
}

// Each MiB of a stretch of the permission once, in random order: in few bands, and no stream.
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
  std::ranges::shuffle(places, random_);
  return places;
}

// Short writes each 128 KiB over 128 MiB, the middle one first, the others in random order.
std::vector<std::uint64_t> Shingles::marks_around(std::uint64_t middle) {
  const std::uint64_t step = 128 * 1024 / context_.drive.block_bytes();
  constexpr std::uint64_t kEachWay = 512;
  std::vector<std::uint64_t> marks;
  for (std::uint64_t i = 0; i < 2 * kEachWay; ++i)
    if (i != kEachWay) marks.push_back(middle - kEachWay * step + i * step);
  std::ranges::shuffle(marks, random_);
  marks.insert(marks.begin(), middle);
  return marks;
}

// Of those around the first one, how far the others are at home too.
statistics::Estimate Shingles::band_of_marks(const std::vector<std::uint64_t>& marks) {
  std::vector<std::uint64_t> sorted = marks;
  std::ranges::sort(sorted);
  const auto at = [&](std::uint64_t lbn) {
    return std::ranges::lower_bound(sorted, lbn) - sorted.begin();
  };
  const auto home = [&](std::ptrdiff_t i) {
    std::uint32_t votes = 0;
    for (std::ptrdiff_t k = i - 1; k <= i + 1; ++k)
      if (k >= 0 && k < std::ssize(sorted))
        votes += home_.at_home(sorted[static_cast<std::size_t>(k)]).value_or(false) ? 1 : 0;
    return votes >= 2;
  };
  const std::ptrdiff_t middle = at(marks.front());
  std::ptrdiff_t edges[2];
  if (!home(middle)) return {};
  for (const int way : {0, 1}) {
    std::ptrdiff_t in = middle, out = way == 0 ? 0 : std::ssize(sorted) - 1;
    if (home(out)) return {};
    while (std::abs(out - in) > 1) {
      const std::ptrdiff_t i = (in + out) / 2;
      (home(i) ? in : out) = i;
    }
    edges[way] = in;
  }
  const double step = static_cast<double>(sorted[1] - sorted[0]);
  return {static_cast<double>(edges[1] - edges[0] + 1) * step,
          std::sqrt(2.0) * uniform_error(step)};
}

FilledCache Shingles::fill(std::uint32_t length, bool marks,
                           const std::function<bool(std::uint64_t bytes)>& room) {
  constexpr double kPause = 12;  // medians
  constexpr std::size_t kUsual = 40, kPauses = 3, kSoon = 400;
  constexpr double kLeastPause_ns = 60e6;
  FilledCache found;
  const std::uint32_t unit = context_.write_unit();
  std::vector<std::uint64_t> short_ones;
  const std::uint64_t span = 160 * kMib / context_.drive.block_bytes();
  if (marks) {
    short_ones = marks_around(place(span) + span / 2 / unit * unit);
    if (!room(bytes_of(short_ones.size() * unit))) return found.ended = "no room", found;
    std::uint64_t taken = 0;
    for (const std::uint64_t lbn : short_ones) taken += rewrite(lbn, unit) ? unit : 0;
    found.blocks = taken;
  }
  const std::vector<std::uint64_t> places = places_for(length);
  std::vector<double> usual, pauses;
  std::size_t since = 0;
  std::uint64_t blocks = found.blocks, writes = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i % 64 == 0) {
      context_.report("media cache", static_cast<double>(i) / static_cast<double>(places.size()));
      if (!room(bytes_of(64 * std::uint64_t{length}))) return found.ended = "room", found;
    }
    if (!rewrite(places[i], length)) continue;
    const estimate::Sample& write = context_.samples.back();
    const auto took_ns = static_cast<double>(write.completed_ns - write.issued_ns);
    if (usual.size() < kUsual) usual.push_back(took_ns);
    const double median_ns = median_of(usual);
    if (usual.size() == kUsual && took_ns > std::max(kPause * median_ns, kLeastPause_ns)) {
      if (pauses.empty()) {
        found.blocks = blocks;
        found.writes = writes;
        since = i;
        if (marks) found.band_blocks = band_of_marks(short_ones);
      }
      pauses.push_back(took_ns - median_ns);
      if (pauses.size() == kPauses) {
        found.full = true;
        found.pause_ns = median_of(pauses);
        return found;
      }
    }
    if (!pauses.empty() && i - since > kSoon) pauses.clear();
    blocks += length;
    ++writes;
  }
  found.blocks = blocks;
  found.writes = writes;
  found.ended = "the permission";
  return found;
}

bool Shingles::bring_home(const IdleCleaning& cleaning) {
  if (!cleaning.seen) return false;
  constexpr int kTurns = 12;
  constexpr std::size_t kLooks = 40;
  const double of_band_ns = std::max(1e8, cleaning.two_bands.value - cleaning.one_band.value);
  std::set<std::uint64_t> stretches;  // as many as there can be bands, or some more
  for (const std::uint64_t lbn : written_) stretches.insert(bytes_of(lbn) / (12 * kMib));
  double rest_ns = cleaning.one_band.value + of_band_ns * static_cast<double>(stretches.size() + 1);
  for (int turn = 0; turn < kTurns; ++turn) {
    context_.report("bands are cleaned", turn / static_cast<double>(kTurns));
    context_.drive.rest_ns(static_cast<Nanoseconds>(rest_ns));
    std::uint32_t away = 0;
    for (std::size_t i = 0; i < kLooks && i < written_.size(); ++i) {
      const std::uint64_t lbn = i < kLooks / 2 ? written_[written_.size() - 1 - i]
                                               : written_[random_() % written_.size()];
      away += home_.at_home(lbn).value_or(true) ? 0 : 1;
    }
    if (away == 0) return written_.clear(), true;
  }
  return false;
}

}  // namespace platter::mtbrc
