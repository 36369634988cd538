#include "model/parameters.h"

#include <utility>

#include "model/fields.h"

namespace platter::model {
namespace {

struct Collector {
  std::string section;
  std::vector<NamedParameter>& list;

  void required(const char*, const auto&) {}
  void usual(const char*, const auto&) {}
  void usual(const char* name, const Parameter& p) { list.push_back({section + "." + name, p}); }
  void compact(const char*, const auto&, const auto&) {}
  void informative(const char*, const auto&) {}
};

struct Explainer {
  const std::string& reason;

  void explain(Parameter& p) const {
    if (!p.value && p.reason.empty()) p.reason = reason;
  }
  void required(const char*, auto&) const {}
  void usual(const char*, Parameter& p) const { explain(p); }
  void usual(const char*, auto&) const {}
  void compact(const char*, auto&, const auto&) const {}
  void informative(const char*, const auto&) const {}
};

struct Finder {
  std::string_view section, path;
  const Parameter*& found;

  void required(const char*, const auto&) {}
  void usual(const char*, const auto&) {}
  void usual(const char* name, const Parameter& p) {
    if (path.starts_with(section) && path.substr(section.size()) == name) found = &p;
  }
  void compact(const char*, const auto&, const auto&) {}
  void informative(const char*, const auto&) {}
};

Parameter period_of(const Rotation& rotation) {
  Parameter period = rotation.period;
  if (rotation.numerator_ns == 0) return period;
  period.unit = "ns";
  period.value = revolution_ns(rotation);
  return period;
}

}  // namespace

Parameter absent(std::string reason, std::string unit) {
  Parameter parameter;
  parameter.unit = std::move(unit);
  parameter.reason = std::move(reason);
  return parameter;
}

std::vector<NamedParameter> parameters_of(const DriveModel& model) {
  std::vector<NamedParameter> list;
  list.push_back({"rotation.period", period_of(model.rotation)});
  list.push_back({"head_switch", model.head_switch});
  list.push_back({"inward_seek_delta", model.inward_seek_delta});
  list.push_back({"write_settle", model.write_settle});
  visit_fields(model.cache, Collector{"cache", list});
  visit_fields(model.overheads, Collector{"overheads", list});
  visit_fields(model.bus, Collector{"bus", list});
  visit_fields(model.queue, Collector{"queue", list});
  if (model.arms) list.push_back({"arms.interference", model.arms->interference});
  if (model.power) visit_fields(*model.power, Collector{"power", list});
  if (model.shingling) visit_fields(*model.shingling, Collector{"shingling", list});
  return list;
}

const Parameter* find_parameter(const DriveModel& model, std::string_view path) {
  const Parameter* found = nullptr;
  visit_fields(model, Finder{"", path, found});
  visit_fields(model.cache, Finder{"cache.", path, found});
  visit_fields(model.overheads, Finder{"overheads.", path, found});
  visit_fields(model.bus, Finder{"bus.", path, found});
  visit_fields(model.queue, Finder{"queue.", path, found});
  if (model.arms && path == "arms.interference") found = &model.arms->interference;
  if (model.power) visit_fields(*model.power, Finder{"power.", path, found});
  if (model.shingling) visit_fields(*model.shingling, Finder{"shingling.", path, found});
  return found;
}

Parameter* find_parameter(DriveModel& model, std::string_view path) {
  return const_cast<Parameter*>(find_parameter(std::as_const(model), path));
}

void explain_missing(DriveModel& model, const std::string& reason) {
  const Explainer explainer{reason};
  if (model.layout.zones.empty() && model.layout.reason.empty()) model.layout.reason = reason;
  if (model.seek.points.empty() && model.seek.reason.empty()) model.seek.reason = reason;
  explainer.explain(model.head_switch);
  explainer.explain(model.write_settle);
  visit_fields(model.cache, explainer);
  visit_fields(model.overheads, explainer);
  visit_fields(model.bus, explainer);
  visit_fields(model.queue, explainer);
  if (model.arms) visit_fields(*model.arms, explainer);
  if (model.shingling) visit_fields(*model.shingling, explainer);
}

}  // namespace platter::model
