#include "jobs/characterize_many.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "jobs/drive_files.h"
#include "jobs/drive_run.h"
#include "jobs/drives_summary.h"
#include "jobs/each_output.h"
#include "jobs/named_drives.h"
#include "jobs/signals.h"
#include "model/error.h"
#include "model/file.h"
#include "model/json.h"
#include "transport/turns.h"

namespace platter::jobs {
namespace {

// Which file lies at a place: another one once it is replaced.
struct FileVersion {
  ino_t number = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileVersion&) const = default;
};

FileVersion version_at(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return {};
  return {file.st_ino, file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec};
}

class RunsOnDrives {
 public:
  RunsOnDrives(const ManyRuns& runs, const std::vector<NamedDrive>& drives,
               DrivesProgress& progress);

  // Until all have ended. A signal is passed on, and nothing begins behind it.
  DriveOutcomes go();

 private:
  using Clock = std::chrono::steady_clock;
  struct Going {
    std::unique_ptr<DriveRun> run;
    Clock::time_point began;
    std::vector<std::pair<std::string, FileVersion>> models;  // where it may write one
    std::string said{};  // the last sentence, which says why the run failed, if it does
  };

  void decide(std::size_t drive, const NamedDrive& named);
  void begin(std::size_t drive, const TakenSignals& signals);
  void wait_for_news(TakenSignals& signals);
  void take(std::size_t drive, Going& going, const std::string& line);
  void end(std::size_t drive, Going& going, int wait_status);

  const ManyRuns& runs_;
  transport::Turns turns_;
  std::vector<std::string> files_;
  std::vector<DriveOutcome> outcomes_{};
  std::vector<bool> decided_;
  std::map<std::size_t, Going> going_{};
  DrivesProgress& progress_;
  bool stopped_ = false;
};

transport::Turns turns_of(const ManyRuns& runs, const std::vector<NamedDrive>& drives) {
  std::vector<transport::Place> places;
  for (const NamedDrive& drive : drives) places.push_back(drive.place);
  transport::MostAtOnce most{.drives = runs.jobs, .share_bus = runs.share_bus};
  if (!runs.jobs) most.computed = std::max(1U, std::thread::hardware_concurrency());
  return {std::move(places), most};
}

RunsOnDrives::RunsOnDrives(const ManyRuns& runs, const std::vector<NamedDrive>& drives,
                           DrivesProgress& progress)
    : runs_(runs),
      turns_(turns_of(runs, drives)),
      files_(model_files(runs.folder, drives)),
      decided_(drives.size()),
      progress_(progress) {
  for (std::size_t drive = 0; drive < drives.size(); ++drive) {
    outcomes_.push_back({drives[drive].name, drives[drive].identity});
    decide(drive, drives[drive]);
  }
}

// What needs no run.
void RunsOnDrives::decide(std::size_t drive, const NamedDrive& named) {
  DriveOutcome& outcome = outcomes_[drive];
  if (named.why_not) {
    outcome.status = static_cast<int>(named.why_not->status());
    outcome.sentence = named.why_not->what();
    progress_.ended(drive, outcome.status, 0, outcome.sentence);
  } else if (runs_.resumes && is_done(files_[drive])) {
    outcome.done_before = true;
    outcome.model = model::load_model(files_[drive]);
    outcome.model_file = files_[drive];
    if (!outcome.model->provenance.complete) {
      outcome.status = static_cast<int>(ExitStatus::incomplete);
      outcome.sentence =
          "its run ended by itself without all stages, and nothing is left to go "
          "on with; the model says what is missing";
    }
  } else {
    outcome.status = static_cast<int>(ExitStatus::interrupted);
    outcome.sentence = "not begun";
    return;
  }
  decided_[drive] = true;
}

void RunsOnDrives::begin(std::size_t drive, const TakenSignals& signals) {
  const std::string& file = files_[drive];
  std::vector<std::string> words = {"characterize", outcomes_[drive].name, "--output=" + file,
                                    "--progress=json"};
  words.insert(words.end(), runs_.options.begin(), runs_.options.end());
  if (runs_.resumes)
    if (const auto samples = samples_to_go_on_with(file)) words.push_back("--resume=" + *samples);
  Going going{nullptr, Clock::now(), {}};
  for (const std::string& model : {file, beside(file, ".partial.json")})
    going.models.emplace_back(model, version_at(model));
  going.run = std::make_unique<DriveRun>(words, signals);
  going_.emplace(drive, std::move(going));
  progress_.began(drive);
}

void RunsOnDrives::wait_for_news(TakenSignals& signals) {
  constexpr int kToShowProgress_ms = 1000;
  std::vector<pollfd> sources = {{signals.descriptor(), POLLIN, 0}};
  for (const auto& [drive, going] : going_) sources.push_back({going.run->descriptor(), POLLIN, 0});
  ::poll(sources.data(), sources.size(), kToShowProgress_ms);
  while (const int signal = signals.read()) {
    if (signal == SIGCHLD) continue;
    stopped_ = true;
    for (const auto& [drive, going] : going_) going.run->signal(signal);
  }
}

void RunsOnDrives::take(std::size_t drive, Going& going, const std::string& line) {
  constexpr std::string_view kSentence = "platter: ";
  if (const auto standing = standing_in(line)) return progress_.stands(drive, *standing);
  if (!line.starts_with(kSentence)) {
    if (!line.starts_with("written: ")) progress_.say(drive, line);
    return;
  }
  if (!going.said.empty()) progress_.say(drive, going.said);
  going.said = line.substr(kSentence.size());
}

void RunsOnDrives::end(std::size_t drive, Going& going, int wait_status) {
  DriveOutcome& outcome = outcomes_[drive];
  outcome.status = 0;
  outcome.sentence.clear();
  outcome.seconds = std::chrono::duration<double>(Clock::now() - going.began).count();
  for (const auto& [model, before] : going.models)
    if (version_at(model) != before && model::is_file(model)) {
      outcome.model = model::load_model(model);
      outcome.model_file = model;
    }
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    outcome.status = 128 + signal;
    outcome.sentence = fmt::format(
        "its run was ended by signal {} ({}), and what it changed on the drive may not be put "
        "back; --resume {} puts that right and goes on with it",
        signal, ::strsignal(signal), runs_.folder);
  } else {
    outcome.status = WEXITSTATUS(wait_status);
    if (outcome.status != 0)
      outcome.sentence = going.said.empty() ? "it ended without a sentence" : going.said;
    else if (!going.said.empty())
      progress_.say(drive, going.said);
  }
  progress_.ended(drive, outcome.status, outcome.seconds, outcome.sentence);
  turns_.ended(drive);
}

