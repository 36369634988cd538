#include "transport/sysfs.h"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace platter::transport {

namespace fs = std::filesystem;

std::string attribute(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  line.erase(line.find_last_not_of(" \t\n") + 1);
  return line;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  // What a process has open may be gone before it was looked at.
  for (auto entry = fs::directory_iterator(folder, failed);
       !failed && entry != fs::directory_iterator(); entry.increment(failed))
    found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string first_entry(const fs::path& folder) {
  const auto found = entries(folder);
  return found.empty() ? "" : found.front().filename().string();
}

bool present(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

}  // namespace platter::transport
