#include "model/as_error.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.h"

namespace platter::model {
namespace {

namespace fs = std::filesystem;

Error of_files(const std::string& path, std::errc code) {
  return as_error(fs::filesystem_error("cannot", path, std::make_error_code(code)));
}

}  // namespace

TEST_CASE("what the libraries throw is a sentence with a status of its own") {
  CHECK(of_files("/a/b", std::errc::permission_denied).status() == ExitStatus::permission);
  CHECK(of_files("/a/b", std::errc::no_space_on_device).status() == ExitStatus::output);
  CHECK(of_files("/a/b", std::errc::read_only_file_system).status() == ExitStatus::output);
  for (const std::errc code : {std::errc::filename_too_long, std::errc::no_such_file_or_directory,
                               std::errc::too_many_symbolic_link_levels}) {
    const Error error = of_files("/a/b", code);
    CHECK(error.status() == ExitStatus::bad_input);
    CHECK(std::string(error.what()).starts_with("/a/b: cannot be used: "));
  }
  CHECK(std::string(of_files("", std::errc::invalid_argument).what()).find("named by nothing") !=
        std::string::npos);
}

TEST_CASE("the JSON library's complaint is told without its number") {
  try {
    static_cast<void>(nlohmann::json("text").get<int>());
    FAIL();
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    CHECK(error.status() == ExitStatus::bad_input);
    CHECK(std::string(error.what()).find("(type must be number, but is string)") !=
          std::string::npos);
  }
}

TEST_CASE("an Error stays itself, and all else is a defect") {
  CHECK(as_error(Error(ExitStatus::differs, "a")).status() == ExitStatus::differs);
  CHECK(as_error(std::runtime_error("a")).status() == ExitStatus::internal);
}

}  // namespace platter::model
