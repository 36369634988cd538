#include "scsi/reply.h"

#include <algorithm>

namespace platter::scsi {

Reply::Reply(const Command& command, Completion& completion) {
  asked_ = command.transfer_length;
  came_ = asked_ - bytes_short(command, completion);
  data_ = std::move(completion.data);
}

std::optional<Bytes> Reply::whole() const {
  if (!is_whole() || data_.size() != asked_) return std::nullopt;
  return Bytes(data_);
}

std::optional<std::vector<std::uint8_t>> Reply::take_whole() {
  if (!whole()) return std::nullopt;
  return std::move(data_);
}

const char* advice_on_warning(std::string_view words) {
  return words.find("/5D/") != std::string_view::npos ? "save its data"
                                                      : "see to it before its times are believed";
}

bool is_late(const Completion& completion) {
  return completion.status == Status::check_condition &&
         cleanness_of(decode_sense(completion.sense)) == Cleanness::recovered;
}

// The residual is the path's word. Where the data are there they count: a path may say nothing.
std::uint32_t bytes_short(const Command& command, const Completion& completion) {
  const bool has_data = command.direction == Direction::from_device && command.keep_data;
  const auto moved = has_data ? static_cast<std::uint32_t>(completion.data.size())
                              : command.transfer_length -
                                    std::min(completion.residual, command.transfer_length);
  return command.transfer_length - std::min(moved, command.transfer_length);
}

// SPC-4, additional sense codes: 5Dh FAILURE PREDICTION THRESHOLD EXCEEDED, 0Bh WARNING.
Cleanness cleanness_of(const std::optional<Sense>& sense) {
  constexpr std::uint8_t kFailurePredicted = 0x5D, kWarning = 0x0B;
  if (!sense) return Cleanness::clean;
  const bool carried_out = sense->key == SenseKey::recovered_error ||
                           sense->key == SenseKey::no_sense;
  // By MRIE of mode page 1Ch (SPC-4) both come as a unit attention, too, or with whatever command
  // is next.
  const bool reports = carried_out || sense->key == SenseKey::unit_attention;
  if (reports && (sense->asc == kFailurePredicted || sense->asc == kWarning))
    return Cleanness::warned;
  if (!carried_out || sense->deferred) return Cleanness::clean;
  // What CK_COND of ATA PASS-THROUGH asked for (SAT-4): 00h/1Dh, ATA PASS-THROUGH INFORMATION.
  if (sense->asc == 0x00 && sense->ascq == 0x1D) return Cleanness::clean;
  return sense->key == SenseKey::recovered_error ? Cleanness::recovered : Cleanness::clean;
}

}  // namespace platter::scsi
