#include "extract/characterize.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "extract/cache_findings.h"
#include "extract/fitness.h"
#include "extract/geometry_hints.h"
#include "extract/impossible_values.h"
#include "extract/queue_behaviour.h"
#include "extract/reads_in_a_row.h"
#include "extract/run_settings.h"
#include "extract/self_validation.h"
#include "extract/stages.h"
#include "extract/time_plan.h"
#include "extract/translated_map.h"
#include "extract/unexplained.h"
#include "layout/extract.h"
#include "model/drive_mark.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/parameters.h"
#include "model/validate.h"
#include "mtbrc/access.h"
#include "mtbrc/angle.h"
#include "mtbrc/empty_units.h"
#include "mtbrc/overheads.h"
#include "mtbrc/rotation.h"
#include "mtbrc/seek.h"
#include "mtbrc/switches.h"
#include "mtbrc/track_pitch.h"
#include "mtbrc/watermark.h"
#include "mtbrc/write_seek.h"
#include "mtbrc/zone_shape.h"
#include "safety/end_of_run.h"
#include "safety/journal.h"
#include "scsi/drive.h"
#include "scsi/physical_blocks.h"

namespace platter::extract {
namespace {

using Body = std::function<void()>;

// The layout cannot be had in the time that is left; it is of no use in part.
struct OutOfTime {};

// Of the period: what later stages need to count revolutions from anchor to anchor. Their anchors
// lie minutes apart in the end, and tell it much better than so many reads in a row could. Without
// a map there are none.
constexpr double kFirstPeriodError = 1.5e-6, kOnlyPeriodError = 1e-7;

class Characterization {
 public:
  Characterization(scsi::Device& device, const Options& options)
      : options_(options),
        device_(device),
        guard_(device, scsi::Permission{true, options.writable}),
        drive_(guard_, options.device_name),
        context_(drive_, options.seed),
        settings_(options_, drive_, context_,
                  [this](std::string note) { add_note(std::move(note)); }),
        fitness_(drive_, options_.device_name,
                 [this](std::string note) { add_note(std::move(note)); }) {}
  ~Characterization();
  // After an error: the settings are put back. What to do where that fails.
  std::optional<std::string> give_up();
  Characterization(const Characterization&) = delete;
  Characterization& operator=(const Characterization&) = delete;

  Run run();
  // What there is of it after an error. Throws that where the layout is not known yet.
  Run ended_by(const Error& error);

 private:
  void begin();
  void narrow_writes_to_physical_blocks();
  void keep_media_access(const scsi::CommandRecord& done);
  void measure_rotation(double relative_error);
  void extract_layout();
  void measure_angles();
  void measure_seeks();
  void measure_switches();
  void measure_overheads();
  void tell_why_no_media_writes();
  void probe_cache();
  void read_last_anchors();
  void replay_mixed();
  void validate_itself();
  void measure_queue();
  void check_the_model();
  void put_back_settings();
  safety::EndOfRun check_written();
  void look_after_what_was_written();
  std::string advice_of(const Error& error) const;
  void finish();
  void require_the_same_drive();

  // The drive time that the run is expected to take is told before it begins.
  void plan_the_time();
  double elapsed_s() { return static_cast<double>(drive_.now_ns() - began_ns_) * 1e-9; }
  double check_of_writes_s(std::size_t index) const;
  void expect_angles();
  // Two experiments that share the time of a stage: what the first leaves is the second's.
  void in_turn(double share_of_first, const Body& first, const Body& second);

  // One stage of the run: its time, its progress, and that the drive's settings held through it.
  void stage(std::size_t index, Caches caches, const Body& body);
  void attempt_stage(std::size_t index, Caches caches, const Body& body);
  // The first write that failed ends all writing: what was written is put right, and the run goes
  // on with reads.
  void go_on_without_writes(const scsi::WriteFailed& failure);
  void with_failed_writes_seen_to(const Body& body);
  void tell_what_is_missing(const std::string& reason);
  Run as_it_is();
  void limited(std::size_t index, const Body& body);
  struct Measured {
    std::vector<std::string> notes;
    std::size_t samples = 0, media_accesses = 0;
  };
  Measured measured_so_far() const;
  void make_void_since(const Measured& before);
  void add_note(std::string note);

