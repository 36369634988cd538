#include "extract/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "estimate/phase_drift.h"
#include "extract/estimate.h"
#include "extract/stages.h"
#include "identity/drive_mark.h"
#include "model/error.h"
#include "safety/block_contents.h"
#include "scsi/physical_blocks.h"

namespace platter::extract {
namespace {

// How many of its stages are done for good.
std::size_t stages_to_keep(const Record& record) {
  std::size_t whole = 0;
  while (whole < record.stages.size() && record.stages[whole].stage == whole) ++whole;
  if (!record.ending.finished) return whole;
  // It came to its end and lacks stages: those that the others rest on were given too little time,
  // or the drive did not take its settings back.
  if (record.facts.layout.zones.empty()) return std::min(whole, kLayout);
  if (record.facts.not_taken_back) return std::min(whole, kCache);
  return std::min(whole, kAngles + 1);
}

double seconds_from(const Record& record, std::size_t stage) {
  double all = 0;
  for (std::size_t i = stage; i < record.stages.size(); ++i) all += record.stages[i].drive_seconds;
  return all;
}

void shorten(Record& record, std::size_t stages) {
  record.stages.resize(stages);
  const Mark end = stages > 0 ? record.stages.back().end : Mark{};
  record.samples.resize(end.samples);
  record.media_accesses.resize(end.media_accesses);
  for (Session& session : record.sessions)
    session.stages_before = std::min(session.stages_before, stages);
  record.notes.clear();
  Facts& facts = record.facts;
  facts.cache.observations.resize(end.probes);
  if (stages != kLayout) facts.answers.clear();
  if (stages <= kLayout) {
    facts.layout = {};
    facts.address_translation = {};
  }
  if (stages < kOverheads) facts.no_write_settle.clear();
  if (stages <= kCache) {
    facts.cache = {};
    facts.cache_fields.clear();
    facts.not_taken_back.reset();
    facts.no_media_writes.clear();
  }
  if (stages <= kMixedValidation) {
    facts.in_a_row.reset();
    facts.mixed = {};
  }
  if (stages <= kSelfValidation) facts.random = {};
  if (stages <= kQueue) facts.queue = {};
}

[[noreturn]] void refuse_drive(const std::string& why) { throw Error(ExitStatus::refused, why); }

}  // namespace

void require_unfinished(const KeptRecord& kept, const std::string& name) {
  if (kept.record.ending.finished &&
      kept.record.stages.size() == stages_of(kept.record.facts.power_asked))
    throw Error(ExitStatus::bad_input,
                fmt::format("{}: holds a run that is finished, and nothing is left to go on with; "
                            "its model comes from platter estimate",
                            name));
  model::require_nothing_passed_over(kept.passed_over);
}

TakenUp take_up(const KeptRecord& kept) {
  TakenUp taken{kept.record, {}, {}};
  Record& record = taken.record;
  std::size_t stages = stages_to_keep(record);
  shorten(record, stages);
  taken.found = estimate_stages(record);
  // Where the cache's answers leave something open, the next stage asks where the cache's tests
  // took place and in their phase: the two are measured in one session.
  if (stages == kMixedValidation && taken.found.cache.open()) {
    stages = kCache;
    shorten(record, stages);
    taken.found = estimate_stages(record);
  }
  const double dropped_s = seconds_from(kept.record, stages);
  Session& session = taken.session;
  session.stages_before = stages;
  session.lost_s = kept.unfinished_s + dropped_s;
  session.cut = kept.cut;
  if (stages < kStages.size()) session.begun_anew = kStages[stages].name;
  session.before = record.ending.cost;
  if (!kept.ended) session.before.drive_seconds += kept.unfinished_s;
  session.seed = record.sessions.front().seed;
  const double wall_s = record.ending.wall_seconds;
  // Where that was the end of the session, the journal has put it right since.
  auto failed_write = record.ending.failed_write;
  if (failed_write && failed_write->stage >= stages) failed_write.reset();
  record.ending = {};
  record.ending.wall_seconds = wall_s;
  record.ending.failed_write = failed_write;
  return taken;
}

void require_drive_of_run(const Record& before, const model::Identity& now,
                          const std::string& device, const std::string& name) {
  const model::Identity& was = before.identity;
  const auto refuse_for = [&](const std::string& why) {
    refuse_drive(fmt::format("{} cannot go on with the run of {}: {}", device, name, why));
  };
  if (now.vendor != was.vendor || now.product != was.product)
    refuse_for(
        fmt::format("that was of a {} {}, and this is a {} {}; name the device of that drive",
                    was.vendor, was.product, now.vendor, now.product));
  if (now.serial != was.serial)
    refuse_for(
        fmt::format("that drive has the serial number {}, this one {}; name the device of "
                    "that drive",
                    was.serial, now.serial));
  if (now.revision != was.revision)
    refuse_for(
        fmt::format("the drive had firmware revision {} then and has {} now, which may do "
                    "otherwise; measure it anew",
                    was.revision, now.revision));
  if (now.block_bytes != was.block_bytes)
    refuse_for(
        fmt::format("the drive had blocks of {} bytes then and has blocks of {} now; measure "
                    "it anew",
                    was.block_bytes, now.block_bytes));
  if (now.blocks != was.blocks)
    refuse_for(fmt::format("the drive had {} blocks then and has {} now; measure it anew",
                           was.blocks, now.blocks));
}

void require_options_of_run(const Session& first, std::uint64_t seed,
                            const std::vector<LbnRange>& writable, const std::string& name) {
  if (seed != first.seed)
    throw Error(ExitStatus::usage, fmt::format("the run of {} has the seed {}; leave --seed {} out",
                                               name, first.seed, seed));
  const auto same = [](const LbnRange& a, const LbnRange& b) {
    return a.first == b.first && a.last == b.last;
  };
  if (std::ranges::equal(writable, first.writable, same)) return;
  throw Error(
      ExitStatus::usage,
      first.writable.empty()
          ? fmt::format("the run of {} did not write; leave --allow-writes out", name)
          : fmt::format("the run of {} was allowed to write {}; give the same with --allow-writes",
                        name, safety::in_words(first.writable)));
}

std::vector<LbnRange> skipped_by(const Record& before, const std::vector<LbnRange>& besides,
                                 const std::string& name) {
  std::vector<LbnRange> all = before.sessions.back().skipped;
  all.insert(all.end(), besides.begin(), besides.end());
  const auto reference = estimate::reference_lbn(before.samples);
  if (reference &&
      std::ranges::any_of(all, [&](const LbnRange& range) { return range.holds(*reference, 1); }))
    throw Error(
        ExitStatus::usage,
        fmt::format("the run of {} cannot skip LBN {} from now on, to which the phases of all that "
                    "it measured refer; leave that block in, or measure anew",
                    name, *reference));
  return scsi::merged(std::move(all));
}

void require_settings_of_run(const Session& first, const safety::SavedSettings& now,
                             const std::string& device, const std::string& name) {
  if (safety::shows(now, first.settings)) return;
  refuse_drive(
      fmt::format("{} cannot go on with the run of {}: the drive's settings (mode pages 08h, 1Ah "
                  "and 1Ch/01h) are not those under which that run began; set them as they were, "
                  "or measure anew",
                  device, name));
}

}  // namespace platter::extract
