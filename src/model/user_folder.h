// Where a user keeps a program's files, as the XDG Base Directory Specification says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace platter::model {

// The folder that the variable names ("XDG_DATA_HOME"), else `below_home` (".local/share") in the
// user's home; a path that is not absolute counts as not set (the specification's "Environment
// variables"). nullopt: neither says.
std::optional<std::string> user_folder(const char* variable, const std::string& below_home);

// Where a program lies that is called by its name alone.
enum class PathFolders : std::uint8_t { all, absolute };  // of PATH, those that are looked into

// The first file of this name that may be executed, in the folders of PATH; of a name with a slash
// in it, which is a path, that file itself.
std::optional<std::string> program_on_path(const std::string& name, PathFolders folders);

}  // namespace platter::model
