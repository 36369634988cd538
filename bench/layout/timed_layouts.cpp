// Maps by timing alone, held against the truth of virtual drives at 200,000 random blocks
// (docs/validation.md). Time on the device's clock, which is simulated: rotation and map.
// --surfaces: then the surfaces, by moves; pairs of blocks up to 70 bands apart that lie on one
// surface in both, or in neither.
//   timed_layouts virtual:modern-5tb [--budget 600] [--seed 1] [--verify] [--surfaces]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "engine/layout_map.h"
#include "layout_by_timing/common_skews.h"
#include "layout_by_timing/mapper.h"
#include "layout_by_timing/media_timing.h"
#include "layout_by_timing/surfaces_of_map.h"
#include "layout_by_timing/to_layout.h"
#include "model/error.h"
#include "mtbrc/probe.h"
#include "mtbrc/rotation.h"
#include "scsi/guard.h"
#include "statistics/circular.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

namespace {

using namespace platter;
using namespace platter::layout_by_timing;

struct Shares {
  double sectors = 0, first_lbn = 0, within_32 = 0, within_100 = 0, within_200 = 0;
  double common_rev = 0;  // by which all angles differ
};

std::uint64_t first_lbn_of_track(const engine::LayoutMap& map, const engine::Track& track) {
  return map.lbn_at_or_after_slot(track.first_slot);
}

// The angle that most of the differences have, their median about it.
double common_angle(const std::vector<double>& offs) {
  std::vector<int> counts(1024, 0);
  for (const double off : offs)
    ++counts[static_cast<std::size_t>(statistics::turn_rev(off) * 1023.999)];
  const auto most = std::ranges::max_element(counts) - counts.begin();
  const double about = (static_cast<double>(most) + 0.5) / 1024;
  std::vector<double> near;
  for (const double off : offs)
    if (std::abs(statistics::wrap_rev(off - about)) < 0.01)
      near.push_back(statistics::wrap_rev(off - about));
  std::ranges::nth_element(near, near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2));
  return about + near[near.size() / 2];
}

Shares judge(const std::vector<Run>& runs, const MediaTiming& media,
             const engine::LayoutMap& truth) {
  constexpr int kBlocks = 200'000;
  std::mt19937_64 random(4711);
  const std::uint32_t unit = media.logical_blocks();
  Shares shares;
  std::vector<double> offs;
  for (int i = 0; i < kBlocks; ++i) {
    const std::uint64_t block = std::uniform_int_distribution<std::uint64_t>(
        0, media.blocks() - 1)(random);
    const std::uint64_t lbn = media.first_lbn() + block * unit + unit - 1;
    const auto after = std::ranges::upper_bound(runs, block, {}, &Run::first);
    if (after == runs.begin()) continue;
    const Run& run = *std::prev(after);
    if (block >= run.end()) continue;
    const std::uint64_t slot = truth.slot_of_lbn(lbn);
    const engine::Track track = truth.track_of_slot(slot);
    if (track.sectors == run.around() * unit) ++shares.sectors;
    const Place place = run.place_of(block);
    std::uint64_t from = std::uint64_t{place.track} * run.slots;
    while (!run.block_at(from)) ++from;
    if (media.first_lbn() + *run.block_at(from) * unit == first_lbn_of_track(truth, track))
      ++shares.first_lbn;
    const double end = engine::rev_from_angle(truth.angle_of_slot(track, slot)) +
                       1.0 / track.sectors;
    offs.push_back(run.end_of_block_rev(block) - end);
  }
  if (offs.empty()) return shares;
  const double common = shares.common_rev = common_angle(offs);
  for (const double off : offs) {
    const double error = std::abs(statistics::wrap_rev(off - common));
    shares.within_32 += error < 1.0 / 32, shares.within_100 += error < 0.01,
        shares.within_200 += error < 0.005;
  }
  for (double* share : {&shares.sectors, &shares.first_lbn, &shares.within_32, &shares.within_100,
                        &shares.within_200})
    *share *= 100.0 / kBlocks;
  return shares;
}

struct Settings {
  std::vector<std::string> drives;
  double budget_s = 0;
  std::uint64_t seed = 1;
  bool verify = false, runs = false, surfaces = false;
};

