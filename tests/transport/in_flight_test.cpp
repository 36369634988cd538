// Several commands outstanding, over a carrier that brings them back when the test says so.
#include "transport/in_flight.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <random>
#include <thread>

#include "catch.h"
#include "scsi/commands.h"

namespace platter::transport {
namespace {

using Kind = scsi::TransportError::Kind;

class SteeredCarrier final : public Carrier {
 public:
  SteeredCarrier(std::map<std::uint32_t, Flight*>& sent, int& refusal)
      : sent_(sent), refusal_(refusal) {}
  void prepare(std::size_t) override {}
  ~SteeredCarrier() override {
    if (thread.joinable()) thread.join();
  }
  int send(Flight& flight) override {
    if (refusal_ != 0) return refusal_;
    flight.issued_ns = HostClock().now_ns();
    sent_[flight.tag] = &flight;
    return 0;
  }

  std::thread thread;  // of a test that brings flights back while the queue ends

 private:
  std::map<std::uint32_t, Flight*>& sent_;
  int& refusal_;
};

struct Steered {
  explicit Steered(std::size_t most = 4) {
    queue = std::make_unique<InFlight>("/dev/sg0", most, [this](Arrivals& all) {
      arrivals = &all;
      auto made = std::make_unique<SteeredCarrier>(sent, refusal);
      carrier = made.get();
      return made;
    });
  }
  bool submit(std::uint32_t tag) { return queue->submit(scsi::test_unit_ready(), tag).has_value(); }
  void bring(std::uint32_t tag, Nanoseconds completed_ns, int error = 0) {
    Flight& flight = *sent.at(tag);
    sent.erase(tag);
    flight.completed_ns = completed_ns;
    flight.error = error;
    std::thread([&] { arrivals->back(flight); }).join();
  }
  std::optional<std::uint32_t> next() {
    const auto done = queue->reap();
    REQUIRE(done);
    return *done ? std::optional((*done)->tag) : std::nullopt;
  }

