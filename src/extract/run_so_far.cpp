#include "extract/run_so_far.h"

#include <algorithm>
#include <utility>

#include "estimate/samples.h"
#include "extract/stages.h"

namespace platter::extract {

void RunSoFar::note(model::Noted noted) {
  if (noted.kind() != nullptr) noted.set_by(kStages[stage].name);
  if (ending) {
    record.ending.notes.push_back(std::move(noted));
    return;
  }
  if (std::ranges::find(notes_, noted) == notes_.end()) notes_.push_back(noted);
  found.note(noted);
}

Mark RunSoFar::mark() {
  return {context_.samples.size(), record.media_accesses.size(),
          record.facts.cache.observations.size(), take_notes()};
}

Seen RunSoFar::seen() const {
  return {context_.samples, first_sample, record.media_accesses, record.facts.cache, record.facts};
}

RunSoFar::Moment RunSoFar::here() const {
  return {found, record.facts, context_.samples.size(), record.media_accesses.size(), notes_};
}

void RunSoFar::disturbed_since(std::size_t sample, bool durations_stay) {
  estimate::disturb(context_.samples, sample, durations_stay);
  keeping.disturbed(sample, durations_stay, seen());
}

void RunSoFar::time_jumped(const mtbrc::TimeJump& jump, std::size_t from_sample) {
  record.facts.jumps.push_back(jump);
  const std::size_t from = std::max(from_sample, first_sample);
  if (from < context_.samples.size())
    disturbed_since(from, jump.kind == mtbrc::TimeJump::Kind::stepped);
}

// Time has jumped whatever becomes of what was measured.
void RunSoFar::take_facts(Facts facts) {
  facts.jumps = std::move(record.facts.jumps);
  record.facts = std::move(facts);
}

void RunSoFar::go_back_to(const Moment& moment) {
  found = moment.found;
  context_.map = found.map.get();
  take_facts(moment.facts);
  context_.samples.resize(moment.samples);
  record.media_accesses.resize(moment.media_accesses);
  notes_ = moment.notes;
  under_way = {};
  keeping.begin_anew(seen());
}

}  // namespace platter::extract
