// Attributes and folders of the kernel's sysfs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace platter::transport {

// One line of an attribute, trimmed; empty if there is none.
std::string attribute(const std::filesystem::path& path);

// What a folder holds, sorted by name.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

// The name of the first of them; empty: the folder is empty, or there is none.
std::string first_entry(const std::filesystem::path& folder);

bool present(const std::filesystem::path& path);

}  // namespace platter::transport
