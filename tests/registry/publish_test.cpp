#include "registry/publish.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "catch.h"
#include "model/error.h"
#include "registry/canonical_json.h"
#include "registry/privacy.h"
#include "registry/pull.h"
#include "registry/search_index.h"
#include "registry/verify.h"
#include "registry_folder.h"

namespace platter::registry {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a published model comes back as its canonical form, whatever the file looked like") {
  const RegistryFolder folder;
  const model::DriveModel model = small_model("S1234");
  const Publication published = folder.publish(model);
  CHECK(published.reference == "acme-disk-9-s1234:v1");
  CHECK(published.added);
  const Contents contents = open(find(folder.store(), published.reference));
  CHECK(contents.model_text == canonical_json(model::to_json_text(model), "model"));
  CHECK(digest_of(contents.model_text) == published.model_digest);
  CHECK(model::to_json_text(contents.model) == model::to_json_text(model));
}

TEST_CASE("publishing again changes nothing, from the same file or the one pulled") {
  const RegistryFolder folder;
  const Publication first = folder.publish(small_model("S1234"));
  const std::string pulled = open(find(folder.store(), first.reference)).model_text;
  const std::string index = folder.store().layout("acme-disk-9-s1234").index_text();
  for (const std::string& path :
       {folder.write(small_model("S1234")), folder.write("pulled.json", pulled)}) {
    const Publication again = publish(folder.store(), path, {{}, false});
    CHECK(again.reference == first.reference);
    CHECK(again.digest == first.digest);
    CHECK_FALSE(again.added);
  }
  CHECK(folder.store().layout("acme-disk-9-s1234").index_text() == index);
}

TEST_CASE("another model of the drive is its next version, and the first stays what it was") {
  const RegistryFolder folder;
  const Publication first = folder.publish(small_model("S1234", 1.25));
  model::DriveModel updated = small_model("S1234", 1.5);
  updated.identity.revision = "2.0";  // new firmware, same drive
  const Publication second = folder.publish(updated);
  CHECK(second.reference == "acme-disk-9-s1234:v2");
  CHECK(second.digest != first.digest);
  CHECK(find(folder.store(), "acme-disk-9-s1234").descriptor.digest == second.digest);
  CHECK(find(folder.store(), "acme-disk-9-s1234:latest").descriptor.digest == second.digest);
  CHECK(find(folder.store(), "acme-disk-9-s1234:v1").descriptor.digest == first.digest);
  CHECK(find(folder.store(), first.digest).reference() == first.reference);
  CHECK(find(folder.store(), "acme-disk-9-s1234@" + first.digest).reference() == first.reference);
  CHECK(folder.publish(small_model("S1234", 1.25)).reference == first.reference);
  CHECK(find(folder.store(), "acme-disk-9-s1234").descriptor.digest == second.digest);
  CHECK(verify(folder.store()).findings.empty());
}

TEST_CASE("drives whose names are the same letters do not mix") {
  const RegistryFolder folder;
  const Publication one = folder.publish(small_model("A 1"));
  const Publication other = folder.publish(small_model("A-1"));
  CHECK(one.reference == "acme-disk-9-a-1:v1");
  CHECK(other.reference.starts_with("acme-disk-9-a-1-"));
  CHECK(other.reference.ends_with(":v1"));
  CHECK(folder.publish(small_model("A-1", 2)).reference ==
        other.reference.substr(0, other.reference.size() - 1) + "2");
}

TEST_CASE("blobs that two drives share are kept once") {
  const RegistryFolder folder;
  const std::string notes = folder.write("notes.txt", "measured in the basement");
  const auto count = [&] {
    const fs::directory_iterator files(folder.store().blobs_folder());
    return std::distance(begin(files), end(files));
  };
  folder.publish(small_model("S1"), {{notes}, false});
  CHECK(count() == 4);  // config, model, notes, manifest
  folder.publish(small_model("S2"), {{notes}, false});
  CHECK(count() == 6);
  CHECK(fs::is_symlink(folder.store().layout("acme-disk-9-s1").folder() + "/blobs"));
}

TEST_CASE("files that go along come back under their names") {
  const RegistryFolder folder;
  const std::string zeros("\0\xff\n", 3);
  const Publication published = folder.publish(
      small_model("S1"),
      {{folder.write("drive.parv", "parv"), folder.write("x.ptab", zeros)}, false});
  const Published found = find(folder.store(), published.reference);
  CHECK(pull_files(found, folder / "out").size() == 2);
  CHECK(model::read_file(folder / "out/drive.parv") == "parv");
  CHECK(model::read_file(folder / "out/x.ptab") == zeros);
  fs::create_directory(folder / "sub");
  const std::string same = folder.write("sub/x.ptab", "other");
  CHECK_THROWS_WITH(folder.publish(small_model("S1"), {{folder / "x.ptab", same}, false}),
                    Catch::Contains("x.ptab"));
  CHECK_THROWS_AS(folder.publish(small_model("S1"), {{folder / "missing"}, false}), Error);
  CHECK(search(folder.store()).entries.size() == 1);
}

