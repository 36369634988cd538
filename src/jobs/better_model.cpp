#include "jobs/better_model.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "extract/impossible_values.h"
#include "jobs/holding.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
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

std::optional<std::string> better_there(const std::string& path, const model::DriveModel& coming) {
  const auto file = model::file_behind(path);
  if (!file || content_at(*file).kind != Content::Kind::model) return {};
  const model::Qualities there =
      model::qualities_of(model::from_json_text(model::read_file(*file), path));
  const model::Qualities here = model::qualities_of(coming);
  std::vector<std::string> better;
  const auto compare = [&](const char* use, model::Quality model::Qualities::*quality) {
    if (there.*quality < here.*quality)
      better.push_back(fmt::format("{} {}, not {}", use, model::name_of(there.*quality),
                                   model::name_of(here.*quality)));
  };
  compare("random requests", &model::Qualities::random);
  compare("mixed load", &model::Qualities::mixed);
  compare("places", &model::Qualities::places);
  compare("writes", &model::Qualities::writes);
  compare("queues", &model::Qualities::queues);
  if (better.empty()) return {};
  return fmt::format("{}", fmt::join(better, "; "));
}

std::string behind_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  namespace fs = std::filesystem;
  fs::path at = path;
  std::error_code failed;
  for (int link = 0; link < kMostLinks && fs::is_symlink(at, failed); ++link) {
    const fs::path target = fs::read_symlink(at, failed);
    if (failed) return path;
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return model::is_stream(path) ? path : at.lexically_normal().string();
}

}  // namespace platter::jobs
