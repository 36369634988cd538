// The stages of a run as one table: what their parts need, how the caches stand in it, its share of
// the time, its experiments, and what is made of their samples. A run is a walk over it with a
// drive (characterize.h), an estimate the same walk over what a run kept (estimate.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "extract/cache_stages.h"
#include "extract/caches.h"
#include "extract/mechanics_stages.h"
#include "extract/power_of_drive.h"
#include "extract/validation_stages.h"

namespace platter::extract {

enum class Needs : std::uint8_t {
  nothing,
  map,         // LBNs to tracks
  prediction,  // a model that tells response times
};

// One experiment, and what its samples are made into at once, for the next one to rest on.
struct Part {
  void (*experiment)(Rig&) = nullptr;
  void (*estimate)(const Seen&, Findings&) = nullptr;
  double share = 1;          // of the time that is left to the stage; the last part has all of it
  bool writes = false;       // takes no time where no write may wait for the media
  Needs needs = Needs::map;  // without it this part is left out
};

struct Stage {
  std::string_view name;
  // Its share of a run's time, for what is expected and what a budget leaves to each: what runs on
  // drives of 5400 to 15000 rpm took, in about the seconds of a drive of 10,000 rpm.
  double weight;
  double high;            // times its weight at high precision
  double least;           // of it, where time is short: what is left is too little to be of use
  double reads_only = 1;  // of it and of the least, where nothing may be written
  int gives_up;           // precision, in a run that is given less time: 1 the first; 0 never
  Caches caches;
  std::array<Part, 3> parts;
  // Once all parts are done and the drive's settings held through them.
  void (*conclude)(const Seen&, Findings&) = nullptr;
};

inline constexpr std::array<Stage, 12> kStages{{
    {.name = "warm-up",
     .weight = 0.5,
     .high = 1,
     .least = 1,
     .gives_up = 0,
     .caches = Caches::any,
     .parts = {{{.experiment = warm_up, .needs = Needs::nothing}}}},
    {.name = "rotation",
     .weight = 2,
     .high = 1,
     .least = 0.8,
     .gives_up = 0,
     .caches = Caches::off,
     .parts = {{{.experiment = measure_rotation,
                 .estimate = estimate_rotation,
                 .needs = Needs::nothing}}}},
    {.name = "layout",
     .weight = 4,
     .high = 1.2,
     .least = 0.6,
     .gives_up = 0,
     .caches = Caches::off,
     .parts = {{{.experiment = find_map, .estimate = take_map, .needs = Needs::nothing}}}},
    {.name = "angles",
     .weight = 4.5,
     .high = 2.2,
     .least = 0.6,
     .gives_up = 7,
     .caches = Caches::off,
     .parts = {{{.experiment = measure_angles, .estimate = take_map}}}},
    {.name = "seeks",
     .weight = 6.5,
     .high = 1.8,
     .least = 0.28,
     .gives_up = 6,
     .caches = Caches::off,
     .parts = {{{.experiment = measure_seeks, .estimate = estimate_seeks}}}},
    {.name = "head switch and write settle",
     .weight = 5,
     .high = 1.4,
     .least = 0.21,
     .reads_only = 0.2,
     .gives_up = 5,
     .caches = Caches::off,
     .parts = {{{.experiment = measure_head_switch, .estimate = estimate_head_switch, .share = 0.5},
                {.experiment = measure_write_settle,
                 .estimate = estimate_write_settle,
                 .share = 0.7,
                 .writes = true},
                {.experiment = measure_write_seeks, .writes = true}}}},
    {.name = "overheads",
     .weight = 2.8,
     .high = 1.8,
     .least = 0.46,
     .reads_only = 0.5,
     .gives_up = 4,
     .caches = Caches::off,
     .parts = {{{.experiment = measure_miss_overheads, .share = 0.6},
                {.experiment = measure_watermark}}}},
    {.name = "cache",
     .weight = 9,
     .high = 1.3,
     .least = 0.53,
     .reads_only = 0.7,
     .gives_up = 2,
     .caches = Caches::as_found,
     .parts = {{{.experiment = measure_hit_overheads, .share = 0.5, .needs = Needs::nothing},
                {.experiment = probe_cache, .estimate = estimate_cache, .needs = Needs::nothing}}},
     .conclude = conclude_cache},
    {.name = "self-validation, caches on",
     .weight = 4,
     .high = 2,
     .least = 0.375,
     .reads_only = 0.7,
     .gives_up = 1,
     .caches = Caches::as_found,
     .parts = {{{.experiment = read_in_a_row,
                 .estimate = sharpen_by_reads_in_a_row,
                 .needs = Needs::prediction},
                {.experiment = exercise_cache_further,
                 .estimate = check_cache_anew,
                 .needs = Needs::prediction},
                {.experiment = send_mixed_requests, .needs = Needs::prediction}}}},
    {.name = "self-validation",
     .weight = 3,
     .high = 1.3,
     .least = 0.6,
     .gives_up = 3,
     .caches = Caches::off,
     .parts = {{{.experiment = send_random_requests, .needs = Needs::prediction}}},
     .conclude = validate_itself},
    {.name = "queue",
     .weight = 1,
     .high = 1,
     .least = 1,
     .gives_up = 0,
     .caches = Caches::off,
     .parts = {{{.experiment = send_batches, .needs = Needs::nothing}}},
     .conclude = estimate_queue},
    // Where it was asked for. The caches stay off; that the timers hold it sees itself.
    {.name = "power conditions",
     .weight = 0,
     .high = 1,
     .least = 1,
     .gives_up = 0,
     .caches = Caches::any,
     .parts = {{{.experiment = measure_wakes, .needs = Needs::nothing}}},
     .conclude = take_power},
}};

constexpr std::size_t stage_named(std::string_view name) {
  std::size_t index = 0;
  while (index < kStages.size() && kStages[index].name != name) ++index;
  return index;
}

// Those that something else than the walk asks for by name.
inline constexpr std::size_t kRotation = stage_named("rotation"), kLayout = stage_named("layout"),
                             kAngles = stage_named("angles"), kOverheads = stage_named("overheads"),
                             kCache = stage_named("cache"),
                             kMixedValidation = stage_named("self-validation, caches on"),
                             kSelfValidation = stage_named("self-validation"),
                             kQueue = stage_named("queue"),
                             kPower = stage_named("power conditions");
static_assert(kPower + 1 == kStages.size());

// Of a run in which wake times are to be measured, or not.
constexpr std::size_t stages_of(bool power_asked) { return power_asked ? kStages.size() : kPower; }

// What the part needs most easily had: without it nothing of the stage is done.
constexpr Needs least_needs(const Stage& stage) {
  Needs least = stage.parts.front().needs;
  for (const Part& part : stage.parts)
    if (part.experiment != nullptr && part.needs < least) least = part.needs;
  return least;
}

inline constexpr double kAllWeights = [] {
  double all = 0;
  for (const Stage& stage : kStages) all += stage.weight;
  return all;
}();

}  // namespace platter::extract
