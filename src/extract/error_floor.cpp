#include "extract/error_floor.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "estimate/completion_grid.h"
#include "model/fields.h"

namespace platter::extract {
namespace {

struct Floor {
  Nanoseconds grid_ns;

  void required(const char*, auto& member) const { raise(member); }
  void usual(const char*, auto& member) const { raise(member); }
  void compact(const char*, auto& member, const auto&) const { raise(member); }
  void informative(const char*, const auto&) const {}

 private:
  void raise_to(std::optional<double>& error_ms, std::uint64_t samples) const {
    if (error_ms) error_ms = std::max(*error_ms, estimate::least_error_ms(grid_ns, samples));
  }
  void raise(model::Parameter& parameter) const {
    if (parameter && parameter.unit == "ms") raise_to(parameter.error, parameter.samples);
  }
  void raise(model::SeekPoint& point) const { raise_to(point.error_ms, point.samples); }
  template <class T>
  void raise(std::vector<T>& members) const {
    for (auto& member : members) raise(member);
  }
  template <class T>
  void raise(std::optional<T>& member) const {
    if (member) raise(*member);
  }
  void raise(auto& member) const {
    if constexpr (requires { model::visit_fields(member, *this); })
      model::visit_fields(member, *this);
  }
};

}  // namespace

void raise_errors_to_grid(model::DriveModel& model, Nanoseconds grid_ns) {
  model::visit_fields(model, Floor{grid_ns});
}

}  // namespace platter::extract
