#include "replay/validate.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "model/finding_kinds.h"
#include "model/quality.h"
#include "model/understood.h"
#include "scsi/drive.h"

namespace platter::replay {
namespace {

// Where the drive does not let its caches be turned off, they are bypassed; else they stay as they
// are.
Result drives_result(scsi::Device& device, const trace::Trace& trace, Caches wanted,
                     const Validation& options) {
  DriveReplay how = options.drive;
  for (const Caches caches : {Caches::off, Caches::forced}) {
    if (wanted == Caches::as_they_are) break;
    how.caches = caches;
    try {
      return replay_on_drive(device, options.permission, trace, how);
    } catch (const Error& error) {
      if (error.status() != ExitStatus::unsupported) throw;
    }
  }
  how.caches = Caches::as_they_are;
  return replay_on_drive(device, options.permission, trace, how);
}

}  // namespace

void require_same_size(scsi::Device& device, std::span<const Subject> models) {
  const std::uint64_t blocks = identity_of(device).blocks;
  for (const Subject& model : models)
    if (model.blocks != blocks)
      throw Error(ExitStatus::bad_input,
                  fmt::format("the model {} has {} blocks but {} has {}: it is a model of another "
                              "drive",
                              model.name, model.blocks, device.name(), blocks));
}

void validate(scsi::Device& device, std::span<const model::DriveModel> models,
              const Validation& options, const Finished& finished) {
  std::vector<Subject> subjects;
  for (const model::DriveModel& model : models) subjects.push_back(subject_of(model));
  validate(device, subjects, options, finished);
}

void validate(scsi::Device& device, std::span<const Subject> models, const Validation& options,
              const Finished& finished) {
  require_same_size(device, models);
  const model::Identity identity = identity_of(device);
  const std::uint32_t most_blocks = most_blocks_of(device);
  for (const std::string workload : kValidationWorkloads) {
    Validated validated;
    validated.workload = workload;
    validated.trace = trace::generate({.profile = trace::profile(workload),
                                       .blocks = identity.blocks,
                                       .block_bytes = identity.block_bytes,
                                       .requests = options.requests,
                                       .seed = options.seed,
                                       .reads_only = options.permission.writes.empty(),
                                       .writes = options.permission.writes});
    for (trace::Request& request : validated.trace.requests)
      request.blocks = std::min(request.blocks, most_blocks);
    validated.drive = drives_result(
        device, validated.trace, workload == "random" ? Caches::off : Caches::as_they_are, options);
    const Caches caches = caches_of(validated.drive.caches);
    for (const Subject& model : models) {
      validated.models.push_back(
          replay_on_model(model, validated.trace, {.caches = caches, .like = &validated.drive}));
      validated.comparisons.push_back(compare_with_error(validated.drive, validated.models.back()));
    }
    finished(validated);
  }
}

void add_to_validity(const Validated& validated, std::size_t index, model::DriveModel& model) {
  const ClassMetrics& all = validated.comparisons.at(index).classes.front();
  model::Validity& validity = model.validity;
  const bool first = validity.max_blocks == 0;
  for (const Response& request : validated.drive.requests) {
    validity.min_blocks = first && &request == validated.drive.requests.data()
                              ? request.blocks
                              : std::min(validity.min_blocks, request.blocks);
    validity.max_blocks = std::max(validity.max_blocks, request.blocks);
    (request.write ? validity.writes : validity.reads) = true;
  }
  validity.first_lbn = 0;  // both workloads are uniform over the drive
  validity.last_lbn = model::last_understood_lbn(model.layout, model.identity.blocks);
  validity.max_depth = std::max(validity.max_depth, validated.drive.depth);
  // What the run said of itself by fewer requests is answered.
  const std::string within = model::within_the_run(validated.workload);
  std::erase_if(validity.demerits, [&](const model::Demerit& demerit) {
    return demerit.workload == validated.workload ||
           (demerit.workload == within && demerit.requests <= all.n_drive);
  });
  if (std::ranges::none_of(validity.demerits, model::is_within_the_run)) validity.note.clear();
  if (std::ranges::find(validity.demerits, within, &model::Demerit::workload) ==
      validity.demerits.end())
    model::close_findings(model.provenance, validated.workload);
  validity.demerits.push_back({.workload = validated.workload,
                               .requests = all.n_drive,
                               .drive_mean_ms = all.mean_drive_ms,
                               .demerit_ms = all.demerit_ms,
                               .demerit_percent = all.demerit_percent,
                               .folded_phase_share = all.folded_phase_share.value_or(0),
                               .hits_agreed_share = all.hits_agreed_share.value_or(0),
                               .error_ms = all.demerit_error_ms,
                               .phase_requests = all.folded_phase_share ? all.phase_n : 0});
}

}  // namespace platter::replay
