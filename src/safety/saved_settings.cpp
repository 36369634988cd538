#include "safety/saved_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "scsi/conditions.h"

namespace platter::safety {
namespace {

using Json = nlohmann::ordered_json;

void require_settings(bool good) {
  if (!good) throw std::invalid_argument("settings");
}

SavedPage saved_page(const Json& text) {
  SavedPage page = unhex(text.get<std::string>());
  const auto code = scsi::code_of(page);
  require_settings(code && scsi::may_be_set(*code));
  return page;
}

// What the drive does not have is not there.
Json ata_json(const scsi::AtaSettings& settings) {
  Json json = Json::object();
  if (settings.write_cache) json["write_cache"] = *settings.write_cache;
  if (settings.look_ahead) json["look_ahead"] = *settings.look_ahead;
  if (settings.power_level) json["power_level"] = *settings.power_level;
  return json;
}

scsi::AtaSettings ata_settings(const Json& json) {
  scsi::AtaSettings settings;
  if (json.contains("write_cache")) settings.write_cache = json.at("write_cache").get<bool>();
  if (json.contains("look_ahead")) settings.look_ahead = json.at("look_ahead").get<bool>();
  if (json.contains("power_level")) {
    const auto& stated = json.at("power_level");
    require_settings(stated.is_number_unsigned());
    const auto level = stated.get<std::uint64_t>();
    require_settings(level <= scsi::kMostPerformance);
    settings.power_level = static_cast<std::uint8_t>(level);
  }
  return settings;
}

}  // namespace

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::vector<std::uint8_t> unhex(const std::string& text) {
  require_settings(text.size() % 2 == 0);
  std::vector<std::uint8_t> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char* const digits = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(digits, digits + 2, bytes[i], 16);
    require_settings(error == std::errc() && end == digits + 2);
  }
  return bytes;
}

SavedSettings settings_of(scsi::Drive& drive) {
  SavedSettings settings;
  for (const scsi::PageCode code :
       {scsi::kCachingPage, scsi::kPowerConditionPage, scsi::kBackgroundControlPage}) {
    auto page = drive.settings().mode_page(code.page, scsi::PageControl::current, code.subpage);
    if (page && scsi::code_of(*page) == code) settings.pages.push_back(std::move(*page));
  }
  settings.ata = drive.settings().ata();
  return settings;
}

bool shows(const SavedSettings& now, const SavedSettings& wanted) {
  const auto shown = [&](const SavedPage& page) {
    return std::ranges::any_of(now.pages, [&](const SavedPage& other) {
      // Byte 0 has the PS bit, which is no setting.
      return scsi::code_of(other) == scsi::code_of(page) &&
             std::equal(other.begin() + 1, other.end(), page.begin() + 1, page.end());
    });
  };
  return std::ranges::all_of(wanted.pages, shown) &&
         (!wanted.ata || (now.ata && now.ata->satisfies(*wanted.ata)));
}

Json json_of(const SavedSettings& settings) {
  Json object = Json::object();
  for (const SavedPage& page : settings.pages) object["mode_pages"].push_back(hex(page));
  if (settings.ata) object["ata"] = ata_json(*settings.ata);
  return object;
}

SavedSettings settings_in(const Json& object) {
  SavedSettings settings;
  // Journals of before there were several have the caching page alone.
  if (object.contains("cache_page")) settings.pages.push_back(saved_page(object.at("cache_page")));
  if (object.contains("mode_pages"))
    for (const Json& page : object.at("mode_pages")) settings.pages.push_back(saved_page(page));
  if (object.contains("ata")) settings.ata = ata_settings(object.at("ata"));
  return settings;
}

}  // namespace platter::safety
