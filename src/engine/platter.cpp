#include "engine/platter.h"

#include "model/error.h"

namespace platter::engine {

bool Platter::possible(std::uint64_t numerator_ns, std::uint64_t denominator) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;  // keeps the products within 128 bits
  return denominator != 0 && numerator_ns <= kMost && denominator <= (std::uint64_t{1} << 40) &&
         numerator_ns / denominator >= 100 * kMicrosecond &&
         numerator_ns / denominator <= 10 * kSecond;
}

Platter::Platter(std::uint64_t numerator_ns, std::uint64_t denominator)
    : numerator_ns_(numerator_ns), denominator_(denominator) {
  if (!possible(numerator_ns, denominator))
    throw Error(ExitStatus::bad_input,
                "the model's rotation is no drive's; give a period between 100 us and 10 s");
  period_ns_ = static_cast<Nanoseconds>((numerator_ns + denominator / 2) / denominator);
  Uint128 rest = denominator;
  for (std::uint64_t& limb : turns_) {
    limb = static_cast<std::uint64_t>((rest << 64) / numerator_ns);
    rest = (rest << 64) % numerator_ns;
  }
  whole_ns_ = numerator_ns / denominator;
  part_ns_ = static_cast<std::uint64_t>((Uint128{numerator_ns % denominator} << 64) / denominator);
}

Angle Platter::exact_turned(std::uint64_t ns) const {
  const Uint128 turned = Uint128{ns} * denominator_ % numerator_ns_;
  return static_cast<Angle>((turned << 64) / numerator_ns_);
}

Nanoseconds Platter::exact_turn_ns(Angle angle) const {
  const Uint128 scaled = (Uint128{angle} * numerator_ns_) / denominator_;
  return static_cast<Nanoseconds>((scaled + (Uint128{1} << 63)) >> 64);
}

}  // namespace platter::engine
