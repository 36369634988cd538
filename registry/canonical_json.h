// The one form of a JSON document that is hashed and signed: RFC 8785, the JSON Canonicalization
// Scheme. Equal documents become equal bytes, whatever wrote them.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace platter::registry {

inline constexpr std::size_t kMostMembers = std::size_t{1} << 20;  // of one object; they lie in a
                                                                   // tree

// RFC 8785, section 3.2: no white space, members sorted by their names' UTF-16 code units, numbers
// as ECMAScript writes them. Throws Error(bad_input) with `origin` for what is not JSON, or is no
// I-JSON (RFC 7493): a name twice in one object, a whole number that a double cannot carry
// unchanged.
std::string canonical_json(std::string_view text, const std::string& origin);

// The two halves of that.
nlohmann::json parse_i_json(std::string_view text, const std::string& origin);
std::string canonical_form(const nlohmann::json& document, const std::string& origin);

// Number::toString of ECMA-262, which RFC 8785 section 3.2.2.3 requires: the fewest digits that
// give the same double back. Throws Error(bad_input) for NaN and the infinities.
std::string ecmascript_number(double value);

}  // namespace platter::registry
