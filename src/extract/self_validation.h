// The last stage: random requests on the drive that was just measured, by which the model's
// constant biases are corrected (one half of the requests) and the model is judged (those that
// corrected nothing). DIXtrac paper, section 6.2, within the run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "extract/unexplained.h"
#include "model/drive_model.h"
#include "model/finding_kinds.h"
#include "mtbrc/context.h"
#include "replay/replay_model.h"
#include "replay/result.h"

namespace platter::extract {

struct SelfValidationOptions {
  std::vector<LbnRange> writable;  // a third of the requests are writes there; empty: reads only
  Nanoseconds drive_time_ns = 5 * kSecond;
  bool media = false;  // reads wait for the media: where a cache stays on, they are of fresh blocks
};

// Fewer are not enough to learn from one half of them, with what was read before the writes; nor
// these to judge the cache.
constexpr std::uint64_t kFewestValidationRequests = 150, kFewestMixedRequests = 30;

// Random requests, one at a time, a think time of 0 to 1 ms between them; as many as the drive time
// allows by what the model takes for them, at least kFewestValidationRequests, and no more than the
// context's deadline allows. What the drive cannot read is left out. Caches off; or bypassed,
// where read-ahead goes on behind commands with FUA, so that the model's has to, too; or on, where
// they cannot be.
replay::Result random_requests(mtbrc::Context& context, const model::DriveModel& model,
                               const SelfValidationOptions& options,
                               replay::Caches caches = replay::Caches::off);

// The same of the workload "mixed": near and sequential ones among them, a think time of 0 to 60
// ms. Caches as the drive has them.
replay::Result mixed_requests(mtbrc::Context& context, const model::DriveModel& model,
                              const SelfValidationOptions& options);

// Why no response can be predicted from a model, in the engine's words; nullopt: they can be.
std::optional<std::string> what_prevents_prediction(const model::DriveModel& model);

// The first half of the requests corrects the model's constant biases, where they stand out of the
// noise: the angle of each zone, and the time from command to media of all reads. Then the second
// half's figures go into its validity; where nothing was corrected, those of all. Of too few
// requests all judge. Returns what a reader should know. Pure.
model::Notes validate_by(const replay::Result& drive, model::DriveModel& model);

// What the drive did of its own in the run, and hardly in the requests that judged, is in what is
// stated: docs/methods/demerit.md.
void bear_pauses(const Pauses& pauses, model::Validity& validity);

// What the mixed requests say of the model, behind what validate_by() said; they correct nothing.
// Pure.
model::Notes judge_mixed(const replay::Result& drive, model::DriveModel& model);

}  // namespace platter::extract
