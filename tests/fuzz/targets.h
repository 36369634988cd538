// What is done with one input of each reader of bytes that are not ours: by a fuzzer (fuzzer.cpp),
// and by the run of the kept corpus (corpus_run.cpp). A target may refuse its input with an Error;
// it ends the program (abort) where a promise does not hold.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"

namespace platter::fuzz {

struct Target {
  std::string name;
  std::function<void(const std::string& bytes)> run;
};

// Those of the files, one list each; a fuzzer holds one of them.
std::vector<Target> document_targets();     // models, tables, DiskSim's files, registry entries
std::vector<Target> scsi_targets();         // what a drive answers
std::vector<Target> trace_targets();        // every format of traces
std::vector<Target> result_targets();       // of replays
std::vector<Target> run_targets();          // what runs leave behind, and programs as drives
std::vector<Target> guest_targets();        // guests of emulated drives, and their logs
std::vector<Target> file_system_targets();  // file systems on emulated drives
std::vector<Target> study_targets();        // studies, their arrays and points; episodes

// Ends the program.
void require(bool holds, const char* promise);

// A refusal is an Error of status bad_input, unsupported or protocol: one sentence.
void refusing(const auto& read) {
  try {
    read();
  } catch (const Error& error) {
    require(error.status() == ExitStatus::bad_input || error.status() == ExitStatus::unsupported ||
                error.status() == ExitStatus::protocol,
            error.what());
    require(std::string_view(error.what()).size() > 10, "a sentence");
  }
}

// The path of a file in memory that holds these bytes, until the next call.
std::string file_of(const std::string& bytes);

}  // namespace platter::fuzz
