#include "emulator/cosim/simulation.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <deque>

#include "emulator/cosim/calendar.h"
#include "emulator/cosim/guest/record.h"
#include "emulator/cosim/program_name.h"
#include "emulator/cosim/simulated_scsi.h"
#include "emulator/cosim/watchdog.h"
#include "emulator/vhost_user/message.h"
#include "model/error.h"
#include "model/printable.h"

namespace platter::emulator {
namespace {

constexpr std::uint32_t kMostBytes = 1 << 20;  // process 1 reads less at a time

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// What the guest has written and our reader has not taken. Nothing is read from the guest
// meanwhile, so that it waits, too, in no time of its own.
class Output {
 public:
  void add(int descriptor, std::string_view bytes) {
    pieces_.push_back({descriptor, std::string(bytes)});
  }
  bool is_empty() const { return pieces_.empty(); }
  int descriptor() const { return pieces_.front().descriptor; }
  // Once the descriptor takes some.
  void write() {
    constexpr std::size_t kTaken = 512;  // a pipe that takes anything takes so much
    Piece& piece = pieces_.front();
    const ssize_t wrote = ::write(piece.descriptor, piece.bytes.data() + piece.done,
                                  std::min(piece.bytes.size() - piece.done, kTaken));
    if (wrote < 0 && errno != EINTR && errno != EAGAIN)
      throw Error(ExitStatus::output, fmt::format("the command's output cannot be written: {}; "
                                                  "send it where there is room, and run this "
                                                  "again",
                                                  std::strerror(errno)));
    if (wrote > 0) piece.done += static_cast<std::size_t>(wrote);
    if (piece.done == piece.bytes.size()) pieces_.pop_front();
  }

