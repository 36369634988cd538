#include "model/parameters.h"

#include <utility>

#include "model/fields.h"
#include "model/revolution.h"

namespace platter::model {
namespace {

struct Collector {
  std::string section;
  std::vector<NamedParameter>& list;

  void required(const char*, const auto&) {}
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
  return list;
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
}

}  // namespace platter::model
