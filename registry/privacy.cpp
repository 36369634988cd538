#include "registry/privacy.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/file.h"
#include "registry/canonical_json.h"
#include "registry/digest.h"

namespace platter::registry {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kShortestTelling = 4;  // a shorter number is found in texts by chance
constexpr std::size_t kStandInDigits = 16;

std::string key_path(const Store& store) { return store.folder() + "/serial.key"; }

std::string key_of(const Store& store) {
  const std::string path = key_path(store);
  if (!std::filesystem::exists(path)) {
    model::write_file(path, random_hex(32) + "\n");
    std::filesystem::permissions(
        path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  return model::read_file(path);
}

std::string stand_in_for(const std::string& key, const std::string& vendor,
                         const std::string& product, const std::string& serial) {
  return "hidden-" +
         keyed_hash(key, Json{vendor, product, serial}.dump()).substr(0, kStandInDigits);
}

void replace_everywhere(Json& json, const std::string& serial, const std::string& stand_in) {
  if (json.is_structured()) {
    for (Json& element : json) replace_everywhere(element, serial, stand_in);
  } else if (json.is_string()) {
    auto& text = json.get_ref<std::string&>();
    for (std::size_t at = text.find(serial); at != std::string::npos;
         at = text.find(serial, at + stand_in.size())) {
      text.replace(at, serial.size(), stand_in);
    }
  }
}

}  // namespace

std::string without_serial(const std::string& canonical_model, const Store& store) {
  Json json = Json::parse(canonical_model);
  Json& identity = json["identity"];
  const std::string serial = identity.value("serial", "");
  if (serial.empty()) return canonical_model;
  const std::string stand_in = stand_in_for(key_of(store), identity.value("vendor", ""),
                                            identity.value("product", ""), serial);
  if (serial.size() >= kShortestTelling) replace_everywhere(json, serial, stand_in);
  identity["serial"] = stand_in;
  return canonical_json(json.dump(), "model");
}

std::string known_stand_in(const Store& store, const model::Identity& identity) {
  if (identity.serial.empty() || !std::filesystem::exists(key_path(store))) return "";
  return stand_in_for(key_of(store), identity.vendor, identity.product, identity.serial);
}

void require_without_serial(std::string_view content, const std::string& serial,
                            const std::string& path) {
  if (serial.size() < kShortestTelling || content.find(serial) == std::string_view::npos) return;
  throw Error(
      ExitStatus::refused,
      fmt::format("{}: holds the drive's serial number, which --hide-serial keeps back; leave "
                  "the file out or take the number out of it",
                  path));
}

}  // namespace platter::registry
