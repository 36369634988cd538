// Drives served to many threads at a multiple of the host's time: what they say, what their log
// says, and what the engine says to the log's questions.
#include "emulator/blocks/paced_engine.h"

#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "catch.h"
#include "logged_drive.h"
#include "model/error.h"
#include "replay/small_drive.h"

using namespace platter;
using namespace platter::emulator;

namespace {

constexpr int kSpeed = 200;  // the small drive's revolution takes 50 us

model::DriveModel queueing_drive(std::uint32_t depth) {
  model::DriveModel model = replay::testing::drive_model(true);
  model.queue.depth = engine::testing::value(depth);
  return model;
}

struct Served : emulator::testing::LoggedDrive {
  explicit Served(std::uint32_t depth, std::optional<std::uint32_t> scheduler = std::nullopt,
                  int speed = kSpeed)
      : LoggedDrive(queueing_drive(depth), speed, {.scheduler = scheduler}) {}
};

// Each thread has blocks of its own, so that all can be checked.
void load(Served& served, unsigned threads, int requests) {
  std::vector<std::thread> running;
  std::atomic<int> wrong{0};
  for (unsigned thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] {
      std::mt19937_64 random(thread);
      const std::uint64_t places = served.table.identity.blocks / threads;
      std::vector<std::uint8_t> truth(places * 512), data(512);
      for (int i = 0; i < requests; ++i) {
        const std::uint64_t place = random() % places;
        const std::uint64_t offset = (place * threads + thread) * 512;
        const auto kept = truth.begin() + static_cast<std::ptrdiff_t>(place * 512);
        const auto kind = random() % 16;
        if (kind == 0) {
          wrong += served.drive->flush(host_now_ns()) != 0 ? 1 : 0;
        } else if (kind < 6) {
          std::generate(data.begin(), data.end(),
                        [&] { return static_cast<std::uint8_t>(random()); });
          std::copy(data.begin(), data.end(), kept);
          wrong += served.drive->write(offset, data, kind == 1, host_now_ns()) != 0 ? 1 : 0;
        } else {
          wrong += served.drive->read(offset, data, host_now_ns()) != 0 ? 1 : 0;
          wrong += std::equal(data.begin(), data.end(), kept) ? 0 : 1;
        }
      }
    });
  for (std::thread& thread : running) thread.join();
  CHECK(wrong == 0);
}

std::size_t lines_of(const std::string& log, char kind) {
  std::istringstream lines(log);
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line);)
    found += line.size() > 2 && line[0] == '0' && line[2] == kind ? 1 : 0;
  return found;
}

}  // namespace

TEST_CASE("no answer comes before its time, and all come", "[paced]") {
  Served served(1);
  std::vector<std::uint8_t> data(512);
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const Nanoseconds came = host_now_ns();
    const std::uint64_t lbn = random() % served.table.identity.blocks;
    REQUIRE(served.drive->read(lbn * 512, data, came) == 0);
    std::istringstream lines(served.log());
    std::string line, last;
    while (std::getline(lines, line))
      if (line.starts_with("0 t")) last = line;
    const Nanoseconds completion_ns = std::stoll(last.substr(last.rfind(' ')));
    CHECK(host_now_ns() >= served.clock.host_ns(completion_ns));
    CHECK(completion_ns > served.clock.drive_ns(came));
  }
}

// holds: emulators.md: The check of a log
TEST_CASE("the log's questions get the log's answers, at any depth and in any order", "[paced]") {
  for (const std::uint32_t depth : {1U, 4U, 64U})
    for (const std::uint32_t scheduler : {PLATTER_FCFS, PLATTER_C_LOOK, PLATTER_SPTF}) {
      Served served(depth, scheduler);
      load(served, 24, 60);
      const std::string log = served.log();
      const CheckedLog checked = served.check(log);
      INFO(depth << " " << scheduler << " " << checked.first_difference);
      CHECK(checked.completions == lines_of(log, 's'));
      CHECK(checked.completions == lines_of(log, 'd'));
      CHECK(checked.completions + checked.flushes == 24 * 60);
      CHECK(checked.flushes > 0);
      CHECK(checked.differ == 0);
    }
}

