// What a guest asks of a SCSI host, and what it gets, without any clock.
#include "emulator/vhost_user/scsi_host.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "catch.h"
#include "counted_allocations.h"
#include "drives.h"
#include "emulator/vhost_user/device.h"
#include "guest.h"
#include "scsi/bytes.h"

using namespace platter;
using namespace platter::emulator;
using platter::emulator::testing::Bytes;
using platter::emulator::testing::Guest;
using platter::emulator::testing::SmallDrives;
using virtio::Response;
using virtio::Task;

namespace {

struct Served {
  explicit Served(unsigned drives = 2, Keeper* keeper = nullptr, SharedDrives::Room room = {})
      : small(drives),
        shared(small.drives, keeper, room),
        host(shared, queues),
        device(host, queues, drives, Notification::descriptors) {
    guest.begin([&](Message message) { device.handle(std::move(message)); });
    for (unsigned i = 0; i < drives; ++i) {  // they are told of the power-on
      guest.ask({.target = static_cast<std::uint8_t>(i), .cdb = {0, 0, 0, 0, 0, 0}});
      REQUIRE(run().size() == 1);
    }
  }

  void serve(Nanoseconds at_ns) {
    host.serve(virtio::kControlQueue, at_ns);
    host.serve(virtio::kFirstCommandQueue, at_ns);
  }
  // All that was asked, with all answers.
  std::vector<Guest::Answer> run() {
    serve(now_ns += kSecond);
    while (host.deliver(now_ns + kSecond)) {
    }
    return answers();
  }
  std::vector<Guest::Answer> answers() {
    std::vector<Guest::Answer> found;
    while (auto answer = guest.answer()) found.push_back(*std::move(answer));
    return found;
  }
  Response response(std::uint64_t place) { return static_cast<Response>(guest.memory()[place]); }

  SmallDrives small;
  std::array<Virtqueue, virtio::kQueues> queues{};
  SharedDrives shared;
  ScsiHost host;
  Device device;
  Guest guest{};
  Nanoseconds now_ns = kSecond;
};

Bytes read_10(std::uint32_t lbn, std::uint16_t blocks) {
  Bytes cdb{0x28, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  scsi::put_be(&cdb[2], 4, lbn);
  scsi::put_be(&cdb[7], 2, blocks);
  return cdb;
}

Bytes write_10(std::uint32_t lbn, std::uint16_t blocks, std::uint8_t flags = 0) {
  Bytes cdb = read_10(lbn, blocks);
  cdb[0] = 0x2a;
  cdb[1] = flags;
  return cdb;
}

}  // namespace

TEST_CASE("scsi host: each target is a drive with blocks of its own", "[scsi_host]") {
  Served served(3);
  for (std::uint8_t target = 0; target < 3; ++target) {
    served.guest.ask({.target = target, .cdb = {0x12, 1, 0x80, 0, 255, 0}, .in = 255});
    const auto answers = served.run();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].status == 0);
    CHECK(int{answers[0].data[5]} == '0' + int{target});  // its serial number
    CHECK(answers[0].residual == 255u - 4u - answers[0].data[3]);
    CHECK(answers[0].written == 108u + 255u - answers[0].residual);
    served.guest.ask({.target = target, .cdb = write_10(7, 2), .out = Bytes(1024, target)});
    REQUIRE(served.run().at(0).status == 0);
  }
  for (std::uint8_t target = 0; target < 3; ++target) {
    served.guest.ask({.target = target, .cdb = read_10(7, 2), .in = 1024, .indirect = false});
    CHECK(served.run().at(0).data == Bytes(1024, target));
  }
}

