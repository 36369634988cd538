#include "emulator/scsi/drive_episodes.h"

#include <algorithm>
#include <utility>

#include "virtual_drive/sense_data.h"

namespace platter::emulator {
namespace {

constexpr virtual_drive::SenseCode kWriteError{0x3, 0x0c, 0x00};

// What had an error anyway keeps it.
void fail(scsi::Completion& answer, const episodes::Request& request, std::uint64_t lbn) {
  if (answer.status != scsi::Status::good) return;
  const bool reads = request.kind == episodes::Kind::read;
  answer.status = scsi::Status::check_condition;
  answer.sense = virtual_drive::fixed_sense(
      reads ? virtual_drive::kUnrecoveredReadError : kWriteError,
      request.blocks > 0 ? std::optional(lbn) : std::nullopt);
  answer.residual += static_cast<std::uint32_t>(answer.data.size());
  answer.data.clear();
}

}  // namespace

DriveEpisodes::DriveEpisodes(std::shared_ptr<const episodes::Schedule> schedule, unsigned drive)
    : schedule_(std::move(schedule)), drive_(drive), acted_(schedule_->episodes.size(), 0) {}

bool DriveEpisodes::came(const scsi::Command& command, std::uint32_t tag, Nanoseconds issued_ns) {
  const auto blocks = block_request_of(command);
  if (!blocks) return false;
  const episodes::Request request{drive_,         ++ordinal_, blocks->kind, blocks->lbn,
                                  blocks->blocks, issued_ns,  issued_ns};
  asked_[tag] = request;
  return episodes::outcome_of(*schedule_, request).fails;
}

std::optional<scsi::Completion> DriveEpisodes::given(scsi::Completion answer,
                                                     const episodes::Request& request,
                                                     const episodes::Outcome& outcome) {
  if (outcome.fails) fail(answer, request, outcome.failed_lbn);
  if (outcome.is_stuck()) {
    stuck_.push_back(answer.tag);
    return std::nullopt;
  }
  if (outcome.due_ns == answer.completed_ns) return answer;
  answer.completed_ns = outcome.due_ns;
  waiting_.push_back(std::move(answer));
  return std::nullopt;
}

std::optional<Nanoseconds> DriveEpisodes::next_due() const {
  if (waiting_.empty()) return std::nullopt;
  return std::ranges::min_element(waiting_, {}, &scsi::Completion::completed_ns)->completed_ns;
}

scsi::Completion DriveEpisodes::take() {
  const auto first = std::ranges::min_element(waiting_, {}, &scsi::Completion::completed_ns);
  scsi::Completion answer = std::move(*first);
  waiting_.erase(first);
  return answer;
}

bool DriveEpisodes::abort(std::uint32_t tag) {
  asked_.erase(tag);
  return std::erase(stuck_, tag) +
             std::erase_if(waiting_, [&](const auto& answer) { return answer.tag == tag; }) >
         0;
}

bool DriveEpisodes::is_stuck(std::uint32_t tag) const {
  return std::ranges::find(stuck_, tag) != stuck_.end();
}

void DriveEpisodes::forget_all() {
  asked_.clear();
  waiting_.clear();
  stuck_.clear();
}

}  // namespace platter::emulator
