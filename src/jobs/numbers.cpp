#include "jobs/numbers.h"

#include <cmath>
#include <cstdlib>

#include "model/number_in.h"

namespace platter::jobs {

std::optional<double> scaled(const std::string& text, const Units& units) {
  if (text.empty() || text.find_first_of("xX") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(number)) return std::nullopt;
  const auto unit = units.find(std::string_view(end));
  if (unit == units.end()) return std::nullopt;
  return number * unit->second;
}

std::optional<std::uint64_t> whole_number(const std::string& text) {
  if (const auto number = model::number_in<std::uint64_t>(text)) return number;
  const auto number = scaled(text, kCounted);
  if (!number || *number < 0 || *number > kExact || *number != std::floor(*number))
    return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

}  // namespace platter::jobs
