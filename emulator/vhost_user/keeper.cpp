#include "emulator/vhost_user/keeper.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

namespace platter::emulator {

Keeper::Keeper() : done_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { run(); }) {}

Keeper::~Keeper() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
  close(done_);
}

// A flush that has not begun keeps what was written meanwhile, too: however many are asked for,
// and by guests that are gone, two of each drive are left to do.
Keeper::Ticket Keeper::begin(Contents& contents) {
  const std::lock_guard lock(mutex_);
  const auto waits = std::ranges::find(jobs_, &contents, &Job::contents);
  if (waits != jobs_.end()) return waits->ticket;
  jobs_.push_back({next_, &contents});
  wake_.notify_one();
  return next_++;
}

std::optional<int> Keeper::result(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = results_.find(ticket);
  return found == results_.end() ? std::nullopt : std::optional(found->second);
}

void Keeper::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Job job = jobs_.front();
    jobs_.pop_front();
    lock.unlock();
    const int error = job.contents->flush();
    lock.lock();
    results_[job.ticket] = error;
    if (results_.size() > kRemembered) results_.erase(results_.begin());
    eventfd_write(done_, 1);
  }
}

}  // namespace platter::emulator
