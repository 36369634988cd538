#include "extract/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "estimate/completion_grid.h"
#include "estimate/estimates.h"
#include "estimate/host.h"
#include "estimate/samples.h"
#include "extract/error_floor.h"
#include "extract/impossible_values.h"
#include "extract/self_validation.h"
#include "extract/shingles_of_drive.h"
#include "extract/stages.h"
#include "extract/uneven_time.h"
#include "extract/what_was_noisy.h"
#include "extract/without_experiment.h"
#include "model/error.h"
#include "model/interruption.h"
#include "model/parameters.h"

namespace platter::extract {
namespace {

bool done(const Record& record, std::size_t stage) {
  return std::ranges::find(record.stages, stage, &StageRecord::stage) != record.stages.end();
}

// What the drive had shown by each moment of the run.
class SeenSoFar {
 public:
  explicit SeenSoFar(const Record& record) : record_(record) {
    cache_.setting = record.facts.cache.setting;
  }

  void begin_stage() { first_sample_ = samples_.size(); }
  void grow_to(const Mark& mark) {
    grow(samples_, record_.samples, mark.samples);
    grow(media_accesses_, record_.media_accesses, mark.media_accesses);
    grow(cache_.observations, record_.facts.cache.observations, mark.probes);
  }
  Seen evidence() const {
    return {samples_, first_sample_, media_accesses_, cache_, record_.facts};
  }

 private:
  template <class T>
  static void grow(std::vector<T>& some, const std::vector<T>& all, std::size_t until) {
    const auto from = static_cast<std::ptrdiff_t>(some.size());
    some.insert(some.end(), all.begin() + from, all.begin() + static_cast<std::ptrdiff_t>(until));
  }

