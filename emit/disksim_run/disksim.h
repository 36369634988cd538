// The DiskSim that a user has, as one more answer to a trace: the model's files are written as
// `platter emit disksim` does, DiskSim runs them, and its responses become a result.
#pragma once

#include <stdexcept>
#include <string>

#include "model/drive_model.h"
#include "replay/replay_model.h"
#include "replay/result.h"

namespace platter::emit_disksim_run {

// A sentence: DiskSim refused the files, ended badly, went beyond its bounds, or what it wrote is
// no answer.
class Failed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The drive's requests, the reference reads first, each arriving in DiskSim when the drive got it;
// one that DiskSim is not ready for waits at its host. The caches are as in `like`; DiskSim has no
// FUA, so that caches bypassed (`forced`) are off in it. DiskSim's platter starts at angle 0: all
// arrivals are later by what makes the reference reads end at the angle at which the drive's did
// (without any: the first 100 media accesses), as replay_on_model() does it for a model.
// `subject` is that of `model`. Throws Failed, and as export_disksim() does.
replay::Result replay_on_disksim(const std::string& program, const model::DriveModel& model,
                                 const replay::Subject& subject, const replay::Result& like);

// One read with the caches as they are and one with them off, which tell whether the program is a
// DiskSim that runs the files of this model. Throws the same.
void try_disksim(const std::string& program, const model::DriveModel& model);

}  // namespace platter::emit_disksim_run
