// What lies in the media cache of a shingled drive is found, wherever its home is; what a map has
// at a wrong angle, and blocks that were replaced, are not taken for that.
#include "mtbrc/displaced_extents.h"

#include <algorithm>

#include "catch.h"
#include "engine/layout_map.h"
#include "scsi/drive.h"
#include "scsi/guard.h"
#include "virtual_drive/imperfections.h"
#include "virtual_drive/open.h"
#include "virtual_drive/virtual_device.h"

using namespace platter;
using namespace platter::mtbrc;

namespace {

model::DriveModel shingled_by_hand(std::uint64_t seed, std::vector<LbnRange> displaced) {
  model::DriveModel model = virtual_drive::virtual_model("virtual:quantum-atlas10k");
  model.imperfections = virtual_drive::default_imperfections(seed);
  model::Shingling& shingling = model.shingling.emplace();
  shingling.kind = "drive-managed";
  shingling.band_blocks.value = 15 * 2048;
  shingling.media_cache_blocks.value = 1200 * 2048;
  shingling.map_entries.value = 1500;
  shingling.cleans_when_idle.value = 0;
  shingling.displaced = std::move(displaced);
  return model;
}

// With that map of it, at whose angle 0 the run's reference begins.
DisplacedExtents displaced_on(const model::DriveModel& truth, model::DriveModel model,
                              Nanoseconds deadline_ns = 0, double reference_at = 0.5) {
  virtual_drive::VirtualDevice device(truth, "a shingled drive");
  scsi::Guard guard(device, {});
  scsi::Drive drive(guard, "the drive");
  drive.identify();
  drive.settings().set_cache(false, true, true);
  Context context(drive, 5);
  context.rotation = truth.rotation;
  estimate::Sample reference;
  reference.experiment = estimate::Experiment::anchor;
  reference.lbn = static_cast<std::uint64_t>(reference_at * static_cast<double>(drive.blocks()));
  context.samples.push_back(reference);
  const engine::LayoutMap true_map(truth.layout);
  const double angle_rev = engine::rev_from_angle(true_map.angle_of_lbn(reference.lbn));
  for (model::LayoutNode& zone : model.layout.zones) zone.angle_rev -= angle_rev;
  const engine::LayoutMap map(model.layout);
  context.map = &map;
  context.deadline_ns = deadline_ns > 0 ? drive.now_ns() + deadline_ns : 0;
  return find_displaced_extents(context, model);
}

constexpr std::uint64_t kMb_blocks = 1'000'000 / 512;

}  // namespace

TEST_CASE("extents that are away are found near the outer edge, too, and their ends") {
  const std::vector<LbnRange> away{{300'000, 300'000 + 11 * kMb_blocks},
                                   {900'123, 900'123 + 10 * kMb_blocks},
                                   {3'000'000, 3'000'000 + 60 * kMb_blocks},
                                   {9'100'777, 9'100'777 + 12 * kMb_blocks},
                                   {17'000'000, 17'000'000 + 10 * kMb_blocks}};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const model::DriveModel truth = shingled_by_hand(seed, away);
    const DisplacedExtents found = displaced_on(truth, truth);
    CHECK(found.from_blocks <= 10 * kMb_blocks + 1);
    REQUIRE(found.extents.size() == away.size());
    for (std::size_t i = 0; i < away.size(); ++i) {
      INFO("seed " << seed << ", extent " << i << ": from " << found.extents[i].first << " to "
                   << found.extents[i].last);
      CHECK(std::llabs(static_cast<long long>(found.extents[i].first - away[i].first)) < 1000);
      CHECK(std::llabs(static_cast<long long>(found.extents[i].last - away[i].last)) < 1000);
    }
  }
}

TEST_CASE("what is away is not at home where the run's reference is nearer to the outer edge") {
  std::vector<LbnRange> away;
  for (std::uint64_t lbn = 12'000'000; lbn < 17'500'000; lbn += 180'000)
    away.push_back({lbn, lbn + 30 * kMb_blocks});
  std::uint64_t all = 0, outside = 0;
  const std::uint64_t seeds = 40;
  for (std::uint64_t seed = 11; seed < 11 + seeds; ++seed) {
    const model::DriveModel truth = shingled_by_hand(seed, away);
    const DisplacedExtents found = displaced_on(truth, truth, 0, 0.25);
    all += found.extents.size();
    for (const LbnRange& range : found.extents)
      for (std::uint64_t lbn = range.first; lbn <= range.last; lbn += 100)
        outside += std::ranges::any_of(away,
                                       [&](const LbnRange& one) {
                                         return one.first <= lbn + 1000 && lbn <= one.last + 1000;
                                       })
                       ? 0
                       : 1;
  }
  CHECK(outside == 0);
  CHECK(all >= seeds * away.size() - 2);
  CHECK(all <= seeds * away.size());
}

TEST_CASE("what a map has at a wrong angle is not told, and not away") {
  const model::DriveModel truth = shingled_by_hand(7, {{9'100'777, 9'100'777 + 12 * kMb_blocks}});
  model::DriveModel wrong = truth;
  REQUIRE(wrong.layout.zones.size() > 3);
  wrong.layout.zones[2].angle_rev += 0.3;
  const engine::LayoutMap map(truth.layout);
  const DisplacedExtents found = displaced_on(truth, wrong);
  CHECK(found.extents.size() == 1);
  std::uint64_t zone_blocks = 0, untold = 0;
  for (std::uint64_t lbn = 0; lbn < map.blocks(); lbn += 1000)
    if (map.track_of_slot(map.slot_of_lbn(lbn)).zone == 2) zone_blocks += 1000;
  for (const LbnRange& range : found.untold)
    if (range.first > 0) untold += range.last + 1 - range.first;  // but for the outer edge
  CHECK(untold > zone_blocks * 9 / 10);
  CHECK(untold < zone_blocks + 60 * kMb_blocks);
}

TEST_CASE("blocks that were replaced one by one are not away") {
  model::DriveModel truth = shingled_by_hand(8, {});
  // A scratch of some hundred blocks, replaced by spares of the last track.
  std::uint64_t spare = engine::LayoutMap(truth.layout).slots() - 450;
  truth.layout.skips = {{spare, 450}};
  truth.layout.remaps.clear();
  truth.identity.blocks = engine::LayoutMap(truth.layout).blocks();
  const model::DriveModel known = truth;
  for (std::uint64_t lbn = 4'000'000; lbn < 4'400'000; lbn += 997)
    truth.layout.remaps.push_back({lbn, spare++});
  const DisplacedExtents found = displaced_on(truth, known);
  for (const LbnRange& range : found.extents)
    UNSCOPED_INFO("from " << range.first << " to " << range.last);
  CHECK(found.extents.empty());
}

TEST_CASE("with little time probes lie further apart, and the rest is untold") {
  const model::DriveModel truth = shingled_by_hand(9, {{3'000'000, 3'000'000 + 60 * kMb_blocks}});
  const DisplacedExtents found = displaced_on(truth, truth, 400 * kMillisecond);
  CHECK(found.from_blocks > 20 * kMb_blocks);
  CHECK(found.extents.size() <= 1);
}
