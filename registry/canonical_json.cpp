#include "registry/canonical_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/json_text.h"
#include "model/strict_json.h"

namespace platter::registry {
namespace {

using Json = nlohmann::json;

// The shortest digits d1 d2 ... dk of a positive value 0.d1d2...dk * 10^point.
struct Decimal {
  std::string digits;
  int point = 0;
};

Decimal shortest_decimal(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t exponent_at = text.find('e');
  const bool plus = text[exponent_at + 1] == '+';
  int exponent = 0;
  std::from_chars(text.data() + exponent_at + (plus ? 2 : 1), end.ptr, exponent);
  Decimal decimal{std::string(text.substr(0, exponent_at)), exponent + 1};
  std::erase(decimal.digits, '.');
  return decimal;
}

// ECMA-262, Number::toString, steps 6 to 12, with its n and k.
std::string positive_number(double value) {
  const auto [digits, n] = shortest_decimal(value);
  const int k = static_cast<int>(digits.size());
  const auto zeros = [](int count) { return std::string(static_cast<std::size_t>(count), '0'); };
  if (k <= n && n <= 21) return digits + zeros(n - k);
  if (0 < n && n <= 21) {
    const auto point = static_cast<std::size_t>(n);
    return digits.substr(0, point) + "." + digits.substr(point);
  }
  if (-6 < n && n <= 0) return "0." + zeros(-n) + digits;
  const std::string mantissa = k == 1 ? digits : digits.substr(0, 1) + "." + digits.substr(1);
  return fmt::format("{}e{}{}", mantissa, n > 0 ? '+' : '-', std::abs(n - 1));
}

// UTF-8 that the parser has found valid.
std::u16string utf16(const std::string& text) {
  std::u16string units;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t point = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t j = 1; j < length; ++j) {
      point = point << 6 | (static_cast<unsigned char>(text[i + j]) & 0x3FU);
    }
    if (point >= 0x10000) {
      units.push_back(static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10)));
      units.push_back(static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF)));
    } else {
      units.push_back(static_cast<char16_t>(point));
    }
    i += length;
  }
  return units;
}

class Writer {
 public:
  explicit Writer(const std::string& origin) : origin_(origin) {}

  void write(const Json& json) {
    switch (json.type()) {
      case Json::value_t::object:
        return write_object(json);
      case Json::value_t::array:
        return write_array(json);
      case Json::value_t::number_integer:
        return write_whole(json.get<std::int64_t>());
      case Json::value_t::number_unsigned:
        return write_whole(json.get<std::uint64_t>());
      case Json::value_t::number_float:
        out += ecmascript_number(json.get<double>());
        return;
      case Json::value_t::string:
        return write_text(json.get_ref<const std::string&>());
      default:
        out += model::json_text(json);  // literals
    }
  }

  std::string out;

 private:
  void write_object(const Json& json) {
    const auto write_member = [&](const Json::const_iterator& member) {
      if (out.back() != '{') out += ',';
      write_text(member.key());
      out += ':';
      write(member.value());
    };
    out += '{';
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    bool all_ascii = true;
    for (auto member = json.begin(); member != json.end(); ++member)
      all_ascii = all_ascii && std::all_of(member.key().begin(), member.key().end(), is_ascii);
    if (all_ascii) {  // nlohmann's order is that of the bytes
      for (auto member = json.begin(); member != json.end(); ++member) write_member(member);
    } else {
      std::vector<std::pair<std::u16string, Json::const_iterator>> members;
      for (auto member = json.begin(); member != json.end(); ++member)
        members.emplace_back(utf16(member.key()), member);
      std::sort(members.begin(), members.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      for (const auto& [name, member] : members) write_member(member);
    }
    out += '}';
  }

  // With just the escapes of section 3.2.2.2.
  void write_text(const std::string& text) {
    const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
      return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
    });
    if (!is_plain) {
      out += model::json_text(Json(text));
      return;
    }
    out += '"';
    out += text;
    out += '"';
  }

  void write_array(const Json& json) {
    out += '[';
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (i > 0) out += ',';
      write(json[i]);
    }
    out += ']';
  }

  template <typename T>
  void write_whole(T value) {
    const std::string exact = std::to_string(value);
    if (ecmascript_number(static_cast<double>(value)) != exact) {
      throw Error(
          ExitStatus::bad_input,
          fmt::format("{}: the whole number {} has no canonical JSON form, which carries 53 "
                      "bits; choose a smaller one",
                      origin_, exact));
    }
    out += exact;
  }

  const std::string& origin_;
};

}  // namespace

std::string ecmascript_number(double value) {
  if (!std::isfinite(value)) {
    throw Error(ExitStatus::bad_input, "a number that is not finite has no JSON form");
  }
  if (value == 0) return "0";  // of either sign
  const std::string size = positive_number(std::abs(value));
  return value < 0 ? fmt::format("-{}", size) : size;
}

Json parse_i_json(std::string_view text, const std::string& origin) {
  return model::parse_strictly<Json>(text, origin, {.members = kMostMembers});
}

std::string canonical_form(const Json& document, const std::string& origin) {
  Writer writer(origin);
  writer.write(document);
  return std::move(writer.out);
}

std::string canonical_json(std::string_view text, const std::string& origin) {
  return canonical_form(parse_i_json(text, origin), origin);
}

}  // namespace platter::registry
