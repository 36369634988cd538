#include "jobs/cosim.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "emulator/cosim/job.h"
#include "emulator/cosim/kernel.h"
#include "emulator/cosim/simulation.h"
#include "jobs/emulated_drives.h"
#include "jobs/listening_socket.h"
#include "jobs/needs.h"
#include "jobs/signals.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/json_text.h"
#include "model/say.h"
#include "model/user_folder.h"

extern char** environ;

namespace platter::jobs {
namespace {

namespace fs = std::filesystem;
using emulator::SimulationReport;

void notice(const std::string& sentence) { model::say("platter: {}\n", sentence); }

// Was looked for before (cli/needs.h).
std::string part(const std::string& name) { return part_path("cosim/" + name).value_or(name); }

// No file of today lies in the guest's future, and two runs of a day are the same.
std::uint64_t coming_midnight_ns() {
  using Days = std::chrono::days;
  const auto today = std::chrono::floor<Days>(std::chrono::system_clock::now());
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>((today + Days(1)).time_since_epoch())
          .count());
}

std::uint64_t date_ns(const std::string& date) {
  if (date.empty()) return coming_midnight_ns();
  std::tm day{};
  const char* const end = strptime(date.c_str(), "%Y-%m-%d", &day);
  const int month_day = day.tm_mday;
  const std::time_t time = end == nullptr || *end != '\0' ? -1 : timegm(&day);
  constexpr int kFrom = 1970 - 1900, kBefore = 2200 - 1900;  // the kernel's clock ends in 2262
  if (time < 0 || day.tm_mday != month_day || day.tm_year < kFrom || day.tm_year >= kBefore)
    throw Error(ExitStatus::usage,
                date +
                    " is no date of these centuries; write the year, month and day of the guest's "
                    "clock, such as 2030-01-31");
  return static_cast<std::uint64_t>(time) * static_cast<std::uint64_t>(kSecond);
}

// The guest has these of its own, so that nothing of the host's is there.
bool is_guests_own(const fs::path& canonical) {
  const std::string path = canonical.string() + "/";
  return path.starts_with("/dev/") || path.starts_with("/proc/") || path.starts_with("/run/") ||
         path.starts_with("/sys/");
}

// What the guest is to read lies here, too.
void keep_temporary_files_in_sight() {
  std::error_code error;
  const fs::path folder = fs::canonical(fs::temp_directory_path(error), error);
  if (!error && is_guests_own(folder)) setenv("TMPDIR", "/tmp", 1);
}

std::string current_folder() {
  std::error_code gone;
  const fs::path folder = fs::current_path(gone);
  if (gone)
    throw Error(ExitStatus::usage,
                fmt::format("the present folder cannot be told: {}; start platter in another",
                            gone.message()));
  if (is_guests_own(folder))
    throw Error(ExitStatus::usage, folder.string() +
                                       " is not in the guest, which has /dev, /proc, /run and /sys "
                                       "of its own; start platter in another folder");
  return folder.string();
}

std::vector<std::string> absolute_folders(const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path path = fs::canonical(folder, error);
    if (error || !fs::is_directory(path, error))
      throw Error(ExitStatus::bad_input,
                  folder + " is no folder; give --share folders that the guest may write");
    if (path == "/" || is_guests_own(path))
      throw Error(ExitStatus::usage,
                  folder +
                      " cannot be shared: / is all of the host, and /dev, /proc, /run and /sys are "
                      "the guest's own; give --share the folders that it may write");
    paths.push_back(path.string());
  }
  return paths;
}

