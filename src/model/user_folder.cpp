#include "model/user_folder.h"

#include <cstdlib>

namespace platter::model {
namespace {

std::optional<std::string> absolute_path_in(const char* variable) {
  const char* const path = std::getenv(variable);
  if (path == nullptr || path[0] != '/') return std::nullopt;
  return path;
}

}  // namespace

std::optional<std::string> user_folder(const char* variable, const std::string& below_home) {
  if (auto named = absolute_path_in(variable)) return named;
  if (const auto home = absolute_path_in("HOME")) return *home + "/" + below_home;
  return std::nullopt;
}

}  // namespace platter::model
