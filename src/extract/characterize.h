// The characterization run: the experiments in their order, the drive's settings made and brought
// back, the safety journal, provenance. Learns only from the drive.
#pragma once

#include <optional>
#include <string>

#include "extract/options.h"
#include "extract/record.h"
#include "extract/record_file.h"
#include "model/drive_model.h"
#include "model/error.h"
#include "scsi/device.h"

namespace platter::extract {

struct Run {
  model::DriveModel model;  // without date and wall time, which the caller knows
  Record record;            // what it was made of
  // Everything was measured, but the drive did not take its settings back, or what it held: what to
  // do about it.
  std::optional<std::string> not_restored;
  // Whether all that was written is on the media is not known; nothing speaks against it.
  std::optional<std::string> not_verified;
  // The drive is in order, but the safety journal cannot be removed: why, and what to do.
  std::optional<std::string> journal_stays;
  // What ended the run early, or ended its writes; the model says what is missing.
  std::optional<Error> ended_by;
};

// What could not be measured is absent from the model with its reason. Before the layout is known
// what ends the run is thrown as Error, and the keeper has what a later run can go on with:
// `unsupported` where timing is impossible (a cache that cannot be switched off), `drive_error`,
// `protocol`, `interrupted`; from the layout on it is Run::ended_by, beside what was measured until
// then. What was written is read back and the drive's settings are brought back in any case.
Run characterize(scsi::Device& device, const Options& options);

}  // namespace platter::extract
