#include "model/bounded_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <thread>

#include "catch.h"
#include "emit_disksim_run/script.h"
#include "model/error.h"
#include "model/interruption.h"

using namespace platter;
using namespace platter::emit_disksim_run;
using testing::Scripts;

namespace {

std::optional<std::string> run(const Scripts& scripts, const std::string& lines,
                               const model::Bounds& bounds = {}) {
  return model::run_bounded({scripts.program(lines), "first", "second"}, scripts.folder(),
                            scripts.file("said"), scripts.file("errors"), bounds);
}

// Once what ended it has been told of.
bool is_gone(pid_t pid) {
  for (int i = 0; i < 200; ++i) {
    if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
    std::ifstream state("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, letter;
    if (state >> number >> name >> letter && letter == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("a program runs in its folder, with its words, no input, and what it says in files") {
  const Scripts scripts;
  CHECK(run(scripts, "pwd; echo $1 $2; read line || echo nothing; echo wrong >&2") == std::nullopt);
  CHECK(scripts.content("said") ==
        std::filesystem::canonical(scripts.folder()).string() + "\nfirst second\nnothing\n");
  CHECK(scripts.content("errors") == "wrong\n");
}

TEST_CASE("a program inherits no descriptors but its own three") {
  const Scripts scripts;
  const int ours = ::open("/dev/null", O_RDONLY);
  const std::string at = "/proc/self/fd/" + std::to_string(ours);
  REQUIRE(std::filesystem::exists(at));
  CHECK(run(scripts, "exec test -e " + at) == "ended with status 1");
  ::close(ours);
}

TEST_CASE("how a program ended is told") {
  const Scripts scripts;
  CHECK(run(scripts, "exit 3") == "ended with status 3");
  CHECK(run(scripts, "kill -SEGV $$") == "was ended by signal 11 (Segmentation fault)");
  CHECK(model::run_bounded({"/nowhere/disksim"}, scripts.folder(), scripts.file("said"),
                           scripts.file("errors")) ==
        "cannot be started: No such file or directory");
}

TEST_CASE("a program that computes for ever, or waits for ever, is ended") {
  const Scripts scripts;
  CHECK(run(scripts, "while :; do :; done", {.processor_s = 1}) ==
        "took more than 1 s of processor time");
  CHECK(run(scripts, "echo $$ > pid; exec sleep 1000", {.wall_s = 1}) == "did not end within 1 s");
  CHECK(is_gone(std::stoi(scripts.content("pid"))));
}

TEST_CASE("a program that writes for ever is ended, into one file or many") {
  const Scripts scripts;
  const model::Bounds bounds{.folder_bytes = 8 << 20};
  CHECK(run(scripts, "exec head -c 10G /dev/zero > big", bounds) == "wrote more than 8 MB");
  CHECK(std::filesystem::file_size(scripts.file("big")) <= bounds.folder_bytes);
  CHECK(run(scripts, "n=0; while :; do n=$((n+1)); head -c 1M /dev/zero > more$n; done", bounds) ==
        "wrote more than 8 MB");
  CHECK(run(scripts, "exec yes", bounds) == "wrote more than 8 MB");
}

TEST_CASE("a program cannot have more memory than it is given") {
  const Scripts scripts;
  CHECK(run(scripts, "exec head -c 1 /dev/null", {.memory_bytes = 1 << 16}));
  CHECK(run(scripts, "exec head -c 1 /dev/null") == std::nullopt);
}

TEST_CASE("what a program leaves behind is ended with it") {
  const Scripts scripts;
  CHECK(run(scripts, "sleep 1000 & echo $! > pid") == std::nullopt);
  CHECK(is_gone(std::stoi(scripts.content("pid"))));
}

TEST_CASE("a program is ended where somebody asks to stop") {
  const Scripts scripts;
  std::thread asking([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ask_to_stop();
  });
  CHECK_THROWS_AS(run(scripts, "echo $$ > pid; exec sleep 1000"), Error);
  interruption::asked = false;
  asking.join();
  CHECK(is_gone(std::stoi(scripts.content("pid"))));
}
