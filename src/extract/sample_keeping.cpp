#include "extract/sample_keeping.h"

#include <utility>

namespace platter::extract {

void SampleKeeping::begin(const Record& before, const Session& session, const Facts& facts) {
  if (keeper_ == nullptr) return;
  file_.emplace(lines_, before.identity);
  file_->write_stages(before);
  file_->begin_session(session, facts);
  hand_over_for_good();
}

void SampleKeeping::keep_what_came(const Seen& seen) {
  constexpr std::streamoff kPiece = 1 << 14;  // written in some microseconds
  if (!file_) return;
  const bool due = keeper_->due();
  if (due)
    file_->grow_to_all(seen);
  else
    file_->grow(seen);
  if (due || lines_.tellp() > kPiece) hand_over();
}

void SampleKeeping::end(const Record& record) {
  if (!file_) return;
  try {
    file_->end_samples(record);
    hand_over();
  } catch (const Error&) {
  }
  file_.reset();
}

void SampleKeeping::leave_it_to_a_later_run(const Seen& seen) {
  try {
    file_->grow_to_all(seen);
    hand_over_for_good();
  } catch (const Error&) {  // what was kept before is whole
  }
}

void SampleKeeping::hand_over() {
  try {
    keeper_->keep(std::exchange(lines_, {}).view());
  } catch (const Error&) {
    file_.reset();
    throw;
  }
}

void SampleKeeping::hand_over_for_good() {
  hand_over();
  try {
    keeper_->synchronize();
  } catch (const Error&) {
    file_.reset();
    throw;
  }
}

std::optional<Error> SampleKeeping::end_stage(const StageRecord& stage, const Ending& so_far,
                                              const Seen& seen) {
  if (!file_) return std::nullopt;
  try {
    file_->end_stage(stage, so_far, seen);
    hand_over_for_good();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace platter::extract
