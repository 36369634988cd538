// Which files jobs read, keep, replace and leave alone.
#include <filesystem>
#include <string>

#include "catch.h"
#include "jobs/drive_files.h"
#include "jobs/each_output.h"
#include "jobs/outputs.h"
#include "jobs/running_samples.h"
#include "jobs_folder.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "virtual_drive/open.h"

using namespace platter;
using namespace platter::jobs;

namespace {

template <typename Call>
ExitStatus status_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status();
  }
  return ExitStatus::ok;
}

NamedDrive drive(const std::string& product, const std::string& serial) {
  NamedDrive named{.name = "/dev/sg0"};
  named.identity = model::Identity{};
  named.identity->product = product;
  named.identity->serial = serial;
  return named;
}

}  // namespace

TEST_CASE("what platter did not make is replaced by force alone") {
  JobsFolder folder;
  const std::string path = folder.file("notes.txt");
  model::write_file(path, "mine\n");
  Outputs outputs;
  CHECK(status_of([&] { outputs.writes(path); }) == ExitStatus::refused);
  CHECK(status_of([&] { outputs.writes_bytes(path, "other\n"); }) == ExitStatus::refused);
  CHECK(status_of([&] { outputs.writes_bytes(path, "mine\n"); }) == ExitStatus::ok);
  const std::string forced = folder.file("forced.txt");
  model::write_file(forced, "mine\n");
  outputs.force = true;
  CHECK(status_of([&] { outputs.writes(forced); }) == ExitStatus::ok);
}

TEST_CASE("no output is an input, nor another output, whatever is forced") {
  JobsFolder folder;
  const std::string path = folder.file("in.json"), out = folder.file("out.json");
  model::write_file(path, "{}\n");
  Outputs outputs;
  outputs.force = true;
  outputs.reads(path);
  CHECK(status_of([&] { outputs.writes(path); }) == ExitStatus::usage);
  std::filesystem::create_symlink(path, folder.file("link.json"));
  CHECK(status_of([&] { outputs.writes(folder.file("link.json")); }) == ExitStatus::usage);
  outputs.writes(out);
  CHECK(status_of([&] { outputs.writes(out); }) == ExitStatus::usage);
}

TEST_CASE("the model of a measured drive is replaced by one of the same drive") {
  JobsFolder folder;
  model::DriveModel model = virtual_drive::virtual_model("c2247");
  model.identity.serial = "S1";
  model.provenance.method = "characterized";
  const std::string path = folder.file("drive.json"), again = folder.file("again.json");
  model::save_model(model, path);
  model::save_model(model, again);
  model::Identity other = model.identity;
  other.serial = "S2";
  const Outputs outputs;
  CHECK(status_of([&] { outputs.writes(path); }) == ExitStatus::refused);
  CHECK(status_of([&] { outputs.writes(path, measured_model_of(other)); }) == ExitStatus::refused);
  CHECK(status_of([&] { outputs.writes(path, measured_model_of(model.identity)); }) ==
        ExitStatus::ok);
  other.serial.clear();
  CHECK(status_of([&] { outputs.writes(again, measured_model_of(other)); }) == ExitStatus::refused);
}

TEST_CASE("each of several drives has a file of its own, the same one in every run") {
  const std::vector<NamedDrive> drives = {drive("ST1 A/B", "1"), drive("ST1 A/B", "2"),
                                          drive("..", "3"), NamedDrive{.name = "/dev/sg9"}};
  const auto files = model_files("all", drives);
  REQUIRE(files.size() == 4);
  CHECK(files[0] != files[1]);
  CHECK(files == model_files("all", drives));
  for (const std::string& file : {files[0], files[1], files[2]}) {
    const std::filesystem::path path = file;
    CHECK(path.parent_path() == "all");
    CHECK(path.extension() == ".json");
    CHECK(path.filename().string().front() != '.');
  }
  CHECK(files[3].empty());
  CHECK(beside(files[0], ".partial.json") ==
        files[0].substr(0, files[0].size() - 5) + ".partial.json");
}

TEST_CASE("what one goes on with is the run that was cut off, not the one before") {
  JobsFolder folder;
  const std::string file = folder.file("a.json");
  CHECK_FALSE(samples_to_go_on_with(file));
  CHECK_FALSE(is_done(file));
  model::write_file(folder.file("a.samples.jsonl"), "{}\n");
  CHECK(samples_to_go_on_with(file) == folder.file("a.samples.jsonl"));
  model::write_file(folder.file("a.running.samples.jsonl"), "{}\n");
  CHECK(samples_to_go_on_with(file) == folder.file("a.running.samples.jsonl"));
  CHECK(running_samples("a.samples.jsonl") == "a.running.samples.jsonl");
  CHECK(running_samples("a") == "a.running");
}

TEST_CASE("running samples are a file from the first keep on, and whole behind each") {
  JobsFolder folder;
  const std::string path = folder.file("a.running.samples.jsonl");
  RunningSamples running(path);
  CHECK(running.file() == nullptr);
  CHECK_FALSE(running.whole());
  running.keep("one\n");
  running.keep("two\n");
  CHECK(running.whole());
  CHECK(model::read_file(path) == "one\ntwo\n");
  running.throw_away();
  CHECK_FALSE(model::is_file(path));
}

TEST_CASE("what is made of several goes into a folder, of one to the name that was given") {
  JobsFolder folder;
  CHECK(EachOutput({"in/a.json"}, "b.ptab", ".ptab").of("in/a.json") == "b.ptab");
  const std::string into = folder.file("many");
  {
    const EachOutput each({"in/a.json", "c.json"}, into, ".ptab");
    CHECK(each.of("in/a.json") == into + "/a.ptab");
  }
  CHECK_FALSE(std::filesystem::exists(into));  // nothing came to lie in it
  model::write_file(into, "a file\n");
  CHECK(status_of([&] { EachOutput({"a.json", "c.json"}, into, ""); }) == ExitStatus::usage);
}
