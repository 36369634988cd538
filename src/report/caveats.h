// What a model's note on its validity says of one workload, to be read beside that one's figures.
#pragma once

#include <string>

#include "model/drive_model.h"

namespace platter::report {

struct Caveats {
  std::string of_workload, of_all;  // sentences, ended by "; "
};

// `workload` as its demerit has it, "mixed, within the run". `of_all` is what is of no workload
// that a demerit is stated for.
Caveats caveats(const model::Validity& validity, const std::string& workload);

}  // namespace platter::report
