#include "extract/validation_stages.h"

#include <fmt/format.h>

#include "extract/queue_behaviour.h"
#include "extract/rig.h"
#include "extract/self_validation.h"
#include "extract/shingles_of_drive.h"
#include "extract/some_map.h"
#include "extract/uneven_time.h"
#include "extract/unexplained.h"

namespace platter::extract {

namespace {

bool sharply(const Rig& rig) { return rig.context.precision == mtbrc::Precision::high; }

}  // namespace

void send_mixed_requests(Rig& rig) {
  rig.facts.mixed = mixed_requests(
      rig.context, rig.found.model,
      {rig.settings.media_writes(), sharply(rig) ? 3 * kSecond : 2 * kSecond});
}

void send_random_requests(Rig& rig) {
  rig.facts.random = random_requests(rig.context, rig.found.model,
                                     {.writable = rig.settings.media_writes(),
                                      .drive_time_ns = sharply(rig) ? 5 * kSecond : 2 * kSecond,
                                      .media = true},
                                     !rig.settings.look_ahead_stays_on() ? replay::Caches::off
                                     : rig.context.reads_may_be_cached()
                                         ? replay::Caches::as_they_are
                                         : replay::Caches::forced);
}

void validate_itself(const Seen& seen, Findings& found) {
  model::DriveModel& model = found.model;
  for (const model::Noted& note : validate_by(seen.facts.random, model)) found.note(note);
  for (const model::Noted& note : judge_mixed(seen.facts.mixed, model)) found.note(note);
  model::Validity& validity = model.validity;
  const double request_ms = validity.demerits.empty() ? 0 : validity.demerits.front().drive_mean_ms;
  const LateAnswers late = late_answers(seen.samples, model, *found.map);
  if (late.of_host() > 0)
    found.note(
        {model::Code::host_stopped,
         fmt::format("{} answers were noticed up to {:.0f} ms late, when no sector had passed: "
                     "the process or its host stood still, not the drive",
                     late.of_host(), late.longest_ms)});
  if (late.only_by_host()) return;
  const Pauses pauses = pauses_of(seen.media_accesses, model);
  if (const auto text = told(pauses, request_ms, late.by_drive > 0))
    found.note({model::Code::drive_pauses, *text});
  bear_pauses(pauses, validity);
}

void send_batches(Rig& rig) {
  const SomeMap map(rig);
  rig.facts.queue = queue_samples(rig.guard, rig.context);
  rig.handed.queued_commands += rig.facts.queue.commands;
  if (!map.is_known()) find_shingles(rig);  // else it was before other writes
  measure_shingles(rig);
}

void estimate_queue(const Seen& seen, Findings& found) {
  found.model.queue = estimate_queue(seen.facts.queue, found.model);
  take_shingles(seen, found);
}

}  // namespace platter::extract
