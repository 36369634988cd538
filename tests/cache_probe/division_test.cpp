// From the requests at which a buffer was divided anew to what divides it.
#include "cache_probe/division.h"

#include <random>

#include "catch.h"

using namespace platter::cache_probe;
using Trigger = Division::Trigger;

namespace {

// Changes of load at random, each after a stream of two windows at least.
template <typename Divided>
std::vector<LoadChange> changes_of(int count, std::int64_t stream, std::mt19937_64& random,
                                   Divided divided) {
  std::vector<LoadChange> changes;
  std::int64_t reads = 1 + static_cast<std::int64_t>(random() % 1000);
  for (int i = 0; i < count; ++i) {
    LoadChange change;
    change.from = reads + 2 * stream + static_cast<std::int64_t>(random() % 500);
    change.divided = change.until = divided(change.from);
    reads = change.until + 1;
    changes.push_back(change);
  }
  return changes;
}

// The first request behind a window that is full, `phase` being one.
std::int64_t behind_window(std::int64_t from, std::int64_t window, std::int64_t phase) {
  std::int64_t at = phase;
  while (at <= from) at += window;
  return at;
}

}  // namespace

TEST_CASE("windows of requests are told by the requests behind them") {
  std::mt19937_64 random(3);
  for (const std::int64_t window : {4, 5, 16, 31, 32, 100, 1000})
    for (int round = 0; round < 5; ++round) {
      CAPTURE(window, round);
      auto changes = changes_of(14, window, random,
                                [&](std::int64_t from) { return behind_window(from, window, 3); });
      // Some have a whole window for themselves, as the tests choose them.
      for (std::size_t i = 0; i < changes.size(); i += 3)
        changes[i].from = changes[i].divided - window;
      const Divisions found = divisions_of(changes);
      CHECK((found.proven() || (window > 100 && found.likeliest().share > 0.99)));
      CHECK(found.likeliest().trigger == Trigger::window);
      CHECK(found.likeliest().requests == window);
      CHECK(found.changes == 14);
      // One late answer that was taken for a division, or a division that was missed by one
      // request.
      changes[7].divided += 1;
      CHECK(divisions_of(changes).likeliest().requests == window);
    }
}

TEST_CASE("what else divides a buffer is not taken for windows") {
  std::mt19937_64 random(4);
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    const auto in_a_row =
        divisions_of(changes_of(14, 20, random, [](std::int64_t from) { return from + 20; }));
    CHECK(in_a_row.proven());
    CHECK(in_a_row.likeliest().trigger == Trigger::in_a_row);
    CHECK(in_a_row.likeliest().requests == 20);
    const auto by_chance = divisions_of(changes_of(14, 20, random, [&](std::int64_t from) {
      return from + 1 + static_cast<std::int64_t>(random() % 40);
    }));
    CHECK_FALSE((by_chance.proven() && by_chance.likeliest().trigger != Trigger::irregular));
  }
}

TEST_CASE("few changes of load prove nothing") {
  std::mt19937_64 random(5);
  for (int count = 0; count < 4; ++count) {
    const auto found = divisions_of(changes_of(
        count, 32, random, [&](std::int64_t from) { return behind_window(from, 32, 7); }));
    CHECK_FALSE(found.proven());
    CHECK(found.changes == static_cast<std::uint64_t>(count));
  }
  CHECK(divisions_of({}).likeliest().trigger == Trigger::none);
}

TEST_CASE("a buffer that stays as it was where a window was full speaks against the window") {
  const std::int64_t window = 32, phase = 7;
  std::vector<LoadChange> changes;
  for (const std::int64_t from : {300, 710, 1101}) {
    const std::int64_t divided = behind_window(from, window, phase);
    changes.push_back({from, divided, divided});
  }
  const auto against_irregular = [&] {
    double mine = 0, irregular = 0;
    for (const Division& one : divisions_of(changes).likely) {
      if (one.trigger == Trigger::window && one.requests == window) mine = one.share;
      if (one.trigger == Trigger::irregular) irregular = one.share;
    }
    REQUIRE(irregular > 0);
    return mine / irregular;
  };
  const double before = against_irregular();
  // Too few requests of the new load were in the window that was full first, but not in two.
  changes.push_back({1500, 0, behind_window(1500, window, phase) + window / 2});
  CHECK(against_irregular() < 0.5 * before);
}

TEST_CASE("a change of load is told best where two windows foretell other requests") {
  const Division short_one{Trigger::window, 24, 0, 0.5}, long_one{Trigger::window, 48, 0, 0.5};
  CHECK(alike(short_one, short_one, 30) == Approx(1));
  CHECK(alike(short_one, long_one, 48 - 1) == Approx(0.7));  // both are full with the next request
  CHECK(alike(short_one, long_one, 48) == 0);                // after 24, or after 48
  CHECK(alike(short_one, {Trigger::in_a_row, 24, 0, 0.5}, 48) == Approx(1));
  CHECK(alike(short_one, {Trigger::irregular, 0, 0, 0.5}, 48) == 0);
}
