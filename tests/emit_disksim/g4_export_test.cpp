#include "emit/disksim/g4_export.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "catch.h"
#include "emit/disksim/export.h"
#include "emit/disksim/import.h"
#include "engine/layout_map.h"
#include "folder.h"
#include "model/seek_curve.h"
#include "virtual_drive/open.h"

namespace platter::emit_disksim {
namespace {

const std::int64_t kMostPlaces = most_counted(Program::cmu4);

struct Found {
  std::int64_t cylinder = 0, sector = 0;
  std::uint32_t head = 0, sectors = 0;
  double angle_rev = 0;
};

// DiskSim's two ways through a layout g4, each from entry to entry: the first entry that matches is
// taken, and none is tried again.
class AsDiskSim {
 public:
  explicit AsDiskSim(const G4Layout& layout) : layout_(layout) {}

  Found of_lbn(std::int64_t lbn) const {
    std::int64_t place = lbn;
    for (const SlippedPlaces& slip : layout_.slips)
      if (slip.place <= place) place += slip.count;
    // The root's first entry counts once more.
    const G4Entry& first = layout_.indices.back().front();
    Found found{first.cylinder, 0, 0, 0, first.angle_rev};
    const G4Index* index = &layout_.indices.back();
    while (true) {
      const auto entry = std::ranges::find_if(*index, [&](const G4Entry& e) {
        return e.place <= place && place < e.place + e.run_places;
      });
      REQUIRE(entry != index->end());
      const std::int64_t number = (place - entry->place) / entry->places;
      place = (place - entry->place) % entry->places;
      found.cylinder += entry->cylinder +
                        (entry->run_cylinders < 0 ? -number : number) * entry->cylinders;
      found.angle_rev += entry->angle_rev + static_cast<double>(number) * entry->turn_rev;
      if (!entry->is_track) {
        index = &layout_.indices[entry->child];
        continue;
      }
      const G4Pattern& pattern = layout_.patterns[entry->child];
      REQUIRE(place < pattern.places);
      found.head = entry->head;
      found.sector = place;
      found.sectors = pattern.sectors;
      found.angle_rev += static_cast<double>(place) / pattern.sectors;
      return found;
    }
  }

  // nullopt: DiskSim finds no block there.
  std::optional<std::int64_t> lbn_at(const Found& at) const {
    std::int64_t cylinder = at.cylinder, place = 0;
    const G4Index* index = &layout_.indices.back();
    while (true) {
      const auto entry = std::ranges::find_if(*index, [&](const G4Entry& e) {
        const std::int64_t low = e.run_cylinders > 0 ? e.cylinder
                                                     : e.cylinder + e.run_cylinders + 1;
        const std::int64_t end = low + std::abs(e.run_cylinders);
        return low <= cylinder && cylinder < end && (!e.is_track || e.head == at.head);
      });
      if (entry == index->end()) return std::nullopt;
      const std::int64_t number = std::abs((cylinder - entry->cylinder) / entry->cylinders);
      cylinder = (cylinder - entry->cylinder) % entry->cylinders;
      place += entry->place + number * entry->places;
      if (!entry->is_track) {
        index = &layout_.indices[entry->child];
        continue;
      }
      if (at.sector >= layout_.patterns[entry->child].places) return std::nullopt;
      place += at.sector;
      break;
    }
    std::int64_t slipped = 0;
    for (const SlippedPlaces& slip : layout_.slips) {
      if (slip.place <= place && place < slip.place + slip.count) return std::nullopt;
      if (slip.place <= place) slipped += slip.count;
    }
    return place - slipped;
  }

