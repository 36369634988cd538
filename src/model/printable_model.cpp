#include "model/printable_model.h"

#include <optional>
#include <type_traits>
#include <vector>

#include "model/fields.h"
#include "model/printable.h"

namespace platter::model {
namespace {

struct Cleaner {
  void required(const char*, auto& member) { clean(member); }
  void usual(const char*, auto& member) { clean(member); }
  void compact(const char*, auto& member, const auto&) { clean(member); }
  void informative(const char*, const auto&) {}

 private:
  void clean(std::string& text) { text = printable(text); }
  void clean(Parameter& parameter) {
    clean(parameter.unit);
    clean(parameter.method);
    clean(parameter.reason);
  }
  template <class T>
  void clean(std::vector<T>& members) {
    for (auto& member : members) clean(member);
  }
  template <class T>
  void clean(std::optional<T>& member) {
    if (member) clean(*member);
  }
  void clean(auto& member) {
    if constexpr (std::is_class_v<std::remove_reference_t<decltype(member)>>)
      visit_fields(member, *this);
  }
};

}  // namespace

DriveModel printable_model(DriveModel model) {
  visit_fields(model, Cleaner());
  return model;
}

}  // namespace platter::model
