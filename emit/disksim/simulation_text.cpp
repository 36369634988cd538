#include "emit/disksim/simulation_text.h"

#include <fmt/core.h>

#include "emit/disksim/parameter_text.h"

namespace platter::emit_disksim {
namespace {

std::string flags(const char* type, std::initializer_list<const char*> names, int indent) {
  BlockText block(type);
  for (const char* name : names) block.integer(name, 1);
  return block.text(indent);
}

std::string statistics() {
  BlockText all("disksim_stats Stats");
  all.add("iodriver stats",
          flags("disksim_iodriver_stats",
                {"Print driver size stats", "Print driver locality stats",
                 "Print driver blocking stats", "Print driver interference stats",
                 "Print driver queue stats", "Print driver crit stats", "Print driver idle stats",
                 "Print driver intarr stats", "Print driver streak stats",
                 "Print driver stamp stats", "Print driver per-device stats"},
                2));
  all.add("bus stats",
          flags("disksim_bus_stats", {"Print bus idle stats", "Print bus arbwait stats"}, 2));
  all.add("ctlr stats",
          flags("disksim_ctlr_stats",
                {"Print controller cache stats", "Print controller size stats",
                 "Print controller locality stats", "Print controller blocking stats",
                 "Print controller interference stats", "Print controller queue stats",
                 "Print controller crit stats", "Print controller idle stats",
                 "Print controller intarr stats", "Print controller streak stats",
                 "Print controller stamp stats", "Print controller per-device stats"},
                2));
  all.add(
      "device stats",
      flags("disksim_device_stats",
            {"Print device queue stats", "Print device crit stats", "Print device idle stats",
             "Print device intarr stats", "Print device size stats", "Print device seek stats",
             "Print device latency stats", "Print device xfer stats", "Print device acctime stats",
             "Print device interfere stats", "Print device buffer stats"},
            2));
  all.add("process flow stats", flags("disksim_pf_stats",
                                      {"Print per-process stats", "Print per-CPU stats",
                                       "Print all interrupt stats", "Print sleep stats"},
                                      2));
  return all.text();
}

std::string bus(const char* name, double read_ms, double write_ms) {
  BlockText block(fmt::format("disksim_bus {}", name));
  block.integer("type", 1);
  block.integer("Arbitration type", 1);
  block.real("Arbitration time", 0);
  block.real("Read block transfer time", read_ms);
  block.real("Write block transfer time", write_ms);
  block.integer("Print stats", 1);
  return block.text();
}

std::string host() {
  BlockText block("disksim_iodriver HOST");
  block.integer("type", 1);
  block.real("Constant access time", 0);
  block.add("Scheduler", queue_text(2));
  block.integer("Use queueing in subsystem", 1);
  return block.text();
}

std::string controller() {
  BlockText block("disksim_ctlr CONTROLLER");
  block.integer("type", 1);
  block.real("Scale for delays", 0);
  block.real("Bulk sector transfer time", 0);
  block.integer("Maximum queue length", 0);
  block.integer("Print stats", 1);
  return block.text();
}

std::string organization(std::uint64_t blocks) {
  BlockText block("disksim_logorg DEVICE");
  block.add("Addressing mode", "Parts");
  block.add("Distribution scheme", "Asis");
  block.add("Redundancy scheme", "Noredun");
  block.add("devices", "[ disk0 ]");
  block.integer("Stripe unit", static_cast<std::int64_t>(blocks));
  block.integer("Synch writes for safety", 0);
  block.integer("Number of copies", 2);
  block.integer("Copy choice on read", 6);
  block.real("RMW vs. reconstruct", 0.5);
  block.integer("Parity stripe unit", 64);
  block.integer("Parity rotation type", 1);
  block.real("Time stamp interval", 0);
  block.real("Time stamp start time", 0);
  block.real("Time stamp stop time", 0);
  return block.text();
}

// Two thirds reads, 8 blocks on the mean, anywhere, one at a time.
std::string synthetic(std::uint64_t blocks) {
  BlockText generator("disksim_synthgen");
  generator.integer("Storage capacity per device", static_cast<std::int64_t>(blocks));
  generator.add("devices", "[ disk0 ]");
  generator.integer("Blocking factor", 8);
  generator.real("Probability of sequential access", 0);
  generator.real("Probability of local access", 0);
  generator.real("Probability of read access", 0.66);
  generator.real("Probability of time-critical request", 1);
  generator.real("Probability of time-limited request", 0);
  generator.add("Time-limited think times", "[ normal, 30.0, 100.0 ]");
  generator.add("General inter-arrival times", "[ exponential, 0.0, 0.0 ]");
  generator.add("Sequential inter-arrival times", "[ normal, 0.0, 0.0 ]");
  generator.add("Local inter-arrival times", "[ exponential, 0.0, 0.0 ]");
  generator.add("Local distances", "[ normal, 0.0, 40000.0 ]");
  generator.add("Sizes", "[ exponential, 0.0, 8.0 ]");
  BlockText block("disksim_synthio Synthio");
  block.integer("Number of I/O requests to generate", 10000);
  block.real("Maximum time of trace generated", 100000);
  block.integer("System call/return with each request", 0);
  block.real("Think time from call to request", 0);
  block.real("Think time from request to return", 0);
  block.add("Generators", "[ " + generator.text(2) + " ]");
  return block.text();
}

constexpr const char* kTopology =
    "instantiate [ statistics0 ] as Stats\n"
    "instantiate [ host0 ] as HOST\n"
    "instantiate [ hostbus0 ] as HOST_BUS\n"
    "instantiate [ controller0 ] as CONTROLLER\n"
    "instantiate [ drivebus0 ] as DRIVE_BUS\n"
    "instantiate [ disk0 ] as {}\n\n"
    "topology disksim_iodriver host0 [\n"
    "  disksim_bus hostbus0 [\n"
    "    disksim_ctlr controller0 [\n"
    "      disksim_bus drivebus0 [\n"
    "        disksim_disk disk0 []\n"
    "      ]\n"
    "    ]\n"
    "  ]\n"
    "]\n\n";

// Ten bins: nine edges, no more and no fewer.
std::string distribution(const char* name, const char* scale, const char* edges) {
  return fmt::format("{}\nDistribution size: 10\nScale/Equals: {}\n{}\n\n", name, scale, edges);
}

std::string growing(const char* name, int size, const char* scale, int growth_percent) {
  return fmt::format("{}\nDistribution size: {}\nScale/Equals: {}\nStart 0  step 1  grow {}\n\n",
                     name, size, scale, growth_percent);
}

}  // namespace

std::string queue_text(int indent, int policy, int mapping) {
  BlockText block("disksim_ioqueue");
  block.integer("Scheduling policy", policy);
  block.integer("Cylinder mapping strategy", mapping);
  block.real("Write initiation delay", 0);
  block.real("Read initiation delay", 0);
  block.integer("Sequential stream scheme", 0);
  block.integer("Maximum concat size", 128);
  block.integer("Overlapping request scheme", 0);
  block.integer("Sequential stream diff maximum", 0);
  block.integer("Scheduling timeout scheme", 0);
  block.integer("Timeout time/weight", 6);
  block.integer("Timeout scheduling", 4);
  block.integer("Scheduling priority scheme", 0);
  block.integer("Priority scheduling", 4);
  return block.text(indent);
}

std::string parv_text(const Simulation& simulation) {
  BlockText global("disksim_global Global");
  global.integer("Init Seed", 42);
  global.integer("Real Seed", 42);
  global.add("Stat definition file", simulation.name + ".statdefs");
  BlockText processes("disksim_pf Proc");
  processes.integer("Number of processors", 1);
  processes.real("Process-Flow Time Scale", 1);
  std::string text = "# Run as: disksim " + simulation.name + ".parv OUTPUT ascii TRACE 0\n";
  text += "# or, with the workload below:  disksim " + simulation.name +
          ".parv OUTPUT ascii 0 1\n\n";
  for (const std::string& block :
       {global.text(), statistics(), host(), bus("HOST_BUS", 0, 0), controller(),
        bus("DRIVE_BUS", simulation.bus_read_block_ms, simulation.bus_write_block_ms)}) {
    text += block + "\n\n";
  }
  text += "source " + simulation.name + ".diskspecs\n\n";
  text += fmt::format(kTopology, simulation.name);
  text += organization(simulation.blocks) + "\n\ninstantiate [ device0 ] as DEVICE\n\n";
  return text + processes.text() + "\n\n" + synthetic(simulation.blocks) + "\n";
}

std::string statdefs_text() {
  constexpr const char* kTimes = "5 10 20 40 60 90 120 150 200";
  constexpr const char* kShortTimes = "5 10 15 20 25 30 40 50 60";
  constexpr const char* kSleeps = "25 50 100 200 400 800 1600 3200 6400";
  constexpr const char* kSizes = "1 2 4 8 16 32 64 128 256";
  constexpr const char* kCounts = "1 2 3 6 10 20 40 80 150";
  std::string text;
  const auto add = [&](const char* name, const char* scale, const char* edges) {
    text += distribution(name, scale, edges);
  };
  for (const char* name :
       {"Queue time", "Response time", "Trace queue time", "Trace response time"}) {
    add(name, "1/0", kTimes);
  }
  for (const char* name : {"Inter-sleep time", "Inter-think time"}) add(name, "1/0", kSleeps);
  for (const char* name : {"Instantaneous queue length", "Batch size"}) add(name, "1/3", kCounts);
  for (const char* name :
       {"Inter-arrival time", "Read inter-arrival", "Write inter-arrival", "Idle period length",
        "Positioning time", "Access time", "Bus idle period length"}) {
    add(name, "1/0", kShortTimes);
  }
  for (const char* name :
       {"Read request size", "Write request size", "Request size", "Access size"}) {
    add(name, "1/4", kSizes);
  }
  add("Streak length", "1/9", "1 2 3 4 5 6 7 8 9");
  // Bins of 1 us, growing by 1 %: fine enough to compare two of them.
  for (const char* name : {"Trace access time", "Physical access time"})
    text += growing(name, 1750, "1000/0", 1);
  for (const char* name : {"Trace access diff time", "Trace write access diff time"}) {
    add(name, "1/0", "-5 -1 0 1 2 5 10 11 12");
  }
  for (const char* name : {"Trace write access time", "Trace rotation miss time"})
    text += growing(name, 100, "2/0", 0);
  text += growing("Rotational latency", 100, "10/0", 0);
  add("Seek distance", "1/1", "0 6 21 41 81 161 321 641 1281");
  add("Sub-optimal mapping penalty", "1/6", "-1 0 1 2 3 4 10 20 40");
  add("Seek time", "1/0", "1 2 3 4 5 6 8 10 15");
  add("Transfer time", "10/0", kShortTimes);
  add("Arbitration wait time", "1/1", "0 1 2 5 10 15 25 40 60");
  add("Inter-request distance", "1/0", "-64 -31 -15 -7 1 9 17 33 65");
  add("Time limit duration", "1/0", "5 10 20 30 40 60 100 150 200");
  for (const char* name : {"Empty queue delay", "Initiate next delay"})
    add(name, "10/0", "1 2 3 4 5 7 9 12 15");
  return text;
}

}  // namespace platter::emit_disksim
