#include "emit/disksim/export.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "catch.h"
#include "emit/disksim/g1_export.h"
#include "emit/disksim/import.h"
#include "emit/disksim/parameter_text.h"
#include "engine/layout_map.h"
#include "folder.h"
#include "model/error.h"
#include "model/json.h"
#include "model/parameters.h"
#include "model/seek_curve.h"
#include "source_folder.h"
#include "virtual_drive/catalogue.h"
#include "virtual_drive/open.h"

namespace platter::emit_disksim {
namespace {

const ExportOptions kG1{"", LayoutType::g1, Program::cmu4};
const std::int64_t kCounted = most_counted(Program::cmu4);

// The worst angle among the LBNs looked at; every one must be on its cylinder and head.
double worst_angle(const model::Layout& wanted, const model::Layout& got, std::uint64_t step = 1) {
  const engine::LayoutMap a(wanted), b(got);
  REQUIRE(a.blocks() == b.blocks());
  double worst = 0;
  for (std::uint64_t lbn = 0; lbn < a.blocks(); lbn += step) {
    const engine::Pbn at = a.pbn_of_lbn(lbn), back = b.pbn_of_lbn(lbn);
    if (at.cylinder != back.cylinder || at.head != back.head) FAIL("LBN " << lbn);
    const double off = engine::rev_from_angle(a.angle_of_lbn(lbn) - b.angle_of_lbn(lbn));
    worst = std::max(worst, std::min(off, 1 - off));
  }
  return worst;
}

model::DriveModel back_from(const model::DriveModel& model, const Folder& folder,
                            const ExportOptions& options = {}) {
  const Exported exported = export_disksim(model, folder / "out", options);
  const Imported back = import_disksim(exported.files[0]);
  CHECK(back.warnings.empty());
  return back.model;
}

void require_same_parameters(const model::DriveModel& wanted, const model::DriveModel& got) {
  const auto a = model::parameters_of(wanted), b = model::parameters_of(got);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(a[i].path);
    // DiskSim knows no such time.
    if (a[i].path == "overheads.address_translation" ||
        a[i].path == "cache.discards_after_transfer")
      continue;
    if (!a[i].parameter || a[i].path.rfind("rotation", 0) == 0) continue;
    // Import takes no bound from scheme 4, as DiskSim has none there.
    if (a[i].path == "cache.read_ahead_max_blocks" && wanted.cache.read_ahead.value == 4) continue;
    CHECK(b[i].parameter.value == a[i].parameter.value);
  }
  for (const model::DisksimParameter& kept : wanted.disksim)
    CHECK(std::ranges::find(got.disksim, kept) != got.disksim.end());
}

TEST_CASE("the five drives survive the way to DiskSim and back") {
  for (const auto& entry : virtual_drive::validated_drives()) {
    INFO(entry.name);
    const Folder folder;
    const model::DriveModel model = virtual_drive::catalogue_model(entry);
    const model::DriveModel back = back_from(model, folder);
    CHECK(worst_angle(model.layout, back.layout, 7) < 1e-6);
    require_same_parameters(model, back);
    CHECK(back.rotation.numerator_ns * model.rotation.denominator ==
          model.rotation.numerator_ns * back.rotation.denominator);
    REQUIRE(back.seek.points.size() == model.seek.points.size());
    for (std::size_t i = 0; i < model.seek.points.size(); ++i) {
      CHECK(back.seek.points[i].cylinders == model.seek.points[i].cylinders);
      CHECK(back.seek.points[i].time_ms == model.seek.points[i].time_ms);
    }
    CHECK(back.bus.block_transfer.value == model.bus.block_transfer.value);
    CHECK(back.bus.write_block_transfer.value == model.bus.write_block_transfer.value);
    CHECK(back.identity.blocks == model.identity.blocks);
    CHECK(back.identity.cylinders == model.identity.cylinders);
  }
}

TEST_CASE("regular spares are written as a scheme, not as slips") {
  const auto scheme = [](std::string_view name) {
    const model::DriveModel model =
        virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue(name));
    const G1Layout g1 = express_as_g1(model.layout, model.identity.heads, 1e-6, kCounted);
    std::size_t slips = 0;
    for (const G1Zone& zone : g1.zones) slips += zone.slips.size();
    return std::to_string(g1.mapping) + " " + std::to_string(g1.sparing) + " " +
           std::to_string(g1.range_cylinders) + " " + std::to_string(g1.zones.size()) + " " +
           std::to_string(slips);
  };
  // Those of the published files; slips among the spares at a zone's end are no slips any more.
  CHECK(scheme("quantum-atlas10k") == "1 9 1 24 64");
  CHECK(scheme("seagate-barracuda4lp") == "0 8 6 11 32");
  CHECK(scheme("hp-c2247").substr(0, 7) == "0 1 1 8");
  CHECK(scheme("ibm-ultrastar18es").substr(0, 8) == "0 7 1 55");
}

