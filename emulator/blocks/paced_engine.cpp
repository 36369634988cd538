#include "emulator/blocks/paced_engine.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>
#include <utility>

namespace platter::emulator {
namespace {

// So often a connection is asked whether there is still somebody.
constexpr Nanoseconds kAsks = 100 * kMillisecond;

// What it takes to ask an engine whose tables have left the processor's caches, and until a thread
// runs that is notified, and some more.
constexpr Nanoseconds kTaking = 60 * kMicrosecond;

// steady_clock is CLOCK_MONOTONIC, which host_now_ns() reads.
std::chrono::steady_clock::time_point time_point(Nanoseconds host_ns) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(host_ns));
}

}  // namespace

PacedEngine::PacedEngine(platter_engine& engine, std::uint32_t depth, std::uint32_t block_bytes,
                         const DriveClock& clock, const TransportDelay& delay,
                         RequestEpisodes* episodes, RequestLog* log)
    : engine_(engine),
      depth_(depth == 0 ? kMost : depth),
      block_bytes_(block_bytes),
      clock_(clock),
      delay_(delay),
      episodes_(episodes),
      log_(log) {}

// `bytes`: of data that came with it.
Nanoseconds PacedEngine::seen_drive_ns(Nanoseconds came_host_ns, std::uint64_t bytes,
                                       const Connection& who) const {
  const bool awake = came_host_ns - who.answered_ns < kAwake;
  return clock_.drive_ns(came_host_ns - delay_.inbound_ns(bytes, awake));
}

// Its client is awake that asked just now, or was answered.
Nanoseconds PacedEngine::way_back_ns(const Slot& slot, Nanoseconds completion_ns) const {
  const Nanoseconds active_ns = std::max(slot.came_host_ns, slot.who->answered_ns);
  const bool awake = clock_.host_ns(completion_ns) - active_ns < kAwake;
  return delay_.outbound_ns(slot.back_bytes, awake);
}

Nanoseconds PacedEngine::leaves_host_ns(const Slot& slot) const {
  return clock_.host_ns(slot.completion_ns) - way_back_ns(slot, slot.completion_ns);
}

// When to ask the engine for it: the answer of any of those that are outstanding may be due then,
// and whoever answers is to wait for the deadline.
Nanoseconds PacedEngine::taken_host_ns(Nanoseconds completion_ns) const {
  Nanoseconds longest_ns = 0;
  for (const Slot& slot : slots_)
    if (slot.used && !slot.done)
      longest_ns = std::max(longest_ns, way_back_ns(slot, completion_ns));
  return clock_.host_ns(completion_ns) - longest_ns - (clock_.speed() == 1 ? kTaking : 0);
}

bool PacedEngine::is_lost(const Connection& who) const {
  return ended_ || power_ != who.power() || who.is_gone();
}

// Now and then whoever waits asks if there is still somebody to be answered. Whether nobody is.
bool PacedEngine::ask(Lock& lock, const Connection& who) {
  if (is_lost(who)) return true;
  lock.unlock();
  const bool gone = who.ask(host_now_ns(), kAsks);
  lock.lock();
  if (gone) wake_all();
  return is_lost(who);
}

int PacedEngine::serve(platter_request request, Nanoseconds came_host_ns, const Connection& who,
                       const Move& move, Courier* courier) {
  Lock lock(mutex_);
  if (is_lost(who)) return ESHUTDOWN;
  const bool writes = (request.flags & PLATTER_WRITE) != 0;
  const std::uint64_t bytes = std::uint64_t{request.blocks} * block_bytes_;
  Nanoseconds arrival_ns = seen_drive_ns(came_host_ns, writes ? bytes : 0, who);
  if (used_ + promised_ >= depth_ || !waiting_.empty()) {
    if (!wait_for_room(lock, who)) return ESHUTDOWN;
    arrival_ns = clock_.now_ns();  // it reaches the drive now
  }
  const std::uint32_t tag = free_slot();
  request.tag = tag;
  if (platter_engine_submit(&engine_, &request, arrival_ns) != PLATTER_OK) return EIO;
  Slot& slot = slots_[tag];
  slot.used = true;
  slot.done = false;
  slot.back_bytes = writes ? 0 : bytes;
  slot.came_host_ns = came_host_ns;
  slot.arrival_ns = arrival_ns;
  slot.who = &who;
  slot.fails = slot.is_kept = slot.is_stuck = false;
  slot.courier = courier;
  slot.is_moved = false;
  if (courier != nullptr) courier_ = courier;
  if (episodes_ != nullptr) {
    slot.asked = episodes_->came(request.lbn, request.blocks, request.flags & PLATTER_WRITE,
                                 arrival_ns);
    slot.fails = episodes_->fails(slot.asked);
  }
  ++used_;
  if (log_ != nullptr) log_->submitted(request, arrival_ns);
  look();
  const int error = move ? moved(lock, tag, who, move) : 0;
  if (courier != nullptr) return leave_to_courier(tag, error, who);
  const bool answered = error == 0 && await(lock, tag);
  if (!answered && power_ == who.power()) withdraw(tag);
  if (!led_) hand_over_lead();
  if (!answered) return error != 0 ? error : ESHUTDOWN;
  if (slot.is_kept && !outlast_episodes(lock, tag, who)) return ESHUTDOWN;
  return answer(lock, tag, who);
}

