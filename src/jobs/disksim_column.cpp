#include "jobs/disksim_column.h"

#include <fmt/core.h>

#include <algorithm>

#include "emit/disksim_run/disksim.h"
#include "model/error.h"
#include "model/file.h"
#include "model/folder.h"
#include "model/interruption.h"
#include "model/printable.h"
#include "model/program_path.h"
#include "model/say.h"

namespace platter::jobs {
namespace {

constexpr const char* kNoDiskSim = "none";

// It runs in a folder of its own, where others mean something else.
std::optional<std::string> disksim_on_path(const std::string& name) {
  return model::program_on_path(name, model::PathFolders::absolute);
}

// The path of what --disksim names.
std::string program_of_option(const std::string& option) {
  if (option.find('/') != std::string::npos) {
    if (model::is_file(option)) return model::absolute_path(option);
  } else if (const auto found = disksim_on_path(option)) {
    return *found;
  }
  throw Error(ExitStatus::missing_program,
              fmt::format("--disksim: there is no program {}; give the path of a DiskSim, or none",
                          model::printable(option)));
}

void warn_of_disksim(const std::string& sentence) {
  model::say("platter: warning: {}\n", model::printable(sentence));
}

}  // namespace

DiskSimColumn::DiskSimColumn(const std::string& option, const std::vector<LoadedSubject>& judged,
                             const std::vector<std::string>& paths)
    : named_(!option.empty()) {
  if (option == kNoDiskSim) return;
  const auto is_model = [](const LoadedSubject& subject) { return subject.model.has_value(); };
  if (std::ranges::none_of(judged, is_model)) {
    if (named_)
      throw Error(ExitStatus::usage,
                  "--disksim runs the DiskSim files of models (.json), and none of these is one; "
                  "leave it out");
    return;
  }
  if (named_) {
    program_ = program_of_option(option);
  } else if (const auto found = disksim_on_path("disksim")) {
    program_ = *found;
    model::say("platter: {} runs the models' DiskSim files; --disksim none leaves it out\n",
               model::printable(program_));
  } else {
    return;
  }
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i].model) continue;
    try {
      emit_disksim_run::try_disksim(program_, *judged[i].model);
      models_.push_back(i);
    } catch (const emit_disksim_run::Failed& failed) {
      const std::string sentence = fmt::format("{}: {}", paths[i], failed.what());
      if (named_)
        throw Error(ExitStatus::missing_program,
                    sentence + "; give a DiskSim that runs such files, or --disksim none");
      warn_of_disksim(sentence);
    } catch (const Error& error) {
      let_interruptions_pass(error);
      if (named_)
        throw Error(error.status(),
                    fmt::format("{}: {}; leave --disksim out", paths[i], error.what()));
      warn_of_disksim(fmt::format("{}: no DiskSim: {}", paths[i], error.what()));
    }
  }
  if (models_.empty()) program_.clear();
}

std::optional<replay::Result> DiskSimColumn::replay(const LoadedSubject& subject,
                                                    const replay::Result& drive) {
  try {
    return emit_disksim_run::replay_on_disksim(program_, *subject.model, subject.subject, drive);
  } catch (const emit_disksim_run::Failed& failed) {
    failure_ = failed.what();
  } catch (const Error& error) {
    let_interruptions_pass(error);
    failure_ = error.what();
  }
  warn_of_disksim(failure_);
  return std::nullopt;
}

void DiskSimColumn::require_answers() const {
  if (named_ && !failure_.empty())
    throw Error(ExitStatus::some_failed,
                failure_ + "; all but its results is written, --disksim none leaves it out");
}

}  // namespace platter::jobs
