#include "extract/characterize.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "estimate/host.h"
#include "estimate/samples.h"
#include "extract/estimate.h"
#include "extract/geometry_hints.h"
#include "extract/map_forecast.h"
#include "extract/map_of_drive.h"
#include "extract/prospects.h"
#include "extract/resume.h"
#include "extract/rig.h"
#include "extract/sample_keeping.h"
#include "extract/self_validation.h"
#include "extract/settings_watch.h"
#include "extract/stages.h"
#include "extract/time_plan.h"
#include "extract/what_was_written.h"
#include "identity/drive_mark.h"
#include "model/as_error.h"
#include "model/interruption.h"
#include "mtbrc/access.h"
#include "mtbrc/round_trips.h"
#include "mtbrc/time_watch.h"
#include "safety/end_of_run.h"
#include "scsi/drive.h"
#include "scsi/physical_blocks.h"
#include "scsi/reply.h"
#include "scsi/self_description.h"

namespace platter::extract {
namespace {

// What ends a run and need not be so the next time.
bool goes_by(ExitStatus status) {
  return status == ExitStatus::interrupted || status == ExitStatus::drive_error ||
         status == ExitStatus::protocol || status == ExitStatus::output;
}

// A drive that does not translate addresses says so at once; that takes nothing of its media.
bool may_translate(scsi::Drive& drive) {
  try {
    return drive.addresses().translates();
  } catch (const scsi::DriveError&) {
    return true;  // of this try
  }
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
        guard_(device, scsi::Permission{true, options.writable}),
        drive_(guard_, options.device_name),
        context_(drive_, options.seed),
        settings_(options_, drive_, context_,
                  [this](model::Noted noted) { note(std::move(noted)); }),
        fitness_(drive_, options_.device_name,
                 [this](model::Noted noted) { note(std::move(noted)); }),
        maps_(context_, options.device_name, options.budget_s, options.map_by_time),
        written_(options_, device, guard_, drive_, settings_,
                 [this](model::Noted noted) { note(std::move(noted)); }),
        keeping_(options_.keeper),
        rig_{options_,
             guard_,
             context_,
             settings_,
             fitness_,
             maps_,
             found_,
             record_.facts,
             handed_,
             [this](model::Noted noted) { note(std::move(noted)); },
             [this](std::size_t from) { disturbed_since(from); }} {}
  Characterization(const Characterization&) = delete;
  Characterization& operator=(const Characterization&) = delete;

  Run run();
  // What there is of it after an error, the drive put in order. Throws that where the layout is not
  // known yet. Nothing else puts the drive in order: whoever runs it must take this end.
  [[nodiscard]] Run ended_by(const Error& error);

 private:
  void begin();
  void go_on_with_run();
  void begin_session();
  void settle_in();
  Cost cost();
  void tell_what_it_says_of_itself();
  void tell_what_it_said();
  void leave_out_what_is_skipped();
  void narrow_writes_to_physical_blocks();
  void keep_media_access(const scsi::CommandRecord& done);
  void read_last_anchors();
  void finish();
  Run as_it_is();

  bool nothing_is_known(const std::optional<Error>& another) const;
  [[noreturn]] void leave_without_model(const Error& ended, const std::optional<Error>& another);

  // The drive time that the run is expected to take is told before it begins.
  void plan_the_time();
  void announce(const std::string& what, double seconds);
  void announce_anew(std::size_t index, double took_s);
  void announce_by_map(double share, double stage_s);
  double elapsed_s() { return static_cast<double>(drive_.now_ns() - began_ns_) * 1e-9; }
  double check_of_writes_s(std::size_t index) const;
  void expect_angles();

  void walk();
  // What keeps a stage from being done; nullopt: nothing.
  std::optional<std::string> lacks(Needs needs);
  void stage(std::size_t index, const Stage& stage);
  void report_progress(std::size_t stage, double share, double stage_s);
  void attempt_stage(std::size_t index, const Stage& stage);
  void do_parts(const Stage& stage);
  // The first write that failed ends all writing: what was written is put right, and the run goes
  // on with reads.
  void go_on_without_writes(const scsi::WriteFailed& failure);
  template <class Body>
  void with_failed_writes_seen_to(const Body& body);
  template <class Body>
  void limited(std::size_t index, const Body& body);

  // Where an attempt began that may turn out to be void.
  struct Point {
    Findings found;
    Facts facts;
    std::size_t samples = 0, media_accesses = 0;
    model::Notes notes;
  };
  Point here() const;
  void go_back_to(const Point& point);
  void take_facts(Facts facts);
  void disturbed_since(std::size_t sample);
  Mark mark();
  Seen seen() const;
  void note(model::Noted noted);

  Options options_;  // of which a failed write takes the permission to write
  scsi::Guard guard_;
  scsi::Drive drive_;
  mtbrc::Context context_;
  RunSettings settings_;
  Fitness fitness_;
  MapOfDrive maps_;
  WhatWasWritten written_;
  SampleKeeping keeping_;
  Record record_;
  Session session_;  // what this process measures
  Findings found_;
  Handed handed_;
  Rig rig_;
  SettingsWatch watch_{settings_, drive_, context_,
                       [this](model::Noted noted) { note(std::move(noted)); },
                       [this](std::size_t from) { disturbed_since(from); }};
  mtbrc::TimeWatch time_{context_, [this](const mtbrc::TimeJump& jump, std::size_t from) {
                           record_.facts.jumps.push_back(jump);
                           from = std::max(from, first_sample_);
                           if (from < context_.samples.size()) disturbed_since(from);
                         }};
  std::optional<std::string> failed_write_;
  std::size_t stage_ = 0, first_sample_ = 0;  // of the stage under way
  StageRecord under_way_;
  model::Notes notes_;                                   // since the last mark
  std::optional<Point> last_whole_;                      // at the end of the last stage
  std::optional<std::optional<std::string>> prevented_;  // why nothing can be predicted; asked once
  Nanoseconds began_ns_ = 0;
  std::optional<TimePlan> plan_;
  MapForecast map_forecast_;
  double done_share_ = 0, announced_s_ = 0;
  bool stopping_ = false, ending_ = false;
};

// ---------------------------------------------------------------- what there is so far

// What happens again in each attempt is said once.
void Characterization::note(model::Noted noted) {
  if (noted.kind() != nullptr) noted.set_by(kStages[stage_].name);
  if (ending_) {
    record_.ending.notes.push_back(std::move(noted));
    return;
  }
  if (std::ranges::find(notes_, noted) == notes_.end()) notes_.push_back(noted);
  found_.note(noted);
}

Mark Characterization::mark() {
  return {context_.samples.size(), record_.media_accesses.size(),
          record_.facts.cache.observations.size(), std::exchange(notes_, {})};
}

Seen Characterization::seen() const {
  return {context_.samples, first_sample_, record_.media_accesses, record_.facts.cache,
          record_.facts};
}

Characterization::Point Characterization::here() const {
  return {found_, record_.facts, context_.samples.size(), record_.media_accesses.size(), notes_};
}

void Characterization::disturbed_since(std::size_t sample) {
  estimate::disturb(context_.samples, sample);
  keeping_.disturbed(sample, seen());
}

// Time has jumped whatever becomes of what was measured.
void Characterization::take_facts(Facts facts) {
  facts.jumps = std::move(record_.facts.jumps);
  record_.facts = std::move(facts);
}

void Characterization::go_back_to(const Point& point) {
  found_ = point.found;
  context_.map = found_.map.get();
  take_facts(point.facts);
  context_.samples.resize(point.samples);
  record_.media_accesses.resize(point.media_accesses);
  notes_ = point.notes;
  under_way_ = {};
  keeping_.begin_anew(seen());
}

// ---------------------------------------------------------------- time

// By the speed that the drive says it has; what it says wrong shows in the first stages.
void Characterization::plan_the_time() {
  plan_.emplace(nominal_speed(drive_).rpm, options_.budget_s, options_.precision);
  for (std::size_t done = 0; done < session_.stages_before; ++done) plan_->leave_out(done);
  const bool map_is_to_come = session_.stages_before <= kLayout;
  if (!map_is_to_come && !found_.map) plan_->expect_no_map();
  const bool by_time = map_is_to_come && record_.facts.answers.empty() && !may_translate(drive_);
  if (by_time && options_.map_by_time == MapByTime::none) plan_->expect_no_map();
  if (by_time && options_.map_by_time != MapByTime::none)
    plan_->expect_map_by_timing(static_cast<double>(drive_.blocks()) * drive_.block_bytes());
  if (options_.budget_s && *options_.budget_s < plan_->least_s())
    throw Error(
        ExitStatus::usage,
        fmt::format("a budget of {:.0f} s is too short for a model of {}: give it {:.0f} s at "
                    "least, or no --budget",
                    *options_.budget_s, options_.device_name, std::ceil(plan_->least_s())));
  announce(options_.resumed ? "expected drive time of what was left to do" : "expected drive time",
           plan_->expected_s());
}

void Characterization::announce(const std::string& what, double seconds) {
  announced_s_ = seconds;
  note(fmt::format("{}: about {:.0f} s", what, seconds));
  if (options_.expected) options_.expected(seconds);
}

// What is expected of the whole run once the layout is known, and again where a later stage shows
// that to be wrong.
void Characterization::announce_anew(std::size_t index, double took_s) {
  constexpr double kWrong = 1.25;
  if (index == kLayout && !found_.map) plan_->expect_no_map();
  if (options_.budget_s || index < kLayout) return;
  if (!found_.map && index != kLayout) return;
  if (index == kLayout && found_.map) {
    expect_angles();
    if (const auto host = estimate::host_delay(context_.samples))
      plan_->expect_host(host->spread_ms());
  }
  plan_->took(index, took_s);
  const double seconds = plan_->forecast_s(index, elapsed_s());
  const double apart = seconds / announced_s_;
  if (index == kLayout && found_.map)
    announce("expected drive time since the layout is known", seconds);
  else if (!found_.map && (apart > kWrong || apart < 1 / kWrong))
    announce("expected drive time since no map was found", seconds);
  else if (apart > kWrong || apart < 1 / kWrong)
    announce(fmt::format("expected drive time since the stage '{}'", kStages[index].name), seconds);
}

// What reading back takes at the end, of what has been written so far and of the self-validation's
// writes, all of which lie apart.
double Characterization::check_of_writes_s(std::size_t index) const {
  constexpr double kSeek_s = 0.002, kOfTurn = 0.9;
  constexpr std::size_t kValidationWrites = 150;
  const auto reads = written_.reads_of_check();
  if (options_.writable.empty() || !reads || found_.rotation.numerator_ns == 0) return 0;
  const double read_s = kSeek_s + kOfTurn * context_.period_ns() * 1e-9;
  return read_s * static_cast<double>(*reads + (index <= kSelfValidation ? kValidationWrites : 0));
}

// Within the time that the budget leaves.
template <class Body>
void Characterization::limited(std::size_t index, const Body& body) {
  const Nanoseconds began_ns = drive_.now_ns();
  const auto limit_s = plan_->limit_s(index, elapsed_s() + check_of_writes_s(index));
  if (limit_s) context_.deadline_ns = began_ns + std::max<Nanoseconds>(1, from_ms(*limit_s * 1e3));
  body();
  context_.deadline_ns = 0;
  if (!limit_s) return;
  const double took_s = static_cast<double>(drive_.now_ns() - began_ns) * 1e-9;
  constexpr double kAllOfIt = 0.97;
  if (*limit_s < plan_->full_s(index) || took_s > kAllOfIt * *limit_s)
    note(fmt::format("the budget left {:.1f} s of about {:.1f} s for the stage '{}'", *limit_s,
                     std::max(plan_->full_s(index), *limit_s), kStages[index].name));
}

// What the map says of it.
void Characterization::expect_angles() {
  constexpr double kOfVisits = 0.55;  // of the stage's time; the rest tells tracks' lengths, and
                                      // checks
  constexpr double kTurns = 1.3, kComfortable = 4;
  const double least_s = maps_.visits() * kTurns * context_.period_ns() * 1e-9 / kOfVisits;
  plan_->expect(kAngles, kComfortable * least_s, least_s);
  const double needs_s = elapsed_s() + plan_->least_s(kAngles);
  if (options_.budget_s && *options_.budget_s < needs_s)
    note({model::Code::budget_too_short,
          fmt::format("the budget of {:.0f} s is too short for this drive's map of {} zones: every "
                      "stage has less than it needs at least, for which {:.0f} s would be enough",
                      *options_.budget_s, maps_.zones(), std::ceil(needs_s))});
}

// ---------------------------------------------------------------- stages

void Characterization::walk() {
  for (std::size_t index = session_.stages_before; index < kStages.size(); ++index) {
    if (index == kSelfValidation && found_.map && !record_.facts.not_taken_back)
      with_failed_writes_seen_to([this] {
        settings_.set(Caches::off);
        read_last_anchors();
      });
    if (lacks(least_needs(kStages[index]))) continue;
    if (index == kAngles && options_.budget_s) expect_angles();
    stage(index, kStages[index]);
  }
  if (found_.map || record_.facts.not_taken_back) return;
  Stage alone = kStages[kRotation];
  alone.parts.front().experiment = measure_rotation_alone;
  plan_->expect_rotation_alone();
  stage(kRotation, alone);
}

// A model that lacks what a prediction needs (a budget was short, a time came out below zero) is
// written all the same. Where the drive's settings are not what they should be nothing more can be
// measured.
std::optional<std::string> Characterization::lacks(Needs needs) {
  if (record_.facts.not_taken_back) return record_.facts.not_taken_back;
  if (needs == Needs::nothing) return std::nullopt;
  if (!found_.map) return "the layout is not known";
  if (needs == Needs::map) return std::nullopt;
  if (!prevented_) prevented_ = what_prevents_prediction(found_.model);
  return *prevented_;
}

void Characterization::stage(std::size_t index, const Stage& stage) {
  stage_ = index;
  with_failed_writes_seen_to([&] { attempt_stage(index, stage); });
  announce_anew(index, under_way_.drive_seconds);
  under_way_.end = mark();
  found_.model.provenance.stages.push_back(
      {std::string(stage.name), under_way_.drive_seconds, under_way_.commands});
  under_way_.so_far = cost();
  const std::optional<Error> not_kept = keeping_.end_stage(under_way_, record_.ending, seen());
  found_.stage = stage.name;
  if (stage.conclude != nullptr) stage.conclude(seen(), found_);
  found_.stage = {};
  record_.stages.push_back(std::exchange(under_way_, {}));
  last_whole_ = here();
  if (not_kept) throw Error(*not_kept);
}

// What was measured until a write failed is void, and measured again.
template <class Body>
void Characterization::with_failed_writes_seen_to(const Body& body) {
  const Point before = here();
  try {
    body();
  } catch (const scsi::WriteFailed& failure) {
    context_.deadline_ns = 0;
    go_back_to(before);
    go_on_without_writes(failure);
    body();
  }
}

void Characterization::go_on_without_writes(const scsi::WriteFailed& failure) {
  failed_write_ = failure.what();
  record_.ending.failed_write = {stage_};
  options_.writable.clear();
  settings_.end_writes("a write failed, and nothing was written from then on");
  note({model::Code::write_failed,
        fmt::format("{}: nothing was written from then on", failure.what())});
  const safety::EndOfRun now = written_.check();
  if (!now.well()) throw Error(ExitStatus::drive_error, failure.what());  // the end tells of it
  if (now.media.put_back.empty()) return;
  note({model::Code::put_back,
        fmt::format(
            "after the failed write the drive did not hold what it had held, and it was put back: "
            "{}",
            safety::in_words(now.media.put_back))});
}

// One stage of the run: its time, its progress, and that the drive's settings held through it. A
// reset behind the run's back, or another host, changes the settings in silence; what was measured
// since is void, and so is what was noted of it.
void Characterization::attempt_stage(std::size_t index, const Stage& stage) {
  const Caches caches = stage.caches;
  const Nanoseconds began_ns = drive_.now_ns();
  context_.progress = [this, stage, index, began_ns](const std::string&, double share) {
    report_progress(index, share, static_cast<double>(drive_.now_ns() - began_ns) * 1e-9);
  };
  context_.report(std::string(stage.name), 0);
  const std::uint64_t commands = drive_.commands() + handed_.queued_commands;
  // The last ones go on to their end, whatever is reported meanwhile.
  constexpr int kAttempts = 5, kMayBreak = 3;
  if (caches != Caches::any &&
      (caches != settings_.caches() || settings_.was_reset() || !settings_.held()))
    settings_.set(caches);
  for (int attempt = 1;; ++attempt) {
    const Point before = here();
    under_way_ = {};
    under_way_.stage = index;
    first_sample_ = context_.samples.size();
    time_.refer_to(caches == Caches::off ? std::optional(settings_.reference_lbn) : std::nullopt);
    try {
      watch_.begin(std::string(stage.name), caches, attempt < kMayBreak);
      limited(index, [&] { do_parts(stage); });
      watch_.end();
    } catch (const StageBroken&) {
      watch_.end();
      context_.deadline_ns = 0;
    } catch (const scsi::DriveError& error) {
      watch_.end();
      context_.deadline_ns = 0;
      const bool shortened = fitness_.shorten_commands(error);
      if (!shortened && (attempt >= kAttempts || !error.may_do_elsewhere())) throw;
      go_back_to(before);
      if (shortened) {
        fitness_.tell_shortest_limit();
        --attempt;
      } else {
        note(fmt::format("a command failed, and the stage '{}' was repeated: {}", stage.name,
                         error.what()));
      }
      if (caches != Caches::any) settings_.set(caches);
      continue;
    }
    if (caches == Caches::any || record_.facts.not_taken_back) break;
    const bool held = settings_.held();
    if (held && !settings_.was_reset()) break;
    if (attempt == kAttempts && !held)
      throw Error(
          ExitStatus::drive_error,
          fmt::format("{} keeps losing its settings during the stage '{}'; look for resets in "
                      "the kernel's log and try again",
                      options_.device_name, stage.name));
    if (attempt == kAttempts) {
      note({model::Code::settings_unsteady,
            fmt::format("the drive reported resets or changed settings in all of {} attempts of "
                        "the stage '{}'; the settings held through the last",
                        kAttempts, stage.name)});
      break;
    }
    go_back_to(before);
    note(
        fmt::format("the drive was reset, or its settings were changed, during the stage '{}', "
                    "which was repeated",
                    stage.name));
    settings_.set(caches);
  }
  under_way_.drive_seconds = static_cast<double>(drive_.now_ns() - began_ns) * 1e-9;
  under_way_.commands = drive_.commands() + handed_.queued_commands - commands;
}

// By what was met of the map so far.
void Characterization::announce_by_map(double share, double stage_s) {
  if (options_.budget_s || !plan_) return;
  const auto left_s = map_forecast_.left_s(share, stage_s);
  if (!left_s) return;
  announce(fmt::format("expected drive time since {:.0f} % of the map", 100 * share),
           plan_->forecast_s(kLayout, elapsed_s() + *left_s));
}

void Characterization::report_progress(std::size_t stage, double share, double stage_s) {
  if (stage == kLayout) announce_by_map(share, stage_s);
  if (!options_.progress || !plan_) return;
  const double left_s = plan_->left_s(stage, share, stage_s, elapsed_s());
  // What is left may turn out to be more; nobody likes to see less done.
  done_share_ = std::max(done_share_, elapsed_s() / (elapsed_s() + left_s));
  options_.progress(std::string(kStages[stage].name), done_share_, left_s);
}

// Each part's samples are estimated at once, for the next one to rest on.
void Characterization::do_parts(const Stage& stage) {
  const bool writes = !settings_.media_writes().empty();
  const auto takes_time = [writes](const Part& part) {
    return part.experiment != nullptr && (writes || !part.writes);
  };
  constexpr std::uint32_t kRoundTrips = 24;  // Chosen: a median within 5 us on a quiet host
  if (found_.rotation.numerator_ns > 0) mtbrc::measure_round_trips(context_, kRoundTrips);
  for (auto part = stage.parts.begin(); part != stage.parts.end(); ++part) {
    if (part->experiment == nullptr) break;
    const bool left_out = part->needs == Needs::map && !found_.map;
    if (left_out) {
      // its mark alone, so that each has its own
    } else if (std::any_of(std::next(part), stage.parts.end(), takes_time) && part->share < 1) {
      const mtbrc::PartOfTime time(context_, part->share);
      part->experiment(rig_);
    } else {
      part->experiment(rig_);
    }
    under_way_.parts.push_back(mark());
    keeping_.end_part(under_way_.parts.back(), seen());
    if (part->estimate == nullptr || left_out) continue;
    found_.stage = stage.name;
    part->estimate(seen(), found_);
    found_.stage = {};
    context_.map = found_.map.get();
  }
}

// ---------------------------------------------------------------- begin and end

void Characterization::begin() {
  context_.precision = options_.precision;
  drive_.on_command([this](const scsi::CommandRecord& done) {
    time_.after_command();
    keep_media_access(done);
    if (stopping_) return;
    keeping_.keep_what_came(seen());
    watch_.after(done);
    if (!options_.interrupted || !options_.interrupted()) return;
    stopping_ = true;  // what restores the settings must get through
    throw Error(ExitStatus::interrupted, "interrupted; the drive's settings were restored");
  });
  drive_.identify();
  drive_.confirm_capacity(options_.skip);
  record_.identity = drive_.identify();
  tell_what_it_says_of_itself();
  if (options_.resumed)
    go_on_with_run();
  else
    found_.model.identity = record_.identity;
  for (const std::string& condition : options_.conditions) note(condition);
  fitness_.require_rotation();
  began_ns_ = drive_.now_ns();
  session_.writable = options_.writable;
  session_.seed = options_.seed;
  for (const LbnRange& range : options_.writable)
    if (range.last >= drive_.blocks() || range.first > range.last)
      throw Error(ExitStatus::usage,
                  fmt::format("the range {}-{} given for writes is not on {}, whose last LBN is {}",
                              range.first, range.last, options_.device_name, drive_.blocks() - 1));
  leave_out_what_is_skipped();
  narrow_writes_to_physical_blocks();
  fitness_.require_long_enough_commands();
  fitness_.require_no_tags(!options_.writable.empty());
  fitness_.leave_out_what_is_unmapped();
  settings_.reference_lbn = fitness_.require_readable_block();
  session_.settings = settings_.remember();
  if (options_.resumed)
    require_settings_of_run(record_.sessions.front(), session_.settings, options_.device_name,
                            options_.resumed->name);
  written_.begin(record_.identity, session_.settings);
}

void Characterization::tell_what_it_says_of_itself() {
  for (const std::string& doubt : drive_.who().doubts)
    note({model::Code::identity_doubtful, doubt});
  const scsi::SelfDescription described = scsi::describe(drive_);
  described.into(record_.identity);
  for (model::Noted& doubt : described.doubts()) note(std::move(doubt));
}

// Beside its answers, and in what other words than usual.
void Characterization::tell_what_it_said() {
  for (const auto& [words, count] : drive_.said().warnings) {
    record_.identity.failure_predicted = words;
    found_.model.identity.failure_predicted = words;
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
  session_.skipped = options_.skip;
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
  require_drive_of_run(taken.record, record_.identity, options_.device_name, name);
  options_.skip = skipped_by(taken.record, options_.skip, name);
  record_ = std::move(taken.record);
  found_ = std::move(taken.found);
  session_ = std::move(taken.session);
  context_.samples = std::move(record_.samples);
  context_.rotation = found_.rotation;
  context_.map = found_.map.get();
  context_.session =
      static_cast<std::uint32_t>(record_.sessions.size() + record_.facts.jumps.size());
  // Else the choices of an earlier session would be made once more.
  std::seed_seq seeds{static_cast<std::uint32_t>(options_.seed),
                      static_cast<std::uint32_t>(options_.seed >> 32), context_.session};
  context_.random.seed(seeds);
  maps_.take_up(record_.facts.layout);
  // What a cache may still hold, as far as the samples tell.
  for (const estimate::Sample& sample : context_.samples)
    if (sample.blocks > 0 && !sample.write && !sample.verify)
      drive_.note_read(sample.lbn, sample.blocks);
  for (const cache_probe::Observation& seen : record_.facts.cache.observations)
    if (seen.blocks > 0 && !seen.write) drive_.note_read(seen.lbn, seen.blocks);
}

void Characterization::begin_session() {
  session_.number = context_.session;
  if (options_.keeper != nullptr) {
    Record before = record_;
    before.samples = context_.samples;
    keeping_.begin(before, session_, record_.facts);
  }
  record_.sessions.push_back(session_);
  if (!record_.stages.empty()) last_whole_ = here();
}

// A drive that was at rest, or off, since the stages that are done.
void Characterization::settle_in() {
  if (record_.stages.empty()) return;
  fitness_.warm_up(context_);
  if (record_.stages.size() <= kRotation) return;
  if (record_.ending.failed_write) {
    options_.writable.clear();
    settings_.end_writes("a write failed, and nothing was written from then on");
  }
  stage_ = session_.stages_before;
  with_failed_writes_seen_to([this] { settings_.find_out_again(); });
  fitness_.require_reads_from_the_media(context_);
  read_last_anchors();
}

Cost Characterization::cost() {
  const Cost& before = session_.before;
  return {before.drive_seconds + static_cast<double>(drive_.now_ns() - began_ns_) * 1e-9,
          before.commands + drive_.commands() + handed_.queued_commands,
          before.translations + drive_.translations(),
          before.bytes_written + drive_.bytes_written()};
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

// With caches off, or nothing written into them, no command waits for another one's work.
void Characterization::keep_media_access(const scsi::CommandRecord& done) {
  const bool alone = settings_.caches() == Caches::off ||
                     (settings_.caches() == Caches::as_found && options_.writable.empty());
  if (!alone || done.blocks == 0 || done.status != scsi::Status::good) return;
  record_.media_accesses.push_back({.blocks = done.blocks,
                                    .issued_ns = done.issued_ns,
                                    .completed_ns = done.completed_ns,
                                    .session = session_.number});
}

// The longest baseline for the period: from the run's first revolutions to its last.
void Characterization::read_last_anchors() {
  constexpr int kReads = 12;
  if (context_.reads_once) return;  // it was read before
  first_sample_ = context_.samples.size();
  time_.refer_to(settings_.reference_lbn);
  mtbrc::Accesses accesses(context_);
  for (int i = 0; i < kReads; ++i)
    accesses.probe(estimate::Experiment::anchor, settings_.reference_lbn);
}

void Characterization::finish() {
  record_.notes = std::exchange(notes_, {});
  require_the_same_drive(guard_, options_.device_name, record_.identity);
  ending_ = true;
  if (found_.map)
    for (auto& hint : contradicted_hints(drive_, found_.model.layout, *found_.map))
      note({model::Code::geometry_hints_differ, std::move(hint)});
  stopping_ = true;  // a signal comes too late
  written_.put_in_order();
  if (written_.is_another_drive())
    throw scsi::AnotherDrive(
        ExitStatus::drive_error,
        options_.device_name + " was replaced while it was measured, and no model is written");
  record_.ending.finished = true;
}

// The record is closed, and the model concluded.
Run Characterization::as_it_is() {
  const Uninterruptible in_order;
  settings_.tell_what_was_stopped();
  Ending& ending = record_.ending;
  ending.source = options_.device_name;
  ending.cost = cost();
  ending.seed = options_.seed;
  if (const double took_s = elapsed_s(); options_.budget_s && took_s > *options_.budget_s)
    note(
        fmt::format("the run took {:.1f} s, more than the budget of {:.1f} s, because of commands "
                    "that no limit "
                    "stops",
                    took_s, *options_.budget_s));
  tell_what_it_said();
  if (drive_.unit_attentions() > 0)
    note(fmt::format("{} unit attentions were seen and retried", drive_.unit_attentions()));
  if (!context_.samples.empty()) record_.samples = std::move(context_.samples);
  keeping_.end(record_);
  conclude_run(record_, found_);
  return {std::move(found_.model), std::move(record_),       written_.not_restored(),
          written_.not_verified(), written_.journal_stays(), std::nullopt};
}

bool Characterization::nothing_is_known(const std::optional<Error>& another) const {
  return another || written_.is_another_drive() || !last_whole_ ||
         last_whole_->found.model.layout.zones.empty();
}

void Characterization::leave_without_model(const Error& ended,
                                           const std::optional<Error>& another) {
  const bool may_go_on = !another && !written_.is_another_drive() &&
                         record_.stages.size() > kRotation && goes_by(ended.status());
  if (!options_.resumed && !may_go_on) keeping_.throw_away();
  if (keeping_.goes_on() && may_go_on) keeping_.leave_it_to_a_later_run(seen());
  throw Error(ended);
}

// What was measured up to the end of the last whole stage; what a stage had half done is in the
// samples.
Run Characterization::ended_by(const Error& error) {
  const Uninterruptible in_order;
  stopping_ = true;
  std::optional<Error> another;
  try {
    if (record_.identity.blocks > 0)
      require_the_same_drive(guard_, options_.device_name, record_.identity);  // who it is was
                                                                               // known
  } catch (const scsi::AnotherDrive& found) {
    another = found;
  } catch (const std::exception&) {  // it does not answer: what was measured is of the drive
  }
  const auto trouble = written_.give_up(error.what());
  const Error& cause = another ? *another : error;
  const Error ended(cause.status(), cause.what() + (trouble ? "; " + *trouble : ""));
  if (nothing_is_known(another)) leave_without_model(ended, another);
  found_ = std::move(last_whole_->found);
  take_facts(std::move(last_whole_->facts));
  if (record_.stages.size() <= kCache) record_.facts.no_media_writes = settings_.no_media_writes();
  // Those of the stage that was broken off.
  for (Mark& part : under_way_.parts)
    std::ranges::move(part.notes, std::back_inserter(record_.notes));
  std::ranges::move(under_way_.end.notes, std::back_inserter(record_.notes));
  std::ranges::move(notes_, std::back_inserter(record_.notes));
  ending_ = true;
  record_.ending.missing = error.what();
  Run run = as_it_is();
  run.not_restored.reset();  // are in the error
  run.journal_stays.reset();
  run.ended_by = ended;
  return run;
}

Run Characterization::run() {
  begin();
  plan_the_time();  // a budget that is too short is refused before anything is written to files
  begin_session();
  settings_.stop_what_the_drive_does_on_its_own();
  settle_in();
  walk();
  finish();
  const bool complete = record_.stages.size() == kStages.size();
  Run run = as_it_is();
  if (failed_write_)
    run.ended_by = Error(ExitStatus::drive_error,
                         *failed_write_ +
                             "; what had been written was read back and is as it was, and the run "
                             "went on with reads");
  else if (const auto* unfinished = model::finding_of(run.model.provenance,
                                                      model::Code::layout_unfinished))
    run.ended_by = Error(
        ExitStatus::incomplete,
        fmt::format("the run on {} is incomplete: {}", options_.device_name, unfinished->text));
  else if (!complete)
    run.ended_by = Error(ExitStatus::incomplete,
                         fmt::format("the run on {} is incomplete: {}", options_.device_name,
                                     found_.unchecked.value_or("")));
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
