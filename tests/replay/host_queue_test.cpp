// The host's queue in front of a drive: what the drive gets and when, by hand, and what holds for
// any requests.
#include "replay/host_queue.h"

#include <algorithm>
#include <map>
#include <random>

#include "catch.h"
#include "model/error.h"
#include "replay/replay_model.h"
#include "small_drive.h"

using namespace platter;
using namespace platter::replay;

namespace {

constexpr std::uint64_t kDriveBlocks = 100000;
constexpr Nanoseconds kServe_ns = 10 * kMillisecond;

// Serves one after the other in 10 ms each, and keeps what it got.
class SlowDrive final : public Player {
 public:
  struct Got {
    Response request{};
    Nanoseconds completion_ns = 0;
  };

  void prepare(const Response& request) override { prepared_ = request; }
  std::optional<Done> next_by(Nanoseconds time_ns) override {
    if (done_ == got_.size() || got_[done_].completion_ns > time_ns) return std::nullopt;
    const Got& got = got_[done_];
    return Done{.number = done_++,
                .issue_ns = got.request.issue_ns,
                .response_ns = got.completion_ns - got.request.issue_ns,
                .media = true};
  }
  Done next() override { return *next_by(std::numeric_limits<Nanoseconds>::max()); }
  void issue(std::uint64_t number, Nanoseconds time_ns) override {
    REQUIRE(number == got_.size());
    prepared_.issue_ns = time_ns;
    const Nanoseconds free_ns = got_.empty() ? 0 : got_.back().completion_ns;
    got_.push_back({prepared_, std::max(time_ns, free_ns) + kServe_ns});
    most_ = std::max(most_, got_.size() - done_);
  }
  std::uint32_t room() const override { return 64; }

  std::vector<Got> got_{};
  std::size_t most_ = 0;

 private:
  Response prepared_{};
  std::size_t done_ = 0;
};

class KeptRows final : public Rows {
 public:
  void add(Part, std::span<const Response> rows) override {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }
  std::vector<Response> rows_{};
};

struct Played {
  std::vector<Response> rows;
  SlowDrive drive;
  HostQueueUse use;

  // LBNs and sizes in the order in which the drive got them.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> commands() const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> commands;
    for (const SlowDrive::Got& got : drive.got_)
      commands.emplace_back(got.request.lbn, got.request.blocks);
    return commands;
  }
};

Played played_through(const trace::Trace& trace, const char* settings, std::uint32_t at_once = 1,
                      std::uint32_t loops = 1) {
  Played played;
  HostQueue host(played.drive, {.blocks = kDriveBlocks, .depth = at_once}, host_queue_of(settings),
                 trace.kind);
  KeptRows rows;
  play(host, *trace::reader_of(trace),
       {.kind = trace.kind,
        .depth = trace.kind == trace::Kind::open ? ~0u : loops,
        .blocks = kDriveBlocks},
       Part::trace, rows);
  played.rows = rows.rows_;
  played.use = host.use();
  return played;
}

struct Asked {
  Nanoseconds at_us;
  std::uint64_t lbn;
  std::uint32_t blocks = 8;
  bool write = false;
};

trace::Trace opened(const std::vector<Asked>& asked) {
  trace::Trace trace;
  for (const Asked& one : asked)
    trace.requests.push_back(
        {.arrival_ns = 1000 * one.at_us, .lbn = one.lbn, .blocks = one.blocks, .write = one.write});
  return trace;
}

using Commands = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

std::vector<Nanoseconds> completions_us(const Played& played) {
  std::vector<Nanoseconds> times;
  for (const Response& row : played.rows) times.push_back(row.completion_ns() / 1000);
  return times;
}

}  // namespace

TEST_CASE("a request alone is held back for the plug's time, and not at all without a plug") {
  const Played plugged = played_through(opened({{1000, 500}}), "default");
  CHECK(plugged.drive.got_.at(0).request.issue_ns == 4 * kMillisecond);
  CHECK(plugged.rows.at(0).issue_ns == 1 * kMillisecond);
  CHECK(plugged.rows.at(0).response_ns == 3 * kMillisecond + kServe_ns);
  const Played bare = played_through(opened({{1000, 500}}), "plug-ms=0");
  CHECK(bare.rows.at(0).response_ns == kServe_ns);
}