 private:
  struct Piece {
    int descriptor;
    std::string bytes;
    std::size_t done = 0;
  };
  std::deque<Piece> pieces_{};
};

// The last of what the kernel prints, for when it fails.
class Console {
 public:
  bool read(int descriptor) {
    std::array<char, 4096> bytes{};
    const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    text_.append(bytes.data(), static_cast<std::size_t>(got));
    if (text_.size() > kKept) text_.erase(0, text_.size() - kKept);
    return true;
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kKept = 2000;
  std::string text_{};
};

[[noreturn]] void failed(const std::string& how, const Console& console) {
  throw Error(ExitStatus::internal, console.text().empty()
                                        ? how + ", and its kernel said nothing"
                                        : fmt::format("{}; its kernel's last words: {}", how,
                                                      model::printable(console.text())));
}

}  // namespace

std::int32_t Record::number() const {
  std::int32_t value = 0;
  if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool RecordReader::feed(std::span<const char> piece,
                        const std::function<void(const Record&)>& take) {
  kept_.append(piece.begin(), piece.end());
  std::size_t done = 0;
  platter_cosim_record head{};
  while (kept_.size() - done >= sizeof head) {
    std::memcpy(&head, kept_.data() + done, sizeof head);
    if (head.kind < PLATTER_COSIM_STDOUT || head.kind > PLATTER_COSIM_NO_GUEST ||
        head.bytes > kMostBytes)
      return false;
    if (kept_.size() - done - sizeof head < head.bytes) break;
    take({head.kind, std::string_view(kept_).substr(done + sizeof head, head.bytes)});
    done += sizeof head + head.bytes;
  }
  kept_.erase(0, done);
  return true;
}

// What happens on the guest's descriptors until it is gone.
class Simulation::Watch {
 public:
  Watch(GuestProcess& guest, Calendar& calendar, const SimulationSettings& settings,
        const Surroundings& around)
      : guest_(guest),
        calendar_(calendar),
        around_(around),
        watchdog_(guest.page(), settings.patience),
        settings_(settings) {}

  void run() {
    while (guest_runs_ || says_ || prints_ || !output_.is_empty()) turn();
  }

  // The command's; nothing: its power went.
  std::optional<int> wait_status() const {
    if (!ended_ && !calendar_.is_at_end())
      failed("the guest ended before its command did", console_);
    return ended_;
  }

  std::uint64_t ticks() const { return ticks_; }

 private:
  enum { kKernel, kDrives, kOutput, kConsole, kAsked, kWatched };

  void turn() {
    std::array<pollfd, kWatched> watched{};
    const auto watch = [&](int which, bool wanted, int descriptor, short events = POLLIN) {
      watched.at(which) = {wanted ? descriptor : -1, events, 0};
    };
    watch(kKernel, guest_runs_, guest_.calendar());
    watch(kDrives, guest_runs_, guest_.drives());
    if (output_.is_empty())
      watch(kOutput, says_, guest_.output());
    else
      watch(kOutput, true, output_.descriptor(), POLLOUT);
    watch(kConsole, prints_, guest_.console());
    watch(kAsked, true, around_.wake);
    const int ready = poll(watched.data(), watched.size(), watchdog_.next_look_ms());
    if (const auto program = watchdog_.look()) give_time(*program);
    if (ready <= 0) return;
    const auto is_ready = [&](int which) { return watched.at(which).revents != 0; };
    if (is_ready(kAsked) && around_.is_asked_to_end())
      throw Error(ExitStatus::interrupted,
                  "the simulation was stopped; what was written to the drives is kept");
    if (is_ready(kConsole)) prints_ = console_.read(guest_.console());
    if (is_ready(kOutput)) hear();
    try {
      // A kick is answered before anything else, as the guest waits for it.
      if (is_ready(kDrives))
        guest_runs_ = calendar_.serve_drives();
      else if (is_ready(kKernel))
        guest_runs_ = calendar_.serve_kernel();
      if (calendar_.is_at_end()) guest_.kill();
    } catch (const BrokenGuest& guest) {
      failed("the guest cannot go on: " + guest.what, console_);
    }
  }

  void give_time(pid_t program) {
    if (ticks_ == 0 || settings_.is_strict) {
      const std::string name = program_name(program, settings_.guest.programs.kernel);
      const std::string what = fmt::format(
          "{} has computed for {} s without a system call, which takes no simulated time",
          name.empty() ? "a program of the guest" : name,
          static_cast<double>(settings_.patience.count()) / 1000.0);
      if (settings_.is_strict)
        throw Error(ExitStatus::incomplete,
                    what +
                        "; leave --strict out, and it is given the host's, or give it more by "
                        "--patience");
      around_.notice(what +
                     "; from here on it is given the host's, so that this run is not the "
                     "same again");
    }
    ++ticks_;
    watchdog_.tick(program);
  }

  void hear() {
    if (!output_.is_empty()) return output_.write();
    std::array<char, 65536> bytes{};
    const ssize_t got = read(guest_.output(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return;
    says_ = got > 0;
    const auto piece = std::span(bytes).first(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (!reader_.feed(piece, [this](const Record& record) { take(record); }))
      failed("the guest's first process says nothing that makes sense", console_);
  }

  void take(const Record& record) {
    switch (record.kind) {
      case PLATTER_COSIM_STDOUT:
        return output_.add(STDOUT_FILENO, record.bytes);
      case PLATTER_COSIM_STDERR:
        return output_.add(STDERR_FILENO, record.bytes);
      case PLATTER_COSIM_ENDED:
        ended_ = record.number();
        return;
      case PLATTER_COSIM_NOT_BEGUN:
        throw Error(ExitStatus::usage,
                    fmt::format("the command cannot be executed in the guest: {}; give a program "
                                "that the host has, and its arguments",
                                std::strerror(record.number())));
      default:
        failed("the guest cannot run a command: " + model::printable(record.bytes), console_);
    }
  }

  GuestProcess& guest_;
  Calendar& calendar_;
  const Surroundings& around_;
  RecordReader reader_{};
  Output output_{};
  Console console_{};
  Watchdog watchdog_;
  const SimulationSettings& settings_;
  std::uint64_t ticks_ = 0;
  std::optional<int> ended_{};
  bool guest_runs_ = true, says_ = true, prints_ = true;
};

Simulation::Simulation(const SimulationSettings& settings)
    : settings_(settings), drives_(settings.drives, settings.log, settings.speed) {}

Simulation::~Simulation() = default;

SimulationReport Simulation::run(const Surroundings& around) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const double processor_before = processor_seconds();
  SimulationReport report;
  GuestProcess guest(settings_.guest);
  if (!guest.doubt().empty()) around.notice(guest.doubt());
  SimulatedScsi scsi(drives_.drives(), guest.drives(), settings_.speed);
  Calendar calendar(scsi, guest.page(), guest.calendar(), settings_.cpu_factor);
  if (settings_.power_cut_ns) calendar.end_at(*settings_.power_cut_ns);
  Watch watch(guest, calendar, settings_, around);
  try {
    watch.run();
  } catch (const Error&) {
    drives_.finish(around.notice);
    throw;
  }
  guest.end();
  report.power_cut = calendar.is_at_end();
  if (report.power_cut)
    scsi.cut_power(calendar.now_ns());
  else
    scsi.forget(calendar.now_ns());
  drives_.finish(around.notice);
  report.wait_status = watch.wait_status();
  report.ticks = watch.ticks();
  report.simulated_seconds = static_cast<double>(calendar.now_ns()) / 1e9;
  report.wall_seconds = std::chrono::duration<double>(Clock::now() - began).count();
  report.guest_cpu_seconds = guest.cpu_seconds();
  report.drives_cpu_seconds = processor_seconds() - processor_before;
  report.commands = scsi.commands();
  report.messages = calendar.counts().messages;
  for (const auto& drive : drives_.drives()) {
    report.late_arrivals += drive->late_arrivals();
    report.outside_validity += drive->outside_validity();
    report.episodes.push_back(drive->episode_reports());
  }
  return report;
}

}  // namespace platter::emulator
