#include "emulator/ublk/emulation.h"

#include <poll.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <list>

#include "emulator/pace/drive_report.h"
#include "emulator/pace/real_time.h"
#include "emulator/pace/report_writer.h"
#include "emulator/pace/unread_notices.h"
#include "emulator/ublk/queue.h"
#include "model/say.h"

namespace platter::emulator::ublk {
namespace {

void notice(const std::string& sentence) { model::say("platter: {}\n", sentence); }

}  // namespace

class Emulation::Served {
 public:
  Served(ServedDrive& drive, bool in_real_time)
      : drive_(drive),
        device_(params_for(drive.block_bytes(), drive.bytes(), ServedDrive::kMostRequestBytes)),
        queue_(device_, ServedDrive::kMostRequestBytes, in_real_time, &drive,
               [this](const Request& request, Courier& courier) {
                 return serve(drive_, request, *who_.load(), courier);
               }) {
    begin_again();
  }

  Device& device() noexcept { return device_; }
  // The power came back.
  void begin_again() {
    connections_.emplace_back(drive_.power());
    who_ = &connections_.back();
  }

 private:
  ServedDrive& drive_;
  std::list<Connection> connections_{};  // one until each cut: whoever waits may still ask
  std::atomic<const Connection*> who_{nullptr};
  Device device_;
  Queue queue_;
};

Emulation::Emulation(const EmulationSettings& settings) : settings_(settings), drives_(settings) {
  drop_unread_notices();
  if (!settings_.ordinary)
    for (const std::string& refused : ask_for_real_time()) notice(refused);
  for (const auto& drive : drives_.drives())
    served_.push_back(std::make_unique<Served>(*drive, !settings_.ordinary));
  for (const auto& each : served_) each->device().start();
}

Emulation::~Emulation() {
  prober_.reset();
  drives_.end();
  for (const auto& each : served_) each->device().stop();
  served_.clear();
  drives_.keep_all();
}

std::string Emulation::path(std::size_t drive) const { return served_[drive]->device().path(); }

void Emulation::run(int wake, const std::function<int()>& asked) {
  constexpr int kSettleMs = 100;
  ReportWriter reports;
  const auto measured = [this](const std::string& trouble) {
    notice(ready_notice(drives_.delay(), trouble));
  };
  prober_ = std::make_unique<Prober>(drives_.drives().front()->block_bytes(), !settings_.ordinary,
                                     drives_.delay(), measured);
  notice("the way to the drives is measured on " + prober_->path());
  for (bool ends = false; !ends;) {
    pollfd waiting{wake, POLLIN, 0};
    ::poll(&waiting, 1, drives_.settles() ? kSettleMs : -1);
    if (drives_.settles()) drives_.settle();
    const int signal = asked();
    if (signal == SIGUSR1)
      reports.write(drives_.report(prober_->at_client()));
    else if (signal == SIGUSR2)
      cut_power();
    else
      ends = signal != 0;
  }
  const Lateness at_client = prober_->at_client();
  prober_.reset();
  stop(asked);
  reports.write(drives_.report(at_client));
  reports.finish();
}

// The kernel writes what its page cache still has, in the drives' time; after some seconds, or a
// second signal, that and all else fails.
void Emulation::stop(const std::function<int()>& asked) {
  constexpr std::chrono::seconds kPatience{5};
  constexpr std::chrono::milliseconds kLook{20};
  std::vector<std::future<void>> stopping;
  for (const auto& each : served_)
    stopping.push_back(
        std::async(std::launch::async, [&device = each->device()] { device.stop(); }));
  const auto patient_until = std::chrono::steady_clock::now() + kPatience;
  for (const auto& each : stopping)
    while (each.wait_for(kLook) != std::future_status::ready)
      if (std::chrono::steady_clock::now() > patient_until || asked() != 0) drives_.end();
}

void Emulation::cut_power() {
  drives_.cut_power();
  for (const auto& each : served_) each->begin_again();
}

}  // namespace platter::emulator::ublk
