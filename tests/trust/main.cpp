// trust_drive: a drive program (exec:) that keeps its contents in a file and fails as drives fail.
//
//   platter characterize "exec:trust_drive --store s.json --fault power-loss:at=40,of=write" ...
//   trust_drive --store s.json --check          what differs from what the drive held at first
//   trust_drive --store s.json --power-loss     the power goes between two programs
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "drive.h"
#include "pattern.h"
#include "server.h"
#include "small_drives.h"

namespace {

using trust::Json;

struct Arguments {
  std::string store, log, check, at_end = "keep";
  std::vector<std::string> faults;
  bool create = false, power_loss = false, list_faults = false;
  trust::Build build;
  std::string serial, synchronize = "yes", fua = "yes", torn = "unreadable";
  int write_cache = -1;
  bool no_serial = false, no_verify = false;
};

// One program at a time has the drive; whoever comes next waits until it has been put down.
class Lock {
 public:
  explicit Lock(const std::string& store) {
    file_ = ::open((store + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0)
      throw std::runtime_error(store + ".lock cannot be opened: " + std::strerror(errno));
    while (::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Lock() { ::close(file_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

trust::State load(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return trust::State::from_json(Json::parse(file));
}

void save(const trust::State& state, const std::string& path) {
  const std::string fresh = path + ".new";
  {
    std::ofstream file(fresh);
    file << state.to_json();
    if (!file.flush()) throw std::runtime_error(fresh + " cannot be written");
  }
  std::filesystem::rename(fresh, path);
}

trust::Obeys obeys(const std::string& word) {
  return word == "yes"      ? trust::Obeys::yes
         : word == "refuse" ? trust::Obeys::refuses
                            : trust::Obeys::lies;
}

trust::Build build_of(const Arguments& arguments) {
  trust::Build build = arguments.build;
  if (!arguments.serial.empty()) build.serial = arguments.serial;
  build.has_serial = !arguments.no_serial;
  build.verifies = !arguments.no_verify;
  build.torn = arguments.torn == "garbage" ? trust::Torn::garbage : trust::Torn::unreadable;
  build.synchronize = obeys(arguments.synchronize);
  using trust::Obeys;
  const std::string& fua = arguments.fua;
  if (fua == "refuse") build.forced_reads = build.forced_writes = Obeys::refuses;
  if (fua == "ignore" || fua == "ignore-reads") build.forced_reads = Obeys::lies;
  if (fua == "ignore" || fua == "ignore-writes") build.forced_writes = Obeys::lies;
  if (arguments.write_cache >= 0) build.write_cache = arguments.write_cache == 1;
  return build;
}

trust::State state_of(const Arguments& arguments) {
  if (std::filesystem::exists(arguments.store)) return load(arguments.store);
  trust::State state;
  state.build = build_of(arguments);
  return state;
}

Json pages_that_differ(const trust::Pages& now, const trust::Pages& before) {
  Json differ = Json::array();
  for (const auto& [code, page] : before) {
    const auto found = now.find(code);
    if (found == now.end() || found->second != page) differ.push_back(code);
  }
  return differ;
}

Json compared(const Json& contents, const trust::State& state, bool media, std::uint64_t seed) {
  trust::Geometry geometry;
  const auto model = trust::model_of(state.build.drive, state.build.lowest_aligned);
  geometry.block_bytes = model.identity.block_bytes;
  geometry.blocks = std::numeric_limits<std::uint64_t>::max() / 2;
  geometry.per_physical = std::max(
      1u, model.identity.physical_block_bytes / model.identity.block_bytes);
  geometry.lowest_aligned = state.build.lowest_aligned;
  trust::Contents drive(geometry, seed, state.build.torn);
  if (!contents.is_null()) drive.from_json(contents);
  Json differ = Json::array(), unreadable = Json::array();
  for (const auto& difference : drive.differences(media)) {
    differ.push_back(difference.lbn);
    if (difference.unreadable) unreadable.push_back(difference.lbn);
  }
  return {{"differ", differ}, {"unreadable", unreadable}, {"waiting", drive.dirty()}};
}

void check(const Arguments& arguments) {
  const trust::State state = load(arguments.store);
  const bool media = arguments.check == "media";
  Json report = compared(state.contents, state, media, state.build.seed);
  report["other"] = compared(state.other, state, media, trust::mix(state.build.seed)).at("differ");
  report["settings"] = pages_that_differ(state.current, state.at_first);
  report["settings_are_saved"] = state.current == state.saved;
  report["powered"] = state.powered;
  report["power_losses"] = state.power_losses;
  report["starts"] = state.starts;
  std::cout << report << "\n";
}

void run(const Arguments& arguments) {
  trust::State state = state_of(arguments);
  trust::Log log = arguments.log.empty() ? trust::Log() : trust::Log(arguments.log);
  std::vector<trust::Fault> faults;
  for (const std::string& fault : arguments.faults) faults.push_back(trust::parse_fault(fault));
  trust::AttackedDrive drive(state, std::move(faults), log,
                             arguments.power_loss || arguments.create ? 0 : ::getppid());
  try {
    if (arguments.power_loss)
      drive.lose_power();
    else if (!arguments.create)
      trust::serve(drive, STDIN_FILENO, STDOUT_FILENO);
    if (arguments.at_end == "power-loss" && state.powered) drive.lose_power();
  } catch (const trust::PowerLost&) {
  } catch (const trust::Vanished&) {
  } catch (const trust::Hung&) {
    trust::wait_for_end(STDIN_FILENO);
  }
  drive.save();
  save(state, arguments.store);
}

int main_with(const Arguments& arguments) {
  if (arguments.list_faults) {
    for (const auto& kind : trust::kinds())
      std::cout << kind.name << " (" << trust::name_of(kind.natural) << "): " << kind.what << "\n";
    return 0;
  }
  if (arguments.store.empty())
    throw std::invalid_argument("--store names the file of the drive's contents");
  const Lock lock(arguments.store);
  arguments.check.empty() ? run(arguments) : check(arguments);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);  // a drive knows no signals; it ends when its input does
  std::signal(SIGINT, SIG_IGN);
  Arguments arguments;
  CLI::App app("A drive that keeps its contents and fails as drives fail, behind exec:");
  app.add_option("--store", arguments.store,
                 "the file of its contents and settings; made if it is not there");
  app.add_option("--log", arguments.log, "where writes, flushes and faults are told, line by line");
  app.add_option("--fault", arguments.faults,
                 "KIND[:at=N][,of=CLASS][,count=N][,rate=P][,lbn=N], repeatable");
  app.add_flag("--list-faults", arguments.list_faults,
               "the kinds, each with the commands that it counts");
  app.add_option("--check", arguments.check,
                 "compare with what it held at first: 'host' as a host reads it, 'media'")
      ->expected(0, 1)
      ->default_str("host")
      ->check(CLI::IsMember({"host", "media"}));
  app.add_flag("--create", arguments.create, "make its file and end");
  app.add_flag("--power-loss", arguments.power_loss, "the power goes, now");
  app.add_option("--at-end", arguments.at_end, "when the host goes: keep, power-loss")
      ->check(CLI::IsMember({"keep", "power-loss"}));
  auto* built = app.add_option_group("How a drive is built, kept in its file");
  built->add_option("--drive", arguments.build.drive,
                    "small, small-512e, small-4kn, small-random-N, or what follows virtual:");
  built->add_option("--seed", arguments.build.seed,
                    "of its contents and of all that is left to chance");
  built->add_option("--serial", arguments.serial, "its serial number");
  built->add_flag("--no-serial", arguments.no_serial, "it tells none");
  built->add_option("--torn", arguments.torn, "what torn blocks are")
      ->check(CLI::IsMember({"unreadable", "garbage"}));
  built->add_option("--sync", arguments.synchronize, "whether it obeys SYNCHRONIZE CACHE")
      ->check(CLI::IsMember({"yes", "refuse", "lie"}));
  built->add_option("--fua", arguments.fua, "whether it obeys FUA")
      ->check(CLI::IsMember({"yes", "refuse", "ignore", "ignore-reads", "ignore-writes"}));
  built->add_flag("--no-verify", arguments.no_verify, "it has no VERIFY");
  built->add_flag("--descriptor-sense", arguments.build.descriptor_sense,
                  "sense data in descriptor format");
  built->add_option("--lowest-aligned", arguments.build.lowest_aligned,
                    "the first LBN that begins a physical block");
  built->add_option("--write-cache", arguments.write_cache,
                    "WCE as its user set it (0, 1), whatever is saved");
  CLI11_PARSE(app, argc, argv);
  if (app.count("--check") > 0 && arguments.check.empty()) arguments.check = "host";
  try {
    return main_with(arguments);
  } catch (const std::exception& error) {
    std::cerr << "trust_drive: " << error.what() << "\n";
    return 2;
  }
}