TEST_CASE("what is no model is not published, and leaves no registry behind") {
  const RegistryFolder folder;
  CHECK_THROWS_AS(publish(folder.store(), folder.write("model.json", "{}")), Error);
  CHECK_THROWS_AS(publish(folder.store(), folder / "missing.json"), Error);
  model::DriveModel model = small_model("S1");
  model.provenance.seed = (std::uint64_t{1} << 53) + 1;
  CHECK_THROWS_WITH(folder.publish(model), Catch::Contains("9007199254740993"));
  CHECK_FALSE(fs::exists(folder.store().folder()));
}

TEST_CASE("a hidden serial number is nowhere in the registry, and the drive is still known again") {
  const RegistryFolder folder;
  const Publication first = folder.publish(small_model("SECRET99"), {{}, true});
  const Publication second = folder.publish(small_model("SECRET99", 2), {{}, true});
  CHECK(folder.publish(small_model("SECRET99"), {{}, true}).digest == first.digest);
  CHECK(second.reference == first.reference.substr(0, first.reference.size() - 1) + "2");
  search(folder.store());
  for (const auto& entry : fs::recursive_directory_iterator(folder.store().folder())) {
    CHECK(entry.path().string().find("secret99") == std::string::npos);
    if (!entry.is_regular_file()) continue;
    const std::string content = model::read_file(entry.path().string());
    CHECK(content.find("SECRET99") == std::string::npos);
    CHECK(content.find("secret99") == std::string::npos);
  }
  CHECK(verify(folder.store()).findings.empty());
  const std::string telling = folder.write("samples.jsonl", "drive SECRET99");
  CHECK_THROWS_WITH(folder.publish(small_model("SECRET99"), {{telling}, true}),
                    Catch::Contains("samples.jsonl"));
  const std::string pulled = open(find(folder.store(), first.reference)).model_text;
  CHECK(publish(folder.store(), folder.write("pulled.json", pulled)).digest == first.digest);
  const RegistryFolder elsewhere;
  CHECK(elsewhere.publish(small_model("SECRET99"), {{}, true}).reference != first.reference);
}

TEST_CASE("a serial number hides in no spelling, no name and no compressed file") {
  const RegistryFolder folder;
  model::DriveModel model = small_model("SECRET99");
  model.provenance.source = "/dev/disk/by-id/ata-secret99-part1";
  folder.publish(model, {{}, true});
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.store().folder())) {
    if (!file.is_regular_file() || file.path().filename() == "serial.key") continue;
    CHECK(place_of_serial(model::read_file(file.path().string()), "SECRET99") == std::string::npos);
  }
  using namespace std::literals;
  const auto refused = [&](const std::string& name, const std::string& content,
                           const std::string& why) {
    CHECK_THROWS_WITH(folder.publish(model, {{folder.write(name, content)}, true}),
                      Catch::Contains(why));
  };
  refused("notes.csv", "of secret99", "holds the drive's serial number");
  refused("run-Secret99.csv", "1,2", "its name holds");
  refused("plain.gz", "\x1f\x8b\x08", "is compressed");
  refused("samples.jsonl.zst", "\x28\xb5\x2f\xfd"s, "is compressed");
  CHECK_NOTHROW(folder.publish(model, {{folder.write("plain.gz", "\x1f\x8b\x08")}, false}));
}

TEST_CASE("the stand-in takes no word of the format's place") {
  const RegistryFolder folder;
  model::DriveModel model = small_model("characterized");
  model.provenance.date = "2026-01-02T03:04:05Z";
  folder.publish(model, {{}, true});
  const Entry entry = search(folder.store()).entries.front();
  CHECK(entry.annotation("vnd.platter.method") == "characterized");
  CHECK_NOTHROW(folder.publish(small_model("platter"), {{}, true}));
  CHECK_NOTHROW(folder.publish(small_model("2026"), {{}, true}));
  CHECK(search(folder.store(), {.words = {"2026-01-02"}}).entries.size() == 3);
}

TEST_CASE("a key that is none makes no stand-in that anybody could make, too") {
  const RegistryFolder folder;
  folder.publish(small_model("SECRET99"), {{}, true});
  const std::string key = GENERATE("", "\n", "0123\n",
                                   "a key of mine, in words that one remembers\n");
  model::write_file(folder.store().folder() + "/serial.key", key);
  CHECK_THROWS_WITH(folder.publish(small_model("SECRET98"), {{}, true}),
                    Catch::Contains("is no key of 64 hexadecimal digits"));
}

// holds: registry.md: keys and folders of keys
TEST_CASE("a key of stand-ins that others may write is refused, one that they may read is told") {
  const RegistryFolder folder;
  const model::DriveModel model = small_model("S1234");
  folder.publish(model, {{}, true});
  CHECK_FALSE(concern_about_key(folder.store()));
  const std::string key = folder.store().folder() + "/serial.key";
  ::chmod(key.c_str(), 0644);
  CHECK(concern_about_key(folder.store()));
  CHECK_NOTHROW(folder.publish(model, {{}, true}));
  ::chmod(key.c_str(), 0666);
  CHECK_THROWS_WITH(folder.publish(model, {{}, true}),
                    Catch::Contains("serial.key: may be written"));
  CHECK_THROWS_AS(known_stand_in(folder.store(), model.identity), Error);
}