// holds: emulators.md: A time in the log
TEST_CASE("a time that is not the engine's is found", "[paced]") {
  Served served(4);
  load(served, 4, 50);
  std::string log = served.log();
  const auto changed = [&](const std::string& kind) {
    std::string other = log;
    const std::size_t line = other.find("\n0 " + kind + ' ', other.size() / 2);
    char& digit = other[other.find('\n', line + 1) - 1];
    digit = digit == '9' ? '8' : static_cast<char>(digit + 1);
    return served.check(other);
  };
  for (const char* const kind : {"t", "f"}) {
    const CheckedLog found = changed(kind);
    CHECK(found.differ == 1);
    CHECK(found.first_difference.find("log:") == 0);
  }
  CHECK(changed("s").differ + changed("s").completions > 0);  // it may change nothing; it is read
}

TEST_CASE("what is no whole block of the drive is refused", "[paced]") {
  Served served(1);
  std::vector<std::uint8_t> data(1024);
  const std::uint64_t end = served.drive->bytes();
  const auto read = [&](std::uint64_t offset, std::size_t bytes) {
    return served.drive->read(offset, {data.data(), bytes}, host_now_ns());
  };
  CHECK(read(1, 512) == EINVAL);
  CHECK(read(0, 511) == EINVAL);
  CHECK(read(0, 0) == EINVAL);
  CHECK(read(end - 512, 1024) == EINVAL);
  CHECK(read(~std::uint64_t{511}, 512) == EINVAL);
  CHECK(served.drive->zero(512, end, false, host_now_ns()) == EINVAL);
  CHECK(read(end - 512, 512) == 0);
}

TEST_CASE("trim forgets, zero writes, and both read as zeros", "[paced]") {
  Served served(1);
  std::vector<std::uint8_t> data(4096, 9), read(4096);
  for (const bool trims : {false, true}) {
    REQUIRE(served.drive->write(8192, data, true, host_now_ns()) == 0);
    const std::size_t asked = lines_of(served.log(), 's');
    REQUIRE((trims ? served.drive->trim(8192, 4096)
                   : served.drive->zero(8192, 4096, false, host_now_ns())) == 0);
    CHECK(lines_of(served.log(), 's') == asked + (trims ? 0 : 1));
    REQUIRE(served.drive->read(8192, read, host_now_ns()) == 0);
    CHECK(read == std::vector<std::uint8_t>(4096));
  }
}

TEST_CASE("a log that is not one of these drives is refused, with its line", "[check]") {
  Served served(2);
  load(served, 2, 20);
  const std::string log = served.log();
  const std::string head = log.substr(0, log.find('\n') + 1);
  const auto refused = [&](const std::string& text, const std::string& what) {
    INFO(text);
    try {
      served.check(text);
    } catch (const Error& error) {
      INFO(error.what());
      CHECK(error.status() == ExitStatus::bad_input);
      CHECK(std::string(error.what()).find(what) != std::string::npos);
      return;
    }
    FAIL("it was taken");
  };
  refused("", "log:1");
  refused("{}\n", "log:1");
  refused("[1]\n", "log:1");
  refused(head + "1 s 0 0 1 0 5\n", "log:2");
  refused(head + "0 s 0 0 1 0\n", "too few");
  refused(head + "0 s 0 0 1 0 5 6\n", "more than");
  refused(head + "0 s 0 0 1 0 x\n", "no number");
  refused(head + "0 q 0 0\n", "kind");
  refused(head + "0 s 0 -1 1 0 5\n", "blocks");
  refused(head + "0 s 0 0 0 0 5\n", "blocks");
  refused(head + "0 s 0 99999999 1 0 5\n", "blocks");
  refused(head + "0 s 0 0 1 9 5\n", "blocks");
  refused(head + "0 s 0 0 1 0 9223372036854775807\n", "time");
  refused(head + "0 f 9223372036854775807 0\n", "time");
  refused(head + "0 t 0 0\n", "outstanding");
  refused(head + "0 s 0 0 1 0 5\n0 s 1 0 1 0 5\n0 s 2 0 1 0 5\n", "full");
  std::string other = log;
  other.replace(other.find("sha256\":\"") + 9, 4, "zzzz");
  refused(other, "another model");
  // The last line of an emulator that was killed.
  CHECK(served.check(log.substr(0, log.size() - 1)).differ == 0);
}