// ---------------------------------------------------------------- random drives

std::uint32_t uniform(std::mt19937_64& random, std::uint32_t low, std::uint32_t high) {
  return low + static_cast<std::uint32_t>(random() % (high - low + 1));
}
double uniform_rev(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

model::LayoutNode zone_of(std::uint32_t heads, std::uint32_t cylinders, std::int32_t first,
                          bool serpentine, std::uint32_t sectors, std::mt19937_64& random) {
  const double track_step = uniform_rev(random), cylinder_step = uniform_rev(random);
  model::LayoutNode up;
  up.count = heads;
  up.head_step = 1;
  up.angle_step_rev = track_step;
  up.sectors = sectors;
  model::LayoutNode down = up;
  down.cylinder = 1;
  down.head = static_cast<std::int32_t>(heads) - 1;
  down.head_step = -1;
  down.angle_rev = cylinder_step;
  model::LayoutNode zone, cylinder;
  zone.cylinder = first;
  zone.angle_rev = uniform_rev(random);
  cylinder.count = serpentine ? cylinders / 2 : cylinders;
  cylinder.cylinder_step = serpentine ? 2 : 1;
  cylinder.angle_step_rev = cylinder_step * (serpentine ? 2 : 1);
  cylinder.children = {up};
  if (serpentine) cylinder.children.push_back(down);
  if (cylinder.count > 0) zone.children.push_back(cylinder);
  if (serpentine && cylinders % 2 == 1) {
    up.cylinder = static_cast<std::int32_t>(cylinders) - 1;
    up.angle_rev = cylinder_step * (cylinders - 1);
    zone.children.push_back(up);
  }
  return zone;
}

void add_skips(model::Layout& layout, std::uint64_t slots, std::mt19937_64& random) {
  std::uint64_t at = random() % 3 == 0 ? 0 : uniform(random, 1, 50);
  while (at + 400 < slots) {
    model::Skip skip{at, uniform(random, 1, random() % 4 == 0 ? 90 : 3), 1, 0};
    if (random() % 3 == 0) {
      skip.stride = skip.length + uniform(random, 1, 40);
      skip.count = uniform(random, 2, 5);
    }
    at += (skip.count - 1) * skip.stride + skip.length;
    if (at >= slots) break;
    layout.skips.push_back(skip);
    at += uniform(random, 0, 300);
  }
}

TEST_CASE("random drives survive, with slips, spares and remapped blocks") {
  std::mt19937_64 random(7);
  int remapped = 0, serpentines = 0;
  for (int round = 0; round < 100; ++round) {
    INFO("round " << round);
    model::DriveModel model = virtual_drive::catalogue_model(virtual_drive::catalogue().front());
    const std::uint32_t heads = uniform(random, 1, 9);
    const bool serpentine = random() % 2 == 0;
    serpentines += serpentine ? 1 : 0;
    model.layout = {};
    std::uint64_t slots = 0, first_zone = 0;
    std::uint32_t cylinder = uniform(random, 0, 2);
    for (std::uint32_t zones = uniform(random, 1, 4); zones > 0; --zones) {
      const std::uint32_t cylinders = uniform(random, 1, 40), sectors = uniform(random, 20, 120);
      model.layout.zones.push_back(zone_of(heads, cylinders, static_cast<std::int32_t>(cylinder),
                                           serpentine, sectors, random));
      slots += std::uint64_t{heads} * cylinders * sectors;
      if (first_zone == 0) first_zone = slots;
      cylinder += cylinders + uniform(random, 0, 2);
    }
    add_skips(model.layout, slots, random);
    if (!model.layout.skips.empty() && model.layout.skips[0].first_slot + 40 < first_zone &&
        random() % 2 == 0) {
      model.layout.remaps.push_back({uniform(random, 0, 9), model.layout.skips[0].first_slot});
      ++remapped;
    }
    model.identity.heads = heads;
    model.identity.cylinders = cylinder;
    model.identity.blocks = engine::LayoutMap(model.layout).blocks();
    const Folder folder;
    const model::DriveModel back = back_from(model, folder, kG1);
    CHECK(worst_angle(model.layout, back.layout) < 1e-6);
    CHECK(back.layout.remaps.size() == model.layout.remaps.size());
  }
  CHECK(remapped > 10);
  CHECK(serpentines > 25);
}

TEST_CASE("random regular spares find their scheme again") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t heads = uniform(random, 1, 5), range = uniform(random, 1, 4),
                        sectors = uniform(random, 20, 60);
    const std::uint32_t cylinders = range * uniform(random, 3, 8);
    const bool per_track = round % 2 == 0;
    if (heads * range == 1) continue;  // a track is a cylinder: both schemes say the same
    model::Layout layout;
    layout.zones.push_back(zone_of(heads, cylinders, 0, false, sectors, random));
    const std::uint64_t unit = per_track ? sectors : std::uint64_t{heads} * range * sectors;
    const std::uint64_t spares = uniform(random, 1, 9);
    layout.skips.push_back(
        {unit - spares, spares, std::uint64_t{heads} * cylinders * sectors / unit, unit});
    const G1Layout g1 = express_as_g1(layout, heads, 1e-6, kCounted);
    CHECK(g1.sparing == (per_track ? 3 : 8));
    if (!per_track) CHECK(g1.range_cylinders == static_cast<int>(range));
    CHECK(g1.zones[0].slips.empty());
    CHECK(g1.zones[0].spares == static_cast<std::int64_t>(spares));
  }
}