TEST_CASE("scsi host: blocks come back as they were written, at any depth", "[scsi_host]") {
  Served served(2);
  std::mt19937_64 random(2);
  std::map<std::pair<int, std::uint64_t>, std::uint8_t> truth;
  for (int round = 0; round < 200; ++round) {
    std::map<std::uint16_t, std::uint8_t> expected;
    std::set<std::pair<int, std::uint64_t>> touched;  // the order of what meets is the drive's
    for (int i = 0; i < 24; ++i) {
      const auto target = static_cast<std::uint8_t>(random() % 2);
      const auto lbn = static_cast<std::uint32_t>(random() % served.small.blocks);
      const std::pair<int, std::uint64_t> place{target, lbn};
      if (!touched.insert(place).second) continue;
      if (random() % 2 == 0) {
        truth[place] = static_cast<std::uint8_t>(random());
        served.guest.ask(
            {.target = target, .cdb = write_10(lbn, 1), .out = Bytes(512, truth[place])});
      } else {
        expected[served.guest.ask({.target = target, .cdb = read_10(lbn, 1), .in = 512})] =
            truth.contains(place) ? truth[place] : 0;
      }
    }
    for (const auto& answer : served.run()) {
      CHECK(answer.status == 0);
      if (expected.contains(answer.id)) CHECK(answer.data == Bytes(512, expected[answer.id]));
    }
  }
}

TEST_CASE("scsi host: data are in the guest's memory before their answer is due", "[scsi_host]") {
  Served served(1);
  const Bytes written(1 << 16, 0x5a);
  served.guest.ask({.cdb = write_10(7, 128), .out = written});
  REQUIRE(served.run().at(0).status == 0);
  const std::uint16_t id = served.guest.ask({.cdb = read_10(7, 128), .in = 1 << 16});
  served.serve(served.now_ns += kSecond);
  CHECK(std::equal(written.begin(), written.end(), served.guest.data_of(id)));
  CHECK(served.answers().empty());
  while (served.host.deliver(served.now_ns + kSecond)) {
  }
  const auto answers = served.answers();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].written == 108u + (1u << 16));
  CHECK(answers[0].residual == 0);
}

TEST_CASE("scsi host: who is not there, and what is no request", "[scsi_host]") {
  Served served(2);
  served.guest.ask({.target = 2, .cdb = {0, 0, 0, 0, 0, 0}});
  CHECK(served.run().at(0).response == static_cast<int>(Response::bad_target));
  served.guest.ask({.target = 0, .cdb = {0, 0, 0, 0, 0, 0}, .unit = 1});
  const auto no_unit = served.run().at(0);
  CHECK(no_unit.response == 0);
  CHECK(no_unit.status == 2);
  CHECK(no_unit.sense.at(12) == 0x25);
  served.guest.ask({.target = 0, .cdb = {0x12, 0, 0, 0, 36, 0}, .in = 36, .unit = 1});
  const auto inquiry = served.run().at(0);
  CHECK(inquiry.status == 0);
  CHECK(inquiry.data.at(0) == 0x7f);
  served.guest.ask({.target = 0, .cdb = {0x12, 0, 0, 0, 36, 0}, .out = Bytes(8), .in = 36});
  CHECK(served.run().at(0).response == static_cast<int>(Response::failure));
  // A request of which no answer fits.
  served.guest.put(2, 0, {Bytes(51)}, {107});
  CHECK_THROWS_AS(served.run(), BrokenGuest);
  Served other(1);
  other.guest.put(2, 0, {Bytes(50)}, {108});
  CHECK_THROWS_AS(other.run(), BrokenGuest);
  Served third(1);
  third.guest.put(0, 0, {Bytes(23)}, {1});
  CHECK_THROWS_AS(third.run(), BrokenGuest);
}

