#include "registry/privacy.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/json_text.h"
#include "model/own_alone.h"
#include "registry/digest.h"
#include "registry/told_serials.h"

namespace platter::registry {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kShortestTelling = 4;  // a shorter number is found in texts by chance
constexpr std::size_t kStandInDigits = 16;
constexpr std::size_t kKeyBytes = 32;
const std::string kStandInPrefix = "hidden-";

std::string key_path(const Store& store) { return store.folder() + "/serial.key"; }

std::string key_of(const Store& store) {
  const std::string path = key_path(store);
  if (!model::is_there(path)) {
    std::error_code told_later;
    model::write_file(path, random_hex(kKeyBytes) + "\n");
    std::filesystem::permissions(
        path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, told_later);
  }
  model::require_own_content(path, model::owner_of(store.folder()));
  const std::string key = model::read_file(path);
  const bool whole = key.size() == 2 * kKeyBytes + 1 && key.back() == '\n' &&
                     key.find_first_not_of("0123456789abcdef") == key.size() - 1;
  if (whole) return key;
  throw Error(
      ExitStatus::bad_input,
      fmt::format("{}: is no key of 64 hexadecimal digits; put back the one that was there, "
                  "or delete it: then every drive gets a new stand-in",
                  path));
}

void replace_everywhere(Json& json, const std::string& serial, const std::string& stand_in) {
  // What says in a word of the format's how or when, and tells of no drive.
  static const std::set<std::string> words = {"schema", "platter", "method", "date", "unit"};
  if (json.is_object()) {
    for (auto& [name, element] : json.items())
      if (!words.contains(name)) replace_everywhere(element, serial, stand_in);
  } else if (json.is_array()) {
    for (Json& element : json) replace_everywhere(element, serial, stand_in);
  } else if (json.is_string()) {
    auto& text = json.get_ref<std::string&>();
    text = with_stand_in(std::move(text), serial, stand_in);
  }
}

// Of gzip, zstd, xz, bzip2 and zip.
bool is_compressed(std::string_view content) {
  using namespace std::literals;
  for (const std::string_view magic : {"\x1f\x8b"sv, "\x28\xb5\x2f\xfd"sv,
                                       "\xfd"
                                       "7zXZ"sv,
                                       "BZh"sv, "PK\x03\x04"sv})
    if (content.starts_with(magic)) return true;
  return false;
}

}  // namespace

std::size_t place_of_serial(std::string_view text, std::string_view serial, std::size_t from) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  if (from > text.size()) return std::string_view::npos;
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                                 serial.begin(), serial.end(), same);
  return found == text.end() ? std::string_view::npos
                             : static_cast<std::size_t>(found - text.begin());
}

std::string stand_in_for(const model::Identity& identity, const Store& store) {
  if (identity.serial.empty() || is_stand_in(identity.serial)) return identity.serial;
  const std::string drive =
      model::json_text(Json{identity.vendor, identity.product, identity.serial});
  return kStandInPrefix + keyed_hash(key_of(store), drive).substr(0, kStandInDigits);
}

std::optional<std::string> concern_about_key(const Store& store) {
  return model::readable_by_others(key_path(store));
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
  for (std::size_t at = place_of_serial(text, serial); at != std::string::npos;
       at = place_of_serial(text, serial, at + stand_in.size())) {
    text.replace(at, serial.size(), stand_in);
  }
  return text;
}

std::string known_stand_in(const Store& store, const model::Identity& identity) {
  try {
    return model::is_there(key_path(store)) ? stand_in_for(identity, store) : "";
  } catch (const Error& error) {
    if (error.status() != ExitStatus::permission) throw;  // the key is its writers' alone
    return "";
  }
}

void require_not_compressed(std::string_view content, const std::string& path) {
  if (!is_compressed(content)) return;
  throw Error(ExitStatus::refused,
              fmt::format("{}: is compressed, so nobody sees whether it holds a serial number; "
                          "expand it, or publish the number with --serial",
                          path));
}

void require_without_serial(std::string_view content, const std::string& serial,
                            const std::string& path, Whose whose) {
  if (!is_telling(serial)) return;
  const bool own = whose == Whose::own;
  const char* const number = own ? "the drive's serial number"
                                 : "the serial number of another drive";
  const std::string name = std::filesystem::path(path).filename().string();
  if (place_of_serial(name, serial) != std::string::npos) {
    throw Error(ExitStatus::refused,
                fmt::format("{}: its name holds {}; rename it{}", path, number,
                            own ? ", or publish the number with --serial" : ""));
  }
  for (const std::string& spelled : spellings_of(serial)) {
    if (place_of_serial(content, spelled) == std::string::npos) continue;
    throw Error(
        ExitStatus::refused,
        fmt::format("{}: holds {}; leave the file out{}", path, number,
                    own ? ", make it again of the model that registry pull gives, or publish the "
                          "number with --serial"
                        : ""));
  }
}

void require_no_others_told(std::string_view content, const std::string& own,
                            const std::string& path) {
  for (const std::string& number : told_serials(content)) {
    if (number.size() == own.size() && place_of_serial(number, own) == 0) continue;
    throw Error(
        ExitStatus::refused,
        fmt::format("{}: holds the serial number of another drive; leave the file out", path));
  }
}

}  // namespace platter::registry
