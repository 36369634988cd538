#include "emit/disksim_run/disksim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "emit/disksim/export.h"
#include "emit/disksim_run/execution_trace.h"
#include "model/bounded_process.h"
#include "model/error.h"
#include "model/file.h"
#include "model/leftovers.h"
#include "model/printable.h"
#include "replay/compare.h"
#include "replay/hits.h"
#include "statistics/distribution.h"

namespace platter::emit_disksim_run {
namespace {

namespace fs = std::filesystem;

constexpr const char *kName = "drive", *kTrace = "trace", *kExecuted = "executed";

// As the engine does with its caches off, and one request at a time in the drive: of more DiskSim
// does not tell when each was complete.
model::DriveModel told_to_disksim(model::DriveModel model, replay::Caches caches) {
  model.queue.depth.value = 1;
  if (caches != replay::Caches::as_they_are)
    for (model::Parameter* each : {&model.cache.read_enabled, &model.cache.write_back_level,
                                   &model.cache.read_ahead, &model.cache.read_free_blocks})
      each->value = 0;
  return model;
}

// Of a drive's result: the reference reads, then the trace's requests.
std::vector<const replay::Response*> in_order(const replay::Result& like, bool with_trace) {
  std::vector<const replay::Response*> rows;
  for (const replay::Response& row : like.reference) rows.push_back(&row);
  if (with_trace)
    for (const replay::Response& row : like.requests) rows.push_back(&row);
  return rows;
}

// DiskSim ends an open trace with the arrival of its last request, so that one is added, long
// behind the others, whose answer nobody needs.
constexpr Nanoseconds kBehind_ns = 60'000'000'000;

std::string line_of(const replay::Response& row, Nanoseconds arrival_ns) {
  return fmt::format("{}.{:06} 0 {} {} {}\n", arrival_ns / 1'000'000, arrival_ns % 1'000'000,
                     row.lbn, row.blocks, row.write ? 0 : 1);
}

std::string beginning(const std::string& path) {
  constexpr std::size_t kMost = 1 << 16;
  return model::beginning_of(path, kMost);
}

// The last line that is not blank: an assertion, or what it was doing.
std::string last_words(const std::string& said) {
  constexpr std::size_t kMost = 200;
  const std::size_t end = said.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "";
  const std::size_t before = said.rfind('\n', end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return model::printable(said.substr(begin, std::min(end + 1 - begin, kMost)));
}

// The files of a model in a folder of their own, and runs of DiskSim on them.
class Simulation {
 public:
  Simulation(std::string program, const model::DriveModel& model, replay::Caches caches,
             const model::Bounds& bounds = {})
      : program_(std::move(program)),
        bounds_(bounds),
        folder_(model::temporary_name("platter-disksim")) {
    if (folder_.path().empty())
      throw Error(ExitStatus::output,
                  fmt::format("no folder for DiskSim's files can be made: {}; set TMPDIR to one "
                              "that can be written",
                              std::strerror(errno)));
    for (const char* ending : {".parv", ".diskspecs", ".model", ".seek", ".statdefs"})
      folder_.file(std::string(kName) + ending);
    for (const char* name : {kTrace, kExecuted, "report"}) folder_.file(name);
    said_ = folder_.file("said");
    errors_ = folder_.file("errors");
    emit_disksim::ExportOptions options;
    options.name = kName;
    emit_disksim::export_disksim(told_to_disksim(model, caches), folder_.path(), options);
    tell_of_each_request();
  }

  // When each is complete, if all arrive so much later than the drive got them.
  std::vector<Nanoseconds> completions_of(const std::vector<const replay::Response*>& rows,
                                          Nanoseconds later_ns) {
    std::vector<Asked> asked;
    std::string trace;
    for (const replay::Response* row : rows) {
      asked.push_back({row->lbn, row->issue_ns + later_ns});
      trace += line_of(*row, asked.back().arrival_ns);
    }
    asked.push_back({0, asked.back().arrival_ns + kBehind_ns});
    trace += line_of({}, asked.back().arrival_ns);
    write(kTrace, trace);
    std::error_code ignored;
    fs::remove(in_folder(kExecuted), ignored);
    model::Bounds bounds = bounds_;
    bounds.folder_bytes += 4096 * asked.size();
    const auto trouble = model::run_bounded(
        {program_, std::string(kName) + ".parv", "report", "ascii", kTrace, "0"}, folder_.path(),
        said_, errors_, bounds);
    if (trouble) fail(*trouble);
    if (!model::is_file(in_folder(kExecuted))) fail("wrote no execution trace");
    std::ifstream executed(in_folder(kExecuted), std::ios::binary);
    try {
      std::vector<Nanoseconds> times = completions(executed, asked, 1);
      for (Nanoseconds& time : times) time -= later_ns;
      return times;
    } catch (const Nonsense& nonsense) {
      fail(nonsense.what());
    }
  }

 private:
  std::string in_folder(const char* name) const { return folder_.path() + "/" + name; }

  void write(const std::string& name, const std::string& content) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!(file << content).flush())
      throw Error(ExitStatus::output, fmt::format("{}: cannot be written", path));
  }

