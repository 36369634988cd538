#include "cli/numbers.h"

#include <cmath>
#include <limits>

#include "jobs/numbers.h"

namespace platter::cli {
namespace {

using jobs::Units;

const Units kSeconds = {{"", 1},   {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1},
                        {"m", 60}, {"min", 60},  {"h", 3600},  {"d", 86400}};
const Units kMilliseconds = {{"", 1}, {"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
const Units kShares = {{"", 1}, {"%", 0.01}};
const Units kKibibytes = {{"", 1},  {"B", 1.0 / 1024}, {"K", 1},     {"KiB", 1},
                          {"k", 1}, {"M", 1024},       {"MiB", 1024}};

// As the option can read it: a whole number without exponent and point.
std::string plain(double number) {
  if (number == std::floor(number)) return fmt::format("{:.0f}", number);
  return fmt::format("{}", number);
}

std::string said(const std::string& text) { return text.empty() ? "nothing" : text; }

std::string range(double least, double most, const char* unit) {
  if (most == std::numeric_limits<double>::infinity())
    return fmt::format("from {}{} on", least, unit);
  return fmt::format("from {} to {}{}", least, most, unit);
}

// `what`: "number", "time"; `unit`: " s"; `example`: how another is given.
CLI::Validator quantity(const char* what, const char* unit, const char* example, const Units& units,
                        double least, double most, const std::string& description) {
  const auto read = [=](std::string& text) -> std::string {
    const auto number = jobs::scaled(text, units);
    if (!number || !(*number >= least && *number <= most))
      return fmt::format("{} is no {} {}{}", said(text), what, range(least, most, unit), example);
    if (std::abs(*number) <= jobs::kExact) text = plain(*number);
    return {};
  };
  return CLI::Validator(read, description);
}

}  // namespace

CLI::Validator at_least(double least) {
  return quantity("number", "", "", jobs::kCounted, least, std::numeric_limits<double>::infinity(),
                  fmt::format(">= {}", least));
}

CLI::Validator between(double least, double most) {
  return quantity("number", "", "", jobs::kCounted, least, most,
                  fmt::format("{} to {}", least, most));
}

CLI::Validator whole_number() {
  const auto read = [](std::string& text) -> std::string {
    const auto number = jobs::whole_number(text);
    if (!number) return fmt::format("{} is no whole number from 0 to 2^64 - 1", said(text));
    text = std::to_string(*number);
    return {};
  };
  return CLI::Validator(read, "0 to 2^64 - 1");
}

CLI::Validator seconds(double least, double most) {
  return quantity("time", " s", "; write 90, 5m or 1.5h", kSeconds, least, most, "SECONDS");
}

CLI::Validator milliseconds(double least) {
  return quantity("time", " ms", "; write 20, 500us or 2s", kMilliseconds, least,
                  std::numeric_limits<double>::infinity(), "MS");
}

CLI::Validator share() {
  return quantity("share", "", "; write 0.67 or 67%", kShares, 0, 1, "SHARE");
}

CLI::Validator kibibytes(double least) {
  return quantity("size", " KiB", "; write 4, 4K, 1M or 512B", kKibibytes, least,
                  std::numeric_limits<double>::infinity(), "KIB");
}

}  // namespace platter::cli
