// Jobs as a library's user runs them: options in, files and figures out, progress to an object of
// his own; no command line.
#include <string>
#include <vector>

#include "catch.h"
#include "jobs/characterize.h"
#include "jobs/characterize_many.h"
#include "jobs/estimate.h"
#include "jobs/open_device.h"
#include "jobs/replay.h"
#include "jobs/restore.h"
#include "jobs/results.h"
#include "jobs/table_and_layout.h"
#include "jobs/trace_files.h"
#include "jobs_folder.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "virtual_drive/open.h"

using namespace platter;
using namespace platter::jobs;

namespace {

struct Heard final : Progress {
  std::vector<double> shares{};
  bool cleared = false;

  void show(const std::string&, double share, std::optional<double>) override {
    shares.push_back(share);
  }
  void clear() override { cleared = true; }
};

std::string saved_model(JobsFolder& folder, const std::string& name) {
  const std::string path = folder.file(name + ".json");
  model::save_model(virtual_drive::virtual_model(name), path);
  return path;
}

std::string generated(JobsFolder& folder, const std::string& model, const std::string& name) {
  GenerateRun run;
  run.workload = "random";
  run.model = model;
  run.requests = 200;
  run.reads_only = true;
  run.format = "ascii";
  run.output = folder.file(name);
  generate_trace(run);
  return run.output;
}

std::string sentence_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a trace is generated, replayed on drive, model and table, and its result read again") {
  JobsFolder folder;
  const std::string model = saved_model(folder, "c2247");
  const std::string table = folder.file("drive.ptab");
  const std::size_t bytes = write_table(model, table, "table", {}).bytes;
  CHECK(bytes == model::read_file(table).size());
  ReplayRun run;
  run.trace.path = generated(folder, model, "random.trace");
  run.target = "virtual:" + model;
  run.output = folder.file("drive.csv");
  Heard heard;
  const Replayed on_drive = replay_trace(run, heard);
  CHECK(on_drive.summary.all.n == 200);
  REQUIRE_FALSE(heard.shares.empty());
  CHECK(heard.shares.back() == 1);
  CHECK(heard.cleared);
  require_all_well(on_drive);
  CHECK(result_at(run.output).summary.all.n == 200);

  run.target = model;
  run.output.clear();
  const Replayed on_model = replay_trace(run, heard);
  run.target = table;
  const Replayed on_table = replay_trace(run, heard);
  CHECK(on_model.summary.all.mean_ms == on_table.summary.all.mean_ms);
  CHECK(layout_of(model).map.blocks() == layout_of(table).map.blocks());
}

TEST_CASE("a trace goes into another format, and as a whole") {
  JobsFolder folder;
  ConvertRun run;
  run.trace.path = generated(folder, saved_model(folder, "c2247"), "random.trace");
  run.to = "spc";
  run.output = folder.file("random.spc");
  convert_trace(run);
  TraceOptions again;
  again.path = run.output;
  again.format = "spc";
  CHECK(again.read().requests.size() == 200);
  run.output = "-";
  run.split = true;
  CHECK(sentence_of([&] { convert_trace(run); }).find("a file for each") != std::string::npos);
}

TEST_CASE("a run is characterized, and estimated again of its samples") {
  JobsFolder folder;
  Characterization run;
  run.device = "virtual:c2247";
  run.output = folder.file("drive.json");
  run.samples = folder.file("drive.samples.jsonl");
  run.journal = folder.path();
  run.no_map = true;
  Heard heard;
  std::string printed;
  const auto print = [&](std::string_view text) { printed += text; };
  const std::string why = sentence_of([&] { characterize(run, heard, print); });
  const model::DriveModel model = model::load_model(run.output);
  CHECK(model.identity.product == virtual_drive::virtual_model("c2247").identity.product);
  CHECK_FALSE(heard.shares.empty());
  CHECK(heard.cleared);
  INFO(why);
  CHECK_FALSE(printed.empty());
  CHECK_FALSE(model::is_file(folder.file("drive.running.samples.jsonl")));

  printed.clear();
  EstimateRun again;
  again.samples = run.samples;
  again.output = folder.file("again.json");
  sentence_of([&] { jobs::estimate(again, print); });
  CHECK_FALSE(printed.empty());
  CHECK(model::load_model(again.output).rotation.numerator_ns == model.rotation.numerator_ns);
}

TEST_CASE("what a run cannot write is told before a drive is asked") {
  JobsFolder folder;
  Heard heard;
  const auto print = [](std::string_view) {};
  Characterization run;
  run.device = "virtual:no-such-drive";
  run.output = run.samples = folder.file("same.json");
  CHECK(sentence_of([&] { characterize(run, heard, print); }).find("same file") !=
        std::string::npos);
  run.samples = folder.file("samples");
  run.output = folder.path() + "/none/model.json";
  CHECK(sentence_of([&] { characterize(run, heard, print); }).find("none") != std::string::npos);
  run.output = folder.file("model.json");
  run.resume = folder.file("gone.samples.jsonl");
  CHECK(sentence_of([&] { characterize(run, heard, print); }).find("gone.samples.jsonl") !=
        std::string::npos);
}

TEST_CASE("several drives go to a folder, which alone is gone on with") {
  JobsFolder folder;
  CHECK(is_single({"virtual:c2247"}, folder.file("a.json")));
  CHECK_FALSE(is_single({"virtual:c2247"}, folder.path()));
  CHECK_FALSE(is_single({"virtual:c2247"}, "new/"));
  CHECK_FALSE(is_single({"virtual:a", "virtual:b"}, "a.json"));
  Characterization call;
  call.output = folder.path();
  call.resume = folder.path() + "/";
  require_folder(call);
  call.resume = "elsewhere";
  CHECK_THROWS_AS(require_folder(call), Error);
  call.resume.clear();
  call.samples = "a.samples.jsonl";
  CHECK_THROWS_AS(require_folder(call), Error);
}

TEST_CASE("outcomes end with the status of the one drive, or of some") {
  const ManyRuns runs{.folder = "all"};
  DriveOutcomes outcomes;
  outcomes.of_each.push_back({.name = "a", .status = 0});
  require_all_done(runs, outcomes);
  outcomes.of_each.push_back({.name = "b", .status = 5, .sentence = "gone"});
  CHECK(sentence_of([&] {
          require_all_done(runs, outcomes);
        }).starts_with("1 of 2 drives are not done: b (status 5)"));
  outcomes.of_each.erase(outcomes.of_each.begin());
  CHECK(sentence_of([&] { require_all_done(runs, outcomes); }) == "gone");
  outcomes.stopped = true;
  CHECK(sentence_of([&] { require_all_done(runs, outcomes); }).starts_with("stopped by a signal"));
}

TEST_CASE("a journal opens nothing but a device") {
  JobsFolder folder;
  const std::string path = folder.file("x.journal");
  model::write_file(path, "no journal\n");
  CHECK_FALSE(sentence_of([&] { restore_one({}, path); }).empty());
  CHECK(sentence_of([&] { open_device("c2247", {}); }).find("names no device") !=
        std::string::npos);
  CHECK(names_device("virtual:c2247"));
  CHECK_FALSE(names_device("c2247.json"));
}
