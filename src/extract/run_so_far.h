// What a run has learned so far, on its way to a model and to its keeper, and the way back to an
// earlier moment of it where what came since is void.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "extract/findings.h"
#include "extract/options.h"
#include "extract/record.h"
#include "extract/sample_keeping.h"
#include "model/finding_kinds.h"
#include "mtbrc/context.h"
#include "mtbrc/time_watch.h"

namespace platter::extract {

class RunSoFar {
 public:
  RunSoFar(mtbrc::Context& context, SamplesKeeper* keeper) : keeping(keeper), context_(context) {}

  // Where an attempt began that may turn out to be void.
  struct Moment {
    Findings found;
    Facts facts;
    std::size_t samples = 0, media_accesses = 0;
    model::Notes notes;
  };
  Moment here() const;
  void go_back_to(const Moment& moment);
  void take_facts(Facts facts);

  // For a reader of the model; what happens again in each attempt is said once.
  void note(model::Noted noted);
  std::function<void(model::Noted)> taking_notes() {
    return [this](model::Noted noted) { note(std::move(noted)); };
  }
  model::Notes take_notes() { return std::exchange(notes_, {}); }  // since the last mark
  Mark mark();
  Seen seen() const;
  void disturbed_since(std::size_t sample, bool durations_stay = false);
  void time_jumped(const mtbrc::TimeJump& jump, std::size_t from_sample);

  Record record;
  Session session;  // what this process measures
  Findings found;
  SampleKeeping keeping;
  StageRecord under_way;
  std::size_t stage = 0, first_sample = 0;  // of the stage under way
  std::optional<Moment> last_whole;         // at the end of the last stage
  bool ending = false;                      // all is estimated; notes are of the end

 private:
  mtbrc::Context& context_;
  model::Notes notes_;
};

}  // namespace platter::extract
