#include "jobs/characterize.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>

#include "extract/characterize.h"
#include "extract/resume.h"
#include "extract/save.h"
#include "extract/shingles_of_drive.h"
#include "jobs/better_model.h"
#include "jobs/estimate.h"
#include "jobs/numbers.h"
#include "jobs/open_device.h"
#include "jobs/running_samples.h"
#include "jobs/signals.h"
#include "model/claims.h"
#include "model/error.h"
#include "model/file.h"
#include "model/interruption.h"
#include "model/json.h"
#include "model/quality.h"
#include "model/say.h"
#include "replay/replay_drive.h"
#include "report/model_summary.h"
#include "safety/restore.h"
#include "scsi/joined_units.h"

namespace platter::jobs {
namespace {

std::string without_json(std::string path) {
  if (path.ends_with(".json")) path.resize(path.size() - 5);
  return path;
}

// Where a run's results go.
struct Places {
  std::string model, samples;
};

Places places(const Characterization& arguments) {
  return {arguments.output, arguments.samples.empty()
                                ? without_json(arguments.output) + ".samples.jsonl"
                                : arguments.samples};
}

// A run that was cut off does not replace a model that is whole, and none a better one: it is kept
// beside that, as `partial` or `poorer`.
Places places_beside(const Characterization& arguments, const char* as) {
  const std::string stem = without_json(arguments.output) + "." + as;
  return {stem + ".json", stem + ".samples.jsonl"};
}
constexpr const char* kPartial = "partial";
constexpr const char* kPoorer = "poorer";

bool holds_whole_model(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) ||
      std::filesystem::file_size(path, ignored) == 0)
    return false;
  try {
    return model::load_model(path).provenance.complete;
  } catch (const Error&) {
    return false;  // no model: it was claimed, or forced
  }
}

bool is_gone_on_with(const std::string& path, const Characterization& arguments) {
  return !arguments.resume.empty() && model::input_behind(path) == std::optional(arguments.resume);
}

// What an interrupted run left.
std::optional<extract::KeptRecord> interrupted_run(const Characterization& arguments) {
  if (arguments.resume.empty()) return std::nullopt;
  arguments.outputs.reads(arguments.resume);
  if (safety::in_use(arguments.resume))
    throw Error(ExitStatus::refused,
                arguments.resume + ": is of a run that still goes on; wait for its end, or end it");
  extract::KeptRecord kept = samples_at(arguments.resume);
  extract::require_unfinished(kept, arguments.resume);
  const extract::Session& first = kept.record.sessions.front();
  extract::require_options_of_run(first, arguments.seed.value_or(first.seed),
                                  writable_ranges(arguments.writable, kept.record.identity.blocks),
                                  arguments.resume);
  return kept;
}

// What was written may have to be put back now, and is not to be accessed from now on.
void require_not_skipped(const safety::LeftJournal& left, const std::vector<LbnRange>& skip) {
  for (const LbnRange& run : left.contents.blocks.runs())
    for (const LbnRange& range : skip)
      if (range.meets(run))
        throw Error(
            ExitStatus::refused,
            fmt::format("LBN {} to {} are to be skipped, and {} has what the run wrote there; "
                        "run platter restore {} first, or leave these blocks in",
                        range.first, range.last, left.path, left.path));
}

// Before anything else: what is torn would be taken for what the drive holds.
void put_right_what_was_left(scsi::Device& device, const model::Identity& drive,
                             const Characterization& arguments) {
  for (const safety::LeftJournal& left : safety::left_journals(arguments.journal, drive)) {
    require_not_skipped(left, lbn_ranges(arguments.skip));
    const safety::Restored done = safety::put_right(device, left);
    model::say("restored from {}: {} blocks as they were, {} put back, settings\n", left.path,
               done.media.intact, safety::blocks_of(done.media.put_back));
  }
}

// A run that was cut off is not thrown away by one that could go on with it.
void require_no_other_run(const std::string& path, const Characterization& arguments) {
  if (!model::file_behind(path) || is_gone_on_with(path, arguments)) return;
  if (safety::in_use(path))
    throw Error(ExitStatus::refused,
                path + ": is of a run that still goes on; name another model with -o");
  if (arguments.outputs.force) return;
  throw Error(ExitStatus::refused,
              fmt::format("{}: holds the samples of a run that was cut off; go on with it with "
                          "--resume {}, or replace it with --force",
                          path, path));
}

// Of a run that ended before it had a model.
std::string what_is_left(std::optional<RunningSamples>& running,
                         const Characterization& arguments) {
  if (running && running->file() != nullptr)
    return fmt::format("no model was written; --resume {} goes on with it",
                       running->file()->path());
  if (running && running->stays()) return "no model was written; " + *running->stays();
  return arguments.resume.empty() ? "nothing was written to files"
                                  : "what was measured before is still in " + arguments.resume;
}

