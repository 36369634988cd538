#include "cli/doubts.h"

#include <fmt/core.h>

#include "extract/impossible_values.h"
#include "model/say.h"

namespace platter::cli {

void tell_doubts(const model::DriveModel& model) {
  for (const std::string& sentence : extract::times_below_zero(model))
    model::say("platter: warning: {}\n", sentence);
}

}  // namespace platter::cli
