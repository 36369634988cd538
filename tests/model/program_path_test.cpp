#include <cstdlib>
#include <filesystem>
#include <string>

#include "catch.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "model/user_folder.h"

using namespace platter;
using model::PathFolders;
using model::program_on_path;

TEST_CASE("a program is found on PATH, in folders with whole names only where that is asked") {
  namespace fs = std::filesystem;
  model::TemporaryFolder folder(model::temporary_name("platter-path"));
  const std::string program = folder.file("program");
  model::write_file(program, "#!/bin/sh\n");
  fs::permissions(program, fs::perms::owner_all);
  model::write_file(folder.file("no-program"), "text\n");
  const std::string before = std::getenv("PATH");
  const std::string nearby = fs::relative(folder.path()).string();
  ::setenv("PATH", (":.:/nowhere:" + folder.path() + ":/usr/bin").c_str(), 1);
  CHECK(program_on_path("program", PathFolders::absolute) == program);
  CHECK(program_on_path("no-program", PathFolders::absolute) == std::nullopt);
  CHECK(program_on_path("..", PathFolders::all) == std::nullopt);  // a folder
  CHECK(program_on_path("no-such", PathFolders::all) == std::nullopt);
  ::setenv("PATH", nearby.c_str(), 1);
  CHECK(program_on_path("program", PathFolders::absolute) == std::nullopt);
  CHECK(program_on_path("program", PathFolders::all) == nearby + "/program");
  ::setenv("PATH", "", 1);
  CHECK(program_on_path("program", PathFolders::all) == std::nullopt);
  ::setenv("PATH", before.c_str(), 1);
}
