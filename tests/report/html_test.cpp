#include "report/html.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "catch.h"
#include "model/error.h"
#include "model/file.h"
#include "report/html_report.h"
#include "source_folder.h"

using namespace platter;
using namespace platter::report;

namespace {

namespace fs = std::filesystem;

constexpr const char* kHostile =
    "\"'></td></title><script>alert(1)</script><img src=x onerror=y>&\x01\xff{}";

class Folder {
 public:
  Folder() { fs::create_directory(path_); }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ / name; }
  std::string path() const { return path_; }

 private:
  fs::path path_ = fs::temp_directory_path() / ("platter-html-" + std::to_string(::getpid()));
};

bool have(const std::string& program) {
  const bool found = std::system((program + " --version > /dev/null 2>&1").c_str()) == 0;
  if (!found) WARN(program + " is not installed: not tested");
  return found;
}

bool is_proper(const std::string& page) {
  if (!have("python3")) return true;
  const Folder folder;
  model::write_file(folder.file("page.html"), page);
  return std::system(fmt::format("python3 '{}/tests/report/check_html.py' '{}'", source_folder(),
                                 folder.file("page.html"))
                         .c_str()) == 0;
}

// Without layout and seeks: no figures, so that it needs no gnuplot.
model::DriveModel tiny_model() {
  model::DriveModel model;
  model.identity.vendor = "ACME";
  model.identity.product = "TINY";
  model.identity.revision = "1";
  model.identity.serial = "7";
  model.identity.blocks = 2000000;
  model.identity.heads = 2;
  model.identity.cylinders = 1000;
  model.identity.name = "Acme Tiny";
  model.provenance = {.method = "characterized",
                      .source = "/dev/sg9",
                      .date = "2026-01-02T03:04:05Z",
                      .licence = {},
                      .drive_seconds = 130.25,
                      .wall_seconds = 140,
                      .commands = 12345,
                      .translations = 0,
                      .bytes_written = 0,
                      .seed = 4,
                      .stages = {},
                      .complete = true,
                      .missing = {},
                      .findings = {},
                      .notes = {"a note"}};
  model.rotation = {.numerator_ns = 60000000000, .denominator = 7200, .period = {}};
  model.rotation.period = {.value = 8333333.3,
                           .unit = "ns",
                           .error = 2.5,
                           .method = "reads",
                           .samples = 99,
                           .reason = "",
                           .at_least = {},
                           .at_most = {},
                           .guesses = {}};
  model.layout.reason = "the drive does not translate addresses";
  model.seek.reason = "it needs the layout";
  model.head_switch = {.value = 0.81234,
                       .unit = "ms",
                       .error = 0.0123,
                       .method = "MTBRC",
                       .samples = 12,
                       .reason = "",
                       .at_least = {},
                       .at_most = {},
                       .guesses = {}};
  model.write_settle.reason = "no writes were allowed";
  model.cache.read_enabled = {.value = 1,
                              .unit = "",
                              .error = {},
                              .method = "mode page 08h",
                              .samples = 0,
                              .reason = "",
                              .at_least = {},
                              .at_most = {},
                              .guesses = {}};
  model.cache.read_ahead = {.value = 3,
                            .unit = "",
                            .error = {},
                            .method = "reads",
                            .samples = 3,
                            .reason = "",
                            .at_least = {},
                            .at_most = {},
                            .guesses = {}};
  return model;
}

model::DriveModel drawn_model() {
  model::DriveModel model = tiny_model();
  model::LayoutNode zone;
  zone.count = 1000;
  zone.cylinder_step = 1;
  model::LayoutNode track;
  track.count = 2;
  track.head_step = 1;
  track.sectors = 1000;
  zone.children = {track};
  model.layout = {};
  model.layout.zones = {zone};
  model.seek.reason.clear();
  model.seek.points = {{1, 0.8, 0.01, 10}, {500, 4, 0.1, 10}, {999, 9.0, 0.1, 10}};
  return model;
}

replay::Result result(const std::string& name, replay::Result::Target target, Nanoseconds late_ns) {
  replay::Result result;
  result.target = target;
  result.name = name;
  result.trace = "random workload, seed 1";
  result.period_ns = 8e6;
  for (int i = 0; i < 50; ++i)
    result.requests.push_back({.lbn = 10,
                               .blocks = 4,
                               .write = i % 3 == 0,
                               .due_ns = i * 20 * kMillisecond,
                               .issue_ns = i * 20 * kMillisecond,
                               .response_ns = (5 + i % 7) * kMillisecond + late_ns});
  return result;
}

