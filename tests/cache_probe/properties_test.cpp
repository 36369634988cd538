// Each field of model::Cache has one owner, and estimates keep to what they own.
#include "cache_probe/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "cache_probe/probed_record.h"
#include "catch.h"
#include "model/fields.h"
#include "model/file.h"
#include "source_folder.h"
#include "virtual_drive/open.h"

using namespace platter;
using namespace platter::cache_probe;

namespace {

struct Lister {
  std::map<std::string, model::Parameter*>& all;
  void usual(const char* name, model::Parameter& p) { all[name] = &p; }
  void usual(const char*, auto&) {}
  void required(const char*, auto&) {}
  void compact(const char*, auto&, const auto&) {}
  void informative(const char*, auto&) {}
};

std::map<std::string, model::Parameter*> fields_of(model::Cache& cache) {
  std::map<std::string, model::Parameter*> all;
  model::visit_fields(cache, Lister{all});
  return all;
}

std::string name_of(model::Parameter model::Cache::*field) {
  model::Cache cache;
  for (const auto& [name, parameter] : fields_of(cache))
    if (parameter == &(cache.*field)) return name;
  return "";
}

std::string joined(const auto& texts, const char* quote = "") {
  std::string all;
  for (const auto& text : texts)
    all += fmt::format("{}{}{}{}", all.empty() ? "" : ", ", quote, text, quote);
  return all;
}

}  // namespace

TEST_CASE("properties: every field of the cache has one owner") {
  model::Cache cache;
  std::map<std::string, int> owners;
  for (const auto& [name, parameter] : fields_of(cache)) owners[name] = 0;
  REQUIRE(owners.size() > 30);
  for (const Property& property : properties())
    for (const auto field : property.owns) ++owners[name_of(field)];
  owners["unexplained_share"] += 1;  // cache_check's
  for (const auto& [name, count] : owners) {
    INFO(name);
    CHECK(count == 1);
  }
}

TEST_CASE("properties: an estimate writes what it owns, all of that, and nothing else") {
  std::vector<Record> records(1);
  records[0].setting.period_ns = 6e6;  // nothing was asked
  for (const char* name : {"cache-base", "cache-adaptive", "quantum-atlas10k", "hp-c2247"}) {
    const std::string drive = fmt::format("virtual:{}", name);
    records.push_back(testing::record_of(virtual_drive::virtual_model(drive), drive));
    records.push_back(records.back());
    records.back().setting.writes_allowed = false;
  }
  for (const Record& record : records) {
    Estimate so_far;  // what the properties before found
    for (const Property& property : properties()) {
      if (!property.estimate) {
        CHECK(property.owns.empty());
        continue;
      }
      INFO(property.name);
      Estimate marked = so_far;
      for (const auto& [name, parameter] : fields_of(marked.cache))
        parameter->samples = 987'654'321;
      Estimator estimator(record, marked);
      property.estimate(estimator);
      std::set<std::string> owned;
      for (const auto field : property.owns) owned.insert(name_of(field));
      for (const auto& [name, parameter] : fields_of(marked.cache)) {
        INFO(name);
        CHECK((parameter->samples != 987'654'321) == owned.contains(name));
        if (owned.contains(name)) CHECK((parameter->value || !parameter->reason.empty()));
      }
      Estimator plain(record, so_far);
      property.estimate(plain);
    }
  }
}

TEST_CASE("properties: each comes after those that it needs") {
  std::set<std::string> before;
  for (const Property& property : properties()) {
    for (const char* need : property.needs) {
      INFO(property.name << " needs " << need);
      CHECK(before.contains(need));
    }
    CHECK(before.insert(property.name).second);
  }
}

TEST_CASE("properties: the table of docs/methods/cache.md is this one") {
  const std::string page = model::read_file(source_folder() + "/docs/methods/cache.md");
  std::size_t rows = 0;
  for (const Property& property : properties()) {
    std::vector<std::string> names;
    for (const auto field : property.owns) names.push_back(name_of(field));
    const std::string row = fmt::format("\n| {} | {} | {} | {} |\n", property.name, property.says,
                                        joined(names, "`"), joined(property.needs));
    INFO("docs/methods/cache.md has no row" << row);
    CHECK(page.find(row) != std::string::npos);
    ++rows;
  }
  CHECK(rows == properties().size());
}
