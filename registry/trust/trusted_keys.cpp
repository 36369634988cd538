#include "registry/trust/trusted_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/own_alone.h"
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

// Throws Error(bad_input) for what is no key of a name.
NamedKey key_in(const fs::path& path) {
  const std::string name = path.stem().string();
  if (path.extension() != kEnding || !is_plain_name(name))
    throw Error(
        ExitStatus::bad_input,
        fmt::format("{}: is no NAME{}, and lies among the trusted keys", path.string(), kEnding));
  model::require_own_file(path.string());
  return {name, public_key_of(model::read_file(path.string()), path.string())};
}

// The user's alone, whatever the umask.
void make_trust_folder(const std::string& folder) {
  if (model::is_folder(folder)) return model::require_own_folder(folder);
  std::error_code failed;
  fs::create_directories(folder, failed);
  fs::permissions(folder, fs::perms::owner_all, failed);
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

std::vector<NamedKey> trusted_keys(const Notice& notice, const std::string& folder) {
  model::require_own_folder(folder);
  std::vector<NamedKey> keys;
  for (const fs::path& path : model::paths_in(folder)) {
    try {
      keys.push_back(key_in(path));
    } catch (const Error& error) {
      if (error.status() != ExitStatus::bad_input && error.status() != ExitStatus::permission)
        throw;
      notice(fmt::format("{}; it is passed over", error.what()));
    }
  }
  std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return keys;
}

void trust_key(const std::string& name, const std::string& path, const std::string& folder) {
  const std::string kept = path_of(folder, name);
  const PublicKey key = public_key_of(model::read_file(path), path);
  make_trust_folder(folder);
  if (model::is_there(kept)) {
    if (public_key_of(model::read_file(kept), kept) == key) return;
    throw Error(ExitStatus::refused,
                fmt::format("{}: is another key of that name; platter registry trust remove {} "
                            "first, if that key is to be trusted no longer",
                            kept, name));
  }
  model::write_file(kept, key.pem());
  model::keep_others_from_writing(kept);
}

void forget_key(const std::string& name, const std::string& folder) {
  const std::string kept = path_of(folder, name);
  model::require_own_folder(folder);
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