void save_results(const Folder& folder, const std::string& drive, const std::string& model) {
  for (const char* workload : {"random", "mixed"}) {
    replay::save_result(result(drive, replay::Result::Target::drive, 0),
                        folder.file(fmt::format("{}.drive.csv", workload)));
    replay::save_result(result(model, replay::Result::Target::model, 3 * kMillisecond),
                        folder.file(fmt::format("{}.tiny.csv", workload)));
  }
}

std::string report_of(const model::DriveModel& model) {
  return html_report(std::vector<ReportedModel>{{"tiny", model}}, {});
}

}  // namespace

TEST_CASE("text in a page cannot be markup, and is always UTF-8 that XML allows") {
  CHECK(html::escaped("<a b=\"c\" d='e'>&amp;") ==
        "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;");
  CHECK(html::escaped("a\nb\tc") == "a b c");
  CHECK(html::escaped("caf\u00e9 \u00b1 \u2013 \U0001F4BD") ==
        "caf\u00e9 \u00b1 \u2013 \U0001F4BD");
  CHECK(html::escaped(std::string("\x00\x1b\x7f", 3)) == "\ufffd\ufffd\ufffd");
  CHECK(html::escaped("\xc3") == "\ufffd");
  CHECK(html::escaped("\xc0\xbc") == "\ufffd\ufffd");            // an overlong "<"
  CHECK(html::escaped("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");  // a surrogate
  CHECK(html::escaped("\xef\xbf\xbf") == "\ufffd\ufffd\ufffd");  // U+FFFF
  CHECK(html::escaped("\xf4\x90\x80\x80") == "\ufffd\ufffd\ufffd\ufffd");
}

TEST_CASE("values are shown to two digits of their error") {
  CHECK(html::value_text(0.81234, 0.0123) == "0.812");
  CHECK(html::value_text(5985037.219, 0.17) == "5985037.22");
  CHECK(html::value_text(1234.5, 250) == "1234");
  CHECK(html::value_text(0.25, {}) == "0.25");
  CHECK(html::value_text(10, 0.0) == "10");
  CHECK(html::error_text(0.0123) == "\u00b1 0.012");
  CHECK(html::grouped(999) == "999");
  CHECK(html::grouped(17966953) == "17\u202f966\u202f953");
}

TEST_CASE("the report of a tiny model") {
  const std::string page = report_of(tiny_model());
  CHECK(is_proper(page));
  CHECK(page == report_of(tiny_model()));
  const std::size_t first = page.find("<main>"), last = page.find("<footer>");
  CHECK(page.substr(first, last - first) ==
        model::read_file(source_folder() + "/tests/report/tiny_report.html"));
}

TEST_CASE("the report says of the cache what the model's file says") {
  model::DriveModel model = tiny_model();
  const auto told = [](double value, double error) {
    return model::Parameter{.value = value,
                            .unit = "",
                            .error = error,
                            .method = "reads",
                            .samples = 4,
                            .reason = "",
                            .at_least = {},
                            .at_most = {},
                            .guesses = {}};
  };
  const auto row = [](const std::string& name, const std::string& value) {
    return "<td>" + name + "</td><td>" + value + "</td>";
  };
  model.cache.written_persist = told(1, 0.014);
  model.cache.zero_latency_read = told(1, 0.12);
  model.cache.read_ahead_over_requested = told(0, 0.014);
  model.cache.segments = told(1, 0.014);
  model.cache.segment_blocks = told(256, 0.5);
  model.cache.segment_blocks.unit = "blocks";
  model.cache.freedoms = {
      {.field = "RCD", .changeable = true, .effect = "none", .because = "as before"},
      {.field = "ABPF", .changeable = false, .effect = kHostile, .because = ""}};
  model.validity.demerits = {{.workload = "mixed",
                              .requests = 9,
                              .drive_mean_ms = 4,
                              .demerit_ms = 1,
                              .demerit_percent = 25,
                              .folded_phase_share = 0.5,
                              .hits_agreed_share = 0.987,
                              .phase_requests = 9}};
  const std::string page = report_of(model);
  CHECK(is_proper(page));
  for (const std::string& text :
       {row("non-volatile write cache", "yes (98.6 % sure)"),
        row("zero-latency reads", "yes (88.0 % sure)"),
        row("read-ahead displaces requested blocks", "no (98.6 % sure)"),
        std::string("1 segment of 256 blocks (128 KiB)"),
        std::string("<td>RCD</td><td>changeable</td><td>none</td><td>as before</td>"),
        std::string("<td>ABPF</td><td>fixed</td>"),
        std::string("<td class=\"n\">50.0 % (22.7 to 77.3)</td><td class=\"n\">98.7 % (68.3 to "
                    "100.0)</td>")}) {
    CAPTURE(text);
    CHECK(page.find(text) != std::string::npos);
  }
}

TEST_CASE("read-ahead: how far, and behind which reads, are two things") {
  model::DriveModel model = tiny_model();
  const auto told = [](double value) {
    return model::Parameter{.value = value,
                            .unit = "",
                            .error = {},
                            .method = "reads",
                            .samples = 4,
                            .reason = "",
                            .at_least = {},
                            .at_most = {},
                            .guesses = {}};
  };
  model.cache.segments = told(4);
  model.cache.read_ahead = told(4);
  for (const double sequential : {0.0, 1.0}) {
    model.cache.read_ahead_after_sequential = told(sequential);
    const std::string page = report_of(model);
    CHECK(page.find(", or the next one&#39;s in a sequential run") != std::string::npos);
    CHECK(page.find(sequential > 0 ? "<td>sequential ones only</td>" : "<td>all</td>") !=
          std::string::npos);
    CHECK((page.find("It reads ahead behind sequential reads only.</text>") != std::string::npos) ==
          (sequential > 0));
  }
}

TEST_CASE("what the run compared itself tells what a model may be used for") {
  model::DriveModel model = tiny_model();
  for (const char* workload : {"random, within the run", "mixed, within the run"})
    model.validity.demerits.push_back({.workload = workload,
                                       .requests = 200,
                                       .drive_mean_ms = 10,
                                       .demerit_ms = 0.1,
                                       .demerit_percent = 1,
                                       .folded_phase_share = 0.99,
                                       .hits_agreed_share = 0.99,
                                       .error_ms = 0.02,
                                       .phase_requests = 200});
  const std::string page = report_of(model);
  CHECK(page.find("not compared with the drive") == std::string::npos);
  CHECK(page.find("<td>yes</td><td>99.0 % of the accesses in phase, demerit 1.0 %</td>") !=
        std::string::npos);
  CHECK(page.find("<td>yes</td><td>demerit 1.0 %, hits and misses agree in 99.0 %</td>") !=
        std::string::npos);
}

TEST_CASE("the ring of a zone ends where the next one begins") {
  if (!have("gnuplot")) return;
  model::DriveModel model = drawn_model();
  model::LayoutNode inner = model.layout.zones[0];
  inner.cylinder = 1000;
  inner.children[0].sectors = 500;
  model.layout.zones.push_back(inner);
  const std::string page = report_of(model);
  CHECK(
      page.find("A 250.0 250.0 0 0 1 270.0 275.0 L 145.0 275.0 A 125.0 125.0 0 0 0 20.0 150.0 Z\" "
                "class=\"ring\" fill-opacity=\"0.85\"") != std::string::npos);
  CHECK(page.find("fill-opacity=\"0.15\"") != std::string::npos);
}

TEST_CASE("the times of the stages and the rest are the run's") {
  model::DriveModel model = tiny_model();
  CHECK(report_of(model).find("between the stages") == std::string::npos);
  model.provenance.stages = {{"layout", 100, 10}, {"seeks", 29.95, 5}};
  CHECK(report_of(model).find("<td>drive&#39;s time between the stages</td><td>0.3 s") !=
        std::string::npos);
  model.provenance.stages[1].drive_seconds = 30.25;
  CHECK(report_of(model).find("between the stages") == std::string::npos);
}

TEST_CASE("the noise of the host is the delay at 99 %, wherever the quantiles lie") {
  model::DriveModel model = tiny_model();
  model.delay_spread.emplace();
  model.delay_spread->samples = 500;
  model.delay_spread->quantiles = {{0, -0.01}, {0.5, 0}, {0.98, 0.1}, {1, 2}};
  CHECK(report_of(model).find("more than 1.050 ms beyond the median") != std::string::npos);
}

TEST_CASE("a figure without value or reason: only its source did not state it") {
  model::DriveModel model = tiny_model();
  CHECK(report_of(model).find("no reason is stated") != std::string::npos);
  model.provenance.method = "imported";
  const std::string page = report_of(model);
  CHECK(page.find("no reason is stated") == std::string::npos);
  CHECK(page.find("the model&#39;s source does not state it") != std::string::npos);
}

TEST_CASE("what a model says cannot change the page") {
  model::DriveModel model = tiny_model();
  model.identity.name = model.identity.vendor = model.identity.product = model.identity.serial =
      kHostile;
  model.provenance.method = model.provenance.source = model.provenance.date = kHostile;
  model.provenance.notes = {kHostile};
  model.layout.reason = model.seek.reason = model.validity.note = kHostile;
  model.head_switch.unit = model.head_switch.method = kHostile;
  model.write_settle.reason = kHostile;
  model.validity.demerits = {{.workload = kHostile, .requests = 1}};
  const std::string page = html_report(
      std::vector<ReportedModel>{{kHostile, model}, {kHostile, model}}, {});
  CHECK(is_proper(page));
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("<img") == std::string::npos);
}

