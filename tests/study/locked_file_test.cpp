// Claims: one holder, nothing left, and a dead one's is free.
#include "study/locked_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "catch.h"
#include "study/store.h"
#include "study_folder.h"

namespace platter::study {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a claim is one process's until it is done, and leaves the file alone") {
  const StudyFolder folder;
  const std::string path = folder.path("points/ab/x.json");
  {
    const auto claim = Claim::on(path, false);
    REQUIRE(claim);
    CHECK_FALSE(Claim::on(path, false));
    CHECK_FALSE(fs::exists(path));
    claim->commit("whole\n", true);
    CHECK(model::read_file(path) == "whole\n");
  }
  CHECK_FALSE(fs::exists(Claim::unfinished(path)));
  { const auto abandoned = Claim::on(path, false); }
  CHECK(model::read_file(path) == "whole\n");
  CHECK_FALSE(fs::exists(Claim::unfinished(path)));
}

TEST_CASE("the claim of a killed process is the next one's, and what it left is tidied up") {
  const StudyFolder folder;
  const std::string path = folder.path("points/ab/x.json");
  int told[2];
  REQUIRE(::pipe(told) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto claim = Claim::on(path, false);
    if (::write(told[1], "x", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(told[0], &byte, 1) == 1);
  CHECK_FALSE(Claim::on(path, false));
  Store(folder.path("")).tidy_up();
  CHECK(fs::exists(Claim::unfinished(path)));  // it is at work
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(fs::exists(Claim::unfinished(path)));
  SECTION("taken over") {
    const auto claim = Claim::on(path, false);
    REQUIRE(claim);
    claim->commit("mine\n", false);
    CHECK(model::read_file(path) == "mine\n");
  }
  SECTION("tidied up") {
    Store(folder.path("")).tidy_up();
    CHECK_FALSE(fs::exists(Claim::unfinished(path)));
  }
  ::close(told[0]);
  ::close(told[1]);
}

}  // namespace
}  // namespace platter::study
