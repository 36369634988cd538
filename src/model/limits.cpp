#include "model/limits.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "model/drive_model.h"
#include "model/error.h"
#include "model/validate.h"
#include "model/zones.h"

namespace platter::model {
namespace {

constexpr double kLongest_ms = 1e6;
constexpr double kLargestNumber = 4294967295.0;  // blocks, queue entries: 32 bits in the engine
constexpr double kSlowestBlock_ms = 100;         // on the bus; engine::bus_defect
constexpr double kMostSegments = 16384;          // engine::kMaxSegments
constexpr double kMostStreams = 16;              // engine::kMostStreams
constexpr double kFarthest_rev = 1e6;
constexpr double kLongest_s = 1e9, kLongest_us = 1e9;

constexpr Limits kTime{-kLongest_ms, kLongest_ms};  // in ms

double highest_policy(std::string_view name) {
  if (name == "read_ahead") return static_cast<double>(ReadAhead::to_next_track_if_sequential);
  if (name == "replacement") return static_cast<double>(Replacement::random);
  if (name == "destage_order") return static_cast<double>(DestageOrder::by_lbn);
  // DiskSim's levels
  for (const char* level :
       {"read_enabled", "write_back_level", "zero_latency_read", "zero_latency_write"})
    if (name == level) return 2;
  return 1;
}

Limits limits_in_cache(std::string_view name) {
  if (name == "segments" || name == "write_segments" || name == "adaptive_min_segments")
    return {0, kMostSegments, true};
  if (name == "read_ahead_streams") return {0, kMostStreams, true};
  if (name == "adaptive_window_requests") return {kLeastWindowRequests, kMostWindowRequests, true};
  if (name == "destage_idle" || name == "synchronize") return {0, kLongest_ms};
  if (name == "unexplained_share") return {0, 1};
  if (name.ends_with("_blocks") && name != "read_free_blocks") return {0, kLargestNumber, true};
  return {name == "read_ahead_over_requested" ? -1.0 : 0.0, highest_policy(name), true};
}

Limits limits_of_shingling(std::string_view name) {
  if (name == "cleans_when_idle") return {0, 1, true};
  if (name == "idle_threshold" || name == "band_cleaning") return {0, kLongest_ms};
  return {name == "map_entries" ? 0.0 : 1.0, kLargestNumber, true};
}

Limits limits_on_bus(std::string_view name) {
  if (name == "watermark_by_request_size") return {0, kLargestNumber};
  const bool of_block = name == "block_transfer" || name == "write_block_transfer";
  return {-kLongest_ms, of_block ? kSlowestBlock_ms : kLongest_ms};
}

struct Imperfection {
  std::string_view name;
  double high;
};
constexpr auto kImperfections = std::to_array<Imperfection>({
    {"positioning_sigma_us", kLongest_us},
    {"slow_access_share", 1},
    {"slow_access_mean_ms", kLongest_ms},
    {"host_delay_median_us", kLongest_us},
    {"host_delay_p99_us", kLongest_us},
    {"host_stall_share", 1},
    {"host_stall_mean_us", kLongest_us},
    {"wobble_ppm", 1e5},
    {"wobble_period_s", kLongest_s},
    {"recalibration_period_s", kLongest_s},
    {"recalibration_ms", kLongest_ms},
    {"slow_after_idle_s", kLongest_s},
    {"slow_after_idle_ms", kLongest_ms},
    {"background_scan_idle_ms", 65535},
    {"background_scan_step_ms", kLongest_ms},
    {"idle_condition_s", 1e8},
    {"idle_condition_ms", kLongest_ms},
    {"retry_share", 1},
    {"busy_share", 1},
    {"unit_attention_share", 1},
    {"adaptive_cache_min_segments", kMostSegments},
    {"warm_up_ppm", 1e5},
    {"warm_up_s", kLongest_s},
    {"host_sleep_every_s", kLongest_s},
    {"host_sleep_s", kLongest_s},
    {"clock_step_every_s", kLongest_s},
    {"clock_step_ms", kLongest_ms},
    {"host_stop_every_s", kLongest_s},
    {"host_stop_s", kLongest_s},
});

constexpr auto kFormats =
    std::to_array<std::string_view>({"block", "long block", "bytes from index", "physical sector"});
constexpr auto kDefectFormats =
    std::to_array<std::string_view>({"bytes from index", "physical sector"});
constexpr auto kSectorNumbers =
    std::to_array<std::string_view>({"from first", "from index", "without slipped"});
constexpr auto kEffects = std::to_array<std::string_view>({"seen", "none", "not told"});
constexpr auto kShinglings = std::to_array<std::string_view>({"drive-managed"});
constexpr auto kConditionsOfZones = [] {  // without those that are reserved
  std::array<std::string_view, 8> conditions{};
  std::ranges::copy_if(kZoneConditions, conditions.begin(),
                       [](std::string_view condition) { return !condition.empty(); });
  return conditions;
}();
constexpr auto kStandings = std::to_array<std::string_view>({"interpolated", "guessed"});

}  // namespace

Limits limits_of_parameter(std::string_view path) {
  const auto dot = path.find('.');
  const std::string_view section = dot == path.npos ? "" : path.substr(0, dot);
  const std::string_view name = path.substr(dot == path.npos ? 0 : dot + 1);
  if (section == "cache") return limits_in_cache(name);
  if (section == "overheads") return kTime;
  if (section == "bus") return limits_on_bus(name);
  if (section == "queue") return {0, kLargestNumber, true};
  if (path == "arms.overlap") return {0, 1};
  if (path == "arms.interference") return {0, kLongest_ms};
  if (section == "power") return {0, kLongest_ms};
  if (section == "shingling") return limits_of_shingling(name);
  if (path == "head_switch") return {0, kLongest_ms};
  if (path == "inward_seek_delta" || path == "write_settle") return kTime;
  if (path == "rotation.period") return {1e5, 1e10};  // ns
  if (path == "layout.angle") return {-kFarthest_rev, kFarthest_rev};
  if (path == "layout.heads") return {1, kMostHeads, true};
  if (path == "layout.cylinders") return {1, kMostCylinders, true};
  throw Error(ExitStatus::internal, fmt::format("{} is no measured number of a model", path));
}

std::optional<Limits> limits_of_imperfection(std::string_view name) {
  const auto found = std::ranges::find(kImperfections, name, &Imperfection::name);
  if (found == kImperfections.end()) return std::nullopt;
  return Limits{0, found->high};
}

std::span<const std::string_view> choices_of(std::string_view path) {
  if (path == "firmware.address_formats") return kFormats;
  if (path == "firmware.defect_formats") return kDefectFormats;
  if (path == "firmware.sector_numbers") return kSectorNumbers;
  if (path == "cache.freedoms.effect") return kEffects;
  if (path == "identity.zone_runs.type") return kZoneTypes;
  if (path == "identity.zone_runs.condition") return kConditionsOfZones;
  if (path == "shingling.kind") return kShinglings;
  if (path == "layout.timed.stretches.standing") return kStandings;
  return {};
}

}  // namespace platter::model
