#include "extract/map_of_drive.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace platter::extract {

namespace {

bool is_contradicted(const model::Noted& note) {
  return note.kind() == &model::kind_of(model::Code::translation_contradicted);
}

// The map does not rest on it any longer.
model::Noted as_claim(const model::Noted& note) {
  return is_contradicted(note) ? model::Noted(model::Code::claims_disagree,
                                              note.text() + "; the map is made by timing", "layout")
                               : note;
}

}  // namespace

// What translation could not tell, or not cheaply. Its own reason stands where timing has no map,
// either.
FoundMap MapOfDrive::by_timing_after(FoundMap translated, std::vector<Answer>& answers) {
  if (!by_timing_.expected_s()) return translated;
  by_timing_.believe_translation(std::ranges::none_of(translated.notes, is_contradicted));
  FoundMap timed = by_timing_.find(answers);
  if (timed.layout.zones.empty()) {
    timed.layout.reason = translated.layout.reason + "; " + timed.layout.reason;
  } else {
    by_ = &by_timing_;
    std::ranges::transform(translated.notes, translated.notes.begin(), as_claim);
  }
  timed.notes.insert(timed.notes.begin(), std::make_move_iterator(translated.notes.begin()),
                     std::make_move_iterator(translated.notes.end()));
  return timed;
}

FoundMap MapOfDrive::find(std::vector<Answer>& answers) {
  if (answers.empty() && !context_.drive.addresses().translates()) {
    by_ = &by_timing_;
    return by_timing_.find(answers);
  }
  by_ = &by_translation_;
  by_translation_.compare_with(by_timing_.expected_s());
  FoundMap found = by_translation_.find(answers);
  return found.layout.zones.empty() ? by_timing_after(std::move(found), answers) : std::move(found);
}

FoundMap MapOfDrive::with_angles() {
  FoundMap found = by_->with_angles();
  if (by_ == &by_timing_ || !found.layout.zones.empty()) return found;
  std::vector<Answer> none;
  FoundMap timed = by_timing_after(std::move(found), none);
  if (by_ != &by_timing_) return timed;
  FoundMap judged = by_timing_.with_angles();
  std::ranges::move(judged.notes, std::back_inserter(timed.notes));
  timed.layout = std::move(judged.layout);
  return timed;
}

}  // namespace platter::extract
