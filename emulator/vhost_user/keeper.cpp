#include "emulator/vhost_user/keeper.h"

#include <sys/eventfd.h>
#include <unistd.h>

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

Keeper::Ticket Keeper::begin(Contents& contents) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back({next_, &contents});
  wake_.notify_one();
  return next_++;
}

std::optional<int> Keeper::result(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = results_.find(ticket);
  if (found == results_.end()) return std::nullopt;
  const int error = found->second;
  results_.erase(found);
  return error;
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
    eventfd_write(done_, 1);
  }
}

}  // namespace platter::emulator
