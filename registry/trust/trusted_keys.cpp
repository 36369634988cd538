#include "registry/trust/trusted_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "model/error.h"
#include "model/file.h"
#include "model/user_folder.h"

namespace platter::registry_trust {
namespace {

namespace fs = std::filesystem;
constexpr const char* kEnding = ".pub";

std::string path_of(const std::string& folder, const std::string& name) {
  if (!is_plain_name(name))
    throw Error(
        ExitStatus::usage,
        fmt::format("{}: is no name for a key; letters, digits, '-', '_' and '.' make one", name));
  return folder + "/" + name + kEnding;
}

}  // namespace

bool is_plain_name(const std::string& name) {
  constexpr std::size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

std::string trust_folder() {
  if (const auto configuration = model::user_folder("XDG_CONFIG_HOME", ".config"))
    return *configuration + "/platter/trust";
  throw Error(ExitStatus::usage,
              "neither XDG_CONFIG_HOME nor HOME says where trusted keys are kept; set one of them");
}

std::vector<NamedKey> trusted_keys(const std::string& folder) {
  std::vector<NamedKey> keys;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() != kEnding || !is_plain_name(entry.path().stem().string()))
      continue;
    const std::string path = entry.path().string();
    keys.push_back({entry.path().stem().string(), public_key_of(model::read_file(path), path)});
  }
  std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return keys;
}

void trust_key(const std::string& name, const std::string& path, const std::string& folder) {
  const std::string kept = path_of(folder, name);
  const PublicKey key = public_key_of(model::read_file(path), path);
  if (fs::exists(kept)) {
    if (public_key_of(model::read_file(kept), kept) == key) return;
    throw Error(ExitStatus::refused,
                fmt::format("{}: is another key of that name; platter registry trust remove {} "
                            "first, if that key is to be trusted no longer",
                            kept, name));
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  model::write_file(kept, key.pem());
}

void forget_key(const std::string& name, const std::string& folder) {
  const std::string kept = path_of(folder, name);
  std::error_code failed;
  if (fs::remove(kept, failed)) return;
  if (failed)
    throw Error(ExitStatus::output,
                fmt::format("{}: cannot be removed: {}", kept, failed.message()));
  throw Error(
      ExitStatus::bad_input,
      fmt::format("{}: is no trusted key; platter registry trust list shows which there are",
                  name));
}

}  // namespace platter::registry_trust