// ---------------------------------------------------------------- characterized models

TEST_CASE("characterized models are written as exactly as their angles are known") {
  for (const char* name : {"characterized-atlas10k", "characterized-alien"}) {
    INFO(name);
    const Folder folder;
    model::DriveModel model =
        model::load_model(source_folder() + "/tests/golden/disksim/" + std::string(name) + ".json");
    model.cache.zero_latency_write = {};  // which DiskSim does not have with a layout g1
    const Exported exported = export_disksim(model, folder / "out", kG1);
    const model::DriveModel back = import_disksim(exported.files[0]).model;
    CHECK(worst_angle(model.layout, back.layout, 11) < 5 * *model.layout.angle.error);
    require_same_parameters(model, back);
    for (const model::SeekPoint& point : model.seek.points) {
      CHECK(model::seek_time_ms(back.seek, point.cylinders) == Approx(point.time_ms).margin(1e-9));
    }
    // The measured period is no whole number of revolutions a minute: that is said, in numbers.
    const auto rpm = std::find_if(
        exported.warnings.begin(), exported.warnings.end(), [](const std::string& warning) {
          return warning.find("whole revolutions a minute") != std::string::npos;
        });
    CHECK(rpm != exported.warnings.end());
    const std::string head = model::read_file(exported.files[0]).substr(0, 4000);
    CHECK(head.find("Not known of this drive") != std::string::npos);
    CHECK(head.find("Differs from the model: DiskSim takes whole") != std::string::npos);
  }
}

TEST_CASE(
    "without a level of preseeking the files have 0, at which DiskSim reads ahead for whoever "
    "comes next") {
  const Folder folder;
  model::DriveModel model = virtual_drive::virtual_model("virtual:quantum-atlas10k");
  const auto written = [&](const char* name, std::size_t& told) {
    const Exported exported = export_disksim(model, folder / name);
    told = static_cast<std::size_t>(std::ranges::count_if(
        exported.warnings,
        [](const std::string& warning) { return warning.starts_with("Preseeking level = 0"); }));
    return import_disksim(exported.files[0]).model.queue.preseeking.value;
  };
  std::size_t told = 0;
  model.queue.preseeking = {};
  CHECK(written("unknown", told) == 0);
  CHECK(told == 1);
  model.queue.preseeking.value = 2;
  CHECK(written("known", told) == 2);
  CHECK(told == 0);
}

