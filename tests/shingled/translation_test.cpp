#include "shingled/translation.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "catch.h"

namespace platter::shingled {
namespace {

Settings small_settings() {
  return {.blocks = 1000,
          .cache_blocks = 200,
          .idle_ns = 5,
          .cleaning_ns = 7,
          .band_blocks = 64,
          .entries = 40,
          .when_idle = 1};
}

class Made {
 public:
  explicit Made(const Settings& settings)
      : memory_(Translation::bytes(settings) / sizeof(std::max_align_t) + 1),
        translation_(Translation::create(settings, memory_.data())) {}
  Translation& operator*() { return *translation_; }
  Translation* operator->() { return translation_; }

 private:
  std::vector<std::max_align_t> memory_;
  Translation* translation_;
};

// Block by block.
using Places = std::map<std::uint64_t, std::uint64_t>;

void check_places(Made& made, const Places& away, std::uint64_t blocks) {
  for (std::uint64_t lbn = 0; lbn < blocks;) {
    const Run run = made->run_from(lbn, blocks - lbn);
    REQUIRE(run.blocks > 0);
    for (std::uint64_t i = 0; i < run.blocks; ++i) {
      const auto found = away.find(lbn + i);
      REQUIRE(run.at + i == (found == away.end() ? lbn + i : found->second));
    }
    lbn += run.blocks;
  }
}

}  // namespace

TEST_CASE("blocks are where a list of all of them says, whatever is written, cut and cleaned") {
  const Settings settings = small_settings();
  std::mt19937_64 random(5);
  const auto below = [&random](std::uint64_t most) { return random() % most; };
  Made made(settings);
  Places away;
  std::vector<std::uint32_t> dirty;
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t lbn = below(settings.blocks - 50), blocks = 1 + below(50);
    while (!made->has_room(lbn, blocks)) {
      const std::uint32_t band = *made->next_dirty();
      REQUIRE(band == dirty.front());
      dirty.erase(dirty.begin());
      made->come_home();
      std::erase_if(away, [&](const auto& one) { return settings.band_of(one.first) == band; });
    }
    const std::uint64_t at = made->write(lbn, blocks);
    REQUIRE(at >= settings.blocks);
    REQUIRE(at + blocks <= settings.blocks + settings.cache_blocks);
    for (std::uint64_t k = 0; k < blocks; ++k) {
      away[lbn + k] = at + k;
      const std::uint32_t band = settings.band_of(lbn + k);
      if (std::ranges::find(dirty, band) == dirty.end()) dirty.push_back(band);
    }
    REQUIRE(made->cached_blocks() == away.size());
    if (i % 50 == 0) check_places(made, away, settings.blocks);
  }
  while (made->next_dirty()) made->come_home();
  CHECK(made->all_home());
  CHECK(made->cached_blocks() == 0);
  check_places(made, {}, settings.blocks);
}

TEST_CASE("the media cache is full when its blocks are, or its extents") {
  Settings settings = small_settings();
  Made by_blocks(settings);
  for (int i = 0; i < 4; ++i) by_blocks->write(100 * i, 50);
  CHECK_FALSE(by_blocks->has_room(900, 1));
  settings.entries = 3;
  Made by_extents(settings);
  for (int i = 0; i < 3; ++i) by_extents->write(100 * i, 1);
  CHECK_FALSE(by_extents->has_room(900, 1));
  by_extents->come_home();
  CHECK(by_extents->has_room(900, 1));
}

TEST_CASE("a write into the band that is being cleaned sets that back") {
  Made made(small_settings());
  made->write(70, 2);
  made->work(4);
  made->write(10, 2);
  CHECK(made->worked_ns() == 4);
  made->write(80, 2);
  CHECK(made->worked_ns() == 0);
}

TEST_CASE("places lead back to the host's blocks") {
  Made made(small_settings());
  const std::uint64_t at = made->write(500, 20);
  const std::vector<Run> back = made->blocks_at(at + 5, at + 8);
  REQUIRE(back.size() == 1);
  CHECK(back.front().lbn == 505);
  CHECK(back.front().blocks == 3);
  CHECK(made->blocks_at(at + 20, at + 30).empty());
  CHECK(made->blocks_at(30, 32).front().lbn == 30);
}

}  // namespace platter::shingled
