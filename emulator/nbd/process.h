// The plugin as a process: its drives, their clock, the log, what it says at start and at the end.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "emulator/blocks/served_drives.h"
#include "emulator/nbd/prober.h"
#include "emulator/pace/report_writer.h"

namespace platter::emulator {

struct ProcessSettings : DrivesSettings {
  std::optional<std::string> probe{};  // the socket that nbdkit serves; nothing: delays are 0
  bool ordinary = false;               // without asking for real time
};

class Process {
 public:
  // Throws Error.
  explicit Process(const ProcessSettings& settings);
  // Contents are kept, the log is whole, the report is on stdout.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Threads live on this side of nbdkit's fork.
  void start();
  // By its export; nullptr: there is none.
  ServedDrive* drive(const std::string& name);
  const std::vector<std::unique_ptr<ServedDrive>>& drives() const { return served_.drives(); }
  Prober* prober() { return prober_.get(); }
  const TransportDelay& delay() const { return served_.delay(); }
  // The calling thread answers requests from now on.
  void prepare_thread() const;
  // These may be called by a signal's handler.
  void ask_for_report() noexcept;
  // Nothing more is read; what clients have sent is answered as far as it is due within a moment,
  // and they take it: nbdkit ends only without clients.
  void ask_to_hang_up();
  bool is_ending() const { return ends_; }
  // The power of all drives goes, and comes back: clients have to come again.
  void ask_to_cut_power();

 private:
  std::string report() const;
  void do_what_is_asked();
  void wait_to_be_asked();
  void hang_up();
  void end_probing() noexcept;
  [[noreturn]] void leave();
  void cut_power();

  ProcessSettings settings_;
  ServedDrives served_;
  std::unique_ptr<Prober> prober_{};
  Lateness at_client_{};  // when the prober went
  int asked_;             // an eventfd; what for:
  std::atomic<bool> report_asked_{false}, hang_up_asked_{false}, power_cut_asked_{false},
      end_asked_{false};
  std::atomic<bool> ends_{false};  // clients are hung up from now on
  int hung_up_ = 0;                // the servant's: how often they were
  ReportWriter reports_{};         // nbdkit takes standard output away when it begins to serve
  std::thread servant_{};
};

}  // namespace platter::emulator