// Contents take their time, and others go on meanwhile. ESHUTDOWN: the power went, and the slot is
// another's.
int PacedEngine::moved(Lock& lock, std::uint32_t tag, const Connection& who, const Move& move) {
  const bool fails = slots_[tag].fails;
  lock.unlock();
  int error = ENOMEM;
  try {
    error = move(fails);
  } catch (const std::bad_alloc&) {
  }
  lock.lock();
  return power_ == who.power() ? error : ESHUTDOWN;
}

// The engine has completed it, and knows nothing of episodes.
void PacedEngine::misbehave(Slot& slot, std::uint32_t tag) {
  const platter_outcome outcome = episodes_->outcome(slot.asked, slot.completion_ns);
  if (log_ != nullptr)
    for (const platter_action& action : episodes_->actions()) log_->acted(tag, action);
  slot.is_stuck = (outcome.flags & PLATTER_NEVER) != 0;
  slot.is_kept = slot.is_stuck || outcome.due_ns != slot.completion_ns;
  if (!slot.is_stuck) slot.completion_ns = outcome.due_ns;
}

// Waits for an answer that is kept back until shortly before it leaves. false: nobody waits for it
// any more; where the power has gone, the slot is another's.
bool PacedEngine::outlast_episodes(Lock& lock, std::uint32_t tag, const Connection& who) {
  Slot& slot = slots_[tag];
  const auto look_again_ns = [&] {
    const Nanoseconds asks_ns = host_now_ns() + kAsks;
    return slot.is_stuck ? asks_ns : std::min(leaves_host_ns(slot) - kSpin, asks_ns);
  };
  while (slot.is_stuck || leaves_host_ns(slot) - host_now_ns() > kSpin) {
    slot.wake.wait_until(lock, time_point(look_again_ns()));
    if (power_ != who.power()) return false;
    if (!ask(lock, who)) continue;
    if (power_ == who.power()) free(slot);
    return false;
  }
  return true;
}

PacedEngine::Delivery PacedEngine::delivery_of(std::uint32_t tag) const {
  const Slot& slot = slots_[tag];
  return {tag, slot.who, leaves_host_ns(slot), way_back_ns(slot, slot.completion_ns)};
}

// The thread that answers is the one that waits for the deadline.
int PacedEngine::answer(Lock& lock, std::uint32_t tag, const Connection& who) {
  const Delivery what = delivery_of(tag);
  const int error = slots_[tag].fails ? EIO : 0;
  lock.unlock();
  wait_until_host_ns(what.leaves_host_ns);
  return what.who == &who && deliver(what, host_now_ns()) ? error : ESHUTDOWN;
}

int PacedEngine::leave_to_courier(std::uint32_t tag, int error, const Connection& who) {
  if (error != 0 || is_lost(who)) {
    if (power_ == who.power()) withdraw(tag);
    return error != 0 ? error : ESHUTDOWN;
  }
  slots_[tag].is_moved = true;
  if (slots_[tag].done) carry(tag);
  return kByCourier;
}

void PacedEngine::carry(std::uint32_t tag) {
  const Slot& slot = slots_[tag];
  if (slot.is_stuck) return;
  const Delivery what = delivery_of(tag);
  slot.courier->answer_at(what.leaves_host_ns, slot.fails ? EIO : 0,
                          [this, what](Nanoseconds now_ns) { return deliver(what, now_ns); });
}

// No thread waits here that would tell of it.
void PacedEngine::lose_carried() {
  for (Slot& slot : slots_)
    if (slot.used && slot.courier != nullptr && slot.is_moved)
      std::exchange(slot.courier, nullptr)->answer_at(host_now_ns(), ESHUTDOWN, {});
}

std::optional<Nanoseconds> PacedEngine::next_host_ns() const {
  const Lock lock(mutex_);
  return next_ns_ ? std::optional(taken_host_ns(*next_ns_)) : std::nullopt;
}

void PacedEngine::take_due() {
  const Lock lock(mutex_);
  take_what_is_due();
}

