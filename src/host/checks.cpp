#include "host/checks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "host/fast_processors.h"
#include "host/governors.h"
#include "transport/holders.h"
#include "transport/sysfs.h"

namespace platter::host {
namespace {

namespace fs = std::filesystem;
using transport::attribute;

Check governor(const std::string& root) {
  const std::vector<Governor> all = governors(root);
  Check check{"governor", all.empty() ? "no cpufreq to see" : in_words(all)};
  if (std::ranges::any_of(all, [](const Governor& g) { return g.name != kFastest; }))
    check.advice =
        "the processors change their clock: run cpupower frequency-set -g performance, or measure "
        "with --quiet-host, which puts it back";
  return check;
}

// The deepest one that is in use, and how long leaving it takes.
Check idle_states(const transport::HostFitness& fitness, const std::string& root) {
  Check check{"idle states", "none to see"};
  int deepest_us = -1;
  for (const auto& state : transport::entries(root + "/sys/devices/system/cpu/cpu0/cpuidle")) {
    const std::string latency = attribute(state / "latency");
    int us = -1;
    std::from_chars(latency.data(), latency.data() + latency.size(), us);
    if (attribute(state / "disable") == "1" || us <= deepest_us) continue;
    deepest_us = us;
    check.found = fmt::format("down to {}, which takes {} us to leave", attribute(state / "name"),
                              us);
  }
  if (fitness.low_latency)
    check.found += "; kept out of them while a drive is measured (/dev/cpu_dma_latency)";
  else
    check.advice =
        deepest_us < 0
            ? "/dev/cpu_dma_latency cannot be held, so a processor may sleep deeply between "
              "commands: run platter as root, on a kernel that has it"
            : "/dev/cpu_dma_latency cannot be held, so a processor may sleep deeply between "
              "commands: run platter as root, or cpupower idle-set -D 1 before";
  return check;
}

bool runs(const std::string& program, const std::string& root) {
  return std::ranges::any_of(transport::entries(root + "/proc"), [&](const fs::path& process) {
    return std::isdigit(static_cast<unsigned char>(process.filename().string().front())) != 0 &&
           attribute(process / "comm") == program;
  });
}

Check balancer(const std::string& root) {
  if (!runs("irqbalance", root)) return {"irqbalance", "does not run"};
  return {"irqbalance", "runs",
          "irqbalance moves the adapter's interrupts between processors: run systemctl stop "
          "irqbalance, and start it again afterwards"};
}

// What waits for a processor now, beside this program.
Check load(const transport::HostFitness& fitness, const std::string& root) {
  Check check{"load", "not to see"};
  double average = 0;
  if (std::ifstream file(root + "/proc/loadavg"); !(file >> average)) return check;
  check.found = fmt::format("{:.2f} on {} processors, over the last minute", average,
                            fitness.processors);
  if (average > 0.5 * fitness.processors)
    check.advice = fmt::format(
        "on the average {:.1f} threads wanted the {} processors, and commands wait for one: end "
        "what "
        "else runs (top shows what it is)",
        average, fitness.processors);
  return check;
}

Check swap(const std::string& root) {
  std::ifstream file(root + "/proc/swaps");
  std::string head, line;
  std::getline(file, head);
  if (!std::getline(file, line)) return {"swap", "none"};
  return {
      "swap", "on " + line.substr(0, line.find_first_of(" \t")),
      "memory may be swapped out, and a command then waits for another drive: run swapoff -a, or "
      "measure with --quiet-host, which locks it"};
}

Check processors(const transport::HostFitness& fitness) {
  Check check{"processors", std::to_string(fitness.processors)};
  if (fitness.processors == 1)
    check.advice =
        "there is a single processor, and everything else that runs delays the measurement: "
        "measure "
        "on a host with several, or end all else";
  return check;
}

Check clock(const transport::HostFitness& fitness) {
  Check check{"clock", fmt::format("CLOCK_MONOTONIC_RAW, steps of {} ns", fitness.clock_step_ns)};
  if (fitness.clock_step_ns > kMicrosecond)
    check.advice = "CLOCK_MONOTONIC_RAW moves in steps of more than 1 us: use another host";
  return check;
}

// ---------------------------------------------------------------- the way to a drive

// Requests of SG_IO go to the driver past the scheduler (Linux, blk_mq_request_bypass_insert).
Check scheduler(const std::string& block, const std::string& root) {
  const std::string all = attribute(root + "/sys/class/block/" + block + "/queue/scheduler");
  const std::size_t from = all.find('['), to = all.find(']');
  if (to == std::string::npos || from > to) return {"scheduler", "not to see"};
  return {"scheduler",
          fmt::format("{}: platter's commands pass it by", all.substr(from + 1, to - from - 1))};
}

double gigabits(const std::string& speed) {
  double value = 0;
  std::from_chars(speed.data(), speed.data() + speed.size(), value);
  return value;
}

struct Link {
  std::string speed, port_takes;
  bool lowered = false;  // by the kernel, after errors
};

// Of SATA (libata) and SAS (scsi_transport_sas): above the SCSI device in sysfs.
std::optional<Link> link_above(fs::path folder) {
  const auto first_below = [](const fs::path& parent, const std::string& prefix) {
    for (const auto& entry : transport::entries(parent))
      if (entry.filename().string().starts_with(prefix)) return entry;
    return fs::path();
  };
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    if (const auto link = first_below(folder, "link"); !link.empty()) {
      const auto ata = link / "ata_link" / link.filename();
      if (const auto speed = attribute(ata / "sata_spd"); gigabits(speed) > 0) {
        const auto limit = attribute(ata / "sata_spd_limit"),
                   most = attribute(ata / "hw_sata_spd_limit");
        return Link{speed, most, gigabits(limit) > 0 && gigabits(limit) < gigabits(most)};
      }
    }
    if (const auto phy = first_below(folder, "phy-"); !phy.empty()) {
      const auto sas = phy / "sas_phy" / phy.filename();
      if (const auto speed = attribute(sas / "negotiated_linkrate"); gigabits(speed) > 0)
        return Link{speed, attribute(sas / "maximum_linkrate"), false};
    }
  }
  return std::nullopt;
}

Check link_speed(const std::string& block, const std::string& root) {
  std::error_code none;
  const auto link = link_above(fs::canonical(root + "/sys/class/block/" + block + "/device", none));
  if (!link) return {"link", "its speed is not to see"};
  const bool slower = gigabits(link->speed) < gigabits(link->port_takes);
  Check check{"link", link->speed + (slower ? ", the port takes " + link->port_takes : "")};
  if (link->lowered)
    check.advice =
        "the kernel lowered the link's speed after errors: change the cable or the slot, "
        "and look into dmesg";
  else if (slower)
    check.advice = fmt::format(
        "the link runs at {} on a port that takes {}: if the drive takes more than {}, look at "
        "cable, "
        "slot and the drive's jumpers; hits can come no faster than the link",
        link->speed, link->port_takes, link->speed);
  return check;
}

Check others(const transport::HostDrive& drive, const std::string& root) {
  const auto processes = transport::processes_on(drive, root);
  if (processes.empty()) return {"other programs", "none that is to see has it open"};
  const std::string names = fmt::format("{}", fmt::join(processes, ", "));
  return {"other programs", names,
          fmt::format("other programs have the drive open, and their commands delay ours: end {}",
                      names)};
}

}  // namespace

std::vector<Check> host_checks(const transport::HostFitness& fitness, const std::string& root) {
  std::vector<Check> checks{processors(fitness), governor(root),      idle_states(fitness, root),
                            clock(fitness),      load(fitness, root), swap(root),
                            balancer(root)};
  if (const auto journal = left_host_journal(root))
    checks.push_back({"left by --quiet-host", *journal,
                      "a run with --quiet-host was killed and left the governor set: run platter "
                      "restore " +
                          *journal});
  return checks;
}

std::vector<Check> path_checks(const transport::HostDrive& drive, const std::string& root) {
  std::vector<Check> checks{
      {"queue of the host", drive.queue_depth > 0
                                ? fmt::format("{} commands at once", drive.queue_depth)
                                : "not to see"}};
  checks.push_back(others(drive, root));
  if (drive.block.empty()) return checks;
  checks.push_back({"in use", "no: nothing is mounted, swapped or built on it"});  // else it is
                                                                                   // refused
  checks.push_back(scheduler(drive.block, root));
  checks.push_back(link_speed(drive.block, root));
  return checks;
}

}  // namespace platter::host
