// What the members of a model are that are no measured numbers, for its JSON Schema. Those have
// words of their own (explanations.h).
#pragma once

#include <optional>
#include <string_view>

namespace platter::report {

// By the path in the JSON, without numbers of elements: "identity.blocks", "node.count" of what the
// layout is made of, "seek.points" of every seek curve. Throws Error(internal) for a member that
// has none: give it some.
std::string_view member_words(std::string_view path);

struct Bounds {
  double low = 0, high = 0;  // infinite: as far as the type goes
  bool below_high = false;
};

// Of a number that src/model/validate.cpp holds within some beside those of its type.
std::optional<Bounds> bounds_of(std::string_view path);

}  // namespace platter::report
