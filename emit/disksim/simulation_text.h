// What a DiskSim run needs beside the drive: host, bus, controller, one logical device, statistics.
#pragma once

#include <cstdint>
#include <string>

namespace platter::emit_disksim {

struct Simulation {
  std::string name;  // of the files and of the drive's block
  std::uint64_t blocks = 0;
  double bus_read_block_ms = 0, bus_write_block_ms = 0;  // 0: the drive's own time counts
};

// The main file: one drive, reached at no cost, first come, first served; a random workload for
// runs with synthetic requests.
std::string parv_text(const Simulation& simulation);

// A disksim_ioqueue block; policy 1 is first come, first served.
std::string queue_text(int indent, int policy = 1, int mapping = 1);

// The bins of every distribution that DiskSim wants described.
std::string statdefs_text();

}  // namespace platter::emit_disksim
