// What of a host is looked at: advice where something is not as it should be, and none elsewhere.
#include "host/checks.h"

#include <unistd.h>

#include <algorithm>

#include "machine.h"

namespace platter::host {
namespace {

transport::HostFitness fit() {
  transport::HostFitness fitness;
  fitness.processors = 4;
  fitness.low_latency = true;
  fitness.clock_step_ns = 20;
  return fitness;
}

Check one(const std::vector<Check>& checks, const std::string& what) {
  const auto found = std::ranges::find(checks, what, &Check::what);
  REQUIRE(found != checks.end());
  return *found;
}

int advices(const std::vector<Check>& checks) {
  return static_cast<int>(
      std::ranges::count_if(checks, [](const Check& c) { return c.advice.has_value(); }));
}

TEST_CASE("a fit host gets no advice") {
  const Machine machine;
  machine.set("policy0", "performance");
  machine.set("policy4", "performance");
  machine.write("proc/loadavg", "0.20 0.10 0.05 1/200 300\n");
  machine.write("proc/swaps", "Filename Type Size Used Priority\n");
  machine.write("proc/77/comm", "sshd\n");
  machine.write("sys/devices/system/cpu/cpu0/cpuidle/state2/name", "C6\n");
  machine.write("sys/devices/system/cpu/cpu0/cpuidle/state2/latency", "133\n");
  const auto checks = host_checks(fit(), machine.root());
  CHECK(advices(checks) == 0);
  CHECK(one(checks, "governor").found == "performance");
  CHECK_THAT(one(checks, "idle states").found, Catch::StartsWith("down to C6, which takes 133 us"));
}

TEST_CASE("each thing that disturbs gets its advice") {
  const Machine machine;
  machine.write("proc/loadavg", "3.10 0.10 0.05 1/200 300\n");
  machine.write("proc/swaps", "Filename Type Size Used Priority\n/dev/sdb2 partition 100 0 -2\n");
  machine.write("proc/77/comm", "irqbalance\n");
  machine.write("sys/devices/system/cpu/cpu0/cpuidle/state1/name", "C1\n");
  machine.write("sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "2\n");
  machine.write("sys/devices/system/cpu/cpu0/cpuidle/state2/name", "C6\n");
  machine.write("sys/devices/system/cpu/cpu0/cpuidle/state2/latency", "133\n");
  machine.write("sys/devices/system/cpu/cpu0/cpuidle/state2/disable", "1\n");
  transport::HostFitness fitness = fit();
  fitness.low_latency = false;
  const auto advice = [checks = host_checks(fitness, machine.root())](const char* what) {
    return one(checks, what).advice.value_or("none");
  };
  CHECK_THAT(advice("governor"), Catch::Contains("cpupower frequency-set -g performance"));
  CHECK_THAT(advice("idle states"), Catch::Contains("cpupower idle-set -D 1"));
  CHECK_THAT(one(host_checks(fitness, machine.root()), "idle states").found, Catch::Contains("C1"));
  CHECK_THAT(advice("load"), Catch::Contains("3.1 threads wanted the 4 processors"));
  CHECK_THAT(advice("swap"), Catch::Contains("swapoff -a"));
  CHECK_THAT(advice("irqbalance"), Catch::Contains("systemctl stop irqbalance"));
  fitness.processors = 1;
  fitness.clock_step_ns = 4 * kMillisecond;
  const auto coarse = host_checks(fitness, machine.root());
  CHECK(one(coarse, "processors").advice);
  CHECK(one(coarse, "clock").advice);
}

// A SATA disk below a port of libata.
void add_disk(const Machine& machine, const std::string& speed, const std::string& limit) {
  const std::string device = "sys/devices/pci/ata1/host0/target0:0:0/0:0:0:0";
  machine.write(device + "/type", "0\n");
  machine.link("sys/class/block/sda/device", device);
  machine.write("sys/class/block/sda/queue/scheduler", "none [mq-deadline] kyber\n");
  const std::string link = "sys/devices/pci/ata1/link1/ata_link/link1/";
  machine.write(link + "sata_spd", speed + "\n");
  machine.write(link + "sata_spd_limit", limit + "\n");
  machine.write(link + "hw_sata_spd_limit", "6.0 Gbps\n");
}

transport::HostDrive disk() {
  transport::HostDrive drive;
  drive.sg = "sg0";
  drive.block = "sda";
  drive.queue_depth = 32;
  return drive;
}

TEST_CASE("the way to a drive as it should be") {
  const Machine machine;
  add_disk(machine, "6.0 Gbps", "6.0 Gbps");
  const auto checks = path_checks(disk(), machine.root());
  CHECK(advices(checks) == 0);
  CHECK(one(checks, "link").found == "6.0 Gbps");
  CHECK(one(checks, "queue of the host").found == "32 commands at once");
  CHECK_THAT(one(checks, "scheduler").found, Catch::StartsWith("mq-deadline: "));
}

TEST_CASE("a link that is slower than its port, or was lowered, and who else is on the drive") {
  const Machine machine;
  add_disk(machine, "3.0 Gbps", "6.0 Gbps");
  CHECK_THAT(one(path_checks(disk(), machine.root()), "link").advice.value_or(""),
             Catch::Contains("runs at 3.0 Gbps on a port that takes 6.0 Gbps"));
  machine.write("sys/devices/pci/ata1/link1/ata_link/link1/sata_spd_limit", "3.0 Gbps\n");
  CHECK_THAT(one(path_checks(disk(), machine.root()), "link").advice.value_or(""),
             Catch::Contains("lowered the link's speed after errors"));
  for (const auto* node : {"/dev/sda", "/dev/sg0"}) {
    const Machine busy;
    add_disk(busy, "6.0 Gbps", "6.0 Gbps");
    busy.write("proc/78/comm", "smartd\n");
    fs::create_directories(busy.root() + "/proc/78/fd");
    fs::create_symlink(node, busy.root() + "/proc/78/fd/5");
    CHECK_THAT(one(path_checks(disk(), busy.root()), "other programs").advice.value_or(""),
               Catch::Contains("end process 78 (smartd)"));
  }
}

TEST_CASE("a SAS link") {
  const Machine machine;
  const std::string device = "sys/devices/pci/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0";
  machine.write(device + "/type", "0\n");
  machine.link("sys/class/block/sda/device", device);
  const std::string phy = "sys/devices/pci/host0/port-0:0/phy-0:0/sas_phy/phy-0:0/";
  machine.write(phy + "negotiated_linkrate", "6.0 Gbit\n");
  machine.write(phy + "maximum_linkrate", "12.0 Gbit\n");
  CHECK(one(path_checks(disk(), machine.root()), "link").found ==
        "6.0 Gbit, the port takes 12.0 Gbit");
}

}  // namespace
}  // namespace platter::host