// Where along a long run angles are wrong by more than a hundredth of a turn, in sixteenths.
std::string wrong_parts(const Run& run, const MediaTiming& media, const engine::LayoutMap& truth,
                        double common_rev) {
  constexpr std::uint32_t kLong = 200, kParts = 16, kReads = 16;
  if (run.tracks < kLong) return {};
  std::string parts;
  int wrong = 0;
  for (std::uint64_t read = 0; read < kParts * kReads; ++read) {
    const std::uint64_t block = run.first + run.blocks() * (2 * read + 1) / (2 * kParts * kReads);
    const std::uint64_t lbn = media.first_lbn() + block * media.logical_blocks() +
                              media.logical_blocks() - 1;
    const std::uint64_t slot = truth.slot_of_lbn(lbn);
    const engine::Track track = truth.track_of_slot(slot);
    const double end = engine::rev_from_angle(truth.angle_of_slot(track, slot)) +
                       1.0 / track.sectors;
    if (std::abs(statistics::wrap_rev(run.end_of_block_rev(block) - end - common_rev)) > 0.01)
      ++wrong;
    if (read % kReads + 1 < kReads) continue;
    parts += wrong == 0 ? '.' : wrong < 2 ? '1' : wrong < static_cast<int>(kReads) / 2 ? 'x' : 'X';
    wrong = 0;
  }
  return parts == std::string(kParts, '.') ? std::string() : ", wrong " + parts;
}

// By run: where its first track begins in truth, in blocks.
void print_runs(const Mapper& mapper, const MediaTiming& media, const engine::LayoutMap& truth,
                double common_rev) {
  for (const Run& run : mapper.runs()) {
    const std::uint64_t lbn = media.first_lbn() + run.first * media.logical_blocks();
    const engine::Track track = truth.track_of_slot(truth.slot_of_lbn(lbn));
    const auto off = (static_cast<std::int64_t>(lbn) -
                      static_cast<std::int64_t>(first_lbn_of_track(truth, track))) /
                     media.logical_blocks();
    fmt::print("  {:>11} {:>4} tracks of {:>4}, skew {:.4f}", run.first, run.tracks, run.around(),
               run.skew_rev);
    fmt::print(", place {:>3}, {}{}{}", run.ring_place,
               run.standing == Standing::seen           ? "seen"
               : run.standing == Standing::interpolated ? "interpolated"
                                                        : "guessed",
               run.after_gap ? ", after a gap" : "", run.same_band ? ", same band" : "");
    fmt::print(", head {}", track.head);
    if (run.slots * media.logical_blocks() != track.sectors)
      fmt::print(", in truth of {}", track.sectors / media.logical_blocks());
    if (off != 0) fmt::print(", begins {} behind a track's beginning", off);
    if (run.tail > 0) fmt::print(", tail {}", run.tail);
    for (const Loss& loss : run.losses) fmt::print(", lost {} at {}", loss.sectors, loss.behind);
    fmt::print("{}", wrong_parts(run, media, truth, common_rev));
    fmt::print("\n");
  }
}

// Of blocks up to 70 bands of truth apart.
double right_pairs(const engine::LayoutMap& found, const engine::LayoutMap& truth,
                   std::uint64_t blocks, std::uint64_t band) {
  constexpr int kPairs = 100'000;
  std::mt19937_64 random(4711);
  const auto drawn = [&](std::uint64_t below) {
    return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random);
  };
  const auto head = [](const engine::LayoutMap& map, std::uint64_t lbn) {
    return map.track_of_slot(map.slot_of_lbn(lbn)).head;
  };
  int right = 0;
  for (int i = 0; i < kPairs; ++i) {
    const std::uint64_t a = drawn(blocks), b = (a + drawn(70 * band)) % blocks;
    right += (head(found, a) == head(found, b)) == (head(truth, a) == head(truth, b));
  }
  return static_cast<double>(right) / kPairs;
}

// Blocks of the usual run.
std::uint64_t blocks_of_band(std::span<const Run> runs) {
  std::vector<std::uint64_t> blocks;
  for (const Run& run : runs) blocks.push_back(run.blocks());
  std::ranges::sort(blocks);
  return blocks[blocks.size() / 2];
}

