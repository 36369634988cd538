// What stands out among several drives, as src/fleet finds it: for a report of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace platter::report {

struct FleetFound {
  struct Standout {
    std::size_t drive = 0;  // of the report's models
    std::string figure{};   // its path: "head_switch", "seek[1]"
    std::string words{};    // what, by how much, how sure
  };
  std::vector<Standout> standouts{};
  std::vector<std::string> remarks{};  // how much was compared, and what was not
};

}  // namespace platter::report
