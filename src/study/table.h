// A study's table, made of the points that are there: the same bytes, whoever computed them and in
// whatever order.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "study/columns.h"
#include "study/store.h"

namespace platter::study {

struct Table {
  std::vector<std::vector<nlohmann::json>> rows{};  // as columns(), of the points that are there
  std::vector<std::size_t> missing{};               // points that are not
  std::uint64_t failed = 0;
};

Table table_of(const Study& study, const Points& points, const Store& store);

// CSV (RFC 4180, lines end in a line feed), the columns' names in the first line, a value that
// there is not left empty.
std::string csv_of(const Table& table);
// Whether a file that begins so is such a CSV, of whatever version.
bool begins_table(std::string_view beginning);
// A JSON object a line: the schema, then each column by its name.
std::string json_lines_of(const Table& table);

// How many rows of such lines are of no point of this study, by the names and options in them:
// another study's, or this one's before it was changed.
std::uint64_t rows_of_others(const std::string& json_lines, const Study& study,
                             const Points& points);

}  // namespace platter::study
