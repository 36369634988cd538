// Drives drawn at random: valid, whole, and the same for the same seed.
#include "virtual_drive/random_drive.h"

#include <set>

#include "catch.h"
#include "model/json.h"
#include "model/validate.h"
#include "virtual_drive/open.h"
#include "virtual_drive/test_drive.h"

namespace platter::virtual_drive {
namespace {

using namespace testing;

const Limits kSmall{.least_slots = 20'000, .most_slots = 1'000'000};

TEST_CASE("random drives are valid, answer, and survive their file") {
  std::set<std::string> numbers, levels;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    model::DriveModel drawn = random_drive(seed, kSmall);
    INFO("seed " << seed << ": " << drawn.provenance.notes.front());
    REQUIRE_NOTHROW(model::validate(drawn, "it"));
    const std::string text = model::to_json_text(drawn);
    CHECK(model::to_json_text(model::from_json_text(text, "it")) == text);
    CHECK(model::to_json_text(random_drive(seed, kSmall)) == text);
    numbers.insert(drawn.firmware->sector_numbers);
    levels.insert(drawn.firmware->scsi_level);

    drawn.imperfections->seed = 1;
    VirtualDevice device(drawn);
    CHECK(sense_of(run(device, command({0x00, 0, 0, 0, 0, 0}))) == 0x62900);
    const double period_ms = 60e3 / static_cast<double>(drawn.rotation.denominator);
    for (std::uint64_t i = 0; i < 40; ++i) {
      const auto lbn = static_cast<std::uint32_t>((drawn.identity.blocks - 1) * i / 39);
      const auto done = run(device, read_10(lbn, 1));
      CHECK(sense_of(done) == 0);
      CHECK(done.response_ns() < from_ms(drawn.seek.points.back().time_ms + 3 * period_ms + 40));
    }
    // The next track is reached in time: its first sector has not just passed.
    const engine::LayoutMap& map = device.layout();
    const engine::Track first = map.track_of_slot(0);
    const engine::Track next = map.track_of_slot(first.sectors);
    if (next.zone == first.zone && next.cylinder == first.cylinder)
      CHECK(engine::rev_from_angle(next.angle - first.angle) * period_ms >
            *drawn.head_switch.value);
    // Seeks take longer, the longer they are.
    for (std::size_t i = 1; i < drawn.seek.points.size(); ++i)
      CHECK(drawn.seek.points[i].time_ms >= drawn.seek.points[i - 1].time_ms);
  }
  CHECK(numbers.size() == 3);
  CHECK(levels.size() == 3);
}

TEST_CASE("virtual:random-N is that drive") {
  const model::DriveModel named = virtual_model("virtual:random-3?seed=5");
  CHECK(named.imperfections->seed == 5);
  CHECK(named.imperfections->positioning_sigma_us == 30);
  CHECK(named.identity.blocks == random_drive(3).identity.blocks);
  CHECK(named.identity.serial == "VIRTUAL-3");
  CHECK(named.provenance.notes.front() == random_drive(3).provenance.notes.front());
  CHECK(virtual_model("random-3?imperfections=none").imperfections->positioning_sigma_us == 0);
}

}  // namespace
}  // namespace platter::virtual_drive
