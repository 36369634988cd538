// The guest's kernel in the cache: built once by whoever needs it first, and whole or not there.
// The builder is played, but for its own test.
#include "emulator/cosim/kernel.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "catch.h"
#include "model/error.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "source_folder.h"

using namespace platter;
namespace fs = std::filesystem;

namespace {

void write_script(const fs::path& path, const std::string& text) {
  model::write_file(path.string(), text);
  fs::permissions(path, fs::perms::owner_all);
}

class Workshop {
 public:
  Workshop() {
    REQUIRE_FALSE(folder_.path().empty());
    setenv("XDG_CACHE_HOME", (root() / "cache").c_str(), 1);
    model::write_file((root() / "config").string(), "CONFIG_A=y\n");
    model::write_file(recipe().source, "source");
    build_by("echo compiled; echo kernel >\"$3.new\"; mv \"$3.new\" \"$3\"");
  }
  ~Workshop() { unsetenv("XDG_CACHE_HOME"); }

  fs::path root() const { return folder_.path(); }
  fs::path cache() const { return root() / "cache" / "platter"; }
  emulator::KernelRecipe recipe() const {
    return {(root() / "config").string(), (root() / "builder").string(),
            (root() / "source").string()};
  }
  // Each time it is called it leaves a line.
  void build_by(const std::string& commands) const {
    write_script(root() / "builder", "#!/bin/sh\necho built >>" + (root() / "builds").string() +
                                         "\n" + commands + "\n");
  }
  std::size_t builds() const {
    std::ifstream file(root() / "builds");
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    return lines;
  }
  // Beside the lock.
  std::size_t files_in_cache() const {
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(cache()))
      if (entry.path().filename() != "cosim-kernel.lock") ++files;
    return files;
  }

 private:
  model::TemporaryFolder folder_{model::temporary_name("platter-kernel-test")};
};

ExitStatus status_of(const emulator::KernelRecipe& recipe, std::string& sentence) {
  try {
    emulator::guest_kernel(recipe, {});
  } catch (const Error& error) {
    sentence = error.what();
    return error.status();
  }
  return ExitStatus::ok;
}

}  // namespace

TEST_CASE("A kernel is built when it is first wanted, and kept") {
  const Workshop workshop;
  std::size_t notices = 0;
  double share = 0;
  const emulator::KernelProgress progress{[&](const std::string&) { ++notices; },
                                          [&](double now) { share = now; }};
  const std::string kernel = emulator::guest_kernel(workshop.recipe(), progress);
  CHECK(model::read_file(kernel) == "kernel\n");
  CHECK(notices == 1);
  CHECK(share > 0);
  CHECK(emulator::guest_kernel(workshop.recipe(), progress) == kernel);
  CHECK(notices == 1);
  CHECK(workshop.builds() == 1);
  CHECK(workshop.files_in_cache() == 1);
}

TEST_CASE("Another configuration, builder or source makes another kernel") {
  const Workshop workshop;
  const std::string first = emulator::guest_kernel(workshop.recipe(), {});
  const std::string before = model::read_file(workshop.recipe().config);
  model::write_file(workshop.recipe().config, "CONFIG_B=y\n");
  CHECK(emulator::guest_kernel(workshop.recipe(), {}) != first);
  model::write_file(workshop.recipe().config, before);
  CHECK(emulator::guest_kernel(workshop.recipe(), {}) == first);
  model::write_file(workshop.recipe().source, "a newer source");
  CHECK(emulator::guest_kernel(workshop.recipe(), {}) != first);
  CHECK(workshop.builds() == 3);
}

TEST_CASE("Without the source, what was built last by this recipe is good, and nothing else") {
  const Workshop workshop;
  const std::string kernel = emulator::guest_kernel(workshop.recipe(), {});
  fs::remove(workshop.recipe().source);
  CHECK(emulator::guest_kernel(workshop.recipe(), {}) == kernel);
  model::write_file(workshop.recipe().config, "CONFIG_B=y\n");
  std::string sentence;
  CHECK(status_of(workshop.recipe(), sentence) == ExitStatus::missing_program);
  CHECK(sentence.find("linux-source-6.1") != std::string::npos);
}

