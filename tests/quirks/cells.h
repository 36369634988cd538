// The matrix: each optional command, answered in each way in which drives say that they lack it.
#pragma once

#include <string>
#include <vector>

#include "table.h"

namespace quirks {

// A command, or one page of it.
struct Row {
  std::string name;
  std::vector<std::string> patterns;  // of CDBs, as in a table
  bool has_data = false;              // from the drive
};

struct Answer {
  std::string name;
  Json effect;               // of a command with data
  Json effect_without_data;  // null: has no such answer
};

// All opcodes of the command table but those without which there is no disk drive.
std::vector<Row> rows();
// The first is the plain one, of a drive that lacks the command: 5/20/00.
const std::vector<Answer>& answers();

// The table of one cell; nullopt: the row has no such answer.
std::optional<Json> table_of(const Row& row, const Answer& answer);

}  // namespace quirks