TEST_CASE(
    "a time in front of every command is part of the command overheads: not every DiskSim has "
    "another place") {
  const Folder folder;
  model::DriveModel model = virtual_drive::virtual_model("virtual:quantum-atlas10k");
  model::Overheads& all = model.overheads;
  all.per_request.value = 0.25;
  all.read_hit_after_write = {};  // to the engine, and so to DiskSim, as after a read
  all.extra_write_disconnect.value = 1;
  const Exported exported = export_disksim(model, folder / "out");
  const model::Overheads back = import_disksim(exported.files[0]).model.overheads;
  CHECK(back.per_request.value == 0);
  CHECK(*back.read_hit_after_write.value == Approx(*all.read_hit_after_read.value + 0.25));
  using Member = model::Parameter model::Overheads::*;
  for (const auto member : std::initializer_list<Member>{
           &model::Overheads::read_hit_after_read, &model::Overheads::read_miss_after_read,
           &model::Overheads::read_miss_after_write, &model::Overheads::write_hit_after_read,
           &model::Overheads::write_hit_after_write, &model::Overheads::write_miss_after_read,
           &model::Overheads::write_miss_after_write, &model::Overheads::extra_disconnect_command})
    CHECK(*(back.*member).value == Approx(*(all.*member).value + 0.25));
  CHECK(*back.read_completion.value == *all.read_completion.value);
  CHECK(std::ranges::any_of(exported.warnings, [](const std::string& warning) {
    return warning.starts_with("overheads.per_request = 0.25 ms is part of each command overhead");
  }));
}

TEST_CASE("seeks outward and of writes become one curve, and that is said") {
  const Folder folder;
  const model::DriveModel model = virtual_drive::virtual_model("virtual:seeks-apart");
  const Exported exported = export_disksim(model, folder / "out");
  const model::DriveModel back = import_disksim(exported.files[0]).model;
  CHECK(model::seek_time_ms(back.seek, 1) ==
        Approx((model::seek_time_ms(model.seek, 1) + model::seek_time_ms(*model.outward_seek, 1)) /
               2));
  for (const char* curve : {"outward_seek", "write_seek"})
    CHECK(std::ranges::any_of(exported.warnings, [curve](const std::string& warning) {
      return warning.starts_with(curve);
    }));
}

// ---------------------------------------------------------------- what cannot be said

std::string why_not(const model::Layout& layout, std::uint32_t heads) {
  try {
    express_as_g1(layout, heads, 1e-6, kCounted);
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::unsupported);
    return error.what();
  }
  return "accepted";
}

TEST_CASE("what DiskSim cannot express is named") {
  std::mt19937_64 random(3);
  model::LayoutNode run;
  run.count = 4;
  run.cylinder_step = 1;
  run.sectors = 10;
  model::LayoutNode other = run;
  other.head = 1;
  other.cylinder = 3;
  other.cylinder_step = -1;
  model::Layout surface;
  surface.zones = {run, other};
  CHECK(
      why_not(surface, 2).find("LBNs go back from cylinder 3 to 2 (as in a surface serpentine)") !=
      std::string::npos);

  model::LayoutNode cylinder;
  cylinder.count = 3;
  cylinder.cylinder_step = 1;
  model::LayoutNode a, b;
  a.sectors = 10;
  b.sectors = 11;
  b.head = 1;
  cylinder.children = {a, b};
  model::Layout adaptive;
  adaptive.zones = {cylinder};
  CHECK(why_not(adaptive, 2)
            .find("the tracks of cylinder 0 differ in their number of sectors (10 and 11)") !=
        std::string::npos);

  model::Layout remapped;
  remapped.zones = {zone_of(2, 4, 0, false, 10, random), zone_of(2, 4, 4, false, 9, random)};
  remapped.skips = {{150, 2, 1, 0}};
  remapped.remaps = {{5, 150}};
  CHECK(why_not(remapped, 2).find("block 5 is remapped into another zone") != std::string::npos);

  model::Layout uneven;
  model::LayoutNode third = a;
  b.sectors = 10;
  b.angle_rev = 0.3;
  third.head = 2;
  third.angle_rev = 0.7;
  cylinder.children = {a, b, third};
  uneven.zones = {cylinder};
  CHECK(why_not(uneven, 3).find("the tracks of cylinder 0 do not follow each other at one skew") !=
        std::string::npos);

  model::Layout large;
  large.zones = {zone_of(16, 200000, 0, false, 800, random)};
  CHECK(why_not(large, 16).find("2^31 or more") != std::string::npos);
}

TEST_CASE("a model without rotation, layout or seeks is refused, and nothing is written") {
  const Folder folder;
  model::DriveModel model = virtual_drive::catalogue_model(virtual_drive::catalogue().front());
  model.seek.points.clear();
  CHECK_THROWS_WITH(export_disksim(model, folder / "out"), Catch::Contains("has no seek curve"));
  CHECK(!std::filesystem::exists(folder / "out"));
}