TEST_CASE("Programs that building needs are named by their packages") {
  const Workshop workshop;
  const std::string path = std::getenv("PATH");
  setenv("PATH", workshop.root().c_str(), 1);
  write_script(workshop.root() / "make", "#!/bin/sh\n");
  std::string sentence;
  const ExitStatus status = status_of(workshop.recipe(), sentence);
  setenv("PATH", path.c_str(), 1);
  CHECK(status == ExitStatus::missing_program);
  CHECK(sentence.find("apt-get install gcc flex bison bc xz-utils") != std::string::npos);
  CHECK(sentence.find(" make") == std::string::npos);
  CHECK(workshop.builds() == 0);
}

TEST_CASE("A build that fails says why, and leaves nothing") {
  const Workshop workshop;
  workshop.build_by("echo 'no rule to make it' >&2; exit 2");
  std::string sentence;
  CHECK(status_of(workshop.recipe(), sentence) == ExitStatus::internal);
  CHECK(sentence.find("no rule to make it") != std::string::npos);
  CHECK(workshop.files_in_cache() == 0);
  workshop.build_by("exit 130");
  CHECK(status_of(workshop.recipe(), sentence) == ExitStatus::interrupted);
}

TEST_CASE("What is left of another kernel's build goes with the next build, and of its own stays") {
  const Workshop workshop;
  fs::create_directories(workshop.cache() / "build-abcdef" / "kernel");
  model::write_file((workshop.cache() / "build-abcdef" / "kernel" / "file").string(), "x");
  // Stopped the first time; the second time it finds what it left.
  workshop.build_by(
      "left=$(dirname \"$3\")/build-$(basename \"$3\")\n"
      "[ -d \"$left\" ] || { mkdir \"$left\"; exit 130; }\n"
      "rmdir \"$left\"; echo kernel >\"$3\"");
  std::string sentence;
  CHECK(status_of(workshop.recipe(), sentence) == ExitStatus::interrupted);
  CHECK(workshop.files_in_cache() == 1);
  CHECK(status_of(workshop.recipe(), sentence) == ExitStatus::ok);
  CHECK(workshop.files_in_cache() == 1);
}

TEST_CASE("Processes that want it at once build it once") {
  const Workshop workshop;
  workshop.build_by("sleep 0.3; echo kernel >\"$3\"");
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      std::string sentence;
      _exit(static_cast<int>(status_of(workshop.recipe(), sentence)));
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(workshop.builds() == 1);
}

TEST_CASE("A folder for the cache is needed") {
  unsetenv("XDG_CACHE_HOME");
  const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  unsetenv("HOME");
  const Workshop workshop;
  unsetenv("XDG_CACHE_HOME");
  std::string sentence;
  CHECK(status_of(workshop.recipe(), sentence) == ExitStatus::output);
  setenv("HOME", home.c_str(), 1);
}

// --- build-kernel itself, with a source of a few lines.