 private:
  const G4Layout& layout_;
};

void require_found(const model::Layout& layout, const G4Layout& g4, std::mt19937_64& random) {
  const engine::LayoutMap map(layout);
  const AsDiskSim disksim(g4);
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t lbn = i == 0 ? 0 : i == 1 ? map.blocks() - 1 : random() % map.blocks();
    INFO("LBN " << lbn);
    const Found found = disksim.of_lbn(static_cast<std::int64_t>(lbn));
    const engine::Pbn at = map.pbn_of_lbn(lbn);
    REQUIRE(found.cylinder == at.cylinder);
    REQUIRE(found.head == at.head);
    const double off = found.angle_rev - engine::rev_from_angle(map.angle_of_lbn(lbn));
    REQUIRE(std::fabs(off - std::round(off)) < 1e-6);
    REQUIRE(disksim.lbn_at(found) == static_cast<std::int64_t>(lbn));
    REQUIRE(found.sectors == map.track_of_slot(map.slot_of_lbn(lbn)).sectors);
  }
}

TEST_CASE("a layout g4 says where the blocks are, and DiskSim finds its way back") {
  std::mt19937_64 random(5);
  for (const char* name : {"quantum-atlas10k",
                           "seagate-cheetah9lp",
                           "hp-c2247",
                           "maxtor-atlas10k4",
                           "spare-track",
                           "spare-cylinder",
                           "spare-cylinder-front",
                           "spare-cylinder-group",
                           "spare-mixed-tracks",
                           "many-defects",
                           "head-density",
                           "serpentine-147gb",
                           "sas-147gb",
                           "modern-500gb",
                           "random-1",
                           "random-2",
                           "random-3",
                           "random-5",
                           "random-7",
                           "random-11",
                           "random-19"}) {
    INFO(name);
    model::Layout layout = virtual_drive::virtual_model("virtual:" + std::string(name)).layout;
    layout.remaps.clear();
    const G4Layout g4 = express_as_g4(layout, kMostPlaces);
    require_found(layout, g4, random);
    if (!std::string_view(name).starts_with("random")) CHECK(g4_text(g4).size() < 400'000);
  }
}

TEST_CASE("what repeats is said once") {
  const auto bytes = [](const char* name) {
    const model::DriveModel model = virtual_drive::virtual_model(std::string("virtual:") + name);
    return g4_text(express_as_g4(model.layout, kMostPlaces)).size();
  };
  CHECK(bytes("spare-disk") < 25'000);         // 72,200 tracks
  CHECK(bytes("head-density") < 50'000);       // each head with its own sectors per track
  CHECK(bytes("serpentine-147gb") < 120'000);  // bands on each surface
}

// 100 cylinders of 2 heads, 50 sectors a track.
model::Layout small_layout(std::int32_t first_cylinder) {
  model::LayoutNode track, cylinder;
  track.count = 2;
  track.head_step = 1;
  track.sectors = 50;
  track.angle_step_rev = 0.1;
  cylinder.count = 100;
  cylinder.cylinder_step = 1;
  cylinder.angle_step_rev = 0.3;
  cylinder.angle_rev = 0.25;
  cylinder.cylinder = first_cylinder;
  cylinder.children = {track};
  model::Layout layout;
  layout.zones = {cylinder};
  return layout;
}

TEST_CASE("DiskSim adds the root's first entry to all others and stops without slips") {
  const G4Layout g4 = express_as_g4(small_layout(7), kMostPlaces);
  const G4Entry& first = g4.indices.back().front();
  CHECK(first.cylinder == 0);
  CHECK(first.angle_rev == 0);
  std::mt19937_64 random(1);
  require_found(small_layout(7), g4, random);
  CHECK(g4.slips.empty());
  CHECK(g4_text(g4).find("Slips = [\n      0, 0 ]") != std::string::npos);
}

TEST_CASE(
    "a layout of millions of tracks alone, or of gaps, is refused before they fill the memory") {
  const auto refused = [](const model::Layout& layout, const std::string& why) {
    CHECK_THROWS_WITH(express_as_g4(layout, kMostPlaces), Catch::Contains(why));
  };
  model::Layout layout;  // cylinders of one track, each second one
  layout.zones = {{.count = 6'000'000, .cylinder_step = 2, .sectors = 10, .children = {}}};
  refused(layout, "more than 5000000 tracks that do not continue a run");
  layout.zones[0].cylinder_step = 1;
  layout.skips = {{5, 1, 6'000'000, 10}};
  refused(layout, "more than 5000000 runs of sectors without a block");
}

TEST_CASE("DiskSim is told as many blocks as it needs to find the last") {
  const auto count = [](std::vector<model::Skip> skips) {
    model::Layout layout = small_layout(0);
    layout.skips = std::move(skips);
    return express_as_g4(layout, kMostPlaces).block_count;
  };
  CHECK(count({{4020, 3, 1, 0}}) == 9997);
  // Behind place 9995, the last block's number: it counts from there on.
  CHECK(count({{4020, 3, 1, 0}, {9997, 1, 1, 0}}) == 9997);
  // On it: then DiskSim takes one less than without it.
  CHECK(count({{4020, 3, 1, 0}, {9995, 1, 1, 0}}) == 9997);

  model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  model.layout = small_layout(0);
  model.layout.skips = {{4020, 3, 1, 0}, {9995, 1, 1, 0}};
  model.identity.blocks = 9996;
  const Folder folder;
  const Exported exported = export_disksim(model, folder / "out", {"d", LayoutType::g4});
  const std::string text = model::read_file(folder / "out/d.model");
  CHECK(text.find("  Block count = 9997,") != std::string::npos);
  CHECK(model::read_file(folder / "out/d.parv").find("Stripe unit = 9996,") != std::string::npos);
  const auto told = [&](std::string_view what) {
    return std::ranges::count_if(exported.warnings, [what](const std::string& warning) {
      return warning.find(what) != std::string::npos;
    });
  };
  CHECK(told("Block count = 9997, 1 more than there are") == 1);
  CHECK(told("should end in front of block 9740:") == 1);  // a segment of 256 blocks less
}

TEST_CASE("which layout is written follows from what DiskSim does with it") {
  struct Case {
    const char* drive;
    LayoutType asked;
    const char* layout;
    double zero_latency;  // of 1 in the model
  };
  for (const Case& one : {Case{"cache-base", LayoutType::automatic, "dm_layout_g1", 1},
                          {"cache-base", LayoutType::g4, "dm_layout_g4", 0},
                          {"head-density", LayoutType::automatic, "dm_layout_g4", 0},
                          {"spare-cylinder", LayoutType::automatic, "dm_layout_g4", 0},  // remaps
                          {"spare-cylinder", LayoutType::g1, "dm_layout_g1", 1}}) {
    INFO(one.drive << " " << one.layout);
    const Folder folder;
    model::DriveModel model = virtual_drive::virtual_model("virtual:" + std::string(one.drive));
    model.cache.zero_latency_read.value = 1;
    model.cache.zero_latency_write.value = 0;
    const Exported exported = export_disksim(model, folder / "out", {"", one.asked});
    CHECK(exported.layout == one.layout);
    CHECK(import_disksim(exported.files[0]).model.cache.zero_latency_read.value ==
          one.zero_latency);
    const auto told = [&](std::string_view what) {
      return std::ranges::count_if(exported.warnings, [what](const std::string& warning) {
        return warning.find(what) != std::string::npos;
      });
    };
    CHECK(told("Immediate buffer read = 1") == 1);
    CHECK(told("Immediate buffer write") == 0);
    CHECK(told("remapped") == (model.layout.remaps.empty() ? 0 : 1));
  }
}

// Its way back from place to block forgets slips: a track would begin with another block.
TEST_CASE("for the 64-bit DiskSim no sector is passed over, and that is said") {
  model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  model.layout = small_layout(0);
  model.layout.skips = {{4020, 3, 1, 0}, {9995, 1, 1, 0}};
  model.identity.blocks = 9996;
  const Folder folder;
  const Exported exported = export_disksim(model, folder / "out",
                                           {"d", LayoutType::automatic, Program::wd64});
  CHECK(exported.layout == "dm_layout_g4");
  CHECK(std::ranges::any_of(exported.warnings, [](const std::string& warning) {
    return warning.starts_with("4 places that hold no block are not passed over");
  }));
  const model::DriveModel back = import_disksim(exported.files[0]).model;
  CHECK(back.identity.blocks == 9996);
  CHECK(model::read_file(folder / "out/d.model").find("Slips = [\n      0, 0 ]") !=
        std::string::npos);
}

TEST_CASE("times of writes' seeks go to a dual seek profile and come back") {
  const Folder folder;
  const model::DriveModel model = virtual_drive::virtual_model("virtual:seeks-apart");
  const auto back = [&](Program dialect) {
    return import_disksim(
               export_disksim(model, folder / "out", {"", LayoutType::automatic, dialect}).files[0])
        .model;
  };
  CHECK(!back(Program::cmu4).write_seek);
  const model::DriveModel dual = back(Program::wd);
  REQUIRE(dual.write_seek);
  const model::Seek wanted = model::write_seek(model), reads = model::mean_seek(model);
  for (const model::SeekPoint& point : wanted.points)
    if (point.cylinders > 0) {
      CHECK(model::seek_time_ms(*dual.write_seek, point.cylinders) == Approx(point.time_ms));
      CHECK(model::seek_time_ms(dual.seek, point.cylinders) ==
            Approx(model::seek_time_ms(reads, point.cylinders)));
    }
}

}  // namespace
}  // namespace platter::emit_disksim
