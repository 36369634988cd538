// What lies in a folder, and paths, without exceptions of the library's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace platter::model {

// By name; none where there is no such folder. Throws Error(permission) or Error(bad_input) where
// it cannot be looked at: what cannot be read is not empty.
std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder);

// Whether something is there. Throws Error(permission) or Error(bad_input) where that cannot be
// told (a loop of links, a folder above it that may not be searched): what is not known is not
// absent, and nothing is made anew in its place.
bool is_there(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

// With all above it. Throws Error(output).
void make_folder(const std::filesystem::path& path);

// As seen from the root; the path itself where the present folder is gone, or where it is empty.
std::string absolute_path(const std::filesystem::path& path);

}  // namespace platter::model
