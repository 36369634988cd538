// The episodes of one SCSI drive: what becomes of its target's answers. Those that are to come
// later wait here, those that never come are forgotten by an abort, a reset or a power cut.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/scsi/block_request.h"
#include "episodes/outcome.h"
#include "scsi/device.h"

namespace platter::emulator {

class DriveEpisodes {
 public:
  // `drive`: its place among those of the emulation.
  DriveEpisodes(std::shared_ptr<const episodes::Schedule> schedule, unsigned drive);

  // A command comes to the drive. Whether it is to fail: its blocks are neither returned nor
  // stored.
  bool came(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns);
  // The target has answered; `each(action)` is told what acts on it. The answer to give now;
  // nullopt: it waits, or never comes.
  template <typename Each>
  std::optional<scsi::Completion> pass(scsi::Completion answer, Each each) {
    const auto found = asked_.find(answer.tag);
    if (found == asked_.end()) return answer;
    episodes::Request request = found->second;
    asked_.erase(found);
    request.completion_ns = answer.completed_ns;
    const auto outcome = episodes::outcome_of(*schedule_, request, [&](const auto& action) {
      ++acted_[action.episode];
      each(action);
    });
    return given(std::move(answer), request, outcome);
  }

  // Of those that wait, the first.
  std::optional<Nanoseconds> next_due() const;
  // Its answer, at that time.
  scsi::Completion take();
  // Its command has no answer any more. Whether one was kept from it here.
  bool abort(std::uint32_t tag);
  bool is_stuck(std::uint32_t tag) const;
  void forget_all();

  const episodes::Schedule& schedule() const { return *schedule_; }
  // Of each episode: on how many requests it acted.
  const std::vector<std::uint64_t>& acted() const { return acted_; }

 private:
  std::optional<scsi::Completion> given(scsi::Completion answer, const episodes::Request& request,
                                        const episodes::Outcome& outcome);

  std::shared_ptr<const episodes::Schedule> schedule_;
  unsigned drive_;
  std::uint64_t ordinal_ = 0;
  std::unordered_map<std::uint32_t, episodes::Request> asked_{};  // by tag: with the target
  std::vector<scsi::Completion> waiting_{};
  std::vector<std::uint32_t> stuck_{};
  std::vector<std::uint64_t> acted_;
};

}  // namespace platter::emulator
