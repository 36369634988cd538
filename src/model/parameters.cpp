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

}  // namespace platter::model
