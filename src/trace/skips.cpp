#include "trace/skips.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/number_in.h"

namespace platter::trace {
namespace {

constexpr std::size_t kPlaces = 16;  // of losses, that are told each
constexpr const char *kHere = "events", *kElsewhere = "events at later places";

// Letters as capitals, all else that is no digit divides words.
std::vector<std::string> words_of(std::string_view line) {
  constexpr std::size_t kMost = 64;
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (words.size() > kMost) break;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || (c >= '0' && c <= '9'))
      words.back() += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

}  // namespace

void Skips::lose(std::uint64_t count, const Place& place) {
  const bool kept = lost_.size() < kPlaces;
  if (kept || lost_.back().what != kElsewhere)
    lost_.push_back({kept ? kHere : kElsewhere, count, place, Skipped::Kind::lost});
  else
    lost_.back().count += count;
}

std::vector<Skipped> Skips::list() const {
  std::vector<Skipped> all = list_;
  all.insert(all.end(), lost_.begin(), lost_.end());
  return all;
}

std::string in_words(const std::vector<Skipped>& list) {
  std::string text;
  for (const Skipped& each : list)
    if (each.kind != Skipped::Kind::lost)
      text += fmt::format("{}{} {} (the first in {})", text.empty() ? "passed over " : ", ",
                          each.count, each.what, to_text(each.first));
  return text;
}

std::string in_words(const Skipped& lost) {
  const std::string count = lost.count > 0 ? fmt::format("{} {}", lost.count, lost.what)
                                           : lost.what;
  return fmt::format("the tracer says that it lost {}{}; requests are missing", count,
                     lost.what == kHere ? " here" : "");
}

std::optional<std::uint64_t> told_loss(std::string_view line) {
  const std::vector<std::string> words = words_of(line);
  const auto among = [&](auto... names) {
    return std::ranges::find_if(words,
                                [&](const std::string& word) { return ((word == names) || ...); });
  };
  const auto lost = among("LOST", "DROPPED");
  const auto what = among("EVENTS", "EVENT", "SAMPLES", "CHUNKS", "RECORD");
  if (lost == words.end() || what == words.end()) return std::nullopt;
  for (auto at = lost; at != words.end() && at < lost + 3; ++at)
    if (const auto number = model::number_in<std::uint64_t>(*at)) return number;
  if (what != words.begin())
    if (const auto number = model::number_in<std::uint64_t>(*(what - 1))) return number;
  for (auto at = words.begin(); at != lost; ++at)
    if (at == words.begin() || !(at - 1)->starts_with("CPU"))
      if (const auto number = model::number_in<std::uint64_t>(*at)) return number;
  return 0;
}

}  // namespace platter::trace
