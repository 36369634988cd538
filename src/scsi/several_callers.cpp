#include "scsi/several_callers.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace platter::scsi {
namespace {

struct Ended {};  // another caller has thrown

}  // namespace

struct SeveralCallers::Caller {
  std::thread thread{};
  bool waits = false, done = false;
  bool for_answer = false;                // it waits for one, not for the time alone
  std::optional<Nanoseconds> until_ns{};  // and no longer
  bool woken = false;                     // its time has come
  std::deque<Expected<std::optional<Completion>>> came{};

  bool goes_on() const { return !done && (!waits || woken || (for_answer && !came.empty())); }
};

// Who runs: all others are blocked here.
class SeveralCallers::Turns {
 public:
  void give(std::size_t to) {
    {
      const std::lock_guard lock(mutex_);
      whose_ = to;
    }
    changed_.notify_all();
  }
  void await(std::size_t mine) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return whose_ == mine; });
  }

 private:
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::size_t whose_ = SIZE_MAX;
};

class SeveralCallers::SleepingClock final : public Clock {
 public:
  explicit SleepingClock(SeveralCallers& of) : of_(of) {}
  Nanoseconds now_ns() override { return of_.device_.clock().now_ns(); }
  Nanoseconds with_sleep_ns() override { return of_.device_.clock().with_sleep_ns(); }
  void sleep_until_ns(Nanoseconds deadline_ns) override { of_.sleep_until(deadline_ns); }

 private:
  SeveralCallers& of_;
};

SeveralCallers::SeveralCallers(Device& device)
    : device_(device),
      clock_(std::make_unique<SleepingClock>(*this)),
      turns_(std::make_unique<Turns>()) {}

SeveralCallers::~SeveralCallers() = default;

Clock& SeveralCallers::clock() { return *clock_; }

Expected<void> SeveralCallers::submit(const Command& command, std::uint32_t tag) {
  if (!is_shared()) return device_.submit(command, tag);
  const std::uint32_t its_tag = next_tag_++;
  auto sent = device_.submit(command, its_tag);
  if (sent) asked_.emplace(its_tag, std::pair(turn_, tag));
  return sent;
}

// What others have outstanding is not known here to be nothing.
Expected<void> SeveralCallers::submit_alone(const Command& command, std::uint32_t tag) {
  return is_shared() ? submit(command, tag) : device_.submit_alone(command, tag);
}

Expected<std::optional<Completion>> SeveralCallers::reap() {
  return is_shared() ? wait_until(std::nullopt) : device_.reap();
}

Expected<std::optional<Completion>> SeveralCallers::reap_until(Nanoseconds deadline_ns) {
  return is_shared() ? wait_until(deadline_ns) : device_.reap_until(deadline_ns);
}

Expected<std::optional<Completion>> SeveralCallers::wait_until(
    std::optional<Nanoseconds> deadline_ns) {
  const bool asked = std::ranges::any_of(
      asked_, [this](const auto& each) { return each.second.first == turn_; });
  Caller& me = current();
  if (me.came.empty()) {
    if (!asked && !deadline_ns) return std::nullopt;
    me.for_answer = asked;
    me.until_ns = deadline_ns;
    hand_on();
  }
  if (me.came.empty()) return std::nullopt;
  auto came = std::move(me.came.front());
  me.came.pop_front();
  return came;
}

void SeveralCallers::sleep_until(Nanoseconds deadline_ns) {
  if (!is_shared()) return device_.clock().sleep_until_ns(deadline_ns);
  current().for_answer = false;
  current().until_ns = deadline_ns;
  hand_on();
}

// The caller whose turn it is waits; back when it is its turn again.
void SeveralCallers::hand_on() {
  const std::size_t mine = turn_;
  current().waits = true;
  turn_ = next();
  if (turn_ != mine) {
    turns_->give(turn_);
    turns_->await(mine);
  }
  callers_[mine]->waits = callers_[mine]->woken = false;
  callers_[mine]->until_ns.reset();
  if (thrown_) throw Ended{};
}

std::optional<std::size_t> SeveralCallers::goes_on() const {
  for (std::size_t i = 0; i < callers_.size(); ++i)
    if (thrown_ ? !callers_[i]->done : callers_[i]->goes_on()) return i;
  return std::nullopt;
}

std::size_t SeveralCallers::next() {
  while (std::ranges::any_of(callers_, [](const auto& each) { return !each->done; })) {
    if (const auto one = goes_on()) return *one;
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < callers_.size(); ++i)
      if (const Caller& each = *callers_[i];
          !each.done && each.until_ns && (!first || *each.until_ns < *callers_[*first]->until_ns))
        first = i;
    hear_of(first);
  }
  return callers_.size();
}

// Nobody goes on until the device answers, or a time has come.
void SeveralCallers::hear_of(std::optional<std::size_t> first_to_wake) {
  if (asked_.empty() && first_to_wake) {
    device_.clock().sleep_until_ns(*callers_[*first_to_wake]->until_ns);
    callers_[*first_to_wake]->woken = true;
    return;
  }
  auto done = first_to_wake ? device_.reap_until(*callers_[*first_to_wake]->until_ns)
                            : device_.reap();
  if (done && *done) {
    const auto asked = asked_.extract((*done)->tag);
    if (asked.empty()) return;
    const auto [caller, tag] = asked.mapped();
    (*done)->tag = tag;
    callers_[caller]->came.push_back(std::move(done));
  } else if (done && first_to_wake) {
    callers_[*first_to_wake]->woken = true;
  } else if (!asked_.empty()) {  // the end of one of them, or it has lost all it had
    callers_[asked_.begin()->second.first]->came.push_back(std::move(done));
    asked_.erase(asked_.begin());
  }
}

void SeveralCallers::live(std::size_t caller, const std::function<void()>& work) {
  turns_->await(caller);
  try {
    if (!thrown_) work();
  } catch (const Ended&) {
  } catch (...) {
    if (!thrown_) thrown_ = std::current_exception();
  }
  callers_[caller]->done = true;
  try {
    turn_ = next();
  } catch (...) {
    if (!thrown_) thrown_ = std::current_exception();
    turn_ = next();  // whoever is not done: nothing is asked of the device
  }
  turns_->give(turn_);
}

void SeveralCallers::run(std::vector<std::function<void()>> callers) {
  device_.prepare_for(static_cast<std::uint32_t>(callers.size()));
  thrown_ = nullptr;
  turns_->give(SIZE_MAX);  // an earlier run's end is nobody's turn now
  for (std::size_t i = 0; i < callers.size(); ++i) callers_.push_back(std::make_unique<Caller>());
  for (std::size_t i = 0; i < callers.size(); ++i) {
    try {
      if (!thrown_) callers_[i]->thread = std::thread([this, i, &callers] { live(i, callers[i]); });
    } catch (...) {
      thrown_ = std::current_exception();
    }
    callers_[i]->done = thrown_ != nullptr;
  }
  turn_ = next();
  if (turn_ < callers_.size()) {
    turns_->give(turn_);
    turns_->await(callers_.size());
  }
  for (const auto& each : callers_)
    if (each->thread.joinable()) each->thread.join();
  callers_.clear();
  drain(device_, asked_.size());
  asked_.clear();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace platter::scsi
