#include "jobs/servers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "emulator/blocks/served_drives.h"
#include "emulator/pace/unread_notices.h"
#include "emulator/vhost_user/emulation.h"
#include "jobs/listening_socket.h"
#include "jobs/needs.h"
#include "jobs/signals.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/leftovers.h"
#include "model/printable.h"
#include "model/say.h"
#include "model/user_folder.h"

#ifdef PLATTER_UBLK
#include "emulator/ublk/emulation.h"
#endif

namespace platter::jobs {
namespace {

// Where a table is not a file yet, it becomes one.
std::string table_file(const EmulatedDrive& drive, std::size_t number,
                       model::TemporaryFolder& folder) {
  if (drive.bytes.empty()) return model::absolute_path(drive.path);
  const std::string path = folder.file(fmt::format("{}.ptab", number));
  model::write_file(path, drive.bytes);
  return path;
}

// As they were read here, whatever becomes of their file.
std::string episodes_file(const EmulatedDrive& drive, std::size_t number,
                          model::TemporaryFolder& folder) {
  std::string path = folder.file(fmt::format("{}.episodes.json", number));
  model::write_file(path, drive.episodes_text);
  return path;
}

// So that what is wrong with it is said here, with its status.
void check_contents(const EmulatedDrive& drive, const emulator::ContentsChoice& choice) {
  const model::Identity& identity = drive.table.identity;
  if (choice.file)
    emulator::make_contents(choice, identity.blocks * identity.block_bytes, identity.block_bytes);
}

namespace fs = std::filesystem;

constexpr int kFirstActivated = 3;  // where sd_listen_fds(3) wants the socket
constexpr const char* kPlugin = "nbdkit-platter-plugin.so";

// Both were looked for before (cli/needs.h).
std::string plugin_path() { return part_path(kPlugin).value_or(kPlugin); }

// Open in nbdkit, too, and not as one of the first descriptors, which have a meaning there.
int opened_plugin() {
  const int plugin = ::open(plugin_path().c_str(), O_RDONLY | O_CLOEXEC);
  const int kept = plugin < 0 ? -1 : ::fcntl(plugin, F_DUPFD, 100);
  if (plugin >= 0) ::close(plugin);
  if (kept >= 0) return kept;
  throw Error(ExitStatus::missing_program,
              fmt::format("{} cannot be opened: {}", plugin_path(), std::strerror(errno)));
}

std::string nbdkit_path() {
  return model::program_on_path("nbdkit", model::PathFolders::all).value_or("nbdkit");
}

void add_contents(std::vector<std::string>& arguments, const emulator::ContentsChoice& choice) {
  const std::string file = choice.file ? model::absolute_path(*choice.file) : "";
  if (!choice.generated) {
    if (choice.file) arguments.push_back("contents=" + file);
    return;
  }
  arguments.push_back(choice.file ? "contents=generated:" + file : "contents=generated");
  for (const std::string& name : choice.kept_names) arguments.push_back("keep=" + name);
  arguments.push_back(fmt::format("waiting={}", choice.waiting_bytes));
  if (choice.stored_bytes) arguments.push_back(fmt::format("limit={}", *choice.stored_bytes));
}

std::vector<std::string> arguments_for(const emulator::DrivesSettings& settings, bool ordinary,
                                       const std::string& socket) {
  // For each connection, a thread for each request that a drive can have. So the requests of one
  // take 256 MiB at most, and its next ones wait in its socket.
  std::vector<std::string> arguments{"nbdkit", "--foreground", "--exit-with-parent", "--threads=64",
                                     plugin_path()};
  const auto add = [&](const char* key, const std::string& value) {
    arguments.push_back(fmt::format("{}={}", key, value));
  };
  for (const emulator::DriveSettings& drive : settings.drives) {
    add("table", drive.table);
    add("name", drive.name);
    add_contents(arguments, drive.contents);
    if (drive.write_cache_loss) add("write-cache-loss", "true");
    if (drive.episodes) add("episodes", *drive.episodes);
    if (drive.scheduler) add("scheduler", std::to_string(*drive.scheduler));
    if (drive.depth) add("depth", std::to_string(*drive.depth));
  }
  add("speed", std::to_string(settings.speed));
  add("probe", model::absolute_path(socket));
  if (settings.log) add("log", model::absolute_path(*settings.log));
  if (ordinary) add("ordinary", "true");
  if (settings.json) add("json", "true");
  return arguments;
}

// The program and its environment, whole before the fork: behind it nothing may allocate. The
// plugin is loaded first, for its send() (emulator/nbd/plugin/broken_sends.cpp); by a descriptor,
// since names in LD_PRELOAD end at blanks and colons.
class Program {
 public:
  Program(std::string path, std::vector<std::string> arguments)
      : path_(std::move(path)), arguments_(std::move(arguments)) {
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string_view variable = *each;
      if (variable.starts_with("LD_PRELOAD="))
        preload_ += fmt::format(":{}", variable.substr(variable.find('=') + 1));
      else if (!variable.starts_with("LISTEN_"))
        environment_.push_back(*each);
    }
    environment_.push_back(preload_.data());
    environment_.push_back(listen_fds_.data());
    environment_.push_back(listen_pid_.data());
    environment_.push_back(nullptr);
    for (std::string& argument : arguments_) argument_pointers_.push_back(argument.data());
    argument_pointers_.push_back(nullptr);
  }

