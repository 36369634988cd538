// Drives that misbehave on time, as a guest's SCSI host has them: aborts, resets and stopped queues
// end what is stuck.
#include "catch.h"
#include "emulator/contents/contents_file.h"
#include "emulator/vhost_user/device.h"
#include "emulator/vhost_user/scsi_host.h"
#include "episodes/read.h"
#include "guest.h"
#include "virtual_drive/newer_drive.h"

using namespace platter;
using namespace platter::emulator;
using platter::emulator::testing::Bytes;
using platter::emulator::testing::Guest;
using virtio::Response;
using virtio::Task;

namespace {

model::DriveModel drive_model() {
  model::DriveModel model = virtual_drive::testing::spc4_drive();
  model.identity.blocks = virtual_drive::Target(model).layout().blocks();
  return model;
}

struct Misbehaving {
  explicit Misbehaving(const std::string& list) : contents(drive_model().identity.blocks * 512) {
    const auto schedule = std::make_shared<const episodes::Schedule>(episodes::read_schedule(
        R"({"schema":{"name":"platter-episodes","version":"1.0"},"episodes":[)" + list + "]}",
        "e"));
    drives.push_back(std::make_unique<ScsiDrive>(
        ScsiDriveSettings{"small", drive_model(), "digest", schedule}, 0, contents, nullptr));
    shared.emplace(drives, nullptr);
    host.emplace(*shared, queues);
    device.emplace(*host, queues, 1, Notification::descriptors);
    guest.begin([&](Message message) { device->handle(std::move(message)); });
    guest.ask({.cdb = {0, 0, 0, 0, 0, 0}});  // it is told of the power-on
    REQUIRE(run().size() == 1);
  }

  std::vector<Guest::Answer> run() {
    now_ns += kSecond;
    host->serve(virtio::kControlQueue, now_ns);
    host->serve(virtio::kFirstCommandQueue, now_ns);
    while (host->deliver(now_ns + 100 * kSecond)) {
    }
    std::vector<Guest::Answer> found;
    while (auto answer = guest.answer()) found.push_back(*std::move(answer));
    return found;
  }
  Response response(std::uint64_t place) { return static_cast<Response>(guest.memory()[place]); }

  ContentsFile contents;
  std::vector<std::unique_ptr<ScsiDrive>> drives;
  std::array<Virtqueue, virtio::kQueues> queues{};
  std::optional<SharedDrives> shared;
  std::optional<ScsiHost> host;
  std::optional<Device> device;
  Guest guest{};
  Nanoseconds now_ns = kSecond;
};

const Bytes kReadOne{0x28, 0, 0, 0, 0, 5, 0, 0, 1, 0};

}  // namespace

// holds: emulators.md: A request that is stuck can be aborted
TEST_CASE("a guest aborts what is stuck, and gets all else", "[episodes]") {
  Misbehaving with(R"({"what":"stuck","every_nth":2})");
  with.guest.ask({.cdb = kReadOne, .in = 512, .tag = 11});
  with.guest.ask({.cdb = kReadOne, .in = 512, .tag = 12});
  CHECK(with.run().size() == 1);
  CHECK(with.host->outstanding() == 1);
  const std::uint64_t place = with.guest.manage(Task::abort_task, 0, 12);
  const auto answers = with.run();
  CHECK(with.response(place) == Response::ok);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].response == static_cast<std::uint8_t>(Response::aborted));
  CHECK(with.host->outstanding() == 0);
}

// holds: emulators.md: A request that is stuck can be aborted
TEST_CASE("a queue that is stopped under what is stuck is stopped", "[episodes]") {
  Misbehaving with(R"({"what":"stuck","requests":[2,3]})");
  for (int i = 0; i < 3; ++i) with.guest.ask({.cdb = kReadOne, .in = 512});
  CHECK(with.run().size() == 1);
  CHECK(with.host->outstanding() == 2);
  SECTION("at once") {
    const auto reply = with.device->handle(Guest::message(
        MessageKind::get_vring_base, std::uint32_t{virtio::kFirstCommandQueue}, std::uint32_t{0}));
    CHECK(reply.has_value());
  }
  SECTION("where it is drained") { with.host->drain(virtio::kFirstCommandQueue); }
  SECTION("or its guest goes") { with.host->forget(with.now_ns); }
  CHECK(with.host->outstanding() == 0);
  CHECK(with.host->bytes() == 0);
}

TEST_CASE("what fails and what is late reaches a guest so", "[episodes]") {
  Misbehaving with(R"({"what":"fail","of":"read"},{"what":"slow","delay_ms":2000})");
  with.guest.ask({.cdb = kReadOne, .in = 512});
  with.host->serve(virtio::kFirstCommandQueue, with.now_ns);
  while (with.host->deliver(with.now_ns + 2 * kSecond)) {
  }
  CHECK_FALSE(with.guest.answer());
  const auto answers = with.run();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].status == 2);
  CHECK(answers[0].residual == 512);
}