TEST_CASE("scsi host: a drive takes 64, and says that it is full", "[scsi_host]") {
  Served served(1);
  for (int i = 0; i < 30; ++i)
    served.guest.ask({.cdb = read_10(static_cast<std::uint32_t>(i) * 60, 1), .in = 512});
  CHECK(served.run().size() == 30);
  // More than the entries of this ring hold at once need chains of one descriptor.
  for (std::uint16_t i = 0; i < 70; ++i) {
    Bytes head = Guest::lun(0);
    head.resize(51);
    const Bytes cdb = read_10(static_cast<std::uint32_t>(i) * 40, 1);
    std::copy(cdb.begin(), cdb.end(), head.begin() + 19);
    served.guest.put(2, i, {head}, {108, 512}, true);
  }
  served.serve(served.now_ns += kSecond);
  CHECK(served.host.outstanding() == 70);
  while (served.host.deliver(served.now_ns + 10 * kSecond)) {
  }
  CHECK(served.guest.used(2)[1] == 1 + 30 + 70);
  CHECK(served.host.outstanding() == 0);
}

// holds: emulators.md: The outstanding commands of all guests
TEST_CASE("scsi host: what is outstanding moves no more than its share", "[scsi_host]") {
  Served served(1, nullptr, {.most = 16384, .own = 1024});
  served.shared.set_guests(4);
  const auto full_ones = [&](std::uint32_t bytes, int times) {
    for (int i = 0; i < times; ++i)
      served.guest.ask({.cdb = read_10(static_cast<std::uint32_t>(i) * 60, 1), .in = bytes});
    served.serve(served.now_ns += kSecond);
    CHECK(served.host.bytes() <= 16384);
    std::size_t full = 0;
    for (const auto& answer : served.run()) full += answer.status == 0x28 ? 1 : 0;
    CHECK(served.host.bytes() == 0);
    return full;
  };
  CHECK(full_ones(512, 8) == 0);
  CHECK(full_ones(512, 12) == 4);
  CHECK(full_ones(1024, 12) == 8);
  CHECK(full_ones(8192, 3) == 2);  // one goes through that is larger
  served.shared.set_guests(1);
  CHECK(full_ones(8192, 2) == 0);
  CHECK(full_ones(8192, 3) == 1);
  CHECK(full_ones(20000, 2) == 2);
  // Others have it all, but for this one's own.
  served.shared.add_bytes(16384);
  CHECK(full_ones(512, 4) == 2);
  CHECK(full_ones(2048, 2) == 2);
  served.shared.take_bytes_off(16384);
  CHECK(full_ones(8192, 2) == 0);
}

// holds: emulators.md: Requests go with
TEST_CASE("scsi host: guests share drives, and each has its own answers", "[scsi_host]") {
  SmallDrives small(1);
  SharedDrives shared(small.drives, nullptr);
  std::array<std::array<Virtqueue, virtio::kQueues>, 2> queues{};
  ScsiHost first(shared, queues[0], 0), second(shared, queues[1], 5);
  Device one(first, queues[0], 1, Notification::descriptors),
      other(second, queues[1], 1, Notification::descriptors);
  shared.set_on_reset([&](unsigned drive) {
    first.was_reset(drive);
    second.was_reset(drive);
  });
  shared.set_on_clear([&](unsigned drive, Nanoseconds now_ns) {
    first.was_cleared(drive, now_ns);
    second.was_cleared(drive, now_ns);
  });
  Guest guests[2];
  guests[0].begin([&](Message message) { one.handle(std::move(message)); });
  guests[1].begin([&](Message message) { other.handle(std::move(message)); });
  const auto all = [&](Nanoseconds now_ns) {
    first.serve(2, now_ns);
    second.serve(2, now_ns);
    while (auto completion = shared.next(now_ns + kSecond))
      (completion->tag < ScsiHost::kMostOutstanding ? first : second)
          .deliver(*std::move(completion));
  };
  guests[0].ask({.cdb = write_10(9, 1), .out = Bytes(512, 3)});
  all(2 * kSecond);
  REQUIRE(guests[0].answer());
  guests[1].ask({.cdb = read_10(9, 1), .in = 512});
  all(3 * kSecond);
  CHECK(guests[1].answer()->data == Bytes(512, 3));
  CHECK_FALSE(guests[0].answer());
  const auto both_read = [&] {
    for (Guest& guest : guests) guest.ask({.cdb = read_10(700, 1), .in = 512});
    first.serve(2, 4 * kSecond);
    second.serve(2, 4 * kSecond);
  };
  // A guest aborts its own; it clears what all have in the drive's one task set.
  both_read();
  guests[0].manage(Task::abort_task_set, 0, 0);
  first.serve(0, 4 * kSecond);
  CHECK(guests[0].answer()->response == static_cast<int>(Response::aborted));
  CHECK(second.outstanding() == 1);
  guests[0].manage(Task::clear_task_set, 0, 0);
  first.serve(0, 4 * kSecond);
  CHECK(second.outstanding() == 0);
  CHECK(guests[1].answer()->response == static_cast<int>(Response::aborted));
  // One that goes takes its own along; a reset is for both.
  both_read();
  first.forget(4 * kSecond);
  CHECK(first.outstanding() == 0);
  CHECK(second.outstanding() == 1);
  guests[0].manage(Task::logical_unit_reset, 0, 0);
  first.serve(0, 4 * kSecond + 1);
  CHECK(second.outstanding() == 0);
  CHECK(guests[1].answer()->response == static_cast<int>(Response::reset));
  CHECK_FALSE(shared.next(9 * kSecond));
}

