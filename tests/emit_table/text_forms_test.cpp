#include "emit/table/text_forms.h"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "../engine/small_drive.h"
#include "catch.h"
#include "emit/table/fields.h"
#include "emit/table/table.h"
#include "model/error.h"
#include "model/file.h"
#include "source_folder.h"

using namespace platter;
using emit_table::Field;

namespace {

std::string table_bytes() {
  model::DriveModel drive = engine::testing::small_drive();
  drive.identity.name = "seven, \"small\"";
  drive.validity.demerits = {{"random", 5000, 12.5, 0.25, 1.0 / 3, 0.99}};
  return emit_table::compile_table(drive);
}

// Of the tables that have numbers and texts alone: "Motion head_switch_ns".
std::set<std::string> fields_in_schema() {
  std::istringstream schema(model::read_file(source_folder() + "/emit/table/table.fbs"));
  const std::set<std::string> plain = {"Motion", "Overheads", "Bus",      "Cache",
                                       "Queue",  "Validity",  "Identity", "Provenance"};
  std::set<std::string> fields;
  std::string line, table;
  std::smatch found;
  while (std::getline(schema, line)) {
    if (std::regex_search(line, found, std::regex("^(table|struct|enum) (\\w+)"))) table = found[2];
    if (plain.contains(table) && std::regex_search(line, found, std::regex("^  (\\w+):")))
      fields.insert(table + " " + found[1].str());
  }
  return fields;
}

}  // namespace

TEST_CASE("every field of the schema is told, also at its default", "[text]") {
  const std::string bytes = table_bytes();
  const std::set<std::string> in_schema = fields_in_schema();
  REQUIRE(in_schema.size() > 90);
  std::set<std::string> told;
  for (const Field& field : emit_table::fields_of(std::as_bytes(std::span(bytes)))) {
    if (field.section.empty()) continue;
    std::string section = field.section;
    section[0] = static_cast<char>(std::toupper(section[0]));
    told.insert(section + " " + field.name);
  }
  for (const std::string& field : in_schema) CHECK(told.count(field) == 1);
}

TEST_CASE("rows say index, value and unit, and quote what has commas", "[text]") {
  const std::string bytes = table_bytes();
  const std::string csv = emit_table::as_csv(std::as_bytes(std::span(bytes)));
  CHECK(csv.starts_with("section,index,field,value,unit\ndrive,,format,7,\n"));
  CHECK(csv.find("\nidentity,,name,\"seven, \"\"small\"\"\",\n") != std::string::npos);
  CHECK(csv.find("\ncache,,read_ahead,none,\n") != std::string::npos);
  CHECK(csv.find("\ndemerits,0,demerit_percent,0.3333333333333333,%\n") != std::string::npos);
  const auto table = emit_table::read_table(std::as_bytes(std::span(bytes)), "t");
  const auto motion = table.tables->motion;
  CHECK(csv.find("\nmotion,,head_switch_ns," + std::to_string(motion.head_switch_ns) + ",ns\n") !=
        std::string::npos);
  CHECK(csv.find("\nseek,1,times_ns,") != std::string::npos);
  CHECK(std::ranges::count(csv, '\n') > 150);
}

TEST_CASE("text forms are made of tables alone", "[text]") {
  std::string bytes = table_bytes();
  bytes.resize(bytes.size() / 2);
  CHECK_THROWS_AS(emit_table::as_csv(std::as_bytes(std::span(bytes))), Error);
  CHECK_THROWS_AS(emit_table::as_c_header(std::as_bytes(std::span(bytes))), Error);
  CHECK(emit_table::begins_text_form("section,index,field,value,unit\n"));
  CHECK_FALSE(emit_table::begins_text_form("section,index\n"));
  CHECK_FALSE(emit_table::begins_text_form("/* A drive's table */"));
}