// What is wrong with the drive, or ended the run, in front of what is said of its files.
std::string before_files(const extract::Run& run) {
  std::string text;
  const bool ended = run.ended_by && run.ended_by->status() != ExitStatus::incomplete;
  if (ended) text += run.ended_by->what() + std::string("; ");
  for (const auto& sentence : {run.not_restored, run.journal_stays})
    if (sentence) text += *sentence + "; ";
  return text;
}

// Where the samples are that did not get to their place.
std::string where_samples_are(const extract::Run& run, RunningSamples& running,
                              const std::string& samples) {
  const std::string& path = running.file()->path();
  if (path == samples || !model::is_file(path)) return "";
  if (running.whole() && run.record.ending.finished)
    return fmt::format(
        "; the run's samples are in {}: make room, and platter estimate {} makes the "
        "model of them",
        path, path);
  return fmt::format(
      "; what was kept until then is in {}: make room, and --resume {} goes on with it", path,
      path);
}

// What the samples were kept in goes where they are whole elsewhere.
void save(const extract::Run& run, const std::string& output, const std::string& samples,
          std::optional<RunningSamples>& running) {
  model::GrowingFile* const kept = running ? running->file() : nullptr;
  const bool whole = kept != nullptr && running->whole();
  try {
    auto stays = extract::save(run, output, samples, whole ? kept : nullptr);
    if (kept != nullptr && !whole) stays = kept->remove();
    if (stays) model::say("platter: {}\n", *stays);
  } catch (const Error& error) {
    throw Error(error.status(),
                before_files(run) + error.what() +
                    (kept != nullptr ? where_samples_are(run, *running, samples) : ""));
  }
}

std::string in_brief(const model::DriveModel& model) {
  return fmt::format("{}\nquality: {}\n", report::model_in_brief(model),
                     model::in_words(model::qualities_of(model)));
}

struct Destination {
  Places places;
  std::optional<std::string> stays{};  // a better model at its place, in which uses
};

Destination destination_of(const extract::Run& run, const Places& wanted,
                           const Characterization& arguments) {
  const bool whole = holds_whole_model(wanted.model);
  if (!run.model.provenance.complete && whole) return {places_beside(arguments, kPartial)};
  if (!whole || arguments.outputs.force) return {wanted};
  auto better = better_there(wanted.model, run.model);
  if (!better) return {wanted};
  return {
      places_beside(arguments, kPoorer),
      fmt::format("{} holds a better model of the drive ({}) and stays; this run's is in {}, and "
                  "--force replaces the better one",
                  wanted.model, *better, places_beside(arguments, kPoorer).model)};
}

// How the run ended, once its files are written.
void tell_end(const extract::Run& run, const Destination& to, bool json, const Print& print) {
  const auto& [output, samples] = to.places;
  const std::string has = output + (run.model.provenance.complete
                                        ? " has all that was to be measured"
                                        : " has what was measured, and says what is missing");
  if (run.ended_by && run.ended_by->status() != ExitStatus::incomplete)
    throw Error(
        run.ended_by->status(),
        before_files(run) + has +
            (run.record.ending.finished ? "" : "; --resume " + samples + " goes on with it"));
  if (run.not_restored || run.journal_stays)
    throw Error(run.not_restored ? ExitStatus::drive_error : ExitStatus::output,
                before_files(run) + output + " is written");
  print(json ? model::to_json_text(run.model) : in_brief(run.model));
  if (run.ended_by)
    throw Error(run.ended_by->status(), fmt::format("{}; {}", run.ended_by->what(), has));
  require_what_a_run_is_for(run.model, output);
  if (to.stays) throw Error(ExitStatus::refused, *to.stays);
  if (!json) model::say("written: {} and its raw samples, {}\n", output, samples);
}

void require_two_files(const Places& wanted, const std::string& output) {
  std::error_code odd;  // is told when they are written
  const auto place = std::filesystem::weakly_canonical(wanted.model, odd);
  if (!odd && place == std::filesystem::weakly_canonical(wanted.samples, odd))
    throw Error(ExitStatus::usage, "the model and its raw samples would go to the same file, " +
                                       output + "; give --samples another name");
}

void claim_samples(const std::string& path, const model::Identity& drive,
                   const Characterization& arguments) {
  // Whatever the run takes from there it has kept again before that is replaced.
  if (is_gone_on_with(path, arguments))
    arguments.outputs.updates(path, samples_of(drive));
  else
    arguments.outputs.writes(path, samples_of(drive));
}

