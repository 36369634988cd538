#include "emulator/cosim/program_name.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/descriptor.h"
#include "model/file.h"

namespace platter::emulator {
namespace {

constexpr std::size_t kPage = 4096;

// Where each mapping of the process ends, highest first. A line is "begin-end rights ...".
std::vector<std::uint64_t> mapping_ends(pid_t process) {
  std::string maps;
  const model::Descriptor file(
      open(fmt::format("/proc/{}/maps", process).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kPage> bytes{};
  for (ssize_t got = 0; (got = read(file.get(), bytes.data(), bytes.size())) > 0;)
    maps.append(bytes.data(), static_cast<std::size_t>(got));
  std::vector<std::uint64_t> ends;
  for (std::size_t line = 0; line < maps.size(); line = maps.find('\n', line) + 1) {
    const std::size_t dash = maps.find('-', line);
    if (dash == std::string::npos || maps.find('\n', line) == std::string::npos) break;
    std::uint64_t end = 0;
    std::from_chars(maps.data() + dash + 1, maps.data() + maps.size(), end, 16);
    ends.push_back(end);
  }
  std::ranges::sort(ends, std::greater());
  return ends;
}

// The string before the last eight bytes, which are zero (fs/exec.c of Linux puts it there).
std::string last_string(std::string_view page) {
  constexpr std::size_t kNothing = 8;
  const std::string_view nothing = page.substr(page.size() - kNothing);
  std::string_view rest = page.substr(0, page.size() - kNothing);
  if (nothing.find_first_not_of('\0') != std::string_view::npos || rest.back() != '\0') return {};
  rest.remove_suffix(1);
  const std::size_t begin = rest.rfind('\0');
  if (begin == std::string_view::npos) return {};
  const std::string_view text = rest.substr(begin + 1);
  const bool is_text = std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
  return is_text ? std::string(text) : std::string();
}

}  // namespace

std::string program_name(pid_t process, const std::string& kernel) {
  const model::Descriptor memory(
      open(fmt::format("/proc/{}/mem", process).c_str(), O_RDONLY | O_CLOEXEC));
  if (memory.get() < 0) return {};
  std::array<char, kPage> page{};
  for (const std::uint64_t end : mapping_ends(process)) {
    if (pread(memory.get(), page.data(), page.size(), static_cast<off_t>(end - kPage)) !=
        static_cast<ssize_t>(page.size()))
      continue;
    if (std::string name = last_string({page.data(), page.size()}); !name.empty() && name != kernel)
      return name;
  }
  return {};
}

}  // namespace platter::emulator