TEST_CASE("figures and results: a proper page, also with hostile names in them") {
  if (!have("gnuplot")) return;
  const Folder folder;
  const std::string name = GENERATE(std::string("virtual:tiny"),
                                    std::string("\"'></text><script>x</script>&{}@^"));
  save_results(folder, name, "model " + name);
  model::DriveModel model = drawn_model();
  const std::vector<WorkloadResults> workloads = load_workloads(folder.path());
  REQUIRE(workloads.size() == 2);
  CHECK(workloads[0].name == "random");
  CHECK(workloads[0].model_files == std::vector<std::string>{"tiny"});
  const std::vector<ReportedModel> models = {{"tiny", model}, {"other", model}};
  const std::string page = html_report(models, workloads);
  CHECK(page == html_report(models, workloads));
  {
    const std::string path = folder.file("seen.html");
    model::write_file(path, page);
    if (have("python3"))
      CHECK(std::system(
                fmt::format("python3 '{}/tests/report/check_html.py' '{}'", source_folder(), path)
                    .c_str()) == 0);
  }
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("<b>Poor.</b> This model") != std::string::npos);          // tiny: by its results
  CHECK(page.find("was not compared with the drive") != std::string::npos);  // other: has none
  std::size_t figures = 0;
  for (std::size_t at = 0; (at = page.find("<svg ", at)) != std::string::npos; ++at) ++figures;
  CHECK(figures == 11);
}

