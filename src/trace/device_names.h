// Devices that a trace calls by name ("sda", "LUN3", "8:16"), numbered in the order in which they
// come; one that is called by a number has that number.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace platter::trace {

class DeviceNames {
 public:
  // What may stand in messages and in names of files.
  static bool is_plain(std::string_view name) {
    constexpr std::size_t kLongest = 64;
    return !name.empty() && name.size() <= kLongest &&
           std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~' && c != '/'; });
  }

  // The name must be plain.
  std::uint32_t number_of(std::string_view name) {
    std::uint32_t number = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data(), end, number);
    if (error == std::errc() && rest == end && number < kFirstNamed) return number;
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    names_.emplace_back(name);
    const auto next = static_cast<std::uint32_t>(kFirstNamed + names_.size() - 1);
    numbers_.emplace(name, next);
    return next;
  }

  std::string text_of(std::uint32_t number) const {
    return number < kFirstNamed || number - kFirstNamed >= names_.size()
               ? std::to_string(number)
               : names_[number - kFirstNamed];
  }

 private:
  static constexpr std::uint32_t kFirstNamed = 1u << 31;  // above any number of a device

  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

}  // namespace platter::trace
