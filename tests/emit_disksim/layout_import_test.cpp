// The layouts g2 and g4 against DiskSim's own translation: figures in tests/golden/layout, of a
// published drive and of synthetic ones that are there with them.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "catch.h"
#include "emit/disksim/block_places.h"
#include "emit/disksim/import.h"
#include "emit/disksim/track_runs.h"
#include "engine/layout_map.h"
#include "folder.h"
#include "model/error.h"
#include "model/json.h"
#include "model/validate.h"
#include "source_folder.h"

namespace platter::emit_disksim {
namespace {

const std::string kGolden = source_folder() + "/tests/golden/layout/";

std::string maxtor(const std::string& file) {
  const char* set = std::getenv("PLATTER_DATA");
  const std::string data = set != nullptr ? set : source_folder() + "/../shared/data";
  const std::string path = data + "/maxtor-atlas10k4-146g/" + file;
  if (std::filesystem::exists(path)) return path;
  std::cout << "skipped: " << path << " is not there (set PLATTER_DATA)\n";
  return "";
}

std::size_t count_nodes(const std::vector<model::LayoutNode>& nodes) {
  std::size_t count = nodes.size();
  for (const model::LayoutNode& node : nodes) count += count_nodes(node.children);
  return count;
}

// Every place as in the golden file; angles as seen from the first block: DiskSim turns the whole
// platter by the first angle of a g4 root.
void compare_with_golden(const model::Layout& layout, const std::string& file, int lines) {
  const engine::LayoutMap map(layout);
  std::ifstream golden(kGolden + file);
  std::string line;
  int compared = 0;
  double turned = 0;
  while (std::getline(golden, line)) {
    if (line.starts_with("#")) continue;
    std::uint64_t lbn = 0;
    engine::Pbn wanted;
    double angle = 0;
    std::istringstream(line) >> lbn >> wanted.cylinder >> wanted.head >> wanted.sector >> angle;
    INFO(file << ", block " << lbn);
    REQUIRE(lbn < map.blocks());
    REQUIRE(map.pbn_of_lbn(lbn) == wanted);
    REQUIRE(map.lbn_of_pbn(wanted) == lbn);
    const double error = engine::rev_from_angle(map.angle_of_lbn(lbn)) - angle;
    if (compared++ == 0) turned = error;
    const double off = error - turned;
    REQUIRE(std::fabs(off - std::round(off)) < 1e-6);
  }
  CHECK(compared >= lines);
}

TEST_CASE("a published g4 layout: blocks lie where DiskSim puts them") {
  const std::string file = maxtor("maxtor146g.parv");
  if (file.empty()) return;
  const model::DriveModel model = import_disksim(file).model;
  CHECK(model.identity.blocks == 286749479);
  CHECK(model.identity.heads == 8);
  CHECK(model.identity.cylinders == 48625);  // "Number of cylinders = 48624", but one more is in
                                             // use
  CHECK(model.rotation.denominator == 10017);
  compare_with_golden(model.layout, "maxtor-atlas10k4.txt", 3000);
  CHECK(model.layout.zones.size() == 50);
  CHECK(count_nodes(model.layout.zones) < 800);  // 728 tracks have an angle of their own in the
                                                 // file
}

TEST_CASE("synthetic g2 and g4 layouts: blocks lie where DiskSim puts them") {
  struct Case {
    const char* name;
    std::size_t most_nodes;
  };
  for (const Case& one : {Case{"g4headfirst", 4},
                          {"g4slips", 6},
                          {"g4serpentine", 46},
                          {"g4surface", 24},
                          {"g4spares", 2},
                          {"g4deep", 9},
                          {"g2headfirst", 4},
                          {"g2holes", 6},
                          {"g2serpentine", 8}}) {
    INFO(one.name);
    const std::string name = std::string("synthetic/") + one.name;
    const model::DriveModel model = import_disksim(kGolden + name + ".model").model;
    compare_with_golden(model.layout, name + ".txt", 350);
    CHECK(count_nodes(model.layout.zones) <= one.most_nodes);
  }
}

// ---------------------------------------------------------------- rules that no file above has

std::string g4_text(const std::string& tp, const std::string& idx, const std::string& slips = "",
                    const std::string& remaps = "") {
  return "dm_layout_g4 { TP = [ " + tp + " ], IDX = [ " + idx + " ], Slips = [ " + slips +
         " ], Remaps = [ " + remaps + " ] }\n";
}

// "block: cylinder/head/sector" of some blocks.
std::string places(const model::Layout& layout, std::initializer_list<std::uint64_t> lbns) {
  const engine::LayoutMap map(layout);
  std::string text;
  for (const std::uint64_t lbn : lbns) {
    const engine::Pbn at = map.pbn_of_lbn(lbn);
    text += std::to_string(lbn) + ": " + std::to_string(at.cylinder) + "/" +
            std::to_string(at.head) + "/" + std::to_string(at.sector) + " ";
  }
  return text;
}

TEST_CASE("a bare layout is imported as a part of a model, and completed by another file") {
  const Folder folder;
  const std::string file = folder.write("x.model",
                                        g4_text("0, 9, 10",
                                                "[ 0, 0, 0.25, 10, 1, 0.1, 30, 3, TRACK, 0, 0, "
                                                "30, 0, 0.5, 10, 1, 0.1, 30, 3, TRACK, 0, 1 ]"));
  const Imported bare = import_disksim(file);
  CHECK(bare.model.identity.blocks == 60);
  CHECK(bare.model.identity.heads == 2);
  CHECK(bare.model.identity.cylinders == 3);
  CHECK(bare.model.rotation.numerator_ns == 0);
  REQUIRE(bare.warnings.size() == 2);
  CHECK(bare.warnings[0].find("first angle of the root") != std::string::npos);
  CHECK(bare.warnings[1].find("add --with") != std::string::npos);

  const std::string mechanics = kGolden + "synthetic/g4deep.model";
  const model::DriveModel whole = import_disksim(file, "", mechanics).model;
  CHECK(whole.identity.blocks == 60);
  CHECK(whole.identity.heads == 2);
  CHECK(whole.rotation.denominator == 7200);
  CHECK(whole.head_switch.value == 0.5);
  CHECK(whole.provenance.source == "DiskSim parameter file x.model; the rest from g4deep.model");
}

TEST_CASE("--with takes a model file, and nothing for a whole drive") {
  const Folder folder;
  const std::string layout = folder.write(
      "x.model", g4_text("0, 9, 10", "[ 0, 0, 0.0, 10, 1, 0.1, 30, 3, TRACK, 0, 0 ]"));
  const std::string drive = source_folder() +
                            "/tests/golden/disksim/g4-serpentine/g4-serpentine.parv";
  const std::string saved = folder / "drive.json";
  model::save_model(import_disksim(drive).model, saved);
  const model::DriveModel whole = import_disksim(layout, "", saved).model;
  CHECK(whole.identity.blocks == 30);
  CHECK(whole.identity.heads == 1);
  CHECK(whole.rotation.denominator == 9000);
  CHECK(whole.overheads.read_miss_after_read.value == 0.21);
  CHECK_THROWS_WITH(import_disksim(drive, "", saved), Catch::Contains("describes a whole drive"));
  CHECK_THROWS_AS(import_disksim(layout, "", folder / "none.json"), Error);
}

TEST_CASE("a g1 layout alone does not tell the heads") {
  const Folder folder;
  const std::string file = folder.write(
      "x.model",
      "dm_layout_g1 { LBN-to-PBN mapping scheme = 0, Sparing scheme used = 0, Rangesize for "
      "sparing = 1,\n"
      "Zones = [ dm_layout_g1_zone { First cylinder number = 0, Last cylinder number = 3,\n"
      "Blocks per track = 10, Offset of first block = 0.0, Empty space at zone front = 0,\n"
      "Skew for track switch = 1.0, Skew for cylinder switch = 2.0, Number of spares = 0,\n"
      "slips = [], defects = [] } ] }\n");
  CHECK_THROWS_WITH(import_disksim(file), Catch::Contains("does not tell the number of heads"));
  const model::DriveModel whole =
      import_disksim(file, "", kGolden + "synthetic/g4deep.model").model;
  CHECK(whole.identity.heads == 2);
  CHECK(whole.identity.blocks == 80);
  CHECK(whole.identity.cylinders == 4);
}

TEST_CASE("g4: patterns that begin late, spares that take slips back, remaps to other tracks") {
  const Folder folder;
  // 10 sectors, of which 2..7 hold blocks; block 3 is slipped over, block 5 takes the spare
  // sector 8.
  const std::string file = folder.write(
      "x.model", g4_text("2, 7, 10", "[ 0, 0, 0.0, 6, 1, 0.0, 24, 4, TRACK, 0, 0 ]", "3, 1, 6, -1",
                         "5, 1, 0, 0, 8, 10"));
  const Imported got = import_disksim(file);
  CHECK(places(got.model.layout, {0, 2, 3, 4, 5, 6, 23}) ==
        "0: 0/0/2 2: 0/0/4 3: 0/0/6 4: 0/0/7 5: 0/0/8 6: 1/0/2 23: 3/0/7 ");
  CHECK(got.model.layout.remaps.empty());  // the spare sector is next in the sequence
  CHECK(got.model.identity.blocks == 24);
  CHECK(got.warnings[0].find("loses their first blocks") != std::string::npos);

  const std::string far = folder.write(
      "far.model", g4_text("0, 9, 10", "[ 0, 0, 0.0, 10, 1, 0.0, 40, 4, TRACK, 0, 0 ]", "",
                           "7, 2, 9, 1, 4, 12"));
  const Imported spare = import_disksim(far);
  CHECK(places(spare.model.layout, {6, 7, 8, 9}) == "6: 0/0/6 7: 9/1/4 8: 9/1/5 9: 0/0/9 ");
  CHECK(spare.model.layout.remaps.size() == 2);
  CHECK(spare.model.identity.blocks == 40);
  CHECK(spare.warnings[0].find("no angle is told for the spare track") != std::string::npos);
}

TEST_CASE("g4 layouts that contradict themselves are refused with their line") {
  const Folder folder;
  const auto refused = [&](const std::string& text, const std::string& why) {
    INFO(why);
    const std::string file = folder.write("x.model", text);
    try {
      import_disksim(file);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      CHECK(std::string(error.what()).find(why) != std::string::npos);
      CHECK(std::string(error.what()).find("x.model:1: ") != std::string::npos);
    }
  };
  const std::string track = "0, 0, 0.0, 10, 1, 0.0, 30, 3, TRACK, 0, 0";
  refused(g4_text("0, 9, 10, 4", "[ " + track + " ]"), "TP must be a list of low, high, sectors");
  refused(g4_text("0, 10, 10", "[ " + track + " ]"), "10 is out of range, from 0 to 9");
  refused(g4_text("0, 8, 10", "[ " + track + " ]"), "10 blocks lie on a track of 9");
  refused(g4_text("0, 9, 10", "[ " + track + ", 31, 0, 0.0, 10, 1, 0.0, 30, 3, TRACK, 0, 1 ]"),
          "an entry begins with 31 where 30 is expected");
  refused(g4_text("0, 9, 10", "[ 0, 0, 0.0, 10, 1, 0.0, 30, 3, IDX, 0 ]"), "nested too deeply");
  refused(g4_text("0, 9, 10", "[ 0, 0, 0.0, 10, 1, 0.0, 30, 3, TRACK, 1, 0 ]"),
          "there is no such TP");
  refused(g4_text("0, 9, 10", "[ 0, 0, 0.0, 10, 1, 0.0, 30, 3, SPIRAL, 0, 0 ]"),
          "a child must be TRACK or IDX");
  refused(g4_text("0, 9, 10", "[ " + track + " ]", "20, 1, 10, 1"), "10 is out of range");
  refused(g4_text("0, 9, 10", "[ " + track + " ]", "3, 1, 6, -1"), "lie in the same sector");
  refused(g4_text("0, 9, 10", "[ " + track + " ]", "", "5, 1, 0, 0, 8, 10"),
          "lie in the same sector");
  refused(g4_text("0, 9, 10", "[ " + track + " ]", "", "29, 2, 0, 0, 8, 10"),
          "the drive has no block 30");
  refused(g4_text("0, 9, 10", ""), "IDX must not be empty");
}

TEST_CASE("a track that comes twice is refused") {
  const Folder folder;
  const std::string file = folder.write("x.model",
                                        g4_text("0, 4, 10, 5, 9, 10",
                                                "[ 0, 0, 0.0, 5, 1, 0.0, 5, 1, TRACK, 0, 0, "
                                                "5, 0, 0.5, 5, 1, 0.0, 5, 1, TRACK, 1, 0 ]"));
  CHECK_THROWS_WITH(import_disksim(file),
                    Catch::Contains("the track of cylinder 0, head 0 comes twice"));
}

TEST_CASE("g2: a block that lies elsewhere is remapped; the map's lines are checked") {
  const Folder folder;
  const std::string zone =
      "dm_layout_g2 { Layout Map File = x.map, Zones = [ dm_layout_g2_zone { First cylinder number "
      "= 0,\n"
      "Last cylinder number = 1, First LBN = 0, Last LBN = 18, Blocks per track = 10, Skew units = "
      "revolutions,\n"
      "Skew for track switch = 0.25, Skew for cylinder switch = 0.5 } ] }\n";
  const std::string file = folder.write("x.model", zone);
  const std::string head =
      "Info extracted from it\nmaxlbn 18, blocksize 512\n2 cylinders, 100 rot, 1 heads\n";
  folder.write("x.map", head +
                            "lbn 0 --> cyl 0, head 0, sect 0, count 4\n"
                            "lbn 4 --> cyl 1, head 0, sect 9, count 1\n"
                            "lbn 5 --> cyl 0, head 0, sect 5, seqcnt 4\n"
                            "lbn 10 --> cyl 1, head 0, sect 0, count 9\n"
                            "Defect at cyl 0, head 0, sect 4\n");
  const model::Layout layout = import_disksim(file).model.layout;
  CHECK(places(layout, {3, 4, 5, 9, 10, 18}) ==
        "3: 0/0/3 4: 1/0/9 5: 0/0/5 9: 0/0/9 10: 1/0/0 18: 1/0/8 ");
  REQUIRE(layout.remaps.size() == 1);
  CHECK(layout.remaps[0].lbn == 4);
  CHECK(model::count_blocks(layout) == 19);
  const engine::LayoutMap map(layout);
  CHECK(engine::rev_from_angle(map.angle_of_lbn(10)) == Approx(0.5));
  folder.write(
      "x.map",
      head +
          "lbn 0 --> cyl 0, head 0, sect 0, count 4\nlbn 5 --> cyl 0, head 0, sect 5, count 4\n");
  CHECK_THROWS_WITH(import_disksim(file),
                    Catch::Contains("x.map:5: block 4 is expected here, not 5"));
  folder.write("x.map", head + "lbn 0 --> cyl 0, head 0, sect 0, count 11\n");
  CHECK_THROWS_WITH(import_disksim(file), Catch::Contains("the blocks do not fit on their track"));
  folder.write("x.map", head + "lbn 0 -> cyl 0\n");
  CHECK_THROWS_WITH(import_disksim(file),
                    Catch::Contains("x.map:4: a line of a layout map must be"));
}

TEST_CASE("g2: a zone's own skew turns its tracks") {
  const Folder folder;
  const std::string file = folder.write(
      "x.model",
      "dm_layout_g2 { Layout Map File = x.map, Zones = [ dm_layout_g2_zone { First cylinder number "
      "= 0, Last cylinder number = 0, First LBN = 0, Last LBN = 9, Blocks per track = 10 },\n"
      "dm_layout_g2_zone { First cylinder number = 1, Last cylinder number = 1, First LBN = 10, "
      "Last LBN = 19, Blocks per track = 10, Skew units = sectors, Zone Skew = 3.0 } ] }\n");
  folder.write("x.map",
               "free text\nfree text\n3 cylinders, 100 rot, 1 heads\n"
               "lbn 0 --> cyl 0, head 0, sect 0, count 10\n"
               "lbn 10 --> cyl 1, head 0, sect 0, count 10\n");
  const model::Layout layout = import_disksim(file).model.layout;
  CHECK(engine::rev_from_angle(engine::LayoutMap(layout).angle_of_lbn(10)) == Approx(0.3));
}

TEST_CASE("remapped blocks without a free sector at their place are refused") {
  model::Layout layout;
  const std::vector<Placed> pieces = {{0, 0, 4}, {4, 9, 1}, {5, 4, 5}};
  CHECK_THROWS_WITH(place_blocks(pieces, 10, Where{}, layout),
                    Catch::Contains("leave no free sector"));
}

TEST_CASE("tracks fold to the cycles that they repeat in") {
  std::vector<model::LayoutNode> tracks;
  for (int cylinder = 0; cylinder < 21; ++cylinder) {
    for (int turn = 0; turn < 4; ++turn) {
      model::LayoutNode track;
      track.cylinder = cylinder;
      track.head = cylinder % 2 == 0 ? turn : 3 - turn;
      track.sectors = 8;
      track.angle_rev = fraction(0.3 * cylinder + 0.07 * turn);
      tracks.push_back(track);
    }
  }
  const std::vector<model::LayoutNode> nodes = fold_tracks(tracks);
  REQUIRE(nodes.size() == 2);  // ten pairs of cylinders, and the last one
  CHECK(nodes[0].count == 10);
  CHECK(nodes[0].cylinder_step == 2);
  CHECK(nodes[0].children.size() == 2);
  CHECK(nodes[1].cylinder == 20);
  model::Layout folded, plain;
  folded.zones = nodes;
  plain.zones = tracks;
  const engine::LayoutMap a(folded), b(plain);
  for (std::uint64_t lbn = 0; lbn < a.blocks(); ++lbn) {
    REQUIRE(a.pbn_of_lbn(lbn) == b.pbn_of_lbn(lbn));
    const double off = engine::rev_from_angle(a.angle_of_lbn(lbn) - b.angle_of_lbn(lbn));
    REQUIRE(std::min(off, 1 - off) < 1e-9);
  }
}

}  // namespace
}  // namespace platter::emit_disksim
