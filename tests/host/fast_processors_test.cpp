// Governors on a fake machine: set, put back, by the last of several runs, after a crash; never
// over what somebody else chose.
#include "host/fast_processors.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "damage.h"
#include "host/journal.h"
#include "machine.h"
#include "model/error.h"
#include "model/file.h"

namespace platter::host {
namespace {

constexpr const char* kAsFound = "schedutil powersave";
constexpr const char* kAllFast = "performance performance";

// Who may set governors and journal them, and later remove nothing: root may all, and becomes
// nobody.
class Unprivileged {
 public:
  explicit Unprivileged(const Machine& machine) : root_(machine.root()) {
    fs::create_directories(root_ / "run/platter");
    for (const auto& entry : fs::recursive_directory_iterator(root_))
      fs::permissions(entry, entry.is_directory() ? kFolder : kFile);
    fs::permissions(root_, kFolder);
    if (is_root_) REQUIRE(::seteuid(kNobody) == 0);
  }
  ~Unprivileged() {
    if (is_root_) (void)!::seteuid(0);
    fs::permissions(root_ / "run/platter", kFolder);
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  void may_not_remove() const {
    if (is_root_) REQUIRE(::seteuid(0) == 0);
    fs::permissions(root_ / "run/platter", fs::perms(0555));
    if (is_root_) REQUIRE(::seteuid(kNobody) == 0);
  }

 private:
  static constexpr uid_t kNobody = 65534;
  static constexpr fs::perms kFolder{0777}, kFile{0666};
  fs::path root_;
  bool is_root_ = ::geteuid() == 0;
};

// A run that is killed after it has begun.
void crash(const Machine& machine) {
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FastProcessors fast(machine.root());
    const char byte = fast.all_fast() ? 1 : 0;
    (void)!::write(ready[1], &byte, 1);
    for (;;) ::pause();
  }
  char fast = 0;
  REQUIRE(::read(ready[0], &fast, 1) == 1);
  REQUIRE(fast == 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

// holds: safety.md: The last run that wanted
TEST_CASE("governors are set for a run and put back at its end") {
  const Machine machine;
  {
    FastProcessors fast(machine.root());
    CHECK(fast.all_fast());
    CHECK(fast.troubles().empty());
    CHECK(in_words(fast.found()) == "schedutil of policy0, powersave of policy4");
    CHECK(machine.shown() == kAllFast);
    CHECK(machine.has_journal());
    CHECK(fast.end().empty());
    CHECK(machine.shown() == kAsFound);
  }
  CHECK(machine.shown() == kAsFound);
  CHECK_FALSE(machine.has_journal());
}

// holds: safety.md: The last run that wanted
TEST_CASE("of several runs the last one puts back, whichever it is") {
  const Machine machine;
  for (const bool first_ends_first : {true, false}) {
    std::optional<FastProcessors> first(std::in_place, machine.root()),
        second(std::in_place, machine.root());
    CHECK(in_words(second->found()) == "schedutil of policy0, powersave of policy4");
    (first_ends_first ? first : second).reset();
    CHECK(machine.shown() == kAllFast);
    CHECK(machine.has_journal());
    first.reset();
    second.reset();
    CHECK(machine.shown() == kAsFound);
    CHECK_FALSE(machine.has_journal());
  }
}

// holds: safety.md: What the governors were
// holds: safety.md: After SIGKILL or a crash
TEST_CASE("a run that is killed leaves its journal, and restore puts back") {
  const Machine machine;
  crash(machine);
  CHECK(machine.shown() == kAllFast);
  REQUIRE(left_host_journal(machine.root()));
  const auto done = put_back_what_was_left(machine.root());
  REQUIRE(done);
  CHECK(done->back.size() == 2);
  CHECK(done->troubles().empty());
  CHECK(machine.shown() == kAsFound);
  CHECK_FALSE(machine.has_journal());
  CHECK_FALSE(put_back_what_was_left(machine.root()));
}

TEST_CASE("a run that is killed beside another one leaves it to that") {
  const Machine machine;
  {
    const FastProcessors other(machine.root());
    crash(machine);
    CHECK_FALSE(left_host_journal(machine.root()));
    CHECK_FALSE(put_back_what_was_left(machine.root()));
    CHECK(machine.shown() == kAllFast);
  }
  CHECK(machine.shown() == kAsFound);
}

// holds: safety.md: After SIGKILL or a crash
TEST_CASE("what a killed run left is put back by the next one at its end") {
  const Machine machine;
  crash(machine);
  { const FastProcessors next(machine.root()); }
  CHECK(machine.shown() == kAsFound);
  CHECK_FALSE(machine.has_journal());
}

// holds: safety.md: A governor that is not
TEST_CASE("what somebody else chose meanwhile stays and is named") {
  const Machine machine;
  FastProcessors fast(machine.root());
  machine.set("policy4", "ondemand");
  const auto troubles = fast.end();
  REQUIRE(troubles.size() == 1);
  CHECK_THAT(troubles.front(), Catch::Contains("set to ondemand by somebody else meanwhile"));
  CHECK(machine.shown() == "schedutil ondemand");
  CHECK_FALSE(machine.has_journal());
}

TEST_CASE("what somebody else chose between two runs is what comes back") {
  const Machine machine;
  std::optional<FastProcessors> first(std::in_place, machine.root());
  machine.set("policy4", "ondemand");
  {
    const FastProcessors second(machine.root());
    CHECK(machine.shown() == kAllFast);
    first.reset();
  }
  CHECK(machine.shown() == "schedutil ondemand");
}

// holds: safety.md: A new start of the machine
TEST_CASE("a journal of before the machine was started anew changes nothing") {
  const Machine machine;
  crash(machine);
  machine.write("proc/sys/kernel/random/boot_id", "a9e0\n");
  const auto done = put_back_what_was_left(machine.root());
  REQUIRE(done);
  CHECK(done->back.empty());
  CHECK(machine.shown() == kAllFast);
  CHECK_FALSE(machine.has_journal());
}

TEST_CASE("a machine without cpufreq is named") {
  const Machine machine;
  fs::remove_all(machine.root() + "/sys");
  const FastProcessors fast(machine.root());
  CHECK_FALSE(fast.all_fast());
  REQUIRE(fast.troubles().size() == 1);
  CHECK_THAT(fast.troubles().front(), Catch::Contains("no cpufreq"));
}

// holds: safety.md: What the governors were
TEST_CASE("where nothing can be kept nothing is set") {
  const Machine machine;
  fs::remove_all(machine.root() + "/run");
  machine.write("run", "no folder");
  const FastProcessors fast(machine.root());
  REQUIRE(fast.troubles().size() == 1);
  CHECK_THAT(fast.troubles().front(), Catch::Contains("stays schedutil of policy0"));
  CHECK(machine.shown() == kAsFound);
}

// holds: safety.md: The journal goes when all
TEST_CASE("a journal that cannot be removed is told, by the end of a run and by restore") {
  const Machine machine;
  const Unprivileged user(machine);
  {
    FastProcessors fast(machine.root());
    REQUIRE(fast.all_fast());
    user.may_not_remove();
    const std::vector<std::string> told = fast.end();
    REQUIRE(told.size() == 1);
    CHECK_THAT(told.front(), Catch::Contains("host.journal cannot be removed") &&
                                 Catch::Contains("remove it by hand"));
  }
  CHECK(machine.shown() == kAsFound);
  const auto left = put_back_what_was_left(machine.root());
  REQUIRE(left);
  CHECK(left->journal_stays);
  CHECK(left->failed.empty());
  CHECK(left->troubles().size() == 1);
}

// holds: safety.md: A journal names cpufreq
TEST_CASE("a damaged journal, or one that leads elsewhere, changes nothing") {
  for (const char* const text :
       {"", "{\"schema\": {\"name\": \"platter-host-journal\"}}",
        "{\"schema\": {\"name\": \"platter-host-journal\", \"version\": 1}, \"boot\": \"f3c1\", "
        "\"governors\": {\"policy0/../../x\": \"powersave\"}}",
        "{\"schema\": {\"name\": \"platter-host-journal\", \"version\": 1}, \"boot\": \"f3c1\", "
        "\"governors\": {\"policy0\": \"a/b\"}}"}) {
    const Machine machine;
    machine.write("run/platter/host.journal", text);
    const FastProcessors fast(machine.root());
    REQUIRE(fast.troubles().size() == 1);
    CHECK_THAT(fast.troubles().front(), Catch::Contains("is damaged"));
    CHECK(machine.shown() == kAsFound);
    CHECK_THROWS_AS(put_back_what_was_left(machine.root()), Error);
  }
}

// holds: safety.md: A journal names cpufreq
TEST_CASE("2,000 damaged host journals: none is taken for what it was not") {
  const Machine machine;
  const std::string path = machine.root() + "/host.journal";
  write_host_journal({"f3c1", {{"policy0", "schedutil"}, {"policy4", "powersave"}}}, path);
  const std::string whole = model::read_file(path);
  testing::Damage damage(5);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < testing::Damage::kMutants; ++i) {
    const std::string mutant = damage.of(whole);
    INFO(i << ": " << mutant);
    model::write_file(path, mutant);
    try {
      const Journal journal = read_host_journal(path);
      // But for the line's end all of it is there.
      CHECK(mutant == whole.substr(0, whole.size() - 1));
      CHECK(journal.boot == "f3c1");
      CHECK(journal.found ==
            std::vector<Governor>{{"policy0", "schedutil"}, {"policy4", "powersave"}});
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      ++refused;
    }
  }
  CHECK(refused > testing::Damage::kMutants * 9 / 10);
}

}  // namespace
}  // namespace platter::host
