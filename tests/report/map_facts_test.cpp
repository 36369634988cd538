// The order of tracks and the skews that a map tells of.
#include "report/map_facts.h"

#include <cmath>

#include "catch.h"

using namespace platter;
using namespace platter::report;

namespace {

model::LayoutNode run(std::uint32_t count, std::int32_t head, std::int32_t head_step,
                      std::int32_t cylinder_step, std::uint32_t sectors, double angle_step_rev) {
  model::LayoutNode node;
  node.count = count;
  node.head = head;
  node.head_step = head_step;
  node.cylinder_step = cylinder_step;
  node.sectors = sectors;
  node.angle_step_rev = angle_step_rev;
  return node;
}

model::Layout layout_of(model::LayoutNode zone) {
  model::Layout layout;
  layout.zones = {std::move(zone)};
  return layout;
}

}  // namespace

TEST_CASE("all heads of a cylinder, then the next: both skews") {
  model::LayoutNode zone;
  zone.count = 50;
  zone.cylinder_step = 1;
  zone.angle_step_rev = 3 * 0.1 + 0.25;  // two changes of head, one of cylinder
  zone.children = {run(3, 0, 1, 0, 100, 0.1)};
  zone.angle_step_rev = 0.2 + 0.25;
  const MapFacts facts = map_facts(layout_of(zone));
  CHECK(facts.surfaces == 3);
  CHECK(facts.tracks == 150);
  CHECK(facts.order ==
        "all surfaces of a cylinder, then the next cylinder; the heads from the first to the last");
  CHECK(*facts.track.outer_rev == Approx(0.1).margin(1e-6));
  CHECK(*facts.cylinder.outer_rev == Approx(0.25).margin(1e-6));
  CHECK(*facts.cylinder.inner_rev == Approx(0.25).margin(1e-6));
}

TEST_CASE("a skew of nearly no or nearly a whole turn is the middle one of the circle") {
  const double skews_rev[] = {-0.02, -0.01, -0.01, 0.01, 0.02};
  model::LayoutNode zone;
  double angle_rev = 0;
  for (int head = 0; head < 6; ++head) {
    model::LayoutNode track = run(1, head, 0, 0, 100, 0);
    track.angle_rev = angle_rev - std::floor(angle_rev);
    zone.children.push_back(track);
    if (head < 5) angle_rev += skews_rev[head];
  }
  CHECK(*map_facts(layout_of(zone)).track.outer_rev == Approx(0.99).margin(1e-6));
}

TEST_CASE("the heads forth and back") {
  model::LayoutNode zone;
  zone.count = 20;
  zone.cylinder_step = 2;
  model::LayoutNode back = run(4, 3, -1, 0, 100, 0.1);
  back.cylinder = 1;
  zone.children = {run(4, 0, 1, 0, 100, 0.1), back};
  CHECK(map_facts(layout_of(zone)).order.find("serpentine") != std::string::npos);
}

TEST_CASE("bands of one surface, forth and back") {
  model::LayoutNode zone;
  zone.count = 10;
  zone.cylinder_step = 30;
  model::LayoutNode back = run(30, 1, 0, -1, 100, 0.05);
  back.cylinder = 29;
  zone.children = {run(30, 0, 0, 1, 100, 0.05), back};
  const MapFacts facts = map_facts(layout_of(zone));
  CHECK(facts.order ==
        "about 30 tracks of one surface, then the next surface; the cylinders forth "
        "and back (serpentine)");
  CHECK(*facts.cylinder.outer_rev == Approx(0.05).margin(1e-6));
}
