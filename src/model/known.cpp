#include "model/known.h"

#include <fmt/format.h>

#include <utility>

#include "model/parameters.h"

namespace platter::model {
namespace {

std::string with_unit(double value, const std::string& unit) {
  return unit.empty() ? fmt::format("{:.10g}", value) : fmt::format("{:.10g} {}", value, unit);
}

std::string bounds_in_words(const Parameter& p) {
  if (p.at_least && p.at_most)
    return fmt::format("from {:.10g} to {}", *p.at_least, with_unit(*p.at_most, p.unit));
  if (p.at_least) return fmt::format("at least {}", with_unit(*p.at_least, p.unit));
  if (p.at_most) return fmt::format("at most {}", with_unit(*p.at_most, p.unit));
  return "";
}

std::string in_words(const Guess& guess, const std::string& unit) {
  const std::string likely = guess.probability
                                 ? fmt::format("{:.0f} % likely, ", 100 * *guess.probability)
                                 : std::string();
  return fmt::format("{} ({}{})", with_unit(guess.value, unit), likely, guess.witness);
}

}  // namespace

Known known(const Parameter& parameter) {
  if (parameter) return Known::measured;
  if (!parameter.guesses.empty()) return Known::guessed;
  return parameter.at_least || parameter.at_most ? Known::bounded : Known::unknown;
}

std::string_view word_of(Known known) {
  switch (known) {
    case Known::measured:
      return "measured";
    case Known::guessed:
      return "guessed";
    case Known::bounded:
      return "bounded";
    case Known::unknown:
      return "unknown";
  }
  return "";
}

bool is_within_bounds(const Parameter& parameter, double value) {
  return (!parameter.at_least || value >= *parameter.at_least) &&
         (!parameter.at_most || value <= *parameter.at_most);
}

Parameter at_least(double bound, std::string reason, std::string unit) {
  Parameter parameter = absent(std::move(reason), std::move(unit));
  parameter.at_least = bound;
  return parameter;
}

Parameter at_most(double bound, std::string reason, std::string unit) {
  Parameter parameter = absent(std::move(reason), std::move(unit));
  parameter.at_most = bound;
  return parameter;
}

void add_guess(Parameter& parameter, Guess guess) {
  if (!parameter && is_within_bounds(parameter, guess.value))
    parameter.guesses.push_back(std::move(guess));
}

std::string known_instead(const Parameter& parameter) {
  if (parameter) return "";
  std::string text;
  for (const Guess& guess : parameter.guesses)
    text += (text.empty() ? "probably " : ", or ") + in_words(guess, parameter.unit);
  const std::string bounds = bounds_in_words(parameter);
  if (bounds.empty()) return text;
  return text.empty() ? bounds : text + ", " + bounds;
}

}  // namespace platter::model
