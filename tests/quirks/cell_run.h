// One cell of the matrix: the drive is inspected and characterized in a process of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

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
  CellRun(const Subject& subject, const Json& table);
  ~CellRun();
  CellRun(const CellRun&) = delete;
  CellRun& operator=(const CellRun&) = delete;
  Outcome outcome();

 private:
  int process_ = -1, from_ = -1;
};

// What is told apart in two models of drives that are the same; empty: nothing.
std::string difference(const platter::model::DriveModel& reference,
                       const platter::model::DriveModel& model);

}  // namespace quirks
