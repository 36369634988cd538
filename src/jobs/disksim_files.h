// DiskSim's files: made of a model, and looked at as DiskSim would.
#pragma once

#include <string>
#include <vector>

#include "emit/disksim/export.h"
#include "emit/disksim_check/check.h"
#include "jobs/outputs.h"

namespace platter::jobs {

// `trace`: whose requests are tried; "": any block.
std::vector<emit_disksim_check::Finding> disksim_findings(const std::string& file,
                                                          emit_disksim::Program program,
                                                          const std::string& trace);

// The files of the model at `path`, into `folder`. Says what of the model they do not hold, and
// what DiskSim would make of them.
emit_disksim::Exported disksim_files(const std::string& path, const std::string& folder,
                                     const emit_disksim::ExportOptions& options,
                                     const Outputs& outputs);

}  // namespace platter::jobs