TEST_CASE("the fourth request that waits ends the plug, and so does a completion") {
  const Played four = played_through(opened({{0, 100}, {100, 300}, {200, 500}, {300, 700}}),
                                     "default");
  CHECK(four.drive.got_.at(0).request.issue_ns == 300'000);
  // The second comes 1 ms before the drive is done with the first, which was sent after 3 ms.
  const Played two = played_through(opened({{0, 100}, {12'000, 300}}), "default");
  CHECK(two.drive.got_.at(1).request.issue_ns == 13 * kMillisecond);
}

TEST_CASE("what waits is merged behind, in front and over the gap between two, and completes") {
  const Played played = played_through(
      opened({{0, 100}, {1, 116}, {2, 92}, {3, 108}, {4, 1000, 8, true}}), "default");
  CHECK(played.commands() == Commands{{92, 32}, {1000, 8}});
  CHECK(completions_us(played) == std::vector<Nanoseconds>{13'000, 13'000, 13'000, 13'000, 23'000});
  CHECK(played.use.commands == 2);
  CHECK(played.use.merged == 3);
}

TEST_CASE("reads are not merged with writes, nothing beyond the largest request") {
  CHECK(played_through(opened({{0, 100}, {1, 108, 8, true}}), "default").commands() ==
        Commands{{100, 8}, {108, 8}});
  CHECK(played_through(opened({{0, 100}, {1, 108}, {2, 116}}), "merge-kb=8").commands() ==
        Commands{{100, 16}, {116, 8}});
  CHECK(played_through(opened({{0, 100}, {1, 108}}), "merge-kb=0").commands() ==
        Commands{{100, 8}, {108, 8}});
}

TEST_CASE("a request above the largest goes in parts and completes with the last of them") {
  const Played played = played_through(opened({{0, 100, 40}}), "merge-kb=8,plug-ms=0");
  CHECK(played.commands() == Commands{{100, 16}, {116, 16}, {132, 8}});
  CHECK(completions_us(played) == std::vector<Nanoseconds>{30'000});
}

TEST_CASE("a merge does not carry a request past one that it overlaps") {
  // The third would go with the first, past the second, which writes the same blocks.
  const Played played = played_through(
      opened({{0, 100, 8, true}, {1, 110, 10, true}, {2, 108, 8, true}}), "default");
  CHECK(played.commands() == Commands{{100, 8}, {110, 10}, {108, 8}});
}

TEST_CASE("the drive does not get two at once of which one must not pass the other") {
  const Played played = played_through(opened({{0, 100, 8, true}, {1, 104, 8, true}, {2, 500}}),
                                       "plug-ms=0", 8);
  CHECK(played.commands() == Commands{{100, 8}, {104, 8}, {500, 8}});
  CHECK(played.drive.got_[1].request.issue_ns == played.drive.got_[0].completion_ns);
}

TEST_CASE("a full queue lets in no more, but for what goes with one that waits") {
  const Played played = played_through(opened({{0, 100}, {1, 500}, {2, 508}, {3, 900}, {4, 1300}}),
                                       "requests=2,plug-ms=0");
  std::vector<Nanoseconds> waited_us;
  for (const Response& row : played.rows) waited_us.push_back(row.waited_ns / 1000);
  CHECK(waited_us == std::vector<Nanoseconds>{0, 0, 0, 9'997, 19'996});
}

TEST_CASE("the drive has as many at once as it is to, and a closed trace is not plugged") {
  trace::Trace closed{.kind = trace::Kind::closed};
  for (std::uint64_t i = 0; i < 40; ++i) closed.requests.push_back({.lbn = 1000 * i, .blocks = 8});
  const std::uint32_t at_once = GENERATE(1, 4);
  const Played played = played_through(closed, "default", at_once, 16);
  CHECK(played.drive.most_ == at_once);
  CHECK(played.drive.got_.at(0).request.issue_ns == 0);
  CHECK(played.rows.back().completion_ns() == 40 * kServe_ns);
}

TEST_CASE(
    "a stream's second read fetches the window behind it, and the reads in it wait for that") {
  // 4 KiB reads 50 ms apart, windows of 8 KiB.
  const Played played = played_through(
      opened(
          {{0, 96}, {50'000, 104}, {100'000, 112}, {150'000, 120}, {150'001, 128}, {152'000, 128}}),
      "plug-ms=0,prefetch-kb=8");
  // The second read and its window are one command. The read at 112 enters the window [112, 128)
  // and fetches the next, that at 128 the third.
  CHECK(played.commands() == Commands{{96, 8}, {104, 24}, {128, 16}, {144, 16}, {128, 8}});
  CHECK(played.use.prefetches == 3);
  CHECK(played.use.from_memory == 3);
  CHECK(played.rows[2].response_ns == 0);
  CHECK(played.rows[2].media == false);
  CHECK(played.rows[5].media == true);  // the stream went on: no longer one of its next reads
}

TEST_CASE("a write takes back what was fetched ahead") {
  const Played played = played_through(
      opened({{0, 96}, {50'000, 104}, {100'000, 120, 8, true}, {150'000, 112}}),
      "plug-ms=0,prefetch-kb=8");
  CHECK(played.commands() == Commands{{96, 8}, {104, 24}, {120, 8}, {112, 24}});
  CHECK(played.rows.at(3).response_ns > 0);
}

TEST_CASE("whatever is asked for: all complete once, none early, none too large, writes in order") {
  const char* const settings = GENERATE("default", "requests=5,merge-kb=16,plug-ms=1",
                                        "merge-kb=24,plug-ms=0,prefetch-kb=20",
                                        "requests=3,merge-kb=0,prefetch-kb=4");
  const std::uint32_t at_once = GENERATE(1, 8);
  const auto kind = GENERATE(trace::Kind::open, trace::Kind::closed);
  const std::uint32_t seed = GENERATE(1, 2, 3);
  std::mt19937 draw(seed);
  trace::Trace trace{.kind = kind};
  Nanoseconds arrival_ns = 0;
  std::uint64_t next = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto blocks = static_cast<std::uint32_t>(1 + draw() % 48);
    const std::uint64_t lbn = draw() % 3 > 0 && next + blocks < 2000 ? next : draw() % 1900;
    trace.requests.push_back(
        {.arrival_ns = kind == trace::Kind::open ? arrival_ns : 0,
         .think_ns = kind == trace::Kind::closed ? static_cast<Nanoseconds>(draw() % 2'000'000) : 0,
         .lbn = lbn,
         .blocks = blocks,
         .write = draw() % 2 == 0});
    next = lbn + blocks;
    arrival_ns += draw() % 3 == 0 ? draw() % (40 * kMillisecond) : draw() % 100000;
  }
  const Played played = played_through(trace, settings, at_once, 12);
  const HostQueueSettings set = host_queue_of(settings);
  REQUIRE(played.rows.size() == trace.requests.size());
  CHECK(played.use.commands == played.drive.got_.size());
  CHECK(played.drive.most_ <= at_once);
  for (const SlowDrive::Got& got : played.drive.got_)
    if (set.merge_bytes > 0) CHECK(got.request.blocks * 512 <= set.merge_bytes);

  // Block by block: which command wrote or read it, in the order of the drive.
  std::map<std::uint64_t, std::vector<const SlowDrive::Got*>> of_block;
  for (const SlowDrive::Got& got : played.drive.got_)
    for (std::uint64_t b = 0; b < got.request.blocks; ++b)
      of_block[got.request.lbn + b].push_back(&got);
  std::map<std::uint64_t, std::size_t> writes_of_block;
  bool all = true;
  for (std::size_t i = 0; i < played.rows.size(); ++i) {
    const Response& row = played.rows[i];
    all = all && row.lbn == trace.requests[i].lbn && row.response_ns >= 0;
    for (std::uint64_t lbn = row.lbn; lbn < row.lbn + row.blocks; ++lbn) {
      // A write's blocks are written by the command of the same rank among the block's writes: as
      // many as were asked for, in their order, and the write is not complete before.
      std::size_t rank = 0;
      const SlowDrive::Got* by = nullptr;
      if (row.write) {
        const std::size_t wanted = writes_of_block[lbn]++;
        for (const SlowDrive::Got* got : of_block[lbn])
          if (got->request.write && rank++ == wanted) by = got;
      } else {
        // A read's were read by a command that was complete by then, behind all writes before it.
        for (const SlowDrive::Got* got : of_block[lbn]) {
          if (got->request.write && rank == writes_of_block[lbn]) break;
          rank += got->request.write;
          if (!got->request.write && rank == writes_of_block[lbn]) {
            by = got;
            break;
          }
        }
      }
      all = all && by && by->completion_ns <= row.completion_ns();
    }
  }
  CHECK(all);
  for (auto& [lbn, writes] : writes_of_block)
    all = all && writes == static_cast<std::size_t>(std::ranges::count_if(
                               of_block[lbn], [](const auto* got) { return got->request.write; }));
  CHECK(all);
}

TEST_CASE("on a model the reference reads pass by the queue, and the result says what it did") {
  trace::Trace trace;
  for (std::uint64_t i = 0; i < 8; ++i)
    trace.requests.push_back({.arrival_ns = 1000, .lbn = 100 + 8 * i, .blocks = 8});
  const Result result = replay_on_model(testing::drive_model(), trace,
                                        {.host_queue = host_queue_of("default")});
  CHECK(result.reference.size() == 16);
  REQUIRE(result.host_queue);
  CHECK(result.host_queue->commands == 1);  // the plug counts commands: one waits, for all of its 3
                                            // ms
  CHECK(result.host_queue->merged == 7);
  const Result alone = replay_on_model(testing::drive_model(), trace);
  CHECK_FALSE(alone.host_queue);
}

TEST_CASE("settings have one text, and what is none is refused by name") {
  CHECK(text_of(host_queue_of("default")) ==
        "requests=128,merge-kb=512,plug-ms=3,prefetch-kb=0,loops=0");
  const char* const all = "requests=7,merge-kb=64,plug-ms=0.25,prefetch-kb=96,loops=4";
  CHECK(text_of(host_queue_of(all)) == all);
  CHECK(host_queue_of("plug-ms=0").requests == 128);
  for (const char* const text :
       {"", "requests", "requests=0", "requests=1.5", "plug-ms=-1", "depth=3", "requests=3,",
        "merge-kb=nan", "plug-ms=3ms", "requests=3,loops=1,requests=3"})
    CHECK_THROWS_AS(host_queue_of(text), Error);
}
