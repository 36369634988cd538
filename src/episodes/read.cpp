#include "episodes/read.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "episodes/sha256.h"
#include "model/formats.h"
#include "model/json_members.h"
#include "model/json_text.h"
#include "model/strict_json.h"

namespace platter::episodes {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "platter-episodes";
constexpr double kMostSeconds = 1e8, kMostMs = 1e9, kMostFactor = 1e6;
constexpr std::uint64_t kMostWhole = std::uint64_t{1} << 53;  // what every reader of JSON keeps

template <typename Words>
std::string listed(const Words& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// What stands in the file.
class Members : public model::JsonMembers<Json> {
 public:
  Members(const Json& object, std::string where)
      : JsonMembers(object, std::move(where),
                    "docs/emulators.md, \"A disk that misbehaves on time\"") {}

  double number(const char* name, double least, double most) {
    const Json& value = at(name);
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (!(number >= least && number <= most))
      wrong(name, value, fmt::format("no number from {} to {}", least, most));
    return number;
  }
  std::uint64_t whole(const char* name, const Json& value, std::uint64_t least) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least ||
        value.get<std::uint64_t>() > kMostWhole)
      wrong(name, value, fmt::format("no whole number from {} to {}", least, kMostWhole));
    return value.get<std::uint64_t>();
  }
  std::uint64_t whole(const char* name, std::uint64_t least) {
    return whole(name, at(name), least);
  }
  // [first, last]
  std::pair<std::uint64_t, std::uint64_t> range(const char* name, std::uint64_t least) {
    const Json& value = at(name);
    if (!value.is_array() || value.size() != 2) wrong(name, value, "no list of a first and a last");
    const std::pair found{whole(name, value[0], least), whole(name, value[1], least)};
    if (found.first > found.second) wrong(name, value, "a first behind its last");
    return found;
  }
  // Which of these words.
  template <typename Words>
  std::size_t word(const char* name, const Words& words) {
    const Json& value = at(name);
    for (std::size_t i = 0; i < words.size(); ++i)
      if (value == words[i]) return i;
    wrong(name, value, "none of " + listed(words));
  }
  void done() const {
    if (const auto name = unasked())
      fail(fmt::format("has a member {} that is not known there", model::json_text(Json(*name))));
  }
  [[noreturn]] void wrong(const char* name, const Json& value, const std::string& what) const {
    fail(fmt::format("has the \"{}\" {}, which is {}", name, shortened(value), what));
  }

 private:
  static std::string shortened(const Json& value) {
    constexpr std::size_t kMost = 60;
    std::string text = value.is_structured() ? std::string(value.type_name())
                                             : model::json_text(value, model::JsonForm::ascii);
    return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
  }
};

Nanoseconds seconds(Members& members, const char* name, double least_ns) {
  const double ns = members.number(name, least_ns / 1e9, kMostSeconds) * 1e9;
  return std::llround(ns);
}

void read_when(Members& members, Episode& episode) {
  if (members.has("from_s")) episode.from_ns = seconds(members, "from_s", 0);
  if (members.has("for_s")) episode.for_ns = seconds(members, "for_s", 1);
  if (members.has("every_s")) {
    episode.every_ns = seconds(members, "every_s", 1);
    if (!episode.for_ns || *episode.for_ns > *episode.every_ns)
      members.fail("has an \"every_s\" and no \"for_s\" that is as long at most");
  }
  if (!episode.for_ns && episode.what == What::stall)
    members.fail("is a stall without \"for_s\", which would have no end");
  if (members.has("requests"))
    std::tie(episode.first_request, episode.last_request) = members.range("requests", 1);
  if (members.has("every_nth")) episode.every_nth = members.whole("every_nth", 1);
  if (members.has("lbns")) {
    const auto [first, last] = members.range("lbns", 0);
    episode.lbns = {first, last};
  }
  if (members.has("of")) {
    constexpr std::array<const char*, 4> kOf = {"read", "write", "flush", "any"};  // as Kind
    const std::size_t of = members.word("of", kOf);
    if (of + 1 < kOf.size()) episode.of = static_cast<Kind>(of);
    if (episode.of == Kind::flush && episode.lbns)
      members.fail("is of flushes, which have no \"lbns\"");
  }
  if (members.has("probability")) episode.probability = members.number("probability", 0, 1);
}

Delay delay_in(Members& members) {
  constexpr double kNsOfMs = 1e6;
  const Json& json = members.at("delay_ms");
  if (json.is_number()) return {.low = members.number("delay_ms", 0, kMostMs) * kNsOfMs};
  Members delay(json, members.where() + ": \"delay_ms\"");
  constexpr std::array<const char*, 2> kDistributions = {"uniform", "exponential"};
  Delay found;
  if (delay.word("distribution", kDistributions) == 0) {
    found.distribution = Delay::Distribution::uniform;
    found.low = delay.number("from", 0, kMostMs) * kNsOfMs;
    found.high = delay.number("to", 0, kMostMs) * kNsOfMs;
    if (found.low > found.high) delay.fail("has a \"from\" above its \"to\"");
  } else {
    found.distribution = Delay::Distribution::exponential;
    found.low = delay.number("mean", 0, kMostMs) * kNsOfMs;
  }
  delay.done();
  return found;
}

Episode episode_in(const Json& json, const std::string& where) {
  Members members(json, where);
  Episode episode;
  episode.what = static_cast<What>(members.word("what", kWhatWords));
  read_when(members, episode);
  if (episode.what == What::throttle) episode.factor = members.number("factor", 1, kMostFactor);
  if (episode.what == What::slow) episode.delay = delay_in(members);
  members.done();
  return episode;
}

// What is not understood of a newer one is not passed over: the drive would behave.
void require_known_version(const Json& json, Members& members) {
  members.has("schema");
  const model::FormatVersion own = model::version_of(kSchema);
  const auto version = model::version_in(json, kSchema);
  if (!version || version->major != own.major)
    members.fail(fmt::format(R"(is no file of episodes: it needs "schema": {{"name": "{}", )"
                             R"("version": "{}"}})",
                             kSchema, model::text_of(own)));
  if (*version > own)
    members.fail(fmt::format("is of version {}, newer than this platter's {}",
                             model::text_of(*version), model::text_of(own)));
}

}  // namespace

Schedule read_schedule(std::string_view text, const std::string& origin) {
  constexpr std::size_t kValues = 20;  // of an episode, with room
  model::JsonLimits limits;
  limits.depth = 8;
  limits.values = kValues * (kMostEpisodes + 2);
  limits.needed = "; a file of episodes is needed";
  const Json json = model::parse_strictly<Json>(text, origin, limits);
  Members members(json, origin + ":");
  require_known_version(json, members);
  Schedule schedule;
  schedule.sha256 = sha256_of(text);
  if (members.has("seed")) schedule.seed = members.whole("seed", 0);
  const Json& episodes = members.at("episodes");
  if (!episodes.is_array()) members.fail("has \"episodes\" that are no list");
  if (episodes.size() > kMostEpisodes)
    members.fail(
        fmt::format("has {} episodes, and {} are the most", episodes.size(), kMostEpisodes));
  for (const Json& one : episodes)
    schedule.episodes.push_back(
        episode_in(one, fmt::format("{}: episode {}", origin, schedule.episodes.size() + 1)));
  members.done();
  return schedule;
}

}  // namespace platter::episodes