// holds: emulators.md: Requests go with
TEST_CASE("requests go with their connection, and others come to the drive", "[paced]") {
  Served served(4);
  std::atomic<bool> gone{false};
  const Connection leaving(0, [&] { return gone.load(); }), staying;
  std::atomic<int> dropped{0}, answered{0}, wrong{0};
  std::vector<std::thread> threads;
  const auto read = [&](const Connection& who, std::uint64_t lbn, std::uint64_t bytes) {
    std::vector<std::uint8_t> data(bytes);
    const int status = served.drive->read(lbn * 512, data, host_now_ns(), who);
    (status == 0 ? answered : status == ESHUTDOWN ? dropped : wrong) += 1;
  };
  // All of the drive, again and again: minutes of the drive's time.
  const std::uint64_t all = std::min<std::uint64_t>(served.drive->bytes(),
                                                    ServedDrive::kMostRequestBytes);
  for (int i = 0; i < 40; ++i)
    threads.emplace_back([&] {
      for (int request = 0; request < 100'000 && !gone; ++request) read(leaving, 0, all);
      read(leaving, 0, all);
    });
  while (answered == 0) std::this_thread::yield();
  gone = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(dropped >= 40);
  CHECK(wrong == 0);
  answered = 0;
  read(staying, 5, 512);
  CHECK(answered == 1);
  const CheckedLog checked = served.check(served.log());
  CHECK(checked.differ == 0);
  CHECK(lines_of(served.log(), 'a') > 0);
}

TEST_CASE("connections take turns before the drive", "[paced]") {
  Served served(1, std::nullopt, 1);
  const Connection many, few;
  std::atomic<bool> ends{false};
  std::atomic<int> waiting{0}, of_many{0}, wrong{0};
  std::vector<std::thread> threads;
  const auto read = [&](const Connection& who, std::uint64_t lbn) {
    std::vector<std::uint8_t> data(512);
    wrong += served.drive->read(lbn * 512, data, host_now_ns(), who) != 0 ? 1 : 0;
  };
  for (unsigned i = 0; i < 30; ++i)
    threads.emplace_back([&, i] {
      ++waiting;
      for (std::uint64_t n = 0; !ends; ++n) {
        read(many, (37 * n + i) % served.table.identity.blocks);
        ++of_many;
      }
    });
  while (waiting < 30 || of_many < 5) std::this_thread::yield();
  for (int i = 0; i < 5; ++i) {
    const int before = of_many;
    read(few, static_cast<std::uint64_t>(i) * 50);
    CHECK(of_many - before < 20);  // of 30 that came before; in turn it would be one or two
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("at the end nothing is waited for", "[paced]") {
  Served served(2);
  std::atomic<int> dropped{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i)
    threads.emplace_back([&, i] {
      std::vector<std::uint8_t> data(512);
      for (;;) {
        const int status = i == 0 ? served.drive->flush(host_now_ns())
                                  : served.drive->read(0, data, host_now_ns());
        if (status == ESHUTDOWN) break;
        wrong += status != 0 ? 1 : 0;
      }
      ++dropped;
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  served.drive->end();
  for (std::thread& thread : threads) thread.join();
  CHECK(dropped == 20);
  CHECK(wrong == 0);
  CHECK(served.check(served.log()).differ == 0);
}
