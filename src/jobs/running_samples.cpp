#include "jobs/running_samples.h"

#include <utility>

namespace platter::jobs {

std::string running_samples(const std::string& samples) {
  for (const std::string_view end : {".samples.jsonl", ".jsonl"})
    if (samples.ends_with(end))
      return samples.substr(0, samples.size() - end.size()) + ".running" + std::string(end);
  return samples + ".running";
}

void RunningSamples::keep(std::string_view lines) {
  whole_ = false;
  if (file_)
    file_->append(lines);
  else
    file_.emplace(path_, lines);
  file_->begin_to_synchronize();
  kept_ = Clock::now();
  whole_ = true;
}

// What could not be synchronized may be lost, whatever a later call says (fsync(2)).
void RunningSamples::synchronize() {
  const bool whole = std::exchange(whole_, false);
  file_->synchronize();
  whole_ = whole;
}

void RunningSamples::throw_away() {
  if (file_) stays_ = file_->remove();
  file_.reset();
}

}  // namespace platter::jobs
