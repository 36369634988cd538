#include "host/quiet_host.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "model/quietly.h"

namespace platter::host {

QuietHost::QuietHost(Thread thread, const std::string& root) : root_(root), runs_(root) {
  keep_fast();
  keep_awake();
  if (thread == Thread::computes) {
    not_done_.emplace_back(
        "no real-time scheduling and no processor of its own: the drive computes on this host, and "
        "everything else would wait for it");
    return;
  }
  lock_memory();
  take_processor();
  step_in_front();
}

QuietHost::~QuietHost() {
  model::quietly([this] { static_cast<void>(end()); });
}

void QuietHost::keep_fast() {
  fast_.emplace(root_);
  if (fast_->all_fast())
    done_.push_back(fmt::format("governor {}{}", kFastest,
                                fast_->found().empty()
                                    ? ", as it was"
                                    : fmt::format(" (was {})", host::in_words(fast_->found()))));
  std::ranges::copy(fast_->troubles(), std::back_inserter(not_done_));
}

void QuietHost::keep_awake() {
  awake_.emplace(root_);
  if (awake_->held())
    done_.emplace_back("processors out of idle states (/dev/cpu_dma_latency 0)");
  else
    not_done_.emplace_back(
        "processors may sleep between commands: /dev/cpu_dma_latency is not there, or may not be "
        "opened by you");
}

// Pages as they come to be used: a stack of a thread takes its 8 MB from nobody. Where memory that
// may be locked is limited, what exceeds the limit could not be allocated any more.
void QuietHost::lock_memory() {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur != RLIM_INFINITY) limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur != RLIM_INFINITY && ::geteuid() != 0) {
    not_done_.push_back(
        fmt::format("memory is not locked: you may lock {} KiB (ulimit -l), and a "
                    "run takes more",
                    limit.rlim_cur / 1024));
    return;
  }
  memory_locked_ = ::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
  if (memory_locked_)
    done_.emplace_back("memory locked");
  else
    not_done_.push_back(fmt::format("memory is not locked: {}", std::strerror(errno)));
}

void QuietHost::take_processor() {
  {
    const transport::Descriptor change = runs_.begin_change();
    if (change.get() >= 0) processor_ = runs_.take_processor();
  }
  if (!processor_) {
    not_done_.emplace_back(
        "no processor of its own: there is none beside the first that no other run has, or "
        "/run/platter cannot be written");
    return;
  }
  alone_.emplace(processor_->number);
  if (const auto& why = alone_->why_not())
    not_done_.push_back(fmt::format("not kept on processor {}: {}", processor_->number, *why));
  else
    done_.push_back(fmt::format("kept on processor {}", processor_->number));
}

void QuietHost::step_in_front() {
  in_front_.emplace();
  if (const auto& why = in_front_->why_not())
    not_done_.push_back("no real-time scheduling (SCHED_FIFO): " + *why);
  else
    done_.emplace_back("SCHED_FIFO while it waits for the drive");
}

std::string QuietHost::in_words() const {
  std::string text = "the host was kept quiet (--quiet-host): ";
  text += done_.empty() ? "nothing could be done" : fmt::format("{}", fmt::join(done_, ", "));
  if (!not_done_.empty()) text += fmt::format("; but {}", fmt::join(not_done_, "; "));
  return text;
}

std::vector<std::string> QuietHost::end() {
  in_front_.reset();
  alone_.reset();
  processor_.reset();
  if (memory_locked_) ::munlockall();
  memory_locked_ = false;
  awake_.reset();
  std::vector<std::string> troubles;
  if (fast_) troubles = fast_->end();
  fast_.reset();
  return troubles;
}

}  // namespace platter::host