TEST_CASE("scsi host: memory that was cut off is no data for a drive", "[scsi_host]") {
  Served served(1);
  served.guest.ask({.cdb = write_10(7, 8), .out = Bytes(4096, 5)});
  REQUIRE(served.run().at(0).status == 0);
  served.guest.ask({.cdb = write_10(7, 8), .out = Bytes(4096, 6)});
  REQUIRE(ftruncate(served.guest.file(), Guest::kData) == 0);
  REQUIRE_THROWS_AS(served.serve(served.now_ns += kSecond), BrokenGuest);
  std::array<std::uint8_t, 512> kept{};
  REQUIRE(served.small.contents[0]->read(7 * 512, kept) == 0);
  CHECK(kept[0] == 5);
}

TEST_CASE("scsi host: tasks are aborted, and asked for", "[scsi_host]") {
  Served served(2);
  const auto ask = [&](std::uint8_t target, std::uint32_t lbn, std::uint64_t tag) {
    return served.guest.ask({.target = target, .cdb = read_10(lbn, 1), .in = 512, .tag = tag});
  };
  const auto first = ask(0, 3000, 11), second = ask(0, 100, 12), third = ask(1, 100, 12);
  served.serve(served.now_ns += kSecond);
  const auto managed = [&](Task task, std::uint8_t target, std::uint64_t tag) {
    const auto place = served.guest.manage(task, target, tag);
    served.serve(served.now_ns += kMicrosecond);
    return served.response(place);
  };
  CHECK(managed(Task::query_task, 0, 12) == Response::function_succeeded);
  CHECK(managed(Task::query_task, 0, 99) == Response::ok);
  CHECK(managed(Task::query_task_set, 1, 0) == Response::function_succeeded);
  CHECK(managed(Task::abort_task, 0, 12) == Response::ok);
  CHECK(managed(Task::query_task, 0, 12) == Response::ok);
  CHECK(managed(Task::abort_task, 5, 12) == Response::bad_target);
  CHECK(managed(Task::clear_aca, 0, 12) == Response::function_rejected);
  CHECK(managed(static_cast<Task>(77), 0, 12) == Response::function_rejected);
  auto answers = served.answers();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].id == second);
  CHECK(answers[0].response == static_cast<int>(Response::aborted));
  CHECK(managed(Task::logical_unit_reset, 1, 0) == Response::ok);
  answers = served.answers();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].id == third);
  CHECK(answers[0].response == static_cast<int>(Response::reset));
  answers = served.run();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].id == first);
  CHECK(answers[0].status == 0);
  // The other drive tells of its reset, this one has none to tell of.
  served.guest.ask({.target = 1, .cdb = {0, 0, 0, 0, 0, 0}});
  CHECK(served.run().at(0).sense.at(12) == 0x29);
  served.guest.ask({.target = 0, .cdb = {0, 0, 0, 0, 0, 0}});
  CHECK(served.run().at(0).status == 0);
  ask(0, 1, 1);
  ask(0, 2, 2);
  served.serve(served.now_ns += kSecond);
  CHECK(managed(Task::abort_task_set, 0, 0) == Response::ok);
  CHECK(served.answers().size() == 2);
  CHECK(served.host.outstanding() == 0);
}

