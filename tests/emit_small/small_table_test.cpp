#include "emit/small/small_table.h"

#include <cstdlib>
#include <iostream>
#include <random>
#include <span>
#include <string>

#include "catch.h"
#include "emit/small/distance.h"
#include "emit/small/stated.h"
#include "emit/table/table.h"
#include "replay/replay_model.h"
#include "virtual_drive/catalogue.h"

using namespace platter;
using emit_small::kMostBytes;

namespace {

emit_table::Table table_of(const std::string& bytes) {
  return emit_table::read_table(std::as_bytes(std::span(bytes)), "test.ptab");
}

// The seeds of other replays than those that the table's demerits are of.
constexpr std::uint64_t kOtherSeeds[] = {1001, 1002, 1003};

std::uint32_t cylinder_of(const engine::LayoutMap& map, std::uint64_t lbn) {
  return map.pbn_of_lbn(lbn).cylinder;
}

std::uint32_t farther(std::uint32_t farthest, std::uint32_t a, std::uint32_t b) {
  return std::max(farthest, a > b ? a - b : b - a);
}

void require_what_is_stated(const model::DriveModel& drive, const std::string& name) {
  const emit_table::Table whole = table_of(emit_table::compile_table(drive));
  const std::string bytes = emit_small::compile_small_table(drive);
  const emit_table::Table small = table_of(bytes);
  INFO(name);
  REQUIRE(bytes.size() <= kMostBytes);
  const engine::LayoutMap& map = whole.tables->layout;
  REQUIRE(small.tables->layout.blocks() == map.blocks());
  if (!small.simplified) {
    CHECK(bytes == emit_table::compile_table(drive));
    return;
  }
  const emit_table::Simplified& stated = *small.simplified;
  CHECK(stated.from == whole.model_sha256);
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t lbn = random() % map.blocks();
    CHECK(farther(0, cylinder_of(map, lbn), cylinder_of(small.tables->layout, lbn)) <=
          stated.cylinders);
    const auto distance = static_cast<std::uint32_t>(1 + random() % (map.cylinders() - 1));
    for (std::uint32_t curve = 0; curve < whole.tables->seeks.curves(); ++curve)
      CHECK(std::abs(whole.tables->seeks.time_ns(distance, curve) -
                     small.tables->seeks.time_ns(distance, curve)) <= stated.seek_ns);
  }
  const replay::Subject one = replay::subject_of(drive.identity, whole.tables);
  const replay::Subject other = replay::subject_of(drive.identity, small.tables);
  std::string row = "| `" + name + "` | " + std::to_string(bytes.size()) + " | " +
                    std::to_string(stated.seek_ns) + " | " + std::to_string(stated.cylinders) +
                    " | " + std::to_string(stated.in_phase_share);
  REQUIRE(stated.demerits.size() == 3);
  for (const model::Demerit& demerit : stated.demerits) {
    double largest_ms = 0;
    for (const std::uint64_t seed : kOtherSeeds) {
      const double demerit_ms = emit_small::replayed(one, other, demerit.workload, seed).demerit_ms;
      largest_ms = std::max(largest_ms, demerit_ms);
      INFO(demerit.workload << ", seed " << seed);
      CHECK(demerit_ms <= demerit.demerit_ms);
    }
    row += " | " + std::to_string(demerit.demerit_ms) + " | " + std::to_string(largest_ms) + " | " +
           std::to_string(demerit.drive_mean_ms);
  }
  if (std::getenv("PLATTER_PRINT_SMALL") != nullptr) std::cout << row << " |\n";
}

}  // namespace

TEST_CASE("every drive of the catalogue fits, and its table keeps what it states") {
  for (const virtual_drive::CatalogueEntry& entry : virtual_drive::catalogue())
    require_what_is_stated(virtual_drive::catalogue_model(entry), std::string(entry.name));
}