  std::map<std::uint32_t, Flight*> sent;
  int refusal = 0;
  Arrivals* arrivals = nullptr;
  SteeredCarrier* carrier = nullptr;
  std::unique_ptr<InFlight> queue;
};

Nanoseconds now_ns() { return HostClock().now_ns(); }

TEST_CASE("completions are handed out by their times, in whatever order their threads came") {
  Steered t;
  CHECK(t.queue->empty());
  CHECK_FALSE(t.next());
  for (const std::uint32_t tag : {1, 2, 3}) REQUIRE(t.submit(tag));
  CHECK_FALSE(t.queue->empty());
  const Nanoseconds time_ns = now_ns();
  t.bring(3, time_ns + 20);
  t.bring(1, time_ns + 30);
  t.bring(2, time_ns + 10);
  CHECK(t.next() == 2U);
  CHECK(t.next() == 3U);
  CHECK_FALSE(t.queue->empty());
  CHECK(t.next() == 1U);
  CHECK(t.queue->empty());
}

TEST_CASE("nobody is overtaken that has come already and has still to tell it") {
  for (const Nanoseconds deadline_ns : {std::numeric_limits<Nanoseconds>::max(), now_ns()}) {
    Steered t;
    REQUIRE((t.submit(1) && t.submit(2)));
    const Nanoseconds time_ns = deadline_ns - 100;
    t.arrivals->coming();
    t.bring(2, time_ns + 2);
    t.arrivals->coming();
    std::thread slow([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      t.bring(1, time_ns + 1);
    });
    const auto first = t.queue->reap_until(deadline_ns);
    slow.join();
    REQUIRE((first && *first));
    CHECK((*first)->tag == 1);
    CHECK(t.next() == 2U);
  }
}

TEST_CASE("a tag names one command that is outstanding") {
  Steered t;
  REQUIRE(t.submit(7));
  const auto again = t.queue->submit(scsi::test_unit_ready(), 7);
  REQUIRE_FALSE(again);
  CHECK(again.error().kind == Kind::protocol);
  t.bring(7, now_ns());
  CHECK_FALSE(t.submit(7));  // not reaped yet
  CHECK(t.next() == 7U);
  CHECK(t.submit(7));
  t.bring(7, now_ns());
}

TEST_CASE("no more are taken than may be outstanding") {
  Steered t(2);
  REQUIRE((t.submit(1) && t.submit(2)));
  const auto third = t.queue->submit(scsi::test_unit_ready(), 3);
  REQUIRE_FALSE(third);
  CHECK(third.error().kind == Kind::refused);
  t.bring(2, now_ns());
  CHECK_FALSE(t.submit(3));  // its memory is still needed
  CHECK(t.next() == 2U);
  CHECK(t.submit(3));
  t.bring(1, now_ns());
  t.bring(3, now_ns());
}

TEST_CASE("what Linux does not take is not outstanding, and the others stay so") {
  for (const int error : {EAGAIN, EDOM, EBUSY, ENOMEM, ENODEV, EPERM}) {
    Steered t;
    REQUIRE(t.submit(1));
    t.refusal = error;
    const auto refused = t.queue->submit(scsi::read_10(5, 8, 512), 2);
    REQUIRE_FALSE(refused);
    INFO(refused.error().sentence);
    CHECK(refused.error().kind == (error == ENODEV  ? Kind::gone
                                   : error == EPERM ? Kind::permission
                                                    : Kind::io));
    CHECK(refused.error().sentence.find("/dev/sg0 did not carry out READ(10)") == 0);
    t.refusal = 0;
    CHECK(t.submit(2));
    t.bring(1, now_ns());
    t.bring(2, now_ns());
    CHECK((t.next() == 1U && t.next() == 2U && !t.next()));
  }
}

TEST_CASE("the error of one command is reaped in its turn, and the others are as they were") {
  Steered t;
  for (const std::uint32_t tag : {1, 2, 3}) REQUIRE(t.submit(tag));
  const Nanoseconds time_ns = now_ns();
  t.bring(1, time_ns);
  t.bring(2, time_ns + 1, ENODEV);
  CHECK(t.next() == 1U);
  const auto error = t.queue->reap();
  REQUIRE_FALSE(error);
  CHECK(error.error().kind == Kind::gone);
  t.bring(3, time_ns + 2);
  CHECK(t.next() == 3U);
  CHECK_FALSE(t.next());
}

TEST_CASE("until a deadline comes what completed by then, however late it is asked for") {
  Steered t;
  REQUIRE((t.submit(1) && t.submit(2)));
  const Nanoseconds deadline_ns = now_ns() + kMillisecond;
  CHECK_FALSE(*t.queue->reap_until(deadline_ns));
  CHECK(now_ns() >= deadline_ns);
  t.bring(1, deadline_ns - 5);
  t.bring(2, deadline_ns + 5);
  const auto first = t.queue->reap_until(deadline_ns);
  REQUIRE((first && *first));
  CHECK((*first)->tag == 1);
  CHECK_FALSE(*t.queue->reap_until(deadline_ns));
  CHECK((*t.queue->reap_until(deadline_ns + 5))->tag == 2);
}

TEST_CASE("a wait ends when a command comes back, in its sleep and in its last stretch") {
  for (const Nanoseconds ahead_ns : {10 * kSecond, SleepPunctuality::kSpin}) {
    bool came = false;
    // A host that is busy may let the short deadline pass.
    for (int i = 0; i < 1000 && !came; ++i) {
      Steered t;
      REQUIRE(t.submit(1));
      std::atomic<bool> ready{false}, go{false};
      std::thread other([&] {
        ready = true;
        while (!go) std::this_thread::yield();
        Flight& flight = *t.sent.at(1);
        flight.completed_ns = now_ns();
        t.arrivals->back(flight);
      });
      while (!ready) std::this_thread::yield();
      const Nanoseconds deadline_ns = now_ns() + ahead_ns;
      go = true;
      const auto done = t.queue->reap_until(deadline_ns);
      REQUIRE(done);
      came = done->has_value() && now_ns() < deadline_ns;
      other.join();
    }
    CHECK(came);
  }
}

TEST_CASE("what was dropped is not reaped, and its memory waits until it is back") {
  Steered t(3);
  for (const std::uint32_t tag : {1, 2, 3}) REQUIRE(t.submit(tag));
  t.bring(1, now_ns());
  t.queue->drop();
  CHECK(t.queue->empty());
  CHECK_FALSE(t.next());
  Flight* const second = t.sent.at(2);
  Flight* const third = t.sent.at(3);
  REQUIRE(t.submit(3));  // on the only one that is free; the tag is nobody's any more
  CHECK((t.sent.at(3) != second && t.sent.at(3) != third));
  CHECK_FALSE(t.submit(4));
  std::atomic<bool> all_back{false};
  std::thread kernel([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    t.arrivals->back(*second);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    all_back = true;
    t.arrivals->back(*third);
  });
  t.queue->settle();
  CHECK(all_back);
  kernel.join();
  CHECK((t.submit(4) && t.submit(5)));
  for (const std::uint32_t tag : {3, 4, 5}) t.bring(tag, now_ns());
}

TEST_CASE("it ends only once the kernel has given all back") {
  Steered t;
  REQUIRE((t.submit(1) && t.submit(2)));
  t.bring(2, now_ns());
  std::atomic<bool> back{false};
  t.carrier->thread = std::thread([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    back = true;
    t.arrivals->back(*t.sent.at(1));
  });
  t.queue.reset();
  CHECK(back);
}

TEST_CASE("property: every command comes once, and no flight is used twice") {
  std::mt19937 random(20);
  for (int run = 0; run < 50; ++run) {
    const std::size_t most = 1 + random() % 20;
    Steered t(most);
    std::uint32_t next_tag = 1;
    std::size_t outstanding = 0;
    Nanoseconds time_ns = now_ns();
    std::map<std::uint32_t, Nanoseconds> back;
    for (int step = 0; step < 300; ++step) {
      const auto what = random() % 3;
      if (what == 0) {
        CHECK(t.submit(next_tag) == (outstanding < most));
        if (outstanding == most) continue;
        ++outstanding;
        ++next_tag;
      } else if (what == 1 && !t.sent.empty()) {
        auto one = t.sent.begin();
        std::advance(one, random() % t.sent.size());
        const std::uint32_t tag = one->first;
        back[tag] = ++time_ns;
        t.bring(tag, time_ns);
      } else if (what == 2 && !back.empty()) {
        const auto first = std::ranges::min_element(back, {}, [](auto& b) { return b.second; });
        CHECK(t.next() == first->first);
        back.erase(first);
        --outstanding;
      }
    }
    while (!t.sent.empty()) t.bring(t.sent.begin()->first, ++time_ns);
  }
}

}  // namespace
}  // namespace platter::transport
