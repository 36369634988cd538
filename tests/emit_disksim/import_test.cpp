#include "emit/disksim/import.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "catch.h"
#include "engine/layout_map.h"
#include "folder.h"
#include "model/error.h"
#include "model/json.h"
#include "source_folder.h"

namespace platter::emit_disksim {
namespace {

struct Drive {
  const char* golden;
  const char* file;  // in the published data sets
  std::uint64_t blocks;
  std::uint32_t heads, cylinders, rpm;
};

constexpr Drive kDrives[] = {
    {"quantum-atlas10k", "quantum-atlas10k/atlas10k", 17966953, 6, 10042, 10025},
    {"seagate-cheetah9lp", "seagate-cheetah9LP/cheetah9LP", 17918387, 12, 6962, 10045},
    {"seagate-barracuda4lp", "seagate-barracuda/barracuda", 4217670, 5, 5172, 7200},
    {"ibm-ultrastar18es", "ibm-18es/ibm18es", 18033753, 5, 11474, 7200},
    {"hp-c2247", "hp-c2247a/hp_c2247a", 2054864, 13, 2051, 5400},
};

std::string data_folder() {
  const char* set = std::getenv("PLATTER_DATA");
  return set != nullptr ? set : source_folder() + "/../shared/data";
}

bool data_there(const std::string& file) {
  if (std::filesystem::exists(file)) return true;
  std::cout << "skipped: " << file << " is not there (set PLATTER_DATA)\n";
  return false;
}

TEST_CASE("blocks lie where DiskSim itself puts them") {
  for (const Drive& drive : kDrives) {
    const std::string file = data_folder() + "/" + drive.file + ".parv";
    if (!data_there(file)) return;
    INFO(drive.golden);
    const model::DriveModel model = import_disksim(file).model;
    CHECK(model.identity.blocks == drive.blocks);
    CHECK(model.identity.heads == drive.heads);
    CHECK(model.identity.cylinders == drive.cylinders);
    CHECK(model.rotation.denominator == drive.rpm);
    const engine::LayoutMap map(model.layout);
    REQUIRE(map.blocks() == drive.blocks);

    std::ifstream golden(source_folder() + "/tests/golden/layout/" + std::string(drive.golden) +
                         ".txt");
    std::string line;
    int compared = 0;
    while (std::getline(golden, line)) {
      if (line.empty() || line[0] == '#') continue;
      std::uint64_t lbn = 0;
      std::uint32_t cylinder = 0, head = 0;
      double angle = 0;
      std::istringstream(line) >> lbn >> cylinder >> head >> angle;
      const engine::Pbn place = map.pbn_of_lbn(lbn);
      const double error = engine::rev_from_angle(map.angle_of_lbn(lbn)) - angle;
      INFO("LBN " << lbn);
      CHECK(place.cylinder == cylinder);
      CHECK(place.head == head);
      CHECK(std::fabs(error - std::round(error)) < 1e-6);
      ++compared;
    }
    CHECK(compared == 200);
  }
}

TEST_CASE("imported models survive their JSON and say what was left out") {
  for (const Drive& drive : kDrives) {
    const std::string file = data_folder() + "/" + drive.file + ".parv";
    if (!data_there(file)) return;
    const Imported imported = import_disksim(file);
    const std::string text = model::to_json_text(imported.model);
    CHECK(model::to_json_text(model::from_json_text(text, "imported")) == text);
    CHECK(text.size() < 100000);
    CHECK(imported.warnings.empty());
    // Only the HP hangs on a bus that is slower for writes.
    const bool slower_writes = std::string(drive.golden) == "hp-c2247";
    CHECK(imported.model.bus.write_block_transfer.value ==
          (slower_writes ? std::optional<double>(0.18686) : std::nullopt));
  }
}

TEST_CASE("figures of the published drives arrive in their fields") {
  const std::string file = data_folder() + "/hp-c2247a/hp_c2247a.parv";
  if (!data_there(file)) return;
  const model::DriveModel hp = import_disksim(file).model;
  CHECK(hp.identity.vendor == "HP");
  CHECK(hp.identity.product == "C2247A");
  CHECK(hp.bus.block_transfer.value == 0.1701);  // the bus is slower than the drive
  CHECK(hp.overheads.extra_disconnect_inter.value == 0.42885);
  CHECK(hp.cache.segments.value == 2);
  CHECK(hp.cache.read_ahead.value == 3);
  CHECK(hp.head_switch.value == 0.89);
  REQUIRE(hp.seek.points.size() > 250);
  CHECK(hp.seek.points[9].time_ms == 4.99);
  CHECK(hp.seek.points[10].time_ms == Approx(3.81 + 0.33 * std::sqrt(11.0)));
  CHECK(hp.seek.points.back().cylinders == 2050);
  CHECK(hp.seek.points.back().time_ms == Approx(7.75 + 0.0059 * 2050));
}

// A drive of one small zone; `zone`, `scheme` and `seek` are put into its text.
std::string small_drive(
    const std::string& zone,
    const std::string& scheme =
        "LBN-to-PBN mapping scheme = 0, "
        "Sparing scheme used = 9",
    const std::string& seek = "Seek type = constant, Constant seek time = 1.5") {
  return "disksim_disk TEST_DRIVE_validate { Time scale for overheads = 2.0, Write completion "
         "overhead = 0.25,\n"
         "Minimum seek delay = 0.5, Preseeking level = 1, Allow write prebuffering = 1, Colour = "
         "blue,\n"
         "Model = dm_disk M { Number of data surfaces = 2, Number of cylinders = 4, Block count = "
         "80,\n"
         "Layout Model = dm_layout_g1 { " +
         scheme + ", Rangesize for sparing = 2, Zones = [ dm_layout_g1_zone {\n" + zone +
         " } ] },\nMechanical Model = dm_mech_g1 { Access time type = trackSwitchPlusRotation, " +
         seek +
         ",\nAdd. write settling delay = 0.5, Head switch time = 0.7, Rotation speed (in rpms) = "
         "6000,\n"
         "Percent error in rpms = 0.0 } } }\n";
}

std::string zone_text(const std::string& spares_and_slips, const std::string& defects = "[]") {
  return "First cylinder number = 0, Last cylinder number = 3, Blocks per track = 10, Offset of "
         "first block = 0.9,\n"
         "Empty space at zone front = 0, Skew for track switch = 2.9, Skew for cylinder switch = "
         "3.0,\n" +
         spares_and_slips + ", defects = " + defects;
}

// The slots that hold blocks, as runs "first+length".
std::string runs(const model::Layout& layout) {
  const engine::LayoutMap map(layout);
  std::string text;
  std::uint64_t first = map.slot_of_lbn(0), length = 1;
  for (std::uint64_t lbn = 1; lbn <= map.blocks(); ++lbn) {
    const bool ends = lbn == map.blocks() || map.slot_of_lbn(lbn) != first + length;
    if (!ends) {
      ++length;
      continue;
    }
    text += std::to_string(first) + "+" + std::to_string(length) + " ";
    if (lbn < map.blocks()) first = map.slot_of_lbn(lbn);
    length = 1;
  }
  return text;
}

TEST_CASE("each sparing scheme leaves out its sectors") {
  const Folder folder;
  const auto layout = [&](int scheme, const std::string& spares_and_slips,
                          const std::string& defects = "[]") {
    return import_disksim(
               folder.write("d",
                            small_drive(zone_text(spares_and_slips, defects),
                                        "LBN-to-PBN mapping scheme = 0, Sparing scheme used = " +
                                            std::to_string(scheme))))
        .model.layout;
  };
  CHECK(runs(layout(0, "Number of spares = 0, slips = []")) == "0+80 ");
  CHECK(runs(layout(1, "Number of spares = 2, slips = [3]")) == "0+30 40+30 ");
  CHECK(runs(layout(2, "Number of spares = 3, slips = [5, 41]")) ==
        "0+5 6+12 20+17 40+1 42+16 60+17 ");
  CHECK(runs(layout(3, "Number of spares = 1, slips = [5]")) ==
        "0+5 6+13 20+9 30+9 40+9 50+9 60+9 70+9 ");
  CHECK(runs(layout(4, "Number of spares = 3, slips = [5]")) == "0+5 6+11 20+17 40+17 60+17 ");
  CHECK(runs(layout(5, "Number of spares = 3, slips = [5]")) == "2+3 6+14 23+17 43+17 63+17 ");
  CHECK(runs(layout(6, "Number of spares = 3, slips = [5]")) == "3+2 6+14 23+17 43+17 63+17 ");
  CHECK(runs(layout(7, "Number of spares = 0, slips = [5, 40]")) == "0+5 6+34 41+39 ");
  CHECK(runs(layout(8, "Number of spares = 4, slips = [5]")) == "0+5 6+31 40+36 ");
  CHECK(runs(layout(9, "Number of spares = 4, slips = [5, 6]")) == "0+5 7+71 ");
  CHECK(runs(layout(10, "Number of spares = 4, slips = [5, 6]")) == "0+5 7+69 ");

  const model::Layout remapped = layout(9, "Number of spares = 4, slips = [5]", "[ 8, 79 ]");
  const engine::LayoutMap map(remapped);
  CHECK(map.blocks() == 76);
  CHECK(map.slot_of_lbn(7) == 79);
  CHECK(map.slot_of_lbn(8) == 9);
  CHECK(layout(3, "Number of spares = 1, slips = []").skips.size() == 1);
}

TEST_CASE("serpentines begin anew in every zone, or run through the disk") {
  const Folder folder;
  const auto head = [&](int mapping, std::uint64_t lbn) {
    const std::string zones =
        "First cylinder number = 0, Last cylinder number = 0, Blocks per track = 10, Offset of "
        "first block = 0,\n"
        "Empty space at zone front = 0, Skew for track switch = 2, Skew for cylinder switch = 3,\n"
        "Number of spares = 0, slips = [], defects = [] }, dm_layout_g1_zone {\n"
        "First cylinder number = 1, Last cylinder number = 3, Blocks per track = 10, Offset of "
        "first block = 0,\n"
        "Empty space at zone front = 0, Skew for track switch = 2, Skew for cylinder switch = 3,\n"
        "Number of spares = 0, slips = [], defects = []";
    const model::Layout layout =
        import_disksim(
            folder.write(
                "d", small_drive(zones, "Sparing scheme used = 0, LBN-to-PBN mapping scheme = " +
                                            std::to_string(mapping))))
            .model.layout;
    const engine::LayoutMap map(layout);
    return map.track_of_slot(map.slot_of_lbn(lbn)).head;
  };
  for (const int mapping : {0, 1, 2}) CHECK(head(mapping, 0) == 0);
  CHECK(head(0, 20) == 0);  // the first block of cylinder 1
  CHECK(head(1, 20) == 0);
  CHECK(head(2, 20) == 1);
  CHECK(head(0, 40) == 0);  // and of cylinder 2
  CHECK(head(1, 40) == 1);
  CHECK(head(2, 40) == 0);
}

TEST_CASE("slips turn what lies behind them in the schemes with spares per cylinder or track") {
  const Folder folder;
  const auto angle = [&](int scheme, std::uint32_t cylinder, std::uint32_t head) {
    const model::Layout layout =
        import_disksim(
            folder.write("d", small_drive(zone_text("Number of spares = 3, slips = [15]"),
                                          "LBN-to-PBN mapping scheme = 0, Sparing scheme used = " +
                                              std::to_string(scheme))))
            .model.layout;
    return engine::rev_from_angle(engine::LayoutMap(layout).track_at(cylinder, head)->angle);
  };
  // Skews of 2 (2.9 cut off) and 3 sectors of ten; the slip is on cylinder 0, head 1.
  CHECK(angle(2, 0, 1) == Approx(0.2));
  CHECK(angle(2, 1, 0) == Approx(0.5 + 0.1));
  CHECK(angle(3, 0, 1) == Approx(0.2));
  CHECK(angle(3, 1, 1) == Approx(0.7 + 0.1));
  CHECK(angle(9, 1, 0) == Approx(0.5));
}

TEST_CASE("overheads are scaled, what has no place is named, the drive has a name") {
  const Folder folder;
  const Imported imported =
      import_disksim(folder.write("d", small_drive(zone_text("Number of spares = 4, slips = []"))));
  CHECK(imported.model.overheads.write_completion.value == 0.5);
  CHECK(imported.model.overheads.minimum_seek_delay.value == 0.5);
  CHECK(imported.model.identity.name == "TEST DRIVE");
  CHECK(imported.model.overheads.per_request.reason ==
        "the DiskSim file lacks \"Per-request overhead time\"");
  std::string all;
  for (const std::string& warning : imported.warnings) all += warning + "\n";
  CHECK(imported.model.queue.preseeking.value == 1);
  CHECK(all.find("Allow write prebuffering = 1 (") != std::string::npos);
  CHECK(all.find("Colour = blue (") != std::string::npos);
}

TEST_CASE("what only DiskSim has a use for is kept under DiskSim's names") {
  const Folder folder;
  const auto drive = [&](const std::string& more) {
    std::string text = small_drive(zone_text("Number of spares = 4, slips = []"));
    return folder.write("d", text.replace(text.find("Time scale"), 0, more));
  };
  const auto kept = import_disksim(drive("Low (write) water mark = 0.75, Never disconnect = 1, "));
  CHECK(kept.model.disksim == std::vector<model::DisksimParameter>{
                                  {"Never disconnect", 1}, {"Low (write) water mark", 0.75}});
  CHECK(import_disksim(drive("")).model.disksim.empty());
  CHECK_THROWS_WITH(import_disksim(drive("Never disconnect = 2, ")),
                    Catch::Contains("Never disconnect"));
}

TEST_CASE("seek types") {
  const Folder folder;
  const auto seek = [&](const std::string& text) {
    return import_disksim(
               folder.write(
                   "d",
                   small_drive(zone_text("Number of spares = 4, slips = []"),
                               "LBN-to-PBN mapping scheme = 0, Sparing scheme used = 9", text)))
        .model.seek.points;
  };
  folder.write("s.seek", "Seek distances measured: 2\n1, 1.25\n3,\t2.5, 0.03\n");
  const auto extracted = seek("Seek type = extracted, Full seek curve = s.seek");
  REQUIRE(extracted.size() == 2);
  CHECK(extracted[1].cylinders == 3);
  CHECK(extracted[1].time_ms == 2.5);

  const auto hpl =
      seek("Seek type = hpl, HPL seek equation values = [ 3, 1.0, 0.5, 2.0, 0.1, 0.8 ]");
  REQUIRE(hpl.size() == 3);
  CHECK(hpl[0].time_ms == 0.8);
  CHECK(hpl[1].time_ms == Approx(1.0 + 0.5 * std::sqrt(2.0)));
  CHECK(hpl[2].time_ms == Approx(2.3));

  folder.write("s.seek", "1, 1.25, 0.0, 1.5\n3, 2.5\n");
  CHECK_THROWS_WITH(seek("Seek type = extracted, Full seek curve = s.seek"),
                    Catch::Contains("s.seek:2: the line tells no time for writes"));
  folder.write("s.seek", "1, 1.25\n3, 2.5, 0.0, 3.0\n");
  CHECK_THROWS_WITH(seek("Seek type = extracted, Full seek curve = s.seek"),
                    Catch::Contains("s.seek:2: the line tells a time for writes"));
  folder.write("s.seek", "1, 1.25\nnonsense\n");
  CHECK_THROWS_WITH(seek("Seek type = extracted, Full seek curve = s.seek"),
                    Catch::Contains("s.seek:2: a line of a seek file must be"));
  folder.write("s.seek", "2, 1.25\n2, 1.5\n");
  CHECK_THROWS_WITH(seek("Seek type = extracted, Full seek curve = s.seek"),
                    Catch::Contains("ascending order"));
  CHECK_THROWS_WITH(seek("Seek type = extracted, Full seek curve = none.seek"),
                    Catch::Contains("does not exist"));
  CHECK_THROWS_WITH(seek("Seek type = fast"), Catch::Contains("the seek type fast is unknown"));
}

TEST_CASE("sampled formulas are exact to a nanosecond between their points") {
  const Folder folder;
  const std::string text =
      "Seek type = hpl, HPL seek equation values = [ 1500, 1.2, 0.07, 2.6, 0.0008, -1.0 ]";
  std::string drive = small_drive(zone_text("Number of spares = 4, slips = []"),
                                  "LBN-to-PBN mapping scheme = 0, Sparing scheme used = 9", text);
  drive.replace(drive.find("cylinders = 4"), 13, "cylinders = 9000");
  const auto points = import_disksim(folder.write("d", drive)).model.seek.points;
  CHECK(points.size() < 1500);
  for (std::size_t i = 1; i < points.size(); ++i) {
    for (std::uint32_t d = points[i - 1].cylinders; d <= points[i].cylinders; ++d) {
      const double exact = d < 1500 ? 1.2 + 0.07 * std::sqrt(d) : 2.6 + 0.0008 * d;
      const double share = static_cast<double>(d - points[i - 1].cylinders) /
                           static_cast<double>(points[i].cylinders - points[i - 1].cylinders);
      const double between = points[i - 1].time_ms +
                             share * (points[i].time_ms - points[i - 1].time_ms);
      if (std::fabs(exact - between) > 1e-6)
        FAIL("at " << d << " cylinders: " << exact - between << " ms");
    }
  }
}

TEST_CASE("bad drives are refused with file and line") {
  const Folder folder;
  const auto why = [&](const std::string& content) {
    try {
      import_disksim(folder.write("d", content));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string good = small_drive(zone_text("Number of spares = 4, slips = []"));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return why(text.replace(text.find(from), from.size(), to));
  };
  CHECK(why(good) == "accepted");
  CHECK(why("disksim_bus A { x = 1 }").find("holds no disksim_disk block") != std::string::npos);
  CHECK(with("Blocks per track = 10", "Blocks per track = 10.5")
            .find("d:5: \"Blocks per track\" must be a whole number from 1 to 1048576, not 10.5") !=
        std::string::npos);
  CHECK(with("Blocks per track = 10", "Blocks per track = 0").find("not 0") != std::string::npos);
  CHECK(with("Blocks per track = 10, ", "")
            .find("dm_layout_g1_zone lacks the parameter \"Blocks per track\"") !=
        std::string::npos);
  CHECK(with("Number of spares = 4", "Number of spares = 81").find("from 0 to 80") !=
        std::string::npos);
  CHECK(with("Last cylinder number = 3", "Last cylinder number = 200000000")
            .find("more sectors than DiskSim") != std::string::npos);
  CHECK(with("slips = []", "slips = [1, 2, 3, 4, 5]").find("more slips than spares") !=
        std::string::npos);
  CHECK(with("slips = []", "slips = [80]").find("the slip 80 lies outside its zone") !=
        std::string::npos);
  CHECK(with("defects = []", "defects = [1]").find("must be pairs") != std::string::npos);
  CHECK(with("defects = []", "defects = [1, 2]").find("which is no spare") != std::string::npos);
  CHECK(with("rpms) = 6000", "rpms) = 0").find("from 10 to 500000") != std::string::npos);
  CHECK(with("dm_mech_g1", "dm_mech_g9").find("only dm_mech_g1") != std::string::npos);
}

TEST_CASE("a file of several drives needs a choice") {
  const Folder folder;
  std::string second = small_drive(zone_text("Number of spares = 8, slips = []"));
  second.replace(second.find("TEST_DRIVE_validate"), 19, "OTHER");
  const std::string both = small_drive(zone_text("Number of spares = 4, slips = []")) + second;
  const std::string file = folder.write("two", both);
  CHECK_THROWS_WITH(import_disksim(file), Catch::Contains("--drive: TEST_DRIVE_validate, OTHER"));
  CHECK(import_disksim(file, "OTHER").model.identity.blocks == 72);
  CHECK_THROWS_WITH(import_disksim(file, "X"), Catch::Contains("holds no drive X"));
  const std::string instantiated = folder.write("one", both + "instantiate [ d0 ] as OTHER\n");
  CHECK(import_disksim(instantiated).model.identity.blocks == 72);
}

TEST_CASE("a negative time of a block is none, and told") {
  const Folder folder;
  const std::string zone = zone_text("Number of spares = 0, slips = []");
  const std::string drive = small_drive(zone);
  const std::string negative = "disksim_disk TEST { Bulk sector transfer time = -0.1, " +
                               drive.substr(drive.find("Time scale"));
  const Imported imported = import_disksim(folder.write("d", negative));
  CHECK(imported.model.bus.block_transfer.value == 0.0);
  CHECK(std::ranges::count(imported.warnings,
                           "Bulk sector transfer time = -0.1 (d:1) is taken as 0: nothing takes "
                           "less than no time") == 1);
}

TEST_CASE("a block count below what the layout maps is told") {
  const Folder folder;
  std::string drive = small_drive(zone_text("Number of spares = 0, slips = []"));
  const std::size_t at = drive.find("dm_layout_g1"), end = drive.find("},\nMechanical");
  drive.replace(
      at, end - at,
      "dm_layout_g4 { TP = [ 0, 9, 10 ], IDX = [ [ 0, 0, 0.0, 10, 1, 0.0, 100, 10, TRACK, "
      "0, 0 ] ], Slips = [], Remaps = [] ");
  const Imported imported = import_disksim(folder.write("d", drive));
  CHECK(imported.model.identity.blocks == 80);
  CHECK(std::ranges::count(imported.warnings,
                           "Block count = 80, but the layout maps 100 blocks: the last 20 are left "
                           "out") == 1);
}

TEST_CASE(
    "where DiskSim's manual and its code differ each rule has its reading, and provenance names "
    "it") {
  const Folder folder;
  const std::string drive = small_drive(zone_text("Number of spares = 0, slips = []"));
  const std::string file = folder.write(
      "d",
      "disksim_disk TEST { Enable caching in buffer = 1, Buffer continuous read = 4, Maximum "
      "read-ahead (blks) = 7, Read any free blocks = 1, Immediate buffer read = 1, Extra write "
      "disconnect = 1, First reselect overhead = 0.25, Other reselect overhead = 0.5, " +
          drive.substr(drive.find("Time scale")));
  const auto taken = [&](TakenAs as) { return import_disksim(file, "", "", as).model; };
  const auto word = [](const model::DriveModel& model, std::string_view name) {
    const auto found = std::ranges::find(model.disksim, name, &model::DisksimParameter::name);
    return found == model.disksim.end() ? std::nullopt : std::optional(found->value);
  };
  const auto notes = [](const model::DriveModel& model, std::string_view words) {
    return std::ranges::count_if(model.provenance.notes, [words](const std::string& note) {
      return note.find(words) != std::string::npos;
    });
  };
  const model::DriveModel by_rule = taken(TakenAs::by_rule), meant = taken(TakenAs::meant),
                          run = taken(TakenAs::run);
  CHECK(!by_rule.cache.read_ahead_after_sequential);
  CHECK(by_rule.cache.read_ahead_max_blocks.value == 0);
  CHECK(word(by_rule, "Maximum read-ahead (blks)") == 7);
  CHECK(by_rule.cache.read_free_blocks.value == 1);
  CHECK(by_rule.cache.zero_latency_read.value == 1);
  CHECK(*by_rule.overheads.other_reselect.value == 2 * *by_rule.overheads.first_reselect.value);
  CHECK(notes(by_rule, "is taken as DiskSim runs it") == 2);
  CHECK(notes(by_rule, "is taken as it is meant") == 3);

  CHECK(meant.cache.read_ahead_after_sequential.value == 1);
  CHECK(meant.cache.read_ahead_max_blocks.value == 7);
  CHECK(!word(meant, "Maximum read-ahead (blks)"));
  CHECK(meant.cache.read_free_blocks.value == 1);
  CHECK(notes(meant, "is taken as it is meant") == 5);

  CHECK(run.cache.read_ahead_max_blocks.value == 0);
  CHECK(run.cache.read_free_blocks.value == 0);
  CHECK(word(run, "Read any free blocks") == 1);
  CHECK(run.cache.zero_latency_read.value == 0);
  CHECK(run.overheads.other_reselect.value == run.overheads.first_reselect.value);
  CHECK(notes(run, "is taken as DiskSim runs it") == 5);
}

TEST_CASE("a rule whose condition is not met changes and says nothing") {
  const Folder folder;
  const std::string drive = small_drive(zone_text("Number of spares = 0, slips = []"));
  const std::string file = folder.write(
      "d",
      "disksim_disk TEST { Enable caching in buffer = 1, Buffer continuous read = 3, Maximum "
      "read-ahead (blks) = 7, " +
          drive.substr(drive.find("Time scale")));
  const model::DriveModel run = import_disksim(file, "", "", TakenAs::run).model;
  CHECK(run.cache.read_ahead_max_blocks.value == 7);
  CHECK(run.disksim.empty());
  for (const std::string& note : run.provenance.notes)
    CHECK(note.find("is taken as DiskSim runs it") == note.npos);
}

}  // namespace
}  // namespace platter::emit_disksim
