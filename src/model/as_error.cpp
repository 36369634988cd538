#include "model/as_error.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace platter::model {
namespace {

ExitStatus status_of(const std::error_code& code) {
  if (code == std::errc::permission_denied || code == std::errc::operation_not_permitted)
    return ExitStatus::permission;
  for (const std::errc full : {std::errc::no_space_on_device, std::errc::read_only_file_system,
                               std::errc::file_too_large, std::errc::too_many_links})
    if (code == full) return ExitStatus::output;
  return ExitStatus::bad_input;
}

Error of_files(const std::filesystem::filesystem_error& thrown) {
  const std::string path = thrown.path1().string();
  if (path.empty())
    return {ExitStatus::bad_input,
            fmt::format("a file or folder is named by nothing, or is gone ({}); name one that is "
                        "there",
                        thrown.code().message())};
  return {status_of(thrown.code()),
          fmt::format("{}: cannot be used: {}; name another file or folder, or mend this one", path,
                      thrown.code().message())};
}

// "[json.exception.type_error.302] type must be number, but is string": the words alone.
Error of_json(const nlohmann::json::exception& thrown) {
  std::string words = thrown.what();
  if (const std::size_t end = words.find("] "); end != words.npos) words.erase(0, end + 2);
  return {ExitStatus::bad_input,
          fmt::format("a file of JSON that was given holds something else than it should ({}); "
                      "compare it with its schema (docs/outputs.md)",
                      words)};
}

}  // namespace

Error as_error(const std::exception& thrown) {
  if (const auto* const own = dynamic_cast<const Error*>(&thrown)) return *own;
  if (const auto* const files = dynamic_cast<const std::filesystem::filesystem_error*>(&thrown))
    return of_files(*files);
  if (const auto* const json = dynamic_cast<const nlohmann::json::exception*>(&thrown))
    return of_json(*json);
  return {ExitStatus::internal, thrown.what()};
}

}  // namespace platter::model