void print_surfaces(Mapper& mapper, const MediaTiming& media, scsi::Drive& drive,
                    const engine::LayoutMap& truth) {
  const std::uint64_t unit = media.logical_blocks();
  std::vector<Run> runs = without_gaps(mapper.runs(),
                                       (drive.blocks() - media.first_lbn() + unit - 1) / unit);
  take_common_skews(runs);
  const Nanoseconds began_ns = drive.now_ns();
  SurfaceOptions how;
  how.most_ns = from_ms(30e3);
  const Surfaces surfaces = surfaces_of_map(mapper, runs, how);
  const model::Layout layout = to_layout(
      runs, {drive.blocks(), media.logical_blocks(), media.first_lbn()}, surfaces);
  const double pairs = right_pairs(engine::LayoutMap(layout), truth, drive.blocks(),
                                   blocks_of_band(runs) * unit);
  fmt::print("  surfaces: {:.1f} s, {} for {}, {}; pairs {:.3f} %",
             to_ms(drive.now_ns() - began_ns) / 1e3, surfaces.heads, truth.heads(),
             surfaces.in_words(), 100 * pairs);
  if (const auto& found = surfaces.measured)
    fmt::print("; {} moves, {} groups, {} shifts, chance {:.4f}, fit {:.2f}, contrast {:.3f}",
               found->moves, found->groups, found->shifts, found->best.chance, found->best.fit,
               found->contrast_rev);
  fmt::print("\n");
}

void run(const std::string& name, const Settings& how) {
  const auto device = virtual_drive::open_virtual(
      fmt::format("{}{}seed={}", name, name.find('?') == std::string::npos ? "?" : "&", how.seed));
  const model::DriveModel model = virtual_drive::virtual_model(name);
  const engine::LayoutMap truth(model.layout);
  scsi::Guard guard(*device, scsi::Permission{true, {}});
  scsi::Drive drive(guard, name);
  drive.identify();
  mtbrc::Context context(drive, how.seed);
  const mtbrc::WayToMedia way = mtbrc::find_way_to_media(context, drive.blocks() / 2);
  context.probe = how.verify ? mtbrc::Probe::verify : way.probe;
  context.reads_once = way.reads_once && !how.verify;
  mtbrc::RotationOptions rotation;
  rotation.target_relative_error = 1.5e-6;
  mtbrc::measure_rotation(context, drive.blocks() / 2, rotation);
  MapperOptions options;
  options.seed = how.seed;
  if (how.budget_s > 0) options.deadline_ns = static_cast<Nanoseconds>(how.budget_s * 1e9);
  MediaTiming media(context);
  Mapper mapper(media, context.period_ns(), options);
  const std::clock_t began = std::clock();
  mapper.map();
  const double processor_s = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  const Shares shares = judge(mapper.runs(), media, truth);
  const MapperCounts& counts = mapper.counts();
  fmt::print(
      "{:<28} {:>7.1f} s  sectors {:>7.3f} %  1/32 {:>7.3f} %  1/100 {:>7.3f} %  1/200 {:>7.3f} %  "
      "first LBN {:>7.3f} %{}\n",
      name, static_cast<double>(drive.now_ns()) * 1e-9, shares.sectors, shares.within_32,
      shares.within_100, shares.within_200, shares.first_lbn,
      mapper.complete() ? "" : "  (not to its end)");
  fmt::print(
      "  {} commands, {:.1f} s of processor; {} tracks in {} runs; {} walks, {} followed, {} "
      "predicted, {} losses, {} other formats, {} taken back, {} begun anew, {} patterns (period "
      "{}); jitter {:.5f} rev\n",
      drive.commands(), processor_s, truth.tracks(), mapper.runs().size(), counts.walks,
      counts.followed, counts.bands_predicted, counts.losses, counts.formats, counts.taken_back,
      counts.begun_anew, counts.patterns, mapper.pattern() ? mapper.pattern()->period() : 0,
      mapper.frame().jitter().sigma_rev);
  if (how.runs) print_runs(mapper, media, truth, shares.common_rev);
  if (how.surfaces) print_surfaces(mapper, media, drive, truth);
}

}  // namespace

int main(int argc, char** argv) {
  Settings how;
  CLI::App app{"Maps of virtual drives by timing alone, compared with the truth"};
  app.add_option("drives", how.drives, "virtual drives")->required();
  app.add_option("--budget", how.budget_s,
                 "seconds of the drive's time (default: as long as it takes)");
  app.add_option("--seed", how.seed, "of the drive's noise and of the mapper");
  app.add_flag("--verify", how.verify, "reach the media with VERIFY alone");
  app.add_flag("--runs", how.runs, "print every run, and where its first track begins in truth");
  app.add_flag("--surfaces", how.surfaces, "find the surfaces, by moves of at most 30 s");
  CLI11_PARSE(app, argc, argv);
  for (const std::string& drive : how.drives) {
    try {
      run(drive, how);
    } catch (const platter::Error& error) {
      fmt::print("{}: {}\n", drive, error.what());
    }
  }
  return 0;
}
