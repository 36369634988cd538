#include "trace/profile_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/json_head.h"
#include "model/pretty.h"

namespace platter::trace {
namespace {

using Json = nlohmann::ordered_json;

double value(Share share) {
  return static_cast<double>(share.part) / static_cast<double>(share.of);
}

const char* name_of(Gap gap) {
  switch (gap) {
    case Gap::constant:
      return "constant";
    case Gap::uniform:
      return "uniform";
    case Gap::exponential:
      return "exponential";
  }
  return "";
}

Json json_of(const Sizes& sizes) {
  const auto steps = static_cast<std::uint32_t>(sizes.weights.size() - 1);
  return {{"least_bytes", sizes.least_bytes},
          {"most_bytes", sizes.least_bytes + steps * sizes.step_bytes},
          {"step_bytes", sizes.step_bytes},
          {"weights", sizes.weights}};
}

Json json_of(const Nearby& nearby) {
  return {{"kind", "nearby"},
          {"sequential_share", value({nearby.sequential, nearby.of})},
          {"local_share", value({nearby.local, nearby.of})},
          {"local_blocks", nearby.local_blocks}};
}

Json json_of(const Streams& streams) {
  return {{"kind", "streams"},
          {"streams", streams.count},
          {"in_turn", streams.in_turn},
          {"run_requests", streams.run_requests == 0 ? Json() : Json(streams.run_requests)}};
}

Json json_of(const HotSpot& spot) {
  return {{"kind", "hot-spot"}, {"hot_share", value(spot.hot)}, {"hot_span", value(spot.span)}};
}

Json json_of(const OnTracks& tracks) { return {{"kind", "tracks"}, {"aligned", tracks.aligned}}; }

Json json_of(const Times& times) {
  Json json = {{"kind", times.kind == Kind::open ? "open" : "closed"},
               {"gap", name_of(times.gap)},
               {"mean_ms", to_ms(times.mean_ns)}};
  if (times.burst_requests > 0) json["burst_requests"] = times.burst_requests;
  if (times.burst_bytes > 0) json["burst_bytes"] = times.burst_bytes;
  if (times.idle_ns > 0) json["idle_ms"] = to_ms(times.idle_ns);
  return json;
}

}  // namespace

std::string list_text(std::span<const Profile> profiles) {
  std::size_t width = 0;
  for (const Profile& profile : profiles) width = std::max(width, profile.name.size());
  std::string text;
  const std::string* source = nullptr;
  for (const Profile& profile : profiles) {
    if (!source || *source != profile.source)
      text += fmt::format("{}{}\n", source ? "\n" : "", profile.source);
    source = &profile.source;
    text += fmt::format("  {:<{}}  {:<6}  {}\n", profile.name, width,
                        profile.times.kind == Kind::open ? "open" : "closed", profile.about);
  }
  return text;
}

std::string list_json(std::span<const Profile> profiles) {
  Json json = model::json_head("platter-trace-workloads");
  json["workloads"] = Json::array();
  for (const Profile& profile : profiles)
    json["workloads"].push_back(
        {{"name", profile.name},
         {"about", profile.about},
         {"source", profile.source},
         {"requests", profile.requests},
         {"read_share", 1 - value(profile.writes)},
         {"sizes",
          std::holds_alternative<OnTracks>(profile.place) ? Json() : json_of(profile.sizes)},
         {"place", std::visit([](const auto& place) { return json_of(place); }, profile.place)},
         {"times", json_of(profile.times)}});
  return model::pretty(json);
}

}  // namespace platter::trace
