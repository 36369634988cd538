// A DriveModel as a DiskSim 4.0 parameter set that is ready to run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emit/disksim/layout_choice.h"
#include "model/drive_model.h"

namespace platter::emit_disksim {

struct ExportOptions {
  std::string name;  // of the files; none: made of the drive's
  LayoutType layout = LayoutType::automatic;
  Program program = Program::cmu4;
};

struct Exported {
  std::string name;                   // of the files and of the drive's block
  std::string layout;                 // the type of its layout, as DiskSim calls it
  std::vector<std::string> files;     // full paths; the .parv first
  std::vector<std::string> warnings;  // where the files differ from the model
};

// Writes NAME.parv, NAME.diskspecs, NAME.model, NAME.seek and NAME.statdefs into `folder` (made
// if it is not there). Before they get their names the files are read back: every LBN must lie on
// its cylinder and head, at its angle within 1e-6 revolutions (five times the model's stated error
// of angles, where it states one), every seek take its time.
// `before_writing` gets each path and what it will hold before the first is written.
// Throws Error(unsupported) for what DiskSim cannot express, Error(bad_input) for a model without
// rotation, layout or seeks, Error(output).
using BeforeWriting = std::function<void(const std::string& path, const std::string& content)>;
Exported export_disksim(const model::DriveModel& model, const std::string& folder,
                        const ExportOptions& options = {},
                        const BeforeWriting& before_writing = {});

// The bytes begin a file that export_disksim() wrote.
bool begins_emitted(std::string_view bytes);

}  // namespace platter::emit_disksim
