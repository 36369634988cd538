#include "model/completeness.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "model/error.h"
#include "model/finding_kinds.h"

namespace platter::model {
namespace {

// They check a model, or say how the drive orders several requests; of writes that failed every
// figure that is not there says so itself.
constexpr std::array<std::string_view, 4> kOnlyJudge{"self-validation, caches on",
                                                     "self-validation", "queue", "writes"};

[[noreturn]] void refuse(const DriveModel& model, const std::string& path,
                         const std::string& purpose) {
  const std::string missing = what_is_missing(model.provenance);
  throw Error(
      ExitStatus::bad_input,
      fmt::format(
          "{} is an incomplete model and cannot {}: it lacks {}; characterize the drive again",
          path, purpose, missing.empty() ? "what platter show names" : missing));
}

}  // namespace

std::string standing_of(const Provenance& provenance, const Validity& validity) {
  if (provenance.method != kDerivedMethod) return "";
  return validity.demerits.empty() ? "derived, not validated" : "derived";
}

std::string with_standing(const std::string& name, const Provenance& provenance,
                          const Validity& validity) {
  const std::string standing = standing_of(provenance, validity);
  return standing.empty() ? name : name + " (" + standing + ")";
}

std::string noise_of_host(const Provenance& provenance) {
  const Finding* const found = finding_of(provenance, Code::host_too_noisy);
  return found == nullptr ? "" : found->text;
}

std::string what_is_missing(const Provenance& provenance) {
  std::string text, reason;
  for (const MissingStage& stage : provenance.missing) {
    if (!text.empty()) text += ", ";
    text += stage.name;
    if (reason.empty()) reason = stage.reason;
  }
  if (text.empty()) return text;
  return fmt::format("the stage{} {} ({})", provenance.missing.size() > 1 ? "s" : "", text, reason);
}

void require_what_predicts(const DriveModel& model, const std::string& path,
                           const std::string& purpose) {
  const auto needed = [](const MissingStage& stage) {
    return std::ranges::find(kOnlyJudge, stage.name) == kOnlyJudge.end();
  };
  if (std::ranges::any_of(model.provenance.missing, needed)) refuse(model, path, purpose);
}

void require_complete(const DriveModel& model, const std::string& path,
                      const std::string& purpose) {
  if (!model.provenance.complete) refuse(model, path, purpose);
}

}  // namespace platter::model