TEST_CASE("a name that is a word of DiskSim's files is made another") {
  const Folder folder;
  const model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  for (const char* word : {"as", "instantiate", "source", "topology"})
    CHECK(export_disksim(model, folder / "out", {word}).name == std::string("DRIVE_") + word);
}

TEST_CASE(
    "unknown parameters take the engine's values and are listed; a cache that is off stays off") {
  const Folder folder;
  model::DriveModel model = virtual_drive::catalogue_model(virtual_drive::catalogue().front());
  model.identity.name = "3 strange = names {}";
  model.overheads = {};
  model.overheads.read_miss_after_read.value = 0.25;
  model.cache.read_enabled.value = 0;
  model.cache.write_back_level.value = 2;
  model.seek.points = {{4, 2.0, std::nullopt, 0}, {100, 3.0, std::nullopt, 0}};
  const Exported exported = export_disksim(model, folder / "out");
  CHECK(exported.name == "DRIVE_3_strange___names___");
  const std::string specs = model::read_file(exported.files[1]);
  CHECK(specs.find("#   Write miss over. after write = 0.25\n") != std::string::npos);
  CHECK(specs.find("Write hit over. after read = 0.25,\n") != std::string::npos);
  CHECK(specs.find("Fast write level = 0,\n") != std::string::npos);
  CHECK(exported.warnings.size() >= 1);
  CHECK(specs.find("Differs from the model: Fast write level = 2 is written as 0") !=
        std::string::npos);
  CHECK(model::read_file(exported.files[3]) == "1, 0.5 \t \t \n4, 2.0\n100, 3.0\n");
}

TEST_CASE("numbers are ones that DiskSim's lexer takes for real") {
  CHECK(real_text(0) == "0.0");
  CHECK(real_text(3) == "3.0");
  CHECK(real_text(0.1) == "0.1");
  CHECK(real_text(1e-5) == "1.0e-05");
  CHECK(real_text(-2.5e-7) == "-2.5e-07");
  CHECK(real_text(1e300) == "1.0e+300");
  CHECK_THROWS_AS(real_text(std::nan("")), Error);
}

struct Written {
  std::string diskspecs;
  std::vector<std::string> warnings;

  bool has(const std::string& line) const { return diskspecs.find(line) != std::string::npos; }
  bool warns(std::string_view what) const {
    return std::ranges::any_of(warnings, [what](const std::string& warning) {
      return warning.find(what) != std::string::npos;
    });
  }
};

Written written_of(const model::DriveModel& model, Program dialect = Program::cmu4) {
  const Folder folder;
  const Exported exported = export_disksim(model, folder / "out", {"d", LayoutType::g1, dialect});
  return {model::read_file(folder / "out/d.diskspecs"), exported.warnings};
}

TEST_CASE("no bound of read-ahead is none to DiskSim either") {
  const auto with = [](double scheme, double least) {
    model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
    model.cache.read_ahead.value = scheme;
    model.cache.read_ahead_min_blocks.value = least;
    model.cache.read_ahead_max_blocks.value = 0;
    return written_of(model);
  };
  const model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  const std::uint32_t track = engine::LayoutMap(model.layout).track_of_slot(0).sectors;
  const std::string name = "  Maximum read-ahead (blks) = ";
  CHECK(with(1, 0).has(name + std::to_string(track) + ","));
  CHECK(with(2, 0).has(name + std::to_string(track * model.identity.heads) + ","));
  CHECK(with(3, 0).has(name + "0,"));
  CHECK(with(3, 100).has(name + "256,"));
  CHECK(with(3, 100).warns("beside a minimum"));
  CHECK(!with(3, 0).warns("read-ahead"));
}

TEST_CASE("where DiskSim stops at the drive's end is said") {
  model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  const auto end = [&](std::uint64_t reach) {
    return "should end in front of block " + std::to_string(model.identity.blocks - reach) + ":";
  };
  CHECK(!written_of(model).warns("should end"));
  model.cache.read_ahead_on_hit.value = 1;
  CHECK(written_of(model).warns(end(256)));  // a segment
  model.cache.read_ahead_on_hit.value = 0;
  model.cache.read_ahead.value = 4;
  CHECK(written_of(model).warns(end(1)));
  model.cache.read_ahead_max_blocks.value = 0;
  CHECK(!written_of(model).warns("DiskSim never looks at it"));
  model.cache.read_ahead_max_blocks.value = 100;
  CHECK(written_of(model).warns("Maximum read-ahead (blks) = 100: DiskSim never looks at it"));
}