namespace {

const fs::path kScript = fs::path(source_folder()) / "emulator/cosim/kernel/build-kernel";

// In an order that waits for a file, so that it can be stopped in its midst.
void make_source(const fs::path& root, const std::string& compile) {
  const fs::path top = root / "linux-source-0.1";
  fs::create_directories(top / "drivers" / "gpu");
  fs::create_directories(top / "samples" / "rust");
  model::write_file((top / "drivers" / "gpu" / "left_out.c").string(), "");
  model::write_file((top / "samples" / "rust" / "Kconfig").string(), "");
  model::write_file((top / "Makefile").string(),
                    "allnoconfig:\n\tcp $(KCONFIG_ALLCONFIG) .config\nlinux:\n"
                    "\t@test ! -e drivers/gpu/left_out.c\n\t@test -e samples/rust/Kconfig\n"
                    "\t@echo '  CC      one.o'\n\t" +
                        compile + "\n\tcp /bin/true linux\n.PHONY: linux allnoconfig\n");
  const std::string command = "tar -C " + root.string() + " -cJf " +
                              (root / "linux-source-0.1.tar.xz").string() + " linux-source-0.1";
  REQUIRE(std::system(command.c_str()) == 0);
  fs::remove_all(top);
}

pid_t start_script(const fs::path& root) {
  const pid_t child = fork();
  if (child == 0) {
    const int output = open((root / "output").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int errors = open((root / "errors").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execl(kScript.c_str(), "build-kernel", (root / "linux-source-0.1.tar.xz").c_str(),
          (root / "config").c_str(), (root / "cache" / "kernel").c_str(), nullptr);
    _exit(127);
  }
  return child;
}

int status_of_child(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  return names;
}

// No zombie has a command line.
bool runs(int pid) {
  std::ifstream command("/proc/" + std::to_string(pid) + "/cmdline");
  return command.get() != std::ifstream::traits_type::eof();
}

bool is_installed(const char* program) {
  return std::system(("command -v " + std::string(program) + " >/dev/null").c_str()) == 0;
}

}  // namespace

TEST_CASE("build-kernel leaves a kernel, or what it goes on with, or nothing") {
  if (!is_installed("make") || !is_installed("xz") || !is_installed("strip")) {
    WARN("make, xz or strip is not installed: left out");
    return;
  }
  model::TemporaryFolder folder(model::temporary_name("platter-build-kernel"));
  const fs::path root = folder.path();
  fs::create_directories(root / "cache");
  model::write_file((root / "config").string(), "# a comment\n\nCONFIG_A=y\n");

  SECTION("whole") {
    make_source(root, "true");
    CHECK(status_of_child(start_script(root)) == 0);
    CHECK(names_in(root / "cache") == std::vector<std::string>{"kernel"});
    CHECK(model::read_file((root / "output").string()) == "  CC      one.o\n");
  }
  SECTION("a compiler that fails") {
    make_source(root, "@echo one.c: it has an error >&2; false");
    CHECK(status_of_child(start_script(root)) == 1);
    CHECK(names_in(root / "cache").empty());
    CHECK(model::read_file((root / "errors").string()).find("it has an error") !=
          std::string::npos);
  }
  SECTION("a source that does not know an option") {
    make_source(root, "true");
    model::write_file((root / "config").string(), "CONFIG_A=y\n");
    const std::string forgets = "sed -i 's|cp $(KCONFIG_ALLCONFIG)|echo >|' ";
    fs::create_directories(root / "again");
    REQUIRE(
        std::system(("cd " + root.string() + " && tar -xf linux-source-0.1.tar.xz && " + forgets +
                     "linux-source-0.1/Makefile && tar -cJf linux-source-0.1.tar.xz "
                     "linux-source-0.1")
                        .c_str()) == 0);
    CHECK(status_of_child(start_script(root)) == 1);
    CHECK(names_in(root / "cache").empty());
    CHECK(model::read_file((root / "errors").string()).find("CONFIG_A=y") != std::string::npos);
  }
  SECTION("stopped in its midst, it goes on there") {
    // The first file is compiled once; the second waits until it is let go on.
    make_source(root, "@test -e .one.o.cmd || { echo first >>" + (root / "compiled").string() +
                          "; touch .one.o.cmd; }; test -e " + (root / "go").string() +
                          " || { echo $$$$ >began; mv began " + root.string() +
                          "; exec sleep 600; }");
    const pid_t script = start_script(root);
    while (!fs::exists(root / "began")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(script, SIGTERM);
    CHECK(status_of_child(script) == 130);
    CHECK(names_in(root / "cache") == std::vector<std::string>{"build-kernel"});
    const std::string compiler = model::read_file((root / "began").string());
    CHECK_FALSE(runs(std::stoi(compiler)));
    model::write_file((root / "go").string(), "");
    CHECK(status_of_child(start_script(root)) == 0);
    CHECK(names_in(root / "cache") == std::vector<std::string>{"kernel"});
    CHECK(model::read_file((root / "compiled").string()) == "first\n");
    CHECK(model::read_file((root / "output").string()) == "  CC \n  CC      one.o\n");
  }
}
