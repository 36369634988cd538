#include "host/governors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "transport/sysfs.h"

namespace platter::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "/sys/devices/system/cpu/cpufreq";
constexpr std::string_view kPolicy = "policy";

fs::path file_of(const std::string& policy, const std::string& root) {
  return fs::path(root + kFolder) / policy / "scaling_governor";
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::vector<Governor> governors(const std::string& root) {
  std::vector<Governor> all;
  for (const auto& folder : transport::entries(root + kFolder)) {
    Governor governor{folder.filename().string(),
                      transport::attribute(folder / "scaling_governor")};
    if (is_well_formed(governor)) all.push_back(std::move(governor));
  }
  return all;
}

std::optional<std::string> set_governor(const Governor& wanted, const std::string& root) {
  const int file = ::open(file_of(wanted.policy, root).c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) return std::strerror(errno);
  const auto size = static_cast<ssize_t>(wanted.name.size());
  const int error = ::write(file, wanted.name.data(), wanted.name.size()) == size ? 0 : errno;
  ::close(file);
  if (error == EINVAL) return "this kernel has no governor " + wanted.name;
  if (error != 0) return std::strerror(error);
  if (const std::string shown = transport::attribute(file_of(wanted.policy, root));
      shown != wanted.name)
    return "it stays " + shown;
  return std::nullopt;
}

bool is_well_formed(const Governor& governor) {
  const std::string& policy = governor.policy;
  const auto is_letter = [](char c) {
    return std::islower(static_cast<unsigned char>(c)) || c == '_';
  };
  return policy.starts_with(kPolicy) && policy.size() > kPolicy.size() &&
         std::all_of(policy.begin() + kPolicy.size(), policy.end(), is_digit) &&
         !governor.name.empty() && std::ranges::all_of(governor.name, is_letter);
}

std::string in_words(const std::vector<Governor>& governors) {
  const auto other = [&](const Governor& g) { return g.name != governors.front().name; };
  if (governors.empty()) return "none";
  if (std::ranges::none_of(governors, other)) return governors.front().name;
  std::vector<std::string> words;
  for (const Governor& g : governors) words.push_back(fmt::format("{} of {}", g.name, g.policy));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace platter::host
