#include "jobs/drive_files.h"

#include <fmt/core.h>

#include <cctype>
#include <filesystem>
#include <set>

#include "extract/resume.h"
#include "identity/drive_mark.h"
#include "jobs/estimate.h"
#include "model/file.h"
#include "model/json.h"

namespace platter::jobs {
namespace {

// Letters, digits, '.', '-' and '_' of it.
std::string plain_name(const std::string& text) {
  constexpr std::size_t kMost = 64;  // a file's name has room for 255
  std::string name;
  for (const char c : text.substr(0, kMost)) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_';
    if (fits || (!name.empty() && !name.ends_with('-'))) name += fits ? c : '-';
  }
  while (name.ends_with('-') || name.ends_with('.')) name.pop_back();
  return name.starts_with('.') ? "drive" + name : name.empty() ? "drive" : name;
}

std::string stem_of(const NamedDrive& drive) {
  const std::string mark = identity::drive_mark(*drive.identity);
  return plain_name(drive.identity->product) + "-" + (mark.empty() ? plain_name(drive.name) : mark);
}

bool nothing_is_left_of(const std::string& samples) {
  try {
    extract::require_unfinished(samples_at(samples), samples);
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

std::vector<std::string> model_files(const std::string& folder,
                                     const std::vector<NamedDrive>& drives) {
  std::vector<std::string> files;
  std::set<std::string> taken;
  for (const NamedDrive& drive : drives) {
    if (!drive.identity) {
      files.emplace_back();
      continue;
    }
    std::string stem = stem_of(drive);
    for (int number = 2; !taken.insert(stem).second; ++number)
      stem = fmt::format("{}-{}", stem_of(drive), number);
    files.push_back((std::filesystem::path(folder) / (stem + ".json")).string());
  }
  return files;
}

std::string beside(const std::string& model_file, const std::string& ending) {
  return model_file.substr(0, model_file.size() - std::string(".json").size()) + ending;
}

bool is_done(const std::string& model_file) {
  if (!model::is_file(model_file)) return false;
  try {
    if (model::load_model(model_file).provenance.complete) return true;
  } catch (const Error&) {
    return false;
  }
  const std::optional<std::string> samples = samples_to_go_on_with(model_file);
  return samples && nothing_is_left_of(*samples);
}

std::optional<std::string> samples_to_go_on_with(const std::string& model_file) {
  for (const char* const ending : {".running.samples.jsonl", ".samples.jsonl"})
    if (const std::string samples = beside(model_file, ending); model::is_file(samples))
      return samples;
  return std::nullopt;
}

}  // namespace platter::jobs
