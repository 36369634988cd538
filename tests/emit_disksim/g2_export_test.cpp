#include "emit/disksim/g2_export.h"

#include <cmath>
#include <string>
#include <vector>

#include "catch.h"
#include "emit/disksim/export.h"
#include "emit/disksim/import.h"
#include "engine/layout_map.h"
#include "folder.h"
#include "virtual_drive/open.h"

namespace platter::emit_disksim {
namespace {

// The angle of each stretch's track as DiskSim's code computes it: a skew for each cylinder ahead
// of time, then the switches of tracks within the cylinder.
std::vector<double> angles_of_disksim(const G2Export& g2) {
  struct CylinderSkew {
    bool seen = false;
    double skew_rev = 0;
  };
  std::vector<CylinderSkew> cylinders(g2.cylinders + 1);
  cylinders[0].seen = true;  // with no skew
  std::vector<double> angles;
  std::size_t band = 0;
  double in_cylinder = 0;
  for (std::size_t i = 0; i < g2.stretches.size(); ++i) {
    const TrackStretch& s = g2.stretches[i];
    const bool new_cylinder = i == 0 || g2.stretches[i - 1].cylinder != s.cylinder;
    if (!cylinders[s.cylinder].seen) {
      cylinders[s.cylinder].seen = true;
      if (g2.bands[band].last_cylinder < s.cylinder) ++band;
      if (s.cylinder == g2.bands[band].first_cylinder) {
        cylinders[s.cylinder].skew_rev = g2.bands[band].skew_rev;
      } else {
        cylinders[s.cylinder + 1].skew_rev = cylinders[s.cylinder].skew_rev;
      }
    }
    const G2Band& its = g2.bands[band];
    in_cylinder = new_cylinder
                      ? 0
                      : in_cylinder + (s.head != g2.stretches[i - 1].head ? its.track_skew_rev : 0);
    angles.push_back(cylinders[s.cylinder].skew_rev + in_cylinder);
    if (i + 1 == g2.stretches.size()) break;
    const TrackStretch& next = g2.stretches[i + 1];
    if (next.cylinder != s.cylinder) {
      cylinders[s.cylinder + 1].skew_rev += its.cylinder_skew_rev;
    } else if (next.head != s.head) {
      cylinders[s.cylinder + 1].skew_rev += its.track_skew_rev;
    }
  }
  return angles;
}

TEST_CASE("a layout g2 says where the blocks are, in DiskSim's arithmetic too") {
  for (const char* name : {"quantum-atlas10k", "seagate-cheetah9lp", "seagate-barracuda4lp",
                           "ibm-ultrastar18es", "spare-none", "spare-zone"}) {
    INFO(name);
    const model::DriveModel model = virtual_drive::virtual_model("virtual:" + std::string(name));
    const G2Export g2 = express_as_g2(model.layout, model.identity.cylinders, model.identity.heads,
                                      1e-6);
    const std::vector<double> angles = angles_of_disksim(g2);
    double worst = 0;
    for (std::size_t i = 0; i < angles.size(); ++i) {
      const double off = angles[i] - g2.stretches[i].angle_rev;
      worst = std::max(worst, std::fabs(off - std::round(off)));
    }
    CHECK(worst < 1e-6);
    const Folder folder;
    const Exported exported = export_disksim(model, folder / "out", {"d", LayoutType::g2});
    CHECK(exported.layout == "dm_layout_g2");
    CHECK(exported.files.size() == 6);
    CHECK(begins_emitted(model::read_file(folder / "out/d.map").substr(0, 4096)));
    const Imported back = import_disksim(exported.files[0]);  // the places: the export compares
    CHECK(back.warnings.empty());
    CHECK(back.model.identity.cylinders == model.identity.cylinders);
    CHECK(back.model.identity.heads == model.identity.heads);
  }
}

// 60 cylinders of 2 heads, 50 sectors a track.
model::Layout two_heads() {
  model::LayoutNode track, cylinder;
  track.count = 2;
  track.head_step = 1;
  track.sectors = 50;
  track.angle_step_rev = 0.1;
  cylinder.count = 60;
  cylinder.cylinder_step = 1;
  cylinder.angle_step_rev = 0.3;
  cylinder.angle_rev = 0.25;
  cylinder.children = {track};
  model::Layout layout;
  layout.zones = {cylinder};
  return layout;
}

TEST_CASE("DiskSim forgets a zone's skew behind its first cylinder: then that has a zone") {
  model::Layout layout = two_heads();
  const G2Export one = express_as_g2(layout, 0, 0, 1e-6);
  CHECK(one.bands.size() == 1);
  CHECK(one.turned_rev == Approx(-0.25));  // cylinder 0 has no skew in DiskSim
  CHECK(one.cylinders == 61);              // it writes behind the last
  layout.zones.push_back(layout.zones[0]);
  layout.zones[1].cylinder = 60;
  layout.zones[1].angle_rev = 0.4;
  const G2Export two = express_as_g2(layout, 0, 0, 1e-6);
  REQUIRE(two.bands.size() == 3);
  CHECK(two.bands[1].first_cylinder == 60);
  CHECK(two.bands[1].last_cylinder == 60);
  CHECK(two.bands[2].first_cylinder == 60);
  CHECK(two.bands[2].last_cylinder == 119);
  CHECK(two.bands[2].first_lbn == 6100);
  layout.zones[1].angle_rev = 0.25;
  CHECK(express_as_g2(layout, 0, 0, 1e-6).bands.size() == 1);  // 60 times 0.3 are whole
  layout.zones[1].cylinder = 61;
  CHECK(express_as_g2(layout, 0, 0, 1e-6).bands.size() == 2);
}

TEST_CASE("what a layout g2 cannot say is refused with the reason") {
  const auto refuses = [](const char* drive, const char* why) {
    INFO(drive);
    const model::Layout layout = virtual_drive::virtual_model(drive).layout;
    CHECK_THROWS_WITH(express_as_g2(layout, 0, 0, 1e-6), Catch::Contains(why));
  };
  refuses("virtual:head-density", "there is one number a cylinder there");
  refuses("virtual:hp-c2247", "the tracks of cylinder 40 do not follow at one skew");  // spares
  refuses("virtual:serpentine-147gb", "cylinders follow one another there");
  model::Layout layout = two_heads();
  model::LayoutNode third;
  third.sectors = 50;
  third.head = 2;
  third.angle_rev = 0.7;
  layout.zones[0].children.push_back(third);
  CHECK_THROWS_WITH(express_as_g2(layout, 0, 0, 1e-6),
                    Catch::Contains("the tracks of cylinder 0 do not follow at one skew"));
}

}  // namespace
}  // namespace platter::emit_disksim
