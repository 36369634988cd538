#include "extract/mechanics_stages.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "cache_probe/timed_hits.h"
#include "estimate/estimates.h"
#include "extract/arms_of_drive.h"
#include "extract/impossible_values.h"
#include "extract/power_of_drive.h"
#include "extract/rig.h"
#include "extract/shingles_of_drive.h"
#include "model/error.h"
#include "model/parameters.h"
#include "mtbrc/overheads.h"
#include "mtbrc/rotation.h"
#include "mtbrc/round_trips.h"
#include "mtbrc/seek.h"
#include "mtbrc/switches.h"
#include "mtbrc/targets.h"
#include "mtbrc/watermark.h"
#include "mtbrc/write_seek.h"
#include "scsi/forced_access.h"

namespace platter::extract {
namespace {

constexpr double kFirstPeriodError = 1.5e-6, kOnlyPeriodError = 1e-7;  // shares of the period

mtbrc::Targets targets(const Rig& rig) { return mtbrc::targets_of(rig.context); }

[[noreturn]] void refuse_without_rotation(Rig& rig) {
  const std::uint64_t recovered = rig.context.drive.said().recovered_replies;
  throw Error(
      ExitStatus::unsupported,
      rig.options.device_name +
          (recovered > 0
               ? fmt::format(" recovered {} replies by itself, and of the others too few are whole "
                             "revolutions apart to tell its rotation: see to the drive first",
                             recovered)
               : " shows no rotation: repeated reads of one sector are no whole revolutions apart; "
                 "is it a disk drive, and idle otherwise?"));
}

void measure_period(Rig& rig, double relative_error) {
  mtbrc::RotationOptions how;
  how.target_relative_error = relative_error;
  const std::size_t samples = rig.context.samples.size();
  const std::uint64_t lbn = rig.settings.reference_lbn;
  auto estimate = mtbrc::measure_rotation(rig.context, lbn, how);
  if (estimate.outcome != estimate::RotationOutcome::measured && rig.settings.pass_caches_by()) {
    rig.void_since(samples);
    estimate = mtbrc::measure_rotation(rig.context, lbn, how);
  }
  // It may be the host that had other things to do for a moment.
  constexpr int kTries = 3;
  for (int i = 1; i < kTries && estimate.outcome == estimate::RotationOutcome::irregular; ++i) {
    rig.context.samples.resize(samples);
    estimate = mtbrc::measure_rotation(rig.context, lbn, how);
  }
  switch (estimate.outcome) {
    case estimate::RotationOutcome::measured:
      rig.settings.look_for_read_ahead();
      return;
    case estimate::RotationOutcome::cache_still_on:
      rig.settings.refuse_a_cache_that_stays_on();
    case estimate::RotationOutcome::irregular:
    case estimate::RotationOutcome::too_few:
      refuse_without_rotation(rig);
  }
}

void take(FoundMap map, Rig& rig) {
  rig.facts.layout = std::move(map.layout);
  for (model::Noted& note : map.notes) rig.note(std::move(note));
}

void say_why_no_media_writes(const std::string& why, model::DriveModel& model) {
  if (why.empty()) return;
  model::Overheads& overheads = model.overheads;
  for (model::Parameter* parameter :
       {&model.write_settle, &overheads.write_miss_after_read, &overheads.write_miss_after_write,
        &overheads.read_miss_after_write, &overheads.minimum_seek_delay,
        &model.bus.write_block_transfer})
    if (!*parameter) parameter->reason = why;
}

}  // namespace

void warm_up(Rig& rig) {
  constexpr std::uint32_t kRoundTrips = 200;  // Chosen: one in a hundred of them is seen
  rig.fitness.warm_up(rig.context);
  mtbrc::measure_round_trips(rig.context, kRoundTrips);
}

void measure_rotation(Rig& rig) {
  if (rig.fitness.answered_at_once() &&
      scsi::rereads_come_at_once(rig.context.drive, rig.settings.reference_lbn).value_or(false))
    rig.settings.pass_caches_by();
  rig.fitness.require_reads_from_the_media(rig.context);
  measure_period(rig, kFirstPeriodError);
  rig.settings.bring_writes_to_the_media();
  find_arms(rig);
  find_power(rig);
}

void measure_rotation_alone(Rig& rig) { measure_period(rig, kOnlyPeriodError); }

void estimate_rotation(const Seen& seen, Findings& found) {
  const estimate::Samples own(seen.samples.begin() + static_cast<std::ptrdiff_t>(seen.first_sample),
                              seen.samples.end());
  found.model.rotation = found.rotation =
      estimate::Estimates(own, nullptr, {}).of<estimate::Figure::rotation>().rotation;
  take_arms(seen, found);
  take_power(seen, found);
}

namespace {

// What takes longer than a model can say is absent from the facts, too, of which the model is made.
model::Parameter as_can_be(model::Parameter translation, Rig& rig) {
  model::DriveModel alone;
  alone.overheads.address_translation = std::move(translation);
  for (model::Noted& note : take_out_what_cannot_be(alone)) rig.note(std::move(note));
  return std::move(alone.overheads.address_translation);
}

}  // namespace

void find_map(Rig& rig) {
  tell_arms(rig);
  take(rig.maps.find(rig.facts.answers), rig);
  rig.facts.answers.clear();
  rig.facts.address_translation = as_can_be(rig.maps.question_time(), rig);
}

void measure_angles(Rig& rig) {
  tell_arms(rig);
  FoundMap map = rig.maps.with_angles();
  rig.context.map = nullptr;  // the one before
  take(std::move(map), rig);
}

namespace {

model::Parameter counted_by_translation(std::uint32_t count) {
  model::Parameter figure;
  figure.value = count;
  figure.error = 0;
  figure.method = "address translation";
  return figure;
}

}  // namespace

void take_map(const Seen& seen, Findings& found) {
  model::DriveModel& model = found.model;
  model.layout = seen.facts.layout;
  if (seen.facts.address_translation || !seen.facts.address_translation.reason.empty())
    model.overheads.address_translation = seen.facts.address_translation;
  if (found.map) model.identity.heads = model.identity.cylinders = 0;
  found.map.reset();
  if (model.layout.zones.empty()) return;
  found.map = std::make_shared<const engine::LayoutMap>(model.layout);
  model.identity.heads = found.map->heads();
  model.identity.cylinders = found.map->cylinders();
  take_arms(seen, found);
  if (model.layout.timed) return;  // what timing tells of them is in the facts
  model.layout.heads = counted_by_translation(found.map->heads());
  model.layout.cylinders = counted_by_translation(found.map->cylinders());
}

namespace {

using estimate::Figure;

estimate::Estimates estimates_of(const Seen& seen, const Findings& found) {
  return {seen.samples, found.map.get(), found.rotation, &found.model};
}

}  // namespace

void measure_seeks(Rig& rig) {
  find_shingles(rig);
  {
    const WithinOneArm one(rig);
    mtbrc::measure_seeks(rig.context, targets(rig).seeks);
  }
  measure_interference(rig);
}

void estimate_seeks(const Seen& seen, Findings& found) {
  estimate::Seeks seeks = estimates_of(seen, found).of<Figure::seeks>();
  found.model.seek = std::move(seeks.seek);
  found.model.outward_seek = std::move(seeks.outward);
  take_arms(seen, found);
  take_that_it_is_shingled(seen, found);
}

void measure_head_switch(Rig& rig) {
  const WithinOneArm one(rig);
  mtbrc::measure_head_switch(rig.context, targets(rig).switches);
}

void estimate_head_switch(const Seen& seen, Findings& found) {
  const estimate::HeadSwitch head_switch = estimates_of(seen, found).of<Figure::head_switch>();
  found.model.head_switch = head_switch.time;
  for (const model::Noted& note : head_switch.notes) found.note(note);
}

void measure_write_settle(Rig& rig) {
  const WithinOneArm one(rig);
  const model::Parameter settle = mtbrc::measure_write_settle(
      rig.context, rig.settings.media_writes(), targets(rig).switches);
  rig.facts.no_write_settle = settle ? "" : settle.reason;
}

void estimate_write_settle(const Seen& seen, Findings& found) {
  found.model.write_settle = seen.facts.no_write_settle.empty()
                                 ? estimates_of(seen, found).of<Figure::write_settle>()
                                 : model::absent(seen.facts.no_write_settle, "ms");
}

void measure_write_seeks(Rig& rig) {
  const WithinOneArm one(rig);
  mtbrc::measure_write_seeks(rig.context, rig.settings.media_writes(), rig.found.model,
                             targets(rig).write_seeks);
}

void measure_miss_overheads(Rig& rig) {
  const WithinOneArm one(rig);
  mtbrc::measure_miss_overheads(rig.context, rig.settings.media_writes(), targets(rig).overheads);
}

void measure_watermark(Rig& rig) {
  const WithinOneArm one(rig);
  mtbrc::measure_watermark(rig.context, targets(rig).watermark);
}

void estimate_overheads(const Seen& seen, Findings& found) {
  model::DriveModel& model = found.model;
  const model::Parameter translation = model.overheads.address_translation;
  estimate::Estimates of_samples = estimates_of(seen, found);
  const Nanoseconds grid_ns = of_samples.of<Figure::grid>().value_or(0);
  // Where no experiment on hits got any, the cache's tests may have.
  estimate::Samples all;
  std::optional<estimate::Estimates> of_all;
  if (!of_samples.of<Figure::overheads>().read_hit_after_read && !seen.cache.observations.empty()) {
    all = seen.samples;
    std::ranges::move(cache_probe::timed_hits(seen.cache), std::back_inserter(all));
    of_all.emplace(all, found.map.get(), found.rotation, nullptr, grid_ns);
  } else if (grid_ns > 0) {
    of_all.emplace(seen.samples, found.map.get(), found.rotation, nullptr, grid_ns);
  }
  estimate::Estimates& of_hits = of_all ? *of_all : of_samples;
  model.overheads = of_hits.of<Figure::overheads>();
  model.overheads.address_translation = translation;
  model.delay_spread = of_samples.of<Figure::delay_spread>();
  model.bus.block_transfer = of_hits.of<Figure::block_transfer>();
  model.bus.write_block_transfer = of_hits.of<Figure::write_block_transfer>();
  if (!found.map) {
    model.bus.high_read_watermark.reason = model.bus.watermark_by_request_size.reason =
        "the layout is not known";
    say_why_no_media_writes(seen.facts.no_media_writes, model);
    return;
  }
  model.bus.high_read_watermark = of_hits.of<Figure::watermark>();
  const model::Parameter portions = of_hits.of<Figure::portions>();
  model.bus.watermark_by_request_size = model::absent(
      portions ? "reads of many sizes showed no portions" : portions.reason, "blocks");
  if (portions.value > 1) {
    model.bus.watermark_by_request_size = portions;
    model.bus.high_read_watermark = {};
    model.bus.high_read_watermark.reason =
        "the drive sends portions of so many blocks, each when it has all of it";
  }
  // How much of the settle time hides behind a block's transfer is known only now.
  if (model.write_settle) {
    model.write_settle = of_samples.of<Figure::write_settle>();
    const estimate::WriteSeeks writes = of_samples.of<Figure::write_seeks>();
    model.write_seek = writes.curve;
    found.note(writes.note);
  }
  say_why_no_media_writes(seen.facts.no_media_writes, model);
}

// By all reads of the run: what the stage saw of the spindle's wander in its short time is less
// than it is, and a larger error is the truer one.
void refine_rotation(const Seen& seen, Findings& found) {
  const estimate::RotationEstimate refined = estimates_of(seen, found).of<Figure::rotation>();
  const model::Parameter& period = found.model.rotation.period;
  if (refined.outcome != estimate::RotationOutcome::measured || !refined.rotation.period.error ||
      !period.error)
    return;
  if (refined.drift_ppm != 0)
    found.note(
        {model::Code::spindle_drifts,
         fmt::format("the period of rotation changed by {:.1f} ppm in the run: its error holds "
                     "it at begin and end",
                     refined.drift_ppm)});
  found.model.rotation = refined.of_whole_run();
}

}  // namespace platter::extract
