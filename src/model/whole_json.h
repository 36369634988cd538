// JSON from outside, read to its last byte: nlohmann's reader takes a byte of 0 for the end of the
// text, so that whatever stands behind it would go unseen.
#pragma once

#include <string>
#include <string_view>

#include "model/strict_json.h"

namespace platter::model {

// Throws Error(bad_input) that begins with `origin` for a text that has a byte of 0, which no JSON
// has (RFC 8259, section 7).
inline void require_no_zero_byte(std::string_view text, const std::string& origin,
                                 const char* needed) {
  const std::size_t at = text.find('\0');
  if (at == std::string_view::npos) return;
  const auto before = text.substr(0, at);
  throw Error(ExitStatus::bad_input,
              fmt::format("{}: is not valid JSON (line {} has a byte of 0){}", origin,
                          std::count(before.begin(), before.end(), '\n') + 1, needed));
}

// As parse_strictly().
template <class Json>
Json parse_whole(std::string_view text, const std::string& origin, ReadBudget& budget,
                 const JsonLimits& limits = {}) {
  require_no_zero_byte(text, origin, limits.needed);
  return parse_strictly<Json>(text, origin, budget, limits);
}
template <class Json>
Json parse_whole(std::string_view text, const std::string& origin, const JsonLimits& limits = {}) {
  require_no_zero_byte(text, origin, limits.needed);
  return parse_strictly<Json>(text, origin, limits);
}

// As parse_or_null().
template <class Json>
Json parse_whole_or_null(std::string_view text, const JsonLimits& limits = {}) {
  return text.find('\0') == std::string_view::npos ? parse_or_null<Json>(text, limits) : Json();
}

}  // namespace platter::model
