// Between what the numbers of a model lie, and which words some of its texts may be, by their paths
// in the JSON. The validity check refuses what is not so, and the model's JSON Schema tells of it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace platter::model {

struct Limits {
  double low = 0, high = 0;
  bool whole = false;
};

// Of a measured number: "cache.segments". Throws Error(internal) for a path that is none.
Limits limits_of_parameter(std::string_view path);

// Of an imperfection of a virtual drive, by its name; none: it may be any that its type holds.
std::optional<Limits> limits_of_imperfection(std::string_view name);

// Of a text that may be one of these only, or a list of them: "firmware.sector_numbers".
// Empty: it may be any.
std::span<const std::string_view> choices_of(std::string_view path);

}  // namespace platter::model
