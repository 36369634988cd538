#include "table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "scsi/command_table.h"

namespace quirks {
namespace {

using platter::scsi::Command;

template <class T>
void take(Json& json, const char* name, T& into) {
  const auto found = json.find(name);
  if (found == json.end()) return;
  into = found->get<typename T::value_type>();
  json.erase(found);
}

std::uint64_t taken(Json& json, const char* name, std::uint64_t otherwise) {
  std::optional<std::uint64_t> value;
  take(json, name, value);
  return value.value_or(otherwise);
}

}  // namespace

Rule::Rule(Json json) {
  std::optional<std::string> pattern;
  take(json, "cdb", pattern);
  read_pattern(pattern.value_or(""));
  take(json, "lbn", lbn_);
  take(json, "stripe", stripe_);
  take(json, "longer_than", longer_than_);
  after_ = taken(json, "after", 1);
  every_ = std::max<std::uint64_t>(1, taken(json, "every", 1));
  take(json, "times", times_);
  effect_ = take_effect(json);
  if (!json.empty())
    throw std::invalid_argument(
        fmt::format("no rule has a \"{}\" (tests/quirks/table.h)", json.begin().key()));
}

void Rule::read_pattern(const std::string& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.size() != 2) throw std::invalid_argument("'" + word + "' is no byte of a CDB");
    std::string digits = word;
    std::ranges::replace(digits, '?', '0');
    const auto mask = (word[0] == '?' ? 0 : 0xF0) | (word[1] == '?' ? 0 : 0x0F);
    pattern_.push_back({static_cast<std::uint8_t>(mask), bytes_of(digits).front()});
  }
}

bool Rule::has_pattern(const Command& command) const {
  if (pattern_.size() > command.cdb_length) return false;
  for (std::size_t i = 0; i < pattern_.size(); ++i)
    if ((command.cdb[i] & pattern_[i].mask) != pattern_[i].value) return false;
  return true;
}

bool Rule::has_blocks(const Command& command) const {
  if (!lbn_ && !stripe_ && !longer_than_) return true;
  const auto blocks = platter::scsi::addressed_blocks(command);
  if (!blocks) return false;
  const std::uint64_t first = blocks->lbn;
  const std::uint64_t last = first + std::max<std::uint64_t>(1, blocks->blocks) - 1;
  if (lbn_ && (first > (*lbn_)[1] || last < (*lbn_)[0])) return false;
  if (longer_than_ && blocks->blocks <= *longer_than_) return false;
  if (!stripe_) return true;
  const auto& [begin, end, period, from, to] = *stripe_;
  const auto inside = [&](std::uint64_t lbn) {
    if (lbn < begin || lbn > end) return false;
    const std::uint64_t place = (lbn - begin) % period;
    return from <= place && place <= to;
  };
  return inside(first) || inside(last);
}

bool Rule::meets(const Command& command) {
  if (!has_pattern(command) || !has_blocks(command)) return false;
  ++seen_;
  return seen_ >= after_ && seen_ % every_ == 0 && (!times_ || seen_ < after_ + *times_);
}

Table::Table(const Json& json) {
  for (const auto& rule : json.at("replies")) rules_.emplace_back(rule);
  constexpr double kNsAUs = 1000;
  grid_ns_ = std::max<platter::Nanoseconds>(1, std::llround(json.value("grid_us", 0.0) * kNsAUs));
}

platter::Nanoseconds Table::seen_ns(platter::Nanoseconds completed_ns) const {
  return (completed_ns + grid_ns_ - 1) / grid_ns_ * grid_ns_;
}

std::optional<std::size_t> Table::rule_of(const Command& command) {
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (rules_[i].meets(command)) return i;
  return std::nullopt;
}

}  // namespace quirks
