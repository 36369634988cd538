// Nothing that was not measured acts in silence: each figure of good models is taken out in turn,
// and where a prediction moves, show names it.
#include "model/stand_ins.h"

#include <cmath>
#include <map>

#include "catch.h"
#include "engine/engine.h"
#include "model/parameters.h"
#include "replay/replay_model.h"
#include "report/model_summary.h"
#include "report/one_line.h"
#include "trace/workload.h"
#include "virtual_drive/catalogue.h"

namespace platter::report {
namespace {

// In ms, of each request: random and local ones, streams of reads and of writes, bursts; one at a
// time and several.
std::vector<double> predicted(const model::DriveModel& model) {
  const replay::Subject subject = replay::subject_of(model);
  std::vector<double> times;
  for (const char* profile : {"mixed", "streams", "write-burst", "local"})
    for (const std::uint32_t depth : {1U, 8U}) {
      const trace::Trace trace = trace::generate({.profile = trace::profile(profile),
                                                  .blocks = model.identity.blocks,
                                                  .block_bytes = model.identity.block_bytes,
                                                  .requests = 250,
                                                  .seed = 7});
      const replay::Result result = replay::replay_on_model(subject, trace,
                                                            {.depth = depth, .reference_reads = 0});
      for (const replay::Response& response : result.requests)
        times.push_back(static_cast<double>(response.response_ns) * 1e-6);
    }
  return times;
}

// The mean of how far the times are off, of their mean.
double moved(const std::vector<double>& before, const std::vector<double>& after) {
  double off = 0, all = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    off += std::abs(before[i] - after[i]);
    all += before[i];
  }
  return off / all;
}

model::DriveModel drive(const std::string& name) {
  return virtual_drive::catalogue_model(*virtual_drive::find_in_catalogue(name));
}

std::vector<std::string> paths_of(const model::DriveModel& model) {
  std::vector<std::string> paths;
  for (const model::NamedParameter& one : model::parameters_of(model))
    if (one.path != "rotation.period" && one.parameter) paths.push_back(one.path);
  return paths;
}

}  // namespace

// holds: stand-ins.md: A prediction that another figure would move
TEST_CASE("a figure that is taken out moves no prediction in silence") {
  constexpr double kSilent = 0.01;
  std::size_t moving = 0;
  for (const char* name : {"quantum-atlas10k", "seagate-cheetah9lp", "cache-shared-writes"}) {
    const model::DriveModel whole = drive(name);
    const std::vector<double> before = predicted(whole);
    for (const std::string& path : paths_of(whole)) {
      INFO(name << ": " << path);
      model::DriveModel blank = whole;
      *model::find_parameter(blank, path) = {};
      if (moved(before, predicted(blank)) <= kSilent) continue;
      ++moving;
      constexpr Section kValidity[] = {Section::validity};
      CHECK(on_one_line(model_as_text(blank, kValidity)).find(path + " (") != std::string::npos);
      CHECK(model_as_json(blank).find("\"path\": \"" + path +
                                      "\",\n        \"known\": \"unknown\"") != std::string::npos);
    }
  }
  CHECK(moving > 20);
}

TEST_CASE("a bound and a guess act, and are named") {
  const model::DriveModel whole = drive("quantum-atlas10k");
  const std::vector<double> before = predicted(whole);
  model::DriveModel bounded = whole;
  bounded.cache.segment_blocks = model::at_least(*whole.cache.segment_blocks.value,
                                                 "no larger was tried", "blocks");
  CHECK(moved(before, predicted(bounded)) == 0);
  const std::string text = on_one_line(model_as_text(bounded));
  CHECK(text.find("cache.segment_blocks: bounded, acts as 374 blocks: at least 374 blocks: no "
                  "larger was tried") != std::string::npos);
  CHECK(text.find("10 segments of at least 374 blocks") != std::string::npos);
  model::DriveModel guessed = whole;
  guessed.cache.segments = model::at_least(4, "more could not be tried");
  model::add_guess(guessed.cache.segments, {10, 0.7, "mode page 08h"});
  CHECK(moved(before, predicted(guessed)) == 0);
  CHECK(on_one_line(model_as_text(guessed))
            .find("cache.segments: guessed, acts as 10: probably 10 (70 % likely, mode page 08h), "
                  "at least 4: more could not be tried") != std::string::npos);
  // Without them no cache is computed.
  model::DriveModel unknown = whole;
  unknown.cache.segments = model::absent("not tested");
  CHECK(moved(before, predicted(unknown)) > 0.05);
  const replay::ResultHead head = replay::replay_on_model(
      replay::subject_of(unknown),
      trace::generate(
          {.profile = trace::profile("mixed"), .blocks = whole.identity.blocks, .requests = 5}),
      {});
  CHECK(head.stand_ins ==
        std::map<std::string, std::string>{{"cache.segments", "unknown, acts as 0"}});
}

}  // namespace platter::report
