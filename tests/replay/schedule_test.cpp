// The loop that issues a trace's requests: arrivals, loops, turns, and who is to blame for
// lateness.
#include "replay/schedule.h"

#include <algorithm>
#include <deque>

#include "catch.h"
#include "model/error.h"
#include "replay/replay_model.h"
#include "replay/shaped.h"

using namespace platter;
using namespace platter::replay;

namespace {

constexpr std::uint64_t kLongDriveBlocks = 1000000;

// Serves each request in as many us as it has blocks, all at once.
class Parallel final : public Player {
 public:
  void prepare(const Response& request) override { prepared_ = request; }
  std::optional<Done> next_by(Nanoseconds time_ns) override {
    if (running_.empty() || earliest()->completion_ns() > time_ns) return std::nullopt;
    return next();
  }
  Done next() override {
    const auto first = earliest();
    const Done done = *first;
    running_.erase(first);
    return done;
  }
  void issue(std::uint64_t number, Nanoseconds time_ns) override {
    running_.push_back(
        {.number = number, .issue_ns = time_ns, .response_ns = 1000 * prepared_.blocks});
    most_ = std::max(most_, running_.size());
  }
  std::uint32_t room() const override { return room_; }

  std::size_t most_ = 0;
  std::uint32_t room_ = 1000;

 private:
  std::deque<Done>::iterator earliest() {
    return std::ranges::min_element(running_, {}, &Done::completion_ns);
  }
  Response prepared_{};
  std::deque<Done> running_{};
};

class Kept final : public Rows {
 public:
  void add(Part, std::span<const Response> rows) override {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    largest_ = std::max(largest_, rows.size());
  }
  std::vector<Response> rows_{};
  std::size_t largest_ = 0;
};

std::vector<Response> played(Player& player, const trace::Trace& trace, std::uint32_t depth,
                             Nanoseconds start_ns = 0) {
  Kept rows;
  play(player, *trace::reader_of(trace),
       {.kind = trace.kind, .depth = depth, .start_ns = start_ns, .blocks = kLongDriveBlocks},
       Part::trace, rows);
  return rows.rows_;
}

trace::Trace closed(std::vector<std::pair<std::uint32_t, Nanoseconds>> blocks_and_think_us) {
  trace::Trace trace{.kind = trace::Kind::closed};
  for (const auto& [blocks, think] : blocks_and_think_us)
    trace.requests.push_back({.think_ns = 1000 * think, .blocks = blocks});
  return trace;
}

}  // namespace

TEST_CASE("a closed trace at depth 2: two loops, each thinks after its own completion") {
  Parallel player;
  // Loop a takes 1 (0 to 10), thinks 5, takes 3 at 15 (to 16), thinks 1, takes 4 at 17 (to 20) ...
  // loop b takes 2 (0 to 30), thinks 2, takes 6 at 32, for a takes 5 at 24.
  const std::vector<Response> rows = played(
      player, closed({{10, 5}, {30, 2}, {1, 1}, {3, 4}, {100, 0}, {7, 0}}), 2, 1'000'000);
  std::vector<Nanoseconds> issues_us;
  for (const Response& row : rows) {
    CHECK(row.due_ns == row.issue_ns);
    issues_us.push_back(row.issue_ns / 1000 - 1000);
  }
  CHECK(issues_us == std::vector<Nanoseconds>{0, 0, 15, 17, 24, 32});
  CHECK(player.most_ == 2);
}

TEST_CASE(
    "a closed trace never has more outstanding than loops, and at depth 1 is what it always was") {
  const std::uint32_t depth = GENERATE(1, 3, 16);
  trace::Trace trace{.kind = trace::Kind::closed};
  for (std::uint32_t i = 0; i < 500; ++i)
    trace.requests.push_back({.think_ns = 977 * (i % 7), .blocks = 1 + i * 31 % 97});
  Parallel player;
  const std::vector<Response> rows = played(player, trace, depth);
  REQUIRE(rows.size() == 500);
  CHECK(player.most_ == std::min<std::size_t>(depth, 500));
  if (depth > 1) return;
  for (std::size_t i = 1; i < rows.size(); ++i)
    CHECK(rows[i].issue_ns == rows[i - 1].completion_ns() + trace.requests[i - 1].think_ns);
}

TEST_CASE("an open request waits for its turn, and the wait is told from its own time") {
  trace::Trace trace;
  for (Nanoseconds i = 0; i < 6; ++i)
    trace.requests.push_back({.arrival_ns = 1000 * i, .blocks = 10});
  Parallel player;
  const std::vector<Response> rows = played(player, trace, 2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].due_ns == 1000 * static_cast<Nanoseconds>(i));
    CHECK(rows[i].late_ns() == 0);
    CHECK(rows[i].waited_ns == (i < 2 ? 0 : rows[i - 2].completion_ns() - rows[i].due_ns));
    CHECK(rows[i].response_ns == 10000);
  }
}

TEST_CASE("what the target takes at once is the limit, whatever the depth") {
  trace::Trace trace;
  trace.requests.resize(50);
  Parallel player;
  player.room_ = 3;
  played(player, trace, 32);
  CHECK(player.most_ == 3);
}

TEST_CASE("rows are handed on while the replay runs, in the trace's order") {
  constexpr std::size_t kRequests = 50000;
  trace::Trace trace;
  for (std::size_t i = 0; i < kRequests; ++i)
    trace.requests.push_back({.arrival_ns = static_cast<Nanoseconds>(i) * 1000,
                              .lbn = i,
                              .blocks = 1 + static_cast<std::uint32_t>(i * 7919 % 60)});
  Parallel player;
  Kept rows;
  play(player, *trace::reader_of(trace), {.depth = 64, .blocks = kLongDriveBlocks}, Part::trace,
       rows);
  REQUIRE(rows.rows_.size() == kRequests);
  CHECK(rows.largest_ < 10000);
  for (std::size_t i = 0; i < kRequests; ++i) {
    if (rows.rows_[i].lbn != i) FAIL("row " << i << " is another request");
    if (rows.rows_[i].response_ns != 1000 * rows.rows_[i].blocks)
      FAIL("row " << i << " is not its own");
  }
}

TEST_CASE("a request past the drive's end is named by its number") {
  trace::Trace trace;
  trace.name = "t";
  trace.requests = {{.lbn = 1}, {.lbn = kLongDriveBlocks - 1, .blocks = 2}};
  Parallel player;
  try {
    played(player, trace, 1);
    FAIL("served");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("t: request 2 (LBN 999999, 2 blocks) lies past"));
  }
}

TEST_CASE("twice the speed halves arrival and think times; a limit ends the trace") {
  trace::Trace trace;
  for (Nanoseconds i = 0; i < 10; ++i)
    trace.requests.push_back({.arrival_ns = 1001 * i, .think_ns = 500});
  const auto reader = shaped(trace::reader_of(trace), {.speed = 2, .limit = 4});
  std::vector<trace::Request> requests(100);
  REQUIRE(reader->read(requests) == 4);
  CHECK(requests[3].arrival_ns == 1502);  // 1501.5
  CHECK(requests[0].think_ns == 250);
  CHECK(reader->read(requests) == 0);
  trace.requests[1].arrival_ns = 1ll << 60;
  const auto slow = shaped(trace::reader_of(trace), {.speed = 1e-6});
  CHECK_THROWS_AS(slow->read(requests), Error);
}
