#include "trace/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/json_text.h"
#include "model/nearest.h"

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

constexpr std::uint32_t kKiB = 1024;

Sizes fixed_kib(std::uint32_t kib) { return {kib * kKiB, 0, {1}}; }

Times saturating() { return {.kind = Kind::closed, .gap = Gap::constant}; }

// Schindler & Ganger 1999, section 6.2: 2 to 12 KB with a mean of 8 KB. The paper does not name the
// distribution: these are the linear weights with that mean.
Sizes schindler_sizes() { return {2 * kKiB, 2 * kKiB, {10, 13, 16, 19, 22, 25}}; }

Profile schindler(const char* name, const char* about, Nearby place) {
  return {.name = name,
          .about = about,
          .source = "Schindler & Ganger 1999, section 6.2",
          .writes = {1, 3},
          .sizes = schindler_sizes(),
          .place = place,
          .times = {.kind = Kind::open, .gap = Gap::uniform, .mean_ns = 36 * kMillisecond},
          .requests = 5000};
}

// Wu 2016, section 4.6: three attributes and what each value of them means; 3 minutes of each.
// Table 4.2: the requests a second that the paper measured, in the order of the loops below.
constexpr std::array<double, 18> kWuRates_hz = {172.75, 140.74, 155.06, 171.51, 142.76, 156.09,
                                                170.45, 140.15, 153.99, 243.19, 186.37, 211.22,
                                                195.20, 160.27, 176.60, 210.87, 169.69, 188.50};
constexpr double kWuSeconds = 180;

struct WuAccess {
  const char *name, *about;
  Nearby place;
};
struct WuDirection {
  const char *name, *about;
  Share writes;
};
struct WuSize {
  const char *name, *about;
  Sizes sizes;
};

void add_wu(std::vector<Profile>& catalogue) {
  const std::array<WuAccess, 2> accesses = {{{"random", "uniform over the drive", {}},
                                             {"mixed", "80 % random, 20 % sequential", {1, 0, 5}}}};
  const std::array<WuDirection, 3> directions = {
      {{"read", "reads", {0, 1}},
       {"write", "writes", {1, 1}},
       {"read-write", "50 % reads, 50 % writes", {1, 2}}}};
  const std::array<WuSize, 3> sizes = {{{"small", "4 KB", fixed_kib(4)},
                                        {"large", "128 KB", fixed_kib(128)},
                                        {"uniform",
                                         "4 to 128 KB in steps of 4 KB",
                                         {4 * kKiB, 4 * kKiB, std::vector<std::uint32_t>(32, 1)}}}};
  const double* rate_hz = kWuRates_hz.data();
  for (const WuAccess& access : accesses)
    for (const WuDirection& direction : directions)
      for (const WuSize& size : sizes)
        catalogue.push_back(
            {.name = fmt::format("{}/{}/{}", access.name, direction.name, size.name),
             .about = fmt::format("{} of {}, {}", direction.about, size.about, access.about),
             .source = "Wu 2016, section 4.6",
             .writes = direction.writes,
             .sizes = size.sizes,
             .place = access.place,
             .times = saturating(),
             .requests = static_cast<std::uint64_t>(std::llround(*rate_hz++ * kWuSeconds))});
}

void add_ours(std::vector<Profile>& catalogue) {
  catalogue.push_back({.name = "sequential",
                       .about = "reads of 64 KB, each from where the one before ended",
                       .source = "platter",
                       .sizes = fixed_kib(64),
                       .place = Streams{},
                       .times = saturating()});
  catalogue.push_back({.name = "streams",
                       .about = "four sequential streams of 64 KB reads, one request each in turn",
                       .source = "platter",
                       .sizes = fixed_kib(64),
                       .place = Streams{.count = 4},
                       .times = saturating()});
  catalogue.push_back({.name = "local",
                       .about = "4 KB, 2/3 reads, nine of ten within 500 blocks of the one before",
                       .source = "platter",
                       .writes = {1, 3},
                       .sizes = fixed_kib(4),
                       .place = Nearby{.local = 9, .of = 10},
                       .times = saturating()});
  catalogue.push_back({.name = "hot-spot",
                       .about = "4 KB, 2/3 reads, 80 % of them to the middle 20 % of the drive",
                       .source = "platter",
                       .writes = {1, 3},
                       .sizes = fixed_kib(4),
                       .place = HotSpot{},
                       .times = saturating()});
  catalogue.push_back({.name = "tracks",
                       .about = "reads of whole tracks, uniform over the drive; needs its model",
                       .source = "platter",
                       .place = OnTracks{},
                       .times = saturating()});
  catalogue.push_back({.name = "across-tracks",
                       .about = "reads as long as those of tracks, begun anywhere in the track",
                       .source = "platter",
                       .place = OnTracks{.aligned = false},
                       .times = saturating()});
  catalogue.push_back(
      {.name = "write-burst",
       .about = "64 writes of 8 KB at once, uniform over the drive, then 1 s idle",
       .source = "platter",
       .writes = {1, 1},
       .sizes = fixed_kib(8),
       .place = Nearby{},
       .times = {
           .kind = Kind::open, .gap = Gap::constant, .burst_requests = 64, .idle_ns = kSecond}});
}

std::vector<Profile> made_catalogue() {
  std::vector<Profile> catalogue;
  catalogue.push_back(schindler(
      "random", "2 to 12 KB, 2/3 reads, uniform over the drive: all but the cache", Nearby{}));
  catalogue.push_back(
      schindler("mixed", "2 to 12 KB, 2/3 reads, 20 % sequential, 30 % within 500 LBNs: the cache",
                Nearby{.sequential = 2, .local = 3, .of = 10}));
  add_wu(catalogue);
  add_ours(catalogue);
  return catalogue;
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

std::span<const Profile> profiles() {
  static const std::vector<Profile> catalogue = made_catalogue();
  return catalogue;
}

const Profile& profile(std::string_view name) {
  std::string wanted(name);
  std::erase(wanted, ' ');
  const auto found = std::ranges::find(profiles(), wanted, &Profile::name);
  if (found != profiles().end()) return *found;
  std::vector<std::string> names;
  for (const Profile& one : profiles()) names.push_back(one.name);
  throw Error(ExitStatus::usage,
              fmt::format("there is no workload \"{}\"; {}platter trace generate --list names them",
                          name, model::did_you_mean(wanted, names)));
}

}  // namespace platter::trace
