// What a simplified model is made with: passages counted, seeks thinned, spares said more simply.
#include <algorithm>
#include <random>
#include <vector>

#include "../engine/small_drive.h"
#include "catch.h"
#include "emit/small/distance.h"
#include "emit/small/spares.h"
#include "emit/small/thin_seeks.h"
#include "engine/seek_table.h"

using namespace platter;
using emit_small::Slots;
using model::Skip;

TEST_CASE("as many passages as are counted one by one") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    // Often so coarse that some lie just at the edge.
    const std::uint64_t grain = ~std::uint64_t{0} << (random() % 62);
    const std::uint64_t from = random() & grain, turns = random() % 400;
    const std::uint64_t width = std::max<std::uint64_t>(1, (random() >> 1) & grain);
    const auto step = static_cast<std::int64_t>(
        static_cast<std::uint64_t>(static_cast<std::int64_t>(random()) >> (random() % 40)) & grain);
    std::uint64_t one_by_one = 0, x = from;
    for (std::uint64_t j = 0; j < turns; ++j, x += static_cast<std::uint64_t>(step))
      one_by_one += x < width;
    REQUIRE(emit_small::passing(from, step, turns, width) == one_by_one);
  }
}

TEST_CASE("thinned seeks lie as near as any choice of as many points") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    model::DriveModel drive = engine::testing::small_drive();
    drive.seek.points.clear();
    std::uint32_t cylinders = 0;
    for (int i = 0; i < 9; ++i) {
      cylinders += 1 + static_cast<std::uint32_t>(random() % 20);
      drive.seek.points.push_back(
          {cylinders, 1 + static_cast<double>(random() % 1000) / 100, std::nullopt, 0});
    }
    const auto farthest = [&](const model::Seek& seek) {
      const engine::SeekTable one(drive.seek), other(seek);
      Nanoseconds ns = 0;
      for (const model::SeekPoint& point : drive.seek.points)
        ns = std::max(ns, std::abs(one.time_ns(point.cylinders) - other.time_ns(point.cylinders)));
      return ns;
    };
    // Three of the seven between the first and the last one; of these the last but one.
    Nanoseconds least = from_ms(1e6);
    for (unsigned chosen = 0; chosen < 128; ++chosen) {
      model::Seek seek;
      for (unsigned i = 0; i < 9; ++i)
        if (i == 0 || i >= 7 || (chosen >> (i - 1) & 1) != 0)
          seek.points.push_back(drive.seek.points[i]);
      if (seek.points.size() == 6) least = std::min(least, farthest(seek));
    }
    model::DriveModel thin = drive;
    emit_small::thin_seeks(thin, 6);
    CHECK(thin.seek.points.size() <= 6);
    CHECK(farthest(thin.seek) <= least);
  }
}

namespace {

std::vector<std::uint64_t> blocks_of(const std::vector<Skip>& skips, const Slots& slots) {
  std::vector<bool> skipped(slots.end - slots.first);
  for (const Skip& skip : skips)
    for (std::uint64_t i = 0; i < skip.count; ++i)
      for (std::uint64_t j = 0; j < skip.length; ++j)
        skipped.at(skip.first_slot + i * skip.stride + j - slots.first) = true;
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < skipped.size(); ++i)
    if (!skipped[i]) blocks.push_back(slots.first + i);
  return blocks;
}

}  // namespace

TEST_CASE("slips without spares are said in fewer, and no block is far from its place") {
  std::mt19937_64 random(5);
  const Slots slots{1000, 9000};
  for (int round = 0; round < 50; ++round) {
    std::vector<Skip> skips;
    for (std::uint64_t slot = 1000; slot + 300 < slots.end; slot += 3 + random() % 200)
      skips.push_back({slot, 1, 1, 0});
    const auto simple = emit_small::simplified(skips, slots, 4);
    const auto before = blocks_of(skips, slots), after = blocks_of(simple, slots);
    REQUIRE(after.size() == before.size());
    CHECK(simple.size() <= skips.size() / 5 + 2);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::uint64_t far = std::max(before[i], after[i]) - std::min(before[i], after[i]);
      REQUIRE(far <= 10);
    }
  }
}

TEST_CASE("spares that recur stay one run, whatever was slipped into them") {
  std::mt19937_64 random(9);
  const Slots slots{500, 500 + 40 * 100};
  std::vector<Skip> skips;
  for (std::uint64_t track = 0; track < 40; ++track) {
    const std::uint64_t first = 500 + track * 100;
    if (track % 6 == 5) {  // a slip takes the place of a spare
      skips.push_back({first + 20 + random() % 50, 1, 1, 0});
      skips.push_back({first + 99, 1, 1, 0});
    } else if (!skips.empty() && track % 6 != 0) {
      ++skips.back().count;
      skips.back().stride = 100;
    } else {
      skips.push_back({first + 98, 2, 1, 0});
    }
  }
  const auto simple = emit_small::simplified(skips, slots, 2);
  CHECK(simple.size() == 1);
  CHECK(blocks_of(simple, slots).size() == blocks_of(skips, slots).size());
}

TEST_CASE("what lies within slots is as many sectors as one by one") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 500; ++round) {
    std::vector<Skip> skips;
    std::uint64_t slot = 0;
    while (slot < 3000) {
      const std::uint64_t length = 1 + random() % 5, stride = length + 1 + random() % 50;
      const std::uint64_t count = 1 + random() % 6;
      skips.push_back({slot + random() % 40, length, count, count > 1 ? stride : 0});
      slot = skips.back().first_slot + (count - 1) * stride + length;
    }
    const std::uint64_t first = random() % 2000, end = first + 1 + random() % 1500;
    std::uint64_t one_by_one = 0;
    for (const Skip& skip : skips)
      for (std::uint64_t i = 0; i < skip.count; ++i)
        for (std::uint64_t j = 0; j < skip.length; ++j) {
          const std::uint64_t at = skip.first_slot + i * skip.stride + j;
          one_by_one += at >= first && at < end;
        }
    const auto found = emit_small::within(skips, {first, end});
    REQUIRE(emit_small::skipped(found) == one_by_one);
    for (std::size_t i = 1; i < found.size(); ++i)
      REQUIRE(found[i].first_slot > found[i - 1].first_slot);
  }
}