  // In the child.
  [[noreturn]] void replace_this_process(int socket) {
    *fmt::format_to(listen_pid_.data(), "LISTEN_PID={}", ::getpid()) = '\0';
    if (socket == kFirstActivated)
      ::fcntl(socket, F_SETFD, 0);
    else
      ::dup2(socket, kFirstActivated);
    ::execve(path_.c_str(), argument_pointers_.data(), environment_.data());
    ::_exit(127);
  }

 private:
  std::string path_;
  std::vector<std::string> arguments_;
  std::string preload_ = fmt::format("LD_PRELOAD=/proc/self/fd/{}", opened_plugin());
  std::string listen_fds_ = "LISTEN_FDS=1";
  std::array<char, 32> listen_pid_{};
  std::vector<char*> environment_{}, argument_pointers_{};
};

struct Ended {
  int status;
  bool asked;
};

// A first signal asks the server to end in order, a second one ends it. What hands a signal on to
// its children makes two of one, at once.
Ended serve_until_ended(pid_t server, const TakenSignals& signals) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kSameSignal{200};
  std::optional<Clock::time_point> first{};
  for (;;) {
    const int signal = signals.next();
    const auto now = Clock::now();
    const bool passed_on = signal == SIGUSR1 || signal == SIGUSR2;
    if (passed_on)
      ::kill(server, signal);
    else if (signal != SIGCHLD && !first)
      ::kill(server, SIGTERM);
    else if (signal != SIGCHLD && now - *first > kSameSignal)
      ::kill(server, SIGKILL);
    if (!passed_on && signal != SIGCHLD && !first) first = now;
    int status = 0;
    if (::waitpid(server, &status, WNOHANG) == server) return {status, first.has_value()};
  }
}

void check_end(const Ended& ended) {
  if (WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0) return;
  if (WIFEXITED(ended.status))
    throw Error(ExitStatus::internal,
                fmt::format("nbdkit ended with status {}; what it says is above",
                            WEXITSTATUS(ended.status)));
  if (ended.asked && WTERMSIG(ended.status) == SIGKILL)
    throw Error(ExitStatus::interrupted,
                "nbdkit was killed by a second signal; what contents and log lack is lost");
  throw Error(ExitStatus::internal,
              fmt::format("nbdkit was killed by signal {}; what contents and log lack is lost",
                          WTERMSIG(ended.status)));
}

// `folder` is given what is no file yet, and stays as long as they are served. Throws what
// ContentsFile throws.
emulator::DrivesSettings block_drives(const std::vector<EmulatedDrive>& drives,
                                      const Serving& serving, model::TemporaryFolder& folder) {
  emulator::DrivesSettings settings;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    if (drives[i].model && drives[i].model->identity.zones == "host-managed")
      throw Error(ExitStatus::unsupported,
                  model::printable(drives[i].path) +
                      " is of a host-managed drive, whose zones only SCSI tells of: serve it over "
                      "--vhost-user");
    emulator::DriveSettings drive;
    drive.name = drives[i].name;
    drive.table = table_file(drives[i], i, folder);
    if (!serving.contents.empty()) {
      check_contents(drives[i], serving.contents[i]);
      drive.contents = serving.contents[i];
    }
    drive.write_cache_loss = serving.write_cache_loss;
    if (drives[i].episodes) drive.episodes = episodes_file(drives[i], i, folder);
    if (serving.scheduler) drive.scheduler = static_cast<std::uint32_t>(*serving.scheduler);
    drive.depth = serving.depth;
    settings.drives.push_back(drive);
  }
  settings.speed = serving.speed;
  settings.log = serving.log;
  settings.json = serving.json;
  return settings;
}

