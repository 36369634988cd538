#include "extract/kept_answers.h"

namespace platter::extract {

KeptAnswers::KeptAnswers(layout::Translator& drive, std::vector<Answer>& answers)
    : drive_(drive), answers_(answers) {
  for (const Answer& answer : answers) {
    if (answer.place)
      of_places_[key_of(*answer.place)] = {answer.lbn};
    else if (answer.lbn)
      of_blocks_[*answer.lbn] = answer.translation;
  }
}

// What it does not answer it is asked again.
std::optional<scsi::Translation> KeptAnswers::translate(std::uint64_t lbn) {
  if (const auto kept = of_blocks_.find(lbn); kept != of_blocks_.end()) return kept->second;
  const auto answer = drive_.translate(lbn);
  if (answer) answers_.push_back({std::nullopt, lbn, *answer});
  return answer;
}

std::optional<scsi::PlaceContent> KeptAnswers::translate_back(const scsi::PhysicalAddress& place) {
  if (const auto kept = of_places_.find(key_of(place)); kept != of_places_.end())
    return kept->second;
  const auto answer = drive_.translate_back(place);
  if (answer) answers_.push_back({place, answer->lbn, {}});
  return answer;
}

}  // namespace platter::extract
