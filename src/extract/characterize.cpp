#include "extract/characterize.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "estimate/samples.h"
#include "extract/estimate.h"
#include "extract/geometry_hints.h"
#include "extract/map_of_drive.h"
#include "extract/resume.h"
#include "extract/run_so_far.h"
#include "extract/stage_walk.h"
#include "extract/stages.h"
#include "extract/time_of_run.h"
#include "extract/what_was_written.h"
#include "identity/drive_mark.h"
#include "model/as_error.h"
#include "model/interruption.h"
#include "safety/end_of_run.h"
#include "scsi/drive.h"
#include "scsi/physical_blocks.h"
#include "scsi/reply.h"
#include "scsi/self_description.h"
#include "scsi/several_callers.h"

namespace platter::extract {
namespace {

// What ends a run and need not be so the next time.
bool goes_by(ExitStatus status) {
  return status == ExitStatus::interrupted || status == ExitStatus::drive_error ||
         status == ExitStatus::protocol || status == ExitStatus::output;
}

// Whatever answers now must be what answered at first.
void require_the_same_drive(scsi::Guard& guard, const std::string& name,
                            const model::Identity& begun) {
  scsi::Drive now(guard, name);
  const model::Identity& found = now.identify();
  if (identity::same_drive(found, begun)) return;
  throw scsi::AnotherDrive(
      ExitStatus::protocol,
      fmt::format("{} is not the drive that it was when the run began: {} then, {} now; no model "
                  "is written",
                  name, identity::in_words(begun), identity::in_words(found)));
}

class Characterization {
 public:
  Characterization(scsi::Device& device, const Options& options)
      : options_(options),
        callers_(device),
        guard_(callers_, scsi::Permission{true, options.writable}),
        drive_(guard_, options.device_name),
        context_(drive_, options.seed),
        so_far_(context_, options.keeper),
        settings_(options_, drive_, context_, so_far_.taking_notes()),
        fitness_(drive_, options_.device_name, so_far_.taking_notes()),
        maps_(context_, options.device_name, options.budget_s, options.map_by_time),
        written_(options_, device, guard_, drive_, settings_, so_far_.taking_notes()),
        time_(options_, context_, so_far_, maps_, written_),
        stages_(options_, guard_, context_, so_far_, settings_, fitness_, maps_, written_, time_) {}
  Characterization(const Characterization&) = delete;
  Characterization& operator=(const Characterization&) = delete;

  Run run();
  // What there is of it after an error, the drive put in order. Throws that where the layout is not
  // known yet. Nothing else puts the drive in order: whoever runs it must take this end.
  [[nodiscard]] Run ended_by(const Error& error);

 private:
  void begin();
  void after_command(const scsi::CommandRecord& done);
  void go_on_with_run();
  void note_what_was_read();
  void begin_session();
  void tell_what_it_says_of_itself();
  void tell_what_it_said();
  void require_writable_is_on_the_drive() const;
  void leave_out_what_is_skipped();
  void narrow_writes_to_physical_blocks();
  void finish();
  Run as_it_is();
  std::optional<Error> how_it_ended(const model::Provenance& provenance, bool complete) const;
  std::optional<Error> another_drive();
  void go_back_to_last_whole_stage();

  bool nothing_is_known(const std::optional<Error>& another) const;
  [[noreturn]] void leave_without_model(const Error& ended, const std::optional<Error>& another);
  void note(model::Noted noted) { so_far_.note(std::move(noted)); }

