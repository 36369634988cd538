// A run's samples on their way to their keeper while the run lasts: whole lines, so that a later
// run can go on with what was kept, whatever ends this one.
#pragma once

#include <cstddef>
#include <optional>
#include <sstream>

#include "extract/options.h"
#include "extract/record.h"
#include "extract/record_file.h"
#include "model/error.h"

namespace platter::extract {

class SampleKeeping {
 public:
  // nullptr: nothing is kept.
  explicit SampleKeeping(SamplesKeeper* keeper) : keeper_(keeper) {}

  bool goes_on() const { return file_.has_value(); }
  // What came before, and the session that begins.
  void begin(const Record& before, const Session& session, const Facts& facts);
  // Between two commands: what an experiment has not thrown away by then. Where it cannot be kept
  // the run ends by Error, and what was kept until then is whole.
  void keep_what_came(const Seen& seen);
  void disturbed(std::size_t from, bool durations_stay, const Seen& seen) {
    if (file_) file_->disturbed(from, durations_stay, seen);
  }
  void begin_anew(const Seen& seen) {
    if (file_) file_->begin_anew(seen);
  }
  void end_part(const Mark& part, const Seen& seen) {
    if (file_) file_->end_part(part, seen);
  }
  // A stage is over. What was measured is known whether it can be kept or not: why it cannot.
  [[nodiscard]] std::optional<Error> end_stage(const StageRecord& stage, const Ending& so_far,
                                               const Seen& seen);
  // The run is over: where they cannot be kept any more, its caller has them all.
  void end(const Record& record);
  void leave_it_to_a_later_run(const Seen& seen);
  void throw_away() {
    if (file_) keeper_->throw_away();
  }

 private:
  void hand_over();
  void hand_over_for_good();

  SamplesKeeper* keeper_;
  std::ostringstream lines_;  // that the keeper does not have yet
  std::optional<RecordWriter> file_;
};

}  // namespace platter::extract
