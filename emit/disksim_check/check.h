// What a set of DiskSim's files does to DiskSim itself, told before it runs: DiskSim looks at few
// of its parameters, and stops, answers nothing or goes on with something else at the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emit/disksim/rules.h"

namespace platter::emit_disksim_check {

enum class Effect : std::uint8_t {
  stops,          // DiskSim does not run, or stops when a request meets it
  never_answers,  // it runs, and requests are never complete, or not within any useful time
  otherwise,      // it runs with something else than the files say
  stops_64,       // Western Digital's 64-bit DiskSim does not run; the one that is asked about does
  stops_there,    // it runs, and stops at requests that reach blocks which a trace can leave out
};

// On command lines and in JSON: "stops", "never-answers", "otherwise", "stops-64", "stops-there".
const char* name_of(Effect effect);

struct Finding {
  Effect effect = Effect::stops;
  std::string where{};   // "NAME:LINE"
  std::string what{};    // a sentence without its full stop
  std::string source{};  // where DiskSim 4.0 does it: "disksim_disk.c, disk_postpass_perdisk"
};

// A request of a trace.
struct Access {
  std::int64_t lbn = 0, blocks = 0;
  bool write = false;
};

// What the program does with the files and with these accesses, nullptr: with any block. `path` is
// a .parv with all that it names, or less: .diskspecs, .model. Of a .parv the simulation around the
// drive is looked at too. Findings are in the order of the files' blocks. Throws Error(bad_input)
// for what is no parameter file, which DiskSim does not take either.
std::vector<Finding> check_files(const std::string& path,
                                 emit_disksim::Program program = emit_disksim::Program::cmu4,
                                 const std::vector<Access>* accesses = nullptr);

// DiskSim can be started on the files, and every request is answered.
bool runs(const std::vector<Finding>& findings);

// "D.model:12: ...", with the effect in words and the source.
std::string in_words(const Finding& finding);
// The first of each effect and source, and how many more there are.
std::vector<std::string> in_brief(const std::vector<Finding>& findings);

}  // namespace platter::emit_disksim_check
