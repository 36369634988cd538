// The rules for every path that platter writes to, in one place (docs/outputs.md): no output is an
// input, and what cannot be made again is replaced by its like alone, or with --force.
#pragma once

#include <string>

#include "jobs/holding.h"

namespace platter::jobs {

class Outputs {
 public:
  bool force = false;  // what platter would leave alone is replaced

  // What the run reads and has not opened yet: a file, a device (virtual:FILE.json), "-". All that
  // was opened before writes() counts by itself.
  void reads(const std::string& name) const;

  // A file that lives on from run to run, and is made where there is none: no output either.
  // Throws Error(usage) where it is.
  void keeps(const std::string& path) const;

  // Throws Error(usage, refused, output) unless `path` may be written now; what lies there may then
  // not change until it is. Call it before any long work begins.
  void writes(const std::string& path, const Content& content = {}) const;
  // The same where the run reads the very file to change it.
  void updates(const std::string& path, const Content& content) const;
  // The same where it may read it, if --force is given.
  void may_update(const std::string& path, const Content& content) const;
  // As writes(), for a content that is known: a file that holds it already is in nobody's way.
  void writes_bytes(const std::string& path, const std::string& bytes) const;

 private:
  void check(const std::string& path, const Content& content, const std::string* bytes) const;
};

// What an output's name may end in: what it promises is what is written (docs/outputs.md).
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
