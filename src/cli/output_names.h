// What an output's name may end in: what it promises is what is written (docs/outputs.md).
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace platter::cli {

enum class Written {
  json,               // a model, a report of a simulation
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

// Refuses such names of an option, with status 2; "-", which is the standard output, for a folder,
// and for what grows with a run: samples and logs.
CLI::Validator named_for(Written written);

// Where the output itself goes to standard output, what is said of it does not.
bool goes_to_standard_output(const std::string& output);

// Text for people and programs on standard output, or, where the output goes there, on standard
// error.
void print_beside(const std::string& output, const std::string& text);

}  // namespace platter::cli
