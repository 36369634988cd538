#include "engine/platter.h"

#include "model/error.h"

namespace platter::engine {

Platter::Platter(std::uint64_t numerator_ns, std::uint64_t denominator)
    : numerator_ns_(numerator_ns), denominator_(denominator) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;  // keeps the products within 128 bits
  if (denominator == 0 || numerator_ns > kMost || denominator > (std::uint64_t{1} << 40) ||
      numerator_ns / denominator < 100 * kMicrosecond || numerator_ns / denominator > 10 * kSecond)
    throw Error(ExitStatus::bad_input,
                "the model's rotation is no drive's; give a period between 100 us and 10 s");
  period_ns_ = static_cast<Nanoseconds>((numerator_ns + denominator / 2) / denominator);
}

}  // namespace platter::engine
