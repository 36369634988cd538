#include "registry/remote/remotes.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/json_text.h"
#include "model/own_alone.h"
#include "model/strict_json.h"
#include "registry/annotations.h"
#include "registry/reference.h"

namespace platter::registry_remote {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kDescription = "/remote.json";

std::string remotes_folder(const registry::Store& store) { return store.folder() + "/remotes"; }

Remote read_remote(const registry::Store& store, const std::string& name) {
  const std::string path = remote_folder(store, name) + kDescription;
  // Where there is no key, somebody may have taken it away. A registry that several users share has
  // an owner, and who that is added its remotes.
  model::require_own_file(path, model::owner_of(store.folder()));
  const Json json = model::parse_strictly<Json>(model::read_file(path), path);
  try {
    if (!model::is_known(json, "platter-remote")) throw Error(ExitStatus::bad_input, "");
    return {.name = name,
            .place = place_of("oci://" + json.at("place").get<std::string>()),
            .key_pem = json.at("key").get<std::string>(),
            .require_signature = json.at("require_signature").get<bool>(),
            .plain_http = json.at("plain_http").get<bool>()};
  } catch (const Json::exception&) {
  } catch (const Error&) {  // it is of another version, or names no repository
  }
  throw Error(
      ExitStatus::bad_input,
      fmt::format("{}: is no description of a remote; remove the remote and add it again", path));
}

void require_there(const registry::Store& store, const std::string& name) {
  if (model::is_there(remote_folder(store, name) + kDescription)) return;
  throw Error(
      ExitStatus::bad_input,
      fmt::format("{}: is no remote; platter registry remote list shows which there are", name));
}

}  // namespace

std::vector<registry_trust::NamedKey> Remote::key() const {
  if (key_pem.empty()) return {};
  return {{name, registry_trust::public_key_of(key_pem, "the key of the remote " + name)}};
}

std::string place_of(const std::string& url) {
  static const std::regex form(
      "oci://([A-Za-z0-9.-]+|\\[[0-9a-fA-F:]+\\])(:[0-9]{1,5})?(/"
      "[a-z0-9]+((\\.|_|__|-+)[a-z0-9]+)*)+");
  constexpr std::size_t kLongest = 255;
  if (url.size() > kLongest || !std::regex_match(url, form))
    throw Error(
        ExitStatus::usage,
        fmt::format("{}: names no repository; oci://HOST[:PORT]/path in small letters does", url));
  const std::string place = url.substr(std::string_view("oci://").size());
  const std::string host = place.substr(0, place.find('/'));
  // As references of images are read (distribution's grammar): else it were a path of Docker's hub.
  if (host.find_first_of(".:") == std::string::npos && host != "localhost")
    throw Error(ExitStatus::usage,
                fmt::format("{}: tools for images take {} for a path on Docker Hub; write {}:443",
                            url, host, host));
  return place;
}

std::string remote_folder(const registry::Store& store, const std::string& name) {
  if (!registry_trust::is_plain_name(name))
    throw Error(
        ExitStatus::usage,
        fmt::format("{}: is no name for a remote; letters, digits, '-', '_' and '.' make one",
                    name));
  return remotes_folder(store) + "/" + name;
}

void add_remote(const registry::Store& store, const Remote& added) {
  const registry::Lock lock(store);
  const std::string folder = remote_folder(store, added.name);
  if (model::is_there(folder + kDescription)) {
    const Remote there = read_remote(store, added.name);
    if (there == added) return;
    throw Error(
        ExitStatus::refused,
        fmt::format("{}: is the name of another remote, {}, or was added with another key or "
                    "other options; remove it first (platter registry remote remove {})",
                    added.name, there.place, added.name));
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  model::keep_others_from_writing(folder);
  nlohmann::ordered_json json = model::json_head("platter-remote");
  json["place"] = added.place;
  json["key"] = added.key_pem;
  json["require_signature"] = added.require_signature;
  json["plain_http"] = added.plain_http;
  model::write_file(folder + kDescription,
                    model::json_text(json, model::JsonForm::indented) + "\n");
  model::keep_others_from_writing(folder + kDescription);
}

void remove_remote(const registry::Store& store, const std::string& name) {
  require_there(store, name);
  const registry::Lock lock(store);
  std::error_code failed;
  fs::remove_all(remote_folder(store, name), failed);
  if (failed)
    throw Error(ExitStatus::output, fmt::format("{}: cannot be removed: {}",
                                                remote_folder(store, name), failed.message()));
}

std::vector<std::string> remote_names(const registry::Store& store) {
  std::vector<std::string> names;
  for (const fs::path& path : model::paths_in(remotes_folder(store))) {
    const std::string name = path.filename().string();
    if (registry_trust::is_plain_name(name) && model::is_there(path.string() + kDescription))
      names.push_back(name);
  }
  return names;
}

std::vector<Remote> remotes(const registry::Store& store) {
  std::vector<Remote> all;
  for (const std::string& name : remote_names(store)) all.push_back(read_remote(store, name));
  return all;
}

Remote remote(const registry::Store& store, const std::string& name) {
  require_there(store, name);
  return read_remote(store, name);
}

std::optional<EntryTag> entry_tag(const std::string& text) {
  constexpr std::size_t kLongest = 128;  // of a tag (distribution specification)
  const std::size_t point = text.rfind('.');
  if (text.size() > kLongest || point == std::string::npos) return std::nullopt;
  EntryTag tag{text.substr(0, point), text.substr(point + 1)};
  if (!registry::is_drive_name(tag.drive) || registry::version_number(tag.version) == 0)
    return std::nullopt;
  return tag;
}

}  // namespace platter::registry_remote
