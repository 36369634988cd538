#include "disks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "chance.h"

namespace today {
namespace {

constexpr double kBurstShare = 0.06;  // of each wedge is servo information

std::vector<std::pair<int, int>> zones_of(const Design& design, const SurfaceDesign& surface,
                                          int tracks) {
  const double per_mm = design.sectors_per_mm * surface.density * 2 * M_PI;
  std::vector<std::pair<int, int>> zones;
  int first = 0;
  for (std::size_t i = 0; i < design.formats.size(); ++i) {
    const double radius = design.formats[i] / per_mm;
    int end = static_cast<int>(std::ceil((design.outer_mm - radius) / surface.pitch_mm));
    if (design.borders_at_bands) end = end / design.band_tracks * design.band_tracks;
    if (i + 1 == design.formats.size()) end = tracks;
    end = std::min(end, tracks);
    if (end <= first) continue;
    zones.emplace_back(first, design.formats[i]);
    first = end;
  }
  return zones;
}

int tracks_on(const Design& design, const SurfaceDesign& surface) {
  return static_cast<int>((design.outer_mm - design.inner_mm) / surface.pitch_mm);
}

}  // namespace

std::int64_t room_of(const Design& design) {
  std::int64_t room = 0;
  for (const SurfaceDesign& surface : design.surfaces) {
    const int tracks = tracks_on(design, surface);
    const auto zones = zones_of(design, surface, tracks);
    for (std::size_t i = 0; i < zones.size(); ++i) {
      const int end = i + 1 < zones.size() ? zones[i + 1].first : tracks;
      room += static_cast<std::int64_t>(end - zones[i].first) * zones[i].second;
    }
  }
  return room;
}

Disks::Disks(const Design& design)
    : design_(design), sectors_(design.blocks * design.block_bytes / design.sector_bytes) {
  for (const SurfaceDesign& surface : design.surfaces) {
    tracks_.push_back(tracks_on(design, surface));
    zones_.push_back(zones_of(design, surface, tracks_.back()));
  }
  make_flaws();
  lay();
  move_sectors();
}

int Disks::sectors_at(int surface, int track) const {
  const auto& zones = zones_[static_cast<std::size_t>(surface)];
  auto after = std::upper_bound(zones.begin(), zones.end(), std::pair(track, 1 << 30));
  return std::prev(after)->second;
}

void Disks::make_flaws() {
  Chance chance(1'000'003ULL * static_cast<std::uint64_t>(design_.number) + 17);
  flaws_.resize(design_.surfaces.size());
  const auto flaw = [&](auto length_of) {
    const auto surface = static_cast<std::size_t>(chance.below(std::ssize(flaws_)));
    const int track = static_cast<int>(chance.below(tracks_[surface]));
    const int sectors = sectors_at(static_cast<int>(surface), track);
    const int length = length_of(sectors);
    flaws_[surface].insert({track, {static_cast<int>(chance.below(sectors - length)), length}});
  };
  for (int i = 0; i < design_.single_flaws; ++i) flaw([](int) { return 1; });
  for (int i = 0; i < design_.long_flaws; ++i)
    flaw([&](int sectors) { return 1 + static_cast<int>(sectors * chance.uniform(0, 0.8)); });
  for (int i = 0; i < design_.left_out; ++i) flaw([](int) { return 0; });
}

void Disks::lay() {
  const int surfaces = static_cast<int>(design_.surfaces.size());
  int wedge = 0;
  for (int ring = 0; laid_ < sectors_; ++ring) {
    bool any = false;
    for (int turn = 0; turn < surfaces; ++turn) {
      const int surface = design_.surfaces_in_turn && ring % 2 ? surfaces - 1 - turn : turn;
      const int first = ring * design_.band_tracks;
      const int end = std::min(first + design_.band_tracks, tracks_of(surface));
      if (first >= end) continue;
      any = true;
      if (!runs_.empty()) wedge += turn ? design_.head_skew : design_.ring_skew;
      lay_band(surface, first, end, !(design_.bands_in_turn && turn % 2), wedge);
      wedge = (wedge + design_.track_skew * (end - first - 1)) % design_.wedges;
    }
    if (!any) break;
  }
  if (laid_ < sectors_) {
    std::fprintf(stderr, "today: the disks have room for %lld sectors, not for %lld\n",
                 static_cast<long long>(laid_), static_cast<long long>(sectors_));
    std::exit(1);
  }
}

void Disks::lay_band(int surface, int first, int end, bool inwards, int wedge) {
  const auto at = static_cast<std::size_t>(surface);
  std::vector<int> cuts{first, end};
  for (const auto& [track, sectors] : zones_[at])
    if (track > first && track < end) cuts.push_back(track);
  const auto& flaws = flaws_[at];
  for (auto flaw = flaws.lower_bound(first); flaw != flaws.end() && flaw->first < end; ++flaw) {
    cuts.push_back(flaw->first);
    cuts.push_back(flaw->first + 1);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  const int count = static_cast<int>(cuts.size()) - 1;
  for (int i = 0; i < count; ++i) {
    const int k = inwards ? i : count - 1 - i;
    const int low = cuts[static_cast<std::size_t>(k)], high = cuts[static_cast<std::size_t>(k) + 1];
    const int from = inwards ? low - first : end - high;
    lay_run(surface, low, high, inwards, wedge + design_.track_skew * from, 0);
  }
}

void Disks::lay_run(int surface, int low, int high, bool inwards, int wedge, int) {
  const auto at = static_cast<std::size_t>(surface);
  const auto flaw = high - low == 1 ? flaws_[at].find(low) : flaws_[at].end();
  if (flaw != flaws_[at].end() && flaw->second.second == 0) return;
  Run run{laid_,
          high - low,
          sectors_at(surface, low),
          std::fmod(
              static_cast<double>(wedge) / design_.wedges + design_.surfaces[at].index_rev + 1, 1),
          static_cast<double>(design_.track_skew) / design_.wedges,
          surface,
          inwards ? low : high - 1,
          inwards ? 1 : -1};
  if (flaw != flaws_[at].end()) std::tie(run.hole, run.hole_length) = flaw->second;
  runs_.push_back(run);
  laid_ += static_cast<std::int64_t>(run.tracks) * run.sectors - run.hole_length;
}

// What failed in use lives on the last tracks of the sequence's surface 0, inside of all that is
// used.
void Disks::move_sectors() {
  Chance chance(7'000'003ULL * static_cast<std::uint64_t>(design_.number) + 5);
  const int track = tracks_of(0) - 1, sectors = sectors_at(0, track);
  for (int i = 0; i < design_.moved; ++i)
    moved_[chance.below(sectors_)] = Place{0, track, i * 7 % sectors, sectors, 0.3};
}

Found Disks::find(std::int64_t number) const {
  const auto moved = moved_.lower_bound(number);
  if (moved != moved_.end() && moved->first == number) return {moved->second, 1};
  const auto run =
      std::prev(std::upper_bound(runs_.begin(), runs_.end(), number,
                                 [](std::int64_t n, const Run& r) { return n < r.first; }));
  const std::int64_t rank = number - run->first;
  const int track = static_cast<int>(rank / run->sectors);
  int sector = static_cast<int>(rank % run->sectors);
  int in_a_row = run->sectors - sector;
  int k = track;
  if (run->hole_length) {
    k = 0;
    sector = static_cast<int>(rank);
    if (sector < run->hole) {
      in_a_row = run->hole - sector;
    } else {
      sector += run->hole_length;
      in_a_row = run->sectors - sector;
    }
  }
  if (moved != moved_.end())
    in_a_row = static_cast<int>(std::min<std::int64_t>(in_a_row, moved->first - number));
  const double turned = run->angle + run->angle_step * k;
  return {Place{run->surface, run->track + run->step * k, sector, run->sectors,
                turned - std::floor(turned)},
          in_a_row};
}

double Disks::radius_mm(int surface, int track) const {
  const SurfaceDesign& own = design_.surfaces[static_cast<std::size_t>(surface)];
  return design_.outer_mm - own.pitch_mm * track + own.offset_mm;
}

double Disks::begins(int sector, int sectors) const {
  const double at = static_cast<double>(sector) * design_.wedges / sectors;
  const double whole = std::floor(at);
  return (whole + kBurstShare + (1 - kBurstShare) * (at - whole)) / design_.wedges;
}

double Disks::ends(int sector, int sectors) const {
  const double at = static_cast<double>(sector + 1) * design_.wedges / sectors;
  const double whole = std::ceil(at - 1e-9) - 1;
  return (whole + kBurstShare + (1 - kBurstShare) * (at - whole)) / design_.wedges;
}

}  // namespace today