  void tell_of_each_request() {
    const std::string name = std::string(kName) + ".parv";
    std::string text = model::read_file(folder_.path() + "/" + name);
    const std::size_t block = text.find("\ndisksim_global ");
    const std::size_t brace = block == std::string::npos ? block : text.find('{', block);
    if (brace == std::string::npos)
      throw Error(ExitStatus::internal, "DiskSim's main file has no disksim_global block");
    text.insert(brace + 1, fmt::format("\n  Detailed execution trace = {},", kExecuted));
    write(name, text);
  }

  [[noreturn]] void fail(const std::string& what) const {
    std::string said = last_words(beginning(errors_));
    if (said.empty()) said = last_words(beginning(said_));
    throw Failed(fmt::format("DiskSim ({}) {}{}", model::printable(program_), what,
                             said.empty() ? "" : fmt::format("; it said: {}", said)));
  }

  std::string program_;
  model::Bounds bounds_;
  model::TemporaryFolder folder_;
  std::string said_{}, errors_{};
};

// How much later all must arrive.
Nanoseconds later_in_phase(Simulation& simulation, const replay::ResultHead& head,
                           const replay::Result& like) {
  const auto rule = replay::HitRule::of_period(*head.period_ns, head.block_transfer_ns.value_or(0));
  std::vector<double> differences;
  for (const bool with_trace : {false, true}) {
    const auto rows = in_order(like, with_trace);
    if (rows.empty() || !differences.empty()) continue;
    const std::vector<Nanoseconds> times = simulation.completions_of(rows, 0);
    for (std::size_t i = 0; i < rows.size() && differences.size() < replay::kPhaseAccesses; ++i) {
      replay::Response disksims = *rows[i];
      disksims.media.reset();
      disksims.response_ns = times[i] - disksims.issue_ns;
      if (rule.both_from_media(*rows[i], disksims))
        differences.push_back(static_cast<double>(times[i] - rows[i]->completion_ns()));
    }
  }
  const double phase_ns = statistics::circular_median(differences, *head.period_ns);
  return std::llround(phase_ns < 0 ? phase_ns + *head.period_ns : phase_ns);
}

replay::ResultHead head_on_disksim(const replay::Subject& subject, const replay::Result& like) {
  replay::ResultHead head = replay::head_of_replay(
      subject, {.name = like.trace, .kind = like.kind},
      {.caches = replay::caches_of(like.caches), .like = &like});
  head.name = subject.name + " (DiskSim files, in DiskSim)";
  return head;
}

}  // namespace

replay::Result replay_on_disksim(const std::string& program, const model::DriveModel& model,
                                 const replay::Subject& subject, const replay::Result& like) {
  Simulation simulation(program, model, replay::caches_of(like.caches));
  replay::Result result;
  static_cast<replay::ResultHead&>(result) = head_on_disksim(subject, like);
  const Nanoseconds later_ns = later_in_phase(simulation, result, like);
  result.phase_ns = static_cast<double>(later_ns);
  const auto rows = in_order(like, true);
  const std::vector<Nanoseconds> times = simulation.completions_of(rows, later_ns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    replay::Response row = *rows[i];
    row.media.reset();
    row.response_ns = times[i] - row.issue_ns;
    (i < like.reference.size() ? result.reference : result.requests).push_back(row);
  }
  return result;
}

void try_disksim(const std::string& program, const model::DriveModel& model) {
  constexpr unsigned kSoon_s = 60;  // the files are read in a second
  const replay::Response one;
  for (const auto caches : {replay::Caches::as_they_are, replay::Caches::off})
    Simulation(program, model, caches, {.wall_s = kSoon_s}).completions_of({&one}, 0);
}

}  // namespace platter::emit_disksim_run
