// The columns of a study's table, each in one place: its name with its unit, and where its value
// comes from. docs/studies.md tells what each means.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "study/points.h"

namespace platter::study {

// A point with its file (store.h), which is null where the point is missing.
struct Row {
  const Study& study;
  const Points& points;
  const Point& point;
  const nlohmann::json& stored;
};

struct Column {
  std::string name{};
  std::function<nlohmann::json(const Row& row)> value{};  // null: there is none
};

// In the table's order. The first one's name carries the name and version of the table, so that
// the first line says it, and is a header that every program reads.
const std::vector<Column>& columns();
bool has_column(const std::string& name);

}  // namespace platter::study
