// How command lines name DiskSim's programs.
#pragma once

#include <map>
#include <string>

#include "emit/disksim/rules.h"

namespace platter::cli {

inline const std::map<std::string, emit_disksim::Program>& emit_disksim_programs() {
  static const std::map<std::string, emit_disksim::Program> kPrograms{
      {"cmu4", emit_disksim::Program::cmu4},
      {"wd", emit_disksim::Program::wd},
      {"wd64", emit_disksim::Program::wd64}};
  return kPrograms;
}

}  // namespace platter::cli