TEST_CASE("scsi host: a request for events is answered with none", "[scsi_host]") {
  Served served(1);
  Bytes request(16);
  request[0] = 1;  // asynchronous notification query
  const auto places = served.guest.put(0, 0, {request}, {5});
  served.guest.memory()[places.back() + 4] = 0xee;
  served.serve(kSecond);
  CHECK(served.guest.memory()[places.back() + 4] == 0);
}

TEST_CASE("scsi host: attributes reach the drive", "[scsi_host]") {
  Served served(1);
  constexpr std::uint8_t kOrdered = 1, kHead = 2;
  std::map<std::uint16_t, int> names;
  for (int i = 0; i < 6; ++i)
    names[served.guest.ask({.cdb = read_10(static_cast<std::uint32_t>(600 * i), 1), .in = 512})] =
        i;
  names[served.guest.ask({.cdb = {0, 0, 0, 0, 0, 0}, .attribute = kOrdered})] = 6;
  names[served.guest.ask({.cdb = {0, 0, 0, 0, 0, 0}})] = 7;
  served.serve(served.now_ns += kSecond);
  names[served.guest.ask({.cdb = read_10(3333, 1), .in = 512, .attribute = kHead})] = 8;
  served.serve(served.now_ns += kMicrosecond);
  std::vector<int> order;
  for (const auto& answer : served.run()) order.push_back(names[answer.id]);
  REQUIRE(order.size() == 9);
  CHECK(order[1] == 8);  // one was under way
  CHECK(order[7] == 6);
  CHECK(order[8] == 7);
}

// holds: emulators.md: What a flush
// holds: emulators.md: Where the file system that holds
TEST_CASE("scsi host: what has to outlive the host is kept before it is answered", "[scsi_host]") {
  class Slow final : public Contents {
   public:
    int read(std::uint64_t, std::span<std::uint8_t>) const override { return 0; }
    int write(std::uint64_t, std::span<const std::uint8_t>) override { return 0; }
    int discard(std::uint64_t, std::uint64_t) override { return 0; }
    int flush() override {
      while (!may) std::this_thread::yield();
      ++flushes;
      return error;
    }
    std::uint64_t bytes() const override { return 0; }
    std::uint64_t stored_bytes() const override { return 0; }
    std::atomic<bool> may{false};
    std::atomic<int> flushes{0}, error{0};
  } slow;
  Keeper keeper;
  SmallDrives small(1);
  small.drives[0] = std::make_unique<ScsiDrive>(
      ScsiDriveSettings{"slow", small.drives[0]->model(), ""}, 0, slow, nullptr);
  std::array<Virtqueue, virtio::kQueues> queues{};
  SharedDrives shared(small.drives, &keeper);
  ScsiHost host(shared, queues);
  Device device(host, queues, 1, Notification::descriptors);
  Guest guest;
  guest.begin([&](Message message) { device.handle(std::move(message)); });
  const auto all = [&](Nanoseconds now_ns) {
    host.serve(2, now_ns);
    while (host.deliver(now_ns + kSecond)) {
    }
  };
  guest.ask({.cdb = {0, 0, 0, 0, 0, 0}});
  all(kSecond);
  REQUIRE(guest.answer());
  const auto through = guest.ask({.cdb = write_10(5, 1, 0x08), .out = Bytes(512)});
  const auto read = guest.ask({.cdb = read_10(9, 1), .in = 512});
  all(3 * kSecond);
  auto answer = guest.answer();
  REQUIRE(answer);
  CHECK(answer->id == read);
  CHECK_FALSE(guest.answer());
  slow.may = true;
  while (!(answer = guest.answer())) host.deliver(4 * kSecond);
  CHECK(answer->id == through);
  CHECK(answer->status == 0);
  CHECK(slow.flushes == 1);
  slow.error = ENOSPC;
  guest.ask({.cdb = {0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}});
  host.serve(2, 5 * kSecond);
  while (!(answer = guest.answer())) host.deliver(6 * kSecond);
  CHECK(answer->status == 2);
  CHECK(answer->sense.at(12) == 0x44);
  // A guest that goes leaves nothing behind.
  slow.may = false;
  guest.ask({.cdb = {0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}});
  all(7 * kSecond);
  CHECK(host.outstanding() == 1);
  host.forget(8 * kSecond);
  CHECK(host.outstanding() == 0);
  slow.may = true;
}