TEST_CASE("no file is published that could never be pulled") {
  const RegistryFolder folder;
  for (const std::string name : {".hidden", "a\nb.txt", "\x1b[31m.txt"})
    CHECK_THROWS_WITH(folder.publish(small_model("S1"), {{folder.write(name, "x")}, false}),
                      Catch::Contains("is no plain name of a file"));
  CHECK(folder.store().is_new());
}

TEST_CASE("a drive that is there with its number is another one with the stand-in, told once") {
  const RegistryFolder folder;
  const Publication plain = folder.publish(small_model("S1234"), {{}, false});
  CHECK(plain.plain_before.empty());
  const Publication hidden = folder.publish(small_model("S1234"), {});
  CHECK(hidden.plain_before == plain.reference);
  CHECK(hidden.reference.starts_with("acme-disk-9-hidden-"));
  CHECK(folder.publish(small_model("S1234", 2), {}).plain_before.empty());
  CHECK(folder.publish(small_model("S5678"), {}).plain_before.empty());
  CHECK(find(folder.store(), plain.reference).descriptor.digest == plain.digest);
}

TEST_CASE("a model of a newer schema is refused, of a newer minor version kept as it is") {
  const RegistryFolder folder;
  const std::string newer = folder.write(small_model("S1"));
  folder.change(newer, "\"version\": \"1.1\"", "\"version\": \"2.0\"");
  CHECK_THROWS_WITH(publish(folder.store(), newer),
                    Catch::Contains("model.json: is a model of schema version 2.0"));
  CHECK_FALSE(fs::exists(folder.store().folder()));
  folder.change(newer, "\"version\": \"2.0\"", "\"version\": \"1.7\", \"of_1_7\": 3");
  const Publication published = publish(folder.store(), newer);
  CHECK_THAT(open(find(folder.store(), published.reference)).model_text,
             Catch::Contains("\"of_1_7\":3"));
}

TEST_CASE("processes that publish at once all succeed, each with its own version") {
  const RegistryFolder folder;
  constexpr int kProcesses = 4, kModels = 3;
  for (int i = 0; i < kProcesses * kModels; ++i) {
    folder.write("model" + std::to_string(i), model::to_json_text(small_model("S1", 1 + 0.01 * i)));
  }
  for (int process = 0; process < kProcesses; ++process) {
    if (::fork() != 0) continue;
    int status = 0;
    try {
      for (int i = 0; i < kModels; ++i) {
        publish(folder.store(), folder / ("model" + std::to_string(process * kModels + i)));
        publish(folder.store(), folder / "model0");
      }
    } catch (...) {
      status = 1;
    }
    ::_exit(status);
  }
  for (int process = 0; process < kProcesses; ++process) {
    int status = -1;
    REQUIRE(::wait(&status) > 0);
    CHECK(status == 0);
  }
  std::set<std::string> tags;
  for (const Entry& entry : search(folder.store()).entries) tags.insert(entry.tag);
  CHECK(tags.size() == kProcesses * kModels);
  CHECK(tags.contains("v1"));
  CHECK(tags.contains("v" + std::to_string(kProcesses * kModels)));
  CHECK(verify(folder.store()).findings.empty());
  CHECK(verify(folder.store()).notices.empty());
}

TEST_CASE("a publisher that is killed leaves a whole registry, at worst with leftovers") {
  const RegistryFolder folder;
  folder.publish(small_model("S1"));
  for (int i = 0; i < 24; ++i) {
    folder.write("model" + std::to_string(i), model::to_json_text(small_model("S1", 1 + 0.01 * i)));
  }
  std::size_t published = 1;
  for (int round = 0; round < 12; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < 24; ++i) publish(folder.store(), folder / ("model" + std::to_string(i)));
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(700 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    REQUIRE(verify(folder.store()).findings.empty());
    const std::size_t models = search(folder.store()).entries.size();
    CHECK(models >= published);
    published = models;
  }
  CHECK(folder.publish(small_model("S1", 3)).added);
}

TEST_CASE("the default folder is the one that XDG names") {
  const char* const before = std::getenv("XDG_DATA_HOME");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("XDG_DATA_HOME", "/somewhere", 1);
  CHECK(default_folder() == "/somewhere/platter/registry");
  ::setenv("XDG_DATA_HOME", "relative", 1);  // which the XDG specification says to ignore
  ::setenv("HOME", "/home/someone", 1);
  CHECK(default_folder() == "/home/someone/.local/share/platter/registry");
  before == nullptr ? ::unsetenv("XDG_DATA_HOME") : ::setenv("XDG_DATA_HOME", kept.c_str(), 1);
}

}  // namespace
}  // namespace platter::registry
