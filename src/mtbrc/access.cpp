#include "mtbrc/access.h"

#include "estimate/samples.h"
#include "model/error.h"
#include "mtbrc/time_watch.h"
#include "scsi/reply.h"

namespace platter::mtbrc {

std::optional<scsi::Completion> timed(
    scsi::Drive& drive, const std::function<scsi::Completion(scsi::Drive&)>& command) {
  const auto interruptions = [&drive] { return drive.busy_replies() + drive.unit_attentions(); };
  const std::uint64_t before = interruptions();
  try {
    const scsi::Completion done = command(drive);
    if (scsi::is_late(done) || interruptions() != before) return std::nullopt;
    return done;
  } catch (const scsi::WriteFailed&) {
    throw;  // no sample less: data at risk
  } catch (const scsi::DriveError& error) {
    // One that comes short each time is of its length, not of this try.
    if (error.came_short() || error.status() != ExitStatus::drive_error) throw;
    return std::nullopt;
  } catch (const Error& error) {
    if (error.status() != ExitStatus::drive_error) throw;
    return std::nullopt;
  }
}

namespace {

// Not by where the heads come from.
bool tells_by_itself(estimate::Experiment experiment) {
  return experiment == estimate::Experiment::other || experiment == estimate::Experiment::angle;
}

}  // namespace

std::optional<estimate::Sample> Accesses::access(estimate::Sample sample, bool force) {
  if (tells_by_itself(sample.experiment) && look_at_time(context_)) last_.reset();
  if (last_) {
    sample.after_write = last_->write;
    sample.after_lbn = last_->lbn;
    sample.after_completed_ns = last_->completed_ns;
  }
  last_.reset();
  const std::uint32_t session = context_.session;
  const auto done = timed(context_.drive, [&sample, force](scsi::Drive& drive) {
    return sample.blocks == 0 ? drive.seek(sample.lbn)
           : sample.write     ? drive.write(sample.lbn, sample.blocks)
           : sample.verify    ? drive.verify(sample.lbn, sample.blocks)
                              : drive.read(sample.lbn, sample.blocks, force);
  });
  if (!done || context_.session != session) return std::nullopt;
  sample.issued_ns = done->issued_ns;
  sample.completed_ns = done->completed_ns;
  sample.session = session;
  context_.samples.push_back(sample);
  if (context_.time != nullptr) context_.time->after(sample);
  if (context_.session != session) return std::nullopt;
  last_ = sample;
  return sample;
}

std::optional<estimate::Sample> Accesses::read(estimate::Experiment experiment, std::uint64_t lbn,
                                               std::int64_t group, std::uint32_t blocks) {
  return access({.experiment = experiment, .group = group, .lbn = lbn, .blocks = blocks});
}

std::optional<estimate::Sample> Accesses::probe(estimate::Experiment experiment, std::uint64_t lbn,
                                                std::int64_t group) {
  return access({.experiment = experiment,
                 .group = group,
                 .lbn = lbn,
                 .verify = context_.probe == Probe::verify},
                context_.probe == Probe::forced_read);
}

std::optional<estimate::Sample> Accesses::write(estimate::Experiment experiment, std::uint64_t lbn,
                                                std::int64_t group, std::uint32_t blocks) {
  return access(
      {.experiment = experiment, .group = group, .write = true, .lbn = lbn, .blocks = blocks});
}

std::optional<estimate::Sample> Accesses::seek(estimate::Experiment experiment, std::uint64_t lbn,
                                               std::int64_t group) {
  return access({.experiment = experiment, .group = group, .lbn = lbn, .blocks = 0});
}

std::optional<estimate::Sample> Accesses::round_trip() {
  const std::uint32_t session = context_.session;
  const auto done = timed(context_.drive,
                          [](scsi::Drive& drive) { return drive.test_unit_ready(); });
  if (!done || context_.session != session) return std::nullopt;
  return estimate::Sample{.experiment = estimate::Experiment::round_trip,
                          .blocks = 0,
                          .issued_ns = done->issued_ns,
                          .completed_ns = done->completed_ns,
                          .session = context_.session};
}

}  // namespace platter::mtbrc
