#include "model/own_alone.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "catch.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/leftovers.h"

namespace platter::model {
namespace {

namespace fs = std::filesystem;

constexpr gid_t kNobodysGroup = 54321;

// A folder with a key in it, both with these modes.
class Kept {
 public:
  Kept(mode_t of_folder, mode_t of_file) {
    write_file(file(), "key");
    ::chmod(file().c_str(), of_file);
    ::chmod(folder().c_str(), of_folder);
  }
  const std::string& folder() const { return folder_.path(); }
  std::string file() const { return folder_.path() + "/me.pem"; }

 private:
  TemporaryFolder folder_{temporary_name("platter-own")};
};

}  // namespace

// holds: registry.md: keys and folders of keys
TEST_CASE("a key that others may write is refused, and what to do is said") {
  for (const mode_t mode : {0600U, 0644U, 0400U})
    CHECK_NOTHROW(require_own_file(Kept(0755, mode).file()));
  for (const mode_t mode : {0666U, 0602U}) {
    const Kept kept(0700, mode);
    CHECK_THROWS_WITH(require_own_file(kept.file()),
                      Catch::Contains(kept.file()) && Catch::Contains("chmod go-w"));
  }
  try {
    require_own_file(Kept(0700, 0666).file());
    FAIL();
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::refused);
  }
}

// holds: registry.md: keys and folders of keys
TEST_CASE("a key in a folder in which others may rename is refused, but for the sticky bit") {
  const Kept open(0777, 0600), sticky(01777, 0600), group(0770, 0600);
  CHECK_THROWS_WITH(require_own_file(open.file()),
                    Catch::Contains(open.folder() + ": may be written by everybody (mode 0777)"));
  if (::chown(group.folder().c_str(), ::geteuid(), kNobodysGroup) == 0)  // only root may
    CHECK_THROWS_WITH(require_own_file(group.file()), Catch::Contains("by its group (mode 0770)"));
  CHECK_NOTHROW(require_own_file(sticky.file()));
  // where a file may be added, the bit is of no use
  CHECK_THROWS_WITH(require_own_folder(sticky.folder()), Catch::Contains("could add"));
}

TEST_CASE("the group of a user's own may write, another one not") {
  if (::geteuid() != 0) return;  // root's is root's alone
  const Kept kept(0775, 0660);
  CHECK_NOTHROW(require_own_file(kept.file()));
  REQUIRE(::chown(kept.file().c_str(), 0, kNobodysGroup) == 0);
  CHECK_THROWS_WITH(require_own_file(kept.file()), Catch::Contains("by its group (mode 0660)"));
  REQUIRE(::chown(kept.file().c_str(), 0, 0) == 0);
  REQUIRE(::chown(kept.folder().c_str(), 0, 1) == 0);  // daemon's
  CHECK_THROWS_WITH(require_own_file(kept.file()), Catch::Contains("by its group (mode 0775)"));
}

TEST_CASE("a link is judged by what it leads to") {
  const Kept closed(0700, 0600), open(0777, 0600);
  const std::string link = closed.folder() + "/link.pem";
  fs::create_symlink(open.file(), link);
  CHECK_THROWS_WITH(require_own_file(link), Catch::Contains(open.folder()));
  CHECK_NOTHROW(require_own_file(closed.folder() + "/none.pem"));
}

TEST_CASE("a key of another user's is refused, unless he owns the registry, too") {
  const Kept kept(0755, 0644);
  constexpr uid_t kOther = 12345;
  if (::chown(kept.file().c_str(), kOther, kOther) != 0) return;  // only root may
  CHECK_THROWS_WITH(require_own_file(kept.file()), Catch::Contains("belongs to another user"));
  CHECK_NOTHROW(require_own_file(kept.file(), kOther));
  CHECK(owner_of(kept.file()) == kOther);
}

TEST_CASE("a secret that others may read is told of") {
  CHECK_FALSE(readable_by_others(Kept(0755, 0600).file()));
  CHECK(readable_by_others(Kept(0755, 0640).file()).value_or("").find("its group (mode 0640)") !=
        std::string::npos);
  CHECK(readable_by_others(Kept(0755, 0644).file()).value_or("").find("chmod go-r") !=
        std::string::npos);
}

TEST_CASE("what was made under a generous umask is taken from the others") {
  const Kept kept(0700, 0666);
  keep_others_from_writing(kept.file());
  CHECK_NOTHROW(require_own_file(kept.file()));
}

}  // namespace platter::model