// false: the power has gone, and the slot is another's.
bool PacedEngine::deliver(const Delivery& what, Nanoseconds now_host_ns) {
  const Lock lock(mutex_);
  if (power_ != what.who->power()) return false;
  Slot& slot = slots_[what.tag];
  const Nanoseconds served_ns = slot.completion_ns - slot.arrival_ns;
  free(slot);
  what.who->answered_ns = now_host_ns;
  lateness_.add(served_ns / clock_.speed(), now_host_ns - what.leaves_host_ns);
  if (log_ != nullptr) log_->delivered(what.tag, clock_.drive_ns(now_host_ns + what.way_ns));
  return true;
}

void PacedEngine::free(Slot& slot) {
  slot.used = false;
  slot.who = nullptr;
  slot.courier = nullptr;
  --used_;
  admit();
}

// As ABORT TASK does it: what the media have begun they finish.
void PacedEngine::withdraw(std::uint32_t tag) {
  if (!slots_[tag].done) {
    const Nanoseconds now_ns = clock_.now_ns();
    platter_engine_cancel(&engine_, tag, now_ns);
    if (log_ != nullptr) log_->withdrawn(tag, now_ns);
    look();
  }
  free(slots_[tag]);
}

int PacedEngine::synchronize(Nanoseconds came_host_ns, const Connection& who, Courier* courier) {
  Lock lock(mutex_);
  if (is_lost(who)) return ESHUTDOWN;
  const Nanoseconds now_ns = seen_drive_ns(came_host_ns, 0, who);
  Nanoseconds done_ns = 0;
  if (platter_engine_synchronize(&engine_, now_ns, &done_ns) != PLATTER_OK) return EIO;
  if (log_ != nullptr) log_->synchronized(now_ns, done_ns);
  look();
  platter_outcome outcome{};
  outcome.due_ns = done_ns;
  if (episodes_ != nullptr) {
    outcome = episodes_->outcome(episodes_->came(0, 0, PLATTER_FLUSH, now_ns), done_ns);
    if (log_ != nullptr)
      for (const platter_action& action : episodes_->actions()) log_->acted(std::nullopt, action);
    if ((outcome.flags & PLATTER_NEVER) == 0) done_ns = outcome.due_ns;
  }
  const bool is_stuck = (outcome.flags & PLATTER_NEVER) != 0;
  const bool awake = clock_.host_ns(done_ns) - came_host_ns < kAwake;
  const Nanoseconds leaves = clock_.host_ns(done_ns) - delay_.outbound_ns(0, awake);
  while (is_stuck || leaves - host_now_ns() > kSpin) {
    const Nanoseconds asks_ns = host_now_ns() + kAsks;
    flush_wake_.wait_until(lock,
                           time_point(is_stuck ? asks_ns : std::min(leaves - kSpin, asks_ns)));
    if (ask(lock, who)) return ESHUTDOWN;
  }
  lock.unlock();
  const int error = (outcome.flags & PLATTER_FAILS) != 0 ? EIO : 0;
  const auto delivered = [this, &who](Nanoseconds now_host_ns) {
    const Lock again(mutex_);
    who.answered_ns = now_host_ns;
    return power_ == who.power();
  };
  if (courier != nullptr) {
    courier->answer_at(leaves, error, delivered);
    return kByCourier;
  }
  wait_until_host_ns(leaves);
  return delivered(host_now_ns()) ? error : ESHUTDOWN;
}

std::vector<Range> PacedEngine::dirty_blocks() const {
  const Lock lock(mutex_);
  std::vector<platter_extent> extents(64);
  std::size_t count = 0;
  const Nanoseconds now_ns = clock_.now_ns();
  for (;;) {
    if (platter_engine_dirty(&engine_, now_ns, extents.data(), extents.size(), &count) !=
        PLATTER_OK)
      count = 0;
    if (count <= extents.size()) break;
    extents.resize(count);
  }
  std::vector<Range> blocks;
  for (std::size_t i = 0; i < count; ++i)
    blocks.push_back({extents[i].lbn, extents[i].lbn + extents[i].blocks});
  return blocks;
}

void PacedEngine::cut_power() {
  const Lock lock(mutex_);
  ++power_;
  const Nanoseconds now_ns = clock_.now_ns();
  platter_engine_reset(&engine_, now_ns);
  if (log_ != nullptr) log_->power_cut(now_ns);
  lose_carried();
  used_ = 0;
  for (Slot& slot : slots_) slot.used = slot.done = false;
  wake_all();
  admit();
  look();
}

void PacedEngine::end() {
  const Lock lock(mutex_);
  ended_ = true;
  lose_carried();
  wake_all();
  look();
}

