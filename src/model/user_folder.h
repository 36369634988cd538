// Where a user keeps a program's files, as the XDG Base Directory Specification says.
#pragma once

#include <optional>
#include <string>

namespace platter::model {

// The folder that the variable names ("XDG_DATA_HOME"), else `below_home` (".local/share") in the
// user's home; a path that is not absolute counts as not set (the specification's "Environment
// variables"). nullopt: neither says.
std::optional<std::string> user_folder(const char* variable, const std::string& below_home);

}  // namespace platter::model