bool is_same_file(int one, int other) {
  struct stat a {
  }, b{};
  return fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

// What is not a file has to be known when the guest begins: reading it takes no time in there.
std::string copied_input(model::TemporaryFolder& folder) {
  constexpr int kPatience_ms = 1000;
  pollfd input_there{STDIN_FILENO, POLLIN, 0};
  if (poll(&input_there, 1, kPatience_ms) == 0)
    notice(
        "the command's standard input is read to its end first; give </dev/null where it needs "
        "none");
  std::string input;
  std::array<char, 65536> bytes{};
  for (;;) {
    const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    input.append(bytes.data(), static_cast<std::size_t>(got));
  }
  const std::string path = folder.file("input");
  model::write_file(path, input);
  return path;
}

std::string input_path(model::TemporaryFolder& folder) {
  struct stat status {};
  if (fstat(STDIN_FILENO, &status) != 0 || isatty(STDIN_FILENO) != 0) return "/dev/null";
  std::error_code error;
  const std::string path = fs::read_symlink("/proc/self/fd/0", error).string();
  if (S_ISCHR(status.st_mode)) return path;
  struct stat named {};
  const bool is_whole_file = !is_guests_own(path) && S_ISREG(status.st_mode) &&
                             lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 &&
                             stat(path.c_str(), &named) == 0 && named.st_ino == status.st_ino;
  return is_whole_file ? path : copied_input(folder);
}

// But for its input.
emulator::Job job_of(const Cosimulation& options) {
  emulator::Job job;
  job.command = options.command;
  job.variables = emulator::variables_for_root(environ);
  job.folder = current_folder();
  job.merged_output = is_same_file(STDOUT_FILENO, STDERR_FILENO);
  job.shares = absolute_folders(options.shares);
  return job;
}

std::vector<emulator::DriveOfSet> drives_of(const Cosimulation& options) {
  std::vector<EmulatedDrive> drives = emulated_drives(options.models);
  add_episodes(drives, options.episodes);
  tell_standing(drives);
  auto set = scsi_drives(drives, options.contents, options.write_cache_loss);
  // Chance of the drive's, where its model leaves that open, is the guest's.
  for (std::size_t i = 0; i < set.size(); ++i)
    if (auto& imperfections = set[i].drive.model.imperfections;
        imperfections && imperfections->seed == 0)
      imperfections->seed = options.seed + i + 1;
  return set;
}

double per_command(double amount, const SimulationReport& report) {
  return amount / static_cast<double>(std::max<std::uint64_t>(report.commands, 1));
}

int status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

std::string in_words(const SimulationReport& report) {
  return fmt::format(
      "{}{:.6f} s simulated in {:.1f} s; {} commands, {:.1f} messages and {:.2f} ms of processor "
      "time each",
      report.power_cut ? "the power went; " : "", report.simulated_seconds, report.wall_seconds,
      report.commands, per_command(static_cast<double>(report.messages), report),
      per_command(1e3 * (report.guest_cpu_seconds + report.drives_cpu_seconds), report));
}

std::string in_json(const SimulationReport& report) {
  nlohmann::ordered_json json;
  json["power_cut"] = report.power_cut;
  if (report.wait_status) json["status"] = status_of(*report.wait_status);
  json["simulated_seconds"] = report.simulated_seconds;
  json["wall_seconds"] = report.wall_seconds;
  json["processor_seconds"] = {{"guest", report.guest_cpu_seconds},
                               {"drives", report.drives_cpu_seconds}};
  json["commands"] = report.commands;
  json["messages"] = report.messages;
  json["outside_validity"] = report.outside_validity;
  json["late_arrivals"] = report.late_arrivals;
  json["ticks_of_the_host"] = report.ticks;
  for (std::size_t drive = 0; drive < report.episodes.size(); ++drive) {
    if (!report.episodes[drive]) continue;
    for (const emulator::EpisodeReport& episode : *report.episodes[drive])
      json["episodes"].push_back(
          {{"drive", drive}, {"what", episode.what}, {"requests", episode.requests}});
  }
  return model::json_document("platter-cosim", json);
}

std::string_view package_of_tool(std::string_view command) {
  const std::string_view name = command.substr(command.rfind('/') + 1);
  const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (has("f2fs")) return "f2fs-tools";
  if (has(".ext") || has("2fs")) return "e2fsprogs";  // mkfs.ext4, tune2fs, e2fsck
  if (has("xfs")) return "xfsprogs";
  if (has("btrfs")) return "btrfs-progs";
  return {};
}

}  // namespace

// The guest has the host's files, and the same PATH with root's folders.
void require_command(const std::string& command) {
  const bool is_path = command.find('/') != std::string::npos;
  const auto is_there = [](const std::string& name) {
    return model::program_on_path(name, model::PathFolders::all).has_value();
  };
  if (is_there(command)) return;
  for (const char* const folder : emulator::kFoldersOfRoot)
    if (!is_path && !command.empty() && is_there(fmt::format("{}/{}", folder, command))) return;
  const std::string_view package = package_of_tool(command);
  throw Error(ExitStatus::missing_program,
              fmt::format("{}: is no program {}, so platter cosim cannot run it; {}", command,
                          is_path ? "that may be started" : "in the folders of PATH",
                          package.empty() ? "give a command of this host, or sh -c '...'"
                                          : fmt::format("apt-get install {}", package)));
}

std::string guest_kernel_of(const Cosimulation& options, Progress& progress) {
  if (!options.kernel.empty()) {
    emulator::delay_function_of(options.kernel);
    return model::absolute_path(options.kernel);
  }
  const emulator::KernelProgress told{
      notice, [&](double share) { progress.show("building the guest's kernel", share); }};
  std::string kernel = emulator::guest_kernel({part("config"), part("build-kernel")}, told);
  progress.clear();
  return kernel;
}

int cosimulate(const Cosimulation& options, Progress& progress) {
  keep_temporary_files_in_sight();
  emulator::SimulationSettings settings;
  settings.drives = drives_of(options);
  for (const emulator::DriveOfSet& drive : settings.drives)
    if (drive.contents.file) options.outputs.keeps(*drive.contents.file);
  for (const std::string& output : {options.log, options.report})
    if (!output.empty()) options.outputs.writes(output);
  settings.speed = options.speed;
  settings.cpu_factor = options.cpu_factor;
  settings.patience = std::chrono::milliseconds(std::llround(1000 * options.patience_s));
  settings.is_strict = options.is_strict;
  settings.guest.call_ns = options.call_ns;
  if (!options.log.empty()) settings.log = options.log;
  if (options.power_cut_s)
    settings.power_cut_ns = std::llround(*options.power_cut_s * static_cast<double>(kSecond));
  settings.guest.memory_mb = options.memory_mb;
  settings.guest.seed = options.seed;
  settings.guest.date_ns = date_ns(options.date);
  settings.guest.counts_cpu = options.cpu_factor > 0;
  emulator::Job job = job_of(options);
  settings.guest.programs = {guest_kernel_of(options, progress), part("init"), part("preload.so")};
  PrivateFolder folder;
  job.input = input_path(folder);
  settings.guest.job = emulator::job_file(job);

  // Before there are threads. The last two ask `emulate` for something, and nothing here.
  TakenSignals signals({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2});
  emulator::Simulation simulation(settings);
  const auto is_asked_to_end = [&] {
    const int signal = signals.read();
    return signal != 0 && signal != SIGUSR1 && signal != SIGUSR2;
  };
  const SimulationReport report = simulation.run({signals.descriptor(), is_asked_to_end, notice});
  const int status = report.wait_status ? status_of(*report.wait_status) : 0;
  if (options.report.empty())
    notice(in_words(report));
  else
    model::write_file(options.report, in_json(report));
  return status;
}

}  // namespace platter::jobs
