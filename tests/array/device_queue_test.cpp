#include "array/device_queue.h"

#include "catch.h"

using platter::array::DeviceQueue;
using Commands = DeviceQueue::Commands;
using Unplug = DeviceQueue::Unplug;

namespace {

Commands issued(DeviceQueue& queue, const Commands& commands, Unplug how = Unplug::in_order) {
  Commands sent;
  queue.issue(commands, how, sent);
  return sent;
}

Commands ended(DeviceQueue& queue) {
  Commands sent;
  queue.ended(sent);
  return sent;
}

}  // namespace

TEST_CASE("a drive without a limit gets all, in the order in which a plug is left") {
  DeviceQueue queue(0);
  CHECK(issued(queue, {1, 2, 3}) == Commands{1, 2, 3});
  CHECK(issued(queue, {1, 2, 3}, Unplug::asleep) == Commands{1, 2, 3});
  CHECK(issued(queue, {1, 2, 3}, Unplug::backwards) == Commands{3, 2, 1});
  Commands sent;
  queue.issue(4, sent);
  CHECK(sent == Commands{4});
  CHECK(ended(queue).empty());
}

TEST_CASE("what a drive does not take waits, and goes when one has ended") {
  DeviceQueue queue(2);
  CHECK(issued(queue, {1, 2, 3, 4}) == Commands{1, 2});
  CHECK(ended(queue) == Commands{3});
  CHECK(ended(queue) == Commands{4});
  CHECK(ended(queue).empty());
}

TEST_CASE("what was refused goes before what came behind it, though that came first") {
  DeviceQueue queue(1);
  REQUIRE(issued(queue, {1, 2, 3}) == Commands{1});  // 2 is refused, 3 behind it
  REQUIRE(issued(queue, {4}, Unplug::backwards).empty());
  REQUIRE(issued(queue, {5}, Unplug::backwards).empty());
  CHECK(ended(queue) == Commands{2});
  CHECK(ended(queue) == Commands{4});
  REQUIRE(issued(queue, {6}, Unplug::backwards).empty());
  CHECK(ended(queue) == Commands{5});
  CHECK(ended(queue) == Commands{6});
  CHECK(ended(queue) == Commands{3});
}

TEST_CASE("while a drive refuses, all but a plug of its own goes behind, in order") {
  DeviceQueue queue(1);
  REQUIRE(issued(queue, {1, 2}) == Commands{1});
  Commands sent;
  queue.issue(3, sent);
  REQUIRE(issued(queue, {4, 5}).empty());
  REQUIRE(sent.empty());
  CHECK(queue.behind() == std::deque<std::uint32_t>{3, 4, 5});
  for (const std::uint32_t next : {2u, 3u, 4u, 5u}) CHECK(ended(queue) == Commands{next});
}

TEST_CASE("a drive that was busy is asked directly again after a while") {
  const bool alone = GENERATE(true, false);
  DeviceQueue queue(2);
  REQUIRE(issued(queue, {1, 2}) == Commands{1, 2});
  for (std::uint32_t i = 3; i < 20; ++i) REQUIRE(issued(queue, {i}, Unplug::backwards).empty());
  while (!ended(queue).empty()) {
  }
  ended(queue);
  for (std::uint32_t i = 0; i < 20; ++i) {
    Commands sent;
    if (alone)
      queue.issue(5, sent);
    else
      sent = issued(queue, {5}, Unplug::backwards);
    REQUIRE(sent == Commands{5});
    REQUIRE(ended(queue).empty());
  }
  REQUIRE(issued(queue, {6, 7, 8}) == Commands{6, 7});
  CHECK(queue.behind().empty());  // 8 was refused, not put behind
}