// Every place where the run may have to put its model and samples.
void claim_places(const Places& wanted, const model::Identity& drive,
                  const Characterization& arguments) {
  arguments.outputs.reads(arguments.device);
  const auto claim = [&](const Places& to) {
    arguments.outputs.writes(to.model, measured_model_of(drive));
    claim_samples(to.samples, drive, arguments);
  };
  claim(wanted);
  if (!holds_whole_model(wanted.model)) return;
  for (const char* const as : {kPartial, kPoorer}) claim(places_beside(arguments, as));
}

// Samples that go to a stream are not kept while the run lasts.
void keep_running_samples(std::optional<RunningSamples>& running, const std::string& samples,
                          const model::Identity& drive, const Characterization& arguments) {
  if (model::is_stream(samples)) return;
  const std::string path = running_samples(samples);
  claim_samples(path, drive, arguments);
  require_no_other_run(path, arguments);
  running.emplace(path);
}

extract::Options options_of(const Characterization& arguments, const model::Identity& drive,
                            const std::optional<extract::KeptRecord>& kept) {
  extract::Options options;
  options.writable = writable_ranges(arguments.writable, drive.blocks);
  options.skip = lbn_ranges(arguments.skip);
  options.seed = arguments.seed.value_or(kept ? kept->record.sessions.front().seed : 1);
  if (kept) options.resumed.emplace(extract::InterruptedRun{*kept, arguments.resume});
  options.device_name = arguments.device;
  options.journal_folder = arguments.journal;
  if (arguments.budget_s > 0) options.budget_s = arguments.budget_s;
  if (arguments.precision == "high") options.precision = mtbrc::Precision::high;
  options.power = arguments.power;
  if (arguments.full_map) options.map_by_time = extract::MapByTime::whole;
  if (arguments.shingles == "bands") options.shingles = extract::MeasureShingles::bands;
  if (arguments.shingles == "all") options.shingles = extract::MeasureShingles::all;
  if (arguments.no_map) options.map_by_time = extract::MapByTime::none;
  options.expected = [&arguments](double seconds) {
    if (arguments.says_expected_time || arguments.budget_s > 0)
      model::say("the run will take about {:.0f} s of the drive's time\n", seconds);
  };
  options.interrupted = interrupted;
  return options;
}

extract::Run measure(scsi::Device& device, extract::Options options,
                     std::optional<RunningSamples>& running, const Characterization& arguments) {
  if (const auto* joined = dynamic_cast<const scsi::JoinedUnits*>(&device))
    options.unit_blocks = joined->unit_blocks();
  try {
    return extract::characterize(device, options);
  } catch (const Error& error) {
    throw Error(error.status(),
                fmt::format("{}; {}", error.what(), what_is_left(running, arguments)));
  }
}

}  // namespace

void characterize(const Characterization& arguments, Progress& progress, const Print& print) {
  const auto began = std::chrono::steady_clock::now();
  const Places wanted = places(arguments);
  require_two_files(wanted, arguments.output);
  model::require_writable(arguments.output);
  model::require_writable(wanted.samples);
  catch_interrupts();
  const std::optional<extract::KeptRecord> kept = interrupted_run(arguments);
  const auto device = open_device(arguments.device, {.not_in_use = arguments.not_in_use});
  const model::Identity drive = replay::identity_of(*device);
  if (kept) extract::require_drive_of_run(kept->record, drive, arguments.device, arguments.resume);
  claim_places(wanted, drive, arguments);
  std::optional<RunningSamples> running;
  keep_running_samples(running, wanted.samples, drive, arguments);
  if (kept) put_right_what_was_left(*device, drive, arguments);
  if (kept && kept->cut)
    model::say("platter: {} ends in the middle of a line, which was cut off\n", arguments.resume);
  const HostKeptQuiet quiet(arguments.quiet, arguments.device);
  extract::Options options = options_of(arguments, drive, kept);
  if (const auto condition = quiet.condition()) options.conditions.push_back(*condition);
  if (running) options.keeper = &*running;
  options.progress = [&](const std::string& stage, double share, double left_s) {
    progress.show(stage, share, left_s);
  };
  extract::Run run = measure(*device, options, running, arguments);
  const Uninterruptible in_order;  // what was measured is saved
  progress.clear();

  model::Provenance& provenance = run.model.provenance;
  provenance.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  extract::say_as_of_when(run.model);
  provenance.wall_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const Destination to = destination_of(run, wanted, arguments);
  if (run.not_verified) model::say("platter: {}\n", *run.not_verified);
  save(run, to.places.model, to.places.samples, running);
  tell_end(run, to, arguments.json, print);
}

}  // namespace platter::jobs