  const Record& record_;
  estimate::Samples samples_, media_accesses_;
  cache_probe::Record cache_;
  std::size_t first_sample_ = 0;
};

void take_notes(const model::Notes& notes, Findings& found) {
  for (const model::Noted& note : notes) found.note(note);
}

void walk(const StageRecord& done, SeenSoFar& seen, Findings& found) {
  const Stage& stage = kStages[done.stage];
  seen.begin_stage();
  for (std::size_t i = 0; i < done.parts.size(); ++i) {
    seen.grow_to(done.parts[i]);
    take_notes(done.parts[i].notes, found);
    const Part& part = stage.parts[i];
    const bool left_out = part.needs == Needs::map && !found.map;
    found.stage = stage.name;
    if (part.estimate != nullptr && !left_out) part.estimate(seen.evidence(), found);
    found.stage = {};
  }
  seen.grow_to(done.end);
  take_notes(done.end.notes, found);
  found.model.provenance.stages.push_back(
      {std::string(stage.name), done.drive_seconds, done.commands});
  found.stage = stage.name;
  if (stage.conclude != nullptr) stage.conclude(seen.evidence(), found);
  found.stage = {};
}

std::optional<model::KernelShare> kernel_share(const estimate::Samples& samples) {
  const auto shares = estimate::host_shares(samples);
  if (!shares) return std::nullopt;
  return model::KernelShare{shares->above.median_ms(), shares->above.quantile_ms(0.99),
                            shares->behind.median_ms(), shares->behind.quantile_ms(0.99),
                            shares->above.samples()};
}

void say_that_the_layout_is_unknown(Findings& found) {
  model::DriveModel& model = found.model;
  const std::string unknown = "the layout is not known";
  found.unchecked = unknown + (model.layout.reason.empty() ? "" : ": " + model.layout.reason);
  model.seek.reason = model.head_switch.reason = model.write_settle.reason = unknown;
  model.overheads.read_miss_after_read.reason = unknown;
  model.validity.note = "not checked: " + unknown;
}

void say_that_nothing_was_checked(const Facts& facts, Findings& found) {
  model::DriveModel& model = found.model;
  found.unchecked = facts.not_taken_back ? facts.not_taken_back : what_prevents_prediction(model);
  model.validity.note = "not checked: " + found.unchecked.value_or("the run did not come to it");
  for (model::Parameter* queue : {&model.queue.depth, &model.queue.policy})
    if (!*queue && queue->reason.empty())
      queue->reason = facts.not_taken_back.value_or("the model lacks what a prediction needs");
}

// What of a model was measured when, which its reader may want to know.
void say_how_often_it_was_resumed(const Record& record, Findings& found) {
  std::vector<std::string> anew;
  bool cut = false;
  for (std::size_t i = 1; i < record.sessions.size(); ++i) {
    const Session& session = record.sessions[i];
    cut |= session.cut;
    anew.push_back(session.begun_anew.empty()
                       ? "nothing"
                       : fmt::format("'{}' ({:.1f} s of drive time were left out)",
                                     session.begun_anew, session.lost_s));
  }
  if (anew.empty()) return;
  found.note(fmt::format("the run was interrupted and resumed {}; begun anew: {}{}",
                         anew.size() == 1 ? "once" : fmt::format("{} times", anew.size()),
                         fmt::join(anew, ", "),
                         cut ? "; a last line of samples that was not whole was cut off" : ""));
}

// The stages that were announced and not done, and a reason for each figure that is not there.
void say_what_is_missing(const Record& record, Findings& found) {
  model::Provenance& provenance = found.model.provenance;
  const std::string reason = record.ending.finished
                                 ? found.unchecked.value_or("the run did not come to it")
                                 : record.ending.missing;
  for (std::size_t index = 0; index < stages_of(record.facts.power_asked); ++index)
    if (!done(record, index))
      provenance.missing.push_back({std::string(kStages[index].name), reason});
  const auto& failed = record.ending.failed_write;
  provenance.complete = provenance.missing.empty() && !failed;
  if (!provenance.missing.empty())
    model::explain_missing(found.model, "not measured: " + reason);
  else if (failed)
    model::explain_missing(found.model, "it does not follow from what was measured");
  if (failed)
    provenance.missing.push_back(
        {"writes",
         fmt::format("a write failed in the stage '{}', and nothing was written from then on",
                     kStages[failed->stage].name)});
}

// What rests on all samples of the run.
void estimate_at_the_end(const Record& record, Findings& found) {
  model::DriveModel& model = found.model;
  const Seen all{record.samples, 0, record.media_accesses, record.facts.cache, record.facts};
  if (!record.ending.finished) {
    if (found.map && done(record, kOverheads) && !done(record, kCache)) {
      estimate_overheads(all, found);
      say_what_holds_the_lookup(record.facts.cache, false, model);
    }
    if (model.validity.demerits.empty())
      model.validity.note = "not checked: the run did not come to it";
    if (model.rotation.numerator_ns > 0) refine_rotation(all, found);
  } else {
    if (!found.map) {
      say_that_the_layout_is_unknown(found);
    } else {
      if (!done(record, kSelfValidation)) say_that_nothing_was_checked(record.facts, found);
      take_notes(found.cache.unexplained(), found);
    }
    refine_rotation(all, found);
  }
  model.kernel_share = kernel_share(record.samples);
  if (const auto grid_ns =
          estimate::Estimates(record.samples, nullptr, {}).of<estimate::Figure::grid>()) {
    raise_errors_to_grid(model, *grid_ns);
    found.note(
        {model::Code::completions_on_grid,
         fmt::format("completions reach the host at multiples of {:.3f} us (USB microframes, "
                     "coalesced interrupts, a clock's steps): no error of a time of n samples "
                     "is below {:.4f} ms / sqrt(n)",
                     to_ms(*grid_ns) * 1e3, estimate::least_error_ms(*grid_ns, 1))});
  }
  take_notes(what_was_noisy(record.samples, model), found);
  take_notes(told(record.facts.jumps), found);
  take_notes(impossible_values(model), found);
}

}  // namespace

void conclude_run(const Record& record, Findings& found) {
  model::DriveModel& model = found.model;
  take_notes(record.notes, found);
  // What the stages found is not lost for it.
  const Findings by_stages = found;
  try {
    estimate_at_the_end(record, found);
  } catch (const Error& error) {
    let_interruptions_pass(error);
    found = by_stages;
    found.note({model::Code::stage_without_estimate,
                fmt::format("nothing was estimated from all samples together: {}", error.what())});
  }
  say_what_no_experiment_measures(model);
  say_what_is_missing(record, found);
  take_notes(record.ending.notes, found);
  say_how_often_it_was_resumed(record, found);

  const Ending& ending = record.ending;
  model::Provenance& provenance = model.provenance;
  provenance.method = "characterized";
  provenance.source = ending.source;
  provenance.date = ending.date;
  say_as_of_when(model);
  provenance.drive_seconds = ending.cost.drive_seconds;
  provenance.wall_seconds = ending.wall_seconds;
  provenance.commands = ending.cost.commands;
  provenance.translations = ending.cost.translations;
  provenance.bytes_written = ending.cost.bytes_written;
  provenance.seed = ending.seed;
  take_notes(take_out_what_cannot_be(model), found);
}

Findings estimate_stages(const Record& record) {
  Findings found;
  found.model.identity = record.identity;
  SeenSoFar seen(record);
  for (const StageRecord& stage : record.stages) {
    walk(stage, seen, found);
    if (stage.stage == kRotation && found.rotation.numerator_ns == 0)
      throw Error(ExitStatus::bad_input,
                  "its samples show no rotation, and nothing can be estimated from them");
  }
  return found;
}

model::DriveModel estimate(const Record& record) {
  Findings found = estimate_stages(record);
  conclude_run(record, found);
  return std::move(found.model);
}

}  // namespace platter::extract
