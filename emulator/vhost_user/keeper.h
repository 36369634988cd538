// Has contents kept by the host's own disk, without making the drives wait: a thread does it, while
// the drive's time for a flush runs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "emulator/contents/contents.h"

namespace platter::emulator {

class Keeper {
 public:
  using Ticket = std::uint64_t;

  Keeper();
  ~Keeper();  // what was begun is done
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  // All that was written to them so far. Several may get the same ticket.
  Ticket begin(Contents& contents);
  // 0 or the errno of Contents::flush(); nullopt: not yet. To be asked whenever something was done:
  // the last kRemembered are known.
  std::optional<int> result(Ticket ticket);
  // Readable when something was done (an eventfd).
  int descriptor() const { return done_; }

 private:
  static constexpr std::size_t kRemembered = 4096;
  struct Job {
    Ticket ticket;
    Contents* contents;
  };
  void run();

  std::mutex mutex_{};
  std::condition_variable wake_{};
  std::deque<Job> jobs_{};
  std::map<Ticket, int> results_{};
  Ticket next_ = 1;
  bool ends_ = false;
  int done_;
  std::thread thread_{};
};

}  // namespace platter::emulator