void PacedEngine::wake_all() {
  for (Slot& slot : slots_) slot.wake.notify_all();
  for (Waiting* const each : waiting_) each->wake.notify_all();
  flush_wake_.notify_all();
  leader_wake_.notify_all();
}

// false: nobody waits for the answer any more.
bool PacedEngine::wait_for_room(Lock& lock, const Connection& who) {
  Waiting own{who};
  const auto place = waiting_.insert(waiting_.end(), &own);
  admit();
  bool lost = is_lost(who);
  while (!own.admitted && !lost) {
    own.wake.wait_for(lock, std::chrono::nanoseconds(kAsks));
    lost = ask(lock, who);
  }
  if (own.admitted)
    --promised_;
  else
    waiting_.erase(place);
  if (lost) admit();
  return !lost;
}

// While there is room: the oldest of the connection of which none was admitted for longest. So a
// client with many requests holds up one with few by no more than the drive holds.
void PacedEngine::admit() {
  while (used_ + promised_ < depth_ && !waiting_.empty()) {
    const auto next = std::ranges::min_element(
        waiting_, {}, [](const Waiting* each) { return each->who.admitted; });
    Waiting& chosen = **next;
    waiting_.erase(next);
    chosen.who.admitted = ++admissions_;
    chosen.admitted = true;
    ++promised_;
    chosen.wake.notify_one();
  }
}

std::uint32_t PacedEngine::free_slot() {
  std::uint32_t tag = 0;
  while (slots_[tag].used) ++tag;
  return tag;
}

// One look after each change, so that a log repeats all that the engine was asked.
void PacedEngine::look() {
  Nanoseconds next_ns = 0;
  const bool any = platter_engine_next_completion_time(&engine_, &next_ns) == PLATTER_OK;
  next_ns_ = any ? std::optional(next_ns) : std::nullopt;
  changed_.store(true, std::memory_order_release);
  if (led_) leader_wake_.notify_one();
  if (courier_ != nullptr) courier_->look_again();
}

void PacedEngine::take_what_is_due() {
  while (next_ns_ && taken_host_ns(*next_ns_) <= host_now_ns()) {
    platter_completion taken{};
    if (platter_engine_next_completion(&engine_, &taken) != PLATTER_OK) return;
    if (log_ != nullptr) log_->taken(taken.tag, taken.completion_ns);
    Slot& slot = slots_[taken.tag];
    slot.completion_ns = taken.completion_ns;
    slot.done = true;
    if (episodes_ != nullptr) misbehave(slot, taken.tag);
    if (slot.courier == nullptr)
      slot.wake.notify_one();
    else if (slot.is_moved)
      carry(taken.tag);
    look();
  }
}

// false: nobody waits for it any more. Where the power has gone, the slot is another's.
bool PacedEngine::await(Lock& lock, std::uint32_t tag) {
  Slot& own = slots_[tag];
  const Connection& who = *own.who;
  for (;;) {
    take_what_is_due();
    if (power_ != who.power()) return false;
    if (own.done) return true;
    if (ask(lock, who)) return false;
    if (own.done) return true;
    if (led_) {
      own.wake.wait_for(lock, std::chrono::nanoseconds(kAsks));
      continue;
    }
    led_ = true;
    wait_as_leader(lock);
    led_ = false;
  }
}

// Until the next completion, or until something else comes.
void PacedEngine::wait_as_leader(Lock& lock) {
  changed_.store(false, std::memory_order_relaxed);
  const Nanoseconds leaves = taken_host_ns(*next_ns_);
  if (leaves - host_now_ns() > kSpin) {
    leader_wake_.wait_until(lock, time_point(std::min(leaves - kSpin, host_now_ns() + kAsks)));
    return;
  }
  lock.unlock();
  while (host_now_ns() < leaves && !changed_.load(std::memory_order_acquire)) {
  }
  lock.lock();
}

void PacedEngine::hand_over_lead() {
  for (Slot& slot : slots_)
    if (slot.used && !slot.done) {
      slot.wake.notify_one();
      return;
    }
}

Lateness PacedEngine::lateness() const {
  const Lock lock(mutex_);
  return lateness_;
}

std::vector<EpisodeReport> PacedEngine::episodes() const {
  const Lock lock(mutex_);
  return episodes_ != nullptr ? episodes_->reports() : std::vector<EpisodeReport>();
}

platter_counters PacedEngine::counters() const {
  const Lock lock(mutex_);
  platter_counters counters{};
  counters.struct_size = sizeof counters;
  platter_engine_counters(&engine_, &counters);
  return counters;
}

}  // namespace platter::emulator
