// When md makes a member again: how much it asks for at once, and when it waits, so that requests
// keep their share (drivers/md/md.c, md_do_sync() and is_mddev_idle(), 6.1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/units.h"

namespace platter::array {

struct RebuildRate {
  std::uint64_t window_bytes = 128 * 1024;         // asked for before it looks whether to wait
  std::uint64_t least_bytes_per_s = 1000 * 1024;   // below it never waits (sync_speed_min)
  Nanoseconds tick_ns = 4'000'000;                 // the kernel's (HZ 250): in these it sleeps
  std::uint64_t most_bytes_per_s = 200000 * 1024;  // (sync_speed_max)
};

class RebuildPace {
 public:
  RebuildPace(const RebuildRate& rate, std::uint32_t members);

  enum class Turn : std::uint8_t {
    ask,    // for the next piece
    wait,   // until nothing that was asked for is outstanding
    sleep,  // until wakes_ns(), then wake()
  };
  // It begins at that time, with nothing asked for.
  void begin(Nanoseconds now_ns);
  // What it does now, after what has been told.
  Turn turn(Nanoseconds now_ns);
  std::optional<Nanoseconds> wakes_ns() const { return wakes_ns_; }  // while it sleeps
  // For a tick, as the kernel's timers have it: to the second border of ticks from now.
  void sleep_for_a_tick(Nanoseconds now_ns) {
    wakes_ns_ = (now_ns / rate_.tick_ns + 2) * rate_.tick_ns;
  }
  void wake() { wakes_ns_.reset(); }
  bool nothing_is_active() const { return active_bytes_ == 0; }

  void asked(std::uint64_t bytes);
  void done(std::uint64_t bytes);
  // Of a member: an access of the rebuild is issued; any access has ended.
  void issued(std::uint32_t member, std::uint64_t bytes) {
    others_bytes_[member] -= static_cast<std::int64_t>(bytes);
  }
  void ended(std::uint32_t member, std::uint64_t bytes) {
    others_bytes_[member] += static_cast<std::int64_t>(bytes);
  }

 private:
  static constexpr std::size_t kMarks = 10;
  struct Mark {
    Nanoseconds time_ns = 0;
    std::uint64_t bytes = 0;
  };

  bool others_were_served();
  std::uint64_t bytes_per_s(Nanoseconds now_ns);

  RebuildRate rate_;
  std::vector<std::int64_t> others_bytes_, seen_bytes_;  // of each member
  std::array<Mark, kMarks> marks_{};
  std::size_t latest_mark_ = 0;
  Mark since_{};  // the mark that the speed is told from
  std::uint64_t asked_bytes_ = 0, active_bytes_ = 0, looked_at_bytes_ = 0;
  bool waits_ = false, looks_ = false;
  std::optional<Nanoseconds> wakes_ns_{};
};

}  // namespace platter::array
