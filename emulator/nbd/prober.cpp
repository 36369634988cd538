#include "emulator/nbd/prober.h"

#include <libnbd.h>

#include <chrono>
#include <memory>
#include <utility>

#include "emulator/pace/clock.h"
#include "emulator/pace/real_time.h"

namespace platter::emulator {
namespace {

// A processor that slept for a while wakes up more slowly: pauses are like those of a disk.
constexpr int kAtFirst = 200;
constexpr Nanoseconds kPauseAtFirst = 2 * kMillisecond;
constexpr Nanoseconds kPause = 50 * kMillisecond;

struct Close {
  void operator()(nbd_handle* client) const { nbd_close(client); }
};

}  // namespace

Prober::Prober(std::string socket, bool in_real_time, TransportDelay& delay,
               std::function<void(const std::string&)> measured)
    : socket_(std::move(socket)),
      in_real_time_(in_real_time),
      delay_(delay),
      measured_(std::move(measured)),
      thread_([this] { run(); }) {}

Prober::~Prober() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool Prober::pause(Nanoseconds length) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, std::chrono::nanoseconds(length), [this] { return ends_; });
}

void Prober::run() {
  if (in_real_time_)
    run_in_real_time();
  else
    run_without_slack();
  const std::string trouble = probe();
  if (!trouble.empty()) measured_(trouble);
}

// Whose reasons it gives up for: "" once it has measured, for ends of any kind.
std::string Prober::probe() {
  const std::unique_ptr<nbd_handle, Close> client(nbd_create());
  if (!client || nbd_set_export_name(client.get(), kProbeExport) != 0 ||
      nbd_connect_unix(client.get(), socket_.c_str()) != 0)
    return nbd_get_error();
  for (int i = 0; pause(i < kAtFirst ? kPauseAtFirst : kPause); ++i) {
    const Nanoseconds sent_ns = host_now_ns();
    if (nbd_cache(client.get(), 512, 0, 0) != 0) return i < kAtFirst ? nbd_get_error() : "";
    const Nanoseconds received_ns = host_now_ns();
    delay_.add(seen_ns_.load(std::memory_order_acquire) - sent_ns,
               received_ns - answered_ns_.load(std::memory_order_acquire));
    if (i + 1 == kAtFirst) measured_("");
  }
  return "";
}

}  // namespace platter::emulator
