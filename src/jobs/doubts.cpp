#include "jobs/doubts.h"

#include <fmt/format.h>

#include <vector>

#include "extract/impossible_values.h"
#include "model/error.h"
#include "model/quality.h"
#include "model/say.h"

namespace platter::jobs {

void tell_doubts(const model::DriveModel& model) {
  for (const std::string& sentence : extract::times_below_zero(model))
    model::say("platter: warning: {}\n", sentence);
}

void require_what_a_run_is_for(const model::DriveModel& model, const std::string& output) {
  const std::vector<std::string> lacking = model::what_it_lacks(model);
  if (lacking.empty()) return;
  throw Error(ExitStatus::incomplete,
              fmt::format("the run ended without {}; {} is written, and says what was measured",
                          fmt::join(lacking, ", and without "), output));
}

}  // namespace platter::jobs