TEST_CASE("scsi host: a queue that stops is answered first, each when it is due", "[scsi_host]") {
  Served served(2);
  for (std::uint8_t i = 0; i < 10; ++i)
    served.guest.ask(
        {.target = static_cast<std::uint8_t>(i % 2), .cdb = read_10(i * 300u, 1), .in = 512});
  served.serve(served.now_ns += kSecond);
  CHECK_FALSE(served.device.handle(
      Guest::message(MessageKind::get_vring_base, std::uint32_t{2}, std::uint32_t{0})));
  CHECK(served.device.stopping() == 2u);
  CHECK_FALSE(served.device.is_served(2));
  std::size_t delivered = 0;
  while (served.host.deliver(served.now_ns + kSecond)) {
    CHECK(served.device.stopped().has_value() == (++delivered == 10));
    if (delivered == 9) CHECK(served.device.stopping());
  }
  CHECK(served.answers().size() == 10);
  CHECK(delivered == 10);
  CHECK_FALSE(served.device.stopping());
}

TEST_CASE("scsi host: a queue that stops with nothing to answer has its reply at once",
          "[scsi_host]") {
  Served served(2);
  const auto reply = served.device.handle(
      Guest::message(MessageKind::get_vring_base, std::uint32_t{2}, std::uint32_t{0}));
  REQUIRE(reply);
  CHECK(reply->number<std::uint32_t>(4) == std::uint32_t{2});
}

TEST_CASE("scsi host: nothing is allocated on the path of reads and writes", "[scsi_host]") {
  Served served(2);
  std::mt19937_64 random(3);
  const Bytes data(4096);
  // Eight at a time; how often all but the guest's side allocated.
  const auto round = [&](const auto& target_of, const auto& is_write) {
    for (int i = 0; i < 8; ++i) {
      const auto lbn = static_cast<std::uint32_t>(random() % (served.small.blocks - 8));
      const auto target = static_cast<std::uint8_t>(target_of());
      if (is_write())
        served.guest.ask({.target = target, .cdb = write_10(lbn, 8), .out = data});
      else
        served.guest.ask({.target = target, .cdb = read_10(lbn, 8), .in = 4096});
    }
    const std::size_t before = allocations;
    served.serve(served.now_ns += kSecond);
    while (served.host.deliver(served.now_ns + kSecond)) {
    }
    const std::size_t after = allocations;
    served.answers();
    return after - before;
  };
  for (const int target : {0, 1})  // the first time, buffers grow
    for (const bool write : {false, true}) round([&] { return target; }, [&] { return write; });
  std::size_t made = 0;
  for (int i = 0; i < 200; ++i)
    made += round([&] { return random() % 2; }, [&] { return random() % 2 == 0; });
  CHECK(made == 0);
}
