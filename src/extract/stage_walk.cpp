#include "extract/stage_walk.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "extract/self_validation.h"
#include "model/error.h"
#include "mtbrc/access.h"
#include "mtbrc/round_trips.h"
#include "safety/end_of_run.h"
#include "scsi/drive.h"
#include "scsi/reply.h"

namespace platter::extract {
namespace {

// The last attempts go on to their end, whatever is reported meanwhile.
constexpr int kAttempts = 5, kMayBreak = 3;

}  // namespace

StageWalk::StageWalk(Options& options, scsi::Guard& guard, mtbrc::Context& context,
                     RunSoFar& so_far, RunSettings& settings, Fitness& fitness, MapSource& maps,
                     WhatWasWritten& written, TimeOfRun& time)
    : options_(options),
      drive_(context.drive),
      context_(context),
      so_far_(so_far),
      settings_(settings),
      fitness_(fitness),
      written_(written),
      time_(time),
      rig_{options,
           guard,
           context,
           settings,
           fitness,
           maps,
           so_far.found,
           so_far.record.facts,
           handed_,
           so_far.taking_notes(),
           [&so_far](std::size_t from) { so_far.disturbed_since(from); }},
      watch_(settings, drive_, context, so_far.taking_notes(),
             [&so_far](std::size_t from) { so_far.disturbed_since(from); }),
      clock_(context, [&so_far](const mtbrc::TimeJump& jump, std::size_t from) {
        so_far.time_jumped(jump, from);
      }) {}

// ---------------------------------------------------------------- the walk

void StageWalk::settle_in() {
  if (so_far_.record.stages.empty()) return;
  fitness_.warm_up(context_);
  if (so_far_.record.stages.size() <= kRotation) return;
  if (so_far_.record.ending.failed_write) end_writes();
  so_far_.stage = so_far_.session.stages_before;
  with_failed_writes_seen_to([this] { settings_.find_out_again(); });
  fitness_.require_reads_from_the_media(context_);
  read_last_anchors();
}

void StageWalk::walk() {
  const Facts& facts = so_far_.record.facts;
  for (std::size_t index = so_far_.session.stages_before; index < stages_of(options_.power);
       ++index) {
    if (index == kSelfValidation && so_far_.found.map && !facts.not_taken_back)
      with_failed_writes_seen_to([this] {
        settings_.set(Caches::off);
        read_last_anchors();
      });
    if (lacks(least_needs(kStages[index]))) continue;
    if (index == kAngles && options_.budget_s) time_.expect_angles();
    stage(index, kStages[index]);
  }
  if (!so_far_.found.map && !facts.not_taken_back) measure_rotation_at_the_end();
}

void StageWalk::measure_rotation_at_the_end() {
  Stage alone = kStages[kRotation];
  alone.parts.front().experiment = measure_rotation_alone;
  time_.expect_rotation_alone();
  stage(kRotation, alone);
}

// A model that lacks what a prediction needs (a budget was short, a time came out below zero) is
// written all the same. Where the drive's settings are not what they should be nothing more can be
// measured.
std::optional<std::string> StageWalk::lacks(Needs needs) {
  if (so_far_.record.facts.not_taken_back) return so_far_.record.facts.not_taken_back;
  if (needs == Needs::nothing) return std::nullopt;
  if (!so_far_.found.map) return "the layout is not known";
  if (needs == Needs::map) return std::nullopt;
  if (!prevented_) prevented_ = what_prevents_prediction(so_far_.found.model);
  return *prevented_;
}

// With caches off, or nothing written into them, no command waits for another one's work.
void StageWalk::timed(const scsi::CommandRecord& done) {
  clock_.after_command();
  const bool alone = settings_.caches() == Caches::off ||
                     (settings_.caches() == Caches::as_found && options_.writable.empty());
  if (so_far_.stage == kPower) return;  // they wait for the drive to wake up
  if (!alone || done.blocks == 0 || done.status != scsi::Status::good) return;
  so_far_.record.media_accesses.push_back({.blocks = done.blocks,
                                           .issued_ns = done.issued_ns,
                                           .completed_ns = done.completed_ns,
                                           .session = so_far_.session.number});
}

std::uint64_t StageWalk::commands() const { return drive_.commands() + handed_.queued_commands; }

Cost StageWalk::cost() const {
  const Cost& before = so_far_.session.before;
  return {before.drive_seconds + time_.elapsed_s(), before.commands + commands(),
          before.translations + drive_.translations(),
          before.bytes_written + drive_.bytes_written()};
}

// The longest baseline for the period: from the run's first revolutions to its last.
void StageWalk::read_last_anchors() {
  constexpr int kReads = 12;
  if (context_.reads_once) return;  // it was read before
  so_far_.first_sample = context_.samples.size();
  clock_.refer_to(settings_.reference_lbn);
  mtbrc::Accesses accesses(context_);
  for (int i = 0; i < kReads; ++i)
    accesses.probe(estimate::Experiment::anchor, settings_.reference_lbn);
}

// ---------------------------------------------------------------- one stage

void StageWalk::stage(std::size_t index, const Stage& stage) {
  so_far_.stage = index;
  with_failed_writes_seen_to([&] { attempt_stage(stage); });
  StageRecord& done = so_far_.under_way;
  time_.stage_took(index, done.drive_seconds);
  done.end = so_far_.mark();
  so_far_.found.model.provenance.stages.push_back(
      {std::string(stage.name), done.drive_seconds, done.commands});
  done.so_far = cost();
  const std::optional<Error> not_kept = so_far_.keeping.end_stage(done, so_far_.record.ending,
                                                                  so_far_.seen());
  so_far_.found.stage = stage.name;
  if (stage.conclude != nullptr) stage.conclude(so_far_.seen(), so_far_.found);
  so_far_.found.stage = {};
  so_far_.record.stages.push_back(std::exchange(done, {}));
  so_far_.last_whole = so_far_.here();
  if (not_kept) throw Error(*not_kept);
}

// Its time, its progress, and that the drive's settings held through it. A reset behind the run's
// back, or another host, changes the settings in silence; what was measured since is void, and so
// is what was noted of it.
void StageWalk::attempt_stage(const Stage& stage) {
  const Caches caches = stage.caches;
  const Nanoseconds began_ns = drive_.now_ns();
  const auto took_s = [this, began_ns] {
    return static_cast<double>(drive_.now_ns() - began_ns) * 1e-9;
  };
  context_.progress = [this, took_s](const std::string&, double share) {
    time_.report_progress(so_far_.stage, share, took_s());
  };
  context_.report(std::string(stage.name), 0);
  const std::uint64_t before = commands();
  if (caches != Caches::any &&
      (caches != settings_.caches() || settings_.was_reset() || !settings_.held()))
    settings_.set(caches);
  for (int attempt = 1;;) {
    const RunSoFar::Moment began = so_far_.here();
    begin_attempt(stage);
    const std::optional<std::string> why = attempt_once(stage, attempt);
    if (!why) break;
    so_far_.go_back_to(began);
    if (why->empty()) {
      fitness_.tell_shortest_limit();
    } else {
      so_far_.note(*why);
      ++attempt;
    }
    if (caches != Caches::any) settings_.set(caches);
  }
  so_far_.under_way.drive_seconds = took_s();
  so_far_.under_way.commands = commands() - before;
}

void StageWalk::begin_attempt(const Stage& stage) {
  so_far_.under_way = {};
  so_far_.under_way.stage = so_far_.stage;
  so_far_.first_sample = context_.samples.size();
  clock_.refer_to(stage.caches == Caches::off ? std::optional(settings_.reference_lbn)
                                              : std::nullopt);
}

std::optional<std::string> StageWalk::attempt_once(const Stage& stage, int attempt) {
  try {
    watch_.begin(std::string(stage.name), stage.caches, attempt < kMayBreak);
    time_.limited(so_far_.stage, [&] { do_parts(stage); });
    watch_.end();
  } catch (const StageBroken&) {
    watch_.end();
    context_.deadline_ns = 0;
  } catch (const scsi::DriveError& error) {
    watch_.end();
    context_.deadline_ns = 0;
    if (fitness_.shorten_commands(error)) return "";
    if (attempt >= kAttempts || !error.may_do_elsewhere()) throw;
    return fmt::format("a command failed, and the stage '{}' was repeated: {}", stage.name,
                       error.what());
  }
  return lost_settings(stage, attempt);
}

std::optional<std::string> StageWalk::lost_settings(const Stage& stage, int attempt) {
  if (stage.caches == Caches::any || so_far_.record.facts.not_taken_back) return std::nullopt;
  const bool held = settings_.held();
  if (held && !settings_.was_reset()) return std::nullopt;
  if (attempt < kAttempts)
    return fmt::format(
        "the drive was reset, or its settings were changed, during the stage '{}', "
        "which was repeated",
        stage.name);
  if (!held)
    throw Error(ExitStatus::drive_error,
                fmt::format("{} keeps losing its settings during the stage '{}'; look for resets "
                            "in the kernel's log and try again",
                            options_.device_name, stage.name));
  so_far_.note({model::Code::settings_unsteady,
                fmt::format("the drive reported resets or changed settings in all of {} attempts "
                            "of the stage '{}'; the settings held through the last",
                            kAttempts, stage.name)});
  return std::nullopt;
}

void StageWalk::do_parts(const Stage& stage) {
  const bool writes = !settings_.media_writes().empty();
  const auto takes_time = [writes](const Part& part) {
    return part.experiment != nullptr && (writes || !part.writes);
  };
  constexpr std::uint32_t kRoundTrips = 24;  // Chosen: a median within 5 us on a quiet host
  if (so_far_.found.rotation.numerator_ns > 0) mtbrc::measure_round_trips(context_, kRoundTrips);
  for (auto part = stage.parts.begin(); part != stage.parts.end(); ++part) {
    if (part->experiment == nullptr) break;
    const bool is_last = std::none_of(std::next(part), stage.parts.end(), takes_time);
    do_part(stage, *part, is_last ? 1 : part->share);
  }
}

// Its samples are estimated at once, for the next part to rest on. Of one that is left out there is
// a mark alone, so that each has its own.
void StageWalk::do_part(const Stage& stage, const Part& part, double share) {
  const bool left_out = part.needs == Needs::map && !so_far_.found.map;
  if (!left_out) {
    std::optional<mtbrc::PartOfTime> time;
    if (share < 1) time.emplace(context_, share);
    part.experiment(rig_);
  }
  so_far_.under_way.parts.push_back(so_far_.mark());
  so_far_.keeping.end_part(so_far_.under_way.parts.back(), so_far_.seen());
  if (part.estimate == nullptr || left_out) return;
  so_far_.found.stage = stage.name;
  part.estimate(so_far_.seen(), so_far_.found);
  so_far_.found.stage = {};
  context_.map = so_far_.found.map.get();
}

// ---------------------------------------------------------------- writes that fail

// What was measured until a write failed is void, and measured again.
void StageWalk::with_failed_writes_seen_to(const std::function<void()>& body) {
  const RunSoFar::Moment before = so_far_.here();
  try {
    body();
  } catch (const scsi::WriteFailed& failure) {
    context_.deadline_ns = 0;
    so_far_.go_back_to(before);
    go_on_without_writes(failure);
    body();
  }
}

void StageWalk::end_writes() {
  options_.writable.clear();
  settings_.end_writes("a write failed, and nothing was written from then on");
}

// What was written is put right, and the run goes on with reads.
void StageWalk::go_on_without_writes(const scsi::WriteFailed& failure) {
  failed_write_ = failure.what();
  so_far_.record.ending.failed_write = {so_far_.stage};
  end_writes();
  so_far_.note({model::Code::write_failed,
                fmt::format("{}: nothing was written from then on", failure.what())});
  const safety::EndOfRun now = written_.check();
  if (!now.well()) throw Error(ExitStatus::drive_error, failure.what());  // the end tells of it
  if (now.media.put_back.empty()) return;
  so_far_.note({model::Code::put_back,
                fmt::format("after the failed write the drive did not hold what it had held, and "
                            "it was put back: {}",
                            safety::in_words(now.media.put_back))});
}

}  // namespace platter::extract
