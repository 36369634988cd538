// One change to a model, as a command line says it: PATH=VALUE, PATH=xFACTOR or PATH=/FACTOR.
#pragma once

#include <cstdint>
#include <string>

namespace platter::model {

// A plain decimal number, exactly: mantissa / scale.
struct Decimal {
  std::int64_t mantissa = 0;
  std::uint64_t scale = 1;  // a power of ten

  double value() const { return static_cast<double>(mantissa) / static_cast<double>(scale); }
};

struct Change {
  enum class Kind : std::uint8_t { set, multiply, divide };
  std::string text{};  // as it was given
  std::string path{};  // in the model's JSON
  Kind kind = Kind::set;
  Decimal number{};
  std::string unit{};  // of a value, where one was written
};

// `*` stands for `x` as well. A number has at most 15 digits and no exponent, so that it is taken
// exactly; a unit follows its value (150us, 0.15 ms). Throws Error(usage).
Change parse_change(const std::string& text);

}  // namespace platter::model
