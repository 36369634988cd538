// Events of many requests at once, against a look-up that knows them all by their keys.
#include "trace/block_events.h"

#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "catch.h"

using namespace platter;
using namespace platter::trace;

namespace {

using Key = std::tuple<std::uint32_t, std::uint64_t, bool>;

struct Expected {
  Nanoseconds arrival_ns = 0;
  std::uint64_t first = 0;
  std::optional<Nanoseconds> service_ns{};
};

}  // namespace

TEST_CASE("each of thousands of open requests gets its own completion") {
  std::mt19937_64 random(5);
  const std::uint64_t places = GENERATE(40, 5000, 1u << 20);
  BlockEvents events(false);
  std::vector<Expected> expected;
  std::map<Key, std::size_t> open;
  std::vector<Key> issued;
  std::size_t next = 0;
  const auto take_all = [&] {
    for (Record record; events.take(record); ++next) {
      REQUIRE(next < expected.size());
      REQUIRE(record.request.arrival_ns == expected[next].arrival_ns);
      REQUIRE(record.first == expected[next].first);
      REQUIRE(record.request.service_ns == expected[next].service_ns);
      REQUIRE(events.place(Part::lbn).number == next);
    }
  };
  for (int i = 0; i < 60000; ++i) {
    const Nanoseconds now_ns = i * kMicrosecond;
    if (issued.empty() || random() % 5 > 1) {
      const Key key{random() % 2, 8 * (random() % places), random() % 2 == 0};
      const auto& [device, sector, write] = key;
      open[key] = expected.size();  // the one before is lost
      events.add({.action = BlockEvent::Action::issue,
                  .time_ns = now_ns,
                  .device = device,
                  .sector = sector,
                  .bytes = 4096,
                  .write = write,
                  .lbn = {expected.size(), 1, true}});
      expected.push_back({now_ns, sector * 512});
      issued.push_back(key);
    } else {
      const Key key = issued[random() % issued.size()];
      const auto& [device, sector, write] = key;
      if (const auto found = open.find(key); found != open.end()) {
        Expected& its = expected[found->second];
        its.service_ns = now_ns - its.arrival_ns;
        open.erase(found);
      }
      events.add({.action = BlockEvent::Action::complete,
                  .time_ns = now_ns,
                  .device = device,
                  .sector = sector,
                  .bytes = 4096,
                  .write = write});
    }
    if (i % 100 == 0) take_all();
  }
  events.end();
  take_all();
  CHECK(next == expected.size());
}
