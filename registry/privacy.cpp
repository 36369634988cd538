#include "registry/privacy.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/file.h"
#include "registry/digest.h"

namespace platter::registry {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kShortestTelling = 4;  // a shorter number is found in texts by chance
constexpr std::size_t kStandInDigits = 16;
const std::string kStandInPrefix = "hidden-";

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

void replace_everywhere(Json& json, const std::string& serial, const std::string& stand_in) {
  if (json.is_structured()) {
    for (Json& element : json) replace_everywhere(element, serial, stand_in);
  } else if (json.is_string()) {
    auto& text = json.get_ref<std::string&>();
    text = with_stand_in(std::move(text), serial, stand_in);
  }
}

}  // namespace

std::string stand_in_for(const model::Identity& identity, const Store& store) {
  if (identity.serial.empty() || is_stand_in(identity.serial)) return identity.serial;
  const std::string drive = Json{identity.vendor, identity.product, identity.serial}.dump();
  return kStandInPrefix + keyed_hash(key_of(store), drive).substr(0, kStandInDigits);
}

bool is_stand_in(const std::string& serial) {
  return serial.size() == kStandInPrefix.size() + kStandInDigits &&
         serial.starts_with(kStandInPrefix) &&
         serial.find_first_not_of("0123456789abcdef", kStandInPrefix.size()) == std::string::npos;
}

bool is_telling(const std::string& serial) { return serial.size() >= kShortestTelling; }

void hide_serial(Json& model, const std::string& serial, const std::string& stand_in) {
  if (is_telling(serial)) replace_everywhere(model, serial, stand_in);
  model["identity"]["serial"] = stand_in;
}

std::string with_stand_in(std::string text, const std::string& serial,
                          const std::string& stand_in) {
  for (std::size_t at = text.find(serial); at != std::string::npos;
       at = text.find(serial, at + stand_in.size())) {
    text.replace(at, serial.size(), stand_in);
  }
  return text;
}

std::string known_stand_in(const Store& store, const model::Identity& identity) {
  return std::filesystem::exists(key_path(store)) ? stand_in_for(identity, store) : "";
}

void require_without_serial(std::string_view content, const std::string& serial,
                            const std::string& path) {
  if (!is_telling(serial) || content.find(serial) == std::string_view::npos) return;
  throw Error(
      ExitStatus::refused,
      fmt::format("{}: holds the drive's serial number; leave the file out, make it again of the "
                  "model that registry pull gives, or publish the number with --serial",
                  path));
}

}  // namespace platter::registry
