// What an output's name may end in: what it promises is what is written (docs/outputs.md).
#pragma once

#include <string>

namespace platter::jobs {

enum class Written {
  json,               // a model, a report of a simulation
  report_of_command,  // JSON, beside what the command prints
  model_and_samples,  // a model, with its samples beside it
  samples,            // lines of JSON
  page,               // HTML
  log,                // lines
  table,              // .ptab
  csv,
  c_header,
  folder,
};

// Why a file of this name cannot be so written, a sentence behind the name; empty: it can.
std::string why_not_named(const std::string& path, Written written);

// "-", the standard output, can take it: no folder, and nothing that grows with a run.
bool is_one_stream(Written written);

// Where the output itself goes to standard output, what is said of it does not.
bool goes_to_standard_output(const std::string& output);

}  // namespace platter::jobs