using emulator::Server;

emulator::EmulationSettings settings_of(const std::vector<EmulatedDrive>& drives,
                                        const Serving& serving) {
  emulator::EmulationSettings settings;
  settings.drives = scsi_drives(drives, serving.contents, serving.write_cache_loss);
  for (const EmulatedDrive& drive : drives)
    settings.models_against_drives.push_back(against_its_drive(drive));
  settings.speed = serving.speed;
  settings.log = serving.log;
  settings.ordinary = serving.ordinary;
  settings.json = serving.json;
  return settings;
}

}  // namespace

void serve_over_nbd(const std::vector<EmulatedDrive>& drives, const Serving& serving) {
  const std::string nbdkit = nbdkit_path();
  PrivateFolder folder;
  const ListeningSocket socket(serving.socket.empty() ? folder.path() + "/nbd" : serving.socket);
  Program program(nbdkit, arguments_for(block_drives(drives, serving, folder), serving.ordinary,
                                        socket.path()));
  emulator::drop_unread_notices();  // of nbdkit, too
  const TakenSignals signals({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD});
  const pid_t server = ::fork();
  if (server < 0)
    throw Error(ExitStatus::internal,
                fmt::format("nbdkit cannot be started: {}", std::strerror(errno)));
  if (server == 0) {
    signals.leave_as_before();
    program.replace_this_process(socket.descriptor());
  }
  const model::Helper helper(server);
  for (const EmulatedDrive& drive : drives)
    model::say("platter: {} is nbd+unix:///{}?socket={}\n", drive.table.identity.name, drive.name,
               model::absolute_path(socket.path()));
  check_end(serve_until_ended(server, signals));
}

#ifdef PLATTER_UBLK

void require_ublk() { emulator::ublk::require_ublk(); }

void serve_over_ublk(const std::vector<EmulatedDrive>& drives, const Serving& serving) {
  model::TemporaryFolder folder(model::temporary_name("platter-ublk"));
  emulator::ublk::EmulationSettings settings{block_drives(drives, serving, folder),
                                             serving.ordinary};
  TakenSignals signals({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2});  // before there are threads
  emulator::ublk::Emulation emulation(settings);
  for (std::size_t i = 0; i < drives.size(); ++i)
    model::say("platter: {} is {}\n", drives[i].table.identity.name, emulation.path(i));
  emulation.run(signals.descriptor(), [&] { return signals.read(); });
}

#else

void require_ublk() {
  throw Error(ExitStatus::missing_program,
              "this platter was built without linux/ublk_cmd.h, and platter emulate --ublk needs "
              "it: build it where the headers are of Linux 6.0 or later");
}

void serve_over_ublk(const std::vector<EmulatedDrive>&, const Serving&) { require_ublk(); }

#endif

void serve_over_vhost_user(const std::vector<EmulatedDrive>& drives, const Serving& serving) {
  const auto settings = settings_of(drives, serving);  // before there is a socket
  const PrivateFolder folder;
  const ListeningSocket socket(serving.socket.empty() ? folder.path() + "/vhost-user"
                                                      : serving.socket);
  TakenSignals signals({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2});  // before there are threads
  emulator::Emulation emulation(settings);
  for (std::size_t i = 0; i < drives.size(); ++i)
    model::say("platter: {} is target {} of {}\n", drives[i].table.identity.name, i,
               model::absolute_path(socket.path()));
  emulation.run(socket.descriptor(), signals.descriptor(), [&] {
    switch (signals.read()) {
      case 0:
        return Server::Asked::nothing;
      case SIGUSR1:
        return Server::Asked::report;
      case SIGUSR2:
        return Server::Asked::power_cut;
      default:
        return Server::Asked::end;
    }
  });
}

}  // namespace platter::jobs
