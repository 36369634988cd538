// Which zones have which tracks, and where an order has a place, against a look at all of them.
#include "layout/taken_places.h"

#include <map>
#include <random>
#include <set>

#include "catch.h"
#include "layout/track_order.h"

namespace platter::layout {
namespace {

// Bands of some tracks on one surface after the other, up and down, one behind the other.
std::vector<TrackPlace> bands(std::int64_t heads, std::int64_t tracks, std::int64_t groups) {
  std::vector<TrackPlace> met;
  for (std::int64_t group = 0; group < groups; ++group)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t t = 0; t < tracks; ++t)
        met.push_back({group * tracks + (h % 2 == 0 ? t : tracks - 1 - t), h});
  return met;
}

std::optional<std::uint64_t> by_looking(const TrackOrder& order, TrackPlace place,
                                        std::uint64_t from, std::uint64_t end) {
  for (std::uint64_t track = from; track < end; ++track)
    if (order.at(track) == place) return track;
  return std::nullopt;
}

}  // namespace

TEST_CASE("an order that is searched often finds what one that is looked through has") {
  std::mt19937_64 random(5);
  std::vector<TrackPlace> met = bands(4, 30, 3);
  // Some tracks met before that the rule does not have.
  for (std::int64_t i = 0; i < 7; ++i) met.insert(met.begin() + 11 * i, {1000 + i, i % 4});
  TrackOrder order(met);
  const std::uint64_t end = met.size() + 2000;
  const auto compare = [&] {
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t track = random() % end, from = i % 3 == 0 ? 0 : random() % end;
      const TrackPlace there = i % 4 == 0 ? TrackPlace{static_cast<std::int64_t>(random() % 1010),
                                                       static_cast<std::int64_t>(random() % 5)}
                                          : order.at(track);
      const auto found = order.find(there, from);
      const auto looked = by_looking(order, there, from, end);
      if (looked)
        REQUIRE(found == looked);
      else
        REQUIRE((!found || *found >= end));
    }
  };
  compare();
  // It is another one from then on.
  order.continue_with(met.size() + 5, {5000, 2});
  compare();
  CHECK(order.find({5000, 2}) == met.size() + 5);
  const TrackOrder copy = order;
  order.append({6000, 1});
  CHECK(order.find({6000, 1}));
  CHECK(copy.find({5000, 2}) == met.size() + 5);
}

TEST_CASE("tracks that several zones have, and those of another zone than one's own") {
  std::mt19937_64 random(9);
  TakenPlaces taken;
  std::map<TrackPlace, std::set<std::uint32_t>> truth;
  const auto anywhere = [&] {
    return TrackPlace{static_cast<std::int64_t>(random() % 60),
                      static_cast<std::int64_t>(random() % 4)};
  };
  constexpr std::uint32_t kZones = 5;
  for (std::uint32_t zone = 0; zone < kZones; ++zone)
    for (std::uint32_t track = 0; track < 40; ++track) {
      const TrackPlace place = anywhere();
      if (!truth[place].insert(zone).second) continue;
      taken.add(place, {zone, track});
    }
  taken.sort();
  std::size_t shared = 0, expected = 0;
  taken.each_shared([&](TakenPlaces::Track first, TakenPlaces::Track other) {
    CHECK(first.zone < other.zone);
    ++shared;
  });
  for (const auto& [place, zones] : truth) expected += zones.empty() ? 0 : zones.size() - 1;
  CHECK(shared == expected);
  const auto compare = [&] {
    for (std::int64_t cylinder = 0; cylinder < 60; ++cylinder)
      for (std::int64_t head = 0; head < 4; ++head)
        for (std::uint32_t zone = 0; zone < kZones; ++zone) {
          const auto& zones = truth[{cylinder, head}];
          const bool another = zones.size() > 1 || (zones.size() == 1 && !zones.contains(zone));
          REQUIRE(taken.is_of_another({cylinder, head}, zone) == another);
        }
  };
  compare();
  taken.forget(2);
  for (auto& [place, zones] : truth) zones.erase(2);
  compare();
  for (int i = 0; i < 20; ++i) {
    const TrackPlace place = anywhere();
    truth[place].insert(2);
    taken.add_anew(place, 2);
  }
  compare();
  taken.forget(2);
  for (auto& [place, zones] : truth) zones.erase(2);
  compare();
  CHECK_FALSE(taken.is_of_another({-1, 0}, 0));
}

}  // namespace platter::layout
