// DiskSim beside the models that are validated: the one that --disksim names, or the one on PATH.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "jobs/subject.h"
#include "replay/result.h"

namespace platter::jobs {

class DiskSimColumn {
 public:
  // `option`: what --disksim says, "" for what is on PATH. Tries DiskSim on each model, so that
  // what cannot work is known before a drive is asked. Where it was named, throws Error(usage)
  // without a model file, Error(missing_program) if it is not there or does not run the files,
  // Error(unsupported) for a model that they cannot hold; else each is a warning.
  DiskSimColumn(const std::string& option, const std::vector<LoadedSubject>& judged,
                const std::vector<std::string>& paths);

  // Of the models that DiskSim runs, their places in `judged`.
  const std::vector<std::size_t>& models() const { return models_; }
  // The program, where one is run; else "".
  const std::string& program() const { return program_; }

  // Without one where DiskSim failed, which is a warning here.
  std::optional<replay::Result> replay(const LoadedSubject& subject, const replay::Result& drive);
  // Throws Error(some_failed) where it failed and was named; all else is written by then.
  void require_answers() const;

 private:
  bool named_ = false;
  std::string program_{};
  std::vector<std::size_t> models_{};
  std::string failure_{};
};

}  // namespace platter::jobs
