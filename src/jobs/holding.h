// What a file that is in the way of an output holds, as far as its beginning tells.
#pragma once

#include <string>

#include "model/drive_model.h"
#include "replay/result.h"

namespace platter::jobs {

// What a file holds or will hold.
struct Content {
  enum class Kind {
    remade,   // platter made it and can make it again
    model,    // characterized on a drive
    samples,  // of such a run
    result,   // of a replay on a drive
    journal,  // of a run that was cut off, perhaps the only copy of a drive's data
    foreign,  // platter did not make it
  };
  Kind kind = Kind::remade;
  std::string drive{};  // of a measurement: identity::drive_mark(), empty where it cannot be told
};

Content content_of(const model::DriveModel& model);
Content content_of(const replay::ResultHead& head);
Content measured_model_of(const model::Identity& drive);
Content result_of(const model::Identity& drive);
Content samples_of(const model::Identity& drive);

// `path` is a file that is there and not empty. Never throws: what cannot be read is foreign.
Content content_at(const std::string& path);

}  // namespace platter::jobs
