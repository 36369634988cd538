#include "model/formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "model/number_in.h"

namespace platter::model {
namespace {

// A whole number as JSON has them: no sign, no zero in front.
std::optional<int> version_number(std::string_view text) {
  if (text.empty() || text.front() == '-' || (text.front() == '0' && text.size() > 1)) return {};
  return number_in<int>(text);
}

}  // namespace

FormatVersion version_of(std::string_view format) {
  const auto found = std::ranges::find(kFormatVersions, format, &Format::name);
  if (found == std::end(kFormatVersions))
    throw std::logic_error(fmt::format("{} is in no table of formats", format));
  return found->version;
}

std::string text_of(FormatVersion version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

std::optional<FormatVersion> version_in(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos) return {};
  const auto major = version_number(text.substr(0, dot)),
             minor = version_number(text.substr(dot + 1));
  if (!major || !minor || *major == 0) return {};
  return FormatVersion{*major, *minor};
}

std::optional<FormatVersion> version_in(const nlohmann::ordered_json& document,
                                        std::string_view format) {
  const nlohmann::ordered_json none;
  if (!document.is_object()) return {};
  const auto schema = document.find("schema");
  if (schema == document.end() || !schema->is_object() || schema->value("name", none) != format)
    return {};
  const nlohmann::ordered_json version = schema->value("version", none);
  if (!version.is_string()) return {};
  return version_in(std::string_view(version.get_ref<const std::string&>()));
}

bool is_known(const nlohmann::ordered_json& document, std::string_view format) {
  const auto version = version_in(document, format);
  const FormatVersion own = version_of(format);
  return version && version->major == own.major && version->minor <= own.minor;
}

}  // namespace platter::model
