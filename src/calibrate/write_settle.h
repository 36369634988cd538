// How long writes settle, from all that waits for them: a drive that completes writes in its buffer
// tells it only by what comes behind.
#pragma once

#include <functional>
#include <optional>

#include "calibrate/gain.h"
#include "calibrate/measurement.h"
#include "model/drive_model.h"
#include "statistics/robust.h"

namespace platter::calibrate {

struct SettleStep {
  statistics::Estimate more{};  // ms, to be added to the model's `write_settle`
  Gain gain{};
};

// The settle, within 1.5 ms of the model's, whose replay is nearest to the drive. nullopt: where it
// was not chosen it gains no more than two standard errors against a model whose differences are
// `now`; or `keep_on` says no before all were tried. Its error is how far it can be moved until the
// replay is worse by a standard error.
std::optional<SettleStep> best_write_settle(const model::DriveModel& model,
                                            const Measurement& measured, const Differences& now,
                                            const std::function<bool()>& keep_on);

}  // namespace platter::calibrate