  Options options_;  // of which a failed write takes the permission to write
  scsi::SeveralCallers callers_;
  scsi::Guard guard_;
  scsi::Drive drive_;
  mtbrc::Context context_;
  RunSoFar so_far_;
  RunSettings settings_;
  Fitness fitness_;
  MapOfDrive maps_;
  WhatWasWritten written_;
  TimeOfRun time_;
  StageWalk stages_;
  bool stopping_ = false;
};

void Characterization::begin() {
  context_.precision = options_.precision;
  context_.callers = &callers_;
  drive_.on_command([this](const scsi::CommandRecord& done) { after_command(done); });
  drive_.identify();
  // What REPORT ZONES tells confirms the capacity of others.
  if (!drive_.is_host_managed() && !drive_.confirm_capacity(options_.skip))
    throw Error(ExitStatus::unsupported,
                fmt::format("{}: {}; a disk with such zones cannot be measured, name another drive",
                            options_.device_name, drive_.who().doubts.back()));
  so_far_.record.identity = drive_.identify();
  tell_what_it_says_of_itself();
  if (options_.resumed)
    go_on_with_run();
  else
    so_far_.found.model.identity = so_far_.record.identity;
  for (const std::string& condition : options_.conditions) note(condition);
  fitness_.require_rotation();
  time_.begin();
  so_far_.record.facts.power_asked = options_.power |= so_far_.record.facts.power_asked;
  so_far_.session.writable = options_.writable;
  so_far_.session.seed = options_.seed;
  require_writable_is_on_the_drive();
  leave_out_what_is_skipped();
  options_.writable = fitness_.keep_to_zones(so_far_.record.identity, options_.writable);
  narrow_writes_to_physical_blocks();
  fitness_.require_long_enough_commands();
  fitness_.require_no_tags(!options_.writable.empty());
  fitness_.leave_out_what_is_unmapped();
  settings_.reference_lbn = fitness_.require_readable_block();
  so_far_.session.settings = settings_.remember();
  if (options_.resumed)
    require_settings_of_run(so_far_.record.sessions.front(), so_far_.session.settings,
                            options_.device_name, options_.resumed->name);
  written_.begin(so_far_.record.identity, so_far_.session.settings);
}

void Characterization::after_command(const scsi::CommandRecord& done) {
  stages_.timed(done);
  if (stopping_) return;
  so_far_.keeping.keep_what_came(so_far_.seen());
  stages_.require_settings(done);
  if (!options_.interrupted || !options_.interrupted()) return;
  stopping_ = true;  // what restores the settings must get through
  throw Error(ExitStatus::interrupted, "interrupted; the drive's settings were restored");
}

void Characterization::require_writable_is_on_the_drive() const {
  for (const LbnRange& range : options_.writable)
    if (range.last >= drive_.blocks() || range.first > range.last)
      throw Error(ExitStatus::usage,
                  fmt::format("the range {}-{} given for writes is not on {}, whose last LBN is {}",
                              range.first, range.last, options_.device_name, drive_.blocks() - 1));
}

void Characterization::tell_what_it_says_of_itself() {
  for (const std::string& doubt : drive_.who().doubts)
    note({model::Code::identity_doubtful, doubt});
  const scsi::SelfDescription described = scsi::describe(drive_);
  described.into(so_far_.record.identity);
  // What becomes of several arms, find_arms says.
  for (model::Noted& doubt : described.doubts())
    if (doubt.kind() == nullptr || doubt.kind()->code != model::Code::several_arms)
      note(std::move(doubt));
}

// Beside its answers, and in what other words than usual.
void Characterization::tell_what_it_said() {
  for (const auto& [words, count] : drive_.said().warnings) {
    so_far_.record.identity.failure_predicted = words;
    so_far_.found.model.identity.failure_predicted = words;
    note({model::Code::drive_warned, fmt::format("the drive warned of itself, {} times: {}; {}",
                                                 count, words, scsi::advice_on_warning(words))});
  }
  for (const auto& [words, count] : drive_.said().recovered)
    note(
        fmt::format("the drive recovered {} replies by itself ({}): they took longer, no time of "
                    "its mechanics rests on them, and the self-validation has them as they came",
                    count, words));
  if (const std::uint64_t replies = drive_.short_replies(); replies > 0)
    note(fmt::format("{} replies came short with GOOD and were asked for again", replies));
  for (const auto& [command, words] : drive_.odd_refusals())
    note(fmt::format("{} counts as not supported: the drive answers it with {}", command, words));
}

void Characterization::leave_out_what_is_skipped() {
  for (const LbnRange& range : options_.skip)
    if (range.last >= drive_.blocks() || range.first > range.last)
      throw Error(ExitStatus::usage,
                  fmt::format("the range {}-{} to be skipped is not on {}, whose last LBN is {}",
                              range.first, range.last, options_.device_name, drive_.blocks() - 1));
  so_far_.session.skipped = options_.skip;
  fitness_.skip(options_.skip);
  if (options_.skip.empty() || options_.writable.empty()) return;
  options_.writable = scsi::without(options_.writable, drive_.left_out());
  if (options_.writable.empty())
    throw Error(ExitStatus::usage,
                fmt::format("all blocks of {} that may be written are to be skipped; give "
                            "--allow-writes other ranges, or leave it out",
                            options_.device_name));
}

// The stages that are done are estimated again, as they were in the run.
void Characterization::go_on_with_run() {
  const auto& [kept, name] = *options_.resumed;
  require_unfinished(kept, name);
  TakenUp taken = take_up(kept);
  require_options_of_run(taken.record.sessions.front(), options_.seed, options_.writable, name);
  require_drive_of_run(taken.record, so_far_.record.identity, options_.device_name, name);
  options_.skip = skipped_by(taken.record, options_.skip, name);
  so_far_.record = std::move(taken.record);
  so_far_.found = std::move(taken.found);
  so_far_.session = std::move(taken.session);
  context_.samples = std::move(so_far_.record.samples);
  context_.rotation = so_far_.found.rotation;
  context_.map = so_far_.found.map.get();
  context_.session = static_cast<std::uint32_t>(so_far_.record.sessions.size() +
                                                so_far_.record.facts.jumps.size());
  // Else the choices of an earlier session would be made once more.
  std::seed_seq seeds{static_cast<std::uint32_t>(options_.seed),
                      static_cast<std::uint32_t>(options_.seed >> 32), context_.session};
  context_.random.seed(seeds);
  maps_.take_up(so_far_.record.facts.layout);
  note_what_was_read();
}

// What a cache may still hold, as far as the samples tell.
void Characterization::note_what_was_read() {
  for (const estimate::Sample& sample : context_.samples)
    if (sample.blocks > 0 && !sample.write && !sample.verify)
      drive_.note_read(sample.lbn, sample.blocks);
  for (const cache_probe::Observation& seen : so_far_.record.facts.cache.observations)
    if (seen.blocks > 0 && !seen.write) drive_.note_read(seen.lbn, seen.blocks);
}

void Characterization::begin_session() {
  so_far_.session.number = context_.session;
  if (options_.keeper != nullptr) {
    Record before = so_far_.record;
    before.samples = context_.samples;
    so_far_.keeping.begin(before, so_far_.session, so_far_.record.facts);
  }
  so_far_.record.sessions.push_back(so_far_.session);
  if (!so_far_.record.stages.empty()) so_far_.last_whole = so_far_.here();
}

// A power loss tears whole physical blocks, and a write of a part of one makes the drive read it:
// those that the ranges hold in part are not written to.
void Characterization::narrow_writes_to_physical_blocks() {
  const scsi::PhysicalBlocks& physical = drive_.physical_blocks();
  std::vector<LbnRange> whole;
  for (const LbnRange& range : scsi::whole_physical_blocks(options_.writable, physical))
    if (const auto within = physical.whole_within(range)) whole.push_back(*within);
  const auto kept_whole = [&](const LbnRange& range) {
    return std::ranges::any_of(
        whole, [&](const LbnRange& w) { return w.first <= range.first && range.last <= w.last; });
  };
  if (!options_.writable.empty() && whole.empty())
    throw Error(
        ExitStatus::usage,
        fmt::format(
            "the ranges given for writes hold no whole physical block of {}, which are of {} "
            "logical blocks each; give longer ones",
            options_.device_name, physical.logical_blocks()));
  if (!std::ranges::all_of(options_.writable, kept_whole))
    note(fmt::format(
        "the drive writes physical blocks of {} logical blocks: of the ranges given for writes "
        "those that lie in them as a whole were used, {}",
        physical.logical_blocks(), safety::in_words(whole)));
  options_.writable = whole;
  drive_.permit_writes(whole);
}

void Characterization::finish() {
  so_far_.record.notes = so_far_.take_notes();
  require_the_same_drive(guard_, options_.device_name, so_far_.record.identity);
  so_far_.ending = true;
  if (so_far_.found.map)
    for (auto& hint : contradicted_hints(drive_, so_far_.found.model.layout, *so_far_.found.map))
      note({model::Code::geometry_hints_differ, std::move(hint)});
  stopping_ = true;  // a signal comes too late
  written_.put_in_order();
  if (written_.is_another_drive())
    throw scsi::AnotherDrive(
        ExitStatus::drive_error,
        options_.device_name + " was replaced while it was measured, and no model is written");
  so_far_.record.ending.finished = true;
}

// The record is closed, and the model concluded.
Run Characterization::as_it_is() {
  const Uninterruptible in_order;
  settings_.tell_what_was_stopped();
  Ending& ending = so_far_.record.ending;
  ending.source = options_.device_name;
  ending.cost = stages_.cost();
  ending.seed = options_.seed;
  if (const double took_s = time_.elapsed_s(); options_.budget_s && took_s > *options_.budget_s)
    note(
        fmt::format("the run took {:.1f} s, more than the budget of {:.1f} s, because of commands "
                    "that no limit "
                    "stops",
                    took_s, *options_.budget_s));
  tell_what_it_said();
  if (drive_.unit_attentions() > 0)
    note(fmt::format("{} unit attentions were seen and retried", drive_.unit_attentions()));
  if (!context_.samples.empty()) so_far_.record.samples = std::move(context_.samples);
  so_far_.keeping.end(so_far_.record);
  conclude_run(so_far_.record, so_far_.found);
  return {std::move(so_far_.found.model), std::move(so_far_.record), written_.not_restored(),
          written_.not_verified(),        written_.journal_stays(),  std::nullopt};
}

bool Characterization::nothing_is_known(const std::optional<Error>& another) const {
  return another || written_.is_another_drive() || !so_far_.last_whole ||
         so_far_.last_whole->found.model.layout.zones.empty();
}

void Characterization::leave_without_model(const Error& ended,
                                           const std::optional<Error>& another) {
  const bool may_go_on = !another && !written_.is_another_drive() &&
                         so_far_.record.stages.size() > kRotation && goes_by(ended.status());
  if (!options_.resumed && !may_go_on) so_far_.keeping.throw_away();
  if (so_far_.keeping.goes_on() && may_go_on)
    so_far_.keeping.leave_it_to_a_later_run(so_far_.seen());
  throw Error(ended);
}

// Whatever answers now must be what answered at first; that it does not answer tells nothing of
// it.
std::optional<Error> Characterization::another_drive() {
  if (so_far_.record.identity.blocks == 0) return std::nullopt;  // who it is was not known
  try {
    require_the_same_drive(guard_, options_.device_name, so_far_.record.identity);
  } catch (const scsi::AnotherDrive& found) {
    return found;
  } catch (const std::exception&) {  // what was measured is of the drive
  }
  return std::nullopt;
}

// What was measured up to its end; what a stage had half done is in the samples, and its notes are
// kept.
void Characterization::go_back_to_last_whole_stage() {
  model::Notes& kept = so_far_.record.notes;
  so_far_.found = std::move(so_far_.last_whole->found);
  so_far_.take_facts(std::move(so_far_.last_whole->facts));
  if (so_far_.record.stages.size() <= kCache)
    so_far_.record.facts.no_media_writes = settings_.no_media_writes();
  for (Mark& part : so_far_.under_way.parts)
    std::ranges::move(part.notes, std::back_inserter(kept));
  std::ranges::move(so_far_.under_way.end.notes, std::back_inserter(kept));
  std::ranges::move(so_far_.take_notes(), std::back_inserter(kept));
}

Run Characterization::ended_by(const Error& error) {
  const Uninterruptible in_order;
  stopping_ = true;
  const std::optional<Error> another = another_drive();
  const auto trouble = written_.give_up(error.what());
  const Error& cause = another ? *another : error;
  const Error ended(cause.status(), cause.what() + (trouble ? "; " + *trouble : ""));
  if (nothing_is_known(another)) leave_without_model(ended, another);
  go_back_to_last_whole_stage();
  so_far_.ending = true;
  so_far_.record.ending.missing = error.what();
  Run run = as_it_is();
  run.not_restored.reset();  // are in the error
  run.journal_stays.reset();
  run.ended_by = ended;
  return run;
}

std::optional<Error> Characterization::how_it_ended(const model::Provenance& provenance,
                                                    bool complete) const {
  if (stages_.failed_write())
    return Error(ExitStatus::drive_error,
                 *stages_.failed_write() +
                     "; what had been written was read back and is as it was, and the run went on "
                     "with reads");
  const auto incomplete = [this](const std::string& why) {
    return Error(ExitStatus::incomplete,
                 fmt::format("the run on {} is incomplete: {}", options_.device_name, why));
  };
  if (const auto* unfinished = model::finding_of(provenance, model::Code::layout_unfinished))
    return incomplete(unfinished->text);
  if (!complete) return incomplete(so_far_.found.unchecked.value_or(""));
  return std::nullopt;
}

Run Characterization::run() {
  begin();
  time_.plan();  // a budget that is too short is refused before anything is written to files
  begin_session();
  settings_.stop_what_the_drive_does_on_its_own();
  stages_.settle_in();
  stages_.walk();
  finish();
  const bool complete = so_far_.record.stages.size() == stages_of(options_.power);
  Run run = as_it_is();
  run.ended_by = how_it_ended(run.model.provenance, complete);
  return run;
}

}  // namespace

Run characterize(scsi::Device& device, const Options& options) {
  Characterization run(device, options);
  try {
    return run.run();
  } catch (const std::exception& thrown) {
    return run.ended_by(model::as_error(thrown));
  }
}

}  // namespace platter::extract