TEST_CASE("two drives side by side, a fleet with what stands out named") {
  if (!have("gnuplot")) return;
  std::vector<ReportedModel> drives;
  for (int i = 0; i < 6; ++i) drives.push_back({fmt::format("drive{}", i), drawn_model()});
  for (int i = 0; i < 6; ++i)  // a period each, alike to a few parts in a million
    drives[i].model.rotation.numerator_ns += 1000 * i;
  drives[4].model.seek.points[2].time_ms = 11;
  const std::string two = html_report(std::span(drives).first(2), {});
  CHECK(is_proper(two));
  CHECK(two.find("Side by side") != std::string::npos);
  CHECK(two.find("id=\"model2-zones\"") != std::string::npos);
  const std::string all = html_report(drives, {},
                                      {.standouts = {{4, "seek[999]", "long seeks: by <much>"},
                                                     {4, "cache.segments", "segments low"}},
                                       .remarks = {"6 drives of 1 product"}});
  CHECK(is_proper(all));
  CHECK(all.find("<p>6 drives of 1 product</p>") != std::string::npos);
  CHECK(all.find("<b>drive4</b>: long seeks: by &lt;much&gt;; segments low") != std::string::npos);
  CHECK(all.find("<b>drive3</b>") == std::string::npos);
  CHECK(all.find("drive4 !") != std::string::npos);
  CHECK(all.find("11.000 !") != std::string::npos);
  CHECK(all.find("drive3 !") == std::string::npos);
  CHECK(html_report(drives, {}).find("No drive stands out.") != std::string::npos);
}

TEST_CASE("a folder without results says what to give") {
  const Folder folder;
  for (const std::string& path : {folder.path(), folder.file("none")}) {
    try {
      load_workloads(path);
      FAIL("it was read");
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::bad_input);
      CHECK(std::string(error.what()).find(path) == 0);
    }
  }
}

TEST_CASE("without gnuplot a report has all but its figures, and says so in their places") {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  const std::string drawn = report_of(drawn_model()), tiny = report_of(tiny_model());
  ::setenv("PATH", path.c_str(), 1);
  CHECK(drawn.find("Not drawn, for gnuplot was not there: ") != std::string::npos);
  CHECK(tiny.find("Not drawn") == std::string::npos);
  CHECK(tiny.find("Acme Tiny") != std::string::npos);
}