DriveOutcomes RunsOnDrives::go() {
  std::signal(SIGCHLD, SIG_DFL);  // where it is ignored nobody can be waited for
  TakenSignals signals({SIGINT, SIGTERM, SIGHUP, SIGCHLD});
  for (;;) {
    while (!stopped_) {
      const auto drive = turns_.next();
      if (!drive) break;
      if (decided_[*drive])
        turns_.ended(*drive);
      else
        begin(*drive, signals);
    }
    if (going_.empty()) break;
    wait_for_news(signals);
    for (auto at = going_.begin(); at != going_.end();) {
      const std::optional<int> ended = at->second.run->ended();
      for (const std::string& line : at->second.run->lines()) take(at->first, at->second, line);
      if (ended) end(at->first, at->second, *ended);
      at = ended ? going_.erase(at) : std::next(at);
    }
    progress_.show();
  }
  progress_.clear();
  return {std::move(outcomes_), stopped_};
}

}  // namespace

void require_all_done(const ManyRuns& runs, const DriveOutcomes& all) {
  const std::vector<DriveOutcome>& outcomes = all.of_each;
  std::vector<std::string> failed;
  for (const DriveOutcome& outcome : outcomes)
    if (outcome.status != 0)
      failed.push_back(fmt::format("{} (status {})", outcome.name, outcome.status));
  if (failed.empty()) return;
  if (all.stopped)
    throw Error(ExitStatus::interrupted,
                fmt::format("stopped by a signal: {} of {} drives are not done; --resume {} goes "
                            "on with them",
                            failed.size(), outcomes.size(), runs.folder));
  if (outcomes.size() == 1)
    throw Error(static_cast<ExitStatus>(outcomes[0].status), outcomes[0].sentence);
  throw Error(ExitStatus::some_failed,
              fmt::format("{} of {} drives are not done: {}; the summary says why, and --resume "
                          "{} tries them again",
                          failed.size(), outcomes.size(), fmt::join(failed, ", "), runs.folder));
}

bool is_single(const std::vector<std::string>& devices, const std::string& output) {
  std::error_code none;
  return devices.size() == 1 && !output.ends_with('/') &&
         !std::filesystem::is_directory(output, none);
}

void require_folder(const Characterization& call) {
  namespace fs = std::filesystem;
  if (!call.samples.empty())
    throw Error(ExitStatus::usage,
                "--samples names the file of one drive, and -o a folder, in which the samples of "
                "each lie beside its model; leave --samples out, or name a model with -o");
  std::error_code none;
  if (!call.resume.empty() && fs::weakly_canonical(call.resume + "/", none) !=
                                  fs::weakly_canonical(call.output + "/", none))
    throw Error(ExitStatus::usage,
                fmt::format("--resume {} is not the folder {}; where -o names a folder --resume "
                            "names the same one, whose drives are gone on with",
                            call.resume, call.output));
  if (model::is_file(call.output))
    throw Error(
        ExitStatus::usage,
        call.output + ": is a file; the models of several drives go to a folder, name one with -o");
}

DriveOutcomes characterize_many(const ManyRuns& runs, DrivesProgress& progress) {
  const ResultFolder folder(runs.folder);
  model::require_writable((std::filesystem::path(runs.folder) / "model.json").string());
  const std::vector<NamedDrive> drives = named_drives(runs.devices, runs.not_in_use);
  return RunsOnDrives(runs, drives, progress).go();
}

}  // namespace platter::jobs
