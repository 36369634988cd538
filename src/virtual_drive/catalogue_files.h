// The texts of catalogue/*.json, which the build compiles in (see CMakeLists.txt).
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace platter::virtual_drive {

// File names without .json, and their contents.
extern const std::span<const std::pair<std::string_view, std::string_view>> kCatalogueFiles;

}  // namespace platter::virtual_drive
