// What show says of parameters: every one is explained, choices are words, digits follow the error.
#include "report/explanations.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "catch.h"
#include "model/parameters.h"
#include "report/model_summary.h"
#include "report/one_line.h"
#include "report/wrapped.h"
#include "source_folder.h"

namespace platter::report {
namespace {

model::Parameter measured(double value, double error, const char* unit = "") {
  model::Parameter parameter;
  parameter.value = value, parameter.error = error, parameter.unit = unit, parameter.samples = 9;
  parameter.method = "some method";
  return parameter;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

}  // namespace

TEST_CASE("every parameter is explained, and nothing else") {
  std::vector<std::string> paths, explained;
  std::set<std::string> names;
  model::DriveModel model;
  model.arms.emplace();
  model.power.emplace();
  model.shingling.emplace();
  for (const auto& named : model::parameters_of(model)) paths.push_back(named.path);
  for (const Explanation& each : explanations()) {
    explained.emplace_back(each.path);
    CHECK_FALSE(each.what.empty());
    CHECK_FALSE(each.name.empty());
    CHECK(each.name.find_first_of("_,:;") == std::string_view::npos);  // it stands in lists
    const std::string section(each.path.substr(0, each.path.find('.')));
    CHECK(names.insert(section + ": " + std::string(each.name)).second);  // of one parameter
    CHECK_FALSE(each.paper.empty());
    INFO(each.path << " is told in " << page_of(each.path));
    CHECK(std::filesystem::is_regular_file(source_folder() + "/" + page_of(each.path)));
  }
  CHECK(explained == paths);
}

TEST_CASE("choices are words with how sure they are, numbers have the digits of their error") {
  CHECK(value_in_words("cache.read_enabled", measured(1, 0.014)) == "yes (98.6 % sure)");
  CHECK(value_in_words("cache.read_enabled", measured(0, 0)) == "no");
  CHECK(value_in_words("cache.read_ahead", measured(3, 0.2)) ==
        "until the segment is full (80.0 % sure)");
  CHECK(value_in_words("queue.policy", measured(8, 0)) == "shortest positioning time first");
  CHECK(value_in_words("queue.policy", measured(7, 0)) == "7");  // none that there is
  CHECK(value_in_words("cache.segments", measured(10, 0)) == "10");
  CHECK(value_in_words("head_switch", measured(0.1759474, 0.00184, "ms")) == "0.1759 +- 0.0018 ms");
  CHECK(value_in_words("rotation.period", measured(5985036.8, 0.39, "ns")) ==
        "5985036.80 +- 0.39 ns");
  CHECK(value_in_words("overheads.per_request", measured(12.3456, 25, "ms")) == "12 +- 25 ms");
}

TEST_CASE(
    "what a model says is at most 100 columns wide, and has the sections that are asked for") {
  model::DriveModel model;
  model.cache.read_ahead = measured(4, 0.014);
  model.cache.segments = measured(10, 0);
  model.overheads.per_request = measured(0.1, 0.01, "ms");
  model.provenance.notes = {std::string(40, 'x') + " " + std::string(70, 'y') + " z z z z z z z z"};
  model.cache.written_blocks.reason = "a reason that is told at great length, " +
                                      std::string(30, 'w') + " and goes on, and on, and on";
  model.cache.freedoms = {
      {"CACHE SEGMENT SIZE", true, "seen",
       "what was seen is long, " + std::string(40, 'v') + " and longer than that"}};
  const std::string text = model_as_text(model);
  CHECK(widest(text) <= kColumns);
  CHECK(on_one_line(text).find("or the next one's in a sequential run (98.6 % sure)") !=
        std::string::npos);
  CHECK(text.find("0.100 +- 0.010 ms") != std::string::npos);
  constexpr Section kCache[] = {Section::cache};
  const std::string cache = model_as_text(model, kCache);
  CHECK(cache.starts_with("Cache\n"));
  CHECK(cache.find("overheads.") == std::string::npos);
  CHECK(cache.find("cache.segments                          10, 9 samples\n") != std::string::npos);
}

TEST_CASE("a parameter is explained with its value, its method and how sure it is") {
  model::DriveModel model;
  model.cache.read_ahead = measured(4, 0.014);
  model.head_switch.reason = "the drive has one head";
  const std::string ahead = explained(model, *explanation_of("cache.read_ahead"));
  CHECK(ahead.find("by some method") != std::string::npos);
  CHECK(ahead.find("wrong with a probability of 0.014") != std::string::npos);
  CHECK(ahead.find("DIXtrac, section 4.3") != std::string::npos);
  CHECK(ahead.ends_with("docs/methods/cache.md\n"));
  CHECK(page_of("cache.unexplained_share") == "docs/methods/cache-check.md");
  CHECK(page_of("overheads.sequential_read_hit_within") == "docs/methods/calibration.md");
  CHECK(page_of("no.such").empty());
  CHECK(explained(model, *explanation_of("head_switch")).find("the drive has one head") !=
        std::string::npos);
  CHECK(ahead.find("called        read-ahead\n") != std::string::npos);
  CHECK(explanation_of("no.such") == nullptr);
}

TEST_CASE("the words of read-ahead in a sentence are those of its value") {
  CHECK(read_ahead_in_words(0) == "no read-ahead");
  for (double kind = 1; kind <= 4; ++kind) {
    const std::string words = choice_in_words("cache.read_ahead", kind);
    CHECK_FALSE(words.empty());
    CHECK(read_ahead_in_words(kind) == "read-ahead " + words);
  }
  CHECK(read_ahead_in_words(5).empty());
  CHECK(name_of("layout.angle") == "angle");
}

TEST_CASE("lines are broken at blanks, and a word that is too long stays whole") {
  CHECK(wrapped("short", 2, 10) == "short\n");
  CHECK(wrapped("one two three", 2, 9) == "one two\n  three\n");
  CHECK(wrapped("aaaaaaaaaaaaaa b", 2, 9) == "aaaaaaaaaaaaaa\n  b\n");
  CHECK(wrapped("    aaaaaaaaaaaaaa", 4, 9) == "    aaaaaaaaaaaaaa\n");
  CHECK(wrapped("a\n", 0, 9) == "a\n\n");
  CHECK(wrapped("a           b", 2, 9) == "a        \n    b\n");
}

}  // namespace platter::report
