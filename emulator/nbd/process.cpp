#include "emulator/nbd/process.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "emulator/pace/drive_report.h"
#include "emulator/pace/real_time.h"
#include "emulator/pace/unread_notices.h"
#include "model/quietly.h"
#include "model/say.h"

namespace platter::emulator {
namespace {

// A plugin is not told its clients' sockets: they are those of the process that are connected. A
// thread that waits for a client's next request then sees the client's end. `how` as for
// shutdown().
void hang_up_clients(int how) {
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const int descriptor = std::atoi(entry->path().filename().c_str());
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (descriptor > STDERR_FILENO &&
        getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) == 0)
      shutdown(descriptor, how);
  }
}

}  // namespace

Process::Process(const ProcessSettings& wished)
    : settings_(wished), served_(wished), asked_(eventfd(0, EFD_CLOEXEC)) {}

void Process::start() {
  allow_many_descriptors();
  if (!settings_.ordinary)
    for (const std::string& refused : ask_for_real_time()) model::say("platter: {}\n", refused);
  servant_ = std::thread([this] { do_what_is_asked(); });
  const auto measured = [this](const std::string& trouble) {
    model::say("platter: {}\n", ready_notice(served_.delay(), trouble));
  };
  if (settings_.probe)
    prober_ = std::make_unique<Prober>(*settings_.probe, drives().front()->block_bytes(),
                                       drives().front()->bytes(), !settings_.ordinary,
                                       served_.delay(), measured);
}

Process::~Process() {
  end_probing();
  end_asked_ = true;
  ask_for_report();
  if (servant_.joinable()) servant_.join();
  served_.keep_all();
  close(asked_);
  reports_.finish();
}

// What it saw is in the last report.
void Process::end_probing() noexcept {
  if (!prober_) return;
  prober_->stay_away();
  model::quietly([this] { at_client_ = prober_->commands().at_client(); });
  prober_.reset();
}

// Without nbdkit, some of whose threads do not end.
void Process::leave() {
  reports_.write(report());
  served_.keep_all();
  reports_.finish();
  _exit(0);
}

void Process::prepare_thread() const {
  thread_local bool prepared = false;
  if (prepared) return;
  prepared = true;
  if (settings_.ordinary)
    run_without_slack();
  else
    run_in_real_time();
}

ServedDrive* Process::drive(const std::string& name) {
  for (const auto& drive : drives())
    if (name == drive->name()) return drive.get();
  return name.empty() || name == kProbeExport ? drives().front().get() : nullptr;
}

std::string Process::report() const {
  return served_.report(prober_ ? prober_->commands().at_client() : at_client_);
}

void Process::ask_for_report() noexcept {
  report_asked_ = true;
  eventfd_write(asked_, 1);
}

void Process::ask_to_hang_up() {
  ends_ = true;
  hang_up_asked_ = true;
  eventfd_write(asked_, 1);
}

void Process::ask_to_cut_power() {
  power_cut_asked_ = true;
  eventfd_write(asked_, 1);
}

// What was under way is not answered. Who comes while the power goes comes too early.
void Process::cut_power() {
  const auto hang_up = [this] {
    if (prober_) prober_->come_again();
    hang_up_clients(SHUT_RDWR);
  };
  hang_up();
  served_.cut_power();
  hang_up();
}

// At first only what they would still send; then also what they do not take, and what is not due
// yet. One whom nbdkit was just about to accept is hung up, too, when this is called again.
void Process::hang_up() {
  constexpr int kPatience = 4, kMost = 6;
  if (++hung_up_ > kMost) leave();
  const bool impatient = hung_up_ > kPatience;
  if (impatient) served_.end();
  hang_up_clients(impatient ? SHUT_RDWR : SHUT_RD);
}

// Meanwhile drives destage, so that a kill leaves of contents in a file what a power cut would.
void Process::wait_to_be_asked() {
  constexpr int kAgainMs = 100;
  const bool settles = served_.settles();
  pollfd asked{asked_, POLLIN, 0};
  while (poll(&asked, 1, settles || ends_ ? kAgainMs : -1) == 0) {
    if (ends_) hang_up();
    if (settles) served_.settle();
  }
  eventfd_t times = 0;
  eventfd_read(asked_, &times);
}

// A report is the last thing when the drives go.
void Process::do_what_is_asked() {
  for (bool last = false; !last;) {
    wait_to_be_asked();
    last = end_asked_;
    if (power_cut_asked_.exchange(false)) cut_power();
    if (hang_up_asked_.exchange(false)) {
      if (prober_) prober_->stay_away();
      hang_up();
    }
    if (report_asked_.exchange(false)) reports_.write(report());
  }
}

}  // namespace platter::emulator
