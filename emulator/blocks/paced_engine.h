// An engine that answers when its time has come. Threads bring a request each and wait here until
// it is complete: one of them, the leader, waits for the next completion, and the others for it.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

#include "emulator/blocks/connection.h"
#include "emulator/blocks/request_episodes.h"
#include "emulator/blocks/request_log.h"
#include "emulator/file_systems/ranges.h"
#include "emulator/pace/lateness.h"
#include "emulator/pace/real_time.h"
#include "emulator/pace/transport_delay.h"
#include "lib/platter.h"

namespace platter::emulator {

class PacedEngine {
 public:
  // What a request does to contents, told whether it fails: then it does nothing to them. 0 or an
  // errno.
  using Move = std::function<int(bool fails)>;

  // All outlive it; `episodes` and `log` may be null. `depth`: so many requests are with the drive
  // at most, others wait before it; 0: as many as the engine takes. `block_bytes`: of the engine's
  // drive.
  PacedEngine(platter_engine& engine, std::uint32_t depth, std::uint32_t block_bytes,
              const DriveClock& clock, const TransportDelay& delay, RequestEpisodes* episodes,
              RequestLog* log);

  // Returns when the answer should leave for the host: 0, an errno, EIO of one that fails, or that
  // of `move`, which is called when the drive has the request. ESHUTDOWN: there is no answer, since
  // the power has gone or `who` has, or end() was called. `came_host_ns`: when the request was seen
  // here; it is dated back by the transport's delay. The tag is given here. Any thread. Where there
  // is a courier, nobody waits here, that answers (kByCourier), and `who` lives until then.
  int serve(platter_request request, Nanoseconds came_host_ns, const Connection& who,
            const Move& move = {}, Courier* courier = nullptr);
  // The same for SYNCHRONIZE CACHE.
  int synchronize(Nanoseconds came_host_ns, const Connection& who, Courier* courier = nullptr);

  // For the thread of couriers: when to call take_due(), which tells them what is due.
  std::optional<Nanoseconds> next_host_ns() const;
  void take_due();

  // The blocks that the drive has taken and not written at this moment, in order and apart.
  std::vector<Range> dirty_blocks() const;
  // The power goes, and comes back at once. How often it did.
  void cut_power();
  std::uint64_t power() const { return power_.load(std::memory_order_acquire); }
  // Nothing is answered any more, whatever is outstanding.
  void end();

  Lateness lateness() const;
  platter_counters counters() const;
  std::vector<EpisodeReport> episodes() const;

 private:
  static constexpr std::uint32_t kMost = 64;  // requests that an engine takes

  struct Slot {
    bool used = false, done = false;
    platter_asked asked{};  // of episodes
    bool fails = false, is_kept = false, is_stuck = false;
    std::uint64_t back_bytes = 0;  // of data in its answer
    Nanoseconds came_host_ns = 0, arrival_ns = 0, completion_ns = 0;
    const Connection* who = nullptr;
    Courier* courier = nullptr;
    bool is_moved = false;  // contents are where they should be, and its thread is gone
    std::condition_variable wake;
  };
  struct Delivery {
    std::uint32_t tag;
    const Connection* who;
    Nanoseconds leaves_host_ns, way_ns;
  };
  struct Waiting {
    const Connection& who;
    bool admitted = false;
    std::condition_variable wake{};
  };

  using Lock = std::unique_lock<std::mutex>;
  Nanoseconds seen_drive_ns(Nanoseconds came_host_ns, std::uint64_t bytes,
                            const Connection& who) const;
  Nanoseconds way_back_ns(const Slot& slot, Nanoseconds completion_ns) const;
  Nanoseconds leaves_host_ns(const Slot& slot) const;
  Nanoseconds taken_host_ns(Nanoseconds completion_ns) const;
  bool is_lost(const Connection& who) const;
  bool ask(Lock& lock, const Connection& who);
  void wake_all();
  bool wait_for_room(Lock& lock, const Connection& who);
  void admit();
  std::uint32_t free_slot();
  void look();
  void take_what_is_due();
  int moved(Lock& lock, std::uint32_t tag, const Connection& who, const Move& move);
  void misbehave(Slot& slot, std::uint32_t tag);
  bool await(Lock& lock, std::uint32_t tag);
  bool outlast_episodes(Lock& lock, std::uint32_t tag, const Connection& who);
  void withdraw(std::uint32_t tag);
  void free(Slot& slot);
  void wait_as_leader(Lock& lock);
  void hand_over_lead();
  int answer(Lock& lock, std::uint32_t tag, const Connection& who);
  Delivery delivery_of(std::uint32_t tag) const;
  int leave_to_courier(std::uint32_t tag, int error, const Connection& who);
  void carry(std::uint32_t tag);
  void lose_carried();
  bool deliver(const Delivery& what, Nanoseconds now_host_ns);

  platter_engine& engine_;
  const std::uint32_t depth_, block_bytes_;
  const DriveClock& clock_;
  const TransportDelay& delay_;
  RequestEpisodes* const episodes_;
  RequestLog* const log_;

  mutable std::mutex mutex_;
  std::array<Slot, kMost> slots_;
  std::uint32_t used_ = 0, promised_ = 0;  // slots; of those that are admitted and not there yet
  std::list<Waiting*> waiting_{};          // before the drive
  std::uint64_t admissions_ = 0;
  std::condition_variable flush_wake_{};
  Courier* courier_ = nullptr;  // any of them
  bool ended_ = false;
  std::optional<Nanoseconds> next_ns_{};  // the next completion, if nothing else comes
  bool led_ = false;
  std::condition_variable leader_wake_;
  std::atomic<std::uint64_t> power_{0};
  std::atomic<bool> changed_{false};  // next_ns_ is not what the leader waits for
  Lateness lateness_{};
};

}  // namespace platter::emulator
