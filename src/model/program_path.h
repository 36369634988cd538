// Where a program lies that is called by its name alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace platter::model {

enum class PathFolders : std::uint8_t { all, absolute };  // of PATH, those that are looked into

// The first file of this name that may be executed, in the folders of PATH; of a name with a slash
// in it, which is a path, that file itself.
std::optional<std::string> program_on_path(const std::string& name, PathFolders folders);

}  // namespace platter::model
