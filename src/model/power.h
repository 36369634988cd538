// The power conditions by name, the deeper ones behind.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "model/drive_model.h"

namespace platter::model {

struct PowerConditionName {
  std::string_view name;
  Parameter Power::*wake;
};
inline constexpr std::array<PowerConditionName, 5> kPowerConditions{{
    {"idle_a", &Power::idle_a},
    {"idle_b", &Power::idle_b},
    {"idle_c", &Power::idle_c},
    {"standby_y", &Power::standby_y},
    {"standby_z", &Power::standby_z},
}};

// kPowerConditions.size(): there is none of that name.
constexpr std::size_t power_condition(std::string_view name) {
  std::size_t index = 0;
  while (index < kPowerConditions.size() && kPowerConditions[index].name != name) ++index;
  return index;
}

// Something is known of it, or was looked for: the drive has the condition.
inline bool is_there(const Parameter& wake) {
  return wake.value || wake.at_least || wake.at_most || !wake.guesses.empty() ||
         !wake.reason.empty();
}

}  // namespace platter::model
