// One cell of the matrix: the drive is inspected and characterized in a process of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/diff.h"
#include "model/drive_model.h"
#include "table.h"

namespace quirks {

struct Subject {
  std::string name;   // for the report
  std::string drive;  // of tests/trust/small_drives.h
  bool writes = false;
};
const std::vector<Subject>& subjects();

struct Outcome {
  std::string trouble;                              // why it did not end well; empty: it did
  std::string doubt;                                // Run::not_verified
  std::uint64_t met = 0;                            // commands that the table answered
  std::optional<platter::model::DriveModel> model;  // absent where it did not end well
};

// A process that runs it; outcome() waits for its end.
class CellRun {
 public:
  // `seed`: of the run's random choices.
  CellRun(const Subject& subject, const Json& table, std::uint64_t seed = 1);
  ~CellRun();
  CellRun(const CellRun&) = delete;
  CellRun& operator=(const CellRun&) = delete;
  Outcome outcome();

 private:
  int process_ = -1, from_ = -1;
};

// Figures that are told apart in two models of drives that are the same, and "the layout".
std::vector<platter::model::Difference> told_apart(const platter::model::DriveModel& reference,
                                                   const platter::model::DriveModel& model);
// Whether the model lacks the figure and says why.
bool is_open(const platter::model::DriveModel& model, const std::string& path);

}  // namespace quirks
