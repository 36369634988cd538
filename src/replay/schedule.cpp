#include "replay/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "model/error.h"
#include "model/interruption.h"

namespace platter::replay {
namespace {

constexpr std::uint64_t kReferenceStep = 8192;  // blocks
constexpr std::size_t kRequestsRead = 256;      // requests, read or handed on at a time

// The requests from the oldest that is not complete on.
class Window {
 public:
  Window(Part part, Rows& rows) : part_(part), rows_(rows) {}

  // Of one more request, which is outstanding.
  Response& add(Nanoseconds think_ns) {
    if (entries_.size() >= enough_) hand_on();
    thinks_.push_back(think_ns);
    Response& entry = entries_.emplace_back();
    entry.response_ns = kOutstanding;
    return entry;
  }
  std::uint64_t latest() const { return first_ + entries_.size() - 1; }

  Response& operator[](std::uint64_t number) { return entries_[number - first_]; }
  Nanoseconds think_ns(std::uint64_t number) const { return thinks_[number - first_]; }

  // What is complete and has nothing in front of it that is not.
  void hand_on() {
    const auto end = std::ranges::find(entries_, kOutstanding, &Response::response_ns);
    const auto count = end - entries_.begin();
    rows_.add(part_, {entries_.begin(), end});
    entries_.erase(entries_.begin(), end);
    thinks_.erase(thinks_.begin(), thinks_.begin() + count);
    first_ += static_cast<std::uint64_t>(count);
    enough_ = std::max(2 * entries_.size(), kRequestsRead);
  }

 private:
  static constexpr Nanoseconds kOutstanding = -1;

  Part part_;
  Rows& rows_;
  std::vector<Response> entries_{};
  std::vector<Nanoseconds> thinks_{};
  std::uint64_t first_ = 0;
  std::size_t enough_ = kRequestsRead;
};

class Play {
 public:
  Play(Player& player, const Schedule& schedule, Part part, Rows& rows)
      : player_(player), schedule_(schedule), window_(part, rows), latest_ns_(schedule.start_ns) {
    if (closed())
      for (std::uint32_t i = 0; i < schedule.depth; ++i) free_loops_.push(schedule.start_ns);
  }

  void take(const trace::Request& request) {
    Response& row = window_.add(request.think_ns);
    row.lbn = request.lbn;
    row.blocks = request.blocks;
    row.write = request.write;
    player_.prepare(row);
    row.due_ns = closed() ? wait_for_loop() : schedule_.start_ns + request.arrival_ns;
    row.issue_ns = wait_for_turn(row.due_ns);
    row.waited_ns = row.issue_ns - row.due_ns;
    player_.issue(window_.latest(), row.issue_ns);
    ++outstanding_;
    ++issued_;
  }

  Nanoseconds finish() {
    while (outstanding_ > 0) complete(player_.next());
    window_.hand_on();
    return latest_ns_;
  }

  std::uint64_t issued() const { return issued_; }

 private:
  bool closed() const { return schedule_.kind == trace::Kind::closed; }

  // When the first loop is free to issue the next request.
  Nanoseconds wait_for_loop() {
    for (;;) {
      if (free_loops_.empty()) {
        complete(player_.next());
      } else if (const auto done = player_.next_by(free_loops_.top())) {
        complete(*done);
      } else {
        const Nanoseconds due_ns = free_loops_.top();
        free_loops_.pop();
        return due_ns;
      }
    }
  }

  // Waits until the request is due, and on while as many are outstanding as may be.
  Nanoseconds wait_for_turn(Nanoseconds due_ns) {
    while (const auto done = player_.next_by(due_ns)) complete(*done);
    Nanoseconds turn_ns = std::max(due_ns, latest_turn_ns_);
    while (outstanding_ > 0 && outstanding_ >= std::min(schedule_.depth, player_.room()))
      turn_ns = std::max(turn_ns, complete(player_.next()));
    return latest_turn_ns_ = turn_ns;
  }

  Nanoseconds complete(const Player::Done& done) {
    Response& row = window_[done.number];
    row.issue_ns = done.issue_ns;
    row.response_ns = done.response_ns;
    row.waited_ns += done.refused_ns;
    row.media = done.media;
    latest_ns_ = std::max(latest_ns_, done.completion_ns());
    if (closed()) free_loops_.push(done.completion_ns() + window_.think_ns(done.number));
    --outstanding_;
    return done.completion_ns();
  }

  Player& player_;
  Schedule schedule_;
  Window window_;
  std::priority_queue<Nanoseconds, std::vector<Nanoseconds>, std::greater<>> free_loops_{};
  std::uint32_t outstanding_ = 0;
  std::uint64_t issued_ = 0;
  Nanoseconds latest_ns_ = 0, latest_turn_ns_ = 0;
};

bool lies_within(const trace::Request& request, std::uint64_t blocks) {
  return request.lbn < blocks && request.blocks <= blocks - request.lbn;
}

[[noreturn]] void refuse(const trace::Request& request, std::uint64_t number,
                         const trace::Reader& trace, std::uint64_t blocks) {
  throw Error(
      ExitStatus::bad_input,
      fmt::format("{}: request {} (LBN {}, {} blocks) lies past the end of the drive, which "
                  "has {} blocks; make a trace for this drive, or place this one with "
                  "--fit wrap, scale or compact",
                  trace.source().name, number, request.lbn, request.blocks, blocks));
}

}  // namespace

std::vector<std::uint64_t> reference_lbns(std::uint64_t blocks, std::uint32_t count) {
  const std::uint64_t step = std::min<std::uint64_t>(kReferenceStep,
                                                     blocks / (2 * (std::uint64_t{count} + 1)));
  std::vector<std::uint64_t> lbns;
  for (std::uint32_t i = 0; i < count; ++i) lbns.push_back(blocks / 2 + (count - 1 - i) * step);
  return lbns;
}

Nanoseconds play(Player& player, trace::Reader& trace, const Schedule& schedule, Part part,
                 Rows& rows, const Issued& issued) {
  Play playing(player, schedule, part, rows);
  std::vector<trace::Request> requests(kRequestsRead);
  while (const std::size_t count = trace.read(requests))
    for (std::size_t i = 0; i < count; ++i) {
      if (!lies_within(requests[i], schedule.blocks))
        refuse(requests[i], playing.issued() + 1, trace, schedule.blocks);
      stop_if_asked();
      playing.take(requests[i]);
      if (issued) issued(playing.issued());
    }
  return playing.finish();
}

Nanoseconds play_references(Player& player, const std::vector<std::uint64_t>& lbns, Rows& rows) {
  trace::Trace reads;
  for (const std::uint64_t lbn : lbns)
    reads.requests.push_back(
        {.arrival_ns = static_cast<Nanoseconds>(reads.requests.size()) * kReferencePause_ns,
         .lbn = lbn});
  const std::unique_ptr<trace::Reader> reader = trace::reader_of(reads);
  const Nanoseconds end_ns = play(player, *reader, {.blocks = ~std::uint64_t{0}}, Part::reference,
                                  rows);
  return std::max(end_ns, static_cast<Nanoseconds>(lbns.size()) * kReferencePause_ns);
}

}  // namespace platter::replay
