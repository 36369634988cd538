#include "transport/in_flight.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace platter::transport {

using scsi::Completion;
using scsi::Expected;
using scsi::TransportError;

InFlight::InFlight(std::string path, std::size_t most, const MakeCarrier& make)
    : path_(std::move(path)), flights_(most), states_(most, State::free) {
  for (std::size_t i = 0; i < most; ++i) flights_[i].number = i;
  carrier_ = make(*this);
}

InFlight::~InFlight() {
  drop();
  settle();
}

void InFlight::prepare(std::size_t outstanding) {
  carrier_->prepare(std::min(outstanding, flights_.size()));
}

bool InFlight::holds(State state) const {
  return std::ranges::find(states_, state) != states_.end();
}

bool InFlight::empty() const {
  const std::lock_guard lock(mutex_);
  return !holds(State::under_way) && !holds(State::back);
}

// A flight that is free is touched by no other thread, and becomes free in this one alone but for
// those that were dropped.
Expected<void> InFlight::submit(const scsi::Command& command, std::uint32_t tag) {
  Flight* flight = nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (Flight& other : flights_) {
      const State state = states_[other.number];
      if (state == State::free) {
        if (!flight) flight = &other;
      } else if (state != State::dropped && other.tag == tag) {
        return tl::unexpected(TransportError{
            TransportError::Kind::protocol,
            fmt::format("{} was given tag {} while a command of that tag is outstanding; give each "
                        "command a tag of its own",
                        path_, tag)});
      }
    }
  }
  if (!flight)
    return tl::unexpected(TransportError{
        TransportError::Kind::refused,
        fmt::format("{} takes {} commands at once: reap one before", path_, flights_.size())});
  flight->load(command, tag);
  const auto set = [&](State state) {
    const std::lock_guard lock(mutex_);
    states_[flight->number] = state;
  };
  set(State::under_way);
  const int error = carrier_->send(*flight);
  if (error == 0) return {};
  set(State::free);
  return tl::unexpected(why_not_sent(path_, command, error));
}

void InFlight::coming() { ++coming_; }

void InFlight::back(Flight& flight) {
  {
    const std::lock_guard lock(mutex_);
    State& state = states_[flight.number];
    if (state == State::dropped) {
      state = State::free;
    } else {
      state = State::back;
      const auto later = [](Nanoseconds time_ns, const Flight* other) {
        return time_ns < other->completed_ns;
      };
      back_.insert(std::upper_bound(back_.begin(), back_.end(), flight.completed_ns, later),
                   &flight);
    }
    if (coming_ > 0) --coming_;
    ++arrivals_;
  }
  changed_.notify_one();
}

// The earliest of those that are back or coming.
Expected<std::optional<Completion>> InFlight::first(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return !back_.empty() && coming_ == 0; });
  Flight& flight = *back_.front();
  back_.pop_front();
  lock.unlock();
  auto done = flight.completion(path_);
  lock.lock();
  states_[flight.number] = State::free;
  if (!done) return tl::unexpected(done.error());
  return std::move(*done);
}

Expected<std::optional<Completion>> InFlight::reap() {
  std::unique_lock lock(mutex_);
  if (back_.empty() && !holds(State::under_way)) return std::nullopt;
  return first(lock);
}

// Sleeps, then spins the last stretch, as the clock does, where another processor brings back what
// comes meanwhile. Either ends then.
Expected<std::optional<Completion>> InFlight::reap_until(Nanoseconds deadline_ns) {
  HostClock::sleep_without_slack();
  for (;;) {
    const Nanoseconds spin_ns = has_several_processors() ? punctuality_.spin_ns() : 0;
    const std::uint64_t arrivals = arrivals_;
    {
      std::unique_lock lock(mutex_);
      if (!back_.empty() && back_.front()->completed_ns <= deadline_ns) return first(lock);
      const Nanoseconds now_ns = clock_.now_ns();
      if (now_ns >= deadline_ns) return std::nullopt;
      const Nanoseconds pause_ns = deadline_ns - now_ns - spin_ns;
      if (pause_ns > 0) {
        if (!changed_.wait_for(lock, std::chrono::nanoseconds(pause_ns),
                               [this] { return !back_.empty(); }))
          punctuality_.slept(pause_ns, clock_.now_ns() - now_ns - pause_ns);
        continue;
      }
    }
    while (arrivals_ == arrivals && clock_.now_ns() < deadline_ns) {
    }
  }
}

void InFlight::drop() noexcept {
  const std::lock_guard lock(mutex_);
  back_.clear();
  for (State& state : states_) {
    if (state == State::under_way) state = State::dropped;
    if (state == State::back) state = State::free;
  }
}

void InFlight::settle() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !holds(State::dropped); });
}

}  // namespace platter::transport
