// What is known of a figure: a figure is one of four. A measured value, an imported or a published
// one are alike here: somebody says that it is so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/drive_model.h"

namespace platter::model {

enum class Known : std::uint8_t {
  measured,  // it has a value
  guessed,   // a witness says what it may be; within the bounds, where there are some
  bounded,   // at least, at most, or between
  unknown
};

Known known(const Parameter& parameter);
std::string_view word_of(Known known);  // "bounded"

bool is_within_bounds(const Parameter& parameter, double value);

// Without a value, with what is known instead and the reason why it was not measured.
Parameter at_least(double bound, std::string reason, std::string unit = "");
Parameter at_most(double bound, std::string reason, std::string unit = "");
// Adds a guess behind those that are there, where the bounds allow it.
void add_guess(Parameter& parameter, Guess guess);

// "at least 4095 blocks", "24, probably (64 %, order of the bands by timing)", "from 3 to 8";
// empty: unknown, or measured.
std::string known_instead(const Parameter& parameter);

}  // namespace platter::model