TEST_CASE("a word of the file that import took as DiskSim runs it is written back") {
  model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  model.cache.read_ahead.value = 4;
  model.cache.read_ahead_max_blocks.value = 0;
  model.cache.read_free_blocks.value = 0;
  model.disksim = {{"Maximum read-ahead (blks)", 77}, {"Read any free blocks", 1}};
  const Written back = written_of(model);
  CHECK(back.has("  Maximum read-ahead (blks) = 77,"));
  CHECK(back.has("  Read any free blocks = 1,"));
  CHECK(!back.warns("DiskSim never looks at it"));
  CHECK(!back.warns("does not keep them"));
  CHECK(!back.warns("member disksim"));
  model.cache.read_ahead_max_blocks.value = 50;  // found otherwise since
  CHECK(written_of(model).has("  Maximum read-ahead (blks) = 50,"));
}

TEST_CASE(
    "blocks in front of a request are kept by the model and not by DiskSim, and that is said") {
  model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  model.cache.read_free_blocks.value = 1;
  CHECK(written_of(model).warns("Read any free blocks = 1: DiskSim does not keep them"));
}

TEST_CASE("2^31 blocks and more are for the 64-bit DiskSim, and refused before the map is made") {
  model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  model.identity.blocks = std::uint64_t{1} << 31;
  model.layout = {};  // nobody looks at it
  model.layout.zones.push_back({});
  for (const Program program : {Program::cmu4, Program::wd})
    CHECK_THROWS_WITH(written_of(model, program), Catch::Contains("--dialect wd64"));
}

TEST_CASE("a queue with unbuffered writes is for Western Digital's DiskSim alone") {
  model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  model.queue.depth.value = 8;
  CHECK(written_of(model).has("  Max queue length = 8,"));
  model.cache.write_back_level.value = 0;
  const Written one = written_of(model);
  CHECK(one.has("  Max queue length = 1,"));
  CHECK(one.warns("Max queue length = 8 is written as 1"));
  CHECK(written_of(model, Program::wd).has("  Max queue length = 8,"));
  model.queue.depth.value = 0;  // DiskSim would send nothing
  CHECK(written_of(model).has("  Max queue length = 1,"));
}

TEST_CASE("hits do not overtake reads that hold the bus: DiskSim would stop") {
  model::DriveModel model = virtual_drive::virtual_model("virtual:cache-base");
  CHECK(written_of(model).has("  Allow sneaky full read hits = 1,"));
  model.disksim = {{"Hold bus entire read xfer", 1}};
  const Written held = written_of(model);
  CHECK(held.has("  Allow sneaky full read hits = 0,"));
  CHECK(held.warns("Allow sneaky full read hits = 1 is written as 0"));
}

TEST_CASE("what only DiskSim has a use for is copied; without it DiskSim gets its usual value") {
  model::DriveModel model = virtual_drive::virtual_model("virtual:hp-c2247");
  const Written imported = written_of(model);
  for (const char* line : {"Hold bus entire read xfer = 1,", "Low (write) water mark = 0.75,",
                           "Immed transfer partial hit = 1,"}) {
    CHECK(imported.has(std::string("  ") + line));
  }
  CHECK_FALSE(imported.has("#   Low (write) water mark"));
  model.disksim.clear();
  const Written characterized = written_of(model);
  for (const char* line : {"Hold bus entire read xfer = 0", "Low (write) water mark = 0",
                           "Immed transfer partial hit = 1"}) {
    CHECK(characterized.has(std::string("#   ") + line + "\n"));
  }
  CHECK(characterized.has("  Hold bus entire read xfer = 0,"));
  CHECK(characterized.has("  Low (write) water mark = 0.0,"));
  model.disksim = {{"Never disconnect", 2}, {"Colour", 3}};
  const Written strange = written_of(model);
  CHECK(strange.has("  Never disconnect = 1,"));
  CHECK(strange.warns("Never disconnect = 2 is written as 1"));
  CHECK(strange.warns("Colour = 3 of the model's member disksim is not in the files"));
}

}  // namespace
}  // namespace platter::emit_disksim