  Options options_;  // of which a failed write takes the permission to write
  scsi::Device& device_;
  scsi::Guard guard_;
  scsi::Drive drive_;
  mtbrc::Context context_;
  RunSettings settings_;
  Fitness fitness_;
  std::optional<safety::Journal> journal_;
  std::optional<std::string> not_restored_, not_verified_, failed_write_;
  std::size_t stage_ = 0, writes_failed_in_ = 0;
  std::vector<std::size_t> done_stages_;
  std::optional<model::DriveModel> last_whole_;  // the model at the end of the last stage
  std::optional<std::string> not_taken_back_;    // settings, after a test of them
  std::optional<engine::LayoutMap> map_;
  model::Layout translated_;  // as translation tells it
  CacheFindings cache_;
  mtbrc::Samples media_accesses_;  // of all stages, when and how long
  model::DriveModel model_;
  Nanoseconds began_ns_ = 0;
  std::optional<TimePlan> plan_;
  Nanoseconds layout_deadline_ns_ = 0;
  replay::Result mixed_;
  std::uint64_t queued_commands_ = 0;
  double done_weight_ = 0;
  std::string why_incomplete_;
  bool stopping_ = false;
};

// A run that ends early puts the drive in order, too. Where the drive does not answer any more, the
// journal stays for `platter restore`; what to do then.
std::optional<std::string> Characterization::give_up() {
  stopping_ = true;
  if (journal_) put_back_settings();
  return not_restored_;
}

Characterization::~Characterization() { give_up(); }

void Characterization::in_turn(double share_of_first, const Body& first, const Body& second) {
  {
    const mtbrc::PartOfTime part(context_, share_of_first);
    first();
  }
  second();
}

// By the speed that the drive says it has; what it says wrong shows in the first stages.
void Characterization::plan_the_time() {
  double rpm = 0;
  if (const auto page = drive_.vpd_page(0xB1))
    if (const auto said = scsi::decode_characteristics(*page)) rpm = said->rotation_rate;
  if (const auto page = drive_.mode_page(0x04, scsi::PageControl::current); page && rpm <= 1)
    if (const auto said = scsi::decode_geometry_page(*page)) rpm = said->rpm;
  plan_.emplace(rpm, options_.budget_s);
  if (options_.budget_s && *options_.budget_s < plan_->least_s())
    throw Error(
        ExitStatus::usage,
        fmt::format("a budget of {:.0f} s is too short for a model of {}: give it {:.0f} s at "
                    "least, or no --budget",
                    *options_.budget_s, options_.device_name, std::ceil(plan_->least_s())));
  const double seconds = plan_->expected_s();
  add_note(fmt::format("expected drive time: about {:.0f} s", seconds));
  if (options_.expected) options_.expected(seconds);
}

// What happens again in each attempt is said once.
void Characterization::add_note(std::string note) {
  auto& notes = model_.provenance.notes;
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
}

// What reading back takes at the end, of what has been written so far and of the self-validation's
// writes, all of which lie apart.
double Characterization::check_of_writes_s(std::size_t index) const {
  constexpr double kSeek_s = 0.002, kOfTurn = 0.9;
  constexpr std::size_t kValidationWrites = 150;
  if (options_.writable.empty() || !journal_ || model_.rotation.numerator_ns == 0) return 0;
  const double read_s = kSeek_s + kOfTurn * context_.period_ns() * 1e-9;
  const std::size_t reads = safety::reads_of_check(journal_->contents());
  return read_s * static_cast<double>(reads + (index <= kSelfValidation ? kValidationWrites : 0));
}

// Within the time that the budget leaves.
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
    add_note(fmt::format("the budget left {:.1f} s of about {:.1f} s for the stage '{}'", *limit_s,
                         std::max(plan_->full_s(index), *limit_s), kStages[index].name));
}

Characterization::Measured Characterization::measured_so_far() const {
  return {model_.provenance.notes, context_.samples.size(), media_accesses_.size()};
}

void Characterization::make_void_since(const Measured& before) {
  model_.provenance.notes = before.notes;
  context_.samples.resize(before.samples);
  media_accesses_.resize(before.media_accesses);
}

// A reset behind the run's back, or another host, changes the settings in silence; what was
// measured since is void, and so is what was noted of it.
void Characterization::stage(std::size_t index, Caches caches, const Body& body) {
  stage_ = index;
  with_failed_writes_seen_to([&] { attempt_stage(index, caches, body); });
  done_stages_.push_back(index);
  last_whole_ = model_;
}

// What was measured until a write failed is void, and measured again.
void Characterization::with_failed_writes_seen_to(const Body& body) {
  const Measured before = measured_so_far();
  try {
    body();
  } catch (const scsi::WriteFailed& failure) {
    context_.deadline_ns = 0;
    make_void_since(before);
    go_on_without_writes(failure);
    body();
  }
}

void Characterization::go_on_without_writes(const scsi::WriteFailed& failure) {
  failed_write_ = failure.what();
  writes_failed_in_ = stage_;
  options_.writable.clear();
  settings_.end_writes("a write failed, and nothing was written from then on");
  add_note(fmt::format("{}: nothing was written from then on", failure.what()));
  const safety::EndOfRun now = check_written();
  if (!now.well())
    throw Error(ExitStatus::drive_error, fmt::format("{}; {}", failure.what(), now.trouble));
  if (now.media.put_back.empty()) return;
  add_note(fmt::format(
      "after the failed write the drive did not hold what it had held, and it was put back: {}",
      safety::in_words(now.media.put_back)));
}

// One stage of the run: its time, its progress, and that the drive's settings held through it.
void Characterization::attempt_stage(std::size_t index, Caches caches, const Body& body) {
  const Stage& stage = kStages[index];
  context_.progress = [this, stage](const std::string&, double share) {
    if (options_.progress)
      options_.progress(std::string(stage.name),
                        (done_weight_ + share * stage.weight) / kAllWeights);
  };
  context_.report(std::string(stage.name), 0);
  const Nanoseconds began_ns = drive_.now_ns();
  const std::uint64_t commands = drive_.commands() + queued_commands_;
  constexpr int kAttempts = 3;
  if (caches != Caches::any &&
      (caches != settings_.caches() || settings_.was_reset() || !settings_.held()))
    settings_.set(caches);
  for (int attempt = 1;; ++attempt) {
    const Measured before = measured_so_far();
    try {
      limited(index, body);
    } catch (const scsi::DriveError& error) {
      context_.deadline_ns = 0;
      if (!fitness_.shorten_commands(error)) throw;
      make_void_since(before);
      fitness_.tell_shortest_limit();
      if (caches != Caches::any) settings_.set(caches);
      --attempt;
      continue;
    }
    if (caches == Caches::any || not_taken_back_) break;
    const bool held = settings_.held();
    if (held && !settings_.was_reset()) break;
    if (attempt == kAttempts && !held)
      throw Error(
          ExitStatus::drive_error,
          fmt::format("{} keeps losing its settings during the stage '{}'; look for resets in "
                      "the kernel's log and try again",
                      options_.device_name, stage.name));
    if (attempt == kAttempts) {
      add_note(
          fmt::format("the drive reported resets or changed settings in all of {} attempts of the "
                      "stage '{}'; the settings held through the last",
                      kAttempts, stage.name));
      break;
    }
    make_void_since(before);
    add_note(
        fmt::format("the drive was reset, or its settings were changed, during the stage '{}', "
                    "which was repeated",
                    stage.name));
    settings_.set(caches);
  }
  model_.provenance.stages.push_back({std::string(stage.name),
                                      static_cast<double>(drive_.now_ns() - began_ns) * 1e-9,
                                      drive_.commands() + queued_commands_ - commands});
  done_weight_ += stage.weight;
}

void Characterization::begin() {
  drive_.on_command([this](const scsi::CommandRecord& done) {
    keep_media_access(done);
    if (layout_deadline_ns_ > 0 && !stopping_ && drive_.now_ns() > layout_deadline_ns_) {
      layout_deadline_ns_ = 0;
      throw OutOfTime{};
    }
    if (stopping_ || !options_.interrupted || !options_.interrupted()) return;
    stopping_ = true;  // what restores the settings must get through
    throw Error(ExitStatus::interrupted, "interrupted; the drive's settings were restored");
  });
  model_.identity = drive_.identify();
  fitness_.require_rotation();
  began_ns_ = drive_.now_ns();
  for (const LbnRange& range : options_.writable)
    if (range.last >= drive_.blocks() || range.first > range.last)
      throw Error(ExitStatus::usage,
                  fmt::format("the range {}-{} given for writes is not on {}, whose last LBN is {}",
                              range.first, range.last, options_.device_name, drive_.blocks() - 1));
  narrow_writes_to_physical_blocks();
  fitness_.require_long_enough_commands();
  fitness_.require_no_tags(!options_.writable.empty());
  fitness_.leave_out_what_is_unmapped();
  settings_.reference_lbn = fitness_.require_readable_block();
  journal_.emplace(options_.journal_folder, options_.device_name, model_.identity,
                   settings_.remember());
  drive_.on_write([this](std::uint64_t lbn, const std::vector<std::uint8_t>& bytes) {
    journal_->before_write(lbn, bytes);
  });
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
    add_note(fmt::format(
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
  media_accesses_.push_back(
      {.blocks = done.blocks, .issued_ns = done.issued_ns, .completed_ns = done.completed_ns});
}

void Characterization::measure_rotation(double relative_error) {
  mtbrc::RotationOptions how;
  how.target_relative_error = relative_error;
  const std::size_t samples = context_.samples.size();
  auto estimate = mtbrc::measure_rotation(context_, settings_.reference_lbn, how);
  if (estimate.outcome == mtbrc::RotationOutcome::cache_still_on && settings_.force_reads()) {
    context_.samples.resize(samples);
    estimate = mtbrc::measure_rotation(context_, settings_.reference_lbn, how);
  }
  switch (estimate.outcome) {
    case mtbrc::RotationOutcome::measured:
      model_.rotation = estimate.rotation;
      settings_.look_for_read_ahead();
      return;
    case mtbrc::RotationOutcome::cache_still_on:
      settings_.refuse_a_cache_that_stays_on();
    case mtbrc::RotationOutcome::irregular:
    case mtbrc::RotationOutcome::too_few:
      throw Error(ExitStatus::unsupported,
                  options_.device_name +
                      " shows no rotation: repeated reads of one sector are no whole revolutions "
                      "apart; is it a disk drive, and idle otherwise?");
  }
}

void Characterization::extract_layout() {
  layout::DriveTranslator translator(drive_, options_.device_name);
  layout::Options how;
  how.seed = options_.seed;
  const Nanoseconds before = drive_.now_ns();
  const std::uint64_t translations = drive_.translations();
  layout::Extraction found;
  layout_deadline_ns_ = context_.deadline_ns;
  try {
    found = layout::by_address_translation(translator, how);
  } catch (const OutOfTime&) {
    found.layout.reason = fmt::format(
        "the budget of {:.0f} s ended before the drive's map was complete", *options_.budget_s);
    found.notes = {"layout: " + found.layout.reason};
  }
  layout_deadline_ns_ = 0;
  model_.layout = std::move(found.layout);
  for (auto& note : found.notes) model_.provenance.notes.push_back(std::move(note));
  if (model_.layout.zones.empty()) return;
  translated_ = mtbrc::grouped_by_empty_units(model_.layout);
  map_.emplace(model_.layout);
  context_.map = &*map_;
  model_.identity.heads = map_->heads();
  model_.identity.cylinders = map_->cylinders();
  model::Parameter& time = model_.overheads.address_translation;
  const std::uint64_t asked = drive_.translations() - translations;
  if (asked > 0) {
    time.value = to_ms(drive_.now_ns() - before) / static_cast<double>(asked);
    time.unit = "ms";
    time.method = "mean over the layout extraction";
    time.samples = asked;
  }
}

// What the map says of it: every unknown angle takes a visit of a track at the least, every zone
// some more.
void Characterization::expect_angles() {
  constexpr double kOfVisits = 0.55;  // of the stage's time; the rest tells tracks' lengths, and
                                      // checks
  constexpr double kTurns = 1.3, kVisitsOfZone = 4, kComfortable = 4;
  const engine::LayoutMap map(translated_);
  const std::vector<std::uint64_t> starts = model::zone_starts(translated_);
  double visits = 0;
  for (std::size_t i = 0; i < translated_.zones.size(); ++i) {
    const mtbrc::ZoneShape shape(translated_.zones[i], starts[i], map);
    if (shape.solvable()) visits += kVisitsOfZone + static_cast<double>(shape.unknowns());
  }
  const double least_s = visits * kTurns * context_.period_ns() * 1e-9 / kOfVisits;
  plan_->expect(kAngles, kComfortable * least_s, least_s);
  const double needs_s = elapsed_s() + plan_->least_s(kAngles);
  if (options_.budget_s && *options_.budget_s < needs_s)
    add_note(
        fmt::format("the budget of {:.0f} s is too short for this drive's map of {} zones: every "
                    "stage has less than it needs at least, for which {:.0f} s would be enough",
                    *options_.budget_s, translated_.zones.size(), std::ceil(needs_s)));
}

// Translation is never believed without the reads that bear it out.
void Characterization::measure_angles() {
  constexpr double kOfPitch = 0.4;
  mtbrc::TrackPitch pitch;
  {
    const mtbrc::PartOfTime part(context_, kOfPitch);
    pitch = mtbrc::measure_track_pitch(context_, translated_);
  }
  JudgedMap judged = judge_map(translated_, pitch);
  std::vector<std::string> notes = std::move(judged.notes);
  model_.layout = std::move(judged.layout);
  map_.reset();
  context_.map = nullptr;
  if (!model_.layout.zones.empty()) {
    mtbrc::AngleOptions how;
    how.left_zones = std::move(judged.left_zones);
    mtbrc::LayoutAngles angles = mtbrc::measure_layout_angles(context_, model_.layout, how);
    model_.layout = std::move(angles.layout);
    std::ranges::move(angles.notes, std::back_inserter(notes));
    map_.emplace(model_.layout);
    context_.map = &*map_;
    model_.identity.heads = map_->heads();
    model_.identity.cylinders = map_->cylinders();
    if (model_.layout.zones.size() != translated_.zones.size())
      notes.push_back(
          fmt::format("layout: {} zones in the end, for the {} that address translation tells "
                      "have parts whose tracks turn by other angles",
                      model_.layout.zones.size(), translated_.zones.size()));
  } else {
    model_.identity.heads = model_.identity.cylinders = 0;  // were told by translation
  }
  std::ranges::move(notes, std::back_inserter(model_.provenance.notes));
}

void Characterization::measure_seeks() {
  auto seeks = mtbrc::measure_seeks(context_);
  model_.seek = std::move(seeks.seek);
  model_.outward_seek = std::move(seeks.outward);
}

void Characterization::measure_switches() {
  in_turn(
      settings_.media_writes().empty() ? 1 : 0.5,
      [this] {
        mtbrc::HeadSwitch head_switch = mtbrc::measure_head_switch(context_);
        model_.head_switch = head_switch.time;
        for (auto& note : head_switch.notes) model_.provenance.notes.push_back(std::move(note));
      },
      [this] {
        const std::vector<LbnRange>& writes = settings_.media_writes();
        in_turn(
            0.7, [&] { model_.write_settle = mtbrc::measure_write_settle(context_, writes); },
            [&] { mtbrc::measure_write_seeks(context_, writes, model_); });
      });
}

void Characterization::measure_overheads() {
  const model::Parameter translation = model_.overheads.address_translation;
  const mtbrc::OverheadEstimate estimate = mtbrc::estimate_overheads(context_.samples, *map_,
                                                                     context_.rotation);
  model_.overheads = estimate.overheads;
  model_.overheads.address_translation = translation;
  model_.delay_spread = mtbrc::estimate_delay_spread(context_.samples, context_.rotation);
  model_.bus.block_transfer = estimate.block_transfer;
  model_.bus.write_block_transfer = estimate.write_block_transfer;
  model_.bus.high_read_watermark = mtbrc::estimate_watermark(
      context_.samples, *map_, context_.rotation, estimate.block_transfer);
  const model::Parameter portions = mtbrc::estimate_portions(
      context_.samples, *map_, context_.rotation, estimate.block_transfer);
  if (portions.or_else(1) > 1) {
    model_.bus.watermark_by_request_size = portions;
    model_.bus.high_read_watermark = {};
    model_.bus.high_read_watermark.reason =
        "the drive sends portions of so many blocks, each when it has all of it";
  }
  // How much of the settle time hides behind a block's transfer is known only now.
  if (model_.write_settle) {
    model_.write_settle = mtbrc::estimate_write_settle(context_.samples, *map_, context_.rotation);
    mtbrc::WriteSeeks writes = mtbrc::estimate_write_seeks(context_.samples, *map_, model_);
    model_.write_seek = std::move(writes.curve);
    add_note(std::move(writes.note));
  }
  tell_why_no_media_writes();
}

void Characterization::tell_why_no_media_writes() {
  if (settings_.no_media_writes().empty()) return;
  model::Overheads& overheads = model_.overheads;
  for (model::Parameter* parameter :
       {&model_.write_settle, &overheads.write_miss_after_read, &overheads.write_miss_after_write,
        &overheads.read_miss_after_write, &model_.bus.write_block_transfer})
    if (!*parameter) parameter->reason = settings_.no_media_writes();
}

void Characterization::probe_cache() {
  for (auto& note : cache_.probe(context_, options_.writable, model_))
    model_.provenance.notes.push_back(std::move(note));
  not_taken_back_ = cache_.not_taken_back();
  if (not_taken_back_)
    add_note(*not_taken_back_ + " after a test of them: the cache's tests were the last");
}

// The longest baseline for the period: from the run's first revolutions to its last.
void Characterization::read_last_anchors() {
  constexpr int kReads = 12;
  mtbrc::Accesses accesses(context_);
  for (int i = 0; i < kReads; ++i)
    accesses.read(mtbrc::Experiment::anchor, settings_.reference_lbn);
}

// The same with the caches as the drive has them; judged once the model has been corrected.
void Characterization::replay_mixed() {
  const model::Overheads measured = model_.overheads;
  stage(kMixedValidation, Caches::as_found, [&] {
    model_.overheads = measured;
    if (!context_.limited() && hang_on_lookup(model_)) {
      sharpen_lookup(reads_in_a_row(context_, model_), model_);
      cache_.explain_anew(model_);
    }
    cache_.explain_further(context_, model_);
    mixed_ = mixed_requests(context_, model_, {settings_.media_writes(), 2 * kSecond});
  });
}

// What was measured must predict what was not; the caches play no part in it.
void Characterization::validate_itself() {
  replay::Result drive;
  stage(kSelfValidation, Caches::off, [&] {
    drive = random_requests(
        context_, model_, {settings_.media_writes(), 5 * kSecond},
        settings_.look_ahead_stays_on() ? replay::Caches::forced : replay::Caches::off);
  });
  std::vector<std::string> notes = validate_by(drive, model_);
  std::ranges::move(notes, std::back_inserter(model_.provenance.notes));
  judge_mixed(mixed_, model_);
  model::Validity& validity = model_.validity;
  const double request_ms = validity.demerits.empty() ? 0 : validity.demerits.front().drive_mean_ms;
  if (const auto pauses = told(pauses_of(media_accesses_, model_), request_ms))
    validity.note += "; " + *pauses;
}

void Characterization::measure_queue() {
  QueueSamples samples;
  stage(kQueue, Caches::off, [&] {
    samples = queue_samples(guard_, context_);
    queued_commands_ += samples.commands;
  });
  model_.queue = estimate_queue(samples, model_);
}

// Whatever answers now must be what answered at first.
void Characterization::require_the_same_drive() {
  scsi::Drive now(guard_, options_.device_name);
  const model::Identity& found = now.identify();
  const model::Identity& begun = model_.identity;
  if (model::same_drive(found, begun)) return;
  throw scsi::AnotherDrive(
      ExitStatus::protocol,
      fmt::format("{} is not the drive that it was when the run began: {} {} with {} blocks "
                  "then, {} {} with {} now; no model is written",
                  options_.device_name, begun.vendor, begun.product, begun.blocks, found.vendor,
                  found.product, found.blocks));
}

safety::EndOfRun Characterization::check_written() {
  return safety::check_written(device_, model_.identity, *journal_,
                               {.most_blocks = drive_.most_blocks()});
}

// What was written must be on the media before the only other copy of it goes.
void Characterization::look_after_what_was_written() {
  const safety::EndOfRun end = check_written();
  if (!end.media.put_back.empty())
    add_note(
        fmt::format("at the end the drive did not hold what it had held, and it was put back: {}",
                    safety::in_words(end.media.put_back)));
  const bool only_unknown = end.media.past == safety::Past::nothing_known &&
                            end.media.lost.empty() &&
                            end.media.intact == journal_->contents().size();
  if (end.well()) return;
  (only_unknown ? not_verified_ : not_restored_) = end.trouble;
  add_note(end.trouble);
}

// The model is whole by now, and not to be lost for it.
void Characterization::put_back_settings() {
  const Uninterruptible in_order;
  stopping_ = true;  // a signal comes too late
  look_after_what_was_written();
  try {
    settings_.put_back();
  } catch (const Error& error) {
    const std::string advice = advice_of(error);
    not_restored_ = not_restored_ ? *not_restored_ + "; " + advice : advice;
    drive_.keep_settings();  // nothing is tried again behind the journal's back
  }
  if (!not_restored_ && !not_verified_) journal_->finish();
  journal_.reset();
}

std::string Characterization::advice_of(const Error& error) const {
  const auto* refusal = dynamic_cast<const scsi::NotTakenBack*>(&error);
  return fmt::format("{}; the settings as they were are in the journal: run platter restore {}{}",
                     refusal ? refusal->fact() : error.what(), journal_->path(),
                     refusal ? ", or power the drive off and on" : "");
}

void Characterization::finish() {
  require_the_same_drive();
  // The anchors of the whole run lie minutes apart: the period is known better now than at first.
  const auto refined = mtbrc::estimate_rotation(context_.samples);
  if (refined.outcome == mtbrc::RotationOutcome::measured && refined.rotation.period.error &&
      model_.rotation.period.error &&
      *refined.rotation.period.error < *model_.rotation.period.error)
    model_.rotation = refined.rotation;
  for (auto& note : impossible_values(model_)) model_.provenance.notes.push_back(std::move(note));
  if (map_)
    for (auto& hint : contradicted_hints(drive_, model_.layout, *map_)) add_note(std::move(hint));
  put_back_settings();
}

// The stages that were announced and not done, and a reason for each figure that is not there.
void Characterization::tell_what_is_missing(const std::string& reason) {
  model::Provenance& provenance = model_.provenance;
  for (std::size_t index = 0; index < kStages.size(); ++index)
    if (std::ranges::find(done_stages_, index) == done_stages_.end())
      provenance.missing.push_back({std::string(kStages[index].name), reason});
  provenance.complete = provenance.missing.empty() && !failed_write_;
  if (!provenance.missing.empty())
    model::explain_missing(model_, "not measured: " + reason);
  else if (failed_write_)
    model::explain_missing(model_, "what was measured does not tell it");
  if (failed_write_)
    provenance.missing.push_back(
        {"writes",
         fmt::format("a write failed in the stage '{}', and nothing was written from then on",
                     kStages[writes_failed_in_].name)});
}

Run Characterization::as_it_is() {
  const Uninterruptible in_order;
  settings_.tell_what_was_stopped();
  model::Provenance& provenance = model_.provenance;
  provenance.method = "characterized";
  provenance.source = options_.device_name;
  provenance.drive_seconds = static_cast<double>(drive_.now_ns() - began_ns_) * 1e-9;
  provenance.commands = drive_.commands() + queued_commands_;
  provenance.translations = drive_.translations();
  provenance.bytes_written = drive_.bytes_written();
  provenance.seed = options_.seed;
  if (options_.budget_s && provenance.drive_seconds > *options_.budget_s)
    add_note(
        fmt::format("the run took {:.1f} s, more than the budget of {:.1f} s, by what could not be "
                    "broken off",
                    provenance.drive_seconds, *options_.budget_s));
  if (drive_.unit_attentions() > 0)
    provenance.notes.push_back(
        fmt::format("{} unit attentions were seen and retried", drive_.unit_attentions()));
  Run run{std::move(model_),
          std::move(context_.samples),
          std::move(cache_.record()),
          not_restored_,
          not_verified_,
          std::nullopt};
  return run;
}

// What was measured up to the end of the last whole stage; what a stage had half done is in the
// samples.
Run Characterization::ended_by(const Error& error) {
  const Uninterruptible in_order;
  stopping_ = true;
  std::optional<Error> another;
  try {
    if (model_.identity.blocks > 0) require_the_same_drive();  // who it is was known
  } catch (const scsi::AnotherDrive& found) {
    another = found;
  } catch (const Error&) {  // it does not answer: what was measured until then is of the drive
  }
  const auto trouble = give_up();
  const Error& cause = another ? *another : error;
  const Error ended(cause.status(), cause.what() + (trouble ? "; " + *trouble : ""));
  if (another) throw ended;
  const bool has_layout = std::ranges::find(done_stages_, std::size_t{kLayout}) !=
                          done_stages_.end();
  if (!has_layout || !last_whole_ || last_whole_->layout.zones.empty()) throw ended;
  std::vector<std::string> notes = std::move(model_.provenance.notes);
  model_ = *last_whole_;
  model_.provenance.notes = std::move(notes);
  const auto done = [&](std::size_t stage) {
    return std::ranges::find(done_stages_, stage) != done_stages_.end();
  };
  if (map_ && done(kOverheads)) measure_overheads();
  if (model_.validity.demerits.empty())
    model_.validity.note = "not checked: the run did not come to it";
  tell_what_is_missing(error.what());
  for (auto& note : impossible_values(model_)) add_note(std::move(note));
  Run run = as_it_is();
  run.not_restored.reset();  // is in the error
  run.ended_by = ended;
  return run;
}

// A model that lacks what a prediction needs (a budget was short, a time came out below zero) is
// written all the same. Where the drive's settings are not what they should be nothing more can be
// measured.
void Characterization::check_the_model() {
  for (auto& note : take_out_what_cannot_be(model_)) add_note(std::move(note));
  auto prevented = not_taken_back_;
  if (!prevented) {
    prevented = what_prevents_prediction(model_);
    if (!prevented) replay_mixed();
    with_failed_writes_seen_to([this] {
      settings_.set(Caches::off);
      read_last_anchors();
    });
  }
  if (prevented) {
    model_.validity.note = "not checked: " + *prevented;
    model_.queue.depth.reason = model_.queue.policy.reason =
        not_taken_back_ ? *not_taken_back_ : "the model lacks what a prediction needs";
    why_incomplete_ = *prevented;
    return;
  }
  validate_itself();
  measure_queue();
}

Run Characterization::run() {
  begin();
  plan_the_time();
  settings_.stop_what_the_drive_does_on_its_own();
  stage(kWarmUp, Caches::any, [this] { fitness_.warm_up(context_); });
  stage(kRotation, Caches::off, [this] {
    if (fitness_.answered_at_once()) settings_.force_reads();
    fitness_.require_reads_from_the_media();
    measure_rotation(kFirstPeriodError);
    settings_.bring_writes_to_the_media();
  });
  stage(kLayout, Caches::any, [this] { extract_layout(); });
  if (map_) {
    expect_angles();
    stage(kAngles, Caches::off, [this] { measure_angles(); });
  }
  if (map_) {
    stage(kSeeks, Caches::off, [this] { measure_seeks(); });
    stage(kSwitches, Caches::off, [this] { measure_switches(); });
    stage(kOverheads, Caches::off, [this] {
      constexpr double kOfMisses = 0.6;
      in_turn(
          kOfMisses, [this] { mtbrc::measure_miss_overheads(context_, settings_.media_writes()); },
          [this] { mtbrc::measure_watermark(context_); });
    });
    stage(kCache, Caches::as_found, [this] {
      in_turn(
          0.5, [this] { mtbrc::measure_hit_overheads(context_, options_.writable); },
          [this] { probe_cache(); });
    });
    measure_overheads();
    cache_.explain(model_);
    check_the_model();
    std::ranges::copy(cache_.unexplained(), std::back_inserter(model_.provenance.notes));
  } else {
    stage(kRotation, Caches::off, [this] { measure_rotation(kOnlyPeriodError); });
    const std::string unknown = "the layout is not known";
    why_incomplete_ = unknown + (model_.layout.reason.empty() ? "" : ": " + model_.layout.reason);
    model_.seek.reason = model_.head_switch.reason = model_.write_settle.reason = unknown;
    model_.queue.depth.reason = model_.queue.policy.reason = unknown;
    model_.overheads.read_miss_after_read.reason = model_.cache.segments.reason = unknown;
  }
  finish();
  tell_what_is_missing(why_incomplete_.empty() ? "the run did not come to it" : why_incomplete_);
  const std::vector<model::MissingStage> missing = model_.provenance.missing;
  Run run = as_it_is();
  if (failed_write_)
    run.ended_by = Error(ExitStatus::drive_error,
                         *failed_write_ +
                             "; what had been written was read back and is as it was, and the run "
                             "went on with reads");
  else if (!missing.empty())
    run.ended_by = Error(
        ExitStatus::incomplete,
        fmt::format("the run on {} is incomplete: {}", options_.device_name, why_incomplete_));
  return run;
}

}  // namespace

Run characterize(scsi::Device& device, const Options& options) {
  Characterization run(device, options);
  try {
    return run.run();
  } catch (const Error& error) {
    return run.ended_by(error);
  } catch (const std::exception& error) {
    return run.ended_by(Error(ExitStatus::internal, error.what()));
  }
}

}  // namespace platter::extract
